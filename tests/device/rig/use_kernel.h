/* SPDX-License-Identifier: Apache-2.0 */
/* One tensor copy by one block: shared memory is filled from `init`, the copy is issued, waited for a bounded
 * time, and shared memory goes to `out`, behind it whether the phase ended and the shared address. */
#ifndef USE_KERNEL_H
#define USE_KERNEL_H

#define USE_LOAD_AT(n, list)                                                                       \
    "load" #n ": cp.async.bulk.tensor." #n "d.shared::cluster.global.mbarrier::complete_tx::bytes "  \
    "[at], [map, {" list "}], [bar];\n    bra issued;\n"
#define USE_COLUMNS_AT(n, list, offsets)                                                           \
    "columns" #n ": cp.async.bulk.tensor." #n                                                      \
    "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "                                \
    "[at], [map, {" list "}], [bar], {" offsets "};\n    bra issued;\n"
#define USE_STORE_AT(n, list)                                                                      \
    "store" #n ": cp.async.bulk.tensor." #n "d.global.shared::cta.bulk_group "                      \
    "[map, {" list "}], [at];\n    bra committed;\n"
#define USE_BACK_AT(n, list)                                                                       \
    "back" #n ": cp.async.bulk.tensor." #n "d.global.shared::cta.im2col_no_offs.bulk_group "        \
    "[map, {" list "}], [at];\n    bra committed;\n"

/* Every copy at its label; loads go on at `issued`, stores at `committed`. */
#define USE_COPIES \
    USE_LOAD_AT(1, "c0") USE_LOAD_AT(2, "c0, c1") USE_LOAD_AT(3, "c0, c1, c2") \
    USE_LOAD_AT(4, "c0, c1, c2, c3") USE_LOAD_AT(5, "c0, c1, c2, c3, c4") \
    USE_COLUMNS_AT(3, "c0, c1, c2", "x0") USE_COLUMNS_AT(4, "c0, c1, c2, c3", "x0, x1") \
    USE_COLUMNS_AT(5, "c0, c1, c2, c3, c4", "x0, x1, x2") \
    USE_STORE_AT(1, "c0") USE_STORE_AT(2, "c0, c1") USE_STORE_AT(3, "c0, c1, c2") \
    USE_STORE_AT(4, "c0, c1, c2, c3") USE_STORE_AT(5, "c0, c1, c2, c3, c4") \
    USE_BACK_AT(3, "c0, c1, c2") USE_BACK_AT(4, "c0, c1, c2, c3") \
    USE_BACK_AT(5, "c0, c1, c2, c3, c4")

static const char use_ptx_begin[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".extern .shared .align 1024 .b8 smem[];\n"
    ".visible .entry use(.param .align 128 .b8 p_map[128], .param .u64 p_out, .param .u64 p_init,\n"
    "    .param .u32 p_op, .param .u32 p_at, .param .u32 p_expect, .param .u32 p_size,\n"
    "    .param .b32 p_c0, .param .b32 p_c1, .param .b32 p_c2, .param .b32 p_c3, .param .b32 p_c4,\n"
    "    .param .b32 p_o0, .param .b32 p_o1, .param .b32 p_o2)\n"
    "{\n"
    "    .reg .pred p, one;\n"
    "    .reg .b64 map, out, init, a, state;\n"
    "    .reg .b32 op, at, expect, size, base, bar, tid, i, w, n, done, c0, c1, c2, c3, c4, o0, o1, o2;\n"
    "    .reg .b16 x0, x1, x2;\n"
    "    mov.b64 map, p_map; cvta.param.u64 map, map;\n"
    "    ld.param.u64 out, [p_out]; ld.param.u64 init, [p_init];\n"
    "    cvta.to.global.u64 out, out; cvta.to.global.u64 init, init;\n"
    "    ld.param.u32 op, [p_op]; ld.param.u32 at, [p_at]; ld.param.u32 expect, [p_expect];\n"
    "    ld.param.u32 size, [p_size];\n"
    "    ld.param.b32 c0, [p_c0]; ld.param.b32 c1, [p_c1]; ld.param.b32 c2, [p_c2];\n"
    "    ld.param.b32 c3, [p_c3]; ld.param.b32 c4, [p_c4];\n"
    "    ld.param.b32 o0, [p_o0]; ld.param.b32 o1, [p_o1]; ld.param.b32 o2, [p_o2];\n"
    "    cvt.u16.u32 x0, o0; cvt.u16.u32 x1, o1; cvt.u16.u32 x2, o2;\n"
    "    mov.u32 base, smem; add.u32 bar, base, size; add.u32 at, at, base;\n"
    "    mov.u32 tid, %tid.x; setp.eq.u32 one, tid, 0; mov.u32 done, 2; mov.u64 state, 0;\n"
    "    shl.b32 i, tid, 2;\n"
    "fill: setp.ge.u32 p, i, size; @p bra filled;\n"
    "    cvt.u64.u32 a, i; add.u64 a, a, init; ld.global.b32 w, [a];\n"
    "    add.u32 n, base, i; st.shared.b32 [n], w; add.u32 i, i, 512; bra fill;\n"
    "filled: @one mbarrier.init.shared.b64 [bar], 1;\n"
    "    fence.proxy.async; bar.sync 0;\n"
    "    @!one bra meet;\n"
    "    mbarrier.arrive.expect_tx.shared.b64 state, [bar], expect;\n"
    "    setp.eq.u32 p, op, 1; @p bra load1; setp.eq.u32 p, op, 2; @p bra load2;\n"
    "    setp.eq.u32 p, op, 3; @p bra load3; setp.eq.u32 p, op, 4; @p bra load4;\n"
    "    setp.eq.u32 p, op, 5; @p bra load5; setp.eq.u32 p, op, 13; @p bra columns3;\n"
    "    setp.eq.u32 p, op, 14; @p bra columns4; setp.eq.u32 p, op, 15; @p bra columns5;\n"
    "    setp.eq.u32 p, op, 21; @p bra store1; setp.eq.u32 p, op, 22; @p bra store2;\n"
    "    setp.eq.u32 p, op, 23; @p bra store3; setp.eq.u32 p, op, 24; @p bra store4;\n"
    "    setp.eq.u32 p, op, 25; @p bra store5; setp.eq.u32 p, op, 33; @p bra back3;\n"
    "    setp.eq.u32 p, op, 34; @p bra back4; setp.eq.u32 p, op, 35; @p bra back5;\n"
    "    bra meet;\n";

static const char use_ptx_end[] =
    USE_COPIES
    "committed: cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; mov.u32 done, 1; bra meet;\n"
    "issued: mov.u32 n, 0;\n"
    "poll: mbarrier.test_wait.parity.shared.b64 p, [bar], 0;\n"
    "    selp.u32 done, 1, 0, p; @p bra landed;\n"
    "    add.u32 n, n, 1; setp.lt.u32 p, n, 20000; @p bra poll;\n"
    "landed: nanosleep.u32 2000;\n"
    "meet: bar.sync 0;\n"
    "    shl.b32 i, tid, 2;\n"
    "copy: setp.ge.u32 p, i, size; @p bra copied;\n"
    "    add.u32 n, base, i; ld.shared.b32 w, [n];\n"
    "    cvt.u64.u32 a, i; add.u64 a, a, out; st.global.b32 [a], w; add.u32 i, i, 512; bra copy;\n"
    "copied: @!one bra end;\n"
    "    cvt.u64.u32 a, size; add.u64 a, a, out;\n"
    "    st.global.b32 [a], done; st.global.b32 [a+4], base;\n"
    "end: ret;\n"
    "}\n";

#endif
