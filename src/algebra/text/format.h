/* SPDX-License-Identifier: Apache-2.0 */
/* A layout from a text that zlay itself composed. */
#ifndef ZL_FORMAT_H
#define ZL_FORMAT_H

#include "base/base.h"
#include <zlay/layout.h>

zlay_status zl_layout_format(zlay_ctx *ctx, zlay_layout **out, const char *format, ...)
    ZL_PRINTF(3, 4);

#endif
