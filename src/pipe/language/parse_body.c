/* SPDX-License-Identifier: Apache-2.0 */
/* Parses what a pipe says of bodies: declarations, whose lines src/body reads, and uses. A use of
 * several registers is an event for each, which every proof takes one by one, and a `read` for each
 * stage that the body loads from; the first event has the body and its positions. */
#include "pipe/language/parse.h"

#include <string.h>

const char *const zl_block_words[ZL_BLOCK_WORDS] = {"block", "block.y", "block.z", "tile.row",
                                                   "tile.column", "tile.group", "block.last"};

static bool bad(zl_parser *p, const char *what)
{
    return zl_parse_fail(p, ZLAY_EINVAL, what);
}

bool zl_parse_body(zl_parser *p)
{
    char name[65];
    if (!zl_parse_new_name(p, name)) return false;
    p->status = zl_body_begin(p->at.ctx, &p->reading, &p->at, name);
    return !p->status;
}

static bool end_body(zl_parser *p)
{
    zl_body_end(&p->reading);
    p->status = p->reading.status;
    zl_body_name *entry = p->status ? NULL : ZL_MORE(p, ZL_OF_BODY, bodies);
    if (!entry) return false;
    strcpy(entry->name, p->reading.body->name);
    entry->body = p->reading.body;
    p->reading.body = NULL;
    return true;
}

bool zl_parse_body_line(zl_parser *p)
{
    if (zl_cursor_keyword(&p->at, "end")) return end_body(p);
    zl_body_line_read(&p->reading);
    p->status = p->reading.status;
    return !p->status;
}

bool zl_parse_accs(zl_parser *p, zl_event *e)
{
    p->list_count = 0;
    do {
        int32_t acc = -1;
        if (p->list_count == ZL_BODY_OPERANDS)
            return zl_parse_fail(p, ZLAY_ELIMIT, "more than 32 names of registers");
        if (!zl_parse_acc(p, &acc)) return false;
        for (uint32_t i = 0; i < p->list_count; i++)
            if (p->list[i] == acc) return bad(p, "registers are named twice");
        p->list[p->list_count++] = acc;
    } while (zl_cursor_symbol(&p->at, ","));
    e->acc = p->list[0];
    e->uses = p->list_count;
    return true;
}

/* Operands of a sort; of registers where it is 0. */
static uint32_t count_operands(const zlay_body *body, int32_t sort)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < body->operands_count; i++) {
        int32_t own = body->operands[i].sort;
        count += sort ? own == sort : own < ZLAY_BODY_SCALAR;
    }
    return count;
}

/* `reads SMEM[e], ..`: the stages that the body loads from. */
static bool read_stages(zl_parser *p, zl_event *e)
{
    char name[65];
    if (!zl_cursor_keyword(&p->at, "reads")) return true;
    do {
        if (e->reads == ZL_PIPE_STAGES)
            return zl_parse_fail(p, ZLAY_ELIMIT, "more than 8 stages of a body");
        struct zl_stage_read *r = &p->stage[e->reads++];
        if (!zl_parse_name(p, name)) return false;
        r->smem = zl_find(p->pipe, ZL_OF_SMEM, name);
        if (r->smem < 0) return bad(p, "no such smem");
        if (!zl_parse_slot(p, &r->at, p->pipe->smems[r->smem].stages)) return false;
    } while (zl_cursor_symbol(&p->at, ","));
    return true;
}

/* A position, perhaps modulo a param, or the number of the block. */
static bool read_index(zl_parser *p, zl_event *e)
{
    if (e->indices == ZL_PIPE_INDICES)
        return zl_parse_fail(p, ZLAY_ELIMIT, "more than 4 positions of a body");
    int32_t *modulo = &e->modulo[e->indices];
    zl_pos *pos = &e->index[e->indices++];
    *modulo = -1;
    for (int i = 0; i < ZL_BLOCK_WORDS; i++)
        if (zl_cursor_keyword(&p->at, zl_block_words[i])) {
            *pos = (zl_pos){ZL_POS_BLOCK - i, -1, -1, 0, 0};
            return true;
        }
    return zl_parse_modulo(p, pos, modulo);
}

/* `when POS < POS`: the body runs where that holds. A body uses registers alone, so a proof that
 * it runs always holds. */
static bool read_when(zl_parser *p, zl_event *e)
{
    if (!zl_cursor_keyword(&p->at, "when")) return true;
    e->when = 1;
    return zl_parse_bare(p, &e->bar_at) && zl_parse_symbol(p, "<") && zl_parse_bare(p, &e->parity);
}

static bool read_body(zl_parser *p, zl_event *e)
{
    char name[65];
    if (!zl_parse_name(p, name)) return false;
    e->body = zl_find(p->pipe, ZL_OF_BODY, name);
    if (e->body < 0) return bad(p, "no such body");
    if (!read_stages(p, e)) return false;
    if (zl_cursor_keyword(&p->at, "at")) do
            if (!read_index(p, e)) return false;
        while (zl_cursor_symbol(&p->at, ","));
    const zlay_body *body = p->pipe->bodies[e->body].body;
    if (count_operands(body, 0) != e->uses)
        return bad(p, "the body has another number of matrices, rows, columns and parts");
    if (count_operands(body, ZLAY_BODY_SHARED) != e->reads)
        return bad(p, "the body has another number of stages that it loads from");
    if (count_operands(body, ZLAY_BODY_INDEX) != e->indices)
        return bad(p, "the body has another number of indices");
    return read_when(p, e);
}

bool zl_parse_use(zl_parser *p, zl_event *e)
{
    if (zl_cursor_keyword(&p->at, "body")) return read_body(p, e);
    return !zl_cursor_keyword(&p->at, "by") || zl_parse_name(p, e->name);
}

static zl_event *join(zl_parser *p, uint32_t first, zl_event_kind kind)
{
    uint32_t number = p->pipe->events_count - first;
    zl_event *e = zl_parse_new_event(p, kind);
    if (!e) return NULL;
    e->line = p->pipe->events[first].line;
    e->joined = number;
    return e;
}

bool zl_parse_joined(zl_parser *p, uint32_t first)
{
    uint32_t reads = p->pipe->events[first].reads, uses = p->pipe->events[first].uses;
    for (uint32_t i = p->pipe->events[first].kind == ZL_EV_USE; i < uses; i++) {
        zl_event *e = join(p, first, ZL_EV_USE);
        if (!e) return false;
        e->acc = p->list[i];
    }
    for (uint32_t i = 0; i < reads; i++) {
        zl_event *e = join(p, first, ZL_EV_READ);
        if (!e) return false;
        e->smem[0] = p->stage[i].smem;
        e->at[0] = p->stage[i].at;
    }
    return true;
}
