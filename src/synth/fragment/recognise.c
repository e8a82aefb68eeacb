/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a layout with a known one point by point, in blocks; the first index at which they
 * differ ends the comparison. Values of two dimensions are compared as one number. */
#include "synth/fragment/recognise.h"

#include <string.h>
#include <zlay/symbol.h>

enum { BLOCK = 256, OUTS_MOST = 2 };

zlay_status zl_compared_check(zlay_ctx *ctx, const zl_compared *asked, uint64_t most)
{
    const char *param = zlay_layout_param_nth(asked->layout, 0);
    size_t outs = zlay_layout_out_count(asked->layout);
    uint64_t size = zlay_layout_size(asked->layout);
    if (param) return zl_fail(ctx, ZLAY_ENOTSUP, "layout: has the parameter %s", param);
    if (outs != 1 && outs != 2)
        return zl_fail(ctx, ZLAY_EINVAL, "layout: has %zu output dimensions, not one or two", outs);
    if (size > most)
        return zl_fail(ctx, ZLAY_ELIMIT, "points: the layout has %llu, the most are %llu",
                       (unsigned long long)size, (unsigned long long)most);
    return ZLAY_OK;
}

/* One value of the dimensions' values, INT64_MIN where they are none of a known layout. */
static int64_t joined(const zl_compared *asked, const int64_t *value, size_t outs)
{
    int64_t sum = 0;
    if (outs == 1) return value[0];
    int64_t minor = value[asked->second_minor], major = value[!asked->second_minor];
    bool fits = zl_mul(major, asked->unit, &sum) && zl_add(sum, minor, &sum);
    return fits && minor >= 0 && minor < asked->unit ? sum : INT64_MIN;
}

bool zl_compared_value(int64_t *out, const zl_compared *asked, uint64_t index)
{
    int64_t value[OUTS_MOST];
    if (zlay_layout_eval(value, OUTS_MOST, asked->layout, index)) return false;
    *out = joined(asked, value, zlay_layout_out_count(asked->layout));
    return true;
}

typedef struct block {
    int64_t value[BLOCK * OUTS_MOST], known[BLOCK];
    uint8_t there[BLOCK];
    uint64_t index[BLOCK];
    size_t count;
} block;

/* Values of both from an index on; false: the known one has none somewhere. */
static bool block_read(block *b, const zl_compared *asked, const zlay_layout *known, uint64_t from,
                       uint64_t first)
{
    uint64_t size = zlay_layout_size(known), second = first ? size / first : 0;
    b->count = size - from < BLOCK ? (size_t)(size - from) : BLOCK;
    for (size_t i = 0; asked->second_first && i < b->count; i++)
        b->index[i] = (from + i) / first + (from + i) % first * second;
    const uint64_t *index = asked->second_first ? b->index : NULL;
    return !zlay_layout_eval_many(b->value, b->there, asked->layout, index, from, b->count) &&
           !zlay_layout_eval_many(b->known, NULL, known, NULL, from, b->count);
}

/* Of one output, whose values stand as they are compared. */
static bool is_equal(const block *b)
{
    return !memcmp(b->value, b->known, b->count * sizeof *b->known) && !memchr(b->there, 0, b->count);
}

bool zl_differs(zl_difference *out, const zl_compared *asked, const zlay_layout *known,
                uint64_t first)
{
    uint64_t size = zlay_layout_size(known);
    size_t outs = zlay_layout_out_count(asked->layout);
    block b;
    if (zlay_layout_size(asked->layout) != size) return false;
    *out = (zl_difference){.at = size};
    for (uint64_t from = 0; from < size; from += BLOCK) {
        if (!block_read(&b, asked, known, from, first)) return false;
        if (outs == 1 && is_equal(&b)) continue;
        for (size_t i = 0; i < b.count; i++) {
            int64_t is = b.there[i] ? joined(asked, b.value + i * outs, outs) : 0;
            if (b.there[i] && is == b.known[i]) continue;
            *out = (zl_difference){from + i, is, b.known[i], !b.there[i]};
            return true;
        }
    }
    return true;
}
