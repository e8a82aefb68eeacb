/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime on a driver without a device (fake-cuda.c): what it asks, what it says when a call
 * fails, and that whatever fails nothing leaks and no output is half-written. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

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

static const char ptx[] = ".version 8.0 // a text";

/* ---- the driver that is built for the test ------------------------------- */

static void fake_build(world *w)
{
    char command[600];
    const char *cc = getenv("CC"), *slash = strrchr(__FILE__, '/');
    int length = slash ? (int)(slash - __FILE__) : 1;
    strcpy(w->folder, "/tmp/zlay-fake-XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    snprintf(w->path, sizeof w->path, "%s/libcuda.so.1", w->folder);
    snprintf(command, sizeof command, "%s -std=c11 -shared -fPIC -o %s %.*s/fake-cuda.c",
             cc && *cc ? cc : "cc", w->path, length, slash ? __FILE__ : ".");
    assert_int_equal(system(command), 0);
}

static int group_setup(void **state)
{
    static world w;
    *state = &w;
    fake_build(&w);
    w.library = dlopen(w.path, RTLD_NOW);
    if (!w.library) return -1;
    void *found = dlsym(w.library, "fake_control");
    fake_control_t *control;
    memcpy(&control, &found, sizeof control);
    w.fake = control();
    return 0;
}

static int group_teardown(void **state)
{
    world *w = *state;
    dlclose(w->library);
    unlink(w->path);
    return rmdir(w->folder);
}

static void fake_reset(fake_state *fake)
{
    memset(fake, 0, sizeof *fake);
    fake->cc_major = 9;
}

static zlay_plan *plan_make(zlay_ctx *ctx, uint64_t m, uint64_t n, uint64_t k, int32_t d_order)
{
    const zlay_target *target;
    zlay_plan *plan;
    zlay_gemm gemm = {.size = sizeof gemm, .m = m, .n = n, .k = k, .d_order = d_order};
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    assert_int_equal(zlay_plan_synth_gemm(ctx, &plan, target, &gemm), ZLAY_OK);
    return plan;
}

static int setup(void **state)
{
    world *w = *state;
    fake_reset(w->fake);
    assert_int_equal(zlay_ctx_new(&w->ctx, NULL, NULL), ZLAY_OK);
    assert_int_equal(zl_device_open_path(w->ctx, &w->device, 0, w->path), ZLAY_OK);
    w->plan = plan_make(w->ctx, 512, 512, 64, ZLAY_ORDER_ROW);
    return 0;
}

static void nothing_alive(const fake_state *fake)
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

static zlay_kernel *kernel_make(world *w, const zlay_plan *plan)
{
    zlay_kernel *kernel;
    assert_int_equal(zlay_kernel_load(w->ctx, &kernel, w->device, plan, ptx, sizeof ptx - 1,
                                      "gemm"),
                     ZLAY_OK);
    return kernel;
}

static void message_has(const world *w, const char *text)
{
    if (!strstr(zlay_ctx_message(w->ctx), text))
        fail_msg("\"%s\" does not say \"%s\"", zlay_ctx_message(w->ctx), text);
}

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
    zlay_device_info info;
    assert_int_equal(zlay_device_get(&info, w->device), ZLAY_OK);
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
    zlay_status status = zlay_device_alloc(ctx, device, at, 4096);
    if (!status) status = zlay_device_write(ctx, device, *at, "payload", 8);
    if (!status) status = zlay_device_read(ctx, device, back, *at, 8);
    if (!status) assert_string_equal(back, "payload");
    return status;
}

static zlay_status use_kernel(zlay_ctx *ctx, zlay_device *device, zlay_kernel *kernel, uint64_t at)
{
    float milliseconds = -7;
    zlay_status status = zlay_kernel_bind(ctx, kernel, at, at, at);
    if (!status) status = zlay_kernel_launch(ctx, kernel, NULL);
    if (!status) {
        status = zlay_kernel_time(ctx, kernel, 3, &milliseconds);
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

typedef struct hooks {
    int64_t left, alive;
} hooks;

static void *hook_alloc(void *user, size_t size)
{
    hooks *h = user;
    if (h->left-- == 0) return NULL;
    h->alive++;
    return malloc(size);
}

static void hook_free(void *user, void *ptr, size_t size)
{
    hooks *h = user;
    (void)size;
    h->alive--;
    free(ptr);
}

static void nothing_leaks_when_memory_ends(void **state)
{
    world *w = *state;
    char message[1024];
    zlay_status status = ZLAY_ENOMEM;
    int failed = 0;
    for (int64_t k = 1; status; k++) {
        hooks h = {k, 0};
        zlay_ctx *ctx;
        zlay_allocator alloc = {&h, hook_alloc, hook_free};
        assert_int_equal(zlay_ctx_new(&ctx, &alloc, NULL), ZLAY_OK);
        status = use_all(w, ctx, message);
        assert_true(status == ZLAY_OK || status == ZLAY_ENOMEM);
        assert_int_equal(h.alive, 1);
        zlay_ctx_free(ctx);
        failed += status == ZLAY_ENOMEM;
    }
    assert_int_equal(failed, 3);
}

static void an_error_without_a_name(void **state)
{
    world *w = *state;
    w->fake->nameless = 1;
    w->fake->fail_at = w->fake->calls + 2;
    assert_int_equal(zlay_device_wait(w->ctx, w->device), ZLAY_EDRIVER);
    message_has(w, "cuCtxSynchronize: an error without a name (999)");
}

/* ---- encoding ------------------------------------------------------------ */

static const zlay_tensormap a_map = {
    .address = 0x123400,
    .extent = {11, 12, 13},
    .stride = {160, 4800},
    .box = {8, 2, 3},
    .step = {1, 2, 1},
    .rank = 3,
    .type = ZLAY_TMAP_F32,
    .interleave = 1,
    .swizzle = 2,
    .l2 = 3,
    .oob = 1,
};

static void encode_passes_every_field(void **state)
{
    world *w = *state;
    unsigned char out[129];
    const fake_encode *seen = &w->fake->encode;
    memset(out, 0x5a, sizeof out);
    assert_int_equal(zlay_device_encode(w->ctx, w->device, out + 1, &a_map), ZLAY_OK);
    assert_int_equal(out[0], 0x5a);
    assert_int_equal(out[128], 0x11);
    assert_int_equal(seen->address, a_map.address);
    assert_int_equal(seen->type, 7);
    assert_int_equal(seen->rank, 3);
    assert_memory_equal(seen->extent, a_map.extent, sizeof seen->extent);
    assert_memory_equal(seen->stride, a_map.stride, 2 * sizeof seen->stride[0]);
    assert_memory_equal(seen->box, a_map.box, sizeof seen->box);
    assert_memory_equal(seen->step, a_map.step, sizeof seen->step);
    assert_int_equal(seen->interleave, 1);
    assert_int_equal(seen->swizzle, 2);
    assert_int_equal(seen->l2, 3);
    assert_int_equal(seen->oob, 1);
}

static void a_refused_map_leaves_the_output(void **state)
{
    world *w = *state;
    unsigned char out[128], before[128];
    memset(out, 0x5a, sizeof out);
    memcpy(before, out, sizeof out);
    w->fake->refuse_encode = 1;
    assert_int_equal(zlay_device_encode(w->ctx, w->device, out, &a_map), ZLAY_EDRIVER);
    message_has(w, "cuTensorMapEncodeTiled: CUDA_ERROR_INVALID_VALUE (1)");
    assert_memory_equal(out, before, sizeof out);
}

static void maps_that_the_driver_never_sees(void **state)
{
    world *w = *state;
    unsigned char out[128] = {0};
    zlay_tensormap map = a_map;
    int before = w->fake->calls;
    map.rank = 6;
    assert_int_equal(zlay_device_encode(w->ctx, w->device, out, &map), ZLAY_EDRIVER);
    message_has(w, "rank: 6");
    map.rank = 3;
    map.mode = 1;
    assert_int_equal(zlay_device_encode(w->ctx, w->device, out, &map), ZLAY_EINVAL);
    message_has(w, "mode");
    map.mode = 0;
    map.reserved[22] = 1;
    assert_int_equal(zlay_device_encode(w->ctx, w->device, out, &map), ZLAY_EINVAL);
    message_has(w, "reserved: word 22");
    assert_int_equal(w->fake->calls, before + 6);
}

/* ---- loading ------------------------------------------------------------- */

static void text_is_ended_with_zero(void **state)
{
    world *w = *state;
    char loose[40];
    zlay_kernel *kernel;
    memset(loose, '!', sizeof loose);
    memcpy(loose, ptx, sizeof ptx - 1);
    assert_int_equal(zlay_kernel_load(w->ctx, &kernel, w->device, w->plan, loose, sizeof ptx - 1,
                                      "a_name"),
                     ZLAY_OK);
    assert_string_equal(w->fake->image, ptx);
    assert_string_equal(w->fake->kernel, "a_name");
    zlay_plan_info info;
    assert_int_equal(zlay_plan_get(&info, w->plan), ZLAY_OK);
    assert_int_equal(w->fake->dynamic_smem, info.smem);
    zlay_kernel_free(kernel);
}

static void load_fails(world *w, const void *image, size_t length, zlay_status want,
                       const char *text)
{
    zlay_kernel *kernel;
    assert_int_equal(zlay_kernel_load(w->ctx, &kernel, w->device, w->plan, image, length, "gemm"),
                     want);
    assert_null(kernel);
    message_has(w, text);
    assert_int_equal(w->fake->modules, 0);
}

static void the_drivers_log_is_told(void **state)
{
    world *w = *state;
    w->fake->ptx_log = "ptxas fatal: line 3;\nnot PTX";
    load_fails(w, ptx, sizeof ptx - 1, ZLAY_EDRIVER,
               "cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (218): ptxas fatal: line 3; not PTX");
}

static void images_that_the_driver_never_sees(void **state)
{
    world *w = *state;
    load_fails(w, "", 0, ZLAY_EINVAL, "empty");
    load_fails(w, "ab\0cd", 5, ZLAY_EINVAL, "byte 2 is 0");
    load_fails(w, ELFMAG "cut", 7, ZLAY_EINVAL, "end of the cubin (7)");
    assert_string_equal(w->fake->image, "");
}

typedef struct cubin {
    Elf64_Ehdr head;
    Elf64_Shdr section[2];
} cubin;

static cubin cubin_make(void)
{
    cubin c;
    memset(&c, 0, sizeof c);
    memcpy(c.head.e_ident, ELFMAG, SELFMAG);
    c.head.e_ident[EI_CLASS] = ELFCLASS64;
    c.head.e_ident[EI_DATA] = ELFDATA2LSB;
    c.head.e_machine = 190;
    c.head.e_shoff = sizeof c.head;
    c.head.e_shentsize = sizeof c.section[0];
    c.head.e_shnum = 2;
    c.section[1].sh_type = SHT_PROGBITS;
    c.section[1].sh_offset = 8;
    c.section[1].sh_size = sizeof c - 8;
    return c;
}

static void cubins_that_pass_their_end(void **state)
{
    world *w = *state;
    cubin c = cubin_make();
    zlay_kernel *kernel;
    assert_int_equal(zlay_kernel_load(w->ctx, &kernel, w->device, w->plan, &c, sizeof c, "gemm"),
                     ZLAY_OK);
    zlay_kernel_free(kernel);
    load_fails(w, &c, sizeof c - 1, ZLAY_EINVAL, "the section table");
    c.section[1].sh_size++;
    load_fails(w, &c, sizeof c, ZLAY_EINVAL, "a section");
    c.section[1].sh_offset = UINT64_MAX;
    load_fails(w, &c, sizeof c, ZLAY_EINVAL, "a section");
    c.section[1].sh_type = SHT_NOBITS;
    c.head.e_shentsize = 63;
    load_fails(w, &c, sizeof c, ZLAY_EINVAL, "entries of 63 bytes");
    c.head.e_shoff = UINT64_MAX - 1;
    c.head.e_shentsize = sizeof c.section[0];
    load_fails(w, &c, sizeof c, ZLAY_EINVAL, "the section table");
    c.head.e_machine = EM_X86_64;
    load_fails(w, &c, sizeof c, ZLAY_EINVAL, "machine 62");
}

static void random_cubins_are_read_within_their_bytes(void **state)
{
    world *w = *state;
    uint64_t seed = test_seed("cubins"), left = test_iterations(20000);
    for (; left; left--) {
        cubin c = cubin_make();
        size_t length = (size_t)test_range(&seed, SELFMAG, sizeof c);
        unsigned char *exact = malloc(length);
        assert_non_null(exact);
        for (int64_t i = test_range(&seed, 1, 4); i; i--)
            ((unsigned char *)&c)[test_range(&seed, 16, sizeof c - 1)] =
                (unsigned char)test_range(&seed, 0, 255);
        memcpy(exact, &c, length);
        zlay_kernel *kernel;
        zlay_status status =
            zlay_kernel_load(w->ctx, &kernel, w->device, w->plan, exact, length, "gemm");
        assert_true(status == ZLAY_OK || status == ZLAY_EINVAL);
        if (status) assert_string_not_equal(zlay_ctx_message(w->ctx), "");
        zlay_kernel_free(kernel);
        free(exact);
        w->fake->calls = 0;
    }
}

static void another_capability(void **state)
{
    world *w = *state;
    zlay_device *other;
    zlay_kernel *kernel;
    w->fake->cc_major = 10;
    assert_int_equal(zl_device_open_path(w->ctx, &other, 0, w->path), ZLAY_OK);
    assert_int_equal(zlay_kernel_load(w->ctx, &kernel, other, w->plan, ptx, sizeof ptx - 1, "gemm"),
                     ZLAY_ENOTSUP);
    message_has(w, "sm_90a");
    message_has(w, "sm_100");
    zlay_device_close(other);
}

/* ---- binding and launching ------------------------------------------------ */

static uint64_t map_address(const fake_launch *launch, int operand)
{
    uint64_t address;
    memcpy(&address, launch->map[operand], sizeof address);
    return address;
}

static void launch_has_the_plans_numbers(void **state)
{
    world *w = *state;
    const fake_launch *launch = &w->fake->launch;
    zlay_plan_info info;
    zlay_kernel *kernel = kernel_make(w, w->plan);
    int stream;
    assert_int_equal(zlay_plan_get(&info, w->plan), ZLAY_OK);
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3000), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, &stream), ZLAY_OK);
    uint64_t tiles = info.tiles_m * info.tiles_n;
    assert_int_equal(launch->grid, tiles < 5 ? tiles : 5);
    assert_int_equal(launch->block, info.threads);
    assert_int_equal(launch->shared_bytes, info.smem);
    assert_int_equal(launch->other, 1);
    assert_ptr_equal(launch->stream, &stream);
    for (int o = 0; o < 3; o++) {
        assert_int_equal(launch->address[o], 0x1000 * (o + 1));
        assert_int_equal(map_address(launch, o), 0x1000 * (o + 1));
    }
    zlay_kernel_free(kernel);
}

static void the_grid_is_no_larger_than_the_device(void **state)
{
    world *w = *state;
    static const uint64_t sizes[][2] = {{64, 1}, {64 * 40, 5}};
    for (size_t i = 0; i < ZL_COUNT(sizes); i++) {
        zlay_plan *plan = plan_make(w->ctx, sizes[i][0], 64, 64, ZLAY_ORDER_ROW);
        zlay_kernel *kernel = kernel_make(w, plan);
        assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 16, 16, 16), ZLAY_OK);
        assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
        assert_int_equal(w->fake->launch.grid, sizes[i][1]);
        zlay_kernel_free(kernel);
        zlay_plan_free(plan);
    }
}

static void swapped_plans_swap_addresses(void **state)
{
    world *w = *state;
    zlay_plan *plan = plan_make(w->ctx, 512, 512, 64, ZLAY_ORDER_COLUMN);
    zlay_kernel *kernel = kernel_make(w, plan);
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3000), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    assert_int_equal(w->fake->launch.address[0], 0x2000);
    assert_int_equal(w->fake->launch.address[1], 0x1000);
    assert_int_equal(w->fake->launch.address[2], 0x3000);
    assert_int_equal(map_address(&w->fake->launch, 0), 0x2000);
    assert_int_equal(map_address(&w->fake->launch, 1), 0x1000);
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1008, 0x2000, 0x3000), ZLAY_EINVAL);
    message_has(w, "a: address 0x1008");
    zlay_kernel_free(kernel);
    zlay_plan_free(plan);
}

static void paths_by_threads_have_no_map(void **state)
{
    world *w = *state;
    static const unsigned char zeros[128];
    zlay_plan *plan = plan_make(w->ctx, 512, 512, 4100, ZLAY_ORDER_ROW);
    zlay_kernel *kernel = kernel_make(w, plan);
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3000), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    assert_memory_equal(w->fake->launch.map[0], zeros, sizeof zeros);
    assert_memory_equal(w->fake->launch.map[1], zeros, sizeof zeros);
    assert_int_equal(map_address(&w->fake->launch, 2), 0x3000);
    assert_int_equal(w->fake->launch.address[0], 0x1000);
    zlay_kernel_free(kernel);
    zlay_plan_free(plan);
}

static void addresses_are_aligned_as_planned(void **state)
{
    world *w = *state;
    zlay_kernel *kernel = kernel_make(w, w->plan);
    for (uint64_t low = 0; low < 32; low++) {
        zlay_status want = low % 16 ? ZLAY_EINVAL : ZLAY_OK;
        assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000 + low, 0x1000, 0x1000), want);
        if (want) message_has(w, "a: address");
        assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x1000 + low, 0x1000), want);
        if (want) message_has(w, "b: address");
        assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x1000, 0x1000 + low), want);
        if (want) message_has(w, "d: address");
    }
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0, 16, 16), ZLAY_EINVAL);
    zlay_kernel_free(kernel);
}

static void a_failed_bind_keeps_the_one_before(void **state)
{
    world *w = *state;
    zlay_kernel *kernel = kernel_make(w, w->plan);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_EINVAL);
    message_has(w, "bound to no addresses");
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3000), ZLAY_OK);
    w->fake->fail_at = w->fake->calls + 3;
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x4000, 0x5000, 0x6000), ZLAY_EDRIVER);
    message_has(w, "cuTensorMapEncodeTiled");
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    for (int o = 0; o < 3; o++) {
        assert_int_equal(w->fake->launch.address[o], 0x1000 * (o + 1));
        assert_int_equal(map_address(&w->fake->launch, o), 0x1000 * (o + 1));
    }
    zlay_kernel_free(kernel);
}

static void time_launches_as_often_as_asked(void **state)
{
    world *w = *state;
    float milliseconds = 0;
    zlay_kernel *kernel = kernel_make(w, w->plan);
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 16, 16, 16), ZLAY_OK);
    assert_int_equal(zlay_kernel_time(w->ctx, kernel, 4, &milliseconds), ZLAY_OK);
    assert_int_equal(w->fake->launches, 4);
    assert_true(milliseconds == 2.5f);
    assert_int_equal(zlay_kernel_time(w->ctx, kernel, 0, &milliseconds), ZLAY_EINVAL);
    zlay_kernel_free(kernel);
}

static void nulls_are_invalid(void **state)
{
    world *w = *state;
    zlay_device *device = w->device;
    zlay_kernel *kernel = kernel_make(w, w->plan), *none;
    uint64_t at = 5;
    char byte;
    assert_int_equal(zl_device_open_path(w->ctx, NULL, 0, w->path), ZLAY_EINVAL);
    assert_int_equal(zl_device_open_path(NULL, &device, 0, w->path), ZLAY_EINVAL);
    assert_null(device);
    device = w->device;
    assert_int_equal(zlay_device_get(NULL, device), ZLAY_EINVAL);
    assert_int_equal(zlay_device_encode(w->ctx, device, NULL, &a_map), ZLAY_EINVAL);
    assert_int_equal(zlay_device_encode(w->ctx, device, &byte, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_device_alloc(w->ctx, NULL, &at, 1), ZLAY_EINVAL);
    assert_int_equal(at, 0);
    assert_int_equal(zlay_device_alloc(w->ctx, device, &at, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_device_write(w->ctx, device, 1, NULL, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_device_read(w->ctx, device, NULL, 1, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_load(w->ctx, &none, device, NULL, ptx, 3, "g"), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_load(w->ctx, &none, NULL, w->plan, ptx, 3, "g"), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_load(w->ctx, &none, device, w->plan, NULL, 3, "g"), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_load(w->ctx, &none, device, w->plan, ptx, 3, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_bind(w->ctx, NULL, 16, 16, 16), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_launch(w->ctx, NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_launch(NULL, kernel, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_time(w->ctx, kernel, 1, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_device_wait(w->ctx, NULL), ZLAY_EINVAL);
    zlay_kernel_free(kernel);
    zlay_kernel_free(NULL);
    zlay_device_free(NULL, 1);
    zlay_device_free(device, 0);
    zlay_device_close(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

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
        TEST(encode_passes_every_field),
        TEST(a_refused_map_leaves_the_output),
        TEST(maps_that_the_driver_never_sees),
        TEST(text_is_ended_with_zero),
        TEST(the_drivers_log_is_told),
        TEST(images_that_the_driver_never_sees),
        TEST(cubins_that_pass_their_end),
        TEST(random_cubins_are_read_within_their_bytes),
        TEST(another_capability),
        TEST(launch_has_the_plans_numbers),
        TEST(the_grid_is_no_larger_than_the_device),
        TEST(swapped_plans_swap_addresses),
        TEST(paths_by_threads_have_no_map),
        TEST(addresses_are_aligned_as_planned),
        TEST(a_failed_bind_keeps_the_one_before),
        TEST(time_launches_as_often_as_asked),
        TEST(nulls_are_invalid),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
