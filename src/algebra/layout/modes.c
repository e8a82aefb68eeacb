/* SPDX-License-Identifier: Apache-2.0 */
/* Modes that are being made: how they grow, their parentheses, the range of their values, and the
 * fewest modes that have the same values (CuTe's coalesce). */
#include "algebra/layout/layout.h"

#include <string.h>

void zl_modes_drop(zl_modes *m)
{
    zlay_allocator alloc = zl_allocator(m->ctx);
    zl_free(&alloc, m->at, m->room * sizeof *m->at);
    zl_modes_begin(m, m->ctx);
}

static zlay_status grow(zl_modes *m)
{
    zlay_allocator alloc = zl_allocator(m->ctx);
    zl_mode *more = zl_alloc(m->ctx, m->room * 2, sizeof *more);
    if (!more) return ZLAY_ENOMEM;
    memcpy(more, m->at, m->count * sizeof *more);
    if (m->at != m->own) zl_free(&alloc, m->at, m->room * sizeof *m->at);
    m->at = more;
    m->room *= 2;
    m->free = zl_modes_granted(m);
    return ZLAY_OK;
}

zlay_status zl_modes_put(zl_modes *m, zl_mode mode)
{
    uint64_t limit = zl_limits(m->ctx)->dims;
    if (m->count >= limit)
        return zl_fail(m->ctx, ZLAY_ELIMIT, "limits.dims is %llu and the layout has more modes",
                       (unsigned long long)limit);
    zlay_status status = m->count == m->room ? grow(m) : ZLAY_OK;
    if (!status) m->at[m->count++] = mode;
    return status;
}

zlay_status zl_modes_append(zl_modes *m, const zl_mode *modes, size_t count)
{
    zlay_status status = ZLAY_OK;
    if (count && m->count <= m->free && count <= m->free - m->count) {
        memcpy(m->at + m->count, modes, count * sizeof *modes);
        m->count += count;
        return ZLAY_OK;
    }
    for (size_t i = 0; i < count && !status; i++) status = zl_modes_put(m, modes[i]);
    return status;
}

void zl_modes_wrap(zl_modes *m, size_t first)
{
    if (first >= m->count) return;
    m->at[first].open++;
    m->at[m->count - 1].close++;
}

size_t zl_part_end(const zl_mode *modes, size_t i, uint32_t depth)
{
    uint64_t open = depth;
    for (;; i++) {
        open = open > modes[i].close ? open - modes[i].close : 0;
        if (!open) return i + 1;
        open += modes[i + 1].open;
    }
}

bool zl_modes_range(const zl_mode *modes, size_t count, int64_t offset, int64_t *least,
                    int64_t *greatest)
{
    int64_t low = offset, high = offset, reach;
    for (size_t i = 0; i < count; i++) {
        if (!zl_mul(modes[i].shape - 1, modes[i].stride, &reach)) return false;
        if (!(reach < 0 ? zl_add(low, reach, &low) : zl_add(high, reach, &high))) return false;
    }
    *least = low;
    *greatest = high;
    return true;
}

zlay_status zl_unless_limit(zlay_ctx *ctx, zlay_status status)
{
    return status == ZLAY_ELIMIT ? zl_fail(ctx, ZLAY_OK, "%s", "") : status;
}

/* ---- coalesced ------------------------------------------------------------------------ */

/* Extents whose product does not fit stay apart: of stride 0 they need not. */
static bool merges(const zl_mode *last, const zl_mode *mode, int64_t *shape)
{
    int64_t next;
    return zl_mul(last->shape, last->stride, &next) && next == mode->stride &&
           zl_mul(last->shape, mode->shape, shape);
}

zlay_status zl_coalesce_modes(zl_modes *out, const zl_mode *modes, size_t count, bool unbounded)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < count && !status; i++) {
        bool kept = unbounded && i + 1 == count;
        int64_t shape;
        if (modes[i].shape == 1 && !kept) continue;
        if (out->count && merges(&out->at[out->count - 1], &modes[i], &shape))
            out->at[out->count - 1].shape = shape;
        else
            status = zl_modes_leaf(out, modes[i].shape, modes[i].stride);
    }
    if (!status && !out->count) status = zl_modes_leaf(out, 1, 0);
    return status;
}
