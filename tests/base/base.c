/* SPDX-License-Identifier: Apache-2.0 */
/* The base layer: contexts, limits, memory hooks, text, names, checked integers. */
#include "base/base.h"
#include "heap.h"
#include "test.h"

#include <stddef.h>
#include <string.h>
#include <zlay/version.h>

/* ---- contexts ------------------------------------------------------------ */

static void ctx_new_refuses(void **state)
{
    zlay_ctx *ctx = (zlay_ctx *)8;
    zlay_allocator half = {NULL, NULL, NULL};
    zlay_limits limits = {.size = 0};
    (void)state;
    assert_int_equal(zlay_ctx_new(NULL, NULL, NULL), ZLAY_EINVAL);
    half.free = (void (*)(void *, void *, size_t))(uintptr_t)1;
    assert_int_equal(zlay_ctx_new(&ctx, &half, NULL), ZLAY_EINVAL);
    assert_null(ctx);
    assert_int_equal(zlay_ctx_new(&ctx, NULL, &limits), ZLAY_EINVAL);
    limits.size = sizeof limits + 1;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, &limits), ZLAY_EINVAL);
    limits.size = sizeof limits;
    limits.reserved[0] = 1;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, &limits), ZLAY_EINVAL);
    assert_null(ctx);
    zlay_ctx_free(NULL);
}

static void limits_default_and_short(void **state)
{
    zlay_ctx *ctx;
    zlay_limits read,
        given = {.size = offsetof(zlay_limits, dims), .nesting = 7, .text = 9, .dims = 1};
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, &given), ZLAY_OK);
    assert_int_equal(zlay_ctx_limits(&read, ctx), ZLAY_OK);
    assert_int_equal(read.nesting, 7);
    assert_int_equal(read.text, 9);
    assert_int_equal(read.dims, 64);
    assert_int_equal(read.points, 4194304);
    assert_int_equal(read.sim_bytes, 1073741824);
    assert_int_equal(zlay_ctx_set_limits(ctx, NULL), ZLAY_OK);
    assert_int_equal(zlay_ctx_limits(&read, ctx), ZLAY_OK);
    assert_int_equal(read.nesting, 64);
    assert_int_equal(read.text, 1048576);
    given.size = 3;
    assert_int_equal(zlay_ctx_set_limits(ctx, &given), ZLAY_EINVAL);
    assert_int_equal(zlay_ctx_set_limits(NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_ctx_limits(NULL, ctx), ZLAY_EINVAL);
    zlay_ctx_free(ctx);
}

static void second_entry_is_busy(void **state)
{
    zlay_ctx *ctx;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    zl_fail(ctx, ZLAY_EINVAL, "kept");
    assert_int_equal(zl_enter(ctx), ZLAY_EBUSY);
    assert_int_equal(zlay_ctx_set_limits(ctx, NULL), ZLAY_EBUSY);
    assert_string_equal(zlay_ctx_message(ctx), "kept");
    assert_int_equal(zl_leave(ctx, ZLAY_NONE), ZLAY_NONE);
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    assert_string_equal(zlay_ctx_message(ctx), "");
    zl_leave(ctx, ZLAY_OK);
    assert_int_equal(zl_enter(NULL), ZLAY_EINVAL);
    zlay_ctx_free(ctx);
}

static void messages_are_cut(void **state)
{
    char text[3000];
    zlay_ctx *ctx;
    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    assert_int_equal(zl_fail(ctx, ZLAY_ELIMIT, "%s", text), ZLAY_ELIMIT);
    assert_int_equal(strlen(zlay_ctx_message(ctx)), 1023);
    assert_int_equal(zl_fail(NULL, ZLAY_ELIMIT, "%s", text), ZLAY_ELIMIT);
    assert_string_equal(zlay_ctx_message(NULL), "");
    zlay_ctx_free(ctx);
}

/* ---- memory -------------------------------------------------------------- */

static void hooks_are_used_and_balanced(void **state)
{
    heap h = {.fails_at = 4};
    zlay_allocator hooks = {&h, heap_take, heap_give};
    zlay_ctx *ctx;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, &hooks, NULL), ZLAY_OK);
    unsigned char *bytes = zl_alloc(ctx, 3, 5); /* the third: an account and the ctx stand before it */
    for (int i = 0; i < 15; i++) assert_int_equal(bytes[i], 0);
    assert_null(zl_alloc(ctx, 1, 1));
    assert_non_null(strstr(zlay_ctx_message(ctx), "no memory"));
    zlay_allocator kept = zl_allocator(ctx);
    zlay_ctx_free(ctx);
    zl_free(&kept, bytes, 15);
    zl_free(&kept, NULL, 15);
    assert_int_equal(h.live, 0);
    for (size_t k = 1; k <= 2; k++) {
        h.fails_at = h.calls + k;
        assert_int_equal(zlay_ctx_new(&ctx, &hooks, NULL), ZLAY_ENOMEM);
        assert_null(ctx);
        assert_int_equal(h.live, 0);
    }
}

static void hostile_counts_are_no_memory(void **state)
{
    zlay_ctx *ctx;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    assert_null(zl_alloc(ctx, SIZE_MAX / 2, 3));
    assert_int_equal(zl_leave(ctx, ZLAY_ENOMEM), ZLAY_ELIMIT);
    assert_string_equal(zlay_ctx_message(ctx), "limits.memory is 201326592 bytes and 18446744073709551615 are asked for");
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    void *nothing = zl_alloc(ctx, 0, 8);
    assert_non_null(nothing);
    zlay_allocator alloc = zl_allocator(ctx);
    zl_free(&alloc, nothing, 0);
    zlay_ctx_free(ctx);
}

/* ---- text ---------------------------------------------------------------- */

static void write_seven(zl_text *out, const void *value)
{
    zl_puts(out, "abc");
    zl_putf(out, "%d", *(const int *)value);
}

static void print_whole_or_nothing(void **state)
{
    char text[16];
    int value = 1234;
    (void)state;
    for (size_t room = 0; room < sizeof text; room++) {
        memset(text, '#', sizeof text);
        zlay_buf buf = {text, room, 99};
        zlay_status status = zl_print(&buf, write_seven, &value);
        assert_int_equal(buf.need, 7);
        assert_int_equal(status, room > 7 ? ZLAY_OK : ZLAY_EROOM);
        if (status)
            for (size_t i = 0; i < sizeof text; i++) assert_int_equal(text[i], '#');
        else assert_string_equal(text, "abc1234");
    }
    zlay_buf none = {NULL, 0, 0}, wrong = {NULL, 4, 0};
    assert_int_equal(zl_print(&none, write_seven, &value), ZLAY_EROOM);
    assert_int_equal(none.need, 7);
    assert_int_equal(zl_print(&wrong, write_seven, &value), ZLAY_EINVAL);
    assert_int_equal(zl_print(NULL, write_seven, &value), ZLAY_EINVAL);
}

static void print_alloc_ends_with_zero(void **state)
{
    zlay_ctx *ctx;
    char *text;
    size_t length;
    int value = -5;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    assert_int_equal(zl_print_alloc(ctx, &text, &length, write_seven, &value), ZLAY_OK);
    assert_string_equal(text, "abc-5");
    assert_int_equal(length, 5);
    zlay_allocator alloc = zl_allocator(ctx);
    zl_free(&alloc, text, length + 1);
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    assert_string_equal(zl_print_scratch(ctx, &length, write_seven, &value), "abc-5");
    assert_int_equal(length, 5);
    assert_int_equal(zl_leave(ctx, ZLAY_OK), ZLAY_OK);
    zlay_ctx_free(ctx);
}

static void quote_escapes_and_cuts(void **state)
{
    char out[256], all[256], long_text[61];
    (void)state;
    assert_string_equal(zl_quote(out, "a\n\"\\\xff", 5), "a\\x0a\"\\x5c\\xff");
    memset(long_text, 'y', sizeof long_text);
    zl_quote(out, long_text, 60);
    assert_int_equal(strlen(out), 60);
    zl_quote(out, long_text, 61);
    assert_int_equal(strlen(out), 63);
    assert_string_equal(out + 60, "...");
    memset(all, 1, sizeof all);
    zl_quote(out, all, sizeof all);
    assert_int_equal(strlen(out), 60 * 4 + 3);
    assert_string_equal(zl_quote(out, "", 0), "");
}

/* ---- names, integers, versions --------------------------------------------- */

static void names(void **state)
{
    char long_name[66];
    static const char *const good[] = {"a", "_1", "__", "gemm", "A1_b", "for1", "mmaa"};
    static const char *const bad[] = {"",    "_",     "1a",  "a-b",      "a b",
                                      "for", "class", "mma", "register", "a\xc3\xa4"};
    (void)state;
    for (size_t i = 0; i < ZL_COUNT(good); i++) assert_true(zl_is_name(good[i], strlen(good[i])));
    for (size_t i = 0; i < ZL_COUNT(bad); i++) assert_false(zl_is_name(bad[i], strlen(bad[i])));
    memset(long_name, 'n', sizeof long_name);
    assert_true(zl_is_name(long_name, 64));
    assert_false(zl_is_name(long_name, 65));
    assert_false(zl_is_name(NULL, 1));
    assert_true(zl_is_name("forx", 4));
    assert_false(zl_is_name("forx", 3));
}

/* __int128 is the road that does not overflow. */
static void integers_are_checked(void **state)
{
    static const int64_t values[] = {
        INT64_MIN,  INT64_MIN + 1, -4294967296,   -3,       -1, 0, 1, 2,
        3037000500, 4294967296,    INT64_MAX - 1, INT64_MAX};
    __extension__ typedef __int128 wide;
    (void)state;
    for (size_t i = 0; i < ZL_COUNT(values); i++)
        for (size_t j = 0; j < ZL_COUNT(values); j++) {
            int64_t a = values[i], b = values[j], r;
            wide sum = (wide)a + b, difference = (wide)a - b, product = (wide)a * b;
            assert_int_equal(zl_add(a, b, &r), sum >= INT64_MIN && sum <= INT64_MAX);
            if (zl_add(a, b, &r)) assert_true(r == sum);
            assert_int_equal(zl_sub(a, b, &r), difference >= INT64_MIN && difference <= INT64_MAX);
            if (zl_sub(a, b, &r)) assert_true(r == difference);
            assert_int_equal(zl_mul(a, b, &r), product >= INT64_MIN && product <= INT64_MAX);
            if (zl_mul(a, b, &r)) assert_true(r == product);
        }
    assert_true(zl_umul_sat(UINT64_MAX, 2) == UINT64_MAX);
    assert_true(zl_umul_sat(3, 5) == 15);
}

static void statuses_have_names(void **state)
{
    static const char *const names_of[] = {"NONE",      "OK",     "EINVAL",  "ENOMEM",
                                           "EOVERFLOW", "ELIMIT", "ENOTSUP", "EINTERNAL",
                                           "EROOM",     "EBUSY",  "EDRIVER"};
    char version[64];
    (void)state;
    for (int i = 0; i < (int)ZL_COUNT(names_of); i++)
        assert_string_equal(zlay_status_name(1 - i), names_of[i]);
    assert_string_equal(zlay_status_name(2), "?");
    assert_string_equal(zlay_status_name(-10), "?");
    snprintf(version, sizeof version, "%d.%d.%d", ZLAY_VERSION_MAJOR, ZLAY_VERSION_MINOR,
             ZLAY_VERSION_PATCH);
    assert_string_equal(zlay_version(), version);
}

/* ---- working memory -------------------------------------------------------------------- */

static char *filled(zlay_ctx *ctx, size_t bytes)
{
    char *at = zl_scratch(ctx, bytes, 1);
    for (size_t i = 0; at && i < bytes; i++) assert_int_equal(at[i], 0);
    if (at) memset(at, 0x5a, bytes);
    return at;
}

static void scratch_goes_back_to_its_mark(void **state)
{
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    (void)state;
    size_t before = h.live;
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    char *kept = filled(ctx, 24);
    zl_mark mark = zl_scratch_mark(ctx);
    for (int turn = 0; turn < 3; turn++) {
        for (size_t bytes = 0; bytes < 5000; bytes += 99)
            assert_int_equal((uintptr_t)filled(ctx, bytes) % _Alignof(max_align_t), 0);
        zl_scratch_release(ctx, mark);
    }
    for (int i = 0; i < 24; i++) assert_int_equal(kept[i], 0x5a);
    assert_int_equal(zl_leave(ctx, ZLAY_OK), ZLAY_OK);
    assert_int_equal(h.live, before);
    heap_close(&h, ctx);
}

/* A part of a call gives back what it takes of scratch; its steps are those of the call. */
static void parts_of_calls(void **state)
{
    heap h;
    zl_mark part;
    zlay_answer answer = ZLAY_YES;
    zlay_ctx *ctx = heap_open(&h, NULL);
    size_t before = h.live;
    (void)state;
    assert_int_equal(zl_enter(NULL), ZLAY_EINVAL);
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    char *outer = filled(ctx, 100);
    for (int i = 0; i < 2; i++) {
        zl_fail(ctx, ZLAY_NONE, "before");
        part = zl_enter_part(ctx);
        assert_string_equal(zlay_ctx_message(ctx), "");
        assert_int_equal(zl_enter(ctx), ZLAY_EBUSY);
        size_t held = h.live;
        assert_int_equal(zl_charge(ctx, zl_limits(ctx)->work / 2 - 20000), ZLAY_OK);
        assert_non_null(filled(ctx, 400000));
        assert_true(h.live > held);
        assert_int_equal(zl_leave_part(ctx, part, zl_whole(ctx, ZLAY_NONE)), ZLAY_NONE);
        assert_int_equal(h.live, held);
    }
    for (int i = 0; i < 100; i++) assert_int_equal(outer[i], 0x5a);
    part = zl_enter_part(ctx);
    assert_int_equal(zl_charge(ctx, 40000), ZLAY_ENOMEM);
    assert_int_equal(zl_leave_part(ctx, part, ZLAY_OK), ZLAY_OK);
    assert_int_equal(zl_leave_part(ctx, part, ZLAY_NONE), ZLAY_ELIMIT);
    assert_int_equal(zl_leave_part_answer(ctx, part, ZLAY_OK, &answer), ZLAY_OK);
    assert_int_equal(answer, ZLAY_UNDECIDED);
    assert_int_equal(zl_leave(ctx, zl_whole(ctx, ZLAY_OK)), ZLAY_ELIMIT);
    assert_non_null(strstr(zlay_ctx_message(ctx), "limits.work"));
    assert_int_equal(h.live, before);
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    assert_int_equal(zl_charge(ctx, zl_limits(ctx)->work), ZLAY_OK);
    assert_int_equal(zl_leave(ctx, ZLAY_OK), ZLAY_OK);
    heap_close(&h, ctx);
}

/* Blocks of earlier calls are used again, and a limit ends a call as if there were none. */
static void kept_scratch_counts_as_new(void **state)
{
    zlay_limits limits = {.size = sizeof limits, .memory = 40000};
    zlay_ctx *ctx;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, &limits), ZLAY_OK);
    size_t first = 0;
    for (int call = 0; call < 5; call++) {
        size_t taken = 0;
        assert_int_equal(zl_enter(ctx), ZLAY_OK);
        while (filled(ctx, 500)) taken++;
        assert_int_equal(zl_leave(ctx, ZLAY_ENOMEM), ZLAY_ELIMIT);
        if (!call) first = taken;
        assert_int_equal(taken, first);
        assert_true(taken >= 30);
    }
    zlay_ctx_free(ctx);
}

static zlay_status take_scratch(zlay_ctx *ctx, void *given)
{
    bool had = true;
    (void)given;
    zlay_status status = zl_enter(ctx);
    for (size_t bytes = 1; had && bytes < 200000; bytes *= 7) had = filled(ctx, bytes) != NULL;
    return zl_leave(ctx, status ? status : had ? ZLAY_OK : ZLAY_ENOMEM);
}

static void scratch_fails_as_memory_does(void **state)
{
    heap h;
    zlay_limits limits = {.size = sizeof limits, .memory = 20000};
    zlay_ctx *ctx = heap_open(&h, NULL);
    (void)state;
    assert_int_equal(heap_fails_each(&h, ctx, take_scratch, NULL), ZLAY_OK);
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    assert_null(zl_scratch(ctx, SIZE_MAX / 2, 8));
    assert_int_equal(zl_leave(ctx, ZLAY_ENOMEM), ZLAY_ELIMIT);
    assert_int_equal(zlay_ctx_set_limits(ctx, &limits), ZLAY_OK);
    assert_int_equal(take_scratch(ctx, NULL), ZLAY_ELIMIT);
    assert_non_null(strstr(zlay_ctx_message(ctx), "limits.memory"));
    heap_close(&h, ctx);
}

/* What is taken after a large array asks for no second one as large. */
static void scratch_grows_by_little_behind_much(void **state)
{
    heap h;
    zlay_limits limits = {.size = sizeof limits, .memory = 3 << 20};
    zlay_ctx *ctx = heap_open(&h, &limits);
    (void)state;
    assert_int_equal(zl_enter(ctx), ZLAY_OK);
    assert_non_null(zl_scratch(ctx, 2 << 20, 1));
    for (int i = 0; i < 1000; i++) assert_non_null(zl_scratch(ctx, 100, 1));
    assert_int_equal(zl_leave(ctx, ZLAY_OK), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ctx_new_refuses),
        cmocka_unit_test(limits_default_and_short),
        cmocka_unit_test(second_entry_is_busy),
        cmocka_unit_test(messages_are_cut),
        cmocka_unit_test(hooks_are_used_and_balanced),
        cmocka_unit_test(hostile_counts_are_no_memory),
        cmocka_unit_test(print_whole_or_nothing),
        cmocka_unit_test(print_alloc_ends_with_zero),
        cmocka_unit_test(quote_escapes_and_cuts),
        cmocka_unit_test(names),
        cmocka_unit_test(integers_are_checked),
        cmocka_unit_test(statuses_have_names),
        cmocka_unit_test(scratch_goes_back_to_its_mark),
        cmocka_unit_test(parts_of_calls),
        cmocka_unit_test(scratch_fails_as_memory_does),
        cmocka_unit_test(kept_scratch_counts_as_new),
        cmocka_unit_test(scratch_grows_by_little_behind_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
