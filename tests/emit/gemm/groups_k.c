/* SPDX-License-Identifier: Apache-2.0 */
/* Products of groups whose rows are elements of K, as weight gradients of experts: the PTX is executed with lengths that no step divides,
 * with groups of no rows, and with offsets that no caller may give. The matrix of each group is the exact sum, rounded, of its rows alone,
 * 0 where it has none; memory beside D and offsets beside the array are a fault of the machine. Then what is refused. */
#define _POSIX_C_SOURCE 200809L
#include "assembler.h"
#include "plans/groups.h"
#include "ptx/gemm.h"

#include <string.h>
#include <zlay/emit_pipe.h>

#define TYPES(a, b, d) .a_type = ZLAY_TYPE_##a, .b_type = ZLAY_TYPE_##b, .d_type = ZLAY_TYPE_##d
#define IN_K .ragged = ZLAY_RAGGED_K, .a_order = ZLAY_ORDER_COLUMN, .b_order = ZLAY_ORDER_ROW
enum { GROUPS = 8 };

static bool ran(const px_gemm *g, const int32_t *offsets) { return px_gemm_ran_groups(&machine, g, offsets, NULL); }

static double sum_of(const px_gemm *g, const uint64_t rows[2], uint64_t row, uint64_t column)
{
    double sum = 0;
    for (uint64_t k = rows[0]; k < rows[1]; k++)
        sum += (double)px_number(px_element(&g->a, row, k), g->a.type) * (double)px_number(px_element(&g->b, k, column), g->b.type);
    return sum;
}

/* Elements that are not what they must be: of D with its padding. */
static uint64_t wrong(const px_gemm *g, const int32_t *offsets)
{
    uint64_t count = 0, m = g->request.m;
    for (uint64_t i = 0; i < g->d.count; i++) {
        uint64_t row = i / g->d.pitch, column = i % g->d.pitch, rows[2];
        if (column >= g->request.n || row >= m * g->info.groups) {
            count += !px_gemm_untouched(&g->d, i);
            continue;
        }
        groups_rows(rows, offsets, row / m, g->request.k);
        uint32_t want = px_gemm_bits(g->d.type, sum_of(g, rows, row % m, column));
        count += memcmp(g->d.at + i * g->d.bytes, &want, g->d.bytes) != 0;
    }
    return count;
}

static const struct {
    const char *what;
    uint32_t blocks;
    zlay_gemm gemm;
    int32_t offsets[GROUPS + 1];
} rows[] = {
    {"all lengths", 3, {IN_K, .m = 72, .n = 80, .k = 420, .tile_m = 64, .tile_n = 64, .groups = 7}, {5, 5, 6, 69, 133, 198, 398, 398}},
    {"two consumers", 2, {IN_K, .m = 136, .n = 136, .k = 420, .tile_m = 128, .tile_n = 64, .groups = 7}, {0, 0, 1, 64, 128, 193, 393, 420}},
    {"what is planned", 4, {IN_K, .m = 200, .n = 264, .k = 300, .groups = 3}, {0, 129, 129, 300}},
    {"more blocks than tiles", 5, {IN_K, .m = 64, .n = 64, .k = 70, .tile_m = 64, .tile_n = 64, .groups = 2}, {3, 4, 5}},
    {"short steps", 2, {IN_K, .m = 72, .n = 136, .k = 140, .tile_m = 64, .tile_n = 64, .tile_k = 16, .groups = 3}, {0, 15, 49, 140}},
    {"no rows", 2, {IN_K, .m = 72, .n = 72, .k = 200, .groups = 4}, {7, 7, 7, 7, 7}},
    {"one row in all", 1, {IN_K, .m = 8, .n = 8, .k = 1, .groups = 8}, {0, 0, 0, 0, 1, 1, 1, 1, 1}},
    {"one group", 2, {IN_K, .m = 136, .n = 72, .k = 200, .groups = 1}, {1, 199}},
    {"pitches", 2, {IN_K, .m = 72, .n = 72, .k = 140, .lda = 80, .ldb = 88, .ldd = 80, .tile_m = 64, .tile_n = 64, .groups = 3}, {0, 65, 66, 140}},
    {"f16, D in f32", 2, {IN_K, .m = 72, .n = 72, .k = 140, TYPES(F16, F16, F32), .tile_m = 64, .tile_n = 64, .groups = 3}, {0, 65, 66, 140}},
};

static void values(void **state)
{
    uint64_t random = test_seed("groups of K");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        px_gemm g;
        px_gemm_make(&g, &rows[i].gemm, rows[i].blocks, &random);
        for (int when = PX_LATE; when <= PX_ANY_TIME; when++) {
            machine.when = (px_when)when;
            machine.turn = 9;
            machine.random = test_random(&random);
            if (!ran(&g, rows[i].offsets)) fail_msg("%s: %s", rows[i].what, machine.fault);
            uint64_t bad = wrong(&g, rows[i].offsets);
            if (bad) fail_msg("%s: %llu elements of D are wrong", rows[i].what, (unsigned long long)bad);
        }
        px_gemm_free(&g);
    }
}

/* Offsets that decrease, pass k or are negative: bounded, and each row has one group. */
static void hostile(void **state)
{
    uint64_t random = test_seed("hostile groups of K");
    int32_t o[HOSTILE_GROUPS + 1];
    px_gemm g;
    (void)state;
    px_gemm_make(&g, &(zlay_gemm){IN_K, .m = 72, .n = 72, .k = HOSTILE_ROWS, .tile_m = 64, .tile_n = 64, .tile_k = 16, .groups = HOSTILE_GROUPS}, 2, &random);
    machine.when = PX_ANY_TIME;
    for (uint32_t i = 0; groups_hostile(o, i, &random); i++) {
        if (!ran(&g, o)) fail_msg("%d %d %d %d: %s", o[0], o[1], o[2], o[3], machine.fault);
        if (wrong(&g, o)) fail_msg("%d %d %d %d: D is wrong", o[0], o[1], o[2], o[3]);
    }
    px_gemm_free(&g);
}

/* What is left out of the text is seen. */
static void edits(void **state)
{
    static const char *const lines[] = {"sub.u32 w0, tile, origin", "mov.u32 begins, ends", "mad.lo.u32 x2, group", "mad.lo.u32 x3, ends", "mad.lo.u32 x1, begins",
                                        "mad.lo.u32 x1, ends", "mad.lo.u32 x2, ends", "min.s32 ends", "max.s32 ends", "add.u32 trips_N, trips_N, 15",
                                        "atom.global.add", "st.global.b32 [gp], w0", "ld.shared.b32 taken", "mov.u32 tile, taken"};
    static const int32_t offsets[] = {3, 90, 88, 141};
    uint64_t random = test_seed("edits of groups of K");
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        px_gemm g;
        px_gemm_make(&g, &(zlay_gemm){IN_K, .m = 72, .n = 136, .k = 140, .tile_m = 64, .tile_n = 64, .tile_k = 16, .groups = 3}, 2, &random);
        machine.when = PX_EARLY;
        bool found = false;
        for (char *at = g.text; (at = strstr(at, lines[i])) != NULL; found = true) {
            while (at[-1] != '\n') at--;
            memset(at, ' ', (size_t)(strchr(at, '\n') - at));
        }
        if (!found) fail_msg("no line has \"%s\"", lines[i]);
        if (ran(&g, offsets) && !wrong(&g, offsets)) fail_msg("without \"%s\" D is right", lines[i]);
        px_gemm_free(&g);
    }
}

/* ptxas takes the kernels that are executed and a large one, without a word about spills or products that wait for each other. */
static void assembled(void **state)
{
    uint64_t random = test_seed("assembled groups of K");
    (void)state;
    need_assembler();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        px_gemm g;
        px_gemm_make(&g, &rows[i].gemm, 1, &random);
        if (!assembles_fast("sm_90a", g.text)) fail_msg("%s", rows[i].what);
        px_gemm_free(&g);
    }
}

static void refusals(void **state)
{
    static const char body[] = "body own\n matrix S f32\n matrix R bf16\n R = bf16(S)\nend\n";
    static const struct {
        const char *word;
        zlay_status status;
        zlay_gemm gemm;
    } bad[] = {
        {"ragged: k, of a product without groups", ZLAY_EINVAL, {IN_K}},
        {"ragged: 2 is neither rows nor k", ZLAY_EINVAL, {.groups = 2, .ragged = 2}},
        {"ragged: rows of K lie below each other in A and in B, and K is contiguous in A", ZLAY_ENOTSUP, {.groups = 2, .ragged = ZLAY_RAGGED_K}},
        {"ragged: rows of K lie below each other in A and in B, and K is contiguous in B", ZLAY_ENOTSUP,
         {.groups = 2, .ragged = ZLAY_RAGGED_K, .a_order = ZLAY_ORDER_COLUMN}},
        {"groups: products with an epilogue and k have none", ZLAY_ENOTSUP, {IN_K, .groups = 2, .epilogue = body, .epilogue_length = sizeof body - 1}},
        {"groups: products with scales and k have none", ZLAY_ENOTSUP, {IN_K, .groups = 2, .type = ZLAY_TYPE_E4M3, .a_scales = ZLAY_SCALES_LINE}},
        {"groups: products with swap have none", ZLAY_ENOTSUP, {IN_K, .groups = 2, .swap = ZLAY_SWAP_ALWAYS}},
        {"k: 1073741824; groups have fewer than 2^30 rows", ZLAY_ENOTSUP, {IN_K, .groups = 2, .k = 1 << 30}},
        {"groups: 2000000000 matrices of D pass 2^64 bytes", ZLAY_EOVERFLOW, {IN_K, .groups = 2000000000, .m = 1 << 20, .n = 1 << 20}},
        {"more than 2^31 - 1 tiles", ZLAY_ENOTSUP, {IN_K, .groups = 2000000000, .n = 4096}},
        {"the address or a row of D is no multiple of 16", ZLAY_ENOTSUP, {IN_K, .groups = 2, .n = 72, .ldd = 76}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zlay_gemm q = bad[i].gemm;
        if (!q.m) q.m = 64;
        if (!q.n) q.n = 128;
        if (!q.k) q.k = 256;
        gemm_refused("sm_90a", &q, bad[i].status, bad[i].word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),    cmocka_unit_test(hostile),  cmocka_unit_test(edits),
        cmocka_unit_test(assembled), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests_name("emit/gemm/groups_k", tests, open_ctx, close_ctx);
}
