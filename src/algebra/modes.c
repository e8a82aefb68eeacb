/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/layout.h"

#include <string.h>

/* Modes that neither the room nor limits.dims refuses. */
static size_t granted(const zl_modes *m)
{
    uint64_t limit = zl_limits(m->ctx)->dims;
    return m->room < limit ? m->room : (size_t)limit;
}

void zl_modes_begin(zl_modes *m, zlay_ctx *ctx)
{
    m->ctx = ctx;
    m->at = m->own;
    m->count = 0;
    m->room = ZL_MODES_OWN;
    m->free = granted(m);
    m->offset = 0;
}

void zl_modes_end(zl_modes *m)
{
    if (m->at != m->own) {
        zlay_allocator alloc = zl_allocator(m->ctx);
        zl_free(&alloc, m->at, m->room * sizeof *m->at);
    }
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
    m->free = granted(m);
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

static bool widen(int64_t shape, int64_t stride, int64_t *least, int64_t *greatest)
{
    int64_t reach, *end = stride < 0 ? least : greatest;
    return zl_mul(shape - 1, stride, &reach) && zl_add(*end, reach, end);
}

bool zl_modes_range(const zl_mode *modes, size_t count, int64_t offset, int64_t *least,
                    int64_t *greatest)
{
    *least = *greatest = offset;
    for (size_t i = 0; i < count; i++)
        if (!widen(modes[i].shape, modes[i].stride, least, greatest)) return false;
    return true;
}

zlay_status zl_unless_limit(zlay_ctx *ctx, zlay_status status)
{
    return status == ZLAY_ELIMIT ? zl_fail(ctx, ZLAY_OK, "%s", "") : status;
}
