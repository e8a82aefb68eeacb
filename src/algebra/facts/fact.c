/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a fact: comparisons and congruences, each solved for its one name. */
#include "algebra/facts/form.h"

enum { EQUAL, AT_MOST, BELOW, AT_LEAST, ABOVE };

typedef struct side {
    zl_linears *forms;
    zl_linear *form;
    int64_t mod;  /* of `mod m` or `% m` behind it; 0: none */
    bool percent; /* it was %, which is an operator only */
} side;

typedef struct reader {
    zl_cursor *c;
    const zl_unknowns *u;
    zl_constraints *out;
    size_t fact;
    side left, right;
} reader;

static zlay_status refuse(reader *r, const char *why)
{
    return zl_cursor_refuse(r->c, ZLAY_EINVAL, r->c->at, "%s", why);
}

static int relation(zl_cursor *c)
{
    static const struct {
        const char *text;
        int relation;
    } rows[] = {{"==", EQUAL},    {"=", EQUAL},     {"<=", AT_MOST},
                {"<", BELOW},     {">=", AT_LEAST}, {">", ABOVE}};
    for (size_t i = 0; i < ZL_COUNT(rows); i++)
        if (zl_cursor_symbol(c, rows[i].text)) return rows[i].relation;
    return -1;
}

/* ---- sides ------------------------------------------------------------------------- */

static zlay_status modulus(reader *r, int64_t *out)
{
    uint64_t base, mod, exponent = 1;
    zlay_status status = zl_cursor_unsigned(r->c, &base);
    if (!status && zl_cursor_take(r->c, '^')) status = zl_cursor_unsigned(r->c, &exponent);
    if (status) return status;
    for (mod = 1; exponent && mod > 0 && mod <= INT64_MAX && base != 1; exponent--)
        mod = zl_umul_sat(mod, base);
    if (!mod || mod > INT64_MAX) return refuse(r, "a modulus is in [1, 2^63)");
    *out = (int64_t)mod;
    return ZLAY_OK;
}

static zlay_status side_parse(reader *r, side *s)
{
    zl_ending ending = {false, false};
    s->mod = 0;
    s->form = s->forms->at;
    zlay_status status = zl_linear_parse(r->c, s->forms, &ending);
    if (status) return status;
    bool paren = zl_cursor_take(r->c, '(');
    s->percent = !paren && zl_cursor_take(r->c, '%');
    bool word = !s->percent && zl_cursor_keyword(r->c, "mod");
    if (!s->percent && !word) return paren ? zl_cursor_fail(r->c, "mod") : ZLAY_OK;
    if (ending.sum && !paren) return refuse(r, "the sum before mod needs parentheses");
    status = modulus(r, &s->mod);
    if (!status && paren) status = zl_cursor_want(r->c, ')');
    return status;
}

/* ---- what a comparison says -------------------------------------------------------- */

/* `rest`: the number that it follows from; a range of it where it does not fit 64 bits. */
static zlay_status says(reader *r, size_t place, zlay_range range, zlay_range rest)
{
    zl_constraint what = {r->fact, place, range, zl_range_is_constant(rest)};
    if (zl_range_is_empty(range)) return refuse(r, "what stands before holds for no integer");
    return zl_constraints_add(r->out, what);
}

/* The one name of a form; `*count` 0: there is none. */
static zlay_status one_name(reader *r, const zl_linear *d, size_t *place, size_t *count)
{
    *place = zl_linear_name(d, r->u, count);
    if (!d->linear) return refuse(r, "a fact is linear, a*NAME + b");
    if (*count > ZL_FACT_NAMES) return refuse(r, "a fact is about 8 names at most");
    return ZLAY_OK;
}

static zlay_status relates(reader *r, const zl_linear *d, int how, int64_t mod)
{
    zl_relation_fact what = {.fact = r->fact, .how = how, .mod = mod, .rest = d->rest.rem};
    if (!zl_range_is_constant(d->rest) || d->rest.rem == INT64_MIN)
        return refuse(r, "a number does not fit 64 bits");
    for (size_t i = 0; i < r->u->count; i++) {
        if (!d->coefficient[i]) continue;
        if (d->coefficient[i] == INT64_MIN) return refuse(r, "a number does not fit 64 bits");
        what.place[what.count] = i;
        what.coefficient[what.count++] = d->coefficient[i];
    }
    return zl_relations_add(r->out, &what);
}

/* d == 0 or d <= 0. */
static zlay_status compare(reader *r, const zl_linear *d, bool equal)
{
    size_t place, count;
    zlay_status status = one_name(r, d, &place, &count);
    if (status) return status;
    if (count > 1) return relates(r, d, equal ? ZL_FACT_ZERO : ZL_FACT_AT_MOST, 1);
    if (count) {
        int64_t factor = d->coefficient[place];
        return says(r, place, equal ? zl_range_solve_zero(factor, d->rest)
                                    : zl_range_solve_least(factor, d->rest), d->rest);
    }
    bool holds = equal ? zl_range_is_constant(d->rest) && !d->rest.rem : d->rest.hi <= 0;
    bool may = equal ? zl_range_has(d->rest, 0) : d->rest.lo <= 0;
    if (holds) return ZLAY_OK;
    return refuse(r, may ? "a number does not fit 64 bits" : "what stands before is false");
}

/* d == 0 modulo mod. */
static zlay_status congruent(reader *r, const zl_linear *d, int64_t mod)
{
    size_t place, count;
    zlay_status status = one_name(r, d, &place, &count);
    if (status) return status;
    if (!zl_range_is_constant(d->rest)) return refuse(r, "a residue does not fit 64 bits");
    if (count > 1) return relates(r, d, ZL_FACT_MOD, mod);
    if (count)
        return says(r, place, zl_range_solve_mod(d->coefficient[place], d->rest.rem, mod), d->rest);
    return d->rest.rem % mod ? refuse(r, "what stands before is false") : ZLAY_OK;
}

/* `a = b mod m`, and `a mod m = b`, whose b is what an operator gives: one integer of [0, m). */
static zlay_status congruence(reader *r, int how)
{
    side *left = &r->left, *right = &r->right;
    size_t place, count;
    if (how != EQUAL) return refuse(r, "a congruence needs =");
    if (right->percent) return refuse(r, "write x % m = r, or x = r mod m");
    if (left->mod && right->mod && left->mod != right->mod)
        return refuse(r, "one congruence has one modulus");
    place = zl_linear_name(right->form, r->u, &count);
    if (left->mod && !right->mod) {
        zlay_range b = right->form->rest;
        if (count || !zl_range_is_constant(b))
            return refuse(r, "x mod m is compared with a number");
        if (b.rem < 0 || b.rem >= left->mod) return says(r, place, zl_range_empty(), b);
    }
    zl_linear_apply(ZL_LINEAR_SUB, left->form, right->form, r->u);
    return congruent(r, left->form, left->mod ? left->mod : right->mod);
}

/* Every relation is a difference that is 0, or at most 0.  An equality takes the name from the
 * number, so that -2^63 stays in 64 bits. */
static zlay_status related(reader *r, int how)
{
    size_t names;
    zl_linear_name(r->right.form, r->u, &names);
    bool swap = how == AT_LEAST || how == ABOVE || (how == EQUAL && !names);
    zl_linear *a = swap ? r->right.form : r->left.form, *b = swap ? r->left.form : r->right.form;
    if (r->left.mod || r->right.mod) return congruence(r, how);
    zl_linear_apply(ZL_LINEAR_SUB, a, b, r->u);
    if (how == BELOW || how == ABOVE) a->rest = zl_range_add(a->rest, zl_range_constant(1));
    return compare(r, a, how == EQUAL);
}

/* ---- the text ---------------------------------------------------------------------- */

/* a < b <= c is a < b and b <= c: what stands between two relations is read twice. */
static zlay_status chain(reader *r)
{
    zlay_status status = side_parse(r, &r->left);
    int how = status ? -1 : relation(r->c);
    if (!status && how < 0) return zl_cursor_fail(r->c, "=, <, <=, > or >=");
    while (!status && how >= 0) {
        size_t middle = r->c->at;
        status = side_parse(r, &r->right);
        if (!status) status = related(r, how);
        size_t end = r->c->at;
        how = status ? -1 : relation(r->c);
        if (how < 0) continue;
        size_t next = r->c->at;
        if (r->left.mod || r->right.mod) return refuse(r, "a congruence ends a fact");
        r->c->at = middle;
        status = side_parse(r, &r->left);
        r->c->at = status ? end : next;
    }
    return status;
}

static bool is_another(zl_cursor *c)
{
    return zl_cursor_keyword(c, "and") || zl_cursor_symbol(c, "&&") || zl_cursor_take(c, ',');
}

zlay_status zl_fact_parse(zl_cursor *c, const zl_unknowns *u, zl_constraints *out, size_t fact)
{
    reader r = {.c = c, .u = u, .out = out, .fact = fact, {.forms = &out->left},
                {.forms = &out->right}};
    zlay_status status = zl_linears_begin(&out->left, u);
    if (!status) status = zl_linears_begin(&out->right, u);
    if (status) return status;
    do status = chain(&r);
    while (!status && is_another(c));
    return status ? status : zl_cursor_end(c);
}
