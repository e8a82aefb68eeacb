/* SPDX-License-Identifier: Apache-2.0 */
/* Structures of affine layouts against enumeration of their points, and every refused allocation
 * of matrices, systems and structures. */
#include "ctx.h"
#include "heap.h"
#include "layouts/zmat.h"

#include <zlay/json.h>

static int teardown(void **state)
{
    zlay_ctx_free(*state);
    zlay_engines_release();
    return 0;
}

static int64_t at(const zlay_structure *s, int32_t which, size_t i, size_t j)
{
    int64_t value = 0;
    assert_int_equal(zlay_zmat_entry(&value, zlay_structure_matrix(s, which), i, j), ZLAY_OK);
    return value;
}

static void the_example_of_the_header(void **state)
{
    zlay_layout *a = read_layout(*state, "(4,6):(4,-2)"), *swizzled = read_layout(*state, "Sw<1,0,1> o 0 o 4:1");
    zlay_structure *s;
    zlay_structure_summary c;
    assert_int_equal(zlay_layout_structure(*state, &s, a), ZLAY_OK);
    assert_int_equal(zlay_structure_info(&c, s), ZLAY_OK);
    assert_int_equal(at(s, ZLAY_STRUCTURE_S, 0, 0), 2);
    assert_int_equal(at(s, ZLAY_STRUCTURE_LATTICE, 0, 0), 2);
    assert_null(zlay_structure_matrix(s, ZLAY_STRUCTURE_DIRECTION));
    assert_int_equal(c.values, 12), assert_int_equal(c.points, 24);
    assert_int_equal(c.least, 1), assert_int_equal(c.most, 3);
    assert_int_equal(at(s, ZLAY_STRUCTURE_CHANGE, 1, 0), -1);
    assert_int_equal(at(s, ZLAY_STRUCTURE_ORIGIN, 1, 0), 5);
    zlay_structure_free(s);
    assert_int_equal(zlay_layout_structure(*state, &s, swizzled), ZLAY_NONE);
    assert_null(s);
    assert_non_null(strstr(zlay_ctx_message(*state), "index 2"));
    assert_null(zlay_structure_matrix(NULL, 0));
    zlay_layout_free(a), zlay_layout_free(swizzled);
}

/* ---- two outputs, three dimensions, every point --------------------------------------------- */

typedef struct world {
    uint64_t box[3];
    int64_t a[6], b[2], value[512][2];
    size_t outs, points;
} world;

static void enumerate(world *w)
{
    w->points = w->box[0] * w->box[1] * w->box[2];
    for (size_t i = 0; i < w->points; i++) {
        int64_t x[3] = {(int64_t)(i % w->box[0]), (int64_t)(i / w->box[0] % w->box[1]),
                        (int64_t)(i / w->box[0] / w->box[1])};
        for (size_t r = 0; r < 2; r++) {
            w->value[i][r] = r < w->outs ? w->b[r] : 0;
            for (size_t j = 0; j < 3 && r < w->outs; j++) w->value[i][r] += w->a[3 * r + j] * x[j];
        }
    }
}

static size_t points_on(const world *w, size_t i)
{
    size_t count = 0;
    for (size_t j = 0; j < w->points; j++)
        count += w->value[i][0] == w->value[j][0] && w->value[i][1] == w->value[j][1];
    return count;
}

static void check_counts(const world *w, const zlay_structure_summary *c)
{
    size_t least = SIZE_MAX, most = 0;
    uint64_t values = 0;
    for (size_t i = 0; i < w->points; i++) {
        size_t on = points_on(w, i), first = 1;
        for (size_t j = 0; j < i && first; j++)
            first = w->value[i][0] != w->value[j][0] || w->value[i][1] != w->value[j][1];
        values += first;
        least = on < least ? on : least, most = on > most ? on : most;
    }
    assert_int_equal(c->points, w->points), assert_int_equal(c->values, values);
    assert_int_equal(c->least, least), assert_int_equal(c->most, most);
    if (c->invertible) assert_int_equal(values, w->points);
}

/* Points p, p + d, p + 2 d, ..: the longest of all pairs that step by one. */
static void check_run(const world *w, const zlay_structure_summary *c)
{
    uint64_t best = 1;
    int64_t e[3];
    for (size_t j = 0; j < 3; j++) e[j] = (int64_t)w->box[j];
    for (int64_t x = 1 - e[0]; x < e[0]; x++)
        for (int64_t y = 1 - e[1]; y < e[1]; y++)
            for (int64_t z = 1 - e[2]; z < e[2]; z++) {
                const int64_t d[3] = {x, y, z};
                uint64_t length = 1;
                if (w->a[0] * x + w->a[1] * y + w->a[2] * z != 1) continue;
                if (w->outs > 1 && w->a[3] * x + w->a[4] * y + w->a[5] * z) continue;
                for (int inside = 1; inside; length += (uint64_t)inside)
                    for (size_t j = 0; j < 3; j++)
                        inside &= llabs(d[j]) * (int64_t)length < e[j];
                if (length > best) best = length;
            }
    assert_true(c->run_is_best);
    assert_int_equal(c->run, best);
}

/* Lattice: columns in the differences' span, differences in the columns' span, by zlay's solver and
 * by u a v = s; the change of coordinates by evaluation. */
static void check_matrices(zlay_ctx *ctx, const world *w, const zlay_structure *s)
{
    const zlay_zmat *lattice = zlay_structure_matrix(s, ZLAY_STRUCTURE_LATTICE);
    fmpz_mat_t a, u, v, t, diagonal;
    for (size_t i = 0; i < w->points; i += 7) {
        int64_t d[2] = {w->value[i][0] - w->b[0], w->value[i][1] - (w->outs > 1 ? w->b[1] : 0)};
        zlay_zmat *b = zmat_of(ctx, w->outs, 1, d), *x, *kernel;
        assert_int_equal(zlay_zmat_solve(ctx, &x, &kernel, lattice, b, NULL), ZLAY_OK);
        zlay_zmat_free(b), zlay_zmat_free(x), zlay_zmat_free(kernel);
    }
    zmat_to_flint(a, zlay_structure_matrix(s, ZLAY_STRUCTURE_A));
    zmat_to_flint(u, zlay_structure_matrix(s, ZLAY_STRUCTURE_U));
    zmat_to_flint(v, zlay_structure_matrix(s, ZLAY_STRUCTURE_V));
    fmpz_mat_init(t, (slong)w->outs, 3), fmpz_mat_init(diagonal, (slong)w->outs, 3);
    fmpz_mat_mul(t, u, a), fmpz_mat_mul(t, t, v), fmpz_mat_snf(diagonal, a);
    assert_true(fmpz_mat_equal(t, diagonal));
    assert_unimodular(u), assert_unimodular(v);
    fmpz_mat_clear(a), fmpz_mat_clear(u), fmpz_mat_clear(v), fmpz_mat_clear(t);
    fmpz_mat_clear(diagonal);
}

static void check_change(const world *w, const zlay_structure *s)
{
    bool shared = false;
    for (size_t j = 0; j < 3; j++)
        shared |= w->outs > 1 && w->box[j] > 1 && w->a[j] && w->a[3 + j];
    assert_int_equal(shared, !zlay_structure_matrix(s, ZLAY_STRUCTURE_CHANGE));
    for (size_t r = 0; r < w->outs && !shared; r++) {
        int64_t before = 0;
        for (size_t k = 0; k < 3; k++) {
            int64_t stride = 0, ones = 0;
            for (size_t j = 0; j < 3; j++) {
                int64_t entry = at(s, ZLAY_STRUCTURE_CHANGE, j, k);
                ones += llabs(entry);
                if (w->box[j] > 1) stride += w->a[3 * r + j] * entry;
                if (entry < 0) assert_int_equal(at(s, ZLAY_STRUCTURE_ORIGIN, j, 0), w->box[j] - 1);
            }
            assert_int_equal(ones, 1);
            assert_true(!stride || stride >= before);
            before = stride ? stride : before;
        }
    }
}

static void random_boxes(void **state)
{
    uint64_t random = test_seed("random_boxes");
    for (uint64_t i = 0; i < test_iterations(400); i++) {
        world w = {.outs = (size_t)test_range(&random, 1, 2)};
        zlay_layout *layout;
        zlay_structure *s;
        zlay_structure_summary c;
        for (size_t j = 0; j < 3; j++) w.box[j] = (uint64_t)test_range(&random, 1, 6);
        for (size_t j = 0; j < 6; j++) w.a[j] = test_range(&random, 0, 2) ? test_range(&random, -6, 6) : 0;
        for (size_t j = 0; j < 2; j++) w.b[j] = test_range(&random, -9, 9);
        enumerate(&w);
        zlay_piece piece = {.a = w.a, .b = w.b};
        assert_int_equal(zlay_layout_new_pieces(*state, &layout, 3, w.box, w.outs, 1, &piece), ZLAY_OK);
        zlay_status status = zlay_layout_structure(*state, &s, layout);
        if (status || !s) fail_msg("%d %s", status, zlay_ctx_message(*state));
        assert_int_equal(zlay_structure_info(&c, s), ZLAY_OK);
        check_counts(&w, &c);
        check_run(&w, &c);
        check_matrices(*state, &w, s);
        check_change(&w, s);
        zlay_structure_free(s), zlay_layout_free(layout);
    }
}

/* ---- the k-th allocation --------------------------------------------------------------------- */

typedef struct line {
    const char *text, *whole;
} line;

/* The answer is that with all memory, or none. */
static zlay_status answered(zlay_ctx *ctx, void *given)
{
    static char text[1 << 16];
    const line *asked = given;
    zlay_buf out = {text, sizeof text, 0};
    zlay_status status = zlay_json_call(ctx, &out, asked->text, strlen(asked->text));
    if (!status && !strncmp(text, "{\"error\":\"ENOMEM\"", 17)) return ZLAY_ENOMEM;
    if (!status) assert_string_equal(text, asked->whole);
    return status;
}

static void each_refusal(zlay_ctx *all, const char *text)
{
    static char whole[1 << 16];
    zlay_buf out = {whole, sizeof whole, 0};
    line asked = {text, whole};
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(zlay_json_call(all, &out, text, strlen(text)), ZLAY_OK);
    assert_int_equal(heap_fails_each(&h, ctx, answered, &asked), ZLAY_OK);
    heap_close(&h, ctx);
}

static void every_refused_allocation(void **state)
{
    static const char *const lines[] = {
        "{\"op\":\"zmat.snf\",\"a\":[[2,4],[6,8]]}",
        "{\"op\":\"zmat.snf\",\"a\":[[2,4,1],[4,8,2]]}",
        "{\"op\":\"zmat.snf\",\"a\":[[\"99999999999999999999\",4,1],[4,8,2]]}",
        "{\"op\":\"zmat.hnf\",\"a\":[[\"99999999999999999999\",4,1],[4,8,2]]}",
        "{\"op\":\"zmat.solve\",\"a\":[[2,4],[6,8]],\"b\":[2,2],\"mod\":[7,\"99999999999999999999\"]}",
        "{\"op\":\"zmat.solve\",\"a\":[[4]],\"b\":[2],\"mod\":8}",
        "{\"op\":\"zmat.kernel\",\"a\":[[2,4,1]]}",
        "{\"op\":\"zmat.det\",\"a\":[[2,4],[6,\"99999999999999999999\"]]}",
        "{\"op\":\"zmat.inverse\",\"a\":[[2,1],[1,1]]}",
        "{\"op\":\"zmat.inverse\",\"a\":[[2,1],[1,3]]}",
        "{\"op\":\"layout.structure\",\"layout\":\"(4,6):(4,-2)\"}",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) each_refusal(*state, lines[i]);
}

/* Boxes of 10^12 points: p x + q y = 1 has the solutions (x + q t, y - p t), and past the first ones
 * both entries only grow. */
static uint64_t line_of(int64_t p, int64_t q, uint64_t n, uint64_t m)
{
    uint64_t best = 1;
    int64_t x = 0;
    while (((p * x - 1) % q + q) % q) x++;
    for (int64_t t = -2; t <= 2; t++) {
        uint64_t dx = (uint64_t)llabs(x + q * t), dy = (uint64_t)llabs((1 - p * (x + q * t)) / q);
        uint64_t across = dx ? (n - 1) / dx + 1 : UINT64_MAX, up = dy ? (m - 1) / dy + 1 : UINT64_MAX;
        uint64_t length = across < up ? across : up;
        best = length > best && length != UINT64_MAX ? length : best;
    }
    return best;
}

static int64_t gcd_of(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static void runs_of_large_boxes(void **state)
{
    uint64_t random = test_seed("runs_of_large_boxes");
    for (uint64_t i = 0; i < test_iterations(2000); i++) {
        int64_t p = test_range(&random, 1, 3000), q = test_range(&random, 1, 3000);
        int64_t n = test_range(&random, 2, 3000000), m = test_range(&random, 2, 3000000);
        zlay_structure *s;
        zlay_structure_summary c;
        char text[128];
        sprintf(text, "(%d,%d):(%d,%d)", (int)n, (int)m, (int)p, (int)q);
        zlay_layout *a = read_layout(*state, text);
        zlay_status status = zlay_layout_structure(*state, &s, a);
        if (status) fail_msg("%s: %s", text, zlay_ctx_message(*state));
        assert_int_equal(zlay_structure_info(&c, s), ZLAY_OK);
        uint64_t expected = gcd_of(p, q) > 1 ? 1 : line_of(p, q, (uint64_t)n, (uint64_t)m);
        if (!c.run_is_best || c.run != expected)
            fail_msg("%s: %llu, not %llu", text, (unsigned long long)c.run,
                     (unsigned long long)expected);
        zlay_structure_free(s);
        zlay_layout_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_header), cmocka_unit_test(random_boxes),
        cmocka_unit_test(runs_of_large_boxes), cmocka_unit_test(every_refused_allocation),
    };
    return cmocka_run_group_tests(tests, begin, teardown);
}
