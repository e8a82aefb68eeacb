/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what a wave computes once before its loops: the buffer resources of its tile of A, B and D
 * in global memory, the offsets that its lanes load, and the swizzled addresses that they read in
 * shared memory. A buffer resource ends behind the last element of its operand, so the hardware
 * returns zero for rows outside the matrix; no branch is needed. */
#include "emit/gcn/wave.h"
#include "base/arith.h"

#include <zlay/hazard.h>

enum { CHUNK = 16 };

/* Loads the kernel's three pointers, and that of groups' offsets. */
static void arguments(zl_wave_text *t)
{
    zl_wave_line(t, "s_load_dwordx4 s[%d:%d], s[%d:%d], 0x0", ZL_S_POINTER, ZL_S_POINTER + 3,
                 ZL_S_ARGUMENTS, ZL_S_ARGUMENTS + 1);
    zl_wave_line(t, "s_load_dwordx2 s[%d:%d], s[%d:%d], 0x10", ZL_S_POINTER + 4, ZL_S_POINTER + 5,
                 ZL_S_ARGUMENTS, ZL_S_ARGUMENTS + 1);
    if (t->plan->info.groups)
        zl_wave_line(t, "s_load_dwordx2 s[%d:%d], s[%d:%d], 0x18", ZL_S_OFFSETS, ZL_S_OFFSETS + 1,
                     ZL_S_ARGUMENTS, ZL_S_ARGUMENTS + 1);
}

/* v0 = the thread's number in the block; the wave's number goes to a scalar register. */
static void wave_number(zl_wave_text *t)
{
    zl_wave_line(t, "v_and_b32 v0, 0x3ff, v0");
    zl_wave_line(t, "v_lshrrev_b32 v1, %u, v0", zl_log2(t->w->lanes));
    zl_wave_hold(t, ZLAY_FIRST_VALU, ZLAY_THEN_LANE_READS, t->printed);
    zl_wave_line(t, "v_readfirstlane_b32 s%d, v1", ZL_S_WAVE);
}

/* v%out ^= the swizzle of row v%row. */
static void swizzle(zl_wave_text *t, uint32_t out, uint32_t row, uint32_t scratch)
{
    const zlay_wave_gemm *w = t->w;
    if (!w->swizzle_bits) return;
    zl_wave_line(t, "v_bfe_u32 v%u, v%u, %u, %u", scratch, row, zl_log2(w->swizzle_rows),
                 w->swizzle_bits);
    zl_wave_line(t, "v_xor_b32 v%u, v%u, v%u", out, out, scratch);
}

/* Offsets in global memory of the thread's loads, from its row v1 and its chunk v2. Loads land in
 * shared memory in thread order, so the swizzle is applied to the chunk that a thread loads. */
static void loads_of(zl_wave_text *t, const zl_wave_bound *o)
{
    uint32_t rows = t->plan->info.threads * CHUNK / t->w->row_bytes;
    uint32_t at = t->r->offset + o->first_load;
    zl_wave_line(t, "s_mov_b32 s%d, 0x%llx", ZL_S_SCRATCH, (unsigned long long)o->row);
    zl_wave_line(t, "v_mul_lo_u32 v3, v1, s%d", ZL_S_SCRATCH);
    zl_wave_line(t, "v_lshl_add_u32 v%u, v2, %u, v3", at, zl_log2(CHUNK));
    for (uint32_t i = 1; i < o->loads; i++)
        zl_wave_line(t, "v_add_u32 v%u, 0x%llx, v%u", at + i,
                     (unsigned long long)(i * rows * o->row), at);
}

/* Prints the offsets of all loads of a thread, and the first K of its loads where the last tile is
 * ragged. */
static void loads(zl_wave_text *t)
{
    const zlay_wave_gemm *w = t->w;
    uint32_t chunks = w->row_bytes / CHUNK;
    zl_wave_line(t, "v_lshrrev_b32 v1, %u, v0", zl_log2(chunks));
    zl_wave_line(t, "v_and_b32 v2, %u, v0", chunks - 1);
    swizzle(t, 2, 1, 3);
    for (uint32_t i = 0; i < ZL_WAVE_STAGED; i++) loads_of(t, &t->bound[i]);
    if (t->plan->info.k % t->plan->info.tile_k)
        zl_wave_line(t, "v_lshlrev_b32 v%u, %u, v2", t->r->key,
                     zl_log2(CHUNK / t->bound->element));
    zl_wave_line(t, "v_bfrev_b32 v%u, 1", t->r->nowhere);
    if (!w->direct) zl_wave_line(t, "v_lshlrev_b32 v%u, %u, v0", t->r->write, zl_log2(CHUNK));
}

/* The place in a stage of the wave's own rows of a part, into the scratch register. */
static void part_place(zl_wave_text *t, const zl_wave_bound *o)
{
    uint32_t s = ZL_S_SCRATCH, from = ZL_S_WAVE;
    if (o->turn > 1) {
        zl_wave_line(t, "s_lshr_b32 s%u, s%u, %u", s, from, zl_log2(o->turn));
        from = s;
    }
    if (o->turn * o->waves < t->w->waves_m * t->w->waves_n) {
        zl_wave_line(t, "s_and_b32 s%u, s%u, %u", s, from, o->waves - 1);
        from = s;
    }
    zl_wave_line(t, "s_mul_i32 s%u, s%u, 0x%x", s, from, o->rows / o->waves * t->w->row_bytes);
    if (o->smem) zl_wave_line(t, "s_add_u32 s%u, s%u, 0x%x", s, s, o->smem);
}

/* The address of row v1 of a block of rows, chunk v2, in read 0, after the swizzle. */
static void reads_of(zl_wave_text *t, uint32_t part)
{
    uint32_t beside = t->w->lanes / t->plan->info.mma.m;
    part_place(t, &t->bound[part]);
    for (uint32_t i = 0; i < t->w->reads; i++) {
        zl_wave_line(t, "v_xor_b32 v3, %u, v2", i * beside);
        zl_wave_line(t, "v_lshl_add_u32 v3, v3, %u, v1", zl_log2(CHUNK));
        zl_wave_line(t, "v_add_u32 v%u, s%d, v3", t->r->read[part] + i, ZL_S_SCRATCH);
    }
}

/* Prints the addresses of a lane's reads: its row and chunk in a block, after the swizzle. */
static void reads(zl_wave_text *t)
{
    uint32_t rows = t->plan->info.mma.m;
    zl_wave_line(t, "v_and_b32 v1, %u, v0", rows - 1);
    zl_wave_line(t, "v_bfe_u32 v2, v0, %u, %u", zl_log2(rows), zl_log2(t->w->lanes / rows));
    swizzle(t, 2, 1, 3);
    zl_wave_line(t, "v_lshlrev_b32 v1, %u, v1", zl_log2(t->w->row_bytes));
    for (uint32_t part = 0; part < ZL_WAVE_STAGED; part++) reads_of(t, part);
}

/* s[to:to+1] = s[from:from+1] + s%by times so many bytes; what the upper half of these adds goes by way of s%to+2. */
static void advance(zl_wave_text *t, uint32_t to, uint32_t from, uint32_t by, uint64_t bytes)
{
    uint32_t s = ZL_S_SCRATCH, low = (uint32_t)bytes, high = (uint32_t)(bytes >> 32);
    zl_wave_line(t, "s_mul_i32 s%u, s%u, 0x%x", s, by, low);
    zl_wave_line(t, "s_mul_hi_u32 s%u, s%u, 0x%x", s + 1, by, low);
    if (high) {
        zl_wave_line(t, "s_mul_i32 s%u, s%u, 0x%x", to + 2, by, high);
        zl_wave_line(t, "s_add_u32 s%u, s%u, s%u", s + 1, s + 1, to + 2);
    }
    zl_wave_line(t, "s_add_u32 s%u, s%u, s%u", to, from, s);
    zl_wave_line(t, "s_addc_u32 s%u, s%u, s%u", to + 1, from + 1, s + 1);
}

/* Prints the first address of the operand's tile into the first two words of its resource. */
static void address(zl_wave_text *t, const zl_wave_bound *o)
{
    advance(t, o->resource, o->pointer, o->tile, o->step);
    if (o->each) advance(t, o->resource, o->resource, ZL_S_GROUP, o->each);
}

/* s%out = rows of the block's tile that the matrix, or the group, has. */
static void rows_left(zl_wave_text *t, uint32_t out, const zl_wave_bound *o)
{
    if (o->ragged) {
        zl_wave_line(t, "s_min_u32 s%u, s%d, 0x%x", out, ZL_S_ROWS, o->rows);
        return;
    }
    zl_wave_line(t, "s_mul_i32 s%u, s%u, 0x%x", out, o->tile, o->rows);
    zl_wave_line(t, "s_sub_u32 s%u, 0x%llx, s%u", out, (unsigned long long)o->outer, out);
    zl_wave_line(t, "s_min_u32 s%u, s%u, 0x%x", out, out, o->rows);
}

/* Prints an operand's buffer resource. It ends behind the last element of the last row, so that
 * rows past the matrix read zero. Columns past the matrix lie inside the resource; their accesses
 * take an offset outside of it. */
static void resource(zl_wave_text *t, const zl_wave_bound *o)
{
    uint32_t s = o->resource;
    address(t, o);
    rows_left(t, s + 2, o);
    zl_wave_line(t, "s_mul_i32 s%u, s%u, 0x%llx", s + 2, s + 2, (unsigned long long)o->row);
    zl_wave_line(t, "s_sub_u32 s%u, s%u, 0x%llx", s + 2, s + 2, (unsigned long long)o->spare);
    zl_wave_line(t, "s_mov_b32 s%u, 0x%x", s + 3, t->raw);
}

/* Clears the upper 16 bits of the address, which hold other fields of the resource. */
static void address_bits(zl_wave_text *t, const zl_wave_bound *o)
{
    uint32_t high = o->resource + 1;
    zl_wave_line(t, "s_and_b32 s%u, s%u, 0xffff", high, high);
}

/* Moves the resource of what is stored to the tile's first column, and counts the columns from
 * there to the end of a row. */
static void columns(zl_wave_text *t, const zl_wave_bound *o)
{
    const zlay_plan_summary *info = &t->plan->info;
    uint32_t s = o->resource;
    zl_wave_line(t, "s_mul_i32 s%d, s%d, 0x%x", ZL_S_COLUMNS, ZL_S_TILE_N, info->tile_n);
    zl_wave_line(t, "s_lshl_b32 s%d, s%d, %u", ZL_S_SCRATCH, ZL_S_COLUMNS, zl_log2(o->element));
    zl_wave_line(t, "s_sub_u32 s%u, s%u, s%d", s + 2, s + 2, ZL_S_SCRATCH);
    if (o->element == 1) zl_wave_line(t, "s_mov_b32 s%d, 0", ZL_S_SCRATCH + 1);
    else
        zl_wave_line(t, "s_lshr_b32 s%d, s%d, %u", ZL_S_SCRATCH + 1, ZL_S_COLUMNS,
                     32 - zl_log2(o->element));
    zl_wave_line(t, "s_add_u32 s%u, s%u, s%d", s, s, ZL_S_SCRATCH);
    zl_wave_line(t, "s_addc_u32 s%u, s%u, s%d", s + 1, s + 1, ZL_S_SCRATCH + 1);
    zl_wave_line(t, "s_sub_u32 s%d, 0x%llx, s%d", ZL_S_COLUMNS, (unsigned long long)info->n,
                 ZL_S_COLUMNS);
}

/* Sets the stages that are read and, with direct loads, loaded to the first one. */
static void stages(zl_wave_text *t)
{
    const zlay_plan_summary *info = &t->plan->info;
    zl_wave_line(t, "s_mov_b32 s%d, 0", ZL_S_NEXT);
    if (!t->w->direct) return;
    zl_wave_line(t, "s_lshl_b32 s%d, s%d, %u", ZL_S_LOAD_FIRST, ZL_S_WAVE,
                 zl_log2(t->w->lanes * CHUNK));
    zl_wave_line(t, "s_mov_b32 s%d, s%d", ZL_S_LOAD, ZL_S_LOAD_FIRST);
    zl_wave_line(t, "s_add_u32 s%d, s%d, 0x%x", ZL_S_LOAD_END, ZL_S_LOAD_FIRST, info->smem);
}

void zl_wave_setup(zl_wave_text *t)
{
    arguments(t);
    wave_number(t);
    loads(t);
    reads(t);
    stages(t);
    zl_wave_line(t, "s_waitcnt lgkmcnt(0)");
    if (t->plan->info.groups) zl_wave_groups(t);
    for (uint32_t i = 0; i < ZL_WAVE_BOUND; i++) resource(t, &t->bound[i]);
    columns(t, &t->bound[ZL_WAVE_STAGED]);
    for (uint32_t i = 0; i < ZL_WAVE_BOUND; i++) address_bits(t, &t->bound[i]);
}
