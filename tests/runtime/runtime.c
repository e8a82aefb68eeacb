/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime: what it asks of a driver, what it says when a call fails, and that whatever fails
 * nothing leaks and no output is half-written. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

#include "heap.h"
#include "runtime.h"

/* ---- opening ------------------------------------------------------------- */

static void no_library(void **state)
{
    world *w = *state;
    zlay_device *device = w->device;
    assert_int_equal(zl_device_open_path(w->ctx, &device, 0, "/nowhere/libcuda.so.1"),
                     ZLAY_EDRIVER);
    assert_null(device);
    message_has(w, "no CUDA driver: ");
    message_has(w, "/nowhere/libcuda.so.1");
}

static void a_library_that_is_no_driver(void **state)
{
    world *w = *state;
    zlay_device *device;
    assert_int_equal(zl_device_open_path(w->ctx, &device, 0, "libc.so.6"), ZLAY_EDRIVER);
    assert_null(device);
    message_has(w, "cuInit");
}

/* Where this machine has a driver it may open a device; where it has none it must say so. */
static void this_machine(void **state)
{
    world *w = *state;
    zlay_device *device;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NODELETE);
    zlay_status status = zlay_device_open(w->ctx, &device, 0);
    if (!library) {
        assert_int_equal(status, ZLAY_EDRIVER);
        message_has(w, "no CUDA driver: libcuda.so.1");
    }
    assert_true(status == ZLAY_OK || status == ZLAY_EDRIVER);
    assert_true((status == ZLAY_OK) == (device != NULL));
    zlay_device_close(device);
    if (library) dlclose(library);
}

static void info_is_the_drivers(void **state)
{
    world *w = *state;
    zlay_device_summary info;
    assert_int_equal(zlay_device_info(&info, w->device), ZLAY_OK);
    assert_string_equal(info.name, "Imaginary");
    assert_int_equal(info.driver, 13000);
    assert_int_equal(info.cc_major, 9);
    assert_int_equal(info.cc_minor, 0);
    assert_int_equal(info.processors, 5);
    assert_int_equal(info.smem_optin, 232448);
    assert_int_equal(info.l2, 1 << 20);
}

static void an_ordinal_that_is_none(void **state)
{
    world *w = *state;
    zlay_device *device;
    assert_int_equal(zl_device_open_path(w->ctx, &device, -1, w->path), ZLAY_EINVAL);
    message_has(w, "ordinal");
    assert_int_equal(zl_device_open_path(w->ctx, &device, 3, w->path), ZLAY_EDRIVER);
    message_has(w, "cuDeviceGet: CUDA_ERROR_INVALID_VALUE (1)");
    assert_null(device);
}

/* ---- everything once, with a failure at every place ----------------------- */

static zlay_status use_memory(zlay_ctx *ctx, zlay_device *device, uint64_t *at)
{
    char back[8] = "";
    zlay_status status = zlay_device_allocate(ctx, at, device, 4096);
    if (!status) status = zlay_device_upload(ctx, device, *at, "payload", 8);
    if (!status) status = zlay_device_download(ctx, back, device, *at, 8);
    if (!status) assert_string_equal(back, "payload");
    return status;
}

static zlay_status use_kernel(zlay_ctx *ctx, zlay_device *device, zlay_kernel *kernel, uint64_t at)
{
    float milliseconds = -7;
    zlay_status status = zlay_kernel_bind(ctx, kernel, at, at, at);
    if (!status) status = zlay_kernel_launch(ctx, kernel, NULL);
    if (!status) {
        status = zlay_kernel_measure(ctx, &milliseconds, kernel, 3);
        assert_true(milliseconds == (status ? -7.0f : 2.5f));
    }
    if (!status) status = zlay_device_wait(ctx, device);
    return status;
}

/* `message` keeps what the ctx says at the moment of the failure. */
static zlay_status use_all(const world *w, zlay_ctx *ctx, char *message)
{
    zlay_device *device;
    zlay_kernel *kernel = NULL;
    uint64_t at = 0;
    zlay_status status = zl_device_open_path(ctx, &device, 0, w->path);
    if (!status) status = use_memory(ctx, device, &at);
    if (!status)
        status = zlay_kernel_load(ctx, &kernel, device, w->plan, ptx, sizeof ptx - 1, "gemm");
    if (!status) status = use_kernel(ctx, device, kernel, at);
    snprintf(message, 1024, "%s", zlay_ctx_message(ctx));
    zlay_kernel_free(kernel);
    zlay_device_free(device, at);
    zlay_device_close(device);
    return status;
}

/* What frees has nobody to tell, and a pop repeats old errors. */
static bool may_fail_silently(const char *call)
{
    static const char *const calls[] = {"cuCtxPopCurrent_v2", "cuMemFree_v2", "cuModuleUnload",
                                        "cuEventDestroy_v2", "cuDevicePrimaryCtxRelease_v2"};
    for (size_t i = 0; i < ZL_COUNT(calls); i++)
        if (!strcmp(calls[i], call)) return true;
    return false;
}

static int failures_told(const world *w, int calls)
{
    int told = 0;
    for (int k = 1; k <= calls; k++) {
        char message[1024], want[100];
        fake_reset(w->fake);
        w->fake->fail_at = k;
        zlay_status status = use_all(w, w->ctx, message);
        const char *call = w->fake->called[k - 1];
        snprintf(want, sizeof want, "%s: CUDA_ERROR_UNKNOWN (999)", call);
        bool silent = may_fail_silently(call) || (!status && !strcmp(call, "cuCtxPushCurrent_v2"));
        if (!silent) assert_int_equal(status, ZLAY_EDRIVER);
        if (!silent) assert_string_equal(message, want);
        told += !silent;
    }
    return told;
}

static void every_failing_call_is_named(void **state)
{
    world *w = *state;
    char message[1024];
    zlay_device_close(w->device);
    w->device = NULL;
    fake_reset(w->fake);
    assert_int_equal(use_all(w, w->ctx, message), ZLAY_OK);
    int calls = w->fake->calls;
    assert_true(calls > 40 && calls < FAKE_CALLS);
    assert_string_equal(message, "");
    assert_true(failures_told(w, calls) > 25);
}

/* A free that the driver was not entered for leaves its memory to the driver: counted apart. */
static void nothing_leaks_when_calls_fail(void **state)
{
    world *w = *state;
    char message[1024];
    zlay_device_close(w->device);
    w->device = NULL;
    for (int k = 1;; k++) {
        fake_reset(w->fake);
        w->fake->fail_at = k;
        use_all(w, w->ctx, message);
        if (w->fake->calls < k) break;
        bool entered = strcmp(w->fake->called[k - 1], "cuCtxPushCurrent_v2") != 0;
        assert_int_equal(w->fake->contexts, 0);
        assert_int_equal(w->fake->pushed, 0);
        assert_int_equal(w->fake->events, 0);
        assert_int_equal(w->fake->modules, 0);
        if (entered) assert_int_equal(w->fake->memory, 0);
        if (entered) assert_int_equal(w->fake->mistakes, 0);
    }
    fake_reset(w->fake);
}

static zlay_status all_used(zlay_ctx *ctx, void *given)
{
    char message[1024];
    return use_all(given, ctx, message);
}

static void nothing_leaks_when_memory_ends(void **state)
{
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(heap_fails_each(&h, ctx, all_used, *state), ZLAY_OK);
    assert_int_equal(h.calls, 3);
    heap_close(&h, ctx);
}

static void an_error_without_a_name(void **state)
{
    world *w = *state;
    w->fake->nameless = 1;
    w->fake->fail_at = w->fake->calls + 2;
    assert_int_equal(zlay_device_wait(w->ctx, w->device), ZLAY_EDRIVER);
    message_has(w, "cuCtxSynchronize: an error without a name (999)");
}

static void nulls_are_invalid(void **state)
{
    world *w = *state;
    zlay_device *device = w->device;
    zlay_kernel *kernel = kernel_make(w, w->plan), *none;
    uint64_t at = 5;
    char byte;
    const zlay_tensormap map = {.rank = 1};
    assert_int_equal(zl_device_open_path(w->ctx, NULL, 0, w->path), ZLAY_EINVAL);
    assert_int_equal(zl_device_open_path(NULL, &device, 0, w->path), ZLAY_EINVAL);
    assert_null(device);
    device = w->device;
    assert_int_equal(zlay_device_info(NULL, device), ZLAY_EINVAL);
    assert_int_equal(zlay_device_encode_tensormap(w->ctx, NULL, device, &map), ZLAY_EINVAL);
    assert_int_equal(zlay_device_encode_tensormap(w->ctx, &byte, device, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_device_allocate(w->ctx, &at, NULL, 1), ZLAY_EINVAL);
    assert_int_equal(at, 0);
    assert_int_equal(zlay_device_allocate(w->ctx, &at, device, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_device_upload(w->ctx, device, 1, NULL, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_device_download(w->ctx, NULL, device, 1, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_load(w->ctx, &none, device, NULL, ptx, 3, "g"), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_load(w->ctx, &none, NULL, w->plan, ptx, 3, "g"), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_load(w->ctx, &none, device, w->plan, NULL, 3, "g"), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_load(w->ctx, &none, device, w->plan, ptx, 3, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_bind(w->ctx, NULL, 16, 16, 16), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_launch(w->ctx, NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_launch(NULL, kernel, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_measure(w->ctx, NULL, kernel, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_device_wait(w->ctx, NULL), ZLAY_EINVAL);
    zlay_kernel_free(kernel);
    zlay_kernel_free(NULL);
    zlay_device_free(NULL, 1);
    zlay_device_free(device, 0);
    zlay_device_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_library),
        TEST(a_library_that_is_no_driver),
        TEST(this_machine),
        TEST(info_is_the_drivers),
        TEST(an_ordinal_that_is_none),
        TEST(every_failing_call_is_named),
        TEST(nothing_leaks_when_calls_fail),
        TEST(nothing_leaks_when_memory_ends),
        TEST(an_error_without_a_name),
        TEST(nulls_are_invalid),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
