/* SPDX-License-Identifier: Apache-2.0 */
/* SPIN, the model checker, asked about a pipe: promela.h prints the model, `spin -a` writes a
 * checker in C, which is compiled and run in a directory of its own, within bounds of memory, depth
 * and time. */
#ifndef TEST_SPIN_H
#define TEST_SPIN_H

#include "pipes/promela.h"

#include <stdlib.h>
#include <unistd.h>
#include <zlay/pipe.h>

enum { SPIN_SAFE, SPIN_FAULT, SPIN_LARGE };

typedef struct spin_verdict {
    int sort;     /* one of the above; SPIN_LARGE: the bounds were reached, or a table's */
    int rule;     /* of a fault: ZLAY_PIPE_*, and the line where it breaks, 0 of a deadlock */
    int line;
    long states;
} spin_verdict;

/* A checker in C, made in two ways: at once, for few states, and well, for many. */
typedef struct spin_build {
    const char *compiler, *flags;
    int seconds; /* of the machine's time */
} spin_build;

static inline const char *spin_compiler(void)
{
    const char *cc = getenv("CC");
    return cc && *cc ? cc : "cc";
}

static inline bool spin_has(const char *program)
{
    char command[256];
    snprintf(command, sizeof command, "command -v %s >/dev/null", program);
    return system(command) == 0;
}

static inline bool spin_found(void) { return spin_has("spin") && spin_has(spin_compiler()); }

/* tcc takes milliseconds where others take a second. */
static inline spin_build spin_at_once(void)
{
    static int found = -1;
    if (found < 0) found = spin_has("tcc");
    return (spin_build){found ? "tcc" : spin_compiler(), "-O0", 10};
}

static inline spin_build spin_well(int seconds)
{
    return (spin_build){spin_compiler(), "-O2 -DCOLLAPSE", seconds};
}

static inline int spin_number_behind(const char *text, const char *what)
{
    const char *at = strstr(text, what);
    return at ? atoi(at + strlen(what)) : 0;
}

/* Reads what the checker printed: an assertion's text ends with `zero==NUMBER`. */
static inline spin_verdict spin_read(const char *out)
{
    spin_verdict v = {.sort = SPIN_LARGE};
    const char *states = strstr(out, " states, stored");
    for (; states && states > out && states[-1] != '\n'; states--) continue;
    if (states) v.states = atol(states);
    bool bounded = strstr(out, "out of memory") || strstr(out, "too small") ||
                   strstr(out, "memory limit") || strstr(out, "time limit");
    if (strstr(out, "assertion violated")) {
        int code = spin_number_behind(strstr(out, "assertion violated"), "zero==");
        v = (spin_verdict){SPIN_FAULT, code / PML_CODE, code % PML_CODE, v.states};
    } else if (strstr(out, ": invalid end state")) {
        v = (spin_verdict){SPIN_FAULT, ZLAY_PIPE_DEADLOCK, 0, v.states};
    } else if (strstr(out, "errors: 0") && !bounded) {
        v.sort = SPIN_SAFE;
    } else if (!bounded) {
        fail_msg("spin: %.2000s", out);
    }
    return v;
}

/* Runs the model in a directory, which is gone behind it; what it wrote. */
static inline spin_verdict spin_run(const char *directory, const spin_build *b)
{
    static char out[1 << 16];
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && spin -Pcat -a m.pml >spin.out 2>&1 && "
             "%s %s -w -DSAFETY -DNOREDUCE -DMEMLIM=1024 -DVECTORSZ=8192 -o pan pan.c >cc.out 2>&1 && "
             "{ (ulimit -t %d; ./pan -m20000 -w18) || echo 'pan: time limit'; } 2>&1 || "
             "cat spin.out cc.out 2>&1",
             directory, b->compiler, b->flags, b->seconds);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    out[fread(out, 1, sizeof out - 1, pipe)] = 0;
    pclose(pipe);
    return spin_read(out);
}

static inline void spin_remove(const char *directory)
{
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

/* A directory of its own, in memory where the machine has such. */
static inline void spin_directory(char name[64])
{
    strcpy(name, "/dev/shm/zlay-spin-XXXXXX");
    if (mkdtemp(name)) return;
    strcpy(name, "/tmp/zlay-spin-XXXXXX");
    assert_non_null(mkdtemp(name));
}

/* The model of a pipe for these trip counts, with threads split so, to be freed; NULL where it is
 * larger than the tables of promela-program.h. */
static inline char *spin_model(const zlay_pipe *pipe, const int64_t *params, int split,
                               int how)
{
    static pml m;
    char *text = NULL;
    size_t size;
    if (pml_open(&m, pipe, params, split)) {
        FILE *to = open_memstream(&text, &size);
        assert_non_null(to);
        pml_write(to, &m, how);
        fclose(to);
    }
    pml_close(&m);
    return text;
}

/* All interleavings of a model: at first within a few seconds, then within so many. */
static inline spin_verdict spin_explore(const char *model, int seconds)
{
    spin_build builds[2] = {spin_at_once(), spin_well(seconds)};
    char directory[64], path[96];
    spin_directory(directory);
    snprintf(path, sizeof path, "%s/m.pml", directory);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fputs(model, to);
    fclose(to);
    spin_verdict v = spin_run(directory, &builds[0]);
    if (v.sort == SPIN_LARGE && seconds > builds[0].seconds) v = spin_run(directory, &builds[1]);
    spin_remove(directory);
    return v;
}

static inline spin_verdict spin_ask_how(const zlay_pipe *pipe, const int64_t *params, int split,
                                        int how, int seconds)
{
    char *model = spin_model(pipe, params, split, how);
    spin_verdict v = {.sort = SPIN_LARGE};
    if (model) v = spin_explore(model, seconds);
    free(model);
    return v;
}

static inline spin_verdict spin_ask(const zlay_pipe *pipe, const int64_t *params, int split,
                                    int seconds)
{
    return spin_ask_how(pipe, params, split, PML_ALL, seconds);
}

#endif
