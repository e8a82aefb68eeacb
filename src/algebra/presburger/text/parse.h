/* SPDX-License-Identifier: Apache-2.0 */
/* isl's notation, read by a parser of zlay's own: expressions, conditions, maps.
 *
 * What binds how is isl's: in `2i mod 3` and `2*i mod 3` the factor comes last, 2 (i mod 3). */
#ifndef ZL_ALGEBRA_PIECES_PARSE_H
#define ZL_ALGEBRA_PIECES_PARSE_H

#include "base/scan.h"
#include "algebra/presburger/quasi.h"

typedef struct zl_scoped {
    const char *text;
    size_t length, variable;
} zl_scoped;

typedef struct zl_map_reader {
    zl_cursor c;
    zl_world w;
    zl_scoped *name;
    size_t names, room;
    uint32_t depth;
    zl_cases side; /* conditions that min and max brought; of count 0: none */
} zl_map_reader;

/* ---- words and names ---------------------------------------------------------------- */

bool zl_reader_is_keyword(const char *text, size_t length);

zlay_status zl_reader_declare(zl_map_reader *p, const char *text, size_t length, size_t variable);
const zl_scoped *zl_reader_find(const zl_map_reader *p, const char *text, size_t length);

/* Deeper by one parenthesis: ELIMIT past limits.nesting. */
zlay_status zl_reader_enter(zl_map_reader *p);

/* ---- expressions and conditions -------------------------------------------------------- */

zlay_status zl_read_expression(zl_map_reader *p, zl_quasi *out);
zlay_status zl_read_formula(zl_map_reader *p, zl_cases *out);

/* Conditions that min and max brought since `p->side` was taken; variables from `first` on are
 * solved for, in every case. */
zlay_status zl_read_side(zl_map_reader *p, zl_cases *cases, size_t first);

/* Variables from `first` on that were not solved for are projected out by isl. */
zlay_status zl_read_close(zl_map_reader *p, zl_cases *cases, size_t first);

#endif
