/* SPDX-License-Identifier: Apache-2.0 */
/* Random uses of legal maps: small boxes, at and beyond every end of the tensor, which lies in an array of
 * USE_GLOBAL bytes. */
#ifndef USE_DRAW_H
#define USE_DRAW_H

#include "map_draw.h"

enum { USE_GLOBAL = 1 << 20, USE_SMEM = 9216, USE_BOX = 8192, USE_STORED = 8192 };
enum { USE_LOAD, USE_COLUMNS, USE_STORE, USE_STORE_COLUMNS, USE_KINDS };

typedef struct use_case {
    zlay_tensormap map; /* its address is an offset into the array */
    int32_t kind;
    int32_t coordinate[5];
    uint16_t offset[3]; /* im2col */
    uint32_t at;        /* shared, from an address that is a multiple of 1024 */
} use_case;

static inline uint32_t use_ceil(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/* Bytes that the box is asked to bring, and shared bytes that it takes at most. */
static inline uint64_t use_bytes(const zlay_tensormap *m)
{
    uint64_t bytes = draw_bytes(m->type);
    if (m->mode) return bytes * m->channels * m->pixels;
    for (uint32_t i = 0; i < m->rank; i++)
        bytes *= i || m->interleave ? use_ceil(m->box[i], m->step[i]) : m->box[i];
    return bytes;
}

static inline uint64_t use_most(const zlay_tensormap *m)
{
    uint64_t inner = (uint64_t)draw_bytes(m->type) * (m->mode ? m->channels : m->box[0]);
    uint64_t pitch = m->swizzle && inner < 16u << m->swizzle ? 16u << m->swizzle : inner;
    return use_bytes(m) / inner * pitch + pitch;
}

/* Extents, and strides that lie within `room` bytes. */
static inline void use_place(uint64_t *s, zlay_tensormap *m, uint64_t room)
{
    uint32_t bytes = draw_bytes(m->type), unit = m->interleave == 2 ? 32 : 16;
    uint32_t wide = room < USE_GLOBAL ? 48 : 160;
    uint64_t span;
    do {
        span = 0;
        for (uint32_t i = 0; i < m->rank; i++)
            m->extent[i] = 1 + draw_below(s, i ? (m->rank > 3 ? 7 : 11) : wide / bytes + 1);
        uint64_t dense = m->extent[0] * bytes, group = m->interleave ? unit : 1;
        dense *= group;
        for (uint32_t i = 0; i + 1 < m->rank; i++) {
            m->stride[i] = (dense + unit - 1) / unit * unit;
            if (draw_rarely(s, 3)) m->stride[i] += unit * draw_below(s, 4);
            if (draw_rarely(s, 12) && room == USE_GLOBAL) m->stride[i] = unit * draw_below(s, 6);
            dense = m->stride[i] * m->extent[i + 1];
            span += m->stride[i] * (m->extent[i + 1] - 1);
        }
        span += m->extent[0] * bytes * group;
    } while (span > room);
    m->address = room > span + 4096 ? unit * draw_below(s, 64) : 0;
}

static inline void use_boxes(uint64_t *s, zlay_tensormap *m)
{
    do {
        for (uint32_t i = 0; i < m->rank; i++) {
            m->step[i] = draw_rarely(s, 3) ? 1 + (uint32_t)draw_below(s, 8) : 1;
            m->box[i] = i ? 1 + (uint32_t)draw_below(s, m->rank > 3 ? 6 : 12) : draw_inner(s, m);
        }
    } while (use_most(m) > USE_BOX);
}

static inline void use_columns(uint64_t *s, zlay_tensormap *m)
{
    for (uint32_t i = 0; i < m->rank; i++)
        m->step[i] = draw_rarely(s, 3) ? 1 + (uint32_t)draw_below(s, 3) : 1;
    do {
        m->channels = draw_inner(s, m);
        m->pixels = 1 + (uint32_t)draw_below(s, 64);
    } while (use_most(m) > USE_BOX);
    for (uint32_t i = 0; i + 2 < m->rank; i++) {
        uint64_t extent = m->extent[i + (m->interleave == 0)];
        do {
            m->lower[i] = (int32_t)draw_below(s, 7) - 3;
            m->upper[i] = (int32_t)draw_below(s, 7) - 3;
        } while ((int64_t)extent + m->upper[i] <= m->lower[i]);
    }
}

static inline void use_coordinates(uint64_t *s, use_case *u)
{
    const zlay_tensormap *m = &u->map;
    int store = u->kind >= USE_STORE;
    for (uint32_t i = 0; i < m->rank; i++) {
        int64_t extent = (int64_t)m->extent[i];
        u->coordinate[i] = (int32_t)((int64_t)draw_below(s, (uint64_t)extent + 4) - (store ? 0 : 3));
        if (draw_rarely(s, 2)) u->coordinate[i] = 0;
    }
    if (m->interleave == 0)
        u->coordinate[0] = u->coordinate[0] / (int32_t)(16 / draw_bytes(m->type)) *
                           (int32_t)(16 / draw_bytes(m->type));
    if (!m->mode) return;
    for (uint32_t i = 0; i + 2 < m->rank; i++) {
        uint32_t dim = i + (m->interleave == 0);
        int64_t size = (int64_t)m->extent[dim] + m->upper[i] - m->lower[i];
        u->coordinate[dim] = m->lower[i] + (int32_t)draw_below(s, (uint64_t)size);
        u->offset[i] = (uint16_t)(store ? 0 : draw_below(s, 4));
    }
}

/* The i-th use; the first `plain` of every 16 are not interleaved. */
static inline use_case use_draw(uint64_t seed, uint64_t i)
{
    static const uint8_t kinds[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3};
    uint64_t s = seed * 0x9e3779b97f4a7c15u ^ i * 0xda942042e4dd58b5u;
    use_case u;
    memset(&u, 0, sizeof u);
    zlay_tensormap *m = &u.map;
    u.kind = kinds[i % 16];
    m->mode = u.kind == USE_COLUMNS || u.kind == USE_STORE_COLUMNS;
    m->rank = (uint32_t)(m->mode ? 3 + draw_below(&s, 3) : 1 + draw_below(&s, 5));
    m->type = (int32_t)draw_below(&s, 13);
    m->interleave = m->rank > 2 && draw_rarely(&s, 3) ? 1 + (int32_t)draw_below(&s, 2) : 0;
    m->swizzle = (int32_t)draw_below(&s, 4);
    m->oob = m->type >= ZLAY_TYPE_F16 ? (int32_t)draw_below(&s, 2) : 0;
    m->l2 = (int32_t)draw_below(&s, 4);
    use_place(&s, m, u.kind >= USE_STORE ? USE_STORED : USE_GLOBAL);
    if (m->mode) use_columns(&s, m);
    else use_boxes(&s, m);
    use_coordinates(&s, &u);
    u.at = 128 * (uint32_t)draw_below(&s, 8);
    return u;
}

#endif
