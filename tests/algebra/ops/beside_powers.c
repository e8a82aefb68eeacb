/* SPDX-License-Identifier: Apache-2.0 */
/* Compositions, divisions and right inverses of swizzled layouts whose extents are powers of two or lie beside them: values
 * by arithmetic of the test's own, and no pieces where a recogniser of the test's own finds a strided, swizzled or linear
 * form.  Large ones are done within a small limits.work, so that no step of them goes through all points. */
#include "layouts/layout.h"

enum { MODES = 2, SEEN_MOST = 4096, SAMPLES = 400, CASES = 1500, SMALL_WORK = 400000 };

typedef struct drawn {
    int64_t shape[MODES], stride[MODES], size;
    int bits, base, shift;
    char text[128];
} drawn;

static int64_t swizzled(int64_t v, int bits, int base, int shift)
{
    uint64_t mask = ((uint64_t)1 << bits) - 1, u = (uint64_t)v;
    if (shift >= 0) return (int64_t)(u ^ (u >> (base + shift) & mask) << base);
    return (int64_t)(u ^ (u >> base & mask) << (base - shift));
}

/* The last mode goes on past its extent. */
static int64_t value_at(const drawn *d, int64_t index)
{
    int64_t v = index % d->shape[0] * d->stride[0] + index / d->shape[0] * d->stride[1];
    return swizzled(v, d->bits, d->base, d->shift);
}

static int64_t extent(uint64_t *seed, int most)
{
    int64_t power = (int64_t)1 << test_range(seed, 2, most);
    return test_range(seed, 0, 5) ? power + test_range(seed, -1, 1) : 3 * power;
}

static void put_text(drawn *d)
{
    char *at = d->text;
    d->size = d->shape[0] * d->shape[1];
    if (d->bits) at += sprintf(at, "Sw<%d,%d,%d> o 0 o ", d->bits, d->base, d->shift);
    sprintf(at, "(%lld,%lld):(%lld,%lld)", (long long)d->shape[0], (long long)d->shape[1], (long long)d->stride[0],
            (long long)d->stride[1]);
}

static void draw(drawn *d, uint64_t *seed, int most)
{
    bool rows = test_range(seed, 0, 2);
    int64_t gap = test_range(seed, 0, 3) ? 0 : test_range(seed, 0, 4);
    d->shape[0] = extent(seed, most);
    d->shape[1] = extent(seed, most);
    d->stride[0] = rows ? d->shape[1] + gap : 1;
    d->stride[1] = rows ? 1 : d->shape[0] + gap;
    d->bits = test_range(seed, 0, 4) ? (int)test_range(seed, 1, 3) : 0;
    d->base = (int)test_range(seed, 0, 4);
    d->shift = (int)(d->bits + test_range(seed, 0, 2)) * (test_range(seed, 0, 3) ? 1 : -1);
    put_text(d);
}

/* ---- a result on a box of at most two modes ------------------------------------------------------------------------ */

static int64_t seen[SEEN_MOST];

/* A line of values is strided where its first run of equal steps divides it, and so on above that run. */
static bool line_is_strided(const int64_t *v, int64_t step, int64_t count)
{
    while (count > 1) {
        int64_t run = 2;
        while (run < count && v[run * step] - v[(run - 1) * step] == v[step] - v[0]) run++;
        if (count % run) return false;
        for (int64_t i = 0; i < count; i++)
            if (v[i * step] - v[i / run * run * step] != v[i % run * step] - v[0]) return false;
        step *= run;
        count /= run;
    }
    return true;
}

static bool is_strided(const int64_t *v, const int64_t *box)
{
    for (int64_t i = 0; i < box[0] * box[1]; i++)
        if (v[i] - v[i / box[0] * box[0]] != v[i % box[0]] - v[0]) return false;
    return line_is_strided(v, 1, box[0]) && line_is_strided(v, box[0], box[1]);
}

static bool is_swizzled(const int64_t *box)
{
    static int64_t v[SEEN_MOST];
    for (int bits = 1; bits <= 7; bits++)
        for (int shift = -14; shift <= 14; shift++)
            for (int base = 0; base + bits + abs(shift) <= 16; base++) {
                if (abs(shift) < bits) continue;
                for (int64_t i = 0; i < box[0] * box[1]; i++) v[i] = swizzled(seen[i], bits, base, shift);
                if (v[1] - v[0] == v[box[0] - 1] - v[box[0] - 2] && is_strided(v, box)) return true;
            }
    return false;
}

static bool is_linear(int64_t size)
{
    if (size & (size - 1)) return false;
    for (int64_t i = 1; i < size; i++)
        if (seen[i] < 0 || seen[i] != (seen[i & (i - 1)] ^ seen[i & -i])) return false;
    return !seen[0];
}

static void check_form(const zlay_layout *made, const int64_t *box, const char *why, const char *a, const char *b)
{
    int64_t size = box[0] * box[1];
    if (size > SEEN_MOST || zlay_layout_kind(made) != ZLAY_LAYOUT_PIECES) return;
    for (int64_t i = 0; i < size; i++) seen[i] = layout_at(made, (uint64_t)i);
    if (is_strided(seen, box) || is_linear(size) || (box[0] > 2 && is_swizzled(box)))
        fail_msg("%s of %s and %s is pieces, and has a cheaper form", why, a, b);
}

/* All indices of a small box, random ones of a large one. */
static uint64_t index_of(uint64_t n, uint64_t size, uint64_t *seed)
{
    return size <= SEEN_MOST ? n : (uint64_t)test_range(seed, 0, (int64_t)size - 1);
}

static uint64_t count_of(uint64_t size) { return size <= SEEN_MOST ? size : SAMPLES; }

static void check_value(const zlay_layout *made, uint64_t i, int64_t expected, const char *why, const char *a, const char *b)
{
    int64_t value = layout_at(made, i);
    if (value != expected)
        fail_msg("%s of %s and %s: index %llu has %lld, not %lld", why, a, b, (unsigned long long)i, (long long)value,
                 (long long)expected);
}

static void check_compose(zlay_ctx *ctx, const drawn *a, const drawn *b, uint64_t *seed)
{
    zlay_layout *A = read_layout(ctx, a->text), *B = read_layout(ctx, b->text), *made;
    if (zlay_layout_compose(ctx, &made, A, B))
        fail_msg("%s and %s: %s", a->text, b->text, zlay_ctx_message(ctx));
    assert_int_equal(zlay_layout_size(made), b->size);
    for (uint64_t n = 0; n < count_of((uint64_t)b->size); n++) {
        uint64_t i = index_of(n, (uint64_t)b->size, seed);
        check_value(made, i, value_at(a, value_at(b, (int64_t)i)), "a composition", a->text, b->text);
    }
    check_form(made, b->shape, "a composition", a->text, b->text);
    zlay_layout_free(made);
    zlay_layout_free(B);
    zlay_layout_free(A);
}

/* By t:1: the tile's points, then the tiles. */
static void check_divide(zlay_ctx *ctx, const drawn *a, int64_t tile, uint64_t *seed)
{
    char text[32];
    int64_t box[2] = {tile, (a->size + tile - 1) / tile}, size = box[0] * box[1];
    sprintf(text, "%lld:1", (long long)tile);
    zlay_layout *A = read_layout(ctx, a->text), *T = read_layout(ctx, text), *made;
    if (zlay_layout_divide(ctx, &made, A, T, ZLAY_LOGICAL))
        fail_msg("%s by %s: %s", a->text, text, zlay_ctx_message(ctx));
    assert_int_equal(zlay_layout_size(made), size);
    for (uint64_t n = 0; n < count_of((uint64_t)size); n++) {
        uint64_t i = index_of(n, (uint64_t)size, seed);
        check_value(made, i, value_at(a, (int64_t)i), "a division", a->text, text);
    }
    check_form(made, box, "a division", a->text, text);
    zlay_layout_free(made);
    zlay_layout_free(T);
    zlay_layout_free(A);
}

/* a(inverse(v)) = v as far as the inverse goes, and it ends where a lacks the next value. */
static void check_inverse(zlay_ctx *ctx, const drawn *a, uint64_t *seed)
{
    static bool there[1 << 17];
    zlay_layout *A = read_layout(ctx, a->text), *made;
    if (zlay_layout_right_inverse(ctx, &made, A)) fail_msg("%s: %s", a->text, zlay_ctx_message(ctx));
    uint64_t size = zlay_layout_size(made), first = 0;
    for (uint64_t n = 0; n < count_of(size); n++) {
        uint64_t v = index_of(n, size, seed);
        int64_t i = layout_at(made, v);
        if (i < 0 || i >= a->size || value_at(a, i) != (int64_t)v)
            fail_msg("the right inverse of %s has %lld at %llu", a->text, (long long)i, (unsigned long long)v);
    }
    memset(there, 0, sizeof there);
    for (int64_t i = 0; i < a->size; i++)
        if (value_at(a, i) < (int64_t)sizeof there) there[value_at(a, i)] = true;
    while (there[first]) first++;
    if (first != size && (a->bits || first < size))
        fail_msg("the right inverse of %s ends at %llu, not %llu", a->text, (unsigned long long)size,
                 (unsigned long long)first);
    zlay_layout_free(made);
    zlay_layout_free(A);
}

static void test_small(void **state)
{
    uint64_t seed = test_seed("beside powers, random");
    for (uint64_t n = 0; n < test_iterations(CASES); n++) {
        drawn a, b;
        draw(&a, &seed, 6);
        draw(&b, &seed, 5);
        check_compose(*state, &a, &b, &seed);
        check_divide(*state, &a, (int64_t)1 << test_range(&seed, 1, 6), &seed);
        check_inverse(*state, &a, &seed);
    }
}

/* ---- large ones, without a step for each point ---------------------------------------------------------------------- */

static int begin_small(void **state)
{
    zlay_limits small = {.size = sizeof small, .work = SMALL_WORK};
    return zlay_ctx_new((zlay_ctx **)state, NULL, &small);
}

static int end_small(void **state)
{
    zlay_ctx_free(*state);
    return 0;
}

static drawn square(int64_t n, bool rows, bool swizzle)
{
    drawn d = {.shape = {n, n}, .stride = {rows ? n : 1, rows ? 1 : n}};
    if (swizzle) d.bits = 3, d.base = 4, d.shift = 3;
    put_text(&d);
    return d;
}

static void check_large_inverse(zlay_ctx *ctx, const drawn *a, uint64_t *seed)
{
    zlay_layout *A = read_layout(ctx, a->text), *made;
    if (zlay_layout_right_inverse(ctx, &made, A)) fail_msg("%s: %s", a->text, zlay_ctx_message(ctx));
    uint64_t size = zlay_layout_size(made);
    for (uint64_t n = 0; n < SAMPLES; n++) {
        uint64_t v = (uint64_t)test_range(seed, 0, (int64_t)size - 1);
        assert_int_equal(value_at(a, layout_at(made, v)), v);
    }
    zlay_layout_free(made);
    zlay_layout_free(A);
}

static void test_large(void **state)
{
    static const int64_t sides[] = {1000, 1023, 1024, 1025, 2049, 65537};
    uint64_t seed = test_seed("beside powers, large");
    for (size_t k = 0; k < sizeof sides / sizeof sides[0]; k++) {
        drawn a = square(sides[k], true, true), plain = square(sides[k], true, false), b = square(sides[k], false, true);
        drawn tile = square(128, true, false), c = square(sides[k] - 1, true, true);
        check_large_inverse(*state, &a, &seed);
        check_divide(*state, &a, 64, &seed);
        check_compose(*state, &a, &tile, &seed);
        check_compose(*state, &plain, &b, &seed);
        check_compose(*state, &plain, &c, &seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),
        cmocka_unit_test_setup_teardown(test_large, begin_small, end_small),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
