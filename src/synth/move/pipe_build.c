/* SPDX-License-Identifier: Apache-2.0 */
/* Declares parts of a plan to a pipe builder: a move with the bytes that it brings, and a shared
 * buffer with the bytes that its layout takes. */
#include "algebra/ops/cute.h"
#include "pipe/language/build.h"
#include <zlay/pipe_build.h>

zlay_status zlay_pipe_builder_move(zlay_ctx *ctx, zlay_pipe_builder *builder, const char *name,
                                   const zlay_move *move)
{
    zlay_move_summary info;
    zlay_status status = zlay_move_info(&info, move);
    if (status) return status;
    if (info.bytes > INT32_MAX) return ZLAY_EOVERFLOW;
    zlay_pipe_declaration d = {.size = sizeof d, .word = "move", .name = name,
                               .bytes = {.add = (int64_t)info.bytes}};
    status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, zl_build_declare(ctx, builder, &d));
}

zlay_status zlay_pipe_builder_smem(zlay_ctx *ctx, zlay_pipe_builder *builder, const char *name,
                                   uint32_t stages, const zlay_layout *layout, uint32_t elem_bits)
{
    uint64_t elements, bits;
    if (!layout || !elem_bits) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_cosize(ctx, &elements, layout);
    if (status) return zl_leave(ctx, status);
    if (!zl_umul(elements, elem_bits, &bits) || bits > (uint64_t)INT32_MAX * 8)
        return zl_leave(ctx, ZLAY_EOVERFLOW);
    zlay_pipe_declaration d = {.size = sizeof d, .word = "smem", .name = name, .stages = stages,
                               .bytes = {.add = (int64_t)((bits + 7) / 8)}};
    return zl_leave(ctx, zl_build_declare(ctx, builder, &d));
}
