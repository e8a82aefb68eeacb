/* SPDX-License-Identifier: Apache-2.0 */
/* CuTe's operations on random layouts of every kind, against what their values say. */
#include "layouts/layout.h"

#include <zlay/zlay.h>

enum { POINTS = 256, REACH = 2048 };

/* A layout and its values. */
typedef struct known {
    zlay_layout *layout;
    int size;
    bool there[POINTS];
    int64_t value[POINTS];
} known;

static int pick(uint64_t *seed, int low, int high) { return (int)test_range(seed, low, high); }

/* ---- random layouts ------------------------------------------------------------------------ */

/* Extents of a product of at most 64, strides mostly of a compact order. */
static int strided_text(char *text, uint64_t *seed, bool powers)
{
    int shape[3], stride[3], rank = pick(seed, 1, 3), next = 1, turn = pick(seed, 0, 2);
    for (int i = 0; i < rank; i++) shape[i] = powers ? 1 << pick(seed, 0, 2) : pick(seed, 1, 4);
    for (int i = 0; i < rank; i++) {
        int k = (i + turn) % rank;
        stride[k] = pick(seed, 0, 9) ? next : pick(seed, -3, 8);
        next *= shape[k] * (pick(seed, 0, 3) ? 1 : 2);
    }
    if (rank == 1) return sprintf(text, "%d:%d", shape[0], stride[0]);
    if (rank == 2) return sprintf(text, "(%d,%d):(%d,%d)", shape[0], shape[1], stride[0], stride[1]);
    return sprintf(text, "(%d,(%d,%d)):(%d,(%d,%d))", shape[0], shape[1], shape[2], stride[0],
                   stride[1], stride[2]);
}

static void swizzled_text(char *text, uint64_t *seed)
{
    int bits = pick(seed, 1, 2), shift = pick(seed, bits, 3);
    int at = sprintf(text, "Sw<%d,%d,%d> o %d o ", bits, pick(seed, 0, 2),
                     pick(seed, 0, 1) ? shift : -shift, pick(seed, 0, 3) ? 0 : pick(seed, 0, 9));
    strided_text(text + at, seed, true);
}

/* Bases that are single bits in a random order, one of them sometimes anything. */
static void f2_text(char *text, uint64_t *seed)
{
    int bits = pick(seed, 1, 5), turn = pick(seed, 0, 4), cut = pick(seed, 0, bits);
    int at = sprintf(text, "f2{a:");
    for (int k = 0; k < bits; k++) {
        int basis = pick(seed, 0, 4) ? 1 << (k + turn) % 5 : pick(seed, 0, 31);
        if (k == cut) at += sprintf(text + at, "; b:");
        at += sprintf(text + at, " (%d)", basis);
    }
    sprintf(text + at, " -> x: 32}");
}

/* Padded by cells without a value, where that fits. */
static zlay_layout *padded(zlay_ctx *ctx, zlay_layout *a, uint64_t *seed)
{
    zlay_pad by = {.before = (uint64_t)pick(seed, 0, 1), .after = (uint64_t)pick(seed, 0, 2)};
    zlay_layout *made;
    assert_int_equal(zlay_layout_pad(ctx, &made, a, &by), ZLAY_OK);
    zlay_layout_free(a);
    return made;
}

static void know(known *k, zlay_layout *a)
{
    k->layout = a;
    k->size = (int)zlay_layout_size(a);
    assert_in_range(k->size, 1, POINTS);
    for (int i = 0; i < k->size; i++) {
        zlay_status status = zlay_layout_eval(&k->value[i], 1, a, (uint64_t)i);
        k->there[i] = status == ZLAY_OK;
        if (status) assert_int_equal(status, ZLAY_NONE);
    }
}

static void random_layout(zlay_ctx *ctx, known *k, uint64_t *seed)
{
    char text[256];
    int kind = pick(seed, 0, 4);
    if (kind == 2) swizzled_text(text, seed);
    else if (kind == 3) f2_text(text, seed);
    else strided_text(text + (kind == 1 ? sprintf(text, "%d o ", pick(seed, 0, 5)) : 0), seed, kind == 4);
    zlay_layout *a = read_layout(ctx, text);
    know(k, kind == 4 ? padded(ctx, a, seed) : a);
}

static void wrong(const char *what, const known *a, const known *b, int at)
{
    char x[1024], y[1024] = "";
    if (b) layout_text(y, b->layout);
    fail_msg("%s: %s and %s, at %d", what, layout_text(x, a->layout), y, at);
}

/* ---- one layout ----------------------------------------------------------------------------- */

static int prefix(const known *a)
{
    bool seen[POINTS + 1] = {0};
    int count = 0;
    for (int i = 0; i < a->size; i++)
        if (a->there[i] && a->value[i] >= 0 && a->value[i] < POINTS) seen[a->value[i]] = true;
    while (seen[count]) count++;
    return count;
}

static void check_right(zlay_ctx *ctx, const known *a)
{
    known r;
    zlay_layout *made;
    int count = prefix(a);
    zlay_status status = zlay_layout_right_inverse(ctx, &made, a->layout);
    if (status != (count ? ZLAY_OK : ZLAY_NONE)) wrong("right's status", a, NULL, status);
    if (status) return;
    know(&r, made);
    if (r.size != count) wrong("right's size", a, NULL, count);
    for (int v = 0; v < count; v++) {
        int64_t i = r.value[v];
        bool inside = r.there[v] && i >= 0 && i < a->size && a->there[i];
        if (!inside || a->value[i] != v) wrong("right", a, NULL, v);
    }
    zlay_layout_free(made);
}

static bool is_set(const known *a)
{
    for (int i = 0; i < a->size; i++) {
        if (a->there[i] && a->value[i] < 0) return false;
        for (int j = 0; j < i; j++)
            if (a->there[i] && a->there[j] && a->value[i] == a->value[j]) return false;
    }
    return true;
}

static void check_left(zlay_ctx *ctx, const known *a)
{
    zlay_layout *l;
    int64_t index;
    zlay_status status = zlay_layout_left_inverse(ctx, &l, a->layout);
    if (status != (is_set(a) ? ZLAY_OK : ZLAY_NONE)) wrong("left's status", a, NULL, status);
    for (int i = 0; i < a->size && !status; i++) {
        if (!a->there[i]) continue;
        if (zlay_layout_eval(&index, 1, l, (uint64_t)a->value[i]) || index != i)
            wrong("left", a, NULL, i);
    }
    zlay_layout_free(l);
}

/* The least value not reached, again and again; 0 where that collides. */
static int shifts(int64_t *shift, const known *b, int target)
{
    static bool seen[2 * REACH];
    int count = 0;
    memset(seen, 0, sizeof seen);
    for (int at = 0; at < target || !count; at++) {
        if (seen[at]) continue;
        for (int i = 0; i < b->size; i++) {
            if (!b->there[i]) continue;
            if (seen[at + b->value[i]]) return 0;
            seen[at + b->value[i]] = true;
        }
        shift[count++] = at;
    }
    return count;
}

static bool begins_at_zero(const known *a)
{
    bool zero = false;
    for (int i = 0; i < a->size; i++) zero = zero || (a->there[i] && !a->value[i]);
    return zero;
}

/* Of a strided layout CuTe's may leave gaps, which exhaustive/layout checks. */
static void check_complement(zlay_ctx *ctx, const known *b, int target)
{
    static int64_t shift[REACH];
    zlay_layout *c;
    if (zlay_layout_kind(b->layout) == ZLAY_LAYOUT_STRIDED) return;
    if (zlay_layout_kind(b->layout) == ZLAY_LAYOUT_SWIZZLED && !is_set(b)) return;
    int count = is_set(b) && begins_at_zero(b) ? shifts(shift, b, target) : 0;
    zlay_status status = zlay_layout_complement(ctx, &c, b->layout, (uint64_t)target);
    if (status != (count ? ZLAY_OK : ZLAY_NONE)) wrong("complement's status", b, NULL, target);
    if (status) return;
    if ((int)zlay_layout_size(c) != count) wrong("complement's size", b, NULL, count);
    for (int j = 0; j < count; j++)
        if (layout_at(c, (uint64_t)j) != shift[j]) wrong("complement", b, NULL, j);
    zlay_layout_free(c);
}

static bool is_plain(const known *a)
{
    return zlay_layout_kind(a->layout) == ZLAY_LAYOUT_STRIDED && a->there[0] && !a->value[0];
}

/* n values from n i on are one element, or none is there. */
static bool whole(const known *a, int i, int n)
{
    int first = i * n;
    for (int k = 0; k < n; k++) {
        if (a->there[first + k] != a->there[first]) return false;
        if (a->there[first] && a->value[first + k] != a->value[first] + k) return false;
    }
    return !a->there[first] || a->value[first] % n == 0;
}

static void check_up(zlay_ctx *ctx, const known *a, int n)
{
    zlay_layout *u;
    int64_t value;
    bool right = a->size % n == 0;
    if (is_plain(a)) return;
    for (int i = 0; right && i < a->size / n; i++) right = whole(a, i, n);
    zlay_status status = zlay_layout_upcast(ctx, &u, a->layout, (uint64_t)n);
    if (status != (right ? ZLAY_OK : ZLAY_NONE)) wrong("upcast's status", a, NULL, n);
    for (int i = 0; i < a->size / n && !status; i++) {
        bool there = !zlay_layout_eval(&value, 1, u, (uint64_t)i);
        if (there != a->there[i * n] || (there && value * n != a->value[i * n])) wrong("up", a, NULL, i);
    }
    zlay_layout_free(u);
}

static void check_down(zlay_ctx *ctx, const known *a, int n)
{
    zlay_layout *d;
    int64_t value;
    if (is_plain(a)) return;
    assert_int_equal(zlay_layout_downcast(ctx, &d, a->layout, (uint64_t)n), ZLAY_OK);
    if ((int)zlay_layout_size(d) != a->size * n) wrong("downcast's size", a, NULL, n);
    for (int i = 0; i < a->size * n; i++) {
        bool there = !zlay_layout_eval(&value, 1, d, (uint64_t)i);
        if (there != a->there[i / n] || (there && value != a->value[i / n] * n + i % n))
            wrong("down", a, NULL, i);
    }
    zlay_layout_free(d);
}

static void same(zlay_ctx *ctx, const known *a, zlay_layout *made)
{
    zlay_answer answer;
    assert_int_equal(zlay_layout_equal(ctx, &answer, NULL, a->layout, made), ZLAY_OK);
    if (answer != ZLAY_YES) wrong("another function", a, NULL, answer);
    zlay_layout_free(made);
}

/* The first coordinate free, the others fixed. */
static void check_modes(zlay_ctx *ctx, const known *a, uint64_t *seed)
{
    uint64_t extent[8];
    size_t rank = zlay_layout_box(extent, 8, a->layout);
    zlay_layout *made;
    assert_int_equal(zlay_layout_flatten(ctx, &made, a->layout), ZLAY_OK);
    same(ctx, a, made);
    assert_int_equal(zlay_layout_group(ctx, &made, a->layout, 0, (size_t)pick(seed, 1, (int)rank)), ZLAY_OK);
    same(ctx, a, made);
    if (rank != 2) return;
    char text[64];
    int at = pick(seed, 0, (int)extent[1] - 1), first = at * (int)extent[0];
    sprintf(text, "(_,%d)", at);
    zlay_status status = zlay_layout_slice_at(ctx, &made, a->layout, text, strlen(text));
    assert_int_equal(status, ZLAY_OK);
    assert_int_equal(zlay_layout_size(made), extent[0]);
    for (int i = 0; i < (int)extent[0]; i++) {
        int64_t value;
        bool there = !zlay_layout_eval(&value, 1, made, (uint64_t)i);
        if (there != a->there[first + i] || (there && value != a->value[first + i]))
            wrong("slice", a, NULL, first + i);
    }
    zlay_layout_free(made);
}

static void one_layout(void **state)
{
    uint64_t seed = test_seed("one layout");
    for (uint64_t i = 0; i < test_iterations(20000); i++) {
        known a;
        random_layout(*state, &a, &seed);
        check_right(*state, &a);
        check_left(*state, &a);
        check_complement(*state, &a, pick(&seed, 1, 80));
        check_up(*state, &a, pick(&seed, 2, 4));
        check_down(*state, &a, pick(&seed, 2, 3));
        check_modes(*state, &a, &seed);
        zlay_layout_free(a.layout);
    }
}

/* ---- two layouts ----------------------------------------------------------------------------- */

/* (i, j) -> a(b(i) + c(j)) wherever that is in a's box. */
static void check_divide(zlay_ctx *ctx, const known *a, const known *b)
{
    zlay_layout *c, *d;
    int64_t value;
    zlay_status wanted = zlay_layout_complement(ctx, &c, b->layout, (uint64_t)a->size);
    zlay_status status = zlay_layout_divide(ctx, &d, a->layout, b->layout, ZLAY_LOGICAL);
    if (wanted && status != wanted) wrong("divide's status", a, b, status);
    if (!wanted && status && status != ZLAY_NONE) wrong("divide's status", a, b, status);
    for (uint64_t i = 0; !status && i < zlay_layout_size(d); i++) {
        int k = (int)(i % (uint64_t)b->size);
        int64_t at = b->value[k] + layout_at(c, i / (uint64_t)b->size);
        bool there = !zlay_layout_eval(&value, 1, d, i), inside = at >= 0 && at < a->size;
        if (!b->there[k] && there) wrong("divide where b is not", a, b, (int)i);
        if (!b->there[k] || !inside) continue;
        if (there != a->there[at] || (there && value != a->value[at])) wrong("divide", a, b, (int)i);
    }
    zlay_layout_free(d);
    zlay_layout_free(c);
}

/* Of a layout without offset and swizzle: (i, j) -> a(i) + c(b(j)). */
static void check_product(zlay_ctx *ctx, const known *a, const known *b)
{
    zlay_layout *c, *d;
    int64_t value, most = 0;
    int32_t kind = zlay_layout_kind(a->layout);
    if (kind == ZLAY_LAYOUT_SWIZZLED || (kind == ZLAY_LAYOUT_STRIDED && a->value[0])) return;
    for (int i = 0; i < b->size; i++)
        if (b->there[i] && b->value[i] > most) most = b->value[i];
    if (zlay_layout_complement(ctx, &c, a->layout, (uint64_t)(a->size * (most + 1)))) return;
    zlay_status status = zlay_layout_product(ctx, &d, a->layout, b->layout, ZLAY_LOGICAL);
    if (status && status != ZLAY_NONE) wrong("product's status", a, b, status);
    for (uint64_t i = 0; !status && i < zlay_layout_size(d); i++) {
        int x = (int)(i % (uint64_t)a->size), y = (int)(i / (uint64_t)a->size);
        bool there = !zlay_layout_eval(&value, 1, d, i);
        if (there != (a->there[x] && b->there[y])) wrong("product's domain", a, b, (int)i);
        if (!there || b->value[y] < 0 || b->value[y] >= (int64_t)zlay_layout_size(c)) continue;
        int64_t copy = layout_at(c, (uint64_t)b->value[y]);
        if (value != a->value[x] + copy) wrong("product", a, b, (int)i);
    }
    zlay_layout_free(d);
    zlay_layout_free(c);
}

static void check_common(zlay_ctx *ctx, const known *a, const known *b)
{
    zlay_layout *l;
    uint64_t vector;
    assert_int_equal(zlay_layout_max_common_layout(ctx, &l, a->layout, b->layout), ZLAY_OK);
    assert_int_equal(zlay_layout_max_common_vector(ctx, &vector, a->layout, b->layout), ZLAY_OK);
    assert_int_equal(zlay_layout_size(l), vector);
    for (uint64_t v = 0; vector > 1 && v < vector; v++) {
        int64_t at = layout_at(l, v);
        bool inside = at >= 0 && at < b->size && b->there[at] && b->value[at] == (int64_t)v;
        if (!inside || (at < a->size && (!a->there[at] || a->value[at] != (int64_t)v)))
            wrong("common", a, b, (int)v);
    }
    zlay_layout_free(l);
}

static void two_layouts(void **state)
{
    uint64_t seed = test_seed("two layouts");
    for (uint64_t i = 0; i < test_iterations(15000); i++) {
        known a, b;
        random_layout(*state, &a, &seed);
        random_layout(*state, &b, &seed);
        check_divide(*state, &a, &b);
        check_product(*state, &a, &b);
        check_common(*state, &a, &b);
        zlay_layout_free(b.layout);
        zlay_layout_free(a.layout);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_layout), cmocka_unit_test(two_layouts)};
    return cmocka_run_group_tests(tests, begin, end);
}
