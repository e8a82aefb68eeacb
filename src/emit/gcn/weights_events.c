/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the events of the pipe of a product with weights of 4 bits in their order, each by its row; what the registers of an event
 * hold is read from the plan. A word of packed weights has those of 16 of k: masked, its four bytes are four numbers of the lane's
 * lower row, and shifted before of its upper row, which v_cvt_f32_ubyte reads in place. Whole numbers of few bits are exact in the
 * upper halves of f32, so that v_perm_b32 rounds nothing. */
#include "emit/gcn/weights.h"

#include <stdio.h>
#include <zlay/hazard.h>

enum { HALVES = 2, WORDS = 4, STEP_K = 16, SUMS = 4, ROWS = 2 /* of weights of a lane */, TEXT = 32, SETTLED = 64 };
enum { ROW_BYTES = 16 /* 8 columns behind */, STEPS = ZL_WEIGHTS_K / STEP_K, K_BYTES = 2 };

static uint32_t set_at(const zl_ww *a, uint32_t set) { return a->p->wave.set[set]; }

static uint32_t set_of(const zl_ww *a, int32_t acc)
{
    for (uint32_t i = 0; i < ZL_WW_SETS; i++)
        if (a->p->wave.acc[i] == acc) return i;
    return ZL_WW_SETS;
}

/* ---- loads --------------------------------------------------------------------------------- */

/* Moves a resource to the next step. */
static void advance(zl_ww *a, uint32_t tensor, uint64_t bytes)
{
    uint32_t s = zl_ww_resource(tensor);
    zl_wave_line(&a->t, "s_add_u32 s%u, s%u, 0x%llx", s, s, (unsigned long long)bytes);
    zl_wave_line(&a->t, "s_addc_u32 s%u, s%u, 0", s + 1, s + 1);
    zl_wave_line(&a->t, "s_sub_u32 s%u, s%u, 0x%llx", s + 2, s + 2, (unsigned long long)bytes);
}

/* Several loads at one offset, of registers side by side, from bytes `apart`. */
static void loads(zl_ww *a, zl_wave_form_id form, uint32_t set, uint32_t words, uint32_t at, uint32_t tensor, uint32_t apart)
{
    for (uint32_t i = 0; i < HALVES; i++)
        zl_wave_form(&a->t, form, (const uint32_t[]){set_at(a, set) + i * words, at, zl_ww_resource(tensor), 0, i * apart});
}

/* Of a step of 16 of k a lane has two times two neighbours, the second 8 behind the first. */
static void load_vectors(zl_ww *a)
{
    for (uint32_t block = 0; block < a->p->wave.blocks; block++)
        for (uint32_t i = 0; i < STEPS * HALVES; i++)
            zl_wave_form(&a->t, ZL_WAVE_LOAD_4,
                         (const uint32_t[]){set_at(a, ZL_WW_VECTORS) + block * STEPS * HALVES + i, ZL_WW_AT_A + block,
                                            zl_ww_resource(ZL_WW_A), 0, i * STEP_K / HALVES * K_BYTES});
}

static void load_print(zl_ww *a, const zl_event *e)
{
    const zlay_weights *w = &a->p->ask;
    uint32_t set = set_of(a, e->acc), tile = zl_weights_bytes(w->weights);
    switch (set) {
    case ZL_WW_LOADED:
        loads(a, ZL_WAVE_LOAD, set, WORDS, ZL_WW_AT_B, ZL_WW_B, tile / HALVES);
        advance(a, ZL_WW_B, tile);
        break;
    case ZL_WW_ZEROS:
        loads(a, ZL_WAVE_LOAD_2, set, 1, ZL_WW_AT_Z, ZL_WW_Z, ROW_BYTES);
        advance(a, ZL_WW_Z, w->lds * K_BYTES);
        break;
    case ZL_WW_SCALES:
        loads(a, ZL_WAVE_LOAD_8, set, HALVES, ZL_WW_AT_S, ZL_WW_S, ROW_BYTES);
        advance(a, ZL_WW_S, w->lds * K_BYTES);
        break;
    default:
        load_vectors(a);
        advance(a, ZL_WW_A, ZL_WEIGHTS_K * K_BYTES);
    }
}

/* ---- numbers ----------------------------------------------------------------------------------- */

/* What is subtracted of each row: the zero, and of s4, whose upper bit is inverted, 8. */
static void zeros(zl_ww *a)
{
    uint32_t from = set_at(a, ZL_WW_ZEROS), to = from + ROWS;
    for (uint32_t row = 0; a->p->ask.zeros && row < ROWS; row++) {
        zl_wave_line(&a->t, "v_lshlrev_b32 v%u, 16, v%u", to + row, from + row);
        if (a->p->ask.weights == ZLAY_TYPE_S4) zl_wave_line(&a->t, "v_add_f32 v%u, 0x41000000, v%u", to + row, to + row);
    }
}

/* Four numbers of one row of the bytes of v1: two registers, one of the lower, one of the upper 8 of k. */
static void numbers(zl_ww *a, uint32_t to, uint32_t row)
{
    uint32_t zero = set_at(a, ZL_WW_ZEROS) + ROWS + row, temp = ZL_GB_TEMP;
    bool plain = !a->p->ask.zeros && a->p->ask.weights == ZLAY_TYPE_U4;
    for (uint32_t i = 0; i < 4; i++) zl_wave_line(&a->t, "v_cvt_f32_ubyte%u v%u, v1", i, temp + i);
    for (uint32_t i = 0; !plain && i < 4; i++) zl_wave_line(&a->t, "v_sub_f32 v%u, v%u, v%u", temp + i, temp + i, zero);
    for (uint32_t j = 0; j < HALVES; j++)
        zl_wave_line(&a->t, "v_perm_b32 v%u, v%u, v%u, s%d", to + j, temp + 2 + j, temp + j, ZL_S_PAIR);
}

static void dequantise(zl_ww *a)
{
    zeros(a);
    for (uint32_t s = 0; s < STEPS; s++) {
        uint32_t word = set_at(a, ZL_WW_LOADED) + s, to = set_at(a, ZL_WW_WEIGHTS) + s * ROWS * HALVES;
        if (a->p->ask.weights == ZLAY_TYPE_S4) zl_wave_line(&a->t, "v_xor_b32 v%u, 0x88888888, v%u", word, word);
        zl_wave_line(&a->t, "v_and_b32 v1, 0xf0f0f0f, v%u", word);
        numbers(a, to, 0);
        zl_wave_line(&a->t, "v_lshrrev_b32 v1, 4, v%u", word);
        zl_wave_line(&a->t, "v_and_b32 v1, 0xf0f0f0f, v1");
        numbers(a, to + HALVES, 1);
    }
    a->vector_at = a->t.printed;
}

/* ---- products ------------------------------------------------------------------------------------ */

/* Elements of k of a step of 128; the last may have fewer. */
static uint32_t depth(const zl_ww *a)
{
    uint64_t rest = a->p->ask.k % ZL_WEIGHTS_K;
    return a->last && rest ? (uint32_t)rest : ZL_WEIGHTS_K;
}

/* What stands behind the end of a row of A becomes 0, where a product reads 8 elements of it: k is a multiple of 8. */
static void vectors_end(zl_ww *a)
{
    uint32_t count = depth(a) / (STEP_K / HALVES);
    for (uint32_t block = 0; count % HALVES && block < a->p->wave.blocks; block++)
        zl_wave_line(&a->t, "v_mov_b32 v%u, 0", set_at(a, ZL_WW_VECTORS) + block * STEPS * HALVES + count);
    if (count % HALVES) a->vector_at = a->t.printed;
}

/* Rows `row` of the weights by 16 rows of A: the sums are of D transposed, four columns side by side in a lane. */
static void product(zl_ww *a, uint32_t s, uint32_t row, uint32_t block)
{
    char sum[TEXT] = "0";
    uint32_t weights = set_at(a, ZL_WW_WEIGHTS) + (s * ROWS + row) * HALVES;
    uint32_t vectors = set_at(a, ZL_WW_VECTORS) + (block * STEPS + s) * HALVES;
    uint32_t d = set_at(a, ZL_WW_GROUP) + (row * a->p->wave.blocks + block) * SUMS;
    if (s) snprintf(sum, sizeof sum, "v[%u:%u]", d, d + SUMS - 1);
    zl_wave_line(&a->t, "%s v[%u:%u], v[%u:%u], v[%u:%u], %s", a->t.product_form.name, d, d + SUMS - 1, weights, weights + 1,
                 vectors, vectors + 1, sum);
    a->product_at = a->t.printed;
}

static void multiply_print(zl_ww *a, const zl_event *e)
{
    (void)e;
    vectors_end(a);
    zl_wave_hold(&a->t, ZLAY_FIRST_VALU, ZLAY_THEN_MATRIX_AB | ZLAY_THEN_MATRIX_C, a->vector_at);
    for (uint32_t s = 0; s * STEP_K < depth(a); s++)
        for (uint32_t i = 0; i < ROWS * a->p->wave.blocks; i++) product(a, s, i / a->p->wave.blocks, i % a->p->wave.blocks);
}

/* ---- sums -------------------------------------------------------------------------------------------- */

/* The upper half of a register is a number of f32 with the lower half cut. */
static void scales(zl_ww *a)
{
    uint32_t from = set_at(a, ZL_WW_SCALES), to = from + ROWS * HALVES;
    for (uint32_t i = 0; i < ROWS * SUMS; i++)
        zl_wave_line(&a->t, i % 2 ? "v_and_b32 v%u, 0xffff0000, v%u" : "v_lshlrev_b32 v%u, 16, v%u", to + i, from + i / 2);
}

static void promote(zl_ww *a)
{
    uint32_t blocks = a->p->wave.blocks, scale = set_at(a, ZL_WW_SCALES) + ROWS * HALVES;
    uint32_t sums = set_at(a, ZL_WW_SUMS), group = set_at(a, ZL_WW_GROUP);
    scales(a);
    zl_wave_hold(&a->t, ZLAY_FIRST_MATRIX, ZLAY_THEN_VALU_READS | ZLAY_THEN_VALU_WRITES, a->product_at);
    a->product_at = a->t.printed - SETTLED;
    for (uint32_t i = 0; i < ROWS * blocks * SUMS; i++)
        zl_wave_line(&a->t, "v_fma_f32 v%u, v%u, v%u, v%u", sums + i, group + i, scale + i / SUMS / blocks * SUMS + i % SUMS, sums + i);
    a->vector_at = a->t.printed;
}

static void begin(zl_ww *a)
{
    for (uint32_t i = 0; i < ROWS * a->p->wave.blocks * SUMS; i++) zl_wave_line(&a->t, "v_mov_b32 v%u, 0", set_at(a, ZL_WW_SUMS) + i);
}

/* The offset of four columns of the upper or lower row; outside of D where they are behind its last column. */
static uint32_t masked(zl_ww *a, uint32_t row, uint32_t at)
{
    char offset[ZL_GB_TEXT];
    if (a->p->ask.n % ZL_WEIGHTS_N == 0) return at;
    zl_wave_line(&a->t, "v_add_u32 v1, %u, v%d", row * ROW_BYTES, ZL_WW_AT_S);
    zl_wave_line(&a->t, "v_bfrev_b32 v2, 1");
    zl_gb_says(&a->gb, "v_cmp_gt_u32 vcc, %0, v1; v_cndmask_b32 v3, v2, %1, vcc",
               zl_gb_number((char[ZL_GB_TEXT]){0}, (uint32_t)(a->p->ask.n * K_BYTES)), zl_gb_vector(offset, at));
    return 3;
}

/* Four sums of one row of A, rounded and stored. */
static void store(zl_ww *a, uint32_t row, uint32_t block)
{
    char to[ZL_GB_TEXT], low[ZL_GB_TEXT], high[ZL_GB_TEXT];
    uint32_t result = set_at(a, ZL_WW_RESULT), from = set_at(a, ZL_WW_SUMS) + (row * a->p->wave.blocks + block) * SUMS;
    for (uint32_t i = 0; i < SUMS / 2; i++)
        zl_gb_says(&a->gb, zl_gb_narrow(a->p->target), zl_gb_vector(to, result + i), zl_gb_vector(low, from + 2 * i),
                   zl_gb_vector(high, from + 2 * i + 1));
    zl_wave_form(&a->t, ZL_WAVE_STORE_8,
                 (const uint32_t[]){result, masked(a, row, ZL_WW_AT_A + block), zl_ww_resource(ZL_WW_D), 0, row * ROW_BYTES});
}

static void send_print(zl_ww *a, const zl_event *e)
{
    (void)e;
    zl_ww_rows_of_d(a);
    for (uint32_t i = 0; i < ROWS * a->p->wave.blocks; i++) store(a, i % ROWS, i / ROWS);
}

/* Rounding stands with the stores, by the same registers for all. */
static void use_print(zl_ww *a, const zl_event *e)
{
    if (e->joined) return;
    switch (set_of(a, e->acc)) {
    case ZL_WW_SUMS: begin(a); break;
    case ZL_WW_WEIGHTS: dequantise(a); break;
    case ZL_WW_GROUP: promote(a); break;
    default: break;
    }
}

/* ---- the loop -------------------------------------------------------------------------------------------- */

static void loop_begin(zl_ww *a, const zl_event *e)
{
    (void)e;
    zl_wave_line(&a->t, "s_mov_b32 s%d, 0x%llx", ZL_S_LEFT, (unsigned long long)a->p->info.steps - 1);
    zl_wave_line(&a->t, "s_cmp_eq_u32 s%d, 0", ZL_S_LEFT);
    zl_wave_line(&a->t, "s_cbranch_scc1 .Lafter");
    zl_puts(a->t.out, ".Lloop:\n");
}

static void loop_end(zl_ww *a, const zl_event *e)
{
    (void)e;
    zl_wave_line(&a->t, "s_sub_u32 s%d, s%d, 1", ZL_S_LEFT, ZL_S_LEFT);
    zl_wave_line(&a->t, "s_cmp_lg_u32 s%d, 0", ZL_S_LEFT);
    zl_wave_line(&a->t, "s_cbranch_scc1 .Lloop");
    zl_puts(a->t.out, ".Lafter:\n");
    a->last = true;
}

/* ---- events ------------------------------------------------------------------------------------------------ */

static void wait_print(zl_ww *a, const zl_event *e) { zl_wave_wait(&a->t, e); }

static const struct {
    zl_event_kind kind;
    void (*print)(zl_ww *a, const zl_event *e);
} rows[] = {
    {ZL_EV_LOAD, load_print}, {ZL_EV_WAITCOUNT, wait_print}, {ZL_EV_MMA, multiply_print}, {ZL_EV_USE, use_print},
    {ZL_EV_FOR, loop_begin},  {ZL_EV_END, loop_end},         {ZL_EV_SEND, send_print},
};

static void event_print(zl_ww *a, const zl_event *e)
{
    for (size_t i = 0; i < ZL_COUNT(rows); i++)
        if (rows[i].kind == e->kind) {
            rows[i].print(a, e);
            return;
        }
    *a->t.refused = zl_forms[e->kind].word;
}

void zl_ww_events(zl_ww *a)
{
    const zlay_pipe *pipe = a->p->pipe;
    for (uint32_t i = pipe->roles[0].begin; i < pipe->roles[0].end; i++) event_print(a, &pipe->events[i]);
}
