/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of zlay_smemdesc_synth share: a question as one text. */
#ifndef TEST_SMEMDESC_H
#define TEST_SMEMDESC_H

#include "ctx.h"
#include "sim.h"

#include <zlay/smemdesc_synth.h>

enum { STEPS = 64 };

static inline const zlay_target *sm_90a(void)
{
    const zlay_target *target = NULL;
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    return target;
}

typedef struct answer {
    zlay_status status;
    zlay_smemdesc fields;
    uint32_t start[STEPS];
    size_t count;
} answer;

static inline zlay_smemdesc_request request_of(int32_t major, int32_t swizzle, uint32_t mma_mn,
                                               uint32_t address)
{
    zlay_smemdesc_request r = {.size = sizeof r,
                               .type = ZLAY_TYPE_BF16,
                               .major = major,
                               .swizzle = swizzle,
                               .mma_mn = mma_mn,
                               .mma_k = 16,
                               .address = address};
    return r;
}

static inline answer ask_on(zlay_ctx *ctx, const zlay_target *target, zlay_smemdesc_request r,
                            const char *text)
{
    answer a = {.count = 99};
    zlay_layout *layout = read_layout(ctx, text);
    r.layout = layout;
    a.status = zlay_smemdesc_synth(ctx, &a.fields, a.start, STEPS, &a.count, target, &r);
    zlay_layout_free(layout);
    return a;
}

static inline answer ask(zlay_ctx *ctx, zlay_smemdesc_request r, const char *text)
{
    return ask_on(ctx, sm_90a(), r, text);
}

#endif
