/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic layouts at random, as texts, and facts of them. */
#ifndef TEST_SYMBOL_DRAW_H
#define TEST_SYMBOL_DRAW_H

#include "layouts/symbol.h"

enum { ROOM = 4096 };

/* ---- random layouts ------------------------------------------------------------------- */

static inline size_t put_product(uint64_t *seed, char *text, int first, int last)
{
    size_t at = 0;
    for (int64_t k = test_range(seed, 1, 2); k-- > 0;)
        at += (size_t)sprintf(text + at, "%s%s", at ? "*" : "", names[test_range(seed, first, last)]);
    return at;
}

static inline size_t put_extent(uint64_t *seed, char *text, bool constant)
{
    if (constant || test_range(seed, 0, 1))
        return (size_t)sprintf(text, "%d", (int)test_range(seed, 1, 4));
    if (!test_range(seed, 0, 3)) return (size_t)sprintf(text, "2*%s", names[test_range(seed, 0, 2)]);
    return test_range(seed, 0, 3) ? (size_t)sprintf(text, "%s", names[test_range(seed, 0, 2)])
                                  : put_product(seed, text, 0, 2);
}

static inline size_t put_stride(uint64_t *seed, char *text)
{
    size_t at = 0;
    if (!test_range(seed, 0, 2)) return (size_t)sprintf(text, "%d", (int)test_range(seed, -2, 8));
    if (test_range(seed, 0, 1)) at = (size_t)sprintf(text, "%d*", (int)test_range(seed, -2, 4));
    return at + put_product(seed, text + at, 0, NAMES - 1);
}

/* Of three shapes: one mode, flat modes, a nested one. */
static inline void random_text(uint64_t *seed, char text[ROOM], bool constant)
{
    static const char *const profiles[] = {"x:x", "(x,x):(x,x)", "(x,x,x):(x,x,x)", "(x,(x,x)):(x,(x,x))"};
    const char *profile = profiles[test_range(seed, 0, 3)];
    bool stride = false;
    size_t at = 0;
    if (!test_range(seed, 0, 2)) {
        at = put_stride(seed, text);
        at += (size_t)sprintf(text + at, " + ");
        at += put_product(seed, text + at, 0, NAMES - 1);
        at += (size_t)sprintf(text + at, " o ");
    }
    for (; *profile; profile++) {
        if (*profile == 'x') at += stride ? put_stride(seed, text + at) : put_extent(seed, text + at, constant);
        else text[at++] = *profile;
        stride = stride || *profile == ':';
    }
    text[at] = 0;
}

static inline zlay_layout *random_layout(uint64_t *seed, zlay_ctx *ctx, bool constant)
{
    char text[ROOM];
    random_text(seed, text, constant);
    return read_layout(ctx, text);
}

static inline zlay_facts *facts_of(zlay_ctx *ctx, size_t count, const char *const *text)
{
    size_t length[8];
    zlay_facts *facts;
    for (size_t i = 0; i < count; i++) length[i] = strlen(text[i]);
    assert_int_equal(zlay_facts_parse(ctx, &facts, count, text, length), ZLAY_OK);
    return facts;
}

#endif
