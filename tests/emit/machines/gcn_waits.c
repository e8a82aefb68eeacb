/* SPDX-License-Identifier: Apache-2.0 */
/* Small kernels whose every wait, barrier and nop is needed: the interpreter of tests/gcn runs them
 * right in all its schedules, and without any one of them, or with one that waits for less, wrong. */
#define _POSIX_C_SOURCE 200809L
#include "gcn/object.h"

enum { IN = 0x10000, OUT = 0x20000, ARGUMENTS = 0x30000, THREADS = 128, WORDS = 1024 };

static uint32_t in[WORDS], out[WORDS];

/* Every kernel begins with s[4:5] the input, s[6:7] the output, v1 the thread's byte, v3 that of the
 * thread at the other end, s[0:1] its arguments. */
#define BEGIN \
    "s_load_dwordx4 s[4:7], s[0:1], 0x0\n" \
    "v_lshlrev_b32 v1, 2, v0\n" \
    "v_sub_u32 v3, 508, v1\n" \
    "s_waitcnt lgkmcnt(0)\n"
#define STORE "global_store_dword v1, v5, s[6:7]\ns_endpgm\n"

typedef uint32_t result(uint32_t thread);

static uint32_t next(uint32_t t) { return in[t] + 1; }
static uint32_t both(uint32_t t) { return in[127 - t] + (in[255 - t] << 8); }
static uint32_t other(uint32_t t) { return in[127 - t]; }
static uint32_t sixteen(uint32_t t) { return (void)t, gcn_bits(16); }
static uint32_t greater(uint32_t t) { return in[t] > 50 ? 7 : 3; }
static uint32_t third(uint32_t t) { return in[t + 256] + 2 * in[t + 128] + 4 * in[t]; }
static uint32_t masked(uint32_t t) { return t < 100 ? in[t] : 9; }
static uint32_t at_first(uint32_t t) { return in[t % 64 + t / 64]; }
static uint32_t nine(uint32_t t) { return (void)t, 9; }
static uint32_t rounds(uint32_t t) { return 3 * (1 - t / 64) + 3; }

typedef struct kernel {
    gcn_target target;
    const char *text;
    result *expect;
    gcn_excuse excuses[3];
} kernel;

#define LDS_TWICE \
    BEGIN \
    "global_load_dword v2, v1, s[4:5]\n" \
    "global_load_dword v4, v1, s[4:5] offset:512\n" \
    "s_waitcnt vmcnt(1)\n" \
    "ds_write_b32 v1, v2\n" \
    "s_waitcnt lgkmcnt(0)\n" \
    "s_barrier\n" \
    "ds_read_b32 v5, v3\n" \
    "s_waitcnt lgkmcnt(0)\n" \
    "s_barrier\n" \
    "s_waitcnt vmcnt(0)\n" \
    "ds_write_b32 v1, v4\n" \
    "s_waitcnt lgkmcnt(0)\n" \
    "s_barrier\n" \
    "ds_read_b32 v6, v3\n" \
    "s_waitcnt lgkmcnt(0)\n" \
    "v_lshl_add_u32 v5, v6, 8, v5\n" \
    STORE

/* `load` to LDS of 4 bytes a lane, from v1. */
#define DIRECT(load) \
    BEGIN \
    "v_readfirstlane_b32 s8, v1\n" \
    "s_mov_b32 m0, s8\n" \
    "s_nop 0\n" \
    load \
    "s_waitcnt vmcnt(0)\n" \
    "s_barrier\n" \
    "ds_read_b32 v5, v3\n" \
    "s_waitcnt lgkmcnt(0)\n" \
    STORE

/* Ones by ones, twice; the second sum follows the first at once. */
#define PRODUCT(mfma, last, states) \
    BEGIN \
    "v_mov_b32 v8, 0x3f803f80\n" \
    "v_mov_b32 v9, v8\n" \
    "s_nop 1\n" \
    mfma " a[0:15], v[8:9], v[8:9], 0\n" \
    mfma " a[0:15], v[8:9], v[8:9], a[0:15]\n" \
    states \
    "v_accvgpr_read_b32 v5, a" last "\n" \
    STORE

#define RATIO(states) \
    BEGIN \
    "global_load_dword v2, v1, s[4:5]\n" \
    "v_mov_b32 v6, 3\n" \
    "s_waitcnt vmcnt(0)\n" \
    "v_cmp_lt_u32 vcc, 50, v2\n" \
    states \
    "v_cndmask_b32 v5, v6, 7, vcc\n" \
    STORE

static const kernel kernels[] = {
    {GCN_942, BEGIN "global_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\nv_add_u32 v5, 1, v2\n" STORE, next, {{0}}},
    {GCN_942, LDS_TWICE, both, {{0}}},
    {GCN_90A, DIRECT("global_load_dword v1, s[4:5] lds\n"), other, {{0}}},
    {GCN_942, DIRECT("global_load_lds_dword v1, s[4:5]\n"), other, {{0}}},
    {GCN_950, DIRECT("global_load_lds_dword v1, s[4:5]\n"), other, {{0}}},
    {GCN_90A, PRODUCT("v_mfma_f32_32x32x8bf16_1k", "0", "s_nop 15\ns_nop 2\n"), sixteen, {{0}}},
    {GCN_942, PRODUCT("v_mfma_f32_32x32x8_bf16", "15", "s_nop 10\n"), sixteen, {{0}}},
    {GCN_950, PRODUCT("v_mfma_f32_32x32x8_bf16", "7", "s_nop 11\n"), sixteen, {{0}}},
    {GCN_90A, RATIO(""), greater, {{0}}},
    {GCN_942, RATIO("s_nop 1\n"), greater, {{0}}},
    {GCN_950, RATIO("s_nop 1\n"), greater, {{0}}},
    /* Three loads in flight, waited for one by one. */
    {GCN_942, BEGIN "global_load_dword v2, v1, s[4:5]\nglobal_load_dword v4, v1, s[4:5] offset:512\n"
     "global_load_dword v6, v1, s[4:5] offset:1024\ns_waitcnt vmcnt(2)\nv_lshlrev_b32 v5, 1, v2\n"
     "s_waitcnt vmcnt(1)\nv_add_u32 v5, v5, v4\ns_waitcnt vmcnt(0)\nv_lshl_add_u32 v5, v5, 1, v6\n" STORE, third, {{0}}},
    /* Lanes below 100 load; the nop is there for nothing. */
    {GCN_942, BEGIN "v_mov_b32 v5, 9\nv_cmp_gt_u32 vcc, 0x64, v0\ns_and_saveexec_b64 s[10:11], vcc\n"
     "s_cbranch_execz none\nglobal_load_dword v5, v1, s[4:5]\ns_nop 0\nnone:\ns_mov_b64 exec, s[10:11]\ns_waitcnt vmcnt(0)\n" STORE,
     masked, {{"s_nop 0: missing", 1}}},
    /* A vector instruction gives an address in scalar registers: 5 states. */
    {GCN_942, BEGIN "v_readfirstlane_b32 s8, v1\ns_lshr_b32 s8, s8, 6\ns_add_u32 s8, s8, s4\ns_addc_u32 s9, s5, 0\n"
     "v_and_b32 v2, 0xff, v1\nv_mov_b32 v4, s8\ns_nop 0\nv_readfirstlane_b32 s12, v4\ns_mov_b32 s13, s9\n"
     "s_nop 3\nglobal_load_dword v5, v2, s[12:13]\ns_waitcnt vmcnt(0)\n" STORE, at_first, {{0}}},
    /* What a store of 16 bytes takes may not be written for two states. */
    {GCN_942, BEGIN "v_mov_b32 v8, 1\nv_mov_b32 v9, 1\nv_mov_b32 v10, 1\nv_mov_b32 v11, 1\nv_lshlrev_b32 v2, 2, v1\n"
     "global_store_dwordx4 v2, v[8:11], s[6:7] offset:2048\ns_nop 1\nv_mov_b32 v11, 9\nv_mov_b32 v5, v11\n" STORE,
     nine, {{0}}},
    /* A loop of three rounds, LDS in two stages; the wait for its arguments is another's, too. */
    {GCN_942, BEGIN "v_mov_b32 v5, 0\ns_mov_b32 s8, 0\n"
     "again:\nv_lshrrev_b32 v6, 6, v0\nv_add_u32 v6, v6, s8\ns_and_b32 s9, s8, 1\ns_lshl_b32 s9, s9, 9\n"
     "v_add_u32 v8, s9, v1\nds_write_b32 v8, v6\ns_waitcnt lgkmcnt(0)\ns_barrier\nv_xor_b32 v8, 0x100, v8\n"
     "ds_read_b32 v6, v8\ns_waitcnt lgkmcnt(0)\nv_add_u32 v5, v5, v6\ns_add_u32 s8, s8, 1\ns_cmp_lt_u32 s8, 3\n"
     "s_cbranch_scc1 again\n" STORE, rounds,
     {{"s_waitcnt lgkmcnt(0): missing", 1}, {"s_waitcnt lgkmcnt(0): lgkmcnt + 1", 1}}},
};

static bool runs_right_in(const gcn_code *code, const kernel *k, int schedules, gcn_past *past)
{
    static uint64_t arguments[2] = {IN, OUT};
    gcn_machine *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->code = code;
    m->threads[0] = THREADS, m->threads[1] = m->threads[2] = 1;
    m->kernarg = ARGUMENTS;
    gcn_add_memory(m, IN, in, sizeof in, false);
    gcn_add_memory(m, OUT, out, sizeof out, true);
    gcn_add_memory(m, ARGUMENTS, arguments, sizeof arguments, false);
    m->past = past;
    bool right = true;
    for (int i = 0; right && i < schedules && gcn_schedule_of(&m->schedule, i, 2, 1); i++) {
        memset(out, 0xee, sizeof out);
        gcn_run_group(m, 0, 0);
        right = !m->failed;
        for (uint32_t t = 0; t < THREADS; t++) right &= out[t] == k->expect(t);
    }
    if (getenv("GCN_SAY") && !right) printf("%s\n", m->failed ? m->fault : "wrong values");
    free(m);
    return right;
}

static bool runs_right(const gcn_code *code, void *test) { return runs_right_in(code, test, 1000, NULL); }

/* In one schedule, but barriers have to order what waves do in LDS: no less is seen. */
static bool is_ordered(const gcn_code *code, void *test)
{
    gcn_past *past = calloc(1, sizeof *past);
    assert_non_null(past);
    bool right = runs_right_in(code, test, 1, past);
    free(past);
    return right;
}

static void kernel_is_tight(const kernel *k)
{
    gcn_code code = gcn_assemble(k->target, k->text, NULL);
    code.kernel.properties = 8, code.kernel.rsrc2 = 2 << 1;
    code.kernel.lds = 4096;
    if (!runs_right(&code, (void *)(uintptr_t)k)) fail_msg("on %s it runs wrong:\n%s", gcn_target_name[k->target], k->text);
    gcn_toll toll = gcn_try_mistakes(&code, runs_right, (void *)(uintptr_t)k, 0, 1, NULL, k->excuses);
    if (toll.missed) fail_msg("%d of %d mistakes are not seen in\n%s", toll.missed, toll.tried, k->text);
    if (!is_ordered(&code, (void *)(uintptr_t)k)) fail_msg("no barrier orders\n%s", k->text);
    toll = gcn_try_mistakes(&code, is_ordered, (void *)(uintptr_t)k, 0, 1, NULL, k->excuses);
    if (toll.missed) fail_msg("%d mistakes are not seen in one schedule of\n%s", toll.missed, k->text);
    gcn_code_free(&code);
}

static void kernels_are_tight(void **state)
{
    (void)state;
    gcn_need_llvm("small kernels were run by nothing");
    for (uint32_t i = 0; i < WORDS; i++) in[i] = i * 37 % 101;
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) kernel_is_tight(&kernels[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_tight),
    };
    return cmocka_run_group_tests_name("gcn-waits", tests, NULL, NULL);
}
