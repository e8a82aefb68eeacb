/* SPDX-License-Identifier: Apache-2.0 */
/* All copies by tiled maps that bring part of a small tile and nothing wrong, found by trying every start, row,
 * length and step, and the fewest of them that bring all of it.  Shares nothing with src/synth: a request is
 * read by zlay_layout_eval alone.  A *place* is 16 bytes of shared memory. */
#ifndef TEST_BRUTE_TILE_H
#define TEST_BRUTE_TILE_H

#include "tiles/tensormap_synth.h"

enum { PLACES = 32, BYTES = 16 * PLACES, TILES = 27, LEVELS = 5, FOUND = 4096, STEPS = 30000, MODES = 3, NEVER = 1 << 30 };

typedef struct brute {
    const zlay_tensormap_request *r;
    int places, tiles, element, modes;
    uint64_t tile[TILES][ZLAY_TILE_AXES];
    int64_t way[MODES];               /* bytes to the next tile */
    uint64_t count[MODES];
    int64_t at[BYTES];                /* byte of memory in tile 0, as if the tensor had no edges; NEVER: of no cell */
    bool ever[BYTES], in[TILES][BYTES]; /* in some tile; in this tile inside the tensor */
    int64_t low, high;                /* the first and the last byte of the tensor, rounded out to whole 16 */
    int64_t reach;                    /* of the tile, in 16 bytes */
    uint32_t all;                     /* places that the tile has */
    int start, swizzle, row, pitch, levels, steps;
    int64_t base, stride[LEVELS];
    int extent[LEVELS], unit[LEVELS];
    bool cut;                         /* not all was tried */
    int found;
    uint32_t mask[FOUND];
    int written[FOUND];
} brute;

/* ---- the tile ------------------------------------------------------------------------------- */

static inline int place_of(const brute *b, int i)
{
    static const int mask[] = {0, 1, 3, 7};
    int at = b->start + i;
    return at ^ (at / 8 & mask[b->swizzle]);
}

/* The source is one stride a mode: what a cell of a tile is, and whether the tensor has it. */
static inline bool brute_read(brute *b, const zlay_layout *smem, const int64_t *stride, const uint64_t *box)
{
    uint64_t cells = 1;
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (int k = 0; k < b->modes; k++) cells *= b->r->shape[k];
    for (int i = 0; i < BYTES; i++) b->at[i] = NEVER;
    for (uint64_t c = 0; c < cells; c++) {
        int64_t to, from = 0;
        uint64_t rest = c, pos[MODES];
        assert_int_equal(zlay_layout_eval(&to, 1, smem, c), ZLAY_OK);
        if ((to + 1) * b->element > BYTES) return false;
        for (int k = 0; k < b->modes; k++) {
            pos[k] = rest % b->r->shape[k];
            from += (int64_t)pos[k] * stride[k] * b->element;
            rest /= b->r->shape[k];
        }
        if (from < least) least = from;
        if (from > most) most = from;
        for (int i = 0; i < b->element; i++) {
            int64_t byte = to * b->element + i;
            b->at[byte] = from + i;
            for (int t = 0; t < b->tiles; t++) {
                bool in = true;
                for (int k = 0; k < b->modes; k++) in = in && b->tile[t][k] * b->r->shape[k] + pos[k] < box[k];
                b->in[t][byte] = in;
                b->ever[byte] |= in;
            }
            b->all |= 1u << byte / 16;
        }
    }
    b->reach = (most - least) / 16 + 1;
    b->places = PLACES;
    while (b->places > 8 && !(b->all >> (b->places - 8))) b->places -= 8;
    return least == 0;
}

/* ---- one copy ------------------------------------------------------------------------------- */

/* Where a position of a box reads in tile 0. */
static inline int64_t source_of(const brute *b, int i, int index[LEVELS])
{
    int64_t at = b->base;
    for (int l = b->levels - 1; l > 0; l--) {
        index[l] = i / b->unit[l];
        i %= b->unit[l];
        at += index[l] * b->stride[l];
    }
    index[0] = i;
    return at + 16 * i;
}

static inline int length_of(const brute *b)
{
    int last = b->levels - 1;
    return last ? b->unit[last] * b->extent[last] : b->row;
}

/* Bytes inside the map of a tile are a product of intervals of its coordinates; each mode moves one of them. */
static inline bool bounds_hold(brute *b, const int *carrier)
{
    int64_t low[LEVELS], high[LEVELS], steps[LEVELS][MODES] = {{0}};
    int index[LEVELS];
    for (int l = 0; l < LEVELS; l++) low[l] = INT64_MAX, high[l] = INT64_MIN;
    b->steps += b->tiles * length_of(b);
    for (int k = 0; k < b->modes; k++)
        if (carrier[k] >= 0 && carrier[k] < b->levels)
            steps[carrier[k]][k] = b->way[k] / (carrier[k] ? b->stride[carrier[k]] : 1);
    for (int pass = 0; pass < 2; pass++)
        for (int t = 0; t < b->tiles; t++)
            for (int i = 0; i < length_of(b); i++) {
                int to = place_of(b, i);
                if (i % b->pitch >= b->row || to >= PLACES) continue;
                int64_t from = source_of(b, i, index), move = 0;
                for (int k = 0; k < b->modes; k++) move += (int64_t)b->tile[t][k] * b->way[k];
                for (int byte = 0; byte < 16; byte++) {
                    int at = 16 * to + byte;
                    bool inside = true, cell = b->at[at] != NEVER;
                    if (!pass && !(cell && b->in[t][at])) continue;
                    for (int l = 0; l < b->levels; l++) {
                        int64_t x = l ? index[l] : 16 * index[0] + byte;
                        for (int k = 0; k < b->modes; k++) x += steps[l][k] * (int64_t)b->tile[t][k];
                        if (!pass && x < low[l]) low[l] = x;
                        if (!pass && x > high[l]) high[l] = x;
                        inside = inside && x >= low[l] && x <= high[l];
                    }
                    if (pass && inside && (from + byte + move < b->low || from + byte + move > b->high)) return false;
                    if (pass && inside && cell && !b->in[t][at] && b->r->edge != ZLAY_EDGE_WEAK) return false;
                }
            }
    return true;
}

/* Some choice of the dimension that each mode moves; one of its own where the rank allows. */
static inline bool moves(brute *b)
{
    int carrier[MODES] = {0}, own = LEVELS;
    for (int c = 0; c < (own + 1) * (own + 1) * (own + 1); c++) {
        int rest = c, added = 0;
        bool right = true;
        for (int k = 0; k < MODES; k++, rest /= own + 1) {
            carrier[k] = rest % (own + 1);
            if (k >= b->modes || b->count[k] == 1) {
                right = right && !carrier[k];
                carrier[k] = -1;
            } else if (carrier[k] == own) {
                added++;
            } else {
                int64_t stride = carrier[k] ? b->stride[carrier[k]] : 16;
                right = right && carrier[k] < b->levels && stride && b->way[k] % stride == 0;
            }
        }
        if (b->steps > STEPS) return b->cut = true, false;
        if (right && added + b->levels <= LEVELS && bounds_hold(b, carrier)) return true;
    }
    return false;
}

static inline void keep(brute *b)
{
    uint32_t mask = 0;
    int written = 0;
    for (int i = 0; i < length_of(b); i++) {
        if (i % b->pitch >= b->row) continue;
        written++;
        if (place_of(b, i) < PLACES) mask |= 1u << place_of(b, i);
    }
    mask &= b->all;
    if (!mask) return;
    for (int i = 0; i < b->found; i++)
        if (b->mask[i] == mask && b->written[i] <= written) return;
    if (!moves(b)) return;
    if (b->found == FOUND) b->cut = true;
    else b->mask[b->found] = mask, b->written[b->found++] = written;
}

/* What positions write is what the cells there want. */
static inline bool right(brute *b, int from, int end)
{
    int index[LEVELS];
    for (int i = from; i < end; i++) {
        int to = place_of(b, i);
        if (++b->steps > STEPS) return b->cut = true, false;
        if (i % b->pitch >= b->row || to >= PLACES) continue;
        int64_t at = source_of(b, i, index);
        for (int byte = 0; byte < 16; byte++)
            if (b->ever[16 * to + byte] && b->at[16 * to + byte] != at + byte) return false;
    }
    return true;
}

static inline void longer(brute *b)
{
    int level = b->levels++;
    b->unit[level] = level == 1 ? b->pitch : b->unit[level - 1] * b->extent[level - 1];
    for (int64_t s = 0; s <= b->reach; s++)
        for (int n = 2; b->start + n * b->unit[level] <= b->places + b->pitch - 1; n++) {
            b->stride[level] = 16 * s;
            b->extent[level] = n;
            if (!right(b, (n - 1) * b->unit[level], n * b->unit[level])) break;
            keep(b);
            if (level + 1 < LEVELS) longer(b);
        }
    b->levels = level;
}

/* All copies. */
static inline void brute_find(brute *b)
{
    for (b->start = 0; b->start < b->places; b->start += 8)
        for (b->swizzle = 0; b->swizzle < 4; b->swizzle++) {
            int most = b->swizzle ? 1 << b->swizzle : b->places - b->start;
            for (b->row = 1; b->row <= most && 16 * b->row <= 256 * b->element; b->row++)
                for (int64_t from = -2; from <= b->reach; from++) {
                    b->pitch = b->swizzle ? most : b->row;
                    b->base = 16 * from;
                    b->levels = 1;
                    if (!right(b, 0, b->row)) continue;
                    keep(b);
                    longer(b);
                }
        }
}

/* The fewest that bring all, at most `most`, and the bytes of those; 0: none do. */
static inline int brute_fewest(const brute *b, int most, int *bytes)
{
    enum { SETS = 400 };
    static uint32_t set[2][SETS];
    static int cost[2][SETS];
    int count = 1;
    set[0][0] = 0;
    cost[0][0] = 0;
    for (int n = 1; n <= most; n++) {
        int next = 0, best = -1;
        for (int i = 0; i < count; i++) {
            uint32_t left = b->all & ~set[(n + 1) % 2][i], first = left & (0u - left);
            for (int k = 0; k < b->found; k++) {
                if (!(b->mask[k] & first)) continue;
                uint32_t to = set[(n + 1) % 2][i] | b->mask[k];
                int sum = cost[(n + 1) % 2][i] + 16 * b->written[k], j = 0;
                if (to == b->all && (best < 0 || sum < best)) best = sum;
                while (j < next && set[n % 2][j] != to) j++;
                if (j == SETS) return -1;
                if (j == next) set[n % 2][next] = to, cost[n % 2][next++] = sum;
                else if (sum < cost[n % 2][j]) cost[n % 2][j] = sum;
            }
        }
        if (best >= 0) return *bytes = best, n;
        count = next;
    }
    return 0;
}

#endif
