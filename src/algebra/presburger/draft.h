/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of an operation's result while they are being made.  A draft is claims in a world whose
 * coordinates have a box: floor divisions are made once and in the shortest shape that the box
 * allows, and guards are dropped where the box decides them.
 *
 * Every operation on any kind is one thing: a layout applied to forms under guards.  Composition
 * applies a to what b's pieces are; a flip applies a to extent - 1 - x; a concatenation applies
 * each part under its own guard. */
#ifndef ZL_ALGEBRA_DRAFT_H
#define ZL_ALGEBRA_DRAFT_H

#include "algebra/presburger/claims.h"

/* INT64_MIN as least and INT64_MAX as greatest: no bound. */
typedef struct zl_value_range {
    int64_t least, greatest;
} zl_value_range;

typedef struct zl_draft {
    zl_claims claims; /* the pieces so far, in the world below */
    zl_guard guards;  /* rows that hold where pieces are put now */
    bool leaves;      /* an index or coordinate may have left the box of a layout */
    uint64_t out_size[ZL_PIECE_VARIABLES]; /* 0: not known */
    zl_value_range known_range;            /* of the form `known`, which its terms do not show */
    zl_quasi known;                        /* the last value under a swizzle */
    /* What lies behind the count of variables is not written. */
    uint64_t extent[ZL_PIECE_VARIABLES];      /* by dimension */
    zl_value_range range[ZL_PIECE_VARIABLES]; /* of every variable on the box */
    zl_world w;
} zl_draft;

/* A draft over the box of a layout with its parameters, or over a box alone.  All of it is working
 * memory of the call, so what releases to a mark takes no more of a draft that is older. */
zlay_status zl_draft_of(zlay_ctx *ctx, zl_draft **out, const zlay_layout *box);
zlay_status zl_draft_new(zlay_ctx *ctx, zl_draft **out, size_t dims, const uint64_t *extent);
zlay_status zl_draft_of_box(zlay_ctx *ctx, zl_draft **out, const zl_modes *box);

/* More parameters, before any division: those of a layout that are not there yet. */
zlay_status zl_draft_params(zl_draft *d, const zlay_layout *a);

/* Outputs: their count and, where all are known, sizes. */
zlay_status zl_draft_outs(zl_draft *d, const zlay_layout *a);
uint64_t zl_out_size(const zlay_layout *a, size_t i); /* of one output; 0: not known */

/* ---- forms ---------------------------------------------------------------- */

void zl_draft_coordinate(const zl_draft *d, zl_quasi *out, size_t dim);

/* floor(form / den), den >= 1, and form mod den.  EOVERFLOW, ELIMIT, ENOMEM. */
zlay_status zl_draft_div(zl_draft *d, zl_quasi *out, const zl_quasi *form, int64_t den);
zlay_status zl_draft_mod(zl_draft *d, zl_quasi *out, const zl_quasi *form, int64_t den);

/* What a form reaches on the box: sound, not always tight. */
zl_value_range zl_draft_range(const zl_draft *d, const zl_quasi *form);

/* The form lies in the range, which its terms alone do not show. */
void zl_draft_know(zl_draft *d, const zl_quasi *form, zl_value_range range);

/* ---- guards and pieces ------------------------------------------------------ */

/* form >= 0 (or == 0) from here on; `*dead`, which is never cleared, where it holds nowhere. */
zlay_status zl_draft_guard(zl_draft *d, const zl_quasi *form, bool equal, bool *dead);

/* 0 <= form < extent; d->leaves is set unless the guards and the box show that it always holds. */
zlay_status zl_draft_inside(zl_draft *d, const zl_quasi *form, uint64_t extent, bool *dead);

/* A piece under the guards that hold now. */
zlay_status zl_draft_piece(zl_draft *d, const zl_quasi *values);

/* Fewer pieces of the same function. */
void zl_draft_merge(zl_draft *d);

/* The layout of the pieces put so far; a division that no row uses is left out. */
zlay_status zl_draft_layout(zl_draft *d, zlay_layout **out, bool partial);

/* ---- layouts applied to forms ------------------------------------------------ */

/* Put the pieces of a at forms under the guards that hold now: one form is an index, as many as a
 * has dimensions are a coordinate.  Strided and swizzled layouts go on past their box, others are
 * undefined there. */
zlay_status zl_draft_apply(zl_draft *d, const zlay_layout *a, const zl_quasi *at, size_t count);

/* The pieces of a one after the other, at forms: their guards hold while `visit` runs. */
typedef zlay_status zl_visit(zl_draft *d, const zl_quasi *values, void *env);
zlay_status zl_draft_walk(zl_draft *d, const zlay_layout *a, const zl_quasi *at, size_t count,
                          zl_visit *visit, void *env);

/* A visit that puts the piece into the draft. */
zlay_status zl_visit_piece(zl_draft *d, const zl_quasi *values, void *env);

/* f2 ^ constant at forms, the pieces given to `visit`. */
zlay_status zl_bits_walk(zl_draft *d, const zl_f2 *f2, uint64_t constant, const zl_quasi *at,
                         size_t count, zl_visit *visit, void *env);

/* The index of a coordinate of the draft's box. */
zlay_status zl_draft_index(zl_draft *d, zl_quasi *out, const zl_quasi *coordinate);

/* The coordinates of the draft's box as forms, one 0 where it has no dimensions. */
zlay_status zl_draft_coordinates(zl_draft *d, zl_quasi **out, size_t *count);

#endif
