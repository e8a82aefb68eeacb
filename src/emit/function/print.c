/* SPDX-License-Identifier: Apache-2.0 */
/* Prints an expression as a function of C, which is one of CUDA C and HIP too. A node that is used
 * twice, or stands deep, is a constant of its own; every operation has its parentheses. A word is
 * `unsigned`, or `unsigned long long` where a value needs it. */
#include "emit/function/print.h"

#include <string.h>

typedef unsigned long long ull;

enum { DEPTH_MOST = 6 };

zl_formula zl_formula_of(const zl_graph *g, zl_vertex root, size_t arguments,
                         const uint64_t *extent)
{
    return (zl_formula){g, root, zl_graph_word(g, root), arguments, extent};
}

const char *zl_formula_type(const zl_formula *f)
{
    const zl_graph_node *n = &f->graph->node[f->root];
    if (zl_graph_is_condition(n->op)) return "bool";
    if (zl_graph_is_narrow(n)) return "unsigned";
    if (!zl_formula_is_long(f)) return "int";
    return n->least >= 0 ? "unsigned long long" : "long long";
}

bool zl_formula_is_long(const zl_formula *f)
{
    const zl_graph_node *n = &f->graph->node[f->root];
    return !zl_graph_is_narrow(n) && (n->least < INT32_MIN || n->greatest > INT32_MAX);
}

void zl_function_name_put(zl_text *out, const zl_function_name *name)
{
    zl_put(out, name->text, name->length);
    zl_puts(out, name->behind);
}

typedef struct writer {
    zl_text *out;
    const zl_formula *f;
    uint32_t uses[ZL_GRAPH_NODES];
    uint32_t constant[ZL_GRAPH_NODES]; /* its number + 1; 0: the node stands where it is used */
} writer;

static const zl_graph_node *at(const writer *w, zl_vertex t) { return &w->f->graph->node[t]; }
static bool is_wide(const writer *w, zl_vertex t) { return zl_formula_is_wide(w->f, t); }

/* ---- one operation -------------------------------------------------------------------------- */

static void node_put(writer *w, zl_vertex t, bool wide);

static void number_put(writer *w, uint64_t number, bool wide, bool mask)
{
    if (!wide) number = (uint32_t)number;
    const char *end = wide ? "ull" : "u";
    if (mask) zl_putf(w->out, "0x%llx%s", (ull)number, end);
    else zl_putf(w->out, "%llu%s", (ull)number, end);
}

static void two_put(writer *w, zl_vertex a, const char *sign, zl_vertex b, bool wide)
{
    node_put(w, a, wide);
    zl_puts(w->out, sign);
    node_put(w, b, wide);
}

static void by_number_put(writer *w, zl_vertex a, const char *sign, uint64_t number, bool wide)
{
    node_put(w, a, wide);
    zl_puts(w->out, sign);
    number_put(w, number, wide, *sign == ' ' && sign[1] == '&');
}

/* A product; by a power of two a shift. */
static void times_put(writer *w, zl_vertex a, uint64_t by, bool wide)
{
    node_put(w, a, wide);
    if (zl_is_power_of_two(by)) zl_putf(w->out, " << %u", zl_log2(by));
    else zl_puts(w->out, " * "), number_put(w, by, wide, false);
}

/* A product that is subtracted where it stands. */
static bool is_taken(const writer *w, zl_vertex t)
{
    const zl_graph_node *n = at(w, t);
    return n->op == ZL_OP_TIMES && n->number < 0 && !w->constant[t];
}

static void sum_put(writer *w, const zl_graph_node *n, bool wide)
{
    zl_vertex a = n->a, b = n->b;
    if (is_taken(w, a) && at(w, b)->op != ZL_OP_NUMBER) a = n->b, b = n->a;
    const zl_graph_node *last = at(w, b);
    node_put(w, a, wide);
    if (last->op == ZL_OP_NUMBER && last->number < 0) {
        zl_puts(w->out, " - ");
        number_put(w, zl_magnitude(last->number), wide, false);
    } else if (is_taken(w, b)) {
        zl_puts(w->out, " - (");
        times_put(w, last->a, zl_magnitude(last->number), wide);
        zl_puts(w->out, ")");
    } else {
        zl_puts(w->out, " + ");
        node_put(w, b, wide);
    }
}

/* The operation of a node, whose operands are words of 64 bits where `wide` says so. */
static void operation_put(writer *w, const zl_graph_node *n, bool wide)
{
    switch (n->op) {
    case ZL_OP_ADD: sum_put(w, n, wide); break;
    case ZL_OP_TIMES:
        if (n->number < 0) zl_puts(w->out, wide ? "0ull - (" : "0u - (");
        times_put(w, n->a, zl_magnitude(n->number), wide);
        if (n->number < 0) zl_puts(w->out, ")");
        break;
    case ZL_OP_RIGHT:
        node_put(w, n->a, wide);
        zl_putf(w->out, " >> %u", (unsigned)n->number);
        break;
    case ZL_OP_OVER: by_number_put(w, n->a, " / ", (uint64_t)n->number, wide); break;
    case ZL_OP_AND: by_number_put(w, n->a, " & ", (uint64_t)n->number, wide); break;
    case ZL_OP_OR: two_put(w, n->a, " | ", n->b, wide); break;
    case ZL_OP_XOR: two_put(w, n->a, " ^ ", n->b, wide); break;
    case ZL_OP_LESS: two_put(w, n->a, " < ", n->b, wide); break;
    case ZL_OP_SAME: two_put(w, n->a, " == ", n->b, wide); break;
    case ZL_OP_BOTH: two_put(w, n->a, " & ", n->b, false); break;
    case ZL_OP_EITHER: two_put(w, n->a, " | ", n->b, false); break;
    case ZL_OP_CHOOSE:
        node_put(w, n->a, false);
        zl_puts(w->out, " ? ");
        two_put(w, n->b, " : ", n->c, wide);
        break;
    case ZL_OP_NUMBER:
    case ZL_OP_ARGUMENT: break;
    }
}

/* Whether an operand that is no number needs 64 bits. */
static bool needs_wide(const writer *w, const zl_graph_node *n)
{
    const zl_vertex side[] = {n->a, n->b, n->c};
    for (size_t i = n->op == ZL_OP_CHOOSE; i < ZL_COUNT(side); i++)
        if (is_wide(w, side[i]) && at(w, side[i])->op != ZL_OP_NUMBER) return true;
    return false;
}

static void value_put(writer *w, zl_vertex t)
{
    const zl_graph_node *n = at(w, t);
    bool wide = is_wide(w, t) || (n->op != ZL_OP_BOTH && n->op != ZL_OP_EITHER && needs_wide(w, n));
    bool cut = wide && !is_wide(w, t) && !zl_graph_is_condition(n->op);
    if (cut) zl_puts(w->out, "(unsigned)(");
    operation_put(w, n, wide);
    if (cut) zl_puts(w->out, ")");
}

/* A node as an operand of 32 or 64 bits. */
static void node_put(writer *w, zl_vertex t, bool wide)
{
    const zl_graph_node *n = at(w, t);
    if (n->op == ZL_OP_NUMBER) {
        number_put(w, (uint64_t)n->number, wide, false);
        return;
    }
    if (wide && !is_wide(w, t)) zl_puts(w->out, "(unsigned long long)");
    if (n->op == ZL_OP_ARGUMENT) zl_putf(w->out, "i%u", (unsigned)n->number);
    else if (w->constant[t]) {
        zl_putf(w->out, "t%u", (unsigned)w->constant[t] - 1);
    } else {
        zl_puts(w->out, "(");
        value_put(w, t);
        zl_puts(w->out, ")");
    }
}

/* ---- the function --------------------------------------------------------------------------- */

/* Numbers the nodes that are constants. */
static void name_constants(writer *w)
{
    uint32_t depth[ZL_GRAPH_NODES] = {0}, next = 0;
    for (uint32_t i = 0; i < w->f->graph->count; i++) {
        const zl_graph_node *n = at(w, i);
        if (n->op <= ZL_OP_ARGUMENT || !w->uses[i]) continue;
        depth[i] = 1 + zl_max32(depth[n->a], zl_max32(depth[n->b], depth[n->c]));
        bool alone = w->uses[i] > 1 || depth[i] > DEPTH_MOST || n->op == ZL_OP_CHOOSE;
        if (!alone || i == w->f->root) continue;
        w->constant[i] = ++next;
        depth[i] = 0;
    }
}

static const char *word_of(const writer *w, zl_vertex t)
{
    if (zl_graph_is_condition(at(w, t)->op)) return "bool";
    return is_wide(w, t) ? "unsigned long long" : "unsigned";
}

static void constants_put(writer *w)
{
    for (uint32_t i = 0; i < w->f->graph->count; i++) {
        if (!w->constant[i]) continue;
        zl_putf(w->out, "    const %s t%u = ", word_of(w, i), (unsigned)w->constant[i] - 1);
        value_put(w, i);
        zl_puts(w->out, ";\n");
    }
}

static void parameters_put(writer *w)
{
    for (size_t i = 0; i < w->f->arguments; i++)
        zl_putf(w->out, "%sunsigned%s i%zu", i ? ", " : "",
                zl_argument_is_wide(w->f->extent[i]) ? " long long" : "", i);
    if (!w->f->arguments) zl_puts(w->out, "void");
}

/* A parameter that the value does not depend on is named all the same. */
static void idle_put(writer *w)
{
    bool used[ZL_GRAPH_ARGUMENTS] = {false};
    for (uint32_t i = 0; i < w->f->graph->count; i++)
        if (at(w, i)->op == ZL_OP_ARGUMENT && w->uses[i]) used[at(w, i)->number] = true;
    for (size_t i = 0; i < w->f->arguments; i++)
        if (!used[i]) zl_putf(w->out, "    (void)i%zu;\n", i);
}

static void result_put(writer *w)
{
    const zl_graph_node *n = at(w, w->f->root);
    const char *type = zl_formula_type(w->f);
    bool cast = *type == 'i' || *type == 'l';
    zl_puts(w->out, "    return ");
    if (cast) zl_putf(w->out, "(%s)(", type);
    if (n->op <= ZL_OP_ARGUMENT) node_put(w, w->f->root, is_wide(w, w->f->root));
    else value_put(w, w->f->root);
    zl_puts(w->out, cast ? ");\n" : ";\n");
}

void zl_formula_print_c(zl_text *out, const zl_formula *f, const zl_function_name *name)
{
    writer w = {.out = out, .f = f};
    zl_graph_uses(f->graph, f->root, w.uses);
    name_constants(&w);
    zl_putf(out, "static __device__ __forceinline__ __attribute__((unused)) %s ", zl_formula_type(f));
    zl_function_name_put(out, name);
    zl_puts(out, "(");
    parameters_put(&w);
    zl_puts(out, ")\n{\n");
    idle_put(&w);
    constants_put(&w);
    result_put(&w);
    zl_puts(out, "}\n");
}
