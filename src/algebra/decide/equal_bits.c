/* SPDX-License-Identifier: Apache-2.0 */
/* Equality of layouts whose values grow by the bits of the index, where one side is modular: the
 * other is modular, f2, or strided of a power of two under a swizzle.
 *
 * As long as both sides had one value at every index below 2^k, that value is all that bit k can be
 * added to.  So the values met so far are kept, each with its least index, and a bit is added to
 * each on both sides: the first difference is the least index of those that part.  Modular values
 * are fewer than the group's elements, which bounds the work whatever the number of points. */
#include "algebra/decide/equal.h"
#include "algebra/f2/f2.h"
#include "algebra/f2/modular.h"

/* One side, and which of its outputs: ALL are one flat value. */
enum { ALL = -1 };

typedef struct side {
    const zlay_layout *a;
    int out;
} side;

typedef struct meeting {
    uint64_t count;  /* values that were met */
    uint64_t *index; /* 1 + the least index of a value; 0: not met */
    uint64_t *met;
} meeting;

/* A strided layout's bit changes the value before the swizzle, which is its own inverse. */
static int64_t step_strided(const zlay_layout *a, unsigned bit, int64_t value)
{
    size_t i = 0;
    for (unsigned bits; bit >= (bits = (unsigned)__builtin_ctzll((uint64_t)a->mode[i].shape)); i++)
        bit -= bits;
    uint64_t stride = (uint64_t)a->mode[i].stride << bit;
    uint64_t sum = (uint64_t)zl_swizzle_at(a->swizzle, value) + stride;
    return zl_swizzle_at(a->swizzle, (int64_t)sum);
}

static int64_t step_output(const zl_f2 *f2, size_t out, unsigned bit, int64_t value)
{
    const zl_dim *dim = &f2->out[out];
    uint64_t a = (uint64_t)value, b = zl_field(f2->basis[bit], zl_dim_low(f2->out, out), dim->bits);
    if (!dim->size) return (int64_t)(a ^ b);
    return (int64_t)(a >= dim->size - b ? a - (dim->size - b) : a + b);
}

static int64_t step(const side *s, unsigned bit, int64_t value)
{
    const zl_f2 *f2 = &s->a->f2;
    if (s->a->modes) return step_strided(s->a, bit, value);
    if (s->out != ALL) return step_output(f2, (size_t)s->out, bit, value);
    uint64_t packed = zl_modular_packed(f2, (uint64_t)value);
    return (int64_t)zl_modular_flat(f2, zl_modular_add(f2, packed, f2->basis[bit]));
}

static void meet(meeting *m, int64_t value, uint64_t index)
{
    if (m->index[value]) return;
    m->index[value] = index + 1;
    m->met[m->count++] = (uint64_t)value;
}

/* The least index where bit k parts the sides; false: it does not.  Values are met in the order of
 * their indices. */
static bool add_bit(meeting *m, const side *a, const side *b, unsigned k, uint64_t *index)
{
    for (uint64_t i = 0, count = m->count; i < count; i++) {
        int64_t value = (int64_t)m->met[i], x = step(a, k, value);
        *index = m->index[value] - 1 + ((uint64_t)1 << k);
        if (x != step(b, k, value)) return true;
        meet(m, x, *index);
    }
    return false;
}

/* A value that both sides have is below the room of each. */
static uint64_t room_of(const side *s)
{
    if (s->a->modes) return UINT64_MAX;
    if (s->out == ALL) return zl_modular_group(&s->a->f2);
    const zl_dim *dim = &s->a->f2.out[s->out];
    return dim->size ? dim->size : dim->bits < 64 ? (uint64_t)1 << dim->bits : UINT64_MAX;
}

static zlay_status by_meeting(zlay_ctx *ctx, const side *a, const side *b, uint64_t *index)
{
    meeting m = {.count = 0};
    uint64_t room = room_of(a) < room_of(b) ? room_of(a) : room_of(b), at;
    unsigned bits = (unsigned)__builtin_ctzll(a->a->size), k = 0;
    m.index = zl_scratch(ctx, room, sizeof *m.index);
    m.met = zl_scratch(ctx, room, sizeof *m.met);
    if (!m.index || !m.met) return ZLAY_ENOMEM;
    meet(&m, 0, 0);
    while (k < bits && !add_bit(&m, a, b, k, &at)) k++;
    if (k < bits && at < *index) *index = at;
    return ZLAY_OK;
}

/* ---- one law of addition: whatever the size ------------------------------------------------ */

static uint64_t field_of(const side *s, unsigned k)
{
    const zl_f2 *f2 = &s->a->f2;
    return zl_field(f2->basis[k], zl_dim_low(f2->out, (size_t)s->out), f2->out[s->out].bits);
}

/* The least index whose fields add up to `sum`: its highest bit is the first up to which all do,
 * and what that lacks is asked of the bits below. */
static bool least_sum(const side *s, unsigned bits, uint64_t sum, uint64_t *index)
{
    *index = 0;
    while (sum) {
        uint64_t all = 0;
        unsigned k = 0;
        while (k < bits && all < sum)
            if (!zl_uadd(all, field_of(s, k++), &all)) all = UINT64_MAX;
        if (all < sum) return false;
        bits = k - 1;
        *index |= (uint64_t)1 << bits;
        sum -= field_of(s, bits) < sum ? field_of(s, bits) : sum;
    }
    return true;
}

/* Both XOR, or both modulo sizes: the same bases give the same values until the lesser size is
 * reached, where only one sum wraps, or both wrap to different values. */
static void by_fields(const side *a, const side *b, uint64_t *index)
{
    unsigned bits = (unsigned)__builtin_ctzll(a->a->size), equal = 0;
    uint64_t m = a->a->f2.out[a->out].size, n = b->a->f2.out[b->out].size, at;
    while (equal < bits && field_of(a, equal) == field_of(b, equal)) equal++;
    if (equal < bits && (uint64_t)1 << equal < *index) *index = (uint64_t)1 << equal;
    if (m != n && least_sum(a, equal, m < n ? m : n, &at) && at < *index) *index = at;
}

static bool is_one_law(const side *a, const side *b)
{
    if (a->out == ALL) return false;
    return !a->a->f2.out[a->out].size == !b->a->f2.out[b->out].size;
}

/* *index becomes the first difference if that is below it. */
static zlay_status one_output(zlay_ctx *ctx, const side *a, const side *b, uint64_t *index,
                              bool *decided)
{
    *decided = true;
    if (is_one_law(a, b)) return by_fields(a, b, index), ZLAY_OK;
    *decided = room_of(a) <= ZL_RESIDUES || room_of(b) <= ZL_RESIDUES;
    return *decided ? by_meeting(ctx, a, b, index) : ZLAY_OK;
}

static bool grows_by_bits(const zlay_layout *a)
{
    return (a->modes || a->f2.outs) && !(a->size & (a->size - 1));
}

zlay_status zl_equal_bits(zl_pair *p, bool *decided)
{
    bool modular = p->a->kind == ZLAY_LAYOUT_MODULAR || p->b->kind == ZLAY_LAYOUT_MODULAR;
    int outs = p->manner == ZL_AS_TUPLES ? (int)p->a->f2.outs : 0;
    uint64_t index = UINT64_MAX;
    zlay_status status = ZLAY_OK;
    *decided = modular && p->manner != ZL_NEVER && grows_by_bits(p->a) && grows_by_bits(p->b);
    if (!*decided) return ZLAY_OK;
    if (zl_at(p->a, 0) || zl_at(p->b, 0)) {
        *decided = zl_at(p->a, 0) != zl_at(p->b, 0);
        if (*decided) zl_differ(p, 0);
        return ZLAY_OK;
    }
    for (int out = outs ? 0 : ALL; out < (outs ? outs : 0) && *decided && !status; out++) {
        side a = {p->a, out}, b = {p->b, out};
        zl_mark mark = zl_scratch_mark(p->ctx);
        status = one_output(p->ctx, &a, &b, &index, decided);
        zl_scratch_release(p->ctx, mark);
    }
    if (!status && *decided && index != UINT64_MAX) zl_differ(p, index);
    return status;
}
