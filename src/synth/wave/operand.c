/* SPDX-License-Identifier: Apache-2.0 */
/* Reads which part of a tile a lane of one matrix instruction holds, and chooses the loads from
 * global memory and the reads from shared memory. Both are the widest accesses that the target has,
 * that the rows are aligned to, and that bring no more than the values of one lane. */
#include "legality/matrix/matrix.h"
#include "synth/wave/wave.h"
#include "base/arith.h"

/* ---- the fragment ------------------------------------------------------------------------ */

/* The element, row + side * k, that a lane holds as a value. */
static uint32_t at(const zlay_layout *fragment, const zl_wave_operand *o, uint32_t lane,
                   uint32_t value)
{
    int64_t found = 0;
    zlay_layout_eval(&found, 1, fragment, lane + (uint64_t)o->lanes * value);
    return (uint32_t)found;
}

/* Reads runs, parts and their steps from a few elements of the fragment. */
static void operand_read(zl_wave_operand *o, const zlay_layout *fragment)
{
    o->each = (uint32_t)(zlay_layout_size(fragment) / o->lanes);
    o->parts = o->lanes / o->side;
    o->run = 1;
    while (o->run < o->each && at(fragment, o, 0, o->run) == o->run * o->side) o->run++;
    o->part_k = o->parts > 1 ? at(fragment, o, o->side, 0) / o->side : 0;
    o->jump_k = o->run < o->each ? at(fragment, o, 0, o->run) / o->side : o->run;
}

/* Whether the whole fragment is as it was read: lanes number rows, then parts of K, and the values
 * of a lane are runs along K. */
static bool as_read(const zl_wave_operand *o, const zlay_layout *fragment)
{
    for (uint32_t v = 0; v < o->each; v++)
        for (uint32_t l = 0; l < o->lanes; l++) {
            uint32_t k = l / o->side * o->part_k + v / o->run * o->jump_k + v % o->run;
            if (at(fragment, o, l, v) != l % o->side + o->side * k) return false;
        }
    return true;
}

zlay_status zl_wave_operand_read(zlay_ctx *ctx, zlay_wave *w)
{
    zl_wave_operand *o = &w->operand;
    zlay_target_summary target;
    zlay_layout *fragment = NULL;
    zlay_status status = zlay_target_info(&target, w->info.target);
    if (!status)
        status = zl_mma_fragment(ctx, &fragment, w->info.target, &w->mma, w->fragment);
    if (status) return status;
    bool a = w->fragment == ZLAY_FRAGMENT_A;
    o->lanes = target.lanes;
    o->side = a ? w->mma.m : w->mma.n;
    o->k = a && w->mma.sparse ? w->mma.k / 2 : w->mma.k;
    w->info.elem_bits = zlay_type_bits(a ? w->mma.a : w->mma.b);
    bool one = zlay_layout_size(fragment) == (uint64_t)o->side * o->k && o->side <= o->lanes &&
               w->info.elem_bits % 8 == 0;
    if (one) operand_read(o, fragment);
    if (one) one = as_read(o, fragment);
    zlay_layout_free(fragment);
    return one ? ZLAY_OK
               : zl_fail(ctx, ZLAY_ENOTSUP,
                         "mma: planned are one block, whole bytes, and rows in the lanes");
}

/* ---- accesses ---------------------------------------------------------------------------- */

/* The access of shared memory in which every lane moves so many bytes at its own address; -1: there
 * is none. */
static int32_t access_of(const zlay_target *target, uint32_t bytes, bool stores)
{
    zlay_bank_access access;
    int32_t number;
    for (size_t i = 0; zlay_bank_nth(&number, i) == ZLAY_OK; i++)
        if (zlay_bank_info(&access, target, number) == ZLAY_OK && access.bytes == bytes &&
            access.parts == 1 && access.rows == access.lanes && !!access.stores == stores)
            return number;
    return -1;
}

static bool loads_whole(const zlay_wave *w, uint32_t bytes)
{
    uint32_t row = w->info.depth * (w->info.elem_bits / 8);
    return row % bytes == 0 && row * w->info.rows % (w->info.threads * bytes) == 0;
}

/* The widest load of a set of widths, where bit n stands for n bytes, that divides the rows and the
 * tile among the threads; 0: none. */
static uint32_t widest(const zlay_wave *w, uint64_t widths, uint32_t align)
{
    uint32_t least = w->info.elem_bits / 8;
    for (uint32_t bytes = ZL_WAVE_BYTES; bytes >= least; bytes /= 2)
        if (widths >> bytes & 1 && bytes <= align && loads_whole(w, bytes)) return bytes;
    return 0;
}

static zlay_status choose_load(zlay_ctx *ctx, zlay_wave *w, const zlay_wave_request *r)
{
    zlay_wave_summary *i = &w->info;
    uint32_t direct = widest(w, zlay_target_direct(i->target), r->align);
    uint32_t usual = widest(w, zlay_target_widths(i->target, 0), r->align);
    if (r->path == ZLAY_WAVE_PATH_DIRECT && !zlay_target_direct(i->target))
        return zl_fail(ctx, ZLAY_NONE, "path: no load of the target writes shared memory");
    i->direct = r->path == ZLAY_WAVE_PATH_DIRECT || (!r->path && direct >= usual);
    i->load_bytes = i->direct ? direct : usual;
    if (!i->load_bytes)
        return zl_fail(ctx, ZLAY_ENOTSUP, "threads: no load of %s divides the tile among %u",
                       i->direct ? "a lane straight to shared memory" : "a thread", i->threads);
    i->store = i->direct ? -1 : access_of(i->target, i->load_bytes, true);
    return i->direct || i->store >= 0
               ? ZLAY_OK
               : zl_fail(ctx, ZLAY_ENOTSUP, "align: no store of %u bytes", i->load_bytes);
}

static void choose_loads(zlay_wave_summary *i)
{
    uint32_t bytes = i->elem_bits / 8, round;
    i->smem = i->rows * i->depth * bytes;
    i->load_elements = i->load_bytes / bytes;
    round = i->threads * i->load_elements;
    i->loads = i->rows * i->depth / round;
    i->load_rows = round % i->depth ? 0 : round / i->depth;
}

/* Chooses reads: one read brings a run of values or, where the order of K is free, the runs of
 * several instructions. */
static zlay_status choose_reads(zlay_ctx *ctx, zlay_wave *w, bool any_order)
{
    zlay_wave_summary *i = &w->info;
    const zl_wave_operand *o = &w->operand;
    uint32_t bytes = i->elem_bits / 8, most = ZL_WAVE_BYTES / bytes;
    bool free = any_order && o->run == o->each && o->part_k == o->run;
    w->merged = free && o->run < most ? zl_min32(most / o->run, i->depth / o->k) : 1;
    i->read_bytes = zl_min32(o->run * w->merged, most) * bytes;
    i->read = access_of(i->target, i->read_bytes, false);
    i->order_runs = w->merged > 1 ? w->merged : 1;
    i->steps = i->depth / o->k;
    i->blocks = i->rows / i->parts / o->side;
    i->reads = i->depth / o->parts * bytes / i->read_bytes;
    i->step_registers = o->each * i->elem_bits / 32;
    i->registers = i->step_registers * i->steps * i->blocks;
    return i->read >= 0 ? ZLAY_OK
                        : zl_fail(ctx, ZLAY_ENOTSUP, "mma: no read of %u bytes", i->read_bytes);
}

zlay_status zl_wave_widths(zlay_ctx *ctx, zlay_wave *w, const zlay_wave_request *r)
{
    zlay_wave_summary *i = &w->info;
    zlay_target_summary target;
    zlay_status status = zlay_target_info(&target, i->target);
    uint64_t bytes = (uint64_t)i->rows * i->depth * (i->elem_bits / 8);
    if (status) return status;
    if (i->depth % w->operand.k)
        return zl_fail(ctx, ZLAY_EINVAL, "depth: a multiple of %u", w->operand.k);
    if (i->rows % (i->parts * w->operand.side))
        return zl_fail(ctx, ZLAY_EINVAL, "rows: a multiple of %u, %u for each part",
                       i->parts * w->operand.side, w->operand.side);
    if (bytes > target.smem)
        return zl_fail(ctx, ZLAY_NONE, "SMEM_BLOCK: the tile has %llu bytes, a block at most %llu",
                       (unsigned long long)bytes, (unsigned long long)target.smem);
    status = choose_load(ctx, w, r);
    if (status) return status;
    choose_loads(i);
    return choose_reads(ctx, w, r->any_order);
}
