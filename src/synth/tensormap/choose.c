/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses a shared layout for a source that is read value by value. Cells are sorted by where they
 * lie in global memory, so that each 16 bytes of it stand once in shared memory, in their order.
 * Cells that name an element for the second time follow behind, then those of the third time;
 * cells without a value come last. */
#include "synth/tensormap/tensormap.h"

#include "algebra/find/table.h"

#include <stdlib.h>

typedef struct sorted_cell {
    int64_t at;     /* bytes of global memory, in its order; INT64_MAX: none */
    uint64_t again; /* cells before it that have the same */
    uint64_t cell;
} sorted_cell;

static int by_value(const void *a, const void *b)
{
    const sorted_cell *p = a, *q = b;
    if (p->at != q->at) return p->at < q->at ? -1 : 1;
    return p->cell < q->cell ? -1 : p->cell > q->cell;
}

static int by_turn(const void *a, const void *b)
{
    const sorted_cell *p = a, *q = b;
    if (p->again != q->again) return p->again < q->again ? -1 : 1;
    return by_value(a, b);
}

/* Sorts cells by a table of values; NONE: two cells have one value, or values lie too far apart. */
static zlay_status cells_by_table(const zl_tm *t, sorted_cell *s)
{
    enum { ROOM = 4 };
    uint64_t range = (uint64_t)t->most - (uint64_t)t->least, n = 0;
    if (t->most < t->least || range >= ROOM * t->cells) return ZLAY_NONE;
    uint64_t *cell = zl_scratch(t->ctx, range + 1, sizeof *cell);
    if (!cell) return ZLAY_ENOMEM;
    bool once = true;
    for (uint64_t i = 0; i < t->cells && once; i++) {
        uint64_t *mine = t->defined[i] ? &cell[t->value[i] - t->least] : NULL;
        once = mine && !*mine;
        if (once) *mine = i + 1;
    }
    for (uint64_t at = 0; at <= range && once; at++)
        if (cell[at]) s[n++] = (sorted_cell){(t->least + (int64_t)at) * t->element, 0, cell[at] - 1};
    return once ? ZLAY_OK : ZLAY_NONE;
}

static zlay_status cells_sort(const zl_tm *t, sorted_cell *s)
{
    zlay_status status = cells_by_table(t, s);
    if (status != ZLAY_NONE) return status;
    for (uint64_t i = 0; i < t->cells; i++)
        s[i] = (sorted_cell){t->defined[i] ? t->value[i] * t->element : INT64_MAX, 0, i};
    qsort(s, t->cells, sizeof *s, by_value);
    for (uint64_t i = 1; i < t->cells; i++)
        if (s[i].at == s[i - 1].at && s[i].at != INT64_MAX) s[i].again = s[i - 1].again + 1;
    for (uint64_t i = t->cells; i-- > 0 && s[i].at == INT64_MAX;) s[i].again = t->cells;
    qsort(s, t->cells, sizeof *s, by_turn);
    return ZLAY_OK;
}

static int64_t chunk_of(const sorted_cell *s) { return s->at < 0 ? ~(~s->at / ZL_CHUNK) : s->at / ZL_CHUNK; }

/* Returns the place of an unswizzled byte after the swizzle. */
static int64_t swizzled(const zl_tm *t, int64_t at)
{
    uint64_t line = (uint64_t)at / ZL_LINE;
    int64_t half = zl_tm_swaps(t->swizzle, line) ? ZL_HALF : 0;
    return (at ^ (int64_t)zl_tm_flip(t->swizzle, line) * ZL_CHUNK) ^ half;
}

static void places_put(const zl_tm *t, const sorted_cell *s, zl_table *table)
{
    int64_t place = -ZL_CHUNK, at;
    for (uint64_t i = 0; i < t->cells; i++) {
        bool none = s[i].at == INT64_MAX, first = !i || s[i].again != s[i - 1].again;
        if (none && first) place += ZL_CHUNK;
        else if (none) place += t->element;
        else if (first || chunk_of(&s[i]) != chunk_of(&s[i - 1])) place += ZL_CHUNK;
        at = none ? place : place + (s[i].at - chunk_of(&s[i]) * ZL_CHUNK);
        zl_table_set(table, s[i].cell, swizzled(t, at) / t->element);
    }
}

static zlay_status layout_put(zl_tm *t, const zl_table *table)
{
    zl_modes box;
    zlay_status status = ZLAY_OK;
    zl_modes_begin(&box, t->ctx);
    for (uint32_t k = 0; k < t->modes && !status; k++)
        status = zl_modes_leaf(&box, (int64_t)t->request.shape[k], 0);
    if (!status && t->modes > 1) zl_modes_wrap(&box, 0);
    if (!status) status = zl_cheapest(t->ctx, &t->smem, table, &box, NULL, NULL);
    zl_modes_end(&box);
    return status;
}

zlay_status zl_tm_choose(zl_tm *t)
{
    zl_table table = {0};
    t->swizzle = t->request.swizzle_given ? t->request.swizzle : ZLAY_SWIZZLE_NONE;
    sorted_cell *s = zl_scratch(t->ctx, t->cells, sizeof *s);
    zlay_status status = s ? zl_table_new(t->ctx, &table, t->cells) : ZLAY_ENOMEM;
    if (!status) status = cells_sort(t, s);
    if (!status) places_put(t, s, &table);
    if (!status) status = layout_put(t, &table);
    zl_table_free(&table);
    return status;
}
