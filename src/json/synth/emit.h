/* SPDX-License-Identifier: Apache-2.0 */
/* The operation emit. Its field `what` chooses a table of fields and a runner, each beside what it
 * prints; the name of the text and the PTX version stand in every table. */
#ifndef ZL_JSON_EMIT_H
#define ZL_JSON_EMIT_H

#include "json/json.h"

#include <zlay/emit_pipe.h>

typedef struct zl_emit_head {
    zl_json_text name, ptx; /* ptx.text NULL: any version */
} zl_emit_head;

/* `what` and `name`; and the version, of the texts that may be PTX. */
extern const zl_fields zl_emit_head_fields;
typedef zl_emit_head zl_emit_head_fields_type;
#define ZL_PTX(type) {"ptx", ZL_MAY, ZL_AT(zl_as_text, type, head.ptx)}

extern const zl_fields zl_emit_gemm_fields, zl_emit_copy_fields, zl_emit_move_fields,
    zl_emit_pipe_fields, zl_emit_attention_fields, zl_emit_weights_fields,
    zl_emit_layout_fields, zl_emit_word_fields, zl_emit_convert_fields, zl_emit_tensormap_fields,
    zl_emit_smemdesc_fields, zl_emit_idesc_fields, zl_emit_ring_fields, zl_emit_wave_fields,
    zl_emit_ragged_fields, zl_emit_selector_fields;
zl_op_run zl_emit_gemm, zl_emit_header, zl_emit_copy, zl_emit_transpose, zl_emit_move, zl_emit_pipe,
    zl_emit_attention, zl_emit_weights, zl_emit_layout, zl_emit_word,
    zl_emit_convert, zl_emit_tensormap, zl_emit_smemdesc, zl_emit_idesc,
    zl_emit_ring, zl_emit_wave, zl_emit_ragged, zl_emit_selector;

/* What is printed of a plan, a target, a transfer or a move. */
typedef enum zl_emitted {
    ZL_PTX_OF_PLAN,
    ZL_ASSEMBLY_OF_PLAN,
    ZL_HEADER_OF_PLAN,
    ZL_SNIPPETS_OF_TARGET,
    ZL_KERNEL_OF_TRANSFER,
    ZL_FUNCTION_OF_MOVE
} zl_emitted;

/* Begin the answer: the text of a value, its language ("ptx", "cuda"), and the version that a PTX
 * text names; another that the request asks for is refused. */
zlay_status zl_put_text(zl_call *call, zl_emitted what, const void *value,
                        const zl_emit_head *head);
zlay_status zl_put_kernel(zl_call *call, const char *language, zl_printer *print,
                          const void *value, const zl_emit_head *head);

/* The kernel of a pipe, its text in this language, and what a launch needs (shared memory,
 * threads, cluster, arguments).  The printer takes `ask`. */
extern const zl_named zl_languages[], zl_function_languages[];
typedef zlay_status zl_kernel_printer(zlay_ctx *ctx, zlay_buf *out, zlay_pipe_launch *launch,
                                      zlay_pipe_argument *arguments, size_t room,
                                      const void *ask);
zlay_status zl_put_launched(zl_call *call, const char *language, zl_kernel_printer *print,
                            const void *ask, const zl_emit_head *head);

/* The tensor maps of a move at the end of a list, each with the letter of its tensor. */
void zl_put_moved(zl_call *call, json_t *list, char tensor, const zlay_move *move);

/* An argument of a kernel at the end of a list. */
void zl_put_pipe_argument(zl_call *call, json_t *list, const zlay_pipe_argument *argument);
void zl_put_argument(zl_call *call, json_t *list, const char *name, const char *type,
                     uint32_t bytes);

#endif
