/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"
#include <zlay/version.h>

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

const char *zlay_version(void)
{
    return TEXT(ZLAY_VERSION_MAJOR) "." TEXT(ZLAY_VERSION_MINOR) "." TEXT(ZLAY_VERSION_PATCH);
}

const char *zlay_status_name(zlay_status status)
{
    switch (status) {
    case ZLAY_OK: return "OK";
    case ZLAY_NONE: return "NONE";
    case ZLAY_EINVAL: return "EINVAL";
    case ZLAY_ENOMEM: return "ENOMEM";
    case ZLAY_EOVERFLOW: return "EOVERFLOW";
    case ZLAY_ELIMIT: return "ELIMIT";
    case ZLAY_ENOTSUP: return "ENOTSUP";
    case ZLAY_EINTERNAL: return "EINTERNAL";
    case ZLAY_EROOM: return "EROOM";
    case ZLAY_EBUSY: return "EBUSY";
    case ZLAY_EDRIVER: return "EDRIVER";
    default: return "?";
    }
}
