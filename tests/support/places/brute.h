/* SPDX-License-Identifier: Apache-2.0 */
/* Places of a tile program by brute force: every form, every place of every operand, every tree of moves, every shape of a cluster.  Lives come from
 * rounds of the loop that are played one after the other, packings from all offsets.  The rows of forms and moves are the library's; nothing else is. */
#ifndef TEST_PLACES_BRUTE_H
#define TEST_PLACES_BRUTE_H

#include "places/memory.h"

static uint64_t move_cost(const brute *b, uint32_t v, int from, int to)
{
    uint64_t weight = bytes_of(&b->r->value[v]) * times_of(&b->r->value[v]), group = from == AT_G && to == AT_S ? group_of(b, v) : 1;
    return (weight * b->cost[from] + group - 1) / group + weight * b->cost[to] + weight * move_rows[b->move[from][to]].path * b->cost[AT_S];
}

/* Every tree from home to what is wanted, without costs. */
static uint32_t list_shapes(const brute *b, int home, uint32_t wanted, tree *out)
{
    uint32_t count = 0;
    for (int code = 0; code < 7776; code++) { /* 6^5: each place without, or with one of five sources */
        tree t = {.home = home};
        uint32_t has = 1u << home, read = wanted;
        bool good = true;
        for (int p = 0, c = code; p < PLACES; p++, c /= 6) {
            t.source[p] = c % 6 - 1;
            if (p == home) good = good && c % 6 == 0;
            else if (t.source[p] >= 0) has |= 1u << p;
        }
        t.source[home] = home;
        for (int p = 0; p < PLACES && good; p++) {
            if (p == home || t.source[p] < 0) continue;
            read |= 1u << t.source[p];
            int q = p;
            for (int k = 0; k < PLACES && q >= 0 && q != home; k++) q = t.source[q];
            good = q == home && b->move[t.source[p]][p] >= 0;
        }
        if (good && !(wanted & ~has) && !(has & ~read & ~(1u << home))) {
            assert_true(count < TREES);
            out[count++] = t;
        }
    }
    return count;
}

/* The same with costs; lists of a target are kept. */
static uint32_t list_trees(const brute *b, uint32_t v, int home, uint32_t wanted, tree *out)
{
    static tree kept[PLACES][32][TREES];
    static uint32_t counts[PLACES][32];
    static bool known[PLACES][32];
    static const zlay_target *of;
    if (of != b->target) memset(known, 0, sizeof known);
    of = b->target;
    if (!known[home][wanted]) counts[home][wanted] = list_shapes(b, home, wanted, kept[home][wanted]);
    known[home][wanted] = true;
    for (uint32_t i = 0; i < counts[home][wanted]; i++) {
        out[i] = kept[home][wanted][i];
        for (int p = 0; p < PLACES; p++) {
            if (p == home || out[i].source[p] < 0) continue;
            out[i].cost += move_cost(b, v, out[i].source[p], p);
            out[i].moves += move_rows[b->move[out[i].source[p]][p]].carried;
        }
    }
    return counts[home][wanted];
}

enum { VISITED_MOST = 200000000 };

static bool below(const brute *b, uint64_t cost, uint32_t moves) { return !b->found || cost < b->best || (cost == b->best && moves < b->best_moves); }

static uint32_t wanted_of(const brute *b, uint32_t v)
{
    uint32_t set = b->r->value[v].to ? 1u << b->end[v] : 0;
    for (uint32_t o = 0; o < b->r->operations; o++)
        for (uint32_t i = 0; i < b->r->operation[o].reads; i++)
            if (b->r->operation[o].read[i] == v) set |= 1u << b->read[o][i];
    return set;
}

static void each_tree(brute *b, uint32_t v, uint64_t cost, uint32_t moves)
{
    b->over |= ++b->visited > VISITED_MOST;
    if (b->over || !below(b, cost, moves)) return;
    if (v == b->r->values) {
        usage u;
        b->tried++;
        if (!fits(b, &u)) return;
        b->best = cost;
        b->best_moves = moves;
        b->best_blocks = b->shape[0] * b->shape[1] * b->shape[2];
        b->found = true;
        return;
    }
    tree list[TREES];
    int writer = writer_of(b, v);
    uint32_t home = writer < 0 ? b->r->value[v].from : form_rows[b->form[writer]].result;
    uint32_t count = list_trees(b, v, __builtin_ctz(home), wanted_of(b, v), list);
    for (uint32_t i = 0; i < count; i++) {
        b->tree[v] = list[i];
        each_tree(b, v + 1, cost + list[i].cost, moves + list[i].moves);
    }
}

/* What operations read and write. */
static uint64_t use_cost(const brute *b)
{
    uint64_t sum = 0;
    for (uint32_t o = 0; o < b->r->operations; o++) {
        const zlay_places_operation *op = &b->r->operation[o];
        for (uint32_t i = 0; i < op->reads; i++) sum += bytes_of(&b->r->value[op->read[i]]) * runs_of(b, o) * b->cost[b->read[o][i]];
        for (uint32_t i = 0; i < op->writes; i++) {
            const zlay_places_value *v = &b->r->value[op->write[i]];
            sum += bytes_of(v) * times_of(v) * b->cost[__builtin_ctz(form_rows[b->form[o]].result)];
        }
    }
    return sum;
}

static void each_end(brute *b, uint32_t v)
{
    if (v == b->r->values) {
        each_tree(b, 0, use_cost(b), 0);
        return;
    }
    if (!b->r->value[v].to) each_end(b, v + 1);
    for (int p = 0; p < PLACES; p++) {
        if (!(b->r->value[v].to >> p & 1)) continue;
        b->end[v] = p;
        each_end(b, v + 1);
    }
}

static void each_operation(brute *b, uint32_t o);

static void each_operand(brute *b, uint32_t o, uint32_t i)
{
    const form_row *row = &form_rows[b->form[o]];
    if (i == b->r->operation[o].reads) {
        each_operation(b, o + 1);
        return;
    }
    uint32_t set = i < 5 && row->operand[i] ? row->operand[i] : row->rest;
    for (int p = 0; p < PLACES; p++) {
        if (!(set >> p & 1)) continue;
        b->read[o][i] = p;
        each_operand(b, o, i + 1);
    }
}

static void each_operation(brute *b, uint32_t o)
{
    if (o == b->r->operations) {
        each_end(b, 0);
        return;
    }
    for (size_t f = 0; f < sizeof form_rows / sizeof *form_rows; f++) {
        if (!stands_for(b, f, &b->r->operation[o])) continue;
        b->form[o] = (int)f;
        each_operand(b, o, 0);
    }
}

static void brute_begin(brute *b, const zlay_target *target, const zlay_places_request *r)
{
    memset(b, 0, sizeof *b);
    b->target = target;
    b->r = r;
    for (int p = 0; p < PLACES; p++) {
        b->cost[p] = r->cost[p];
        for (int q = 0; q < PLACES; q++) b->move[p][q] = move_row(target, p, q);
    }
    b->shape[0] = b->shape[1] = b->shape[2] = 1;
}

/* The request has every field that has a default. */
static void brute_find(brute *b, const zlay_target *target, const zlay_places_request *r)
{
    brute_begin(b, target, r);
    for (uint32_t blocks = 1; blocks <= r->cluster; blocks++)
        for (uint32_t x = 1; x <= blocks; x++)
            for (uint32_t y = 1; x * y <= blocks; y++) {
                const uint32_t shape[] = {x, y, blocks / (x * y)};
                if (blocks % (x * y)) continue;
                bool divides = true;
                for (int d = 0; d < 3; d++) divides = divides && (shape[d] == 1 || (r->grid[d] && r->grid[d] % shape[d] == 0));
                if (!divides) continue;
                memcpy(b->shape, shape, sizeof shape);
                each_operation(b, 0);
            }
}

#endif
