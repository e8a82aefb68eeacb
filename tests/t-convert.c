/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of conversions run on the machine of convert.h, and their maps compose. */
#include "convert_worlds.h"
#include "heap.h"

#include <zlay/decide.h>
#include <zlay/hier.h>
#include <zlay/json.h>

static const char *words(char text[256], const zlay_convert *plan)
{
    static const char *const names[] = {"?",        "nop",   "reg",  "prmt", "shfl", "ldmatrix",
                                        "stmatrix", "store", "sync", "load", "dsmem"};
    zlay_convert_step step;
    size_t length = 0;
    text[0] = 0;
    for (uint32_t i = 0; zlay_convert_at(&step, plan, i) == ZLAY_OK; i++)
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
         "shfl 4"},
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
    zlay_convert_info info;
    zlay_convert_step step;
    zlay_layout *all = NULL, *next, *back = NULL;
    zlay_answer answer;
    assert_int_equal(zlay_convert_get(&info, plan), ZLAY_OK);
    if (!info.bijective) return;
    for (uint32_t i = 0; i < info.steps; i++) {
        zlay_layout *map = NULL;
        assert_int_equal(zlay_convert_at(&step, plan, i), ZLAY_OK);
        if (step.op == ZLAY_CONVERT_SYNC) continue;
        if (zlay_convert_map(ctx, &map, plan, i, ZLAY_CONVERT_FORWARD))
            fail_msg("%s", zlay_ctx_message(ctx));
        if (!all) all = map;
        else {
            if (zlay_f2_compose(ctx, &next, all, map)) fail_msg("%s", zlay_ctx_message(ctx));
            zlay_layout_free(all);
            zlay_layout_free(map);
            all = next;
        }
    }
    if (zlay_f2_compose(ctx, &back, all, dst)) fail_msg("%s", zlay_ctx_message(ctx));
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
    zlay_convert_info info;
    zlay_convert_step step;
    assert_int_equal(zlay_convert_get(&info, plan), ZLAY_OK);
    t->plans++;
    t->level[info.level + 1]++;
    t->conflicts += info.smem && info.counted && !info.conflict_free;
    t->shuffled += info.rounds > 0;
    for (uint32_t i = 0; zlay_convert_at(&step, plan, i) == ZLAY_OK; i++)
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
        zlay_convert_info info;
        assert_int_equal(zlay_convert_get(&info, plan), ZLAY_OK);
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

/* ---- sizes that are no power of two ------------------------------------------------------ */

typedef struct tile {
    uint64_t size, extent[5];
    unsigned rank;
} tile;

/* Element e of a distribution in one of three orders, e below the size: the last warp, or lanes of
 * it, may be idle. */
static zlay_layout *distribution(zlay_ctx *ctx, uint64_t *seed, const tile *t)
{
    static const char *const orders[] = {"r + %u*l + %u*w", "l + 32*r + %u*w + 0*%u",
                                         "l + 32*w + %u*r + 0*%u"};
    unsigned how = (unsigned)test_range(seed, 0, 2), registers = 1u << test_range(seed, 0, 3);
    char form[64], text[512], shape[64], stride[64];
    if (!test_range(seed, 0, 2)) registers = (unsigned)test_range(seed, 1, 10);
    uint64_t warps = (t->size + 32 * registers - 1) / (32 * registers);
    if (warps > 8) registers *= (unsigned)(warps + 7) / 8;
    warps = (t->size + 32 * registers - 1) / (32 * registers);
    unsigned first = how == 0 ? registers : how == 1 ? 32 * registers : 32 * (unsigned)warps;
    snprintf(form, sizeof form, orders[how], first, how == 0 ? 32 * registers : 0);
    snprintf(text, sizeof text,
             "{ [r,l,w] -> [%s] : 0 <= r < %u and 0 <= l < 32 and 0 <= w < %u and %s < %u }", form,
             registers, (unsigned)warps, form, (unsigned)t->size);
    unsigned order[5], at = 0;
    uint64_t pitch[5], next = 1;
    for (unsigned i = 0; i < t->rank; i++) {
        order[i] = i;
        pitch[i] = next;
        next *= t->extent[i];
    }
    for (unsigned i = t->rank; i > 1; i--) {
        unsigned j = (unsigned)test_range(seed, 0, i - 1), was = order[i - 1];
        order[i - 1] = order[j];
        order[j] = was;
    }
    size_t a = 0, b = 0;
    for (; at < t->rank; at++) {
        a += (size_t)snprintf(shape + a, sizeof shape - a, "%s%llu", at ? "," : "(",
                              (unsigned long long)t->extent[order[at]]);
        b += (size_t)snprintf(stride + b, sizeof stride - b, "%s%llu", at ? "," : "(",
                              (unsigned long long)pitch[order[at]]);
    }
    char layout[160];
    snprintf(layout, sizeof layout, "%s):%s)", shape, stride);
    zlay_layout *places = read_layout(ctx, text), *tensor = read_layout(ctx, layout), *out = NULL;
    if (zlay_layout_compose(ctx, &out, tensor, places)) fail_msg("%s", zlay_ctx_message(ctx));
    zlay_layout_free(places);
    zlay_layout_free(tensor);
    return out;
}

static tile tile_of(uint64_t *seed)
{
    static const uint64_t sizes[] = {96, 80, 112, 1000, 320, 7, 360};
    tile t = {.size = sizes[test_range(seed, 0, 6)]};
    uint64_t left = t.size;
    unsigned most = (unsigned)test_range(seed, 1, 5);
    while (t.rank + 1 < most && left > 1) {
        uint64_t divisor = 2;
        while (left % divisor) divisor++;
        if (test_range(seed, 0, 1) && left % (divisor * 2) == 0) divisor *= 2;
        t.extent[t.rank++] = divisor;
        left /= divisor;
    }
    t.extent[t.rank++] = left;
    return t;
}

/* Lanes that turn, or swap, in every register alike: a shuffle for each register that moves, and
 * none for those that stay. */
static void odd_shuffles(void **state)
{
    static const struct {
        const char *src, *dst;
        uint32_t bits, rounds;
    } rows[] = {
        {"(3,32):(32,1)", "31 o (3,32):(32,-1)", 32, 3},
        {"(3,32,3):(32,1,96)", "95 o (3,32,3):(-32,-1,96)", 32, 3},
        {"(3,32):(32,1)", "{ [r,l] -> [32r + (l + 5*r) mod 32] : 0 <= r < 3 and 0 <= l < 32 }", 32,
         2},
        {"(3,32):(32,1)", "{ [r,l] -> [32r + (l + 5*r) mod 32] : 0 <= r < 3 and 0 <= l < 32 }", 64,
         4},
        {"(5,64):(64,1)", "{ [r,l] -> [64r + (63 - l)] : 0 <= r < 5 and 0 <= l < 64 }", 32, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *target = i == 4 ? "gfx942" : "sm_90a";
        zlay_layout *src = read_layout(*state, rows[i].src),
                    *dst = read_layout(*state, rows[i].dst);
        zlay_convert *plan = plan_of(*state, target, rows[i].bits, src, dst);
        zlay_convert_info info;
        machine m;
        assert_int_equal(zlay_convert_get(&info, plan), ZLAY_OK);
        assert_int_equal(info.level, ZLAY_CONVERT_LANE);
        assert_int_equal(info.rounds, rows[i].rounds);
        machine_begin(&m, target_of(target), rows[i].bits);
        run_plan(&m, *state, plan, src, dst);
        machine_end(&m);
        zlay_convert_free(plan);
        zlay_layout_free(src);
        zlay_layout_free(dst);
    }
}

/* Blocks that keep to themselves, each with tiles of sizes that are no power of two. */
static void odd_blocks(void **state)
{
    static const char *const pairs[][2] = {
        {"(3,32,2,2):(1,3,96,192)", "(3,32,2,2):(64,1,32,192)"},
        {"(5,32,1,4):(32,1,0,160)", "(5,32,1,4):(1,5,0,160)"},
        {"(3,32,2,2):(1,3,96,192)", "95 o (3,32,2,2):(-32,-1,96,192)"},
    };
    for (size_t i = 0; i < 3 * sizeof pairs / sizeof *pairs; i++) {
        zlay_layout *src = read_layout(*state, pairs[i % 3][0]);
        zlay_layout *dst = read_layout(*state, pairs[i % 3][1]);
        uint32_t bits = 8u << i / 3;
        zlay_convert *plan = plan_of(*state, "sm_90a", bits, src, dst);
        zlay_convert_info info;
        machine m;
        assert_int_equal(zlay_convert_get(&info, plan), ZLAY_OK);
        assert_true(info.smem > 0 && info.level < ZLAY_CONVERT_BLOCK && !info.remote);
        machine_begin(&m, target_of("sm_90a"), bits);
        run_plan(&m, *state, plan, src, dst);
        machine_end(&m);
        zlay_convert_free(plan);
        zlay_layout_free(src);
        zlay_layout_free(dst);
    }
}

/* A half, a quarter or less of the room that the tensor takes: as many trips, or none. */
static void several_trips(void **state)
{
    uint64_t seed = test_seed("several trips"), trips = 0, refused = 0;
    for (uint64_t i = 0; i < test_iterations(80); i++) {
        world w = {{(unsigned)test_range(&seed, 2, 5), 5, (unsigned)test_range(&seed, 1, 3), 0}, 0};
        uint32_t bits = 8u << test_range(&seed, 0, 3);
        uint64_t column[2][64];
        unsigned fewer = (unsigned)test_range(&seed, 1, 3);
        zlay_convert *plan;
        zlay_convert_info info;
        machine m;
        w.tensor = bits_of(&w);
        draw(&seed, column[0], w.tensor, w.tensor, i % 2 ? INVERTIBLE : PERMUTATION);
        memcpy(column[1], column[0], sizeof column[1]);
        shuffle(&seed, column[1], w.tensor);
        if (i % 4 > 1) column[1][w.tensor - 1] ^= column[1][0];
        zlay_layout *src = layout_of(*state, &w, column[0]), *dst = layout_of(*state, &w, column[1]);
        uint64_t bytes = (bits / 8) * ((uint64_t)1 << w.tensor);
        zlay_convert_request r = {.size = sizeof r, .elem_bits = bits, .src = src, .dst = dst,
                                  .smem = bytes >> fewer};
        zlay_status status = zlay_convert_synth(*state, &plan, target_of("sm_90a"), &r);
        assert_true(!status || status == ZLAY_ELIMIT);
        refused += status != 0;
        if (!status) {
            assert_int_equal(zlay_convert_get(&info, plan), ZLAY_OK);
            if (info.smem) assert_int_equal(info.trips, 1u << fewer);
            if (info.smem) assert_int_equal(info.smem, bytes >> fewer);
            trips += info.trips > 1;
            machine_begin(&m, target_of("sm_90a"), bits);
            run_plan(&m, *state, plan, src, dst);
            machine_end(&m);
        }
        zlay_convert_free(plan);
        zlay_layout_free(src);
        zlay_layout_free(dst);
    }
    printf("several trips: %llu plans, %llu refused\n", (unsigned long long)trips,
           (unsigned long long)refused);
    assert_true(trips > 0 && refused > 0);
}

/* A matrix of 4 rows of 28 along the warps, and along the registers: its rows end inside a warp, so
 * that no padding, skew or swizzle serves both; by colouring each access takes one wavefront. */
#define WRAPPED_SRC                                                                                \
    "{ [r,l,w] -> [4l + 17w - 111*floor((l + 4w)/28)] : 0 <= r < 1 and 0 <= l < 32 and "            \
    "0 <= w < 4 and l + 32w < 112 }"
#define WRAPPED_DST                                                                                \
    "{ [r,l,w] -> [17r + 4l - 111*floor((4r + l)/28)] : 0 <= r < 4 and 0 <= l < 32 and "            \
    "0 <= w < 1 and l + 32r < 112 }"

static void wrapped_rows(void **state)
{
    zlay_layout *src = read_layout(*state, WRAPPED_SRC), *dst = read_layout(*state, WRAPPED_DST);
    zlay_convert *plan = plan_of(*state, "sm_90a", 32, src, dst);
    zlay_convert_info info;
    machine m;
    assert_int_equal(zlay_convert_get(&info, plan), ZLAY_OK);
    assert_int_equal(info.conflict_free, 1);
    assert_int_equal(info.store, 4);
    assert_int_equal(info.load, 4);
    machine_begin(&m, target_of("sm_90a"), 32);
    run_plan(&m, *state, plan, src, dst);
    machine_end(&m);
    zlay_convert_free(plan);
    zlay_layout_free(src);
    zlay_layout_free(dst);
}

static void odd_sizes(void **state)
{
    static const char *const names[] = {"sm_90a", "sm_100a", "gfx942", "sm_80"};
    uint64_t seed = test_seed("odd sizes"), conflicts = 0, shared = 0, plans = 0, level[5] = {0};
    for (uint64_t i = 0; i < test_iterations(24); i++) {
        const char *target = names[i % 4];
        uint32_t bits = 8u << test_range(&seed, 0, 3);
        tile t = tile_of(&seed);
        zlay_layout *src = distribution(*state, &seed, &t);
        zlay_layout *dst = test_range(&seed, 0, 5) ? distribution(*state, &seed, &t) : NULL;
        zlay_convert *plan = plan_of(*state, target, bits, src, dst ? dst : src);
        zlay_convert_info info;
        machine m;
        machine_begin(&m, target_of(target), bits);
        run_plan(&m, *state, plan, src, dst ? dst : src);
        machine_end(&m);
        assert_int_equal(zlay_convert_get(&info, plan), ZLAY_OK);
        shared += info.counted && info.smem;
        conflicts += info.counted && info.smem && !info.conflict_free;
        level[info.level + 1]++;
        plans++;
        zlay_convert_free(plan);
        zlay_layout_free(src);
        zlay_layout_free(dst);
    }
    printf("odd sizes: %llu plans, levels nop %llu reg %llu lane %llu warp %llu, with conflicts "
           "%llu of %llu through shared memory\n",
           (unsigned long long)plans, (unsigned long long)level[0], (unsigned long long)level[1],
           (unsigned long long)level[2], (unsigned long long)level[3],
           (unsigned long long)conflicts, (unsigned long long)shared);
    assert_true(conflicts * 10 <= shared + 10);
}

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
        zlay_convert_info info;
        machine m;
        assert_int_equal(zlay_convert_get(&info, plan), ZLAY_OK);
        assert_int_equal(info.level, ZLAY_CONVERT_LANE);
        assert_int_equal(info.store, rows[i].rows);
        assert_int_equal(info.load, rows[i].rows);
        machine_begin(&m, target_of("sm_90a"), 32);
        run_plan(&m, *state, plan, src, dst);
        machine_end(&m);
        zlay_convert_free(plan);
        zlay_layout_free(src);
        zlay_layout_free(dst);
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
        for (uint32_t k = 0; zlay_convert_at(&step, plan, k) == ZLAY_OK; k++)
            if (step.op == ZLAY_CONVERT_LDMATRIX) load = step.name;
        assert_string_equal(load, rows[i].load);
        zlay_convert_free(plan);
        zlay_layout_free(src);
        zlay_layout_free(dst);
    }
}

/* The level is that of the normal forms of bijections, which know nothing of registers. */
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
        zlay_convert_info info;
        zlay_reach reach;
        for (int l = 0; l < LEVELS; l++)
            level[l] = (zlay_level){level_names[l], (uint64_t)1 << w.bits[l]};
        assert_int_equal(zlay_hier_level(*state, &reach, src, dst, level, LEVELS), ZLAY_OK);
        assert_int_equal(zlay_convert_get(&info, plan), ZLAY_OK);
        assert_int_equal(info.level, reach.level);
        zlay_convert_free(plan);
        zlay_layout_free(src);
        zlay_layout_free(dst);
    }
}

/* ---- requests that cannot be served ------------------------------------------------------ */

static void refusals(void **state)
{
    static const struct {
        const char *target, *src, *dst;
        uint32_t bits;
        uint64_t smem;
        zlay_status status;
        const char *says;
    } rows[] = {
        {"sm_90a", "(2,32):(1,2)", "(2,32):(1,4)", 32, 0, ZLAY_NONE,
         "no slot of src holds element"},
        {"sm_90a", "(3,32):(1,3)", "(3,32):(1,4)", 32, 0, ZLAY_NONE,
         "no slot of src holds element"},
        {"sm_90a", "(2,32):(1,2)", "(2,32):(1,2)", 12, 0, ZLAY_EINVAL, "elem_bits"},
        {"sm_90a", "(2,64):(1,2)", "(2,64):(1,2)", 32, 0, ZLAY_EINVAL, "64 lanes"},
        {"sm_90a", "(2,32,64):(1,2,64)", "(2,32,64):(1,2,64)", 32, 0, ZLAY_EINVAL, "64 warps"},
        {"sm_90a", "(2,32,1,32):(1,2,0,64)", "(2,32,1,32):(1,2,0,64)", 32, 0, ZLAY_EINVAL,
         "32 blocks"},
        {"sm_90a", "(1,32,1,1,2):(1,1,0,0,32)", "(1,32):(1,1)", 32, 0, ZLAY_EINVAL,
         "5 input dimensions"},
        {"sm_90a", "(4,32,4):(1,4,128)", "(4,32,4):(128,1,32)", 32, 2047, ZLAY_ELIMIT,
         "2048 bytes"},
        {"sm_90a", "(5,32,3):(1,5,160)", "(5,32,3):(96,1,32)", 32, 1919, ZLAY_ELIMIT,
         "480 elements"},
        {"sm_90a", "(64,32,32):(1,64,2048)", "(64,32,32):(1024,1,32)", 64, 0, ZLAY_ELIMIT,
         "524288 bytes"},
        {"sm_90a", "(2,N):(1,2)", "(2,32):(1,2)", 32, 0, ZLAY_ENOTSUP, "N"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_layout *src = read_layout(*state, rows[i].src),
                    *dst = read_layout(*state, rows[i].dst);
        zlay_convert_request r = {.size = sizeof r,
                                  .elem_bits = rows[i].bits,
                                  .src = src,
                                  .dst = dst,
                                  .smem = rows[i].smem};
        zlay_convert *plan = (void *)&r;
        zlay_status status = zlay_convert_synth(*state, &plan, target_of(rows[i].target), &r);
        if (status != rows[i].status || !strstr(zlay_ctx_message(*state), rows[i].says))
            fail_msg("row %zu: %s, %s", i, zlay_status_name(status), zlay_ctx_message(*state));
        assert_null(plan);
        zlay_layout_free(src);
        zlay_layout_free(dst);
    }
}

static zlay_status converted(zlay_ctx *ctx, void *request)
{
    zlay_convert *plan = NULL;
    zlay_status status = zlay_convert_synth(ctx, &plan, target_of("sm_90a"), request);
    zlay_convert_free(plan);
    return status;
}

/* Every allocation of a plan fails once, and nothing is lost. */
static void out_of_memory(void **state)
{
    static const char *const pairs[][2] = {
        {"(4,32,4):(1,4,128)", "(4,32,4):(128,1,32)"},
        {"(2,32):(1,2)", "(2,32):(32,1)"},
        {"(3,32,2):(1,3,96)", "(3,32,2):(64,1,32)"},
        {"(3,32):(32,1)", "31 o (3,32):(32,-1)"},
        {WRAPPED_SRC, WRAPPED_DST},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        heap h;
        zlay_ctx *ctx = heap_open(&h, NULL);
        zlay_layout *src = read_layout(ctx, pairs[i][0]), *dst = read_layout(ctx, pairs[i][1]);
        zlay_convert_request r = {.size = sizeof r, .elem_bits = 32, .src = src, .dst = dst};
        assert_int_equal(heap_fails_each(&h, ctx, converted, &r), ZLAY_OK);
        zlay_layout_free(src);
        zlay_layout_free(dst);
        heap_close(&h, ctx);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void as_json(void **state)
{
    static const struct {
        const char *request, *says;
    } rows[] = {
        {"{\"op\":\"convert.synth\",\"target\":\"sm_90a\",\"elem_bits\":32,\"src\":\"(2,2):(1,2)\","
         "\"dst\":\"(2,2):(2,1)\"}",
         "\"rounds\":1,\"rounds_least\":1,\"optimal\":true"},
        {"{\"op\":\"convert.synth\",\"target\":\"sm_90a\",\"elem_bits\":32,"
         "\"src\":{\"in\":[[\"register\",[[1]]],[\"lane\",[[2],[4]]]],\"out\":[[\"x\",8]]},"
         "\"dst\":{\"in\":[[\"register\",[[1]]],[\"lane\",[[4],[2]]]],\"out\":[[\"x\",8]]}}",
         "{\"op\":\"shfl\",\"map\":{\"in\":[[\"register\",[[1,0]]],[\"lane\",[[0,2],[0,1]]]],"
         "\"out\":[[\"register\",2],[\"lane\",4]]}"},
        {"{\"op\":\"convert.synth\",\"target\":\"sm_90a\",\"elem_bits\":32,\"src\":"
         "\"(2,32):(1,2)\",\"dst\":\"(2,32):(1,4)\"}",
         "{\"none\":\"dst: no slot of src holds element"},
        {"{\"op\":\"convert.synth\",\"target\":\"sm_90a\",\"elem_bits\":7,\"src\":\"8\",\"dst\":"
         "\"8\"}",
         "elem_bits: 7 is not 8, 16, 32 or 64"},
        {"{\"op\":\"convert.synth\",\"target\":\"sm_90a\",\"elem_bits\":32,\"src\":"
         "\"(4,32,4):(1,4,128)\",\"dst\":\"(4,32,4):(128,1,32)\",\"smem\":1024}",
         "2048 bytes of shared memory"},
    };
    static char answer[1 << 16];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_buf buf = {answer, sizeof answer, 0};
        assert_int_equal(zlay_json_call(*state, &buf, rows[i].request, strlen(rows[i].request)),
                         ZLAY_OK);
        if (!strstr(answer, rows[i].says)) fail_msg("%s: %s", rows[i].request, answer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand), cmocka_unit_test(permutations), cmocka_unit_test(invertible),
        cmocka_unit_test(copies), cmocka_unit_test(anything), cmocka_unit_test(odd_sizes),
        cmocka_unit_test(wrapped_rows), cmocka_unit_test(several_trips),
        cmocka_unit_test(odd_blocks), cmocka_unit_test(odd_shuffles), cmocka_unit_test(transposes),
        cmocka_unit_test(fragments), cmocka_unit_test(levels), cmocka_unit_test(refusals),
        cmocka_unit_test(as_json), cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
