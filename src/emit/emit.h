/* SPDX-License-Identifier: Apache-2.0 */
/* The printer of PTX texts, zl_emit: where the text goes, which instruction forms it has used and
 * the oldest PTX version that has them all. Moves, transfers and clusters are printed with it, and
 * the header of a GEMM plan, to which the member plan belongs. */
#ifndef ZL_EMIT_H
#define ZL_EMIT_H

#include "algebra/layout/layout.h"
#include "base/base.h"
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
    const char *name;
    size_t name_length;
    uint32_t ptx;        /* the oldest version that has every form printed so far */
    bool used[ZL_FORMS]; /* those forms */
    zl_phrase phrases[ZL_FORMS];
} zl_emit;

/* ZLAY_EINVAL with a message where a kernel's or function's name is none. */
zlay_status zl_name_check(zlay_ctx *ctx, const char *name, size_t length);

/* The same of a name in CUDA C or HIP, also where C++ or their headers keep it. */
zlay_status zl_c_name_check(zlay_ctx *ctx, const char *name, size_t length);

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

#endif
