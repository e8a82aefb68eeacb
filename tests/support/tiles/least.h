/* SPDX-License-Identifier: Apache-2.0 */
/* The least tensor copies that bring a tile to given places, by search over what the PTX ISA lets one copy
 * do, without src/synth.  A copy writes whole 16 bytes from 16 bytes: a place is 16 bytes of shared memory,
 * a source 16 bytes of the tensor, and a tile says which source each place wants. */
#ifndef TEST_LEAST_H
#define TEST_LEAST_H

#include "tiles/least_maps.h"

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
