/* SPDX-License-Identifier: Apache-2.0 */
/* The pipes that the tests of src/pipe prove, disturb and run, as texts with any number of stages. */
#ifndef TEST_PIPES_H
#define TEST_PIPES_H

#include "test.h"

#include <stdarg.h>
#include <string.h>

enum { PIPE_TEXT = 1 << 13 };

typedef struct pipe_text {
    char text[PIPE_TEXT];
    size_t length;
} pipe_text;

/* `$` in a line stands for the number of stages, `;` ends a line. */
static inline void pipe_add(pipe_text *p, const char *lines, unsigned stages)
{
    for (; *lines; lines++) {
        assert_true(p->length + 8 < PIPE_TEXT);
        if (*lines == '$') p->length += (size_t)snprintf(p->text + p->length, 8, "%u", stages);
        else p->text[p->length++] = *lines == ';' ? '\n' : *lines;
    }
    p->text[p->length] = 0;
}

#define PIPE_HEAD(full)                                                                              \
    "pipe gemm;param T 0..;param N 1..;smem A[$] 16;smem B[$] 32;smem D[1] 8 each;"                    \
    "bar full[$] count " full ";bar empty[$] count 8;init full;init empty;fence mbarrier_init;sync cta;"

#define PIPE_TENSOR_PRODUCER                                                                         \
    "role producer warps 0..3 elect;for t in 0..T;for i in t*N..t*N+N;"                                \
    "wait empty[i % $] parity (i / $ + 1) % 2;expect full[i % $] 48;arrive full[i % $];"               \
    "copy tensor 16 -> A[i % $] signal full[i % $];copy tensor 32 -> B[i % $] signal full[i % $];"     \
    "end;end;end;"

#define PIPE_MULTIPLY                                                                                \
    "role consumer warps 4..11 each 4;for t in 0..T;"                                                  \
    "wait full[t*N % $] parity t*N / $ % 2;fence wgmma;mma A[t*N % $], B[t*N % $] -> C fresh;"         \
    "commit wgmma;for i in t*N+1..t*N+N;wait full[i % $] parity i / $ % 2;fence wgmma;"                \
    "mma A[i % $], B[i % $] -> C;commit wgmma;waitgroup wgmma 1;arrive empty[(i-1) % $] warps;end;"    \
    "waitgroup wgmma 0;arrive empty[(t*N+N-1) % $] warps;"

/* One product in flight at a time: a stage is free at once, so a ring of one stage runs. */
#define PIPE_MULTIPLY_PROMPT                                                                         \
    "role consumer warps 4..11 each 4;for t in 0..T;"                                                  \
    "wait full[t*N % $] parity t*N / $ % 2;fence wgmma;mma A[t*N % $], B[t*N % $] -> C fresh;"         \
    "commit wgmma;waitgroup wgmma 0;arrive empty[t*N % $] warps;for i in t*N+1..t*N+N;"                \
    "wait full[i % $] parity i / $ % 2;fence wgmma;mma A[i % $], B[i % $] -> C;commit wgmma;"          \
    "waitgroup wgmma 0;arrive empty[i % $] warps;end;"

#define PIPE_STORE(part)                                                                             \
    "waitgroup bulk.read 0;sync role;write D[0] from C part " part ";fence proxy.async;sync role;"     \
    "store D[0] 8 part " part ";commit bulk;"
#define PIPE_STORE_END "end;waitgroup bulk 0;end;"
#define PIPE_GUARDED "sync role;write D[0] from C;sync role;read D[0];end;end;"

#define PIPE_PUBLISH(wait, at) wait "fence proxy.async;arrive full[" at " % $] threads;"
#define PIPE_THREADS(stage_first, stage, wait_1, wait_0)                                             \
    "role producer warps 0..3;for t in 0..T;wait empty[t*N % $] parity (t*N / $ + 1) % 2;" stage_first \
    "for i in t*N+1..t*N+N;wait empty[i % $] parity (i / $ + 1) % 2;" stage                            \
    PIPE_PUBLISH(wait_1, "(i-1)") "end;" PIPE_PUBLISH(wait_0, "(t*N+N-1)") "end;end;"

#define PIPE_CPASYNC(at) "cpasync 16 -> A[" at " % $];cpasync 32 -> B[" at " % $];commit cpasync;"
#define PIPE_MIXED(at)                                                                               \
    "expect full[" at " % $] 16;copy tensor 16 -> A[" at " % $] signal full[" at " % $];"              \
    "cpasync 32 -> B[" at " % $];commit cpasync;"
#define PIPE_WRITE(at) "write A[" at " % $] 16;write B[" at " % $] 32;"

static const struct {
    const char *name, *text;
} pipes[] = {
    {"tensor", PIPE_HEAD("1") PIPE_TENSOR_PRODUCER PIPE_MULTIPLY PIPE_STORE("0") PIPE_STORE("1") PIPE_STORE_END},
    {"prompt", PIPE_HEAD("1") PIPE_TENSOR_PRODUCER PIPE_MULTIPLY_PROMPT PIPE_STORE("0") PIPE_STORE_END},
    {"cpasync", PIPE_HEAD("128") PIPE_THREADS(PIPE_CPASYNC("t*N"), PIPE_CPASYNC("i"), "waitgroup cpasync 1;",
                                              "waitgroup cpasync 0;") PIPE_MULTIPLY PIPE_STORE("0") PIPE_STORE_END},
    {"mixed", PIPE_HEAD("128") PIPE_THREADS(PIPE_MIXED("t*N"), PIPE_MIXED("i"), "waitgroup cpasync 1;",
                                            "waitgroup cpasync 0;") PIPE_MULTIPLY PIPE_STORE("0") PIPE_STORE_END},
    {"write", PIPE_HEAD("128") PIPE_THREADS(PIPE_WRITE("t*N"), PIPE_WRITE("i"), "", "") PIPE_MULTIPLY PIPE_GUARDED},
    {"guarded", PIPE_HEAD("1") PIPE_TENSOR_PRODUCER PIPE_MULTIPLY PIPE_GUARDED},
    {"single",
     "pipe single;param N 0..;smem A[$] 16;bar full[$] count 1;bar empty[$] count 1;init full;init empty;"
     "fence mbarrier_init;sync cta;role producer warps 0..0 elect;for i in 0..N;"
     "wait empty[i % $] parity (i / $ + 1) % 2;expect full[i % $] 16;arrive full[i % $];"
     "copy tensor 16 -> A[i % $] signal full[i % $];end;end;"
     "role consumer warps 1..1;for i in 0..N;wait full[i % $] parity i / $ % 2;read A[i % $];sync role;"
     "arrive empty[i % $];end;end;"},
};
enum { PIPES = sizeof pipes / sizeof pipes[0] };

static inline void pipe_make(pipe_text *p, size_t i, unsigned stages)
{
    p->length = 0;
    pipe_add(p, pipes[i].text, stages);
}

#endif
