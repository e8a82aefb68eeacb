/* SPDX-License-Identifier: Apache-2.0 */
/* Shows operands in registers: the library's layout of the fragment, as the holders of elements. */
#include "algebra/ops/cute.h"
#include "algebra/text/format.h"
#include "legality/matrix/matrix.h"
#include "legality/tmem/tmem.h"
#include "show/picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <zlay/show_fragment.h>

enum { REGISTER = 32, NIBBLE = 4, WARP_ROWS = 16, WARP_COLUMNS = 8, LAYOUT = 400, NAME = 64 };

/* ---- what they share ------------------------------------------------- */

/* One more than the greatest value of a layout. */
static zlay_status end_of(zlay_ctx *ctx, int64_t *end, const zlay_layout *layout)
{
    *end = 0;
    zlay_status status = zl_charge_values(ctx, layout, layout->size);
    for (uint64_t i = 0; i < layout->size && !status; i++) {
        int64_t value;
        if (zl_value(layout, i, &value) && value >= *end) *end = value + 1;
    }
    return status;
}

static void note_layout(zl_sketch *s, const zlay_layout *layout, const char *coordinates,
                        uint32_t bits)
{
    char text[LAYOUT];
    zlay_buf buf = {text, sizeof text, 0};
    if (!zlay_layout_print(&buf, layout)) zl_sketch_note(s, "%s: %s", coordinates, text);
    if (bits == 2 * REGISTER) zl_sketch_note(s, "a value has two registers");
    if (bits < REGISTER && REGISTER % bits == 0)
        zl_sketch_note(s, "a register has %u values, the first in its low bits", REGISTER / bits);
}

/* Draws the holders, and frees the layout. */
static zlay_status draw(zl_sketch *s, zlay_layout *layout, uint64_t rows, const char *coordinates,
                        uint32_t bits)
{
    int64_t end = 0;
    zlay_status status = s->status ? s->status : end_of(s->ctx, &end, layout);
    if (!status) status = zl_sketch_holders(s, layout, rows, ((uint64_t)end + rows - 1) / rows);
    if (!s->status) s->status = status;
    note_layout(s, layout, coordinates, bits);
    zlay_layout_free(layout);
    return s->status;
}

/* ---- matrix instructions --------------------------------------------- */

static void put_name(char out[NAME], const zlay_target *target, const zlay_mma *mma)
{
    zlay_mma_form form;
    if (mma->instruction == ZLAY_MMA_MFMA && !zlay_mma_info(&form, target, mma))
        snprintf(out, NAME, "%s", form.name);
    else
        snprintf(out, NAME, "wgmma%s m%un%uk%u %s", mma->sparse ? ".sp" : "", mma->m, mma->n,
                 mma->k, zlay_type_name(mma->a));
}

static zlay_status show_mma(zlay_ctx *ctx, zlay_picture **out, const zlay_target *target,
                            const zlay_mma *mma, int32_t fragment)
{
    static const char *const names[] = {"A", "D", "metadata", "B"};
    char name[NAME], coordinates[NAME];
    zlay_layout *layout;
    zlay_status status = zl_mma_fragment(ctx, &layout, target, mma, fragment);
    if (status) return status;
    uint64_t rows = fragment == ZLAY_FRAGMENT_B ? mma->n : mma->m;
    int32_t type = fragment == ZLAY_FRAGMENT_A   ? mma->a
                   : fragment == ZLAY_FRAGMENT_B ? mma->b
                                                 : mma->d;
    put_name(name, target, mma);
    snprintf(coordinates, sizeof coordinates, "(thread, value) -> row + %" PRIu64 " column", rows);
    zl_sketch s = zl_sketch_begin(ctx, "%s of %s", names[fragment], name);
    draw(&s, layout, rows, coordinates,
         fragment == ZLAY_FRAGMENT_METADATA ? NIBBLE : zlay_type_bits(type));
    return zl_sketch_end(&s, out);
}

zlay_status zlay_show_mma_fragment(zlay_ctx *ctx, zlay_picture **out, const zlay_target *target,
                                   const zlay_mma *mma, int32_t fragment)
{
    if (!ctx || !out || !target || !mma) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, show_mma(ctx, out, target, mma, fragment));
}

/* ---- warps ----------------------------------------------------------- */

static zlay_status show_warp(zlay_ctx *ctx, zlay_picture **out, int32_t fragment, uint32_t bits,
                             uint32_t registers)
{
    static const char *const names[] = {"A of mma.sync m16n8", "B of mma.sync m16n8",
                                        "D of mma.sync m16n8", "ldmatrix, stmatrix",
                                        "ldmatrix.trans, stmatrix.trans"};
    char coordinates[NAME];
    zlay_layout *layout;
    zlay_status status = zl_warp_fragment(ctx, &layout, fragment, bits, registers);
    if (status) return status;
    bool high = fragment == ZLAY_WARP_A || fragment == ZLAY_WARP_D;
    uint64_t rows = high ? WARP_ROWS : WARP_COLUMNS;
    snprintf(coordinates, sizeof coordinates, "(lane, value) -> row + %" PRIu64 " column", rows);
    zl_sketch s =
        zl_sketch_begin(ctx, "%s: %u registers of %u bits", names[fragment], registers, bits);
    draw(&s, layout, rows, coordinates, bits);
    return zl_sketch_end(&s, out);
}

zlay_status zlay_show_warp_fragment(zlay_ctx *ctx, zlay_picture **out, int32_t fragment,
                                    uint32_t bits, uint32_t registers)
{
    if (!ctx || !out) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, show_warp(ctx, out, fragment, bits, registers));
}

/* ---- tensor memory --------------------------------------------------- */

/* Takes addresses to lane + lanes * column; the layout of the addresses is freed. */
static zlay_status number_cells(zlay_ctx *ctx, zlay_layout **cells, zlay_layout *addresses,
                                uint64_t lanes)
{
    char text[NAME];
    zlay_layout *number = NULL;
    int length = snprintf(text, sizeof text, "(%d,%" PRIu64 "):(%" PRIu64 ",1)", ZLAY_TMEM_LANE,
                          lanes, lanes);
    zlay_status status = zl_layout_parse(ctx, &number, text, (size_t)length);
    if (!status) status = zl_compose(ctx, cells, number, addresses);
    zlay_layout_free(number);
    zlay_layout_free(addresses);
    return status;
}

static zlay_status show_registers(zlay_ctx *ctx, zlay_picture **out, const zlay_tmem_map *map)
{
    zlay_layout *addresses, *cells;
    int64_t end = 0;
    if (map->shape < ZLAY_TMEM_16X64B || map->shape > ZLAY_TMEM_16X32BX2)
        return zl_fail(ctx, ZLAY_EINVAL, "shape: not one of ld and st");
    if (map->address) return zl_fail(ctx, ZLAY_EINVAL, "address: %u, not 0", map->address);
    zlay_status status = zl_tmem_layout(ctx, &addresses, map);
    if (status) return status;
    status = end_of(ctx, &end, addresses);
    if (status) return zlay_layout_free(addresses), status;
    uint64_t lanes = (uint64_t)(end + ZLAY_TMEM_LANE - 1) / ZLAY_TMEM_LANE;
    status = number_cells(ctx, &cells, addresses, lanes);
    if (status) return status;
    zl_sketch s = zl_sketch_begin(ctx, "tcgen05.ld.%s.x%u%s", zlay_tmem_shape_name(map->shape),
                                  map->size, map->pack ? ".pack::16b" : "");
    draw(&s, cells, lanes, "(thread, register) -> lane + lanes * column",
         map->pack ? REGISTER / 2 : REGISTER);
    return zl_sketch_end(&s, out);
}

zlay_status zlay_show_tmem_registers(zlay_ctx *ctx, zlay_picture **out, const zlay_tmem_map *map)
{
    if (!ctx || !out || !map) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, show_registers(ctx, out, map));
}
