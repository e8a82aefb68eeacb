/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the elements that both accesses of a round trip have at one address.
 *
 * An access has a list of units u_0, u_1, ..: the tensor indices, minus that of the first element,
 * of the elements at offsets 1, 2, 4, .. from it.  Both sides use the same offsets; so the shorter
 * list is the beginning of the longer one.  The first element of a lane must lie at an aligned
 * offset.  So the functionals that give the low bits of an offset must be 0 on every index that
 * threads add: those of the shorter list on the threads of both sides, the others on the threads of
 * the longer side.  Such functionals exist when the shorter list is independent of both sides'
 * threads and of the rest of the longer list, and the longer list is independent of its own side's
 * threads.  Lists are chosen greedily by elimination over F2.  A register whose element is not the
 * first at its address is exchanged with the first one within the lane. */
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

/* Takes a unit if there is room and it is independent of what was put before. */
static void put(choice *c, uint64_t unit, unsigned room)
{
    if (c->units->count < room && zl_solver_put(&c->apart, unit, 0))
        c->units->unit[c->units->count++] = unit;
}

/* Puts what block bits of dst add to the indices that are loaded. */
static void put_asking(zl_solver *s, const zl_conversion *c)
{
    for (uint64_t left = c->dst.has & ZL_BLOCKS; left; left &= left - 1) {
        uint64_t holder = c->from.to[__builtin_ctzll(left)], block = holder & ZL_BLOCKS;
        zl_solver_put(s, zl_bitmap_at(&c->src, holder ^ block) | block, 0);
    }
}

/* Puts what the index of the first element at an address is made of: thread bits and, for a
 * fragment, all bits that are no units; and blocks, because an offset does not contain them. */
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

/* Takes units that registers of both sides hold: first those in the same register bit of both
 * sides, then those in one register bit of a side, then the rest of the intersection of the two
 * spans (Zassenhaus). */
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

/* Takes the rest of the longer list: units in one block, independent of their own side's threads,
 * and such that the shorter list stays independent of all threads and of them. */
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

/* Finds the units of two forms whose lanes hold their own bytes. */
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

/* Gives place 0 to every index of both sides that is outside the span so far. */
static void complete(zl_solver *s, const zl_trip *t)
{
    for (int which = ZL_SRC; which <= ZL_DST; which++)
        for (uint64_t left = t->at[which].has; left; left &= left - 1)
            zl_solver_put(s, t->at[which].to[__builtin_ctzll(left)], 0);
}

/* Puts units with their places, masked; false: one of them is dependent. */
static bool put_units(zl_solver *s, const zl_units *u, unsigned from, unsigned to, uint64_t mask)
{
    bool apart = true;
    for (unsigned i = from; i < to; i++)
        apart = zl_solver_put(s, u->unit[i], zl_bit(i) & mask) && apart;
    return apart;
}

/* Finds the place of each tensor index at its address.  One solver gives the low bits, which stand
 * for the shorter list; another gives the other bits.  The shorter side's place has the low bits
 * only, and the longer side's place has both. */
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

/* Finds the units of both forms.  A fragment has fixed units in a fixed order; a form beside it
 * takes the first of these. */
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
