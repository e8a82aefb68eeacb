/* SPDX-License-Identifier: Apache-2.0 */
/* Decides a pipe with a trip count of each iteration (`param N 0.. of T`) for every sequence of counts. Instances run up to a
 * frontier: no iteration of the loops over T begins before its count is chosen. What a run can become is then a graph: its nodes are
 * the states at the frontier, and each count leads from one to another. Counts are tried from the least on until their inner loops
 * repeat, so that greater ones lead where these do. From each node the loops may also end, or the tail begins: the last iterations,
 * which parts of the loops (`for t in T-2..T`) have for themselves. A graph without new nodes stands for
 * every sequence of every length; docs/internals/proof.md, "Counts of each iteration", has the argument. */
#include "pipe/runs/state/state.h"
#include "pipe/runs/tiles.h"

#include <string.h>

enum { MOST_COUNTS = 200 };
#define NOWHERE UINT32_MAX /* behind the last iteration */
static const int64_t no_end = (int64_t)1 << 40;

/* A kept run that is needed no more, in its own memory. */
typedef struct spare_run {
    struct spare_run *next;
} spare_run;

typedef struct walk {
    zl_pipe_search *s;
    zl_run *r;
    zl_tile_graph *graph;
    int32_t over, count; /* params */
    int64_t tail;        /* iterations of the tail */
    int64_t at;          /* of them those that the run has, as zl_tile_node says */
    spare_run *spare;    /* kept runs of nodes that all is tried from */
    int32_t *state;      /* of the run: what the text below adds, then the words of zl_state */
    size_t size, room;
} walk;

static bool is_good(const walk *w) { return !w->r->status && !w->r->fault.rule; }

static const zl_param *param_of(const walk *w, int32_t param) { return &w->r->pipe->params[param]; }

static void no_memory(walk *w) { w->r->status = ZLAY_ENOMEM; }

/* ---- states at the frontier ---- */

static bool put(walk *w, int64_t value)
{
    if (w->size == w->room) {
        size_t room = w->room ? 2 * w->room : 1024;
        int32_t *more = zl_scratch(w->r->ctx, room, sizeof *more);
        if (!more) {
            no_memory(w);
            return false;
        }
        if (w->size) memcpy(more, w->state, w->size * sizeof *more);
        w->state = more;
        w->room = room;
    }
    w->state[w->size++] = (int32_t)value;
    return true;
}

/* The iteration that an instance between loops comes to next; the frontier's where it comes to none. */
static int64_t next_iteration(const walk *w, const zl_instance *i)
{
    const zlay_pipe *p = w->r->pipe;
    for (uint32_t k = i->pc; k < p->roles[i->role].end; k++)
        if (p->events[k].over == w->over) {
            int64_t first = zl_run_value(w->r, i, &p->events[k].at[0]);
            return first < w->r->tiles->open ? first : w->r->tiles->open;
        }
    return w->r->tiles->open;
}

/* Writes where an instance stands among the iterations: how far behind the frontier, the counts from there on, and how far its loops
 * over positions have come in the iteration. */
static void put_instance(walk *w, const zl_instance *i)
{
    const zl_tiles *t = w->r->tiles;
    int64_t at = zl_run_iteration(w->r, i), from = at < 0 ? next_iteration(w, i) : at;
    for (uint32_t d = 0; d < i->depth; d++)
        if (w->r->pipe->events[i->loop[d]].at[0].times == w->count) put(w, i->counter[d] - t->begun[at]);
    put(w, at < 0 ? -1 : t->open - at);
    for (int64_t k = from; k < t->open; k++) put(w, t->counts[k]);
}

/* Writes the state of the run at the frontier. */
static bool write_state(walk *w)
{
    zl_run *r = w->r;
    int64_t least = param_of(w, w->over)->least, open = r->tiles->open;
    w->size = 0;
    zl_state_outline(r, w->over);
    zl_state_write(r, w->over);
    if (!zl_state_rank(r)) {
        no_memory(w);
        return false;
    }
    put(w, open < least ? open : least);
    put(w, w->at);
    for (uint32_t k = 0; k < r->instances_count; k++) put_instance(w, &r->instances[k]);
    for (size_t k = 0; k < r->watch->size; k++)
        if (!put(w, r->watch->state[k])) return false;
    return is_good(w);
}

static uint64_t hash_of(const int32_t *state, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t k = 0; k < size; k++) hash = (hash ^ (uint32_t)state[k]) * 1099511628211u;
    return hash;
}

/* The node of the state that was written; the graph's count: none. */
static uint32_t find_node(const walk *w, uint64_t hash)
{
    uint32_t k = 0;
    for (; k < w->graph->count; k++) {
        const zl_tile_node *n = &w->graph->nodes[k];
        if (n->hash == hash && n->size == w->size && !memcmp(n->state, w->state, w->size * sizeof *w->state)) break;
    }
    return k;
}

/* ---- nodes ---- */

static bool make_room(walk *w)
{
    zl_tile_graph *g = w->graph;
    if (g->count < g->room) return true;
    uint32_t room = g->room ? 2 * g->room : 16;
    zl_tile_node *nodes = zl_scratch(w->r->ctx, room, sizeof *nodes);
    if (!nodes) return false;
    if (g->count) memcpy(nodes, g->nodes, g->count * sizeof *nodes);
    g->nodes = nodes;
    g->room = room;
    return true;
}

/* Room for a kept run: that of a node which needs it no more, or more. */
static char *take_kept(walk *w)
{
    spare_run *kept = w->spare;
    if (!kept) return zl_scratch(w->r->ctx, w->r->arena_size + sizeof *kept, 1);
    w->spare = kept->next;
    return (char *)kept;
}

/* A node is never gone back to when all that may follow it has been tried. */
static void give_kept(walk *w, uint32_t node)
{
    zl_tile_node *n = &w->graph->nodes[node];
    spare_run *kept = (spare_run *)(void *)n->kept;
    kept->next = w->spare;
    w->spare = kept;
    n->kept = NULL;
}

/* Adds the run as it stands at the frontier, reached from a node by a count. */
static void add_node(walk *w, uint32_t former, int64_t count, uint64_t hash)
{
    zl_run *r = w->r;
    zl_tile_node n = {.former = former, .count = count, .iterations = r->tiles->open, .tail = w->at, .hash = hash, .size = w->size};
    n.kept = take_kept(w);
    n.state = zl_scratch(r->ctx, w->size, sizeof *n.state);
    for (int k = 0; k < ZL_TILE_WAYS; k++) n.way[k].to = zl_scratch(r->ctx, MOST_COUNTS + 1, sizeof *n.way[k].to);
    if (!n.kept || !n.state || !n.way[ZL_TILE_WAYS - 1].to || !make_room(w)) {
        no_memory(w);
        return;
    }
    memcpy(n.kept, r->arena, r->arena_size);
    memcpy(n.state, w->state, w->size * sizeof *n.state);
    w->graph->nodes[w->graph->count++] = n;
}

/* The node of the run at the frontier, a new one where its state is new. */
static uint32_t node_here(walk *w, uint32_t former, int64_t count)
{
    if (!write_state(w)) return 0;
    uint64_t hash = hash_of(w->state, w->size);
    uint32_t node = find_node(w, hash);
    if (node == w->graph->count) add_node(w, former, count, hash);
    return node;
}

/* Puts the run back to a node. */
static void restore(walk *w, uint32_t node)
{
    const zl_tile_node *n = &w->graph->nodes[node];
    zl_tiles *t = w->r->tiles;
    memcpy(w->r->arena, n->kept, w->r->arena_size);
    t->open = n->iterations;
    w->at = n->tail;
    t->last = t->shut = false;
    for (int64_t at = t->open; at-- > 0; n = &w->graph->nodes[n->former]) t->counts[at] = n->count;
    for (int64_t at = 0; at < t->open; at++) t->begun[at + 1] = t->begun[at] + t->counts[at];
}

/* ---- runs ---- */

/* Runs to the frontier: to the end behind the whole tail. */
static void go(walk *w)
{
    zl_run *r = w->r;
    r->params[w->over] = w->at ? r->tiles->open + w->tail - w->at : no_end;
    r->watch = w->s->watches[0];
    zl_watch_reset(r);
    r->watch->params[w->over].failed = true;
    zl_run_on(r);
    w->s->runs++;
}

/* Runs on to the end: no iteration follows. */
static void go_to_end(walk *w, uint32_t node)
{
    zl_run *r = w->r;
    restore(w, node);
    r->tiles->last = true;
    r->params[w->over] = r->tiles->open;
    r->watch = NULL;
    zl_run_on(r);
    w->s->runs++;
    w->graph->nodes[node].ends = true;
}

/* Whether an instance stands inside of a loop over the positions of an iteration. */
static bool is_inside(const walk *w)
{
    for (uint32_t k = 0; k < w->r->instances_count; k++) {
        const zl_instance *i = &w->r->instances[k];
        for (uint32_t d = 0; d < i->depth; d++)
            if (zl_loop_param(&w->r->pipe->events[i->loop[d]]) == w->count) return true;
    }
    return false;
}

/* Whether the run has the whole tail, and so its end. */
static bool is_whole(const walk *w) { return w->tail && w->at == w->tail; }

/* Gives the next iteration a count; whether greater ones only repeat parts of it, with their common period. */
static bool choose(walk *w, uint32_t node, int way, int64_t count, int64_t *period)
{
    zl_run *r = w->r;
    zl_tiles *t = r->tiles;
    restore(w, node);
    t->counts[t->open] = r->params[w->count] = count;
    t->begun[t->open + 1] = t->begun[t->open] + count;
    t->open++;
    w->at += way == ZL_OF_TAIL;
    go(w);
    if (!is_good(w)) return false;
    const zl_watch_param *seen = &r->watch->params[w->count];
    bool repeats = seen->shown && !seen->failed && !is_inside(w);
    if (repeats) *period = zl_period(*period, seen->period);
    uint32_t to = is_whole(w) ? NOWHERE : node_here(w, node, count);
    zl_tile_way *from = &w->graph->nodes[node].way[way];
    if (is_good(w)) from->to[from->counts++] = to;
    return repeats;
}

/* Tries counts until as many as their period have repeated. */
static void choose_all(walk *w, uint32_t node, int way)
{
    static const char too_many[] = "names a count of each iteration that has not repeated within 200 counts";
    const zl_param *count = param_of(w, w->count);
    int64_t repeated = 0, period = 1;
    for (int64_t n = count->least; n <= count->most && is_good(w); n++) {
        if (n - count->least >= MOST_COUNTS) zl_search_halt(w->s, w->count, too_many);
        else repeated = choose(w, node, way, n, &period) ? repeated + 1 : 0;
        if (is_good(w) && repeated >= period) {
            w->graph->nodes[node].way[way].period = period;
            return;
        }
    }
}

/* All that may follow a node. */
static void expand(walk *w, uint32_t node)
{
    static const char too_long[] = "names a count of each iteration whose states do not repeat within 250 iterations";
    const zl_param *over = param_of(w, w->over);
    int64_t tail = w->graph->nodes[node].tail, all = w->graph->nodes[node].iterations + w->tail - tail;
    if (all >= over->least && !w->tail) go_to_end(w, node);
    if (is_good(w) && all >= over->least && w->tail) choose_all(w, node, ZL_OF_TAIL);
    if (!is_good(w) || all >= over->most || tail) return;
    if (all >= ZL_TILES) zl_search_halt(w->s, w->count, too_long);
    else choose_all(w, node, ZL_BEFORE_TAIL);
}

bool zl_tiles_make(zl_run *r, int32_t count)
{
    const size_t room = ZL_TILES + 2;
    zl_tiles *t = zl_scratch(r->ctx, 1, sizeof *t);
    int64_t *counts = zl_scratch(r->ctx, room, sizeof *counts), *begun = zl_scratch(r->ctx, room, sizeof *begun);
    if (!t || !counts || !begun) return false;
    *t = (zl_tiles){.over = r->pipe->params[count].of, .count = count, .counts = counts, .begun = begun};
    r->tiles = t;
    return true;
}

/* How many of the last iterations some part of the loops tells from others. */
static int64_t tail_of(const zlay_pipe *p, int32_t over)
{
    int64_t most = 0;
    for (uint32_t k = p->setup; k < p->events_count; k++) {
        const zl_event *e = &p->events[k];
        if (e->over != over) continue;
        int64_t first = zl_from_last(&e->at[0], over), last = zl_from_last(&e->bar_at, over);
        if (first > most) most = first;
        if (last > most) most = last;
    }
    return most;
}

static bool begin(walk *w)
{
    zl_run *r = w->r;
    w->graph = w->s->graph = zl_scratch(r->ctx, 1, sizeof *w->graph);
    if (!w->graph || !zl_tiles_make(r, w->count)) return false;
    r->endless = -1;
    r->seen = r->reached = -1;
    zl_run_reset(r);
    return true;
}

void zl_tiles_search(zl_pipe_search *s)
{
    int32_t over = s->run->pipe->params[s->tile].of;
    walk w = {.s = s, .r = s->run, .over = over, .count = s->tile, .tail = tail_of(s->run->pipe, over)};
    if (!begin(&w)) {
        no_memory(&w);
        return;
    }
    go(&w);
    if (is_good(&w)) node_here(&w, 0, 0);
    for (uint32_t k = 0; is_good(&w) && k < w.graph->count; k++) {
        expand(&w, k);
        give_kept(&w, k);
    }
}

/* ---- the proof, and the counts of a fault ---- */

static void put_way(zl_text *out, const zl_pipe_search *s, const zl_tile_way *way)
{
    const zl_param *count = &s->run->pipe->params[s->tile];
    if (way->counts) zl_putf(out, " %s %lld..%lld", count->name, (long long)count->least, (long long)count->least + way->counts - 1);
    if (way->period) zl_putf(out, " every %lld", (long long)way->period);
    for (uint32_t i = 0; i < way->counts && way->to[i] != NOWHERE; i++) zl_putf(out, "%s %u", i ? "" : " to", way->to[i]);
}

static void put_node(zl_text *out, const zl_pipe_search *s, uint32_t k)
{
    const zl_tile_node *n = &s->graph->nodes[k];
    zl_putf(out, "state %u%s", k, n->ends ? " may end" : "");
    put_way(out, s, &n->way[ZL_BEFORE_TAIL]);
    if (n->way[ZL_OF_TAIL].counts) zl_puts(out, " tail");
    put_way(out, s, &n->way[ZL_OF_TAIL]);
    zl_puts(out, "\n");
}

void zl_tiles_write(zl_text *out, const void *value)
{
    const zl_pipe_search *s = value;
    zl_putf(out, "proof %s by states\n", s->run->pipe->name);
    for (uint32_t k = 0; k < s->graph->count; k++) put_node(out, s, k);
    zl_puts(out, "end\n");
}

void zl_tiles_note(const zl_pipe_search *s, zl_verdict *verdict)
{
    const zl_run *r = s->run;
    const zl_tiles *t = r->tiles;
    const zl_param *count = &r->pipe->params[s->tile], *over = &r->pipe->params[count->of];
    int64_t open = t ? t->open : 0, known = r->params[count->of], all = known < no_end ? known : open + tail_of(r->pipe, count->of);
    if (all < over->least) all = over->least;
    verdict->tile = s->tile;
    verdict->values[s->tile] = count->least;
    verdict->values[count->of] = all;
    if (!t) return;
    for (int64_t k = open; k < all && k < ZL_TILES; k++) t->counts[k] = count->least;
    verdict->counts = t->counts;
}
