/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/text/import.h"

enum { RANK_MOST = 64 };

typedef struct memref {
    size_t rank;
    uint64_t extent[RANK_MOST];
} memref;

static zlay_status unknown_size(zl_cursor *c)
{
    return zl_cursor_fail(c, "a size that is known, not '?'");
}

static zlay_status extents(zl_cursor *c, memref *m)
{
    for (m->rank = 0;; m->rank++) {
        uint64_t extent;
        char next = zl_cursor_peek(c);
        if (next == '?') return unknown_size(c);
        if (next < '0' || next > '9') return ZLAY_OK;
        if (m->rank == RANK_MOST) return zl_cursor_fail(c, "64 dimensions at most");
        zlay_status status = zl_cursor_unsigned(c, &extent);
        if (!status) status = zl_cursor_want(c, 'x');
        if (status) return status;
        m->extent[m->rank] = extent;
    }
}

/* The element type, or a memory space: up to a comma or the bracket that closes the memref. */
static zlay_status skip_part(zl_cursor *c)
{
    size_t depth = 0, begin = c->at;
    for (; c->at < c->length; c->at++) {
        char at = c->text[c->at];
        if (!depth && (at == ',' || at == '>')) break;
        depth += at == '<';
        depth -= at == '>';
    }
    return c->at > begin ? ZLAY_OK : zl_cursor_fail(c, "an element type");
}

/* A tuple of one entry, or of none, stands without parentheses. */
static const char *open_of(const memref *m) { return m->rank > 1 ? "(" : ""; }
static const char *close_of(const memref *m) { return m->rank > 1 ? ")" : ""; }

static void put_extents(zl_text *out, const memref *m)
{
    zl_puts(out, open_of(m));
    for (size_t i = 0; i < m->rank; i++)
        zl_putf(out, "%s%llu", i ? "," : "", (unsigned long long)m->extent[i]);
    zl_puts(out, m->rank ? close_of(m) : "1");
}

/* Without a layout a memref is row-major: the last dimension is contiguous. */
static zlay_status row_major(zl_cursor *c, zl_text *out, const memref *m)
{
    int64_t stride[RANK_MOST], step = 1;
    for (size_t i = m->rank; i-- > 0;) {
        stride[i] = step;
        if (m->extent[i] > INT64_MAX || !zl_mul(step, (int64_t)m->extent[i], &step))
            return zl_fail(c->ctx, ZLAY_EOVERFLOW, "the size does not fit 64 bits");
    }
    put_extents(out, m);
    zl_putf(out, ":%s", open_of(m));
    for (size_t i = 0; i < m->rank; i++)
        zl_putf(out, "%s%lld", i ? "," : "", (long long)stride[i]);
    zl_puts(out, m->rank ? close_of(m) : "0");
    return ZLAY_OK;
}

static zlay_status stride_list(zl_cursor *c, zl_text *out, const memref *m)
{
    int64_t stride;
    zlay_status status = zl_cursor_want(c, '[');
    zl_putf(out, ":%s", open_of(m));
    for (size_t i = 0; i < m->rank && !status; i++) {
        if (zl_cursor_peek(c) == '?') return unknown_size(c);
        status = zl_cursor_integer(c, &stride);
        if (status) return status;
        zl_putf(out, "%s%lld", i ? "," : "", (long long)stride);
        if (i + 1 < m->rank) status = zl_cursor_want(c, ',');
    }
    zl_puts(out, m->rank ? close_of(m) : "0");
    return status ? status : zl_cursor_want(c, ']');
}

/* The offset is read first: it stands before the shape in zlay's text. */
static zlay_status strided(zl_cursor *c, zl_text *out, const memref *m)
{
    zl_cursor begin = *c;
    zl_text nothing = {NULL, 0, 0};
    int64_t offset = 0;
    zlay_status status = stride_list(c, &nothing, m);
    if (!status && zl_cursor_take(c, ',')) {
        if (!zl_cursor_symbol(c, "offset:")) return zl_cursor_fail(c, "'offset:'");
        if (zl_cursor_peek(c) == '?') return unknown_size(c);
        status = zl_cursor_integer(c, &offset);
    }
    if (!status) status = zl_cursor_want(c, '>');
    if (status) return status;
    if (offset) zl_putf(out, "%lld o ", (long long)offset);
    put_extents(out, m);
    return stride_list(&begin, out, m);
}

static zlay_status layout(zl_cursor *c, zl_text *out, const memref *m)
{
    if (zl_cursor_symbol(c, "strided<")) return strided(c, out, m);
    if (zl_cursor_symbol(c, "affine_map<")) return zl_import_affine_map(c, out, m->extent, m->rank);
    zlay_status status = row_major(c, out, m);
    zl_cursor_peek(c);
    return status ? status : skip_part(c);
}

zlay_status zl_import_memref(zl_cursor *c, zl_text *out)
{
    memref m;
    zl_cursor_symbol(c, "memref<");
    zlay_status status = extents(c, &m);
    if (!status) status = skip_part(c);
    if (status) return status;
    if (zl_cursor_take(c, ',')) {
        status = layout(c, out, &m);
        if (!status && zl_cursor_take(c, ',')) status = skip_part(c);
    } else {
        status = row_major(c, out, &m);
    }
    return status ? status : zl_cursor_want(c, '>');
}
