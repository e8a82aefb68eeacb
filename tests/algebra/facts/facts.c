/* SPDX-License-Identifier: Apache-2.0 */
/* Facts and what follows from them, against plain enumeration. */
#include "layouts/layout.h"

#include <zlay/facts.h>

enum { FACTS_MOST = 8 };

typedef struct row {
    const char *facts[FACTS_MOST], *expression;
    int64_t lo, hi, mod, rem;
} row;

static zlay_status parse_facts(zlay_ctx *ctx, zlay_facts **out, const char *const *facts)
{
    size_t length[FACTS_MOST], count = 0;
    for (; count < FACTS_MOST && facts[count]; count++) length[count] = strlen(facts[count]);
    return zlay_facts_parse(ctx, out, count, facts, length);
}

#define NO_LO INT64_MIN
#define NO_HI INT64_MAX

/* The first rows are the worked example of zlay/facts.h. */
static void follows(void **state)
{
    static const row rows[] = {
        {{"ld = 4 mod 8", "100 <= ld < 130"}, "ld", 100, 124, 8, 4},
        {{"ld = 4 mod 8", "100 <= ld < 130"}, "2*ld + 1", 201, 249, 16, 9},
        {{"ld = 4 mod 8", "100 <= ld < 130"}, "ld / 4", 25, 31, 2, 1},
        {{"ld = 4 mod 8", "100 <= ld < 130"}, "ld mod 4", 0, 0, 0, 0},
        {{"ld = 4 mod 8", "100 <= ld < 130"}, "other", NO_LO, NO_HI, 1, 0},
        {{"ld mod 8 = 0"}, "ld", NO_LO, NO_HI, 8, 0},
        {{"ld % 8 == 0"}, "3*ld", NO_LO, NO_HI, 24, 0},
        {{"8 > ld and ld >= 1"}, "ld", 1, 7, 1, 0},
        {{"1 <= M < 2^31"}, "M", 1, 2147483647, 1, 0},
        {{"M >= 1", "M <= 2^63 - 1"}, "M", 1, NO_HI, 1, 0},
        {{"0 <= M < 2^64"}, "M", 0, NO_HI, 1, 0},
        {{"4*K + 2 = 6 mod 12"}, "K", NO_LO, NO_HI, 3, 1},
        {{"x = 3 (mod 8)", "-20 < x <= 0"}, "x", -13, -5, 8, 3},
        {{"(x + 1) mod 8 = 0", "0 <= x <= 7"}, "x", 7, 7, 0, 7},
        {{"x = 1 mod 4", "x = 2 mod 3"}, "x", NO_LO, NO_HI, 12, 5},
        {{"x = 2*x - 5"}, "x", 5, 5, 0, 5},
        {{"x = -9223372036854775808"}, "x", INT64_MIN, INT64_MIN, 0, INT64_MIN},
        {{"x = 9223372036854775807"}, "x", INT64_MAX, INT64_MAX, 0, INT64_MAX},
        {{"3 <= 5"}, "x - x", 0, 0, 0, 0},
        {{"0 <= y < 8"}, "(8*x + y) mod 8 - y", -7, 7, 1, 0},
        {{"0 <= y < 8", "0 <= x <= 3"}, "(8*x + y) / 8 - x", 0, 0, 0, 0},
        {{"0 <= i < 16"}, "(i % 4) * 64 + (i // 4) * 8", 0, 216, 8, 0},
        {{"3 <= 3", "Z <= 7", "A = 4"}, "Z - A", NO_LO, 3, 1, 0},
        {{"-9 <= y <= -5"}, "x mod y", -8, 0, 1, 0},
        {{"0 <= x <= 3", "5 <= y <= 9"}, "x mod y", 0, 3, 1, 0},
        {{"0 <= x <= 7", "5 <= y <= 9"}, "x mod y", 0, 7, 1, 0},
        {{"0 <= x <= 20", "5 <= y <= 9"}, "x mod y", 0, 8, 1, 0},
        {{"-20 <= x <= 20", "5 <= y <= 9"}, "x mod y", 0, 8, 1, 0},
        {{"x <= 100"}, "min(x, 7, 3 + 5)", NO_LO, 7, 1, 0},
        {{"x >= 2"}, "max(x, 1)", 2, NO_HI, 1, 0},
        {{"-4 <= x <= 4"}, "x * x", 0, 16, 1, 0},
        {{NULL}, "ceil(M/8)*8 - M", 0, 7, 1, 0},
        {{"K = 4 mod 12"}, "floor(K/4)*4 - K", 0, 0, 0, 0},
        {{"M mod 2 = 1"}, "M*M mod 8", 1, 1, 0, 1},
        {{NULL}, "x*(x + 1)/2 - x*x/2 - x/2", 0, 1, 1, 0},
        {{"0 <= K <= 5"}, "ceil(M/8)*8 + K - M", 0, 12, 1, 0},
        {{"0 <= M < 64"}, "M % 8 * 8 + M/8", 0, 63, 1, 0},
        {{"0 <= M < 64"}, "M - M/4*4 - min(M mod 4, 2)", 0, 1, 1, 0},
        {{NULL}, "min(x, 8) + max(x, 8) - x", 8, 8, 0, 8},
        {{NULL}, "x*x - 10*x", -25, NO_HI, 1, 0},
        {{"x mod 2 = 0"}, "x*x*x - x", NO_LO, NO_HI, 6, 0},
        {{"1 <= x <= 2^40"}, "x*(1048576*1048576 + 1 - x)", 1099511627776, NO_HI, 2, 0},
        {{"0 <= x <= 20"}, "12 / (x mod 3)", 6, 12, 6, 0},
        {{"x >= 9"}, "ceil(x/4) - ceil(-x/4) - 2*(x/4)", 0, 1, 1, 0},
        {{"N <= ld", "N >= 8"}, "ld", 8, NO_HI, 1, 0},
        {{"ld = N + 8", "N mod 8 = 0"}, "ld", NO_LO, NO_HI, 8, 0},
        {{"ld = N + 8", "N >= 3"}, "2*ld - 2*N", 16, 16, 0, 16},
        {{"a <= b", "b <= c", "c <= d"}, "d - a", 0, NO_HI, 1, 0},
        {{"M + K = 0 mod 8"}, "3*M + 3*K + 1", NO_LO, NO_HI, 24, 1},
        {{"2*M + 1 <= K", "K <= 9"}, "M", NO_LO, 4, 1, 0},
        {{NULL}, "-7 / 2", -4, -4, 0, -4},
        {{NULL}, "-7 mod 2", 1, 1, 0, 1},
        {{NULL}, "7 % -2", -1, -1, 0, -1},
        {{NULL}, "floor(7 / 2) - - -1", 2, 2, 0, 2},
        {{NULL}, "0x1F + 2^3", 39, 39, 0, 39},
        {{NULL}, "-9223372036854775808", INT64_MIN, INT64_MIN, 0, INT64_MIN},
        {{NULL}, "9223372036854775807", INT64_MAX, INT64_MAX, 0, INT64_MAX},
        {{"x = 0 mod 16"}, "x * 4611686018427387904", NO_LO, NO_HI, (int64_t)1 << 62, 0},
        {{"0 <= x <= 1"}, "x * 9223372036854775807 + x", 0, NO_HI, (int64_t)1 << 62, 0},
        {{"0 <= x <= 2", "x mod 2 = 0"}, "x * 3 + 9223372036854775800", 9223372036854775800,
         9223372036854775806, 6, 0},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const row *x = &rows[r];
        zlay_facts *facts;
        zlay_range got = {0};
        zlay_status status = parse_facts(*state, &facts, x->facts);
        if (!status)
            status = zlay_facts_eval(*state, &got, facts, x->expression, strlen(x->expression));
        if (status || got.lo != x->lo || got.hi != x->hi || got.mod != x->mod || got.rem != x->rem)
            fail_msg("row %d, %s: %s %s [%lld, %lld] %lld mod %lld", (int)r, x->expression,
                     zlay_status_name(status), zlay_ctx_message(*state), (long long)got.lo,
                     (long long)got.hi, (long long)got.rem, (long long)got.mod);
        zlay_facts_free(facts);
    }
}

static void refused(void **state)
{
    static const struct {
        const char *facts[FACTS_MOST], *message;
        zlay_status status;
    } rows[] = {
        {{"x >= 5", "y = 1", "x < 3"}, "facts 0 ('x >= 5') and 2 ('x < 3') contradict", ZLAY_EINVAL},
        {{"x % 8 == 3", "x = 1 mod 4"}, "facts 0 ('x % 8 == 3') and 1", ZLAY_EINVAL},
        {{"x >= 1", "x mod 4 = 0", "0 <= x", "x < 4"},
         "facts 0 ('x >= 1'), 1 ('x mod 4 = 0') and 3 ('x < 4') contradict", ZLAY_EINVAL},
        {{"x = 3 % 8"}, "byte 9: write x % m = r", ZLAY_EINVAL},
        {{"2*x = 3"}, "holds for no integer", ZLAY_EINVAL},
        {{"2*x = 1 mod 4"}, "holds for no integer", ZLAY_EINVAL},
        {{"x mod 8 = 8"}, "holds for no integer", ZLAY_EINVAL},
        {{"x mod 8 = -1"}, "holds for no integer", ZLAY_EINVAL},
        {{"3 = 4"}, "false", ZLAY_EINVAL},
        {{"3 = 4 mod 2"}, "false", ZLAY_EINVAL},
        {{"5 < 5"}, "false", ZLAY_EINVAL},
        {{"x + 1 mod 8 = 0"}, "parentheses", ZLAY_EINVAL},
        {{"a + b + c + d + e + f + g + h + i = 0"}, "8 names at most", ZLAY_EINVAL},
        {{"x = y + 1", "x mod 2 = 0", "y mod 2 = 0"}, "fact 0 ('x = y + 1') contradicts", ZLAY_EINVAL},
        {{"x < y", "x >= 5", "y <= 5"}, "fact 0 ('x < y') contradicts", ZLAY_EINVAL},
        {{"x + y = 2^63"}, "does not fit", ZLAY_EINVAL},
        {{"x * x = 4"}, "linear", ZLAY_EINVAL},
        {{"x / 2 >= 1"}, "linear", ZLAY_EINVAL},
        {{"5 / x >= 1"}, "linear", ZLAY_EINVAL},
        {{"min(x, 5) >= 3"}, "linear", ZLAY_EINVAL},
        {{"max(5, x) >= 3"}, "linear", ZLAY_EINVAL},
        {{"x * 2^64 >= 5"}, "linear", ZLAY_EINVAL},
        {{"2^64 * x >= 5"}, "linear", ZLAY_EINVAL},
        {{"x mod 4 = 1 <= 3"}, "ends a fact", ZLAY_EINVAL},
        {{"1 = x mod 4 <= 3"}, "ends a fact", ZLAY_EINVAL},
        {{"x mod 4 <= 2"}, "needs =", ZLAY_EINVAL},
        {{"x mod 4 = 1 mod 8"}, "one modulus", ZLAY_EINVAL},
        {{"x = 1 mod 0"}, "modulus", ZLAY_EINVAL},
        {{"x = 1 mod y"}, "expected an integer", ZLAY_EINVAL},
        {{"x mod 4 = y"}, "compared with a number", ZLAY_EINVAL},
        {{"x"}, "expected =", ZLAY_EINVAL},
        {{""}, "byte 0: expected an integer or a name", ZLAY_EINVAL},
        {{"x = 1 y"}, "expected the end", ZLAY_EINVAL},
        {{"x != 1"}, "expected =", ZLAY_EINVAL},
        {{"mod = 1"}, "expected a name", ZLAY_EINVAL},
        {{"x = 99999999999999999999"}, "does not fit", ZLAY_EOVERFLOW},
        {{"x = 2^65"}, "exponent", ZLAY_EINVAL},
        {{"x = 9223372036854775807 * 4 mod 8"}, "does not fit", ZLAY_EINVAL},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        zlay_facts *facts = (zlay_facts *)&rows;
        zlay_status status = parse_facts(*state, &facts, rows[r].facts);
        assert_null(facts);
        if (status != rows[r].status || !strstr(zlay_ctx_message(*state), rows[r].message))
            fail_msg("%s: %s, %s", rows[r].facts[0], zlay_status_name(status),
                     zlay_ctx_message(*state));
    }
}

static void expressions_refused(void **state)
{
    static const struct { const char *text, *message; zlay_status status; } rows[] = {
        {"", "byte 0", ZLAY_EINVAL},
        {"x +", "byte 3", ZLAY_EINVAL},
        {"(x", "')'", ZLAY_EINVAL},
        {"x)", "the end", ZLAY_EINVAL},
        {"floor(1, 2)", "')'", ZLAY_EINVAL},
        {"min(1, )", "byte 7", ZLAY_EINVAL},
        {"min 1", "'('", ZLAY_EINVAL},
        {"1 / 0", "divides by 0", ZLAY_EINVAL},
        {"x mod (3 - 3)", "divides by 0", ZLAY_EINVAL},
        {"1 ** 2", "byte 3", ZLAY_EINVAL},
        {"ceil(x)", "one quotient", ZLAY_EINVAL},
        {"ceil(x/2/2)", "one quotient", ZLAY_EINVAL},
        {"ceil(x/2 + 1)", "one quotient", ZLAY_EINVAL},
        {"ceil(x/2, 1)", "')'", ZLAY_EINVAL},
        {"12 / (x mod 1)", "divides by 0", ZLAY_EINVAL},
        {"x y", "the end", ZLAY_EINVAL},
        {"2x", "the end", ZLAY_EINVAL},
        {"a01234567890123456789012345678901234567890123456789012345678901234", "64", ZLAY_EINVAL},
    };
    zlay_range range = {7, 7, 7, 7};
    char deep[512];
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        zlay_status status = zlay_facts_eval(*state, &range, NULL, rows[r].text, strlen(rows[r].text));
        if (status != rows[r].status || !strstr(zlay_ctx_message(*state), rows[r].message))
            fail_msg("%s: %s, %s", rows[r].text, zlay_status_name(status),
                     zlay_ctx_message(*state));
    }
    memset(deep, '(', sizeof deep);
    assert_int_equal(zlay_facts_eval(*state, &range, NULL, deep, sizeof deep), ZLAY_ELIMIT);
    assert_int_equal(zlay_facts_eval(*state, &range, NULL, "x\0y", 3), ZLAY_EINVAL);
    assert_true(range.lo == 7 && range.hi == 7 && range.mod == 7 && range.rem == 7);
    assert_int_equal(zlay_facts_eval(*state, NULL, NULL, "1", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_facts_eval(*state, &range, NULL, NULL, 1), ZLAY_EINVAL);
}

/* As deep as 64 parentheses with all that may wait inside each. */
static void full_stacks(void **state)
{
    char text[2048] = "";
    zlay_range range;
    for (int i = 0; i < 64; i++) strcat(text, "max(0, 1 + 1 * -");
    strcat(text, "1 + 1 * -x");
    for (int i = 0; i < 64; i++) strcat(text, ")");
    assert_int_equal(zlay_facts_eval(*state, &range, NULL, text, strlen(text)), ZLAY_OK);
}

/* ---- facts against enumeration -------------------------------------------------------- */

enum { WINDOW = 100 };

static bool holds(int kind, int64_t a, int64_t b, int64_t c, int64_t m, int64_t x)
{
    int64_t left = a * x + b;
    switch (kind) {
    case 0: return left <= c;
    case 1: return left < c;
    case 2: return left >= c;
    case 3: return left > c;
    case 4: return left == c;
    default: return (left - c) % m == 0;
    }
}

static int64_t gcd(int64_t a, int64_t b) { return b ? gcd(b, a % b) : llabs(a); }

/* The least range of a set, and whether it is the given one. */
static void assert_least(const char *text, zlay_range got, const int64_t *value, size_t count)
{
    zlay_range want = {value[0], value[0], 0, value[0]};
    for (size_t i = 1; i < count; i++) {
        want.lo = value[i] < want.lo ? value[i] : want.lo;
        want.hi = value[i] > want.hi ? value[i] : want.hi;
        want.mod = gcd(want.mod, value[i] - value[0]);
    }
    if (want.mod) want.rem = (value[0] % want.mod + want.mod) % want.mod;
    if (want.lo != got.lo || want.hi != got.hi || want.mod != got.mod || want.rem != got.rem)
        fail_msg("%s: [%lld, %lld] %lld mod %lld", text, (long long)got.lo, (long long)got.hi,
                 (long long)got.rem, (long long)got.mod);
}

static void random_fact(uint64_t *seed, char *text, bool *in)
{
    static const char *const signs[] = {"<=", "<", ">=", ">", "="};
    int kind = (int)test_range(seed, 0, 9);
    int64_t a = test_range(seed, -4, 4), b = test_range(seed, -30, 30);
    int64_t c = test_range(seed, -90, 90), m = test_range(seed, 1, 9);
    if (!a) a = 1;
    if (kind == 4 && test_range(seed, 0, 3)) kind = 0;
    if (kind < 5)
        sprintf(text, "%lld*x + %lld %s %lld", (long long)a, (long long)b, signs[kind],
                (long long)c);
    else if (kind % 2) sprintf(text, "(%lld*x + %lld) mod %lld = %lld", (long long)a, (long long)b,
                               (long long)m, (long long)((c % m + m) % m));
    else sprintf(text, "%lld*x + %lld = %lld mod %lld", (long long)a, (long long)b, (long long)c,
                 (long long)m);
    for (int x = -WINDOW; x <= WINDOW; x++) in[x + WINDOW] &= holds(kind, a, b, c, m, x);
}

/* Facts of one name mean exactly their integers, and so do linear forms of it. */
static void one_name(void **state)
{
    uint64_t seed = test_seed("facts"), count = test_iterations(100000), none = 0;
    for (uint64_t i = 0; i < count; i++) {
        char text[4][64] = {"-100 <= x <= 100"}, form[64];
        const char *facts[FACTS_MOST] = {text[0]};
        bool in[2 * WINDOW + 1];
        int64_t x[2 * WINDOW + 1], f[2 * WINDOW + 1];
        int64_t a = test_range(&seed, -9, 9), b = test_range(&seed, -99, 99);
        size_t found = 0;
        zlay_facts *got;
        zlay_range range, of;
        memset(in, 1, sizeof in);
        for (int k = 1; k <= (int)test_range(&seed, 1, 3); k++) {
            random_fact(&seed, text[k], in);
            facts[k] = text[k];
        }
        for (int k = -WINDOW; k <= WINDOW; k++)
            if (in[k + WINDOW]) f[found] = a * k + b, x[found++] = k;
        zlay_status status = parse_facts(*state, &got, facts);
        if (status != (found ? ZLAY_OK : ZLAY_EINVAL))
            fail_msg("%s; %s: %d points, %s", text[1], text[2], (int)found,
                     zlay_ctx_message(*state));
        none += !found;
        if (!found) continue;
        assert_string_equal(zlay_facts_nth(&range, got, 0), "x");
        assert_null(zlay_facts_nth(NULL, got, 1));
        assert_least(text[1], range, x, found);
        sprintf(form, "%lld * (x + 3) + %lld - 3 * (%lld)", (long long)a, (long long)b,
                (long long)a);
        assert_int_equal(zlay_facts_eval(*state, &of, got, form, strlen(form)), ZLAY_OK);
        assert_least(form, of, f, found);
        zlay_facts_free(got);
    }
    assert_true(none > count / 100 && none < count);
}

/* ---- facts about several names ------------------------------------------------------------ */

enum { EDGE = 9, CUBE = EDGE * EDGE * EDGE };

/* a x + b y + c z + d, related to 0 in one of three ways, as a text and at each point. */
static void random_relation(uint64_t *seed, char text[96], bool in[CUBE])
{
    int64_t k[4] = {test_range(seed, -3, 3), test_range(seed, -3, 3), test_range(seed, -2, 2),
                    test_range(seed, -9, 9)};
    int how = (int)test_range(seed, 0, 2);
    static const char *const form[] = {"%d*x + %d*y + %d*z + %d = 0", "%d*x + %d*y + %d*z <= -(%d)",
                                       "(%d*x + %d*y + %d*z + %d) mod 4 = 0"};
    sprintf(text, form[how], (int)k[0], (int)k[1], (int)k[2], (int)k[3]);
    for (int p = 0; p < CUBE; p++) {
        int64_t sum = k[0] * (p % EDGE - 4) + k[1] * (p / EDGE % EDGE - 4) +
                      k[2] * (p / EDGE / EDGE - 4) + k[3];
        in[p] = in[p] && (how == 0 ? !sum : how == 1 ? sum <= 0 : sum % 4 == 0);
    }
}

/* Sound: no point where all facts hold is refused, or has a value that is left out; and better than
 * the box alone in many cases. */
static void several_names(void **state)
{
    uint64_t seed = test_seed("several"), count = test_iterations(20000), better = 0, none = 0;
    for (uint64_t i = 0; i < count; i++) {
        char text[3][96] = {{0}}, form[96];
        const char *facts[FACTS_MOST] = {"-4 <= x <= 4", "-4 <= y <= 4", "-4 <= z <= 4"};
        bool in[CUBE];
        int64_t a[3] = {test_range(&seed, -3, 3), test_range(&seed, -3, 3), test_range(&seed, -2, 2)};
        zlay_facts *got;
        zlay_range of, box, plain;
        zlay_facts *boxed;
        int found = 0;
        memset(in, 1, sizeof in);
        for (int k = 0; k < (int)test_range(&seed, 1, 3); k++) {
            random_relation(&seed, text[k], in);
            facts[3 + k] = text[k];
        }
        for (int p = 0; p < CUBE; p++) found += in[p];
        if (parse_facts(*state, &got, facts)) {
            if (found) fail_msg("%s; %s: %s", text[0], text[1], zlay_ctx_message(*state));
            none++;
            continue;
        }
        sprintf(form, "%d*x + %d*y + %d*z - 7", (int)a[0], (int)a[1], (int)a[2]);
        assert_int_equal(zlay_facts_eval(*state, &of, got, form, strlen(form)), ZLAY_OK);
        for (int p = 0; p < CUBE; p++) {
            int64_t v = a[0] * (p % EDGE - 4) + a[1] * (p / EDGE % EDGE - 4) +
                        a[2] * (p / EDGE / EDGE - 4) - 7;
            bool has = v >= of.lo && v <= of.hi &&
                       (of.mod ? (v - of.rem) % of.mod == 0 : v == of.rem);
            if (in[p] && !has) fail_msg("%s; %s; %s: %s is %d", text[0], text[1], text[2], form, (int)v);
        }
        facts[3] = NULL;
        assert_int_equal(parse_facts(*state, &boxed, facts), ZLAY_OK);
        assert_int_equal(zlay_facts_eval(*state, &plain, boxed, form, strlen(form)), ZLAY_OK);
        box = of;
        better += box.lo > plain.lo || box.hi < plain.hi || box.mod > plain.mod;
        zlay_facts_free(boxed);
        zlay_facts_free(got);
    }
    assert_true(better > count / 4 && none > count / 100);
}

/* ---- expressions against enumeration --------------------------------------------------- */

enum { SIDE = 6, POINTS = SIDE * SIDE };

typedef struct tree {
    char text[4096];
    int64_t value[POINTS];
    bool there[POINTS];
} tree;

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b && (a < 0) != (b < 0)); }

static int64_t op_value(int op, int64_t a, int64_t b)
{
    switch (op) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return floor_div(a, b);
    case 4: return a - b * floor_div(a, b);
    case 5: return a < b ? a : b;
    default: return a > b ? a : b;
    }
}

static void random_leaf(uint64_t *seed, tree *out, int64_t x0, int64_t dx, int64_t y0, int64_t dy)
{
    int kind = (int)test_range(seed, 0, 2);
    int64_t constant = test_range(seed, -12, 12);
    if (kind < 2) strcpy(out->text, kind ? "y" : "x");
    else sprintf(out->text, constant < 0 ? "(%lld)" : "%lld", (long long)constant);
    for (int p = 0; p < POINTS; p++) {
        out->there[p] = true;
        out->value[p] = kind == 0 ? x0 + dx * (p % SIDE) : kind == 1 ? y0 + dy * (p / SIDE) : constant;
    }
}

static void random_tree(uint64_t *seed, tree *out, int depth, const int64_t *box)
{
    static const char *const form[] = {"(%s + %s)",   "(%s - %s)",   "%s * %s",    "(%s / %s)",
                                       "(%s mod %s)", "min(%s, %s)", "max(%s, %s)"};
    tree a, b;
    int op = (int)test_range(seed, 0, 6);
    if (!depth) {
        random_leaf(seed, out, box[0], box[1], box[2], box[3]);
        return;
    }
    random_tree(seed, &a, depth - 1, box);
    random_tree(seed, &b, (int)test_range(seed, 0, depth - 1), box);
    char text[8300];
    sprintf(text, form[op], a.text, b.text);
    sprintf(out->text, op == 2 ? "(%s)" : "%s", text);
    for (int p = 0; p < POINTS; p++) {
        out->there[p] = a.there[p] && b.there[p] && (b.value[p] || (op != 3 && op != 4));
        out->value[p] = out->there[p] ? op_value(op, a.value[p], b.value[p]) : 0;
    }
}

static bool has(zlay_range r, int64_t value)
{
    if (value < r.lo || value > r.hi) return false;
    return r.mod ? (value - r.rem) % r.mod == 0 : value == r.rem;
}

static void expressions(void **state)
{
    uint64_t seed = test_seed("expressions"), count = test_iterations(100000), tight = 0;
    for (uint64_t i = 0; i < count; i++) {
        int64_t box[4] = {test_range(&seed, -20, 20), test_range(&seed, 1, 8),
                          test_range(&seed, -9, 9), test_range(&seed, 1, 4)};
        char text[4][64];
        const char *facts[FACTS_MOST] = {text[0], text[1], text[2], text[3]};
        tree t;
        zlay_facts *known;
        zlay_range got;
        bool any = false, low = false, high = false;
        for (int k = 0; k < 2; k++) {
            long long first = box[2 * k], step = box[2 * k + 1];
            sprintf(text[2 * k], "%lld <= %c <= %lld", first, 'x' + k, first + (SIDE - 1) * step);
            sprintf(text[2 * k + 1], "%c = %lld mod %lld", 'x' + k, first, step);
        }
        random_tree(&seed, &t, (int)test_range(&seed, 0, 4), box);
        assert_int_equal(parse_facts(*state, &known, facts), ZLAY_OK);
        zlay_status status = zlay_facts_eval(*state, &got, known, t.text, strlen(t.text));
        for (int p = 0; p < POINTS; p++) {
            any = any || t.there[p];
            if (status || !t.there[p]) continue;
            if (!has(got, t.value[p]))
                fail_msg("%s: %lld is not in [%lld, %lld] %lld mod %lld (%s, %s)", t.text,
                         (long long)t.value[p], (long long)got.lo, (long long)got.hi,
                         (long long)got.rem, (long long)got.mod, text[0], text[2]);
            low = low || t.value[p] == got.lo;
            high = high || t.value[p] == got.hi;
        }
        if (status && any) fail_msg("%s: %s", t.text, zlay_ctx_message(*state));
        tight += low && high;
        zlay_facts_free(known);
    }
    assert_true(tight > count / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows), cmocka_unit_test(refused), cmocka_unit_test(expressions_refused),
        cmocka_unit_test(full_stacks), cmocka_unit_test(one_name), cmocka_unit_test(several_names),
        cmocka_unit_test(expressions),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
