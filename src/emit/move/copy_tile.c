/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the body of a transfer that transposes tiles: rows are read along the source's
 * contiguous mode and written along the destination's, through swizzled shared memory or by
 * ldmatrix with .trans. Coordinate 0 of a tile runs along the destination, 1 along the source. */
#include "emit/move/copy.h"

enum { LANES = 32, CHUNK_ELEMENTS = 8 };

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

/* One side of a tile in global memory: rows of `wide` elements, `tall` of them, of which each access
 * of a thread takes `elements`, `lanes` threads beside each other. */
typedef struct zl_tile_rows {
    const char *address, *along, *down; /* of the corner; what is left along a row and of the rows */
    int64_t pitch;
    uint32_t wide, tall, lanes, elements;
} zl_tile_rows;

static zl_tile_rows source_rows(const zlay_transfer *t, uint32_t lanes, uint32_t elements)
{
    return (zl_tile_rows){"from", "left1", "left0", t->loop[0].from, t->info.tile[1],
                          t->info.tile[0], lanes, elements};
}

static zl_tile_rows dest_rows(const zlay_transfer *t, uint32_t lanes, uint32_t elements)
{
    return (zl_tile_rows){"to", "left0", "left1", t->loop[t->turn].to, t->info.tile[0],
                          t->info.tile[1], lanes, elements};
}

/* Where the thread's i-th access is, of elements along and rows down from its first. */
static uint32_t further_along(const zl_tile_rows *s, uint32_t i)
{
    uint32_t once = s->lanes * s->elements;
    return i % (s->wide / once) * once;
}

static uint32_t further_down(const zl_kernel_text *k, const zl_tile_rows *s, uint32_t i)
{
    return i / (s->wide / (s->lanes * s->elements)) * (k->t->info.threads / s->lanes);
}

/* lane = the thread's place along a row; group = the first of its rows; the side's address becomes
 * that of its first access. */
static void places(zl_kernel_text *k, const zl_tile_rows *s)
{
    uint32_t elem = zl_elem(k->t);
    zl_emit *e = &k->e;
    zl_emit_line(e, "and.b32 z, tid, %u;", s->lanes - 1);
    zl_emit_line(e, "cvt.u64.u32 lane, z;");
    zl_emit_line(e, "shr.u32 z, tid, %d;", __builtin_ctz(s->lanes));
    zl_emit_line(e, "cvt.u64.u32 group, z;");
    zl_kernel_add(k, s->address, "lane", (int64_t)s->elements * elem);
    zl_kernel_add(k, s->address, "group", s->pitch * elem);
}

/* d = the address of the i-th access; in a tile at an edge, p = whether the tensor has it. Returns
 * the access's guard. */
static const char *reach(zl_kernel_text *k, const zl_tile_rows *s, uint32_t i, bool edge)
{
    uint32_t along = further_along(s, i), down = further_down(k, s, i);
    zl_emit *e = &k->e;
    if (edge) {
        zl_emit_line(e, "mad.lo.s64 d, lane, %u, %u;", s->elements, along);
        zl_emit_line(e, "setp.lt.s64 p, d, %s;", s->along);
        zl_emit_line(e, "add.s64 d, group, %u;", down);
        zl_emit_line(e, "setp.lt.and.s64 p, d, %s, p;", s->down);
    }
    zl_emit_line(e, "add.s64 d, %s, %lld;", s->address,
                 (long long)((s->pitch * (int64_t)down + along) * (int64_t)zl_elem(k->t)));
    return edge ? "@p " : "";
}

/* Prints a body twice where the tensor does not end with a whole tile: whole tiles ask nothing, for
 * the comparisons would take longer than the accesses. */
static void whole_or_edge(zl_kernel_text *k, void (*body)(zl_kernel_text *k, bool edge))
{
    const zlay_transfer *t = k->t;
    const int64_t extent[] = {t->loop[0].extent, t->loop[t->turn].extent};
    bool edges = false;
    for (int i = 0; i < 2; i++) {
        if (extent[i] % t->info.tile[i] == 0) continue;
        zl_emit_line(&k->e, "setp.lt.s64 p, left%d, %u;", i, t->info.tile[i]);
        zl_emit_line(&k->e, "@p bra $edge;");
        edges = true;
    }
    body(k, false);
    if (!edges) return;
    zl_emit_line(&k->e, "bra $finish;");
    zl_puts(k->e.out, "$edge:\n");
    body(k, true);
}

/* ---- by elements ------------------------------------------------------------------- */

/* put: where the thread's first element goes in the tile; get: where its first comes from. */
static void tile_places(zl_kernel_text *k)
{
    uint32_t elem = zl_elem(k->t), pitch = k->t->info.pitch;
    zl_emit *e = &k->e;
    zl_emit_line(e, ".reg .b32 lane32, group32, put, get;");
    zl_emit_line(e, "cvt.u32.u64 lane32, lane;");
    zl_emit_line(e, "cvt.u32.u64 group32, group;");
    zl_emit_line(e, "mad.lo.u32 put, group32, %u, smem;", pitch);
    zl_emit_line(e, "mad.lo.u32 put, lane32, %u, put;", elem);
    zl_emit_line(e, "mad.lo.u32 get, lane32, %u, smem;", pitch);
    zl_emit_line(e, "mad.lo.u32 get, group32, %u, get;", elem);
}

static void elements(zl_kernel_text *k, bool edge)
{
    uint32_t elem = zl_elem(k->t), pitch = k->t->info.pitch, words = elem < 4 ? 1 : elem / 4;
    zl_tile_rows from = source_rows(k->t, LANES, 1), to = dest_rows(k->t, LANES, 1);
    for (uint32_t i = 0; i < k->t->info.accesses; i++) {
        const char *guard = reach(k, &from, i, edge);
        zl_kernel_access(k, guard, ZL_LD_GLOBAL, elem, "d", 0, i * words);
    }
    for (uint32_t i = 0; i < k->t->info.accesses; i++)
        zl_kernel_access(k, "", ZL_ST_SHARED, elem, "put",
                         further_down(k, &from, i) * pitch + further_along(&from, i) * elem,
                         i * words);
    zl_emit_form(&k->e, "", ZL_FORM_BAR_SYNC_ALL, (const char *const[]){"0"});
    for (uint32_t i = 0; i < k->t->info.accesses; i++) {
        const char *guard = reach(k, &to, i, edge);
        zl_kernel_access(k, "", ZL_LD_SHARED, elem, "get",
                         further_along(&to, i) * pitch + further_down(k, &to, i) * elem, 0);
        zl_kernel_access(k, guard, ZL_ST_GLOBAL, elem, "d", 0, 0);
    }
}

void zl_kernel_transpose(zl_kernel_text *k)
{
    zl_tile_rows from = source_rows(k->t, LANES, 1), to = dest_rows(k->t, LANES, 1);
    corner(k);
    places(k, &from);
    places(k, &to);
    tile_places(k);
    whole_or_edge(k, elements);
}

/* ---- by matrices ------------------------------------------------------------------- */

/* at = base + row * line + (chunk XOR row mod 8) * 16, of 32-bit registers. */
static void chunk_address(zl_kernel_text *k, const char *at, const char *row, const char *chunk,
                          uint32_t line, uint32_t base)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "and.b32 z, %s, 7;", row);
    zl_emit_line(e, "xor.b32 z, z, %s;", chunk);
    zl_emit_line(e, "shl.b32 z, z, 4;");
    zl_emit_line(e, "mad.lo.u32 z, %s, %u, z;", row, line);
    zl_emit_line(e, "add.u32 %s, smem, z;", at);
    if (base) zl_emit_line(e, "add.u32 %s, %s, %u;", at, at, base);
}

/* The bytes of a row of the tile as it came, and as it goes; the second begins at `half`. */
static uint32_t line_in(const zlay_transfer *t) { return t->info.tile[1] * 2; }
static uint32_t line_out(const zlay_transfer *t) { return t->info.tile[0] * 2; }
static uint32_t half(const zlay_transfer *t) { return t->info.smem / 2; }

/* Matrix m = lane / 8 of a warp's four: row r + m mod 2 and chunk c + m / 2 of the tile as it came,
 * and the other way round as it goes. */
static void matrix_step(zl_kernel_text *k, uint32_t chunks)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "add.u32 c, c0, %u;", chunks);
    zl_emit_line(e, "mad.lo.u32 row, r, 8, l;");
    chunk_address(k, "get", "row", "c", line_in(k->t), 0);
    zl_emit_form(e, "", ZL_FORM_LDMATRIX_X4_TRANS,
                 (const char *const[]){"w0", "w1", "w2", "w3", "get"});
    zl_emit_line(e, "mad.lo.u32 row, c, 8, l;");
    chunk_address(k, "put", "row", "r", line_out(k->t), half(k->t));
    zl_emit_form(e, "", ZL_FORM_STMATRIX_X4,
                 (const char *const[]){"put", "w0", "w1", "w2", "w3"});
}

/* Transposes the tile in shared memory: ldmatrix.trans from the first half, stmatrix to the second.
 * Four warps, two matrices each, go down the tile; further warps, then steps, along its rows. */
static void matrices(zl_kernel_text *k)
{
    uint32_t across = k->t->info.threads / (4 * LANES) * 2; /* chunks that all warps take at once */
    zl_emit *e = &k->e;
    zl_emit_line(e, "and.b32 l, tid, 7;");
    zl_emit_line(e, "shr.u32 r, tid, 5;");
    zl_emit_line(e, "and.b32 r, r, 3;");
    zl_emit_line(e, "shl.b32 r, r, 1;");
    zl_emit_line(e, "shr.u32 z, tid, 3;");
    zl_emit_line(e, "and.b32 z, z, 1;");
    zl_emit_line(e, "add.u32 r, r, z;");
    zl_emit_line(e, "shr.u32 c0, tid, 7;");
    zl_emit_line(e, "shl.b32 c0, c0, 1;");
    zl_emit_line(e, "shr.u32 z, tid, 4;");
    zl_emit_line(e, "and.b32 z, z, 1;");
    zl_emit_line(e, "add.u32 c0, c0, z;");
    for (uint32_t c = 0; c < k->t->info.tile[1] / CHUNK_ELEMENTS; c += across) matrix_step(k, c);
}

/* at = where the thread's first chunk is in shared memory; rows further down keep its XOR, for a
 * multiple of eight lies between them. */
static void first_chunk(zl_kernel_text *k, uint32_t line, uint32_t base)
{
    zl_emit_line(&k->e, "cvt.u32.u64 row, group;");
    zl_emit_line(&k->e, "cvt.u32.u64 c, lane;");
    chunk_address(k, "put", "row", "c", line, base);
}

static void matrix_in(zl_kernel_text *k, const zl_tile_rows *from, bool edge)
{
    first_chunk(k, line_in(k->t), 0);
    for (uint32_t i = 0; i < k->t->info.accesses; i++) {
        const char *guard = reach(k, from, i, edge);
        zl_kernel_access(k, guard, ZL_LD_GLOBAL, ZL_CHUNK, "d", 0, 4 * i);
    }
    for (uint32_t i = 0; i < k->t->info.accesses; i++)
        zl_kernel_access(k, "", ZL_ST_SHARED, ZL_CHUNK, "put",
                         further_down(k, from, i) * line_in(k->t), 4 * i);
}

static void matrix_out(zl_kernel_text *k, const zl_tile_rows *to, bool edge)
{
    first_chunk(k, line_out(k->t), half(k->t));
    for (uint32_t i = 0; i < k->t->info.accesses; i++) {
        const char *guard = reach(k, to, i, edge);
        zl_kernel_access(k, "", ZL_LD_SHARED, ZL_CHUNK, "put",
                         further_down(k, to, i) * line_out(k->t), 0);
        zl_kernel_access(k, guard, ZL_ST_GLOBAL, ZL_CHUNK, "d", 0, 0);
    }
}

static void by_matrices(zl_kernel_text *k, bool edge)
{
    const uint32_t *tile = k->t->info.tile;
    zl_tile_rows from = source_rows(k->t, tile[1] / CHUNK_ELEMENTS, CHUNK_ELEMENTS);
    zl_tile_rows to = dest_rows(k->t, tile[0] / CHUNK_ELEMENTS, CHUNK_ELEMENTS);
    places(k, &from);
    matrix_in(k, &from, edge);
    zl_emit_form(&k->e, "", ZL_FORM_BAR_SYNC_ALL, (const char *const[]){"0"});
    matrices(k);
    zl_emit_form(&k->e, "", ZL_FORM_BAR_SYNC_ALL, (const char *const[]){"0"});
    places(k, &to);
    matrix_out(k, &to, edge);
}

void zl_kernel_matrix(zl_kernel_text *k)
{
    zl_emit_line(&k->e, ".reg .b32 l, r, c, c0, row, put, get;");
    corner(k);
    whole_or_edge(k, by_matrices);
}
