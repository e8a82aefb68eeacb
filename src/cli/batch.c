/* SPDX-License-Identifier: Apache-2.0 */
/* zlay batch: answers each line of standard input by zlay_json_call. It reads by itself, so
 * that it knows when it would block and flushes answers before that. SIGPIPE is ignored: a
 * reader that has gone away gives exit status 2. */
#define _POSIX_C_SOURCE 200809L /* read */

#include "cli/cli.h"
#include "cli/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A line longer than this is refused by its length alone, so no more of it is kept. */
enum { KEPT_MOST = (16 << 20) + 1, CHUNK = 1 << 16 };

typedef struct batch {
    zlay_ctx *ctx;
    char *line;
    size_t length, line_room;
    char *text; /* the answer */
    size_t room;
    bool failed; /* output or memory */
} batch;

static bool grow(char **text, size_t *room, size_t wanted)
{
    size_t size = *room ? *room : 4096;
    if (wanted <= *room) return true;
    while (size < wanted) size *= 2;
    char *larger = realloc(*text, size);
    if (!larger) return false;
    *text = larger;
    *room = size;
    return true;
}

static char *room_of(void *user, size_t need)
{
    batch *b = user;
    return grow(&b->text, &b->room, need + 1) ? b->text : NULL;
}

static void answer(batch *b)
{
    static const char no_memory[] =
        "{\"error\":\"ENOMEM\",\"message\":\"no memory for the answer\"}";
    zl_progress_begin(b->ctx, "answering a request");
    zlay_status status = zl_json_call(b->ctx, room_of, b, b->line, b->length);
    zl_progress_end();
    if (fputs(status ? no_memory : b->text, stdout) < 0 || putchar('\n') < 0) b->failed = true;
    b->length = 0;
}

static void take(batch *b, const char *text, size_t length)
{
    if (length > KEPT_MOST - b->length) length = KEPT_MOST - b->length;
    if (!grow(&b->line, &b->line_room, b->length + length + 1)) {
        b->failed = true;
        return;
    }
    memcpy(b->line + b->length, text, length);
    b->length += length;
}

static void feed(batch *b, const char *text, size_t length)
{
    while (length && !b->failed) {
        const char *end = memchr(text, '\n', length);
        size_t piece = end ? (size_t)(end - text) : length;
        take(b, text, piece);
        if (end && !b->failed) answer(b);
        text += piece + (end != NULL);
        length -= piece + (end != NULL);
    }
}

/* Reads a chunk; 0 at the end of input or on an error. */
static size_t next(char *chunk, bool *failed)
{
    ssize_t got;
    do got = read(STDIN_FILENO, chunk, CHUNK);
    while (got < 0 && errno == EINTR);
    if (got < 0) *failed = true;
    return got > 0 ? (size_t)got : 0;
}

/* ---- --limits ------------------------------------------------------------------ */

/* Reads one NAME=COUNT of a list; returns its end. */
static const char *ceiling_read(zlay_limits *out, const char *text)
{
    const char *equals = text + strcspn(text, "=,");
    char *end;
    size_t limit = zl_limit_find(text, (size_t)(equals - text));
    if (*equals != '=' || limit == ZL_LIMITS || equals[1] < '1' || equals[1] > '9') return NULL;
    errno = 0;
    unsigned long long count = strtoull(equals + 1, &end, 10);
    if (errno || (*end && *end != ',')) return NULL;
    zl_limit_set(out, limit, count);
    return end;
}

/* Sets each named limit, which is also its own ceiling; the ceiling of every other limit is
 * its default. */
static bool ceilings_set(zlay_ctx *ctx, const char *text)
{
    zlay_limits given = {.size = sizeof given};
    const char *end = ceiling_read(&given, text);
    while (end && *end == ',') end = ceiling_read(&given, end + 1);
    zl_like like = zl_like_begin(text, strcspn(text, "=,"));
    for (size_t i = 0; zlay_limit_nth(i); i++) zl_like_offer(&like, zlay_limit_nth(i)->name);
    if (!end)
        fprintf(stderr, "zlay: --limits wants NAME=COUNT,..., not '%s'%s; the names:", text,
                like.hint);
    for (size_t i = 0; !end && zlay_limit_nth(i); i++)
        fprintf(stderr, " %s%s", zlay_limit_nth(i)->name, zlay_limit_nth(i + 1) ? "" : "\n");
    if (!end) return false;
    zlay_status status = zlay_ctx_set_ceilings(ctx, &given);
    if (!status) status = zlay_ctx_set_limits(ctx, &given);
    if (status) zl_cli_say(ctx, status, "--limits");
    return !status;
}

static bool flags_read(zlay_ctx *ctx, int argc, char **argv)
{
    bool apart = argc == 2 && !strcmp(argv[0], "--limits");
    if (!argc) return true;
    if (apart || (argc == 1 && !strncmp(argv[0], "--limits=", 9)))
        return ceilings_set(ctx, apart ? argv[1] : argv[0] + 9);
    fprintf(stderr, "zlay: batch takes --limits NAME=COUNT,... and nothing else, not '%s'\n",
            argv[argc > 2 && !strcmp(argv[0], "--limits") ? 2 : 0]);
    return false;
}

int zl_batch(zlay_ctx *ctx, int argc, char **argv)
{
    static char chunk[CHUNK];
    batch b = {.ctx = ctx};
    size_t got;
    if (!flags_read(ctx, argc, argv)) return ZL_EXIT_ERROR;
    signal(SIGPIPE, SIG_IGN);
    while (!b.failed && (got = next(chunk, &b.failed))) {
        feed(&b, chunk, got);
        if (fflush(stdout)) b.failed = true;
    }
    if (b.length && !b.failed) answer(&b);
    if (fflush(stdout)) b.failed = true;
    free(b.line);
    free(b.text);
    return b.failed ? ZL_EXIT_ERROR : ZL_EXIT_YES;
}
