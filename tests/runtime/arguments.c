/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that are set by name: groups of rows and of K, scales, epilogues. What the driver gets, and what
 * is refused on the host, with the rule. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

#include "runtime.h"

#include <zlay/emit_pipe.h>

enum { GROUPS = 3, ROWS = 300, ADDRESS = 1 << 20 };

static const zlay_gemm rows_asked = {.size = sizeof rows_asked, .m = ROWS, .n = 264, .k = 200, .groups = GROUPS};
static const zlay_gemm k_asked = {.size = sizeof k_asked, .m = 200, .n = 264, .k = ROWS, .groups = GROUPS, .ragged = ZLAY_RAGGED_K,
                                  .a_order = ZLAY_ORDER_COLUMN, .b_order = ZLAY_ORDER_ROW};

static zlay_plan *planned(world *w, const zlay_gemm *asked, const char *name)
{
    const zlay_target *target;
    zlay_plan *plan;
    assert_int_equal(zlay_target_find(&target, name, strlen(name)), ZLAY_OK);
    assert_int_equal(zlay_gemm_synth(w->ctx, &plan, target, asked), ZLAY_OK);
    return plan;
}

/* The sizes of a plan's arguments, for the driver; returns how many there are. */
static uint32_t sizes_told(world *w, const zlay_plan *plan)
{
    zlay_pipe_argument argument;
    uint32_t count = 0;
    for (; !zlay_plan_argument_nth(&argument, plan, count); count++) w->fake->bytes[count] = argument.bytes;
    return count;
}

/* ---- groups ---------------------------------------------------------------- */

/* Eight arguments in the order of the plan, D's map as the plan has it, and a counter at 0. */
static void groups_launched(world *w, const zlay_gemm *asked)
{
    zlay_plan *plan = planned(w, asked, "sm_90a");
    zlay_kernel *kernel = kernel_make(w, plan);
    zlay_plan_summary info;
    assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
    assert_int_equal(sizes_told(w, plan), 8);
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3000), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_EINVAL);
    message_has(w, "offsets: it was not set");
    assert_int_equal(set(w, kernel, "offsets", ADDRESS), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    uint64_t a = info.swapped ? 0x2000 : 0x1000;
    assert_int_equal(address_at(w, 0), a);
    assert_int_equal(address_at(w, 1), 0x3000 - a);
    assert_int_equal(address_at(w, 3), a);
    assert_int_equal(address_at(w, 5), 0x3000);
    assert_int_equal(address_at(w, 6), ADDRESS);
    const unsigned char *counter = (const unsigned char *)(uintptr_t)address_at(w, 7);
    assert_int_equal(info.workspace, 16);
    for (uint64_t i = 0; i < info.workspace; i++) assert_int_equal(counter[i], 0);
    assert_int_equal(w->fake->launch.grid, 5);
    assert_int_equal(w->fake->launch.block, info.threads);
    assert_int_equal(w->fake->launch.shared_bytes, info.smem);
    zlay_tensormap map;
    assert_int_equal(zlay_plan_map(&map, plan, ZLAY_OPERAND_D), ZLAY_OK);
    assert_int_equal(w->fake->encode.rank, map.rank);
    for (uint32_t i = 0; i < map.rank; i++) assert_int_equal(w->fake->encode.extent[i], map.extent[i]);
    for (uint32_t i = 0; i + 1 < map.rank; i++) assert_int_equal(w->fake->encode.stride[i], map.stride[i]);
    zlay_kernel_free(kernel);
    assert_int_equal(w->fake->memory, 0);
    zlay_plan_free(plan);
}

static void groups_have_offsets_and_a_counter(void **state)
{
    groups_launched(*state, &rows_asked);
    groups_launched(*state, &k_asked);
}

/* Products of groups with an epilogue have no counter. */
static void an_epilogue_is_given_by_name(void **state)
{
    static const char text[] = "body moved\n  matrix S f32\n  matrix R bf16\n  scalar alpha f32\n  global scale f32\n  index i\n  index j\n"
                               "  R = bf16(S * (alpha * load(scale, i + row, 300)))\nend\n";
    world *w = *state;
    zlay_gemm asked = rows_asked;
    float alpha = 2;
    uint32_t word;
    asked.epilogue = text;
    asked.epilogue_length = sizeof text - 1;
    zlay_plan *plan = planned(w, &asked, "sm_90a");
    zlay_kernel *kernel = kernel_make(w, plan);
    assert_int_equal(sizes_told(w, plan), 9);
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3000), ZLAY_OK);
    assert_int_equal(set(w, kernel, "offsets", ADDRESS), ZLAY_OK);
    assert_int_equal(zlay_kernel_set(w->ctx, kernel, "x_alpha", &alpha, sizeof alpha), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_EINVAL);
    message_has(w, "read_scale: it was not set");
    assert_int_equal(set(w, kernel, "read_scale", ADDRESS + 2), ZLAY_EINVAL);
    message_has(w, "no multiple of 4");
    assert_int_equal(set(w, kernel, "read_scale", 2 * ADDRESS), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    assert_int_equal(address_at(w, 6), ADDRESS);
    memcpy(&word, &alpha, sizeof word);
    int found = 0;
    for (uint32_t i = 7; i < 9; i++)
        found += w->fake->bytes[i] == 4 ? !memcmp(w->fake->launch.each[i], &word, sizeof word) : address_at(w, i) == 2 * ADDRESS;
    assert_int_equal(found, 2);
    zlay_kernel_free(kernel);
    zlay_plan_free(plan);
}

static void bad_arguments_are_refused(void **state)
{
    world *w = *state;
    zlay_plan *plan = planned(w, &rows_asked, "sm_90a");
    zlay_kernel *kernel = kernel_make(w, plan);
    uint64_t address = ADDRESS;
    assert_int_equal(set(w, kernel, "offsets", 0), ZLAY_EINVAL);
    message_has(w, "offsets: the address is 0");
    assert_int_equal(set(w, kernel, "offsets", ADDRESS + 2), ZLAY_EINVAL);
    message_has(w, "no multiple of 4");
    assert_int_equal(zlay_kernel_set(w->ctx, kernel, "offsets", &address, 4), ZLAY_EINVAL);
    message_has(w, "offsets: 4 bytes, it has 8");
    assert_int_equal(set(w, kernel, "lengths", ADDRESS), ZLAY_EINVAL);
    message_has(w, "lengths: the kernel has no such argument");
    assert_int_equal(set(w, kernel, "ptr_a", ADDRESS), ZLAY_EINVAL);
    assert_int_equal(set(w, kernel, "workspace", ADDRESS), ZLAY_EINVAL);
    message_has(w, "zlay_kernel_set_workspace");
    assert_int_equal(zlay_kernel_set(w->ctx, kernel, "offsets", NULL, 8), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_set(w->ctx, kernel, NULL, &address, 8), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_set(w->ctx, NULL, "offsets", &address, 8), ZLAY_EINVAL);
    zlay_kernel_free(kernel);
    zlay_plan_free(plan);
}

/* ---- offsets of the host ---------------------------------------------------- */

static const struct {
    uint64_t offsets[GROUPS + 1];
    const char *says; /* NULL: they are right */
} lists[] = {
    {{0, 100, 200, 300}, NULL},
    {{5, 5, 5, 5}, NULL},
    {{300, 300, 300, 300}, NULL},
    {{0, 100, 99, 300}, "offsets[2]: 99 is less than the one before, 100"},
    {{1, 0, 0, 0}, "offsets[1]: 0 is less than the one before, 1"},
    {{0, 100, 200, 301}, "offsets[3]: 301 is more than the rows of the plan, 300"},
    {{301, 301, 301, 301}, "offsets[0]: 301 is more than the rows of the plan, 300"},
    {{0, 1, 2, UINT64_C(1) << 31}, "offsets[3]: 2147483648 rows are more than an s32 counts"},
    {{0, 1, 2, UINT64_MAX}, "are more than an s32 counts"},
};

static void offsets_are_those(const world *w, const uint64_t *offsets)
{
    const int32_t *there = (const int32_t *)(uintptr_t)address_at(w, 6);
    for (int i = 0; i <= GROUPS; i++) assert_int_equal(there[i], offsets[i]);
}

/* What is refused leaves the offsets of before. */
static void offsets_are_checked(world *w, const zlay_gemm *asked)
{
    zlay_plan *plan = planned(w, asked, "sm_90a");
    zlay_kernel *kernel = kernel_make(w, plan);
    const uint64_t *last = NULL;
    sizes_told(w, plan);
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3000), ZLAY_OK);
    for (size_t i = 0; i < ZL_COUNT(lists); i++) {
        zlay_status status = zlay_kernel_set_offsets(w->ctx, kernel, "offsets", lists[i].offsets, GROUPS + 1);
        assert_int_equal(status, lists[i].says ? ZLAY_EINVAL : ZLAY_OK);
        if (status) message_has(w, lists[i].says);
        else last = lists[i].offsets;
        assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
        offsets_are_those(w, last);
    }
    for (size_t count = 0; count <= GROUPS + 2; count++) {
        if (count == GROUPS + 1) continue;
        assert_int_equal(zlay_kernel_set_offsets(w->ctx, kernel, "offsets", lists[0].offsets, count), ZLAY_EINVAL);
        message_has(w, "the plan has 3 groups");
    }
    assert_int_equal(zlay_kernel_set_offsets(w->ctx, kernel, "workspace", lists[0].offsets, GROUPS + 1), ZLAY_EINVAL);
    message_has(w, "workspace: it has no offsets");
    assert_int_equal(zlay_kernel_set_offsets(w->ctx, kernel, "of", lists[0].offsets, GROUPS + 1), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_set_offsets(w->ctx, kernel, "offsets", NULL, GROUPS + 1), ZLAY_EINVAL);
    zlay_kernel_free(kernel);
    assert_int_equal(w->fake->memory, 0);
    zlay_plan_free(plan);
}

static void offsets_that_the_host_knows_are_checked(void **state)
{
    offsets_are_checked(*state, &rows_asked);
    offsets_are_checked(*state, &k_asked);
}

/* Random lists near the rule's edges are taken exactly where each entry is at least the one before and none is above the rows. */
static void random_offsets_are_decided(void **state)
{
    world *w = *state;
    zlay_plan *plan = planned(w, &rows_asked, "sm_90a");
    zlay_kernel *kernel = kernel_make(w, plan);
    uint64_t random = test_seed("offsets"), taken = 0, refused = 0;
    static const uint64_t edges[] = {0, 1, 299, 300, 301, INT32_MAX, UINT64_C(1) << 31, UINT64_C(1) << 32, UINT64_MAX};
    for (uint64_t i = 0; i < test_iterations(2000); i++) {
        uint64_t list[GROUPS + 1];
        bool right = true;
        for (int g = 0; g <= GROUPS; g++) {
            uint64_t near = g ? list[g - 1] + test_random(&random) % 120 - 10 : test_random(&random) % 40;
            list[g] = test_random(&random) % 16 ? near : edges[test_random(&random) % ZL_COUNT(edges)];
            right &= list[g] <= ROWS && (!g || list[g] >= list[g - 1]);
        }
        zlay_status status = zlay_kernel_set_offsets(w->ctx, kernel, "offsets", list, GROUPS + 1);
        assert_int_equal(status, right ? ZLAY_OK : ZLAY_EINVAL);
        taken += right;
        refused += !right;
    }
    assert_true(taken && refused);
    zlay_kernel_free(kernel);
    zlay_plan_free(plan);
}

static void lengths_add_up_to_offsets(void **state)
{
    world *w = *state;
    static const uint64_t right[GROUPS] = {100, 0, 200}, far[GROUPS] = {UINT64_MAX, 1, 0}, many[GROUPS] = {100, 100, 101};
    static const uint64_t offsets[GROUPS + 1] = {0, 100, 100, 300};
    zlay_plan *plan = planned(w, &rows_asked, "sm_90a");
    zlay_kernel *kernel = kernel_make(w, plan);
    sizes_told(w, plan);
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3000), ZLAY_OK);
    assert_int_equal(zlay_kernel_set_lengths(w->ctx, kernel, "offsets", right, GROUPS), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    offsets_are_those(w, offsets);
    assert_int_equal(zlay_kernel_set_lengths(w->ctx, kernel, "offsets", far, GROUPS), ZLAY_EINVAL);
    message_has(w, "add up to 2^64 or more");
    assert_int_equal(zlay_kernel_set_lengths(w->ctx, kernel, "offsets", many, GROUPS), ZLAY_EINVAL);
    message_has(w, "offsets[3]: 301 is more than the rows of the plan, 300");
    assert_int_equal(zlay_kernel_set_lengths(w->ctx, kernel, "offsets", right, 0), ZLAY_EINVAL);
    message_has(w, "offsets: 0 lengths, the plan has 3 groups");
    assert_int_equal(zlay_kernel_set_lengths(w->ctx, kernel, "offsets", right, GROUPS + 1), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_set_lengths(w->ctx, kernel, "offsets", NULL, GROUPS), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    offsets_are_those(w, offsets);
    zlay_kernel_free(kernel);
    zlay_plan_free(plan);
}

/* ---- the workspace ---------------------------------------------------------- */

static void a_workspace_may_be_the_callers(void **state)
{
    world *w = *state;
    zlay_plan *plan = planned(w, &rows_asked, "sm_90a");
    zlay_kernel *kernel = kernel_make(w, plan), *plain = kernel_make(w, w->plan);
    uint64_t own;
    sizes_told(w, plan);
    assert_int_equal(zlay_device_allocate(w->ctx, &own, w->device, 256), ZLAY_OK);
    memset((void *)(uintptr_t)own, 0x5a, 256);
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3000), ZLAY_OK);
    assert_int_equal(set(w, kernel, "offsets", ADDRESS), ZLAY_OK);
    assert_int_equal(zlay_kernel_set_workspace(w->ctx, kernel, 0, 16), ZLAY_EINVAL);
    message_has(w, "workspace: the address is 0");
    assert_int_equal(zlay_kernel_set_workspace(w->ctx, kernel, own, 15), ZLAY_EINVAL);
    message_has(w, "workspace: 15 bytes, the plan needs 16");
    assert_int_equal(zlay_kernel_set_workspace(w->ctx, kernel, own + 16, 16), ZLAY_EINVAL);
    message_has(w, "no multiple of 256");
    assert_int_equal(zlay_kernel_set_workspace(w->ctx, NULL, own, 16), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_set_workspace(w->ctx, plain, own, 256), ZLAY_EINVAL);
    message_has(w, "workspace: the plan needs none");
    assert_int_equal(zlay_kernel_set_workspace(w->ctx, kernel, own, 16), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    assert_int_equal(address_at(w, 7), own);
    for (int i = 0; i < 16; i++) assert_int_equal(((const unsigned char *)(uintptr_t)own)[i], 0);
    assert_int_equal(((const unsigned char *)(uintptr_t)own)[16], 0x5a);
    zlay_kernel_free(plain);
    zlay_kernel_free(kernel);
    zlay_device_free(w->device, own);
    assert_int_equal(w->fake->memory, 0);
    zlay_plan_free(plan);
}

/* A repacked operand lies in the workspace, whose address its maps have. */
static void a_repacked_kernel_is_bound_again(void **state)
{
    world *w = *state;
    const zlay_gemm asked = {.size = sizeof asked, .m = 67, .n = 133, .k = 75, .repack = ZLAY_REPACK_ALWAYS};
    zlay_plan *plan = planned(w, &asked, "sm_90a");
    zlay_kernel *kernel = kernel_make(w, plan);
    zlay_plan_summary info;
    uint64_t own;
    assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
    assert_int_equal(zlay_device_allocate(w->ctx, &own, w->device, info.workspace), ZLAY_OK);
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3000), ZLAY_OK);
    assert_int_equal(zlay_kernel_set_workspace(w->ctx, kernel, own, info.workspace), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_EINVAL);
    message_has(w, "bound to no addresses");
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3000), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    assert_int_equal(w->fake->history[2].address[0], own);
    zlay_kernel_free(kernel);
    zlay_device_free(w->device, own);
    zlay_plan_free(plan);
}

/* ---- scales ------------------------------------------------------------------ */

static void scales_are_given_by_name(void **state)
{
    world *w = *state;
    const zlay_gemm asked = {.size = sizeof asked, .m = 64, .n = 64, .k = 128, .type = ZLAY_TYPE_E4M3, .b_scales = ZLAY_SCALES_BLOCK};
    zlay_plan *plan = planned(w, &asked, "sm_90a");
    zlay_kernel *kernel = kernel_make(w, plan);
    assert_int_equal(sizes_told(w, plan), 7);
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3000), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_EINVAL);
    message_has(w, "read_sb: it was not set");
    assert_int_equal(set(w, kernel, "read_sb", ADDRESS), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    assert_int_equal(address_at(w, 6), ADDRESS);
    zlay_kernel_free(kernel);
    zlay_plan_free(plan);
}

/* Scales of 32 have maps, which a tensor's address gives. */
static void maps_of_scales_are_given_by_tensor(void **state)
{
    world *w = *state;
    const zlay_gemm asked = {.size = sizeof asked, .m = 128, .n = 128, .k = 256, .type = ZLAY_TYPE_E4M3, .a_scales = ZLAY_SCALES_LINE_32,
                             .b_scales = ZLAY_SCALES_LINE_32};
    zlay_plan *plan = planned(w, &asked, "sm_100a");
    zlay_device_close(w->device);
    w->fake->cc_major = 10;
    assert_int_equal(zl_device_open_path(w->ctx, &w->device, 0, w->path), ZLAY_OK);
    zlay_kernel *kernel = kernel_make(w, plan);
    assert_int_equal(sizes_told(w, plan), 8);
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3000), ZLAY_OK);
    assert_int_equal(set(w, kernel, "sa", ADDRESS), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_EINVAL);
    message_has(w, "sb: it was not set");
    assert_int_equal(set(w, kernel, "sb", ADDRESS + 8), ZLAY_EINVAL);
    assert_int_equal(set(w, kernel, "tensor_sb", ADDRESS), ZLAY_EINVAL);
    assert_int_equal(set(w, kernel, "sb", 2 * ADDRESS), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    assert_int_equal(address_at(w, 6), ADDRESS);
    assert_int_equal(address_at(w, 7), 2 * ADDRESS);
    zlay_kernel_free(kernel);
    zlay_plan_free(plan);
}

/* ---- failures ------------------------------------------------------------------ */

static zlay_status groups_used(world *w, const zlay_plan *plan)
{
    static const uint64_t offsets[GROUPS + 1] = {0, 1, 2, 3};
    zlay_kernel *kernel;
    zlay_status status = zlay_kernel_load(w->ctx, &kernel, w->device, plan, ptx, sizeof ptx - 1, "gemm");
    if (!status) status = zlay_kernel_bind(w->ctx, kernel, 0x1000, 0x2000, 0x3000);
    for (int i = 0; !status && i < 2; i++) status = zlay_kernel_set_offsets(w->ctx, kernel, "offsets", offsets, GROUPS + 1);
    if (!status) status = zlay_kernel_launch(w->ctx, kernel, NULL);
    w->fake->fail_at = 0;
    zlay_kernel_free(kernel);
    return status;
}

/* Whatever call fails, nothing stays. */
static void groups_fail_at_every_call(void **state)
{
    world *w = *state;
    zlay_plan *plan = planned(w, &rows_asked, "sm_90a");
    int failed = 0, calls = 1;
    for (int at = 1; calls >= at - 1; at++) {
        w->fake->calls = 0;
        w->fake->fail_at = at;
        zlay_status status = groups_used(w, plan);
        calls = w->fake->calls;
        if (status) assert_int_equal(status, ZLAY_EDRIVER);
        failed += status != ZLAY_OK;
        assert_int_equal(w->fake->modules, 0);
        assert_int_equal(w->fake->memory, 0);
    }
    assert_true(failed > 12);
    zlay_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(groups_have_offsets_and_a_counter),
        TEST(an_epilogue_is_given_by_name),
        TEST(bad_arguments_are_refused),
        TEST(offsets_that_the_host_knows_are_checked),
        TEST(random_offsets_are_decided),
        TEST(lengths_add_up_to_offsets),
        TEST(a_workspace_may_be_the_callers),
        TEST(a_repacked_kernel_is_bound_again),
        TEST(scales_are_given_by_name),
        TEST(maps_of_scales_are_given_by_tensor),
        TEST(groups_fail_at_every_call),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
