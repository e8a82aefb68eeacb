/* SPDX-License-Identifier: Apache-2.0 */
/* Places of a tile program by brute force: every form, every place of every operand, every tree of moves, every shape of a cluster.  Lives come from
 * rounds of the loop that are played one after the other, packings from all offsets.  The rows of forms and moves are the library's; nothing else is. */
#ifndef TEST_PLACES_H
#define TEST_PLACES_H

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
    uint64_t best, tried;
    uint32_t best_moves, best_blocks;
    bool found, outside; /* a choice is outside the fixed point */
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

/* ---- lives ---- */

static bool looped(const brute *b, int o) { return o >= (int)b->r->loop_first && o < (int)(b->r->loop_first + b->r->loop_count); }

static bool replaces(const brute *b, uint32_t o, uint32_t i) { return form_rows[b->form[o]].in_place || form_rows[b->form[o]].sum == (int)i; }

/* The time of a step in a round. */
static int time_of(const brute *b, int round, int step)
{
    int first = 2 * (int)b->r->loop_first, length = 2 * (int)b->r->loop_count;
    if (!length || step < first) return step;
    return step < first + length ? step + round * length : step + (ROUNDS - 1) * length;
}

typedef struct played {
    int at[PLACES];
    bool alive[PLACES][STEPS * ROUNDS];
} played;

static void fill(played *g, int place, int from, int to)
{
    for (int t = from; t <= to; t++) g->alive[place][t] = true;
}

/* A use of an instance at a place; the first walk finds when copies get there, the second what lives until then. */
static void use(const brute *b, played *g, uint32_t v, int place, int begin, int end, int walk)
{
    const tree *t = &b->tree[v];
    if (walk == 0) {
        for (int p = place; p != t->home; p = t->source[p])
            if (g->at[p] < 0 || begin < g->at[p]) g->at[p] = begin;
    } else fill(g, place, g->at[place], end);
}

/* The time of a use by operation o of the instance of a round; -1: it is not used. */
static int use_time(const brute *b, int writer, int round, int o, int step)
{
    bool own = writer >= 0 && looped(b, writer);
    if (!own) return time_of(b, 0, step);
    if (looped(b, o)) {
        if (o <= writer) round++;
        return round < ROUNDS ? time_of(b, round, step) : -1;
    }
    return round == ROUNDS - 1 ? time_of(b, 0, step) : -1;
}

static void play(const brute *b, uint32_t v, int round, played *g)
{
    const tree *t = &b->tree[v];
    int writer = writer_of(b, v), end = 2 * (int)b->r->operations;
    memset(g, 0, sizeof *g);
    for (int p = 0; p < PLACES; p++) g->at[p] = -1;
    g->at[t->home] = writer < 0 ? 0 : looped(b, writer) ? time_of(b, round, 2 * writer + 1) : time_of(b, 0, 2 * writer + 1);
    for (int walk = 0; walk < 2; walk++) {
        for (uint32_t o = 0; o < b->r->operations; o++)
            for (uint32_t i = 0; i < b->r->operation[o].reads; i++) {
                if (b->r->operation[o].read[i] != v) continue;
                int begin = use_time(b, writer, round, (int)o, 2 * (int)o);
                if (begin >= 0) use(b, g, v, b->read[o][i], begin, begin + !replaces(b, o, i), walk);
            }
        int last = b->r->value[v].to ? use_time(b, writer, round, (int)b->r->operations, end) : -1;
        if (last >= 0) use(b, g, v, b->end[v], last, last, walk);
    }
    for (int p = 0; p < PLACES; p++) {
        if (t->source[p] < 0 || g->at[p] < 0) continue;
        fill(g, p, g->at[p], g->at[p]);
        if (p != t->home) fill(g, t->source[p], g->at[t->source[p]], g->at[p]);
    }
}

static int held(const brute *b, uint32_t v, int place)
{
    const tree *t = &b->tree[v];
    uint32_t depth = b->r->value[v].depth ? b->r->value[v].depth : 1;
    return t->home == place || t->source[place] == AT_G ? (int)depth : 1;
}

/* The steps in which a value is in each place: by its uses, and with what is kept through the loop. */
static bool read_before_loop(const brute *b, uint32_t v)
{
    for (uint32_t o = 0; o < b->r->operations && o < b->r->loop_first; o++)
        for (uint32_t i = 0; i < b->r->operation[o].reads; i++)
            if (b->r->operation[o].read[i] == v) return true;
    return false;
}

/* One tile, or fewer than rounds, or none that is made or brought in the loop: a tile is read in several rounds. */
static bool serves_rounds(const brute *b, uint32_t v)
{
    int made = writer_of(b, v);
    bool again = times_of(&b->r->value[v]) == 1 || (made >= 0 && !looped(b, made)) || (made < 0 && (b->r->value[v].from != ZLAY_PLACE_GLOBAL || read_before_loop(b, v)));
    for (int o = 0; o < (int)b->r->operations; o++) again = again || (looped(b, o) && runs_of(b, (uint32_t)o) > times_of(&b->r->value[v]));
    return again;
}

static void lives_of(const brute *b, uint32_t v, uint64_t *own, uint64_t *all)
{
    int writer = writer_of(b, v), rounds = writer >= 0 && looped(b, writer) ? ROUNDS : 1, first = 2 * (int)b->r->loop_first, length = 2 * (int)b->r->loop_count;
    bool in = rounds > 1;
    uint64_t whole = length ? ((1ull << length) - 1) << first : 0;
    memset(own, 0, PLACES * sizeof *own);
    for (int round = 0; round < rounds; round++) {
        static played g;
        play(b, v, round, &g);
        for (int p = 0; p < PLACES; p++)
            for (int step = 0; step <= 2 * (int)b->r->operations; step++)
                for (int k = 0; k < ROUNDS; k++)
                    if (g.alive[p][time_of(b, rounds > 1 ? k : 0, step)]) own[p] |= 1ull << step;
    }
    for (uint32_t o = 0; o < b->r->operations; o++)
        for (uint32_t i = 0; i < b->r->operation[o].reads; i++) in = in || (b->r->operation[o].read[i] == v && looped(b, (int)o));
    bool again = serves_rounds(b, v);
    for (int p = 0; p < PLACES; p++) {
        all[p] = own[p];
        bool passes = own[p] && b->r->value[v].from == ZLAY_PLACE_GLOBAL && read_before_loop(b, v);
        if (in && (own[p] & whole || passes) && (again || held(b, v, p) > 1)) all[p] |= whole;
    }
}

/* ---- memory ---- */

typedef struct buffer {
    uint64_t own, life;
    uint32_t size, at;
} buffer;

static bool lay(buffer *x, uint32_t count, uint32_t i, uint32_t capacity, uint32_t step)
{
    if (i == count) return true;
    for (x[i].at = 0; x[i].at + x[i].size <= capacity; x[i].at += step) {
        bool free = true;
        for (uint32_t j = 0; j < i; j++) free = free && (!(x[i].life & x[j].life) || x[i].at + x[i].size <= x[j].at || x[j].at + x[j].size <= x[i].at);
        if (free && lay(x, count, i + 1, capacity, step)) return true;
    }
    return false;
}

static uint64_t gcd64(uint64_t a, uint64_t b) { return b ? gcd64(b, a % b) : a; }

/* What values take of a place: registers, units of 128 bytes, columns. */
static uint32_t room_of(const brute *b, uint32_t v, int place)
{
    const zlay_places_value *x = &b->r->value[v];
    uint64_t bytes = bytes_of(x), columns = ((uint64_t)x->columns * x->bits + 31) / 32 * ((x->rows + 127) / 128);
    if (place == AT_R) return (uint32_t)((bytes + 4 * b->r->threads - 1) / (4 * b->r->threads));
    return (uint32_t)((place == AT_T ? columns : (bytes + UNIT - 1) / UNIT) * (uint64_t)1);
}

typedef struct usage {
    uint32_t registers, tmem, buffers[2];
    buffer shared[2 * ZLAY_PLACES_VALUES], tensor[ZLAY_PLACES_VALUES];
    uint32_t of[2 * ZLAY_PLACES_VALUES], place[2 * ZLAY_PLACES_VALUES]; /* of shared */
    int lies[ZLAY_PLACES_VALUES];  /* in tensor */
} usage;

/* Joins sums with results in tensor memory; false: both are alive in one step. */
static bool join_all(const brute *b, usage *u)
{
    for (uint32_t o = 0; o < b->r->operations; o++) {
        const zlay_places_operation *op = &b->r->operation[o];
        const form_row *f = &form_rows[b->form[o]];
        if (f->sum < 0 || f->sum >= (int)op->reads || f->result != T || op->read[f->sum] == op->write[0]) continue;
        int x = u->lies[op->read[f->sum]], y = u->lies[op->write[0]], made = writer_of(b, op->read[f->sum]);
        if (looped(b, (int)o) && (made < 0 || !looped(b, made)) && serves_rounds(b, op->read[f->sum])) return false; /* the first round spoils it */
        if (x == y) continue;
        if (u->tensor[x].own & u->tensor[y].own) return false;
        u->tensor[x].own |= u->tensor[y].own;
        u->tensor[x].life |= u->tensor[y].life;
        if (u->tensor[y].size > u->tensor[x].size) u->tensor[x].size = u->tensor[y].size;
        u->tensor[y] = (buffer){0};
        for (uint32_t v = 0; v < b->r->values; v++)
            if (u->lies[v] == y) u->lies[v] = x;
    }
    return true;
}

static uint32_t peak(const buffer *x, uint32_t count)
{
    uint32_t most = 0;
    for (int step = 0; step < STEPS; step++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < count; i++) sum += x[i].life >> step & 1 ? x[i].size : 0;
        if (sum > most) most = sum;
    }
    return most;
}

static void use_memory(const brute *b, usage *u)
{
    buffer registers[ZLAY_PLACES_VALUES];
    uint32_t count = 0;
    memset(u, 0, sizeof *u);
    for (uint32_t v = 0; v < b->r->values; v++) {
        uint64_t own[PLACES], all[PLACES];
        lives_of(b, v, own, all);
        u->lies[v] = -1;
        for (int p = 0; p < AT_G; p++) {
            if (b->tree[v].source[p] < 0) continue;
            buffer x = {own[p], all[p], room_of(b, v, p) * (uint32_t)held(b, v, p), 0};
            if (p == AT_R) registers[count++] = x;
            else if (p == AT_T) {
                u->lies[v] = (int)u->buffers[1];
                u->tensor[u->buffers[1]++] = x;
            } else {
                u->of[u->buffers[0]] = v;
                u->place[u->buffers[0]] = (uint32_t)p;
                u->shared[u->buffers[0]++] = x;
            }
        }
    }
    u->registers = peak(registers, count);
}

/* Whether the choice fits; *u: what it takes. */
static bool fits(const brute *b, usage *u)
{
    for (uint32_t v = 0; v < b->r->values; v++)
        if (b->tree[v].source[AT_C] >= 0 && b->shape[0] * b->shape[1] * b->shape[2] == 1) return false;
    use_memory(b, u);
    uint32_t step = target_has(b->target, "TMA") ? 8 : 1, capacity = (uint32_t)(b->r->smem / UNIT), columns = b->r->tmem;
    uint64_t unit = columns;
    if (u->registers > b->r->registers || peak(u->shared, u->buffers[0]) > capacity) return false;
    if (u->buffers[1] && !target_has(b->target, "TCGEN05")) return false;
    if (!join_all(b, u) || peak(u->tensor, u->buffers[1]) > columns) return false;
    for (uint32_t i = 0; i < u->buffers[1]; i++) unit = gcd64(unit, u->tensor[i].size);
    if (!lay(u->shared, u->buffers[0], 0, capacity, step)) return false;
    for (u->tmem = u->buffers[1] ? 32 : 0; u->tmem < columns && u->tmem; u->tmem *= 2)
        if (lay(u->tensor, u->buffers[1], 0, u->tmem, (uint32_t)unit)) return true;
    return lay(u->tensor, u->buffers[1], 0, columns, (uint32_t)unit);
}

/* ---- every choice ---- */

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
    if (!below(b, cost, moves)) return;
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

/* ---- the fixed point, its functions applied in a drawn order ---- */

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
