/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts as texts, for tests that are tables of strings. */
#ifndef TEST_LAYOUT_H
#define TEST_LAYOUT_H


#include "ctx.h"

#include <stdbool.h>
#include <string.h>
#include <zlay/layout.h>
#include <zlay/cute.h>

static inline const char *layout_text(char text[1024], const zlay_layout *a)
{
    zlay_buf buf = {text, 1024, 0};
    assert_int_equal(zlay_layout_print(&buf, a), ZLAY_OK);
    return text;
}

static inline void assert_text(const zlay_layout *a, const char *expected)
{
    char text[1024];
    assert_string_equal(layout_text(text, a), expected);
}

/* The text means a layout that is printed as `expected`, which means itself. */
static inline void assert_prints(zlay_ctx *ctx, const char *text, const char *expected)
{
    zlay_layout *a = read_layout(ctx, text), *again = read_layout(ctx, expected);
    assert_text(a, expected);
    assert_text(again, expected);
    zlay_layout_free(again);
    zlay_layout_free(a);
}

static inline void assert_refused(zlay_ctx *ctx, const char *text, zlay_status expected,
                                  const char *word)
{
    zlay_layout *a = (zlay_layout *)ctx;
    zlay_status status = zlay_layout_parse(ctx, &a, text, strlen(text));
    if (status != expected || !strstr(zlay_ctx_message(ctx), word))
        fail_msg("%s: %s, %s", text, zlay_status_name(status), zlay_ctx_message(ctx));
    assert_null(a);
}

/* The value, several outputs flattened, the first minor. */
static inline int64_t layout_at(const zlay_layout *a, uint64_t index)
{
    int64_t value[8];
    assert_int_equal(zlay_layout_eval(value, 8, a, index), ZLAY_OK);
    assert_int_equal(zlay_layout_out_count(a), 1);
    return value[0];
}

#endif
