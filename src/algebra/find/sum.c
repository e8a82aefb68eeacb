/* SPDX-License-Identifier: Apache-2.0 */
/* One piece: a sum of functions of one coordinate each, an affine form modulo n, or an affine map
 * over F2. */
#include "algebra/layout/function.h"
#include "algebra/find/pieces.h"

static bool has_gaps(const zl_window *s)
{
    return s->points != s->t->size - s->t->undefined;
}

/* ---- a sum over the coordinates ------------------------------------------------------------ */

static int64_t along(const zl_window *s, size_t dim, uint64_t c, size_t out)
{
    return zl_search_value(s, s->first + c * s->step[dim], out);
}

/* The value is that at the corner and what each coordinate alone adds. */
static bool is_sum(const zl_window *s, size_t out)
{
    uint64_t at[ZL_PIECE_VARIABLES] = {0}, index = s->first;
    int64_t corner = zl_search_value(s, s->first, out), part;
    do {
        int64_t sum = corner;
        for (size_t i = 0; i < s->dims; i++)
            if (at[i] && (!zl_sub(along(s, i, at[i], out), corner, &part) ||
                          !zl_add(sum, part, &sum)))
                return false;
        if (sum != zl_search_value(s, index, out)) return false;
    } while (zl_search_next(s, at, &index));
    return true;
}

static zlay_status add_line(const zl_window *s, zl_draft *d, zl_quasi *value, const zl_quasi *at,
                            size_t dim, size_t out)
{
    zl_line l = {s->ctx, s->line, s->count[dim]};
    zl_quasi form;
    for (uint64_t c = 0; c < l.count; c++) s->line[c] = along(s, dim, c, out);
    zlay_status status = zl_line_form(d, &form, &l, &at[dim]);
    if (status) return status;
    if (!zl_sub(form.constant, s->line[0], &form.constant)) return ZLAY_NONE;
    return zl_quasi_add(&d->w, value, &form, 1);
}

static zlay_status sum_output(const zl_window *s, zl_draft *d, zl_quasi *value, const zl_quasi *at,
                              size_t out)
{
    zlay_status status = is_sum(s, out) ? ZLAY_OK : ZLAY_NONE;
    zl_quasi_set(value, status ? 0 : zl_search_value(s, s->first, out));
    for (size_t i = 0; i < s->dims && !status; i++)
        if (s->count[i] > 1) status = add_line(s, d, value, at, i, out);
    return status;
}

typedef zlay_status output(const zl_window *s, zl_draft *d, zl_quasi *value, const zl_quasi *at,
                           size_t out);

static zlay_status every_output(const zl_window *s, zl_draft *d, output *make)
{
    zl_quasi *at = zl_scratch(s->ctx, s->dims + s->outs, sizeof *at);
    if (!at) return ZLAY_ENOMEM;
    zlay_status status = zl_search_window(s, d, at);
    for (size_t i = 0; i < s->outs && !status; i++)
        status = make(s, d, &at[s->dims + i], at, i);
    return status ? status : zl_draft_piece(d, at + s->dims);
}

zlay_status zl_search_sum(const zl_window *s, zl_draft *d)
{
    return has_gaps(s) ? ZLAY_NONE : every_output(s, d, sum_output);
}

/* ---- an affine form modulo n ----------------------------------------------------------- */

typedef struct affine {
    int64_t least, modulus, slope[ZL_PIECE_VARIABLES];
} affine;

/* Two sizes of a step differ by the modulus. */
static bool find_modulus(const zl_window *s, affine *a, size_t out)
{
    uint64_t at[ZL_PIECE_VARIABLES] = {0}, index = s->first;
    int64_t value, step, apart;
    do {
        value = zl_search_value(s, index, out);
        if (value < a->least) a->least = value;
        for (size_t i = 0; i < s->dims; i++) {
            if (at[i] + 1 >= s->count[i]) continue;
            if (!zl_sub(zl_search_value(s, index + s->step[i], out), value, &step)) return false;
            if (!zl_sub(step, a->slope[i], &apart)) return false;
            if (apart && a->modulus && apart != a->modulus && apart != -a->modulus) return false;
            if (apart) a->modulus = apart < 0 ? -apart : apart;
        }
    } while (zl_search_next(s, at, &index));
    return a->modulus > 1;
}

static zlay_status modulo_output(const zl_window *s, zl_draft *d, zl_quasi *value,
                                 const zl_quasi *at, size_t out)
{
    affine a = {INT64_MAX, 0, {0}};
    int64_t corner = zl_search_value(s, s->first, out);
    for (size_t i = 0; i < s->dims; i++)
        if (s->count[i] > 1 && !zl_sub(along(s, i, 1, out), corner, &a.slope[i])) return ZLAY_NONE;
    if (!find_modulus(s, &a, out)) return sum_output(s, d, value, at, out);
    if (!zl_sub(corner, a.least, &corner)) return ZLAY_NONE;
    zl_quasi_set(value, corner);
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < s->dims && !status; i++)
        status = zl_quasi_add(&d->w, value, &at[i], a.slope[i]);
    if (!status) status = zl_draft_mod(d, value, value, a.modulus);
    if (!status && !zl_add(value->constant, a.least, &value->constant)) status = ZLAY_NONE;
    return status;
}

zlay_status zl_search_modulo(const zl_window *s, zl_draft *d)
{
    return has_gaps(s) ? ZLAY_NONE : every_output(s, d, modulo_output);
}

/* ---- an affine map over F2 ---------------------------------------------------------------- */

static bool bits_only(const zl_window *s)
{
    if (s->t->undefined || !zl_is_power_of_two(s->t->size)) return false;
    for (size_t i = 0; i < s->outs && s->outs > 1; i++)
        if (s->out_size[i] && !zl_is_power_of_two(s->out_size[i])) return false;
    return true;
}

static void spread(const zl_window *s, zl_dim *dim)
{
    for (size_t i = 0; i < s->outs; i++)
        dim[i].bits = s->outs > 1 ? (uint32_t)__builtin_ctzll(s->out_size[i]) : 62;
}

zlay_status zl_search_bits(const zl_window *s, zl_draft *d)
{
    zl_dim out[64] = {{{0}, 0, 0}}, in = {{0}, 0, 0};
    zl_function f = zl_table_function(s->t);
    zl_affine map;
    zl_break where;
    zl_quasi *at;
    size_t count;
    if (!bits_only(s) || !zl_affine_of_function(&map, &f, &where)) return ZLAY_NONE;
    if (zl_affine_support(&map) >> 62) return ZLAY_NONE;
    spread(s, out);
    in.bits = map.bits;
    zl_f2 f2 = {1, s->outs, &in, out, map.basis};
    zlay_status status = zl_draft_coordinates(d, &at, &count);
    if (!status) status = zl_draft_index(d, &at[0], at);
    return status ? status : zl_bits_walk(d, &f2, map.constant, at, 1, zl_visit_piece, NULL);
}
