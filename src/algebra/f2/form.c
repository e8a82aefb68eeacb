/* SPDX-License-Identifier: Apache-2.0 */
/* F2 layouts that are being made: dimensions by name, and fields in another order. */
#include "algebra/f2/f2.h"
#include "base/arith.h"

#include <string.h>

/* ---- dimensions ---------------------------------------------------------------------- */

size_t zl_dim_find(const zl_dim *dim, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (dim[i].name[0] == name[0] && !strcmp(dim[i].name, name)) return i;
    return count;
}

static bool is_name(const char *name, size_t length)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return length && length <= 64 && strspn(name, allowed) == length &&
           (name[0] < '0' || name[0] > '9');
}

void zl_dim_sized(zl_dim *out, uint64_t size)
{
    out->size = zl_is_power_of_two(size) ? 0 : size;
    out->bits = size ? zl_log2_up(size) : 64;
}

zlay_status zl_dim_of(zlay_ctx *ctx, zl_dim *out, const zlay_dim *dim)
{
    char quoted[256];
    const char *end = dim ? memchr(dim->name, 0, sizeof dim->name) : NULL;
    size_t length = end ? (size_t)(end - dim->name) : 0;
    memset(out, 0, sizeof *out);
    if (!dim) return zl_fail(ctx, ZLAY_EINVAL, "a dimension is NULL");
    if (!is_name(dim->name, length))
        return zl_fail(ctx, ZLAY_EINVAL, "'%s' is no name of 1 to 64 letters, digits and _",
                       zl_quote(quoted, dim->name, end ? length : sizeof dim->name));
    memcpy(out->name, dim->name, length);
    zl_dim_sized(out, dim->size);
    return ZLAY_OK;
}

zlay_status zl_dim_in_of(zlay_ctx *ctx, zl_dim *out, const zlay_dim *dim)
{
    zlay_status status = zl_dim_of(ctx, out, dim);
    if (status || !out->size) return status;
    return zl_fail(ctx, ZLAY_EINVAL, "the size %llu of %s is no power of two",
                   (unsigned long long)out->size, out->name);
}

/* ---- forms ------------------------------------------------------------------------------ */

void zl_f2_form_begin(zl_f2_form *f, zlay_ctx *ctx)
{
    f->ctx = ctx;
    f->ins = f->outs = 0;
    f->bits = f->reach = 0;
}

static zlay_status room_for(const zl_f2_form *f, const zl_dim *dim, const zl_dim *others,
                            size_t count)
{
    uint64_t limit = zl_limits(f->ctx)->dims;
    if (zl_dim_find(others, count, dim->name) < count)
        return zl_fail(f->ctx, ZLAY_EINVAL, "two dimensions are called %s", dim->name);
    if (f->ins + f->outs >= limit)
        return zl_fail(f->ctx, ZLAY_ELIMIT,
                       "limits.dims is %llu and the layout has more dimensions",
                       (unsigned long long)limit);
    if (count == ZL_F2_DIMS)
        return zl_fail(f->ctx, ZLAY_ELIMIT, "an F2 layout has 64 inputs and 64 outputs at most");
    return ZLAY_OK;
}

static zlay_status too_wide(const zl_f2_form *f, const char *what)
{
    return zl_fail(f->ctx, ZLAY_EOVERFLOW, "the %s have more than 64 bits", what);
}

zlay_status zl_f2_form_in(zl_f2_form *f, const zl_dim *dim)
{
    zlay_status status = room_for(f, dim, f->in, f->ins);
    if (status) return status;
    if (f->bits + dim->bits > 64) return too_wide(f, "inputs");
    f->in[f->ins++] = *dim;
    f->bits += dim->bits;
    return ZLAY_OK;
}

zlay_status zl_f2_form_out(zl_f2_form *f, const zl_dim *dim)
{
    zlay_status status = room_for(f, dim, f->out, f->outs);
    if (status) return status;
    if (f->reach + dim->bits > 64) return too_wide(f, "outputs");
    f->out[f->outs++] = *dim;
    f->reach += dim->bits;
    return ZLAY_OK;
}

zlay_status zl_f2_form_ins(zl_f2_form *f, const zl_f2 *a)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < a->ins && !status; i++) status = zl_f2_form_in(f, &a->in[i]);
    return status;
}

zlay_status zl_f2_form_outs(zl_f2_form *f, const zl_f2 *a)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < a->outs && !status; i++) status = zl_f2_form_out(f, &a->out[i]);
    return status;
}

zlay_status zl_f2_form_end(const zl_f2_form *f, zlay_layout **out)
{
    zl_f2 f2 = {f->ins, f->outs, f->in, f->out, f->basis};
    return zl_layout_f2(f->ctx, out, &f2);
}

/* ---- orders ----------------------------------------------------------------------------- */

static zlay_status no_such_name(zlay_ctx *ctx, const char *name)
{
    return zl_fail(ctx, ZLAY_EINVAL, "the dimension %s is in one layout and not in the other",
                   name);
}

zlay_status zl_order_of(zlay_ctx *ctx, zl_dim_order *out, const zl_dim *from, size_t from_count,
                        const zl_dim *to, size_t to_count)
{
    unsigned low = 0;
    out->count = from_count;
    out->same = true;
    for (size_t i = 0; i < from_count; low += from[i++].bits) {
        size_t at = zl_dim_find(to, to_count, from[i].name);
        if (at == to_count) return no_such_name(ctx, from[i].name);
        out->low[i] = low;
        out->bits[i] = from[i].bits;
        out->to[i] = zl_dim_low(to, at);
        out->room[i] = to[at].bits;
        out->same = out->same && out->to[i] == low && out->room[i] >= from[i].bits;
    }
    for (size_t i = 0; i < to_count; i++)
        if (zl_dim_find(from, from_count, to[i].name) == from_count)
            return no_such_name(ctx, to[i].name);
    return ZLAY_OK;
}

bool zl_order_apply(const zl_dim_order *o, uint64_t value, uint64_t *out)
{
    uint64_t result = 0;
    if (o->same) {
        *out = value;
        return true;
    }
    for (size_t i = 0; i < o->count; i++) {
        uint64_t field = zl_field(value, o->low[i], o->bits[i]);
        if (field & ~zl_ones(o->room[i])) return false;
        result |= zl_left(field, o->to[i]);
    }
    *out = result;
    return true;
}

/* ---- what operations say ------------------------------------------------------------------ */

zlay_status zl_f2_check(zlay_ctx *ctx, const zlay_layout *layout, const char *what, bool modular)
{
    if (!layout) return zl_fail(ctx, ZLAY_EINVAL, "%s is NULL", what);
    if (layout->kind == ZLAY_LAYOUT_F2 || (modular && layout->kind == ZLAY_LAYOUT_MODULAR))
        return ZLAY_OK;
    if (layout->kind != ZLAY_LAYOUT_MODULAR)
        return zl_fail(ctx, ZLAY_EINVAL, "%s is no F2 layout; zlay_layout_lower makes one", what);
    for (size_t i = 0; i < layout->f2.outs; i++)
        if (layout->f2.out[i].size)
            return zl_fail(ctx, ZLAY_EINVAL, "%s: the size %llu of %s is no power of two", what,
                           (unsigned long long)layout->f2.out[i].size, layout->f2.out[i].name);
    return zl_fail(ctx, ZLAY_EINTERNAL, "a modular layout without a modulus");
}

static void put_point(zl_text *text, const zl_dim *dim, size_t count, uint64_t value)
{
    unsigned low = 0;
    for (size_t i = 0; i < count; low += dim[i++].bits)
        zl_putf(text, "%s%s %llu", i ? ", " : "", dim[i].name,
                (unsigned long long)zl_field(value, low, dim[i].bits));
}

zlay_status zl_f2_none(zlay_ctx *ctx, const zl_f2 *a, uint64_t value, const char *format, ...)
{
    char message[512], point[256];
    zl_text text = {message, sizeof message - 1, 0}, where = {point, sizeof point - 1, 0};
    va_list args;
    va_start(args, format);
    zl_vputf(&text, format, args);
    va_end(args);
    put_point(&where, a->out, a->outs, value);
    message[text.need < text.room ? text.need : text.room] = 0;
    point[where.need < where.room ? where.need : where.room] = 0;
    return zl_fail(ctx, ZLAY_NONE, "%s (%s), value %llu", message, point,
                   (unsigned long long)value);
}
