/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a move as C: its threads, the digits of their numbers, coordinates, and its accesses one
 * after the other or as a loop, each behind the ends that it may leave. A part is printed to nowhere
 * first, which tells what it uses. */
#include "emit/function/copy/copy.h"

#include <zlay/version.h>

enum { BY_THREAD = 1 << ZLAY_DIGIT_THREAD, BY_ACCESS = 1 << ZLAY_DIGIT_ACCESS };

/* ---- coordinates ---------------------------------------------------------------------------- */

/* c0, c1, .. of the modes that are compared. */
static void coordinates_put(zl_tile_c *t, uint32_t levels)
{
    zl_text *out = t->e.out;
    for (uint32_t k = 0; k < t->part->part.modes; k++) {
        bool first = true;
        if (!(t->coordinates >> k & 1)) continue;
        zl_put_times(out, "    ", t->depth);
        zl_putf(out, "const unsigned c%u = ", (unsigned)k);
        for (uint32_t i = 0; i < t->part->part.digits; i++) {
            const zlay_move_digit *d = &t->part->digit[i];
            if (d->mode != k || d->extent < 2 || !(levels >> d->level & 1)) continue;
            zl_putf(out, "%sd%u", first ? "" : " + ", (unsigned)i);
            if (d->step != 1) zl_putf(out, " * %lluu", (unsigned long long)d->step);
            first = false;
        }
        zl_puts(out, first ? "0u;\n" : ";\n");
    }
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* The greatest coordinate of the threads, and of a loop's accesses. */
static uint64_t greatest_of(const zl_tile_c *t, uint32_t mode, bool looped)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < t->part->part.digits; i++) {
        const zlay_move_digit *d = &t->part->digit[i];
        if (d->mode != mode || d->level == ZLAY_DIGIT_VALUE) continue;
        if (looped || d->level == ZLAY_DIGIT_THREAD) most += (d->extent - 1) * d->step;
    }
    return most;
}

/* What a printed condition begins with. */
static void condition_begin(zl_tile_c *t, bool *any)
{
    if (!*any) zl_put_times(t->e.out, "    ", t->depth);
    zl_puts(t->e.out, *any ? " && " : "if (");
    *any = true;
}

static void extents_put(zl_tile_c *t, const uint64_t *at, bool *any)
{
    for (uint32_t k = 0; k < t->part->part.modes; k++) {
        uint64_t left = t->part->mode[k].extent - (at ? at[k] : 0);
        if (!zl_tile_is_checked(t->part, k) || greatest_of(t, k, !at) < left) continue;
        condition_begin(t, any);
        zl_putf(t->e.out, "c%u < %lluu", (unsigned)k, (unsigned long long)left);
        t->coordinates |= 1u << k;
    }
}

/* Cells to the tile's first along an axis that has an edge. */
static void edge_put(zl_tile_c *t, uint32_t axis, const uint64_t *at)
{
    const zl_move_tiles *tiles = t->move->tiles;
    uint64_t first = 0;
    zlay_move_first(&first, t->move, t->index, axis);
    long long fixed = (long long)first;
    for (uint32_t k = 0; k < t->part->part.modes; k++) {
        const zlay_move_cells *c = &tiles->mode[k];
        if (c->axis == axis && at) fixed += (long long)at[k] * (long long)c->step;
    }
    bool any = fixed != 0;
    if (any) zl_putf(t->e.out, "%lldll", fixed);
    for (uint32_t k = 0; k < t->part->part.modes; k++) {
        const zlay_move_cells *c = &tiles->mode[k];
        if (c->axis != axis || !c->step || !greatest_of(t, k, !at)) continue;
        zl_putf(t->e.out, "%sc%u", any ? " + " : "", (unsigned)k);
        if (c->step != 1) zl_putf(t->e.out, " * %lldll", (long long)c->step);
        t->coordinates |= 1u << k;
        any = true;
    }
    if (!any) zl_puts(t->e.out, "0ll");
    zl_putf(t->e.out, " < left_%u", (unsigned)axis);
}

/* Opens what an access stands in: a condition where it may leave an end. */
static void guard_open(zl_tile_c *t, const uint64_t *at)
{
    bool any = false;
    extents_put(t, at, &any);
    for (uint32_t i = 0, axis; zl_tile_edge(t->move, i, &axis); i++) {
        condition_begin(t, &any);
        edge_put(t, axis, at);
    }
    if (!any) zl_put_times(t->e.out, "    ", t->depth);
    zl_puts(t->e.out, any ? ") {\n" : "{\n");
    t->depth++;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static void unrolled(zl_tile_c *t)
{
    uint64_t at[ZL_PART_MODES];
    int64_t more[ZL_TILE_SIDES];
    for (uint64_t a = 0; a < t->part->part.accesses; a++) {
        if (!zl_tile_access_at(t->part, a, at, more)) continue;
        guard_open(t, at);
        zl_tile_c_access(t, more);
        zl_tile_c_close(t);
    }
}

/* The compiler unrolls a loop of few accesses, whose digits are then constants. */
static void looped(zl_tile_c *t)
{
    static const int64_t none[ZL_TILE_SIDES] = {0};
    bool few = zl_tile_stores_of(t->move, t->part) <= ZL_TILE_UNROLLED;
    zl_tile_c_line(t, few ? "#pragma unroll" : "#pragma unroll 1");
    zl_tile_c_line(t, "for (unsigned access = 0u; access < %lluu; access++) {",
                 (unsigned long long)t->part->part.accesses);
    t->depth++;
    zl_tile_c_digits(t, ZLAY_DIGIT_ACCESS, "access", t->part->part.accesses);
    coordinates_put(t, BY_THREAD | BY_ACCESS);
    zl_tile_c_offsets(t, BY_THREAD | BY_ACCESS);
    guard_open(t, NULL);
    zl_tile_c_access(t, none);
    zl_tile_c_close(t);
    zl_tile_c_close(t);
}

static void accesses_put(zl_tile_c *t)
{
    zl_tile_c_digits(t, ZLAY_DIGIT_THREAD, "thread", t->part->part.threads);
    if (zl_tile_is_looped(t->move, t->part)) {
        looped(t);
        return;
    }
    coordinates_put(t, BY_THREAD);
    zl_tile_c_offsets(t, BY_THREAD);
    unrolled(t);
}

void zl_tile_c_part(zl_tile_c *t)
{
    zl_text nowhere = {NULL, 0, 0}, *out = t->e.out;
    void (*put)(zl_tile_c *) = t->part->part.matrices ? zl_tile_c_matrices : accesses_put;
    zl_tile_c_sides_of(t);
    t->coordinates = 0;
    t->e.out = &nowhere;
    put(t);
    t->e.out = out;
    zl_tile_c_line(t, "if (thread < %uu) {", (unsigned)t->part->part.threads);
    t->depth++;
    put(t);
    zl_tile_c_close(t);
}
