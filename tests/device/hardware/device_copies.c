/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, barriers and launches on a Hopper GPU: what each row of copies.def and barriers.def does
 * there, against what zlay says of it and against the CPU model.  A fault ends a context, so a case
 * that faults is the last of its process.
 *
 *   device-copies [--only TEXT] [--ptx DIR]     --ptx writes the kernels and runs nothing */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "barriers.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct tally {
    unsigned passed, failed, looked;
} tally;

/* A kind of cases: its rows, and pages that the processes share for what they saw. */
typedef struct table {
    size_t count, size;
    const char *(*name)(size_t i);
    void (*run)(copy_rig *r, size_t i, void *seen);
    bool (*report)(size_t i, const void *seen, tally *t);
    char *seen;
} table;

/* ---- kinds ----------------------------------------------------------------------------- */

static bool verdict(const char *name, bool good, bool look, const char *what, zlay_answer answer,
                    const char *rule, tally *t)
{
    t->looked += look;
    t->passed += !look && good;
    t->failed += !look && !good;
    printf("%s %-32s %s; zlay %s %s\n", look ? "look " : good ? "ok   " : "WRONG", name, what,
           answer == ZLAY_YES ? "yes" : "no", rule);
    return good;
}

static const char *copy_name(size_t i) { return copy_cases[i].name; }
static void copy_do(copy_rig *r, size_t i, void *seen) { copy_run(r, &copy_cases[i], seen); }

static bool copy_expected(const copy_case *c, const copy_seen *seen)
{
    bool wrong = seen->shared_wrong || seen->global_wrong, fine = !seen->base.error;
    bool ended = seen->done[0] && seen->done[1];
    switch (c->outcome) {
    case RUNS:
    case MODELLED: return fine && !wrong && ended;
    case RUNS_WRONG: return fine && wrong && ended;
    case DISTURBS: return fine && wrong;
    case EARLY: return fine && ended;
    case NEVER: return fine && !ended;
    case ANY_FAULT: return !fine;
    default: return seen->base.error == c->outcome;
    }
}

/* Yes exactly where the hardware does what the fields say. */
static bool copy_report(size_t i, const void *value, tally *t)
{
    const copy_case *c = &copy_cases[i];
    const copy_seen *seen = value;
    char text[160];
    if (seen->base.error) snprintf(text, sizeof text, "error %d", seen->base.error);
    else
        snprintf(text, sizeof text, "%s%s, %u bytes of shared memory and %u of global differ",
                 seen->done[0] ? "ends" : "never ends", seen->done[1] ? "" : ", block 1 never",
                 seen->shared_wrong, seen->global_wrong);
    bool agrees = seen->answer == (c->outcome == RUNS ? ZLAY_YES : ZLAY_NO);
    return verdict(c->name, agrees && copy_expected(c, seen), c->outcome == LOOK, text,
                   seen->answer, seen->rule, t);
}

static const char *state_name(size_t i) { return state_cases[i].name; }
static void state_do(copy_rig *r, size_t i, void *seen) { state_run(r, &state_cases[i], seen); }

static bool state_report(size_t i, const void *value, tally *t)
{
    const state_case *c = &state_cases[i];
    const state_seen *seen = value;
    char text[64];
    bool runs = c->outcome == RUNS || c->outcome == RUNS_WRONG;
    bool good = seen->base.error == (runs ? 0 : c->outcome) && (!runs || seen->value == c->value);
    snprintf(text, sizeof text, "error %d, answers %u", seen->base.error, seen->value);
    good &= seen->answer == (c->outcome == RUNS ? ZLAY_YES : ZLAY_NO);
    return verdict(c->name, good, c->outcome == LOOK, text, seen->answer, "", t);
}

static const char *launch_name(size_t i) { return launch_cases[i].name; }
static void launch_do(copy_rig *r, size_t i, void *seen) { launch_run(r, &launch_cases[i], seen); }

static bool launch_report(size_t i, const void *value, tally *t)
{
    const launch_case *c = &launch_cases[i];
    const state_seen *seen = value;
    char text[64];
    bool runs = c->outcome == RUNS;
    bool good = seen->base.error == (runs ? 0 : c->outcome) &&
                seen->answer == (runs ? ZLAY_YES : ZLAY_NO);
    snprintf(text, sizeof text, "error %d", seen->base.error);
    return verdict(c->name, good, c->outcome == LOOK, text, seen->answer, "", t);
}

/* ---- processes ------------------------------------------------------------------------- */

static case_seen *seen_of(const table *t, size_t i) { return (case_seen *)(t->seen + i * t->size); }

static size_t next_case(const table *t, size_t i, const char *only)
{
    while (i < t->count && (seen_of(t, i)->ran || (only && !strstr(t->name(i), only)))) i++;
    return i;
}

static void child(const table *t, const char *only)
{
    copy_rig r;
    copy_rig_open(&r);
    for (size_t i = next_case(t, 0, only); i < t->count; i = next_case(t, i, only)) {
        alarm(20);
        t->run(&r, i, seen_of(t, i));
        seen_of(t, i)->ran = true;
        if (seen_of(t, i)->error) break;
    }
    _exit(0);
}

static bool run_table(table *t, const char *only)
{
    t->seen =
        mmap(NULL, t->count * t->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (t->seen == MAP_FAILED) return false;
    for (size_t i = next_case(t, 0, only); i < t->count; i = next_case(t, i, only)) {
        int status;
        fflush(stdout);
        pid_t pid = fork();
        if (!pid) child(t, only);
        if (pid < 0 || waitpid(pid, &status, 0) != pid) return false;
        size_t at = next_case(t, i, only);
        if ((!WIFEXITED(status) || WEXITSTATUS(status)) && at < t->count) {
            seen_of(t, at)->ran = true;
            seen_of(t, at)->error = -1;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    tally sum = {0, 0, 0};
    table tables[] = {
        {copy_cases_count, sizeof(copy_seen), copy_name, copy_do, copy_report, NULL},
        {state_cases_count, sizeof(state_seen), state_name, state_do, state_report, NULL},
        {launch_cases_count, sizeof(state_seen), launch_name, launch_do, launch_report, NULL}};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--ptx")) return copy_texts(argv[i + 1]) || state_texts(argv[i + 1]);
        if (!strcmp(argv[i], "--only")) only = argv[i + 1];
    }
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        if (!run_table(&tables[t], only)) return 2;
        for (size_t i = 0; i < tables[t].count; i++)
            if (seen_of(&tables[t], i)->ran) tables[t].report(i, seen_of(&tables[t], i), &sum);
    }
    printf("%u passed, %u failed, %u looked at\n", sum.passed, sum.failed, sum.looked);
    return sum.failed != 0;
}
