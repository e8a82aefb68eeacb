/* SPDX-License-Identifier: Apache-2.0 */
/* Prints how a consumer writes its sums to the staging of D: rounded to bf16 pairs and stored by
 * stmatrix.x4 into the swizzled layout that the tensor copy of D reads. Thread t of the warpgroup
 * holds value i of row 16 (t/32) + (t%32)/4 + 8 (i/2 % 2), column 8 (i/4) + 2 (t%4) + i%2 (PTX ISA,
 * "Register Fragments ... wgmma"). stmatrix.x4 stores just these four matrices: rows 0-7 and 8-15
 * of two 16-byte chunks, at a row address from each lane. */
#include "emit/emit.h"

enum {
    CHUNKS = 8,
    PER_CHUNK = 4
}; /* 16-byte chunks of a 128-byte row; values a thread holds of eight columns */

/* Prints the lane's address of each pair of chunks in its row, `put`, after the swizzle; once for a
 * role. */
void zl_emit_write_setup(zl_emit *e)
{
    zl_emit_line(e, ".reg .b32 put<%d>, half;", CHUNKS / 2);
    zl_emit_line(e, "and.b32 put0, lane, 7;");
    zl_emit_line(e, "shr.u32 half, lane, 4;");
    zl_emit_line(e, "xor.b32 half, half, put0;");
    zl_emit_line(e, "and.b32 put0, lane, 15;");
    zl_emit_line(e, "mad.lo.u32 put0, rwarp, 16, put0;");
    zl_emit_line(e, "mad.lo.u32 put0, put0, %u, staging;", e->plan->operand[ZLAY_OPERAND_D].span);
    zl_emit_line(e, "mad.lo.u32 put0, half, 16, put0;");
    for (int c = 1; c < CHUNKS / 2; c++) zl_emit_line(e, "xor.b32 put%d, put0, %d;", c, 2 * c * 16);
}

/* Rounds eight sums to four registers of bf16 pairs. */
static void pack(zl_emit *e, uint32_t first)
{
    for (uint32_t r = 0; r < 4; r++)
        zl_emit_line(e, "cvt.rn.bf16x2.f32 h%u, acc%u, acc%u;", r, first + 2 * r + 1,
                     first + 2 * r);
}

void zl_emit_write(zl_emit *e, int32_t part)
{
    const zl_operand *d = &e->plan->operand[ZLAY_OPERAND_D];
    uint32_t columns = (uint32_t)part * e->plan->info.pass_n;
    zl_emit_line(e, "{");
    zl_emit_line(e, ".reg .b32 h<4>, at;");
    for (uint32_t box = 0; box < d->copies_count; box++)
        for (uint32_t pair = 0; pair < CHUNKS / 2; pair++) {
            char put[16] = "put0";
            put[3] = (char)('0' + pair);
            pack(e, PER_CHUNK * (columns / 8 + box * CHUNKS + 2 * pair));
            zl_emit_line(e, "add.u32 at, %s, %u;", put, d->copies[box].smem);
            zl_emit_form(e, "", ZL_FORM_STMATRIX_X4,
                         (const char *const[]){"at", "h0", "h1", "h2", "h3"});
        }
    zl_emit_line(e, "}");
}
