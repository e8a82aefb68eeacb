/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts from texts. */
#ifndef ZL_ALGEBRA_FORMAT_H
#define ZL_ALGEBRA_FORMAT_H

#include "base/base.h"
#include <zlay/layout.h>

/* zlay_layout_parse inside a call; failures count its bytes from first_byte on. */
zlay_status zl_parse(zlay_ctx *ctx, zlay_layout **out, const char *text, size_t length,
                     size_t first_byte);

/* zlay_layout_parse as a part of a call (zl_enter_part). */
zlay_status zl_layout_parse(zlay_ctx *ctx, zlay_layout **out, const char *text, size_t length);

/* A layout from a text that a planner composes: a part of its call. */
zlay_status zl_layout_format(zlay_ctx *ctx, zlay_layout **out, const char *format, ...)
    ZL_PRINTF(3, 4);

#endif
