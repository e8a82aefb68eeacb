/* SPDX-License-Identifier: Apache-2.0 */
/* The claim: no request of 1 KiB takes more than 2 s of the processor or 256 MB under the default limits, and every one has
 * a well-formed answer.  The refuter changes numbers, layouts, texts and lists in a whole request of every operation,
 * towards what is large, prime, deep or long, and runs each in a forked child that is measured.
 *
 * A request that counted S steps of `work` may take S / 2^28 of the 2 s, and a little that is not counted: so a loop that does
 * not count its steps stands out, also where the whole is fast.  Most run under a small `work` = W; what is answered under W is
 * answered alike under 8 W: a limit ends a call or changes nothing. */
#define _DEFAULT_SOURCE /* wait4, MAP_ANONYMOUS */
#include "base/base.h"
#include "bounded.h"
#include "ctx.h"
#include "json/json.h"
#include "json_whole.h"

enum { REQUEST_MOST = 1024, BATCH = 100, LAYOUT_MOST = 400, ROOM = 1 << 22 };

/* ---- what is hostile --------------------------------------------------------------------------- */

static const char *const numbers[] = {"0", "1", "2", "3", "5", "7", "8", "16", "31", "63", "64", "65", "96", "100", "127", "128",
    "255", "256", "257", "511", "1000", "1023", "1024", "1025", "3000", "4096", "9973", "65535", "65536", "65537", "999983", "1048576",
    "4000000", "4194304", "16777216", "67108864", "2147483647", "2147483648", "4294967296", "1099511627776", "140737488355328",
    "4611686018427387904", "9223372036854775807", "-1", "-2", "-64", "-1000000", "-9223372036854775808"};

static const char *number(uint64_t *seed)
{
    uint64_t small = test_range(seed, 0, 2) ? 24 : ZL_COUNT(numbers);
    return numbers[test_random(seed) % small];
}

typedef struct draft {
    char at[LAYOUT_MOST + 100];
    size_t length;
} draft;

static void put(draft *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (t->length < LAYOUT_MOST) t->length += (size_t)vsnprintf(t->at + t->length, sizeof t->at - t->length, format, args);
    if (t->length >= sizeof t->at) t->length = sizeof t->at - 1;
    va_end(args);
}

/* Puts the next extent.  Once in three layouts the last one brings the whole just below `points`, or just
 * above: the most that may be enumerated. */
static void put_extent(draft *t, uint64_t *seed, bool last, uint64_t *size, bool near)
{
    const char *drawn = number(seed);
    uint64_t points = zlay_limit_nth(ZL_LIMIT_points)->usual, extent = strtoull(drawn, NULL, 10);
    if (near && last && *size <= points) extent = points / *size + (test_range(seed, 0, 7) == 0);
    else if (near && (extent > points || !extent)) extent = (uint64_t)test_range(seed, 2, 100);
    *size = zl_umul_sat(*size, extent ? extent : 1);
    if (near) put(t, "%llu", (unsigned long long)extent);
    else put(t, "%s", drawn);
}

static void draw_strided(draft *t, uint64_t *seed)
{
    int modes = (int)test_range(seed, 1, test_range(seed, 0, 3) ? 4 : 9);
    bool near = test_range(seed, 0, 2) == 0;
    uint64_t size = 1;
    if (!test_range(seed, 0, 3)) put(t, "Sw<%d,%d,%d> o %d o ", (int)test_range(seed, 0, 5), (int)test_range(seed, 0, 5), (int)test_range(seed, -4, 5), (int)test_range(seed, 0, 64));
    put(t, "(");
    for (int i = 0; i < modes; i++) put(t, "%s", i ? "," : ""), put_extent(t, seed, i + 1 == modes, &size, near);
    put(t, "):(");
    for (int i = 0; i < modes; i++) put(t, "%s%s", i ? "," : "", number(seed));
    put(t, ")");
}

static void draw_term(draft *t, uint64_t *seed, int dims)
{
    int kind = (int)test_range(seed, 0, 3), i = (int)test_range(seed, 0, dims - 1), j = (int)test_range(seed, 0, dims - 1);
    long k = (long)test_range(seed, 1, 40), n = (long)test_range(seed, 2, 30);
    if (kind == 0) put(t, "%ldi%d", k, i);
    else if (kind == 1) put(t, "%ld*floor((i%d + %ldi%d)/%ld)", k, i, k % 5, j, n);
    else if (kind == 2) put(t, "%ld*((i%d + i%d) mod %ld)", k, i, j, n);
    else put(t, "%ld*floor((i%d mod %ld)/%ld)", k, i, n * 7, n);
}

static void draw_sum(draft *t, uint64_t *seed, int dims)
{
    for (int k = (int)test_range(seed, 1, 4); k; k--) draw_term(t, seed, dims), put(t, k > 1 ? " + " : "");
}

static void draw_condition(draft *t, uint64_t *seed, int dims)
{
    static const char *const relations[] = {" >= ", " > ", " = ", " <= ", " != "};
    for (int k = (int)test_range(seed, 0, 3); k; k--) {
        put(t, test_range(seed, 0, 1) ? " and (" : " and not (");
        draw_sum(t, seed, dims);
        put(t, "%s%s%s", relations[test_range(seed, 0, 4)], number(seed), test_range(seed, 0, 1) ? " or i0 = 3" : "");
        put(t, ")");
    }
}

static void draw_pieces(draft *t, uint64_t *seed)
{
    int dims = (int)test_range(seed, 1, 4);
    bool near = test_range(seed, 0, 2) == 0;
    uint64_t size = 1;
    put(t, "{ [");
    for (int i = 0; i < dims; i++) put(t, "%si%d", i ? "," : "", i);
    put(t, "] -> [");
    draw_sum(t, seed, dims);
    put(t, "] : ");
    for (int i = 0; i < dims; i++) {
        put(t, "%s0 <= i%d < ", i ? " and " : "", i);
        put_extent(t, seed, i + 1 == dims, &size, near);
    }
    draw_condition(t, seed, dims);
    put(t, " }");
}

static void draw_bits(draft *t, uint64_t *seed)
{
    int bits = (int)test_range(seed, 1, 24), size = (int)test_range(seed, 1, 24);
    put(t, "f2{register:");
    for (int i = 0; i < bits; i++) put(t, "%s (%lld)", i == bits / 2 ? "; lane:" : "", (long long)(test_random(seed) % (UINT64_C(1) << size)));
    put(t, " -> dim0: %lld}", 1LL << size);
}

static json_t *draw_layout(uint64_t *seed)
{
    draft t = {.length = 0};
    switch (test_range(seed, 0, 4)) {
    case 0: draw_bits(&t, seed); break;
    case 1: draw_pieces(&t, seed); break;
    default: draw_strided(&t, seed);
    }
    return json_stringn(t.at, t.length);
}

/* ---- changes -------------------------------------------------------------------------------------- */

/* One number in the text becomes another, or one piece of it stands there many times. */
static json_t *change_text(uint64_t *seed, const char *from)
{
    char out[REQUEST_MOST + 100];
    size_t length = strlen(from), at = length ? test_random(seed) % length : 0, end;
    if (length > REQUEST_MOST / 2 || test_range(seed, 0, 1)) return draw_layout(seed);
    while (at < length && (from[at] < '0' || from[at] > '9')) at++;
    for (end = at; end < length && from[end] >= '0' && from[end] <= '9';) end++;
    if (test_range(seed, 0, 4)) snprintf(out, sizeof out, "%.*s%s%s", (int)at, from, number(seed), from + end);
    else snprintf(out, sizeof out, "%.*s%s%s%s", (int)end, from, from + at, from + at, from + end);
    json_t *text = json_string(out);
    return text ? text : json_string("");
}

static json_t *change(uint64_t *seed, const json_t *from)
{
    json_t *list;
    switch (json_typeof(from)) {
    case JSON_STRING: return change_text(seed, json_string_value(from));
    case JSON_ARRAY:
        list = json_deep_copy(from);
        for (int k = (int)test_range(seed, 1, 8); k && json_array_size(list); k--)
            json_array_append_new(list, json_deep_copy(json_array_get(list, test_random(seed) % json_array_size(list))));
        return list;
    case JSON_OBJECT: return json_deep_copy(from);
    default: return json_integer(strtoll(number(seed), NULL, 10));
    }
}

/* A copy in which about one of `odds` leaves and lists is another. */
static json_t *mutated(uint64_t *seed, const json_t *from, int odds)
{
    json_t *copy, *value;
    const char *key;
    if (json_is_array(from)) {
        copy = json_array();
        for (size_t i = 0; i < json_array_size(from); i++) json_array_append_new(copy, mutated(seed, json_array_get(from, i), odds));
    } else if (json_is_object(from)) {
        copy = json_object();
        json_object_foreach((json_t *)(uintptr_t)from, key, value)
            json_object_set_new(copy, key, strcmp(key, "op") && strcmp(key, "target") && strcmp(key, "instruction") ? mutated(seed, value, odds) : json_deep_copy(value));
        return copy;
    } else copy = json_deep_copy(from);
    if (test_range(seed, 1, odds) > 1) return copy;
    json_t *other = change(seed, copy);
    json_decref(copy);
    return other;
}

/* The i-th request of a run; an empty one where the change is longer than 1 KiB. */
static void request_draw(char *line, uint64_t run, uint64_t i)
{
    uint64_t seed = run + i * 0x9e3779b97f4a7c15u;
    const char *from = whole[test_random(&seed) % ZL_COUNT(whole)];
    json_t *request = json_loads(from, 0, NULL), *other = mutated(&seed, request, (int)test_range(&seed, 2, 5));
    char *text = json_dumps(other, JSON_COMPACT);
    bool fits = text && strlen(text) <= REQUEST_MOST;
    strcpy(line, fits ? text : "{}");
    free(text);
    json_decref(other);
    json_decref(request);
}

/* ---- one batch in a child ------------------------------------------------------------------------------ */

typedef struct verdict {
    double seconds, mib;
    uint64_t steps; /* of the last one */
    uint64_t asked, ended, done_well; /* requests begun; of them ended by a limit, answered ok or none */
    const char *wrong;     /* a text of the program, which the child has too */
    bool done;
} verdict;

static double seconds_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
}

static const char *form_wrong(const char *answer, size_t length)
{
    static bounded b; /* its form alone */
    b.length = length < sizeof b.answer ? length : sizeof b.answer - 1;
    memcpy(b.answer, answer, b.length);
    return bounded_wrong(&b);
}

static bool is_ended(const char *answer) { return strstr(answer, "limits.") || strstr(answer, "\"undecided\""); }

/* A request has a ctx of its own, made by the hooks of ours: the second thing that a ctx takes is itself.  When it is given
 * back it says what is left of its work. */
typedef struct watch {
    uint64_t takes, left;
    void *inner;
} watch;

static void *watch_take(void *user, size_t size)
{
    watch *w = user;
    void *room = malloc(size);
    if (++w->takes == 4) w->inner = room; /* ours are the first two */
    return room;
}

static void watch_give(void *user, void *room, size_t size)
{
    watch *w = user;
    (void)size;
    if (room == w->inner) w->left = zl_work_left(room), w->inner = NULL;
    free(room);
}

static zlay_status answer_of(char *out, size_t *length, uint64_t *steps, const char *line, uint64_t work)
{
    watch w = {0};
    zlay_allocator hooks = {&w, watch_take, watch_give};
    zlay_limits limits = {.size = sizeof limits, .work = work};
    zlay_buf buf = {out, ROOM, 0};
    zlay_ctx *ctx;
    if (zlay_ctx_new(&ctx, &hooks, &limits)) return ZLAY_ENOMEM;
    zlay_status status = zlay_json_call(ctx, &buf, line, strlen(line));
    *length = status ? 0 : buf.need;
    *steps = work - w.left;
    zlay_ctx_free(ctx);
    return status;
}

/* Seconds that so many steps may take, with a margin for a busy machine, and what reading, printing and one call of a library
 * that is counted when it is done may take. */
static double allowed(uint64_t steps)
{
    double part = (double)BOUNDED_SECONDS * (1.5 * (double)steps / (1 << 28) + 0.03);
    return part < (double)BOUNDED_SECONDS ? part : (double)BOUNDED_SECONDS;
}

/* The least of three times where the first is too long: others run beside us. */
static zlay_status answer_timed(verdict *v, char *out, size_t *length, uint64_t *steps, const char *line, uint64_t work)
{
    zlay_status status = ZLAY_OK;
    v->seconds = 1e9;
    for (int i = 0; i < 3; i++) {
        double from = seconds_now();
        status = answer_of(out, length, steps, line, work);
        double took = seconds_now() - from;
        v->seconds = took < v->seconds ? took : v->seconds;
        if (v->seconds <= allowed(*steps)) break;
    }
    v->steps = *steps;
    return status;
}

static const char *request_wrong(verdict *v, const char *line, uint64_t work)
{
    static char one[ROOM], other[ROOM];
    size_t length, more;
    uint64_t steps;
    zlay_status status = answer_timed(v, one, &length, &steps, line, work);
    if (status && status != ZLAY_EROOM) return "it has no answer";
    if (v->seconds > allowed(steps)) return "it took too long for the steps that it counted";
    if (status) return NULL;
    const char *wrong = form_wrong(one, length);
    if (wrong) return wrong;
    v->ended += is_ended(one);
    v->done_well += !strncmp(one, "{\"ok\"", 5) || !strncmp(one, "{\"none\"", 7);
    if (work >= 1 << 28 || is_ended(one) || strstr(line, "\"zlay\"")) return NULL; /* zlay shows its limits */
    if (strstr(one, "\"optimal\":false")) return NULL; /* the answer says that the search has not ended */
    if (answer_of(other, &more, &steps, line, 8 * work)) return "under more work it has no answer";
    return strcmp(one, other) && !is_ended(other) ? "under more work its answer is another" : NULL;
}

static void batch_run(verdict *v, uint64_t run, uint64_t first, uint64_t count, uint64_t work)
{
    char line[REQUEST_MOST + 1];
    struct rlimit cpu = {60 * BOUNDED_SECONDS, 60 * BOUNDED_SECONDS};
    setrlimit(RLIMIT_CPU, &cpu);
    for (uint64_t i = first; i < first + count && !v->wrong; i++) {
        v->asked = i;
        request_draw(line, run, i);
        v->wrong = request_wrong(v, line, work);
    }
    v->done = true;
    _exit(0);
}

static void batch_check(verdict *v, uint64_t run, uint64_t first, uint64_t count, uint64_t work)
{
    char line[REQUEST_MOST + 1];
    struct rusage usage;
    int status;
    *v = (verdict){.ended = v->ended, .done_well = v->done_well};
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) batch_run(v, run, first, count, work);
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    v->mib = (double)usage.ru_maxrss / 1024;
    if (!v->done) v->wrong = "it ended the process";
    else if (!v->wrong && v->mib > (double)BOUNDED_MIB) v->wrong = "it, or one of its batch, held too much memory";
    if (!v->wrong) return;
    request_draw(line, run, v->asked);
    fail_msg("%s\n  work %llu: %s: %.2f s, %llu steps, %.0f MiB, number %llu", line, (unsigned long long)work, v->wrong, v->seconds, (unsigned long long)v->steps, v->mib,
             (unsigned long long)v->asked);
}

static void refute(uint64_t run, uint64_t cases, uint64_t batch, uint64_t work)
{
    verdict *v = mmap(NULL, sizeof *v, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(v != MAP_FAILED);
    for (uint64_t i = 0; i < cases; i += batch) batch_check(v, run, i, batch, work);
    printf("%llu requests under work = %llu: %llu answered, %llu ended by a limit, 0 refuted\n", (unsigned long long)cases, (unsigned long long)work, (unsigned long long)v->done_well, (unsigned long long)v->ended);
    assert_true(v->done_well > cases / 10 && (v->ended > 0 || cases < 1000));
    munmap(v, sizeof *v);
}

/* ---- tests -------------------------------------------------------------------------------------------------- */

static void little_work(void **state)
{
    uint64_t seed = test_seed("little_work");
    (void)state;
    refute(seed, test_cases(10000), BATCH, 1 << 18);
}

static void default_limits(void **state)
{
    uint64_t seed = test_seed("default_limits");
    (void)state;
    refute(seed + 1, test_cases(100), 20, 1 << 28);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(little_work), cmocka_unit_test(default_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
