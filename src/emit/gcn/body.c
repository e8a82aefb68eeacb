/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a use of a body in AMDGCN. What depends on no column is computed first and kept; then a pass goes over the
 * lane's elements, four at a time: those of the same columns one after another, so that what depends on the columns alone
 * is computed once for them. A pass ends with its reductions, and the next one computes what it needs of elements anew. */
#include "emit/gcn/body.h"

#include <string.h>

/* ---- before the passes ---------------------------------------------------------------------------- */

void zl_gb_constants(zl_wave_text *t)
{
    zl_wave_line(t, "v_mov_b32 v%d, 0x7fff0000", ZL_GB_NAN);
    zl_wave_line(t, "s_mov_b32 s%d, 0x7fff", ZL_S_ROUND);
    zl_wave_line(t, "s_mov_b32 s%d, 0x7060302", ZL_S_PAIR);
    zl_wave_line(t, "s_mov_b32 s%d, 0xffff", ZL_S_HALF);
}

/* The addresses of arrays, in the order of the operands. */
void zl_gb_arrays(zl_gb *g)
{
    zl_wave_argument argument;
    uint32_t to = ZL_S_ARRAYS;
    for (uint32_t i = zl_wave_pointers(g->t->plan); !zl_wave_argument_nth(&argument, g->t->plan, i); i++) {
        if (argument.scalar) continue;
        zl_wave_line(g->t, "s_load_dwordx2 s[%u:%u], s[%d:%d], 0x%x", to, to + 1, ZL_S_ARGUMENTS,
                     ZL_S_ARGUMENTS + 1, argument.at);
        to += 2;
    }
    if (to > ZL_S_ARRAYS) zl_wave_line(g->t, "s_waitcnt lgkmcnt(0)");
}

/* ---- passes ------------------------------------------------------------------------------------------ */

static const zl_body_node *node_of(const zl_gb *g, int32_t node) { return &g->body->nodes[node]; }

static bool reduces(const zl_body_node *n) { return zl_body_forms[n->op].kind == ZL_BODY_REDUCE; }

/* What is kept and may be computed now: reductions are complete where their pass has ended. */
static void kept(zl_gb *g)
{
    for (uint32_t i = 0; i < g->body->nodes_count; i++) {
        const zl_body_node *n = node_of(g, (int32_t)i);
        if (!g->room->kept[i]) continue;
        if (reduces(n)) {
            if (g->room->level[i] == g->pass && g->pass) zl_gb_lanes(g, (int32_t)i);
            if (g->room->level[i] == g->pass + 1) zl_gb_reduce_begin(g, (int32_t)i);
        } else if (g->room->level[i] == g->pass) {
            zl_gb_node(g, (int32_t)i);
        }
    }
}

static bool in_pass(const zl_gb *g, uint32_t node) { return g->room->passes[node] >> g->pass & 1; }

static bool needs_columns(const zl_gb *g)
{
    for (uint32_t i = 0; i < g->body->nodes_count; i++)
        if (in_pass(g, i) && g->body->nodes[i].shape == ZL_ON_COLUMN) return true;
    return false;
}

static bool same_columns(const zl_gb *g, uint32_t a, uint32_t b)
{
    const uint16_t *of = g->elements->column.of;
    return !memcmp(of + a, of + b, ZL_ROOM_RUN * sizeof *of);
}

/* Whether an earlier run has the same columns, and this one came behind it. */
static bool came(const zl_gb *g, uint32_t run)
{
    for (uint32_t i = 0; i < run; i += ZL_ROOM_RUN)
        if (same_columns(g, i, run)) return true;
    return false;
}

/* The nodes of a run that have this shape. */
static void nodes(zl_gb *g, uint32_t shape)
{
    for (uint32_t i = 0; i < g->body->nodes_count; i++) {
        const zl_body_node *n = node_of(g, (int32_t)i);
        if (!in_pass(g, i)) continue;
        if (reduces(n) && shape == ZL_ON_BOTH) zl_gb_reduce(g, (int32_t)i);
        else if (n->shape == shape) zl_gb_node(g, (int32_t)i);
    }
}

static void run_print(zl_gb *g, uint32_t run, zl_gb_store *store)
{
    g->run = run;
    nodes(g, ZL_ON_BOTH);
    if (g->room->ends >> g->pass & 1) store(g);
}

static void pass_print(zl_gb *g, zl_gb_store *store)
{
    bool columns = needs_columns(g);
    for (uint32_t run = 0; run < g->elements->values; run += ZL_ROOM_RUN) {
        if (columns && came(g, run)) continue;
        g->run = run;
        if (columns) nodes(g, ZL_ON_COLUMN);
        run_print(g, run, store);
        for (uint32_t i = run + ZL_ROOM_RUN; columns && i < g->elements->values; i += ZL_ROOM_RUN)
            if (same_columns(g, i, run)) run_print(g, i, store);
    }
}

void zl_gb_body(zl_gb *g, zl_gb_store *store)
{
    for (g->pass = 0; g->pass <= g->room->last; g->pass++) {
        kept(g);
        pass_print(g, store);
    }
}

/* ---- results in registers ---------------------------------------------------------------------------- */

/* Moves what is not computed in its place; of 16 bits, two elements. */
void zl_gb_move(zl_gb *g)
{
    char to[ZL_GB_TEXT], from[ZL_GB_TEXT];
    for (uint32_t i = 0; i < g->outputs.count; i++) {
        const zlay_body_operand *o = &g->body->operands[g->outputs.operand[i]];
        int32_t node = g->outputs.node[i];
        zl_body_node as = {.type = o->type, .shape = ZL_ON_BOTH};
        if (o->sort != ZLAY_BODY_MATRIX || g->room->level[node] != g->pass) continue;
        for (uint32_t r = 0; r < zl_room_count(&as, g->elements); r++) {
            zl_gb_vector(to, zl_gb_bound(g, g->outputs.operand[i], &as, r));
            zl_gb_operand(g, from, node, &as, r, 0);
            if (strcmp(to, from) != 0) zl_gb_says(g, "v_mov_b32 %0, %1", to, from);
        }
    }
}

void zl_gb_move_rows(zl_gb *g)
{
    char to[ZL_GB_TEXT], from[ZL_GB_TEXT];
    for (uint32_t i = 0; i < g->outputs.count; i++) {
        int32_t operand = g->outputs.operand[i], node = g->outputs.node[i];
        if (g->body->operands[operand].sort == ZLAY_BODY_MATRIX) continue;
        for (uint32_t r = 0; r < g->elements->row.count; r++) {
            zl_gb_name(g, from, node, g->body->nodes[node].shape ? r : 0);
            zl_gb_says(g, "v_mov_b32 %0, %1", zl_gb_vector(to, g->bound[operand] + r), from);
        }
    }
}
