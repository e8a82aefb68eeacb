/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the candidates of attention: the forms of forms.c, each as a request that fixes it. */
#include "base/request.h"
#include "synth/attention/attention.h"

#include <string.h>

static void candidate_put(zlay_attention_candidate *out, const zlay_attention_plan *p, const zl_attention_form *f, const zlay_attention *request)
{
    *out = (zlay_attention_candidate){*request, (uint32_t)zl_attention_form_smem(p, f), zl_attention_form_registers(p, f),
                                      zl_attention_form_blocks(p, f), 0, {0}};
    out->ns = zl_attention_form_terms(&out->terms, p, f);
    zlay_attention *a = &out->attention;
    a->tile_m = f->tile_m;
    a->tile_n = f->tile_n;
    a->stages = f->stages;
    a->overlap = p->tmem ? ZLAY_OVERLAP_AUTO : f->overlap ? ZLAY_OVERLAP_ALWAYS : ZLAY_OVERLAP_NEVER;
}

/* By waves there is the one that the planner makes. */
static zlay_status waves_list(zlay_ctx *ctx, zlay_attention_candidate *out, size_t room, size_t *count, zlay_attention_plan *p, const zlay_attention *request)
{
    zlay_status status = zl_attention_waves_make(ctx, p);
    if (status) return status;
    *count = 1;
    if (room) *out = (zlay_attention_candidate){.attention = *request, .blocks = p->info.grid[0] * p->info.grid[1] * p->info.grid[2]};
    return ZLAY_OK;
}

static zlay_status forms_list(zlay_ctx *ctx, zlay_attention_candidate *out, size_t room, size_t *count, zlay_attention_plan *p, const zlay_attention *request)
{
    zl_attention_form forms[ZL_ATTENTION_FORMS + 1];
    zl_attention_heads_pack(p);
    zlay_status status = zl_attention_forms_that_fit(ctx, p, forms, count);
    for (size_t i = 0; !status && i < room && i < *count; i++) candidate_put(&out[i], p, &forms[i], request);
    return status;
}

zlay_status zl_attention_candidates(zlay_ctx *ctx, zlay_attention_candidate *out, size_t room, size_t *count,
                                    const zlay_target *target, const zlay_attention *attention)
{
    zlay_attention_plan *p;
    zlay_attention request = {0};
    zlay_status status = zl_attention_read(ctx, &p, target, attention);
    if (!status) memcpy(&request, attention, attention->size);
    request.size = sizeof request;
    if (!status) status = (zl_attention_by_waves(target) ? waves_list : forms_list)(ctx, out, room, count, p, &request);
    zlay_attention_free(p);
    return status;
}

zlay_status zlay_attention_candidates(zlay_ctx *ctx, zlay_attention_candidate *out, size_t room, size_t *count,
                                      const zlay_target *target, const zlay_attention *attention)
{
    if (count) *count = 0;
    if ((!out && room) || !count || !target || !attention) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, zl_whole(ctx, zl_attention_candidates(ctx, out, room, count, target, attention)));
}
