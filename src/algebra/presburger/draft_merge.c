/* SPDX-License-Identifier: Apache-2.0 */
/* Two pieces of one value whose guards differ in one row, which the other has negated, are one. */
#include "algebra/presburger/draft.h"

#include <string.h>

enum { MERGED_MOST = 256 }; /* pairs are compared, so only among so many pieces */

static const size_t *rows_of(const zl_draft *d, const zl_part *part)
{
    return (const size_t *)d->piece_rows.at + part->first;
}

static bool same_row(const zl_draft *d, size_t i, size_t j)
{
    const zl_draft_row *a = (const zl_draft_row *)d->rows.at + i;
    const zl_draft_row *b = (const zl_draft_row *)d->rows.at + j;
    const int64_t *cells = d->cells.at;
    return a->rule == b->rule && a->length == b->length &&
           !memcmp(cells + a->first, cells + b->first, a->length * sizeof *cells);
}

/* f >= 0 and -f - 1 >= 0. */
static bool negated(const zl_draft *d, size_t i, size_t j)
{
    const zl_draft_row *a = (const zl_draft_row *)d->rows.at + i;
    const zl_draft_row *b = (const zl_draft_row *)d->rows.at + j;
    const int64_t *f = (const int64_t *)d->cells.at + a->first;
    const int64_t *g = (const int64_t *)d->cells.at + b->first;
    if (a->rule != ZL_ROW_LEAST || b->rule != ZL_ROW_LEAST || a->length != b->length) return false;
    for (size_t v = 0; v < a->length; v++)
        if ((uint64_t)f[v] + (uint64_t)g[v] + (v ? 0 : 1)) return false;
    return true;
}

static bool has_row(const zl_draft *d, const zl_part *part, size_t row)
{
    const size_t *at = rows_of(d, part);
    for (size_t i = 0; i + d->outs < part->count; i++)
        if (same_row(d, at[i], row)) return true;
    return false;
}

/* The one guard of a that b lacks: its place; count where there is none or another. */
static size_t odd_row(const zl_draft *d, const zl_part *a, const zl_part *b)
{
    size_t odd = a->count;
    const size_t *at = rows_of(d, a);
    for (size_t i = 0; i + d->outs < a->count; i++) {
        if (has_row(d, b, at[i])) continue;
        if (odd < a->count) return a->count;
        odd = i;
    }
    return odd;
}

static bool same_values(const zl_draft *d, const zl_part *a, const zl_part *b)
{
    const size_t *m = rows_of(d, a) + a->count - d->outs, *n = rows_of(d, b) + b->count - d->outs;
    for (size_t i = 0; i < d->outs; i++)
        if (!same_row(d, m[i], n[i])) return false;
    return true;
}

/* Takes the odd guard out of a; b is then no longer needed. */
static bool merge(zl_draft *d, zl_part *a, const zl_part *b)
{
    if (a->count != b->count || !same_values(d, a, b)) return false;
    size_t i = odd_row(d, a, b), j = odd_row(d, b, a);
    size_t *at = (size_t *)d->piece_rows.at + a->first;
    if (i == a->count || j == b->count || !negated(d, at[i], rows_of(d, b)[j])) return false;
    memmove(at + i, at + i + 1, (a->count - i - 1) * sizeof *at);
    a->count--;
    return true;
}

static bool merge_any(zl_draft *d)
{
    zl_part *part = d->pieces.at;
    for (size_t i = 0; i < d->pieces.count; i++)
        for (size_t j = i + 1; j < d->pieces.count; j++)
            if (merge(d, &part[i], &part[j])) {
                part[j] = part[--d->pieces.count];
                return true;
            }
    return false;
}

void zl_draft_merge(zl_draft *d)
{
    if (d->pieces.count <= MERGED_MOST)
        while (merge_any(d)) continue;
}
