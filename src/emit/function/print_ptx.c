/* SPDX-License-Identifier: Apache-2.0 */
/* Prints an expression as a .func of PTX: a register a node. ptxas joins products and sums, and
 * logic of three operands, but divides by a number as it divides by a register, so a quotient is
 * printed as the high part of a product (zlay/radix.h) where one is right for the operand's range. */
#include "emit/function/print.h"

#include <zlay/radix.h>



/* Registers are called after their node: %r of 32 bits, %d of 64, %p a condition; %e and %x are the
 * same node in the other word, where an operation reads it so. */
typedef struct writer {
    zl_text *out;
    const zl_formula *f;
    uint32_t uses[ZL_GRAPH_NODES];
    bool other[ZL_GRAPH_NODES];
} writer;

static const zl_graph_node *at(const writer *w, zl_vertex t) { return &w->f->graph->node[t]; }
static bool is_wide(const writer *w, zl_vertex t) { return zl_formula_is_wide(w->f, t); }

enum { OPERAND_ROOM = 24 };

/* Whether a node is computed in words of 64 bits. */
static bool computes_wide(const writer *w, zl_vertex t)
{
    const zl_graph_node *n = at(w, t);
    const zl_vertex side[] = {n->a, n->b, n->c};
    if (is_wide(w, t)) return true;
    if (n->op == ZL_OP_BOTH || n->op == ZL_OP_EITHER) return false;
    for (size_t i = n->op == ZL_OP_CHOOSE; i < ZL_COUNT(side); i++)
        if (is_wide(w, side[i]) && at(w, side[i])->op != ZL_OP_NUMBER) return true;
    return false;
}

/* Marks the nodes that operations of the other word read. */
static void find_others(writer *w)
{
    for (uint32_t i = 0; i < w->f->graph->count; i++) {
        const zl_vertex side[] = {at(w, i)->a, at(w, i)->b, at(w, i)->c};
        for (size_t k = 0; w->uses[i] && k < ZL_COUNT(side); k++)
            if (computes_wide(w, i) != is_wide(w, side[k])) w->other[side[k]] = true;
    }
    if (zl_formula_is_long(w->f) != is_wide(w, w->f->root)) w->other[w->f->root] = true;
}

/* The text of an operand as a word of 32 or 64 bits. */
static const char *operand(const writer *w, char text[OPERAND_ROOM], zl_vertex t, bool wide)
{
    zl_text out = {text, OPERAND_ROOM - 1, 0};
    const zl_graph_node *n = at(w, t);
    const char *of = zl_graph_is_condition(n->op) ? "%p" :
                     wide ? (is_wide(w, t) ? "%d" : "%x") : (is_wide(w, t) ? "%e" : "%r");
    if (n->op == ZL_OP_NUMBER) zl_putf(&out, "%lld", (long long)(wide ? n->number : (int32_t)n->number));
    else zl_putf(&out, "%s%u", of, (unsigned)t);
    text[out.need] = 0;
    return text;
}

/* ---- instructions --------------------------------------------------------------------------- */

/* `op to, a, b;` with the type s of so many bits in the place of a $ in op. */
static void op_put(writer *w, const char *op, const char *to, const char *a, const char *b)
{
    zl_putf(w->out, "    %s %s, %s", op, to, a);
    if (b) zl_putf(w->out, ", %s", b);
    zl_puts(w->out, ";\n");
}

static void with_number(writer *w, const char *op, const char *to, const char *a, long long number)
{
    char text[OPERAND_ROOM];
    zl_text out = {text, sizeof text - 1, 0};
    zl_putf(&out, "%lld", number);
    text[out.need] = 0;
    op_put(w, op, to, a, text);
}

static void times_put(writer *w, const zl_graph_node *n, const char *to, const char *a, bool wide)
{
    bool left = n->number > 0 && zl_is_power_of_two((uint64_t)n->number);
    if (left) with_number(w, wide ? "shl.b64" : "shl.b32", to, a, zl_log2((uint64_t)n->number));
    else with_number(w, wide ? "mul.lo.s64" : "mul.lo.s32", to, a, wide ? n->number : (int32_t)n->number);
}

/* The high half of a product, shifted: of 32 bits from bit 32 on, of 64 from bit 64. */
static void over_put(writer *w, const zl_graph_node *n, const char *to, const char *a, bool wide)
{
    zlay_divisor d = {0};
    int word = wide ? 64 : 32;
    zlay_divisor_make(&d, (uint64_t)n->number, 0, (uint64_t)at(w, n->a)->greatest);
    bool fits = wide || d.multiplier <= UINT32_MAX;
    if (d.way != ZLAY_DIVISOR_MULTIPLY || d.shift < word || !fits) {
        with_number(w, wide ? "div.u64" : "div.u32", to, a, n->number);
        return;
    }
    zl_putf(w->out, "    mul.hi.u%d %s, %s, %llu;\n", word, to, a, (unsigned long long)d.multiplier);
    if (d.shift > word) with_number(w, wide ? "shr.u64" : "shr.u32", to, to, d.shift - word);
}

static const char *names[][2] = {
    [ZL_OP_ADD] = {"add.s32", "add.s64"}, [ZL_OP_RIGHT] = {"shr.u32", "shr.u64"},
    [ZL_OP_AND] = {"and.b32", "and.b64"}, [ZL_OP_OR] = {"or.b32", "or.b64"},
    [ZL_OP_XOR] = {"xor.b32", "xor.b64"}, [ZL_OP_LESS] = {"setp.lt.u32", "setp.lt.u64"},
    [ZL_OP_SAME] = {"setp.eq.u32", "setp.eq.u64"}, [ZL_OP_BOTH] = {"and.pred", "and.pred"},
    [ZL_OP_EITHER] = {"or.pred", "or.pred"}, [ZL_OP_CHOOSE] = {"selp.b32", "selp.b64"},
};

/* The comparisons have their number last: PTX takes one there alone. */
static void operation_put(writer *w, const zl_graph_node *n, const char *to, bool wide)
{
    char a[OPERAND_ROOM], b[OPERAND_ROOM], c[OPERAND_ROOM];
    const char *op = names[n->op][wide];
    operand(w, a, n->a, wide);
    operand(w, b, n->b, wide);
    switch (n->op) {
    case ZL_OP_TIMES: times_put(w, n, to, a, wide); break;
    case ZL_OP_OVER: over_put(w, n, to, a, wide); break;
    case ZL_OP_RIGHT:
    case ZL_OP_AND: with_number(w, op, to, a, wide ? n->number : (int32_t)n->number); break;
    case ZL_OP_CHOOSE:
        zl_putf(w->out, "    %s %s, %s, %s, %%p%u;\n", op, to, b, operand(w, c, n->c, wide),
                (unsigned)n->a);
        break;
    case ZL_OP_LESS:
        if (at(w, n->a)->op == ZL_OP_NUMBER) op_put(w, wide ? "setp.gt.u64" : "setp.gt.u32", to, b, a);
        else op_put(w, op, to, a, b);
        break;
    default: op_put(w, op, to, at(w, n->a)->op == ZL_OP_NUMBER ? b : a,
                    at(w, n->a)->op == ZL_OP_NUMBER ? a : b);
    }
}

/* The node in the word of its operation, then in its own and in the other one where it is read so. */
static void node_put(writer *w, zl_vertex t)
{
    const zl_graph_node *n = at(w, t);
    char to[OPERAND_ROOM], other[OPERAND_ROOM];
    bool own = is_wide(w, t), wide = computes_wide(w, t), condition = zl_graph_is_condition(n->op);
    bool cut = wide && !own && !condition;
    operation_put(w, n, operand(w, to, t, condition ? own : wide), wide);
    if (cut) op_put(w, "cvt.u32.u64", operand(w, other, t, false), to, NULL);
    else if (w->other[t] && !condition)
        op_put(w, own ? "cvt.u32.u64" : "cvt.u64.u32", operand(w, other, t, !own), to, NULL);
}

/* ---- the function --------------------------------------------------------------------------- */

static void load_put(writer *w, zl_vertex t)
{
    char to[OPERAND_ROOM], other[OPERAND_ROOM];
    unsigned i = (unsigned)at(w, t)->number;
    bool wide = zl_argument_is_wide(w->f->extent[i]);
    zl_putf(w->out, "    ld.param.u%d %s, [i%u];\n", wide ? 64 : 32, operand(w, to, t, wide), i);
    if (w->other[t])
        op_put(w, wide ? "cvt.u32.u64" : "cvt.u64.u32", operand(w, other, t, !wide), to, NULL);
}

static void declare(writer *w)
{
    uint32_t count = w->f->graph->count;
    zl_putf(w->out, "    .reg .b32 %%r<%u>;\n", (unsigned)count);
    bool asks = false;
    for (uint32_t i = 0; i < count; i++)
        asks |= w->uses[i] && zl_graph_is_condition(at(w, i)->op);
    if (asks) zl_putf(w->out, "    .reg .pred %%p<%u>;\n", (unsigned)count);
    if (w->f->word == 64)
        zl_putf(w->out, "    .reg .b32 %%e<%u>;\n    .reg .b64 %%d<%u>, %%x<%u>;\n", (unsigned)count,
                (unsigned)count, (unsigned)count);
}

static void result_put(writer *w)
{
    char text[OPERAND_ROOM];
    zl_vertex root = w->f->root;
    bool wide = zl_formula_is_long(w->f), condition = zl_graph_is_condition(at(w, root)->op);
    if (condition) zl_putf(w->out, "    selp.b32 %%r0, 1, 0, %%p%u;\n", (unsigned)root);
    if (at(w, root)->op == ZL_OP_NUMBER)
        op_put(w, wide ? "mov.b64" : "mov.b32", wide ? "%d0" : "%r0", operand(w, text, root, wide), NULL);
    bool own = !condition && at(w, root)->op != ZL_OP_NUMBER;
    zl_putf(w->out, "    st.param.b%d [value], %s;\n", wide ? 64 : 32,
            own ? operand(w, text, root, wide) : wide ? "%d0" : "%r0");
}

static void head_put(writer *w, const zl_function_name *name)
{
    zl_putf(w->out, ".func (.param .b%d value) ", zl_formula_is_long(w->f) ? 64 : 32);
    zl_function_name_put(w->out, name);
    zl_puts(w->out, "(");
    for (size_t i = 0; i < w->f->arguments; i++)
        zl_putf(w->out, "%s.param .b%d i%zu", i ? ", " : "",
                zl_argument_is_wide(w->f->extent[i]) ? 64 : 32, i);
    zl_puts(w->out, ")\n{\n");
}

void zl_formula_print_ptx(zl_text *out, const zl_formula *f, const zl_function_name *name)
{
    writer w = {.out = out, .f = f};
    zl_graph_uses(f->graph, f->root, w.uses);
    find_others(&w);
    head_put(&w, name);
    declare(&w);
    for (uint32_t i = 1; i < f->graph->count; i++) {
        if (!w.uses[i] || at(&w, i)->op == ZL_OP_NUMBER) continue;
        if (at(&w, i)->op == ZL_OP_ARGUMENT) load_put(&w, i);
        else node_put(&w, i);
    }
    result_put(&w);
    zl_puts(out, "    ret;\n}\n");
}
