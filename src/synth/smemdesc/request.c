/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a request for matrix descriptors before its layout is looked at: numbers, element type,
 * major-ness and swizzle. */
#include "algebra/layout/layout.h"
#include "legality/descriptor/smemdesc.h"
#include "synth/smemdesc/smemdesc.h"

enum { EIGHT = 8, MMA_K_BITS = 256, MMA_MN_MOST = 256 };

static zlay_status request_check(zlay_ctx *ctx, const zlay_smemdesc_request *r)
{
    if (!r->layout) return zl_fail(ctx, ZLAY_EINVAL, "layout: is NULL");
    if (zl_parameter(r->layout))
        return zl_fail(ctx, ZLAY_ENOTSUP, "layout: has the parameter %s", zl_parameter(r->layout));
    if (r->major != ZLAY_MAJOR_K && r->major != ZLAY_MAJOR_MN)
        return zl_fail(ctx, ZLAY_EINVAL, "major: %d is neither K (0) nor MN (1)", r->major);
    if (r->swizzle < ZLAY_SWIZZLE_FIND || r->swizzle > ZL_ATOM_32B)
        return zl_fail(ctx, ZLAY_EINVAL, "swizzle: %d is not in -1..4", r->swizzle);
    if (r->pattern_at_start > 2 || (r->pattern_at_start == 2 && r->swizzle != ZLAY_SWIZZLE_FIND))
        return zl_fail(ctx, ZLAY_EINVAL, "pattern_at_start: %u is found with the swizzle alone",
                       r->pattern_at_start);
    if (!r->mma_mn || r->mma_mn % EIGHT || r->mma_mn > MMA_MN_MOST)
        return zl_fail(ctx, ZLAY_EINVAL, "mma_mn: %u is no multiple of 8 in 8..256", r->mma_mn);
    return ZLAY_OK;
}

/* Beside a sparse A, an instruction reads twice as much of B. */
static zlay_status type_check(zlay_ctx *ctx, const zlay_target *target,
                              const zlay_smemdesc_request *r)
{
    bool found = r->swizzle == ZLAY_SWIZZLE_FIND, words = zlay_type_bits(r->type) == 32;
    int32_t swizzle = !found ? r->swizzle : words && r->major ? ZL_ATOM_32B : ZLAY_SWIZZLE_NONE;
    zlay_status status = zl_desc_type_check(ctx, target, r->type, r->major, swizzle);
    if (status) return status;
    if (zl_desc_split(r->type, r->mma_k))
        return zl_fail(ctx, ZLAY_ENOTSUP, "mma_k: no document says how rows of %u are split",
                       r->mma_k);
    uint32_t depth = MMA_K_BITS / zl_desc_bits(r->type, r->mma_k);
    if (r->mma_k == depth || (r->mma_k == 2 * depth && r->type != ZLAY_TYPE_B1)) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "mma_k: %u is neither %u nor, beside a sparse A, %u", r->mma_k,
                   depth, 2 * depth);
}

zlay_status zl_desc_request_check(zlay_ctx *ctx, const zlay_target *target,
                                  const zlay_smemdesc_request *r)
{
    zlay_status status = request_check(ctx, r);
    return status ? status : type_check(ctx, target, r);
}
