/* SPDX-License-Identifier: Apache-2.0 */
/* Prints one register of a conversion: rows of converts.def, and what bits do: halves and bytes that lie in a register with
 * others, bytes and elements of 4 bits that become halves behind the bits of a power of two. */
#include "emit/pipe/body/body.h"

#include <stdio.h>

enum { NEAREST = ZL_ROUND_NEAREST, ZERO = ZL_ROUND_ZERO, DOWN = ZL_ROUND_DOWN, UP = ZL_ROUND_UP };
enum { ONE, PAIR, BYTES, HALVES };
enum { BYTE_BITS = 8 };

static const struct {
    int32_t from, to, round;
    int way;
    const char *id;
} converts[] = {
#define BODY_CVT(from, to, round, way, id) {ZLAY_TYPE_##from, ZLAY_TYPE_##to, round, way, id},
#include "emit/pipe/body/converts.def"
#undef BODY_CVT
};

static const zl_body_node *node_of(const zl_pb *t, int32_t node)
{
    return &t->body->nodes[node];
}

static void say_pair(zl_pb *t, const zl_body_node *n, const char *id, const char *to, uint32_t i)
{
    char low[ZL_PB_NAME], high[ZL_PB_NAME];
    zl_pb_element(t, low, n->arg[0], n, i, 2 * i);
    zl_pb_element(t, high, n->arg[0], n, i, n->shape == ZL_ON_BOTH ? 2 * i + 1 : i);
    zl_say(t->k, NULL, id, 1, to, high, low);
}

static void say_bytes(zl_pb *t, const zl_body_node *n, const char *id, const char *to, uint32_t i)
{
    char e[4][ZL_PB_NAME], upper[ZL_PB_NAME];
    for (uint32_t j = 0; j < 4; j++) zl_pb_element(t, e[j], n->arg[0], n, i, zl_pb_at(t, 4 * i + j));
    if (zl_body_class(n->type) == ZL_BODY_BYTE) {
        zl_pb_temp(t, upper);
        zl_say(t->k, NULL, id, 1, upper, e[3], e[2], "0");
        zl_say(t->k, NULL, id, 1, to, e[1], e[0], upper);
        return;
    }
    zl_say(t->k, NULL, id, 1, zl_pb_half(t, 0), e[1], e[0]);
    zl_say(t->k, NULL, id, 1, zl_pb_half(t, 1), e[3], e[2]);
    zl_say(t->k, NULL, "mov.b32.pack", 1, to, zl_pb_half(t, 0), zl_pb_half(t, 1));
}

/* A half of f16 as f32. */
static void say_f16(zl_pb *t, const char *to, const char *from, int which)
{
    zl_say(t->k, NULL, "mov.b32.unpack", 2, zl_pb_half(t, 2), zl_pb_half(t, 3), from);
    zl_say(t->k, NULL, "cvt.f32.f16", 1, to, zl_pb_half(t, 2 + which));
}

/* Four bytes are read two by two: register i of halves comes from half i % 2 of register i / 2. */
static void say_halves(zl_pb *t, const zl_body_node *n, const char *id, const char *to, uint32_t i)
{
    char from[ZL_PB_NAME], pair[ZL_PB_NAME];
    bool wide = n->type == ZLAY_TYPE_F32, narrow = n->type == ZLAY_TYPE_BF16;
    uint32_t pairs = wide ? i / 2 : i;
    zl_pb_register(t, from, n->arg[0], pairs / 2);
    zl_say(t->k, NULL, "mov.b32.unpack", 2, zl_pb_half(t, 0), zl_pb_half(t, 1), from);
    zl_say(t->k, NULL, id, 1, wide || narrow ? zl_pb_temp(t, pair) : to, zl_pb_half(t, (int)(pairs % 2)));
    if (wide) say_f16(t, to, pair, (int)(i % 2));
    if (narrow) zl_pb_f16_to_bf16(t, to, pair);
}

/* 16 bits as f32: a bf16 is the upper half of it. */
static void say_widen(zl_pb *t, const zl_body_node *n, const char *to, uint32_t i)
{
    char from[ZL_PB_NAME];
    bool matrix = n->shape == ZL_ON_BOTH, upper = matrix && i % 2;
    zl_pb_register(t, from, n->arg[0], matrix ? i / 2 : i);
    if (node_of(t, n->arg[0])->type == ZLAY_TYPE_F16) say_f16(t, to, from, upper);
    else if (upper) zl_say(t->k, NULL, "and.b32", 1, to, from, "0xffff0000");
    else zl_say(t->k, NULL, "shl.b32", 1, to, from, "16");
}

static void say_byte(zl_pb *t, const zl_body_node *n, const char *id, const char *to, uint32_t i)
{
    char from[ZL_PB_NAME], place[24];
    zl_pb_register(t, from, n->arg[0], i / 4);
    zl_say(t->k, NULL, id, 1, to, from, zl_pt_number(place, i % 4 * BYTE_BITS), "8");
}

/* to = to +- other, of halves; the result is exact. */
static void say_exactly(zl_pb *t, const zl_body_node *n, const char *what, const char *to, const char *other)
{
    char id[24];
    snprintf(id, sizeof id, "%s.rn.%sx2", what, zlay_type_name(n->type));
    zl_say(t->k, NULL, id, 1, to, to, other);
}

/* Two elements of 4 bits, which lie 16 apart in their register, as two halves of a number whose
 * mantissa has them as its lowest bits: the bits of zl_biased, and theirs. An s4 is 8 more than the
 * u4 of its bits with the highest one changed. Without the bias it is subtracted, which is exact. */
static void say_nibbles(zl_pb *t, const zl_body_node *n, const char *to, uint32_t i)
{
    char from[ZL_PB_NAME], part[ZL_PB_NAME], constant[ZL_PB_NAME], bias[24], place[24];
    int32_t type = node_of(t, n->arg[0])->type;
    uint32_t half_bits = n->type == ZLAY_TYPE_F16 ? 0x6400 : 0x4300;
    half_bits |= type == ZLAY_TYPE_S4 ? 8 : 0;
    snprintf(bias, sizeof bias, "0x%08x", (unsigned)(half_bits << 16 | half_bits));
    zl_pb_register(t, from, n->arg[0], i / 4);
    zl_op(t->k, MOV, zl_pb_temp(t, constant), bias); /* lop3 has room for one number, that of the mask */
    if (i % 4)
        zl_say(t->k, NULL, "shr.u32", 1, zl_pb_temp(t, part), from, zl_pt_number(place, i % 4 * 4));
    zl_say(t->k, NULL, "lop3.and_xor", 1, to, i % 4 ? part : from, "0x000f000f", constant);
    if (n->round == ZL_ROUND_BIASED) return;
    say_exactly(t, n, "sub", to, constant);
}

/* to = (part & mask) ^ bits, where lop3 has room for one number, that of the mask. */
static void say_masked(zl_pb *t, const char *to, const char *part, const char *mask, const char *bits)
{
    char constant[ZL_PB_NAME];
    zl_op(t->k, MOV, zl_pb_temp(t, constant), bits);
    zl_say(t->k, NULL, "lop3.and_xor", 1, to, part, mask, constant);
}

/* Two elements of 8 bits as halves. Ten bits of a mantissa hold 8: those of 1024, or of 1152 with the sign changed, which is
 * then subtracted. Seven do not: 128 and the lower 7 bits, less 128 or 256 by the highest; of u8 that is 128 too few. */
static void say_byte_halves(zl_pb *t, const zl_body_node *n, const char *to, uint32_t i)
{
    char from[ZL_PB_NAME], part[ZL_PB_NAME], high[ZL_PB_NAME];
    bool sign = node_of(t, n->arg[0])->type == ZLAY_TYPE_S8;
    const char *bias = sign ? "0x64806480" : "0x64006400";
    zl_pb_register(t, from, n->arg[0], i / 2);
    zl_say(t->k, NULL, "prmt", 1, zl_pb_temp(t, part), from, "0", i % 2 ? "0x4342" : "0x4140");
    zl_pb_temp(t, high);
    if (n->type == ZLAY_TYPE_F16) {
        zl_op(t->k, MOV, high, bias);
        zl_say(t->k, NULL, "xor.b32", 1, to, part, high);
        say_exactly(t, n, "sub", to, high);
        return;
    }
    say_masked(t, high, part, "0x00800080", sign ? "0x43004300" : "0x43804380");
    say_masked(t, to, part, "0x007f007f", "0x43004300");
    say_exactly(t, n, "sub", to, high);
    if (sign) return;
    zl_op(t->k, MOV, high, "0x43004300");
    say_exactly(t, n, "add", to, high);
}

static void say_one(zl_pb *t, const zl_body_node *n, const char *id, const char *to, uint32_t i)
{
    char from[ZL_PB_NAME];
    zl_say(t->k, NULL, id, 1, to, zl_pb_element(t, from, n->arg[0], n, i, i));
}

void zl_pb_convert(zl_pb *t, const zl_body_node *n, const char *to, uint32_t i)
{
    int32_t from = node_of(t, n->arg[0])->type;
    char same[ZL_PB_NAME];
    if (zl_body_class(from) == ZL_BODY_NIBBLE) {
        say_nibbles(t, n, to, i);
        return;
    }
    if (zl_body_class(from) == ZL_BODY_TINY) {
        if (from == ZLAY_TYPE_E2M1) zl_pb_e2m1(t, n, to, i);
        else zl_pb_ue8m0(t, n, to, i);
        return;
    }
    if (zl_body_class(from) == ZL_BODY_BYTE && zl_body_class(n->type) == ZL_BODY_HALF) {
        say_byte_halves(t, n, to, i);
        return;
    }
    for (size_t c = 0; c < ZL_COUNT(converts); c++) {
        if (converts[c].from != from || converts[c].to != n->type || converts[c].round != n->round)
            continue;
        const char *id = converts[c].id;
        if (zl_body_class(from) == ZL_BODY_BYTE) say_byte(t, n, id, to, i);
        else if (converts[c].way == PAIR) say_pair(t, n, id, to, i);
        else if (converts[c].way == BYTES) say_bytes(t, n, id, to, i);
        else if (converts[c].way == HALVES) say_halves(t, n, id, to, i);
        else say_one(t, n, id, to, i);
        return;
    }
    if (zl_body_class(from) == ZL_BODY_HALF) say_widen(t, n, to, i);
    else {
        zl_pb_operand(t, same, n->arg[0], n, i);
        zl_op(t->k, MOV, to, zl_pb_plain(same));
    }
}
