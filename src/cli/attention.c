/* SPDX-License-Identifier: Apache-2.0 */
/* zlay plan attention: makes the plan of a request, prints it, decides the certificates of its
 * copies, proves its pipe, and writes its kernel. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/device/tensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static zlay_status explain_write(zlay_ctx *ctx, zlay_buf *out, const void *plan)
{
    (void)ctx;
    return zlay_attention_print(out, plan);
}

/* The pair of layouts of each copy of tensor maps; a move of two maps that was made of one has
 * none. */
static int copies_decide(zlay_ctx *ctx, const zlay_attention_plan *plan)
{
    const zlay_move *move;
    const zlay_layout *a, *b;
    uint32_t count = 0;
    char tensor;
    for (uint32_t i = 0; !zlay_attention_move_nth(&move, &tensor, plan, i); i++) {
        zlay_answer answer;
        if (zlay_move_certificate(&a, &b, move)) continue;
        zlay_status status = zlay_layout_equal(ctx, &answer, NULL, a, b);
        if (status) return zl_cli_say(ctx, status, "certificate");
        count++;
        if (answer == ZLAY_YES) continue;
        printf("certificate of the copy of %c: %s\n", tensor,
               answer == ZLAY_NO ? "the layouts differ" : zlay_ctx_message(ctx));
        return answer == ZLAY_NO ? ZL_EXIT_NO : ZL_EXIT_UNSURE;
    }
    if (count)
        printf("certificates: %u pairs of layouts, each equal (checked independently)\n", count);
    return ZL_EXIT_YES;
}

static int kernel_file(zlay_ctx *ctx, const zlay_attention_plan *plan, const zl_options *options)
{
    zlay_pipe_launch launch;
    size_t length;
    if (!options->out) return ZL_EXIT_YES;
    char *text = zl_attention_text(ctx, plan, options->name, &launch, NULL, 0, &length);
    bool done = text && zl_file_write(options->out, text, length);
    free(text);
    if (done) printf("wrote %s, %zu bytes\n", options->out, length);
    return done ? ZL_EXIT_YES : ZL_EXIT_ERROR;
}

static int explained(zlay_ctx *ctx, const zlay_attention_plan *plan)
{
    size_t length;
    char *text = zl_text_of(ctx, explain_write, plan, &length);
    if (!text) return ZL_EXIT_ERROR;
    fwrite(text, 1, length, stdout);
    free(text);
    return ZL_EXIT_YES;
}

static int plan_show(zlay_ctx *ctx, const zlay_attention_plan *plan, const zl_options *options)
{
    int exit = zl_pipe_prove(ctx, zlay_attention_pipe(plan), true);
    if (!exit) exit = copies_decide(ctx, plan);
    return exit ? exit : kernel_file(ctx, plan, options);
}

int zl_plan_attention(zlay_ctx *ctx, int argc, char **argv)
{
    zl_options options;
    const zlay_target *target;
    zlay_attention_plan *plan = NULL;
    if (!zl_options_read(&options, ZL_OF_PLAN_ATTENTION, argc, argv)) return ZL_EXIT_ERROR;
    if (zlay_target_find(&target, options.target, strlen(options.target)))
        return zl_no_target(options.target);
    const zlay_attention asked = options.attention;
    if (options.cache && !zl_choice_attention(ctx, target, &options)) return ZL_EXIT_ERROR;
    zl_progress_begin(ctx, "planning");
    zlay_status status = zlay_attention_synth(ctx, &plan, target, &options.attention);
    zl_progress_end();
    int exit = status ? zl_cli_say(ctx, status, "no plan") : explained(ctx, plan);
    if (!exit) exit = zl_rivals_attention(ctx, plan, target, &asked, &options.attention);
    if (!exit) exit = plan_show(ctx, plan, &options);
    zlay_attention_free(plan);
    return exit;
}
