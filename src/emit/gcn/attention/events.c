/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the events of the pipe of attention in their order, each by its row. What the registers of
 * an event hold is read from the plan. Keys are stored to shared memory as they were loaded; of
 * values four keys by four elements are transposed in registers first, so that what a lane reads is
 * four keys of one element, as the instruction takes them. */
#include "base/arith.h"
#include "emit/gcn/attention/attention.h"
#include "synth/wave/wave.h"

#include <stdio.h>
#include <zlay/hazard.h>

enum { CHUNK = 16, WORDS = CHUNK / 4, GRANULE = 4, HALF = 2, TEXT = 32 };
static uint32_t set_of(const zl_aw *a, int32_t acc)
{
    for (uint32_t i = 0; i < ZL_AW_SETS; i++)
        if (a->w->acc[i] == acc) return i;
    return ZL_AW_SETS;
}

/* The stage of an event, bytes from the block's first; stages of keys come before those of values. */
static void stage(zl_aw *a, const zl_event *e, int of)
{
    uint32_t s = ZL_AS_STAGE;
    zl_aw_position(a, s, &e->at[0]);
    zl_wave_line(&a->t, "s_and_b32 s%u, s%u, %u", s, s, a->p->info.stages - 1);
    zl_wave_line(&a->t, "s_mul_i32 s%u, s%u, 0x%x", s, s, a->w->smem[of]);
    if (of == ZL_VALUES)
        zl_wave_line(&a->t, "s_add_u32 s%u, s%u, 0x%x", s, s, a->p->info.stages * a->w->smem[ZL_KEYS]);
}

/* ---- memory ------------------------------------------------------------------------------- */

/* Moves a resource to the tile before. */
static void descend(zl_aw *a, uint32_t operand, uint64_t row)
{
    uint32_t s = zl_aw_resource(operand);
    unsigned long long bytes = a->p->info.tile_n * row * a->w->element;
    zl_wave_line(&a->t, "s_sub_u32 s%u, s%u, 0x%llx", s, s, bytes);
    zl_wave_line(&a->t, "s_subb_u32 s%u, s%u, 0", s + 1, s + 1);
    zl_wave_line(&a->t, "s_add_u32 s%u, s%u, 0x%llx", s + 2, s + 2, bytes);
}

static void load_queries(zl_aw *a)
{
    const zl_attention_wave *w = a->w;
    for (uint32_t r = 0; r < w->steps[ZL_KEYS]; r++)
        zl_wave_form(&a->t, ZL_WAVE_LOAD,
                     (const uint32_t[]){w->set[ZL_AW_QUERIES] + r * WORDS, w->query, zl_aw_resource(ZL_AS_Q), 0,
                                        zl_wave_read_element(w->keys, 0, r) * w->element});
}

static void load_print(zl_aw *a, const zl_event *e)
{
    const zl_attention_wave *w = a->w;
    uint32_t set = set_of(a, e->acc);
    if (set == ZL_AW_QUERIES) {
        load_queries(a);
        return;
    }
    bool keys = set == ZL_AW_KEYS_LOADED;
    uint32_t of = keys ? ZL_KEYS : ZL_VALUES, operand = keys ? ZL_AS_K : ZL_AS_V, words = keys ? WORDS : HALF;
    for (uint32_t i = 0; i < w->loads[of]; i++)
        zl_wave_form(&a->t, keys ? ZL_WAVE_LOAD : ZL_WAVE_LOAD_8,
                     (const uint32_t[]){w->set[set] + i * words, w->offset[of] + i, zl_aw_resource(operand), 0, 0});
    descend(a, operand, keys ? a->p->ask.k.row : a->p->ask.v.row);
}

static void put_keys(zl_aw *a, const zl_event *e)
{
    const zl_attention_wave *w = a->w;
    stage(a, e, ZL_KEYS);
    zl_wave_line(&a->t, "v_add_u32 v%u, s%d, v%u", w->at, ZL_AS_STAGE, w->write);
    for (uint32_t i = 0; i < w->loads[ZL_KEYS]; i++)
        zl_wave_form(&a->t, ZL_WAVE_WRITE,
                     (const uint32_t[]){w->at, w->set[ZL_AW_KEYS_LOADED] + i * WORDS, i * a->p->info.threads * CHUNK});
}

/* Register `to` = the halves of element `i` of two rows that were loaded. */
static void join(zl_aw *a, uint32_t to, uint32_t row, uint32_t i)
{
    uint32_t low = row + i / 2, high = row + HALF + i / 2;
    if (i % 2) zl_wave_line(&a->t, "v_perm_b32 v%u, v%u, v%u, s%d", to, high, low, ZL_S_PAIR);
    else zl_wave_line(&a->t, "v_and_b32 v%u, s%d, v%u", to, ZL_S_HALF, low);
    if (i % 2 == 0) zl_wave_line(&a->t, "v_lshl_or_b32 v%u, v%u, 16, v%u", to, high, to);
}

/* Four keys by four elements: granules of four keys, element by element, in the registers of bodies. */
static void transpose(zl_aw *a, uint32_t group)
{
    uint32_t from = a->w->set[ZL_AW_VALUES_LOADED] + group * GRANULE * HALF;
    for (uint32_t i = 0; i < GRANULE; i++)
        for (uint32_t pair = 0; pair < GRANULE / 2; pair++)
            join(a, a->w->values + i * HALF + pair, from + pair * 2 * HALF, i);
}

static void put_values(zl_aw *a, const zl_event *e)
{
    const zl_attention_wave *w = a->w;
    stage(a, e, ZL_VALUES);
    zl_wave_line(&a->t, "v_lshl_add_u32 v%u, v%u, 1, s%d", w->at, w->write, ZL_AS_STAGE);
    for (uint32_t group = 0; group < w->loads[ZL_VALUES] / GRANULE; group++) {
        transpose(a, group);
        for (uint32_t half = 0; half < 2; half++)
            zl_wave_form(&a->t, ZL_WAVE_WRITE,
                         (const uint32_t[]){w->at, w->values + half * WORDS,
                                            group * a->p->info.threads * 2 * CHUNK + half * CHUNK});
    }
}

static void put_print(zl_aw *a, const zl_event *e)
{
    if (set_of(a, e->acc) == ZL_AW_KEYS_LOADED) put_keys(a, e);
    else put_values(a, e);
}

/* Reads of a tile come in the order of its steps. */
static void fetch_print(zl_aw *a, const zl_event *e)
{
    const zl_attention_wave *w = a->w;
    uint32_t set = set_of(a, e->acc), of = set >= ZL_AW_VALUES ? ZL_VALUES : ZL_KEYS;
    uint32_t step = a->fetched[of]++ % w->steps[of], to = w->set[set];
    if (!step) stage(a, e, (int)of);
    zl_wave_line(&a->t, "v_add_u32 v%u, s%d, v%u", w->at, ZL_AS_STAGE, w->read[of] + (of == ZL_KEYS ? step : 0));
    for (uint32_t b = 0; b < w->blocks[of]; b++) {
        if (of == ZL_KEYS)
            zl_wave_form(&a->t, ZL_WAVE_READ,
                         (const uint32_t[]){to + b * WORDS, w->at, b * w->keys->info.block_bytes});
        else
            zl_wave_form(&a->t, ZL_WAVE_READ_8,
                         (const uint32_t[]){to + b * HALF, w->at,
                                            (step * w->mma.k * a->p->ask.head + b * w->mma.m * GRANULE) * w->element});
    }
}

static void wait_print(zl_aw *a, const zl_event *e) { zl_wave_wait(&a->t, e); }

static void sync_print(zl_aw *a, const zl_event *e)
{
    (void)e;
    zl_wave_form(&a->t, ZL_WAVE_BARRIER, NULL);
}

/* ---- products ------------------------------------------------------------------------------ */

/* One instruction: sums of block b of a set, from registers of both factors. */
static void product(zl_aw *a, uint32_t set, uint32_t block, const uint32_t factor[2], bool fresh)
{
    const zlay_mma *mma = &a->w->mma;
    uint32_t sums = mma->m * mma->n / a->w->lanes, d = a->w->set[set] + block * sums;
    uint32_t words = mma->m * mma->k / a->w->lanes * a->w->element / 4;
    zl_wave_hold(&a->t, ZLAY_FIRST_VALU, ZLAY_THEN_MATRIX_AB | ZLAY_THEN_MATRIX_C, a->vector_at);
    char sum[TEXT] = "0";
    if (!fresh) snprintf(sum, sizeof sum, "v[%u:%u]", d, d + sums - 1);
    zl_wave_line(&a->t, "%s v[%u:%u], v[%u:%u], v[%u:%u], %s", a->t.product_form.name, d, d + sums - 1, factor[0],
                 factor[0] + words - 1, factor[1], factor[1] + words - 1, sum);
    a->product_at = a->t.printed;
}

/* The scores of one read of keys, which has several instructions' K. */
static void scores(zl_aw *a, const zl_event *e)
{
    const zl_attention_wave *w = a->w;
    uint32_t step = a->multiplied[ZL_KEYS]++ % w->steps[ZL_KEYS], words = WORDS / w->keys->merged;
    for (uint32_t part = 0; part < w->keys->merged; part++)
        for (uint32_t b = 0; b < w->blocks[ZL_KEYS]; b++) {
            const uint32_t factor[] = {w->set[set_of(a, e->acc_a)] + b * WORDS + part * words,
                                       w->set[ZL_AW_QUERIES] + step * WORDS + part * words};
            product(a, ZL_AW_SCORES, b, factor, e->fresh && !part);
        }
}

/* The weights of a step are registers of the rounded scores as they stand. */
static void sums(zl_aw *a, const zl_event *e)
{
    const zl_attention_wave *w = a->w;
    uint32_t step = a->multiplied[ZL_VALUES]++ % w->steps[ZL_VALUES];
    for (uint32_t b = 0; b < w->blocks[ZL_VALUES]; b++) {
        const uint32_t factor[] = {w->set[set_of(a, e->acc_a)] + b * HALF, w->set[ZL_AW_WEIGHTS] + step * HALF};
        product(a, ZL_AW_SUMS, b, factor, false);
    }
}

static void multiply_print(zl_aw *a, const zl_event *e)
{
    if (set_of(a, e->acc) == ZL_AW_SCORES) scores(a, e);
    else sums(a, e);
}

/* ---- the loop ------------------------------------------------------------------------------ */

static void loop_begin(zl_aw *a, const zl_event *e)
{
    zl_aw_position(a, ZL_AS_STEP, &e->at[0]);
    zl_wave_line(&a->t, "s_cmp_ge_u32 s%d, s%d", ZL_AS_STEP, ZL_AS_COUNT);
    zl_wave_line(&a->t, "s_cbranch_scc1 .Lafter");
    zl_puts(a->t.out, ".Lloop:\n");
}

static void loop_end(zl_aw *a, const zl_event *e)
{
    (void)e;
    zl_wave_line(&a->t, "s_add_u32 s%d, s%d, 1", ZL_AS_STEP, ZL_AS_STEP);
    zl_wave_line(&a->t, "s_cmp_lt_u32 s%d, s%d", ZL_AS_STEP, ZL_AS_COUNT);
    zl_wave_line(&a->t, "s_cbranch_scc1 .Lloop");
    zl_puts(a->t.out, ".Lafter:\n");
}

/* ---- events ---------------------------------------------------------------------------------- */

static void send_print(zl_aw *a, const zl_event *e)
{
    (void)e;
    zl_aw_send(a);
}

static const struct {
    zl_event_kind kind;
    void (*print)(zl_aw *a, const zl_event *e);
} rows[] = {
    {ZL_EV_LOAD, load_print},      {ZL_EV_PUT, put_print},   {ZL_EV_FETCH, fetch_print},
    {ZL_EV_WAITCOUNT, wait_print}, {ZL_EV_SYNC, sync_print}, {ZL_EV_MMA, multiply_print},
    {ZL_EV_FOR, loop_begin},       {ZL_EV_END, loop_end},    {ZL_EV_SEND, send_print},
};

static void event_print(zl_aw *a, const zl_event *e)
{
    for (size_t i = 0; i < ZL_COUNT(rows); i++)
        if (rows[i].kind == e->kind) {
            rows[i].print(a, e);
            return;
        }
    *a->t.refused = zl_forms[e->kind].word;
}

void zl_aw_events(zl_aw *a)
{
    const zlay_pipe *pipe = a->p->pipe;
    for (uint32_t i = pipe->roles[0].begin; i < pipe->roles[0].end; i++) {
        if (pipe->events[i].kind == ZL_EV_USE) zl_aw_use(a, i);
        else event_print(a, &pipe->events[i]);
    }
}
