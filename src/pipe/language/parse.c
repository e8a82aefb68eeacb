/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the text form of a pipe (docs/pipe.md) into flat arrays, line by line: declarations,
 * roles and their ends. Words, names and numbers are read by parse_word.c, events by
 * parse_event.c, positions by parse_pos.c. It is a recursive-descent parser over one line. */
#include "pipe/language/parse.h"

#include <string.h>

static bool bad(zl_parser *p, const char *what) { return zl_parse_fail(p, ZLAY_EINVAL, what); }

static bool word(zl_parser *p, const char *text) { return zl_cursor_keyword(&p->at, text); }

/* ---- declarations ---- */

static bool read_cluster(zl_parser *p)
{
    int64_t blocks;
    if (!zl_parse_number(p, &blocks, 1, 16)) return false;
    p->pipe->blocks = (uint32_t)blocks;
    return true;
}

static bool read_registers(zl_parser *p)
{
    int64_t registers;
    if (!zl_parse_number(p, &registers, 1, 256)) return false;
    p->pipe->registers = (uint32_t)registers;
    return true;
}

/* `of PARAM`: each iteration of the loops over that one has a count of its own. */
static bool read_of(zl_parser *p, zl_param *param)
{
    char name[65];
    if (!zl_parse_name(p, name)) return false;
    param->of = zl_find(p->pipe, ZL_OF_PARAM, name);
    if (param->of < 0) return bad(p, "no such param");
    return p->pipe->params[param->of].of < 0 || bad(p, "a count of each iteration is of one that is itself of each iteration");
}

static bool read_param(zl_parser *p)
{
    zl_param param = {.most = INT32_MAX, .of = -1};
    if (!zl_parse_new_name(p, param.name) || !zl_parse_number(p, &param.least, 0, INT32_MAX) ||
        !zl_parse_symbol(p, ".."))
        return false;
    bool of = word(p, "of");
    if (!of && !zl_cursor_done(&p->at) && !zl_parse_number(p, &param.most, param.least, INT32_MAX))
        return false;
    if ((of || word(p, "of")) && !read_of(p, &param)) return false;
    zl_param *entry = ZL_MORE(p, ZL_OF_PARAM, params);
    if (entry) *entry = param;
    return entry != NULL;
}

static bool read_move(zl_parser *p)
{
    zl_move_name move = {0};
    if (!zl_parse_new_name(p, move.name) || !zl_parse_number(p, &move.bytes, 1, INT32_MAX))
        return false;
    zl_move_name *entry = ZL_MORE(p, ZL_OF_MOVE, moves);
    if (entry) *entry = move;
    return entry != NULL;
}

static bool stages(zl_parser *p, uint32_t *out)
{
    int64_t value;
    if (!zl_parse_symbol(p, "[") || !zl_parse_number(p, &value, 1, 64) || !zl_parse_symbol(p, "]"))
        return false;
    *out = (uint32_t)value;
    return true;
}

static bool read_smem(zl_parser *p)
{
    zl_smem smem = {0};
    if (!zl_parse_new_name(p, smem.name) || !stages(p, &smem.stages) ||
        !zl_parse_bytes(p, &smem.bytes, &smem.moved, 1))
        return false;
    smem.each = word(p, "each");
    zl_smem *entry = ZL_MORE(p, ZL_OF_SMEM, smems);
    if (entry) *entry = smem;
    return entry != NULL;
}

static bool read_tmem(zl_parser *p)
{
    zl_tmem tmem = {0};
    int64_t columns;
    if (!zl_parse_new_name(p, tmem.name) || !stages(p, &tmem.stages) ||
        !zl_parse_number(p, &columns, 1, INT32_MAX))
        return false;
    tmem.columns = (uint32_t)columns;
    tmem.pair = word(p, "pair");
    zl_tmem *entry = ZL_MORE(p, ZL_OF_TMEM, tmems);
    if (entry) *entry = tmem;
    return entry != NULL;
}

static bool read_other(zl_parser *p, int32_t sort)
{
    zl_other other = {.sort = sort};
    if (!zl_parse_new_name(p, other.name) || !stages(p, &other.stages)) return false;
    other.each = sort != ZL_OTHER_MAP && word(p, "each");
    zl_other *entry = ZL_MORE(p, ZL_OF_OTHER, others);
    if (entry) *entry = other;
    return entry != NULL;
}

static bool read_bar(zl_parser *p)
{
    zl_bar bar = {0};
    if (!zl_parse_new_name(p, bar.name) || !stages(p, &bar.stages) || !zl_parse_needs(p, "count") ||
        !zl_parse_number(p, &bar.count, 0, INT32_MAX))
        return false;
    zl_bar *entry = ZL_MORE(p, ZL_OF_BAR, bars);
    if (entry) *entry = bar;
    return entry != NULL;
}

/* Whether the warps of a new role overlap no other role's in the same block. */
static bool warps_free(const zl_parser *p, const zl_role *role)
{
    for (uint32_t i = 0; i < p->pipe->roles_count; i++) {
        const zl_role *r = &p->pipe->roles[i];
        bool apart = role->cta != r->cta && role->cta != ZL_CTA_ALL && r->cta != ZL_CTA_ALL;
        if (!apart && role->first_warp <= r->last_warp && r->first_warp <= role->last_warp)
            return false;
    }
    return true;
}

static bool read_role(zl_parser *p)
{
    zl_role role = {.line = p->at.line, .cta = ZL_CTA_ALL};
    int64_t first, last, each, cta = ZL_CTA_ALL;
    if (!zl_parse_new_name(p, role.name) || !zl_parse_needs(p, "warps") ||
        !zl_parse_number(p, &first, 0, 31) || !zl_parse_symbol(p, "..") ||
        !zl_parse_number(p, &last, first, 31))
        return false;
    each = last - first + 1;
    if (word(p, "each") && !zl_parse_number(p, &each, 1, each)) return false;
    if ((last - first + 1) % each) return bad(p, "each does not divide the warps");
    role.first_warp = (uint32_t)first;
    role.last_warp = (uint32_t)last;
    role.each = (uint32_t)each;
    role.elect = word(p, "elect");
    if (word(p, "cta") && !zl_parse_number(p, &cta, 0, p->pipe->blocks - 1)) return false;
    role.cta = (int32_t)cta;
    role.begin = role.end = p->pipe->events_count;
    if (!warps_free(p, &role)) return bad(p, "a warp has two roles");
    if (!p->pipe->roles_count) p->pipe->setup = p->pipe->events_count;
    zl_role *entry = ZL_MORE(p, ZL_OF_ROLE, roles);
    if (!entry) return false;
    *entry = role;
    p->role = (int32_t)p->pipe->roles_count - 1;
    return true;
}

static bool read_end(zl_parser *p)
{
    if (p->role < 0) return bad(p, "end without a role");
    if (p->depth == 0) {
        p->pipe->roles[p->role].end = p->pipe->events_count;
        p->role = -1;
        return true;
    }
    zl_event *e = zl_parse_new_event(p, ZL_EV_END);
    if (!e) return false;
    e->match = (int32_t)p->loops[--p->depth];
    p->pipe->events[e->match].match = (int32_t)(e - p->pipe->events);
    return true;
}

static bool declaration(const zl_parser *p) { return p->role < 0 && !p->pipe->roles_count; }

static bool read_declaration(zl_parser *p, bool *found)
{
    *found = true;
    if (word(p, "param")) return read_param(p);
    if (word(p, "smem")) return read_smem(p);
    if (word(p, "bar")) return read_bar(p);
    if (word(p, "move")) return read_move(p);
    if (word(p, "tmem")) return read_tmem(p);
    if (word(p, "map")) return read_other(p, ZL_OTHER_MAP);
    if (word(p, "global")) return read_other(p, ZL_OTHER_GLOBAL);
    if (word(p, "flag")) return read_other(p, ZL_OTHER_FLAG);
    if (word(p, "cluster")) return read_cluster(p);
    if (word(p, "registers")) return read_registers(p);
    if (word(p, "body")) return zl_parse_body(p);
    *found = false;
    return true;
}

static bool read_line(zl_parser *p)
{
    bool found = false;
    if (p->reading.body) return zl_parse_body_line(p);
    if (!p->pipe->name[0]) return zl_parse_needs(p, "pipe") && zl_parse_name(p, p->pipe->name);
    if (word(p, "end")) return read_end(p);
    if (p->role < 0 && word(p, "role")) return read_role(p);
    if (declaration(p) && (!read_declaration(p, &found) || found)) return !p->status;
    return zl_parse_event(p);
}

void zl_parse_lines(zl_parser *p, const char *text, size_t length)
{
    const char *end = text + length;
    while (!p->status && text < end) {
        text = zl_cursor_line(&p->at, text, end);
        if (zl_cursor_done(&p->at)) continue;
        if (read_line(p) && !zl_cursor_done(&p->at)) bad(p, "something stands behind the event");
    }
}

void zl_parse_end(zl_parser *p)
{
    if (p->status) return;
    if (p->reading.body) bad(p, "a body has no end");
    else if (p->role >= 0) bad(p, "a role has no end");
    else if (!p->pipe->roles_count)
        p->status = zl_fail(p->at.ctx, ZLAY_EINVAL, "the pipe has no role");
    else zl_parse_flags(p);
}

zlay_status zl_parse_begin(zlay_ctx *ctx, zl_parser *p)
{
    *p = (zl_parser){.at = {.ctx = ctx, .text = "", .dotted = true},
                     .role = -1,
                     .pipe = zl_alloc(ctx, 1, sizeof(zlay_pipe))};
    if (!p->pipe) return ZLAY_ENOMEM;
    p->pipe->alloc = zl_allocator(ctx);
    p->pipe->blocks = 1;
    return ZLAY_OK;
}

zlay_status zl_pipe_parse(zlay_ctx *ctx, zlay_pipe **out, const char *text, size_t length)
{
    zl_parser p;
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    if (length > zl_limits(ctx)->text)
        return zl_fail(ctx, ZLAY_ELIMIT, "limit text: %zu bytes", length);
    zlay_status status = zl_parse_begin(ctx, &p);
    if (status) return zl_leave_part(ctx, mark, status);
    zl_parse_lines(&p, text, length);
    zl_parse_end(&p);
    zlay_body_free(p.reading.body);
    if (p.status) zlay_pipe_free(p.pipe);
    else *out = p.pipe;
    return zl_leave_part(ctx, mark, p.status);
}

zlay_status zlay_pipe_parse(zlay_ctx *ctx, zlay_pipe **out, const char *text, size_t length)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!text) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, zl_pipe_parse(ctx, out, text, length));
}

void zlay_pipe_free(zlay_pipe *pipe)
{
    if (!pipe) return;
    zlay_allocator alloc = pipe->alloc;
#define FREE(of, field) zl_free(&alloc, pipe->field, pipe->room[of] * sizeof *pipe->field)
    FREE(ZL_OF_PARAM, params);
    FREE(ZL_OF_SMEM, smems);
    FREE(ZL_OF_BAR, bars);
    FREE(ZL_OF_ACC, accs);
    FREE(ZL_OF_ROLE, roles);
    FREE(ZL_OF_EVENT, events);
    FREE(ZL_OF_MOVE, moves);
    FREE(ZL_OF_TMEM, tmems);
    FREE(ZL_OF_OTHER, others);
    for (uint32_t i = 0; i < pipe->bodies_count; i++) zlay_body_free(pipe->bodies[i].body);
    FREE(ZL_OF_BODY, bodies);
#undef FREE
    zl_free(&alloc, pipe, sizeof *pipe);
}
