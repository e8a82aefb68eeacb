/* SPDX-License-Identifier: Apache-2.0 */
/* A library found at run time, and a table of its functions. */
#ifndef ZL_LIBRARY_H
#define ZL_LIBRARY_H

#include "base/base.h"

typedef struct zl_symbol {
    const char *name;
    size_t place; /* of the pointer in the table */
} zl_symbol;

/* Load the library and find every function; on failure nothing stays open. `what` it is, as
 * messages say it; NULL where it is not there. With `what` NULL, functions that are not there stay
 * NULL. */
void *zl_library_open(zlay_ctx *ctx, const char *what, const char *path);
zlay_status zl_library_find(zlay_ctx *ctx, void *table, void *library, const char *what,
                            const zl_symbol *symbols, size_t count);
void zl_library_close(void *library);

#endif
