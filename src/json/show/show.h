/* SPDX-License-Identifier: Apache-2.0 */
/* What the requests for pictures share: the fields of the form, and the answer. */
#ifndef ZL_JSON_SHOW_H
#define ZL_JSON_SHOW_H

#include "json/json.h"

#include <zlay/show.h>

/* form: json, text, svg or html; of text its width, and whether it has colours. */
typedef struct zl_show_asked {
    int32_t form;
    uint32_t width;
    bool colour;
} zl_show_asked;
extern const zl_fields zl_form_fields;
typedef zl_show_asked zl_form_fields_type;

/* Answers with a picture that a view made, in the form of the request, and frees it. */
zlay_status zl_put_picture(zl_call *call, zlay_status status, zlay_picture *picture,
                           const zl_show_asked *form);

#endif
