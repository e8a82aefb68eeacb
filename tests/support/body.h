/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a body, given as text, on operands of a test by the model. */
#ifndef TEST_BODY_H
#define TEST_BODY_H

#include "ctx.h"
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <zlay/sim_body.h>

typedef struct body_request {
    uint32_t rows, columns;
    const char *fragment;
} body_request;

static inline zlay_body *read_body(zlay_ctx *ctx, const char *text)
{
    zlay_body *body = NULL;
    if (zlay_body_parse(ctx, &body, text, strlen(text))) fail_msg("%s\n%s", text, zlay_ctx_message(ctx));
    return body;
}

static inline zlay_status body_status(zlay_ctx *ctx, const char *text, const body_request *r, const zlay_sim_operand *operands, size_t count)
{
    zlay_body *body = read_body(ctx, text);
    zlay_layout *layout = read_layout(ctx, r->fragment);
    zlay_sim_body_request asked = {.size = sizeof asked, .rows = r->rows, .columns = r->columns, .fragment = layout};
    zlay_status status = zlay_sim_body(ctx, operands, count, body, &asked);
    zlay_layout_free(layout);
    zlay_body_free(body);
    return status;
}

static inline void body_run(zlay_ctx *ctx, const char *text, const body_request *r, const zlay_sim_operand *operands, size_t count)
{
    if (body_status(ctx, text, r, operands, count)) fail_msg("%s\n%s", text, zlay_ctx_message(ctx));
}

static inline zlay_interval exactly(double x) { return (zlay_interval){x, x}; }

/* Equal as values of the model: NaN is NaN, and zeros have their signs. */
static inline bool same(double a, double b) { return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b)); }

#endif
