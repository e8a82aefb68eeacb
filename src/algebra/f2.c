/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/f2.h"
#include "algebra/kind.h"

#include <string.h>

/* Everything of an F2 text while it is read; the dimensions are one block, inputs first. */
typedef struct reader {
    zl_cursor *c;
    zl_dim *dim;
    size_t room, ins, outs;
    unsigned bits;
    uint64_t basis[64];
} reader;

static bool is_name(char c, bool first)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           (!first && c >= '0' && c <= '9');
}

static const zl_dim *find(const zl_dim *dim, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(dim[i].name, name)) return &dim[i];
    return NULL;
}

/* A dimension's name becomes no identifier of generated code, so `register` is one. */
static zlay_status name(reader *r, zl_dim *out, const zl_dim *others, size_t count)
{
    zl_cursor *c = r->c;
    size_t length = 0;
    zl_cursor_peek(c);
    while (c->at + length < c->length && is_name(c->text[c->at + length], !length)) length++;
    if (!length || length > 64) return zl_cursor_fail(c, "a name of 1 to 64 letters, digits and _");
    memset(out, 0, sizeof *out);
    memcpy(out->name, c->text + c->at, length);
    if (find(others, count, out->name))
        return zl_cursor_fail(c, "another name; this one is there already");
    c->at += length;
    return zl_cursor_want(c, ':');
}

static zlay_status out_size(reader *r, zl_dim *out)
{
    uint64_t size;
    zlay_status status = zl_cursor_unsigned(r->c, &size);
    if (status) return status;
    if (!size || (size & (size - 1)))
        return zl_fail(r->c->ctx, size ? ZLAY_ENOTSUP : ZLAY_EINVAL,
                       "byte %zu: the output size %llu of %s is no power of two",
                       r->c->first + r->c->at, (unsigned long long)size, out->name);
    out->bits = (uint32_t)__builtin_ctzll(size);
    return ZLAY_OK;
}

static zlay_status room_for(reader *r)
{
    if (r->ins + r->outs < r->room) return ZLAY_OK;
    return zl_fail(r->c->ctx, ZLAY_ELIMIT, "limits.dims is %llu and the layout has more dimensions",
                   (unsigned long long)zl_limits(r->c->ctx)->dims);
}

/* Outputs are read first, from the text behind the arrow, and kept at the end of the block. */
static zlay_status outputs(reader *r)
{
    zlay_status status;
    unsigned bits = 0;
    do {
        if ((status = room_for(r))) return status;
        zl_dim *out = &r->dim[r->outs];
        status = name(r, out, r->dim, r->outs);
        if (!status) status = out_size(r, out);
        if (status) return status;
        r->outs++;
        if ((bits += out->bits) > 64)
            return zl_fail(r->c->ctx, ZLAY_EOVERFLOW, "the outputs have more than 64 bits");
    } while (zl_cursor_take(r->c, ','));
    return zl_cursor_want(r->c, '}');
}

static zlay_status coordinate(reader *r, const zl_dim *out, unsigned low, uint64_t *basis)
{
    uint64_t value;
    zlay_status status = zl_cursor_unsigned(r->c, &value);
    if (status) return status;
    if (value >> out->bits)
        return zl_fail(r->c->ctx, ZLAY_EINVAL, "byte %zu: %llu is not below the size of %s",
                       r->c->first + r->c->at, (unsigned long long)value, out->name);
    if (value) *basis |= value << low;
    return ZLAY_OK;
}

static zlay_status basis(reader *r, uint64_t *out)
{
    unsigned low = 0;
    zlay_status status = zl_cursor_want(r->c, '(');
    for (size_t i = 0; i < r->outs && !status; i++) {
        status = coordinate(r, &r->dim[i], low, out);
        low += r->dim[i].bits;
        if (!status) status = zl_cursor_want(r->c, i + 1 < r->outs ? ',' : ')');
    }
    return status;
}

static zlay_status input(reader *r)
{
    zlay_status status = room_for(r);
    if (status) return status;
    zl_dim *in = &r->dim[r->outs + r->ins];
    if ((status = name(r, in, r->dim + r->outs, r->ins))) return status;
    r->ins++;
    while (zl_cursor_peek(r->c) == '(' && !status) {
        if (r->bits == 63 || in->bits == 62)
            return zl_fail(r->c->ctx, ZLAY_EOVERFLOW, "byte %zu: the size does not fit 64 bits",
                           r->c->first + r->c->at);
        in->bits++;
        status = basis(r, &r->basis[r->bits++]);
    }
    return status;
}

static zlay_status inputs(reader *r)
{
    zlay_status status = ZLAY_OK;
    if (zl_cursor_word(r->c, "->")) return ZLAY_OK;
    do status = input(r);
    while (!status && zl_cursor_take(r->c, ';'));
    if (status) return status;
    return zl_cursor_word(r->c, "->") ? ZLAY_OK : zl_cursor_fail(r->c, "'(', ';' or '->'");
}

static bool seek_arrow(zl_cursor *c)
{
    for (; c->at + 1 < c->length; c->at++)
        if (c->text[c->at] == '-' && c->text[c->at + 1] == '>') return true;
    return false;
}

static zlay_status read_all(reader *r)
{
    zlay_status status = zl_cursor_want(r->c, '{');
    size_t begin = r->c->at;
    if (status) return status;
    if (!seek_arrow(r->c)) return zl_cursor_fail(r->c, "'->'");
    r->c->at += 2;
    status = outputs(r);
    if (!status) status = zl_cursor_end(r->c);
    r->c->at = begin;
    return status ? status : inputs(r);
}

static size_t dims_in(const zl_cursor *c)
{
    size_t count = 0;
    for (size_t i = c->at; i < c->length; i++) count += c->text[i] == ':';
    return count;
}

zlay_status zl_f2_parse(zl_cursor *c, zlay_layout **out)
{
    zlay_allocator alloc = zl_allocator(c->ctx);
    uint64_t limit = zl_limits(c->ctx)->dims;
    size_t named = dims_in(c);
    reader r = {.c = c, .room = named < limit ? named : (size_t)limit};
    if (!(r.dim = zl_alloc(c->ctx, r.room, sizeof *r.dim))) return ZLAY_ENOMEM;
    zlay_status status = read_all(&r);
    zl_f2 f2 = {r.ins, r.outs, r.dim + r.outs, r.dim, r.basis};
    if (!status) status = zl_layout_f2(c->ctx, out, &f2);
    zl_free(&alloc, r.dim, r.room * sizeof *r.dim);
    return status;
}

static void print_basis(zl_text *out, const zl_f2 *f2, uint64_t value)
{
    zl_puts(out, " (");
    for (size_t i = 0; i < f2->outs; i++) {
        uint64_t size = (uint64_t)1 << f2->out[i].bits;
        zl_putf(out, "%s%llu", i ? "," : "", (unsigned long long)(value & (size - 1)));
        value >>= f2->out[i].bits;
    }
    zl_puts(out, ")");
}

static void print_outputs(zl_text *out, const zl_f2 *f2)
{
    for (size_t i = 0; i < f2->outs; i++)
        zl_putf(out, "%s%s: %llu", i ? ", " : " ", f2->out[i].name, 1ull << f2->out[i].bits);
}

void zl_f2_print(zl_text *out, const zlay_layout *a)
{
    const zl_f2 *f2 = &a->f2;
    const uint64_t *basis = f2->basis;
    zl_puts(out, "f2{");
    for (size_t i = 0; i < f2->ins; i++) {
        zl_putf(out, "%s%s:", i ? "; " : "", f2->in[i].name);
        for (uint32_t b = 0; b < f2->in[i].bits; b++) print_basis(out, f2, *basis++);
    }
    zl_puts(out, f2->ins ? " ->" : "->");
    print_outputs(out, f2);
    zl_puts(out, "}");
}
