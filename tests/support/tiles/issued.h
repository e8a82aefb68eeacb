/* SPDX-License-Identifier: Apache-2.0 */
/* Issued copies by id, and what their rules say. */
#ifndef TEST_ISSUED_H
#define TEST_ISSUED_H

#include "legality.h"

static inline zlay_issue found(const char *id)
{
    zlay_issue issue;
    if (zlay_issue_find(&issue, id, strlen(id)) != ZLAY_OK) fail_msg("no copy %s", id);
    return issue;
}

static inline zlay_verdict asked(const char *on, const zlay_issue *issue, const zlay_tensormap *map,
                          zlay_reason *reasons)
{
    zlay_verdict v;
    assert_int_equal(zlay_copy_check(&v, reasons, REASONS, target_of(on), issue, map), ZLAY_OK);
    assert_true(v.reasons <= REASONS);
    assert_int_equal(v.answer, v.broken ? ZLAY_NO : ZLAY_YES);
    return v;
}

static inline const zlay_reason *broken(const char *rule, const char *on, const zlay_issue *issue,
                                 const zlay_tensormap *map)
{
    static zlay_reason reasons[REASONS];
    zlay_verdict v = asked(on, issue, map, reasons);
    return reason_of(reasons, &v, rule_number(rule), -2);
}

/* .b32 and .b64 are the words of either sign; f16x2 and b16 are no types of zlay's copies. */
static inline uint32_t types_of(const char *names)
{
    uint32_t set = 0;
    while (*names) {
        size_t length = strcspn(names, " ");
        int32_t type;
        if (length == 3 && !memcmp(names, "b32", 3))
            set |= 1u << ZLAY_TYPE_U32 | 1u << ZLAY_TYPE_S32;
        else if (length == 3 && !memcmp(names, "b64", 3))
            set |= 1u << ZLAY_TYPE_U64 | 1u << ZLAY_TYPE_S64;
        else if (zlay_type_find(&type, names, length) == ZLAY_OK) set |= 1u << type;
        names += length + (names[length] == ' ');
    }
    return set;
}

#endif
