/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a move by threads (zlay_move) as a PTX function: its parameters, which threads take part,
 * and its parts one after the other. Parameters are the two addresses, the rank of a peer, an
 * mbarrier, the values of symbolic strides, and how much of the tensor is left along each axis.
 * Fragments are passed and returned by value. */
#include "emit/move/tile.h"

#include <string.h>

typedef unsigned long long ull;
typedef long long ll;

static const char *const sides[] = {"source", "dest"};
static const char *const base_names[] = {"from", "to"};

/* ---- parameters ------------------------------------------------------------------- */

static void parameter(zl_tile_text *t, const char **comma, const char *type, const char *name,
                      const char *suffix)
{
    zl_putf(t->e.out, "%s.param .%s %s_%s", *comma, type, name, suffix);
    *comma = ", ";
}

static void parameters(zl_tile_text *t)
{
    const char *comma = "", *name;
    for (int side = 0; side < ZL_TILE_SIDES; side++) {
        if (!zl_tile_is_held(t, side)) {
            parameter(t, &comma, zl_tile_shared(t, side) ? "b32" : "b64", "ptr", sides[side]);
        } else if (!side) {
            zl_putf(t->e.out, ".param .align 16 .b8 held_source[%u]", zl_tile_held_bytes(t->move));
            comma = ", ";
        }
    }
    for (int side = 0; side < ZL_TILE_SIDES; side++)
        if (zl_tile_space(t, side) == ZLAY_MOVE_PEER)
            parameter(t, &comma, "b32", "rank", sides[side]);
    if (zl_tile_has_barrier(t->move)) parameter(t, &comma, "b32", "ptr", "bar");
    for (size_t i = 0; (name = zl_tile_name(t->move, i)); i++)
        parameter(t, &comma, "b64", "name", name);
    for (uint32_t i = 0, axis; zl_tile_edge(t->move, i, &axis); i++)
        zl_putf(t->e.out, "%s.param .b64 left_%u", comma, axis);
}

static void head(zl_tile_text *t)
{
    zl_emit *e = &t->e;
    zl_putf(e->out, "// zlay %s: a tile by %u threads\n", zlay_version(), t->move->info.threads);
    zl_putf(e->out, ".version %u.%u\n.target %s\n.address_size 64\n\n", e->ptx / 10, e->ptx % 10,
            zlay_target_name(t->move->info.target));
    zl_tile_tables(t);
    zl_puts(e->out, ".visible .func ");
    if (zl_tile_is_held(t, 1))
        zl_putf(e->out, "(.param .align 16 .b8 held_dest[%u]) ", zl_tile_held_bytes(t->move));
    zl_put(e->out, e->name, e->name_length);
    zl_puts(e->out, "(");
    parameters(t);
    zl_puts(e->out, ")\n{\n");
}

/* ---- registers -------------------------------------------------------------------- */

/* A side's address; in a peer's shared memory, the mapped address. */
static void pointer(zl_tile_text *t, int side)
{
    const char *name = sides[side], *type = zl_tile_shared(t, side) ? "b32" : "b64";
    zl_emit *e = &t->e;
    if (zl_tile_is_held(t, side)) return;
    zl_emit_line(e, ".reg .%s %s, %s_at, %s_here, word%d;", type, name, name, name, side);
    zl_emit_line(e, "ld.param.%s %s, [ptr_%s];", type, name, name);
    if (zl_tile_space(t, side) != ZLAY_MOVE_PEER) return;
    zl_emit_line(e, "ld.param.b32 rank, [rank_%s];", name);
    zl_emit_form(e, "", ZL_FORM_MAPA, (const char *const[]){name, name, "rank"});
}

/* The mbarrier of a copy lies in the block that receives its bytes. */
static void barrier(zl_tile_text *t)
{
    if (!zl_tile_has_barrier(t->move)) return;
    zl_emit_line(&t->e, "ld.param.b32 bar, [ptr_bar];");
    if (zl_tile_space(t, 1) == ZLAY_MOVE_PEER)
        zl_emit_form(&t->e, "", ZL_FORM_MAPA, (const char *const[]){"bar", "bar", "rank"});
}

/* Declares the registers and prepares addresses, the mbarrier and symbolic strides. */
static void setup(zl_tile_text *t)
{
    zl_emit *e = &t->e;
    zl_emit_line(e, ".reg .pred p, q;");
    zl_emit_line(e, ".reg .b32 tid, rest, digit, access, z, shift, bar, rank, w<%u>, v<%u>;",
                 ZL_TILE_WORDS, ZL_TILE_WORDS);
    zl_emit_line(e, ".reg .b64 from, to, from0, to0, wide, far, place, x<%u>, y<%u>;",
                 ZL_PART_MODES, ZL_PART_MODES);
    for (int side = 0; side < ZL_TILE_SIDES; side++) pointer(t, side);
    barrier(t);
    zl_emit_line(e, "mov.u32 tid, %%tid.x;");
    zl_tile_steps(t);
    zl_tile_edges(t);
}

/* ---- parts ------------------------------------------------------------------------ */

/* Sets each side's offset to that of the part. */
static void first_set(zl_tile_text *t)
{
    const zl_move_part *p = t->part;
    for (int side = 0; side < ZL_TILE_SIDES; side++) {
        if (zl_tile_is_held(t, side)) continue;
        if (zl_tile_named(t->move, side)) {
            zl_emit_line(&t->e, "mov.b64 %s, 0;", base_names[side]);
            zl_tile_add_named(t, base_names[side], side, p->part.modes, NULL, 1);
        } else {
            zl_emit_line(&t->e, "mov.b64 %s, %lld;", base_names[side],
                         zl_tile_listed(p) ? 0 : (ll)(side ? p->part.dest : p->part.source));
        }
    }
}

/* Prints one part: only its threads run it. */
static void part(zl_tile_text *t)
{
    const zl_move_part *p = t->part;
    zl_emit *e = &t->e;
    zl_emit_line(e, "setp.ge.u32 p, tid, %u;", p->part.threads);
    zl_emit_line(e, "@p bra $part%u;", t->index);
    if (p->part.matrices) {
        zl_tile_matrices(t);
    } else {
        first_set(t);
        zl_emit_line(e, "mov.u32 rest, tid;");
        for (uint32_t k = 0; k < p->part.modes; k++)
            if (zl_tile_is_kept(t->move, p, k)) zl_emit_line(e, "mov.b64 x%u, 0;", k);
        zl_tile_digits(t, ZLAY_DIGIT_THREAD, base_names, "x");
        zl_tile_accesses(t);
    }
    zl_putf(e->out, "$part%u:\n", t->index);
}

/* ---- the function ------------------------------------------------------------------- */

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

static bool has_ptx(const zlay_target *target)
{
    zlay_target_summary info;
    return !zlay_target_info(&info, target) && info.ptx;
}

zlay_status zl_tile_ptx_check(zlay_ctx *ctx, const zlay_move *move)
{
    if (move->info.parts && !has_ptx(move->info.target))
        return zl_fail(ctx, ZLAY_ENOTSUP, "%s has no PTX", zlay_target_name(move->info.target));
    return zl_tile_check(ctx, move);
}

void zl_tile_put(zl_text *out, const zlay_move *move, const char *name, size_t length)
{
    zl_tile_text t = {.move = move};
    t.e.name = name;
    t.e.name_length = length;
    t.e.ptx = zl_ptx_least(function_counted, &t, move->info.target);
    t.e.out = out;
    function(&t);
}

typedef struct named_move {
    const zlay_move *move;
    const char *name;
    size_t length;
} named_move;

static void move_write(zl_text *out, const void *value)
{
    const named_move *m = value;
    zl_tile_put(out, m->move, m->name, m->length);
}

zlay_status zlay_emit_move(zlay_ctx *ctx, zlay_buf *out, const zlay_move *move, const char *name,
                           size_t length)
{
    if (!out || !move || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_name_check(ctx, name, length);
    if (!status) status = zl_tile_ptx_check(ctx, move);
    const named_move named = {move, name, length};
    return zl_leave(ctx, status ? status : zl_print(out, move_write, &named));
}
