/* SPDX-License-Identifier: Apache-2.0 */
#include "base/scan.h"
#include "algebra/f2/f2.h"
#include "algebra/facts/form.h"
#include "algebra/layout/layout.h"
#include "algebra/presburger/text/map.h"
#include "algebra/symbolic/symbol.h"
#include "algebra/layout/tuple.h"
#include "algebra/text/format.h"

/* A nested tuple of integers: new modes, or, with strides, along those that are there. */
typedef struct tuple {
    zl_tuple at;
    zl_modes *m;
} tuple;

static zlay_status put_shape(tuple *t, int64_t value)
{
    const zl_cursor *c = t->at.c;
    if (value < 1)
        return zl_cursor_refuse(c, ZLAY_EINVAL, c->at, "the extent %lld is below 1",
                                (long long)value);
    return zl_modes_put(t->m, (zl_mode){value, 0, t->at.open, 0});
}

static zlay_status put_stride(tuple *t, int64_t value)
{
    size_t i = t->at.leaf;
    if (i >= t->m->count || t->m->at[i].open != t->at.open) return zl_tuple_incongruent(&t->at);
    t->m->at[i].stride = value;
    return ZLAY_OK;
}

static zlay_status leaf(tuple *t)
{
    int64_t value;
    zlay_status status = zl_tuple_open(&t->at);
    if (!status) status = zl_cursor_integer(t->at.c, &value);
    if (!status) status = t->at.strides ? put_stride(t, value) : put_shape(t, value);
    return status ? status : zl_tuple_close(&t->at, &t->m->at[t->at.leaf].close);
}

static zlay_status read_tuple(zl_cursor *c, zl_modes *m, bool strides)
{
    tuple t = {{c, strides, 0, 0, 0}, m};
    zlay_status status;
    do status = leaf(&t);
    while (!status && t.at.depth);
    bool whole = !strides || t.at.leaf == m->count;
    return status || whole ? status : zl_tuple_incongruent(&t.at);
}

static zlay_status compact(zl_modes *m)
{
    int64_t stride = 1;
    for (size_t i = 0; i < m->count; i++) {
        m->at[i].stride = stride;
        if (!zl_mul(stride, m->at[i].shape, &stride) && i + 1 < m->count)
            return zl_fail(m->ctx, ZLAY_EOVERFLOW,
                           "the compact stride of mode %zu does not fit 64 bits", i + 1);
    }
    return ZLAY_OK;
}

static zlay_status shape_and_stride(zl_cursor *c, zl_modes *m)
{
    zlay_status status = read_tuple(c, m, false);
    if (status) return status;
    return zl_cursor_take(c, ':') ? read_tuple(c, m, true) : compact(m);
}

/* OFFSET o, when it stands here: an integer alone is a shape. */
static zlay_status offset(zl_cursor *c, int64_t *out)
{
    size_t begin = c->at;
    zlay_status status = ZLAY_OK;
    *out = 0;
    if (!zl_cursor_at_integer(c)) return ZLAY_OK;
    status = zl_cursor_integer(c, out);
    if (status || zl_cursor_take(c, 'o')) return status;
    c->at = begin;
    *out = 0;
    return ZLAY_OK;
}

/* CuTe swizzles a pointer's bytes: smem_ptr[Nb] moves the base to elements of N bits. */
static zlay_status smem_pointer(zl_cursor *c, int64_t *base)
{
    int64_t bits;
    zlay_status status = zl_cursor_integer(c, &bits);
    if (status) return status;
    if (bits < 1 || bits > 1024 || (bits & (bits - 1)))
        return zl_cursor_refuse(c, ZLAY_EINVAL, c->at,
                                "smem_ptr[%lldb]: no power of two in 1..1024", (long long)bits);
    if (!zl_cursor_symbol(c, "b](unset)")) return zl_cursor_fail(c, "'b](unset)'");
    *base += 3 - __builtin_ctzll((uint64_t)bits);
    if (*base < 0)
        return zl_cursor_refuse(c, ZLAY_EINVAL, c->at,
                                "the swizzle moves bits inside an element of %lld bits",
                                (long long)bits);
    return zl_cursor_take(c, 'o') ? ZLAY_OK : zl_cursor_fail(c, "'o'");
}

static zlay_status swizzle_numbers(zl_cursor *c, int64_t number[3])
{
    zlay_status status = ZLAY_OK;
    for (int i = 0; i < 3 && !status; i++) {
        status = zl_cursor_integer(c, &number[i]);
        if (!status && (number[i] > 64 || number[i] < -64))
            status = zl_cursor_refuse(c, ZLAY_EINVAL, c->at,
                                      "no number of a swizzle of 64-bit integers");
        if (!status) status = zl_cursor_want(c, i < 2 ? ',' : '>');
    }
    if (status) return status;
    return zl_cursor_take(c, 'o') ? ZLAY_OK : zl_cursor_fail(c, "'o'");
}

static zlay_status swizzle(zl_cursor *c, zl_swizzle *out)
{
    int64_t number[3];
    zlay_status status = swizzle_numbers(c, number);
    if (!status && zl_cursor_symbol(c, "smem_ptr[")) status = smem_pointer(c, &number[1]);
    if (status) return status;
    *out = (zl_swizzle){(int32_t)number[0], (int32_t)number[1], (int32_t)number[2]};
    return zl_swizzle_check(c->ctx, out->bits, out->base, out->shift);
}

static zlay_status read_strided(zl_cursor *c, zlay_layout **out, zl_modes *m)
{
    zl_swizzle s = {0, 0, 0};
    zlay_status status = ZLAY_OK;
    if (zl_cursor_symbol(c, "Sw<")) status = swizzle(c, &s);
    if (!status) status = offset(c, &m->offset);
    if (!status) status = shape_and_stride(c, m);
    if (!status) status = zl_cursor_end(c);
    return status ? status : zl_layout_strided(c->ctx, out, m, s);
}

zlay_status zl_parse(zlay_ctx *ctx, zlay_layout **out, const char *text, size_t length,
                     size_t first_byte)
{
    zl_cursor c;
    zl_modes m;
    zlay_status status = zl_cursor_begin(&c, ctx, text, length);
    if (status) return status;
    c.first = first_byte;
    if (zl_cursor_keyword(&c, "f2")) return zl_f2_parse(&c, out);
    if (zl_cursor_peek(&c) == '{' || zl_cursor_peek(&c) == '[') return zl_pieces_parse(&c, out);
    if (zl_symbols_in(&c)) return zl_symbols_parse(&c, out);
    zl_modes_begin(&m, ctx);
    status = read_strided(&c, out, &m);
    zl_modes_end(&m);
    return status;
}

zlay_status zlay_layout_parse(zlay_ctx *ctx, zlay_layout **out, const char *text, size_t length)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, zl_parse(ctx, out, text, length, 0));
}
