/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver and a device were seen to do, again without them: answers of the three encode calls, and
 * the bytes that copies through legal maps left behind. */
#include "device/driver/use_model.h"
#include "tiles/driver_predicate.h"
#include "legality.h"
#include "legality/tensormap/tensormap.h"
#include "legality/tensormap/step.h"

static const struct {
    int32_t mode;
    uint32_t i, taken;
} answers[] = {
#define ANSWER(mode, i, taken) {mode, i, taken},
#include "data/driver_answers.def"
#undef ANSWER
};

static const struct {
    uint32_t i, fault;
    uint64_t hash;
} uses[] = {
#define USE(i, fault, hash) {i, fault, hash},
#include "data/device_uses.def"
#undef USE
};

enum { SEED = 3, ANSWERS = sizeof answers / sizeof *answers, USES = sizeof uses / sizeof *uses };

/* The answers are of these maps: another generator would ask about others. */
static void the_maps_are_those_that_were_asked_about(void **state)
{
    (void)state;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t k = 0; k < ANSWERS; k++) {
        zlay_tensormap m = map_draw(answers[k].mode, SEED, answers[k].i);
        for (size_t b = 0; b < sizeof m; b++)
            hash = (hash ^ ((const uint8_t *)&m)[b]) * 0x100000001b3u;
    }
    if (hash != 0xc9f5514771fec1e1u) fail_msg("the maps are others: 0x%016llx", (unsigned long long)hash);
}

static void as_the_driver_answered(void **state)
{
    (void)state;
    const zlay_target *t = target_of("sm_90");
    uint32_t taken = 0;
    for (size_t k = 0; k < ANSWERS; k++) {
        zlay_tensormap m = map_draw(answers[k].mode, SEED, answers[k].i);
        zlay_verdict v = verdict_of(t, &m, NULL);
        int32_t said = answers[k].taken ? ZLAY_DRIVER_ACCEPTS : ZLAY_DRIVER_REFUSES;
        if (v.driver != said)
            fail_msg("mode %d, map %u: driver %d", answers[k].mode, answers[k].i, v.driver);
        if (!answers[k].taken) assert_int_equal(v.answer, ZLAY_NO);
        taken += answers[k].taken;
    }
    assert_true(taken > 500 && ANSWERS - taken > 1000);
}

/* Each rule that is the driver's on sm_90 refused some map alone, so that the answers are about it. */
static void every_driver_rule_refused_alone(void **state)
{
    (void)state;
    static bool alone[1000];
    zlay_reason r[REASONS];
    zlay_rule rule;
    for (size_t k = 0; k < ANSWERS; k++) {
        zlay_tensormap m = map_draw(answers[k].mode, SEED, answers[k].i);
        zlay_verdict v = verdict_of(target_of("sm_90"), &m, r);
        int32_t only = 0;
        for (uint32_t i = 0; i < v.reasons; i++)
            if (r[i].by == ZLAY_BY_DRIVER && !r[i].noted)
                only = only && only != r[i].rule ? -1 : r[i].rule;
        if (only > 0) alone[only] = true;
    }
    for (size_t i = 0; zlay_rule_nth(&rule, i) == ZLAY_OK; i++) {
        bool heard = rule.by != ZLAY_BY_DRIVER || !strcmp(rule.id, "TMAP_TARGET") || alone[rule.number];
        if (!strncmp(rule.id, "TMAP_", 5) && !heard) fail_msg("%s refused no map alone", rule.id);
    }
}

/* ---- a second predicate -------------------------------------------------------------------------- */

static void as_a_second_predicate(void **state)
{
    (void)state;
    const zlay_target *t = target_of("sm_90");
    uint64_t taken = 0, count = test_iterations(60000);
    for (int32_t mode = 0; mode < 3; mode++)
        for (uint64_t i = 0; i < count; i++) {
            zlay_tensormap m = map_draw(mode, SEED + 8, i);
            bool takes = driver_takes(&m);
            zlay_verdict v = verdict_of(t, &m, NULL);
            if (takes != (v.driver == ZLAY_DRIVER_ACCEPTS))
                fail_msg("mode %d, map %llu", mode, (unsigned long long)i);
            taken += takes;
        }
    assert_true(taken > count / 2);
}

/* A check runs the rows as code; here each is walked as data. What is beyond the room stays as it was. */
static void same_by_data(const zlay_target *t, const zlay_tensormap *m, size_t room)
{
    zl_subject subject = {&zl_tensormap_form, t, m};
    zlay_reason coded[REASONS], walked[REASONS];
    zlay_verdict by_code, by_data;
    memset(coded, 0x5a, sizeof coded);
    memset(walked, 0x5a, sizeof walked);
    assert_int_equal(zlay_tensormap_check(&by_code, coded, room, t, m), ZLAY_OK);
    assert_int_equal(zl_check(&by_data, walked, room, &subject, true), ZLAY_OK);
    assert_memory_equal(&by_code, &by_data, sizeof by_code);
    assert_memory_equal(coded, walked, sizeof coded);
}

static void one_verdict_by_two_roads(void **state)
{
    (void)state;
    static const char *const names[] = {"sm_80", "sm_90a", "sm_100", "sm_103", "sm_110", "sm_120", "gfx942"};
    static const size_t rooms[] = {REASONS, 0, 1, 2, 8};
    for (uint64_t i = 0; i < test_iterations(20000); i++) {
        zlay_tensormap m = map_draw((int32_t)(i % 3), SEED + 9, i);
        if (i % 11 == 0) m.type = 13 + (int32_t)(i % 4);
        same_by_data(target_of(names[i % 7]), &m, rooms[i / 7 % 5]);
    }
}

/* Any bits at all have a verdict, a repair or none, and reasons within their arrays. */
static void hostile_bits(void **state)
{
    (void)state;
    uint64_t s = test_seed("legality/tensormap/driver hostile");
    for (uint64_t i = 0; i < test_iterations(3000); i++) {
        zlay_tensormap m, out;
        int32_t keeps;
        uint64_t split;
        for (size_t b = 0; b < sizeof m; b++) ((uint8_t *)&m)[b] = (uint8_t)draw_next(&s);
        memset(m.reserved, 0, sizeof m.reserved);
        m.mode = i % 5 ? (int32_t)(i % 3) : m.mode;
        m.rank = i % 3 ? m.rank % 9 : m.rank;
        if (i % 2) m.type = (int32_t)(i % 17), m.interleave = (int32_t)(i % 3);
        same_by_data(target_of(i % 2 ? "sm_90" : "sm_100"), &m, REASONS);
        zlay_status status = zlay_tensormap_repair(&out, &keeps, &split, target_of("sm_90"), &m);
        assert_true(status == ZLAY_OK || status == ZLAY_NONE);
    }
}

/* Loads and stores, tiled and im2col, interleaved, stepped, filled and beyond every end. */
static void copies_leave_the_bytes_that_they_left(void **state)
{
    (void)state;
    static use_result is;
    uint32_t kinds[USE_KINDS] = {0}, faults = 0;
    for (size_t k = 0; k < USES; k++) {
        use_case u = use_draw(SEED, uses[k].i);
        if (!use_model(&is, &u, 1024)) fail_msg("use %u: the model refuses it", uses[k].i);
        if (is.fault != uses[k].fault) fail_msg("use %u: fault %u", uses[k].i, is.fault);
        if (!is.fault && use_hash(is.bytes) != uses[k].hash)
            fail_msg("use %u: other bytes", uses[k].i);
        assert_true(is.landed);
        kinds[u.kind]++;
        faults += is.fault != 0;
    }
    for (int k = 0; k < USE_KINDS; k++) assert_true(kinds[k] > 200);
    assert_true(faults > 3);
}

/* Counts beside the end of what is multiplied, and steps that are divided by. */
static void steps_fit(void **state)
{
    (void)state;
    for (uint32_t step = 0; step <= 12; step++)
        for (uint64_t count = 0; count <= 8200; count++)
            assert_int_equal(zl_steps(count, step), step ? count / step : 0);
    assert_int_equal(zl_steps(UINT32_MAX, 8), UINT32_MAX / 8);
    assert_int_equal(zl_steps(UINT32_MAX, UINT32_MAX), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_fit),
        cmocka_unit_test(the_maps_are_those_that_were_asked_about),
        cmocka_unit_test(as_the_driver_answered),
        cmocka_unit_test(every_driver_rule_refused_alone),
        cmocka_unit_test(as_a_second_predicate),
        cmocka_unit_test(one_verdict_by_two_roads),
        cmocka_unit_test(hostile_bits),
        cmocka_unit_test(copies_leave_the_bytes_that_they_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
