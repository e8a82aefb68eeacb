/* SPDX-License-Identifier: Apache-2.0 */
/* Products of groups of rows on gfx targets: the text is assembled, linked and executed with lengths that no tile divides, with
 * groups of no rows, and with offsets that no caller may give. D is the exact sum, rounded, in each row of a group, stored once, and
 * untouched in every other; memory beside A, B, D and the offsets is a fault of the machine. Then what is refused. */
#define _DEFAULT_SOURCE
#include "gcn/typed.h"
#include "group_ctx.h"
#include "plans/groups.h"

#define TYPES(a, b, d) .a_type = ZLAY_TYPE_##a, .b_type = ZLAY_TYPE_##b, .d_type = ZLAY_TYPE_##d
#define EPILOGUE(text) .epilogue = text, .epilogue_length = sizeof text - 1
#define SCALED BYTES, .a_scales = ZLAY_SCALES_LINE, .b_scales = ZLAY_SCALES_BLOCK
#define BYTES TYPES(E4M3, E4M3, BF16)
enum { GROUPS = 16, BLOCK = 128, CANARY = 0xcd, OFFSETS_AT = 24, ON_950 = 1 << GCN_950, FLOAT8 = 1 << GCN_942 | ON_950, EVERYWHERE = (1 << GCN_TARGETS) - 1 };

/* Offsets lie across a multiple of 2^32. */
static const uint64_t offsets_address = ((uint64_t)5 << 32) - 8;

/* The last is examples/scaled_groups.body. */
static const char moved[] = "body moved\n  matrix S f32\n  matrix R bf16\n  global scale_a f32\n  index i\n  index j\n"
                            "  R = bf16(S * load(scale_a, i + row, 200))\nend\n";
static const char relu[] = "body relu\n  matrix S f32\n  matrix R bf16\n  R = bf16(max(S, 0))\nend\n";
static char both[1024];

/* Of rows and columns by an epilogue; of rows of A and blocks of B, and blocks of K. */
enum { ROWS, COLUMNS, ROWS_K, BLOCKS_K, FACTORS };

static uint64_t blocks_of(uint64_t extent) { return (extent + BLOCK - 1) / BLOCK; }

typedef struct product {
    typed t;
    zlay_gemm request;
    int32_t offsets[GROUPS + 1];
    float *factor[FACTORS];
} product;

/* Powers of two, so that sums stay exact. */
static float *factors(uint64_t count, uint64_t *random)
{
    static const float of[] = {0.5F, 1, 2, 4};
    float *all = malloc(count * sizeof *all);
    assert_non_null(all);
    for (uint64_t i = 0; i < count; i++) all[i] = of[test_random(random) % 4];
    return all;
}

/* gfx942 has floats of 8 bits without a negative zero. */
static int32_t type_on(gcn_target target, int32_t type)
{
    if (target != GCN_942) return type;
    return type == ZLAY_TYPE_E4M3 ? ZLAY_TYPE_E4M3_FNUZ : type == ZLAY_TYPE_E5M2 ? ZLAY_TYPE_E5M2_FNUZ : type;
}

static void make(product *p, gcn_target target, const zlay_gemm *request, uint64_t *random)
{
    *p = (product){.request = *request};
    zlay_gemm *r = &p->request;
    r->size = sizeof *r;
    if (r->epilogue == both) r->epilogue_length = strlen(both);
    r->a_type = type_on(target, r->a_type);
    r->b_type = type_on(target, r->b_type);
    const uint64_t count[FACTORS] = {r->m, r->n * r->groups, r->m * blocks_of(r->k), r->groups * blocks_of(r->n) * blocks_of(r->k)};
    for (int f = 0; f < FACTORS; f++) p->factor[f] = factors(count[f], random);
    int32_t a = r->a_type ? r->a_type : ZLAY_TYPE_BF16;
    const int32_t type[3] = {a, r->b_type ? r->b_type : a, r->d_type ? r->d_type : a};
    const typed_given given[] = {{"offsets", p->offsets, (r->groups + 1) * sizeof *p->offsets}, {"x_m", &r->m, 0}, {"x_n", &r->n, 0},
                                 {"read_scale_a", p->factor[ROWS], count[ROWS] * 4}, {"read_scale_b", p->factor[COLUMNS], count[COLUMNS] * 4},
                                 {"read_sa", p->factor[ROWS_K], count[ROWS_K] * 4}, {"read_sb", p->factor[BLOCKS_K], count[BLOCKS_K] * 4}};
    typed_make(&p->t, ctx, target, r, type, random, given, sizeof given / sizeof *given);
    gcn_machine *m = p->t.machine;
    for (int i = 0; i < m->memories; i++)
        if (m->memory[i].bytes == (uint8_t *)p->offsets) m->memory[i].at = offsets_address;
    memcpy(p->t.arguments + OFFSETS_AT, &offsets_address, sizeof offsets_address);
}

static void drop(product *p)
{
    for (int f = 0; f < FACTORS; f++) free(p->factor[f]);
    typed_free(&p->t);
}

/* Both scales of a block of K. */
static double scale_of(const product *p, uint32_t group, uint32_t row, uint32_t column, uint32_t k)
{
    const zlay_gemm *r = &p->request;
    double a = r->a_scales ? (double)p->factor[ROWS_K][k / BLOCK * r->m + row] : 1;
    return r->b_scales ? a * (double)p->factor[BLOCKS_K][(group * blocks_of(r->n) + column / BLOCK) * blocks_of(r->k) + k / BLOCK] : a;
}

/* What the body gets, and what it makes of it. */
static double value_of(const product *p, uint32_t group, uint32_t row, uint32_t column)
{
    const typed *t = &p->t;
    const char *body = p->request.epilogue;
    uint32_t of_b = group * (uint32_t)p->request.n + column;
    double sum = 0;
    for (uint32_t k = 0; k < t->a.columns; k++)
        sum += typed_at(&t->a, t->target, row, k) * typed_at(&t->b, t->target, of_b, k) * scale_of(p, group, row, column, k);
    if (body == relu) return fmax(sum, 0);
    if (body) sum *= (double)p->factor[ROWS][row];
    return body == both ? sum * (double)p->factor[COLUMNS][of_b] : sum;
}

/* Whether D[row, column] is what it must be, of a group; -1: no group. */
static bool right_at(const product *p, int32_t group, uint32_t row, uint32_t column)
{
    const typed *t = &p->t;
    uint32_t bytes = typed_bytes(t->d.type);
    const uint8_t *at = t->d.bytes + ((uint64_t)row * t->d.pitch + column) * bytes;
    if (group < 0) {
        for (uint32_t i = 0; i < bytes; i++)
            if (at[i] != CANARY) return false;
        return true;
    }
    double sum = value_of(p, (uint32_t)group, row, column);
    if (t->d.type == ZLAY_TYPE_BF16) {
        uint16_t near = gcn_nearest((float)sum);
        return !memcmp(at, &near, sizeof near);
    }
    return !(fabs(typed_at(&t->d, t->target, row, column) - sum) > 0);
}

/* Elements of D and of its padding that are not what they must be. */
static uint64_t wrong(const product *p)
{
    const zlay_gemm *r = &p->request;
    uint64_t count = 0;
    for (uint32_t row = 0; row < r->m; row++) {
        int32_t group = groups_of_row(p->offsets, r->groups, r->m, row);
        for (uint32_t column = 0; column < p->t.d.pitch; column++) count += !right_at(p, column < r->n ? group : -1, row, column);
    }
    return count;
}

static uint64_t bytes_of_groups(const product *p)
{
    uint64_t rows = 0, of[2];
    for (uint32_t g = 0; g < p->request.groups; g++) {
        groups_rows(of, p->offsets, g, p->request.m);
        rows += of[1] - of[0];
    }
    return rows * p->request.n * typed_bytes(p->t.d.type);
}

/* What is wrong after one launch, by more blocks than are planned; NULL: nothing. */
static const char *fault(product *p, const int32_t *offsets, int schedule)
{
    gcn_machine *m = p->t.machine;
    memcpy(p->offsets, offsets, (p->request.groups + 1) * sizeof *offsets);
    memset(p->t.d.bytes, CANARY, p->t.d.size);
    m->failed = false, m->stored = 0;
    assert_true(gcn_schedule_of(&m->schedule, schedule, (int)(p->t.info.threads / GCN_LANES), 7));
    for (uint32_t y = 0; y <= p->t.info.tiles_m && !m->failed; y++)
        for (uint32_t x = 0; x < p->t.info.tiles_n && !m->failed; x++) gcn_run_group(m, x, y);
    if (m->failed) return m->fault;
    if (wrong(p)) return "D is wrong";
    return m->stored == bytes_of_groups(p) ? NULL : "not every element is stored once";
}

static const struct {
    const char *what;
    uint32_t targets;
    zlay_gemm gemm;
    int32_t offsets[GROUPS + 1];
} rows[] = {
    {"all lengths", EVERYWHERE, {.m = 420, .n = 72, .k = 72, .tile_m = 64, .tile_n = 64, .groups = 7}, {5, 5, 6, 69, 133, 198, 398, 398}},
    {"tiles of 128 rows", EVERYWHERE, {.m = 420, .n = 136, .k = 40, .tile_m = 128, .tile_n = 64, .groups = 7}, {0, 0, 1, 64, 128, 193, 393, 420}},
    {"tiles of 256 rows", EVERYWHERE, {.m = 300, .n = 72, .k = 40, .tile_m = 256, .tile_n = 64, .groups = 3}, {0, 257, 257, 300}},
    {"what is planned, for few rows", EVERYWHERE, {.m = 150, .n = 131, .k = 200, .groups = 3}, {0, 65, 66, 150}},
    {"what is planned, for many", EVERYWHERE, {.m = 200, .n = 131, .k = 200, .groups = 1}, {1, 199}},
    {"as many tiles as there may be", EVERYWHERE, {.m = 67, .n = 8, .k = 8, .tile_m = 64, .groups = 4}, {0, 1, 2, 66, 67}},
    {"no rows", EVERYWHERE, {.m = 200, .n = 72, .k = 72, .groups = 4}, {7, 7, 7, 7, 7}},
    {"one row in all", EVERYWHERE, {.m = 1, .n = 1, .k = 8, .groups = 8}, {0, 0, 0, 0, 1, 1, 1, 1, 1}},
    {"pitches, rows of any bytes", EVERYWHERE, {.m = 140, .n = 73, .k = 72, .lda = 80, .ldb = 88, .ldd = 75, .groups = 3}, {0, 65, 66, 140}},
    {"f16, D in f32", EVERYWHERE, {.m = 140, .n = 72, .k = 72, TYPES(F16, F16, F32), .groups = 3}, {0, 65, 66, 140}},
    {"f32", EVERYWHERE, {.m = 70, .n = 35, .k = 36, TYPES(F32, F32, F32), .groups = 3}, {2, 67, 68, 70}},
    {"integers", EVERYWHERE, {.m = 140, .n = 72, .k = 80, TYPES(S8, S8, S32), .groups = 3}, {0, 65, 66, 140}},
    {"bytes", FLOAT8, {.m = 140, .n = 72, .k = 80, TYPES(E4M3, E5M2, BF16), .groups = 3}, {0, 65, 66, 140}},
    {"scales", FLOAT8, {.m = 420, .n = 136, .k = 272, SCALED, .tile_m = 64, .groups = 7}, {5, 5, 6, 69, 133, 198, 398, 420}},
    {"scales, tiles of 128 rows", FLOAT8, {.m = 200, .n = 264, .k = 144, SCALED, .tile_m = 128, .groups = 3}, {1, 2, 131, 200}},
    {"scales of A", FLOAT8, {.m = 140, .n = 72, .k = 272, BYTES, .a_scales = ZLAY_SCALES_LINE, .groups = 2}, {1, 66, 140}},
    {"scales of B, D in f32", FLOAT8, {.m = 140, .n = 136, .k = 272, TYPES(E5M2, E4M3, F32), .b_scales = ZLAY_SCALES_BLOCK, .groups = 2}, {1, 66, 140}},
    {"scales and a body", FLOAT8, {.m = 140, .n = 136, .k = 144, SCALED, .epilogue = both, .groups = 2}, {1, 66, 140}},
    {"four stages", ON_950, {.m = 140, .n = 72, .k = 264, .stages = 4, .tile_k = 32, .groups = 3}, {0, 65, 66, 140}},
    {"a body", EVERYWHERE, {.m = 140, .n = 72, .k = 72, EPILOGUE(relu), .groups = 3}, {0, 65, 66, 140}},
    {"factors of rows", EVERYWHERE, {.m = 200, .n = 136, .k = 72, EPILOGUE(moved), .tile_m = 64, .groups = 3}, {1, 66, 67, 200}},
    {"factors of rows and columns", EVERYWHERE, {.m = 200, .n = 136, .k = 72, .epilogue = both, .groups = 3}, {1, 66, 67, 200}},
};

static void values(void **state)
{
    uint64_t random = test_seed("gcn groups");
    (void)state;
    gcn_need_llvm("groups of gfx targets were run by nothing");
    for (gcn_target target = 0; target < GCN_TARGETS; target++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            product p;
            if (!(rows[i].targets >> target & 1)) continue;
            make(&p, target, &rows[i].gemm, &random);
            assert_int_equal(p.t.info.groups, rows[i].gemm.groups);
            for (int schedule = 0; schedule < 2; schedule++) {
                if (!test_exhaustive() && (int)((i + target) % 2) != schedule) continue; /* each for half of the rows */
                const char *what = fault(&p, rows[i].offsets, schedule);
                if (what) fail_msg("%s, %s: %s", gcn_target_name[target], rows[i].what, what);
            }
            drop(&p);
        }
}

/* Offsets that decrease, pass m or are negative: bounded, never outside, and each row has one group. */
static void hostile(void **state)
{
    static const zlay_gemm request = {.m = HOSTILE_ROWS, .n = 9, .k = 8, .tile_m = 64, .groups = HOSTILE_GROUPS};
    uint64_t random = test_seed("hostile gcn groups");
    int32_t o[HOSTILE_GROUPS + 1];
    (void)state;
    gcn_need_llvm("groups of gfx targets were run by nothing");
    for (gcn_target target = 0; target < GCN_TARGETS; target++) {
        product p;
        make(&p, target, &request, &random);
        for (uint32_t i = 0; groups_hostile(o, i, &random); i++) {
            const char *what = fault(&p, o, 0);
            if (what) fail_msg("%s, %d %d %d %d: %s", gcn_target_name[target], o[0], o[1], o[2], o[3], what);
        }
        drop(&p);
    }
}

/* Tiles, sizes, pitches and offsets of any kind. */
static zlay_gemm drawn_request(uint64_t *random)
{
    static const uint32_t tiles[][2] = {{0, 0}, {64, 64}, {128, 64}, {64, 128}, {256, 64}};
    const uint32_t *tile = tiles[test_range(random, 0, 4)];
    zlay_gemm r = {.tile_m = tile[0], .tile_n = tile[1], .groups = (uint32_t)test_range(random, 1, GROUPS)};
    r.m = (uint64_t)test_range(random, 1, 300), r.n = (uint64_t)test_range(random, 1, 200), r.k = (uint64_t)test_range(random, 1, 12) * 8;
    r.lda = r.k + 8 * (uint64_t)test_range(random, 0, 1), r.ldb = r.k + 8 * (uint64_t)test_range(random, 0, 2), r.ldd = r.n + (uint64_t)test_range(random, 0, 5);
    return r;
}

/* Ascending, but for some. */
static void drawn_offsets(int32_t offsets[GROUPS + 1], const zlay_gemm *r, uint64_t *random)
{
    int64_t at = 0, most = (int64_t)r->m;
    uint32_t one_in = (uint32_t)test_range(random, 3, 30);
    for (uint32_t i = 0; i <= r->groups; i++) {
        at = test_range(random, at, at + 2 * (most - at) / (r->groups + 1 - i));
        if (at > most) at = most;
        offsets[i] = (int32_t)(test_range(random, 1, one_in) == 1 ? test_range(random, -most, 2 * most) : at);
    }
}

static void drawn(void **state)
{
    uint64_t random = test_seed("drawn gcn groups"), count = test_iterations(test_hours() ? 200 : test_exhaustive() ? 60 : 6);
    (void)state;
    gcn_need_llvm("groups of gfx targets were run by nothing");
    for (uint64_t i = 0; i < count; i++) {
        gcn_target target = (gcn_target)(i % GCN_TARGETS);
        zlay_gemm r = drawn_request(&random);
        int32_t offsets[GROUPS + 1];
        product p;
        make(&p, target, &r, &random);
        for (int run = 0; run < 3; run++) {
            drawn_offsets(offsets, &r, &random);
            const char *what = fault(&p, offsets, run);
            if (what) fail_msg("%s, case %llu, %d %d ..: %s", gcn_target_name[target], (unsigned long long)i, offsets[0], offsets[1], what);
        }
        drop(&p);
    }
}

/* Whether a line is of the search, or takes what it found: the first row, the group, the rows that are left. What carries into the upper
 * half of an address is seen by gcn_groups_far.c. */
static bool finds(const gcn_code *code, int line)
{
    static const char *const results[] = {" s3,", " s11,", " s29,"};
    const char *text = code->line[line].text;
    bool behind = false;
    for (int i = 3; i <= line; i++) behind |= strstr(code->line[i - 3].text, "s_endpgm") != NULL;
    for (size_t i = 0; i < sizeof results / sizeof *results && behind; i++)
        if (strstr(text, results[i])) behind = strstr(text, "s_mul_hi") != NULL;
    return !behind;
}

/* What is left out of the text is seen: groups are read one by one, or eight at once. */
static void edits(void **state)
{
    static const uint32_t groups[] = {3, GROUPS}, lines[] = {32, 102};
    uint64_t random = test_seed("gcn groups edits");
    (void)state;
    gcn_need_llvm("groups of gfx targets were run by nothing");
    for (int kernel = 0; kernel < 2; kernel++) {
        const zlay_gemm r = {.m = 200, .n = 72, .k = 8, .ldd = 75, .tile_m = 64, .tile_n = 64, .groups = groups[kernel]};
        product p;
        uint32_t tried = 0;
        make(&p, GCN_942, &r, &random);
        gcn_code *code = &p.t.code;
        for (int i = gcn_find_line(code, "s_mov_b32 s11, 0"), last = gcn_find_line(code, "s_and_b32 s13"); i < last; i++) {
            bool seen = false;
            if (!finds(code, i)) continue;
            code->line[i].gone = true;
            for (int o = 0; !seen && o < 400; o++) {
                int32_t offsets[GROUPS + 1];
                drawn_offsets(offsets, &r, &random);
                seen = fault(&p, offsets, 0) != NULL;
            }
            code->line[i].gone = false;
            if (!seen) fail_msg("%u groups: without \"%s\" D is right", r.groups, code->line[i].text);
            tried++;
        }
        assert_int_equal(tried, lines[kernel]);
        drop(&p);
    }
}

/* ---- what is planned ------------------------------------------------------------------------------- */

/* A launch by hand: 4 groups of 2000 rows together have at most (2000 + 4 * 127) / 128 = 19 tiles of 128 rows. */
static void launches(void **state)
{
    static const char *const names[] = {"ptr_a", "ptr_b", "ptr_d", "offsets", "x_m", "x_n", "read_scale_a", "read_scale_b"};
    const zlay_gemm r = {.size = sizeof r, .m = 2000, .n = 520, .k = 64, .groups = 4, .epilogue = both, .epilogue_length = strlen(both)};
    zlay_plan *plan = wave_plan(ctx, "gfx942", &r);
    zlay_wave_launch launch;
    zlay_pipe_argument argument;
    uint32_t count = 0;
    (void)state;
    assert_int_equal(zlay_plan_launch(&launch, plan), ZLAY_OK);
    assert_int_equal(launch.grid[0], 5);
    assert_int_equal(launch.grid[1], 19);
    assert_int_equal(launch.argument_bytes, 56);
    for (; !zlay_plan_argument_nth(&argument, plan, count); count++) assert_string_equal(argument.name, names[count]);
    assert_int_equal(count, sizeof names / sizeof *names);
    zlay_plan_free(plan);
}

/* Few rows of each group have tiles of 64 rows. */
static void few_rows(void **state)
{
    (void)state;
    for (uint64_t m = 256; m <= 257; m++) {
        const zlay_gemm r = {.size = sizeof r, .m = m, .n = 520, .k = 64, .groups = 4};
        zlay_plan *plan = wave_plan(ctx, "gfx942", &r);
        zlay_plan_summary info;
        assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
        assert_int_equal(info.tile_m, m == 256 ? 64 : 128);
        zlay_plan_free(plan);
    }
}

static void refusals(void **state)
{
    static const char kept[] = "body kept\n matrix S f32\n matrix R bf16\n output o f32\n index i\n index j\n x = rowsum(S)\n store(o, i + row, 64, x)\n R = bf16(S)\nend\n";
    static const struct {
        const char *word;
        zlay_status status;
        zlay_gemm gemm;
    } bad[] = {
        {"ragged: k; then K is contiguous in neither A nor B, and waves (gfx942) load 16 bytes along K", ZLAY_ENOTSUP,
         {.groups = 2, .ragged = ZLAY_RAGGED_K, .a_order = ZLAY_ORDER_COLUMN, .b_order = ZLAY_ORDER_ROW}},
        {"ragged: k, of a product without groups", ZLAY_EINVAL, {.ragged = ZLAY_RAGGED_K}},
        {"ragged: 2 is neither rows nor k", ZLAY_EINVAL, {.groups = 2, .ragged = 2}},
        {"groups: 2147483648 is not in 1..2147483647", ZLAY_EINVAL, {.groups = 1u << 31}},
        {"groups: products with a_scales of 128x128, for groups begin at any row, have none", ZLAY_ENOTSUP, {.groups = 2, .type = ZLAY_TYPE_E4M3_FNUZ, .a_scales = ZLAY_SCALES_BLOCK}},
        {"groups: products with b_scales of 1x128 have none", ZLAY_ENOTSUP, {.groups = 2, .type = ZLAY_TYPE_E4M3_FNUZ, .b_scales = ZLAY_SCALES_LINE}},
        {"groups: products with d_scales have none", ZLAY_ENOTSUP, {.groups = 2, .d_type = ZLAY_TYPE_E4M3_FNUZ, .d_scales = ZLAY_SCALES_LINE}},
        {"split_k: plans of waves (gfx942) have none", ZLAY_ENOTSUP, {.groups = 2, .split_k = 2}},
        {"groups: a D that is column-major has none", ZLAY_ENOTSUP, {.groups = 2, .d_order = ZLAY_ORDER_COLUMN}},
        {"B: K is not contiguous", ZLAY_ENOTSUP, {.groups = 2, .b_order = ZLAY_ORDER_ROW}},
        {"A: K is not contiguous", ZLAY_ENOTSUP, {.groups = 2, .a_order = ZLAY_ORDER_COLUMN}},
        {"m: 1073741824; groups have fewer than 2^30 rows together", ZLAY_ENOTSUP, {.groups = 2, .m = 1 << 30}},
        {"groups: 2147483647 matrices of B pass 2^64 bytes", ZLAY_EOVERFLOW, {.groups = INT32_MAX, .n = 1 << 20, .ldb = 1 << 20}},
        {"stores values of rows, and rows behind a group are in its tiles", ZLAY_EINVAL, {.groups = 2, EPILOGUE(kept)}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zlay_gemm r = bad[i].gemm;
        zlay_plan *plan = NULL;
        r.size = sizeof r;
        if (!r.m) r.m = 128;
        if (!r.n) r.n = 128;
        r.k = 128;
        zlay_status status = zlay_gemm_synth(ctx, &plan, wave_target("gfx942"), &r);
        if (status != bad[i].status || !strstr(zlay_ctx_message(ctx), bad[i].word)) fail_msg("%s: %d, %s", bad[i].word, status, zlay_ctx_message(ctx));
        assert_null(plan);
    }
}

int main(void)
{
    FILE *file = fopen("examples/scaled_groups.body", "r");
    if (!file || !fread(both, 1, sizeof both - 1, file) || fclose(file)) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(hostile), cmocka_unit_test(drawn), cmocka_unit_test(edits),
                                       cmocka_unit_test(launches), cmocka_unit_test(few_rows), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests_name("gcn-groups", tests, open_ctx, close_ctx);
}
