/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: two stacks, so that nothing recurses. */
#include "algebra/facts/form.h"

#include <string.h>

enum {
    DEPTH = 64,             /* parentheses open at once */
    VALUES = 3 * DEPTH + 4, /* in each: what a call has so far, a sum, a product */
    OPS = 4 * DEPTH + 4     /* in each: the call, a sum, a product, a sign */
};

/* ---- names ------------------------------------------------------------------------- */

static const char *const reserved[] = {"and", "ceil", "floor", "max", "min", "mod"};

/* Unknowns are not printed as C, so words of PTX may name them: ld is one. */
static bool is_unknown(const char *name, size_t length)
{
    if (length > 64) return false;
    for (size_t i = 0; i < ZL_COUNT(reserved); i++)
        if (strlen(reserved[i]) == length && !memcmp(reserved[i], name, length)) return false;
    return true;
}

zlay_status zl_unknowns_scan(zl_unknowns *u, const char *text, size_t length)
{
    zlay_status status = ZLAY_OK;
    for (size_t at = 0, end; at < length && !status; at = end) {
        for (end = at; end < length && (zl_is_name_part(text[end]));) end++;
        size_t place;
        if (end == at) end++;
        else if (zl_is_name_start(text[at]) && is_unknown(text + at, end - at))
            status = zl_unknowns_add(u, &place, text + at, end - at);
    }
    return status;
}

/* ---- forms ------------------------------------------------------------------------- */

zlay_status zl_linears_begin(zl_linears *f, const zl_unknowns *u)
{
    f->u = u;
    if (u->count < f->room) return ZLAY_OK;
    f->room = u->count + u->count / 2 + 1;
    int64_t *coefficient = zl_scratch(u->ctx, VALUES * f->room, sizeof *coefficient);
    if (!f->at) f->at = zl_scratch(u->ctx, VALUES, sizeof *f->at);
    if (!f->step) f->step = zl_scratch(u->ctx, ZL_STEPS_MOST, sizeof *f->step);
    if (!coefficient || !f->at || !f->step) return ZLAY_ENOMEM;
    for (size_t i = 0; i < VALUES; i++) f->at[i].coefficient = coefficient + i * f->room;
    return ZLAY_OK;
}

/* ---- the machine ------------------------------------------------------------------- */

typedef struct machine {
    zl_cursor *c;
    const zl_unknowns *u;
    zl_linears *f;
    zl_linear *value;
    size_t values, ops, depth;
    uint8_t op[OPS];
    bool joined[OPS]; /* an open call: its first argument is on the stack */
    uint8_t quotients[OPS]; /* an open call: / and mod directly inside it, 2 for more */
} machine;

/* What the operator made: exact, where the value is no linear form and has one name. */
static void sharpen(machine *m, int op)
{
    zl_linears *f = m->f;
    zl_linear *top = &m->value[m->values - 1];
    if (!f->whole) return;
    if (op >= ZL_LINEAR_MUL && op != ZL_LINEAR_NEG && !top->linear && !zl_linear_names(top, m->u))
        top->rest = zl_range_meet(top->rest, zl_step_exact(f, f->steps - 1));
    f->step[f->steps - 1].range = zl_linear_range(top, m->u->at, m->u->count);
}

/* ---- values ------------------------------------------------------------------------ */

static zl_linear *push(machine *m, zlay_range rest)
{
    zl_linear *form = &m->value[m->values++];
    memset(form->coefficient, 0, m->u->count * sizeof *form->coefficient);
    form->rest = rest;
    form->linear = true;
    return form;
}

static int strength(int op)
{
    static const int of[] = {1, 1, 2, 2, 2, 3, 0, 0, 0, 0};
    return of[op];
}

static zlay_status apply(machine *m, int op)
{
    zl_linear *last = &m->value[m->values - 1];
    zl_step_operator(m->f, op);
    if (op == ZL_LINEAR_NEG) {
        zl_linear_negate(last, m->u);
        sharpen(m, op);
        return ZLAY_OK;
    }
    m->values--;
    zl_linear_apply(op, last - 1, last, m->u);
    if (!zl_range_is_empty(last[-1].rest)) sharpen(m, op);
    if (zl_range_is_empty(last[-1].rest))
        return zl_cursor_refuse(m->c, ZLAY_EINVAL, m->c->at, "what stands before divides by 0");
    return ZLAY_OK;
}

/* Operators that bind at least as tightly as one that comes now. */
static zlay_status reduce(machine *m, int least)
{
    zlay_status status = ZLAY_OK;
    while (!status && m->ops && strength(m->op[m->ops - 1]) >= least)
        status = apply(m, m->op[--m->ops]);
    return status;
}

static zlay_status open_call(machine *m, int op)
{
    uint32_t limit = zl_limits(m->c->ctx)->nesting;
    limit = limit < DEPTH ? limit : DEPTH;
    if (m->depth == limit)
        return zl_cursor_refuse(m->c, ZLAY_ELIMIT, m->c->at, "expressions nest %u deep at most",
                                (unsigned)limit);
    m->depth++;
    m->joined[m->ops] = false;
    m->quotients[m->ops] = 0;
    m->op[m->ops++] = (uint8_t)op;
    return ZLAY_OK;
}

/* ---- operands ---------------------------------------------------------------------- */

static bool hexadecimal(zl_cursor *c, uint64_t *out)
{
    size_t at = c->at + 2;
    *out = 0;
    if (c->length < at + 1 || c->text[c->at] != '0' || (c->text[c->at + 1] | 32) != 'x')
        return false;
    for (; at < c->length && at < c->at + 18; at++) {
        char x = c->text[at] | 32;
        if (!zl_is_digit(c->text[at]) && (x < 'a' || x > 'f')) break;
        *out = *out << 4 | (uint64_t)(zl_is_digit(x) ? x - '0' : x - 'a' + 10);
    }
    if (at == c->at + 2) return false;
    c->at = at;
    return true;
}

static zlay_range unsigned_range(uint64_t value)
{
    if (value <= INT64_MAX) return zl_range_constant((int64_t)value);
    return zl_range_add(zl_range_constant(INT64_MAX),
                        zl_range_constant((int64_t)(value - INT64_MAX)));
}

/* The sign of -2^63 is part of the number. */
static bool negated(const machine *m) { return m->ops && m->op[m->ops - 1] == ZL_LINEAR_NEG; }

/* An integer, and after ^ how often it is multiplied. */
static zlay_status number(machine *m)
{
    uint64_t base, exponent = 1;
    zlay_status status = ZLAY_OK;
    if (!hexadecimal(m->c, &base)) status = zl_cursor_unsigned(m->c, &base);
    if (!status && zl_cursor_take(m->c, '^')) status = zl_cursor_unsigned(m->c, &exponent);
    if (status) return status;
    if (exponent > 64) return zl_cursor_fail(m->c, "an exponent of 64 at most before this");
    if (base == (uint64_t)1 << 63 && exponent == 1 && negated(m)) {
        m->ops--;
        push(m, zl_range_constant(INT64_MIN));
        zl_step_operand(m->f, zl_range_constant(INT64_MIN), 0, false);
        return ZLAY_OK;
    }
    zlay_range value = zl_range_constant(1);
    for (; exponent; exponent--) value = zl_range_mul(value, unsigned_range(base));
    push(m, value);
    zl_step_operand(m->f, value, 0, false);
    return ZLAY_OK;
}

static zlay_status unknown(machine *m)
{
    size_t length = zl_cursor_word(m->c);
    for (size_t i = 0; i < m->u->count; i++) {
        const char *name = m->u->at[i].name.text;
        if (strlen(name) != length || memcmp(name, m->c->text + m->c->at, length)) continue;
        m->c->at += length;
        push(m, zl_range_constant(0))->coefficient[i] = 1;
        zl_step_operand(m->f, m->u->at[i].range, i, true);
        return ZLAY_OK;
    }
    return zl_cursor_fail(m->c, "a name of at most 64 characters");
}

static int call_op(zl_cursor *c)
{
    static const struct {
        const char *word;
        int op;
    } calls[] = {{"min", ZL_LINEAR_MIN},
                 {"max", ZL_LINEAR_MAX},
                 {"floor", ZL_LINEAR_OPEN},
                 {"ceil", ZL_LINEAR_CEIL}};
    for (size_t i = 0; i < ZL_COUNT(calls); i++)
        if (zl_cursor_keyword(c, calls[i].word)) return calls[i].op;
    return -1;
}

static bool minus(zl_cursor *c)
{
    bool odd = false;
    for (;;) {
        if (zl_cursor_take(c, '-')) odd = !odd;
        else if (!zl_cursor_take(c, '+')) return odd;
    }
}

/* Signs, then an operand (`*done`) or what opens one. */
static zlay_status operand(machine *m, bool *done)
{
    *done = false;
    if (minus(m->c)) m->op[m->ops++] = ZL_LINEAR_NEG;
    if (zl_cursor_take(m->c, '(')) return open_call(m, ZL_LINEAR_OPEN);
    int op = call_op(m->c);
    if (op >= 0) {
        zlay_status status = zl_cursor_want(m->c, '(');
        return status ? status : open_call(m, op);
    }
    *done = true;
    if (zl_is_digit(zl_cursor_peek(m->c))) return number(m);
    return zl_cursor_word(m->c) ? unknown(m) : zl_cursor_fail(m->c, "an integer or a name");
}

/* ---- what stands behind an operand ------------------------------------------------- */

/* One past the innermost open call; 0: none is. */
static size_t call_end(const machine *m)
{
    size_t end = m->ops;
    while (end && strength(m->op[end - 1])) end--;
    return end;
}

static void count_quotient(machine *m)
{
    size_t end = call_end(m);
    if (end && m->quotients[end - 1] < 2) m->quotients[end - 1]++;
}

/* ceil(a / b) is -floor(a / -b): one quotient, so that no / inside it is a floor. */
static zlay_status round_up(machine *m)
{
    zlay_status status = reduce(m, strength(ZL_LINEAR_NEG));
    size_t ops = m->ops;
    if (status) return status;
    bool one = ops > 1 && m->op[ops - 1] == ZL_LINEAR_DIV && m->op[ops - 2] == ZL_LINEAR_CEIL &&
               m->quotients[ops - 2] == 1;
    if (!one) return zl_cursor_fail(m->c, "one quotient in ceil(a / b)");
    status = apply(m, ZL_LINEAR_NEG);
    if (!status) status = reduce(m, 1);
    return status ? status : apply(m, ZL_LINEAR_NEG);
}

/* An argument ends: it is joined with what the call has so far. */
static zlay_status argument(machine *m, bool last)
{
    zlay_status status = reduce(m, 1);
    size_t call = m->ops - 1;
    bool one = m->op[call] == ZL_LINEAR_OPEN || m->op[call] == ZL_LINEAR_CEIL;
    if (!status && !last && one)
        return zl_cursor_fail(m->c, "')'");
    if (!status && m->joined[call]) status = apply(m, m->op[call]);
    m->joined[call] = true;
    return status;
}

/* In the order of the operators. */
static int binary_op(zl_cursor *c)
{
    static const char signs[] = "+-*/%";
    char next = zl_cursor_peek(c);
    const char *found = next ? strchr(signs, next) : NULL;
    if (!found) return zl_cursor_keyword(c, "mod") ? ZL_LINEAR_MOD : -1;
    c->at++;
    if (*found == '/') zl_cursor_symbol(c, "/");
    return (int)(found - signs);
}

static zlay_status close_call(machine *m)
{
    bool up = m->op[call_end(m) - 1] == ZL_LINEAR_CEIL;
    zlay_status status = up ? round_up(m) : ZLAY_OK;
    if (!status) status = argument(m, true);
    m->ops--;
    m->depth--;
    return status;
}

/* Whether an operator belongs to the expression, which ends before a `mod` that is asked for. */
static bool goes_on(machine *m, int op, size_t at, zl_ending *ending)
{
    if (!ending || m->depth || op < 0) return op >= 0;
    ending->sum = ending->sum || op == ZL_LINEAR_ADD || op == ZL_LINEAR_SUB;
    ending->mod = op == ZL_LINEAR_MOD;
    if (ending->mod) m->c->at = at;
    return !ending->mod;
}

/* One token behind an operand; `*more`: an operand comes next; `*done`: the expression is over. */
static zlay_status behind(machine *m, zl_ending *ending, bool *more, bool *done)
{
    size_t at = m->c->at;
    *done = false;
    *more = m->depth && zl_cursor_take(m->c, ',');
    if (*more) return argument(m, false);
    if (m->depth && zl_cursor_take(m->c, ')')) return close_call(m);
    int op = binary_op(m->c);
    if (op < 0 && m->depth) return zl_cursor_fail(m->c, "an operator or ')'");
    if (op == ZL_LINEAR_DIV || op == ZL_LINEAR_MOD) count_quotient(m);
    *more = goes_on(m, op, at, ending);
    *done = !*more;
    zlay_status status = reduce(m, *more ? strength(op) : 1);
    if (*more) m->op[m->ops++] = (uint8_t)op;
    return status;
}

zlay_status zl_linear_parse(zl_cursor *c, zl_linears *f, zl_ending *ending)
{
    machine m = {.c = c, .u = f->u, .f = f, .value = f->at};
    f->steps = 0;
    f->whole = true;
    bool more = true, done = false;
    zlay_status status = ZLAY_OK;
    while (!status && !done) {
        bool there = true;
        if (more) status = operand(&m, &there);
        if (!status && there) status = behind(&m, ending, &more, &done);
    }
    return status;
}
