/* SPDX-License-Identifier: Apache-2.0 */
/* In a locale whose decimal point is a comma, everything reads and writes the same.  Machines seldom
 * have such a locale, so the test writes one: the LC_NUMERIC file of glibc is six small values. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp, setenv */

#include "test.h"

#include <locale.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlay/json.h>
#include <zlay/zlay.h>

enum { TEXT = 1 << 18, FIELDS = 6 };

typedef struct world {
    char folder[64], locale[80], file[96];
    zlay_ctx *ctx;
} world;

/* ---- the locale -------------------------------------------------------------- */

/* Decimal point, thousands separator, grouping, the first two as wide characters, code set. */
static size_t numeric_file(uint32_t *out)
{
    static const uint32_t magic = 0x20031115 ^ LC_NUMERIC;
    char *data = (char *)(out + 2 + FIELDS);
    static const char values[] = ",\0\0\0"
                                 "\0\0\0\0"
                                 "\177\0\0\0"
                                 ",\0\0\0"
                                 "\0\0\0\0"
                                 "UTF-8";
    out[0] = magic;
    out[1] = FIELDS;
    for (uint32_t i = 0; i < FIELDS; i++) out[2 + i] = (2 + FIELDS) * 4 + 4 * i;
    memcpy(data, values, sizeof values);
    return (2 + FIELDS) * 4 + sizeof values;
}

static int group_setup(void **state)
{
    static world w;
    static uint32_t content[32];
    *state = &w;
    strcpy(w.folder, "/tmp/zlay-locale-XXXXXX");
    if (!mkdtemp(w.folder)) return -1;
    snprintf(w.locale, sizeof w.locale, "%s/xx_XX", w.folder);
    snprintf(w.file, sizeof w.file, "%s/LC_NUMERIC", w.locale);
    mkdir(w.locale, 0700);
    size_t size = numeric_file(content);
    FILE *file = fopen(w.file, "wb");
    if (!file || fwrite(content, 1, size, file) != size || fclose(file)) return -1;
    return zlay_ctx_new(&w.ctx, NULL, NULL) || setenv("LOCPATH", w.folder, 1);
}

static int group_teardown(void **state)
{
    world *w = *state;
    zlay_ctx_free(w->ctx);
    unlink(w->file);
    rmdir(w->locale);
    return rmdir(w->folder);
}

static void comma(void) { assert_non_null(setlocale(LC_NUMERIC, "xx_XX")); }
static void point(void) { assert_non_null(setlocale(LC_NUMERIC, "C")); }

static void the_point_is_a_comma(void **state)
{
    char text[16];
    (void)state;
    comma();
    snprintf(text, sizeof text, "%.1f", 1.5);
    point();
    assert_string_equal(text, "1,5");
}

/* ---- the same in both ----------------------------------------------------------- */

static char *said(world *w, const char *line)
{
    static char text[TEXT];
    zlay_buf out = {text, sizeof text, 0};
    assert_int_equal(zlay_json_call(w->ctx, &out, line, strlen(line)), ZLAY_OK);
    return text;
}

static void answers_are_the_same(void **state)
{
    static const char *const lines[] = {
        "{\"op\":\"layout.eval\",\"layout\":\"(1000,1000):(1,1000)\",\"at\":[123456],\"id\":[1.5,-"
        "0.25e3,1e100]}",
        "{\"op\":\"layout.eval\",\"layout\":\"4\",\"at\":[1,5]}",
        "{\"op\":\"zlay\"}",
        "{\"op\":\"emit\",\"target\":\"sm_90a\",\"what\":\"gemm\",\"name\":\"g\",\"m\":1000,\"n\":"
        "1000,\"k\":1000}",
        "{\"op\":\"emit\",\"target\":\"sm_90a\",\"what\":\"header\",\"name\":\"g\",\"m\":1000,"
        "\"n\":1000,\"k\":1002}",
        "{\"op\":\"plan.gemm\",\"target\":\"sm_90a\",\"m\":100000,\"n\":1000,\"k\":1000}",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char *before = strdup(said(*state, lines[i]));
        comma();
        char *with = said(*state, lines[i]);
        point();
        assert_string_equal(before, with);
        free(before);
    }
}

static void numbers_keep_their_point(void **state)
{
    comma();
    char *text = said(*state, "{\"op\":\"layout.eval\",\"layout\":\"4\",\"at\":[2],\"id\":1.5}");
    point();
    assert_string_equal(text, "{\"id\":1.5,\"ok\":[2]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_point_is_a_comma),
        cmocka_unit_test(answers_are_the_same),
        cmocka_unit_test(numbers_keep_their_point),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
