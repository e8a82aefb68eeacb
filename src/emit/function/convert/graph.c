/* SPDX-License-Identifier: Apache-2.0 */
/* Says the steps of layouts that are not linear over F2: addresses, lanes and conditions are the
 * expressions of the text's graph, a line for each operation. A thread that has no element in an access
 * does not store, and loads from the first byte on what has no meaning. */
#include "emit/function/convert/say.h"

#include <string.h>

enum { OPERAND = 16 };
#define NOT_SAID UINT32_MAX

/* The register, or the predicate, that each node of the graph has in the text. */
typedef struct graph_sayer {
    zl_speaker *s;
    const zl_trip_text *t;
    uint32_t reg[ZL_GRAPH_NODES];
} graph_sayer;

/* ---- expressions ---------------------------------------------------------------------------- */

static void value_say(graph_sayer *w, zl_vertex v);

typedef void number_put(const zl_speaker *s, zl_text *out, uint32_t number);

static void put(const graph_sayer *w, char out[OPERAND], number_put *how, uint32_t number)
{
    zl_text text = {out, OPERAND - 1, 0};
    how(w->s, &text, number);
    out[text.need] = 0;
}

/* A node as an operand. */
static void operand(graph_sayer *w, char out[OPERAND], zl_vertex v)
{
    const zl_graph_node *n = &w->t->graph.node[v];
    if (n->op == ZL_OP_NUMBER) {
        put(w, out, zl_say_hex, (uint32_t)n->number);
        return;
    }
    value_say(w, v);
    put(w, out, zl_graph_is_condition(n->op) ? zl_say_predicate : zl_say_register, w->reg[v]);
}

/* The block of a thread that calls the function; returns the number of the thread in it. */
static uint32_t own_say(graph_sayer *w, const char *thread, uint32_t *block)
{
    uint32_t threads = (uint32_t)w->t->warps_all << w->t->lanes, off = zl_say_value(w->s), own = zl_say_value(w->s);
    char number[OPERAND], taken[OPERAND];
    *block = zl_say_value(w->s);
    put(w, number, zl_say_hex, threads);
    put(w, taken, zl_say_register, off);
    zl_word_say(w->s, ZL_SAY_OVER, "zss", *block, thread, number);
    zl_word_say(w->s, ZL_SAY_SCALE, "zzx", off, *block, 0u - threads);
    zl_word_say(w->s, ZL_SAY_ADD, "zss", own, thread, taken);
    return own;
}

/* The lane, the warp or the block of the thread. */
static uint32_t coordinate_say(graph_sayer *w, uint32_t which)
{
    uint32_t out = zl_say_value(w->s), block;
    const char *thread = zl_say_thread(w->s);
    char own[OPERAND];
    if (which == 0) {
        zl_word_say(w->s, ZL_SAY_BITS, "zx", out, (1u << w->t->lanes) - 1);
        return out;
    }
    if (w->t->blocks_all > 1) {
        put(w, own, zl_say_register, own_say(w, thread, &block));
        if (which == 2) return block;
        thread = own;
    }
    zl_word_say(w->s, ZL_SAY_PART, "zsu", out, thread, w->t->lanes);
    return out;
}

static zl_word_line line_of(zl_graph_op op)
{
    switch (op) {
    case ZL_OP_ADD: return ZL_SAY_ADD;
    case ZL_OP_OVER: return ZL_SAY_OVER;
    case ZL_OP_OR: return ZL_SAY_JOIN;
    case ZL_OP_XOR: return ZL_SAY_XOR;
    case ZL_OP_LESS: return ZL_SAY_LESS;
    case ZL_OP_SAME: return ZL_SAY_SAME;
    case ZL_OP_BOTH: return ZL_SAY_BOTH;
    default: return ZL_SAY_EITHER;
    }
}

/* An operation by a number. */
static void by_number_say(graph_sayer *w, const zl_graph_node *n, uint32_t out)
{
    char a[OPERAND], number[OPERAND];
    operand(w, a, n->a);
    put(w, number, zl_say_hex, (uint32_t)n->number);
    if (n->op == ZL_OP_AND) zl_word_say(w->s, ZL_SAY_MASK, "zsx", out, a, (uint32_t)n->number);
    else if (n->op == ZL_OP_RIGHT) zl_word_say(w->s, ZL_SAY_PART, "zsu", out, a, (uint32_t)n->number);
    else if (n->op == ZL_OP_OVER) zl_word_say(w->s, ZL_SAY_OVER, "zss", out, a, number);
    else if (n->number > 0 && zl_is_power_of_two((uint64_t)n->number))
        zl_word_say(w->s, ZL_SAY_LEFT, "zsu", out, a, zl_log2((uint64_t)n->number));
    else zl_word_say(w->s, ZL_SAY_SCALE, "zsx", out, a, (uint32_t)n->number);
}

static void operation_say(graph_sayer *w, const zl_graph_node *n, uint32_t out)
{
    char a[OPERAND], b[OPERAND], c[OPERAND];
    bool condition = zl_graph_is_condition(n->op);
    operand(w, a, n->a);
    operand(w, b, n->b);
    if (n->op == ZL_OP_CHOOSE) {
        operand(w, c, n->c);
        zl_word_say(w->s, ZL_SAY_SELECT, "zsss", out, b, c, a);
    } else {
        zl_word_say(w->s, line_of(n->op), condition ? "qss" : "zss", out, a, b);
    }
}

static void value_say(graph_sayer *w, zl_vertex v)
{
    const zl_graph_node *n = &w->t->graph.node[v];
    if (w->reg[v] != NOT_SAID) return;
    if (n->op == ZL_OP_ARGUMENT) {
        w->reg[v] = coordinate_say(w, (uint32_t)n->number % ZL_POINT_SIDE);
        return;
    }
    uint32_t out = zl_graph_is_condition(n->op) ? w->s->predicates++ : zl_say_value(w->s);
    if (n->op >= ZL_OP_TIMES && n->op <= ZL_OP_AND) by_number_say(w, n, out);
    else operation_say(w, n, out);
    w->reg[v] = out;
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* A condition that does not always hold. */
static bool is_open(const graph_sayer *w, zl_vertex there)
{
    return w->t->graph.node[there].op != ZL_OP_NUMBER;
}

/* The address of an access, or of the first byte where there is none. */
static uint32_t place_say(graph_sayer *w, const zl_point_move *m, bool load)
{
    char at[OPERAND], there[OPERAND];
    operand(w, at, m->at);
    if (load && is_open(w, m->there)) {
        uint32_t chosen = zl_say_value(w->s);
        operand(w, there, m->there);
        zl_word_say(w->s, ZL_SAY_SELECT, "zsss", chosen, at, "0", there);
        put(w, at, zl_say_register, chosen);
    }
    uint32_t place = zl_say_value(w->s);
    zl_word_say(w->s, ZL_SAY_PLACE, "zs", place, at);
    return place;
}

static uint32_t byte_of(const graph_sayer *w, const zl_point_move *m)
{
    return m->part * (ZL_WORD_BYTES >> w->t->parts);
}

static void store_say(graph_sayer *w, const zl_trip_step *step)
{
    for (uint32_t i = 0; i < step->count; i++) {
        const zl_point_move *m = &step->move[i];
        uint32_t place = place_say(w, m, false), label = 0;
        bool open = is_open(w, m->there);
        if (open) {
            value_say(w, m->there);
            label = w->s->labels++;
            zl_word_say(w->s, ZL_SAY_WHERE, "qu", w->reg[m->there], label);
        }
        if (step->width < ZL_WORD_BYTES) {
            const uint32_t part[4] = {zl_trip_say_part(w->s, w->s->held[m->word], byte_of(w, m))};
            zl_trip_say_access(w->s, step, place, m->offset, part);
        } else {
            zl_trip_say_access(w->s, step, place, m->offset, &w->s->held[m->word]);
        }
        if (open) zl_word_say(w->s, ZL_SAY_END, "u", label);
    }
}

/* A word with a part that was loaded, above those below it. */
static uint32_t joined(graph_sayer *w, const zl_point_move *m, uint32_t part, bool first)
{
    uint32_t moved = zl_say_value(w->s);
    if (!first) return zl_trip_say_join(w->s, w->s->next[m->word], part, byte_of(w, m));
    zl_word_say(w->s, ZL_SAY_LEFT, "zzu", moved, part, 8 * byte_of(w, m));
    return moved;
}

static void load_say(graph_sayer *w, const zl_trip_step *step)
{
    zl_speaker *s = w->s;
    uint32_t words = step->width > ZL_WORD_BYTES ? step->width / ZL_WORD_BYTES : 1;
    memcpy(s->next, s->held, sizeof s->next);
    for (uint32_t i = 0; i < step->count; i++) {
        const zl_point_move *m = &step->move[i];
        uint32_t z[4], place = place_say(w, m, true);
        for (uint32_t k = 0; k < words; k++) z[k] = zl_say_value(s);
        zl_trip_say_access(s, step, place, m->offset, z);
        bool first = step->width >= ZL_WORD_BYTES || !i || step->move[i - 1].word != m->word;
        if (!first || byte_of(w, m)) z[0] = joined(w, m, z[0], first);
        memcpy(&s->next[m->word], z, words * sizeof *z);
    }
    memcpy(s->held, s->next, sizeof s->held);
}

static void moves_say(graph_sayer *w, const zl_trip_step *step)
{
    zl_speaker *s = w->s;
    char lane[OPERAND];
    memcpy(s->next, s->held, sizeof s->next);
    for (uint32_t i = 0; i < step->count; i++) {
        const zl_point_move *m = &step->move[i];
        s->next[m->word] = s->held[m->from];
        if (!m->shuffled) continue;
        operand(w, lane, m->at);
        s->next[m->word] = zl_say_index(s, s->held[m->from], lane, w->t->lanes);
    }
    memcpy(s->held, s->next, sizeof s->held);
}

void zl_points_say(zl_speaker *s, const zl_trip_text *t)
{
    graph_sayer w = {.s = s, .t = t};
    memset(w.reg, 0xff, sizeof w.reg);
    for (uint32_t i = 0; i < t->count; i++)
        switch (t->step[i].op) {
        case ZLAY_CONVERT_STORE: store_say(&w, &t->step[i]); break;
        case ZLAY_CONVERT_LOAD: load_say(&w, &t->step[i]); break;
        case ZLAY_CONVERT_SYNC: zl_trip_say_sync(s, &t->step[i]); break;
        case ZLAY_CONVERT_PRMT: break;
        default: moves_say(&w, &t->step[i]);
        }
}
