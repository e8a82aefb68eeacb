/* SPDX-License-Identifier: Apache-2.0 */
/* Parses positions (`i - 1`, `t*N + N - 1`, `i*2`), the slot and parity that follow from a
 * position, and sums of bytes. */
#include "pipe/language/parse.h"

static bool bad(zl_parser *p, const char *what) { return zl_parse_fail(p, ZLAY_EINVAL, what); }

/* A count of each iteration is known in the loop over its param alone: the one at this depth, or, of -1, any around. */
static bool is_known(zl_parser *p, int32_t param, int32_t loop)
{
    int32_t of = p->pipe->params[param].of;
    bool known = of < 0;
    for (int32_t d = 0; d < (int32_t)p->depth; d++)
        known |= (loop < 0 || loop == d) && p->pipe->events[p->loops[d]].over == of;
    return known || bad(p, "a count of each iteration stands outside of the loops, from 0 to its param or parts of these, that have it");
}

/* What multiplies a counter: a param, or a number of at least 1. */
static bool factor_of(zl_parser *p, zl_pos *pos)
{
    char factor[65];
    if (zl_cursor_number(&p->at, &pos->scale)) {
        if (pos->scale < 1 || pos->scale > INT32_MAX) return bad(p, "a number is out of range");
        if (pos->scale == 1) pos->scale = 0;
        return true;
    }
    if (!zl_parse_name(p, factor)) return false;
    pos->times = zl_find(p->pipe, ZL_OF_PARAM, factor);
    if (pos->times < 0) return bad(p, "a counter is multiplied by what is no param");
    return is_known(p, pos->times, pos->loop);
}

static bool term_name(zl_parser *p, zl_pos *pos, const char *text)
{
    int32_t loop = zl_find_loop(p, text), param = zl_find(p->pipe, ZL_OF_PARAM, text);
    if (loop >= 0) {
        if (pos->loop >= 0) return bad(p, "a position has two counters");
        pos->loop = loop;
        return !zl_cursor_symbol(&p->at, "*") || factor_of(p, pos);
    }
    if (param < 0) return bad(p, "a name is neither a counter nor a param");
    if (pos->plus >= 0) return bad(p, "a position adds two params");
    pos->plus = param;
    return is_known(p, param, -1);
}

/* A number before a counter multiplies it. */
static bool scaled(zl_parser *p, zl_pos *pos, int64_t scale)
{
    char text[65];
    if (scale < 1) return bad(p, "a number is out of range");
    if (!zl_parse_name(p, text)) return false;
    int32_t loop = zl_find_loop(p, text);
    if (loop < 0) return bad(p, "a number multiplies what is no counter");
    if (pos->loop >= 0) return bad(p, "a position has two counters");
    pos->loop = loop;
    pos->scale = scale == 1 ? 0 : scale;
    return true;
}

static bool term(zl_parser *p, zl_pos *pos, int sign)
{
    char text[65];
    int64_t value;
    if (zl_cursor_number(&p->at, &value)) {
        if (value > INT32_MAX) return bad(p, "a number is out of range");
        if (sign > 0 && zl_cursor_symbol(&p->at, "*")) return scaled(p, pos, value);
        pos->add += sign * value;
        if (pos->add > INT32_MAX || pos->add < -INT32_MAX) return bad(p, "a sum is out of range");
        return true;
    }
    if (!zl_parse_name(p, text)) return false;
    return sign > 0 ? term_name(p, pos, text) : bad(p, "a name is subtracted");
}

/* A sum of terms; `terms` counts them, because a sum needs parentheses before % and /. */
static bool sum(zl_parser *p, zl_pos *pos, int *terms)
{
    *pos = (zl_pos){-1, -1, -1, 0, 0};
    *terms = 1;
    if (!term(p, pos, 1)) return false;
    for (;; ++*terms) {
        int sign = zl_cursor_symbol(&p->at, "+") ? 1 : zl_cursor_symbol(&p->at, "-") ? -1 : 0;
        if (!sign) return true;
        if (!term(p, pos, sign)) return false;
    }
}

static bool position(zl_parser *p, zl_pos *pos)
{
    int terms;
    bool open = zl_cursor_symbol(&p->at, "(");
    if (!sum(p, pos, &terms)) return false;
    if (open) return zl_parse_symbol(p, ")");
    return terms == 1 || bad(p, "a sum needs parentheses");
}

bool zl_parse_bare(zl_parser *p, zl_pos *pos)
{
    int terms;
    return sum(p, pos, &terms);
}

bool zl_parse_modulo(zl_parser *p, zl_pos *pos, int32_t *modulo)
{
    int terms;
    char name[65];
    bool open = zl_cursor_symbol(&p->at, "(");
    *modulo = -1;
    if (!sum(p, pos, &terms)) return false;
    if (open && !zl_parse_symbol(p, ")")) return false;
    if (!zl_cursor_symbol(&p->at, "%")) return true;
    if (!open && terms > 1) return bad(p, "a sum needs parentheses");
    if (pos->add < 0) return bad(p, "a position below 0 has no remainder");
    if (!zl_parse_name(p, name)) return false;
    *modulo = zl_find(p->pipe, ZL_OF_PARAM, name);
    if (*modulo < 0) return bad(p, "a body's position is taken modulo what is no param");
    return is_known(p, *modulo, -1);
}

bool zl_parse_slot(zl_parser *p, zl_pos *pos, uint32_t stages)
{
    int64_t modulus;
    if (!zl_parse_symbol(p, "[") || !position(p, pos)) return false;
    bool constant = pos->loop < 0 && pos->plus < 0;
    if (zl_cursor_symbol(&p->at, "%")) {
        if (!zl_parse_number(p, &modulus, 1, UINT32_MAX)) return false;
        if (modulus != stages) return bad(p, "the modulus is not the number of stages");
    } else if (!constant) {
        return bad(p, "a position needs its modulus");
    }
    if (constant && (pos->add < 0 || pos->add >= stages)) return bad(p, "a slot is no stage");
    return zl_parse_symbol(p, "]");
}

/* Whether a division stands before the open parenthesis closes, as in (pos / stages + 1). */
static bool is_flipped(const zl_cursor *c)
{
    int depth = 1;
    bool divides = false;
    for (size_t i = c->at; i < c->length; i++) {
        depth += (c->text[i] == '(') - (c->text[i] == ')');
        if (depth == 0) return divides;
        divides = divides || c->text[i] == '/';
    }
    return false;
}

/* Parses `parity pos / stages % 2` or `parity (pos / stages + 1) % 2`. */
bool zl_parse_parity(zl_parser *p, zl_event *e)
{
    int64_t value;
    zl_cursor before = p->at;
    uint32_t stages = p->pipe->bars[e->bar].stages;
    bool flip = zl_cursor_symbol(&p->at, "(") && is_flipped(&p->at);
    p->at = before;
    if (flip && !zl_parse_symbol(p, "(")) return false;
    if (!position(p, &e->parity) || !zl_parse_symbol(p, "/") ||
        !zl_parse_number(p, &value, 1, UINT32_MAX))
        return false;
    if (value != stages) return bad(p, "the divisor is not the number of stages");
    if (flip &&
        (!zl_parse_symbol(p, "+") || !zl_parse_number(p, &value, 1, 1) || !zl_parse_symbol(p, ")")))
        return false;
    e->flip = flip;
    return zl_parse_symbol(p, "%") && zl_parse_number(p, &value, 2, 2);
}

/* ---- bytes ---- */

static bool bytes_term(zl_parser *p, int64_t *out, zl_moved *moved)
{
    char text[65];
    int64_t times = 1;
    bool number = zl_cursor_number(&p->at, &times);
    if (times > INT32_MAX) return bad(p, "a number is out of range");
    if (number && !zl_cursor_symbol(&p->at, "*")) {
        *out += times;
        return true;
    }
    if (!zl_cursor_name(&p->at, text)) return bad(p, "a number is missing");
    int32_t move = zl_find(p->pipe, ZL_OF_MOVE, text);
    if (move < 0) return bad(p, "no such move");
    if (moved->count == ZL_TERMS) return zl_parse_fail(p, ZLAY_ELIMIT, "more than 4 moves in a sum");
    *out += times * p->pipe->moves[move].bytes;
    moved->term[moved->count].times = (int32_t)times;
    moved->term[moved->count++].move = move;
    return true;
}

bool zl_parse_bytes(zl_parser *p, int64_t *out, zl_moved *moved, int64_t least)
{
    *out = 0;
    *moved = (zl_moved){0};
    do {
        if (!bytes_term(p, out, moved)) return false;
        if (*out > INT32_MAX) return bad(p, "a number is out of range");
    } while (zl_cursor_symbol(&p->at, "+"));
    return *out >= least || bad(p, "a number is out of range");
}
