/* SPDX-License-Identifier: Apache-2.0 */
/* The least tensor copies that bring a tile to given places, by search over what the PTX ISA lets one copy
 * do, without src/synth.  A copy writes whole 16 bytes from 16 bytes: a place is 16 bytes of shared memory,
 * a source 16 bytes of the tensor, and a tile says which source each place wants. */
#ifndef TEST_LEAST_H
#define TEST_LEAST_H

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

/* ---- candidates ------------------------------------------------------------------------------ */

static inline bool kind_same(const kind *a, const kind *b)
{
    return a->columns == b->columns && a->swizzle == b->swizzle && a->span == b->span &&
           a->inner == b->inner && a->modes == b->modes && (!a->columns || a->rows == b->rows) &&
           !memcmp(a->count, b->count, (size_t)a->modes * sizeof *a->count) &&
           !memcmp(a->stride, b->stride, (size_t)a->modes * sizeof *a->stride);
}

static inline int kind_add(search *s, const kind *k)
{
    for (int i = 0; i < s->kind_count; i++)
        if (kind_same(&s->kinds[i], k)) {
            if (k->rank < s->kinds[i].rank) s->kinds[i].rank = k->rank;
            return i;
        }
    if (s->kind_count == KINDS) return s->full = true, 0;
    s->kinds[s->kind_count] = *k;
    return s->kind_count++;
}

static inline void candidate_add(search *s, const places *where, const kind *k, reading how)
{
    int i = 0;
    how.kind = kind_add(s, k);
    while (i < s->candidate_count && memcmp(&s->candidates[i].where, where, sizeof *where)) i++;
    if (i == CANDIDATES) {
        s->full = true;
        return;
    }
    candidate *c = &s->candidates[i];
    if (i == s->candidate_count)
        *c = (candidate){.where = *where, .size = place_count(where)}, s->candidate_count++;
    for (int j = 0; j < c->kinds; j++)
        if (c->kind[j].kind == how.kind) return;
    if (c->kinds == KINDS_EACH) s->full = true;
    else c->kind[c->kinds++] = how;
}

/* Boxes of rows of equal sources are of one kind, however they are read: in runs as long as they come. */
static inline void kind_whole(kind *k)
{
    if (k->swizzle || k->span != k->inner || k->type) return;
    if (k->modes && k->stride[0] == k->inner) {
        k->inner *= (int)k->count[0];
        k->span = k->inner;
        k->modes--;
        memmove(k->count, k->count + 1, sizeof k->count - sizeof *k->count);
        memmove(k->stride, k->stride + 1, sizeof k->stride - sizeof *k->stride);
    }
}

/* A tiled map of rows, plain or of slices; its rank, 0 where there is none. */
static inline int tile_map(zlay_tensormap *out, const search *s, kind *k, const int64_t *row)
{
    zlay_tensormap slices;
    bool spans = !k->swizzle || k->span == span_of(k->swizzle);
    k->type = s->type;
    k->from = row[0];
    if (!rows_box(k, row, k->rows)) return 0;
    int a = spans ? rank_plain(out, s, k) : 0, b = rank_slices(&slices, s, k, row[0]);
    if (!b || (a && a <= b)) return a;
    *out = slices;
    return b;
}

static inline int columns_map(zlay_tensormap *out, const search *s, kind *k, const int64_t *row)
{
    k->columns = 1;
    k->type = s->type;
    k->from = row[0];
    if (k->swizzle && k->span != span_of(k->swizzle)) return 0;
    return rows_columns(k, row, k->rows, 0) ? rank_columns(out, s, k) : 0;
}

static inline void rows_try(search *s, const places *where, const kind *like, const int64_t *row,
                            int start)
{
    zlay_tensormap m;
    kind k = *like;
    reading how = {0, 0, start, k.swizzle, k.inner, k.span, k.rows};
    if (k.swizzle || k.inner == 1 || s->type) {
        k.rank = tile_map(&m, s, &k, row);
        kind_whole(&k);
        if (k.rank) candidate_add(s, where, &k, how);
    }
    if (s->without & WITHOUT_COLUMNS) return;
    k = *like;
    how.columns = 1;
    k.rank = columns_map(&m, s, &k, row);
    if (k.rank) candidate_add(s, where, &k, how);
}

/* One more row of sources that follow each other at places that are wanted. */
static inline bool row_add(places *where, int64_t *row, const search *s, const reading *r)
{
    for (int i = 0; i < r->inner; i++) {
        int line = r->start + r->rows * r->span + i;
        int at = line ^ flip_of(r->swizzle, line / LINE);
        if (line >= PLACES || at >= s->want->places || s->want->from[at] == NOWHERE) return false;
        int64_t from = s->want->from[at] ^ (r->swizzle == 5 && line / LINE % 2 ? FLIPPED : 0);
        if (!i) row[r->rows] = from;
        if (from & FLIPPED || from != row[r->rows] + i) return false;
        place_add(where, at);
    }
    return true;
}

/* Copies from one start of rows of `inner` places that lie `span` apart before swizzling. */
static inline void rows_from(search *s, int start, int swizzle, int inner, int span)
{
    int64_t row[PLACES];
    places where = {{0}};
    kind k = {.swizzle = swizzle, .inner = inner, .span = span};
    for (reading r = {0, 0, start, swizzle, inner, span, 0}; row_add(&where, row, s, &r);) {
        k.rows = ++r.rows;
        rows_try(s, &where, &k, row, start);
    }
}

/* The map and coordinates of a copy; its address counts from source 0. */
static inline void reading_map(zlay_tensormap *out, int32_t coordinate[5], const search *s,
                               const reading *how)
{
    int64_t row[PLACES], from;
    places where = {{0}};
    kind k = {.swizzle = how->swizzle, .inner = how->inner, .span = how->span, .rows = how->rows};
    reading r = *how;
    for (r.rows = 0; r.rows < how->rows; r.rows++) assert_true(row_add(&where, row, s, &r));
    assert_true(how->columns ? columns_map(out, s, &k, row) : tile_map(out, s, &k, row));
    memset(coordinate, 0, 5 * sizeof *coordinate);
    from = row[0];
    for (int i = 0; how->columns && i < k.modes; i++) {
        coordinate[i + 1] = (int32_t)k.skip[i];
        from -= k.skip[i] * k.stride[i];
    }
    out->address = (uint64_t)(source_bytes(s) * from);
}

static inline void candidates_find(search *s)
{
    for (int start = 0; start < s->want->places; start += LINE) {
        for (int inner = 1; inner <= s->want->places - start && inner <= INNER_MOST; inner++)
            rows_from(s, start, 0, inner, inner);
        for (int swizzle = 1; swizzle <= (s->swizzles ? s->swizzles : 3); swizzle++) {
            for (int inner = 1; inner <= span_of(swizzle); inner++)
                rows_from(s, start, swizzle, inner, span_of(swizzle));
            for (int slice = 1; slice <= 2; slice++)
                if (slice < span_of(swizzle)) rows_from(s, start, swizzle, slice, slice);
        }
    }
}

/* ---- free places ---------------------------------------------------------------------------- */

/* Sources that one box brings, none twice: those of one, then one mode more. */
typedef struct brood {
    places where;
    int64_t least;
    kind like;
} brood;

static inline int source_find(const wanted *w, int64_t from)
{
    for (int i = 0; i < w->places; i++)
        if (w->from[i] == from) return i;
    return -1;
}

/* One copy of the set more, `by` further on; false: some of it is not wanted, or there already. */
static inline bool brood_again(places *out, const search *s, const places *of, int64_t by)
{
    places more = {{0}};
    for (int i = 0; i < s->want->places; i++) {
        int at = place_in(of, i) ? source_find(s->want, s->want->from[i] + by) : -1;
        if (place_in(of, i) && at < 0) return false;
        if (at >= 0) place_add(&more, at);
    }
    if (place_meet(out, &more)) return false;
    *out = place_join(*out, &more);
    return true;
}

static inline void brood_keep(search *s, const brood *b)
{
    zlay_tensormap m;
    kind k = b->like;
    k.rank = rank_plain(&m, s, &k);
    kind_whole(&k);
    if (k.rank) candidate_add(s, &b->where, &k, (reading){0});
}

/* Where the caller leaves the places free, any wanted sources may follow each other: `from` lists them. */
static inline void sets_find(search *s)
{
    enum { BROODS = 20000 };
    static brood all[BROODS];
    int count = 0;
    for (int i = 0; i < s->want->places; i++) {
        all[count] = (brood){.least = s->want->from[i], .like = {.inner = 1, .span = 1}};
        place_add(&all[count].where, i);
        brood_keep(s, &all[count++]);
    }
    for (int b = 0; b < count; b++)
        for (int to = 0; to < s->want->places; to++) {
            brood next = all[b];
            kind *k = &next.like;
            int64_t by = s->want->from[to] - next.least, before = k->modes ? k->stride[k->modes - 1] : 0;
            if (by <= before || k->modes == ROW_MODES) continue;
            if (k->modes && by == before * k->count[k->modes - 1]) continue;
            k->stride[k->modes] = by;
            k->modes++;
            for (int n = 2; brood_again(&next.where, s, &all[b].where, (n - 1) * by); n++) {
                k->count[k->modes - 1] = n;
                if (count == BROODS) {
                    s->full = true;
                    return;
                }
                all[count++] = next;
                brood_keep(s, &next);
            }
        }
}

/* ---- covers ------------------------------------------------------------------------------------ */

static inline int distinct(const int *a, int n)
{
    int d = 0;
    for (int i = 0, j; i < n; i++) {
        for (j = 0; j < i && a[j] != a[i];) j++;
        d += j == i;
    }
    return d;
}

/* The fewest maps, then the least rank of the greatest, over the kinds that the chosen copies can be. */
static inline void cover_judge(search *s, int issues, int bytes)
{
    int at[64] = {0}, kinds[64];
    for (;;) {
        int rank = 0;
        for (int i = 0; i < issues; i++) {
            kinds[i] = s->candidates[s->chosen[i]].kind[at[i]].kind;
            if (s->kinds[kinds[i]].rank > rank) rank = s->kinds[kinds[i]].rank;
        }
        int maps = distinct(kinds, issues);
        least *b = &s->best;
        if (!b->exists || bytes < b->bytes ||
            (bytes == b->bytes && (maps < b->maps || (maps == b->maps && rank < b->rank)))) {
            for (int i = 0; i < issues; i++)
                s->used[i] = s->candidates[s->chosen[i]].kind[at[i]];
            *b = (least){.exists = true, .issues = issues, .bytes = bytes, .maps = maps, .rank = rank};
        }
        int i = 0;
        while (i < issues && ++at[i] == s->candidates[s->chosen[i]].kinds) at[i++] = 0;
        if (i == issues || ++s->nodes > NODES) return;
    }
}

/* All covers by `issues` copies. */
static inline void covers(search *s, int issues)
{
    places have[64];
    int at[64], bytes[64], level = 0;
    memset(&have[0], 0, sizeof have[0]);
    at[0] = -1;
    bytes[0] = 0;
    while (level >= 0 && s->nodes <= NODES) {
        int first = place_first(&s->all, &have[level]);
        if (first < 0 || level == issues) {
            if (first < 0 && level == issues) cover_judge(s, issues, bytes[level]);
            level--;
            continue;
        }
        int left = place_count(&s->all) - place_count(&have[level]), i = at[level] + 1;
        while (i < s->candidate_count &&
               (!place_in(&s->candidates[i].where, first) ||
                left > s->candidates[i].size + (issues - level - 1) * s->most ||
                (s->best.exists && bytes[level] + source_bytes(s) * s->candidates[i].size > s->best.bytes)))
            i++;
        if (i == s->candidate_count) {
            level--;
            continue;
        }
        s->nodes++;
        at[level] = s->chosen[level] = i;
        have[level + 1] = place_join(have[level], &s->candidates[i].where);
        bytes[level + 1] = bytes[level] + (int)source_bytes(s) * s->candidates[i].size;
        at[++level] = -1;
    }
}

static inline bool coverable(const search *s)
{
    places have = {{0}};
    for (int i = 0; i < s->candidate_count; i++) have = place_join(have, &s->candidates[i].where);
    return place_first(&s->all, &have) < 0;
}

/* The answer; `whole` only where the search ended by itself. */
static inline least least_by(search *s, const zlay_target *target, const wanted *want,
                             void (*find)(search *s))
{
    s->target = target;
    s->want = want;
    s->kind_count = s->candidate_count = s->most = s->nodes = 0;
    s->full = false;
    memset(&s->best, 0, sizeof s->best);
    memset(&s->all, 0, sizeof s->all);
    for (int i = 0; i < want->places; i++)
        if (want->from[i] != NOWHERE) place_add(&s->all, i);
    find(s);
    for (int i = 0; i < s->candidate_count; i++)
        if (s->candidates[i].size > s->most) s->most = s->candidates[i].size;
    for (int issues = 1; coverable(s) && !s->best.exists && issues < 64 && s->nodes <= NODES; issues++)
        covers(s, issues);
    s->best.whole = !s->full && s->nodes <= NODES;
    return s->best;
}

/* The least copies that bring each source to its place. */
static inline least least_of(search *s, const zlay_target *target, const wanted *want)
{
    return least_by(s, target, want, candidates_find);
}

/* The least tiled, plain ones that bring each source somewhere, each once. */
static inline least least_anywhere(search *s, const zlay_target *target, const wanted *want)
{
    return least_by(s, target, want, sets_find);
}

#endif
