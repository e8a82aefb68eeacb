/* SPDX-License-Identifier: Apache-2.0 */
/* Finds L = R o L_desc: tries every member L_desc of the family, and keeps the R with the least
 * word. Words of several rounds are first searched with few beginnings. Members whose lower bound
 * is less than the best word so far are searched again, as word.synth searches (branch and bound
 * over the family). */
#include "algebra/ops/cute.h"
#include "algebra/decide/certificate.h"
#include "algebra/find/find.h"
#include "base/request.h"
#include "synth/word/factor.h"

#include "algebra/f2/f2.h"
#include "algebra/find/table.h"

#include <string.h>
#include <zlay/factor.h>
#include <zlay/word.h>

enum { LANE_BITS = 5, WARP_BITS = 2, REG_MOST = 8 };

struct zlay_factor {
    zlay_allocator alloc;
    zlay_factor_summary info;
    zlay_layout *part[ZLAY_FACTOR_PARTS];
    zlay_word *word;
};

/* ---- the request ----------------------------------------------------------------------------- */

static zlay_status read_modes(zl_factoring *f, const zlay_layout *layout)
{
    uint64_t extent[ZL_TILE_MODES];
    size_t count = zlay_layout_box(extent, ZL_TILE_MODES, layout);
    if (count > ZL_TILE_MODES)
        return zl_fail(f->ctx, ZLAY_ENOTSUP, "layout: has %zu modes, more than 8", count);
    f->modes = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        f->mode_bits[i] = extent[i] ? (uint32_t)__builtin_ctzll(extent[i]) : 0;
    return ZLAY_OK;
}

/* Outputs called register, lane, warp, block, in this order. */
static zlay_status read_slots(zl_factoring *f, const zlay_layout *layout)
{
    static const char *const names[] = {"register", "lane", "warp", "block"};
    uint32_t *const bits[] = {&f->slots.reg, &f->slots.lane, &f->slots.warp, &f->slots.block};
    const zl_f2 *a = &layout->f2;
    size_t next = 0;
    f->threads = zl_is_bits(layout) && zl_dim_find(a->out, a->outs, names[1]) < a->outs;
    for (size_t i = 0; i < a->outs && f->threads; i++, next++) {
        while (next < ZL_COUNT(names) && strcmp(a->out[i].name, names[next])) next++;
        if (next == ZL_COUNT(names))
            return zl_fail(f->ctx, ZLAY_EINVAL,
                           "layout: outputs of slots are register, lane, warp, block, in this "
                           "order");
        *bits[next] = a->out[i].bits;
    }
    return ZLAY_OK;
}

/* Gives the offsets of a tile in shared memory to threads: at most four warps, and each lane has
 * words side by side. */
static void share_out(zl_factoring *f, uint32_t bits)
{
    uint32_t part = zl_factoring_part(f);
    uint32_t words = bits > part ? bits - part : 0;
    f->slots.lane = words < LANE_BITS ? words : LANE_BITS;
    words -= f->slots.lane;
    f->slots.warp = words < WARP_BITS ? words : WARP_BITS;
    words -= f->slots.warp;
    if (words > REG_MOST) f->slots.warp += words - REG_MOST;
    f->slots.reg = bits - f->slots.lane - f->slots.warp;
}

static zlay_status read_layout(zl_factoring *f, const zlay_layout *layout)
{
    zl_affine back;
    zlay_status status = zl_bits_of(f->ctx, &f->layout, layout, "the layout");
    if (!status) status = read_modes(f, layout);
    if (!status) status = read_slots(f, layout);
    if (status) return status;
    if (f->layout.bits > ZL_SLOT_BITS)
        return zl_fail(f->ctx, ZLAY_ELIMIT, "layout: has 2^%u points, more than 2^32",
                       f->layout.bits);
    if (zl_affine_support(&f->layout) >> f->layout.bits || !zl_map_invert(&back, &f->layout))
        return zl_fail(f->ctx, ZLAY_NONE,
                       "no bijection of slots is left over: the layout is none of its %llu points "
                       "onto as many slots",
                       (unsigned long long)layout->size);
    if (!f->threads) share_out(f, f->layout.bits);
    else if (f->slots.reg + f->slots.lane + f->slots.warp + f->slots.block != f->layout.bits)
        return zl_fail(f->ctx, ZLAY_NONE, "the layout does not reach every slot");
    return ZLAY_OK;
}

static zlay_status read_request(zl_factoring *f, const zlay_factor_request *r)
{
    f->elem_bits = r->elem_bits ? r->elem_bits : 16;
    if (f->elem_bits != 8 && f->elem_bits != 16 && f->elem_bits != 32 && f->elem_bits != 64)
        return zl_fail(f->ctx, ZLAY_EINVAL, "elem_bits: %u is not 8, 16, 32 or 64", f->elem_bits);
    if (!r->layout) return zl_fail(f->ctx, ZLAY_EINVAL, "layout: is NULL");
    return read_layout(f, r->layout);
}

/* ---- the search
 * ---------------------------------------------------------------------------------- */

/* The keys by which words are compared. */
typedef struct price {
    bool shared; /* it goes through shared memory */
    uint32_t rounds, instructions;
} price;

/* A lower bound for all words of a member; `open`: a longer search may find a shorter word. */
typedef struct bound {
    bool open;
    price price;
} bound;

typedef struct best {
    bool found;
    size_t row;
    uint32_t first;
    bound bound[ZL_DESC_MOST][ZL_TILE_MODES];
    zl_affine desc, residual, dual;
    zl_word word, trial;
} best;

static price price_of(const zl_word *w)
{
    bool shared = w->count == 3 && w->step[1].id == ZL_STEP_SYNC;
    return (price){shared, w->rounds, w->instructions};
}

static bool less(price a, price b)
{
    if (a.shared != b.shared) return b.shared;
    return a.rounds != b.rounds ? a.rounds < b.rounds : a.instructions < b.instructions;
}

static bound bound_of(const zl_word *w)
{
    bool met = w->rounds == w->lower_rounds && w->instructions <= w->lower_instructions;
    bool shared = price_of(w).shared;
    return (bound){!met && !shared, {false, w->lower_rounds, w->lower_instructions}};
}

/* Among equally short words that of the first member wins. */
static bool better(const best *b, price p, size_t row, uint32_t first)
{
    price kept = price_of(&b->word);
    if (!b->found || less(p, kept)) return true;
    bool before = row < b->row || (row == b->row && first <= b->first);
    return before && !less(kept, p);
}

static zlay_status try_row(const zl_factoring *f, best *b, size_t row, uint32_t first, const zl_word_aim *aim)
{
    zl_affine desc, back, residual;
    if (!zl_desc_map(&desc, f, row, first)) return ZLAY_OK;
    if (!zl_map_invert(&back, &desc))
        return zl_fail(f->ctx, ZLAY_EINTERNAL, "desc: %s is no bijection",
                       zl_desc_row_at(row)->name);
    zl_map_product(&residual, &f->layout, &back);
    zlay_status status = zl_factoring_word(f, &b->trial, &residual, aim);
    if (status) return status;
    b->bound[row][first] = bound_of(&b->trial);
    if (!better(b, price_of(&b->trial), row, first)) return ZLAY_OK;
    b->found = true;
    b->row = row;
    b->first = first;
    b->desc = desc;
    b->residual = residual;
    zl_map_product(&b->dual, &back, &f->layout);
    zl_word_copy(&b->word, &b->trial);
    return ZLAY_OK;
}

/* R is the identity, so no other member can be better. */
static bool done(const best *b) { return b->found && !b->word.instructions && !b->word.rounds; }

/* Searches again, with more beginnings, the members for which a better word is possible. */
static zlay_status search_on(const zl_factoring *f, best *b)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < ZL_DESC_MOST; i++)
        for (uint32_t first = 0; first < ZL_TILE_MODES && !status; first++) {
            const bound *may = &b->bound[i][first];
            if (may->open && better(b, may->price, i, first)) status = try_row(f, b, i, first, &zl_word_least);
        }
    return status;
}

static zlay_status search(const zl_factoring *f, best *b, const zlay_factor_request *r)
{
    zlay_status status = ZLAY_OK;
    const zl_desc_row *row;
    for (size_t i = 0; (row = zl_desc_row_at(i)) && !status; i++) {
        if (r->desc && strcmp(r->desc, row->name)) continue;
        uint32_t ways = row->kind >= ZL_DESC_WARP ? 2 : f->modes;
        for (uint32_t first = 0; first < ways && !status && !done(b); first++)
            status = try_row(f, b, i, first, &zl_word_soon);
    }
    if (!status) status = search_on(f, b);
    if (status || b->found) return status;
    return zl_fail(f->ctx, ZLAY_NONE, "no %s gives this tile a layout on %s",
                   r->desc ? r->desc : "descriptor", zlay_target_name(f->target));
}

/* ---- the answer
 * ---------------------------------------------------------------------------------- */

/* Makes the layout of a map point by point: for maps that add a constant by XOR and are neither
 * strided nor swizzled. */
static zlay_status by_points(const zl_factoring *f, zlay_layout **out, const zl_affine *map,
                             const zl_modes *box)
{
    zl_table table;
    zlay_status status = zl_table_new(f->ctx, &table, (uint64_t)1 << map->bits);
    for (uint64_t i = 0; !status && i < table.size; i++)
        zl_table_set(&table, i, (int64_t)zl_map_at(map, i));
    if (!status) status = zl_cheapest(f->ctx, out, &table, box, NULL, NULL);
    zl_table_free(&table);
    return status;
}

static zlay_status make(const zl_factoring *f, zlay_layout **out, const zl_affine *map,
                        const zlay_layout *box_of, const zlay_layout *names, const zl_f2 *outs)
{
    zl_modes box;
    zl_modes_begin(&box, f->ctx);
    zlay_status status = zl_layout_box(&box, box_of);
    if (!status) status = zl_find_affine(f->ctx, out, map, &box, names, outs);
    if (status == ZLAY_NONE && !f->threads) status = by_points(f, out, map, &box);
    zl_modes_end(&box);
    return status;
}

/* Makes the layout of R: its dimensions are those of L's outputs, or one offset. */
static zlay_status make_residual(const zl_factoring *f, zlay_layout **out, const zl_affine *map,
                                 const zlay_layout *layout)
{
    zl_modes box;
    const zl_f2 *a = &layout->f2;
    if (f->threads) {
        const zl_f2 same = {a->outs, a->outs, a->out, a->out, map->basis};
        return map->constant ? ZLAY_NONE : zl_layout_f2(f->ctx, out, &same);
    }
    zl_modes_begin(&box, f->ctx);
    zlay_status status = zl_modes_leaf(&box, (int64_t)layout->size, 1);
    if (!status) status = zl_find_affine(f->ctx, out, map, &box, NULL, NULL);
    if (status == ZLAY_NONE) status = by_points(f, out, map, &box);
    zl_modes_end(&box);
    return status;
}

static zlay_status fill(zl_factoring *f, zlay_factor *out, const best *b,
                        const zlay_layout *layout)
{
    bool bits = zl_is_bits(layout);
    const zl_f2 *outs = bits ? &layout->f2 : NULL;
    zlay_status status = make(f, &out->part[ZLAY_FACTOR_DESC], &b->desc, layout,
                              bits ? layout : NULL, outs);
    if (!status)
        status = make_residual(f, &out->part[ZLAY_FACTOR_RESIDUAL], &b->residual, layout);
    if (!status)
        status = make(f, &out->part[ZLAY_FACTOR_DUAL], &b->dual, layout, bits ? layout : NULL,
                      NULL);
    if (status == ZLAY_NONE)
        return zl_fail(f->ctx, ZLAY_ENOTSUP, "layout: what is left over adds a constant by XOR, "
                                             "which no layout of these kinds is");
    if (!status) status = zl_word_new(f->ctx, &out->word);
    if (!status) zl_word_copy(&out->word->word, &b->word);
    out->info.desc = zl_desc_row_at(b->row)->name;
    out->info.first = b->first;
    return status;
}

/* Decides both certificates, L = R o L_desc and L = L_desc o R', on layouts. */
static zlay_status certify(zlay_ctx *ctx, const zlay_factor *x, const zlay_layout *layout)
{
    static const int sides[2][2] = {{ZLAY_FACTOR_RESIDUAL, ZLAY_FACTOR_DESC},
                                    {ZLAY_FACTOR_DESC, ZLAY_FACTOR_DUAL}};
    zlay_status status = ZLAY_OK;
    for (int i = 0; i < 2 && !status; i++) {
        zlay_layout *product = NULL;
        status = zl_layout_compose(ctx, &product, x->part[sides[i][0]], x->part[sides[i][1]]);
        if (!status) status = zl_certificate_equal(ctx, product, layout, i);
        zlay_layout_free(product);
    }
    return status;
}

static zlay_status fragments(zl_factoring *f)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; zl_desc_row_at(i) && !status; i++) status = zl_fragment_of(f, i);
    return status;
}

static zlay_status synth(zl_factoring *f, zlay_factor **out, const zlay_factor_request *r)
{
    zlay_factor *made = *out = zl_alloc(f->ctx, 1, sizeof *made);
    best *b = zl_scratch(f->ctx, 1, sizeof *b);
    if (!made) return ZLAY_ENOMEM;
    made->alloc = zl_allocator(f->ctx);
    if (!b) return ZLAY_ENOMEM;
    zlay_status status = read_request(f, r);
    if (!status) status = fragments(f);
    if (!status) status = search(f, b, r);
    if (!status) status = fill(f, made, b, r->layout);
    return status ? status : certify(f->ctx, made, r->layout);
}

zlay_status zlay_factor_synth(zlay_ctx *ctx, zlay_factor **out, const zlay_target *target,
                              const zlay_factor_request *request)
{
    static const zl_request_form form = {"zlay_factor_request",
                                         sizeof(zlay_factor_request),
                                         offsetof(zlay_factor_request, layout) +
                                             sizeof request->layout,
                                         {ZL_RESERVED(zlay_factor_request, reserved)}};
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!ctx || !target || !request) return ZLAY_EINVAL;
    zl_factoring f = {.ctx = ctx, .target = target};
    zlay_factor_request r;
    zlay_factor *made = NULL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_request_read(ctx, &r, request, &form);
    if (!status) status = synth(&f, &made, &r);
    status = zl_leave(ctx, zl_whole(ctx, status));
    if (status) zlay_factor_free(made);
    else *out = made;
    return status;
}

void zlay_factor_free(zlay_factor *factor)
{
    if (!factor) return;
    zlay_allocator alloc = factor->alloc;
    for (int i = 0; i < ZLAY_FACTOR_PARTS; i++) zlay_layout_free(factor->part[i]);
    zlay_word_free(factor->word);
    zl_free(&alloc, factor, sizeof *factor);
}

zlay_status zlay_factor_info(zlay_factor_summary *out, const zlay_factor *factor)
{
    if (!out || !factor) return ZLAY_EINVAL;
    *out = factor->info;
    return ZLAY_OK;
}

const zlay_layout *zlay_factor_part(const zlay_factor *factor, int32_t part)
{
    return factor && part >= 0 && part < ZLAY_FACTOR_PARTS ? factor->part[part] : NULL;
}

const zlay_word *zlay_factor_word(const zlay_factor *factor)
{
    return factor ? factor->word : NULL;
}

size_t zlay_factor_desc_count(void)
{
    size_t count = 0;
    while (zl_desc_row_at(count)) count++;
    return count;
}

const char *zlay_factor_desc_nth(size_t i)
{
    const zl_desc_row *row = zl_desc_row_at(i);
    return row ? row->name : NULL;
}
