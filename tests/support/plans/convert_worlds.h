/* SPDX-License-Identifier: Apache-2.0 */
/* Random distributed layouts over F2, and plans of their conversions. */
#ifndef TEST_CONVERT_WORLDS_H
#define TEST_CONVERT_WORLDS_H

#include "plans/convert.h"
#include "ctx.h"

static inline zlay_convert *plan_of(zlay_ctx *ctx, const char *target, uint32_t bits,
                                    const zlay_layout *src, const zlay_layout *dst)
{
    zlay_convert_request r = {.size = sizeof r, .elem_bits = bits, .src = src, .dst = dst};
    zlay_convert *plan;
    zlay_status status = zlay_convert_synth(ctx, &plan, target_of(target), &r);
    char text[2][4096];
    zlay_buf buf[2] = {{text[0], sizeof text[0], 0}, {text[1], sizeof text[1], 0}};
    zlay_layout_print(&buf[0], src);
    zlay_layout_print(&buf[1], dst);
    if (status)
        fail_msg("%s, %u bits, %s to %s: %s: %s", target, bits, text[0], text[1],
                 zlay_status_name(status), zlay_ctx_message(ctx));
    return plan;
}

typedef struct world {
    unsigned bits[LEVELS];
    unsigned tensor;
} world;

static inline zlay_layout *layout_of(zlay_ctx *ctx, const world *w, const uint64_t *column)
{
    zlay_dim in[LEVELS], out[2];
    uint64_t basis[128];
    zlay_layout *a = NULL;
    unsigned bits = 0, cut = w->tensor / 2;
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    for (int l = 0; l < LEVELS; l++) {
        strcpy(in[l].name, level_names[l]);
        in[l].size = (uint64_t)1 << w->bits[l];
        bits += w->bits[l];
    }
    strcpy(out[0].name, "dim0");
    strcpy(out[1].name, "dim1");
    out[0].size = (uint64_t)1 << cut;
    out[1].size = (uint64_t)1 << (w->tensor - cut);
    for (unsigned k = 0; k < bits; k++) {
        basis[2 * k] = column[k] & (out[0].size - 1);
        basis[2 * k + 1] = column[k] >> cut;
    }
    zlay_f2_bases b = {sizeof b, 0, LEVELS, 2, in, out, basis};
    if (zlay_f2_new(ctx, &a, &b)) fail_msg("%s", zlay_ctx_message(ctx));
    return a;
}

static inline unsigned bits_of(const world *w)
{
    return w->bits[0] + w->bits[1] + w->bits[2] + w->bits[3];
}

static inline void shuffle(uint64_t *seed, uint64_t *column, unsigned count)
{
    for (unsigned i = count; i > 1; i--) {
        unsigned j = (unsigned)test_range(seed, 0, i - 1);
        uint64_t was = column[i - 1];
        column[i - 1] = column[j];
        column[j] = was;
    }
}

enum { PERMUTATION, INVERTIBLE, ONTO, ANY };

/* Columns of a map of `count` bits into `tensor` bits: a permutation, invertible, onto with copies,
 * or anything. */
static inline void draw(uint64_t *seed, uint64_t *column, unsigned count, unsigned tensor, int how)
{
    uint64_t mask = ((uint64_t)1 << tensor) - 1;
    for (unsigned k = 0; k < count; k++)
        column[k] = k < tensor ? (uint64_t)1 << k : test_random(seed) & mask;
    if (how == ONTO)
        for (unsigned k = tensor; k < count; k++)
            if (test_range(seed, 0, 1)) column[k] = 0;
    if (how == ANY)
        for (unsigned k = 0; k < count; k++)
            column[k] = test_range(seed, 0, 3) ? (uint64_t)1 << test_range(seed, 0, tensor - 1)
                                               : test_random(seed) & mask;
    if (how == INVERTIBLE || (how == ONTO && test_range(seed, 0, 1)))
        for (unsigned i = 0; i < 4 * count; i++) {
            unsigned a = (unsigned)test_range(seed, 0, count - 1);
            unsigned b = (unsigned)test_range(seed, 0, count - 1);
            if (a != b) column[a] ^= column[b];
        }
    shuffle(seed, column, count);
}

/* Keep what is above a level where it is, so that lower levels come up too. */
static inline void keep_above(uint64_t *seed, const world *w, const uint64_t *src, uint64_t *dst)
{
    int level = (int)test_range(seed, 0, 5);
    unsigned low = 0;
    if (level > 3) return;
    for (int l = 0; l <= level; l++) low += w->bits[l];
    memcpy(dst, src, bits_of(w) * sizeof *dst);
    if (test_range(seed, 0, 1)) shuffle(seed, dst, low);
    else
        for (unsigned i = 0; low && i < 3 * low; i++) {
            unsigned a = (unsigned)test_range(seed, 0, low - 1);
            unsigned b = (unsigned)test_range(seed, 0, low - 1);
            if (a != b) dst[a] ^= dst[b];
        }
}

/* A matrix of 4 rows of 28 along the warps, and along the registers: its rows end inside a warp, so
 * that no padding, skew or swizzle serves both; by colouring each access takes one wavefront. */
#define WRAPPED_SRC                                                                                \
    "{ [r,l,w] -> [4l + 17w - 111*floor((l + 4w)/28)] : 0 <= r < 1 and 0 <= l < 32 and "            \
    "0 <= w < 4 and l + 32w < 112 }"
#define WRAPPED_DST                                                                                \
    "{ [r,l,w] -> [17r + 4l - 111*floor((4r + l)/28)] : 0 <= r < 4 and 0 <= l < 32 and "            \
    "0 <= w < 1 and l + 32r < 112 }"

/* The plan does on the machine what it says; all three are given back. */
static inline void run_once(zlay_ctx *ctx, const char *target, uint32_t bits, zlay_convert *plan,
                            zlay_layout *src, zlay_layout *dst)
{
    machine m;
    machine_begin(&m, target_of(target), bits);
    run_plan(&m, ctx, plan, src, dst);
    machine_end(&m);
    zlay_convert_free(plan);
    zlay_layout_free(src);
    zlay_layout_free(dst);
}

#endif
