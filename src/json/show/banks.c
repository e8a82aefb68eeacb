/* SPDX-License-Identifier: Apache-2.0 */
/* show.banks: which banks an access to shared memory asks for, in which wavefronts. */
#include "json/show/show.h"

#include <zlay/show_hardware.h>

typedef struct asked {
    zl_bank_asked bank;
    zl_show_asked form;
} asked;

static const zl_field rows[] = {
    ZL_PART(zl_bank_fields, asked, bank),
    ZL_PART(zl_form_fields, asked, form),
};
const zl_fields zl_show_banks_fields = {ZL_ROWS(rows, asked)};

zlay_status zl_op_show_banks(zl_call *call, const void *value)
{
    const asked *a = value;
    const zlay_bank_access *access = &a->bank.access;
    uint32_t addresses[ZL_ADDRESSES_MOST];
    zlay_picture *picture = NULL;
    zlay_status status = zl_bank_addresses(call, addresses, &a->bank);
    if (!status)
        status = zlay_show_banks(call->ctx, &picture, a->bank.target, access->number, addresses,
                                 (size_t)access->lanes * access->parts);
    return zl_put_picture(call, status, picture, &a->form);
}
