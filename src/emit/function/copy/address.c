/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of a part's accesses as C. A plain side is a pointer and a constant. A swizzle is computed
 * once where the constant of an access has no bit that the offset may have: it is then linear over F2,
 * and the address is (swizzled offset ^ some bits) + others. Any other access has an offset of its own. */
#include "emit/function/copy/offset.h"

static void ended(zl_text *text)
{
    text->text[text->need < text->room ? text->need : text->room] = 0;
}

static const char *plain_address(const zl_tile_c *t, char room[ZL_TILE_C_ROOM], int side,
                                 long long more)
{
    zl_text text = {room, ZL_TILE_C_ROOM - 1, 0};
    bool narrow = t->side[side].direct && zl_tile_c_space(t, side) != ZLAY_MOVE_GLOBAL;
    unsigned long long by = more < 0 ? -(unsigned long long)more : (unsigned long long)more;
    zl_putf(&text, "%c", zl_tile_c_plain[side]);
    if (more)
        zl_putf(&text, " %c %llu%s", more < 0 ? '-' : '+', by,
                narrow ? "u" : more == (int32_t)more ? "" : "ll");
    ended(&text);
    return room;
}

/* (m ^ some) + others: `bits` are those of the constant behind its swizzle. */
static const char *mixed_address(zl_tile_c *t, char room[ZL_TILE_C_ROOM], int side, int64_t bits)
{
    zl_tile_c_side *l = &t->side[side];
    zl_text text = {room, ZL_TILE_C_ROOM - 1, 0};
    uint64_t ones = l->ones | zl_tile_c_flips(zl_tile_c_swizzle(t, side), l->ones);
    int64_t some = bits & (int64_t)ones, others = bits & (int64_t)~ones;
    bool swizzled = t->move->swizzle[side].bits;
    char name = swizzled ? zl_tile_c_mixed[side] : zl_tile_c_raw[side];
    const char *suffix = zl_tile_c_suffixes[l->word];
    *(swizzled ? &l->mixed : &l->raw) = true;
    zl_putf(&text, "%s + %s", zl_tile_c_base(t, side), zl_tile_c_narrowed(t, side));
    if (some) zl_putf(&text, "(%c ^ %lld%s)", name, (long long)some, suffix);
    else zl_putf(&text, "%c", name);
    if (others) zl_putf(&text, " + %lld%s", (long long)others, suffix);
    ended(&text);
    return room;
}

/* What a value of a named side adds to the offset; false: nothing. */
static bool named_put(zl_tile_c *t, zl_text *out, int side, uint64_t value)
{
    uint32_t bits = t->move->info.elem_bits, unit = bits < 8 ? 8 / bits : 1;
    zl_text *before = t->e.out;
    bool any = false;
    t->e.out = out;
    for (uint32_t k = 0; k < t->part->part.modes; k++) {
        uint64_t at = zl_tile_coordinate(t->part, k, value, unit);
        if (!at) continue;
        zl_puts(out, " + ");
        zl_tile_c_step_put(t, side, k, at);
        any = true;
    }
    t->e.out = before;
    return any;
}

/* The same of a constant. */
static bool constant_put(zl_tile_c *t, zl_text *out, int side, int64_t more)
{
    long long by = zl_tile_c_unit(t, side, more);
    const char *suffix = zl_tile_c_suffixes[t->side[side].word];
    bool mixed = t->part->part.combine == 1;
    if (mixed) zl_putf(out, " ^ %lld%s", by, suffix);
    else if (by < 0) zl_putf(out, " - %llu%s", -(unsigned long long)by, suffix);
    else zl_putf(out, " + %lld%s", by, suffix);
    return by != 0;
}

/* x3 = the offset of a value, in elements or bytes, before the swizzle; x itself where that is it. */
static void apart_put(zl_tile_c *t, char name[16], int side, int64_t more, uint64_t value)
{
    zl_text nowhere = {NULL, 0, 0}, of = {name, 15, 0};
    bool named = zl_tile_named(t->move, side);
    t->side[side].raw = true;
    zl_putf(&of, "%c", zl_tile_c_raw[side]);
    bool any = named ? named_put(t, &nowhere, side, value) : constant_put(t, &nowhere, side, more);
    if (any) zl_putf(&of, "%u", (unsigned)value);
    ended(&of);
    if (!any) return;
    zl_put_times(t->e.out, "    ", t->depth);
    zl_putf(t->e.out, "const %s %s = %c", zl_tile_c_types[t->side[side].word], name,
            zl_tile_c_raw[side]);
    if (named) named_put(t, t->e.out, side, value);
    else constant_put(t, t->e.out, side, more);
    zl_puts(t->e.out, ";\n");
}

/* The address behind an offset that only one access has. */
static const char *apart_address(zl_tile_c *t, char room[ZL_TILE_C_ROOM], int side, int64_t more,
                                 uint64_t value)
{
    zl_text text = {room, ZL_TILE_C_ROOM - 1, 0};
    char name[16];
    const char *suffix = zl_tile_c_suffixes[t->side[side].word];
    int down = t->side[side].in_bytes ? 0 : zl_tile_c_down(t);
    apart_put(t, name, side, more, value);
    zl_putf(&text, "%s + %s(", zl_tile_c_base(t, side), zl_tile_c_narrowed(t, side));
    zl_tile_c_swizzle_put(&text, zl_tile_c_swizzle(t, side), name, suffix);
    if (down > 0) zl_putf(&text, " >> %d", down);
    if (down < 0) zl_putf(&text, " * %d%s", 1 << -down, suffix);
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
    if (more) zl_putf(&of, "(%c + %lldu)", zl_tile_c_raw[side], (long long)more);
    else zl_putf(&of, "%c", zl_tile_c_raw[side]);
    zl_putf(&to, "%c%u", zl_tile_c_raw[side], (unsigned)value);
    ended(&of);
    ended(&to);
    zl_tile_c_look_up(t, side, number, byte);
    zl_putf(&text, "%s + %s", zl_tile_c_base(t, side), byte);
    ended(&text);
    return room;
}

const char *zl_tile_c_address(zl_tile_c *t, char room[ZL_TILE_C_ROOM], int side, int64_t more,
                            uint64_t value)
{
    const zl_tile_c_side *l = &t->side[side];
    if (l->plain) return plain_address(t, room, side, zl_tile_c_unit(t, side, more));
    if (zl_tile_listed(t->part)) return listed_address(t, room, side, more, value);
    int64_t all = zl_tile_add(t->part, zl_tile_c_first(t, side), more);
    int64_t by = zl_tile_c_unit(t, side, all);
    bool linear = t->part->part.combine == 1 ||
                  (l->word == ZL_OFFSET_UNSIGNED && by >= 0 && !(l->ones & (uint64_t)by));
    if (l->in_bytes && linear && !zl_tile_named(t->move, side))
        return mixed_address(t, room, side, by ^ (int64_t)zl_tile_c_flips(zl_tile_c_swizzle(t, side), (uint64_t)by));
    return apart_address(t, room, side, all, value);
}
