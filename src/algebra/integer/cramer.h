/* SPDX-License-Identifier: Apache-2.0 */
/* The rank profile of a matrix of 64-bit integers, the determinant d of one of its largest minors
 * that is not 0, and d A^-1 b for some columns b: exactly, by elimination modulo primes below 2^61
 * and the Chinese remainder theorem (Garner's mixed radix).  As many primes are taken as
 * Hadamard's bound asks for, so that what is 0 modulo all of them is 0. */
#ifndef ZL_ALGEBRA_CRAMER_H
#define ZL_ALGEBRA_CRAMER_H

#include "algebra/integer/big.h"
#include "base/base.h"

enum { ZL_CRAMER_SIDE = 64 };

/* A number: its magnitude in `limbs` limbs at `at`. */
typedef struct zl_number {
    const uint64_t *at;
    bool negative;
} zl_number;

typedef struct zl_cramer zl_cramer;

struct zl_cramer {
    zlay_ctx *ctx;
    const int64_t *a; /* rows x cols */
    size_t rows, cols;
    const int64_t *b; /* rows x more: columns that are no pivots; those of a that are none follow */
    size_t more;
    /* Fills b once rank, row and col are known; they may become others, and then it is called
     * again.  NULL: b is as it is.  Its entries are 0 to 15. */
    void (*pick)(const zl_cramer *c, int64_t *b);
    int64_t *picked; /* b, where there is a pick */
    bool small_only; /* ZLAY_EOVERFLOW where primes would be needed */
    size_t wanted; /* columns to be solved for at most: b's, then those of a that are no pivots */

    size_t rank, row[ZL_CRAMER_SIDE]; /* the rows of the minor, then the others */
    size_t col[ZL_CRAMER_SIDE]; /* its columns, which depend on none before, then the others */
    size_t solved, limbs;
    uint64_t *value; /* d, and rank numbers a solved column */
    bool *negative;
};

/* From ctx, a, rows, cols, b, more and wanted to the rest.  ZLAY_EOVERFLOW, without a message:
 * more primes would be needed than there are.  The numbers are working memory of the call. */
zlay_status zl_cramer_solve(zl_cramer *c);

/* The same without primes where the numbers allow it: memory is taken, with two limbs a number at
 * least, and `row` counts up; no minor of [a b] has more than `bits` bits with its sign and one to
 * spare, and none of one row less more than `less`. */
bool zl_cramer_small(zl_cramer *c, double bits, double less);

/* Up to `most` vectors of the kernel of the minor modulo a prime below 2^8, rank numbers each, and
 * their count; row, col and rank are known. */
size_t zl_cramer_kernel(uint8_t *out, const zl_cramer *c, unsigned p, bool left, size_t most);

static inline zl_number zl_cramer_det(const zl_cramer *c)
{
    return (zl_number){c->value, c->negative[0]};
}

/* Entry i of d A^-1 times the solved column j. */
static inline zl_number zl_cramer_at(const zl_cramer *c, size_t i, size_t j)
{
    size_t k = 1 + j * c->rank + i;
    return (zl_number){c->value + k * c->limbs, c->negative[k]};
}

#endif
