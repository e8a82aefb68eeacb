/* SPDX-License-Identifier: Apache-2.0 */
/* Claims: written as the dense rows of a layout, read from them, and bounded by a box. */
#include "algebra/presburger/claims.h"

#include <string.h>

zlay_status zl_claims_put(zl_claims *c, zl_claim claim)
{
    uint64_t most = zl_limits(c->w->ctx)->pieces;
    if (c->count >= most)
        return zl_fail(c->w->ctx, ZLAY_ELIMIT, "limits.pieces is %llu and the layout has more",
                       (unsigned long long)most);
    if (c->count == c->room) {
        size_t room = c->room ? 2 * c->room : 4;
        zl_claim *more = zl_scratch(c->w->ctx, room, sizeof *more);
        if (!more) return ZLAY_ENOMEM;
        if (c->count) memcpy(more, c->at, c->count * sizeof *more);
        c->at = more;
        c->room = room;
    }
    c->at[c->count++] = claim;
    return ZLAY_OK;
}

/* ---- to dense rows ---------------------------------------------------------------------- */

typedef struct dense {
    zl_world *w;
    size_t width, divs;
    bool used[ZL_PIECE_VARIABLES];
    size_t place[ZL_PIECE_VARIABLES]; /* of a variable among those that are used; 0: none yet */
    size_t order[ZL_PIECE_VARIABLES]; /* the divisions in their places */
    int64_t *next;                    /* row of the block */
} dense;

static void mark_all(dense *d, const zl_claims *c)
{
    for (size_t i = 0; i < c->count; i++) {
        for (size_t r = 0; r < c->at[i].guard.count; r++)
            zl_row_mark(c->at[i].guard.row[r], d->used);
        for (size_t r = 0; r < c->outs; r++) zl_row_mark(c->at[i].value[r], d->used);
    }
    zl_world_mark(d->w, d->used);
}

static bool is_new(const dense *d, size_t v) { return d->used[v] && !d->place[v]; }

/* The first division of a row that has no place yet; w->count: none. */
static size_t first_new(const dense *d, const zl_row *row)
{
    for (size_t v = d->w->params + d->w->dims; v < row->used; v++)
        if (row->at[v] && is_new(d, v)) return v;
    return d->w->count;
}

/* A division after those in it. */
static void place_division(dense *d, size_t q)
{
    size_t stack[ZL_PIECE_VARIABLES], depth = 1;
    for (stack[0] = q; depth;) {
        size_t top = stack[depth - 1], inner = first_new(d, d->w->variable[top].num);
        if (inner < d->w->count) {
            stack[depth++] = inner;
        } else {
            d->place[top] = d->width++ - 1;
            d->order[d->divs++] = top;
            depth--;
        }
    }
}

static void place_row(dense *d, const zl_row *row)
{
    for (size_t q; (q = first_new(d, row)) < d->w->count;) place_division(d, q);
}

/* What lies behind the count of variables is not written. */
static void begin(dense *d, zl_world *w)
{
    size_t known = zl_world_divisions(w);
    d->w = w;
    d->width = 1 + known;
    d->divs = 0;
    memset(d->used, 0, w->count * sizeof *d->used);
    for (size_t v = 0; v < w->count; v++) d->place[v] = v < known ? v : 0;
}

/* In the order of their making. */
static void number_as_made(dense *d)
{
    for (size_t q = zl_world_divisions(d->w); q < d->w->count; q++) {
        if (!d->used[q]) continue;
        d->place[q] = d->width++ - 1;
        d->order[d->divs++] = q;
    }
}

/* In the order in which a text has them, so that reading what was printed numbers them alike. */
static void number(dense *d, const zl_claims *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const zl_guard *g = &c->at[i].guard;
        for (size_t r = 0; r < c->outs; r++) place_row(d, c->at[i].value[r]);
        for (int equal = 1; equal >= 0; equal--)
            for (size_t r = 0; r < g->count; r++)
                if (g->row[r]->equal == equal) place_row(d, g->row[r]);
    }
}

/* The next row of the block. */
static void write_row(dense *d, const zl_row *row)
{
    d->next[0] = row->constant;
    for (size_t v = 0; v < row->used; v++)
        if (row->at[v]) d->next[1 + d->place[v]] = row->at[v];
    d->next += d->width;
}

static void write_divs(dense *d, zl_pieces *p, int64_t *den)
{
    p->div = d->next;
    p->den = den;
    for (size_t at = 0; at < d->divs; at++) {
        den[at] = d->w->variable[d->order[at]].den;
        write_row(d, d->w->variable[d->order[at]].num);
    }
}

static size_t write_rule(dense *d, const zl_guard *g, bool equal)
{
    size_t count = 0;
    for (size_t r = 0; r < g->count; r++) {
        if (g->row[r]->equal != equal) continue;
        write_row(d, g->row[r]);
        count++;
    }
    return count;
}

static void write_piece(dense *d, zl_piece *piece, const zl_claim *claim, size_t outs)
{
    piece->guard = d->next;
    piece->equals = write_rule(d, &claim->guard, true);
    piece->leasts = write_rule(d, &claim->guard, false);
    piece->value = d->next;
    for (size_t r = 0; r < outs; r++) write_row(d, claim->value[r]);
}

static zlay_status write_all(zl_claims *c, zl_pieces *out, const uint64_t *extent,
                             const uint64_t *out_size, bool as_made)
{
    dense d;
    begin(&d, c->w);
    mark_all(&d, c);
    if (as_made) number_as_made(&d);
    else number(&d, c);
    size_t rows = d.divs + c->count * c->outs;
    for (size_t i = 0; i < c->count; i++) rows += c->at[i].guard.count;
    int64_t *block = zl_scratch(c->w->ctx, rows * d.width + d.divs, sizeof *block);
    zl_piece *piece = zl_scratch_plain(c->w->ctx, c->count, sizeof *piece);
    if (!block || !piece) return ZLAY_ENOMEM;
    *out = (zl_pieces){c->w->params, c->w->dims, d.divs, c->outs, c->count, c->w->param,
                       extent,       out_size,   NULL,   NULL,    piece};
    d.next = block;
    write_divs(&d, out, block + rows * d.width);
    for (size_t i = 0; i < c->count; i++) write_piece(&d, &piece[i], &c->at[i], c->outs);
    return ZLAY_OK;
}

zlay_status zl_claims_dense(zl_claims *c, zl_pieces *out, const uint64_t *extent,
                            const uint64_t *out_size)
{
    return write_all(c, out, extent, out_size, false);
}

zlay_status zl_claims_as_made(zl_claims *c, zl_pieces *out, const uint64_t *extent,
                              const uint64_t *out_size)
{
    return write_all(c, out, extent, out_size, true);
}

/* ---- from dense rows ----------------------------------------------------------------------- */

typedef struct import {
    zl_world *w;
    const zl_pieces *p;
    const zl_quasi **form; /* of every variable of p */
    zl_quasi *sum;
} import;

static zlay_status row_in(import *m, const int64_t *row, size_t count)
{
    zlay_status status = ZLAY_OK;
    zl_quasi_set(m->sum, row[0]);
    for (size_t v = 0; v < count && !status; v++)
        if (row[1 + v]) status = zl_quasi_add(m->w, m->sum, m->form[v], row[1 + v]);
    return status;
}

static zlay_status forms_in(import *m, const zl_quasi *const *known)
{
    size_t count = m->p->params + m->p->dims, width = zl_pieces_width(m->p);
    zlay_status status = ZLAY_OK;
    for (size_t v = 0; v < count + m->p->divs && !status; v++) {
        zl_quasi *a = v < count && known ? NULL : zl_quasi_new(m->w);
        m->form[v] = v < count && known ? known[v] : a;
        if (!m->form[v]) return ZLAY_ENOMEM;
        if (v < count) {
            if (a) zl_quasi_put(a, v, 1);
            continue;
        }
        status = row_in(m, m->p->div + (v - count) * width, v);
        zl_quasi_copy(a, m->sum);
        if (!status) status = zl_quasi_divide(m->w, a, m->p->den[v - count]);
        if (!status) status = zl_quasi_floor(m->w, a);
    }
    return status;
}

static zlay_status claim_in(import *m, zl_claims *c, const zl_piece *piece)
{
    size_t width = zl_pieces_width(m->p);
    bool possible = true;
    zl_claim claim = {{0}, zl_scratch(m->w->ctx, c->outs, sizeof *claim.value)};
    zlay_status status = claim.value ? ZLAY_OK : ZLAY_ENOMEM;
    for (size_t r = 0; r < piece->equals + piece->leasts && !status; r++) {
        status = row_in(m, piece->guard + r * width, width - 1);
        if (!status)
            status = zl_guard_put(m->w, &claim.guard, m->sum, r < piece->equals, &possible);
    }
    for (size_t r = 0; r < c->outs && !status; r++) {
        status = row_in(m, piece->value + r * width, width - 1);
        claim.value[r] = status ? NULL : zl_row_new(m->w, m->sum, false);
        if (!status && !claim.value[r]) status = ZLAY_ENOMEM;
    }
    return status || !possible ? status : zl_claims_put(c, claim);
}

zlay_status zl_claims_import(zl_claims *c, const zl_pieces *p, const zl_quasi *const *known)
{
    import m = {c->w, p, NULL, zl_quasi_new(c->w)};
    m.form = zl_scratch(c->w->ctx, zl_pieces_width(p), sizeof *m.form);
    if (!m.form || !m.sum) return ZLAY_ENOMEM;
    zlay_status status = forms_in(&m, known);
    for (size_t i = 0; i < p->count && !status; i++) status = claim_in(&m, c, &p->piece[i]);
    for (size_t v = known ? p->params + p->dims : 0; v + 1 < zl_pieces_width(p); v++)
        zl_quasi_drop(c->w, (zl_quasi *)(uintptr_t)m.form[v]);
    zl_quasi_drop(c->w, m.sum);
    return status;
}

static zlay_status bound_one(zl_claims *c, zl_guard *guard, size_t d, uint64_t extent)
{
    bool possible = true;
    zl_quasi *a = zl_quasi_new(c->w);
    if (!a) return ZLAY_ENOMEM;
    zl_quasi_put(a, c->w->params + d, 1);
    zlay_status status = zl_guard_put(c->w, guard, a, false, &possible);
    zl_quasi_put(a, c->w->params + d, -1);
    a->constant = (int64_t)(extent - 1);
    if (!status) status = zl_guard_put(c->w, guard, a, false, &possible);
    zl_quasi_drop(c->w, a);
    return status;
}

zlay_status zl_claims_bound(zl_claims *c, const uint64_t *extent)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < c->count; i++)
        for (size_t d = 0; d < c->w->dims && !status; d++)
            if (extent[d]) status = bound_one(c, &c->at[i].guard, d, extent[d]);
    return status;
}
