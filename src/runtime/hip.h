/* SPDX-License-Identifier: Apache-2.0 */
/* The HIP runtime as a table of functions, found at run time. Its headers are not included:
 * the prototypes are the rows of hip.def. */
#ifndef ZL_HIP_H
#define ZL_HIP_H

#include "base/base.h"

typedef unsigned int zl_hip_result; /* hipError_t */
typedef unsigned int zl_hip_enum;   /* hipDeviceAttribute_t */

struct ihipModule_t;
struct ihipModuleSymbol_t;
struct ihipStream_t;
struct ihipEvent_t;

enum {
#define ZL_HIP_VALUE(name, value) ZL_##name = value,
#include "runtime/hip.def"
};

typedef struct zl_hip {
    void *library;
    const char *(*hipGetErrorName)(zl_hip_result error); /* the only one that returns no error */
#define ZL_HIP(symbol, parameters) zl_hip_result(*symbol) parameters;
#include "runtime/hip.def"
} zl_hip;

/* As zl_driver_open, zl_driver_close and zl_driver_result; `path` NULL: the names under which
 * releases install it, the newest first. */
zlay_status zl_hip_open(zlay_ctx *ctx, zl_hip *out, const char *path);
void zl_hip_close(zl_hip *hip);
zlay_status zl_hip_said(zlay_ctx *ctx, const zl_hip *hip, const char *call, zl_hip_result result);

#define ZL_HIP_CALL(ctx, hip, symbol, arguments)                                                   \
    zl_hip_said(ctx, hip, #symbol, (hip)->symbol arguments)

#endif
