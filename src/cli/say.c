/* SPDX-License-Identifier: Apache-2.0 */
/* The messages and exit codes that the commands share, and texts in memory that is made large
 * enough. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int zl_cli_say(zlay_ctx *ctx, zlay_status status, const char *what)
{
    const char *message = zlay_ctx_message(ctx);
    fprintf(stderr, "zlay: %s: %s%s%s\n", what, zlay_status_name(status), *message ? ": " : "",
            message);
    return status == ZLAY_NONE     ? ZL_EXIT_NO
           : status == ZLAY_ELIMIT ? ZL_EXIT_UNSURE
                                   : ZL_EXIT_ERROR;
}

int zl_no_target(const char *name)
{
    zl_like like = zl_like_begin(name, strlen(name));
    for (size_t i = 0; zlay_target_nth(i); i++)
        zl_like_offer(&like, zlay_target_name(zlay_target_nth(i)));
    fprintf(stderr, "zlay: no target is called '%s'%s\n", name, like.hint);
    return ZL_EXIT_ERROR;
}

char *zl_text_of(zlay_ctx *ctx, zl_text_writer *write, const void *value, size_t *length)
{
    zlay_buf buf = {NULL, 0, 0};
    zlay_status status = write(ctx, &buf, value);
    if (status == ZLAY_EROOM) {
        buf.room = buf.need + 1;
        buf.text = malloc(buf.room);
        status = buf.text ? write(ctx, &buf, value) : ZLAY_ENOMEM;
    }
    *length = buf.need;
    if (!status) return buf.text;
    zl_cli_say(ctx, status, "no text");
    free(buf.text);
    return NULL;
}
