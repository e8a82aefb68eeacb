/* SPDX-License-Identifier: Apache-2.0 */
/* What brute force over places of a tile program stands on: rows of forms and moves, which are the library's, a choice, and what the request says. */
#ifndef TEST_PLACES_ROWS_H
#define TEST_PLACES_ROWS_H

#include "ctx.h"

#include <ctype.h>
#include <stdbool.h>

enum { PLACES = 5, ROUNDS = 4, STEPS = 64, TREES = 256, NONE = -1, NO = 0, R = 1, S = 2, C = 4, T = 8, G = 16, RS = R | S, ST = S | T };
enum { AT_R, AT_S, AT_C, AT_T, AT_G, UNIT = 128 };

typedef struct form_row {
    const char *name, *kind;
    int tier;
    const char *needs;
    uint32_t least, operand[5], rest;
    int sum;
    uint32_t result;
    int in_place;
} form_row;

#define OPERANDS(...) {__VA_ARGS__}
static const form_row form_rows[] = {
#define FORM(name, kind, tier, needs, least, operands, rest, sum, result, in_place, source) \
    {name, kind, tier, #needs, least, OPERANDS operands, rest, sum, result, in_place},
#include "synth/places/forms.def"
};

static const struct {
    const char *from, *to, *needs;
    uint32_t path, carried;
} move_rows[] = {
#define MOVE(from, to, needs, path, carried, by) {#from, #to, #needs, path, carried},
#include "synth/places/moves.def"
};

static const char *const place_words[] = {"REGISTER", "SHARED", "CLUSTER", "TENSOR", "GLOBAL"};

static bool target_has(const zlay_target *target, const char *needs)
{
    zlay_target_summary info;
    const char *feature;
    zlay_target_info(&info, target);
    bool gfx = !strcmp(info.cls, "gfx");
    if (!strcmp(needs, "ANY")) return true;
    if (!strncmp(needs, "WAVES", 5) && needs[5]) return gfx && info.lanes == strtoul(needs + 5, NULL, 10);
    if (!strcmp(needs, "DIRECT")) return zlay_target_direct(target) != 0;
    if (!strcmp(needs, "LANES") || !strcmp(needs, "WAVES")) return gfx == (*needs == 'W');
    for (size_t i = 0; (feature = zlay_target_feature_nth(target, i)); i++) {
        size_t k = 0;
        while (needs[k] && tolower(needs[k]) == feature[k]) k++;
        if (!needs[k] && !feature[k]) return true;
    }
    return false;
}

/* The first row of a move; -1: there is none. */
static int move_row(const zlay_target *target, int from, int to)
{
    for (size_t i = 0; i < sizeof move_rows / sizeof *move_rows; i++)
        if (!strcmp(move_rows[i].from, place_words[from]) && !strcmp(move_rows[i].to, place_words[to]) && target_has(target, move_rows[i].needs)) return (int)i;
    return -1;
}

typedef struct tree {
    int source[PLACES], home; /* -1: not there */
    uint64_t cost;
    uint32_t moves;
} tree;

typedef struct brute {
    const zlay_target *target;
    const zlay_places_request *r;
    uint64_t cost[PLACES];
    int move[PLACES][PLACES];
    uint32_t shape[3], may[ZLAY_PLACES_VALUES];
    /* a choice */
    int form[ZLAY_PLACES_OPERATIONS], read[ZLAY_PLACES_OPERATIONS][ZLAY_PLACES_READS], end[ZLAY_PLACES_VALUES];
    tree tree[ZLAY_PLACES_VALUES];
    uint64_t best, tried, visited;
    uint32_t best_moves, best_blocks;
    bool found, outside; /* a choice is outside the fixed point */
    bool over;           /* more choices than are tried */
} brute;

static uint64_t bytes_of(const zlay_places_value *v) { return ((uint64_t)v->rows * v->columns * v->bits + 7) / 8; }
static uint64_t times_of(const zlay_places_value *v) { return v->times ? v->times : 1; }

static int writer_of(const brute *b, uint32_t v)
{
    for (uint32_t o = 0; o < b->r->operations; o++)
        for (uint32_t i = 0; i < b->r->operation[o].writes; i++)
            if (b->r->operation[o].write[i] == v) return (int)o;
    return -1;
}

static uint32_t group_of(const brute *b, uint32_t v)
{
    uint32_t group = 1;
    for (int d = 0; d < 3; d++)
        if (b->r->value[v].same >> d & 1) group *= b->shape[d];
    return group;
}

static uint64_t runs_of(const brute *b, uint32_t o)
{
    const zlay_places_operation *op = &b->r->operation[o];
    uint64_t most = 1;
    for (uint32_t i = 0; i < op->reads; i++)
        if (times_of(&b->r->value[op->read[i]]) > most) most = times_of(&b->r->value[op->read[i]]);
    for (uint32_t i = 0; i < op->writes; i++)
        if (times_of(&b->r->value[op->write[i]]) > most) most = times_of(&b->r->value[op->write[i]]);
    return most;
}

/* Whether a row is what an operation asks for, and the target has none of a higher tier. */
static bool stands_for(const brute *b, size_t f, const zlay_places_operation *op)
{
    const form_row *row = &form_rows[f];
    bool named = !strcmp(row->name, op->form);
    if (!named && strcmp(row->kind, op->form)) return false;
    if (!target_has(b->target, row->needs)) return false;
    for (size_t i = 0; !named && i < sizeof form_rows / sizeof *form_rows; i++)
        if (!strcmp(form_rows[i].kind, op->form) && target_has(b->target, form_rows[i].needs) && form_rows[i].tier > row->tier) return false;
    return op->reads >= row->least;
}

#endif
