/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions against plain enumeration: the values of a layout written out, and what follows of them. */
#ifndef TEST_DECIDE_H
#define TEST_DECIDE_H

#include "layouts/layout.h"

#include <zlay/decide.h>

enum { POINTS_MOST = 4096, OUTS_MOST = 4, NOWHERE = INT32_MIN };

/* A tuple a point, its first entry NOWHERE where the layout is undefined. */
typedef struct image {
    int size, outs;
    int64_t out_size[OUTS_MOST]; /* 0: none */
    int64_t at[POINTS_MOST][OUTS_MOST];
} image;

static inline void image_of(image *im, const zlay_layout *a, int outs, const int64_t *out_size)
{
    im->size = (int)zlay_layout_size(a);
    im->outs = outs;
    assert_true(im->size <= POINTS_MOST);
    assert_int_equal(zlay_layout_out_count(a), outs);
    for (int d = 0; d < outs; d++) im->out_size[d] = out_size ? out_size[d] : 0;
    for (int i = 0; i < im->size; i++) {
        zlay_status status = zlay_layout_eval(im->at[i], OUTS_MOST, a, (uint64_t)i);
        if (status == ZLAY_NONE) im->at[i][0] = NOWHERE;
        else assert_int_equal(status, ZLAY_OK);
    }
}

static inline bool is_there(const image *im, int i) { return im->at[i][0] != NOWHERE; }

static inline int64_t flat(const int64_t *tuple, const int64_t *sizes, int outs)
{
    int64_t value = tuple[outs - 1];
    for (int d = outs - 1; d-- > 0;) value = value * sizes[d] + tuple[d];
    return value;
}

/* One side of one output: integers; else tuples of one length. */
static inline bool same(const image *a, int i, const image *b, int j)
{
    if (!is_there(a, i) || !is_there(b, j)) return is_there(a, i) == is_there(b, j);
    if (a->outs > 1 && b->outs > 1) {
        if (a->outs != b->outs) return false;
        for (int d = 0; d < a->outs; d++)
            if (a->at[i][d] != b->at[j][d]) return false;
        return true;
    }
    return flat(a->at[i], a->out_size, a->outs) == flat(b->at[j], b->out_size, b->outs);
}

/* ---- what is asked ------------------------------------------------------------------- */

static inline int64_t defined(const image *im)
{
    int64_t count = 0;
    for (int i = 0; i < im->size; i++) count += is_there(im, i);
    return count;
}

static inline bool plain_injective(const image *im)
{
    for (int j = 1; j < im->size; j++)
        for (int i = 0; i < j && is_there(im, j); i++)
            if (is_there(im, i) && same(im, i, im, j)) return false;
    return true;
}

/* The least index of the box that no value has; -1: all are reached. */
static inline int64_t plain_missed(const image *im, const int64_t *onto, int count)
{
    static bool seen[1 << 16];
    int64_t points = 1;
    for (int d = 0; d < count; d++) points *= onto[d];
    assert_true(points <= 1 << 16);
    memset(seen, 0, (size_t)points);
    for (int i = 0; i < im->size; i++) {
        int64_t at;
        bool inside = is_there(im, i);
        if (count == 1 || im->outs == 1) at = inside ? flat(im->at[i], im->out_size, im->outs) : -1;
        else {
            for (int d = 0; d < count && inside; d++)
                inside = im->at[i][d] >= 0 && im->at[i][d] < onto[d];
            at = inside ? flat(im->at[i], onto, count) : -1;
        }
        if (inside && at >= 0 && at < points) seen[at] = true;
    }
    for (int64_t v = 0; v < points; v++)
        if (!seen[v]) return v;
    return -1;
}

static inline bool plain_holds(const image *b, const image *a, int i)
{
    for (int j = 0; j < b->size; j++)
        if (is_there(b, j) && same(a, i, b, j)) return true;
    return false;
}

/* ---- checks ------------------------------------------------------------------------------- */

static inline _Noreturn void wrong(const char *what, const zlay_layout *a, const zlay_layout *b)
{
    char text[1024], other[1024] = "";
    if (b) layout_text(other, b);
    fail_msg("%s: %s%s%s", what, layout_text(text, a), b ? " and " : "", other);
    abort();
}

static inline void check_injective(zlay_ctx *ctx, const zlay_layout *a, const image *im)
{
    uint64_t w[2];
    zlay_answer answer;
    bool right = plain_injective(im);
    assert_int_equal(zlay_layout_is_injective(ctx, &answer, w, a), ZLAY_OK);
    if (answer != (right ? ZLAY_YES : ZLAY_NO)) wrong("is_injective", a, NULL);
    if (right) return;
    if (w[0] >= w[1] || w[1] >= (uint64_t)im->size || !is_there(im, (int)w[0]) ||
        !same(im, (int)w[0], im, (int)w[1]))
        wrong("is_injective: witness", a, NULL);
}

static inline void check_surjective(zlay_ctx *ctx, const zlay_layout *a, const image *im,
                                    const int64_t *onto, int count)
{
    uint64_t missed, sizes[OUTS_MOST];
    zlay_answer answer;
    int64_t expected = plain_missed(im, onto, count);
    for (int d = 0; d < count; d++) sizes[d] = (uint64_t)onto[d];
    assert_int_equal(zlay_layout_is_surjective(ctx, &answer, &missed, a, sizes, (size_t)count),
                     ZLAY_OK);
    if (answer != (expected < 0 ? ZLAY_YES : ZLAY_NO)) wrong("is_surjective", a, NULL);
    if (expected >= 0 && missed != (uint64_t)expected) wrong("is_surjective: missed", a, NULL);
}

static inline void check_bijective(zlay_ctx *ctx, const zlay_layout *a, const image *im)
{
    zlay_fault f;
    zlay_answer answer;
    int64_t onto = defined(im);
    bool boxed = im->out_size[0] != 0, injective = plain_injective(im);
    int64_t missed = boxed ? plain_missed(im, im->out_size, im->outs)
        : onto ? plain_missed(im, &onto, 1) : -1;
    assert_int_equal(zlay_layout_is_bijective(ctx, &answer, &f, a), ZLAY_OK);
    if (answer != (injective && missed < 0 ? ZLAY_YES : ZLAY_NO)) wrong("is_bijective", a, NULL);
    if (answer == ZLAY_YES) return;
    if (f.fault == ZLAY_FAULT_MISSED) {
        if (f.i || f.j || f.missed != (uint64_t)missed) wrong("is_bijective: missed", a, NULL);
    } else {
        assert_int_equal(f.fault, ZLAY_FAULT_COLLISION);
        if (f.i >= f.j || f.j >= (uint64_t)im->size || !is_there(im, (int)f.i) ||
            !same(im, (int)f.i, im, (int)f.j))
            wrong("is_bijective: collision", a, NULL);
    }
}

static inline void check_contained(zlay_ctx *ctx, const zlay_layout *a, const image *x,
                                   const zlay_layout *b, const image *y)
{
    uint64_t w;
    zlay_answer answer;
    int first = 0;
    while (first < x->size && (!is_there(x, first) || plain_holds(y, x, first))) first++;
    bool right = first == x->size;
    assert_int_equal(zlay_layout_contained(ctx, &answer, &w, a, b), ZLAY_OK);
    if (answer != (right ? ZLAY_YES : ZLAY_NO)) wrong("contained", a, b);
    if (right) return;
    if (w != (uint64_t)first) wrong("contained: the least witness", a, b);
}

static inline void check_equal(zlay_ctx *ctx, const zlay_layout *a, const image *x,
                               const zlay_layout *b, const image *y)
{
    zlay_witness w;
    zlay_answer answer;
    int first = 0;
    if (x->size == y->size)
        while (first < x->size && same(x, first, y, first)) first++;
    assert_int_equal(zlay_layout_equal(ctx, &answer, &w, a, b), ZLAY_OK);
    bool right = x->size == y->size && first == x->size;
    if (answer != (right ? ZLAY_YES : ZLAY_NO)) wrong("equal", a, b);
    if (right) return;
    if (w.size_a != (uint64_t)x->size || w.size_b != (uint64_t)y->size) wrong("equal: sizes", a, b);
    if (w.index != (uint64_t)first) wrong("equal: the first difference", a, b);
    if (x->size != y->size) return;
    if (w.has_a != is_there(x, first) || w.has_b != is_there(y, first))
        wrong("equal: undefined", a, b);
    if (w.has_a && w.a != flat(x->at[first], x->out_size, x->outs)) wrong("equal: a", a, b);
    if (w.has_b && w.b != flat(y->at[first], y->out_size, y->outs)) wrong("equal: b", a, b);
}

#endif
