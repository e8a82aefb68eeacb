/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of pipes: rings worked by hand; random rings against the recurrences of their times, which share no code with the
 * run; more latency never takes less time; what cannot be reckoned says why. */
#include "ctx.h"
#include "random.h"

#include <stdbool.h>
#include <stdio.h>

enum { TEXT = 4096 };

static zlay_machine machine;

static void set(int32_t fact, int64_t value) { machine.facts[fact] = (zlay_machine_value){value, ZLAY_BASIS_MEASURED, "this test"}; }

/* A machine whose latencies are all 0, and which has one instruction. */
static void plain_machine(int64_t product_milli)
{
    assert_int_equal(zlay_machine_find(&machine, target_of("sm_90a")), ZLAY_OK);
    for (int32_t k = ZLAY_MACHINE_DRAM_CYCLES; k <= ZLAY_MACHINE_BLOCK_CYCLES; k++) set(k, 0);
    set(ZLAY_MACHINE_COPY_KILOCYCLE, 64000);
    set(ZLAY_MACHINE_SHARED_KILOCYCLE, 128000);
    machine.forms_count = 1;
    machine.forms[0] = (zlay_machine_form){.op = ZLAY_OP_WGMMA, .type = ZLAY_TYPE_BF16, .m = 64, .n = 64, .k = 16, .unit = ZLAY_UNIT_TENSOR,
                                           .units = 4, .basis = ZLAY_BASIS_MEASURED, .occupancy_milli = product_milli,
                                           .latency = product_milli / 1000, .source = "this test"};
    machine.units[ZLAY_UNIT_TENSOR] = (zlay_machine_value){4, ZLAY_BASIS_MEASURED, "this test"};
}

/* The header's ring. */
static zlay_pipe *ring(zlay_ctx *ctx, int stages, int64_t bytes)
{
    char text[TEXT];
    zlay_pipe *pipe = NULL;
    snprintf(text, sizeof text,
             "pipe ring\nparam N 1..\nsmem A[%d] %lld\nbar full[%d] count 1\nbar empty[%d] count 4\ninit full\ninit empty\n"
             "fence mbarrier_init\nsync cta\nrole producer warps 0..0 elect\nfor i in 0..N\nwait empty[i %% %d] parity (i / %d + 1) %% 2\n"
             "expect full[i %% %d] %lld\narrive full[i %% %d]\ncopy bulk %lld -> A[i %% %d] signal full[i %% %d]\nend\nend\n"
             "role consumer warps 4..7\nfor i in 0..N\nwait full[i %% %d] parity i / %d %% 2\nfence wgmma\nmma A[i %% %d], A[i %% %d] -> C fresh\n"
             "commit wgmma\nwaitgroup wgmma 0\nuse C\narrive empty[i %% %d] warps\nend\nend\n",
             stages, (long long)bytes, stages, stages, stages, stages, stages, (long long)bytes, stages, (long long)bytes, stages, stages,
             stages, stages, stages, stages, stages);
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) fail_msg("%s\n%s", zlay_ctx_message(ctx), text);
    return pipe;
}

static const zlay_pipe_product product = {.op = ZLAY_OP_WGMMA, .type = ZLAY_TYPE_BF16, .m = 64, .n = 64, .k = 16, .count = 1};

static zlay_pipe_cost_request asked(const int64_t *trips)
{
    return (zlay_pipe_cost_request){.size = sizeof(zlay_pipe_cost_request), .params_count = 1, .machine = &machine, .params = trips,
                                    .products = &product, .products_count = 1};
}

static zlay_pipe_cost cost_of(zlay_ctx *ctx, const zlay_pipe *pipe, int64_t trips)
{
    zlay_pipe_cost cost;
    zlay_pipe_cost_request ask = asked(&trips);
    if (zlay_pipe_cycles(ctx, &cost, pipe, &ask)) fail_msg("%s", zlay_ctx_message(ctx));
    return cost;
}

/* A copy takes the engine 256 cycles and is there 100 later; a product takes 500. */
static void by_hand(void **state)
{
    zlay_pipe *two = ring(*state, 2, 16384), *one = ring(*state, 1, 16384);
    plain_machine(500000);
    set(ZLAY_MACHINE_COPY_CYCLES, 100);
    zlay_pipe_cost cost = cost_of(*state, two, 4);
    assert_int_equal(cost.cycles, 356 + 4 * 500);
    assert_int_equal(cost.interval, 500);
    assert_int_equal(cost.bound, ZLAY_UNIT_TENSOR);
    assert_int_equal(cost.busy[ZLAY_UNIT_COPY], 4 * 256);
    assert_int_equal(cost.busy[ZLAY_UNIT_TENSOR], 4 * 500);
    assert_int_equal(cost.facts, 0);
    assert_int_equal(cost.ops, 0);
    cost = cost_of(*state, one, 3); /* each copy begins when the product before it is over */
    assert_int_equal(cost.cycles, 3 * 856);
    assert_int_equal(cost.interval, 856);
    set(ZLAY_MACHINE_COPY_KILOCYCLE, 16000);
    cost = cost_of(*state, two, 4);
    assert_int_equal(cost.cycles, 4 * 1024 + 100 + 500);
    assert_int_equal(cost.interval, 1024);
    assert_int_equal(cost.bound, ZLAY_UNIT_COPY);
    zlay_pipe_free(two);
    zlay_pipe_free(one);
}

/* A share of L2 below the engine's own rate is what a copy takes. */
static void share(void **state)
{
    zlay_pipe *pipe = ring(*state, 2, 16384);
    zlay_pipe_cost cost;
    int64_t trips = 4;
    plain_machine(500000);
    zlay_pipe_cost_request ask = asked(&trips);
    ask.share_kilocycle = 8000;
    assert_int_equal(zlay_pipe_cycles(*state, &cost, pipe, &ask), ZLAY_OK);
    assert_int_equal(cost.interval, 2048);
    ask.share_kilocycle = 1000000;
    assert_int_equal(zlay_pipe_cycles(*state, &cost, pipe, &ask), ZLAY_OK);
    assert_int_equal(cost.interval, 500);
    zlay_pipe_free(pipe);
}

/* ---- against recurrences ---------------------------------------------------------------- */

enum { STAGES_MOST = 4, TRIPS_MOST = 20 };

typedef struct world {
    int64_t stages, trips, bytes, rate, copy, wait, arrive, seen, product, latency;
} world;

static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

/* Thousandths of a cycle until both roles have ended. */
static int64_t recurrence(const world *w)
{
    int64_t producer = 0, consumer = 0, engine = 0, tensor = 0, empty[TRIPS_MOST + STAGES_MOST] = {0};
    int64_t work = (w->bytes * 1000000 + w->rate - 1) / w->rate, rest = greater(w->latency * 1000 - w->product, 0);
    int64_t filled[TRIPS_MOST];
    for (int64_t i = 0, j = 0; j < w->trips;) {
        bool may = i < w->trips && i < j + w->stages;
        if (may) {
            producer += w->wait * 1000;
            if (i >= w->stages) producer = greater(producer, empty[i - w->stages]);
            filled[i] = producer + w->seen * 1000;
            producer += w->arrive * 1000;
            engine = greater(engine, producer) + work;
            filled[i] = greater(filled[i], engine + w->copy * 1000);
            i++;
            continue;
        }
        consumer = greater(consumer + w->wait * 1000, filled[j]);
        tensor = greater(tensor, consumer) + w->product;
        consumer = greater(consumer, tensor + rest);
        empty[j++] = consumer + w->seen * 1000;
        consumer += w->arrive * 1000;
    }
    return greater(producer, consumer);
}

static void refuted(void **state)
{
    uint64_t seed = 2711;
    for (int n = 0; n < 300; n++) {
        world w = {.stages = test_range(&seed, 1, STAGES_MOST), .trips = test_range(&seed, 1, TRIPS_MOST), .bytes = 16 * test_range(&seed, 1, 2048),
                   .rate = test_range(&seed, 3000, 200000), .copy = test_range(&seed, 0, 900), .wait = test_range(&seed, 0, 40),
                   .arrive = test_range(&seed, 0, 40), .seen = test_range(&seed, 0, 120), .product = test_range(&seed, 1000, 900000),
                   .latency = test_range(&seed, 0, 1200)};
        plain_machine(w.product);
        machine.forms[0].latency = w.latency;
        set(ZLAY_MACHINE_COPY_KILOCYCLE, w.rate);
        set(ZLAY_MACHINE_COPY_CYCLES, w.copy);
        set(ZLAY_MACHINE_WAIT_CYCLES, w.wait);
        set(ZLAY_MACHINE_ARRIVE_CYCLES, w.arrive);
        set(ZLAY_MACHINE_MBARRIER_CYCLES, w.seen);
        zlay_pipe *pipe = ring(*state, (int)w.stages, w.bytes);
        zlay_pipe_cost cost = cost_of(*state, pipe, w.trips);
        int64_t milli = recurrence(&w);
        if (cost.cycles != (milli + 999) / 1000)
            fail_msg("case %d: %lld cycles, by recurrences %lld milli", n, (long long)cost.cycles, (long long)milli);
        zlay_pipe_free(pipe);
    }
}

/* ---- monotonic ---------------------------------------------------------------------------- */

static void monotonic(void **state)
{
    static const int32_t latencies[] = {ZLAY_MACHINE_COPY_CYCLES, ZLAY_MACHINE_MBARRIER_CYCLES, ZLAY_MACHINE_WAIT_CYCLES, ZLAY_MACHINE_ARRIVE_CYCLES};
    zlay_pipe *pipe = ring(*state, 3, 12288);
    for (size_t k = 0; k < sizeof latencies / sizeof *latencies; k++) {
        int64_t last = 0;
        plain_machine(300000);
        for (int64_t value = 0; value <= 2000; value += 100) {
            set(latencies[k], value);
            zlay_pipe_cost cost = cost_of(*state, pipe, 9);
            assert_true(cost.cycles >= last);
            last = cost.cycles;
        }
        assert_true(last > 9 * 300 + 192);
    }
    int64_t last = INT64_MAX;
    plain_machine(300000);
    for (int64_t rate = 4000; rate <= 256000; rate *= 2) {
        set(ZLAY_MACHINE_COPY_KILOCYCLE, rate);
        zlay_pipe_cost cost = cost_of(*state, pipe, 9);
        assert_true(cost.cycles <= last);
        last = cost.cycles;
    }
    zlay_pipe_free(pipe);
}

/* ---- bodies ----------------------------------------------------------------------------------- */

/* 64 x 64 sums are 32 of a thread: 32 products with a factor by 4 warps on 4 pipes of a cycle each, and 16 conversions of pairs of
 * 2 cycles; both pipes work at once, and so do the schedulers, which issue 48. */
static void body(void **state)
{
    static const char text[] = "pipe b\nsmem A[1] 8192\nbody scale\nmatrix S f32\nmatrix R bf16\nscalar by f32\nR = bf16(S * by)\nend\n"
                               "role r warps 0..3\nwrite A[0]\nfence proxy.async\nsync role\nfence wgmma\nmma A[0], A[0] -> C fresh\n"
                               "commit wgmma\nwaitgroup wgmma 0\nuse C, R body scale\nend\n";
    zlay_pipe *pipe = NULL;
    zlay_pipe_cost cost;
    if (zlay_pipe_parse(*state, &pipe, text, strlen(text))) fail_msg("%s", zlay_ctx_message(*state));
    plain_machine(100000);
    machine.forms_count = 3;
    machine.forms[1] = (zlay_machine_form){.op = ZLAY_OP_FMA, .type = -1, .unit = ZLAY_UNIT_FMA, .units = 1, .basis = ZLAY_BASIS_RECKONED,
                                           .occupancy_milli = 1000, .source = "this test"};
    machine.forms[2] = (zlay_machine_form){.op = ZLAY_OP_CVT, .type = -1, .unit = ZLAY_UNIT_CONVERT, .units = 1, .basis = ZLAY_BASIS_MEASURED,
                                           .occupancy_milli = 2000, .latency = 6, .source = "this test"};
    zlay_pipe_cost_request ask = asked(NULL);
    ask.params_count = 0;
    if (zlay_pipe_cycles(*state, &cost, pipe, &ask)) fail_msg("%s", zlay_ctx_message(*state));
    assert_int_equal(cost.cycles, 64 + 100 + 48 + 6);
    assert_int_equal(cost.busy[ZLAY_UNIT_FMA], 32);
    assert_int_equal(cost.busy[ZLAY_UNIT_CONVERT], 32);
    assert_int_equal(cost.busy[ZLAY_UNIT_ISSUE], 48);
    assert_int_equal(cost.busy[ZLAY_UNIT_SHARED], 64);
    assert_int_equal(cost.ops, 1u << ZLAY_OP_FMA);
    assert_int_equal(cost.interval, -1);
    zlay_pipe_free(pipe);
}

/* ---- what cannot be ---------------------------------------------------------------------------- */

static void refused(zlay_ctx *ctx, const zlay_pipe *pipe, const zlay_pipe_cost_request *ask, zlay_status status, const char *words)
{
    zlay_pipe_cost cost = {.cycles = -7};
    assert_int_equal(zlay_pipe_cycles(ctx, &cost, pipe, ask), status);
    assert_int_equal(cost.cycles, -7);
    if (!strstr(zlay_ctx_message(ctx), words)) fail_msg("%s: %s", words, zlay_ctx_message(ctx));
}

static void unanswered(void **state)
{
    zlay_pipe *pipe = ring(*state, 2, 16384), *wrong = NULL;
    int64_t trips = 4, none = 0;
    plain_machine(500000);
    zlay_pipe_cost_request ask = asked(&trips), bad = ask;
    machine.facts[ZLAY_MACHINE_COPY_CYCLES] = (zlay_machine_value){0};
    refused(*state, pipe, &ask, ZLAY_NONE, "copy_cycles");
    plain_machine(500000);
    machine.units[ZLAY_UNIT_TENSOR] = (zlay_machine_value){0};
    refused(*state, pipe, &ask, ZLAY_NONE, "units tensor");
    plain_machine(500000);
    set(ZLAY_MACHINE_COPY_KILOCYCLE, 0);
    refused(*state, pipe, &ask, ZLAY_NONE, "rate");
    plain_machine(INT64_MAX);
    refused(*state, pipe, &ask, ZLAY_EOVERFLOW, "the latency of wgmma passes 2^40 cycles");
    plain_machine((int64_t)1 << 49);
    zlay_pipe_product many = ask.products[0];
    many.count = 1 << 20;
    bad.products = &many;
    refused(*state, pipe, &bad, ZLAY_EOVERFLOW, "62 bits");
    plain_machine(500000);
    set(ZLAY_MACHINE_COPY_CYCLES, (int64_t)1 << 62); /* thousandths of it wrap round to 0 */
    refused(*state, pipe, &ask, ZLAY_EOVERFLOW, "copy_cycles passes 2^40 cycles");
    plain_machine(500000);
    bad = ask, bad.params_count = 0;
    refused(*state, pipe, &bad, ZLAY_EINVAL, "params");
    bad = ask, bad.params = &none;
    refused(*state, pipe, &bad, ZLAY_EINVAL, "outside");
    zlay_pipe_product twice[2] = {ask.products[0], ask.products[0]};
    bad = ask, bad.products = twice, bad.products_count = 2;
    refused(*state, pipe, &bad, ZLAY_EINVAL, "two say what is summed");
    bad = ask, bad.products_count = 0;
    refused(*state, pipe, &bad, ZLAY_EINVAL, "no product");
    bad = ask, bad.steady = "M";
    refused(*state, pipe, &bad, ZLAY_EINVAL, "steady");
    bad = ask, bad.machine = NULL;
    refused(*state, pipe, &bad, ZLAY_EINVAL, "machine");
    bad = ask, bad.reserved[3] = 1;
    refused(*state, pipe, &bad, ZLAY_EINVAL, "reserved");
    static const char text[] = "pipe w\nsmem A[1] 128\nbar full[1] count 1\ninit full\nsync cta\nrole r warps 0..0\nwait full[0] parity 0 / 1 % 2\nend\n";
    assert_int_equal(zlay_pipe_parse(*state, &wrong, text, strlen(text)), ZLAY_OK);
    bad = ask, bad.params_count = 0;
    refused(*state, wrong, &bad, ZLAY_NONE, "not correct");
    zlay_pipe_free(wrong);
    zlay_pipe_free(pipe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand),   cmocka_unit_test(share), cmocka_unit_test(refuted),
                                       cmocka_unit_test(monotonic), cmocka_unit_test(body),  cmocka_unit_test(unanswered)};
    return cmocka_run_group_tests(tests, begin, end);
}
