/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of queues, by one warp or two: what the verifier accepts ends well in every
 * interleaving of the warps and of what their queues still have to do, what it refuses ends badly in
 * one, or breaks a rule of registers that is read off the program.  The machine is this file's own: it
 * knows versions of what each warp wrote, and nothing of clocks. */
#include "random.h"
#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <zlay/zlay.h>

enum { OPS = 14, INSTRUCTIONS = 64, WARPS = 2, SLOTS = 2, NAMES = 2 };
enum { LOAD, DIRECT, PUT, FETCH, SEND, USE, WAIT_MEMORY, WAIT_SHARED, SYNC, KINDS };

typedef struct op { int kind, slot, name, times, left; } op;

typedef struct program {
    op ops[OPS];
    int count, warps;
} program;

/* ---- texts ---- */

static void text_of(char *out, size_t room, const program *p)
{
    size_t n = (size_t)snprintf(out, room, "pipe p\nsmem A[2] 64\nrole r warps 0..%d\n", p->warps - 1);
    for (int i = 0; i < p->count; i++) {
        const op *o = &p->ops[i];
        char c = (char)('F' + o->name);
        switch (o->kind) {
        case LOAD: n += (size_t)snprintf(out + n, room - n, "load 64 -> %c times %d\n", c, o->times); break;
        case DIRECT: n += (size_t)snprintf(out + n, room - n, "load 64 -> A[%d] times %d\n", o->slot, o->times); break;
        case PUT: n += (size_t)snprintf(out + n, room - n, "put %c -> A[%d] times %d\n", c, o->slot, o->times); break;
        case FETCH: n += (size_t)snprintf(out + n, room - n, "fetch A[%d] -> %c times %d\n", o->slot, c, o->times); break;
        case SEND: n += (size_t)snprintf(out + n, room - n, "send %c times %d\n", c, o->times); break;
        case USE: n += (size_t)snprintf(out + n, room - n, "use %c\n", c); break;
        case SYNC: n += (size_t)snprintf(out + n, room - n, "sync cta\n"); break;
        default:
            n += (size_t)snprintf(out + n, room - n, "waitcount %s %d\n",
                                  o->kind == WAIT_MEMORY ? "memory" : "shared", o->left);
        }
    }
    snprintf(out + n, room - n, "end\n");
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

typedef struct registers { int state, loaded; bool unused; } registers; /* loaded: the op, -1 */
enum { EMPTY, FULL, STORED };

static bool registers_hold(const program *p)
{
    registers r[NAMES] = {{EMPTY, -1, false}, {EMPTY, -1, false}};
    for (int k = 0; k < p->count; k++) {
        const op *o = &p->ops[k];
        registers *x = &r[o->name];
        bool fills = o->kind == LOAD || o->kind == FETCH, stores = o->kind == PUT || o->kind == SEND;
        if (!fills && !stores && o->kind != USE) continue;
        if (x->loaded >= 0 && flies(p, x->loaded, k)) return false;
        if (fills && x->unused) return false;
        if (stores && x->state != FULL) return false;
        *x = (registers){stores ? STORED : FULL, fills ? k : -1, fills};
    }
    return !r[0].unused && !r[1].unused;
}

/* A stage is filled by puts whole, each time anew; where loads alone fill it they may do so again. */
static bool stages_hold(const program *p)
{
    bool whole = false, unread[SLOTS] = {false}, any[SLOTS] = {false};
    for (int k = 0; k < p->count; k++) whole |= p->ops[k].kind == PUT;
    for (int k = 0; k < p->count; k++) {
        const op *o = &p->ops[k];
        if (o->kind == FETCH && !any[o->slot]) return false;
        if (o->kind == FETCH) unread[o->slot] = false;
        if (o->kind != PUT && o->kind != DIRECT) continue;
        if (whole && unread[o->slot]) return false;
        any[o->slot] = unread[o->slot] = true;
    }
    return !unread[0] && !unread[1];
}

/* ---- all interleavings ---- */

/* One instruction of a queue; `want`: the version that a fetch has to find. */
typedef struct instruction { int kind, slot, version, want; bool first, last; } instruction;

typedef struct machine {
    const program *p;
    instruction queue[2][INSTRUCTIONS];
    int issued[2][OPS + 1]; /* before each op */
} machine;

typedef struct moment {
    uint8_t pc[WARPS], over[WARPS][2];
    uint8_t version[SLOTS][WARPS]; /* what each warp's part of a stage holds; 0: nothing whole */
} moment;

static void machine_make(machine *m, const program *p)
{
    int last[SLOTS] = {0}, count[2] = {0};
    memset(m, 0, sizeof *m);
    m->p = p;
    for (int k = 0; k <= p->count; k++) {
        for (int q = 0; q < 2; q++) m->issued[q][k] = count[q];
        if (k == p->count) break;
        const op *o = &p->ops[k];
        int q = queue_of(o->kind);
        for (int t = 0; q >= 0 && t < o->times; t++)
            m->queue[q][count[q]++] = (instruction){o->kind, o->slot, k + 1, last[o->slot], t == 0, t + 1 == o->times};
        if (o->kind == PUT || o->kind == DIRECT) last[o->slot] = k + 1;
    }
}

/* The next instruction of a queue happens; false where it finds what it must not. */
static bool happen(const machine *m, moment *s, int warp, int queue)
{
    const instruction *i = &m->queue[queue][s->over[warp][queue]++];
    if (i->kind == PUT || i->kind == DIRECT) s->version[i->slot][warp] = (uint8_t)(i->last ? i->version : 0);
    for (int w = 0; i->kind == FETCH && w < m->p->warps; w++)
        if (s->version[i->slot][w] != i->want) return false;
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

enum { SEEN = 1 << 16, STACK = 1 << 14 };

typedef struct search {
    moment seen[SEEN], stack[STACK];
    bool used[SEEN];
    int depth, states;
} search;

static bool note(search *x, const moment *s)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t k = 0; k < sizeof *s; k++) hash = (hash ^ ((const uint8_t *)s)[k]) * 1099511628211u;
    size_t at = hash % SEEN;
    while (x->used[at] && memcmp(&x->seen[at], s, sizeof *s)) at = (at + 1) % SEEN;
    if (x->used[at]) return false;
    x->used[at] = true;
    x->seen[at] = *s;
    assert_true(++x->states < SEEN / 2 && x->depth < STACK);
    x->stack[x->depth++] = *s;
    return true;
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

static bool ends_well(const program *p)
{
    static machine m;
    static search x;
    moment s;
    memset(&s, 0, sizeof s);
    memset(x.used, 0, sizeof x.used);
    x.depth = x.states = 0;
    machine_make(&m, p);
    note(&x, &s);
    while (x.depth) {
        s = x.stack[--x.depth];
        for (int warp = 0; warp < p->warps; warp++)
            if (!steps(&m, &x, &s, warp)) return false;
    }
    return true;
}

/* ---- programs ---- */

static void put_op(program *p, int at, op o)
{
    if (p->count == OPS) return;
    memmove(&p->ops[at + 1], &p->ops[at], (size_t)(p->count - at) * sizeof o);
    p->ops[at] = o;
    p->count++;
}

static void append(program *p, op o) { put_op(p, p->count, o); }

static int below(uint64_t *seed, int n) { return (int)(test_random(seed) % (uint64_t)n); }

static op random_op(uint64_t *seed)
{
    return (op){below(seed, KINDS), below(seed, SLOTS), below(seed, NAMES), 1 + below(seed, 2), below(seed, 4)};
}

/* Something through shared memory, or past it. */
static void append_right(program *p, uint64_t *seed)
{
    int slot = below(seed, SLOTS), name = below(seed, NAMES), times = 1 + below(seed, 2);
    if (below(seed, 3) == 0) {
        append(p, (op){DIRECT, slot, 0, times, 0});
        append(p, (op){WAIT_MEMORY, 0, 0, 0, 0});
    } else {
        append(p, (op){below(seed, 2) ? USE : LOAD, 0, name, times, 0});
        if (p->ops[p->count - 1].kind == LOAD) append(p, (op){WAIT_MEMORY, 0, 0, 0, 0});
        append(p, (op){PUT, slot, name, times, 0});
        append(p, (op){WAIT_SHARED, 0, 0, 0, 0});
    }
    append(p, (op){.kind = SYNC});
    append(p, (op){FETCH, slot, name, times, 0});
    append(p, (op){WAIT_SHARED, 0, 0, 0, 0});
    append(p, (op){USE, 0, name, 0, 0});
}

static void edit(program *p, uint64_t *seed)
{
    int at = below(seed, p->count);
    op o = p->ops[at];
    switch (below(seed, 5)) {
    case 0:
        memmove(&p->ops[at], &p->ops[at + 1], (size_t)(--p->count - at) * sizeof o);
        if (p->count > 1 && below(seed, 2)) put_op(p, below(seed, p->count), o);
        break;
    case 1: p->ops[at].left = below(seed, 4); break;
    case 2: p->ops[at].slot ^= 1; break;
    case 3: p->ops[at].times = 1 + below(seed, 2); break;
    default: put_op(p, at, random_op(seed));
    }
    if (!p->count) append(p, random_op(seed));
}

static void random_program(program *p, uint64_t *seed)
{
    *p = (program){.warps = 1 + below(seed, WARPS)};
    append_right(p, seed);
    if (below(seed, 2)) append_right(p, seed);
    for (int edits = below(seed, 4); edits > 0; edits--) edit(p, seed);
}

/* ---- and the verifier ---- */

static bool accepts(zlay_ctx *ctx, const char *text)
{
    zlay_pipe *pipe;
    zlay_pipe_reason reason;
    zlay_answer answer = ZLAY_UNDECIDED;
    size_t count;
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) fail_msg("%s: %s", text, zlay_ctx_message(ctx));
    assert_int_equal(zlay_pipe_verify(ctx, &answer, &reason, 1, &count, NULL, pipe), ZLAY_OK);
    assert_int_not_equal(answer, ZLAY_UNDECIDED);
    zlay_pipe_free(pipe);
    return answer == ZLAY_YES;
}

static void test_random_programs(void **state)
{
    uint64_t seed = test_seed("programs");
    int accepted = 0, races = 0, others = 0;
    (void)state;
    zlay_ctx *ctx;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (uint64_t n = test_iterations(20000); n > 0; n--) {
        static char text[2048];
        program p;
        random_program(&p, &seed);
        text_of(text, sizeof text, &p);
        bool alone = registers_hold(&p) && stages_hold(&p), well = ends_well(&p);
        if (accepts(ctx, text) != (alone && well))
            fail_msg("%s%s, registers and stages %s", text, well ? "ends well" : "ends badly", alone ? "hold" : "do not");
        accepted += alone && well;
        races += alone && !well;
        others += !alone;
    }
    printf("%d accepted, %d end badly in some order, %d break a rule of registers or stages\n", accepted, races, others);
    assert_true(accepted > 100 && races > 100 && others > 100);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
