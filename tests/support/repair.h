/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of repairs share: maps near the legal ones, and the joint repair of one. */
#ifndef TEST_REPAIR_H
#define TEST_REPAIR_H

#include "legality.h"

static inline uint64_t pick(uint64_t *s, const uint64_t *from, size_t count)
{
    return from[test_random(s) % count];
}
#define PICK(s, ...)                                                                               \
    pick(s, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / 8)

/* Of an element; interleaved maps have slices of 16 or 32 bytes in dimension 0. */
static inline uint64_t bytes_of(const zlay_tensormap *m)
{
    if (m->interleave == 1 || m->interleave == 2) return (uint64_t)m->interleave * 16;
    return zlay_tensormap_type_bits(m->type) / 8;
}

static inline zlay_tensormap random_legal(uint64_t *s)
{
    zlay_tensormap m;
    memset(&m, 0, sizeof m);
    m.rank = (uint32_t)test_range(s, 1, 5);
    m.type = (int32_t)test_range(s, 0, 12);
    m.swizzle = (int32_t)test_range(s, 0, 3);
    m.l2 = (int32_t)test_range(s, 0, 3);
    m.oob = m.type >= 6 && test_range(s, 0, 3) == 0;
    m.interleave = m.rank > 2 && test_range(s, 0, 5) == 0 ? (int32_t)test_range(s, 1, 2) : 0;
    if (m.interleave == 2) m.swizzle = 1;
    m.address = (uint64_t)test_range(s, 0, 1 << 20) * 128;
    uint64_t unit = 128 / zlay_tensormap_type_bits(m.type), span = m.swizzle ? 1u << m.swizzle : 8;
    m.box[0] = (uint32_t)(unit * (uint64_t)test_range(s, 1, (int64_t)span));
    for (uint32_t i = 0; i < m.rank; i++) {
        m.extent[i] = (uint64_t)test_range(s, 1, 300);
        m.step[i] = test_range(s, 0, 5) ? 1 : (uint32_t)test_range(s, 1, 8);
        if (i) m.box[i] = (uint32_t)PICK(s, 1, 2, 3, 4, 6, 1, 1, 8);
        if (m.interleave && i + 2 == m.rank) m.box[i] = m.step[i] = 1;
    }
    uint64_t row = m.extent[0] * bytes_of(&m);
    for (uint32_t i = 0; i + 1 < m.rank; i++) {
        m.stride[i] = (row + 31) / 32 * 32 + 32 * (uint64_t)test_range(s, 0, 1);
        row = m.stride[i] * m.extent[i + 1];
    }
    return m;
}

static inline void disturb(uint64_t *s, zlay_tensormap *m)
{
    uint32_t i = (uint32_t)test_range(s, 0, m->rank - 1);
    switch (test_range(s, 0, 8)) {
    case 0:
        m->address += (uint64_t)test_range(s, 1, 15);
        break;
    case 1:
    case 2:
        if (m->rank > 1)
            m->stride[i ? i - 1 : 0] =
                PICK(s, m->stride[i ? i - 1 : 0] + 8, m->stride[i ? i - 1 : 0] - 8, 1ull << 40, 24,
                     m->stride[i ? i - 1 : 0] + 2);
        break;
    case 3:
    case 4:
        m->box[i] = (uint32_t)PICK(s, 257, 300, 512, 1000, m->box[i] * 3, m->box[i] + 1, 4096, 5);
        break;
    case 5:
        m->step[m->interleave && !i ? 1 : i] = (uint32_t)PICK(s, 0, 9, 16, 100);
        break;
    case 6:
        m->swizzle = (int32_t)PICK(s, 4, 5, 6, 7, 1, 2);
        break;
    case 7:
        m->l2 = 4 + (int32_t)test_range(s, 0, 3);
        break;
    default:
        m->oob = (int32_t)test_range(s, 1, 3);
    }
}

typedef struct joint {
    const char *what;
    zlay_tensormap from, to;
    int32_t keeps;
    uint64_t split;
} joint;

static inline joint ask(const char *name, zlay_tensormap m)
{
    joint j = {.from = m};
    assert_int_equal(zlay_tensormap_repair(&j.to, &j.keeps, &j.split, target_of(name), &m), ZLAY_OK);
    assert_int_equal(answer_of(target_of(name), &j.to), ZLAY_YES);
    return j;
}

#endif
