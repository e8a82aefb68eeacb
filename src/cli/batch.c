/* SPDX-License-Identifier: Apache-2.0 */
/* zlay batch: lines from standard input through zlay_json_call.  It reads by itself, to know when
 * it would wait: what is answered is flushed before that.  SIGPIPE is ignored, so that a reader
 * that went away is exit status 2. */
#define _POSIX_C_SOURCE 200809L /* read */

#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlay/json.h>

/* A line longer than this is refused by its length alone, so no more of it is kept. */
enum { KEPT_MOST = (16 << 20) + 1, CHUNK = 1 << 16 };

typedef struct batch {
    zlay_ctx *ctx;
    char *line;
    size_t length, line_room;
    zlay_buf out;
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

static void answer(batch *b)
{
    static const char no_memory[] =
        "{\"error\":\"ENOMEM\",\"message\":\"no memory for the answer\"}";
    zlay_status status;
    while ((status = zlay_json_call(b->ctx, &b->out, b->line, b->length)) == ZLAY_EROOM)
        if (!grow(&b->out.text, &b->out.room, b->out.need + 1)) break;
    if (fputs(status ? no_memory : b->out.text, stdout) < 0 || putchar('\n') < 0) b->failed = true;
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

/* Bytes read; 0 at the end of input or where it fails. */
static size_t next(char *chunk, bool *failed)
{
    ssize_t got;
    do got = read(STDIN_FILENO, chunk, CHUNK);
    while (got < 0 && errno == EINTR);
    if (got < 0) *failed = true;
    return got > 0 ? (size_t)got : 0;
}

int zl_batch(zlay_ctx *ctx, int argc, char **argv)
{
    static char chunk[CHUNK];
    batch b = {.ctx = ctx};
    size_t got;
    if (argc) {
        fprintf(stderr, "zlay: batch takes no argument, and '%s' is one\n", argv[0]);
        return ZL_EXIT_ERROR;
    }
    signal(SIGPIPE, SIG_IGN);
    while (!b.failed && (got = next(chunk, &b.failed))) {
        feed(&b, chunk, got);
        if (fflush(stdout)) b.failed = true;
    }
    if (b.length && !b.failed) answer(&b);
    if (fflush(stdout)) b.failed = true;
    free(b.line);
    free(b.out.text);
    return b.failed ? ZL_EXIT_ERROR : ZL_EXIT_YES;
}
