/* SPDX-License-Identifier: Apache-2.0 */
/* Prints how a block of a product of groups finds its tile: tiles are numbered group after group, and a block has that of its
 * number. It reads where groups end, as many at once as divide their number, until the tiles before are more than its number; each
 * end is bounded by the one before and by all rows, so that the rows of groups are disjoint and inside of the matrices whatever the
 * device says. */
#include "emit/gcn/wave.h"
#include "base/arith.h"

enum { AT_ONCE = 8 };

/* Groups whose ends one load brings: it reads no offset behind the last. */
static uint32_t at_once(const zl_wave_text *t)
{
    uint32_t count = AT_ONCE;
    while (t->plan->info.groups % count) count /= 2;
    return count;
}

/* Loads so many offsets, from the group's own or the next one on. */
static void load(zl_wave_text *t, uint32_t count, uint32_t at)
{
    if (count == 1) zl_wave_line(t, "s_load_dword s%d, s[%d:%d], 0x%x", ZL_S_ENDS, ZL_S_OFFSETS, ZL_S_OFFSETS + 1, at);
    else
        zl_wave_line(t, "s_load_dwordx%u s[%d:%d], s[%d:%d], 0x%x", count, ZL_S_ENDS, ZL_S_ENDS + (int)count - 1,
                     ZL_S_OFFSETS, ZL_S_OFFSETS + 1, at);
    zl_wave_line(t, "s_waitcnt lgkmcnt(0)");
}

/* An offset is at least where the group begins and at most all rows. */
static void bounded(zl_wave_text *t, uint32_t end)
{
    zl_wave_line(t, "s_max_i32 s%u, s%u, s%d", end, end, ZL_S_BEGINS);
    zl_wave_line(t, "s_min_i32 s%u, s%u, 0x%llx", end, end, (unsigned long long)t->plan->info.m);
}

/* Leaves the search where the group has the tile; else the tile's number is less those of the group, and the next one begins. */
static void group(zl_wave_text *t, uint32_t end)
{
    uint32_t rows = t->plan->info.tile_m;
    bounded(t, end);
    zl_wave_line(t, "s_sub_u32 s%d, s%u, s%d", ZL_S_ROWS, end, ZL_S_BEGINS);
    zl_wave_line(t, "s_add_u32 s%d, s%d, 0x%x", ZL_S_TALL, ZL_S_ROWS, rows - 1);
    zl_wave_line(t, "s_lshr_b32 s%d, s%d, %u", ZL_S_TALL, ZL_S_TALL, zl_log2(rows));
    zl_wave_line(t, "s_cmp_lt_u32 s%d, s%d", ZL_S_TILE_M, ZL_S_TALL);
    zl_wave_line(t, "s_cbranch_scc1 .Ltile");
    zl_wave_line(t, "s_sub_u32 s%d, s%d, s%d", ZL_S_TILE_M, ZL_S_TILE_M, ZL_S_TALL);
    zl_wave_line(t, "s_mov_b32 s%d, s%u", ZL_S_BEGINS, end);
    zl_wave_line(t, "s_add_u32 s%d, s%d, 1", ZL_S_GROUP, ZL_S_GROUP);
}

/* The next groups; behind the last one the block ends. */
static void next(zl_wave_text *t, uint32_t count)
{
    zl_wave_line(t, "s_add_u32 s%d, s%d, 0x%x", ZL_S_OFFSETS, ZL_S_OFFSETS, 4 * count);
    zl_wave_line(t, "s_addc_u32 s%d, s%d, 0", ZL_S_OFFSETS + 1, ZL_S_OFFSETS + 1);
    zl_wave_line(t, "s_cmp_lt_u32 s%d, 0x%x", ZL_S_GROUP, t->plan->info.groups);
    zl_wave_line(t, "s_cbranch_scc1 .Lgroup");
    zl_wave_line(t, "s_endpgm");
}

void zl_wave_groups(zl_wave_text *t)
{
    uint32_t count = at_once(t);
    zl_wave_line(t, "s_mov_b32 s%d, 0", ZL_S_GROUP);
    zl_wave_line(t, "s_mov_b32 s%d, 0", ZL_S_BEGINS);
    load(t, 1, 0);
    bounded(t, ZL_S_ENDS);
    zl_wave_line(t, "s_mov_b32 s%d, s%d", ZL_S_BEGINS, ZL_S_ENDS);
    zl_puts(t->out, ".Lgroup:\n");
    load(t, count, 4);
    for (uint32_t i = 0; i < count; i++) group(t, ZL_S_ENDS + i);
    next(t, count);
    zl_puts(t->out, ".Ltile:\n");
    zl_wave_line(t, "s_lshl_b32 s%d, s%d, %u", ZL_S_TILE_M, ZL_S_TILE_M, zl_log2(t->plan->info.tile_m));
    zl_wave_line(t, "s_sub_u32 s%d, s%d, s%d", ZL_S_ROWS, ZL_S_ROWS, ZL_S_TILE_M);
    zl_wave_line(t, "s_add_u32 s%d, s%d, s%d", ZL_S_TILE_M, ZL_S_TILE_M, ZL_S_BEGINS);
}
