/* SPDX-License-Identifier: Apache-2.0 */
/* The choice among families of maps: fits exactly where each family's own question is answered, the one that takes least, and why not. */
#include "ctx.h"
#include "heap.h"
#include "plans/ragged_world.h"

#include <zlay/choose.h>

static zlay_ragged_map_request example(void)
{
    return (zlay_ragged_map_request){.size = sizeof(zlay_ragged_map_request), .rank = 2, .dim = 1, .copies = 3, .type = ZLAY_TYPE_BF16,
                                     .address = 1 << 20, .extent = {64, 4096}, .stride = {128}, .box = {64, 64},
                                     .swizzle = ZLAY_SWIZZLE_128B};
}

static zlay_choice chosen(zlay_ctx *ctx, const char *target, const zlay_ragged_map_request *t, uint64_t groups, uint64_t tiles)
{
    const zlay_choose_request r = {sizeof r, 0, t, groups, tiles};
    zlay_choice choice;
    if (zlay_ragged_choose(ctx, &choice, target_of(target), &r)) fail_msg("%s", zlay_ctx_message(ctx));
    return choice;
}

static void by_hand(void **state)
{
    zlay_ragged_map_request t = example();
    zlay_choice c = chosen(*state, "sm_90a", &t, 32, 64);
    assert_int_equal(c.family, ZLAY_FAMILY_WRAP);
    assert_int_equal(c.basis, ZLAY_BASIS_DOCUMENTED);
    assert_true(c.of[ZLAY_FAMILY_POOL].fits && c.of[ZLAY_FAMILY_EDIT].fits);
    assert_int_equal(c.of[ZLAY_FAMILY_POOL].maps, c.pool.maps + 1);
    assert_int_equal(c.pool.unit, 8);
    t.rank = 4;
    t.extent[2] = 8, t.extent[3] = 4, t.stride[1] = 524288, t.stride[2] = 4194304, t.box[2] = t.box[3] = 2;
    c = chosen(*state, "sm_90a", &t, 32, 64);
    assert_int_equal(c.family, ZLAY_FAMILY_POOL);
    assert_int_equal(strncmp(c.of[ZLAY_FAMILY_WRAP].why, "rank", 4), 0);
    assert_int_equal(chosen(*state, "sm_90a", &t, 1, 64).family, ZLAY_FAMILY_EDIT);
    c = chosen(*state, "sm_90", &t, 1, 64);
    assert_int_equal(c.family, ZLAY_FAMILY_POOL);
    assert_non_null(strstr(c.of[ZLAY_FAMILY_EDIT].why, "REPLACE_TARGET"));
    t.stride[0] = 100;
    c = chosen(*state, "sm_90a", &t, 1, 64);
    assert_int_equal(c.family, -1);
    for (int i = 0; i < ZLAY_FAMILIES; i++) assert_int_equal(strncmp(c.of[i].why, "stride[0]", 9), 0);
}

/* A plain map with every height of the pool and the whole box, by the check itself. */
static bool plain_is_legal(const zlay_ragged_map_request *r, uint32_t box)
{
    zlay_tensormap m = {.address = r->address, .type = r->type, .swizzle = r->swizzle, .rank = r->rank};
    zlay_verdict v;
    if (r->rank > 5) return false;
    for (uint32_t i = 0; i < r->rank; i++) {
        m.extent[i] = r->extent[i];
        m.box[i] = i == r->dim ? box : r->box[i];
        m.step[i] = 1;
        if (i) m.stride[i - 1] = r->stride[i - 1];
    }
    return !zlay_tensormap_check(&v, NULL, 0, target_of("sm_90a"), &m) && v.answer == ZLAY_YES;
}

static void as_each_family(void **state)
{
    uint64_t s = test_seed("synth/ragged/choose"), fits[ZLAY_FAMILIES] = {0};
    for (uint64_t i = 0; i < test_iterations(300); i++) {
        ragged_world w = {.ctx = *state};
        zlay_ragged_map map;
        ragged_draw(&s, &w);
        uint64_t groups = (uint64_t)test_range(&s, 0, 40);
        zlay_choice c = chosen(*state, "sm_90a", &w.r, groups, groups + (uint64_t)test_range(&s, 0, 40));
        zlay_status status = zlay_ragged_map_synth(*state, &map, target_of("sm_90a"), &w.r);
        assert_int_equal(c.of[ZLAY_FAMILY_WRAP].fits, status == ZLAY_OK);
        for (int k = 0; k < ZLAY_FAMILIES; k++) {
            assert_int_equal(c.of[k].fits, !c.of[k].why[0]);
            fits[k] += c.of[k].fits;
            if (c.of[k].fits) assert_true(c.family >= 0 && c.of[c.family].ns <= c.of[k].ns);
        }
        if (c.of[ZLAY_FAMILY_EDIT].fits) assert_true(plain_is_legal(&w.r, w.r.box[w.r.dim]));
        for (uint32_t k = 0; k < c.pool.maps && c.of[ZLAY_FAMILY_POOL].fits && !status; k++)
            assert_true(plain_is_legal(&w.r, c.pool.height[k] * map.unit));
    }
    printf("of 300 tensors wrap fits %llu, pool %llu, edit %llu\n", (unsigned long long)fits[0], (unsigned long long)fits[1],
           (unsigned long long)fits[2]);
    assert_true(fits[0] && fits[1] && fits[2]);
}

static void refused(zlay_ctx *ctx, const zlay_choose_request *r, const char *word)
{
    zlay_choice choice;
    assert_int_equal(zlay_ragged_choose(ctx, &choice, target_of("sm_90a"), r), ZLAY_EINVAL);
    if (!strstr(zlay_ctx_message(ctx), word)) fail_msg("'%s' has no '%s'", zlay_ctx_message(ctx), word);
}

static void refusals(void **state)
{
    zlay_ragged_map_request t = example();
    zlay_choose_request r = {sizeof r, 0, NULL, 1, 1};
    zlay_choice choice;
    refused(*state, &r, "tensor");
    r.tensor = &t;
    r.count = 0;
    refused(*state, &r, "count");
    r.count = 1;
    t.dim = 2;
    refused(*state, &r, "dim");
    assert_int_equal(zlay_ragged_choose(*state, NULL, target_of("sm_90a"), &r), ZLAY_EINVAL);
    assert_int_equal(zlay_ragged_choose(*state, &choice, NULL, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_ragged_choose(*state, &choice, target_of("sm_90a"), NULL), ZLAY_EINVAL);
}

static zlay_status choose(zlay_ctx *ctx, void *request)
{
    zlay_choice choice;
    return zlay_ragged_choose(ctx, &choice, target_of("sm_90a"), request);
}

static void memory(void **state)
{
    zlay_ragged_map_request t = example();
    zlay_choose_request r = {sizeof r, 0, &t, 1, 1};
    heap h;
    (void)state;
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(heap_fails_each(&h, ctx, choose, &r), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand), cmocka_unit_test(as_each_family), cmocka_unit_test(refusals), cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
