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

void zl_rows_place(uint64_t *column, uint64_t *row, const zl_rows *r, uint64_t index)
{
    uint64_t low = index % r->below, rest = index / r->below, at = rest % r->extent;
    uint64_t line = low + rest / r->extent * r->below;
    at += line / r->count * r->extent;
    *column = at % r->cut;
    *row = line % r->count + at / r->cut * r->count;
}

static uint64_t place_of(const zl_member *m, uint64_t column, uint64_t row)
{
    uint64_t chunk = column / m->grain, inside = column % m->grain;
    if (m->family == ZL_FAMILY_SKEW)
        return m->grain * ((chunk + m->step * row) % (m->cut / m->grain)) + inside;
    if (m->family == ZL_FAMILY_XOR)
        return m->grain * (chunk ^ (row >> m->shift & ((UINT64_C(1) << m->bits) - 1))) + inside;
    return column;
}

uint64_t zl_member_offset(const zl_member *m, uint64_t column, uint64_t row)
{
    return m->pitch * row + place_of(m, column, row);
}

/* The last row has the greatest offset, for a pitch is no less than a row. */
uint64_t zl_member_size(const zl_member *m, const zl_rows *r)
{
    uint64_t width = r->length - (r->cuts - 1) * r->cut, row = r->count * r->cuts - 1, most = 0;
    if (width == r->cut) return m->pitch * row + width;
    for (uint64_t c = 0; c < width; c++) {
        uint64_t place = place_of(m, c, row);
        if (place > most) most = place;
    }
    return m->pitch * row + most + 1;
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
