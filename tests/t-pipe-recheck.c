/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs by runs, and their checker: the named set is proved again. */
#include "named.h"

#include <stdlib.h>
#include <time.h>
#include <zlay/pipe.h>

enum { PROOF = 1 << 16 };

static void prove(zlay_ctx *ctx, const char *name, unsigned stages)
{
    static char text[NAMED_TEXT], proof[PROOF];
    zlay_buf buf = {proof, sizeof proof, 0};
    zlay_pipe *pipe;
    zlay_answer answer = ZLAY_DEPENDS;
    size_t count = 0, length = named_read(text, name, stages);
    assert_int_equal(zlay_pipe_parse(ctx, &pipe, text, length), ZLAY_OK);
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, &buf, pipe), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    clock_t t=clock();
    assert_int_equal(zlay_pipe_recheck(ctx, &answer, pipe, proof, buf.need), ZLAY_OK);
    printf("%s %u: %d %.3f s %s\n", name, stages, (int)answer, (double)(clock()-t)/CLOCKS_PER_SEC, answer == ZLAY_YES ? "" : zlay_ctx_message(ctx));
    zlay_pipe_free(pipe);
}

static void test_named(void **state)
{
    zlay_ctx *ctx;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (size_t i = 0; i < NAMED; i++)
        for (unsigned stages = named[i].fewest; stages <= 3; stages++) prove(ctx, named[i].name, stages);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
