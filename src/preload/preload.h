/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols that stand before the driver's: which there are, the functions behind them, and what
 * is told. */
#ifndef ZL_PRELOAD_H
#define ZL_PRELOAD_H

#include "runtime/driver.h"

#include <stdbool.h>
#include <zlay/tensormap_driver.h>

/* Exported by name, before the driver's function of that name. */
#define ZL_EXPORT __attribute__((visibility("default")))

/* A symbol that is seen. */
enum {
#define ZL_HOOK(symbol, parameters) ZL_HOOK_##symbol,
#include "preload/hooks.def"
    ZL_HOOKS
};

#define ZL_HOOK(symbol, parameters) ZL_EXPORT zl_cu_result symbol parameters;
#include "preload/hooks.def"

/* CUDA_ERROR_NOT_FOUND, and cudaErrorSymbolNotFound: no library has the function. */
enum { ZL_ABSENT = 500 };

/* A function as the loader knows it. */
typedef void (*zl_entry_point)(void);

/* The function that a program would have reached without us; NULL where no library has it. */
zl_entry_point zl_hook_real(int hook);

/* What a library found for a name becomes ours where the name is a row: the library's is kept for
 * zl_hook_real. Of cuGetProcAddress itself `version` tells the two forms apart. */
void *zl_hook_replaced(const char *name, int version, void *found);

/* The real function of a row as a value of its type. */
#define ZL_REAL(symbol) ((__typeof__(&symbol))zl_hook_real(ZL_HOOK_##symbol))

/* Explain a call that was refused, or accepted and surely not meant. `map` is NULL where the call
 * has a NULL in place of an array. Keeps errno. */
void zl_tell(const char *call, zl_cu_result result, const zlay_tensormap *map);

/* The target of the device that the program uses. */
const zlay_target *zl_told_target(void);

#endif
