/* SPDX-License-Identifier: Apache-2.0 */
/* What one tensor copy can do, for the search of least.h: sets of places, the rows that a box writes, and
 * the maps with the fewest dimensions that have them. */
#ifndef TEST_LEAST_MAPS_H
#define TEST_LEAST_MAPS_H

#include "legality.h"

#include <stdbool.h>
#include <string.h>
#include <zlay/copy.h>
#include <zlay/tensormap.h>

enum {
    PLACES = 256,
    NOWHERE = -1,
    LINE = 8,         /* places of 128 bytes, at which every copy starts */
    ROW_MODES = 5,    /* the inner run and four dimensions more */
    WALK_LEVELS = 4,  /* W, H, D and the images */
    INNER_MOST = 128, /* 256 elements of 8 bytes */
    KINDS = 4096,
    KINDS_EACH = 24,
    CANDIDATES = 8192,
    NODES = 300000,
    WITHOUT_COLUMNS = 1,
    WITHOUT_SLICES = 2
};

typedef struct wanted {
    int places;
    int64_t from[PLACES]; /* NOWHERE: the tile has nothing there, and no copy may write it */
} wanted;

typedef struct places {
    uint64_t word[PLACES / 64];
} places;

/* A source whose 8 bytes change places where it is wanted. */
#define FLIPPED ((int64_t)1 << 40)

/* What copies of one map have in common. */
typedef struct kind {
    int columns, swizzle, span, inner, modes, rows;
    int32_t type;
    int64_t from; /* its first source */
    int64_t count[ROW_MODES], stride[ROW_MODES];
    int64_t skip[ROW_MODES]; /* of columns: where the first line begins */
    int rank;
} kind;

/* How a candidate comes to be of a kind. */
typedef struct reading {
    int kind, columns, start, swizzle, inner, span, rows;
} reading;

typedef struct candidate {
    places where;
    int size, kinds;
    reading kind[KINDS_EACH];
} candidate;

typedef struct least {
    bool exists, whole; /* whole: maps and rank are the least as well */
    int issues, bytes, maps, rank;
} least;

typedef struct search {
    const zlay_target *target;
    const wanted *want;
    uint32_t align; /* bytes that source 0 lies on */
    int32_t type;   /* of 16 values in 16 bytes, with gaps; 0: whole bytes */
    int swizzles;   /* the last that is tried; 0: 3 */
    bool store;
    kind kinds[KINDS];
    candidate candidates[CANDIDATES];
    int kind_count, candidate_count, most, nodes;
    bool full;
    places all;
    int without; /* WITHOUT_* */
    int chosen[64];
    least best;
    reading used[64]; /* the copies of the best */
} search;

/* ---- sets ------------------------------------------------------------------------------ */

static inline void place_add(places *p, int i) { p->word[i / 64] |= (uint64_t)1 << i % 64; }

static inline bool place_in(const places *p, int i) { return p->word[i / 64] >> i % 64 & 1; }

static inline int place_first(const places *of, const places *without)
{
    for (int w = 0; w < PLACES / 64; w++) {
        uint64_t left = of->word[w] & ~without->word[w];
        if (left) return 64 * w + __builtin_ctzll(left);
    }
    return -1;
}

static inline places place_join(places a, const places *b)
{
    for (int w = 0; w < PLACES / 64; w++) a.word[w] |= b->word[w];
    return a;
}

static inline bool place_meet(const places *a, const places *b)
{
    for (int w = 0; w < PLACES / 64; w++)
        if (a->word[w] & b->word[w]) return true;
    return false;
}

static inline int place_count(const places *a)
{
    int n = 0;
    for (int w = 0; w < PLACES / 64; w++) n += __builtin_popcountll(a->word[w]);
    return n;
}

/* PTX ISA 9.1, 5.5.7: chunks of a line are XORed with bits of its number. */
static inline int flip_of(int swizzle, int line)
{
    static const int mask[] = {0, 1, 3, 7, 3, 3, 1}, shift[] = {0, 0, 0, 0, 1, 1, 2};
    return (line & mask[swizzle]) << shift[swizzle];
}

static inline int span_of(int swizzle) { return swizzle > 3 ? 8 : 1 << swizzle; }

/* Bytes of memory of a source. */
static inline int64_t source_bytes(const search *s)
{
    return s->type ? 2 * (int64_t)zlay_tensormap_type_bits(s->type) : 16;
}

/* ---- rows that follow each other ------------------------------------------------------- */

static inline int line_length(const int64_t *row, int rows)
{
    int n = rows > 1 ? 2 : 1;
    while (n < rows && row[n] - row[n - 1] == row[1] - row[0]) n++;
    return n;
}

/* The modes of rows that a box walks, coarsest; false: it walks none such. */
static inline bool rows_box(kind *k, const int64_t *row, int rows)
{
    int64_t first[PLACES];
    memcpy(first, row, (size_t)rows * sizeof *row);
    for (k->modes = 0; rows > 1; k->modes++) {
        int n = line_length(first, rows);
        int64_t stride = first[1] - first[0];
        if (k->modes == ROW_MODES || stride < 0 || rows % n) return false;
        for (int i = 0; i < rows; i++)
            if (first[i] != first[i - i % n] + i % n * stride) return false;
        k->count[k->modes] = n;
        k->stride[k->modes] = stride;
        for (int i = 0; i < rows / n; i++) first[i] = first[i * n];
        rows /= n;
    }
    return true;
}

/* One level of a walk of pixels: lines of `length`, the first one begun in its midst. */
static inline bool lines_of(int64_t *start, int *lines, const int64_t *row, int rows, int first,
                            int length, int64_t stride)
{
    *lines = 0;
    for (int i = 0; i < rows;) {
        int n = i ? length : first, skip = i ? 0 : length - first;
        start[*lines] = row[i] - skip * stride;
        for (int j = 0; j < n && i + j < rows; j++)
            if (row[i + j] != row[i] + j * stride) return false;
        i += n;
        ++*lines;
    }
    return true;
}

/* Rows from one to the next, in the first line or else the second. */
static inline int64_t stride_of(const int64_t *row, int rows, int first)
{
    if (first > 1) return row[1] - row[0];
    return first + 1 < rows ? row[first + 1] - row[first] : 0;
}

/* How much longer a line must be for the second one, which begins at its start, not to lie below it. */
static inline int far_of(const int64_t *row, int rows, int first)
{
    int64_t stride = stride_of(row, rows, first), down = row[0] - row[first];
    return stride > 0 && down > 0 && down / stride < PLACES ? (int)(down / stride) + 1 : 0;
}

/* The bounding box of pixels that im2col mode walks, with what follows their lines. */
static inline bool rows_columns(kind *k, const int64_t *row, int rows, int level)
{
    int64_t start[PLACES];
    int first = line_length(row, rows), lines;
    k->modes = level;
    if (first == rows) {
        k->count[level] = k->skip[level] = 0;
        k->stride[level] = rows > 1 ? row[1] - row[0] : 0;
        k->modes = level + 1;
        return k->stride[level] >= 0;
    }
    for (int f = first; level + 1 < WALK_LEVELS && f > 0; f = f == first && f > 1 ? 1 : 0)
        for (int length = rows + far_of(row, rows, f); length >= f; length--) {
            int64_t stride = stride_of(row, rows, f);
            if (stride < 0 || !lines_of(start, &lines, row, rows, f, length, stride)) continue;
            k->count[level] = length;
            k->stride[level] = stride;
            k->skip[level] = length - f;
            if (rows_columns(k, start, lines, level + 1)) return true;
        }
    return false;
}

/* ---- maps --------------------------------------------------------------------------------- */

static inline zlay_tensormap map_blank(const search *s, const kind *k, uint32_t rank)
{
    zlay_tensormap m;
    memset(&m, 0, sizeof m);
    m.address = (1 << 20) + (uint64_t)(k->from * source_bytes(s)) % 4096;
    m.rank = rank;
    m.type = s->type ? s->type : ZLAY_TYPE_U64;
    m.swizzle = k->swizzle;
    for (uint32_t i = 0; i < rank; i++) m.extent[i] = 1u << 20, m.box[i] = m.step[i] = 1;
    return m;
}

static inline bool map_legal(const search *s, const zlay_tensormap *m)
{
    zlay_verdict v;
    zlay_issue issue;
    memset(&issue, 0, sizeof issue);
    issue.kind = s->store ? ZLAY_COPY_TENSOR_STORE : ZLAY_COPY_TENSOR_LOAD;
    issue.mode = !m->mode ? ZLAY_COPY_TILE : s->store ? ZLAY_COPY_IM2COL_NO_OFFS : ZLAY_COPY_IM2COL;
    issue.rank = m->rank;
    issue.space = s->store ? ZLAY_SPACE_CTA : ZLAY_SPACE_CLUSTER;
    assert_int_equal(zlay_tensormap_check(&v, NULL, 0, s->target, m), ZLAY_OK);
    if (v.answer != ZLAY_YES) return false;
    assert_int_equal(zlay_copy_check(&v, NULL, 0, s->target, &issue, m), ZLAY_OK);
    return v.answer == ZLAY_YES;
}

/* Rank of a plain map, 0 where there is none: an inner run, which takes in what is contiguous. */
static inline int rank_plain(zlay_tensormap *out, const search *s, const kind *k)
{
    int at = 0, inner = k->inner;
    if (k->span == k->inner && !k->swizzle && k->modes && k->stride[0] == inner &&
        inner * k->count[0] <= INNER_MOST && !s->type)
        inner *= (int)k->count[at++];
    uint32_t rank = (uint32_t)(1 + k->modes - at);
    if (rank > 5 || inner > INNER_MOST) return 0;
    zlay_tensormap m = map_blank(s, k, rank);
    m.box[0] = (s->type ? 16 : 2) * (uint32_t)inner;
    for (uint32_t i = 1; i < rank; i++, at++) {
        m.stride[i - 1] = (uint64_t)(source_bytes(s) * k->stride[at]);
        m.box[i] = (uint32_t)k->count[at];
    }
    *out = m;
    return map_legal(s, &m) ? (int)rank : 0;
}

/* Slices of 16 or 32 bytes: dimension 0 strides over them by whole ones, the last but one not at all. */
static inline int rank_slices_of(zlay_tensormap *out, const search *s, const kind *k, int steps)
{
    int slice = k->inner, left = k->modes - steps;
    uint32_t rank = left < 1 ? 3 : (uint32_t)left + 2, box = 2 * (uint32_t)slice, step = 1;
    if (rank > 5) return 0;
    zlay_tensormap m = map_blank(s, k, rank);
    m.interleave = slice;
    if (steps) {
        step = (uint32_t)(k->stride[0] / slice);
        box = (uint32_t)k->count[0] * step;
        if (!k->stride[0] || k->stride[0] % slice) return 0;
        if (box % 2 && step > 1) box--;
        if (box % 2) return 0; /* TMAP_BOX0_16_INTERLEAVED, on later targets too */
    } else step = box;
    m.box[0] = box;
    m.step[0] = step;
    for (uint32_t i = 1; i < rank; i++) {
        uint32_t to = i + 2 < rank ? i : i + 2 == rank ? 0 : rank - 1;
        if (!to) continue;
        uint32_t mode = (uint32_t)steps + (to == rank - 1 ? rank - 3 : to - 1);
        if (mode < (uint32_t)k->modes) {
            m.stride[to - 1] = 16 * (uint64_t)k->stride[mode];
            m.box[to] = (uint32_t)k->count[mode];
        }
        if (m.stride[to - 1] % (16 * (uint64_t)slice)) return 0;
    }
    *out = m;
    return map_legal(s, &m) ? (int)rank : 0;
}

static inline int rank_slices(zlay_tensormap *out, const search *s, const kind *k, int64_t from)
{
    zlay_tensormap strided, plain;
    if (k->span != k->inner || k->inner > 2 || s->without & WITHOUT_SLICES || s->type) return 0;
    if (k->inner == 2 && (s->align % 32 || from % 2)) return 0;
    int a = k->modes ? rank_slices_of(&strided, s, k, 1) : 0;
    int b = rank_slices_of(&plain, s, k, 0);
    bool first = a && (!b || a < b);
    if (a || b) *out = first ? strided : plain;
    return first ? a : b;
}

static inline int rank_columns(zlay_tensormap *out, const search *s, const kind *k)
{
    uint32_t rank = k->modes < 2 ? 3 : (uint32_t)k->modes + 1;
    if (k->inner > INNER_MOST) return 0;
    zlay_tensormap m = map_blank(s, k, rank);
    m.mode = 1;
    m.box[0] = m.box[1] = m.box[2] = m.box[3] = m.box[4] = 0;
    m.channels = (s->type ? 16 : 2) * (uint32_t)k->inner;
    m.pixels = (uint32_t)k->rows;
    for (int i = 0; i < k->modes; i++) {
        m.stride[i] = (uint64_t)(source_bytes(s) * k->stride[i]);
        if (k->count[i]) m.extent[i + 1] = (uint64_t)k->count[i];
    }
    *out = m;
    return map_legal(s, &m) ? (int)rank : 0;
}

#endif
