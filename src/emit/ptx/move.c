/* SPDX-License-Identifier: Apache-2.0 */
/* Prints boxes moved by 128 threads, where no tensor copy may move them. Thread t starts at byte t
 * * width of the box as it lies in shared memory and goes on by 128 * width; a row of the box is
 * `span` bytes. The swizzle XORs the number of the 128-byte line onto the number of the 16-byte
 * chunk. A step advances by `width` lines, so each address of a thread is its first one, one XOR
 * and one constant. */
#include "emit/emit.h"

#include <stdio.h>

enum { THREADS = 128, BATCH = 16 };

static const char letters[] = "abd";

/* The bits of a line's number that the swizzle uses. */
static uint32_t line_mask(const zl_operand *o) { return (1u << o->map.swizzle) - 1; }
static uint32_t step_bytes(const zl_operand *o) { return THREADS * o->width; }
static uint32_t step_rows(const zl_operand *o) { return step_bytes(o) / o->span; }
static uint32_t steps(const zl_operand *o, const zlay_copy *copy)
{
    return copy->bytes / step_bytes(o);
}

/* Prints what a thread keeps of an operand for the whole role: its first byte of the box, swizzled
 * and as row and column, and the operand's address. */
void zl_emit_thread_setup(zl_emit *e, int32_t operand)
{
    const zl_operand *o = &e->plan->operand[operand];
    char l = letters[operand];
    zl_emit_line(e, ".reg .b32 %c_lin, %c_off, %c_row, %c_col;", l, l, l, l);
    zl_emit_line(e, ".reg .b64 %c_ptr;", l);
    zl_emit_line(e, "mul.lo.u32 %c_lin, rtid, %u;", l, o->width);
    zl_emit_line(e, "shr.u32 %c_off, %c_lin, 7;", l, l);
    zl_emit_line(e, "and.b32 %c_off, %c_off, %u;", l, l, line_mask(o));
    zl_emit_line(e, "shl.b32 %c_off, %c_off, 4;", l, l);
    zl_emit_line(e, "xor.b32 %c_off, %c_off, %c_lin;", l, l, l);
    zl_emit_line(e, "div.u32 %c_row, %c_lin, %u;", l, l, o->span);
    zl_emit_line(e, "rem.u32 %c_col, %c_lin, %u;", l, l, o->span);
    if (o->element > 1)
        zl_emit_line(e, "shr.u32 %c_col, %c_col, %u;", l, l, zl_log2(o->element));
    zl_emit_line(e, "ld.param.u64 %c_ptr, [ptr_%c];", l, l);
    zl_emit_line(e, "cvta.to.global.u64 %c_ptr, %c_ptr;", l, l);
}

/* Coordinates of the thread's first element: tile indices times what the copy advances, and its own
 * place. */
static void coordinates(zl_emit *e, const zlay_copy *copy, char l, int32_t x_more,
                        const char *y_more)
{
    static const char *const tile[3] = {"tm", "tn", "kt"};
    zl_emit_line(e, "add.s32 x, %c_col, %d;", l, copy->coordinate[0] + x_more);
    zl_emit_line(e, "add.s32 y, %c_row, %d;", l, copy->coordinate[1]);
    for (int axis = 0; axis < 3; axis++) {
        if (copy->advance[0][axis])
            zl_emit_line(e, "mad.lo.s32 x, %s, %d, x;", tile[axis], copy->advance[0][axis]);
        if (copy->advance[1][axis])
            zl_emit_line(e, "mad.lo.s32 y, %s, %d, y;", tile[axis], copy->advance[1][axis]);
    }
    if (y_more) zl_emit_line(e, "add.s32 y, y, %s;", y_more);
}

/* g = the address of the thread's first element; y becomes the number of rows from there to the
 * end. */
static void pointer(zl_emit *e, const zl_operand *o, char l)
{
    zl_emit_line(e, "cvt.u64.u32 g, y;");
    zl_emit_line(e, "mad.lo.u64 g, g, %llu, %c_ptr;", (unsigned long long)o->map.stride[0], l);
    zl_emit_line(e, "mad.wide.u32 g, x, %u, g;", o->element);
    zl_emit_line(e, "sub.s32 y, %llu, y;", (unsigned long long)o->map.extent[1]);
}

/* The base of a step: its lines XOR the thread's chunk by (step * width) mod 8. */
static void shared_address(zl_emit *e, const zl_operand *o, char l, uint32_t step, const char *base)
{
    uint32_t lines = (step * o->width) & line_mask(o);
    zl_emit_line(e, "xor.b32 s, %c_off, %u;", l, lines << 4);
    zl_emit_line(e, "add.u32 s, s, %s;", base);
    zl_emit_line(e, "add.u32 s, s, %u;", step * step_bytes(o));
}

/* h = the address of a step, and q: its row is inside the matrix. */
static void global_step(zl_emit *e, const zl_operand *o, uint32_t step)
{
    zl_emit_line(e, "add.s64 h, g, %llu;",
                 (unsigned long long)(step * step_rows(o) * o->map.stride[0]));
    zl_emit_line(e, "setp.gt.s32 q, y, %u;", step * step_rows(o));
}

/* Prints cp.async of each step; the bytes past the end of a row or matrix are filled with zeros.
 * Where a row's bytes pass 32 bits, its elements are bounded before they are counted in bytes. */
static void load_async(zl_emit *e, const zl_operand *o, const zlay_copy *copy, char l)
{
    zl_form_id form = o->width == 16  ? ZL_FORM_CP_ASYNC_16
                      : o->width == 8 ? ZL_FORM_CP_ASYNC_8
                                      : ZL_FORM_CP_ASYNC_4;
    zl_emit_line(e, "sub.s32 x, %llu, x;", (unsigned long long)o->map.extent[0]);
    if (o->map.extent[0] > INT32_MAX / o->element)
        zl_emit_line(e, "min.s32 x, x, %u;", o->width / o->element);
    if (o->element > 1) zl_emit_line(e, "shl.b32 x, x, %u;", zl_log2(o->element));
    zl_emit_line(e, "max.s32 x, x, 0;");
    zl_emit_line(e, "min.s32 x, x, %u;", o->width);
    for (uint32_t j = 0; j < steps(o, copy); j++) {
        shared_address(e, o, l, j, "base");
        global_step(e, o, j);
        zl_emit_line(e, "selp.b32 z, x, 0, q;");
        zl_emit_form(e, "", form, (const char *const[]){"s", "h", "z"});
    }
}

/* Loads of one element each, a batch of them first, then its stores, so that the loads overlap. */
static void load_plain(zl_emit *e, const zl_operand *o, const zlay_copy *copy, char l)
{
    uint32_t all = steps(o, copy);
    zl_emit_line(e, "setp.lt.s32 in, x, %llu;", (unsigned long long)o->map.extent[0]);
    for (uint32_t from = 0; from < all; from += BATCH) {
        uint32_t to = from + BATCH < all ? from + BATCH : all;
        for (uint32_t j = from; j < to; j++) {
            global_step(e, o, j);
            zl_emit_line(e, "and.pred q, q, in;");
            zl_emit_line(e, "mov.b16 v%u, 0;", j - from);
            zl_emit_line(e, "@q ld.global.b%u v%u, [h];", 8 * o->element, j - from);
        }
        for (uint32_t j = from; j < to; j++) {
            shared_address(e, o, l, j, "base");
            zl_emit_line(e, "st.shared.b%u [s], v%u;", 8 * o->element, j - from);
        }
    }
}

/* Declares the registers of one move. */
static void scratch(zl_emit *e)
{
    zl_emit_line(e, "{");
    zl_emit_line(e, ".reg .b32 x, y, z, s, base, w<4>;");
    zl_emit_line(e, ".reg .b64 g, h;");
    zl_emit_line(e, ".reg .b16 v<%d>;", BATCH);
    zl_emit_line(e, ".reg .pred q, in;");
}

void zl_emit_thread_load(zl_emit *e, int32_t operand, const zlay_copy *copy, const char *slot)
{
    const zl_operand *o = &e->plan->operand[operand];
    const zlay_plan_summary *info = &e->plan->info;
    bool a = operand == ZLAY_OPERAND_A;
    scratch(e);
    zl_emit_line(e, "mad.lo.u32 base, %s, %u, smem;", slot, a ? info->pitch_a : info->pitch_b);
    zl_emit_line(e, "add.u32 base, base, %u;", (a ? info->smem_a : info->smem_b) + copy->smem);
    coordinates(e, copy, letters[operand], 0, NULL);
    pointer(e, o, letters[operand]);
    if (o->kind == ZLAY_COPY_CP_ASYNC) load_async(e, o, copy, letters[operand]);
    else load_plain(e, o, copy, letters[operand]);
    zl_emit_line(e, "}");
}

/* Prints one access of a thread from shared to global memory, where q holds. */
static void store_one(zl_emit *e, uint32_t width)
{
    static const char *const shared[] = {"ld.shared.b16 v0, [s];", "ld.shared.b32 w0, [s];",
                                         "ld.shared.v2.b32 {w0, w1}, [s];",
                                         "ld.shared.v4.b32 {w0, w1, w2, w3}, [s];"};
    static const char *const global[] = {"@q st.global.b16 [h], v0;", "@q st.global.b32 [h], w0;",
                                         "@q st.global.v2.b32 [h], {w0, w1};",
                                         "@q st.global.v4.b32 [h], {w0, w1, w2, w3};"};
    int row = width == 2 ? 0 : width == 4 ? 1 : width == 8 ? 2 : 3;
    zl_emit_line(e, "%s", shared[row]);
    zl_emit_line(e, "%s", global[row]);
}

void zl_emit_thread_store(zl_emit *e, const zlay_copy *copy, int32_t part)
{
    const zl_operand *o = &e->plan->operand[ZLAY_OPERAND_D];
    scratch(e);
    zl_emit_line(e, "add.u32 base, staging, %u;", copy->smem);
    coordinates(e, copy, 'd', (int32_t)zl_pass_column(&e->plan->info, (uint32_t)part), "rows");
    pointer(e, o, 'd');
    zl_emit_line(e, "setp.lt.s32 in, x, %llu;", (unsigned long long)o->map.extent[0]);
    for (uint32_t j = 0; j < steps(o, copy); j++) {
        shared_address(e, o, 'd', j, "base");
        global_step(e, o, j);
        zl_emit_line(e, "and.pred q, q, in;");
        store_one(e, o->width);
    }
    zl_emit_line(e, "}");
}
