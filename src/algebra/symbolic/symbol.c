/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic layouts as values: names in order, numbers in the place of names, the kind. */
#include "algebra/symbolic/symbol.h"

#include <string.h>

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

zlay_status zl_symbols_plain(zlay_ctx *ctx, const zlay_layout *a)
{
    zl_quotient q;
    for (size_t i = 0; a->symbols && i < a->symbols->names; i++) {
        zl_quotient_read(&q, a->symbols->name[i].name.text);
        if (q.by > 1)
            return zl_fail(ctx, ZLAY_ENOTSUP, "the layout has the quotient %s",
                           a->symbols->name[i].name.text);
    }
    return a->symbols && a->symbols->edges ? zl_symbols_ragged(ctx) : ZLAY_OK;
}

zlay_status zl_without_symbols(zlay_ctx *ctx, const zlay_layout *a)
{
    return a->symbols ? zl_symbols_unknown(ctx, "a piece has no stride that is a name") : ZLAY_OK;
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

/* Sums are sorted by powers, which have changed. */
static bool sort_terms(zl_poly *p)
{
    zl_poly old = *p;
    p->count = 0;
    return zl_poly_add_all(p, &old);
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
static void sort_names(zl_symbols *s, bool drop)
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

static void share_slacks(zl_symbols *to, const zl_symbols *from, size_t count)
{
    for (size_t i = 0; i < count && to->slacks < ZL_SLACKS_MOST; i++)
        to->slack[to->slacks++] = from->slack[i];
}

zlay_status zl_symbols_share(zlay_ctx *ctx, zl_symbols *a, zl_symbols *b)
{
    zl_symbols *side[2] = {a, b};
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < side[!i]->names; k++) {
            const zl_unknown *other = &side[!i]->name[k];
            size_t place;
            zlay_status status = zl_symbols_name(ctx, side[i], &place, other->name.text,
                                                 strlen(other->name.text));
            if (status) return status;
            zlay_range *range = &side[i]->name[place].range;
            *range = zl_range_meet(*range, other->range);
        }
    sort_names(a, false);
    sort_names(b, false);
    size_t own = a->slacks;
    share_slacks(a, b, b->slacks);
    share_slacks(b, a, own);
    if (!zl_symbols_unify(a) || !zl_symbols_unify(b)) return zl_symbols_overflow(ctx);
    sort_names(a, false);
    sort_names(b, false);
    return sort_terms(&a->offset) && sort_terms(&b->offset) ? ZLAY_OK : zl_symbols_overflow(ctx);
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
    return sort_terms(&s->offset);
}

static zlay_status positive(zlay_ctx *ctx, zl_symbols *s)
{
    for (size_t i = 0; i < s->leaves; i++) {
        if (s->leaf[i].shape.factor < 1)
            return zl_fail(ctx, ZLAY_EINVAL, "extent %lld of mode %zu is below 1",
                           (long long)s->leaf[i].shape.factor, i);
        for (size_t k = 0; k < s->names; k++) {
            zlay_range *range = &s->name[k].range;
            if (!s->leaf[i].shape.power[k]) continue;
            *range = zl_range_meet(*range, zl_range_between(1, INT64_MAX));
            if (zl_range_is_empty(*range))
                return zl_fail(ctx, ZLAY_EINVAL, "the extent %s is below 1", s->name[k].name.text);
        }
    }
    return ZLAY_OK;
}

zlay_status zl_symbols_settle(zlay_ctx *ctx, zl_symbols *s)
{
    if (!zl_symbols_unify(s)) return zl_symbols_overflow(ctx);
    zlay_status status = positive(ctx, s);
    if (!zl_symbols_unify(s)) return zl_symbols_overflow(ctx);
    zl_slacks_tighten(s);
    for (size_t k = 0; k < s->names && !status; k++) {
        const zl_unknown *name = &s->name[k];
        if (zl_range_is_empty(name->range))
            status = zl_fail(ctx, ZLAY_EINVAL, "the facts leave no value for %s", name->name.text);
        else if (zl_range_is_constant(name->range) && !zl_symbols_put(s, k, name->range.lo))
            status = zl_symbols_overflow(ctx);
    }
    if (!status && !zl_slacks_hold(s))
        status = zl_fail(ctx, ZLAY_EINVAL, "a fact about several names does not hold");
    if (status) return status;
    zl_edges_drop(s);
    sort_names(s, true);
    zl_symbols_params(s);
    return sort_terms(&s->offset) ? ZLAY_OK : zl_symbols_overflow(ctx);
}

/* ---- layouts ------------------------------------------------------------------------------- */

static zlay_status strided(zlay_ctx *ctx, zlay_layout **out, const zl_symbols *s)
{
    zl_modes m;
    zlay_status status = ZLAY_OK;
    zl_modes_begin(&m, ctx);
    m.offset = s->offset.count ? s->offset.term[0].factor : 0;
    for (size_t i = 0; i < s->leaves && !status; i++) {
        const zl_symbol_leaf *leaf = &s->leaf[i];
        status = zl_modes_put(&m, (zl_mode){leaf->shape.factor, leaf->stride.factor, leaf->open,
                                            leaf->close});
    }
    if (!status) status = zl_layout_strided(ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    return status;
}

/* The product of the extents, 0 where one is not known; that of their numbers fits in any case. */
static bool size_of(uint64_t *size, const zl_symbols *s)
{
    bool known = true;
    *size = 1;
    for (size_t i = 0; i < s->leaves; i++) {
        if (!zl_umul(*size, (uint64_t)s->leaf[i].shape.factor, size)) return false;
        known = known && zl_monomial_constant(&s->leaf[i].shape);
    }
    if (!known) *size = 0;
    return true;
}

zlay_status zl_symbols_layout(zlay_ctx *ctx, zlay_layout **out, const zl_symbols *s)
{
    zl_symbols settled = *s;
    uint64_t size;
    zlay_status status = zl_symbols_settle(ctx, &settled);
    if (!status && !settled.names && settled.edges) return zl_edges_pieces(ctx, out, &settled);
    if (status || !settled.names) return status ? status : strided(ctx, out, &settled);
    if (!size_of(&size, &settled))
        return zl_fail(ctx, ZLAY_EOVERFLOW, "the size of the layout does not fit 64 bits");
    zlay_layout *a = zl_layout_block(ctx, ZLAY_LAYOUT_SYMBOLIC, &zl_symbols_kind, sizeof settled);
    if (!a) return ZLAY_ENOMEM;
    memcpy(a + 1, &settled, sizeof settled);
    a->symbols = (const zl_symbols *)(const void *)(a + 1);
    a->size = size;
    a->partial = true;
    *out = a;
    return ZLAY_OK;
}

zlay_status zl_symbols_of(zlay_ctx *ctx, zl_symbols *out, const zlay_layout *a)
{
    zl_monomial offset = zl_monomial_of(a->offset);
    if (a->symbols && a->symbols->edges) return zl_symbols_ragged(ctx);
    if (a->symbols) *out = *a->symbols;
    if (a->symbols) return ZLAY_OK;
    if (!a->modes || a->swizzle.bits) return ZLAY_NONE;
    if (a->modes > ZL_SYMBOL_LEAVES) return zl_symbols_full(ctx, "64 modes");
    memset(out, 0, sizeof *out);
    zl_poly_add(&out->offset, &offset);
    for (; out->leaves < a->modes; out->leaves++) {
        const zl_mode *m = &a->mode[out->leaves];
        out->leaf[out->leaves] = (zl_symbol_leaf){zl_monomial_of(m->shape),
                                                  zl_monomial_of(m->stride), m->open, m->close};
    }
    return ZLAY_OK;
}

/* ---- facts and numbers -------------------------------------------------------------------- */

static zlay_status assume(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const zlay_facts *facts)
{
    zl_symbols s;
    if (!a) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    if (!a->symbols) return zl_layout_copy(ctx, out, a);
    s = *a->symbols;
    for (size_t i = 0; i < s.names; i++) {
        zlay_range known = zl_symbol_facts(facts, s.name[i].name.text);
        s.name[i].range = zl_range_meet(s.name[i].range, known);
    }
    zl_slacks_assume(&s, facts);
    return zl_symbols_layout(ctx, out, &s);
}

zlay_status zlay_layout_assume(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_facts *facts)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, assume(ctx, out, a, facts));
}

static zlay_status bind_one(zlay_ctx *ctx, zl_symbols *s, const char *name, int64_t value)
{
    char quoted[256];
    bool found = false;
    for (size_t i = 0; i < s->names; i++) {
        zl_quotient q;
        int64_t of;
        zl_quotient_read(&q, s->name[i].name.text);
        if (strcmp(q.base.text, name) != 0) continue;
        found = true;
        if (!zl_symbol_value(&of, s->name[i].name.text, value) ||
            !zl_range_has(s->name[i].range, of))
            return zl_fail(ctx, ZLAY_EINVAL,
                           "%s is never %lld: it is an extent, or by the facts or a quotient", name,
                           (long long)value);
        if (!zl_symbols_put(s, i, of)) return zl_symbols_overflow(ctx);
    }
    if (found) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "no parameter is called '%s'",
                   zl_quote(quoted, name, strlen(name)));
}

zlay_status zl_symbols_bind(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t count,
                            const char *const *name, const int64_t *value)
{
    zl_symbols s = *a->symbols;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < count && !status; i++) {
        if (!name[i]) return zl_fail(ctx, ZLAY_EINVAL, "name %zu is NULL", i);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(name[i], name[k]))
                return zl_fail(ctx, ZLAY_EINVAL, "parameter '%s' has two values", name[i]);
        status = bind_one(ctx, &s, name[i], value[i]);
    }
    return status ? status : zl_symbols_layout(ctx, out, &s);
}
