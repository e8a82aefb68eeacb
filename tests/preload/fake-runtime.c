/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA runtime of which only the entry points of the driver are there. By version it gives the driver's function as it was linked,
 * without asking dlsym or cuGetProcAddress. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

static void *driver(void) { return dlopen("libcuda.so.1", RTLD_NOW); }

EXPORT int cudaGetDriverEntryPoint(const char *name, void **found, unsigned long long flags, int *query);
int cudaGetDriverEntryPoint(const char *name, void **found, unsigned long long flags, int *query)
{
    /* As the real one: it asks cuGetProcAddress. */
    int (*ask)(const char *, void **, int, uint64_t, int *) =
        (int (*)(const char *, void **, int, uint64_t, int *))(uintptr_t)dlsym(driver(), "cuGetProcAddress_v2");
    return ask(name, found, 12000, flags, query);
}

EXPORT int cudaGetDriverEntryPointByVersion(const char *name, void **found, unsigned version, unsigned long long flags, int *query);
int cudaGetDriverEntryPointByVersion(const char *name, void **found, unsigned version, unsigned long long flags, int *query)
{
    /* Not as the real one: no dlsym that anybody sees. */
    void *(*look)(void *, const char *) = (void *(*)(void *, const char *))(uintptr_t)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (!look) look = (void *(*)(void *, const char *))(uintptr_t)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.17");
    if (!look) look = (void *(*)(void *, const char *))(uintptr_t)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    *found = look && version && !flags ? look(driver(), name) : NULL;
    if (query) *query = !*found;
    return *found ? 0 : 500;
}

EXPORT int cudaGetDriverEntryPoint_ptsz(const char *name, void **found, unsigned long long flags, int *query);
int cudaGetDriverEntryPoint_ptsz(const char *name, void **found, unsigned long long flags, int *query)
{
    return cudaGetDriverEntryPointByVersion(name, found, 12000, flags, query);
}

EXPORT int cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **found, unsigned version, unsigned long long flags, int *query);
int cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **found, unsigned version, unsigned long long flags, int *query)
{
    return cudaGetDriverEntryPointByVersion(name, found, version, flags, query);
}
