/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that the program makes of a command's arguments, and what it does with the answer. */
#ifndef ZL_JSON_RESPONSE_H
#define ZL_JSON_RESPONSE_H

#include "json/json.h"
#include "json/ops/ops.h"

/* The answer of a request, which the caller frees; NULL: no memory. */
json_t *zl_response_to(zlay_ctx *ctx, const json_t *request);

/* OK of an answer that has `ok`; else the status that the answer tells, with its message. */
zlay_status zl_response_status(zlay_ctx *ctx, const json_t *response);

/* Puts NAME=VALUE into a request; a NAME with dots is a field of an object. False: it has no `=`,
 * or there is no memory. */
bool zl_request_put(json_t *request, const char *assignment);

#endif
