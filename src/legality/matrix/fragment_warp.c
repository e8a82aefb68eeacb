/* SPDX-License-Identifier: Apache-2.0 */
/* Register fragments of a warp (PTX ISA 9.1, "Matrix Fragments for mma.m16n8k16" and its like;
 * ldmatrix).  A quad of lanes has a row of A or of D, a column of B; a register holds 32 bits along
 * K. */
#include "algebra/text/format.h"

#include "legality/matrix/matrix.h"

enum { REGISTER_BITS = 32, ROWS = 16, COLUMNS = 8 };

typedef struct row {
    uint32_t bits[5], registers[3]; /* 0: no more */
} row;

static const row rows[] = {
    [ZLAY_WARP_A] = {{1, 4, 8, 16, 32}, {2, 4, 0}},
    [ZLAY_WARP_B] = {{1, 4, 8, 16, 32}, {1, 2, 0}},
    [ZLAY_WARP_D] = {{32, 0, 0, 0, 0}, {4, 0, 0}},
    [ZLAY_WARP_MATRICES] = {{16, 0, 0, 0, 0}, {1, 2, 4}},
    [ZLAY_WARP_TRANSPOSED] = {{16, 0, 0, 0, 0}, {1, 2, 4}},
};

static bool listed(const uint32_t *list, size_t count, uint32_t value)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] && list[i] == value) return true;
    return false;
}

static zlay_status fragment_a(zlay_ctx *ctx, zlay_layout **out, uint32_t each, uint32_t registers)
{
    return zl_layout_format(ctx, out, "((4,8),(%u,2,%u)):((%u,1),(%u,8,%u))", each, registers / 2,
                            each * ROWS, ROWS, 4 * each * ROWS);
}

static zlay_status fragment_b(zlay_ctx *ctx, zlay_layout **out, uint32_t each, uint32_t registers)
{
    return zl_layout_format(ctx, out, "((4,8),(%u,%u)):((%u,1),(%u,%u))", each, registers,
                            each * COLUMNS, COLUMNS, 4 * each * COLUMNS);
}

zlay_status zl_warp_fragment(zlay_ctx *ctx, zlay_layout **out, int32_t fragment, uint32_t bits,
                             uint32_t registers)
{
    *out = NULL;
    if (fragment < 0 || (size_t)fragment >= ZL_COUNT(rows)) return ZLAY_EINVAL;
    const row *r = &rows[fragment];
    if (!listed(r->bits, ZL_COUNT(r->bits), bits) ||
        !listed(r->registers, ZL_COUNT(r->registers), registers))
        return zl_fail(ctx, ZLAY_NONE, "no such fragment has %u registers of %u-bit elements",
                       registers, bits);
    uint32_t each = REGISTER_BITS / bits;
    switch (fragment) {
    case ZLAY_WARP_A: return fragment_a(ctx, out, each, registers);
    case ZLAY_WARP_B: return fragment_b(ctx, out, each, registers);
    case ZLAY_WARP_D: return zl_layout_format(ctx, out, "((4,8),(2,2)):((32,1),(16,8))");
    case ZLAY_WARP_MATRICES:
        return zl_layout_format(ctx, out, "((4,8),(2,%u)):((16,1),(8,64))", registers);
    default: return zl_layout_format(ctx, out, "((4,8),(2,%u)):((2,8),(1,64))", registers);
    }
}

zlay_status zlay_warp_fragment(zlay_ctx *ctx, zlay_layout **out, int32_t fragment, uint32_t bits,
                               uint32_t registers)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, zl_warp_fragment(ctx, out, fragment, bits, registers));
}
