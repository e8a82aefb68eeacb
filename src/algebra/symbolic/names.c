/* SPDX-License-Identifier: Apache-2.0 */
/* The names of a symbolic layout: added, exchanged, sorted and forgotten, and numbers put in their
 * place in every monomial.  And the refusals that all of the room share. */
#include "algebra/symbolic/symbol.h"

#include <string.h>

/* ---- refusals -------------------------------------------------------------------------- */

zlay_status zl_symbols_full(zlay_ctx *ctx, const char *what)
{
    return zl_fail(ctx, ZLAY_ELIMIT, "a symbolic layout has more than %s", what);
}

zlay_status zl_symbols_overflow(zlay_ctx *ctx)
{
    return zl_fail(ctx, ZLAY_EOVERFLOW,
                   "a coefficient of a symbolic layout does not fit 64 bits, or it has 65 terms");
}

zlay_status zl_symbols_unknown(zlay_ctx *ctx, const char *why)
{
    return zl_fail(ctx, ZLAY_ELIMIT, "limit symbolic-stride: %s", why);
}

zlay_status zl_symbols_ragged(zlay_ctx *ctx)
{
    return zl_symbols_unknown(ctx, "the layout ends at a ragged edge (if ..), and is only printed, "
                                   "bound and evaluated");
}

/* ---- names --------------------------------------------------------------------------- */

zlay_status zl_symbols_name(zlay_ctx *ctx, zl_symbols *s, size_t *place, const char *name,
                            size_t length)
{
    for (*place = 0; *place < s->names; ++*place) {
        const char *text = s->name[*place].name.text;
        if (strlen(text) == length && !memcmp(text, name, length)) return ZLAY_OK;
    }
    if (s->names == ZL_SYMBOLS_MOST) return zl_symbols_full(ctx, "16 names");
    zl_unknown *new = &s->name[s->names++];
    memset(new, 0, sizeof *new);
    memcpy(new->name.text, name, length);
    new->range = zl_range_all();
    return ZLAY_OK;
}

/* Every monomial of the layout, one after the other; NULL at the end. */
static zl_monomial *monomial(zl_symbols *s, size_t i)
{
    if (i < 2 * s->leaves) return i % 2 ? &s->leaf[i / 2].stride : &s->leaf[i / 2].shape;
    i -= 2 * s->leaves;
    if (i < s->offset.count) return &s->offset.term[i];
    i -= s->offset.count;
    return i < s->edges ? &s->edge[i].bound : NULL;
}

static zl_monomial *slack_term(zl_symbols *s, size_t i)
{
    size_t place = i / ZL_SLACK_TERMS;
    return place < s->slacks ? &s->slack[place].term[i % ZL_SLACK_TERMS] : NULL;
}

zl_monomial *zl_symbols_monomial(zl_symbols *s, size_t i)
{
    size_t own = 2 * s->leaves + s->offset.count + s->edges;
    return i < own ? monomial(s, i) : slack_term(s, i - own);
}

static void swap_powers(zl_monomial *m, size_t a, size_t b)
{
    uint8_t power = m->power[a];
    m->power[a] = m->power[b];
    m->power[b] = power;
}

static void swap_names(zl_symbols *s, size_t a, size_t b)
{
    zl_monomial *m;
    zl_unknown held = s->name[a];
    s->name[a] = s->name[b];
    s->name[b] = held;
    for (size_t i = 0; (m = monomial(s, i)); i++) swap_powers(m, a, b);
    for (size_t i = 0; (m = slack_term(s, i)); i++) swap_powers(m, a, b);
}

void zl_symbols_forget(zl_symbols *s, size_t name) { swap_names(s, name, --s->names); }

/* Facts about a name go with it. */
static void drop_slacks(zl_symbols *s, size_t name)
{
    for (size_t i = 0; i < s->slacks;) {
        bool has = false;
        for (size_t k = 0; k < ZL_SLACK_TERMS; k++)
            has = has || s->slack[i].term[k].power[name];
        if (has) s->slack[i] = s->slack[--s->slacks];
        else i++;
    }
}

static bool is_used(zl_symbols *s, size_t name)
{
    zl_monomial *m;
    for (size_t i = 0; (m = monomial(s, i)); i++)
        if (m->power[name]) return true;
    return false;
}

/* Names without use go to the end, and are forgotten there. */
void zl_symbols_sort(zl_symbols *s, bool drop)
{
    for (size_t i = 0; drop && i < s->names;)
        if (is_used(s, i)) i++;
        else {
            drop_slacks(s, i);
            swap_names(s, i, --s->names);
        }
    for (size_t i = 1; i < s->names; i++)
        for (size_t k = i; k && strcmp(s->name[k - 1].name.text, s->name[k].name.text) > 0; k--)
            swap_names(s, k - 1, k);
}

/* Sums are sorted by powers, which have changed. */
bool zl_poly_sort(zl_poly *p)
{
    zl_poly old = *p;
    p->count = 0;
    return zl_poly_add_all(p, &old);
}

/* ---- numbers in the place of names -------------------------------------------------------- */

static bool put_one(zl_monomial *m, size_t place, int64_t value)
{
    for (; m->power[place] && m->factor; m->power[place]--)
        if (!zl_mul(m->factor, value, &m->factor)) return false;
    if (!m->factor) *m = zl_monomial_of(0);
    return true;
}

bool zl_symbols_put(zl_symbols *s, size_t place, int64_t value)
{
    zl_monomial *m;
    for (size_t i = 0; (m = monomial(s, i)); i++)
        if (!put_one(m, place, value)) return false;
    for (size_t i = 0; (m = slack_term(s, i));) {
        if (put_one(m, place, value)) i++;
        else s->slack[i / ZL_SLACK_TERMS] = s->slack[--s->slacks], i -= i % ZL_SLACK_TERMS;
    }
    return zl_poly_sort(&s->offset);
}
