/* SPDX-License-Identifier: Apache-2.0 */
/* show.fragment, show.warp and show.registers: which thread has which element, with the fields of
 * mma.fragment, warp.fragment and tmem.layout. */
#include "json/show/show.h"

#include <zlay/show_fragment.h>

typedef struct mma_asked {
    zl_mma_asked mma;
    zl_show_asked form;
} mma_asked;

static const zl_field mma_rows[] = {
    ZL_PART(zl_mma_fragment_fields, mma_asked, mma),
    ZL_PART(zl_form_fields, mma_asked, form),
};
const zl_fields zl_show_fragment_fields = {ZL_ROWS(mma_rows, mma_asked)};

zlay_status zl_op_show_fragment(zl_call *call, const void *value)
{
    const mma_asked *a = value;
    zlay_picture *picture = NULL;
    zlay_status status =
        zlay_show_mma_fragment(call->ctx, &picture, a->mma.target, &a->mma.mma, a->mma.fragment);
    return zl_put_picture(call, status, picture, &a->form);
}

typedef struct warp_asked {
    zl_warp_asked warp;
    zl_show_asked form;
} warp_asked;

static const zl_field warp_rows[] = {
    ZL_PART(zl_warp_fields, warp_asked, warp),
    ZL_PART(zl_form_fields, warp_asked, form),
};
const zl_fields zl_show_warp_fields = {ZL_ROWS(warp_rows, warp_asked)};

zlay_status zl_op_show_warp(zl_call *call, const void *value)
{
    const warp_asked *a = value;
    zlay_picture *picture = NULL;
    zlay_status status = zlay_show_warp_fragment(call->ctx, &picture, a->warp.fragment,
                                                 a->warp.bits, a->warp.registers);
    return zl_put_picture(call, status, picture, &a->form);
}

typedef struct tmem_asked {
    zlay_tmem_map map;
    zl_show_asked form;
} tmem_asked;

static const zl_field tmem_rows[] = {
    ZL_PART(zl_tmem_layout_fields, tmem_asked, map),
    ZL_PART(zl_form_fields, tmem_asked, form),
};
static const tmem_asked one_register = {.map.size = 1};
const zl_fields zl_show_registers_fields = {ZL_ROWS(tmem_rows, tmem_asked), .start = &one_register};

zlay_status zl_op_show_registers(zl_call *call, const void *value)
{
    const tmem_asked *a = value;
    zlay_picture *picture = NULL;
    zlay_status status = zlay_show_tmem_registers(call->ctx, &picture, &a->map);
    return zl_put_picture(call, status, picture, &a->form);
}
