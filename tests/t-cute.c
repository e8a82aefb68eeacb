/* SPDX-License-Identifier: Apache-2.0 */
/* CuTe's operations: what its templates print, and what each operation is, by enumeration, where
 * they are not defined. */
#include "base/base.h"
#include "layout.h"

#include <zlay/cute.h>

typedef zlay_status made_of(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                            const char *b);

static zlay_layout *tile_of(zlay_ctx *ctx, const char *b)
{
    return *b == '<' ? NULL : read_layout(ctx, b);
}

#define ARRANGED(name, verb, arrangement)                                                        \
    static zlay_status name(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,              \
                            const char *text)                                                    \
    {                                                                                            \
        zlay_layout *b = tile_of(ctx, text);                                                     \
        zlay_status status =                                                                     \
            b ? zlay_layout_##verb(ctx, out, a, b, arrangement)                                  \
              : zlay_layout_##verb##_tiler(ctx, out, a, text, strlen(text), arrangement);        \
        zlay_layout_free(b);                                                                     \
        return status;                                                                           \
    }
ARRANGED(LOGICAL_DIVIDE, divide, ZLAY_LOGICAL)
ARRANGED(ZIPPED_DIVIDE, divide, ZLAY_ZIPPED)
ARRANGED(TILED_DIVIDE, divide, ZLAY_TILED)
ARRANGED(FLAT_DIVIDE, divide, ZLAY_FLAT)
ARRANGED(LOGICAL_PRODUCT, product, ZLAY_LOGICAL)
ARRANGED(ZIPPED_PRODUCT, product, ZLAY_ZIPPED)
ARRANGED(TILED_PRODUCT, product, ZLAY_TILED)
ARRANGED(FLAT_PRODUCT, product, ZLAY_FLAT)

#define TWO(name, verb)                                                                          \
    static zlay_status name(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,              \
                            const char *text)                                                    \
    {                                                                                            \
        zlay_layout *b = read_layout(ctx, text);                                                 \
        zlay_status status = zlay_layout_##verb(ctx, out, a, b);                                 \
        zlay_layout_free(b);                                                                     \
        return status;                                                                           \
    }
TWO(BLOCKED_PRODUCT, blocked_product)
TWO(RAKED_PRODUCT, raked_product)
TWO(MAX_COMMON_LAYOUT, max_common_layout)

#define ONE(name, verb)                                                                          \
    static zlay_status name(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,              \
                            const char *text)                                                    \
    {                                                                                            \
        (void)text;                                                                              \
        return zlay_layout_##verb(ctx, out, a);                                                  \
    }
ONE(RIGHT_INVERSE, right_inverse)
ONE(LEFT_INVERSE, left_inverse)

#define WITH(name, verb, argument)                                                               \
    static zlay_status name(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,              \
                            const char *text)                                                    \
    {                                                                                            \
        return zlay_layout_##verb(ctx, out, a, argument);                                        \
    }
#define TEXT text, strlen(text)
WITH(UPCAST, upcast, strtoull(text, NULL, 10))
WITH(DOWNCAST, downcast, strtoull(text, NULL, 10))
WITH(COMPOSE_TILER, compose_tiler, TEXT)
WITH(COALESCE_PROFILE, coalesce_profile, TEXT)

/* The vector as a layout of that size, so that its rows are like the others. */
static zlay_status MAX_COMMON_VECTOR(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                     const char *text)
{
    char size[32];
    uint64_t count;
    zlay_layout *b = read_layout(ctx, text);
    zlay_status status = zlay_layout_max_common_vector(ctx, &count, a, b);
    zlay_layout_free(b);
    if (status) return status;
    sprintf(size, "%llu", (unsigned long long)count);
    return zlay_layout_parse(ctx, out, size, strlen(size));
}

typedef struct row {
    made_of *make;
    const char *name, *a, *b, *result;
} row;

static const row rows[] = {
#define ROW(op, a, b, result) {op, #op, a, b, result},
#include "cute_ops.def"
#undef ROW
};

static void templates(void **state)
{
    assert_true(ZL_COUNT(rows) > 400);
    for (size_t i = 0; i < ZL_COUNT(rows); i++) {
        char text[1024] = "", want[1024];
        const row *r = &rows[i];
        zlay_layout *a = read_layout(*state, r->a), *made = NULL, *same = read_layout(*state, r->result);
        zlay_status status = r->make(*state, &made, a, r->b);
        if (made) layout_text(text, made);
        if (status || strcmp(text, layout_text(want, same)))
            fail_msg("%s %s, %s: %d %s %s, not %s", r->name, r->a, r->b, (int)status, text,
                     zlay_ctx_message(*state), r->result);
        zlay_layout_free(same);
        zlay_layout_free(made);
        zlay_layout_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(templates, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
