/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes on which a table is affine, taken greedily in the order of the index: over the coordinates,
 * or over digits of them where that takes fewer. */
#include "algebra/find/pieces.h"

#include <string.h>

enum { DIGITS_MOST = 64 };

/* Digit floor(x / den) mod count of a dimension; `step` is one more of it in the index. */
typedef struct digit {
    size_t dim;
    uint64_t den, count, step;
    bool last; /* of its dimension: without mod */
} digit;

typedef struct cover {
    const zl_window *s;
    zl_draft *d;
    digit digit[DIGITS_MOST];
    size_t digits;
    uint8_t *done;
    uint64_t corner, low[DIGITS_MOST], count[DIGITS_MOST]; /* the box that grows */
    int64_t slope[DIGITS_MOST][64];
} cover;

/* ---- growing a box ------------------------------------------------------------------------- */

static uint64_t digit_at(const cover *c, const digit *g, uint64_t index)
{
    const zl_window *s = c->s;
    return index / s->step[g->dim] % s->extent[g->dim] / g->den % g->count;
}

/* Does one more of digit k stay in the dimension? */
static bool has_next(const cover *c, const digit *g, uint64_t index, uint64_t by)
{
    const zl_window *s = c->s;
    return index / s->step[g->dim] % s->extent[g->dim] + by * g->den < s->extent[g->dim];
}

static bool is_free(const cover *c, uint64_t index)
{
    return c->s->t->there[index] && !c->done[index];
}

static bool slopes(cover *c, size_t k)
{
    const digit *g = &c->digit[k];
    uint64_t next = c->corner + g->step;
    if (c->low[k] + 1 >= g->count || !has_next(c, g, c->corner, 1)) return false;
    if (!is_free(c, next)) return false;
    for (size_t o = 0; o < c->s->outs; o++)
        if (!zl_sub(zl_search_value(c->s, next, o), zl_search_value(c->s, c->corner, o),
                    &c->slope[k][o]))
            return false;
    return true;
}

static bool follows(const cover *c, size_t k, uint64_t from, uint64_t to)
{
    int64_t step;
    for (size_t o = 0; o < c->s->outs; o++)
        if (!zl_sub(zl_search_value(c->s, to, o), zl_search_value(c->s, from, o), &step) ||
            step != c->slope[k][o])
            return false;
    return true;
}

static bool next_of_box(const cover *c, size_t digits, uint64_t *at, uint64_t *index)
{
    for (size_t i = 0; i < digits; i++) {
        *index += c->digit[i].step;
        if (++at[i] < c->count[i]) return true;
        *index -= c->count[i] * c->digit[i].step;
        at[i] = 0;
    }
    return false;
}

/* The slab of the box at count[k] of digit k continues the one before. */
static bool slab(const cover *c, size_t k)
{
    const digit *g = &c->digit[k];
    uint64_t at[DIGITS_MOST] = {0}, index = c->corner + (c->count[k] - 1) * g->step;
    do {
        uint64_t next = index + g->step;
        if (!has_next(c, g, index, 1) || !is_free(c, next) || !follows(c, k, index, next))
            return false;
    } while (next_of_box(c, k, at, &index));
    return true;
}

static void grow(cover *c)
{
    for (size_t k = 0; k < c->digits; k++) {
        c->low[k] = digit_at(c, &c->digit[k], c->corner);
        c->count[k] = 1;
    }
    for (size_t k = 0; k < c->digits; k++) {
        memset(c->slope[k], 0, sizeof c->slope[k]);
        if (!slopes(c, k)) continue;
        while (c->low[k] + c->count[k] < c->digit[k].count && slab(c, k)) c->count[k]++;
        if (c->count[k] == 1) memset(c->slope[k], 0, sizeof c->slope[k]);
    }
}

static void mark(cover *c)
{
    uint64_t at[DIGITS_MOST] = {0}, index = c->corner;
    do c->done[index] = 1;
    while (next_of_box(c, c->digits, at, &index));
}

/* ---- the box as a piece -------------------------------------------------------------- */

static zlay_status digit_form(const cover *c, const digit *g, zl_quasi *out)
{
    zl_quasi x;
    zl_draft_coordinate(c->d, &x, g->dim);
    zlay_status status = zl_draft_div(c->d, &x, &x, (int64_t)g->den);
    if (!status && !g->last) status = zl_draft_mod(c->d, &x, &x, (int64_t)g->count);
    *out = x;
    return status;
}

static zlay_status bound(const cover *c, size_t k, const zl_quasi *form)
{
    zl_quasi row = *form;
    bool dead = false;
    row.constant -= (int64_t)c->low[k];
    if (c->count[k] == 1 && c->digit[k].count > 1) return zl_draft_guard(c->d, &row, true, &dead);
    return zl_draft_inside(c->d, &row, c->count[k], &dead);
}

/* The top digit's last steps may lie outside the box, where no other piece is. */
static zlay_status put_digit(const cover *c, size_t k, zl_quasi *value)
{
    zl_quasi form;
    zlay_status status = digit_form(c, &c->digit[k], &form);
    if (!status && c->count[k] < c->digit[k].count) status = bound(c, k, &form);
    form.constant -= (int64_t)c->low[k];
    for (size_t o = 0; o < c->s->outs && !status; o++)
        if (c->slope[k][o]) status = zl_quasi_add(&c->d->w, &value[o], &form, c->slope[k][o]);
    return status;
}

static zlay_status put_box(const cover *c, zl_quasi *value)
{
    size_t before = c->d->guards.count;
    zlay_status status = ZLAY_OK;
    for (size_t o = 0; o < c->s->outs; o++)
        zl_quasi_set(&value[o], zl_search_value(c->s, c->corner, o));
    for (size_t k = 0; k < c->digits && !status; k++) status = put_digit(c, k, value);
    if (!status) status = zl_draft_piece(c->d, value);
    c->d->guards.count = before;
    return status;
}

/* Each point of the box was compared once, and once more a point of a slab that ended it. */
static zlay_status charge_box(const cover *c)
{
    uint64_t points = 1;
    for (size_t k = 0; k < c->digits; k++) points *= c->count[k];
    return zl_charge(c->s->ctx, points * (2 + 2 * c->s->outs));
}

static zlay_status cover_all(cover *c, zl_quasi *value)
{
    zlay_status status = ZLAY_OK;
    for (c->corner = 0; c->corner < c->s->t->size && !status; c->corner++) {
        if (!is_free(c, c->corner)) continue;
        grow(c);
        mark(c);
        status = charge_box(c);
        if (!status) status = put_box(c, value);
    }
    return status;
}

static zlay_status run(cover *c)
{
    zl_quasi *value = zl_scratch_plain(c->s->ctx, c->s->outs, sizeof *value);
    c->done = zl_scratch(c->s->ctx, c->s->t->size, 1);
    return value && c->done ? cover_all(c, value) : ZLAY_ENOMEM;
}

/* ---- which digits ---------------------------------------------------------------------- */

static void add_digit(cover *c, size_t dim, uint64_t den, uint64_t count, bool last)
{
    if (c->digits < DIGITS_MOST)
        c->digit[c->digits] = (digit){dim, den, count, c->s->step[dim] * den, last};
    c->digits++;
}

static zlay_status with_digits(const zl_window *s, zl_draft *d,
                               zlay_status (*choose)(cover *c, size_t dim))
{
    cover *c = zl_scratch(s->ctx, 1, sizeof *c);
    zlay_status status = ZLAY_OK;
    if (!c) return ZLAY_ENOMEM;
    c->s = s;
    c->d = d;
    for (size_t i = 0; i < s->dims && !status; i++) status = choose(c, i);
    if (status) return status;
    return c->digits > DIGITS_MOST ? ZLAY_NONE : run(c);
}

static zlay_status whole(cover *c, size_t dim)
{
    add_digit(c, dim, 1, c->s->extent[dim], true);
    return ZLAY_OK;
}

zlay_status zl_search_boxes(const zl_window *s, zl_draft *d)
{
    return with_digits(s, d, whole);
}

/* Where the line through the window's corner splits, as long as it does. */
static zlay_status split(cover *c, size_t dim)
{
    const zl_window *s = c->s;
    uint64_t n, den = 1, count = s->extent[dim], corner = s->first - s->from[dim] * s->step[dim];
    int64_t *line = s->line;
    for (uint64_t x = 0; x < count; x++)
        line[x] = zl_search_value(s, corner + x * s->step[dim], 0);
    zl_line l = {s->ctx, line, count};
    while ((n = zl_line_digit(&l)) && c->digits < DIGITS_MOST) {
        add_digit(c, dim, den, n, false);
        l.count = (l.count - 1) / n + 1;
        for (uint64_t k = 0; k < l.count; k++) line[k] = line[k * n];
        den *= n;
    }
    add_digit(c, dim, den, l.count, true);
    return zl_charge(s->ctx, count);
}

zlay_status zl_search_digits(const zl_window *s, zl_draft *d)
{
    return with_digits(s, d, split);
}
