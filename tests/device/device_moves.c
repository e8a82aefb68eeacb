/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles moved by the functions that zlay prints of copy.synth's plans, 300 at random of each path, on a Hopper
 * GPU: every byte of the destination and around it, against the two layouts.
 *
 *   device-moves [--moves N]     Ends with `N passed, N failed`. */
#define _DEFAULT_SOURCE /* alarm */
#include "../copy_draw.h"
#include "cuda_now.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlay/zlay.h>

enum { SPAN = 1 << 15, TEXT = 1 << 21, SECONDS = 200, DRAWS = 40, DYNAMIC_SMEM = 8 };

static const struct {
    int32_t path;
    const char *name;
} paths[] = {{0, "least cost"},
             {ZLAY_PATH_THREADS, "ld/st"},
             {ZLAY_PATH_CP_ASYNC, "cp.async"},
             {ZLAY_PATH_BULK, "cp.async.bulk"},
             {ZLAY_PATH_REALIGN, "realign"}};

/* The kernel around the function: sides in shared memory are filled from `from` and `to`, and what
 * is there afterwards goes back to `to`. %s: the function's arguments, declared and set. */
static const char kernel_text[] =
    ".extern .shared .align 1024 .b8 room[];\n"
    ".visible .entry around(.param .u64 p_from, .param .u64 p_to, .param .u32 p_expect)\n{\n"
    "    .reg .pred p, one; .reg .b64 from, to, a, state; .reg .b32 tid, n, i, w, base, bar, expect, tries;\n"
    "    .reg .b32 near, far;\n"
    "    ld.param.u64 from, [p_from]; ld.param.u64 to, [p_to]; ld.param.u32 expect, [p_expect];\n"
    "    cvta.to.global.u64 from, from; cvta.to.global.u64 to, to;\n"
    "    mov.u32 base, room; mov.u32 tid, %%tid.x; mov.u32 n, %%ntid.x; shl.b32 n, n, 2;\n"
    "    add.u32 bar, base, %d; add.u32 far, base, %d; mov.u32 near, base;\n"
    "    setp.eq.u32 one, tid, 0; shl.b32 i, tid, 2;\n"
    "fill: setp.ge.u32 p, i, %d; @p bra filled;\n"
    "    cvt.u64.u32 a, i; add.u64 a, a, from; ld.global.b32 w, [a];\n"
    "    add.u32 w, w, 0; add.u32 bar, base, i; st.shared.b32 [bar], w;\n"
    "    cvt.u64.u32 a, i; add.u64 a, a, to; ld.global.b32 w, [a];\n"
    "    st.shared.b32 [bar+%d], w; add.u32 i, i, n; bra fill;\n"
    "filled: add.u32 bar, base, %d;\n"
    "    @one mbarrier.init.shared.b64 [bar], 1;\n"
    "    fence.proxy.async; bar.sync 0;\n"
    "    @one mbarrier.arrive.expect_tx.shared.b64 state, [bar], expect;\n"
    "    bar.sync 0;\n"
    "    { %s }\n"
    "    cp.async.wait_all; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
    "    mov.u32 tries, 0;\n"
    "again: mbarrier.try_wait.parity.shared.b64 p, [bar], 0; @p bra landed;\n"
    "    add.u32 tries, tries, 1; setp.lt.u32 p, tries, 1000000; @p bra again; trap;\n"
    "landed: bar.sync 0; shl.b32 i, tid, 2;\n"
    "    mov.u32 w, %d; setp.eq.u32 p, w, 0; @p bra gone;\n"
    "empty: setp.ge.u32 p, i, %d; @p bra gone;\n"
    "    add.u32 w, base, i; ld.shared.b32 w, [w+%d];\n"
    "    cvt.u64.u32 a, i; add.u64 a, a, to; st.global.b32 [a], w; add.u32 i, i, n; bra empty;\n"
    "gone: ret;\n}\n";

typedef struct bench {
    cuda_now cuda;
    zlay_ctx *ctx;
    const zlay_target *target;
    cuda_address from, to;
    uint8_t was[SPAN], held[SPAN], want[SPAN], got[SPAN];
} bench;

static void must(cuda_result result, const char *what)
{
    if (!result) return;
    printf("driver error %u: %s\n", result, what);
    exit(2);
}

static void call_print(char out[512], const zlay_move_info *info)
{
    bool from = info->space[0] != ZLAY_MOVE_GLOBAL, to = info->space[1] != ZLAY_MOVE_GLOBAL;
    bool bulk = info->path == ZLAY_PATH_BULK && !from && to;
    sprintf(out,
            ".param .b%d x; .param .b%d y; .param .b32 z; st.param.b%d [x], %s; st.param.b%d [y], %s; "
            "st.param.b32 [z], bar; call moved, (x, y%s);",
            from ? 32 : 64, to ? 32 : 64, from ? 32 : 64, from ? "near" : "from", to ? 32 : 64,
            to ? "far" : "to", bulk ? ", z" : "");
}

static void text_print(bench *b, char *text, const zlay_move *move, const zlay_move_info *info)
{
    char call[512];
    zlay_buf buf = {text, TEXT, 0};
    bool to = info->space[1] != ZLAY_MOVE_GLOBAL;
    if (zlay_emit_move(b->ctx, &buf, move, "moved", 5)) {
        text[0] = 0;
        return;
    }
    call_print(call, info);
    sprintf(text + buf.need, kernel_text, 2 * SPAN, SPAN, SPAN, SPAN, 2 * SPAN, call, to, SPAN, SPAN);
}

static void move_bits(uint8_t *to, int64_t at, const uint8_t *from, int64_t of, uint32_t bits)
{
    for (uint32_t n = 0; n < bits; n++) {
        uint64_t i = (uint64_t)of * bits + n, o = (uint64_t)at * bits + n;
        to[o / 8] = (uint8_t)((to[o / 8] & ~(1u << o % 8)) | (from[i / 8] >> i % 8 & 1u) << o % 8);
    }
}

/* false: an offset is outside the span. */
static bool wanted_make(bench *b, const zlay_layout *from, const zlay_layout *to, uint32_t bits)
{
    memcpy(b->want, b->held, SPAN);
    for (uint64_t i = 0; i < zlay_layout_size(to); i++) {
        int64_t at, of;
        if (zlay_layout_eval(&of, 1, from, i) || zlay_layout_eval(&at, 1, to, i)) return false;
        if (at < 0 || of < 0 || (at + 1) * bits / 8 + 64 > SPAN || (of + 1) * bits / 8 + 64 > SPAN)
            return false;
        move_bits(b->want, at, b->was, of, bits);
    }
    return true;
}

static bool run(bench *b, const char *text, const zlay_move_info *info)
{
    void *module = NULL, *function = NULL;
    uint32_t expect = info->path == ZLAY_PATH_BULK && info->space[1] != ZLAY_MOVE_GLOBAL &&
                              info->space[0] == ZLAY_MOVE_GLOBAL
                          ? (uint32_t)info->bytes
                          : 0;
    void *parameters[] = {&b->from, &b->to, &expect};
    must(b->cuda.cuModuleLoadData(&module, text), text);
    must(b->cuda.cuModuleGetFunction(&function, module, "around"), "around");
    must(b->cuda.cuFuncSetAttribute(function, DYNAMIC_SMEM, 2 * SPAN + 64), "shared memory");
    must(b->cuda.cuMemcpyHtoD_v2(b->from, b->was, SPAN), "source");
    must(b->cuda.cuMemcpyHtoD_v2(b->to, b->held, SPAN), "destination");
    must(b->cuda.cuLaunchKernel(function, 1, 1, 1, (info->threads + 31) / 32 * 32, 1, 1,
                                2 * SPAN + 64, NULL, parameters, NULL), "launch");
    must(b->cuda.cuCtxSynchronize(), text);
    must(b->cuda.cuMemcpyDtoH_v2(b->got, b->to, SPAN), "result");
    must(b->cuda.cuModuleUnload(module), "unload");
    return !memcmp(b->got, b->want, SPAN);
}

/* 1 right, 0 wrong, -1 no plan. */
static int try_one(bench *b, wanted *w, char *text)
{
    zlay_layout *from = NULL, *to = NULL;
    zlay_move *move = NULL;
    zlay_move_info info;
    int right = -1;
    zlay_layout_parse(b->ctx, &from, w->text[0], strlen(w->text[0]));
    zlay_layout_parse(b->ctx, &to, w->text[1], strlen(w->text[1]));
    w->r.source.layout = from;
    w->r.dest.layout = to;
    if (wanted_make(b, from, to, w->r.elem_bits) &&
        !zlay_copy_synth(b->ctx, &move, b->target, &w->r) && !zlay_move_get(&info, move)) {
        text_print(b, text, move, &info);
        if (text[0]) right = run(b, text, &info);
        if (!right) printf("WRONG %s -> %s, %u bits\n", w->text[0], w->text[1], w->r.elem_bits);
    }
    zlay_move_free(move);
    zlay_layout_free(from);
    zlay_layout_free(to);
    return right;
}

int main(int argc, char **argv)
{
    static bench b;
    static char text[2 * TEXT];
    int moves = argc > 2 && !strcmp(argv[1], "--moves") ? atoi(argv[2]) : 300, passed = 0, failed = 0;
    const char *given = getenv("ZLAY_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : 20240607;
    alarm(SECONDS);
    if (zlay_ctx_new(&b.ctx, NULL, NULL) || zlay_target_find(&b.target, "sm_90a", 6)) return 2;
    if (!cuda_open(&b.cuda)) return 0;
    must(b.cuda.cuMemAlloc_v2(&b.from, SPAN), "memory");
    must(b.cuda.cuMemAlloc_v2(&b.to, SPAN), "memory");
    for (size_t p = 0; p < sizeof paths / sizeof paths[0]; p++) {
        int right = 0, wrong = 0;
        for (int i = 0; right + wrong < moves && i < DRAWS * moves; i++) {
            wanted w = draw(&seed);
            w.r.path = paths[p].path;
            if (w.r.dest.space == ZLAY_MOVE_PEER) continue;
            for (size_t n = 0; n < SPAN; n++) {
                b.was[n] = (uint8_t)test_random(&seed);
                b.held[n] = (uint8_t)test_random(&seed);
            }
            int answer = try_one(&b, &w, text);
            right += answer == 1;
            wrong += answer == 0;
        }
        printf("%-14s %d right, %d wrong\n", paths[p].name, right, wrong);
        fflush(stdout);
        passed += right;
        failed += wrong + (right + wrong < moves);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
