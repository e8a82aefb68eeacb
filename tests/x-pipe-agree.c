/* SPDX-License-Identifier: Apache-2.0 */
/* SPIN and the verifier agree on every single edit of the named set and of the rings: what is
 * refused fails in a run, what is accepted fails in none.  The work is that of as many processes as
 * there are processors; unless ZLAY_EXHAUSTIVE=1, one edit in EVERY is asked about. */
#define _GNU_SOURCE
#include "named.h"
#include "pipe-edits.h"
#include "pipes.h"
#include "spin.h"

#include <sys/mman.h>
#include <sys/wait.h>

enum { TRIPS = 3, SECONDS = 20, EVERY = 997, WORKERS = 16, CAREFUL_MOST = 20 };

/* Trip counts at which most faults show; what is accepted is explored at each. */
static const struct asked {
    const char *name;
    unsigned stages;
    bool ring;               /* of pipes.h, else of tests/pipes */
    int64_t trips[TRIPS][2]; /* up to the first of no steps */
    const char *idle;        /* a role that has nothing to do there, for more would be too large: what the
                                text of its events alone breaks is not seen; NULL: none */
} asked[] = {
    {"ring", 1, false, {{4}}, NULL},
    {"ring", 2, false, {{5}}, NULL},
    {"ring", 3, false, {{5}}, NULL},
    {"cooperative", 2, false, {{4}}, NULL},
    {"cooperative", 3, false, {{5}}, NULL},
    {"split", 2, false, {{3}}, NULL},
    {"multistage", 3, false, {{5}}, NULL},
    {"persistent", 2, false, {{2, 2}, {3, 1}}, NULL},
    {"pingpong", 2, false, {{2, 2}, {3, 1}}, NULL},
    {"grouped", 2, false, {{2, 3}, {3, 1}}, NULL},
    {"attention", 1, false, {{2}}, NULL},
    {"streamk", 2, false, {{2}, {1}}, NULL},
    {"blackwell", 1, false, {{3, 1}, {1, 2}}, NULL},
    {"cooperative_multicast", 2, false, {{1}}, NULL},
    {"pingpong_multicast", 2, false, {{1, 1}}, "role odd"},
    {"pair", 1, false, {{1, 1}}, NULL},
    {"epilogue", 1, false, {{1, 1}}, NULL},
    {"lds_double", 2, false, {{4}, {2}, {1}}, NULL},
    {"lds_direct", 2, false, {{5}}, NULL},
    {"lds_direct", 3, false, {{5}}, NULL},
    {"lds_pipelined", 2, false, {{4}}, NULL},
    {"tensor", 2, true, {{2, 2}, {3, 1}}, NULL},
    {"prompt", 2, true, {{2, 2}, {3, 1}}, NULL},
    {"cpasync", 3, true, {{2, 2}, {3, 1}}, NULL},
    {"mixed", 3, true, {{2, 2}, {3, 1}}, NULL},
    {"write", 3, true, {{2, 2}, {3, 1}}, NULL},
    {"guarded", 2, true, {{2, 2}, {3, 1}}, NULL},
    {"single", 2, true, {{5}}, NULL},
};
enum { ASKED = sizeof asked / sizeof *asked };

/* What all processes have counted of a row. */
typedef struct tally {
    int edits, unread, accepted, refused, undecided, questions, models;
    int careful;               /* refused, and no run fails, as below */
    int large, large_accepted; /* too large for SPIN, and no fault found before */
    int wrong;
    long states;
} tally;

/* Models that have been explored, by a hash of their text but for the numbers of lines. */
enum { KNOWN = 1 << 17 };
typedef struct known {
    uint64_t hash; /* 0: nothing */
    spin_verdict verdict;
    int done;
} known;

typedef struct shared {
    tally tallies[ASKED];
    known known[KNOWN];
} shared;

typedef struct worker {
    const struct asked *row;
    known *known;
    tally *tally;
    zlay_ctx *ctx;
    uint64_t next, every; /* edits until the one that is asked about */
} worker;

static const char *behind_number(const char *at)
{
    while (*at >= '0' && *at <= '9') at++;
    return at;
}

static uint64_t hash_of(const char *model)
{
    static const char *const before[] = {"zero == ", "/* line "};
    uint64_t hash = 14695981039346656037u;
    while (*model) {
        for (int i = 0; i < 2; i++)
            if (!strncmp(model, before[i], 8)) model = behind_number(model + 8);
        hash = (hash ^ (unsigned char)*model++) * 1099511628211u;
    }
    return hash | 1;
}

/* Its slot, or a free one. */
static known *slot_of(worker *w, uint64_t hash)
{
    uint64_t at = hash % KNOWN, there;
    while ((there = __atomic_load_n(&w->known[at].hash, __ATOMIC_ACQUIRE)) != 0 && there != hash)
        at = (at + 1) % KNOWN;
    return &w->known[at];
}

/* A model that another process explores at the same time is explored twice. */
static spin_verdict explore_once(worker *w, const char *model)
{
    uint64_t hash = hash_of(model);
    known *k = slot_of(w, hash);
    if (__atomic_load_n(&k->done, __ATOMIC_ACQUIRE)) return k->verdict;
    spin_verdict v = spin_explore(model, SECONDS);
    __sync_fetch_and_add(&w->tally->models, 1);
    __sync_fetch_and_add(&w->tally->states, v.states);
    if (!__sync_bool_compare_and_swap(&slot_of(w, hash)->hash, 0, hash)) return v;
    k = slot_of(w, hash);
    k->verdict = v;
    __atomic_store_n(&k->done, 1, __ATOMIC_RELEASE);
    return v;
}

/* The same trip counts in each split of threads. */
static spin_verdict ask_at(worker *w, const zlay_pipe *pipe, const int64_t *trips, bool *large)
{
    spin_verdict v = {.sort = SPIN_SAFE};
    for (int split = PML_SPLITS; --split > PML_WHOLE && v.sort != SPIN_FAULT;) {
        char *model = spin_model(pipe, trips, split);
        v = model ? explore_once(w, model) : (spin_verdict){.sort = SPIN_LARGE};
        free(model);
        __sync_fetch_and_add(&w->tally->questions, 1);
        *large |= v.sort == SPIN_LARGE;
    }
    return v;
}

/* Faults that no run of the model has.  An arrival that may come into a phase too early: a thread
 * knows that a phase is complete when somebody has waited for it; one that knows of all its arrivals,
 * and does not know that it is complete, is refused.  A peer that may have ended: what a thread did
 * there before its exit is over when somebody was told, and an exit, for which `sync cluster` of others
 * does not wait, tells nobody; in the model all is done at once. */
static bool is_careful(const char *trace)
{
    static const char *const faults[] = {"\noverrun at line ", "\npeer at line "};
    for (int i = 0; i < 2; i++) {
        const char *last = strstr(trace, faults[i]);
        if (last && !strchr(last + 1, '\n')[1]) return true;
    }
    return false;
}

/* Where the verifier's own trace fails: `N = 3` a line. */
static bool trips_of_trace(worker *w, const zlay_pipe *pipe, int64_t trips[2], bool *careful)
{
    static char text[1 << 18];
    zlay_buf buf = {text, sizeof text - 1, 0};
    if (zlay_pipe_trace(w->ctx, &buf, pipe)) return false;
    const char *at = text;
    for (uint32_t i = 0; i < pipe->params_count && i < 2; i++, at = strchr(at, '\n') + 1)
        trips[i] = atoi(strstr(at, " = ") + 3);
    text[buf.need] = 0;
    *careful = is_careful(text);
    return true;
}

static spin_verdict ask(worker *w, const zlay_pipe *pipe, bool *large, bool *careful)
{
    int64_t trips[2] = {0};
    spin_verdict v = {.sort = SPIN_SAFE};
    if (trips_of_trace(w, pipe, trips, careful)) v = ask_at(w, pipe, trips, large);
    for (int t = 0; t < TRIPS && w->row->trips[t][0] && v.sort != SPIN_FAULT; t++)
        v = ask_at(w, pipe, w->row->trips[t], large);
    return v;
}

/* Whether a line stands in a role that has nothing to do in the runs that are asked about. */
static bool is_idle(const worker *w, const char *text, uint32_t line)
{
    const char *role = w->row->idle ? strstr(text, w->row->idle) : NULL, *at = text;
    if (!role) return false;
    while (--line && (at = strchr(at, '\n'))) at++;
    const char *next = strstr(role + 1, "\nrole ");
    return at && at >= role && (!next || at < next);
}

static void disagree(worker *w, const pipe_edit *edit, const char *how, int rule, int line)
{
    __sync_fetch_and_add(&w->tally->wrong, 1);
    fprintf(stderr, "%s: %s is %s: %s, line %d\n", w->row->name, edit->what, how,
            rule ? zlay_pipe_rule_name(rule) : "no rule", line);
}

static void judge(worker *w, const pipe_edit *edit, const zlay_pipe *pipe, const char *text)
{
    zlay_answer answer = ZLAY_UNDECIDED;
    zlay_pipe_reason reason = {0};
    size_t count = 0;
    bool large = false, careful = false;
    assert_int_equal(zlay_pipe_verify(w->ctx, &answer, &reason, 1, &count, NULL, pipe), ZLAY_OK);
    spin_verdict v = ask(w, pipe, &large, &careful);
    bool fails = v.sort == SPIN_FAULT;
    __sync_fetch_and_add(&w->tally->accepted, answer == ZLAY_YES);
    __sync_fetch_and_add(&w->tally->refused, answer == ZLAY_NO);
    __sync_fetch_and_add(&w->tally->undecided, answer == ZLAY_UNDECIDED);
    __sync_fetch_and_add(&w->tally->large, !fails && large);
    __sync_fetch_and_add(&w->tally->large_accepted, !fails && large && answer == ZLAY_YES);
    if (answer == ZLAY_YES && fails) disagree(w, edit, "accepted, and fails", v.rule, v.line);
    bool unseen = answer == ZLAY_NO && !fails && !large;
    careful = careful || (unseen && is_idle(w, text, reason.line));
    __sync_fetch_and_add(&w->tally->careful, unseen && careful);
    if (unseen && !careful)
        disagree(w, edit, "refused, and no run fails", reason.rule, (int)reason.line);
}

static void look_at(void *user, const pipe_edit *edit, const char *text, size_t length)
{
    worker *w = user;
    zlay_pipe *pipe;
    if (w->next--) return;
    w->next = w->every - 1;
    __sync_fetch_and_add(&w->tally->edits, 1);
    if (zlay_pipe_parse(w->ctx, &pipe, text, length)) {
        __sync_fetch_and_add(&w->tally->unread, 1);
        return;
    }
    judge(w, edit, pipe, text);
    zlay_pipe_free(pipe);
}

static size_t ring_read(char text[NAMED_TEXT], const char *name, unsigned stages)
{
    pipe_text p;
    size_t i = 0;
    while (i < PIPES && strcmp(pipes[i].name, name)) i++;
    assert_true(i < PIPES);
    pipe_make(&p, i, stages);
    memcpy(text, p.text, p.length + 1);
    return p.length;
}

/* One process of so many: every edit whose number modulo theirs is its own. */
static void work(int self, int workers, uint64_t seed, shared *all)
{
    static char text[NAMED_TEXT];
    uint64_t scale = test_iterations(1), every = test_exhaustive() || scale >= EVERY ? 1 : EVERY / scale;
    worker w = {.known = all->known, .every = every * (uint64_t)workers,
                .next = seed % every + every * (uint64_t)self};
    assert_int_equal(zlay_ctx_new(&w.ctx, NULL, NULL), ZLAY_OK);
    for (int i = 0; i < ASKED; i++) {
        const char *only = getenv("ZLAY_ONLY");
        if (only && strcmp(only, asked[i].name)) continue;
        size_t length = asked[i].ring ? ring_read(text, asked[i].name, asked[i].stages)
                                      : named_read(text, asked[i].name, asked[i].stages);
        w.row = &asked[i];
        w.tally = &all->tallies[i];
        pipe_edits_all(w.ctx, text, length, look_at, &w);
    }
    zlay_ctx_free(w.ctx);
}

static void work_all(uint64_t seed, shared *all)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int workers = processors < 1 ? 1 : processors > WORKERS ? WORKERS : (int)processors;
    pid_t children[WORKERS];
    fflush(NULL);
    for (int i = 0; i < workers; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i]) continue;
        work(i, workers, seed, all);
        _exit(0);
    }
    for (int i = 0; i < workers; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

static void test_agree(void **state)
{
    int wrong = 0, careful = 0;
    (void)state;
    if (!spin_found()) skip();
    uint64_t seed = test_seed("agree");
    shared *all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(all != MAP_FAILED);
    work_all(seed, all);
    for (int i = 0; i < ASKED; i++) {
        const tally *t = &all->tallies[i];
        if (t->edits == 0) continue;
        printf("%s %u: %d edits, %d are no pipes, %d accepted, %d refused, %d undecided; %d questions, "
               "%d models, %ld states; %d too large, %d of them accepted; %d careful, %d wrong\n",
               asked[i].name, asked[i].stages, t->edits, t->unread, t->accepted, t->refused, t->undecided,
               t->questions, t->models, t->states, t->large, t->large_accepted, t->careful, t->wrong);
        wrong += t->wrong;
        careful += t->careful;
    }
    munmap(all, sizeof *all);
    assert_int_equal(wrong, 0);
    assert_in_range(careful, 0, CAREFUL_MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
