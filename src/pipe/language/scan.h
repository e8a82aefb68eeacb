/* SPDX-License-Identifier: Apache-2.0 */
/* The tokeniser of pipe texts and proofs: words, numbers and symbols of one line. */
#ifndef ZL_SCAN_H
#define ZL_SCAN_H

#include "pipe/language/pipe.h"

typedef struct zl_scan {
    const char *begin, *at, *end; /* of the line, its comment left off */
    uint32_t line;
} zl_scan;

/* Take the next line of [text, end); answers where the one after it begins. */
const char *zl_scan_line(zl_scan *s, const char *text, const char *end);

/* Nothing but blanks is left. */
bool zl_scan_done(zl_scan *s);

/* How many letters and digits stand next. */
size_t zl_scan_length(zl_scan *s);

/* Each takes what it names and answers true, or takes nothing and answers false. */
bool zl_scan_symbol(zl_scan *s, const char *symbol);
bool zl_scan_word(zl_scan *s, const char *word); /* may contain '.' */
bool zl_scan_name(zl_scan *s, char *out);        /* zl_is_name, 65 bytes */
bool zl_scan_number(zl_scan *s, int64_t *out);   /* digits, at most INT64_MAX */

/* Whether a division stands before the open parenthesis closes: (pos / stages + 1), not (pos). */
bool zl_scan_flipped(const zl_scan *s);

#endif
