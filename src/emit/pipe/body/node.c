/* SPDX-License-Identifier: Apache-2.0 */
/* Prints one register of a body's node as instructions: rows of ops.def, loads from global memory,
 * coordinates. A value of 16 bits that is no matrix stands twice in its
 * register, so that it goes with every pair. */
#include "emit/pipe/pipe.h"
#include "emit/pipe/body/body.h"

#include <stdio.h>
#include <string.h>

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

/* ---- operations --------------------------------------------------------------------------- */

/* Conditions cross an asm one at a time, so CUDA C has them as words of 0 and 1. */
static const char *logic(const zl_pb *t, zl_body_op op)
{
    if (op == ZL_BO_AND) return t->k->c ? "and.b32" : "and.pred";
    if (op == ZL_BO_OR) return t->k->c ? "or.b32" : "or.pred";
    return t->k->c ? "xor.b32" : "xor.pred";
}

/* Whether a condition is `col < C` that all threads answer alike for element v: 1 or 0 then; else -1. */
static int known(const zl_pb *t, const zl_body_node *n, uint32_t v)
{
    const zl_element_axis *columns = &t->elements->column;
    uint32_t first = columns->offset[columns->of[v]], last = first;
    if (n->op != ZL_BO_LT || node_of(t, n->arg[0])->op != ZL_BO_COLUMN || node_of(t, n->arg[1])->op != ZL_BO_NUMBER) return -1;
    double limit = zl_decimal_value(&node_of(t, n->arg[1])->number);
    for (uint32_t b = 0; 1u << b < t->elements->threads; b++) last += columns->bit[b];
    return last < limit ? 1 : first >= limit ? 0 : -1;
}

/* select: the condition stands last. */
static void say_select(zl_pb *t, const zl_body_node *n, const char *to, uint32_t i)
{
    char a[ZL_PB_NAME], b[ZL_PB_NAME], p[ZL_PB_NAME];
    int first = n->shape == ZL_ON_BOTH ? known(t, node_of(t, n->arg[0]), i) : -1;
    if (first >= 0) {
        zl_pb_operand(t, a, n->arg[first ? 1 : 2], n, i);
        zl_op(t->k, MOV, to, zl_pb_plain(a));
        return;
    }
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

/* ---- coordinates, numbers, arguments ------------------------------------------------------- */

/* to = the thread's first row, or column, of the matrix. */
static void first_of(zl_pb *t, const char *to, const zl_element_axis *axis, bool row)
{
    char room[24];
    zl_pt_thread_sum(t->k, to, "w0", axis->bit);
    if (row && t->divided < 0)
        zl_pt_fail(t->k, "row of a matrix of which nothing says which rows an instance has");
    if (row && t->divided) zl_op(t->k, MAD, to, "instance", zl_pt_number(room, axis->extent), to);
    if (axis->offset[0]) zl_op(t->k, ADD, to, to, zl_pt_number(room, axis->offset[0]));
}

/* The register of the role that holds the first row; NULL: none. */
static const zl_pt_row *kept(const zl_pb *t)
{
    const zl_element_axis *row = &t->elements->row;
    for (const zl_pt_row *f = t->k->kept_row; f < t->k->kept_row + t->k->kept_rows; f++)
        if (f->divided == t->divided && f->axis->extent == row->extent && f->axis->offset[0] == row->offset[0] &&
            !memcmp(f->axis->bit, row->bit, sizeof row->bit))
            return f;
    return NULL;
}

void zl_pb_row_keep(zl_pb *t)
{
    char name[24];
    zl_pipe_text *k = t->k;
    bool loads = false;
    for (uint32_t i = 0; i < t->body->nodes_count; i++)
        loads |= t->body->nodes[i].op == ZL_BO_LOAD && t->body->nodes[i].shape == ZL_ON_ROW;
    if (!loads || t->divided < 0 || kept(t) || k->kept_rows == ZL_PT_KEPT_ROWS) return;
    snprintf(name, sizeof name, "put%u", k->puts);
    first_of(t, name, &t->elements->row, true);
    zl_pt_keep(k, name);
    k->kept_row[k->kept_rows++] = (zl_pt_row){&t->elements->row, t->divided, k->puts++};
}

static void say_coordinate(zl_pb *t, int32_t node, uint32_t i)
{
    char first[ZL_PB_NAME], to[ZL_PB_NAME], room[24];
    const zl_body_node *n = node_of(t, node);
    bool row = n->op == ZL_BO_ROW;
    const zl_element_axis *axis = row ? &t->elements->row : &t->elements->column;
    const zl_pt_row *f = row ? kept(t) : NULL;
    zl_pb_register(t, first, node, 0);
    if (!i && f) {
        snprintf(room, sizeof room, "put%u", f->kept);
        zl_op(t->k, MOV, first, room);
        return;
    }
    if (!i) {
        first_of(t, first, axis, row);
        return;
    }
    zl_op(t->k, ADD, zl_pb_register(t, to, node, i), first,
          zl_pt_number(room, axis->offset[i] - axis->offset[0]));
}

/* Halves stand twice in a register, a number that bf16 holds exactly as bits, which a compiler moves once; other numbers are
 * written where they are used. */
static void say_number(zl_pb *t, const zl_body_node *n, const char *to)
{
    char text[ZL_PB_NAME], from[24];
    uint32_t bits;
    float value = (float)zl_decimal_value(&n->number);
    if (zl_body_class(n->type) != ZL_BODY_HALF) return;
    memcpy(&bits, &value, sizeof bits);
    if (n->type == ZLAY_TYPE_BF16 && !(bits & 0xffff)) {
        snprintf(text, sizeof text, "0x%08x", (unsigned)(bits | bits >> 16));
        zl_op(t->k, MOV, to, text);
        return;
    }
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
        zl_pt_tiles_at(t->k, to, pos->loop);
    else if (pos->loop <= ZL_POS_BLOCK)
        zl_op(t->k, MOV, to, zl_pt_block(t->k, "w0", ZL_POS_BLOCK - pos->loop));
    else zl_pt_modulo(t->k, to, pos, t->event->modulo[which]);
}

/* ---- loads -------------------------------------------------------------------------------- */

enum { NOT_KNOWN = -1 };

/* By how much a number grows from a row, or a column, to the next: 1 for a sum of it and of what all rows have alike. */
static int growth(const zl_pb *t, int32_t node)
{
    const zl_body_node *n = node_of(t, node);
    if (!n->shape) return 0;
    if (n->op == ZL_BO_ROW || n->op == ZL_BO_COLUMN) return 1;
    if (n->op != ZL_BO_ADD) return NOT_KNOWN;
    int a = growth(t, n->arg[0]), b = growth(t, n->arg[1]);
    return a == NOT_KNOWN || b == NOT_KNOWN ? NOT_KNOWN : a + b;
}

/* How many elements behind the one before it in its vector an element lies in memory; 0: that is not known, or a limit is between
 * them. An index has no sign and does not pass 32 bits, so that the address moves as the index does. */
static uint32_t behind(const zl_pb *t, const zl_body_node *n, uint32_t i)
{
    const zl_element_axis *axis = n->shape == ZL_ON_ROW ? &t->elements->row : &t->elements->column;
    bool vector = n->shape == ZL_ON_ROW || n->shape == ZL_ON_COLUMN;
    if (!i || !vector || n->arg[1] >= 0 || growth(t, n->arg[0]) != 1) return 0;
    return axis->offset[i] > axis->offset[i - 1] ? axis->offset[i] - axis->offset[i - 1] : 0;
}

/* gp = the address of an element, which `gp` is of the element before it where their distance is known: ptxas makes an offset of the
 * load of it. */
static void load_address(zl_pb *t, const zl_body_node *n, const char *index, uint32_t i)
{
    char name[80], bytes[24];
    uint32_t size = (uint32_t)zlay_type_bits(n->type) / BYTE_BITS, further = behind(t, n, i);
    snprintf(name, sizeof name, "read_%.64s", t->body->operands[n->operand].name);
    if (further) zl_op(t->k, MORE, "gp", zl_pt_number(bytes, (uint64_t)further * size));
    else {
        zl_op(t->k, LOAD64, "gp", name);
        zl_op(t->k, FURTHER, "gp", index, zl_pt_number(bytes, size));
    }
}

/* Element `which` of the node's register: into `to`, all 32 bits or a half; 0 from the limit on. */
static void load_element(zl_pb *t, const zl_body_node *n, const char *to, uint32_t i, uint32_t v)
{
    char index[ZL_PB_NAME], limit[ZL_PB_NAME];
    bool wide = zlay_type_bits(n->type) == 32;
    zl_pb_element(t, index, n->arg[0], n, i, v);
    load_address(t, n, index, i);
    if (n->arg[1] >= 0) {
        zl_pb_element(t, limit, n->arg[1], n, i, v);
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
    load_element(t, n, zl_pb_half(t, 0), i, matrix ? 2 * i : i);
    if (matrix) load_element(t, n, zl_pb_half(t, 1), i, 2 * i + 1);
    zl_say(t->k, NULL, "mov.b32.pack", 1, to, zl_pb_half(t, 0), zl_pb_half(t, matrix));
}

/* ---- stores ------------------------------------------------------------------------------- */

/* wrap: the thread is the first of those that share its rows: its bits that move no row are 0. */
static void first_of_row(zl_pb *t)
{
    char mask[24];
    uint32_t others = 0;
    for (uint32_t b = 0; 1u << b < t->elements->threads; b++)
        if (!t->elements->row.bit[b]) others |= 1u << b;
    zl_op(t->k, AND, "w0", "rtid", zl_pt_number(mask, others));
    zl_op(t->k, EQ, "wrap", "w0", "0");
}

/* The value of row i, by one thread, where its index is below the limit. */
static void say_store(zl_pb *t, const zl_body_node *n, uint32_t i)
{
    char index[ZL_PB_NAME], limit[ZL_PB_NAME], value[ZL_PB_NAME], name[80], bytes[24];
    snprintf(name, sizeof name, "write_%.64s", t->body->operands[n->operand].name);
    zl_pb_operand(t, index, n->arg[0], n, i);
    zl_pb_operand(t, limit, n->arg[1], n, i);
    zl_pb_operand(t, value, n->arg[2], n, i);
    first_of_row(t);
    zl_say(t->k, NULL, "setp.lt.s32", 1, "more", index, limit);
    zl_op(t->k, BOTH, "more", "more", "wrap");
    zl_op(t->k, LOAD64, "gp", name);
    zl_op(t->k, FURTHER, "gp", index, zl_pt_number(bytes, zlay_type_bits(n->type) / BYTE_BITS));
    zl_say(t->k, "more", "st.g.b32", 0, "gp", zl_pb_plain(value));
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
    case ZL_BO_CONVERT: zl_pb_convert(t, n, to, i); break;
    case ZL_BO_LOAD: say_load(t, n, to, i); break;
    case ZL_BO_STORE: say_store(t, n, i); break;
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
