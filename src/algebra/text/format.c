/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of layouts composed as printf does, and read as a caller's would be. */
#include "algebra/text/format.h"

#include <stdarg.h>
#include <stdio.h>

zlay_status zl_layout_parse(zlay_ctx *ctx, zlay_layout **out, const char *text, size_t length)
{
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    return zl_leave_part(ctx, mark, zl_parse(ctx, out, text, length, 0));
}

zlay_status zl_layout_format(zlay_ctx *ctx, zlay_layout **out, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    *out = NULL;
    if (length < 0 || (size_t)length >= sizeof text)
        return zl_fail(ctx, ZLAY_EINTERNAL, "a layout text is too long");
    return zl_layout_parse(ctx, out, text, (size_t)length);
}
