/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the use of a body: its nodes in order, those of one element after another where they are
 * computed element by element, so that few values live at once; then the moves into the registers
 * of its operands. */
#include "emit/pipe/body/body.h"

enum { SETTLED = 64 /* registers of one asm */ };

/* ---- what stands before the nodes --------------------------------------------------------- */

static void declare(zl_pb *t)
{
    for (uint32_t i = 0; i < t->body->nodes_count; i++) {
        const zl_body_node *n = &t->body->nodes[i];
        bool condition = n->type == ZL_BODY_BOOL;
        if (n->op == ZL_BO_STORE) continue;
        if (n->op == ZL_BO_OPERAND && t->acc[n->operand] >= 0) continue;
        if (n->op == ZL_BO_NUMBER && zl_body_class(n->type) != ZL_BODY_HALF) continue;
        if (t->k->c)
            zl_pt_line(t->k, "uint32_t %c%u[%u];", condition ? 'p' : 'v', i, zl_pb_count(t, n));
        else
            zl_pt_line(t->k, ".reg %s %c%u_<%u>;", condition ? ".pred" : ".b32",
                       condition ? 'p' : 'v', i, zl_pb_count(t, n));
    }
    zl_pt_line(t->k, t->k->c ? "[[maybe_unused]] uint16_t h[4];" : ".reg .b16 h_<4>;");
}

/* ---- nodes -------------------------------------------------------------------------------- */

static bool by_element(const zl_body_node *n)
{
    zl_body_kind kind = zl_body_forms[n->op].kind;
    return n->shape == ZL_ON_BOTH && n->op != ZL_BO_OPERAND && n->op != ZL_BO_SHARED &&
           kind != ZL_BODY_REDUCE;
}

/* Nodes from `first` to before `last`, each for four elements at a time. */
static void chunks(zl_pb *t, uint32_t first, uint32_t last)
{
    for (uint32_t v = 0; v < t->elements->values; v += ZL_PB_CHUNK)
        for (uint32_t i = first; i < last; i++) {
            const zl_body_node *n = &t->body->nodes[i];
            uint32_t pack = zl_pb_pack(n);
            if (!by_element(n)) continue;
            for (uint32_t j = v / pack; j < (v + ZL_PB_CHUNK) / pack; j++)
                zl_pb_node(t, (int32_t)i, pack == ZL_PB_CHUNK ? j : zl_pb_at(t, j * pack) / pack);
        }
}

static void whole(zl_pb *t, uint32_t node)
{
    const zl_body_node *n = &t->body->nodes[node];
    zl_body_kind kind = zl_body_forms[n->op].kind;
    if (kind == ZL_BODY_REDUCE || kind == ZL_BODY_LANES) {
        zl_pb_reduce(t, (int32_t)node);
        return;
    }
    if (n->op == ZL_BO_SHARED) {
        zl_pb_shared(t, (int32_t)node);
        return;
    }
    for (uint32_t i = 0; i < zl_pb_count(t, n); i++) zl_pb_node(t, (int32_t)node, i);
}

/* A run of nodes of elements ends before a node that is no such, but for numbers and what stands
 * in registers already. */
static void nodes(zl_pb *t)
{
    uint32_t count = t->body->nodes_count;
    for (uint32_t i = 0; i < count;) {
        uint32_t last = i;
        while (last < count && by_element(&t->body->nodes[last])) last++;
        if (last > i) chunks(t, i, last);
        else whole(t, last++);
        i = last;
    }
}

/* ---- moves -------------------------------------------------------------------------------- */

/* The line that gives an operand its last value; -1: none does. */
static int32_t last_line(const zlay_body *body, uint32_t operand)
{
    for (uint32_t i = body->lines_count; i-- > 0;)
        if (body->lines[i].operand == (int32_t)operand) return (int32_t)i;
    return -1;
}

static bool is_same(const zl_body_node *n, uint32_t operand)
{
    return n->op == ZL_BO_OPERAND && n->operand == (int32_t)operand;
}

/* Moves the values of operands that other operands take over into temporaries: a = b, b = a. */
static void save(zl_pb *t, char (*saved)[ZL_PB_NAME], int32_t node, const zl_body_node *as,
                 uint32_t count)
{
    char from[ZL_PB_NAME];
    for (uint32_t i = 0; i < count; i++)
        zl_op(t->k, MOV, zl_pb_temp(t, saved[i]), zl_pb_operand(t, from, node, as, i));
}

/* The value of an operand's last line, in the operand's shape. */
static zl_body_node shaped(const zl_pb *t, uint32_t operand)
{
    const zlay_body_operand *o = &t->body->operands[operand];
    return (zl_body_node){.type = o->type, .shape = zl_body_sort_shape(o->sort)};
}

static void moves(zl_pb *t)
{
    const zlay_body *body = t->body;
    uint32_t room = t->elements->values;
    char(*saved)[ZL_PB_NAME] =
        zl_scratch_plain(t->k->ctx, (size_t)room * body->operands_count, ZL_PB_NAME);
    char to[ZL_PB_NAME], from[ZL_PB_NAME];
    if (!saved) {
        t->k->status = ZLAY_ENOMEM;
        return;
    }
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t o = 0; o < body->operands_count; o++) {
            int32_t line = last_line(body, o), node = line < 0 ? -1 : body->lines[line].node;
            if (node < 0 || is_same(&body->nodes[node], o)) continue;
            zl_body_node as = shaped(t, o);
            uint32_t count = zl_pb_count(t, &as);
            bool taken =
                body->nodes[node].op == ZL_BO_OPERAND && t->acc[body->nodes[node].operand] >= 0;
            if (taken && !pass) save(t, saved + (size_t)o * room, node, &as, count);
            for (uint32_t i = 0; pass && i < count; i++) {
                if (!taken) zl_pb_operand(t, from, node, &as, i);
                zl_op(t->k, MOV, zl_pt_acc(t->k, to, t->acc[o], i),
                      taken ? saved[(size_t)o * room + i] : zl_pb_plain(from));
            }
        }
}

/* ---- accumulators in CUDA C --------------------------------------------------------------- */

/* Registers that an asynchronous product writes hold their values only behind the wait for it, of
 * which a compiler knows nothing. An empty asm that stays in its place makes them anew, so that no
 * arithmetic moves before it. */
static void settle(const zl_pb *t, int32_t acc, uint32_t count)
{
    char name[ZL_PB_NAME];
    for (uint32_t i = 0; i < count; i++) {
        if (i % SETTLED) zl_puts(t->k->out, ", ");
        else zl_putf(t->k->out, "%*sasm volatile(\"\" : ", 4 * ((int)t->k->indent + 1), "");
        zl_putf(t->k->out, "\"+r\"(%s)", zl_pt_acc(t->k, name, acc, i));
        if (i + 1 == count || i % SETTLED == SETTLED - 1)
            zl_puts(t->k->out, " : : \"memory\");\n");
    }
}

static void settle_all(const zl_pb *t)
{
    for (uint32_t o = 0; o < t->body->operands_count; o++) {
        zl_body_node as = shaped(t, o);
        if (t->acc[o] >= 0) settle(t, t->acc[o], zl_pb_count(t, &as));
    }
}

/* ---- a use -------------------------------------------------------------------------------- */

static bool fits(zl_pb *t)
{
    const zl_elements *e = t->elements;
    if (zl_pt_width(t->k) != e->threads)
        zl_pt_fail(t->k, "a matrix in %u threads, and the role's instance has %u", e->threads,
                   zl_pt_width(t->k));
    if (e->values % ZL_PB_CHUNK)
        zl_pt_fail(t->k, "a thread with %u elements of a matrix, no multiple of 4", e->values);
    return !t->k->status;
}

/* The use of a body, with the elements that its thread has. */
static zl_pb use_of(zl_pipe_text *k, const zl_event *event)
{
    zl_pb t = {.k = k, .event = event, .body = k->pipe->bodies[event->body].body};
    zl_pt_bind(event, t.body, t.acc);
    int32_t matrix = k->registers[event->acc].matrix;
    for (uint32_t i = 0; i < t.body->operands_count; i++) {
        if (t.acc[i] < 0 || t.body->operands[i].sort != ZLAY_BODY_MATRIX) continue;
        matrix = k->registers[t.acc[i]].matrix;
        t.folded |= k->registers[t.acc[i]].folded;
    }
    t.elements = &k->matrices[matrix].elements;
    t.divided = zl_role_instances(k->role) > 1 ? k->matrices[matrix].divided : 0;
    return t;
}

/* Whether an event of a role stands in a loop that has no loop inside. */
static bool is_innermost(const zl_pipe_text *k, uint32_t event)
{
    const zl_event *events = k->pipe->events;
    uint32_t before = event, behind = event;
    while (before > k->role->begin && events[before].kind != ZL_EV_FOR && events[before].kind != ZL_EV_END) before--;
    while (behind + 1 < k->role->end && events[behind].kind != ZL_EV_FOR && events[behind].kind != ZL_EV_END) behind++;
    return events[before].kind == ZL_EV_FOR && events[behind].kind == ZL_EV_END;
}

static void keep_loads(zl_pipe_text *k, uint32_t number)
{
    const zl_event *event = &k->pipe->events[number];
    zl_pb t = use_of(k, event);
    k->event = event;
    if (!fits(&t)) return;
    if (is_innermost(k, number)) zl_pb_row_keep(&t);
    for (uint32_t i = 0; i < t.body->nodes_count; i++)
        if (t.body->nodes[i].op == ZL_BO_SHARED) zl_pb_shared_keep(&t, (int32_t)i);
}

void zl_pt_loads(zl_pipe_text *k)
{
    uint32_t loops = 0;
    k->loads = k->kept_rows = 0;
    for (uint32_t i = k->role->begin; i < k->role->end && !k->status; i++) {
        const zl_event *event = &k->pipe->events[i];
        if (event->kind == ZL_EV_FOR) loops++;
        if (event->kind == ZL_EV_END) loops--;
        if (event->kind == ZL_EV_USE && event->body >= 0 && loops) keep_loads(k, i);
    }
    if (k->puts > k->puts_most) k->puts_most = k->puts;
}

void zl_pt_body(zl_pipe_text *k, const zl_event *event)
{
    if (event->name[0]) zl_pt_function_call(k, event);
    if (event->body < 0) return;
    zl_pb t = use_of(k, event);
    if (!fits(&t)) return;
    zl_mark mark = zl_scratch_mark(k->ctx);
    if (event->when) {
        zl_pt_pos(k, &event->parity);
        zl_op(k, MOV, "w0", "pos");
        zl_pt_pos(k, &event->bar_at);
        zl_op(k, LT, "more", "pos", "w0");
        zl_pt_when(k, "more");
    }
    zl_pt_line(k, "{");
    declare(&t);
    if (k->c) settle_all(&t);
    nodes(&t);
    moves(&t);
    zl_pt_line(k, "}");
    if (event->when) zl_pt_when_end(k);
    zl_scratch_release(k->ctx, mark);
}
