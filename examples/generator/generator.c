/* SPDX-License-Identifier: Apache-2.0 */
/* generator.c: a kernel generator, from an expression to a kernel. D[row][col] = EXPRESSION of x, the sum of A B there; of
 * `name`, an argument of the kernel; and of `name[row]` or `name[col]`, vectors in memory. The expression becomes a tree. One
 * back end prints it as a body, with which zlay plans, proves and prints the GEMM; the other evaluates it in double, and is
 * compared with zlay's model of the body, whose values are those of the instructions.
 * Build: cc -o generator generator.c $(pkg-config --cflags --libs zlay) -lm
 * Run: ./generator ['silu(alpha * x + bias[col]) * gate[row]' [M N K]]   also relu, tanh, abs, max, min; + - * and numbers
 * It writes generated.ptx and prints one line: `128 of 128 elements agree; kernel of 30123 bytes for sm_90a`. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/zlay.h>

enum { MOST = 64, ROWS = 8, COLUMNS = 16, TEXT = 16384 };

typedef struct node {
    char op; /* n number, x sum, a argument, r and c vectors; + - * and f function */
    int function, a, b;
    double number;
    char name[32];
} node;

typedef struct tree {
    node node[MOST];
    int count;
    const char *at;    /* what is still to be read */
    const char *wrong; /* NULL: nothing */
} tree;

/* What a body says for each, and C. */
static const struct {
    const char *name, *body;
    int arguments;
} functions[] = {
    {"relu", "max(%1$s, 0)", 1}, {"silu", "%1$s * rcp(1 + exp2(%1$s * -1.44269504))", 1},
    {"tanh", "tanh(%1$s)", 1},   {"abs", "abs(%1$s)", 1},
    {"max", "max(%1$s, %2$s)", 2}, {"min", "min(%1$s, %2$s)", 2},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static double function_of(int function, double a, double b)
{
    switch (function) {
    case 0: return fmax(a, 0);
    case 1: return a / (1 + exp(-a));
    case 2: return tanh(a);
    case 3: return fabs(a);
    case 4: return fmax(a, b);
    default: return fmin(a, b);
    }
}

static int fails(tree *t, const char *why)
{
    if (!t->wrong) t->wrong = why;
    return 0;
}

static int add(tree *t, node made)
{
    for (int i = 0; i < t->count; i++) /* what stands twice is one node, and is computed once */
        if (!memcmp(&t->node[i], &made, sizeof made)) return i;
    if (t->count == MOST) return fails(t, "more than 64 parts");
    t->node[t->count] = made;
    return t->count++;
}

static int next_is(tree *t, char c)
{
    while (*t->at == ' ') t->at++;
    if (*t->at != c) return 0;
    t->at++;
    return 1;
}

static int expression(tree *t, int depth);

static int call(tree *t, node made, int depth)
{
    made.op = 'f';
    while (made.function < FUNCTIONS && strcmp(functions[made.function].name, made.name)) made.function++;
    if (made.function == FUNCTIONS) return fails(t, "a function that there is not");
    memset(made.name, 0, sizeof made.name);
    made.a = expression(t, depth);
    made.b = made.a;
    if (functions[made.function].arguments == 2)
        made.b = next_is(t, ',') ? expression(t, depth) : fails(t, "a function of two takes two");
    return next_is(t, ')') ? add(t, made) : fails(t, "a ')' is missing");
}

static int named(tree *t, int depth)
{
    node made = {.op = 'a'};
    for (size_t i = 0; isalnum((unsigned char)*t->at); t->at++, i++) {
        if (i + 1 >= sizeof made.name) return fails(t, "a name of more than 31 letters");
        made.name[i] = *t->at;
    }
    if (next_is(t, '(')) return call(t, made, depth);
    if (!strcmp(made.name, "x")) return add(t, (node){.op = 'x'});
    if (!next_is(t, '[')) return add(t, made);
    made.op = strncmp(t->at, "row]", 4) ? strncmp(t->at, "col]", 4) ? 0 : 'c' : 'r';
    t->at += made.op ? 4 : 0;
    return made.op ? add(t, made) : fails(t, "an index is row or col");
}

static int factor(tree *t, int depth)
{
    if (depth > 32) return fails(t, "nested more than 32 deep");
    if (next_is(t, '(')) {
        const int inner = expression(t, depth + 1);
        return next_is(t, ')') ? inner : fails(t, "a ')' is missing");
    }
    if (isalpha((unsigned char)*t->at)) return named(t, depth + 1);
    char *end;
    node made = {.op = 'n', .number = strtod(t->at, &end)};
    if (end == t->at || !isfinite(made.number)) return fails(t, "expected a number, a name or '('");
    t->at = end;
    return add(t, made);
}

/* A binary node; of two numbers the number. */
static int joined(tree *t, char op, int a, int b)
{
    const double l = t->node[a].number, r = t->node[b].number;
    if (t->node[a].op == 'n' && t->node[b].op == 'n')
        return add(t, (node){.op = 'n', .number = op == '+' ? l + r : op == '-' ? l - r : l * r});
    return add(t, (node){.op = op, .a = a, .b = b});
}

static int term(tree *t, int depth)
{
    int left = factor(t, depth);
    while (!t->wrong && next_is(t, '*')) left = joined(t, '*', left, factor(t, depth));
    return left;
}

static int expression(tree *t, int depth)
{
    int left = term(t, depth);
    while (!t->wrong) {
        const char op = next_is(t, '+') ? '+' : next_is(t, '-') ? '-' : 0;
        if (!op) break;
        left = joined(t, op, left, term(t, depth));
    }
    return left;
}

typedef struct body_text {
    char bytes[TEXT]; /* 64 lines of at most 100 bytes, and their operands */
    size_t used;
} body_text;

#define PRINT(out, ...) ((out)->used += (size_t)snprintf((out)->bytes + (out)->used, TEXT - (out)->used, __VA_ARGS__))

/* How a node is named where it is used: all but leaves have a line of their own. */
static const char *use(char room[40], const tree *t, int i)
{
    const node *n = &t->node[i];
    if (n->op == 'n') snprintf(room, 40, "%.9g", n->number);
    else if (n->op == 'a') snprintf(room, 40, "%s", n->name);
    else if (n->op == 'x') snprintf(room, 40, "S");
    else snprintf(room, 40, "v%d", i);
    return room;
}

static void print_node(body_text *out, const tree *t, int i)
{
    char a[40], b[40];
    const node *n = &t->node[i];
    if (strchr("nxa", n->op)) return;
    PRINT(out, "  v%d = ", i);
    if (n->op == 'r') PRINT(out, "load(%s, i + row, m)", n->name);
    else if (n->op == 'c') PRINT(out, "load(%s, j + col, n)", n->name);
    else if (n->op == 'f') PRINT(out, functions[n->function].body, use(a, t, n->a), use(b, t, n->b));
    else PRINT(out, "%s %c %s", use(a, t, n->a), n->op, use(b, t, n->b));
    PRINT(out, "\n");
}

/* Operands in the order that check() fills: matrices, the sizes, arguments, vectors, indices. */
static void print_body(body_text *out, const tree *t, int root)
{
    char result[40];
    PRINT(out, "body generated\n  matrix S f32\n  matrix R bf16\n  scalar m s32\n  scalar n s32\n");
    for (int i = 0; i < t->count; i++)
        if (t->node[i].op == 'a') PRINT(out, "  scalar %s f32\n", t->node[i].name);
    for (int i = 0; i < t->count; i++)
        if (strchr("rc", t->node[i].op)) PRINT(out, "  global %s f32\n", t->node[i].name);
    PRINT(out, "  index i\n  index j\n");
    for (int i = 0; i < t->count; i++) print_node(out, t, i);
    PRINT(out, "  R = bf16(%s)\nend\n", use(result, t, root));
}

/* Values between -2 and 2 that f32 has: of what, by a number and an index. */
static double drawn(int what, int index) { return (double)((what * 7919 + index * 104729) % 4001 - 2000) / 1024; }

/* Of a node; those that it is made of stand before it. */
static double value(const tree *t, int root, int row, int column)
{
    double v[MOST];
    for (int i = 0; i <= root; i++) {
        const node *n = &t->node[i];
        v[i] = n->op == 'n'   ? n->number
               : n->op == 'x' ? drawn(-1, row * COLUMNS + column + 100)
               : n->op == 'a' ? drawn(i, 0)
               : n->op == 'r' || n->op == 'c' ? drawn(i, n->op == 'r' ? row : column)
               : n->op == '+' ? v[n->a] + v[n->b]
               : n->op == '-' ? v[n->a] - v[n->b]
               : n->op == '*' ? v[n->a] * v[n->b]
                              : function_of(n->function, v[n->a], v[n->b]);
    }
    return v[root];
}

static zlay_interval intervals[MOST + 8][ROWS * COLUMNS];

static void fill(zlay_sim_operand *operand, size_t count, int what, double one)
{
    zlay_interval *at = intervals[operand->count];
    *operand = (zlay_sim_operand){at, count};
    for (size_t k = 0; k < count; k++) at[k].low = at[k].high = what == MOST ? one : drawn(what, (int)k + (what < 0 ? 100 : 0));
}

/* How many elements of a tile of 8 x 16 the model and the tree agree on: to the rounding of bf16, and 2^-18 of what
 * approximations may err. */
static int check(zlay_ctx *ctx, const tree *t, int root, const zlay_body *body)
{
    zlay_sim_operand operands[MOST + 8];
    size_t count = 0;
    zlay_layout *fragment = NULL;
#define OPERAND(entries, what, one) (operands[count].count = count, fill(&operands[count], entries, what, one), count++)
    OPERAND(ROWS * COLUMNS, -1, 0), OPERAND(ROWS * COLUMNS, MOST, 0);
    OPERAND(1, MOST, ROWS), OPERAND(1, MOST, COLUMNS);
    for (int i = 0; i < t->count; i++)
        if (t->node[i].op == 'a') OPERAND(1, i, 0);
    for (int i = 0; i < t->count; i++)
        if (strchr("rc", t->node[i].op)) OPERAND(t->node[i].op == 'r' ? ROWS : COLUMNS, i, 0);
    OPERAND(1, MOST, 0), OPERAND(1, MOST, 0);
    zlay_sim_body_request request = {.size = sizeof request, .rows = ROWS, .columns = COLUMNS};
    zlay_status status = zlay_layout_parse(ctx, &fragment, "(32,4):(1,32)", 13);
    request.fragment = fragment;
    if (!status) status = zlay_sim_body(ctx, operands, count, body, &request);
    int agree = status ? -1 : 0;
    for (int k = 0; k < ROWS * COLUMNS && !status; k++) {
        const double want = value(t, root, k / COLUMNS, k % COLUMNS), slack = fabs(want) / 256 + 1.0 / (1 << 18);
        agree += intervals[1][k].low <= want + slack && want - slack <= intervals[1][k].high;
    }
    zlay_layout_free(fragment);
    return agree;
}

static int written(zlay_ctx *ctx, const zlay_plan *plan, size_t *length)
{
    static char bytes[1 << 20];
    zlay_buf text = {bytes, sizeof bytes, 0};
    FILE *file = zlay_emit_ptx(ctx, &text, plan, "generated", 9) ? NULL : fopen("generated.ptx", "w");
    *length = text.need;
    const int good = file && fwrite(bytes, 1, text.need, file) == text.need;
    return file && !fclose(file) && good;
}

static int generate(zlay_ctx *ctx, const tree *t, int root, zlay_gemm *gemm)
{
    static body_text text;
    zlay_body *body = NULL;
    zlay_plan *plan = NULL;
    const zlay_target *target;
    size_t length = 0;
    print_body(&text, t, root);
    gemm->epilogue = text.bytes;
    gemm->epilogue_length = text.used;
    zlay_status status = zlay_target_find(&target, "sm_90a", 6);
    if (!status) status = zlay_body_parse(ctx, &body, text.bytes, text.used);
    const int agree = status ? -1 : check(ctx, t, root, body);
    if (agree >= 0) status = zlay_gemm_synth(ctx, &plan, target, gemm);
    const int good = agree >= 0 && !status && written(ctx, plan, &length);
    if (good) printf("%d of %d elements agree; kernel of %zu bytes for sm_90a\n", agree, ROWS * COLUMNS, length);
    else fprintf(stderr, "generator: %s\n%s", zlay_ctx_message(ctx), text.bytes);
    zlay_plan_free(plan);
    zlay_body_free(body);
    return good && agree == ROWS * COLUMNS;
}

int main(int argc, char **argv)
{
    static tree t;
    zlay_ctx *ctx;
    uint64_t size[3] = {4096, 4096, 4096};
    for (int i = 2; i < argc && i < 5; i++) size[i - 2] = strtoull(argv[i], NULL, 10);
    zlay_gemm gemm = {.size = sizeof gemm, .m = size[0], .n = size[1], .k = size[2]};
    t.at = argc > 1 ? argv[1] : "silu(alpha * x + bias[col]) * gate[row]";
    const int root = expression(&t, 0);
    if (!t.wrong && *t.at) t.wrong = "something is left over";
    if (t.wrong) fprintf(stderr, "generator: %s, at '%s'\n", t.wrong, t.at);
    if (t.wrong || zlay_ctx_new(&ctx, NULL, NULL)) return 2;
    const int status = generate(ctx, &t, root, &gemm) ? 0 : 2;
    zlay_ctx_free(ctx);
    return status;
}
