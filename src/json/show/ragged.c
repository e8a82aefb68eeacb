/* SPDX-License-Identifier: Apache-2.0 */
/* show.ragged: groups of different sizes in tiles. */
#include "json/region/region.h"
#include "json/show/show.h"

#include <zlay/show_ragged.h>

typedef struct ragged_asked {
    zl_ragged_asked ragged;
    zl_show_asked form;
} ragged_asked;

static const zl_field rows[] = {
    ZL_PART(zl_ragged_fields, ragged_asked, ragged),
    ZL_PART(zl_form_fields, ragged_asked, form),
};
const zl_fields zl_show_ragged_fields = {ZL_ROWS(rows, ragged_asked)};

zlay_status zl_op_show_ragged(zl_call *call, const void *value)
{
    const ragged_asked *a = value;
    zlay_region *region = NULL;
    zlay_picture *picture = NULL;
    zlay_status status = zl_ragged_cover(call, &region, &a->ragged);
    if (!status) status = zlay_show_ragged(call->ctx, &picture, region);
    zlay_region_free(region);
    return zl_put_picture(call, status, picture, &a->form);
}
