/* SPDX-License-Identifier: Apache-2.0 */
/* What a test asks of the machine. The machine is compiled once (run.c), not into each program that runs a kernel. */
#ifndef TEST_PTX_RUN_H
#define TEST_PTX_RUN_H

#include "ptx/operand.h"

/* All clusters of a grid, up to the first fault. */
void px_run(px_machine *m, const char *text, int threads, uint32_t blocks, int cluster);

#endif
