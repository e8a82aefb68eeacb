/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/normal/hier.h"
#include "algebra/find/table.h"

/* ---- questions about layouts ------------------------------------------------------- */

static zlay_status keeps(zlay_ctx *ctx, bool *kept, zlay_crossing *witness, const zlay_layout *a,
                         const zl_tree *tree)
{
    zl_moves m;
    zlay_status status = zl_moves_of(ctx, &m, tree, a);
    if (!status) *kept = zl_moves_keep(&m, tree, witness);
    return status;
}

zlay_status zlay_hier_keeps(zlay_ctx *ctx, zlay_answer *answer, zlay_crossing *witness,
                            const zlay_layout *layout, const zlay_level *level, size_t count)
{
    zl_tree tree;
    zlay_crossing crossing;
    bool kept = false;
    if (!answer) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_tree_begin(ctx, &tree, level, count);
    if (!status) status = keeps(ctx, &kept, &crossing, layout, &tree);
    if (status) return zl_leave_answer(ctx, status, answer);
    *answer = kept ? ZLAY_YES : ZLAY_NO;
    if (!kept && witness) *witness = crossing;
    return zl_leave(ctx, ZLAY_OK);
}

static zlay_status normal(zlay_ctx *ctx, zlay_hier **out, const zl_moves *m, const zl_tree *tree)
{
    zlay_crossing w;
    if (zl_moves_keep(m, tree, &w)) return zl_hier_of_moves(ctx, out, m, tree);
    return zl_fail(ctx, ZLAY_NONE, "crosses level '%s': slots %llu and %llu of one block part",
                   tree->level[w.level].name, (unsigned long long)w.i, (unsigned long long)w.j);
}

/* a NULL: the values of b themselves. */
static zlay_status solve(zlay_ctx *ctx, zlay_hier **out, const zlay_layout *a,
                         const zlay_layout *b, const zl_tree *tree)
{
    zl_moves m;
    zlay_status status = a ? zl_moves_between(ctx, &m, tree, a, b) : zl_moves_of(ctx, &m, tree, b);
    return status ? status : normal(ctx, out, &m, tree);
}

zlay_status zlay_hier_normal(zlay_ctx *ctx, zlay_hier **out, const zlay_layout *layout,
                             const zlay_level *level, size_t count)
{
    zl_tree tree;
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_tree_begin(ctx, &tree, level, count);
    return zl_leave(ctx, status ? status : solve(ctx, out, NULL, layout, &tree));
}

zlay_status zlay_hier_solve(zlay_ctx *ctx, zlay_hier **out, const zlay_layout *a,
                            const zlay_layout *b, const zlay_level *level, size_t count)
{
    zl_tree tree;
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!a) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_tree_begin(ctx, &tree, level, count);
    return zl_leave(ctx, status ? status : solve(ctx, out, a, b, &tree));
}

zlay_status zlay_hier_level(zlay_ctx *ctx, zlay_reach *out, const zlay_layout *a,
                            const zlay_layout *b, const zlay_level *level, size_t count)
{
    zl_tree tree;
    zl_moves m;
    if (!out) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_tree_begin(ctx, &tree, level, count);
    if (!status) status = zl_moves_between(ctx, &m, &tree, a, b);
    if (!status) *out = zl_moves_reach(&m, &tree);
    return zl_leave(ctx, status);
}

/* ---- a form read ----------------------------------------------------------------------- */

void zlay_hier_free(zlay_hier *a)
{
    if (!a) return;
    zlay_allocator alloc = a->alloc;
    zl_free(&alloc, a, a->bytes);
}

static uint64_t slots_of(const zlay_hier *a)
{
    uint64_t slots = 1;
    for (size_t k = 0; k < a->count; k++) slots *= a->tier[k].size;
    return slots;
}

static uint64_t eval(const zlay_hier *a, uint64_t slot, uint64_t slots)
{
    uint64_t node = 0, to = 0;
    for (size_t k = a->count; k-- > 0;) {
        const zl_tier *t = &a->tier[k];
        slots /= t->size;
        uint64_t entry = node * t->size + slot / slots;
        slot %= slots;
        to += t->map[entry] * slots;
        node = t->below[entry];
    }
    return to;
}

zlay_status zlay_hier_eval(uint64_t *out, const zlay_hier *a, uint64_t slot)
{
    if (!out || !a || slot >= slots_of(a)) return ZLAY_EINVAL;
    *out = eval(a, slot, slots_of(a));
    return ZLAY_OK;
}

size_t zlay_hier_levels(zlay_tier *out, size_t room, const zlay_hier *a)
{
    if (!a) return 0;
    for (size_t k = 0; out && k < room && k < a->count; k++)
        out[k] = (zlay_tier){a->tier[k].name, a->tier[k].size, a->tier[k].nodes};
    return a->count;
}

zlay_status zlay_hier_node(uint64_t *map, uint64_t *below, size_t room, const zlay_hier *a,
                           size_t level, uint64_t node)
{
    if (!map || !below || !a || level >= a->count || node >= a->tier[level].nodes)
        return ZLAY_EINVAL;
    const zl_tier *t = &a->tier[level];
    if (room < t->size) return ZLAY_EROOM;
    for (uint64_t c = 0; c < t->size; c++) {
        map[c] = t->map[node * t->size + c];
        below[c] = t->below[node * t->size + c];
    }
    return ZLAY_OK;
}

/* ---- a form as a layout ------------------------------------------------------------------ */

static zlay_status box_of(zl_modes *box, const zlay_hier *a)
{
    zlay_status status = ZLAY_OK;
    for (size_t k = 0; k < a->count && !status; k++)
        status = zl_modes_leaf(box, (int64_t)a->tier[k].size, 0);
    if (a->count > 1) zl_modes_wrap(box, 0);
    return status;
}

static zlay_status layout_of(zlay_ctx *ctx, zlay_layout **out, const zlay_hier *a)
{
    uint64_t slots = slots_of(a);
    zl_table t;
    zl_modes box;
    zl_modes_begin(&box, ctx);
    zlay_status status = zl_table_new(ctx, &t, slots);
    for (uint64_t i = 0; !status && i < slots; i++)
        zl_table_set(&t, i, (int64_t)eval(a, i, slots));
    if (!status) status = box_of(&box, a);
    if (!status) status = zl_cheapest(ctx, out, &t, &box, NULL, NULL);
    zl_table_free(&t);
    zl_modes_end(&box);
    return status;
}

zlay_status zlay_hier_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_hier *a)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!a) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, layout_of(ctx, out, a));
}
