/* SPDX-License-Identifier: Apache-2.0 */
/* Prints all values of a body's node: operations by the rows of body_ops.def, coordinates, numbers, operands, and
 * reductions along rows, whose lanes exchange by ds_bpermute in the order of the bits of their number. */
#include "emit/gcn/body.h"

#include <string.h>
#include <zlay/hazard.h>

enum { LANE_BITS = 6 };

static const struct {
    zl_body_op op;
    int32_t type;
    const char *text;
} says[] = {
#define GCN_SAY(op, type, text) {ZL_BO_##op, ZLAY_TYPE_##type, text},
#include "emit/gcn/body_ops.def"
#undef GCN_SAY
};

static const zl_body_node *node_of(const zl_gb *g, int32_t node) { return &g->body->nodes[node]; }

static const char *say_of(zl_body_op op, int32_t type)
{
    for (size_t i = 0; i < ZL_COUNT(says); i++)
        if (says[i].op == op && says[i].type == type) return says[i].text;
    return NULL;
}

/* ---- operations --------------------------------------------------------------------------------- */

static const char *logic(zl_body_op op)
{
    if (op == ZL_BO_AND) return "s_and_b64 %0, %1, %2";
    return op == ZL_BO_OR ? "s_or_b64 %0, %1, %2" : "s_xor_b64 %0, %1, %2";
}

static const char *text_of(const zl_body_node *n, int32_t type)
{
    if (n->op == ZL_BO_SELECT) return "v_cndmask_b32 %0, %3, %2, %1";
    return type == ZL_BODY_BOOL ? logic(n->op) : say_of(n->op, type);
}

static void operation(zl_gb *g, int32_t node, uint32_t i)
{
    char rooms[ZL_BODY_ARGS + 1][ZL_GB_TEXT];
    const char *operands[ZL_BODY_ARGS + 1] = {zl_gb_name(g, rooms[0], node, i)};
    const zl_body_node *n = node_of(g, node);
    int32_t type = node_of(g, n->arg[0])->type;
    const char *text = text_of(n, type);
    if (!text) {
        zl_gb_refuse(g, zl_body_forms[n->op].word, type);
        return;
    }
    zl_body_node as = *n; /* of a comparison and its like: as its operands are packed */
    if (type != ZL_BODY_BOOL && n->op != ZL_BO_SELECT) as.type = type;
    for (uint32_t a = 0; a < ZL_BODY_ARGS && n->arg[a] >= 0; a++)
        operands[a + 1] = zl_gb_operand(g, rooms[a + 1], n->arg[a], &as, i, a);
    zl_gb_say(g, text, operands);
}

/* ---- coordinates, numbers, operands --------------------------------------------------------------- */

/* The lane's first row or column, and what value i adds. */
static void coordinate(zl_gb *g, int32_t node, uint32_t i)
{
    char to[ZL_GB_TEXT], add[ZL_GB_TEXT], own[ZL_GB_TEXT];
    const zl_body_node *n = node_of(g, node);
    bool row = n->op == ZL_BO_ROW;
    const zl_element_axis *axis = row ? &g->elements->row : &g->elements->column;
    uint32_t which = row ? i : axis->of[g->run + i];
    zl_gb_says(g, "v_add_u32 %0, %1, %2", zl_gb_name(g, to, node, i),
               zl_gb_number(add, axis->offset[which] - axis->offset[0]),
               zl_gb_vector(own, row ? ZL_GB_ROW : ZL_GB_COLUMN));
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Halves stand twice. */
static void number(zl_gb *g, int32_t node)
{
    char to[ZL_GB_TEXT], bits[ZL_GB_TEXT];
    const zl_body_node *n = node_of(g, node);
    double value = zl_decimal_value(&n->number);
    zl_gb_name(g, to, node, 0);
    if (zl_body_class(n->type) == ZL_BODY_INT) {
        zl_gb_says(g, "v_mov_b32 %0, %1", to, zl_gb_number(bits, (uint32_t)(int64_t)value));
        return;
    }
    uint32_t single = bits_of((float)value), upper = (single + 0x7fff + (single >> 16 & 1)) >> 16;
    if (n->type == ZLAY_TYPE_BF16) single = upper << 16 | upper;
    zl_gb_says(g, "v_mov_b32 %0, %1", to, zl_gb_number(bits, single));
    if (n->type == ZLAY_TYPE_F16)
        zl_gb_says(g, "v_cvt_f16_f32 %0, %0; v_pack_b32_f16 %0, %0, %0", to);
}

/* A scalar argument, by way of a scalar register. */
static void scalar(zl_gb *g, const char *to, int32_t operand)
{
    zl_wave_argument argument = {.at = 0};
    char own[80];
    zl_text name = {own, sizeof own - 1, 0};
    zl_putf(&name, "x_%.64s", g->body->operands[operand].name);
    own[name.need] = 0;
    for (uint32_t i = 0; !zl_wave_argument_nth(&argument, g->t->plan, i); i++)
        if (!strcmp(argument.name, own)) break;
    zl_wave_line(g->t, "s_load_dword s%d, s[%d:%d], 0x%x", ZL_S_SCRATCH, ZL_S_ARGUMENTS,
                 ZL_S_ARGUMENTS + 1, argument.at);
    zl_wave_line(g->t, "s_waitcnt lgkmcnt(0)");
    zl_wave_line(g->t, "v_mov_b32 %s, s%d", to, ZL_S_SCRATCH);
}

/* The tile's first row or column, or its group. */
static void position(zl_gb *g, const char *to, int32_t operand)
{
    const zlay_plan_summary *info = &g->t->plan->info;
    uint32_t which = 0;
    for (int32_t i = 0; i < operand; i++)
        which += g->body->operands[i].sort == ZLAY_BODY_INDEX;
    int32_t of = g->event->index[which].loop;
    bool row = of == ZL_POS_TILE_ROW;
    if (of == ZL_POS_TILE_GROUP || (row && info->groups)) {
        zl_wave_line(g->t, "v_mov_b32 %s, s%d", to, row ? ZL_S_TILE_M : ZL_S_GROUP);
        return;
    }
    zl_wave_line(g->t, "s_mul_i32 s%d, s%d, 0x%x", ZL_S_SCRATCH, row ? ZL_S_TILE_M : ZL_S_TILE_N,
                 row ? info->tile_m : info->tile_n);
    zl_wave_line(g->t, "v_mov_b32 %s, s%d", to, ZL_S_SCRATCH);
}

/* The sums of the run, as soon as their products have written them. */
static void sums(zl_gb *g, int32_t node)
{
    const zl_body_node *n = node_of(g, node);
    const zlay_mma *mma = &g->t->plan->info.mma;
    uint32_t block = g->run / (mma->m * mma->n / g->t->w->lanes);
    if (n->type != mma->d) {
        zl_gb_refuse(g, "a value before the body, of a matrix that has none,", n->type);
        return;
    }
    zl_wave_hold(g->t, ZLAY_FIRST_MATRIX, ZLAY_THEN_VALU_READS, g->t->product[block]);
    for (uint32_t i = 0; i < ZL_ROOM_RUN; i++) {
        char to[ZL_GB_TEXT], from[ZL_GB_TEXT];
        zl_gb_says(g, "v_accvgpr_read_b32 %0, a%1", zl_gb_name(g, to, node, i),
                   zl_gb_decimal(from, g->run + i));
    }
}

static void operand(zl_gb *g, int32_t node)
{
    char to[ZL_GB_TEXT];
    const zl_body_node *n = node_of(g, node);
    if (g->bound && g->bound[n->operand] != ZL_GB_OWN) {
        if (!n->shape)
            zl_wave_line(g->t, "v_mov_b32 %s, s%u", zl_gb_name(g, to, node, 0), g->bound[n->operand]);
        return;
    }
    switch (g->body->operands[n->operand].sort) {
    case ZLAY_BODY_MATRIX: sums(g, node); break;
    case ZLAY_BODY_SCALAR: scalar(g, zl_gb_name(g, to, node, 0), n->operand); break;
    default: position(g, zl_gb_name(g, to, node, 0), n->operand); break;
    }
}

void zl_gb_node(zl_gb *g, int32_t node)
{
    const zl_body_node *n = node_of(g, node);
    uint32_t count = zl_room_count(n, g->elements);
    if (n->op == ZL_BO_OPERAND) operand(g, node);
    else if (n->op == ZL_BO_NUMBER) number(g, node);
    else if (n->op == ZL_BO_CONVERT) zl_gb_convert(g, node);
    else if (n->op == ZL_BO_LOAD) zl_gb_load(g, node);
    else if (n->op == ZL_BO_STORE) zl_gb_row_store(g, node);
    else if (n->op == ZL_BO_SHARED) zl_gb_refuse(g, "a load from shared memory", n->type);
    else if (zl_body_forms[n->op].kind == ZL_BODY_LANES) zl_gb_lanes(g, node);
    else
        for (uint32_t i = 0; i < count; i++) {
            if (n->op == ZL_BO_ROW || n->op == ZL_BO_COLUMN) coordinate(g, node, i);
            else operation(g, node, i);
        }
}

/* ---- reductions ------------------------------------------------------------------------------------ */

static zl_body_op reducer(zl_body_op op)
{
    switch (op) {
    case ZL_BO_ROWMAX:
    case ZL_BO_PARTMAX:
    case ZL_BO_LANEMAX: return ZL_BO_MAX;
    case ZL_BO_ROWMIN: return ZL_BO_MIN;
    default: return ZL_BO_ADD;
    }
}

void zl_gb_reduce_begin(zl_gb *g, int32_t node)
{
    char to[ZL_GB_TEXT];
    const zl_body_node *n = node_of(g, node);
    const char *start = reducer(n->op) == ZL_BO_ADD ? "v_mov_b32 %0, 0x80000000" /* -0 adds nothing */
                                                    : "v_mov_b32 %0, 0x7fc00000"; /* of NaN the other */
    for (uint32_t i = 0; i < zl_room_count(n, g->elements); i++)
        zl_gb_says(g, start, zl_gb_name(g, to, node, i));
}

void zl_gb_reduce(zl_gb *g, int32_t node)
{
    char to[ZL_GB_TEXT], from[ZL_GB_TEXT];
    const zl_body_node *n = node_of(g, node);
    zl_body_node one = {.type = ZLAY_TYPE_F32, .shape = ZL_ON_BOTH};
    for (uint32_t i = 0; i < ZL_ROOM_RUN; i++) {
        zl_gb_name(g, to, node, g->elements->row.of[g->run + i]);
        zl_gb_operand(g, from, n->arg[0], &one, i, 0);
        zl_gb_says(g, say_of(reducer(n->op), ZLAY_TYPE_F32), to, to, from);
    }
}

/* Across the lanes that share a row: bits of the lane that do not move it. */
static void lanes(zl_gb *g, zl_body_op op, const char *value)
{
    char bit[ZL_GB_TEXT];
    for (uint32_t b = 0; b < LANE_BITS; b++) {
        if (g->elements->row.bit[b]) continue;
        zl_gb_says(g, "v_lshlrev_b32 %t, 2, v0; v_xor_b32 %t, %0, %t; ds_bpermute_b32 %u, %t, %1; "
                      "s_waitcnt lgkmcnt(0)",
                   zl_gb_number(bit, 4u << b), value);
        zl_gb_says(g, say_of(reducer(op), ZLAY_TYPE_F32), value, value, "v5");
    }
}

void zl_gb_lanes(zl_gb *g, int32_t node)
{
    char to[ZL_GB_TEXT], from[ZL_GB_TEXT];
    const zl_body_node *n = node_of(g, node);
    if (n->op == ZL_BO_PARTSUM || n->op == ZL_BO_PARTMAX) return;
    for (uint32_t i = 0; i < zl_room_count(n, g->elements); i++) {
        zl_gb_name(g, to, node, i);
        if (zl_body_forms[n->op].kind == ZL_BODY_LANES)
            zl_gb_says(g, "v_mov_b32 %0, %1", to, zl_gb_name(g, from, n->arg[0], i));
        lanes(g, n->op, to);
    }
}
