/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the kernel of a product with weights of 4 bits for a gfx target: the frame with its descriptor and arguments, and what a
 * wave computes once. A resource of A, scales or zeros ends behind the tensor's last element, and one of weights behind the last
 * tile of the block's rows, so that what lies outside reads 0; each is moved from step to step. */
#include "emit/gcn/weights.h"
#include "emit/emit.h"
#include "isa/frame.h"

#include <stdio.h>

enum { ELEMENT = 2 /* bytes */, SIDE = 16, POINTER = 8 };

static uint64_t tile_bytes(const zl_ww *a) { return zl_weights_bytes(a->p->ask.weights); }

/* ---- arguments ----------------------------------------------------------------------------- */

static bool has(const zlay_weights_plan *p, uint32_t tensor) { return tensor != ZL_WW_Z || p->ask.zeros; }

/* The argument of a tensor that the plan has. */
static zl_wave_argument argument_of(const zlay_weights_plan *p, uint32_t tensor)
{
    static const char letters[ZL_WW_TENSORS] = {'a', 'b', 's', 'z', 'd'};
    zl_wave_argument argument = {.bytes = POINTER};
    for (uint32_t i = 0; i < tensor; i++) argument.at += has(p, i) ? POINTER : 0;
    snprintf(argument.name, sizeof argument.name, "ptr_%c", letters[tensor]);
    return argument;
}

static void put_arguments(zl_wave_text *t)
{
    const zl_ww *a = (const zl_ww *)t; /* its first member */
    for (uint32_t i = 0; i < ZL_WW_TENSORS; i++) {
        zl_wave_argument argument = argument_of(a->p, i);
        if (has(a->p, i)) zl_wave_argument_put(t, &argument, i == ZL_WW_D);
    }
}

static void launch_put(zlay_pipe_launch *launch, zlay_pipe_argument *arguments, size_t room, const zlay_weights_plan *p)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ZL_WW_TENSORS; i++) {
        zl_wave_argument argument = argument_of(p, i);
        if (!has(p, i)) continue;
        if (count < room && arguments) zl_wave_argument_give(&arguments[count], &argument);
        count++;
    }
    if (launch) *launch = (zlay_pipe_launch){.threads = p->info.threads, .cluster = 1, .arguments = count};
}

/* ---- the setup ------------------------------------------------------------------------------ */

/* A resource of so many bytes from the tensor's address on. */
static void resource(zl_ww *a, uint32_t tensor, uint64_t bytes)
{
    uint32_t to = zl_ww_resource(tensor), from = ZL_WW_POINTER + 2 * tensor;
    zl_wave_line(&a->t, "s_mov_b32 s%u, s%u", to, from);
    zl_wave_line(&a->t, "s_and_b32 s%u, s%u, 0xffff", to + 1, from + 1);
    zl_wave_line(&a->t, "s_mov_b32 s%u, 0x%llx", to + 2, (unsigned long long)bytes);
    zl_wave_line(&a->t, "s_mov_b32 s%u, 0x%x", to + 3, a->t.raw);
}

/* Rows of so many elements, `pitch` from one to the next. */
static uint64_t matrix_bytes(uint64_t rows, uint64_t pitch, uint64_t elements) { return ((rows - 1) * pitch + elements) * ELEMENT; }

static void resources(zl_ww *a)
{
    const zlay_weights *w = &a->p->ask;
    uint64_t steps = a->p->info.steps, bytes = steps * tile_bytes(a);
    uint32_t b = ZL_WW_POINTER + 2 * ZL_WW_B, s = ZL_S_SCRATCH;
    zl_wave_line(&a->t, "s_mul_hi_u32 s%u, s%d, 0x%llx", s, ZL_S_TILE_N, (unsigned long long)bytes);
    zl_wave_line(&a->t, "s_mul_i32 s%u, s%d, 0x%llx", s + 1, ZL_S_TILE_N, (unsigned long long)bytes);
    zl_wave_line(&a->t, "s_add_u32 s%u, s%u, s%u", b, b, s + 1);
    zl_wave_line(&a->t, "s_addc_u32 s%u, s%u, s%u", b + 1, b + 1, s);
    resource(a, ZL_WW_A, matrix_bytes(w->m, w->lda, w->k));
    resource(a, ZL_WW_B, bytes);
    resource(a, ZL_WW_S, matrix_bytes(steps, w->lds, w->n));
    if (w->zeros) resource(a, ZL_WW_Z, matrix_bytes(steps, w->lds, w->n));
    resource(a, ZL_WW_D, matrix_bytes(w->m, w->ldd, w->n));
}

/* v1 = the wave, v2 = the lane's row of a factor, v3 = its part of K; the offset of its weights, of which those of a lane and a half
 * of a tile are 16 bytes side by side. */
static void lane(zl_ww *a)
{
    zl_wave_text *t = &a->t;
    zl_wave_line(t, "v_lshrrev_b32 v1, 6, v0");
    zl_wave_line(t, "v_and_b32 v2, 15, v0");
    zl_wave_line(t, "v_bfe_u32 v3, v0, 4, 2");
    zl_wave_line(t, "v_lshlrev_b32 v%d, 4, v3", ZL_WW_AT_B);
    zl_wave_line(t, "v_lshl_add_u32 v%d, v2, 6, v%d", ZL_WW_AT_B, ZL_WW_AT_B);
    zl_wave_line(t, "v_lshl_add_u32 v%d, v1, 10, v%d", ZL_WW_AT_B, ZL_WW_AT_B);
}

/* Twice the column of D: 64 for a block, 32 for a wave, 16 for what v4 says, and v5, in elements of two bytes. */
static void column(zl_ww *a, uint32_t to)
{
    zl_wave_line(&a->t, "v_lshl_add_u32 v%u, v4, 5, v5", to);
    zl_wave_line(&a->t, "v_lshl_add_u32 v%u, v1, 6, v%u", to, to);
    zl_wave_line(&a->t, "v_add_u32 v%u, s%d, v%u", to, ZL_S_COLUMNS, to);
}

/* Zeros are those of the lane's row of weights, scales those of its four sums. */
static void columns(zl_ww *a)
{
    zl_wave_text *t = &a->t;
    zl_wave_line(t, "s_lshl_b32 s%d, s%d, 7", ZL_S_COLUMNS, ZL_S_TILE_N);
    zl_wave_line(t, "v_lshrrev_b32 v4, 3, v2");
    zl_wave_line(t, "v_and_b32 v5, 7, v2");
    zl_wave_line(t, "v_lshlrev_b32 v5, 1, v5");
    column(a, ZL_WW_AT_Z);
    zl_wave_line(t, "v_lshrrev_b32 v4, 1, v3");
    zl_wave_line(t, "v_and_b32 v5, 1, v3");
    zl_wave_line(t, "v_lshlrev_b32 v5, 3, v5");
    column(a, ZL_WW_AT_S);
}

/* v%to = the offset of the lane's row of A or D, and of the 16th row behind it and so on, plus v%plus shifted. */
static void rows(zl_ww *a, uint64_t pitch, uint32_t plus, uint32_t shift)
{
    zl_wave_text *t = &a->t;
    uint64_t row = pitch * ELEMENT;
    zl_wave_line(t, "s_mul_i32 s%d, s%d, 0x%x", ZL_S_SCRATCH, ZL_S_TILE_M, a->p->info.tile_m);
    zl_wave_line(t, "v_and_b32 v1, 15, v0");
    zl_wave_line(t, "v_add_u32 v1, s%d, v1", ZL_S_SCRATCH);
    zl_wave_line(t, "s_mov_b32 s%d, 0x%llx", ZL_S_SCRATCH, (unsigned long long)row);
    zl_wave_line(t, "v_mul_lo_u32 v1, v1, s%d", ZL_S_SCRATCH);
    zl_wave_line(t, "v_lshl_add_u32 v%d, v%u, %u, v1", ZL_WW_AT_A, plus, shift);
    for (uint32_t i = 1; i < a->p->wave.blocks; i++)
        zl_wave_line(t, "v_add_u32 v%u, 0x%llx, v%d", ZL_WW_AT_A + i, (unsigned long long)(i * SIDE * row), ZL_WW_AT_A);
}

void zl_ww_rows_of_d(zl_ww *a) { rows(a, a->p->ask.ldd, ZL_WW_AT_S, 0); }

/* Without zeros the four bits of s4 are 8 too great, always. */
static void constants(zl_ww *a)
{
    zl_gb_constants(&a->t);
    if (a->p->ask.zeros || a->p->ask.weights == ZLAY_TYPE_U4) return;
    for (uint32_t h = 0; h < 2; h++) zl_wave_line(&a->t, "v_mov_b32 v%u, 0x41000000", a->p->wave.set[ZL_WW_ZEROS] + 2 + h);
}

void zl_ww_setup(zl_ww *a)
{
    for (uint32_t i = 0; i < ZL_WW_TENSORS; i++)
        if (has(a->p, i))
            zl_wave_line(&a->t, "s_load_dwordx2 s[%u:%u], s[0:1], 0x%x", ZL_WW_POINTER + 2 * i, ZL_WW_POINTER + 2 * i + 1,
                         argument_of(a->p, i).at);
    zl_wave_line(&a->t, "v_and_b32 v0, 0x3ff, v0");
    constants(a);
    lane(a);
    columns(a);
    rows(a, a->p->ask.lda, 3, 2);
    zl_wave_line(&a->t, "s_waitcnt lgkmcnt(0)");
    resources(a);
}

/* ---- the frame ------------------------------------------------------------------------------- */

static void print(zl_text *out, const void *value)
{
    zl_ww a = *(const zl_ww *)value;
    const zlay_weights_summary *info = &a.p->info;
    zl_text_frame frame = zl_target_frame(a.p->target);
    a.t.out = out;
    a.gb.t = &a.t;
    zl_putf(out, "; zlay %s: D[%llu,%llu] = A B, K = %llu, bf16 with weights of %s%s; tile %ux%ux%u; grid %llu x %llu blocks of %u threads\n",
            zlay_version(), (unsigned long long)a.p->ask.m, (unsigned long long)a.p->ask.n, (unsigned long long)a.p->ask.k,
            zlay_type_name(a.p->ask.weights), a.p->ask.zeros ? " and zeros" : "", info->tile_m, info->tile_n, info->tile_k,
            (unsigned long long)info->grid[0], (unsigned long long)info->grid[1], info->threads);
    zl_wave_frame_put(&a.t, frame.head, put_arguments);
    zl_ww_setup(&a);
    zl_ww_events(&a);
    zl_wave_frame_put(&a.t, frame.tail, put_arguments);
}

zlay_status zl_ww_print(zlay_ctx *ctx, zlay_buf *out, zlay_pipe_launch *launch, zlay_pipe_argument *arguments, size_t room,
                        const zlay_weights_emit *ask)
{
    const zlay_weights_plan *p = ask->plan;
    zl_ww a = {.t = {.ctx = ctx}, .p = p};
    zlay_status status = zl_name_check(ctx, ask->name, ask->name_length);
    if (!status && ask->language != ZLAY_TEXT_PTX)
        status = zl_fail(ctx, ZLAY_ENOTSUP, "language: %s has assembly alone", zlay_target_name(p->target));
    if (!status) status = zl_wave_target_read(&a.t, p->target, &p->wave.mma);
    if (status) return status;
    zl_wave_phrases_read(&a.t);
    a.t.kernel = (zl_wave_kernel){.name = ask->name,
                                  .name_length = ask->name_length,
                                  .threads = p->info.threads,
                                  .lanes = p->info.threads / p->wave.waves,
                                  .registers = p->wave.registers,
                                  .scalars = ZL_WW_SCALARS,
                                  .argument_bytes = argument_of(p, ZL_WW_D).at + POINTER};
    status = zl_wave_print(out, &a.t, print);
    if (!status) launch_put(launch, arguments, room, p);
    return status;
}
