/* SPDX-License-Identifier: Apache-2.0 */
/* A request is a line, its answer is a line: asked whole, compared whole. */
#ifndef TEST_JSON_LINE_H
#define TEST_JSON_LINE_H

#include "ctx.h"

#include <string.h>
#include <zlay/json.h>

enum { JSON_LINE = 1 << 20 };

static inline char *ask_size(zlay_ctx *ctx, const char *line, size_t size)
{
    static char text[JSON_LINE];
    zlay_buf out = {text, sizeof text, 0};
    assert_int_equal(zlay_json_call(ctx, &out, line, size), ZLAY_OK);
    assert_int_equal(strlen(text), out.need);
    assert_null(strchr(text, '\n'));
    return text;
}

static inline char *ask(zlay_ctx *ctx, const char *line) { return ask_size(ctx, line, strlen(line)); }

static inline void says(zlay_ctx *ctx, const char *line, const char *answer)
{
    const char *got = ask(ctx, line);
    if (strcmp(got, answer)) fail_msg("%s\n  answers %s\n  and not %s", line, got, answer);
}

/* An error of this name whose message has this word. */
static inline void refuses(zlay_ctx *ctx, const char *line, const char *error, const char *word)
{
    char name[40];
    const char *got = ask(ctx, line);
    snprintf(name, sizeof name, "\"error\":\"%s\"", error);
    if (!strstr(got, name) || !strstr(got, word))
        fail_msg("%s\n  answers %s\n  and not %s with '%s'", line, got, error, word);
}

#endif
