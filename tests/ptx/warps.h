/* SPDX-License-Identifier: Apache-2.0 */
/* mma.sync.m16n8 with 32 bytes of K: factors and sums in registers. Lane 4 g + t has of A 4 bytes of rows g and g + 8, of B of
 * column g, from byte 4 t of K on and from byte 16 + 4 t on, and the sums of rows g and g + 8 in columns 2 t and 2 t + 1. From
 * PTX ISA 9.1, "Matrix Fragments for mma.m16n8k16", "m16n8k8" of .tf32, and "m16n8k32". */
#ifndef TEST_PTX_WARPS_H
#define TEST_PTX_WARPS_H

#include "ptx/products.h"

/* `.m16n8kK.row.col.D.A.B.D`. */
static inline bool px_sync_types(const char *op, int32_t *a, int32_t *b)
{
    char d[8], of_a[8], of_b[8], c[8];
    int k;
    if (sscanf(op, "mma.sync.aligned.m16n8k%d.row.col.%7[a-z0-9].%7[a-z0-9].%7[a-z0-9].%7[a-z0-9]", &k, d, of_a, of_b, c) != 5) return false;
    if (zlay_type_find(a, of_a, strlen(of_a)) || zlay_type_find(b, of_b, strlen(of_b))) return false;
    bool whole = px_is_whole(*a) && px_is_whole(*b), bytes = px_is_byte(*a) && px_is_byte(*b);
    bool same = *a == *b && (px_is_half(*a) || *a == ZLAY_TYPE_TF32);
    return (whole || bytes || same) && !strcmp(d, c) && !strcmp(d, whole ? "s32" : "f32") &&
           (uint32_t)k * px_bytes_of(*a) == PX_K_BYTES;
}

/* The 4 bytes of a register, as numbers from element `k` on. */
static inline void px_sync_numbers(px_machine *m, int thread, const px_operand *o, int32_t type, float *to)
{
    uint32_t word = (uint32_t)px_get(m, thread, o), bytes = px_bytes_of(type);
    for (uint32_t i = 0; i < 4 / bytes; i++) to[i] = px_number((const uint8_t *)&word + i * bytes, type);
}

/* `{d0..d3}, {a0..a3}, {b0, b1}, {c0..c3}`. */
static inline bool px_sync_mma(px_machine *m, int first, const px_line *l)
{
    float a[16][PX_DEPTH], b[8][PX_DEPTH];
    int32_t type_a, type_b;
    if (!px_sync_types(l->op, &type_a, &type_b) || l->count != 14) return px_fault(m, "no product '%s'", l->op);
    uint32_t each = 4 / px_bytes_of(type_a), depth = PX_K_BYTES / px_bytes_of(type_a);
    for (int lane = 0; lane < PX_WARP; lane++) {
        int g = lane / 4, t = lane % 4;
        for (int r = 0; r < 4; r++)
            px_sync_numbers(m, first + lane, &l->operand[4 + r], type_a, &a[g + 8 * (r % 2)][each * (uint32_t)(t + 4 * (r / 2))]);
        for (int r = 0; r < 2; r++)
            px_sync_numbers(m, first + lane, &l->operand[8 + r], type_b, &b[g][each * (uint32_t)(t + 4 * r)]);
    }
    for (int lane = 0; lane < PX_WARP; lane++)
        for (int r = 0; r < 4; r++) {
            int row = lane / 4 + 8 * (r / 2), column = lane % 4 * 2 + r % 2;
            float sum = 0;
            for (uint32_t k = 0; k < depth; k++) sum += a[row][k] * b[column][k];
            px_set(m, first + lane, &l->operand[r], px_added((uint32_t)px_get(m, first + lane, &l->operand[10 + r]), sum, type_a, true));
        }
    return true;
}

#endif
