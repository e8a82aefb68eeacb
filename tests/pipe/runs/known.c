/* SPDX-License-Identifier: Apache-2.0 */
/* Who knows what has come: phases that a thread knows to be complete without having waited for them, and
 * values of flags that it knows to be reached.  Rows by hand; then random programs of arrivals, waits,
 * raises and awaits, of which every interleaving is run: the verifier accepts exactly those in which every
 * arrival falls into one phase, every wait sees one phase, one set of raises makes each value, all end, and
 * no arrivals are left over in a phase that is not complete. */
#include "random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/zlay.h>

#include "pipe/language/pipe.h"
#include "pipe/replay/recheck/runs.h"
#include "group_ctx.h"

/* ---- rows ---- */

#define BARS(x, y) "pipe p\nbar x[1] count " x "\nbar y[1] count " y "\n"
#define READY "init x\ninit y\nfence mbarrier_init\n"
#define WAIT(bar, at) "wait " bar "[0] parity " at " / 1 % 2\n"
#define A "role a warps 0..0 elect\n"
#define B "end\nrole b warps 1..1 elect\n"
#define C "end\nrole c warps 2..2 elect\n"
#define TELLS(x, y, first, second) BARS(x, y) READY "sync cta\n" A first second B WAIT("y", "0") "arrive x[0] times " x "\n"
#define WARP "role a warps 0..0\narrive x[0] threads\n"
#define CLUSTER(first, told)                                                                        \
    "pipe p\ncluster 2\nbar x[1] count 1\nbar y[1] count 1\n" READY "sync cluster\n"               \
    "role a warps 0..0 elect cta 0\n" first "arrive y[0]\nsync cluster\nend\n"                     \
    "role b warps 1..1 elect cta 0\n" told "arrive x[0] cta 1\nsync cluster\nend\n"                \
    "role c warps 0..0 elect cta 1\nsync cluster\nend\n"
#define FLAG "pipe p\nflag f[1]\n"
#define FLAGS(n) "pipe p\nparam N " n "..\nflag f[1]\n"
#define LOOP(body) "for i in 0..N\n" body "end\n"

static const struct row {
    const char *name, *text, *rule; /* "": accepted */
} rows[] = {
    {"told of the arrival", TELLS("1", "1", "arrive x[0]\n", "arrive y[0]\n") "end\n", ""},
    {"two arrive in the last phase of four", BARS("4", "1") READY "sync cta\n" A "arrive x[0] times 4\n" C "arrive x[0] times 2\n" B
     WAIT("x", "0") "arrive x[0] times 2\nwait x[0] parity 1 / 1 % 2\nend\n", "overrun"},
    {"one consumer stops a turn early",
     "pipe p\nparam N 1..\nbar x[1] count 8\ninit x\nfence mbarrier_init\nsync cta\n" A LOOP("arrive x[i % 1] times 4\nwait x[i % 1] parity i / 1 % 2\n")
     C "for i in 0..N-1\narrive x[i % 1] times 4\nwait x[i % 1] parity i / 1 % 2\nend\nend\n", "deadlock"},
    {"nobody waits for the last phase, which lacks arrivals", BARS("4", "1") READY "sync cta\n" A "arrive x[0] times 2\nend\n", "count"},
    {"told before it", TELLS("1", "1", "arrive y[0]\n", "arrive x[0]\n") "end\n", "overrun"},
    {"the phase has bytes",
     "pipe p\nbar x[1] count 1\nbar y[1] count 1\nsmem S[1] 16\n" READY "sync cta\n" A
     "expect x[0] 16\narrive x[0]\ncopy bulk 16 -> S[0] signal x[0]\narrive y[0]\n" B WAIT("y", "0") "arrive x[0]\n" C
     WAIT("x", "0") "end\n", "overrun"},
    {"a commit arrives", TELLS("1", "1", "commit tcgen05 signal x[0]\n", "arrive y[0]\n") "end\n", "overrun"},
    {"told of both arrivals",
     TELLS("2", "2", "arrive x[0]\n", "arrive y[0]\n") C "arrive x[0]\narrive y[0]\nend\n", ""},
    {"told of one arrival of two", BARS("2", "1") READY "sync cta\n" A "arrive x[0]\narrive y[0]\n" B WAIT("y", "0") "arrive x[0]\n" C
     "arrive x[0]\nend\n", "overrun"},
    {"waits for a phase told of",
     BARS("1", "1") READY "sync cta\n" A "arrive x[0]\narrive y[0]\narrive x[0]\n" B WAIT("y", "0") WAIT("x", "1") "end\n",
     ""},
    {"waits for a phase not told of",
     BARS("1", "1") READY "sync cta\n" A "arrive y[0]\narrive x[0]\narrive x[0]\n" B WAIT("y", "0") WAIT("x", "1") "end\n",
     "lost-phase"},
    {"a warp's threads meet", BARS("32", "1") READY "sync cta\n" WARP "sync warp\narrive x[0] threads\nend\n", ""},
    {"a warp's threads do not", BARS("32", "1") READY "sync cta\n" WARP "arrive x[0] threads\nend\n", "overrun"},
    {"arrives in both blocks, then tells", CLUSTER("arrive x[0] cta all\n", WAIT("y", "0")), ""},
    {"one of both arrivals tells", CLUSTER("arrive x[0] cta all\n", WAIT("x", "0")), "overrun"},
    {"a flag raised twice", FLAG A "raise f[0]\nraise f[0]\n" B "await f[0] 1\nend\n", ""},
    {"a flag raised by two", FLAG A "raise f[0]\n" C "raise f[0]\n" B "await f[0] 1\nend\n", "overrun"},
    {"raised by who has awaited it", FLAG A "raise f[0]\n" B "await f[0] 1\nraise f[0]\nend\n", ""},
    {"made by two, and one raises again",
     FLAG A "raise f[0]\nraise f[0]\n" C "raise f[0]\n" B "await f[0] 2\nend\n", "overrun"},
    {"made by two, and one awaits it",
     FLAG A "raise f[0]\nawait f[0] 2\nraise f[0]\n" C "raise f[0]\n" B "await f[0] 2\nend\n", ""},
    {"two make it, whoever comes last", FLAG A "raise f[0] times 2\n" C "raise f[0] times 2\n" B "await f[0] 3\nend\n", ""},
    {"it is made without one of three",
     FLAG A "raise f[0]\n" C "raise f[0]\nraise f[0] times 2\n" B "await f[0] 3\nend\n", "overrun"},
    {"a loop that raises", FLAGS("1") A LOOP("raise f[0]\n") B LOOP("await f[0] 1\n") "end\n", ""},
    {"two loops that raise", FLAGS("1") A LOOP("raise f[0]\n") C LOOP("raise f[0]\n") B "await f[0] 1\nend\n", "overrun"},
    {"three, and another comes last each time",
     "pipe p\nparam N 0..\nbar x[1] count 8\ninit x\nfence mbarrier_init\nsync cta\n" A
     LOOP("arrive x[i % 1] times 2\nwait x[(i+1) % 1] parity (i+1) / 1 % 2\narrive x[(i+1) % 1]\n"
          "wait x[(i+1) % 1] parity ((i+1) / 1 + 1) % 2\n")
     B LOOP("wait x[(i+1) % 1] parity (i+1) / 1 % 2\narrive x[(i+1) % 1]\narrive x[(i+1) % 1] times 2\n"
            "wait x[i % 1] parity i / 1 % 2\n")
     C LOOP("arrive x[(i+1) % 1] times 2\nwait x[i % 1] parity i / 1 % 2\n") "end\n", ""},
    {"a loop that may raise too little", FLAGS("0") A LOOP("raise f[0]\n") B "await f[0] 2\nend\n", "deadlock"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static zlay_pipe *parsed(const char *text)
{
    zlay_pipe *pipe;
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) fail_msg("%s\n%s", zlay_ctx_message(ctx), text);
    return pipe;
}

/* And what the checker of proofs says of the proof where there is one. */
static zlay_answer answer_of(const zlay_pipe *pipe, const char **rule, zlay_answer *again)
{
    static char proof[1 << 14];
    zlay_buf buf = {proof, sizeof proof, 0};
    zlay_answer answer = ZLAY_DEPENDS;
    zlay_pipe_reason reason = {0};
    size_t count = 0;
    assert_int_equal(zlay_pipe_verify(ctx, &answer, &reason, 1, &count, &buf, pipe), ZLAY_OK);
    *rule = count ? zlay_pipe_rule_name(reason.rule) : "";
    *again = answer;
    if (answer == ZLAY_YES)
        assert_int_equal(zlay_pipe_recheck(ctx, again, pipe, proof, buf.need), ZLAY_OK);
    return answer;
}

/* Of refused programs the verifier's trace says at which trip count. */
static int trips_of_trace(const zlay_pipe *pipe, bool loops)
{
    static char trace[1 << 18];
    zlay_buf buf = {trace, sizeof trace - 1, 0};
    if (!loops) return 0;
    assert_int_equal(zlay_pipe_trace(ctx, &buf, pipe), ZLAY_OK);
    return atoi(strstr(trace, " = ") + 3);
}

/* The run of the checker of proofs that refuses has a fault, too. */
static int32_t check_fault(const zlay_pipe *pipe, int trips, const char *text)
{
    int32_t rule = 0;
    assert_int_equal(zl_rc_try(ctx, &rule, pipe, (const int64_t[]){trips}), ZLAY_OK);
    if (!rule) fail_msg("refused, and the run of %d has no fault:\n%s", trips, text);
    return rule;
}

/* A proof whose runs all end before the fault, and which says that greater trip counts follow. */
static size_t hopeful_proof(char *proof, size_t room, const zlay_pipe *pipe, int64_t faulty, int period)
{
    size_t n = (size_t)snprintf(proof, room, "proof p by runs\n");
    for (int64_t v = pipe->params[0].least; v < faulty; v++) {
        int64_t longer = v + period;
        bool last = v + 1 == faulty;
        uint64_t events = zl_pipe_count_events(pipe, &v, UINT64_MAX);
        if (last) events += zl_pipe_count_events(pipe, &longer, UINT64_MAX);
        n += (size_t)snprintf(proof + n, room - n, "run N %d", (int)v);
        if (last) n += (size_t)snprintf(proof + n, room - n, " every %d", period);
        n += (size_t)snprintf(proof + n, room - n, " events %d\n", (int)events);
    }
    return n + (size_t)snprintf(proof + n, room - n, "end\n");
}

static int check_hopeful(const zlay_pipe *pipe, int64_t faulty, const char *text)
{
    static char proof[1 << 14];
    int period = 1;
    for (; faulty > pipe->params[0].least && period <= 4; period++) {
        zlay_answer answer = ZLAY_DEPENDS;
        size_t length = hopeful_proof(proof, sizeof proof, pipe, faulty, period);
        assert_int_equal(zlay_pipe_recheck(ctx, &answer, pipe, proof, length), ZLAY_OK);
        if (answer == ZLAY_YES) fail_msg("proved, and wrong with %d:\n%s%s", (int)faulty, text, proof);
    }
    return period - 1;
}

static void test_rows(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        zlay_pipe *pipe = parsed(rows[i].text);
        const char *rule;
        zlay_answer again, answer = answer_of(pipe, &rule, &again);
        if (again != answer) fail_msg("%s: %s", rows[i].name, zlay_ctx_message(ctx));
        if (answer == ZLAY_NO)
            assert_string_equal(rule, zlay_pipe_rule_name(check_fault(
                                          pipe, trips_of_trace(pipe, strstr(rows[i].text, "param N")),
                                          rows[i].text)));
        if (answer != (*rows[i].rule ? ZLAY_NO : ZLAY_YES) || strcmp(rule, rows[i].rule))
            fail_msg("%s: %d %s", rows[i].name, (int)answer, rule);
        zlay_pipe_free(pipe);
    }
}

/* A ring's proof does not know of arrivals that nobody waits for; where the runs that would are too many
 * that is no refusal. */
static void test_limit(void **state)
{
    (void)state;
    static const char text[] = BARS("1", "1") "param N 0..\n" READY "sync cta\n" A LOOP("arrive x[i % 1]\n") "end\n";
    static const uint64_t points[] = {1 << 22, 300, 50};
    for (int i = 0; i < 3; i++) {
        zlay_limits limits = {.size = sizeof limits, .points = points[i]};
        zlay_ctx *all = ctx;
        const char *rule;
        zlay_answer again;
        assert_int_equal(zlay_ctx_new(&ctx, NULL, &limits), ZLAY_OK);
        zlay_pipe *pipe = parsed(text);
        assert_int_equal(answer_of(pipe, &rule, &again), i ? ZLAY_UNDECIDED : ZLAY_YES);
        zlay_pipe_free(pipe);
        zlay_ctx_free(ctx);
        ctx = all;
    }
}

/* ---- random programs ---- */

enum { BLOCKS = 2, ROLES = 3, OPS = 5, NAMED_BARS = 2, STAGES = 2, LANES = 5, STEPS = 32, VALUES = 3, TRIPS = 6 };
enum { ARRIVE, AWAIT_PHASE, RAISE, AWAIT, MEET, KINDS };

/* at: an index, behind a loop's counter where there is one; ahead: waits for the phase before; all: every
 * thread of the warp arrives; number: times, or the value that is awaited; to: the block where it arrives. */
typedef struct op { int kind, bar, at, ahead, all, number, to; } op;

typedef struct program {
    op ops[ROLES][OPS];
    int count[ROLES];
    bool warp[ROLES];      /* else one thread */
    int roles, bars, stages, counts[NAMED_BARS], blocks; /* role r is of block r % blocks */
    bool loops;
} program;

static int weight_of(const program *p, int role, const op *o)
{
    return o->kind == ARRIVE ? (p->warp[role] && o->all ? 32 : 1) * o->number : 0;
}

static op op_random(uint64_t *seed, const program *p, int role)
{
    static const int kinds[] = {ARRIVE, ARRIVE, ARRIVE, AWAIT_PHASE, AWAIT_PHASE, RAISE, AWAIT, MEET};
    op o = {.kind = kinds[test_range(seed, 0, 7)], .bar = (int)test_range(seed, 0, p->bars - 1)};
    o.at = (int)test_range(seed, 0, p->loops ? 1 : 3);
    o.ahead = test_range(seed, 0, 3) == 0;
    o.all = p->warp[role] && test_range(seed, 0, 1);
    o.number = o.kind == AWAIT ? (int)test_range(seed, 1, VALUES) : test_range(seed, 0, 7) ? 1 : 2;
    o.to = test_range(seed, 0, 3) ? role % p->blocks : (int)test_range(seed, 0, p->blocks - 1);
    if (o.kind == MEET && !p->warp[role]) o.kind = ARRIVE;
    return o;
}

/* Each barrier counts the arrivals that some of the program's lines make in one block. */
static void count_random(uint64_t *seed, program *p)
{
    bool every = test_range(seed, 0, 1);
    int block = (int)test_range(seed, 0, p->blocks - 1);
    for (int r = 0; r < p->roles; r++)
        for (int k = 0; k < p->count[r]; k++)
            if (p->ops[r][k].to == block && (every || test_range(seed, 0, 1)))
                p->counts[p->ops[r][k].bar] += weight_of(p, r, &p->ops[r][k]);
    for (int b = 0; b < p->bars; b++) p->counts[b] += !p->counts[b];
}

static program program_random(uint64_t *seed)
{
    program p = {.roles = (int)test_range(seed, 2, ROLES), .bars = (int)test_range(seed, 1, NAMED_BARS),
                 .stages = (int)test_range(seed, 1, STAGES), .loops = test_range(seed, 0, 1),
                 .blocks = test_range(seed, 0, 2) ? 1 : BLOCKS};
    for (int r = 0; r < p.roles; r++) {
        p.warp[r] = r == 0 && test_range(seed, 0, 2) == 0;
        p.count[r] = (int)test_range(seed, 1, OPS);
        for (int k = 0; k < p.count[r]; k++) p.ops[r][k] = op_random(seed, &p, r);
    }
    count_random(seed, &p);
    return p;
}

/* ---- texts ---- */

static int op_text(char *to, size_t room, const program *p, const op *o)
{
    char at[16], slot[24], to_block[16] = "";
    if (p->blocks > 1) snprintf(to_block, sizeof to_block, " cta %d", o->to);
    if (p->loops) snprintf(at, sizeof at, "(i+%d)", o->at), snprintf(slot, sizeof slot, "%s %% %d", at, p->stages);
    else snprintf(at, sizeof at, "%d", o->at), snprintf(slot, sizeof slot, "%d", o->at % p->stages);
    switch (o->kind) {
    case ARRIVE:
        return snprintf(to, room, "arrive %c[%s]%s times %d%s\n", 'x' + o->bar, slot, o->all ? " threads" : "", o->number,
                        to_block);
    case AWAIT_PHASE:
        return snprintf(to, room, o->ahead ? "wait %c[%s] parity (%s / %d + 1) %% 2\n" : "wait %c[%s] parity %s / %d %% 2\n",
                        'x' + o->bar, slot, at, p->stages);
    case RAISE: return snprintf(to, room, "raise f[0] times %d\n", o->number);
    case AWAIT: return snprintf(to, room, "await f[0] %d\n", o->number);
    default: return snprintf(to, room, "sync warp\n");
    }
}

static void program_text(char *to, size_t room, const program *p)
{
    const char *met = p->blocks > 1 ? "sync cluster\n" : "", *sync = *met ? met : "sync cta\n";
    size_t n = (size_t)snprintf(to, room, "pipe p\ncluster %d\n%sflag f[1]\n", p->blocks, p->loops ? "param N 0..\n" : "");
    for (int b = 0; b < p->bars; b++)
        n += (size_t)snprintf(to + n, room - n, "bar %c[%d] count %d\n", 'x' + b, p->stages, p->counts[b]);
    for (int b = 0; b < p->bars; b++) n += (size_t)snprintf(to + n, room - n, "init %c\n", 'x' + b);
    n += (size_t)snprintf(to + n, room - n, "fence mbarrier_init\n%s", sync);
    for (int r = 0; r < p->roles; r++) {
        n += (size_t)snprintf(to + n, room - n, "role %c warps %d..%d%s cta %d\n%s", 'a' + r, r, r, p->warp[r] ? "" : " elect",
                              r % p->blocks, p->loops ? "for i in 0..N\n" : "");
        for (int k = 0; k < p->count[r]; k++) n += (size_t)op_text(to + n, room - n, p, &p->ops[r][k]);
        n += (size_t)snprintf(to + n, room - n, "%s%send\n", p->loops ? "end\n" : "", met);
    }
}

/* ---- every interleaving ---- */

/* Of a warp lane 0, and two that share what the others count. */
typedef struct lane { int role, weight; } lane;

typedef struct state {
    int8_t pc[LANES];
    int16_t pending[BLOCKS][NAMED_BARS][STAGES];
    int8_t phase[BLOCKS][NAMED_BARS][STAGES];
    int16_t total;
} state;

enum { MET = 1 << 16, DEEP = 1 << 16 };

typedef struct world {
    const program *p;
    lane lanes[LANES];
    int lanes_count, trips, steps[ROLES];
    int8_t seen[LANES][STEPS];   /* the phase that each step came into or saw, by one for a barrier's first; 0: none yet */
    uint64_t made[VALUES + 1];   /* who had raised how often when each value was reached; 0: not yet */
    uint64_t met[MET];           /* states, packed, plus 1 */
    int met_count;
    state stack[DEEP];
    bool wrong, large;
} world;

static const op *op_at(const world *w, int l, int pc, int *index)
{
    int role = w->lanes[l].role, count = w->p->count[role];
    const op *o = &w->p->ops[role][pc % count];
    *index = o->at + (w->p->loops ? pc / count : 0);
    return o;
}

/* Each step does the same in every interleaving. */
static void expect_same(world *w, int l, int pc, int value)
{
    if (!w->seen[l][pc]) w->seen[l][pc] = (int8_t)(value + 1);
    if (w->seen[l][pc] != value + 1) w->wrong = true;
}

static void do_arrive(world *w, state *s, int l, const op *o, int slot)
{
    int weight = (o->all ? w->lanes[l].weight : 1) * o->number;
    int16_t *pending = &s->pending[o->to][o->bar][slot];
    expect_same(w, l, s->pc[l], s->phase[o->to][o->bar][slot]);
    if (weight > *pending) w->wrong = true;
    *pending = (int16_t)(*pending - weight);
    if (*pending) return;
    *pending = (int16_t)w->p->counts[o->bar];
    s->phase[o->to][o->bar][slot]++;
}

/* Who has raised: of each role how many of its steps have done so. */
static uint64_t raises_of(const world *w, const state *s)
{
    uint64_t all = 1;
    for (int l = 0; l < w->lanes_count; l++) {
        int sum = 0, index;
        bool lane0 = l == 0 || w->lanes[l - 1].role != w->lanes[l].role;
        for (int pc = 0; lane0 && pc < s->pc[l]; pc++) sum += op_at(w, l, pc, &index)->kind == RAISE;
        all = all * 64 + (uint64_t)sum;
    }
    return all;
}

static bool is_awaited(const program *p, int value)
{
    bool any = false;
    for (int r = 0; r < p->roles; r++)
        for (int k = 0; k < p->count[r]; k++) any |= p->ops[r][k].kind == AWAIT && p->ops[r][k].number == value;
    return any;
}

/* The step is taken with this one's raise among them. */
static void do_raise(world *w, state *s, int l, const op *o)
{
    int16_t before = s->total;
    s->total = (int16_t)(s->total + o->number);
    s->pc[l]++;
    uint64_t raises = raises_of(w, s);
    s->pc[l]--;
    for (int n = before + 1; n <= s->total && n <= VALUES; n++) {
        if (!w->made[n]) w->made[n] = raises;
        if (w->made[n] != raises && is_awaited(w->p, n)) w->wrong = true;
    }
}

static bool has_met(const world *w, const state *s, int l)
{
    for (int k = 0; k < w->lanes_count; k++)
        if (w->lanes[k].role == w->lanes[l].role && s->pc[k] < s->pc[l]) return false;
    return true;
}

static bool takes_part(const world *w, int l, const op *o)
{
    bool lane0 = l == 0 || w->lanes[l - 1].role != w->lanes[l].role;
    return lane0 || (o->kind == ARRIVE ? o->all : o->kind != RAISE);
}

/* One step of a lane: false where it has to wait. */
static bool do_step(world *w, state *s, int l)
{
    int index;
    const op *o = op_at(w, l, s->pc[l], &index);
    int slot = index % w->p->stages, c = s->phase[w->lanes[l].role % w->p->blocks][o->bar][slot];
    int parity = (index / w->p->stages + o->ahead) % 2;
    if (takes_part(w, l, o)) switch (o->kind) {
        case ARRIVE: do_arrive(w, s, l, o, slot); break;
        case AWAIT_PHASE:
            if ((c + 1) % 2 != parity) return false;
            expect_same(w, l, s->pc[l], c);
            break;
        case RAISE: do_raise(w, s, l, o); break;
        case AWAIT:
            if (s->total < o->number) return false;
            break;
        default:
            if (!has_met(w, s, l)) return false;
        }
    s->pc[l]++;
    return true;
}

/* Whether a state is new: what else it has follows from how far each lane is. */
static bool is_new(world *w, const state *s)
{
    uint64_t key = 1;
    for (int l = 0; l < w->lanes_count; l++) key = key * 64 + (uint64_t)s->pc[l];
    for (size_t at = key * 0x9e3779b97f4a7c15u >> 48;; at = (at + 1) % MET) {
        if (w->met[at] == key) return false;
        if (w->met[at]) continue;
        w->met[at] = key;
        w->large |= ++w->met_count > MET / 2;
        return true;
    }
}

static void begin(world *w, const program *p, int trips, state *s)
{
    *s = (state){0};
    memset(w, 0, offsetof(world, stack));
    w->p = p;
    w->trips = trips;
    w->wrong = w->large = false;
    for (int r = 0; r < p->roles; r++) {
        w->steps[r] = p->count[r] * (p->loops ? trips : 1);
        w->large |= w->steps[r] > STEPS;
        for (int k = 0; k < (p->warp[r] ? 3 : 1); k++) w->lanes[w->lanes_count++] = (lane){r, k == 0 ? 1 : 14 + k};
    }
    for (int b = 0; b < p->bars * p->blocks; b++)
        for (int k = 0; k < p->stages; k++) s->pending[b / p->bars][b % p->bars][k] = (int16_t)p->counts[b % p->bars];
}

static bool has_ended(const world *w, const state *s, int l) { return s->pc[l] == w->steps[w->lanes[l].role]; }

/* Arrivals in a phase that is never complete. */
static bool leaves_some(const program *p, const state *s)
{
    bool some = false;
    for (int b = 0; b < p->bars * p->blocks; b++)
        for (int k = 0; k < p->stages; k++)
            some |= s->pending[b / p->bars][b % p->bars][k] != p->counts[b % p->bars];
    return some;
}

/* Whether no interleaving goes wrong. */
static bool is_right(world *w, const program *p, int trips)
{
    state first;
    int depth = 0;
    begin(w, p, trips, &first);
    if (w->large) return true;
    is_new(w, &first);
    w->stack[depth++] = first;
    while (depth && !w->wrong && !w->large) {
        state s = w->stack[--depth];
        bool moved = false, ended = true;
        for (int l = 0; l < w->lanes_count && !w->wrong; l++) {
            state next = s;
            if (has_ended(w, &s, l)) continue;
            ended = false;
            if (!do_step(w, &next, l)) continue;
            moved = true;
            if (is_new(w, &next)) w->stack[depth++] = next;
            if (depth + LANES >= DEEP) w->large = true;
        }
        w->wrong |= !moved && (!ended || leaves_some(p, &s));
    }
    return !w->wrong;
}

static void test_programs(void **state_)
{
    static world w;
    static char text[4096];
    uint64_t seed = test_seed("known"), count = test_iterations(20000);
    int accepted = 0, looped = 0, refused = 0, large = 0, undecided = 0, unproved = 0, hopeful = 0;
    (void)state_;
    for (uint64_t n = 0; n < count; n++) {
        program p = program_random(&seed);
        const char *rule;
        program_text(text, sizeof text, &p);
        zlay_pipe *pipe = parsed(text);
        zlay_answer again, answer = answer_of(pipe, &rule, &again);
        undecided += answer == ZLAY_UNDECIDED;
        int first = answer == ZLAY_NO ? trips_of_trace(pipe, p.loops) : 0, last = answer == ZLAY_NO || !p.loops ? first : TRIPS;
        bool right = true;
        for (int trips = first; trips <= last; trips++) right &= is_right(&w, &p, trips);
        large += w.large;
        unproved += answer == ZLAY_YES && again == ZLAY_UNDECIDED;
        if (answer == ZLAY_YES && (again == ZLAY_NO || (!p.loops && again != ZLAY_YES)))
            fail_msg("accepted, and not proved again: %s\n%s", zlay_ctx_message(ctx), text);
        if (answer == ZLAY_NO) check_fault(pipe, first, text);
        if (answer == ZLAY_NO && p.loops) hopeful += check_hopeful(pipe, first, text);
        if (answer == ZLAY_YES && !right) fail_msg("accepted, and goes wrong:\n%s", text);
        if (answer == ZLAY_NO && right && !w.large) fail_msg("refused (%s), and never goes wrong:\n%s", rule, text);
        accepted += answer == ZLAY_YES;
        looped += answer == ZLAY_YES && p.loops;
        refused += answer == ZLAY_NO;
        zlay_pipe_free(pipe);
    }
    printf("%d accepted, %d of them with a loop, %d not proved again, %d refused, and %d proofs of them, %d undecided, "
           "%d too large\n", accepted, looped, unproved, refused, hopeful, undecided, large);
    assert_true(accepted > 0 && looped > 0);
    assert_true(1000 * undecided <= accepted + refused && 50 * unproved <= looped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_limit), cmocka_unit_test(test_programs)};
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
