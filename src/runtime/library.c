/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a shared library by dlopen and fills a table of its functions by name. */
#include "runtime/library.h"

#include <dlfcn.h>
#include <string.h>

static const char *loader_text(void)
{
    const char *text = dlerror();
    return text ? text : "the loader says nothing more";
}

/* Opens with RTLD_NODELETE: an initialised driver has threads of its own and must stay mapped. */
void *zl_library_open(zlay_ctx *ctx, const char *what, const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) zl_fail(ctx, ZLAY_EDRIVER, "no %s: %s", what, loader_text());
    return library;
}

/* POSIX gives functions as void *, which ISO C does not convert; their bytes are the same. */
zlay_status zl_library_find(zlay_ctx *ctx, void *table, void *library, const char *what,
                            const zl_symbol *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (!found && !what) continue;
        if (!found) return zl_fail(ctx, ZLAY_EDRIVER, "the %s has no %s", what, symbols[i].name);
        memcpy((char *)table + symbols[i].place, &found, sizeof found);
    }
    return ZLAY_OK;
}

void zl_library_close(void *library)
{
    if (library) dlclose(library);
}
