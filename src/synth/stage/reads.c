/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what the reads of a stage take under a layout: wavefronts of each instruction at its
 * addresses, by the model of zlay/bank.h.  Products read by descriptors, 128 bytes a wavefront;
 * smemdesc.synth decides whether it can. */
#include "algebra/layout/layout.h"
#include "legality/bank/bank.h"
#include "legality/tcgen05/tcgen05.h"
#include "rules/rule.h"
#include "synth/smemdesc/smemdesc.h"
#include "synth/stage/ask.h"

#include <zlay/mma.h>
#include <zlay/rule.h>

enum { WAVEFRONT = 128, K_BYTES = 32, ROWS_A = 64, STEPS_MOST = 4096 };

zlay_status zl_stage_bank(uint64_t *wavefronts, const zl_stage_asked *a, int32_t access,
                          const uint32_t *addresses)
{
    const zlay_target *targets[] = {a->target, zl_bank_alike(a->target)};
    zlay_bank bank = {0};
    for (size_t i = 0; i < ZL_COUNT(targets); i++) {
        zlay_status status =
            zlay_bank_conflicts(&bank, targets[i], access, addresses, ZL_STAGE_WARP);
        if (status) return zl_fail(a->ctx, ZLAY_ENOTSUP, "an access that cannot be counted");
        if (bank.answer == ZLAY_YES) break;
    }
    if (bank.answer != ZLAY_YES)
        return zl_fail(a->ctx, ZLAY_ENOTSUP, "an access whose phases are not known");
    *wavefronts += bank.wavefronts;
    return ZLAY_OK;
}

/* The byte offset of an element of the tile. */
static uint32_t place_of(const zl_stage_lines *t, const zl_stage_place *p, uint64_t index)
{
    uint64_t first = t->tensor->shape[0];
    uint32_t i = (uint32_t)(index % first), j = (uint32_t)(index / first);
    return zl_stage_offset(t, p, t->mode ? i : j, (t->mode ? j : i) * t->elem);
}

/* The address of a lane's vector; *fits is false where the vector is torn or not aligned. */
static zlay_status lane_address(uint32_t *out, bool *fits, const zl_stage_asked *a,
                                const zl_stage_lines *t, const zl_stage_place *p,
                                const zlay_layout *layout, uint64_t first,
                                const zlay_bank_access *info)
{
    uint64_t size = t->tensor->shape[0] * t->tensor->shape[1];
    *out = ZLAY_BANK_INACTIVE;
    for (uint32_t e = 0; e < info->bytes / t->elem; e++) {
        int64_t index;
        bool there = zl_value(layout, first + (uint64_t)e * info->rows, &index);
        if (e && there != (*out != ZLAY_BANK_INACTIVE))
            return zl_fail(a->ctx, ZLAY_EINVAL, "%s: a lane has a part of its vector",
                           t->tensor->name);
        if (!there) continue;
        if (index < 0 || (uint64_t)index >= size)
            return zl_fail(a->ctx, ZLAY_EINVAL,
                           "%s: an access reads element %lld outside of the tile", t->tensor->name,
                           (long long)index);
        uint32_t at = place_of(t, p, (uint64_t)index);
        if (!e) *out = at;
        if (at != *out + e * t->elem || (!e && at % info->align)) *fits = false;
    }
    return ZLAY_OK;
}

static zlay_status by_lanes(zl_stage_reads *out, const zl_stage_asked *a, const zl_stage_lines *t,
                            const zl_stage_place *p, const zlay_stage_access *x)
{
    zlay_bank_access info;
    zlay_status status = zlay_bank_info(&info, a->target, x->access);
    uint64_t size = zlay_layout_size(x->layout), times = x->times ? x->times : 1;
    uint64_t each = status ? 1 : (uint64_t)info.rows * (info.bytes / t->elem), sum = 0;
    if (!status) status = zl_charge_values(a->ctx, x->layout, size);
    for (uint64_t first = 0; first < size && !status && out->fits; first += each) {
        uint32_t address[ZLAY_BANK_LANES];
        for (uint32_t l = 0; l < info.lanes; l++) address[l] = ZLAY_BANK_INACTIVE;
        for (uint32_t l = 0; l < info.rows && !status; l++)
            status = lane_address(&address[l], &out->fits, a, t, p, x->layout, first + l, &info);
        if (!status && out->fits) status = zl_stage_bank(&sum, a, x->access, address);
    }
    out->wavefronts += sum * times;
    out->instructions += size / each * times;
    return status;
}

/* Rows of A that one instruction reads. */
static uint32_t rows_of_a(const zl_stage_tile *tile, const zl_stage_lines *t)
{
    return tile->tmem ? (uint32_t)t->tensor->shape[0] : ROWS_A;
}

zlay_status zl_stage_product(const zl_stage_asked *a, const zl_stage_tile *tile)
{
    const zl_stage_lines *of[2];
    uint32_t count = 0;
    zlay_verdict verdict;
    zlay_reason reason = {0};
    zlay_rule rule;
    for (uint32_t i = 0; i < tile->count && count < 2; i++)
        if (tile->lines[i].described) of[count++] = &tile->lines[i];
    if (!count) return ZLAY_OK;
    int32_t type = of[0]->tensor->type;
    bool whole = type == ZLAY_TYPE_S8 || type == ZLAY_TYPE_U8;
    const zlay_mma mma = {.instruction = tile->tmem ? ZLAY_MMA_TCGEN05 : ZLAY_MMA_WGMMA,
                          .kind = tile->tmem ? zl_t5_kind(type) : ZLAY_KIND_NONE,
                          .cta_group = tile->tmem,
                          .m = rows_of_a(tile, of[0]),
                          .n = (uint32_t)of[1]->tensor->shape[0],
                          .k = K_BYTES / of[0]->elem,
                          .a = type,
                          .b = of[1]->tensor->type,
                          .d = whole ? ZLAY_TYPE_S32 : ZLAY_TYPE_F32,
                          .a_major = of[0]->mode ? ZLAY_MAJOR_K : ZLAY_MAJOR_MN,
                          .b_major = of[1]->mode ? ZLAY_MAJOR_K : ZLAY_MAJOR_MN};
    zlay_status status = zlay_mma_check(&verdict, &reason, 1, a->target, &mma);
    if (status || verdict.answer == ZLAY_YES) return status;
    status = zlay_rule_info(&rule, reason.rule);
    return status ? status
                  : zl_fail(a->ctx, ZLAY_NONE, "%s and %s: no %s multiplies them: %s: %s",
                            of[0]->tensor->name, of[1]->tensor->name,
                            tile->tmem ? "tcgen05.mma" : "wgmma", rule.id, rule.text);
}

/* A is read once, of wgmma by each warpgroup its rows; every warpgroup reads B as a whole, tcgen05
 * once. */
static zlay_status by_descriptor(zl_stage_reads *out, const zl_stage_asked *a,
                                 const zl_stage_tile *tile, const zl_stage_lines *t,
                                 const zl_stage_place *p, uint32_t times)
{
    zlay_smemdesc fields;
    zlay_layout *layout = NULL;
    size_t count;
    bool is_a = true;
    for (const zl_stage_lines *other = tile->lines; other < t; other++) is_a &= !other->described;
    uint64_t bytes = (uint64_t)t->line * t->lines,
             reads = is_a || tile->tmem ? 1 : tile->consumers / (4 * ZL_STAGE_WARP);
    uint32_t *start = zl_scratch(a->ctx, STEPS_MOST, sizeof *start);
    out->fits &= p->layout == ZLAY_STAGE_SPANS && t->line % p->span == 0;
    if (!start) return ZLAY_ENOMEM;
    if (!out->fits) return ZLAY_OK;
    zlay_status status = zl_stage_layout(a->ctx, &layout, t, p);
    zlay_smemdesc_request request = {.size = sizeof request,
                                     .type = t->tensor->type,
                                     .major = t->mode ? ZLAY_MAJOR_K : ZLAY_MAJOR_MN,
                                     .swizzle = ZLAY_SWIZZLE_FIND,
                                     .mma_mn = is_a ? rows_of_a(tile, t)
                                                    : (uint32_t)t->tensor->shape[0],
                                     .mma_k = K_BYTES / t->elem,
                                     .pattern_at_start = 1,
                                     .layout = layout};
    if (!status)
        status = zl_smemdesc_find(a->ctx, &fields, start, STEPS_MOST, &count, a->target, &request);
    zlay_layout_free(layout);
    if (status == ZLAY_NONE || status == ZLAY_EINVAL || status == ZLAY_ENOTSUP) {
        out->fits = false;
        return ZLAY_OK;
    }
    out->wavefronts += (bytes + WAVEFRONT - 1) / WAVEFRONT * reads * (times ? times : 1);
    return status;
}

zlay_status zl_stage_read_count(zl_stage_reads *out, const zl_stage_asked *a,
                                const zl_stage_tile *tile, const zl_stage_lines *t,
                                const zl_stage_place *p)
{
    zlay_status status = ZLAY_OK;
    *out = (zl_stage_reads){.fits = true};
    for (uint32_t i = 0; i < t->tensor->count && !status && out->fits; i++) {
        const zlay_stage_access *x = &t->tensor->accesses[i];
        status = x->access < 0 ? by_descriptor(out, a, tile, t, p, x->times)
                               : by_lanes(out, a, t, p, x);
    }
    return status;
}
