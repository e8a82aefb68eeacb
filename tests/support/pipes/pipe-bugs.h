/* SPDX-License-Identifier: Apache-2.0 */
/* The classes of bugs that tools look for while a kernel runs, by name, each with edits of a named
 * pipe that have one, and the rules of which a verifier names one.  Trip counts: where a run shows
 * it. */
#ifndef TEST_PIPE_BUGS_H
#define TEST_PIPE_BUGS_H

#include "pipes/named.h"

#include <zlay/pipe.h>

typedef struct pipe_bug {
    const char *class, *pipe;
    unsigned stages;
    const char *what, *by; /* the first such text is replaced */
    int32_t rules[2];
    int64_t trips[2];
} pipe_bug;

/* Trips are in the order of the params. */
static const pipe_bug pipe_bugs[] = {
    {"missing fence", "cooperative", 2, "  fence proxy.async\n", "", {ZLAY_PIPE_PROXY}, {2}},
    {"missing fence", "cooperative", 2, "  fence wgmma\n", "", {ZLAY_PIPE_FENCE}, {2}},
    {"missing fence", "attention", 1, "    fence wgmma\n    mma S", "    mma S", {ZLAY_PIPE_FENCE}, {2}},
    {"missing fence", "split", 2, "    fence proxy.async\n", "", {ZLAY_PIPE_PROXY}, {2}},
    {"missing fence", "blackwell", 2, "    fence tcgen05.before\n", "", {ZLAY_PIPE_TCGEN05}, {3, 1}},
    {"missing fence", "blackwell", 2, "    fence tcgen05.after\n    tld", "    tld", {ZLAY_PIPE_TCGEN05}, {1, 1}},
    {"missing fence", "grouped", 2, "    fence proxy.tensormap\n", "", {ZLAY_PIPE_MAP}, {1, 1}},
    {"missing fence", "ring", 2, "fence mbarrier_init\n", "", {ZLAY_PIPE_INIT}, {1}},
    {"wrong phase", "ring", 2, "parity (i / 2 + 1) % 2", "parity i / 2 % 2", {ZLAY_PIPE_DEADLOCK}, {1}},
    {"wrong phase", "ring", 2, "parity i / 2 % 2", "parity (i / 2 + 1) % 2", {ZLAY_PIPE_PARITY, ZLAY_PIPE_LOST_PHASE}, {1}},
    {"wrong phase", "pingpong", 2, "turn[t % 2] parity t / 2 % 2", "turn[t % 2] parity (t / 2 + 1) % 2", {ZLAY_PIPE_PARITY, ZLAY_PIPE_LOST_PHASE}, {2, 1}},
    {"wrong phase", "blackwell", 2, "parity t / 2 % 2", "parity (t / 2 + 1) % 2", {ZLAY_PIPE_PARITY, ZLAY_PIPE_LOST_PHASE}, {1, 1}},
    {"wrong phase", "ring", 2, "  for i in 0..N\n    wait full", "  for i in 0..N\n    wait full[i % 2] parity i / 2 % 2\n    wait full[(i+1) % 2] parity (i+1) / 2 % 2\n    wait full", {ZLAY_PIPE_DEADLOCK, ZLAY_PIPE_PARITY}, {1}},
    {"tx mismatch", "ring", 2, "expect full[i % 2] tA", "expect full[i % 2] 8192", {ZLAY_PIPE_BYTES}, {1}},
    {"tx mismatch", "cooperative", 2, "tA + tB\n", "tA\n", {ZLAY_PIPE_BYTES}, {1}},
    {"tx mismatch", "cooperative_multicast", 2, "tA + 2*half\n", "tA + half\n", {ZLAY_PIPE_BYTES, ZLAY_PIPE_STAGE}, {1}},
    {"tx mismatch", "cooperative_multicast", 2, " multicast 3", "", {ZLAY_PIPE_BYTES}, {1}},
    {"tx mismatch", "pair", 1, "2*tA + 2*tB", "tA + tB", {ZLAY_PIPE_BYTES, ZLAY_PIPE_READ_BEFORE_FULL}, {1, 1}},
    {"tx mismatch", "ring", 2, "    expect full[i % 2] tA\n    arrive full[i % 2]\n", "    arrive full[i % 2]\n    expect full[i % 2] tA\n", {ZLAY_PIPE_BYTES}, {1}},
    {"stage reuse", "ring", 2, "    wait empty[i % 2] parity (i / 2 + 1) % 2\n", "", {ZLAY_PIPE_OVERWRITE}, {3}},
    {"stage reuse", "cooperative", 2, "    waitgroup wgmma 1\n", "", {ZLAY_PIPE_OVERWRITE}, {3}},
    {"stage reuse", "ring", 2, "count 128", "count 1", {ZLAY_PIPE_COUNT}, {3}},
    {"stage reuse", "cooperative_multicast", 2, "count 16", "count 8", {ZLAY_PIPE_COUNT, ZLAY_PIPE_OVERRUN}, {2}},
    {"stage reuse", "persistent", 2, "    waitgroup bulk.read 1\n", "", {ZLAY_PIPE_OVERWRITE}, {3, 1}},
    {"stage reuse", "persistent", 2, "bulk.read 1\n    sync role", "bulk.read 1", {ZLAY_PIPE_OVERWRITE}, {3, 1}},
    {"stage reuse", "split", 2, "    waitgroup bulk.read 0\n", "", {ZLAY_PIPE_OVERWRITE}, {3}},
    {"stage reuse", "multistage", 2, "waitgroup cpasync 0\n    sync role", "waitgroup cpasync 0", {ZLAY_PIPE_READ_BEFORE_FULL}, {3}},
    {"deadlock among roles", "attention", 1, "  join named 1 256\n", "", {ZLAY_PIPE_DEADLOCK}, {1}},
    {"deadlock among roles", "turns", 2, "  join named 1 + instance 256\n", "", {ZLAY_PIPE_DEADLOCK}, {2}},
    {"deadlock among roles", "turns", 2, "named 1 + instance", "named 1", {ZLAY_PIPE_DEADLOCK}, {2}},
    {"two at a barrier of one", "turns", 2, "sync named 2 + instance", "sync named 2", {ZLAY_PIPE_COUNT, ZLAY_PIPE_OVERRUN}, {2}},
    {"deadlock among roles", "ring", 2, "    arrive empty[i % 2] threads\n", "", {ZLAY_PIPE_COUNT}, {3}},
    {"deadlock among roles", "pingpong", 2, "    arrive turn[(t+1) % 2] threads\n", "", {ZLAY_PIPE_DEADLOCK}, {2, 1}},
    {"deadlock among roles", "blackwell", 2, "    commit tcgen05 signal summed[t % 2]\n", "", {ZLAY_PIPE_DEADLOCK}, {1, 1}},
    {"deadlock among roles", "streamk", 2, "  raise done[0]\n", "", {ZLAY_PIPE_DEADLOCK}, {1}},
    {"deadlock among roles", "persistent", 2, "  setmaxnreg dec 40\n", "", {ZLAY_PIPE_DEADLOCK, ZLAY_PIPE_REGISTERS}, {1, 1}},
    {"TMEM leak", "blackwell", 2, "  dealloc C\n", "", {ZLAY_PIPE_TMEM_LEAK}, {1, 1}},
    {"TMEM leak", "pair", 1, "role owner warps 2..2\n", "role owner warps 2..2 cta 0\n", {ZLAY_PIPE_TMEM_LEAK, ZLAY_PIPE_PEER}, {1, 1}},
    {"double free", "blackwell", 2, "  dealloc C\n", "  dealloc C\n  dealloc C\n", {ZLAY_PIPE_TMEM_ALLOC}, {1, 1}},
    {"double free", "blackwell", 2, "  arrive over[0]", "  dealloc C\n  arrive over[0]", {ZLAY_PIPE_COLLECTIVE}, {1, 1}},
    {"wrong lane", "blackwell", 2, "role reader warps 4..7\n", "role reader warps 4..6\n", {ZLAY_PIPE_TMEM_LANES}, {1, 1}},
    {"wrong lane", "blackwell", 2, "    tld C[t % 2] -> R\n", "    tld C[t % 2] lanes 96..159 -> R\n", {ZLAY_PIPE_TMEM_LANES}, {1, 1}},
    {"wrong column", "blackwell", 2, "    tld C[t % 2] -> R\n", "    tld C[t % 2] columns 64..191 -> R\n", {ZLAY_PIPE_TMEM_COLUMNS}, {1, 1}},
    {"wrong column", "blackwell", 2, "tmem C[2] 128", "tmem C[2] 96", {ZLAY_PIPE_TMEM_COLUMNS}, {1, 1}},
    {"sum begun again unread", "blackwell", 2, "mma A[i % 2], B[i % 2] -> C[t % 2]\n",
     "mma A[i % 2], B[i % 2] -> C[t % 2] fresh\n", {ZLAY_PIPE_STAGE}, {1, 2}},
    {"use before wait", "ring", 2, "    wait full[i % 2] parity i / 2 % 2\n", "", {ZLAY_PIPE_READ_BEFORE_FULL}, {1}},
    {"use before wait", "cooperative", 2, "  waitgroup wgmma 0\n", "", {ZLAY_PIPE_FENCE}, {2}},
    {"use before wait", "blackwell", 2, "    twait ld\n", "", {ZLAY_PIPE_TMEM_USE}, {1, 1}},
    {"use before wait", "blackwell", 2, "    wait summed[t % 2] parity t / 2 % 2\n", "", {ZLAY_PIPE_TMEM_USE}, {1, 1}},
    {"use before wait", "streamk", 2, "  await done[0] 1\n", "", {ZLAY_PIPE_READ_BEFORE_FULL, ZLAY_PIPE_OVERWRITE}, {1}},
    {"use before wait", "grouped", 2, "    wait over[g % 2] parity (g / 2 + 1) % 2\n", "", {ZLAY_PIPE_MAP}, {3, 1}},
    {"exit too early", "cooperative", 2, "  waitgroup bulk 0\n", "", {ZLAY_PIPE_EXIT}, {1}},
    {"exit too early", "cooperative_multicast", 2, "  for j in N..N+2\n    wait empty[j % 2] parity (j / 2 + 1) % 2\n  end\n", "", {ZLAY_PIPE_PEER}, {1}},
    {"exit too early", "pingpong_multicast", 2, "  waitgroup bulk 0\n  sync cluster\n", "  waitgroup bulk 0\n", {ZLAY_PIPE_PEER}, {1, 1}},
    {"peer not ready", "cooperative_multicast", 2, "sync cluster\n", "sync cta\n", {ZLAY_PIPE_PEER}, {1}},
    {"peer not ready", "pair", 1, "sync cluster\nalloc C\n", "alloc C\nsync cluster\n", {ZLAY_PIPE_PEER}, {1, 1}},
    {"one lane for its warp", "ring", 2, "count 128", "count 4", {ZLAY_PIPE_COUNT}, {3}},
    {"use before wait", "lds_double", 2, "    waitcount memory 4\n", "", {ZLAY_PIPE_GROUP}, {2}},
    {"use before wait", "lds_double", 2, "    waitcount shared 0\n    mma", "    mma", {ZLAY_PIPE_GROUP}, {2}},
    {"use before wait", "lds_direct", 2, "    waitcount memory 0\n", "", {ZLAY_PIPE_READ_BEFORE_FULL}, {2}},
    {"wait of the other queue", "lds_double", 2, "    waitcount memory 0\n", "    waitcount shared 0\n", {ZLAY_PIPE_GROUP}, {2}},
    {"wait of the other queue", "lds_direct", 3, "    waitcount memory 1\n", "    waitcount shared 0\n", {ZLAY_PIPE_READ_BEFORE_FULL}, {3}},
    {"count off by one", "lds_double", 2, "    waitcount memory 4\n", "    waitcount memory 5\n", {ZLAY_PIPE_GROUP}, {2}},
    {"count off by one", "lds_direct", 3, "waitcount memory 1", "waitcount memory 2", {ZLAY_PIPE_READ_BEFORE_FULL}, {3}},
    {"count off by one", "lds_pipelined", 2, "    waitcount shared 2\n", "    waitcount shared 3\n", {ZLAY_PIPE_GROUP}, {3}},
    {"count off by one", "lds_pipelined", 2, "-> HB times 2\n", "-> HB\n", {ZLAY_PIPE_GROUP}, {3}},
    {"missing barrier", "lds_double", 2, "    sync cta\n", "", {ZLAY_PIPE_READ_BEFORE_FULL}, {2}},
    {"missing barrier", "lds_direct", 2, "    sync cta\n", "", {ZLAY_PIPE_READ_BEFORE_FULL}, {2}},
    {"missing barrier", "lds_pipelined", 2, "    sync cta\n", "", {ZLAY_PIPE_READ_BEFORE_FULL, ZLAY_PIPE_OVERWRITE}, {3}},
    {"wait behind the barrier", "lds_double", 2, "    waitcount shared 0\n    sync cta\n", "    sync cta\n    waitcount shared 0\n", {ZLAY_PIPE_READ_BEFORE_FULL}, {2}},
    {"wait behind the barrier", "lds_direct", 2, "    waitcount memory 0\n    sync cta\n", "    sync cta\n    waitcount memory 0\n", {ZLAY_PIPE_READ_BEFORE_FULL}, {2}},
    {"stage reuse", "lds_direct", 3, "    waitcount memory 1\n    sync cta\n    load tA + tB -> S[(i+2) % 3]\n", "    load tA + tB -> S[(i+2) % 3]\n    waitcount memory 2\n    sync cta\n", {ZLAY_PIPE_OVERWRITE}, {4}},
    {"stage reuse", "lds_double", 2, "put GA -> A[i % 2]", "put GA -> A[(i-1) % 2]", {ZLAY_PIPE_OVERWRITE}, {2}},
    {"wrong order of issue", "lds_double", 2, "    load tA -> GA times 4\n    load tB -> GB times 4\n", "    load tB -> GB times 4\n    load tA -> GA times 4\n", {ZLAY_PIPE_GROUP}, {2}},
    {"wrong order of issue", "lds_pipelined", 2, "    fetch B[i % 2] -> HB times 2\n    waitcount shared 4\n", "    waitcount shared 4\n    fetch B[i % 2] -> HB times 2\n", {ZLAY_PIPE_GROUP}, {3}},
    {"registers in flight", "lds_double", 2, "    put GB -> B[i % 2] times 4\n", "    load tB -> GB times 4\n    put GB -> B[i % 2] times 4\n", {ZLAY_PIPE_STAGE}, {2}},
    {"nobody took it", "lds_double", 2, "  send C -> D[0] times 16\n", "", {ZLAY_PIPE_EXIT, ZLAY_PIPE_STAGE}, {1}},
    {"registers", "persistent", 2, "setmaxnreg inc 232", "setmaxnreg inc 228", {ZLAY_PIPE_REGISTERS}, {1, 1}},
    {"registers", "persistent", 2, "setmaxnreg inc 232", "setmaxnreg inc 240", {ZLAY_PIPE_REGISTERS}, {1, 1}},
    {"registers", "persistent", 2, "registers 168", "registers 152", {ZLAY_PIPE_REGISTERS}, {1, 1}},
    {"registers set again without a meeting", "persistent", 2, "  setmaxnreg inc 232\n", "  setmaxnreg inc 200\n  setmaxnreg inc 232\n", {ZLAY_PIPE_REGISTERS}, {1, 1}},
    {"the block's barrier by its number", "attention", 1, "  join named 1 256\n", "  sync cta\n  join named 0 256\n", {ZLAY_PIPE_DEADLOCK, ZLAY_PIPE_COUNT}, {1}},
    {"count off by one", "ring", 2, "    arrive empty[i % 2] threads\n  end\n", "    arrive empty[i % 2] threads\n  end\n  arrive empty[0]\n", {ZLAY_PIPE_COUNT, ZLAY_PIPE_OVERRUN}, {2}},
};
enum { PIPE_BUGS = sizeof pipe_bugs / sizeof *pipe_bugs };

/* The canonical text of a named pipe. */
static inline void pipe_bug_right(zlay_ctx *ctx, char text[NAMED_TEXT], const char *name,
                                  unsigned stages)
{
    static char read[NAMED_TEXT];
    zlay_buf buf = {text, NAMED_TEXT, 0};
    zlay_pipe *pipe;
    size_t length = named_read(read, name, stages);
    if (zlay_pipe_parse(ctx, &pipe, read, length)) fail_msg("%s: %s", name, zlay_ctx_message(ctx));
    assert_int_equal(zlay_pipe_print(&buf, pipe), ZLAY_OK);
    zlay_pipe_free(pipe);
}

/* The pipe that has a bug. */
static inline zlay_pipe *pipe_bug_make(zlay_ctx *ctx, const pipe_bug *bug)
{
    static char right[NAMED_TEXT], text[NAMED_TEXT];
    zlay_pipe *pipe;
    pipe_bug_right(ctx, right, bug->pipe, bug->stages);
    const char *at = strstr(right, bug->what);
    if (!at) fail_msg("%s has no %s", bug->pipe, bug->what);
    size_t length = (size_t)snprintf(text, NAMED_TEXT, "%.*s%s%s", (int)(at - right), right, bug->by,
                                     at + strlen(bug->what));
    if (zlay_pipe_parse(ctx, &pipe, text, length))
        fail_msg("%s without %s: %s", bug->pipe, bug->what, zlay_ctx_message(ctx));
    return pipe;
}

#endif
