/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes printed as kernels named `piped`, with what their launch needs. */
#ifndef TEST_PIPES_PRINTED_H
#define TEST_PIPES_PRINTED_H

#include "ctx.h"

#include <string.h>
#include <zlay/zlay.h>

enum { ROOM = 1 << 20, ARGUMENTS = 64 };

typedef struct kernel {
    char *text;
    zlay_pipe_launch launch;
    zlay_pipe_argument argument[ARGUMENTS];
    zlay_status status;
} kernel;

static inline zlay_pipe *parsed(zlay_ctx *ctx, const char *text)
{
    zlay_pipe *pipe = NULL;
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) fail_msg("%s", zlay_ctx_message(ctx));
    return pipe;
}

static inline zlay_pipe_emit asked(const zlay_pipe *pipe, const char *target, int32_t language)
{
    return (zlay_pipe_emit){.size = sizeof(zlay_pipe_emit), .language = language, .target = target_of(target),
                            .pipe = pipe, .name = "piped", .name_length = 5, .unchecked = 1};
}

static inline kernel printed(zlay_ctx *ctx, const zlay_pipe_emit *ask)
{
    kernel k = {.text = calloc(1, ROOM)};
    zlay_buf buf = {k.text, ROOM, 0};
    assert_non_null(k.text);
    k.status = zlay_emit_pipe(ctx, &buf, &k.launch, k.argument, ARGUMENTS, ask);
    return k;
}

static inline kernel printed_text(zlay_ctx *ctx, const char *text, const char *target, int32_t language)
{
    zlay_pipe *pipe = parsed(ctx, text);
    zlay_pipe_emit ask = asked(pipe, target, language);
    kernel k = printed(ctx, &ask);
    zlay_pipe_free(pipe);
    return k;
}

static inline zlay_status status_of(zlay_ctx *ctx, const zlay_pipe_emit *ask)
{
    kernel k = printed(ctx, ask);
    free(k.text);
    return k.status;
}

/* A ring of two stages, as in zlay/emit_pipe.h. */
static const char ring[] =
    "pipe ring\nparam N 0..\nsmem A[2] 16384\nbar full[2] count 1\nbar empty[2] count 128\ninit full\n"
    "init empty\nfence mbarrier_init\nsync cta\nrole producer warps 0..3 elect\nfor i in 0..N\n"
    "wait empty[i % 2] parity (i / 2 + 1) % 2\nexpect full[i % 2] 16384\narrive full[i % 2]\n"
    "copy tensor 16384 -> A[i % 2] signal full[i % 2]\nend\nend\nrole consumer warps 4..7\nfor i in 0..N\n"
    "wait full[i % 2] parity i / 2 % 2\nread A[i % 2]\narrive empty[i % 2] threads\nend\nend\n";

#endif
