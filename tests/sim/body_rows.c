/* SPDX-License-Identifier: Apache-2.0 */
/* The model's rows: sums in the order that a fragment gives, worked by hand, parts and lanes, an online softmax in two steps against doubles;
 * coordinates, scalars, loads; requests that are none, memory that ends, limits. */
#include "body.h"
#include "ctx.h"
#include "heap.h"
#include "test.h"

#include <zlay/zlay.h>

enum { LANES = 32 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void is(zlay_interval a, double want)
{
    if (!same(a.low, want) || !same(a.high, want)) fail_msg("{%a, %a}, not %a", a.low, a.high, want);
}

/* ---- order ---------------------------------------------------------------------------------------------------------------- */

static zlay_interval sum_of(zlay_ctx *ctx, const double *row, uint32_t columns, const char *fragment)
{
    zlay_interval c[64], m[1];
    body_request r = {1, columns, fragment};
    zlay_sim_operand operands[] = {{c, columns}, {m, 1}};
    for (uint32_t i = 0; i < columns; i++) c[i] = exactly(row[i]);
    body_run(ctx, "body sum\nmatrix C f32\nrow m f32\nm = rowsum(C)\nend\n", &r, operands, 2);
    return m[0];
}

/* Four lanes have four elements each, as in a row of m64n16.  1 + 2^-24 is 1, so lane 0's part is 1, and the other lanes' 2^-22 each; column
 * after column would give 1, from the last to the first 1 + 2^-20. */
static void sums_in_the_order_of_threads(void **state)
{
    zlay_ctx *ctx = *state;
    double row[16];
    for (int i = 0; i < 16; i++) row[i] = i ? 0x1p-24 : 1;
    is(sum_of(ctx, row, 16, "(4,(2,2)):(2,(1,8))"), 1 + 3 * 0x1p-22);
    is(sum_of(ctx, row, 16, "(1,16):(0,1)"), 1);
    is(sum_of(ctx, row, 16, "15 o (1,16):(0,-1)"), 1 + 0x1p-20);
    is(sum_of(ctx, row, 16, "(16,1):(1,0)"), 1 + 14 * 0x1p-24); /* pairs of lanes: 1; 2^-23 seven times, 1 + 2^-23, ... */
    row[0] = 1 + 0x1p-23;
    is(sum_of(ctx, row, 2, "(1,2):(0,1)"), 1 + 0x1p-22);
}

/* The lowest bit first: 1 + 2^-24 is 1, then 1 + 2^-24 again; the other way 2^-24 + 2^-24 is not lost. */
static void joins_the_lowest_bit_first(void **state)
{
    static const double low[] = {1, 0x1p-24, 0, 0x1p-24}, high[] = {1, 0, 0x1p-24, 0x1p-24};
    is(sum_of(*state, low, 4, "(4,1):(1,0)"), 1);
    is(sum_of(*state, high, 4, "(4,1):(1,0)"), 1 + 0x1p-23);
    is(sum_of(*state, low, 4, "((2,2),1):((2,1),0)"), 1 + 0x1p-23); /* lane 1 holds column 2 */
}

/* The first element begins the sum: two -0 are -0. */
static void begins_with_the_first(void **state)
{
    static const double zeros[] = {-0.0, -0.0, -0.0, -0.0};
    is(sum_of(*state, zeros, 4, "(2,2):(1,2)"), -0.0);
}

/* Lanes 8 and 16 apart share a row. */
static void finds_lanes_of_any_bits(void **state)
{
    enum { ROWS = 8, COLUMNS = 8 };
    zlay_interval c[ROWS * COLUMNS], m[ROWS];
    body_request r = {ROWS, COLUMNS, "((8,4),2):((1,8),32)"};
    zlay_sim_operand operands[] = {{c, ROWS * COLUMNS}, {m, ROWS}};
    for (int i = 0; i < ROWS * COLUMNS; i++) c[i] = exactly(i);
    body_run(*state, "body sum\nmatrix C f32\nrow m f32\nm = rowsum(C)\nend\n", &r, operands, 2);
    for (int i = 0; i < ROWS; i++) is(m[i], 64 * i + 28);
}

/* ---- parts ------------------------------------------------------------------------------------------------------------------------ */

/* D of m64n16: lane 4 (r % 8) + l of a warp holds columns 2 l, 2 l + 1, 8 + 2 l and 9 + 2 l of row r. */
static void reduces_parts_and_lanes(void **state)
{
    enum { ROWS = 64, COLUMNS = 16 };
    static const char text[] = "body b\nmatrix C f32\npart s f32\npart g f32\nrow a f32\nrow b f32\nrow x f32\nrow y f32\n"
                               "s = s + partsum(C)\ng = partmax(C)\na = lanesum(s)\nb = lanemax(g)\nx = rowmax(C)\ny = rowmin(C)\nend\n";
    static zlay_interval c[ROWS * COLUMNS], s[ROWS * LANES], g[ROWS * LANES], rows[4][ROWS];
    zlay_ctx *ctx = *state;
    body_request r = {ROWS, COLUMNS, "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))"};
    zlay_sim_operand operands[] = {{c, COUNT(c)}, {s, COUNT(s)}, {g, COUNT(g)}, {rows[0], ROWS}, {rows[1], ROWS}, {rows[2], ROWS}, {rows[3], ROWS}};
    for (int i = 0; i < ROWS * COLUMNS; i++) c[i] = exactly(i / COLUMNS * 100 + i % COLUMNS * i % COLUMNS);
    for (size_t i = 0; i < COUNT(s); i++) s[i] = exactly(1000), g[i] = exactly(-7);
    body_run(ctx, text, &r, operands, COUNT(operands));
    for (int row = 0; row < ROWS; row++) {
        double all = 0, most = 0, least = 1e9;
        for (int lane = 0; lane < LANES; lane++) {
            int l = lane % 4, columns[4] = {2 * l, 2 * l + 1, 8 + 2 * l, 9 + 2 * l};
            double part = 0, greatest = 0;
            for (int k = 0; k < 4; k++) {
                double x = c[row * COLUMNS + columns[k]].low;
                part += x;
                greatest = x > greatest ? x : greatest;
                most = x > most ? x : most;
                least = x < least ? x : least;
            }
            bool held = lane / 4 == row % 8;
            is(s[row * LANES + lane], held ? 1000 + part : 1000);
            is(g[row * LANES + lane], held ? greatest : -7);
            all += held ? 1000 + part : 0;
        }
        is(rows[0][row], all);
        is(rows[1][row], most);
        is(rows[2][row], most);
        is(rows[3][row], least);
    }
}

static void leaves_nan_out_of_the_greatest(void **state)
{
    zlay_interval c[4] = {{NAN, NAN}, {-3, -3}, {-1, -1}, {NAN, NAN}}, m[3];
    body_request r = {1, 4, "(2,2):(1,2)"};
    zlay_sim_operand operands[] = {{c, 4}, {m, 1}, {m + 1, 1}, {m + 2, 1}};
    body_run(*state, "body b\nmatrix C f32\nrow x f32\nrow y f32\nrow z f32\nx = rowmax(C)\ny = rowmin(C)\nz = rowsum(C)\nend\n", &r, operands, 4);
    is(m[0], -1);
    is(m[1], -3);
    is(m[2], (double)NAN);
}

/* ---- softmax ------------------------------------------------------------------------------------------------------------------------ */

enum { TILE = 32, STEPS = 2 };

/* Two tiles of scores, one after the other: the greatest, the scaled sum and the probabilities of the second; the sum's interval holds the
 * exact one, and is narrow. */
static void softmax_in_two_steps(void **state)
{
    enum { ROWS = 64 };
    static const char text[] = "body online\nmatrix S f32\nmatrix P bf16\nrow m f32\npart l f32\nrow sum f32\nrow lse f32\nscalar scale f32\n"
                               "n = max(m, rowmax(S) * scale)\nk = exp2(m - n)\np = exp2(fma(S, scale, -n))\nl = l * k + partsum(p)\nP = bf16(p)\nm = n\nsum = lanesum(l)\nlse = n + log2(sum)\nend\n";
    static zlay_interval s[ROWS * TILE], p[ROWS * TILE], m[ROWS], l[ROWS * LANES], sum[ROWS], lse[ROWS], scale[1];
    static double score[ROWS][TILE * STEPS];
    uint64_t seed = test_seed("sim/body_rows softmax");
    const double factor = (float)(1.4426950408889634 / 8);
    body_request r = {ROWS, TILE, "((4,8,4),(2,2,4)):((128,1,16),(64,8,512))"};
    zlay_sim_operand operands[] = {{s, COUNT(s)}, {p, COUNT(p)}, {m, ROWS}, {l, COUNT(l)}, {sum, ROWS}, {lse, ROWS}, {scale, 1}};
    scale[0] = exactly(factor);
    for (int i = 0; i < ROWS; i++) m[i] = exactly(-(double)INFINITY);
    for (size_t i = 0; i < COUNT(l); i++) l[i] = exactly(0);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < ROWS * TILE; i++) {
            score[i / TILE][step * TILE + i % TILE] = (float)((double)test_range(&seed, -40000, 40000) / 1000);
            s[i] = exactly(score[i / TILE][step * TILE + i % TILE]);
        }
        body_run(*state, text, &r, operands, COUNT(operands));
    }
    for (int row = 0; row < ROWS; row++) {
        double most = -(double)INFINITY, all = 0;
        for (int i = 0; i < TILE * STEPS; i++) most = fmax(most, (float)(score[row][i] * factor));
        for (int i = 0; i < TILE * STEPS; i++) all += exp2(score[row][i] * factor - most);
        is(m[row], most);
        if (!(sum[row].low < all * (1 + 1e-6) && sum[row].high > all * (1 - 1e-6) && sum[row].high / sum[row].low < 1 + 1e-5)) fail_msg("row %d: {%.9g, %.9g}, not %.9g", row, sum[row].low, sum[row].high, all);
        assert_true(lse[row].low <= most + log2(all) + 1e-6 && lse[row].high >= most + log2(all) - 1e-6 && lse[row].high - lse[row].low < 1e-4);
        for (int i = 0; i < TILE; i++) {
            double want = exp2(score[row][TILE + i] * factor - most);
            zlay_interval got = p[row * TILE + i];
            assert_true(got.low <= want * (1 + 0x1p-8) && got.high >= want * (1 - 0x1p-8) && got.high <= got.low * (1 + 0x1p-6));
        }
    }
}

/* ---- operands ---------------------------------------------------------------------------------------------------------------------------- */

/* Row, column, index and scalar reach the element that they should; a later line takes the place of an earlier one; what a matrix was is read
 * in its place. */
static void finds_elements(void **state)
{
    enum { ROWS = 3, COLUMNS = 4 };
    static const char text[] = "body b\nmatrix C f32\ncolumn v f32\nrow u f32\nscalar a f32\nindex k\nglobal g s32\nmatrix D s32\n"
                               "C = C * 2\nC = C + v * 10 + u * 100 + a\nv = v + a\nu = 5\nD = row * 1000 + col + load(g, k + col, 6)\nend\n";
    zlay_interval c[ROWS * COLUMNS], v[COLUMNS], u[ROWS], a[1] = {{7, 7}}, k[1] = {{3, 3}}, g[6], d[ROWS * COLUMNS];
    body_request r = {ROWS, COLUMNS, "(1,12):(0,1)"};
    zlay_sim_operand operands[] = {{c, COUNT(c)}, {v, COLUMNS}, {u, ROWS}, {a, 1}, {k, 1}, {g, 6}, {d, COUNT(d)}};
    for (int i = 0; i < ROWS * COLUMNS; i++) c[i] = exactly(i);
    for (int i = 0; i < COLUMNS; i++) v[i] = exactly(i);
    for (int i = 0; i < ROWS; i++) u[i] = exactly(i);
    for (int i = 0; i < 6; i++) g[i] = exactly(i * 100000);
    body_run(*state, text, &r, operands, COUNT(operands));
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        int row = i / COLUMNS, column = i % COLUMNS;
        is(c[i], 2 * i + 10 * column + 100 * row + 7);
        is(d[i], 1000 * row + column + (column < 3 ? 100000 * (3 + column) : 0));
    }
    for (int i = 0; i < COLUMNS; i++) is(v[i], i + 7);
    for (int i = 0; i < ROWS; i++) is(u[i], 5);
}

/* ---- what is refused ------------------------------------------------------------------------------------------------------------------------ */

static void refuses(zlay_ctx *ctx, const char *text, const body_request *r, zlay_sim_operand *operands, size_t count, zlay_status status, const char *message)
{
    zlay_status is_status = body_status(ctx, text, r, operands, count);
    if (is_status != status || strcmp(zlay_ctx_message(ctx), message))
        fail_msg("%s: %s, %s\nnot %s", text, zlay_status_name(is_status), zlay_ctx_message(ctx), message);
}

static void refuses_fragments(void **state)
{
    static const char sum[] = "body b\nmatrix C f32\nrow m f32\nm = rowsum(C)\nend\n", twice[] = "body b\nmatrix C f32\nC = C + C\nend\n";
    static zlay_interval c[128], m[128];
    static const struct {
        const char *text;
        body_request r;
        zlay_status status;
        const char *message;
    } rows[] = {
        {twice, {2, 4, "(2,2):(1,2)"}, ZLAY_EINVAL, "fragment: it has 4 elements, the matrix 8"},
        {twice, {2, 4, "8:1"}, ZLAY_EINVAL, "fragment: it is no (thread, value) -> element"},
        {twice, {2, 4, "(2,2,2):(1,2,4)"}, ZLAY_EINVAL, "fragment: it is no (thread, value) -> element"},
        {twice, {2, 4, "(2,4):(0,1)"}, ZLAY_EINVAL, "fragment: thread 1, value 0 holds element 0, which another one holds too"},
        {twice, {2, 4, "(2,4):(1,3)"}, ZLAY_EINVAL, "fragment: thread 0, value 3 holds element 9, outside the matrix"},
        {twice, {2, 4, "(2,4):(-1,2)"}, ZLAY_EINVAL, "fragment: thread 1, value 0 holds element -1, outside the matrix"},
        {twice, {0, 4, "(2,4):(1,2)"}, ZLAY_EINVAL, "rows, columns: no matrix has 0 x 4 elements"},
        {twice, {2, 4, NULL}, ZLAY_EINVAL, "fragment: it is NULL"},
        {twice, {2, 4, "(N,4):(1,2)"}, ZLAY_ENOTSUP, "the layout has the parameter N"},
        {sum, {1, 64, "(64,1):(1,0)"}, ZLAY_ENOTSUP, "fragment: threads 0 and 63 of different warps hold row 0, and it is reduced by shuffles in one warp"},
        {sum, {1, 3, "(3,1):(1,0)"}, ZLAY_ENOTSUP, "fragment: 3 lanes hold row 0, and no exchanges by XOR join these lanes"},
        {sum, {2, 8, "((2,2,4),1):((2,1,4),0)"}, ZLAY_OK, ""},
        {sum, {2, 2, "{ [t, v] -> [0] : t = 0 and v = 0; [t, v] -> [2] : t = 1 and v = 0; [t, v] -> [1] : t = 2 and v = 0; [t, v] -> [3] : t = 3 and v = 0 }"}, ZLAY_OK, ""},
        {sum, {2, 2, "{ [t, v] -> [0] : t = 0 and v = 0; [t, v] -> [2] : t = 0 and v = 1; [t, v] -> [1] : t = 1 and v = 0; [t, v] -> [3] : t = 1 and v = 1 }"}, ZLAY_OK, ""},
        {sum, {4, 2, "{ [t, v] -> [0] : t = 0 and v = 0; [t, v] -> [4] : t = 1 and v = 0; [t, v] -> [1] : t = 2 and v = 0; [t, v] -> [2] : t = 3 and v = 0; [t, v] -> [3] : t = 4 and v = 0; [t, v] -> [7] : t = 5 and v = 0; [t, v] -> [5] : t = 6 and v = 0; [t, v] -> [6] : t = 7 and v = 0 }"},
         ZLAY_ENOTSUP, "fragment: lanes share row 1 along other bits than row 0"},
        {sum, {2, 2, "{ [t, v] -> [0] : t = 0 and v = 0; [t, v] -> [2] : t = 1 and v = 0; [t, v] -> [1] : t = 0 and v = 1 }"}, ZLAY_EINVAL, "fragment: thread 1, value 1 holds nothing"},
    };
    for (size_t k = 0; k < COUNT(rows); k++) {
        size_t elements = (size_t)rows[k].r.rows * rows[k].r.columns;
        zlay_sim_operand operands[] = {{c, elements}, {m, rows[k].r.rows}};
        for (size_t i = 0; i < elements; i++) c[i] = exactly(1);
        refuses(*state, rows[k].text, &rows[k].r, operands, rows[k].text == sum ? 2 : 1, rows[k].status, rows[k].message);
        if (rows[k].text == sum && rows[k].status == ZLAY_OK) is(m[0], rows[k].r.columns);
    }
}

static const char scaled[] = "body b\nmatrix C f32\nscalar a f32\nglobal g f32\nindex k\nC = C * a + load(g, k + col)\nend\n";

static void refuses_operands(void **state)
{
    zlay_interval c[4], a[1] = {{2, 2}}, g[8], k[1] = {{1, 1}};
    body_request r = {2, 2, "(1,4):(0,1)"};
    zlay_sim_operand operands[] = {{c, 4}, {a, 1}, {g, 8}, {k, 1}};
    zlay_ctx *ctx = *state;
    for (int i = 0; i < 8; i++) c[i % 4] = g[i] = exactly(i);
    refuses(ctx, scaled, &r, operands, 3, ZLAY_EINVAL, "count: the body has 4 operands, not 3");
    operands[0].count = 3;
    refuses(ctx, scaled, &r, operands, 4, ZLAY_EINVAL, "C: it has 4 values, not 3");
    operands[0].count = 4, operands[1].values = NULL;
    refuses(ctx, scaled, &r, operands, 4, ZLAY_EINVAL, "a: values is NULL");
    operands[1].values = a, a[0] = exactly(0.1);
    refuses(ctx, scaled, &r, operands, 4, ZLAY_EINVAL, "a[0] is {0.10000000000000001, 0.10000000000000001}: no value of f32");
    a[0] = (zlay_interval){3, 2};
    refuses(ctx, scaled, &r, operands, 4, ZLAY_EINVAL, "a[0] is {3, 2}: no value of f32");
    a[0] = (zlay_interval){0, -0.0};
    refuses(ctx, scaled, &r, operands, 4, ZLAY_EINVAL, "a[0] is {0, -0}: no value of f32");
    a[0] = exactly(2), k[0] = (zlay_interval){0, (double)INFINITY};
    refuses(ctx, scaled, &r, operands, 4, ZLAY_EINVAL, "k[0] is {0, inf}: no value of s32");
    k[0] = exactly(0.5);
    refuses(ctx, scaled, &r, operands, 4, ZLAY_EINVAL, "k[0] is {0.5, 0.5}: no value of s32");
    k[0] = exactly(7);
    refuses(ctx, scaled, &r, operands, 4, ZLAY_EINVAL, "load(g, 8): the array has 8 values (row 0 of the matrix)");
    k[0] = exactly(-1);
    refuses(ctx, scaled, &r, operands, 4, ZLAY_EINVAL, "load(g, -1): the array has 8 values (row 0 of the matrix)");
    k[0] = (zlay_interval){0, 1};
    refuses(ctx, scaled, &r, operands, 4, ZLAY_ENOTSUP, "load(g, ..): the index is not known exactly");
    k[0] = exactly(1), g[2] = exactly(0.3);
    refuses(ctx, scaled, &r, operands, 4, ZLAY_EINVAL, "g[2] is {0.29999999999999999, 0.29999999999999999}: no value of f32");
    for (int i = 0; i < 4; i++) is(c[i], i + 4); /* nothing was written */
}

/* From the limit on nothing is read, and below it a load is one as ever. */
static void loads_below_the_limit(void **state)
{
    static const char text[] = "body b\nmatrix C f32\nglobal g f32\nindex n\nC = load(g, row * 2 + col, n)\nend\n";
    zlay_interval c[4], g[3] = {{1, 1}, {2, 2}, {3, 3}}, n[1] = {{3, 3}};
    body_request r = {2, 2, "(1,4):(0,1)"};
    zlay_sim_operand operands[] = {{c, 4}, {g, 3}, {n, 1}};
    body_run(*state, text, &r, operands, 3);
    for (int i = 0; i < 4; i++) is(c[i], i < 3 ? i + 1 : 0);
    n[0] = exactly(4);
    refuses(*state, text, &r, operands, 3, ZLAY_EINVAL, "load(g, 3): the array has 3 values (row 1 of the matrix)");
    n[0] = exactly(0), operands[1] = (zlay_sim_operand){NULL, 0};
    body_run(*state, text, &r, operands, 3);
    for (int i = 0; i < 4; i++) is(c[i], 0);
}

/* ---- requests, memory, limits ------------------------------------------------------------------------------------------------------------------ */

typedef struct call {
    const zlay_body *body;
    zlay_sim_body_request request;
    zlay_sim_operand operands[2];
} call;

static zlay_status call_again(zlay_ctx *ctx, void *asked)
{
    call *c = asked;
    return zlay_sim_body(ctx, c->operands, 2, c->body, &c->request);
}

enum { SIDE = 16 };
static zlay_interval square[SIDE * SIDE], sums[SIDE];

static call call_of(zlay_ctx *ctx)
{
    static const char text[] = "body b\nmatrix C f32\nrow m f32\nm = rowsum(C * 2)\nend\n";
    call c = {.body = read_body(ctx, text), .operands = {{square, SIDE * SIDE}, {sums, SIDE}}};
    c.request = (zlay_sim_body_request){.size = sizeof c.request, .rows = SIDE, .columns = SIDE, .fragment = read_layout(ctx, "(16,16):(1,16)")};
    for (int i = 0; i < SIDE * SIDE; i++) square[i] = exactly(1);
    return c;
}

static void call_free(call *c)
{
    zlay_layout_free((zlay_layout *)c->request.fragment);
    zlay_body_free((zlay_body *)c->body);
}

static void refuses_requests(void **state)
{
    zlay_ctx *ctx = *state;
    call c = call_of(ctx);
    assert_int_equal(zlay_sim_body(NULL, c.operands, 2, c.body, &c.request), ZLAY_EINVAL);
    assert_int_equal(zlay_sim_body(ctx, NULL, 2, c.body, &c.request), ZLAY_EINVAL);
    assert_int_equal(zlay_sim_body(ctx, c.operands, 2, NULL, &c.request), ZLAY_EINVAL);
    assert_int_equal(zlay_sim_body(ctx, c.operands, 2, c.body, NULL), ZLAY_EINVAL);
    c.request.size = 8;
    assert_int_equal(call_again(ctx, &c), ZLAY_EINVAL);
    c.request.size = sizeof c.request, c.request.reserved = 1;
    assert_int_equal(call_again(ctx, &c), ZLAY_EINVAL);
    assert_string_equal(zlay_ctx_message(ctx), "reserved: a word is not 0");
    c.request.reserved = 0, c.request.reserved2[1] = 1;
    assert_int_equal(call_again(ctx, &c), ZLAY_EINVAL);
    c.request.reserved2[1] = 0;
    assert_int_equal(call_again(ctx, &c), ZLAY_OK);
    is(sums[3], 32);
    call_free(&c);
}

static void keeps_limits(void **state)
{
    (void)state;
    static const zlay_limits few[] = {{.size = sizeof(zlay_limits), .points = 255}, {.size = sizeof(zlay_limits), .work = 20000}, {.size = sizeof(zlay_limits), .memory = 2000}};
    zlay_ctx *ctx = ctx_new();
    call c = call_of(ctx);
    for (size_t k = 0; k < COUNT(few); k++) {
        sums[0] = exactly(-1);
        assert_int_equal(zlay_ctx_set_limits(ctx, &few[k]), ZLAY_OK);
        assert_int_equal(call_again(ctx, &c), ZLAY_ELIMIT);
        is(sums[0], -1);
        assert_int_equal(zlay_ctx_set_limits(ctx, NULL), ZLAY_OK);
        assert_int_equal(call_again(ctx, &c), ZLAY_OK);
    }
    call_free(&c);
    zlay_ctx_free(ctx);
}

static void survives_without_memory(void **state)
{
    (void)state;
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    call c = call_of(ctx);
    sums[0] = exactly(-1);
    assert_int_equal(heap_fails_each(&h, ctx, call_again, &c), ZLAY_OK);
    is(sums[0], 32);
    assert_true(h.calls > 0);
    call_free(&c);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_in_the_order_of_threads),
        cmocka_unit_test(joins_the_lowest_bit_first),
        cmocka_unit_test(begins_with_the_first),
        cmocka_unit_test(finds_lanes_of_any_bits),
        cmocka_unit_test(reduces_parts_and_lanes),
        cmocka_unit_test(leaves_nan_out_of_the_greatest),
        cmocka_unit_test(softmax_in_two_steps),
        cmocka_unit_test(finds_elements),
        cmocka_unit_test(refuses_fragments),
        cmocka_unit_test(refuses_operands),
        cmocka_unit_test(loads_below_the_limit),
        cmocka_unit_test(refuses_requests),
        cmocka_unit_test(keeps_limits),
        cmocka_unit_test(survives_without_memory),
    };
    return cmocka_run_group_tests_name("sim/body_rows", tests, begin, end);
}
