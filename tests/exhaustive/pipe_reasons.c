/* SPDX-License-Identifier: Apache-2.0 */
/* Why accepted edits of the named set are right: each fits a row that says what it moves past what,
 * or what it changes, and the row is tried on roles written out. What fits none fails. Unless
 * ZLAY_EXHAUSTIVE=1, one edit in 5. */
#include "pipes/named.h"
#include "pipes/pipe-edits.h"
#include "pipes/pipe-trips.h"

#define KIND(kind) ((uint64_t)1 << ZL_EV_##kind)
#define ALL UINT64_MAX
#define ORDERS                                                                                     \
    (KIND(WAIT) | KIND(WAITGROUP) | KIND(WAITCOUNT) | KIND(TWAIT) | KIND(SYNC) | KIND(FENCE) |     \
     KIND(AWAIT))
#define READS (KIND(READ) | KIND(LDMATRIX) | KIND(FETCH))
enum { FEWER = 1, SAME = 2, MORE = 4, SHARES = 8, UNNEEDED = 16, COVERS = 32, MOVED = 64 };

/* Events of these kinds pass those kinds alone; they run fewer, as many or more times; they share
 * memory, barriers or registers with what they pass only where that is said.  UNNEEDED: without
 * them the pipe is accepted as well.  COVERS: what queues have under way is over when it is needed.
 * MOVED: the line stands elsewhere. */
static const struct passing {
    uint64_t kinds, earlier, later;
    int flags;
    const char *because;
} passings[] = {
    {ORDERS, ALL, 0, MORE | SHARES, "waits, meets or fences once more"},
    {KIND(WAIT) | KIND(AWAIT) | KIND(TWAIT), ALL, 0, SAME | SHARES, "waits earlier"},
    {KIND(WAITGROUP), ~(KIND(STORE) | KIND(WRITE)), 0, SAME | SHARES,
     "waits for its groups earlier, still behind what is in them"},
    {KIND(WAITCOUNT), ALL, 0, SAME | SHARES | COVERS, "waits earlier, still for what comes next"},
    {KIND(FENCE), KIND(WAIT) | KIND(SYNC) | KIND(JOIN), 0, SAME, "fences earlier, behind what it is for"},
    {KIND(SYNC), KIND(WAIT) | KIND(WAITGROUP), 0, SAME, "meets earlier, behind what it orders"},
    {KIND(ARRIVE) | KIND(JOIN), 0, ALL, SAME | SHARES, "arrives later"},
    {KIND(USE), ALL, ALL, FEWER | SAME | MORE | SHARES,
     "instructions on registers of their own threads"},
    {KIND(COPY), KIND(ARRIVE) | KIND(COPY) | KIND(EXPECT) | KIND(SYNC),
     KIND(ARRIVE) | KIND(COPY) | KIND(EXPECT) | KIND(WAIT), SAME | SHARES,
     "copies of a phase land in any order, before or behind its arrival"},
    {KIND(EXPECT), KIND(SYNC), 0, SAME, "bytes are expected before their thread arrives"},
    {KIND(CPASYNC), KIND(CPASYNC), KIND(CPASYNC), SAME, "copies of a group land in any order"},
    {KIND(COMMIT), ALL, 0, MORE,
     "a group without members more: waits that leave n groups end more"},
    {KIND(COMMIT),
     KIND(CPASYNC) | KIND(LDMATRIX) | KIND(SYNC) | KIND(USE) | KIND(WAITGROUP) | KIND(COMMIT), 0,
     SAME, "what is left out of the group is in the next, which the same wait ends"},
    {KIND(COMMIT), 0, KIND(JOIN) | KIND(LDMATRIX) | KIND(USE) | KIND(WAITGROUP) | KIND(COMMIT),
     SAME, "the group is closed later, before the wait that ends it"},
    {READS, READS | KIND(LOAD) | KIND(COMMIT) | KIND(CPASYNC), READS | KIND(USE), SAME | SHARES,
     "reads come in any order between the meetings around them"},
    {KIND(READ), 0,
     KIND(COMMIT) | KIND(FENCE) | KIND(STORE) | KIND(SYNC) | KIND(USE) | KIND(WAITGROUP) |
         KIND(WRITE),
     SAME, "reads later, before the release"},
    {KIND(READ) | KIND(LDMATRIX) | KIND(CPASYNC) | KIND(LOAD) | KIND(STORE) | KIND(REDUCE) |
         KIND(WRITE) | KIND(UPDATE),
     ALL, 0, MORE | SHARES, "the same bytes again, before they are released"},
    {KIND(MMA), 0, KIND(FETCH) | KIND(LOAD) | KIND(PUT) | KIND(SYNC) | KIND(WAITCOUNT) | KIND(MMA),
     SAME | SHARES, "factors stand in registers until they are loaded anew"},
    {KIND(MMA), ALL, 0, MORE | SHARES,
     "its factor in registers has changed in between, or the sum begins anew"},
    {KIND(LOAD), 0, KIND(FETCH) | KIND(MMA) | KIND(SYNC) | KIND(WAITCOUNT), SAME | SHARES,
     "loads later, before the wait for it"},
    {KIND(PUT), 0, KIND(PUT) | KIND(USE) | KIND(WAITCOUNT), SAME,
     "stores later, before the wait for it"},
    {KIND(WRITE), KIND(ARRIVE) | KIND(SYNC) | KIND(AWAIT) | KIND(READ) | KIND(USE), 0,
     SAME | SHARES, "writes what nobody reads yet, from sums that are over"},
    {KIND(DEALLOC), KIND(FENCE), 0, SAME, "what is over when it is freed needs no fence"},
    {KIND(ARRIVE), ALL, 0, SAME | SHARES | UNNEEDED, "nobody waits for the last arrivals"},
    {KIND(JOIN), KIND(COMMIT) | KIND(FENCE) | KIND(MMA), 0, SAME,
     "gives its turn away earlier: turns order no memory"},
    {KIND(SYNC), 0, KIND(ARRIVE) | KIND(COMMIT) | KIND(EXPECT) | KIND(COPY), SAME | SHARES,
     "meets later, still before the next iteration"},
    {KIND(SYNC), 0,
     KIND(SYNC) | KIND(WRITE) | KIND(MMA) | KIND(WAITGROUP) | KIND(COMMIT) | KIND(STORE) |
         KIND(FENCE) | KIND(ARRIVE),
     SAME | SHARES, "takes its turn later: turns order no memory"},
    {KIND(MMA), KIND(SYNC), 0, SAME, "multiplies before its turn: turns order no memory"},
    {KIND(WAIT), 0, ALL, SAME | MORE | SHARES, "waits later, before what it is for"},
    {KIND(WAIT), 0, ALL, SAME | MORE | SHARES | UNNEEDED, "who gives the turn has waited, too"},
    {KIND(WAITGROUP), 0,
     KIND(ARRIVE) | KIND(READ) | KIND(AWAIT) | KIND(SYNC) | KIND(WRITE) | KIND(COMMIT) |
         KIND(STORE) | KIND(FENCE),
     SAME | SHARES, "waits later, before the next use of what the groups hold"},
    {KIND(FENCE), 0, KIND(DEALLOC) | KIND(WAIT), SAME, "fences later, before what it is for"},
    {KIND(FENCE), KIND(SYNC) | KIND(ARRIVE) | KIND(WAIT) | KIND(EXPECT) | KIND(UPDATE) | KIND(COPY),
     KIND(SYNC) | KIND(ARRIVE) | KIND(WAIT) | KIND(EXPECT), MORE, "fences each time, and not once"},
    {KIND(FENCE), KIND(WAIT) | KIND(USE) | KIND(SYNC) | KIND(JOIN),
     ~(KIND(WRITE) | KIND(STORE) | KIND(COPY)), FEWER | UNNEEDED,
     "another fence is there for these products"},
    {KIND(SETMAXNREG), 0, ALL, SAME | MORE, "asks for registers later, or for as many as it has"},
    {ALL, 0, 0, FEWER | UNNEEDED, "nothing in the pipe needs it"},
    {KIND(FETCH) | KIND(LOAD) | KIND(SEND) | KIND(MMA) | KIND(WAITGROUP), 0, 0,
     FEWER | SAME | MOVED, "two lines alike, or in another loop of as many steps"},
};

/* Edits with reasons of their own. */
static const struct single {
    const char *name, *what, *because;
} singles[] = {
    {"attention", "line 26: arrive ready[0]", "a phase more each step: who arrives alone knows it is over"},
    {"attention", "line 46: fence wgmma", "fences earlier, behind the last use of the registers"},
    {"attention", "line 76: fence wgmma", "fences earlier, behind the last use of the registers"},
    {"attention", "line 74: wait fullK", "who gives the turn has waited, too"},
    {"ring", "each from 4 to 2", "two instances of two warps are as many threads that arrive"},
    {"cooperative_multicast", "first offset from 0 to 1, line 22",
     "the last arrivals come behind those before"},
    {"cooperative_multicast", "first offset from 0 to 1, line 34",
     "the last arrivals come behind those before"},
    {"cooperative_multicast", "move before line 50, line 51", "nobody fills the last stage again"},
    {"pingpong", "move before line 81, line 82", "waits for the stores in each tile"},
    {"pingpong_multicast", "move before line 96, line 97", "waits for the stores in each tile"},
    {"grouped", "line 48: arrive over",
     "the ring says that all but the first copy by the map are over"},
    {"grouped", "change over from 2 to 1",
     "a phase of the one slot for each group: nobody is two behind"},
    {"epilogue", "change added from 2 to 1",
     "the ring of what was loaded keeps its readers together"},
    {"streamk", "double, line 67: raise done[0]", "whoever raises a flag twice knows of the first"},
    {"multistage", "offset from 1 to 2, line 7",
     "one stage more is filled ahead, and filled again alike"},
    {"lds_direct", "offset from 1 to 2, line 9",
     "one stage more is filled ahead, and filled again alike"},
    {"multistage", "first offset from -1 to -2, line 22",
     "one step more of those that load nothing"},
    {"lds_direct", "first offset from -1 to -2, line 21",
     "one step more of those that load nothing"},
    {"lds_direct", "first offset from 0 to -1, line 2", "the stage before still stands there"},
    {"lds_pipelined", "first offset from -1 to -2, line 5", "the stage before still stands there"},
};

static zlay_ctx *ctx;

typedef struct world {
    const char *name;
    zlay_pipe *pipe;
    size_t every, next;
    int accepted, unexplained, refused, unseen; /* unseen: refused, though they fit a row */
} world;

static bool accepts(const zlay_pipe *pipe)
{
    zlay_answer answer = ZLAY_UNDECIDED;
    size_t count;
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, NULL, pipe), ZLAY_OK);
    return answer == ZLAY_YES;
}

static uint32_t role_of(const zlay_pipe *pipe, const zl_event *event)
{
    uint32_t role = 0;
    while (role + 1 < pipe->roles_count && event->line > pipe->roles[role + 1].line) role++;
    return role;
}

/* ---- lines moved, doubled, dropped ---- */

static bool is_unneeded(const world *w, const zl_event *event)
{
    static char text[EDIT_TEXT], less[EDIT_TEXT];
    zlay_buf buf = {text, sizeof text, 0};
    zlay_pipe *pipe;
    uint32_t line = 1;
    size_t length = 0;
    assert_int_equal(zlay_pipe_print(&buf, w->pipe), ZLAY_OK);
    for (const char *at = text; *at; at++) {
        if (line != event->line) less[length++] = *at;
        line += *at == '\n';
    }
    if (zlay_pipe_parse(ctx, &pipe, less, length)) return false;
    bool good = accepts(pipe);
    zlay_pipe_free(pipe);
    return good;
}

static trip_moved moved_by(const world *w, const zlay_pipe *is, uint32_t role,
                           const zl_event *event)
{
    static trip a, b;
    trip_moved all = {0};
    int64_t values[64];
    for (int64_t n = 0; n < 12; n++) {
        for (uint32_t k = 0; k < w->pipe->params_count; k++)
            values[k] = w->pipe->params[k].least + (k                           ? n / 3
                                                    : w->pipe->params_count > 1 ? n % 3 + 1
                                                                                : n / 2);
        trip_make(&a, w->pipe, &w->pipe->roles[role], values);
        trip_make(&b, is, &is->roles[role], values);
        trip_moved m = trip_compare(w->pipe, &a, &b, event);
        all.earlier |= m.earlier;
        all.later |= m.later;
        all.shares |= m.shares;
        all.guards |= m.guards;
        if (m.more) all.more = m.more > 0 ? 1 : -1;
    }
    return all;
}

/* The steps at which what a queue has under way is over: the first wait that covers it. */
static void find_over(const trip *t, int *over)
{
    for (int k = 0; k < t->count; k++) {
        int queue = trip_queue(t->op[k].event);
        int64_t behind = 0;
        over[k] = t->count;
        for (int n = k + 1; queue >= 0 && n < t->count && over[k] == t->count; n++) {
            const zl_event *e = t->op[n].event;
            if (e->kind == ZL_EV_WAITCOUNT && e->scope == queue && behind >= e->count) over[k] = n;
            if (e->kind != ZL_EV_WAITCOUNT && trip_queue(e) == queue) behind += e->times;
        }
    }
}

/* The first step that needs it: of registers who names them, of shared memory the next meeting. */
static int needed_at(const trip *t, int k)
{
    const zl_event *e = t->op[k].event;
    bool fills = (e->kind == ZL_EV_LOAD || e->kind == ZL_EV_FETCH) && e->acc >= 0;
    bool stores = e->smem[0] >= 0 && e->kind != ZL_EV_FETCH;
    for (int n = k + 1; n < t->count; n++) {
        const zl_event *x = t->op[n].event;
        if (stores && x->kind == ZL_EV_SYNC) return n;
        if (fills && (x->acc == e->acc || x->acc_a == e->acc || x->acc_b == e->acc)) return n;
    }
    return t->count;
}

/* Waits still come before what they are for. */
static bool covers_needs(const zlay_pipe *is)
{
    static trip t;
    static int over[TRIP_OPS];
    for (uint32_t role = 0; role < is->roles_count; role++)
        for (int64_t n = 0; n < 6; n++) {
            int64_t values[64];
            for (uint32_t k = 0; k < is->params_count; k++) values[k] = is->params[k].least + n;
            trip_make(&t, is, &is->roles[role], values);
            find_over(&t, over);
            for (int k = 0; k < t.count; k++)
                if (trip_queue(t.op[k].event) >= 0 && t.op[k].event->kind != ZL_EV_WAITCOUNT &&
                    needed_at(&t, k) < t.count && over[k] > needed_at(&t, k))
                    return false;
        }
    return true;
}

static bool fits(const world *w, const struct passing *p, const pipe_edit *edit,
                 const zlay_pipe *is, const trip_moved *m)
{
    const zl_event *event = edit->event;
    int times = m->more < 0 ? FEWER : m->more ? MORE : SAME;
    return p->kinds >> event->kind & 1 && !(m->earlier & ~p->earlier) && !(m->later & ~p->later) &&
           p->flags & times && (!m->shares || p->flags & SHARES) &&
           (!(p->flags & UNNEEDED) || is_unneeded(w, event)) &&
           (!(p->flags & COVERS) || covers_needs(is)) &&
           (!(p->flags & MOVED) || edit->sort == EDIT_MOVE || edit->sort == EDIT_SWAP) &&
           (event->kind != ZL_EV_WAIT || !m->guards || p->flags & UNNEEDED);
}

static bool explains_line(const world *w, const pipe_edit *edit, const zlay_pipe *is)
{
    trip_moved m = moved_by(w, is, role_of(w->pipe, edit->event), edit->event);
    for (size_t k = 0; k < sizeof passings / sizeof *passings; k++)
        if (fits(w, &passings[k], edit, is, &m)) return true;
    return false;
}

/* Each barrier is initialised once, then fenced, then published; what is allocated is so before
 * none may be. */
static bool explains_setup(const zlay_pipe *p)
{
    bool given = false;
    for (uint32_t k = 0; k < p->setup; k++) {
        given |= p->events[k].kind == ZL_EV_RELINQUISH;
        if (p->events[k].kind == ZL_EV_ALLOC && given) return false;
    }
    for (uint32_t b = 0; b < p->bars_count; b++) {
        int stage = 0;
        for (uint32_t k = 0; k < p->setup; k++) {
            const zl_event *e = &p->events[k];
            if (e->kind == ZL_EV_INIT && e->bar == (int32_t)b && stage++) return false;
            if (e->kind == ZL_EV_FENCE && stage == 1) stage = 2;
            if (e->kind == ZL_EV_SYNC && stage == 2) stage = 3;
        }
        if (stage != 3) return false;
    }
    return true;
}

/* ---- words and numbers changed ---- */

/* Every slot, parity and index is what it was. */
static bool is_same_trip(const world *w, const zlay_pipe *is)
{
    static trip a, b;
    int64_t values[64];
    for (uint32_t role = 0; role < is->roles_count; role++)
        for (int64_t n = 0; n < 12; n++) {
            for (uint32_t k = 0; k < is->params_count; k++)
                values[k] = is->params[k].least + (k                      ? n / 3
                                                   : is->params_count > 1 ? n % 3 + 1
                                                                          : n / 2);
            trip_make(&a, w->pipe, &w->pipe->roles[role], values);
            trip_make(&b, is, &is->roles[role], values);
            if (a.count != b.count) return false;
            for (int k = 0; k < a.count; k++) {
                const trip_op *x = &a.op[k], *y = &b.op[k];
                if (x->bar != y->bar || x->parity != y->parity ||
                    memcmp(x->at, y->at, sizeof x->at) || memcmp(x->tmem, y->tmem, sizeof x->tmem))
                    return false;
            }
        }
    return true;
}

/* Who reads the stage reads all of it. */
static bool is_part_unnamed(const zlay_pipe *p, int32_t smem)
{
    for (uint32_t k = p->setup; k < p->events_count; k++) {
        const zl_event *e = &p->events[k];
        bool fills = e->kind == ZL_EV_COPY || e->kind == ZL_EV_CPASYNC || e->kind == ZL_EV_LOAD;
        if (!fills && e->part > 0 && e->smem[0] == smem) return false;
    }
    return true;
}

static const char *why_scope(const world *w, const zlay_pipe *p, const zl_event *was,
                             const zl_event *is)
{
    static const int8_t width[] = {[ZL_SYNC_WARP] = 0, [ZL_SYNC_ROLE] = 1, [ZL_SYNC_NAMED] = 1,
                                   [ZL_SYNC_CTA] = 2, [ZL_SYNC_CLUSTER] = 3};
    const zl_role *role = &w->pipe->roles[role_of(w->pipe, was)];
    bool wider = was->kind == ZL_EV_SYNC && width[is->scope] > width[was->scope];
    if (was->kind == ZL_EV_COPY && is->scope != ZL_COPY_SHARED)
        return "a copy of other coordinates, alike in time";
    if (was->kind == ZL_EV_ARRIVE && role->each == 1 && is->scope != ZL_BY_THREADS)
        return "a role of one warp: its warps are one";
    if (wider) return "more threads meet";
    if (was->kind == ZL_EV_SYNC && is->scope == ZL_SYNC_WARP && role->each == 1)
        return "the role is a warp";
    if (was->kind == ZL_EV_SYNC && p->roles_count == 1)
        return "the role is the block, the block the cluster";
    if (was->kind == ZL_EV_WAITGROUP && is->scope == ZL_GROUP_BULK)
        return "waits for what is written, too";
    if (was->kind == ZL_EV_WAITGROUP && was->scope == ZL_GROUP_BULK &&
        is->scope == ZL_GROUP_BULK_READ)
        return "what is written need not be over when the block ends";
    return is_unneeded(w, was) ? "nothing in the pipe needs it" : NULL;
}

static const char *why_changed(const world *w, const zlay_pipe *p, const zl_event *was,
                               const zl_event *is)
{
    if (was->scope != is->scope) return why_scope(w, p, was, is);
    if (was->part != is->part)
        return is_part_unnamed(w->pipe, was->smem[0]) ? "nobody names the part" : NULL;
    if (is_same_trip(w, p) && was->count == is->count && was->times == is->times &&
        was->fresh == is->fresh && (was->cta == is->cta))
        return "the same slots and parities";
    bool waits = was->kind == ZL_EV_WAITGROUP || was->kind == ZL_EV_WAITCOUNT;
    if (waits && is->count < was->count) return "waits for more";
    if (waits && is_unneeded(w, was)) return "nothing in the pipe needs it";
    if (was->times != is->times && covers_needs(p))
        return "waits still come before what they are for";
    if (was->fresh != is->fresh && was->acc >= 0)
        return "ordinary instructions have had the sum before";
    if (was->kind == ZL_EV_SETMAXNREG) return "the block has as many registers";
    return NULL;
}

static const char *why_declared(const zlay_pipe *was, const zlay_pipe *is)
{
    if (was->roles_count == 1 && is->roles[0].last_warp != was->roles[0].last_warp)
        return "the only role, with other warps";
    for (uint32_t k = 0; k < was->smems_count; k++)
        if (is->smems[k].stages > was->smems[k].stages) return "a stage more";
    for (uint32_t k = 0; k < was->bars_count; k++)
        if (is->bars[k].stages > was->bars[k].stages) return "a stage more";
    return NULL;
}

static const char *explains_change(const world *w, const zlay_pipe *is)
{
    const zlay_pipe *was = w->pipe;
    for (uint32_t k = 0; k < was->events_count; k++)
        if (!trip_same_event(&was->events[k], &is->events[k]))
            return why_changed(w, is, &was->events[k], &is->events[k]);
    return why_declared(was, is);
}

static bool is_single(const char *name, const char *what)
{
    for (size_t k = 0; k < sizeof singles / sizeof *singles; k++)
        if (!strcmp(singles[k].name, name) && strstr(what, singles[k].what)) return true;
    return false;
}

/* ---- all ---- */

static bool explains(const world *w, const pipe_edit *edit, const zlay_pipe *pipe)
{
    bool setup = edit->event && edit->event->line < w->pipe->roles[0].line;
    if (edit->sort == EDIT_CHANGE)
        return explains_change(w, pipe) || is_single(w->name, edit->what);
    if (setup) return explains_setup(pipe);
    return explains_line(w, edit, pipe) || is_single(w->name, edit->what);
}

static void judge(void *user, const pipe_edit *edit, const char *text, size_t length)
{
    world *w = user;
    zlay_pipe *pipe;
    bool chosen = w->next == 0;
    w->next = chosen ? w->every - 1 : w->next - 1;
    if (!chosen || zlay_pipe_parse(ctx, &pipe, text, length)) return;
    bool accepted = accepts(pipe), good = explains(w, edit, pipe);
    if (accepted && !good) printf("no row: %s: %s\n", w->name, edit->what);
    w->accepted += accepted;
    w->unexplained += accepted && !good;
    w->refused += !accepted;
    w->unseen += !accepted && good;
    zlay_pipe_free(pipe);
}

static void test_reasons(void **state)
{
    static char text[NAMED_TEXT], printed[NAMED_TEXT];
    uint64_t seed = test_seed("reasons");
    int accepted = 0, unexplained = 0, refused = 0, unseen = 0;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (size_t i = 0; i < NAMED; i++) {
        world w = {.name = named[i].name, .every = test_exhaustive() ? 1 : 5};
        zlay_buf buf = {printed, sizeof printed, 0};
        w.next = seed % w.every;
        size_t length = named_read(text, w.name, named[i].fewest);
        assert_int_equal(zlay_pipe_parse(ctx, &w.pipe, text, length), ZLAY_OK);
        assert_int_equal(zlay_pipe_print(&buf, w.pipe), ZLAY_OK);
        zlay_pipe_free(w.pipe);
        assert_int_equal(zlay_pipe_parse(ctx, &w.pipe, printed, buf.need), ZLAY_OK);
        pipe_edits_all(ctx, text, length, judge, &w);
        accepted += w.accepted;
        unexplained += w.unexplained;
        refused += w.refused;
        unseen += w.unseen;
        zlay_pipe_free(w.pipe);
    }
    printf("%d accepted edits, %d fit no row; of %d refused %d fit one\n", accepted, unexplained,
           refused, unseen);
    assert_true(accepted > 100 && 3 * unseen < refused);
    assert_int_equal(unexplained, 0);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reasons)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
