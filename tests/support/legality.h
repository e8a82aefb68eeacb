/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of legality share: rules by id, a legal tensor map. */
#ifndef TEST_LEGALITY_H
#define TEST_LEGALITY_H

#include "ctx.h"

#include <stdbool.h>

enum { REASONS = 96 };

static inline int32_t rule_number(const char *id)
{
    zlay_rule rule;
    if (zlay_rule_find(&rule, id, strlen(id)) != ZLAY_OK) fail_msg("no rule %s", id);
    return rule.number;
}

/* The reason of a rule, NULL where it is not broken; index -2: any. */
static inline const zlay_reason *reason_of(const zlay_reason *reasons, const zlay_verdict *v,
                                           int32_t rule, int32_t index)
{
    for (uint32_t i = 0; i < v->reasons && i < REASONS; i++)
        if (reasons[i].rule == rule && (index == -2 || reasons[i].index == index))
            return &reasons[i];
    return NULL;
}

/* 64 x 64 boxes of a 512 x 256 bf16 matrix, 128-byte swizzle. */
static inline zlay_tensormap legal_map(void)
{
    zlay_tensormap m;
    memset(&m, 0, sizeof m);
    m.address = 1 << 20;
    m.rank = 2;
    m.type = ZLAY_TYPE_BF16;
    m.extent[0] = 256;
    m.extent[1] = 512;
    m.stride[0] = 512;
    m.box[0] = m.box[1] = 64;
    m.step[0] = m.step[1] = 1;
    m.swizzle = ZLAY_SWIZZLE_128B;
    return m;
}

/* The same as a stack of 16 such matrices, in planes. */
static inline zlay_tensormap legal_map3(void)
{
    zlay_tensormap m = legal_map();
    m.rank = 3;
    m.extent[2] = 16;
    m.stride[1] = 512 * 512;
    m.box[2] = m.step[2] = 1;
    return m;
}

/* 64 channels and 64 pixels of NWC, NHWC or NDHWC images of bf16, 16 of each extent, borders of 1. */
static inline zlay_tensormap legal_columns(int32_t mode, uint32_t rank)
{
    zlay_tensormap m = legal_map();
    m.mode = mode;
    m.rank = rank;
    m.extent[0] = 64;
    m.stride[0] = 128;
    for (uint32_t i = 1; i < rank; i++) {
        m.extent[i] = 16;
        m.step[i] = 1;
        if (i + 1 < rank) m.stride[i] = m.stride[i - 1] * 16;
    }
    m.box[0] = m.box[1] = 0;
    m.channels = m.pixels = 64;
    for (uint32_t i = 0; i < (mode == 2 ? 1 : rank - 2); i++) m.lower[i] = m.upper[i] = -1;
    return m;
}

/* Set a field named as in batch.md. */
static inline void map_set(zlay_tensormap *m, int32_t field, int32_t index, uint64_t value)
{
    uint32_t i = index > 0 ? (uint32_t)index : 0;
    switch (field) {
    case ZLAY_FIELD_MODE: m->mode = (int32_t)value; return;
    case ZLAY_FIELD_TYPE: m->type = (int32_t)value; return;
    case ZLAY_FIELD_RANK: m->rank = (uint32_t)value; return;
    case ZLAY_FIELD_ADDRESS: m->address = value; return;
    case ZLAY_FIELD_EXTENT: m->extent[i] = value; return;
    case ZLAY_FIELD_STRIDE: m->stride[i] = value; return;
    case ZLAY_FIELD_BOX: m->box[i] = (uint32_t)value; return;
    case ZLAY_FIELD_STEP: m->step[i] = (uint32_t)value; return;
    case ZLAY_FIELD_INTERLEAVE: m->interleave = (int32_t)value; return;
    case ZLAY_FIELD_SWIZZLE: m->swizzle = (int32_t)value; return;
    case ZLAY_FIELD_L2: m->l2 = (int32_t)value; return;
    case ZLAY_FIELD_OOB: m->oob = (int32_t)value; return;
    case ZLAY_FIELD_LOWER: m->lower[i] = (int32_t)value; return;
    case ZLAY_FIELD_UPPER: m->upper[i] = (int32_t)value; return;
    case ZLAY_FIELD_CHANNELS: m->channels = (uint32_t)value; return;
    case ZLAY_FIELD_PIXELS: m->pixels = (uint32_t)value; return;
    case ZLAY_FIELD_WIDE_MODE: m->wide_mode = (int32_t)value; return;
    default: fail_msg("no such field of a map: %d", field);
    }
}

static inline zlay_verdict verdict_of(const zlay_target *t, const zlay_tensormap *m,
                                      zlay_reason *reasons)
{
    zlay_verdict v;
    assert_int_equal(zlay_tensormap_check(&v, reasons, reasons ? REASONS : 0, t, m), ZLAY_OK);
    return v;
}

static inline zlay_answer answer_of(const zlay_target *t, const zlay_tensormap *m)
{
    return verdict_of(t, m, NULL).answer;
}

#endif
