/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/presburger/isl/isl_object.h"

#if ZL_ENGINES

static zlay_status decided(zlay_status status, zlay_answer *answer, zlay_answer found)
{
    if (status && status != ZLAY_ELIMIT) return status;
    *answer = status ? ZLAY_UNDECIDED : found;
    return ZLAY_OK;
}

static zlay_status point_in(zl_isl *e, isl_set *set, zl_isl_point *where,
                            const zl_pieces *p)
{
    int64_t at[ZL_PIECE_VARIABLES];
    zlay_status status = zl_isl_point_of(e, set, at, where);
    if (!status) zl_isl_coordinates(where, p, at);
    return status;
}

/* YES when the set is empty; else NO with its point.  Takes the set. */
static zlay_status none_in(zl_isl *e, isl_set *set, zlay_answer *answer,
                           zl_isl_point *where, const zl_pieces *p)
{
    isl_bool empty = isl_set_is_empty(set);
    zlay_status status = empty == isl_bool_error ? zl_isl_failed(e) : ZLAY_OK;
    if (empty == isl_bool_false) status = point_in(e, set, where, p);
    else isl_set_free(set);
    return decided(status, answer, empty == isl_bool_true ? ZLAY_YES : ZLAY_NO);
}

/* ---- questions --------------------------------------------------------------------------- */

/* An extent of 0 is not known and may be the other's. */
static bool same_box(const zl_pieces *a, const zl_pieces *b)
{
    if (a->dims != b->dims) return false;
    for (size_t i = 0; i < a->dims; i++)
        if (a->extent[i] != b->extent[i] && a->extent[i] && b->extent[i]) return false;
    return true;
}

static bool has_size(const zl_pieces *p)
{
    for (size_t i = 0; i < p->dims; i++)
        if (!p->extent[i]) return false;
    return true;
}

static bool has_outs(const zl_pieces *p)
{
    for (size_t r = 0; r < p->outs && p->outs > 1; r++)
        if (!p->out_size[r]) return false;
    return true;
}

/* Without extents or output sizes there is no index to compare by. */
static bool is_comparable(zlay_ctx *ctx, const zl_pieces *a, const zl_pieces *b)
{
    bool boxes = same_box(a, b) || (has_size(a) && has_size(b));
    bool outs = a->outs == b->outs || (has_outs(a) && has_outs(b));
    if (boxes && outs) return true;
    zl_fail(ctx, ZLAY_ELIMIT, boxes ? "the sizes of the outputs are not known"
                                    : "the boxes differ and depend on parameters");
    return false;
}

static void index_point(zl_isl_point *where, const zl_pieces *a)
{
    uint64_t index = (uint64_t)where->at[0];
    where->index = index;
    for (size_t i = 0; i < a->dims; index /= a->extent[i++])
        where->at[i] = (int64_t)(index % a->extent[i]);
}

static zlay_status differ(zl_isl *e, isl_map *x, isl_map *y, zlay_answer *answer,
                          zl_isl_point *where, const zl_pieces *p)
{
    isl_bool same = isl_map_is_equal(x, y);
    zlay_status status = same == isl_bool_error ? zl_isl_failed(e) : ZLAY_OK;
    isl_set *one = NULL;
    if (same == isl_bool_false) {
        one = isl_map_domain(isl_map_subtract(isl_map_copy(x), isl_map_copy(y)));
        one = isl_set_union(one, isl_map_domain(isl_map_subtract(y, x)));
        return none_in(e, one, answer, where, p);
    }
    isl_map_free(x);
    isl_map_free(y);
    return decided(status, answer, ZLAY_YES);
}

zlay_status zl_isl_equal(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point *where,
                         const zl_pieces *a, const zl_pieces *b)
{
    static const uint64_t unbounded = 0;
    const zl_pieces line = {.params = a->params, .dims = 1, .outs = 1, .extent = &unbounded};
    zl_isl e;
    if (!is_comparable(ctx, a, b)) return decided(ZLAY_ELIMIT, answer, ZLAY_NO);
    zlay_status status = zl_isl_begin(&e, ctx, a, b);
    if (status) return decided(status, answer, ZLAY_NO);
    isl_map *x = zl_isl_map(&e, a), *y = zl_isl_map(&e, b);
    bool indices = !same_box(a, b);
    if (indices) x = zl_isl_by_index(&e, a, x), y = zl_isl_by_index(&e, b, y);
    if (a->outs != b->outs) x = zl_isl_flat(&e, a, x), y = zl_isl_flat(&e, b, y);
    status = differ(&e, x, y, answer, where, indices ? &line : a);
    if (indices && !status && *answer == ZLAY_NO) index_point(where, a);
    zl_isl_end(&e);
    return status;
}

/* Pairs x -> y of one value, x before y. */
static isl_set *pairs_of(isl_map *map)
{
    isl_map *pairs = isl_map_apply_range(isl_map_copy(map), isl_map_reverse(isl_map_copy(map)));
    isl_map *before = isl_map_lex_lt(isl_space_domain(isl_map_get_space(map)));
    isl_map_free(map);
    return isl_set_flatten(isl_map_wrap(isl_map_intersect(pairs, before)));
}

static zlay_status collision(zl_isl *e, isl_map *map, zl_isl_point where[2],
                             const zl_pieces *a)
{
    int64_t at[2 * ZL_PIECE_VARIABLES];
    zlay_status status = zl_isl_point_of(e, pairs_of(map), at, &where[0]);
    if (status) return status;
    where[1] = where[0];
    zl_isl_coordinates(&where[0], a, at);
    zl_isl_coordinates(&where[1], a, at + a->dims);
    return ZLAY_OK;
}

zlay_status zl_isl_injective(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point where[2],
                             const zl_pieces *a)
{
    zl_isl e;
    zlay_status status = zl_isl_begin(&e, ctx, a, NULL);
    if (status) return decided(status, answer, ZLAY_NO);
    isl_map *map = zl_isl_map(&e, a);
    isl_bool injective = isl_map_is_injective(map);
    status = injective == isl_bool_error ? zl_isl_failed(&e) : ZLAY_OK;
    if (injective == isl_bool_false) status = collision(&e, map, where, a);
    else isl_map_free(map);
    zl_isl_end(&e);
    return decided(status, answer, injective == isl_bool_true ? ZLAY_YES : ZLAY_NO);
}

zlay_status zl_isl_surjective(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point *where,
                              const zl_pieces *a, const uint64_t *onto)
{
    const zl_pieces outs = {.params = a->params, .dims = a->outs, .extent = onto};
    zl_isl e;
    zlay_status status = zl_isl_begin(&e, ctx, a, NULL);
    if (status) return decided(status, answer, ZLAY_NO);
    isl_set *left = zl_isl_box(&e, a, onto, a->outs);
    left = isl_set_subtract(left, isl_map_range(zl_isl_map(&e, a)));
    status = none_in(&e, left, answer, where, &outs);
    zl_isl_end(&e);
    return status;
}

zlay_status zl_isl_contained(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point *where,
                             const zl_pieces *a, const zl_pieces *b)
{
    zl_isl e;
    zlay_status status = zl_isl_begin(&e, ctx, a, b);
    if (status) return decided(status, answer, ZLAY_NO);
    isl_map *map = zl_isl_map(&e, a);
    isl_set *left =
        isl_set_subtract(isl_map_range(isl_map_copy(map)), isl_map_range(zl_isl_map(&e, b)));
    status = none_in(&e, isl_map_domain(isl_map_intersect_range(map, left)), answer, where, a);
    zl_isl_end(&e);
    return status;
}

zlay_status zl_isl_empty(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point *where,
                         const zl_pieces *a)
{
    zl_isl e;
    zlay_status status = zl_isl_begin(&e, ctx, a, NULL);
    if (status) return decided(status, answer, ZLAY_NO);
    status = none_in(&e, zl_isl_domain(&e, a), answer, where, a);
    zl_isl_end(&e);
    return status;
}

zlay_status zl_isl_total(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point *where,
                         const zl_pieces *a)
{
    zl_isl e;
    zlay_status status = zl_isl_begin(&e, ctx, a, NULL);
    if (status) return decided(status, answer, ZLAY_NO);
    isl_set *left = isl_set_subtract(zl_isl_box(&e, a, a->extent, a->dims), zl_isl_domain(&e, a));
    status = none_in(&e, left, answer, where, a);
    zl_isl_end(&e);
    return status;
}

/* ---- bounds -------------------------------------------------------------------------------- */

static zlay_status bound(zl_isl *e, isl_val *v, int64_t *out)
{
    if (!v) return zl_isl_failed(e);
    bool infinite = isl_val_is_infty(v) == isl_bool_true || isl_val_is_neginfty(v) == isl_bool_true;
    if (zl_isl_integer(v, out)) return ZLAY_OK;
    if (infinite) return zl_fail(e->ctx, ZLAY_EINVAL, "the domain is unbounded");
    return zl_fail(e->ctx, ZLAY_EOVERFLOW, "a bound does not fit 64 bits");
}

static zlay_status bounds(zl_isl *e, int64_t *least, int64_t *greatest, isl_set *set)
{
    isl_bool empty = isl_set_is_empty(set);
    int dims = isl_set_dim(set, isl_dim_set);
    zlay_status status = empty == isl_bool_error ? zl_isl_failed(e) : empty ? ZLAY_NONE : ZLAY_OK;
    for (int i = 0; i < dims && !status; i++) {
        int at = dims - 1 - i;
        status = bound(e, isl_set_dim_min_val(isl_set_copy(set), at), &least[i]);
        if (!status) status = bound(e, isl_set_dim_max_val(isl_set_copy(set), at), &greatest[i]);
    }
    isl_set_free(set);
    return status;
}

zlay_status zl_isl_hull(zlay_ctx *ctx, int64_t *least, int64_t *greatest, const zl_pieces *a)
{
    zl_isl e;
    zlay_status status = zl_isl_begin(&e, ctx, a, NULL);
    if (!status) status = bounds(&e, least, greatest, zl_isl_domain(&e, a));
    zl_isl_end(&e);
    return status;
}

zlay_status zl_isl_range(zlay_ctx *ctx, int64_t *least, int64_t *greatest, const zl_pieces *a)
{
    zl_isl e;
    zlay_status status = zl_isl_begin(&e, ctx, a, NULL);
    if (!status) status = bounds(&e, least, greatest, isl_map_range(zl_isl_map(&e, a)));
    zl_isl_end(&e);
    return status;
}

#else

static zlay_status missing(zlay_ctx *ctx, zlay_answer *answer)
{
    zl_fail(ctx, ZLAY_ELIMIT, "this zlay is built without isl, which the question needs");
    if (!answer) return ZLAY_ELIMIT;
    *answer = ZLAY_UNDECIDED;
    return ZLAY_OK;
}

zlay_status zl_isl_equal(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point *where,
                         const zl_pieces *a, const zl_pieces *b)
{
    (void)where, (void)a, (void)b;
    return missing(ctx, answer);
}

zlay_status zl_isl_injective(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point where[2],
                             const zl_pieces *a)
{
    (void)where, (void)a;
    return missing(ctx, answer);
}

zlay_status zl_isl_surjective(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point *where,
                              const zl_pieces *a, const uint64_t *onto)
{
    (void)where, (void)a, (void)onto;
    return missing(ctx, answer);
}

zlay_status zl_isl_contained(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point *where,
                             const zl_pieces *a, const zl_pieces *b)
{
    (void)where, (void)a, (void)b;
    return missing(ctx, answer);
}

zlay_status zl_isl_empty(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point *where,
                         const zl_pieces *a)
{
    (void)where, (void)a;
    return missing(ctx, answer);
}

zlay_status zl_isl_total(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point *where,
                         const zl_pieces *a)
{
    (void)where, (void)a;
    return missing(ctx, answer);
}

zlay_status zl_isl_hull(zlay_ctx *ctx, int64_t *least, int64_t *greatest, const zl_pieces *a)
{
    (void)least, (void)greatest, (void)a;
    return missing(ctx, NULL);
}

zlay_status zl_isl_range(zlay_ctx *ctx, int64_t *least, int64_t *greatest, const zl_pieces *a)
{
    (void)least, (void)greatest, (void)a;
    return missing(ctx, NULL);
}

#endif
