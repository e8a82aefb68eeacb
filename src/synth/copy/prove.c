/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the layouts of a move by threads, which thread moves which element, and the certificates.
 *
 * The checks here show that the parts are boxes of the modes' coordinates, and that the digits of
 * a part reach every coordinate of its box once. Then the place of an element follows from the
 * parts' offsets and steps; as a layout of the tile this is the left side of a certificate. */
#include "synth/copy/copy.h"

static zlay_status broken(zl_copy *c, const char *what)
{
    return zl_fail(c->ctx, ZLAY_EINTERNAL, "%s; please report this request", what);
}

/* ---- digits and boxes --------------------------------------------------------------------- */

/* Whether the digits of a mode count: each step is the range of those before it. */
static bool digits_reach(const zl_move_part *p, uint32_t mode)
{
    uint64_t reach = 1;
    for (uint32_t i = 0; i < p->part.digits; i++) {
        if (p->digit[i].mode != mode) continue;
        if (p->digit[i].step != reach) return false;
        reach *= p->digit[i].extent;
    }
    return reach >= p->mode[mode].extent;
}

/* Whether a part's offsets are those of its first coordinates. */
static bool begins(const zl_copy *c, const zl_move_part *p)
{
    int64_t at[ZL_SIDES] = {c->tile.offset[0], c->tile.offset[1]};
    for (uint32_t k = 0; k < p->part.modes; k++) {
        at[ZL_SOURCE] += (int64_t)p->first[k] * p->mode[k].source;
        at[ZL_DEST] += (int64_t)p->first[k] * p->mode[k].dest;
    }
    return at[ZL_SOURCE] == p->part.source && at[ZL_DEST] == p->part.dest;
}

static bool inside(const zl_copy *c, const zl_move_part *p)
{
    for (uint32_t k = 0; k < c->tile.modes; k++)
        if (p->first[k] + p->mode[k].extent > c->tile.mode[k].extent) return false;
    return true;
}

static bool apart(const zl_move_part *a, const zl_move_part *b)
{
    for (uint32_t k = 0; k < a->part.modes; k++)
        if (a->first[k] + a->mode[k].extent <= b->first[k] ||
            b->first[k] + b->mode[k].extent <= a->first[k])
            return true;
    return false;
}

static zlay_status boxes_check(zl_copy *c, const zl_copy_plan *plan)
{
    uint64_t points = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        const zl_move_part *p = &plan->part[i];
        points += p->part.elements;
        if (!begins(c, p) || !inside(c, p)) return broken(c, "a part is no box of the tile");
        for (uint32_t k = 0; k < p->part.modes; k++)
            if (!digits_reach(p, k)) return broken(c, "the digits of a mode do not count");
        for (uint32_t j = 0; j < i; j++)
            if (!apart(p, &plan->part[j])) return broken(c, "two parts move one element");
    }
    return points == c->tile.points ? ZLAY_OK : broken(c, "an element is not moved");
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* The alignment, a power of two, that every address of a part's accesses on a side has. */
static uint64_t least_address(const zl_copy *c, const zl_move_part *p, int side)
{
    uint64_t width = side == ZL_SOURCE ? p->part.source_width : p->part.width;
    uint64_t bits = c->side[side].align * 8, first = (uint64_t)p->part.source;
    if (side == ZL_DEST) first = (uint64_t)p->part.dest;
    if (side == ZL_SOURCE && p->part.realign) return width;
    bits |= width * 8 | first * c->bits;
    bool run = false;
    for (uint32_t k = 0; k < p->part.modes; k++) {
        int64_t step = side == ZL_SOURCE ? p->mode[k].source : p->mode[k].dest;
        if (p->mode[k].extent > 1 && (step != 1 || run)) bits |= (uint64_t)step * c->bits;
        run = run || step == 1;
    }
    return (bits & (0 - bits)) / 8;
}

static bool issue_allowed(const zl_copy *c, const zlay_issue *issue)
{
    zlay_verdict verdict;
    return zlay_copy_check(&verdict, NULL, 0, c->target, issue, NULL) == ZLAY_OK &&
           verdict.answer == ZLAY_YES;
}

/* Checks the loads and the stores of a part's accesses by threads, each separately. */
static bool accesses_allowed(const zl_copy *c, const zl_move_part *p)
{
    for (int s = 0; s < ZL_SIDES; s++) {
        zlay_issue issue = {.kind = p->part.kind,
                            .width = s == ZL_SOURCE ? p->part.source_width : p->part.width};
        if (s == ZL_SOURCE && p->part.kind == ZLAY_COPY_STORE_ASYNC)
            issue.kind = ZLAY_COPY_THREAD_LOAD;
        *(zl_is_shared(c->side[s].space) ? &issue.smem : &issue.source) = least_address(c, p, s);
        if (c->side[s].space != ZLAY_MOVE_REGISTER && !issue_allowed(c, &issue)) return false;
    }
    return true;
}

/* Checks a part's accesses by the rules of issued copies, at the worst addresses that its steps
 * allow. */
static bool part_allowed(const zl_copy *c, const zl_move_part *p)
{
    int32_t kind = p->part.kind;
    zlay_issue issue = {.kind = kind};
    if (kind == ZLAY_COPY_THREAD_LOAD || kind == ZLAY_COPY_THREAD_STORE ||
        kind == ZLAY_COPY_STORE_ASYNC)
        return accesses_allowed(c, p);
    if (kind == ZLAY_COPY_CP_ASYNC) issue.width = p->part.width;
    else issue.bytes = p->part.width;
    for (int s = 0; s < ZL_SIDES; s++) {
        bool shared = c->side[s].space == ZLAY_MOVE_SHARED ||
                      (c->side[s].space == ZLAY_MOVE_PEER && kind != ZLAY_COPY_BULK_PEER);
        *(shared ? &issue.smem : &issue.source) = least_address(c, p, s);
    }
    return issue_allowed(c, &issue);
}

static zlay_status rules_check(zl_copy *c, const zl_copy_plan *plan)
{
    for (uint32_t i = 0; i < plan->count; i++)
        if (!plan->part[i].part.matrices && !part_allowed(c, &plan->part[i]))
            return broken(c, "a rule of copies refuses a part");
    return ZLAY_OK;
}

/* ---- certificates ---------------------------------------------------------------------------- */

typedef struct placed {
    uint64_t extent;
    int64_t step, tile;
} placed;

/* The leaves in the order of the tile, by the steps of a part. */
static uint32_t leaves_of(const zl_copy *c, const zl_move_part *p, int side, placed *out)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < c->tile.modes; k++) {
        int64_t step = side == ZL_SOURCE ? p->mode[k].source : p->mode[k].dest;
        for (uint32_t i = 0; i < c->tile.mode[k].leaves; i++) {
            const zl_copy_leaf *leaf = &c->tile.leaf[c->tile.mode[k].leaf + i];
            uint32_t to = count++;
            int64_t at = leaf->tile < 0 ? -leaf->tile : leaf->tile;
            for (; to && at < (out[to - 1].tile < 0 ? -out[to - 1].tile : out[to - 1].tile); to--)
                out[to] = out[to - 1];
            out[to] = (placed){leaf->extent, step, leaf->tile};
            step *= (int64_t)leaf->extent;
        }
    }
    return count;
}

/* Makes the layout of the tile that the parts execute: where they take or put its elements. */
static zlay_status rebuilt(zl_copy *c, const zl_copy_plan *plan, int side, zlay_layout **out)
{
    const zl_move_part *p = &plan->part[0];
    placed leaf[ZL_COPY_LEAVES];
    zl_modes m;
    uint32_t count = leaves_of(c, p, side, leaf);
    zlay_status status = ZLAY_OK;
    zl_modes_begin(&m, c->ctx);
    m.offset = side == ZL_SOURCE ? p->part.source : p->part.dest;
    for (uint32_t k = 0; k < c->tile.modes; k++)
        m.offset -=
            (int64_t)p->first[k] * (side == ZL_SOURCE ? p->mode[k].source : p->mode[k].dest);
    for (uint32_t i = 0; !status && i < count; i++) {
        int64_t step = leaf[i].tile < 0 ? -leaf[i].step : leaf[i].step;
        if (leaf[i].tile < 0) m.offset += (int64_t)(leaf[i].extent - 1) * leaf[i].step;
        status = zl_modes_leaf(&m, (int64_t)leaf[i].extent, step);
    }
    if (!status && !count) status = zl_modes_leaf(&m, 1, 0);
    if (!status && count > 1) zl_modes_wrap(&m, 0);
    if (!status) status = zl_layout_strided(c->ctx, out, &m, c->tile.swizzle[side]);
    zl_modes_end(&m);
    return status;
}

static zlay_status certificates(zl_copy *c, const zl_copy_plan *plan, zlay_move *move)
{
    zlay_status status = rebuilt(c, plan, ZL_DEST, &move->certificate[0]);
    if (!status) status = zl_layout_copy(c->ctx, &move->certificate[1], c->request.dest.layout);
    if (!status) status = rebuilt(c, plan, ZL_SOURCE, &move->source[0]);
    return status ? status : zl_layout_copy(c->ctx, &move->source[1], c->request.source.layout);
}

zlay_status zl_copy_prove(zl_copy *c, const zl_copy_plan *plan, zlay_move *move)
{
    zlay_status status = boxes_check(c, plan);
    if (!status) status = rules_check(c, plan);
    if (!status) status = certificates(c, plan, move);
    for (uint32_t i = 0; !status && i < plan->count; i++)
        status = zl_copy_threads(c, &plan->part[i], &move->parts[i].threads);
    if (!status) status = zl_layout_copy(c->ctx, &move->smem, c->request.dest.layout);
    return status;
}
