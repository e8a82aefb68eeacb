/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of zlay_copy_synth share: a plain reading of a move, access by access. */
#ifndef TEST_COPY_SYNTH_H
#define TEST_COPY_SYNTH_H

#include "ctx.h"
#include "layouts/layout.h"

#include <zlay/bank.h>
#include <zlay/copy_synth.h>
#include <zlay/move.h>

enum {
    BLOCK_MOST = 4096, /* elements that a thread holds at once */
    DIGITS_MOST = 80,
    DIMS_MOST = 32,
    WARP_MOST = 64
};

/* One part, read through the accessors. */
typedef struct seen_part {
    zlay_move_part part;
    zlay_move_mode mode[DIMS_MOST];
    zlay_move_digit digit[DIGITS_MOST];
    uint64_t values;
    uint32_t number;
} seen_part;

static inline seen_part part_of(const zlay_move *move, uint32_t i)
{
    seen_part p = {.values = 1, .number = i};
    assert_int_equal(zlay_move_part_nth(&p.part, move, i), ZLAY_OK);
    assert_true(p.part.modes <= DIMS_MOST && p.part.digits <= DIGITS_MOST);
    for (uint32_t k = 0; k < p.part.modes; k++)
        assert_int_equal(zlay_move_mode_nth(&p.mode[k], move, i, k), ZLAY_OK);
    for (uint32_t k = 0; k < p.part.digits; k++) {
        assert_int_equal(zlay_move_digit_nth(&p.digit[k], move, i, k), ZLAY_OK);
        assert_true(!k || p.digit[k].level >= p.digit[k - 1].level);
        if (p.digit[k].level == ZLAY_DIGIT_VALUE) p.values *= p.digit[k].extent;
    }
    assert_int_equal(zlay_move_mode_nth(&p.mode[0], move, i, p.part.modes), ZLAY_NONE);
    assert_int_equal(zlay_move_digit_nth(&p.digit[0], move, i, p.part.digits), ZLAY_NONE);
    return p;
}

static inline int64_t swizzle_by(zlay_move_swizzle s, int64_t v)
{
    int64_t out = v;
    for (int b = 0; b < s.bits; b++) {
        int from = s.base + b + (s.shift > 0 ? s.shift : 0);
        int to = s.base + b - (s.shift < 0 ? s.shift : 0);
        out ^= (v >> from & 1) << to;
    }
    return out;
}

/* Where the point that a layout names lies on both sides; false: it names none. */
static inline bool point_of(const zlay_move *move, const seen_part *p,
                            const zlay_layout *const of[2], uint64_t v, uint64_t t, uint64_t a,
                            int64_t at[2])
{
    int64_t index;
    uint64_t place = v + p->values * (t + p->part.threads * a);
    zlay_status status = zlay_layout_eval(&index, 1, zlay_move_threads(move, p->number), place);
    assert_true(status == ZLAY_OK || status == ZLAY_NONE);
    for (int s = 0; s < 2 && !status; s++)
        assert_int_equal(zlay_layout_eval(&at[s], 1, of[s], (uint64_t)index), ZLAY_OK);
    return !status;
}

/* Where value v of access a of thread t lies on both sides, before the swizzle; false: outside. */
static inline bool place_of(const seen_part *p, uint64_t v, uint64_t t, uint64_t a, int64_t at[2])
{
    uint64_t left[] = {0, v, t, a}, c[DIMS_MOST] = {0};
    for (uint32_t i = 0; i < p->part.digits; i++) {
        const zlay_move_digit *d = &p->digit[i];
        c[d->mode] += left[d->level] % d->extent * d->step;
        left[d->level] /= d->extent;
    }
    if (left[1] || left[2] || left[3]) return false;
    at[0] = p->part.source;
    at[1] = p->part.dest;
    for (uint32_t k = 0; k < p->part.modes; k++) {
        if (c[k] >= p->mode[k].extent) return false;
        at[0] = p->part.combine ? at[0] ^ (int64_t)c[k] * p->mode[k].source
                                : at[0] + (int64_t)c[k] * p->mode[k].source;
        at[1] = p->part.combine ? at[1] ^ (int64_t)c[k] * p->mode[k].dest
                                : at[1] + (int64_t)c[k] * p->mode[k].dest;
    }
    return true;
}

/* ---- what accesses are -------------------------------------------------------------- */

typedef struct asked {
    const zlay_target *target;
    uint32_t bits;
    int32_t space[2];
    uint64_t base[2]; /* addresses of offset 0, bytes */
    const zlay_layout *layout[2];
    zlay_ctx *ctx;
    const zlay_facts *facts; /* that give each name a value; NULL: there are no names */
} asked;

/* The loads, or stores, of one block: the first element of each, in the order of the values. */
typedef struct vectors {
    uint64_t count;
    int64_t first[BLOCK_MOST];
} vectors;

static inline uint64_t width_of(const seen_part *p, int side)
{
    return side ? p->part.width : p->part.source_width;
}

static inline bool is_bulk(const seen_part *p)
{
    return p->part.kind == ZLAY_COPY_BULK_LOAD || p->part.kind == ZLAY_COPY_BULK_STORE ||
           p->part.kind == ZLAY_COPY_BULK_PEER;
}

/* Elements of a block as whole accesses, each contiguous and aligned: by sorting them. */
static inline void vectors_of(const asked *q, const seen_part *p, int side, const int64_t *at,
                              vectors *out)
{
    uint64_t width = width_of(p, side), v = width * 8 / q->bits;
    uint64_t align = is_bulk(p) ? 16 : width, full = 0;
    bool shifted = !side && p->part.realign;
    assert_true(v && p->values % v == 0 && p->values <= BLOCK_MOST);
    out->count = 0;
    for (uint64_t i = 0; i < p->values; i++) {
        uint64_t byte = q->base[side] + (uint64_t)at[i] * q->bits / 8;
        bool begins = shifted || is_bulk(p)
                          ? i % v == 0
                          : byte % align == 0 && (uint64_t)at[i] * q->bits % 8 == 0;
        if (!begins) continue;
        assert_true(shifted || byte % align == 0);
        if (shifted) assert_int_equal(byte % p->part.realign, 0);
        for (uint64_t next = 0; next < v; next++) {
            uint64_t j = 0;
            while (j < p->values && at[j] != at[i] + (int64_t)next) j++;
            assert_true(j < p->values);
        }
        out->first[out->count++] = at[i];
        full += v;
    }
    assert_int_equal(full, p->values);
}

#endif
