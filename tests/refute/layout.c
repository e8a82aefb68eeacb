/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute the operations on layouts: random layouts of every kind whose values the test computes from the drawn
 * numbers (known.h), and for each operation what its header promises, decided over all points: the values of the result,
 * NONE exactly where the header says so, and `longest` where it says so.  What is shared is the parser, the printer and
 * eval; eval is compared with the drawn values of every argument, and each result is printed, read again and compared.
 * ELIMIT and EOVERFLOW are counted and refute nothing.  10^4 cases, 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "layouts/known.h"

#include <zlay/decide.h>
#include <zlay/pieces.h>

enum { CASES = 10000, MADE_MOST = 1 << 16 };

typedef struct values {
    int size;
    bool there[MADE_MOST];
    int64_t at[MADE_MOST];
} values;

static known a, b;
static values made, again;
static zlay_layout *A, *B;
static zlay_ctx *ctx;
static uint64_t number, tried[32], answered[32], none[32];

enum { COMPOSE, COALESCE, FLATTEN, LIFT, LOWER, RIGHT, LEFT, COMPLEMENT, DIVIDE, PRODUCT, BLOCKED, RAKED, FLIP, SLICE, PAD, CONCAT,
       RESTRICT, UNION, UPCAST, DOWNCAST, COMMON, COSIZE, OPS };
static const char *const names[] = {"compose", "coalesce", "flatten", "lift", "lower", "right_inverse", "left_inverse",
    "complement", "divide", "product", "blocked_product", "raked_product", "flip", "slice", "pad", "concat", "restrict",
    "union", "upcast", "downcast", "max_common_layout", "cosize"};

static _Noreturn void refuted(int op, const char *why)
{
    fail_msg("case %llu, %s: %s: %s and %s", (unsigned long long)number, names[op], why, a.text, b.text);
    abort();
}

/* The flat value; tuples of two outputs in the sizes that the result has. */
static void read_values(values *v, const zlay_layout *layout, int op)
{
    uint64_t sizes[2] = {0, 0};
    size_t outs = zlay_layout_out_sizes(sizes, 2, layout);
    if (zlay_layout_size(layout) > MADE_MOST || outs > 2) refuted(op, "too large a result");
    v->size = (int)zlay_layout_size(layout);
    for (int i = 0; i < v->size; i++) {
        int64_t tuple[2] = {0, 0};
        zlay_status status = zlay_layout_eval(tuple, 2, layout, (uint64_t)i);
        if (status && status != ZLAY_NONE) refuted(op, "eval fails");
        v->there[i] = !status;
        v->at[i] = outs == 2 ? (int64_t)((uint64_t)tuple[0] + sizes[0] * (uint64_t)tuple[1]) : tuple[0];
    }
}

/* The result's values in `made`, and those of its text; frees it.  False: there is none. */
static bool take(int op, zlay_status status, zlay_layout **out)
{
    zlay_layout *layout = *out;
    static char text[1 << 20];
    zlay_buf buf = {text, sizeof text, 0};
    tried[op]++;
    none[op] += status == ZLAY_NONE;
    if (status == ZLAY_NONE || status == ZLAY_ELIMIT || status == ZLAY_EOVERFLOW) return false;
    if (status) refuted(op, zlay_ctx_message(ctx));
    answered[op]++;
    if (zlay_layout_size(layout) > MADE_MOST) { /* CuTe's gaps below a long stride */
        zlay_layout_free(layout);
        return false;
    }
    read_values(&made, layout, op);
    if (zlay_layout_print(&buf, layout)) refuted(op, "the result does not print");
    zlay_layout_free(layout);
    layout = read_layout(ctx, text);
    read_values(&again, layout, op);
    zlay_layout_free(layout);
    if (made.size != again.size) refuted(op, "the text has another size");
    for (int i = 0; i < made.size; i++)
        if (made.there[i] != again.there[i] || (made.there[i] && made.at[i] != again.at[i]))
            refuted(op, "the text has other values");
    return true;
}

static void expect(int op, int i, bool there, int64_t value)
{
    if (made.there[i] != there || (there && made.at[i] != value)) refuted(op, "a value");
}

static bool strided(const known *k) { return k->kind == KNOWN_STRIDED || k->kind == KNOWN_SWIZZLED; }

/* ---- the same values --------------------------------------------------------------------------------------------- */

static void same_values(int op, zlay_status status, zlay_layout *layout)
{
    if (status == ZLAY_NONE) refuted(op, "NONE");
    if (!take(op, status, &layout)) return;
    if (made.size != a.size) refuted(op, "another size");
    for (int i = 0; i < a.size; i++) expect(op, i, a.there[i], a.at[i]);
}

static bool is_linear(void)
{
    if (a.size & (a.size - 1)) return false;
    for (int i = 0; i < a.size; i++) {
        int64_t sum = 0;
        for (int k = 0; 1 << k <= i; k++)
            if (i >> k & 1) sum ^= a.at[1 << k];
        if (!a.there[i] || a.at[i] < 0 || a.at[i] != sum) return false;
    }
    return true;
}

static void check_same(void)
{
    zlay_layout *out = NULL;
    zlay_status status = zlay_layout_coalesce(ctx, &out, A);
    same_values(COALESCE, status, out);
    status = zlay_layout_flatten(ctx, &out, A);
    same_values(FLATTEN, status, out);
    status = zlay_layout_lift(ctx, &out, A);
    same_values(LIFT, status, out);
    if (a.outs == 2 && a.kind == KNOWN_MODULAR) return; /* tuples stay, in outputs of other sizes */
    status = zlay_layout_lower(ctx, &out, A);
    if (status == ZLAY_NONE && is_linear()) refuted(LOWER, "NONE of a linear map");
    if (status == ZLAY_NONE) tried[LOWER]++, none[LOWER]++;
    else same_values(LOWER, status, out);
}

static void check_cosize(void)
{
    uint64_t got = 0;
    int64_t low = 0, high = INT64_MIN;
    bool any = false;
    zlay_status status = zlay_layout_cosize(ctx, &got, A);
    tried[COSIZE]++;
    for (int i = 0; i < a.size; i++)
        if (a.there[i]) any = true, low = a.at[i] < low ? a.at[i] : low, high = a.at[i] > high ? a.at[i] : high;
    if (status == ZLAY_EOVERFLOW || status == ZLAY_ELIMIT) return;
    if (status) refuted(COSIZE, zlay_ctx_message(ctx));
    answered[COSIZE]++;
    if (got != (any ? (uint64_t)high - (uint64_t)low + 1 : 0)) refuted(COSIZE, "another");
}

/* ---- composition and inverses -------------------------------------------------------------------------------------- */

enum { HERE, NOWHERE, OUTSIDE, TOO_LARGE };

static int at_integer(const known *k, int64_t index, int64_t *out)
{
    if (strided(k)) return known_strided(k, index, out) ? HERE : TOO_LARGE;
    if (index < 0 || index >= k->size) return OUTSIDE;
    *out = k->at[index];
    return k->there[index] ? HERE : NOWHERE;
}

static void check_compose(void)
{
    zlay_layout *out = NULL;
    bool leaves = false;
    int64_t value = 0;
    for (int i = 0; i < b.size; i++) leaves = leaves || (b.there[i] && at_integer(&a, b.at[i], &value) == OUTSIDE);
    zlay_status status = zlay_layout_compose(ctx, &out, A, B);
    if (status == ZLAY_NONE && !leaves) refuted(COMPOSE, "NONE");
    if (!take(COMPOSE, status, &out)) return;
    if (leaves) refuted(COMPOSE, "not NONE");
    if (made.size != b.size) refuted(COMPOSE, "another size");
    for (int i = 0; i < b.size; i++) {
        int where = b.there[i] ? at_integer(&a, b.at[i], &value) : NOWHERE;
        if (where == TOO_LARGE) refuted(COMPOSE, "a value past 64 bits");
        expect(COMPOSE, i, where == HERE, value);
    }
}

/* The least index of each value below the size; -1: none. */
static void first_of(int *first, const known *k)
{
    for (int v = 0; v < k->size; v++) first[v] = -1;
    for (int i = k->size; i-- > 0;)
        if (k->there[i] && k->at[i] >= 0 && k->at[i] < k->size) first[k->at[i]] = i;
}

static void check_right(void)
{
    static int first[KNOWN_MOST];
    zlay_layout *out = NULL;
    int length = 0;
    first_of(first, &a);
    while (length < a.size && first[length] >= 0) length++;
    zlay_status status = zlay_layout_right_inverse(ctx, &out, A);
    if ((status == ZLAY_NONE) != !length && status >= 0) {
        bool empty = !length && !status && zlay_layout_size(out) == 1 && strided(&a);
        if (!empty) refuted(RIGHT, length ? "NONE" : "not NONE");
    }
    if (!take(RIGHT, status, &out) || !length) return;
    if (made.size != length) refuted(RIGHT, "not the longest");
    for (int v = 0; v < length; v++) {
        bool inside = made.there[v] && made.at[v] >= 0 && made.at[v] < a.size;
        if (!inside || !a.there[made.at[v]] || a.at[made.at[v]] != v) refuted(RIGHT, "no inverse");
    }
}

static bool injective(const known *k)
{
    for (int i = 0; i < k->size; i++)
        for (int j = 0; j < i; j++)
            if (k->there[i] && k->there[j] && k->at[i] == k->at[j]) return false;
    return true;
}

static bool has_negative(const known *k)
{
    for (int i = 0; i < k->size; i++)
        if (k->there[i] && k->at[i] < 0) return true;
    return false;
}

static void check_left(void)
{
    zlay_layout *out = NULL;
    zlay_status status = zlay_layout_left_inverse(ctx, &out, A);
    bool right = injective(&a) && !has_negative(&a);
    if (status >= 0 && (status == ZLAY_OK) != right) refuted(LEFT, right ? "NONE" : "not NONE");
    tried[LEFT]++, none[LEFT] += status == ZLAY_NONE, answered[LEFT] += !status;
    for (int i = 0; i < a.size && !status; i++) {
        int64_t value = -1;
        if (!a.there[i]) continue;
        bool inside = (uint64_t)a.at[i] < zlay_layout_size(out);
        if (!inside || zlay_layout_eval(&value, 1, out, (uint64_t)a.at[i]) || value != i) refuted(LEFT, "no inverse");
    }
    zlay_layout_free(out);
}

/* The longest prefix of values that b has, at indices where a has them too; exact where b has no value twice. */
static void check_common(void)
{
    static int first[KNOWN_MOST];
    zlay_layout *out = NULL;
    int length = 0;
    int64_t value = 0;
    first_of(first, &b);
    while (length < b.size && first[length] >= 0 && at_integer(&a, first[length], &value) == HERE && value == length)
        length++;
    if (!take(COMMON, zlay_layout_max_common_layout(ctx, &out, A, B), &out) || !injective(&b)) return;
    if (made.size != (length ? length : 1)) refuted(COMMON, "not the longest");
    for (int v = 0; v < length; v++)
        if (!made.there[v] || made.at[v] != first[v]) refuted(COMMON, "a value");
}

/* ---- complement, divides, products ----------------------------------------------------------------------------------- */

/* The forced shifts of an injective layout of values from 0 on: the least integer not reached, and so on; -1: they
 * collide. */
static int shifts_of(int64_t *shift, int64_t cotarget)
{
    static bool reached[1 << 20];
    int count = 0;
    memset(reached, 0, sizeof reached);
    for (int64_t v = 0; v < cotarget; v++) {
        if (reached[v]) continue;
        for (int i = 0; i < b.size; i++) {
            int64_t at = b.at[i] + v;
            if (at >= 1 << 20 || reached[at]) return -1;
            reached[at] = true;
        }
        shift[count++] = v;
    }
    return count;
}

/* CuTe's: the gap below each stride, in the order of strides, then what is left of the cotarget; a gap is cut to a
 * multiple of what is below it.  -1: a stride begins inside what is below it, or offset and swizzle are in the way. */
static int cute_shifts(int64_t *shift, int64_t cotarget)
{
    int64_t span = 1, done = 0;
    int count = 1;
    shift[0] = 0;
    for (int n = 0; n <= b.modes; n++) {
        int64_t next = INT64_MAX, shape = 1, extent;
        for (int i = 0; i < b.modes; i++)
            if (b.shape[i] > 1 && b.stride[i] > done && b.stride[i] < next) next = b.stride[i], shape = b.shape[i];
        bool last = next == INT64_MAX;
        if (!last && next < span) return -1;
        extent = last ? (cotarget + span - 1) / span : next / span;
        if (extent * count > 4096) return -1;
        for (int64_t e = 1; e < extent; e++)
            for (int k = 0; k < count; k++) shift[e * count + k] = shift[k] + e * span;
        count *= (int)(extent ? extent : 1);
        if (last) return count;
        done = next, span = shape * next;
    }
    return -1;
}

static void check_complement(uint64_t *seed)
{
    static int64_t shift[4096];
    zlay_layout *out = NULL;
    int64_t cotarget = test_range(seed, 1, 4 * b.size), most = 0;
    bool zero = false, total = true;
    for (int i = 0; i < b.size; i++) {
        most = b.at[i] > most ? b.at[i] : most;
        zero = zero || (b.there[i] && !b.at[i]), total = total && b.there[i];
    }
    if (!total || !zero || has_negative(&b) || !injective(&b) || most > 4096) return;
    int count = b.kind == KNOWN_STRIDED && !b.offset ? cute_shifts(shift, cotarget) : -1;
    if (count < 0) count = shifts_of(shift, cotarget);
    zlay_status status = zlay_layout_complement(ctx, &out, B, (uint64_t)cotarget);
    if (status >= 0 && (status == ZLAY_NONE) != (count < 0)) refuted(COMPLEMENT, count < 0 ? "not NONE" : "NONE");
    if (!take(COMPLEMENT, status, &out)) return;
    if (made.size != count) refuted(COMPLEMENT, "another size");
    for (int j = 0; j < count; j++) expect(COMPLEMENT, j, true, shift[j]);
}

/* The tile comes first: a(b(i)). */
static void check_divide(void)
{
    zlay_layout *out = NULL;
    int64_t value = 0;
    if (!take(DIVIDE, zlay_layout_divide(ctx, &out, A, B, ZLAY_LOGICAL), &out)) return;
    if (made.size % b.size) refuted(DIVIDE, "the tile does not divide the size");
    for (int i = 0; i < b.size; i++) {
        int where = b.there[i] ? at_integer(&a, b.at[i], &value) : NOWHERE;
        expect(DIVIDE, i, where == HERE, value);
    }
}

static int by_value(const void *x, const void *y)
{
    int64_t p = *(const int64_t *)x, q = *(const int64_t *)y;
    return (p > q) - (p < q);
}

/* Blocks of a, no value twice where neither has one twice; blocked and raked: the same values in another order. */
static void check_product(void)
{
    static values whole;
    zlay_layout *out = NULL;
    if (a.size * b.size > (number % 64 ? 200 : 4096)) return;
    zlay_status status = zlay_layout_product(ctx, &out, A, B, ZLAY_LOGICAL);
    if (!take(PRODUCT, status, &out)) return;
    if (made.size != a.size * b.size) refuted(PRODUCT, "another size");
    for (int i = 0; i < a.size && b.there[0] && !b.at[0]; i++) expect(PRODUCT, i, a.there[i], a.at[i]);
    whole = made;
    qsort(whole.at, (size_t)whole.size, sizeof *whole.at, by_value);
    for (int raked = 0; raked < 2; raked++) {
        int op = raked ? RAKED : BLOCKED;
        status = raked ? zlay_layout_raked_product(ctx, &out, A, B) : zlay_layout_blocked_product(ctx, &out, A, B);
        if (!take(op, status, &out)) continue;
        if (made.size != whole.size) refuted(op, "another size");
        qsort(made.at, (size_t)made.size, sizeof *made.at, by_value);
        bool same = !memcmp(made.at, whole.at, (size_t)made.size * sizeof *made.at);
        bool total = a.kind != KNOWN_PIECEWISE && b.kind != KNOWN_PIECEWISE;
        if (total && !same) refuted(op, "other values than the product");
    }
}

static void check_casts(uint64_t *seed)
{
    zlay_layout *out = NULL;
    int n = (int)test_range(seed, 1, 4);
    if (strided(&a) || a.outs == 2 || a.size * n > 4096) return;
    if (take(DOWNCAST, zlay_layout_downcast(ctx, &out, A, (uint64_t)n), &out)) {
        if (made.size != n * a.size) refuted(DOWNCAST, "another size");
        for (int i = 0; i < made.size; i++)
            expect(DOWNCAST, i, a.there[i / n], (int64_t)((uint64_t)a.at[i / n] * (uint64_t)n + (uint64_t)(i % n)));
    }
    if (!take(UPCAST, zlay_layout_upcast(ctx, &out, A, (uint64_t)n), &out)) return;
    if (made.size * n != a.size) refuted(UPCAST, "another size");
    for (int i = 0; i < a.size; i++) {
        bool whole = made.there[i / n] == a.there[i] && (!a.there[i] || made.at[i / n] * n + i % n == a.at[i]);
        if (!whole) refuted(UPCAST, "an element");
    }
}

/* ---- modes --------------------------------------------------------------------------------------------------------------- */

typedef struct mode {
    uint64_t at;
    int64_t step, extent; /* of its coordinate in the index */
} mode;

static mode draw_mode(uint64_t *seed, const zlay_layout *layout)
{
    uint64_t box[8];
    size_t count = zlay_layout_box(box, 8, layout);
    mode m = {count ? (uint64_t)test_range(seed, 0, (int64_t)count - 1) : 0, 1, 1};
    for (size_t i = 0; i < m.at; i++) m.step *= (int64_t)box[i];
    if (count) m.extent = (int64_t)box[m.at];
    return m;
}

/* The index of a where the mode's coordinate of i, in a box whose mode has `extent`, becomes c. */
static int64_t moved(const mode *m, int64_t i, int64_t extent, int64_t c)
{
    int64_t low = i % m->step, high = i / m->step / extent;
    return low + m->step * (c + m->extent * high);
}

static void check_flip(uint64_t *seed)
{
    mode m = draw_mode(seed, A);
    zlay_layout *out = NULL;
    zlay_status status = zlay_layout_flip(ctx, &out, A, m.at);
    if (status == ZLAY_NONE) refuted(FLIP, "NONE");
    if (!take(FLIP, status, &out)) return;
    for (int i = 0; i < a.size; i++) {
        int64_t from = moved(&m, i, m.extent, m.extent - 1 - i / m.step % m.extent);
        expect(FLIP, i, a.there[from], a.at[from]);
    }
}

static void check_slice(uint64_t *seed)
{
    mode m = draw_mode(seed, A);
    zlay_layout *out = NULL;
    int64_t begin = test_range(seed, 0, m.extent - 1), step = test_range(seed, 1, 3), end;
    bool down = test_range(seed, 0, 1);
    end = down ? test_range(seed, -1, begin - 1) : test_range(seed, begin + 1, m.extent);
    zlay_slice by = {m.at, begin, end, down ? -step : step};
    int64_t left = ((down ? begin - end : end - begin) + step - 1) / step;
    zlay_status status = zlay_layout_slice(ctx, &out, A, &by);
    if (status == ZLAY_NONE) refuted(SLICE, "NONE");
    if (!take(SLICE, status, &out)) return;
    if (made.size != a.size / m.extent * left) refuted(SLICE, "another size");
    for (int i = 0; i < made.size; i++) {
        int64_t from = moved(&m, i, left, begin + by.step * (i / m.step % left));
        expect(SLICE, i, a.there[from], a.at[from]);
    }
}

static void check_pad(uint64_t *seed)
{
    mode m = draw_mode(seed, A);
    zlay_layout *out = NULL;
    zlay_pad by = {m.at, (uint64_t)test_range(seed, 0, 3), (uint64_t)test_range(seed, 0, 3),
                   (int32_t)test_range(seed, 0, 2), 0};
    int64_t extent = m.extent + (int64_t)by.before + (int64_t)by.after;
    zlay_status status = zlay_layout_pad(ctx, &out, A, &by);
    if (status == ZLAY_NONE) refuted(PAD, "NONE");
    if (!take(PAD, status, &out)) return;
    if (made.size != a.size / m.extent * extent) refuted(PAD, "another size");
    for (int i = 0; i < made.size; i++) {
        int64_t c = i / m.step % extent - (int64_t)by.before;
        bool inside = c >= 0 && c < m.extent;
        if (!inside && by.fill != ZLAY_PAD_REPEAT) {
            expect(PAD, i, by.fill == ZLAY_PAD_ZERO, 0);
            continue;
        }
        int64_t from = moved(&m, i, extent, c - m.extent * known_floor(c, m.extent));
        expect(PAD, i, a.there[from], a.at[from]);
    }
}

/* Two slices of a mode, put behind each other again; and two restrictions, united again. */
static void check_parts(uint64_t *seed)
{
    mode m = draw_mode(seed, A);
    zlay_layout *low = NULL, *high = NULL, *out = NULL;
    char text[64], other[64];
    if (m.extent < 2) return;
    int64_t cut = test_range(seed, 1, m.extent - 1);
    zlay_status status = zlay_layout_slice(ctx, &low, A, &(zlay_slice){m.at, 0, cut, 1});
    if (!status) status = zlay_layout_slice(ctx, &high, A, &(zlay_slice){m.at, cut, m.extent, 1});
    /* One mode 8:1 may come back as (4,2):(1,16), as CuTe's compositions do: then the boxes differ. */
    size_t modes = zlay_layout_box(NULL, 0, A);
    if (!status && zlay_layout_box(NULL, 0, low) == modes && zlay_layout_box(NULL, 0, high) == modes) {
        zlay_status joined = zlay_layout_concat(ctx, &out, low, high, m.at);
        same_values(CONCAT, joined, out);
    }
    zlay_layout_free(low);
    zlay_layout_free(high);
    low = high = out = NULL;
    sprintf(text, "x%d < %lld", (int)m.at, (long long)cut);
    sprintf(other, "x%d >= %lld", (int)m.at, (long long)cut);
    status = zlay_layout_restrict(ctx, &low, A, text, strlen(text));
    if (!status) status = zlay_layout_restrict(ctx, &high, A, other, strlen(other));
    if (!status) {
        zlay_status united = zlay_layout_union(ctx, &out, low, high);
        same_values(UNION, united, out);
    }
    zlay_layout_free(high);
    if (status) zlay_layout_free(low);
    if (status || !take(RESTRICT, ZLAY_OK, &low)) return;
    for (int i = 0; i < a.size; i++) expect(RESTRICT, i, a.there[i] && i / m.step % m.extent < cut, a.at[i]);
}

/* ---- the cases ------------------------------------------------------------------------------------------------------------- */

static void check_eval(const zlay_layout *layout, const known *k)
{
    read_values(&made, layout, COMPOSE);
    if (made.size != k->size) refuted(COMPOSE, "an argument of another size");
    for (int i = 0; i < k->size; i++) expect(COMPOSE, i, k->there[i], k->at[i]);
}

static void check_case(uint64_t *seed)
{
    int most = number % 16 ? 40 : 300;
    known_draw(seed, &a, most);
    known_draw(seed, &b, number % 16 ? 12 : 40);
    A = read_layout(ctx, a.text);
    B = read_layout(ctx, b.text);
    check_eval(A, &a);
    check_eval(B, &b);
    switch (number % 4) {
    case 0: check_same(), check_cosize(), check_compose(); break;
    case 1: check_right(), check_left(), check_common(), check_complement(seed); break;
    case 2: check_divide(), check_product(), check_casts(seed); break;
    default: check_flip(seed), check_slice(seed), check_pad(seed), check_parts(seed);
    }
    zlay_layout_free(A);
    zlay_layout_free(B);
}

static void operations(void **state)
{
    uint64_t seed = test_seed("refute/layout"), count = test_cases(CASES);
    ctx = *state;
    for (number = 0; number < count; number++) check_case(&seed);
    for (int op = 0; op < OPS; op++) {
        print_message("%s: %llu, of them answered %llu, none %llu\n", names[op], (unsigned long long)tried[op],
                      (unsigned long long)answered[op], (unsigned long long)none[op]);
        assert_true(answered[op] > count / 400);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(operations)};
    return cmocka_run_group_tests(tests, begin, end);
}
