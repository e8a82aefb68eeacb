/* SPDX-License-Identifier: Apache-2.0 */
/* The model's stores: each row's value at its index, below the limit alone; two rows at one index, places outside of the array
 * and indices that are not known are refused, and a refused run stores nothing. Quotients, exact and of intervals. */
#include "body.h"

static const char tops[] = "body b\nmatrix C f32\noutput o f32\nindex n\nstore(o, row * 2, n, rowmax(C) / 4)\nend\n";

static void is(zlay_interval a, double low, double high)
{
    if (!same(a.low, low) || !same(a.high, high)) fail_msg("{%a, %a}, not {%a, %a}", a.low, a.high, low, high);
}

static void stores_below_the_limit(void **state)
{
    zlay_interval c[8], o[6], n[1] = {{5, 5}};
    body_request r = {4, 2, "(1,8):(0,1)"};
    zlay_sim_operand operands[] = {{c, 8}, {o, 6}, {n, 1}};
    for (int i = 0; i < 8; i++) c[i] = exactly(i);
    for (int i = 0; i < 6; i++) o[i] = exactly(-1);
    body_run(*state, tops, &r, operands, 3);
    for (int i = 0; i < 6; i++) is(o[i], i % 2 ? -1 : (i + 1) / 4.0, i % 2 ? -1 : (i + 1) / 4.0);
    for (int i = 0; i < 8; i++) is(c[i], i, i);
}

static void refused(zlay_ctx *ctx, const char *text, const body_request *r, const zlay_sim_operand *operands, zlay_status status,
                    const char *message)
{
    assert_int_equal(body_status(ctx, text, r, operands, 3), status);
    assert_string_equal(zlay_ctx_message(ctx), message);
}

static void refuses(void **state)
{
    zlay_interval c[8], o[6], n[1] = {{100, 100}};
    body_request r = {4, 2, "(1,8):(0,1)"};
    zlay_sim_operand operands[] = {{c, 8}, {o, 6}, {n, 1}};
    for (int i = 0; i < 8; i++) c[i] = exactly(i);
    for (int i = 0; i < 6; i++) o[i] = exactly(-1);
    refused(*state, tops, &r, operands, ZLAY_EINVAL, "store(o, 6): the array has 6 values (row 3 of the matrix)");
    refused(*state, "body b\nmatrix C f32\noutput o f32\nindex n\nstore(o, and(row, 1), n, rowmax(C))\nend\n", &r, operands, ZLAY_EINVAL,
            "store(o, 0): rows 0 and 2 both store there");
    refused(*state, "body b\nmatrix C f32\noutput o f32\nindex n\nstore(o, row - 1, n, rowmax(C))\nend\n", &r, operands, ZLAY_EINVAL,
            "store(o, -1): the array has 6 values (row 0 of the matrix)");
    n[0] = (zlay_interval){1, 2};
    refused(*state, tops, &r, operands, ZLAY_ENOTSUP, "store(o, ..): the index is not known exactly");
    operands[1].values = NULL;
    refused(*state, tops, &r, operands, ZLAY_EINVAL, "o: values is NULL");
    for (int i = 0; i < 6; i++) is(o[i], -1, -1);
}

/* A row that stores twice leaves its last value; an array of no elements is one. */
static void stores_again(void **state)
{
    zlay_interval c[8], o[4], n[1] = {{4, 4}};
    body_request r = {4, 2, "(1,8):(0,1)"};
    zlay_sim_operand operands[] = {{c, 8}, {o, 4}, {n, 1}};
    static const char text[] = "body b\nmatrix C f32\noutput o f32\nindex n\nstore(o, row, n, 1)\nstore(o, row, n, f32(row))\nend\n";
    for (int i = 0; i < 8; i++) c[i] = exactly(i);
    for (int i = 0; i < 4; i++) o[i] = exactly(-1);
    body_run(*state, text, &r, operands, 3);
    for (int i = 0; i < 4; i++) is(o[i], i, i);
    n[0] = exactly(0);
    operands[1] = (zlay_sim_operand){NULL, 0};
    body_run(*state, text, &r, operands, 3);
}

/* ---- quotients ------------------------------------------------------------------------------ */

static zlay_interval quotient(zlay_ctx *ctx, zlay_interval a, zlay_interval b)
{
    zlay_interval c[1] = {{0, 0}};
    body_request r = {1, 1, "(1,1):(0,1)"};
    zlay_sim_operand operands[] = {{c, 1}, {&a, 1}, {&b, 1}};
    body_run(ctx, "body b\nmatrix C f32\nscalar a f32\nscalar b f32\nC = a / b\nend\n", &r, operands, 3);
    return c[0];
}

static void divides(void **state)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    zlay_ctx *ctx = *state;
    is(quotient(ctx, exactly(1), exactly(3)), 0x1.555556p-2, 0x1.555556p-2);
    is(quotient(ctx, exactly(0x1p-126), exactly(3)), 0x1.555558p-128, 0x1.555558p-128);
    is(quotient(ctx, exactly(0x1p-149), exactly(2)), 0, 0);         /* half of the least: to even */
    is(quotient(ctx, exactly(3 * 0x1p-149), exactly(2)), 0x1p-148, 0x1p-148);
    is(quotient(ctx, exactly(1), exactly(-0.0)), -inf, -inf);
    is(quotient(ctx, exactly(0), exactly(0)), nan, nan);
    is(quotient(ctx, exactly(inf), exactly(inf)), nan, nan);
    is(quotient(ctx, exactly(0x1p127), exactly(0x1p-10)), inf, inf);
    is(quotient(ctx, (zlay_interval){-1, 2}, (zlay_interval){2, 4}), -0.5, 1);
    is(quotient(ctx, (zlay_interval){1, 2}, (zlay_interval){-4, -2}), -1, -0.25);
    is(quotient(ctx, (zlay_interval){1, 2}, (zlay_interval){-1, 1}), nan, inf); /* any number */
    is(quotient(ctx, (zlay_interval){1, inf}, (zlay_interval){1, inf}), nan, inf);
    is(quotient(ctx, exactly(nan), exactly(2)), nan, nan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_below_the_limit),
        cmocka_unit_test(refuses),
        cmocka_unit_test(stores_again),
        cmocka_unit_test(divides),
    };
    return cmocka_run_group_tests_name("sim/body_stores", tests, begin, end);
}
