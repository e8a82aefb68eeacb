/* SPDX-License-Identifier: Apache-2.0 */
/* A relation as a function: isl projects variables out and finds the divisions. */
#include "algebra/presburger/claims.h"
#include "algebra/presburger/isl/isl_object.h"

#if ZL_ENGINES
#include <isl/constraint.h>

typedef struct answer {
    zl_isl *e;
    zl_claims *to;
    const zl_row **value; /* of the piece that is being read */
    zlay_status status;
} answer;

/* ---- isl's forms as zlay's -------------------------------------------------------------- */

/* A coefficient times the denominator of its form. */
static zlay_status number(answer *m, isl_val *v, const isl_val *den, int64_t *out)
{
    isl_val *whole = isl_val_mul(v, isl_val_copy((isl_val *)(uintptr_t)den));
    if (!whole) return zl_isl_failed(m->e);
    if (zl_isl_integer(whole, out)) return ZLAY_OK;
    return zl_fail(m->e->ctx, ZLAY_EOVERFLOW, "a coefficient does not fit 64 bits");
}

static zlay_status form_of(answer *m, isl_aff *aff, zl_quasi *out, int depth);

static zlay_status known_terms(answer *m, isl_aff *aff, const isl_val *den, zl_quasi *out)
{
    zl_world *w = m->to->w;
    zlay_status status = number(m, isl_aff_get_constant_val(aff), den, &out->constant);
    for (size_t v = 0; v < w->params + w->dims && !status; v++) {
        int64_t factor;
        bool param = v < w->params;
        int at = param ? (int)v : (int)(w->dims - 1 - (v - w->params));
        status = number(m, isl_aff_get_coefficient_val(aff, param ? isl_dim_param : isl_dim_in, at),
                        den, &factor);
        if (!status && factor) zl_quasi_put(out, v, factor);
    }
    return status;
}

static zlay_status div_term(answer *m, isl_aff *aff, const isl_val *den, zl_quasi *out, int i,
                            int depth)
{
    int64_t factor;
    zlay_status status =
        number(m, isl_aff_get_coefficient_val(aff, isl_dim_div, i), den, &factor);
    if (status || !factor) return status;
    zl_quasi *div = zl_quasi_new(m->to->w);
    if (!div) return ZLAY_ENOMEM;
    isl_aff *inner = isl_aff_get_div(aff, i);
    status = inner ? form_of(m, inner, div, depth + 1) : zl_isl_failed(m->e);
    isl_aff_free(inner);
    if (!status) status = zl_quasi_floor(m->to->w, div);
    if (!status) status = zl_quasi_add(m->to->w, out, div, factor);
    zl_quasi_drop(m->to->w, div);
    return status;
}

enum { DEPTH_MOST = 64 };

/* The denominator is set last, so that sums on the way are of integers. */
static zlay_status form_of(answer *m, isl_aff *aff, zl_quasi *out, int depth)
{
    isl_val *den = isl_aff_get_denominator_val(aff);
    int64_t whole = 1;
    if (depth > DEPTH_MOST) {
        isl_val_free(den);
        return zl_fail(m->e->ctx, ZLAY_ELIMIT, "divisions are nested more than %d deep",
                       DEPTH_MOST);
    }
    zl_quasi_set(out, 0);
    zlay_status status = den ? known_terms(m, aff, den, out) : zl_isl_failed(m->e);
    int divs = isl_aff_dim(aff, isl_dim_div);
    for (int i = 0; i < divs && !status; i++) status = div_term(m, aff, den, out, i, depth);
    if (!den || !zl_isl_integer(den, &whole))
        return status ? status
                      : zl_fail(m->e->ctx, ZLAY_EOVERFLOW, "a divisor does not fit 64 bits");
    return status ? status : zl_quasi_divide(m->to->w, out, whole);
}

/* ---- isl's pieces as claims ---------------------------------------------------------------- */

typedef struct reading {
    answer *m;
    zl_guard guard;
    bool possible;
} reading;

static isl_stat read_constraint(isl_constraint *constraint, void *user)
{
    reading *r = user;
    answer *m = r->m;
    bool equal = isl_constraint_is_equality(constraint) == isl_bool_true;
    isl_aff *aff = isl_constraint_get_aff(constraint);
    zl_quasi *form = zl_quasi_new(m->to->w);
    m->status = !form ? ZLAY_ENOMEM : aff ? form_of(m, aff, form, 0) : zl_isl_failed(m->e);
    if (!m->status) m->status = zl_guard_put(m->to->w, &r->guard, form, equal, &r->possible);
    zl_quasi_drop(m->to->w, form);
    isl_aff_free(aff);
    isl_constraint_free(constraint);
    return m->status ? isl_stat_error : isl_stat_ok;
}

static isl_stat read_basic_set(isl_basic_set *set, void *user)
{
    answer *m = user;
    reading r = {m, {0}, true};
    isl_stat stat = isl_basic_set_foreach_constraint(set, read_constraint, &r);
    isl_basic_set_free(set);
    if (stat == isl_stat_ok && r.possible)
        m->status = zl_claims_put(m->to, (zl_claim){r.guard, m->value});
    return stat == isl_stat_ok && !m->status ? isl_stat_ok : isl_stat_error;
}

/* A value is an integer on its piece, so its floor is the value. */
static zlay_status read_values(answer *m, isl_multi_aff *values)
{
    size_t outs = m->to->outs;
    zlay_status status = ZLAY_OK;
    m->value = zl_scratch(m->to->w->ctx, outs, sizeof *m->value);
    if (!m->value) return ZLAY_ENOMEM;
    for (size_t r = 0; r < outs && !status; r++) {
        isl_aff *aff = isl_multi_aff_get_aff(values, (int)(outs - 1 - r));
        zl_quasi *form = zl_quasi_new(m->to->w);
        status = !form ? ZLAY_ENOMEM : aff ? form_of(m, aff, form, 0) : zl_isl_failed(m->e);
        if (!status) status = zl_quasi_floor(m->to->w, form);
        m->value[r] = status ? NULL : zl_row_new(m->to->w, form, false);
        if (!status && !m->value[r]) status = ZLAY_ENOMEM;
        zl_quasi_drop(m->to->w, form);
        isl_aff_free(aff);
    }
    return status;
}

static isl_stat read_piece(isl_set *set, isl_multi_aff *values, void *user)
{
    answer *m = user;
    m->status = read_values(m, values);
    isl_multi_aff_free(values);
    if (!m->status) set = isl_set_compute_divs(set);
    isl_stat stat = m->status ? isl_stat_error : isl_set_foreach_basic_set(set, read_basic_set, m);
    isl_set_free(set);
    return stat;
}

static zlay_status read_function(answer *m, isl_map *map)
{
    isl_bool single = isl_map_is_single_valued(map);
    if (single != isl_bool_true) {
        isl_map_free(map);
        return single == isl_bool_error ? zl_isl_failed(m->e) : ZLAY_NONE;
    }
    isl_pw_multi_aff *pieces = isl_pw_multi_aff_coalesce(isl_pw_multi_aff_from_map(map));
    if (!pieces) return zl_isl_failed(m->e);
    isl_stat stat = isl_pw_multi_aff_foreach_piece(pieces, read_piece, m);
    isl_pw_multi_aff_free(pieces);
    return stat == isl_stat_ok || m->status ? m->status : zl_isl_failed(m->e);
}

zlay_status zl_isl_functions(zl_claims *to, const zl_pieces *relation, size_t frees)
{
    zl_isl e;
    answer m = {&e, to, NULL, ZLAY_OK};
    zlay_status status = zl_isl_begin(&e, to->w->ctx, relation, NULL);
    if (!status) {
        isl_set *set = isl_set_project_out(zl_isl_domain(&e, relation), isl_dim_set, 0,
                                           (unsigned)frees);
        isl_map *map = isl_map_move_dims(isl_map_from_range(set), isl_dim_in, 0, isl_dim_out,
                                         (unsigned)to->outs, (unsigned)to->w->dims);
        status = map ? read_function(&m, map) : zl_isl_failed(&e);
    }
    zl_isl_end(&e);
    return status;
}

/* One question of zl_isl_coalesce: isl's pieces of a's map as claims over a's box. */
static zlay_status coalesced(zl_isl *e, zl_claims *to, const zl_pieces *p)
{
    answer m = {e, to, NULL, ZLAY_OK};
    zlay_status status = read_function(&m, isl_map_coalesce(zl_isl_map(e, p)));
    return status == ZLAY_NONE ? zl_fail(e->ctx, ZLAY_EINTERNAL, "guards overlap") : status;
}

zlay_status zl_isl_coalesce(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    const zl_pieces *p = &a->pieces;
    zl_world w;
    zl_isl e;
    zl_mark mark = zl_scratch_mark(ctx);
    zl_claims claims = {&w, p->outs, 0, 0, NULL};
    zl_claims_frame frame = {p->extent, zl_pieces_sized(p) ? p->out_size : NULL};
    zl_world_begin(&w, ctx, p->params, p->dims, p->param);
    zlay_status status = zl_isl_begin(&e, ctx, p, NULL);
    if (!status) status = coalesced(&e, &claims, p);
    zl_isl_end(&e);
    if (!status) status = zl_claims_layout(&claims, out, &frame);
    zl_scratch_release(ctx, mark);
    return status;
}

#else

zlay_status zl_isl_coalesce(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    (void)out, (void)a;
    return zl_fail(ctx, ZLAY_ELIMIT, "this zlay is built without isl, which merges pieces");
}

zlay_status zl_isl_functions(zl_claims *to, const zl_pieces *relation, size_t frees)
{
    (void)relation, (void)frees;
    return zl_fail(to->w->ctx, ZLAY_ELIMIT,
                   "this zlay is built without isl, which the condition needs");
}

#endif
