/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix instructions of a warp with both factors in registers, mma.sync.m16n8: which form multiplies two types, how warps
 * divide a product of many of them, and which elements of its sums a thread has. PTX ISA 9.1, "Matrix Fragments for
 * mma.m16n8k16" and its like: in all of these forms a register has 4 bytes along K, and a quad of lanes a row. */
#include "legality/matrix/sync.h"
#include "algebra/text/format.h"

#include <stdio.h>
#include <string.h>
#include <zlay/instruction.h>

enum { K_BITS = 256 };

static bool is_whole(int32_t type) { return type == ZLAY_TYPE_S8 || type == ZLAY_TYPE_U8; }

/* Whether the target has an instruction form. */
static bool is_there(const zlay_target *target, const char *id)
{
    zlay_instruction asked = {.form = 0};
    zlay_verdict verdict;
    if (zlay_instruction_find(&asked.form, id, strlen(id))) return false;
    return !zlay_instruction_check(&verdict, NULL, 0, target, &asked) && verdict.answer == ZLAY_YES;
}

bool zl_sync_form(char id[ZL_SYNC_NAME], const zlay_target *target, int32_t a, int32_t b)
{
    uint32_t bits = zlay_type_bits(a);
    int length = 0;
    const char *sums = is_whole(a) ? "s32" : "f32";
    if (!bits || !zlay_type_bits(b) || (bits > 8 && a != b)) return false;
    if (bits > 8)
        length = snprintf(id, ZL_SYNC_NAME, "mma.m16n8k%u.%s.%s", K_BITS / bits, sums, zlay_type_name(a));
    else
        length = snprintf(id, ZL_SYNC_NAME, "mma.m16n8k%u.%s.%s.%s", K_BITS / bits, sums, zlay_type_name(a),
                          zlay_type_name(b));
    return length < ZL_SYNC_NAME && is_there(target, id);
}

bool zl_sync_converts(const zlay_target *target, int32_t d)
{
    if (d == ZLAY_TYPE_E4M3) return is_there(target, "cvt.rn.satfinite.e4m3x2.f32");
    return d != ZLAY_TYPE_E5M2 || is_there(target, "cvt.rn.satfinite.e5m2x2.f32");
}

zlay_mma zl_sync_mma(int32_t a, int32_t b)
{
    uint32_t bits = zlay_type_bits(a);
    return (zlay_mma){.instruction = ZLAY_MMA_SYNC,
                      .m = ZL_SYNC_ROWS,
                      .n = ZL_SYNC_COLUMNS,
                      .k = bits ? K_BITS / bits : K_BITS,
                      .a = a,
                      .b = b,
                      .d = is_whole(a) ? ZLAY_TYPE_S32 : ZLAY_TYPE_F32,
                      .a_source = ZLAY_SOURCE_REG};
}

/* Of all grids the one whose warps read the least: rows of A and columns of B. */
bool zl_sync_grid(zl_sync_warps *out, uint32_t warps, uint32_t rows, uint32_t columns)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t m = 1; m <= warps; m *= 2) {
        uint32_t n = warps / m;
        if (warps % m || (n & (n - 1)) || rows % (m * ZL_SYNC_ROWS) || columns % (n * ZL_SYNC_COLUMNS)) continue;
        if (rows / m + columns / n >= least) continue;
        least = rows / m + columns / n;
        *out = (zl_sync_warps){{m, n}, {rows / m / ZL_SYNC_ROWS, columns / n / ZL_SYNC_COLUMNS}};
    }
    return least != UINT32_MAX;
}

/* Value 4 * (block of rows * blocks of columns + block of columns) + j has row 8 * (j / 2) and column j % 2 of its block. */
zlay_status zl_sync_fragment(zlay_ctx *ctx, zlay_layout **out, const zl_sync_warps *w)
{
    uint32_t rows = w->blocks[0] * ZL_SYNC_ROWS, columns = w->blocks[1] * ZL_SYNC_COLUMNS, all = rows * w->grid[0];
    return zl_layout_format(ctx, out, "((4,8,%u,%u),(2,2,%u,%u)):((%u,1,%u,%u),(%u,8,%u,%u))", w->grid[0],
                            w->grid[1], w->blocks[1], w->blocks[0], 2 * all, rows, columns * all, all,
                            ZL_SYNC_COLUMNS * all, ZL_SYNC_ROWS);
}
