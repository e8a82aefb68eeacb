/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/body.h - what threads compute between the events of a pipe.
 *
 *  A body is a straight-line program.  Its operands are a matrix whose elements
 *  lie in the registers of many threads, as sums of a product do; rows and
 *  columns, which have one value for each row or column of that matrix; scalars,
 *  which are arguments of the kernel; arrays in global memory and stages of
 *  shared memory, which it reads; and arrays to which it stores values of rows.
 *  By hand, for D = act(alpha * C + bias) in bf16:
 *
 *      body epilogue
 *        matrix C f32
 *        matrix D bf16
 *        scalar alpha f32
 *        global bias bf16
 *        index n
 *        x = fma(C, alpha, f32(load(bias, n + col)))
 *        D = bf16(max(x, 0))
 *      end
 *
 *  With C = 3, alpha = 0.5 and a bias of -2, x is -0.5 and D is 0.  Shapes
 *  follow from the operands: `col` is an element's column, so load(bias, n + col)
 *  is a column, and fma of a matrix, a scalar and a column is a matrix.
 */
#ifndef ZLAY_BODY_H
#define ZLAY_BODY_H

#include <zlay/base.h>
#include <zlay/layout.h>
#include <zlay/type.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An immutable body; read by any thread. */
typedef struct zlay_body zlay_body;

/** What an operand of a body is. */
enum {
    ZLAY_BODY_MATRIX = 1, /* an element for each row and column */
    ZLAY_BODY_ROW,        /* an element for each row, the same in all its lanes */
    ZLAY_BODY_COLUMN,     /* an element for each column */
    ZLAY_BODY_PART,       /* an element for each row and lane that has a part of it */
    ZLAY_BODY_SCALAR,     /* one value, an argument of the kernel */
    ZLAY_BODY_INDEX,      /* one s32, a position of the pipe */
    ZLAY_BODY_GLOBAL,     /* an array in global memory, which load() reads */
    ZLAY_BODY_SHARED,     /* a stage of shared memory, which load() reads: an element for
                             each row and column, row, or column */
    ZLAY_BODY_OUTPUT      /* an array in global memory, which store() writes and nothing reads */
};

/** An operand of a body. */
typedef struct zlay_body_operand {
    char name[72];
    int32_t sort;       /* ZLAY_BODY_* */
    int32_t type;       /* ZLAY_TYPE_*, of an element */
    uint32_t reads;     /* 1: the body reads the value it has before */
    uint32_t writes;    /* 1: the body gives it a new value */
} zlay_body_operand;

/** Read a body from its text.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, or the text is no body: the message
 *           names the line, what it lacks, and of an unknown name the nearest;
 *           ZLAY_ELIMIT limits.text, limits.nesting, or more than 32 operands,
 *           512 lines or 1024 operations; ZLAY_ENOMEM.
 *  Out:     out  is yours.
 */
ZLAY_API zlay_status zlay_body_parse(zlay_ctx *ctx, zlay_body **out, const char *text,
                                     size_t length);

/** Print a body: parsing the text gives an equal body.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL; ZLAY_EROOM (with `need`).
 */
ZLAY_API zlay_status zlay_body_print(zlay_buf *out, const zlay_body *body);

/** Free a body; NULL is allowed. */
ZLAY_API void zlay_body_free(zlay_body *body);

/** How many operands a body has; 0 for NULL.  Pure. */
ZLAY_API size_t zlay_body_operand_count(const zlay_body *body);

/** The i-th operand, in the order of the text.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL there is none, or a NULL.
 *  Pure.
 */
ZLAY_API zlay_status zlay_body_operand_nth(zlay_body_operand *out, const zlay_body *body,
                                           size_t i);

#ifdef __cplusplus
}
#endif
#endif
