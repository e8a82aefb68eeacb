/* SPDX-License-Identifier: Apache-2.0 */
/* Values of pieces among those of others, above limits.points: random progressions whose runs meet, overlap and leave gaps,
 * decided without isl and compared with every value; and 4096 pieces of 2^20 points each, within a small limits.work. */
#include "layouts/decide.h"

enum { CASES = 3000, PIECES = 12, SPAN = 2048, MANY = 4096, WORK = 20000000 };

typedef struct drawn {
    char text[PIECES * 96 + 16];
    int size;
    int64_t at[SPAN];
} drawn;

static int begin_closed(void **state)
{
    zlay_limits small = {.size = sizeof small, .points = 64, .isl_ops = 1};
    return zlay_ctx_new((zlay_ctx **)state, NULL, &small);
}

static int begin_few(void **state)
{
    zlay_limits small = {.size = sizeof small, .work = WORK};
    return zlay_ctx_new((zlay_ctx **)state, NULL, &small);
}

/* Pieces of 1 to 40 indices in a row, values in steps of `step` or of a multiple, rising or falling; short ones that begin
 * at values of `inside`, where that is given. */
static void draw(drawn *d, uint64_t *seed, int64_t step, bool multiples, const drawn *inside)
{
    int count = (int)test_range(seed, 3, PIECES);
    char *at = d->text + sprintf(d->text, "{ ");
    d->size = 0;
    for (int k = 0; k < count; k++) {
        int64_t first = d->size, length = inside ? test_range(seed, 1, 12) : test_range(seed, 5, 40);
        int64_t start = test_range(seed, -60, 200), by = step;
        if (multiples && !test_range(seed, 0, 2)) by *= test_range(seed, 2, 3);
        if (!test_range(seed, 0, 3)) by = -by;
        if (test_range(seed, 0, 1)) start = start / 40 * 40;
        if (inside) start = inside->at[test_range(seed, 0, inside->size - 1)];
        for (int64_t i = 0; i < length; i++) d->at[d->size++] = start + by * i;
        at += sprintf(at, "%s[i] -> [%lld i + %lld] : %lld <= i < %d", k ? "; " : "", (long long)by,
                      (long long)(start - by * first), (long long)first, d->size);
    }
    sprintf(at, " }");
}

static bool has(const drawn *b, int64_t value)
{
    for (int i = 0; i < b->size; i++)
        if (b->at[i] == value) return true;
    return false;
}

static void test_runs(void **state)
{
    uint64_t seed = test_seed("runs"), rounds = test_iterations(CASES), decided = 0, asked = 0, no = 0;
    static drawn a, b;
    for (uint64_t n = 0; n < rounds; n++) {
        int64_t step = test_range(&seed, 1, 3), other = test_range(&seed, 0, 5) ? step : step + 1;
        zlay_answer answer = ZLAY_UNDECIDED;
        uint64_t witness = 0;
        int first = 0;
        bool several = !test_range(&seed, 0, 5), one = other == step && !several;
        draw(&b, &seed, other, several, NULL);
        draw(&a, &seed, step, true, test_range(&seed, 0, 5) ? &b : NULL);
        zlay_layout *A = read_layout(*state, a.text), *B = read_layout(*state, b.text);
        assert_int_equal(zlay_layout_contained(*state, &answer, &witness, A, B), ZLAY_OK);
        while (first < a.size && has(&b, a.at[first])) first++;
        bool right = answer == ZLAY_UNDECIDED || (answer == ZLAY_YES) == (first == a.size);
        if (answer == ZLAY_NO && right)
            right = *zlay_ctx_message(*state) ? !has(&b, a.at[witness]) : witness == (uint64_t)first;
        if (!right)
            fail_msg("%s in %s: %d, index %llu, not %d", a.text, b.text, (int)answer, (unsigned long long)witness, first);
        asked += one;
        decided += one && answer != ZLAY_UNDECIDED;
        no += first < a.size;
        zlay_layout_free(B);
        zlay_layout_free(A);
    }
    printf("%llu of %llu with one step decided, %llu of all not contained\n", (unsigned long long)decided,
           (unsigned long long)asked, (unsigned long long)no);
    assert_int_equal(decided, asked);
    assert_true(no < rounds);
}

/* ---- many -------------------------------------------------------------------------------------------------------- */

static zlay_layout *blocks(zlay_ctx *ctx, int turn, long long plus)
{
    static char text[MANY * 96];
    const long long width = 1LL << 20;
    char *at = text + sprintf(text, "{ ");
    for (int i = 0; i < MANY; i++) {
        int to = (int)((i * 2731LL + turn) % MANY);
        at += sprintf(at, "%s[i] -> [i + %lld] : %lld <= i < %lld", i ? "; " : "", (to - i) * width + plus, i * width,
                      (i + 1) * width);
    }
    sprintf(at, " }");
    return read_layout(ctx, text);
}

/* Shifted by 5, the last block passes the end of the others' values. */
static void test_many(void **state)
{
    zlay_layout *a = blocks(*state, 17, 0), *b = blocks(*state, 1234, 0), *c = blocks(*state, 17, 5);
    zlay_answer answer = ZLAY_UNDECIDED;
    uint64_t witness = 0;
    assert_int_equal(zlay_layout_contained(*state, &answer, NULL, a, b), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_layout_contained(*state, &answer, &witness, c, b), ZLAY_OK);
    assert_int_equal(answer, ZLAY_NO);
    for (uint64_t i = 0; i < MANY; i++)
        if ((i * 2731 + 17) % MANY == MANY - 1) assert_int_equal(witness, ((i + 1) << 20) - 5);
    zlay_layout_free(a);
    zlay_layout_free(b);
    zlay_layout_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_runs, begin_closed, end),
        cmocka_unit_test_setup_teardown(test_many, begin_few, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
