/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the body of a transfer that transposes tiles: rows are read along the source's
 * contiguous mode and written along the destination's, through swizzled shared memory or by
 * ldmatrix with .trans. Coordinate 0 of a tile runs along the destination, 1 along the source. */
#include "emit/move/copy.h"

enum { LANES = 32, CHUNK_ELEMENTS = 8, LINE = 128, MATRIX_ROWS = 16 };

/* from, to: addresses of the tile's corner; left0, left1: what the tensor has from there on. */
static void corner(zl_kernel_text *k)
{
    const zlay_transfer *t = k->t;
    const zl_loop *dest = &t->loop[0], *source = &t->loop[t->turn];
    const uint32_t *tile = t->info.tile;
    zl_emit *e = &k->e;
    zl_emit_line(e, ".reg .b64 left0, left1, lane, group;");
    zl_kernel_item(k, 0, "$finish");
    zl_kernel_digits(k, zl_ceil_div((uint64_t)dest->extent, tile[0]),
                     zl_ceil_div((uint64_t)source->extent, tile[1]));
    zl_kernel_add(k, "from", "x", dest->from * tile[0]);
    zl_kernel_add(k, "to", "x", dest->to * tile[0]);
    zl_kernel_add(k, "from", "y", source->from * tile[1]);
    zl_kernel_add(k, "to", "y", source->to * tile[1]);
    zl_kernel_addresses(k);
    zl_emit_line(e, "mul.lo.s64 x, x, %u;", tile[0]);
    zl_emit_line(e, "sub.s64 left0, %lld, x;", (long long)dest->extent);
    zl_emit_line(e, "mul.lo.s64 y, y, %u;", tile[1]);
    zl_emit_line(e, "sub.s64 left1, %lld, y;", (long long)source->extent);
}

/* lane = the thread's place along a row; group = the first of its rows. */
static void places(zl_kernel_text *k, uint32_t lanes)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "and.b32 z, tid, %u;", lanes - 1);
    zl_emit_line(e, "cvt.u64.u32 lane, z;");
    zl_emit_line(e, "shr.u32 z, tid, %d;", __builtin_ctz(lanes));
    zl_emit_line(e, "cvt.u64.u32 group, z;");
}

/* Address of a thread's first row on one side. */
static void row_address(zl_kernel_text *k, const char *address, uint32_t elements, int64_t pitch)
{
    uint32_t elem = zl_elem(k->t);
    zl_kernel_add(k, address, "lane", (int64_t)elements * elem);
    zl_kernel_add(k, address, "group", pitch * elem);
}

/* p = the thread's `elements` times lane-th element and its row `more` further down are there. */
static void inside(zl_kernel_text *k, const char *along, const char *down, uint32_t elements,
                   uint32_t more)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "mul.lo.s64 d, lane, %u;", elements);
    zl_emit_line(e, "setp.lt.s64 p, d, %s;", along);
    zl_emit_line(e, "add.s64 d, group, %u;", more);
    zl_emit_line(e, "setp.lt.and.s64 p, d, %s, p;", down);
}

/* An address `rows` further down than `from` or `to`. */
static void further(zl_kernel_text *k, const char *address, int64_t pitch, uint32_t rows)
{
    zl_emit_line(&k->e, "add.s64 d, %s, %lld;", address,
                 (long long)(pitch * (int64_t)rows * (int64_t)zl_elem(k->t)));
}

/* ---- by elements ------------------------------------------------------------------- */

void zl_kernel_transpose(zl_kernel_text *k)
{
    const zlay_transfer *t = k->t;
    uint32_t elem = zl_elem(t), pitch = t->info.pitch, words = elem < 4 ? 1 : elem / 4;
    uint32_t step = t->info.threads / LANES;
    int64_t source_pitch = t->loop[0].from, dest_pitch = t->loop[t->turn].to;
    zl_emit *e = &k->e;
    corner(k);
    places(k, LANES);
    row_address(k, "from", 1, source_pitch);
    row_address(k, "to", 1, dest_pitch);
    for (uint32_t i = 0; i < t->info.accesses; i++) {
        inside(k, "left1", "left0", 1, i * step);
        further(k, "from", source_pitch, i * step);
        zl_kernel_access(k, "@p ", ZL_LD_GLOBAL, elem, "d", 0, i * words);
    }
    zl_emit_line(e, ".reg .b32 lane32, group32, put, get;");
    zl_emit_line(e, "cvt.u32.u64 lane32, lane;");
    zl_emit_line(e, "cvt.u32.u64 group32, group;");
    zl_emit_line(e, "mad.lo.u32 put, group32, %u, smem;", pitch);
    zl_emit_line(e, "mad.lo.u32 put, lane32, %u, put;", elem);
    zl_emit_line(e, "mad.lo.u32 get, lane32, %u, smem;", pitch);
    zl_emit_line(e, "mad.lo.u32 get, group32, %u, get;", elem);
    for (uint32_t i = 0; i < t->info.accesses; i++)
        zl_kernel_access(k, "", ZL_ST_SHARED, elem, "put", i * step * pitch, i * words);
    zl_emit_form(e, "", ZL_FORM_BAR_SYNC_ALL, (const char *const[]){"0"});
    for (uint32_t i = 0; i < t->info.accesses; i++) {
        inside(k, "left0", "left1", 1, i * step);
        further(k, "to", dest_pitch, i * step);
        zl_kernel_access(k, "", ZL_LD_SHARED, elem, "get", i * step * elem, 0);
        zl_kernel_access(k, "@p ", ZL_ST_GLOBAL, elem, "d", 0, 0);
    }
}

/* ---- by matrices ------------------------------------------------------------------- */

/* at = base + row * 128 + (chunk XOR row mod 8) * 16, of 32-bit registers. */
static void chunk_address(zl_kernel_text *k, const char *at, const char *row, const char *chunk,
                          uint32_t base)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "and.b32 z, %s, 7;", row);
    zl_emit_line(e, "xor.b32 z, z, %s;", chunk);
    zl_emit_line(e, "shl.b32 z, z, 4;");
    zl_emit_line(e, "mad.lo.u32 z, %s, %d, z;", row, LINE);
    zl_emit_line(e, "add.u32 %s, smem, z;", at);
    if (base) zl_emit_line(e, "add.u32 %s, %s, %u;", at, at, base);
}

/* Matrix m = lane / 8 of the four of step i: rows 8 (2 warp + m mod 2) and chunk 2 i + m / 2 of the
 * tile as it came, and the other way round as it goes. */
static void matrix_step(zl_kernel_text *k, uint32_t i, uint32_t half)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "add.u32 c, c0, %u;", 2 * i);
    zl_emit_line(e, "mad.lo.u32 row, r, 8, l;");
    chunk_address(k, "get", "row", "c", 0);
    zl_emit_form(e, "", ZL_FORM_LDMATRIX_X4_TRANS,
                 (const char *const[]){"w0", "w1", "w2", "w3", "get"});
    zl_emit_line(e, "mad.lo.u32 row, c, 8, l;");
    chunk_address(k, "put", "row", "r", half);
    zl_emit_form(e, "", ZL_FORM_STMATRIX_X4,
                 (const char *const[]){"put", "w0", "w1", "w2", "w3"});
}

/* Transposes the tile in shared memory: ldmatrix.trans from the first half, stmatrix to the
 * second. */
static void matrices(zl_kernel_text *k, uint32_t half)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "and.b32 l, tid, 7;");
    zl_emit_line(e, "shr.u32 r, tid, 5;");
    zl_emit_line(e, "shl.b32 r, r, 1;");
    zl_emit_line(e, "shr.u32 z, tid, 3;");
    zl_emit_line(e, "and.b32 z, z, 1;");
    zl_emit_line(e, "add.u32 r, r, z;");
    zl_emit_line(e, "shr.u32 c0, tid, 4;");
    zl_emit_line(e, "and.b32 c0, c0, 1;");
    for (uint32_t i = 0; i < ZL_MATRIX_TILE / MATRIX_ROWS; i++) matrix_step(k, i, half);
}

/* Moves the tile between global memory and one half of shared memory. */
static void matrix_side(zl_kernel_text *k, bool load, int64_t pitch, uint32_t half)
{
    const char *side = load ? "from" : "to";
    zl_emit *e = &k->e;
    zl_emit_line(e, "cvt.u32.u64 row, group;");
    zl_emit_line(e, "cvt.u32.u64 c, lane;");
    chunk_address(k, "put", "row", "c", half);
    for (uint32_t i = 0; i < k->t->info.accesses; i++) {
        uint32_t rows = i * MATRIX_ROWS;
        inside(k, load ? "left1" : "left0", load ? "left0" : "left1", CHUNK_ELEMENTS, rows);
        further(k, side, pitch, rows);
        if (!load) zl_kernel_access(k, "", ZL_LD_SHARED, ZL_CHUNK, "put", rows * LINE, 0);
        zl_kernel_access(k, "@p ", load ? ZL_LD_GLOBAL : ZL_ST_GLOBAL, ZL_CHUNK, "d", 0,
                       load ? 4 * i : 0);
    }
    for (uint32_t i = 0; load && i < k->t->info.accesses; i++)
        zl_kernel_access(k, "", ZL_ST_SHARED, ZL_CHUNK, "put", i * MATRIX_ROWS * LINE, 4 * i);
}

void zl_kernel_matrix(zl_kernel_text *k)
{
    const zlay_transfer *t = k->t;
    uint32_t half = t->info.smem / 2;
    int64_t source_pitch = t->loop[0].from, dest_pitch = t->loop[t->turn].to;
    zl_emit *e = &k->e;
    zl_emit_line(e, ".reg .b32 l, r, c, c0, row, put, get;");
    corner(k);
    places(k, LINE / ZL_CHUNK);
    row_address(k, "from", CHUNK_ELEMENTS, source_pitch);
    row_address(k, "to", CHUNK_ELEMENTS, dest_pitch);
    matrix_side(k, true, source_pitch, 0);
    zl_emit_form(e, "", ZL_FORM_BAR_SYNC_ALL, (const char *const[]){"0"});
    matrices(k, half);
    zl_emit_form(e, "", ZL_FORM_BAR_SYNC_ALL, (const char *const[]){"0"});
    matrix_side(k, false, dest_pitch, half);
}
