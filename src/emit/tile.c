/* SPDX-License-Identifier: Apache-2.0 */
/* A move by threads as a PTX function: who takes part, which coordinates a thread has, its accesses
 * one after the other. */
#include "emit/tile.h"

#include <string.h>

typedef unsigned long long ull;
typedef long long ll;

static const char *const base_names[] = {"from", "to"};

/* ---- coordinates ------------------------------------------------------------------ */

static int64_t step_of(const zl_part *p, int side, uint32_t mode)
{
    return side ? p->mode[mode].dest : p->mode[mode].source;
}

/* Whether some thread or access is beyond the extent of a mode. */
static bool is_checked(const zl_part *p, uint32_t mode)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < p->part.digits; i++)
        if (p->digit[i].mode == mode) most += (p->digit[i].extent - 1) * p->digit[i].step;
    return most >= p->mode[mode].extent;
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

static void add_digit(zl_tile_text *t, const zlay_move_digit *d, const char *const *bases,
                      const char *coordinate)
{
    zl_emit *e = &t->e;
    zl_emit_line(e, "cvt.u64.u32 wide, digit;");
    for (int side = 0; side < ZL_TILE_SIDES; side++) {
        ll step = (ll)step_of(t->part, side, d->mode) * (ll)d->step;
        if (!step) continue;
        if (t->part->part.combine) {
            zl_emit_line(e, "mul.lo.s64 far, wide, %lld;", step);
            zl_emit_line(e, "xor.b64 %s, %s, far;", bases[side], bases[side]);
        } else {
            zl_emit_line(e, "mad.lo.s64 %s, wide, %lld, %s;", bases[side], step, bases[side]);
        }
    }
    if (is_checked(t->part, d->mode))
        zl_emit_line(e, "mad.lo.s64 %s%u, wide, %llu, %s%u;", coordinate, d->mode, (ull)d->step,
                     coordinate, d->mode);
}

static void digits(zl_tile_text *t, int32_t level, const char *const *bases, const char *coordinate)
{
    for (uint32_t i = 0; i < t->part->part.digits; i++) {
        const zlay_move_digit *d = &t->part->digit[i];
        if (d->level != level) continue;
        take_digit(t, d->extent);
        add_digit(t, d, bases, coordinate);
    }
}

/* ---- accesses ---------------------------------------------------------------------- */

/* Coordinates of an access that is known when the text is printed; false: beyond an extent. */
static bool known_access(const zl_part *p, uint64_t access, uint64_t *at, int64_t *more)
{
    memset(at, 0, p->part.modes * sizeof *at);
    for (uint32_t i = 0; i < p->part.digits; i++) {
        const zlay_move_digit *d = &p->digit[i];
        if (d->level != ZLAY_DIGIT_ACCESS) continue;
        at[d->mode] += access % d->extent * d->step;
        access /= d->extent;
    }
    for (int side = 0; side < ZL_TILE_SIDES; side++) {
        more[side] = 0;
        for (uint32_t k = 0; k < p->part.modes; k++) {
            int64_t step = (int64_t)at[k] * step_of(p, side, k);
            more[side] = p->part.combine ? more[side] ^ step : more[side] + step;
        }
    }
    for (uint32_t k = 0; k < p->part.modes; k++)
        if (at[k] >= p->mode[k].extent) return false;
    return true;
}

/* Threads whose block is not there go on at the label. */
static void check_extents(zl_tile_text *t, const uint64_t *at, const char *coordinate,
                          const char *label, ull number)
{
    bool any = false;
    for (uint32_t k = 0; k < t->part->part.modes; k++) {
        if (!is_checked(t->part, k)) continue;
        zl_emit_line(&t->e, "setp.lt%s.u64 p, %s%u, %llu%s;", any ? ".and" : "", coordinate, k,
                     (ull)(t->part->mode[k].extent - (at ? at[k] : 0)), any ? ", p" : "");
        any = true;
    }
    if (any) zl_emit_line(&t->e, "@!p bra %s%u_%llu;", label, t->index, number);
}

static void unrolled(zl_tile_text *t)
{
    uint64_t at[ZL_PART_MODES];
    int64_t more[ZL_TILE_SIDES];
    for (uint64_t a = 0; a < t->part->part.accesses; a++) {
        if (!known_access(t->part, a, at, more)) continue;
        check_extents(t, at, "x", "$away", a);
        zl_tile_access(t, more);
        zl_putf(t->e.out, "$away%u_%llu:\n", t->index, (ull)a);
    }
}

static void copy_registers(zl_tile_text *t, const char *to, const char *from)
{
    for (uint32_t k = 0; k < t->part->part.modes; k++)
        if (is_checked(t->part, k)) zl_emit_line(&t->e, "mov.b64 %s%u, %s%u;", to, k, from, k);
}

static void bases_set(zl_tile_text *t);

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
    digits(t, ZLAY_DIGIT_ACCESS, base_names, "y");
    check_extents(t, NULL, "y", "$away", 0);
    bases_set(t);
    zl_tile_access(t, none);
    zl_putf(e->out, "$away%u_0:\n", t->index);
    zl_emit_line(e, "add.u32 access, access, 1;");
    zl_emit_line(e, "setp.lt.u32 p, access, %llu;", (ull)t->part->part.accesses);
    zl_emit_line(e, "@p bra $loop%u;", t->index);
}

/* ---- addresses --------------------------------------------------------------------- */

static const char *const pointers[] = {"source", "dest"};

static void to_address(zl_tile_text *t, int side, const char *offset, const char *out)
{
    uint32_t bits = t->move->info.elem_bits;
    zl_emit *e = &t->e;
    zl_emit_line(e, "mul.lo.s64 far, %s, %u;", offset, bits >= 8 ? bits / 8 : bits);
    if (bits < 8) zl_emit_line(e, "shr.s64 far, far, 3;");
    if (zl_tile_shared(t, side)) {
        zl_emit_line(e, "cvt.u32.u64 z, far;");
        zl_emit_line(e, "add.u32 %s, z, %s;", out, pointers[side]);
    } else {
        zl_emit_line(e, "add.s64 %s, far, %s;", out, pointers[side]);
    }
}

static const char *const plain_names[] = {"source_at", "dest_at"};
static const char *const placed_names[] = {"source_here", "dest_here"};

static void bases_set(zl_tile_text *t)
{
    for (int side = 0; side < ZL_TILE_SIDES; side++)
        if (zl_tile_plain(t, side)) to_address(t, side, base_names[side], plain_names[side]);
}

const char *zl_tile_address(zl_tile_text *t, char room[40], int side, int64_t more)
{
    zl_text text = {room, 39, 0};
    if (zl_tile_plain(t, side)) {
        ll bytes = (ll)more * (ll)(t->move->info.elem_bits / 8);
        zl_puts(&text, plain_names[side]);
        if (bytes == (int32_t)bytes) {
            if (bytes) zl_putf(&text, "+%lld", bytes);
            room[text.need] = 0;
            return room;
        }
    }
    zl_emit_line(&t->e, t->part->part.combine ? "xor.b64 place, %s, %lld;"
                                              : "add.s64 place, %s, %lld;",
                 base_names[side], (ll)more);
    const zlay_move_swizzle *s = &t->move->swizzle[side];
    zl_emit_swizzle(&t->e, "place", "wide", (zl_swizzle){s->bits, s->base, s->shift});
    to_address(t, side, "place", placed_names[side]);
    return placed_names[side];
}

/* ---- the function ------------------------------------------------------------------- */

/* Of a thread, all accesses together. */
static uint64_t stores_of(const zl_tile_text *t)
{
    uint64_t bits = t->move->info.elem_bits;
    for (uint32_t i = 0; i < t->part->part.digits; i++)
        if (t->part->digit[i].level == ZLAY_DIGIT_VALUE) bits *= t->part->digit[i].extent;
    return t->part->part.accesses * bits / 8 / t->part->part.width;
}

static void part(zl_tile_text *t)
{
    const zl_part *p = t->part;
    zl_emit *e = &t->e;
    zl_emit_line(e, "setp.ge.u32 p, tid, %u;", p->part.threads);
    zl_emit_line(e, "@p bra $part%u;", t->index);
    zl_emit_line(e, "mov.u32 rest, tid;");
    zl_emit_line(e, "mov.b64 from, %lld;", (ll)p->part.source);
    zl_emit_line(e, "mov.b64 to, %lld;", (ll)p->part.dest);
    for (uint32_t k = 0; k < p->part.modes; k++)
        if (is_checked(p, k)) zl_emit_line(e, "mov.b64 x%u, 0;", k);
    digits(t, ZLAY_DIGIT_THREAD, base_names, "x");
    if (p->part.accesses > 1 && stores_of(t) > ZL_TILE_UNROLLED) {
        looped(t);
    } else {
        bases_set(t);
        unrolled(t);
    }
    zl_putf(e->out, "$part%u:\n", t->index);
}

static bool has_barrier(const zlay_move *move)
{
    for (uint32_t i = 0; i < move->info.parts; i++)
        if (move->parts[i].part.kind == ZLAY_COPY_BULK_LOAD) return true;
    return false;
}

static void head(zl_tile_text *t)
{
    zl_emit *e = &t->e;
    zl_putf(e->out, "// zlay %s: a tile by %u threads\n", zlay_version(), t->move->info.threads);
    zl_putf(e->out, ".version %u.%u\n.target %s\n.address_size 64\n\n", e->ptx / 10, e->ptx % 10,
            zlay_target_name(t->move->info.target));
    zl_puts(e->out, ".visible .func ");
    zl_put(e->out, e->name, e->name_length);
    zl_putf(e->out, "(.param .%s ptr_source, .param .%s ptr_dest%s)\n{\n",
            zl_tile_shared(t, 0) ? "b32" : "b64", zl_tile_shared(t, 1) ? "b32" : "b64",
            has_barrier(t->move) ? ", .param .b32 ptr_bar" : "");
}

static void setup(zl_tile_text *t)
{
    zl_emit *e = &t->e;
    zl_emit_line(e, ".reg .pred p, q;");
    zl_emit_line(e, ".reg .b32 tid, rest, digit, access, z, shift, bar, w<%u>, v<%u>;",
                 ZL_TILE_WORDS, ZL_TILE_WORDS);
    zl_emit_line(e, ".reg .b64 from, to, from0, to0, wide, far, place, x<%u>, y<%u>;",
                 ZL_PART_MODES, ZL_PART_MODES);
    for (int side = 0; side < ZL_TILE_SIDES; side++) {
        const char *type = zl_tile_shared(t, side) ? "b32" : "b64";
        zl_emit_line(e, ".reg .%s %s, %s, %s, word%d;", type, pointers[side], plain_names[side],
                     placed_names[side], side);
        zl_emit_line(e, "ld.param.%s %s, [ptr_%s];", type, pointers[side], pointers[side]);
    }
    if (has_barrier(t->move)) zl_emit_line(e, "ld.param.b32 bar, [ptr_bar];");
    zl_emit_line(e, "mov.u32 tid, %%tid.x;");
}

static void function(zl_tile_text *t)
{
    head(t);
    setup(t);
    for (t->index = 0; t->index < t->move->info.parts; t->index++) {
        t->part = &t->move->parts[t->index];
        part(t);
    }
    zl_puts(t->e.out, "    ret;\n}\n");
}

static uint32_t function_counted(zl_text *out, const void *value)
{
    zl_tile_text t = *(const zl_tile_text *)value;
    t.e.out = out;
    function(&t);
    return t.e.ptx;
}

static void function_write(zl_text *out, const void *value) { function_counted(out, value); }

static bool has_ptx(const zlay_target *target)
{
    zlay_target_info info;
    return !zlay_target_get(&info, target) && info.ptx;
}

static zlay_status printable(zlay_ctx *ctx, const zlay_move *move)
{
    bool global_or_shared = true;
    for (int side = 0; side < ZL_TILE_SIDES; side++)
        global_or_shared &= move->info.space[side] == ZLAY_MOVE_GLOBAL ||
                            move->info.space[side] == ZLAY_MOVE_SHARED;
    if (!move->info.parts || !global_or_shared || !has_ptx(move->info.target))
        return zl_fail(ctx, ZLAY_ENOTSUP, "only moves by threads between global and shared memory "
                       "of targets that have PTX are printed");
    if (move->names || move->parts[0].part.combine > 1)
        return zl_fail(ctx, ZLAY_ENOTSUP, "a tile %s is not printed",
                       move->names ? "whose steps have names" : "without common strides");
    for (uint32_t i = 0; i < move->info.parts; i++)
        if (!zl_tile_fits(move, &move->parts[i]))
            return zl_fail(ctx, ZLAY_ENOTSUP, "part %u: a thread holds more than %d elements or "
                           "%d registers, or pieces of bytes", i, ZL_TILE_VALUES, ZL_TILE_WORDS);
    return ZLAY_OK;
}

zlay_status zlay_emit_move(zlay_ctx *ctx, zlay_buf *out, const zlay_move *move, const char *name,
                           size_t length)
{
    if (!out || !move || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_name_check(ctx, name, length);
    if (!status) status = printable(ctx, move);
    if (status) return zl_leave(ctx, status);
    zl_tile_text t = {.move = move};
    t.e.name = name;
    t.e.name_length = length;
    t.e.ptx = zl_ptx_least(function_counted, &t, move->info.target);
    return zl_leave(ctx, zl_print(out, function_write, &t));
}
