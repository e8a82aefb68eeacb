/* SPDX-License-Identifier: Apache-2.0 */
/* Refuter of swizzle.normal, for layouts of every kind and size: values at every point decide whether a layout is affine
 * over F2.  A normal form is multiplied out at every point and compared with the conditions under which there is only one. */
#include "layouts/factor_tiles.h"

#include <zlay/normal.h>

enum { ATOMS = 512, NOWHERE = -1 };

static bool any_negative(const table *t)
{
    bool is = false;
    for (uint32_t i = 0; i < t->size; i++) is |= t->at[i] < 0;
    return is;
}

typedef struct form {
    size_t count[2];
    zlay_atom atom[2][ATOMS];
    int64_t strided[SLOTS];
    int to[16]; /* where STRIDED takes each bit */
} form;

/* Swizzles as they are written, the last of them first. */
static uint64_t swizzled(const form *f, int side, uint64_t x)
{
    for (size_t n = f->count[side]; n-- > 0;) {
        const zlay_atom *a = &f->atom[side][n];
        uint64_t mask = ((uint64_t)1 << a->bits) - 1;
        x ^= (x >> (a->base + a->shift) & mask) << a->base;
    }
    return x;
}

static void read_form(form *f, const zlay_normal *n, const table *t)
{
    for (int side = 0; side < 2; side++) {
        f->count[side] = zlay_normal_swizzles(f->atom[side], ATOMS, n, side);
        assert_true(f->count[side] <= ATOMS);
    }
    for (uint32_t i = 0; i < t->size; i++) f->strided[i] = layout_at(zlay_normal_strided(n), i);
}

/* Shifts grow; of one shift bases fall, and what touches the next higher is as long as it can be. */
static bool in_order(const zlay_atom *a, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (a[i].bits < 1 || a[i].base < 0 || a[i].shift < a[i].bits || a[i].reserved) return false;
        if (!i || a[i].shift > a[i - 1].shift) continue;
        int end = a[i].base + a[i].bits;
        if (a[i].shift < a[i - 1].shift || end > a[i - 1].base || (end == a[i - 1].base && a[i].bits < a[i].shift)) return false;
    }
    return true;
}

/* STRIDED takes each bit to another one, to its complement, or to nothing. */
static bool takes_bits(form *f, const table *t)
{
    uint64_t taken = 0;
    for (int k = 0; k < t->bits; k++) {
        uint64_t to = (uint64_t)(f->strided[1u << k] ^ f->strided[0]);
        f->to[k] = to ? __builtin_ctzll(to) : NOWHERE;
        if (to & (to - 1) || taken & to) return false;
        taken |= to;
    }
    for (uint32_t i = 0; i < t->size; i++) {
        uint64_t value = (uint64_t)f->strided[0];
        for (int k = 0; k < t->bits; k++)
            if (i >> k & 1 && f->to[k] >= 0) value ^= (uint64_t)1 << f->to[k];
        if (value != (uint64_t)f->strided[i]) return false;
    }
    return true;
}

/* The conditions of zlay/factor.h. */
static bool is_canonical(const form *f, const table *t)
{
    uint64_t reached = 0;
    for (int k = 0; k < t->bits; k++) {
        uint64_t index = swizzled(f, ZLAY_NORMAL_INDEX, (uint64_t)1 << k);
        if (f->to[k] >= 0) reached |= (uint64_t)1 << f->to[k];
        for (int i = 0; i < k; i++)
            if (index >> i & 1 && f->to[i] <= f->to[k]) return false;
    }
    for (int b = 0; b < 63; b++)
        if (!(reached >> b & 1) && swizzled(f, ZLAY_NORMAL_OFFSET, (uint64_t)1 << b) != (uint64_t)1 << b) return false;
    return true;
}

static void check_normal(zlay_ctx *ctx, const zlay_layout *layout, const table *t, bool whole, const char *text)
{
    static form f;
    zlay_normal *n = NULL;
    zlay_status status = zlay_swizzle_normal(ctx, &n, layout);
    bool affine = whole && is_affine(t), negative = whole && any_negative(t);
    bool fits = status == (affine && !negative ? ZLAY_OK : affine ? ZLAY_ENOTSUP : ZLAY_NONE);
    if (!fits && !(status == ZLAY_ENOTSUP && negative)) fail_msg("swizzle.normal of %s: %d %s, affine: %d", text, status, zlay_ctx_message(ctx), affine);
    if (status) return;
    read_form(&f, n, t);
    if (!in_order(f.atom[0], f.count[0]) || !in_order(f.atom[1], f.count[1])) fail_msg("swizzles of %s are in no order", text);
    if (!takes_bits(&f, t)) fail_msg("STRIDED of %s is no permutation of bits", text);
    if (!is_canonical(&f, t)) fail_msg("the form of %s is not the one", text);
    for (uint32_t i = 0; i < t->size; i++)
        if (swizzled(&f, ZLAY_NORMAL_OFFSET, (uint64_t)f.strided[swizzled(&f, ZLAY_NORMAL_INDEX, i)]) != (uint64_t)t->at[i])
            fail_msg("the form of %s has another value at %u", text, i);
    zlay_normal_free(n);
}

static void forms(void **state)
{
    static drawn d;
    uint64_t seed = test_seed("refute-factor"), count = cases(), affine = 0;
    for (uint64_t n = 0; n < count; n++) {
        uint64_t own = test_case(seed, n);
        draw_any(&d, &own);
        zlay_layout *layout = read_layout(*state, d.text);
        check_normal(*state, layout, &d.table, d.whole, d.text);
        affine += d.whole && is_affine(&d.table);
        zlay_layout_free(layout);
    }
    printf("%llu layouts: %llu are affine over F2; none refuted\n", (unsigned long long)count, (unsigned long long)affine);
    assert_true(affine > count / 4 && affine < count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms)};
    return cmocka_run_group_tests(tests, begin, end);
}
