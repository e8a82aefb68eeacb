/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts where the facts about their parameters hold: outside, both sides are undefined. */
#include "algebra/presburger/pieces.h"
#include "algebra/decide/equal.h"
#include "algebra/facts/facts.h"

#include <string.h>

/* All parameters of both sides, those of the first in front. */
typedef struct unknowns {
    size_t count;
    zl_name name[ZL_PIECE_VARIABLES];
} unknowns;

static size_t find(const unknowns *u, const char *name)
{
    return zl_param_find(u->name, u->count, name);
}

static bool add_names(unknowns *u, const zl_pieces *p)
{
    for (size_t i = 0; i < p->params; i++) {
        if (find(u, p->param[i].text) < u->count) continue;
        if (u->count == ZL_PIECE_VARIABLES) return false;
        u->name[u->count++] = p->param[i];
    }
    return true;
}

/* Rows of what the facts say of the unknowns: equalities, bounds, and a division a congruence. */
typedef struct said {
    const zlay_facts *facts;
    zlay_range range[ZL_PIECE_VARIABLES];
    bool known[ZL_PIECE_VARIABLES];
    size_t equals, leasts, divs;
} said;

/* Facts about several names speak of all of them. */
static bool add_related(unknowns *u, const zlay_facts *facts)
{
    for (size_t k = 0; facts && k < facts->relations; k++)
        for (size_t i = 0; i < facts->relation[k].count; i++) {
            const zl_name *name = &facts->at[facts->relation[k].place[i]].name;
            if (find(u, name->text) < u->count) continue;
            if (u->count == ZL_PIECE_VARIABLES) return false;
            u->name[u->count++] = *name;
        }
    return true;
}

static void read_facts(said *s, const unknowns *u, const zlay_facts *facts)
{
    zlay_range range;
    const char *name;
    *s = (said){.facts = facts};
    for (size_t k = 0; facts && k < facts->relations; k++) {
        int how = facts->relation[k].how;
        s->equals += how != ZL_FACT_AT_MOST;
        s->leasts += how == ZL_FACT_AT_MOST;
        s->divs += how == ZL_FACT_MOD;
    }
    for (size_t i = 0; (name = zlay_facts_nth(&range, facts, i)); i++) {
        size_t at = find(u, name);
        if (at == u->count) continue;
        s->range[at] = range;
        s->known[at] = true;
        s->equals += range.mod != 1;
        s->divs += range.mod > 1;
        s->leasts += range.lo != INT64_MIN;
        s->leasts += range.hi != INT64_MAX;
    }
}

/* Where a row's entries go: the parameters to their places, new divisions behind. */
typedef struct plan {
    const zl_pieces *from;
    const unknowns *names;
    size_t width;
} plan;

static void copy_row(const plan *p, int64_t *to, const int64_t *from)
{
    size_t params = p->from->params, rest = p->from->dims + p->from->divs;
    to[0] = from[0];
    for (size_t i = 0; i < params; i++)
        to[1 + find(p->names, p->from->param[i].text)] = from[1 + i];
    memcpy(to + 1 + p->names->count, from + 1 + params, rest * sizeof *to);
}

static int64_t *copy_rows(const plan *p, int64_t *to, const int64_t *from, size_t rows)
{
    size_t width = zl_pieces_width(p->from);
    for (size_t r = 0; r < rows; r++) copy_row(p, to + r * p->width, from + r * width);
    return to + rows * p->width;
}

/* The form of a fact about several names, or its opposite. */
static void put_form(const plan *p, int64_t *row, const said *s, const zl_relation_fact *r,
                     int64_t sign)
{
    row[0] = sign * r->rest;
    for (size_t i = 0; i < r->count; i++)
        row[1 + find(p->names, s->facts->at[r->place[i]].name.text)] = sign * r->coefficient[i];
}

/* name - rem = mod * its division, or 0 where the name is one number. */
static int64_t *put_equals(const plan *p, int64_t *row, const said *s)
{
    size_t div = zl_pieces_width(p->from) - p->from->params + p->names->count;
    for (size_t i = 0; i < p->names->count; i++) {
        if (!s->known[i] || s->range[i].mod == 1) continue;
        row[0] = -s->range[i].rem;
        row[1 + i] = 1;
        if (s->range[i].mod) row[div++] = -s->range[i].mod;
        row += p->width;
    }
    for (size_t k = 0; s->facts && k < s->facts->relations; k++) {
        const zl_relation_fact *r = &s->facts->relation[k];
        if (r->how == ZL_FACT_AT_MOST) continue;
        put_form(p, row, s, r, 1);
        if (r->how == ZL_FACT_MOD) row[div++] = -r->mod;
        row += p->width;
    }
    return row;
}

static int64_t *put_bounds(const plan *p, int64_t *row, const said *s)
{
    for (size_t i = 0; i < p->names->count; i++) {
        if (s->known[i] && s->range[i].lo != INT64_MIN) {
            row[0] = -s->range[i].lo;
            row[1 + i] = 1;
            row += p->width;
        }
        if (s->known[i] && s->range[i].hi != INT64_MAX) {
            row[0] = s->range[i].hi;
            row[1 + i] = -1;
            row += p->width;
        }
    }
    for (size_t k = 0; s->facts && k < s->facts->relations; k++) {
        if (s->facts->relation[k].how != ZL_FACT_AT_MOST) continue;
        put_form(p, row, s, &s->facts->relation[k], -1);
        row += p->width;
    }
    return row;
}

static void put_divisions(const plan *p, int64_t *div, int64_t *den, const said *s)
{
    div = copy_rows(p, div, p->from->div, p->from->divs);
    if (p->from->divs) memcpy(den, p->from->den, p->from->divs * sizeof *den);
    den += p->from->divs;
    for (size_t i = 0; i < p->names->count; i++) {
        if (!s->known[i] || s->range[i].mod <= 1) continue;
        div[0] = -s->range[i].rem;
        div[1 + i] = 1;
        *den++ = s->range[i].mod;
        div += p->width;
    }
    for (size_t k = 0; s->facts && k < s->facts->relations; k++) {
        if (s->facts->relation[k].how != ZL_FACT_MOD) continue;
        put_form(p, div, s, &s->facts->relation[k], 1);
        *den++ = s->facts->relation[k].mod;
        div += p->width;
    }
}

static void put_piece(const plan *p, zl_piece *to, int64_t **rows, const zl_piece *from,
                      const said *s)
{
    size_t width = zl_pieces_width(p->from);
    *to = (zl_piece){from->equals + s->equals, from->leasts + s->leasts, *rows, NULL};
    *rows = copy_rows(p, *rows, from->guard, from->equals);
    *rows = put_equals(p, *rows, s);
    *rows = copy_rows(p, *rows, from->guard + from->equals * width, from->leasts);
    *rows = put_bounds(p, *rows, s);
    to->value = *rows;
    *rows = copy_rows(p, *rows, from->value, p->from->outs);
}

static size_t rows_of(const zl_pieces *p, const said *s)
{
    size_t rows = p->divs + s->divs;
    for (size_t i = 0; i < p->count; i++)
        rows += p->piece[i].equals + p->piece[i].leasts + s->equals + s->leasts + p->outs;
    return rows;
}

static zlay_status given(zlay_ctx *ctx, zlay_layout **out, const zl_pieces *from,
                         const unknowns *names, const said *s)
{
    plan p = {from, names, zl_pieces_width(from) - from->params + names->count + s->divs};
    size_t divs = from->divs + s->divs;
    int64_t *rows = zl_scratch(ctx, rows_of(from, s) * p.width, sizeof *rows);
    int64_t *den = zl_scratch(ctx, divs, sizeof *den);
    zl_piece *piece = zl_scratch(ctx, from->count, sizeof *piece);
    if (!rows || !den || !piece) return ZLAY_ENOMEM;
    zl_pieces made = *from;
    int64_t *at = rows + divs * p.width;
    put_divisions(&p, rows, den, s);
    for (size_t i = 0; i < from->count; i++) put_piece(&p, &piece[i], &at, &from->piece[i], s);
    made.params = names->count;
    made.param = names->name;
    made.divs = divs;
    made.div = rows;
    made.den = den;
    made.piece = piece;
    return zl_layout_pieces(ctx, out, &made, true);
}

zlay_status zl_given(zlay_ctx *ctx, zlay_layout **a_made, zlay_layout **b_made, const zl_pieces *a,
                     const zl_pieces *b, const zlay_facts *facts)
{
    unknowns names = {.count = 0};
    said s;
    *a_made = *b_made = NULL;
    if (!add_names(&names, a) || !add_names(&names, b) || !add_related(&names, facts))
        return zl_fail(ctx, ZLAY_ELIMIT, "%d parameters at most", (int)ZL_PIECE_VARIABLES);
    read_facts(&s, &names, facts);
    zlay_status status = given(ctx, a_made, a, &names, &s);
    if (!status) status = given(ctx, b_made, b, &names, &s);
    return status;
}
