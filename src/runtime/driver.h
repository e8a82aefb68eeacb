/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA driver as a table of functions, found at run time. cuda.h is not included: the
 * prototypes are the rows of cuda.def. */
#ifndef ZL_DRIVER_H
#define ZL_DRIVER_H

#include "base/base.h"

typedef unsigned int zl_cu_result; /* CUresult */
typedef unsigned int zl_cu_enum;   /* any other enumeration of cuda.h: none has a negative value */

struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;
struct CUtensorMap_st;

enum {
#define ZL_CUDA_VALUE(name, value) ZL_##name = value,
#include "runtime/cuda.def"
};

typedef struct zl_driver {
    void *library;
#define ZL_CUDA(symbol, parameters)       zl_cu_result(*symbol) parameters;
#define ZL_CUDA_NEWER(symbol, parameters) zl_cu_result(*symbol) parameters;
#include "runtime/cuda.def"
} zl_driver;

/* How packed arguments are handed to a launch, HIP's as CUDA's but for the end: cuda.h,
 * hip_runtime_api.h. */
#define ZL_LAUNCH_POINTER ((void *)1)
#define ZL_LAUNCH_SIZE    ((void *)2)
#define ZL_CU_LAUNCH_END  ((void *)0)
#define ZL_HIP_LAUNCH_END ((void *)3)

/* The path of the driver when no other is given. */
#define ZL_DRIVER_PATH "libcuda.so.1"

/* Load the library and find every function of the table; on failure nothing stays open. */
zlay_status zl_driver_open(zlay_ctx *ctx, zl_driver *out, const char *path);
void zl_driver_close(zl_driver *driver);

/* The status of a driver call: a failure's message has the call, the driver's name for it and the
 * number. */
zlay_status zl_driver_result(zlay_ctx *ctx, const zl_driver *driver, const char *call,
                             zl_cu_result result);

/* Call a function of the driver; a failure's message names it. */
#define ZL_CALL(ctx, driver, symbol, arguments)                                                    \
    zl_driver_result(ctx, driver, #symbol, (driver)->symbol arguments)

#endif
