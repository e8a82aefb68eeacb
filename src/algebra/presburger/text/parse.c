/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions in isl's notation. */
#include "algebra/presburger/text/parse.h"

#include <string.h>

/* ---- words and names ------------------------------------------------------------------ */

bool zl_reader_is_keyword(const char *text, size_t length)
{
    static const char *const words[] = {"and",   "or",     "not",   "implies", "exists", "true",
                                        "false", "mod",    "floor", "ceil",    "floord", "ceild",
                                        "min",   "max",    "infty", "infinity", "NaN",   "rat"};
    for (size_t i = 0; i < ZL_COUNT(words); i++)
        if (strlen(words[i]) == length && !memcmp(words[i], text, length)) return true;
    return false;
}

const zl_scoped *zl_reader_find(const zl_map_reader *p, const char *text, size_t length)
{
    for (size_t i = p->names; i-- > 0;)
        if (p->name[i].length == length && !memcmp(p->name[i].text, text, length))
            return &p->name[i];
    return NULL;
}

static zlay_status name_room(zl_map_reader *p)
{
    if (p->names < p->room) return ZLAY_OK;
    size_t room = p->room ? 2 * p->room : 16;
    zl_scoped *more = zl_scratch(p->w.ctx, room, sizeof *more);
    if (!more) return ZLAY_ENOMEM;
    if (p->names) memcpy(more, p->name, p->names * sizeof *more);
    p->name = more;
    p->room = room;
    return ZLAY_OK;
}

zlay_status zl_reader_declare(zl_map_reader *p, const char *text, size_t length, size_t variable)
{
    char quoted[256];
    size_t byte = (size_t)(text - p->c.text);
    const char *why = zl_reader_is_keyword(text, length) ? "a word of the notation"
                      : zl_reader_find(p, text, length)  ? "there already"
                                                         : NULL;
    if (why)
        return zl_cursor_refuse(&p->c, ZLAY_EINVAL, byte, "the name '%s' is %s",
                                zl_quote(quoted, text, length), why);
    zlay_status status = name_room(p);
    if (!status) p->name[p->names++] = (zl_scoped){text, length, variable};
    return status;
}

enum { NESTING_MOST = 256 }; /* so that no limit of a caller can end the stack */

zlay_status zl_reader_enter(zl_map_reader *p)
{
    uint32_t limit = zl_limits(p->c.ctx)->nesting;
    if (limit > NESTING_MOST) limit = NESTING_MOST;
    if (++p->depth <= limit) return ZLAY_OK;
    return zl_cursor_refuse(&p->c, ZLAY_ELIMIT, p->c.at, "limits.nesting is %u", (unsigned)limit);
}

/* ---- factors ------------------------------------------------------------------------------ */

static zlay_status read_positive(zl_map_reader *p, int64_t *out)
{
    uint64_t value;
    size_t byte = p->c.at;
    zlay_status status = zl_cursor_unsigned(&p->c, &value);
    if (!status && (!value || value > INT64_MAX))
        status = zl_cursor_refuse(&p->c, value ? ZLAY_EOVERFLOW : ZLAY_EINVAL, byte, "%s",
                                  value ? "the number does not fit 64 bits" : "a division by 0");
    *out = (int64_t)value;
    return status;
}

static zlay_status negate(zl_map_reader *p, zl_quasi *a)
{
    return zl_quasi_scale(&p->w, a, -1);
}

/* floor(x), or with `up` the least integer above, -floor(-x). */
static zlay_status rounded(zl_map_reader *p, zl_quasi *out, bool up)
{
    zlay_status status = up ? negate(p, out) : ZLAY_OK;
    if (!status) status = zl_quasi_floor(&p->w, out);
    return !status && up ? negate(p, out) : status;
}

/* `(x)` or, with `pair`, `(x, n)`. */
static zlay_status read_rounded(zl_map_reader *p, zl_quasi *out, bool up, bool pair)
{
    int64_t by = 1;
    zlay_status status = zl_cursor_want(&p->c, '(');
    if (!status) status = zl_reader_enter(p);
    if (!status) status = zl_read_expression(p, out);
    if (!status && pair) status = zl_cursor_want(&p->c, ',');
    if (!status && pair) status = read_positive(p, &by);
    if (!status) status = zl_cursor_want(&p->c, ')');
    p->depth--;
    if (!status) status = zl_quasi_divide(&p->w, out, by);
    return status ? status : rounded(p, out, up);
}

/* One more operand x of m = min(...): what makes m that operand is m = x where x is no greater (no
 * less: max) than the others. */
static zlay_status extreme_case(zl_map_reader *p, zl_cases *out, zl_quasi *const *x, size_t count,
                                size_t which, bool least)
{
    zlay_status status = zl_cases_true(&p->w, out);
    zl_quasi *d = zl_quasi_new(&p->w);
    if (!d) return ZLAY_ENOMEM;
    for (size_t i = 0; i < count && !status; i++) {
        zl_cases one;
        if (i == which) continue;
        zl_quasi_copy(d, x[least ? i : which]);
        status = zl_quasi_add(&p->w, d, x[least ? which : i], -1);
        if (i < which) d->constant -= d->constant > INT64_MIN; /* ties: the first */
        if (!status) status = zl_cases_row(&p->w, &one, d, false);
        if (!status) status = zl_cases_and(&p->w, out, &one);
    }
    zl_quasi_drop(&p->w, d);
    return status;
}

static zlay_status extreme_cases(zl_map_reader *p, zl_cases *out, zl_quasi *const *x, size_t count,
                                 size_t m, bool least)
{
    zlay_status status = ZLAY_OK;
    *out = (zl_cases){0};
    for (size_t i = 0; i < count && !status; i++) {
        zl_cases one, is;
        status = extreme_case(p, &one, x, count, i, least);
        if (status) return status;
        zl_quasi_put(x[i], m, -x[i]->den);
        status = zl_cases_row(&p->w, &is, x[i], true);
        zl_quasi_put(x[i], m, 0);
        if (!status) status = zl_cases_and(&p->w, &one, &is);
        if (!status) status = zl_cases_or(&p->w, out, &one);
    }
    return status;
}

enum { OPERANDS_MOST = 16 };

static zlay_status read_operands(zl_map_reader *p, zl_quasi **x, size_t *count)
{
    zlay_status status = zl_cursor_want(&p->c, '(');
    if (!status) status = zl_reader_enter(p);
    for (*count = 0; !status; ++*count) {
        if (*count == OPERANDS_MOST)
            return zl_cursor_refuse(&p->c, ZLAY_ELIMIT, p->c.at, "more than %d operands",
                                    (int)OPERANDS_MOST);
        x[*count] = zl_quasi_new(&p->w);
        status = x[*count] ? zl_read_expression(p, x[*count]) : ZLAY_ENOMEM;
        if (!status && !zl_cursor_take(&p->c, ',')) break;
    }
    ++*count;
    p->depth--;
    return status ? status : zl_cursor_want(&p->c, ')');
}

/* A free variable, and the conditions that make it the least or greatest operand. */
static zlay_status read_extreme(zl_map_reader *p, zl_quasi *out, bool least)
{
    zl_quasi *x[OPERANDS_MOST + 1];
    zl_cases cases;
    size_t count, m = 0;
    zlay_status status = read_operands(p, x, &count);
    if (!status) status = zl_world_free_variable(&p->w, &m);
    if (!status) status = extreme_cases(p, &cases, x, count, m, least);
    if (status) return status;
    zl_quasi_put(out, m, 1);
    if (p->side.count) return zl_cases_and(&p->w, &p->side, &cases);
    p->side = cases;
    return ZLAY_OK;
}

static zlay_status read_name(zl_map_reader *p, zl_quasi *out)
{
    char quoted[256];
    size_t length = zl_cursor_word(&p->c), byte = p->c.at;
    const char *text = p->c.text + p->c.at;
    const zl_scoped *name = length ? zl_reader_find(p, text, length) : NULL;
    if (!length || zl_reader_is_keyword(text, length))
        return zl_cursor_fail(&p->c, "an integer, a name, '(' or floor");
    if (!name)
        return zl_cursor_refuse(&p->c, ZLAY_EINVAL, byte, "'%s' is no name that is known here",
                                zl_quote(quoted, text, length));
    p->c.at += length;
    zl_quasi_put(out, name->variable, 1);
    return ZLAY_OK;
}

static zlay_status read_parentheses(zl_map_reader *p, zl_quasi *out)
{
    zlay_status status = zl_reader_enter(p);
    if (!status) status = zl_read_expression(p, out);
    p->depth--;
    return status ? status : zl_cursor_want(&p->c, ')');
}

static zlay_status read_primary(zl_map_reader *p, zl_quasi *out)
{
    if (zl_cursor_take(&p->c, '(')) return read_parentheses(p, out);
    if (zl_cursor_keyword(&p->c, "floor")) return read_rounded(p, out, false, false);
    if (zl_cursor_keyword(&p->c, "ceil")) return read_rounded(p, out, true, false);
    if (zl_cursor_keyword(&p->c, "floord")) return read_rounded(p, out, false, true);
    if (zl_cursor_keyword(&p->c, "ceild")) return read_rounded(p, out, true, true);
    if (zl_cursor_keyword(&p->c, "min")) return read_extreme(p, out, true);
    if (zl_cursor_keyword(&p->c, "max")) return read_extreme(p, out, false);
    return read_name(p, out);
}

/* ---- terms --------------------------------------------------------------------------------- */

static bool take_mod(zl_map_reader *p)
{
    return zl_cursor_take(&p->c, '%') || zl_cursor_keyword(&p->c, "mod");
}

static zlay_status read_mod(zl_map_reader *p, zl_quasi *out)
{
    int64_t by;
    zlay_status status = read_positive(p, &by);
    return status ? status : zl_quasi_mod(&p->w, out, by);
}

static zlay_status read_factors(zl_map_reader *p, zl_quasi *out)
{
    zlay_status status = ZLAY_OK;
    while (!status && zl_cursor_take(&p->c, '*')) {
        int64_t factor;
        status = zl_cursor_integer(&p->c, &factor);
        if (!status) status = zl_quasi_scale(&p->w, out, factor);
    }
    return status;
}

/* x / n is a fraction until a floor, a comparison or the end; x // n is its floor. */
static zlay_status read_division(zl_map_reader *p, zl_quasi *out)
{
    int64_t by;
    if (!zl_cursor_take(&p->c, '/')) return ZLAY_OK;
    bool whole = p->c.at < p->c.length && p->c.text[p->c.at] == '/' && zl_cursor_take(&p->c, '/');
    zlay_status status = read_positive(p, &by);
    if (!status) status = zl_quasi_divide(&p->w, out, by);
    return !status && whole ? zl_quasi_floor(&p->w, out) : status;
}

static zlay_status no_more(zl_map_reader *p)
{
    size_t byte = p->c.at;
    char next = zl_cursor_peek(&p->c);
    bool more = next == '*' || next == '/' || take_mod(p);
    if (!more) return ZLAY_OK;
    return zl_cursor_refuse(&p->c, ZLAY_EINVAL, byte, "needs parentheses: what binds first here?");
}

static zlay_status read_suffix(zl_map_reader *p, zl_quasi *out)
{
    zlay_status status;
    if (take_mod(p)) {
        status = read_mod(p, out);
        if (!status) status = read_factors(p, out);
    } else {
        status = read_factors(p, out);
        if (!status) status = read_division(p, out);
    }
    return status ? status : no_more(p);
}

/* Whether a factor follows a number without a `*`, as in 64i. */
static bool is_juxtaposed(zl_map_reader *p)
{
    size_t length = zl_cursor_word(&p->c);
    const char *text = p->c.text + p->c.at;
    if (!length) return zl_cursor_peek(&p->c) == '(';
    static const char *const calls[] = {"floor", "ceil", "floord", "ceild", "min", "max"};
    for (size_t i = 0; i < ZL_COUNT(calls); i++)
        if (strlen(calls[i]) == length && !memcmp(calls[i], text, length)) return true;
    return !zl_reader_is_keyword(text, length);
}

static bool at_digit(zl_map_reader *p)
{
    return zl_is_digit(zl_cursor_peek(&p->c));
}

static zlay_status read_constant(zl_map_reader *p, zl_quasi *out, int64_t constant)
{
    zl_quasi_set(out, constant);
    zlay_status status = read_division(p, out);
    return status ? status : no_more(p);
}

static zlay_status read_term(zl_map_reader *p, zl_quasi *out)
{
    int64_t factor = 1, number;
    zlay_status status = ZLAY_OK;
    while (!status && at_digit(p)) {
        status = zl_cursor_integer(&p->c, &number);
        if (!status && !zl_mul(factor, number, &factor))
            status = zl_fail(p->c.ctx, ZLAY_EOVERFLOW, "a coefficient does not fit 64 bits");
        if (status) return status;
        bool times = zl_cursor_take(&p->c, '*');
        if (!times && !is_juxtaposed(p)) return read_constant(p, out, factor);
    }
    if (!status) status = read_primary(p, out);
    if (!status) status = read_suffix(p, out);
    return status ? status : zl_quasi_scale(&p->w, out, factor);
}

/* A minus that is no arrow. */
static bool take_minus(zl_map_reader *p)
{
    if (zl_cursor_peek(&p->c) != '-') return false;
    if (p->c.at + 1 < p->c.length && p->c.text[p->c.at + 1] == '>') return false;
    return zl_cursor_take(&p->c, '-');
}

static zlay_status add_term(zl_map_reader *p, zl_quasi *out, int64_t sign)
{
    zl_quasi *term = zl_quasi_new(&p->w);
    if (!term) return ZLAY_ENOMEM;
    zlay_status status = read_term(p, term);
    if (!status) status = zl_quasi_add(&p->w, out, term, sign);
    zl_quasi_drop(&p->w, term);
    return status;
}

zlay_status zl_read_expression(zl_map_reader *p, zl_quasi *out)
{
    size_t byte = p->c.at;
    zlay_status status = ZLAY_OK;
    bool more = true;
    zl_quasi_set(out, 0);
    while (more && !status) {
        int64_t sign = 1;
        while (take_minus(p)) sign = -sign;
        status = add_term(p, out, sign);
        more = !status && (zl_cursor_take(&p->c, '+') || take_minus(p));
        if (more && p->c.text[p->c.at - 1] == '-') p->c.at--;
    }
    return zl_cursor_place(&p->c, status, byte);
}
