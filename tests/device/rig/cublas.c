/* SPDX-License-Identifier: Apache-2.0 */
#include "cublas.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* Numbers of cublas_api.h and library_types.h. */
enum { OP_N = 0, OP_T = 1, R_16BF = 14, COMPUTE_32F = 68, ALGORITHM_DEFAULT = -1 };

static const char *function(void *library, const char *name, void *place)
{
    void *found = dlsym(library, name);
    memcpy(place, &found, sizeof found);
    return found ? NULL : name;
}

static const char *library_open(cublas *c, const char *path)
{
    const char *const names[] = {path, "libcublas.so.13", "libcublas.so.12"};
    for (size_t i = 0; !c->library && i < sizeof names / sizeof names[0]; i++)
        if (names[i]) c->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return c->library ? NULL : dlerror();
}

const char *cublas_open(cublas *out, const char *path)
{
    cublas c = {0};
    int (*create)(void **) = NULL;
    int (*version)(void *, int *) = NULL;
    const char *failed = library_open(&c, path);
    if (!failed) failed = function(c.library, "cublasCreate_v2", &create);
    if (!failed) failed = function(c.library, "cublasGetVersion_v2", &version);
    if (!failed) failed = function(c.library, "cublasGemmEx", &c.gemm);
    if (!failed) failed = function(c.library, "cublasDestroy_v2", &c.destroy);
    if (!failed && create(&c.handle)) failed = "cublasCreate_v2";
    if (!failed && version(c.handle, &c.version)) failed = "cublasGetVersion_v2";
    *out = c;
    return failed;
}

void cublas_close(cublas *c)
{
    if (c->handle) c->destroy(c->handle);
    c->handle = NULL;
}

/* cuBLAS is column-major: it is asked for D^T = B^T A^T, in which A^T, with k contiguous, lies as
 * it is and B is transposed. */
int cublas_product(const cublas *c, uint64_t a, uint64_t b, uint64_t d, int m, int n, int k)
{
    const float one = 1, zero = 0;
    return c->gemm(c->handle, OP_T, OP_N, n, m, k, &one, (const void *)(uintptr_t)b, R_16BF, k,
                   (const void *)(uintptr_t)a, R_16BF, k, &zero, (void *)(uintptr_t)d, R_16BF, n,
                   COMPUTE_32F, ALGORITHM_DEFAULT);
}
