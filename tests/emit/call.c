/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of products of groups: compiled as C and C++ without a warning, and called on a driver without a device: each argument of the
 * launch, each map and the launch's numbers are those that zlay_kernel_launch gives for the same plan, and the workspace is cleared. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "runtime.h"

#include <stdlib.h>
#include <zlay/emit_pipe.h>

enum { TEXT = 1 << 15, ADDRESS = 1 << 20 };

#define EPILOGUE(text) .epilogue = text, .epilogue_length = sizeof text - 1
static const char moved[] = "body moved\n  matrix S f32\n  matrix R bf16\n  scalar alpha f32\n  scalar n s32\n  global scale f32\n  index i\n  index j\n"
                            "  R = bf16(S * (alpha * load(scale, i + row, n)))\nend\n";

static const struct {
    const char *name;
    zlay_gemm gemm;
} rows[] = {
    {"forward", {.m = 300, .n = 264, .k = 200, .groups = 3}},
    {"few", {.m = 3, .n = 64, .k = 64, .groups = 1}},
    {"tokens", {.m = 300, .n = 264, .k = 200, .b_order = ZLAY_ORDER_ROW, .groups = 3}},
    {"weights", {.m = 200, .n = 264, .k = 300, .groups = 3, .ragged = ZLAY_RAGGED_K, .a_order = ZLAY_ORDER_COLUMN, .b_order = ZLAY_ORDER_ROW}},
    {"epilogue", {.m = 300, .n = 264, .k = 200, EPILOGUE(moved), .groups = 3}},
    {"scaled", {.m = 300, .n = 264, .k = 256, .type = ZLAY_TYPE_E4M3, .a_scales = ZLAY_SCALES_LINE, .b_scales = ZLAY_SCALES_BLOCK, .groups = 3}},
};

static zlay_plan *planned(world *w, size_t row)
{
    const zlay_target *target;
    zlay_plan *plan;
    zlay_gemm gemm = rows[row].gemm;
    gemm.size = sizeof gemm;
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    assert_int_equal(zlay_gemm_synth(w->ctx, &plan, target, &gemm), ZLAY_OK);
    return plan;
}

/* An argument behind those of A, B and D as C sets it: the i-th has the address ADDRESS * i, a scalar i. */
static void values_print(FILE *file, const zlay_plan *plan)
{
    zlay_pipe_argument a;
    for (uint32_t i = 6; !zlay_plan_argument_nth(&a, plan, i); i++)
        if (!strcmp(a.name, "workspace")) fprintf(file, "    x.workspace = workspace;\n");
        else fprintf(file, "    x.%s = %u;\n", a.name, a.kind == ZLAY_ARGUMENT_POINTER ? ADDRESS * i : i);
}

static void source_write(world *w, const char *folder)
{
    char text[TEXT], path[96];
    snprintf(path, sizeof path, "%s/c.c", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#include <string.h>\n", file);
    for (size_t i = 0; i < ZL_COUNT(rows); i++) {
        zlay_plan *plan = planned(w, i);
        zlay_buf buf = {text, sizeof text, 0};
        const char *name = rows[i].name;
        zlay_plan_summary info;
        assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
        assert_int_equal(zlay_emit_header(w->ctx, &buf, plan, name, strlen(name)), ZLAY_OK);
        fprintf(file, "%s%sint call_%s(CUfunction f, CUdeviceptr workspace);\nint call_%s(CUfunction f, CUdeviceptr workspace)\n{\n"
                      "    zl_%s_arguments x;\n    memset(&x, 0, sizeof x);\n    (void)workspace;\n", text, text, name, name, name);
        values_print(file, plan);
        fprintf(file, "    if (zl_%s_prepare(f%s)) return 1;\n    if (zl_%s_bind(&x, 0x1000, 0x2000, 0x3000)) return 2;\n"
                      "    return zl_%s_launch(f, &x, 5, 0) ? 3 : 0;\n}\n", name, info.workspace ? ", workspace" : "", name, name);
        zlay_plan_free(plan);
    }
    fclose(file);
}

static void *compiled(const world *w, const char *folder)
{
    static const char flags[] = "-Wall -Wextra -Werror -isystem /usr/local/cuda/include";
    char command[600], path[96];
    snprintf(command, sizeof command,
             "${CXX:-c++} -std=c++17 %s -x c++ -fsyntax-only %s/c.c && ${CC:-cc} -std=c11 %s -shared -fPIC -o %s/c.so %s/c.c %s", flags, folder, flags,
             folder, folder, w->path);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/c.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    if (!library) fail_msg("%s", dlerror());
    return library;
}

typedef int call_of(void *function, unsigned long long workspace);

/* What the runtime launches for the same plan and the same values. */
static fake_launch wanted(world *w, const zlay_plan *plan, uint64_t workspace)
{
    zlay_kernel *kernel = kernel_make(w, plan);
    zlay_pipe_argument a;
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3000), ZLAY_OK);
    for (uint32_t i = 6; !zlay_plan_argument_nth(&a, plan, i); i++) {
        uint64_t address = (uint64_t)ADDRESS * i;
        float number = (float)i;
        const void *value = a.kind == ZLAY_ARGUMENT_POINTER ? (void *)&address : a.type == ZLAY_TYPE_F32 ? (void *)&number : (void *)&i;
        if (!strcmp(a.name, "workspace")) assert_int_equal(zlay_kernel_set_workspace(w->ctx, kernel, workspace, 16), ZLAY_OK);
        else assert_int_equal(zlay_kernel_set(w->ctx, kernel, a.name, value, a.bytes), ZLAY_OK);
    }
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    zlay_kernel_free(kernel);
    return w->fake->launch;
}

static void called(world *w, void *library, size_t row)
{
    char name[40];
    uint64_t workspace;
    zlay_plan *plan = planned(w, row);
    zlay_pipe_argument a;
    for (uint32_t i = 0; !zlay_plan_argument_nth(&a, plan, i); i++) w->fake->bytes[i] = a.bytes;
    assert_int_equal(zlay_device_allocate(w->ctx, &workspace, w->device, 256), ZLAY_OK);
    fake_launch want = wanted(w, plan, workspace);
    fake_encode encode = w->fake->encode;
    memset((void *)(uintptr_t)workspace, 0x5a, 256);
    memset(&w->fake->encode, 0, sizeof w->fake->encode);
    snprintf(name, sizeof name, "call_%s", rows[row].name);
    union { void *object; call_of *call; } found = {dlsym(library, name)};
    assert_non_null(found.object);
    w->fake->dynamic_smem = 0;
    assert_int_equal(zl_device_enter(w->ctx, w->device), ZLAY_OK);
    int status = found.call(w->fake->function, workspace);
    zl_device_leave(w->ctx, w->device, ZLAY_OK);
    assert_int_equal(status, 0);
    assert_memory_equal(&w->fake->launch, &want, sizeof want);
    assert_memory_equal(&w->fake->encode, &encode, sizeof encode);
    assert_int_equal(w->fake->dynamic_smem, want.shared_bytes);
    zlay_plan_summary info;
    assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
    for (uint32_t i = 0; i < 256; i++) assert_int_equal(((const unsigned char *)(uintptr_t)workspace)[i], i < info.workspace ? 0 : 0x5a);
    memset(w->fake->bytes, 0, sizeof w->fake->bytes);
    zlay_device_free(w->device, workspace);
    zlay_plan_free(plan);
}

static void headers_call_as_the_runtime_does(void **state)
{
    world *w = *state;
    char folder[] = "/tmp/zlay-call-XXXXXX", command[64];
    if (system("test -e /usr/local/cuda/include/cuda.h")) skip();
    assert_non_null(mkdtemp(folder));
    source_write(w, folder);
    void *library = compiled(w, folder);
    for (size_t i = 0; i < ZL_COUNT(rows); i++) called(w, library, i);
    dlclose(library);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(headers_call_as_the_runtime_does)};
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
