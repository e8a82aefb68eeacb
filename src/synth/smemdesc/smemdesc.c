/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix descriptors of wgmma and tcgen05 from a shared layout.
 *
 * In chunks of 16 bytes, let `along` number the chunks of the contiguous dimension of
 * one instruction and `across` the other dimension; a swizzled row holds `chunks` of them.  The PTX
 * ISA's canonical layouts ("Strides") read
 *     start + across % 8 * 16 * chunks + along % chunks * 16
 *           + across / 8 * group + along / chunks * next
 * with group and next from SBO and LBO.  In colexicographic order each unknown is met alone and
 * once before it is met again: `start` at the first element of a step, `group` at across = 8,
 * `next` at along = chunks.  So it is learnt there, and every later coordinate confirms or refutes
 * it; what is refuted has no descriptor, for no other value was possible.
 *
 * A layout of final places is tried under each pattern and each row at which one can begin: a
 * pattern undoes itself, so the places go back to those before it. Groups are of four in atoms of
 * 32 bytes. */
#include "algebra/ops/cute.h"
#include "base/request.h"
#include "synth/smemdesc/search.h"

#include <string.h>

/* ---- the patterns that are tried -------------------------------------------------------- */

static void try_pattern(zl_desc_search *s, int32_t swizzle, uint32_t base)
{
    s->swizzle = swizzle;
    s->base = base;
    s->pattern = &zl_desc_patterns[swizzle];
    s->chunks = s->pattern->chunks;
    s->chunks_log = __builtin_ctz(s->pattern->chunks);
    s->rows_log = __builtin_ctz(s->pattern->rows);
}

/* Lines at which row 0 of a pattern can stand. */
static uint32_t lines_of(int32_t swizzle)
{
    return swizzle > ZLAY_SWIZZLE_NONE && swizzle < ZL_ATOM_32B ? 1u << swizzle : 1;
}

/* Whether the k-th pattern, one row after the other, is one to try. */
static bool may_try(zl_desc_search *s, int32_t swizzle, uint32_t base)
{
    const zlay_smemdesc fields = {.swizzle = swizzle};
    const zlay_smemdesc_request *r = &s->request;
    uint64_t desc;
    uint32_t at_start = r->address / ZL_DESC_LINE % lines_of(swizzle);
    if (zlay_smemdesc_pack(&desc, s->target, &fields)) return false;
    if (zl_desc_type_check(NULL, s->target, r->type, r->major, swizzle)) return false;
    if (r->pattern_at_start == 2) return true;
    if (!r->pattern_at_start || !swizzle) return base == 0;
    return swizzle < ZL_ATOM_32B && r->address % ZL_DESC_LINE == 0 && base == at_start;
}

/* The first pattern that reads the layout; else the message is of one that reads most of it. */
static zlay_status find(zl_desc_search *s)
{
    int32_t best = -1;
    uint32_t best_base = 0;
    uint64_t most = 0;
    for (int32_t swizzle = 0; swizzle < ZL_DESC_PATTERNS; swizzle++)
        for (uint32_t base = 0; base < lines_of(swizzle); base++) {
            if (!may_try(s, swizzle, base)) continue;
            try_pattern(s, swizzle, base);
            zlay_status status = zl_desc_confirm(s);
            if (status != ZLAY_NONE) return status;
            if (best >= 0 && s->reached <= most) continue;
            best = swizzle, best_base = base, most = s->reached;
        }
    if (best < 0)
        return zl_fail(s->ctx, ZLAY_NONE, "DESC_CANONICAL: no swizzle goes with the type");
    try_pattern(s, best, best_base);
    return zl_desc_confirm(s);
}

static zlay_status confirm_any(zl_desc_search *s)
{
    const zlay_smemdesc_request *r = &s->request;
    if (s->final) return find(s);
    try_pattern(s, r->swizzle, 0);
    if (r->pattern_at_start) s->base = r->address / ZL_DESC_LINE % lines_of(r->swizzle);
    return zl_desc_confirm(s);
}

/* CUTLASS encodes 1 where the hardware reads no offset, and so do we. */
static void fields_fill(zlay_smemdesc *out, const zl_desc_search *s)
{
    uint32_t group = s->group < 0 ? ZL_DESC_CHUNK : (uint32_t)s->group;
    uint32_t next = s->next < 0 ? ZL_DESC_CHUNK : (uint32_t)s->next;
    memset(out, 0, sizeof *out);
    out->sbo = zl_desc_exchanged(s) ? next : group;
    out->lbo = zl_desc_exchanged(s) ? group : next;
    out->swizzle = s->swizzle;
    out->base_offset = s->base;
}

/* The rules of the target decide over the finished fields. */
static zlay_status fields_check(const zl_desc_search *s, const zlay_smemdesc *fields)
{
    zlay_verdict verdict;
    zlay_reason first = {0};
    zlay_rule rule;
    zlay_status status = zlay_smemdesc_check(&verdict, &first, 1, s->target, fields);
    if (status || verdict.answer == ZLAY_YES) return status;
    status = zlay_rule_info(&rule, first.rule);
    return status ? status : zl_fail(s->ctx, ZLAY_NONE, "%s: %s", rule.id, rule.text);
}

static zlay_status pattern_check(const zl_desc_search *s)
{
    const zlay_smemdesc_request *r = &s->request;
    const zlay_smemdesc fields = {.swizzle = r->swizzle};
    zlay_status status = r->swizzle > 0 ? fields_check(s, &fields) : ZLAY_OK;
    if (status) return status;
    if (r->pattern_at_start == 1 && r->swizzle == ZL_ATOM_32B)
        return zl_fail(s->ctx, ZLAY_ENOTSUP,
                       "pattern_at_start: base offsets of atoms of 32 bytes are not known");
    if (r->pattern_at_start == 1 && r->swizzle > 0 && r->address % ZL_DESC_LINE)
        return zl_fail(s->ctx, ZLAY_NONE,
                       "DESC_BASE_OFFSET: address %u: a pattern that begins off a "
                       "multiple of 128 bytes is no whole row away",
                       r->address);
    return ZLAY_OK;
}

static zlay_status tile_read(zl_desc_search *s, uint64_t mn)
{
    const zlay_smemdesc_request *r = &s->request;
    uint64_t size = zlay_layout_size(r->layout);
    if (zlay_layout_out_count(r->layout) != 1)
        return zl_fail(s->ctx, ZLAY_ENOTSUP, "layout: has several output dimensions");
    if (size > zl_limits(s->ctx)->points)
        return zl_fail(s->ctx, ZLAY_ELIMIT, "points: the layout has %llu, the limit is %llu",
                       (unsigned long long)size, (unsigned long long)zl_limits(s->ctx)->points);
    if (!mn || size % mn || mn % r->mma_mn || size / mn % r->mma_k)
        return zl_fail(s->ctx, ZLAY_EINVAL, "layout: %llu points are no (MN, K) of whole %u x %u",
                       (unsigned long long)size, r->mma_mn, r->mma_k);
    s->mn = mn;
    s->k = size / mn;
    s->steps_mn = mn / r->mma_mn;
    s->count = s->steps_mn * (s->k / r->mma_k);
    s->final = r->swizzle == ZLAY_SWIZZLE_FIND;
    s->bits = zl_desc_bits(r->type, r->mma_k);
    s->element_log = __builtin_ctz(8 * ZL_DESC_CHUNK / (uint32_t)s->bits);
    return ZLAY_OK;
}

static zlay_status search_run(zl_desc_search *s)
{
    zlay_smemdesc found;
    s->start = zl_scratch(s->ctx, s->count, sizeof *s->start);
    if (!s->start) return ZLAY_ENOMEM;
    zlay_status status = confirm_any(s);
    if (!status) {
        fields_fill(&found, s);
        status = fields_check(s, &found);
    }
    if (!status) *s->out.fields = found;
    for (uint64_t i = 0; !status && i < s->count; i++) s->out.start[i] = (uint32_t)s->start[i];
    return status;
}

static zlay_status synth(zl_desc_search *s, uint64_t mn)
{
    zlay_smemdesc none;
    if (zlay_smemdesc_unpack(&none, s->target, 0) == ZLAY_ENOTSUP)
        return zl_fail(s->ctx, ZLAY_ENOTSUP, "target: %s has no matrix descriptors",
                       zlay_target_name(s->target));
    zlay_status status = zl_desc_request_check(s->ctx, s->target, &s->request);
    if (!status) status = pattern_check(s);
    if (!status) status = tile_read(s, mn);
    if (!status && s->out.room < s->count)
        status = zl_fail(s->ctx, ZLAY_EROOM, "room: %zu of the %llu steps", s->out.room,
                         (unsigned long long)s->count);
    if (!status) status = search_run(s);
    if (!status || status == ZLAY_EROOM) *s->out.count = (size_t)s->count;
    return status;
}

/* The index of (0, 1) is the extent of the first mode, whatever the kind of the layout; 0 where it
 * has no such coordinate. */
static zlay_status first_extent(uint64_t *out, zlay_ctx *ctx, const zlay_layout *layout)
{
    static const char second[] = "(0,1)";
    zlay_status status = zl_layout_index(ctx, out, layout, second, sizeof second - 1);
    if (status == ZLAY_ENOMEM) return status;
    if (status) *out = 0;
    return ZLAY_OK;
}

zlay_status zl_smemdesc_find(zlay_ctx *ctx, zlay_smemdesc *fields, uint32_t *start, size_t room,
                             size_t *count, const zlay_target *target,
                             const zlay_smemdesc_request *request)
{
    static const zl_request_form form = {"zlay_smemdesc_request",
                                         sizeof(zlay_smemdesc_request),
                                         sizeof request->size,
                                         {ZL_RESERVED(zlay_smemdesc_request, reserved)}};
    zl_desc_search s = {.ctx = ctx, .target = target, .out = {fields, start, room, count}};
    uint64_t mn = 0;
    zl_mark mark = zl_enter_part(ctx);
    zlay_status status = zl_request_read(ctx, &s.request, request, &form);
    if (!status && s.request.layout) status = first_extent(&mn, ctx, s.request.layout);
    if (!status) status = synth(&s, mn);
    return zl_leave_part(ctx, mark, zl_whole(ctx, status));
}

zlay_status zlay_smemdesc_synth(zlay_ctx *ctx, zlay_smemdesc *fields, uint32_t *start, size_t room,
                                size_t *count, const zlay_target *target,
                                const zlay_smemdesc_request *request)
{
    if (!ctx || !fields || !count || !target || !request || (room && !start)) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    return zl_leave(ctx, zl_smemdesc_find(ctx, fields, start, room, count, target, request));
}
