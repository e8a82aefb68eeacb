/* SPDX-License-Identifier: Apache-2.0 */
/* MLIR's affine expressions, whose division stands between its operands, as isl's, where it stands
 * before them. */
#include "algebra/text/import.h"

#include <stdio.h>
#include <string.h>

typedef struct affine {
    zl_cursor *c;
    zl_text *out;
    size_t rank;
    uint32_t depth;
} affine;

enum { MUL, FLOOR, CEIL, MOD, OPERATORS };

/* a op n is written open a close n end; a ceildiv n is -floor(-a / n). */
static const struct {
    const char *word, *open, *close, *end;
} operators[OPERATORS] = {
    [MUL] = {"*", "((", ")*(", "))"},
    [FLOOR] = {"floordiv", "floor((", ")/(", "))"},
    [CEIL] = {"ceildiv", "(-floor((-(", "))/(", ")))"},
    [MOD] = {"mod", "((", ") mod (", "))"},
};

static int operator_at(zl_cursor *c)
{
    for (int i = 0; i < OPERATORS; i++)
        if (zl_cursor_symbol(c, operators[i].word)) return i;
    return OPERATORS;
}

static zlay_status sum(affine *a);

static zlay_status parenthesis(affine *a)
{
    uint32_t limit = zl_limits(a->c->ctx)->nesting;
    if (++a->depth > limit)
        return zl_cursor_refuse(a->c, ZLAY_ELIMIT, a->c->at, "limits.nesting is %u",
                                (unsigned)limit);
    zl_puts(a->out, "(");
    zlay_status status = sum(a);
    zl_puts(a->out, ")");
    a->depth--;
    return status ? status : zl_cursor_want(a->c, ')');
}

static zlay_status dimension(affine *a)
{
    uint64_t which;
    zl_cursor_peek(a->c);
    size_t at = a->c->at;
    if (!zl_cursor_symbol(a->c, "d")) return zl_cursor_fail(a->c, "a dimension, an integer or '('");
    zlay_status status = zl_cursor_unsigned(a->c, &which);
    if (status) return status;
    if (which >= a->rank)
        return zl_cursor_refuse(a->c, ZLAY_EINVAL, at, "d%llu is none of %zu dimensions",
                                (unsigned long long)which, a->rank);
    zl_putf(a->out, "d%llu", (unsigned long long)which);
    return ZLAY_OK;
}

static zlay_status factor(affine *a)
{
    int64_t value;
    size_t minus = 0;
    while (zl_cursor_take(a->c, '-')) minus++;
    zl_puts(a->out, minus % 2 ? "(-" : "(");
    zlay_status status;
    if (zl_cursor_take(a->c, '(')) {
        status = parenthesis(a);
    } else if (!zl_cursor_at_integer(a->c)) {
        status = dimension(a);
    } else {
        status = zl_cursor_integer(a->c, &value);
        if (!status) zl_putf(a->out, "%lld", (long long)value);
    }
    zl_puts(a->out, ")");
    return status;
}

static void skip_factor(zl_cursor *c)
{
    size_t depth = 0;
    bool more;
    while (zl_cursor_take(c, '-')) continue;
    do {
        char next = zl_cursor_peek(c);
        if (!next || strchr(depth ? "" : "+-*,)", next)) return;
        depth += next == '(';
        depth -= next == ')';
        c->at++;
        next = c->at < c->length ? c->text[c->at] : 0;
        more = depth || zl_is_letter(next) || zl_is_digit(next);
    } while (more);
}

enum { CHAIN_MOST = 64 };

/* Looks over factors without reading them, or nested ones would be read twice a level. */
static zlay_status chain_ahead(const affine *a, int *chain, int *count)
{
    zl_cursor c = *a->c;
    int op;
    skip_factor(&c);
    for (*count = 0; (op = operator_at(&c)) < OPERATORS; skip_factor(&c)) {
        if (*count == CHAIN_MOST) return zl_cursor_fail(&c, "64 operators at most in a product");
        chain[(*count)++] = op;
    }
    return ZLAY_OK;
}

/* Products bind from the left, so the last operator's text opens first. */
static zlay_status product(affine *a)
{
    int chain[CHAIN_MOST], count;
    zlay_status status = chain_ahead(a, chain, &count);
    if (status) return status;
    for (int i = count; i-- > 0;) zl_puts(a->out, operators[chain[i]].open);
    status = factor(a);
    for (int i = 0; i < count && !status; i++) {
        operator_at(a->c);
        zl_puts(a->out, operators[chain[i]].close);
        status = factor(a);
        zl_puts(a->out, operators[chain[i]].end);
    }
    return status;
}

static zlay_status sum(affine *a)
{
    zlay_status status = product(a);
    while (!status) {
        bool plus = zl_cursor_take(a->c, '+');
        if (!plus && !zl_cursor_take(a->c, '-')) break;
        zl_puts(a->out, plus ? " + " : " - ");
        status = product(a);
    }
    return status;
}

static zlay_status names(affine *a)
{
    zlay_status status = zl_cursor_want(a->c, '(');
    for (size_t i = 0; i < a->rank && !status; i++) {
        char name[24];
        snprintf(name, sizeof name, "d%zu", i);
        if (!zl_cursor_symbol(a->c, name)) return zl_cursor_fail(a->c, name);
        if (i + 1 < a->rank) status = zl_cursor_want(a->c, ',');
    }
    if (!status) status = zl_cursor_want(a->c, ')');
    if (status) return status;
    return zl_cursor_symbol(a->c, "->") ? ZLAY_OK : zl_cursor_fail(a->c, "'->'");
}

static zlay_status results(affine *a)
{
    zlay_status status = zl_cursor_want(a->c, '(');
    if (!status) status = sum(a);
    while (!status && zl_cursor_take(a->c, ',')) {
        zl_puts(a->out, ", ");
        status = sum(a);
    }
    if (!status) status = zl_cursor_want(a->c, ')');
    return status ? status : zl_cursor_want(a->c, '>');
}

zlay_status zl_import_affine_map(zl_cursor *c, zl_text *out, const uint64_t *extent, size_t rank)
{
    affine a = {c, out, rank, 0};
    zl_puts(out, "{ [");
    for (size_t i = 0; i < rank; i++) zl_putf(out, "%sd%zu", i ? ", " : "", i);
    zl_puts(out, "] -> [");
    zlay_status status = names(&a);
    if (!status) status = results(&a);
    zl_puts(out, "]");
    for (size_t i = 0; i < rank; i++)
        zl_putf(out, "%s0 <= d%zu < %llu", i ? " and " : " : ", i, (unsigned long long)extent[i]);
    zl_puts(out, " }");
    return status;
}
