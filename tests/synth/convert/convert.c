/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of conversions run on the machine of convert.h, and their maps compose: by hand, at random,
 * and for the goals that they are made for. */
#include "plans/convert_worlds.h"

#include <zlay/decide.h>

static const char *words(char text[256], const zlay_convert *plan)
{
    static const char *const names[] = {"?",        "nop",   "reg",  "prmt", "shfl", "ldmatrix",
                                        "stmatrix", "store", "sync", "load", "dsmem"};
    zlay_convert_step step;
    size_t length = 0;
    text[0] = 0;
    for (uint32_t i = 0; zlay_convert_step_nth(&step, plan, i) == ZLAY_OK; i++)
        length += (size_t)snprintf(text + length, 256 - length, "%s%s %u", i ? ", " : "",
                                   names[step.op], step.instructions);
    return text;
}

/* ---- by hand ----------------------------------------------------------------------------- */

/* What zlay/convert.h tells, and cases that anyone can follow. */
static void by_hand(void **state)
{
    static const struct {
        uint32_t bits;
        const char *src, *dst, *steps;
    } rows[] = {
        {32, "f2{register: (0,1); lane: (1,0) -> dim0: 2, dim1: 2}",
         "f2{register: (1,0); lane: (0,1) -> dim0: 2, dim1: 2}", "prmt 2, shfl 1, prmt 2"},
        {32, "f2{register: (1); lane: (2) (4) -> x: 8}", "f2{register: (1); lane: (2) (4) -> x: 8}",
         "nop 0"},
        {32, "f2{register: (1) (2); lane: (4) -> x: 8}", "f2{register: (2) (1); lane: (4) -> x: 8}",
         "reg 0"},
        {16, "f2{register: (1) (2); lane: (4) -> x: 8}", "f2{register: (2) (1); lane: (4) -> x: 8}",
         "prmt 2"},
        {32, "f2{register: (1); lane: (2) (4) -> x: 8}", "f2{register: (1); lane: (4) (2) -> x: 8}",
         "shfl 2"},
        {16, "f2{register: (1); lane: (2) (4) -> x: 8}", "f2{register: (1); lane: (4) (2) -> x: 8}",
         "shfl 1"},
        {64, "f2{register: (1); lane: (2) (4) -> x: 8}", "f2{register: (1); lane: (4) (2) -> x: 8}",
         "store 1, sync 1, load 1"}, /* four lanes of 16 bytes are one wavefront: 3 + 1 + 3 half cycles; four shuffles are 8 */
    };
    char text[256];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_layout *src = read_layout(*state, rows[i].src);
        zlay_layout *dst = read_layout(*state, rows[i].dst);
        zlay_convert *plan = plan_of(*state, "sm_90a", rows[i].bits, src, dst);
        assert_string_equal(words(text, plan), rows[i].steps);
        zlay_convert_free(plan);
        zlay_layout_free(src);
        zlay_layout_free(dst);
    }
}

/* ---- random layouts ---------------------------------------------------------------------- */

static void compose_forward(zlay_ctx *ctx, const zlay_convert *plan, const zlay_layout *src,
                            const zlay_layout *dst)
{
    zlay_convert_summary info;
    zlay_convert_step step;
    zlay_layout *all = NULL, *next, *back = NULL;
    zlay_answer answer;
    assert_int_equal(zlay_convert_info(&info, plan), ZLAY_OK);
    if (!info.bijective) return;
    for (uint32_t i = 0; i < info.steps; i++) {
        zlay_layout *map = NULL;
        assert_int_equal(zlay_convert_step_nth(&step, plan, i), ZLAY_OK);
        if (step.op == ZLAY_CONVERT_SYNC) continue;
        if (zlay_convert_map(ctx, &map, plan, i, ZLAY_CONVERT_FORWARD))
            fail_msg("%s", zlay_ctx_message(ctx));
        if (!all) all = map;
        else {
            if (zlay_f2_composition(ctx, &next, map, all)) fail_msg("%s", zlay_ctx_message(ctx));
            zlay_layout_free(all);
            zlay_layout_free(map);
            all = next;
        }
    }
    if (zlay_f2_composition(ctx, &back, dst, all)) fail_msg("%s", zlay_ctx_message(ctx));
    assert_int_equal(zlay_layout_equal(ctx, &answer, NULL, back, src), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    zlay_layout_free(all);
    zlay_layout_free(back);
}

/* Bytes that blocks want and do not hold, element by element. */
static uint64_t remote_bytes(const world *w, const uint64_t *src, const uint64_t *dst,
                             uint32_t bits)
{
    static uint8_t holder[1 << 20];
    unsigned count = bits_of(w), low = count - w->bits[3];
    uint64_t bytes = 0;
    for (int side = 0; side < 2; side++)
        for (uint64_t slot = 0; slot < (uint64_t)1 << count; slot++) {
            uint64_t element = 0;
            for (unsigned k = 0; k < count; k++)
                if (slot >> k & 1) element ^= side ? dst[k] : src[k];
            if (!side) holder[element] = (uint8_t)(slot >> low);
            else if (holder[element] != slot >> low) bytes += bits / 8;
        }
    return bytes;
}

static const char *const targets[] = {"sm_90a", "sm_90", "sm_100a", "sm_80", "gfx942", "gfx950"};

typedef struct tally {
    uint64_t plans, level[5], conflicts, shuffled, matrices;
} tally;

static void note(tally *t, const zlay_convert *plan)
{
    zlay_convert_summary info;
    zlay_convert_step step;
    assert_int_equal(zlay_convert_info(&info, plan), ZLAY_OK);
    t->plans++;
    t->level[info.level + 1]++;
    t->conflicts += info.smem && info.counted && !info.conflict_free;
    t->shuffled += info.rounds > 0;
    for (uint32_t i = 0; zlay_convert_step_nth(&step, plan, i) == ZLAY_OK; i++)
        t->matrices += step.op == ZLAY_CONVERT_LDMATRIX || step.op == ZLAY_CONVERT_STMATRIX;
}

/* log2 of the warps of 64 lanes with 32 registers of 64 bits that fill gfx942's 64 KiB. */
enum { GFX_WARPS = 2 };

static void convert_random(zlay_ctx *ctx, uint64_t *seed, int how, tally *t)
{
    const char *target = targets[test_range(seed, 0, how == ANY ? 5 : 1)];
    unsigned lanes = target[0] == 'g' ? 6 : 5;
    world w = {{(unsigned)test_range(seed, 0, 5), lanes, (unsigned)test_range(seed, 0, 3), 0}, 0};
    if (lanes == 6 && w.bits[2] > GFX_WARPS) w.bits[2] = GFX_WARPS;
    uint32_t bits = 8u << test_range(seed, 0, 3);
    uint64_t src_column[64], dst_column[64];
    machine m;
    if (!test_range(seed, 0, 3) && target[0] == 's' && strcmp(target, "sm_80"))
        w.bits[3] = (unsigned)test_range(seed, 1, 2);
    if (how >= ONTO && !test_range(seed, 0, 3)) w.bits[1] = (unsigned)test_range(seed, 0, lanes);
    w.tensor = bits_of(&w);
    if (w.tensor < 3) return;
    if (how >= ONTO) w.tensor -= (unsigned)test_range(seed, 0, w.tensor > 4 ? 4 : w.tensor - 1);
    if (w.tensor < 2) return;
    draw(seed, src_column, bits_of(&w), w.tensor, how == ANY ? ONTO : how);
    draw(seed, dst_column, bits_of(&w), w.tensor, how);
    keep_above(seed, &w, src_column, dst_column);
    zlay_layout *src = layout_of(ctx, &w, src_column), *dst = layout_of(ctx, &w, dst_column);
    zlay_convert *plan = plan_of(ctx, target, bits, src, dst);
    note(t, plan);
    machine_begin(&m, target_of(target), bits);
    run_plan(&m, ctx, plan, src, dst);
    compose_forward(ctx, plan, src, dst);
    if (how <= INVERTIBLE) {
        zlay_convert_summary info;
        assert_int_equal(zlay_convert_info(&info, plan), ZLAY_OK);
        assert_int_equal(info.remote, remote_bytes(&w, src_column, dst_column, bits));
    }
    machine_end(&m);
    zlay_convert_free(plan);
    zlay_layout_free(src);
    zlay_layout_free(dst);
}

static void run_many(zlay_ctx *ctx, const char *name, int how, uint64_t count)
{
    uint64_t seed = test_seed(name);
    tally t = {0};
    for (uint64_t i = 0; i < test_iterations(count); i++) convert_random(ctx, &seed, how, &t);
    printf("%s: %llu plans, levels nop %llu reg %llu lane %llu warp %llu block %llu, "
           "shuffled %llu, with ldmatrix or stmatrix %llu, with conflicts %llu\n",
           name, (unsigned long long)t.plans, (unsigned long long)t.level[0],
           (unsigned long long)t.level[1], (unsigned long long)t.level[2],
           (unsigned long long)t.level[3], (unsigned long long)t.level[4],
           (unsigned long long)t.shuffled, (unsigned long long)t.matrices,
           (unsigned long long)t.conflicts);
    assert_int_equal(how <= INVERTIBLE ? t.conflicts : 0, 0);
}

static void permutations(void **state) { run_many(*state, "permutations", PERMUTATION, 100); }
static void invertible(void **state) { run_many(*state, "invertible", INVERTIBLE, 100); }
static void copies(void **state) { run_many(*state, "copies", ONTO, 100); }
static void anything(void **state) { run_many(*state, "anything", ANY, 100); }

/* ---- goals ------------------------------------------------------------------------------- */

/* A 16 x 32 tile of fp32 in one warp, lane l with column l and with a row each: a wavefront a row
 * to store it and one to load it.  And a whole 32 x 32 one. */
static void transposes(void **state)
{
    static const struct {
        const char *src, *dst;
        uint64_t rows;
    } rows[] = {
        {"(16,32):(32,1)", "(16,(2,16)):(1,(16,32))", 16},
        {"(16,32):(32,1)", "(16,(16,2)):(1,(32,16))", 16},
        {"(32,32):(32,1)", "(32,32):(1,32)", 32},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_layout *src = read_layout(*state, rows[i].src),
                    *dst = read_layout(*state, rows[i].dst);
        zlay_convert *plan = plan_of(*state, "sm_90a", 32, src, dst);
        zlay_convert_summary info;
        assert_int_equal(zlay_convert_info(&info, plan), ZLAY_OK);
        assert_int_equal(info.level, ZLAY_CONVERT_LANE);
        assert_int_equal(info.store, rows[i].rows);
        assert_int_equal(info.load, rows[i].rows);
        run_once(*state, "sm_90a", 32, plan, src, dst);
    }
}

/* What registers hold of a row, 16 bytes of 16-bit elements, to mma.sync's fragment of A, and to
 * that of its transpose. */
static void fragments(void **state)
{
    static const char row[] = "f2{register: (0,1) (0,2) (0,4); lane: (0,8) (1,0) (2,0) (4,0) (8,0) "
                              "-> dim0: 16, dim1: 16}";
    static const struct {
        const char *dst, *load;
    } rows[] = {
        {"f2{register: (0,1) (8,0) (0,8); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> dim0: 16, dim1: "
         "16}",
         "ldmatrix.x4"},
        {"f2{register: (1,0) (8,0) (0,8); lane: (2,0) (4,0) (0,1) (0,2) (0,4) -> dim0: 16, dim1: "
         "16}",
         "ldmatrix.x4.trans"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_layout *src = read_layout(*state, row), *dst = read_layout(*state, rows[i].dst);
        zlay_convert *plan = plan_of(*state, "sm_90a", 16, src, dst);
        zlay_convert_step step;
        const char *load = "";
        for (uint32_t k = 0; zlay_convert_step_nth(&step, plan, k) == ZLAY_OK; k++)
            if (step.op == ZLAY_CONVERT_LDMATRIX) load = step.name;
        assert_string_equal(load, rows[i].load);
        zlay_convert_free(plan);
        zlay_layout_free(src);
        zlay_layout_free(dst);
    }
}

/* The level is that of the normal forms of bijections, which know nothing of registers. */
/* Lanes that src has not hold nothing: what they want is shuffled to them, where lanes below keep theirs. */
static void fewer_lanes(void **state)
{
    static const char *const pairs[][2] = {{"(2,16):(16,1)", "(1,32):(32,1)"}, {"(1,16):(1,1)", "(1,32):(0,0)"}, {"(4,8):(8,1)", "(1,32):(0,1)"}};
    for (size_t i = 0; i < 3; i++)
        for (uint32_t bits = 8; bits <= 64; bits *= 2) {
            zlay_layout *src = read_layout(*state, pairs[i][0]), *dst = read_layout(*state, pairs[i][1]);
            zlay_convert *plan = plan_of(*state, "sm_90a", bits, src, dst);
            zlay_convert_summary info;
            assert_int_equal(zlay_convert_info(&info, plan), ZLAY_OK);
            assert_int_equal(info.level, ZLAY_CONVERT_LANE);
            assert_true(info.rounds > 0 || info.smem > 0);
            run_once(*state, "sm_90a", bits, plan, src, dst);
        }
}

static void levels(void **state)
{
    uint64_t seed = test_seed("levels");
    for (uint64_t i = 0; i < test_iterations(200); i++) {
        world w = {{(unsigned)test_range(&seed, 0, 3), 5, (unsigned)test_range(&seed, 0, 3),
                    (unsigned)test_range(&seed, 0, 2)},
                   0};
        uint64_t column[2][64];
        w.tensor = bits_of(&w);
        draw(&seed, column[0], w.tensor, w.tensor, INVERTIBLE);
        draw(&seed, column[1], w.tensor, w.tensor, PERMUTATION);
        keep_above(&seed, &w, column[0], column[1]);
        zlay_layout *src = layout_of(*state, &w, column[0]),
                    *dst = layout_of(*state, &w, column[1]);
        zlay_convert *plan = plan_of(*state, "sm_90a", 32, src, dst);
        zlay_level level[LEVELS];
        zlay_convert_summary info;
        zlay_reach reach;
        for (int l = 0; l < LEVELS; l++)
            level[l] = (zlay_level){level_names[l], (uint64_t)1 << w.bits[l]};
        assert_int_equal(zlay_hier_level(*state, &reach, src, dst, level, LEVELS), ZLAY_OK);
        assert_int_equal(zlay_convert_info(&info, plan), ZLAY_OK);
        assert_int_equal(info.level, reach.level);
        zlay_convert_free(plan);
        zlay_layout_free(src);
        zlay_layout_free(dst);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand), cmocka_unit_test(permutations), cmocka_unit_test(invertible),
        cmocka_unit_test(copies), cmocka_unit_test(anything), cmocka_unit_test(transposes),
        cmocka_unit_test(fragments), cmocka_unit_test(fewer_lanes), cmocka_unit_test(levels),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
