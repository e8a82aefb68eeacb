/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the forms of a plan of attention: queries of a block, keys of a stage, stages and overlap, that fit the shared memory of a
 * block and the registers of a consumer's thread. Shared memory is counted as the printer places it. Registers are those of the
 * scores, the result and, with the overlap, the weights, and REST for all else: with it no kernel of a listed form spills (ptxas
 * 13.0, tests/oracle). The modelled time has what products and softmax of a tile take, of which the slower
 * one counts where another warpgroup, or the overlap, hides the faster one. */
#include "base/arith.h"
#include "synth/attention/attention.h"

#include <string.h>
#include <zlay/block.h>

enum {
    KEYS_LEAST = 64, KEYS_MOST = 256, KEYS_STEP = 16, KEYS_BYTES = 128, /* of e4m3 a row of V in shared memory */
    ROWS_MOST = 192, STAGES_LEAST = 2, STAGES_MOST = 4,
    WARPGROUP = 128, REST = 40, /* registers */
    ALIGN = 1024, LINE = 128, BAR = 8, WORD = 4, TOLD = 32, TOLD_ALIGN = 16,
    TMEM_COLUMNS = 512,
    PERCENT = 100, MODEL_ERROR = 1, /* per cent: less is no reason to leave the known form */
    BLOCKS_SEEN = 4096, QUERIES_FEW = 64, /* of these no form was measured but the known one */
};

/* What the model reckons with: docs/internals/times.md says what each is. */
enum {
    START = 2500, /* ns of a launch */
    MILLI = 1000,
#define FITTED(name, value) name = value,
#include "synth/attention/fitted.def"
};

const zl_attention_budget zl_attention_budgets[4] = {[1] = {240, 256}, [2] = {168, 240}, [3] = {128, 160}};

/* ---- what fits ---------------------------------------------------------------------------- */

static uint32_t bytes_of(const zlay_attention_plan *p) { return zlay_type_bits(p->ask.type) / 8; }
static uint32_t groups_of(const zlay_attention_plan *p, uint32_t tile_m) { return p->tmem ? 1 : tile_m / ZL_ATTENTION_COLUMNS; }

/* Bytes of barriers, and of the words behind them. */
static uint64_t barriers_of(const zlay_attention_plan *p, uint32_t stages)
{
    uint64_t bars = 1 + 4 * (uint64_t)stages + (p->ask.sequences != 0);
    if (p->tmem) bars = 1 + 4 * (uint64_t)stages + 7;
    return BAR * bars + (p->tmem ? 3 * WORD : 0);
}

uint64_t zl_attention_form_smem(const zlay_attention_plan *p, const zl_attention_form *f)
{
    uint64_t row = (uint64_t)p->ask.head * bytes_of(p), rows = p->tmem ? ZL_ATTENTION_TMEM_ROWS : ZL_ATTENTION_COLUMNS;
    uint64_t result = rows * LINE * (zl_attention_at_once(p, f->tile_n) ? 2 : 1);
    uint64_t lse = p->ask.lse ? zl_round_up(rows * WORD, ALIGN) : 0;
    uint64_t at = f->tile_m * row + 2 * f->stages * f->tile_n * row + groups_of(p, f->tile_m) * (result + lse) + barriers_of(p, f->stages);
    return p->ask.sequences ? zl_round_up(at, TOLD_ALIGN) + TOLD : at;
}

uint32_t zl_attention_form_registers(const zlay_attention_plan *p, const zl_attention_form *f)
{
    uint32_t scores = f->tile_n / 2, result = p->ask.head / 2, weights = f->tile_n * bytes_of(p) / 8;
    return p->tmem ? 0 : scores + result + (f->overlap ? weights : 0) + REST;
}

/* Two blocks that have a part of tensor memory each would wait for the rest for ever, so a block has more than half of the shared
 * memory there. */
static bool fits(const zlay_attention_plan *p, const zl_attention_form *f)
{
    uint64_t capacity = zlay_smem_capacity(p->target), smem = zl_attention_form_smem(p, f);
    if (smem > capacity) return false;
    if (p->tmem)
        return 2 * smem > capacity && 2 * zl_umax(f->tile_n, 32) + p->ask.head + f->tile_n / 2 <= TMEM_COLUMNS;
    return zl_attention_form_registers(p, f) <= zl_attention_budgets[groups_of(p, f->tile_m)].consumer;
}

/* ---- the model ---------------------------------------------------------------------------- */

/* Keys that a block of queries sees whose last query is `last` of those that there are. */
static uint64_t seen_of(const zlay_attention_plan *p, uint64_t last, uint32_t rows)
{
    const zlay_attention *a = &p->ask;
    uint64_t keys = zl_attention_mean(a, a->keys), queries = zl_attention_mean(a, zl_attention_queries(p));
    uint64_t seen = a->causal ? keys - zl_umin(keys, queries - last) : keys;
    if (a->window) seen = zl_umin(seen, a->window + rows);
    return zl_ceil_div(zl_umax(1, seen), a->splits ? a->splits : 1);
}

/* Thousandths of the tiles of keys that a block reads, on the average of at most BLOCKS_SEEN blocks; and the tiles of the longest. */
static uint64_t tiles_milli(const zlay_attention_plan *p, const zl_attention_form *f, uint64_t *most)
{
    uint64_t queries = zl_umax(1, zl_attention_mean(&p->ask, zl_attention_queries(p)));
    uint64_t rows = zl_umax(1, f->tile_m / zl_umax(1, p->group)), blocks = zl_ceil_div(queries, rows), some = zl_umin(blocks, BLOCKS_SEEN), sum = 0;
    *most = zl_ceil_div(seen_of(p, queries, f->tile_m), f->tile_n);
    if (!p->ask.causal) return zl_umul_sat(*most, MILLI);
    for (uint64_t i = 1; i <= some; i++) sum += zl_ceil_div(seen_of(p, zl_umin(queries, blocks * i / some * rows), f->tile_m), f->tile_n);
    return zl_umul_sat(sum, MILLI) / some;
}

uint64_t zl_attention_form_blocks(const zlay_attention_plan *p, const zl_attention_form *f)
{
    const zlay_attention *a = &p->ask;
    uint64_t rows = zl_ceil_div(zl_attention_mean(a, a->queries), f->tile_m);
    return zl_umul_sat(zl_umul_sat(rows, a->heads), zl_umul_sat(a->batch, a->splits ? a->splits : 1));
}

/* ns of a tile of keys in a block: what all warpgroups take of the units that they share, or one of them alone. */
static void tile_put(zlay_attention_terms *out, const zlay_attention_plan *p, const zl_attention_form *f)
{
    uint64_t groups = groups_of(p, f->tile_m), keys = f->tile_n, elements = (uint64_t)p->ask.head * bytes_of(p) / 2;
    uint64_t products = keys * elements * PRODUCT_PS, softmax = keys * (SOFTMAX_PS + ELEMENT_PS * elements);
    uint64_t most = zl_umax(products, softmax), least = zl_umin(products, softmax);
    uint64_t alone = most + (f->overlap ? least / PERCENT * SHOWN : least);
    out->products_ns = groups * products / MILLI;
    out->softmax_ns = groups * softmax / MILLI;
    out->shown_ns = (alone - most) / MILLI;
    out->tile_ns = zl_norm4(groups * most, alone) / MILLI + STEP;
}

/* What all blocks take, without DRAM and the launch. Causal, the longest blocks come first, and the last ones are short: an even
 * share for each processor and a part of the longest. */
static uint64_t blocks_time(zlay_attention_terms *out, const zlay_attention_plan *p, const zl_attention_form *f)
{
    uint64_t most, blocks = zl_attention_form_blocks(p, f);
    *out = (zlay_attention_terms){.at_once = p->tmem ? 0 : p->processors};
    if (p->tmem) return 0;
    tile_put(out, p, f);
    out->start_ns = START;
    out->dram_ns = p->dram_ns;
    out->waves = zl_ceil_div(blocks, p->processors);
    out->last = blocks - (out->waves - 1) * p->processors;
    out->tiles_milli = tiles_milli(p, f, &most);
    out->block_ns = zl_umul_sat(out->tiles_milli, out->tile_ns) / MILLI + BEGIN;
    if (!p->ask.causal) return zl_umul_sat(out->waves, out->block_ns);
    out->longest_ns = zl_umul_sat(most, out->tile_ns) + BEGIN;
    uint64_t tail = zl_umul_sat(out->longest_ns, TAIL) / MILLI, share = zl_umul_sat(blocks, out->block_ns) / p->processors + tail;
    out->tail_ns = share >= out->longest_ns ? tail : 0;
    return zl_umax(share, out->longest_ns);
}

uint64_t zl_attention_form_terms(zlay_attention_terms *out, const zlay_attention_plan *p, const zl_attention_form *f)
{
    uint64_t blocks = blocks_time(out, p, f);
    return p->tmem ? 0 : zl_uadd_sat(START, zl_norm4(blocks, p->dram_ns));
}

uint64_t zl_attention_form_time(const zlay_attention_plan *p, const zl_attention_form *f)
{
    zlay_attention_terms terms;
    return zl_attention_form_terms(&terms, p, f);
}

/* ---- the list ------------------------------------------------------------------------------ */

static bool is_open(const zlay_attention *a, const zl_attention_form *f)
{
    return (!a->tile_m || a->tile_m == f->tile_m) && (!a->tile_n || a->tile_n == f->tile_n) && (!a->stages || a->stages == f->stages) &&
           (!a->overlap || a->overlap == (f->overlap ? ZLAY_OVERLAP_ALWAYS : ZLAY_OVERLAP_NEVER));
}

/* The known form with what the request fixes in its place. */
static zl_attention_form first_of(const zlay_attention_plan *p)
{
    const zlay_attention *a = &p->ask;
    zl_attention_form f = zl_attention_form_known(p);
    if (a->tile_m) f.tile_m = a->tile_m;
    if (a->tile_n) f.tile_n = a->tile_n;
    if (a->stages) f.stages = a->stages;
    if (a->overlap) f.overlap = a->overlap == ZLAY_OVERLAP_ALWAYS;
    return f;
}

static bool is_step(const zlay_attention_plan *p, uint32_t n)
{
    return p->tmem || zl_attention_bytes(&p->ask) ? n == KEYS_LEAST || n == KEYS_BYTES : n % KEYS_STEP == 0;
}

/* By what forms are sorted: their time, and where DRAM, which all of them wait for, makes that the same, what blocks take. */
typedef struct form_rank {
    uint64_t ns, blocks;
} form_rank;

static form_rank rank_of(const zlay_attention_plan *p, const zl_attention_form *f)
{
    zlay_attention_terms terms;
    return (form_rank){zl_attention_form_terms(&terms, p, f), blocks_time(&terms, p, f)};
}

static bool is_behind(const form_rank *a, const form_rank *b)
{
    return a->ns != b->ns ? a->ns > b->ns : a->blocks > b->blocks;
}

/* Puts a form where it belongs by its rank, behind the first; equal ones in the order of the list. */
static void form_insert(zl_attention_form *out, form_rank *rank, uint32_t count, const zl_attention_form *f, form_rank own)
{
    uint32_t i = count;
    for (; i > 1 && is_behind(&rank[i - 1], &own); i--) out[i] = out[i - 1], rank[i] = rank[i - 1];
    out[i] = *f;
    rank[i] = own;
}

/* The i-th of all forms: rows, keys, stages and overlap count down in this order, the last of them fastest. */
static zl_attention_form form_at(uint32_t i)
{
    const uint32_t keys = (KEYS_MOST - KEYS_LEAST) / KEYS_STEP + 1, stages = STAGES_MOST - STAGES_LEAST + 1;
    zl_attention_form f = {.overlap = 1 - i % 2, .stages = STAGES_LEAST + i / 2 % stages, .tile_n = KEYS_MOST - i / 2 / stages % keys * KEYS_STEP,
                           .tile_m = ROWS_MOST - i / 2 / stages / keys * ZL_ATTENTION_COLUMNS};
    return f;
}

/* Whether a form is one that the request allows and the target has room for. */
static bool is_form(const zlay_attention_plan *p, const zl_attention_form *f)
{
    bool way = !p->tmem || (f->tile_m == ZL_ATTENTION_TMEM_ROWS && !f->overlap);
    return way && is_step(p, f->tile_n) && is_open(&p->ask, f) && fits(p, f);
}

/* Whether the known form comes first: no other takes less by more than the model errs, or the model was not fitted to such requests:
 * packed sequences, whose lengths it does not know, few queries, divided keys, and elements of 8 bits. */
static bool stays(const zlay_attention_plan *p, const zl_attention_form *known, const zl_attention_form *other, uint32_t count)
{
    const zlay_attention *a = &p->ask;
    if (count < 2 || a->sequences || a->splits > 1 || bytes_of(p) == 1 || zl_attention_mean(a, a->queries) <= QUERIES_FEW) return true;
    return zl_attention_form_time(p, other) >= zl_attention_form_time(p, known) / PERCENT * (PERCENT - MODEL_ERROR);
}

/* Puts the known form behind all that take less, at whose place it is left out. */
static void form_behind(const zlay_attention_plan *p, zl_attention_form *out, uint32_t count, const zl_attention_form *known)
{
    uint64_t own = zl_attention_form_time(p, known);
    uint32_t i = count - 1;
    for (; i && zl_attention_form_time(p, &out[i - 1]) > own; i--) out[i] = out[i - 1];
    out[i] = *known;
}

uint32_t zl_attention_forms(const zlay_attention_plan *p, zl_attention_form *out)
{
    form_rank rank[ZL_ATTENTION_FORMS + 1];
    zl_attention_form first = first_of(p);
    bool known = is_form(p, &first);
    uint32_t count = 1; /* place 0 is that of the first */
    out[0] = first;
    for (uint32_t i = 0; i < ZL_ATTENTION_FORMS; i++) {
        zl_attention_form f = form_at(i);
        bool same = known && !memcmp(&f, &first, sizeof f);
        if (!same && is_form(p, &f)) form_insert(out, rank, count++, &f, rank_of(p, &f));
    }
    if (known && stays(p, &first, &out[1], count)) return count;
    memmove(out, out + 1, (count - 1) * sizeof *out);
    if (known) form_behind(p, out, count, &first);
    return known ? count : count - 1;
}

static zlay_status fields_check(zlay_ctx *ctx, const zlay_attention_plan *p)
{
    const zlay_attention *a = &p->ask;
    uint32_t rows = p->tmem ? ZL_ATTENTION_TMEM_ROWS : ZL_ATTENTION_COLUMNS, most = p->tmem ? ZL_ATTENTION_TMEM_ROWS : ROWS_MOST;
    if (a->tile_m && (a->tile_m % rows || a->tile_m > most))
        return zl_fail(ctx, ZLAY_EINVAL, p->tmem ? "tile_m: %u is not 128, the rows of tensor memory" : "tile_m: %u is none of 64, 128, 192", a->tile_m);
    if (a->tile_n && (a->tile_n < KEYS_LEAST || a->tile_n > KEYS_MOST || !is_step(p, a->tile_n)))
        return zl_fail(ctx, ZLAY_EINVAL, is_step(p, KEYS_LEAST + KEYS_STEP) ? "tile_n: %u is no multiple of 16 in 64..256" : "tile_n: %u is neither 64 nor 128",
                       a->tile_n);
    if (a->stages && (a->stages < STAGES_LEAST || a->stages > STAGES_MOST))
        return zl_fail(ctx, ZLAY_EINVAL, "stages: %u is not in %d..%d", a->stages, STAGES_LEAST, STAGES_MOST);
    if (a->overlap < ZLAY_OVERLAP_AUTO || a->overlap > ZLAY_OVERLAP_ALWAYS)
        return zl_fail(ctx, ZLAY_EINVAL, "overlap: %d is none of auto, never, always", a->overlap);
    if (p->tmem && a->overlap == ZLAY_OVERLAP_ALWAYS)
        return zl_fail(ctx, ZLAY_ENOTSUP, "overlap: by tcgen05 other warps issue the products, which run beside every softmax");
    if (!a->tile_m || !a->tile_n) return ZLAY_OK;
    zl_attention_form f = first_of(p);
    uint64_t smem = zl_attention_form_smem(p, &f), capacity = zlay_smem_capacity(p->target);
    if (smem > capacity)
        return zl_fail(ctx, ZLAY_ENOTSUP, "tile_m, tile_n: %u x %u in %u stages need %llu bytes of shared memory; a block has %llu", f.tile_m, f.tile_n,
                       f.stages, (unsigned long long)smem, (unsigned long long)capacity);
    f.overlap = a->overlap == ZLAY_OVERLAP_ALWAYS;
    uint32_t need = zl_attention_form_registers(p, &f), has = p->tmem ? 0 : zl_attention_budgets[groups_of(p, f.tile_m)].consumer;
    if (need <= has) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ENOTSUP, "tile_m, tile_n: %u x %u need %u registers of a thread; of %u warpgroups one has %u", f.tile_m, f.tile_n, need,
                   groups_of(p, f.tile_m), has);
}

zlay_status zl_attention_forms_that_fit(zlay_ctx *ctx, const zlay_attention_plan *p, zl_attention_form *out, size_t *count)
{
    zlay_status status = fields_check(ctx, p);
    *count = status ? 0 : zl_attention_forms(p, out);
    if (status || *count) return status;
    return zl_fail(ctx, ZLAY_ENOTSUP, "tile_m, tile_n, stages, overlap: with these no tile fits a thread's registers and a block's shared memory; "
                                      "zlay_attention_candidates lists what does");
}

zlay_status zl_attention_tiles(zlay_ctx *ctx, zlay_attention_plan *p)
{
    zl_attention_form all[ZL_ATTENTION_FORMS + 1];
    size_t count;
    zlay_status status = zl_attention_forms_that_fit(ctx, p, all, &count);
    if (!status) zl_attention_form_take(p, &all[0]);
    return status;
}
