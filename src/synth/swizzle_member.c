/* SPDX-License-Identifier: Apache-2.0 */
/* Members of the families: where they put an element, and their layouts. */
#include "synth/swizzle_family.h"

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

static void divide_by(zlay_divisor *out, uint64_t divisor)
{
    zlay_divisor_make(out, divisor, 0, UINT32_MAX);
}

void zl_placing_chunks(zl_placing *p, const zl_member *m)
{
    p->grain_bits = (uint32_t)__builtin_ctzll(m->grain);
    divide_by(&p->chunks, m->cut / m->grain);
}

void zl_placing_begin(zl_placing *out, const zl_asked *a, const zl_member *m)
{
    out->rows = zl_rows_of(a, m);
    divide_by(&out->below, out->rows.below);
    divide_by(&out->extent, out->rows.extent);
    divide_by(&out->count, out->rows.count);
    divide_by(&out->cut, out->rows.cut);
    divide_by(&out->chunks, 1);
    out->grain_bits = out->spare = 0;
}

zl_place zl_placing_place(const zl_placing *p, uint32_t index)
{
    const zl_rows *r = &p->rows;
    uint64_t rest = zl_quotient(&p->below, index), low = index - rest * r->below;
    uint64_t above = zl_quotient(&p->extent, rest), at = rest - above * r->extent;
    uint64_t line = low + above * r->below, joined = zl_quotient(&p->count, line);
    at += joined * r->extent;
    uint64_t row = zl_quotient(&p->cut, at);
    return (zl_place){(uint32_t)(at - row * r->cut),
                      (uint32_t)(line - joined * r->count + row * r->count)};
}

uint64_t zl_place_offset(const zl_placing *p, const zl_member *m, zl_place at)
{
    uint64_t chunk = at.column >> p->grain_bits, inside = at.column & (m->grain - 1);
    uint64_t base = m->pitch * at.row + inside;
    if (m->family == ZL_FAMILY_PAD) return m->pitch * at.row + at.column;
    if (m->family == ZL_FAMILY_SKEW) {
        chunk += m->step * at.row;
        chunk -= zl_quotient(&p->chunks, chunk) * p->chunks.divisor;
    } else {
        chunk ^= at.row >> m->shift & ((UINT64_C(1) << m->bits) - 1);
    }
    return base + (chunk << p->grain_bits);
}

uint64_t zl_placing_offset(const zl_placing *p, const zl_member *m, uint32_t index)
{
    return zl_place_offset(p, m, zl_placing_place(p, index));
}

/* The greatest place that the first `chunks` chunks of a row have, of those of a whole one. */
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

/* The last row has the greatest offset, for a pitch is no less than a row. */
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

static bool is_power(uint64_t n) { return n && !(n & (n - 1)); }

static uint32_t log_of(uint64_t n) { return 63 - (uint32_t)__builtin_clzll(n); }

/* Strides of a tile in whole cuts, without what moves chunks. */
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

/* The other modes' number, `weight` times. */
static void put_line(zl_text *out, const zl_asked *a, const zl_member *m, uint64_t weight)
{
    for (uint32_t i = 0; i < a->rank; i++) {
        if (i == m->mode) continue;
        zl_putf(out, " + %llu*c%u", (unsigned long long)weight, i);
        weight *= a->shape[i];
    }
}

/* The place in what is cut. */
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

/* Chunk and row in the words of isl; an XOR bit by bit. */
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

/* Lines that are joined and not cut lie as those of the mode do without padding. */
static zl_member apart(const zl_asked *a, const zl_member *m)
{
    zl_member p = *m;
    if (!m->joined || m->cut < a->size) return p;
    p.joined = false;
    p.cut = p.pitch = a->shape[m->mode];
    return p;
}

/* Rows of a power of two have their number in bits of their own, which a swizzle can take. */
static void put_member(zl_text *out, const void *value)
{
    const printed *v = value;
    const zl_member *m = v->m;
    bool whole = !m->joined && v->a->shape[m->mode] % m->cut == 0;
    if (m->family == ZL_FAMILY_PAD && whole) {
        put_strided(out, v->a, m);
        return;
    }
    if (m->family != ZL_FAMILY_XOR || !whole || !is_power(m->pitch)) {
        put_pieces(out, v->a, m);
        return;
    }
    zl_putf(out, "Sw<%u,%u,%u> o 0 o ", m->bits, log_of(m->grain),
            log_of(m->pitch) + m->shift - log_of(m->grain));
    put_strided(out, v->a, m);
}

zlay_status zl_member_layout(zlay_ctx *ctx, zlay_layout **out, const zl_asked *a,
                             const zl_member *m)
{
    const zl_member shown = apart(a, m);
    const printed value = {a, &shown};
    char *text;
    size_t length;
    zlay_allocator alloc = zl_allocator(ctx);
    zlay_status status = zl_print_alloc(ctx, &text, &length, put_member, &value);
    if (status) return status;
    status = zl_parse(ctx, out, text, length, 0);
    zl_free(&alloc, text, length + 1);
    return status;
}
