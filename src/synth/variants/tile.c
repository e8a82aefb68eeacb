/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the candidates of loads of a tile of a tensor with unknowns. The planner of tensor maps answers with the condition
 * under which its copies are legal; the planner of copies by threads with a plan that is always legal and the condition of its
 * widest accesses, which becomes one of half the width, and so on. Each condition is a guard, and what it makes legal is
 * planned and certified with the guard among the facts. A shape costs its tiles times the instructions of one. */
#include "algebra/symbolic/symbol.h"
#include "base/request.h"
#include "synth/copy/copy.h"
#include "synth/tensormap/tensormap.h"
#include "synth/variants/variants.h"
#include "target/target.h"

#include <stdio.h>
#include <string.h>

enum { TILE_CANDIDATES = 2 + ZL_WIDTH_MOST, TILE_FACTS = 128, TILE_TEXT = 512 };

static const char AND[] = " && ";

typedef struct fact_list {
    const char *text[TILE_FACTS];
    uint32_t count;
} fact_list;

typedef struct tile_derived {
    zlay_ctx *ctx;
    const zlay_target *target;
    const zlay_variants_tile *asked;
    const zlay_tensormap_request *tile;
    zl_unknowns u; /* with the ranges of all facts */
    zl_symbols *source;
    fact_list facts;
    zlay_move *move[TILE_CANDIDATES];
    fact_list guard[TILE_CANDIDATES];
    zlay_variant candidate[TILE_CANDIDATES];
    uint32_t count;
} tile_derived;

/* ---- facts ----------------------------------------------------------------------------------- */

static zlay_status list_put(const tile_derived *d, fact_list *list, const char *text, size_t length)
{
    char *kept = zl_scratch(d->ctx, length + 1, 1);
    if (!kept) return ZLAY_ENOMEM;
    if (list->count == TILE_FACTS) return zl_fail(d->ctx, ZLAY_ELIMIT, "facts: more than %d", TILE_FACTS);
    memcpy(kept, text, length);
    list->text[list->count++] = kept;
    return ZLAY_OK;
}

/* The facts of the request and those of a guard, as planners take them. */
static zlay_status facts_with(const tile_derived *d, zlay_facts **out, const fact_list *guard)
{
    const char *text[2 * TILE_FACTS];
    size_t length[2 * TILE_FACTS], count = 0;
    for (uint32_t i = 0; i < d->facts.count; i++) text[count++] = d->facts.text[i];
    for (uint32_t i = 0; i < guard->count; i++) text[count++] = guard->text[i];
    for (size_t i = 0; i < count; i++) length[i] = strlen(text[i]);
    return zl_facts_parse(d->ctx, out, count, text, length);
}

static bool is_in_extent(const zl_symbols *s, size_t name)
{
    for (size_t k = 0; k < s->leaves; k++)
        if (s->leaf[k].shape.power[name]) return true;
    return false;
}

/* What facts say of the unknowns; the names of extents are at least 1. */
static zlay_status facts_read(tile_derived *d)
{
    const zlay_variants_request *r = &d->asked->shapes;
    const fact_list none = {{NULL}, 0};
    zl_variant_guard domain;
    char text[TILE_TEXT];
    if (r->facts && !r->fact) return zl_fail(d->ctx, ZLAY_EINVAL, "facts is NULL");
    zlay_status status = zl_variant_guard_read(&d->u, &domain, "facts", r->fact, r->facts, true);
    for (uint32_t i = 0; i < r->facts && !status; i++) status = list_put(d, &d->facts, r->fact[i], strlen(r->fact[i]));
    for (size_t i = 0; i < d->source->names && !status; i++) {
        int length = snprintf(text, sizeof text, "%s >= 1", d->source->name[i].name.text);
        if (is_in_extent(d->source, i)) status = list_put(d, &d->facts, text, (size_t)length);
    }
    for (size_t i = 0; i < d->u.count; i++) d->u.at[i].range = zl_range_all();
    if (!status) status = zl_variant_guard_read(&d->u, &domain, "facts", d->facts.text, d->facts.count, true);
    zlay_facts *facts = NULL;
    if (!status) status = facts_with(d, &facts, &none);
    zlay_facts_free(facts);
    return status;
}

/* Whether a part of a condition is a fact about the unknowns. */
static zlay_status is_fact(tile_derived *d, bool *is, const char *text)
{
    zl_variant_guard read;
    zlay_status status = zl_variant_guard_read(&d->u, &read, "guard", &text, 1, false);
    *is = !status;
    return status == ZLAY_ENOMEM ? status : ZLAY_OK;
}

/* ---- the tensor ------------------------------------------------------------------------------ */

static zlay_status extent_print(const tile_derived *d, char *out, size_t room, size_t axis)
{
    zl_text text = {out, room - 1, 0};
    zl_monomial_print(&text, &d->source->leaf[axis].shape, d->source);
    if (text.need >= room) return zl_fail(d->ctx, ZLAY_ELIMIT, "source: extent %zu in names has %zu bytes", axis, text.need);
    out[text.need] = 0;
    return ZLAY_OK;
}

static zlay_status tensor_read(tile_derived *d)
{
    const zlay_layout *source = d->tile->source;
    const char *name;
    size_t place;
    if (!source) return zl_fail(d->ctx, ZLAY_EINVAL, "source: is NULL");
    if (!zlay_layout_param_nth(source, 0)) return zl_fail(d->ctx, ZLAY_EINVAL, "source: it has no unknown");
    if (!source->symbols) return zl_fail(d->ctx, ZLAY_ENOTSUP, "source: its unknowns are in no extents and strides");
    for (size_t i = 0; (name = zlay_layout_param_nth(source, i)); i++) {
        for (place = 0; place < d->u.count && strcmp(d->u.at[place].name.text, name) != 0; place++) continue;
        if (place == d->u.count) return zl_fail(d->ctx, ZLAY_EINVAL, "source: '%s' is none of the unknowns", name);
    }
    zlay_status status = zl_symbols_of(d->ctx, d->source, source);
    if (!status && d->source->leaves != d->tile->axes)
        status = zl_fail(d->ctx, ZLAY_EINVAL, "tile: has %u entries, and the source %zu modes", d->tile->axes, d->source->leaves);
    return status;
}

/* Threads fill in nothing: of strong edges there are none where extents are whole tiles. False: some never are. */
static zlay_status put_whole(tile_derived *d, fact_list *out, bool *can)
{
    char extent[TILE_TEXT / 2], text[TILE_TEXT];
    zlay_status status = ZLAY_OK;
    *can = true;
    if (d->tile->edge == ZLAY_EDGE_WEAK) return ZLAY_OK;
    for (size_t k = 0; k < d->source->leaves && !status && *can; k++) {
        const zl_monomial *shape = &d->source->leaf[k].shape;
        uint64_t cells = d->tile->shape[k];
        *can = !zl_monomial_constant(shape) || (uint64_t)shape->factor % cells == 0;
        if (zl_monomial_constant(shape) || cells == 1) continue;
        status = extent_print(d, extent, sizeof extent, k);
        int length = status ? 0 : snprintf(text, sizeof text, "%s %% %llu == 0", extent, (unsigned long long)cells);
        if (!status) status = is_fact(d, can, text);
        if (!status && *can) status = list_put(d, out, text, (size_t)length);
    }
    return status;
}

/* ---- candidates ------------------------------------------------------------------------------ */

/* Takes the move. The cost of a shape is an expression of the unknowns. */
static zlay_status put_candidate(tile_derived *d, zlay_move *move, const fact_list *guard)
{
    uint32_t i = d->count++;
    char extent[TILE_TEXT / 2];
    zl_text cost = {zl_scratch(d->ctx, TILE_TEXT, 1), TILE_TEXT - 1, 0};
    zlay_status status = ZLAY_OK;
    d->move[i] = move;
    d->guard[i] = *guard;
    if (!cost.text) return ZLAY_ENOMEM;
    for (size_t k = 0; k < d->source->leaves && !status; k++) {
        status = extent_print(d, extent, sizeof extent, k);
        if (!status) zl_putf(&cost, "ceil((%s) / %llu) * ", extent, (unsigned long long)d->tile->shape[k]);
    }
    zl_putf(&cost, "%llu", (unsigned long long)(move->info.copies ? move->info.copies : move->info.instructions));
    if (!status && cost.need >= TILE_TEXT) status = zl_fail(d->ctx, ZLAY_ELIMIT, "source: its extents in names are too long");
    d->candidate[i] = (zlay_variant){.guard = d->guard[i].text, .guards = guard->count, .cost = cost.text};
    return status;
}

/* The parts of a condition that are facts; products of unknowns are none. */
static zlay_status put_parts(tile_derived *d, fact_list *out, const char *condition)
{
    char text[TILE_TEXT];
    bool is;
    zlay_status status = ZLAY_OK;
    for (const char *at = condition, *end; *at && !status; at = *end ? end + strlen(AND) : end) {
        end = strstr(at, AND);
        if (!end) end = at + strlen(at);
        int length = snprintf(text, sizeof text, "%.*s", (int)(end - at), at);
        if (length >= TILE_TEXT) continue;
        status = is_fact(d, &is, text);
        if (!status && is) status = list_put(d, out, text, (size_t)length);
    }
    return status;
}

static zlay_status maps_find(const tile_derived *d, zlay_move **out, const fact_list *guard)
{
    zlay_facts *facts = NULL;
    zlay_tensormap_request r = *d->tile;
    *out = NULL;
    zlay_status status = facts_with(d, &facts, guard);
    r.facts = facts;
    if (!status) status = zl_tm_find(d->ctx, out, d->target, &r);
    zlay_facts_free(facts);
    return status;
}

static bool is_open(const zlay_move *move) { return move->guard && move->guard_length; }

/* Plans again with the guard among the facts, so that it is seen to suffice: parts of the condition that are no facts have to
 * follow from it. */
static zlay_status maps_guarded(tile_derived *d, zlay_move **out, fact_list *guard)
{
    zlay_move *open = *out;
    *out = NULL;
    zlay_status status = put_parts(d, guard, open->guard);
    if (!status) status = maps_find(d, out, guard);
    if (!status && is_open(*out))
        status = zl_fail(d->ctx, ZLAY_ENOTSUP, "tile: its tensor map is legal where '%.200s', of which a part is no fact; "
                         "ranges of the unknowns among the facts may decide it", open->guard);
    zlay_move_free(open);
    return status;
}

static zlay_status by_tensor(tile_derived *d, zlay_move **out)
{
    fact_list guard = {{NULL}, 0};
    zlay_status status = d->target->features & ZL_HAS_TMA ? maps_find(d, out, &guard) : ZLAY_NONE;
    if (status == ZLAY_NONE) return ZLAY_OK;
    if (!status && is_open(*out)) status = maps_guarded(d, out, &guard);
    if (!status) return put_candidate(d, *out, &guard);
    zlay_move_free(*out);
    *out = NULL;
    return status;
}

/* A copy by threads under a guard, of accesses of at least so many bytes; *out NULL: there is none. */
static zlay_status by_threads(tile_derived *d, const zlay_move **out, const zlay_layout *smem, const fact_list *guard, uint32_t least)
{
    zlay_facts *facts = NULL;
    zlay_move *move = NULL;
    zlay_copy_request r = {.size = sizeof r,
                           .elem_bits = zlay_type_bits(d->tile->type),
                           .threads = d->asked->threads,
                           .source = {d->tile->source, ZLAY_MOVE_GLOBAL, 0, d->tile->address_align},
                           .dest = {smem, ZLAY_MOVE_SHARED, 0, 0},
                           .axes = d->tile->axes};
    memcpy(r.tile, d->tile->shape, sizeof r.tile);
    *out = NULL;
    zlay_status status = facts_with(d, &facts, guard);
    if (status == ZLAY_EINVAL) return ZLAY_OK; /* the guard contradicts the facts of the request */
    r.facts = facts;
    if (!status) status = zl_copy_synth(d->ctx, &move, d->target, &r);
    zlay_facts_free(facts);
    if (status) return status == ZLAY_NONE ? ZLAY_OK : status;
    bool filled = d->tile->edge == ZLAY_EDGE_WEAK || move->info.edge != ZLAY_EDGE_WEAK;
    if (filled && move->widest.width >= least) *out = move, status = put_candidate(d, move, guard);
    else zlay_move_free(move);
    return status;
}

/* The guard of accesses of so many elements; that of the widest is "K % 8 == 0 && ld % 8 == 0". Parts that are no facts have to
 * follow from the others. */
static zlay_status put_narrower(tile_derived *d, fact_list *out, const char *widest, uint64_t elements)
{
    zlay_status status = ZLAY_OK;
    char text[TILE_TEXT];
    for (const char *at = widest, *end; *at && !status; at = *end ? end + strlen(AND) : end) {
        end = strstr(at, AND);
        if (!end) end = at + strlen(at);
        const char *by = end;
        while (by > at && *by != '%') by--;
        int length = snprintf(text, sizeof text, "%.*s%% %llu == 0", (int)(by - at), at, (unsigned long long)elements);
        bool is = false;
        if (length < TILE_TEXT) status = is_fact(d, &is, text);
        if (!status && is) status = list_put(d, out, text, (size_t)length);
    }
    return status;
}

static zlay_status all_by_threads(tile_derived *d, const zlay_layout *smem)
{
    fact_list whole = {{NULL}, 0};
    const zlay_move *base = NULL;
    bool can;
    uint32_t bits = zlay_type_bits(d->tile->type);
    zlay_status status = put_whole(d, &whole, &can);
    if (!status && can) status = by_threads(d, &base, smem, &whole, 0);
    if (status || !base || !base->names || !base->names->wider) return status;
    for (uint32_t width = base->names->wider; width > base->widest.width && width * 8 > bits && !status; width /= 2) {
        const zlay_move *wider;
        fact_list guard = whole;
        status = put_narrower(d, &guard, base->names->guard, width * 8 / bits);
        if (!status) status = by_threads(d, &wider, smem, &guard, width);
    }
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static zlay_status fields_check(const tile_derived *d)
{
    const zlay_tensormap_request *t = d->tile;
    const char *field = t->tile                               ? "tile: a layout"
                        : t->direction != ZLAY_DIRECTION_LOAD ? "direction: a store"
                        : t->residual                         ? "residual: 1"
                        : t->index_given                      ? "index: one tile"
                                                              : NULL;
    if (field) return zl_fail(d->ctx, ZLAY_ENOTSUP, "%s; variants are of loads of tiles by their shape", field);
    if (t->facts) return zl_fail(d->ctx, ZLAY_EINVAL, "tile: its facts stand beside the unknowns");
    if (t->axes > ZLAY_TILE_AXES) return zl_fail(d->ctx, ZLAY_EINVAL, "tile: has %u entries, not 1 to %d", t->axes, ZLAY_TILE_AXES);
    for (uint32_t i = 0; i < t->axes; i++)
        if (!t->shape[i] || t->shape[i] > INT32_MAX)
            return zl_fail(d->ctx, ZLAY_EINVAL, "tile: entry %u is %llu, not 1 to 2^31 - 1", i, (unsigned long long)t->shape[i]);
    return ZLAY_OK;
}

static zlay_status derive(tile_derived *d)
{
    zlay_move *tensor = NULL;
    char why[512];
    if (!(d->source = zl_scratch(d->ctx, 1, sizeof *d->source))) return ZLAY_ENOMEM;
    zlay_status status = fields_check(d);
    if (!status) status = zl_variants_counts(d->ctx, &d->asked->shapes);
    if (!status) status = zl_variant_guard_names(d->ctx, &d->u, &d->asked->shapes);
    if (!status) status = tensor_read(d);
    if (!status) status = facts_read(d);
    if (!status) status = by_tensor(d, &tensor);
    if (status) return status;
    const zlay_layout *smem = d->tile->smem ? d->tile->smem : tensor ? tensor->smem : NULL;
    if (!smem) return zl_fail(d->ctx, ZLAY_EINVAL, "smem: no tensor copies choose it, and copies by threads need one");
    status = all_by_threads(d, smem);
    if (status || d->count) return status;
    snprintf(why, sizeof why, "%s", zlay_ctx_message(d->ctx));
    return zl_fail(d->ctx, ZLAY_NONE, "tile: neither tensor copies nor threads bring it%s%s", *why ? ": " : "", why);
}

static zlay_status choose(tile_derived *d, zlay_variants **out, zlay_move **move)
{
    zlay_variants_request r = d->asked->shapes;
    zlay_variants_item item;
    r.fact = d->facts.text, r.facts = d->facts.count;
    r.variant = d->candidate, r.variants = d->count;
    zlay_status status = zl_variants_choose(d->ctx, out, &r);
    if (status) return status;
    (*out)->summary.unit = ZLAY_VARIANTS_INSTRUCTIONS;
    for (uint32_t i = 0; zlay_variants_nth(&item, *out, i) == ZLAY_OK; i++)
        move[i] = d->move[item.variant], d->move[item.variant] = NULL;
    return ZLAY_OK;
}

static zlay_status request_read(zlay_ctx *ctx, zlay_variants_tile *out, zlay_tensormap_request *tile, const zlay_variants_tile *in)
{
    static const zl_request_form form = {.name = "variants", .size = sizeof *out, .least = sizeof *out};
    zlay_status status = zl_request_read(ctx, out, in, &form);
    if (status) return status;
    if (!out->tile || out->tile->size < sizeof out->tile->size || out->tile->size > sizeof *tile)
        return zl_fail(ctx, ZLAY_EINVAL, "tile: it is NULL, or its size is none of a zlay_tensormap_request");
    if (out->shapes.variants) return zl_fail(ctx, ZLAY_EINVAL, "variants: candidates come from the planners");
    *tile = (zlay_tensormap_request){0};
    memcpy(tile, out->tile, out->tile->size);
    tile->size = sizeof *tile;
    return ZLAY_OK;
}

static zlay_status whole(zlay_ctx *ctx, zlay_variants **out, zlay_move **move, const zlay_target *target,
                         const zlay_variants_tile *request)
{
    zlay_variants_tile asked;
    zlay_tensormap_request tile;
    tile_derived *d = zl_scratch(ctx, 1, sizeof *d);
    if (!d) return ZLAY_ENOMEM;
    *d = (tile_derived){.ctx = ctx, .target = target, .asked = &asked, .tile = &tile};
    zlay_status status = request_read(ctx, &asked, &tile, request);
    if (!status) status = derive(d);
    if (!status) status = choose(d, out, move);
    for (uint32_t i = 0; i < d->count; i++) zlay_move_free(d->move[i]);
    return status;
}

zlay_status zlay_variants_tile_choose(zlay_ctx *ctx, zlay_variants **out, zlay_move **move, const zlay_target *target,
                                      const zlay_variants_tile *request)
{
    zlay_variants *variants = NULL;
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!ctx || !move || !target || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    for (int i = 0; i < ZLAY_VARIANTS_MOST; i++) move[i] = NULL;
    status = zl_leave(ctx, zl_whole(ctx, whole(ctx, &variants, move, target, request)));
    if (!status) {
        *out = variants;
        return ZLAY_OK;
    }
    zlay_variants_free(variants);
    for (int i = 0; i < ZLAY_VARIANTS_MOST; i++) zlay_move_free(move[i]), move[i] = NULL;
    return status;
}
