/* SPDX-License-Identifier: Apache-2.0 */
/* The table of limits: what each is called, its default and the most that may be asked for, and
 * how the limits that a caller gives are completed and compared with ceilings. One row of
 * limits.def makes each. */
#include "base/base.h"
#include "base/request.h"

#include <string.h>

static const zlay_limit table[] = {
#define LIMIT(name, usual, most, unit, bounds) {#name, usual, most, unit, bounds},
#include "base/limits.def"
};

static const struct {
    size_t offset, size;
} members[] = {
#define LIMIT(name, usual, most, unit, bounds)                                                     \
    {offsetof(zlay_limits, name), sizeof((zlay_limits *)NULL)->name},
#include "base/limits.def"
};

size_t zlay_limit_count(void)
{
    return ZL_COUNT(table);
}

const zlay_limit *zlay_limit_nth(size_t i)
{
    return i < ZL_COUNT(table) ? &table[i] : NULL;
}

size_t zl_limit_find(const char *name, size_t length)
{
    for (size_t i = 0; i < ZL_COUNT(table); i++)
        if (strlen(table[i].name) == length && !memcmp(table[i].name, name, length)) return i;
    return ZL_LIMITS;
}

uint64_t zl_limit_get(const zlay_limits *limits, size_t i)
{
    uint32_t narrow;
    uint64_t wide;
    const char *from = (const char *)limits + members[i].offset;
    if (members[i].size == sizeof wide) return memcpy(&wide, from, sizeof wide), wide;
    return memcpy(&narrow, from, sizeof narrow), narrow;
}

void zl_limit_set(zlay_limits *limits, size_t i, uint64_t count)
{
    uint32_t narrow = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
    char *to = (char *)limits + members[i].offset;
    if (members[i].size == sizeof count) memcpy(to, &count, sizeof count);
    else memcpy(to, &narrow, sizeof narrow);
}

zlay_limits zl_limits_most(void)
{
    zlay_limits most = {.size = sizeof most};
    for (size_t i = 0; i < ZL_COUNT(table); i++) zl_limit_set(&most, i, table[i].most);
    return most;
}

zlay_status zl_limits_read(zlay_limits *out, const zlay_limits *given)
{
    static const zl_request_form form = {"zlay_limits",
                                         sizeof *out,
                                         sizeof given->size,
                                         {ZL_RESERVED(zlay_limits, reserved)}};
    zlay_status status = ZLAY_OK;
    *out = (zlay_limits){0};
    if (given) status = zl_request_read(NULL, out, given, &form);
    out->size = sizeof *out;
    return status;
}

void zl_limits_complete(zlay_limits *limits, const zlay_limits *ceilings)
{
    for (size_t i = 0; i < ZL_COUNT(table); i++) {
        uint64_t most = zl_limit_get(ceilings, i), usual = table[i].usual;
        if (!zl_limit_get(limits, i)) zl_limit_set(limits, i, usual < most ? usual : most);
    }
}

size_t zl_limits_above(const zlay_limits *limits, const zlay_limits *ceilings)
{
    for (size_t i = 0; i < ZL_COUNT(table); i++)
        if (zl_limit_get(limits, i) > zl_limit_get(ceilings, i)) return i;
    return ZL_LIMITS;
}
