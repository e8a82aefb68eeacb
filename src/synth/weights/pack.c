/* SPDX-License-Identifier: Apache-2.0 */
/* The order of packed weights: as a layout, and as a copy into it. A tile is the first factor of wgmma.m64nNk16 for eight
 * steps of k, each thread's elements together (PTX ISA 9.1, register fragments of wgmma, matrix A); of two neighbours along
 * k one lies four places behind the other, so that in a register they are 16 bits apart. */
#include "algebra/text/format.h"
#include "base/arith.h"
#include "synth/weights/weights.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

zlay_status zl_weights_packed(uint64_t *out, uint64_t n, uint64_t k)
{
    uint64_t tiles;
    if (n > INT64_MAX || k > INT64_MAX ||
        !zl_umul(zl_weights_tiles(n, ZL_WEIGHTS_N), zl_weights_tiles(k, ZL_WEIGHTS_K), &tiles) ||
        !zl_umul(tiles, ZL_WEIGHTS_TILE, out) || *out > INT64_MAX / 2)
        return ZLAY_EOVERFLOW;
    return ZLAY_OK;
}

zlay_status zlay_weights_layout(zlay_ctx *ctx, zlay_layout **out, uint64_t n, uint64_t k)
{
    char text[256];
    uint64_t bytes, row = zl_weights_tiles(n, ZL_WEIGHTS_N), column = zl_weights_tiles(k, ZL_WEIGHTS_K);
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!n || !k) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_weights_packed(&bytes, n, k);
    if (status) return zl_leave(ctx, status);
    int length = snprintf(text, sizeof text,
                          "((" ZL_WEIGHTS_ROWS ",%" PRIu64 "),(" ZL_WEIGHTS_COLUMNS ",%" PRIu64
                          ")):((" ZL_WEIGHTS_ROW_STRIDES ",%" PRIu64 "),(" ZL_WEIGHTS_COLUMN_STRIDES ",%d))",
                          row, column, column * ZL_WEIGHTS_TILE * 2, ZL_WEIGHTS_TILE * 2);
    return zl_leave(ctx, zl_layout_parse(ctx, out, text, (size_t)length));
}

/* Which 4 bits of a tile a weight is. */
static uint32_t place_of(uint32_t row, uint32_t k)
{
    uint32_t thread = k / 2 % 4 + row % 8 * 4 + row / 16 * 32;
    return k / 64 * 4096 + thread * 32 + k / 16 % 4 * 8 + k % 2 * 4 + k / 8 % 2 * 2 + row / 8 % 2;
}

/* The weights of one row in a tile; those past the matrix stay 0. */
static void pack_row(uint8_t *tile, const uint8_t *from, uint64_t first, uint64_t k, uint32_t row)
{
    for (uint32_t i = 0; i < ZL_WEIGHTS_K && first + i < k; i++) {
        uint32_t q = from[(first + i) / 2] >> ((first + i) % 2 * ZL_WEIGHTS_BITS) & 15;
        uint32_t place = place_of(row, i);
        tile[place / 2] = (uint8_t)(tile[place / 2] | q << (place % 2 * ZL_WEIGHTS_BITS));
    }
}

zlay_status zlay_weights_pack(void *out, size_t room, const void *weights, uint64_t pitch,
                              uint64_t n, uint64_t k)
{
    uint64_t bytes, columns = zl_weights_tiles(k, ZL_WEIGHTS_K), last;
    const uint8_t *from = weights;
    if (!out || !weights || !n || !k || pitch < k / 2 + k % 2) return ZLAY_EINVAL;
    zlay_status status = zl_weights_packed(&bytes, n, k);
    if (!status && !zl_umul(n, pitch, &last)) status = ZLAY_EOVERFLOW;
    if (status) return status;
    if (room < bytes) return ZLAY_EROOM;
    memset(out, 0, bytes);
    for (uint64_t row = 0; row < n; row++)
        for (uint64_t column = 0; column < columns; column++) {
            uint64_t tile = row / ZL_WEIGHTS_N * columns + column;
            pack_row((uint8_t *)out + tile * ZL_WEIGHTS_TILE, from + row * pitch,
                     column * ZL_WEIGHTS_K, k, (uint32_t)(row % ZL_WEIGHTS_N));
        }
    return ZLAY_OK;
}
