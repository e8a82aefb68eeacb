/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts for the refuters of layout.factor and swizzle.normal: of every kind and size (known.h), and others near what
 * descriptors give.  A table has the values, from which it is decided point by point whether they are affine over F2,
 * and a bijection onto as many slots.  The family's members of tiles in shared memory are made here from the ISA's
 * figures, without the library. */
#ifndef TEST_FACTOR_TILES_H
#define TEST_FACTOR_TILES_H

#include "layouts/known.h"

enum { CASES = 5000, SLOTS = 1 << 12, TILE_MODES = 4 };

/* ---- affine over F2 ---------------------------------------------------------------------------------------------------------- */

typedef struct table {
    int bits;
    uint32_t size;
    int64_t at[SLOTS];
} table;

/* Values at all indices are XORs of those at powers of two. */
static inline bool is_affine(const table *t)
{
    if (t->size != (uint32_t)1 << t->bits) return false;
    for (uint32_t i = 0; i < t->size; i++) {
        int64_t value = t->at[0];
        for (int k = 0; k < t->bits; k++)
            if (i >> k & 1) value ^= t->at[1u << k] ^ t->at[0];
        if (value != t->at[i]) return false;
    }
    return true;
}

static inline bool is_bijection(const table *t)
{
    static uint8_t seen[SLOTS];
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < t->size; i++)
        if (t->at[i] < 0 || t->at[i] >= t->size || seen[t->at[i]]++) return false;
    return true;
}

/* False: some point has no value. */
static inline bool table_of(table *t, const known *k)
{
    t->size = (uint32_t)k->size;
    t->bits = 0;
    while (t->bits < 12 && 1u << t->bits < t->size) t->bits++;
    for (int i = 0; i < k->size; i++) {
        if (!k->there[i]) return false;
        t->at[i] = k->at[i];
    }
    return true;
}

static inline uint32_t log2_of(uint32_t n) { return (uint32_t)__builtin_ctz(n); }

/* ---- the family, of tiles in shared memory ------------------------------------------------------------------------------------- */

typedef struct tile {
    int modes;
    uint32_t extent[TILE_MODES], size, bits; /* bits of an element */
} tile;

static const char *const descs[] = {"tma.none", "tma.128B", "tma.64B", "tma.32B", "wgmma.core.along", "wgmma.core.across"};
enum { DESCS = sizeof descs / sizeof *descs };

/* A tile's index as a coordinate of one mode and one of all others, the first of them minor. */
static inline void split(const tile *t, int first, uint32_t index, uint32_t c[2])
{
    uint32_t scale = 1;
    c[0] = c[1] = 0;
    for (int d = 0; d < t->modes; d++) {
        uint32_t at = index % t->extent[d];
        if (d == first) c[0] = at;
        else c[1] += scale * at, scale *= t->extent[d];
        index /= t->extent[d];
    }
}

/* Rows of a span one after another, panels of spans behind each other, 16-byte units XORed by the row of 128 bytes. */
static inline uint32_t landing(const tile *t, int first, uint32_t span, uint32_t mask, const uint32_t c[2])
{
    uint32_t bytes = t->bits / 8, across = t->size / t->extent[first], width = span ? span / bytes : t->extent[first];
    uint32_t at = (c[0] % width + width * c[1] + width * across * (c[0] / width)) * bytes;
    return (at ^ (at >> 7 & mask) << 4) / bytes;
}

/* Core matrices of 8 rows of 16 bytes. */
static inline uint32_t core(const tile *t, int first, bool along, const uint32_t c[2])
{
    uint32_t unit = 128 / t->bits, units = t->extent[first] / unit, groups = t->size / t->extent[first] / 8;
    uint32_t matrix = along ? c[0] / unit + units * (c[1] / 8) : c[1] / 8 + groups * (c[0] / unit);
    return c[0] % unit + unit * (c[1] % 8) + 8 * unit * matrix;
}

/* Member `which` with a mode contiguous, point by point; false: it gives this tile nothing. */
static inline bool member(uint32_t *at, const tile *t, int which, int first)
{
    static const uint32_t span[] = {0, 128, 64, 32, 0, 0}, mask[] = {0, 7, 3, 1, 0, 0};
    uint32_t row = t->extent[first] * t->bits / 8, across = t->size / t->extent[first];
    if (row < 16 || row < span[which] || (which >= 4 && across < 8)) return false;
    for (uint32_t i = 0; i < t->size; i++) {
        uint32_t c[2];
        split(t, first, i, c);
        at[i] = which < 4 ? landing(t, first, span[which], mask[which], c) : core(t, first, which == 4, c);
    }
    return true;
}

/* ---- tiles ------------------------------------------------------------------------------------------------------------------------- */

/* A member, with a few bits of its offsets changed places or added; as F2 text. */
static inline void near_member(uint64_t *seed, char *text, table *layout, tile *t)
{
    static uint32_t desc[SLOTS];
    do {
        t->modes = (int)test_range(seed, 1, TILE_MODES);
        t->size = 1;
        for (int d = 0; d < t->modes; d++) t->size *= t->extent[d] = 1u << test_range(seed, 0, d > 1 ? 3 : 6);
    } while (t->size > SLOTS || (t->bits < 32 && t->size < 32 / t->bits) ||
             !member(desc, t, (int)test_range(seed, 0, DESCS - 1), (int)test_range(seed, 0, t->modes - 1)));
    uint32_t basis[16], bits = log2_of(t->size), bit = 0;
    for (uint32_t k = 0; k < bits; k++) basis[k] = desc[1u << k];
    for (int64_t n = test_range(seed, 0, 3); n > 0; n--) {
        uint32_t i = (uint32_t)test_range(seed, 0, bits - 1), j = (uint32_t)test_range(seed, 0, bits - 1), held = basis[i];
        if (test_range(seed, 0, 1)) basis[i] = basis[j], basis[j] = held;
        else if (i != j || !test_range(seed, 0, 15)) basis[i] ^= basis[j];
    }
    text += sprintf(text, "f2{");
    for (int d = 0; d < t->modes; d++) {
        text += sprintf(text, "%sm%d:", d ? "; " : "", d);
        for (uint32_t e = 1; e < t->extent[d]; e *= 2) text += sprintf(text, " (%u)", basis[bit++]);
    }
    sprintf(text, " -> offset: %u}", t->size);
    layout->size = t->size;
    layout->bits = (int)bits;
    for (uint32_t i = 0; i < t->size; i++) {
        layout->at[i] = 0;
        for (uint32_t k = 0; k < bits; k++) layout->at[i] ^= i >> k & 1 ? basis[k] : 0;
    }
}

/* Strided modes of powers of two, in any order, some run down, under a swizzle or not. */
static inline void draw_powers(uint64_t *seed, known *k)
{
    int order[KNOWN_MODES];
    int64_t step = 1;
    memset(k, 0, sizeof *k);
    k->kind = test_range(seed, 0, 1) ? KNOWN_SWIZZLED : KNOWN_STRIDED;
    k->modes = (int)test_range(seed, 1, 3);
    for (int i = 0; i < k->modes; i++) order[i] = i, k->shape[i] = (int64_t)1 << test_range(seed, i > 1 ? 0 : 1, i > 1 ? 2 : 4);
    test_shuffle(seed, order, k->modes);
    for (int i = 0; i < k->modes; i++) {
        bool down = !test_range(seed, 0, 5);
        k->stride[order[i]] = down ? -step : step;
        if (down) k->offset += step * (k->shape[order[i]] - 1);
        step *= k->shape[order[i]];
    }
    int top = (int)log2_of((uint32_t)step);
    k->swizzle[0] = (int)test_range(seed, 1, 3);
    k->swizzle[2] = (int)test_range(seed, k->swizzle[0], 5);
    k->swizzle[1] = (int)test_range(seed, 0, 3);
    if (test_range(seed, 0, 1)) k->swizzle[2] = -k->swizzle[2];
    if (k->kind == KNOWN_SWIZZLED && k->swizzle[0] + k->swizzle[1] + abs(k->swizzle[2]) > top) k->kind = KNOWN_STRIDED;
    known_values_strided(k);
    known_strided_text(k, (int)test_range(seed, 0, 1));
}

static inline void tile_of(tile *t, const known *k)
{
    t->modes = k->modes;
    t->size = (uint32_t)k->size;
    for (int d = 0; d < k->modes; d++) t->extent[d] = (uint32_t)k->shape[d];
}

static inline void draw_known(uint64_t *seed, known *k)
{
    if (test_range(seed, 0, 1)) {
        draw_powers(seed, k);
        return;
    }
    known_draw(seed, k, test_range(seed, 0, 7) ? 128 : KNOWN_MOST);
    if (k->kind <= KNOWN_SWIZZLED) known_strided_text(k, (int)test_range(seed, 0, 1));
}

/* A layout that is drawn for a tile: its text, its values, and whether every point has one. */
typedef struct drawn {
    char near[1024];
    const char *text;
    known known;
    table table;
    tile tile;
    bool whole;
} drawn;

static inline void draw_any(drawn *d, uint64_t *seed)
{
    d->tile = (tile){.bits = 8u << test_range(seed, 0, 3)};
    d->text = d->near;
    d->whole = true;
    if (test_range(seed, 0, 2)) near_member(seed, d->near, &d->table, &d->tile);
    else {
        draw_known(seed, &d->known);
        d->whole = table_of(&d->table, &d->known);
        tile_of(&d->tile, &d->known);
        d->text = d->known.text;
    }
}

static inline uint64_t cases(void) { return test_cases(CASES); }

#endif
