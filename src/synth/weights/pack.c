/* SPDX-License-Identifier: Apache-2.0 */
/* The order of packed weights: as a layout, and as a copy into it. A tile is the first factor of wgmma.m64nNk16 for eight
 * steps of k, each thread's elements together (PTX ISA 9.1, register fragments of wgmma, matrix A). Of 4 bits, one of two
 * neighbours along k lies four places behind the other, so that in a register they are 16 bits apart. */
#include "algebra/text/format.h"
#include "base/arith.h"
#include "synth/weights/weights.h"

#include <string.h>

enum { ROW_MODES = 3, K_MODES = 5, TEXT = 256 };

/* What modes of (row, k) in a tile add to the place of a weight: a thread 4 g + c + 32 w has rows g + 8 h + 16 w and k of
 * p + 2 c + 8 j + 16 s, of which the lower and upper bits of s are two modes. */
static const struct order {
    int32_t type;
    uint32_t row[ROW_MODES], row_adds[ROW_MODES], k[K_MODES], k_adds[K_MODES]; /* extents, strides */
} orders[] = {
    {ZLAY_TYPE_U4, {8, 2, 4}, {128, 1, 1024}, {2, 4, 2, 4, 2}, {4, 32, 2, 8, 4096}},
    {ZLAY_TYPE_S4, {8, 2, 4}, {128, 1, 1024}, {2, 4, 2, 4, 2}, {4, 32, 2, 8, 4096}},
    {ZLAY_TYPE_E2M1, {8, 2, 4}, {128, 1, 1024}, {2, 4, 2, 4, 2}, {4, 32, 2, 8, 4096}},
    {ZLAY_TYPE_S8, {8, 2, 4}, {64, 2, 512}, {2, 4, 2, 2, 4}, {1, 16, 4, 8, 2048}},
    {ZLAY_TYPE_E4M3, {8, 2, 4}, {64, 2, 512}, {2, 4, 2, 2, 4}, {1, 16, 4, 8, 2048}},
    {ZLAY_TYPE_E5M2, {8, 2, 4}, {64, 2, 512}, {2, 4, 2, 2, 4}, {1, 16, 4, 8, 2048}},
};

static const struct order *order_of(int32_t type)
{
    for (size_t i = 0; i < ZL_COUNT(orders); i++)
        if (orders[i].type == type) return &orders[i];
    return NULL;
}

bool zl_weights_are(int32_t type)
{
    return order_of(type) != NULL;
}

zlay_status zl_weights_packed(uint64_t *out, int32_t type, uint64_t n, uint64_t k)
{
    uint64_t tiles;
    if (n > INT64_MAX || k > INT64_MAX ||
        !zl_umul(zl_weights_tiles(n, ZL_WEIGHTS_N), zl_weights_tiles(k, ZL_WEIGHTS_K), &tiles) ||
        !zl_umul(tiles, zl_weights_bytes(type), out) || *out > INT64_MAX / 2)
        return ZLAY_EOVERFLOW;
    return ZLAY_OK;
}

/* ---- the layout --------------------------------------------------------------------------- */

static void put_numbers(zl_text *out, const uint32_t *numbers, uint32_t count, uint64_t last)
{
    zl_puts(out, "(");
    for (uint32_t i = 0; i < count; i++) zl_putf(out, "%u,", numbers[i]);
    zl_putf(out, "%llu)", (unsigned long long)last);
}

zlay_status zl_weights_order(zlay_ctx *ctx, zlay_layout **out, int32_t type, uint64_t rows,
                             uint64_t columns)
{
    char room[TEXT];
    const struct order *o = order_of(type);
    zl_text text = {room, sizeof room, 0};
    zl_puts(&text, "(");
    put_numbers(&text, o->row, ROW_MODES, rows);
    zl_puts(&text, ",");
    put_numbers(&text, o->k, K_MODES, columns);
    zl_puts(&text, "):(");
    put_numbers(&text, o->row_adds, ROW_MODES, columns * ZL_WEIGHTS_ELEMENTS);
    zl_puts(&text, ",");
    put_numbers(&text, o->k_adds, K_MODES, ZL_WEIGHTS_ELEMENTS);
    zl_puts(&text, ")");
    return zl_layout_parse(ctx, out, room, text.need);
}

zlay_status zlay_weights_layout(zlay_ctx *ctx, zlay_layout **out, int32_t type, uint64_t n,
                                uint64_t k)
{
    uint64_t bytes;
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!n || !k || !zl_weights_are(type)) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_weights_packed(&bytes, type, n, k);
    if (!status)
        status = zl_weights_order(ctx, out, type, zl_weights_tiles(n, ZL_WEIGHTS_N), zl_weights_tiles(k, ZL_WEIGHTS_K));
    return zl_leave(ctx, status);
}

/* ---- the copy ------------------------------------------------------------------------------- */

static uint32_t place_along(uint32_t coordinate, const uint32_t *extents, const uint32_t *adds, uint32_t modes)
{
    uint32_t place = 0;
    for (uint32_t i = 0; i < modes; i++, coordinate /= extents[i - 1]) place += coordinate % extents[i] * adds[i];
    return place;
}

/* The bits of element `place` of an array. */
static uint32_t read_bits(const uint8_t *from, uint64_t place, uint32_t bits)
{
    return from[place * bits / 8] >> place * bits % 8 & ((1u << bits) - 1);
}

/* The weights of one row in a tile; those past the matrix stay 0. */
static void pack_row(uint8_t *tile, const struct order *o, const uint8_t *from, uint64_t first, uint64_t k, uint32_t row)
{
    uint32_t bits = zlay_type_bits(o->type), along = place_along(row, o->row, o->row_adds, ROW_MODES);
    for (uint32_t i = 0; i < ZL_WEIGHTS_K && first + i < k; i++) {
        uint32_t place = along + place_along(i, o->k, o->k_adds, K_MODES);
        uint8_t *to = &tile[place * bits / 8];
        *to = (uint8_t)(*to | read_bits(from, first + i, bits) << place * bits % 8);
    }
}

zlay_status zlay_weights_pack(void *out, size_t room, const void *weights, uint64_t pitch,
                              int32_t type, uint64_t n, uint64_t k)
{
    uint64_t bytes, columns = zl_weights_tiles(k, ZL_WEIGHTS_K), last;
    const uint8_t *from = weights;
    const struct order *o = order_of(type);
    if (!out || !weights || !n || !k || !o) return ZLAY_EINVAL;
    if (pitch < (zlay_type_bits(type) == 8 ? k : k / 2 + k % 2)) return ZLAY_EINVAL;
    zlay_status status = zl_weights_packed(&bytes, type, n, k);
    if (!status && !zl_umul(n, pitch, &last)) status = ZLAY_EOVERFLOW;
    if (status) return status;
    if (room < bytes) return ZLAY_EROOM;
    memset(out, 0, bytes);
    for (uint64_t row = 0; row < n; row++)
        for (uint64_t column = 0; column < columns; column++) {
            uint64_t tile = row / ZL_WEIGHTS_N * columns + column;
            pack_row((uint8_t *)out + tile * zl_weights_bytes(type), o, from + row * pitch,
                     column * ZL_WEIGHTS_K, k, (uint32_t)(row % ZL_WEIGHTS_N));
        }
    return ZLAY_OK;
}
