/* SPDX-License-Identifier: Apache-2.0 */
/* zlay places: reads a tile program from a file and prints where its values lie. */
#include "cli/cli.h"
#include "json/ops/ops.h"

#include <stdio.h>
#include <stdlib.h>

enum { PROGRAM_MOST = 1 << 20, ANSWER_MOST = 1 << 15 }; /* 32 values, 24 operations, a line each */

int zl_places(zlay_ctx *ctx, int argc, char **argv)
{
    char text[ANSWER_MOST];
    zlay_buf out = {text, sizeof text, 0};
    size_t length;
    if (argc < 2) {
        fputs("zlay places: it takes FILE|- TARGET [FIELD=VALUE ...]\n", stderr);
        return ZL_EXIT_ERROR;
    }
    char *program = zl_file_read(argv[0], PROGRAM_MOST, &length);
    if (!program) return ZL_EXIT_ERROR;
    zlay_status status = zl_places_text(ctx, &out, program, argc - 1, argv + 1);
    free(program);
    if (!status) fputs(text, stdout);
    return status ? zl_cli_say(ctx, status, "places") : ZL_EXIT_YES;
}
