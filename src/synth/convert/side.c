/* SPDX-License-Identifier: Apache-2.0 */
/* Plans one side of a round trip through shared memory: which registers an access has at one
 * address, in which order the accesses take them, and which of several slots that hold the same
 * element store it.  All three are found by elimination over F2 on the bits of a slot. */
#include "synth/convert/side.h"

static const zl_form_row forms[] = {
#define FORM(access, stores, bytes, holds, matrices)                                               \
    {access, stores, bytes, ZL_HOLDS_##holds, matrices},
#include "synth/convert/forms.def"
#undef FORM
};

const zl_form_row *zl_form_at(size_t i) { return i < ZL_COUNT(forms) ? &forms[i] : NULL; }

/* ---- fragments --------------------------------------------------------------------------- */

static unsigned lane_bit(unsigned i) { return zl_level_low[ZL_LANE] + i; }

/* Lane l has two 16-bit elements of row l / 4 of a matrix, those from column 2 (l mod 4) on;
 * transposed, of column l / 4.  PTX ISA 9.1, ldmatrix. */
enum { MATRIX_LANES = 5, ROW_LANES = 2 };

uint64_t zl_fragment_units(const zl_conversion *c, const zl_form_row *form)
{
    uint64_t lanes = zl_bit(lane_bit(MATRIX_LANES)) - zl_bit(lane_bit(0));
    uint64_t in_row = zl_bit(lane_bit(ROW_LANES)) - zl_bit(lane_bit(0));
    if (form->holds == ZL_HOLDS_COLUMNS) return lanes - in_row;
    return in_row | (zl_bit(c->word) - 1);
}

bool zl_side_fragment(const zl_trip *t, int which, const zl_form_row *form, zl_units *out)
{
    const zl_conversion *c = t->c;
    const zl_bitmap *at = &t->at[which];
    bool rows = form->holds == ZL_HOLDS_ROWS;
    out->count = 0;
    if (c->machine.lanes != 1u << MATRIX_LANES || c->bits > 32) return false;
    if (!rows && c->bits != 16) return false;
    for (unsigned i = 0; i < c->word; i++)
        if (!(at->has >> i & 1)) return false;
    for (unsigned i = 0; i < MATRIX_LANES; i++)
        if (!(at->has >> lane_bit(i) & 1)) return false;
    for (uint64_t left = zl_fragment_units(c, form); left; left &= left - 1)
        out->unit[out->count++] = at->to[__builtin_ctzll(left)];
    return true;
}

unsigned zl_side_lanes(const zl_side *s, const zl_conversion *c, uint64_t *lane)
{
    bool rows = s->form->holds == ZL_HOLDS_ROWS;
    unsigned count = 0, matrices = s->form->matrices;
    if (!matrices) {
        for (; 1u << count < c->machine.lanes; count++)
            lane[count] =
                s->kept >> lane_bit(count) & 1 ? s->at->to[lane_bit(count)] : 0;
        return count;
    }
    if (!rows) lane[count++] = s->at->to[0];
    for (unsigned i = 0; i < MATRIX_LANES; i++)
        if (rows != (i < ROW_LANES)) lane[count++] = s->at->to[lane_bit(i)];
    for (unsigned i = 0; 1u << i < matrices; i++)
        lane[count++] = zl_bitmap_at(s->at, s->mid.to[c->word + i]);
    return count;
}

/* ---- registers --------------------------------------------------------------------------- */

/* Puts the registers of the elements at one address first, in their order; false: an element is in
 * no register of the lane. */
static bool put_heads(const zl_trip *t, int which, zl_side *s)
{
    uint64_t registers;
    if (s->form->matrices) {
        for (unsigned i = 0; i < t->c->word; i++) zl_bitmap_put(&s->mid, s->registers++, zl_bit(i));
        return true;
    }
    for (unsigned i = 0; i < s->units.count; i++) {
        if (zl_solver_reduce(&t->registers[which], s->units.unit[i], &registers)) return false;
        zl_bitmap_put(&s->mid, s->registers++, registers);
    }
    return true;
}

/* Keeps each lane and warp bit in its place.  Where several slots hold one element, only the slots
 * store it whose dependent bits are 0.  Lanes and warps are put before registers, so that a copy in
 * a register is left out and fewer instructions store. */
static void put_threads(zl_side *s, zl_solver *span, bool stores)
{
    for (uint64_t left = s->at->has & ZL_THREADS; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        zl_bitmap_put(&s->mid, k, zl_bit(k));
        if (zl_solver_put(span, s->at->to[k], 0) || !stores) s->kept |= zl_bit(k);
    }
}

/* The sum of register bit k and those of units that leads to the first element at its address. */
static uint64_t first_of(const zl_trip *t, int which, const zl_side *s, unsigned k)
{
    uint64_t place, registers = zl_bit(k);
    zl_solver_reduce(&t->place[which], s->at->to[k], &place);
    for (place = s->form->matrices ? 0 : place; place; place &= place - 1)
        registers ^= s->mid.to[__builtin_ctzll(place)];
    return registers;
}

/* Puts the other registers that hold something new, one access each. */
static void put_others(const zl_trip *t, int which, zl_side *s, zl_solver *span)
{
    for (uint64_t left = s->at->has & ZL_REGISTERS; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        if (!zl_solver_put(span, s->at->to[k], 0)) continue;
        zl_bitmap_put(&s->mid, s->registers++, first_of(t, which, s, k));
    }
}

static bool put_all(const zl_trip *t, int which, zl_side *s)
{
    zl_solver span;
    span.pivots = 0;
    bool stores = s->form->stores;
    if (!put_heads(t, which, s)) return false;
    for (unsigned i = 0; i < s->registers; i++)
        if (!zl_solver_put(&span, zl_bitmap_at(s->at, s->mid.to[i]), 0)) return false;
    zl_solver threads = span;
    put_threads(s, stores ? &span : &threads, stores);
    put_others(t, which, s, &span);
    s->kept |= s->mid.has & ZL_REGISTERS;
    return true;
}

/* ---- counts ------------------------------------------------------------------------------ */

uint32_t zl_side_phases(const zl_side *s, const zl_conversion *c)
{
    uint32_t row = c->machine.banks * c->machine.bank_bytes;
    uint32_t rows = s->form->matrices ? 8 * s->form->matrices : c->machine.lanes;
    uint32_t least = row ? rows * s->form->bytes / row : 1;
    if (s->form->matrices) return s->form->matrices;
    if (s->banked.model) return s->banked.model->count;
    return least ? least : 1;
}

/* Permutes of a side.  Where an access is narrower than a word, each element that is not the low
 * one of its word takes one. */
static uint32_t permutes_of(const zl_side *s, const zl_conversion *c, const zl_bitmap *back)
{
    uint32_t narrow = c->word > s->units.count ? c->word - s->units.count : 0;
    if (s->form->matrices || !narrow) return zl_in_lane_count(c, back);
    return s->accesses - (s->accesses >> narrow);
}

bool zl_side_behind(const zl_side *s, uint64_t dst, zl_bitmap *out)
{
    zl_solver span;
    span.pivots = 0;
    out->has = 0;
    for (unsigned i = 0; i < s->registers; i++)
        zl_solver_put(&span, zl_bitmap_at(s->at, s->mid.to[i]), zl_bit(i));
    for (uint64_t left = dst; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        uint64_t registers = zl_bit(k);
        if (k < zl_level_low[ZL_LANE] && zl_solver_reduce(&span, s->at->to[k], &registers))
            return false;
        zl_bitmap_put(out, k, registers);
    }
    return true;
}

/* Whether all lanes of a fragment take part, and its units are independent. */
static bool lanes_whole(const zl_side *s)
{
    if (!s->form->matrices) return true;
    for (unsigned i = 0; i < MATRIX_LANES; i++)
        if (!(s->kept >> lane_bit(i) & 1)) return false;
    zl_solver span;
    span.pivots = 0;
    for (unsigned i = 0; i < s->units.count; i++)
        if (!zl_solver_put(&span, s->units.unit[i], 0)) return false;
    return true;
}

bool zl_side_take(zl_trip *t, int which, const zl_form_row *form)
{
    const zl_conversion *c = t->c;
    zl_side *s = &t->side[which];
    zl_bitmap post;
    s->form = form;
    s->at = &t->at[which];
    s->units = t->units[which];
    s->mid.has = s->kept = 0;
    s->registers = 0;
    if (!put_all(t, which, s) || !lanes_whole(s)) return false;
    unsigned each = form->matrices ? c->word : s->units.count;
    if (s->registers < each) return false;
    s->accesses = 1u << (s->registers - each);
    if (form->matrices > s->accesses) return false;
    if (form->matrices) s->accesses /= form->matrices;
    s->phases = zl_side_phases(s, c);
    if (form->stores) {
        s->permutes = permutes_of(s, c, &s->mid);
        return true;
    }
    if (!zl_side_behind(s, s->at->has, &post)) return false;
    s->permutes = permutes_of(s, c, &post);
    return true;
}
