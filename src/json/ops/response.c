/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that make a request of their arguments share: the answer as a status. */
#include "json/ops/response.h"

#include <stdlib.h>
#include <string.h>

static char *room_of(void *user, size_t need)
{
    char **text = user;
    return *text = malloc(need + 1);
}

json_t *zl_response_to(zlay_ctx *ctx, const json_t *request)
{
    char *line = json_dumps(request, 0), *text = NULL;
    json_t *response = NULL;
    if (line && !zl_json_call(ctx, room_of, &text, line, strlen(line)))
        response = json_loads(text, 0, NULL);
    free(text);
    free(line);
    return response;
}

static zlay_status fail_as(zlay_ctx *ctx, zlay_status status, const json_t *message)
{
    return zl_fail(ctx, status, "%s", json_string_value(message));
}

static zlay_status status_named(const char *name)
{
    zlay_status status = ZLAY_EINVAL;
    while (strcmp(zlay_status_name(status), "?") && strcmp(zlay_status_name(status), name))
        status--;
    return status;
}

zlay_status zl_response_status(zlay_ctx *ctx, const json_t *response)
{
    const json_t *none = json_object_get(response, "none"),
                 *undecided = json_object_get(response, "undecided"),
                 *error = json_object_get(response, "error");
    if (!response) return zl_fail(ctx, ZLAY_ENOMEM, "no memory for the answer");
    if (none) return fail_as(ctx, ZLAY_NONE, none);
    if (undecided) return fail_as(ctx, ZLAY_ELIMIT, undecided);
    if (error)
        return fail_as(ctx, status_named(json_string_value(error)),
                       json_object_get(response, "message"));
    return ZLAY_OK;
}
