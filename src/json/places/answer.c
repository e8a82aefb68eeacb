/* SPDX-License-Identifier: Apache-2.0 */
/* What places.find answers: of each value its places and moves, of each operation its form and the
 * places of its operands, what is taken of each memory, the cluster, and the same as text. */
#include "json/places/places.h"

static json_t *set_value(zl_call *call, uint32_t set)
{
    json_t *list = json_array();
    for (uint32_t place = 1; place >> ZLAY_PLACE_KINDS == 0; place <<= 1)
        if (set & place) zl_put_item(call, list, json_string(zlay_place_name(place)));
    return list;
}

static json_t *moves_value(zl_call *call, const zlay_places_home *home, const zlay_target *target)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < ZLAY_PLACE_KINDS; i++) {
        uint32_t from = home->source[i], to = 1u << i;
        if (!from) continue;
        json_t *move = json_object();
        zl_put_value(call, move, "from", json_string(zlay_place_name(from)));
        zl_put_value(call, move, "to", json_string(zlay_place_name(to)));
        zl_put_value(call, move, "by", json_string(zlay_places_move_name(target, from, to)));
        zl_put_item(call, list, move);
    }
    return list;
}

/* Who issues which rows of a tile to whom. */
static void put_multicast(zl_call *call, json_t *value, const zlay_places *p,
                          const zlay_places_request *r, uint32_t v)
{
    uint32_t blocks = p->cluster[0] * p->cluster[1] * p->cluster[2], mask, first, rows;
    if (p->value[v].blocks < 2) return;
    json_t *list = json_array();
    for (uint32_t rank = 0; rank < blocks; rank++) {
        if (zlay_places_mask(&mask, &first, &rows, p, r, v, rank)) continue;
        json_t *copy = json_object();
        zl_put_value(call, copy, "cta", json_integer(rank));
        zl_put_value(call, copy, "cta_mask", json_integer(mask));
        zl_put_value(call, copy, "row", json_integer(first));
        zl_put_value(call, copy, "rows", json_integer(rows));
        zl_put_item(call, list, copy);
    }
    zl_put_value(call, value, "multicast", list);
}

static json_t *value_value(zl_call *call, const zlay_places *p, const zlay_target *target,
                           const zlay_places_request *r, uint32_t v)
{
    const zlay_places_home *home = &p->value[v];
    json_t *value = json_object();
    zl_put_value(call, value, "name", json_string(r->value[v].name));
    zl_put_value(call, value, "may", set_value(call, home->may));
    zl_put_value(call, value, "home", json_string(zlay_place_name(home->home)));
    zl_put_value(call, value, "has", set_value(call, home->has));
    zl_put_value(call, value, "moves", moves_value(call, home, target));
    zl_put_value(call, value, "bytes", zl_json_uint(home->bytes));
    if (home->smem != UINT32_MAX) zl_put_value(call, value, "smem", json_integer(home->smem));
    if (home->remote != UINT32_MAX) zl_put_value(call, value, "remote", json_integer(home->remote));
    if (home->column != UINT32_MAX) zl_put_value(call, value, "column", json_integer(home->column));
    put_multicast(call, value, p, r, v);
    return value;
}

static json_t *list_value(zl_call *call, const uint32_t *place, uint32_t count)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        zl_put_item(call, list, json_string(zlay_place_name(place[i])));
    return list;
}

static json_t *operation_value(zl_call *call, const zlay_places *p, const zlay_places_request *r,
                               uint32_t o)
{
    const zlay_places_use *use = &p->operation[o];
    json_t *value = json_object();
    zl_put_value(call, value, "form", json_string(zlay_places_form_name(use->form)));
    zl_put_value(call, value, "reads", list_value(call, use->read, r->operation[o].reads));
    zl_put_value(call, value, "writes", list_value(call, use->write, r->operation[o].writes));
    return value;
}

typedef struct asked_text {
    const zlay_places *places;
    const zlay_target *target;
    const zlay_places_request *request;
} asked_text;

static zlay_status print(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const asked_text *s = value;
    (void)ctx;
    return zlay_places_print(out, s->places, s->target, s->request);
}

static void put_totals(zl_call *call, const zlay_places *p)
{
    json_t *moved = json_object(), *value = call->value;
    for (uint32_t i = 0; i < ZLAY_PLACE_KINDS; i++)
        zl_put_value(call, moved, zlay_place_name(1u << i), zl_json_uint(p->moved[i]));
    zl_put_value(call, value, "cost", zl_json_uint(p->cost));
    zl_put_value(call, value, "lower_bound", zl_json_uint(p->lower_bound));
    zl_put_value(call, value, "optimal", json_boolean(p->optimal));
    zl_put_value(call, value, "moves", json_integer(p->moves));
    zl_put_value(call, value, "moved", moved);
    zl_put_value(call, value, "smem", zl_json_uint(p->smem));
    zl_put_value(call, value, "registers", json_integer(p->registers));
    zl_put_value(call, value, "tmem", json_integer(p->tmem));
    zl_put_value(call, value, "cluster", zl_json_list32(call, p->cluster, 3));
    zl_put_value(call, value, "global_read", zl_json_uint(p->global_read));
    zl_put_value(call, value, "global_alone", zl_json_uint(p->global_alone));
}

void zl_put_places(zl_call *call, const zlay_places *places, const zlay_target *target,
                   const zlay_places_request *request)
{
    const asked_text s = {places, target, request};
    json_t *values = json_array(), *operations = json_array();
    call->value = json_object();
    for (uint32_t v = 0; v < places->values; v++)
        zl_put_item(call, values, value_value(call, places, target, request, v));
    for (uint32_t o = 0; o < places->operations; o++)
        zl_put_item(call, operations, operation_value(call, places, request, o));
    zl_put_value(call, call->value, "values", values);
    zl_put_value(call, call->value, "operations", operations);
    put_totals(call, places);
    if (zl_put_printed(call, "text", print, &s)) call->no_memory = true;
}
