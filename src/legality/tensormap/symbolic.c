/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps under facts. */
#include "base/request.h"
#include "legality/tensormap/symbolic.h"

uint64_t *zl_map_entry(zlay_tensormap *map, int32_t field, uint32_t i)
{
    if (field == ZLAY_FIELD_ADDRESS) return &map->address;
    if (field == ZLAY_FIELD_EXTENT && i < zl_dims(map)) return &map->extent[i];
    if (field == ZLAY_FIELD_STRIDE && i < zl_dims(map) && i + 1 < zl_dims(map))
        return &map->stride[i];
    return NULL;
}

static bool take(zl_given *g, const zlay_given *given)
{
    bool box = given->field == ZLAY_FIELD_BOX && (uint32_t)given->index < zl_dims(g->map);
    uint64_t *entry = zl_map_entry(g->map, given->field, (uint32_t)given->index);
    if (box) g->map->box[given->index] = 1;
    else if (entry) *entry = 1;
    return box || entry;
}

static bool typed(int64_t *lo, int64_t *hi, const zl_given *g, const zlay_given *given)
{
    *lo = 0;
    *hi = INT64_MAX;
    return given->field == ZLAY_FIELD_ADDRESS && !zl_measured(g->subject.target);
}

static bool repairs(const zl_given *g, int32_t field)
{
    (void)g;
    return field != ZLAY_FIELD_BOX && field != ZLAY_FIELD_STRIDE;
}

const zl_given_form zl_map_symbolic = {
    "an address, extent, stride or box", true, take, typed, zl_map_asks, repairs, &zl_map_box, NULL};

bool zl_of_map(const zlay_given *text)
{
    return text->field == ZLAY_FIELD_ADDRESS || text->field == ZLAY_FIELD_EXTENT ||
           text->field == ZLAY_FIELD_STRIDE || text->field == ZLAY_FIELD_BOX;
}

bool zl_map_symbolic_any(const zl_given *g)
{
    bool any = false;
    for (uint32_t i = 0; i < g->count; i++) any |= zl_of_map(&g->text[i]);
    return any;
}

zlay_status zl_tensormap_question_read(zlay_tensormap_question *out,
                                       const zlay_tensormap_question *question)
{
    static const zl_request_form request = {"zlay_tensormap_question",
                                            sizeof(zlay_tensormap_question),
                                            sizeof question->size,
                                            {{0}}};
    if (!question || zl_request_read(NULL, out, question, &request)) return ZLAY_EINVAL;
    bool whole = out->target && out->map && (!out->count || out->given) &&
                 zl_is_zero(out->map->reserved, sizeof out->map->reserved);
    return whole ? ZLAY_OK : ZLAY_EINVAL;
}

zlay_status zl_tensormap_check_symbolic(zlay_ctx *ctx, zlay_verdict *out, zlay_reason *reasons,
                                        size_t room, zlay_buf *guard,
                                        const zlay_tensormap_question *question)
{
    zlay_tensormap_question q;
    if (!zl_symbolic_askable(out, reasons, room, guard) || zl_tensormap_question_read(&q, question))
        return ZLAY_EINVAL;
    zlay_tensormap map = *q.map;
    zl_given g = {.ctx = ctx, .form = &zl_map_symbolic, .subject = {&zl_tensormap_form, q.target, &map},
                  .map = &map, .text = q.given, .count = q.count, .facts = q.facts};
    return zl_given_check(&g, out, reasons, room, guard);
}

zlay_status zlay_tensormap_check_given(zlay_ctx *ctx, zlay_verdict *out, zlay_reason *reasons,
                                       size_t room, zlay_buf *guard,
                                       const zlay_tensormap_question *question)
{
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    return zl_leave(ctx, zl_tensormap_check_symbolic(ctx, out, reasons, room, guard, question));
}
