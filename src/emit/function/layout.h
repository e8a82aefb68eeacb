/* SPDX-License-Identifier: Apache-2.0 */
/* The value of a layout as an expression of its coordinates, one argument a top-level mode. */
#ifndef ZL_EMIT_FUNCTION_LAYOUT_H
#define ZL_EMIT_FUNCTION_LAYOUT_H

#include "algebra/layout/layout.h"
#include "emit/function/graph.h"

/* A layout that is printed: its box, and the graph's arguments for it. */
typedef struct zl_address {
    const zlay_layout *layout;
    size_t dims;
    uint32_t first; /* the argument of dimension 0 */
    uint64_t extent[ZL_GRAPH_ARGUMENTS];
} zl_address;

/* ENOTSUP: parameters, more dimensions than arguments. */
zlay_status zl_address_of(zlay_ctx *ctx, zl_address *out, const zlay_layout *a);

zl_vertex zl_address_argument(zl_graph *g, const zl_address *a, size_t i);

/* The graph of the cheapest of the forms that equal the layout, and its root; `there` is the
 * condition under which a partial layout has a value, 0 of a layout that has one everywhere. */
typedef struct zl_address_form {
    zl_graph graph;
    zl_vertex root, there;
} zl_address_form;
zlay_status zl_address_best(zlay_ctx *ctx, zl_address_form *out, const zl_address *a);

/* The same in a graph that may have other nodes already. */
zlay_status zl_address_into(zlay_ctx *ctx, zl_address_form *in, const zl_address *a);

/* ---- forms: 0 and `*serves` false where a form does not serve the layout -------------------- */

/* Sums of strides, then the swizzle. */
zl_vertex zl_form_sum(zl_graph *g, const zl_address *a, bool *serves);

/* XOR of shifted and masked coordinates of a map that is affine over F2: coordinate by coordinate,
 * and of all coordinates joined to one word. */
zl_vertex zl_form_bits(zl_graph *g, const zl_address *a, bool *serves);
zl_vertex zl_form_joined(zl_graph *g, const zl_address *a, bool *serves);

/* x's bits, each of which adds its basis by XOR. */
zl_vertex zl_bits_cover(zl_graph *g, zl_vertex x, const uint64_t *basis, unsigned bits);

/* Guarded pieces, chosen one after the other; and the condition that one of them holds. */
zl_vertex zl_form_pieces(zl_graph *g, const zl_address *a, bool *serves);
zl_vertex zl_pieces_there(zl_graph *g, const zl_address *a);

#endif
