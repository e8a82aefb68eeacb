/* SPDX-License-Identifier: Apache-2.0 */
/* The scanner of all text forms: a cursor in a text, the tokens that are taken there, and failures
 * that name their place.  Blanks, newlines among them, may stand before any token.  A form that is
 * read line by line holds the cursor to one line after the other. */
#ifndef ZL_SCAN_H
#define ZL_SCAN_H

#include "base/base.h"

/* ASCII in every locale. */
static inline bool zl_is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static inline bool zl_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool zl_is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

/* Whether c may begin a name, and whether it may stand in one. */
static inline bool zl_is_name_start(char c) { return zl_is_letter(c) || c == '_'; }
static inline bool zl_is_name_part(char c) { return zl_is_name_start(c) || zl_is_digit(c); }

typedef struct zl_cursor {
    zlay_ctx *ctx;
    const char *text;
    size_t length, at;
    size_t first;  /* byte of the whole text where `text` begins */
    uint32_t line; /* number of the line that the cursor is held to, from 1; 0: none */
    char mark;     /* may stand in names after their first letter: ' in isl's notation; 0: none */
    bool dotted;   /* a keyword may have dots: `bulk.read` does not begin with the keyword `bulk` */
} zl_cursor;

/* Refuses a NULL text and one above limits.text. */
zlay_status zl_cursor_begin(zl_cursor *c, zlay_ctx *ctx, const char *text, size_t length);

/* Holds the cursor to the line that begins at `text`, without its comment, which begins with #.
 * Returns where the next line begins; `end` after the last. */
const char *zl_cursor_line(zl_cursor *c, const char *text, const char *end);

/* The next character after blanks, 0 at the end; a byte 0 in the text is '\x01' here, which
 * nothing takes. */
char zl_cursor_peek(zl_cursor *c);
bool zl_cursor_done(zl_cursor *c);

/* Each takes what it names and answers true, or takes nothing but blanks. */
bool zl_cursor_take(zl_cursor *c, char wanted);
bool zl_cursor_symbol(zl_cursor *c, const char *symbol); /* whatever stands behind it */
bool zl_cursor_keyword(zl_cursor *c, const char *word);  /* where the word ends there */
bool zl_cursor_name(zl_cursor *c, char *out);            /* zl_is_name; 65 bytes */
bool zl_cursor_number(zl_cursor *c, int64_t *out);       /* digits, INT64_MAX at most, no word */

/* The length of the word that stands next, whose first character is no digit; 0: none does. */
size_t zl_cursor_word(zl_cursor *c);

/* Takes a character, or fails. */
zlay_status zl_cursor_want(zl_cursor *c, char wanted);
zlay_status zl_cursor_end(zl_cursor *c);

/* An integer, CuTe's static mark before it allowed: _8, -3, _-3. */
bool zl_cursor_at_integer(zl_cursor *c);
zlay_status zl_cursor_integer(zl_cursor *c, int64_t *out);
zlay_status zl_cursor_unsigned(zl_cursor *c, uint64_t *out);

/* ---- failures: "byte 12: ...", or "line 3: ..." where the cursor is held to a line ---- */

/* ZLAY_EINVAL: "byte 12: expected a comma, at `...`". */
zlay_status zl_cursor_fail(zl_cursor *c, const char *expected);

/* Fails for what stands at a byte of `text`. */
zlay_status zl_cursor_refuse(const zl_cursor *c, zlay_status status, size_t at, const char *format,
                             ...) ZL_PRINTF(4, 5);

/* Puts the place before the message of a failure that names none; passes the status on. */
zlay_status zl_cursor_place(const zl_cursor *c, zlay_status status, size_t at);

#endif
