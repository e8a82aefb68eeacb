/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a request of bands and tiles: the columns of every row, one by one, and tiles with their
 * steps and costs. */
#include "synth/region/tiling.h"

#include "base/request.h"

static const int64_t LONGEST = INT32_MAX, LEAST = INT32_MIN;
static const uint64_t WIDEST = (uint64_t)1 << 20, DEAREST = (uint64_t)1 << 48;

/* ---- bands ----------------------------------------------------------------------------------- */

static zlay_status band_check(zlay_ctx *ctx, const zlay_tiling_band *b, uint64_t i)
{
    const struct {
        const char *name;
        int64_t value;
    } field[] = {{"begin", b->begin}, {"end", b->end},
                 {"begin_step", b->begin_step}, {"end_step", b->end_step}};
    if (!b->rows || b->rows > (uint64_t)LONGEST)
        return zl_fail(ctx, ZLAY_EINVAL, "band[%llu].rows: %llu is not 1 to 2^31 - 1",
                       (unsigned long long)i, (unsigned long long)b->rows);
    if (b->columns > (uint64_t)LONGEST)
        return zl_fail(ctx, ZLAY_EINVAL, "band[%llu].columns: %llu is not 0 to 2^31 - 1",
                       (unsigned long long)i, (unsigned long long)b->columns);
    for (size_t k = 0; k < ZL_COUNT(field); k++)
        if (field[k].value < LEAST || field[k].value > LONGEST)
            return zl_fail(ctx, ZLAY_EINVAL, "band[%llu].%s: %lld is not -2^31 to 2^31 - 1",
                           (unsigned long long)i, field[k].name, (long long)field[k].value);
    return ZLAY_OK;
}

/* Checks all bands, and counts groups and rows. */
static zlay_status bands_check(zlay_ctx *ctx, zl_tiling_domain *d, uint64_t *rows)
{
    const zlay_tiling_band *b = d->request.band;
    uint64_t high = 0;
    zlay_status status = zl_charge(ctx, d->request.bands);
    *rows = 0;
    for (uint64_t i = 0; !status && i < d->request.bands; i++) {
        if ((status = band_check(ctx, &b[i], i))) return status;
        if (i && b[i].group < b[i - 1].group)
            return zl_fail(ctx, ZLAY_EINVAL, "band[%llu].group: %llu is below the one before it",
                           (unsigned long long)i, (unsigned long long)b[i].group);
        high = i && b[i].group == b[i - 1].group ? high + b[i].rows : b[i].rows;
        if (high > (uint64_t)LONGEST)
            return zl_fail(ctx, ZLAY_EINVAL, "band[%llu].rows: the group has more than 2^31 - 1",
                           (unsigned long long)i);
        *rows += b[i].rows;
    }
    if (!status) d->groups = b[d->request.bands - 1].group;
    if (d->groups == UINT64_MAX) return zl_fail(ctx, ZLAY_EINVAL, "band: the groups pass 64 bits");
    d->groups++;
    return status;
}

/* The columns of a band's rows, from row `at` of all on. */
static void band_put(zl_tiling_domain *d, const zlay_tiling_band *b, uint64_t at)
{
    zl_tiling_group *group = &d->group[b->group];
    int64_t columns = b->columns ? (int64_t)b->columns : LONGEST;
    if (!group->rows) group->first = at;
    group->rows += b->rows;
    for (uint64_t i = 0; i < b->rows; i++) {
        int64_t low = zl_max(b->begin + (int64_t)i * b->begin_step, 0);
        int64_t high = zl_min(b->end + (int64_t)i * b->end_step, columns);
        d->low[at + i] = low < high ? low : 0;
        d->high[at + i] = low < high ? high : 0;
        group->width = zl_max(group->width, d->high[at + i]);
    }
}

static zlay_status bands_read(zlay_ctx *ctx, zl_tiling_domain *d)
{
    uint64_t rows, at = 0;
    if (!d->request.band || !d->request.bands)
        return zl_fail(ctx, ZLAY_EINVAL, "bands: there is none");
    zlay_status status = bands_check(ctx, d, &rows);
    if (!status) status = zl_charge(ctx, rows);
    if (!status) status = zl_charge(ctx, d->groups);
    if (status) return status;
    d->group = zl_scratch(ctx, d->groups, sizeof *d->group);
    d->low = d->group ? zl_scratch_plain(ctx, rows, sizeof *d->low) : NULL;
    d->high = d->low ? zl_scratch_plain(ctx, rows, sizeof *d->high) : NULL;
    if (!d->high) return ZLAY_ENOMEM;
    for (uint64_t i = 0; i < d->request.bands; at += d->request.band[i++].rows)
        band_put(d, &d->request.band[i], at);
    return ZLAY_OK;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static zlay_status tile_check(zlay_ctx *ctx, const zl_tiling_domain *d, uint32_t i)
{
    static const char *const names[][2] = {{"rows", "row_step"}, {"columns", "column_step"}};
    const zlay_tiling_tile *t = &d->tile[i];
    for (int axis = 0; axis < ZL_REGION_AXES; axis++) {
        uint64_t value[] = {zl_tiling_edge(t, axis), zl_tiling_step(t, axis)};
        for (int k = 0; k < 2; k++)
            if (!value[k] || value[k] > WIDEST)
                return zl_fail(ctx, ZLAY_EINVAL, "tile[%u].%s: %llu is not 1 to 2^20", i,
                               names[axis][k], (unsigned long long)value[k]);
    }
    if (t->cost >= DEAREST)
        return zl_fail(ctx, ZLAY_EINVAL, "tile[%u].cost: it is not below 2^48", i);
    if (!t->cost)
        return zl_fail(ctx, ZLAY_EINVAL, "tile[%u].cost: it is 0, and other tiles have one", i);
    for (uint32_t j = 0; j < i; j++)
        if (d->tile[j].rows == t->rows && d->tile[j].columns == t->columns)
            return zl_fail(ctx, ZLAY_EINVAL, "tile[%u]: it is tile %u again", i, j);
    return ZLAY_OK;
}

static zlay_status tiles_read(zlay_ctx *ctx, zl_tiling_domain *d)
{
    const zlay_tiling_request *r = &d->request;
    zlay_status status = ZLAY_OK;
    if (!r->tile || !r->tiles || r->tiles > ZLAY_REGION_TILES)
        return zl_fail(ctx, ZLAY_EINVAL, "tiles: %u, of 1 to %d", r->tiles, ZLAY_REGION_TILES);
    for (uint32_t i = 0; i < r->tiles; i++) d->costs |= r->tile[i].cost != 0;
    for (uint32_t i = 0; !status && i < r->tiles; i++) {
        zlay_tiling_tile *t = &d->tile[i];
        *t = r->tile[i];
        if (!t->row_step) t->row_step = t->rows;
        if (!t->column_step) t->column_step = t->columns;
        if (!d->costs) t->cost = (uint64_t)t->rows * t->columns;
        status = tile_check(ctx, d, i);
    }
    return status;
}

zlay_status zl_tiling_read(zlay_ctx *ctx, zl_tiling_domain *d, const zlay_tiling_request *request)
{
    static const zl_request_form form = {"zlay_tiling_request", sizeof d->request,
                                         offsetof(zlay_tiling_request, reserved),
                                         {ZL_RESERVED(zlay_tiling_request, reserved)}};
    *d = (zl_tiling_domain){0};
    zlay_status status = zl_request_read(ctx, &d->request, request, &form);
    if (!status) status = tiles_read(ctx, d);
    return status ? status : bands_read(ctx, d);
}
