/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that grow: a caller fills in `size`, and a later version adds members at the end.  Each
 * is read into a local struct that has every member of this version. */
#ifndef ZL_REQUEST_H
#define ZL_REQUEST_H

#include "base/base.h"

/* Bytes of a struct that must be 0. */
typedef struct zl_reserved {
    const char *name;
    size_t at, size;
} zl_reserved;

/* A struct whose first member is its `uint32_t size`. */
typedef struct zl_request_form {
    const char *name;
    size_t size, least; /* of this version; of the shortest struct that is one */
    zl_reserved reserved[3];
} zl_request_form;

#define ZL_RESERVED(type, member)                                                                  \
    {#member, offsetof(type, member), sizeof((type *)NULL)->member}

/* Copies the caller's struct to *out, and zeros behind what it has.
 * ZLAY_EINVAL: its size is below form->least or above form->size, or a reserved byte is not 0. */
zlay_status zl_request_read(zlay_ctx *ctx, void *out, const void *in, const zl_request_form *form);

bool zl_is_zero(const void *bytes, size_t size);

#endif
