/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/presburger/isl/isl_object.h"

#if ZL_ENGINES
#include <isl/constraint.h>
#include <isl/local_space.h>
#include <isl/options.h>

/* ---- an isl_ctx a call, and what became of it ---------------------------------------- */

static uint64_t bytes_of(const zl_pieces *p)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < p->count; i++)
        rows += p->piece[i].equals + p->piece[i].leasts + p->outs + 2 * (p->dims + p->divs);
    return rows * zl_pieces_width(p) * 16;
}

/* An operation of isl is a pivot or the like, and takes the longer the more there were, for its
 * integers grow: of random questions up to 5 us, but 20,000 took up to 0.9 s, and 53,000 more than
 * 10 s.  So n of them cost n * (700 + 5/8 n) steps, up to 13,000 each; STEPS_BEGIN pays for the
 * first 2048.  A call may ask for as many as limits.work pays for at the highest price, and pays
 * for all of them where it meets its quota. */
enum {
    STEPS_OPERATION = 13000,
    STEPS_FIRST = 700,
    OPERATIONS_BEGIN = 2048,
    STEPS_BEGIN = 1 << 22
};

static uint64_t price_of(uint64_t operations)
{
    uint64_t each = STEPS_FIRST + operations * 5 / 8;
    return operations * (each < STEPS_OPERATION ? each : STEPS_OPERATION);
}

static uint64_t quota_of(zlay_ctx *ctx)
{
    uint64_t most = zl_limits(ctx)->isl_ops, paid = zl_work_left(ctx) / STEPS_OPERATION;
    return most < paid ? most : paid ? paid : 1;
}

zlay_status zl_isl_begin(zl_isl *e, zlay_ctx *ctx, const zl_pieces *a, const zl_pieces *b)
{
    uint64_t bytes = bytes_of(a) + (b ? bytes_of(b) : 0), most = zl_limits(ctx)->big_bytes;
    *e = (zl_isl){ctx, NULL, 0};
    if (bytes > most)
        return zl_fail(ctx, ZLAY_ELIMIT,
                       "limits.big_bytes is %llu and the pieces need %llu for isl",
                       (unsigned long long)most, (unsigned long long)bytes);
    if (zl_charge(ctx, STEPS_BEGIN)) return ZLAY_ENOMEM;
    e->quota = quota_of(ctx);
    e->isl = isl_ctx_alloc();
    if (!e->isl) return zl_fail(ctx, ZLAY_ENOMEM, "no memory for isl");
    isl_options_set_on_error(e->isl, ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(e->isl, e->quota);
    return ZLAY_OK;
}

/* What was left of limits.work was isl's quota. */
static zlay_status end(zlay_ctx *ctx)
{
    zl_charge(ctx, zl_limits(ctx)->work);
    return ZLAY_ENOMEM;
}

zlay_status zl_isl_failed(const zl_isl *e)
{
    unsigned long long most = (unsigned long long)zl_limits(e->ctx)->isl_ops;
    switch (isl_ctx_last_error(e->isl)) {
    case isl_error_quota:
        if (zl_charge(e->ctx, e->quota * STEPS_OPERATION) || e->quota < most)
            return end(e->ctx);
        return zl_fail(e->ctx, ZLAY_ELIMIT, "limits.isl_ops is %llu and isl asks for more", most);
    case isl_error_alloc: return zl_fail(e->ctx, ZLAY_ENOMEM, "no memory for isl");
    default:
        return zl_fail(e->ctx, ZLAY_EINTERNAL, "isl: %s",
                       isl_ctx_last_error_msg(e->isl) ? isl_ctx_last_error_msg(e->isl) : "failed");
    }
}

/* A fresh quota after one that ended, which is paid for. */
void zl_isl_again(zl_isl *e)
{
    if (isl_ctx_last_error(e->isl) == isl_error_quota)
        zl_charge(e->ctx, e->quota * STEPS_OPERATION);
    e->quota = quota_of(e->ctx);
    isl_ctx_set_max_operations(e->isl, e->quota);
    isl_ctx_reset_error(e->isl);
    isl_ctx_reset_operations(e->isl);
}

/* { [x, y] : 2x + 3y >= 7 }: whether it is empty takes isl an operation or two, once for a set. */
static isl_set *half_plane(isl_ctx *isl)
{
    isl_local_space *s = isl_local_space_from_space(isl_space_set_alloc(isl, 0, 2));
    isl_constraint *row = isl_constraint_alloc_inequality(isl_local_space_copy(s));
    row = isl_constraint_set_coefficient_si(row, isl_dim_set, 0, 2);
    row = isl_constraint_set_coefficient_si(row, isl_dim_set, 1, 3);
    row = isl_constraint_set_constant_si(row, -7);
    isl_basic_set *half = isl_basic_set_universe(isl_local_space_get_space(s));
    isl_local_space_free(s);
    return isl_set_from_basic_set(isl_basic_set_add_constraint(half, row));
}

/* Operations that isl has counted, rounded up to OPERATIONS_BEGIN or by at most a quarter.  isl
 * does not say how many there were, but refuses one more where a quota below them is set. */
static uint64_t operations_of(const zl_isl *e)
{
    isl_set *half = half_plane(e->isl);
    uint64_t most = OPERATIONS_BEGIN;
    for (; most < e->quota; most += most / 4) {
        isl_ctx_set_max_operations(e->isl, most);
        if (isl_set_is_empty(half) != isl_bool_error) break;
        isl_ctx_reset_error(e->isl);
    }
    isl_set_free(half);
    return most < e->quota ? most : e->quota;
}

void zl_isl_end(zl_isl *e)
{
    if (!e->isl) return;
    bool paid = isl_ctx_last_error(e->isl) == isl_error_quota;
    uint64_t price = paid ? 0 : price_of(operations_of(e));
    if (price > STEPS_BEGIN) zl_charge(e->ctx, price - STEPS_BEGIN);
    isl_ctx_free(e->isl);
}

/* ---- pieces as isl objects: coordinates and outputs stand in reverse, so that isl's lexicographic
 * order is that of indices ---------------------------------------------------------------- */

isl_space *zl_isl_space(const zl_isl *e, const zl_pieces *p, size_t dims)
{
    isl_space *s = isl_space_set_alloc(e->isl, (unsigned)p->params, (unsigned)dims);
    for (size_t i = 0; i < p->params; i++)
        s = isl_space_set_dim_name(s, isl_dim_param, (unsigned)i, p->param[i].text);
    return s;
}

static isl_val *val(const zl_isl *e, int64_t value) { return isl_val_int_from_si(e->isl, value); }

/* A size, which may pass 2^63. */
static isl_val *size_val(const zl_isl *e, uint64_t size)
{
    return isl_val_int_from_ui(e->isl, size);
}

static isl_aff *row_of(const zl_isl *e, const zl_pieces *p, const int64_t *row,
                       isl_aff *const *div, size_t divs)
{
    isl_aff *sum = isl_aff_zero_on_domain(isl_local_space_from_space(zl_isl_space(e, p, p->dims)));
    sum = isl_aff_set_constant_val(sum, val(e, row[0]));
    row++;
    for (size_t i = 0; i < p->params; i++)
        if (row[i]) sum = isl_aff_set_coefficient_val(sum, isl_dim_param, (int)i, val(e, row[i]));
    row += p->params;
    for (size_t i = 0; i < p->dims; i++)
        if (row[i])
            sum = isl_aff_set_coefficient_val(sum, isl_dim_in, (int)(p->dims - 1 - i),
                                              val(e, row[i]));
    row += p->dims;
    for (size_t q = 0; q < divs; q++)
        if (row[q])
            sum = isl_aff_add(sum, isl_aff_scale_val(isl_aff_copy(div[q]), val(e, row[q])));
    return sum;
}

static void divs_of(const zl_isl *e, const zl_pieces *p, isl_aff **div)
{
    for (size_t q = 0; q < p->divs; q++) {
        isl_aff *row = row_of(e, p, p->div + q * zl_pieces_width(p), div, q);
        div[q] = isl_aff_floor(isl_aff_scale_down_val(row, val(e, p->den[q])));
    }
}

static isl_set *row_set(isl_aff *row, bool equal)
{
    isl_aff *zero = isl_aff_zero_on_domain(isl_aff_get_domain_local_space(row));
    return isl_set_from_basic_set(equal ? isl_aff_eq_basic_set(row, zero)
                                        : isl_aff_ge_basic_set(row, zero));
}

isl_set *zl_isl_box(const zl_isl *e, const zl_pieces *p, const uint64_t *extent, size_t dims)
{
    isl_set *box = isl_set_universe(zl_isl_space(e, p, dims));
    for (size_t i = 0; i < dims; i++) {
        unsigned at = (unsigned)(dims - 1 - i);
        if (!extent[i]) continue;
        box = isl_set_lower_bound_val(box, isl_dim_set, at, val(e, 0));
        box = isl_set_upper_bound_val(box, isl_dim_set, at, size_val(e, extent[i] - 1));
    }
    return box;
}

static isl_set *guard_of(const zl_isl *e, const zl_pieces *p, const zl_piece *piece,
                         isl_aff *const *div)
{
    isl_set *set = zl_isl_box(e, p, p->extent, p->dims);
    for (size_t r = 0; r < piece->equals + piece->leasts; r++)
        set = isl_set_intersect(
            set, row_set(row_of(e, p, piece->guard + r * zl_pieces_width(p), div, p->divs),
                         r < piece->equals));
    return set;
}

static isl_map *piece_map(const zl_isl *e, const zl_pieces *p, const zl_piece *piece,
                          isl_aff *const *div)
{
    isl_aff_list *list = isl_aff_list_alloc(e->isl, (int)p->outs);
    for (size_t r = p->outs; r-- > 0;)
        list = isl_aff_list_add(
            list, row_of(e, p, piece->value + r * zl_pieces_width(p), div, p->divs));
    isl_space *to = isl_space_map_from_domain_and_range(zl_isl_space(e, p, p->dims),
                                                        zl_isl_space(e, p, p->outs));
    isl_map *map = isl_map_from_multi_aff(isl_multi_aff_from_aff_list(to, list));
    return isl_map_intersect_domain(map, guard_of(e, p, piece, div));
}

isl_map *zl_isl_map(const zl_isl *e, const zl_pieces *p)
{
    isl_aff *div[ZL_PIECE_VARIABLES];
    isl_map *map = isl_map_empty(isl_space_map_from_domain_and_range(zl_isl_space(e, p, p->dims),
                                                                     zl_isl_space(e, p, p->outs)));
    divs_of(e, p, div);
    for (size_t i = 0; i < p->count; i++)
        map = isl_map_union(map, piece_map(e, p, &p->piece[i], div));
    for (size_t q = 0; q < p->divs; q++) isl_aff_free(div[q]);
    return map;
}

isl_set *zl_isl_domain(const zl_isl *e, const zl_pieces *p)
{
    isl_aff *div[ZL_PIECE_VARIABLES];
    isl_set *set = isl_set_empty(zl_isl_space(e, p, p->dims));
    divs_of(e, p, div);
    for (size_t i = 0; i < p->count; i++)
        set = isl_set_union(set, guard_of(e, p, &p->piece[i], div));
    for (size_t q = 0; q < p->divs; q++) isl_aff_free(div[q]);
    return set;
}

/* The coordinates of an index: floor(t / step) mod extent. */
isl_map *zl_isl_by_index(const zl_isl *e, const zl_pieces *p, isl_map *map)
{
    isl_space *one = zl_isl_space(e, p, 1);
    isl_aff_list *list = isl_aff_list_alloc(e->isl, (int)p->dims);
    uint64_t size = 1, step[ZL_PIECE_VARIABLES];
    for (size_t i = 0; i < p->dims; size *= p->extent[i++]) step[i] = size;
    for (size_t i = p->dims; i-- > 0;) {
        isl_aff *t = isl_aff_var_on_domain(isl_local_space_from_space(isl_space_copy(one)),
                                           isl_dim_set, 0);
        t = isl_aff_floor(isl_aff_scale_down_val(t, val(e, (int64_t)step[i])));
        list = isl_aff_list_add(list, isl_aff_mod_val(t, val(e, (int64_t)p->extent[i])));
    }
    isl_space *to = isl_space_map_from_domain_and_range(one, zl_isl_space(e, p, p->dims));
    map = isl_map_preimage_domain_multi_aff(map, isl_multi_aff_from_aff_list(to, list));
    return isl_map_intersect_domain(map, zl_isl_box(e, p, &size, 1));
}

/* Several outputs as their colexicographic index. */
isl_map *zl_isl_flat(const zl_isl *e, const zl_pieces *p, isl_map *map)
{
    isl_space *outs = zl_isl_space(e, p, p->outs);
    isl_aff *sum = isl_aff_zero_on_domain(isl_local_space_from_space(isl_space_copy(outs)));
    uint64_t step = 1;
    for (size_t r = 0; r < p->outs; step *= p->out_size[r++])
        sum = isl_aff_set_coefficient_val(sum, isl_dim_in, (int)(p->outs - 1 - r),
                                          size_val(e, step));
    isl_space_free(outs);
    return isl_map_apply_range(map, isl_map_from_aff(sum));
}

/* ---- points ---------------------------------------------------------------------------- */

bool zl_isl_integer(isl_val *v, int64_t *out)
{
    bool fits = isl_val_is_int(v) == isl_bool_true && isl_val_n_abs_num_chunks(v, 8) <= 1 &&
                isl_val_cmp_si(v, INT64_MAX) <= 0 && isl_val_cmp_si(v, INT64_MIN) >= 0;
    if (fits) *out = isl_val_get_num_si(v);
    isl_val_free(v);
    return fits;
}

/* A point of the set, which is not empty; NULL also where isl ran out of operations on the way, of
 * which its point of no set is all that is seen.  Takes the set. */
static isl_point *sample(isl_set *set)
{
    isl_point *point = isl_set_sample_point(set);
    if (!point || isl_point_is_void(point) == isl_bool_false) return point;
    isl_point_free(point);
    return NULL;
}

static bool take_least(zl_isl *e, isl_set *set, isl_point **out)
{
    bool params = isl_set_dim(set, isl_dim_param) > 0;
    *out = params ? NULL : sample(isl_set_lexmin(isl_set_copy(set)));
    if (*out || isl_ctx_last_error(e->isl) == isl_error_alloc) return *out;
    zl_isl_again(e);
    *out = sample(isl_set_copy(set));
    return false;
}

/* Coordinates of a point, those of the first of `parts` layouts first; takes the set. */
zlay_status zl_isl_point_of(zl_isl *e, isl_set *set, int64_t *at, zl_isl_point *where)
{
    isl_point *point = NULL;
    bool fits = true;
    if (!set) return zl_isl_failed(e);
    zl_isl_point ignored;
    if (!where) where = &ignored;
    int dims = isl_set_dim(set, isl_dim_set);
    int params = isl_set_dim(set, isl_dim_param);
    where->least = take_least(e, set, &point);
    isl_set_free(set);
    if (!point) return zl_isl_failed(e);
    for (int i = 0; i < dims; i++)
        fits = zl_isl_integer(isl_point_get_coordinate_val(point, isl_dim_set, i), &at[i]) && fits;
    where->params = (size_t)params;
    for (int i = 0; i < params; i++)
        fits = zl_isl_integer(isl_point_get_coordinate_val(point, isl_dim_param, i),
                              &where->param[i]) &&
               fits;
    isl_point_free(point);
    if (fits) return ZLAY_OK;
    if (isl_ctx_last_error(e->isl) != isl_error_none) return zl_isl_failed(e);
    return zl_fail(e->ctx, ZLAY_EOVERFLOW, "the point that shows the answer does not fit 64 bits");
}

void zl_isl_coordinates(zl_isl_point *where, const zl_pieces *p, const int64_t *reverse)
{
    uint64_t step = 1;
    where->index = 0;
    for (size_t i = 0; i < p->dims; i++) {
        where->at[i] = reverse[p->dims - 1 - i];
        where->index += step * (uint64_t)where->at[i];
        step *= p->extent[i];
    }
    if (!step) where->index = 0;
}

#endif
