/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses requests that no plan can serve: destinations that overlap, and sides that do not fit
 * into their memory. */
#include "algebra/decide/symbol_ask.h"
#include "algebra/decide/decide.h"
#include "algebra/ops/cute.h"
#include "synth/copy/copy.h"

#include <inttypes.h>
#include <zlay/decide.h>
#include <zlay/symbol.h>
#include <zlay/block.h>

static const char *const side_names[ZL_SIDES] = {"source", "dest"};

/* The same check for layouts with names: it holds for all their values. */
static zlay_status names_overlap_check(zl_copy *c, const zlay_layout *layout)
{
    zlay_answer answer;
    char text[512] = "";
    zlay_buf guard = {text, sizeof text, 0};
    const zl_symbol_question q = {ZL_ASK_INJECTIVE, layout, NULL, 0};
    zlay_status status = zl_layout_guard(c->ctx, &answer, &guard, &q);
    if (status == ZLAY_EROOM) text[0] = 0;
    else if (status || answer == ZLAY_YES) return status;
    if (!status && answer == ZLAY_UNDECIDED) return ZLAY_ELIMIT;
    return zl_fail(c->ctx, ZLAY_EINVAL, "dest.layout: points share an offset%s%s",
                   *text ? " unless " : "", text);
}

zlay_status zl_copy_overlap_check(zl_copy *c)
{
    const zlay_layout *layout = c->side[ZL_DEST].layout;
    zlay_answer answer;
    if (c->window[ZL_DEST]) layout = c->tensor[ZL_DEST];
    if (layout->symbols) return names_overlap_check(c, layout);
    if (c->assumed[ZL_DEST]) return names_overlap_check(c, c->assumed[ZL_DEST]);
    uint64_t at[2];
    int64_t offset = 0;
    zlay_status status = zl_layout_is_injective(c->ctx, &answer, at, layout);
    if (status || answer == ZLAY_YES) return status;
    if (answer == ZLAY_UNDECIDED) return ZLAY_ELIMIT;
    zlay_layout_eval(&offset, 1, layout, at[0]);
    return zl_fail(c->ctx, ZLAY_EINVAL,
                   "dest.layout: points %" PRIu64 " and %" PRIu64 " have one offset, %" PRId64,
                   at[0], at[1], offset);
}

/* The least and the greatest offset of a side. */
static void ends(const zl_copy_tile *t, int s, int64_t end[2])
{
    end[0] = end[1] = t->offset[s];
    for (uint32_t i = 0; i < t->modes; i++) {
        int64_t far = (int64_t)(t->mode[i].extent - 1) * t->mode[i].step[s];
        end[far > 0] += far;
    }
}

zlay_status zl_copy_fits(zl_copy *c, int s, int64_t least, uint64_t bytes)
{
    zlay_verdict verdict;
    zlay_reason reason;
    zlay_rule rule;
    if (!zl_is_shared(c->side[s].space)) return ZLAY_OK;
    if (least < 0)
        return zl_fail(c->ctx, ZLAY_EINVAL, "%s.layout: offset %" PRId64 " is below 0",
                       side_names[s], least);
    zlay_status status = zlay_smem_check(&verdict, &reason, 1, c->target, bytes);
    if (status || verdict.answer == ZLAY_YES) return status;
    status = zlay_rule_info(&rule, reason.rule);
    if (status) return status;
    return zl_fail(c->ctx, ZLAY_NONE,
                   "%s: %s.layout ends at byte %" PRIu64 ", a block of %s has "
                   "%" PRIu64,
                   rule.id, side_names[s], bytes, zlay_target_name(c->target),
                   zlay_smem_capacity(c->target));
}

static uint64_t bytes_of(const zl_copy *c, uint64_t elements)
{
    uint64_t bits = zl_umul_sat(elements, c->bits);
    return bits / 8 + (bits % 8 != 0);
}

/* The end of a swizzled side is that of the layout, because the swizzle moves it. */
zlay_status zl_copy_side_check(zl_copy *c, int s)
{
    int64_t end[2], bits;
    uint64_t size;
    ends(&c->tile, s, end);
    if (!zl_mul(end[1], c->bits, &bits) || !zl_mul(end[0], c->bits, &bits))
        return zl_fail(c->ctx, ZLAY_EOVERFLOW, "%s.layout: its bits do not fit 64 bits",
                       side_names[s]);
    size = (uint64_t)end[1] + 1;
    if (end[0] >= 0 && c->tile.swizzle[s].bits && zl_is_shared(c->side[s].space)) {
        zlay_status status = zl_cosize(c->ctx, &size, c->side[s].layout);
        if (status) return status;
    }
    return zl_copy_fits(c, s, end[0], bytes_of(c, size));
}
