/* SPDX-License-Identifier: Apache-2.0 */
/* Random tensor maps near the border of what a driver of sm_90 takes: a legal one, then none to three fields
 * disturbed, each by a value at which some rule begins.  The i-th map of a mode depends on nothing else, so
 * that answers of a driver are kept as numbers of maps. */
#ifndef MAP_DRAW_H
#define MAP_DRAW_H

#include <string.h>
#include <zlay/tensormap.h>

/* splitmix64 */
static inline uint64_t draw_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline uint64_t draw_below(uint64_t *s, uint64_t n) { return draw_next(s) % n; }
static inline int draw_rarely(uint64_t *s, uint64_t n) { return draw_below(s, n) == 0; }

static inline uint64_t draw_of(uint64_t *s, const uint64_t *from, size_t count)
{
    return from[draw_below(s, count)];
}
#define DRAW(s, ...)                                                                               \
    draw_of(s, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / 8)
#define DRAW_LESS(n) (UINT64_MAX - (n) + 1)

enum { DRAW_LIMIT = 233472 };

static inline uint32_t draw_bytes(int32_t type)
{
    static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4, 1, 1, 1};
    return type >= 0 && type < 16 ? bytes[type] : 1;
}

/* ---- legal maps -------------------------------------------------------------------- */

static inline uint64_t draw_extent(uint64_t *s)
{
    if (draw_rarely(s, 6))
        return DRAW(s, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000, 0x7fff0000,
                    0x80000005, 0xfffffff0, 1 << 30, 0x80007fff, 0x7fff8000);
    return DRAW(s, 1, 2, 3, 7, 8, 16, 30, 64, 100, 127, 128, 129, 1000, 4096, 32767, 32768, 65536);
}

static inline void draw_place(uint64_t *s, zlay_tensormap *m)
{
    uint64_t unit = m->interleave == 2 ? 32 : 16;
    m->address = draw_below(s, 1u << 20) * unit + (draw_rarely(s, 4) ? draw_next(s) << 32 : 0);
    for (uint32_t i = 0; i < m->rank; i++) m->extent[i] = draw_extent(s);
    for (uint32_t i = 0; i + 1 < m->rank; i++)
        m->stride[i] = unit * (draw_rarely(s, 3) ? draw_below(s, (1ull << 40) / unit)
                                                 : draw_below(s, 4096));
    for (uint32_t i = 0; i < m->rank; i++)
        m->step[i] = draw_rarely(s, 3) ? 1 + (uint32_t)draw_below(s, 8) : 1;
}

/* An inner box of whole 16 bytes within the swizzle's span. */
static inline uint32_t draw_inner(uint64_t *s, const zlay_tensormap *m)
{
    uint32_t bytes = draw_bytes(m->type), most = 256 * bytes / 16;
    if (m->interleave == 0 && m->swizzle > 0 && m->swizzle < 4 && most > 1u << m->swizzle)
        most = 1u << m->swizzle;
    return 16 * (1 + (uint32_t)draw_below(s, draw_rarely(s, 2) ? most : (most + 3) / 4)) / bytes;
}

/* What is left of the limit for one more factor, and its neighbours. */
static inline uint32_t draw_edge(uint64_t *s, uint64_t product, uint32_t most)
{
    uint64_t left = product ? DRAW_LIMIT / product : most;
    left += draw_below(s, 3) - 1;
    return left < 1 || left > most ? 1 : (uint32_t)left;
}

static inline void draw_boxes(uint64_t *s, zlay_tensormap *m)
{
    uint64_t product = draw_bytes(m->type);
    uint32_t edge = draw_rarely(s, 4) ? m->rank - 1 : 9;
    for (uint32_t i = 0; i < m->rank; i++) {
        uint32_t most = i ? 256 >> (i - 1) * 2 : 256;
        m->box[i] = i ? 1 + (uint32_t)draw_below(s, most) : draw_inner(s, m);
        if (i && i == edge) m->box[i] = draw_edge(s, product, 256 / m->step[i]) * m->step[i];
        product *= m->box[i] / m->step[i];
    }
    for (uint32_t i = 1; product > DRAW_LIMIT && i < m->rank && edge == 9; i++) {
        product = product / (m->box[i] / m->step[i]);
        m->box[i] = m->step[i];
    }
}

static inline int32_t draw_corner(uint64_t *s, int32_t reach)
{
    if (draw_rarely(s, 3)) return (int32_t)DRAW(s, 0, 1, DRAW_LESS(1), 2, DRAW_LESS(2));
    int32_t at = (int32_t)draw_below(s, 2 * (uint64_t)reach) - reach;
    return draw_rarely(s, 6) ? (at < 0 ? -reach : reach - 1) : at;
}

static inline void draw_columns(uint64_t *s, zlay_tensormap *m)
{
    static const int32_t reach[] = {32768, 128, 16};
    uint32_t corners = m->rank - 2, bytes = draw_bytes(m->type);
    m->channels = draw_inner(s, m);
    m->pixels = 1 + (uint32_t)draw_below(s, draw_rarely(s, 3) ? 1024 : 64);
    if (draw_rarely(s, 4)) m->pixels = draw_edge(s, (uint64_t)m->channels * bytes, 1024);
    if (m->mode == 2) m->wide_mode = (int32_t)draw_below(s, 2);
    for (uint32_t i = 0; i < (m->mode == 2 ? 1 : corners); i++) {
        int32_t most = m->mode == 2 && draw_rarely(s, 2) ? 32768 : reach[corners - 1];
        m->lower[i] = draw_corner(s, most);
        m->upper[i] = draw_corner(s, most);
        uint64_t *extent = &m->extent[i + (m->interleave == 0)];
        if ((int64_t)*extent + m->upper[i] > m->lower[i] || draw_rarely(s, 8)) continue;
        if (draw_rarely(s, 2)) m->lower[i] = -most, m->upper[i] = most - 1;
        else *extent = (uint64_t)((int64_t)m->lower[i] - m->upper[i] + (int64_t)draw_below(s, 4));
    }
}

static inline zlay_tensormap draw_legal(uint64_t *s, int32_t mode)
{
    zlay_tensormap m;
    memset(&m, 0, sizeof m);
    m.mode = mode;
    m.rank = (uint32_t)(mode ? 3 + draw_below(s, 3) : 1 + draw_below(s, 5));
    m.type = (int32_t)draw_below(s, 13);
    m.interleave = m.rank > 2 && draw_rarely(s, 3) ? 1 + (int32_t)draw_below(s, 2) : 0;
    m.swizzle = (int32_t)draw_below(s, 4);
    m.l2 = (int32_t)draw_below(s, 4);
    m.oob = m.type >= ZLAY_TYPE_F16 ? (int32_t)draw_below(s, 2) : 0;
    draw_place(s, &m);
    if (mode) draw_columns(s, &m);
    else draw_boxes(s, &m);
    return m;
}

/* ---- disturbed fields -------------------------------------------------------------- */

static inline uint64_t draw_stride(uint64_t *s)
{
    return DRAW(s, 0, 1, 8, 15, 16, 17, 24, 31, 32, 33, 48, 64, 4104, 0xfffffff0, 0x100000000,
                (1ull << 40) - 32, (1ull << 40) - 16, (1ull << 40) - 1, 1ull << 40,
                (1ull << 40) + 16, 1ull << 63, UINT64_MAX - 15, UINT64_MAX);
}

static inline uint32_t draw_box(uint64_t *s)
{
    return (uint32_t)DRAW(s, 0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 64, 127,
                          128, 129, 200, 255, 256, 257, 512, 1023, 1024, 1025, 1u << 31,
                          UINT32_MAX);
}

static inline int32_t draw_far_corner(uint64_t *s)
{
    return (int32_t)(uint32_t)DRAW(
        s, 0, 1, 15, 16, 17, 127, 128, 129, 32767, 32768, 32769, INT32_MAX, 65535, DRAW_LESS(1),
        DRAW_LESS(15), DRAW_LESS(16), DRAW_LESS(17), DRAW_LESS(127), DRAW_LESS(128), DRAW_LESS(129),
        DRAW_LESS(32767), DRAW_LESS(32768), DRAW_LESS(32769), 1ull << 31, DRAW_LESS(65536));
}

static inline void draw_disturb_shape(uint64_t *s, zlay_tensormap *m, uint64_t which, uint32_t i)
{
    switch (which) {
    case 0:
        m->extent[i] = draw_rarely(s, 2) ? DRAW(s, 0, 1, 0x100000000, 0x100000001, UINT64_MAX,
                                                1ull << 63, 0xffffffff, 0x200000000)
                                         : draw_extent(s);
        return;
    case 1: m->stride[i % 4] = draw_stride(s); return;
    case 2: m->box[i] = draw_box(s); return;
    case 3: m->step[i] = (uint32_t)DRAW(s, 0, 1, 2, 3, 7, 8, 9, 16, 255, 256, UINT32_MAX); return;
    case 4: m->channels = draw_box(s); return;
    case 5: m->pixels = draw_box(s); return;
    case 6: m->lower[i % 3] = draw_far_corner(s); return;
    default: m->upper[i % 3] = draw_far_corner(s);
    }
}

static inline int32_t draw_enum(uint64_t *s, int32_t count)
{
    if (draw_rarely(s, 16)) return draw_rarely(s, 2) ? INT32_MIN : INT32_MAX;
    return (int32_t)draw_below(s, (uint64_t)count + 3) - 1;
}

static inline void draw_disturb_word(uint64_t *s, zlay_tensormap *m, uint64_t which)
{
    switch (which) {
    case 0: m->type = draw_enum(s, 16); return;
    case 1: m->rank = (uint32_t)draw_below(s, 8); return;
    case 2: m->address += DRAW(s, 1, 2, 4, 8, 15, 16, 17, 24, DRAW_LESS(m->address), 1ull << 63); return;
    case 3: m->interleave = draw_enum(s, 3); return;
    case 4: m->swizzle = draw_enum(s, 7); return;
    case 5: m->l2 = draw_enum(s, 4); return;
    case 6: m->oob = draw_enum(s, 2); return;
    default: m->wide_mode = m->mode == 2 ? draw_enum(s, 2) : 0;
    }
}

/* The i-th map of a mode; `seed` names a family. */
static inline zlay_tensormap map_draw(int32_t mode, uint64_t seed, uint64_t i)
{
    static const uint8_t counts[] = {0, 1, 1, 1, 2, 2, 3, 1};
    uint64_t state = seed * 0x9e3779b97f4a7c15u + (uint64_t)mode * 0xd1342543de82ef95u;
    uint64_t s = draw_next(&state) ^ i * 0xda942042e4dd58b5u;
    zlay_tensormap m = draw_legal(&s, mode);
    for (uint32_t n = counts[draw_below(&s, sizeof counts)]; n > 0; n--) {
        uint32_t dim = (uint32_t)draw_below(&s, m.rank && m.rank < 6 ? m.rank : 5);
        if (draw_rarely(&s, 3)) draw_disturb_word(&s, &m, draw_below(&s, mode == 2 ? 8 : 7));
        else draw_disturb_shape(&s, &m, mode ? DRAW(&s, 0, 1, 3, 4, 5, 6, 7) : draw_below(&s, 4), dim);
    }
    return m;
}

#endif
