/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles as they were drawn: strided layouts with a plain reading, so that a request is evaluated without the
 * library. */
#ifndef TEST_TILES_H
#define TEST_TILES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { TILE_MODES = 8, TILE_TEXT = 512 };

/* Sw<bits,base,shift> o offset o shape:stride, flat; bits 0: no swizzle. */
typedef struct tile_layout {
    int modes, bits, base, shift;
    int64_t shape[TILE_MODES], stride[TILE_MODES], offset;
} tile_layout;

static inline int64_t tile_size(const tile_layout *a)
{
    int64_t n = 1;
    for (int i = 0; i < a->modes; i++) n *= a->shape[i];
    return n;
}

static inline int64_t tile_at(const tile_layout *a, int64_t index)
{
    int64_t v = a->offset;
    for (int i = 0; i < a->modes; i++) {
        v += (i + 1 < a->modes ? index % a->shape[i] : index) * a->stride[i];
        index /= a->shape[i];
    }
    return v ^ ((v >> (a->base + a->shift) & (((int64_t)1 << a->bits) - 1)) << a->base);
}

static inline const char *tile_text(char text[TILE_TEXT], const tile_layout *a)
{
    char *at = text;
    if (a->bits) at += sprintf(at, "Sw<%d,%d,%d> o ", a->bits, a->base, a->shift);
    if (a->bits || a->offset) at += sprintf(at, "%lld o ", (long long)a->offset);
    for (int side = 0; side < 2; side++) {
        at += sprintf(at, side ? ":(" : "(");
        for (int i = 0; i < a->modes; i++)
            at += sprintf(at, "%s%lld", i ? "," : "",
                          (long long)(side ? a->stride[i] : a->shape[i]));
        at += sprintf(at, ")");
    }
    return text;
}

/* Compact, the modes in the order given: order[0] is fastest. */
static inline void tile_compact(tile_layout *out, const int64_t *shape, const int *order, int modes)
{
    int64_t stride = 1;
    memset(out, 0, sizeof *out);
    out->modes = modes;
    for (int i = 0; i < modes; i++) {
        out->shape[i] = shape[i];
        out->stride[order[i]] = stride;
        stride *= shape[order[i]];
    }
}

#endif
