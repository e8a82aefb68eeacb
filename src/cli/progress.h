/* SPDX-License-Identifier: Apache-2.0 */
/* Progress on a terminal at standard error, of what takes over a second. */
#ifndef ZL_CLI_PROGRESS_H
#define ZL_CLI_PROGRESS_H

#include "base/base.h"

/* Between begin and end `what` goes on: `what` lives as long, and `ctx` is the one whose call it
 * is, or NULL. Elsewhere than on a terminal neither does anything. */
void zl_progress_begin(const zlay_ctx *ctx, const char *what);
void zl_progress_count(uint64_t done, uint64_t total);
void zl_progress_end(void);

#endif
