/* SPDX-License-Identifier: Apache-2.0 */
/* Plans a request whose source has unknowns: it chooses a sample of numbers, plans the move for
 * the sample, reads the move back as expressions in the unknowns, and proves these (the method is
 * described in symbolic.h). A first sample keeps all divisibility that the facts state, which may
 * lead to fewer copies; where the proof fails, a second sample keeps none. */
#include "algebra/layout/layout.h"
#include "algebra/symbolic/symbol.h"
#include "synth/tensormap/symbolic/symbolic.h"

#include <stdio.h>
#include <string.h>

/* ---- the source ------------------------------------------------------------------------ */

/* Finds the product of names of a monomial, which is a number times it, in the list; adds it if
 * missing. */
static bool product_find(uint32_t *out, zl_tm_symbolic *g, const zl_monomial *m)
{
    zl_monomial one = *m;
    one.factor = 1;
    for (*out = 0; *out < g->products; ++*out)
        if (zl_monomial_equal(&g->product[*out], &one)) return true;
    if (g->products == ZL_TM_PRODUCTS || !zl_tm_monomial_at(&g->worth[*out], g, &one)) return false;
    g->product[g->products++] = one;
    return true;
}

static bool bytes_add(zl_tm_sum *sum, zl_tm_symbolic *g, const zl_monomial *m)
{
    uint32_t at;
    int64_t bytes;
    if (!m->factor) return true;
    return product_find(&at, g, m) && zl_mul(m->factor, g->element, &bytes) &&
           zl_add(sum->of[at], bytes, &sum->of[at]);
}

static zlay_status source_read(zl_tm_symbolic *g)
{
    zl_monomial one = zl_monomial_of(1);
    uint32_t at;
    bool fits = product_find(&at, g, &one);
    for (size_t k = 0; k < g->s->leaves; k++)
        fits = fits && bytes_add(&g->step[k], g, &g->s->leaf[k].stride);
    for (size_t i = 0; i < g->s->offset.count; i++)
        fits = fits && bytes_add(&g->offset, g, &g->s->offset.term[i]);
    return fits ? ZLAY_OK : zl_symbols_overflow(g->ctx);
}

static zlay_status modes_check(const zl_tm_symbolic *g)
{
    if (g->request.tile)
        return zl_symbols_unknown(g->ctx, "a tile by a layout of a source with unknowns; give a "
                                  "shape");
    if (g->s->leaves == g->request.axes) return ZLAY_OK;
    return zl_fail(g->ctx, ZLAY_EINVAL, "tile: has %u entries, source %zu modes", g->request.axes,
                   g->s->leaves);
}

/* ---- the sample ------------------------------------------------------------------------- */

/* Makes the source with the numbers of the sample, which need not satisfy the facts. */
static zlay_status sample_bind(const zl_tm_symbolic *g, zlay_layout **out)
{
    int64_t shape[ZL_SYMBOL_LEAVES], stride[ZL_SYMBOL_LEAVES], offset = 0, term;
    bool fits = true;
    for (size_t k = 0; k < g->s->leaves; k++)
        fits = fits && zl_tm_monomial_at(&shape[k], g, &g->s->leaf[k].shape) &&
               zl_tm_monomial_at(&stride[k], g, &g->s->leaf[k].stride);
    for (size_t i = 0; i < g->s->offset.count; i++)
        fits = fits && zl_tm_monomial_at(&term, g, &g->s->offset.term[i]) &&
               zl_add(offset, term, &offset);
    if (!fits)
        return zl_fail(g->ctx, ZLAY_EOVERFLOW, "source: numbers that the facts allow pass 2^63");
    return zl_layout_new_strided(g->ctx, out, g->s->leaves, shape, stride, offset);
}

/* A mask of the leaves whose extent or stride has a name. */
static uint64_t named_leaves(const zl_symbols *s)
{
    uint64_t own = 0;
    for (size_t k = 0; k < s->leaves; k++)
        if (!zl_monomial_constant(&s->leaf[k].shape) || !zl_monomial_constant(&s->leaf[k].stride))
            own |= (uint64_t)1 << k;
    return own;
}

/* Whether the sample failed for a reason that holds for all values: the tile is too large for a
 * block. */
static bool without_names(const zlay_ctx *ctx)
{
    static const char rule[] = "SMEM_BLOCK:";
    return !strncmp(zlay_ctx_message(ctx), rule, sizeof rule - 1);
}

static zlay_status sample_synth(zl_tm_symbolic *g)
{
    zlay_layout *numbers;
    zlay_tensormap_request r = g->request;
    zlay_status status = sample_bind(g, &numbers);
    if (status) return status;
    r.source = numbers;
    r.facts = NULL;
    status = zl_tm_synth(g->ctx, &g->move, g->target, &r, named_leaves(g->s));
    zlay_layout_free(numbers);
    if (status != ZLAY_NONE || without_names(g->ctx)) return status;
    return zl_symbols_unknown(g->ctx, "no copies do it for numbers that nothing relates; add facts "
                              "under which they do");
}

/* ---- the move ----------------------------------------------------------------------------- */

static void forget(zl_tm_symbolic *g)
{
    zlay_move_free(g->move);
    g->move = NULL;
    g->products = 0;
    memset(g->step, 0, sizeof g->step);
    memset(&g->offset, 0, sizeof g->offset);
}

static zlay_status sample_make(zl_tm_symbolic *g, bool loose)
{
    zlay_status status = ZLAY_OK;
    if (!zl_tm_sample(g, loose))
        status = zl_fail(g->ctx, ZLAY_ELIMIT, "facts: no numbers of 62 bits to try");
    if (!status) status = source_read(g);
    if (!status) status = sample_synth(g);
    if (status) return status;
    g->read = zl_scratch(g->ctx, g->move->info.maps, sizeof *g->read);
    if (!g->read) return ZLAY_ENOMEM;
    status = zl_tm_read_maps(g);
    if (!status) status = zl_tm_prove(g);
    if (!status) status = zl_tm_put_certificate(g);
    if (!status) status = zl_tm_put_texts(g);
    return status ? status : zl_tm_put_guard(g);
}

/* Makes the move from a sample with all divisibility of the facts or, where its proof fails, from
 * a sample without, whose copies hold for all values. */
static zlay_status move_make(zl_tm_symbolic *g)
{
    zlay_status status = modes_check(g);
    if (!status) status = sample_make(g, false);
    if (status != ZLAY_ELIMIT) return status;
    forget(g);
    return sample_make(g, true);
}

/* Proves, if possible, that no copies exist; otherwise keeps the earlier message. */
static zlay_status never_synth(zl_tm_symbolic *g)
{
    char why[512];
    snprintf(why, sizeof why, "%s", zlay_ctx_message(g->ctx));
    zlay_status status = zl_tm_never(g);
    return status == ZLAY_ELIMIT ? zl_fail(g->ctx, status, "%s", why) : status;
}

static zlay_status begin(zl_tm_symbolic **out, zlay_ctx *ctx, const zlay_target *target,
                         const zlay_tensormap_request *request)
{
    zl_tm_symbolic *g = *out = zl_scratch(ctx, 1, sizeof *g);
    zl_symbols *s = zl_scratch(ctx, 1, sizeof *s);
    if (!g || !s) return ZLAY_ENOMEM;
    g->ctx = ctx;
    g->target = target;
    g->request = *request;
    g->element = zlay_type_bits(request->type) / 8;
    g->s = s;
    return zl_symbols_of(ctx, s, request->source);
}

zlay_status zl_tm_never_of(zlay_ctx *ctx, const zlay_target *target,
                           const zlay_tensormap_request *request)
{
    zl_tm_symbolic *g;
    zlay_status status = begin(&g, ctx, target, request);
    if (!status) status = zl_tm_sample(g, true) ? source_read(g) : ZLAY_ELIMIT;
    return status ? status : zl_tm_never(g);
}

/* A source whose names all have one value under the facts is planned as numbers. */
zlay_status zl_tm_synth_known(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                              const zlay_tensormap_request *request)
{
    zl_tm_symbolic *g;
    if (!zlay_layout_param_nth(request->source, 0))
        return zl_tm_synth(ctx, out, target, request, 0);
    zlay_status status = begin(&g, ctx, target, request);
    if (status) return status;
    status = move_make(g);
    if (status == ZLAY_ELIMIT) status = never_synth(g);
    if (!status) *out = g->move;
    else zlay_move_free(g->move);
    return status;
}

zlay_status zl_tm_synth_symbolic(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                                 const zlay_tensormap_request *request)
{
    zlay_layout *affine = NULL, *known = NULL;
    zlay_tensormap_request r = *request;
    zlay_status status = zl_symbols_plain(ctx, r.source);
    if (!status && !r.source->symbols) status = zl_tm_affine(ctx, &affine, r.source);
    if (!status) status = zl_layout_assume(ctx, &known, affine ? affine : r.source, r.facts);
    r.source = known;
    if (!status) status = zl_tm_synth_known(ctx, out, target, &r);
    if (status == ZLAY_ELIMIT && known) status = zl_tm_synth_cases(ctx, out, target, &r);
    zlay_layout_free(affine);
    zlay_layout_free(known);
    return status;
}
