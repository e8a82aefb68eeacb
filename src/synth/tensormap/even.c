/* SPDX-License-Identifier: Apache-2.0 */
/* Makes copies that step evenly: one map, and for each digit that counts copies a constant step of
 * the coordinates and of the place in shared memory. Nothing is searched; the coordinates of the
 * first copy and the steps give those of all. */
#include "synth/tensormap/dims.h"

#include <string.h>

typedef struct even {
    const zl_tm *t;
    const zl_tm_split *split;
    zl_tm_map map;
    int64_t first[ZL_TM_RANK], last[ZL_TM_RANK];
    int64_t step[ZL_TM_DIGITS][ZL_TM_RANK]; /* of coordinates, for each digit of copies */
} even;

/* ---- coordinates ---------------------------------------------------------------------------- */

/* Finds the step of the coordinates for one digit of copies; false: a coordinate would fall, or
 * pass 2^31. */
static bool step_find(even *e, uint32_t k)
{
    const zl_tm_digit *d = &e->split->over[k];
    zl_tm_box box;
    int64_t way;
    box.digits = 0;
    memcpy(box.cell, e->split->box.cell, sizeof box.cell);
    if (d->axis != ZL_TM_NO_AXIS) box.cell[d->axis] += (int64_t)d->unit;
    if (!zl_add(e->split->box.global, d->global, &box.global) ||
        !zl_tm_map_start(&e->map, e->step[k], &e->split->box, &box))
        return false;
    for (uint32_t i = 0; i < e->map.rank; i++) {
        e->step[k][i] -= e->first[i];
        if (e->step[k][i] < 0 || !zl_mul(e->step[k][i], (int64_t)d->extent - 1, &way) ||
            !zl_add(e->last[i], way, &e->last[i]) || e->last[i] > INT32_MAX)
            return false;
    }
    return true;
}

static bool steps_find(even *e)
{
    if (!zl_tm_map_of(&e->map, e->t, &e->split->box) || !zl_tm_map_advance(&e->map) ||
        !zl_tm_map_start(&e->map, e->first, &e->split->box, &e->split->box))
        return false;
    memcpy(e->last, e->first, sizeof e->last);
    for (uint32_t k = 0; k < e->split->overs; k++)
        if (!step_find(e, k)) return false;
    return true;
}

/* Extends each dimension to the indices that copies and tiles reach, and returns the map's
 * address; in a dimension without edges the least index becomes 0. */
static int64_t settle(even *e)
{
    int64_t address = e->split->box.global;
    for (uint32_t i = 0; i < e->map.rank; i++) {
        zl_tm_dim *d = &e->map.dim[i];
        d->most += e->last[i] - e->first[i];
        int64_t shift = d->clips ? -e->first[i] : d->least;
        address += shift * (int64_t)d->stride;
        if (!d->clips) e->first[i] -= d->least;
    }
    return address;
}

/* ---- copies -------------------------------------------------------------------------------- */

static void copy_make(const even *e, zlay_copy *out, uint32_t index)
{
    int64_t at[ZL_TM_RANK], shared = e->split->box.shared;
    memcpy(at, e->first, sizeof at);
    for (uint32_t k = 0; k < e->split->overs; k++) {
        const zl_tm_digit *d = &e->split->over[k];
        int64_t n = (int64_t)(index % d->extent);
        index /= (uint32_t)d->extent;
        shared += n * d->shared;
        for (uint32_t i = 0; i < e->map.rank; i++) at[i] += n * e->step[k][i];
    }
    zl_tm_copy_fill(out, &e->map, shared, at);
}

zlay_status zl_tm_split_move(const zl_tm *t, zlay_move **out, const zl_tm_split *split)
{
    even e = {.t = t, .split = split};
    if (!steps_find(&e)) return ZLAY_NONE;
    zlay_status status = zl_move_new(t->ctx, out, t->target, 1, split->copies);
    if (status) return status;
    zl_tm_map_fill(&(*out)->maps[0], &e.map, settle(&e));
    for (uint32_t k = 0; k < split->copies; k++) {
        zlay_copy *copy = &(*out)->copies[k];
        copy_make(&e, copy, k);
        zl_tm_copy_count(*out, &e.map, copy);
    }
    return ZLAY_OK;
}
