/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates a member of a family: the offset of each element, the elements that it spans, and its
 * layout.  The layout is printed as text (strided, strided with a swizzle, or a quasi-affine map)
 * and parsed; family.c then compares it with the offsets. */
#include "synth/swizzle/family.h"
#include "base/arith.h"
#include "algebra/text/format.h"

zl_rows zl_rows_of(const zl_asked *a, const zl_member *m)
{
    zl_rows r = {.below = 1, .extent = a->shape[m->mode], .cut = m->cut};
    for (uint32_t i = 0; i < m->mode; i++) r.below *= a->shape[i];
    r.length = m->joined ? a->size : r.extent;
    r.count = a->size / r.length;
    r.cuts = (r.length + m->cut - 1) / m->cut;
    return r;
}

/* ---- places ---------------------------------------------------------------------- */

/* Places one behind the other in a line. */
static void line_fill(zl_place *out, uint64_t count, uint32_t column, uint32_t row)
{
    for (uint64_t at = 0; at < count; at++) out[at] = (zl_place){column + (uint32_t)at, row};
}

/* Places at one index of the mode, in lines one after the other; joined, they are in one row. */
static void across_fill(zl_place *out, uint64_t count, uint32_t column, uint32_t step, uint32_t row)
{
    uint32_t down = step ? 0 : 1;
    for (uint64_t low = 0; low < count; low++, column += step, row += down)
        out[low] = (zl_place){column, row};
}

/* Before a cut: joined lines are one line. */
void zl_lines_fill(zl_place *out, const zl_asked *a, const zl_member *m)
{
    const uint64_t extent = a->shape[m->mode], step = m->joined ? extent : 0;
    uint64_t below = 1, line = 0;
    for (uint32_t i = 0; i < m->mode; i++) below *= a->shape[i];
    for (uint64_t high = 0; high < a->size / below / extent; high++, line += below)
        for (uint64_t at = 0; at < extent; at += below > 1 ? 1 : extent) {
            uint32_t column = (uint32_t)(at + line * step), row = m->joined ? 0 : (uint32_t)line;
            uint64_t count = below > 1 ? below : extent;
            if (below > 1) across_fill(out, count, column, (uint32_t)step, row);
            else line_fill(out, count, column, row);
            out += count;
        }
}

void zl_placing_chunks(zl_placing *p, const zl_member *m)
{
    p->grain_bits = (uint32_t)__builtin_ctzll(m->grain);
    zlay_divisor_make(&p->chunks, m->cut / m->grain, 0, UINT32_MAX);
}

void zl_placing_begin(zl_placing *out, const zl_asked *a, const zl_member *m)
{
    const zl_rows r = zl_rows_of(a, m);
    out->count = (uint32_t)r.count;
    out->cut_bits = r.cuts > 1 ? (uint32_t)__builtin_ctzll(r.cut) : 32;
    zlay_divisor_make(&out->chunks, 1, 0, UINT32_MAX);
    out->grain_bits = 0;
}

/* Places side by side.  All loops over them have one length, so that compilers make vectors of them;
 * numbers that follow from places in a tile of fewer than 2^32 elements wrap modulo 2^32 as offsets do. */
typedef struct tile_places {
    uint32_t column[ZL_PLACED], row[ZL_PLACED];
} tile_places;

static void cut(tile_places *at, const zl_placing *p)
{
    uint32_t bits = p->cut_bits, mask = ((uint32_t)1 << bits) - 1;
    for (uint32_t i = 0; i < ZL_PLACED; i++) {
        at->row[i] += (at->column[i] >> bits) * p->count;
        at->column[i] &= mask;
    }
}

/* A power of two of chunks needs no division, and then sums may wrap. */
static void skewed(tile_places *at, const zl_placing *p, const zl_member *m)
{
    const uint32_t mask = (uint32_t)p->chunks.divisor - 1, step = (uint32_t)m->step;
    const uint32_t inside = (uint32_t)m->grain - 1, grain_bits = p->grain_bits;
    uint32_t chunk[ZL_PLACED];
    for (uint32_t i = 0; i < ZL_PLACED; i++) chunk[i] = (at->column[i] >> grain_bits) + step * at->row[i];
    for (uint32_t i = 0; i < ZL_PLACED && p->chunks.way != ZLAY_DIVISOR_SHIFT; i++)
        chunk[i] -= (uint32_t)zl_quotient(&p->chunks, chunk[i]) * (mask + 1);
    if (p->chunks.way == ZLAY_DIVISOR_SHIFT)
        for (uint32_t i = 0; i < ZL_PLACED; i++) chunk[i] &= mask;
    for (uint32_t i = 0; i < ZL_PLACED; i++)
        at->column[i] = (chunk[i] << grain_bits) + (at->column[i] & inside);
}

static void xored(tile_places *at, const zl_placing *p, const zl_member *m)
{
    uint32_t mask = ((uint32_t)1 << m->bits) - 1, shift = m->shift, grain_bits = p->grain_bits;
    for (uint32_t i = 0; i < ZL_PLACED; i++) at->column[i] ^= (at->row[i] >> shift & mask) << grain_bits;
}

void zl_placing_offsets(uint32_t *out, const zl_placing *p, const zl_member *m, const zl_place *place)
{
    const uint32_t pitch = (uint32_t)m->pitch;
    tile_places at;
    for (uint32_t i = 0; i < ZL_PLACED; i++) {
        at.column[i] = place[i].column;
        at.row[i] = place[i].row;
    }
    if (p->cut_bits < 32) cut(&at, p);
    if (m->family == ZL_FAMILY_SKEW) skewed(&at, p, m);
    if (m->family == ZL_FAMILY_XOR) xored(&at, p, m);
    for (uint32_t i = 0; i < ZL_PLACED; i++) out[i] = pitch * at.row[i] + at.column[i];
}

/* The greatest place of the first `chunks` chunks of a row, after they are skewed or XORed. */
static uint64_t greatest_chunk(const zl_member *m, uint64_t chunks, uint64_t row)
{
    uint64_t all = m->cut / m->grain, moved, block = UINT64_C(1) << m->bits, most = 0;
    if (m->family == ZL_FAMILY_SKEW) {
        moved = m->step * row % all;
        return moved + chunks > all ? all - 1 : moved + chunks - 1;
    }
    moved = row >> m->shift & (block - 1);
    for (uint64_t chunk = (chunks - 1) / block * block; chunk < chunks; chunk++)
        if ((chunk ^ moved) > most) most = chunk ^ moved;
    return most;
}

/* One more than the greatest offset.  It is in the last row, because a pitch is at least a row. */
uint64_t zl_member_size(const zl_member *m, const zl_rows *r)
{
    uint64_t width = r->length - (r->cuts - 1) * r->cut, row = r->count * r->cuts - 1;
    uint64_t whole = width / m->grain, rest = width % m->grain, most, last;
    if (width == r->cut || m->family == ZL_FAMILY_PAD) return m->pitch * row + width;
    most = whole ? (greatest_chunk(m, whole, row) + 1) * m->grain : 0;
    if (rest) {
        last = m->family == ZL_FAMILY_SKEW ? (whole + m->step * row) % (m->cut / m->grain)
                                           : whole ^ (row >> m->shift & ((UINT64_C(1) << m->bits) - 1));
        if (last * m->grain + rest > most) most = last * m->grain + rest;
    }
    return m->pitch * row + most;
}

/* ---- layouts --------------------------------------------------------------------- */

/* Prints the strided layout of a tile of whole cuts, before its chunks are moved. */
static void put_strided(zl_text *out, const zl_asked *a, const zl_member *m)
{
    zl_rows r = zl_rows_of(a, m);
    uint64_t pitch = m->pitch;
    zl_puts(out, a->rank > 1 ? "(" : "");
    for (uint32_t i = 0; i < a->rank; i++)
        if (i == m->mode && r.cuts > 1)
            zl_putf(out, "%s(%llu,%llu)", i ? "," : "", (unsigned long long)r.cut,
                    (unsigned long long)r.cuts);
        else zl_putf(out, "%s%llu", i ? "," : "", (unsigned long long)a->shape[i]);
    zl_puts(out, a->rank > 1 ? "):(" : ":");
    for (uint32_t i = 0; i < a->rank; i++) {
        if (i) zl_puts(out, ",");
        if (i == m->mode && r.cuts > 1)
            zl_putf(out, "(1,%llu)", (unsigned long long)(m->pitch * r.count));
        else if (i == m->mode) zl_puts(out, "1");
        else {
            zl_putf(out, "%llu", (unsigned long long)pitch);
            pitch *= a->shape[i];
        }
    }
    zl_puts(out, a->rank > 1 ? ")" : "");
}

/* Prints `weight` times the number of the line, which the other modes give. */
static void put_line(zl_text *out, const zl_asked *a, const zl_member *m, uint64_t weight)
{
    for (uint32_t i = 0; i < a->rank; i++) {
        if (i == m->mode) continue;
        zl_putf(out, " + %llu*c%u", (unsigned long long)weight, i);
        weight *= a->shape[i];
    }
}

/* Prints the place in the line that is cut. */
static void put_place_in_line(zl_text *out, const zl_asked *a, const zl_member *m)
{
    zl_putf(out, "(c%u", m->mode);
    if (m->joined) put_line(out, a, m, a->shape[m->mode]);
    zl_puts(out, ")");
}

static void put_row(zl_text *out, const zl_asked *a, const zl_member *m)
{
    zl_rows r = zl_rows_of(a, m);
    zl_puts(out, "(0");
    if (!m->joined) put_line(out, a, m, 1);
    if (r.cuts > 1) {
        zl_putf(out, " + %llu*floor(", (unsigned long long)r.count);
        put_place_in_line(out, a, m);
        zl_putf(out, "/%llu)", (unsigned long long)r.cut);
    }
    zl_puts(out, ")");
}

static void put_column(zl_text *out, const zl_asked *a, const zl_member *m)
{
    zl_puts(out, "(");
    put_place_in_line(out, a, m);
    if (zl_rows_of(a, m).cuts > 1) zl_putf(out, " mod %llu", (unsigned long long)m->cut);
    zl_puts(out, ")");
}

/* Prints the place of a column in its row in isl's notation, an XOR bit by bit. */
static void put_place(zl_text *out, const zl_asked *a, const zl_member *m)
{
    unsigned long long grain = m->grain, chunks = m->cut / m->grain;
    if (m->family == ZL_FAMILY_SKEW) {
        zl_putf(out, "%llu*((floor(", grain);
        put_column(out, a, m);
        zl_putf(out, "/%llu) + %llu*", grain, (unsigned long long)m->step);
        put_row(out, a, m);
        zl_putf(out, ") mod %llu)", chunks);
    }
    for (uint32_t b = 0; m->family == ZL_FAMILY_XOR && b < m->bits; b++) {
        zl_putf(out, "%s%llu*((floor(", b ? " + " : "", grain << b);
        put_column(out, a, m);
        zl_putf(out, "/%llu) + floor(", grain << b);
        put_row(out, a, m);
        zl_putf(out, "/%llu)) mod 2)", 1ull << (m->shift + b));
    }
    if (m->family == ZL_FAMILY_XOR) {
        zl_putf(out, " + %llu*floor(", grain << m->bits);
        put_column(out, a, m);
        zl_putf(out, "/%llu)", grain << m->bits);
    }
    if (m->family != ZL_FAMILY_PAD) zl_puts(out, " + (");
    put_column(out, a, m);
    if (m->family != ZL_FAMILY_PAD) zl_putf(out, " mod %llu)", grain);
}

static void put_pieces(zl_text *out, const zl_asked *a, const zl_member *m)
{
    zl_puts(out, "{ [");
    for (uint32_t i = 0; i < a->rank; i++) zl_putf(out, "%sc%u", i ? "," : "", i);
    zl_puts(out, "] -> [");
    put_place(out, a, m);
    zl_putf(out, " + %llu*", (unsigned long long)m->pitch);
    put_row(out, a, m);
    zl_puts(out, "] : ");
    for (uint32_t i = 0; i < a->rank; i++)
        zl_putf(out, "%s0 <= c%u < %llu", i ? " and " : "", i, (unsigned long long)a->shape[i]);
    zl_puts(out, " }");
}

typedef struct printed {
    const zl_asked *a;
    const zl_member *m;
} printed;

/* Joined lines that are not cut have the same offsets as separate lines without padding. */
static zl_member apart(const zl_asked *a, const zl_member *m)
{
    zl_member p = *m;
    if (!m->joined || m->cut < a->size) return p;
    p.joined = false;
    p.cut = p.pitch = a->shape[m->mode];
    return p;
}

/* Prints a member as a strided layout where its rows are whole; with a swizzle where the pitch is a
 * power of two, because then the row has its own bits in an offset; else as a quasi-affine map. */
static void put_member(zl_text *out, const void *value)
{
    const printed *v = value;
    const zl_member *m = v->m;
    bool whole = !m->joined && v->a->shape[m->mode] % m->cut == 0;
    if (m->family == ZL_FAMILY_PAD && whole) {
        put_strided(out, v->a, m);
        return;
    }
    if (m->family != ZL_FAMILY_XOR || !whole || !zl_is_power_of_two(m->pitch)) {
        put_pieces(out, v->a, m);
        return;
    }
    zl_putf(out, "Sw<%u,%u,%u> o 0 o ", m->bits, zl_log2(m->grain),
            zl_log2(m->pitch) + m->shift - zl_log2(m->grain));
    put_strided(out, v->a, m);
}

zlay_status zl_member_layout(zlay_ctx *ctx, zlay_layout **out, const zl_asked *a,
                             const zl_member *m)
{
    const zl_member shown = apart(a, m);
    const printed value = {a, &shown};
    size_t length;
    const char *text = zl_print_scratch(ctx, &length, put_member, &value);
    return text ? zl_parse(ctx, out, text, length, 0) : ZLAY_ENOMEM;
}
