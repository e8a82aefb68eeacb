/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute f2.product, divide_left, divide_right and quotient: every statement of f2.h about them is decided at
 * all points by coordinates and names.  Outputs of products have any sizes.  10^4 cases, 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "layouts/f2_maps.h"

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
    if (!modular) check_divides(A, B), check_quotient(seed, A);
    zlay_layout_free(A);
    zlay_layout_free(B);
}

static void products(void **state)
{
    uint64_t seed = test_seed("refute/f2_product"), count = test_cases(CASES);
    ctx = *state;
    for (number = 0; number < count; number++) check_case(&seed);
    report(PRODUCT, QUOTIENT, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products)};
    return cmocka_run_group_tests(tests, begin, end);
}
