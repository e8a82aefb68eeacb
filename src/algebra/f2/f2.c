/* SPDX-License-Identifier: Apache-2.0 */
/* The text of F2 and modular layouts, f2{in: (basis) .. -> out: size, ..}, read from left to right
 * but for the outputs: their sizes say how many bits a basis has, so they are read first. */
#include "algebra/f2/f2.h"

#include <string.h>

typedef struct reader {
    zl_cursor *c;
    zl_f2_form f;
} reader;

/* A dimension's name becomes no identifier of generated code, so `register` is one. */
static zlay_status name(zl_cursor *c, zl_dim *out)
{
    size_t length = zl_cursor_word(c);
    if (!length || length > 64) return zl_cursor_fail(c, "a name of 1 to 64 letters, digits and _");
    memset(out, 0, sizeof *out);
    memcpy(out->name, c->text + c->at, length);
    c->at += length;
    return ZLAY_OK;
}

/* 2^64 is one more than the greatest integer of the text. */
static zlay_status out_size(zl_cursor *c, zl_dim *out)
{
    uint64_t size = 0;
    zlay_status status = ZLAY_OK;
    if (!zl_cursor_symbol(c, "18446744073709551616")) {
        status = zl_cursor_unsigned(c, &size);
        if (!status && !size) return zl_cursor_fail(c, "a size of 1 or more before this");
    }
    zl_dim_sized(out, size);
    return status;
}

/* Outputs are read first, from the text behind the arrow. */
static zlay_status outputs(reader *r)
{
    zl_dim dim;
    if (zl_cursor_take(r->c, '}')) return ZLAY_OK;
    do {
        zlay_status status = name(r->c, &dim);
        size_t at = r->c->at;
        if (!status) status = zl_cursor_want(r->c, ':');
        if (!status) status = out_size(r->c, &dim);
        if (status) return status;
        if ((status = zl_cursor_place(r->c, zl_f2_form_out(&r->f, &dim), at))) return status;
    } while (zl_cursor_take(r->c, ','));
    return zl_cursor_want(r->c, '}');
}

static zlay_status coordinate(zl_cursor *c, const zl_dim *out, unsigned low, uint64_t *basis)
{
    uint64_t value;
    zlay_status status = zl_cursor_unsigned(c, &value);
    if (status) return status;
    if (value & ~zl_ones(out->bits) || (out->size && value >= out->size))
        return zl_cursor_refuse(c, ZLAY_EINVAL, c->at, "%llu is not below the size of %s",
                                (unsigned long long)value, out->name);
    *basis |= zl_left(value, low);
    return ZLAY_OK;
}

static zlay_status basis(reader *r, uint64_t *out)
{
    unsigned low = 0;
    zlay_status status = zl_cursor_want(r->c, '(');
    *out = 0;
    if (!status && !r->f.outs) return zl_cursor_want(r->c, ')');
    for (size_t i = 0; i < r->f.outs && !status; i++) {
        status = coordinate(r->c, &r->f.out[i], low, out);
        low += r->f.out[i].bits;
        if (!status) status = zl_cursor_want(r->c, i + 1 < r->f.outs ? ',' : ')');
    }
    return status;
}

static zlay_status input(reader *r)
{
    zl_dim dim;
    unsigned low = r->f.bits;
    zlay_status status = name(r->c, &dim);
    size_t at = r->c->at;
    if (!status) status = zl_cursor_want(r->c, ':');
    while (!status && zl_cursor_peek(r->c) == '(') {
        if (low + dim.bits == 64)
            return zl_cursor_refuse(r->c, ZLAY_EOVERFLOW, r->c->at,
                                    "the inputs have more than 64 bits");
        status = basis(r, &r->f.basis[low + dim.bits]);
        dim.bits++;
    }
    return status ? status : zl_cursor_place(r->c, zl_f2_form_in(&r->f, &dim), at);
}

static zlay_status inputs(reader *r)
{
    zlay_status status = ZLAY_OK;
    if (zl_cursor_symbol(r->c, "->")) return ZLAY_OK;
    do status = input(r);
    while (!status && zl_cursor_take(r->c, ';'));
    if (status) return status;
    return zl_cursor_symbol(r->c, "->") ? ZLAY_OK : zl_cursor_fail(r->c, "'(', ';' or '->'");
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

zlay_status zl_f2_parse(zl_cursor *c, zlay_layout **out)
{
    reader r;
    r.c = c;
    zl_f2_form_begin(&r.f, c->ctx);
    zlay_status status = read_all(&r);
    return status ? status : zl_f2_form_end(&r.f, out);
}
