/* SPDX-License-Identifier: Apache-2.0 */
/* Random layouts that remember how they were drawn, and a plain reading of that. */
#ifndef TEST_DRAWN_H
#define TEST_DRAWN_H

#include "layouts/layout.h"

enum { MODES = 4, OUTS = 2 };

/* A layout as it was drawn: strided with a swizzle, or bits with one or two outputs, which add by
 * XOR where their size is a power of two and else modulo it. */
typedef struct drawn {
    bool f2;
    int modes, outs;
    int64_t shape[MODES], stride[MODES], offset; /* f2: bits of each input in shape */
    int swizzle[3];
    int64_t basis[MODES * 4][OUTS], out_size[OUTS];
    char text[1024];
} drawn;

static inline int64_t swizzled(const int s[3], int64_t v)
{
    int64_t out = v;
    for (int b = 0; b < s[0]; b++) {
        int from = s[1] + b + (s[2] > 0 ? s[2] : 0), to = s[1] + b - (s[2] < 0 ? s[2] : 0);
        out ^= (v >> from & 1) << to;
    }
    return out;
}

static inline uint64_t size_of(const drawn *d)
{
    uint64_t size = 1;
    for (int i = 0; i < d->modes; i++) size *= d->f2 ? 1u << d->shape[i] : (uint64_t)d->shape[i];
    return size;
}

/* The flat value at any integer; false outside the box of an f2 layout. */
static inline bool value_at(const drawn *d, int64_t index, int64_t *out)
{
    int64_t sum[OUTS] = {0};
    if (d->f2) {
        if (index < 0 || (uint64_t)index >= size_of(d)) return false;
        for (int k = 0; index >> k; k++)
            for (int o = 0; o < d->outs && (index >> k & 1); o++)
                sum[o] = d->out_size[o] & (d->out_size[o] - 1)
                    ? (sum[o] + d->basis[k][o]) % d->out_size[o]
                    : sum[o] ^ d->basis[k][o];
        *out = d->outs > 1 ? sum[0] + d->out_size[0] * sum[1] : sum[0];
        return true;
    }
    int64_t v = d->offset;
    for (int i = 0; i < d->modes; i++) {
        v += (i + 1 < d->modes ? index % d->shape[i] : index) * d->stride[i];
        index /= d->shape[i];
    }
    *out = swizzled(d->swizzle, v);
    return true;
}

static inline void draw_strided(uint64_t *seed, drawn *d, int64_t most)
{
    char *at = d->text;
    bool swizzle = !test_range(seed, 0, 2), minus = !swizzle && !test_range(seed, 0, 2);
    d->modes = (int)test_range(seed, 1, 3);
    for (int i = 0; i < d->modes; i++) {
        d->shape[i] = test_range(seed, 1, most);
        d->stride[i] = test_range(seed, minus ? -6 : 0, 12);
    }
    if (!test_range(seed, 0, 2)) d->offset = test_range(seed, minus ? -9 : 0, 9);
    if (swizzle) {
        d->swizzle[0] = (int)test_range(seed, 1, 2);
        d->swizzle[1] = (int)test_range(seed, 0, 2);
        d->swizzle[2] = (int)test_range(seed, d->swizzle[0], 3);
        if (!test_range(seed, 0, 1)) d->swizzle[2] = -d->swizzle[2];
        at += sprintf(at, "Sw<%d,%d,%d> o ", d->swizzle[0], d->swizzle[1], d->swizzle[2]);
    }
    at += sprintf(at, "%lld o (", (long long)d->offset);
    for (int i = 0; i < d->modes; i++)
        at += sprintf(at, "%s%lld", i ? "," : "", (long long)d->shape[i]);
    at += sprintf(at, "):(");
    for (int i = 0; i < d->modes; i++)
        at += sprintf(at, "%s%lld", i ? "," : "", (long long)d->stride[i]);
    sprintf(at, ")");
}

static inline void draw_f2(uint64_t *seed, drawn *d)
{
    char *at = d->text + sprintf(d->text, "f2{");
    int k = 0;
    d->f2 = true;
    d->modes = (int)test_range(seed, 1, 3);
    d->outs = (int)test_range(seed, 1, OUTS);
    for (int o = 0; o < d->outs; o++)
        d->out_size[o] = test_range(seed, 0, 1) ? (int64_t)1 << test_range(seed, 1, 3)
                                                : test_range(seed, 2, 12);
    for (int i = 0; i < d->modes; i++) {
        d->shape[i] = test_range(seed, 0, 2);
        at += sprintf(at, "%si%d:", i ? "; " : "", i);
        for (int b = 0; b < d->shape[i]; b++, k++) {
            at += sprintf(at, " (");
            for (int o = 0; o < d->outs; o++) {
                d->basis[k][o] = test_range(seed, 0, d->out_size[o] - 1);
                at += sprintf(at, "%s%lld", o ? "," : "", (long long)d->basis[k][o]);
            }
            at += sprintf(at, ")");
        }
    }
    at += sprintf(at, " ->");
    for (int o = 0; o < d->outs; o++)
        at += sprintf(at, "%s o%d: %lld", o ? "," : "", o, (long long)d->out_size[o]);
    sprintf(at, "}");
}

static inline zlay_layout *draw(zlay_ctx *ctx, uint64_t *seed, drawn *d, int64_t most)
{
    memset(d, 0, sizeof *d);
    d->outs = 1;
    if (test_range(seed, 0, 2)) draw_strided(seed, d, most);
    else draw_f2(seed, d);
    return read_layout(ctx, d->text);
}

/* The flat value of a result, whose outputs have the sizes of `of`; false where undefined. */
static inline bool result_at(const zlay_layout *c, const drawn *of, uint64_t index, int64_t *out)
{
    int64_t v[8];
    zlay_status status = zlay_layout_eval(v, 8, c, index);
    if (status == ZLAY_NONE) return false;
    assert_int_equal(status, ZLAY_OK);
    *out = zlay_layout_out_count(c) > 1 ? v[0] + of->out_size[0] * v[1] : v[0];
    return true;
}

static inline void differ(const char *what, const char *a, const char *b, const zlay_layout *c,
                   uint64_t index)
{
    char text[16384];
    zlay_buf buf = {text, sizeof text, 0};
    zlay_layout_print(&buf, c);
    fail_msg("%s %s | %s is %s, wrong at %llu", what, a, b, text, (unsigned long long)index);
}

#endif
