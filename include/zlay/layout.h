/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/layout.h - layouts: exact functions from integer coordinates to
 *  integers.
 *
 *  A worked example.  (4,(2,2)):(2,(1,8)) has the box 4 x (2 x 2), 16 points.
 *  Index 6 is the colexicographic coordinate (2,(1,0)), for 6 = 2 + 4*1 + 8*0,
 *  and its value is 2*2 + 1*1 + 8*0 = 5.  All values, index 0 first:
 *
 *      0 2 4 6  1 3 5 7  8 10 12 14  9 11 13 15
 *
 *  so the layout is a bijection onto [0, 16).  Swizzled by Sw<1,0,3>, which
 *  flips bit 0 where bit 3 is set, the last eight become
 *  9 11 13 15  8 10 12 14.  Both are also F2-linear: as text the first is
 *  f2{in0: (2) (4); in1: (1) (8) -> out0: 16}.
 *
 *  The text grammar, the same everywhere; parse(print(x)) == x:
 *    strided   (8,(2,4)):(1,(64,8))     7 o 8:-1     8   (compact)     _8 is 8
 *    swizzled  Sw<B,M,S> o OFFSET o SHAPE:STRIDE     value: Sw(offset + layout)
 *              Sw<B,M,S> o smem_ptr[Nb](unset) o ..., as CuTe prints it, is the
 *              same with M - log2(N / 8)
 *    f2        f2{register: (0,1) (0,2); lane: (0,4) (1,0) -> dim0: 2, dim1: 8}
 *              at most 64 bits in and out; an output size that is no power of
 *              two adds modulo it, which makes the layout modular: zlay/f2.h
 *    pieces    { [i] -> [2i] : 0 <= i < 3; [i] -> [i mod 2] : 3 <= i < 5 }
 *              isl's notation, docs/isl-text.md; the values are 0 2 4 1 0.  The
 *              box is the hull of the domain, its least corner coordinate 0
 *
 *  Past its box a strided or swizzled layout goes on as CuTe's do: the last
 *  mode has no bound, -v has the mirrored coordinate of v, and a swizzle acts
 *  on every integer.  An f2 layout ends at its box.
 */
#ifndef ZLAY_LAYOUT_H
#define ZLAY_LAYOUT_H

#include <zlay/base.h>
#include <zlay/facts.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An immutable layout; read by any thread. */
typedef struct zlay_layout zlay_layout;

/** Kinds, cheapest first. */
enum {
    ZLAY_LAYOUT_STRIDED = 1,
    ZLAY_LAYOUT_SWIZZLED,
    ZLAY_LAYOUT_F2,
    ZLAY_LAYOUT_MODULAR, /* f2 with output sizes that are no power of two */
    ZLAY_LAYOUT_PIECES,  /* guarded quasi-affine pieces */
    ZLAY_LAYOUT_SYMBOLIC /* strides that are products of names: zlay/symbol.h */
};

/** Read a layout from its text.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL (the message names the byte), ZLAY_ELIMIT,
 *           ZLAY_EOVERFLOW (a value or the size does not fit 64 bits),
 * *           ZLAY_ENOMEM.
 *  Out:     out   the layout; free it with zlay_layout_free.
 *  In:      text  `length` bytes, no final 0 needed.
 */
ZLAY_API zlay_status zlay_layout_parse(zlay_ctx *ctx, zlay_layout **out, const char *text,
                                       size_t length);

/** Read a layout from another system's text; zlay's own is read too.
 *
 *    Triton  what LinearLayout prints (" - register=1 -> (0, 1) ... where out
 *            dims are: [dim0 (size 2), ...]"), and #ttg.linear<{register =
 *            [[0, 1]], ...}>, whose output sizes are the least that hold its
 *            bases
 *    MLIR    memref<8x64xf32>, row-major; memref<8x64xf32, strided<[64, 1],
 *            offset: 7>>; memref<8x64xf32, affine_map<(d0, d1) -> (...)>>
 *    CuTe    what it prints, as zlay_layout_parse
 *
 *  Returns: as zlay_layout_parse; ZLAY_EINVAL also for a size that is unknown.
 */
ZLAY_API zlay_status zlay_layout_import(zlay_ctx *ctx, zlay_layout **out, const char *text,
                                        size_t length);

/** Make the strided layout offset o (shape...):(stride...) of `rank` flat
 *  modes, the first fastest.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL (an extent below 1), ZLAY_EOVERFLOW,
 *           ZLAY_ELIMIT, ZLAY_ENOMEM.
 *  In:      shape, stride  `rank` entries each.
 */
ZLAY_API zlay_status zlay_layout_new_strided(zlay_ctx *ctx, zlay_layout **out, size_t rank,
                                             const int64_t *shape, const int64_t *stride,
                                             int64_t offset);

/** Make Sw<bits,base,shift> o a of a strided layout: `bits` bits from position
 *  base + shift are XORed onto those from position base (shift < 0: the other
 *  way).
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL (bits + base + |shift| > 62, |shift| < bits, a
 *           swizzled already).
 */
ZLAY_API zlay_status zlay_layout_new_swizzled(zlay_ctx *ctx, zlay_layout **out, int32_t bits,
                                              int32_t base, int32_t shift, const zlay_layout *a);

/** One piece of zlay_layout_new_pieces: x -> a x + b where all its guards hold. */
typedef struct zlay_piece {
    const int64_t *a;         /* a row of `dims` entries for each output */
    const int64_t *b;         /* an entry for each output */
    const char *const *guard; /* conditions in isl's words over x0, x1, ... */
    size_t guards;            /* 0: everywhere */
} zlay_piece;

/** Make the layout that has the value of the first piece whose guards hold, and
 *  no value where none does.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL (a guard does not read: the message has its
 *           byte; an extent of 0), ZLAY_EOVERFLOW, ZLAY_ELIMIT, ZLAY_ENOMEM.
 *  In:      box    `dims` extents, the first coordinate fastest.
 *           outs   outputs, at least 1.
 *           piece  `count` of them, at least 1.
 */
ZLAY_API zlay_status zlay_layout_new_pieces(zlay_ctx *ctx, zlay_layout **out, size_t dims,
                                            const uint64_t *box, size_t outs, size_t count,
                                            const zlay_piece *piece);

/** Free a layout; NULL is allowed. */
ZLAY_API void zlay_layout_free(zlay_layout *layout);

/** Print the canonical text of a layout.
 *
 *  Returns: ZLAY_OK; ZLAY_EROOM, with `need` set; ZLAY_EINVAL.
 */
ZLAY_API zlay_status zlay_layout_print(zlay_buf *out, const zlay_layout *layout);

/** ZLAY_LAYOUT_* of the layout as written; 0 for NULL. */
ZLAY_API int32_t zlay_layout_kind(const zlay_layout *layout);

/** Points of the box; 0 for NULL. */
ZLAY_API uint64_t zlay_layout_size(const zlay_layout *layout);

/** The box: the extents of the top-level modes or input dimensions.
 *
 *  Returns: how many there are; 0 for NULL.
 *  Out:     extents  the first `room` of them; 0: it depends on parameters.
 */
ZLAY_API size_t zlay_layout_box(uint64_t *extents, size_t room, const zlay_layout *layout);

/** 1 + the greatest value - min(0, the least value); several outputs are
 *  flattened colexicographically, the first minor.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL, ZLAY_EOVERFLOW, ZLAY_ELIMIT (more points than
 *           limits.points).
 */
ZLAY_API zlay_status zlay_layout_cosize(zlay_ctx *ctx, uint64_t *out, const zlay_layout *layout);

/** Output dimensions: 1, or those of an f2 layout; 0 for NULL. */
ZLAY_API size_t zlay_layout_out_count(const zlay_layout *layout);

/** The name of the i-th parameter, as N of `[N] -> { [i] -> [i + N] : ... }`.
 *
 *  Returns: the name, which lives as long as the layout; NULL past the last.
 */
ZLAY_API const char *zlay_layout_param_nth(const zlay_layout *layout, size_t i);

/** Put numbers in the place of parameters.  An extent that was not known
 *  before is then that of the domain, whose least corner is coordinate 0.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL no parameter has that name, a name comes
 *           twice, or the domain is empty or unbounded for these numbers;
 *           ZLAY_EOVERFLOW, ZLAY_ELIMIT, ZLAY_ENOMEM.
 *  Out:     out    the layout, with the parameters that were not named.
 *  In:      count  entries of `name` and of `value`; 0 gives a copy.
 */
ZLAY_API zlay_status zlay_layout_bind(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                      size_t count, const char *const *name, const int64_t *value);

/** Evaluate a layout at a colexicographic index.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the layout is undefined there; ZLAY_EINVAL a
 *           NULL, an index outside [0, size), room < outs, parameters.
 *  Out:     values  zlay_layout_out_count(layout) integers.
 *  Pure.
 */
ZLAY_API zlay_status zlay_layout_eval(int64_t *values, size_t room, const zlay_layout *layout,
                                      uint64_t index);

/** Evaluate a layout at many colexicographic indices, without a division a point.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, an index outside [0, size), a layout that
 *           depends on parameters, or `there` is NULL and the layout may be
 *           undefined somewhere.
 *  Out:     values  zlay_layout_out_count(layout) integers a point; 0 where undefined.
 *           there   1 a defined point, 0 an undefined one; NULL: not asked.
 *  In:      index   `count` indices; NULL for first, first + 1, ..., which is
 *                   faster still.
 *  Pure.
 */
ZLAY_API zlay_status zlay_layout_eval_many(int64_t *values, uint8_t *there,
                                           const zlay_layout *layout, const uint64_t *index,
                                           uint64_t first, size_t count);

/** The index of a coordinate given as text, as "(1,(0,2))" or "[1,[0,2]]", in
 *  the layout's own profile; an integer stands for a nested mode by its index.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL (the message says where), ZLAY_EOVERFLOW,
 *           ZLAY_ELIMIT, ZLAY_ENOMEM.
 */
ZLAY_API zlay_status zlay_layout_index(zlay_ctx *ctx, uint64_t *out, const zlay_layout *layout,
                                       const char *coordinate, size_t length);

/** The layout x -> a(b(x)) on the box of b.
 *
 *  Where CuTe's composition is defined and is that function, it has CuTe's
 *  form; elsewhere the cheapest kind that is equal.  CuTe's form is given only
 *  when no sum of strides carries, or when every point was compared.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE b leaves the box of an a that ends at its box
 *           (f2, modular, pieces), the message has the first such x;
 *           ZLAY_ELIMIT it needs more than limits.pieces pieces, or 256
 *           variables; ZLAY_EOVERFLOW, ZLAY_ENOMEM, ZLAY_EINVAL.
 */
ZLAY_API zlay_status zlay_layout_compose(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                         const zlay_layout *b);

/** The same function in the fewest flat modes, as CuTe's coalesce; of a kind
 *  without modes the function of its index, one dimension.
 *
 *  Returns: ZLAY_OK, ZLAY_ELIMIT, ZLAY_EOVERFLOW, ZLAY_ENOMEM, ZLAY_EINVAL.
 */
ZLAY_API zlay_status zlay_layout_coalesce(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);

/** What b lacks to be compact up to `cotarget` values: CuTe's complement where
 *  CuTe has one.  Elsewhere the layout c, rising from 0, for which the sums
 *  b(i) + c(j) reach every integer below the cotarget, and none twice.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE b overlaps itself, the message has two indices of
 *           one value; has a negative value or none that is 0; or no shifts of
 *           it fill the gaps, as of (3,2):(2,3), the message shows where they
 *           collide; ZLAY_EINVAL, ZLAY_EOVERFLOW, ZLAY_ELIMIT, ZLAY_ENOMEM.
 *  In:      b  modes of stride 0 are no overlap: CuTe's filter drops them.
 */
ZLAY_API zlay_status zlay_layout_complement(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *b,
                                            uint64_t cotarget);

/** Where two layouts differ. */
typedef struct zlay_witness {
    uint64_t index;          /* the first where they differ, in both boxes */
    int64_t a, b;            /* the two values, flattened to one integer each */
    int32_t has_a, has_b;    /* 0: that side is undefined there, and its value 0 */
    uint64_t size_a, size_b; /* the sizes; where they differ, index, a and b are 0 */
} zlay_witness;

/** Decide whether two layouts have the same size and the same value at every
 *  index.
 *
 *  Returns: ZLAY_OK the question is answered (also ZLAY_UNDECIDED);
 *           ZLAY_EINVAL; ZLAY_ENOMEM.
 *  Out:     answer   ZLAY_YES, ZLAY_NO, or ZLAY_UNDECIDED with the limit in the
 *                    message.
 *           witness  written with ZLAY_NO; NULL: not asked.
 */
ZLAY_API zlay_status zlay_layout_equal(zlay_ctx *ctx, zlay_answer *answer, zlay_witness *witness,
                                       const zlay_layout *a, const zlay_layout *b);

/** The f2 layout of the same function: one input dimension a top-level mode
 *  (in0, in1, ...), each output (out0, ...) of the least power of two above its
 *  greatest value; an f2 or modular layout keeps its names.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE it is not F2-linear: the message has an extent
 *           that is no power of two, two indices i, j with value(i ^ j) !=
 *           value(i) ^ value(j), an index without value or of a negative one;
 *           ZLAY_ELIMIT a layout without strides of more than limits.points
 *           points; ZLAY_ENOTSUP it has parameters.
 */
ZLAY_API zlay_status zlay_layout_lower(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);

/** What zlay_layout_vector_width asks for. */
typedef struct zlay_vector_request {
    uint32_t size;        /* sizeof(zlay_vector_request) */
    uint32_t elem_bytes;  /* bytes of an element, 1 or more */
    uint64_t base_align;  /* bytes that the address of value 0 is a multiple of */
    uint64_t widths;      /* bit w: there is an access of w bytes; 0: 1, 2, 4, 8, 16 */
    const uint32_t *path; /* the mode: its top-level index, then indices inside */
    uint64_t depth;       /* entries of path; 0: the whole layout as one mode */
} zlay_vector_request;

/** The widest access along a mode: the greatest w of `widths` such that at every
 *  coordinate of the other modes and every coordinate of the mode that is a
 *  multiple of w / elem_bytes, the next w / elem_bytes values are consecutive and
 *  the first lies at a multiple of w bytes.  Groups without any value count not.
 *  Where the layout has parameters, for all their values that the facts allow; of
 *  a symbolic layout the widest that divisibility proves.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no width does, the message has the reason;
 *           ZLAY_EINVAL; ZLAY_ENOTSUP pieces with parameters that are more than
 *           one affine form on a box; ZLAY_ELIMIT no closed form decides and it
 *           has more than limits.points points; ZLAY_ENOMEM.
 *  Out:     out    bytes.
 *  In:      facts  of parameters; NULL: nothing is known.
 */
ZLAY_API zlay_status zlay_layout_vector_width(zlay_ctx *ctx, uint64_t *out,
                                              const zlay_layout *layout,
                                              const zlay_vector_request *request,
                                              const zlay_facts *facts);

#ifdef __cplusplus
}
#endif
#endif
