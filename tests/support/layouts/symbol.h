/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic layouts in tests: the names that they have, numbers in their places, and how a guard is read. */
#ifndef TEST_SYMBOL_H
#define TEST_SYMBOL_H

#include "layouts/layout.h"

#include <stdbool.h>
#include <string.h>
#include <zlay/symbol.h>

enum { NAMES = 5 };

/* The first three are extents. */
static const char *const names[NAMES] = {"M", "K", "N", "ld", "h"};

typedef struct numbers {
    int64_t at[NAMES];
} numbers;

static inline numbers random_numbers(uint64_t *seed, int64_t least)
{
    numbers n;
    for (int i = 0; i < NAMES; i++)
        n.at[i] = i < 3 ? test_range(seed, 1, 4) : test_range(seed, least, 9);
    return n;
}

/* Only names that the layout has. */
static inline zlay_layout *bound(zlay_ctx *ctx, const zlay_layout *a, const numbers *n)
{
    const char *name[NAMES], *param;
    int64_t value[NAMES];
    size_t count = 0;
    zlay_layout *made;
    for (size_t i = 0; (param = zlay_layout_param_nth(a, i)); i++)
        for (int k = 0; k < NAMES; k++)
            if (!strcmp(param, names[k])) {
                name[count] = names[k];
                value[count++] = n->at[k];
            }
    if (zlay_layout_bind(ctx, &made, a, count, name, value))
        fail_msg("bind: %s", zlay_ctx_message(ctx));
    assert_null(zlay_layout_param_nth(made, 0));
    return made;
}

typedef struct reader {
    const char *at;
    const numbers *n;
} reader;

static inline bool take(reader *r, const char *word)
{
    while (*r->at == ' ') r->at++;
    if (strncmp(r->at, word, strlen(word))) return false;
    r->at += strlen(word);
    return true;
}

#endif
