/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the HIP runtime at run time and fills a table of its functions, the rows of hip.def. */
#include "runtime/hip.h"
#include "runtime/library.h"

static const zl_symbol functions[] = {
    {"hipGetErrorName", offsetof(zl_hip, hipGetErrorName)},
#define ZL_HIP(symbol, parameters) {#symbol, offsetof(zl_hip, symbol)},
#include "runtime/hip.def"
};

static const char *const paths[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                    "libamdhip64.so"};

static void *library_open(zlay_ctx *ctx, const char *path)
{
    void *library = NULL;
    if (path) return zl_library_open(ctx, "HIP runtime", path);
    for (size_t i = 0; !library && i < ZL_COUNT(paths); i++)
        library = zl_library_open(ctx, "HIP runtime", paths[i]);
    return library;
}

zlay_status zl_hip_open(zlay_ctx *ctx, zl_hip *out, const char *path)
{
    zl_hip hip = {.library = library_open(ctx, path)};
    if (!hip.library) return ZLAY_EDRIVER;
    zlay_status status = zl_library_find(ctx, &hip, hip.library, "HIP runtime", functions,
                                         ZL_COUNT(functions));
    if (status)
        zl_hip_close(&hip);
    else
        *out = hip;
    return status;
}

void zl_hip_close(zl_hip *hip)
{
    zl_library_close(hip->library);
    hip->library = NULL;
}

zlay_status zl_hip_said(zlay_ctx *ctx, const zl_hip *hip, const char *call, zl_hip_result result)
{
    if (result == ZL_hipSuccess) return ZLAY_OK;
    const char *name = hip->hipGetErrorName(result);
    return zl_fail(ctx, ZLAY_EDRIVER, "%s: %s (%u)", call, name ? name : "an error without a name",
                   result);
}
