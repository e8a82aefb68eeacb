/* SPDX-License-Identifier: Apache-2.0 */
/* A function on the points of a box, by its values, and an affine map over F2 read off it. */
#ifndef ZL_ALGEBRA_FUNCTION_H
#define ZL_ALGEBRA_FUNCTION_H

#include "algebra/layout/layout.h"

typedef struct zl_function {
    bool (*at)(const void *env, uint64_t index, int64_t *value); /* false: no value in 64 bits */
    const void *env;
    uint64_t size;
} zl_function;

/* Where a function is no strided layout of the box, and what it has there. */
typedef struct zl_break {
    uint64_t index;
    int64_t value;
    bool overflow;
} zl_break;

/* Read an affine map off a function; false with the break where it is none. */
bool zl_affine_of_function(zl_affine *out, const zl_function *f, zl_break *where);

#endif
