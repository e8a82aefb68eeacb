/* SPDX-License-Identifier: Apache-2.0 */
/* One piece that is a sum over its dimensions of c x + sum of k floor(x / n), where each n divides
 * the next and the last one the extent, is strided: no point is looked at. */
#include "algebra/find/finish.h"

typedef struct chain {
    const zl_pieces *p;
    size_t count;
    int64_t den[ZL_PIECE_VARIABLES + 1], factor[ZL_PIECE_VARIABLES + 1];
} chain;

/* floor(x / n) of one dimension alone: its number, else dims. */
static size_t dim_of(const zl_pieces *p, size_t q)
{
    const int64_t *row = p->div + q * zl_pieces_width(p);
    size_t dim = p->dims;
    if (row[0]) return p->dims;
    for (size_t v = 0; v + 1 < zl_pieces_width(p); v++) {
        if (!row[1 + v]) continue;
        if (row[1 + v] != 1 || v >= p->dims || dim < p->dims) return p->dims;
        dim = v;
    }
    return dim;
}

static void put_sorted(chain *c, int64_t den, int64_t factor)
{
    size_t i = c->count++;
    for (; i > 0 && c->den[i - 1] > den; i--) {
        c->den[i] = c->den[i - 1];
        c->factor[i] = c->factor[i - 1];
    }
    c->den[i] = den;
    c->factor[i] = factor;
}

static bool is_chain(const chain *c, uint64_t extent)
{
    for (size_t i = 1; i < c->count; i++)
        if (c->den[i] % c->den[i - 1]) return false;
    return !(extent % (uint64_t)c->den[c->count - 1]);
}

static zlay_status put_modes(zl_modes *out, const chain *c, uint64_t extent)
{
    int64_t stride = 0;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < c->count && !status; i++) {
        int64_t ratio = i ? c->den[i] / c->den[i - 1] : 1;
        bool last = i + 1 == c->count;
        if (!zl_mul(stride, ratio, &stride) || !zl_add(stride, c->factor[i], &stride))
            return ZLAY_NONE;
        int64_t end = last ? (int64_t)extent : c->den[i + 1];
        status = zl_modes_leaf(out, end / c->den[i], stride);
    }
    return status;
}

static zlay_status dimension(zl_modes *out, const zl_pieces *p, size_t dim)
{
    const int64_t *value = p->piece[0].value;
    chain c = {.p = p};
    put_sorted(&c, 1, value[1 + dim]);
    for (size_t q = 0; q < p->divs; q++)
        if (value[1 + p->dims + q] && dim_of(p, q) == dim)
            put_sorted(&c, p->den[q], value[1 + p->dims + q]);
    return is_chain(&c, p->extent[dim]) ? put_modes(out, &c, p->extent[dim]) : ZLAY_NONE;
}

/* ---- the profile of the box, as far as its leaves divide the modes ----------------------- */

static zlay_status fill_leaf(zl_modes *out, const zl_mode *leaf, zl_modes *flat, size_t *at)
{
    int64_t extent = leaf->shape, take;
    size_t first = out->count;
    zlay_status status = extent > 1 ? ZLAY_OK : zl_modes_leaf(out, 1, 0);
    while (extent > 1 && !status) {
        if (*at == flat->count) return ZLAY_NONE;
        zl_mode *m = &flat->at[*at];
        take = extent < m->shape ? extent : m->shape;
        if (extent % take || m->shape % take) return ZLAY_NONE;
        if (take > 1) status = zl_modes_leaf(out, take, m->stride);
        extent /= take;
        m->shape /= take;
        m->stride = m->shape > 1 ? m->stride * take : m->stride;
        if (m->shape == 1) ++*at;
    }
    if (status) return status;
    if (out->count > first + 1) zl_modes_wrap(out, first);
    out->at[first].open += leaf->open;
    out->at[out->count - 1].close += leaf->close;
    return ZLAY_OK;
}

static zlay_status profile(zl_modes *out, zl_modes *flat, const zl_modes *box)
{
    size_t at = 0;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < box->count && !status; i++)
        status = fill_leaf(out, &box->at[i], flat, &at);
    return status;
}

static bool is_plain_sum(const zl_pieces *p)
{
    if (p->params || p->count != 1 || p->outs != 1) return false;
    if (p->piece[0].equals || p->piece[0].leasts) return false;
    for (size_t q = 0; q < p->divs; q++)
        if (p->piece[0].value[1 + p->dims + q] && dim_of(p, q) == p->dims) return false;
    return true;
}

static zlay_status strided(zl_modes *out, zl_modes *flat, const zl_pieces *p, const zl_modes *box)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < p->dims && !status; i++) status = dimension(flat, p, i);
    out->offset = p->piece[0].value[0];
    return status ? status : profile(out, flat, box);
}

zlay_status zl_find_strided_pieces(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                   const zl_modes *box)
{
    zl_modes m, flat;
    if (a->partial || !is_plain_sum(&a->pieces)) return ZLAY_NONE;
    zl_modes_begin(&m, ctx);
    zl_modes_begin(&flat, ctx);
    zlay_status status = strided(&m, &flat, &a->pieces, box);
    if (!status) status = zl_layout_strided(ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&flat);
    zl_modes_end(&m);
    return status == ZLAY_ELIMIT ? zl_fail(ctx, ZLAY_NONE, "%s", "") : status;
}
