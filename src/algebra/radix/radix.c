/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/radix/radix.h"

#include <inttypes.h>
#include <string.h>

struct zlay_radix {
    zlay_allocator alloc;
    size_t bytes, rank;
    zlay_divisor step[];
};

/* ---- making ------------------------------------------------------------------------ */

static int64_t floor_of(int64_t least, uint64_t n)
{
    uint64_t magnitude = ~(uint64_t)least;
    return least < 0 ? (int64_t)~(magnitude / n) : (int64_t)((uint64_t)least / n);
}

static zlay_status steps_make(zlay_ctx *ctx, zlay_radix *radix, const uint64_t *shape,
                              int64_t least, uint64_t greatest)
{
    for (size_t i = 0; i < radix->rank; i++) {
        zlay_status status = zlay_divisor_make(&radix->step[i], shape[i], least, greatest);
        if (status == ZLAY_EINVAL)
            return zl_fail(ctx, status, !shape[i] ? "extent %zu is 0" : "the range is empty", i);
        if (status) return zl_fail(ctx, status, "no multiplier divides by %" PRIu64, shape[i]);
        least = floor_of(least, shape[i]);
        greatest /= shape[i];
    }
    return ZLAY_OK;
}

static zlay_status new_radix(zlay_ctx *ctx, zlay_radix **out, size_t rank, const uint64_t *shape)
{
    uint64_t limit = zl_limits(ctx)->dims;
    if (!rank || !shape) return zl_fail(ctx, ZLAY_EINVAL, "a shape needs an extent");
    if (rank > limit)
        return zl_fail(ctx, ZLAY_ELIMIT, "limits.dims is %" PRIu64 " and the shape has %zu modes",
                       limit, rank);
    size_t bytes = sizeof(zlay_radix) + rank * sizeof(zlay_divisor);
    zlay_radix *radix = zl_alloc(ctx, 1, bytes);
    if (!radix) return ZLAY_ENOMEM;
    radix->alloc = zl_allocator(ctx);
    radix->bytes = bytes;
    radix->rank = rank;
    *out = radix;
    return ZLAY_OK;
}

zlay_status zlay_radix_new(zlay_ctx *ctx, zlay_radix **out, size_t rank, const uint64_t *shape,
                           int64_t least, uint64_t greatest)
{
    zlay_radix *radix = NULL;
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = new_radix(ctx, &radix, rank, shape);
    if (!status) status = steps_make(ctx, radix, shape, least, greatest);
    if (status) zlay_radix_free(radix);
    else *out = radix;
    return zl_leave(ctx, status);
}

void zlay_radix_free(zlay_radix *radix)
{
    if (!radix) return;
    zlay_allocator alloc = radix->alloc;
    zl_free(&alloc, radix, radix->bytes);
}

const zlay_divisor *zlay_radix_divisor_nth(const zlay_radix *radix, size_t i)
{
    return radix && i < radix->rank ? &radix->step[i] : NULL;
}

/* ---- indices and coordinates ------------------------------------------------------- */

static bool in_range(const zlay_divisor *d, uint64_t index)
{
    if (d->least >= 0) return index >= (uint64_t)d->least && index <= d->greatest;
    return index <= d->greatest || (index >> 63 && (int64_t)index >= d->least);
}

zlay_status zlay_radix_split(uint64_t *coordinate, uint64_t *rest, const zlay_radix *radix,
                             uint64_t index)
{
    if (!coordinate || !radix || !in_range(&radix->step[0], index)) return ZLAY_EINVAL;
    for (size_t i = 0; i < radix->rank; i++) {
        uint64_t quotient = zlay_divisor_quotient(&radix->step[i], index);
        coordinate[i] = index - quotient * radix->step[i].divisor;
        index = quotient;
    }
    if (rest) *rest = index;
    return ZLAY_OK;
}

zlay_status zlay_radix_join(uint64_t *index, const zlay_radix *radix, const uint64_t *coordinate)
{
    uint64_t sum = 0;
    if (!index || !radix || !coordinate) return ZLAY_EINVAL;
    for (size_t i = 0; i < radix->rank; i++)
        if (coordinate[i] >= radix->step[i].divisor) return ZLAY_EINVAL;
    for (size_t i = radix->rank; i-- > 0;)
        if (!zl_umul(sum, radix->step[i].divisor, &sum) || !zl_uadd(sum, coordinate[i], &sum))
            return ZLAY_EOVERFLOW;
    *index = sum;
    return ZLAY_OK;
}

/* ---- text -------------------------------------------------------------------------- */

typedef struct source {
    const zlay_radix *radix;
    const char *name;
} source;

/* The operand: x0, x1, ... as it is, and folded to u0, u1, ... where it may be negative. */
static void put_quotient(zl_text *out, const zlay_divisor *d, size_t i, int bits)
{
    char u = d->least < 0 ? 'u' : 'x';
    const char *more = d->way == ZLAY_DIVISOR_ADD ? " + " : "";
    const char *wide =
        d->product > bits ? d->product == 128 ? "(unsigned __int128)" : "(uint64_t)" : "";
    char m[64] = "";
    zl_text number = {m, sizeof m - 1, 0};
    zl_putf(&number, "UINT%d_C(0x%" PRIx64 ")", d->multiplier >> 32 ? 64 : 32, d->multiplier);
    switch (d->way) {
    case ZLAY_DIVISOR_ZERO: zl_puts(out, "0"); break;
    case ZLAY_DIVISOR_SHIFT: zl_putf(out, "%c%zu >> %d", u, i, d->shift); break;
    default:
        zl_putf(out, "(uint%d_t)((%s%c%zu * %s%s%s) >> %d)", bits, wide, u, i, m, more,
                *more ? m : "", d->shift);
    }
}

static void put_remainder(zl_text *out, const zlay_divisor *d, size_t i, int bits,
                          const char *type)
{
    zl_putf(out, "    c[%zu] = (%s)", i, type);
    if (d->way == ZLAY_DIVISOR_ZERO && d->least >= 0) zl_putf(out, "x%zu;\n", i);
    else if (d->way == ZLAY_DIVISOR_SHIFT)
        zl_putf(out, "(x%zu & UINT%d_C(0x%" PRIx64 "));\n", i, bits, d->divisor - 1);
    else zl_putf(out, "(x%zu - x%zu * UINT%d_C(%" PRIu64 "));\n", i, i + 1, bits, d->divisor);
}

/* Quotients of the negative operands are folded back: s0, s1, ... are 0 or -1. */
static void put_step(zl_text *out, const zlay_divisor *d, size_t i, int bits, const char *type)
{
    bool minus = d->least < 0, zero = d->way == ZLAY_DIVISOR_ZERO;
    if (minus) zl_putf(out, "    const uint%d_t s%zu = 0 - (x%zu >> %d);\n", bits, i, i, bits - 1);
    if (minus && !zero) zl_putf(out, "    const uint%d_t u%zu = x%zu ^ s%zu;\n", bits, i, i, i);
    zl_putf(out, "    const uint%d_t x%zu = ", bits, i + 1);
    if (minus && zero) {
        zl_putf(out, "s%zu", i);
    } else {
        zl_puts(out, minus ? "(" : "");
        put_quotient(out, d, i, bits);
        if (minus) zl_putf(out, ") ^ s%zu", i);
    }
    zl_puts(out, ";\n");
    put_remainder(out, d, i, bits, type);
}

static void put_shape(zl_text *out, const zlay_radix *radix)
{
    for (size_t i = 0; i < radix->rank; i++)
        zl_putf(out, "%s%" PRIu64, i ? "," : "(", radix->step[i].divisor);
    zl_puts(out, ")");
}

/* The remainder of a negative index may exceed the index. */
static int type_bits(const zlay_radix *radix)
{
    int bits = radix->step[0].bits;
    for (size_t i = 0; radix->step[0].least < 0 && i < radix->rank; i++)
        if (radix->step[i].divisor > (uint64_t)INT32_MAX + 1) bits = 64;
    return bits;
}

static void put_source(zl_text *out, const void *value)
{
    const source *s = value;
    int bits = type_bits(s->radix);
    const zlay_divisor *first = &s->radix->step[0];
    const char *sign = first->least < 0 ? "" : "u";
    char type[16] = "";
    zl_text name = {type, sizeof type - 1, 0};
    zl_putf(&name, "%sint%d_t", sign, bits);
    zl_puts(out, "/* The coordinate of x in ");
    put_shape(out, s->radix);
    zl_putf(out,
            ", first mode fastest, for x in [%" PRId64 ", %" PRIu64 "]; returns the rest. */\n",
            first->least, first->greatest);
    zl_putf(out, "static inline %s %s(%s x, %s *c)\n{\n    const uint%d_t x0 = (uint%d_t)x;\n",
            type, s->name, type, type, bits, bits);
    for (size_t i = 0; i < s->radix->rank; i++)
        put_step(out, &s->radix->step[i], i, bits, type);
    zl_putf(out, "    return (%s)x%zu;\n}\n", type, s->radix->rank);
}

zlay_status zlay_radix_print(zlay_buf *out, const zlay_radix *radix, const char *name)
{
    source s = {radix, name};
    if (!radix || !name || !zl_is_name(name, strlen(name))) return ZLAY_EINVAL;
    return zl_print(out, put_source, &s);
}
