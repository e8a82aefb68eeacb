/* SPDX-License-Identifier: Apache-2.0 */
#include "function_kernels.h"
#include "functions/ring.h"

#include <zlay/emit.h>

static const char ptx_head[] = ".version 8.3\n.target sm_90a\n.address_size 64\n\n.extern .shared .align 1024 .b8 $smem[];\n\n";

void function_head_put(FILE *file, int32_t language)
{
    fputs(language == ZLAY_TEXT_PTX ? ptx_head : "extern __shared__ __attribute__((aligned(1024))) unsigned char room[];\n", file);
}

/* ---- the frame of a kernel -------------------------------------------------------------------- */

static void begin_cuda(FILE *file, const char *name, uint32_t blocks)
{
    fputs("extern \"C\" __global__ void ", file);
    if (blocks > 1) fprintf(file, "__cluster_dims__(%u, 1, 1) ", blocks);
    fprintf(file, "k_%s(const unsigned long long *in, unsigned long long *out, unsigned n)\n{\n"
            "    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;\n", name);
}

/* `in` and `out` are advanced to what the thread has of them; one that is not below n has nothing. */
static void begin_ptx(FILE *file, const char *name, uint32_t blocks, uint32_t in_bytes, uint32_t out_bytes)
{
    fprintf(file, ".visible .entry k_%s(.param .u64 p_in, .param .u64 p_out, .param .u32 p_n)\n", name);
    if (blocks > 1) fprintf(file, ".reqnctapercluster %u, 1, 1\n", blocks);
    fprintf(file, "{\n    .reg .pred p; .reg .b64 in, out, x; .reg .b32 thread, n, w;\n"
            "    ld.param.u64 in, [p_in]; ld.param.u64 out, [p_out]; ld.param.u32 n, [p_n];\n"
            "    mov.u32 thread, %%ctaid.x; mov.u32 w, %%ntid.x; mul.lo.u32 thread, thread, w;\n"
            "    mov.u32 w, %%tid.x; add.u32 thread, thread, w;\n"
            "    setp.ge.u32 p, thread, n; @p ret;\n"
            "    mad.wide.u32 in, thread, %u, in; mad.wide.u32 out, thread, %u, out;\n", in_bytes, out_bytes);
}

/* ---- values ------------------------------------------------------------------------------------- */

static void value_call_cuda(FILE *file, const value_function *f, const char *what)
{
    fprintf(file, "(unsigned long long)(long long)%s%s(", f->name, what);
    for (uint32_t d = 0; d < f->dims; d++)
        fprintf(file, "%s%sat[%u]", d ? ", " : "", f->wide >> d & 1 ? "" : "(unsigned)", d);
    fputs(");\n", file);
}

static void value_cuda(FILE *file, const value_function *f)
{
    begin_cuda(file, f->name, 1);
    fprintf(file, "    if (thread >= n) return;\n    const unsigned long long *at = in + thread * %uu;\n    (void)at;\n    out[2 * thread] = ", f->dims);
    value_call_cuda(file, f, "");
    fputs("    out[2 * thread + 1] = ", file);
    if (f->there) value_call_cuda(file, f, "_there");
    else fputs("1;\n", file);
    fputs("}\n", file);
}

/* The result of a function of words is left in x. */
static void value_call_ptx(FILE *file, const value_function *f, const char *what, bool is_long)
{
    fputs("    {\n", file);
    for (uint32_t d = 0; d < f->dims; d++) {
        bool wide = f->wide >> d & 1;
        fprintf(file, "    .param .b%d q%u; ld.global.b%d %s, [in+%u]; st.param.b%d [q%u], %s;\n", wide ? 64 : 32, d, wide ? 64 : 32,
                wide ? "x" : "w", 8 * d, wide ? 64 : 32, d, wide ? "x" : "w");
    }
    fprintf(file, "    .param .b%d v; call (v), %s%s", is_long ? 64 : 32, f->name, what);
    for (uint32_t d = 0; d < f->dims; d++) fprintf(file, "%sq%u", d ? ", " : ", (", d);
    fprintf(file, "%s;\n    ", f->dims ? ")" : "");
    fputs(is_long ? "ld.param.b64 x, [v];\n    }\n" : "ld.param.b32 w, [v]; cvt.u64.u32 x, w;\n    }\n", file);
}

static void value_ptx(FILE *file, const value_function *f)
{
    begin_ptx(file, f->name, 1, 8 * f->dims, 16);
    value_call_ptx(file, f, "", f->long_value);
    fputs("    st.global.b64 [out], x;\n    mov.b64 x, 1;\n", file);
    if (f->there) value_call_ptx(file, f, "_there", false);
    fputs("    st.global.b64 [out+8], x;\n    ret;\n}\n", file);
}

void value_kernel_put(FILE *file, int32_t language, const value_function *f)
{
    (language == ZLAY_TEXT_PTX ? value_ptx : value_cuda)(file, f);
}

/* ---- registers ------------------------------------------------------------------------------------ */

static void register_cuda(FILE *file, const register_function *f)
{
    begin_cuda(file, f->name, f->blocks);
    fprintf(file, "    (void)n;\n    unsigned from[%u]", f->in);
    if (!f->in_place) fprintf(file, ", to[%u]", f->out);
    fprintf(file, ";\n    for (int i = 0; i < %u; i++) from[i] = ((const unsigned *)in)[thread * %uu + i];\n    %s(%sfrom, thread%s);\n%s"
            "    for (int i = 0; i < %u; i++) ((unsigned *)out)[thread * %uu + i] = %s[i];\n}\n", f->in, f->in, f->name, f->in_place ? "" : "to, ",
            f->shared ? ", room" : "", f->blocks > 1 ? "    asm volatile(\"barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\" ::: \"memory\");\n" : "", f->out, f->out, f->in_place ? "from" : "to");
}

static void register_ptx(FILE *file, const register_function *f)
{
    begin_ptx(file, f->name, f->blocks, 4 * f->in, 4 * f->out);
    fprintf(file, "    .param .align 16 .b8 q0[%u];\n    .param .b32 q1, q2;\n    .param .align 16 .b8 v[%u];\n", 4 * f->in, 4 * f->out);
    for (uint32_t i = 0; i < f->in; i++) fprintf(file, "    ld.global.b32 w, [in+%u]; st.param.b32 [q0+%u], w;\n", 4 * i, 4 * i);
    fputs("    st.param.b32 [q1], thread;\n", file);
    if (f->shared) fputs("    mov.u32 w, $smem; st.param.b32 [q2], w;\n", file);
    fprintf(file, "    call (v), %s, (q0, q1%s);\n", f->name, f->shared ? ", q2" : "");
    if (f->blocks > 1) fputs("    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n", file);
    for (uint32_t i = 0; i < f->out; i++) fprintf(file, "    ld.param.b32 w, [v+%u]; st.global.b32 [out+%u], w;\n", 4 * i, 4 * i);
    fputs("    ret;\n}\n", file);
}

void register_kernel_put(FILE *file, int32_t language, const register_function *f)
{
    (language == ZLAY_TEXT_PTX ? register_ptx : register_cuda)(file, f);
}

/* ---- constants -------------------------------------------------------------------------------------- */

void map_kernel_put(FILE *file, int32_t language, const char *name)
{
    if (language != ZLAY_TEXT_PTX) {
        begin_cuda(file, name, 1);
        fprintf(file, "    (void)in;\n    if (thread < n) out[thread] = thread < 16u ? %s[thread] : (unsigned long long)%s;\n}\n", name, name);
        return;
    }
    begin_ptx(file, name, 1, 0, 8);
    fprintf(file, "    mov.u64 x, %s; cvta.global.u64 x, x;\n    setp.ge.u32 p, thread, 16; @p bra put;\n"
            "    mad.wide.u32 x, thread, 8, x; ld.b64 x, [x];\nput: st.global.b64 [out], x;\n    ret;\n}\n", name);
}

void desc_kernel_put(FILE *file, int32_t language, const char *name, bool steps)
{
    if (language != ZLAY_TEXT_PTX) {
        begin_cuda(file, name, 1);
        fprintf(file, "    if (thread >= n) return;\n    out[thread] = %s((unsigned)in[2 * thread])", name);
        if (steps) fprintf(file, " + (unsigned long long)(long long)%s_step((unsigned)in[2 * thread + 1])", name);
        fputs(";\n}\n", file);
        return;
    }
    begin_ptx(file, name, 1, 16, 8);
    fprintf(file, "    .param .b32 q, s; .param .b64 v; .reg .b64 y;\n    ld.global.b32 w, [in]; st.param.b32 [q], w;\n"
            "    call (v), %s, (q); ld.param.b64 x, [v];\n", name);
    if (steps)
        fprintf(file, "    ld.global.b32 w, [in+8]; st.param.b32 [q], w;\n    call (s), %s_step, (q); ld.param.b32 w, [s];\n"
                "    cvt.s64.s32 y, w; add.s64 x, x, y;\n", name);
    fputs("    st.global.b64 [out], x;\n    ret;\n}\n", file);
}

/* ---- rings ---------------------------------------------------------------------------------------------- */

/* The last warp sleeps until the others have ended; after 100,000 sleeps of about 100 us it ends the kernel with an
 * error, so that no wait, right or wrong, lasts for ever. */
static const char ring_text[] =
    "extern \"C\" __global__ void __cluster_dims__(%d, 1, 1) k_%s(const unsigned long long *in, unsigned long long *out, unsigned n)\n{\n"
    "    __shared__ unsigned ended;\n"
    "    const unsigned base = (unsigned)__cvta_generic_to_shared(room), thread = threadIdx.x;\n"
    "    const unsigned long long from = blockIdx.x / %du * 16384ull * n, to = blockIdx.x * 16384ull * n;\n"
    "    if (thread == 0u) {\n        ended = 0u;\n        %s_init(base + %du * 16384u);\n    }\n    " RING_MEET "\n"
    "    if (thread < 256u) {\n        %s_run(base, (unsigned long long)in + from, (unsigned long long)out + to, n);\n"
    "        atomicAdd(&ended, 1u);\n        return;\n    }\n"
    "    for (unsigned i = 0; i < 100000u; i++) {\n        if (*(volatile unsigned *)&ended == 256u) return;\n        __nanosleep(100000u);\n    }\n"
    "    __trap();\n}\n";

void ring_kernel_put(FILE *file, int32_t language, const char *name, int stages, int blocks)
{
    static char text[RING_TEXT];
    if (language == ZLAY_TEXT_CUDA) {
        fprintf(file, ring_text, blocks, name, blocks, name, stages, name);
        return;
    }
    ring_kernel_ptx(text, stages, blocks, name);
    fputs(text, file);
}

/* ---- products ------------------------------------------------------------------------------------------- */

enum { SUMS = 32, STEP = 16 };

static void wgmma_put(FILE *file, const char *name)
{
    fputs("        asm volatile(\"{ .reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {", file);
    for (int i = 0; i < SUMS; i++) fprintf(file, "%s%%%d", i ? ", " : "", i);
    fprintf(file, "}, %%%d, %%%d, p, 1, 1, 0, 0; }\"\n            : ", SUMS, SUMS + 1);
    for (int i = 0; i < SUMS; i++) fprintf(file, "%s\"+f\"(d[%d])", i ? ", " : "", i);
    fprintf(file, "\n            : \"l\"(%s(base) + %s_step(s)), \"l\"(%s(base + %du) + %s_step(s)));\n", name, name, name,
            2 * PRODUCT_ROWS * PRODUCT_DEPTH, name);
}

void product_kernel_put(FILE *file, const char *name)
{
    const int words = 2 * PRODUCT_ROWS * PRODUCT_DEPTH / 2;
    begin_cuda(file, "product", 1);
    fprintf(file, "    __shared__ __attribute__((aligned(1024))) unsigned tiles[%d];\n    float d[%d] = {};\n    (void)n;\n"
            "    for (unsigned i = thread; i < %du; i += 128u) tiles[i] = ((const unsigned *)in)[i];\n"
            "    asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n    __syncthreads();\n"
            "    const unsigned base = (unsigned)__cvta_generic_to_shared(tiles);\n"
            "    asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");\n#pragma unroll\n    for (unsigned s = 0; s < %du; s++)\n",
            words, SUMS, words, PRODUCT_DEPTH / STEP);
    wgmma_put(file, name);
    fprintf(file, "    asm volatile(\"wgmma.commit_group.sync.aligned;\\n\\twgmma.wait_group.sync.aligned 0;\" ::: \"memory\");\n"
            "    for (int i = 0; i < %d; i++) ((float *)out)[thread * %du + i] = d[i];\n}\n", SUMS, SUMS);
}

/* ---- loads ------------------------------------------------------------------------------------------------ */

static const char load_text[] =
    ".visible .entry load%d(.param .u64 p_map, .param .u64 p_at, .param .u64 p_out, .param .u32 p_bytes)\n{\n"
    "    .reg .pred p, one; .reg .b64 map, at, out, a, state; .reg .b32 tid, i, w, bar, base, bytes, tries, c<5>;\n"
    "    .shared .align 1024 .b8 room[%d];\n    .shared .align 8 .b64 slot;\n"
    "    ld.param.u64 map, [p_map]; ld.param.u64 at, [p_at]; ld.param.u64 out, [p_out]; ld.param.u32 bytes, [p_bytes];\n"
    "    mov.u32 tid, %%tid.x; mov.u32 base, room; mov.u32 bar, slot; setp.eq.u32 one, tid, 0; shl.b32 i, tid, 2;\n"
    "    ld.global.b32 c0, [at]; ld.global.b32 c1, [at+4]; ld.global.b32 c2, [at+8]; ld.global.b32 c3, [at+12]; ld.global.b32 c4, [at+16];\n"
    "fill: setp.ge.u32 p, i, %d; @p bra filled;\n"
    "    add.u32 w, base, i; st.shared.b32 [w], 0x5a5a5a5a; add.u32 i, i, 512; bra fill;\n"
    "filled:\n    @one mbarrier.init.shared.b64 [bar], 1;\n    @one fence.mbarrier_init.release.cluster;\n"
    "    fence.proxy.async; bar.sync 0;\n    @!one bra wait;\n"
    "    fence.proxy.tensormap::generic.acquire.gpu [map], 128;\n"
    "    mbarrier.arrive.expect_tx.shared.b64 state, [bar], bytes;\n"
    "    cp.async.bulk.tensor.%dd.shared::cluster.global.tile.mbarrier::complete_tx::bytes [base], [map, {%s}], [bar];\n"
    "wait: mov.u32 tries, 0;\n"
    "again: mbarrier.try_wait.parity.shared.b64 p, [bar], 0; @p bra landed;\n"
    "    add.u32 tries, tries, 1; setp.lt.u32 p, tries, 1000000; @p bra again; trap;\n"
    "landed: shl.b32 i, tid, 2;\n"
    "empty: setp.ge.u32 p, i, %d; @p bra gone;\n"
    "    add.u32 w, base, i; ld.shared.b32 w, [w]; cvt.u64.u32 a, i; add.u64 a, a, out; st.global.b32 [a], w;\n"
    "    add.u32 i, i, 512; bra empty;\n"
    "gone: ret;\n}\n";

void load_module_put(FILE *file)
{
    static const char *const coordinates[] = {"c0", "c0, c1", "c0, c1, c2, c3, c4"};
    static const int ranks[] = {1, 2, 5};
    fputs(ptx_head, file);
    for (int i = 0; i < 3; i++) fprintf(file, load_text, ranks[i], LOAD_ROOM, LOAD_ROOM, ranks[i], coordinates[i], LOAD_ROOM);
}
