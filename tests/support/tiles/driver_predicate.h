/* SPDX-License-Identifier: Apache-2.0 */
/* What an H200's driver, 580.159.04, takes: a second predicate. */
#ifndef DRIVER_PREDICATE_H
#define DRIVER_PREDICATE_H

#include "device/driver/map_draw.h"

#include <stdbool.h>

/* The driver's three predicates, written from what was measured and not from the rows. */
static inline bool takes_tensor(const zlay_tensormap *m)
{
    uint64_t unit = m->interleave == 2 ? 32 : 16;
    if (m->type < 0 || m->type > 12 || m->rank < 1 || m->rank > 5) return false;
    if (m->interleave < 0 || m->interleave > 2 || m->swizzle < 0 || m->swizzle > 3) return false;
    if (m->l2 < 0 || m->l2 > 3 || m->oob < 0 || m->oob > (m->type >= 6)) return false;
    if (m->address % unit || m->address >> 57) return false;
    for (uint32_t i = 0; i < m->rank; i++) {
        if (!m->extent[i] || m->extent[i] > 1ull << 32 || !m->step[i] || m->step[i] > 8) return false;
        if (i + 1 < m->rank && (m->stride[i] % unit || m->stride[i] >> 40)) return false;
    }
    return true;
}

static inline bool takes_inner(const zlay_tensormap *m, uint64_t bytes)
{
    bool narrow = m->interleave || !m->swizzle || bytes <= 16u << m->swizzle;
    return bytes % 16 == 0 && narrow;
}

static inline bool takes_tiled(const zlay_tensormap *m)
{
    uint64_t all = draw_bytes(m->type);
    if (m->interleave && m->rank < 3) return false;
    for (uint32_t i = 0; i < m->rank; i++) {
        if (!m->box[i] || m->box[i] > 256) return false;
        all *= m->box[i] / m->step[i];
    }
    return all <= 233472 && takes_inner(m, (uint64_t)m->box[0] * draw_bytes(m->type));
}

/* In wide maps the corners of all dimensions but W are 0; in both, extents wrap at 32 bits. */
static inline bool takes_columns(const zlay_tensormap *m)
{
    static const int32_t reach[] = {32768, 128, 16};
    uint64_t pixel = (uint64_t)m->channels * draw_bytes(m->type);
    if (m->rank < 3 || m->channels > 256 || !m->channels || !m->pixels || m->pixels > 1024)
        return false;
    for (uint32_t i = 0; i + 2 < m->rank; i++) {
        bool corners = m->mode == 1 || i == 0;
        int32_t lower = corners ? m->lower[i] : 0, upper = corners ? m->upper[i] : 0;
        int32_t most = reach[m->rank - 3];
        uint32_t end = (uint32_t)m->extent[m->interleave ? i : i + 1] + (uint32_t)upper;
        if (lower < -most || lower >= most || upper < -most || upper >= most) return false;
        if ((int32_t)end <= lower) return false;
    }
    bool mode = m->mode == 1 || m->wide_mode == 0 || m->wide_mode == 1;
    return mode && pixel * m->pixels <= 233472 && takes_inner(m, pixel);
}

static inline bool driver_takes(const zlay_tensormap *m)
{
    return takes_tensor(m) && (m->mode ? takes_columns(m) : takes_tiled(m));
}

#endif
