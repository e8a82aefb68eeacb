/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a tile where accesses are aligned.
 *
 * A run of n elements whose first one is not aligned to an access becomes a head, a body of whole
 * accesses and a tail. Head and tail are cut again for accesses half as wide: 13 elements from
 * offset 3, by 8, are 1 + 4 + 8. Where the sides run along different modes, both modes are cut,
 * and the parts are the products. */
#include "synth/copy/copy.h"

enum {
    BULK_PIECE = 1 << 19, /* bytes of one of the copies that a longer run becomes */
    CP_ASYNC_LEAST = 4    /* bytes */
};

/* Consecutive elements of a run that are moved in one way. */
typedef struct cut {
    uint64_t first, count;
    zl_copy_way way;
} cut;

typedef struct line {
    const zl_copy *c;
    uint32_t sides; /* bit s: accesses of side s lie along it */
    uint32_t count;
    cut at[ZL_COPY_CUTS];
} line;

typedef struct range {
    uint64_t begin, end;
} range;

static uint32_t widest(const zl_copy_way *w, uint32_t sides)
{
    uint32_t a = sides & 1 ? w->vector[0] : 1, b = sides & 2 ? w->vector[1] : 1;
    return a > b ? a : b;
}

/* The first point from `from` on where accesses of every side along the line are aligned. */
static uint64_t aligned_from(const line *l, const zl_copy_way *w, uint64_t from)
{
    uint64_t most = 1, phase = 0;
    for (int s = 0; s < ZL_SIDES; s++) {
        uint64_t v = w->vector[s];
        bool asked = l->sides >> s & 1 && !(s == ZL_SOURCE && w->path == ZLAY_PATH_REALIGN);
        if (!asked || v <= most) continue;
        most = v;
        phase = (uint64_t)l->c->tile.offset[s];
    }
    return from + (0 - phase - from) % most;
}

static bool put(line *l, uint64_t first, uint64_t count, const zl_copy_way *w)
{
    if (!count) return true;
    if (l->count == ZL_COPY_CUTS) return false;
    l->at[l->count++] = (cut){first, count, *w};
    return true;
}

/* Puts one bulk copy, or pieces of one size and a rest; a swizzle keeps granules whole. */
static bool put_bulk(line *l, uint64_t first, uint64_t count, zl_copy_way w)
{
    const zl_swizzle *s = l->c->tile.swizzle;
    bool swizzled = s[ZL_SOURCE].bits || s[ZL_DEST].bits;
    uint64_t piece = swizzled ? w.vector[0] : (uint64_t)BULK_PIECE * 8 / l->c->bits;
    uint64_t granule = zl_copy_granule(l->c, w.run[ZL_DEST]);
    if (granule < piece) piece = granule;
    uint64_t whole = count > piece ? count / piece * piece : 0;
    w.vector[0] = w.vector[1] = (uint32_t)piece;
    if (!put(l, first, whole, &w)) return false;
    w.vector[0] = w.vector[1] = (uint32_t)(count - whole);
    return put(l, first + whole, count - whole, &w);
}

static bool put_body(line *l, range body, const zl_copy_way *w)
{
    uint64_t count = body.end - body.begin;
    return w->path == ZLAY_PATH_BULK ? put_bulk(l, body.begin, count, *w)
                                     : put(l, body.begin, count, w);
}

/* The way for the remaining ends: accesses half as wide; false below the narrowest. */
static bool narrower(const line *l, zl_copy_way *w)
{
    uint32_t half = widest(w, l->sides) / 2;
    if (w->path == ZLAY_PATH_REALIGN) half = w->direct;
    for (int s = 0; s < ZL_SIDES; s++)
        if (l->sides >> s & 1 && w->vector[s] > half) w->vector[s] = half;
    if (l->c->signal) {
        w->path = ZLAY_PATH_STORE_ASYNC;
        w->kind = ZLAY_COPY_STORE_ASYNC;
        return zl_copy_sends(zl_copy_bytes(l->c, w->vector[ZL_DEST]));
    }
    if (w->path != ZLAY_PATH_CP_ASYNC || zl_copy_bytes(l->c, half) < CP_ASYNC_LEAST) {
        w->path = ZLAY_PATH_THREADS;
        w->kind = zl_copy_thread_kind(l->c);
    }
    return half >= l->c->least;
}

static bool cut_line(line *l, uint64_t extent, zl_copy_way w)
{
    range left[2] = {{0, extent}, {0, 0}}, next[2];
    do {
        uint32_t count = 0;
        for (int i = 0; i < 2; i++) {
            uint64_t v = widest(&w, l->sides), begin = aligned_from(l, &w, left[i].begin);
            if (left[i].begin == left[i].end) continue;
            if (begin > left[i].end) begin = left[i].end;
            uint64_t end = begin + (left[i].end - begin) / v * v;
            if (!put_body(l, (range){begin, end}, &w)) return false;
            if (left[i].begin < begin) next[count++] = (range){left[i].begin, begin};
            if (end < left[i].end) next[count++] = (range){end, left[i].end};
        }
        for (uint32_t i = 0; i < 2; i++) left[i] = i < count ? next[i] : (range){0, 0};
        if (!count) return true;
    } while (narrower(l, &w));
    return false;
}

int32_t zl_copy_thread_kind(const zl_copy *c)
{
    return zl_is_shared(c->side[ZL_DEST].space) ? ZLAY_COPY_THREAD_LOAD : ZLAY_COPY_THREAD_STORE;
}

bool zl_copy_ends_alone(const zl_copy *c, const zl_copy_way *way, zl_copy_way *ends)
{
    const line l = {.c = c, .sides = 3};
    uint32_t run = way->run[ZL_SOURCE];
    uint64_t extent = run < c->tile.modes ? c->tile.mode[run].extent : 1;
    if (aligned_from(&l, way, 0) + widest(way, l.sides) <= extent) return false;
    *ends = *way;
    return narrower(&l, ends);
}

/* ---- parts ------------------------------------------------------------------------- */

static void narrow(zl_move_part *p, uint32_t mode, const cut *at)
{
    p->part.source += (int64_t)at->first * p->mode[mode].source;
    p->part.dest += (int64_t)at->first * p->mode[mode].dest;
    p->mode[mode].extent = at->count;
    p->first[mode] = at->first;
}

void zl_copy_whole(const zl_copy *c, zl_move_part *p)
{
    *p = (zl_move_part){.part = {.modes = c->tile.modes, .combine = c->tile.bits}};
    p->part.source = c->tile.offset[ZL_SOURCE];
    p->part.dest = c->tile.offset[ZL_DEST];
    for (uint32_t i = 0; i < c->tile.modes; i++) {
        const zl_copy_mode *m = &c->tile.mode[i];
        p->mode[i] = (zlay_move_mode){m->extent, m->step[ZL_SOURCE], m->step[ZL_DEST]};
    }
}

/* The greatest number of bytes that divides every distance between two accesses' addresses. */
static uint32_t shift_unit(const zl_copy *c, const zl_move_part *p, uint32_t run)
{
    uint64_t bits = (uint64_t)p->part.source | p->part.source_width / zl_copy_bytes(c, 1);
    for (uint32_t i = 0; i < p->part.modes; i++)
        if (p->mode[i].extent > 1 && i != run) bits |= (uint64_t)p->mode[i].source;
    return zl_copy_bytes(c, bits & (0 - bits));
}

static void part_end(const zl_copy *c, zl_move_part *p, const zl_copy_way *w)
{
    p->part.kind = w->kind;
    p->part.source_width = zl_copy_bytes(c, w->vector[ZL_SOURCE]);
    p->part.width = zl_copy_bytes(c, w->vector[ZL_DEST]);
    p->part.elements = 1;
    for (uint32_t i = 0; i < p->part.modes; i++) p->part.elements *= p->mode[i].extent;
    if (w->path == ZLAY_PATH_REALIGN) p->part.realign = shift_unit(c, p, w->run[ZL_SOURCE]);
}

static zlay_status one_line(const zl_copy *c, zl_copy_plan *plan)
{
    const zl_copy_way *w = &plan->way;
    line l = {.c = c, .sides = 3};
    bool none = w->run[0] >= c->tile.modes;
    if (!cut_line(&l, none ? 1 : c->tile.mode[w->run[0]].extent, *w)) return ZLAY_NONE;
    for (uint32_t i = 0; i < l.count; i++) {
        zl_move_part *p = &plan->part[plan->count++];
        zl_copy_whole(c, p);
        if (!none) narrow(p, w->run[0], &l.at[i]);
        part_end(c, p, &l.at[i].way);
    }
    return ZLAY_OK;
}

static zlay_status two_lines(const zl_copy *c, zl_copy_plan *plan)
{
    line l[ZL_SIDES];
    for (int s = 0; s < ZL_SIDES; s++) {
        uint32_t run = plan->way.run[s];
        l[s] = (line){.c = c, .sides = 1u << s};
        uint64_t extent = run < c->tile.modes ? c->tile.mode[run].extent : 1;
        if (!cut_line(&l[s], extent, plan->way)) return ZLAY_NONE;
    }
    if (l[0].count * l[1].count > ZL_COPY_PARTS) return ZLAY_NONE;
    for (uint32_t i = 0; i < l[0].count * l[1].count; i++) {
        zl_move_part *p = &plan->part[plan->count++];
        const cut *at[ZL_SIDES] = {&l[0].at[i % l[0].count], &l[1].at[i / l[0].count]};
        zl_copy_way w = plan->way;
        zl_copy_whole(c, p);
        for (int s = 0; s < ZL_SIDES; s++) {
            if (w.run[s] < c->tile.modes) narrow(p, w.run[s], at[s]);
            w.vector[s] = at[s]->way.vector[s];
        }
        part_end(c, p, &w);
    }
    return ZLAY_OK;
}

zlay_status zl_copy_cut(const zl_copy *c, zl_copy_plan *plan)
{
    plan->count = 0;
    return plan->way.run[0] == plan->way.run[1] ? one_line(c, plan) : two_lines(c, plan);
}
