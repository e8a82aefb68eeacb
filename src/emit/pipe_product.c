/* SPDX-License-Identifier: Apache-2.0 */
/* The products of a pipe: an operand's rows are 64 bf16 in 128 swizzled bytes, as many as its stage
 * has, and the instruction follows from them. */
#include "emit/pipe.h"

#include <string.h>
#include <zlay/idesc.h>
#include <zlay/smemdesc.h>
#include <zlay/synth.h>

enum { ROW_BYTES = 128, ROW = 64, K_STEP = 16, STEPS_MOST = 64, ROWS_OF_WGMMA = 64 };

static uint32_t rows_of(const zl_pipe_text *k, int32_t smem)
{
    int64_t rows = k->pipe->smems[smem].bytes / ROW_BYTES;
    return rows > UINT16_MAX ? UINT16_MAX : (uint32_t)rows;
}

static zlay_status check(const zl_pipe_text *k, const zl_pt_product *p)
{
    zlay_verdict verdict;
    zlay_reason reason = {0};
    zlay_status status = zlay_mma_check(&verdict, &reason, 1, k->ask->target, &p->mma);
    if (status || verdict.answer == ZLAY_YES) return status;
    return zl_fail(k->ctx, ZLAY_ENOTSUP, "line %u: no product of %u x %u x %u on %s: rule %s",
                   p->event->line, p->mma.m, p->mma.n, p->mma.k, zlay_target_name(k->ask->target),
                   zl_pt_rule(reason.rule));
}

/* What the synthesis of descriptors answers, as steps along rows and K. */
static zlay_status describe(const zl_pipe_text *k, zl_pt_operand *out, uint32_t rows, uint32_t each)
{
    zlay_smemdesc fields = {0};
    zlay_layout *layout = NULL;
    uint32_t start[STEPS_MOST];
    size_t count = 0;
    const int64_t shape[] = {rows, ROW}, stride[] = {ROW, 1};
    zlay_status status = zlay_layout_new_strided(k->ctx, &layout, 2, shape, stride, 0);
    zlay_smemdesc_request request = {.size = sizeof request,
                                     .type = ZLAY_TYPE_BF16,
                                     .major = ZLAY_MAJOR_K,
                                     .swizzle = ZLAY_SWIZZLE_128B,
                                     .mma_mn = each,
                                     .mma_k = K_STEP,
                                     .layout = layout};
    if (!status)
        status = zlay_smemdesc_synth(k->ctx, &fields, start, STEPS_MOST, &count, k->ask->target,
                                     &request);
    zlay_layout_free(layout);
    fields.start = 0;
    if (!status) status = zlay_smemdesc_pack(&out->word, k->ask->target, &fields);
    if (status) return status;
    out->parts = rows / each;
    out->rows = out->parts > 1 ? start[1] - start[0] : 0;
    out->step = start[out->parts] - start[0];
    return ZLAY_OK;
}

static uint32_t instances_at(const zl_pipe_text *k, const zl_event *event)
{
    uint32_t i = (uint32_t)(event - k->pipe->events);
    for (uint32_t r = 0; r < k->pipe->roles_count; r++)
        if (i >= k->pipe->roles[r].begin && i < k->pipe->roles[r].end)
            return zl_role_instances(&k->pipe->roles[r]);
    return 1;
}

static zlay_status product_wgmma(const zl_pipe_text *k, zl_pt_product *p)
{
    const zl_event *e = p->event;
    p->mma = (zlay_mma){.instruction = ZLAY_MMA_WGMMA,
                        .m = ROWS_OF_WGMMA,
                        .n = rows_of(k, e->smem[1]),
                        .k = K_STEP,
                        .a = ZLAY_TYPE_BF16,
                        .b = ZLAY_TYPE_BF16,
                        .d = ZLAY_TYPE_F32,
                        .a_source = e->acc_a >= 0 ? ZLAY_SOURCE_REG : ZLAY_SOURCE_SMEM};
    return check(k, p);
}

static zlay_status product_tcgen05(const zl_pipe_text *k, zl_pt_product *p)
{
    const zl_event *e = p->event;
    zlay_idesc fields;
    uint32_t group = k->pipe->tmems[e->tmem[0]].pair ? 2 : 1;
    uint32_t m = e->smem[0] >= 0 ? rows_of(k, e->smem[0]) : 128;
    p->mma = (zlay_mma){.instruction = ZLAY_MMA_TCGEN05,
                        .kind = ZLAY_KIND_F16,
                        .m = m * group,
                        .n = rows_of(k, e->smem[1]) * group,
                        .k = K_STEP,
                        .a = ZLAY_TYPE_BF16,
                        .b = ZLAY_TYPE_BF16,
                        .d = ZLAY_TYPE_F32,
                        .cta_group = group,
                        .a_source = e->smem[0] >= 0 ? ZLAY_SOURCE_SMEM : ZLAY_SOURCE_TMEM};
    zlay_status status = check(k, p);
    if (!status) status = zlay_idesc_of_mma(&fields, &p->mma);
    return status ? status : zlay_idesc_pack(&p->idesc, &fields);
}

static zlay_status product(const zl_pipe_text *k, zl_pt_product *p)
{
    const zl_event *e = p->event;
    zlay_status status = e->tmem[0] >= 0 ? product_tcgen05(k, p) : product_wgmma(k, p);
    uint32_t group = p->mma.cta_group ? p->mma.cta_group : 1;
    p->steps = ROW / K_STEP;
    p->operand[0].parts = p->operand[1].parts = 1;
    if (!status && e->smem[0] >= 0)
        status = describe(k, &p->operand[0], rows_of(k, e->smem[0]), p->mma.m / group);
    if (!status) status = describe(k, &p->operand[1], rows_of(k, e->smem[1]), p->mma.n / group);
    if (status) return status;
    uint32_t instances = instances_at(k, e), parts = p->operand[0].parts;
    if (parts == 1) return ZLAY_OK;
    if (parts % instances)
        return zl_fail(k->ctx, ZLAY_ENOTSUP, "line %u: %u rows of A for %u instances of its role",
                       e->line, parts * p->mma.m, instances);
    p->operand[0].parts = parts / instances;
    return ZLAY_OK;
}

zlay_status zl_pt_products(zl_pipe_text *k)
{
    uint32_t count = 0;
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < k->pipe->events_count; i++)
        count += k->pipe->events[i].kind == ZL_EV_MMA;
    if (!count) return ZLAY_OK;
    k->products = zl_alloc(k->ctx, count, sizeof *k->products);
    if (!k->products) return ZLAY_ENOMEM;
    k->products_count = count;
    count = 0;
    for (uint32_t i = 0; i < k->pipe->events_count; i++)
        if (k->pipe->events[i].kind == ZL_EV_MMA) k->products[count++].event = &k->pipe->events[i];
    for (uint32_t i = 0; i < count && !status; i++)
        if (!zl_pt_fragment(k, k->products[i].event)) status = product(k, &k->products[i]);
    return status;
}

const zl_pt_product *zl_pt_product_of(const zl_pipe_text *k, const zl_event *event)
{
    for (uint32_t i = 0; i < k->products_count; i++)
        if (k->products[i].event == event) return &k->products[i];
    return NULL;
}
