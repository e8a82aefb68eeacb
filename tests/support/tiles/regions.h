/* SPDX-License-Identifier: Apache-2.0 */
/* All covers of a group by tiles: every number of each size along a line, every choice of strips, and
 * every set of boxes, which may overlap and lie anywhere. */
#ifndef TEST_REGIONS_H
#define TEST_REGIONS_H

#include "ctx.h"

#include <stdbool.h>
#include <zlay/region.h>

typedef struct price {
    uint64_t cost, cells, pieces;
} price;

static inline bool is_cheaper(price a, price b)
{
    if (a.cost != b.cost) return a.cost < b.cost;
    return a.cells != b.cells ? a.cells < b.cells : a.pieces < b.pieces;
}

static inline price price_sum(price a, price b, uint64_t times)
{
    return (price){a.cost + b.cost * times, a.cells + b.cells * times, a.pieces + b.pieces * times};
}

static inline uint64_t times_over(uint64_t length, uint64_t size) { return (length + size - 1) / size; }

/* Every number of each size; the last size takes what the others leave. */
static inline price least_line(const uint64_t *size, const price *each, uint32_t count, uint64_t length)
{
    uint64_t most = times_over(length, size[0]);
    price least = price_sum((price){0}, each[0], most);
    for (uint64_t n = 0; count > 1 && n <= most; n++) {
        uint64_t rest = n * size[0] < length ? length - n * size[0] : 0;
        price one = price_sum(least_line(size + 1, each + 1, count - 1, rest), each[0], n);
        if (is_cheaper(one, least)) least = one;
    }
    return least;
}

static inline price price_of(const zlay_region_tile *t)
{
    uint64_t wide = t->columns ? t->columns : 1, cells = t->rows * wide;
    return (price){t->cost ? t->cost : cells, cells, 1};
}

/* Strips of the rows of some tiles, each cut into such tiles. */
static inline price least_strips(const zlay_region_tile *tile, uint32_t count, uint64_t rows,
                                 uint64_t columns)
{
    uint64_t high[ZLAY_REGION_TILES], wide[ZLAY_REGION_TILES];
    price strip[ZLAY_REGION_TILES], each[ZLAY_REGION_TILES];
    uint32_t strips = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = 0, of = 0;
        while (tile[first].rows != tile[i].rows) first++;
        if (first < i) continue;
        for (uint32_t j = i; j < count; j++)
            if (tile[j].rows == tile[i].rows) {
                wide[of] = tile[j].columns ? tile[j].columns : 1;
                each[of++] = price_of(&tile[j]);
            }
        high[strips] = tile[i].rows;
        strip[strips++] = least_line(wide, each, of, columns);
    }
    return least_line(high, strip, strips, rows);
}

/* A group of at most 64 cells, as bits of its rows one behind the other. */
typedef struct boxes {
    const zlay_region_tile *tile;
    uint32_t count, rows, columns;
    price least;
} boxes;

static inline uint64_t box_cells(const boxes *b, uint32_t row, int column, const zlay_region_tile *t)
{
    uint64_t cells = 0;
    for (uint32_t i = row; i < row + t->rows && i < b->rows; i++)
        for (int j = column; j < column + (int)t->columns && j < (int)b->columns; j++)
            if (j >= 0) cells |= 1ull << (i * b->columns + (uint32_t)j);
    return cells;
}

/* The first cell that nothing covers takes each tile at each place.  All rows above are covered, so a
 * tile that lies further down covers no less of the rest. */
static inline void try_boxes(boxes *b, uint64_t covered, price so_far)
{
    uint32_t cell = 0;
    while (cell < b->rows * b->columns && covered >> cell & 1) cell++;
    if (!is_cheaper(so_far, b->least)) return;
    if (cell == b->rows * b->columns) {
        b->least = so_far;
        return;
    }
    int row = (int)(cell / b->columns), column = (int)(cell % b->columns);
    for (uint32_t i = 0; i < b->count; i++)
        for (int at = column; at > column - (int)b->tile[i].columns; at--)
            try_boxes(b, covered | box_cells(b, (uint32_t)row, at, &b->tile[i]),
                      price_sum(so_far, price_of(&b->tile[i]), 1));
}

static inline price least_boxes(const zlay_region_tile *tile, uint32_t count, uint32_t rows,
                                uint32_t columns)
{
    boxes b = {tile, count, rows, columns, least_strips(tile, count, rows, columns)};
    b.least.pieces++; /* so that what strips reach is reached again */
    try_boxes(&b, 0, (price){0});
    return b.least;
}

#endif
