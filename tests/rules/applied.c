/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of issued copies and barriers, as a plan applies them. */
#include "legality.h"
#include "legality/copy/copy.h"

typedef struct seen {
    int32_t rule;
    uint32_t asked, broken;
    zlay_reason last; /* that was broken */
} seen;

static void see(void *arg, const zlay_reason *reason, bool held)
{
    seen *s = arg;
    if (reason->rule != s->rule) return;
    s->asked++;
    s->broken += !held;
    if (!held) s->last = *reason;
}

static seen ask(const char *rule, const zlay_copy *copy, uint64_t expect, uint64_t count)
{
    seen s = {.rule = rule_number(rule)};
    zlay_tensormap map = legal_map();
    zl_issue issue;
    zl_issue_of(&issue, &map, copy, expect, count);
    zl_subject subject = {&zl_copy_form, target_of("sm_90a"), &issue};
    zl_walk(&subject, see, &s);
    return s;
}

static bool breaks(const char *rule, const zlay_copy *copy)
{
    seen s = ask(rule, copy, 0, 0);
    assert_true(s.asked > 0);
    return s.broken > 0;
}

static const zlay_copy load = {.kind = ZLAY_COPY_TENSOR_LOAD, .bytes = 8192};
static const zlay_copy store = {.kind = ZLAY_COPY_TENSOR_STORE, .bytes = 8192};

/* bf16: 8 elements are 16 bytes; on an H200 x = 1 and -1 fault, x = 8, -16 and -64 run. */
static void the_first_coordinate(void **state)
{
    (void)state;
    static const int32_t runs[] = {0, 8, 16, -8, -64}, faults[] = {1, -1, 4, 7, 9, INT32_MAX, -3};
    zlay_copy c = load;
    for (size_t i = 0; i < 5; i++) {
        c.coordinate[0] = runs[i];
        assert_false(breaks("COPY_COORDINATE_16", &c));
    }
    for (size_t i = 0; i < 7; i++) {
        c.coordinate[0] = faults[i];
        assert_true(breaks("COPY_COORDINATE_16", &c));
    }
    c.coordinate[0] = 64;
    c.coordinate[1] = 3; /* of other dimensions any */
    assert_false(breaks("COPY_COORDINATE_16", &c));
}

/* Every tile's, not only the first one's. */
static void what_the_next_tile_adds(void **state)
{
    (void)state;
    zlay_copy c = load;
    c.advance[0][2] = 64;
    assert_int_equal(ask("COPY_COORDINATE_16", &c, 0, 0).asked, 2);
    assert_false(breaks("COPY_COORDINATE_16", &c));
    c.advance[0][0] = 20;
    seen s = ask("COPY_COORDINATE_16", &c, 0, 0);
    assert_true(s.asked == 3 && s.broken == 1 && s.last.value == 40);
    c.advance[0][0] = 0;
    c.advance[1][1] = 20;
    assert_false(breaks("COPY_COORDINATE_16", &c));
}

static void the_shared_address(void **state)
{
    (void)state;
    zlay_copy c = load;
    for (uint32_t at = 0; at <= 1024; at++) {
        c.smem = at;
        assert_int_equal(breaks("COPY_SMEM_128", &c), at % 128 != 0);
    }
    c.smem = 130;
    seen s = ask("COPY_SMEM_128", &c, 0, 0);
    assert_true(s.last.fix_value == 256 && s.last.fix_keeps == ZLAY_KEEPS_BYTES);
}

/* On an H200 a store at -16 or row -1 faults, a load there is filled. */
static void stores_start_inside(void **state)
{
    (void)state;
    zlay_copy c = store;
    assert_false(breaks("COPY_STORE_AT", &c));
    c.coordinate[1] = -1;
    seen s = ask("COPY_STORE_AT", &c, 0, 0);
    assert_true(s.asked == 2 && s.broken == 1 && s.last.field == ZLAY_FIELD_COORDINATE);
    c.coordinate[1] = INT32_MAX;
    assert_false(breaks("COPY_STORE_AT", &c));
    c.kind = ZLAY_COPY_TENSOR_LOAD;
    c.coordinate[0] = -16;
    assert_int_equal(ask("COPY_STORE_AT", &c, 0, 0).asked, 0);
}

static void stores_of_ragged_rows(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map();
    zl_issue issue;
    zl_issue_of(&issue, &map, &store, 0, 0);
    zl_subject subject = {&zl_copy_form, target_of("sm_90a"), &issue};
    for (uint64_t n = 1; n <= 64; n++) {
        seen s = {.rule = rule_number("COPY_STORE_16")};
        map.extent[0] = n;
        zl_walk(&subject, see, &s);
        assert_true(s.asked == 1 && s.broken == (n * 2 % 16 != 0));
    }
}

/* Box 9 with step 2 takes 5 rows: on an H200 it completes at 320 of 5 rows of 64 bytes, never at
 * 576. */
static void bytes_of_a_box(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map();
    zlay_copy c = load;
    zl_issue issue;
    zl_subject subject = {&zl_copy_form, target_of("sm_90a"), &issue};
    static const struct {
        uint32_t bytes, broken;
    } asked[] = {{320, 0}, {576, 1}, {256, 1}, {319, 1}, {321, 1}};
    map.box[0] = 32;
    map.box[1] = 9;
    map.step[0] = 4; /* without effect */
    map.step[1] = 2;
    for (size_t i = 0; i < 5; i++) {
        seen s = {.rule = rule_number("COPY_BYTES")};
        c.bytes = asked[i].bytes;
        zl_issue_of(&issue, &map, &c, 0, 0);
        zl_walk(&subject, see, &s);
        assert_true(s.asked == 1 && s.broken == asked[i].broken);
        if (s.broken) assert_int_equal(s.last.fix_value, 320);
    }
}

static void barriers(void **state)
{
    (void)state;
    static const struct {
        uint64_t value;
        bool bytes, count;
    } edges[] = {{1, false, false},
                 {(1 << 20) - 1, false, false},
                 {1 << 20, true, true},
                 {UINT64_MAX, true, true}};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(ask("BARRIER_BYTES", &load, edges[i].value, 1).broken, edges[i].bytes);
        assert_int_equal(ask("BARRIER_COUNT", &load, 0, edges[i].value).broken, edges[i].count);
    }
    assert_int_equal(ask("BARRIER_BYTES", &load, 0, 1).broken, 0);
    assert_int_equal(ask("BARRIER_COUNT", &load, 0, 0).asked, 0); /* no barrier */
}

/* cp.async moves 4, 8 or 16 bytes, ld and st any power of two up to 16; each aligned to itself. */
static void widths_of_threads(void **state)
{
    (void)state;
    for (uint32_t width = 1; width <= 32; width++) {
        zlay_copy c = {.kind = ZLAY_COPY_CP_ASYNC, .width = width};
        assert_int_equal(breaks("CPASYNC_WIDTH", &c), width != 4 && width != 8 && width != 16);
        assert_int_equal(ask("THREAD_WIDTH", &c, 0, 0).asked, 0);
        for (c.kind = ZLAY_COPY_THREAD_LOAD; c.kind <= ZLAY_COPY_THREAD_STORE; c.kind++) {
            bool power = (width & (width - 1)) == 0 && width <= 16;
            assert_int_equal(breaks("THREAD_WIDTH", &c), !power);
            assert_int_equal(ask("CPASYNC_WIDTH", &c, 0, 0).asked, 0);
        }
    }
    assert_int_equal(ask("THREAD_WIDTH", &load, 0, 0).asked, 0);
}

static void threads_are_aligned(void **state)
{
    (void)state;
    static const char *const rules[] = {"COPY_WIDTH", "COPY_WIDTH_ADDRESS", "COPY_WIDTH_SMEM"};
    for (uint32_t width = 4; width <= 16; width *= 2)
        for (uint32_t off = 0; off <= 32; off += 2)
            for (int which = 0; which < 3; which++) {
                zlay_tensormap map = legal_map();
                zlay_copy c = {.kind = ZLAY_COPY_CP_ASYNC, .width = width};
                zl_issue issue;
                zl_subject subject = {&zl_copy_form, target_of("sm_80"), &issue};
                seen s = {.rule = rule_number(rules[which])};
                if (which == 0) map.stride[0] += off;
                else if (which == 1) map.address += off;
                else c.smem = off;
                zl_issue_of(&issue, &map, &c, 0, 0);
                zl_walk(&subject, see, &s);
                assert_true(s.asked == 1 && s.broken == (off % width != 0));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_coordinate),
        cmocka_unit_test(what_the_next_tile_adds),
        cmocka_unit_test(the_shared_address),
        cmocka_unit_test(stores_start_inside),
        cmocka_unit_test(stores_of_ragged_rows),
        cmocka_unit_test(bytes_of_a_box),
        cmocka_unit_test(barriers),
        cmocka_unit_test(widths_of_threads),
        cmocka_unit_test(threads_are_aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
