/* SPDX-License-Identifier: Apache-2.0 */
/* All values of pieces: the same as point by point, with rows reduced to the terms they have.  That
 * no sum leaves 64 bits was checked when the pieces were made. */
#include "algebra/kind.h"
#include "algebra/table.h"

typedef struct entry {
    int64_t factor;
    size_t variable;
} entry;

typedef struct sparse {
    const zl_pieces *p;
    entry *at;      /* all rows, one after the other */
    size_t *end;    /* of a row's entries */
    int64_t *first; /* its constant */
    size_t rows, entries;
    int64_t variable[ZL_PIECE_VARIABLES];
} sparse;

/* Rows in the order in which they are asked: divisions, then the guard and values of each piece. */
typedef void row_visit(sparse *s, const int64_t *row);

static void visit_rows(sparse *s, const int64_t *row, size_t count, row_visit *visit)
{
    for (size_t i = 0; i < count; i++) visit(s, row + i * zl_pieces_width(s->p));
}

static void visit_all(sparse *s, row_visit *visit)
{
    s->rows = s->entries = 0;
    visit_rows(s, s->p->div, s->p->divs, visit);
    for (size_t i = 0; i < s->p->count; i++) {
        const zl_piece *piece = &s->p->piece[i];
        visit_rows(s, piece->guard, piece->equals + piece->leasts, visit);
        visit_rows(s, piece->value, s->p->outs, visit);
    }
}

static void count_row(sparse *s, const int64_t *row)
{
    for (size_t v = 1; v < zl_pieces_width(s->p); v++) s->entries += row[v] != 0;
    s->rows++;
}

static void put_row(sparse *s, const int64_t *row)
{
    for (size_t v = 1; v < zl_pieces_width(s->p); v++)
        if (row[v]) s->at[s->entries++] = (entry){row[v], v - 1};
    s->first[s->rows] = row[0];
    s->end[s->rows++] = s->entries;
}

static int64_t row_at(const sparse *s, size_t row)
{
    int64_t value = s->first[row];
    for (size_t i = row ? s->end[row - 1] : 0; i < s->end[row]; i++)
        value += s->at[i].factor * s->variable[s->at[i].variable];
    return value;
}

static void divide(sparse *s)
{
    for (size_t q = 0; q < s->p->divs; q++) {
        int64_t value = row_at(s, q), den = s->p->den[q];
        s->variable[s->p->dims + q] = value / den - (value % den < 0);
    }
}

static bool holds(const sparse *s, const zl_piece *piece, size_t row)
{
    for (size_t r = 0; r < piece->equals + piece->leasts; r++) {
        int64_t value = row_at(s, row + r);
        if (r < piece->equals ? value != 0 : value < 0) return false;
    }
    return true;
}

/* The flat value of the piece whose outputs begin at a row. */
static int64_t flat_at(const sparse *s, size_t row)
{
    uint64_t flat = (uint64_t)row_at(s, row + s->p->outs - 1);
    for (size_t i = s->p->outs - 1; i-- > 0;)
        flat = flat * s->p->out_size[i] + (uint64_t)row_at(s, row + i);
    return (int64_t)flat;
}

static bool value_at(sparse *s, int64_t *out)
{
    size_t row = s->p->divs;
    divide(s);
    for (size_t i = 0; i < s->p->count; i++) {
        const zl_piece *piece = &s->p->piece[i];
        size_t guards = piece->equals + piece->leasts;
        if (holds(s, piece, row)) {
            *out = flat_at(s, row + guards);
            return true;
        }
        row += guards + s->p->outs;
    }
    return false;
}

static void next_point(sparse *s)
{
    for (size_t i = 0; i < s->p->dims; i++) {
        if ((uint64_t)++s->variable[i] < s->p->extent[i]) return;
        s->variable[i] = 0;
    }
}

static zlay_status fill(sparse *s, zl_table *t)
{
    zlay_allocator alloc = zl_allocator(t->ctx);
    size_t bytes = s->entries * sizeof *s->at + s->rows * (sizeof *s->first + sizeof *s->end);
    int64_t value;
    char *room = zl_alloc(t->ctx, bytes + 1, 1);
    if (!room) return ZLAY_ENOMEM;
    s->at = (entry *)(void *)room;
    s->first = (int64_t *)(void *)(s->at + s->entries);
    s->end = (size_t *)(void *)(s->first + s->rows);
    visit_all(s, put_row);
    for (uint64_t i = 0; i < t->size; i++, next_point(s))
        if (value_at(s, &value)) zl_table_set(t, i, value);
    zl_free(&alloc, room, bytes + 1);
    return ZLAY_OK;
}

zlay_status zl_pieces_table(zl_table *out, const zlay_layout *a)
{
    sparse s = {.p = &a->pieces};
    visit_all(&s, count_row);
    return fill(&s, out);
}
