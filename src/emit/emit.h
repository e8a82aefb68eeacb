/* SPDX-License-Identifier: Apache-2.0 */
/* The printer of PTX texts, zl_emit: where the text goes, which instruction forms it has used and
 * the oldest PTX version that has them all. Kernels of GEMM plans, moves, transfers and clusters
 * are printed with it. The members plan, pipe and role belong to the GEMM kernel (src/emit/ptx)
 * alone, whose events are those of the plan's pipe. */
#ifndef ZL_EMIT_H
#define ZL_EMIT_H

#include "algebra/layout/layout.h"
#include "base/base.h"
#include "pipe/language/pipe.h"
#include "synth/gemm/plan.h"
#include <zlay/emit.h>

typedef enum zl_form_id {
#define FORM(id, name, instruction) ZL_FORM_##id,
#include "emit/forms.def"
#undef FORM
    ZL_FORMS
} zl_form_id;

/* A form's text with its operands as %0 to %8, their classes (n an immediate), and what a header's
 * function of it is called. */
typedef struct zl_phrase {
    const char *name; /* NULL: not read yet */
    char text[192], operands[12];
    uint32_t ptx;
} zl_phrase;

typedef struct zl_emit {
    zl_text *out;
    const zlay_plan *plan;
    const zlay_pipe *pipe;
    const char *name;
    size_t name_length;
    uint32_t ptx;        /* the oldest version that has every form printed so far */
    bool used[ZL_FORMS]; /* those forms */
    const zl_role *role; /* being printed; NULL in the setup */
    zl_phrase phrases[ZL_FORMS];
} zl_emit;

/* ZLAY_EINVAL with a message where a kernel's or function's name is none. */
zlay_status zl_name_check(zlay_ctx *ctx, const char *name, size_t length);

const zl_phrase *zl_phrase_get(zl_emit *e, zl_form_id id);

/* Print a form with its operands' texts in order, behind an optional guard such as "@one ". */
void zl_emit_form(zl_emit *e, const char *guard, zl_form_id id, const char *const *operands);

void zl_emit_line(zl_emit *e, const char *format, ...) ZL_PRINTF(2, 3);

/* A 64-bit offset in a register, swizzled; `scratch` is another one. */
void zl_emit_swizzle(zl_emit *e, const char *offset, const char *scratch, zl_swizzle s);

/* A table of the module, called after the text's name, what it holds and a number; and out, a
 * 64-bit register, = its entry. */
typedef int64_t zl_entry(const void *env, uint64_t n);
void zl_emit_table(zl_emit *e, const char *what, uint32_t number, uint64_t count, zl_entry *at,
                   const void *env);
void zl_emit_entry(zl_emit *e, const char *out, const char *what, uint32_t number,
                   const char *index);

/* Print a value and answer the oldest version that has every form in it. */
typedef uint32_t zl_counted(zl_text *out, const void *value);

/* The version stands at the top of a text and is known at its end, so it is printed once to
 * nowhere; none is older than the target. */
uint32_t zl_ptx_least(zl_counted *print, const void *value, const zlay_target *target);

/* A whole kernel; without an `out` that keeps it, what it uses and needs. */
void zl_emit_kernel(zl_emit *e);

/* Check the name, find the oldest PTX version, print. */
zlay_status zl_emit_text(zlay_ctx *ctx, zlay_buf *out, const zlay_plan *plan, const char *name,
                         size_t length, zl_writer *write);

zlay_status zl_pt_gemm(zlay_ctx *ctx, zlay_buf *out, const zlay_plan *plan, const char *name,
                         size_t length);

/* One event of the pipe; `next` is what follows it in its role, or NULL. Answers how many events
 * were printed. */
uint32_t zl_emit_event(zl_emit *e, const zl_event *event, const zl_event *next);

/* The opcode of a wgmma with its shape and types; and what follows its scale of D: signs of A and B,
 * which integers have not, then which of them are transposed, which 16 bits alone have. */
void zl_emit_wgmma_name(zl_text *out, const zlay_mma *mma);
void zl_emit_wgmma_end(zl_text *out, const zlay_mma *mma);

/* A box moved by the threads of the role: global to shared, or shared to global. */
void zl_emit_thread_load(zl_emit *e, int32_t operand, const zlay_copy *copy, const char *slot);
void zl_emit_thread_store(zl_emit *e, const zlay_copy *copy, int32_t part);

/* Registers that thread moves keep for a whole role: declared and set where the role begins. */
void zl_emit_thread_setup(zl_emit *e, int32_t operand);

/* Accumulators to the staging of D, and what it keeps for the whole role. */
void zl_emit_write_setup(zl_emit *e);
void zl_emit_write(zl_emit *e, int32_t part);

#endif
