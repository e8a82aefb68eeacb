/* SPDX-License-Identifier: Apache-2.0 */
/* The values behind zlay_device and zlay_kernel. */
#ifndef ZL_RUNTIME_H
#define ZL_RUNTIME_H

#include "runtime/driver.h"
#include <zlay/runtime.h>

enum { ZL_MAP_BYTES = 128, ZL_MAP_ALIGN = 128 }; /* of a CUtensorMap */

struct zlay_device {
    zlay_allocator alloc;
    zl_driver driver;
    int number; /* CUdevice */
    struct CUctx_st *context;
    zlay_device_info info;
};

/* zlay_device_open with another library in the driver's place. */
zlay_status zl_device_open_path(zlay_ctx *ctx, zlay_device **out, int32_t ordinal,
                                const char *path);

/* Enter a public call on a device: the ctx is taken and the device's context made current; leave
 * undoes both and passes `status` on. */
zlay_status zl_device_enter(zlay_ctx *ctx, const zlay_device *device);
zlay_status zl_device_leave(zlay_ctx *ctx, const zlay_device *device, zlay_status status);

/* Encode inside an entered call; `out` has ZL_MAP_BYTES, touched only on success. */
zlay_status zl_encode(zlay_ctx *ctx, const zlay_device *device, void *out,
                      const zlay_tensormap *map);

#endif
