/* SPDX-License-Identifier: Apache-2.0 */
/* Which places values may have at all, as the fixed point of functions that are applied in a drawn order. */
#ifndef TEST_PLACES_FIXED_H
#define TEST_PLACES_FIXED_H

#include "places/memory.h"

typedef struct fixed {
    uint32_t may[ZLAY_PLACES_VALUES], homes[ZLAY_PLACES_VALUES];
    bool form[ZLAY_PLACES_OPERATIONS][16];
} fixed;

static uint32_t closure(const brute *b, uint32_t homes, uint32_t may)
{
    uint32_t set = homes & may;
    for (int k = 0; k < PLACES; k++)
        for (int p = 0; p < PLACES; p++)
            for (int q = 0; q < PLACES; q++)
                if (set >> p & 1 && b->move[p][q] >= 0) set |= 1u << q & may;
    return set;
}

static uint32_t operand_set(const form_row *row, uint32_t i) { return i < 5 && row->operand[i] ? row->operand[i] : row->rest; }

/* Whether every use can be reached from a place. */
static bool serves(const brute *b, const fixed *x, uint32_t v, uint32_t home)
{
    uint32_t set = closure(b, home, x->may[v]);
    bool all = !b->r->value[v].to || set & b->r->value[v].to;
    for (uint32_t o = 0; o < b->r->operations; o++)
        for (uint32_t i = 0; i < b->r->operation[o].reads; i++) {
            uint32_t wants = 0;
            if (b->r->operation[o].read[i] != v) continue;
            for (size_t f = 0; f < sizeof form_rows / sizeof *form_rows; f++) wants |= x->form[o][f] ? operand_set(&form_rows[f], i) : 0;
            all = all && set & wants;
        }
    return all;
}

static void value_shrinks(const brute *b, fixed *x, uint32_t v)
{
    int writer = writer_of(b, v);
    uint32_t made = b->r->value[v].from, homes = 0;
    for (size_t f = 0; writer >= 0 && f < sizeof form_rows / sizeof *form_rows; f++) made |= x->form[writer][f] ? form_rows[f].result : 0;
    for (int p = 0; p < PLACES; p++)
        if (made >> p & 1 && x->may[v] >> p & 1 && serves(b, x, v, 1u << p)) homes |= 1u << p;
    x->homes[v] = homes;
    x->may[v] = closure(b, homes, x->may[v]);
}

static void operation_shrinks(const brute *b, fixed *x, uint32_t o)
{
    const zlay_places_operation *op = &b->r->operation[o];
    for (size_t f = 0; f < sizeof form_rows / sizeof *form_rows; f++) {
        for (uint32_t i = 0; i < op->reads; i++) x->form[o][f] = x->form[o][f] && x->may[op->read[i]] & operand_set(&form_rows[f], i);
        for (uint32_t i = 0; i < op->writes; i++) x->form[o][f] = x->form[o][f] && x->homes[op->write[i]] & form_rows[f].result;
    }
}

static bool several_blocks(const zlay_places_request *r)
{
    for (uint32_t blocks = 2; blocks <= r->cluster; blocks++)
        for (int d = 0; d < 3; d++)
            if (r->grid[d] && r->grid[d] % blocks == 0) return true;
    return false;
}

/* Whether every value has a place; no function changes the state any more. */
static bool fixed_find(const brute *b, fixed *x, uint64_t *seed)
{
    const uint32_t shared = (uint32_t)(b->r->smem / UNIT), tensor = target_has(b->target, "TCGEN05") ? b->r->tmem : 0;
    const uint32_t capacity[] = {b->r->registers, shared, several_blocks(b->r) ? shared : 0, tensor};
    memset(x, 0, sizeof *x);
    for (uint32_t v = 0; v < b->r->values; v++) {
        x->may[v] = x->homes[v] = G;
        for (int p = 0; p < AT_G; p++)
            if (room_of(b, v, p) <= capacity[p]) x->may[v] |= 1u << p;
        x->homes[v] = x->may[v];
    }
    for (uint32_t o = 0; o < b->r->operations; o++)
        for (size_t f = 0; f < sizeof form_rows / sizeof *form_rows; f++) x->form[o][f] = stands_for(b, f, &b->r->operation[o]);
    for (int quiet = 0; quiet < 3;) {
        fixed before = *x;
        for (uint32_t k = 0; k < 4 * (b->r->values + b->r->operations); k++) {
            uint32_t i = (uint32_t)test_range(seed, 0, b->r->values + b->r->operations - 1);
            if (i < b->r->values) value_shrinks(b, x, i);
            else operation_shrinks(b, x, i - b->r->values);
        }
        quiet = memcmp(&before, x, sizeof before) ? 0 : quiet + 1;
    }
    for (uint32_t v = 0; v < b->r->values; v++)
        if (!x->may[v]) return false;
    return true;
}

#endif
