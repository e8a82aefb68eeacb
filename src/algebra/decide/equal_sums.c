/* SPDX-License-Identifier: Apache-2.0 */
/* Equality of pieces that are sums on one box: where two of them meet is a box of progressions
 * again, and two affine values on it differ first at its corner or one step from there. */
#include "algebra/decide/equal.h"
#include "algebra/image/sums.h"

typedef struct meeting {
    zl_pair *p;
    const zl_sums *a, *b;
    uint64_t points; /* where both are defined */
    bool differ;
    uint64_t first;  /* the least index where they differ */
} meeting;

/* x = line->at modulo line->modulus and the same of m; false: no x in both. */
static bool meet(zl_progression *out, const zl_progression *l, const zl_progression *m)
{
    uint64_t g = zl_gcd((uint64_t)l->modulus, (uint64_t)m->modulus);
    zl_i128 low = l->at > m->at ? l->at : m->at, apart = (zl_i128)m->at - l->at;
    zl_i128 l_end = l->at + (zl_i128)l->last * l->modulus, step, x;
    zl_i128 m_end = m->at + (zl_i128)m->last * m->modulus, end = l_end < m_end ? l_end : m_end;
    uint64_t n = (uint64_t)m->modulus / g;
    if (apart % (zl_i128)g) return false;
    zl_i128 k = apart / (zl_i128)g % (zl_i128)n;
    k = (k < 0 ? k + n : k) * zl_inverse_modulo((zl_i128)l->modulus / g, n) % (zl_i128)n;
    step = (zl_i128)l->modulus * n;
    x = l->at + l->modulus * k;
    if (x < low) x += (low - x + step - 1) / step * step;
    else x -= (x - low) / step * step;
    if (x > end) return false;
    *out = (zl_progression){(int64_t)x, (uint64_t)((end - x) / step), 1, 0};
    if (out->last) out->modulus = (int64_t)step;
    return true;
}

/* Modulo 2^64, where values that fit 64 bits are equal exactly when they are equal. */
static uint64_t value_at(const zl_progression *line, uint64_t constant, const zl_progression *at,
                         size_t dims)
{
    for (size_t d = 0; d < dims; d++)
        constant += (uint64_t)line[d].step *
                    (uint64_t)((at[d].at - line[d].at) / line[d].modulus);
    return constant;
}

static uint64_t slope(const zl_progression *line, const zl_progression *at)
{
    return (uint64_t)line->step * (uint64_t)(at->modulus / line->modulus);
}

static void differ_at(meeting *m, uint64_t index)
{
    if (!m->differ || index < m->first) m->first = index;
    m->differ = true;
}

/* Points before a step of the fastest coordinate that moves the difference have the corner's. */
static void compare(meeting *m, size_t i, size_t j, const zl_progression *at)
{
    size_t dims = m->a->dims;
    const zl_progression *x = m->a->line + i * dims, *y = m->b->line + j * dims;
    uint64_t index = 0, weight = 1;
    for (size_t d = 0; d < dims; weight *= m->a->extent[d++]) index += (uint64_t)at[d].at * weight;
    if (value_at(x, (uint64_t)m->a->part[i].corner, at, dims) !=
        value_at(y, (uint64_t)m->b->part[j].corner, at, dims)) {
        differ_at(m, index);
        return;
    }
    weight = 1;
    for (size_t d = 0; d < dims; weight *= m->a->extent[d++])
        if (at[d].last && slope(&x[d], &at[d]) != slope(&y[d], &at[d])) {
            differ_at(m, index + (uint64_t)at[d].modulus * weight);
            return;
        }
}

static void compare_parts(meeting *m, size_t i, size_t j)
{
    zl_progression at[ZL_TERMS_MOST];
    size_t dims = m->a->dims;
    uint64_t points = 1;
    for (size_t d = 0; d < dims; d++) {
        if (!meet(&at[d], &m->a->line[i * dims + d], &m->b->line[j * dims + d])) return;
        points *= at[d].last + 1;
    }
    m->points += points;
    compare(m, i, j, at);
}

static uint64_t points_of(const zl_sums *s)
{
    uint64_t points = 0;
    for (size_t i = 0; i < s->count; i++) points += s->part[i].points;
    return points;
}

static bool same_box(const zl_sums *a, const zl_sums *b)
{
    if (a->dims != b->dims) return false;
    for (size_t d = 0; d < a->dims; d++)
        if (a->extent[d] != b->extent[d]) return false;
    return true;
}

/* Each part of a with those of b whose indices overlap its own; of b's first ones, those that end
 * before every later part of a begins are left behind. */
static void sweep(meeting *m, const size_t *a, const size_t *b)
{
    size_t from = 0;
    for (size_t i = 0; i < m->a->count; i++) {
        const zl_sums_part *p = &m->a->part[a[i]];
        while (from < m->b->count && m->b->part[b[from]].final < p->first) from++;
        for (size_t j = from; j < m->b->count && m->b->part[b[j]].first <= p->final; j++)
            compare_parts(m, a[i], b[j]);
    }
}

/* Parts of one side are disjoint, so the points where both are defined are counted once. */
static zlay_status compare_sums(meeting *m, bool *decided)
{
    if (!same_box(m->a, m->b)) return ZLAY_OK;
    size_t *order = zl_scratch(m->p->ctx, m->a->count + m->b->count, sizeof *order);
    if (!order) return ZLAY_ENOMEM;
    zl_sums_by_index(m->a, order);
    zl_sums_by_index(m->b, order + m->a->count);
    sweep(m, order, order + m->a->count);
    *decided = m->points == points_of(m->a) && m->points == points_of(m->b);
    if (*decided && m->differ) zl_differ(m->p, m->first);
    return ZLAY_OK;
}

zlay_status zl_equal_sums(zl_pair *p, bool *decided)
{
    zl_sums a = {.ctx = p->ctx}, b = {.ctx = p->ctx};
    meeting m = {.p = p, .a = &a, .b = &b};
    *decided = false;
    if (p->manner != ZL_AS_INTEGERS || !(zl_is_pieces(p->a) || zl_is_pieces(p->b)))
        return ZLAY_OK;
    zl_mark mark = zl_scratch_mark(p->ctx);
    zlay_status status = zl_sums_of(p->ctx, &a, p->a);
    if (!status) status = zl_sums_of(p->ctx, &b, p->b);
    if (!status) status = compare_sums(&m, decided);
    zl_scratch_release(p->ctx, mark);
    return status == ZLAY_NONE ? ZLAY_OK : status;
}
