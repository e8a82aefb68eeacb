/* SPDX-License-Identifier: Apache-2.0 */
/* Refuter of pipe.verify: random small pipes (barriers with bytes, copies, reads and writes of stages,
 * meetings by role, block and number, registers, the grid before, loops with params) are run in every
 * interleaving by an explorer that shares the parser alone with the verifier (explore-any.h).  A YES has a
 * fault in no interleaving at any trip count that is tried, and its proof is checked again; the trace of a NO
 * has params in their ranges, and its trip counts have a fault in some interleaving.  Of undecided pipes
 * nothing is claimed; they are counted, and few. */
#include "pipes/explore-any.h"

#include <string.h>
#include <zlay/zlay.h>

static zlay_ctx *ctx;

enum { ROLES = 3, LINES = 12, BARS = 2, TEXT = 1 << 13 };
enum { ARRIVE, WAIT, EXPECT, COPY, READ, WRITE, SYNC, JOIN, SET, GRID, GLOBAL, KINDS };

/* at: an index, behind a loop's counter where there is one; what: a barrier, a stage, or who meets. */
typedef struct line { int kind, what, at, scope, number, flip; bool loop; } line;

typedef struct role {
    line lines[LINES];
    int count, warps;
    bool elect;
} role;

typedef struct draw {
    role roles[ROLES];
    int count, stages, counts[BARS], registers, least, most, scale;
} draw;

/* ---- what is drawn ---- */

static int below(uint64_t *seed, int count) { return (int)test_range(seed, 0, count - 1); }

static line line_random(uint64_t *seed, const role *r, bool registers)
{
    static const int elected[] = {ARRIVE, WAIT, EXPECT, COPY, GRID, GLOBAL, SYNC}, many[] = {ARRIVE, WAIT, READ, WRITE, SYNC, JOIN, SYNC, GRID, GLOBAL};
    line l = {.kind = r->elect ? elected[below(seed, 7)] : many[below(seed, 9)], .what = below(seed, BARS)};
    if (registers && below(seed, 2)) l.kind = r->warps == 4 ? SET : l.kind;
    l.at = below(seed, 2);
    l.scope = r->elect ? 0 : below(seed, 3);
    l.flip = below(seed, 3) == 0;
    l.number = l.kind == SET ? 32 * (1 + below(seed, 6)) : 1 + below(seed, 2);
    if (l.kind == SYNC) l.scope = r->elect ? 1 : below(seed, 4);
    if (l.kind == JOIN) l.scope = 2;
    l.loop = below(seed, 2);
    return l;
}

static void push(role *r, line l)
{
    if (r->count < LINES) r->lines[r->count++] = l;
}

/* A producer that copies, consumers that read: x is full, y is empty. */
static void draw_ring(uint64_t *seed, draw *d)
{
    d->roles[0] = (role){.warps = 1, .elect = true};
    push(&d->roles[0], (line){.kind = WAIT, .what = 1, .flip = 1, .loop = true});
    push(&d->roles[0], (line){.kind = EXPECT, .what = 0, .loop = true});
    if (below(seed, 2)) push(&d->roles[0], (line){.kind = ARRIVE, .what = 0, .number = 1, .loop = true});
    push(&d->roles[0], (line){.kind = COPY, .what = 0, .loop = true});
    if (d->roles[0].count == 3) push(&d->roles[0], (line){.kind = ARRIVE, .what = 0, .number = 1, .loop = true});
    d->counts[0] = 1;
    d->count = 2 + below(seed, 2);
    for (int r = 1; r < d->count; r++) {
        int scope = 1 + below(seed, 2);
        role *c = &d->roles[r];
        *c = (role){.warps = 1 << below(seed, 3)};
        push(c, (line){.kind = WAIT, .what = 0, .loop = true});
        push(c, (line){.kind = READ, .what = 0, .loop = true});
        if (scope == 1) push(c, (line){.kind = SYNC, .scope = 0, .loop = true});
        push(c, (line){.kind = ARRIVE, .what = 1, .scope = scope, .number = 1, .loop = true});
        d->counts[1] += c->warps * (scope == 2 ? 32 : 1);
    }
}

/* Threads write stages, others read them; they meet by number, or by the block. */
static void draw_stage(uint64_t *seed, draw *d)
{
    int meet = below(seed, 3), k = below(seed, 2);
    d->count = 2;
    for (int r = 0; r < 2; r++) {
        role *c = &d->roles[r];
        *c = (role){.warps = 1 << below(seed, 3)};
    }
    int threads = 32 * (d->roles[0].warps + d->roles[1].warps);
    for (int r = 0; r < 2; r++)
        for (int half = 0; half < 2; half++) {
            line l = {.kind = half ? SYNC : r ? READ : WRITE, .what = half ? (meet ? 1 + half : 0) : 1, .at = 0, .loop = true};
            line sync = {.kind = SYNC, .scope = meet ? 2 : 1, .what = meet == 2 ? half : 2 + half, .number = threads / 32, .loop = true};
            if (r == half) push(&d->roles[r], sync);
            l = (line){.kind = r ? READ : WRITE, .what = 1, .loop = true};
            if (half == 0) push(&d->roles[r], l);
            if (r != half) push(&d->roles[r], sync);
        }
    d->counts[0] = d->counts[1] = 1 + k;
}

static void draw_registers(uint64_t *seed, draw *d)
{
    static const int launch[] = {64, 96, 128, 160, 168, 100};
    d->registers = launch[below(seed, 6)];
    d->count = 1 + below(seed, ROLES);
    for (int r = 0; r < d->count; r++) {
        role *c = &d->roles[r];
        *c = (role){.warps = below(seed, 4) ? 4 : 1 << below(seed, 2), .elect = below(seed, 4) == 0};
        for (int n = 1 + below(seed, 3); n > 0; n--) {
            push(c, (line){.kind = c->warps == 4 ? SET : SYNC, .scope = c->elect, .number = 8 * (3 + below(seed, 26))});
            if (below(seed, 3)) push(c, line_random(seed, c, false));
        }
    }
}

static void draw_any(uint64_t *seed, draw *d)
{
    d->count = 1 + below(seed, ROLES);
    for (int r = 0; r < d->count; r++) {
        role *c = &d->roles[r];
        *c = (role){.warps = 1 << below(seed, 3), .elect = below(seed, 3) == 0};
        for (int n = 1 + below(seed, 4); n > 0; n--) push(c, line_random(seed, c, d->registers));
    }
}

/* One line is left out, doubled, moved or another. */
static void edit(uint64_t *seed, draw *d)
{
    role *r = &d->roles[below(seed, d->count)];
    int k = r->count ? below(seed, r->count) : 0, j = r->count ? below(seed, r->count) : 0;
    line l = r->lines[k];
    switch (r->count ? below(seed, 7) : 6) {
    case 0:
        memmove(&r->lines[k], &r->lines[k + 1], (size_t)(r->count - k - 1) * sizeof l);
        r->count--;
        break;
    case 1: push(r, l); break;
    case 2:
        r->lines[k] = r->lines[j];
        r->lines[j] = l;
        break;
    case 3: r->lines[k].at ^= 1; break;
    case 4: r->lines[k].scope = r->elect ? l.scope : below(seed, 3); break;
    case 5: r->lines[k].number += below(seed, 2) ? 1 : 8; break;
    default: push(r, line_random(seed, r, d->registers)); break;
    }
}

static draw draw_random(uint64_t *seed)
{
    static const int ranges[][2] = {{0, 2}, {1, 3}, {2, 2}, {0, 1 << 20}, {1, 1 << 20}, {3, 3}};
    draw d = {.stages = 1 + below(seed, 2), .scale = below(seed, 6) ? 1 : 2 + below(seed, 2)};
    int range = below(seed, 6);
    d.least = ranges[range][0];
    d.most = ranges[range][1];
    switch (below(seed, 4)) {
    case 0: draw_ring(seed, &d); break;
    case 1: draw_stage(seed, &d); break;
    case 2: draw_registers(seed, &d); break;
    default: draw_any(seed, &d); break;
    }
    for (int n = below(seed, 3); n > 0; n--) edit(seed, &d);
    for (int b = 0; b < BARS; b++) d.counts[b] = d.counts[b] ? d.counts[b] : 1 << (5 * below(seed, 2) + below(seed, 2));
    return d;
}

/* ---- its text ---- */

static size_t line_text(char *to, size_t room, const draw *d, const line *l, bool elect)
{
    static const char *const who[] = {"", " warps", " threads"};
    char at[32], slot[48], round[48];
    snprintf(at, sizeof at, l->loop ? (d->scale > 1 ? "(%d*i+%d)" : "(%di+%d)") : "%.0d%d", l->loop ? d->scale : 0, l->at);
    if (l->loop && d->scale == 1) snprintf(at, sizeof at, "(i+%d)", l->at);
    if (l->loop) snprintf(slot, sizeof slot, "%s %% %d", at, d->stages);
    else snprintf(slot, sizeof slot, "%d", l->at % d->stages);
    snprintf(round, sizeof round, l->flip ? "(%s / %d + 1)" : "%s / %d", at, d->stages);
    char name = (char)('x' + l->what % 2);
    switch (l->kind) {
    case ARRIVE: return (size_t)snprintf(to, room, "arrive %c[%s]%s times %d\n", name, slot, elect ? "" : who[l->scope % 3], l->number % 4 + !(l->number % 4));
    case WAIT: return (size_t)snprintf(to, room, "wait %c[%s] parity %s %% 2\n", name, slot, round);
    case EXPECT: return (size_t)snprintf(to, room, "expect %c[%s] %d\n", name, slot, l->number == 2 ? 8 : 16);
    case COPY: return (size_t)snprintf(to, room, "copy bulk 16 -> A[%s] signal %c[%s]\n", slot, name, slot);
    case READ: return (size_t)snprintf(to, room, "read %c[%s]\n", l->what % 2 ? 'D' : 'A', slot);
    case WRITE: return (size_t)snprintf(to, room, "write D[%s]\n", slot);
    case SYNC:
        if (elect || l->scope == 1) return (size_t)snprintf(to, room, "sync cta\n");
        if (l->scope == 2) return (size_t)snprintf(to, room, "sync named %d %d\n", l->what, 32 * (l->number % 16 + !(l->number % 16)));
        return (size_t)snprintf(to, room, l->scope ? "sync warp\n" : "sync role\n");
    case JOIN: return (size_t)snprintf(to, room, "join named %d %d\n", l->what, 32 * (l->number % 16 + !(l->number % 16)));
    case SET: return (size_t)snprintf(to, room, "setmaxnreg %s %d\n", l->number > d->registers || l->flip ? "inc" : "dec", l->number);
    case GRID: return (size_t)snprintf(to, room, "griddep wait\n");
    default: return (size_t)snprintf(to, room, "raise f[0]\n");
    }
}

/* Who joins a meeting and does not wait there knows that it is over only when told (docs/pipe.md), which is
 * no fault of an interleaving: a role joins once, where others come, too. */
static bool joins_again(const role *c, int k)
{
    bool again = c->lines[k].number % 16 <= c->warps;
    for (int j = 0; j < k; j++) again |= c->lines[j].kind == JOIN;
    return again && c->lines[k].kind == JOIN;
}

/* Lines in the loop are those that say so, in one stretch. */
static void draw_text(char *to, size_t room, const draw *d)
{
    size_t n = (size_t)snprintf(to, room, "pipe p\n");
    if (d->registers) n += (size_t)snprintf(to + n, room - n, "registers %d\n", d->registers);
    n += (size_t)snprintf(to + n, room - n, "param N %d..", d->least);
    if (d->most < 1 << 20) n += (size_t)snprintf(to + n, room - n, "%d", d->most);
    n += (size_t)snprintf(to + n, room - n, "\nsmem A[%d] 16\nsmem D[%d] 16\nflag f[1]\nbar x[%d] count %d\nbar y[%d] count %d\n"
                          "init x\ninit y\nfence mbarrier_init\nsync cta\n", d->stages, d->stages, d->stages, d->counts[0], d->stages, d->counts[1]);
    for (int r = 0; r < d->count; r++) {
        const role *c = &d->roles[r];
        bool inside = false, over = false;
        n += (size_t)snprintf(to + n, room - n, "role r%d warps %d..%d%s\n", r, 4 * r, 4 * r + c->warps - 1, c->elect ? " elect" : "");
        for (int k = 0; k < c->count; k++) {
            line l = c->lines[k];
            if (joins_again(c, k)) continue;
            l.loop = l.loop && !over && l.kind != SET && l.kind != JOIN;
            if (l.loop != inside) n += (size_t)snprintf(to + n, room - n, inside ? "end\n" : "for i in 0..N\n");
            over |= inside && !l.loop;
            inside = l.loop;
            n += line_text(to + n, room - n, d, &l, c->elect);
        }
        n += (size_t)snprintf(to + n, room - n, inside ? "end\nend\n" : "end\n");
    }
}

/* ---- what is claimed ---- */

static any_world world;

typedef struct tally { int yes, no, undecided, large, again, none; } tally;

/* Whether a fault is found at one value of the param, by any split; `large`: some were too large to tell. */
static bool goes_wrong(const zlay_pipe *pipe, int64_t value, bool registers, bool *large)
{
    for (int split = 0; split < ANY_SPLITS; split++) {
        if (registers && split == ANY_LANES) continue;
        if (any_explore(&world, pipe, &value, split)) return true;
        *large |= world.large;
    }
    return false;
}

static void check_yes(const zlay_pipe *pipe, const draw *d, const char *text, const char *proof, size_t length, tally *t)
{
    zlay_answer again = ZLAY_DEPENDS;
    bool large = false;
    int last = d->most < d->least + 3 ? d->most : d->least + 3;
    assert_int_equal(zlay_pipe_recheck(ctx, &again, pipe, proof, length), ZLAY_OK);
    if (again == ZLAY_NO) fail_msg("accepted, and not proved again: %s\n%s%s", zlay_ctx_message(ctx), text, proof);
    t->again += again == ZLAY_YES;
    for (int value = d->least; value <= last; value++)
        if (goes_wrong(pipe, value, d->registers, &large))
            fail_msg("accepted, and with %d goes wrong (%s, line %u, split %d):\n%s", value, world.fault, world.line, world.split, text);
    t->large += large;
}

static void check_no(const zlay_pipe *pipe, const draw *d, const char *text, const zlay_pipe_reason *reason, tally *t)
{
    static char trace[1 << 16];
    zlay_buf buf = {trace, sizeof trace - 1, 0};
    bool large = false;
    assert_int_equal(zlay_pipe_trace(ctx, &buf, pipe), ZLAY_OK);
    assert_true(!strncmp(trace, "N = ", 4));
    int64_t value = strtoll(trace + 4, NULL, 10);
    if (value < d->least || value > d->most) fail_msg("N = %lld is out of its range:\n%s", (long long)value, text);
    bool wrong = goes_wrong(pipe, value, d->registers, &large);
    /* with registers, lanes that a warp's instruction keeps together are explored as if it did not */
    if (!wrong && d->registers) wrong = any_explore(&world, pipe, &value, ANY_LANES);
    if (!wrong && !large)
        fail_msg("refused (%s at line %u), and with %lld never goes wrong:\n%s", zlay_pipe_rule_name(reason->rule), reason->line,
                 (long long)value, text);
    t->large += !wrong;
}

static void check_draw(const draw *d, tally *t)
{
    static char text[TEXT], proof[1 << 15];
    zlay_pipe *pipe;
    zlay_buf buf = {proof, sizeof proof - 1, 0};
    zlay_answer answer = ZLAY_DEPENDS;
    zlay_pipe_reason reason = {0};
    size_t count = 0;
    draw_text(text, sizeof text, d);
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) fail_msg("%s\n%s", zlay_ctx_message(ctx), text);
    assert_int_equal(zlay_pipe_verify(ctx, &answer, &reason, 1, &count, &buf, pipe), ZLAY_OK);
    if (answer == ZLAY_YES) check_yes(pipe, d, text, proof, buf.need, t);
    if (answer == ZLAY_NO) check_no(pipe, d, text, &reason, t);
    if (answer == ZLAY_UNDECIDED && getenv("ZLAY_SHOW")) printf("%s\n%s", zlay_ctx_message(ctx), text);
    t->yes += answer == ZLAY_YES;
    t->no += answer == ZLAY_NO;
    t->undecided += answer == ZLAY_UNDECIDED;
    zlay_pipe_free(pipe);
}

static void test_pipes(void **state)
{
    (void)state;
    uint64_t seed = test_seed("refute-pipes"), count = test_cases(10000);
    tally t = {0};
    for (uint64_t n = 0; n < count; n++) {
        uint64_t own = test_case(seed, n);
        draw d = draw_random(&own);
        check_draw(&d, &t);
    }
    printf("%llu pipes: %d accepted, %d of them proved again, %d refused, %d undecided; %d too large for all interleavings; none refuted\n",
           (unsigned long long)count, t.yes, t.again, t.no, t.undecided, t.large);
    assert_true(10 * t.yes > (int)(count / 10) && 100 * t.undecided <= 3 * (t.yes + t.no) && 20 * t.large <= t.yes + t.no);
}

/* By hand: one thread of `look` waits, and the role's warps give their registers.  `go` asks for 3072.  Where each
 * thread keeps 32, three warps without that thread give 12288 before it has looked, so the phase after the one that
 * it waits for may end first.  Where each keeps 136, they give 2304, enough for a warp of `go`. */
#define EARLY(keeps) \
    "pipe p\nregisters 160\nparam N 1..1\nbar y[1] count 1\ninit y\nfence mbarrier_init\nsync cta\n" \
    "role go warps 0..3\nsetmaxnreg inc 184\nfor i in 0..N\narrive y[i % 1] times 1\nend\nend\n" \
    "role look warps 4..7 elect\nfor i in 0..N\nwait y[(i+1) % 1] parity (i+1) / 1 % 2\nend\n" \
    "setmaxnreg dec " keeps "\nend\n"

static void check_early(const char *early)
{
    zlay_pipe *pipe;
    zlay_answer answer = ZLAY_DEPENDS;
    zlay_pipe_reason reason = {0};
    size_t count = 0;
    const draw d = {.least = 1, .most = 1, .registers = 160};
    tally t = {0};
    if (zlay_pipe_parse(ctx, &pipe, early, strlen(early))) fail_msg("%s", zlay_ctx_message(ctx));
    assert_int_equal(zlay_pipe_verify(ctx, &answer, &reason, 1, &count, NULL, pipe), ZLAY_OK);
    assert_int_equal(answer, ZLAY_NO);
    assert_int_equal(reason.rule, ZLAY_PIPE_LOST_PHASE);
    check_no(pipe, &d, early, &reason, &t);
    assert_int_equal(t.large, 0);
    assert_string_equal(world.fault, "deadlock");
    zlay_pipe_free(pipe);
}

static void test_early_registers(void **state)
{
    (void)state;
    check_early(EARLY("32"));
    check_early(EARLY("136"));
}

static int open_ctx(void **state)
{
    (void)state;
    return zlay_ctx_new(&ctx, NULL, NULL);
}

static int close_ctx(void **state)
{
    (void)state;
    zlay_ctx_free(ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_early_registers), cmocka_unit_test(test_pipes)};
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
