/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind composed with every kind, lifted, flipped, sliced, padded and concatenated: the result
 * at every point against a plain reading of how the arguments were written. */
#include "layouts/drawn.h"

#include <zlay/pieces.h>

/* ---- composition ------------------------------------------------------------------------- */

/* The least x whose value leaves a; size where none does. */
static uint64_t first_leaving(const drawn *a, const drawn *b)
{
    int64_t v, w;
    uint64_t x = 0, size = size_of(b);
    while (x < size && value_at(b, (int64_t)x, &v) && value_at(a, v, &w)) x++;
    return x;
}

static void check_compose(zlay_ctx *ctx, const drawn *a, const drawn *b, zlay_status status,
                          const zlay_layout *c, bool partial)
{
    uint64_t leaves = first_leaving(a, b);
    int64_t v, want = 0, got = 0;
    if (!partial && leaves < size_of(b)) {
        char word[32];
        sprintf(word, "index %llu:", (unsigned long long)leaves);
        if (status != ZLAY_NONE || !strstr(zlay_ctx_message(ctx), word))
            fail_msg("%s o %s: %d, %s", a->text, b->text, status, zlay_ctx_message(ctx));
        return;
    }
    if (status) fail_msg("%s o %s: %d, %s", a->text, b->text, status, zlay_ctx_message(ctx));
    assert_int_equal(zlay_layout_size(c), size_of(b));
    for (uint64_t x = 0; x < size_of(b); x++) {
        value_at(b, (int64_t)x, &v);
        bool there = value_at(a, v, &want);
        if (result_at(c, a, x, &got) != there || (there && got != want))
            differ("compose", a->text, b->text, c, x);
    }
}

/* Pieces with two outputs are the coordinate of an a of two dimensions, which makes a difference
 * where their sizes are not a's extents: tested apart. */
static bool by_tuple(const drawn *a, const drawn *b)
{
    return b->outs > 1 && a->modes == 2 &&
           b->out_size[0] != (a->f2 ? (int64_t)1 << a->shape[0] : a->shape[0]);
}

static void compositions(void **state)
{
    uint64_t seed = test_seed("compose"), kinds[8] = {0};
    for (uint64_t n = 0; n < test_iterations(20000); n++) {
        drawn a, b;
        bool partial = test_range(&seed, 0, 1);
        zlay_layout *p = draw(*state, &seed, &a, 9), *q = draw(*state, &seed, &b, 6), *c = NULL;
        zlay_status status = partial ? zlay_layout_compose_partial(*state, &c, p, q)
                                     : zlay_layout_compose(*state, &c, p, q);
        check_compose(*state, &a, &b, status, c, partial);
        kinds[zlay_layout_kind(c)]++;
        zlay_layout_free(c);
        zlay_layout_free(q);
        zlay_layout_free(p);
    }
    assert_true(kinds[ZLAY_LAYOUT_STRIDED] > 500 && kinds[ZLAY_LAYOUT_F2] > 100);
    assert_true(kinds[ZLAY_LAYOUT_PIECES] > 500);
}

/* A lift is the same function, and so is what is composed with a lift. */
static void lifts(void **state)
{
    uint64_t seed = test_seed("lift");
    for (uint64_t n = 0; n < test_iterations(5000); n++) {
        drawn a, b;
        int64_t want = 0, got = 0;
        zlay_layout *p = draw(*state, &seed, &a, 9), *q = draw(*state, &seed, &b, 6);
        zlay_layout *up = NULL, *low = NULL, *c = NULL;
        assert_int_equal(zlay_layout_lift(*state, &up, p), ZLAY_OK);
        assert_int_equal(zlay_layout_lift(*state, &low, q), ZLAY_OK);
        assert_int_equal(zlay_layout_kind(up), ZLAY_LAYOUT_PIECES);
        for (uint64_t x = 0; x < size_of(&a); x++) {
            value_at(&a, (int64_t)x, &want);
            if (!result_at(up, &a, x, &got) || got != want) differ("lift", a.text, "", up, x);
        }
        if (!by_tuple(&a, &b)) {
            zlay_status status = zlay_layout_compose(*state, &c, p, low);
            check_compose(*state, &a, &b, status, c, false);
        }
        zlay_layout_free(c);
        zlay_layout_free(low);
        zlay_layout_free(up);
        zlay_layout_free(q);
        zlay_layout_free(p);
    }
}

/* ---- along a mode ---------------------------------------------------------------------------- */

static int64_t extent_of(const drawn *a, int mode)
{
    return a->f2 ? (int64_t)1 << a->shape[mode] : a->shape[mode];
}

/* The index in a's box of a coordinate whose entry `mode` is c; of the box with another extent. */
static int64_t moved(const drawn *a, int mode, int64_t extent, int64_t index, int64_t *c)
{
    int64_t low = 1, rest;
    for (int i = 0; i < mode; i++) low *= extent_of(a, i);
    rest = index / low;
    *c = rest % extent;
    return index % low + low * extent_of(a, mode) * (rest / extent);
}

static int64_t at_moved(const drawn *a, int mode, int64_t base, int64_t c, int64_t *value)
{
    for (int i = 0; i < mode; i++) c *= extent_of(a, i);
    return value_at(a, base + c, value);
}

typedef struct change {
    int kind; /* flip, slice, pad */
    zlay_slice slice;
    zlay_pad pad;
    int64_t extent; /* of the result */
} change;

enum { FLIP, SLICE, PAD };

static change draw_change(uint64_t *seed, const drawn *a, int mode)
{
    change c = {.kind = (int)test_range(seed, 0, 2)};
    int64_t extent = extent_of(a, mode), begin, count, step;
    c.extent = extent;
    if (c.kind == SLICE) {
        begin = test_range(seed, 0, extent - 1);
        step = test_range(seed, 1, 3) * (test_range(seed, 0, 1) ? 1 : -1);
        int64_t end = step > 0 ? test_range(seed, begin + 1, extent) : test_range(seed, -1, begin - 1);
        count = step > 0 ? (end - begin + step - 1) / step : (begin - end - step - 1) / -step;
        c.slice = (zlay_slice){(uint64_t)mode, begin, end, step};
        c.extent = count;
    } else if (c.kind == PAD) {
        c.pad = (zlay_pad){(uint64_t)mode, (uint64_t)test_range(seed, 0, 3),
                           (uint64_t)test_range(seed, 0, 3), (int32_t)test_range(seed, 0, 2), 0};
        c.extent = extent + (int64_t)(c.pad.before + c.pad.after);
    }
    return c;
}

/* What a coordinate of the result was; false: no value there, or 0 when zero is set. */
static bool old_coordinate(const change *c, int64_t extent, int64_t new, int64_t *old, bool *zero)
{
    *zero = false;
    *old = c->kind == FLIP ? extent - 1 - new : c->slice.begin + c->slice.step * new;
    if (c->kind != PAD) return true;
    *old = new - (int64_t)c->pad.before;
    if (*old >= 0 && *old < extent) return true;
    *zero = c->pad.fill == ZLAY_PAD_ZERO;
    *old = ((*old % extent) + extent) % extent;
    return c->pad.fill != ZLAY_PAD_UNDEFINED;
}

static zlay_status apply(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const change *c,
                         int mode)
{
    if (c->kind == FLIP) return zlay_layout_flip(ctx, out, a, (size_t)mode);
    if (c->kind == SLICE) return zlay_layout_slice(ctx, out, a, &c->slice);
    return zlay_layout_pad(ctx, out, a, &c->pad);
}

static void check_change(const drawn *a, int mode, const change *c, const zlay_layout *made)
{
    static const char *const names[] = {"flip", "slice", "pad"};
    uint64_t size = size_of(a) / (uint64_t)extent_of(a, mode) * (uint64_t)c->extent;
    assert_int_equal(zlay_layout_size(made), size);
    for (uint64_t x = 0; x < size; x++) {
        int64_t coordinate, old, want = 0, got = 0;
        bool zero;
        int64_t base = moved(a, mode, c->extent, (int64_t)x, &coordinate);
        bool there = old_coordinate(c, extent_of(a, mode), coordinate, &old, &zero);
        if (there) at_moved(a, mode, base, old, &want);
        if (zero) want = 0;
        if (result_at(made, a, x, &got) != there || (there && got != want))
            differ(names[c->kind], a->text, "", made, x);
    }
}

static void changes(void **state)
{
    uint64_t seed = test_seed("flip, slice, pad"), kinds[8] = {0};
    for (uint64_t n = 0; n < test_iterations(20000); n++) {
        drawn a;
        zlay_layout *p = draw(*state, &seed, &a, 9), *up = NULL, *made = NULL, *again = NULL;
        int mode = (int)test_range(&seed, 0, a.modes - 1);
        change c = draw_change(&seed, &a, mode);
        zlay_status status = apply(*state, &made, p, &c, mode);
        if (status) fail_msg("%s: %s", a.text, zlay_ctx_message(*state));
        check_change(&a, mode, &c, made);
        assert_int_equal(zlay_layout_lift(*state, &up, p), ZLAY_OK);
        assert_int_equal(apply(*state, &again, up, &c, mode), ZLAY_OK);
        check_change(&a, mode, &c, again);
        kinds[zlay_layout_kind(made)]++;
        zlay_layout_free(again);
        zlay_layout_free(up);
        zlay_layout_free(made);
        zlay_layout_free(p);
    }
    assert_true(kinds[ZLAY_LAYOUT_STRIDED] > 1000 && kinds[ZLAY_LAYOUT_PIECES] > 1000);
    assert_true(kinds[ZLAY_LAYOUT_SWIZZLED] > 100 && kinds[ZLAY_LAYOUT_F2] > 100);
}

/* ---- concatenation ------------------------------------------------------------------------------ */

static void concatenations(void **state)
{
    uint64_t seed = test_seed("concat"), done = 0;
    for (uint64_t n = 0; n < test_iterations(20000); n++) {
        drawn a, b;
        zlay_layout *p = draw(*state, &seed, &a, 3), *q = draw(*state, &seed, &b, 3), *c = NULL;
        int mode = (int)test_range(&seed, 0, a.modes - 1);
        bool fits = a.modes == b.modes && a.outs == b.outs;
        for (int i = 0; i < a.modes && fits; i++)
            fits = i == mode || extent_of(&a, i) == extent_of(&b, i);
        zlay_status status = zlay_layout_concat(*state, &c, p, q, (size_t)mode);
        assert_int_equal(status, fits ? ZLAY_OK : ZLAY_EINVAL);
        int64_t first = extent_of(&a, mode), all = first + (fits ? extent_of(&b, mode) : 0);
        for (uint64_t x = 0; fits && x < zlay_layout_size(c); x++) {
            int64_t at, want[2] = {0}, got[2] = {0}, flat = 0;
            int64_t base = moved(&a, mode, all, (int64_t)x, &at);
            const drawn *from = at < first ? &a : &b;
            if (from == &b) base = moved(&b, mode, all, (int64_t)x, &at);
            at_moved(from, mode, base, at < first ? at : at - first, &flat);
            want[0] = from->outs > 1 ? flat % from->out_size[0] : flat;
            want[1] = from->outs > 1 ? flat / from->out_size[0] : 0;
            assert_int_equal(zlay_layout_eval(got, 2, c, x), ZLAY_OK);
            if (got[0] != want[0] || got[1] != want[1]) differ("concat", a.text, b.text, c, x);
        }
        done += fits;
        zlay_layout_free(c);
        zlay_layout_free(q);
        zlay_layout_free(p);
    }
    assert_true(done > test_iterations(500));
}

/* ---- by coordinate ------------------------------------------------------------------------------ */

/* a at a coordinate: each of two modes goes on by itself where a is strided. */
static bool at_pair(const drawn *a, int64_t x, int64_t y, int64_t *out)
{
    if (!a->f2) {
        *out = swizzled(a->swizzle, a->offset + x * a->stride[0] + y * a->stride[1]);
        return true;
    }
    return x < extent_of(a, 0) && value_at(a, x + extent_of(a, 0) * y, out);
}

/* b's two outputs are a's two coordinates, whatever the sizes are. */
static void tuples(void **state)
{
    uint64_t seed = test_seed("by coordinate"), done = 0;
    for (uint64_t n = 0; n < test_iterations(30000); n++) {
        drawn a, b;
        zlay_layout *p = draw(*state, &seed, &a, 6), *q = draw(*state, &seed, &b, 6), *c = NULL;
        zlay_layout *up = NULL;
        if (by_tuple(&a, &b)) {
            assert_int_equal(zlay_layout_lift(*state, &up, q), ZLAY_OK);
            zlay_status status = zlay_layout_compose_partial(*state, &c, p, up);
            if (status) fail_msg("%s o %s: %s", a.text, b.text, zlay_ctx_message(*state));
            for (uint64_t x = 0; x < size_of(&b); x++) {
                int64_t v = 0, want = 0, got = 0;
                value_at(&b, (int64_t)x, &v);
                bool there = at_pair(&a, v % b.out_size[0], v / b.out_size[0], &want);
                if (result_at(c, &a, x, &got) != there || (there && got != want))
                    differ("by coordinate", a.text, b.text, c, x);
            }
            done++;
        }
        zlay_layout_free(up);
        zlay_layout_free(c);
        zlay_layout_free(q);
        zlay_layout_free(p);
    }
    assert_true(done > test_iterations(500));
}

/* ---- restriction and union -------------------------------------------------------------------- */

typedef struct condition {
    int64_t factor[MODES], least, modulus, rest;
    bool or;
} condition;

static bool holds(const condition *k, const drawn *a, uint64_t index)
{
    int64_t sum = 0, first = 0;
    for (int i = 0; i < a->modes; i++) {
        int64_t x = (int64_t)(index % (uint64_t)extent_of(a, i));
        sum += k->factor[i] * x;
        if (!i) first = x;
        index /= (uint64_t)extent_of(a, i);
    }
    bool below = sum <= k->least, even = first % k->modulus == k->rest;
    return k->or ? below || even : below && even;
}

static condition draw_condition(uint64_t *seed, const drawn *a, char *text)
{
    condition k = {.least = test_range(seed, -2, 12), .modulus = test_range(seed, 1, 3),
                   .or = test_range(seed, 0, 1)};
    char *to = text;
    k.rest = test_range(seed, 0, k.modulus - 1);
    for (int i = 0; i < a->modes; i++) {
        k.factor[i] = test_range(seed, -2, 3);
        to += sprintf(to, "%s%lld x%d", i ? " + " : "", (long long)k.factor[i], i);
    }
    sprintf(to, " <= %lld %s x0 mod %lld = %lld", (long long)k.least, k.or ? "or" : "and",
            (long long)k.modulus, (long long)k.rest);
    return k;
}

static void check_part(const zlay_layout *made, const drawn *a, const condition *k, bool rest)
{
    for (uint64_t x = 0; x < size_of(a); x++) {
        int64_t want = 0, got = 0;
        bool there = k ? holds(k, a, x) != rest : true;
        value_at(a, (int64_t)x, &want);
        if (result_at(made, a, x, &got) != there || (there && got != want))
            differ("restrict", a->text, k ? "part" : "whole", made, x);
    }
}

/* A layout where a condition holds, and where it does not, and the two together again. */
static void restrictions(void **state)
{
    uint64_t seed = test_seed("restrict, union");
    for (uint64_t n = 0; n < test_iterations(3000); n++) {
        drawn a;
        char text[300], other[310];
        zlay_layout *p = draw(*state, &seed, &a, 5), *part = NULL, *rest = NULL, *both = NULL;
        condition k = draw_condition(&seed, &a, text);
        sprintf(other, "not (%s)", text);
        if (zlay_layout_restrict(*state, &part, p, text, strlen(text)) ||
            zlay_layout_restrict(*state, &rest, p, other, strlen(other)) ||
            zlay_layout_union(*state, &both, part, rest))
            fail_msg("%s, %s: %s", a.text, text, zlay_ctx_message(*state));
        check_part(part, &a, &k, false);
        check_part(rest, &a, &k, true);
        check_part(both, &a, NULL, false);
        assert_int_equal(zlay_layout_size(both), size_of(&a));
        zlay_layout_free(both);
        zlay_layout_free(rest);
        zlay_layout_free(part);
        zlay_layout_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compositions), cmocka_unit_test(lifts), cmocka_unit_test(changes),
        cmocka_unit_test(concatenations), cmocka_unit_test(tuples), cmocka_unit_test(restrictions),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
