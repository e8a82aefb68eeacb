/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a thread's coordinates and its accesses. The number of the thread, and that of the
 * access, are split by successive division (mixed radix) into digits; each digit adds its
 * multiple to the offsets of both sides and to a coordinate. Accesses past an extent or past the
 * tensor's edge are jumped over. Few accesses are printed one after the other with constant
 * offsets, many as a loop. */
#include "emit/move/tile.h"

typedef unsigned long long ull;
typedef long long ll;

static const char *const base_names[] = {"from", "to"};

/* ---- coordinates ------------------------------------------------------------------ */

void zl_tile_edges(zl_tile_text *t)
{
    for (uint32_t k = 0; k < ZLAY_TILE_AXES; k++) {
        if (!zl_tile_has_edge(t->move, k)) continue;
        zl_emit_line(&t->e, ".reg .b64 left%u;", k);
        zl_emit_line(&t->e, "ld.param.b64 left%u, [left_%u];", k, k);
    }
}

/* digit = rest mod extent, rest /= extent */
static void take_digit(zl_tile_text *t, uint64_t extent)
{
    zl_emit *e = &t->e;
    if ((extent & (extent - 1)) == 0) {
        zl_emit_line(e, "and.b32 digit, rest, %llu;", (ull)extent - 1);
        zl_emit_line(e, "shr.u32 rest, rest, %d;", __builtin_ctzll(extent));
        return;
    }
    zl_emit_line(e, "rem.u32 digit, rest, %llu;", (ull)extent);
    zl_emit_line(e, "div.u32 rest, rest, %llu;", (ull)extent);
}

/* base += a digit's multiple of the step of its mode; by XOR where the plan combines so. */
static void add_to_side(zl_tile_text *t, const zlay_move_digit *d, int side, const char *base)
{
    zl_emit *e = &t->e;
    ll step = (ll)zl_tile_step(t->part, side, d->mode) * (ll)d->step;
    if (zl_tile_named(t->move, side)) {
        zl_tile_add_named(t, base, side, d->mode, "wide", d->step);
    } else if (step && t->part->part.combine == 1) {
        zl_emit_line(e, "mul.lo.s64 far, wide, %lld;", step);
        zl_emit_line(e, "xor.b64 %s, %s, far;", base, base);
    } else if (step) {
        zl_emit_line(e, "mad.lo.s64 %s, wide, %lld, %s;", base, step, base);
    }
}

/* Adds a digit to both sides, and to the coordinate of its mode where that is compared with an
 * end. */
static void add_digit(zl_tile_text *t, const zlay_move_digit *d, const char *const *bases,
                      const char *coordinate)
{
    zl_emit_line(&t->e, "cvt.u64.u32 wide, digit;");
    for (int side = 0; side < ZL_TILE_SIDES; side++)
        if (!zl_tile_is_held(t, side)) add_to_side(t, d, side, bases[side]);
    if (coordinate && zl_tile_is_kept(t->move, t->part, d->mode))
        zl_emit_line(&t->e, "mad.lo.s64 %s%u, wide, %llu, %s%u;", coordinate, d->mode,
                     (ull)d->step, coordinate, d->mode);
}

void zl_tile_digits(zl_tile_text *t, int32_t level, const char *const *bases,
                    const char *coordinate)
{
    for (uint32_t i = 0; i < t->part->part.digits; i++) {
        const zlay_move_digit *d = &t->part->digit[i];
        if (d->level != level) continue;
        take_digit(t, d->extent);
        add_digit(t, d, bases, coordinate);
    }
}

/* ---- accesses ---------------------------------------------------------------------- */

/* Sets p: the access lies within the tensor along each axis that has an edge. */
static bool check_edges(zl_tile_text *t, const uint64_t *at, const char *coordinate, bool any)
{
    uint64_t first = 0;
    for (uint32_t i = 0; i < ZLAY_TILE_AXES; i++) {
        if (!zl_tile_has_edge(t->move, i)) continue;
        zlay_move_first(&first, t->move, t->index, i);
        zl_emit_line(&t->e, "mov.s64 place, %llu;", (ull)first);
        for (uint32_t k = 0; k < t->part->part.modes; k++) {
            const zlay_move_cells *c = &t->move->tiles->mode[k];
            if (c->axis != i) continue;
            zl_emit_line(&t->e, "mad.lo.s64 place, %s%u, %lld, place;", coordinate, k, (ll)c->step);
            if (at) zl_emit_line(&t->e, "add.s64 place, place, %lld;", (ll)at[k] * (ll)c->step);
        }
        zl_emit_line(&t->e, "setp.lt%s.s64 p, place, left%u%s;", any ? ".and" : "", i,
                     any ? ", p" : "");
        any = true;
    }
    return any;
}

/* Threads whose block lies beyond an extent jump to the label. */
static void check_extents(zl_tile_text *t, const uint64_t *at, const char *coordinate,
                          const char *label, ull number)
{
    bool any = false;
    for (uint32_t k = 0; k < t->part->part.modes; k++) {
        if (!zl_tile_is_checked(t->part, k)) continue;
        zl_emit_line(&t->e, "setp.lt%s.u64 p, %s%u, %llu%s;", any ? ".and" : "", coordinate, k,
                     (ull)(t->part->mode[k].extent - (at ? at[k] : 0)), any ? ", p" : "");
        any = true;
    }
    any = check_edges(t, at, coordinate, any);
    if (any) zl_emit_line(&t->e, "@!p bra %s%u_%llu;", label, t->index, number);
}

/* Prints the accesses one after the other; those that are past an extent for every thread are left
 * out. */
static void unrolled(zl_tile_text *t)
{
    uint64_t at[ZL_PART_MODES];
    int64_t more[ZL_TILE_SIDES];
    for (uint64_t a = 0; a < t->part->part.accesses; a++) {
        if (!zl_tile_access_at(t->part, a, at, more)) continue;
        check_extents(t, at, "x", "$away", a);
        zl_tile_access(t, more);
        zl_putf(t->e.out, "$away%u_%llu:\n", t->index, (ull)a);
    }
}

/* Copies the coordinates that are compared with an end. */
static void copy_registers(zl_tile_text *t, const char *to, const char *from)
{
    for (uint32_t k = 0; k < t->part->part.modes; k++)
        if (zl_tile_is_kept(t->move, t->part, k))
            zl_emit_line(&t->e, "mov.b64 %s%u, %s%u;", to, k, from, k);
}

/* Prints the accesses as a loop over their numbers. */
static void looped(zl_tile_text *t)
{
    static const int64_t none[ZL_TILE_SIDES] = {0};
    zl_emit *e = &t->e;
    zl_emit_line(e, "mov.b64 from0, from;");
    zl_emit_line(e, "mov.b64 to0, to;");
    zl_emit_line(e, "mov.u32 access, 0;");
    zl_putf(e->out, "$loop%u:\n", t->index);
    zl_emit_line(e, "mov.u32 rest, access;");
    zl_emit_line(e, "mov.b64 from, from0;");
    zl_emit_line(e, "mov.b64 to, to0;");
    copy_registers(t, "y", "x");
    zl_tile_digits(t, ZLAY_DIGIT_ACCESS, base_names, "y");
    check_extents(t, NULL, "y", "$away", 0);
    zl_tile_bases(t);
    zl_tile_access(t, none);
    zl_putf(e->out, "$away%u_0:\n", t->index);
    zl_emit_line(e, "add.u32 access, access, 1;");
    zl_emit_line(e, "setp.lt.u32 p, access, %llu;", (ull)t->part->part.accesses);
    zl_emit_line(e, "@p bra $loop%u;", t->index);
}

void zl_tile_accesses(zl_tile_text *t)
{
    if (zl_tile_is_looped(t->move, t->part)) {
        looped(t);
        return;
    }
    zl_tile_bases(t);
    unrolled(t);
}
