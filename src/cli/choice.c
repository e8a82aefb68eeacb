/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan was chosen by, a cache of measurements or the model; what else there was, and what
 * that takes; and the bound below which nothing comes. */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/machine.h>

enum { SHOWN = 6, CACHE_MOST = 1 << 26, BAD = 8 };

/* ---- the cache --------------------------------------------------------------------------- */

zlay_tuning *zl_cache_read(zlay_ctx *ctx, const char *path)
{
    zlay_tuning *tuning = NULL;
    zlay_tuning_bad bad[BAD];
    size_t count, length = 0;
    FILE *there = fopen(path, "r");
    if (there) fclose(there);
    char *text = there ? zl_file_read(path, CACHE_MOST, &length) : NULL;
    if (there && !text) return NULL;
    zlay_status status = zlay_tuning_parse(ctx, &tuning, bad, BAD, &count, text, length);
    free(text);
    for (size_t i = 0; !status && i < count && i < BAD; i++)
        fprintf(stderr, "zlay: %s: line %" PRIu64 " is refused: %s\n", path, bad[i].line,
                bad[i].reason);
    if (!status && count > BAD)
        fprintf(stderr, "zlay: %s: and %zu lines more\n", path, count - BAD);
    if (status) zl_cli_say(ctx, status, path);
    return tuning;
}

/* The word of a key, as device=. */
static void word_print(const char *key, const char *name)
{
    const char *at = strstr(key, name);
    if (at) printf("%.*s", (int)strcspn(at + strlen(name), " "), at + strlen(name));
}

static void found_print(const zlay_tuning_record *r, const char *key)
{
    const char *shape = strstr(key, " shape="), *own = strstr(r->key, " shape=");
    printf("chosen by: measured on ");
    word_print(r->key, "device=");
    printf(", %u candidates, %.2f us", r->others_count + 1, (double)r->ns / 1000);
    if (r->others_count)
        printf(", %.1f %% before the next", 100 * ((double)r->others[0] / (double)r->ns - 1));
    if (shape && own && strcmp(shape, own) != 0) {
        printf("; of its class, shape ");
        word_print(r->key, " shape=");
    }
    printf("\n");
}

/* The record of a key; false: none, and said. */
static bool record_find(zlay_ctx *ctx, zlay_tuning_record *r, const char *path, const char *key,
                        bool *failed)
{
    zlay_tuning *tuning = zl_cache_read(ctx, path);
    *failed = !tuning;
    if (!tuning) return false;
    bool found = zlay_tuning_find(r, tuning, key) == ZLAY_OK;
    zlay_tuning_free(tuning);
    if (!found) printf("chosen by: the model; %s has nothing of this request\n", path);
    return found;
}

/* A choice that is no candidate today is passed over. */
static bool taken(zlay_ctx *ctx, zlay_status status, const zlay_tuning_record *r, const char *key)
{
    if (!status) found_print(r, key);
    else if (status == ZLAY_NONE)
        printf("chosen by: the model; what the cache has, %s, is ignored: %s\n", r->choice,
               zlay_ctx_message(ctx));
    else zl_cli_say(ctx, status, "cache");
    return !status || status == ZLAY_NONE;
}

bool zl_choice_gemm(zlay_ctx *ctx, const zlay_target *target, zl_options *options)
{
    char key[ZLAY_TUNING_KEY];
    bool failed = false;
    zlay_tuning_record r;
    zlay_tuning_device device = {options->device, 0, 0};
    zlay_gemm gemm = options->gemm;
    if (zlay_tuning_key_gemm(ctx, key, target, &gemm, &device))
        return true; /* the planner says why */
    if (!record_find(ctx, &r, options->cache, key, &failed)) return !failed;
    return taken(ctx, zlay_tuning_take_gemm(ctx, &options->gemm, target, &gemm, r.choice), &r, key);
}

bool zl_choice_attention(zlay_ctx *ctx, const zlay_target *target, zl_options *options)
{
    char key[ZLAY_TUNING_KEY];
    bool failed = false;
    zlay_tuning_record r;
    zlay_tuning_device device = {options->device, 0, 0};
    zlay_attention attention = options->attention;
    if (zlay_tuning_key_attention(ctx, key, target, &attention, &device)) return true;
    if (!record_find(ctx, &r, options->cache, key, &failed)) return !failed;
    return taken(ctx,
                 zlay_tuning_take_attention(ctx, &options->attention, target, &attention, r.choice),
                 &r, key);
}

/* ---- what else there is -------------------------------------------------------------------- */

/* One line of the list. `mine`: the one that was taken. */
static void rival_print(const char *choice, uint64_t ns, uint64_t first, uint64_t blocks,
                        int64_t processors, bool mine)
{
    uint64_t waves =
        processors > 0 ? (blocks + (uint64_t)processors - 1) / (uint64_t)processors : 0;
    uint64_t last = waves ? blocks - (waves - 1) * (uint64_t)processors : 0;
    printf("  %c %-66s", mine ? '*' : ' ', choice);
    if (ns)
        printf(" %10.2f us %+7.1f %%", (double)ns / 1000, 100 * ((double)ns / (double)first - 1));
    if (waves)
        printf("  %" PRIu64 " blocks, %" PRIu64 " wave%s, the last of %" PRIu64, blocks, waves,
               waves == 1 ? "" : "s", last);
    printf("\n");
}

static void bound_print(zlay_status status, const zlay_roofline *b, uint64_t ns)
{
    if (status) {
        printf("bound: none is known before the run\n");
        return;
    }
    printf("bound: no plan takes less than %.2f us at the rates of the machine: %.2f us of %.3g "
           "products",
           (double)b->ns / 1000, (double)b->products_ns / 1000, (double)b->products);
    if (b->exponents)
        printf(", %.2f us of %.3g exponentials", (double)b->exponents_ns / 1000,
               (double)b->exponents);
    printf(", %.2f us of %" PRIu64 " bytes of DRAM\n", (double)b->bytes_ns / 1000, b->bytes);
    if (ns && b->ns) printf("modelled time over the bound: %.2f\n", (double)ns / (double)b->ns);
}

static void head_print(size_t count)
{
    printf("\ncandidates, modelled: the first of %zu; * is planned\n", count);
}

int zl_rivals_gemm(zlay_ctx *ctx, const zlay_target *target, const zlay_gemm *asked,
                   const zlay_gemm *chosen)
{
    zlay_gemm_candidate list[SHOWN], own;
    zlay_machine machine;
    zlay_roofline bound;
    char choice[ZLAY_TUNING_CHOICE], mine[ZLAY_TUNING_CHOICE];
    size_t count, one;
    int64_t processors = 0;
    zlay_status status = zlay_gemm_candidates(ctx, list, SHOWN, &count, target, asked);
    if (!status) status = zlay_gemm_candidates(ctx, &own, 1, &one, target, chosen);
    if (status) return zl_cli_say(ctx, status, "candidates");
    zlay_machine_find(&machine, target);
    zlay_machine_get(&processors, &machine, ZLAY_MACHINE_PROCESSORS);
    zlay_tuning_choice_gemm(mine, &own);
    head_print(count);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        zlay_tuning_choice_gemm(choice, &list[i]);
        rival_print(choice, list[i].ns, list[0].ns, list[i].blocks, processors,
                    !strcmp(choice, mine));
    }
    bound_print(zlay_gemm_bound(ctx, &bound, &machine, asked), &bound, own.ns);
    return ZL_EXIT_YES;
}

int zl_rivals_attention(zlay_ctx *ctx, const zlay_target *target, const zlay_attention *asked,
                        const zlay_attention *chosen)
{
    zlay_attention_candidate list[SHOWN], own;
    zlay_machine machine;
    zlay_roofline bound;
    char choice[ZLAY_TUNING_CHOICE], mine[ZLAY_TUNING_CHOICE];
    size_t count, one;
    int64_t processors = 0;
    zlay_status status = zlay_attention_candidates(ctx, list, SHOWN, &count, target, asked);
    if (!status) status = zlay_attention_candidates(ctx, &own, 1, &one, target, chosen);
    if (status) return zl_cli_say(ctx, status, "candidates");
    zlay_machine_find(&machine, target);
    zlay_machine_get(&processors, &machine, ZLAY_MACHINE_PROCESSORS);
    zlay_tuning_choice_attention(mine, &own);
    head_print(count);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        zlay_tuning_choice_attention(choice, &list[i]);
        rival_print(choice, list[i].ns, list[0].ns, list[i].blocks, processors,
                    !strcmp(choice, mine));
    }
    bound_print(zlay_attention_bound(ctx, &bound, &machine, asked), &bound, own.ns);
    return ZL_EXIT_YES;
}
