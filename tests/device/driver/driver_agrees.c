/* SPDX-License-Identifier: Apache-2.0 */
#include "driver_agrees.h"

#include <stdio.h>

static uint64_t next(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

static uint64_t below(uint64_t *state, uint64_t n) { return next(state) / 7 % n; }

/* One in `n`. */
static int rarely(uint64_t *state, uint64_t n) { return below(state, n) == 0; }

static uint64_t pick(uint64_t *state, const uint64_t *values, size_t count)
{
    return values[below(state, count)];
}

static const uint64_t extents[] = {1, 2, 7, 64, 100, 1000, 4096, 65536, 0x7fffffff};
static const uint64_t odd_extents[] = {0, 0xffffffff, 0x100000000, 0x100000001, UINT64_MAX};
static const uint64_t odd_strides[] = {
    0, 8, 24, 4104, 0xfffffff0, 0xfffffffff0, 1u << 30, 0x10000000000, 0xffffffffffffff00};
static const uint64_t boxes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
static const uint64_t odd_boxes[] = {0, 3, 5, 100, 255, 257, 0xffffffff};
static const uint64_t odd_steps[] = {0, 3, 7, 8, 9, 16, 0xffffffff};

#define PICK(state, values) pick(state, values, ZL_COUNT(values))

/* Near the border: each field is mostly legal, and now and then one of the values where rules
 * begin. */
static zlay_tensormap map_random(uint64_t *s)
{
    static const int32_t types[] = {ZLAY_TYPE_BF16, ZLAY_TYPE_F32, ZLAY_TYPE_U8, ZLAY_TYPE_F64};
    zlay_tensormap m = {.rank = (uint32_t)below(s, 5) + 1};
    m.type = rarely(s, 4) ? (int32_t)below(s, 17) : types[below(s, 4)];
    m.address = 0x100000 + 32 * below(s, 1000) + (rarely(s, 8) ? below(s, 32) : 0);
    m.interleave = rarely(s, 4) ? (int32_t)below(s, 4) : 0;
    m.swizzle = rarely(s, 3) ? (int32_t)below(s, 8) : ZLAY_SWIZZLE_128B * (int32_t)below(s, 2);
    m.l2 = rarely(s, 12) ? (int32_t)below(s, 6) : 2;
    m.oob = rarely(s, 5) ? (int32_t)below(s, 3) : 0;
    for (uint32_t i = 0; i < m.rank; i++) {
        m.extent[i] = rarely(s, 30) ? PICK(s, odd_extents) : PICK(s, extents);
        m.box[i] = (uint32_t)(rarely(s, 20) ? PICK(s, odd_boxes) : boxes[below(s, i ? 4 : 7)]);
        m.step[i] = (uint32_t)(rarely(s, 20) ? PICK(s, odd_steps) : 1);
    }
    for (uint32_t i = 0; i + 1 < m.rank; i++)
        m.stride[i] = rarely(s, 20) ? PICK(s, odd_strides) : 32 * (below(s, 1u << 20) + 1);
    return m;
}

static void describe(char *why, size_t room, const zlay_tensormap *m, int accepted,
                     const zlay_verdict *v, const zlay_reason *reason)
{
    zlay_rule rule = {.id = "no rule"};
    if (v->reasons) zlay_rule_info(&rule, reason->rule);
    int n =
        snprintf(why, room,
                 "driver %s, zlay: answer %d, driver %d, %s; rank %u type %d address %llx "
                 "interleave %d swizzle %d l2 %d oob %d;",
                 accepted ? "accepts" : "refuses", v->answer, v->driver, rule.id, m->rank, m->type,
                 (unsigned long long)m->address, m->interleave, m->swizzle, m->l2, m->oob);
    for (uint32_t i = 0; i < m->rank && n > 0 && (size_t)n < room; i++)
        n += snprintf(why + n, room - (size_t)n, " [extent %llx stride %llx box %x step %x]",
                      (unsigned long long)m->extent[i],
                      (unsigned long long)(i ? m->stride[i - 1] : 0), m->box[i], m->step[i]);
}

driver_count driver_agrees(rig *r, unsigned maps, char *why, size_t room)
{
    driver_count count = {0, 0, 0, 0};
    uint64_t state = 0x9e3779b97f4a7c15u;
    for (unsigned i = 0; i < maps; i++) {
        unsigned char out[128];
        zlay_verdict v;
        zlay_reason reason;
        zlay_tensormap m = map_random(&state);
        if (zlay_tensormap_check(&v, &reason, 1, r->target, &m))
            rig_die("check", "a map has no verdict");
        int accepted = zlay_device_encode_tensormap(r->ctx, out, r->device, &m) == ZLAY_OK;
        int said = v.driver == ZLAY_DRIVER_ACCEPTS;
        count.accepted += (unsigned)accepted;
        count.refused += (unsigned)!accepted;
        count.unknown += v.driver == ZLAY_DRIVER_UNKNOWN;
        if (said == accepted && !(v.answer == ZLAY_YES && !accepted)) continue;
        if (!count.disagree++) describe(why, room, &m, accepted, &v, &reason);
    }
    return count;
}
