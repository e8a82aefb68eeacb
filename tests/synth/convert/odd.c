/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions of sizes that are no power of two, on the machine of convert.h. */
#include "plans/convert_worlds.h"

#include <zlay/hier.h>

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
        zlay_convert_summary info;
        assert_int_equal(zlay_convert_info(&info, plan), ZLAY_OK);
        assert_int_equal(info.level, ZLAY_CONVERT_LANE);
        assert_int_equal(info.rounds, rows[i].rounds);
        run_once(*state, target, rows[i].bits, plan, src, dst);
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
        zlay_convert_summary info;
        assert_int_equal(zlay_convert_info(&info, plan), ZLAY_OK);
        assert_true(info.smem > 0 && info.level < ZLAY_CONVERT_BLOCK && !info.remote);
        run_once(*state, "sm_90a", bits, plan, src, dst);
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
        zlay_convert_summary info;
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
            assert_int_equal(zlay_convert_info(&info, plan), ZLAY_OK);
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

static void wrapped_rows(void **state)
{
    zlay_layout *src = read_layout(*state, WRAPPED_SRC), *dst = read_layout(*state, WRAPPED_DST);
    zlay_convert *plan = plan_of(*state, "sm_90a", 32, src, dst);
    zlay_convert_summary info;
    assert_int_equal(zlay_convert_info(&info, plan), ZLAY_OK);
    assert_int_equal(info.conflict_free, 1);
    assert_int_equal(info.store, 4);
    assert_int_equal(info.load, 4);
    run_once(*state, "sm_90a", 32, plan, src, dst);
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
        zlay_convert_summary info;
        machine m;
        machine_begin(&m, target_of(target), bits);
        run_plan(&m, *state, plan, src, dst ? dst : src);
        machine_end(&m);
        assert_int_equal(zlay_convert_info(&info, plan), ZLAY_OK);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_sizes), cmocka_unit_test(wrapped_rows),
        cmocka_unit_test(several_trips), cmocka_unit_test(odd_blocks),
        cmocka_unit_test(odd_shuffles),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
