/* SPDX-License-Identifier: Apache-2.0 */
/* Limits that hold: the table and its ends, ceilings over what a ctx and a request ask for, the one count of work and the
 * one of memory, and the requests that once passed every limit. */
#define _DEFAULT_SOURCE /* wait4, MAP_ANONYMOUS */

#include "test.h"

#include "base/base.h"
#include "bounded.h"
#include "heap.h"

static char answer[1 << 20];

static const char *ask(zlay_ctx *ctx, const char *line)
{
    zlay_buf out = {answer, sizeof answer, 0};
    assert_int_equal(zlay_json_call(ctx, &out, line, strlen(line)), ZLAY_OK);
    return answer;
}

static zlay_ctx *ctx_of(const zlay_limits *limits)
{
    zlay_ctx *ctx;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, limits), ZLAY_OK);
    return ctx;
}

/* ---- the table --------------------------------------------------------------------------------- */

static void defaults_and_ends(void **state)
{
    zlay_limits read;
    zlay_ctx *ctx = ctx_of(NULL);
    (void)state;
    assert_int_equal(zlay_ctx_limits(&read, ctx), ZLAY_OK);
    for (size_t i = 0; i < ZL_LIMITS; i++) {
        const zlay_limit *limit = zlay_limit_nth(i);
        zlay_limits one = {.size = sizeof one};
        assert_int_equal(zl_limit_find(limit->name, strlen(limit->name)), i);
        assert_true(zl_limit_get(&read, i) == limit->usual && limit->usual <= limit->most);
        assert_true(*limit->unit && *limit->bounds);
        zl_limit_set(&one, i, limit->most);
        assert_int_equal(zlay_ctx_set_limits(ctx, &one), ZLAY_OK);
        zl_limit_set(&one, i, limit->most + 1);
        assert_int_equal(zlay_ctx_set_limits(ctx, &one), ZLAY_ELIMIT);
        assert_non_null(strstr(zlay_ctx_message(ctx), limit->name));
        assert_int_equal(zlay_ctx_set_ceilings(ctx, &one), ZLAY_ELIMIT);
        zlay_ctx *none = ctx;
        assert_int_equal(zlay_ctx_new(&none, NULL, &one), ZLAY_ELIMIT);
        assert_null(none);
    }
    assert_null(zlay_limit_nth(ZL_LIMITS));
    assert_int_equal(zl_limit_find("point", 5), ZL_LIMITS);
    zlay_ctx_free(ctx);
}

/* A struct of an older program: what it does not know has its default. */
static void shorter_structs(void **state)
{
    zlay_limits read, older = {.size = offsetof(zlay_limits, work), .points = 5, .work = 3};
    zlay_ctx *ctx = ctx_of(&older);
    (void)state;
    assert_int_equal(zlay_ctx_limits(&read, ctx), ZLAY_OK);
    assert_int_equal(read.points, 5);
    assert_true(read.work == zlay_limit_nth(ZL_LIMIT_work)->usual);
    zlay_ctx_free(ctx);
}

/* ---- ceilings ------------------------------------------------------------------------------------ */

static void ceilings_hold_in_c(void **state)
{
    zlay_limits read, low = {.size = sizeof low, .points = 100}, more = {.size = sizeof more, .points = 101};
    zlay_ctx *ctx = ctx_of(NULL);
    (void)state;
    assert_int_equal(zlay_ctx_set_ceilings(ctx, &low), ZLAY_OK);
    assert_int_equal(zlay_ctx_limits(&read, ctx), ZLAY_OK);
    assert_int_equal(read.points, 100);
    assert_int_equal(zlay_ctx_set_limits(ctx, &more), ZLAY_ELIMIT);
    assert_string_equal(zlay_ctx_message(ctx), "limits.points: 101 is above its ceiling, 100");
    assert_int_equal(zlay_ctx_set_limits(ctx, NULL), ZLAY_OK);
    assert_int_equal(zlay_ctx_limits(&read, ctx), ZLAY_OK);
    assert_int_equal(read.points, 100);
    more = (zlay_limits){.size = sizeof more, .work = zlay_limit_nth(ZL_LIMIT_work)->usual + 1};
    assert_int_equal(zlay_ctx_set_limits(ctx, &more), ZLAY_ELIMIT); /* unnamed: its default */
    assert_int_equal(zlay_ctx_ceilings(&read, ctx), ZLAY_OK);
    assert_int_equal(read.points, 100);
    assert_int_equal(zlay_ctx_set_ceilings(ctx, NULL), ZLAY_OK);
    assert_int_equal(zlay_ctx_set_limits(ctx, &more), ZLAY_OK);
    low.reserved[0] = 1;
    assert_int_equal(zlay_ctx_set_ceilings(ctx, &low), ZLAY_EINVAL);
    assert_int_equal(zlay_ctx_set_ceilings(NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_ctx_ceilings(NULL, ctx), ZLAY_EINVAL);
    zlay_ctx_free(ctx);
}

static void ceilings_hold_in_requests(void **state)
{
    static const struct {
        const char *line, *part;
    } rows[] = {
        {"{\"op\":\"zlay\",\"limits\":{\"points\":101}}",
         "{\"error\":\"ELIMIT\",\"message\":\"limits.points: 101 is above its ceiling, 100\"}"},
        {"{\"op\":\"zlay\",\"limits\":{\"points\":\"9000000000000000000\"}}", "\"ELIMIT\""},
        {"{\"op\":\"zlay\",\"limits\":{\"points\":100}}", "\"points\":100"},
        {"{\"op\":\"zlay\",\"limits\":{\"points\":7}}", "\"limits\":{\"nesting\":64,\"text\":1048576,\"dims\":64,\"points\":7,"},
        {"{\"op\":\"zlay\",\"limits\":{\"points\":7}}", "\"ceilings\":{\"nesting\":64,\"text\":1048576,\"dims\":64,\"points\":100,"},
        {"{\"op\":\"zlay\",\"limits\":{\"nesting\":65}}", "limits.nesting: 65 is above its ceiling, 64"},
        {"{\"op\":\"zlay\",\"limits\":{\"nesting\":4000000000}}", "limits.nesting: 4000000000 is above its ceiling, 64"},
    };
    zlay_limits low = {.size = sizeof low, .points = 100};
    zlay_ctx *ctx = ctx_of(NULL);
    (void)state;
    assert_int_equal(zlay_ctx_set_ceilings(ctx, &low), ZLAY_OK);
    for (size_t i = 0; i < ZL_COUNT(rows); i++)
        if (!strstr(ask(ctx, rows[i].line), rows[i].part))
            fail_msg("%s\n  answers %s\n  without %s", rows[i].line, answer, rows[i].part);
    zlay_ctx_free(ctx);
}

/* ---- work and memory --------------------------------------------------------------------------------- */

static void work_is_one_count(void **state)
{
    zlay_limits few = {.size = sizeof few, .work = 100};
    zlay_ctx *ctx = ctx_of(&few);
    zlay_answer undecided = ZLAY_YES;
    (void)state;
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    assert_int_equal(zl_charge(ctx, 60), ZLAY_OK);
    assert_int_equal(zl_charge(ctx, 40), ZLAY_OK);
    assert_int_equal(zl_charge(ctx, 1), ZLAY_ENOMEM);
    assert_int_equal(zl_charge(ctx, 0), ZLAY_ENOMEM);
    assert_null(zl_alloc(ctx, 1, 1));
    assert_int_equal(zl_leave(ctx, ZLAY_ENOMEM), ZLAY_ELIMIT);
    assert_string_equal(zlay_ctx_message(ctx), "limits.work is 100 steps and 101 are asked for");
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    assert_int_equal(zl_charge(ctx, UINT64_MAX), ZLAY_ENOMEM);
    assert_int_equal(zl_leave_answer(ctx, ZLAY_ENOMEM, &undecided), ZLAY_OK);
    assert_int_equal(undecided, ZLAY_UNDECIDED);
    assert_int_equal(zl_enter(ctx), ZLAY_OK); /* and each call begins anew */
    assert_int_equal(zl_charge(ctx, 100), ZLAY_OK);
    assert_int_equal(zl_leave_answer(ctx, ZLAY_EINVAL, &undecided), ZLAY_EINVAL);
    zl_count_as_one(ctx);
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    assert_int_equal(zl_charge(ctx, 100), ZLAY_OK);
    zl_leave(ctx, ZLAY_OK);
    assert_int_equal(zl_enter(ctx), ZLAY_OK); /* until all count as one */
    assert_int_equal(zl_charge(ctx, 1), ZLAY_ENOMEM);
    zl_leave(ctx, ZLAY_OK);
    zlay_ctx_free(ctx);
}

/* What was made before a call does not count in it, and what is freed counts no more. */
static void memory_is_what_is_held(void **state)
{
    heap h = {0};
    zlay_allocator hooks = {&h, heap_take, heap_give}, own;
    zlay_limits small = {.size = sizeof small, .memory = 1000};
    zlay_ctx *ctx;
    void *kept;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, &hooks, &small), ZLAY_OK);
    own = zl_allocator(ctx);
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    kept = zl_alloc(ctx, 1, 900);
    assert_non_null(kept);
    zl_leave(ctx, ZLAY_OK);
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    for (int i = 0; i < 10; i++) {
        void *one = zl_alloc(ctx, 1, 600);
        assert_non_null(one);
        zl_free(&own, one, 600);
    }
    void *one = zl_alloc(ctx, 1, 600);
    assert_non_null(one);
    assert_null(zl_alloc(ctx, 1, 401));
    assert_int_equal(zl_leave(ctx, ZLAY_ENOMEM), ZLAY_ELIMIT);
    assert_string_equal(zlay_ctx_message(ctx), "limits.memory is 1000 bytes and 1001 are asked for");
    zlay_ctx_free(ctx);
    zl_free(&own, one, 600);
    assert_true(h.live > 0);
    zl_free(&own, kept, 900); /* the last byte takes the account with it */
    assert_int_equal(h.live, 0);
}

/* A refusal of the allocator itself stays ENOMEM. */
static void no_memory_is_no_limit(void **state)
{
    heap h = {.fails_at = 3};
    zlay_allocator hooks = {&h, heap_take, heap_give};
    zlay_ctx *ctx;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, &hooks, NULL), ZLAY_OK);
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    assert_null(zl_alloc(ctx, 1, 1));
    assert_int_equal(zl_leave(ctx, ZLAY_ENOMEM), ZLAY_ENOMEM);
    zlay_ctx_free(ctx);
}

/* Makers say ELIMIT, deciders UNDECIDED, whatever is in the way. */
static void makers_and_deciders(void **state)
{
    static const char text[] = "{ [i, j] -> [7i + floor(j/3)] : 0 <= i < 100 and 0 <= j < 100 }";
    zlay_ctx *ctx = ctx_of(NULL);
    zlay_layout *a = NULL;
    int ended = 0, done = 0;
    (void)state;
    assert_int_equal(zlay_layout_parse(ctx, &a, text, sizeof text - 1), ZLAY_OK);
    for (uint64_t work = 1; work < (uint64_t)1 << 28; work += work / 2 + 1) {
        zlay_limits few = {.size = sizeof few, .work = work};
        zlay_layout *made = NULL;
        zlay_answer equal = ZLAY_NO;
        assert_int_equal(zlay_ctx_set_limits(ctx, &few), ZLAY_OK);
        zlay_status status = zlay_layout_coalesce(ctx, &made, a);
        assert_true(status == ZLAY_OK || (status == ZLAY_ELIMIT && !made));
        if (status) assert_non_null(strstr(zlay_ctx_message(ctx), "limits.work is "));
        assert_int_equal(zlay_layout_equal(ctx, &equal, NULL, a, a), ZLAY_OK);
        assert_true(equal == ZLAY_YES || equal == ZLAY_UNDECIDED);
        ended += status == ZLAY_ELIMIT, done += status == ZLAY_OK;
        zlay_layout_free(made);
    }
    assert_true(ended && done);
    zlay_layout_free(a);
    zlay_ctx_free(ctx);
}

/* ---- texts ------------------------------------------------------------------------------------------- */

/* A text beyond a limit is an error of the request, wherever it stands: no search was ended. */
static void texts_beyond_a_limit(void **state)
{
    static const char *const rows[] = {
        "{\"op\":\"layout.parse\",\"layout\":\"(((8)))\",\"limits\":{\"nesting\":2}}",
        "{\"op\":\"layout.restrict\",\"layout\":\"8:1\",\"guard\":\"(((x0))) < 3\",\"limits\":{\"nesting\":2}}",
        "{\"op\":\"layout.logical_divide\",\"a\":\"(8,8)\",\"b\":\"<(((4)));4>\",\"limits\":{\"nesting\":2}}",
        "{\"op\":\"layout.flat_product\",\"a\":\"(8,8)\",\"b\":\"<(2,2,2):(1,2,4);4>\",\"limits\":{\"dims\":2}}",
        "{\"op\":\"layout.compose\",\"a\":\"(8,8)\",\"b\":\"<(((4)));4>\",\"limits\":{\"nesting\":2}}",
        "{\"op\":\"layout.slice_at\",\"layout\":\"(8,(8,2))\",\"at\":\"(1,(2,_))\",\"limits\":{\"nesting\":1}}",
        "{\"op\":\"layout.parse\",\"layout\":\"8:1\",\"limits\":{\"text\":2}}",
    };
    zlay_ctx *ctx = ctx_of(NULL);
    (void)state;
    for (size_t i = 0; i < ZL_COUNT(rows); i++)
        if (strncmp(ask(ctx, rows[i]), "{\"error\":\"ELIMIT\",\"message\":", 28) || !strstr(answer, "limits."))
            fail_msg("%s\n  answers %s", rows[i], answer);
    const char *search = "{\"op\":\"layout.logical_divide\",\"a\":\"100:1\",\"b\":\"{ [i] -> [7*floor(i/3)] : 0 <= i < 90 }\",\"limits\":{\"points\":9}}";
    if (strncmp(ask(ctx, search), "{\"undecided\":", 13)) fail_msg("%s\n  answers %s", search, answer);
    zlay_ctx_free(ctx);
}

/* Texts of as many bytes as limits.text has are read once: parentheses, digits, names, brackets. */
static void long_texts_end(void **state)
{
    static const char *const repeated[] = {"(", ")", "((1,", "[", "{", "9", "a", ",", "1,", " ", "<", "-", "i0+", "floor(", "x mod ", "Sw<"};
    static const char *const around[] = {"{\"op\":\"layout.parse\",\"layout\":\"%s\"}", "{\"op\":\"layout.parse\",\"layout\":\"{ [i] -> [%s\"}",
        "{\"op\":\"layout.restrict\",\"layout\":\"8:1\",\"guard\":\"%s\"}", "{\"op\":\"layout.divide\",\"a\":\"8:1\",\"b\":\"<%s>\"}",
        "{\"op\":\"layout.equal\",\"a\":\"(M,8):(8,1)\",\"b\":\"(M,8):(8,1)\",\"facts\":[\"%s\"]}", "{\"op\":\"pipe.verify\",\"pipe\":\"%s\"}"};
    enum { BYTES = 400000 };
    char *text = malloc(BYTES + 10), *line = malloc(BYTES + 200);
    bounded *b = bounded_new();
    double all = 0;
    (void)state;
    for (size_t i = 0; i < ZL_COUNT(repeated) * ZL_COUNT(around); i++) {
        const char *one = repeated[i % ZL_COUNT(repeated)];
        size_t length = strlen(one), size = 0;
        while (size < BYTES) memcpy(text + size, one, length), size += length;
        text[size] = 0;
        int bytes = snprintf(line, BYTES + 200, around[i / ZL_COUNT(repeated)], text);
        bounded_ask(b, line, (size_t)bytes);
        all += b->seconds;
        const char *wrong = bounded_wrong(b);
        if (wrong || strncmp(b->answer, "{\"error\":", 9) || b->seconds > (double)BOUNDED_SECONDS / 4)
            fail_msg("%.60s..\n  %s: %.2f s, %.0f MiB, %.200s", line, wrong ? wrong : "slow, or no error", b->seconds, b->mib, b->answer);
    }
    printf("%zu texts of 400 KB in %.2f s\n", ZL_COUNT(repeated) * ZL_COUNT(around), all);
    munmap(b, sizeof *b);
    free(text);
    free(line);
}

/* ---- requests that passed every limit -------------------------------------------------------------------- */

#define GUARD "\"x0>0 or x0=0\""
#define GUARDS GUARD "," GUARD "," GUARD "," GUARD "," GUARD "," GUARD "," GUARD "," GUARD "," GUARD "," GUARD
#define ISL(a, b, c, d) \
    "{ [i,j,k,l] -> [" a "i + " b "*floor(j/3) + " c "*floor((k+2l)/7) + " d "*floor(l/5)] : 0 <= i < 10000 and 0 <= j < 10000" \
    " and 0 <= k < 10000 and 0 <= l < 1000 }"

static const char *const hostile[] = {
    "{\"op\":\"layout.parse\",\"layout\":\"((((((((((((((((((((1))))))))))))))))))))\",\"limits\":{\"nesting\":4000000000}}",
    "{\"op\":\"layout.is_injective\",\"layout\":\"(64,(3,1000)):(3,(1,200))\",\"limits\":{\"points\":9000000000000000000}}",
    "{\"op\":\"layout.is_injective\",\"layout\":\"{ [i] -> [i*i] : 0 <= i < 60000000 }\",\"limits\":{\"points\":67108864}}",
    "{\"op\":\"layout.parse\",\"layout\":{\"A\":[[1]],\"b\":[0],\"box\":[4],\"guards\":[" GUARDS "],\"else\":null}}",
    "{\"op\":\"tensormap.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"source\":\"(64,140737488355328):(64,1000)\",\"tile\":[64,64]}",
    "{\"op\":\"layout.pad\",\"layout\":\"1024:3000\",\"mode\":0,\"before\":4000000,\"after\":0}",
    "{\"op\":\"layout.pad\",\"layout\":\"1024:3000\",\"mode\":0,\"before\":4000000,\"after\":0,\"fill\":\"repeat\"}",
    "{\"op\":\"layout.pad\",\"layout\":\"1024:3000\",\"mode\":0,\"before\":4000000,\"after\":0,\"fill\":\"zero\"}",
    "{\"op\":\"convert.synth\",\"target\":\"sm_90a\",\"elem_bits\":16,\"src\":\"(16384,32,4):(1,2,128)\","
    "\"dst\":\"(4,32,4):(128,1,32)\",\"smem\":1024}",
    "{\"op\":\"layout.contained\",\"a\":\"" ISL("37", "41", "1009", "10007") "\",\"b\":\"" ISL("31", "43", "1013", "10009") "\"}",
    "{\"op\":\"layout.equal\",\"a\":\"8\",\"b\":\"{ [i0,i1,i2,i3] -> [23*floor((i2 + 3i1)/23) + 29*floor((i0 mod 175)/25)] : 0 <= i0 < 1000"
    " and 0 <= i1 < 31 and 0 <= i2 < 128 and 0 <= i3 < 1024 and not (27*((i0 + i0) mod 18) + 14*((i2 + i0) mod 7) >= 65)"
    " and (11*((i3 + i0) mod 9) + 4*floor((i1 + 4i1)/30) + 32*floor((i0 + 2i0)/15) + 25*((i1 + i3) mod 12) != 1000 or i0 = 3)"
    " and not (19*floor((i0 + 4i3)/11) + 11i0 = 16 or i0 = 3) }\"}",
    "{\"op\":\"layout.is_surjective\",\"layout\":\"" ISL("37", "41", "1009", "10007") "\",\"onto\":1000000}",
};

/* Each is answered in its time and memory, and the answer names the limit where one ended it. */
static void hostile_requests_end(void **state)
{
    bounded *b = bounded_new();
    (void)state;
    for (size_t i = 0; i < ZL_COUNT(hostile); i++) {
        bounded_ask(b, hostile[i], strlen(hostile[i]));
        const char *wrong = bounded_wrong(b);
        if (wrong) fail_msg("%s\n  %s: %.2f s, %.0f MiB, %.200s", hostile[i], wrong, b->seconds, b->mib, b->answer);
        bool ended = strstr(b->answer, "\"undecided\"") || strstr(b->answer, "ELIMIT");
        if (ended && !strstr(hostile[i], "\"smem\"")) assert_non_null(strstr(b->answer, "limits."));
    }
    munmap(b, sizeof *b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_and_ends),
        cmocka_unit_test(shorter_structs),
        cmocka_unit_test(ceilings_hold_in_c),
        cmocka_unit_test(ceilings_hold_in_requests),
        cmocka_unit_test(work_is_one_count),
        cmocka_unit_test(memory_is_what_is_held),
        cmocka_unit_test(no_memory_is_no_limit),
        cmocka_unit_test(makers_and_deciders),
        cmocka_unit_test(texts_beyond_a_limit),
        cmocka_unit_test(long_texts_end),
        cmocka_unit_test(hostile_requests_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
