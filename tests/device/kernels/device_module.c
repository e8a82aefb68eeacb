/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of a pipe on a GPU by the public runtime alone: loaded as text, launched with packed
 * arguments, timed, and every byte compared; what is cut short or for another GPU is refused. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/runtime.h>
#include <zlay/zlay.h>

enum { STAGE = 16384, INDICES = 37, BYTES = STAGE * INDICES, TEXT = 1 << 18 };

static const char ring[] = "pipe ring\nparam N 0..\nsmem A[2] 16384\nbar full[2] count 1\nbar empty[2] count 128\n"
                           "init full\ninit empty\nfence mbarrier_init\nsync cta\n"
                           "role producer warps 0..3 elect\nfor i in 0..N\nwait empty[i % 2] parity (i / 2 + 1) % 2\n"
                           "expect full[i % 2] 16384\narrive full[i % 2]\ncopy tensor 16384 -> A[i % 2] signal full[i % 2]\n"
                           "end\nend\nrole consumer warps 4..7\nfor i in 0..N\nwait full[i % 2] parity i / 2 % 2\n"
                           "read A[i % 2]\narrive empty[i % 2] threads\nend\nend\n";

/* As the kernel has them: each at a multiple of its size. */
typedef struct arguments {
    uint32_t n;
    uint32_t none;
    uint64_t in, step_in, out, step_out;
} arguments;

static int passed, failed;

static void check(const char *what, int good, zlay_ctx *ctx)
{
    printf("%s: %s%s%s\n", what, good ? "ok" : "FAILED", good ? "" : ": ", good ? "" : zlay_ctx_message(ctx));
    passed += good;
    failed += !good;
}

static char *kernel_text(zlay_ctx *ctx, zlay_pipe_launch *launch)
{
    static char text[TEXT];
    zlay_buf out = {text, sizeof text, 0};
    zlay_pipe *pipe = NULL;
    zlay_pipe_emit request = {.size = sizeof request, .name = "ring", .name_length = 4};
    zlay_target_find(&request.target, "sm_90a", 6);
    zlay_status status = zlay_pipe_parse(ctx, &pipe, ring, sizeof ring - 1);
    request.pipe = pipe;
    if (!status) status = zlay_emit_pipe(ctx, &out, launch, NULL, 0, &request);
    zlay_pipe_free(pipe);
    check("the pipe is proved and printed", status == ZLAY_OK || status == ZLAY_EROOM, ctx);
    return status && status != ZLAY_EROOM ? NULL : text;
}

static void compare(zlay_ctx *ctx, zlay_device *device, zlay_module *module, const zlay_pipe_launch *p)
{
    uint8_t *in = malloc(BYTES), *out = calloc(1, BYTES);
    uint64_t random = 7, from = 0, to = 0;
    float milliseconds = 0;
    if (!in || !out) exit(2);
    for (int i = 0; i < BYTES; i++) in[i] = (uint8_t)test_random(&random);
    zlay_launch l = {{1, 1, 1}, {p->threads, 1, 1}, p->smem, 0};
    zlay_status status = zlay_device_allocate(ctx, &from, device, BYTES);
    if (!status) status = zlay_device_allocate(ctx, &to, device, BYTES);
    if (!status) status = zlay_device_upload(ctx, device, from, in, BYTES);
    arguments a = {INDICES, 0, from, 0, to, 0};
    if (!status) status = zlay_module_launch(ctx, module, &l, &a, sizeof a, NULL);
    if (!status) status = zlay_device_wait(ctx, device);
    if (!status) status = zlay_device_download(ctx, out, device, to, BYTES);
    check("every byte is there", !status && !memcmp(in, out, BYTES), ctx);
    status = zlay_module_measure(ctx, &milliseconds, module, &l, &a, sizeof a, 10);
    check("it is timed", !status && milliseconds > 0, ctx);
    zlay_device_free(device, from);
    zlay_device_free(device, to);
    free(in);
    free(out);
}

static void refusals(zlay_ctx *ctx, zlay_device *device, const char *text)
{
    zlay_module *module;
    char *other = strdup(text), *at = strstr(other, "sm_90a");
    memcpy(at, "sm_100", 6);
    check("text of another target is refused",
          zlay_module_load(ctx, &module, device, other, strlen(other), "ring", 0) == ZLAY_EDRIVER, ctx);
    check("a name that is not there is refused",
          zlay_module_load(ctx, &module, device, text, strlen(text), "rung", 0) == ZLAY_EDRIVER, ctx);
    free(other);
}

int main(void)
{
    zlay_ctx *ctx;
    zlay_device *device;
    zlay_module *module = NULL;
    zlay_pipe_launch launch = {0};
    if (zlay_ctx_new(&ctx, NULL, NULL)) return 2;
    if (zlay_device_open(ctx, &device, 0)) {
        printf("not run: %s\n", zlay_ctx_message(ctx));
        return 2;
    }
    char *text = kernel_text(ctx, &launch);
    if (text) {
        check("it loads", !zlay_module_load(ctx, &module, device, text, strlen(text), "ring", launch.smem), ctx);
        if (module) compare(ctx, device, module, &launch);
        zlay_module_free(module);
        refusals(ctx, device, text);
    }
    zlay_device_close(device);
    zlay_ctx_free(ctx);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
