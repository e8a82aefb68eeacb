/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets of a part's sides and the addresses of its accesses, as C. An offset is a sum, or an XOR, of
 * digits times steps, in 32 bits where its range allows. Its swizzle is computed once where the
 * constants of the accesses have no bit that the offset may have: the swizzle is then linear, and an
 * address is (offset ^ some bits) + others. */
#include "emit/function/copy/copy.h"

#include "base/scan.h"

#include <string.h>

typedef unsigned long long ull;
typedef long long ll;

static const char *const pointers[] = {"from", "to"}, *const numbers[] = {"from_at", "to_at"};
static const char raw_name[] = "xy", plain_name[] = "pq", mixed_name[] = "mn";
static const char *const types[] = {"unsigned", "int", "long long"};
static const char *const casts[] = {"", "(int)", "(long long)"};
static const char *const suffixes[] = {"u", "", "ll"};

/* ---- swizzles in the unit of the offsets ---------------------------------------------------- */

/* log2 of the elements of a byte, negative where an element has several bytes. */
static int sub_byte(const zl_tile_c *t) { return 3 - __builtin_ctz(t->move->info.elem_bits); }

static zl_swizzle swizzle_of(const zl_tile_c *t, int side)
{
    const zlay_move_swizzle *s = &t->move->swizzle[side];
    int down = t->side[side].in_bytes ? sub_byte(t) : 0;
    return (zl_swizzle){s->bits, s->base - down, s->shift};
}

static uint64_t mask_of(zl_swizzle s) { return (((uint64_t)1 << s.bits) - 1) << s.base; }

/* The bits that a swizzle flips. */
static uint64_t flips(zl_swizzle s, uint64_t x)
{
    if (!s.bits) return 0;
    return s.shift >= 0 ? x >> s.shift & mask_of(s) : (x & mask_of(s)) << -s.shift;
}

static void swizzle_put(zl_text *out, zl_swizzle s, const char *x, const char *suffix)
{
    if (!s.bits) zl_puts(out, x);
    else if (s.shift >= 0)
        zl_putf(out, "(%s ^ (%s >> %d & %llu%s))", x, x, (int)s.shift, (ull)mask_of(s), suffix);
    else
        zl_putf(out, "(%s ^ (%s & %llu%s) << %d)", x, x, (ull)mask_of(s), suffix, -(int)s.shift);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static int64_t in_unit(const zl_tile_c *t, int side, int64_t elements)
{
    return t->side[side].in_bytes ? elements * (int64_t)t->move->info.elem_bits / 8 : elements;
}

static int64_t offset_of(const zl_tile_c *t, int side)
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
    int64_t each = sub_byte(t) > 0 ? 1ll << sub_byte(t) : 1;
    const zlay_move_swizzle *s = &t->move->swizzle[side];
    if (zl_tile_named(t->move, side) || zl_tile_listed(t->part)) return false;
    if (offset_of(t, side) % each || (s->bits && s->base < sub_byte(t))) return false;
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
    int64_t first = in_unit(t, side, offset_of(t, side));
    range all = {first, first}, part = l->plain ? all : (range){0, 0};
    bool looped = zl_tile_is_looped(t->move, t->part), mixed = t->part->part.combine == 1;
    l->ones = 0;
    for (uint32_t i = 0; i < t->part->part.digits; i++) {
        const zlay_move_digit *d = &t->part->digit[i];
        int64_t step = in_unit(t, side, step_of(t, side, d));
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

/* The step of a mode of a named side; of mode number `modes` the part's offset. */
static void step_put(zl_tile_c *t, int side, uint32_t mode)
{
    char text[ZL_OFFSET_TEXT + ZL_TILE_TEXT];
    zlay_buf buf = {text, sizeof text, 0};
    if (zlay_move_step_print(&buf, t->move, t->index, mode, side)) return;
    bool sum = strpbrk(text, "+-");
    zl_puts(t->e.out, sum ? "(" : "");
    names_put(t->e.out, text);
    zl_puts(t->e.out, sum ? ")" : "");
}

static bool is_named(const zl_tile_c *t, int side) { return zl_tile_named(t->move, side); }

bool zl_tile_c_steps(const zl_tile_c *t, int side, const zlay_move_digit *d)
{
    if (t->side[side].held || d->extent < 2) return false;
    return is_named(t, side) || step_of(t, side, d);
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
    if (is_named(t, side)) {
        zl_putf(out, "%sd%u * ", first ? "" : " + ", (unsigned)i);
        if (d->step != 1) zl_putf(out, "%llull * ", (ull)d->step);
        step_put(t, side, d->mode);
        return;
    }
    int64_t step = in_unit(t, side, step_of(t, side, d));
    bool minus = step < 0 && !first && !t->part->part.combine;
    zl_putf(out, "%s%sd%u", operator_of(t, step, first), casts[l->word], (unsigned)i);
    if (step != 1) zl_putf(out, " * %lld%s", minus ? -(ll)step : (ll)step, suffixes[l->word]);
}

static void sum_put(zl_tile_c *t, int side, uint32_t levels)
{
    const zl_tile_c_side *l = &t->side[side];
    int64_t offset = in_unit(t, side, offset_of(t, side));
    bool first = true;
    if (is_named(t, side)) step_put(t, side, t->part->part.modes), first = false;
    else if (l->plain && offset)
        zl_putf(t->e.out, "%lld%s", (ll)offset, suffixes[l->word]), first = false;
    for (uint32_t i = 0; i < t->part->part.digits; i++) {
        const zlay_move_digit *d = &t->part->digit[i];
        if (!(levels >> d->level & 1) || !zl_tile_c_steps(t, side, d)) continue;
        term_put(t, side, i, first);
        first = false;
    }
    if (first) zl_putf(t->e.out, "0%s", suffixes[l->word]);
}

static const char *type_of_base(const zl_tile_c *t, int side)
{
    if (!t->side[side].direct) return side ? "unsigned char *" : "const unsigned char *";
    return zl_tile_c_space(t, side) == ZLAY_MOVE_GLOBAL ? "unsigned long long " : "unsigned ";
}

/* A number of the base's width. */
static const char *narrowed(const zl_tile_c *t, int side)
{
    const zl_tile_c_side *l = &t->side[side];
    bool narrow = l->direct && zl_tile_c_space(t, side) != ZLAY_MOVE_GLOBAL;
    return narrow && l->word != ZL_OFFSET_UNSIGNED ? "(unsigned)" : "";
}

static const char *base_of(zl_tile_c *t, int side)
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
                type_of_base(t, side), plain_name[side], base_of(t, side), narrowed(t, side));
    else zl_putf(t->e.out, "const %s %c = ", types[l->word], raw_name[side]);
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
        const char raw[] = {raw_name[side], 0};
        zl_put_times(t->e.out, "    ", t->depth);
        zl_putf(t->e.out, "const %s %c = ", types[l->word], mixed_name[side]);
        swizzle_put(t->e.out, swizzle_of(t, side), raw, suffixes[l->word]);
        zl_puts(t->e.out, ";\n");
    }
}

/* ---- addresses ------------------------------------------------------------------------------- */

static void ended(zl_text *text) { text->text[text->need < text->room ? text->need : text->room] = 0; }

static const char *plain_address(const zl_tile_c *t, char room[ZL_TILE_C_ROOM], int side, ll more)
{
    zl_text text = {room, ZL_TILE_C_ROOM - 1, 0};
    bool narrow = t->side[side].direct && zl_tile_c_space(t, side) != ZLAY_MOVE_GLOBAL;
    zl_putf(&text, "%c", plain_name[side]);
    if (more)
        zl_putf(&text, " %c %llu%s", more < 0 ? '-' : '+', more < 0 ? -(ull)more : (ull)more,
                narrow ? "u" : more == (int32_t)more ? "" : "ll");
    ended(&text);
    return room;
}

/* (m ^ some) + others: `bits` are those of the constant behind its swizzle. */
static const char *mixed_address(zl_tile_c *t, char room[ZL_TILE_C_ROOM], int side, int64_t bits)
{
    zl_tile_c_side *l = &t->side[side];
    zl_text text = {room, ZL_TILE_C_ROOM - 1, 0};
    uint64_t ones = l->ones | flips(swizzle_of(t, side), l->ones);
    int64_t some = bits & (int64_t)ones, others = bits & (int64_t)~ones;
    bool swizzled = t->move->swizzle[side].bits;
    char name = swizzled ? mixed_name[side] : raw_name[side];
    const char *suffix = suffixes[l->word];
    *(swizzled ? &l->mixed : &l->raw) = true;
    zl_putf(&text, "%s + %s", base_of(t, side), narrowed(t, side));
    if (some) zl_putf(&text, "(%c ^ %lld%s)", name, (ll)some, suffix);
    else zl_putf(&text, "%c", name);
    if (others) zl_putf(&text, " + %lld%s", (ll)others, suffix);
    ended(&text);
    return room;
}

/* x3 = the offset of a value, in elements or bytes, before the swizzle. */
static void apart_put(zl_tile_c *t, const char *name, int side, int64_t more, uint64_t value)
{
    zl_tile_c_side *l = &t->side[side];
    zl_text *out = t->e.out;
    uint32_t bits = t->move->info.elem_bits, unit = bits < 8 ? 8 / bits : 1;
    l->raw = true;
    zl_put_times(out, "    ", t->depth);
    zl_putf(out, "const %s %s = %c", types[l->word], name, raw_name[side]);
    if (is_named(t, side)) {
        for (uint32_t k = 0; k < t->part->part.modes; k++) {
            uint64_t at = zl_tile_coordinate(t->part, k, value, unit);
            if (!at) continue;
            zl_putf(out, " + %llull * ", (ull)at);
            step_put(t, side, k);
        }
    } else if (more) {
        ll by = in_unit(t, side, more);
        const char *sign = t->part->part.combine == 1 ? "^" : by < 0 ? "-" : "+";
        zl_putf(out, " %s %llu%s", sign, *sign == '-' ? -(ull)by : (ull)by, suffixes[l->word]);
    }
    zl_puts(out, ";\n");
}

/* The address behind an offset that only one access has. */
static const char *apart_address(zl_tile_c *t, char room[ZL_TILE_C_ROOM], int side, int64_t more,
                                 uint64_t value)
{
    zl_text text = {room, ZL_TILE_C_ROOM - 1, 0};
    char name[16];
    zl_text of = {name, sizeof name - 1, 0};
    int down = t->side[side].in_bytes ? 0 : sub_byte(t);
    zl_putf(&of, "%c%u", raw_name[side], (unsigned)value);
    ended(&of);
    apart_put(t, name, side, more, value);
    zl_putf(&text, "%s + %s(", base_of(t, side), narrowed(t, side));
    swizzle_put(&text, swizzle_of(t, side), name, suffixes[t->side[side].word]);
    if (down > 0) zl_putf(&text, " >> %d", down);
    if (down < 0) zl_putf(&text, " * %d%s", 1 << -down, suffixes[t->side[side].word]);
    zl_puts(&text, ")");
    ended(&text);
    return room;
}

static const char *listed_address(zl_tile_c *t, char room[ZL_TILE_C_ROOM], int side, int64_t more,
                                  uint64_t value)
{
    char number[32], byte[16];
    zl_text of = {number, sizeof number - 1, 0}, to = {byte, sizeof byte - 1, 0};
    zl_text text = {room, ZL_TILE_C_ROOM - 1, 0};
    if (more) zl_putf(&of, "(%c + %lldu)", raw_name[side], (ll)more);
    else zl_putf(&of, "%c", raw_name[side]);
    zl_putf(&to, "%c%u", raw_name[side], (unsigned)value);
    ended(&of);
    ended(&to);
    zl_tile_c_look_up(t, side, number, byte);
    zl_putf(&text, "%s + %s", base_of(t, side), byte);
    ended(&text);
    return room;
}

const char *zl_tile_c_address(zl_tile_c *t, char room[ZL_TILE_C_ROOM], int side, int64_t more,
                            uint64_t value)
{
    const zl_tile_c_side *l = &t->side[side];
    if (l->plain) return plain_address(t, room, side, in_unit(t, side, more));
    if (zl_tile_listed(t->part)) return listed_address(t, room, side, more, value);
    int64_t all = zl_tile_add(t->part, offset_of(t, side), more);
    int64_t by = in_unit(t, side, all);
    bool linear = t->part->part.combine == 1 ||
                  (l->word == ZL_OFFSET_UNSIGNED && by >= 0 && !(l->ones & (uint64_t)by));
    if (l->in_bytes && linear && !is_named(t, side))
        return mixed_address(t, room, side, by ^ (int64_t)flips(swizzle_of(t, side), (uint64_t)by));
    return apart_address(t, room, side, all, value);
}
