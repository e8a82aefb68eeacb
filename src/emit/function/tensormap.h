/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's call that encodes a tensor map, as a host function. */
#ifndef ZL_EMIT_FUNCTION_TENSORMAP_H
#define ZL_EMIT_FUNCTION_TENSORMAP_H

#include "base/base.h"
#include <zlay/tensormap.h>

/* Print NAME_encode(CUtensorMap *map, void *address), which needs cuda.h. */
void zl_tensormap_call_put(zl_text *out, const zlay_tensormap *map, const char *name, size_t length);

#endif
