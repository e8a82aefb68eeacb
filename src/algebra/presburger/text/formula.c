/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions in isl's notation, as disjunctions of conjunctions. */
#include "algebra/presburger/claims.h"
#include "algebra/presburger/text/parse.h"

#include <string.h>

/* ---- free variables of a part of the text ------------------------------------------------ */

static zlay_status solve_cases(zl_map_reader *p, zl_cases *cases, size_t first)
{
    zlay_status status = ZLAY_OK;
    zl_cases out = {0};
    if (p->w.count == first) return ZLAY_OK;
    for (size_t i = 0; i < cases->count && !status; i++) {
        bool possible = true;
        size_t left;
        status = zl_solve(&p->w, &cases->at[i], NULL, 0, first, &possible, &left);
        if (!status && possible) status = zl_cases_put(&p->w, &out, cases->at[i]);
    }
    *cases = out;
    return status;
}

zlay_status zl_read_side(zl_map_reader *p, zl_cases *cases, size_t first)
{
    zlay_status status = p->side.count ? zl_cases_and(&p->w, cases, &p->side) : ZLAY_OK;
    p->side = (zl_cases){0};
    return status ? status : solve_cases(p, cases, first);
}

/* ---- comparisons --------------------------------------------------------------------------- */

typedef struct list {
    zl_quasi **at;
    size_t count, room;
} list;

typedef enum relation { NO_RELATION, LE, LT, GE, GT, EQ, NE } relation;

static relation take_relation(zl_map_reader *p)
{
    static const struct { const char *text; relation is; } row[] = {
        {"<=", LE}, {">=", GE}, {"!=", NE}, {"==", EQ}, {"<", LT}, {">", GT}, {"=", EQ},
    };
    zl_cursor_peek(&p->c);
    if (p->c.at + 1 < p->c.length && !memcmp(p->c.text + p->c.at, "=>", 2)) return NO_RELATION;
    for (size_t i = 0; i < ZL_COUNT(row); i++)
        if (zl_cursor_symbol(&p->c, row[i].text)) return row[i].is;
    return NO_RELATION;
}

static zlay_status list_put(zl_map_reader *p, list *l, zl_quasi *a)
{
    if (l->count == l->room) {
        size_t room = l->room ? 2 * l->room : 4;
        zl_quasi **more = zl_scratch(p->w.ctx, room, sizeof *more);
        if (!more) return ZLAY_ENOMEM;
        for (size_t i = 0; i < l->count; i++) more[i] = l->at[i];
        l->at = more;
        l->room = room;
    }
    l->at[l->count++] = a;
    return ZLAY_OK;
}

static zlay_status read_list(zl_map_reader *p, list *l)
{
    zlay_status status;
    l->count = 0;
    do {
        zl_quasi *a = zl_quasi_new(&p->w);
        status = a ? zl_read_expression(p, a) : ZLAY_ENOMEM;
        if (!status) status = list_put(p, l, a);
    } while (!status && zl_cursor_take(&p->c, ','));
    return status;
}

static void list_drop(zl_map_reader *p, list *l)
{
    while (l->count) zl_quasi_drop(&p->w, l->at[--l->count]);
}

/* a >= 0, or with `strict` a > 0: the numerator decides. */
static zlay_status at_least(zl_map_reader *p, zl_cases *out, zl_quasi *a, bool strict)
{
    if (strict && !zl_sub(a->constant, 1, &a->constant))
        return zl_fail(p->c.ctx, ZLAY_EOVERFLOW, "a condition does not fit 64 bits");
    return zl_cases_row(&p->w, out, a, false);
}

/* d is right - left. */
static zlay_status difference(zl_map_reader *p, zl_cases *out, zl_quasi *d, relation is)
{
    zl_cases more;
    zlay_status status = ZLAY_OK;
    if (is == EQ) return zl_cases_row(&p->w, out, d, true);
    if (is == LE || is == LT) return at_least(p, out, d, is == LT);
    if (is == NE) {
        int64_t constant = d->constant;
        status = at_least(p, out, d, true);
        d->constant = constant;
    }
    if (!status) status = zl_quasi_scale(&p->w, d, -1);
    if (!status) status = at_least(p, is == NE ? &more : out, d, is != GE);
    return status || is != NE ? status : zl_cases_or(&p->w, out, &more);
}

static zlay_status compare(zl_map_reader *p, zl_cases *out, const zl_quasi *a, const zl_quasi *b,
                           relation is)
{
    zl_cases one;
    zl_quasi *d = zl_quasi_new(&p->w);
    if (!d) return ZLAY_ENOMEM;
    zl_quasi_copy(d, b);
    zlay_status status = zl_quasi_add(&p->w, d, a, -1);
    if (!status) status = difference(p, &one, d, is);
    zl_quasi_drop(&p->w, d);
    return status ? status : zl_cases_and(&p->w, out, &one);
}

static zlay_status compare_lists(zl_map_reader *p, zl_cases *out, const list *a, const list *b,
                                 relation is)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count && !status; j++)
            status = compare(p, out, a->at[i], b->at[j], is);
    return status;
}

static zlay_status read_chain(zl_map_reader *p, zl_cases *out)
{
    list a = {0}, b = {0};
    zlay_status status = read_list(p, &a);
    relation is = status ? NO_RELATION : take_relation(p);
    if (!status && is == NO_RELATION) return zl_cursor_fail(&p->c, "a comparison");
    for (; !status && is != NO_RELATION; is = take_relation(p)) {
        status = read_list(p, &b);
        if (!status) status = compare_lists(p, out, &a, &b, is);
        list_drop(p, &a);
        list swap = a;
        a = b;
        b = swap;
        if (status) return status;
    }
    list_drop(p, &a);
    return status;
}

static zlay_status read_comparison(zl_map_reader *p, zl_cases *out)
{
    size_t byte = p->c.at, first = p->w.count;
    zlay_status status = zl_cases_true(&p->w, out);
    if (!status) status = read_chain(p, out);
    if (!status && p->side.count) status = zl_read_side(p, out, first);
    return zl_cursor_place(&p->c, status, byte);
}

/* ---- exists -------------------------------------------------------------------------------- */

/* `e = x`: an equality that belongs to the condition. */
static zlay_status read_definition(zl_map_reader *p, zl_cases *defined, size_t v)
{
    zl_cases one;
    zl_quasi *a = zl_quasi_new(&p->w);
    if (!a) return ZLAY_ENOMEM;
    zlay_status status = zl_read_expression(p, a);
    if (!status) zl_quasi_put(a, v, -a->den);
    if (!status) status = zl_cases_row(&p->w, &one, a, true);
    zl_quasi_drop(&p->w, a);
    return status ? status : zl_cases_and(&p->w, defined, &one);
}

static zlay_status read_variable(zl_map_reader *p, zl_cases *defined)
{
    size_t v, length = zl_cursor_word(&p->c);
    const char *text = p->c.text + p->c.at;
    if (!length) return zl_cursor_fail(&p->c, "a name");
    zlay_status status = zl_world_free_variable(&p->w, &v);
    if (status) return status;
    p->c.at += length;
    if (zl_cursor_take(&p->c, '=')) status = read_definition(p, defined, v);
    return status ? status : zl_reader_declare(p, text, length, v);
}

/* Behind `exists`: names up to the colon, then all up to the end of this part. */
static zlay_status read_exists(zl_map_reader *p, zl_cases *out)
{
    zl_cases defined;
    size_t names = p->names, first = p->w.count;
    bool wrapped = zl_cursor_take(&p->c, '(');
    zlay_status status = zl_reader_enter(p);
    if (!status) status = zl_cases_true(&p->w, &defined);
    do status = status ? status : read_variable(p, &defined);
    while (!status && zl_cursor_take(&p->c, ','));
    if (!status && p->side.count) status = zl_cases_and(&p->w, &defined, &p->side);
    p->side = (zl_cases){0};
    if (!status) status = zl_cursor_want(&p->c, ':');
    if (!status) status = zl_read_formula(p, out);
    if (!status && wrapped) status = zl_cursor_want(&p->c, ')');
    if (!status) status = zl_cases_and(&p->w, out, &defined);
    p->depth--;
    p->names = names;
    return status ? status : solve_cases(p, out, first);
}

/* ---- and, or, not -------------------------------------------------------------------------- */

/* Whether the parenthesis at the cursor holds a condition: a comparison or a word of one. */
static bool holds_condition(const zl_map_reader *p)
{
    static const char *const words[] = {"exists", "true", "false", "not", "and", "or"};
    size_t depth = 0;
    for (size_t i = p->c.at; i < p->c.length; i++) {
        char c = p->c.text[i];
        if (c == '(') depth++;
        if (c == ')' && !--depth) return false;
        if (c == '<' || c == '>' || c == '=' || c == '!') return true;
        if (c == ';' || c == '}') return false;
        zl_map_reader at = *p;
        at.c.at = i;
        size_t length = c == ' ' ? 0 : zl_cursor_word(&at.c);
        for (size_t k = 0; length && k < ZL_COUNT(words); k++)
            if (zl_cursor_keyword(&at.c, words[k])) return true;
        if (length) i += length - 1;
    }
    return false;
}

static zlay_status read_wrapped(zl_map_reader *p, zl_cases *out)
{
    zlay_status status = zl_reader_enter(p);
    zl_cursor_take(&p->c, '(');
    if (!status) status = zl_read_formula(p, out);
    p->depth--;
    return status ? status : zl_cursor_want(&p->c, ')');
}

static zlay_status read_positive_atom(zl_map_reader *p, zl_cases *out)
{
    *out = (zl_cases){0};
    if (zl_cursor_keyword(&p->c, "exists")) return read_exists(p, out);
    if (zl_cursor_keyword(&p->c, "true")) return zl_cases_true(&p->w, out);
    if (zl_cursor_keyword(&p->c, "false")) return ZLAY_OK;
    if (zl_cursor_peek(&p->c) == '(' && holds_condition(p)) return read_wrapped(p, out);
    return read_comparison(p, out);
}

static bool guard_has_free(const zl_map_reader *p, const zl_guard *guard, size_t from, size_t to)
{
    for (size_t v = from; v < to; v++)
        for (size_t r = 0; !p->w.variable[v].den && r < guard->count; r++)
            if (zl_row_has(&p->w, guard->row[r], v)) return true;
    return false;
}

static zlay_status close_guard(zl_map_reader *p, zl_cases *out, const zl_guard *guard, size_t first)
{
    zl_claims claims = {&p->w, 0, 0, 0, NULL};
    if (!guard_has_free(p, guard, first, p->w.count)) return zl_cases_put(&p->w, out, *guard);
    if (guard_has_free(p, guard, p->w.params + p->w.dims, first))
        return zl_fail(p->c.ctx, ZLAY_EINVAL,
                       "not of an exists that is no floor division of coordinates is not read");
    zlay_status status = zl_solve_by_isl(&claims, &(zl_claim){*guard, NULL});
    for (size_t i = 0; i < claims.count && !status; i++)
        status = zl_cases_put(&p->w, out, claims.at[i].guard);
    return status;
}

zlay_status zl_read_close(zl_map_reader *p, zl_cases *cases, size_t first)
{
    zl_cases out = {0};
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < cases->count && !status; i++)
        status = close_guard(p, &out, &cases->at[i], first);
    *cases = out;
    return status;
}

/* A variable of `exists` that was not solved for cannot be negated row by row. */
static zlay_status negate_cases(zl_map_reader *p, zl_cases *cases, size_t first)
{
    zlay_status status = zl_read_close(p, cases, first);
    return status ? status : zl_cases_not(&p->w, cases);
}

static zlay_status read_negated(zl_map_reader *p, zl_cases *out)
{
    size_t byte = p->c.at, first = p->w.count;
    zlay_status status = read_positive_atom(p, out);
    return status ? status : zl_cursor_place(&p->c, negate_cases(p, out, first), byte);
}

static bool take_not(zl_map_reader *p)
{
    if (zl_cursor_keyword(&p->c, "not")) return true;
    zl_cursor_peek(&p->c);
    if (p->c.at + 1 < p->c.length && p->c.text[p->c.at + 1] == '=') return false;
    return zl_cursor_take(&p->c, '!');
}

static zlay_status read_atom(zl_map_reader *p, zl_cases *out)
{
    bool negated = false;
    while (take_not(p)) negated = !negated;
    return negated ? read_negated(p, out) : read_positive_atom(p, out);
}

static bool take_and(zl_map_reader *p)
{
    return zl_cursor_keyword(&p->c, "and") || zl_cursor_symbol(&p->c, "&&") ||
           zl_cursor_symbol(&p->c, "/\\");
}

static bool take_or(zl_map_reader *p)
{
    return zl_cursor_keyword(&p->c, "or") || zl_cursor_symbol(&p->c, "||") ||
           zl_cursor_symbol(&p->c, "\\/");
}

static zlay_status read_and(zl_map_reader *p, zl_cases *out)
{
    size_t byte = p->c.at;
    zlay_status status = read_atom(p, out);
    while (!status && take_and(p)) {
        zl_cases more;
        status = read_atom(p, &more);
        if (!status) status = zl_cases_and(&p->w, out, &more);
    }
    return zl_cursor_place(&p->c, status, byte);
}

static zlay_status read_or(zl_map_reader *p, zl_cases *out)
{
    size_t byte = p->c.at;
    zlay_status status = read_and(p, out);
    while (!status && take_or(p)) {
        zl_cases more;
        status = read_and(p, &more);
        if (!status) status = zl_cases_or_apart(&p->w, out, &more);
    }
    return zl_cursor_place(&p->c, status, byte);
}

/* a implies b is not a, or b; the last arrow binds first. */
zlay_status zl_read_formula(zl_map_reader *p, zl_cases *out)
{
    zl_cases then;
    size_t first = p->w.count;
    zlay_status status = read_or(p, out);
    if (status || !(zl_cursor_keyword(&p->c, "implies") || zl_cursor_symbol(&p->c, "=>")))
        return status;
    status = negate_cases(p, out, first);
    if (!status) status = zl_reader_enter(p);
    if (!status) status = zl_read_formula(p, &then);
    p->depth--;
    return status ? status : zl_cases_or_apart(&p->w, out, &then);
}
