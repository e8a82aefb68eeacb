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

/* A launch of a plan passes six arguments, so a kernel with more is not loaded. */
static void kernels_with_more_arguments_are_refused(void **state)
{
    world *w = *state;
    const zlay_target *target;
    zlay_plan *plan;
    zlay_kernel *kernel = NULL;
    zlay_gemm gemm = {.size = sizeof gemm, .m = 64, .n = 64, .k = 128, .type = ZLAY_TYPE_E4M3, .b_scales = ZLAY_SCALES_BLOCK};
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    assert_int_equal(zlay_gemm_synth(w->ctx, &plan, target, &gemm), ZLAY_OK);
    assert_int_equal(zlay_kernel_load(w->ctx, &kernel, w->device, plan, "ptx", 3, "k"), ZLAY_ENOTSUP);
    message_has(w, "read_sb");
    assert_null(kernel);
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
        TEST(kernels_with_more_arguments_are_refused),
        TEST(a_module_is_launched_with_packed_arguments),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
