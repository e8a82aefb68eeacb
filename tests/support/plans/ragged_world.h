/* SPDX-License-Identifier: Apache-2.0 */
/* Small ragged tensors, tiles of their groups, and what a copy of one has to leave, cell by cell, from the request alone. */
#ifndef TEST_RAGGED_WORLD_H
#define TEST_RAGGED_WORLD_H

#include "test.h"

#include <stdbool.h>
#include <string.h>
#include <zlay/zlay.h>

enum { RAGGED_MEMORY = 1 << 17, RAGGED_SMEM = 1 << 16, RAGGED_RANK = 6, RAGGED_ROOM = 4096, RAGGED_TILE = 1 << 13 };

typedef struct ragged_world {
    zlay_ctx *ctx;
    zlay_ragged_map_request r;
    zlay_ragged_map ragged;
    uint64_t front, bytes; /* of memory before the tensor, and in all */
    uint32_t element;
    uint8_t *memory, *want, smem[RAGGED_SMEM];
    unsigned made, none, moved, refused;
} ragged_world;

static inline uint64_t ragged_stride(const ragged_world *w, uint32_t i) { return i ? w->r.stride[i - 1] : w->element; }
static inline uint32_t ragged_per_16(const ragged_world *w) { return 16 / w->element; }

/* ---- tensors -------------------------------------------------------------------------------------------------------------- */

static inline uint64_t ragged_address(uint64_t *s)
{
    if (test_range(s, 0, 2)) return 16 * (uint64_t)test_range(s, 1 << 14, 1 << 20);
    return ((uint64_t)1 << 57) - 16 * (uint64_t)test_range(s, RAGGED_MEMORY / 16, RAGGED_MEMORY);
}

static inline uint64_t ragged_smem(const ragged_world *w)
{
    uint64_t bytes = w->r.swizzle ? 16u << w->r.swizzle : w->element * w->r.box[0];
    for (uint32_t i = 1; i < w->r.rank; i++) bytes *= w->r.box[i];
    return bytes;
}

static inline void ragged_sizes(uint64_t *s, ragged_world *w)
{
    zlay_ragged_map_request *r = &w->r;
    uint64_t at = w->element;
    for (uint32_t i = 0; i < r->rank; i++) {
        bool ragged = i == r->dim;
        uint64_t unit = !i ? ragged_per_16(w) : 1;
        r->extent[i] = (uint64_t)test_range(s, 1, ragged ? 14 : 3) * unit;
        if (!i && !test_range(s, 0, 2)) r->extent[i] = (uint64_t)test_range(s, 1, 40);
        r->box[i] = (uint32_t)((uint64_t)test_range(s, 1, ragged ? 6 : 3) * unit);
        if (i && !ragged && test_range(s, 0, 1)) r->box[i] = 1;
        at = at * r->extent[i] + 15;
        at = at / 16 * 16 + 16 * (uint64_t)(test_range(s, 0, 1) ? 0 : test_range(s, 0, 3));
        if (i + 1 < r->rank) r->stride[i] = at;
    }
    w->bytes = at;
}

static inline void ragged_draw(uint64_t *s, ragged_world *w)
{
    static const int32_t types[] = {ZLAY_TYPE_U8, ZLAY_TYPE_BF16, ZLAY_TYPE_F32, ZLAY_TYPE_F64};
    zlay_ragged_map_request *r = &w->r;
    do {
        int kind = (int)test_range(s, 0, 3);
        *r = (zlay_ragged_map_request){.size = sizeof *r, .rank = (uint32_t)test_range(s, 1, RAGGED_RANK), .type = types[kind]};
        w->element = 1u << kind;
        r->dim = (uint32_t)test_range(s, 0, r->rank - 1);
        r->copies = (uint32_t)test_range(s, 1, 3);
        r->base = (int32_t)test_range(s, 0, 2);
        r->address = ragged_address(s);
        ragged_sizes(s, w);
        for (r->swizzle = (int32_t)test_range(s, 0, 3); r->swizzle && (16u << r->swizzle) < w->element * r->box[0];) r->swizzle--;
    } while (w->bytes > RAGGED_MEMORY / 2 || ragged_smem(w) > RAGGED_TILE);
}

/* What five dimensions and 16 bytes forbid. */
static inline bool ragged_none(const ragged_world *w)
{
    const zlay_ragged_map_request *r = &w->r;
    uint32_t shared = 0, all = r->rank + (r->base == ZLAY_RAGGED_SHIFT ? 1 : 2);
    if (r->base == ZLAY_RAGGED_ANY && r->copies == ZLAY_RAGGED_STORE) all = r->rank + 1;
    for (uint32_t i = 1; i < r->rank; i++) shared += i != r->dim && r->box[i] == 1;
    if (all > 5 && all - 5 > shared) return true;
    if (!r->dim) return r->extent[0] % ragged_per_16(w) || r->box[0] % ragged_per_16(w);
    return r->copies & ZLAY_RAGGED_STORE && r->extent[0] * w->element % 16;
}

/* ---- cells ---------------------------------------------------------------------------------------------------------------- */

/* The n-th cell of the tile: its index in it, and its byte of shared memory, `skip` later. */
static inline uint32_t ragged_cell(const ragged_world *w, uint32_t n, uint32_t *index, uint32_t base)
{
    uint64_t pitch = w->element, at = base;
    for (uint32_t i = 0; i < w->r.rank; i++) {
        index[i] = n % w->r.box[i];
        n /= w->r.box[i];
        at += index[i] * pitch;
        pitch = i || !w->r.swizzle ? pitch * w->r.box[i] : 16u << w->r.swizzle;
    }
    return (uint32_t)(at ^ (at >> 7 & ((1u << w->r.swizzle) - 1)) << 4);
}

/* Where the tensor has the cell; false: the group has none. */
static inline bool ragged_inside(const ragged_world *w, const zlay_ragged_tile *t, const uint32_t *index, uint64_t *at)
{
    *at = w->front;
    for (uint32_t i = 0; i < w->r.rank; i++) {
        int64_t c = t->at[i] + index[i];
        if (c < 0 || (uint64_t)c >= (i == w->r.dim ? t->length : w->r.extent[i])) return false;
        *at += ((uint64_t)c + (i == w->r.dim ? t->offset : 0)) * ragged_stride(w, i);
    }
    return true;
}

static inline uint32_t ragged_cells(const ragged_world *w)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < w->r.rank; i++) n *= w->r.box[i];
    return n;
}

/* Whether shared memory has the tile. */
static inline bool ragged_check_load(const ragged_world *w, const zlay_ragged_tile *t)
{
    static const uint8_t zero[8];
    uint32_t index[RAGGED_RANK];
    uint64_t at;
    for (uint32_t n = 0; n < ragged_cells(w); n++) {
        uint32_t place = ragged_cell(w, n, index, RAGGED_ROOM);
        const uint8_t *want = ragged_inside(w, t, index, &at) ? w->memory + at : zero;
        if (memcmp(w->smem + place, want, w->element)) return false;
    }
    return true;
}

/* What memory has to be after a store. */
static inline void ragged_expect_store(ragged_world *w, const zlay_ragged_tile *t)
{
    uint32_t index[RAGGED_RANK];
    uint64_t at;
    memcpy(w->want, w->memory, w->bytes);
    for (uint32_t n = 0; n < ragged_cells(w); n++) {
        uint32_t place = ragged_cell(w, n, index, RAGGED_ROOM);
        if (ragged_inside(w, t, index, &at)) memcpy(w->want + at, w->smem + place, w->element);
    }
}

static inline uint64_t ragged_pitch(const ragged_world *w)
{
    uint64_t pitch = w->element;
    for (uint32_t i = 0; i < w->r.dim; i++) pitch = i || !w->r.swizzle ? pitch * w->r.box[i] : 16u << w->r.swizzle;
    return pitch;
}

/* Whether no copy can be right: a load that both ends cut, a store off its place. */
static inline bool ragged_at_none(const ragged_world *w, const zlay_ragged_tile *t)
{
    int64_t row = t->at[w->r.dim], box = w->r.box[w->r.dim], end = row + box < (int64_t)t->length ? row + box : (int64_t)t->length;
    if (row >= 0 || end <= 0) return false;
    if (t->copy == ZLAY_RAGGED_LOAD) return end < row + box;
    return (uint64_t)-row * ragged_pitch(w) % (w->r.swizzle ? 128u << w->r.swizzle : 128) != 0;
}

static inline void ragged_tile_draw(uint64_t *s, ragged_world *w, zlay_ragged_tile *t)
{
    uint32_t copies = w->r.copies, dim = w->r.dim, unit = dim ? 1 : ragged_per_16(w);
    uint64_t total = w->r.extent[dim] / unit, from = (uint64_t)test_range(s, 0, (int64_t)total);
    *t = (zlay_ragged_tile){.copy = copies == 3 ? (uint32_t)test_range(s, 1, 2) : copies};
    t->offset = from * unit;
    t->length = (uint64_t)test_range(s, 0, (int64_t)(total - from)) * unit;
    for (uint32_t i = 0; i < w->r.rank; i++) {
        bool shared = i && i != dim && w->ragged.place[i] == w->ragged.offset;
        int64_t step = !i ? (int64_t)ragged_per_16(w) : 1, low = t->copy == ZLAY_RAGGED_LOAD ? -2 : 0;
        t->at[i] = shared ? test_range(s, 0, (int64_t)w->r.extent[i] - 1) : test_range(s, low, (int64_t)w->r.extent[i] / step + 1) * step;
    }
    int64_t box = w->r.box[dim] / unit, length = (int64_t)t->length / unit;
    t->at[dim] = test_range(s, -box - 1, length + 1) * unit;
    if (!test_range(s, 0, 2)) t->at[dim] = test_range(s, 0, length) * unit;
}

#endif
