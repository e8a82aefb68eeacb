/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/image/sums.h"
#include "base/arith.h"

/* ---- a guard as one progression a coordinate ------------------------------------------------- */

typedef struct interval {
    int64_t low, high, modulus, residue; /* low <= x <= high, x = residue modulo the modulus */
} interval;

typedef struct reading {
    const zl_pieces *p;
    interval line[ZL_TERMS_MOST];
    int64_t at[ZL_TERMS_MOST];     /* the least x of a line */
    uint64_t last[ZL_TERMS_MOST];  /* x = at + modulus * t, t <= last */
} reading;

/* The only variable of a row among [from, from + count); count where there is none; count + 1 where
 * there are several. */
static size_t only(const int64_t *row, size_t from, size_t count)
{
    size_t found = count;
    for (size_t v = 0; v < count; v++)
        if (row[1 + from + v]) found = found == count ? v : count + 1;
    return found > count ? count + 1 : found;
}

/* Division q has one coordinate, and no division in it. */
static bool is_simple(const zl_pieces *p, size_t q, size_t *dim)
{
    const int64_t *row = p->div + q * zl_pieces_width(p);
    *dim = only(row, 0, p->dims);
    return *dim < p->dims && only(row, p->dims, p->divs) == p->divs;
}

/* x - den floor((x + e) / den) + c = 0 says x = -c modulo den, where c is below den from e. */
static bool congruence(reading *r, const int64_t *row, size_t d, size_t q)
{
    const zl_pieces *p = r->p;
    const int64_t *div = p->div + q * zl_pieces_width(p);
    int64_t n = p->den[q], sign = row[1 + d], c;
    size_t of;
    if (!is_simple(p, q, &of) || of != d || div[1 + d] != 1 || (sign != 1 && sign != -1))
        return false;
    if (row[1 + p->dims + q] != -sign * n || r->line[d].modulus != 1) return false;
    if (!zl_mul(row[0], sign, &c) || div[0] - c < 0 || div[0] - c >= n) return false;
    r->line[d].modulus = n;
    r->line[d].residue = ((-c) % n + n) % n;
    return true;
}

static void at_least(interval *l, int64_t x) { l->low = x > l->low ? x : l->low; }
static void at_most(interval *l, int64_t x) { l->high = x < l->high ? x : l->high; }

/* c + k x >= 0, and for an equality <= 0 as well. */
static bool bound(reading *r, const int64_t *row, size_t d, bool equal)
{
    int64_t k = row[1 + d], c = row[0];
    if (c == INT64_MIN || k == INT64_MIN) return false;
    if (equal && c % k) return at_most(&r->line[d], -1), true;
    if (k > 0) at_least(&r->line[d], -zl_floor_div(c, k));
    else at_most(&r->line[d], zl_floor_div(c, -k));
    if (equal && k > 0) at_most(&r->line[d], -c / k);
    if (equal && k < 0) at_least(&r->line[d], c / -k);
    return true;
}

static bool read_row(reading *r, const int64_t *row, bool equal)
{
    const zl_pieces *p = r->p;
    size_t d = only(row, 0, p->dims), q = only(row, p->dims, p->divs);
    if (d >= p->dims) return false;
    if (q == p->divs) return bound(r, row, d, equal);
    return equal && q < p->divs && congruence(r, row, d, q);
}

/* `*empty`: no point is in the guard. */
static bool read_guard(reading *r, const zl_piece *piece, bool *empty)
{
    size_t width = zl_pieces_width(r->p);
    for (size_t d = 0; d < r->p->dims; d++)
        r->line[d] = (interval){0, (int64_t)r->p->extent[d] - 1, 1, 0};
    for (size_t i = 0; i < piece->equals + piece->leasts; i++)
        if (!read_row(r, piece->guard + i * width, i < piece->equals)) return false;
    *empty = false;
    for (size_t d = 0; d < r->p->dims; d++) {
        const interval *l = &r->line[d];
        int64_t off = (l->residue - l->low % l->modulus + l->modulus) % l->modulus;
        *empty = *empty || l->high < l->low || l->high - l->low < off;
        r->at[d] = l->low + off;
        r->last[d] = *empty ? 0 : (uint64_t)((l->high - r->at[d]) / l->modulus);
    }
    return true;
}

/* ---- a value as a sum over the progressions ------------------------------------------------- */

typedef struct affine {
    int64_t constant, step[ZL_TERMS_MOST]; /* of t */
} affine;

static bool add(int64_t *to, int64_t factor, int64_t value)
{
    int64_t term;
    return zl_mul(factor, value, &term) && zl_add(*to, term, to);
}

/* floor((f x + e) / den) of x = at + modulus t: affine where den divides f modulus, and where both
 * ends have one value. */
static bool add_division(const reading *r, affine *v, size_t q, int64_t factor)
{
    const int64_t *div = r->p->div + q * zl_pieces_width(r->p);
    int64_t n = r->p->den[q], low = div[0], high, by, slope;
    size_t d;
    if (!is_simple(r->p, q, &d)) return false;
    if (!add(&low, div[1 + d], r->at[d]) || !zl_mul(div[1 + d], r->line[d].modulus, &by))
        return false;
    high = low;
    if (!add(&high, by, (int64_t)r->last[d])) return false;
    slope = by % n ? 0 : by / n;
    if (by % n && zl_floor_div(low, n) != zl_floor_div(high, n)) return false;
    return add(&v->constant, factor, zl_floor_div(low, n)) && add(&v->step[d], factor, slope);
}

static bool read_value(const reading *r, affine *v, const int64_t *row)
{
    const zl_pieces *p = r->p;
    v->constant = row[0];
    for (size_t d = 0; d < p->dims; d++) {
        v->step[d] = 0;
        if (!add(&v->constant, row[1 + d], r->at[d]) ||
            !add(&v->step[d], row[1 + d], r->line[d].modulus))
            return false;
    }
    for (size_t q = 0; q < p->divs; q++)
        if (row[1 + p->dims + q] && !add_division(r, v, q, row[1 + p->dims + q])) return false;
    return true;
}

static bool put_term(zl_sums_part *part, int64_t step, uint64_t last, uint64_t weight)
{
    zl_sum *s = &part->sum;
    part->points *= last + 1;
    if (!last) return true;
    if (!step) {
        if (!s->still || weight < s->still) s->still = weight;
        return true;
    }
    if (step == INT64_MIN || last > INT64_MAX) return false;
    if (!add(step < 0 ? &s->least : &part->greatest, step, (int64_t)last)) return false;
    s->term[s->count++] =
        (zl_term){(uint64_t)(step < 0 ? -step : step), last, weight, step < 0};
    return true;
}

static bool make_part(const reading *r, zl_sums_part *part, zl_progression *line, const affine *v)
{
    uint64_t weight = 1;
    bool fits = true;
    *part = (zl_sums_part){.sum.least = v->constant, .points = 1, .greatest = v->constant,
                           .corner = v->constant};
    for (size_t d = 0; d < r->p->dims && fits; weight *= r->p->extent[d++]) {
        line[d] = (zl_progression){r->at[d], r->last[d], r->line[d].modulus, v->step[d]};
        part->first += (uint64_t)r->at[d] * weight;
        part->final += ((uint64_t)r->at[d] + (uint64_t)r->line[d].modulus * r->last[d]) * weight;
        fits = put_term(part, v->step[d], r->last[d], weight * (uint64_t)r->line[d].modulus);
    }
    zl_sum_sort(&part->sum);
    return fits;
}

/* ---- layouts --------------------------------------------------------------------------------- */

static zlay_status room(zl_sums *out, size_t count, size_t dims)
{
    if (count > ZL_SUMS_MOST || dims > ZL_TERMS_MOST) return ZLAY_NONE;
    out->room = count + !count;
    out->dims = dims;
    out->part = zl_scratch_plain(out->ctx, out->room, sizeof *out->part);
    out->line = zl_scratch_plain(out->ctx, out->room * (dims + 1), sizeof *out->line);
    return out->part && out->line ? ZLAY_OK : ZLAY_ENOMEM;
}

static zlay_status of_pieces(zl_sums *out, const zl_pieces *p)
{
    reading r = {.p = p};
    affine v;
    bool empty;
    for (size_t d = 0; d < p->dims; d++) out->extent[d] = p->extent[d];
    for (size_t i = 0; i < p->count; i++) {
        if (!read_guard(&r, &p->piece[i], &empty)) return ZLAY_NONE;
        if (empty) continue;
        if (!read_value(&r, &v, p->piece[i].value)) return ZLAY_NONE;
        zl_progression *line = out->line + out->count * out->dims;
        if (!make_part(&r, &out->part[out->count], line, &v)) return ZLAY_NONE;
        out->count++;
    }
    return ZLAY_OK;
}

static void of_strided(zl_sums *out, const zlay_layout *a)
{
    zl_sums_part *part = out->part;
    *part = (zl_sums_part){.points = 0};
    zl_sum_of(&part->sum, a);
    part->points = a->size;
    part->final = a->size - 1;
    part->greatest = (int64_t)((uint64_t)part->sum.least + zl_sum_span(&part->sum));
    part->corner = a->offset;
    out->count = 1;
    for (size_t d = 0; d < out->dims; d++) {
        out->extent[d] = (uint64_t)a->mode[d].shape;
        out->line[d] = (zl_progression){0, out->extent[d] - 1, 1, a->mode[d].stride};
    }
}

zlay_status zl_sums_of(zlay_ctx *ctx, zl_sums *out, const zlay_layout *a)
{
    const zl_pieces *p = &a->pieces;
    bool strided = a->modes && !a->swizzle.bits;
    *out = (zl_sums){.ctx = ctx};
    if (!strided && (!zl_is_pieces(a) || p->params || p->outs != 1)) return ZLAY_NONE;
    zlay_status status = room(out, strided ? 1 : p->count, strided ? a->modes : p->dims);
    if (!status && !strided) return of_pieces(out, p);
    if (!status) of_strided(out, a);
    return status;
}

/* ---- in order: by heap, for the C library's sort takes memory past the hooks of the ctx ---- */

typedef bool before(const zl_sums_part *p, const zl_sums_part *q);

static bool less_value(const zl_sums_part *p, const zl_sums_part *q)
{
    return p->sum.least < q->sum.least;
}

static bool less_index(const zl_sums_part *p, const zl_sums_part *q) { return p->first < q->first; }

static void sift(const zl_sums *s, size_t *order, size_t root, size_t count, before *less)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        size_t held = order[root];
        if (child + 1 < count && less(&s->part[order[child]], &s->part[order[child + 1]])) child++;
        if (!less(&s->part[held], &s->part[order[child]])) return;
        order[root] = order[child];
        order[child] = held;
    }
}

static void sort(const zl_sums *s, size_t *order, before *less)
{
    size_t count = s->count;
    for (size_t i = 0; i < count; i++) order[i] = i;
    for (size_t root = count / 2; root-- > 0;) sift(s, order, root, count, less);
    while (count > 1) {
        size_t greatest = order[0];
        order[0] = order[--count];
        order[count] = greatest;
        sift(s, order, 0, count, less);
    }
}

void zl_sums_by_value(const zl_sums *s, size_t *order) { sort(s, order, less_value); }
void zl_sums_by_index(const zl_sums *s, size_t *order) { sort(s, order, less_index); }

uint64_t zl_sums_index(const zl_sums_part *p, const uint64_t *x)
{
    return p->first + zl_sum_index(&p->sum, x);
}

/* ---- a value of two ----------------------------------------------------------------------------
 */

/* least + A(x) = least' + B(y) is A(x) + B(most - y) = least' - least + the span of B. */
zl_found zl_sums_meet(uint64_t *x, uint64_t *y, const zl_sum *a, const zl_sum *b, zl_budget *budget)
{
    zl_term term[ZL_TERMS_MOST] = {{0}};
    uint64_t z[ZL_TERMS_MOST];
    size_t i = 0, j = 0, from[ZL_TERMS_MOST];
    zl_i128 target = (zl_i128)b->least - a->least;
    if (a->count + b->count > ZL_TERMS_MOST) return ZL_TOO_MANY;
    while (i + j < a->count + b->count) {
        bool left = j == b->count || (i < a->count && a->term[i].step <= b->term[j].step);
        from[i + j] = left ? i : ZL_TERMS_MOST + j;
        term[i + j] = left ? a->term[i] : b->term[j];
        if (!left) target += (zl_i128)b->term[j].step * (zl_i128)b->term[j].most;
        *(left ? &i : &j) += 1;
    }
    zl_found found = zl_sum_solve(z, term, i + j, target, budget);
    for (size_t k = 0; k < i + j && found == ZL_FOUND; k++) {
        size_t of = from[k];
        if (of < ZL_TERMS_MOST) x[of] = z[k];
        else y[of - ZL_TERMS_MOST] = term[k].most - z[k];
    }
    return found;
}
