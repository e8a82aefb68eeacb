/* SPDX-License-Identifier: Apache-2.0 */
/* show.pipe and show.tmem: a run of a pipe. */
#include "json/show/show.h"

#include <zlay/show_pipe.h>

typedef struct pipe_asked {
    const zlay_pipe *pipe;
    zlay_show_pipe_request request;
    zl_show_asked form;
} pipe_asked;

static const pipe_asked start = {.request.size = sizeof start.request};

static const zl_field rows[] = {
    {"pipe", ZL_NEEDS, ZL_AT(zl_as_pipe, pipe_asked, pipe)},
    {"trips", ZL_MAY, ZL_AT(zl_as_u64, pipe_asked, request.trips)},
    {"steps", ZL_MAY, ZL_AT(zl_as_u32, pipe_asked, request.steps)},
    ZL_PART(zl_form_fields, pipe_asked, form),
};
const zl_fields zl_show_pipe_fields = {ZL_ROWS(rows, pipe_asked), .start = &start};

zlay_status zl_op_show_pipe(zl_call *call, const void *value)
{
    const pipe_asked *a = value;
    zlay_picture *picture = NULL;
    zlay_status status = zlay_show_pipe(call->ctx, &picture, a->pipe, &a->request);
    return zl_put_picture(call, status, picture, &a->form);
}

zlay_status zl_op_show_tmem(zl_call *call, const void *value)
{
    const pipe_asked *a = value;
    zlay_picture *picture = NULL;
    zlay_status status = zlay_show_tmem(call->ctx, &picture, a->pipe, &a->request);
    return zl_put_picture(call, status, picture, &a->form);
}
