/* SPDX-License-Identifier: Apache-2.0 */
/* A place in a text: what is taken there, and failures that name its byte. */
#ifndef ZL_ALGEBRA_CURSOR_H
#define ZL_ALGEBRA_CURSOR_H

#include "base/base.h"

typedef struct zl_cursor {
    zlay_ctx *ctx;
    const char *text;
    size_t length, at;
    size_t first; /* byte of the whole text where `text` begins */
} zl_cursor;

/* Refuses a NULL text and one above limits.text. */
zlay_status zl_cursor_begin(zl_cursor *c, zlay_ctx *ctx, const char *text, size_t length);

/* The next character after blanks, 0 at the end; a byte 0 in the text is '\x01' here, which
 * nothing takes. */
char zl_cursor_peek(zl_cursor *c);
bool zl_cursor_take(zl_cursor *c, char wanted);
bool zl_cursor_word(zl_cursor *c, const char *word);
zlay_status zl_cursor_want(zl_cursor *c, char wanted);

/* An integer, CuTe's static mark before it allowed: _8, -3, _-3. */
bool zl_cursor_at_integer(zl_cursor *c);
zlay_status zl_cursor_integer(zl_cursor *c, int64_t *out);
zlay_status zl_cursor_unsigned(zl_cursor *c, uint64_t *out);

/* ZLAY_EINVAL: "byte 12: expected a comma, at `...`". */
zlay_status zl_cursor_fail(zl_cursor *c, const char *expected);
zlay_status zl_cursor_end(zl_cursor *c);

#endif
