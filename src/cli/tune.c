/* SPDX-License-Identifier: Apache-2.0 */
/* zlay tune: times candidates of a GEMM on a GPU, prints and merges caches. Each candidate is
 * launched in turns with the others, on sets of matrices that together are larger than L2; a time
 * is the median of single launches between two events, which has a few microseconds of the launch
 * in it, as much for each. */
#include "cli/cli.h"
#include "cli/groups.h"
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/runtime.h>

enum {
    CANDIDATES_MOST = ZLAY_TUNING_OTHERS + 1,
    ROUNDS_MOST = 1000,
    SETS_MOST = 16,
    L2S = 4,
    WARM = 2
};

typedef struct contestant {
    zlay_plan *plan;
    zlay_kernel *kernel;
    char choice[ZLAY_TUNING_CHOICE];
    float times[ROUNDS_MOST]; /* ms */
} contestant;

typedef struct tuner {
    zlay_ctx *ctx;
    const zl_options *options;
    const zlay_target *target;
    zlay_device *device;
    zlay_device_summary info;
    zl_matrix matrix[3];
    uint64_t address[SETS_MOST][3];
    uint32_t sets, count;
    contestant *of;
} tuner;

static zlay_status contestants_plan(tuner *t)
{
    zlay_gemm_candidate list[CANDIDATES_MOST];
    size_t all, want = t->options->candidates < CANDIDATES_MOST ? (size_t)t->options->candidates
                                                                : CANDIDATES_MOST;
    zlay_status status =
        zlay_gemm_candidates(t->ctx, list, want, &all, t->target, &t->options->gemm);
    for (size_t i = 0; !status && i < want && i < all; i++) {
        status = zlay_gemm_synth(t->ctx, &t->of[i].plan, t->target, &list[i].gemm);
        if (status == ZLAY_ENOTSUP || status == ZLAY_NONE) break;
        zlay_tuning_choice_gemm(t->of[i].choice, &list[i]);
        t->count = (uint32_t)i + 1;
    }
    return t->count ? ZLAY_OK : status;
}

static zlay_status sets_make(tuner *t)
{
    int32_t type[3];
    uint64_t bytes = 0;
    zl_matrix_types(type, t->of[0].plan);
    if (!zl_groups_describe(&t->matrix[0], &t->matrix[1], &t->matrix[2], type, &t->options->gemm))
        return ZLAY_EOVERFLOW;
    for (int i = 0; i < 3; i++) {
        if (!zl_matrix_alloc(&t->matrix[i])) return ZLAY_ENOMEM;
        bytes += t->matrix[i].count * t->matrix[i].element;
    }
    zl_matrix_fill(&t->matrix[0], 1);
    zl_matrix_fill(&t->matrix[1], 2);
    uint64_t want = 2 + (uint64_t)L2S * (uint64_t)t->info.l2 / (bytes ? bytes : 1);
    t->sets = (uint32_t)(want < SETS_MOST ? want : SETS_MOST);
    zlay_status status = ZLAY_OK;
    for (uint32_t s = 0; s < t->sets && !status; s++)
        for (int i = 0; i < 3 && !status; i++) {
            uint64_t own = t->matrix[i].count * t->matrix[i].element;
            status = zlay_device_allocate(t->ctx, &t->address[s][i], t->device, own);
            if (!status)
                status = zlay_device_upload(t->ctx, t->device, t->address[s][i], t->matrix[i].bytes,
                                            own);
        }
    return status;
}

static zlay_status kernel_load(tuner *t, contestant *c)
{
    size_t length;
    char *text = zl_plan_text(t->ctx, zlay_emit_ptx, c->plan, t->options->name, &length);
    zlay_status status = text ? zlay_kernel_load(t->ctx, &c->kernel, t->device, c->plan, text,
                                                 length, t->options->name)
                              : ZLAY_ENOMEM;
    free(text);
    return status;
}

static zlay_status round_run(tuner *t, contestant *c, uint32_t round, uint32_t set)
{
    const uint64_t *a = t->address[set % t->sets];
    float ms = 0;
    zlay_status status = zlay_kernel_bind(t->ctx, c->kernel, a[0], a[1], a[2]);
    if (!status) status = zlay_kernel_measure(t->ctx, &ms, c->kernel, 1);
    if (!status && round >= WARM) c->times[round - WARM] = ms;
    return status;
}

static int less(const void *a, const void *b)
{
    float x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* All candidates in every round, beginning with another one each time. */
static zlay_status contest(tuner *t, uint32_t rounds)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < t->count && !status; i++) status = kernel_load(t, &t->of[i]);
    for (uint32_t round = 0; round < rounds + WARM && !status; round++)
        for (uint32_t i = 0; i < t->count && !status; i++)
            status = round_run(t, &t->of[(i + round) % t->count], round, round * t->count + i);
    for (uint32_t i = 0; i < t->count && !status; i++)
        qsort(t->of[i].times, rounds, sizeof *t->of[i].times, less);
    return status;
}

static uint64_t median_ns(const contestant *c, uint32_t rounds)
{
    uint64_t ns = (uint64_t)((double)c->times[rounds / 2] * 1e6);
    return ns ? ns : 1;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static zlay_status record_make(tuner *t, zlay_tuning_record *r, uint32_t rounds)
{
    zlay_tuning_device device = {t->info.name, (uint32_t)t->info.processors, t->info.driver};
    uint32_t best = 0;
    *r = (zlay_tuning_record){.rounds = rounds};
    for (uint32_t i = 1; i < t->count; i++)
        if (median_ns(&t->of[i], rounds) < median_ns(&t->of[best], rounds)) best = i;
    r->ns = median_ns(&t->of[best], rounds);
    snprintf(r->choice, sizeof r->choice, "%s", t->of[best].choice);
    for (uint32_t i = 0; i < t->count; i++)
        if (i != best) r->others[r->others_count++] = median_ns(&t->of[i], rounds);
    qsort(r->others, r->others_count, sizeof *r->others, by_number);
    return zlay_tuning_key_gemm(t->ctx, r->key, t->target, &t->options->gemm, &device);
}

static zlay_status write_cache(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    (void)ctx;
    return zlay_tuning_print(out, value);
}

static int cache_add(tuner *t, const zlay_tuning_record *r)
{
    size_t length;
    if (!t->options->cache) return ZL_EXIT_YES;
    zlay_tuning *tuning = zl_cache_read(t->ctx, t->options->cache);
    if (!tuning) return ZL_EXIT_ERROR;
    zlay_status status = zlay_tuning_add(t->ctx, tuning, r);
    char *text = status ? NULL : zl_text_of(t->ctx, write_cache, tuning, &length);
    bool done = text && zl_file_write(t->options->cache, text, length);
    free(text);
    zlay_tuning_free(tuning);
    if (status) return zl_cli_say(t->ctx, status, "cache");
    if (done) printf("added to %s\n", t->options->cache);
    return done ? ZL_EXIT_YES : ZL_EXIT_ERROR;
}

static int tune_run(tuner *t)
{
    uint32_t rounds = t->options->rounds < ROUNDS_MOST ? (uint32_t)t->options->rounds : ROUNDS_MOST;
    zlay_tuning_record r;
    zlay_status status = zlay_device_info(&t->info, t->device);
    zl_progress_begin(NULL, "timing candidates");
    if (!status) status = sets_make(t);
    if (!status) status = contest(t, rounds);
    zl_progress_end();
    if (status) return zl_cli_say(t->ctx, status, "tune");
    for (uint32_t i = 0; i < t->count; i++)
        printf("%10.2f us  %s\n", (double)median_ns(&t->of[i], rounds) / 1000, t->of[i].choice);
    status = record_make(t, &r, rounds);
    if (status) return zl_cli_say(t->ctx, status, "key");
    printf("fastest: %s\n", r.choice);
    return cache_add(t, &r);
}

static void tuner_free(tuner *t)
{
    for (uint32_t i = 0; t->of && i < CANDIDATES_MOST; i++) {
        zlay_kernel_free(t->of[i].kernel);
        zlay_plan_free(t->of[i].plan);
    }
    for (uint32_t s = 0; t->device && s < SETS_MOST; s++)
        for (int i = 0; i < 3; i++) zlay_device_free(t->device, t->address[s][i]);
    zlay_device_close(t->device);
    for (int i = 0; i < 3; i++) zl_matrix_free(&t->matrix[i]);
    free(t->of);
}

static int not_run(const char *why)
{
    printf("not run: %s\n", why);
    return ZL_EXIT_UNSURE;
}

int zl_tune_gemm(zlay_ctx *ctx, int argc, char **argv)
{
    zl_options options;
    tuner t = {.ctx = ctx, .options = &options};
    if (!zl_options_read(&options, ZL_OF_TUNE, argc, argv)) return ZL_EXIT_ERROR;
    if (zlay_target_find(&t.target, options.target, strlen(options.target)))
        return zl_no_target(options.target);
    if (options.gemm.groups || options.gemm.a_scales || options.gemm.b_scales ||
        options.gemm.d_scales)
        return not_run("this command fills no scales and no offsets of groups; the candidates are "
                       "zlay plan gemm's");
    t.of = calloc(CANDIDATES_MOST, sizeof *t.of);
    zlay_status status = t.of ? contestants_plan(&t) : ZLAY_ENOMEM;
    int exit = status ? zl_cli_say(ctx, status, "no plan") : ZL_EXIT_YES;
    if (!status) status = zlay_device_open(ctx, &t.device, 0);
    if (status == ZLAY_EDRIVER) exit = not_run(zlay_ctx_message(ctx));
    else if (!exit) exit = status ? zl_cli_say(ctx, status, "device") : tune_run(&t);
    tuner_free(&t);
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
    zlay_tuning *tuning = zl_cache_read(ctx, argv[0]);
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
    for (int i = 0; i < 2; i++) both[i] = zl_cache_read(ctx, argv[i]);
    zlay_status status =
        both[0] && both[1] ? zlay_tuning_merge(ctx, &merged, both[0], both[1]) : ZLAY_EINVAL;
    char *text = status ? NULL : zl_text_of(ctx, write_cache, merged, &length);
    if (text) fwrite(text, 1, length, stdout), exit = ZL_EXIT_YES;
    free(text);
    for (int i = 0; i < 2; i++) zlay_tuning_free(both[i]);
    zlay_tuning_free(merged);
    return exit;
}
