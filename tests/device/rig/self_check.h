/* SPDX-License-Identifier: Apache-2.0 */
/* The device program checks its own means before it trusts them. */
#ifndef SELF_CHECK_H
#define SELF_CHECK_H

#include "matrix.h"

/* Inputs are distributed as they should be, with NaNs around them, and the reference is that of the
 * host; `why` receives the first thing that is wrong, "" when nothing is. */
void self_check(rig *r, char *why, size_t room);

#endif
