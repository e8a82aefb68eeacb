/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/layout/parts.h"

/* One pair of parentheses around everything is the tuple's, and no part's. */
static bool is_tuple(const zl_mode *modes, size_t count)
{
    return modes[0].open && zl_part_end(modes, 0, modes[0].open) == count;
}

static size_t end_of(const zl_mode *modes, size_t first, bool tuple)
{
    return zl_part_end(modes, first, modes[first].open - (tuple && !first));
}

size_t zl_parts_count(const zl_mode *modes, size_t count)
{
    bool tuple = is_tuple(modes, count);
    size_t parts = 0;
    for (size_t i = 0; i < count; i = end_of(modes, i, tuple)) parts++;
    return parts;
}

static zlay_status take(zl_modes *out, const zl_mode *modes, size_t count, size_t first, size_t end)
{
    size_t at = out->count;
    bool tuple = is_tuple(modes, count);
    zlay_status status = zl_modes_append(out, modes + first, end - first);
    if (status) return status;
    if (tuple && !first) out->at[at].open--;
    if (tuple && end == count) out->at[out->count - 1].close--;
    return ZLAY_OK;
}

zlay_status zl_parts_take(zl_modes *out, const zl_mode *modes, size_t count, size_t k)
{
    bool tuple = is_tuple(modes, count);
    size_t first = 0;
    while (k--) first = end_of(modes, first, tuple);
    return take(out, modes, count, first, end_of(modes, first, tuple));
}

zlay_status zl_parts_from(zl_modes *out, const zl_mode *modes, size_t count, size_t k)
{
    zlay_status status = ZLAY_OK;
    for (size_t parts = zl_parts_count(modes, count); k < parts && !status; k++)
        status = zl_parts_take(out, modes, count, k);
    return status;
}

zlay_status zl_parts_unpack(zl_modes *out, const zl_mode *modes, size_t count)
{
    if (zl_parts_count(modes, count) == 1) return zl_modes_append(out, modes, count);
    return zl_parts_from(out, modes, count, 0);
}
