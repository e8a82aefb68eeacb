/* SPDX-License-Identifier: Apache-2.0 */
/* A guard evaluated as C would: names of int64_t, no operation of which may pass 64 bits unless it is done
 * in __int128. */
#ifndef TEST_EXPRESSION_H
#define TEST_EXPRESSION_H

#include "test.h"

#include <ctype.h>
#include <string.h>

typedef struct expression {
    const char *at;
    const char *const *name;
    const int64_t *value;
    size_t names;
} expression;

__extension__ typedef __int128 expression_wide;

typedef struct operand {
    expression_wide value;
    int wide;
} operand;

static operand expression_and(expression *e);

static inline int expression_take(expression *e, const char *text)
{
    while (*e->at == ' ') e->at++;
    if (strncmp(e->at, text, strlen(text)) != 0) return 0;
    e->at += strlen(text);
    return 1;
}

static inline operand expression_fits(operand a)
{
    if (!a.wide && (a.value > INT64_MAX || a.value < INT64_MIN)) fail_msg("a guard overflows");
    return a;
}

static inline operand expression_name(expression *e)
{
    size_t length = 0;
    while (isalnum((unsigned char)e->at[length]) || e->at[length] == '_') length++;
    for (size_t i = 0; i < e->names; i++)
        if (strlen(e->name[i]) == length && !strncmp(e->name[i], e->at, length)) {
            e->at += length;
            return (operand){e->value[i], 0};
        }
    fail_msg("a guard names '%s'", e->at);
    return (operand){0, 0};
}

static inline operand expression_unary(expression *e)
{
    operand a;
    char *end;
    if (expression_take(e, "(__int128)")) {
        a = expression_unary(e);
        return (operand){a.value, 1};
    }
    if (expression_take(e, "(int32_t)(uint32_t)")) {
        a = expression_unary(e);
        return (operand){(int32_t)(uint32_t)a.value, 0};
    }
    if (expression_take(e, "(")) {
        a = expression_and(e);
        if (!expression_take(e, ")")) fail_msg("no ) at '%s'", e->at);
        return a;
    }
    while (*e->at == ' ') e->at++;
    if (!isdigit((unsigned char)*e->at) && *e->at != '-') return expression_name(e);
    a = (operand){strtoll(e->at, &end, 10), 0};
    e->at = end;
    return a;
}

static inline operand expression_product(expression *e)
{
    operand a = expression_unary(e);
    for (;;) {
        int times = expression_take(e, "*"), over = !times && expression_take(e, "/ ");
        if (!times && !over && !expression_take(e, "% ")) return a;
        operand b = expression_unary(e);
        if (!times && !b.value) fail_msg("a guard divides by 0");
        a.value = times ? a.value * b.value : over ? a.value / b.value : a.value % b.value;
        a.wide |= b.wide;
        a = expression_fits(a);
    }
}

static inline operand expression_sum(expression *e)
{
    operand a = expression_product(e);
    for (;;) {
        int plus = expression_take(e, "+ ");
        if (!plus && !expression_take(e, "- ")) return a;
        operand b = expression_product(e);
        a.value = plus ? a.value + b.value : a.value - b.value;
        a.wide |= b.wide;
        a = expression_fits(a);
    }
}

static inline operand expression_compare(expression *e)
{
    operand a = expression_sum(e);
    if (expression_take(e, ">= ")) return (operand){a.value >= expression_sum(e).value, 0};
    if (expression_take(e, "<= ")) return (operand){a.value <= expression_sum(e).value, 0};
    if (expression_take(e, "== ")) return (operand){a.value == expression_sum(e).value, 0};
    if (expression_take(e, "!= ")) return (operand){a.value != expression_sum(e).value, 0};
    if (expression_take(e, "< ")) return (operand){a.value < expression_sum(e).value, 0};
    return a;
}

/* What stands behind a 0 is read but, as in C, not evaluated: names become 1 there. */
static inline operand expression_and(expression *e)
{
    static const int64_t ones[24] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const int64_t *value = e->value;
    operand a = expression_compare(e);
    while (expression_take(e, "&& ")) {
        if (!a.value) e->value = ones;
        operand b = expression_compare(e);
        a = (operand){a.value && b.value, 0};
    }
    e->value = value;
    return a;
}

static inline int64_t expression_value(const char *text, size_t names, const char *const *name,
                                       const int64_t *value)
{
    expression e = {text, name, value, names};
    operand a = expression_and(&e);
    if (*e.at) fail_msg("a guard goes on at '%s'", e.at);
    return (int64_t)a.value;
}

static inline int expression_holds(const char *text, size_t names, const char *const *name,
                                   const int64_t *value)
{
    return expression_value(text, names, name, value) != 0;
}

#endif
