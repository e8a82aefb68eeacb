/* SPDX-License-Identifier: Apache-2.0 */
/* Copies on a Hopper GPU: what each row of copies.def does there, against what zlay says of it and against the CPU model.
 * A fault ends a context, so every case that may fault runs in a process of its own; those that end well share one.
 *
 *   device-copies [--only TEXT] [--ptx DIR]     --ptx writes the kernels and runs nothing */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "copies.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct tally {
    unsigned passed, failed, looked;
} tally;

static const char *outcome_text(char *text, size_t room, const copy_seen *seen)
{
    if (seen->error) snprintf(text, room, "error %d", seen->error);
    else
        snprintf(text, room, "%s %s, %u bytes of shared memory and %u of global differ",
                 seen->done[0] ? "ends" : "never ends", seen->done[1] ? "" : "in block 1",
                 seen->shared_wrong, seen->global_wrong);
    return text;
}

static bool as_expected(const copy_case *c, const copy_seen *seen)
{
    bool clean = !seen->error && !seen->shared_wrong && !seen->global_wrong;
    bool ended = seen->done[0] && seen->done[1];
    switch (c->outcome) {
    case RUNS:
    case MODELLED: return clean && ended;
    case RUNS_WRONG:
        return !seen->error && ended && (seen->global_wrong || seen->shared_wrong);
    case EARLY: return !seen->error && ended;
    case NEVER: return !seen->error && !ended;
    case ANY_FAULT: return seen->error != 0;
    default: return seen->error == c->outcome;
    }
}

/* Yes exactly where the hardware does what the fields say. */
static bool verdict_agrees(const copy_case *c, const copy_seen *seen)
{
    return seen->answer == (c->outcome == RUNS ? ZLAY_YES : ZLAY_NO);
}

static void report(const copy_case *c, const copy_seen *seen, tally *t)
{
    char text[160];
    bool good = as_expected(c, seen), agrees = verdict_agrees(c, seen);
    if (c->outcome == LOOK) {
        t->looked++;
        printf("look  %-30s %s; zlay %s %s\n", c->name, outcome_text(text, sizeof text, seen),
               seen->answer == ZLAY_YES ? "yes" : "no", seen->rule);
        return;
    }
    t->passed += good && agrees;
    t->failed += !(good && agrees);
    printf("%s %-30s %s; zlay %s %s\n", good && agrees ? "ok   " : "WRONG", c->name,
           outcome_text(text, sizeof text, seen), seen->answer == ZLAY_YES ? "yes" : "no",
           seen->rule);
}

/* Run cases from `first` until one spoils the context; the children's answers lie in shared pages. */
static void child(copy_seen *seen, size_t first, const char *only)
{
    copy_rig r;
    copy_rig_open(&r);
    for (size_t i = first; i < copy_cases_count; i++) {
        if (only && !strstr(copy_cases[i].name, only)) continue;
        alarm(20);
        copy_run(&r, &copy_cases[i], &seen[i]);
        seen[i].ran = true;
        if (seen[i].error) _exit(0);
    }
    _exit(0);
}

static size_t next_case(const copy_seen *seen, size_t i, const char *only)
{
    while (i < copy_cases_count &&
           (seen[i].ran || (only && !strstr(copy_cases[i].name, only))))
        i++;
    return i;
}

static void run_all(copy_seen *seen, const char *only)
{
    for (size_t i = next_case(seen, 0, only); i < copy_cases_count; i = next_case(seen, i, only)) {
        int status;
        fflush(stdout);
        pid_t pid = fork();
        if (!pid) child(seen, i, only);
        if (pid < 0 || waitpid(pid, &status, 0) != pid) return;
        size_t at = next_case(seen, i, only);
        if ((!WIFEXITED(status) || WEXITSTATUS(status)) && at < copy_cases_count) {
            seen[at].ran = true;
            seen[at].error = -1;
        }
    }
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    tally t = {0, 0, 0};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--ptx")) return copy_texts(argv[i + 1]);
        if (!strcmp(argv[i], "--only")) only = argv[i + 1];
    }
    copy_seen *seen = mmap(NULL, copy_cases_count * sizeof *seen, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED) return 2;
    run_all(seen, only);
    for (size_t i = 0; i < copy_cases_count; i++) {
        if (seen[i].ran) report(&copy_cases[i], &seen[i], &t);
        else if (!only) t.failed++;
    }
    printf("%u passed, %u failed, %u looked at\n", t.passed, t.failed, t.looked);
    return t.failed != 0;
}
