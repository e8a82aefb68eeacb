/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that are subset sums: bases are the values at powers of two, and every value is checked.
 */
#include "algebra/layout/function.h"
#include "algebra/f2/f2.h"
#include "algebra/f2/modular.h"
#include "algebra/find/table.h"
#include "base/arith.h"

#include <stdio.h>

typedef struct search {
    zlay_ctx *ctx;
    const zl_function *values;
    zl_f2_form f;
} search;

/* A packed value; false when the outputs have no such tuple. */
static bool packed(const search *s, uint64_t index, uint64_t *out)
{
    const zl_f2 f2 = {0, s->f.outs, NULL, s->f.out, NULL};
    int64_t value;
    if (!s->values->at(s->values->env, index, &value)) return false;
    if (value < 0 || (uint64_t)value >= zl_modular_group(&f2)) return false;
    *out = zl_modular_packed(&f2, (uint64_t)value);
    return true;
}

static bool read_bases(search *s)
{
    for (unsigned k = 0; k < s->f.bits; k++)
        if (!packed(s, (uint64_t)1 << k, &s->f.basis[k])) return false;
    return true;
}

/* Every index by its lowest bit and the rest, which is smaller. */
static bool is_sum(const search *s)
{
    const zl_f2 f2 = {0, s->f.outs, NULL, s->f.out, s->f.basis};
    uint64_t value, rest;
    if (!packed(s, 0, &value) || value) return false;
    for (uint64_t i = 1; i < s->values->size; i++) {
        if (!packed(s, i, &value) || !packed(s, i & (i - 1), &rest)) return false;
        if (zl_modular_add(&f2, rest, s->f.basis[__builtin_ctzll(i)]) != value) return false;
    }
    return true;
}

/* The first sum that wraps wraps once, and so tells the modulus. */
static uint64_t modulus(const zl_function *f)
{
    for (uint64_t i = 1; i < f->size; i++) {
        int64_t rest, low, value, sum;
        if (!f->at(f->env, i & (i - 1), &rest) || !f->at(f->env, i & (0 - i), &low)) return 0;
        if (!f->at(f->env, i, &value) || rest < 0 || low < 0 || !zl_add(rest, low, &sum)) return 0;
        if (sum != value) /* a modulus is at most what wraps it, which is 0 or more */
            return value >= 0 && sum > value ? (uint64_t)(sum - value) : 0;
    }
    return 0;
}

static zlay_status inputs(search *s, const zl_modes *box, const zlay_layout *names)
{
    zl_dim dim = {.bits = 0};
    uint32_t outer = box->at[0].open ? 1 : 0;
    zlay_status status = ZLAY_OK;
    if (names && zl_is_bits(names)) return zl_f2_form_ins(&s->f, &names->f2);
    for (size_t i = 0, end; i < box->count && !status; i = end, outer = 0) {
        end = zl_part_end(box->at, i, box->at[i].open - outer);
        snprintf(dim.name, sizeof dim.name, "in%zu", s->f.ins);
        for (dim.bits = 0; i < end; i++)
            dim.bits += (uint32_t)__builtin_ctzll((uint64_t)box->at[i].shape);
        status = zl_f2_form_in(&s->f, &dim);
    }
    return status;
}

static bool all_powers(const zl_modes *box)
{
    for (size_t i = 0; i < box->count; i++)
        if (!zl_is_power_of_two((uint64_t)box->at[i].shape)) return false;
    return true;
}

static bool fits(search *s) { return read_bases(s) && is_sum(s); }

/* One output of the size that the values tell, by the name that there is. */
static zlay_status one_output(search *s, const zl_f2 *outs)
{
    zl_dim dim = {.name = "out0"};
    uint64_t n = modulus(s->values);
    if (!n || zl_is_power_of_two(n) || (outs && outs->outs != 1)) return ZLAY_NONE;
    if (outs) dim = outs->out[0];
    zl_dim_sized(&dim, n);
    s->f.outs = 0;
    s->f.reach = 0;
    zlay_status status = zl_f2_form_out(&s->f, &dim);
    return status || fits(s) ? status : ZLAY_NONE;
}

static zlay_status find(search *s, zlay_layout **out, const zl_f2 *outs)
{
    zlay_status status = outs ? zl_f2_form_outs(&s->f, outs) : ZLAY_OK;
    if (status) return status;
    if (!outs || !fits(s)) status = one_output(s, outs);
    return status ? status : zl_f2_form_end(&s->f, out);
}

/* A table that no form of this many dimensions holds has another one. */
zlay_status zl_find_modular(zlay_ctx *ctx, zlay_layout **out, const zl_function *f,
                            const zl_modes *box, const zlay_layout *names, const zl_f2 *outs)
{
    search s;
    if (!all_powers(box)) return ZLAY_NONE;
    s.ctx = ctx;
    s.values = f;
    zl_f2_form_begin(&s.f, ctx);
    zlay_status status = inputs(&s, box, names);
    if (!status) status = find(&s, out, outs);
    return status == ZLAY_ELIMIT || status == ZLAY_EOVERFLOW ? ZLAY_NONE : status;
}
