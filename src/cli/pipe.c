/* SPDX-License-Identifier: Apache-2.0 */
/* zlay pipe: reads a pipe's text from a file and proves it, completes it with fences, or
 * prints it as a kernel. */
#include "cli/cli.h"
#include "cli/progress.h"
#include <zlay/roles.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 1 << 20, REASONS_MOST = 16 };

typedef struct source {
    char *text;
    size_t length;
    zlay_pipe *pipe;
} source;

static void source_free(source *s)
{
    zlay_pipe_free(s->pipe);
    free(s->text);
}

/* Reads the text: ZL_EXIT_YES, or the error is said; source_free frees it either way. */
static int source_read(source *s, zlay_ctx *ctx, const char *path)
{
    s->text = zl_file_read(path, TEXT_MOST, &s->length);
    if (!s->text) return ZL_EXIT_ERROR;
    zlay_status status = zlay_pipe_parse(ctx, &s->pipe, s->text, s->length);
    return status ? zl_cli_say(ctx, status, path) : ZL_EXIT_YES;
}

/* Prints one line of the text as it was written, without the blanks around it. */
static void line_print(const source *s, uint32_t line)
{
    const char *at = s->text, *end = s->text + s->length;
    while (--line && at < end) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        at = next ? next + 1 : end;
    }
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    printf("%.*s\n", (int)((stop ? stop : end) - at), at);
}

static void reason_print(const source *s, const zlay_pipe_reason *reason)
{
    zlay_pipe_rule rule = {"?", "?", "?"};
    zlay_pipe_rule_info(&rule, reason->rule);
    printf("broken: %s, when %s\n", rule.name, rule.text);
    if (reason->rule == ZLAY_PIPE_COUNT || reason->rule == ZLAY_PIPE_BYTES)
        printf("found %" PRId64 ", wanted %" PRId64 "\n", reason->found, reason->wanted);
    printf("  line %" PRIu32 ": ", reason->line);
    line_print(s, reason->line);
    if (!reason->other) return;
    printf("  against line %" PRIu32 ": ", reason->other);
    line_print(s, reason->other);
}

zlay_status zl_write_proof(zlay_ctx *ctx, zlay_buf *out, const void *pipe)
{
    zlay_answer answer;
    size_t count;
    zl_progress_begin(ctx, "writing the proof");
    zlay_status status = zlay_pipe_verify(ctx, &answer, NULL, 0, &count, out, pipe);
    zl_progress_end();
    return status;
}

static zlay_status write_run(zlay_ctx *ctx, zlay_buf *out, const void *pipe)
{
    zl_progress_begin(ctx, "finding a run to the fault");
    zlay_status status = zlay_pipe_trace(ctx, out, pipe);
    zl_progress_end();
    return status == ZLAY_NONE || status == ZLAY_ELIMIT ? ZLAY_OK : status;
}

static int text_print(zlay_ctx *ctx, zl_text_writer *write, const void *value)
{
    zlay_buf none = {NULL, 0, 0};
    size_t length;
    zlay_status status = write(ctx, &none, value);
    if (status && status != ZLAY_EROOM) return zl_cli_say(ctx, status, "pipe");
    char *text = zl_text_of(ctx, write, value, &length);
    if (text) fputs(text, stdout);
    free(text);
    return text ? ZL_EXIT_YES : ZL_EXIT_ERROR;
}

static int verdict_print(zlay_ctx *ctx, const source *s)
{
    zlay_pipe_reason reasons[REASONS_MOST];
    zlay_answer answer;
    size_t count = 0;
    zl_progress_begin(ctx, "verifying the pipe");
    zlay_status status =
        zlay_pipe_verify(ctx, &answer, reasons, REASONS_MOST, &count, NULL, s->pipe);
    zl_progress_end();
    if (status) return zl_cli_say(ctx, status, "pipe");
    if (answer == ZLAY_UNDECIDED) {
        printf("undecided: %s\n", zlay_ctx_message(ctx));
        return ZL_EXIT_UNSURE;
    }
    puts(answer == ZLAY_YES ? "yes: correct for every trip count" : "no");
    if (answer == ZLAY_YES) return text_print(ctx, zl_write_proof, s->pipe);
    for (size_t i = 0; i < count && i < REASONS_MOST; i++) reason_print(s, &reasons[i]);
    int exit = text_print(ctx, write_run, s->pipe);
    return exit == ZL_EXIT_YES ? ZL_EXIT_NO : exit;
}

int zl_pipe_verify(zlay_ctx *ctx, int argc, char **argv)
{
    source s = {0};
    if (argc != 1) {
        fprintf(stderr, "zlay: pipe verify takes one FILE\n");
        return ZL_EXIT_ERROR;
    }
    int exit = source_read(&s, ctx, argv[0]);
    if (exit == ZL_EXIT_YES) exit = verdict_print(ctx, &s);
    source_free(&s);
    return exit;
}

zlay_status zl_write_pipe(zlay_ctx *ctx, zlay_buf *out, const void *pipe)
{
    (void)ctx;
    return zlay_pipe_print(out, pipe);
}

int zl_pipe_fences(zlay_ctx *ctx, int argc, char **argv)
{
    source s = {0};
    zlay_pipe *fenced = NULL;
    size_t count;
    if (argc != 1) {
        fprintf(stderr, "zlay: pipe fences takes one FILE\n");
        return ZL_EXIT_ERROR;
    }
    int exit = source_read(&s, ctx, argv[0]);
    zlay_status status = ZLAY_OK;
    zl_progress_begin(ctx, "finding the fewest fences");
    if (exit == ZL_EXIT_YES) status = zlay_pipe_fences(ctx, &fenced, NULL, 0, &count, s.pipe);
    zl_progress_end();
    if (status) exit = zl_cli_say(ctx, status, "fences");
    if (fenced) exit = text_print(ctx, zl_write_pipe, fenced);
    zlay_pipe_free(fenced);
    source_free(&s);
    return exit;
}

static zlay_status write_kernel(zlay_ctx *ctx, zlay_buf *out, const void *request)
{
    return zlay_emit_pipe(ctx, out, NULL, NULL, 0, request);
}

static int kernel_print(zlay_ctx *ctx, const source *s, const char *target, bool cuda)
{
    zlay_pipe_emit request = {.size = sizeof request,
                              .language = cuda ? ZLAY_TEXT_CUDA : ZLAY_TEXT_PTX,
                              .pipe = s->pipe,
                              .name = "kernel",
                              .name_length = strlen("kernel")};
    if (zlay_target_find(&request.target, target, strlen(target))) return zl_no_target(target);
    return text_print(ctx, write_kernel, &request);
}

int zl_pipe_emit(zlay_ctx *ctx, int argc, char **argv)
{
    source s = {0};
    bool cuda = argc == 3 && !strcmp(argv[2], "cuda");
    if (argc < 2 || argc > 3 || (argc == 3 && !cuda && strcmp(argv[2], "ptx"))) {
        fprintf(stderr, "zlay: pipe emit takes a FILE, a TARGET and ptx or cuda\n");
        return ZL_EXIT_ERROR;
    }
    int exit = source_read(&s, ctx, argv[0]);
    if (exit == ZL_EXIT_YES) exit = kernel_print(ctx, &s, argv[1], cuda);
    source_free(&s);
    return exit;
}

int zl_pipe_roles(zlay_ctx *ctx, int argc, char **argv)
{
    zlay_roles *roles = NULL;
    const zlay_target *target;
    size_t length;
    if (argc != 2) {
        fprintf(stderr, "zlay: pipe roles takes a FILE and a TARGET\n");
        return ZL_EXIT_ERROR;
    }
    if (zlay_target_find(&target, argv[1], strlen(argv[1]))) return zl_no_target(argv[1]);
    char *text = zl_file_read(argv[0], TEXT_MOST, &length);
    if (!text) return ZL_EXIT_ERROR;
    zl_progress_begin(ctx, "finding roles");
    zlay_status status = zlay_roles_synth(ctx, &roles, target, text, length);
    zl_progress_end();
    int exit = status ? zl_cli_say(ctx, status, argv[0])
                      : text_print(ctx, zl_write_pipe, zlay_roles_pipe(roles));
    zlay_roles_free(roles);
    free(text);
    return exit;
}

int zl_pipe_schedule(zlay_ctx *ctx, int argc, char **argv)
{
    char *shown = NULL;
    size_t length;
    if (argc != 1) {
        fprintf(stderr, "zlay: pipe schedule takes one FILE\n");
        return ZL_EXIT_ERROR;
    }
    char *text = zl_file_read(argv[0], TEXT_MOST, &length);
    if (!text) return ZL_EXIT_ERROR;
    zl_progress_begin(ctx, "finding a schedule");
    zlay_status status = zl_schedule_asked(ctx, &shown, text, length);
    zl_progress_end();
    if (shown) fputs(shown, stdout);
    free(shown);
    free(text);
    return status ? zl_cli_say(ctx, status, "schedule") : ZL_EXIT_YES;
}
