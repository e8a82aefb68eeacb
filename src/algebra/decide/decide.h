/* SPDX-License-Identifier: Apache-2.0 */
/* What the deciders share: the question that each answers, F2 spans, the comparison of two layouts'
 * values, sets of values. */
#ifndef ZL_ALGEBRA_DECIDE_H
#define ZL_ALGEBRA_DECIDE_H

#include "algebra/image/sum.h"
#include <zlay/decide.h>

/* ---- questions ------------------------------------------------------------------- */

/* A question that the methods of a decider take in turn; each decider keeps its witness in a
 * struct of its own. */
typedef struct zl_question {
    zlay_ctx *ctx;
    const zlay_layout *a, *b;
    zlay_answer answer;
} zl_question;

/* Answer UNDECIDED: `name` of the limits is `limit` and `asked` were needed. */
zlay_status zl_decide_limit(zl_question *q, const char *name, uint64_t limit, uint64_t asked);

/* Say that a NO is proved and its witness may not be the least. */
zlay_status zl_decide_not_least(zlay_ctx *ctx);

/* Strided layouts of many modes: their search gave up, and isl's takes far longer. */
static inline bool zl_is_long(const zlay_layout *a) { return a->modes > 8; }

/* A layout as pieces, for the engine: itself, or *made, which the caller frees.  NULL where the
 * pieces would pass a limit or 64 bits. */
zlay_status zl_as_pieces(zlay_ctx *ctx, const zl_pieces **out, zlay_layout **made,
                         const zlay_layout *a);

/* The deciders inside a call; witnesses are never NULL, and written with ZLAY_NO. */
zlay_status zl_is_injective(zlay_ctx *ctx, zlay_answer *answer, uint64_t witness[2],
                            const zlay_layout *a);
zlay_status zl_injective_numbers(zlay_ctx *ctx, zlay_answer *answer, uint64_t witness[2],
                                 const zlay_layout *a); /* of a layout without unknown names */
zlay_status zl_is_surjective(zlay_ctx *ctx, zlay_answer *answer, uint64_t *missed,
                             const zlay_layout *a, const uint64_t *onto, size_t count);

/* Public deciders as parts of a call (zl_enter_part); witnesses may be NULL. */
zlay_status zl_layout_equal(zlay_ctx *ctx, zlay_answer *answer, zlay_witness *witness,
                            const zlay_layout *a, const zlay_layout *b);
zlay_status zl_layout_contained(zlay_ctx *ctx, zlay_answer *answer, uint64_t *witness,
                                const zlay_layout *a, const zlay_layout *b);
zlay_status zl_layout_is_injective(zlay_ctx *ctx, zlay_answer *answer, uint64_t witness[2],
                                   const zlay_layout *layout);
zlay_status zl_layout_is_bijective(zlay_ctx *ctx, zlay_answer *answer, zlay_fault *witness,
                                   const zlay_layout *layout);

/* ---- spans over F2 -------------------------------------------------------------------- */

typedef struct zl_f2_span {
    unsigned rank;
    uint64_t pivot[64]; /* pivot[p] has p as its highest bit, or is 0 ... */
    uint64_t from[64];  /* ... and is the XOR of these bases */
} zl_f2_span;

void zl_span_begin(zl_f2_span *s);

/* Add a vector made of the bases `from`; false when it was in the span: then *from is a set of
 * bases whose XOR is 0. */
bool zl_span_add(zl_f2_span *s, uint64_t vector, uint64_t *from);
bool zl_span_has(const zl_f2_span *s, uint64_t vector);
void zl_span_of(zl_f2_span *s, const zl_affine *a);

/* ---- values of two layouts, compared ----------------------------------------------------- */

/* Outputs that are no one integer: several, and one of them has no size. */
static inline bool zl_lacks_sizes(const zlay_layout *a)
{
    return a->pieces.outs > 1 && !zl_pieces_sized(&a->pieces);
}

/* How the outputs of two layouts compare: as integers where one has one output, as tuples where
 * both have as many, else never.  EINVAL where an integer is needed and outputs have no sizes.
 * A value is a word of 64 bits: an f2 layout's 2^63 is a strided layout's -2^63, as eval gives it.
 */
typedef enum zl_manner { ZL_AS_INTEGERS, ZL_AS_TUPLES, ZL_NEVER } zl_manner;
zlay_status zl_comparison(zlay_ctx *ctx, zl_manner *out, const zlay_layout *a,
                          const zlay_layout *b);

/* Both as affine maps over F2 whose values are equal bits exactly when the layouts' values are
 * equal. */
bool zl_affine_pair(zl_affine *a_map, zl_affine *b_map, zl_manner terms, const zlay_layout *a,
                    const zlay_layout *b);

/* ---- sets of values --------------------------------------------------------------------- */

/* The defined values of a layout's first `count` points, each with its first index: working memory
 * of the call. */
typedef struct zl_values {
    uint64_t slots; /* a power of two */
    struct {
        int64_t value;
        uint64_t index; /* of the point + 1; 0: free */
    } *at;
} zl_values;

zlay_status zl_values_new(zlay_ctx *ctx, zl_values *out, uint64_t count);

/* False when the value was there, and *index becomes that of its first point. */
bool zl_values_add(zl_values *v, int64_t value, uint64_t *index);
bool zl_values_has(const zl_values *v, int64_t value);

#endif
