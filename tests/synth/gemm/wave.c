/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
/* Plans of waves: the header's example by hand, certificates against arithmetic of the test's own, banks against the test's own
 * count of lanes, what is refused, and memory. */
#include "ctx.h"
#include "heap.h"
#include "plans/wave_gemm.h"

#include "pipe/language/pipe.h"
#include "synth/gemm/plan.h"

/* ---- by hand ----------------------------------------------------------------------------- */

static void by_hand(void **state)
{
    zlay_gemm gemm = wave_gemm(256, 256, 64);
    zlay_plan *plan = wave_plan(*state, "gfx942", &gemm);
    zlay_plan_summary info;
    zlay_wave_gemm w;
    assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
    assert_int_equal(zlay_plan_wave(&w, plan), ZLAY_OK);
    assert_int_equal(info.threads, 256);
    assert_int_equal(info.tile_m, 128);
    assert_int_equal(info.tile_n, 128);
    assert_int_equal(info.tile_k, 32);
    assert_int_equal(w.row_bytes, 64);
    assert_int_equal(w.swizzle_rows, 2);
    assert_int_equal(w.swizzle_bits, 2);
    assert_int_equal(w.read_products, 2);
    assert_int_equal(w.loads_a, 2);
    assert_int_equal(info.mma.k, 8);
    zlay_wave_launch launch;
    assert_int_equal(sizeof launch, 64);
    assert_int_equal(zlay_plan_launch(&launch, plan), ZLAY_OK);
    assert_int_equal(launch.grid[0] * launch.grid[1] * launch.grid[2], 4); /* 256 / 128, twice */
    assert_int_equal(launch.threads, 256);
    assert_int_equal(launch.smem, 2 * (128 + 128) * 64);
    assert_int_equal(launch.argument_bytes, 24);
    zlay_plan_free(plan);
}

/* ---- where elements are --------------------------------------------------------------------- */

static uint64_t value(const zlay_layout *layout, uint64_t index)
{
    int64_t v = -1;
    assert_int_equal(zlay_layout_eval(&v, 1, layout, index), ZLAY_OK);
    return (uint64_t)v;
}

/* The stage as the kernel's loads fill it: thread t's load j, at byte 16 t + 4096 j, brings the chunk that belongs there. */
static void loads_fill(const zlay_plan *plan, const zlay_wave_gemm *w, int32_t operand, uint32_t rows)
{
    const zlay_layout *smem = zlay_plan_smem(plan, operand);
    uint32_t chunks = w->row_bytes / 16;
    for (uint32_t piece = 0; piece < rows * chunks; piece++) {
        uint32_t row = piece / chunks, chunk = piece % chunks ^ (row / w->swizzle_rows & ((1u << w->swizzle_bits) - 1));
        for (uint32_t e = 0; e < 8; e++) assert_int_equal(value(smem, row + (uint64_t)rows * (8 * chunk + e)), 8 * piece + e);
    }
}

/* Two lanes that LDS serves together, from the published groups, are in different banks: of 32 banks (MI300X) eight lanes, of 64
 * (MI350X) sixteen; each lane takes four. */
static void lanes_apart(const zlay_wave_gemm *w, uint32_t banks)
{
    static const uint32_t eight[4][8] = {{0, 1, 2, 3, 20, 21, 22, 23}, {4, 5, 6, 7, 16, 17, 18, 19},
                                         {8, 9, 10, 11, 28, 29, 30, 31}, {12, 13, 14, 15, 24, 25, 26, 27}};
    static const uint32_t sixteen[2][16] = {{0, 1, 2, 3, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 26, 27},
                                            {4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 28, 29, 30, 31}};
    uint32_t together = banks / 4;
    for (uint32_t read = 0; read < w->reads; read++)
        for (uint32_t half = 0; half < 2; half++)
            for (uint32_t group = 0; group < 32 / together; group++) {
                uint64_t taken = 0;
                for (uint32_t i = 0; i < together; i++) {
                    uint32_t row = banks == 32 ? eight[group][i] : sixteen[group][i], chunk = 2 * read + half;
                    chunk ^= row / w->swizzle_rows & ((1u << w->swizzle_bits) - 1);
                    uint32_t at = (row * w->row_bytes + 16 * chunk) / 16 % together;
                    assert_false(taken >> at & 1);
                    taken |= 1ull << at;
                }
            }
}

static void certificates_hold(zlay_ctx *ctx, const zlay_plan *plan)
{
    const zlay_layout *a, *b;
    uint32_t count = 0;
    for (; zlay_plan_certificate(&a, &b, plan, count) == ZLAY_OK; count++) {
        zlay_answer answer = ZLAY_NO;
        assert_int_equal(zlay_layout_equal(ctx, &answer, NULL, a, b), ZLAY_OK);
        assert_int_equal(answer, ZLAY_YES);
        uint64_t size = zlay_layout_size(a);
        assert_int_equal(size, zlay_layout_size(b));
        for (uint64_t i = 0; i < size; i += 1 + i % 7) assert_int_equal(value(a, i), value(b, i));
    }
    assert_int_equal(count, 9);
}

static void tiles(void **state)
{
    static const uint32_t sides[][3] = {{0, 0, 0}, {64, 64, 32}, {64, 128, 64}, {128, 64, 64}, {256, 128, 32}, {128, 256, 32}, {64, 64, 128}};
    for (int t = 0; t < WAVE_TARGETS; t++)
        for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
            zlay_gemm gemm = wave_gemm(300, 200, 264);
            zlay_wave_gemm w;
            zlay_plan_summary info;
            gemm.tile_m = sides[i][0], gemm.tile_n = sides[i][1], gemm.tile_k = sides[i][2];
            zlay_plan *plan = wave_plan(*state, wave_targets[t], &gemm);
            assert_int_equal(zlay_plan_wave(&w, plan), ZLAY_OK);
            assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
            loads_fill(plan, &w, ZLAY_OPERAND_A, info.tile_m);
            loads_fill(plan, &w, ZLAY_OPERAND_B, info.tile_n);
            certificates_hold(*state, plan);
            if (t) lanes_apart(&w, t == 1 ? 32 : 64);
            assert_int_equal(w.read_wavefronts, !t ? ZLAY_WAVE_GEMM_UNKNOWN : t == 1 ? 8 : 4);
            assert_int_equal(w.direct, t == 2 && info.smem <= 65536);
            zlay_plan_free(plan);
        }
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void refused(void **state)
{
    static const struct {
        uint64_t m, n, k, lda, a_address;
        uint32_t tile_m, tile_k, stages;
        int32_t a_order;
        zlay_status status;
        const char *says;
    } cases[] = {
        {64, 64, 60, 0, 0, 0, 0, 0, 0, ZLAY_ENOTSUP, "k: 60"},
        {64, 64, 64, 68, 0, 0, 0, 0, 0, ZLAY_ENOTSUP, "lda: 68"},
        {64, 64, 64, 0, 8, 0, 0, 0, 0, ZLAY_ENOTSUP, "a_address: 8"},
        {64, 64, 64, 0, 0, 96, 0, 0, 0, ZLAY_EINVAL, "tile_m: 96"},
        {64, 64, 64, 0, 0, 0, 16, 0, 0, ZLAY_EINVAL, "tile_k: 16"},
        {64, 64, 64, 0, 0, 0, 0, 5, 0, ZLAY_EINVAL, "stages: 5"},
        {64, 64, 64, 0, 0, 0, 0, 0, ZLAY_ORDER_COLUMN, ZLAY_ENOTSUP, "A: K is not contiguous"},
        {64, 64, 64, 1 << 25, 0, 0, 0, 0, 0, ZLAY_ENOTSUP, "lda: 64 rows"},
        {128, 128, 64, 0, 0, 256, 128, 2, 0, ZLAY_NONE, "SMEM_BLOCK"},
        {0, 64, 64, 0, 0, 0, 0, 0, 0, ZLAY_EINVAL, "m: 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zlay_gemm gemm = wave_gemm(cases[i].m, cases[i].n, cases[i].k);
        zlay_plan *plan = (zlay_plan *)&gemm;
        gemm.lda = cases[i].lda, gemm.a_address = cases[i].a_address, gemm.tile_m = cases[i].tile_m;
        gemm.tile_k = cases[i].tile_k, gemm.stages = cases[i].stages, gemm.a_order = cases[i].a_order;
        assert_int_equal(zlay_gemm_synth(*state, &plan, wave_target("gfx942"), &gemm), cases[i].status);
        assert_null(plan);
        if (strncmp(zlay_ctx_message(*state), cases[i].says, strlen(cases[i].says))) fail_msg("%s", zlay_ctx_message(*state));
    }
}

/* What a plan of warpgroups answers, and one of waves to the others' questions. */
static void the_other_kind(void **state)
{
    zlay_gemm gemm = wave_gemm(128, 128, 64);
    zlay_plan *waves = wave_plan(*state, "gfx950", &gemm), *warps = wave_plan(*state, "sm_90a", &gemm);
    zlay_wave_gemm w = {.lanes = 7};
    zlay_tensormap map;
    zlay_smemdesc desc;
    zlay_copy copy;
    zlay_buf buf = {NULL, 0, 0};
    assert_int_equal(zlay_plan_wave(&w, warps), ZLAY_NONE);
    assert_int_equal(w.lanes, 7);
    assert_int_equal(zlay_plan_wave(NULL, waves), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_wave(&w, NULL), ZLAY_EINVAL);
    zlay_wave_launch launch;
    assert_int_equal(zlay_plan_launch(&launch, warps), ZLAY_NONE);
    assert_int_equal(zlay_plan_launch(NULL, waves), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_map(&map, waves, ZLAY_OPERAND_A), ZLAY_NONE);
    assert_int_equal(zlay_plan_desc(&desc, waves, ZLAY_OPERAND_A, 0, 0), ZLAY_NONE);
    assert_int_equal(zlay_plan_copy_nth(&copy, waves, ZLAY_OPERAND_A, 0), ZLAY_NONE);
    assert_null(zlay_plan_smem(waves, ZLAY_OPERAND_D));
    assert_int_equal(zlay_emit_ptx(*state, &buf, waves, "gemm", 4), ZLAY_ENOTSUP);
    assert_int_equal(zlay_emit_header(*state, &buf, waves, "gemm", 4), ZLAY_ENOTSUP);
    assert_int_equal(zlay_emit_assembly(*state, &buf, warps, "gemm", 4), ZLAY_ENOTSUP);
    assert_int_equal(zlay_emit_assembly(*state, &buf, waves, "9", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_assembly(*state, &buf, waves, "gemm", 4), ZLAY_EROOM);
    assert_true(buf.need > 1000);
    zlay_plan_free(waves);
    zlay_plan_free(warps);
}

/* ---- what the accumulators of the pipe hold -------------------------------------------------- */

/* The plan's table says of each accumulator what its name in the text says: fragments A0, A1, B0, B1, the sums C, loads G0..,
 * what the body makes of the sums R. */
static void sets_agree_with_names(const zlay_plan *plan)
{
    const zl_wave_sets *sets = &plan->wave.sets;
    assert_int_equal(sets->count, plan->pipe->accs_count);
    for (uint32_t i = 0; i < sets->count; i++) {
        char name[16];
        bool numbered = sets->at[i].operand != ZLAY_OPERAND_D && sets->at[i].operand != ZL_WAVE_RESULT;
        snprintf(name, sizeof name, numbered ? "%c%u" : "%c", "ABCGR"[sets->at[i].operand],
                 sets->at[i].number);
        assert_string_equal(plan->pipe->accs[i].name, name);
    }
}

/* A product's factors and sums are those of their operands; a load and what puts it away are of one kind. */
static void sets_agree_with_events(const zlay_plan *plan)
{
    const zl_wave_set *at = plan->wave.sets.at;
    for (uint32_t i = 0; i < plan->pipe->events_count; i++) {
        const zl_event *e = &plan->pipe->events[i];
        if (e->kind == ZL_EV_MMA) {
            assert_int_equal(at[e->acc_a].operand, ZLAY_OPERAND_A);
            assert_int_equal(at[e->acc_b].operand, ZLAY_OPERAND_B);
            assert_int_equal(at[e->acc].operand, ZLAY_OPERAND_D);
        }
        if (e->kind == ZL_EV_FETCH) assert_true(at[e->acc].operand == ZLAY_OPERAND_A || at[e->acc].operand == ZLAY_OPERAND_B);
        if (e->kind == ZL_EV_PUT || (e->kind == ZL_EV_LOAD && e->acc >= 0)) assert_int_equal(at[e->acc].operand, ZL_WAVE_LOADED);
    }
}

static void accumulators_hold_operands(void **state)
{
    static const uint64_t ks[] = {32, 64, 104, 1024};
    for (size_t target = 0; target < WAVE_TARGETS; target++)
        for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
            zlay_gemm gemm = wave_gemm(256, 384, ks[i]);
            zlay_plan *plan = wave_plan(*state, wave_targets[target], &gemm);
            sets_agree_with_names(plan);
            sets_agree_with_events(plan);
            zlay_plan_free(plan);
        }
}

static zlay_status planned(zlay_ctx *ctx, void *gemm)
{
    zlay_plan *plan = NULL;
    zlay_buf text = {calloc(1, WAVE_ROOM), WAVE_ROOM, 0};
    zlay_status status = zlay_gemm_synth(ctx, &plan, wave_target("gfx942"), gemm);
    assert_non_null(text.text);
    if (status) assert_null(plan);
    if (!status) status = zlay_emit_assembly(ctx, &text, plan, "gemm", 4);
    zlay_plan_free(plan);
    free(text.text);
    return status;
}

static void memory(void **state)
{
    (void)state;
    static const char body[] = "body f\nmatrix S f32\nmatrix R bf16\nscalar a f32\nglobal b f16\nindex i\nindex j\n"
                               "R = bf16(fma(S, a, f32(load(b, j + col))) - rowmax(S))\nend\n";
    for (int with = 0; with < 2; with++) {
        zlay_gemm gemm = wave_gemm(128, 128, 64);
        heap h;
        if (with) gemm.epilogue = body, gemm.epilogue_length = sizeof body - 1;
        zlay_ctx *ctx = heap_open(&h, NULL);
        assert_int_equal(heap_fails_each(&h, ctx, planned, &gemm), ZLAY_OK);
        heap_close(&h, ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand), cmocka_unit_test(tiles), cmocka_unit_test(refused),
        cmocka_unit_test(the_other_kind), cmocka_unit_test(accumulators_hold_operands), cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
