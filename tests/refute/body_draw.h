/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the text of a random body from the grammar: every operation, on operands of every sort and type that it takes, with types and shapes that
 * fit, so that each text is a body. */
#ifndef TEST_REFUTE_BODY_DRAW_H
#define TEST_REFUTE_BODY_DRAW_H

#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <zlay/body.h>

enum { TEXT = 1 << 14 };

/* ---- a text ------------------------------------------------------------------------------------------------------------------ */

/* What a value may depend on. */
enum { ON_ROW = 1, ON_COLUMN = 2, ON_LANE = 4 };

typedef struct known {
    char text[8];
    int32_t type;
    int shape, sort;
} known;

static const known operands[] = {
    {"A", ZLAY_TYPE_F32, 3, ZLAY_BODY_MATRIX},  {"B", ZLAY_TYPE_F32, 3, ZLAY_BODY_MATRIX},   {"H", ZLAY_TYPE_F16, 3, ZLAY_BODY_MATRIX}, {"G", ZLAY_TYPE_BF16, 3, ZLAY_BODY_MATRIX},
    {"I", ZLAY_TYPE_S32, 3, ZLAY_BODY_MATRIX},  {"U", ZLAY_TYPE_U32, 3, ZLAY_BODY_MATRIX},   {"E", ZLAY_TYPE_E4M3, 3, ZLAY_BODY_MATRIX}, {"F", ZLAY_TYPE_E5M2, 3, ZLAY_BODY_MATRIX},
    {"P", ZLAY_TYPE_S8, 3, ZLAY_BODY_MATRIX},   {"Q", ZLAY_TYPE_U8, 3, ZLAY_BODY_MATRIX},    {"m", ZLAY_TYPE_F32, 1, ZLAY_BODY_ROW},    {"i", ZLAY_TYPE_S32, 1, ZLAY_BODY_ROW},
    {"v", ZLAY_TYPE_F32, 2, ZLAY_BODY_COLUMN},  {"h", ZLAY_TYPE_BF16, 2, ZLAY_BODY_COLUMN},  {"l", ZLAY_TYPE_F32, 5, ZLAY_BODY_PART},   {"a", ZLAY_TYPE_F32, 0, ZLAY_BODY_SCALAR},
    {"n", ZLAY_TYPE_U32, 0, ZLAY_BODY_SCALAR},   {"k", ZLAY_TYPE_S32, 0, ZLAY_BODY_INDEX},  {"g", ZLAY_TYPE_F32, 0, ZLAY_BODY_GLOBAL},
    {"w", ZLAY_TYPE_BF16, 0, ZLAY_BODY_GLOBAL}, {"q", ZLAY_TYPE_S32, 0, ZLAY_BODY_GLOBAL},
};
enum { DECLARED = sizeof operands / sizeof *operands, WRITTEN = 15 };

typedef struct drawing {
    uint64_t *seed;
    char text[TEXT];
    size_t length;
    known names[40];
    int count;
} drawing;

static void put(drawing *d, const char *text)
{
    size_t length = strlen(text);
    assert_true(d->length + length < TEXT);
    memcpy(d->text + d->length, text, length + 1);
    d->length += length;
}

static int draw(drawing *d, int most) { return (int)test_range(d->seed, 0, most); }

static void put_expression(drawing *d, int32_t type, int shape, int depth);

static void put_number(drawing *d, int32_t type)
{
    static const char *const floats[] = {"0", "1", "-1", "0.5", "-3", "0.1", "1e-3", "65504", "1e6", "-inf", "inf", "3e-20", "1e20"}, *const wholes[] = {"0", "1", "3", "0xff", "31", "65536", "0x7fffffff"};
    bool whole = type == ZLAY_TYPE_S32 || type == ZLAY_TYPE_U32;
    put(d, whole ? wholes[draw(d, 6)] : floats[draw(d, 12)]);
}

static bool put_name(drawing *d, int32_t type, int shape)
{
    int at = draw(d, d->count - 1);
    for (int i = 0; i < d->count; i++, at = (at + 1) % d->count) {
        const known *k = &d->names[at];
        if (k->type != type || (k->shape & ~shape) || k->sort == ZLAY_BODY_GLOBAL) continue;
        put(d, k->text);
        return true;
    }
    return false;
}

/* An index that every load of an array may have. */
static void put_index(drawing *d, int shape)
{
    put(d, "and(");
    put(d, shape & ON_COLUMN && draw(d, 1) ? "col" : shape & ON_ROW ? "row * 3" : "k");
    put(d, draw(d, 1) ? " + k, 15)" : " - 1, 15)");
}

static void put_load(drawing *d, const char *name, int shape)
{
    put(d, "load("), put(d, name), put(d, ", ");
    put_index(d, shape);
    if (draw(d, 1)) put(d, draw(d, 1) ? ", 8" : ", k + 2");
    put(d, ")");
}

/* No bare number, whose type its neighbours would have to say. */
static void put_leaf(drawing *d, int32_t type, int shape)
{
    int way = draw(d, 5);
    if (type == ZLAY_TYPE_S32 && way == 0) put_load(d, "q", shape);
    else if (type == ZLAY_TYPE_S32 && way <= 2) put(d, shape & ON_COLUMN && draw(d, 1) ? "col" : shape & ON_ROW ? "row" : "k");
    else if (type == ZLAY_TYPE_F32 && way == 0) put_load(d, "g", shape);
    else if (type == ZLAY_TYPE_F32 && way == 1) put(d, "f32("), put_load(d, "w", shape), put(d, ")");
    else if (!put_name(d, type, shape)) put(d, type == ZLAY_TYPE_F16 ? "f16(a)" : type == ZLAY_TYPE_BF16 ? "bf16(a)" : type == ZLAY_TYPE_U32 ? "n" : type == ZLAY_TYPE_S32 ? "k" : "a");
}

static void put_second(drawing *d, int32_t type, int shape, int depth)
{
    if (draw(d, 3) == 0) put_number(d, type);
    else put_expression(d, type, shape, depth);
}

static void put_pair(drawing *d, const char *call, int32_t type, int shape, int depth)
{
    put(d, call);
    put_expression(d, type, shape, depth);
    put(d, ", ");
    put_second(d, type, shape, depth);
    put(d, ")");
}

static void put_condition(drawing *d, int shape, int depth)
{
    static const char *const ops[] = {" < ", " <= ", " > ", " >= ", " == ", " != "}, *const joins[] = {"and(", "or(", "xor("};
    static const int32_t types[] = {ZLAY_TYPE_F32, ZLAY_TYPE_S32, ZLAY_TYPE_U32};
    int32_t type = types[draw(d, 2)];
    bool two = depth > 0 && draw(d, 3) == 0;
    if (two) put(d, joins[draw(d, 2)]), put_condition(d, shape, depth - 1), put(d, ", ");
    put_expression(d, type, shape, depth - 1);
    put(d, ops[draw(d, 5)]);
    put_second(d, type, shape, depth - 1);
    if (two) put(d, ")");
}

static void put_between(drawing *d, int32_t type, int shape, int depth)
{
    put(d, "(");
    put_expression(d, type, shape, depth);
    put(d, (const char *[]){" + ", " - ", " * ", " / "}[draw(d, type == ZLAY_TYPE_F32 ? 3 : 2)]);
    put_second(d, type, shape, depth);
    put(d, ")");
}

static void put_one(drawing *d, const char *before, int32_t type, int shape, int depth)
{
    put(d, before), put(d, "(");
    put_expression(d, type, shape, depth);
    put(d, ")");
}

static void put_conversion(drawing *d, int32_t type, int shape, int depth)
{
    static const char *const rounds[] = {"", ".rz", ".rm", ".rp"};
    char call[16];
    bool half = type == ZLAY_TYPE_F16 || type == ZLAY_TYPE_BF16, narrow = draw(d, 1);
    int32_t from = type != ZLAY_TYPE_F32 ? ZLAY_TYPE_F32 : (int32_t[]){ZLAY_TYPE_S32, ZLAY_TYPE_U32, ZLAY_TYPE_F16, ZLAY_TYPE_BF16}[draw(d, 3)];
    bool rounded = half || from == ZLAY_TYPE_S32 || from == ZLAY_TYPE_U32 || type == ZLAY_TYPE_S32 || type == ZLAY_TYPE_U32;
    if (shape == 3 && narrow && type == ZLAY_TYPE_F32) put(d, draw(d, 1) ? "f32(E)" : "f32(F)");
    else if (shape == 3 && narrow && type == ZLAY_TYPE_F16) put(d, draw(d, 1) ? "f16(E)" : "f16(F)");
    else if (shape == 3 && narrow && type == ZLAY_TYPE_S32) put(d, draw(d, 1) ? "s32(P)" : "s32(Q)");
    else if (narrow && type == ZLAY_TYPE_U32) put_one(d, "u32", ZLAY_TYPE_S32, shape, depth);
    else {
        snprintf(call, sizeof call, "%s%s", zlay_type_name(type), rounded ? rounds[draw(d, half ? 1 : 3)] : "");
        put_one(d, call, from, shape, depth);
    }
}

/* Of the whole row, whatever `inner` is. */
static void put_reduction(drawing *d, bool part, int depth)
{
    put(d, part ? draw(d, 1) ? "partsum(" : "partmax(" : (const char *[]){"rowsum(", "rowmax(", "rowmin("}[draw(d, 2)]);
    put(d, "select(col + row < "), put(d, draw(d, 1) ? "5, " : "k, ");
    put_expression(d, ZLAY_TYPE_F32, ON_ROW | ON_COLUMN, depth);
    put(d, ", ");
    put_second(d, ZLAY_TYPE_F32, ON_ROW | ON_COLUMN, depth);
    put(d, "))");
}

static void put_lanes(drawing *d, int depth)
{
    put(d, draw(d, 1) ? "lanesum(" : "lanemax(");
    put_reduction(d, true, depth);
    if (draw(d, 1)) put(d, " + "), put_expression(d, ZLAY_TYPE_F32, ON_ROW | ON_LANE, depth);
    put(d, ")");
}

static void put_float(drawing *d, int32_t type, int shape, int depth)
{
    static const char *const calls[] = {"exp2", "tanh", "log2", "rcp", "rsqrt", "sqrt"};
    bool f32 = type == ZLAY_TYPE_F32;
    switch (draw(d, 8)) {
    case 0: put_one(d, draw(d, 1) ? calls[draw(d, f32 ? 5 : 1)] : "abs", type, shape, depth); break;
    case 1: put_pair(d, "max(", type, shape, depth); break;
    case 2: put_pair(d, "min(", type, shape, depth); break;
    case 3:
    case 4: put(d, "fma("), put_expression(d, type, shape, depth), put(d, ", "), put_pair(d, "", type, shape, depth); break;
    case 5: put_one(d, draw(d, 1) ? calls[draw(d, f32 ? 5 : 1)] : "-", type, shape, depth); break;
    case 6:
        if (f32 && (shape & ON_ROW) && draw(d, 2) == 0) put_lanes(d, depth - 1);
        else if (f32 && (shape & ON_ROW)) put_reduction(d, shape & ON_LANE && draw(d, 1), depth - 1);
        else put_conversion(d, type, shape, depth);
        break;
    default: put_conversion(d, type, shape, depth);
    }
}

static void put_whole(drawing *d, int32_t type, int shape, int depth)
{
    static const char *const calls[] = {"and(", "or(", "xor(", "shl(", "shr(", "max(", "min("};
    int way = draw(d, 8);
    if (way < 7) put_pair(d, calls[way], type, shape, depth);
    else if (way == 7) put_one(d, "-", type, shape, depth);
    else put_conversion(d, type, shape, depth);
}

static void put_expression(drawing *d, int32_t type, int shape, int depth)
{
    int way = depth <= 0 ? 0 : draw(d, 9);
    if (way == 0) put_leaf(d, type, shape);
    else if (way <= 3) put_between(d, type, shape, depth - 1);
    else if (way == 4 && type != ZLAY_TYPE_F16 && type != ZLAY_TYPE_BF16) {
        put(d, "select("), put_condition(d, shape, depth - 1), put(d, ", ");
        put_pair(d, "", type, shape, depth - 1);
    } else if (type == ZLAY_TYPE_S32 || type == ZLAY_TYPE_U32) put_whole(d, type, shape, depth - 1);
    else put_float(d, type, shape, depth - 1);
}

/* A type of 8 bits is what a conversion makes. */
static void put_value(drawing *d, int32_t type, int shape)
{
    bool small = type == ZLAY_TYPE_E4M3 || type == ZLAY_TYPE_E5M2, byte = type == ZLAY_TYPE_S8 || type == ZLAY_TYPE_U8;
    if (small || byte) put_one(d, zlay_type_name(type), small ? ZLAY_TYPE_F32 : ZLAY_TYPE_S32, shape, 3);
    else put_expression(d, type, shape, draw(d, 3) + 1);
}

static void draw_line(drawing *d, int line, bool last)
{
    static const int32_t types[] = {ZLAY_TYPE_F32, ZLAY_TYPE_F32, ZLAY_TYPE_F16, ZLAY_TYPE_BF16, ZLAY_TYPE_S32, ZLAY_TYPE_U32};
    static const int shapes[] = {3, 3, 1, 2, 5, 0};
    known k = operands[draw(d, WRITTEN - 1)];
    if (!last && draw(d, 1)) {
        k = (known){"x", types[draw(d, 5)], shapes[draw(d, 5)], 0};
        snprintf(k.text, sizeof k.text, "x%d", line);
    }
    put(d, k.text), put(d, " = ");
    put_value(d, k.type, k.shape);
    put(d, "\n");
    if (!k.sort) d->names[d->count++] = k;
}

static void draw_body(drawing *d, uint64_t *seed)
{
    char line[512];
    d->seed = seed, d->length = 0, d->count = DECLARED;
    memcpy(d->names, operands, sizeof operands);
    put(d, "body drawn\n");
    for (int i = 0; i < DECLARED; i++) {
        static const char *const sorts[] = {"", "matrix", "row", "column", "part", "scalar", "index", "global"};
        bool index = operands[i].sort == ZLAY_BODY_INDEX;
        snprintf(line, sizeof line, "%s %s%s%s\n", sorts[operands[i].sort], operands[i].text, index ? "" : " ", index ? "" : zlay_type_name(operands[i].type));
        put(d, line);
    }
    int lines = 1 + draw(d, 4);
    for (int i = 0; i < lines; i++) draw_line(d, i, i + 1 == lines);
    put(d, "end\n");
}

#endif
