/* SPDX-License-Identifier: Apache-2.0 */
/* Which elements an access has at one address.
 *
 * Elements u_0, u_1, .. that one lane stores together have offsets 1, 2, .., and so have those that
 * one lane loads; so the shorter list begins the longer one.  The first element of every lane's is
 * at an aligned offset: the functionals that are an offset's low bits vanish on what threads add,
 * those of the shorter list on what threads of both sides add.  There are such functionals when the
 * shorter list is independent of both sides' threads and the rest of the longer one, and the longer
 * one of its own threads.  Registers that are not first are exchanged within their lane. */
#include "synth/convert/side.h"

bool zl_form_width(const zl_conversion *c, const zl_form_row *form, unsigned *out)
{
    uint32_t elements = form->bytes * 8 / c->bits;
    if (!elements) return false;
    *out = (unsigned)__builtin_ctz(elements);
    return true;
}

/* ---- lists ------------------------------------------------------------------------------- */

typedef struct choice {
    zl_units *units;
    zl_solver apart; /* what the next unit must be independent of */
} choice;

static void put(choice *c, uint64_t unit, unsigned room)
{
    if (c->units->count < room && zl_solver_put(&c->apart, unit, 0))
        c->units->unit[c->units->count++] = unit;
}

/* What a block of dst adds to the indices that it asks for. */
static void put_asking(zl_solver *s, const zl_conversion *c)
{
    for (uint64_t left = c->dst.has & ZL_BLOCKS; left; left &= left - 1) {
        uint64_t holder = c->from.to[__builtin_ctzll(left)], block = holder & ZL_BLOCKS;
        zl_solver_put(s, zl_bitmap_at(&c->src, holder ^ block) | block, 0);
    }
}

/* What the index of the first element at an address is made of: threads, and of a fragment all that
 * is no unit.  Blocks besides: an offset does not tell them. */
static void put_starts(zl_solver *s, const zl_trip *t, int which, const zl_form_row *form)
{
    const zl_bitmap *at = &t->at[which];
    uint64_t starts = form && form->matrices ? ~zl_fragment_units(t->c, form) : ZL_THREADS;
    for (uint64_t left = t->c->src.has & ZL_BLOCKS; left; left &= left - 1)
        zl_solver_put(s, left & -left, 0);
    if (which == ZL_DST) put_asking(s, t->c);
    for (uint64_t left = at->has & starts; left; left &= left - 1)
        zl_solver_put(s, at->to[__builtin_ctzll(left)], 0);
}

/* The span of what registers of both sides hold: first what both have in one place, then what one
 * has in one, then the rest. */
static void put_common(const zl_trip *t, choice *c, unsigned room)
{
    const zl_bitmap *a = &t->at[ZL_SRC], *b = &t->at[ZL_DST];
    zl_solver both;
    both.pivots = 0;
    uint64_t inside;
    for (uint64_t left = a->has & b->has & ZL_REGISTERS; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        if (a->to[k] == b->to[k]) put(c, a->to[k], room);
    }
    for (int which = ZL_SRC; which <= ZL_DST; which++)
        for (uint64_t left = t->at[which].has & ZL_REGISTERS; left; left &= left - 1) {
            uint64_t at = t->at[which].to[__builtin_ctzll(left)];
            if (zl_solver_spans(&t->registers[!which], at)) put(c, at, room);
        }
    for (uint64_t left = a->has & ZL_REGISTERS; left; left &= left - 1) {
        uint64_t at = a->to[__builtin_ctzll(left)];
        zl_solver_put(&both, at, at);
    }
    for (uint64_t left = b->has & ZL_REGISTERS; left; left &= left - 1) {
        uint64_t at = b->to[__builtin_ctzll(left)];
        if (zl_solver_reduce(&both, at, &inside)) zl_solver_put(&both, at, 0);
        else put(c, inside, room);
    }
}

/* The rest of the longer list: in one block, independent of its own threads, and such that the
 * shorter one stays independent of all threads. */
static void put_longer(const zl_trip *t, zl_units *u, int longer, unsigned room)
{
    const zl_bitmap *at = &t->at[longer];
    choice c = {u, t->starts->own[longer]};
    zl_solver rest = t->starts->both, all = rest;
    for (unsigned i = 0; i < u->count; i++) {
        zl_solver_put(&c.apart, u->unit[i], 0);
        zl_solver_put(&all, u->unit[i], 0);
    }
    for (uint64_t left = at->has & ZL_REGISTERS; left; left &= left - 1) {
        uint64_t unit = at->to[__builtin_ctzll(left)];
        if (unit & ZL_BLOCKS) continue;
        if (zl_solver_spans(&all, unit) && !zl_solver_spans(&rest, unit)) continue;
        unsigned count = u->count;
        put(&c, unit, room);
        if (u->count == count) continue;
        zl_solver_put(&rest, unit, 0);
        zl_solver_put(&all, unit, 0);
    }
}

void zl_starts_read(zl_starts *out, const zl_trip *t)
{
    out->both.pivots = 0;
    for (int which = ZL_SRC; which <= ZL_DST; which++) {
        out->own[which].pivots = 0;
        put_starts(&out->own[which], t, which, NULL);
        put_starts(&out->both, t, which, NULL);
    }
    choice c = {&out->common, out->both};
    out->common.count = 0;
    put_common(t, &c, ZL_UNITS);
}

/* Two forms whose lanes hold their own bytes. */
static bool units_plain(zl_trip *t, const unsigned width[2])
{
    int longer = width[ZL_DST] > width[ZL_SRC] ? ZL_DST : ZL_SRC;
    zl_units *u = t->units;
    u[longer] = t->starts->common;
    if (u[longer].count < width[!longer]) return false;
    u[longer].count = width[!longer];
    u[!longer] = u[longer];
    if (width[longer] > width[!longer]) put_longer(t, &u[longer], longer, width[longer]);
    return u[longer].count == width[longer];
}

/* ---- places ------------------------------------------------------------------------------ */

/* Every index gets a place, 0 where nothing says another. */
static void complete(zl_solver *s, const zl_trip *t)
{
    for (int which = ZL_SRC; which <= ZL_DST; which++)
        for (uint64_t left = t->at[which].has; left; left &= left - 1)
            zl_solver_put(s, t->at[which].to[__builtin_ctzll(left)], 0);
}

static bool put_units(zl_solver *s, const zl_units *u, unsigned from, unsigned to, uint64_t mask)
{
    bool apart = true;
    for (unsigned i = from; i < to; i++)
        apart = zl_solver_put(s, u->unit[i], zl_bit(i) & mask) && apart;
    return apart;
}

/* The low bits for the shorter list from one solver, those for the rest from another: both sides'
 * places are read from one, of which the longer side's is the whole. */
static bool places_find(zl_trip *t, const zl_form_row *const form[2])
{
    int longer = t->units[ZL_DST].count > t->units[ZL_SRC].count ? ZL_DST : ZL_SRC;
    const zl_units *u = &t->units[longer];
    unsigned least = t->units[!longer].count;
    bool plain = !form[ZL_SRC]->matrices && !form[ZL_DST]->matrices;
    zl_solver own = t->starts->own[longer], both = t->starts->both;
    if (!plain) both.pivots = 0;
    for (int which = ZL_SRC; which <= ZL_DST && !plain; which++)
        put_starts(&both, t, which, form[which]);
    put_units(&both, u, least, u->count, 0);
    if (!put_units(&both, u, 0, least, UINT64_MAX)) return false;
    complete(&both, t);
    if (form[longer]->matrices) {
        own.pivots = 0;
        put_starts(&own, t, longer, form[longer]);
    }
    if (!put_units(&own, u, 0, u->count, ~(zl_bit(least) - 1))) return false;
    complete(&own, t);
    t->place[!longer] = both;
    t->place[longer] = own;
    for (uint64_t left = own.pivots; left; left &= left - 1) {
        uint64_t low;
        unsigned p = (unsigned)__builtin_ctzll(left);
        zl_solver_reduce(&both, own.value[p], &low);
        t->place[longer].image[p] |= low;
    }
    return true;
}

/* ---- pairs ------------------------------------------------------------------------------- */

static bool same_units(const zl_units *a, const zl_units *b)
{
    for (unsigned i = 0; i < a->count; i++)
        if (a->unit[i] != b->unit[i]) return false;
    return a->count == b->count;
}

/* A fragment fixes its units, in order; the other side takes the first of them. */
static bool units_of(zl_trip *t, const zl_form_row *const form[2])
{
    unsigned width[2];
    for (int which = ZL_SRC; which <= ZL_DST; which++) {
        if (!zl_form_width(t->c, form[which], &width[which])) return false;
        if (form[which]->matrices && !zl_side_fragment(t, which, form[which], &t->units[which]))
            return false;
    }
    if (form[ZL_SRC]->matrices && form[ZL_DST]->matrices)
        return same_units(&t->units[ZL_SRC], &t->units[ZL_DST]);
    if (!form[ZL_SRC]->matrices && !form[ZL_DST]->matrices) return units_plain(t, width);
    int plain = form[ZL_SRC]->matrices ? ZL_DST : ZL_SRC;
    t->units[plain] = t->units[!plain];
    t->units[plain].count = width[plain];
    for (unsigned i = 0; i < width[plain]; i++)
        if (!zl_solver_spans(&t->registers[plain], t->units[plain].unit[i])) return false;
    return true;
}

bool zl_units_find(zl_trip *t, const zl_form_row *const form[2])
{
    return units_of(t, form) && places_find(t, form);
}
