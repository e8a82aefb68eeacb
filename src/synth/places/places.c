/* SPDX-License-Identifier: Apache-2.0 */
/* Places of a tile program: reads the request, finds the fixed point, then the choice of least cost
 * over all shapes of a cluster, packs it, and writes the answer. */
#include "synth/places/find.h"
#include "synth/places/place.h"

#include <string.h>

/* ---- the answer ------------------------------------------------------------------------------ */

static uint32_t bit(uint32_t place) { return place == ZL_NOWHERE ? 0 : 1u << place; }

static void put_value(zlay_places *out, const zl_place_program *p, const zl_place_choice *c,
                      const zl_place_room *room, uint32_t v)
{
    const zl_place_tree *tree = &c->tree[v];
    const zl_place_value *value = &p->value[v];
    zlay_places_home *to = &out->value[v];
    uint32_t writer = value->writer;
    *to = (zlay_places_home){.may = value->may, .home = bit(tree->home), .has = tree->has,
                             .blocks = 1, .bytes = value->bytes};
    if (p->r.value[v].to) to->end = bit(c->read[p->r.operations][v]);
    if (writer != UINT32_MAX) out->moved[tree->home] += value->weight;
    for (uint32_t i = 0; i < ZL_PLACES; i++) {
        if (!(tree->has >> i & 1) || i == tree->home) continue;
        bool shared = tree->source[i] == ZL_GLOBAL && i == ZL_SHARED;
        uint32_t group = shared ? value->group : 1;
        if (shared) to->blocks = group;
        to->source[i] = bit(tree->source[i]);
        out->moved[i] += value->weight;
        out->moved[tree->source[i]] += (value->weight + group - 1) / group;
        out->moves++;
    }
    for (uint32_t k = 0; k < value->readers; k++)
        if (value->reader[k].op < p->r.operations)
            out->moved[c->read[value->reader[k].op][value->reader[k].i]] +=
                value->bytes * p->runs[value->reader[k].op];
    uint32_t at = room->at[ZL_SHARED][v];
    to->smem = at == UINT32_MAX ? at : at * ZL_PLACE_UNIT;
    at = room->at[ZL_CLUSTER][v];
    to->remote = at == UINT32_MAX ? at : at * ZL_PLACE_UNIT;
    to->column = room->at[ZL_TENSOR][v];
}

/* Bytes of tiles that the grid's blocks read from global memory, and without groups. */
static void put_traffic(zlay_places *out, const zl_place_program *p, const zl_place_choice *c)
{
    uint64_t blocks = 1;
    for (int d = 0; d < 3; d++)
        if (p->r.grid[d] && __builtin_mul_overflow(blocks, p->r.grid[d], &blocks)) return;
    for (uint32_t v = 0; v < p->r.values; v++)
        for (uint32_t i = 0; i < ZL_PLACES; i++) {
            const zl_place_tree *tree = &c->tree[v];
            uint64_t bytes, group = i == ZL_SHARED ? p->value[v].group : 1;
            if (i == tree->home || tree->source[i] != ZL_GLOBAL) continue;
            if (__builtin_mul_overflow(p->value[v].weight, blocks, &bytes) ||
                __builtin_add_overflow(out->global_alone, bytes, &out->global_alone)) {
                out->global_alone = out->global_read = 0;
                return;
            }
            out->global_read += bytes / group;
        }
}

static void put_operation(zlay_places *out, const zl_place_program *p, const zl_place_choice *c,
                          uint32_t o)
{
    const zlay_places_operation *op = &p->r.operation[o];
    out->operation[o].form = c->form[o];
    for (uint32_t i = 0; i < op->reads; i++) out->operation[o].read[i] = bit(c->read[o][i]);
    for (uint32_t i = 0; i < op->writes; i++)
        out->operation[o].write[i] = zl_place_form_at(c->form[o])->result;
}

static zlay_status answer(zlay_places *out, const zl_place_search *s)
{
    const zl_place_program *p = s->p;
    zl_place_room room;
    zlay_status status = zl_place_fit(p, &s->choice, ~0ull, &room);
    if (status) return zl_fail(p->ctx, ZLAY_EINTERNAL, "the choice that was found does not fit");
    out->values = p->r.values;
    out->operations = p->r.operations;
    out->cost = s->best.cost;
    out->optimal = !s->cut;
    out->lower_bound = s->cut ? s->bound.cost : s->best.cost;
    out->smem = (uint64_t)room.used[ZL_SHARED] * ZL_PLACE_UNIT;
    out->registers = room.peak[ZL_REGISTER];
    out->tmem = room.used[ZL_TENSOR];
    out->tried = s->tried;
    for (uint32_t v = 0; v < out->values; v++) put_value(out, p, &s->choice, &room, v);
    for (uint32_t o = 0; o < out->operations; o++) put_operation(out, p, &s->choice, o);
    put_traffic(out, p, &s->choice);
    return ZLAY_OK;
}

static void put_lives(zl_places_lives *out, const zl_place_search *s)
{
    zl_place_lives l;
    for (uint32_t v = 0; v < s->p->r.values; v++) {
        zl_place_live(s->p, &s->choice, v, &l);
        for (uint32_t i = 0; i < ZL_PLACES; i++) {
            uint64_t unit = i == ZL_SHARED || i == ZL_CLUSTER ? ZL_PLACE_UNIT : 1;
            out->steps[v][i] = l.all[i];
            out->room[v][i] = unit * s->p->value[v].room[i] * l.tiles[i];
        }
    }
}

/* ---- the call -------------------------------------------------------------------------------- */

zlay_status zl_places_find(zlay_ctx *ctx, zlay_places *out, zl_places_lives *lives,
                           const zlay_target *target, const zlay_places_request *request)
{
    zl_place_program *p = zl_scratch(ctx, 1, sizeof *p);
    zl_place_search *s = zl_scratch(ctx, 1, sizeof *s);
    if (!p || !s) return ZLAY_ENOMEM;
    p->ctx = ctx;
    *s = (zl_place_search){.p = p, .most = zl_limits(ctx)->points};
    s->best = (zl_place_cost){UINT64_MAX, 0};
    zlay_status status = zl_place_read(p, target, request);
    if (!status) status = zl_place_fixed(p);
    if (status) return status;
    zl_place_trees(p);
    status = zl_place_shapes(s, out->cluster);
    if (status == ZLAY_ELIMIT)
        return zl_fail(ctx, status, "limit points: no choice that fits in %llu nodes",
                       (unsigned long long)s->most);
    if (status == ZLAY_NONE) return zl_place_least(s);
    if (!status) status = answer(out, s);
    if (!status && lives) put_lives(lives, s);
    return status;
}

zlay_status zlay_places_find(zlay_ctx *ctx, zlay_places *out, const zlay_target *target,
                             const zlay_places_request *request)
{
    if (!ctx || !out || !target || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_places *found = zl_scratch(ctx, 1, sizeof *found);
    if (!found) return zl_leave(ctx, ZLAY_ENOMEM);
    status = zl_whole(ctx, zl_places_find(ctx, found, NULL, target, request));
    if (!status) *out = *found;
    return zl_leave(ctx, status);
}
