/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers to test with: requests at random for every path, memory around them with patterns, and
 * what every byte of it must be afterwards, by evaluating the two layouts alone. No cmocka: the
 * device program uses it too. */
#ifndef TEST_TRANSFERS_H
#define TEST_TRANSFERS_H

#include "random.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/zlay.h>

enum { DRAWN_MODES = 5, DRAWN_MARGIN = 256, DRAWN_MOST = 1 << 16 };

/* One request in words: modes of both sides in the source's colexicographic order. */
typedef struct drawn {
    int32_t path;
    uint32_t elem, threads;
    int modes;
    int64_t extent[DRAWN_MODES], from[DRAWN_MODES], to[DRAWN_MODES], from_offset, to_offset;
    uint32_t from_align, to_align;
    int swizzle[2][3];
} drawn;

/* Strides of one side with modes in a random order, the first `inner` contiguous, gaps that are
 * multiples of `grain` elements. */
static void drawn_strides(uint64_t *s, const drawn *d, int64_t *stride, int inner, int64_t grain)
{
    int order[DRAWN_MODES];
    for (int i = 0; i < d->modes; i++) order[i] = i;
    test_shuffle(s, order, d->modes);
    int64_t next = inner >= 0 ? d->extent[inner] : test_range(s, 1, 3);
    if (inner >= 0) stride[inner] = 1;
    for (int i = 0; i < d->modes; i++) {
        int mode = order[i];
        if (mode == inner) continue;
        next = (next + test_range(s, 0, 2) * grain + grain - 1) / grain * grain;
        stride[mode] = next;
        next *= d->extent[mode];
    }
}

static void drawn_flip(uint64_t *s, const drawn *d, int64_t *stride, int64_t *offset, int keep)
{
    for (int i = 0; i < d->modes; i++)
        if (i != keep && test_range(s, 0, 5) == 0) {
            *offset += stride[i] * (d->extent[i] - 1);
            stride[i] = -stride[i];
        }
}

static int64_t drawn_grain(uint64_t *s, uint32_t elem, uint32_t bytes)
{
    (void)s;
    return bytes > elem ? bytes / elem : 1;
}

/* No more elements than a test goes through one by one. */
static void drawn_shrink(drawn *d)
{
    int64_t size = 1;
    for (int i = 0; i < d->modes; i++) {
        if (i > 1 && size * d->extent[i] > DRAWN_MOST) d->extent[i] = 1;
        size *= d->extent[i];
    }
}

/* A request that its path should take: of the row paths mode 0 is the row, of the turned ones the
 * source has mode 0 contiguous and the destination mode 1. */
static inline drawn drawn_make(uint64_t *s, int32_t path)
{
    static const uint32_t widths[] = {1, 2, 4, 8, 16};
    drawn d = {.path = path, .elem = widths[test_range(s, 0, 4)]};
    int turned = path == ZLAY_PATH_TRANSPOSE || path == ZLAY_PATH_MATRIX;
    uint32_t from_grain = d.elem, to_grain = d.elem;
    int64_t row = path == ZLAY_PATH_BULK && test_range(s, 0, 3) == 0 ? 40000 : 400;
    d.modes = (int)test_range(s, turned ? 2 : 1, 4);
    if (path == ZLAY_PATH_MATRIX) d.elem = 2;
    if (path == ZLAY_PATH_REALIGN && d.elem == 16) d.elem = 2;
    if (path == ZLAY_PATH_CP_ASYNC && d.elem < 4) from_grain = to_grain = 4u << test_range(s, 0, 2);
    if (path == ZLAY_PATH_BULK || path == ZLAY_PATH_MATRIX) from_grain = to_grain = 16;
    if (path == ZLAY_PATH_THREADS) from_grain = to_grain = widths[test_range(s, 0, 4)];
    if (path == ZLAY_PATH_REALIGN && test_range(s, 0, 1)) to_grain = 16;
    for (int i = 1; i < d.modes; i++) d.extent[i] = test_range(s, 1, 9);
    d.extent[0] = test_range(s, d.elem < 8 ? 16 / (int64_t)d.elem : 2, row / (int64_t)d.elem + 16);
    if (turned)
        for (int i = 0; i < 2; i++) d.extent[i] = test_range(s, 2, 150);
    if (path == ZLAY_PATH_MATRIX)
        for (int i = 0; i < 2; i++) d.extent[i] = 8 * test_range(s, 1, 20);
    d.from_align = from_grain > d.elem ? from_grain : d.elem;
    d.to_align = to_grain > d.elem ? to_grain : d.elem;
    drawn_shrink(&d);
    int inner = !turned && path == ZLAY_PATH_THREADS && test_range(s, 0, 4) == 0 ? -1 : 0;
    drawn_strides(s, &d, d.from, inner, drawn_grain(s, d.elem, from_grain));
    drawn_strides(s, &d, d.to, turned ? 1 : inner, drawn_grain(s, d.elem, to_grain));
    drawn_flip(s, &d, d.from, &d.from_offset, inner);
    drawn_flip(s, &d, d.to, &d.to_offset, turned ? 1 : inner);
    if (turned || path == ZLAY_PATH_BULK) return d;
    d.threads = 32 * (uint32_t)test_range(s, 0, 8);
    return d;
}

static zlay_layout *drawn_layout(zlay_ctx *ctx, const drawn *d, int side)
{
    zlay_layout *a = NULL, *b = NULL;
    const int *w = d->swizzle[side];
    if (zlay_layout_new_strided(ctx, &a, (size_t)d->modes, d->extent, side ? d->to : d->from,
                                side ? d->to_offset : d->from_offset))
        return NULL;
    if (!w[0]) return a;
    if (zlay_layout_new_swizzled(ctx, &b, w[0], w[1], w[2], a)) b = NULL;
    zlay_layout_free(a);
    return b;
}

static const char *drawn_text(const drawn *d)
{
    static char text[512];
    int at = snprintf(text, sizeof text,
                      "path %d, %u bytes, threads %u, align %u %u, offsets %lld %lld:",
                      (int)d->path, d->elem, d->threads, d->from_align, d->to_align,
                      (long long)d->from_offset, (long long)d->to_offset);
    for (int i = 0; i < d->modes; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, " %lld: %lld -> %lld;",
                       (long long)d->extent[i], (long long)d->from[i], (long long)d->to[i]);
    return text;
}

/* ---- memory --------------------------------------------------------------------- */

/* The value at an index; several outputs as one integer, the first fastest. */
static int64_t drawn_at(const zlay_layout *a, uint64_t i)
{
    int64_t value[8], flat = 0, step = 1;
    zlay_dim out;
    if (zlay_layout_eval(value, 8, a, i)) abort();
    for (size_t k = 0; k < zlay_layout_out_count(a); k++) {
        flat += value[k] * step;
        if (!zlay_f2_out_nth(&out, a, k)) step *= (int64_t)out.size;
    }
    return flat;
}

/* The bytes of one side from its least offset on, with margins; `first` is offset 0's place. */
typedef struct drawn_memory {
    uint64_t size, first;
    uint8_t *bytes;
} drawn_memory;

static drawn_memory drawn_bytes(uint64_t *s, const zlay_layout *a, uint32_t elem)
{
    int64_t least = 0, greatest = 0, value;
    for (uint64_t i = 0; i < zlay_layout_size(a); i++) {
        value = drawn_at(a, i);
        if (value < least) least = value;
        if (value > greatest) greatest = value;
    }
    drawn_memory m = {0};
    m.first = (uint64_t)-least * elem + DRAWN_MARGIN;
    m.first += (16 - m.first % 16) % 16;
    m.size = m.first + (uint64_t)(greatest + 1) * elem + DRAWN_MARGIN;
    m.size += (16 - m.size % 16) % 16;
    m.bytes = malloc(m.size);
    if (!m.bytes) abort();
    for (uint64_t i = 0; i < m.size; i++) m.bytes[i] = (uint8_t)test_random(s);
    return m;
}

/* What the destination must be: its pattern, and the source's elements by the two layouts. */
static uint8_t *drawn_expected(const drawn_memory *from, const drawn_memory *to,
                               const zlay_layout *source, const zlay_layout *dest, uint32_t elem)
{
    uint8_t *want = malloc(to->size);
    int64_t x, y;
    if (!want) abort();
    memcpy(want, to->bytes, to->size);
    for (uint64_t i = 0; i < zlay_layout_size(source); i++) {
        x = drawn_at(source, i);
        y = drawn_at(dest, i);
        memcpy(want + to->first + (uint64_t)(y * (int64_t)elem),
               from->bytes + from->first + (uint64_t)(x * (int64_t)elem), elem);
    }
    return want;
}

static zlay_transfer_request drawn_request(const drawn *d, const zlay_layout *source,
                                           const zlay_layout *dest)
{
    zlay_transfer_request r = {.size = sizeof r, .elem_bits = d->elem * 8, .source = source,
                               .dest = dest, .path = d->path, .threads = d->threads,
                               .source_align = d->from_align, .dest_align = d->to_align};
    return r;
}

#endif
