/* SPDX-License-Identifier: Apache-2.0 */
/* The data movement of a GEMM plan as a CUDA C header. */
#ifndef ZL_EMIT_PTX_HEADER_H
#define ZL_EMIT_PTX_HEADER_H

#include "emit/emit.h"

/* Print the header of the zl_emit `value`, which has a plan by wgmma and a name. */
void zl_header_write(zl_text *out, const void *value);

#endif
