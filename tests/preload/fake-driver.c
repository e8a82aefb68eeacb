/* SPDX-License-Identifier: Apache-2.0 */
/* A libcuda.so.1 for programs that encode tensor maps: it refuses a stride that is no multiple of 16 bytes, as the real one,
 * and an address of 1 as if it had not been initialised; and gives its functions by cuGetProcAddress, in both forms.
 * Prototypes are written from cuda.h's manual. */
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { INVALID = 1, UNINITIALISED = 3, NOT_FOUND = 500 };

static int verdict(unsigned rank, const void *address, const uint64_t *stride)
{
    if ((uintptr_t)address == 1) return UNINITIALISED;
    for (unsigned i = 0; stride && i + 1 < rank && i < 4; i++)
        if (stride[i] % 16) return INVALID;
    return stride ? 0 : INVALID;
}

EXPORT int cuTensorMapEncodeTiled(void *out, int type, unsigned rank, void *address, const uint64_t *extent, const uint64_t *stride,
                                  const uint32_t *box, const uint32_t *step, int interleave, int swizzle, int l2, int oob);
int cuTensorMapEncodeTiled(void *out, int type, unsigned rank, void *address, const uint64_t *extent, const uint64_t *stride,
                           const uint32_t *box, const uint32_t *step, int interleave, int swizzle, int l2, int oob)
{
    memset(out, 0x5a, 128);
    return type == 9 && extent && box && step && !interleave && swizzle == 3 && l2 == 2 && !oob ? verdict(rank, address, stride) : INVALID;
}

EXPORT int cuTensorMapEncodeIm2col(void *out, int type, unsigned rank, void *address, const uint64_t *extent, const uint64_t *stride,
                                   const int *lower, const int *upper, unsigned channels, unsigned pixels, const uint32_t *step,
                                   int interleave, int swizzle, int l2, int oob);
int cuTensorMapEncodeIm2col(void *out, int type, unsigned rank, void *address, const uint64_t *extent, const uint64_t *stride,
                            const int *lower, const int *upper, unsigned channels, unsigned pixels, const uint32_t *step, int interleave,
                            int swizzle, int l2, int oob)
{
    (void)type, (void)extent, (void)lower, (void)upper, (void)channels, (void)step;
    memset(out, 0x5b, 128);
    return pixels == 32 && !interleave && swizzle == 3 && l2 == 2 && oob == 0 ? verdict(rank, address, stride) : 77;
}

EXPORT int cuTensorMapEncodeIm2colWide(void *out, int type, unsigned rank, void *address, const uint64_t *extent, const uint64_t *stride,
                                       int lower, int upper, unsigned channels, unsigned pixels, const uint32_t *step, int interleave,
                                       int mode, int swizzle, int l2, int oob);
int cuTensorMapEncodeIm2colWide(void *out, int type, unsigned rank, void *address, const uint64_t *extent, const uint64_t *stride,
                                int lower, int upper, unsigned channels, unsigned pixels, const uint32_t *step, int interleave, int mode,
                                int swizzle, int l2, int oob)
{
    (void)type, (void)extent, (void)lower, (void)upper, (void)channels, (void)step, (void)mode;
    memset(out, 0x5c, 128);
    return pixels == 32 && !interleave && swizzle == 3 && l2 == 2 && oob == 0 ? verdict(rank, address, stride) : 77;
}

EXPORT int cuCtxGetDevice(int *device);
int cuCtxGetDevice(int *device)
{
    *device = 5;
    return 0;
}

/* For examples/refused. */
EXPORT int cuInit(unsigned flags);
int cuInit(unsigned flags) { return flags != 0; }

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = context;
    return device != 0;
}

EXPORT int cuCtxSetCurrent(void *context);
int cuCtxSetCurrent(void *context) { return !context; }

/* For tests/preload/shim.c. */
EXPORT int fake_probe(void);
int fake_probe(void) { return 10; }

/* Capability 9.0. */
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = attribute == 75 ? 9 : 0;
    return device == 5 ? 0 : INVALID;
}

EXPORT int cuGetProcAddress(const char *name, void **found, int version, uint64_t flags);
EXPORT int cuGetProcAddress_v2(const char *name, void **found, int version, uint64_t flags, int *query);

#define FUNCTION(symbol) if (!strcmp(name, #symbol)) *found = (void *)(uintptr_t)symbol
static int lookup(const char *name, void **found, int version)
{
    *found = NULL;
    FUNCTION(cuTensorMapEncodeTiled);
    FUNCTION(cuTensorMapEncodeIm2col);
    FUNCTION(cuTensorMapEncodeIm2colWide);
    FUNCTION(cuCtxGetDevice);
    if (!strcmp(name, "cuGetProcAddress")) *found = version < 12000 ? (void *)(uintptr_t)cuGetProcAddress : (void *)(uintptr_t)cuGetProcAddress_v2;
    return *found ? 0 : NOT_FOUND;
}

int cuGetProcAddress(const char *name, void **found, int version, uint64_t flags) { return flags ? INVALID : lookup(name, found, version); }

int cuGetProcAddress_v2(const char *name, void **found, int version, uint64_t flags, int *query)
{
    const int result = flags ? INVALID : lookup(name, found, version);
    if (query) *query = result != 0;
    return result;
}
