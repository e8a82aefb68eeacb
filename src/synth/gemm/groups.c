/* SPDX-License-Identifier: Apache-2.0 */
/* How many tiles products of groups have, and which are planned. */
#include "synth/gemm/groups.h"

enum { ROWS_FEWER = 128 /* of a tile, where rows of groups are many or few */, COLUMNS_GROUP_LEAST = 16, COLUMNS_MOST = 256 };

uint64_t zl_groups_high(const zlay_plan_summary *info, uint32_t m, uint32_t empty)
{
    if (zl_groups_in_k(info)) return zl_umul_sat(zl_ceil_div(info->m, m), info->groups);
    if (!info->groups || zl_groups_turned(info)) return zl_ceil_div(info->m, m);
    return empty ? zl_groups_usual(info, m, empty) : zl_groups_tiles(info, m);
}

uint64_t zl_groups_wide(const zlay_plan_summary *info, uint32_t n)
{
    return zl_groups_turned(info) ? zl_groups_tiles(info, n) : zl_ceil_div(info->n, n);
}

void zl_groups_explain(zl_text *out, const zlay_plan_summary *info)
{
    if (!info->groups) return;
    zl_putf(out, "  %u groups of rows%s, %llu rows at most: the kernel reads where they begin from its argument offsets\n", info->groups,
            zl_groups_in_k(info) ? " of K" : "", (unsigned long long)zl_groups_rows(info));
}

/* The tile of groups, by the rows that each has of all: columns for a few rows and as many stages as fit, then those with which an
 * H200 was fastest (tests/device/peers/grouped.py), where L2 sends the fewest bytes. */
bool zl_groups_fit(const zlay_plan_summary *info, uint32_t m, uint32_t n)
{
    uint64_t rows = zl_ceil_div(zl_groups_rows(info), info->groups);
    uint32_t columns = COLUMNS_GROUP_LEAST;
    while (columns < COLUMNS_MOST / 2 && columns < 2 * rows) columns *= 2;
    if (rows >= COLUMNS_MOST) return m == ROWS_FEWER && n == COLUMNS_MOST;
    return m == (columns < COLUMNS_MOST / 2 ? ROWS_FEWER : ZL_GROUPS_ROWS) && n == columns;
}
