/* SPDX-License-Identifier: Apache-2.0 */
/* zlay tune: asks a GPU about the candidates of a GEMM or of attention; prints and merges
 * caches. */
#include "cli/device/contest.h"
#include "cli/groups.h"
#include "cli/device/tensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- GEMM ----------------------------------------------------------------------------------- */

static zlay_status gemms_plan(zl_contest *c)
{
    zlay_gemm_candidate list[ZL_CONTESTANTS];
    zlay_plan **plans = c->plans;
    size_t all, want = zl_contest_wanted(c);
    zlay_status status =
        zlay_gemm_candidates(c->ctx, list, want, &all, c->target, &c->options->gemm);
    for (size_t i = 0; !status && i < want && i < all; i++) {
        status = zlay_gemm_synth(c->ctx, &plans[i], c->target, &list[i].gemm);
        if (status == ZLAY_ENOTSUP || status == ZLAY_NONE) break;
        zlay_tuning_choice_gemm(c->of[i].choice, &list[i]);
        c->count = (uint32_t)i + 1;
    }
    return c->count ? ZLAY_OK : status;
}

static zlay_status matrices_make(zl_contest *c)
{
    int32_t type[3];
    zlay_plan **plans = c->plans;
    zl_matrix_types(type, plans[0]);
    if (!zl_groups_describe(&c->tensor[0], &c->tensor[1], &c->tensor[2], type, &c->options->gemm))
        return ZLAY_EOVERFLOW;
    for (c->tensors = 0; c->tensors < 3; c->tensors++)
        if (!zl_matrix_alloc(&c->tensor[c->tensors])) return ZLAY_ENOMEM;
    zl_matrix_fill(&c->tensor[0], 1);
    zl_matrix_fill(&c->tensor[1], 2);
    c->result = 2;
    return ZLAY_OK;
}

static zlay_status gemm_load(zl_contest *c, uint32_t i)
{
    size_t length;
    const char *name = c->options->name;
    zlay_plan **plans = c->plans;
    char *text = zl_plan_text(c->ctx, zlay_emit_ptx, plans[i], name, &length);
    zlay_status status =
        text ? zlay_kernel_load(c->ctx, &c->of[i].kernel, c->device, plans[i], text, length, name)
             : ZLAY_ENOMEM;
    free(text);
    return status;
}

static zlay_status gemm_bind(zl_contest *c, uint32_t i, const uint64_t *address)
{
    return zlay_kernel_bind(c->ctx, c->of[i].kernel, address[0], address[1], address[2]);
}

static zlay_status gemm_key(zl_contest *c, char *key, const zlay_tuning_device *device)
{
    return zlay_tuning_key_gemm(c->ctx, key, c->target, &c->options->gemm, device);
}

int zl_tune_gemm(zlay_ctx *ctx, int argc, char **argv)
{
    static const zl_contest_kind kind = {gemm_load, gemm_bind, gemm_key};
    zl_options options;
    zlay_wave_gemm wave;
    zlay_plan *plans[ZL_CONTESTANTS] = {NULL};
    zl_contest c = {.ctx = ctx, .options = &options, .kind = &kind, .plans = plans};
    if (!zl_options_read(&options, ZL_OF_TUNE, argc, argv)) return ZL_EXIT_ERROR;
    if (zlay_target_find(&c.target, options.target, strlen(options.target)))
        return zl_no_target(options.target);
    if (options.gemm.groups || options.gemm.a_scales || options.gemm.b_scales ||
        options.gemm.d_scales)
        return zl_not_run("this command fills no scales and no offsets of groups; the candidates "
                          "are zlay plan gemm's");
    c.of = calloc(ZL_CONTESTANTS, sizeof *c.of);
    zlay_status status = c.of ? gemms_plan(&c) : ZLAY_ENOMEM;
    if (!status) status = matrices_make(&c);
    int exit = ZL_EXIT_UNSURE;
    if (status) exit = zl_cli_say(ctx, status, "no plan");
    else if (!zlay_plan_wave(&wave, plans[0]))
        zl_not_run("HIP loads code objects, and this command makes none");
    else exit = zl_contest_run(&c);
    zl_contest_free(&c);
    for (size_t i = 0; i < ZL_CONTESTANTS; i++) zlay_plan_free(plans[i]);
    return exit;
}

/* ---- attention ------------------------------------------------------------------------------- */

static zlay_status attentions_plan(zl_contest *c)
{
    zlay_attention_candidate list[ZL_CONTESTANTS];
    zlay_attention_plan **plans = c->plans;
    size_t all, want = zl_contest_wanted(c);
    zlay_status status =
        zlay_attention_candidates(c->ctx, list, want, &all, c->target, &c->options->attention);
    for (size_t i = 0; !status && i < want && i < all; i++) {
        status = zlay_attention_synth(c->ctx, &plans[i], c->target, &list[i].attention);
        if (status == ZLAY_ENOTSUP || status == ZLAY_NONE) break;
        zlay_tuning_choice_attention(c->of[i].choice, &list[i]);
        c->count = (uint32_t)i + 1;
    }
    return c->count ? ZLAY_OK : status;
}

static zlay_status attention_load(zl_contest *c, uint32_t i)
{
    zlay_attention_plan **plans = c->plans;
    return zl_tensors_load(c->ctx, &c->of[i].kernel, c->device, plans[i], c->options);
}

static zlay_status attention_bind(zl_contest *c, uint32_t i, const uint64_t *address)
{
    zlay_attention_plan **plans = c->plans;
    return zl_tensors_bind(c->ctx, c->of[i].kernel, plans[i], address);
}

static zlay_status attention_key(zl_contest *c, char *key, const zlay_tuning_device *device)
{
    return zlay_tuning_key_attention(c->ctx, key, c->target, &c->options->attention, device);
}

static int attentions_run(zl_contest *c)
{
    zlay_attention_plan **plans = c->plans;
    const char *why = zl_tensors_refused(plans[0], &c->options->attention);
    if (why) return zl_not_run(why);
    zlay_status status = zl_tensors_make(c->tensor, &c->options->attention);
    if (status) return zl_cli_say(c->ctx, status, "tensors");
    c->tensors = ZL_TENSORS;
    c->result = ZL_TENSOR_O;
    c->error = zl_tensors_error(&c->options->attention);
    return zl_contest_run(c);
}

int zl_tune_attention(zlay_ctx *ctx, int argc, char **argv)
{
    static const zl_contest_kind kind = {attention_load, attention_bind, attention_key};
    zl_options options;
    zlay_attention_plan *plans[ZL_CONTESTANTS] = {NULL};
    zl_contest c = {.ctx = ctx, .options = &options, .kind = &kind, .plans = plans};
    if (!zl_options_read(&options, ZL_OF_TUNE_ATTENTION, argc, argv)) return ZL_EXIT_ERROR;
    if (zlay_target_find(&c.target, options.target, strlen(options.target)))
        return zl_no_target(options.target);
    c.of = calloc(ZL_CONTESTANTS, sizeof *c.of);
    zlay_status status = c.of ? attentions_plan(&c) : ZLAY_ENOMEM;
    int exit = status ? zl_cli_say(ctx, status, "no plan") : attentions_run(&c);
    zl_contest_free(&c);
    for (size_t i = 0; i < ZL_CONTESTANTS; i++) zlay_attention_free(plans[i]);
    return exit;
}

/* ---- files --------------------------------------------------------------------------------- */

int zl_tune_show(zlay_ctx *ctx, int argc, char **argv)
{
    zlay_tuning_record r;
    if (argc != 1) {
        fputs("zlay: tune show takes a FILE\n", stderr);
        return ZL_EXIT_ERROR;
    }
    zlay_tuning *tuning = zl_cache_read(ctx, argv[0], false);
    for (size_t i = 0; tuning && zlay_tuning_nth(&r, tuning, i) == ZLAY_OK; i++) {
        printf("%s\n  %s  %.2f us, %u rounds, %u others", r.key, r.choice, (double)r.ns / 1000,
               r.rounds, r.others_count);
        if (r.others_count)
            printf(", the next %.1f %% behind", 100 * ((double)r.others[0] / (double)r.ns - 1));
        printf("\n");
    }
    int exit = tuning ? ZL_EXIT_YES : ZL_EXIT_ERROR;
    zlay_tuning_free(tuning);
    return exit;
}

int zl_tune_merge(zlay_ctx *ctx, int argc, char **argv)
{
    zlay_tuning *both[2] = {NULL, NULL}, *merged = NULL;
    size_t length;
    if (argc != 2) {
        fputs("zlay: tune merge takes two FILEs\n", stderr);
        return ZL_EXIT_ERROR;
    }
    int exit = ZL_EXIT_ERROR;
    for (int i = 0; i < 2; i++) both[i] = zl_cache_read(ctx, argv[i], false);
    if (both[0] && both[1]) {
        zlay_status status = zlay_tuning_merge(ctx, &merged, both[0], both[1]);
        char *text = status ? NULL : zl_text_of(ctx, zl_write_cache, merged, &length);
        if (status) zl_cli_say(ctx, status, "merge");
        if (text) fwrite(text, 1, length, stdout), exit = ZL_EXIT_YES;
        free(text);
    }
    for (int i = 0; i < 2; i++) zlay_tuning_free(both[i]);
    zlay_tuning_free(merged);
    return exit;
}
