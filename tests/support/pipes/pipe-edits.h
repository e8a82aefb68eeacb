/* SPDX-License-Identifier: Apache-2.0 */
/* Every single edit of a pipe: a line dropped, doubled, moved to every other place of its section,
 * swapped with the next; a role, a ring, a parity, an offset, a count, a number of bytes, a scope,
 * a fence, a block, a mask, lanes and columns changed. */
#ifndef TEST_PIPE_EDITS_H
#define TEST_PIPE_EDITS_H

#include "pipe/language/pipe.h"
#include "test.h"

#include <stdbool.h>
#include <string.h>
#include <zlay/pipe.h>

enum { EDIT_DROP, EDIT_DOUBLE, EDIT_MOVE, EDIT_SWAP, EDIT_CHANGE, EDIT_SORTS };
enum { EDIT_TEXT = 1 << 14, EDIT_LINES = 256 };

typedef struct pipe_edit {
    int sort;
    const zl_event *event; /* of the original; NULL: a declaration or a role */
    char what[192];
} pipe_edit;

typedef void pipe_edit_use(void *user, const pipe_edit *edit, const char *text, size_t length);

typedef struct pipe_edits {
    char text[EDIT_TEXT];
    const char *line[EDIT_LINES];
    int lines;
    zlay_pipe *pipe, *changed; /* of the text; the second is edited and put back */
    pipe_edit_use *use;
    void *user;
} pipe_edits;

static inline const char *pipe_edit_name(int sort)
{
    static const char *const names[EDIT_SORTS] = {"drop", "double", "move", "swap", "change"};
    return names[sort];
}

static inline int edit_length(const pipe_edits *e, int line)
{
    return (int)(strchr(e->line[line], '\n') - e->line[line]) + 1;
}

static inline void edit_use(pipe_edits *e, int sort, const zl_event *event, uint32_t line,
                            const char *how, const char *text, size_t length)
{
    pipe_edit edit = {.sort = sort, .event = event};
    const char *at = line ? e->line[line - 1] : "\n";
    while (*at == ' ') at++;
    snprintf(edit.what, sizeof edit.what, "%s%s%s, line %u: %.*s", pipe_edit_name(sort),
             *how ? " " : "", how, line, (int)(strchr(at, '\n') - at), at);
    if (length != strlen(e->text) || memcmp(text, e->text, length) != 0)
        e->use(e->user, &edit, text, length);
}

/* ---- lines ---- */

/* The text with `line` standing also before `place` (-1: nowhere), and where it was only if kept.
 */
static inline void edit_put(pipe_edits *e, int sort, const zl_event *event, int place, bool keep)
{
    static char text[EDIT_TEXT];
    char how[32] = "";
    size_t length = 0;
    int line = (int)event->line - 1;
    for (int i = 0; i <= e->lines; i++) {
        if (i == place)
            length += (size_t)sprintf(text + length, "%.*s", edit_length(e, line), e->line[line]);
        if (i == e->lines || (i == line && !keep)) continue;
        length += (size_t)sprintf(text + length, "%.*s", edit_length(e, i), e->line[i]);
        assert_true(length + 256 < sizeof text);
    }
    if (sort == EDIT_MOVE) snprintf(how, sizeof how, "before line %d", place + 1);
    edit_use(e, sort, event, event->line, how, text, length);
}

/* Lines [first, last) are the places of its section. */
static inline void edit_lines(pipe_edits *e, const zl_event *event, int first, int last)
{
    int line = (int)event->line - 1;
    if (event->kind == ZL_EV_FOR || event->kind == ZL_EV_END) return;
    edit_put(e, EDIT_DROP, event, -1, false);
    edit_put(e, EDIT_DOUBLE, event, line, true);
    for (int place = first; place <= last; place++) {
        if (place == line || place == line + 1) continue;
        edit_put(e, place == line + 2 ? EDIT_SWAP : EDIT_MOVE, event, place, false);
    }
}

/* ---- numbers ---- */

static inline void edit_printed(pipe_edits *e, const zl_event *event, uint32_t line,
                                const char *how)
{
    static char text[EDIT_TEXT];
    zlay_buf buf = {text, sizeof text, 0};
    assert_int_equal(zlay_pipe_print(&buf, e->changed), ZLAY_OK);
    edit_use(e, EDIT_CHANGE, event, line, how, text, buf.need);
}

static inline void edit_long(pipe_edits *e, const zl_event *event, uint32_t line, const char *what,
                             int64_t *number, int64_t to)
{
    char how[96];
    int64_t was = *number;
    snprintf(how, sizeof how, "%s from %lld to %lld", what, (long long)was, (long long)to);
    *number = to;
    edit_printed(e, event, line, how);
    *number = was;
}

static inline void edit_int(pipe_edits *e, const zl_event *event, uint32_t line, const char *what,
                            int32_t *number, int32_t to)
{
    char how[96];
    int32_t was = *number;
    snprintf(how, sizeof how, "%s from %d to %d", what, was, to);
    *number = to;
    edit_printed(e, event, line, how);
    *number = was;
}

static inline void edit_uint(pipe_edits *e, const zl_event *event, uint32_t line, const char *what,
                             uint32_t *number, uint32_t to)
{
    edit_int(e, event, line, what, (int32_t *)number, (int32_t)to);
}

/* By one, both ways. */
static inline void edit_by_one(pipe_edits *e, const zl_event *event, const char *what,
                               int64_t *number)
{
    for (int by = -1; by <= 1; by += 2)
        edit_long(e, event, event->line, what, number, *number + by);
}

/* Bytes lose the moves that they were the sum of. */
static inline void edit_count(pipe_edits *e, zl_event *c, const zl_event *event)
{
    zl_moved moved = c->moved;
    c->moved = (zl_moved){0};
    int64_t by = moved.count ? 16 : c->kind == ZL_EV_SETMAXNREG ? 8 : 1;
    if (c->count >= by) edit_long(e, event, event->line, "count", &c->count, c->count - by);
    edit_long(e, event, event->line, "count", &c->count, c->count + by);
    if (c->count > 1) edit_long(e, event, event->line, "count", &c->count, 2 * c->count);
    c->moved = moved;
}

static inline void edit_positions(pipe_edits *e, zl_event *c, const zl_event *event)
{
    bool loop = c->kind == ZL_EV_FOR;
    if (loop || c->smem[0] >= 0) edit_by_one(e, event, "first offset", &c->at[0].add);
    if (c->smem[1] >= 0) edit_by_one(e, event, "second offset", &c->at[1].add);
    if (loop || (c->bar >= 0 && c->kind != ZL_EV_INIT))
        edit_by_one(e, event, "offset", &c->bar_at.add);
    if (c->kind == ZL_EV_WAIT) edit_by_one(e, event, "offset of parity", &c->parity.add);
    if (c->map >= 0) edit_by_one(e, event, "offset of map", &c->map_at.add);
    bool names = c->kind == ZL_EV_ALLOC || c->kind == ZL_EV_DEALLOC;
    if (c->tmem[0] >= 0 && !names) edit_by_one(e, event, "offset of tmem", &c->tmem_at[0].add);
}

static inline bool edit_moves(const zl_event *c)
{
    return c->kind == ZL_EV_STORE || c->kind == ZL_EV_READ || c->kind == ZL_EV_WRITE ||
           c->kind == ZL_EV_COPY || c->kind == ZL_EV_CPASYNC || c->kind == ZL_EV_FETCH ||
           c->kind == ZL_EV_PUT || (c->kind == ZL_EV_LOAD && c->smem[0] >= 0);
}

static inline bool edit_queues(const zl_event *c)
{
    return c->kind == ZL_EV_LOAD || c->kind == ZL_EV_SEND || c->kind == ZL_EV_FETCH ||
           c->kind == ZL_EV_PUT;
}

/* Every other word that chooses a way, of the event's own token. */
static inline void edit_ways(pipe_edits *e, zl_event *c, const zl_event *event)
{
    for (const uint8_t *token = zl_forms[c->kind].operands; *token; token++)
        for (int32_t way = 0; way < ZL_WAYS; way++)
            if (zl_ways[*token][way] && way != c->scope)
                edit_int(e, event, event->line, "way", &c->scope, way);
}

static inline void edit_words(pipe_edits *e, zl_event *c, const zl_event *event)
{
    uint32_t line = event->line;
    if (c->kind == ZL_EV_WAIT) edit_int(e, event, line, "flip", &c->flip, !c->flip);
    if (c->kind == ZL_EV_MMA) edit_int(e, event, line, "fresh", &c->fresh, !c->fresh);
    if (edit_moves(c)) edit_int(e, event, line, "part", &c->part, c->part + 1);
    for (int32_t scope = ZL_BY_ONE; c->kind == ZL_EV_ARRIVE && scope <= ZL_BY_THREADS; scope++)
        edit_int(e, event, line, "scope", &c->scope, scope);
    if (c->kind == ZL_EV_ARRIVE || edit_queues(c))
        edit_uint(e, event, line, "times", &c->times, c->times + 1);
    if (edit_queues(c) && c->times > 1)
        edit_uint(e, event, line, "times", &c->times, c->times - 1);
    if (c->multicast) {
        edit_uint(e, event, line, "mask", &c->multicast, c->multicast ^ 1);
        edit_uint(e, event, line, "mask", &c->multicast, c->multicast ^ 2);
    }
    if (c->cta != ZL_CTA_OWN) edit_int(e, event, line, "cta", &c->cta, ZL_CTA_OWN);
    if (c->cta >= 0) edit_int(e, event, line, "cta", &c->cta, c->cta ^ 1);
    if (c->scope == ZL_SYNC_NAMED && (c->kind == ZL_EV_SYNC || c->kind == ZL_EV_JOIN))
        edit_uint(e, event, line, "named", &c->named, c->named + 1);
    if (c->named_step) edit_int(e, event, line, "of the instance", &c->named_step, 0);
    if (c->kind == ZL_EV_TLD || c->kind == ZL_EV_TST) {
        edit_uint(e, event, line, "last lane", &c->lanes[1], c->lanes[1] + 32);
        edit_uint(e, event, line, "last column", &c->columns[1], c->columns[1] + 1);
    }
    edit_ways(e, c, event);
}

/* ---- declarations and roles ---- */

static inline void edit_rings(pipe_edits *e)
{
    zlay_pipe *c = e->changed;
    for (uint32_t i = 0; i < c->bars_count; i++) {
        for (int by = -1; by <= 1; by += 2) {
            edit_long(e, NULL, 0, c->bars[i].name, &c->bars[i].count, c->bars[i].count + by);
            edit_uint(e, NULL, 0, c->bars[i].name, &c->bars[i].stages,
                      c->bars[i].stages + (uint32_t)by);
        }
    }
    for (uint32_t i = 0; i < c->smems_count; i++) {
        zl_moved moved = c->smems[i].moved;
        edit_uint(e, NULL, 0, c->smems[i].name, &c->smems[i].stages, c->smems[i].stages + 1);
        c->smems[i].moved = (zl_moved){0};
        edit_long(e, NULL, 0, c->smems[i].name, &c->smems[i].bytes, c->smems[i].bytes - 16);
        edit_long(e, NULL, 0, c->smems[i].name, &c->smems[i].bytes, c->smems[i].bytes + 16);
        c->smems[i].moved = moved;
    }
    for (uint32_t i = 0; i < c->tmems_count; i++) {
        zl_tmem *t = &c->tmems[i];
        edit_uint(e, NULL, 0, t->name, &t->columns, t->columns / 2);
        edit_uint(e, NULL, 0, t->name, &t->columns, t->columns * 4);
        edit_uint(e, NULL, 0, t->name, &t->columns, t->columns - 8);
        edit_uint(e, NULL, 0, t->name, &t->stages, t->stages + 1);
    }
}

static inline void edit_role(pipe_edits *e, zl_role *r)
{
    edit_int(e, NULL, r->line, "elect", &r->elect, !r->elect);
    edit_uint(e, NULL, r->line, "last warp", &r->last_warp, r->last_warp + r->each);
    if (r->last_warp > r->first_warp)
        edit_uint(e, NULL, r->line, "last warp", &r->last_warp, r->last_warp - 1);
    if (r->each % 2 == 0) edit_uint(e, NULL, r->line, "each", &r->each, r->each / 2);
    if (e->changed->blocks > 1)
        edit_int(e, NULL, r->line, "cta", &r->cta, r->cta < 0 ? 0 : ZL_CTA_ALL);
}

/* ---- all ---- */

static inline void edit_open(pipe_edits *e, zlay_ctx *ctx, const char *text, size_t length)
{
    zlay_buf buf = {e->text, sizeof e->text, 0};
    assert_int_equal(zlay_pipe_parse(ctx, &e->changed, text, length), ZLAY_OK);
    assert_int_equal(zlay_pipe_print(&buf, e->changed), ZLAY_OK);
    zlay_pipe_free(e->changed);
    assert_int_equal(zlay_pipe_parse(ctx, &e->pipe, e->text, buf.need), ZLAY_OK);
    assert_int_equal(zlay_pipe_parse(ctx, &e->changed, e->text, buf.need), ZLAY_OK);
    e->lines = 0;
    for (const char *at = e->text; *at; at = strchr(at, '\n') + 1) {
        assert_true(e->lines < EDIT_LINES);
        e->line[e->lines++] = at;
    }
}

/* Every single edit of the pipe that `text` has, given to `use` as a text. */
static inline void pipe_edits_all(zlay_ctx *ctx, const char *text, size_t length,
                                  pipe_edit_use *use, void *user)
{
    static pipe_edits e;
    e.use = use;
    e.user = user;
    edit_open(&e, ctx, text, length);
    const zlay_pipe *p = e.pipe;
    for (uint32_t k = 0; k < p->setup; k++)
        edit_lines(&e, &p->events[k], (int)p->events[0].line - 1, (int)p->roles[0].line - 1);
    for (uint32_t r = 0; r < p->roles_count; r++) {
        const zl_role *role = &p->roles[r];
        edit_role(&e, &e.changed->roles[r]);
        for (uint32_t k = role->begin; k < role->end; k++) {
            zl_event *c = &e.changed->events[k];
            edit_lines(&e, &p->events[k], (int)role->line, (int)p->events[role->end - 1].line);
            edit_positions(&e, c, &p->events[k]);
            edit_words(&e, c, &p->events[k]);
            if (c->count || c->kind == ZL_EV_WAITGROUP || c->kind == ZL_EV_WAITCOUNT)
                edit_count(&e, c, &p->events[k]);
        }
    }
    edit_rings(&e);
    zlay_pipe_free(e.pipe);
    zlay_pipe_free(e.changed);
}

#endif
