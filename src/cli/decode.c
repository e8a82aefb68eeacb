/* SPDX-License-Identifier: Apache-2.0 */
/* zlay decode: prints the fields of a descriptor in its bits, its verdict and what makes it. */
#include "cli/cli.h"
#include "json/ops/ops.h"

#include <stdio.h>

/* The longest answer, a tensor map that breaks every rule, takes a fifth of it. */
enum { ANSWER_MOST = 1 << 16 };

int zl_decode(zlay_ctx *ctx, int argc, char **argv)
{
    char text[ANSWER_MOST];
    zlay_buf out = {text, sizeof text, 0};
    zlay_status status = zl_decode_bits(ctx, &out, argc, argv);
    if (!status) fputs(text, stdout);
    return status ? zl_cli_say(ctx, status, "decode") : ZL_EXIT_YES;
}
