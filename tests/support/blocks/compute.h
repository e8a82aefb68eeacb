/* SPDX-License-Identifier: Apache-2.0 */
/* What one thread computes in its registers: whole numbers, predicates, bytes. */
#ifndef TEST_BLOCKS_COMPUTE_H
#define TEST_BLOCKS_COMPUTE_H

#include "blocks/text.h"

static inline uint64_t pm_get(const pm_thread *t, const pm_operand *o)
{
    return (o->name < 0 ? 0 : t->value[o->name]) + (uint64_t)o->more;
}

static inline bool pm_is(const pm_line *l, const char *op)
{
    return !strncmp(l->op, op, strlen(op));
}

static inline bool pm_has(const pm_line *l, const char *part)
{
    return strstr(l->op, part) != NULL;
}

static inline const char *pm_type(const pm_line *l)
{
    const char *dot = strrchr(l->op, '.');
    return dot ? dot + 1 : "";
}

static inline uint64_t pm_cut(uint64_t value, const char *type)
{
    int bits = atoi(type + 1);
    return bits >= 64 ? value : value & (((uint64_t)1 << bits) - 1);
}

static inline int pm_compare(uint64_t a, uint64_t b, const char *type)
{
    if (*type == 's') {
        int64_t x = (int64_t)a, y = (int64_t)b;
        if (!strcmp(type, "s32")) x = (int32_t)x, y = (int32_t)y;
        return x < y ? -1 : x > y;
    }
    a = pm_cut(a, type);
    b = pm_cut(b, type);
    return a < b ? -1 : a > b;
}

static inline void pm_setp(pm_thread *t, const pm_line *l)
{
    static const char *const names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    int c = pm_compare(pm_get(t, &l->operand[1]), pm_get(t, &l->operand[2]), pm_type(l)), which = 0;
    while (strncmp(l->op + 5, names[which], 2)) assert_true(++which < 6);
    const bool holds[] = {c == 0, c != 0, c < 0, c <= 0, c > 0, c >= 0};
    bool value = holds[which];
    if (pm_has(l, ".and.")) value = value && pm_get(t, &l->operand[3]);
    t->value[l->operand[0].name] = value;
}

static inline uint32_t pm_prmt(uint32_t a, uint32_t b, uint64_t selector)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t r = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t from = selector >> 4 * i & 15;
        assert_true(from < 8);
        r |= (uint32_t)(bytes >> 8 * from & 255) << 8 * i;
    }
    return r;
}

/* cvt.TO.FROM: integers, extended by the sign that FROM has. */
static inline uint64_t pm_convert(const pm_line *l, uint64_t a, const char **type)
{
    int bits = atoi(pm_type(l) + 1), unused = 64 - bits;
    uint64_t value = *pm_type(l) == 's' ? (uint64_t)((int64_t)(a << unused) >> unused) : pm_cut(a, pm_type(l));
    *type = l->op + 4;
    return value;
}

/* bfi.b32: the low bits of a in c bits of b from bit `at` on. */
static inline uint32_t pm_insert(uint32_t a, uint32_t b, uint64_t at, uint64_t length)
{
    uint32_t mask = length < 32 ? (1u << length) - 1 : UINT32_MAX;
    assert_true(at < 32);
    return (b & ~(mask << at)) | (a & mask) << at;
}

static inline bool pm_compute(pm_thread *t, const pm_line *l)
{
    uint64_t a = pm_get(t, &l->operand[1]), b = pm_get(t, &l->operand[2]);
    uint64_t c = pm_get(t, &l->operand[3]), r;
    const char *type = pm_type(l);
    if (pm_is(l, "mov.b32") && l->count == 3) r = (a & 0xffff) | b << 16; /* from a pair */
    else if (pm_is(l, "mov.pred")) r = a != 0, type = "b1";
    else if (pm_is(l, "mov.") || pm_is(l, "cvta.") || pm_is(l, "ld.param")) r = a;
    else if (pm_is(l, "cvt.")) r = pm_convert(l, a, &type);
    else if (pm_is(l, "mad.lo.")) r = a * b + c;
    else if (pm_is(l, "mad.wide.u32")) r = (uint64_t)(uint32_t)a * (uint32_t)b + c, type = "u64";
    else if (pm_is(l, "mul.wide.s32")) r = (uint64_t)((int64_t)(int32_t)a * (int32_t)b), type = "u64";
    else if (pm_is(l, "mad.wide.s32")) r = (uint64_t)((int64_t)(int32_t)a * (int32_t)b) + c, type = "u64";
    else if (pm_is(l, "mul.hi.u32")) r = (uint64_t)(uint32_t)a * (uint32_t)b >> 32;
    else if (pm_is(l, "dp2a.lo.u32.u32")) r = (a & 0xffff) * (b & 0xff) + (pm_cut(a, "b32") >> 16) * (b >> 8 & 0xff) + c;
    else if (pm_is(l, "mul.hi.u16")) r = (uint64_t)(uint16_t)a * (uint16_t)b >> 16;
    else if (pm_is(l, "mul.wide.u16")) r = (uint64_t)(uint16_t)a * (uint16_t)b, type = "u32";
    else if (pm_is(l, "mul.wide.u32")) r = (uint64_t)(uint32_t)a * (uint32_t)b, type = "u64";
    else if (pm_is(l, "mul.lo.")) r = a * b;
    else if (pm_is(l, "add.")) r = a + b;
    else if (pm_is(l, "sub.")) r = a - b;
    else if (pm_is(l, "div.u")) r = pm_cut(a, type) / pm_cut(b, type);
    else if (pm_is(l, "rem.u")) r = pm_cut(a, type) % pm_cut(b, type);
    else if (pm_is(l, "and.b")) r = a & b;
    else if (pm_is(l, "xor.b")) r = a ^ b;
    else if (pm_is(l, "or.b")) r = a | b;
    else if (pm_is(l, "not.b")) r = ~a;
    else if (pm_is(l, "and.pred")) r = a && b, type = "b1";
    else if (pm_is(l, "or.pred")) r = a || b, type = "b1";
    else if (pm_is(l, "not.pred")) r = !a, type = "b1";
    else if (pm_is(l, "neg.s")) r = -a;
    else if (pm_is(l, "bfi.b32")) r = pm_insert((uint32_t)a, (uint32_t)b, c, pm_get(t, &l->operand[4]));
    else if (pm_is(l, "bfe.u32")) r = pm_cut(a, "b32") >> b & ((1ull << c) - 1);
    else if (pm_is(l, "shl.b")) r = b < 64 ? a << b : 0;
    else if (pm_is(l, "shr.u")) r = b < 64 ? pm_cut(a, type) >> b : 0;
    else if (pm_is(l, "shr.s64")) r = (uint64_t)((int64_t)a >> b);
    else if (pm_is(l, "shr.s32")) r = (uint64_t)((int32_t)a >> b);
    else if (pm_is(l, "prmt.b32")) r = pm_prmt((uint32_t)a, (uint32_t)b, c);
    else if (pm_is(l, "min.u") || pm_is(l, "max.u")) r = (pm_cut(a, type) < pm_cut(b, type)) == pm_is(l, "min") ? a : b;
    else if (pm_is(l, "min.s64")) r = (int64_t)a < (int64_t)b ? a : b;
    else if (pm_is(l, "selp.")) r = c ? a : b;
    else if (pm_is(l, "shf.r.wrap.b32")) r = ((b << 32 | (uint32_t)a) >> (c & 31));
    else return false;
    t->value[l->operand[0].name] = pm_cut(r, type);
    return true;
}

#endif
