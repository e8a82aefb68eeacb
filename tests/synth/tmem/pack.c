/* SPDX-License-Identifier: Apache-2.0 */
/* Packings of tensor memory against all packings: every division of every size into powers of two,
 * every buffer at every place. */
#include "ctx.h"
#include "heap.h"
#include "tiles/tmem-packings.h"

#include <string.h>

static zlay_status pack(zlay_ctx *ctx, zlay_tmem_packing *out, const zlay_tmem_buffer *buffers,
                        uint32_t count, uint32_t allocations)
{
    zlay_tmem_pack_request r = {.size = sizeof r, .count = count, .allocations = allocations,
                                .buffers = buffers};
    return zlay_tmem_pack(ctx, out, target_of("sm_100a"), &r);
}

/* ---- the examples of zlay/tmem_pack.h ----------------------------------------------------- */

static void test_example(void **state)
{
    static const zlay_tmem_buffer turns[] = {{.columns = 256, .first = 0, .last = 1},
                                             {.columns = 128, .first = 1, .last = 2},
                                             {.columns = 256, .first = 2, .last = 3}};
    static const zlay_tmem_buffer arena[] = {{.columns = 384}, {.columns = 4}, {.columns = 4},
                                             {.columns = 4}};
    zlay_tmem_packing p;
    assert_int_equal(pack(*state, &p, turns, 3, 0), ZLAY_OK);
    assert_int_equal(p.columns, 512);
    assert_int_equal(p.allocations, 1);
    assert_int_equal(p.alive, 384);
    assert_int_equal(p.least, 512);
    assert_int_equal(p.optimal, 1);
    assert_int_equal(p.offset[0], 0);
    assert_int_equal(p.offset[1], 256);
    assert_int_equal(p.offset[2], 0);
    assert_int_equal(pack(*state, &p, turns, 3, 2), ZLAY_OK);
    assert_int_equal(p.columns, 384);
    assert_int_equal(p.allocations, 2);
    assert_int_equal(p.allocation[0], 256);
    assert_int_equal(p.allocation[1], 128);
    assert_int_equal(p.in[0], 0);
    assert_int_equal(p.in[1], 1);
    assert_int_equal(p.in[2], 0);
    for (int i = 0; i < 3; i++) assert_int_equal(p.offset[i], 0);
    assert_int_equal(pack(*state, &p, arena, 4, 1), ZLAY_OK);
    assert_int_equal(p.columns, 512);
    assert_int_equal(p.alive, 396);
}

/* ---- against all packings ----------------------------------------------------------------- */

static bool power(uint32_t n) { return n >= 32 && n <= 512 && !(n & (n - 1)); }

/* What the answer says holds: sizes, places, nobody on anybody. */
static void check_packing(const zlay_tmem_packing *p, const zlay_tmem_buffer *buffer, uint32_t count,
                          uint32_t most)
{
    world w = {.buffer = buffer, .count = count, .parts = p->allocations};
    uint32_t sum = 0;
    assert_in_range(p->allocations, 1, most);
    for (uint32_t i = 0; i < p->allocations; i++) {
        assert_true(power(p->allocation[i]));
        assert_true(!i || p->allocation[i] <= p->allocation[i - 1]);
        sum += w.part[i] = p->allocation[i];
    }
    assert_int_equal(sum, p->columns);
    for (uint32_t i = 0; i < count; i++) {
        w.in[i] = p->in[i];
        w.base[i] = p->offset[i];
        assert_in_range(p->in[i], 0, p->allocations - 1);
        assert_true(fits(&w, i));
    }
}

static void draw(zlay_tmem_buffer *b, uint64_t *seed, uint32_t unit, uint32_t most)
{
    *b = (zlay_tmem_buffer){.columns = unit * (uint32_t)test_range(seed, 1, most),
                            .first = (uint32_t)test_range(seed, 0, 7)};
    b->last = b->first + (uint32_t)test_range(seed, 0, 3);
    if (!(test_random(seed) % 4)) b->align = 1u << test_range(seed, 0, 5);
    if (!(test_random(seed) % 8)) {
        b->fixed = 1;
        b->offset = (uint32_t)test_range(seed, 0, 4) * 32;
    }
}

static void check_world(zlay_ctx *ctx, const zlay_tmem_buffer *buffer, uint32_t count,
                        uint32_t unit, uint32_t most, uint32_t *found)
{
    zlay_tmem_packing p;
    uint32_t least = least_columns(buffer, count, unit, most);
    zlay_status status = pack(ctx, &p, buffer, count, most);
    if (!least) {
        assert_int_equal(status, ZLAY_NONE);
        return;
    }
    if (status) fail_msg("%s, but %u columns do", zlay_ctx_message(ctx), least);
    check_packing(&p, buffer, count, most);
    assert_int_equal(p.columns, least);
    assert_int_equal(p.least, least);
    assert_int_equal(p.optimal, 1);
    ++*found;
}

static void test_all_packings(void **state)
{
    uint64_t seed = test_seed("packings");
    uint32_t found = 0, drawn = (uint32_t)test_iterations(250);
    for (uint32_t k = 0; k < drawn; k++) {
        zlay_tmem_buffer buffer[8];
        uint32_t count = (uint32_t)test_range(&seed, 1, 8), unit = k % 3 ? 32 : 16;
        uint32_t most = (uint32_t)test_range(&seed, 1, 4);
        for (uint32_t i = 0; i < count; i++) draw(&buffer[i], &seed, unit, unit == 32 ? 7 : 9);
        check_world(*state, buffer, count, unit, most, &found);
    }
    printf("%u of %u have a packing\n", found, drawn);
    assert_in_range(found, drawn / 4, drawn - 1);
}

/* ---- certificates ------------------------------------------------------------------------- */

static zlay_answer certified(zlay_ctx *ctx, const zlay_tmem_packing *p,
                             const zlay_tmem_buffer *buffer, uint32_t count)
{
    zlay_tmem_pack_request r = {.size = sizeof r, .count = count, .allocations = 4,
                                .buffers = buffer};
    zlay_layout *a, *b;
    zlay_answer answer = ZLAY_DEPENDS;
    assert_int_equal(zlay_tmem_packing_certificate(ctx, &a, &b, p, &r), ZLAY_OK);
    assert_int_equal(zlay_layout_equal(ctx, &answer, NULL, a, b), ZLAY_OK);
    zlay_layout_free(a);
    zlay_layout_free(b);
    return answer;
}

/* A buffer moved onto another that lives when it does has the certificate refused, onto any other
 * not. */
static void test_certificate(void **state)
{
    uint64_t seed = test_seed("certificates");
    uint32_t refused = 0;
    for (uint64_t k = 0; k < test_iterations(60); k++) {
        zlay_tmem_buffer buffer[6];
        zlay_tmem_packing p;
        world w = {.buffer = buffer, .count = 6};
        bool met = false;
        for (int i = 0; i < 6; i++) draw(&buffer[i], &seed, 8, 12);
        if (pack(*state, &p, buffer, 6, 4)) continue;
        assert_int_equal(certified(*state, &p, buffer, 6), ZLAY_YES);
        uint32_t i = (uint32_t)test_range(&seed, 0, 5);
        uint32_t size = p.allocation[p.in[i]];
        p.offset[i] = (uint32_t)test_range(&seed, 0, size - buffer[i].columns);
        memcpy(w.in, p.in, sizeof w.in);
        memcpy(w.base, p.offset, sizeof w.base);
        for (uint32_t j = 0; j < 6; j++) met = met || (j != i && meet(&w, i, j));
        assert_int_equal(certified(*state, &p, buffer, 6), met ? ZLAY_NO : ZLAY_YES);
        refused += met;
    }
    assert_in_range(refused, 1, test_iterations(60));
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void test_refused(void **state)
{
    static const struct {
        zlay_tmem_buffer buffer;
        zlay_status status;
        const char *word;
    } rows[] = {
        {{.columns = 0}, ZLAY_EINVAL, "columns"},
        {{.columns = 32, .first = 2, .last = 1}, ZLAY_EINVAL, "last"},
        {{.columns = 32, .align = 3}, ZLAY_EINVAL, "align"},
        {{.columns = 32, .align = 64}, ZLAY_EINVAL, "align"},
        {{.columns = 32, .fixed = 2}, ZLAY_EINVAL, "fixed"},
        {{.columns = 32, .offset = 32}, ZLAY_EINVAL, "offset"},
        {{.columns = 32, .offset = 8, .fixed = 1, .align = 16}, ZLAY_EINVAL, "offset"},
        {{.columns = 32, .reserved = {0, 1}}, ZLAY_EINVAL, "reserved"},
        {{.columns = 513, .first = 7, .last = 7}, ZLAY_NONE, "TMEM_ALLOC_RANGE: step 7 needs 513"},
        {{.columns = UINT32_MAX}, ZLAY_NONE, "TMEM_ALLOC_RANGE"},
        {{.columns = 32, .fixed = 1, .offset = UINT32_MAX}, ZLAY_NONE, "TMEM_ALLOC_RANGE: fixed"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_tmem_packing p;
        assert_int_equal(pack(*state, &p, &rows[i].buffer, 1, 1), rows[i].status);
        if (!strstr(zlay_ctx_message(*state), rows[i].word))
            fail_msg("%s without %s", zlay_ctx_message(*state), rows[i].word);
    }
}

static void test_request_refused(void **state)
{
    static const zlay_tmem_buffer buffer = {.columns = 32};
    const zlay_target *target = target_of("sm_100a");
    zlay_tmem_pack_request r = {.size = sizeof r, .buffers = &buffer};
    zlay_tmem_packing p;
    assert_int_equal(zlay_tmem_pack(*state, &p, target, &r), ZLAY_EINVAL);
    r.count = ZLAY_TMEM_BUFFERS + 1;
    assert_int_equal(zlay_tmem_pack(*state, &p, target, &r), ZLAY_EINVAL);
    r.count = 1;
    r.size = 4;
    assert_int_equal(zlay_tmem_pack(*state, &p, target, &r), ZLAY_EINVAL);
    r.size = offsetof(zlay_tmem_pack_request, reserved);
    assert_int_equal(zlay_tmem_pack(*state, &p, target, &r), ZLAY_OK);
    assert_int_equal(zlay_tmem_pack(*state, &p, target_of("sm_90a"), &r), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(*state), "TMEM_TARGET"));
    r.cta_group = 3;
    assert_int_equal(zlay_tmem_pack(*state, &p, target, &r), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(*state), "TMEM_GROUP"));
}

/* Fragmentation: never more than 512 alive, and no packing has so few. */
static void test_fragmented(void **state)
{
    static const zlay_tmem_buffer split[] = {
        {.columns = 128, .first = 0, .last = 1, .fixed = 1, .offset = 192},
        {.columns = 384, .first = 1, .last = 1}};
    zlay_tmem_packing p;
    assert_int_equal(pack(*state, &p, split, 2, 1), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(*state), "TMEM_ALLOC_RANGE: no packing"));
}

/* A search that ends too early claims nothing that it did not prove. */
static void test_limit(void **state)
{
    uint64_t seed = test_seed("limits");
    zlay_ctx *few;
    zlay_limits limits = {.size = sizeof limits, .points = 9};
    uint32_t cut = 0;
    assert_int_equal(zlay_ctx_new(&few, NULL, &limits), ZLAY_OK);
    for (uint64_t k = 0; k < test_iterations(300); k++) {
        zlay_tmem_buffer buffer[8];
        zlay_tmem_packing p, best;
        for (int i = 0; i < 8; i++) draw(&buffer[i], &seed, 16, 7);
        zlay_status status = pack(few, &p, buffer, 8, 4);
        zlay_status whole = pack(*state, &best, buffer, 8, 4);
        if (status == ZLAY_ELIMIT) continue;
        if (strstr(zlay_ctx_message(few), "limit")) continue;
        assert_int_equal(status, whole);
        if (status) continue;
        check_packing(&p, buffer, 8, 4);
        assert_true(p.least <= best.columns && p.columns >= best.columns);
        assert_int_equal(p.optimal, p.columns == p.least);
        cut += !p.optimal;
    }
    assert_in_range(cut, 1, test_iterations(300));
    zlay_ctx_free(few);
}

static zlay_status packed(zlay_ctx *ctx, void *buffers)
{
    zlay_tmem_packing p;
    return pack(ctx, &p, buffers, 2, 2);
}

static void test_memory(void **state)
{
    zlay_tmem_buffer buffer[] = {{.columns = 256, .last = 1},
                                 {.columns = 64, .first = 1, .last = 2}};
    heap h;
    (void)state;
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(heap_fails_each(&h, ctx, packed, buffer), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),     cmocka_unit_test(test_all_packings),
        cmocka_unit_test(test_certificate), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_request_refused), cmocka_unit_test(test_fragmented),
        cmocka_unit_test(test_limit),       cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
