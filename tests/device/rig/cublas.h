/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS by dlopen: the bf16 product that a user would call in the kernel's place. */
#ifndef CUBLAS_H
#define CUBLAS_H

#include <stdint.h>

typedef struct cublas {
    void *library, *handle;
    int version;
    int (*gemm)(void *handle, int trans_a, int trans_b, int m, int n, int k, const void *alpha,
                const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
                const void *beta, void *c, int c_type, int ldc, int compute, int algorithm);
    int (*destroy)(void *handle);
} cublas;

/* Load the library, from `path` or under its usual names, and make a handle on the current context.
 * Answers NULL, or what failed. */
const char *cublas_open(cublas *out, const char *path);
void cublas_close(cublas *c);

/* D = A B, A and D row-major, B column-major, dense; answers cuBLAS's status, 0 for done. */
int cublas_product(const cublas *c, uint64_t a, uint64_t b, uint64_t d, int m, int n, int k);

#endif
