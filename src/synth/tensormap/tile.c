/* SPDX-License-Identifier: Apache-2.0 */
/* Plans a tile that is given as a layout, of a source with unknowns.
 *
 * The composition of source and tile is a source whose only tile it is. The composition is exact
 * where the facts say that the tile stays inside the source's box and in which mode each of its
 * cells lies. Where they do not say so, the first extent with an unknown is taken to have at least
 * as many cells as the tile reaches over, and the guard states this: of (M,K):(ld,1) the tile 8:1
 * is 8:ld where M >= 8. */
#include "algebra/symbolic/symbol.h"
#include "algebra/decide/symbol_ask.h"
#include "algebra/decide/decide.h"
#include "algebra/ops/cute.h"
#include "synth/tensormap/symbolic/symbolic.h"

#include <stdio.h>
#include <string.h>
#include <zlay/decide.h>

enum { TEXT = 256 };

typedef struct work {
    zlay_ctx *ctx;
    const zlay_layout *tile;
    zl_symbols *s;           /* of the source */
    zlay_layout *composed;
    zlay_facts *facts;       /* about the names of the composition */
    char condition[TEXT];    /* the condition that was assumed; "": none */
} work;

/* ---- inside the box -------------------------------------------------------------------------- */

/* Gives the leaves the strides of the source's index, so that they are its box; false: these pass
 * 64 bits. */
static bool indices_of(zl_symbols *s)
{
    zl_monomial below = zl_monomial_of(1);
    s->offset.count = 0;
    for (size_t k = 0; k < s->leaves; k++) {
        s->leaf[k].stride = below;
        if (k + 1 < s->leaves && !zl_monomial_mul(&below, &below, &s->leaf[k].shape)) return false;
    }
    return true;
}

static zlay_status contained(zlay_ctx *ctx, zlay_answer *answer, const zlay_layout *tile,
                             const zlay_layout *all)
{
    uint64_t witness;
    if (zlay_layout_param_nth(tile, 0) || zlay_layout_param_nth(all, 0))
        return zl_layout_guard(ctx, answer, NULL,
                               &(zl_symbol_question){ZL_ASK_CONTAINED, tile, all, 0});
    return zl_layout_contained(ctx, answer, &witness, tile, all);
}

static zlay_status box_check(work *w, const zlay_layout *source)
{
    zlay_layout *all = NULL;
    zlay_answer answer = ZLAY_UNDECIDED;
    zlay_status status = zl_symbols_of(w->ctx, w->s, source);
    if (!status && !indices_of(w->s)) status = zl_symbols_overflow(w->ctx);
    if (!status) status = zl_symbols_layout(w->ctx, &all, w->s);
    if (!status) status = contained(w->ctx, &answer, w->tile, all);
    zlay_layout_free(all);
    if (status || answer == ZLAY_YES) return status;
    if (answer == ZLAY_NO)
        return zl_fail(w->ctx, ZLAY_EINVAL, "tile: it leaves the source's box whatever its names are");
    return zl_symbols_unknown(w->ctx, "the tile may leave the source's box; add facts about its extents");
}

/* ---- the composition ------------------------------------------------------------------------- */

/* Keeps what is known of each name, also that extents are at least 1, as facts about the
 * composition. */
static zlay_status names_keep(work *w, const zlay_layout *source)
{
    const char *name[ZL_SYMBOLS_MOST];
    zlay_range range[ZL_SYMBOLS_MOST];
    zlay_status status = zl_symbols_of(w->ctx, w->s, source);
    if (status) return status;
    for (size_t i = 0; i < w->s->names; i++) {
        name[i] = w->s->name[i].name.text;
        range[i] = w->s->name[i].range;
    }
    return zl_tm_facts(w->ctx, &w->facts, w->s->names, name, range);
}

static zlay_status compose(work *w, const zlay_layout *source)
{
    zlay_layout *out = NULL;
    zlay_status status = zl_layout_compose(w->ctx, &out, source, w->tile);
    if (!status) status = box_check(w, source);
    if (!status) status = names_keep(w, source);
    if (status) zlay_layout_free(out);
    else w->composed = out;
    return status;
}

/* The greatest index of the tile, counting only leaves that are numbers; false: it passes 63
 * bits. */
static bool reach_of(int64_t *out, zlay_ctx *ctx, const zlay_layout *tile, zl_symbols *s)
{
    int64_t way;
    *out = 0;
    if (zl_symbols_of(ctx, s, tile)) return false;
    for (size_t k = 0; k < s->leaves; k++) {
        const zl_symbol_leaf *l = &s->leaf[k];
        if (!zl_monomial_constant(&l->shape) || !zl_monomial_constant(&l->stride)) continue;
        if (!zl_mul(l->shape.factor - 1, l->stride.factor, &way) || !zl_add(*out, way, out)) return false;
    }
    return *out >= 0;
}

/* The only name of an extent of the form number * name; -1: it has another form. */
static int name_of(const zl_monomial *m, size_t names)
{
    for (size_t i = 0; i < names; i++) {
        zl_monomial rest = *m;
        if (m->power[i] != 1) continue;
        rest.power[i] = 0;
        return zl_monomial_constant(&rest) && m->factor > 0 ? (int)i : -1;
    }
    return -1;
}

/* Finds the first extent with a name, and the least value of that name at which `reach` stays
 * inside the extent; false: the extent is not a number times one name. */
static bool case_of(const zl_symbols *s, int64_t reach, int *name, int64_t *least)
{
    for (size_t k = 0; k < s->leaves; k++) {
        const zl_monomial *shape = &s->leaf[k].shape;
        *name = zl_monomial_constant(shape) ? -1 : name_of(shape, s->names);
        if (!zl_monomial_constant(shape)) *least = reach / shape->factor + 1;
        if (!zl_monomial_constant(shape)) return *name >= 0;
        reach /= shape->factor;
    }
    return false;
}

/* Makes the source under the assumption that this extent is long enough; ZLAY_ELIMIT: it cannot be
 * stated. */
static zlay_status case_assume(work *w, zlay_layout **out, const zlay_layout *source)
{
    zlay_facts *facts = NULL;
    zlay_range range;
    int64_t reach, least = 1;
    int name;
    if (!reach_of(&reach, w->ctx, w->tile, w->s)) return ZLAY_ELIMIT;
    zlay_status status = zl_symbols_of(w->ctx, w->s, source);
    if (status) return status;
    if (!case_of(w->s, reach, &name, &least)) return ZLAY_ELIMIT;
    const char *text = w->s->name[name].name.text;
    range = zl_range_between(least, INT64_MAX);
    snprintf(w->condition, TEXT, "%s >= %lld", text, (long long)least);
    status = zl_tm_facts(w->ctx, &facts, 1, &text, &range);
    if (!status) status = zl_layout_assume(w->ctx, out, source, facts);
    zlay_facts_free(facts);
    return status == ZLAY_ENOMEM ? status : status ? ZLAY_ELIMIT : ZLAY_OK;
}

/* Composes by the facts, or else under the condition; where both fail, the first message is
 * kept. */
static zlay_status composed(work *w, const zlay_layout *source)
{
    char why[TEXT];
    zlay_layout *longer = NULL;
    zlay_status status = compose(w, source);
    if (status != ZLAY_ELIMIT) return status;
    snprintf(why, sizeof why, "%s", zlay_ctx_message(w->ctx));
    status = case_assume(w, &longer, source);
    if (!status) status = compose(w, longer);
    zlay_layout_free(longer);
    return status && status != ZLAY_ENOMEM ? zl_fail(w->ctx, ZLAY_ELIMIT, "%s", why) : status;
}

/* ---- the request ----------------------------------------------------------------------------- */

/* shape_put where no name is left. */
static zlay_status box_put(const work *w, zlay_tensormap_request *r)
{
    size_t dims = zlay_layout_box(r->shape, ZLAY_TILE_AXES, w->composed);
    if (dims > ZLAY_TILE_AXES)
        return zl_fail(w->ctx, ZLAY_ELIMIT, "tile: has %zu modes, at most %d are read of a source with names",
                       dims, ZLAY_TILE_AXES);
    r->axes = (uint32_t)dims;
    r->source = w->composed;
    r->tile = NULL;
    return ZLAY_OK;
}

/* Makes the composition the source of the request, with one tile that is all of it. */
static zlay_status shape_put(work *w, zlay_tensormap_request *r)
{
    if (!zlay_layout_param_nth(w->composed, 0)) return box_put(w, r);
    zlay_status status = zl_symbols_of(w->ctx, w->s, w->composed);
    if (status) return status;
    if (w->s->leaves > ZLAY_TILE_AXES)
        return zl_fail(w->ctx, ZLAY_ELIMIT, "tile: has %zu modes, at most %d are read of a source with names",
                       w->s->leaves, ZLAY_TILE_AXES);
    for (size_t k = 0; k < w->s->leaves; k++) {
        if (!zl_monomial_constant(&w->s->leaf[k].shape))
            return zl_symbols_unknown(w->ctx, "the tile has an extent with a name");
        r->shape[k] = (uint64_t)w->s->leaf[k].shape.factor;
    }
    r->axes = (uint32_t)w->s->leaves;
    r->source = w->composed;
    r->tile = NULL;
    return ZLAY_OK;
}

static zlay_status tile_synth(work *w, zlay_move **out, const zlay_target *target,
                              const zlay_tensormap_request *request)
{
    zlay_layout *known = NULL;
    zlay_tensormap_request r = *request;
    zlay_status status = zl_symbols_plain(w->ctx, r.source);
    if (!status) status = zl_layout_assume(w->ctx, &known, r.source, r.facts);
    if (!status) status = composed(w, known);
    zlay_layout_free(known);
    if (!status) status = shape_put(w, &r);
    bool named = !status && zlay_layout_param_nth(r.source, 0);
    if (!r.facts || !r.facts->relations) r.facts = w->facts;
    if (named) status = zl_tm_synth_symbolic(w->ctx, out, target, &r);
    else if (!status) status = zl_tm_synth(w->ctx, out, target, &r, 0);
    if (!status && *w->condition) status = zl_tm_guard_case(w->ctx, *out, w->condition);
    return status;
}

zlay_status zl_tm_synth_tile(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                             const zlay_tensormap_request *request)
{
    work w = {.ctx = ctx, .tile = request->tile};
    w.s = zl_scratch(ctx, 1, sizeof *w.s);
    if (!w.s) return ZLAY_ENOMEM;
    zlay_status status = tile_synth(&w, out, target, request);
    zlay_layout_free(w.composed);
    zlay_facts_free(w.facts);
    return status;
}
