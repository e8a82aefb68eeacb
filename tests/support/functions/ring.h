/* SPDX-License-Identifier: Apache-2.0 */
/* examples/ring.pipe, and what its threads do in CUDA C by the functions that zlay prints of its barriers. */
#ifndef TEST_FUNCTIONS_RING_H
#define TEST_FUNCTIONS_RING_H

#include "ctx.h"

#include <zlay/emit_function.h>
#include <zlay/pipe.h>

enum { RING_TEXT = 1 << 16, RING_STAGE = 16384, RING_THREADS = 256 };

static inline zlay_pipe *read_pipe(zlay_ctx *ctx, const char *text)
{
    zlay_pipe *pipe = NULL;
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) fail_msg("%s", zlay_ctx_message(ctx));
    return pipe;
}

/* examples/ring.pipe with so many stages. */
static inline const char *ring_of(int stages)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "pipe ring\nparam N 0..\nsmem A[%d] 16384\nbar full[%d] count 1\nbar empty[%d] count 128\ninit full\ninit empty\nfence mbarrier_init\nsync cta\n"
             "role producer warps 0..3 elect\n  for i in 0..N\n    wait empty[i %% %d] parity (i / %d + 1) %% 2\n    expect full[i %% %d] 16384\n"
             "    arrive full[i %% %d]\n    copy tensor 16384 -> A[i %% %d] signal full[i %% %d]\n  end\nend\nrole consumer warps 4..7\n  for i in 0..N\n"
             "    wait full[i %% %d] parity i / %d %% 2\n    read A[i %% %d]\n    arrive empty[i %% %d] threads\n  end\nend\n",
             stages, stages, stages, stages, stages, stages, stages, stages, stages, stages, stages, stages, stages);
    return text;
}

static inline size_t ring_function(zlay_ctx *ctx, char *to, int stages, const char *name)
{
    zlay_pipe *pipe = read_pipe(ctx, ring_of(stages));
    zlay_buf buf = {to, RING_TEXT, 0};
    if (zlay_emit_ring(ctx, &buf, target_of("sm_90a"), pipe, ZLAY_TEXT_CUDA, name, strlen(name))) fail_msg("%s", zlay_ctx_message(ctx));
    zlay_pipe_free(pipe);
    return buf.need;
}

/* %s is the name of the ring's functions, %d its stages, behind which the barriers lie. */
static const char ring_run_text[] =
    "static __device__ __forceinline__ void %s_run(unsigned base, unsigned long long from, unsigned long long to, unsigned n)\n{\n"
    "    const unsigned bars = base + %du * 16384u, tid = threadIdx.x;\n    unsigned w0, w1, w2, w3;\n    if (tid >> 5 < 4u) {\n        if (tid) return;\n#pragma unroll 1\n"
    "        for (unsigned i = 0; i < n; i++) {\n            %s_empty_wait_before(bars, i);\n            %s_full_arrive_expect(bars, i, 16384u);\n"
    "            asm volatile(\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%0], [%%1], 16384, [%%2];\"\n"
    "                         :: \"r\"(base + i %% %du * 16384u), \"l\"(from + i * 16384ull), \"r\"(%s_full(bars, i)) : \"memory\");\n        }\n    } else {\n#pragma unroll 1\n"
    "        for (unsigned i = 0; i < n; i++) {\n            %s_full_wait(bars, i);\n#pragma unroll 1\n            for (unsigned b = 0; b < 128; b += 16) {\n"
    "                const unsigned at = (tid - 128u) * 128u + b;\n                asm volatile(\"ld.shared.v4.b32 {%%0, %%1, %%2, %%3}, [%%4];\" : \"=r\"(w0), \"=r\"(w1), \"=r\"(w2), \"=r\"(w3) : \"r\"(base + i %% %du * 16384u + at) : \"memory\");\n"
    "                asm volatile(\"st.global.v4.b32 [%%0], {%%1, %%2, %%3, %%4};\" :: \"l\"(to + i * 16384ull + at), \"r\"(w0), \"r\"(w1), \"r\"(w2), \"r\"(w3) : \"memory\");\n            }\n"
    "            %s_empty_arrive(bars, i);\n        }\n    }\n}\n";

/* `NAME_run`: thread 0 copies n stages from `from`, threads 128 to 255 store them at `to`; behind NAME_init and a barrier of the block. */
static inline size_t ring_run(char *to, int stages, const char *name)
{
    return (size_t)snprintf(to, RING_TEXT, ring_run_text, name, stages, name, name, stages, name, name, stages, name);
}

#endif
