/* SPDX-License-Identifier: Apache-2.0 */
/* A function of one coordinate as a form.
 *
 * Steps of two sizes u and v, where the number of v among the first x is floor((a x + b) / p), are
 * u x + (v - u) floor((a x + b) / p): a line of slope a / p as a raster shows it.  A sum over the
 * digits x mod n and floor(x / n) is taken apart digit by digit. */
#include "algebra/find/pieces.h"

enum { PERIODS = 256, DIGITS = 256 };

typedef struct raster {
    int64_t low, jump; /* u and v - u */
    uint64_t p, a;
    int64_t b;
} raster;

static bool is_linear(const zl_line *l, uint64_t step, uint64_t count, int64_t *slope)
{
    int64_t value;
    *slope = 0;
    if (count < 2) return true;
    if (!zl_sub(l->value[step], l->value[0], slope)) return false;
    uint64_t k = 2;
    for (; k < count; k++)
        if (!zl_sub(l->value[k * step], l->value[(k - 1) * step], &value) || value != *slope) break;
    return !zl_charge(l->ctx, k) && k >= count;
}

/* The two sizes of steps, the first one low. */
static bool two_steps(const zl_line *l, uint64_t step, uint64_t count, raster *r)
{
    bool two = false;
    int64_t value;
    uint64_t k = 1;
    for (; k < count; k++) {
        if (!zl_sub(l->value[k * step], l->value[(k - 1) * step], &value)) break;
        if (k == 1) r->low = value;
        if (value == r->low) continue;
        if (two ? value != r->low + r->jump : !zl_sub(value, r->low, &r->jump)) break;
        two = true;
    }
    return !zl_charge(l->ctx, k) && two && k >= count;
}

/* The bounds that each x sets on b meet. */
static bool fits(const zl_line *l, uint64_t step, uint64_t count, raster *r)
{
    int64_t low = INT64_MIN, high = INT64_MAX, jumps = 0, p = (int64_t)r->p, at;
    uint64_t k = 0;
    for (; k < count && low <= high; k++) {
        if (k && l->value[k * step] - l->value[(k - 1) * step] != r->low) jumps++;
        at = p * jumps - (int64_t)(r->a * k);
        if (at > low) low = at;
        if (at + p - 1 < high) high = at + p - 1;
    }
    r->b = low;
    return !zl_charge(l->ctx, 1 + k) && low <= high;
}

static bool is_raster(const zl_line *l, uint64_t step, uint64_t count, raster *r)
{
    if (count < 2 || count > UINT32_MAX || !two_steps(l, step, count, r)) return false;
    r->a = 0;
    for (r->p = 1; r->p < count && r->p <= PERIODS; r->p++) {
        r->a += l->value[r->p * step] - l->value[(r->p - 1) * step] != r->low;
        if (r->p > 1 && r->a && r->a < r->p && fits(l, step, count, r)) return true;
    }
    return false;
}

static zlay_status add_raster(zl_draft *d, zl_quasi *out, const raster *r, const zl_quasi *c)
{
    zl_quasi line, floor;
    zl_quasi_set(&line, r->b);
    zlay_status status = zl_quasi_add(&d->w, &line, c, (int64_t)r->a);
    if (!status) status = zl_draft_div(d, &floor, &line, (int64_t)r->p);
    if (!status) status = zl_quasi_add(&d->w, out, c, r->low);
    return status ? status : zl_quasi_add(&d->w, out, &floor, r->jump);
}

/* ---- digits ------------------------------------------------------------------------------ */

/* value(k) - value(0) is that of k mod n and that of n floor(k / n). */
static bool splits(const zl_line *l, uint64_t step, uint64_t count, uint64_t n)
{
    bool alike = true;
    uint64_t k = n + 1;
    for (; k < count && alike; k++) {
        int64_t low, high;
        uint64_t whole = k / n * n;
        alike = zl_sub(l->value[k * step], l->value[whole * step], &low) &&
                zl_sub(l->value[(k - whole) * step], l->value[0], &high) && low == high;
    }
    return !zl_charge(l->ctx, 3 * k) && alike;
}

/* The first n below count with which the line splits and whose low digit is plain. */
static uint64_t digit(const zl_line *l, uint64_t step, uint64_t count, raster *r, bool *linear)
{
    int64_t slope;
    for (uint64_t n = 2; n < count && n <= DIGITS && !zl_charge(l->ctx, 1); n++) {
        if (!splits(l, step, count, n)) continue;
        *linear = is_linear(l, step, n, &slope);
        if (*linear) r->low = slope;
        if (*linear || is_raster(l, step, n, r)) return n;
    }
    return 0;
}

static zlay_status add_plain(zl_draft *d, zl_quasi *out, const raster *r, bool linear,
                             const zl_quasi *c)
{
    return linear ? zl_quasi_add(&d->w, out, c, r->low) : add_raster(d, out, r, c);
}

zlay_status zl_line_form(zl_draft *d, zl_quasi *out, const zl_line *l, const zl_quasi *coordinate)
{
    zl_quasi c = *coordinate, low, sum;
    uint64_t step = 1, count = l->count, n;
    raster r = {0, 0, 0, 0, 0};
    bool linear;
    zlay_status status = ZLAY_OK;
    zl_quasi_set(&sum, l->value[0]);
    for (; !status; step *= n, count = (count - 1) / n + 1) {
        linear = is_linear(l, step, count, &r.low);
        if (linear || is_raster(l, step, count, &r)) {
            status = add_plain(d, &sum, &r, linear, &c);
            break;
        }
        if (!(n = digit(l, step, count, &r, &linear)))
            return zl_charge(l->ctx, 0) ? ZLAY_ENOMEM : ZLAY_NONE;
        status = zl_draft_mod(d, &low, &c, (int64_t)n);
        if (!status) status = add_plain(d, &sum, &r, linear, &low);
        if (!status) status = zl_draft_div(d, &c, &c, (int64_t)n);
    }
    if (!status) *out = sum;
    return status;
}

uint64_t zl_line_digit(const zl_line *l)
{
    raster r = {0, 0, 0, 0, 0};
    bool linear;
    return digit(l, 1, l->count, &r, &linear);
}
