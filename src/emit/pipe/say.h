/* SPDX-License-Identifier: Apache-2.0 */
/* Prints lines of a kernel: arithmetic, instruction forms, branches and loops, in PTX or in CUDA C. */
#ifndef ZL_EMIT_PIPE_SAY_H
#define ZL_EMIT_PIPE_SAY_H

#include "base/base.h"

typedef struct zl_pipe_text zl_pipe_text; /* pipe.h */

typedef enum zl_op_id {
#define OP(name, ptx, c) ZL_OP_##name,
#include "emit/pipe/ops.def"
#undef OP
    ZL_OPS
} zl_op_id;

void zl_pt_line(zl_pipe_text *k, const char *format, ...) ZL_PRINTF(2, 3);
void zl_pt_op(zl_pipe_text *k, zl_op_id op, const char *const *operands);
#define ZL_OPERANDS_OF(...)                                                                        \
    (const char *const[]) { __VA_ARGS__, NULL, NULL, NULL, NULL }
#define zl_op(k, name, ...) zl_pt_op((k), ZL_OP_##name, ZL_OPERANDS_OF(__VA_ARGS__))

/* An instruction form by its id; its first `outs` operands are written. `guard` is a predicate, or
 * NULL. */
void zl_pt_say(zl_pipe_text *k, const char *guard, const char *id, uint32_t outs,
               const char *const *operands);
#define zl_say(k, guard, id, outs, ...)                                                            \
    zl_pt_say((k), (guard), (id), (outs), ZL_OPERANDS_OF(__VA_ARGS__))
#define zl_say_plain(k, guard, id) zl_pt_say((k), (guard), (id), 0, NULL)

/* Writes a number and a NUL, and returns where the NUL is: by hand, for most of a kernel's text is numbered registers. */
char *zl_pt_digits(char *to, uint64_t number);

/* A number as an operand; `room` holds it. */
const char *zl_pt_number(char room[24], uint64_t number);
/* Has a register computed once: in CUDA C the compiler would compute it again at each use. */
void zl_pt_keep(zl_pipe_text *k, const char *name);

/* A loop: its counter goes on by a step while it is below `last`, which is tested behind the body, and before it unless
 * the loop is said to run. */
typedef struct zl_pt_range {
    const char *counter, *step, *last; /* step NULL: the body moves the counter */
    bool runs;     /* once at least */
    bool unsigned_; /* compared as numbers below 2^32, else from -2^31 on */
} zl_pt_range;

/* Branches and loops. */
void zl_pt_when(zl_pipe_text *k, const char *predicate);
void zl_pt_when_end(zl_pipe_text *k);
void zl_pt_while(zl_pipe_text *k, const zl_pt_range *range);
void zl_pt_while_end(zl_pipe_text *k, const zl_pt_range *range);

/* Try until `done`, or trap: whatever stands between them sets it. */
void zl_pt_try(zl_pipe_text *k);
void zl_pt_try_end(zl_pipe_text *k);

zlay_status zl_pt_fail(zl_pipe_text *k, const char *format, ...) ZL_PRINTF(2, 3);

/* The id of a rule, for messages. */
const char *zl_pt_rule(int32_t rule);

#endif
