/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of box heights, against every set of heights, against published numbers of the postage-stamp problem, and as painted
 * rows: each valid row of a tail is in one box, where boxes that overlap write some rows twice. */
#include "ctx.h"
#include "heap.h"

#include <stdbool.h>
#include <string.h>

enum { SMALL = 9, ROWS = ZLAY_POOL_TAIL + 1 };

static zlay_pool_request all_below(uint32_t *tail, uint32_t end)
{
    for (uint32_t t = 1; t < end; t++) tail[t - 1] = t;
    return (zlay_pool_request){.size = sizeof(zlay_pool_request), .tails = end - 1, .tail = tail};
}

/* Whether rows are a sum of at most so many heights of a set, all but the last of them multiples of the unit. */
static bool is_sum(uint32_t set, uint32_t unit, uint32_t boxes, uint32_t rows)
{
    if (!rows) return true;
    for (uint32_t h = 1; boxes && h <= rows; h++) {
        if (!(set >> h & 1)) continue;
        if (h == rows || (h % unit == 0 && is_sum(set, unit, boxes - 1, rows - h))) return true;
    }
    return false;
}

static bool serves(uint32_t set, uint32_t unit, uint32_t boxes, uint32_t tails)
{
    for (uint32_t t = 1; t <= SMALL; t++)
        if (tails >> t & 1 && !is_sum(set, unit, boxes, t)) return false;
    return true;
}

/* The fewest heights of any set; above SMALL: none. */
static uint32_t fewest(uint32_t unit, uint32_t boxes, uint32_t tails)
{
    uint32_t least = SMALL + 1;
    for (uint32_t set = 2; set < 2u << SMALL; set += 2) {
        uint32_t maps = (uint32_t)__builtin_popcount(set);
        if (maps < least && serves(set, unit, boxes, tails)) least = maps;
    }
    return least;
}

/* The boxes of each tail paint its rows once and no other; all but the last are multiples of the unit. */
static void paint(const zlay_pool *pool, const zlay_pool_request *r)
{
    uint32_t unit = r->unit ? r->unit : 1, most = 0;
    for (uint32_t i = 0; i < r->tails; i++) {
        uint8_t painted[2 * ROWS] = {0};
        uint32_t height[ZLAY_POOL_TAIL], boxes, at = 0;
        assert_int_equal(zlay_pool_cut(height, &boxes, pool, r->tail[i]), ZLAY_OK);
        for (uint32_t b = 0; b < boxes; b++) {
            bool has = false;
            for (uint32_t k = 0; k < pool->maps; k++) has |= pool->height[k] == height[b];
            assert_true(has && at % unit == 0);
            for (uint32_t row = 0; row < height[b]; row++) painted[at + row]++;
            at += height[b];
        }
        for (uint32_t row = 0; row < ROWS; row++) assert_int_equal(painted[row], row < r->tail[i]);
        most = boxes > most ? boxes : most;
    }
    assert_int_equal(most, pool->boxes);
    for (uint32_t k = 1; k < pool->maps; k++) assert_true(pool->height[k - 1] < pool->height[k]);
}

static void as_every_set(void **state)
{
    uint64_t s = test_seed("synth/ragged/pool");
    for (uint64_t i = 0; i < test_iterations(400); i++) {
        uint32_t tail[SMALL], tails = (uint32_t)(test_random(&s) % (1u << SMALL)) << 1;
        zlay_pool_request r = {.size = sizeof r, .tail = tail};
        zlay_pool pool;
        if (!tails) continue;
        for (uint32_t t = 1; t <= SMALL; t++)
            if (tails >> t & 1) tail[r.tails++] = t;
        r.unit = 1u << test_range(&s, 0, 2);
        r.boxes = (uint32_t)test_range(&s, 1, 4);
        uint32_t least = fewest(r.unit, r.boxes, tails);
        assert_int_equal(zlay_pool_find(*state, &pool, &r), ZLAY_OK);
        assert_true(pool.optimal && pool.maps == least && pool.lower_bound == least && pool.boxes <= r.boxes);
        paint(&pool, &r);
        r.maps = (uint32_t)test_range(&s, 1, 5);
        assert_int_equal(zlay_pool_find(*state, &pool, &r), least <= r.maps ? ZLAY_OK : ZLAY_NONE);
        r.boxes = 0;
        uint32_t boxes = 1;
        while (boxes <= SMALL && fewest(r.unit, boxes, tails) > r.maps) boxes++;
        zlay_status status = zlay_pool_find(*state, &pool, &r);
        assert_int_equal(status, boxes <= SMALL ? ZLAY_OK : ZLAY_NONE);
        if (status) continue;
        assert_true(pool.optimal && pool.boxes == boxes && pool.lower_bound == boxes && pool.maps <= r.maps);
        paint(&pool, &r);
    }
}

/* The greatest n for which k stamps pay all of 1 to n with at most h stamps: OEIS A001212 to A001214. */
static void as_published(void **state)
{
    static const uint32_t reach[][8] = {{0}, {0}, {2, 4, 8, 12, 16, 20, 26, 32}, {3, 7, 15, 24, 36, 52}, {4, 10, 26, 44, 70}};
    for (uint32_t h = 2; h <= 4; h++)
        for (uint32_t k = 1; k <= 8 && reach[h][k - 1]; k++)
            for (uint32_t more = 0; more < 2; more++) {
                uint32_t tail[ZLAY_POOL_TAIL];
                zlay_pool pool;
                if (more && (k == 8 || !reach[h][k])) continue;
                zlay_pool_request r = all_below(tail, reach[h][k - 1] + 1 + more);
                r.boxes = h;
                assert_int_equal(zlay_pool_find(*state, &pool, &r), ZLAY_OK);
                if (!pool.optimal || pool.maps != k + more)
                    fail_msg("%u boxes, %u rows: %u maps, not %u", h, r.tails, pool.maps, k + more);
                paint(&pool, &r);
            }
}

/* Eight heights, of which the two ends of a tail take one each, as pools are published: rows in the middle are written twice. */
static void boxes_that_overlap(void **state)
{
    static const uint32_t overlapping[] = {1, 2, 4, 8, 16, 32, 64, 128};
    uint32_t tail[ZLAY_POOL_TAIL], twice = 0;
    zlay_pool_request r = all_below(tail, 256);
    zlay_pool pool;
    for (uint32_t t = 1; t < 256; t++) {
        uint32_t height = 0;
        for (uint32_t i = 0; i < 8; i++)
            if (overlapping[i] <= t) height = overlapping[i];
        if (height < t) twice += 2 * height - t;
    }
    assert_true(twice > 10000);
    r.maps = 8;
    assert_int_equal(zlay_pool_find(*state, &pool, &r), ZLAY_OK);
    assert_true(pool.maps <= 8 && pool.boxes <= 8);
    paint(&pool, &r);
}

static void refused(zlay_ctx *ctx, const zlay_pool_request *r, zlay_status status, const char *word)
{
    zlay_pool pool;
    assert_int_equal(zlay_pool_find(ctx, &pool, r), status);
    if (!strstr(zlay_ctx_message(ctx), word)) fail_msg("'%s' has no '%s'", zlay_ctx_message(ctx), word);
}

static void refusals(void **state)
{
    uint32_t tail[ZLAY_POOL_TAIL], height[ZLAY_POOL_TAIL], boxes;
    zlay_pool_request r = all_below(tail, 8);
    zlay_pool pool;
    refused(*state, &r, ZLAY_EINVAL, "boxes, maps");
    r.boxes = 1, r.maps = 6;
    refused(*state, &r, ZLAY_NONE, "at least 7");
    r.boxes = 0, r.maps = 1, r.unit = 8;
    refused(*state, &r, ZLAY_NONE, "no pool of 1");
    r.unit = 1, tail[3] = 256;
    refused(*state, &r, ZLAY_EINVAL, "tail[3]");
    tail[3] = 0;
    refused(*state, &r, ZLAY_EINVAL, "tail[3]");
    tail[3] = 4, r.tails = 0;
    refused(*state, &r, ZLAY_EINVAL, "tail");
    r.tails = 7, r.reserved[1] = 1;
    refused(*state, &r, ZLAY_EINVAL, "reserved");
    r.reserved[1] = 0;
    assert_int_equal(zlay_pool_find(*state, &pool, &r), ZLAY_OK);
    assert_int_equal(zlay_pool_cut(height, &boxes, &pool, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_pool_cut(height, &boxes, &pool, 256), ZLAY_EINVAL);
    assert_int_equal(zlay_pool_cut(height, &boxes, NULL, 1), ZLAY_EINVAL);
    pool.height[0] = 2;
    assert_int_equal(zlay_pool_cut(height, &boxes, &pool, 1), ZLAY_NONE);
    pool.height[0] = 0;
    assert_int_equal(zlay_pool_cut(height, &boxes, &pool, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_pool_find(*state, NULL, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_pool_find(*state, &pool, NULL), ZLAY_EINVAL);
}

/* A search that ends at its share of limits.work says so, and its pool serves. */
static void ended(void **state)
{
    uint32_t tail[ZLAY_POOL_TAIL];
    zlay_limits limits = {.size = sizeof limits, .work = 1 << 20};
    zlay_ctx *ctx;
    zlay_pool pool;
    zlay_pool_request r = all_below(tail, 129);
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, &limits), ZLAY_OK);
    r.boxes = 2;
    assert_int_equal(zlay_pool_find(ctx, &pool, &r), ZLAY_OK);
    assert_true(!pool.optimal && pool.lower_bound < pool.maps && pool.boxes <= 2);
    paint(&pool, &r);
    zlay_ctx_free(ctx);
}

static zlay_status find(zlay_ctx *ctx, void *request)
{
    zlay_pool pool;
    return zlay_pool_find(ctx, &pool, request);
}

static void memory(void **state)
{
    uint32_t tail[ZLAY_POOL_TAIL];
    zlay_pool_request r = all_below(tail, 20);
    heap h;
    (void)state;
    zlay_ctx *ctx = heap_open(&h, NULL);
    r.boxes = 2;
    assert_int_equal(heap_fails_each(&h, ctx, find, &r), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_every_set), cmocka_unit_test(as_published), cmocka_unit_test(boxes_that_overlap),
        cmocka_unit_test(refusals),     cmocka_unit_test(ended),        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
