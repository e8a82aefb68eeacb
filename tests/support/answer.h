/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as lines, and what their answers say as texts. */
#ifndef TEST_ANSWER_H
#define TEST_ANSWER_H

#include "ctx.h"

#include <zlay/json.h>

enum { ANSWER_TEXT = 1 << 18 };

/* Until the next one. */
static inline char *json_answer(zlay_ctx *ctx, const char *line)
{
    static char text[ANSWER_TEXT];
    zlay_buf out = {text, sizeof text, 0};
    assert_int_equal(zlay_json_call(ctx, &out, line, strlen(line)), ZLAY_OK);
    return text;
}

/* Rows of a line and the words of its answer. */
static inline void answers_have(zlay_ctx *ctx, const char *const rows[][2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *got = json_answer(ctx, rows[i][0]);
        if (!strstr(got, rows[i][1]))
            fail_msg("%s\n  answers %s\n  without %s", rows[i][0], got, rows[i][1]);
    }
}

#endif
