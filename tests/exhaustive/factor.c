/* SPDX-License-Identifier: Apache-2.0 */
/* The swizzle normal form of all 65,536 linear maps of four bits to four: each form is canonical
 * and multiplies out to its map, so no two maps share one; and there are as many canonical forms
 * as maps, so each of them is the form of a map: the form is unique. */
#include "layouts/layout.h"

#include <zlay/f2.h>
#include <zlay/normal.h>

enum { BITS = 4, MAPS = 1 << 16, ATOMS = 64, NOWHERE = -1 };

typedef struct form {
    size_t outer, inner;
    zlay_atom offset[ATOMS], index[ATOMS];
    int to[BITS]; /* where STRIDED takes each bit */
} form;

static uint64_t swizzled(const zlay_atom *a, size_t count, uint64_t x)
{
    while (count--) {
        uint64_t mask = ((uint64_t)1 << a[count].bits) - 1;
        x ^= (x >> (a[count].base + a[count].shift) & mask) << a[count].base;
    }
    return x;
}

static void form_of(zlay_ctx *ctx, form *f, unsigned code)
{
    uint64_t basis[BITS];
    zlay_dim dim = {"x", 1 << BITS};
    zlay_f2_bases bases = {sizeof bases, 0, 1, 1, &dim, &dim, basis};
    zlay_layout *layout;
    zlay_normal *n;
    for (unsigned k = 0; k < BITS; k++) basis[k] = code >> (BITS * k) & 15;
    assert_int_equal(zlay_f2_new(ctx, &layout, &bases), ZLAY_OK);
    assert_int_equal(zlay_swizzle_normal(ctx, &n, layout), ZLAY_OK);
    f->outer = zlay_normal_swizzles(f->offset, ATOMS, n, ZLAY_NORMAL_OFFSET);
    f->inner = zlay_normal_swizzles(f->index, ATOMS, n, ZLAY_NORMAL_INDEX);
    assert_true(f->outer <= ATOMS && f->inner <= ATOMS);
    for (unsigned k = 0; k < BITS; k++) {
        int64_t value = layout_at(zlay_normal_strided(n), (uint64_t)1 << k);
        assert_false(value & (value - 1));
        f->to[k] = value ? __builtin_ctzll((uint64_t)value) : NOWHERE;
    }
    zlay_normal_free(n);
    zlay_layout_free(layout);
}

static bool reached(const form *f, int bit)
{
    for (unsigned k = 0; k < BITS; k++)
        if (f->to[k] == bit) return true;
    return false;
}

static void assert_form(const form *f, unsigned code)
{
    for (unsigned k = 0; k < BITS; k++) {
        uint64_t index = swizzled(f->index, f->inner, 1u << k), strided = 0;
        for (unsigned i = 0; i < BITS; i++) {
            if (index >> i & 1 && f->to[i] != NOWHERE) strided ^= 1u << f->to[i];
            if (i < k && index >> i & 1) assert_true(f->to[i] > f->to[k]);
        }
        assert_int_equal(swizzled(f->offset, f->outer, strided), code >> (BITS * k) & 15);
        assert_int_equal(index >> k, 1);
        uint64_t offset = swizzled(f->offset, f->outer, 1u << k);
        assert_int_equal(offset >> k, 1);
        if (!reached(f, (int)k)) assert_int_equal(offset, 1u << k);
    }
}

/* The canonical forms of one partial permutation: free bits of U and of V. */
static uint64_t forms_of(const int to[BITS])
{
    int bits = 0;
    for (int k = 0; k < BITS; k++) {
        bits += to[k] == NOWHERE ? 0 : to[k];
        for (int i = 0; i < k; i++) bits += to[i] > to[k];
    }
    return (uint64_t)1 << bits;
}

static void as_many_forms_as_maps(void **state)
{
    uint64_t forms = 0;
    (void)state;
    for (int code = 0; code < 5 * 5 * 5 * 5; code++) {
        int to[BITS], left = code, used = 0, twice = 0;
        for (int k = 0; k < BITS; k++, left /= 5) {
            to[k] = left % 5 - 1;
            if (to[k] == NOWHERE) continue;
            twice |= used & 1 << to[k];
            used |= 1 << to[k];
        }
        if (!twice) forms += forms_of(to);
    }
    assert_int_equal(forms, MAPS);
}

static void all_maps(void **state)
{
    unsigned count = 0;
    form f;
    for (unsigned code = 0; code < MAPS; code++, count++) {
        form_of(*state, &f, code);
        assert_form(&f, code);
    }
    printf("normal forms: %u\n", count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_forms_as_maps), cmocka_unit_test(all_maps),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
