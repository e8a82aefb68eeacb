/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes: positions and bounds as text, read back as they were printed. */
#include "pipes/pipe-check.h"


/* A sum of numbers, t, N and t*N by its text: terms between signs, a leading parenthesis skipped. */
static long long value_of(const char *text, long long t, long long n)
{
    long long sum = 0, sign = 1;
    for (; *text && !strchr(".) \n", *text); text++) {
        if (*text == '-' || *text == '+') sign = *text == '-' ? -1 : 1;
        else if (!strncmp(text, "t*N", 3)) sum += t * n, text += 2;
        else if (*text == 't') sum += t;
        else if (*text == 'N') sum += n;
        else if (*text >= '0' && *text <= '9') sum += sign * strtoll(text, (char **)&text, 10), text--;
    }
    return sum;
}

static void random_sum(char *out, uint64_t *seed)
{
    static const char *const names[] = {"", "N", "t", "t*N", "t+N", "t*N+N"};
    unsigned name = (unsigned)(test_random(seed) % 6);
    out += sprintf(out, "%s", names[name]);
    int terms = (int)(test_random(seed) % 4);
    if (!*names[name]) out += sprintf(out, "%u", (unsigned)(test_random(seed) % 9));
    while (terms--)
        out += sprintf(out, "%c%u", test_random(seed) % 2 ? '+' : '-',
                       (unsigned)(test_random(seed) % 9));
}

static const char *after(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    if (!at) fail_msg("no %s in %s", word, text);
    return at + strlen(word);
}

/* What is printed is read again, prints alike, and its bounds and slots have the values of the
 * text that was drawn: `0-1..T` prints `0-1`, for the text has no number below 0. */
static void check_bounds(zlay_ctx *ctx, const char *low, const char *high, const char *at)
{
    char text[1024], first[1024], second[1024];
    zlay_buf a = {first, sizeof first, 0}, b = {second, sizeof second, 0};
    snprintf(text, sizeof text,
             "pipe p\nparam N 1..\nsmem S[3] 64\nbar F[3] count 1\nrole r warps 0..0\n"
             "for t in 0..N\nfor i in %s..%s\nwait F[(%s) %% 3] parity ((%s) / 3 + 1) %% 2\n"
             "end\nend\nend\n", low, high, at, at);
    zlay_pipe *pipe = parse(ctx, text), *again;
    assert_int_equal(zlay_pipe_print(&a, pipe), ZLAY_OK);
    if (zlay_pipe_parse(ctx, &again, first, a.need))
        fail_msg("%s\nprinted\n%s\n%s", text, first, zlay_ctx_message(ctx));
    assert_int_equal(zlay_pipe_print(&b, again), ZLAY_OK);
    assert_string_equal(first, second);
    const char *bound = after(first, "for i in "), *slot = after(first, "wait F[");
    for (long long t = 0; t < 3; t++)
        for (long long n = 1; n < 4; n++) {
            assert_int_equal(value_of(bound, t, n), value_of(low, t, n));
            assert_int_equal(value_of(after(bound, ".."), t, n), value_of(high, t, n));
            assert_int_equal(value_of(*slot == '(' ? slot + 1 : slot, t, n), value_of(at, t, n));
        }
    zlay_pipe_free(pipe);
    zlay_pipe_free(again);
}

static void test_bounds(void **state)
{
    uint64_t seed = test_seed("bounds");
    zlay_ctx *ctx = new_ctx();
    char low[64], high[64], at[64];
    (void)state;
    check_bounds(ctx, "0-1", "N", "t+1");
    check_bounds(ctx, "1-1", "N-2", "t-1");
    for (uint64_t i = 0; i < test_iterations(2000); i++) {
        random_sum(low, &seed);
        random_sum(high, &seed);
        random_sum(at, &seed);
        if (!strpbrk(at, "tN")) strcat(at, "+t");
        check_bounds(ctx, low, high, at);
    }
    zlay_ctx_free(ctx);
}

/* A sum is a number of 32 bits however many terms make it, so that its print is one. */
static void test_sum_range(void **state)
{
    static const char head[] = "pipe p\nrole r warps 0..0\nfor t in ";
    static const struct {
        const char *low;
        bool taken;
    } rows[] = {{"2147483647", true}, {"2147483647+1", false}, {"2147483648", false},
                {"0-2147483647", true}, {"0-2147483647-1", false}, {"1-2147483647-1", true}};
    zlay_ctx *ctx = new_ctx();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        zlay_pipe *pipe = NULL;
        int length = snprintf(text, sizeof text, "%s%s..9\nend\nend\n", head, rows[i].low);
        zlay_status status = zlay_pipe_parse(ctx, &pipe, text, (size_t)length);
        assert_int_equal(status, rows[i].taken ? ZLAY_OK : ZLAY_EINVAL);
        zlay_pipe_free(pipe);
    }
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_sum_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
