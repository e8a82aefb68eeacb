/* SPDX-License-Identifier: Apache-2.0 */
/* Two pieces of one value whose guards differ in one row, which the other has negated, are one. */
#include "algebra/presburger/draft.h"

enum { MERGED_MOST = 256 }; /* pairs are compared, so only among so many pieces */

/* f >= 0 and -f - 1 >= 0. */
static bool negated(const zl_row *f, const zl_row *g)
{
    if (f->equal || g->equal || f->used != g->used || f->direction != g->direction) return false;
    if ((uint64_t)f->constant + (uint64_t)g->constant + 1) return false;
    for (size_t v = 0; v < f->used; v++)
        if ((uint64_t)f->at[v] + (uint64_t)g->at[v]) return false;
    return true;
}

static bool has_row(const zl_guard *guard, const zl_row *row)
{
    for (size_t i = 0; i < guard->count; i++)
        if (guard->row[i]->equal == row->equal && zl_row_same(guard->row[i], row)) return true;
    return false;
}

/* The one row of a that b lacks: its place; the count where there is none or another. */
static size_t odd_row(const zl_guard *a, const zl_guard *b)
{
    size_t odd = a->count;
    for (size_t i = 0; i < a->count; i++) {
        if (has_row(b, a->row[i])) continue;
        if (odd < a->count) return a->count;
        odd = i;
    }
    return odd;
}

static bool same_values(const zl_claim *a, const zl_claim *b, size_t outs)
{
    for (size_t i = 0; i < outs; i++)
        if (!zl_row_same(a->value[i], b->value[i])) return false;
    return true;
}

/* Takes the odd row out of a's guard; b is then no longer needed. */
static bool merge(zl_claim *a, const zl_claim *b, size_t outs)
{
    zl_guard *g = &a->guard;
    if (g->count != b->guard.count || !same_values(a, b, outs)) return false;
    size_t i = odd_row(g, &b->guard), j = odd_row(&b->guard, g);
    if (i == g->count || j == g->count || !negated(g->row[i], b->guard.row[j])) return false;
    for (g->count--; i < g->count; i++) g->row[i] = g->row[i + 1];
    return true;
}

static bool merge_any(zl_claims *c)
{
    for (size_t i = 0; i < c->count; i++)
        for (size_t j = i + 1; j < c->count; j++)
            if (merge(&c->at[i], &c->at[j], c->outs)) {
                c->at[j] = c->at[--c->count];
                return true;
            }
    return false;
}

void zl_draft_merge(zl_draft *d)
{
    if (d->claims.count <= MERGED_MOST)
        while (merge_any(&d->claims)) continue;
}
