/* SPDX-License-Identifier: Apache-2.0 */
/* A second evaluator of bodies: reads the printed text of a body for each element of a matrix by recursive descent.  It shares nothing with the
 * library but the numbers of types. */
#ifndef TEST_REFUTE_BODY_MACHINE_H
#define TEST_REFUTE_BODY_MACHINE_H

#include "body_values.h"

#include <ctype.h>

enum { ROWS = 4, COLUMNS = 8, LANES = 32, NAMES = 64, ARRAY = 16 };

/* ---- fragments ------------------------------------------------------------------------------------------------------------ */

typedef struct fragment {
    const char *text;
    int by_column, by_row, columns_each, from; /* thread = column / columns_each * by_column + row * by_row; values rise from a column, or fall */
} fragment;

static const fragment fragments[] = {
    {"((4,4),2):((8,1),4)", 1, 4, 2, 0},
    {"(1,32):(0,1)", 0, 0, 8, 0},
    {"((4,8),1):((1,4),0)", 4, 1, 1, 0},
    {"28 o (4,8):(1,-4)", 0, 1, 8, 7},
    {"((2,4),4):((16,1),4)", 1, 2, 4, 0},
};
enum { FRAGMENTS = sizeof fragments / sizeof *fragments };

static int lane_of(const fragment *f, int row, int column) { return column / f->columns_each * f->by_column + row * f->by_row; }

static bool holds_row(const fragment *f, int row, int lane)
{
    bool held = false;
    for (int c = 0; c < COLUMNS; c++) held |= lane_of(f, row, c) == lane;
    return held;
}

/* ---- the machine ------------------------------------------------------------------------------------------------------ */

typedef struct variable {
    char text[72];
    int32_t type, sort; /* 0: the body's own */
    bool part;
    value at[ROWS][COLUMNS], lane[ROWS][LANES], array[ARRAY];
} variable;

typedef struct machine {
    const char *at; /* in the text */
    const fragment *f;
    int row, column, lane; /* -1: no lane */
    bool wants_lane;
    variable names[NAMES];
    int count;
} machine;

/* ---- text ----------------------------------------------------------------------------------------------------------------------------- */

static value expression(machine *m);

static bool take(machine *m, const char *token)
{
    while (*m->at == ' ') m->at++;
    size_t length = strlen(token);
    if (strncmp(m->at, token, length)) return false;
    m->at += length;
    return true;
}

static void word(machine *m, char *out)
{
    while (*m->at == ' ') m->at++;
    while (isalnum((unsigned char)*m->at) || *m->at == '_') *out++ = *m->at++;
    *out = 0;
}

static variable *find(machine *m, const char *text)
{
    for (int i = m->count; i-- > 0;)
        if (!strcmp(m->names[i].text, text)) return &m->names[i];
    return NULL;
}

static value joined(const char *op, value a, value b)
{
    if (strstr(op, "sum")) return between('+', a, b);
    bool least = !strcmp(op, "rowmin");
    return (value){a.type, least ? -greatest(-a.x, -b.x) : greatest(a.x, b.x)};
}

/* What a lane has of the expression at m->at, over its own columns of the row. */
static value part_of(machine *m, const char *op, int lane)
{
    const char *from = m->at;
    machine saved = {.row = m->row, .column = m->column, .lane = m->lane};
    value sum = {0, 0};
    bool first = true;
    m->lane = -1;
    for (int k = 0; k < COLUMNS; k++) {
        m->column = m->f->from ? m->f->from - k : k;
        if (lane_of(m->f, m->row, m->column) != lane) continue;
        m->at = from;
        value x = expression(m);
        sum = first ? x : joined(op, sum, x);
        first = false;
    }
    m->row = saved.row, m->column = saved.column, m->lane = saved.lane;
    return sum;
}

static value butterflies(machine *m, const char *op, bool parts)
{
    value now[LANES] = {{0, 0}}, next[LANES];
    const char *from = m->at;
    int lane = m->lane, some = 0;
    for (int l = 0; l < LANES; l++) {
        if (!holds_row(m->f, m->row, l)) continue;
        m->at = from, m->lane = l, some = l;
        now[l] = parts ? expression(m) : part_of(m, op, l);
    }
    m->lane = lane;
    for (int bit = 1; bit < LANES; bit *= 2) {
        memcpy(next, now, sizeof next);
        for (int l = 0; l < LANES; l++)
            if (now[l].type && now[l ^ bit].type) next[l] = joined(op, now[l], now[l ^ bit]);
        memcpy(now, next, sizeof now);
    }
    return now[some];
}

/* Behind `rowsum(` and the like. */
static value reduced(machine *m, const char *op)
{
    value r = {ZLAY_TYPE_F32, 0};
    bool part = !strncmp(op, "part", 4);
    if (!part) r = butterflies(m, op, !strncmp(op, "lane", 4));
    else if (m->lane >= 0) r = part_of(m, op, m->lane);
    else m->wants_lane = true, r = part_of(m, op, lane_of(m->f, m->row, 0));
    assert_true(take(m, ")"));
    return r;
}

static value loaded(machine *m)
{
    char text[80];
    word(m, text);
    variable *n = find(m, text);
    assert_true(n && take(m, ","));
    value index = settled(expression(m), ZLAY_TYPE_S32), limit = {ZLAY_TYPE_S32, 1e9};
    if (take(m, ",")) limit = settled(expression(m), ZLAY_TYPE_S32);
    assert_true(take(m, ")"));
    if (index.x >= limit.x) return (value){n->type, 0};
    assert_true(index.x >= 0 && index.x < (double)ARRAY);
    return n->array[(int)index.x];
}

static value called(machine *m, const char *op)
{
    value a[3] = {{NUMBER, 0}, {NUMBER, 0}, {NUMBER, 0}};
    int count = 0, first = !strcmp(op, "select");
    int32_t type = NUMBER;
    do a[count++] = expression(m);
    while (take(m, ","));
    assert_true(take(m, ")"));
    for (int i = first; i < count && type == NUMBER; i++) type = a[i].type;
    for (int i = first; i < count; i++) a[i] = settled(a[i], type == NUMBER ? ZLAY_TYPE_F32 : type);
    if (first) return a[0].x != 0 ? a[1] : a[2];
    if (!strcmp(op, "fma")) return multiplied_added(a[0], a[1], a[2]);
    if (!strcmp(op, "max")) return (value){a[0].type, greatest(a[0].x, a[1].x)};
    if (!strcmp(op, "min")) return (value){a[0].type, is_integer(a[0].type) ? fmin(a[0].x, a[1].x) : -greatest(-a[0].x, -a[1].x)};
    if (!strcmp(op, "abs")) return (value){a[0].type, fabs(a[0].x)};
    if (!strcmp(op, "and") || !strcmp(op, "or") || !strcmp(op, "xor")) return of_bits(op, a[0], a[1]);
    if (!strcmp(op, "shl") || !strcmp(op, "shr")) return shifted(op[2] == 'l', a[0], a[1]);
    return approximated(op, a[0]);
}

static value converts(machine *m, int32_t type)
{
    char round = take(m, ".rz") ? 'z' : take(m, ".rm") ? 'm' : take(m, ".rp") ? 'p' : 'n';
    assert_true(take(m, "("));
    value a = expression(m);
    assert_true(take(m, ")"));
    return converted(type, round, a);
}

static value named(machine *m)
{
    char text[80];
    int32_t type;
    word(m, text);
    if (!zlay_type_find(&type, text, strlen(text)) && (*m->at == '(' || *m->at == '.')) return converts(m, type);
    if (take(m, "(")) {
        if (!strcmp(text, "load")) return loaded(m);
        if (!strncmp(text, "row", 3) || !strncmp(text, "part", 4) || !strncmp(text, "lane", 4)) return reduced(m, text);
        return called(m, text);
    }
    if (!strcmp(text, "row")) return (value){ZLAY_TYPE_S32, m->row};
    if (!strcmp(text, "col")) return (value){ZLAY_TYPE_S32, m->column};
    if (!strcmp(text, "inf")) return (value){NUMBER, (double)INFINITY};
    variable *n = find(m, text);
    if (!n) fail_msg("no %s", text);
    if (n->part && m->lane < 0) m->wants_lane = true;
    return n->part && m->lane >= 0 ? n->lane[m->row][m->lane] : n->part ? n->lane[m->row][lane_of(m->f, m->row, 0)] : n->at[m->row][m->column];
}

static value negated(value a)
{
    if (a.type == NUMBER && a.x > 0) return (value){NUMBER, -a.x};
    if (a.type == NUMBER) a = settled(a, ZLAY_TYPE_F32);
    return (value){a.type, is_integer(a.type) ? wrapped(0 - (uint32_t)(int64_t)a.x, a.type) : -a.x};
}

static value unary(machine *m)
{
    if (take(m, "-")) return negated(unary(m));
    if (take(m, "(")) {
        value v = expression(m);
        assert_true(take(m, ")"));
        return v;
    }
    while (*m->at == ' ') m->at++;
    if (!isdigit((unsigned char)*m->at)) return named(m);
    char *end;
    double x = strtod(m->at, &end);
    m->at = end;
    return (value){NUMBER, x};
}

static value product(machine *m)
{
    value v = unary(m);
    for (;;)
        if (take(m, "*")) v = between('*', v, unary(m));
        else if (take(m, "/")) v = between('/', v, unary(m));
        else return v;
}

static value sum(machine *m)
{
    value v = product(m);
    for (;;)
        if (take(m, "+")) v = between('+', v, product(m));
        else if (take(m, "-")) v = between('-', v, product(m));
        else return v;
}

static value expression(machine *m)
{
    static const char *const ops[] = {"<=", ">=", "==", "!=", "<", ">"};
    value v = sum(m);
    for (int i = 0; i < 6; i++)
        if (take(m, ops[i])) return compared(ops[i], v, sum(m));
    return v;
}

/* One line, `name = expression`: every element of the name's new value. */
static void run_line(machine *m, const char *line)
{
    char text[80];
    m->at = line;
    word(m, text);
    assert_true(take(m, "="));
    const char *from = m->at;
    static variable result;
    variable *old = find(m, text);
    memset(&result, 0, sizeof result);
    strcpy(result.text, text);
    result.sort = old ? old->sort : 0;
    int32_t type = old && old->sort ? old->type : ZLAY_TYPE_F32;
    m->row = m->column = 0, m->lane = -1, m->wants_lane = false;
    expression(m);
    result.part = m->wants_lane;
    for (m->row = 0; m->row < ROWS; m->row++)
        for (int i = 0; i < (result.part ? LANES : COLUMNS); i++) {
            m->at = from, m->lane = result.part ? i : -1, m->column = result.part ? 0 : i;
            if (result.part && !holds_row(m->f, m->row, i)) continue;
            value v = expression(m);
            if (v.type == NUMBER) v = settled(v, type);
            *(result.part ? &result.lane[m->row][i] : &result.at[m->row][i]) = v;
            result.type = v.type;
            assert_true(*m->at == '\n');
        }
    assert_true(old || m->count < NAMES);
    *(old ? old : &m->names[m->count++]) = result;
}

#endif
