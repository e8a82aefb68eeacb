/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles moved by the functions that zlay prints of copy.synth's plans, 300 at random of each kind, on a Hopper
 * GPU: every byte of the destination and around it, against the two layouts. Where a side is a peer's, two
 * blocks of a cluster move tiles to or from each other.
 *
 *   device-moves [--moves N]     Ends with `N passed, N failed`. */
#define _DEFAULT_SOURCE /* alarm */
#include "device/rig/cuda_now.h"
#include "tiles/move_draw.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlay/zlay.h>

enum { SPAN = 1 << 15, TEXT = 1 << 21, CALL = 1 << 14, SECONDS = 400, DRAWS = 40, DYNAMIC_SMEM = 8, BLOCKS = 2 };

/* The kernel around the function: sides in shared memory are filled from the block's part of `from` and `to`, and
 * what is there afterwards goes back to `to`. %s: what a cluster is, and the call. */
static const char kernel_text[] =
    ".extern .shared .align 1024 .b8 room[];\n"
    ".visible .entry around(.param .u64 p_from, .param .u64 p_to, .param .u32 p_expect) %s\n{\n"
    "    .reg .pred p, one; .reg .b64 from, to, a, state; .reg .b32 tid, n, i, w, base, bar, expect, tries;\n"
    "    .reg .b32 near, far, block, peer;\n"
    "    ld.param.u64 from, [p_from]; ld.param.u64 to, [p_to]; ld.param.u32 expect, [p_expect];\n"
    "    cvta.to.global.u64 from, from; cvta.to.global.u64 to, to;\n"
    "    mov.u32 block, %%ctaid.x; mad.wide.u32 from, block, %d, from; mad.wide.u32 to, block, %d, to;\n"
    "    sub.u32 peer, 1, block;\n"
    "    mov.u32 base, room; mov.u32 tid, %%tid.x; mov.u32 n, %%ntid.x; shl.b32 n, n, 2;\n"
    "    add.u32 far, base, %d; mov.u32 near, base;\n"
    "    setp.eq.u32 one, tid, 0; shl.b32 i, tid, 2;\n"
    "fill: setp.ge.u32 p, i, %d; @p bra filled;\n"
    "    cvt.u64.u32 a, i; add.u64 a, a, from; ld.global.b32 w, [a];\n"
    "    add.u32 bar, base, i; st.shared.b32 [bar], w;\n"
    "    cvt.u64.u32 a, i; add.u64 a, a, to; ld.global.b32 w, [a];\n"
    "    st.shared.b32 [bar+%d], w; add.u32 i, i, n; bra fill;\n"
    "filled: add.u32 bar, base, %d;\n"
    "    @one mbarrier.init.shared.b64 [bar], 1;\n"
    "    @one fence.mbarrier_init.release.cluster;\n"
    "    fence.proxy.async; bar.sync 0;\n"
    "    @one mbarrier.arrive.expect_tx.shared.b64 state, [bar], expect;\n"
    "    barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"
    "    { %s }\n"
    "    cp.async.wait_all; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
    "    mov.u32 tries, 0;\n"
    "again: mbarrier.try_wait.parity.shared.b64 p, [bar], 0; @p bra landed;\n"
    "    add.u32 tries, tries, 1; setp.lt.u32 p, tries, 1000000; @p bra again; trap;\n"
    "landed: barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"
    "    shl.b32 i, tid, 2;\n"
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
    uint8_t was[BLOCKS][SPAN], held[BLOCKS][SPAN], want[BLOCKS][SPAN], got[BLOCKS][SPAN];
} bench;

static void must(cuda_result result, const char *what)
{
    if (!result) return;
    printf("driver error %u: %s\n", result, what);
    exit(2);
}

/* ---- the call ------------------------------------------------------------------------ */

static bool is_shared(int32_t space)
{
    return space == ZLAY_MOVE_SHARED || space == ZLAY_MOVE_PEER;
}

/* Registers of fragments are the thread's words of a side in global memory. */
static char *held_print(char *out, uint32_t bytes, const char *side, const char *name, bool load)
{
    out += sprintf(out, "mul.wide.u32 a, tid, %u; add.u64 a, a, %s; ", bytes, side);
    for (uint32_t i = 0; i < bytes; i += 4)
        out += load ? sprintf(out, "ld.global.b32 w, [a+%u]; st.param.b32 [%s+%u], w; ", i, name, i)
                    : sprintf(out, "ld.param.b32 w, [%s+%u]; st.global.b32 [a+%u], w; ", name, i, i);
    return out;
}

typedef struct list {
    char text[512];
    int count;
} list;

static char *argument(char *out, list *arguments, int bits, const char *value)
{
    int n = arguments->count++;
    sprintf(arguments->text + strlen(arguments->text), "%sq%d", n ? ", " : "", n);
    return out + sprintf(out, ".param .b%d q%d; st.param.b%d [q%d], %s; ", bits, n, bits, n, value);
}

/* The names in the order of the function's parameters: both stand in the source. */
static char *names_print(char *out, list *arguments, const drawn *d)
{
    char value[24];
    const char *name;
    for (size_t i = 0; d->facts && (name = zlay_layout_param_nth(d->w.r.source.layout, i)); i++) {
        sprintf(value, "%lld", (long long)d->value[strcmp(name, "ld") != 0]);
        out = argument(out, arguments, 64, value);
    }
    return out;
}

static void call_print(char *out, const zlay_move_summary *info, const drawn *d)
{
    const int32_t *space = info->space;
    uint32_t held = held_bytes(d->w.r.registers * d->w.r.elem_bits);
    bool result = space[1] == ZLAY_MOVE_REGISTER;
    list arguments = {"", 0};
    if (result) out += sprintf(out, ".param .align 16 .b8 r[%u]; ", held);
    if (space[0] == ZLAY_MOVE_REGISTER) {
        out += sprintf(out, ".param .align 16 .b8 q0[%u]; ", held);
        out = held_print(out, held, "from", "q0", true);
        arguments = (list){"q0", 1};
    } else {
        out = is_shared(space[0]) ? argument(out, &arguments, 32, "near")
                                  : argument(out, &arguments, 64, "from");
    }
    if (!result)
        out = is_shared(space[1]) ? argument(out, &arguments, 32, "far")
                                  : argument(out, &arguments, 64, "to");
    for (int s = 0; s < 2; s++)
        if (space[s] == ZLAY_MOVE_PEER) out = argument(out, &arguments, 32, "peer");
    if (info->bytes) out = argument(out, &arguments, 32, "bar");
    out = names_print(out, &arguments, d);
    out += sprintf(out, "call %s moved, (%s); ", result ? "(r)," : "", arguments.text);
    if (result) held_print(out, held, "to", "r", false);
}

static bool text_print(bench *b, char *text, const zlay_move *move, const zlay_move_summary *info,
                       const drawn *d, int blocks)
{
    static char call[CALL];
    zlay_buf buf = {text, TEXT, 0};
    if (zlay_emit_move(b->ctx, &buf, move, "moved", 5)) {
        printf("%s\n", zlay_ctx_message(b->ctx));
        return false;
    }
    call_print(call, info, d);
    sprintf(text + buf.need, kernel_text,
            blocks > 1 ? ".explicitcluster .reqnctapercluster 2, 1, 1" : "", SPAN, SPAN, SPAN, SPAN,
            SPAN, 2 * SPAN, call, is_shared(info->space[1]), SPAN, SPAN);
    return true;
}

/* ---- what is wanted ------------------------------------------------------------------ */

/* false: an offset is outside the span. */
static bool wanted_make(bench *b, const drawn *d, const zlay_layout *from, const zlay_layout *to)
{
    uint32_t bits = d->w.r.elem_bits, held = d->w.r.registers * bits;
    const int32_t space[] = {d->w.r.source.space, d->w.r.dest.space};
    memcpy(b->want, b->held, sizeof b->want);
    for (uint64_t i = 0; i < zlay_layout_size(to); i++) {
        int64_t at, of;
        if (zlay_layout_eval(&of, 1, from, i) || zlay_layout_eval(&at, 1, to, i)) continue;
        if (at < 0 || of < 0) return false;
        if (bit_of(space[1], held, at + 1, bits) / 8 + 64 > SPAN ||
            bit_of(space[0], held, of + 1, bits) / 8 + 64 > SPAN)
            return false;
        for (uint32_t n = 0; n < BLOCKS; n++)
            move_bits(b->want[whose(space[1], n)], bit_of(space[1], held, at, bits),
                      b->was[whose(space[0], n)], bit_of(space[0], held, of, bits), bits);
    }
    return true;
}

/* Bits of a register that no element has may hold anything. */
static bool is_right(const bench *b, const drawn *d, int blocks)
{
    uint32_t held = d->w.r.registers * d->w.r.elem_bits, bytes = held_bytes(held);
    bool registers = d->w.r.dest.space == ZLAY_MOVE_REGISTER;
    for (int n = 0; n < blocks; n++)
        for (uint32_t i = 0; i < SPAN; i++)
            if (b->got[n][i] != b->want[n][i] && !(registers && i % bytes * 8 >= held)) return false;
    return true;
}

/* ---- runs ---------------------------------------------------------------------------- */

static void run(bench *b, const char *text, const zlay_move_summary *info, int blocks)
{
    void *module = NULL, *function = NULL;
    uint32_t expect = (uint32_t)info->bytes;
    void *parameters[] = {&b->from, &b->to, &expect};
    must(b->cuda.cuModuleLoadData(&module, text), text);
    must(b->cuda.cuModuleGetFunction(&function, module, "around"), "around");
    must(b->cuda.cuFuncSetAttribute(function, DYNAMIC_SMEM, 2 * SPAN + 64), "shared memory");
    must(b->cuda.cuMemcpyHtoD_v2(b->from, b->was, sizeof b->was), "source");
    must(b->cuda.cuMemcpyHtoD_v2(b->to, b->held, sizeof b->held), "destination");
    must(b->cuda.cuLaunchKernel(function, (unsigned)blocks, 1, 1, (info->threads + 31) / 32 * 32, 1,
                                1, 2 * SPAN + 64, NULL, parameters, NULL), "launch");
    must(b->cuda.cuCtxSynchronize(), text);
    must(b->cuda.cuMemcpyDtoH_v2(b->got, b->to, sizeof b->got), "result");
    must(b->cuda.cuModuleUnload(module), "unload");
}

static zlay_layout *layout_of(bench *b, const char *text)
{
    zlay_layout *made = NULL;
    zlay_layout_parse(b->ctx, &made, text, strlen(text));
    return made;
}

/* 1 right, 0 wrong, -1 no plan. */
static int try_one(bench *b, drawn *d, char *text)
{
    zlay_layout *layout[2], *real[2];
    zlay_move *move = NULL;
    zlay_move_summary info;
    int right = -1, blocks = d->w.r.source.space == ZLAY_MOVE_PEER ||
                                     d->w.r.dest.space == ZLAY_MOVE_PEER
                                 ? BLOCKS
                                 : 1;
    for (int s = 0; s < 2; s++) {
        layout[s] = layout_of(b, d->w.text[s]);
        real[s] = layout_of(b, d->real[0][0] ? d->real[s] : d->w.text[s]);
    }
    d->w.r.source.layout = layout[0];
    d->w.r.dest.layout = layout[1];
    if (layout[0] && layout[1] && wanted_make(b, d, real[0], real[1]) &&
        !zlay_copy_synth(b->ctx, &move, b->target, &d->w.r) && !zlay_move_info(&info, move)) {
        right = text_print(b, text, move, &info, d, blocks);
        if (right) {
            run(b, text, &info, blocks);
            right = is_right(b, d, blocks);
        }
        if (!right)
            printf("WRONG %s -> %s, %u bits\n", d->w.text[0], d->w.text[1], d->w.r.elem_bits);
    }
    zlay_move_free(move);
    for (int s = 0; s < 2; s++) {
        zlay_layout_free(layout[s]);
        zlay_layout_free(real[s]);
    }
    return right;
}

static void sides_draw(bench *b, uint64_t *seed)
{
    for (int n = 0; n < BLOCKS; n++)
        for (size_t i = 0; i < SPAN; i++) {
            b->was[n][i] = (uint8_t)test_random(seed);
            b->held[n][i] = (uint8_t)test_random(seed);
        }
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
    must(b.cuda.cuMemAlloc_v2(&b.from, sizeof b.was), "memory");
    must(b.cuda.cuMemAlloc_v2(&b.to, sizeof b.held), "memory");
    for (size_t k = 0; k < KINDS; k++) {
        int right = 0, wrong = 0;
        for (int i = 0; right + wrong < moves && i < DRAWS * moves; i++) {
            drawn d = draw_kind(b.ctx, k, &seed);
            sides_draw(&b, &seed);
            int answer = try_one(&b, &d, text);
            right += answer == 1;
            wrong += answer == 0;
            zlay_facts_free(d.facts);
        }
        printf("%-14s %d right, %d wrong\n", kinds[k].name, right, wrong);
        fflush(stdout);
        passed += right;
        failed += wrong + (right + wrong < moves);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
