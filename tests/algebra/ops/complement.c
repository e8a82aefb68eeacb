/* SPDX-License-Identifier: Apache-2.0 */
/* Complements against shifts that are tried one by one here: small worlds under limits that are
 * smaller still, so that what is answered beyond them follows from the closed forms. */
#include "layouts/layout.h"

#include <zlay/cute.h>
#include <zlay/f2.h>

enum { CELLS = 4096, POINTS_MOST = 64 };

typedef struct values {
    int64_t at[POINTS_MOST];
    int count;
} values;

static values values_of(const zlay_layout *a)
{
    values v = {.count = (int)zlay_layout_size(a)};
    assert_true(v.count <= POINTS_MOST);
    for (int i = 0; i < v.count; i++) v.at[i] = layout_at(a, (uint64_t)i);
    return v;
}

/* The forced shifts below the target; -1: one collides. */
static int plain_shifts(int64_t *shift, const values *b, int64_t target)
{
    static bool reached[2 * CELLS];
    int count = 0;
    memset(reached, 0, sizeof reached);
    for (int64_t v = 0; v < target; v++) {
        if (reached[v]) continue;
        for (int i = 0; i < b->count; i++) {
            if (reached[b->at[i] + v]) return -1;
            reached[b->at[i] + v] = true;
        }
        shift[count++] = v;
    }
    return count;
}

typedef struct tally {
    uint64_t all, answered, none, interleaved;
} tally;

/* `exact`: c ends with the last forced shift; CuTe rounds its last extent up. */
static void compare(zlay_ctx *ctx, const zlay_layout *b, const values *v, int64_t target,
                    bool exact, tally *t)
{
    static int64_t shift[CELLS];
    char text[1024];
    zlay_layout *c = NULL;
    int count = plain_shifts(shift, v, target);
    zlay_status status = zlay_layout_complement(ctx, &c, b, (uint64_t)target);
    t->all++;
    if (status == ZLAY_ELIMIT) return;
    t->answered++;
    t->none += status == ZLAY_NONE;
    if (status != (count < 0 ? ZLAY_NONE : ZLAY_OK))
        fail_msg("%s, %lld: %s", layout_text(text, b), (long long)target, zlay_ctx_message(ctx));
    if (status) return;
    if (exact && zlay_layout_size(c) != (uint64_t)count) fail_msg("%s", layout_text(text, b));
    for (int i = 0; i < count; i++)
        if (layout_at(c, (uint64_t)i) != shift[i]) fail_msg("%s", layout_text(text, b));
    zlay_layout_free(c);
}

static zlay_ctx *limited(uint64_t points)
{
    zlay_limits small = {.size = sizeof small, .points = points};
    zlay_ctx *ctx;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, &small), ZLAY_OK);
    return ctx;
}

/* A stride inside the span of the one before, which CuTe refuses. */
static bool interleaves(const int64_t *shape, const int64_t *stride, int rank)
{
    for (int i = 0; i < rank; i++)
        for (int j = 0; j < rank; j++)
            if ((stride[i] < stride[j] || (stride[i] == stride[j] && i < j)) &&
                stride[j] < shape[i] * stride[i])
                return true;
    return false;
}

/* All of rank 3, extents 2 to 4, strides 1 to `most`: what interleaves has no complement for any
 * cotarget from the stride on that the next one steps inside of, whatever the limit. */
static void interleaved(void **state)
{
    int64_t most = test_exhaustive() ? 14 : 8, shape[3], stride[3];
    zlay_ctx *ctx = limited(1);
    tally t = {0};
    (void)state;
    for (int64_t n = 0; n < 27 * most * most * most; n++) {
        int64_t rest = n;
        char text[128];
        for (int i = 0; i < 3; i++) shape[i] = 2 + rest % 3, rest /= 3;
        for (int i = 0; i < 3; i++) stride[i] = 1 + rest % most, rest /= most;
        if (!interleaves(shape, stride, 3)) continue;
        sprintf(text, "(%d,%d,%d):(%d,%d,%d)", (int)shape[0], (int)shape[1], (int)shape[2],
                (int)stride[0], (int)stride[1], (int)stride[2]);
        zlay_layout *b = read_layout(ctx, text);
        values v = values_of(b);
        uint64_t before = t.answered;
        for (int64_t target = 2; target < 40; target += 3) compare(ctx, b, &v, target, true, &t);
        t.interleaved += t.answered > before;
        zlay_layout_free(b);
    }
    printf("interleaved: %llu layouts, %llu of %llu answered past limits.points = 1, all none\n",
           (unsigned long long)t.interleaved, (unsigned long long)t.answered,
           (unsigned long long)t.all);
    assert_true(t.none == t.answered && t.answered > t.all * 7 / 10);
    zlay_ctx_free(ctx);
}

/* Linear maps of up to 3 bits to 5 under limits that hold their values and not the cotarget. */
static void periods(void **state)
{
    zlay_ctx *ctx = limited(80);
    tally t = {0};
    (void)state;
    for (int n = 0; n < 32768; n++) {
        char text[128];
        sprintf(text, "f2{a: (%d) (%d) (%d) -> x: 32}", n % 32, n / 32 % 32, n / 1024);
        zlay_layout *b = read_layout(ctx, text);
        values v = values_of(b);
        for (int64_t target = 81; target < 1000; target += 301)
            compare(ctx, b, &v, target, true, &t);
        zlay_layout_free(b);
    }
    printf("periods: %llu of %llu answered past limits.points = 80, %llu of them none\n",
           (unsigned long long)t.answered, (unsigned long long)t.all, (unsigned long long)t.none);
    assert_true(t.answered > t.all * 9 / 10 && t.none < t.answered);
    zlay_ctx_free(ctx);
}

static void large(void **state)
{
    static const struct {
        const char *b, *c; /* NULL: none */
        uint64_t cotarget;
    } rows[] = {
        {"Sw<3,4,3> o 0 o 1024", "1073741824:1024", 1099511627776},
        {"f2{a: (2) (8) -> x: 16}", "(2,2,68719476736):(1,4,16)", 1099511627776},
        {"f2{a: (3) (6) -> x: 16}", NULL, 1099511627777},
        {"(1000003,1000033):(1000033,1000003)", NULL, 1099511627776},
        {"(3,2):(2,3)", NULL, UINT64_MAX},
        {"(3,4,2):(2,0,3)", NULL, 4294967296},
    };
    zlay_ctx *ctx = limited(1 << 22);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[1024];
        zlay_layout *b = read_layout(ctx, rows[i].b), *c = NULL;
        zlay_status status = zlay_layout_complement(ctx, &c, b, rows[i].cotarget);
        assert_int_equal(status, rows[i].c ? ZLAY_OK : ZLAY_NONE);
        if (c) assert_string_equal(layout_text(text, c), rows[i].c);
        zlay_layout_free(c);
        zlay_layout_free(b);
    }
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interleaved),
        cmocka_unit_test(periods),
        cmocka_unit_test(large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
