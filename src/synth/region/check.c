/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of any origin: whether they are disjoint and cover a domain (decide.c), and what they take.
 */
#include "synth/region/region.h"

static const int64_t FAR = (int64_t)1 << 62;

static const char *wrong_span(zl_region_span span, const zl_region_side *side)
{
    if (!span.length) return "it is empty";
    if (span.length >> 32 || span.begin < -FAR || span.begin > FAR) return "it passes 2^62";
    if (!side->read_on && span.begin % side->align)
        return "it begins at no multiple of align, and loads may not begin before it";
    return NULL;
}

static zlay_status part_check(zlay_ctx *ctx, const zl_domain *d, const zlay_region_part *part,
                              uint64_t i)
{
    const char *field = "group", *wrong = NULL;
    if (part->group >= d->request.count) wrong = "there is no such group";
    else if (part->tile >= d->request.tiles) field = "tile", wrong = "there is no such tile";
    else if (part->reserved) field = "reserved", wrong = "it is not 0";
    for (int axis = 0; !wrong && axis < ZL_REGION_AXES; axis++) {
        field = axis ? "columns" : "rows";
        wrong = wrong_span(zl_region_part_span(part, axis), &d->side[axis]);
    }
    if (!wrong) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "parts[%llu].%s: %s", (unsigned long long)i, field, wrong);
}

static zlay_status check(zlay_ctx *ctx, zlay_answer *answer, zlay_region_fault *fault,
                         zlay_region_summary *out, const zlay_region_request *request,
                         const zlay_region_part *parts, uint64_t count)
{
    zl_domain d;
    zlay_status status = zl_domain_read(ctx, &d, request);
    if (!status) status = zl_charge(ctx, count);
    for (uint64_t i = 0; !status && i < count; i++) status = part_check(ctx, &d, &parts[i], i);
    if (!status) status = zl_region_decide(ctx, answer, fault, &d, parts, count);
    if (status || *answer != ZLAY_YES) return status;
    return zl_region_count(ctx, out, &d, parts, count);
}

zlay_status zlay_region_check(zlay_ctx *ctx, zlay_answer *answer, zlay_region_fault *fault,
                              zlay_region_summary *out, const zlay_region_request *request,
                              const zlay_region_part *parts, uint64_t count)
{
    zlay_region_fault at = {0};
    zlay_region_summary summary = {0};
    if (!ctx || !answer || !request || (count && !parts)) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_leave(ctx, check(ctx, answer, &at, &summary, request, parts, count));
    if (status) return status;
    if (fault && *answer == ZLAY_NO) *fault = at;
    if (out && *answer == ZLAY_YES) *out = summary;
    return ZLAY_OK;
}
