/* SPDX-License-Identifier: Apache-2.0 */
/* Prints how a block of a product of groups finds its tile: tiles are numbered group after group, and a block has that of its
 * number. It reads where groups end, one after the other, until the tiles before are more than its number; each end is bounded by
 * the one before and by all rows, so that the rows of groups are disjoint and inside of the matrices whatever the device says. */
#include "emit/gcn/wave.h"
#include "base/arith.h"

/* The end of a group is the offset so many bytes on, at least where the group begins and at most all rows. */
static void end(zl_wave_text *t, uint32_t at)
{
    zl_wave_line(t, "s_load_dword s%d, s[%d:%d], 0x%x", ZL_S_ENDS, ZL_S_OFFSETS, ZL_S_OFFSETS + 1, at);
    zl_wave_line(t, "s_waitcnt lgkmcnt(0)");
    zl_wave_line(t, "s_max_i32 s%d, s%d, s%d", ZL_S_ENDS, ZL_S_ENDS, ZL_S_BEGINS);
    zl_wave_line(t, "s_min_i32 s%d, s%d, 0x%llx", ZL_S_ENDS, ZL_S_ENDS, (unsigned long long)t->plan->info.m);
}

/* The number of the block's tile less those of a group, and the next group; behind the last one the block ends. */
static void next(zl_wave_text *t)
{
    zl_wave_line(t, "s_sub_u32 s%d, s%d, s%d", ZL_S_TILE_M, ZL_S_TILE_M, ZL_S_TALL);
    zl_wave_line(t, "s_add_u32 s%d, s%d, 4", ZL_S_OFFSETS, ZL_S_OFFSETS);
    zl_wave_line(t, "s_addc_u32 s%d, s%d, 0", ZL_S_OFFSETS + 1, ZL_S_OFFSETS + 1);
    zl_wave_line(t, "s_add_u32 s%d, s%d, 1", ZL_S_GROUP, ZL_S_GROUP);
    zl_wave_line(t, "s_cmp_lt_u32 s%d, 0x%x", ZL_S_GROUP, t->plan->info.groups);
    zl_wave_line(t, "s_cbranch_scc1 .Lgroup");
    zl_wave_line(t, "s_endpgm");
}

void zl_wave_groups(zl_wave_text *t)
{
    uint32_t rows = t->plan->info.tile_m;
    zl_wave_line(t, "s_mov_b32 s%d, 0", ZL_S_GROUP);
    zl_wave_line(t, "s_mov_b32 s%d, 0", ZL_S_BEGINS);
    end(t, 0);
    zl_puts(t->out, ".Lgroup:\n");
    zl_wave_line(t, "s_mov_b32 s%d, s%d", ZL_S_BEGINS, ZL_S_ENDS);
    end(t, 4);
    zl_wave_line(t, "s_sub_u32 s%d, s%d, s%d", ZL_S_ROWS, ZL_S_ENDS, ZL_S_BEGINS);
    zl_wave_line(t, "s_add_u32 s%d, s%d, 0x%x", ZL_S_TALL, ZL_S_ROWS, rows - 1);
    zl_wave_line(t, "s_lshr_b32 s%d, s%d, %u", ZL_S_TALL, ZL_S_TALL, zl_log2(rows));
    zl_wave_line(t, "s_cmp_lt_u32 s%d, s%d", ZL_S_TILE_M, ZL_S_TALL);
    zl_wave_line(t, "s_cbranch_scc1 .Ltile");
    next(t);
    zl_puts(t->out, ".Ltile:\n");
    zl_wave_line(t, "s_lshl_b32 s%d, s%d, %u", ZL_S_TILE_M, ZL_S_TILE_M, zl_log2(rows));
    zl_wave_line(t, "s_sub_u32 s%d, s%d, s%d", ZL_S_ROWS, ZL_S_ROWS, ZL_S_TILE_M);
    zl_wave_line(t, "s_add_u32 s%d, s%d, s%d", ZL_S_TILE_M, ZL_S_TILE_M, ZL_S_BEGINS);
}
