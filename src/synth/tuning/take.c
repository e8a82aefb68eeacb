/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the text of a choice of a candidate; and takes a choice that was read where a candidate of the request has its text. */
#include "synth/attention/attention.h"
#include "synth/gemm/plan.h"
#include "synth/tuning/tuning.h"

#include <stdio.h>
#include <string.h>

static const char *const choices[] = {"never", "auto", "always"}, *const multicasts[] = {"none", "auto", "a", "b"},
                  *const overlaps[] = {"auto", "never", "always"};

static bool is_word(int32_t word, size_t words)
{
    return word >= 0 && (size_t)word < words;
}

zlay_status zlay_tuning_choice_gemm(char *choice, const zlay_gemm_candidate *candidate)
{
    if (!choice || !candidate) return ZLAY_EINVAL;
    const zlay_gemm *g = &candidate->gemm;
    if (!is_word(g->multicast, ZL_COUNT(multicasts)) || !is_word(g->swap, ZL_COUNT(choices)) || !is_word(g->stream_k, ZL_COUNT(choices))) return ZLAY_EINVAL;
    snprintf(choice, ZLAY_TUNING_CHOICE, "tile=%ux%ux%u multicast=%s swap=%s stream_k=%s split_k=%u", g->tile_m, g->tile_n, g->tile_k,
             multicasts[g->multicast], choices[g->swap], choices[g->stream_k], g->split_k ? g->split_k : 1);
    return ZLAY_OK;
}

zlay_status zlay_tuning_choice_attention(char *choice, const zlay_attention_candidate *candidate)
{
    if (!choice || !candidate) return ZLAY_EINVAL;
    const zlay_attention *a = &candidate->attention;
    if (!is_word(a->overlap, ZL_COUNT(overlaps))) return ZLAY_EINVAL;
    snprintf(choice, ZLAY_TUNING_CHOICE, "tile=%ux%u stages=%u overlap=%s", a->tile_m, a->tile_n, a->stages, overlaps[a->overlap]);
    return ZLAY_OK;
}

/* The candidates in memory of the ctx, freed by the caller, whatever the status. */
static zlay_status gemms_list(zlay_ctx *ctx, zlay_gemm_candidate **list, size_t *count, const zlay_target *target, const zlay_gemm *gemm)
{
    zlay_status status = zl_gemm_candidates(ctx, NULL, 0, count, target, gemm);
    if (status) return status;
    size_t room = *count, again;
    *list = zl_alloc(ctx, room, sizeof **list);
    return *list ? zl_gemm_candidates(ctx, *list, room, &again, target, gemm) : ZLAY_ENOMEM;
}

zlay_status zlay_tuning_take_gemm(zlay_ctx *ctx, zlay_gemm *out, const zlay_target *target, const zlay_gemm *gemm, const char *choice)
{
    zlay_gemm_candidate *list = NULL;
    char own[ZLAY_TUNING_CHOICE];
    size_t count = 0, i = 0;
    if (!out || !target || !gemm || !choice) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_allocator alloc = zl_allocator(ctx);
    status = gemms_list(ctx, &list, &count, target, gemm);
    for (; !status && i < count; i++) {
        zlay_tuning_choice_gemm(own, &list[i]);
        if (!strcmp(own, choice)) break;
    }
    if (!status && i == count) status = zl_fail(ctx, ZLAY_NONE, "choice: it is none of the %zu candidates of the request", count);
    else if (!status) *out = list[i].gemm;
    zl_free(&alloc, list, count * sizeof *list);
    return zl_leave(ctx, zl_whole(ctx, status));
}

static zlay_status attentions_list(zlay_ctx *ctx, zlay_attention_candidate **list, size_t *count, const zlay_target *target, const zlay_attention *a)
{
    zlay_status status = zl_attention_candidates(ctx, NULL, 0, count, target, a);
    if (status) return status;
    size_t room = *count, again;
    *list = zl_alloc(ctx, room, sizeof **list);
    return *list ? zl_attention_candidates(ctx, *list, room, &again, target, a) : ZLAY_ENOMEM;
}

zlay_status zlay_tuning_take_attention(zlay_ctx *ctx, zlay_attention *out, const zlay_target *target, const zlay_attention *attention, const char *choice)
{
    zlay_attention_candidate *list = NULL;
    char own[ZLAY_TUNING_CHOICE];
    size_t count = 0, i = 0;
    if (!out || !target || !attention || !choice) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_allocator alloc = zl_allocator(ctx);
    status = attentions_list(ctx, &list, &count, target, attention);
    for (; !status && i < count; i++) {
        zlay_tuning_choice_attention(own, &list[i]);
        if (!strcmp(own, choice)) break;
    }
    if (!status && i == count) status = zl_fail(ctx, ZLAY_NONE, "choice: it is none of the %zu candidates of the request", count);
    else if (!status) *out = list[i].attention;
    zl_free(&alloc, list, count * sizeof *list);
    return zl_leave(ctx, zl_whole(ctx, status));
}
