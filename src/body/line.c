/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the lines of a body: operands, then `name = expression` or `store(..)`. A name stands for a node; giving
 * it another one changes no node, so the lines are a program in static single assignment. */
#include "body/body.h"

#include <string.h>

/* A name that an operand or a line may have: `row`, `col`, `inf` and `end` mean something else. */
static bool read_name(zl_body_reader *r, char name[65], const char *where)
{
    static const char *const own[] = {"row", "col", "inf", "end"};
    if (!zl_cursor_name(r->at, name))
        return zl_body_refuse(r, ZLAY_EINVAL, "%s a name, which no language reserves", where);
    for (size_t i = 0; i < ZL_COUNT(own); i++)
        if (!strcmp(name, own[i]))
            return zl_body_refuse(r, ZLAY_EINVAL, "'%s' is a word of bodies", name);
    return true;
}

/* ---- operands ------------------------------------------------------------------------ */

static bool read_type(zl_body_reader *r, zlay_body_operand *o)
{
    size_t length = zl_cursor_word(r->at);
    char shown[256];
    const char *word = r->at->text + r->at->at;
    if (o->sort == ZLAY_BODY_INDEX) {
        o->type = ZLAY_TYPE_S32;
        return true;
    }
    if (!zl_body_type_find(&o->type, word, length))
        return zl_body_refuse(r, ZLAY_EINVAL,
                              "'%s' is no type of a body: f32, f16, bf16, e4m3, e5m2, "
                              "s32, u32, s8, u8, s4, u4, e2m1 and ue8m0 are",
                              zl_quote(shown, word, length));
    r->at->at += length;
    return true;
}

/* Operands of 8 bits are matrices, four elements in a register. */
static bool check_operand(zl_body_reader *r, const zlay_body_operand *o)
{
    bool bytes = zl_body_class(o->type) & (ZL_BODY_SMALL | ZL_BODY_BYTE);
    bool wide = zl_body_class(o->type) & (ZL_BODY_FLOAT | ZL_BODY_INT);
    if (o->sort == ZLAY_BODY_SCALAR && !wide)
        return zl_body_refuse(r, ZLAY_EINVAL,
                              "a scalar is f32, s32 or u32, and is converted where it is used");
    if (o->sort == ZLAY_BODY_OUTPUT && !wide)
        return zl_body_refuse(r, ZLAY_EINVAL, "an output is f32, s32 or u32");
    if ((zl_body_class(o->type) & (ZL_BODY_NIBBLE | ZL_BODY_TINY)) && o->sort != ZLAY_BODY_SHARED)
        return zl_body_refuse(r, ZLAY_EINVAL, "a %s of %s: a `shared` has them, which load converts",
                              zl_body_sort_word(o->sort), zl_body_type_name(o->type));
    if (bytes && o->sort != ZLAY_BODY_MATRIX && o->sort != ZLAY_BODY_SHARED)
        return zl_body_refuse(r, ZLAY_EINVAL, "a %s of %s: convert it where it is made",
                              zl_body_sort_word(o->sort), zl_body_type_name(o->type));
    return true;
}

static bool read_operand(zl_body_reader *r, int32_t sort)
{
    zlay_body *b = r->body;
    zlay_body_operand o = {.sort = sort};
    if (b->lines_count)
        return zl_body_refuse(r, ZLAY_EINVAL, "operands stand before the first line");
    if (!read_name(r, o.name, "an operand has")) return false;
    if (zl_body_operand_find(b, o.name) >= 0)
        return zl_body_refuse(r, ZLAY_EINVAL, "'%s' is used twice", o.name);
    if (b->operands_count == ZL_BODY_OPERANDS)
        return zl_body_refuse(r, ZLAY_ELIMIT, "more than %d operands", ZL_BODY_OPERANDS);
    if (!read_type(r, &o) || !check_operand(r, &o)) return false;
    b->operands[b->operands_count++] = o;
    return true;
}

/* ---- lines ------------------------------------------------------------------------------- */

static bool check_line(zl_body_reader *r, const zl_body_line *line)
{
    const zlay_body_operand *o = line->operand >= 0 ? &r->body->operands[line->operand] : NULL;
    const zl_body_node *n = &r->body->nodes[line->node];
    uint32_t shape = o ? zl_body_sort_shape(o->sort) : 0;
    if (!o) return true;
    if (o->sort == ZLAY_BODY_OUTPUT)
        return zl_body_refuse(r, ZLAY_EINVAL, "'%s' is an output: store(%s, index, limit, value) writes it", o->name, o->name);
    if (o->sort >= ZLAY_BODY_SCALAR)
        return zl_body_refuse(r, ZLAY_EINVAL, "'%s' is a %s, which is only read", o->name,
                              zl_body_sort_word(o->sort));
    if (n->type != o->type)
        return zl_body_refuse(
            r, ZLAY_EINVAL, "'%s' is %s, and its new value %s: convert it, as %s(..)", o->name,
            zl_body_type_name(o->type), zl_body_type_name(n->type), zl_body_type_name(o->type));
    if (n->shape & ~shape)
        return zl_body_refuse(r, ZLAY_EINVAL, "'%s' is a %s, and its new value depends on more",
                              o->name, zl_body_sort_word(o->sort));
    return true;
}

static bool add_line(zl_body_reader *r, const zl_body_line *line)
{
    zlay_body *b = r->body;
    if (b->lines_count == ZL_BODY_LINES)
        return zl_body_refuse(r, ZLAY_ELIMIT, "more than %d lines", ZL_BODY_LINES);
    b->lines[b->lines_count++] = *line;
    return true;
}

static bool read_assignment(zl_body_reader *r)
{
    zlay_body *b = r->body;
    zl_body_line line = {.operand = -1};
    if (!read_name(r, line.name, "a line begins with")) return false;
    if (!zl_cursor_take(r->at, '='))
        return zl_body_refuse(r, ZLAY_EINVAL,
                              "'=' is missing: a line is NAME = EXPRESSION, and `end` the last");
    line.operand = zl_body_operand_find(b, line.name);
    line.node = zl_body_expression(r);
    if (line.node < 0) return false;
    int32_t type = line.operand >= 0 ? b->operands[line.operand].type : ZLAY_TYPE_F32;
    if (b->nodes[line.node].type == ZL_BODY_ANY && !zl_body_settle(r, line.node, type))
        return false;
    if (!check_line(r, &line)) return false;
    if (line.operand >= 0) b->operands[line.operand].writes = 1;
    return add_line(r, &line);
}

/* NAME, INDEX, LIMIT, VALUE of store. */
static bool read_store(zl_body_reader *r)
{
    zl_body_line line = {.operand = -1};
    char name[65];
    int32_t args[ZL_BODY_ARGS];
    if (!zl_cursor_name(r->at, name)) return zl_body_refuse(r, ZLAY_EINVAL, "store wants the name of an output first");
    int32_t operand = zl_body_operand_find(r->body, name);
    if (operand < 0) return zl_body_refuse(r, ZLAY_EINVAL, "there is no output '%s'", name);
    for (int i = 0; i < ZL_BODY_ARGS; i++) {
        if (!zl_cursor_take(r->at, ','))
            return zl_body_refuse(r, ZLAY_EINVAL, "',' is missing: store(NAME, index, limit, value)");
        args[i] = zl_body_expression(r);
        if (args[i] < 0) return false;
    }
    if (!zl_cursor_take(r->at, ')')) return zl_body_refuse(r, ZLAY_EINVAL, "')' is missing: store(NAME, index, limit, value)");
    line.node = zl_body_store(r, operand, args);
    return line.node >= 0 && add_line(r, &line);
}

void zl_body_line_read(zl_body_reader *r)
{
    int32_t sort = zl_body_sort_take(r->at);
    zl_cursor before = *r->at;
    if (sort) {
        read_operand(r, sort);
        return;
    }
    if (zl_cursor_keyword(r->at, "store") && zl_cursor_take(r->at, '(')) {
        read_store(r);
        return;
    }
    *r->at = before;
    read_assignment(r);
}

void zl_body_end(zl_body_reader *r)
{
    bool writes = false;
    for (uint32_t i = 0; i < r->body->operands_count; i++) writes |= r->body->operands[i].writes;
    if (!writes) zl_body_refuse(r, ZLAY_EINVAL, "body %s gives no operand a value", r->body->name);
}
