/* SPDX-License-Identifier: Apache-2.0 */
/* Plans copies whose pitches are names.
 *
 * A plan needs of a stride only that powers of two divide it. So each name is replaced by a
 * number that has the low bits which the facts fix and no other divisor: a large prime times the
 * known power of two. The plan of these numbers is the plan for all values; the certificate, in
 * names, decides this. Where a wider access needs more than is known, the move states the
 * condition. */
#include "algebra/text/format.h"
#include "algebra/layout/layout.h"
#include "algebra/facts/facts.h"
#include "algebra/symbolic/symbol.h"
#include "synth/copy/copy.h"

#include <string.h>

enum { NAMES = 16, LOG_MOST = 12 };

/* The primes that follow 2^20. */
static const int64_t primes[NAMES] = {1048583, 1048589, 1048601, 1048609, 1048613, 1048627,
                                      1048633, 1048661, 1048681, 1048703, 1048709, 1048717,
                                      1048721, 1048759, 1048783, 1048793};

/* ---- numbers -------------------------------------------------------------------------- */

typedef struct samples {
    size_t count;
    const char *name[NAMES];
    int64_t value[NAMES];
} samples;

static uint64_t low_bit(uint64_t value) { return value & (0 - value); }

/* The largest power of two modulo which a range fixes a value. */
static uint64_t known_modulo(const zlay_range *r)
{
    uint64_t known = r->mod ? low_bit((uint64_t)r->mod) : (uint64_t)1 << LOG_MOST;
    return known > (uint64_t)1 << LOG_MOST ? (uint64_t)1 << LOG_MOST : known;
}

static zlay_status sample_name(zl_copy *c, samples *s, const char *name)
{
    zlay_range r;
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(s->name[i], name)) return ZLAY_OK;
    if (s->count == NAMES)
        return zl_fail(c->ctx, ZLAY_ELIMIT, "the two layouts have more than %d names", NAMES);
    zlay_status status = zl_facts_eval(c->ctx, &r, c->request.facts, name, strlen(name));
    if (status) return status;
    uint64_t known = known_modulo(&r);
    s->name[s->count] = name;
    s->value[s->count] =
        r.mod ? (int64_t)((uint64_t)r.rem % known) + (int64_t)known * primes[s->count] : r.rem;
    s->count++;
    return ZLAY_OK;
}

/* Collects the names of both sides, so that a name has the same number on both. */
static zlay_status sample_names(zl_copy *c, samples *out)
{
    const char *name;
    zlay_status status = ZLAY_OK;
    for (int s = 0; s < ZL_SIDES; s++)
        for (size_t i = 0; !status && (name = zlay_layout_param_nth(c->side[s].layout, i)); i++)
            status = sample_name(c, out, name);
    return status;
}

static zlay_status bind_side(zl_copy *c, int side, const samples *all)
{
    const zlay_layout *layout = c->side[side].layout;
    const char *name[NAMES];
    int64_t value[NAMES];
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; zlay_layout_param_nth(layout, k); k++)
            if (!strcmp(all->name[i], zlay_layout_param_nth(layout, k))) {
                name[count] = all->name[i];
                value[count++] = all->value[i];
            }
    return zl_bind(c->ctx, &c->made[side], layout, count, name, value);
}

/* The power of two modulo which the offset is known; the head of a run is cut by it. */
static zlay_status offset_known(zl_copy *c, int side)
{
    const zl_symbols *s = c->assumed[side]->symbols;
    zlay_range r = zl_poly_range(&s->offset, s);
    if (!r.mod) return ZLAY_OK;
    c->known[side] = known_modulo(&r);
    if (((uint64_t)c->made[side]->offset - (uint64_t)r.rem) % c->known[side] == 0) return ZLAY_OK;
    c->known[side] = 1;
    return ZLAY_OK;
}

static zlay_status extents_check(zl_copy *c, int side)
{
    const zl_symbols *s = c->side[side].layout->symbols;
    for (size_t i = 0; i < s->leaves; i++)
        if (!zl_monomial_constant(&s->leaf[i].shape))
            return zl_fail(c->ctx, ZLAY_ENOTSUP,
                           "the extents of a tile are numbers; of tensors "
                           "whose extents have names give `tile`");
    return ZLAY_OK;
}

static zlay_status side_sample(zl_copy *c, int side, const samples *all)
{
    if (!c->side[side].layout->symbols) return ZLAY_OK;
    zlay_status status = extents_check(c, side);
    if (!status)
        status =
            zl_layout_assume(c->ctx, &c->assumed[side], c->side[side].layout, c->request.facts);
    if (!status) status = bind_side(c, side, all);
    if (status) return status;
    c->side[side].layout = c->made[side];
    if (c->assumed[side]->symbols) return offset_known(c, side);
    zlay_layout_free(c->assumed[side]);
    c->assumed[side] = NULL;
    return ZLAY_OK;
}

zlay_status zl_copy_sample(zl_copy *c)
{
    samples all = {0, {NULL}, {0}};
    zlay_status status = sample_names(c, &all);
    for (int s = 0; !status && s < ZL_SIDES; s++) status = side_sample(c, s, &all);
    return status;
}

/* ---- texts -------------------------------------------------------------------------------- */

/* Prints a step that is q times the step of a layout's mode. */
static bool put_step(const zl_copy *c, int side, const zl_copy_leaf *leaf, int64_t step, char *out,
                     size_t room)
{
    zl_text text = {out, room - 1, 0};
    const zlay_layout *named = c->assumed[side];
    if (named) {
        int64_t one = c->made[side]->mode[leaf->from[side]].stride;
        zl_monomial m = named->symbols->leaf[leaf->from[side]].stride;
        if (one && !zl_mul(m.factor, step / one, &m.factor)) return false;
        zl_monomial_print(&text, &m, named->symbols);
    } else zl_putf(&text, "%lld", (long long)step);
    if (text.need >= room) return false;
    out[text.need] = 0;
    return true;
}

/* Prints the condition that v divides a step, where this is not known. */
static bool put_condition(const zl_copy *c, int side, const zl_copy_mode *m, uint64_t v, char *out)
{
    char step[ZL_STEP_TEXT];
    const zl_copy_leaf *leaf = &c->tile.leaf[m->leaf];
    if (!c->assumed[side] ||
        zl_monomial_constant(&c->assumed[side]->symbols->leaf[leaf->from[side]].stride))
        return false;
    return put_step(c, side, leaf, m->step[side], step, sizeof step) &&
           zl_copy_condition(out, step, v);
}

/* Whether accesses of v elements on both sides of the run are possible under printed
 * conditions. */
static bool needs(const zl_copy *c, uint32_t run, uint32_t log, char *out)
{
    uint64_t bytes = (uint64_t)1 << log, v = bytes * 8 / c->bits;
    out[0] = 0;
    if (bytes * 8 % c->bits || run >= c->tile.modes || c->tile.mode[run].extent < v) return false;
    for (int s = 0; s < ZL_SIDES; s++) {
        uint64_t widths = zlay_target_widths(c->target, zl_is_shared(c->side[s].space));
        const zl_swizzle w = c->tile.swizzle[s];
        if (!(widths >> bytes & 1) || c->side[s].align % bytes) return false;
        if ((w.bits && (uint64_t)1 << w.base < v) || (c->known[s] && c->known[s] % v)) return false;
        if (!zl_copy_tiles_need(c, s, run, v, out)) return false;
        for (uint32_t k = 0; k < c->tile.modes; k++)
            if (k != run && (uint64_t)c->tile.mode[k].step[s] % v &&
                !put_condition(c, s, &c->tile.mode[k], v, out))
                return false;
    }
    return *out && zl_copy_in_phase(&c->tile, v);
}

static void find_wider(const zl_copy *c, uint32_t width, zl_move_names *names)
{
    uint32_t run = zl_copy_run(c, ZL_DEST);
    if (run != zl_copy_run(c, ZL_SOURCE)) return;
    for (uint32_t log = ZL_WIDTH_MOST; 1u << log > width; log--) {
        if (!needs(c, run, log, names->guard)) continue;
        names->wider = 1u << log;
        return;
    }
    names->guard[0] = 0;
}

static bool put_offset(const zl_copy *c, int side, zl_move_names *names)
{
    zl_text text = {names->offset[side], ZL_OFFSET_TEXT - 1, 0};
    names->sample[side] = c->tile.offset[side];
    if (!c->assumed[side]) return true;
    const zl_symbols *s = c->assumed[side]->symbols;
    bool number =
        !s->offset.count || (s->offset.count == 1 && zl_monomial_constant(s->offset.term));
    if (!number) zl_poly_print(&text, &s->offset, s);
    if (text.need >= ZL_OFFSET_TEXT) return false;
    names->offset[side][text.need] = 0;
    return c->tile.offset[side] == c->made[side]->offset;
}

static bool put_texts(const zl_copy *c, zl_move_names *names)
{
    for (int s = 0; s < ZL_SIDES; s++) {
        if (!put_offset(c, s, names)) return false;
        for (uint32_t k = 0; k < c->tile.modes; k++)
            if (!put_step(c, s, &c->tile.leaf[c->tile.mode[k].leaf], c->tile.mode[k].step[s],
                          names->step[s][k], ZL_STEP_TEXT))
                return false;
    }
    return true;
}

/* ---- certificates in names --------------------------------------------------------------------
 */

/* The leaf that is next in the order of the tile. */
static const zl_copy_leaf *leaf_at(const zl_copy *c, int64_t tile)
{
    for (uint32_t i = 0; i < c->tile.leaves; i++)
        if (c->tile.leaf[i].tile == tile) return &c->tile.leaf[i];
    return NULL;
}

/* One of the lists of a layout's text: extents, or the steps of a side. */
static bool put_list(const zl_copy *c, int side, bool steps, zl_text *out)
{
    char step[ZL_STEP_TEXT];
    const zl_copy_leaf *leaf;
    zl_puts(out, c->tile.leaves ? "(" : steps ? "(0" : "(1");
    for (int64_t tile = 1; (leaf = leaf_at(c, tile)); tile *= (int64_t)leaf->extent) {
        if (!put_step(c, side, leaf, leaf->step[side], step, sizeof step)) return false;
        if (steps) zl_putf(out, "%s%s", tile > 1 ? "," : "", step);
        else zl_putf(out, "%s%llu", tile > 1 ? "," : "", (unsigned long long)leaf->extent);
    }
    if (c->window[side]) zl_copy_tiles_write(c, side, steps, out);
    zl_puts(out, ")");
    return true;
}

static zlay_status rename_certificate(zl_copy *c, int side, const zl_move_names *names,
                                      zlay_layout *pair[2])
{
    const zlay_layout *asked =
        side == ZL_SOURCE ? c->request.source.layout : c->request.dest.layout;
    bool tensor = c->window[side] != NULL;
    size_t room = 1 << 13;
    char *text = zl_scratch(c->ctx, room, 1);
    zl_text out = {text, room - 1, 0};
    zlay_layout *made = NULL;
    if (!text) return ZLAY_ENOMEM;
    if (*names->offset[side]) zl_putf(&out, "%s o ", names->offset[side]);
    else zl_putf(&out, "%lld o ", (long long)names->sample[side]);
    bool fits = put_list(c, side, false, &out);
    zl_puts(&out, ":");
    fits = put_list(c, side, true, &out) && fits && out.need < room;
    zlay_status status = fits ? zl_layout_parse(c->ctx, &made, text, out.need) : ZLAY_ELIMIT;
    if (status) return status;
    zlay_layout_free(pair[0]);
    pair[0] = NULL;
    status = zl_layout_assume(c->ctx, &pair[0], made, c->request.facts);
    zlay_layout_free(made);
    if (status) return status;
    zlay_layout_free(pair[1]);
    pair[1] = NULL;
    return tensor ? zl_copy_asked(c, &pair[1], side)
                  : zl_layout_assume(c->ctx, &pair[1], asked, c->request.facts);
}

zlay_status zl_copy_names(zl_copy *c, zlay_move *move)
{
    move->names = zl_alloc(c->ctx, 1, sizeof *move->names);
    if (!move->names) return ZLAY_ENOMEM;
    if (!put_texts(c, move->names))
        return zl_fail(c->ctx, ZLAY_ENOTSUP, "a step in names is too long, or falls");
    find_wider(c, move->widest.width, move->names);
    zlay_status status = ZLAY_OK;
    if (c->assumed[ZL_DEST] || c->window[ZL_DEST])
        status = rename_certificate(c, ZL_DEST, move->names, move->certificate);
    if (!status && (c->assumed[ZL_SOURCE] || c->window[ZL_SOURCE]))
        status = rename_certificate(c, ZL_SOURCE, move->names, move->source);
    return status;
}
