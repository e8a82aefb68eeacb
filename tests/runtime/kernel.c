/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that are bound and launched: the numbers that the driver is given. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

#include "runtime.h"

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
    zlay_plan_summary info;
    zlay_kernel *kernel = kernel_make(w, w->plan);
    int stream;
    assert_int_equal(zlay_plan_info(&info, w->plan), ZLAY_OK);
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
    assert_int_equal(zlay_kernel_measure(w->ctx, &milliseconds, kernel, 4), ZLAY_OK);
    assert_int_equal(w->fake->launches, 4);
    assert_true(milliseconds == 2.5f);
    assert_int_equal(zlay_kernel_measure(w->ctx, &milliseconds, kernel, 0), ZLAY_EINVAL);
    zlay_kernel_free(kernel);
}

/* A kernel of any text, with arguments as bytes. */
static void a_module_is_launched_with_packed_arguments(void **state)
{
    world *w = *state;
    const zlay_launch launch = {.grid = {3, 2, 1}, .block = {128, 1, 1}, .smem = 512};
    zlay_module *module;
    uint64_t arguments[2] = {7, 9};
    float milliseconds = 0;
    int stream;
    assert_int_equal(
        zlay_module_load(w->ctx, &module, w->device, ptx, sizeof ptx - 1, "any", 1024), ZLAY_OK);
    assert_int_equal(w->fake->dynamic_smem, 1024);
    assert_string_equal(w->fake->kernel, "any");
    assert_int_equal(
        zlay_module_launch(w->ctx, module, &launch, arguments, sizeof arguments, &stream), ZLAY_OK);
    const fake_launch *l = &w->fake->launch;
    assert_int_equal(l->grid, 3);
    assert_int_equal(l->other, 2);
    assert_int_equal(l->block, 128);
    assert_int_equal(l->shared_bytes, 512);
    assert_ptr_equal(l->stream, &stream);
    assert_int_equal(l->packed_bytes, sizeof arguments);
    assert_memory_equal(l->packed, arguments, sizeof arguments);
    assert_int_equal(zlay_module_measure(w->ctx, &milliseconds, module, &launch, NULL, 0, 4), ZLAY_OK);
    assert_int_equal(w->fake->launches, 5);
    assert_true(milliseconds == 2.5f);
    zlay_module_free(module);
}

/* Packed arguments reach the kernel one by one where the driver knows their sizes: a map of the kernel does not stand where the
 * buffer has it. With fewer bytes than the kernel has, the buffer is handed over as it is. */
static void packed_maps_are_passed_one_by_one(void **state)
{
    world *w = *state;
    zlay_module *module;
    const zlay_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    unsigned char arguments[3 * 128 + 3 * 8];
    for (size_t i = 0; i < sizeof arguments; i++) arguments[i] = (unsigned char)(i * 7);
    w->fake->maps = 1;
    assert_int_equal(zlay_module_load(w->ctx, &module, w->device, ptx, sizeof ptx - 1, "gemm", 0), ZLAY_OK);
    assert_int_equal(zlay_module_launch(w->ctx, module, &launch, arguments, sizeof arguments, NULL), ZLAY_OK);
    for (int i = 0; i < 3; i++) {
        assert_memory_equal(w->fake->launch.map[i], arguments + 128 * i, 128);
        assert_memory_equal(&w->fake->launch.address[i], arguments + 384 + 8 * i, 8);
    }
    assert_int_equal(w->fake->launch.packed_bytes, 0);
    assert_int_equal(zlay_module_launch(w->ctx, module, &launch, arguments, 24, NULL), ZLAY_OK);
    assert_int_equal(w->fake->launch.packed_bytes, 24);
    w->fake->maps = 0;
    zlay_module_free(module);
}

/* A cluster of two for each tile, as many as the five processors hold. */
static void a_split_has_whole_clusters(void **state)
{
    world *w = *state;
    const zlay_target *target;
    static const uint64_t sizes[][2] = {{64, 2}, {64 * 40, 4}};
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    for (size_t i = 0; i < ZL_COUNT(sizes); i++) {
        zlay_plan *plan;
        zlay_gemm gemm = {.size = sizeof gemm, .m = sizes[i][0], .n = 64, .k = 256, .split_k = 2};
        assert_int_equal(zlay_gemm_synth(w->ctx, &plan, target, &gemm), ZLAY_OK);
        zlay_kernel *kernel = kernel_make(w, plan);
        assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 16, 16, 16), ZLAY_OK);
        assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
        assert_int_equal(w->fake->launch.grid, sizes[i][1]);
        zlay_kernel_free(kernel);
        zlay_plan_free(plan);
    }
}

static zlay_plan *divided_plan(world *w)
{
    const zlay_target *target;
    zlay_plan *plan;
    zlay_gemm gemm = {.size = sizeof gemm, .m = 64 * 40, .n = 64, .k = 256, .tile_m = 64, .tile_n = 64, .stream_k = ZLAY_STREAM_ALWAYS};
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    assert_int_equal(zlay_gemm_synth(w->ctx, &plan, target, &gemm), ZLAY_OK);
    return plan;
}

/* The workspace of stream-K is the seventh argument, and its bytes are 0 before the first launch. */
static void stream_k_has_a_cleared_workspace(void **state)
{
    world *w = *state;
    zlay_plan *plan = divided_plan(w);
    zlay_plan_summary info;
    zlay_kernel *kernel = kernel_make(w, plan);
    assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
    assert_int_equal(w->fake->memory, 1);
    w->fake->workspace = 1;
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 16, 16, 16), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    w->fake->workspace = 0;
    const unsigned char *bytes = (const unsigned char *)(uintptr_t)w->fake->launch.workspace;
    assert_non_null(bytes);
    for (uint64_t i = 0; i < info.workspace; i++) assert_int_equal(bytes[i], 0);
    assert_int_equal(w->fake->launch.grid, 5);
    zlay_kernel_free(kernel);
    assert_int_equal(w->fake->memory, 0);
    zlay_plan_free(plan);
}

static zlay_plan *repacked_plan(world *w, int32_t d_order)
{
    const zlay_target *target;
    zlay_plan *plan;
    zlay_gemm gemm = {.size = sizeof gemm, .m = 67, .n = 133, .k = 75, .d_order = d_order, .b_address = 1 << 20 | 2,
                      .repack = ZLAY_REPACK_ALWAYS};
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    assert_int_equal(zlay_gemm_synth(w->ctx, &plan, target, &gemm), ZLAY_OK);
    return plan;
}

static void copy_launched(const fake_launch *l, const zlay_plan *plan, int operand, uint64_t from, uint64_t to)
{
    zlay_repack r;
    zlay_transfer_summary info;
    uint64_t arguments[2] = {from, to};
    assert_int_equal(zlay_plan_repack(&r, plan, operand), ZLAY_OK);
    assert_int_equal(zlay_transfer_info(&info, r.transfer), ZLAY_OK);
    assert_int_equal(l->grid, info.blocks);
    assert_int_equal(l->block, info.threads);
    assert_int_equal(l->shared_bytes, 0);
    assert_int_equal(l->packed_bytes, sizeof arguments);
    assert_memory_equal(l->packed, arguments, sizeof arguments);
}

/* Copies of A and B, the product on the workspace, the copy of D; of a swapped plan A is the request's B. */
static void copies_stand_around_the_product(void **state)
{
    world *w = *state;
    for (int swapped = 0; swapped < 2; swapped++) {
        zlay_plan *plan = repacked_plan(w, swapped ? ZLAY_ORDER_COLUMN : ZLAY_ORDER_ROW);
        zlay_kernel *kernel = kernel_make(w, plan);
        const fake_launch *l = w->fake->history;
        uint64_t at[3];
        int stream;
        assert_string_equal(w->fake->kernel, "gemm_d");
        assert_int_equal(w->fake->memory, 1);
        assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2002, 0x3000), ZLAY_OK);
        w->fake->launches = 0;
        assert_int_equal(zlay_kernel_launch(w->ctx, kernel, &stream), ZLAY_OK);
        assert_int_equal(w->fake->launches, 4);
        for (int o = 0; o < 3; o++) {
            zlay_repack r;
            assert_int_equal(zlay_plan_repack(&r, plan, o), ZLAY_OK);
            at[o] = map_address(&l[2], o);
            assert_int_equal(at[o], at[0] + r.offset);
            assert_int_equal(l[2].address[o], at[o]);
        }
        copy_launched(&l[0], plan, 0, swapped ? 0x2002 : 0x1000, at[0]);
        copy_launched(&l[1], plan, 1, swapped ? 0x1000 : 0x2002, at[1]);
        copy_launched(&l[3], plan, 2, at[2], 0x3000);
        for (int i = 0; i < 4; i++) assert_ptr_equal(l[i].stream, &stream);
        assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1002, 0x2002, 0x3000), ZLAY_EINVAL);
        message_has(w, "a: address 0x1002");
        zlay_kernel_free(kernel);
        assert_int_equal(w->fake->memory, 0);
        zlay_plan_free(plan);
    }
}

/* Whatever call fails, a load, a bind or a launch says so, and nothing stays. Returns how many failed. */
static int fails_at_every_call(world *w, const zlay_plan *plan)
{
    int at = 1, failed = 0, calls = 1;
    for (; calls >= at - 1; at++) {
        zlay_kernel *kernel;
        w->fake->calls = 0;
        w->fake->fail_at = at;
        zlay_status status = zlay_kernel_load(w->ctx, &kernel, w->device, plan, ptx, sizeof ptx - 1, "gemm");
        if (!status) status = zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3000);
        if (!status) status = zlay_kernel_launch(w->ctx, kernel, NULL);
        if (status) assert_int_equal(status, ZLAY_EDRIVER);
        failed += status != ZLAY_OK;
        calls = w->fake->calls;
        w->fake->fail_at = 0;
        zlay_kernel_free(kernel);
        assert_int_equal(w->fake->memory, 0);
        assert_int_equal(w->fake->modules, 0);
    }
    return failed;
}

static void copies_fail_at_every_call(void **state)
{
    world *w = *state;
    zlay_plan *plan = repacked_plan(w, ZLAY_ORDER_ROW);
    assert_true(fails_at_every_call(w, plan) > 16);
    zlay_plan_free(plan);
}

static void a_workspace_fails_at_every_call(void **state)
{
    world *w = *state;
    zlay_plan *plan = divided_plan(w);
    assert_true(fails_at_every_call(w, plan) > 8);
    zlay_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(launch_has_the_plans_numbers),
        TEST(the_grid_is_no_larger_than_the_device),
        TEST(swapped_plans_swap_addresses),
        TEST(paths_by_threads_have_no_map),
        TEST(addresses_are_aligned_as_planned),
        TEST(a_failed_bind_keeps_the_one_before),
        TEST(time_launches_as_often_as_asked),
        TEST(a_split_has_whole_clusters),
        TEST(copies_stand_around_the_product),
        TEST(copies_fail_at_every_call),
        TEST(a_workspace_fails_at_every_call),
        TEST(stream_k_has_a_cleared_workspace),
        TEST(packed_maps_are_passed_one_by_one),
        TEST(a_module_is_launched_with_packed_arguments),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
