/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a caller's struct whose size tells its version.  A longer struct than this version knows is
 * refused, because what its further members ask for would be left out in silence. */
#include "base/request.h"

#include <string.h>

bool zl_is_zero(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        if (at[i]) return false;
    return true;
}

zlay_status zl_request_read(zlay_ctx *ctx, void *out, const void *in, const zl_request_form *form)
{
    uint32_t size;
    memcpy(&size, in, sizeof size);
    memset(out, 0, form->size);
    if (size < form->least || size > form->size)
        return zl_fail(ctx, ZLAY_EINVAL, "size: %u is no size of %s (%zu..%zu)", (unsigned)size,
                       form->name, form->least, form->size);
    memcpy(out, in, size);
    for (size_t i = 0; i < ZL_COUNT(form->reserved); i++)
        if (!zl_is_zero((const char *)out + form->reserved[i].at, form->reserved[i].size))
            return zl_fail(ctx, ZLAY_EINVAL, "%s: a word is not 0", form->reserved[i].name);
    return ZLAY_OK;
}
