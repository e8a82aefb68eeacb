/* SPDX-License-Identifier: Apache-2.0 */
/* The function of a layout, as it is printed alone or beside others. */
#ifndef ZL_EMIT_FUNCTION_ADDRESS_H
#define ZL_EMIT_FUNCTION_ADDRESS_H

#include "emit/function/layout.h"

typedef struct zl_address_text {
    const zl_address *address;
    const zl_address_form *form;
    int32_t language;
    const char *name;
    size_t length;
} zl_address_text;

/* The function of the value, whose name goes on with `behind`. */
void zl_address_put(zl_text *out, const zl_address_text *t, const char *behind);

#endif
