/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of pipes share: parse, verify, prove and recheck; and pipes with one thing wrong.
 */
#ifndef TEST_PIPE_CHECK_H
#define TEST_PIPE_CHECK_H

#include "pipes/pipes.h"

#include <stdbool.h>
#include <zlay/pipe.h>

enum { PROOF = 1 << 14, REASONS = 16 };

static inline zlay_ctx *new_ctx(void)
{
    zlay_ctx *ctx;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    return ctx;
}

static inline zlay_pipe *parse(zlay_ctx *ctx, const char *text)
{
    zlay_pipe *pipe;
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) fail_msg("%s", zlay_ctx_message(ctx));
    return pipe;
}

static inline zlay_answer verify(zlay_ctx *ctx, const zlay_pipe *pipe, zlay_pipe_reason *reason)
{
    zlay_answer answer = ZLAY_DEPENDS;
    size_t count = 0;
    assert_int_equal(zlay_pipe_verify(ctx, &answer, reason, 1, &count, NULL, pipe), ZLAY_OK);
    assert_true((answer == ZLAY_NO) == (count > 0));
    return answer;
}

static inline size_t prove(zlay_ctx *ctx, const zlay_pipe *pipe, char *proof)
{
    zlay_buf buf = {proof, PROOF, 0};
    zlay_answer answer = ZLAY_NO;
    size_t count = 1;
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, &buf, pipe), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(count, 0);
    return buf.need;
}

static inline zlay_answer recheck(zlay_ctx *ctx, const zlay_pipe *pipe, const char *proof,
                                  size_t length)
{
    zlay_answer answer = ZLAY_DEPENDS;
    assert_int_equal(zlay_pipe_recheck(ctx, &answer, pipe, proof, length), ZLAY_OK);
    return answer;
}

/* The fewest stages with which a pipe runs: a late release needs a second, a late publication a
 * third. */
static inline unsigned fewest(size_t i)
{
    static const struct { const char *name; unsigned stages;
    } rows[] = {
        {"tensor", 2}, {"prompt", 1},  {"cpasync", 3}, {"mixed", 3},
        {"write", 3},  {"guarded", 2}, {"single", 1},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (!strcmp(rows[k].name, pipes[i].name)) return rows[k].stages;
    fail_msg("%s has no row", pipes[i].name);
    return 0;
}

/* ---- texts with one thing replaced ---- */

static inline void replace(pipe_text *out, const char *pipe, unsigned stages, const char *what,
                    const char *by)
{
    size_t i = 0;
    pipe_text text;
    while (strcmp(pipes[i].name, pipe)) i++;
    pipe_make(&text, i, stages);
    const char *at = strstr(text.text, what);
    if (!at) fail_msg("%s has no %s", pipe, what);
    out->length = (size_t)snprintf(out->text, PIPE_TEXT, "%.*s%s%s", (int)(at - text.text),
                                   text.text, by, at + strlen(what));
}

static const struct {
    const char *pipe;
    unsigned stages;
    const char *what, *by;
    int32_t rule;
} bad[] = {
    {"tensor", 4, "init empty\n", "", ZLAY_PIPE_INIT},
    {"tensor", 4, "fence mbarrier_init\nsync cta\n", "sync cta\nfence mbarrier_init\n",
     ZLAY_PIPE_INIT},
    {"tensor", 4, "count 8", "count 4", ZLAY_PIPE_COUNT},
    {"tensor", 4, "expect full[i % 4] 48", "expect full[i % 4] 47", ZLAY_PIPE_BYTES},
    {"tensor", 4, "expect full[i % 4] 48\narrive full[i % 4]\n",
     "arrive full[i % 4]\nexpect full[i % 4] 48\n", ZLAY_PIPE_BYTES},
    {"tensor", 4, "parity (i / 4 + 1) % 2", "parity i / 4 % 2", ZLAY_PIPE_DEADLOCK},
    {"tensor", 4, "parity (i / 4 + 1) % 2", "parity ((i+1) / 4 + 1) % 2", ZLAY_PIPE_PARITY},
    {"tensor", 4, "wait full[i % 4] parity i / 4 % 2\n", "", ZLAY_PIPE_READ_BEFORE_FULL},
    {"tensor", 4, "wait empty[i % 4] parity (i / 4 + 1) % 2\n", "", ZLAY_PIPE_OVERRUN},
    {"tensor", 4, "waitgroup wgmma 1\n", "", ZLAY_PIPE_OVERWRITE},
    {"tensor", 4, "fence proxy.async\n", "", ZLAY_PIPE_PROXY},
    {"tensor", 4, "waitgroup bulk.read 0\nsync role\n", "sync role\n", ZLAY_PIPE_OVERWRITE},
    {"tensor", 4, "end\nwaitgroup bulk 0\n", "end\n", ZLAY_PIPE_EXIT},
    {"tensor", 4, "waitgroup wgmma 0\n", "", ZLAY_PIPE_FENCE},
    {"tensor", 4, "warps 0..3 elect", "warps 0..3", ZLAY_PIPE_LOST_PHASE},
    {"tensor", 4, "warps 4..11 each 4", "warps 4..11 each 4 elect", ZLAY_PIPE_COLLECTIVE},
    {"tensor", 4, "warps 4..11 each 4", "warps 4..11 each 2", ZLAY_PIPE_COLLECTIVE},
    {"tensor", 4, "mma A[i % 4], B[i % 4]", "mma A[i % 4], B[(i-1) % 4]", ZLAY_PIPE_STAGE},
    {"tensor", 4, " fresh", "", ZLAY_PIPE_STAGE},
    {"cpasync", 4, "fence proxy.async\narrive full[(i-1)", "arrive full[(i-1)", ZLAY_PIPE_PROXY},
    {"cpasync", 4, "waitgroup cpasync 1", "waitgroup cpasync 2", ZLAY_PIPE_READ_BEFORE_FULL},
    {"cpasync", 4, "commit cpasync\nfor", "for", ZLAY_PIPE_READ_BEFORE_FULL},
    {"cpasync", 4, "cpasync 16 -> A[i % 4]\n", "", ZLAY_PIPE_STAGE},
    {"cpasync", 4, "arrive full[(i-1) % 4] threads", "arrive full[(i-1) % 4] warps",
     ZLAY_PIPE_COUNT},
    {"cpasync", 4,
     "waitgroup bulk.read 0\nsync role\nwrite D[0] from C part 0\nfence proxy.async\nsync "
     "role\nstore D[0] 8 part 0\ncommit bulk\n",
     "waitgroup bulk.read 0\nsync role\nwrite D[0] from C part 0\nfence proxy.async\nsync "
     "role\nstore D[0] 8 part 0\n",
     ZLAY_PIPE_GROUP},
    {"guarded", 4, "read D[0]\n", "", ZLAY_PIPE_EXIT},
    {"guarded", 4, "write D[0] from C\nsync role\n", "write D[0] from C\n",
     ZLAY_PIPE_READ_BEFORE_FULL},
    {"single", 4, "sync role\n", "", ZLAY_PIPE_OVERWRITE},
    {"single", 4, "wait full[i % 4] parity i / 4 % 2\n", "", ZLAY_PIPE_READ_BEFORE_FULL},
};

static inline bool breaks(zlay_ctx *ctx, const zlay_pipe *pipe, int32_t rule)
{
    zlay_pipe_reason reasons[REASONS];
    zlay_answer answer = ZLAY_YES;
    size_t count = 0;
    assert_int_equal(zlay_pipe_verify(ctx, &answer, reasons, REASONS, &count, NULL, pipe), ZLAY_OK);
    assert_int_equal(answer, ZLAY_NO);
    for (size_t i = 0; i < count && i < REASONS; i++)
        if (reasons[i].rule == rule) return true;
    return false;
}

#endif
