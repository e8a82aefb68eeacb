/* SPDX-License-Identifier: Apache-2.0 */
/* examples/ring.pipe and a ring of a cluster, and what their threads do in CUDA C by the functions that zlay prints of the barriers. */
#ifndef TEST_FUNCTIONS_RING_H
#define TEST_FUNCTIONS_RING_H

#include "ctx.h"

#include <stdbool.h>
#include <zlay/emit_function.h>
#include <zlay/pipe.h>

enum { RING_TEXT = 1 << 16, RING_STAGE = 16384, RING_THREADS = 256, RING_BLOCKS_MOST = 2 };

static inline zlay_pipe *read_pipe(zlay_ctx *ctx, const char *text)
{
    zlay_pipe *pipe = NULL;
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) fail_msg("%s", zlay_ctx_message(ctx));
    return pipe;
}

static inline void text_replace(char *text, const char *what, const char *by)
{
    for (char *at; (at = strstr(text, what)); memcpy(at, by, strlen(by))) memmove(at + strlen(by), at + strlen(what), strlen(at + strlen(what)) + 1);
}

/* examples/ring.pipe with S stages; and two blocks, each of which brings half of every stage to both. */
static const char ring_pipe[] =
    "pipe ring\nparam N 0..\nsmem A[S] 16384\nbar full[S] count 1\nbar empty[S] count 128\ninit full\ninit empty\nfence mbarrier_init\nsync cta\n"
    "role producer warps 0..3 elect\n  for i in 0..N\n    wait empty[i % S] parity (i / S + 1) % 2\n    expect full[i % S] 16384\n"
    "    arrive full[i % S]\n    copy tensor 16384 -> A[i % S] signal full[i % S]\n  end\nend\nrole consumer warps 4..7\n  for i in 0..N\n"
    "    wait full[i % S] parity i / S % 2\n    read A[i % S]\n    arrive empty[i % S] threads\n  end\nend\n";
static const char cluster_pipe[] =
    "pipe shared\ncluster 2\nparam N 0..\nsmem A[S] 16384\nbar full[S] count 1\nbar empty[S] count 256\ninit full\ninit empty\nfence mbarrier_init\nsync cluster\n"
    "role producer0 warps 0..3 elect cta 0\n  for i in 0..N\n    wait empty[i % S] parity (i / S + 1) % 2\n    expect full[i % S] 16384\n    arrive full[i % S]\n"
    "    copy bulk 8192 -> A[i % S] signal full[i % S] multicast 3\n  end\n  for j in N..N+S\n    wait empty[j % S] parity (j / S + 1) % 2\n  end\nend\n"
    "role producer1 warps 0..3 elect cta 1\n  for i in 0..N\n    wait empty[i % S] parity (i / S + 1) % 2\n    expect full[i % S] 16384\n    arrive full[i % S]\n"
    "    copy bulk 8192 -> A[i % S] part 1 signal full[i % S] multicast 3\n  end\n  for j in N..N+S\n    wait empty[j % S] parity (j / S + 1) % 2\n  end\nend\n"
    "role consumer warps 4..7\n  for i in 0..N\n    wait full[i % S] parity i / S % 2\n    read A[i % S]\n    arrive empty[i % S] threads cta all\n  end\nend\n";

/* The pipe of 1 or 2 blocks with so many stages. */
static inline const char *ring_of(int stages, int blocks)
{
    static char text[4096];
    const char digit = (char)('0' + stages);
    snprintf(text, sizeof text, "%s", blocks > 1 ? cluster_pipe : ring_pipe);
    text_replace(text, "% S", (char[]){'%', ' ', digit, 0});
    text_replace(text, "/ S", (char[]){'/', ' ', digit, 0});
    text_replace(text, "[S]", (char[]){'[', digit, ']', 0});
    text_replace(text, "+S", (char[]){'+', digit, 0});
    return text;
}

static inline size_t ring_function(zlay_ctx *ctx, char *to, int stages, int blocks, int32_t language, const char *name)
{
    zlay_pipe *pipe = read_pipe(ctx, ring_of(stages, blocks));
    zlay_buf buf = {to, RING_TEXT, 0};
    if (zlay_emit_ring(ctx, &buf, target_of("sm_90a"), pipe, language, name, strlen(name))) fail_msg("%s", zlay_ctx_message(ctx));
    zlay_pipe_free(pipe);
    return buf.need;
}

/* NAME is the name of the ring's functions, behind whose STAGES the barriers lie. */
static const char ring_run_text[] =
    "static __device__ __forceinline__ void NAME_run(unsigned base, unsigned long long from, unsigned long long to, unsigned n)\n{\n"
    "    const unsigned bars = base + STAGESu * 16384u, tid = threadIdx.x;\n    unsigned rank, w0, w1, w2, w3;\n    asm volatile(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));\n"
    "    if (tid >> 5 < 4u) {\n        if (tid) return;\n#pragma unroll 1\n"
    "        for (unsigned i = 0; i < n; i++) {\n            NAME_empty_wait_before(bars, i);\n            NAME_full_arrive_expect(bars, i, 16384u);\n"
    "            asm volatile(\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytesMULTI [%0], [%1], PART, [%2]MASK;\"\n"
    "                         :: \"r\"(base + i % STAGESu * 16384u + rank % BLOCKSu * PARTu), \"l\"(from + i * 16384ull + rank % BLOCKSu * PARTu), \"r\"(NAME_full(bars, i)), \"h\"((short)3) : \"memory\");\n        }\n"
    "#pragma unroll 1\n        for (unsigned j = n; BLOCKS > 1 && j < n + STAGESu; j++) NAME_empty_wait_before(bars, j);\n    } else {\n#pragma unroll 1\n"
    "        for (unsigned i = 0; i < n; i++) {\n            NAME_full_wait(bars, i);\n#pragma unroll 1\n            for (unsigned b = 0; b < 128; b += 16) {\n"
    "                const unsigned at = (tid - 128u) * 128u + b;\n                asm volatile(\"ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];\" : \"=r\"(w0), \"=r\"(w1), \"=r\"(w2), \"=r\"(w3) : \"r\"(base + i % STAGESu * 16384u + at) : \"memory\");\n"
    "                asm volatile(\"st.global.v4.b32 [%0], {%1, %2, %3, %4};\" :: \"l\"(to + i * 16384ull + at), \"r\"(w0), \"r\"(w1), \"r\"(w2), \"r\"(w3) : \"memory\");\n            }\n"
    "            ARRIVE;\n        }\n    }\n}\n";

/* `NAME_run`: thread 0 copies n stages from `from`, or of two blocks each its half for both, threads 128 to 255 store them at `to`; behind NAME_init
 * and a meeting of all threads. */
static inline size_t ring_run(char *to, int stages, int blocks, const char *name)
{
    const bool two = blocks > 1;
    sprintf(to, "%s", ring_run_text);
    text_replace(to, "ARRIVE", two ? "for (unsigned o = 0; o < 2u; o++) NAME_empty_arrive_at(bars, i, o)" : "NAME_empty_arrive(bars, i)");
    text_replace(to, "MULTI", two ? ".multicast::cluster" : "");
    text_replace(to, "MASK", two ? ", %3" : "");
    text_replace(to, "PART", two ? "8192" : "16384");
    text_replace(to, "BLOCKS", two ? "2" : "1");
    text_replace(to, "STAGES", (char[]){(char)('0' + stages), 0});
    text_replace(to, "NAME", name);
    return strlen(to);
}

/* All threads of a block meet, or of a cluster. */
#define RING_MEET "asm volatile(\"barrier.cluster.arrive.release;\" ::: \"memory\"); asm volatile(\"barrier.cluster.wait.acquire;\" ::: \"memory\");"

/* A kernel of RING_THREADS threads does the same in PTX, where $smem is shared memory: n stages for each block or cluster, and n for each block. */
static const char ring_ptx_text[] =
    ".visible .entry k_NAME(\n.param .u64 from,\n.param .u64 to,\n.param .u32 n\n)\nDIMENSIONS{\n    .reg .b32 base, bars, tid, rank, i, last, slot, at, b, w<4>;\n    .reg .b64 f, t, far;\n    .reg .b16 mask;\n"
    "    .reg .pred p;\n    mov.u32 base, $smem;\n    add.u32 bars, base, RING;\n    mov.u32 tid, %tid.x;\n    mov.u32 rank, %cluster_ctarank;\n    mov.b16 mask, 3;\n"
    "    ld.param.u64 f, [from];\n    ld.param.u64 t, [to];\n    ld.param.u32 last, [n];\n    mul.lo.u32 at, last, 16384;\n    mov.u32 b, %ctaid.x;\n    mad.wide.u32 t, b, at, t;\n    div.u32 b, b, BLOCKS;\n    mad.wide.u32 f, b, at, f;\n    setp.ne.u32 p, tid, 0;\n    @p bra inited;\n"
    "    call NAME_init, (bars);\ninited:\n    MEET\n    mov.u32 i, 0;\n    setp.ge.u32 p, tid, 128;\n    @p bra consume;\n    setp.ne.u32 p, tid, 0;\n    @p bra over;\n"
    "produce:\n    setp.ge.u32 p, i, last;\n    @p bra produced;\n    call NAME_empty_wait_before, (bars, i);\n    call NAME_full_arrive_expect, (bars, i, 16384);\n    call (at), NAME_full, (bars, i);\n"
    "    rem.u32 slot, i, STAGES;\n    mad.lo.u32 slot, slot, 16384, base;\n    mad.lo.u32 slot, rank, PART, slot;\n    mad.wide.u32 far, i, 16384, f;\n    mad.wide.u32 far, rank, PART, far;\n"
    "    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytesMULTI [slot], [far], PART, [at]MASK;\n    add.u32 i, i, 1;\n    bra produce;\n"
    "produced:\n    add.u32 last, last, DRAIN;\ndrain:\n    setp.ge.u32 p, i, last;\n    @p bra over;\n    call NAME_empty_wait_before, (bars, i);\n    add.u32 i, i, 1;\n    bra drain;\n"
    "consume:\n    setp.ge.u32 p, i, last;\n    @p bra over;\n    call NAME_full_wait, (bars, i);\n    rem.u32 slot, i, STAGES;\n    mad.lo.u32 slot, slot, 16384, base;\n    sub.u32 at, tid, 128;\n"
    "    mul.lo.u32 at, at, 128;\n    add.u32 slot, slot, at;\n    mad.wide.u32 far, i, 16384, t;\n    mad.wide.u32 far, at, 1, far;\n    mov.u32 b, 0;\nmore:\n"
    "    ld.shared.v4.b32 {w0, w1, w2, w3}, [slot];\n    st.global.v4.b32 [far], {w0, w1, w2, w3};\n    add.u32 slot, slot, 16;\n    add.s64 far, far, 16;\n    add.u32 b, b, 16;\n    setp.lt.u32 p, b, 128;\n"
    "    @p bra more;\n    ARRIVE\n    add.u32 i, i, 1;\n    bra consume;\nover:\n    ret;\n}\n";

static inline void ring_kernel_ptx(char *to, int stages, int blocks, const char *name)
{
    const bool two = blocks > 1;
    char number[16];
    sprintf(to, "%s", ring_ptx_text);
    text_replace(to, "MEET", two ? "barrier.cluster.arrive.release;\n    barrier.cluster.wait.acquire;" : "bar.sync 0;");
    text_replace(to, "ARRIVE", two ? "call NAME_empty_arrive_at, (bars, i, 0);\n    call NAME_empty_arrive_at, (bars, i, 1);" : "call NAME_empty_arrive, (bars, i);");
    text_replace(to, "DIMENSIONS", two ? ".reqnctapercluster 2, 1, 1\n" : "");
    text_replace(to, "MULTI", two ? ".multicast::cluster" : "");
    text_replace(to, "MASK", two ? ", mask" : "");
    text_replace(to, "PART", two ? "8192" : "16384");
    text_replace(to, "BLOCKS", two ? "2" : "1");
    text_replace(to, "DRAIN", two ? "STAGES" : "0");
    snprintf(number, sizeof number, "%d", stages * RING_STAGE);
    text_replace(to, "RING", number);
    text_replace(to, "STAGES", (char[]){(char)('0' + stages), 0});
    text_replace(to, "NAME", name);
}

#endif
