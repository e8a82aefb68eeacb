/* SPDX-License-Identifier: Apache-2.0 */
#include "synth/recognise.h"

#include <zlay/symbol.h>

zlay_status zl_asked_check(zlay_ctx *ctx, const zl_asked *asked, uint64_t most)
{
    const char *param = zlay_layout_param(asked->layout, 0);
    size_t outs = zlay_layout_outs(asked->layout);
    uint64_t size = zlay_layout_size(asked->layout);
    if (param) return zl_fail(ctx, ZLAY_ENOTSUP, "layout: has the parameter %s", param);
    if (outs != 1 && outs != 2)
        return zl_fail(ctx, ZLAY_EINVAL, "layout: has %zu output dimensions, not one or two", outs);
    if (size > most)
        return zl_fail(ctx, ZLAY_ELIMIT, "points: the layout has %llu, the most are %llu",
                       (unsigned long long)size, (unsigned long long)most);
    return ZLAY_OK;
}

bool zl_asked_value(int64_t *out, const zl_asked *asked, uint64_t index)
{
    int64_t value[2], sum = 0;
    if (zlay_layout_eval(value, 2, asked->layout, index)) return false;
    *out = value[0];
    if (zlay_layout_outs(asked->layout) == 1) return true;
    int64_t minor = value[asked->second_minor], major = value[!asked->second_minor];
    bool fits = zl_mul(major, asked->unit, &sum) && zl_add(sum, minor, &sum);
    *out = fits && minor >= 0 && minor < asked->unit ? sum : INT64_MIN;
    return true;
}

bool zl_differs(zl_difference *out, const zl_asked *asked, const zlay_layout *known,
                uint64_t first)
{
    uint64_t size = zlay_layout_size(known), second = first ? size / first : 0;
    if (zlay_layout_size(asked->layout) != size) return false;
    *out = (zl_difference){.at = size};
    for (uint64_t i = 0; i < size; i++) {
        uint64_t index = asked->second_first ? i / first + i % first * second : i;
        int64_t is = 0, want;
        bool undefined = !zl_asked_value(&is, asked, index);
        if (zlay_layout_eval(&want, 1, known, i)) return false;
        if (!undefined && is == want) continue;
        *out = (zl_difference){i, is, want, undefined};
        return true;
    }
    return true;
}
