/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_emit_copy: the plan of a copy by threads as a function of CUDA C or HIP, part by part; as PTX it
 * is what zlay_emit_move prints. Beside it stands the check of its pointers' alignment. */
#include "emit/function/copy/copy.h"

#include "emit/function/aligned.h"
#include "emit/function/function.h"

#include <zlay/emit_function.h>

static const char *const side_names[] = {"source", "dest"};

/* ---- head ------------------------------------------------------------------------------------ */

static bool is_held(const zl_tile_c *t, int side)
{
    return zl_tile_c_space(t, side) == ZLAY_MOVE_REGISTER;
}

static void comment(zl_text *out, const zl_tile_c *t)
{
    const zlay_move_summary *info = &t->move->info;
    const zlay_layout *from = t->move->source[1], *to = t->move->certificate[1];
    zl_putf(out, "/* zlay %s: a copy on %s, elements of %u bits, by %u threads, %u bytes a store, from\n   ",
            zlay_version(), zlay_target_name(info->target), (unsigned)info->elem_bits,
            (unsigned)info->threads, (unsigned)info->width);
    from->table->print(out, from);
    zl_puts(out, "\n   to ");
    to->table->print(out, to);
    zl_puts(out, t->move->tiles ? ",\n   one tile of a tensor; the last modes are the tiles that follow. */\n" : ". */\n");
}

static void pointers_put(zl_text *out, const zl_tile_c *t)
{
    unsigned words = zl_tile_held_bytes(t->move) / ZL_TILE_WORD;
    for (int side = 0; side < ZL_TILE_SIDES; side++) {
        const char *comma = side ? ", " : "", *constant = side ? "" : "const ";
        if (is_held(t, side))
            zl_putf(out, "%s%sunsigned (&held_%s)[%u]", comma, constant, side_names[side], words);
        else zl_putf(out, "%s%svoid *%s", comma, constant, side_names[side]);
    }
}

static void parameters_put(zl_text *out, const zl_tile_c *t)
{
    const char *name;
    pointers_put(out, t);
    zl_puts(out, ", unsigned thread");
    for (int side = 0; side < ZL_TILE_SIDES; side++)
        if (zl_tile_c_space(t, side) == ZLAY_MOVE_PEER)
            zl_putf(out, ", unsigned rank_%s", side_names[side]);
    if (zl_tile_has_barrier(t->move)) zl_puts(out, ", unsigned bar");
    for (size_t i = 0; (name = zl_tile_name(t->move, i)); i++)
        zl_putf(out, ", long long name_%s", name);
    for (uint32_t i = 0, axis; zl_tile_edge(t->move, i, &axis); i++)
        zl_putf(out, ", long long left_%u", (unsigned)axis);
}

/* ---- what stands before the parts ------------------------------------------------------------ */

static void types_put(zl_tile_c *t)
{
    if (t->language != ZLAY_TEXT_HIP) return;
    if (t->types & 2) zl_tile_c_line(t, "typedef unsigned short halfword __attribute__((may_alias));");
    if (t->types & 4) zl_tile_c_line(t, "typedef unsigned word __attribute__((may_alias));");
    for (unsigned n = 2; n <= 4; n += 2)
        if (t->types & n << 2)
            zl_tile_c_line(t, "typedef unsigned words%u __attribute__((ext_vector_type(%u), may_alias));",
                         n, n);
}

static void mapped_put(zl_tile_c *t, const char *out, const char *at, int side)
{
    const char *rank = side ? "rank_dest" : "rank_source";
    zl_tile_c_line(t, "unsigned %s;", out);
    zl_tile_c_asm(t, ZL_FORM_MAPA, 1, (const char *const[]){out, at, rank});
}

/* A side's address as a number that inline asm takes. */
static void number_put(zl_tile_c *t, int side)
{
    const char *name = side_names[side], *base = side ? "to_at" : "from_at";
    if (zl_tile_c_space(t, side) == ZLAY_MOVE_GLOBAL) {
        zl_tile_c_line(t, "const unsigned long long %s = __cvta_generic_to_global(%s);", base, name);
        return;
    }
    if (zl_tile_c_space(t, side) == ZLAY_MOVE_SHARED) {
        zl_tile_c_line(t, "const unsigned %s = (unsigned)__cvta_generic_to_shared(%s);", base, name);
        return;
    }
    mapped_put(t, base, side ? "(unsigned)__cvta_generic_to_shared(dest)" :
                               "(unsigned)__cvta_generic_to_shared(source)", side);
}

/* The mbarrier of a copy lies in the block that receives its bytes. */
static void barrier_put(zl_tile_c *t)
{
    if (!zl_tile_has_barrier(t->move)) return;
    if (zl_tile_c_space(t, 1) == ZLAY_MOVE_PEER) mapped_put(t, "bar_at", "bar", 1);
    else zl_tile_c_line(t, "const unsigned bar_at = bar;");
}

static void bases_put(zl_tile_c *t)
{
    const char *name;
    types_put(t);
    if (t->pointer[0])
        zl_tile_c_line(t, "const unsigned char *const from = (const unsigned char *)source;");
    if (t->pointer[1]) zl_tile_c_line(t, "unsigned char *const to = (unsigned char *)dest;");
    for (int side = 0; side < ZL_TILE_SIDES; side++)
        if (t->number[side]) number_put(t, side);
    barrier_put(t);
    for (size_t i = 0; (name = zl_tile_name(t->move, i)); i++)
        zl_tile_c_line(t, "(void)name_%s;", name);
}

/* ---- the function ---------------------------------------------------------------------------- */

static void parts_put(zl_tile_c *t)
{
    for (t->index = 0; t->index < t->move->info.parts; t->index++) {
        t->part = &t->move->parts[t->index];
        zl_tile_c_part(t);
    }
}

/* The parts are printed to nowhere first, which tells what must stand before them. */
static void function_put(zl_text *out, zl_tile_c *t)
{
    zl_text nowhere = {NULL, 0, 0};
    t->depth = 1;
    t->e.out = &nowhere;
    parts_put(t);
    t->e.out = out;
    zl_tile_c_points(t);
    zl_puts(out, "static __device__ __forceinline__ __attribute__((unused)) void ");
    zl_put(out, t->e.name, t->e.name_length);
    zl_puts(out, "(");
    parameters_put(out, t);
    zl_puts(out, ")\n{\n");
    bases_put(t);
    parts_put(t);
    zl_puts(out, "}\n");
}

/* ---- alignment ------------------------------------------------------------------------------- */

/* Bytes that an access of a part needs its address on a side to be a multiple of. */
static uint32_t alignment_of(const zlay_move_part *p, int side)
{
    enum { ROW = 16 };
    bool bulk = zl_tile_is_one(p->kind) && p->kind != ZLAY_COPY_CP_ASYNC;
    if (p->matrices || bulk) return ROW;
    if (p->realign && !side) return p->realign % ZL_TILE_WORD ? 1 : p->realign;
    return side || zl_tile_is_one(p->kind) ? p->width : p->source_width;
}

static void aligned_put(zl_text *out, const zl_tile_c *t)
{
    zl_aligned_pointer pointer[ZL_TILE_SIDES];
    uint32_t count = 0;
    for (int side = 0; side < ZL_TILE_SIDES; side++) {
        if (is_held(t, side)) continue;
        zl_aligned_pointer *p = &pointer[count++];
        *p = (zl_aligned_pointer){side_names[side], zl_tile_c_space(t, side) != ZLAY_MOVE_GLOBAL, 1};
        for (uint32_t i = 0; i < t->move->info.parts; i++) {
            uint32_t bytes = alignment_of(&t->move->parts[i].part, side);
            if (bytes > p->bytes) p->bytes = bytes;
        }
    }
    zl_aligned_put(out, t->language, t->e.name, t->e.name_length, pointer, count);
}

static void copy_write(zl_text *out, const void *value)
{
    zl_tile_c t = *(const zl_tile_c *)value;
    if (t.language == ZLAY_TEXT_PTX) {
        zl_tile_put(out, t.move, t.e.name, t.e.name_length);
    } else {
        comment(out, &t);
        function_put(out, &t);
    }
    aligned_put(out, &t);
}

/* ---- the request ----------------------------------------------------------------------------- */

static bool serves_hip(const zlay_move *move)
{
    for (uint32_t i = 0; i < move->info.parts; i++) {
        const zlay_move_part *p = &move->parts[i].part;
        bool wide = p->width > 16 || p->source_width > 16;
        bool plain = p->kind == ZLAY_COPY_THREAD_LOAD || p->kind == ZLAY_COPY_THREAD_STORE;
        if (!plain || p->matrices || wide) return false;
    }
    return true;
}

static zlay_status copy_check(zlay_ctx *ctx, const zlay_move *move, int32_t language)
{
    zlay_target_summary info = {0};
    zlay_target_info(&info, move->info.target);
    zlay_status status = zl_tile_check(ctx, move);
    if (status) return status;
    if ((language == ZLAY_TEXT_HIP) == (info.ptx != 0))
        return zl_fail(ctx, ZLAY_ENOTSUP, "move: it is one of %s, which this language does not serve",
                       zlay_target_name(move->info.target));
    if (language == ZLAY_TEXT_HIP && !serves_hip(move))
        return zl_fail(ctx, ZLAY_ENOTSUP, "move: HIP has loads and stores of 1 to 16 bytes alone");
    return ZLAY_OK;
}

zlay_status zlay_emit_copy(zlay_ctx *ctx, zlay_buf *out, const zlay_move *move, int32_t language,
                           const char *name, size_t length)
{
    if (!out || !move || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_function_check(ctx, language, name, length);
    if (!status) status = copy_check(ctx, move, language);
    zl_tile_c text = {.move = move, .language = language};
    text.e.name = name;
    text.e.name_length = length;
    if (!status && language != ZLAY_TEXT_PTX) status = zl_tile_c_points_check(ctx, &text);
    return zl_leave(ctx, status ? status : zl_print(out, copy_write, &text));
}
