/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of swizzle.synth, and an answer's accesses counted at the addresses that its layout gives. */
#ifndef TEST_SWIZZLE_REQUEST_H
#define TEST_SWIZZLE_REQUEST_H


#include "ctx.h"

#include <string.h>
#include <zlay/zlay.h>

typedef struct asked {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_swizzle_request request;
    uint64_t shape[8];
    zlay_swizzle_access access[16];
    zlay_layout *layout[16];
} asked;

static inline asked asked_begin(zlay_ctx *ctx, const char *target, uint32_t elem_bits, unsigned rank, const uint64_t *shape)
{
    asked a = {.ctx = ctx, .request = {.size = sizeof a.request, .elem_bits = elem_bits, .rank = rank}};
    assert_int_equal(zlay_target_find(&a.target, target, strlen(target)), ZLAY_OK);
    memcpy(a.shape, shape, rank * sizeof *shape);
    return a;
}

static inline void asked_put_layout(asked *a, const char *access, zlay_layout *layout)
{
    zlay_swizzle_access *to = &a->access[a->request.count];
    assert_int_equal(zlay_bank_find(&to->access, access, strlen(access)), ZLAY_OK);
    to->layout = a->layout[a->request.count++] = layout;
}

static inline void asked_put(asked *a, const char *access, const char *text)
{
    zlay_layout *layout = NULL;
    if (zlay_layout_parse(a->ctx, &layout, text, strlen(text))) fail_msg("%s: %s", text, zlay_ctx_message(a->ctx));
    asked_put_layout(a, access, layout);
}

static inline void asked_put_bases(asked *a, const char *access, const uint64_t *basis, unsigned ins, unsigned outs)
{
    zlay_dim in = {.name = "in", .size = UINT64_C(1) << ins}, out = {.name = "out", .size = UINT64_C(1) << outs};
    zlay_f2_bases bases = {.size = sizeof bases, .ins = 1, .outs = 1, .in = &in, .out = &out, .basis = basis};
    zlay_layout *layout = NULL;
    if (zlay_f2_new(a->ctx, &layout, &bases)) fail_msg("%s", zlay_ctx_message(a->ctx));
    asked_put_layout(a, access, layout);
}

static inline void asked_end(asked *a)
{
    for (uint64_t i = 0; i < a->request.count; i++) zlay_layout_free(a->layout[i]);
}

/* The arrays move with the struct, so they are put in place here. */
static inline void asked_place(asked *a)
{
    a->request.shape = a->shape;
    a->request.accesses = a->access;
}

static inline zlay_swizzle *synth(asked *a)
{
    zlay_swizzle *s = NULL;
    asked_place(a);
    zlay_status status = zlay_swizzle_synth(a->ctx, &s, a->target, &a->request);
    assert_true((status == ZLAY_OK) == (s != NULL));
    return s;
}

static inline int64_t value_of(const zlay_layout *layout, uint64_t index)
{
    int64_t value = -1;
    assert_int_equal(zlay_layout_eval(&value, 1, layout, index), ZLAY_OK);
    return value;
}

/* Every element has a place of its own below the size, which the last one reaches. */
static inline void places_apart(const zlay_layout *layout, uint64_t points, uint64_t size)
{
    uint8_t *taken = calloc(size, 1);
    int64_t most = -1;
    assert_int_equal(zlay_layout_size(layout), points);
    for (uint64_t i = 0; i < points; i++) {
        int64_t at = value_of(layout, i);
        assert_true(at >= 0 && (uint64_t)at < size && !taken[at]);
        taken[at] = 1;
        if (at > most) most = at;
    }
    assert_int_equal(most + 1, size);
    free(taken);
}

/* One instance: vectors lie at consecutive elements, and the bank model counts their first ones. */
static inline zlay_bank instance_counted(const asked *a, const zlay_layout *layout, uint32_t i, uint64_t instance)
{
    const zlay_layout *access = a->layout[i];
    zlay_bank_access x;
    zlay_bank bank;
    uint32_t addresses[ZLAY_BANK_LANES];
    assert_int_equal(zlay_bank_info(&x, a->target, a->access[i].access), ZLAY_OK);
    uint32_t elements = x.bytes * 8 / a->request.elem_bits;
    for (uint32_t l = 0; l < x.lanes; l++) {
        int64_t index, first = 0;
        addresses[l] = ZLAY_BANK_INACTIVE;
        for (uint32_t e = 0; l < x.rows && e < elements; e++) {
            zlay_status status = zlay_layout_eval(&index, 1, access, l + x.rows * (e + elements * instance));
            assert_true(status == ZLAY_OK || (status == ZLAY_NONE && addresses[l] == ZLAY_BANK_INACTIVE));
            if (status) continue;
            int64_t at = value_of(layout, (uint64_t)index);
            if (!e) first = at, addresses[l] = (uint32_t)((uint64_t)at * a->request.elem_bits / 8);
            assert_int_equal(at, first + e);
        }
    }
    assert_int_equal(zlay_bank_conflicts(&bank, a->target, a->access[i].access, addresses, x.lanes), ZLAY_OK);
    assert_int_equal(bank.answer, ZLAY_YES);
    return bank;
}

static inline zlay_swizzle_summary checked(const asked *a, const zlay_swizzle *s)
{
    zlay_swizzle_summary info;
    const zlay_layout *layout = zlay_swizzle_layout(s);
    uint64_t points = 1, sum = 0, bound = 0;
    assert_int_equal(zlay_swizzle_info(&info, s), ZLAY_OK);
    for (uint64_t i = 0; i < a->request.rank; i++) points *= a->shape[i];
    places_apart(layout, points, info.size);
    for (uint32_t i = 0; i < a->request.count; i++) {
        zlay_swizzle_cost cost;
        uint64_t wavefronts = 0, ideal = 0, phases = 0;
        assert_int_equal(zlay_swizzle_cost_nth(&cost, s, i), ZLAY_OK);
        for (uint64_t n = 0; n < cost.instances; n++) {
            zlay_bank bank = instance_counted(a, layout, i, n);
            wavefronts += bank.wavefronts;
            ideal += bank.ideal;
            phases += bank.phases;
        }
        assert_int_equal(cost.wavefronts, wavefronts);
        assert_int_equal(cost.ideal, ideal);
        assert_true(cost.lower_bound >= phases && cost.lower_bound <= wavefronts);
        sum += wavefronts;
        bound += cost.lower_bound;
    }
    assert_int_equal(info.wavefronts, sum);
    assert_int_equal(info.lower_bound, bound);
    assert_int_equal(info.optimal, sum == bound);
    assert_int_equal(info.least == ZLAY_SWIZZLE_LEAST_ANY, info.optimal);
    return info;
}

static inline void assert_equal_layout(zlay_ctx *ctx, const zlay_layout *layout, const char *text)
{
    zlay_layout *other = NULL;
    zlay_answer answer;
    assert_int_equal(zlay_layout_parse(ctx, &other, text, strlen(text)), ZLAY_OK);
    assert_int_equal(zlay_layout_equal(ctx, &answer, NULL, layout, other), ZLAY_OK);
    if (answer != ZLAY_YES) {
        char mine[512];
        zlay_buf buf = {mine, sizeof mine, 0};
        zlay_layout_print(&buf, layout);
        fail_msg("%s, not %s", mine, text);
    }
    zlay_layout_free(other);
}

#endif
