/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: the example of the header, what is refused and where, bounds, and printed selectors, compiled
 * here so that a sum past 64 bits traps, against guards that are evaluated by 128 bits: at the ends of
 * int64, at the numbers of the guards and beside them. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "assembler.h"
#include "ctx.h"
#include "heap.h"

#include <dlfcn.h>

__extension__ typedef __int128 wide;
typedef zlay_variants_request request;

static const char *const by8[] = {"n % 8 == 0"}, *const by4[] = {"n % 4 == 0"}, *const fact[] = {"1 <= n < 2^31"}, *const name[] = {"n", "m"};
static const int64_t value[] = {64, 96, 100, 7};
static const uint64_t weight[] = {10, 10, 10, 1};
static const zlay_variant variant[] = {{.guard = by8, .guards = 1, .cost = "n / 8"}, {.guard = by4, .guards = 1, .cost = "n / 4"}, {.cost = "n"}};

static request example(void)
{
    return (request){.size = sizeof(request), .unknowns = 1, .unknown = name, .fact = fact, .facts = 1, .shapes = 4,
                     .value = value, .weight = weight, .variant = variant, .variants = 3};
}

static zlay_variants *chosen(zlay_ctx *ctx, const request *r)
{
    zlay_variants *v;
    if (zlay_variants_choose(ctx, &v, r)) fail_msg("%s", zlay_ctx_message(ctx));
    return v;
}

static void expect(zlay_ctx *ctx, const request *r, uint32_t count, uint64_t cost, uint64_t fewer)
{
    zlay_variants_summary s;
    zlay_variants *v = chosen(ctx, r);
    assert_int_equal(zlay_variants_info(&s, v), ZLAY_OK);
    assert_int_equal(s.count, count);
    assert_int_equal(s.cost, cost);
    assert_int_equal(s.cheapest, 457);
    assert_int_equal(s.fewer, fewer);
    zlay_variants_free(v);
}

static void test_example(void **state)
{
    static const char text[] = "#if defined __CUDACC__ || defined __HIPCC__\n__host__ __device__\n#endif\nstatic inline int pick(long long n)\n{\n"
                               "    if (!(n >= 1 && n <= 2147483647)) return -1;\n    if (n % 8 == 0) return 0;\n    if (n % 4 == 0) return 1;\n    return 2;\n}\n";
    request r = example();
    expect(*state, &r, 3, 457, 657);
    r.most = 2;
    expect(*state, &r, 2, 657, 10 * (64 + 96 + 100) + 7);
    r.most = 0, r.by = ZLAY_VARIANTS_COST, r.bound = 656;
    expect(*state, &r, 3, 457, 657);
    r.bound = 657;
    expect(*state, &r, 2, 657, 2607);
    r.by = ZLAY_VARIANTS_PERCENT, r.bound = 43; /* 457 + 196 */
    expect(*state, &r, 3, 457, 657);
    r.bound = 44;
    expect(*state, &r, 2, 657, 2607);
    r.bound = UINT64_MAX;
    expect(*state, &r, 1, 2607, 0);
    r = example();
    char out[sizeof text];
    zlay_buf buf = {out, sizeof out, 0}, small = {out, sizeof out - 2, 0};
    zlay_variants *v = chosen(*state, &r);
    assert_int_equal(zlay_variants_print(&buf, v, "pick", 4), ZLAY_OK);
    assert_string_equal(out, text);
    assert_int_equal(zlay_variants_print(&small, v, "pick", 4), ZLAY_EROOM);
    assert_int_equal(zlay_variants_print(&buf, v, "n", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_variants_print(&buf, v, "a b", 3), ZLAY_EINVAL);
    zlay_variants_free(v);
}

/* ---- what is refused ------------------------------------------------------------------------------- */

static void refuse(zlay_ctx *ctx, const request *r, zlay_status want, const char *says)
{
    zlay_variants *v = (zlay_variants *)1;
    zlay_status status = zlay_variants_choose(ctx, &v, r);
    if (status != want || !strstr(zlay_ctx_message(ctx), says)) fail_msg("%s: %s, not %s", zlay_status_name(status), zlay_ctx_message(ctx), says);
    assert_null(v);
}

static void test_counts_refused(void **state)
{
    request r = example();
    r.unknowns = 0;
    refuse(*state, &r, ZLAY_EINVAL, "unknowns: there is none");
    r = example(), r.unknowns = 17;
    refuse(*state, &r, ZLAY_ELIMIT, "unknowns: 17");
    r = example(), r.shapes = 0;
    refuse(*state, &r, ZLAY_EINVAL, "shapes: there is none");
    r = example(), r.shapes = 65;
    refuse(*state, &r, ZLAY_ELIMIT, "shapes: 65, and 64 is the most");
    r = example(), r.variants = 0;
    refuse(*state, &r, ZLAY_EINVAL, "variants: there is none");
    r = example(), r.variants = 1025;
    refuse(*state, &r, ZLAY_ELIMIT, "variants: 1025");
    r = example(), r.most = 9;
    refuse(*state, &r, ZLAY_ELIMIT, "most: 9");
    r = example(), r.by = 3;
    refuse(*state, &r, ZLAY_EINVAL, "by: 3");
    r = example(), r.reserved1[2] = 1;
    refuse(*state, &r, ZLAY_EINVAL, "reserved");
    r = example(), r.value = NULL;
    refuse(*state, &r, ZLAY_EINVAL, "shapes is NULL");
    r = example(), r.fact = NULL;
    refuse(*state, &r, ZLAY_EINVAL, "facts is NULL");
    zlay_variants *v;
    r = example();
    assert_int_equal(zlay_variants_choose(*state, NULL, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_variants_choose(NULL, &v, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_variants_choose(*state, &v, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_variants_info(NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_variants_nth(NULL, NULL, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_variants_select(NULL, value), -1);
    assert_int_equal(zlay_variants_print(NULL, NULL, "a", 1), ZLAY_EINVAL);
}

/* A guard, the fact beside n >= 1, and what is said. */
static void test_texts_refused(void **state)
{
    static const struct {
        const char *guard, *fact, *says;
        zlay_status status;
    } row[] = {
        {"k % 8 == 0", "n >= 1", "variants[1].guard[0]: 'k' is none of the unknowns", ZLAY_EINVAL},
        {"n * m >= 1", "n >= 1", "variants[1].guard[0]: ", ZLAY_EINVAL},
        {"n >=", "n >= 1", "variants[1].guard[0]: ", ZLAY_EINVAL},
        {"2 * n = 7", "n >= 1", "variants[1].guard[0]: ", ZLAY_EINVAL},
        {NULL, "n >= 1", "variants[1].guard[0]: it is NULL", ZLAY_EINVAL},
        {"n >= 1", "n > lda", "facts[0]: 'lda' is none of the unknowns", ZLAY_EINVAL},
        {"n >= 1", "n <= 10", "shapes[0]: the facts do not hold of n = 64, m = 1", ZLAY_EINVAL},
        {"n <= m", "n >= 1", "variants[1].guard[0]: its sum may pass 64 bits", ZLAY_EOVERFLOW},
        {"n >= 1", "n >= m", "facts[0]: its sum may pass 64 bits", ZLAY_EOVERFLOW},
        {"n = -2^63", "n >= 1", "variants[1].guard[0]: a number", ZLAY_EOVERFLOW},
        {"n <= -2^63", "m >= 1", "variants[1].guard[0]: a number", ZLAY_EOVERFLOW},
        {"2 * n <= -2^64", "m >= 1", "variants[1].guard[0]: a number", ZLAY_EOVERFLOW},
        {"n >= 2^64", "n >= 1", "variants[1].guard[0]: a number", ZLAY_EOVERFLOW},
        {"n = 2^64", "n >= 1", "variants[1].guard[0]: a number", ZLAY_EOVERFLOW},
        {"n >= 1", "n >= -2^64", "facts[0]: a number", ZLAY_EOVERFLOW},
        {"2^70 = 2^71 && n >= 1", "n >= 1", "variants[1].guard[0]: ", ZLAY_EINVAL},
        {"1 <= 2", "n >= 1", "variants[1].guard[0]: it says nothing", ZLAY_EINVAL},
    };
    static const int64_t pairs[] = {64, 1, 96, 2};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const zlay_variant both[] = {{.cost = "n"}, {.cost = "n", .guard = &row[i].guard, .guards = 1}};
        request r = {.size = sizeof r, .unknowns = 2, .unknown = name, .fact = &row[i].fact, .facts = 1, .shapes = 2, .value = pairs, .variant = both, .variants = 2};
        refuse(*state, &r, row[i].status, row[i].says);
    }
}

static void test_names_refused(void **state)
{
    static const char *const lists[][2] = {{"n", "n"}, {"n", "int"}, {"n", "a b"}, {"n", NULL}, {"n", "template"}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        request r = example();
        r.unknowns = 2, r.unknown = lists[i];
        refuse(*state, &r, ZLAY_EINVAL, "unknowns[1]: ");
    }
}

static void test_costs_refused(void **state)
{
    static const uint64_t none[] = {10, 0, 10, 1}, much[] = {1, 1, 1ull << 60, 1}, table[] = {1, 2, 1ull << 62, 4};
    static const struct {
        zlay_variant variant;
        const uint64_t *weight;
        const char *says;
        zlay_status status;
    } row[] = {
        {{.cost = "n"}, none, "shapes[1]: its weight is 0", ZLAY_EINVAL},
        {{.cost = "n"}, much, "shapes[2]: its weight times the cost by variants[0] passes 2^62", ZLAY_EOVERFLOW},
        {{.costs = table}, NULL, "shapes[2]: its weight times", ZLAY_EOVERFLOW},
        {{.cost = "5 - n"}, NULL, "variants[0].cost: shapes[0] give no number", ZLAY_EINVAL},
        {{.cost = "k"}, NULL, "variants[0].cost: shapes[0] give no number", ZLAY_EINVAL},
        {{.cost = "n / 0"}, NULL, "variants[0].cost: ", ZLAY_EINVAL},
        {{.cost = "n +"}, NULL, "variants[0].cost: ", ZLAY_EINVAL},
        {{.cost = "2^63 * n"}, NULL, "variants[0].cost: shapes[0] give no number", ZLAY_EINVAL},
        {{.cost = NULL}, NULL, "variants[0]: it has no cost", ZLAY_EINVAL},
        {{.cost = "n", .reserved = 1}, NULL, "variants[0]: reserved", ZLAY_EINVAL},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        request r = example();
        r.variant = &row[i].variant, r.variants = 1, r.weight = row[i].weight;
        refuse(*state, &r, row[i].status, row[i].says);
    }
    static const uint64_t half[] = {1ull << 61, 1ull << 61, 1, 1};
    const zlay_variant one = {.costs = half};
    request r = example();
    r.variant = &one, r.variants = 1, r.weight = NULL;
    refuse(*state, &r, ZLAY_EOVERFLOW, "shapes[1]: the costs up to this one");
}

/* Shapes and other values that nothing takes, bounds that nothing meets, and a decision that a limit ends. */
static void test_none(void **state)
{
    request r = example();
    r.variants = 2;
    refuse(*state, &r, ZLAY_NONE, "shapes[3]: no guard holds of n = 7");
    r.shapes = 3;
    refuse(*state, &r, ZLAY_NONE, "no guard holds of n = ");
    r = example(), r.by = ZLAY_VARIANTS_COST, r.bound = 456;
    refuse(*state, &r, ZLAY_NONE, "8 variants cost at least 457, and the bound is 456");
    r.bound = 0;
    refuse(*state, &r, ZLAY_NONE, "the bound is 0");
    r = example(), r.most = 1, r.variants = 2, r.shapes = 3;
    static const char *const halves[][1] = {{"n <= 98"}, {"n >= 99"}};
    const zlay_variant two[] = {{.guard = halves[0], .guards = 1, .cost = "1"}, {.guard = halves[1], .guards = 1, .cost = "1"}};
    r.variant = two;
    refuse(*state, &r, ZLAY_NONE, "no 1 variants take every shape");
}

/* A union of guards takes all values of the facts, of which no shape tells: congruences, sums and large ranges. */
static void test_total(void **state)
{
    static const char *const facts[] = {"1 <= n <= 2^40", "1 <= m <= 2^40", "n <= m"},
                            *const guard[][2] = {{"(n + m) % 2 == 0", "n <= 1000"}, {"(n + m) % 2 == 1", NULL}, {"n > 1000", NULL}, {"m >= 1000", NULL}};
    static const int64_t one[] = {4, 4};
    static const uint64_t costs[] = {7};
    zlay_variant v[4];
    for (int i = 0; i < 4; i++) v[i] = (zlay_variant){.guard = guard[i], .guards = i ? 1 : 2, .costs = costs};
    request r = {.size = sizeof r, .unknowns = 2, .unknown = name, .fact = facts, .facts = 3, .shapes = 1, .value = one, .variant = v, .variants = 3};
    zlay_variants *out = chosen(*state, &r);
    zlay_variants_summary s;
    zlay_variants_info(&s, out);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.fewer, UINT64_MAX);
    assert_int_equal(zlay_variants_select(out, (int64_t[]){5, 4}), -1);
    zlay_variants_free(out);
    v[2] = v[3]; /* n = 999, m = 1001 has one, n = 2, m = 4 too; n = 1001, m = 1001 has m >= 1000 */
    out = chosen(*state, &r);
    zlay_variants_free(out);
    v[0].guards = 1, v[1] = v[0], v[1].guard = guard[3];
    r.variants = 2;
    refuse(*state, &r, ZLAY_NONE, "no guard holds of n = ");
}

/* What a limit leaves undecided is no answer. */
static void test_undecided(void **state)
{
    static const char *const facts[] = {"1 <= n <= 2^40", "1 <= m <= 2^40"}, *const guard[] = {"(n + m) % 2 == 0", "(n + m) % 2 == 1"};
    static const int64_t one[] = {4, 4};
    const zlay_variant v[] = {{.guard = guard, .guards = 1, .cost = "1"}, {.guard = guard + 1, .guards = 1, .cost = "1"}};
    request r = {.size = sizeof r, .unknowns = 2, .unknown = name, .fact = facts, .facts = 2, .shapes = 1, .value = one, .variant = v, .variants = 2};
    zlay_limits limits = {.size = sizeof limits, .isl_ops = 1};
    zlay_ctx *ctx = ctx_new();
    (void)state;
    zlay_variants_free(chosen(ctx, &r));
    assert_int_equal(zlay_ctx_set_limits(ctx, &limits), ZLAY_OK);
    refuse(ctx, &r, ZLAY_ELIMIT, "limits.isl_ops is 1");
    zlay_ctx_free(ctx);
}

/* ---- limits and memory ------------------------------------------------------------------------------- */

static zlay_status choose_and_free(zlay_ctx *ctx, void *r)
{
    zlay_variants *v = NULL;
    zlay_status status = zlay_variants_choose(ctx, &v, r);
    zlay_variants_free(v);
    return status;
}

static void test_memory(void **state)
{
    static const char *const facts[] = {"1 <= n <= 2^20", "1 <= m <= 2^20"}, *const guard[][1] = {{"(n + m) % 3 == 0"}, {"n + 1 <= m"}, {"n >= m"}};
    static const int64_t pairs[] = {4, 4, 5, 9};
    zlay_variant v[3];
    heap h;
    (void)state;
    for (int i = 0; i < 3; i++) v[i] = (zlay_variant){.guard = guard[i], .guards = 1, .cost = i ? "n + m" : "n"};
    request r = {.size = sizeof r, .unknowns = 2, .unknown = name, .fact = facts, .facts = 2, .shapes = 2, .value = pairs, .variant = v, .variants = 3};
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(heap_fails_each(&h, ctx, choose_and_free, &r), ZLAY_OK);
    heap_close(&h, ctx);
}

/* ---- the printed selector --------------------------------------------------------------------------- */

enum { FUNCTIONS = 60, CALLS = 40000, UNKNOWNS = 3, GUARDS = 4, TEXT = 4000, NUMBERS = 40 };
static const char *const letters[UNKNOWNS] = {"a", "b", "c"};

typedef struct test {
    wide factor[UNKNOWNS], rest;
    int64_t mod; /* 0: at most 0 */
} test;

typedef struct selector {
    test domain[UNKNOWNS * 2], guard[GUARDS];
    int bounds;
    char text[UNKNOWNS * 2 + GUARDS][160];
    const char *list[UNKNOWNS * 2 + GUARDS];
    int64_t number[NUMBERS]; /* where something changes */
    int numbers;
    zlay_variants *made;
} selector;

static bool holds(const test *t, const int64_t *x)
{
    wide sum = t->rest;
    for (int i = 0; i < UNKNOWNS; i++) sum += t->factor[i] * x[i];
    return t->mod ? sum % t->mod == 0 : sum <= 0;
}

static int expected(const selector *s, const int64_t *x)
{
    for (int i = 0; i < s->bounds; i++)
        if (!holds(&s->domain[i], x)) return -1;
    for (int i = 0; i < GUARDS; i++)
        if (holds(&s->guard[i], x)) return i;
    return GUARDS;
}

static int64_t far(uint64_t *seed)
{
    static const int64_t at[] = {INT64_MIN, INT64_MAX, 0, INT32_MAX, INT32_MIN, 4096, -4096};
    int64_t near = test_range(seed, -9, 9), base = at[test_range(seed, 0, 6)];
    if (test_range(seed, 0, 3) == 0) return (int64_t)test_random(seed);
    return base == INT64_MIN ? base + (near < 0 ? -near : near) : base == INT64_MAX ? base - (near < 0 ? -near : near) : base + near;
}

/* x <= c or x >= c. */
static void draw_bound(selector *s, test *t, char *text, int i, bool below, int64_t c)
{
    *t = (test){.rest = below ? -(wide)c : c};
    t->factor[i] = below ? 1 : -1;
    sprintf(text, "%s %s %lld", letters[i], below ? "<=" : ">=", (long long)c);
    s->number[s->numbers++] = c;
}

static void draw_sum(test *t, char *text, uint64_t *seed)
{
    int64_t f[UNKNOWNS], rest = test_range(seed, -5000, 5000);
    *t = (test){.rest = rest, .mod = test_range(seed, 0, 1) ? test_range(seed, 2, 4096) : 0};
    for (int i = 0; i < UNKNOWNS; i++) f[i] = test_range(seed, 0, 2) ? test_range(seed, -9, 9) * test_range(seed, 1, 1 << 20) : 0, t->factor[i] = f[i];
    if (!f[0]) f[0] = 1, t->factor[0] = 1;
    if (t->mod) sprintf(text, "(%lld * a + %lld * b + %lld * c + %lld) %% %lld = 0", (long long)f[0], (long long)f[1], (long long)f[2], (long long)rest, (long long)t->mod);
    else sprintf(text, "%lld * a + %lld * b + %lld * c <= %lld", (long long)f[0], (long long)f[1], (long long)f[2], (long long)-rest);
}

static void draw_guard(selector *s, test *t, char *text, uint64_t *seed)
{
    int i = (int)test_range(seed, 0, UNKNOWNS - 1), how = (int)test_range(seed, 0, 3);
    if (how < 2) draw_bound(s, t, text, i, how, far(seed));
    else if (how == 2) draw_sum(t, text, seed);
    else {
        *t = (test){.mod = test_range(seed, 0, 1) ? test_range(seed, 2, 64) : (int64_t)(test_random(seed) >> 1 | 2)};
        int64_t rem = (int64_t)(test_random(seed) % (uint64_t)t->mod);
        t->factor[i] = 1, t->rest = -(wide)rem;
        sprintf(text, "%s %% %lld = %lld", letters[i], (long long)t->mod, (long long)rem);
    }
}

/* A shape, and a choice that has every guard: each costs less than those before it and behind it only where it stands. */
static bool draw(zlay_ctx *ctx, selector *s, uint64_t *seed)
{
    zlay_variant v[GUARDS + 1];
    uint64_t costs[GUARDS + 1][GUARDS + 1];
    int64_t at[(GUARDS + 1) * UNKNOWNS];
    *s = (selector){0};
    for (int i = 0; i < UNKNOWNS; i++) {
        int64_t low = test_range(seed, 0, 2) ? -(int64_t)(test_random(seed) >> test_range(seed, 24, 60)) : 0, high = (int64_t)(test_random(seed) >> test_range(seed, 24, 60));
        int form = (int)test_range(seed, 0, 3);
        if (form) draw_bound(s, &s->domain[s->bounds], s->text[s->bounds], i, false, form == 2 ? far(seed) : low), s->bounds++;
        if (form != 2 && form) draw_bound(s, &s->domain[s->bounds], s->text[s->bounds], i, true, high), s->bounds++;
    }
    for (int g = 0; g < GUARDS; g++) draw_guard(s, &s->guard[g], s->text[UNKNOWNS * 2 + g], seed);
    for (int i = 0; i < UNKNOWNS * 2 + GUARDS; i++) s->list[i] = s->text[i];
    int shapes = 0;
    for (int tries = 0; tries < 4000 && shapes <= GUARDS; tries++) { /* one shape for each variant */
        int64_t x[UNKNOWNS];
        for (int i = 0; i < UNKNOWNS; i++) x[i] = test_range(seed, 0, 2) ? test_range(seed, -9999, 9999) : s->numbers ? s->number[test_range(seed, 0, s->numbers - 1)] : far(seed);
        if (expected(s, x) != shapes) continue;
        memcpy(at + shapes++ * UNKNOWNS, x, sizeof x);
    }
    if (shapes <= GUARDS) return false;
    for (int g = 0; g <= GUARDS; g++) {
        for (int k = 0; k <= GUARDS; k++) costs[g][k] = g != k;
        v[g] = (zlay_variant){.guard = &s->list[UNKNOWNS * 2 + g], .guards = g < GUARDS, .costs = costs[g]};
    }
    request r = {.size = sizeof r, .unknowns = UNKNOWNS, .unknown = letters, .fact = s->list, .facts = (uint32_t)s->bounds, .shapes = GUARDS + 1, .value = at, .variant = v, .variants = GUARDS + 1};
    zlay_status status = zlay_variants_choose(ctx, &s->made, &r);
    if (status && status != ZLAY_EOVERFLOW && status != ZLAY_EINVAL) fail_msg("%s", zlay_ctx_message(ctx));
    zlay_variants_summary info;
    if (status) return false;
    zlay_variants_info(&info, s->made);
    zlay_variants_item item;
    bool same = info.count == GUARDS + 1;
    for (uint32_t i = 0; !zlay_variants_nth(&item, s->made, i); i++) same = same && item.variant == i;
    if (!same) zlay_variants_free(s->made); /* another order is as cheap */
    return same;
}

static void write_function(FILE *file, const selector *s, int i)
{
    static char text[TEXT];
    char id[16];
    zlay_buf buf = {text, sizeof text, 0};
    int length = sprintf(id, "pick%d", i);
    assert_int_equal(zlay_variants_print(&buf, s->made, id, (size_t)length), ZLAY_OK);
    fprintf(file, "%sint call%d(const long long *x);\nint call%d(const long long *x) { return pick%d(x[0], x[1], x[2]); }\n", text, i, i, i);
}

typedef int called(const long long *x);

static void compare(void *library, const selector *s, int i, uint64_t *seed, uint64_t *in)
{
    char id[16];
    union { void *found; called *function; } call;
    sprintf(id, "call%d", i);
    call.found = dlsym(library, id);
    assert_non_null(call.found);
    for (int k = 0; k < CALLS; k++) {
        int64_t x[UNKNOWNS];
        long long same[UNKNOWNS];
        for (int j = 0; j < UNKNOWNS; j++) {
            int64_t near = s->numbers ? s->number[test_range(seed, 0, s->numbers - 1)] : 0, by = test_range(seed, -2, 2);
            bool inside = near > INT64_MIN + 2 && near < INT64_MAX - 2;
            int how = (int)test_range(seed, 0, 3);
            x[j] = how == 0 ? far(seed) : how == 1 ? (inside ? near + by : near) : test_range(seed, -9999, 9999);
            same[j] = x[j];
        }
        int want = expected(s, x), got = call.function(same);
        *in += want >= 0;
        if (got != want) fail_msg("function %d: %d, not %d, of %lld %lld %lld", i, got, want, same[0], same[1], same[2]);
        assert_int_equal(zlay_variants_select(s->made, x), want);
    }
}

static void test_function(void **state)
{
    static selector s[FUNCTIONS];
    char folder[] = "/tmp/zlay-variants-XXXXXX", path[64], command[400];
    uint64_t seed = test_seed("selectors"), in = 0;
    int count = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/f.c", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    while (count < FUNCTIONS)
        if (draw(*state, &s[count], &seed)) write_function(file, &s[count], count), count++;
    fclose(file);
    snprintf(command, sizeof command, "${CC:-cc} -std=c11 -O1 -Wall -Wextra -Werror -Wconversion -fsanitize=signed-integer-overflow "
             "-fsanitize-undefined-trap-on-error -shared -fPIC -o %s/f.so %s", folder, path);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/f.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    for (int i = 0; i < count; i++) compare(library, &s[i], i, &seed, &in);
    printf("%d selectors, %d values each, of %llu the facts hold\n", count, CALLS, (unsigned long long)in);
    dlclose(library);
    for (int i = 0; i < count; i++) zlay_variants_free(s[i].made);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void test_compiles(void **state)
{
    char text[TEXT];
    zlay_buf buf = {text, sizeof text, 0};
    const request r = example();
    zlay_variants *v = chosen(*state, &r);
    need_compiler();
    assert_int_equal(zlay_variants_print(&buf, v, "pick", 4), ZLAY_OK);
    zlay_variants_free(v);
    strcat(text, "__global__ void k(int *out, long long n) { out[0] = pick(n); }\n");
    assert_true(compiles_for("sm_90a sm_100a", text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),       cmocka_unit_test(test_counts_refused), cmocka_unit_test(test_texts_refused),
        cmocka_unit_test(test_names_refused), cmocka_unit_test(test_costs_refused),  cmocka_unit_test(test_none),
        cmocka_unit_test(test_total),         cmocka_unit_test(test_undecided),      cmocka_unit_test(test_memory),         cmocka_unit_test(test_function),
        cmocka_unit_test(test_compiles)};
    return cmocka_run_group_tests(tests, begin, end);
}
