/* SPDX-License-Identifier: Apache-2.0 */
/* Gives what a planner binds to its pipe to the printer. */
#ifndef ZL_EMIT_PLAN_BIND_H
#define ZL_EMIT_PLAN_BIND_H

#include "synth/move/bound.h"
#include <zlay/emit_pipe.h>

typedef struct zl_plan_bound {
    zlay_pipe_move moves[ZL_BOUND_MOVES];
    zlay_pipe_operand operands[ZL_BOUND_OPERANDS];
} zl_plan_bound;

/* A request to print a plan's pipe, which is proved already. */
zlay_pipe_emit zl_plan_ask(const zlay_target *target, const zlay_pipe *pipe, int32_t language, const char *name, size_t length);
/* The moves and operands as fields of a request, which borrows them from `b` and the plan. */
void zl_plan_bind(zl_plan_bound *b, zlay_pipe_emit *ask, const zl_bound_move *moves, uint32_t moves_count,
             const zl_bound_operand *operands, uint32_t operands_count);

#endif
