/* SPDX-License-Identifier: Apache-2.0 */
/* Another shared object that stands before a function: it asks for the next one behind itself. With OF_DRIVER it stands before
 * the driver's call too, and says so. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <unistd.h>

typedef int tiled_function(void *, int, unsigned, void *, const uint64_t *, const uint64_t *, const uint32_t *, const uint32_t *, int, int, int, int);

/* 1 and what lies behind: the driver's gives 10. A dlsym that takes another for its caller finds this one again. */
__attribute__((visibility("default"))) int fake_probe(void);
int fake_probe(void)
{
    static int depth;
    int (*next)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_NEXT, "fake_probe");
    return next && !depth++ ? 1 + next() : 1000;
}

#ifdef OF_DRIVER
__attribute__((visibility("default"))) tiled_function cuTensorMapEncodeTiled;
int cuTensorMapEncodeTiled(void *out, int type, unsigned rank, void *address, const uint64_t *extent, const uint64_t *stride,
                           const uint32_t *box, const uint32_t *step, int interleave, int swizzle, int l2, int oob)
{
    tiled_function *next = (tiled_function *)(uintptr_t)dlsym(RTLD_NEXT, "cuTensorMapEncodeTiled");
    if (write(1, "shim ", 5) != 5 || !next) return 99;
    return next(out, type, rank, address, extent, stride, box, step, interleave, swizzle, l2, oob);
}
#endif
