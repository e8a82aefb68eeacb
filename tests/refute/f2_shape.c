/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute the transposes, reshapes, concatenations, sublayout and resizes of f2: every statement of f2.h about
 * them is decided at all points by coordinates and names.  Outputs of transposes and concatenations have any sizes.
 * 10^4 cases, 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "layouts/f2_maps.h"

static tuple a_at(const tuple *at) { return value_at(&a, at); }

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

static void check_case(uint64_t *seed)
{
    bool modular = number % 4 < 2;
    draw_map(seed, &b, 4, modular);
    draw_map(seed, &a, number % 2 ? 5 : 4, modular);
    if (number % 2) share(seed);
    zlay_layout *A = read_layout(ctx, a.text), *B = read_layout(ctx, b.text);
    check_concats(A, B);
    check_transposes(seed, A);
    check_parts(seed, A);
    if (!modular) check_reshapes(seed, A), check_resizes(seed, A);
    zlay_layout_free(A);
    zlay_layout_free(B);
}

static void shapes(void **state)
{
    uint64_t seed = test_seed("refute/f2_shape"), count = test_cases(CASES);
    ctx = *state;
    for (number = 0; number < count; number++) check_case(&seed);
    report(TRANSPOSE, RESIZE, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes)};
    return cmocka_run_group_tests(tests, begin, end);
}
