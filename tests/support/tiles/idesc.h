/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction descriptors once more, as sums of powers of two from the tables of the PTX ISA. */
#ifndef TEST_IDESC_H
#define TEST_IDESC_H

#include "legality.h"

static inline int list_at(const int32_t *list, size_t count, int32_t type)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == type) return (int)i;
    return -1;
}

/* Code of an operand's type: its place in the list of its kind's table; -1: none. */
static inline int32_t code_by_hand(int32_t kind, int32_t type)
{
    static const int32_t hole = -99;
    const int32_t halves[] = {ZLAY_TYPE_F16, ZLAY_TYPE_BF16, hole, hole, hole, hole, hole, hole};
    const int32_t single[] = {hole, hole, ZLAY_TYPE_TF32, hole, hole, hole, hole, hole};
    const int32_t bytes[] = {ZLAY_TYPE_U8, ZLAY_TYPE_S8, hole, hole, hole, hole, hole, hole};
    const int32_t eights[] = {ZLAY_TYPE_E4M3, ZLAY_TYPE_E5M2, hole, ZLAY_TYPE_E2M3,
                              ZLAY_TYPE_E3M2, ZLAY_TYPE_E2M1, hole, hole};
    const int32_t fours[] = {hole, ZLAY_TYPE_E2M1, hole, hole, hole, hole, hole, hole};
    const int32_t *list = kind == ZLAY_KIND_F16    ? halves
                          : kind == ZLAY_KIND_TF32 ? single
                          : kind == ZLAY_KIND_I8   ? bytes
                          : kind == ZLAY_KIND_F8F6F4 || kind == ZLAY_KIND_MXF8F6F4 ? eights
                                                                                   : fours;
    if (type >= 256 && type < 264) return list[type - 256] == hole ? type - 256 : -1;
    return type < 0 ? -1 : list_at(list, 8, type);
}

static inline uint32_t sum_by_hand(const zlay_idesc *f)
{
    if (f->d >= 256) return (uint32_t)f->d - 256;
    return f->d == ZLAY_TYPE_F16 ? 0 : f->d == ZLAY_TYPE_F32 ? 1 : 2;
}

static inline uint32_t word_by_hand(const zlay_idesc *f)
{
    uint32_t word = 4 * f->sparse + 128 * (uint32_t)code_by_hand(f->kind, f->a) +
                    1024 * (uint32_t)code_by_hand(f->kind, f->b) + 8192 * f->negate_a +
                    16384 * f->negate_b + 32768 * (uint32_t)f->a_major +
                    65536 * (uint32_t)f->b_major + 131072 * (f->n / 8) + 1048576 * f->m +
                    f->must_be_zero;
    if (f->kind <= ZLAY_KIND_I8) {
        uint32_t shift = f->max_shift == 32 ? 3 : f->max_shift / 8;
        return word + f->sparse_id + 8 * f->saturate + 16 * sum_by_hand(f) + 1073741824 * shift;
    }
    return word + 16 * f->sf_b_id + (f->scale_type == ZLAY_TYPE_UE8M0 ? 8388608u : 0) +
           536870912 * f->sf_a_id + (f->k == 96 ? 2147483648u : 0);
}

/* Bits that belong to a field. */
static inline uint32_t bits_by_hand(int32_t kind)
{
    if (kind <= ZLAY_KIND_I8) return ~(1u << 6 | 1u << 23 | 1u << 29);
    uint32_t zeros = 3u | 1u << 3 | 1u << 6 | 7u << 24;
    return ~(kind == ZLAY_KIND_MXF8F6F4 ? zeros | 1u << 31 : zeros | 1u << 12);
}

static inline int32_t random_type(uint64_t *s, int32_t kind, int32_t most)
{
    int32_t type;
    do type = (int32_t)test_range(s, 0, 1) ? (int32_t)test_range(s, 0, 64) :
                                             (int32_t)test_range(s, 256, 263);
    while (code_by_hand(kind, type) < 0 || code_by_hand(kind, type) > most);
    return type;
}

/* Fields that fit, legal or not. */
static inline zlay_idesc random_fields(uint64_t *s)
{
    static const int32_t sums[3][4] = {{ZLAY_TYPE_F16, ZLAY_TYPE_F32, 258, 259},
                                       {256, ZLAY_TYPE_F32, 258, 259},
                                       {256, 257, ZLAY_TYPE_S32, 259}};
    zlay_idesc f = {.kind = (int32_t)test_range(s, ZLAY_KIND_F16, ZLAY_KIND_MXF4NVF4)};
    bool plain = f.kind <= ZLAY_KIND_I8, fours = f.kind >= ZLAY_KIND_MXF4;
    int sum = f.kind == ZLAY_KIND_TF32 ? 1 : f.kind == ZLAY_KIND_I8 ? 2 : 0;
    f.a = random_type(s, f.kind, 7);
    f.b = random_type(s, f.kind, fours ? 3 : 7);
    f.d = plain ? sums[sum][test_range(s, 0, 3)] : ZLAY_TYPE_F32;
    f.m = (uint32_t)(plain ? 16 * test_range(s, 0, 31) : 128 * test_range(s, 0, 3));
    f.n = (uint32_t)(8 * test_range(s, 0, 63));
    f.a_major = (int32_t)test_range(s, 0, 1);
    f.b_major = (int32_t)test_range(s, 0, 1);
    f.sparse = (uint32_t)test_range(s, 0, 1);
    f.negate_a = (uint32_t)test_range(s, 0, 1);
    f.negate_b = (uint32_t)test_range(s, 0, 1);
    f.must_be_zero = (uint32_t)test_random(s) & ~bits_by_hand(f.kind);
    if (plain) {
        f.sparse_id = (uint32_t)test_range(s, 0, 3);
        f.saturate = (uint32_t)test_range(s, 0, 1);
        f.max_shift = (uint32_t[]){0, 8, 16, 32}[test_range(s, 0, 3)];
        return f;
    }
    f.scale_type = test_range(s, 0, 1) ? ZLAY_TYPE_UE8M0 : ZLAY_TYPE_UE4M3;
    f.sf_a_id = (uint32_t)test_range(s, 0, 3);
    f.sf_b_id = (uint32_t)test_range(s, 0, 3);
    if (fours) f.k = test_range(s, 0, 1) ? 96 : 0;
    return f;
}

#endif
