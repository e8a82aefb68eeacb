/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the nodes of a body: what types an operation takes, and which shape its value has. The
 * rows of ops.def and conversions.def say what there is; a number takes the type beside it. */
#include "body/body.h"

#include <math.h>

enum {
    NEAREST = 1 << ZL_ROUND_NEAREST,
    ZERO = 1 << ZL_ROUND_ZERO,
    DOWN = 1 << ZL_ROUND_DOWN,
    UP = 1 << ZL_ROUND_UP,
    BIASED = 1 << ZL_ROUND_BIASED,
    SCALED = 1 << ZL_ROUND_SCALED,
    EXACT = NEAREST
};

static const struct {
    int32_t from, to;
    int32_t rounds;
} conversions[] = {
#define CONVERSION(from, to, rounds) {ZLAY_TYPE_##from, ZLAY_TYPE_##to, rounds},
#include "body/conversions.def"
#undef CONVERSION
};

int32_t zl_body_new_node(zl_body_reader *r, const zl_body_node *node)
{
    zlay_body *b = r->body;
    if (b->nodes_count == ZL_BODY_NODES) {
        zl_body_refuse(r, ZLAY_ELIMIT, "more than %d operations", ZL_BODY_NODES);
        return -1;
    }
    b->nodes[b->nodes_count] = *node;
    return (int32_t)b->nodes_count++;
}

static bool fits(const zl_decimal *d, int32_t type)
{
    double value = zl_decimal_value(d);
    double low = type == ZLAY_TYPE_U32 ? 0 : -2147483648.0;
    double high = type == ZLAY_TYPE_U32 ? 4294967295.0 : 2147483647.0;
    return !d->infinite && value == floor(value) && value >= low && value <= high;
}

bool zl_body_settle(zl_body_reader *r, int32_t node, int32_t type)
{
    zl_body_node *n = &r->body->nodes[node];
    if (n->type != ZL_BODY_ANY) return n->type == type;
    uint32_t class = zl_body_class(type);
    if (!(class & (ZL_BODY_FLOAT | ZL_BODY_HALF | ZL_BODY_INT)))
        return zl_body_refuse(r, ZLAY_EINVAL, "a number where %s is wanted",
                              zl_body_type_name(type));
    if (class == ZL_BODY_INT && !fits(&n->number, type))
        return zl_body_refuse(r, ZLAY_EINVAL, "a number is no value of %s",
                              zl_body_type_name(type));
    n->type = type;
    return true;
}

static const char *word_of(zl_body_op op)
{
    return zl_body_forms[op].word;
}

/* One type for these nodes: that of the first which has one, f32 where all are numbers. */
static bool unify(zl_body_reader *r, zl_body_op op, const int32_t *args, uint32_t count,
                  int32_t *type)
{
    const zl_body_node *nodes = r->body->nodes;
    *type = ZL_BODY_ANY;
    for (uint32_t i = 0; i < count && *type == ZL_BODY_ANY; i++) *type = nodes[args[i]].type;
    if (*type == ZL_BODY_ANY) *type = ZLAY_TYPE_F32;
    for (uint32_t i = 0; i < count; i++) {
        if (zl_body_settle(r, args[i], *type)) continue;
        return zl_body_refuse(r, ZLAY_EINVAL, "%s of %s and %s: convert one of them", word_of(op),
                              zl_body_type_name(*type), zl_body_type_name(nodes[args[i]].type));
    }
    return true;
}

/* What a value of these depends on; a lane's part of a row has no columns. */
static bool join_shapes(zl_body_reader *r, zl_body_node *n, const int32_t *args, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) n->shape |= r->body->nodes[args[i]].shape;
    if ((n->shape & ZL_ON_LANE) && (n->shape & ZL_ON_COLUMN))
        return zl_body_refuse(r, ZLAY_EINVAL,
                              "%s of a lane's part and of columns: lanesum or lanemax "
                              "first makes a row of the parts",
                              word_of(n->op));
    return true;
}

static bool reduce_shape(zl_body_reader *r, zl_body_node *n, int32_t arg)
{
    uint32_t shape = r->body->nodes[arg].shape;
    bool lanes = zl_body_forms[n->op].kind == ZL_BODY_LANES;
    bool part = n->op == ZL_BO_PARTSUM || n->op == ZL_BO_PARTMAX;
    if (lanes && shape != (ZL_ON_ROW | ZL_ON_LANE))
        return zl_body_refuse(r, ZLAY_EINVAL, "%s takes parts of rows, as partsum makes them",
                              word_of(n->op));
    if (!lanes && shape != ZL_ON_BOTH)
        return zl_body_refuse(r, ZLAY_EINVAL, "%s takes a matrix", word_of(n->op));
    n->shape = part ? ZL_ON_ROW | ZL_ON_LANE : ZL_ON_ROW;
    return true;
}

static bool check_class(zl_body_reader *r, const zl_body_node *n, int32_t type)
{
    uint32_t class = zl_body_class(type);
    if (zl_body_forms[n->op].takes & class) return true;
    bool small = class & (ZL_BODY_SMALL | ZL_BODY_BYTE | ZL_BODY_NIBBLE | ZL_BODY_TINY);
    return zl_body_refuse(r, ZLAY_EINVAL, "there is no %s of %s%s", word_of(n->op),
                          zl_body_type_name(type), small ? ", which is only converted" : "");
}

int32_t zl_body_apply(zl_body_reader *r, zl_body_op op, const int32_t *args, uint32_t count)
{
    zl_body_node n = {.op = op, .arg = {-1, -1, -1}, .operand = -1};
    const zl_body_form *f = &zl_body_forms[op];
    uint32_t first = op == ZL_BO_SELECT;
    int32_t type;
    for (uint32_t i = 0; i < count; i++) n.arg[i] = args[i];
    if (first && r->body->nodes[args[0]].type != ZL_BODY_BOOL) {
        zl_body_refuse(r, ZLAY_EINVAL, "select wants a condition first, as row < 4");
        return -1;
    }
    if (!unify(r, op, args + first, count - first, &type) || !check_class(r, &n, type)) return -1;
    n.type = f->kind == ZL_BODY_COMPARE ? ZL_BODY_BOOL : type;
    bool reduces = f->kind == ZL_BODY_REDUCE || f->kind == ZL_BODY_LANES;
    if (!(reduces ? reduce_shape(r, &n, args[0]) : join_shapes(r, &n, args, count))) return -1;
    return zl_body_new_node(r, &n);
}

static bool has_conversion(int32_t from, int32_t to, int32_t round)
{
    for (size_t i = 0; i < ZL_COUNT(conversions); i++)
        if (conversions[i].from == from && conversions[i].to == to)
            return conversions[i].rounds ? conversions[i].rounds >> round & 1 : !round;
    return false;
}

int32_t zl_body_convert(zl_body_reader *r, int32_t type, int32_t round, int32_t arg)
{
    const zl_body_node *from = &r->body->nodes[arg];
    bool whole = zl_body_class(type) & (ZL_BODY_INT | ZL_BODY_BYTE);
    if (from->type == ZL_BODY_ANY &&
        !zl_body_settle(r, arg,
                        whole && !round && !from->number.infinite && from->number.exponent >= 0
                            ? ZLAY_TYPE_S32
                            : ZLAY_TYPE_F32))
        return -1;
    if (from->type == type && !round) return arg;
    if (!has_conversion(from->type, type, round)) {
        zl_body_refuse(r, ZLAY_EINVAL, "no conversion from %s to %s%s%s",
                       zl_body_type_name(from->type), zl_body_type_name(type), round ? " by " : "",
                       zl_round_words[round]);
        return -1;
    }
    return zl_body_new_node(r, &(zl_body_node){.op = ZL_BO_CONVERT,
                                               .type = type,
                                               .shape = from->shape,
                                               .round = round,
                                               .arg = {arg, -1, -1},
                                               .operand = -1});
}

/* Index and limit of an array. */
static bool take_index(zl_body_reader *r, zl_body_node *n, const int32_t *args, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        n->arg[i] = args[i];
        if (!zl_body_settle(r, args[i], ZLAY_TYPE_S32))
            return zl_body_refuse(r, ZLAY_EINVAL, "an index and its limit are s32, as s32(x)");
    }
    return true;
}

int32_t zl_body_load(zl_body_reader *r, int32_t operand, const int32_t *args, uint32_t count)
{
    zlay_body_operand *o = &r->body->operands[operand];
    zl_body_node n = {.op = ZL_BO_LOAD, .type = o->type, .arg = {-1, -1, -1}, .operand = operand};
    if (o->sort != ZLAY_BODY_GLOBAL) {
        zl_body_refuse(r, ZLAY_EINVAL, "'%s' %s: load reads a `global`", o->name,
                       o->sort == ZLAY_BODY_OUTPUT ? "is an output, which nothing reads" : "lies in registers");
        return -1;
    }
    if (!take_index(r, &n, args, count)) return -1;
    o->reads = 1;
    return join_shapes(r, &n, args, count) ? zl_body_new_node(r, &n) : -1;
}

/* A line that stores more than a row's value. */
static bool check_store(zl_body_reader *r, const zl_body_node *n)
{
    const zl_body_node *index = &r->body->nodes[n->arg[0]], *value = &r->body->nodes[n->arg[2]];
    if (value->type != n->type)
        return zl_body_refuse(r, ZLAY_EINVAL, "'%s' is %s, and the value %s: convert it, as %s(..)",
                              r->body->operands[n->operand].name, zl_body_type_name(n->type),
                              zl_body_type_name(value->type), zl_body_type_name(n->type));
    if (n->shape != ZL_ON_ROW || !(index->shape & ZL_ON_ROW))
        return zl_body_refuse(r, ZLAY_EINVAL, "store takes the value of a row, at an index that depends on the row");
    return true;
}

int32_t zl_body_store(zl_body_reader *r, int32_t operand, const int32_t *args)
{
    zlay_body_operand *o = &r->body->operands[operand];
    zl_body_node n = {.op = ZL_BO_STORE, .type = o->type, .arg = {-1, -1, args[2]}, .operand = operand};
    if (o->sort != ZLAY_BODY_OUTPUT) {
        zl_body_refuse(r, ZLAY_EINVAL, "'%s' is a %s: store writes an `output`", o->name, zl_body_sort_word(o->sort));
        return -1;
    }
    if (!take_index(r, &n, args, 2)) return -1;
    if (r->body->nodes[args[2]].type == ZL_BODY_ANY && !zl_body_settle(r, args[2], o->type)) return -1;
    if (!join_shapes(r, &n, args, ZL_BODY_ARGS) || !check_store(r, &n)) return -1;
    o->writes = 1;
    return zl_body_new_node(r, &n);
}

const zl_body_node *zl_body_shared_load(const zlay_body *body, int32_t operand)
{
    for (uint32_t i = 0; i < body->nodes_count; i++)
        if (body->nodes[i].op == ZL_BO_SHARED && body->nodes[i].operand == operand)
            return &body->nodes[i];
    return NULL;
}

uint32_t zl_body_shared_shape(const zlay_body *body, int32_t operand)
{
    const zl_body_node *load = zl_body_shared_load(body, operand);
    return load ? load->shape : 0;
}

int32_t zl_body_shared(zl_body_reader *r, int32_t operand, const zl_body_node *at)
{
    zlay_body_operand *o = &r->body->operands[operand];
    const zl_body_node *before = zl_body_shared_load(r->body, operand);
    uint32_t shape = at->shape, class = zl_body_class(o->type);
    bool packed = class & (ZL_BODY_SMALL | ZL_BODY_BYTE | ZL_BODY_NIBBLE | ZL_BODY_TINY);
    if (before && (before->shape != shape || before->window != at->window || before->skip != at->skip)) {
        zl_body_refuse(r, ZLAY_EINVAL, "'%s' is loaded at other coordinates before", o->name);
        return -1;
    }
    if (packed && shape != ZL_ON_BOTH) {
        zl_body_refuse(r, ZLAY_EINVAL, "%s is loaded as a matrix: load(%s, row, col)",
                       zl_body_type_name(o->type), o->name);
        return -1;
    }
    o->reads = 1;
    return zl_body_new_node(r, &(zl_body_node){.op = ZL_BO_SHARED,
                                               .type = o->type,
                                               .shape = shape,
                                               .window = at->window,
                                               .skip = at->skip,
                                               .arg = {-1, -1, -1},
                                               .operand = operand});
}
