/* SPDX-License-Identifier: Apache-2.0 */
/* The part of cmocka's interface that the tests of `make portable` use, with cmocka's meaning, for targets
 * that have no cmocka: an assertion that does not hold prints its place, ends its test by longjmp and fails
 * it; skip() ends it and is counted apart.  Output is TAP, the exit status is the number of failed tests.
 * A program includes this once; set-up and tear-down are a group's or a test's, as in cmocka 1.1. */
#ifndef CMOCKA_H
#define CMOCKA_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state);

struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func, teardown_func;
    void *initial_state;
};

enum { CM_PASSED, CM_FAILED, CM_SKIPPED };

static jmp_buf cm_end;
static int cm_running;

_Noreturn static inline void cm_leave(int how)
{
    if (!cm_running) printf("# an assertion outside a test\n");
    fflush(stdout);
    longjmp(cm_end, how);
}

_Noreturn static inline void cm_fail(const char *file, int line, const char *format, ...)
{
    va_list list;
    printf("# %s:%d: ", file, line);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
    cm_leave(CM_FAILED);
}

static inline void cm_int(const char *file, int line, uintmax_t a, uintmax_t b, int alike)
{
    if ((a == b) != alike) cm_fail(file, line, "%#" PRIxMAX " %s %#" PRIxMAX, a, alike ? "!=" : "==", b);
}

static inline void cm_range(const char *file, int line, uintmax_t value, uintmax_t low, uintmax_t high)
{
    if (value < low || value > high)
        cm_fail(file, line, "%" PRIuMAX " is not in %" PRIuMAX "..%" PRIuMAX, value, low, high);
}

static inline void cm_text(const char *file, int line, const char *a, const char *b)
{
    if (!a || !b || strcmp(a, b)) cm_fail(file, line, "\"%s\" != \"%s\"", a ? a : "NULL", b ? b : "NULL");
}

static inline void cm_bytes(const char *file, int line, const void *a, const void *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned x = ((const unsigned char *)a)[i], y = ((const unsigned char *)b)[i];
        if (x != y) cm_fail(file, line, "byte %zu of %zu: %#x != %#x", i, size, x, y);
    }
}

static inline void cm_true(const char *file, int line, int holds, const char *text)
{
    if (!holds) cm_fail(file, line, "%s", text);
}

#define CM_AT __FILE__, __LINE__
#define assert_true(c) cm_true(CM_AT, !!(c), #c)
#define assert_false(c) cm_true(CM_AT, !(c), "not " #c)
#define assert_non_null(p) cm_true(CM_AT, (p) != NULL, #p " is NULL")
#define assert_null(p) cm_true(CM_AT, (p) == NULL, #p " is not NULL")
#define assert_ptr_equal(a, b) cm_true(CM_AT, (const void *)(a) == (const void *)(b), #a " is not " #b)
#define assert_int_equal(a, b) cm_int(CM_AT, (uintmax_t)(a), (uintmax_t)(b), 1)
#define assert_int_not_equal(a, b) cm_int(CM_AT, (uintmax_t)(a), (uintmax_t)(b), 0)
#define assert_in_range(v, low, high) cm_range(CM_AT, (uintmax_t)(v), (uintmax_t)(low), (uintmax_t)(high))
#define assert_string_equal(a, b) cm_text(CM_AT, a, b)
#define assert_string_not_equal(a, b) cm_true(CM_AT, strcmp(a, b) != 0, #a " is " #b)
#define assert_memory_equal(a, b, size) cm_bytes(CM_AT, a, b, size)
#define assert_memory_not_equal(a, b, size) cm_true(CM_AT, memcmp(a, b, size) != 0, #a " is " #b)
#define fail_msg(...) cm_fail(CM_AT, __VA_ARGS__)
#define fail() cm_fail(CM_AT, "failed")
#define skip() cm_leave(CM_SKIPPED)
#define print_message(...) printf("# " __VA_ARGS__)
#define print_error(...) printf("# " __VA_ARGS__)

#define cmocka_unit_test(f) {#f, f, NULL, NULL, NULL}
#define cmocka_unit_test_setup_teardown(f, setup, teardown) {#f, f, setup, teardown, NULL}

/* A set-up, a test and a tear-down: each ends at its first assertion that does not hold. */
static inline int cm_try(const struct CMUnitTest *test, CMFixtureFunction fixture, void **state)
{
    volatile int how = CM_PASSED;
    cm_running = 1;
    int left = setjmp(cm_end);
    if (left) how = left;
    else if (!fixture) test->test_func(state);
    else if (fixture(state)) how = CM_FAILED;
    cm_running = 0;
    return how;
}

static inline int cm_one(const struct CMUnitTest *test, void *state)
{
    int how = test->setup_func ? cm_try(test, test->setup_func, &state) : CM_PASSED;
    if (how == CM_PASSED) how = cm_try(test, NULL, &state);
    if (test->teardown_func && cm_try(test, test->teardown_func, &state) != CM_PASSED) how = CM_FAILED;
    return how;
}

static inline int cm_group(const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
                           CMFixtureFunction teardown)
{
    void *state = NULL;
    int failed = 0, ready = !setup || cm_try(NULL, setup, &state) == CM_PASSED;
    printf("1..%zu\n", count);
    for (size_t i = 0; i < count; i++) {
        int how = ready ? cm_one(&tests[i], state) : CM_FAILED;
        failed += how == CM_FAILED;
        printf("%s %zu %s%s\n", how == CM_FAILED ? "not ok" : "ok", i + 1, how == CM_SKIPPED ? "# SKIP " : "- ",
               tests[i].name);
        fflush(stdout);
    }
    if (teardown && ready && cm_try(NULL, teardown, &state) != CM_PASSED) {
        printf("not ok %zu - the group's tear-down\n", count + 1);
        failed++;
    }
    return failed;
}

#define cmocka_run_group_tests(tests, setup, teardown) \
    cm_group(tests, sizeof(tests) / sizeof *(tests), setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown) cmocka_run_group_tests(tests, setup, teardown)

#endif
