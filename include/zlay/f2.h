/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/f2.h - layouts that are linear over F2, with named dimensions: the
 *  operations of Triton's LinearLayout, and its meaning of them.
 *
 *  A worked example.  Eight elements of a 2 x 4 tile, two in each of four
 *  lanes; register and lane are the inputs, minor first:
 *
 *      f2{register: (0,1); lane: (0,2) (1,0) -> dim0: 2, dim1: 4}
 *
 *  A basis is the image of a power of two, here register 1 -> (0,1), lane
 *  1 -> (0,2), lane 2 -> (1,0), and everything else is an XOR of bases: lane 3,
 *  register 1 -> (1,0) ^ (0,2) ^ (0,1) = (1,3).  The map is a bijection; its
 *  inverse is
 *
 *      f2{dim0: (0,2); dim1: (1,0) (0,1) -> register: 2, lane: 4}
 *
 *  for dim0 = 1 is lane 2, dim1 = 1 is register 1 and dim1 = 2 is lane 1.
 *
 *  An output whose size is no power of two adds modulo its size:
 *  f2{x: (1) (2) (4) -> y: 6} has 0 1 2 3 4 5 0 1.  That is a subset sum,
 *  linear neither over F2 nor over the integers.  Such a layout is of the kind
 *  modular; of the operations here product, concat, sublayout, transpose and
 *  what renames take it, the others answer ZLAY_EINVAL.
 *
 *  Inputs and outputs have 64 bits at most each, and each are 64 at most.  A
 *  domain of 64 bits has the size UINT64_MAX in zlay_layout_size, which is one
 *  less than its points; zlay_layout_eval takes every index of it.  Such layouts
 *  compose, are decided and coalesce as matrices.  What needs strides or pieces
 *  is ZLAY_EOVERFLOW: an extent there is below 2^63, and points are counted in
 *  64 bits, so an input of 63 bits, or 64 bits of inputs, has no lift.
 *
 *  All makers: *out is NULL unless the status is ZLAY_OK; besides what each
 *  names they answer ZLAY_ENOMEM, ZLAY_ELIMIT (limits.dims), ZLAY_EOVERFLOW
 *  (more than 64 bits) and ZLAY_EINVAL (a NULL, a layout that is no F2 layout,
 *  a name that is there twice or not at all).
 */
#ifndef ZLAY_F2_H
#define ZLAY_F2_H

#include <zlay/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A named dimension. */
typedef struct zlay_dim {
    char name[72];  /* at most 64 letters, digits and _, 0 behind them */
    uint64_t size;  /* points; 0 means 2^64 */
} zlay_dim;

/** What an F2 layout is made of. */
typedef struct zlay_f2_bases {
    uint32_t size;         /* sizeof(zlay_f2_bases) */
    uint32_t reserved;     /* 0 */
    size_t ins, outs;
    const zlay_dim *in;    /* sizes are powers of two */
    const zlay_dim *out;   /* a size that is no power of two adds modulo it */
    const uint64_t *basis; /* a row of `outs` values for each bit of the index,
                              the first input's lowest bit first */
} zlay_f2_bases;

/* ---- makers -------------------------------------------------------------- */

/** Make an F2 layout from its bases.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL also for a basis that is not below the size of
 *           its output.
 */
ZLAY_API zlay_status zlay_f2_new(zlay_ctx *ctx, zlay_layout **out, const zlay_f2_bases *bases);

/** Make x -> stride x from one input to one output: 1 is Triton's identity1D,
 *  0 its zeros1D, else its strided1D.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL also for a stride that is neither 0 nor a
 *           power of two, and for an output too small.
 */
ZLAY_API zlay_status zlay_f2_strided(zlay_ctx *ctx, zlay_layout **out, const zlay_dim *in,
                                     const zlay_dim *to, uint64_t stride);

/** Any layout as an F2 layout of the same function, as zlay_layout_lower, over
 *  outputs out0, out1, ... of given sizes.  A layout of another number of
 *  outputs is taken by its flat value, cut into these sizes, the first low.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE it is not F2-linear, the message has an extent,
 *           an index without value or two indices that show it, or its values
 *           do not fit the sizes; ZLAY_ELIMIT that is decided by points, and
 *           they are more than limits.points; ZLAY_ENOTSUP it has parameters.
 *  In:      sizes  `count` powers of two, 0 meaning 2^64; none: the least that
 *                  hold the values, an output each.
 */
ZLAY_API zlay_status zlay_f2_lower(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                   const uint64_t *sizes, size_t count);

/* ---- what a layout has --------------------------------------------------- */

/** Input dimensions of an F2 layout; 0 for anything else. */
ZLAY_API size_t zlay_f2_in_count(const zlay_layout *layout);

/** The i-th input and output dimension.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL there is none.
 *  Pure.
 */
ZLAY_API zlay_status zlay_f2_in_nth(zlay_dim *out, const zlay_layout *layout, size_t i);
ZLAY_API zlay_status zlay_f2_out_nth(zlay_dim *out, const zlay_layout *layout, size_t i);

/** Bits of the index of an F2 layout; 0 for anything else. */
ZLAY_API uint32_t zlay_f2_bits(const zlay_layout *layout);

/** The image of 2^bit.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL no such bit, or room < zlay_layout_out_count.
 *  Out:     values  one an output.
 *  Pure.
 */
ZLAY_API zlay_status zlay_f2_basis(uint64_t *values, size_t room, const zlay_layout *layout,
                                   uint32_t bit);

/** The rank of the matrix: the image has 2^rank points.  With rank equal to
 *  the bits of the outputs the layout is onto, to those of the inputs one to
 *  one.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL not f2, or modular.
 *  Pure.
 */
ZLAY_API zlay_status zlay_f2_rank(uint32_t *out, const zlay_layout *layout);

/** The bits of each input that change nothing which the bits before them do
 *  not: the free variables of the reduced row echelon form.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL not f2, modular, or room < zlay_f2_in_count.
 *  Out:     masks  one an input.
 *  Pure.
 */
ZLAY_API zlay_status zlay_f2_free_variable_masks(uint64_t *masks, size_t room,
                                                 const zlay_layout *layout);

/** How many inputs, from 0 on, go to outputs of the same number, so that all
 *  inputs come and go in such runs (getNumConsecutiveInOut).
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL not f2, or modular.
 *  Pure.
 */
ZLAY_API zlay_status zlay_f2_num_consecutive(uint64_t *out, const zlay_layout *layout);

/* ---- composition and inverses -------------------------------------------- */

/** x -> outer(inner(x)), the outputs of `inner` and the inputs of `outer`
 *  matched by name; in whatever order they stand.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE a value of `inner` leaves `outer`, the message
 *           has it; ZLAY_EINVAL the names are not the same.
 */
ZLAY_API zlay_status zlay_f2_composition(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *outer,
                                         const zlay_layout *inner);

/** The inverse of a bijection.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE it is none: the message has two indices of one
 *           value, or a value not reached.
 */
ZLAY_API zlay_status zlay_f2_invert(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);

/** A right inverse of a layout that is onto: free variables are 0.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE a value is not reached, the message has it.
 */
ZLAY_API zlay_status zlay_f2_pseudoinvert(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);

/** C with outer(C(x)) = self(x).  An input that both have, with the same bases,
 *  goes to itself; the rest is solved as zlay_f2_lstsq does.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE `self` reaches what `outer` does not, the
 *           message has it; ZLAY_EINVAL the outputs are not of the same names.
 */
ZLAY_API zlay_status zlay_f2_inverse_composition(zlay_ctx *ctx, zlay_layout **out,
                                                 const zlay_layout *outer, const zlay_layout *self);

/** X with a(X(x)) = b(x): the solution of the reduced row echelon form, columns
 *  in input order, minor first, with free variables 0.
 *
 *  Returns: as zlay_f2_inverse_composition.
 */
ZLAY_API zlay_status zlay_f2_lstsq(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                   const zlay_layout *b);

/* ---- products and quotients ---------------------------------------------- */

/** The product, `inner` minor: dimensions of one name are joined, the bits of
 *  `inner` below those of `outer`.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL dimensions common to both stand in another
 *           order; ZLAY_NONE an output that both have has a size that is no
 *           power of two, and the product is no sum of bases there: the message
 *           has two indices that show it.
 */
ZLAY_API zlay_status zlay_f2_product(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *inner,
                                     const zlay_layout *outer);

/** c with b * c = a, in the dimensions of a.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE there is no such c, the message has a dimension
 *           or a basis that shows it.
 */
ZLAY_API zlay_status zlay_f2_divide_left(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                         const zlay_layout *b);

/** c with c * b = a, in the dimensions of a.
 *
 *  Returns: as zlay_f2_divide_left.
 */
ZLAY_API zlay_status zlay_f2_divide_right(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                          const zlay_layout *b);

/** a without dimensions on which it is the identity, and which act on no other.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE it is not so there, the message says where.
 *  In:      names  `count` of them, inputs and outputs of a.
 */
ZLAY_API zlay_status zlay_f2_quotient(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                      const char *const *names, size_t count);

/* ---- shapes --------------------------------------------------------------- */

/** The inputs, or outputs, in another order.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL the names are not those of a, each once.
 */
ZLAY_API zlay_status zlay_f2_transpose_ins(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                           const char *const *names, size_t count);
ZLAY_API zlay_status zlay_f2_transpose_outs(zlay_ctx *ctx, zlay_layout **out,
                                            const zlay_layout *a, const char *const *names,
                                            size_t count);

/** Other dimensions over the same bits, the first minor; one dimension flattens.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL the sizes have another product, or are no
 *           powers of two.
 */
ZLAY_API zlay_status zlay_f2_reshape_ins(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                         const zlay_dim *dims, size_t count);
ZLAY_API zlay_status zlay_f2_reshape_outs(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                          const zlay_dim *dims, size_t count);

/** a(x) ^ b(y): the inputs of both, over outputs that are the same.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL outputs that differ, an input that both have.
 */
ZLAY_API zlay_status zlay_f2_concat_ins(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                        const zlay_layout *b);

/** (a(x), b(x)): the outputs of both, over inputs that are the same.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL inputs that differ, an output that both have.
 */
ZLAY_API zlay_status zlay_f2_concat_outs(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                         const zlay_layout *b);

/** Some inputs, the others 0, and some outputs; each in the order of a.
 *  Returns ZLAY_OK; ZLAY_EINVAL a name that a has not; ZLAY_ENOMEM. */
ZLAY_API zlay_status zlay_f2_sublayout(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                       const char *const *ins, size_t in_count,
                                       const char *const *outs, size_t out_count);

/** An input of another size: bits that are added change nothing, bits that are
 *  taken away are the highest.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL no such dimension, a size that is no power of
 *           two, or more bits than there may be; ZLAY_ENOMEM.
 */
ZLAY_API zlay_status zlay_f2_resize_in(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                       const zlay_dim *dim);

/** An output of a smaller size: a basis that is not below it becomes 0, as
 *  Triton's resizeOutDim; of a greater size: nothing else changes.
 *
 *  Returns: as zlay_f2_resize_in.
 */
ZLAY_API zlay_status zlay_f2_resize_out(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                        const zlay_dim *dim);

/** An input, or output, by another name.  Returns ZLAY_OK; ZLAY_EINVAL no such
 *  dimension, or a name that is none or is there; ZLAY_ENOMEM. */
ZLAY_API zlay_status zlay_f2_rename_in(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                       const char *name, const char *by);
ZLAY_API zlay_status zlay_f2_rename_out(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                        const char *name, const char *by);

/** An input without the bits whose basis is 0.  Returns ZLAY_OK; ZLAY_EINVAL no
 *  such dimension; ZLAY_ENOMEM. */
ZLAY_API zlay_status zlay_f2_remove_zero_bases(zlay_ctx *ctx, zlay_layout **out,
                                               const zlay_layout *a, const char *name);

#ifdef __cplusplus
}
#endif
#endif
