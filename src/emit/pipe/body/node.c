/* SPDX-License-Identifier: Apache-2.0 */
/* Prints one register of a body's node as instructions: rows of ops.def and
 * converts.def, loads, coordinates. A value of 16 bits that is no matrix stands twice in its
 * register, so that it goes with every pair. */
#include "emit/pipe/body/body.h"

#include <stdio.h>
#include <string.h>

enum { NEAREST = ZL_ROUND_NEAREST, ZERO = ZL_ROUND_ZERO, DOWN = ZL_ROUND_DOWN, UP = ZL_ROUND_UP };
enum { ONE, PAIR, BYTES, HALVES };
enum { WARP = 32, WARP_BITS = 5, BYTE_BITS = 8 };

static const struct {
    zl_body_op op;
    int32_t type;
    const char *id;
} says[] = {
#define BODY_SAY(op, type, id) {ZL_BO_##op, ZLAY_TYPE_##type, id},
#include "emit/pipe/body/ops.def"
#undef BODY_SAY
};

static const struct {
    int32_t from, to, round;
    int way;
    const char *id;
} converts[] = {
#define BODY_CVT(from, to, round, way, id) {ZLAY_TYPE_##from, ZLAY_TYPE_##to, round, way, id},
#include "emit/pipe/body/converts.def"
#undef BODY_CVT
};

static const char *say_of(zl_body_op op, int32_t type)
{
    for (size_t i = 0; i < ZL_COUNT(says); i++)
        if (says[i].op == op && says[i].type == type) return says[i].id;
    return "";
}

static const zl_body_node *node_of(const zl_pb *t, int32_t node)
{
    return &t->body->nodes[node];
}

static const char *half(const zl_pb *t, int i)
{
    static const char *const ptx[] = {"h_0", "h_1", "h_2", "h_3"};
    static const char *const c[] = {"h[0]", "h[1]", "h[2]", "h[3]"};
    return t->k->c ? c[i] : ptx[i];
}

/* ---- operations --------------------------------------------------------------------------- */

/* Conditions cross an asm one at a time, so CUDA C has them as words of 0 and 1. */
static const char *logic(const zl_pb *t, zl_body_op op)
{
    if (op == ZL_BO_AND) return t->k->c ? "and.b32" : "and.pred";
    if (op == ZL_BO_OR) return t->k->c ? "or.b32" : "or.pred";
    return t->k->c ? "xor.b32" : "xor.pred";
}

/* select: the condition stands last. */
static void say_select(zl_pb *t, const zl_body_node *n, const char *to, uint32_t i)
{
    char a[ZL_PB_NAME], b[ZL_PB_NAME], p[ZL_PB_NAME];
    zl_pb_operand(t, p, n->arg[0], n, i);
    zl_pb_operand(t, a, n->arg[1], n, i);
    zl_pb_operand(t, b, n->arg[2], n, i);
    zl_say(t->k, NULL, "selp.b32", 1, to, zl_pb_plain(a), zl_pb_plain(b), p);
}

static void say_operation(zl_pb *t, const zl_body_node *n, const char *to, uint32_t i)
{
    char rooms[ZL_BODY_ARGS][ZL_PB_NAME];
    const char *operands[ZL_BODY_ARGS + 1] = {to, NULL, NULL, NULL};
    int32_t type = node_of(t, n->arg[0])->type;
    for (int a = 0; a < ZL_BODY_ARGS && n->arg[a] >= 0; a++)
        operands[a + 1] = zl_pb_operand(t, rooms[a], n->arg[a], n, i);
    zl_pt_say(t->k, NULL, type == ZL_BODY_BOOL ? logic(t, n->op) : say_of(n->op, type), 1,
              operands);
}

/* ---- conversions -------------------------------------------------------------------------- */

/* Element v of a value, as an operand of 32 bits. */
static const char *element(zl_pb *t, char room[ZL_PB_NAME], int32_t arg, const zl_body_node *n,
                           uint32_t i, uint32_t v)
{
    zl_body_node one = {.type = ZLAY_TYPE_F32, .shape = n->shape};
    return zl_pb_operand(t, room, arg, &one, n->shape == ZL_ON_BOTH ? v : i);
}

static void say_pair(zl_pb *t, const zl_body_node *n, const char *id, const char *to, uint32_t i)
{
    char low[ZL_PB_NAME], high[ZL_PB_NAME];
    element(t, low, n->arg[0], n, i, 2 * i);
    element(t, high, n->arg[0], n, i, n->shape == ZL_ON_BOTH ? 2 * i + 1 : i);
    zl_say(t->k, NULL, id, 1, to, high, low);
}

static void say_bytes(zl_pb *t, const zl_body_node *n, const char *id, const char *to, uint32_t i)
{
    char e[4][ZL_PB_NAME], upper[ZL_PB_NAME];
    for (uint32_t j = 0; j < 4; j++) element(t, e[j], n->arg[0], n, i, 4 * i + j);
    if (zl_body_class(n->type) == ZL_BODY_BYTE) {
        zl_pb_temp(t, upper);
        zl_say(t->k, NULL, id, 1, upper, e[3], e[2], "0");
        zl_say(t->k, NULL, id, 1, to, e[1], e[0], upper);
        return;
    }
    zl_say(t->k, NULL, id, 1, half(t, 0), e[1], e[0]);
    zl_say(t->k, NULL, id, 1, half(t, 1), e[3], e[2]);
    zl_say(t->k, NULL, "mov.b32.pack", 1, to, half(t, 0), half(t, 1));
}

/* A half of f16 as f32. */
static void say_f16(zl_pb *t, const char *to, const char *from, int which)
{
    zl_say(t->k, NULL, "mov.b32.unpack", 2, half(t, 2), half(t, 3), from);
    zl_say(t->k, NULL, "cvt.f32.f16", 1, to, half(t, 2 + which));
}

/* Four bytes are read two by two: register i of halves comes from half i % 2 of register i / 2. */
static void say_halves(zl_pb *t, const zl_body_node *n, const char *id, const char *to, uint32_t i)
{
    char from[ZL_PB_NAME], pair[ZL_PB_NAME];
    bool wide = n->type == ZLAY_TYPE_F32;
    uint32_t pairs = wide ? i / 2 : i;
    zl_pb_register(t, from, n->arg[0], pairs / 2);
    zl_say(t->k, NULL, "mov.b32.unpack", 2, half(t, 0), half(t, 1), from);
    zl_say(t->k, NULL, id, 1, wide ? zl_pb_temp(t, pair) : to, half(t, (int)(pairs % 2)));
    if (wide) say_f16(t, to, pair, (int)(i % 2));
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
    zl_say(t->k, NULL, say_of(ZL_BO_SUB, n->type), 1, to, to, constant);
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
        zl_say(t->k, NULL, say_of(ZL_BO_SUB, n->type), 1, to, to, high);
        return;
    }
    say_masked(t, high, part, "0x00800080", sign ? "0x43004300" : "0x43804380");
    say_masked(t, to, part, "0x007f007f", "0x43004300");
    zl_say(t->k, NULL, say_of(ZL_BO_SUB, n->type), 1, to, to, high);
    if (sign) return;
    zl_op(t->k, MOV, high, "0x43004300");
    zl_say(t->k, NULL, say_of(ZL_BO_ADD, n->type), 1, to, to, high);
}

static void say_one(zl_pb *t, const zl_body_node *n, const char *id, const char *to, uint32_t i)
{
    char from[ZL_PB_NAME];
    zl_say(t->k, NULL, id, 1, to, element(t, from, n->arg[0], n, i, i));
}

static void say_convert(zl_pb *t, const zl_body_node *n, const char *to, uint32_t i)
{
    int32_t from = node_of(t, n->arg[0])->type;
    char same[ZL_PB_NAME];
    if (zl_body_class(from) == ZL_BODY_NIBBLE) {
        say_nibbles(t, n, to, i);
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

/* ---- coordinates, numbers, arguments ------------------------------------------------------- */

static void say_coordinate(zl_pb *t, int32_t node, uint32_t i)
{
    char first[ZL_PB_NAME], to[ZL_PB_NAME], room[24];
    const zl_body_node *n = node_of(t, node);
    bool row = n->op == ZL_BO_ROW;
    const zl_element_axis *axis = row ? &t->elements->row : &t->elements->column;
    zl_pb_register(t, first, node, 0);
    if (!i) {
        zl_pt_thread_sum(t->k, first, "w0", axis->bit);
        if (row && t->divided < 0)
            zl_pt_fail(t->k, "row of a matrix of which nothing says which rows an instance has");
        if (row && t->divided)
            zl_op(t->k, MAD, first, "instance", zl_pt_number(room, axis->extent), first);
        if (axis->offset[0]) zl_op(t->k, ADD, first, first, zl_pt_number(room, axis->offset[0]));
        return;
    }
    zl_op(t->k, ADD, zl_pb_register(t, to, node, i), first,
          zl_pt_number(room, axis->offset[i] - axis->offset[0]));
}

/* Halves stand twice in a register; other numbers are written where they are used. */
static void say_number(zl_pb *t, const zl_body_node *n, const char *to)
{
    char text[ZL_PB_NAME], from[24];
    uint32_t bits;
    float value = (float)zl_decimal_value(&n->number);
    if (zl_body_class(n->type) != ZL_BODY_HALF) return;
    memcpy(&bits, &value, sizeof bits);
    snprintf(text, sizeof text, "0f%08X", (unsigned)bits);
    snprintf(from, sizeof from, "cvt.rn.%sx2.f32", zlay_type_name(n->type));
    zl_say(t->k, NULL, from, 1, to, text, text);
}

static void say_operand(zl_pb *t, const zl_body_node *n, const char *to)
{
    char name[80];
    const zlay_body_operand *o = &t->body->operands[n->operand];
    if (t->acc[n->operand] >= 0) return;
    if (o->sort == ZLAY_BODY_SCALAR) {
        snprintf(name, sizeof name, "x_%.64s", o->name);
        zl_op(t->k, LOAD32, to, name);
        return;
    }
    uint32_t which = 0;
    for (int32_t j = 0; j < n->operand; j++) which += t->body->operands[j].sort == ZLAY_BODY_INDEX;
    const zl_pos *pos = &t->event->index[which];
    if (pos->loop == ZL_POS_LAST) zl_pt_last(t->k, to);
    else if (pos->loop <= ZL_POS_TILE_ROW)
        zl_pt_tiles_first_of(t->k, to, pos->loop == ZL_POS_TILE_COLUMN);
    else if (pos->loop <= ZL_POS_BLOCK)
        zl_op(t->k, MOV, to, zl_pt_block(t->k, "w0", ZL_POS_BLOCK - pos->loop));
    else zl_pt_modulo(t->k, to, pos, t->event->modulo[which]);
}

/* ---- loads -------------------------------------------------------------------------------- */

/* Element `which` of the node's register: into `to`, all 32 bits or a half; 0 from the limit on. */
static void load_element(zl_pb *t, const zl_body_node *n, const char *to, uint32_t i, uint32_t v)
{
    char index[ZL_PB_NAME], limit[ZL_PB_NAME], name[80], bytes[24];
    bool wide = zlay_type_bits(n->type) == 32;
    snprintf(name, sizeof name, "read_%.64s", t->body->operands[n->operand].name);
    element(t, index, n->arg[0], n, i, v);
    zl_op(t->k, LOAD64, "gp", name);
    zl_op(t->k, FURTHER, "gp", index, zl_pt_number(bytes, zlay_type_bits(n->type) / BYTE_BITS));
    if (n->arg[1] >= 0) {
        element(t, limit, n->arg[1], n, i, v);
        zl_say(t->k, NULL, "setp.lt.s32", 1, "more", index, limit);
        if (wide) zl_op(t->k, MOV, to, "0");
        else zl_op(t->k, MASK, to, "0");
        zl_pt_when(t->k, "more");
    }
    zl_say(t->k, NULL, wide ? "ld.nc.b32" : "ld.nc.b16", 1, to, "gp");
    if (n->arg[1] >= 0) zl_pt_when_end(t->k);
}

static void say_load(zl_pb *t, const zl_body_node *n, const char *to, uint32_t i)
{
    bool matrix = n->shape == ZL_ON_BOTH;
    if (zlay_type_bits(n->type) == 32) {
        load_element(t, n, to, i, i);
        return;
    }
    load_element(t, n, half(t, 0), i, matrix ? 2 * i : i);
    if (matrix) load_element(t, n, half(t, 1), i, 2 * i + 1);
    zl_say(t->k, NULL, "mov.b32.pack", 1, to, half(t, 0), half(t, matrix));
}

void zl_pb_node(zl_pb *t, int32_t node, uint32_t i)
{
    char to[ZL_PB_NAME];
    const zl_body_node *n = node_of(t, node);
    zl_pb_register(t, to, node, i);
    switch (n->op) {
    case ZL_BO_OPERAND: say_operand(t, n, to); break;
    case ZL_BO_NUMBER: say_number(t, n, to); break;
    case ZL_BO_ROW:
    case ZL_BO_COLUMN: say_coordinate(t, node, i); break;
    case ZL_BO_CONVERT: say_convert(t, n, to, i); break;
    case ZL_BO_LOAD: say_load(t, n, to, i); break;
    case ZL_BO_SELECT: say_select(t, n, to, i); break;
    default: say_operation(t, n, to, i); break;
    }
}

/* ---- reductions --------------------------------------------------------------------------- */

static const char *reducer(zl_body_op op)
{
    switch (op) {
    case ZL_BO_ROWMAX:
    case ZL_BO_PARTMAX:
    case ZL_BO_LANEMAX: return "max.f32";
    case ZL_BO_ROWMIN: return "min.f32";
    default: return "add.rn.f32";
    }
}

/* The thread's own elements of row `class`, from the first on. */
static void own_elements(zl_pb *t, int32_t node, uint32_t class)
{
    char to[ZL_PB_NAME], from[ZL_PB_NAME];
    const zl_body_node *n = node_of(t, node);
    const zl_element_axis *row = &t->elements->row;
    bool first = true;
    zl_pb_register(t, to, node, class);
    for (uint32_t v = 0; v < t->elements->values; v++) {
        if (row->of[v] != class) continue;
        zl_pb_register(t, from, n->arg[0], v);
        if (first) zl_op(t->k, MOV, to, from);
        else zl_say(t->k, NULL, reducer(n->op), 1, to, to, from);
        first = false;
    }
}

/* Across the lanes that share the row: bits of the lane that do not move it. */
static void lanes(zl_pb *t, int32_t node, uint32_t class)
{
    char to[ZL_PB_NAME], other[ZL_PB_NAME], distance[24];
    const zl_element_axis *row = &t->elements->row;
    zl_pb_register(t, to, node, class);
    for (uint32_t b = 0; 1u << b < t->elements->threads; b++) {
        if (row->bit[b]) continue;
        if (b >= WARP_BITS) {
            zl_pt_fail(t->k, "a row whose elements lie in several warps");
            return;
        }
        zl_pb_temp(t, other);
        zl_say(t->k, NULL, "shfl.bfly", 1, other, to, zl_pt_number(distance, 1u << b), "31", "-1");
        zl_say(t->k, NULL, reducer(node_of(t, node)->op), 1, to, to, other);
    }
}

void zl_pb_reduce(zl_pb *t, int32_t node)
{
    char to[ZL_PB_NAME], from[ZL_PB_NAME];
    const zl_body_node *n = node_of(t, node);
    bool part = n->op == ZL_BO_PARTSUM || n->op == ZL_BO_PARTMAX;
    for (uint32_t c = 0; c < t->elements->row.count; c++) {
        if (zl_body_forms[n->op].kind == ZL_BODY_REDUCE) own_elements(t, node, c);
        else
            zl_op(t->k, MOV, zl_pb_register(t, to, node, c), zl_pb_register(t, from, n->arg[0], c));
        if (!part) lanes(t, node, c);
    }
}
