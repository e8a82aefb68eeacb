/* SPDX-License-Identifier: Apache-2.0 */
/* The one block of memory that an integer matrix is: entries of 64 bits, or a sign and limbs each
 * where a number is longer. */
#include "algebra/integer/alone.h"

#include <string.h>

zlay_status zl_zmat_block(zlay_ctx *ctx, zlay_zmat **out, size_t rows, size_t cols, size_t limbs)
{
    size_t words = rows * cols * (limbs + 1), bytes = sizeof(zlay_zmat) + words * sizeof(uint64_t);
    zlay_zmat *a = zl_alloc(ctx, bytes, 1);
    if (!a) return ZLAY_ENOMEM;
    *a = (zlay_zmat){zl_allocator(ctx), bytes, rows, cols, limbs, NULL, NULL};
    if (limbs) a->big = (uint64_t *)(void *)(a + 1);
    else a->small = (int64_t *)(void *)(a + 1);
    *out = a;
    return ZLAY_OK;
}

/* The limbs of the longest number; 0 where all are entries of 64 bits. */
static size_t limbs_needed(const uint64_t *at, const bool *negative, size_t count, size_t n)
{
    size_t limbs = 0;
    for (size_t i = 0; i < count; i++, at += n) {
        size_t used = zl_big_used(at, n);
        if (used > limbs && (used > 1 || at[0] > (uint64_t)INT64_MAX + (negative && negative[i])))
            limbs = used;
    }
    return limbs;
}

zlay_status zl_zmat_of_numbers(zlay_ctx *ctx, zlay_zmat **out, size_t rows, size_t cols,
                               const uint64_t *at, const bool *negative, size_t n)
{
    size_t count = rows * cols, limbs = limbs_needed(at, negative, count, n);
    zlay_status status = zl_zmat_block(ctx, out, rows, cols, limbs);
    for (size_t i = 0; i < count && !status; i++, at += n) {
        bool minus = negative && negative[i];
        if (!limbs) {
            (*out)->small[i] = (int64_t)(minus ? 0 - at[0] : at[0]);
            continue;
        }
        uint64_t *to = (*out)->big + i * (limbs + 1);
        to[0] = minus;
        memcpy(to + 1, at, limbs * sizeof *at);
    }
    return status;
}

void zlay_zmat_free(zlay_zmat *a)
{
    if (!a) return;
    zlay_allocator alloc = a->alloc;
    zl_free(&alloc, a, a->bytes);
}
