/* SPDX-License-Identifier: Apache-2.0 */
/* Asks what is wrong with the tensor memory of a pipe, and holds the verifier to it. */
#ifndef TEST_PIPES_TMEM_H
#define TEST_PIPES_TMEM_H

#include "test.h"

#include <stdbool.h>
#include <string.h>
#include <zlay/zlay.h>

enum { FAULTS = 64, TEXT = 4096 };

static inline int begin(void **state) { return zlay_ctx_new((zlay_ctx **)state, NULL, NULL); }

static inline int end(void **state)
{
    zlay_ctx_free(*state);
    return 0;
}

typedef struct found {
    zlay_answer answer;
    size_t count;
    zlay_tmem_fault fault[FAULTS];
} found;

/* `;` ends a line. */
static inline zlay_pipe *parse(zlay_ctx *ctx, const char *lines)
{
    static char text[TEXT];
    zlay_pipe *pipe;
    assert_true(strlen(lines) < TEXT);
    strcpy(text, lines);
    for (char *at = text; *at; at++)
        if (*at == ';') *at = '\n';
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text)))
        fail_msg("%s\n%s", text, zlay_ctx_message(ctx));
    return pipe;
}

/* What is found here is refused by the verifier, too. */
static inline void check_verified(zlay_ctx *ctx, const zlay_pipe *pipe, const zlay_tmem_fault *fault)
{
    zlay_answer answer = ZLAY_YES;
    zlay_tmem_row row = {0};
    size_t count = 0;
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, NULL, pipe), ZLAY_OK);
    zlay_tmem_row_info(&row, fault->row);
    if (answer != ZLAY_NO) fail_msg("%s at line %u, and verified: %d", row.id, fault->reason.line, (int)answer);
}

static inline void check_pipe(zlay_ctx *ctx, found *out, zlay_pipe *pipe)
{
    memset(out, 0, sizeof *out);
    assert_int_equal(
        zlay_pipe_tmem_check(ctx, &out->answer, out->fault, FAULTS, &out->count, pipe), ZLAY_OK);
    assert_true((out->answer == ZLAY_NO) == (out->count > 0));
    if (out->count && out->fault[0].row) check_verified(ctx, pipe, &out->fault[0]);
    zlay_pipe_free(pipe);
}

static inline void check(zlay_ctx *ctx, found *out, const char *lines)
{
    check_pipe(ctx, out, parse(ctx, lines));
}

/* The fault of a row, NULL: it is not among them. */
static inline const zlay_tmem_fault *fault_of(const found *f, const char *id)
{
    zlay_tmem_row row;
    for (size_t i = 0; i < f->count && i < FAULTS; i++)
        if (!zlay_tmem_row_info(&row, f->fault[i].row) && !strcmp(row.id, id)) return &f->fault[i];
    return NULL;
}

#endif
