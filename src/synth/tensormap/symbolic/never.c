/* SPDX-License-Identifier: Apache-2.0 */
/* Proves that no copies bring a tile, whatever the values of the unknowns are. A copy brings 16
 * aligned bytes of global memory to 16 aligned bytes of shared memory. So NONE is proved by a cell
 * that is always inside the tensor and has another offset in its 16 bytes of global memory than in
 * its 16 bytes of shared memory, in the first tile or in the next. It is also proved by two cells
 * that share 16 bytes of shared memory and are never in the same 16 bytes of global memory. The
 * offsets are polynomials; their ranges (interval and congruence) decide. */
#include "algebra/ops/cute.h"
#include "synth/tensormap/symbolic/symbolic.h"
#include <zlay/block.h>

typedef struct first {
    uint64_t cell; /* 1 + the first cell of a chunk among those always inside; 0: none yet */
    int64_t place;
} first;

/* The box of cells that are inside the tensor for all values. */
typedef struct always {
    uint64_t cells, extent[ZL_SYMBOL_LEAVES];
    int64_t place; /* of the first, bytes */
} always;

static always always_of(const zl_tm_symbolic *g)
{
    always a = {.cells = 1};
    for (size_t k = 0; k < g->s->leaves; k++) {
        uint64_t least = (uint64_t)zl_monomial_range(&g->s->leaf[k].shape, g->s).lo;
        a.extent[k] = least < g->request.shape[k] ? least : g->request.shape[k];
        a.cells *= a.extent[k];
    }
    return a;
}

/* The coordinate of the i-th cell of that box; returns its index in the tile. */
static uint64_t cell_of(int64_t *at, const zl_tm_symbolic *g, const always *a, uint64_t i)
{
    uint64_t cell = 0, step = 1;
    for (size_t k = 0; k < g->s->leaves; k++) {
        at[k] = (int64_t)(i % a->extent[k]);
        i /= a->extent[k];
        cell += (uint64_t)at[k] * step;
        step *= g->request.shape[k];
    }
    return cell;
}

static bool sum_put(zl_poly *p, const zl_tm_symbolic *g, const zl_tm_sum *sum, int64_t times)
{
    bool fits = true;
    for (uint32_t i = 0; i < g->products; i++) {
        zl_monomial m = g->product[i];
        fits = fits && zl_mul(sum->of[i], times, &m.factor) && (!m.factor || zl_poly_add(p, &m));
    }
    return fits;
}

/* Whether a number of bytes is never 0 or, with a modulus, never a multiple of it. */
static bool never(const zl_tm_symbolic *g, const zl_poly *bytes, int64_t modulus)
{
    zlay_range r = zl_poly_range(bytes, g->s);
    if (modulus) r = zl_range_mod(r, zl_range_constant(modulus));
    return !zl_range_has(r, 0);
}

/* Whether the bytes from one cell to another minus `places` are never 0, or never a multiple of
 * `modulus`. */
static bool apart(const zl_tm_symbolic *g, const int64_t *from, const int64_t *to, int64_t places,
                  int64_t modulus)
{
    zl_poly bytes = {0};
    zl_monomial less = zl_monomial_of(-places);
    bool fits = !places || zl_poly_add(&bytes, &less);
    for (size_t k = 0; k < g->s->leaves; k++)
        fits = fits && sum_put(&bytes, g, &g->step[k], to[k] - from[k]);
    return fits && never(g, &bytes, modulus);
}

/* Whether a cell never has the offset `place` in its 16 bytes of global memory. */
static bool misplaced(const zl_tm_symbolic *g, const int64_t *at, int64_t place)
{
    zl_poly bytes = {0};
    zl_monomial less = zl_monomial_of(-place);
    bool fits = (!place || zl_poly_add(&bytes, &less)) && sum_put(&bytes, g, &g->offset, 1);
    for (size_t k = 0; k < g->s->leaves; k++) fits = fits && sum_put(&bytes, g, &g->step[k], at[k]);
    return fits && never(g, &bytes, ZL_CHUNK);
}

static zlay_status none(const zl_tm_symbolic *g, const char *rule, uint64_t cell, const char *why)
{
    return zl_fail(g->ctx, ZLAY_NONE, "%s: byte %llu of the tile: %s for any number that the facts "
                   "allow", rule, (unsigned long long)(cell * g->element), why);
}

/* Names the reason: a pitch that is never a multiple of 16, where there is one. */
static zlay_status misplaced_say(const zl_tm_symbolic *g, uint64_t cell)
{
    for (size_t k = 0; k < g->s->leaves; k++) {
        zl_poly bytes = {0};
        if (g->request.shape[k] < 2 || zl_monomial_is(&g->s->leaf[k].stride, 1)) continue;
        if (sum_put(&bytes, g, &g->step[k], 1) && never(g, &bytes, ZL_CHUNK))
            return none(g, "TMAP_STRIDE_16", cell, "a pitch of the tensor is no multiple of 16 bytes");
    }
    return none(g, "COPY_COORDINATE_16", cell, "it does not lie in its 16 bytes of global memory as "
                "in those of shared memory");
}

static zlay_status cell_never(const zl_tm_symbolic *g, const always *a, first *chunk, uint64_t i)
{
    static const int64_t origin[ZL_SYMBOL_LEAVES];
    int64_t place, at[ZL_SYMBOL_LEAVES], before[ZL_SYMBOL_LEAVES];
    uint64_t cell = cell_of(at, g, a, i);
    if (!zl_value(g->request.smem, cell, &place) || place < 0) return ZLAY_ELIMIT;
    place *= g->element;
    first *f = &chunk[place / ZL_CHUNK];
    if (misplaced(g, at, place % ZL_CHUNK) || apart(g, origin, at, place - a->place, ZL_CHUNK))
        return misplaced_say(g, cell);
    if (!f->cell) {
        *f = (first){i + 1, place};
        return ZLAY_ELIMIT;
    }
    cell_of(before, g, a, f->cell - 1);
    if (!apart(g, before, at, place - f->place, 0)) return ZLAY_ELIMIT;
    return none(g, "TMAP_BOX0_16", cell, "its 16 bytes of shared memory are not 16 of global memory");
}

/* Whether there is always a second tile in which the first cell has another offset in its 16
 * bytes. */
static zlay_status tiles_never(const zl_tm_symbolic *g)
{
    for (size_t k = 0; k < g->s->leaves; k++) {
        zl_poly bytes = {0};
        int64_t tile = (int64_t)g->request.shape[k];
        if (zl_monomial_range(&g->s->leaf[k].shape, g->s).lo <= tile) continue;
        if (sum_put(&bytes, g, &g->step[k], tile) && never(g, &bytes, ZL_CHUNK))
            return none(g, "COPY_COORDINATE_16", 0, "in the next tile it does not lie in its 16 bytes "
                        "of global memory as in those of shared memory");
    }
    return ZLAY_ELIMIT;
}

static zlay_status cells_never(const zl_tm_symbolic *g)
{
    uint64_t most, i = 0;
    zlay_status status = ZLAY_ELIMIT;
    always a = always_of(g);
    if (zlay_layout_size(g->request.smem) > zl_limits(g->ctx)->points ||
        zl_cosize(g->ctx, &most, g->request.smem) ||
        most > zlay_smem_capacity(g->target) / g->element)
        return ZLAY_ELIMIT;
    if (!zl_value(g->request.smem, 0, &a.place)) return ZLAY_ELIMIT;
    a.place *= g->element;
    first *chunk = zl_scratch(g->ctx, most * g->element / ZL_CHUNK + 1, sizeof *chunk);
    if (!chunk) return ZLAY_ENOMEM;
    while (i < a.cells && status == ZLAY_ELIMIT) status = cell_never(g, &a, chunk, i++);
    return status;
}

zlay_status zl_tm_never(const zl_tm_symbolic *g)
{
    if (!g->products) return ZLAY_ELIMIT;
    zlay_status status = tiles_never(g);
    return status == ZLAY_ELIMIT && g->request.smem ? cells_never(g) : status;
}
