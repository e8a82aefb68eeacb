/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the addresses of a tile's elements: a base plus a constant where the offset is a plain
 * sum, the XOR of a swizzle, an entry of a table, or sums of products of the symbolic strides that
 * the function is given. Each side chooses for itself. Symbolic steps are computed once, where the
 * function begins. */
#include "base/scan.h"
#include "emit/move/tile.h"

#include <string.h>

typedef unsigned long long ull;
typedef long long ll;

static const char *const base_names[] = {"from", "to"};
static const char *const pointers[] = {"source", "dest"};
static const char *const plain_names[] = {"source_at", "dest_at"};
static const char *const placed_names[] = {"source_here", "dest_here"};

/* ---- names ------------------------------------------------------------------------ */

/* far = a factor, which may be symbolic; `place` is the product so far. */
static const char *factor(zl_tile_text *t, const char *at)
{
    size_t length = strcspn(at, "* ");
    if (zl_is_digit(*at)) zl_emit_line(&t->e, "mov.s64 far, %.*s;", (int)length, at);
    else zl_emit_line(&t->e, "mov.b64 far, by_%.*s;", (int)length, at);
    zl_emit_line(&t->e, "mul.lo.s64 place, place, far;");
    return at + length;
}

/* out += a sum of products of numbers and names, as zlay_move_step_print prints it. */
static void add_sum(zl_tile_text *t, const char *out, const char *at)
{
    while (*at) {
        bool minus = false;
        for (; *at && strchr("+- ", *at); at++) minus = minus != (*at == '-');
        zl_emit_line(&t->e, "mov.s64 place, %d;", minus ? -1 : 1);
        for (at = factor(t, at); *at == '*';) at = factor(t, at + 1);
        zl_emit_line(&t->e, "add.s64 %s, %s, place;", out, out);
        at += strspn(at, " ");
    }
}

/* out += a step or offset, from its text. */
static void add_text(zl_tile_text *t, const char *out, uint32_t part, uint32_t mode, int side)
{
    char text[ZL_OFFSET_TEXT + ZL_TILE_TEXT];
    zlay_buf buf = {text, sizeof text, 0};
    if (!zlay_move_step_print(&buf, t->move, part, mode, side)) add_sum(t, out, text);
}

void zl_tile_steps(zl_tile_text *t)
{
    const char *name;
    for (size_t i = 0; (name = zl_tile_name(t->move, i)); i++) {
        zl_emit_line(&t->e, ".reg .b64 by_%s;", name);
        zl_emit_line(&t->e, "ld.param.b64 by_%s, [name_%s];", name, name);
    }
    for (int side = 0; side < ZL_TILE_SIDES; side++) {
        if (!zl_tile_named(t->move, side)) continue;
        for (uint32_t k = 0; k < t->move->parts[0].part.modes; k++) {
            char step[16];
            zl_text text = {step, sizeof step - 1, 0};
            zl_putf(&text, "step%d_%u", side, k);
            step[text.need] = 0;
            zl_emit_line(&t->e, ".reg .b64 %s;", step);
            zl_emit_line(&t->e, "mov.b64 %s, 0;", step);
            add_text(t, step, 0, k, side);
        }
    }
}

void zl_tile_add_named(zl_tile_text *t, const char *offset, int side, uint32_t mode,
                       const char *count, uint64_t times)
{
    if (mode == t->part->part.modes) {
        add_text(t, offset, t->index, mode, side);
        return;
    }
    zl_emit_line(&t->e, "mul.lo.s64 far, step%d_%u, %llu;", side, mode, (ull)times);
    if (count) zl_emit_line(&t->e, "mad.lo.s64 %s, %s, far, %s;", offset, count, offset);
    else zl_emit_line(&t->e, "add.s64 %s, %s, far;", offset, offset);
}

/* place = the offset of a value of the block, on a side with symbolic strides. */
static void place_named(zl_tile_text *t, int side, uint64_t value)
{
    const zl_move_part *p = t->part;
    uint32_t bits = t->move->info.elem_bits, unit = bits < 8 ? 8 / bits : 1;
    zl_emit_line(&t->e, "mov.b64 place, %s;", base_names[side]);
    for (uint32_t k = 0; k < p->part.modes; k++) {
        uint64_t at = zl_tile_coordinate(p, k, value, unit);
        if (at) zl_tile_add_named(t, "place", side, k, NULL, at);
    }
}

/* ---- addresses ---------------------------------------------------------------------- */

/* out = the side's address plus the bytes in `far`. */
static void to_pointer(zl_tile_text *t, int side, const char *out)
{
    if (zl_tile_shared(t, side)) {
        zl_emit_line(&t->e, "cvt.u32.u64 z, far;");
        zl_emit_line(&t->e, "add.u32 %s, z, %s;", out, pointers[side]);
    } else {
        zl_emit_line(&t->e, "add.s64 %s, far, %s;", out, pointers[side]);
    }
}

/* out = the address of an offset in elements. */
static void to_address(zl_tile_text *t, int side, const char *offset, const char *out)
{
    uint32_t bits = t->move->info.elem_bits;
    zl_emit_line(&t->e, "mul.lo.s64 far, %s, %u;", offset, bits >= 8 ? bits / 8 : bits);
    if (bits < 8) zl_emit_line(&t->e, "shr.s64 far, far, 3;");
    to_pointer(t, side, out);
}

void zl_tile_bases(zl_tile_text *t)
{
    for (int side = 0; side < ZL_TILE_SIDES; side++)
        if (zl_tile_plain(t, side) && !zl_tile_is_held(t, side))
            to_address(t, side, base_names[side], plain_names[side]);
}

static const char *plain_address(char room[40], int side, ll bytes)
{
    zl_text text = {room, 39, 0};
    zl_puts(&text, plain_names[side]);
    if (bytes) zl_putf(&text, "+%lld", bytes);
    room[text.need] = 0;
    return room;
}

const char *zl_tile_address(zl_tile_text *t, char room[40], int side, int64_t more,
                            uint64_t value)
{
    const zlay_move_swizzle *s = &t->move->swizzle[side];
    ll bytes = (ll)more * (ll)(t->move->info.elem_bits / 8);
    if (zl_tile_plain(t, side) && bytes == (int32_t)bytes)
        return plain_address(room, side, bytes);
    if (zl_tile_named(t->move, side)) place_named(t, side, value);
    else
        zl_emit_line(&t->e, t->part->part.combine == 1 ? "xor.b64 place, %s, %lld;"
                                                       : "add.s64 place, %s, %lld;",
                     base_names[side], (ll)more);
    if (zl_tile_listed(t->part)) {
        zl_tile_look_up(t, side);
        to_pointer(t, side, placed_names[side]);
        return placed_names[side];
    }
    zl_emit_swizzle(&t->e, "place", "wide", (zl_swizzle){s->bits, s->base, s->shift});
    to_address(t, side, "place", placed_names[side]);
    return placed_names[side];
}
