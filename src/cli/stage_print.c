/* SPDX-License-Identifier: Apache-2.0 */
/* What zlay plan stage says of a stage that was chosen: cycles and units, each tensor's choice, the
 * rings, and the pipe's text where it is wanted. */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_MOST = 24 };

static zlay_status layout_write(zlay_ctx *ctx, zlay_buf *out, const void *layout)
{
    (void)ctx;
    return zlay_layout_print(out, layout);
}

static void tensor_print(zlay_ctx *ctx, const zlay_stage *stage, uint32_t i)
{
    zlay_stage_choice c;
    size_t length;
    char *layout = zl_text_of(ctx, layout_write, zlay_stage_layout(stage, i), &length),
         width[NAME_MOST] = "", share[NAME_MOST] = "";
    if (zlay_stage_choice_nth(&c, stage, i)) return;
    if (c.width) snprintf(width, sizeof width, " of %u bytes", c.width);
    if (c.multicast > 1) snprintf(share, sizeof share, " to %u blocks", c.multicast);
    printf("%s: %s, %s%s%s\n", i ? "B" : "A", layout ? layout : "?", zlay_stage_kind_name(c.kind),
           width, share);
    printf("   %u bytes a stage, %u deep; expect %u; full %u, empty %u; %" PRIu64
           " wavefronts to write, %" PRIu64 " to read; %" PRIu64 " bytes from L2\n",
           c.buffer, c.depth, c.expect, c.full, c.empty, c.writes, c.reads, c.global);
    free(layout);
}

static const char *busiest(const zlay_stage_summary *info)
{
    int32_t most = 0;
    for (int32_t u = 1; u < ZLAY_STAGE_UNITS; u++)
        if (info->unit[u] > info->unit[most]) most = u;
    return info->unit[most] == info->cycles ? zlay_stage_unit_name(most) : "latency over depth";
}

int zl_stage_print(zlay_ctx *ctx, const zlay_stage *stage, uint32_t (*extent)[3], bool pipe)
{
    zlay_stage_summary info;
    size_t length;
    zlay_stage_info(&info, stage);
    const uint32_t *e = extent[info.tile];
    printf("tile %ux%ux%u: %" PRIu64 " cycles a stage, by %s%s\n", e[0], e[1], e[2], info.cycles,
           busiest(&info), info.optimal ? "; none takes fewer" : "; the search was ended");
    for (int32_t u = 0; u < ZLAY_STAGE_UNITS; u++)
        printf("%s%s %" PRIu64, u ? ", " : "units: ", zlay_stage_unit_name(u), info.unit[u]);
    printf("\n");
    for (uint32_t i = 0; i < info.tensors; i++) tensor_print(ctx, stage, i);
    printf("%s: %" PRIu64 " bytes of shared memory, %u mbarriers, %u registers of a thread\n",
           info.rings > 1 ? "rings of their own" : "one ring", info.bytes, info.mbarriers,
           info.registers);
    if (info.in_turn) printf("chosen in turn: %" PRIu64 " cycles\n", info.in_turn);
    else puts("chosen in turn: nothing fits");
    printf("pipe: proved for every trip count\n");
    char *text = pipe ? zl_text_of(ctx, zl_write_pipe, zlay_stage_pipe(stage), &length) : NULL;
    if (text) fputs(text, stdout);
    free(text);
    return ZL_EXIT_YES;
}
