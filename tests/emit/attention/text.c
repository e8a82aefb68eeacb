/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of attention as kernels for sm_90a and sm_100a, assembled by ptxas and compiled by nvcc. emit/attention/run executes them. */
#define _POSIX_C_SOURCE 200809L
#include "assembler.h"
#include "ptx/attention.h"

enum { SMEM = 227 << 10 }; /* of a processor: one block that allocates tensor memory */

static void assemble_plan(run *r, const zlay_attention_plan *plan, const shape *s, bool compile)
{
    print_kernel(r, plan, ZLAY_TEXT_PTX);
    if (s->tmem && plan == r->plan) assert_true(r->launch.smem > SMEM / 2);
    if (!assembles_fast(target_name(s), kernel))
        fail_msg("%s, head %u, causal %u, cap %u, sinks %u, lse %u, window %llu, splits %llu: PTX", target_name(s), s->head, s->causal, s->cap, s->sinks,
                 s->lse, (unsigned long long)s->window, (unsigned long long)s->splits);
    print_kernel(r, plan, ZLAY_TEXT_CUDA);
    if (compile && has_compiler() && !compiles(target_name(s), kernel)) fail_msg("head %u: CUDA C", s->head);
}

static void assemble_one(run *r, const shape *s, bool compile)
{
    plan_make(r, s);
    assemble_plan(r, r->plan, s, compile);
    if (s->splits > 1) assemble_plan(r, zlay_attention_merge(r->plan), s, compile);
    zlay_attention_free(r->plan);
}

/* CUDA C of one head alone: heads differ in numbers, and nvcc takes longer than all else here. ZLAY_EXHAUSTIVE=2 compiles all. */
static bool is_compiled(uint32_t head) { return head == 128 || test_hours(); }

/* Every second kind of a head, by the parity of its choices, of the middle head the other half; ZLAY_EXHAUSTIVE=2 assembles all. */
static bool is_assembled(uint32_t head, uint32_t kind)
{
    uint32_t odd = (kind ^ kind >> 1 ^ kind >> 2 ^ kind >> 3) & 1;
    return test_hours() || kind == 15 || odd == (head == 128);
}

static void assembles_on(void **state, bool tmem)
{
    static const int32_t lengths[] = {300, 20};
    for (uint32_t head = 64; head <= 256; head *= 2)
        for (uint32_t kind = 0; kind < 16; kind++) {
            run r = {.ctx = *state};
            shape s = {head, kind & 1, kind >> 1 & 1, 2, 4, 2, 300, 300, kind & 1 ? ZLAY_TYPE_BF16 : ZLAY_TYPE_F16,
                       .tmem = tmem, .sinks = kind >> 2 & 1, .lse = kind % 3 == 1, .window = kind >= 8 ? 100 : 0};
            if (!is_assembled(head, kind)) continue;
            if (s.window) s.causal = 1, s.sinks = kind & 1;
            if (kind >= 12) s.rows[QUERIES] = s.rows[KEYS] = lengths, s.packed[QUERIES] = kind & 1, s.packed[KEYS] = kind >> 1 & 1, s.window = kind & 1 ? 100 : 0, s.causal = kind != 14;
            assemble_one(&r, &s, kind == 11 && is_compiled(head));
            if (kind == 12 && !tmem) s.window = 0, s.lse = 0, s.sequences = true, s.packed[QUERIES] = s.packed[KEYS] = true, assemble_one(&r, &s, is_compiled(head));
            if (kind % 5 || s.sequences) continue;
            s.splits = 3, s.queries = kind ? 300 : 8;
            assemble_one(&r, &s, kind == 15 && is_compiled(head));
        }
}

static void assembles_bytes(void **state)
{
    for (uint32_t head = 64; head <= 256; head *= 2)
        for (uint32_t kind = 0; kind < 8; kind++) {
            run r = {.ctx = *state};
            shape s = {head, kind & 1, kind >> 1 & 1, 2, 4, 2, kind == 4 ? 8 : 300, 301, ZLAY_TYPE_E4M3, .sinks = kind >> 2, .lse = kind % 3 == 1,
                       .window = kind == 3 ? 100 : 0};
            assemble_one(&r, &s, kind == 7 && is_compiled(head));
        }
}

static void assembles_and_compiles(void **state)
{
    need_assembler();
    assembles_on(state, false);
    assembles_on(state, true);
    assembles_bytes(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(assembles_and_compiles)};
    return cmocka_run_group_tests_name("emit/attention/text", tests, begin, end);
}
