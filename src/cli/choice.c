/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan was chosen by, a cache of measurements or the model; what else there was, and what
 * that takes; and the bound below which nothing comes. */
#include "cli/cli.h"
#include "cli/reason.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/io.h>
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

/* One line of the list: the candidate, and why it takes more than what is planned. */
static void rival_print(const char *choice, uint64_t ns, uint64_t planned, bool mine,
                        const char *why)
{
    printf("  %c %-66s", mine ? '*' : ' ', choice);
    if (ns && planned)
        printf(" %10.2f us %+7.1f %%", (double)ns / 1000,
               100 * ((double)ns / (double)planned - 1));
    printf("%s%s\n", *why ? "  " : "", why);
}

/* The blocks of what is planned, and the waves that they are. */
static void waves_print(char out[ZL_REASON], uint64_t blocks, int64_t processors)
{
    uint64_t at_once = processors > 0 ? (uint64_t)processors : blocks;
    uint64_t waves = at_once ? (blocks + at_once - 1) / at_once : 0;
    *out = 0;
    if (waves)
        snprintf(out, ZL_REASON, "%" PRIu64 " blocks, %" PRIu64 " wave%s, the last of %" PRIu64,
                 blocks, waves, waves == 1 ? "" : "s", blocks - (waves - 1) * at_once);
}

/* How many of the others take less by the model, and the least of these. */
typedef struct field_of {
    size_t others, less;
    uint64_t least;
} field_of;

static void field_add(field_of *f, uint64_t ns, uint64_t planned, bool mine)
{
    if (mine) return;
    f->others++;
    if (!ns || ns >= planned) return;
    f->less++;
    if (!f->least || ns < f->least) f->least = ns;
}

static void field_print(const field_of *f, uint64_t planned)
{
    if (!planned) return;
    if (!f->others) printf("there is no other\n");
    else if (!f->less) printf("none of the %zu others takes less by the model\n", f->others);
    else
        printf("%zu of %zu others: less by the model, the least %.2f us; what is planned was "
               "measured, or the model errs by more (docs/tuning.md)\n",
               f->less, f->others, (double)f->least / 1000);
}

static void bound_print(zlay_status status, const zlay_roofline *b, uint64_t ns)
{
    if (status) {
        printf("bound: none is known before the run\n");
        return;
    }
    const char *by = b->ns == b->products_ns ? "products"
                     : b->ns == b->bytes_ns  ? "DRAM"
                                             : "exponentials";
    printf("bound: nothing takes less than %.2f us at the rates of the machine, by %s: %.2f us of "
           "%.3g products",
           (double)b->ns / 1000, by, (double)b->products_ns / 1000, (double)b->products);
    if (b->exponents)
        printf(", %.2f us of %.3g exponentials", (double)b->exponents_ns / 1000,
               (double)b->exponents);
    printf(", %.2f us of %" PRIu64 " bytes of DRAM\n", (double)b->bytes_ns / 1000, b->bytes);
    if (ns) printf("of the modelled time the bound is %.1f %%\n", 100 * (double)b->ns / (double)ns);
}

/* What the planned tile and order move, beside what any must; nothing where that is not known. */
static void io_print(zlay_status status, const zlay_io_answer *a)
{
    static const char *const by[] = {"", "each tensor once", "the sums of a block",
                                     "what all memories hold", "the queries of a block"};
    if (status) return;
    const uint64_t moved[] = {a->best.hbm, a->best.l2}, least[] = {a->hbm_bound, a->l2_bound};
    const uint32_t why[] = {a->hbm_by, a->l2_by};
    printf("moves:");
    for (int i = 0; i < 2; i++) {
        printf("%s %.1f MB of %s, where no plan ", i ? ";" : "", (double)moved[i] / 1e6,
               i ? "L2" : "DRAM");
        if (i && a->l2_block)
            printf("of blocks of %" PRIu64 " %s ", a->l2_block,
                   a->l2_by == ZLAY_IO_SUMS ? "sums" : "queries");
        printf("moves less than %.1f (%s)", (double)least[i] / 1e6, by[why[i]]);
    }
    printf(" (docs/io.md)\n");
}

static void head_print(size_t count)
{
    printf("\ncandidates, modelled: the first of %zu; * is planned\n", count);
}

/* A GEMM whose columns are the rows of tiles is the transposed one. */
static zlay_status io_gemm(zlay_ctx *ctx, zlay_io_answer *out, const zlay_target *target,
                           const zlay_plan *plan)
{
    zlay_plan_summary info;
    zlay_status status = zlay_plan_info(&info, plan);
    if (status || info.groups) return ZLAY_NONE;
    const zlay_io_gemm ask = {.size = sizeof ask, .m = info.m, .n = info.n, .k = info.k,
                              .a_type = info.mma.a, .b_type = info.mma.b, .d_type = info.d_type,
                              .tile_m = info.tile_m, .tile_n = info.tile_n, .tile_k = info.tile_k,
                              .band = info.band};
    return zlay_io_gemm_plan(ctx, out, target, &ask);
}

static int64_t processors_of(zlay_machine *machine, const zlay_target *target)
{
    int64_t processors = 0;
    zlay_machine_find(machine, target);
    zlay_machine_get(&processors, machine, ZLAY_MACHINE_PROCESSORS);
    return processors;
}

static void rivals_list(const zlay_gemm_candidate *list, size_t count,
                        const zlay_gemm_candidate *own, int64_t processors)
{
    char choice[ZLAY_TUNING_CHOICE], mine[ZLAY_TUNING_CHOICE], why[ZL_REASON];
    field_of field = {0};
    zlay_tuning_choice_gemm(mine, own);
    head_print(count);
    for (size_t i = 0; i < count; i++) {
        zlay_tuning_choice_gemm(choice, &list[i]);
        bool is_mine = !strcmp(choice, mine);
        field_add(&field, list[i].ns, own->ns, is_mine);
        if (i >= SHOWN) continue;
        if (is_mine) waves_print(why, list[i].blocks, processors);
        else zl_gemm_reason(why, &list[i], own, processors);
        rival_print(choice, list[i].ns, own->ns, is_mine, why);
    }
    field_print(&field, own->ns);
}

int zl_rivals_gemm(zlay_ctx *ctx, const zlay_plan *plan, const zlay_target *target,
                   const zlay_gemm *asked, const zlay_gemm *chosen)
{
    zlay_gemm_candidate own, *list = NULL;
    zlay_machine machine;
    zlay_roofline bound;
    zlay_io_answer io;
    size_t count, one;
    int64_t processors = processors_of(&machine, target);
    zlay_status status = zlay_gemm_candidates(ctx, NULL, 0, &count, target, asked);
    if (!status && !(list = calloc(count, sizeof *list))) status = ZLAY_ENOMEM;
    if (!status) status = zlay_gemm_candidates(ctx, list, count, &count, target, asked);
    if (!status) status = zlay_gemm_candidates(ctx, &own, 1, &one, target, chosen);
    if (!status) rivals_list(list, count, &own, processors);
    free(list);
    if (status) return zl_cli_say(ctx, status, "candidates");
    bound_print(zlay_gemm_bound(ctx, &bound, &machine, asked), &bound, own.ns);
    io_print(io_gemm(ctx, &io, target, plan), &io);
    return ZL_EXIT_YES;
}

/* ---- attention ------------------------------------------------------------------------------- */

/* Blocks of a head follow one another. */
static zlay_status io_attention(zlay_ctx *ctx, zlay_io_answer *out, const zlay_attention_plan *plan)
{
    const zlay_target *target;
    zlay_attention a;
    zlay_attention_summary info;
    zlay_status status = zlay_attention_request(&target, &a, plan);
    if (!status) status = zlay_attention_info(&info, plan);
    if (status || a.q_lengths || a.k_lengths || a.window || a.splits > 1) return ZLAY_NONE;
    const zlay_io_attention ask = {.size = sizeof ask, .type = a.type, .batch = a.batch,
                                   .heads = a.heads, .kv_heads = a.kv_heads, .queries = a.queries,
                                   .keys = a.keys, .head = a.head, .causal = a.causal,
                                   .tile_m = info.tile_m, .tile_n = info.tile_n,
                                   .stages = info.stages, .band = (uint32_t)info.grid[0]};
    return zlay_io_attention_plan(ctx, out, target, &ask);
}

static void forms_list(const zlay_attention_candidate *list, size_t count,
                       const zlay_attention_candidate *own, int64_t processors)
{
    char choice[ZLAY_TUNING_CHOICE], mine[ZLAY_TUNING_CHOICE], why[ZL_REASON];
    field_of field = {0};
    zlay_tuning_choice_attention(mine, own);
    head_print(count);
    for (size_t i = 0; i < count; i++) {
        zlay_tuning_choice_attention(choice, &list[i]);
        bool is_mine = !strcmp(choice, mine);
        field_add(&field, list[i].ns, own->ns, is_mine);
        if (i >= SHOWN) continue;
        if (is_mine) waves_print(why, list[i].blocks, processors);
        else zl_attention_reason(why, &list[i], own, processors);
        rival_print(choice, list[i].ns, own->ns, is_mine, why);
    }
    field_print(&field, own->ns);
}

int zl_rivals_attention(zlay_ctx *ctx, const zlay_attention_plan *plan, const zlay_target *target,
                        const zlay_attention *asked, const zlay_attention *chosen)
{
    zlay_attention_candidate own, *list = NULL;
    zlay_machine machine;
    zlay_roofline bound;
    zlay_io_answer io;
    size_t count, one;
    int64_t processors = processors_of(&machine, target);
    zlay_status status = zlay_attention_candidates(ctx, NULL, 0, &count, target, asked);
    if (!status && !(list = calloc(count, sizeof *list))) status = ZLAY_ENOMEM;
    if (!status) status = zlay_attention_candidates(ctx, list, count, &count, target, asked);
    if (!status) status = zlay_attention_candidates(ctx, &own, 1, &one, target, chosen);
    if (!status) forms_list(list, count, &own, processors);
    free(list);
    if (status) return zl_cli_say(ctx, status, "candidates");
    bound_print(zlay_attention_bound(ctx, &bound, &machine, asked), &bound, own.ns);
    io_print(io_attention(ctx, &io, plan), &io);
    return ZL_EXIT_YES;
}
