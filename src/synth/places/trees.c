/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of moves: how a value that is made in one place gets to others, each place served once from
 * one that has the value.  There are few places, so all trees are listed, for every home.  What is
 * read or written costs its bytes times the cost of the place. */
#include "synth/places/place.h"

#include <string.h>

/* Whether following sources from every place ends at home. */
static bool is_tree(const zl_place_tree *tree)
{
    for (uint32_t i = 0; i < ZL_PLACES; i++) {
        if (!(tree->has >> i & 1)) continue;
        uint32_t at = i;
        for (uint32_t k = 0; k < ZL_PLACES && at != tree->home; k++) at = tree->source[at];
        if (at != tree->home) return false;
    }
    return true;
}

static void add(zl_place_program *p, zl_place_tree *tree)
{
    if (!is_tree(tree)) return;
    tree->leaves = tree->has;
    for (uint32_t i = 0; i < ZL_PLACES; i++)
        if (tree->has >> i & 1 && i != tree->home)
            tree->leaves &= (uint8_t)~(1u << tree->source[i]);
    p->tree[p->trees++] = *tree;
}

/* Chooses the source of the places from `place` on. */
static void extend(zl_place_program *p, zl_place_tree *tree, uint32_t place)
{
    if (place == ZL_PLACES) {
        add(p, tree);
        return;
    }
    if (place == tree->home || !(tree->has >> place & 1)) {
        extend(p, tree, place + 1);
        return;
    }
    for (uint32_t from = 0; from < ZL_PLACES; from++) {
        if (!(tree->has >> from & 1) || !(p->moves[from] >> place & 1)) continue;
        tree->source[place] = (uint8_t)from;
        extend(p, tree, place + 1);
    }
    tree->source[place] = ZL_NOWHERE;
}

void zl_place_trees(zl_place_program *p)
{
    for (uint32_t home = 0; home < ZL_PLACES; home++)
        for (uint32_t set = 0; set < ZL_PLACE_SETS; set++) {
            if (!(set >> home & 1)) continue;
            zl_place_tree tree = {.home = (uint8_t)home, .has = (uint8_t)set};
            memset(tree.source, ZL_NOWHERE, sizeof tree.source);
            tree.source[home] = (uint8_t)home;
            extend(p, &tree, 0);
        }
}

/* ---- costs ---------------------------------------------------------------------------------- */

/* A tensor copy that serves a group of blocks reads global memory once for all of them. */
zl_place_cost zl_place_move_cost(const zl_place_program *p, uint32_t v, uint32_t from, uint32_t to)
{
    uint64_t weight = p->value[v].weight, reads = weight * p->cost[from];
    uint64_t group = from == ZL_GLOBAL && to == ZL_SHARED ? p->value[v].group : 1;
    const zl_place_move *move = &p->move[from][to];
    uint64_t cost = (reads + group - 1) / group + weight * p->cost[to];
    return (zl_place_cost){cost + weight * move->path * p->cost[ZL_SHARED], move->carried};
}

zl_place_cost zl_place_tree_cost(const zl_place_program *p, uint32_t v, const zl_place_tree *tree)
{
    zl_place_cost sum = {0, 0};
    for (uint32_t i = 0; i < ZL_PLACES; i++)
        if (tree->has >> i & 1 && i != tree->home)
            sum = zl_cost_sum(sum, zl_place_move_cost(p, v, tree->source[i], i));
    return sum;
}

/* A value is read as often as its reader is done; what is wanted at the end is read by no
 * operation. */
zl_place_cost zl_place_read_cost(const zl_place_program *p, uint32_t v,
                                 const zl_place_reader *reader, uint32_t place)
{
    bool end = reader->op == p->r.operations;
    uint64_t cost = end ? 0 : p->value[v].bytes * p->runs[reader->op] * p->cost[place];
    return (zl_place_cost){cost, 0};
}

zl_place_cost zl_place_write_cost(const zl_place_program *p, uint32_t v, uint32_t home)
{
    uint64_t cost = p->value[v].writer == UINT32_MAX ? 0 : p->value[v].weight * p->cost[home];
    return (zl_place_cost){cost, 0};
}
