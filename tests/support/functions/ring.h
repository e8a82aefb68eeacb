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

#endif
