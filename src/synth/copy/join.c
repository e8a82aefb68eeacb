/* SPDX-License-Identifier: Apache-2.0 */
/* Joins two layouts of one tile to modes along which both step evenly.
 *
 * The flat modes of both, the first one fastest, are cut where either of them ends: (8,4) and
 * (4,8) give 4, 2, 4. Where an extent does not divide the other, as for (4,6) and (6,4), there is
 * no common box. */
#include "synth/copy/copy.h"
#include "base/arith.h"

#include <string.h>

/* ---- the common refinement -------------------------------------------------------- */

typedef struct walk {
    const zl_mode *first, *mode;
    size_t left;     /* modes not begun */
    uint64_t extent; /* left of the one that is */
    int64_t step;
    size_t at; /* its number */
} walk;

static void walk_on(walk *w)
{
    while (w->extent == 1 && w->left) {
        w->extent = (uint64_t)w->mode->shape;
        w->step = w->mode->stride;
        w->at = (size_t)(w->mode++ - w->first);
        w->left--;
    }
}

static void walk_take(walk *w, uint64_t extent)
{
    w->extent /= extent;
    w->step = (int64_t)((uint64_t)w->step * extent); /* a step inside the layout: it fits */
    if (w->extent == 1) walk_on(w);
}

static zlay_status leaf_put(zl_copy *c, const zl_copy_leaf *leaf)
{
    if (c->tile.leaves == ZL_COPY_LEAVES)
        return zl_fail(c->ctx, ZLAY_ELIMIT, "the two layouts have more than %d common modes",
                       ZL_COPY_LEAVES);
    c->tile.leaf[c->tile.leaves++] = *leaf;
    return ZLAY_OK;
}

static zlay_status refine(zl_copy *c)
{
    walk at[ZL_SIDES];
    zlay_status status = ZLAY_OK;
    for (int s = 0; s < ZL_SIDES; s++) {
        const zlay_layout *a = c->side[s].layout;
        at[s] = (walk){a->mode, a->mode, a->modes, 1, 0, 0};
        walk_on(&at[s]);
    }
    for (uint64_t tile = 1; !status && at[0].extent > 1;) {
        uint64_t a = at[0].extent, b = at[1].extent, extent = a < b ? a : b;
        if (!extent || a % extent || b % extent) return ZLAY_NONE;
        zl_copy_leaf leaf = {extent, {at[0].step, at[1].step}, (int64_t)tile, {at[0].at, at[1].at}};
        status = leaf_put(c, &leaf);
        tile *= extent;
        for (int s = 0; s < ZL_SIDES; s++) walk_take(&at[s], extent);
    }
    return status;
}

/* ---- leaves of positive steps, in order ---------------------------------------------- */

static void flip(zl_copy_tile *t, zl_copy_leaf *leaf)
{
    int64_t last = (int64_t)leaf->extent - 1;
    for (int s = 0; s < ZL_SIDES; s++) {
        t->offset[s] += last * leaf->step[s];
        leaf->step[s] = -leaf->step[s];
    }
    t->index += last * leaf->tile;
    leaf->tile = -leaf->tile;
}

static void sort(zl_copy_tile *t, int key)
{
    for (uint32_t i = 1; i < t->leaves; i++) {
        zl_copy_leaf leaf = t->leaf[i];
        uint32_t to = i;
        for (; to && t->leaf[to - 1].step[key] > leaf.step[key]; to--)
            t->leaf[to] = t->leaf[to - 1];
        t->leaf[to] = leaf;
    }
}

static bool follows(const zl_copy_mode *m, const zl_copy_leaf *leaf)
{
    for (int s = 0; s < ZL_SIDES; s++) {
        int64_t next;
        if (!zl_mul(m->step[s], (int64_t)m->extent, &next) || next != leaf->step[s]) return false;
    }
    return true;
}

static zlay_status merge(zl_copy *c)
{
    zl_copy_tile *t = &c->tile;
    int64_t registers = c->request.registers;
    for (uint32_t i = 0; i < t->leaves; i++) {
        const zl_copy_leaf *leaf = &t->leaf[i];
        zl_copy_mode *last = t->modes ? &t->mode[t->modes - 1] : NULL;
        bool thread = registers && leaf->step[c->key] == registers;
        if (last && !thread && follows(last, leaf) && zl_copy_goes_on(c, last, leaf)) {
            last->extent *= leaf->extent;
            last->leaves++;
            continue;
        }
        if (t->modes == ZL_PART_MODES)
            return zl_fail(c->ctx, ZLAY_ELIMIT, "the two layouts have more than %d common modes",
                           ZL_PART_MODES);
        t->mode[t->modes++] = (zl_copy_mode){leaf->extent, {leaf->step[0], leaf->step[1]}, i, 1};
    }
    return ZLAY_OK;
}

/* Reverses a falling run of the source, unless it is the destination's run too. */
static void turn_source(zl_copy *c)
{
    zl_copy_tile *t = &c->tile;
    if (c->request.registers || c->tensors || zl_copy_has_names(c)) return;
    for (uint32_t i = 0; i < t->modes; i++)
        if (t->mode[i].step[ZL_SOURCE] == 1) return;
    for (uint32_t i = 0; i < t->modes; i++) {
        zl_copy_mode *m = &t->mode[i];
        if (m->step[ZL_SOURCE] != -1 || m->step[ZL_DEST] == 1) continue;
        for (uint32_t k = 0; k < m->leaves; k++) flip(t, &t->leaf[m->leaf + k]);
        for (int s = 0; s < ZL_SIDES; s++) m->step[s] = -m->step[s];
        return;
    }
}

/* Splits leaves of fragments where a thread's registers end. */
static zlay_status split(zl_copy *c)
{
    uint64_t registers = c->request.registers;
    for (uint32_t i = 0; registers && i < c->tile.leaves; i++) {
        zl_copy_leaf *low = &c->tile.leaf[i], high = *low;
        uint64_t step = (uint64_t)low->step[c->key];
        if (!step || step >= registers || registers / step >= low->extent) continue;
        uint64_t inside = registers / step;
        if (registers % step || low->extent % inside) return ZLAY_NONE;
        low->extent = inside;
        high.extent /= inside;
        high.tile *= (int64_t)inside;
        for (int s = 0; s < ZL_SIDES; s++) high.step[s] *= (int64_t)inside;
        zlay_status status = leaf_put(c, &high);
        if (status) return status;
    }
    return ZLAY_OK;
}

/* The mode with the least step of the source above `span`: no sum of smaller steps reaches it. */
static const zl_copy_mode *next_apart(const zl_copy_tile *t, uint64_t span)
{
    const zl_copy_mode *best = NULL;
    for (uint32_t i = 0; i < t->modes; i++) {
        uint64_t step = zl_magnitude(t->mode[i].step[ZL_SOURCE]);
        if (step > span && (!best || step < zl_magnitude(best->step[ZL_SOURCE])))
            best = &t->mode[i];
    }
    return best;
}

/* A lower bound for the distinct source elements: the points of modes none of which reaches into
 * another. */
static void count_sources(zl_copy_tile *t)
{
    uint64_t span = 0;
    t->sources = 1;
    for (const zl_copy_mode *m; (m = next_apart(t, span)); t->sources *= m->extent)
        span += (m->extent - 1) * zl_magnitude(m->step[ZL_SOURCE]);
}

/* Whether a swizzle changes nothing: the bits that it reads are 0 in every offset. */
static bool is_idle(const zlay_layout *a)
{
    int64_t least, greatest;
    int top = a->swizzle.base + (a->swizzle.shift > 0 ? a->swizzle.shift : 0);
    return zl_modes_range(a->mode, a->modes, a->offset, &least, &greatest) && least >= 0 &&
           greatest >> top == 0;
}

zlay_status zl_copy_join(zl_copy *c)
{
    zl_copy_tile *t = &c->tile;
    memset(t, 0, sizeof *t);
    t->points = zlay_layout_size(c->side[ZL_DEST].layout);
    for (int s = 0; s < ZL_SIDES; s++) {
        const zlay_layout *a = c->side[s].layout;
        if (!a->modes || a->partial) return ZLAY_NONE;
        t->offset[s] = a->offset;
        if (!is_idle(a)) t->swizzle[s] = a->swizzle;
    }
    zlay_status status = refine(c);
    if (status) return status;
    for (uint32_t i = 0; i < t->leaves; i++)
        if (t->leaf[i].step[c->key] < 0) flip(t, &t->leaf[i]);
    status = split(c);
    if (status) return status;
    sort(t, c->key);
    status = merge(c);
    turn_source(c);
    count_sources(t);
    return status;
}
