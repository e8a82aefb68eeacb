/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products of names, as maps of requests with unknowns write them, with numbers. */
#ifndef TEST_PRODUCTS_H
#define TEST_PRODUCTS_H

#include "test.h"

#include <ctype.h>
#include <string.h>

typedef struct product_names {
    int count;
    const char *const *name;
    const int64_t *value;
} product_names;

static inline int64_t product_factor(const char **at, const product_names *n)
{
    char *end;
    int64_t v = strtoll(*at, &end, 10);
    if (end != *at) return *at = end, v;
    for (int i = 0; i < n->count; i++) {
        size_t length = strlen(n->name[i]);
        if (strncmp(*at, n->name[i], length) || isalnum((unsigned char)(*at)[length])) continue;
        *at += length;
        return n->value[i];
    }
    fail_msg("'%s' is no name", *at);
    return 0;
}

/* Sums of products, of which a quotient is whole. */
static inline int64_t product_sum(const char *text, size_t length, const product_names *n)
{
    int64_t sum = 0, sign = 1, product = 0;
    const char *end = text + length;
    for (char before = '+'; text < end;) {
        int64_t v = product_factor(&text, n);
        if (before == '/') assert_int_equal(product % v, 0);
        product = before == '*' ? product * v : before == '/' ? product / v : v;
        while (text < end && *text == ' ') text++;
        before = text < end ? *text++ : '+';
        while (text < end && *text == ' ') text++;
        if (before != '+' && before != '-') continue;
        sum += sign * product;
        sign = before == '-' ? -1 : 1;
    }
    return sum;
}

#endif
