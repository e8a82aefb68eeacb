/* SPDX-License-Identifier: Apache-2.0 */
/* The named set parses, and its printed text is the text that was read. */
#include "pipes/named.h"

#include <stdlib.h>
#include <zlay/pipe.h>

/* What is printed, without comments and what is blank: the text as it was read, alike. */
static size_t bare(char *text)
{
    size_t to = 0;
    bool comment = false;
    for (const char *at = text; *at; at++) {
        comment = *at == '#' || (comment && *at != '\n');
        if (!comment && *at != ' ' && *at != '\n') text[to++] = *at;
    }
    text[to] = 0;
    return to;
}

static void text_of(zlay_ctx *ctx, size_t i, unsigned stages)
{
    static char text[NAMED_TEXT], printed[NAMED_TEXT];
    zlay_buf buf = {printed, sizeof printed, 0};
    zlay_pipe *pipe;
    size_t length = named_read(text, named[i].name, stages);
    if (zlay_pipe_parse(ctx, &pipe, text, length))
        fail_msg("%s: %s", named[i].name, zlay_ctx_message(ctx));
    assert_int_equal(zlay_pipe_print(&buf, pipe), ZLAY_OK);
    bare(text);
    bare(printed);
    assert_string_equal(text, printed);
    zlay_pipe_free(pipe);
}

static void test_texts(void **state)
{
    zlay_ctx *ctx;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (size_t i = 0; i < NAMED; i++)
        for (unsigned stages = named[i].fewest; stages <= 8; stages++) text_of(ctx, i, stages);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
