/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_now.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* POSIX gives functions as void *, which ISO C does not convert; their bytes are the same. */
static int function_find(const cuda_now *cuda, const char *name, void *place)
{
    void *found = dlsym(cuda->library, name);
    memcpy(place, &found, sizeof found);
    if (!found) printf("no device: the driver has no %s\n", name);
    return found != NULL;
}

static int functions_find(cuda_now *cuda)
{
    int all = 1;
#define CUDA_FIND(name, parameters) all &= function_find(cuda, #name, &cuda->name);
    CUDA_NOW(CUDA_FIND)
#undef CUDA_FIND
    return all;
}

int cuda_open(cuda_now *cuda)
{
    char name[96] = "?";
    int version = 0;
    memset(cuda, 0, sizeof *cuda);
    cuda->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!cuda->library) {
        printf("no device: %s\n", dlerror());
        return 0;
    }
    if (!functions_find(cuda)) return 0;
    if (cuda->cuInit(0) || cuda->cuDeviceGet(&cuda->device, 0) ||
        cuda->cuDevicePrimaryCtxRetain(&cuda->context, cuda->device) ||
        cuda->cuCtxSetCurrent(cuda->context)) {
        printf("no device: it does not open\n");
        return 0;
    }
    cuda->cuDeviceGetName(name, sizeof name, cuda->device);
    cuda->cuDriverGetVersion(&version);
    printf("%s, CUDA driver %d.%d\n", name, version / 1000, version % 1000 / 10);
    return 1;
}
