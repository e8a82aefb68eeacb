/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what a wave of a product with weights of 4 bits computes once: resources and the offsets of its lanes. A resource of A,
 * scales or zeros ends behind the tensor's last element, and one of weights behind the last tile of the block's rows, so that what
 * lies outside reads 0; each is moved from step to step. */
#include "emit/gcn/weights.h"

#include <stdio.h>

enum { ELEMENT = 2 /* bytes */, SIDE = 16, BYTES = 8 /* of an address */ };

/* ---- arguments ----------------------------------------------------------------------------- */

bool zl_ww_has(const zlay_weights_plan *p, uint32_t tensor) { return tensor != ZL_WW_Z || p->ask.zeros; }

zl_wave_argument zl_ww_argument(const zlay_weights_plan *p, uint32_t tensor)
{
    static const char letters[ZL_WW_TENSORS] = {'a', 'b', 's', 'z', 'd'};
    zl_wave_argument argument = {.bytes = BYTES, .written = tensor == ZL_WW_D};
    for (uint32_t i = 0; i < tensor; i++) argument.at += zl_ww_has(p, i) ? BYTES : 0;
    snprintf(argument.name, sizeof argument.name, "ptr_%c", letters[tensor]);
    return argument;
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
    uint64_t steps = a->p->info.steps, bytes = steps * zl_weights_bytes(w->weights);
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
        if (zl_ww_has(a->p, i))
            zl_wave_line(&a->t, "s_load_dwordx2 s[%u:%u], s[0:1], 0x%x", ZL_WW_POINTER + 2 * i, ZL_WW_POINTER + 2 * i + 1,
                         zl_ww_argument(a->p, i).at);
    zl_wave_line(&a->t, "v_and_b32 v0, 0x3ff, v0");
    constants(a);
    lane(a);
    columns(a);
    rows(a, a->p->ask.lda, 3, 2);
    zl_wave_line(&a->t, "s_waitcnt lgkmcnt(0)");
    resources(a);
}
