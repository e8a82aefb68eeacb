/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute zlay/radix.h: quotients, coordinates, indices, the printed C function and the claim that a multiplier
 * is the least.  Shapes of one to five extents and ranges of any ends up to those of 64 bits; indices where a quotient
 * turns, beside each end of the range.  The right answer is a floor division in 128 bits; the C function is read by a
 * small interpreter here, which converts as C does, so that no bit is lost unseen; of small ranges every smaller
 * multiplier is tried with every shift.  10^4 cases, 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "ctx.h"

#include <ctype.h>
#include <stdbool.h>
#include <zlay/radix.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

enum { CASES = 10000, MODES = 5, INDICES = 14, SMALL = 150 };

static zlay_ctx *ctx;
static uint64_t number, shape[MODES], greatest, ways[5], least_tried, past_end;
static int64_t least;
static size_t rank;
static char text[4096];

static _Noreturn void refuted(const char *why, wide x)
{
    fprintf(stderr, "shape");
    for (size_t i = 0; i < rank; i++) fprintf(stderr, " %llu", (unsigned long long)shape[i]);
    fail_msg(" case %llu: %s at %llu (%lld) of [%lld, %llu]\n%s", (unsigned long long)number, why,
             (unsigned long long)x, (long long)x, (long long)least, (unsigned long long)greatest, text);
    abort();
}

/* ---- C, as far as the function needs it ----------------------------------------------------------------------------- */

typedef struct value { uwide n; int bits; } value; /* unsigned; a literal without a type counts 32 */

typedef struct machine {
    const char *at;
    value x[MODES + 1], s[MODES + 1], u[MODES + 1];
    uint64_t c[MODES];
} machine;

static value cut(uwide n, int bits) { return (value){bits < 128 ? n & (((uwide)1 << bits) - 1) : n, bits}; }

static bool take(machine *m, const char *word)
{
    while (isspace((unsigned char)*m->at)) m->at++;
    bool found = !strncmp(m->at, word, strlen(word));
    if (found) m->at += strlen(word);
    return found;
}

static void need(machine *m, const char *word)
{
    if (!take(m, word)) refuted(m->at, 0);
}

static uint64_t digits(machine *m)
{
    char *end;
    uint64_t n = strtoull(m->at, &end, 0);
    if (end == m->at) refuted(m->at, 0);
    m->at = end;
    return n;
}

static value *variable(machine *m)
{
    value *list = take(m, "x") ? m->x : take(m, "s") ? m->s : take(m, "u") ? m->u : NULL;
    if (!list) refuted(m->at, 0);
    return &list[digits(m)];
}

static value expression(machine *m, int level);

static value atom(machine *m)
{
    static const struct { const char *name; int bits; } casts[] = {
        {"(uint32_t)", 32}, {"(int32_t)", 32}, {"(uint64_t)", 64}, {"(int64_t)", 64}, {"(unsigned __int128)", 128}};
    value v;
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++)
        if (take(m, casts[i].name)) return v = atom(m), cut(v.n, casts[i].bits);
    if (take(m, "UINT32_C(")) v = (value){digits(m), 32};
    else if (take(m, "UINT64_C(")) v = (value){digits(m), 64};
    else if (take(m, "(")) v = expression(m, 0);
    else if (take(m, " ") || isdigit((unsigned char)*m->at)) return (value){digits(m), 32};
    else return *variable(m);
    if (v.n >> v.bits / 2 >> v.bits / 2) refuted("a literal of too many bits", 0);
    need(m, ")");
    return v;
}

/* ^, &, >>, + and -, *: from the weakest on; each as wide as its wider operand, a shift as its left one. */
static value expression(machine *m, int level)
{
    static const char *const symbols[][2] = {{"^", ""}, {"&", ""}, {">>", ""}, {"+", "-"}, {"*", ""}};
    if (level == 5) return atom(m);
    value left = expression(m, level + 1);
    for (;;) {
        bool first = take(m, symbols[level][0]), second = !first && *symbols[level][1] && take(m, symbols[level][1]);
        if (!first && !second) return left;
        value right = expression(m, level + 1);
        int bits = left.bits > right.bits ? left.bits : right.bits;
        if (level == 2 && right.n >= (uwide)left.bits) refuted("a shift by all bits", 0);
        if (level == 0) left = cut(left.n ^ right.n, bits);
        else if (level == 1) left = cut(left.n & right.n, bits);
        else if (level == 2) left = cut(left.n >> right.n, left.bits);
        else if (level == 3) left = cut(first ? left.n + right.n : left.n - right.n, bits);
        else left = cut(left.n * right.n, bits);
    }
}

/* Sign bits of int32_t and int64_t as 64 bits, for ranges below 0. */
static uint64_t extended(value v, bool sign)
{
    return sign && v.bits == 32 ? (uint64_t)(int64_t)(int32_t)(uint32_t)v.n : (uint64_t)v.n;
}

/* Returns the rest; the coordinate is in m->c. */
static uint64_t call(machine *m, uint64_t index)
{
    bool sign = false;
    int bits = 0;
    m->at = strstr(text, "static inline ");
    if (!m->at) refuted("no function", 0);
    need(m, "static inline ");
    sign = !take(m, "u");
    need(m, "int"), bits = (int)digits(m);
    if (extended(cut(index, bits), sign) != index) refuted("an index that its type has not", (wide)index);
    m->at = strchr(m->at, '{') + 1;
    while (!take(m, "return")) {
        if (take(m, "c[")) {
            uint64_t i = digits(m);
            need(m, "] =");
            m->c[i] = extended(expression(m, 0), sign);
        } else {
            need(m, "const uint");
            int wanted = (int)digits(m);
            need(m, "_t ");
            value *to = variable(m);
            need(m, "=");
            if (take(m, wanted == 32 ? "(uint32_t)x;" : "(uint64_t)x;")) {
                *to = cut(index, wanted);
                continue;
            }
            *to = cut(expression(m, 0).n, wanted);
        }
        need(m, ";");
    }
    return extended(expression(m, 0), sign);
}

/* ---- drawing ----------------------------------------------------------------------------------------------------------- */

static uint64_t some_number(uint64_t *seed)
{
    static const uint64_t usual[] = {1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 96, 100, 127, 128, 129, 1000};
    uint64_t near = (uint64_t)test_range(seed, -2, 2);
    switch (test_range(seed, 0, 3)) {
    case 0: return usual[test_range(seed, 0, 15)];
    case 1: return ((uint64_t)1 << test_range(seed, 0, 63)) + near;
    case 2: return test_range(seed, 0, 7) ? (uint64_t)test_range(seed, 0, SMALL) : UINT64_MAX - (uint64_t)test_range(seed, 0, 3);
    default: return test_random(seed) >> test_range(seed, 0, 63);
    }
}

static void draw_radix(uint64_t *seed)
{
    rank = (size_t)test_range(seed, 1, MODES);
    for (size_t i = 0; i < rank; i++) shape[i] = some_number(seed);
    greatest = some_number(seed);
    least = 0;
    if (!test_range(seed, 0, 3)) least = (int64_t)(some_number(seed) >> 1);
    if (!test_range(seed, 0, 2)) least = ~(int64_t)(some_number(seed) >> 1);
    if (least < 0 && test_range(seed, 0, 15)) greatest >>= 1;
}

/* An index beside an end of the range, or where the quotient by some extents turns. */
static wide draw_index(uint64_t *seed)
{
    wide low = least, high = greatest, product = 1, x;
    for (size_t i = 0; i < rank && (!i || test_range(seed, 0, 1)) && product < (wide)1 << 60; i++) product *= (wide)shape[i];
    uwide off = (uwide)test_random(seed) % (uwide)(high - low + 1);
    int way = (int)test_range(seed, 0, 4);
    x = way == 0 ? low : way == 1 ? high : way == 2 ? 0 : low + (wide)off;
    if (way < 4 && test_range(seed, 0, 3)) x -= x % product;
    x += test_range(seed, -2, 1);
    return x < low ? low : x > high ? high : x;
}

/* ---- the claims -------------------------------------------------------------------------------------------------------- */

static wide floor_of(wide x, wide n) { return x / n - (x % n < 0); }

/* The function, the coordinate and the quotients at one index. */
static void check_index(const zlay_radix *radix, wide x)
{
    static machine m;
    uint64_t c[MODES], rest = 7, index = 7, by_text = call(&m, (uint64_t)x);
    wide left = x, size = 1;
    if (zlay_radix_split(c, &rest, radix, (uint64_t)x) != ZLAY_OK) refuted("split refuses", x);
    for (size_t i = 0; i < rank; i++) {
        wide n = (wide)shape[i], q = floor_of(left, n);
        if (zlay_divisor_quotient(zlay_radix_divisor_nth(radix, i), (uint64_t)left) != (uint64_t)q) refuted("a quotient", x);
        if (c[i] != (uint64_t)(left - q * n)) refuted("a coordinate", x);
        if (m.c[i] != c[i]) refuted("a coordinate of the C function", x);
        left = q;
        size = size > ((wide)1 << 64) / n ? ((wide)1 << 64) + 1 : size * n; /* no size is 0 */
    }
    if (rest != (uint64_t)left) refuted("the rest", x);
    if (by_text != rest) refuted("the rest of the C function", x);
    wide joined = x - left * (size <= (wide)1 << 64 ? size : 0);
    bool fits = size <= (wide)1 << 64 && joined >= 0;
    if (fits && (zlay_radix_join(&index, radix, c) || index != (uint64_t)joined)) refuted("join", x);
}

static void check_join(uint64_t *seed, const zlay_radix *radix)
{
    uint64_t c[MODES], index = 7;
    uwide sum = 0;
    bool fits = true;
    for (size_t i = 0; i < rank; i++) c[i] = test_range(seed, 0, 1) ? shape[i] - 1 : test_random(seed) % shape[i];
    for (size_t i = rank; i-- > 0;) sum = sum * shape[i] + c[i], fits = fits && sum <= UINT64_MAX, sum = fits ? sum : 0;
    zlay_status status = zlay_radix_join(&index, radix, c);
    if (status != (fits ? ZLAY_OK : ZLAY_EOVERFLOW) || (fits && index != (uint64_t)sum)) refuted("join", 0);
    past_end += !fits;
    c[rank - 1] = shape[rank - 1];
    if (zlay_radix_join(&index, radix, c) != ZLAY_EINVAL) refuted("join takes a coordinate past its extent", 0);
}

/* No smaller multiplier is right on [0, most], whatever the shift. */
static void check_least(const zlay_divisor *d, uint64_t most)
{
    for (uint64_t m = 1; m < d->multiplier; m++)
        for (int shift = 0; shift < 32; shift++) {
            uint64_t u = 0;
            if (m * most >> shift != most / d->divisor) continue;
            while (u <= most && u * m >> shift == u / d->divisor) u++;
            if (u > most) refuted("a smaller multiplier is right", (wide)m);
        }
    least_tried++;
}

/* Rounded up at any shift, a multiplier of the operand's bits is wrong where the remainder is greatest, or at the end. */
static void check_add(const zlay_divisor *d, uwide most)
{
    int bits = most >> 32 ? 64 : 32;
    uwide late = (most + 1) / d->divisor * d->divisor - 1, end = most / d->divisor;
    for (int shift = 0; shift < 128; shift++) {
        uwide m = (((uwide)1 << shift) - 1) / d->divisor + 1;
        if (m >> bits || most >= UINT64_MAX) continue;
        bool right = late * m >> shift == late / d->divisor && most * m >> shift == end;
        if (right) refuted("an addition where a multiplier fits", (wide)most);
    }
}

/* What a divisor says of itself: its type, the bits of its product, and that its multiplier is the least. */
static void check_divisor(const zlay_divisor *d, wide low, wide high)
{
    uwide most = low < 0 && ~low > high ? (uwide)~low : (uwide)high, product;
    bool narrow = low < 0 ? low >= INT32_MIN && high <= INT32_MAX : high <= UINT32_MAX;
    if (d->least != (int64_t)low || d->greatest != (uint64_t)high) refuted("the range of a step", low);
    if (d->bits != (narrow ? 32 : 64)) refuted("the bits of an operand", high);
    ways[d->way]++;
    if (d->way == ZLAY_DIVISOR_MULTIPLY || d->way == ZLAY_DIVISOR_ADD) {
        product = most * d->multiplier;
        if (d->way == ZLAY_DIVISOR_ADD) product += d->multiplier;
        if (d->product < 128 && product >> d->product) refuted("the product has more bits", high);
        if (d->product > 32 && !(product >> d->product / 2)) refuted("the product has fewer bits", high);
    }
    if (d->way == ZLAY_DIVISOR_ADD) check_add(d, most);
    if (d->way == ZLAY_DIVISOR_MULTIPLY && most <= SMALL) check_least(d, (uint64_t)most);
}

static void check_case(uint64_t *seed)
{
    zlay_radix *radix = NULL;
    wide low, high;
    bool right = true;
    zlay_buf buf = {text, sizeof text, 0};
    draw_radix(seed);
    for (size_t i = 0; i < rank; i++) right = right && shape[i];
    low = least, high = greatest;
    right = right && low <= high && (low >= 0 || high <= INT64_MAX);
    zlay_status status = zlay_radix_new(ctx, &radix, rank, shape, least, greatest);
    strcpy(text, zlay_ctx_message(ctx));
    if (status != (right ? ZLAY_OK : ZLAY_EINVAL)) refuted("another status", 0);
    if (status) return;
    if (zlay_radix_print(&buf, radix, "f") != ZLAY_OK) refuted("no text", 0);
    for (size_t i = 0; i < rank; i++) {
        check_divisor(zlay_radix_divisor_nth(radix, i), low, high);
        low = floor_of(low, (wide)shape[i]), high = floor_of(high, (wide)shape[i]);
    }
    for (int n = 0; n < INDICES; n++) check_index(radix, n == 0 ? least : n == 1 ? (wide)greatest : draw_index(seed));
    check_join(seed, radix);
    zlay_radix_free(radix);
}

static void divisions(void **state)
{
    uint64_t seed = test_seed("refute/radix"), count = test_cases(CASES);
    ctx = *state;
    for (number = 0; number < count; number++) check_case(&seed);
    print_message("steps: %llu zero, %llu shift, %llu multiply, %llu add; %llu multipliers least; %llu joins too large\n",
                  (unsigned long long)ways[ZLAY_DIVISOR_ZERO], (unsigned long long)ways[ZLAY_DIVISOR_SHIFT],
                  (unsigned long long)ways[ZLAY_DIVISOR_MULTIPLY], (unsigned long long)ways[ZLAY_DIVISOR_ADD],
                  (unsigned long long)least_tried, (unsigned long long)past_end);
    for (int way = ZLAY_DIVISOR_ZERO; way <= ZLAY_DIVISOR_ADD; way++) assert_true(ways[way] > count / 400);
    assert_true(least_tried > count / 20 && past_end > count / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(divisions)};
    return cmocka_run_group_tests(tests, begin, end);
}
