/* SPDX-License-Identifier: Apache-2.0 */
/* What a planner binds to the names of its pipe, which the printer of its kernel reads. */
#ifndef ZL_MOVE_BOUND_H
#define ZL_MOVE_BOUND_H

#include "base/base.h"
#include <zlay/layout.h>
#include <zlay/move.h>

/* The most that any planner binds. */
enum { ZL_BOUND_MOVES = 20, ZL_BOUND_OPERANDS = 11 };

/* A move of the pipe: its name, its plan, what counts its axes, and the tensor that it moves. */
typedef struct zl_bound_move {
    char name[8], axis[5][40];
    char tensor;
    zlay_move *move;
} zl_bound_move;

/* How a shared buffer lies: (row, column) -> element, before the swizzle. */
typedef struct zl_bound_operand {
    char smem[8];
    int32_t type, major, swizzle;
    zlay_layout *layout;
} zl_bound_operand;

#endif
