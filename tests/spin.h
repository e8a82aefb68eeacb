/* SPDX-License-Identifier: Apache-2.0 */
/* SPIN, the model checker, asked about a pipe: promela.h prints the model, `spin -a` writes a
 * checker in C, which is compiled and run in a directory of its own, within bounds of memory and
 * depth. */
#ifndef TEST_SPIN_H
#define TEST_SPIN_H

#include "promela.h"

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

static inline const char *spin_compiler(void)
{
    const char *cc = getenv("CC");
    return cc && *cc ? cc : "cc";
}

static inline bool spin_found(void)
{
    char command[256];
    snprintf(command, sizeof command, "command -v spin >/dev/null && command -v %s >/dev/null",
             spin_compiler());
    return system(command) == 0;
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

static inline void spin_run(const char *directory, int seconds, char *out, size_t room)
{
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && spin -a m.pml >spin.out 2>&1 && %s -O0 -w -DSAFETY -DNFAIR -DCOLLAPSE "
             "-DMEMLIM=1024 -DVECTORSZ=8192 -o pan pan.c >cc.out 2>&1 && "
             "{ timeout %d ./pan -m20000 -w18 || echo 'pan: time limit'; } 2>&1; "
             "grep -hi error spin.out cc.out 2>/dev/null | head -5",
             directory, spin_compiler(), seconds);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    out[fread(out, 1, room - 1, pipe)] = 0;
    pclose(pipe);
}

/* All interleavings of a pipe for these trip counts, with threads split so. */
static inline spin_verdict spin_ask(const zlay_pipe *pipe, const int64_t *params, int split,
                                    int seconds)
{
    static pml m;
    static char out[1 << 16];
    char directory[] = "/tmp/zlay-spin-XXXXXX", path[64];
    if (!pml_open(&m, pipe, params, split)) {
        pml_close(&m);
        return (spin_verdict){.sort = SPIN_LARGE};
    }
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/m.pml", directory);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    pml_write(to, &m);
    fclose(to);
    pml_close(&m);
    spin_run(directory, seconds, out, sizeof out);
    snprintf(path, sizeof path, "rm -r %s", directory);
    assert_int_equal(system(path), 0);
    return spin_read(out);
}

#endif
