/* SPDX-License-Identifier: Apache-2.0 */
/* What an assembler of a target wants around a kernel's instructions. */
#ifndef ZL_FRAME_H
#define ZL_FRAME_H

#include <zlay/target.h>

/* Before and behind the instructions; {word} stands for what the kernel has: target, name, smem,
 * threads, lanes, registers, accumulators, both, scalars, arguments; third: 1, a grid of three dimensions. */
typedef struct zl_text_frame {
    const char *head, *tail;
} zl_text_frame;

zl_text_frame zl_target_frame(const zlay_target *target);

#endif
