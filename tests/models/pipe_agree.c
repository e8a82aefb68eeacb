/* SPDX-License-Identifier: Apache-2.0 */
/* SPIN and the verifier agree on every single edit of the named set and of the rings: what is
 * refused fails in a run, what is accepted fails in none.  The work is that of as many processes as
 * there are processors; one edit in EVERY is asked about, under ZLAY_EXHAUSTIVE=1 one in SOME, under 2
 * all. */
#define _GNU_SOURCE
#include "pipes/pipe-edits.h"
#include "pipes/pipe-source.h"
#include "pipes/spin.h"

#include <sys/mman.h>
#include <sys/wait.h>

enum { TRIPS = 3, SECONDS = 20, EVERY = 997, SOME = 59, WORKERS = 16 };

/* Trip counts at which most faults show; what is accepted is explored at each. */
static const struct asked {
    const char *name;
    unsigned stages;
    bool ring;               /* of pipes.h, else of tests/pipes */
    int64_t trips[TRIPS][2]; /* up to the first of no steps */
    int64_t more[2];         /* what is refused there too, with one late thing, where a role has nothing
                                to do at the others; 0: nowhere */
} asked[] = {
    {"ring", 1, false, {{4}}, {0}},
    {"ring", 2, false, {{5}}, {0}},
    {"ring", 3, false, {{5}}, {0}},
    {"cooperative", 2, false, {{4}}, {0}},
    {"cooperative", 3, false, {{5}}, {0}},
    {"turns", 2, false, {{1}, {3}}, {0}},
    {"split", 2, false, {{3}}, {0}},
    {"multistage", 3, false, {{5}}, {0}},
    {"persistent", 2, false, {{2, 2}, {3, 1}, {1, 4}}, {0}},
    {"pingpong", 2, false, {{2, 2}, {3, 1}, {1, 4}}, {0}},
    {"grouped", 2, false, {{2, 3}, {3, 1}}, {0}},
    {"attention", 1, false, {{2}, {3}}, {0}},
    {"streamk", 2, false, {{2}, {1}}, {0}},
    {"blackwell", 1, false, {{3, 1}, {1, 2}}, {0}},
    {"cooperative_multicast", 2, false, {{1}, {2}}, {0}},
    {"pingpong_multicast", 2, false, {{1, 1}}, {2, 1}},
    {"pair", 1, false, {{1, 1}, {2, 1}}, {0}},
    {"epilogue", 1, false, {{1, 1}, {2, 1}}, {0}},
    {"lds_double", 2, false, {{4}, {2}, {1}}, {0}},
    {"lds_direct", 2, false, {{5}}, {0}},
    {"lds_direct", 3, false, {{5}}, {0}},
    {"lds_pipelined", 2, false, {{4}}, {0}},
    {"gemm", 2, false, {{2, 2}, {3, 1}, {1, 4}}, {0}},
    {"gemm_narrow", 2, false, {{2, 2}, {3, 1}, {1, 4}}, {0}},
    {"gemm_loads", 3, false, {{2, 2}, {3, 1}, {1, 4}}, {0}},
    {"tensor", 2, true, {{2, 2}, {3, 1}, {1, 4}}, {0}},
    {"prompt", 2, true, {{2, 2}, {3, 1}, {1, 4}}, {0}},
    {"cpasync", 3, true, {{2, 2}, {3, 1}, {1, 4}}, {0}},
    {"mixed", 3, true, {{2, 2}, {3, 1}, {1, 4}}, {0}},
    {"write", 3, true, {{2, 2}, {3, 1}, {1, 4}}, {0}},
    {"guarded", 2, true, {{2, 2}, {3, 1}, {1, 4}}, {0}},
    {"single", 2, true, {{5}}, {0}},
};
enum { ASKED = sizeof asked / sizeof *asked };

/* What all processes have counted of a row. */
typedef struct tally {
    int edits, unread, accepted, refused, undecided, questions, models;
    int by_one_late;           /* refused, and a run at the trace's trip counts with one late thing fails */
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
static spin_verdict ask_at(worker *w, const zlay_pipe *pipe, const int64_t *trips, int how,
                           bool *large)
{
    spin_verdict v = {.sort = SPIN_SAFE};
    for (int split = PML_SPLITS; --split > PML_WHOLE && v.sort != SPIN_FAULT;) {
        char *model = spin_model(pipe, trips, split, how);
        v = model ? explore_once(w, model) : (spin_verdict){.sort = SPIN_LARGE};
        free(model);
        __sync_fetch_and_add(&w->tally->questions, 1);
        *large |= v.sort == SPIN_LARGE;
    }
    return v;
}

/* Where the verifier's own trace fails: `N = 3` a line. */
static bool trips_of_trace(worker *w, const zlay_pipe *pipe, int64_t trips[2])
{
    static char text[1 << 18];
    zlay_buf buf = {text, sizeof text - 1, 0};
    if (zlay_pipe_trace(w->ctx, &buf, pipe)) return false;
    const char *at = text;
    for (uint32_t i = 0; i < pipe->params_count && i < 2; i++, at = strchr(at, '\n') + 1)
        trips[i] = atoi(strstr(at, " = ") + 3);
    return true;
}

/* What is refused is run at first where the trace fails, with one late thing. */
static spin_verdict ask(worker *w, const zlay_pipe *pipe, bool *large)
{
    int64_t trips[2] = {0};
    bool refused = trips_of_trace(w, pipe, trips), ignored = false;
    spin_verdict v = {.sort = SPIN_SAFE};
    if (refused) v = ask_at(w, pipe, trips, PML_ONE_LATE, &ignored);
    __sync_fetch_and_add(&w->tally->by_one_late, v.sort == SPIN_FAULT);
    for (int t = 0; t < TRIPS && w->row->trips[t][0] && v.sort != SPIN_FAULT; t++)
        v = ask_at(w, pipe, w->row->trips[t], PML_ALL, large);
    if (refused && v.sort != SPIN_FAULT && w->row->more[0])
        v = ask_at(w, pipe, w->row->more, PML_ONE_LATE, &ignored);
    if (refused && v.sort != SPIN_FAULT) v = ask_at(w, pipe, trips, PML_ALL, large);
    return v;
}

static void disagree(worker *w, const pipe_edit *edit, const char *how, int rule, int line)
{
    __sync_fetch_and_add(&w->tally->wrong, 1);
    fprintf(stderr, "%s: %s is %s: %s, line %d\n", w->row->name, edit->what, how,
            rule ? zlay_pipe_rule_name(rule) : "no rule", line);
}

static void judge(worker *w, const pipe_edit *edit, const zlay_pipe *pipe)
{
    zlay_answer answer = ZLAY_UNDECIDED;
    zlay_pipe_reason reason = {0};
    size_t count = 0;
    bool large = false;
    assert_int_equal(zlay_pipe_verify(w->ctx, &answer, &reason, 1, &count, NULL, pipe), ZLAY_OK);
    spin_verdict v = ask(w, pipe, &large);
    bool fails = v.sort == SPIN_FAULT;
    __sync_fetch_and_add(&w->tally->accepted, answer == ZLAY_YES);
    __sync_fetch_and_add(&w->tally->refused, answer == ZLAY_NO);
    __sync_fetch_and_add(&w->tally->undecided, answer == ZLAY_UNDECIDED);
    __sync_fetch_and_add(&w->tally->large, !fails && large);
    __sync_fetch_and_add(&w->tally->large_accepted, !fails && large && answer == ZLAY_YES);
    if (answer == ZLAY_YES && fails) disagree(w, edit, "accepted, and fails", v.rule, v.line);
    if (answer == ZLAY_NO && !fails)
        disagree(w, edit, large ? "refused, and too large" : "refused, and no run fails", reason.rule, (int)reason.line);
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
    judge(w, edit, pipe);
    zlay_pipe_free(pipe);
}

/* One process of so many: every edit whose number modulo theirs is its own. */
static void work(int self, int workers, uint64_t seed, shared *all)
{
    static char text[NAMED_TEXT];
    uint64_t scale = test_iterations(1), most = test_hours() ? 1 : test_exhaustive() ? SOME : EVERY,
             every = scale >= most ? 1 : most / scale;
    worker w = {.known = all->known, .every = every * (uint64_t)workers,
                .next = seed % every + every * (uint64_t)self};
    assert_int_equal(zlay_ctx_new(&w.ctx, NULL, NULL), ZLAY_OK);
    for (int i = 0; i < ASKED; i++) {
        const char *only = getenv("ZLAY_ONLY");
        if (only && strcmp(only, asked[i].name)) continue;
        size_t length = source_read(text, asked[i].name, asked[i].stages, asked[i].ring);
        w.row = &asked[i];
        w.tally = &all->tallies[i];
        pipe_edits_all(w.ctx, text, length, look_at, &w);
    }
    zlay_ctx_free(w.ctx);
}

static void work_all(uint64_t seed, shared *all)
{
    const char *jobs = getenv("ZLAY_JOBS");
    long processors = jobs ? atol(jobs) : sysconf(_SC_NPROCESSORS_ONLN);
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
    int wrong = 0;
    (void)state;
    if (!spin_found()) skip();
    uint64_t seed = test_seed("agree");
    shared *all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(all != MAP_FAILED);
    work_all(seed, all);
    for (int i = 0; i < ASKED; i++) {
        const tally *t = &all->tallies[i];
        if (t->edits == 0) continue;
        printf("%s %u: %d edits, %d are no pipes, %d accepted, %d refused, %d undecided; %d by one late; %d questions, "
               "%d models, %ld states; %d too large, %d of them accepted; %d wrong\n",
               asked[i].name, asked[i].stages, t->edits, t->unread, t->accepted, t->refused, t->undecided,
               t->by_one_late, t->questions, t->models, t->states, t->large, t->large_accepted, t->wrong);
        wrong += t->wrong;
    }
    munmap(all, sizeof *all);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
