/* SPDX-License-Identifier: Apache-2.0 */
/* That no copies do it, whatever the names are: two cells that are always inside the tensor share 16
 * bytes of shared memory, which every copy fills from 16 bytes of global memory, and never lie as far
 * apart there. */
#include "synth/tensormap_given.h"

typedef struct first {
    uint64_t cell; /* of a chunk, plus 1; 0: none yet */
    int64_t place;
} first;

/* The coordinate of a cell; false: some numbers put it outside the tensor. */
static bool inside(int64_t *at, const zl_tm_given *g, uint64_t cell)
{
    for (size_t k = 0; k < g->s->leaves; k++) {
        at[k] = (int64_t)(cell % g->request.shape[k]);
        cell /= g->request.shape[k];
        if (at[k] >= zl_monomial_range(&g->s->leaf[k].shape, g->s).lo) return false;
    }
    return true;
}

/* Bytes from one cell to another, less `places`: whether it is never 0. */
static bool never(const zl_tm_given *g, const int64_t *from, const int64_t *to, int64_t places)
{
    zl_poly apart = {0};
    zl_monomial less = zl_monomial_of(places);
    less.factor = -less.factor;
    bool fits = zl_poly_add(&apart, &less);
    for (size_t k = 0; k < g->s->leaves; k++)
        for (uint32_t i = 0; i < g->products; i++) {
            zl_monomial m = g->product[i];
            fits = fits && zl_mul(g->step[k].of[i], to[k] - from[k], &m.factor) &&
                   (!m.factor || zl_poly_add(&apart, &m));
        }
    zlay_range r = zl_poly_range(&apart, g->s);
    return fits && !zl_range_has(r, 0);
}

static bool cell_never(const zl_tm_given *g, first *chunk, uint64_t cell)
{
    int64_t place, at[ZL_SYMBOL_LEAVES], before[ZL_SYMBOL_LEAVES];
    if (!zl_value(g->request.smem, cell, &place) || place < 0 || !inside(at, g, cell)) return false;
    place *= g->element;
    first *f = &chunk[place / ZL_CHUNK];
    if (!f->cell) {
        *f = (first){cell + 1, place};
        return false;
    }
    return inside(before, g, f->cell - 1) && never(g, before, at, place - f->place);
}

zlay_status zl_tm_never(const zl_tm_given *g)
{
    uint64_t room = zlay_smem_capacity(g->target) / ZL_CHUNK + 1, most;
    uint64_t cells = g->request.smem ? zlay_layout_size(g->request.smem) : 0, cell = 0;
    zlay_allocator alloc = zl_allocator(g->ctx);
    if (!cells || cells > zl_limits(g->ctx)->points || !g->products) return ZLAY_ELIMIT;
    if (zlay_layout_cosize(g->ctx, &most, g->request.smem) || most > (room - 1) * ZL_CHUNK / g->element)
        return ZLAY_ELIMIT;
    first *chunk = zl_alloc(g->ctx, room, sizeof *chunk);
    if (!chunk) return ZLAY_ENOMEM;
    while (cell < cells && !cell_never(g, chunk, cell)) cell++;
    zl_free(&alloc, chunk, room * sizeof *chunk);
    if (cell == cells) return ZLAY_ELIMIT;
    return zl_fail(g->ctx, ZLAY_NONE, "TMAP_BOX0_16: byte %llu of the tile: its 16 bytes of shared "
                   "memory are not 16 of global memory for any number that the facts allow",
                   (unsigned long long)(cell * g->element));
}
