/* SPDX-License-Identifier: Apache-2.0 */
/* The values behind zlay_device, zlay_module and zlay_kernel, and the backend's table of
 * functions. */
#ifndef ZL_RUNTIME_H
#define ZL_RUNTIME_H

#include "runtime/driver.h"
#include "runtime/hip.h"
#include <zlay/runtime.h>
#include <zlay/plan.h>

enum { ZL_MAP_BYTES = 128, ZL_MAP_ALIGN = 128 }; /* of a CUtensorMap */
enum { ZL_ARGUMENTS = 64 }; /* of a kernel, whose places are known: fewer */

struct zl_backend;

struct zlay_device {
    zlay_allocator alloc;
    const struct zl_backend *backend;
    zl_driver driver; /* of CUDA */
    zl_hip hip;       /* of HIP */
    int number;       /* CUdevice, hipDevice_t */
    struct CUctx_st *context;
    zlay_device_summary info;
};

struct zlay_module {
    zlay_allocator alloc;
    zlay_device *device;
    void *handle, *function; /* CUmodule, CUfunction; hipModule_t, hipFunction_t */
    size_t arguments;        /* of CUDA, whose places the driver tells; 0: it tells none */
    size_t place[ZL_ARGUMENTS], argument_bytes; /* in packed arguments; of all of them */
};

/* Runs something once, between two events. */
typedef zlay_status zl_timed(zlay_ctx *ctx, void *user);

/* What CUDA and HIP do each in their way.  But for open, start, close, enter and free, inside an
 * entered call. */
typedef struct zl_backend {
    const char *name;
    uint16_t machine; /* of ELF images */
    bool takes_text;
    zlay_status (*open)(zlay_ctx *ctx, zlay_device *device, const char *path);
    zlay_status (*start)(zlay_ctx *ctx, zlay_device *device, int32_t ordinal);
    void (*close)(zlay_device *device);
    zlay_status (*enter)(zlay_ctx *ctx, const zlay_device *device);
    void (*leave)(const zlay_device *device);
    zlay_status (*alloc)(zlay_ctx *ctx, zlay_device *device, uint64_t *out, uint64_t bytes);
    void (*free)(zlay_device *device, uint64_t address);
    zlay_status (*write)(zlay_ctx *ctx, zlay_device *device, uint64_t to, const void *from,
                         uint64_t bytes);
    zlay_status (*read)(zlay_ctx *ctx, zlay_device *device, void *to, uint64_t from,
                        uint64_t bytes);
    zlay_status (*wait)(zlay_ctx *ctx, zlay_device *device);
    zlay_status (*load)(zlay_ctx *ctx, zlay_module *module, const void *image);
    zlay_status (*find)(zlay_ctx *ctx, zlay_module *module, const char *name, uint32_t smem);
    void (*unload)(zlay_module *module);
    zlay_status (*launch)(zlay_ctx *ctx, const zlay_module *module, const zlay_launch *launch,
                          const void *arguments, size_t bytes, void *stream);
    zlay_status (*time)(zlay_ctx *ctx, const zlay_device *device, zl_timed *run, void *user,
                        uint32_t count, float *milliseconds);
} zl_backend;

extern const zl_backend zl_backend_cuda, zl_backend_hip;

/* zlay_device_open with another library in the driver's place. */
zlay_status zl_device_open_path(zlay_ctx *ctx, zlay_device **out, int32_t ordinal,
                                const char *path);
zlay_status zl_device_open_by(zlay_ctx *ctx, zlay_device **out, int32_t ordinal,
                              const zl_backend *backend, const char *path);

/* Enter a public call on a device: the ctx is taken and the device made current; leave undoes both
 * and passes `status` on. */
zlay_status zl_device_enter(zlay_ctx *ctx, const zlay_device *device);
zlay_status zl_device_leave(zlay_ctx *ctx, const zlay_device *device, zlay_status status);

/* Load an image inside an entered call; zl_module_drop frees what it has loaded, and a module that
 * failed to load too. */
zlay_status zl_module_fill(zlay_ctx *ctx, zlay_module *module, const void *image, size_t length,
                           const char *name, uint32_t smem);
void zl_module_drop(zlay_module *module);

/* Encode inside an entered call; `out` has ZL_MAP_BYTES, written only on success. */
zlay_status zl_encode(zlay_ctx *ctx, const zlay_device *device, void *out,
                      const zlay_tensormap *map);

#endif
