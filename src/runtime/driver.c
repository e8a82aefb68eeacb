/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the CUDA driver at run time and fills a table of its functions, the rows of cuda.def,
 * so that the library links without it. */
#include "runtime/driver.h"
#include "runtime/library.h"

static const zl_symbol functions[] = {
#define ZL_CUDA(symbol, parameters) {#symbol, offsetof(zl_driver, symbol)},
#include "runtime/cuda.def"
};

static const zl_symbol newer[] = {
#define ZL_CUDA_NEWER(symbol, parameters) {#symbol, offsetof(zl_driver, symbol)},
#include "runtime/cuda.def"
};

zlay_status zl_driver_open(zlay_ctx *ctx, zl_driver *out, const char *path)
{
    static const char oldest[] = "CUDA driver (12.0 is the oldest)";
    zl_driver driver = {.library = zl_library_open(ctx, "CUDA driver", path)};
    if (!driver.library) return ZLAY_EDRIVER;
    zlay_status status = zl_library_find(ctx, &driver, driver.library, oldest, functions,
                                         ZL_COUNT(functions));
    if (!status)
        status = zl_library_find(ctx, &driver, driver.library, NULL, newer, ZL_COUNT(newer));
    if (status)
        zl_driver_close(&driver);
    else
        *out = driver;
    return status;
}

void zl_driver_close(zl_driver *driver)
{
    zl_library_close(driver->library);
    driver->library = NULL;
}

zlay_status zl_driver_result(zlay_ctx *ctx, const zl_driver *driver, const char *call,
                             zl_cu_result result)
{
    const char *name = NULL;
    if (result == ZL_CUDA_SUCCESS) return ZLAY_OK;
    if (driver->cuGetErrorName(result, &name) != ZL_CUDA_SUCCESS || !name)
        name = "an error without a name";
    return zl_fail(ctx, ZLAY_EDRIVER, "%s: %s (%u)", call, name, result);
}
