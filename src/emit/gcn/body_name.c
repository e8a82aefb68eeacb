/* SPDX-License-Identifier: Apache-2.0 */
/* What the values of a body are called in its text, and how a row of instructions on them is printed: operands by number,
 * scratch registers and constants by letter, with the wait states that an instruction owes to those before it. */
#include "emit/gcn/body.h"
#include "base/arith.h"

#include <string.h>
#include <zlay/hazard.h>

/* ---- names ------------------------------------------------------------------------------------ */

static const zl_body_node *node_of(const zl_gb *g, int32_t node) { return &g->body->nodes[node]; }

uint32_t zl_gb_bound(const zl_gb *g, int32_t operand, const zl_body_node *n, uint32_t i)
{
    return g->bound[operand] + (n->shape == ZL_ON_BOTH ? g->run / zl_room_pack(n) : 0) + i;
}

/* The operand in whose registers a node's values lie: one that is bound, as it is read, or as a matrix of results; -1. */
static int32_t place_of(const zl_gb *g, int32_t node)
{
    const zl_body_node *n = node_of(g, node);
    if (!g->bound) return -1;
    if (n->op == ZL_BO_OPERAND && n->shape) return g->bound[n->operand] == ZL_GB_OWN ? -1 : n->operand;
    for (uint32_t i = 0; n->shape == ZL_ON_BOTH && i < g->outputs.count; i++)
        if (g->outputs.node[i] == node) return g->outputs.operand[i];
    return -1;
}

uint32_t zl_gb_register(const zl_gb *g, int32_t node, uint32_t i)
{
    const zl_body_node *n = node_of(g, node);
    uint32_t at = g->room->first[node] + i;
    int32_t place = place_of(g, node);
    if (place >= 0) return zl_gb_bound(g, place, n, i);
    return n->type == ZL_BODY_BOOL ? g->masks + 2 * at : g->base + at;
}

/* A text of at most ZL_GB_TEXT bytes. */
static const char *named(char room[ZL_GB_TEXT], const char *format, ...) ZL_PRINTF(2, 3);
static const char *named(char room[ZL_GB_TEXT], const char *format, ...)
{
    zl_text text = {room, ZL_GB_TEXT - 1, 0};
    va_list args;
    va_start(args, format);
    zl_vputf(&text, format, args);
    va_end(args);
    room[text.need] = 0;
    return room;
}

const char *zl_gb_vector(char room[ZL_GB_TEXT], uint32_t number) { return named(room, "v%u", number); }

const char *zl_gb_pair(char room[ZL_GB_TEXT], uint32_t number)
{
    return named(room, "s[%u:%u]", number, number + 1);
}

const char *zl_gb_number(char room[ZL_GB_TEXT], uint32_t number) { return named(room, "0x%x", number); }

const char *zl_gb_decimal(char room[ZL_GB_TEXT], uint32_t number) { return named(room, "%u", number); }

const char *zl_gb_name(const zl_gb *g, char room[ZL_GB_TEXT], int32_t node, uint32_t i)
{
    uint32_t number = zl_gb_register(g, node, i);
    return node_of(g, node)->type == ZL_BODY_BOOL ? zl_gb_pair(room, number)
                                                  : zl_gb_vector(room, number);
}

/* Which value of an operand of another shape element `of` of the run reads. */
static uint32_t index_at(const zl_gb *g, const zl_body_node *arg, uint32_t of)
{
    if (zl_room_moves(arg)) return of;
    return arg->shape & ZL_ON_ROW ? g->elements->row.of[g->run + of] : 0;
}

const char *zl_gb_operand(zl_gb *g, char room[ZL_GB_TEXT], int32_t arg, const zl_body_node *n,
                          uint32_t i, uint32_t temp)
{
    const zl_body_node *a = node_of(g, arg);
    char low[ZL_GB_TEXT], high[ZL_GB_TEXT];
    if (n->shape != ZL_ON_BOTH) return zl_gb_name(g, room, arg, a->shape ? i : 0);
    if (a->shape == ZL_ON_BOTH) return zl_gb_name(g, room, arg, i);
    uint32_t pack = zl_room_pack(n), first = index_at(g, a, i * pack);
    uint32_t last = index_at(g, a, i * pack + pack - 1);
    if (pack == 1 || first == last || zl_body_class(a->type) != ZL_BODY_HALF)
        return zl_gb_name(g, room, arg, first);
    zl_gb_vector(room, ZL_GB_TEMP + temp);
    zl_gb_says(g, "v_bfi_b32 %0, %h, %1, %2", room, zl_gb_name(g, low, arg, first),
               zl_gb_name(g, high, arg, last));
    return room;
}

/* ---- instructions ------------------------------------------------------------------------------- */

enum { LINE = 256 };

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

static bool is_trans(const char *text)
{
    static const char *const names[] = {"v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_"};
    for (size_t i = 0; i < ZL_COUNT(names); i++)
        if (begins(text, names[i])) return true;
    return false;
}

/* What the letter behind % stands for: an operand, a scratch register or a constant. */
static void put_word(zl_text *out, char word, const char *const *operands)
{
    if (word >= '0' && word <= '9') zl_puts(out, operands[word - '0']);
    else if (word >= 't' && word < 't' + ZL_GB_TEMPS) zl_putf(out, "v%d", ZL_GB_TEMP + word - 't');
    else if (word == 'n') zl_putf(out, "v%d", ZL_GB_NAN);
    else zl_putf(out, "s%d", word == 'h' ? ZL_S_HALF : word == 'p' ? ZL_S_PAIR : ZL_S_ROUND);
}

/* Prints one instruction behind the states that it owes; every vector instruction may read what a transcendental wrote, or
 * write what a wide store reads. */
static void instruction(zl_gb *g, const char *line)
{
    bool vector = begins(line, "v_"), trans = is_trans(line);
    if (begins(line, "v_cndmask"))
        zl_wave_hold(g->t, ZLAY_FIRST_VALU_SGPR, ZLAY_THEN_VALU_SGPR, g->mask_at);
    if (vector && !trans)
        zl_wave_hold(g->t, ZLAY_FIRST_TRANS, ZLAY_THEN_VALU_READS, g->trans_at);
    if (vector)
        zl_wave_hold(g->t, ZLAY_FIRST_STORE_WIDE, ZLAY_THEN_VALU_WRITES, g->wide_at);
    zl_wave_line(g->t, "%s", line);
    if (begins(line, "v_cmp")) g->mask_at = g->t->printed;
    if (trans) g->trans_at = g->t->printed;
}

void zl_gb_say(zl_gb *g, const char *text, const char *const *operands)
{
    while (*text) {
        char line[LINE];
        zl_text out = {line, sizeof line - 1, 0};
        while (*text && *text != ';') {
            size_t plain = strcspn(text, "%;");
            zl_put(&out, text, plain);
            text += plain;
            if (*text != '%') continue;
            put_word(&out, text[1], operands);
            text += 2;
        }
        line[out.need] = 0;
        instruction(g, line);
        if (*text) text += strspn(text, "; ");
    }
}

void zl_gb_refuse(zl_gb *g, const char *what, int32_t type)
{
    bool narrow = zlay_type_bits(type) < 32;
    if (*g->t->status) return;
    *g->t->status = zl_fail(g->t->ctx, ZLAY_ENOTSUP, "body %.64s: %s of %s; %s has no such instruction%s",
                            g->body->name, what, zl_body_type_name(type),
                            zlay_target_name(g->t->target),
                            narrow ? ": compute in f32" : "");
}

/* The sum of what the bits of the thread's number add, moved together where they stand side by side. */
void zl_gb_coordinate(zl_gb *g, uint32_t to, const zl_element_axis *axis)
{
    zl_wave_line(g->t, "v_mov_b32 v%u, 0x%x", to, axis->offset[0]);
    for (uint32_t b = 0, run; 1u << b < g->elements->threads; b += run) {
        run = zl_element_run(axis->bit, b);
        if (!axis->bit[b]) continue;
        zl_wave_line(g->t, "v_bfe_u32 v%d, v%d, %u, %u", ZL_GB_NOWHERE, ZL_GB_THREAD, b, run);
        zl_wave_line(g->t, "v_lshl_add_u32 v%u, v%d, %u, v%u", to, ZL_GB_NOWHERE,
                     zl_log2(axis->bit[b]), to);
    }
}
