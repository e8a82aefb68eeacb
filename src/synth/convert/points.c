/* SPDX-License-Identifier: Apache-2.0 */
/* Plans conversions of layouts that are not linear over F2, slot by slot.  It tabulates which slot
 * holds which element, and finds the nearest holder of each slot of dst by binary search.  Where
 * every thread takes each register from the same register, the plan renames registers or takes one
 * shuffle for each.  Everything else goes through shared memory (lay.c). */
#include "synth/convert/convert.h"

#include <stdlib.h>
#include <string.h>

/* Tabulates the tensor index that each slot of a side holds. */
static zlay_status held_read(zl_points *p, int side)
{
    const zl_conversion *c = p->c;
    const zlay_layout *a = side == ZL_SRC ? c->request->src : c->request->dst;
    zl_table by_index = {0};
    p->slots[side] = zlay_layout_size(a);
    zlay_status status = zl_table_new(c->ctx, &p->held[side], p->slots[side]);
    if (!status) status = zl_table_of(c->ctx, &by_index, a);
    for (uint64_t i = 0; !status && i < p->slots[side]; i++)
        if (by_index.there[i])
            zl_table_set(&p->held[side], zl_slot_of(c, side, i), by_index.value[i]);
    zl_table_free(&by_index);
    return status;
}

/* ---- holders ----------------------------------------------------------------------------- */

typedef struct holder {
    int64_t value;
    uint64_t slot;
} holder;

static int by_value(const void *left, const void *right)
{
    const holder *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    return a->slot < b->slot ? -1 : a->slot > b->slot;
}

/* The position of the first holder that is not before (value, slot). */
static uint64_t first_holder(const holder *all, uint64_t count, int64_t value, uint64_t slot)
{
    const holder wanted = {value, slot};
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (by_value(&all[middle], &wanted) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

typedef struct near {
    uint64_t slot;
    int32_t level; /* -1: the slot itself */
} near;

/* The nearest holder of a value: in the slot itself, else in its thread, its warp, its block, and
 * then anywhere. */
static near nearest(const zl_conversion *c, const holder *all, uint64_t count, int64_t value,
                    uint64_t slot)
{
    uint64_t at[ZL_LEVELS], start = 0, size = 1;
    for (int l = 0; l < ZL_LEVELS; l++) {
        at[l] = slot % c->extent[ZL_DST][l];
        slot /= c->extent[ZL_DST][l];
        if (at[l] >= c->extent[ZL_SRC][l]) at[l] = ZL_NOBODY;
    }
    for (int32_t level = -1; level < ZL_LEVELS; level++) {
        if (level >= 0) size *= c->extent[ZL_SRC][level];
        bool there = true;
        start = 0;
        for (int l = ZL_LEVELS; l--;) {
            bool above = l > level;
            there = there && !(above && at[l] == ZL_NOBODY);
            start = start * c->extent[ZL_SRC][l] + (above && there ? at[l] : 0);
        }
        uint64_t i = there ? first_holder(all, count, value, start) : count;
        if (i < count && all[i].value == value && all[i].slot - start < size)
            return (near){all[i].slot, level};
    }
    return (near){ZL_NOBODY, ZL_LEVELS};
}

/* Finds the nearest holder for each slot of dst, and the greatest level that one of them needs. */
static zlay_status from_read(zl_points *p, zl_conversion *c, const holder *all, uint64_t count)
{
    c->level = ZLAY_CONVERT_NOWHERE;
    for (uint64_t y = 0; y < p->slots[ZL_DST]; y++) {
        p->from[y] = ZL_NOBODY;
        if (!p->held[ZL_DST].there[y]) continue;
        near n = nearest(c, all, count, p->held[ZL_DST].value[y], y);
        if (n.slot == ZL_NOBODY)
            return zl_fail(c->ctx, ZLAY_NONE,
                           "dst: no slot of src holds element %lld of the tensor",
                           (long long)p->held[ZL_DST].value[y]);
        p->from[y] = n.slot;
        if (n.level > c->level) c->level = n.level;
    }
    return ZLAY_OK;
}

enum { STEPS_SORT = 24 }; /* of limits.work, for a slot that is sorted or sought among all */

static zlay_status holders_find(zl_points *p, zl_conversion *c)
{
    uint64_t count = 0;
    holder *all = zl_alloc(c->ctx, p->slots[ZL_SRC], sizeof *all);
    p->from = zl_alloc(c->ctx, p->slots[ZL_DST], sizeof *p->from);
    zlay_status status = all && p->from ? ZLAY_OK : ZLAY_ENOMEM;
    for (uint64_t x = 0; !status && x < p->slots[ZL_SRC]; x++)
        if (p->held[ZL_SRC].there[x]) all[count++] = (holder){p->held[ZL_SRC].value[x], x};
    if (!status) status = zl_charge(c->ctx, count * STEPS_SORT + p->slots[ZL_DST] * STEPS_SORT);
    if (!status && count) qsort(all, count, sizeof *all, by_value);
    if (!status) status = from_read(p, c, all, count);
    zlay_allocator alloc = zl_allocator(c->ctx);
    zl_free(&alloc, all, p->slots[ZL_SRC] * sizeof *all);
    return status;
}

/* ---- moves in a lane --------------------------------------------------------------------- */

/* Whether each register of dst comes from the same register of src in all threads; `source` tells
 * which. */
static bool is_renaming(const zl_points *p, uint64_t *source)
{
    uint64_t registers = p->c->extent[ZL_DST][ZL_REGISTER];
    for (uint64_t r = 0; r < registers; r++) source[r] = ZL_NOBODY;
    for (uint64_t y = 0; y < p->slots[ZL_DST]; y++) {
        if (p->from[y] == ZL_NOBODY) continue;
        uint64_t from = p->from[y] % p->c->extent[ZL_SRC][ZL_REGISTER],
                 *at = &source[y % registers];
        if (*at != ZL_NOBODY && *at != from) return false;
        *at = from;
    }
    return true;
}

/* Whether elements narrower than a word keep their places in the word, and words stay whole. */
static bool keeps_words(const zl_conversion *c, const uint64_t *source)
{
    uint64_t each = (uint64_t)1 << c->word;
    for (uint64_t r = 0; r < c->extent[ZL_DST][ZL_REGISTER]; r++) {
        uint64_t first = source[r / each * each];
        if (source[r] == ZL_NOBODY || first == ZL_NOBODY) continue;
        if (source[r] % each != r % each || source[r] / each != first / each) return false;
    }
    return true;
}

/* Adds a step whose map takes a slot of dst to its holder. */
static zlay_status step_back(zl_points *p, int32_t op)
{
    zl_table map;
    zlay_status status = zl_table_new(p->c->ctx, &map, p->slots[ZL_DST]);
    for (uint64_t i = 0; !status && i < p->slots[ZL_DST]; i++) {
        uint64_t from = p->from[zl_slot_of(p->c, ZL_DST, i)];
        if (from != ZL_NOBODY) zl_table_set(&map, i, (int64_t)zl_index_of(p->c, ZL_SRC, from));
    }
    if (!status) status = zl_points_step(p, op, ZLAY_CONVERT_BACK, ZL_DST, &map);
    zl_table_free(&map);
    return status;
}

/* Plans a renaming of registers that is the same in all threads and takes no instruction; *done is
 * false where there is none. */
static zlay_status by_names(zl_points *p, bool *done)
{
    const zl_conversion *c = p->c;
    uint64_t registers = c->extent[ZL_DST][ZL_REGISTER];
    uint64_t *source = zl_alloc(c->ctx, registers, sizeof *source);
    if (!source) return ZLAY_ENOMEM;
    *done = is_renaming(p, source) && keeps_words(c, source);
    zlay_allocator alloc = zl_allocator(c->ctx);
    zl_free(&alloc, source, registers * sizeof *source);
    return *done ? step_back(p, ZLAY_CONVERT_REG) : ZLAY_OK;
}

/* ---- moves between lanes ----------------------------------------------------------------- */

/* Whether a slot of dst and one of src have the same lane, warp and block. */
static bool same_thread(const zl_conversion *c, uint64_t y, uint64_t x)
{
    uint64_t to = y / c->extent[ZL_DST][ZL_REGISTER], from = x / c->extent[ZL_SRC][ZL_REGISTER];
    for (int l = ZL_LANE; l < ZL_LEVELS; l++) {
        if (to % c->extent[ZL_DST][l] != from % c->extent[ZL_SRC][l]) return false;
        to /= c->extent[ZL_DST][l];
        from /= c->extent[ZL_SRC][l];
    }
    return true;
}

/* Registers of dst that some lane takes from another lane. */
static uint32_t moved_count(const zl_points *p)
{
    uint64_t registers = p->c->extent[ZL_DST][ZL_REGISTER];
    uint32_t count = 0;
    for (uint64_t r = 0; r < registers; r++) {
        bool moves = false;
        for (uint64_t y = r; y < p->slots[ZL_DST] && !moves; y += registers)
            moves = p->from[y] != ZL_NOBODY && !same_thread(p->c, y, p->from[y]);
        count += moves;
    }
    return count;
}

/* Plans one shuffle for each register of dst, where every thread takes it from the same register of
 * src.  A shuffle costs less than a store and a load of that register. */
static zlay_status by_lanes(zl_points *p, bool *done)
{
    const zl_conversion *c = p->c;
    uint64_t registers = c->extent[ZL_DST][ZL_REGISTER];
    uint64_t *source = c->word ? NULL : zl_alloc(c->ctx, registers, sizeof *source);
    if (c->word) return ZLAY_OK;
    if (!source) return ZLAY_ENOMEM;
    *done = is_renaming(p, source);
    zlay_allocator alloc = zl_allocator(c->ctx);
    zl_free(&alloc, source, registers * sizeof *source);
    if (!*done) return ZLAY_OK;
    zlay_status status = step_back(p, ZLAY_CONVERT_SHFL);
    if (status) return status;
    zl_convert_step *step = &p->plan->step[p->plan->info.steps - 1];
    step->info.width = 4;
    step->info.instructions = moved_count(p) * c->words;
    step->info.name = zl_convert_name(c, ZL_NAME_SHUFFLE);
    step->cost = step->info.instructions * ZL_COST_SHFL;
    p->plan->info.rounds = step->info.instructions;
    return status;
}

/* ---- plans ------------------------------------------------------------------------------- */

/* Makes the certificate of a plan without shared memory: the elements that the nearest holders
 * bring to dst. */
static zlay_status certify(zl_points *p)
{
    const zl_conversion *c = p->c;
    zl_table brought;
    zl_modes box;
    zlay_status status = zl_table_new(c->ctx, &brought, p->slots[ZL_DST]);
    for (uint64_t i = 0; !status && i < p->slots[ZL_DST]; i++) {
        uint64_t from = p->from[zl_slot_of(c, ZL_DST, i)];
        if (from != ZL_NOBODY) zl_table_set(&brought, i, p->held[ZL_SRC].value[from]);
    }
    zl_modes_begin(&box, c->ctx);
    if (!status) status = zl_layout_box(&box, c->request->dst);
    if (!status) status = zl_cheapest(c->ctx, &p->plan->certificate[0], &brought, &box, NULL, NULL);
    zl_modes_end(&box);
    zl_table_free(&brought);
    return status;
}

/* Plans without shared memory; *done is false where that is not possible. */
static zlay_status find(zl_points *p, zl_conversion *c, bool *done)
{
    zlay_status status = held_read(p, ZL_SRC);
    if (!status) status = held_read(p, ZL_DST);
    if (!status) status = holders_find(p, c);
    *done = false;
    if (status) return status;
    p->plan->info.optimal = c->level <= ZLAY_CONVERT_REGISTER;
    if (c->level == ZLAY_CONVERT_NOWHERE) {
        *done = true;
        status = step_back(p, ZLAY_CONVERT_NOP);
    }
    if (c->level == ZLAY_CONVERT_REGISTER) status = by_names(p, done);
    if (c->level == ZLAY_CONVERT_LANE) status = by_lanes(p, done);
    if (!status && *done) status = certify(p);
    return status ? status : zl_layout_copy(c->ctx, &p->plan->certificate[1], c->request->dst);
}

zlay_status zl_convert_points(zl_conversion *c, zlay_convert *plan)
{
    zl_points p = {.c = c, .plan = plan};
    bool done = false;
    zlay_allocator alloc = zl_allocator(c->ctx);
    zlay_status status = find(&p, c, &done);
    if (!status && !done) status = zl_points_shared(&p);
    zl_table_free(&p.held[ZL_DST]);
    zl_table_free(&p.held[ZL_SRC]);
    zl_free(&alloc, p.from, p.slots[ZL_DST] * sizeof *p.from);
    return status;
}
