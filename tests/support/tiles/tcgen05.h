/* SPDX-License-Identifier: Apache-2.0 */
/* Legal products of tcgen05.mma once more, as the sentences of PTX ISA 9.1's Table 39, and one legal product of each kind. */
#ifndef TEST_TCGEN05_H
#define TEST_TCGEN05_H

#include "legality.h"

enum { KINDS = 7 };
static const char *const kind_names[KINDS + 1] = {"",        "f16",      "tf32", "f8f6f4",
                                                  "i8",      "mxf8f6f4", "mxf4", "mxf4nvf4"};

typedef struct product {
    int32_t kind;
    uint32_t ws, group, sparse, m, n, k;
} product;

static inline bool is_scaled(int32_t kind) { return kind >= ZLAY_KIND_MXF8F6F4; }
static inline bool is_fours(int32_t kind) { return kind >= ZLAY_KIND_MXF4; }

static inline uint32_t dense_k(int32_t kind)
{
    return kind == ZLAY_KIND_F16 ? 16 : kind == ZLAY_KIND_TF32 ? 8 : is_fours(kind) ? 64 : 32;
}

static inline bool n_is(const product *p)
{
    if (p->ws) return p->n == 64 || p->n == 128 || (p->n == 256 && !p->sparse);
    if (p->n > 256 || !p->n) return false;
    if (p->kind == ZLAY_KIND_I8 && p->group == 2) return p->n % 32 == 0;
    if (p->group == 2) return p->n % 16 == 0;
    if (p->kind == ZLAY_KIND_I8) return p->n == 8 || p->n == 24 || p->n % 16 == 0;
    return p->n % 8 == 0;
}

static inline bool m_is(const product *p)
{
    if (p->ws) return p->m == 32 || p->m == 64 || p->m == 128;
    if (p->group == 1) return p->m == 128 || (p->m == 64 && !is_scaled(p->kind));
    return p->m == 256 || (p->m == 128 && !(is_scaled(p->kind) && p->sparse));
}

static inline bool product_is(const product *p)
{
    if (p->group < 1 || p->group > 2) return false;
    if (p->ws && (p->group == 2 || is_scaled(p->kind))) return false;
    if (p->k == 96)
        return is_fours(p->kind) && !p->sparse && p->group == 2 && p->m == 256 && n_is(p);
    return m_is(p) && n_is(p) && p->k == dense_k(p->kind) * (p->sparse ? 2 : 1);
}

static inline int32_t operand_of(int32_t kind)
{
    static const int32_t types[] = {0,
                                    ZLAY_TYPE_BF16,
                                    ZLAY_TYPE_TF32,
                                    ZLAY_TYPE_E4M3,
                                    ZLAY_TYPE_S8,
                                    ZLAY_TYPE_E5M2,
                                    ZLAY_TYPE_E2M1,
                                    ZLAY_TYPE_E2M1};
    return types[kind];
}

static inline zlay_mma mma_of(const product *p)
{
    return (zlay_mma){.instruction = ZLAY_MMA_TCGEN05,
                      .kind = p->kind,
                      .m = p->m,
                      .n = p->n,
                      .k = p->k,
                      .a = operand_of(p->kind),
                      .b = operand_of(p->kind),
                      .d = p->kind == ZLAY_KIND_I8 ? ZLAY_TYPE_S32 : ZLAY_TYPE_F32,
                      .cta_group = p->group,
                      .sparse = p->sparse,
                      .ws = p->ws,
                      .scale_vec = p->kind == ZLAY_KIND_MXF4NVF4 ? ZLAY_SCALE_BLOCK16 : 0};
}

static inline zlay_mma legal_mma(int32_t kind)
{
    product p = {.kind = kind, .group = 1, .m = 128, .n = 128, .k = dense_k(kind)};
    return mma_of(&p);
}

static inline zlay_answer mma_answer(const char *on, const zlay_mma *mma)
{
    zlay_verdict v;
    assert_int_equal(zlay_mma_check(&v, NULL, 0, target_of(on), mma), ZLAY_OK);
    return v.answer;
}

#endif
