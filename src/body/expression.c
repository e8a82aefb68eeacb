/* SPDX-License-Identifier: Apache-2.0 */
/* Reads expressions of a body by recursive descent; parentheses are nested as deep as
 * limits.nesting allows. A name that stands for nothing is refused with the nearest that does. */
#include "body/body.h"

#include <stdio.h>
#include <string.h>

enum { DIGITS_MOST = 15, EXPONENT_MOST = 22, WORD_MOST = 65, COLUMN_MOST = UINT16_MAX };

static int32_t sum(zl_body_reader *r);
static int32_t unary(zl_body_reader *r);

static int32_t refuse(zl_body_reader *r, const char *what)
{
    zl_body_refuse(r, ZLAY_EINVAL, "%s", what);
    return -1;
}

/* ---- numbers --------------------------------------------------------------------------- */

static int32_t hexadecimal(zl_body_reader *r)
{
    zl_cursor *c = r->at;
    int64_t value = 0;
    uint32_t digits = 0;
    for (c->at += 2; c->at < c->length; c->at++, digits++) {
        char d = c->text[c->at];
        if (zl_is_digit(d)) value = value * 16 + (d - '0');
        else if (d >= 'a' && d <= 'f') value = value * 16 + (d - 'a' + 10);
        else if (d >= 'A' && d <= 'F') value = value * 16 + (d - 'A' + 10);
        else break;
        if (digits == 8) return refuse(r, "a hexadecimal number has at most 8 digits");
    }
    if (!digits) return refuse(r, "a hexadecimal number has no digit");
    return zl_body_new_node(r, &(zl_body_node){.op = ZL_BO_NUMBER,
                                               .type = ZL_BODY_ANY,
                                               .arg = {-1, -1, -1},
                                               .operand = -1,
                                               .number = {.mantissa = value}});
}

static bool digits_read(zl_body_reader *r, zl_decimal *d, uint32_t *count)
{
    zl_cursor *c = r->at;
    bool point = false;
    for (; c->at < c->length; c->at++) {
        char x = c->text[c->at];
        bool range = x == '.' && c->at + 1 < c->length && zl_is_digit(c->text[c->at + 1]);
        if (range && !point) {
            point = true;
            continue;
        }
        if (!zl_is_digit(x)) break;
        if (d->mantissa || x != '0') ++*count;
        if (*count > DIGITS_MOST) return refuse(r, "a number has at most 15 digits") >= 0;
        d->mantissa = d->mantissa * 10 + (x - '0');
        d->exponent -= point;
    }
    return true;
}

static bool exponent_read(zl_body_reader *r, zl_decimal *d)
{
    zl_cursor *c = r->at;
    int64_t value = 0;
    if (c->at >= c->length || (c->text[c->at] != 'e' && c->text[c->at] != 'E')) return true;
    c->at++;
    bool minus = zl_cursor_take(c, '-');
    if (!minus) zl_cursor_take(c, '+');
    if (!zl_cursor_number(c, &value) || value > 1000)
        return refuse(r, "an exponent is no number") >= 0;
    d->exponent += (int32_t)(minus ? -value : value);
    return true;
}

/* No zeros at the end of the mantissa: equal numbers are equal values. */
static void reduce(zl_decimal *d)
{
    if (!d->mantissa) d->exponent = 0;
    while (d->mantissa && d->mantissa % 10 == 0) d->mantissa /= 10, d->exponent++;
    for (; d->exponent > 0 && d->mantissa < 100000000000000; d->exponent--) d->mantissa *= 10;
}

static int32_t number(zl_body_reader *r)
{
    zl_cursor *c = r->at;
    zl_body_node node = {.op = ZL_BO_NUMBER,
                         .type = ZL_BODY_ANY,
                         .arg = {-1, -1, -1},
                         .operand = -1};
    uint32_t count = 0;
    if (c->length - c->at >= 2 && c->text[c->at] == '0' && c->text[c->at + 1] == 'x')
        return hexadecimal(r);
    if (!digits_read(r, &node.number, &count) || !exponent_read(r, &node.number)) return -1;
    reduce(&node.number);
    if (node.number.exponent > EXPONENT_MOST || node.number.exponent < -EXPONENT_MOST)
        return refuse(r, "a number is too great or too small: 15 digits and 22 places are read");
    if (c->at < c->length && zl_is_name_part(c->text[c->at]))
        return refuse(r, "a letter stands behind a number");
    return zl_body_new_node(r, &node);
}

static int32_t infinity(zl_body_reader *r)
{
    return zl_body_new_node(r, &(zl_body_node){.op = ZL_BO_NUMBER,
                                               .type = ZL_BODY_ANY,
                                               .arg = {-1, -1, -1},
                                               .operand = -1,
                                               .number = {.mantissa = 1, .infinite = true}});
}

/* ---- names ------------------------------------------------------------------------------- */

/* Refuses a name, with the name in reach that is spelt most like it. */
static int32_t unknown(zl_body_reader *r, const char *word)
{
    const zlay_body *b = r->body;
    zl_like like = zl_like_begin(word, strlen(word));
    for (uint32_t i = 0; i < b->operands_count; i++) zl_like_offer(&like, b->operands[i].name);
    for (uint32_t i = 0; i < b->lines_count; i++) zl_like_offer(&like, b->lines[i].name);
    for (uint32_t i = 0; i < ZL_BODY_OPS; i++)
        if (zl_body_forms[i].kind >= ZL_BODY_CALL) zl_like_offer(&like, zl_body_forms[i].word);
    zl_body_refuse(r, ZLAY_EINVAL, "there is no '%s'%s", word, like.hint);
    return -1;
}

static int32_t operand_value(zl_body_reader *r, int32_t operand)
{
    zlay_body_operand *o = &r->body->operands[operand];
    if (o->sort == ZLAY_BODY_GLOBAL) return refuse(r, "an array in global memory is read by load(NAME, index)");
    if (o->sort == ZLAY_BODY_OUTPUT)
        return refuse(r, "an output is written by store(NAME, index, limit, value), and never read");
    if (o->sort == ZLAY_BODY_SHARED)
        return refuse(r, "a stage of shared memory is read by load(NAME, row, col), load(NAME, row) "
                         "or load(NAME, col)");
    o->reads = 1;
    for (uint32_t i = 0; i < r->body->nodes_count; i++)
        if (r->body->nodes[i].op == ZL_BO_OPERAND && r->body->nodes[i].operand == operand)
            return (int32_t)i;
    return zl_body_new_node(r, &(zl_body_node){.op = ZL_BO_OPERAND,
                                               .type = o->type,
                                               .shape = zl_body_sort_shape(o->sort),
                                               .arg = {-1, -1, -1},
                                               .operand = operand});
}

static int32_t coordinate(zl_body_reader *r, zl_body_op op)
{
    return zl_body_new_node(r, &(zl_body_node){.op = op,
                                               .type = ZLAY_TYPE_S32,
                                               .shape = op == ZL_BO_ROW ? ZL_ON_ROW : ZL_ON_COLUMN,
                                               .arg = {-1, -1, -1},
                                               .operand = -1});
}

static int32_t name_value(zl_body_reader *r, const char *word)
{
    int32_t node = zl_body_name_find(r->body, word, r->body->lines_count);
    int32_t operand = zl_body_operand_find(r->body, word);
    if (node >= 0) return node;
    if (operand >= 0) return operand_value(r, operand);
    if (!strcmp(word, "row")) return coordinate(r, ZL_BO_ROW);
    if (!strcmp(word, "col")) return coordinate(r, ZL_BO_COLUMN);
    if (!strcmp(word, "inf")) return infinity(r);
    return unknown(r, word);
}

/* ---- calls ------------------------------------------------------------------------------- */

static bool arguments(zl_body_reader *r, int32_t *args, uint32_t room, uint32_t *count)
{
    *count = 0;
    do {
        if (*count == room) return refuse(r, "too many operands") >= 0;
        args[*count] = zl_body_expression(r);
        if (args[*count] < 0) return false;
        ++*count;
    } while (zl_cursor_take(r->at, ','));
    return zl_cursor_take(r->at, ')') || refuse(r, "')' is missing") >= 0;
}

/* Behind `col`: `+ C`, where the columns of the matrix begin in a wider stage. */
static bool window(zl_body_reader *r, zl_body_node *at)
{
    int64_t skip = 0;
    if (!zl_cursor_take(r->at, '+')) return true;
    if (!zl_cursor_number(r->at, &skip) || skip > COLUMN_MOST)
        return refuse(r, "col + C: C is a number from 0 to 65535") >= 0;
    at->window = true;
    at->skip = (uint32_t)skip;
    return true;
}

/* The coordinates of the element in its stage: `row, col`, `row` or `col`. */
static int32_t call_shared(zl_body_reader *r, int32_t operand)
{
    zl_body_node at = {.shape = zl_cursor_keyword(r->at, "row") ? ZL_ON_ROW : 0};
    if ((!at.shape || zl_cursor_take(r->at, ',')) && zl_cursor_keyword(r->at, "col")) {
        at.shape |= ZL_ON_COLUMN;
        if (!window(r, &at)) return -1;
    }
    if (!at.shape || !zl_cursor_take(r->at, ')'))
        return refuse(r, "a stage of shared memory is loaded at row, col, at row or at col");
    return zl_body_shared(r, operand, &at);
}

static int32_t call_load(zl_body_reader *r)
{
    char name[WORD_MOST];
    int32_t args[ZL_BODY_ARGS];
    uint32_t count;
    if (!zl_cursor_name(r->at, name)) return refuse(r, "load wants the name of an array first");
    int32_t operand = zl_body_operand_find(r->body, name);
    if (operand < 0) return unknown(r, name);
    if (!zl_cursor_take(r->at, ',')) return refuse(r, "load wants an index: load(NAME, index)");
    if (r->body->operands[operand].sort == ZLAY_BODY_SHARED) return call_shared(r, operand);
    if (!arguments(r, args, 2, &count)) return -1;
    return zl_body_load(r, operand, args, count);
}

static int32_t call_conversion(zl_body_reader *r, int32_t type, int32_t round)
{
    int32_t args[ZL_BODY_ARGS];
    uint32_t count;
    if (!arguments(r, args, 1, &count)) return -1;
    return zl_body_convert(r, type, round, args[0]);
}

static int32_t call(zl_body_reader *r, const char *word)
{
    int32_t args[ZL_BODY_ARGS], type;
    uint32_t count;
    if (!strcmp(word, "load")) return call_load(r);
    if (zl_body_type_find(&type, word, strlen(word)))
        return call_conversion(r, type, ZL_ROUND_NEAREST);
    for (uint32_t op = 0; op < ZL_BODY_OPS; op++) {
        const zl_body_form *f = &zl_body_forms[op];
        if (f->kind < ZL_BODY_CALL || strcmp(f->word, word)) continue;
        if (!arguments(r, args, ZL_BODY_ARGS, &count)) return -1;
        if (count != f->args) {
            zl_body_refuse(r, ZLAY_EINVAL, "%s takes %u operands", word, f->args);
            return -1;
        }
        return zl_body_apply(r, (zl_body_op)op, args, count);
    }
    return unknown(r, word);
}

/* Behind the name of a type: `.rz`. */
static int32_t rounded(zl_body_reader *r, const char *word)
{
    int32_t type;
    size_t length = zl_cursor_word(r->at);
    if (!zl_body_type_find(&type, word, strlen(word))) return unknown(r, word);
    for (int32_t i = 1; i < ZL_ROUNDS; i++) {
        if (length != strlen(zl_round_words[i]) ||
            memcmp(zl_round_words[i], r->at->text + r->at->at, length))
            continue;
        r->at->at += length;
        if (!zl_cursor_take(r->at, '(')) return refuse(r, "'(' is missing");
        return call_conversion(r, type, i);
    }
    return refuse(r, "a conversion rounds by rz, rm or rp, is biased or scaled, or rounds to nearest where "
                     "nothing is said");
}

static int32_t word_value(zl_body_reader *r)
{
    char word[WORD_MOST];
    size_t length = zl_cursor_word(r->at);
    if (length >= sizeof word) return refuse(r, "a name has more than 64 letters");
    memcpy(word, r->at->text + r->at->at, length);
    word[length] = 0;
    r->at->at += length;
    if (zl_cursor_take(r->at, '(')) return call(r, word);
    if (zl_cursor_take(r->at, '.')) return rounded(r, word);
    return name_value(r, word);
}

static int32_t primary(zl_body_reader *r)
{
    char next = zl_cursor_peek(r->at);
    if (zl_is_digit(next)) return number(r);
    if (zl_is_name_start(next)) return word_value(r);
    if (!zl_cursor_take(r->at, '(')) return refuse(r, "a value is missing");
    int32_t node = zl_body_expression(r);
    if (node < 0) return -1;
    return zl_cursor_take(r->at, ')') ? node : refuse(r, "')' is missing");
}

/* ---- operators ----------------------------------------------------------------------------- */

/* A sign before a number belongs to it. */
static int32_t negative(zl_body_reader *r, int32_t node)
{
    zl_body_node *n = &r->body->nodes[node];
    bool last = (uint32_t)node + 1 == r->body->nodes_count;
    if (!last || n->op != ZL_BO_NUMBER || n->type != ZL_BODY_ANY || n->number.mantissa <= 0)
        return zl_body_apply(r, ZL_BO_NEG, &node, 1);
    n->number.mantissa = -n->number.mantissa;
    return node;
}

static int32_t unary(zl_body_reader *r)
{
    uint32_t minus = 0;
    while (zl_cursor_take(r->at, '-')) minus++;
    int32_t node = primary(r);
    for (; minus && node >= 0; minus--) node = negative(r, node);
    return node;
}

static int32_t product(zl_body_reader *r)
{
    int32_t args[2] = {unary(r), -1};
    while (args[0] >= 0) {
        bool over = zl_cursor_take(r->at, '/');
        if (!over && !zl_cursor_take(r->at, '*')) break;
        args[1] = unary(r);
        args[0] = args[1] < 0 ? -1 : zl_body_apply(r, over ? ZL_BO_DIV : ZL_BO_MUL, args, 2);
    }
    return args[0];
}

static int32_t sum(zl_body_reader *r)
{
    int32_t args[2] = {product(r), -1};
    while (args[0] >= 0) {
        zl_body_op op = zl_cursor_take(r->at, '+')   ? ZL_BO_ADD
                        : zl_cursor_take(r->at, '-') ? ZL_BO_SUB
                                                     : ZL_BO_OPERAND;
        if (op == ZL_BO_OPERAND) break;
        args[1] = product(r);
        args[0] = args[1] < 0 ? -1 : zl_body_apply(r, op, args, 2);
    }
    return args[0];
}

static int32_t comparison(zl_body_reader *r)
{
    static const zl_body_op ops[] = {ZL_BO_LE, ZL_BO_GE, ZL_BO_EQ, ZL_BO_NE, ZL_BO_LT, ZL_BO_GT};
    int32_t args[2] = {sum(r), -1};
    for (size_t i = 0; i < ZL_COUNT(ops) && args[0] >= 0; i++) {
        if (!zl_cursor_symbol(r->at, zl_body_forms[ops[i]].word)) continue;
        args[1] = sum(r);
        return args[1] < 0 ? -1 : zl_body_apply(r, ops[i], args, 2);
    }
    return args[0];
}

int32_t zl_body_expression(zl_body_reader *r)
{
    uint64_t most = zl_limits(r->at->ctx)->nesting;
    if (r->depth >= most) {
        zl_body_refuse(r, ZLAY_ELIMIT, "limit nesting: %u parentheses", r->depth + 1);
        return -1;
    }
    r->depth++;
    int32_t node = comparison(r);
    r->depth--;
    return node;
}
