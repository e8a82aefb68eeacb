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

/* Bytes of a row of the box, of a slice or of a pixel; bytes that the box is asked to bring, one slice
 * of them where it is interleaved; and shared bytes that it takes at most. */
static inline uint64_t use_inner(const zlay_tensormap *m)
{
    uint64_t bytes = draw_bytes(m->type);
    if (m->interleave) return 16u * (uint32_t)m->interleave;
    return bytes * (m->mode ? m->channels : m->box[0]);
}

static inline uint64_t use_bytes(const zlay_tensormap *m)
{
    uint64_t bytes = use_inner(m);
    if (m->mode) return bytes * m->pixels;
    for (uint32_t i = m->interleave == 0; i < m->rank; i++)
        if (!m->interleave || i + 2 != m->rank) bytes *= use_ceil(m->box[i], m->step[i]);
    return bytes;
}

static inline uint64_t use_most(const zlay_tensormap *m)
{
    uint64_t inner = use_inner(m), span = m->interleave ? 0 : 16u << m->swizzle;
    uint64_t pitch = m->swizzle && inner < span ? span : inner;
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
        uint64_t each = m->interleave ? unit : bytes, dense = m->extent[0] * each;
        for (uint32_t i = 0; i + 1 < m->rank; i++) {
            m->stride[i] = (dense + unit - 1) / unit * unit;
            if (draw_rarely(s, 3)) m->stride[i] += unit * draw_below(s, 4);
            if (draw_rarely(s, 12) && room == USE_GLOBAL) m->stride[i] = unit * draw_below(s, 6);
            dense = m->stride[i] * m->extent[i + 1];
            span += m->stride[i] * (m->extent[i + 1] - 1);
        }
        span += m->extent[0] * each;
    } while (span > room);
    m->address = room > span + 4096 ? unit * draw_below(s, 64) : 0;
}

/* What the driver counts of a box. */
static inline uint64_t use_footprint(const zlay_tensormap *m)
{
    uint64_t bytes = draw_bytes(m->type);
    for (uint32_t i = 0; i < m->rank; i++) bytes *= m->box[i] / m->step[i];
    return bytes;
}

static inline void use_boxes(uint64_t *s, zlay_tensormap *m)
{
    do {
        for (uint32_t i = 0; i < m->rank; i++) {
            m->step[i] = draw_rarely(s, 3) ? 1 + (uint32_t)draw_below(s, 8) : 1;
            m->box[i] = i ? 1 + (uint32_t)draw_below(s, m->rank > 3 ? 6 : 12) : draw_inner(s, m);
            if (m->interleave && i + 2 == m->rank)
                m->box[i] = draw_rarely(s, 3) ? 1 + (uint32_t)draw_below(s, 256) : 1;
        }
    } while (use_most(m) > USE_BOX || use_footprint(m) > DRAW_LIMIT);
}

/* Stores want lower corners of at least 0 and upper ones of at most 0. */
static inline void use_columns(uint64_t *s, zlay_tensormap *m, int store)
{
    for (uint32_t i = 0; i < m->rank; i++)
        m->step[i] = draw_rarely(s, 3) ? 1 + (uint32_t)draw_below(s, 3) : 1;
    do {
        m->channels = draw_inner(s, m);
        if (m->interleave && draw_rarely(s, 2))
            m->channels = 16 * (uint32_t)m->interleave / draw_bytes(m->type);
        m->pixels = 1 + (uint32_t)draw_below(s, 64);
    } while (use_most(m) > USE_BOX);
    for (uint32_t i = 0; i + 2 < m->rank; i++) {
        uint64_t extent = m->extent[i + (m->interleave == 0)];
        do {
            m->lower[i] = (int32_t)draw_below(s, store ? 3 : 7) - (store ? 0 : 3);
            m->upper[i] = (int32_t)draw_below(s, store ? 3 : 7) - (store ? 2 : 3);
            if (store && draw_rarely(s, 200)) m->lower[i] = -1;
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

/* The i-th use of a family. */
static inline use_case use_draw(uint64_t seed, uint64_t i)
{
    static const uint8_t kinds[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3};
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
    if (m->mode) use_columns(&s, m, u.kind >= USE_STORE);
    else use_boxes(&s, m);
    use_coordinates(&s, &u);
    u.at = 128 * (uint32_t)draw_below(&s, 8);
    return u;
}

/* Extents about the greatest that a copy takes, each dimension alone: small boxes at their start, tiled,
 * interleaved, im2col, stored. */
enum { USE_EDGES = 72 };

static inline use_case use_edge(uint64_t seed, uint64_t i)
{
    static const uint64_t extents[] = {64, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000};
    uint64_t how = i / 18 % 4;
    use_case u;
    memset(&u, 0, sizeof u);
    zlay_tensormap *m = &u.map;
    u.kind = how == 2 ? USE_COLUMNS : how == 3 ? USE_STORE : USE_LOAD;
    m->mode = how == 2;
    m->rank = 3;
    m->type = (int32_t)(seed % 2);
    m->interleave = how == 1;
    m->extent[0] = m->extent[1] = m->extent[2] = 4;
    m->stride[0] = 1024;
    m->stride[1] = how == 3 ? 2048 : 65536;
    for (uint32_t k = 0; k < 3; k++) m->box[k] = m->step[k] = 1;
    m->box[0] = m->channels = 16;
    m->pixels = 4;
    m->extent[i % 3] = extents[i / 3 % 6];
    return u;
}

/* What the array, shared memory and the target of stores hold before. */
enum { USE_SALT_GLOBAL = 0x1000000, USE_SALT_SMEM = 0x2000000, USE_SALT_STORED = 0x3000000 };

/* As f32, every seventh word is a denormal, every eleventh a NaN or infinite, and of every fifth the 13
 * bits that tf32 has not are exactly a half. */
static inline void use_fill(uint8_t *bytes, size_t size, uint32_t salt)
{
    for (uint32_t i = 0; i < size / 4; i++) {
        uint32_t w = (i + salt) * 2654435761u;
        w ^= w >> 15;
        w *= 2246822519u;
        w ^= w >> 13;
        if (i % 7 == 3) w &= 0x807fffff;
        if (i % 11 == 5) w = i % 3 ? w | 0x7f800000 : (w | 0x7f800000) & 0xff800000;
        if (i % 5 == 2) w = (w & ~0x1fffu) | 0x1000;
        memcpy(bytes + 4 * (size_t)i, &w, 4);
    }
}

#endif
