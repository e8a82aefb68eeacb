/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the search for the pieces of a table. */
#ifndef ZL_ALGEBRA_FIND_PIECES_H
#define ZL_ALGEBRA_FIND_PIECES_H

#include "algebra/presburger/draft.h"
#include "algebra/find/table.h"

/* A table over its top-level box, and the window of it that is looked at: the least box that has
 * all its values. */
typedef struct zl_window {
    zlay_ctx *ctx;
    const zl_table *t;
    size_t dims, outs;
    uint64_t extent[ZL_PIECE_VARIABLES], step[ZL_PIECE_VARIABLES]; /* step: one more in the index */
    uint64_t from[ZL_PIECE_VARIABLES], count[ZL_PIECE_VARIABLES];  /* the window */
    uint64_t first, points; /* its least index; its points */
    uint64_t out_size[ZL_PIECE_VARIABLES];
    int64_t *line; /* room for the values along any dimension */
} zl_window;

/* One output of a defined point. */
int64_t zl_search_value(const zl_window *s, uint64_t index, size_t out);

/* The next point of the window after `index`, coordinates (from 0) with it; false past the last. */
bool zl_search_next(const zl_window *s, uint64_t *coordinate, uint64_t *index);

/* Roads to pieces of the draft, each point of the table equal; ZLAY_NONE where one does not lead.
 * The first three are one piece on a window without gaps. */
zlay_status zl_search_sum(const zl_window *s, zl_draft *d);
zlay_status zl_search_modulo(const zl_window *s, zl_draft *d);
zlay_status zl_search_bits(const zl_window *s, zl_draft *d);
zlay_status zl_search_boxes(const zl_window *s, zl_draft *d);
zlay_status zl_search_digits(const zl_window *s, zl_draft *d);

/* The guards of the window, and coordinates that count from its corner. */
zlay_status zl_search_window(const zl_window *s, zl_draft *d, zl_quasi *at);

/* A function of one coordinate as a form of it: linear, with jumps that a floor division counts, or
 * such a sum digit by digit; ZLAY_NONE. */
typedef struct zl_line {
    zlay_ctx *ctx;
    const int64_t *value;
    uint64_t count;
} zl_line;
zlay_status zl_line_form(zl_draft *d, zl_quasi *out, const zl_line *line,
                         const zl_quasi *coordinate);

/* The first n whose digits x mod n and floor(x / n) a line is a sum of, n = 0: none, or limits.work
 * ended the call. */
uint64_t zl_line_digit(const zl_line *line);

#endif
