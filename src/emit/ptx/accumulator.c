/* SPDX-License-Identifier: Apache-2.0 */
/* Prints how a consumer writes its sums to the staging of D, in the swizzled layout that the tensor
 * copy of D reads. Thread t of the warpgroup holds value i of row 16 (t/32) + (t%32)/4 + 8 (i/2 % 2),
 * column 8 (i/4) + 2 (t%4) + i%2 (PTX ISA, "Register Fragments ... wgmma"). Sums that become f16 or
 * bf16 are rounded to pairs and stored by stmatrix.x4, which stores just these four matrices: rows
 * 0-7 and 8-15 of two 16-byte chunks, at a row address from each lane. Sums that stay f32 or s32 are
 * stored by two neighbours, which are half a chunk. */
#include "emit/emit.h"

#include <stdio.h>

enum {
    CHUNKS = 8,
    PER_CHUNK = 4
}; /* 16-byte chunks of a 128-byte row; values a thread holds of eight columns */

static bool by_pairs(const zl_emit *e) { return e->plan->operand[ZLAY_OPERAND_D].element == 4; }

/* Prints the lane's address of its first pair of 4-byte elements: row l / 4 of eight, chunk l % 4 / 2
 * after the swizzle, half l % 2. */
static void pair_setup(zl_emit *e)
{
    zl_emit_line(e, "shr.u32 put0, lane, 2;");
    zl_emit_line(e, "shr.u32 half, lane, 1;");
    zl_emit_line(e, "and.b32 half, half, 1;");
    zl_emit_line(e, "xor.b32 half, half, put0;");
    zl_emit_line(e, "mad.lo.u32 put0, rwarp, 16, put0;");
    zl_emit_line(e, "mad.lo.u32 put0, put0, %u, staging;", e->plan->operand[ZLAY_OPERAND_D].span);
    zl_emit_line(e, "mad.lo.u32 put0, half, 16, put0;");
    zl_emit_line(e, "and.b32 half, lane, 1;");
    zl_emit_line(e, "mad.lo.u32 put0, half, 8, put0;");
}

/* Prints the lane's row address for stmatrix of its first pair of chunks, after the swizzle. */
static void matrix_setup(zl_emit *e)
{
    zl_emit_line(e, "and.b32 put0, lane, 7;");
    zl_emit_line(e, "shr.u32 half, lane, 4;");
    zl_emit_line(e, "xor.b32 half, half, put0;");
    zl_emit_line(e, "and.b32 put0, lane, 15;");
    zl_emit_line(e, "mad.lo.u32 put0, rwarp, 16, put0;");
    zl_emit_line(e, "mad.lo.u32 put0, put0, %u, staging;", e->plan->operand[ZLAY_OPERAND_D].span);
    zl_emit_line(e, "mad.lo.u32 put0, half, 16, put0;");
}

void zl_emit_write_setup(zl_emit *e)
{
    zl_emit_line(e, ".reg .b32 put<%d>, half;", CHUNKS / 2);
    if (by_pairs(e)) pair_setup(e);
    else matrix_setup(e);
    for (int c = 1; c < CHUNKS / 2; c++) zl_emit_line(e, "xor.b32 put%d, put0, %d;", c, 2 * c * 16);
}

/* Rounds eight sums to four registers of pairs. */
static void pack(zl_emit *e, uint32_t first)
{
    const char *type = zlay_type_name(e->plan->operand[ZLAY_OPERAND_D].type);
    for (uint32_t r = 0; r < 4; r++)
        zl_emit_line(e, "cvt.rn.%sx2.f32 h%u, acc%u, acc%u;", type, r, first + 2 * r + 1,
                     first + 2 * r);
}

static void write_matrix(zl_emit *e, const zlay_copy *box, const char *put, uint32_t first)
{
    pack(e, first);
    zl_emit_line(e, "add.u32 at, %s, %u;", put, box->smem);
    zl_emit_form(e, "", ZL_FORM_STMATRIX_X4, (const char *const[]){"at", "h0", "h1", "h2", "h3"});
}

/* The lane's two rows, eight apart, of eight columns. */
static void write_pairs(zl_emit *e, const zlay_copy *box, const char *put, uint32_t first)
{
    const uint32_t span = e->plan->operand[ZLAY_OPERAND_D].span;
    for (uint32_t row = 0; row < 2; row++) {
        char left[16], right[16];
        snprintf(left, sizeof left, "acc%u", first + 2 * row);
        snprintf(right, sizeof right, "acc%u", first + 2 * row + 1);
        zl_emit_line(e, "add.u32 at, %s, %u;", put, box->smem + 8 * row * span);
        zl_emit_form(e, "", ZL_FORM_ST_SHARED_8, (const char *const[]){"at", left, right});
    }
}

void zl_emit_write(zl_emit *e, int32_t part)
{
    const zl_operand *d = &e->plan->operand[ZLAY_OPERAND_D];
    uint32_t columns = zl_pass_column(&e->plan->info, (uint32_t)part), eights = d->map.box[0] / 8;
    zl_emit_line(e, "{");
    zl_emit_line(e, by_pairs(e) ? ".reg .b32 at;" : ".reg .b32 h<4>, at;");
    for (uint32_t box = 0; box < d->copies_count; box++)
        for (uint32_t i = 0; i < CHUNKS / 2; i++) {
            char put[16] = "put0";
            uint32_t eight = columns / 8 + box * eights + i * eights / (CHUNKS / 2);
            put[3] = (char)('0' + i);
            if (by_pairs(e)) write_pairs(e, &d->copies[box], put, PER_CHUNK * eight);
            else write_matrix(e, &d->copies[box], put, PER_CHUNK * eight);
        }
    zl_emit_line(e, "}");
}
