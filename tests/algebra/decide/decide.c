/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions: the worked example, and large layouts whose answers follow from how they are made. */
#include "layouts/decide.h"

static zlay_answer injective(zlay_ctx *ctx, const char *text, uint64_t w[2])
{
    zlay_answer answer = 7;
    zlay_layout *a = read_layout(ctx, text);
    assert_int_equal(zlay_layout_is_injective(ctx, &answer, w, a), ZLAY_OK);
    if (answer == ZLAY_NO) {
        assert_true(w[0] < w[1]);
        assert_int_equal(layout_at(a, w[0]), layout_at(a, w[1]));
    }
    zlay_layout_free(a);
    return answer;
}

static zlay_answer bijective(zlay_ctx *ctx, const char *text, zlay_fault *f)
{
    zlay_answer answer = 7;
    zlay_layout *a = read_layout(ctx, text);
    assert_int_equal(zlay_layout_is_bijective(ctx, &answer, f, a), ZLAY_OK);
    zlay_layout_free(a);
    return answer;
}

static zlay_answer surjective(zlay_ctx *ctx, const char *text, uint64_t onto, uint64_t *missed)
{
    zlay_answer answer = 7;
    zlay_layout *a = read_layout(ctx, text);
    assert_int_equal(zlay_layout_is_surjective(ctx, &answer, missed, a, &onto, 1), ZLAY_OK);
    zlay_layout_free(a);
    return answer;
}

static zlay_answer contained(zlay_ctx *ctx, const char *x, const char *y, int64_t *value)
{
    uint64_t w = 0;
    zlay_answer answer = 7;
    zlay_layout *a = read_layout(ctx, x), *b = read_layout(ctx, y);
    assert_int_equal(zlay_layout_contained(ctx, &answer, &w, a, b), ZLAY_OK);
    *value = layout_at(a, w);
    zlay_layout_free(b);
    zlay_layout_free(a);
    return answer;
}

static void worked_example(void **state)
{
    uint64_t w[2], missed;
    int64_t value;
    zlay_fault f;
    assert_int_equal(injective(*state, "(3,2):(2,3)", w), ZLAY_YES);
    assert_int_equal(bijective(*state, "(3,2):(2,3)", &f), ZLAY_NO);
    assert_int_equal(f.fault, ZLAY_FAULT_MISSED);
    assert_int_equal(f.missed, 1);
    assert_int_equal(surjective(*state, "(3,2):(1,2)", 5, &missed), ZLAY_YES);
    assert_int_equal(injective(*state, "(3,2):(1,2)", w), ZLAY_NO);
    assert_int_equal(w[0], 2);
    assert_int_equal(w[1], 3);
    assert_int_equal(contained(*state, "(3,2):(2,3)", "8", &value), ZLAY_YES);
    assert_int_equal(contained(*state, "(3,2):(2,3)", "7", &value), ZLAY_NO);
    assert_int_equal(value, 7);
}

static void large_injective(void **state)
{
    static const struct { const char *text; zlay_answer answer; } rows[] = {
        {"4611686018427387904:1", ZLAY_YES},
        {"(2147483648,2147483648):(2147483648,1)", ZLAY_YES},
        {"(2147483648,2147483648):(2147483647,1)", ZLAY_NO},
        {"(2147483648,2147483647):(2147483647,1)", ZLAY_YES},
        {"(1048576,1048576,1048576):(1,1048576,-1099511627776)", ZLAY_YES},
        {"(1048576,1048576,1048576):(1,1048575,-1099511627776)", ZLAY_NO},
        {"(1048576,1,1048576):(3,0,5)", ZLAY_NO},
        {"(1048576,2,1048576):(3,0,3145728)", ZLAY_NO},
        {"(1000003,1000033):(1000033,1000003)", ZLAY_YES},
        {"(1000004,1000034):(1000033,1000003)", ZLAY_NO},
        {"(1000003,1000033,1000037):(1000033,1000003,1000036000099)", ZLAY_YES},
        {"(1000004,1000033,1000037):(1000033,1000003,1000036000099)", ZLAY_NO},
        {"(1000003,1000033,9):(1000033,1000003,1000036000099000000)", ZLAY_YES},
        {"(1000,1000,1000,1000):(1007,5003,70011,900001)", ZLAY_NO},
        {"(3,5,7,9,11):(3465,2079,1485,1155,945)", ZLAY_NO},
        {"(3,5,7,2,11):(770,462,330,1155,210)", ZLAY_YES},
        {"(1009,1013,1019,1021,1031):(1086595836797,1082305231321,1075932482167,1073824876913,1063409504683)", ZLAY_YES},
        {"(1010,1014,1020,1022,1032):(1086595836797,1082305231321,1075932482167,1073824876913,1063409504683)", ZLAY_NO},
        {"Sw<3,4,3> o 0 o 1099511627776", ZLAY_YES},
        {"Sw<3,4,3> o 5 o (3,1099511627776):(1099511627776,1)", ZLAY_YES},
        {"Sw<3,4,3> o 5 o (4,1099511627776):(1099511627775,1)", ZLAY_NO},
        {"f2{a: (1) (2) (4) (8) (16) (32) (64) (128) (256) (512) (1024) (2048) (4096) (8192) (16384)"
         " (32768) (65536) (131072) (262144) (524288) (1048576) (2097152) (4194304) (8388608) (5)"
         " -> x: 16777216}", ZLAY_NO},
        {"{ [i] -> [i] : 0 <= i < 1099511627776 and i != 77 }", ZLAY_YES},
        {"{ [i] -> [i mod 1099511627775] : 0 <= i < 1099511627776 }", ZLAY_NO},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        uint64_t w[2];
        if (injective(*state, rows[r].text, w) != rows[r].answer) fail_msg("%s", rows[r].text);
    }
}

static void large_surjective(void **state)
{
    static const struct { const char *text; uint64_t onto; zlay_answer answer; uint64_t missed; } rows[] = {
        {"4611686018427387904:1", 4611686018427387904u, ZLAY_YES, 0},
        {"4611686018427387904:1", 4611686018427387905u, ZLAY_NO, 4611686018427387904u},
        {"4611686018427387904:-1", 2, ZLAY_NO, 1},
        {"4611686018427387903 o 4611686018427387904:-1", 4611686018427387904u, ZLAY_YES, 0},
        {"(1048576,1048576):(1048576,1)", 1099511627776u, ZLAY_YES, 0},
        {"(1048576,1048576):(1048577,1)", 1099511627776u, ZLAY_NO, 1048576},
        {"(1048576,1048576):(1048575,1)", 1099510579201u, ZLAY_YES, 0},
        {"(1048576,1048576):(1048575,1)", 1099510579202u, ZLAY_NO, 1099510579201u},
        {"-3 o (4,1099511627776):(1,4)", 4398046511101u, ZLAY_YES, 0},
        {"-3 o (4,1099511627776):(1,5)", 4398046511101u, ZLAY_NO, 1},
        {"1 o 1099511627776:1", 1, ZLAY_NO, 0},
        {"Sw<3,4,3> o 0 o 1099511627776", 1099511627776u, ZLAY_YES, 0},
        {"Sw<3,4,3> o 0 o 1099511627775", 1099511627775u, ZLAY_NO, 1099511627663u},
        {"Sw<3,4,3> o 0 o (3,366503875925):(366503875925,1)", 1099511627775u, ZLAY_NO, 1099511627663u},
        {"{ [i] -> [i] : 0 <= i < 1099511627776 and i != 77 }", 1099511627776u, ZLAY_NO, 77},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        uint64_t missed = 0;
        zlay_answer answer = surjective(*state, rows[r].text, rows[r].onto, &missed);
        if (answer != rows[r].answer || missed != rows[r].missed)
            fail_msg("%s: %d, %llu", rows[r].text, (int)answer, (unsigned long long)missed);
    }
}

static void large_bijective(void **state)
{
    static const struct { const char *text; zlay_answer answer; int32_t fault; uint64_t missed; } rows[] = {
        {"(1048576,1048576):(1048576,1)", ZLAY_YES, 0, 0},
        {"(1048576,1048576):(1048577,1)", ZLAY_NO, ZLAY_FAULT_MISSED, 1048576},
        {"(1048576,1048576):(1048575,1)", ZLAY_NO, ZLAY_FAULT_COLLISION, 0},
        {"7 o 1099511627776", ZLAY_NO, ZLAY_FAULT_MISSED, 0},
        {"1099511627775 o (1048576,1048576):(-1048576,-1)", ZLAY_YES, 0, 0},
        {"Sw<5,10,5> o 0 o (1048576,1048576):(1048576,1)", ZLAY_YES, 0, 0},
        {"f2{a: (1,0) (0,1); b: (0,2) (2,3) -> x: 4, y: 4}", ZLAY_YES, 0, 0},
        {"f2{a: (1,0) (0,1); b: (0,2) (2,3) -> x: 4, y: 8}", ZLAY_NO, ZLAY_FAULT_MISSED, 16},
        {"f2{a: (1) -> x: 4}", ZLAY_NO, ZLAY_FAULT_MISSED, 2},
        {"2:1", ZLAY_YES, 0, 0},
        {"{ [i] -> [i - 1] : 0 < i < 1099511627776 and i != 77 }", ZLAY_NO, ZLAY_FAULT_MISSED, 76},
        {"{ [i] -> [i] : 0 <= i < 77; [i] -> [i - 1] : 77 < i < 1099511627776 }", ZLAY_YES, 0, 0},
        {"{ [i] -> [i] : 0 <= i < 77; [i] -> [77 - i] : 77 < i < 1099511627776 }", ZLAY_NO,
         ZLAY_FAULT_MISSED, 77},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        zlay_fault f = {0};
        zlay_answer answer = bijective(*state, rows[r].text, &f);
        if (answer != rows[r].answer || f.fault != rows[r].fault || f.missed != rows[r].missed)
            fail_msg("%s: %d, fault %d, %llu", rows[r].text, (int)answer, (int)f.fault,
                     (unsigned long long)f.missed);
    }
}

static void large_contained(void **state)
{
    static const struct { const char *a, *b; zlay_answer answer; int64_t value; } rows[] = {
        {"1099511627776:2", "2199023255552", ZLAY_YES, 0},
        {"1099511627776:2", "2199023255551", ZLAY_YES, 0},
        {"1099511627776:2", "2199023255550", ZLAY_NO, 2199023255550},
        {"1099511627776:2", "(2,1099511627776):(1,4)", ZLAY_NO, 2},
        {"(1048576,1048576):(4,8388608)", "(4,1048576,1048576):(1,4,8388608)", ZLAY_YES, 0},
        {"(1048576,1048576):(4,8388608)", "(4,1048575,1048576):(1,4,8388608)", ZLAY_NO, 4194300},
        {"3 o (1048576,1048576):(4,8388608)", "(3,1048576,1048576):(1,4,8388608)", ZLAY_NO, 3},
        {"(4,1048576,1048576):(1,8,33554432)", "(2,2,1048576,2097152):(1,2,8,16777216)", ZLAY_YES, 0},
        {"(4,1048576,1048577):(1,8,33554432)", "(2,2,1048576,2097152):(1,2,8,16777216)", ZLAY_NO,
         35184372088832},
        {"Sw<3,4,3> o 0 o (1048576,1048576):(4,8388608)",
         "Sw<3,4,3> o 0 o (4,1048576,1048576):(1,4,8388608)", ZLAY_YES, 0},
        {"Sw<3,4,3> o 0 o 1099511627776", "Sw<2,2,9> o 0 o (2,549755813888):(549755813888,1)", ZLAY_YES, 0},
        {"Sw<3,4,3> o 0 o 1099511627776:2", "1099511627776:2", ZLAY_YES, 0},
        {"Sw<3,4,3> o 0 o (2049,2049):(2049,1)", "4198401", ZLAY_YES, 0},
        {"Sw<3,4,3> o 0 o (2049,2049):(2049,1)", "4198400", ZLAY_NO, 4198400},
        {"Sw<3,4,3> o 0 o 1000000000001:1", "Sw<2,4,3> o 0 o 1000000000000:1", ZLAY_NO, 1000000000000},
        {"Sw<3,4,3> o 0 o 1000000000001:1", "1000000001024", ZLAY_YES, 0},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        int64_t value;
        zlay_answer answer = contained(*state, rows[r].a, rows[r].b, &value);
        if (answer != rows[r].answer || (answer == ZLAY_NO && value != rows[r].value))
            fail_msg("%s, %s: %d, %lld", rows[r].a, rows[r].b, (int)answer, (long long)value);
    }
}

/* 40 bits, of which every second one adds 1, 2, 3. */
#define WIDE_BITS                                                                                      \
    "f2{a: (1) (0) (2) (0) (3) (0) (1) (0) (2) (0) (3) (0) (1) (0) (2) (0) (3) (0) (1) (0) "            \
    "(2) (0) (3) (0) (1) (0) (2) (0) (3) (0) (1) (0) (2) (0) (3) (0) (1) (0) (2) (0) -> x: "

static void large_equal(void **state)
{
    static const struct { const char *a, *b; zlay_answer answer; uint64_t index; } rows[] = {
        {"(1048576,1048576):(1,1048576)", "1099511627776", ZLAY_YES, 0},
        {"Sw<3,4,3> o 0 o 1099511627776", "Sw<3,4,-3> o 0 o 1099511627776", ZLAY_NO, 16},
        {"Sw<3,4,3> o 0 o 1099511627776:1024", "1099511627776:1024", ZLAY_YES, 0},
        {"Sw<3,4,3> o 0 o 1099511627776:512", "1099511627776:512", ZLAY_NO, 1},
        {"Sw<3,4,3> o 5 o (3,1099511627777):(1,1024)", "5 o (3,1099511627777):(1,1024)", ZLAY_YES, 0},
        {"Sw<3,4,3> o 5 o (3,1099511627777):(1,1024)", "5 o (3,1099511627777):(1,2048)", ZLAY_NO, 3},
        {"Sw<1,0,3> o 0 o (3,5,1099511627776):(24,5,128)", "(3,5,1099511627776):(24,5,128)", ZLAY_NO, 1},
        {"Sw<1,0,8> o 0 o (3,1099511627776):(0,384)", "(3,1099511627776):(0,384)", ZLAY_NO, 3},
        {"Sw<1,0,8> o 0 o (3,1099511627776):(7,512)", "Sw<1,1,8> o 0 o (3,1099511627776):(7,512)",
         ZLAY_NO, 3},
        {WIDE_BITS "7}", WIDE_BITS "7}", ZLAY_YES, 0},
        {WIDE_BITS "7}", WIDE_BITS "9}", ZLAY_NO, 0x55},
        {WIDE_BITS "7}", WIDE_BITS "8}", ZLAY_NO, 0x11},
        {"f2{a: (1) (2) (4) (8) (16) -> x: 33}", "32", ZLAY_YES, 0},
        {"f2{a: (1) (2) (4) (8) (16) -> x: 31}", "32", ZLAY_NO, 31},
        {"(8,4):(1,9)", "f2{a: (1) (2) (4) (9) (18) -> x: 64}", ZLAY_NO, 9},
        {"{ [i] -> [i mod 8] : 0 <= i < 1000000000000 }", "(8,125000000000):(1,0)", ZLAY_YES, 0},
        {"{ [i] -> [i mod 9] : 0 <= i < 1000000000000 }", "(8,125000000000):(1,0)", ZLAY_NO, 8},
        {"{ [i] -> [i] : 0 <= i < 1000000000000 and i != 4 }", "1000000000000", ZLAY_NO, 4},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        zlay_witness w = {0};
        zlay_answer answer = 7;
        zlay_layout *a = read_layout(*state, rows[r].a), *b = read_layout(*state, rows[r].b);
        assert_int_equal(zlay_layout_equal(*state, &answer, &w, a, b), ZLAY_OK);
        if (answer != rows[r].answer || w.index != rows[r].index)
            fail_msg("%s, %s: %d, %llu", rows[r].a, rows[r].b, (int)answer,
                     (unsigned long long)w.index);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
}

/* Extents whose product passes 2^63 are not merged, and are no difference. */
static void extents_past_63_bits(void **state)
{
    static const char *const rows[][2] = {
        {"(9223372036854775807,2):(0,0)", "(2,9223372036854775807):(0,0)"},
        {"(4611686018427387904,3):(0,0)", "(3,4611686018427387904):(0,0)"},
    };
    for (size_t i = 0; i < 2; i++) {
        zlay_layout *a = read_layout(*state, rows[i][0]), *b = read_layout(*state, rows[i][1]);
        zlay_answer answer;
        assert_int_equal(zlay_layout_equal(*state, &answer, NULL, a, b), ZLAY_OK);
        assert_int_not_equal(answer, ZLAY_NO);
        zlay_layout_free(a);
        zlay_layout_free(b);
    }
}

/* Outputs of 2^64 are reached by 2^64 points alone. */
static void outputs_of_64_bits(void **state)
{
    static const struct { const char *text; uint64_t missed; } rows[] = {
        {"f2{i: -> o: 18446744073709551616}", 1},
        {"f2{i: (1) -> o: 18446744073709551616}", 2},
        {"f2{i: (1,0) (4,0) -> o: 18446744073709551616, p: 1}", 2},
    };
    zlay_fault f;
    zlay_answer answer;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zlay_layout *a = read_layout(*state, rows[i].text);
        assert_int_equal(zlay_layout_is_bijective(*state, &answer, &f, a), ZLAY_OK);
        assert_int_equal(answer, ZLAY_NO);
        assert_int_equal(f.fault, ZLAY_FAULT_MISSED);
        assert_true(f.missed == rows[i].missed);
        zlay_layout_free(a);
    }
}

/* A value is a word of 64 bits: an f2 layout and its own coalesce, which is strided with strides
 * below 0 where they pass 2^63, are equal. */
static zlay_layout *random_words(zlay_ctx *ctx, uint64_t *seed)
{
    char text[2048];
    int at = sprintf(text, "f2{i:"), bits = (int)test_range(seed, 1, 9);
    for (int k = 0; k < bits; k++) {
        uint64_t basis = test_random(seed) & test_random(seed) & test_random(seed);
        if (k % 3 == 0) basis |= (uint64_t)1 << 63;
        if (k % 3 == 1) basis = (uint64_t)1 << test_range(seed, 0, 63);
        at += sprintf(text + at, " (%llu)", (unsigned long long)basis);
    }
    sprintf(text + at, " -> o: 18446744073709551616}");
    return read_layout(ctx, text);
}

static void words_of_64_bits(void **state)
{
    uint64_t seed = test_seed("words of 64 bits");
    for (uint64_t n = 0; n < test_iterations(3000); n++) {
        zlay_layout *a = random_words(*state, &seed), *b = NULL;
        zlay_answer equal = ZLAY_NO, there = ZLAY_NO, back = ZLAY_NO;
        assert_int_equal(zlay_layout_coalesce(*state, &b, a), ZLAY_OK);
        assert_int_equal(zlay_layout_equal(*state, &equal, NULL, a, b), ZLAY_OK);
        assert_int_equal(zlay_layout_contained(*state, &there, NULL, a, b), ZLAY_OK);
        assert_int_equal(zlay_layout_contained(*state, &back, NULL, b, a), ZLAY_OK);
        if (equal != ZLAY_YES || there != ZLAY_YES || back != ZLAY_YES) {
            char text[2][1024];
            fail_msg("%s and its coalesce %s: equal %d, contained %d, %d", layout_text(text[0], a),
                     layout_text(text[1], b), equal, there, back);
        }
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extents_past_63_bits), cmocka_unit_test(worked_example),
        cmocka_unit_test(words_of_64_bits), cmocka_unit_test(outputs_of_64_bits),
        cmocka_unit_test(large_injective), cmocka_unit_test(large_surjective),
        cmocka_unit_test(large_bijective), cmocka_unit_test(large_contained),
        cmocka_unit_test(large_equal),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
