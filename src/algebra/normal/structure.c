/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/layout/layout.h"
#include "algebra/normal/structure_run.h"
#include "algebra/integer/zmat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/structure.h>

enum { MATRICES = ZLAY_STRUCTURE_ORIGIN + 1, OUTS_MOST = 64 };

struct zlay_structure {
    zlay_allocator alloc;
    zlay_structure_summary counts;
    zlay_zmat *matrix[MATRICES];
};

typedef struct work {
    zlay_ctx *ctx;
    zlay_structure *out;
    const zlay_layout *layout;
    zl_modes box;
    size_t n, m;
    const int64_t *a, *b; /* of the matrices */
} work;

/* ---- A and b ------------------------------------------------------------------------------ */

static bool is_there(const zlay_layout *layout, uint64_t index)
{
    int64_t value;
    return !layout->partial || zl_value(layout, index, &value);
}

static zlay_status not_affine(work *w, uint64_t index)
{
    return zl_fail(w->ctx, ZLAY_NONE, "the layout is no A x + b: index %" PRIu64 " shows it",
                   index);
}

static zlay_status read_columns(work *w, int64_t *a, int64_t *b)
{
    int64_t values[OUTS_MOST];
    uint64_t index = 1;
    if (!is_there(w->layout, 0)) return not_affine(w, 0);
    zlay_status status = w->layout->table->tuple(w->layout, 0, b);
    for (size_t j = 0; j < w->n && !status; index *= (uint64_t)w->box.at[j++].shape) {
        if (w->box.at[j].shape < 2) continue;
        if (!is_there(w->layout, index)) return not_affine(w, index);
        status = w->layout->table->tuple(w->layout, index, values);
        for (size_t r = 0; r < w->m && !status; r++)
            if (!zl_sub(values[r], b[r], &a[r * w->n + j]))
                status = zl_fail(w->ctx, ZLAY_EOVERFLOW, "a column of A leaves 64 bits");
    }
    return status;
}

/* A x + b at an index; false when it leaves 64 bits. */
static bool affine_at(const work *w, uint64_t index, int64_t *values)
{
    memcpy(values, w->b, w->m * sizeof *values);
    for (size_t j = 0; j < w->n; j++) {
        uint64_t shape = (uint64_t)w->box.at[j].shape;
        int64_t x = (int64_t)(index % shape), add;
        index /= shape;
        for (size_t r = 0; r < w->m; r++)
            if (!zl_mul(w->a[r * w->n + j], x, &add) || !zl_add(values[r], add, &values[r]))
                return false;
    }
    return true;
}

/* Strided layouts are affine by what they are; any other is compared at every point. */
static zlay_status check_affine(work *w)
{
    int64_t wanted[OUTS_MOST], values[OUTS_MOST];
    const zlay_layout *layout = w->layout;
    if (layout->modes && !layout->swizzle.bits) return ZLAY_OK;
    if (layout->size > zl_limits(w->ctx)->points)
        return zl_fail(w->ctx, ZLAY_ELIMIT,
                       "limits.points is %" PRIu64 " and the layout has %" PRIu64,
                       zl_limits(w->ctx)->points, layout->size);
    for (uint64_t i = 0; i < layout->size; i++) {
        if (zl_charge_block(w->ctx, layout, i)) return ZLAY_ENOMEM;
        if (!is_there(layout, i) || !affine_at(w, i, wanted)) return not_affine(w, i);
        zlay_status status = layout->table->tuple(layout, i, values);
        if (status) return status;
        if (memcmp(values, wanted, w->m * sizeof *values)) return not_affine(w, i);
    }
    return ZLAY_OK;
}

static zlay_status read_matrices(work *w)
{
    zlay_zmat **a = &w->out->matrix[ZLAY_STRUCTURE_A], **b = &w->out->matrix[ZLAY_STRUCTURE_B];
    zlay_status status = zl_zmat_block(w->ctx, a, w->m, w->n, 0);
    if (!status) status = zl_zmat_block(w->ctx, b, w->m, 1, 0);
    if (status) return status;
    w->a = (*a)->small, w->b = (*b)->small;
    status = read_columns(w, (*a)->small, (*b)->small);
    return status ? status : check_affine(w);
}

/* ---- the lattice -------------------------------------------------------------------------- */

static zlay_status transposed(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a, size_t rows)
{
    if (a->limbs) return zl_fail(ctx, ZLAY_EOVERFLOW, "the lattice leaves 64 bits");
    zlay_status status = zl_zmat_block(ctx, out, a->cols, rows, 0);
    for (size_t i = 0; i < rows && !status; i++)
        for (size_t j = 0; j < a->cols; j++)
            (*out)->small[j * rows + i] = a->small[i * a->cols + j];
    return status;
}

static zlay_status read_lattice(work *w)
{
    zlay_zmat **at = w->out->matrix, *form[3] = {NULL, NULL, NULL}, *turned = NULL;
    zlay_structure_summary *c = &w->out->counts;
    size_t active = 0, least = w->m < w->n ? w->m : w->n;
    zlay_status status = zl_zmat_run(w->ctx, ZL_SNF, at + ZLAY_STRUCTURE_S, at[0], NULL, 0);
    if (!status) status = transposed(w->ctx, &turned, at[0], w->m);
    if (!status) status = zl_zmat_run(w->ctx, ZL_HNF, form, turned, NULL, 0);
    for (size_t j = 0; j < w->n; j++) active += w->box.at[j].shape > 1;
    for (size_t i = 0; i < least && !status; i++) {
        const zlay_zmat *s = at[ZLAY_STRUCTURE_S];
        c->rank += s->limbs || s->small[i];
        if (i + 1 == least) c->onto = w->m == least && !s->limbs && s->small[i] == 1;
    }
    c->invertible = c->rank == active;
    if (!status) status = transposed(w->ctx, &at[ZLAY_STRUCTURE_LATTICE], form[0], (size_t)c->rank);
    zlay_zmat_free(turned);
    zlay_zmat_free(form[0]);
    zlay_zmat_free(form[1]);
    return status;
}

/* ---- how many points on a value ----------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The outputs' ranges as the digits' sizes; false where they multiply past 64 bits. */
static bool digits(const work *w, int64_t *least, int64_t *scale)
{
    int64_t size = 1;
    for (size_t r = 0; r < w->m; r++) {
        int64_t most = least[r] = w->b[r], end, width;
        for (size_t j = 0; j < w->n; j++) {
            int64_t step = w->a[r * w->n + j];
            if (!zl_mul(step, w->box.at[j].shape - 1, &end)) return false;
            if (!zl_add(step < 0 ? least[r] : most, end, step < 0 ? &least[r] : &most))
                return false;
        }
        scale[r] = size;
        if (!zl_sub(most, least[r], &width) || !zl_add(width, 1, &width) ||
            !zl_mul(size, width, &size))
            return false;
    }
    return true;
}

/* One integer a tuple; of one output the value itself, whatever its range. */
static bool keys(const work *w, int64_t *key, uint64_t count)
{
    int64_t values[OUTS_MOST], least[OUTS_MOST] = {0}, scale[OUTS_MOST] = {1};
    if (w->m > 1 && !digits(w, least, scale)) return false;
    for (uint64_t i = 0; i < count; i++) {
        if (!affine_at(w, i, values)) return false;
        for (size_t r = 0; r < w->m; r++) key[i] += (values[r] - least[r]) * scale[r];
    }
    return true;
}

static void count_runs(zlay_structure_summary *c, const int64_t *key, uint64_t count)
{
    c->least = UINT64_MAX;
    for (uint64_t i = 0, j; i < count; i = j) {
        for (j = i; j < count && key[j] == key[i];) j++;
        c->values++;
        if (j - i < c->least) c->least = j - i;
        if (j - i > c->most) c->most = j - i;
    }
}

enum { STEPS_SORT = 24 }; /* of limits.work for a value among at most limits.points */

static zlay_status count_values(work *w)
{
    zlay_structure_summary *c = &w->out->counts;
    c->points = w->layout->size;
    if (c->invertible) {
        c->values = c->points, c->least = c->most = 1;
        return ZLAY_OK;
    }
    if (c->points > zl_limits(w->ctx)->points) return ZLAY_OK;
    if (zl_charge(w->ctx, c->points * (STEPS_SORT + w->m * w->n / 2))) return ZLAY_ENOMEM;
    int64_t *key = zl_scratch(w->ctx, c->points, sizeof *key);
    if (!key) return ZLAY_ENOMEM;
    if (!keys(w, key, c->points)) return ZLAY_OK;
    qsort(key, c->points, sizeof *key, by_value);
    count_runs(c, key, c->points);
    return ZLAY_OK;
}

/* ---- the longest line of steps by one ----------------------------------------------------- */

static bool steps_by_one(const work *w, const int64_t *d)
{
    for (size_t r = 0; r < w->m; r++) {
        int64_t sum = 0, add;
        for (size_t j = 0; j < w->n; j++)
            if (!zl_mul(w->a[r * w->n + j], d[j], &add) || !zl_add(sum, add, &sum)) return false;
        if (sum != (r == 0)) return false;
    }
    return true;
}

static void try_direction(work *w, const int64_t *d, int64_t *best)
{
    uint64_t length = UINT64_MAX;
    for (size_t j = 0; j < w->n; j++) {
        uint64_t step = (uint64_t)(d[j] < 0 ? -d[j] : d[j]),
                 last = (uint64_t)w->box.at[j].shape - 1;
        if (step && last / step + 1 < length) length = last / step + 1;
    }
    if (length == UINT64_MAX || length <= w->out->counts.run || !steps_by_one(w, d)) return;
    w->out->counts.run = length;
    memcpy(best, d, w->n * sizeof *d);
}

/* Lines of `length` points or more are fewer the longer they are, so the longest is found by
 * halves; `run_is_best` unless a search passed limits.points. */
static void try_lengths(work *w, int64_t *d, int64_t *best)
{
    uint64_t last[64], high = 1;
    zl_run_question q = {w->a, w->m, w->n, last};
    zl_budget budget = {zl_limits(w->ctx)->points, w->ctx};
    zl_found found = ZL_FOUND;
    for (size_t j = 0; j < w->n; j++) {
        last[j] = (uint64_t)w->box.at[j].shape - 1;
        high = last[j] + 1 > high ? last[j] + 1 : high;
    }
    while (w->out->counts.run < high && found != ZL_TOO_MANY) {
        uint64_t low = w->out->counts.run, middle = low + (high - low + 1) / 2;
        found = zl_run_of_length(d, &q, middle, &budget);
        if (found == ZL_FOUND) try_direction(w, d, best);
        else if (found == ZL_NOT_FOUND) high = middle - 1;
    }
    w->out->counts.run_is_best = found != ZL_TOO_MANY;
}

static zlay_status find_direction(work *w)
{
    zlay_zmat **out = &w->out->matrix[ZLAY_STRUCTURE_DIRECTION], *step = NULL;
    zlay_status status = zl_zmat_block(w->ctx, out, w->n, 1, 0);
    if (!status) status = zl_zmat_block(w->ctx, &step, w->n, 1, 0);
    if (status) return status;
    w->out->counts.run = 1;
    for (size_t j = 0; j < w->n; j++)
        for (int64_t sign = 1; sign >= -1; sign -= 2) {
            memset(step->small, 0, w->n * sizeof *step->small);
            step->small[j] = sign;
            try_direction(w, step->small, (*out)->small);
        }
    try_lengths(w, step->small, (*out)->small);
    zlay_zmat_free(step);
    if (w->out->counts.run > 1) return ZLAY_OK;
    zlay_zmat_free(*out);
    *out = NULL;
    return ZLAY_OK;
}

/* ---- a change of coordinates -------------------------------------------------------------- */

/* The output of a column: m where the column is 0, m + 1 where several outputs have it. */
static size_t output_of(const work *w, size_t j)
{
    size_t found = w->m;
    for (size_t r = 0; r < w->m; r++)
        if (w->a[r * w->n + j]) found = found == w->m ? r : w->m + 1;
    return found;
}

static bool comes_before(const work *w, size_t i, size_t j)
{
    size_t x = output_of(w, i), y = output_of(w, j);
    if (x != y || x >= w->m) return x < y || (x == y && i < j);
    int64_t s = w->a[x * w->n + i], t = w->a[x * w->n + j];
    uint64_t p = zl_magnitude(s), q = zl_magnitude(t);
    return p < q || (p == q && i < j);
}

/* What maps a box to a box takes edges to edges: permutations and flips are all there is. */
static zlay_status find_change(work *w)
{
    zlay_zmat **change = &w->out->matrix[ZLAY_STRUCTURE_CHANGE];
    zlay_zmat **origin = &w->out->matrix[ZLAY_STRUCTURE_ORIGIN];
    for (size_t j = 0; j < w->n; j++)
        if (output_of(w, j) > w->m) return ZLAY_OK;
    zlay_status status = zl_zmat_block(w->ctx, change, w->n, w->n, 0);
    if (!status) status = zl_zmat_block(w->ctx, origin, w->n, 1, 0);
    for (size_t j = 0; j < w->n && !status; j++) {
        size_t at = 0, r = output_of(w, j);
        bool flip = r < w->m && w->a[r * w->n + j] < 0;
        for (size_t i = 0; i < w->n; i++) at += i != j && comes_before(w, i, j);
        (*change)->small[j * w->n + at] = flip ? -1 : 1;
        if (flip) (*origin)->small[j] = w->box.at[j].shape - 1;
    }
    return status;
}

/* ---- public ------------------------------------------------------------------------------- */

void zlay_structure_free(zlay_structure *structure)
{
    if (!structure) return;
    for (size_t i = 0; i < MATRICES; i++) zlay_zmat_free(structure->matrix[i]);
    zlay_allocator alloc = structure->alloc;
    zl_free(&alloc, structure, sizeof *structure);
}

static zlay_status find(work *w)
{
    zlay_status status = zl_layout_box(&w->box, w->layout);
    w->n = w->box.count, w->m = zlay_layout_out_count(w->layout);
    if (!status && (w->n > 64 || w->m > OUTS_MOST))
        status = zl_fail(w->ctx, ZLAY_ELIMIT, "%zu dimensions, %zu outputs: the limit is 64", w->n,
                         w->m);
    if (!status) status = read_matrices(w);
    if (!status) status = read_lattice(w);
    if (!status) status = count_values(w);
    if (!status) status = find_direction(w);
    return status ? status : find_change(w);
}

static zlay_status structure_of(zlay_ctx *ctx, zlay_structure **out, const zlay_layout *layout)
{
    work w = {.ctx = ctx, .layout = layout};
    if (zlay_layout_param_nth(layout, 0))
        return zl_fail(ctx, ZLAY_ENOTSUP, "the layout has the parameter %s",
                       zlay_layout_param_nth(layout, 0));
    w.out = zl_alloc(ctx, 1, sizeof *w.out);
    if (!w.out) return ZLAY_ENOMEM;
    w.out->alloc = zl_allocator(ctx);
    zl_modes_begin(&w.box, ctx);
    zlay_status status = find(&w);
    zl_modes_end(&w.box);
    if (status) zlay_structure_free(w.out);
    else *out = w.out;
    return status;
}

zlay_status zlay_layout_structure(zlay_ctx *ctx, zlay_structure **out, const zlay_layout *layout)
{
    if (out) *out = NULL;
    if (!ctx || !out || !layout) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, structure_of(ctx, out, layout));
}

const zlay_zmat *zlay_structure_matrix(const zlay_structure *structure, int32_t which)
{
    return structure && which >= 0 && which < MATRICES ? structure->matrix[which] : NULL;
}

zlay_status zlay_structure_info(zlay_structure_summary *out, const zlay_structure *structure)
{
    if (!out || !structure) return ZLAY_EINVAL;
    *out = structure->counts;
    return ZLAY_OK;
}
