/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the conversions of a body by the rows of body_converts.def: which registers an element or a pair of them is read
 * from and written to. A value of 16 bits that is no element of the matrix stands twice in its register. */
#include "emit/gcn/body.h"
#include "target/target.h"

#include <stdio.h>
#include <string.h>

enum { NEAREST = ZL_ROUND_NEAREST, ZERO = ZL_ROUND_ZERO, DOWN = ZL_ROUND_DOWN, UP = ZL_ROUND_UP };
enum { ONE, PAIR, BYTES, HALVES, QUARTERS };
enum { BYTE_BITS = 8, TEXT = 160 };
enum { NEEDS_0 = 0, NEEDS_CVT_BF16 = ZL_HAS_CVT_BF16, NEEDS_CVT_FP8 = ZL_HAS_CVT_FP8, NEEDS_FNUZ = ZL_HAS_FNUZ };

typedef struct convert_row {
    int32_t from, to, round;
    uint32_t needs; /* features of the target */
    int way;
    const char *text;
} convert_row;

static const convert_row rows[] = {
#define GCN_CVT(from, to, round, needs, way, text)                                                 \
    {ZLAY_TYPE_##from, ZLAY_TYPE_##to, round, NEEDS_##needs, way, text},
#include "emit/gcn/body_converts.def"
#undef GCN_CVT
};

static const convert_row *row_of(const zlay_target *target, int32_t from, int32_t to, int32_t round)
{
    for (size_t i = 0; i < ZL_COUNT(rows); i++)
        if (rows[i].from == from && rows[i].to == to && rows[i].round == round && !(rows[i].needs & ~target->features))
            return &rows[i];
    return NULL;
}

const char *zl_gb_narrow(const zlay_target *target)
{
    return row_of(target, ZLAY_TYPE_F32, ZLAY_TYPE_BF16, NEAREST)->text;
}

/* Element `e` of the converted value, as a register of 32 bits; of no matrix register i. */
static const char *element(zl_gb *g, char room[ZL_GB_TEXT], const zl_body_node *n, uint32_t i,
                           uint32_t e)
{
    zl_body_node one = {.type = ZLAY_TYPE_F32, .shape = n->shape};
    return zl_gb_operand(g, room, n->arg[0], &one, n->shape == ZL_ON_BOTH ? e : i, 0);
}

/* Two or four elements into one register. */
static void pack(zl_gb *g, const zl_body_node *n, const char *text, const char *to, uint32_t i,
                 uint32_t count)
{
    char e[4][ZL_GB_TEXT];
    const char *operands[5] = {to};
    for (uint32_t j = 0; j < count; j++)
        operands[j + 1] = element(g, e[j], n, i, zl_room_pack(n) == count ? count * i + j : i);
    zl_gb_say(g, text, operands);
}

/* One of the two texts that a bar divides. */
static void half(zl_gb *g, const zl_body_node *n, const char *text, const char *to, uint32_t i)
{
    char from[ZL_GB_TEXT], own[TEXT];
    bool matrix = n->shape == ZL_ON_BOTH, upper = matrix && i % 2;
    const char *bar = strchr(text, '|');
    if (!bar) return;
    if (upper) snprintf(own, sizeof own, "%s", bar + 1);
    else snprintf(own, sizeof own, "%.*s", (int)(bar - text), text);
    zl_gb_says(g, own, to, zl_gb_name(g, from, n->arg[0], matrix ? i / 2 : i));
}

static void quarter(zl_gb *g, const zl_body_node *n, const char *text, const char *to, uint32_t i)
{
    char from[ZL_GB_TEXT], bit[ZL_GB_TEXT];
    zl_gb_says(g, text, to, zl_gb_name(g, from, n->arg[0], i / 4),
               zl_gb_number(bit, i % 4 * BYTE_BITS));
}

static void one(zl_gb *g, const zl_body_node *n, const char *text, const char *to, uint32_t i)
{
    char from[ZL_GB_TEXT];
    zl_gb_says(g, text, to, element(g, from, n, i, i));
}

void zl_gb_convert(zl_gb *g, int32_t node)
{
    char to[ZL_GB_TEXT];
    const zl_body_node *n = &g->body->nodes[node];
    const convert_row *row = row_of(g->t->target, g->body->nodes[n->arg[0]].type, n->type, n->round);
    if (!row) {
        zl_gb_refuse(g, zl_body_type_name(n->type), g->body->nodes[n->arg[0]].type);
        return;
    }
    for (uint32_t i = 0; i < zl_room_count(n, g->elements); i++) {
        zl_gb_name(g, to, node, i);
        switch (row->way) {
        case PAIR: pack(g, n, row->text, to, i, 2); break;
        case BYTES: pack(g, n, row->text, to, i, 4); break;
        case HALVES: half(g, n, row->text, to, i); break;
        case QUARTERS: quarter(g, n, row->text, to, i); break;
        default: one(g, n, row->text, to, i); break;
        }
    }
}
