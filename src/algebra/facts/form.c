/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on forms: what is linear stays exact, the rest is known by its range. */
#include "algebra/facts/form.h"

zlay_range zl_linear_range(const zl_linear *form, const zl_unknown *at, size_t names)
{
    zlay_range sum = form->rest;
    for (size_t i = 0; i < names; i++)
        if (form->coefficient[i])
            sum = zl_range_add(sum, zl_range_scale(at[i].range, form->coefficient[i]));
    return sum;
}

bool zl_linear_names(const zl_linear *a, const zl_unknowns *u)
{
    for (size_t i = 0; i < u->count; i++)
        if (a->coefficient[i]) return true;
    return false;
}

static bool is_constant(const zl_linear *a, const zl_unknowns *u)
{
    return zl_range_is_constant(a->rest) && !zl_linear_names(a, u);
}

/* Into the rest, as far as the range of the unknown tells. */
static void term_drop(zl_linear *a, const zl_unknowns *u, size_t i)
{
    a->rest = zl_range_add(a->rest, zl_range_scale(u->at[i].range, a->coefficient[i]));
    a->coefficient[i] = 0;
    a->linear = false;
}

static void collapse(zl_linear *a, const zl_unknowns *u)
{
    for (size_t i = 0; i < u->count; i++)
        if (a->coefficient[i]) term_drop(a, u, i);
}

/* A product that does not fit leaves its term to the rest, before that is scaled. */
static void scale(zl_linear *a, const zl_unknowns *u, int64_t factor)
{
    for (size_t i = 0; i < u->count; i++) {
        int64_t product;
        if (zl_mul(a->coefficient[i], factor, &product)) a->coefficient[i] = product;
        else term_drop(a, u, i);
    }
    a->rest = zl_range_scale(a->rest, factor);
}

static void add(zl_linear *a, zl_linear *b, const zl_unknowns *u)
{
    for (size_t i = 0; i < u->count; i++) {
        int64_t sum;
        if (zl_add(a->coefficient[i], b->coefficient[i], &sum)) {
            a->coefficient[i] = sum;
        } else {
            term_drop(a, u, i);
            term_drop(b, u, i);
        }
    }
    a->rest = zl_range_add(a->rest, b->rest);
    a->linear = a->linear && b->linear;
}

static void multiply(zl_linear *a, zl_linear *b, const zl_unknowns *u)
{
    bool linear = a->linear && b->linear && !(zl_linear_names(a, u) && zl_linear_names(b, u));
    if (is_constant(a, u)) {
        int64_t factor = a->rest.rem;
        for (size_t i = 0; i < u->count; i++) a->coefficient[i] = b->coefficient[i];
        a->rest = b->rest;
        scale(a, u, factor);
    } else if (is_constant(b, u)) {
        scale(a, u, b->rest.rem);
    } else {
        linear = linear && !zl_linear_names(a, u) && !zl_linear_names(b, u);
        collapse(a, u);
        collapse(b, u);
        a->rest = zl_range_mul(a->rest, b->rest);
    }
    a->linear = linear && a->linear;
}

/* floor((n A + B) / n) = A + floor(B / n) and (n A + B) mod n = B mod n: only B is collapsed. */
static void divide(zl_linear *a, zl_linear *b, const zl_unknowns *u, bool remainder)
{
    int64_t n = is_constant(b, u) ? b->rest.rem : 0;
    bool linear = a->linear && b->linear && !zl_linear_names(a, u) && !zl_linear_names(b, u);
    for (size_t i = 0; i < u->count; i++) {
        int64_t c = a->coefficient[i];
        if (!n || n == -1 || c % n) term_drop(a, u, i);
        else a->coefficient[i] = 0, b->coefficient[i] = remainder ? 0 : c / n;
    }
    if (!n) collapse(b, u);
    a->rest = (remainder ? zl_range_mod : zl_range_floor_div)(a->rest, b->rest);
    for (size_t i = 0; n && i < u->count; i++) a->coefficient[i] = b->coefficient[i];
    a->linear = linear;
}

static void extreme(zl_linear *a, zl_linear *b, const zl_unknowns *u, bool greatest)
{
    bool linear = a->linear && b->linear && !zl_linear_names(a, u) && !zl_linear_names(b, u);
    collapse(a, u);
    collapse(b, u);
    a->rest = (greatest ? zl_range_max : zl_range_min)(a->rest, b->rest);
    a->linear = linear;
}

void zl_linear_apply(int op, zl_linear *a, zl_linear *b, const zl_unknowns *u)
{
    switch (op) {
    case ZL_LINEAR_SUB: scale(b, u, -1); add(a, b, u); break;
    case ZL_LINEAR_ADD: add(a, b, u); break;
    case ZL_LINEAR_MUL: multiply(a, b, u); break;
    case ZL_LINEAR_DIV: divide(a, b, u, false); break;
    case ZL_LINEAR_MOD: divide(a, b, u, true); break;
    case ZL_LINEAR_MIN: extreme(a, b, u, false); break;
    case ZL_LINEAR_MAX: extreme(a, b, u, true); break;
    default: break;
    }
}

void zl_linear_negate(zl_linear *a, const zl_unknowns *u) { scale(a, u, -1); }

size_t zl_linear_name(const zl_linear *a, const zl_unknowns *u, size_t *count)
{
    size_t place = 0;
    *count = 0;
    for (size_t i = 0; i < u->count; i++)
        if (a->coefficient[i]) place = i, ++*count;
    return place;
}
