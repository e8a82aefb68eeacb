/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a body as its text: operands, then lines. A node that a name stands for is printed by
 * the name, every other one as an expression with the fewest parentheses. */
#include "body/body.h"

#include <inttypes.h>
#include <string.h>

/* How tightly an expression binds: what binds less stands in parentheses. */
enum { COMPARISON, SUM, PRODUCT, UNARY, PRIMARY };

typedef struct body_text {
    zl_text *out;
    const zlay_body *body;
    uint32_t lines; /* printed so far: what names stand for */
} body_text;

static void put_node(const body_text *t, int32_t node, int least);

static void put_decimal(zl_text *out, const zl_decimal *d)
{
    if (d->infinite) zl_puts(out, d->mantissa < 0 ? "-inf" : "inf");
    else if (d->exponent) zl_putf(out, "%" PRId64 "e%" PRId32, d->mantissa, d->exponent);
    else zl_putf(out, "%" PRId64, d->mantissa);
}

static int binds(const zl_body_node *n)
{
    switch (n->op) {
    case ZL_BO_ADD:
    case ZL_BO_SUB: return SUM;
    case ZL_BO_MUL:
    case ZL_BO_DIV: return PRODUCT;
    case ZL_BO_NEG: return UNARY;
    case ZL_BO_NUMBER: return n->number.mantissa < 0 ? UNARY : PRIMARY;
    default: return zl_body_forms[n->op].kind == ZL_BODY_COMPARE ? COMPARISON : PRIMARY;
    }
}

/* The last name that stands for a node now; NULL: none does. */
static const char *name_of(const body_text *t, int32_t node)
{
    const zl_body_node *n = &t->body->nodes[node];
    for (uint32_t i = t->lines; i-- > 0;)
        if (t->body->lines[i].node == node &&
            zl_body_name_find(t->body, t->body->lines[i].name, t->lines) == node)
            return t->body->lines[i].name;
    return n->op == ZL_BO_OPERAND ? t->body->operands[n->operand].name : NULL;
}

static void put_arguments(const body_text *t, const zl_body_node *n)
{
    for (int i = 0; i < ZL_BODY_ARGS && n->arg[i] >= 0; i++) {
        if (i) zl_puts(t->out, ", ");
        put_node(t, n->arg[i], COMPARISON);
    }
    zl_puts(t->out, ")");
}

static void put_call(const body_text *t, const zl_body_node *n)
{
    if (n->op == ZL_BO_CONVERT)
        zl_putf(t->out, "%s%s%s(", zl_body_type_name(n->type), n->round ? "." : "",
                zl_round_words[n->round]);
    else zl_putf(t->out, "%s(", zl_body_forms[n->op].word);
    if (n->op == ZL_BO_LOAD || n->op == ZL_BO_STORE) zl_putf(t->out, "%s, ", t->body->operands[n->operand].name);
    put_arguments(t, n);
}

static void put_shared(const body_text *t, const zl_body_node *n)
{
    static const char *const at[] = {[ZL_ON_ROW] = "row",
                                     [ZL_ON_COLUMN] = "col",
                                     [ZL_ON_BOTH] = "row, col"};
    zl_putf(t->out, "load(%s, %s", t->body->operands[n->operand].name, at[n->shape]);
    if (n->window) zl_putf(t->out, " + %u", n->skip);
    zl_puts(t->out, ")");
}

static void put_value(const body_text *t, const zl_body_node *n)
{
    const zl_body_form *f = &zl_body_forms[n->op];
    int own = binds(n);
    if (n->op == ZL_BO_NUMBER) put_decimal(t->out, &n->number);
    else if (n->op == ZL_BO_ROW || n->op == ZL_BO_COLUMN) zl_puts(t->out, f->word);
    else if (n->op == ZL_BO_SHARED) put_shared(t, n);
    else if (f->kind == ZL_BODY_BEFORE) {
        zl_puts(t->out, f->word);
        put_node(t, n->arg[0], PRIMARY);
    } else if (f->kind == ZL_BODY_BETWEEN || f->kind == ZL_BODY_COMPARE) {
        put_node(t, n->arg[0], f->kind == ZL_BODY_COMPARE ? SUM : own);
        zl_putf(t->out, " %s ", f->word);
        put_node(t, n->arg[1], own + 1);
    } else put_call(t, n);
}

static void put_node(const body_text *t, int32_t node, int least)
{
    const zl_body_node *n = &t->body->nodes[node];
    const char *name = name_of(t, node);
    bool inside = !name && binds(n) < least;
    if (inside) zl_puts(t->out, "(");
    if (name) zl_puts(t->out, name);
    else put_value(t, n);
    if (inside) zl_puts(t->out, ")");
}

static void put_operand(zl_text *out, const zlay_body_operand *o)
{
    zl_putf(out, "  %s %s", zl_body_sort_word(o->sort), o->name);
    if (o->sort != ZLAY_BODY_INDEX) zl_putf(out, " %s", zl_body_type_name(o->type));
    zl_puts(out, "\n");
}

void zl_body_put_head(zl_text *out, const zlay_body *body)
{
    zl_putf(out, "body %s\n", body->name);
    for (uint32_t i = 0; i < body->operands_count; i++) put_operand(out, &body->operands[i]);
}

void zl_body_put_lines(zl_text *out, const zlay_body *body)
{
    body_text t = {out, body, 0};
    for (; t.lines < body->lines_count; t.lines++) {
        const char *name = body->lines[t.lines].name;
        zl_putf(out, "  %s%s", name, *name ? " = " : "");
        put_node(&t, body->lines[t.lines].node, COMPARISON);
        zl_puts(out, "\n");
    }
}

void zl_body_put(zl_text *out, const zlay_body *body)
{
    zl_body_put_head(out, body);
    zl_body_put_lines(out, body);
    zl_puts(out, "end\n");
}

static void put_body(zl_text *out, const void *value)
{
    zl_body_put(out, value);
}

zlay_status zlay_body_print(zlay_buf *out, const zlay_body *body)
{
    if (!out || !body) return ZLAY_EINVAL;
    return zl_print(out, put_body, body);
}
