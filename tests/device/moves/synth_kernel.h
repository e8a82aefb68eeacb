/* SPDX-License-Identifier: Apache-2.0 */
/* The copies of a move by one block: shared memory is filled from `init`, all copies are issued, waited for a
 * bounded time, and shared memory goes to `out`, behind it whether the phase ended.  A copy is 16 words: what
 * it is, its map, its shared offset, a pad, five coordinates, three im2col offsets. */
#ifndef SYNTH_KERNEL_H
#define SYNTH_KERNEL_H

#include "device/rig/use_kernel.h"

static const char synth_ptx_begin[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".extern .shared .align 1024 .b8 smem[];\n"
    ".visible .entry move(.param .u64 p_maps, .param .u64 p_copies, .param .u32 p_count,\n"
    "    .param .u64 p_out, .param .u64 p_init, .param .u32 p_expect, .param .u32 p_size)\n"
    "{\n"
    "    .reg .pred p, one;\n"
    "    .reg .b64 maps, map, copies, out, init, a, state;\n"
    "    .reg .b32 op, at, expect, size, base, bar, tid, i, w, n, k, count, done;\n"
    "    .reg .b32 c0, c1, c2, c3, c4, o0, o1, o2;\n"
    "    .reg .b16 x0, x1, x2;\n"
    "    ld.param.u64 maps, [p_maps]; ld.param.u64 copies, [p_copies];\n"
    "    ld.param.u64 out, [p_out]; ld.param.u64 init, [p_init];\n"
    "    cvta.to.global.u64 out, out; cvta.to.global.u64 init, init;\n"
    "    cvta.to.global.u64 copies, copies;\n"
    "    ld.param.u32 count, [p_count]; ld.param.u32 expect, [p_expect];\n"
    "    ld.param.u32 size, [p_size];\n"
    "    mov.u32 base, smem; add.u32 bar, base, size;\n"
    "    mov.u32 tid, %tid.x; setp.eq.u32 one, tid, 0; mov.u32 done, 0; mov.u64 state, 0;\n"
    "    shl.b32 i, tid, 2;\n"
    "fill: setp.ge.u32 p, i, size; @p bra filled;\n"
    "    cvt.u64.u32 a, i; add.u64 a, a, init; ld.global.b32 w, [a];\n"
    "    add.u32 n, base, i; st.shared.b32 [n], w; add.u32 i, i, 512; bra fill;\n"
    "filled: @one mbarrier.init.shared.b64 [bar], 1;\n"
    "    fence.proxy.async; bar.sync 0;\n"
    "    @!one bra meet;\n"
    "    mbarrier.arrive.expect_tx.shared.b64 state, [bar], expect;\n"
    "    mov.u32 k, 0;\n"
    "next: setp.ge.u32 p, k, count; @p bra all;\n"
    "    mul.wide.u32 a, k, 64; add.u64 a, a, copies; add.u32 k, k, 1;\n"
    "    ld.global.b32 op, [a]; ld.global.b32 n, [a+4]; ld.global.b32 at, [a+8];\n"
    "    ld.global.b32 c0, [a+16]; ld.global.b32 c1, [a+20]; ld.global.b32 c2, [a+24];\n"
    "    ld.global.b32 c3, [a+28]; ld.global.b32 c4, [a+32];\n"
    "    ld.global.b32 o0, [a+36]; ld.global.b32 o1, [a+40]; ld.global.b32 o2, [a+44];\n"
    "    cvt.u16.u32 x0, o0; cvt.u16.u32 x1, o1; cvt.u16.u32 x2, o2;\n"
    "    mul.wide.u32 map, n, 128; add.u64 map, map, maps; add.u32 at, at, base;\n"
    "    setp.eq.u32 p, op, 1; @p bra load1; setp.eq.u32 p, op, 2; @p bra load2;\n"
    "    setp.eq.u32 p, op, 3; @p bra load3; setp.eq.u32 p, op, 4; @p bra load4;\n"
    "    setp.eq.u32 p, op, 5; @p bra load5; setp.eq.u32 p, op, 13; @p bra columns3;\n"
    "    setp.eq.u32 p, op, 14; @p bra columns4; setp.eq.u32 p, op, 15; @p bra columns5;\n"
    "    setp.eq.u32 p, op, 21; @p bra store1; setp.eq.u32 p, op, 22; @p bra store2;\n"
    "    setp.eq.u32 p, op, 23; @p bra store3; setp.eq.u32 p, op, 24; @p bra store4;\n"
    "    setp.eq.u32 p, op, 25; @p bra store5; setp.eq.u32 p, op, 33; @p bra back3;\n"
    "    setp.eq.u32 p, op, 34; @p bra back4; setp.eq.u32 p, op, 35; @p bra back5;\n"
    "    bra meet;\n";

static const char synth_ptx_end[] =
    USE_COPIES
    "issued: committed: bra next;\n"
    "all: cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
    "    mov.u32 n, 0;\n"
    "poll: mbarrier.test_wait.parity.shared.b64 p, [bar], 0;\n"
    "    selp.u32 done, 1, 0, p; @p bra landed;\n"
    "    add.u32 n, n, 1; setp.lt.u32 p, n, 200000; @p bra poll;\n"
    "landed: nanosleep.u32 2000;\n"
    "meet: bar.sync 0;\n"
    "    shl.b32 i, tid, 2;\n"
    "copy: setp.ge.u32 p, i, size; @p bra copied;\n"
    "    add.u32 n, base, i; ld.shared.b32 w, [n];\n"
    "    cvt.u64.u32 a, i; add.u64 a, a, out; st.global.b32 [a], w; add.u32 i, i, 512; bra copy;\n"
    "copied: @!one bra end;\n"
    "    cvt.u64.u32 a, size; add.u64 a, a, out; st.global.b32 [a], done;\n"
    "end: ret;\n"
    "}\n";

#endif
