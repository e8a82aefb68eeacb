/* SPDX-License-Identifier: Apache-2.0 */
/* show.schedule and show.places: when operations start, and where values lie. */
#include "json/places/places.h"
#include "json/schedule/schedule.h"
#include "json/show/show.h"

#include <zlay/show_places.h>
#include <zlay/show_schedule.h>

typedef struct schedule_asked {
    zl_loop_asked loop;
    zlay_show_schedule_request request;
    zl_show_asked form;
} schedule_asked;

static const schedule_asked schedule_start = {.request.size = sizeof schedule_start.request};

static const zl_field schedule_rows[] = {
    ZL_PART(zl_schedule_fields, schedule_asked, loop),
    {"iterations", ZL_MAY, ZL_AT(zl_as_u32, schedule_asked, request.iterations)},
    {"columns", ZL_MAY, ZL_AT(zl_as_u32, schedule_asked, request.columns)},
    ZL_PART(zl_form_fields, schedule_asked, form),
};
const zl_fields zl_show_schedule_fields = {ZL_ROWS(schedule_rows, schedule_asked),
                                           .start = &schedule_start};

zlay_status zl_op_show_schedule(zl_call *call, const void *value)
{
    const schedule_asked *a = value;
    zlay_schedule_request loop;
    zlay_picture *picture = NULL;
    zlay_status status = zl_loop_numbered(call, &loop, &a->loop);
    if (!status) status = zlay_show_schedule(call->ctx, &picture, &loop, &a->request);
    return zl_put_picture(call, status, picture, &a->form);
}

typedef struct places_asked {
    zl_places_asked program;
    zl_show_asked form;
} places_asked;

static const zl_field places_rows[] = {
    ZL_PART(zl_places_fields, places_asked, program),
    ZL_PART(zl_form_fields, places_asked, form),
};
const zl_fields zl_show_places_fields = {ZL_ROWS(places_rows, places_asked)};

zlay_status zl_op_show_places(zl_call *call, const void *value)
{
    const places_asked *a = value;
    zlay_places_request request;
    zlay_picture *picture = NULL;
    zlay_status status = zl_places_numbered(call, &request, &a->program);
    if (!status) status = zlay_show_places(call->ctx, &picture, a->program.target, &request);
    return zl_put_picture(call, status, picture, &a->form);
}
