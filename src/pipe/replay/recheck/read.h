/* SPDX-License-Identifier: Apache-2.0 */
/* A proof while it is read line by line: the cursor in its text, and the checker that notes the
 * first fault. */
#ifndef ZL_RECHECK_READ_H
#define ZL_RECHECK_READ_H

#include "pipe/replay/recheck/recheck.h"
#include "base/scan.h"

typedef struct zl_rc_reader {
    zl_recheck *r;
    zl_cursor at;
    const char *next, *end;
} zl_rc_reader;

/* Take the next line; fail where there is none. */
bool zl_rc_line(zl_rc_reader *in);

/* Note what is wrong with the line at hand; answers false. */
bool zl_rc_bad(zl_rc_reader *in, const char *what);

/* Every ordering that the classes owe, in their order, with its path. */
bool zl_rc_orders(zl_rc_reader *in);

#endif
