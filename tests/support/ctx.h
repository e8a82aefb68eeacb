/* SPDX-License-Identifier: Apache-2.0 */
/* A ctx that a group of tests shares (a test that changes its limits takes one of its own), and what
 * tests call by name or by text. */
#ifndef TEST_CTX_H
#define TEST_CTX_H

#include "test.h"

#include <string.h>
#include <zlay/zlay.h>

static inline int begin(void **state) { return zlay_ctx_new((zlay_ctx **)state, NULL, NULL); }

static inline int end(void **state)
{
    zlay_ctx_free(*state);
    return 0;
}

static inline zlay_ctx *ctx_new(void)
{
    zlay_ctx *ctx = NULL;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    return ctx;
}

static inline const zlay_target *target_of(const char *name)
{
    const zlay_target *target = NULL;
    assert_int_equal(zlay_target_find(&target, name, strlen(name)), ZLAY_OK);
    return target;
}

/* NULL of NULL. */
static inline zlay_layout *read_layout(zlay_ctx *ctx, const char *text)
{
    zlay_layout *layout = NULL;
    zlay_status status = text ? zlay_layout_parse(ctx, &layout, text, strlen(text)) : ZLAY_OK;
    if (status) fail_msg("%s: %s, %s", text, zlay_status_name(status), zlay_ctx_message(ctx));
    return layout;
}

/* Facts with semicolons between them. */
static inline zlay_facts *read_facts(zlay_ctx *ctx, const char *list)
{
    const char *text[16];
    size_t length[16], count = 0;
    zlay_facts *facts = NULL;
    for (; *list; count++) {
        assert_true(count < 16);
        text[count] = list;
        length[count] = strcspn(list, ";");
        list += length[count] + (list[length[count]] == ';');
    }
    if (zlay_facts_parse(ctx, &facts, count, text, length)) fail_msg("%s", zlay_ctx_message(ctx));
    return facts;
}

#endif
