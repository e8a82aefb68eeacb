/* SPDX-License-Identifier: Apache-2.0 */
/* The command `places`: a tile program in JSON as the request of places.find, whose answer's text
 * is printed. */
#include "json/ops/response.h"

#include <string.h>

/* The request of a program; NULL: *why says what is wrong. */
static json_t *request_of(const char *program, int argc, char **argv, const char **why)
{
    json_error_t error;
    json_t *request = json_loads(program, JSON_REJECT_DUPLICATES, &error);
    *why = "the program is no JSON object";
    bool good = json_is_object(request);
    if (good) good = !json_object_set_new(request, "op", json_string("places.find"));
    if (good) good = !json_object_set_new(request, "target", json_string(argv[0]));
    for (int i = 1; good && i < argc; i++) {
        *why = "behind the program places takes FIELD=VALUE";
        good = zl_request_put(request, argv[i]);
    }
    if (good) return request;
    json_decref(request);
    return NULL;
}

zlay_status zl_places_text(zlay_ctx *ctx, zlay_buf *out, const char *program, int argc, char **argv)
{
    const char *why;
    json_t *request = request_of(program, argc, argv, &why);
    if (!request) return zl_fail(ctx, ZLAY_EINVAL, "%s", why);
    json_t *response = zl_response_to(ctx, request);
    zlay_status status = zl_response_status(ctx, response);
    const char *text =
        json_string_value(json_object_get(json_object_get(response, "ok"), "text"));
    if (!status && !text) status = ZLAY_ENOMEM;
    if (!status) {
        out->need = strlen(text);
        if (out->need >= out->room) status = ZLAY_EROOM;
        else memcpy(out->text, text, out->need + 1);
    }
    json_decref(response);
    json_decref(request);
    return status;
}
