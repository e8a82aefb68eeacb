/* SPDX-License-Identifier: Apache-2.0 */
/* Prints conversions to halves of numbers that sm_90 has no instruction for: e2m1, whose bits are moved to where a half has its
 * sign, exponent and mantissa and whose exponent's bias is then multiplied away; ue8m0, whose bits are a bf16's exponent; and
 * fp8 as bf16. All are exact, for a bf16 has the values of each. */
#include "emit/pipe/body/body.h"

enum { NIBBLE = 4 };

/* A register of which bits are moved up, or down. */
static const char *moved(zl_pb *t, char room[ZL_PB_NAME], const char *from, int32_t up)
{
    char by[24];
    if (!up) return from;
    zl_pb_temp(t, room);
    zl_say(t->k, NULL, up > 0 ? "shl.b32" : "shr.u32", 1, room, from, zl_pt_number(by, (uint32_t)(up > 0 ? up : -up)));
    return room;
}

/* Four bits, twice: a multiplication moves them up so that the sign is bit 15 and so that the others are bits 6 to 8, which
 * meet nowhere; a mask leaves these. */
static void say_bf16_bits(zl_pb *t, const char *to, const char *from, uint32_t pair)
{
    char room[ZL_PB_NAME], part[ZL_PB_NAME];
    const char *low = moved(t, room, from, pair < 2 ? 0 : -2 * NIBBLE);
    zl_say(t->k, NULL, "and.b32", 1, zl_pb_temp(t, part), low, pair % 2 ? "0x00f000f0" : "0x000f000f");
    zl_op(t->k, MUL, part, part, pair % 2 ? "260" : "4160");
    zl_say(t->k, NULL, "and.b32", 1, to, part, "0x81c081c0");
}

/* The three bits behind the sign are bits 9 to 11: too near to the sign for that. */
static void say_f16_bits(zl_pb *t, const char *to, const char *from, uint32_t pair)
{
    char one[ZL_PB_NAME], other[ZL_PB_NAME], rest[ZL_PB_NAME];
    int32_t place = (int32_t)pair * NIBBLE;
    const char *low = moved(t, one, from, 9 - place), *sign = moved(t, other, from, 12 - place);
    zl_say(t->k, NULL, "and.b32", 1, zl_pb_temp(t, rest), low, "0x0e000e00");
    zl_say(t->k, NULL, "lop3.and_xor", 1, to, sign, "0x80008000", rest);
}

void zl_pb_e2m1(zl_pb *t, const zl_body_node *n, const char *to, uint32_t i)
{
    char from[ZL_PB_NAME], scale[ZL_PB_NAME];
    bool f16 = n->type == ZLAY_TYPE_F16;
    zl_pb_register(t, from, n->arg[0], i / 4);
    (f16 ? say_f16_bits : say_bf16_bits)(t, to, from, i % 4);
    if (n->round == ZL_ROUND_SCALED) return;
    zl_op(t->k, MOV, zl_pb_temp(t, scale), f16 ? "0x74007400" : "0x7e807e80");
    zl_say(t->k, NULL, f16 ? "mul.rn.f16x2" : "mul.rn.bf16x2", 1, to, to, scale);
}

/* to = value * 2^62, with 0 for 0; the value of 255 is then infinite, and is made NaN by 0 times it. */
static void say_scaled(zl_pb *t, const char *to, const char *value)
{
    char zero[ZL_PB_NAME], scale[ZL_PB_NAME];
    zl_op(t->k, MOV, zl_pb_temp(t, zero), "0");
    zl_op(t->k, MOV, zl_pb_temp(t, scale), "0x5e805e80");
    zl_say(t->k, NULL, "mul.rn.bf16x2", 1, zero, value, zero);
    zl_say(t->k, NULL, "fma.rn.bf16x2", 1, to, value, scale, zero);
}

/* The byte b is the exponent of 2^(b - 127), but for 0, which is the number 0x0040, and 255, to which 0x0040 is added. */
void zl_pb_ue8m0(zl_pb *t, const zl_body_node *n, const char *to, uint32_t i)
{
    char from[ZL_PB_NAME], part[ZL_PB_NAME], high[ZL_PB_NAME], least[ZL_PB_NAME];
    zl_pb_register(t, from, n->arg[0], i / 2);
    zl_say(t->k, NULL, "prmt", 1, zl_pb_temp(t, part), from, "0", i % 2 ? "0x4342" : "0x4140");
    zl_say(t->k, NULL, "shl.b32", 1, zl_pb_temp(t, high), part, "7");
    if (n->round == ZL_ROUND_SCALED) {
        say_scaled(t, to, high);
        return;
    }
    zl_op(t->k, MOV, zl_pb_temp(t, least), "0x00400040");
    zl_say(t->k, NULL, "max.bf16x2", 1, high, high, least);
    zl_op(t->k, ADD, part, part, "0x00010001");
    zl_say(t->k, NULL, "shr.u32", 1, part, part, "2");
    zl_say(t->k, NULL, "lop3.and_xor", 1, to, part, "0x00400040", high);
}

void zl_pb_f16_to_bf16(zl_pb *t, const char *to, const char *from)
{
    char low[ZL_PB_NAME], high[ZL_PB_NAME];
    zl_say(t->k, NULL, "mov.b32.unpack", 2, zl_pb_half(t, 2), zl_pb_half(t, 3), from);
    zl_say(t->k, NULL, "cvt.f32.f16", 1, zl_pb_temp(t, low), zl_pb_half(t, 2));
    zl_say(t->k, NULL, "cvt.f32.f16", 1, zl_pb_temp(t, high), zl_pb_half(t, 3));
    zl_say(t->k, NULL, "cvt.rn.bf16x2.f32", 1, to, high, low);
}
