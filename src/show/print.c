/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a picture in one of its forms. */
#include "base/request.h"
#include "show/picture.h"

static zlay_status print(zlay_ctx *ctx, zlay_buf *out, const zlay_picture *p,
                         const zlay_picture_form *form)
{
    if (form->form == ZLAY_PICTURE_TEXT) return zl_picture_as_text(ctx, out, p, form);
    if (form->form == ZLAY_PICTURE_SVG) return zl_print(out, zl_picture_as_svg, p);
    if (form->form == ZLAY_PICTURE_HTML) return zl_print(out, zl_picture_as_html, p);
    return zl_fail(ctx, ZLAY_EINVAL, "form: %d is none of text, svg, html", form->form);
}

zlay_status zlay_picture_print(zlay_ctx *ctx, zlay_buf *out, const zlay_picture *picture,
                               const zlay_picture_form *form)
{
    static const zl_request_form of = {"zlay_picture_form",
                                       sizeof(zlay_picture_form),
                                       sizeof form->size,
                                       {ZL_RESERVED(zlay_picture_form, reserved)}};
    zlay_picture_form asked;
    if (!ctx || !out || !picture || !form) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_request_read(ctx, &asked, form, &of);
    if (!status) status = print(ctx, out, picture, &asked);
    return zl_leave(ctx, status);
}
