/* SPDX-License-Identifier: Apache-2.0 */
/* The modes of two strided layouts side by side: padded to one rank, zipped mode by mode, and the
 * two modes of a divide or a product arranged as CuTe's logical, zipped, tiled and flat forms are.
 */
#include "algebra/ops/cute.h"

/* ---- arrangements ------------------------------------------------------------------------ */

static zlay_status arrange(zl_modes *m, const zlay_layout *a, zlay_arrangement arrangement)
{
    zl_modes part;
    zlay_status status = ZLAY_OK;
    m->offset = a->offset;
    for (size_t k = 0; k < 2 && !status; k++) {
        bool flat = arrangement == ZLAY_FLAT || (arrangement == ZLAY_TILED && k);
        zl_modes_begin(&part, m->ctx);
        status = zl_parts_take(&part, a->mode, a->modes, k);
        if (!status && flat) status = zl_parts_unpack(m, part.at, part.count);
        else if (!status) status = zl_modes_append(m, part.at, part.count);
        zl_modes_end(&part);
    }
    zl_modes_wrap(m, 0);
    return status;
}

zlay_status zl_arrange_strided(zlay_ctx *ctx, zlay_layout **layout, zlay_arrangement arrangement)
{
    zlay_layout *a = *layout, *made = NULL;
    zl_modes m;
    if (arrangement < ZLAY_TILED || !a->modes) return ZLAY_OK;
    zl_modes_begin(&m, ctx);
    zlay_status status = arrange(&m, a, arrangement);
    if (!status) status = zl_layout_strided(ctx, &made, &m, a->swizzle);
    zl_modes_end(&m);
    zlay_layout_free(a);
    *layout = made;
    return status;
}

/* ---- one rank, and mode by mode ------------------------------------------------------------ */

zlay_status zl_pad_rank(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t rank)
{
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_parts_from(&m, a->mode, a->modes, 0);
    for (size_t k = zl_parts_count(a->mode, a->modes); k < rank && !status; k++)
        status = zl_modes_leaf(&m, 1, 0);
    if (rank > 1 || a->mode[0].open) zl_modes_wrap(&m, 0);
    if (!status) status = zl_layout_strided(ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    return status;
}

/* Mode k; where 4:1 was composed with something its one mode may now be all of (2,2). */
static zlay_status take_mode(zl_modes *m, const zlay_layout *a, size_t rank, size_t k)
{
    if (zl_parts_count(a->mode, a->modes) != rank) return zl_modes_append(m, a->mode, a->modes);
    return zl_parts_take(m, a->mode, a->modes, k);
}

/* CuTe's zip of an integer with what follows takes that whole: 16 and (8) are ((16,(8))). */
static bool is_integer(const zlay_layout *a) { return a->modes == 1 && !a->mode[0].open; }

zlay_status zl_zip_modes(zl_modes *m, const zlay_layout *a, const zlay_layout *b, bool raked)
{
    const zlay_layout *pair[2] = {raked ? b : a, raked ? a : b};
    size_t rank = zl_parts_count(a->mode, a->modes);
    zlay_status status = ZLAY_OK;
    for (size_t k = 0; k < rank && !status; k++) {
        size_t first = m->count;
        for (size_t i = 0; i < 2 && !status; i++)
            status = i && is_integer(pair[0]) ? zl_modes_append(m, pair[i]->mode, pair[i]->modes)
                                              : take_mode(m, pair[i], rank, k);
        zl_modes_wrap(m, first);
    }
    zl_modes_wrap(m, 0);
    return status;
}
