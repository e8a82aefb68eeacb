/* SPDX-License-Identifier: Apache-2.0 */
/* Facts as one text, with ';' between them. */
#ifndef TEST_FACTS_H
#define TEST_FACTS_H

#include "test.h"

#include <string.h>
#include <zlay/facts.h>

enum { FACTS_MOST = 16 };

static inline zlay_facts *read_facts(zlay_ctx *ctx, const char *list)
{
    const char *text[FACTS_MOST];
    size_t length[FACTS_MOST], count = 0;
    zlay_facts *out = NULL;
    for (; *list; count++) {
        assert_true(count < FACTS_MOST);
        text[count] = list;
        length[count] = strcspn(list, ";");
        list += length[count] + (list[length[count]] == ';');
    }
    if (zlay_facts_parse(ctx, &out, count, text, length)) fail_msg("%s", zlay_ctx_message(ctx));
    return out;
}

#endif
