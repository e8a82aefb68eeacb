/* SPDX-License-Identifier: Apache-2.0 */
/* Inside composition. */
#ifndef ZL_ALGEBRA_COMPOSE_H
#define ZL_ALGEBRA_COMPOSE_H

#include "algebra/layout/layout.h"

/* A composition on its way: a's modes flat and coalesced on every integer, which are a's own where
 * none merges, else those of `flat`; and the box of b. */
typedef struct zl_work {
    zlay_ctx *ctx;
    const zlay_layout *a, *b;
    const zl_mode *mode;
    size_t modes;
    zl_modes flat, box;
    bool partial; /* undefined where b leaves the box of a; else that is ZLAY_NONE */
    bool left;    /* ZLAY_NONE was answered for that */
    bool compared, total; /* all points were looked at; all of them have values */
    bool search;          /* for pieces among the values, where rows grew too large */
} zl_work;

/* All but the modes, which are large and begin by themselves. */
static inline void zl_work_begin(zl_work *w, zlay_ctx *ctx, const zlay_layout *a,
                                 const zlay_layout *b)
{
    w->ctx = ctx;
    w->a = a;
    w->b = b;
    w->partial = w->left = w->compared = w->total = w->search = false;
}

/* a(b(index)) of strided layouts; false when it does not fit 64 bits. */
bool zl_work_at(const void *work, uint64_t index, int64_t *value);

/* b's outputs are a coordinate of a: as many as a has modes, and no digits of a's index. */
bool zl_by_coordinate(const zlay_layout *a, const zlay_layout *b);

/* The first cheaper form than pieces, by all values up to limits.points; ZLAY_NONE, with w->left
 * where b leaves the box of a, else when there is none or there are more points. */
zlay_status zl_compose_values(zl_work *w, zlay_layout **out);

/* Some values of a composition show that no form is cheaper than pieces; all points have values.
 * False says nothing. */
bool zl_compose_ruled_out(const zl_work *w);

/* b of 63 or 64 bits over F2, which has no box; ZLAY_NONE as zl_compose_values. */
zlay_status zl_compose_wide(zl_work *w, zlay_layout **out);

/* b's pieces put into a, any size. */
zlay_status zl_compose_pieces(zl_work *w, zlay_layout **out);

/* The same as zl_compose_cute of plain layouts of small numbers, as a layout; ZLAY_NONE: something
 * is large, unusual or not defined. */
zlay_status zl_compose_narrow(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const zlay_layout *b);

/* Of two strided layouts; ZLAY_NONE: CuTe's is not defined here, or is not this function. */
zlay_status zl_compose_cute(zl_work *w, zl_modes *out);

#endif
