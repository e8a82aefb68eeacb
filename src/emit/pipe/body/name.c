/* SPDX-License-Identifier: Apache-2.0 */
/* What the values of a body are called in its text: registers of nodes, of operands, numbers, and
 * pairs that are put together where they are read. */
#include "emit/pipe/body/body.h"

#include <stdio.h>
#include <string.h>

enum { WORD_BITS = 32 };

uint32_t zl_pb_pack(const zl_body_node *n)
{
    if (n->type == ZL_BODY_BOOL || n->shape != ZL_ON_BOTH) return 1;
    return WORD_BITS / zlay_type_bits(n->type);
}

/* Sums lie as (pair, row or row + 8, block of 8 columns); a factor as (pair, near or far block, row or row + 8, block). */
uint32_t zl_pb_at(const zl_pb *t, uint32_t place)
{
    uint32_t pair = place % 2, far = place / 2 % 2, lower = place / 4 % 2, block = place / 8;
    return t->folded ? pair + 2 * lower + 4 * block + far * t->elements->values / 2 : place;
}

uint32_t zl_pb_count(const zl_pb *t, const zl_body_node *n)
{
    if (n->shape == ZL_ON_BOTH) return t->elements->values / zl_pb_pack(n);
    if (n->shape & ZL_ON_ROW) return t->elements->row.count;
    if (n->shape & ZL_ON_COLUMN) return t->elements->column.count;
    return 1;
}

static const char *number_text(char room[ZL_PB_NAME], const zl_body_node *n);

const char *zl_pb_register(const zl_pb *t, char room[ZL_PB_NAME], int32_t node, uint32_t i)
{
    const zl_body_node *n = &t->body->nodes[node];
    bool condition = n->type == ZL_BODY_BOOL;
    if (n->op == ZL_BO_OPERAND && t->acc[n->operand] >= 0)
        return zl_pt_acc(t->k, room, t->acc[n->operand], i);
    if (n->op == ZL_BO_NUMBER && zl_body_class(n->type) != ZL_BODY_HALF)
        return number_text(room, n);
    room[0] = condition ? 'p' : 'v';
    char *end = zl_pt_digits(room + 1, (uint64_t)node);
    *end = t->k->c ? '[' : '_';
    end = zl_pt_digits(end + 1, i);
    if (t->k->c) memcpy(end, "]", 2);
    return room;
}

const char *zl_pb_temp(zl_pb *t, char room[ZL_PB_NAME])
{
    snprintf(room, ZL_PB_NAME, "t_%u", t->temps++);
    zl_pt_line(t->k, t->k->c ? "uint32_t %s;" : ".reg .b32 %s;", room);
    return room;
}

/* ---- numbers -------------------------------------------------------------------------- */

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* f32 as PTX writes its bits; an integer in decimal. */
static const char *number_text(char room[ZL_PB_NAME], const zl_body_node *n)
{
    double value = zl_decimal_value(&n->number);
    if (zl_body_class(n->type) == ZL_BODY_FLOAT)
        snprintf(room, ZL_PB_NAME, "0f%08X", (unsigned)bits_of((float)value));
    else snprintf(room, ZL_PB_NAME, "%lld", (long long)value);
    return room;
}

const char *zl_pb_plain(char room[ZL_PB_NAME])
{
    if (room[0] == '0' && room[1] == 'f') room[1] = 'x';
    return room;
}

/* ---- operands ----------------------------------------------------------------------------- */

/* The register of a value that is one of its row or column, for element v of the matrix. */
static uint32_t index_at(const zl_pb *t, const zl_body_node *arg, uint32_t v)
{
    if (arg->shape & ZL_ON_ROW) return t->elements->row.of[v];
    if (arg->shape & ZL_ON_COLUMN) return t->elements->column.of[v];
    return 0;
}

const char *zl_pb_operand(zl_pb *t, char room[ZL_PB_NAME], int32_t arg, const zl_body_node *n,
                          uint32_t i)
{
    const zl_body_node *a = &t->body->nodes[arg];
    char low[ZL_PB_NAME], high[ZL_PB_NAME];
    if (n->shape != ZL_ON_BOTH) return zl_pb_register(t, room, arg, a->shape ? i : 0);
    if (a->shape == ZL_ON_BOTH) return zl_pb_register(t, room, arg, i);
    uint32_t pack = zl_pb_pack(n), first = index_at(t, a, i * pack);
    bool half = zl_body_class(a->type) == ZL_BODY_HALF && pack == 2;
    if (!half || index_at(t, a, i * pack + 1) == first) return zl_pb_register(t, room, arg, first);
    zl_pb_temp(t, room);
    zl_pb_register(t, low, arg, first);
    zl_pb_register(t, high, arg, index_at(t, a, i * pack + 1));
    zl_say(t->k, NULL, "prmt", 1, room, low, high, "0x5410");
    return room;
}

const char *zl_pb_element(zl_pb *t, char room[ZL_PB_NAME], int32_t arg, const zl_body_node *n,
                          uint32_t i, uint32_t v)
{
    zl_body_node one = {.type = ZLAY_TYPE_F32, .shape = n->shape};
    return zl_pb_operand(t, room, arg, &one, n->shape == ZL_ON_BOTH ? v : i);
}

const char *zl_pb_half(const zl_pb *t, int i)
{
    static const char *const ptx[] = {"h_0", "h_1", "h_2", "h_3"};
    static const char *const c[] = {"h[0]", "h[1]", "h[2]", "h[3]"};
    return t->k->c ? c[i] : ptx[i];
}
