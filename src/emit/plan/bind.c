/* SPDX-License-Identifier: Apache-2.0 */
/* Makes fields of zlay_pipe_emit from what a planner binds: an axis without a text stays NULL, and counts nothing. */
#include "emit/plan/bind.h"

zlay_pipe_emit zl_plan_ask(const zlay_target *target, const zlay_pipe *pipe, int32_t language, const char *name, size_t length)
{
    return (zlay_pipe_emit){.size = sizeof(zlay_pipe_emit),
                            .language = language,
                            .target = target,
                            .pipe = pipe,
                            .name = name,
                            .name_length = length,
                            .unchecked = 1};
}

void zl_plan_bind(zl_plan_bound *b, zlay_pipe_emit *ask, const zl_bound_move *moves, uint32_t moves_count,
             const zl_bound_operand *operands, uint32_t operands_count)
{
    for (uint32_t i = 0; i < moves_count; i++) {
        b->moves[i] = (zlay_pipe_move){.name = moves[i].name, .move = moves[i].move};
        for (uint32_t a = 0; a < ZL_COUNT(moves[i].axis); a++)
            if (*moves[i].axis[a]) b->moves[i].axis[a] = moves[i].axis[a];
    }
    for (uint32_t i = 0; i < operands_count; i++)
        b->operands[i] = (zlay_pipe_operand){.smem = operands[i].smem,
                                             .type = operands[i].type,
                                             .major = operands[i].major,
                                             .swizzle = operands[i].swizzle,
                                             .layout = operands[i].layout};
    ask->moves = b->moves;
    ask->operands = b->operands;
    ask->moves_count = moves_count;
    ask->operands_count = operands_count;
}
