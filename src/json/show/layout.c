/* SPDX-License-Identifier: Apache-2.0 */
/* show.layout: the values of a layout, or the thread that holds each element. */
#include "json/show/show.h"

typedef struct show_layout_asked {
    const zlay_layout *layout;
    zlay_show_layout_request request;
    zl_show_asked form;
} show_layout_asked;

static const zl_named labels[] = {
    {"values", ZLAY_SHOW_VALUES}, {"holders", ZLAY_SHOW_HOLDERS}, {NULL, 0}};

static const show_layout_asked start = {.request.size = sizeof start.request};

static const zl_field rows[] = {
    {"layout", ZL_NEEDS, ZL_AT(zl_as_layout, show_layout_asked, layout)},
    {"labels", ZL_MAY, ZL_AT(zl_as_word, show_layout_asked, request.labels), .of = labels},
    {"rows", ZL_MAY, ZL_AT(zl_as_u64, show_layout_asked, request.rows)},
    {"columns", ZL_MAY, ZL_AT(zl_as_u64, show_layout_asked, request.columns)},
    ZL_PART(zl_form_fields, show_layout_asked, form),
};
const zl_fields zl_show_layout_fields = {ZL_ROWS(rows, show_layout_asked), .start = &start};

zlay_status zl_op_show_layout(zl_call *call, const void *value)
{
    const show_layout_asked *a = value;
    zlay_picture *picture = NULL;
    zlay_status status = zlay_show_layout(call->ctx, &picture, a->layout, &a->request);
    return zl_put_picture(call, status, picture, &a->form);
}
