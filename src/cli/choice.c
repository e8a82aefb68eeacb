/* SPDX-License-Identifier: Apache-2.0 */
/* What else there was beside what is planned, what that takes and why; and the bound below which
 * nothing comes. */
#include "cli/cli.h"
#include "cli/reason.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/io.h>
#include <zlay/machine.h>

enum { SHOWN = 6 };

/* ---- what else there is -------------------------------------------------------------------- */

/* A candidate as the list shows it, of a GEMM or of attention. */
typedef struct rival {
    char choice[ZLAY_TUNING_CHOICE];
    uint64_t ns, blocks;
    uint64_t waves, at_once, last; /* of its model, in clusters; 0: it has none */
} rival;

/* What the two differ in: the type of a candidate, the list, and why one takes more. */
typedef struct rival_kind {
    size_t size;
    zlay_status (*list)(zlay_ctx *ctx, void *out, size_t room, size_t *count,
                        const zlay_target *target, const void *request);
    void (*read)(rival *out, const void *candidate);
    void (*reason)(char out[ZL_REASON], const void *candidate, const void *other,
                   int64_t processors);
} rival_kind;

/* One line of the list: the candidate, and why it takes more than what is planned. */
static void rival_print(const rival *r, uint64_t planned, bool mine, const char *why)
{
    bool timed = r->ns && planned;
    printf("  %c %-*s", mine ? '*' : ' ', timed || *why ? 66 : 0, r->choice);
    if (timed)
        printf(" %10.2f us %+7.1f %%", (double)r->ns / 1000,
               100 * ((double)r->ns / (double)planned - 1));
    printf("%s%s\n", *why ? "  " : "", why);
}

/* The blocks of what is planned, and the waves that they, or their clusters, are. */
static void waves_print(char out[ZL_REASON], const rival *r, int64_t processors)
{
    uint64_t clusters = r->waves ? (r->waves - 1) * r->at_once + r->last : 0;
    bool clustered = clusters && clusters < r->blocks && r->blocks % clusters == 0;
    uint64_t at_once = clustered ? r->at_once : processors > 0 ? (uint64_t)processors : 0;
    uint64_t units = clustered ? clusters : r->blocks;
    uint64_t waves = at_once ? (units + at_once - 1) / at_once : 0;
    int at = snprintf(out, ZL_REASON, "%" PRIu64 " block%s", r->blocks, r->blocks == 1 ? "" : "s");
    if (waves) /* of processors that are known */
        snprintf(out + at, (size_t)(ZL_REASON - at),
                 ", %" PRIu64 " wave%s, the last of %" PRIu64 "%s", waves, waves == 1 ? "" : "s",
                 units - (waves - 1) * at_once, clustered ? " clusters" : "");
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

static void bound_print(zlay_ctx *ctx, zlay_status status, const zlay_roofline *b, uint64_t ns)
{
    if (status) {
        printf("bound: none is known: %s\n", zlay_ctx_message(ctx));
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

/* Prints the list of all that the request leaves open, of which `own` is planned. */
static void rivals_print(const rival_kind *k, const char *list, size_t count, const void *own,
                         int64_t processors)
{
    rival mine, r;
    char why[ZL_REASON];
    field_of field = {0};
    k->read(&mine, own);
    printf("\ncandidates, modelled: the first of %zu; * is planned\n", count);
    for (size_t i = 0; i < count; i++) {
        const void *candidate = list + i * k->size;
        k->read(&r, candidate);
        bool is_mine = !strcmp(r.choice, mine.choice);
        field_add(&field, r.ns, mine.ns, is_mine);
        if (i >= SHOWN && !is_mine) continue;
        if (is_mine) waves_print(why, &r, processors);
        else k->reason(why, candidate, own, processors);
        rival_print(&r, mine.ns, is_mine, why);
    }
    field_print(&field, mine.ns);
}

/* Lists what is asked and prints it; *own: the candidate that what was chosen is. */
static zlay_status rivals_list(zlay_ctx *ctx, const rival_kind *k, void *own,
                               const zlay_target *target, const void *asked, const void *chosen,
                               int64_t processors)
{
    size_t count, one;
    void *list = NULL;
    zlay_status status = k->list(ctx, NULL, 0, &count, target, asked);
    if (!status && !(list = calloc(count, k->size))) status = ZLAY_ENOMEM;
    if (!status) status = k->list(ctx, list, count, &count, target, asked);
    if (!status) status = k->list(ctx, own, 1, &one, target, chosen);
    if (!status) rivals_print(k, list, count, own, processors);
    free(list);
    return status;
}

/* ---- GEMM ------------------------------------------------------------------------------------ */

static zlay_status gemm_list(zlay_ctx *ctx, void *out, size_t room, size_t *count,
                             const zlay_target *target, const void *request)
{
    return zlay_gemm_candidates(ctx, out, room, count, target, request);
}

static void gemm_read(rival *out, const void *candidate)
{
    const zlay_gemm_candidate *c = candidate;
    *out = (rival){.ns = c->ns, .blocks = c->blocks, .waves = c->terms.waves,
                   .at_once = c->terms.at_once, .last = c->terms.last};
    zlay_tuning_choice_gemm(out->choice, c);
}

static void gemm_reason(char out[ZL_REASON], const void *candidate, const void *other,
                        int64_t processors)
{
    zl_gemm_reason(out, candidate, other, processors);
}

int zl_rivals_gemm(zlay_ctx *ctx, const zlay_plan *plan, const zlay_target *target,
                   const zlay_gemm *asked, const zlay_gemm *chosen)
{
    static const rival_kind k = {sizeof(zlay_gemm_candidate), gemm_list, gemm_read, gemm_reason};
    zlay_gemm_candidate own;
    zlay_machine machine;
    zlay_roofline bound;
    zlay_io_answer io;
    int64_t processors = processors_of(&machine, target);
    zlay_status status = rivals_list(ctx, &k, &own, target, asked, chosen, processors);
    if (status) return zl_cli_say(ctx, status, "candidates");
    bound_print(ctx, zlay_gemm_bound(ctx, &bound, &machine, asked), &bound, own.ns);
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

static zlay_status attention_list(zlay_ctx *ctx, void *out, size_t room, size_t *count,
                                  const zlay_target *target, const void *request)
{
    return zlay_attention_candidates(ctx, out, room, count, target, request);
}

static void attention_read(rival *out, const void *candidate)
{
    const zlay_attention_candidate *c = candidate;
    *out = (rival){.ns = c->ns, .blocks = c->blocks, .waves = c->terms.waves,
                   .at_once = c->terms.at_once, .last = c->terms.last};
    if (c->attention.tile_m) zlay_tuning_choice_attention(out->choice, c);
    else snprintf(out->choice, sizeof out->choice, "the form that plans of waves have");
}

static void attention_reason(char out[ZL_REASON], const void *candidate, const void *other,
                             int64_t processors)
{
    zl_attention_reason(out, candidate, other, processors);
}

int zl_rivals_attention(zlay_ctx *ctx, const zlay_attention_plan *plan, const zlay_target *target,
                        const zlay_attention *asked, const zlay_attention *chosen)
{
    static const rival_kind k = {sizeof(zlay_attention_candidate), attention_list, attention_read,
                                 attention_reason};
    zlay_attention_candidate own;
    zlay_machine machine;
    zlay_roofline bound;
    zlay_io_answer io;
    int64_t processors = processors_of(&machine, target);
    zlay_status status = rivals_list(ctx, &k, &own, target, asked, chosen, processors);
    if (status) return zl_cli_say(ctx, status, "candidates");
    bound_print(ctx, zlay_attention_bound(ctx, &bound, &machine, asked), &bound, own.ns);
    io_print(io_attention(ctx, &io, plan), &io);
    return ZL_EXIT_YES;
}
