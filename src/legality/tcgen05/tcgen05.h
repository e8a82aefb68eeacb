/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of tcgen05 share: kinds as sets, the rows of tcgen05.def, and the subject that its
 * rules ask. */
#ifndef ZL_TCGEN05_H
#define ZL_TCGEN05_H

#include "rules/rule.h"
#include "base/words.h"

#include <zlay/idesc.h>

#define T5_BIT(kind) (1u << ZLAY_KIND_##kind)

enum {
    T5_FLOATS = T5_BIT(F16) | T5_BIT(TF32) | T5_BIT(F8F6F4),
    T5_PLAIN = T5_FLOATS | T5_BIT(I8),
    T5_FOURS = T5_BIT(MXF4) | T5_BIT(MXF4NVF4),
    T5_SCALED = T5_FOURS | T5_BIT(MXF8F6F4),
    T5_EIGHTS = T5_BIT(F8F6F4) | T5_BIT(MXF8F6F4) | T5_BIT(I8),
    T5_EVERY = T5_PLAIN | T5_SCALED
};

typedef enum zl_t5_feature {
#define T5_FEATURE(name, archs, suffixes) ZL_T5_##name,
#include "legality/tcgen05/tcgen05.def"
} zl_t5_feature;

/* What the rows of a product's form leave; 0 where there is no row. */
typedef struct zl_t5_bounds {
    uint32_t m_lo, m_hi, n_lo, n_hi, n_step, k96;
} zl_t5_bounds;

/* An instruction, a descriptor, or both. */
typedef struct zl_tcgen05 {
    zlay_mma mma;           /* made of the descriptor where it is alone; cta_group is not 0 */
    const zlay_idesc *desc; /* NULL: none */
    bool issued;            /* cta_group, .ws, place of A and modifiers are known */
    zl_t5_bounds bounds;    /* this and the traits as zl_t5_prepare sets them */
    uint32_t traits;
} zl_tcgen05;

extern const zl_subject_form zl_tcgen05_form;

/* The fields of an instruction descriptor whose kind is one; returns how many. */
size_t zl_idesc_bit_fields(zl_bit_field *out, const zlay_idesc *fields);

void zl_t5_prepare(zl_tcgen05 *t);
bool zl_t5_guard(zl_rule_guard guard, const zl_subject *subject);

/* The head of what zl_check answers. */
void zl_t5_verdict(zlay_verdict *out, const zl_subject *subject);

bool zl_t5_on(zl_t5_feature feature, const zlay_target *target);

/* The kind without scale factors whose A has a type. */
int32_t zl_t5_kind(int32_t type);

/* K of a dense product; 0 for no kind. */
uint32_t zl_t5_k(int32_t kind);

/* Whether a kind's A and B, its D, have a type. */
bool zl_t5_operand(int32_t kind, int32_t type);
bool zl_t5_sum(int32_t kind, int32_t type);
/* Whether a kind takes a scale vector; whether scale factors of a type go with it. */
bool zl_t5_vector(int32_t kind, int32_t vector);
bool zl_t5_scale(int32_t kind, int32_t type, int32_t vector);

/* The least version of PTX that has the instruction, as 10 * major + minor. */
uint32_t zl_t5_ptx(const zl_tcgen05 *t, const zlay_target *target);

/* Of a descriptor alone the hull of all its forms; false: there is no row. */
bool zl_t5_bounds_of(zl_t5_bounds *out, const zl_tcgen05 *t);

/* Whether some form of the product has this M and N. */
bool zl_t5_shape(const zl_tcgen05 *t);

zlay_status zl_tcgen05_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                             const zlay_target *target, const zlay_mma *mma);

#endif
