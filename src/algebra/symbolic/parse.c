/* SPDX-License-Identifier: Apache-2.0 */
/* The text of symbolic layouts: that of strided ones, with products of names for integers. */
#include "algebra/facts/form.h"
#include "algebra/symbolic/symbol.h"
#include "algebra/layout/tuple.h"

#include <string.h>

/* ---- words ---------------------------------------------------------------------------- */

/* Words of facts and of the grammar, and those that no C expression may have as a name. */
static const char *const reserved[] = {"o",   "and", "or",  "not", "floor", "ceil", "max",
                                       "min", "mod", "if", "Sw", "f2",    "smem_ptr"};

static bool is_reserved(const char *name, size_t length)
{
    for (size_t i = 0; i < ZL_COUNT(reserved); i++)
        if (strlen(reserved[i]) == length && !memcmp(reserved[i], name, length)) return true;
    return length > 64;
}

/* A word that is no integer, CuTe's _8 being one. */
static bool is_name(const char *word, size_t length)
{
    return !zl_is_digit(word[0]) && !(word[0] == '_' && length > 1 && zl_is_digit(word[1]));
}

bool zl_symbols_in(const zl_cursor *c)
{
    for (size_t i = c->at, end; i < c->length; i = end + (end == i)) {
        for (end = i; end < c->length && zl_is_name_part(c->text[end]);) end++;
        size_t length = end - i;
        if (length == 2 && !memcmp(c->text + i, "Sw", 2)) return false;
        if (length && is_name(c->text + i, length) && !is_reserved(c->text + i, length))
            return true;
    }
    return false;
}

/* ---- monomials ---------------------------------------------------------------------------- */

static zlay_status overflow(zl_cursor *c)
{
    return zl_cursor_refuse(c, ZLAY_EOVERFLOW, c->at, "the product before it does not fit 64 bits");
}

static zlay_status read_name(zl_cursor *c, zl_name *out)
{
    size_t length = zl_cursor_word(c);
    if (!length || !is_name(c->text + c->at, length) || is_reserved(c->text + c->at, length))
        return zl_cursor_fail(c, "an integer or a name of at most 64 characters");
    memset(out, 0, sizeof *out);
    memcpy(out->text, c->text + c->at, length);
    c->at += length;
    return ZLAY_OK;
}

static zlay_status read_divisor(zl_cursor *c, int64_t *out)
{
    zlay_status status = zl_cursor_integer(c, out);
    return status || *out > 0 ? status : zl_cursor_fail(c, "a divisor of at least 1 before this");
}

/* NAME or NAME/n */
static zlay_status read_quotient(zl_cursor *c, zl_quotient *q)
{
    zlay_status status = read_name(c, &q->base);
    if (!status && zl_cursor_take(c, '/')) status = read_divisor(c, &q->by);
    return status;
}

/* ceil(NAME/n), ceil(k*NAME/n) */
static zlay_status read_rounded(zl_cursor *c, zl_quotient *q)
{
    q->up = true;
    zlay_status status = zl_cursor_want(c, '(');
    if (!status && zl_cursor_at_integer(c)) {
        status = zl_cursor_integer(c, &q->times);
        if (!status && q->times < 1)
            status = zl_cursor_fail(c, "a factor of at least 1 before this");
        if (!status) status = zl_cursor_want(c, '*');
    }
    if (!status) status = read_name(c, &q->base);
    if (!status) status = zl_cursor_want(c, '/');
    if (!status) status = read_divisor(c, &q->by);
    return status ? status : zl_cursor_want(c, ')');
}

static zlay_status read_factor(zl_cursor *c, zl_symbols *s, zl_monomial *out)
{
    int64_t value;
    zl_quotient q = {.times = 1, .by = 1};
    if (zl_cursor_at_integer(c)) {
        zlay_status status = zl_cursor_integer(c, &value);
        *out = zl_monomial_of(value);
        return status;
    }
    bool paren = zl_cursor_take(c, '(');
    zlay_status status = zl_cursor_keyword(c, "ceil") ? read_rounded(c, &q) : read_quotient(c, &q);
    if (!status && paren) status = zl_cursor_want(c, ')');
    return status ? status : zl_symbols_quotient(c->ctx, s, out, &q);
}

static zlay_status read_product(zl_cursor *c, zl_symbols *s, zl_monomial *out)
{
    zl_monomial next, product = zl_monomial_of(1);
    zlay_status status = ZLAY_OK;
    if (!zl_cursor_at_integer(c) && zl_cursor_take(c, '-')) product.factor = -1;
    do {
        status = read_factor(c, s, &next);
        if (!status && !zl_monomial_mul(&product, &product, &next)) status = overflow(c);
    } while (!status && zl_cursor_take(c, '*'));
    *out = product;
    return status;
}

/* ---- tuples -------------------------------------------------------------------------------- */

typedef struct tuple {
    zl_tuple at;
    zl_symbols *s;
} tuple;

static zlay_status put_leaf(tuple *t, const zl_monomial *m)
{
    zl_symbols *s = t->s;
    size_t i = t->at.leaf;
    uint64_t limit = zl_limits(t->at.c->ctx)->dims;
    if (t->at.strides) {
        if (i >= s->leaves || s->leaf[i].open != t->at.open) return zl_tuple_incongruent(&t->at);
        s->leaf[i].stride = *m;
        return ZLAY_OK;
    }
    if (s->leaves == ZL_SYMBOL_LEAVES || s->leaves >= limit)
        return zl_fail(t->at.c->ctx, ZLAY_ELIMIT,
                       "limits.dims is %llu, symbolic layouts have 64 modes at most; here are more",
                       (unsigned long long)limit);
    s->leaf[s->leaves++] = (zl_symbol_leaf){*m, zl_monomial_of(0), t->at.open, 0};
    return ZLAY_OK;
}

static zlay_status read_leaf(tuple *t)
{
    zl_monomial m;
    zlay_status status = zl_tuple_open(&t->at);
    if (!status) status = read_product(t->at.c, t->s, &m);
    if (!status) status = put_leaf(t, &m);
    return status ? status : zl_tuple_close(&t->at, &t->s->leaf[t->at.leaf].close);
}

static zlay_status read_tuple(zl_cursor *c, zl_symbols *s, bool strides)
{
    tuple t = {{c, strides, 0, 0, 0}, s};
    zlay_status status;
    do status = read_leaf(&t);
    while (!status && t.at.depth);
    bool whole = !strides || t.at.leaf == s->leaves;
    return status || whole ? status : zl_tuple_incongruent(&t.at);
}

static zlay_status compact(zl_cursor *c, zl_symbols *s)
{
    zl_monomial stride = zl_monomial_of(1);
    for (size_t i = 0; i < s->leaves; i++) {
        s->leaf[i].stride = stride;
        bool fits = zl_monomial_mul(&stride, &stride, &s->leaf[i].shape);
        if (!fits && i + 1 < s->leaves) return overflow(c);
    }
    return ZLAY_OK;
}

/* ---- ragged edges ------------------------------------------------------------------------ */

static zlay_status read_term(zl_cursor *c, const zl_symbols *s, zl_symbol_edge *e)
{
    int64_t weight = 1;
    uint64_t leaf;
    zlay_status status = ZLAY_OK;
    if (zl_cursor_at_integer(c)) {
        status = zl_cursor_integer(c, &weight);
        if (!status) status = zl_cursor_want(c, '*');
    }
    if (!status) status = zl_cursor_want(c, 'i');
    if (!status) status = zl_cursor_unsigned(c, &leaf);
    if (status) return status;
    if (leaf >= s->leaves || weight < 1 || e->weight[leaf])
        return zl_cursor_fail(c, "i0, i1, .. once, with a factor of at least 1, before this");
    e->weight[leaf] = weight;
    return ZLAY_OK;
}

static zlay_status read_edges(zl_cursor *c, zl_symbols *s)
{
    zlay_status status = ZLAY_OK;
    do {
        if (s->edges == ZL_SYMBOL_EDGES) return zl_symbols_full(c->ctx, "8 conditions");
        zl_symbol_edge *e = &s->edge[s->edges];
        memset(e, 0, sizeof *e);
        do status = read_term(c, s, e);
        while (!status && zl_cursor_take(c, '+'));
        if (!status) status = zl_cursor_want(c, '<');
        if (!status) status = read_product(c, s, &e->bound);
        s->edges++;
    } while (!status && zl_cursor_keyword(c, "and"));
    return status;
}

/* ---- layouts ------------------------------------------------------------------------------ */

/* A sum, when `o` comes behind it; else nothing is taken: then it was a shape. */
static zlay_status read_offset(zl_cursor *c, zl_symbols *s)
{
    size_t begin = c->at;
    zl_monomial m;
    zlay_status status = ZLAY_OK;
    if (zl_cursor_peek(c) == '(') return ZLAY_OK;
    for (bool minus = false, more = true; more && !status;) {
        status = read_product(c, s, &m);
        if (minus && !status && !zl_sub(0, m.factor, &m.factor)) status = overflow(c);
        if (!status && !zl_poly_add(&s->offset, &m)) status = overflow(c);
        minus = zl_cursor_peek(c) == '-';
        more = !status && (zl_cursor_take(c, '+') || zl_cursor_take(c, '-'));
    }
    if (status || zl_cursor_keyword(c, "o")) return status;
    c->at = begin;
    s->offset.count = 0;
    return ZLAY_OK;
}

zlay_status zl_symbols_parse(zl_cursor *c, zlay_layout **out)
{
    zl_symbols s;
    memset(&s, 0, sizeof s);
    zlay_status status = read_offset(c, &s);
    if (!status) status = read_tuple(c, &s, false);
    if (!status)
        status = zl_cursor_take(c, ':') ? read_tuple(c, &s, true) : compact(c, &s);
    if (!status && zl_cursor_keyword(c, "if")) status = read_edges(c, &s);
    if (!status) status = zl_cursor_end(c);
    return status ? status : zl_symbols_layout(c->ctx, out, &s);
}
