/* SPDX-License-Identifier: Apache-2.0 */
/* Division without division, against the machine's own. */
#define _POSIX_C_SOURCE 200809L /* popen, mkdtemp */

#include "layouts/layout.h"

#include <inttypes.h>
#include <unistd.h>
#include <zlay/radix.h>

/* ---- the worked example of zlay/radix.h ------------------------------------------------- */

static void example(void **state)
{
    const uint64_t shape[] = {3, 5};
    uint64_t c[2], rest = 7, index;
    zlay_radix *radix;
    zlay_divisor d;
    assert_int_equal(zlay_radix_new(*state, &radix, 2, shape, 0, 14), ZLAY_OK);
    assert_int_equal(zlay_radix_split(c, &rest, radix, 11), ZLAY_OK);
    assert_true(c[0] == 2 && c[1] == 3 && rest == 0);
    assert_int_equal(zlay_radix_join(&index, radix, c), ZLAY_OK);
    assert_int_equal(index, 11);
    const zlay_divisor *step = zlay_radix_divisor_nth(radix, 0);
    assert_int_equal(step->way, ZLAY_DIVISOR_MULTIPLY);
    assert_true(step->multiplier == 11 && step->shift == 5 && step->product == 32);
    assert_int_equal(zlay_radix_divisor_nth(radix, 1)->way, ZLAY_DIVISOR_ZERO);
    assert_null(zlay_radix_divisor_nth(radix, 2));
    zlay_radix_free(radix);
    assert_int_equal(zlay_divisor_make(&d, 3, 0, UINT32_MAX), ZLAY_OK);
    assert_true(d.multiplier == 0xaaaaaaab && d.shift == 33 && d.product == 64 && d.bits == 32);
}

/* ---- edges of 32 and 64 bits -------------------------------------------------------------- */

static int64_t floor_div(int64_t x, uint64_t n)
{
    return x < 0 ? (int64_t)~(~(uint64_t)x / n) : (int64_t)((uint64_t)x / n);
}

static void assert_quotient(const zlay_divisor *d, uint64_t x)
{
    uint64_t want = d->least < 0 ? (uint64_t)floor_div((int64_t)x, d->divisor) : x / d->divisor;
    if (zlay_divisor_quotient(d, x) != want)
        fail_msg("%" PRIu64 " / %" PRIu64 " in [%" PRId64 ", %" PRIu64 "]: %" PRIu64, x, d->divisor,
                 d->least, d->greatest, zlay_divisor_quotient(d, x));
}

/* Operands where quotients turn: multiples of the divisor and what is beside them, at both ends of
 * the range, and a few between. */
static void check_divisor(uint64_t *seed, uint64_t divisor, int64_t least, uint64_t greatest)
{
    zlay_divisor d;
    assert_int_equal(zlay_divisor_make(&d, divisor, least, greatest), ZLAY_OK);
    uint64_t low = (uint64_t)least, span = greatest - low;
    for (uint64_t k = 0; k < 24 && k <= span; k++) {
        assert_quotient(&d, low + k);
        assert_quotient(&d, greatest - k);
        uint64_t x = low + (span == UINT64_MAX ? test_random(seed) : test_random(seed) % (span + 1));
        assert_quotient(&d, x);
        uint64_t back = k % 2 ? x % divisor : x % divisor + 1;
        if (x - low >= back) assert_quotient(&d, x - back);
    }
    uint64_t multiple = greatest - greatest % divisor;
    for (uint64_t k = 0; k < 3; k++) {
        if (multiple - k - low <= span) assert_quotient(&d, multiple - k);
        if (multiple + k >= multiple && multiple + k - low <= span)
            assert_quotient(&d, multiple + k);
    }
}

static uint64_t some_number(uint64_t *seed)
{
    uint64_t bits = (uint64_t)test_range(seed, 0, 63), near = (uint64_t)test_range(seed, -3, 3);
    return test_range(seed, 0, 1) ? ((uint64_t)1 << bits) + near : test_random(seed) >> bits;
}

static void edges(void **state)
{
    static const struct { int64_t least; uint64_t greatest; } range[] = {
        {0, UINT32_MAX}, {0, UINT64_MAX}, {0, INT32_MAX}, {0, INT64_MAX}, {INT32_MIN, INT32_MAX},
        {INT64_MIN, INT64_MAX}, {-1, 0}, {INT64_MIN, 0}, {-100, 1}, {0, (uint64_t)1 << 32},
        {0, (uint64_t)INT64_MAX + 1}, {INT64_MAX, UINT64_MAX}, {0, 0},
    };
    uint64_t seed = test_seed("edges");
    (void)state;
    for (uint64_t i = 0; i < test_iterations(3000); i++) {
        uint64_t divisor = i < 300 ? i + 1 : some_number(&seed);
        for (size_t r = 0; divisor && r < sizeof range / sizeof range[0]; r++)
            check_divisor(&seed, divisor, range[r].least, range[r].greatest);
    }
}

static void random_ranges(void **state)
{
    uint64_t seed = test_seed("random_ranges");
    (void)state;
    for (uint64_t i = 0; i < test_iterations(100000); i++) {
        uint64_t divisor = some_number(&seed), greatest = some_number(&seed);
        int64_t least = (int64_t)(some_number(&seed) >> 1);
        if (test_range(&seed, 0, 1)) least = -least;
        if (least < 0) greatest >>= 1;
        if (!divisor || (least >= 0 && greatest < (uint64_t)least)) continue;
        check_divisor(&seed, divisor, least, greatest);
    }
}

/* The multiplier is the least: one bit less of it is wrong somewhere, or it is odd. */
static void least_multipliers(void **state)
{
    (void)state;
    for (uint64_t most = 1; most < 300; most++)
        for (uint64_t n = 3; n <= most; n++) {
            zlay_divisor d;
            bool wrong = false;
            if (!(n & (n - 1))) continue;
            assert_int_equal(zlay_divisor_make(&d, n, 0, most), ZLAY_OK);
            assert_int_equal(d.way, ZLAY_DIVISOR_MULTIPLY);
            uint64_t scale = (uint64_t)1 << (d.shift - 1), up = (scale + n - 1) / n;
            for (uint64_t x = 0; x <= most; x++) {
                assert_quotient(&d, x);
                wrong = wrong || x * up / scale != x / n;
            }
            assert_true(wrong);
        }
}

static void refused(void **state)
{
    static const struct { uint64_t divisor; int64_t least; uint64_t greatest; } rows[] = {
        {0, 0, 1}, {3, 1, 0}, {3, -1, (uint64_t)1 << 63},
    };
    zlay_divisor d = {.divisor = 77};
    zlay_radix *radix = (zlay_radix *)&d;
    const uint64_t shape[] = {4, 0}, big[] = {(uint64_t)1 << 40, (uint64_t)1 << 40};
    uint64_t c[2] = {0, ((uint64_t)1 << 40) - 1}, index = 7;
    char text[64];
    zlay_buf buf = {text, sizeof text, 0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(zlay_divisor_make(&d, rows[i].divisor, rows[i].least, rows[i].greatest),
                         ZLAY_EINVAL);
    assert_int_equal(zlay_divisor_make(NULL, 3, 0, 1), ZLAY_EINVAL);
    assert_int_equal(d.divisor, 77);
    assert_int_equal(zlay_radix_new(*state, &radix, 2, shape, 0, 9), ZLAY_EINVAL);
    assert_null(radix);
    assert_non_null(strstr(zlay_ctx_message(*state), "extent 1"));
    assert_int_equal(zlay_radix_new(*state, &radix, 0, shape, 0, 9), ZLAY_EINVAL);
    assert_int_equal(zlay_radix_new(*state, &radix, 1, NULL, 0, 9), ZLAY_EINVAL);
    assert_int_equal(zlay_radix_new(*state, NULL, 1, shape, 0, 9), ZLAY_EINVAL);
    assert_int_equal(zlay_radix_new(*state, &radix, 1, shape, 5, 4), ZLAY_EINVAL);
    assert_int_equal(zlay_radix_new(*state, &radix, 65, shape, 0, 9), ZLAY_ELIMIT);
    assert_int_equal(zlay_radix_new(*state, &radix, 2, big, 5, UINT64_MAX), ZLAY_OK);
    assert_int_equal(zlay_radix_split(c, NULL, radix, 4), ZLAY_EINVAL);
    assert_int_equal(zlay_radix_split(NULL, NULL, radix, 5), ZLAY_EINVAL);
    assert_int_equal(zlay_radix_split(c, NULL, NULL, 5), ZLAY_EINVAL);
    assert_int_equal(zlay_radix_join(NULL, radix, c), ZLAY_EINVAL);
    assert_int_equal(zlay_radix_join(&index, radix, c), ZLAY_EOVERFLOW);
    c[0] = (uint64_t)1 << 40;
    assert_int_equal(zlay_radix_join(&index, radix, c), ZLAY_EINVAL);
    assert_int_equal(index, 7);
    assert_int_equal(zlay_radix_print(&buf, radix, "int"), ZLAY_EINVAL);
    assert_int_equal(zlay_radix_print(&buf, radix, "f"), ZLAY_EROOM);
    assert_true(buf.need > 64);
    zlay_radix_free(radix);
    zlay_radix_free(NULL);
}

/* ---- coordinates ---------------------------------------------------------------------------- */

__extension__ typedef __int128 wide;

static void coordinates(void **state)
{
    uint64_t seed = test_seed("coordinates");
    for (uint64_t i = 0; i < test_iterations(20000); i++) {
        uint64_t shape[6], c[6], rest, index, rank = (uint64_t)test_range(&seed, 1, 6);
        int64_t least = test_range(&seed, 0, 3) ? 0 : -test_range(&seed, 1, 1000000);
        uint64_t greatest = test_random(&seed) >> test_range(&seed, 1, 60);
        zlay_radix *radix;
        for (size_t k = 0; k < rank; k++) shape[k] = (uint64_t)test_range(&seed, 1, 40);
        assert_int_equal(zlay_radix_new(*state, &radix, rank, shape, least, greatest), ZLAY_OK);
        for (int n = 0; n < 20; n++) {
            int64_t x = n ? least + (int64_t)(test_random(&seed) % (greatest - (uint64_t)least + 1))
                          : least;
            wide sum = 0, step = 1;
            assert_int_equal(zlay_radix_split(c, &rest, radix, (uint64_t)x), ZLAY_OK);
            for (size_t k = 0; k < rank; k++) {
                assert_true(c[k] < shape[k]);
                sum += step * (int64_t)c[k];
                step *= (int64_t)shape[k];
            }
            assert_int_equal(zlay_radix_join(&index, radix, c), ZLAY_OK);
            assert_true((wide)index == sum);
            assert_true(sum + step * (int64_t)rest == x);
        }
        zlay_radix_free(radix);
    }
}

/* ---- the emitted text, compiled and run --------------------------------------------------------- */

enum { FUNCTIONS = 60, RANK = 4, TEXT = 4096 };

typedef struct emitted {
    uint64_t shape[RANK], greatest;
    int64_t least;
    size_t rank;
} emitted;

static emitted random_shape(uint64_t *seed)
{
    emitted e = {.rank = (size_t)test_range(seed, 1, RANK)};
    e.greatest = some_number(seed);
    if (test_range(seed, 0, 2) == 0) {
        e.least = -(int64_t)(some_number(seed) >> 1);
        e.greatest >>= 1;
    }
    for (size_t k = 0; k < e.rank; k++) {
        e.shape[k] = test_range(seed, 0, 5) ? (uint64_t)test_range(seed, 1, 700) : some_number(seed) >> 1;
        if (!e.shape[k]) e.shape[k] = 1;
    }
    return e;
}

/* Calls with what they should give, computed here with / and %. */
static void write_calls(FILE *f, const emitted *e, int i, const char *type, uint64_t *seed)
{
    for (int n = 0; n < 40; n++) {
        uint64_t span = e->greatest - (uint64_t)e->least, off = test_random(seed);
        if (span != UINT64_MAX) off = n < 2 ? (uint64_t)n * span : off % (span + 1);
        int64_t x = (int64_t)((uint64_t)e->least + off), q = x;
        fprintf(f, "    CALL(f%d, %s, UINT64_C(%" PRIu64 ")", i, type, (uint64_t)x);
        for (size_t k = 0; k < RANK; k++) {
            uint64_t n_k = k < e->rank ? e->shape[k] : 1;
            int64_t next = e->least < 0 ? floor_div(q, n_k) : (int64_t)((uint64_t)q / n_k);
            fprintf(f, ", UINT64_C(%" PRIu64 ")", (uint64_t)q - (uint64_t)next * n_k);
            q = next;
        }
        fprintf(f, ", UINT64_C(%" PRIu64 "))\n", (uint64_t)q);
    }
}

static void write_program(zlay_ctx *ctx, const char *path)
{
    static char text[TEXT], calls[FUNCTIONS][16];
    emitted all[FUNCTIONS];
    uint64_t seed = test_seed("emitted");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#include <stdint.h>\n#include <stdio.h>\n");
    for (int i = 0; i < FUNCTIONS; i++) {
        char name[16];
        zlay_radix *radix;
        zlay_buf buf = {text, sizeof text, 0};
        all[i] = random_shape(&seed);
        sprintf(name, "f%d", i);
        assert_int_equal(zlay_radix_new(ctx, &radix, all[i].rank, all[i].shape, all[i].least,
                                        all[i].greatest), ZLAY_OK);
        assert_int_equal(zlay_radix_print(&buf, radix, name), ZLAY_OK);
        assert_int_equal(sscanf(strstr(text, "static inline "), "static inline %15s", calls[i]), 1);
        fputs(text, f);
        zlay_radix_free(radix);
    }
    fprintf(f, "#define CALL(f, T, x, a, b, d, e, r) { T c[4] = {0}; total++; \\\n"
               "    if (f((T)x, c) != (T)r || c[0] != (T)a || c[1] != (T)b || c[2] != (T)d || \\\n"
               "        c[3] != (T)e) printf(#f \" is wrong at %%lld\\n\", (long long)x); }\n"
               "static int total;\n");
    for (int i = 0; i < FUNCTIONS; i++) {
        fprintf(f, "static void t%d(void)\n{\n", i);
        write_calls(f, &all[i], i, calls[i], &seed);
        fprintf(f, "}\n");
    }
    fprintf(f, "int main(void)\n{\n");
    for (int i = 0; i < FUNCTIONS; i++) fprintf(f, "    t%d();\n", i);
    fprintf(f, "    printf(\"%%d calls\\n\", total);\n    return 0;\n}\n");
    assert_int_equal(fclose(f), 0);
}

static void emitted_text_runs(void **state)
{
    char dir[] = "/tmp/zlay-radix-XXXXXX", source[64], program[64], command[512], line[128] = "";
    assert_non_null(mkdtemp(dir));
    sprintf(source, "%s/f.c", dir);
    sprintf(program, "%s/f", dir);
    write_program(*state, source);
    const char *cc = getenv("CC");
    snprintf(command, sizeof command,
             "%s -std=c11 -Wall -Wextra -Wconversion -Werror -o %s %s 2>&1 && %s",
             cc && *cc ? cc : "cc", program, source, program);
    FILE *run = popen(command, "r");
    assert_non_null(run);
    assert_non_null(fgets(line, sizeof line, run));
    assert_string_equal(line, "2400 calls\n");
    assert_int_equal(pclose(run), 0);
    unlink(program);
    unlink(source);
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example), cmocka_unit_test(edges), cmocka_unit_test(random_ranges),
        cmocka_unit_test(least_multipliers), cmocka_unit_test(refused),
        cmocka_unit_test(coordinates), cmocka_unit_test(emitted_text_runs),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
