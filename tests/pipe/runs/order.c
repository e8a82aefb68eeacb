/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of queues, by one warp or two: what the verifier accepts ends well in every
 * interleaving of the warps and of what their queues still have to do, what it refuses ends badly in
 * one, or breaks a rule of registers that is read off the program.  Programs with a loop are written
 * out for trip counts up to TRIPS: all must end well.  The machine is this file's own: it knows
 * versions of what each warp wrote, and nothing of clocks. */
#include "random.h"
#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <zlay/zlay.h>

enum { OPS = 120, MADE = 18, INSTRUCTIONS = 200, WARPS = 2, SLOTS = 2, NAMES = 2, TRIPS = 6 };
enum { LOAD, DIRECT, PUT, FETCH, SEND, USE, WAIT_MEMORY, WAIT_SHARED, SYNC, KINDS };

/* at: the index of the ring; part: 0 all of a stage, 1 and 2 its halves. */
typedef struct op { int kind, at, name, times, left, part; } op;

/* Ops from `loop` to `end` stand in a loop, whose counter is added to their indices; behind it the
 * trip count is. */
typedef struct program {
    op ops[OPS];
    int count, warps, loop, end;
    bool parts; /* stages are filled by halves */
} program;

static int slot_of(const op *o) { return o->at % SLOTS; }

/* ---- texts ---- */

static const char *stage_of(char room[32], const program *p, int k)
{
    int at = p->ops[k].at;
    bool looped = p->loop < p->end;
    if (!looped || k < p->loop) snprintf(room, 32, "A[%d]", slot_of(&p->ops[k]));
    else snprintf(room, 32, "A[(%s+%d) %% 2]", k < p->end ? "i" : "N", at);
    return room;
}

static int bytes_of(const op *o) { return o->part ? 32 : 64; }

static size_t op_text(char *out, size_t room, const program *p, int k)
{
    const op *o = &p->ops[k];
    char c = (char)('F' + o->name), at[32], part[16] = "", put[24] = "";
    stage_of(at, p, k);
    if (o->part) snprintf(part, sizeof part, " part %d", o->part);
    if (o->part) snprintf(put, sizeof put, " 32%s", part);
    switch (o->kind) {
    case LOAD: return (size_t)snprintf(out, room, "load %d -> %c times %d\n", bytes_of(o), c, o->times);
    case DIRECT: return (size_t)snprintf(out, room, "load %d -> %s%s times %d\n", bytes_of(o), at, part, o->times);
    case PUT: return (size_t)snprintf(out, room, "put %c -> %s%s times %d\n", c, at, put, o->times);
    case FETCH: return (size_t)snprintf(out, room, "fetch %s -> %c times %d\n", at, c, o->times);
    case SEND: return (size_t)snprintf(out, room, "send %c times %d\n", c, o->times);
    case USE: return (size_t)snprintf(out, room, "use %c\n", c);
    case SYNC: return (size_t)snprintf(out, room, "sync cta\n");
    default:
        return (size_t)snprintf(out, room, "waitcount %s %d\n",
                                o->kind == WAIT_MEMORY ? "memory" : "shared", o->left);
    }
}

static void text_of(char *out, size_t room, const program *p)
{
    bool looped = p->loop < p->end;
    size_t n = (size_t)snprintf(out, room, "pipe p\n%ssmem A[2] 64\nrole r warps 0..%d\n",
                                looped ? "param N 0..\n" : "", p->warps - 1);
    for (int k = 0; k < p->count; k++) {
        if (looped && k == p->loop) n += (size_t)snprintf(out + n, room - n, "for i in 0..N\n");
        n += op_text(out + n, room - n, p, k);
        if (looped && k + 1 == p->end) n += (size_t)snprintf(out + n, room - n, "end\n");
    }
    snprintf(out + n, room - n, "end\n");
}

/* Without its loop, for one trip count. */
static void write_out(program *out, const program *p, int trips)
{
    *out = (program){.warps = p->warps, .parts = p->parts};
    for (int k = 0; k < p->loop; k++) out->ops[out->count++] = p->ops[k];
    for (int i = 0; i < trips; i++)
        for (int k = p->loop; k < p->end; k++) {
            out->ops[out->count] = p->ops[k];
            out->ops[out->count++].at += i;
        }
    for (int k = p->end; k < p->count; k++) {
        out->ops[out->count] = p->ops[k];
        out->ops[out->count++].at += trips;
    }
}

/* ---- what one warp's program breaks by itself ---- */

static int queue_of(int kind)
{
    if (kind == LOAD || kind == DIRECT || kind == SEND) return 0;
    return kind == PUT || kind == FETCH ? 1 : -1;
}

/* Whether op `at` may still be under way before op `now`. */
static bool flies(const program *p, int at, int now)
{
    int queue = queue_of(p->ops[at].kind), behind = 0;
    for (int k = at + 1; k < now; k++) {
        const op *o = &p->ops[k];
        if (queue_of(o->kind) == queue) behind += o->times;
        if (o->kind == (queue ? WAIT_SHARED : WAIT_MEMORY) && behind >= o->left) return false;
    }
    return true;
}

typedef struct registers { int state, loaded, bytes; bool unused; } registers; /* loaded: the op, -1 */
enum { EMPTY, FULL, STORED };

static bool registers_hold(const program *p)
{
    registers r[NAMES] = {{EMPTY, -1, 0, false}, {EMPTY, -1, 0, false}};
    for (int k = 0; k < p->count; k++) {
        const op *o = &p->ops[k];
        registers *x = &r[o->name];
        bool fills = o->kind == LOAD || o->kind == FETCH, stores = o->kind == PUT || o->kind == SEND;
        if (!fills && !stores && o->kind != USE) continue;
        if (x->loaded >= 0 && flies(p, x->loaded, k)) return false;
        if (fills && x->unused) return false;
        if (stores && x->state != FULL) return false;
        if (o->kind == PUT && x->bytes && x->bytes != bytes_of(o)) return false;
        *x = (registers){stores ? STORED : FULL, fills ? k : -1, o->kind == LOAD ? bytes_of(o) : 0, fills};
    }
    return !r[0].unused && !r[1].unused;
}

/* What a stage holds: the index, and what filled each half; by[] KINDS: nothing did. */
typedef struct stage { int at, by[2]; bool unread; } stage;

/* The threads that filled a part may do so again by the same queue; puts fill a stage anew. */
static bool fill_holds(const program *p, stage *x, const op *o, bool whole)
{
    int first = o->part == 2, last = o->part != 1;
    bool same = x->at == o->at, more = same && o->part && x->by[first] == KINDS;
    bool again = same && !(whole && !p->parts) && x->by[first] == o->kind && x->by[last] == o->kind;
    if (!more && !again) {
        if (x->unread) return false;
        *x = (stage){o->at, {KINDS, KINDS}, false};
    }
    for (int half = first; half <= last; half++) x->by[half] = o->kind;
    x->unread = true;
    return true;
}

/* A stage is read whole at the index that it was filled at, and before it is filled at another. */
static bool stages_hold(const program *p, bool whole)
{
    stage stages[SLOTS] = {{-1, {KINDS, KINDS}, false}, {-1, {KINDS, KINDS}, false}};
    for (int k = 0; k < p->count; k++) {
        const op *o = &p->ops[k];
        stage *x = &stages[slot_of(o)];
        bool full = x->by[0] != KINDS && x->by[1] != KINDS;
        if (o->kind == FETCH && (x->at != o->at || !full)) return false;
        if (o->kind == FETCH) x->unread = false;
        if ((o->kind == PUT || o->kind == DIRECT) && !fill_holds(p, x, o, whole)) return false;
    }
    return !stages[0].unread && !stages[1].unread;
}

static bool has_put(const program *p)
{
    for (int k = 0; k < p->count; k++)
        if (p->ops[k].kind == PUT) return true;
    return false;
}

/* ---- all interleavings ---- */

/* One instruction of a queue; `want`: the version that a fetch has to find. */
typedef struct instruction { int kind, slot, part, version, want[2]; bool last; } instruction;

typedef struct machine {
    const program *p;
    instruction queue[2][INSTRUCTIONS];
    int issued[2][OPS + 1]; /* before each op */
} machine;

typedef struct moment {
    uint8_t pc[WARPS], over[WARPS][2];
    uint8_t version[SLOTS][WARPS][2]; /* what each warp's part of each half holds; 0: nothing whole */
} moment;

static void machine_make(machine *m, const program *p)
{
    int last[SLOTS][2] = {{0}}, count[2] = {0};
    memset(m, 0, sizeof *m);
    m->p = p;
    for (int k = 0; k <= p->count; k++) {
        for (int q = 0; q < 2; q++) m->issued[q][k] = count[q];
        if (k == p->count) break;
        const op *o = &p->ops[k];
        int q = queue_of(o->kind);
        for (int t = 0; q >= 0 && t < o->times; t++)
            m->queue[q][count[q]++] =
                (instruction){o->kind, slot_of(o), o->part, k + 1,
                              {last[slot_of(o)][0], last[slot_of(o)][1]}, t + 1 == o->times};
        for (int half = 0; (o->kind == PUT || o->kind == DIRECT) && half < 2; half++)
            if (!o->part || o->part == half + 1) last[slot_of(o)][half] = k + 1;
    }
}

/* The next instruction of a queue happens; false where it finds what it must not. */
static bool happen(const machine *m, moment *s, int warp, int queue)
{
    const instruction *i = &m->queue[queue][s->over[warp][queue]++];
    for (int half = 0; half < 2; half++) {
        bool writes = (i->kind == PUT || i->kind == DIRECT) && (!i->part || i->part == half + 1);
        if (writes) s->version[i->slot][warp][half] = (uint8_t)(i->last ? i->version : 0);
        for (int w = 0; i->kind == FETCH && w < m->p->warps; w++)
            if (s->version[i->slot][w][half] != i->want[half]) return false;
    }
    return true;
}

/* Whether a warp may go on past its op. */
static bool may_go(const machine *m, const moment *s, int warp)
{
    int pc = s->pc[warp];
    const op *o = &m->p->ops[pc];
    if (o->kind == SYNC) {
        for (int w = 0; w < m->p->warps; w++)
            if (s->pc[w] < pc) return false;
        return true;
    }
    if (o->kind != WAIT_MEMORY && o->kind != WAIT_SHARED) return true;
    int queue = o->kind == WAIT_SHARED;
    return m->issued[queue][pc] - s->over[warp][queue] <= o->left;
}

enum { SEEN = 1 << 18, STACK = 1 << 16 };

typedef struct search {
    moment seen[SEEN], stack[STACK];
    uint32_t used[SEEN], round; /* used in this round */
    int depth, states;
    bool large;
} search;

static void note(search *x, const moment *s)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t k = 0; k < sizeof *s; k++) hash = (hash ^ ((const uint8_t *)s)[k]) * 1099511628211u;
    size_t at = hash % SEEN;
    while (x->used[at] == x->round && memcmp(&x->seen[at], s, sizeof *s)) at = (at + 1) % SEEN;
    if (x->used[at] == x->round) return;
    x->used[at] = x->round;
    x->seen[at] = *s;
    x->large |= ++x->states > SEEN / 2 || x->depth == STACK;
    if (!x->large) x->stack[x->depth++] = *s;
}

/* Every step that one warp, or one queue, may take. */
static bool steps(const machine *m, search *x, const moment *s, int warp)
{
    for (int q = 0; q < 2; q++) {
        moment next = *s;
        if (s->over[warp][q] == m->issued[q][s->pc[warp]]) continue;
        if (!happen(m, &next, warp, q)) return false;
        note(x, &next);
    }
    if (s->pc[warp] == m->p->count || !may_go(m, s, warp)) return true;
    moment next = *s;
    next.pc[warp]++;
    note(x, &next);
    return true;
}

/* 1: in every order; 0: not; -1: too many orders. */
static int ends_well(const program *p)
{
    static machine m;
    static search x;
    moment s;
    memset(&s, 0, sizeof s);
    x.round++;
    x.depth = x.states = 0;
    x.large = false;
    machine_make(&m, p);
    note(&x, &s);
    while (x.depth) {
        s = x.stack[--x.depth];
        for (int warp = 0; warp < p->warps; warp++)
            if (!steps(&m, &x, &s, warp)) return 0;
    }
    return x.large ? -1 : 1;
}

/* ---- programs ---- */

static void put_op(program *p, int at, op o)
{
    if (p->count == MADE) return;
    memmove(&p->ops[at + 1], &p->ops[at], (size_t)(p->count - at) * sizeof o);
    p->ops[at] = o;
    p->count++;
    p->loop += at < p->loop;
    p->end += at < p->end;
}

/* Where stages are filled by halves, both are. */
static void append(program *p, op o)
{
    bool halves = p->parts && (o.kind == DIRECT || o.kind == PUT);
    if (p->parts && o.kind == LOAD) o.part = 1;
    if (halves) o.part = 1;
    put_op(p, p->count, o);
    if (!halves) return;
    if (o.kind == PUT) put_op(p, p->count, (op){USE, 0, o.name, 0, 0, 0});
    o.part = 2;
    put_op(p, p->count, o);
}

static int below(uint64_t *seed, int n) { return (int)(test_random(seed) % (uint64_t)n); }

static op random_op(uint64_t *seed)
{
    return (op){below(seed, KINDS), below(seed, SLOTS), below(seed, NAMES), 1 + below(seed, 2), below(seed, 4), 0};
}

/* Something through shared memory, or past it. */
static void append_right(program *p, uint64_t *seed)
{
    int at = below(seed, SLOTS), name = below(seed, NAMES), times = 1 + below(seed, 2);
    if (below(seed, 3) == 0) {
        append(p, (op){DIRECT, at, 0, times, 0, 0});
        append(p, (op){WAIT_MEMORY, 0, 0, 0, 0, 0});
    } else {
        append(p, (op){below(seed, 2) ? USE : LOAD, 0, name, times, 0, 0});
        if (p->ops[p->count - 1].kind == LOAD) append(p, (op){WAIT_MEMORY, 0, 0, 0, 0, 0});
        append(p, (op){PUT, at, name, times, 0, 0});
        append(p, (op){WAIT_SHARED, 0, 0, 0, 0, 0});
    }
    append(p, (op){.kind = SYNC});
    append(p, (op){FETCH, at, name, times, 0, 0});
    append(p, (op){WAIT_SHARED, 0, 0, 0, 0, 0});
    append(p, (op){USE, 0, name, 0, 0, 0});
}

static void edit(program *p, uint64_t *seed)
{
    int at = below(seed, p->count);
    op o = p->ops[at];
    switch (below(seed, 5)) {
    case 0:
        memmove(&p->ops[at], &p->ops[at + 1], (size_t)(--p->count - at) * sizeof o);
        p->loop -= at < p->loop;
        p->end -= at < p->end;
        if (p->count > 1 && below(seed, 2)) put_op(p, below(seed, p->count), o);
        break;
    case 1: p->ops[at].left = below(seed, 4); break;
    case 2: p->ops[at].at ^= 1; break;
    case 3: p->ops[at].times = 1 + below(seed, 2); break;
    default: put_op(p, at, random_op(seed));
    }
    for (int k = 0; k < p->count; k++) {
        bool fills = p->ops[k].kind == DIRECT || p->ops[k].kind == PUT;
        if (p->parts && fills && !p->ops[k].part) p->ops[k].part = 1 + below(seed, 2);
        if (p->parts && fills && k == at && !below(seed, 4)) p->ops[k].part ^= 3;
    }
    if (!p->count) append(p, random_op(seed));
}

static void random_program(program *p, uint64_t *seed)
{
    *p = (program){.warps = 1 + below(seed, WARPS), .parts = below(seed, 2)};
    append_right(p, seed);
    if (below(seed, 2)) append_right(p, seed);
    for (int edits = below(seed, 4); edits > 0; edits--) edit(p, seed);
}

/* A stage is filled one step ahead of its use, by loads straight to it or through registers, which are
 * loaded a step before. */
static void random_loop(program *p, uint64_t *seed)
{
    bool direct = below(seed, 2);
    int times = 1 + below(seed, 2);
    *p = (program){.warps = 1 + below(seed, WARPS), .parts = below(seed, 2)};
    append(p, direct ? (op){DIRECT, 0, 0, times, 0, 0} : (op){LOAD, 0, 0, times, 0, 0});
    p->loop = p->count;
    append(p, (op){.kind = WAIT_MEMORY});
    if (!direct) append(p, (op){PUT, 0, 0, times, 0, 0});
    if (!direct) append(p, (op){LOAD, 0, 0, times, 0, 0});
    if (!direct) append(p, (op){.kind = WAIT_SHARED});
    append(p, (op){.kind = SYNC});
    if (direct) append(p, (op){DIRECT, 1, 0, times, 0, 0});
    append(p, (op){FETCH, 0, 1, times, 0, 0});
    append(p, (op){.kind = WAIT_SHARED});
    append(p, (op){USE, 0, 1, 0, 0, 0});
    p->end = p->count;
    append(p, (op){.kind = WAIT_MEMORY});
    if (direct) append(p, (op){.kind = SYNC});
    append(p, direct ? (op){FETCH, 0, 1, times, 0, 0} : (op){USE, 0, 0, 0, 0, 0});
    append(p, (op){.kind = WAIT_SHARED});
    append(p, (op){USE, 0, 1, 0, 0, 0});
    for (int edits = below(seed, 4); edits > 0; edits--) edit(p, seed);
}

/* ---- and the verifier ---- */

/* A proof is checked again. */
static bool accepts(zlay_ctx *ctx, const char *text)
{
    static char room[1 << 14];
    zlay_buf proof = {room, sizeof room, 0};
    zlay_pipe *pipe;
    zlay_pipe_reason reason;
    zlay_answer answer = ZLAY_UNDECIDED, again = ZLAY_YES;
    size_t count;
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) fail_msg("%s: %s", text, zlay_ctx_message(ctx));
    assert_int_equal(zlay_pipe_verify(ctx, &answer, &reason, 1, &count, &proof, pipe), ZLAY_OK);
    assert_int_not_equal(answer, ZLAY_UNDECIDED);
    if (answer == ZLAY_YES) assert_int_equal(zlay_pipe_recheck(ctx, &again, pipe, room, proof.need), ZLAY_OK);
    if (again != ZLAY_YES) fail_msg("%s%s: %s", text, room, zlay_ctx_message(ctx));
    zlay_pipe_free(pipe);
    return answer == ZLAY_YES;
}

typedef struct tally { int accepted, races, others, large; } tally;

enum { NEVER = -1, LARGE = -2 };

/* The first trip count at which it ends badly, or breaks a rule by itself. */
static int fails_at(const program *p, bool *alone)
{
    bool looped = p->loop < p->end;
    *alone = false;
    for (int trips = 0; trips <= (looped ? TRIPS : 0); trips++) {
        program out;
        write_out(&out, p, trips);
        *alone = !registers_hold(&out) || !stages_hold(&out, has_put(p));
        int well = *alone ? 0 : ends_well(&out);
        if (well < 1) return well < 0 ? LARGE : trips;
    }
    return NEVER;
}

static void check(zlay_ctx *ctx, const program *p, tally *t)
{
    static char text[4096];
    bool alone;
    text_of(text, sizeof text, p);
    int trips = fails_at(p, &alone);
    t->large += trips == LARGE;
    if (trips == LARGE) return;
    if (accepts(ctx, text) != (trips == NEVER))
        fail_msg("%s%s %d", text, alone ? "breaks a rule by itself at" : "ends badly at", trips);
    t->accepted += trips < 0;
    t->races += trips >= 0 && !alone;
    t->others += trips >= 0 && alone;
}

static void check_all(void (*make)(program *p, uint64_t *seed), const char *what, uint64_t count)
{
    uint64_t seed = test_seed(what);
    tally t = {0, 0, 0, 0};
    zlay_ctx *ctx;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (uint64_t n = test_iterations(count); n > 0; n--) {
        program p;
        make(&p, &seed);
        check(ctx, &p, &t);
    }
    printf("%d accepted, %d end badly in some order, %d break a rule of registers or stages, %d too large\n",
           t.accepted, t.races, t.others, t.large);
    assert_true(t.accepted > 100 && t.races > 30 && t.others > 100 && t.large * 1000 < t.accepted);
    zlay_ctx_free(ctx);
}

static void test_programs(void **state)
{
    (void)state;
    check_all(random_program, "programs", 12000);
}

static void test_loops(void **state)
{
    (void)state;
    check_all(random_loop, "loops", 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs), cmocka_unit_test(test_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
