/* SPDX-License-Identifier: Apache-2.0 */
/* The printed function of a prepared tensor map, compiled for the host as C and as C++ with every warning an error, against the
 * map that the test computes and zlay_tensormap_pack; nvcc takes it for host and device. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "assembler.h"
#include "fill_world.h"

#include <dlfcn.h>
#include <zlay/emit_function.h>
#include <zlay/replace.h>

enum { FUNCTIONS = 60, CALLS = 400, TEXT = 16384 };
typedef int called(unsigned long long *map, const int64_t *value);

static char text[TEXT];

static void print_function(zlay_ctx *ctx, const zlay_fill *fill, const char *name)
{
    zlay_buf buf = {text, sizeof text, 0};
    if (zlay_emit_fill(ctx, &buf, fill, ZLAY_TEXT_CUDA, name, strlen(name))) fail_msg("%s", zlay_ctx_message(ctx));
}

static void write_call(FILE *file, const zlay_fill *fill, int i)
{
    fprintf(file, "%s#ifdef __cplusplus\nextern \"C\"\n#endif\nint call%d(unsigned long long *map, const long *value);\n"
            "int call%d(unsigned long long *map, const long *value)\n{\n    (void)value;\n    return f%d(map", text, i, i, i);
    for (size_t n = 0; n < zlay_fill_name_count(fill); n++) fprintf(file, ", value[%zu]", n);
    fputs(");\n}\n", file);
}

static void compare(void *library, const zlay_fill *fill, const fill_world *w, int i, uint64_t *s, uint64_t *legal)
{
    char name[16];
    union { void *found; called *function; } call;
    sprintf(name, "call%d", i);
    call.found = dlsym(library, name);
    assert_non_null(call.found);
    for (int k = 0; k < CALLS; k++) {
        int64_t value[FILL_NAMES] = {fill_value(s), fill_value(s), fill_value(s)}, ordered[ZLAY_FILL_NAMES];
        unsigned long long got[FILL_WORDS];
        uint64_t wanted[FILL_WORDS];
        zlay_tensormap map;
        memset(got, 0xa5, sizeof got);
        memset(wanted, 0xa5, sizeof wanted);
        fill_order(ordered, fill, value);
        bool yes = fill_whole(&map, w, value) && !zlay_tensormap_pack(wanted, target_of("sm_90a"), &map);
        if (call.function(got, ordered) != yes)
            fail_msg("function %d: %d at ld %lld, M %lld, at %lld: %s", i, yes, (long long)value[0], (long long)value[1],
                     (long long)value[2], w->text[0]);
        assert_memory_equal(got, wanted, sizeof got);
        *legal += yes;
    }
}

static void compile_and_compare(zlay_fill *const *fill, const fill_world *w, const char *folder, const char *how, uint64_t *s)
{
    char path[96], command[512];
    uint64_t legal = 0;
    snprintf(command, sizeof command, "%s -O1 -Wall -Wextra -Wconversion -Wpedantic -Werror -shared -fPIC -o %s/f.so %s/f.c", how, folder,
             folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/f.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    for (int i = 0; i < FUNCTIONS; i++) compare(library, fill[i], &w[i], i, s, &legal);
    assert_true(legal > 100);
    dlclose(library);
}

static void on_the_host(void **state)
{
    static fill_world w[FUNCTIONS];
    zlay_fill *fill[FUNCTIONS];
    char folder[] = "/tmp/zlay-fill-XXXXXX", path[64], command[64];
    uint64_t s = test_seed("emit/function/fill");
    zlay_verdict v;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/f.c", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < FUNCTIONS; i++) {
        char name[16];
        do fill_draw(&s, &w[i]);
        while (fill_prepared(*state, &fill[i], &w[i], &v));
        sprintf(name, "f%d", i);
        print_function(*state, fill[i], name);
        write_call(file, fill[i], i);
    }
    fclose(file);
    compile_and_compare(fill, w, folder, "${CC:-cc} -std=c11", &s);
    snprintf(path, sizeof path, "%s/f.so", folder);
    assert_int_equal(remove(path), 0);
    compile_and_compare(fill, w, folder, "${CXX:-c++} -std=c++11 -x c++", &s);
    for (int i = 0; i < FUNCTIONS; i++) zlay_fill_free(fill[i]);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static zlay_fill *example(zlay_ctx *ctx)
{
    zlay_tensormap map = legal_map();
    const zlay_given given[] = {{ZLAY_FIELD_ADDRESS, 0, "at", 2}, {ZLAY_FIELD_EXTENT, 1, "int", 3}, {ZLAY_FIELD_STRIDE, 0, "2*ld + 2*pad", 12}};
    zlay_tensormap_question q = {sizeof q, 3, target_of("sm_90a"), &map, given, NULL};
    zlay_fill *fill;
    zlay_verdict v;
    assert_int_equal(zlay_fill_prepare(ctx, &fill, &v, NULL, 0, NULL, &q), ZLAY_OK);
    return fill;
}

/* A name may be a keyword: its parameter begins with in_. */
static void on_a_device(void **state)
{
    zlay_fill *fill = example(*state);
    need_compiler();
    print_function(*state, fill, "rows");
    strcat(text, "__global__ void k(unsigned long long *map, long long at, long long m, long long ld)\n{\n"
                 "    if (!rows(map, at, m, ld, 8)) map[0] = 1;\n}\n"
                 "__global__ void e(unsigned char *map, const void *from, long long at, long long m)\n{\n"
                 "    __shared__ __align__(128) unsigned char s[128];\n    if (rows_edit(map, s, from, at, m, 64, 0)) rows_acquire(map);\n}\n"
                 "int on_host(unsigned long long *map) { return rows(map, 0, 1, 8, 8); }\n");
    assert_true(compiles_for("sm_90a", text));
    zlay_fill_free(fill);
}

/* Each open entry is replaced, by a number that tensormap.replace takes; a map of columns is not edited. */
static void what_is_replaced(void **state)
{
    static const struct { int32_t field; uint32_t ord; const char *text; } rows[] = {
        {ZLAY_REPLACE_GLOBAL_ADDRESS, 0, "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;"},
        {ZLAY_REPLACE_GLOBAL_DIM, 1, "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;"},
        {ZLAY_REPLACE_GLOBAL_STRIDE, 0, "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;"},
    };
    zlay_fill *fill = example(*state);
    zlay_tensormap map, columns = legal_columns(1, 4);
    const zlay_given given = {ZLAY_FIELD_ADDRESS, 0, "at", 2};
    zlay_tensormap_question q = {sizeof q, 1, target_of("sm_90a"), &columns, &given, NULL};
    zlay_verdict v;
    print_function(*state, fill, "rows");
    assert_int_equal(zlay_fill_map(&map, fill, (int64_t[]){1 << 20, 77, 256, 8}), ZLAY_OK);
    for (int i = 0; i < 3; i++) {
        zlay_replace r;
        assert_non_null(strstr(text, rows[i].text));
        assert_int_equal(zlay_replace_from_tensormap(&r, &map, rows[i].field, rows[i].ord), ZLAY_OK);
        assert_int_equal(zlay_replace_check(&v, NULL, 0, target_of("sm_90a"), &r), ZLAY_OK);
        assert_int_equal(v.answer, ZLAY_YES);
    }
    zlay_fill_free(fill);
    assert_int_equal(zlay_fill_prepare(*state, &fill, &v, NULL, 0, NULL, &q), ZLAY_OK);
    print_function(*state, fill, "columns");
    assert_null(strstr(text, "_edit"));
    zlay_fill_free(fill);
}

static void refusals(void **state)
{
    zlay_fill *fill = example(*state);
    char small[16];
    zlay_buf buf = {small, sizeof small, 0};
    assert_int_equal(zlay_emit_fill(*state, &buf, fill, ZLAY_TEXT_CUDA, "rows", 4), ZLAY_EROOM);
    assert_int_equal(zlay_emit_fill(*state, &buf, fill, ZLAY_TEXT_PTX, "rows", 4), ZLAY_ENOTSUP);
    assert_int_equal(zlay_emit_fill(*state, &buf, fill, ZLAY_TEXT_HIP, "rows", 4), ZLAY_ENOTSUP);
    assert_int_equal(zlay_emit_fill(*state, &buf, fill, 77, "rows", 4), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_fill(*state, &buf, fill, ZLAY_TEXT_CUDA, "int", 3), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_fill(*state, NULL, fill, ZLAY_TEXT_CUDA, "rows", 4), ZLAY_EINVAL);
    zlay_fill_free(fill);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_host),
        cmocka_unit_test(on_a_device),
        cmocka_unit_test(what_is_replaced),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
