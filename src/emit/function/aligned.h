/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the pointers of a function are as aligned as its accesses need, as a function beside it. */
#ifndef ZL_EMIT_FUNCTION_ALIGNED_H
#define ZL_EMIT_FUNCTION_ALIGNED_H

#include "base/base.h"

/* A parameter that is an address; in PTX a word of 64 bits or, of shared memory, of 32. */
typedef struct zl_aligned_pointer {
    const char *name;
    bool shared;
    uint32_t bytes; /* a power of two that its accesses need; 1: they need nothing */
} zl_aligned_pointer;

/* The function NAME_aligned of these parameters: true where each is a multiple of its bytes. Nothing
 * is printed where none needs more than 1. */
void zl_aligned_put(zl_text *out, int32_t language, const char *name, size_t length,
                    const zl_aligned_pointer *pointer, uint32_t count);

#endif
