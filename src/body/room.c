/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the registers of a body's values (room.h): passes follow from the reductions that a value depends on; which
 * pass needs which node is found backwards from what the pass ends with; registers of elements are taken and given back
 * in the order of the nodes, each the first that are free (linear scan). */
#include "body/room.h"

enum { WORD_BITS = 32, REGISTERS = 1024 };

uint32_t zl_room_pack(const zl_body_node *n)
{
    if (n->type == ZL_BODY_BOOL || n->shape != ZL_ON_BOTH) return 1;
    return WORD_BITS / zlay_type_bits(n->type);
}

uint32_t zl_room_count(const zl_body_node *n, const zl_elements *e)
{
    if (n->op == ZL_BO_STORE) return 0;
    if (zl_room_moves(n)) return ZL_ROOM_RUN / zl_room_pack(n);
    return n->shape & ZL_ON_ROW ? e->row.count : 1;
}

int32_t zl_body_last(const zlay_body *body, uint32_t operand)
{
    for (uint32_t i = body->lines_count; i-- > 0;)
        if (body->lines[i].operand == (int32_t)operand) return body->lines[i].node;
    return -1;
}

/* ---- passes --------------------------------------------------------------------------------- */

static bool reduces(const zl_body_node *n) { return zl_body_forms[n->op].kind == ZL_BODY_REDUCE; }

static void levels(zl_room *room, const zlay_body *body)
{
    for (uint32_t i = 0; i < body->nodes_count; i++) {
        const zl_body_node *n = &body->nodes[i];
        room->level[i] = 0;
        for (int a = 0; a < ZL_BODY_ARGS && n->arg[a] >= 0; a++) {
            uint32_t level = room->level[n->arg[a]] + reduces(n);
            if (level > room->level[i]) room->level[i] = level;
        }
    }
}

/* Marks what outputs and stores need, themselves included; nodes come before those that need them. */
static void need(zl_room *room, const zlay_body *body, const zl_room_outputs *outputs)
{
    for (uint32_t i = 0; i < body->nodes_count; i++) {
        room->passes[i] = 0;
        room->kept[i] = body->nodes[i].op == ZL_BO_STORE;
    }
    for (uint32_t i = 0; i < outputs->count; i++) {
        int32_t output = outputs->node[i];
        if (zl_room_moves(&body->nodes[output])) room->passes[output] |= 1u << room->level[output];
        else room->kept[output] = true;
    }
    for (uint32_t i = body->nodes_count; i-- > 0;) {
        const zl_body_node *n = &body->nodes[i];
        if (!room->passes[i] && !room->kept[i]) continue;
        if (reduces(n)) room->passes[i] = 1u << (room->level[i] - 1);
        for (int a = 0; a < ZL_BODY_ARGS && n->arg[a] >= 0; a++) {
            if (zl_room_moves(&body->nodes[n->arg[a]])) room->passes[n->arg[a]] |= room->passes[i];
            else room->kept[n->arg[a]] = true;
        }
    }
}

/* ---- registers ------------------------------------------------------------------------------- */

typedef struct files {
    uint32_t next[2]; /* registers, masks: behind those that are kept */
    uint32_t most[2];
    bool taken[2][REGISTERS];
} files;

static int file_of(const zl_body_node *n) { return n->type == ZL_BODY_BOOL; }

static bool is_free(const files *f, int file, uint32_t at, uint32_t count)
{
    for (uint32_t i = at; i < at + count && i < REGISTERS; i++)
        if (f->taken[file][i]) return false;
    return true;
}

/* The first registers that are free, side by side; several begin at an even number, as stores want them. */
static uint32_t take(files *f, int file, uint32_t count)
{
    uint32_t by = count > 1 ? 2 : 1, at = (f->next[file] + by - 1) / by * by;
    while (at < REGISTERS && !is_free(f, file, at, count)) at += by;
    for (uint32_t i = at; i < at + count && i < REGISTERS; i++) f->taken[file][i] = true;
    if (at + count > f->most[file]) f->most[file] = at + count;
    return at;
}

static void give(files *f, int file, uint32_t at, uint32_t count)
{
    for (uint32_t i = at; i < at + count && i < REGISTERS; i++) f->taken[file][i] = false;
}

/* Takes registers that no other node gets. */
static void take_for_good(zl_room *room, files *f, uint32_t node, const zl_body_node *n,
                          const zl_elements *e)
{
    uint32_t *next = &f->next[file_of(n)];
    room->first[node] = *next;
    *next += zl_room_count(n, e);
    if (*next > f->most[file_of(n)]) f->most[file_of(n)] = *next;
}

static bool uses(const zl_body_node *n, uint32_t node)
{
    for (int a = 0; a < ZL_BODY_ARGS; a++)
        if (n->arg[a] == (int32_t)node) return true;
    return false;
}

/* Whether a later node of the pass, or its end, reads a node. */
static bool read_later(const zl_room *room, const zlay_body *body, uint32_t node, uint32_t from,
                       const zl_room_outputs *outputs)
{
    for (uint32_t i = 0; i < outputs->count; i++)
        if ((int32_t)node == outputs->node[i]) return true;
    uint32_t passes = room->passes[node];
    for (uint32_t i = from + 1; i < body->nodes_count; i++)
        if (room->passes[i] & passes && uses(&body->nodes[i], node)) return true;
    return false;
}

static void elements(zl_room *room, files *f, const zlay_body *body, const zl_elements *e,
                     const zl_room_outputs *outputs)
{
    for (uint32_t i = 0; i < body->nodes_count; i++) {
        const zl_body_node *n = &body->nodes[i];
        if (!room->passes[i]) continue;
        bool own = n->shape == ZL_ON_BOTH;
        if (own) room->first[i] = take(f, file_of(n), zl_room_count(n, e));
        for (int a = 0; a < ZL_BODY_ARGS && n->arg[a] >= 0; a++) {
            const zl_body_node *arg = &body->nodes[n->arg[a]];
            if (arg->shape == ZL_ON_BOTH && !read_later(room, body, (uint32_t)n->arg[a], i, outputs))
                give(f, file_of(arg), room->first[n->arg[a]], zl_room_count(arg, e));
        }
    }
}

/* The passes behind which outputs are complete; stores come before the pass of their level. */
static void ends(zl_room *room, const zlay_body *body, const zl_room_outputs *outputs)
{
    room->last = room->ends = 0;
    for (uint32_t i = 0; i < body->nodes_count; i++)
        if (body->nodes[i].op == ZL_BO_STORE && room->level[i] > room->last) room->last = room->level[i];
    for (uint32_t i = 0; i < outputs->count; i++) {
        uint32_t level = room->level[outputs->node[i]];
        if (level > room->last) room->last = level;
        if (level < ZL_ROOM_PASSES) room->ends |= 1u << level;
    }
}

zlay_status zl_room_make(zlay_ctx *ctx, zl_room *out, const zlay_body *body, const zl_elements *e,
                         const zl_room_outputs *outputs)
{
    zl_mark mark = zl_scratch_mark(ctx);
    files *f = zl_scratch(ctx, 1, sizeof *f);
    if (!f) return ZLAY_ENOMEM;
    levels(out, body);
    ends(out, body, outputs);
    if (out->last >= ZL_ROOM_PASSES)
        return zl_fail(ctx, ZLAY_ELIMIT, "body %.64s: %u values of rows that depend on each other",
                       body->name, out->last);
    need(out, body, outputs);
    for (uint32_t i = 0; i < body->nodes_count; i++)
        if (out->kept[i]) take_for_good(out, f, i, &body->nodes[i], e);
    for (uint32_t i = 0; i < body->nodes_count; i++)
        if (out->passes[i] && body->nodes[i].shape == ZL_ON_COLUMN)
            take_for_good(out, f, i, &body->nodes[i], e);
    elements(out, f, body, e, outputs);
    out->registers = f->most[0];
    out->masks = f->most[1];
    zl_scratch_release(ctx, mark);
    return ZLAY_OK;
}
