/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets of a part's sides as C: a sum, or an XOR, of digits times steps, in 32 bits where its range
 * allows, and its swizzle. Which bits an offset may have is known too (address.c). */
#include "emit/function/copy/offset.h"

#include "base/scan.h"

#include <string.h>

static const char *const pointers[] = {"from", "to"}, *const numbers[] = {"from_at", "to_at"};
const char zl_tile_c_raw[] = "xy", zl_tile_c_plain[] = "pq", zl_tile_c_mixed[] = "mn";
const char *const zl_tile_c_types[] = {"unsigned", "int", "long long"};
const char *const zl_tile_c_suffixes[] = {"u", "", "ll"};
static const char *const casts[] = {"", "(int)", "(long long)"};

enum { STEP_ROOM = ZL_OFFSET_TEXT + ZL_TILE_TEXT };

/* ---- swizzles in the unit of the offsets ---------------------------------------------------- */

int zl_tile_c_down(const zl_tile_c *t) { return 3 - __builtin_ctz(t->move->info.elem_bits); }

zl_swizzle zl_tile_c_swizzle(const zl_tile_c *t, int side)
{
    const zlay_move_swizzle *s = &t->move->swizzle[side];
    int down = t->side[side].in_bytes ? zl_tile_c_down(t) : 0;
    return (zl_swizzle){s->bits, s->base - down, s->shift};
}

static uint64_t mask_of(zl_swizzle s) { return (((uint64_t)1 << s.bits) - 1) << s.base; }

uint64_t zl_tile_c_flips(zl_swizzle s, uint64_t x)
{
    if (!s.bits) return 0;
    return s.shift >= 0 ? x >> s.shift & mask_of(s) : (x & mask_of(s)) << -s.shift;
}

void zl_tile_c_swizzle_put(zl_text *out, zl_swizzle s, const char *x, const char *suffix)
{
    if (!s.bits) zl_puts(out, x);
    else if (s.shift >= 0)
        zl_putf(out, "(%s ^ (%s >> %d & %llu%s))", x, x, (int)s.shift, (unsigned long long)mask_of(s), suffix);
    else
        zl_putf(out, "(%s ^ (%s & %llu%s) << %d)", x, x, (unsigned long long)mask_of(s), suffix, -(int)s.shift);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

int64_t zl_tile_c_unit(const zl_tile_c *t, int side, int64_t elements)
{
    return t->side[side].in_bytes ? elements * (int64_t)t->move->info.elem_bits / 8 : elements;
}

int64_t zl_tile_c_first(const zl_tile_c *t, int side)
{
    if (zl_tile_listed(t->part)) return 0;
    return side ? t->part->part.dest : t->part->part.source;
}

/* What a digit adds when it goes up by one, in elements. */
static int64_t step_of(const zl_tile_c *t, int side, const zlay_move_digit *d)
{
    return zl_tile_step(t->part, side, d->mode) * (int64_t)d->step;
}

/* Whether every offset is a whole byte, and no swizzle reaches into one. */
static bool whole_bytes(const zl_tile_c *t, int side)
{
    int64_t each = zl_tile_c_down(t) > 0 ? INT64_C(1) << zl_tile_c_down(t) : 1;
    const zlay_move_swizzle *s = &t->move->swizzle[side];
    if (zl_tile_named(t->move, side) || zl_tile_listed(t->part)) return false;
    if (zl_tile_c_first(t, side) % each || (s->bits && s->base < zl_tile_c_down(t))) return false;
    for (uint32_t i = 0; i < t->part->part.digits; i++) {
        const zlay_move_digit *d = &t->part->digit[i];
        if (d->level != ZLAY_DIGIT_VALUE && step_of(t, side, d) % each) return false;
    }
    return true;
}

/* The bits that a sum of two numbers may have. */
static uint64_t ones_of_sum(uint64_t a, uint64_t b)
{
    if (!(a & b)) return a | b;
    uint64_t top = a + b, low = a | b;
    if (top < a || top >> 63) return UINT64_MAX;
    uint64_t below = top ? ((uint64_t)2 << (63 - __builtin_clzll(top))) - 1 : 0;
    return below & ~((low & -low) - 1);
}

static uint64_t ones_of_digit(uint64_t most, uint64_t step)
{
    uint64_t ones = 0;
    for (uint64_t n = most; n; n >>= 1) ones |= n;
    for (uint64_t digits = step, all = ones, sum = 0; digits; digits &= digits - 1) {
        sum = ones_of_sum(sum, all << __builtin_ctzll(digits));
        ones = sum;
    }
    return step ? ones : 0;
}

typedef struct range {
    int64_t least, greatest;
} range;

static void range_add(range *r, int64_t step, uint64_t most)
{
    int64_t by = step * (int64_t)most;
    if (by < 0) r->least += by;
    else r->greatest += by;
}

/* The ranges of offsets with and without what accesses and values add, and the bits of the latter. */
static void word_find(zl_tile_c *t, int side)
{
    zl_tile_c_side *l = &t->side[side];
    int64_t first = zl_tile_c_unit(t, side, zl_tile_c_first(t, side));
    range all = {first, first}, part = l->plain ? all : (range){0, 0};
    bool looped = zl_tile_is_looped(t->move, t->part), mixed = t->part->part.combine == 1;
    l->ones = 0;
    for (uint32_t i = 0; i < t->part->part.digits; i++) {
        const zlay_move_digit *d = &t->part->digit[i];
        int64_t step = zl_tile_c_unit(t, side, step_of(t, side, d));
        range_add(&all, step, d->extent - 1);
        if (d->level == ZLAY_DIGIT_VALUE && !t->part->part.matrices) continue;
        if (d->level == ZLAY_DIGIT_ACCESS && !looped) continue;
        range_add(&part, step, d->extent - 1);
        uint64_t ones = ones_of_digit(d->extent - 1, (uint64_t)step);
        l->ones = mixed ? l->ones | ones : ones_of_sum(l->ones, ones);
    }
    int64_t least = all.least < part.least ? all.least : part.least;
    int64_t greatest = all.greatest > part.greatest ? all.greatest : part.greatest;
    if (zl_tile_named(t->move, side)) l->word = ZL_OFFSET_LONG;
    else if (least >= 0 && greatest <= UINT32_MAX / 2) l->word = ZL_OFFSET_UNSIGNED;
    else if (least >= INT32_MIN && greatest <= INT32_MAX && !mixed) l->word = ZL_OFFSET_INT;
    else l->word = ZL_OFFSET_LONG;
    if (l->word != ZL_OFFSET_UNSIGNED) l->ones = UINT64_MAX;
}

/* ---- what a side is -------------------------------------------------------------------------- */

static bool is_direct(const zl_tile_c *t, int side)
{
    const zlay_move_part *p = &t->part->part;
    uint32_t width = side ? p->width : p->source_width;
    return zl_tile_c_space(t, side) == ZLAY_MOVE_PEER || zl_tile_is_one(p->kind) || p->matrices ||
           width > 16;
}

void zl_tile_c_sides_of(zl_tile_c *t)
{
    for (int side = 0; side < ZL_TILE_SIDES; side++) {
        zl_tile_c_side *l = &t->side[side];
        *l = (zl_tile_c_side){.held = zl_tile_c_space(t, side) == ZLAY_MOVE_REGISTER};
        if (l->held) continue;
        l->direct = is_direct(t, side);
        l->in_bytes = whole_bytes(t, side);
        l->plain = l->in_bytes && !t->move->swizzle[side].bits && !t->part->part.combine;
        word_find(t, side);
    }
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* A sum of products of numbers and names, as zlay_move_step_print prints it. */
static void names_put(zl_text *out, const char *at)
{
    while (*at) {
        size_t length = strcspn(at, "*+- ");
        if (!length) zl_put(out, at, length = 1);
        else if (zl_is_digit(*at)) zl_putf(out, "%.*sll", (int)length, at);
        else zl_putf(out, "name_%.*s", (int)length, at);
        at += length;
    }
}

/* The text of a step: a number or a sum of products of names. */
static const char *step_text(const zl_tile_c *t, char room[STEP_ROOM], int side, uint32_t mode)
{
    zlay_buf buf = {room, STEP_ROOM, 0};
    return zlay_move_step_print(&buf, t->move, t->index, mode, side) ? "0" : room;
}

void zl_tile_c_step_put(zl_tile_c *t, int side, uint32_t mode, uint64_t times)
{
    char room[STEP_ROOM];
    const char *text = step_text(t, room, side, mode);
    bool sum = strpbrk(text, "+-"), one = !strcmp(text, "1");
    if (times != 1 || one) zl_putf(t->e.out, "%llull", (unsigned long long)times);
    if (one) return;
    zl_puts(t->e.out, times != 1 ? " * " : "");
    zl_puts(t->e.out, sum ? "(" : "");
    names_put(t->e.out, text);
    zl_puts(t->e.out, sum ? ")" : "");
}

bool zl_tile_c_steps(const zl_tile_c *t, int side, const zlay_move_digit *d)
{
    if (t->side[side].held || d->extent < 2) return false;
    return zl_tile_named(t->move, side) || step_of(t, side, d);
}

static const char *operator_of(const zl_tile_c *t, int64_t step, bool first)
{
    if (first) return "";
    return t->part->part.combine == 1 ? " ^ " : step < 0 ? " - " : " + ";
}

/* A digit times its step.  Subtracted where a positive number is before it. */
static void term_put(zl_tile_c *t, int side, uint32_t i, bool first)
{
    const zl_tile_c_side *l = &t->side[side];
    const zlay_move_digit *d = &t->part->digit[i];
    zl_text *out = t->e.out;
    if (zl_tile_named(t->move, side)) {
        zl_putf(out, "%sd%u * ", first ? "" : " + ", (unsigned)i);
        zl_tile_c_step_put(t, side, d->mode, d->step);
        return;
    }
    int64_t step = zl_tile_c_unit(t, side, step_of(t, side, d));
    bool minus = step < 0 && !first && !t->part->part.combine;
    zl_putf(out, "%s%sd%u", operator_of(t, step, first), casts[l->word], (unsigned)i);
    if (step != 1) zl_putf(out, " * %lld%s", minus ? -(long long)step : (long long)step, zl_tile_c_suffixes[l->word]);
}

static void sum_put(zl_tile_c *t, int side, uint32_t levels)
{
    const zl_tile_c_side *l = &t->side[side];
    int64_t offset = zl_tile_c_unit(t, side, zl_tile_c_first(t, side));
    bool first = true;
    if (zl_tile_named(t->move, side)) {
        char room[STEP_ROOM];
        first = !strcmp(step_text(t, room, side, t->part->part.modes), "0");
        if (!first) zl_tile_c_step_put(t, side, t->part->part.modes, 1);
    } else if (l->plain && offset)
        zl_putf(t->e.out, "%lld%s", (long long)offset, zl_tile_c_suffixes[l->word]), first = false;
    for (uint32_t i = 0; i < t->part->part.digits; i++) {
        const zlay_move_digit *d = &t->part->digit[i];
        if (!(levels >> d->level & 1) || !zl_tile_c_steps(t, side, d)) continue;
        term_put(t, side, i, first);
        first = false;
    }
    if (first) zl_putf(t->e.out, "0%s", zl_tile_c_suffixes[l->word]);
}

static const char *type_of_base(const zl_tile_c *t, int side)
{
    if (!t->side[side].direct) return side ? "unsigned char *" : "const unsigned char *";
    return zl_tile_c_space(t, side) == ZLAY_MOVE_GLOBAL ? "unsigned long long " : "unsigned ";
}

const char *zl_tile_c_narrowed(const zl_tile_c *t, int side)
{
    const zl_tile_c_side *l = &t->side[side];
    bool narrow = l->direct && zl_tile_c_space(t, side) != ZLAY_MOVE_GLOBAL;
    return narrow && l->word != ZL_OFFSET_UNSIGNED ? "(unsigned)" : "";
}

const char *zl_tile_c_base(zl_tile_c *t, int side)
{
    const zl_tile_c_side *l = &t->side[side];
    if (l->direct) t->number[side] = true;
    else t->pointer[side] = true;
    return l->direct ? numbers[side] : pointers[side];
}

/* const unsigned x = .., or the pointer p. */
static void offset_put(zl_tile_c *t, int side, uint32_t levels)
{
    const zl_tile_c_side *l = &t->side[side];
    zl_put_times(t->e.out, "    ", t->depth);
    if (l->plain)
        zl_putf(t->e.out, l->direct ? "const %s%c = %s + %s(" : "%sconst %c = %s + %s(",
                type_of_base(t, side), zl_tile_c_plain[side], zl_tile_c_base(t, side), zl_tile_c_narrowed(t, side));
    else zl_putf(t->e.out, "const %s %c = ", zl_tile_c_types[l->word], zl_tile_c_raw[side]);
    sum_put(t, side, levels);
    zl_puts(t->e.out, l->plain ? ");\n" : ";\n");
}

void zl_tile_c_offsets(zl_tile_c *t, uint32_t levels)
{
    for (int side = 0; side < ZL_TILE_SIDES; side++) {
        const zl_tile_c_side *l = &t->side[side];
        if (l->held) continue;
        if (l->plain || l->raw || l->mixed) offset_put(t, side, levels);
        if (!l->mixed) continue;
        const char raw[] = {zl_tile_c_raw[side], 0};
        zl_put_times(t->e.out, "    ", t->depth);
        zl_putf(t->e.out, "const %s %c = ", zl_tile_c_types[l->word], zl_tile_c_mixed[side]);
        zl_tile_c_swizzle_put(t->e.out, zl_tile_c_swizzle(t, side), raw, zl_tile_c_suffixes[l->word]);
        zl_puts(t->e.out, ";\n");
    }
}
