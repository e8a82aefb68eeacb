/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of HIP: what is asked of the runtime, what is said when a call fails, and what this
 * machine has. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

#include "runtime.h"

static const zlay_launch launch = {.grid = {6, 5, 1}, .block = {256, 1, 1}, .smem = 4096};
static const char arguments[] = "packed arguments";

static int hip_group_setup(void **state)
{
    return fake_load(state, "fake-hip.c", "libamdhip64.so.5");
}

static int hip_setup(void **state)
{
    world *w = *state;
    memset(w->fake, 0, sizeof *w->fake);
    assert_int_equal(zlay_ctx_new(&w->ctx, NULL, NULL), ZLAY_OK);
    w->plan = NULL;
    return zl_device_open_by(w->ctx, &w->device, 0, &zl_backend_hip, w->path);
}

/* An ELF file of the machine with no section. */
static Elf64_Ehdr code_object(uint16_t machine)
{
    Elf64_Ehdr head = {.e_machine = machine};
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    return head;
}

enum { MACHINE_AMDGPU = 224 };

static void no_library(void **state)
{
    world *w = *state;
    zlay_device *device = w->device;
    assert_int_equal(
        zl_device_open_by(w->ctx, &device, 0, &zl_backend_hip, "/nowhere/libamdhip64.so"),
        ZLAY_EDRIVER);
    assert_null(device);
    message_has(w, "no HIP runtime: ");
    message_has(w, "/nowhere/libamdhip64.so");
    assert_int_equal(zl_device_open_by(w->ctx, &device, 0, &zl_backend_hip, "libc.so.6"),
                     ZLAY_EDRIVER);
    message_has(w, "the HIP runtime has no hipGetErrorName");
}

/* Debian's runtime without a device says that there is none; where no runtime is, that. */
static void this_machine(void **state)
{
    world *w = *state;
    zlay_device *device;
    zlay_status status = zlay_device_open_hip(w->ctx, &device, 0);
    assert_true(status == ZLAY_OK || status == ZLAY_EDRIVER);
    assert_true((status == ZLAY_OK) == (device != NULL));
    void *library = dlopen("libamdhip64.so.5", RTLD_NOW | RTLD_NODELETE);
    if (status && library) message_has(w, "hipInit: hipError");
    if (status && !library) message_has(w, "no HIP runtime: libamdhip64.so");
    print_message("%s\n", status ? zlay_ctx_message(w->ctx) : "a device");
    zlay_device_close(device);
    if (library) dlclose(library);
}

static void info_is_the_runtimes(void **state)
{
    world *w = *state;
    zlay_device_summary info;
    assert_int_equal(zlay_device_info(&info, w->device), ZLAY_OK);
    assert_string_equal(info.name, "Imaginary");
    assert_int_equal(info.driver, 50221153);
    assert_int_equal(info.cc_major * 10 + info.cc_minor, 94);
    assert_int_equal(info.processors, 304);
    assert_int_equal(info.smem_optin, 65536);
    assert_int_equal(info.l2, 4 << 20);
}

static zlay_status use_memory(zlay_ctx *ctx, zlay_device *device, uint64_t *at)
{
    char back[8] = "";
    zlay_status status = zlay_device_allocate(ctx, at, device, 64);
    if (!status) status = zlay_device_upload(ctx, device, *at, "payload", 8);
    if (!status) status = zlay_device_download(ctx, back, device, *at, 8);
    if (!status) assert_string_equal(back, "payload");
    return status;
}

static zlay_status use_module(zlay_ctx *ctx, zlay_device *device, zlay_module *module)
{
    float milliseconds = -7;
    int stream;
    zlay_status status = zlay_module_launch(ctx, module, &launch, arguments, sizeof arguments, &stream);
    if (!status) {
        status = zlay_module_measure(ctx, &milliseconds, module, &launch, arguments, sizeof arguments, 3);
        assert_true(milliseconds == (status ? -7.0f : 2.5f));
    }
    return status ? status : zlay_device_wait(ctx, device);
}

static zlay_status use_all(const world *w, char *message)
{
    zlay_device *device;
    zlay_module *module = NULL;
    uint64_t at = 0;
    Elf64_Ehdr image = code_object(MACHINE_AMDGPU);
    zlay_status status = zl_device_open_by(w->ctx, &device, 0, &zl_backend_hip, w->path);
    if (!status) status = use_memory(w->ctx, device, &at);
    if (!status)
        status = zlay_module_load(w->ctx, &module, device, &image, sizeof image, "gemm", 4096);
    if (!status) status = use_module(w->ctx, device, module);
    snprintf(message, 1024, "%s", zlay_ctx_message(w->ctx));
    zlay_module_free(module);
    zlay_device_free(device, at);
    zlay_device_close(device);
    return status;
}

static void a_launch_is_what_was_asked(void **state)
{
    world *w = *state;
    char message[1024];
    assert_int_equal(use_all(w, message), ZLAY_OK);
    assert_string_equal(message, "");
    const fake_launch *l = &w->fake->launch;
    assert_int_equal(w->fake->launches, 4);
    assert_int_equal(l->grid, 6);
    assert_int_equal(l->other, 5);
    assert_int_equal(l->block, 256);
    assert_int_equal(l->shared_bytes, 4096);
    assert_int_equal(l->packed_bytes, sizeof arguments);
    assert_memory_equal(l->packed, arguments, sizeof arguments);
    assert_string_equal(w->fake->kernel, "gemm");
    assert_memory_equal(w->fake->image, ELFMAG, SELFMAG);
}

static bool frees(const char *call)
{
    return !strcmp(call, "hipFree") || !strcmp(call, "hipModuleUnload") || !strcmp(call, "hipEventDestroy");
}

static void every_failing_call_is_named_and_leaks_nothing(void **state)
{
    world *w = *state;
    int told = 0;
    for (int k = 1;; k++) {
        char message[1024], want[100];
        memset(w->fake, 0, sizeof *w->fake);
        w->fake->fail_at = k;
        zlay_status status = use_all(w, message);
        if (w->fake->calls < k) break;
        const char *call = w->fake->called[k - 1];
        snprintf(want, sizeof want, "%s: hipErrorUnknown (999)", call);
        bool silent = frees(call) || (!status && !strcmp(call, "hipSetDevice"));
        if (!silent) assert_int_equal(status, ZLAY_EDRIVER);
        if (!silent) assert_string_equal(message, want);
        assert_int_equal(w->fake->events, 0);
        assert_int_equal(w->fake->modules, 0);
        if (strcmp(call, "hipSetDevice")) assert_int_equal(w->fake->memory, 0);
        told += !silent;
    }
    assert_true(told > 25);
    w->fake->memory = w->fake->mistakes = 0;
}

static void refused(world *w, const void *image, size_t length, const char *words)
{
    zlay_module *module;
    int calls = w->fake->modules;
    assert_int_equal(zlay_module_load(w->ctx, &module, w->device, image, length, "gemm", 0), ZLAY_EINVAL);
    assert_null(module);
    assert_int_equal(w->fake->modules, calls);
    message_has(w, words);
}

/* The runtime is given no length, so what is cut short must not reach it. */
static void images_that_the_runtime_never_sees(void **state)
{
    world *w = *state;
    Elf64_Ehdr image = code_object(MACHINE_AMDGPU), cuda = code_object(EM_CUDA);
    refused(w, "", 0, "image: it is empty");
    refused(w, ptx, sizeof ptx - 1, "not a code object");
    refused(w, "__CLANG_OFFLOAD_BUNDLE__", 24, "not a code object");
    refused(w, &cuda, sizeof cuda, "machine 190, not a 64-bit one of machine 224");
    refused(w, &image, sizeof image - 1, "passes the end of the image");
    image.e_shoff = sizeof image, image.e_shnum = 1, image.e_shentsize = sizeof(Elf64_Shdr);
    refused(w, &image, sizeof image, "the section table at byte 64");
}

static void what_only_cuda_has(void **state)
{
    world *w = *state;
    zlay_kernel *kernel;
    unsigned char bits[128];
    zlay_tensormap map = {.rank = 1};
    zlay_plan *plan = plan_make(w->ctx, 512, 512, 64, ZLAY_ORDER_ROW);
    assert_int_equal(
        zlay_kernel_load(w->ctx, &kernel, w->device, plan, ptx, sizeof ptx - 1, "gemm"),
        ZLAY_ENOTSUP);
    message_has(w, "the plan is of sm_90a, the device Imaginary has gfx94");
    assert_int_equal(zlay_device_encode_tensormap(w->ctx, bits, w->device, &map), ZLAY_ENOTSUP);
    zlay_plan_free(plan);
}

static zlay_plan *wave_plan_make(zlay_ctx *ctx, const char *name)
{
    const zlay_target *target;
    zlay_plan *plan;
    zlay_gemm gemm = {.size = sizeof gemm, .m = 300, .n = 520, .k = 64, .d_address = 1 << 20 | 4};
    assert_int_equal(zlay_target_find(&target, name, strlen(name)), ZLAY_OK);
    assert_int_equal(zlay_gemm_synth(ctx, &plan, target, &gemm), ZLAY_OK);
    return plan;
}

static void a_plan_is_launched_with_its_numbers(void **state)
{
    world *w = *state;
    zlay_kernel *kernel;
    Elf64_Ehdr image = code_object(MACHINE_AMDGPU);
    zlay_plan *other = wave_plan_make(w->ctx, "gfx90a"), *plan = wave_plan_make(w->ctx, "gfx942");
    assert_int_equal(
        zlay_kernel_load(w->ctx, &kernel, w->device, other, &image, sizeof image, "gemm"),
        ZLAY_ENOTSUP);
    message_has(w, "the plan is of gfx90a, the device Imaginary has gfx94");
    assert_int_equal(
        zlay_kernel_load(w->ctx, &kernel, w->device, plan, &image, sizeof image, "gemm"), ZLAY_OK);
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1008, 0x2000, 0x3004), ZLAY_EINVAL);
    message_has(w, "a: address 0x1008 is no multiple of 16");
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3002), ZLAY_EINVAL);
    message_has(w, "d: address 0x3002 is no multiple of 4");
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3004), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    const fake_launch *l = &w->fake->launch;
    uint64_t address[3];
    memcpy(address, l->packed, sizeof address);
    assert_int_equal(l->packed_bytes, sizeof address);
    assert_int_equal(address[0], 0x1000);
    assert_int_equal(address[1], 0x2000);
    assert_int_equal(address[2], 0x3004);
    assert_int_equal(l->block, 256);
    assert_int_equal(l->grid, 5);
    assert_int_equal(l->other, 3);
    assert_int_equal(l->shared_bytes, 0);
    zlay_kernel_free(kernel);
    zlay_plan_free(plan);
    zlay_plan_free(other);
}

static void what_is_invalid(void **state)
{
    world *w = *state;
    zlay_module *module, *none;
    float milliseconds;
    Elf64_Ehdr image = code_object(MACHINE_AMDGPU);
    assert_int_equal(zlay_module_load(w->ctx, &module, w->device, &image, sizeof image, "k", 0), ZLAY_OK);
    for (int i = 0; i < 3; i++) {
        zlay_launch l = launch;
        l.grid[i] = 0;
        assert_int_equal(zlay_module_launch(w->ctx, module, &l, NULL, 0, NULL), ZLAY_EINVAL);
        message_has(w, "grid[");
        l = launch;
        l.block[i] = 0;
        assert_int_equal(zlay_module_measure(w->ctx, &milliseconds, module, &l, NULL, 0, 1), ZLAY_EINVAL);
        message_has(w, "block[");
    }
    zlay_launch l = launch;
    l.reserved = 1;
    assert_int_equal(zlay_module_launch(w->ctx, module, &l, NULL, 0, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_module_launch(w->ctx, module, &launch, NULL, 1, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_module_launch(w->ctx, NULL, &launch, NULL, 0, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_module_launch(w->ctx, module, NULL, NULL, 0, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_module_measure(w->ctx, &milliseconds, module, &launch, NULL, 0, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_module_load(w->ctx, &none, w->device, NULL, 1, "k", 0), ZLAY_EINVAL);
    assert_int_equal(zlay_module_load(w->ctx, &none, w->device, &image, 1, NULL, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_module_load(w->ctx, NULL, w->device, &image, 1, "k", 0), ZLAY_EINVAL);
    assert_int_equal(zlay_module_load(w->ctx, &none, NULL, &image, 1, "k", 0), ZLAY_EINVAL);
    zlay_module_free(module);
    zlay_module_free(NULL);
}

#define HIP_TEST(name) cmocka_unit_test_setup_teardown(name, hip_setup, teardown)

/* Scalars and arrays of an epilogue lie behind the addresses, each at a multiple of its bytes. */
static void an_epilogue_is_packed_behind_the_addresses(void **state)
{
    static const char text[] = "body scaled\n  matrix S f32\n  matrix R bf16\n  scalar alpha f32\n  global scale f32\n  index i\n  index j\n"
                               "  R = bf16(S * (alpha * load(scale, i + row, 300)))\nend\n";
    world *w = *state;
    const zlay_target *target;
    zlay_plan *plan;
    zlay_kernel *kernel;
    zlay_wave_launch needs;
    zlay_pipe_argument a;
    Elf64_Ehdr image = code_object(MACHINE_AMDGPU);
    const zlay_gemm gemm = {.size = sizeof gemm, .m = 300, .n = 520, .k = 64, .epilogue = text, .epilogue_length = sizeof text - 1};
    assert_int_equal(zlay_target_find(&target, "gfx942", 6), ZLAY_OK);
    assert_int_equal(zlay_gemm_synth(w->ctx, &plan, target, &gemm), ZLAY_OK);
    assert_int_equal(zlay_plan_launch(&needs, plan), ZLAY_OK);
    assert_int_equal(needs.arguments, 5);
    assert_int_equal(zlay_kernel_load(w->ctx, &kernel, w->device, plan, &image, sizeof image, "gemm"), ZLAY_OK);
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3000), ZLAY_OK);
    float alpha = 2;
    assert_int_equal(zlay_kernel_set(w->ctx, kernel, "x_alpha", &alpha, sizeof alpha), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_EINVAL);
    message_has(w, "read_scale: it was not set");
    assert_int_equal(set(w, kernel, "read_scale", 0x4000), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    assert_int_equal(w->fake->launch.packed_bytes, needs.argument_bytes);
    uint64_t at = 24;
    for (uint32_t i = 3; !zlay_plan_argument_nth(&a, plan, i); i++) {
        uint64_t address = 0x4000;
        at = (at + a.bytes - 1) / a.bytes * a.bytes;
        assert_memory_equal(w->fake->launch.packed + at, a.bytes == 8 ? (void *)&address : (void *)&alpha, a.bytes);
        at += a.bytes;
    }
    assert_int_equal(at, needs.argument_bytes);
    zlay_kernel_free(kernel);
    zlay_plan_free(plan);
}

/* Attention of waves has addresses in the place of maps, and all its shared memory is static. */
static void attention_of_waves_is_launched(void **state)
{
    static const char *const names[] = {"ptr_q", "ptr_k", "ptr_v", "ptr_o"};
    world *w = *state;
    const zlay_target *target;
    zlay_attention_plan *plan;
    zlay_pipe_launch needs;
    zlay_pipe_argument list[16];
    zlay_kernel *kernel;
    Elf64_Ehdr image = code_object(MACHINE_AMDGPU);
    zlay_buf text = {NULL, 0, 0};
    const zlay_attention asked = {.size = sizeof asked, .head = 128, .heads = 2, .batch = 3, .queries = 256, .keys = 256};
    assert_int_equal(zlay_target_find(&target, "gfx942", 6), ZLAY_OK);
    assert_int_equal(zlay_attention_synth(w->ctx, &plan, target, &asked), ZLAY_OK);
    const zlay_attention_emit emit = {.size = sizeof emit, .plan = plan, .name = "a", .name_length = 1};
    assert_int_equal(zlay_emit_attention(w->ctx, &text, NULL, NULL, 0, &emit), ZLAY_EROOM);
    text.room = text.need + 1;
    text.text = malloc(text.room);
    assert_int_equal(zlay_emit_attention(w->ctx, &text, &needs, list, 16, &emit), ZLAY_OK);
    free(text.text);
    const zlay_attention_kernel request = {.size = sizeof request, .plan = plan, .launch = &needs, .arguments = list,
                                           .image = &image, .length = sizeof image, .name = "a"};
    assert_int_equal(zlay_kernel_load_attention(w->ctx, &kernel, w->device, &request), ZLAY_OK);
    for (uint64_t i = 0; i < 4; i++) assert_int_equal(set(w, kernel, names[i], 0x1000 * (i + 1)), ZLAY_OK);
    int32_t keys = 256;
    float scale = 0.5F;
    assert_int_equal(zlay_kernel_set(w->ctx, kernel, "x_keys", &keys, sizeof keys), ZLAY_OK);
    assert_int_equal(zlay_kernel_set(w->ctx, kernel, "x_scale", &scale, sizeof scale), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    const fake_launch *l = &w->fake->launch;
    uint64_t address[4];
    memcpy(address, l->packed, sizeof address);
    for (uint64_t i = 0; i < 4; i++) assert_int_equal(address[i], 0x1000 * (i + 1));
    assert_memory_equal(l->packed + 32, &keys, sizeof keys);
    assert_memory_equal(l->packed + 36, &scale, sizeof scale);
    assert_int_equal(l->packed_bytes, 40);
    zlay_attention_summary info;
    assert_int_equal(zlay_attention_info(&info, plan), ZLAY_OK);
    assert_int_equal(l->grid, info.grid[0]);
    assert_int_equal(l->other, info.grid[1] * info.grid[2]);
    assert_int_equal(l->block, needs.threads);
    assert_int_equal(l->shared_bytes, 0);
    zlay_kernel_free(kernel);
    zlay_attention_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HIP_TEST(no_library),
        HIP_TEST(this_machine),
        HIP_TEST(info_is_the_runtimes),
        HIP_TEST(a_launch_is_what_was_asked),
        HIP_TEST(every_failing_call_is_named_and_leaks_nothing),
        HIP_TEST(images_that_the_runtime_never_sees),
        HIP_TEST(what_only_cuda_has),
        HIP_TEST(a_plan_is_launched_with_its_numbers),
        HIP_TEST(an_epilogue_is_packed_behind_the_addresses),
        HIP_TEST(attention_of_waves_is_launched),
        HIP_TEST(what_is_invalid),
    };
    return cmocka_run_group_tests(tests, hip_group_setup, group_teardown);
}
