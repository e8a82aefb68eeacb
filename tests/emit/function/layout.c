/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of layouts: their CUDA C is compiled by the host's compiler and called at every point, their PTX is executed by the
 * model, and what they return is the layout's value; nvcc, clang and ptxas take all of them in one file without a warning. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "assembler.h"
#include "functions/layout.h"
#include "ptx/run.h"

#include <dlfcn.h>

static px_machine machine;
static zlay_layout *layouts[LAYOUT_FUNCTIONS];
static int count;

static void make_layouts(zlay_ctx *ctx)
{
    uint64_t seed = test_seed("functions");
    for (count = 0; count < LAYOUT_FUNCTIONS; count++) layouts[count] = layout_draw(ctx, count, &seed);
}

static int set_up(void **state)
{
    int wrong = begin(state);
    if (!wrong) make_layouts(*state);
    return wrong;
}

static int tear_down(void **state)
{
    for (int i = 0; i < count; i++) zlay_layout_free(layouts[i]);
    return end(state);
}

static size_t print_one(zlay_ctx *ctx, char *text, int i, int32_t language) { return layout_function(ctx, text, layouts[i], language, i); }

/* ---- the host's compiler ------------------------------------------------------------------------ */

/* `long long call_I(const unsigned long long *at)` and `int there_I(..)`. */
static void write_calls(FILE *file, int i, bool there)
{
    uint64_t extent[64];
    size_t dims = zlay_layout_box(extent, 64, layouts[i]);
    for (int t = 0; t <= there; t++) {
        fprintf(file, "long long %s_%d(const unsigned long long *at) { (void)at; return (long long)f%d%s(", t ? "there" : "call", i, i,
                t ? "_there" : "");
        for (size_t d = 0; d < dims; d++)
            fprintf(file, "%s%sat[%zu]", d ? ", " : "", extent[d] > 1ull << 32 ? "" : "(unsigned)", d);
        fprintf(file, "); }\n");
    }
}

typedef long long called(const unsigned long long *at);

static called *call_of(void *library, const char *what, int i)
{
    char name[32];
    union { void *object; called *function; } found;
    snprintf(name, sizeof name, "%s_%d", what, i);
    found.object = dlsym(library, name);
    return found.function;
}

static void compare(void *library, int i, uint64_t *seed)
{
    static point points[LAYOUT_POINTS];
    called *call = call_of(library, "call", i), *there = call_of(library, "there", i);
    assert_non_null(call);
    size_t n = points_of(layouts[i], points, seed);
    for (size_t k = 0; k < n; k++) {
        const unsigned long long *at = (const unsigned long long *)points[k].at;
        long long got = call(at);
        if (there && (there(at) != 0) != points[k].there) fail_msg("%d at %llu: there", i, (unsigned long long)points[k].index);
        if (!there && !points[k].there) fail_msg("%d has no value at %llu", i, (unsigned long long)points[k].index);
        if (points[k].there && got != points[k].value)
            fail_msg("%d at %llu: %lld, not %lld", i, (unsigned long long)points[k].index, got, (long long)points[k].value);
    }
}

static void host_values(void **state)
{
    static char text[LAYOUT_ROOM];
    char folder[] = "/tmp/zlay-function-XXXXXX", path[64], command[400];
    uint64_t seed = test_seed("points");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/f.c", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#include <stdbool.h>\n#define __device__\n#define __forceinline__ inline\n", file);
    for (int i = 0; i < count; i++) {
        print_one(*state, text, i, ZLAY_TEXT_CUDA);
        fputs(text, file);
        write_calls(file, i, strstr(text, "_there(") != NULL);
    }
    fclose(file);
    snprintf(command, sizeof command, "${CC:-cc} -std=c11 -O1 -Wall -Wextra -Werror -shared -fPIC -o %s/f.so %s", folder, path);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/f.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    for (int i = 0; i < count; i++) compare(library, i, &seed);
    dlclose(library);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* ---- PTX ----------------------------------------------------------------------------------------- */

enum { IN = 1 << 16, OUT = 1 << 20, THREADS = 128 };

/* The body of `.func (..) NAME(..)` as that of a kernel: parameter iK is word K of 64 bits of the thread's place in `from`. */
static void write_kernel(char *out, const char *func, size_t dims)
{
    char *to = out + sprintf(out, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(\n.param .u64 from,\n.param .u64 to\n)\n{\n"
                                  "    .reg .b32 tid;\n    .reg .b64 in, out;\n    mov.u32 tid, %%tid.x;\n    ld.param.u64 in, [from];\n"
                                  "    ld.param.u64 out, [to];\n    mad.wide.u32 in, tid, %zu, in;\n    mad.wide.u32 out, tid, 8, out;\n", 8 * dims);
    const char *at = strstr(func, "{\n") + 2;
    for (const char *line = at, *end; *line && *line != '}'; line = end + 1) {
        unsigned bits, from;
        char name[16];
        end = strchr(line, '\n');
        if (sscanf(line, " ld.param.u%u %15[%%a-z0-9], [i%u]", &bits, name, &from) == 3)
            to += sprintf(to, "    ld.global.b%u %s, [in + %u];\n", bits, name, 8 * from);
        else if (sscanf(line, " st.param.b%u [value], %15[%%a-z0-9]", &bits, name) == 2)
            to += sprintf(to, "    st.global.b%u [out], %s;\n", bits, name);
        else
            to += sprintf(to, "%.*s\n", (int)(end - line), line);
    }
    sprintf(to, "}\n");
}

/* Threads of a block take points that lie apart, the last ones the last point. */
static void run_points(const char *kernel, int i, bool is_long, const point *points, size_t n)
{
    static uint64_t in[THREADS * 64], out[THREADS];
    const uint64_t at[2] = {IN, OUT};
    size_t dims = zlay_layout_box(NULL, 0, layouts[i]), step = (n + THREADS - 1) / THREADS;
    for (size_t t = 0; t < THREADS; t++) memcpy(&in[t * dims], points[t * step < n ? t * step : n - 1].at, dims * sizeof *in);
    machine.memories = 2;
    machine.memory[0] = (px_memory){IN, sizeof in, (uint8_t *)in};
    machine.memory[1] = (px_memory){OUT, sizeof out, (uint8_t *)out};
    for (int p = 0; p < 2; p++) memcpy(machine.param[p], &at[p], sizeof at[p]);
    machine.when = PX_EARLY;
    px_run(&machine, kernel, THREADS, 1, 1);
    if (*machine.fault) fail_msg("%d: %s\n%s", i, machine.fault, kernel);
    for (size_t t = 0; t < THREADS; t++) {
        const point *p = &points[t * step < n ? t * step : n - 1];
        bool same = is_long ? (int64_t)out[t] == p->value : (uint32_t)out[t] == (uint32_t)p->value;
        if (p->there && !same)
            fail_msg("%d at %llu: %lld, not %lld\n%s", i, (unsigned long long)p->index, (long long)out[t], (long long)p->value, kernel);
    }
}

static void ptx_values(void **state)
{
    static char text[LAYOUT_ROOM], kernel[LAYOUT_ROOM];
    static point points[LAYOUT_POINTS];
    uint64_t seed = test_seed("points");
    for (int i = 0; i < count; i++) {
        print_one(*state, text, i, ZLAY_TEXT_PTX);
        size_t n = points_of(layouts[i], points, &seed);
        write_kernel(kernel, text, zlay_layout_box(NULL, 0, layouts[i]));
        run_points(kernel, i, strstr(text, "(.param .b64 value)") != NULL, points, n);
    }
}

/* ---- compilers ----------------------------------------------------------------------------------- */

static char all[LAYOUT_ROOM * 4];

/* All functions, and a kernel that calls each of them but the last, which stands alone. */
static void write_all(zlay_ctx *ctx, int32_t language)
{
    char *to = all;
    for (int i = 0; i < count; i++) to += print_one(ctx, to, i, language);
    to += sprintf(to, "extern \"C\" __attribute__((global)) void k(unsigned long long *p)\n{\n");
    for (int i = 0; i + 1 < count; i++) {
        size_t dims = zlay_layout_box(NULL, 0, layouts[i]);
        char name[32];
        snprintf(name, sizeof name, "f%d_there(", i);
        for (int t = 0; t <= (strstr(all, name) != NULL); t++) {
            to += sprintf(to, "    p[%d] = (unsigned long long)f%d%s(", i, i, t ? "_there" : "");
            for (size_t d = 0; d < dims; d++) to += sprintf(to, "%sp[%zu]", d ? ", " : "", d + 1);
            to += sprintf(to, ");\n");
        }
    }
    sprintf(to, "}\n");
}

static void nvcc_takes_them(void **state)
{
    need_compiler();
    write_all(*state, ZLAY_TEXT_CUDA);
    assert_true(compiles_for("sm_80 sm_90a sm_100a", all));
}

static void ptxas_takes_them(void **state)
{
    char *to = all;
    need_assembler();
    to += sprintf(to, ".version 7.0\n.target sm_80\n.address_size 64\n\n");
    for (int i = 0; i < count; i++) to += print_one(*state, to, i, ZLAY_TEXT_PTX);
    assert_true(assembles("sm_80", all));
}

static void clang_takes_them(void **state)
{
    if (!has_hip_compiler()) skip();
    write_all(*state, ZLAY_TEXT_HIP);
    assert_true(compiles_hip("gfx90a gfx942 gfx950", all));
}

/* ---- refusals ------------------------------------------------------------------------------------ */

static zlay_status asked(zlay_ctx *ctx, const char *layout, int32_t language, const char *name, const char *says)
{
    char text[64];
    zlay_buf buf = {text, sizeof text, 0};
    zlay_layout *a = read_layout(ctx, layout);
    zlay_status status = zlay_emit_layout(ctx, &buf, a, language, name, strlen(name));
    if (says && !strstr(zlay_ctx_message(ctx), says)) fail_msg("%s, not %s", zlay_ctx_message(ctx), says);
    zlay_layout_free(a);
    return status;
}

/* 500 pieces of two points. */
static const char *many_pieces(void)
{
    static char text[1 << 16];
    char *to = text + sprintf(text, "{ ");
    for (int i = 0; i < 500; i++) to += sprintf(to, "%s[i] -> [%d i] : %d <= i < %d", i ? "; " : "", 7 + i * i % 101, 2 * i, 2 * i + 2);
    sprintf(to, " }");
    return text;
}

static void refused(void **state)
{
    static const char *const names[] = {"", "9f", "f-g", "int", "template", "__global__", "__f", "_F", "threadIdx", "warpSize", "__shfl_sync", "add", "min",
                                        "printf", "dim3", "uint4", "NULL", "a23456789012345678901234567890123456789012345678901234567890123456789"};
    zlay_buf buf = {NULL, 0, 0};
    zlay_layout *a = read_layout(*state, "(4,8):(8,1)");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (asked(*state, "(4,8):(8,1)", ZLAY_TEXT_CUDA, names[i], "name") != ZLAY_EINVAL) fail_msg("%s is taken", names[i]);
    assert_int_equal(asked(*state, "(4,8):(8,1)", 7, "f", "language"), ZLAY_EINVAL);
    assert_int_equal(asked(*state, "(4,8):(8,1)", ZLAY_TEXT_CUDA, "f", NULL), ZLAY_EROOM);
    assert_int_equal(asked(*state, "[N] -> { [i] -> [i + N] : 0 <= i < 4 }", ZLAY_TEXT_CUDA, "f", "N"), ZLAY_ENOTSUP);
    assert_int_equal(asked(*state, "(4,8):(ld,1)", ZLAY_TEXT_CUDA, "f", "ld"), ZLAY_ENOTSUP);
    assert_int_equal(asked(*state, many_pieces(), ZLAY_TEXT_PTX, "f", "2048 operations"), ZLAY_ENOTSUP);
    assert_int_equal(zlay_emit_layout(*state, NULL, a, ZLAY_TEXT_PTX, "f", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_layout(*state, &buf, NULL, ZLAY_TEXT_PTX, "f", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_layout(*state, &buf, a, ZLAY_TEXT_PTX, NULL, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_layout(NULL, &buf, a, ZLAY_TEXT_PTX, "f", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_layout(*state, &buf, a, ZLAY_TEXT_PTX, "f", 1), ZLAY_EROOM);
    zlay_layout_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_values),
        cmocka_unit_test(ptx_values),
        cmocka_unit_test(nvcc_takes_them),
        cmocka_unit_test(ptxas_takes_them),
        cmocka_unit_test(clang_takes_them),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("functions", tests, set_up, tear_down);
}
