/* SPDX-License-Identifier: Apache-2.0 */
/* The public accessors of a conversion's plan: its steps, costs, shared layout and certificate.
 * The map of a step is returned as an F2 layout, whose dimensions are register, lane, warp, block
 * and, for shared memory, offset. */
#include "algebra/f2/f2.h"
#include "synth/convert/convert.h"

#include <string.h>

zlay_convert *zl_convert_new(zlay_ctx *ctx)
{
    zlay_convert *plan = zl_alloc(ctx, 1, sizeof *plan);
    if (plan) plan->alloc = zl_allocator(ctx);
    return plan;
}

void zlay_convert_free(zlay_convert *plan)
{
    if (!plan) return;
    zlay_allocator alloc = plan->alloc;
    for (uint32_t i = 0; i < plan->info.steps; i++)
        for (int way = 0; way < 2; way++) zlay_layout_free(plan->step[i].map[way]);
    zlay_layout_free(plan->shared);
    zlay_layout_free(plan->certificate[0]);
    zlay_layout_free(plan->certificate[1]);
    zl_free(&alloc, plan, sizeof *plan);
}

zlay_status zlay_convert_info(zlay_convert_summary *out, const zlay_convert *plan)
{
    if (!out || !plan) return ZLAY_EINVAL;
    *out = plan->info;
    return ZLAY_OK;
}

zlay_status zlay_convert_step_nth(zlay_convert_step *out, const zlay_convert *plan, uint32_t i)
{
    if (!out || !plan) return ZLAY_EINVAL;
    if (i >= plan->info.steps) return ZLAY_NONE;
    *out = plan->step[i].info;
    return ZLAY_OK;
}

const zlay_layout *zlay_convert_shared(const zlay_convert *plan)
{
    return plan ? plan->shared : NULL;
}

zlay_status zlay_convert_certificate(const zlay_layout **a, const zlay_layout **b,
                                     const zlay_convert *plan)
{
    if (!a || !b || !plan) return ZLAY_EINVAL;
    *a = plan->certificate[0];
    *b = plan->certificate[1];
    return ZLAY_OK;
}

/* ---- places as dimensions ---------------------------------------------------------------- */

static const char *const names[] = {"register", "lane", "warp", "block"};

typedef struct places {
    zl_dim dim[ZL_LEVELS];
    size_t count;
    uint64_t mask[ZL_LEVELS]; /* the bits of each */
} places;

static void put_dim(places *p, const char *name, uint64_t mask)
{
    zl_dim *dim = &p->dim[p->count];
    memset(dim, 0, sizeof *dim);
    memcpy(dim->name, name, strlen(name));
    dim->bits = (uint32_t)__builtin_popcountll(mask);
    p->mask[p->count++] = mask;
}

/* The dimensions of a step's places: levels that a layout has, or an offset and perhaps a block. */
static void places_of(places *p, const zlay_convert *plan, uint64_t bits, bool offset)
{
    p->count = 0;
    if (offset) put_dim(p, "offset", bits & ~ZL_BLOCKS);
    for (zl_level l = offset ? ZL_BLOCK : ZL_REGISTER; l < ZL_LEVELS; l++)
        if (plan->shown >> l & 1) put_dim(p, names[l], bits & zl_level_mask(l));
}

/* A place's bits moved together, in the order of the dimensions. */
static uint64_t pack(const places *p, uint64_t place)
{
    uint64_t value = 0, bit = 1;
    for (size_t i = 0; i < p->count; i++)
        for (uint64_t left = p->mask[i]; left; left &= left - 1, bit <<= 1)
            if (place & left & -left) value |= bit;
    return value;
}

static zlay_status map_make(zlay_ctx *ctx, zlay_layout **out, const places *in, const places *to,
                            const zl_bitmap *map)
{
    uint64_t basis[64] = {0};
    zl_f2 f2 = {in->count, to->count, in->dim, to->dim, basis};
    unsigned bit = 0;
    for (size_t i = 0; i < in->count; i++)
        for (uint64_t left = in->mask[i]; left; left &= left - 1)
            basis[bit++] = pack(to, map->to[__builtin_ctzll(left)]);
    return zl_layout_f2(ctx, out, &f2);
}

static zlay_status map_of(zlay_ctx *ctx, zlay_layout **out, const zlay_convert *plan,
                          const zl_convert_step *step, int32_t way)
{
    places before, after;
    bool there = way == ZLAY_CONVERT_FORWARD ? step->has_forward : step->has_back;
    if (step->map[way]) return zl_layout_copy(ctx, out, step->map[way]);
    if (!there)
        return zl_fail(ctx, ZLAY_NONE,
                       way == ZLAY_CONVERT_FORWARD ? "the step sends no value to one place each"
                                                   : "the step takes no value from one place each");
    places_of(&before, plan, step->before, step->offset_before);
    places_of(&after, plan, step->after, step->offset_after);
    if (way == ZLAY_CONVERT_FORWARD) return map_make(ctx, out, &before, &after, &step->forward);
    return map_make(ctx, out, &after, &before, &step->back);
}

zlay_status zlay_convert_map(zlay_ctx *ctx, zlay_layout **out, const zlay_convert *plan, uint32_t i,
                             int32_t way)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!plan || i >= plan->info.steps) return ZLAY_EINVAL;
    if (way != ZLAY_CONVERT_FORWARD && way != ZLAY_CONVERT_BACK) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, map_of(ctx, out, plan, &plan->step[i], way));
}
