/* SPDX-License-Identifier: Apache-2.0 */
/* How a program comes to the driver's functions, each way seen: by linking (our symbols stand
 * before the driver's), by dlsym, by cuGetProcAddress in both forms, and by the CUDA runtime's
 * cudaGetDriverEntryPoint. Each answer that is a row of hooks.def is replaced by our function of
 * that name, and kept. Everything else passes untouched.
 *
 * dlsym looks at its caller where the handle is RTLD_NEXT. So that handle, and names that are no
 * row, leave by a call in tail position, which -O2 makes a jump: the caller is then still the
 * program, and what lies behind it is ours or another shim's. */
#define _GNU_SOURCE
#include "preload/preload.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

typedef void *dlsym_function(void *handle, const char *name);

static const struct {
    const char *name, *library;
} hooks[] = {
#define ZL_HOOK_RUNTIME(symbol, parameters) {#symbol, NULL},
#define ZL_HOOK(symbol, parameters)         {#symbol, ZL_DRIVER_PATH},
#include "preload/hooks.def"
};

static _Atomic(void *) kept[ZL_HOOKS];

/* POSIX gives functions as void *, which ISO C does not convert; their bytes are the same. */
static zl_entry_point as_function(void *found)
{
    zl_entry_point function = NULL;
    memcpy(&function, &found, sizeof found);
    return function;
}

static void *as_pointer(zl_entry_point function)
{
    void *found = NULL;
    memcpy(&found, &function, sizeof found);
    return found;
}

static void *ours(int hook)
{
    static const zl_entry_point functions[] = {
#define ZL_HOOK(symbol, parameters) (zl_entry_point)symbol,
#include "preload/hooks.def"
    };
    return as_pointer(functions[hook]);
}

/* The loader's dlsym, by the versions that glibc has for it on x86-64 and aarch64. */
static dlsym_function *loader_dlsym(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    static _Atomic(void *) found;
    void *known = atomic_load(&found);
    for (size_t i = 0; !known && i < sizeof versions / sizeof *versions; i++)
        known = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    atomic_store(&found, known);
    return (dlsym_function *)as_function(known);
}

static int hook_of(const char *name)
{
    if (!name || name[0] != 'c' || name[1] != 'u') return -1;
    for (int i = 0; i < ZL_HOOKS; i++)
        if (!strcmp(name, hooks[i].name)) return i;
    return -1;
}

/* A driver opened by the program's own dlopen is no neighbour of ours: its name finds it. */
static void *searched(int hook)
{
    dlsym_function *look = loader_dlsym();
    if (!look) return NULL;
    void *found = look(RTLD_NEXT, hooks[hook].name);
    if (found || !hooks[hook].library) return found;
    void *library = dlopen(hooks[hook].library, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return NULL;
    found = look(library, hooks[hook].name);
    dlclose(library);
    return found;
}

zl_entry_point zl_hook_real(int hook)
{
    void *found = atomic_load(&kept[hook]);
    if (found) return as_function(found);
    void *here = searched(hook);
    return as_function(atomic_compare_exchange_strong(&kept[hook], &found, here) ? here : found);
}

static bool same_library(const void *a, const void *b)
{
    Dl_info of_a, of_b;
    return dladdr(a, &of_a) && dladdr(b, &of_b) && of_a.dli_fbase == of_b.dli_fbase;
}

/* The first function of a name is kept. That of another library passes untouched: it is another
 * shim's, which calls the one that is kept, or is called by it; in place of either our function
 * would call itself. */
static void *replaced(int hook, void *found)
{
    void *first = NULL;
    if (hook < 0 || !found || found == ours(hook)) return found;
    if (atomic_compare_exchange_strong(&kept[hook], &first, found)) return ours(hook);
    return first == found || same_library(first, found) ? ours(hook) : found;
}

void *zl_hook_replaced(const char *name, int version, void *found)
{
    int hook = hook_of(name);
    if (hook == ZL_HOOK_cuGetProcAddress && version >= 12000) hook = ZL_HOOK_cuGetProcAddress_v2;
    return replaced(hook, found);
}

/* Apart, so that the compiler does not merge its call with the one that has to be a jump. */
__attribute__((noinline)) static void *looked_up(int hook, void *handle, const char *name)
{
    return replaced(hook, loader_dlsym()(handle, name));
}

/* clang and later gcc promise the jump; earlier gcc makes it at -O2. */
#if defined(__has_attribute)
#if __has_attribute(musttail)
#define JUMP __attribute__((musttail))
#endif
#endif
#ifndef JUMP
#define JUMP
#endif

/* The linker exports it as dlsym. */
ZL_EXPORT void *zl_preload_dlsym(void *handle, const char *name);
void *zl_preload_dlsym(void *handle, const char *name)
{
    dlsym_function *look = loader_dlsym();
    if (!look) return NULL;
    const int hook = hook_of(name);
    if (hook >= 0 && handle != RTLD_NEXT) return looked_up(hook, handle, name);
    JUMP return look(handle, name);
}

zl_cu_result cuGetProcAddress_v2(const char *name, void **found, int version, uint64_t flags,
                                 zl_cu_enum *query)
{
    const __typeof__(&cuGetProcAddress_v2) call = ZL_REAL(cuGetProcAddress_v2);
    if (!call) return ZL_ABSENT;
    const zl_cu_result result = call(name, found, version, flags, query);
    if (!result && found) *found = zl_hook_replaced(name, version, *found);
    return result;
}

zl_cu_result cuGetProcAddress(const char *name, void **found, int version, uint64_t flags)
{
    const __typeof__(&cuGetProcAddress) call = ZL_REAL(cuGetProcAddress);
    if (!call) return ZL_ABSENT;
    const zl_cu_result result = call(name, found, version, flags);
    if (!result && found) *found = zl_hook_replaced(name, version, *found);
    return result;
}

/* Of a runtime without a version in the call it is not known which form of cuGetProcAddress it
 * gave, so that one stays as it is; runtimes ask the driver's, which is seen. */
static void seen_by_runtime(zl_cu_result result, const char *name, int version, void **found)
{
    if (result || !found || !name) return;
    if (!version && !strcmp(name, hooks[ZL_HOOK_cuGetProcAddress].name)) return;
    *found = zl_hook_replaced(name, version, *found);
}

zl_cu_result cudaGetDriverEntryPoint(const char *name, void **found, unsigned long long flags,
                                     zl_cu_enum *query)
{
    const __typeof__(&cudaGetDriverEntryPoint) call = ZL_REAL(cudaGetDriverEntryPoint);
    const zl_cu_result result = call ? call(name, found, flags, query) : ZL_ABSENT;
    seen_by_runtime(result, name, 0, found);
    return result;
}

zl_cu_result cudaGetDriverEntryPoint_ptsz(const char *name, void **found, unsigned long long flags,
                                          zl_cu_enum *query)
{
    const __typeof__(&cudaGetDriverEntryPoint_ptsz) call = ZL_REAL(cudaGetDriverEntryPoint_ptsz);
    const zl_cu_result result = call ? call(name, found, flags, query) : ZL_ABSENT;
    seen_by_runtime(result, name, 0, found);
    return result;
}

zl_cu_result cudaGetDriverEntryPointByVersion(const char *name, void **found, unsigned version,
                                              unsigned long long flags, zl_cu_enum *query)
{
    const __typeof__(&cudaGetDriverEntryPointByVersion) call =
        ZL_REAL(cudaGetDriverEntryPointByVersion);
    const zl_cu_result result = call ? call(name, found, version, flags, query) : ZL_ABSENT;
    seen_by_runtime(result, name, (int)version, found);
    return result;
}

zl_cu_result cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **found,
                                                   unsigned version, unsigned long long flags,
                                                   zl_cu_enum *query)
{
    const __typeof__(&cudaGetDriverEntryPointByVersion_ptsz) call =
        ZL_REAL(cudaGetDriverEntryPointByVersion_ptsz);
    const zl_cu_result result = call ? call(name, found, version, flags, query) : ZL_ABSENT;
    seen_by_runtime(result, name, (int)version, found);
    return result;
}
