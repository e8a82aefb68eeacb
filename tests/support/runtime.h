/* SPDX-License-Identifier: Apache-2.0 */
/* A runtime on a driver without a device (fake-cuda.c), built for the test and entered anew by each. */
#ifndef TESTS_RUNTIME_H
#define TESTS_RUNTIME_H

#include "fake-cuda.h"
#include "runtime/runtime.h"
#include "test.h"

#include <dlfcn.h>
#include <elf.h>
#include <string.h>
#include <unistd.h>

typedef struct world {
    char folder[64], path[96];
    void *library;
    fake_state *fake;
    zlay_ctx *ctx;
    zlay_device *device;
    zlay_plan *plan;
} world;

__attribute__((unused)) static const char ptx[] = ".version 8.0 // a text";

/* Builds the library `soname` from `source`, a file beside this one. */
static void fake_build(world *w, const char *source, const char *soname)
{
    char command[600];
    const char *cc = getenv("CC"), *slash = strrchr(__FILE__, '/');
    int length = slash ? (int)(slash - __FILE__) : 1;
    strcpy(w->folder, "/tmp/zlay-fake-XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    snprintf(w->path, sizeof w->path, "%s/%s", w->folder, soname);
    snprintf(command, sizeof command, "%s -std=c11 -shared -fPIC -o %s %.*s/%s",
             cc && *cc ? cc : "cc", w->path, length, slash ? __FILE__ : ".", source);
    assert_int_equal(system(command), 0);
}

static inline int fake_load(void **state, const char *source, const char *soname)
{
    static world w;
    *state = &w;
    fake_build(&w, source, soname);
    w.library = dlopen(w.path, RTLD_NOW);
    if (!w.library) return -1;
    void *found = dlsym(w.library, "fake_control");
    fake_control_t *control;
    memcpy(&control, &found, sizeof control);
    w.fake = control();
    return 0;
}

static inline int group_setup(void **state)
{
    return fake_load(state, "fake-cuda.c", "libcuda.so.1");
}

static int group_teardown(void **state)
{
    world *w = *state;
    dlclose(w->library);
    unlink(w->path);
    return rmdir(w->folder);
}

static inline void fake_reset(fake_state *fake)
{
    memset(fake, 0, sizeof *fake);
    fake->cc_major = 9;
}

static inline zlay_plan *plan_make(zlay_ctx *ctx, uint64_t m, uint64_t n, uint64_t k, int32_t d_order)
{
    const zlay_target *target;
    zlay_plan *plan;
    zlay_gemm gemm = {.size = sizeof gemm, .m = m, .n = n, .k = k, .d_order = d_order};
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    assert_int_equal(zlay_gemm_synth(ctx, &plan, target, &gemm), ZLAY_OK);
    return plan;
}

static inline int setup(void **state)
{
    world *w = *state;
    fake_reset(w->fake);
    assert_int_equal(zlay_ctx_new(&w->ctx, NULL, NULL), ZLAY_OK);
    assert_int_equal(zl_device_open_path(w->ctx, &w->device, 0, w->path), ZLAY_OK);
    w->plan = plan_make(w->ctx, 512, 512, 64, ZLAY_ORDER_ROW);
    return 0;
}

static inline void nothing_alive(const fake_state *fake)
{
    assert_int_equal(fake->contexts, 0);
    assert_int_equal(fake->pushed, 0);
    assert_int_equal(fake->memory, 0);
    assert_int_equal(fake->modules, 0);
    assert_int_equal(fake->events, 0);
    assert_int_equal(fake->mistakes, 0);
}

static int teardown(void **state)
{
    world *w = *state;
    zlay_plan_free(w->plan);
    zlay_device_close(w->device);
    zlay_ctx_free(w->ctx);
    nothing_alive(w->fake);
    return 0;
}

static inline zlay_kernel *kernel_make(world *w, const zlay_plan *plan)
{
    zlay_kernel *kernel;
    assert_int_equal(zlay_kernel_load(w->ctx, &kernel, w->device, plan, ptx, sizeof ptx - 1,
                                      "gemm"),
                     ZLAY_OK);
    return kernel;
}

static inline void message_has(const world *w, const char *text)
{
    if (!strstr(zlay_ctx_message(w->ctx), text))
        fail_msg("\"%s\" does not say \"%s\"", zlay_ctx_message(w->ctx), text);
}

/* An argument of the last launch, as fake_state.bytes says them. */
static inline uint64_t address_at(const world *w, uint32_t i)
{
    uint64_t address;
    memcpy(&address, w->fake->launch.each[i], sizeof address);
    return address;
}

static inline zlay_status set(world *w, zlay_kernel *kernel, const char *name, uint64_t address)
{
    return zlay_kernel_set(w->ctx, kernel, name, &address, sizeof address);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
