/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of tensor memory by number and name, paths of accumulators, pairs in order: tmem.def. */
#include "legality/tmem/tmem.h"

#include <string.h>

enum { SHAPES = ZLAY_TMEM_SCALES_HALF + 1 };

static const zl_tmem_shape shapes[SHAPES] = {
#define TMEM_SHAPE(shape, name, lanes, span, columns, registers, most)                             \
    [ZLAY_TMEM_##shape] = {name, lanes, span, columns, registers, most},
#include "legality/tmem/tmem.def"
};

const zl_tmem_shape *zl_tmem_shape_of(int32_t shape)
{
    return shape > 0 && shape < SHAPES ? &shapes[shape] : NULL;
}

zlay_status zlay_tmem_shape_find(int32_t *out, const char *name, size_t length)
{
    if (!out || !name) return ZLAY_EINVAL;
    for (int32_t i = 1; i < SHAPES; i++)
        if (strlen(shapes[i].name) == length && !memcmp(shapes[i].name, name, length)) {
            *out = i;
            return ZLAY_OK;
        }
    return ZLAY_NONE;
}

const char *zlay_tmem_shape_name(int32_t shape)
{
    const zl_tmem_shape *row = zl_tmem_shape_of(shape);
    return row ? row->name : NULL;
}

/* ---- paths and pairs ---------------------------------------------------------------------- */

static const struct {
    int32_t path;
    uint32_t m, group, ws, sparse;
} paths[] = {
#define TMEM_PATH(path, m, group, ws, sparse) {ZLAY_TMEM_PATH_##path, m, group, ws, sparse},
#include "legality/tmem/tmem.def"
};

static bool either(uint32_t wanted, uint32_t is) { return wanted == 2 || wanted == (is != 0); }

zlay_status zlay_tmem_path(int32_t *out, const zlay_mma *mma)
{
    if (!out || !mma) return ZLAY_EINVAL;
    uint32_t group = mma->cta_group ? mma->cta_group : 1;
    for (size_t i = 0; i < ZL_COUNT(paths); i++)
        if (mma->instruction == ZLAY_MMA_TCGEN05 && paths[i].m == mma->m &&
            paths[i].group == group && either(paths[i].ws, mma->ws) &&
            either(paths[i].sparse, mma->sparse)) {
            *out = paths[i].path;
            return ZLAY_OK;
        }
    return ZLAY_NONE;
}

static const struct {
    int32_t first, second, same, shape;
} pairs[] = {
#define TMEM_PAIR(first, second, same, shape) {ZLAY_TMEM_##first, ZLAY_TMEM_##second, same, shape},
#include "legality/tmem/tmem.def"
};

zlay_status zlay_tmem_ordered(zlay_answer *out, int32_t first, int32_t second, int32_t same,
                              int32_t shape)
{
    if (!out) return ZLAY_EINVAL;
    *out = ZLAY_NO;
    for (size_t i = 0; i < ZL_COUNT(pairs); i++)
        if (pairs[i].first == first && pairs[i].second == second && (same || !pairs[i].same) &&
            (!pairs[i].shape || pairs[i].shape == shape))
            *out = ZLAY_YES;
    return ZLAY_OK;
}
