/* SPDX-License-Identifier: Apache-2.0 */
/* Packs buffers with lifetimes into the fewest columns of tensor memory.
 *
 * An allocation has a power of two of columns. Two allocations of one size can be replaced by one
 * of twice the size in the same place. So the best division of a number of columns into
 * allocations is its binary representation, which also has the fewest. The number of columns is
 * then tried from a lower bound upward, and tmem_pack_search.c decides each. The certificate is a
 * pair of piecewise layouts that are equal only if no two buffers share a column in a step. */
#include "algebra/presburger/pieces.h"
#include "algebra/decide/certificate.h"
#include "base/request.h"
#include "synth/tmem/tmem_pack.h"

#include <string.h>
#include <zlay/tmem.h>

enum { UNIT = 32, ALIGN_MOST = 32 };

/* ---- the request ------------------------------------------------------------------------ */

static zlay_status buffer_check(zlay_ctx *ctx, const zlay_tmem_buffer *b, uint32_t i)
{
    const char *wrong = NULL;
    if (!b->columns) wrong = "columns: there are none";
    else if (b->first > b->last) wrong = "last: it is before the first step";
    else if (b->align > ALIGN_MOST || (b->align & (b->align - 1)))
        wrong = "align: it is no power of two up to 32, of which alone an allocation is a multiple";
    else if (b->fixed > 1) wrong = "fixed: it is 0 or 1";
    else if (b->offset && !b->fixed) wrong = "offset: the buffer is not fixed";
    else if (b->fixed && b->align && b->offset % b->align)
        wrong = "offset: it is no multiple of align";
    else if (b->reserved[0] || b->reserved[1]) wrong = "reserved words must be 0";
    return wrong ? zl_fail(ctx, ZLAY_EINVAL, "buffer %u, %s", i, wrong) : ZLAY_OK;
}

static zlay_status request_copy(zlay_ctx *ctx, zlay_tmem_pack_request *out,
                                const zlay_tmem_pack_request *r)
{
    static const zl_request_form form = {"zlay_tmem_pack_request",
                                         sizeof *out,
                                         offsetof(zlay_tmem_pack_request, reserved),
                                         {ZL_RESERVED(zlay_tmem_pack_request, reserved)}};
    zlay_status status = zl_request_read(ctx, out, r, &form);
    if (status) return status;
    if (!out->count || out->count > ZLAY_TMEM_BUFFERS)
        return zl_fail(ctx, ZLAY_EINVAL, "count: %u buffers, of 1 to %d", out->count,
                       ZLAY_TMEM_BUFFERS);
    if (!out->buffers) return zl_fail(ctx, ZLAY_EINVAL, "buffers: there are none");
    if (!out->allocations) out->allocations = 1;
    for (uint32_t i = 0; !status && i < out->count; i++)
        status = buffer_check(ctx, &out->buffers[i], i);
    return status;
}

/* ---- the problem ------------------------------------------------------------------------- */

/* Whether no earlier buffer of the list begins in the same step. */
static bool is_start(const zlay_tmem_pack_request *r, uint32_t i)
{
    for (uint32_t j = 0; j < i; j++)
        if (r->buffers[j].first == r->buffers[i].first) return false;
    return true;
}

/* The steps of a buffer's life as bits: bit t stands for the t-th step in which some buffer begins.
 * These steps suffice: where two buffers share a step, they share the step in which the later one
 * begins. */
static uint64_t life_of(const zlay_tmem_pack_request *r, const zlay_tmem_buffer *b)
{
    uint64_t life = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t step = r->buffers[i].first, before = 0;
        if (step < b->first || step > b->last) continue;
        for (uint32_t j = 0; j < r->count; j++)
            before += r->buffers[j].first < step && is_start(r, j);
        life |= 1ull << before;
    }
    return life;
}

static void pack_begin(zl_pack *pack, const zlay_tmem_pack_request *r)
{
    *pack = (zl_pack){.count = r->count};
    for (uint32_t i = 0; i < r->count; i++) {
        const zlay_tmem_buffer *b = &r->buffers[i];
        pack->item[i] = (zl_packed){.columns = b->columns, .align = b->align ? b->align : 1,
                                    .offset = b->offset, .fixed = b->fixed,
                                    .life = life_of(r, b)};
        pack->steps += is_start(r, i);
    }
}

/* The most columns that are alive in one step, and the step. */
static uint64_t alive_most(const zl_pack *pack, const zlay_tmem_pack_request *r, uint32_t *step)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        uint64_t sum = 0;
        for (uint32_t j = 0; j < r->count; j++)
            if (r->buffers[j].first <= r->buffers[i].first &&
                r->buffers[i].first <= r->buffers[j].last)
                sum += pack->item[j].columns;
        if (sum > most) {
            most = sum;
            *step = r->buffers[i].first;
        }
    }
    return most;
}

/* One past the last column of all fixed buffers. */
static uint64_t fixed_end(const zlay_tmem_pack_request *r)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const zlay_tmem_buffer *b = &r->buffers[i];
        if (b->fixed && (uint64_t)b->offset + b->columns > end)
            end = (uint64_t)b->offset + b->columns;
    }
    return end;
}

/* Divides columns into allocations by their binary digits, the largest first; false: these are more
 * than `most`. */
static bool divide(zl_pack *pack, uint32_t columns, uint32_t most)
{
    pack->columns = columns;
    pack->allocations = 0;
    for (uint32_t size = ZLAY_TMEM_COLUMNS; size >= UNIT; size /= 2)
        if (columns & size) {
            if (pack->allocations == most || pack->allocations == ZLAY_TMEM_ALLOCATIONS)
                return false;
            pack->size[pack->allocations++] = size;
        }
    return true;
}

/* ---- rules ------------------------------------------------------------------------------- */

static zlay_status refused(zlay_ctx *ctx, const zlay_target *target, const zlay_reason *reason,
                           const char *why)
{
    zlay_rule rule;
    zlay_status status = zlay_rule_info(&rule, reason->rule);
    if (status) return status;
    return zl_fail(ctx, ZLAY_NONE, "%s: %s; %s (target %s)", rule.id, why, rule.text,
                   zlay_target_name(target));
}

static zlay_status alloc_check(zlay_ctx *ctx, const zlay_target *target,
                               const zlay_tmem_pack_request *r, uint32_t columns, const char *why)
{
    zlay_verdict verdict;
    zlay_reason reason = {0};
    zlay_tmem_issue issue = {.op = ZLAY_TMEM_ALLOC, .columns = columns, .cta_group = r->cta_group};
    zlay_status status = zlay_tmem_issue_check(&verdict, &reason, 1, target, &issue);
    if (status || verdict.answer == ZLAY_YES) return status;
    return refused(ctx, target, &reason, why);
}

/* ---- the answer --------------------------------------------------------------------------- */

static void answer(zlay_tmem_packing *out, const zl_pack *pack)
{
    out->columns = pack->columns;
    out->allocations = pack->allocations;
    memcpy(out->allocation, pack->size, pack->allocations * sizeof *pack->size);
    out->count = pack->count;
    for (uint32_t i = 0; i < pack->count; i++) {
        uint32_t in = 0, base = 0;
        while (pack->place[i] >= base + pack->size[in]) base += pack->size[in++];
        out->in[i] = in;
        out->offset[i] = pack->place[i] - base;
    }
}

/* Tries numbers of columns from the least upward.  The first that fits is the answer; `least` is
 * the first for which no packing was not refuted. */
static zlay_status try_sizes(zlay_ctx *ctx, zlay_tmem_packing *out, zl_pack *pack,
                             const zlay_tmem_pack_request *r, uint64_t end)
{
    bool limited = false;
    uint32_t from = (out->alive + UNIT - 1) / UNIT * UNIT;
    pack->most = zl_limits(ctx)->points;
    for (uint32_t columns = from; columns <= ZLAY_TMEM_COLUMNS; columns += UNIT) {
        if (!divide(pack, columns, r->allocations)) continue;
        zlay_status status = end > pack->size[0] ? ZLAY_NONE : zl_pack_search(pack);
        out->tried += pack->tried;
        pack->tried = 0;
        if (status == ZLAY_OK || status == ZLAY_ELIMIT)
            if (!out->least) out->least = columns;
        limited = limited || status == ZLAY_ELIMIT;
        if (status) continue;
        answer(out, pack);
        return ZLAY_OK;
    }
    if (limited)
        return zl_fail(ctx, ZLAY_ELIMIT, "limit points: no packing in %llu placements a size",
                       (unsigned long long)pack->most);
    return zl_fail(ctx, ZLAY_NONE,
                   "TMEM_ALLOC_RANGE: no packing has %d columns in %u allocations, though at most %u "
                   "are alive in one step",
                   ZLAY_TMEM_COLUMNS, r->allocations, out->alive);
}

static zlay_status find(zlay_ctx *ctx, zlay_tmem_packing *out, const zlay_target *target,
                        const zlay_tmem_pack_request *r)
{
    zl_pack pack;
    char why[64] = "";
    uint32_t step = 0;
    pack_begin(&pack, r);
    uint64_t alive = alive_most(&pack, r, &step), end = fixed_end(r);
    uint64_t most = alive > end ? alive : end;
    zlay_status status = alloc_check(ctx, target, r, UNIT, "no block has columns");
    if (!status && most > ZLAY_TMEM_COLUMNS) {
        zl_text text = {why, sizeof why - 1, 0};
        if (alive > end) zl_putf(&text, "step %u needs %llu", step, (unsigned long long)alive);
        else zl_putf(&text, "fixed buffers end at %llu", (unsigned long long)end);
        return alloc_check(ctx, target, r, most > UINT32_MAX ? UINT32_MAX : (uint32_t)most, why);
    }
    out->alive = (uint32_t)alive;
    return status ? status : try_sizes(ctx, out, &pack, r, end);
}

/* ---- the certificate ---------------------------------------------------------------------- */

enum { GUARD = 128 };

typedef struct owner {
    int64_t a[2], b;
    char text[GUARD];
    const char *guard;
} owner;

static uint32_t place_of(const zlay_tmem_packing *p, uint32_t i)
{
    uint32_t at = p->offset[i];
    for (uint32_t k = 0; k < p->in[i]; k++) at += p->allocation[k];
    return at;
}

/* A power of two that divides every place and size, so that a cell of so many columns has at most
 * one owner. */
static uint32_t granule(const zlay_tmem_packing *p, const zl_pack *pack)
{
    uint32_t bits = p->columns;
    for (uint32_t i = 0; i < p->count; i++) bits |= pack->item[i].columns | place_of(p, i);
    return bits & (0u - bits);
}

/* The piece of one buffer: (cell, step) -> its number and the column in it. */
static void owner_of(owner *o, const zl_pack *pack, const zlay_tmem_packing *p, uint32_t i,
                     uint32_t unit)
{
    uint64_t life = pack->item[i].life;
    uint32_t at = place_of(p, i), from = (uint32_t)__builtin_ctzll(life);
    *o = (owner){.a = {unit, 0}, .b = (int64_t)i * ZLAY_TMEM_COLUMNS - at, .guard = o->text};
    zl_text text = {o->text, sizeof o->text - 1, 0};
    zl_putf(&text, "%u <= x0 < %u and %u <= x1 < %u", at / unit,
            (at + pack->item[i].columns) / unit, from,
            from + (uint32_t)__builtin_popcountll(life));
}

/* Makes the layout of all owners, its pieces in order or in reverse order. */
static zlay_status owners(zlay_ctx *ctx, zlay_layout **out, const zlay_tmem_packing *p,
                          const uint64_t *box, owner *o, bool turned)
{
    zlay_piece piece[ZLAY_TMEM_BUFFERS];
    for (uint32_t i = 0; i < p->count; i++) {
        owner *of = &o[turned ? p->count - 1 - i : i];
        piece[i] = (zlay_piece){of->a, &of->b, &of->guard, 1};
    }
    return zl_layout_new_pieces(ctx, out, 2, box, 1, p->count, piece);
}

static bool is_packing(const zlay_tmem_packing *p, const zlay_tmem_pack_request *r)
{
    if (p->count != r->count || !p->allocations || p->allocations > ZLAY_TMEM_ALLOCATIONS)
        return false;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->in[i] >= p->allocations || p->offset[i] > p->allocation[p->in[i]] ||
            r->buffers[i].columns > p->allocation[p->in[i]] - p->offset[i])
            return false;
    return true;
}

static zlay_status certificate(zlay_ctx *ctx, zlay_layout **a, zlay_layout **b,
                               const zlay_tmem_packing *packing,
                               const zlay_tmem_pack_request *request)
{
    zlay_tmem_pack_request r;
    zl_pack pack;
    owner o[ZLAY_TMEM_BUFFERS];
    zlay_status status = request_copy(ctx, &r, request);
    if (status) return status;
    if (!is_packing(packing, &r))
        return zl_fail(ctx, ZLAY_EINVAL, "packing: it is none of these buffers");
    pack_begin(&pack, &r);
    uint32_t unit = granule(packing, &pack);
    const uint64_t box[] = {packing->columns / unit, pack.steps};
    for (uint32_t i = 0; i < packing->count; i++) owner_of(&o[i], &pack, packing, i, unit);
    status = owners(ctx, a, packing, box, o, false);
    if (!status) status = owners(ctx, b, packing, box, o, true);
    if (!status) return ZLAY_OK;
    zlay_layout_free(*a);
    *a = NULL;
    return status;
}

zlay_status zlay_tmem_packing_certificate(zlay_ctx *ctx, zlay_layout **a, zlay_layout **b,
                                          const zlay_tmem_packing *packing,
                                          const zlay_tmem_pack_request *request)
{
    if (!a || !b || !packing || !request) return ZLAY_EINVAL;
    *a = *b = NULL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, certificate(ctx, a, b, packing, request));
}

static zlay_status certify(zlay_ctx *ctx, const zlay_tmem_packing *p,
                           const zlay_tmem_pack_request *r)
{
    zlay_layout *a = NULL, *b = NULL;
    zlay_status status = certificate(ctx, &a, &b, p, r);
    if (!status) status = zl_certificate_equal(ctx, a, b, 0);
    zlay_layout_free(a);
    zlay_layout_free(b);
    return status;
}

zlay_status zlay_tmem_pack(zlay_ctx *ctx, zlay_tmem_packing *out, const zlay_target *target,
                           const zlay_tmem_pack_request *request)
{
    zlay_tmem_pack_request r;
    zlay_tmem_packing packing = {0};
    if (!out || !target || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = request_copy(ctx, &r, request);
    if (!status) status = find(ctx, &packing, target, &r);
    packing.optimal = packing.columns == packing.least;
    for (uint32_t i = 0; !status && i < packing.allocations; i++)
        status =
            alloc_check(ctx, target, &r, packing.allocation[i], "an allocation of the packing");
    if (!status) status = certify(ctx, &packing, &r);
    status = zl_leave(ctx, zl_whole(ctx, status));
    if (!status) *out = packing;
    return status;
}
