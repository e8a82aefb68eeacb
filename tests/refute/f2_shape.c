/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute f2.product, divide_left, divide_right, quotient, the transposes, reshapes, concatenations, sublayout
 * and resizes: maps of up to three inputs and outputs, named from one list in any order, the values known from the drawn
 * bases; outputs of products, transposes and concatenations have any sizes.  Every statement of f2.h is decided at all
 * points by coordinates and names.  What is shared is the parser and eval.  10^4 cases, 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "layouts/layout.h"

#include <zlay/f2.h>

enum { CASES = 10000, NAMES = 5, BITS = 10, DIMS = 2 * NAMES };

typedef struct side {
    int count, name[NAMES], bits[NAMES];
    uint64_t size[NAMES];
} side;

typedef struct tuple { uint64_t at[DIMS]; } tuple; /* by name; 0 where there is none */

typedef struct map {
    side in, out;
    int bits;
    uint64_t basis[BITS][NAMES]; /* by output */
    tuple value[1 << BITS];
    char text[2048];
} map;

static const char *const name_of[DIMS] = {"a", "b", "c", "d", "e", "p", "q", "r", "s", "t"};
static zlay_ctx *ctx;
static uint64_t number;
static map a, b;

enum { PRODUCT, LEFT, RIGHT, QUOTIENT, TRANSPOSE, RESHAPE, CONCAT_INS, CONCAT_OUTS, PARTS, RESIZE, OPS };
static const char *const ops[] = {"product", "divide_left", "divide_right", "quotient", "transpose", "reshape",
                                  "concat_ins", "concat_outs", "sublayout", "resize"};
static uint64_t seen[OPS][3]; /* ok, none, invalid */

static _Noreturn void refuted(int op, const char *why)
{
    fail_msg("case %llu, %s: %s: %s and %s", (unsigned long long)number, ops[op], why, a.text, b.text);
    abort();
}

static bool judge(int op, zlay_status status, zlay_status right)
{
    if (status != right) {
        char why[512];
        snprintf(why, sizeof why, "%s, not %s (%s)", zlay_status_name(status), zlay_status_name(right),
                 zlay_ctx_message(ctx));
        refuted(op, why);
    }
    seen[op][status == ZLAY_OK ? 0 : status == ZLAY_NONE ? 1 : 2]++;
    return status == ZLAY_OK;
}

/* ---- maps as numbers ------------------------------------------------------------------------------------------------ */

static int find(const side *s, int name)
{
    for (int i = 0; i < s->count; i++)
        if (s->name[i] == name) return i;
    return -1;
}

static bool is_power(uint64_t n) { return !(n & (n - 1)); }

static uint64_t add(uint64_t x, uint64_t y, uint64_t size) { return is_power(size) ? x ^ y : (x + y) % size; }

static int bits_of(const side *s)
{
    int bits = 0;
    for (int i = 0; i < s->count; i++) bits += s->bits[i];
    return bits;
}

static tuple coordinates(const side *s, uint64_t x)
{
    tuple t = {{0}};
    for (int i = 0; i < s->count; x >>= s->bits[i++]) t.at[s->name[i]] = x & (((uint64_t)1 << s->bits[i]) - 1);
    return t;
}

static uint64_t index_of(const side *s, const tuple *t)
{
    uint64_t x = 0;
    for (int i = s->count; i-- > 0;) x = x << s->bits[i] | t->at[s->name[i]];
    return x;
}

static void find_values(map *m)
{
    memset(m->value, 0, sizeof m->value[0] << m->bits);
    for (int k = 0; k < m->bits; k++)
        for (int x = 0; x < 1 << k; x++)
            for (int d = 0; d < m->out.count; d++) {
                int n = m->out.name[d];
                m->value[x | 1 << k].at[n] = add(m->value[x].at[n], m->basis[k][d], m->out.size[d]);
            }
}

static tuple value_at(const map *m, const tuple *at) { return m->value[index_of(&m->in, at)]; }

/* When its bases are there. */
static void finish(map *m)
{
    char *p = m->text + sprintf(m->text, "f2{");
    for (int i = 0, k = 0; i < m->in.count; i++) {
        p += sprintf(p, "%s%s:", i ? "; " : "", name_of[m->in.name[i]]);
        for (int n = 0; n < m->in.bits[i]; n++, k++) {
            p += sprintf(p, " (");
            for (int d = 0; d < m->out.count; d++)
                p += sprintf(p, "%s%llu", d ? "," : "", (unsigned long long)m->basis[k][d]);
            p += sprintf(p, ")");
        }
    }
    for (int d = 0; d < m->out.count; d++)
        p += sprintf(p, "%s%s: %llu", d ? ", " : " -> ", name_of[m->out.name[d]], (unsigned long long)m->out.size[d]);
    sprintf(p, "}");
    find_values(m);
}

/* ---- drawing --------------------------------------------------------------------------------------------------------- */

static side draw_side(uint64_t *seed, int most, bool sorted)
{
    int list[NAMES] = {0, 1, 2, 3, 4};
    side s = {.count = (int)test_range(seed, 1, 3)};
    test_shuffle(seed, list, NAMES);
    for (int i = 0; i < s.count; i++) {
        s.name[i] = list[i];
        for (int j = i; sorted && j && s.name[j - 1] > s.name[j]; j--) {
            int keep = s.name[j];
            s.name[j] = s.name[j - 1], s.name[j - 1] = keep;
        }
        s.bits[i] = (int)test_range(seed, 0, most < 3 ? most : 3);
        most -= s.bits[i];
        s.size[i] = (uint64_t)1 << s.bits[i];
    }
    return s;
}

static void draw_bases(uint64_t *seed, map *m)
{
    m->bits = bits_of(&m->in);
    for (int k = 0; k < m->bits; k++)
        for (int d = 0; d < m->out.count; d++) {
            uint64_t value = test_random(seed) % m->out.size[d];
            if (!test_range(seed, 0, 2)) value = 0;
            if (!test_range(seed, 0, 2)) value = ((uint64_t)1 << test_range(seed, 0, 4)) % m->out.size[d];
            m->basis[k][d] = value;
        }
    finish(m);
}

static void draw_map(uint64_t *seed, map *m, int most, bool modular)
{
    bool sorted = test_range(seed, 0, 3);
    m->in = draw_side(seed, most, sorted);
    m->out = draw_side(seed, 9, sorted);
    for (int d = 0; d < m->out.count; d++) {
        if (!d && !test_range(seed, 0, 4)) m->out.size[d] = (uint64_t)1 << (m->out.bits[d] = 12);
        if (modular && !test_range(seed, 0, 2)) m->out.size[d] = (uint64_t)test_range(seed, 1, 12);
        if (modular && !test_range(seed, 0, 15)) m->out.size[d] = test_range(seed, 0, 1) ? 1000 : 96;
    }
    draw_bases(seed, m);
}

/* ---- results ---------------------------------------------------------------------------------------------------------- */

static void read_side(side *s, const zlay_layout *layout, bool in)
{
    zlay_dim dim;
    for (s->count = 0; (in ? zlay_f2_in_nth : zlay_f2_out_nth)(&dim, layout, (size_t)s->count) == ZLAY_OK; s->count++) {
        int n = 0;
        assert_true(s->count < NAMES);
        while (strcmp(dim.name, name_of[n])) assert_true(++n < DIMS);
        s->name[s->count] = n;
        s->size[s->count] = dim.size;
        s->bits[s->count] = in ? __builtin_ctzll(dim.size) : 0;
    }
}

static tuple got(const zlay_layout *layout, const side *in, const side *out, const tuple *at)
{
    int64_t value[NAMES] = {0};
    tuple t = {{0}};
    assert_int_equal(zlay_layout_eval(value, NAMES, layout, index_of(in, at)), ZLAY_OK);
    for (int d = 0; d < out->count; d++) t.at[out->name[d]] = (uint64_t)value[d];
    return t;
}

static bool same_side(const side *x, const side *y)
{
    bool same = x->count == y->count;
    for (int i = 0; i < x->count && same; i++) same = x->name[i] == y->name[i] && x->size[i] == y->size[i];
    return same;
}

/* The result has these dimensions in this order, and at every point the values of `want`. */
static void expect(int op, zlay_layout *layout, const side *in, const side *out, tuple (*want)(const tuple *))
{
    side have_in, have_out;
    read_side(&have_in, layout, true), read_side(&have_out, layout, false);
    if (!same_side(&have_in, in) || !same_side(&have_out, out)) refuted(op, "other dimensions");
    for (uint64_t x = 0; x >> bits_of(in) == 0; x++) {
        tuple at = coordinates(in, x), right = want(&at), is = got(layout, in, out, &at);
        if (memcmp(&right, &is, sizeof is)) refuted(op, "a value");
    }
    zlay_layout_free(layout);
}

/* ---- products ----------------------------------------------------------------------------------------------------------- */

/* The dimensions of both; false where two of them stand in two orders.  By the least name that no rule puts later. */
static bool joined(side *out, const side *x, const side *y)
{
    int i = 0, j = 0;
    out->count = 0;
    while (i < x->count || j < y->count) {
        int n = out->count, in_y = i < x->count ? find(y, x->name[i]) : -1;
        if (i < x->count && in_y < 0) {
            out->name[n] = x->name[i], out->size[n] = x->size[i], out->bits[n] = x->bits[i], i++;
        } else if (j < y->count && find(x, y->name[j]) < 0) {
            out->name[n] = y->name[j], out->size[n] = y->size[j], out->bits[n] = y->bits[j], j++;
        } else if (in_y != j) return false;
        else {
            out->name[n] = x->name[i], out->size[n] = x->size[i] * y->size[j], out->bits[n] = x->bits[i] + y->bits[j];
            i++, j++;
        }
        out->count++;
    }
    return true;
}

static const map *inner, *outer;

/* inner at the low parts of the coordinates, outer at the high ones. */
static tuple product_at(const tuple *at)
{
    tuple low = {{0}}, high = {{0}}, t;
    for (int n = 0; n < NAMES; n++) {
        int i = find(&inner->in, n);
        int bits = i < 0 ? 0 : inner->in.bits[i];
        low.at[n] = at->at[n] & (((uint64_t)1 << bits) - 1), high.at[n] = at->at[n] >> bits;
    }
    t = value_at(inner, &low), high = value_at(outer, &high);
    for (int n = 0; n < NAMES; n++) {
        int i = find(&inner->out, n);
        t.at[n] += high.at[n] * (i < 0 ? 1 : inner->out.size[i]);
    }
    return t;
}

/* Whether each value of the product is the sum of those at powers of two. */
static bool is_sum(const side *in, const side *out)
{
    static tuple sum[1 << 2 * BITS]; /* both maps have BITS at most */
    memset(sum, 0, sizeof sum[0]);
    for (int k = 0; k < bits_of(in); k++) {
        tuple at = coordinates(in, (uint64_t)1 << k), one = product_at(&at);
        for (int x = 1 << k; x < 2 << k; x++) {
            at = coordinates(in, (uint64_t)x);
            tuple right = product_at(&at);
            for (int d = 0; d < out->count; d++) {
                int n = out->name[d];
                sum[x].at[n] = add(sum[x ^ 1 << k].at[n], one.at[n], out->size[d]);
                if (sum[x].at[n] != right.at[n]) return false;
            }
        }
    }
    return true;
}

/* "value(i + j) is not value(i) + value(j) modulo n" of the output that the message begins with. */
static void check_two(const side *in, const side *out)
{
    unsigned long long i = 0, j = 0;
    char name[64] = "";
    const char *message = zlay_ctx_message(ctx);
    if (sscanf(message, "%63[^:]: value(%llu + %llu)", name, &i, &j) != 3) refuted(PRODUCT, message);
    for (int d = 0; d < out->count; d++) {
        if (strcmp(name, name_of[out->name[d]])) continue;
        tuple x = coordinates(in, i), y = coordinates(in, j), both = coordinates(in, i + j);
        uint64_t sum = product_at(&x).at[out->name[d]] + product_at(&y).at[out->name[d]];
        if (i & j || sum % out->size[d] == product_at(&both).at[out->name[d]]) refuted(PRODUCT, message);
        return;
    }
    refuted(PRODUCT, message);
}

static bool make_product(map *out, const map *x, const map *y)
{
    inner = x, outer = y;
    if (!joined(&out->in, &x->in, &y->in) || !joined(&out->out, &x->out, &y->out)) return false;
    out->bits = bits_of(&out->in);
    if (out->bits > BITS) return false; /* there is room for no more */
    for (int k = 0; k < out->bits; k++) {
        tuple at = coordinates(&out->in, (uint64_t)1 << k), value = product_at(&at);
        for (int d = 0; d < out->out.count; d++) out->basis[k][d] = value.at[out->out.name[d]];
    }
    finish(out);
    return true;
}

static void check_product(const zlay_layout *A, const zlay_layout *B)
{
    zlay_layout *out = NULL;
    side in, to;
    inner = &a, outer = &b;
    bool ordered = joined(&in, &a.in, &b.in) && joined(&to, &a.out, &b.out);
    zlay_status right = !ordered ? ZLAY_EINVAL : is_sum(&in, &to) ? ZLAY_OK : ZLAY_NONE;
    zlay_status status = zlay_f2_product(ctx, &out, A, B);
    if (judge(PRODUCT, status, right)) expect(PRODUCT, out, &in, &to, product_at);
    else if (right == ZLAY_NONE) check_two(&in, &to);
}

/* ---- quotients ------------------------------------------------------------------------------------------------------------ */

static map quotient;
static tuple quotient_at(const tuple *at) { return value_at(&quotient, at); }

/* a's dimensions without b's part; false where b has more or stands in another order. */
static bool shrunk(side *out, const side *x, const side *y)
{
    int last = -1;
    *out = *x;
    for (int j = 0; j < y->count; j++) {
        int i = find(x, y->name[j]);
        if (i < 0 || x->size[i] % y->size[j] || i < last) return false;
        out->size[i] = x->size[i] / y->size[j], out->bits[i] = x->bits[i] - y->bits[j], last = i;
    }
    return true;
}

/* The only c that can be the other factor: a where b's part of each coordinate is 0. */
static bool find_quotient(bool left)
{
    map *c = &quotient;
    if (!shrunk(&c->in, &a.in, &b.in) || !shrunk(&c->out, &a.out, &b.out)) return false;
    c->bits = bits_of(&c->in);
    for (int k = 0; k < c->bits; k++) {
        tuple at = coordinates(&c->in, (uint64_t)1 << k);
        for (int j = 0; j < b.in.count && left; j++) at.at[b.in.name[j]] <<= b.in.bits[j];
        at = value_at(&a, &at);
        for (int d = 0; d < c->out.count; d++) {
            uint64_t value = at.at[c->out.name[d]], step = left ? a.out.size[d] / c->out.size[d] : 1;
            if (value % step || value / step >= c->out.size[d]) return false;
            c->basis[k][d] = value / step;
        }
    }
    finish(c);
    inner = left ? &b : c, outer = left ? c : &b;
    for (uint64_t x = 0; x >> a.bits == 0; x++) {
        tuple at = coordinates(&a.in, x), is = value_at(&a, &at), made = product_at(&at);
        if (memcmp(&is, &made, sizeof is)) return false;
    }
    return true;
}

static void check_divides(const zlay_layout *A, const zlay_layout *B)
{
    for (int op = LEFT; op <= RIGHT; op++) {
        zlay_layout *out = NULL;
        bool right = find_quotient(op == LEFT);
        zlay_status status = (op == LEFT ? zlay_f2_divide_left : zlay_f2_divide_right)(ctx, &out, A, B);
        if (judge(op, status, right ? ZLAY_OK : ZLAY_NONE)) expect(op, out, &quotient.in, &quotient.out, quotient_at);
    }
}

static void drop(side *s, int name)
{
    int i = find(s, name);
    for (s->count--; i < s->count; i++)
        s->name[i] = s->name[i + 1], s->bits[i] = s->bits[i + 1], s->size[i] = s->size[i + 1];
}

static tuple a_at(const tuple *at) { return value_at(&a, at); }
static int gone[NAMES], gone_count;

static tuple without_at(const tuple *at)
{
    tuple t = value_at(&a, at);
    for (int n = 0; n < gone_count; n++) t.at[gone[n]] = 0;
    return t;
}

/* The output of the name is its input, and no other output feels that input. */
static bool is_alone(int name)
{
    int i = find(&a.in, name), d = find(&a.out, name);
    if (i < 0 || d < 0 || a.in.size[i] != a.out.size[d]) return false;
    for (uint64_t x = 0; x >> a.bits == 0; x++) {
        tuple at = coordinates(&a.in, x), value = value_at(&a, &at), other = at;
        if (value.at[name] != at.at[name]) return false;
        other.at[name] = 0, other = value_at(&a, &other), value.at[name] = 0;
        if (memcmp(&other, &value, sizeof value)) return false;
    }
    return true;
}

static void check_quotient(uint64_t *seed, const zlay_layout *A)
{
    const char *names[NAMES];
    zlay_layout *out = NULL;
    side in = a.in, to = a.out;
    bool right = true;
    gone_count = 0;
    for (int i = 0; i < a.in.count && in.count > 1 && to.count > 1; i++) {
        int name = a.in.name[i];
        if (find(&a.out, name) < 0 || (gone_count && test_range(seed, 0, 1))) continue;
        names[gone_count] = name_of[name], gone[gone_count++] = name;
        right = right && is_alone(name);
        drop(&in, name), drop(&to, name);
    }
    if (!gone_count) return;
    zlay_status status = zlay_f2_quotient(ctx, &out, A, names, (size_t)gone_count);
    if (judge(QUOTIENT, status, right ? ZLAY_OK : ZLAY_NONE)) expect(QUOTIENT, out, &in, &to, without_at);
}

/* ---- shapes ------------------------------------------------------------------------------------------------------------------ */

static side shuffled(uint64_t *seed, const side *s, const char **names)
{
    int order[NAMES] = {0, 1, 2, 3, 4};
    side out = *s;
    test_shuffle(seed, order, s->count);
    for (int i = 0; i < s->count; i++) {
        out.name[i] = s->name[order[i]], out.bits[i] = s->bits[order[i]], out.size[i] = s->size[order[i]];
        names[i] = name_of[out.name[i]];
    }
    return out;
}

static void check_transposes(uint64_t *seed, const zlay_layout *A)
{
    const char *names[NAMES];
    zlay_layout *out = NULL;
    side to = shuffled(seed, &a.in, names);
    if (judge(TRANSPOSE, zlay_f2_transpose_ins(ctx, &out, A, names, (size_t)to.count), ZLAY_OK))
        expect(TRANSPOSE, out, &to, &a.out, a_at);
    to = shuffled(seed, &a.out, names);
    if (judge(TRANSPOSE, zlay_f2_transpose_outs(ctx, &out, A, names, (size_t)to.count), ZLAY_OK))
        expect(TRANSPOSE, out, &a.in, &to, a_at);
}

static side reshaped;

static tuple ins_at(const tuple *at)
{
    tuple t = coordinates(&a.in, index_of(&reshaped, at));
    return value_at(&a, &t);
}

static tuple outs_at(const tuple *at)
{
    tuple t = value_at(&a, at);
    return coordinates(&reshaped, index_of(&a.out, &t));
}

/* Other names over as many bits; sometimes over others. */
static bool draw_dims(uint64_t *seed, zlay_dim *dims, int bits)
{
    int left = test_range(seed, 0, 7) ? bits : bits + (int)test_range(seed, bits ? -1 : 0, 1), all = left;
    reshaped.count = (int)test_range(seed, 1, 4);
    for (int i = 0; i < reshaped.count; i++) {
        int n = i + 1 == reshaped.count ? left : (int)test_range(seed, 0, left);
        reshaped.name[i] = NAMES + i, reshaped.bits[i] = n, reshaped.size[i] = (uint64_t)1 << n;
        dims[i] = (zlay_dim){.size = reshaped.size[i]};
        strcpy(dims[i].name, name_of[NAMES + i]);
        left -= n;
    }
    return all == bits;
}

static void check_reshapes(uint64_t *seed, const zlay_layout *A)
{
    zlay_dim dims[NAMES];
    zlay_layout *out = NULL;
    bool right = draw_dims(seed, dims, a.bits);
    zlay_status status = zlay_f2_reshape_ins(ctx, &out, A, dims, (size_t)reshaped.count);
    if (judge(RESHAPE, status, right ? ZLAY_OK : ZLAY_EINVAL)) expect(RESHAPE, out, &reshaped, &a.out, ins_at);
    right = draw_dims(seed, dims, bits_of(&a.out));
    status = zlay_f2_reshape_outs(ctx, &out, A, dims, (size_t)reshaped.count);
    if (judge(RESHAPE, status, right ? ZLAY_OK : ZLAY_EINVAL)) expect(RESHAPE, out, &a.in, &reshaped, outs_at);
}

static bool behind(side *out, const side *x, const side *y)
{
    *out = *x;
    for (int i = 0; i < y->count; i++) {
        if (find(x, y->name[i]) >= 0 || out->count == NAMES) return false;
        out->name[out->count] = y->name[i], out->bits[out->count] = y->bits[i], out->size[out->count++] = y->size[i];
    }
    return true;
}

static tuple sum_at(const tuple *at)
{
    tuple t = value_at(&a, at), u = value_at(&b, at);
    for (int d = 0; d < a.out.count; d++) {
        int n = a.out.name[d];
        t.at[n] = add(t.at[n], u.at[n], a.out.size[d]);
    }
    return t;
}

static tuple both_at(const tuple *at)
{
    tuple t = value_at(&a, at), u = value_at(&b, at);
    for (int d = 0; d < b.out.count; d++) t.at[b.out.name[d]] = u.at[b.out.name[d]];
    return t;
}

static void check_concats(const zlay_layout *A, const zlay_layout *B)
{
    zlay_layout *out = NULL;
    side all;
    bool right = same_side(&a.out, &b.out) && behind(&all, &a.in, &b.in);
    zlay_status status = zlay_f2_concat_ins(ctx, &out, A, B);
    if (judge(CONCAT_INS, status, right ? ZLAY_OK : ZLAY_EINVAL)) expect(CONCAT_INS, out, &all, &a.out, sum_at);
    right = same_side(&a.in, &b.in) && behind(&all, &a.out, &b.out);
    status = zlay_f2_concat_outs(ctx, &out, A, B);
    if (judge(CONCAT_OUTS, status, right ? ZLAY_OK : ZLAY_EINVAL)) expect(CONCAT_OUTS, out, &a.in, &all, both_at);
}

/* Some inputs, the others 0, and some outputs, listed in any order. */
static void check_parts(uint64_t *seed, const zlay_layout *A)
{
    const char *ins[NAMES], *outs[NAMES];
    zlay_layout *out = NULL;
    side in = a.in, to = a.out, listed_in, listed_out;
    gone_count = 0;
    while (in.count > 1 && test_range(seed, 0, 1)) drop(&in, in.name[test_range(seed, 0, in.count - 1)]);
    while (to.count > 1 && test_range(seed, 0, 1)) {
        gone[gone_count] = to.name[test_range(seed, 0, to.count - 1)];
        drop(&to, gone[gone_count++]);
    }
    listed_in = shuffled(seed, &in, ins), listed_out = shuffled(seed, &to, outs);
    zlay_status status = zlay_f2_sublayout(ctx, &out, A, ins, (size_t)listed_in.count, outs, (size_t)listed_out.count);
    if (judge(PARTS, status, ZLAY_OK)) expect(PARTS, out, &in, &to, without_at);
}

static int cut_bits, cut_in, cut_out;

static tuple low_at(const tuple *at)
{
    tuple t = *at;
    t.at[cut_in] &= ((uint64_t)1 << cut_bits) - 1;
    return value_at(&a, &t);
}

/* A basis that is not below the size becomes 0. */
static tuple below_at(const tuple *at)
{
    tuple t = value_at(&a, at);
    uint64_t x = index_of(&a.in, at), value = 0;
    for (int k = 0, d = find(&a.out, cut_out); k < a.bits; k++)
        if (x >> k & 1 && !(a.basis[k][d] >> cut_bits)) value ^= a.basis[k][d];
    t.at[cut_out] = value;
    return t;
}

static void check_resizes(uint64_t *seed, const zlay_layout *A)
{
    zlay_layout *out = NULL;
    side in = a.in, to = a.out;
    int i = (int)test_range(seed, 0, in.count - 1), bits = (int)test_range(seed, 0, in.bits[i] + 1), had = in.bits[i];
    zlay_dim dim = {.size = (uint64_t)1 << bits};
    strcpy(dim.name, name_of[cut_in = in.name[i]]);
    in.bits[i] = bits, in.size[i] = dim.size, cut_bits = bits < had ? bits : had;
    if (judge(RESIZE, zlay_f2_resize_in(ctx, &out, A, &dim), ZLAY_OK)) expect(RESIZE, out, &in, &a.out, low_at);
    i = (int)test_range(seed, 0, to.count - 1), cut_bits = (int)test_range(seed, 0, to.bits[i] + 1);
    dim.size = to.size[i] = (uint64_t)1 << cut_bits;
    strcpy(dim.name, name_of[cut_out = to.name[i]]);
    if (judge(RESIZE, zlay_f2_resize_out(ctx, &out, A, &dim), ZLAY_OK)) expect(RESIZE, out, &a.in, &to, below_at);
}

/* ---- the cases --------------------------------------------------------------------------------------------------------------- */

/* a becomes a product one of whose factors is b, exactly or but for one bit. */
static void relate(uint64_t *seed)
{
    static map other, whole;
    draw_map(seed, &other, 4, false);
    bool left = test_range(seed, 0, 1);
    if (!make_product(&whole, left ? &b : &other, left ? &other : &b)) return;
    a = whole;
    if (!a.bits || test_range(seed, 0, 2)) return;
    int d = (int)test_range(seed, 0, a.out.count - 1);
    a.basis[test_range(seed, 0, a.bits - 1)][d] ^= ((uint64_t)1 << test_range(seed, 0, 9)) % a.out.size[d];
    finish(&a);
}

/* Names of a that are an identity alone, so that quotients are. */
static void make_alone(uint64_t *seed)
{
    for (int i = 0, k = 0; i < a.in.count; k += a.in.bits[i++]) {
        int d = find(&a.out, a.in.name[i]);
        if (d < 0 || !test_range(seed, 0, 3)) continue;
        a.out.size[d] = a.in.size[i], a.out.bits[d] = a.in.bits[i];
        for (int n = 0; n < a.bits; n++) a.basis[n][d] = 0;
        for (int n = 0; n < a.in.bits[i]; n++) {
            memset(a.basis[k + n], 0, sizeof a.basis[0]);
            a.basis[k + n][d] = (uint64_t)1 << n;
        }
    }
    finish(&a);
}

/* One side of b is that of a. */
static void share(uint64_t *seed)
{
    if (test_range(seed, 0, 1)) b.in = a.in;
    else b.out = a.out;
    draw_bases(seed, &b);
}

static void check_case(uint64_t *seed)
{
    bool modular = number % 4 < 2;
    draw_map(seed, &b, 4, modular);
    draw_map(seed, &a, number % 2 ? 5 : 4, modular);
    if (number % 4 == 1 || number % 4 == 3) share(seed);
    if (number % 4 == 2 && test_range(seed, 0, 4)) relate(seed);
    if (number % 4 == 3) make_alone(seed);
    zlay_layout *A = read_layout(ctx, a.text), *B = read_layout(ctx, b.text);
    check_product(A, B);
    check_concats(A, B);
    check_transposes(seed, A);
    check_parts(seed, A);
    if (!modular) check_divides(A, B), check_quotient(seed, A), check_reshapes(seed, A), check_resizes(seed, A);
    zlay_layout_free(A);
    zlay_layout_free(B);
}

static void shapes(void **state)
{
    uint64_t seed = test_seed("refute/f2_shape"), count = test_exhaustive() ? 1000000 : test_iterations(CASES);
    ctx = *state;
    for (number = 0; number < count; number++) check_case(&seed);
    for (int op = 0; op < OPS; op++) {
        print_message("%s: %llu, none %llu, invalid %llu\n", ops[op], (unsigned long long)seen[op][0],
                      (unsigned long long)seen[op][1], (unsigned long long)seen[op][2]);
        assert_true(seen[op][0] > count / 25);
        assert_true(op > QUOTIENT || seen[op][1] > count / 25);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes)};
    return cmocka_run_group_tests(tests, begin, end);
}
