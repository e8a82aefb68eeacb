/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of packed attention: what the driver gets of tensors, scalars and offsets, and which requests are refused. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

#include "runtime.h"

#include <stdlib.h>

enum { GROUPS = 3, ROWS = 300, ADDRESS = 1 << 20 };

typedef struct packed {
    zlay_attention_plan *plan;
    zlay_pipe_launch launch;
    zlay_pipe_argument arguments[FAKE_ARGUMENTS];
    zlay_attention_kernel request;
} packed;

static void packed_make(world *w, packed *p)
{
    const zlay_target *target;
    const zlay_attention asked = {.size = sizeof asked, .head = 128, .heads = 2, .queries = ROWS, .keys = ROWS, .causal = 1, .sequences = GROUPS};
    zlay_buf text = {NULL, 0, 0};
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    assert_int_equal(zlay_attention_synth(w->ctx, &p->plan, target, &asked), ZLAY_OK);
    const zlay_attention_emit emit = {.size = sizeof emit, .plan = p->plan, .name = "attention", .name_length = 9};
    assert_int_equal(zlay_emit_attention(w->ctx, &text, NULL, NULL, 0, &emit), ZLAY_EROOM);
    text.room = text.need + 1;
    text.text = malloc(text.room);
    assert_int_equal(zlay_emit_attention(w->ctx, &text, &p->launch, p->arguments, FAKE_ARGUMENTS, &emit), ZLAY_OK);
    free(text.text);
    p->request = (zlay_attention_kernel){.size = sizeof p->request, .plan = p->plan, .launch = &p->launch, .arguments = p->arguments,
                                         .image = ptx, .length = sizeof ptx - 1, .name = "attention"};
    for (uint32_t i = 0; i < p->launch.arguments; i++) w->fake->bytes[i] = p->arguments[i].bytes;
}

static uint32_t argument_at(const packed *p, const char *name)
{
    uint32_t i = 0;
    while (i < p->launch.arguments && strcmp(p->arguments[i].name, name) != 0) i++;
    assert_true(i < p->launch.arguments);
    return i;
}

static void packed_set(world *w, zlay_kernel *kernel)
{
    static const char *const tensors[] = {"q", "k", "v", "o"};
    static const uint64_t lengths[GROUPS] = {100, 0, 200};
    float scale = 0.25F;
    for (size_t i = 0; i < ZL_COUNT(tensors); i++) assert_int_equal(set(w, kernel, tensors[i], ADDRESS * (i + 1)), ZLAY_OK);
    assert_int_equal(zlay_kernel_set(w->ctx, kernel, "x_scale", &scale, sizeof scale), ZLAY_OK);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_EINVAL);
    message_has(w, "read_q_starts: it was not set");
    assert_int_equal(zlay_kernel_set_lengths(w->ctx, kernel, "read_q_starts", lengths, GROUPS), ZLAY_OK);
}

static void packed_attention_is_launched(void **state)
{
    world *w = *state;
    packed p;
    zlay_kernel *kernel;
    static const int32_t starts[] = {0, 100, 100, 300};
    uint32_t zero = 0;
    packed_make(w, &p);
    assert_int_equal(zlay_kernel_load_attention(w->ctx, &kernel, w->device, &p.request), ZLAY_OK);
    assert_int_equal(zlay_kernel_bind(w->ctx, kernel, 16, 16, 16), ZLAY_EINVAL);
    packed_set(w, kernel);
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    assert_int_equal(w->fake->launch.grid, 5);
    assert_int_equal(w->fake->launch.other, 1);
    assert_int_equal(w->fake->launch.block, p.launch.threads);
    assert_int_equal(w->fake->launch.shared_bytes, p.launch.smem);
    assert_memory_equal((void *)(uintptr_t)address_at(w, argument_at(&p, "read_q_starts")), starts, sizeof starts);
    assert_memory_equal((void *)(uintptr_t)address_at(w, argument_at(&p, "next_tile")), &zero, sizeof zero);
    const zlay_move *move;
    zlay_tensormap map;
    char tensor;
    assert_int_equal(zlay_attention_move_nth(&move, &tensor, p.plan, 0), ZLAY_OK);
    assert_int_equal(zlay_move_map_nth(&map, move, 0), ZLAY_OK);
    assert_int_equal(address_at(w, 0), map.address + (uint64_t)ADDRESS * (1 + (size_t)(strchr("qkvo", tensor) - "qkvo")));
    assert_int_equal(set(w, kernel, "n_N", 3), ZLAY_EINVAL);
    message_has(w, "n_N: the plan sets it");
    assert_int_equal(set(w, kernel, "q", ADDRESS + 8), ZLAY_EINVAL);
    w->fake->refuse_encode = 1;
    assert_int_equal(set(w, kernel, "q", 2 * ADDRESS), ZLAY_EDRIVER);
    w->fake->refuse_encode = 0;
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_EINVAL);
    message_has(w, "q: it was not set");
    zlay_kernel_free(kernel);
    assert_int_equal(w->fake->memory, 0);
    zlay_attention_free(p.plan);
}

static void other_arguments_of_attention_are_refused(void **state)
{
    world *w = *state;
    packed p;
    zlay_kernel *kernel;
    const zlay_target *target;
    zlay_attention asked;
    packed_make(w, &p);
    assert_int_equal(zlay_attention_request(&target, &asked, p.plan), ZLAY_OK);
    assert_string_equal(zlay_target_name(target), "sm_90a");
    assert_int_equal(asked.sequences, GROUPS);
    assert_int_equal(asked.kv_heads, 2);
    assert_int_equal(zlay_attention_request(NULL, &asked, p.plan), ZLAY_EINVAL);
    zlay_attention_kernel bad = p.request;
    bad.launch = NULL;
    assert_int_equal(zlay_kernel_load_attention(w->ctx, &kernel, w->device, &bad), ZLAY_EINVAL);
    assert_null(kernel);
    bad = p.request;
    bad.reserved[1] = 1;
    assert_int_equal(zlay_kernel_load_attention(w->ctx, &kernel, w->device, &bad), ZLAY_EINVAL);
    zlay_pipe_launch fewer = p.launch;
    fewer.arguments = 1;
    bad = p.request;
    bad.launch = &fewer;
    assert_int_equal(zlay_kernel_load_attention(w->ctx, &kernel, w->device, &bad), ZLAY_EINVAL);
    message_has(w, "arguments: the plan has more maps");
    fewer.arguments = 1000;
    assert_int_equal(zlay_kernel_load_attention(w->ctx, &kernel, w->device, &bad), ZLAY_ENOTSUP);
    p.arguments[0].bytes = 256;
    assert_int_equal(zlay_kernel_load_attention(w->ctx, &kernel, w->device, &p.request), ZLAY_EINVAL);
    message_has(w, "arguments[0]");
    assert_int_equal(zlay_kernel_load_attention(w->ctx, &kernel, w->device, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_load_attention(w->ctx, NULL, w->device, &p.request), ZLAY_EINVAL);
    zlay_attention_free(p.plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(packed_attention_is_launched),
        TEST(other_arguments_of_attention_are_refused),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
