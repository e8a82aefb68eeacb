/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/driver.h"

#include <dlfcn.h>
#include <string.h>

static const struct {
    const char *symbol;
    size_t place;
} functions[] = {
#define ZL_CUDA(symbol, parameters) {#symbol, offsetof(zl_driver, symbol)},
#include "runtime/cuda.def"
};

static const char *loader_text(void)
{
    const char *text = dlerror();
    return text ? text : "the loader says nothing more";
}

/* POSIX gives functions as void *, which ISO C does not convert; their bytes are the same. */
static zlay_status function_find(zlay_ctx *ctx, zl_driver *driver, size_t row)
{
    void *found = dlsym(driver->library, functions[row].symbol);
    if (!found)
        return zl_fail(ctx, ZLAY_EDRIVER, "the CUDA driver is older than 12.0: it has no %s",
                       functions[row].symbol);
    memcpy((char *)driver + functions[row].place, &found, sizeof found);
    return ZLAY_OK;
}

/* NODELETE: a driver that has been initialised keeps threads of its own and must stay mapped. */
zlay_status zl_driver_open(zlay_ctx *ctx, zl_driver *out, const char *path)
{
    zl_driver driver = {0};
    driver.library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!driver.library) return zl_fail(ctx, ZLAY_EDRIVER, "no CUDA driver: %s", loader_text());
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; !status && i < ZL_COUNT(functions); i++)
        status = function_find(ctx, &driver, i);
    if (status)
        zl_driver_close(&driver);
    else
        *out = driver;
    return status;
}

void zl_driver_close(zl_driver *driver)
{
    if (driver->library) dlclose(driver->library);
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
