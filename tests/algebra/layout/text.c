/* SPDX-License-Identifier: Apache-2.0 */
/* The text of layouts, hostile text among it, and what makers do with their arguments. */
#include "layouts/layout.h"

/* ---- the worked example of the header ---------------------------------------------- */

static void worked_example(void **state)
{
    static const int64_t plain[16] = {0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15};
    static const int64_t swizzled[16] = {0, 2, 4, 6, 1, 3, 5, 7, 9, 11, 13, 15, 8, 10, 12, 14};
    static const struct { const char *text; const int64_t *value; int kind; } row[] = {
        {"(4,(2,2)):(2,(1,8))", plain, ZLAY_LAYOUT_STRIDED},
        {"Sw<1,0,3> o 0 o (4,(2,2)):(2,(1,8))", swizzled, ZLAY_LAYOUT_SWIZZLED},
        {"f2{in0: (2) (4); in1: (1) (8) -> out0: 16}", plain, ZLAY_LAYOUT_F2},
    };
    for (size_t r = 0; r < 3; r++) {
        uint64_t cosize;
        zlay_layout *a = read_layout(*state, row[r].text);
        assert_int_equal(zlay_layout_kind(a), row[r].kind);
        assert_int_equal(zlay_layout_size(a), 16);
        assert_int_equal(zlay_layout_cosize(*state, &cosize, a), ZLAY_OK);
        assert_int_equal(cosize, 16);
        for (uint64_t i = 0; i < 16; i++) assert_int_equal(layout_at(a, i), row[r].value[i]);
        assert_text(a, row[r].text);
        zlay_layout_free(a);
    }
}

/* ---- text --------------------------------------------------------------------------- */

static void canonical_text(void **state)
{
    static const char *const row[][2] = {
        {"8", "8:1"},
        {" _8 ", "8:1"},
        {"(4,(2,3))", "(4,(2,3)):(1,(4,8))"},
        {"(8):(2)", "(8):(2)"},
        {"((_8,_64)):((_64,_1))", "((8,64)):((64,1))"},
        {"7 o 8:-1", "7 o 8:-1"},
        {"0 o 8:_-1", "8:-1"},
        {"-9223372036854775808 o 1:0", "-9223372036854775808 o 1:0"},
        {"9223372036854775807:1", "9223372036854775807:1"},
        {"Sw<0,4,3> o 0 o 8:1", "8:1"},
        {"Sw<3,4,3> o 5 o (8,64):(64,1)", "Sw<3,4,3> o 5 o (8,64):(64,1)"},
        {"Sw<3,4,3> o _0 o (_8,_64):(_64,_1)", "Sw<3,4,3> o 0 o (8,64):(64,1)"},
        {"Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)", "Sw<3,3,3> o 0 o (8,64):(64,1)"},
        {"Sw<3,4,3> o smem_ptr[8b](unset) o (8,64):(64,1)", "Sw<3,4,3> o 0 o (8,64):(64,1)"},
        {"Sw<2,4,3> o smem_ptr[4b](unset) o (8,64):(64,1)", "Sw<2,5,3> o 0 o (8,64):(64,1)"},
        {"Sw<3,4,-3> o 0 o 1024", "Sw<3,4,-3> o 0 o 1024:1"},
        {"f2{register: (0,1) (0,2); lane: (0,4) (1,0) -> dim0: 2, dim1: 8}",
         "f2{register: (0,1) (0,2); lane: (0,4) (1,0) -> dim0: 2, dim1: 8}"},
        {"f2 { a :(1)( 2 ) ;warp:->x:4 } ", "f2{a: (1) (2); warp: -> x: 4}"},
        {"f2{->x:1}", "f2{-> x: 1}"},
    };
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++)
        assert_prints(*state, row[r][0], row[r][1]);
}

static void refused_text(void **state)
{
    static const struct { const char *text; zlay_status status; const char *names; } row[] = {
        {"", ZLAY_EINVAL, "byte 0"},
        {"(", ZLAY_EINVAL, "byte 1"},
        {"()", ZLAY_EINVAL, "byte 1"},
        {"(8", ZLAY_EINVAL, "byte 2"},
        {"(8,)", ZLAY_EINVAL, "byte 3"},
        {"(8,4)):1", ZLAY_EINVAL, "byte 5"},
        {"8:", ZLAY_EINVAL, "byte 2"},
        {"8:1:1", ZLAY_EINVAL, "byte 3"},
        {"0:1", ZLAY_EINVAL, "below 1"},
        {"(4,-2)", ZLAY_EINVAL, "below 1"},
        {"(4,2):1", ZLAY_EINVAL, "nested or counted"},
        {"(4,2):(1,2,3)", ZLAY_EINVAL, "nested or counted"},
        {"(4,2,3):(1,2)", ZLAY_EINVAL, "nested or counted"},
        {"(4,(2)):(1,2)", ZLAY_EINVAL, "nested or counted"},
        {"(4,(2,2)):((1,2,3))", ZLAY_EINVAL, "nested or counted"},
        {"((4,2),2):((1,2,3))", ZLAY_EINVAL, "nested or counted"},
        {"8 o o", ZLAY_EINVAL, "byte 4"},
        {"8:1\x01", ZLAY_EINVAL, "\\x01"},
        {"8:\xff", ZLAY_EINVAL, "\\xff"},
        {"9223372036854775808", ZLAY_EOVERFLOW, "9223372036854775808"},
        {"99999999999999999999999:1", ZLAY_EOVERFLOW, "byte 0"},
        {"(4294967296,4294967296):(0,0)", ZLAY_EOVERFLOW, "size"},
        {"(4294967296,4294967296,2):(1,1,1)", ZLAY_EOVERFLOW, "size"},
        {"3:9223372036854775807", ZLAY_EOVERFLOW, "value"},
        {"9223372036854775807 o 2:1", ZLAY_EOVERFLOW, "value"},
        {"(9223372036854775807,3,2)", ZLAY_EOVERFLOW, "mode 2"},
        {"Sw<3,4,2> o 0 o 8", ZLAY_EINVAL, "overlap"},
        {"Sw<3,-1,3> o 0 o 8", ZLAY_EINVAL, "0 or more"},
        {"Sw<20,23,20> o 0 o 8", ZLAY_EINVAL, "62"},
        {"Sw<9999999999,0,3> o 0 o 8", ZLAY_EINVAL, "byte"},
        {"Sw<3,4> o 0 o 8", ZLAY_EINVAL, "byte 6"},
        {"Sw<3,4,3>", ZLAY_EINVAL, "byte 9"},
        {"Sw<3,0,3> o smem_ptr[16b](unset) o 8", ZLAY_EINVAL, "inside an element"},
        {"Sw<3,4,3> o smem_ptr[12b](unset) o 8", ZLAY_EINVAL, "power of two"},
        {"Sw<3,4,3> o smem_ptr[16b](0x0) o 8", ZLAY_EINVAL, "byte"},
        {"f2", ZLAY_EINVAL, "byte 2"},
        {"f2{}", ZLAY_EINVAL, "->"},
        {"f2{a: (1) -> }", ZLAY_EINVAL, "')'"},
        {"f2{a: (1) -> x: }", ZLAY_EINVAL, "byte 16"},
        {"f2{a: (6) -> x: 6}", ZLAY_EINVAL, "size of x"},
        {"f2{a: (1) -> x: 0}", ZLAY_EINVAL, "a size of 1 or more"},
        {"f2{a: (2) -> x: 2}", ZLAY_EINVAL, "size of x"},
        {"f2{a: (1,1) -> x: 2}", ZLAY_EINVAL, "byte 8"},
        {"f2{a: (1); a: (1) -> x: 2}", ZLAY_EINVAL, "byte 12: two dimensions are called a"},
        {"f2{a: (1) -> x: 2, x: 2}", ZLAY_EINVAL, "byte 20: two dimensions are called x"},
        {"f2{a: (1) -> x: 2} 3", ZLAY_EINVAL, "byte 19"},
        {"f2{a: (0) -> x: 9223372036854775808, y: 4}", ZLAY_EOVERFLOW, "64 bits"},
        {"f2{a: (0) -> x: 9223372036854775809, y: 2}", ZLAY_EOVERFLOW, "64 bits"},
        {"{ [i] -> [i] }", ZLAY_EINVAL, "unbounded in dimension 0"},
    };
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++)
        assert_refused(*state, row[r].text, row[r].status, row[r].names);
    zlay_layout *a = NULL;
    assert_int_equal(zlay_layout_parse(*state, &a, "8\0:1", 4), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_parse(*state, &a, NULL, 4), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_parse(*state, NULL, "8", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_parse(NULL, &a, "8", 1), ZLAY_EINVAL);
}

static char *repeated(const char *open, size_t count, const char *middle, const char *close)
{
    char *text = malloc(count * (strlen(open) + strlen(close)) + strlen(middle) + 1), *at = text;
    for (size_t i = 0; i < count; i++) at += sprintf(at, "%s", open);
    at += sprintf(at, "%s", middle);
    for (size_t i = 0; i < count; i++) at += sprintf(at, "%s", close);
    return text;
}

static void limits_of_text(void **state)
{
    static const struct { const char *open, *middle, *close; size_t count; zlay_status status; }
        row[] = {
            {"(", "2", ")", 64, ZLAY_OK},        {"(", "2", ")", 65, ZLAY_ELIMIT},
            {"(", "2", ")", 400000, ZLAY_ELIMIT}, {"(", "", "", 1000000, ZLAY_ELIMIT},
            {"1,", "1)", "", 63, ZLAY_OK},        {"1,", "1)", "", 64, ZLAY_ELIMIT},
            {"9", "", "", 1000000, ZLAY_EOVERFLOW}, {" ", "8", "", 1000000, ZLAY_OK},
            {" ", "8", "", 1 << 20, ZLAY_ELIMIT},
        };
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++) {
        zlay_layout *a = NULL;
        char *text = repeated(row[r].open, row[r].count, row[r].middle, row[r].close);
        if (row[r].open[0] == '1') {
            char *tuple = malloc(strlen(text) + 2);
            sprintf(tuple, "(%s", text);
            free(text);
            text = tuple;
        }
        assert_int_equal(zlay_layout_parse(*state, &a, text, strlen(text)), row[r].status);
        assert_true((a != NULL) == !row[r].status);
        zlay_layout_free(a);
        free(text);
    }
}

/* ---- makers and their arguments ------------------------------------------------------ */

static void made(void **state)
{
    static const int64_t shape[3] = {4, 2, 3}, stride[3] = {2, 1, -8}, bad[1] = {0};
    zlay_layout *a, *b;
    assert_int_equal(zlay_layout_new_strided(*state, &a, 3, shape, stride, 16), ZLAY_OK);
    assert_text(a, "16 o (4,2,3):(2,1,-8)");
    assert_int_equal(zlay_layout_new_swizzled(*state, &b, 2, 0, 2, a), ZLAY_OK);
    assert_text(b, "Sw<2,0,2> o 16 o (4,2,3):(2,1,-8)");
    zlay_layout *c = a;
    assert_int_equal(zlay_layout_new_swizzled(*state, &c, 2, 0, 2, b), ZLAY_EINVAL);
    assert_null(c);
    assert_int_equal(zlay_layout_new_swizzled(*state, &c, 3, 0, 2, a), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_new_swizzled(*state, &c, 30, 3, 30, a), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_new_swizzled(*state, &c, 3, INT32_MAX, INT32_MIN, a), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_new_swizzled(*state, &c, 3, 0, 3, NULL), ZLAY_EINVAL);
    zlay_layout_free(b);
    zlay_layout_free(a);
    assert_int_equal(zlay_layout_new_strided(*state, &a, 1, shape, stride, 0), ZLAY_OK);
    assert_text(a, "4:2");
    zlay_layout_free(a);
    assert_int_equal(zlay_layout_new_strided(*state, &a, 1, bad, stride, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_new_strided(*state, &a, 0, shape, stride, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_new_strided(*state, &a, 1, NULL, stride, 0), ZLAY_EINVAL);
    assert_null(a);
}

static void outputs_untouched(void **state)
{
    zlay_layout *a = read_layout(*state, "f2{a: (1,0) (0,1) -> x: 2, y: 2}");
    int64_t value[2] = {7, 7};
    uint64_t index = 7;
    zlay_answer answer = 7;
    assert_int_equal(zlay_layout_eval(value, 1, a, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_eval(value, 2, a, 4), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_eval(value, 2, NULL, 0), ZLAY_EINVAL);
    assert_int_equal(value[0], 7);
    assert_int_equal(zlay_layout_eval(value, 2, a, 2), ZLAY_OK);
    assert_true(value[0] == 0 && value[1] == 1);
    assert_int_equal(zlay_layout_index(*state, &index, a, "4", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_cosize(*state, &index, NULL), ZLAY_EINVAL);
    assert_int_equal(index, 7);
    assert_int_equal(zlay_layout_equal(*state, &answer, NULL, a, NULL), ZLAY_EINVAL);
    assert_int_equal(answer, 7);
    assert_int_equal(zlay_layout_kind(NULL), 0);
    assert_int_equal(zlay_layout_size(NULL), 0);
    assert_int_equal(zlay_layout_out_count(NULL), 0);
    zlay_layout_free(NULL);
    zlay_layout_free(a);
}

static void indices(void **state)
{
    static const struct { const char *layout, *at; zlay_status status; uint64_t index; } row[] = {
        {"(4,(2,2))", "(1,(0,1))", 0, 9},   {"(4,(2,2))", "[1,[0,1]]", 0, 9},
        {"(4,(2,2))", "(1,3)", 0, 13},      {"(4,(2,2))", " 7 ", 0, 7},
        {"((2,3),4)", "(5,1)", 0, 11},      {"((2,3),4)", "((1,2),3)", 0, 23},
        {"(((2,3)),4)", "((5),1)", 0, 11},  {"(((2,3)),4)", "(((1,2)),1)", 0, 11},
        {"8", "[3]", 0, 3},                 {"(8)", "(3)", 0, 3},
        {"f2{a: (1) (2); b: (4) -> x: 8}", "(3,1)", 0, 7},
        {"(4,(2,2))", "(1,4)", -1, 0},      {"(4,(2,2))", "16", -1, 0},
        {"(4,(2,2))", "(1,(0,2))", -1, 0},  {"(4,(2,2))", "(1,(0,1)", -1, 0},
        {"(4,(2,2))", "(1)", -1, 0},        {"(4,(2,2))", "(1,0,0)", -1, 0},
        {"(4,(2,2))", "((1),0)", -1, 0},    {"(4,(2,2))", "(1,[0,1))", -1, 0},
        {"(4,(2,2))", "", -1, 0},           {"(4,(2,2))", "-1", -1, 0},
        {"(4,(2,2))", "(1,(0,1)) 1", -1, 0}, {"8", "((3))", -1, 0},
        {"8", "(3]", -1, 0},                {"8", "99999999999999999999", -3, 0},
    };
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++) {
        uint64_t index = 0;
        zlay_layout *a = read_layout(*state, row[r].layout);
        zlay_status status = zlay_layout_index(*state, &index, a, row[r].at, strlen(row[r].at));
        if (status != row[r].status || index != row[r].index)
            fail_msg("%s at %s: %d, %d", row[r].layout, row[r].at, (int)status, (int)index);
        zlay_layout_free(a);
    }
}

/* ---- hostile text ---------------------------------------------------------------------------- */

static void mutated_text(void **state)
{
    static const char *const seeds[] = {
        "(4,(2,2)):(2,(1,8))", "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)",
        "7 o 8:-1", "f2{register: (0,1) (0,2); lane: (0,4) (1,0) -> dim0: 2, dim1: 8}",
    };
    static const char alphabet[] = "0123456789(),:;<>-_ o{}[]aSwf2\t\x01\xff";
    uint64_t seed = test_seed("mutations");
    for (uint64_t n = 0; n < test_iterations(100000); n++) {
        char text[128], again[1024];
        zlay_layout *a, *b;
        size_t length = strlen(strcpy(text, seeds[test_range(&seed, 0, 3)]));
        for (int64_t k = test_range(&seed, 1, 4); k--;)
            text[test_range(&seed, 0, (int64_t)length - 1)] =
                alphabet[test_range(&seed, 0, sizeof alphabet - 1)];
        length -= (size_t)test_range(&seed, 0, 3);
        zlay_status status = zlay_layout_parse(*state, &a, text, length);
        assert_true((status == 0) == (a != NULL) && (status == 0) == !*zlay_ctx_message(*state));
        if (a && zlay_layout_print(&(zlay_buf){again, sizeof again, 0}, a) == ZLAY_OK) {
            assert_int_equal(zlay_layout_parse(*state, &b, again, strlen(again)), ZLAY_OK);
            assert_text(b, again);
            zlay_layout_free(b);
        }
        zlay_layout_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example), cmocka_unit_test(canonical_text),
        cmocka_unit_test(refused_text), cmocka_unit_test(limits_of_text), cmocka_unit_test(made),
        cmocka_unit_test(outputs_untouched), cmocka_unit_test(indices),
        cmocka_unit_test(mutated_text),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
