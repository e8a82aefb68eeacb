/* SPDX-License-Identifier: Apache-2.0 */
/* show.swizzle: the banks of a tile before and after a swizzle. */
#include "json/show/show.h"

#include <zlay/show_hardware.h>

typedef struct asked {
    zlay_show_swizzle_request request;
    zl_show_asked form;
} asked;

static const asked start = {.request.size = sizeof start.request};

static const zl_field rows[] = {
    {"elem_bits", ZL_NEEDS, ZL_AT(zl_as_u32, asked, request.elem_bits)},
    {"before", ZL_NEEDS, ZL_AT(zl_as_layout, asked, request.before)},
    {"after", ZL_NEEDS, ZL_AT(zl_as_layout, asked, request.after)},
    {"banks", ZL_MAY, ZL_AT(zl_as_u32, asked, request.banks)},
    {"values", ZL_MAY, ZL_AT(zl_as_switch, asked, request.values)},
    ZL_PART(zl_form_fields, asked, form),
};
const zl_fields zl_show_swizzle_fields = {ZL_ROWS(rows, asked), .start = &start};

zlay_status zl_op_show_swizzle(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_picture *picture = NULL;
    zlay_status status = zlay_show_swizzle(call->ctx, &picture, &a->request);
    return zl_put_picture(call, status, picture, &a->form);
}
