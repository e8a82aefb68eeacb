/* SPDX-License-Identifier: Apache-2.0 */
/* A libcuda.so.1 with a device, for zlay-bench: it encodes tensor maps where a context is current, by zlay's own packing. It
 * refuses all where FAKE_REFUSES is set, and has no context to make current where FAKE_NO_CONTEXT is. The other functions of
 * src/runtime/cuda.def do nothing and succeed; tests/checks/cli.sh writes their names to plain.def, a row PLAIN(name) each. */
#include <stdint.h>
#include <stdlib.h>
#include <zlay/zlay.h>

enum { INVALID = 1, NO_CONTEXT = 201 };

#define PLAIN(symbol)                                                                              \
    int symbol(void);                                                                              \
    int symbol(void) { return 0; }
#include "plain.def"

static int depth;

int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = &depth;
    return device != 0;
}

int cuCtxPushCurrent_v2(void *context);
int cuCtxPushCurrent_v2(void *context)
{
    if (context != &depth || getenv("FAKE_NO_CONTEXT")) return NO_CONTEXT;
    depth++;
    return 0;
}

int cuCtxPopCurrent_v2(void **context);
int cuCtxPopCurrent_v2(void **context)
{
    *context = &depth;
    return depth-- ? 0 : NO_CONTEXT;
}

int cuTensorMapEncodeTiled(void *out, int type, unsigned rank, void *address, const uint64_t *extent, const uint64_t *stride,
                           const uint32_t *box, const uint32_t *step, int interleave, int swizzle, int l2, int oob);
int cuTensorMapEncodeTiled(void *out, int type, unsigned rank, void *address, const uint64_t *extent, const uint64_t *stride,
                           const uint32_t *box, const uint32_t *step, int interleave, int swizzle, int l2, int oob)
{
    zlay_tensormap map = {.type = type, .rank = rank, .address = (uintptr_t)address, .interleave = interleave, .swizzle = swizzle,
                          .l2 = l2, .oob = oob};
    const zlay_target *target;
    if (!depth) return NO_CONTEXT;
    for (unsigned i = 0; i < rank; i++) {
        map.extent[i] = extent[i], map.box[i] = box[i], map.step[i] = step[i];
        if (i) map.stride[i - 1] = stride[i - 1];
    }
    if (getenv("FAKE_REFUSES") || zlay_target_find(&target, "sm_90a", 6)) return INVALID;
    return zlay_tensormap_pack(out, target, &map) ? INVALID : 0;
}
