/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of banks share: an access by its name, counted. */
#ifndef TEST_BANK_H
#define TEST_BANK_H

#include "legality.h"

enum { LANES_MOST = ZLAY_BANK_LANES };

static inline int32_t number_of(const char *access)
{
    int32_t number = -1;
    if (zlay_bank_find(&number, access, strlen(access)) != ZLAY_OK) fail_msg("no access %s", access);
    return number;
}

static inline zlay_bank_access explained(const char *target_name, const char *access)
{
    zlay_bank_access x;
    assert_int_equal(zlay_bank_explain(&x, target(target_name), number_of(access)), ZLAY_OK);
    return x;
}

static inline zlay_bank count(const char *target_name, const char *access, const uint32_t *addresses)
{
    zlay_bank b;
    zlay_bank_access x = explained(target_name, access);
    assert_int_equal(zlay_bank_count(&b, target(target_name), x.number, addresses, x.lanes * x.parts), ZLAY_OK);
    return b;
}

#endif
