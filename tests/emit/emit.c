/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and headers as text: names, room, and numbers in the text that come from the plan by
 * another road. */
#include "plans.h"

#include <stdbool.h>

enum { ROOM = 1 << 18, A = ZLAY_OPERAND_A, B = ZLAY_OPERAND_B, D = ZLAY_OPERAND_D };

typedef zlay_status emitter(zlay_ctx *, zlay_buf *, const zlay_plan *, const char *, size_t);

static emitter *const emitters[] = {zlay_emit_ptx, zlay_emit_header};

/* The text, which the caller frees. */
static char *text_of(emitter *emit, const zlay_plan *plan, const char *name)
{
    char *text = malloc(ROOM);
    assert_non_null(text);
    memset(text, 0x5a, ROOM);
    zlay_ctx *ctx = ctx_new();
    zlay_buf buf = {text, ROOM, 0};
    if (emit(ctx, &buf, plan, name, strlen(name))) fail_msg("%s", zlay_ctx_message(ctx));
    assert_int_equal(buf.need, strlen(text));
    zlay_ctx_free(ctx);
    return text;
}

static uint32_t count_of(const char *text, const char *word)
{
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word)) count++;
    return count;
}

static void check_count(const zlay_gemm *g, const char *text, const char *word, uint64_t want)
{
    uint32_t count = count_of(text, word);
    if (count != want)
        fail_msg("%s: %u times \"%s\", not %llu", gemm_text(g), count, word,
                 (unsigned long long)want);
}

/* ---- names ------------------------------------------------------------------ */

static void test_names_refused(void **state)
{
    static const struct {
        const char *text;
        size_t length;
    } names[] = {
        {"", 0}, {"9", 1}, {"a b", 3}, {"a-b", 3}, {"a.b", 3}, {"%tid", 4}, {"$a", 2}, {"a\n", 2},
        {"a\0b", 3}, {"\xc3\xa9", 2}, {"a\xff", 2}, {"int", 3}, {"class", 5}, {"main", 4},
        {"wgmma", 5}, {"add", 3}, {"_", 1}, {"ret;}//", 7},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 65}};
    zlay_gemm g = gemm_of(100, 200, 300);
    zlay_plan *plan = plan_of(&g);
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int e = 0; e < 2; e++) {
            char text[8] = "before";
            zlay_buf buf = {text, sizeof text, 77};
            if (emitters[e](ctx, &buf, plan, names[i].text, names[i].length) != ZLAY_EINVAL)
                fail_msg("emitter %d takes the name \"%s\"", e, names[i].text);
            assert_non_null(strstr(zlay_ctx_message(ctx), "name"));
            for (const char *c = zlay_ctx_message(ctx); *c; c++) assert_in_range(*c, 0x20, 0x7e);
            assert_string_equal(text, "before");
            assert_int_equal(buf.need, 77);
        }
    zlay_plan_free(plan);
}

/* Only `length` bytes are read; of the text, the name alone changes. */
static void test_names(void **state)
{
    static const char longest[] =
        "Zaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa9-";
    zlay_gemm g = gemm_of(100, 200, 300);
    zlay_plan *plan = plan_of(&g);
    zlay_ctx *ctx = *state;
    char *text = malloc(ROOM), *other = text_of(zlay_emit_ptx, plan, "q");
    zlay_buf buf = {text, ROOM, 0};
    assert_int_equal(zlay_emit_ptx(ctx, &buf, plan, longest, 64), ZLAY_OK);
    char *entry = strstr(text, ".visible .entry Z");
    assert_non_null(entry);
    assert_memory_equal(entry + 16, longest, 64);
    assert_int_equal(entry[80], '(');
    assert_int_equal(strlen(text), strlen(other) + 63);
    assert_memory_equal(text, other, (size_t)(entry + 16 - text));
    assert_string_equal(entry + 80, other + (entry + 17 - text));
    free(text);
    free(other);
    zlay_plan_free(plan);
}

static void test_nulls(void **state)
{
    zlay_gemm g = gemm_of(100, 200, 300);
    zlay_plan *plan = plan_of(&g);
    zlay_ctx *ctx = *state;
    zlay_buf buf = {NULL, 0, 0}, broken = {NULL, 10, 5};
    for (int e = 0; e < 2; e++) {
        assert_int_equal(emitters[e](NULL, &buf, plan, "g", 1), ZLAY_EINVAL);
        assert_int_equal(emitters[e](ctx, NULL, plan, "g", 1), ZLAY_EINVAL);
        assert_int_equal(emitters[e](ctx, &buf, NULL, "g", 1), ZLAY_EINVAL);
        assert_int_equal(emitters[e](ctx, &buf, plan, NULL, 1), ZLAY_EINVAL);
        assert_int_equal(emitters[e](ctx, &broken, plan, "g", 1), ZLAY_EINVAL);
        assert_int_equal(broken.need, 5);
        assert_int_equal(buf.need, 0);
    }
    zlay_plan_free(plan);
}

/* ---- room -------------------------------------------------------------------- */

static void check_room(emitter *emit, const zlay_plan *plan)
{
    zlay_ctx *ctx = ctx_new();
    char *whole = text_of(emit, plan, "g"), *text = malloc(ROOM);
    size_t need = strlen(whole);
    const size_t rooms[] = {0, 1, 100, need - 1, need};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        memset(text, 0x5a, ROOM);
        zlay_buf buf = {rooms[i] ? text : NULL, rooms[i], 0};
        assert_int_equal(emit(ctx, &buf, plan, "g", 1), ZLAY_EROOM);
        assert_int_equal(buf.need, need);
        for (size_t at = 0; at < need + 8; at++) assert_true(text[at] == 0x5a);
    }
    zlay_buf buf = {text, need + 1, 0};
    assert_int_equal(emit(ctx, &buf, plan, "g", 1), ZLAY_OK);
    assert_int_equal(buf.need, need);
    assert_string_equal(text, whole);
    assert_true(text[need + 1] == 0x5a);
    free(text);
    free(whole);
    zlay_ctx_free(ctx);
}

static void test_room(void **unused)
{
    (void)unused;
    zlay_gemm g = gemm_of(100, 200, 300);
    zlay_plan *plan = plan_of(&g);
    check_room(zlay_emit_ptx, plan);
    check_room(zlay_emit_header, plan);
    zlay_plan_free(plan);
}

/* ---- the text is the plan's ---------------------------------------------------- */

/* Another plan of the same request, another ctx, other memory, other texts between: the same text.
 */
static void test_same(void **unused)
{
    (void)unused;
    zlay_gemm other = gemm_of(1, 1, 1);
    zlay_plan *between = plan_of(&other);
    for (uint32_t i = 0; i < VARIED; i += 3)
        for (int e = 0; e < 2; e++) {
            zlay_gemm g = gemm_varied(i);
            zlay_plan *first = plan_of(&g);
            char *text = text_of(emitters[e], first, "g");
            zlay_plan_free(first);
            free(text_of(emitters[e], between, "another"));
            zlay_plan *second = plan_of(&g);
            char *again = text_of(emitters[e], second, "g"),
                 *twice = text_of(emitters[e], second, "g");
            assert_string_equal(text, again);
            assert_string_equal(text, twice);
            zlay_plan_free(second);
            free(text);
            free(again);
            free(twice);
        }
    zlay_plan_free(between);
}

/* The addresses of the matrices are arguments of the launch: only their alignment may show. */
static void test_addresses(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < VARIED; i += 5) {
        zlay_gemm g = gemm_varied(i), h = g;
        h.a_address = (uint64_t)3 << 40, h.b_address = (uint64_t)5 << 33,
        h.d_address = (uint64_t)7 << 21;
        zlay_plan *plans[2] = {plan_of(&g), plan_of(&h)};
        for (int e = 0; e < 2; e++) {
            char *text = text_of(emitters[e], plans[0], "g"),
                 *moved = text_of(emitters[e], plans[1], "g");
            assert_string_equal(text, moved);
            free(text);
            free(moved);
        }
        zlay_plan_free(plans[0]);
        zlay_plan_free(plans[1]);
    }
}

/* ---- instructions of a kernel ---------------------------------------------------- */

static bool by_kind(const zlay_plan *plan, int32_t operand, int32_t kind)
{
    return copy_of(plan, operand, 0).kind == kind;
}

/* Threads have their first K step before the loop, and one thread of tensor copies has none; a
 * consumer has two bodies. */
static void check_loads(const zlay_plan *plan, const zlay_gemm *g, const char *text)
{
    zlay_plan_summary i = info_of(plan);
    uint64_t bodies = i.full_count > 1 ? 2 : 1, tensor = 0, async = 0, plain = 0;
    for (int32_t o = 0; o < 2; o++) {
        zlay_copy c = copy_of(plan, o, 0);
        uint64_t accesses = c.width ? c.bytes / 128 / c.width : 1,
                 all = copies_of(plan, o) * accesses * bodies;
        *(c.kind == ZLAY_COPY_TENSOR_LOAD ? &tensor
          : c.kind == ZLAY_COPY_CP_ASYNC  ? &async
                                          : &plain) += all;
    }
    check_count(g, text, "cp.async.bulk.tensor.2d.shared::cluster.global", tensor);
    check_count(g, text, " cp.async.ca.shared.global", async);
    check_count(g, text, " st.shared.b16", plain);
    check_count(g, text, "cp.async.wait_group", async ? bodies : 0);
    check_count(g, text, "fence.proxy.async.shared::cta;",
                (i.full_count > 1 ? bodies : 0) +
                    (by_kind(plan, D, ZLAY_COPY_TENSOR_STORE) ? i.passes : 0));
}

static void check_epilogue(const zlay_plan *plan, const zlay_gemm *g, const char *text)
{
    zlay_plan_summary i = info_of(plan);
    zlay_copy c = copy_of(plan, D, 0);
    bool tensor = c.kind == ZLAY_COPY_TENSOR_STORE;
    uint64_t boxes = (uint64_t)i.passes * copies_of(plan, D);
    check_count(g, text, "cp.async.bulk.tensor.2d.global", tensor ? boxes : 0);
    check_count(g, text, "cp.async.bulk.commit_group", tensor ? i.passes : 0);
    check_count(g, text, "cp.async.bulk.wait_group.read 0", tensor ? i.passes + 1 : 0);
    check_count(g, text, " st.global.", tensor ? 0 : boxes * (c.bytes / 128 / c.width));
    check_count(g, text, "@wrap st.global.", tensor ? 0 : boxes * (c.bytes / 128 / c.width));
    check_count(g, text, "stmatrix.sync.aligned.m8n8.x4", i.mma.n / 16);
}

static void check_multiply(const zlay_plan *plan, const zlay_gemm *g, const char *text)
{
    char word[80];
    zlay_plan_summary i = info_of(plan);
    enum { BODIES = 2 }; /* before the loop and in it */
    snprintf(word, sizeof word, "wgmma.mma_async.sync.aligned.m64n%uk16.f32.bf16.bf16", i.tile_n);
    check_count(g, text, word, BODIES * i.k_steps);
    check_count(g, text, "wgmma.mma_async", BODIES * i.k_steps);
    snprintf(word, sizeof word, "}, da, db, 1, 1, 1, %d, %d;", i.mma.a_major, i.mma.b_major);
    check_count(g, text, word, BODIES * i.k_steps - 1);
    snprintf(word, sizeof word, "}, da, db, 0, 1, 1, %d, %d;", i.mma.a_major, i.mma.b_major);
    check_count(g, text, word, 1);
    snprintf(word, sizeof word, ".reg .b32 acc_C_<%u>", i.tile_n / 2);
    check_count(g, text, word, 1);
}

static void check_barriers(const zlay_plan *plan, const zlay_gemm *g, const char *text)
{
    char word[80];
    zlay_plan_summary i = info_of(plan);
    uint32_t warps = i.threads / 32, inits = (i.stages + warps - 1) / warps; /* each of a barrier of every warp */
    check_count(g, text, "mbarrier.init", 2 * inits);
    snprintf(word, sizeof word, "mbarrier.init.shared::cta.b64 [at], %u;", i.full_count);
    check_count(g, text, word, inits * (i.full_count == i.empty_count ? 2 : 1));
    snprintf(word, sizeof word, "mbarrier.init.shared::cta.b64 [at], %u;", i.empty_count);
    check_count(g, text, word, inits * (i.full_count == i.empty_count ? 2 : 1));
    snprintf(word, sizeof word, ".shared::cta.b64 _, [at], %u;", i.expect_bytes);
    check_count(g, text, word, i.full_count == 1);
    check_count(g, text, "expect_tx", !i.expect_bytes ? 0 : i.full_count > 1 ? 2 : 1);
    snprintf(word, sizeof word, "    .maxntid %u, 1, 1\n", i.threads);
    check_count(g, text, word, 1);
}

/* Which barrier the line before `at` makes the address of: 'f' or 'e'. The barriers of all stages that say a stage is full
 * lie before those that say it is empty. */
static char barrier_before(const zlay_plan *plan, const zlay_gemm *g, const char *text, const char *at)
{
    zlay_plan_summary i = info_of(plan);
    int lines = 0;
    while (at > text && lines < 2) lines += *--at == '\n';
    const char *number = at + 1 + strlen("    add.u32 at, at, ");
    if (!strncmp(at + 1, "    add.u32 at, smem, ", 22)) number += 2;
    else if (strncmp(at + 1, "    add.u32 at, at, ", 20))
        fail_msg("%s: no address before a barrier's instruction:%.80s", gemm_text(g), at);
    uint64_t from = strtoull(number, NULL, 10) - i.smem_bar;
    assert_true(from < 16 * i.stages);
    return from < 8 * i.stages ? 'f' : 'e';
}

/* A stage is published once and released once in every body, and by nobody else. */
static void check_arrivals(const zlay_plan *plan, const zlay_gemm *g, const char *text)
{
    zlay_plan_summary i = info_of(plan);
    uint32_t full = 0, empty = 0, bodies = 2;
    for (const char *at = text; (at = strstr(at, "mbarrier.")); at += 9) {
        const char *line = at;
        while (line[-1] != '\n') line--;
        if (strncmp(at, "mbarrier.arrive", 15)) continue;
        *(barrier_before(plan, g, text, line) == 'f' ? &full : &empty) += 1;
    }
    assert_int_equal(full, i.full_count == 1 ? 1 : bodies);
    assert_int_equal(empty, bodies);
    check_count(g, text, "@leader mbarrier.arrive.shared::cta.b64 _, [at];", bodies);
    check_count(g, text, "mbarrier.try_wait.parity",
                2 + (i.full_count == 1 ? 0 : bodies - 1) + bodies - 1);
}

/* PTX ISA, "Matrix-descriptor Encode": addresses without their last four bits, swizzle in bits
 * 62-63 as 3, 2, 1 for 32, 64, 128 bytes. The lower half is added to the address, the upper one stands above it. Nothing
 * reads the leading offset of an operand that is one row of the swizzle wide along M or N. */
static void check_desc(const zlay_plan *plan, const zlay_gemm *g, const char *text, int32_t operand)
{
    static const uint64_t codes[] = {0, 3, 2, 1};
    char word[80];
    zlay_smemdesc d;
    assert_int_equal(zlay_plan_desc(&d, plan, operand, 0, 0), ZLAY_OK);
    zlay_plan_summary i = info_of(plan);
    bool k_major = (operand == A ? i.mma.a_major : i.mma.b_major) == ZLAY_MAJOR_K;
    if (!k_major && (operand == A ? i.mma.m : i.mma.n) == 64) d.lbo = 16;
    uint64_t bits = d.start / 16 | (uint64_t)d.lbo / 16 << 16 | (uint64_t)d.sbo / 16 << 32 |
                    codes[d.swizzle] << 62;
    snprintf(word, sizeof word, "add.u32 base%d, base%d, %u;", operand, operand, (uint32_t)bits);
    check_count(g, text, word, 1);
    uint32_t high = 0;
    snprintf(word, sizeof word, "mov.b64 d%c, {", "ab"[operand]);
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        high += strtoull(strchr(at + strlen(word), ',') + 1, NULL, 10) == bits >> 32;
    assert_int_equal(high, 2 * i.k_steps);
}

/* What setmaxnreg gives to all warps is in the register file; PTX ISA: a multiple of 8 in 24..256.
 */
static void check_registers(const zlay_plan *plan, const zlay_gemm *g, const char *text)
{
    zlay_plan_summary i = info_of(plan);
    const char *dec = strstr(text, "setmaxnreg.dec.sync.aligned.u32 ");
    const char *inc = strstr(text, "setmaxnreg.inc.sync.aligned.u32 ");
    if (!dec && !inc && i.consumers == 1) return;
    assert_true(dec && inc);
    uint32_t less = (uint32_t)strtoul(dec + 32, NULL, 10),
             more = (uint32_t)strtoul(inc + 32, NULL, 10);
    assert_true(less % 8 == 0 && more % 8 == 0 && less >= 24 && more <= 256);
    if (128 * (less + i.consumers * more) > 65536)
        fail_msg("%s: %u and %u registers", gemm_text(g), less, more);
}

static void test_kernels(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < VARIED; i++) {
        zlay_gemm g = gemm_varied(i);
        zlay_plan *plan = plan_of(&g);
        char *text = text_of(zlay_emit_ptx, plan, "g");
        check_loads(plan, &g, text);
        check_epilogue(plan, &g, text);
        check_multiply(plan, &g, text);
        check_barriers(plan, &g, text);
        check_arrivals(plan, &g, text);
        check_desc(plan, &g, text, A);
        check_desc(plan, &g, text, B);
        check_registers(plan, &g, text);
        check_count(&g, text, ".version 8.0\n.target sm_90a\n", 1);
        check_count(&g, text, "{", count_of(text, "}"));
        free(text);
        zlay_plan_free(plan);
    }
}

/* The plans of these tests leave no path out. */
static void test_varied(void **unused)
{
    (void)unused;
    uint32_t kinds[3][6] = {{0}};
    for (uint32_t i = 0; i < VARIED; i++) {
        zlay_gemm g = gemm_varied(i);
        zlay_plan *plan = plan_of(&g);
        for (int32_t operand = 0; operand < 3; operand++)
            kinds[operand][copy_of(plan, operand, 0).kind]++;
        zlay_plan_free(plan);
    }
    for (int32_t operand = 0; operand < 2; operand++) {
        assert_true(kinds[operand][ZLAY_COPY_TENSOR_LOAD] > 4);
        assert_true(kinds[operand][ZLAY_COPY_CP_ASYNC] > 4);
        assert_true(kinds[operand][ZLAY_COPY_THREAD_LOAD] > 3);
    }
    assert_true(kinds[D][ZLAY_COPY_TENSOR_STORE] > 4);
    assert_true(kinds[D][ZLAY_COPY_THREAD_STORE] > 4);
}

/* ---- headers ------------------------------------------------------------------------ */

static void check_constant(const char *text, const char *what, uint64_t want)
{
    char word[80];
    snprintf(word, sizeof word, "uint32_t zl_g_%s = %llu;\n", what, (unsigned long long)want);
    if (count_of(text, word) != 1) fail_msg("no \"%s\"", word);
}

static void test_header(void **unused)
{
    (void)unused;
    for (uint32_t n = 0; n < VARIED; n++) {
        zlay_gemm g = gemm_varied(n);
        zlay_plan *plan = plan_of(&g);
        zlay_plan_summary i = info_of(plan);
        char *text = text_of(zlay_emit_header, plan, "g");
        const struct {
            const char *what;
            uint64_t value;
        } rows[] = {
            {"tile_m", i.tile_m}, {"tile_n", i.tile_n}, {"tile_k", i.tile_k},
            {"tiles_m", i.tiles_m}, {"tiles_n", i.tiles_n}, {"tiles_k", i.tiles_k},
            {"stages", i.stages}, {"threads", i.threads}, {"smem", i.smem}, {"smem_a", i.smem_a},
            {"pitch_a", i.pitch_a}, {"smem_b", i.smem_b}, {"pitch_b", i.pitch_b},
            {"smem_d", i.smem_d}, {"pitch_d", i.pitch_d}, {"smem_bar", i.smem_bar},
            {"expect_bytes", i.expect_bytes}, {"full_count", i.full_count},
            {"empty_count", i.empty_count}};
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
            check_constant(text, rows[r].what, rows[r].value);
        check_count(&g, text, "zl_g_load_a(", 1);
        check_count(&g, text, "zl_g_desc_b(", 1);
        check_count(&g, text, "zl_g_store_d(", by_kind(plan, D, ZLAY_COPY_TENSOR_STORE));
        free(text);
        zlay_plan_free(plan);
    }
}

/* What is left of a row in bytes passes 32 bits before its elements do: a kernel of such rows bounds the elements first,
 * and then takes bytes. Rows of one element less do not need it. */
static void test_long_rows(void **unused)
{
    (void)unused;
    static const struct {
        int32_t type;
        uint64_t k;
        const char *bound, *bytes; /* of one access */
        bool bounded;
    } rows[] = {
        {0, (1 << 30) - 2, "min.s32 x0, x0, 2;", "shl.b32 x0, x0, 1;", false},
        {0, (1 << 30) + 2, "min.s32 x0, x0, 2;", "shl.b32 x0, x0, 1;", true},
        {ZLAY_TYPE_TF32, (1 << 29) - 1, "min.s32 x0, x0, 1;", "shl.b32 x0, x0, 2;", false},
        {ZLAY_TYPE_TF32, (1 << 29) + 1, "min.s32 x0, x0, 1;", "shl.b32 x0, x0, 2;", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zlay_gemm g = gemm_of(64, 64, rows[i].k);
        g.type = rows[i].type;
        zlay_plan *plan = plan_of(&g);
        char *text = text_of(zlay_emit_ptx, plan, "gemm");
        uint32_t loads = 0;
        for (const char *at = text; (at = strstr(at, rows[i].bytes)); at++)
            loads += !strncmp(at - strlen(rows[i].bound) - 5, rows[i].bound, strlen(rows[i].bound));
        uint32_t each = count_of(text, rows[i].bytes);
        assert_true(each >= 2);
        assert_int_equal(loads, rows[i].bounded ? each : 0);
        free(text);
        zlay_plan_free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_refused), cmocka_unit_test(test_names),
        cmocka_unit_test(test_nulls),         cmocka_unit_test(test_room),
        cmocka_unit_test(test_same),          cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_kernels),       cmocka_unit_test(test_varied),
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_long_rows),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
