/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of a pipe, line by line: declarations and roles. */
#include "pipe/parse.h"

#include <string.h>

bool zl_parse_fail(zl_parser *p, zlay_status status, const char *what)
{
    char shown[256];
    size_t length = (size_t)(p->scan.end - p->scan.begin);
    if (!p->status)
        p->status = zl_fail(p->ctx, status, "line %u: %s in \"%s\"", p->scan.line, what,
                            zl_quote(shown, p->scan.begin, length));
    return false;
}

static bool bad(zl_parser *p, const char *what) { return zl_parse_fail(p, ZLAY_EINVAL, what); }

static bool word(zl_parser *p, const char *text) { return zl_scan_word(&p->scan, text); }

/* Arrays double. */
void *zl_parse_more(zl_parser *p, int i, void **array, uint32_t *count, size_t size)
{
    zlay_pipe *pipe = p->pipe;
    if (i != 5 && *count == ZL_PIPE_NAMES) {
        zl_parse_fail(p, ZLAY_ELIMIT, "more than 64 names of one sort");
        return NULL;
    }
    if (*count == pipe->room[i]) {
        size_t room = pipe->room[i] ? 2 * pipe->room[i] : 8;
        void *bigger = zl_alloc(p->ctx, room, size);
        if (!bigger) {
            p->status = ZLAY_ENOMEM;
            return NULL;
        }
        if (*array) memcpy(bigger, *array, *count * size);
        zl_free(&pipe->alloc, *array, pipe->room[i] * size);
        *array = bigger;
        pipe->room[i] = room;
    }
    return (char *)*array + size * (*count)++;
}

bool zl_parse_name(zl_parser *p, char *out)
{
    return zl_scan_name(&p->scan, out) || bad(p, "a name is missing");
}

bool zl_parse_number(zl_parser *p, int64_t *out, int64_t least, int64_t most)
{
    if (!zl_scan_number(&p->scan, out)) return bad(p, "a number is missing");
    return (*out >= least && *out <= most) || bad(p, "a number is out of range");
}

bool zl_parse_symbol(zl_parser *p, const char *text)
{
    return zl_scan_symbol(&p->scan, text) || bad(p, "a symbol is missing");
}

bool zl_parse_needs(zl_parser *p, const char *text)
{
    return word(p, text) || bad(p, "a word is missing");
}

/* ---- names ---- */

int32_t zl_find_param(const zlay_pipe *pipe, const char *text)
{
    for (uint32_t i = 0; i < pipe->params_count; i++)
        if (!strcmp(pipe->params[i].name, text)) return (int32_t)i;
    return -1;
}

int32_t zl_find_smem(const zlay_pipe *pipe, const char *text)
{
    for (uint32_t i = 0; i < pipe->smems_count; i++)
        if (!strcmp(pipe->smems[i].name, text)) return (int32_t)i;
    return -1;
}

int32_t zl_find_bar(const zlay_pipe *pipe, const char *text)
{
    for (uint32_t i = 0; i < pipe->bars_count; i++)
        if (!strcmp(pipe->bars[i].name, text)) return (int32_t)i;
    return -1;
}

int32_t zl_find_loop(const zl_parser *p, const char *text)
{
    for (uint32_t i = 0; i < p->depth; i++)
        if (!strcmp(p->pipe->events[p->loops[i]].name, text)) return (int32_t)i;
    return -1;
}

static bool find_role(const zlay_pipe *pipe, const char *text)
{
    for (uint32_t i = 0; i < pipe->roles_count; i++)
        if (!strcmp(pipe->roles[i].name, text)) return true;
    return false;
}

static bool taken(const zl_parser *p, const char *text)
{
    return zl_find_param(p->pipe, text) >= 0 || zl_find_smem(p->pipe, text) >= 0 ||
           zl_find_bar(p->pipe, text) >= 0 || zl_find_loop(p, text) >= 0 ||
           find_role(p->pipe, text);
}

bool zl_parse_new_name(zl_parser *p, char *out)
{
    return zl_parse_name(p, out) && (!taken(p, out) || bad(p, "a name is used twice"));
}

/* ---- declarations ---- */

static bool read_param(zl_parser *p)
{
    zl_param param = {0};
    if (!zl_parse_new_name(p, param.name) || !zl_parse_number(p, &param.least, 0, INT32_MAX) ||
        !zl_parse_symbol(p, ".."))
        return false;
    zl_param *entry = ZL_MORE(p, 0, params);
    if (entry) *entry = param;
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
        !zl_parse_number(p, &smem.bytes, 1, INT32_MAX))
        return false;
    smem.each = word(p, "each");
    zl_smem *entry = ZL_MORE(p, 1, smems);
    if (entry) *entry = smem;
    return entry != NULL;
}

static bool read_bar(zl_parser *p)
{
    zl_bar bar = {0};
    if (!zl_parse_new_name(p, bar.name) || !stages(p, &bar.stages) || !zl_parse_needs(p, "count") ||
        !zl_parse_number(p, &bar.count, 0, INT32_MAX))
        return false;
    zl_bar *entry = ZL_MORE(p, 2, bars);
    if (entry) *entry = bar;
    return entry != NULL;
}

static bool warps_free(const zl_parser *p, const zl_role *role)
{
    for (uint32_t i = 0; i < p->pipe->roles_count; i++) {
        const zl_role *r = &p->pipe->roles[i];
        if (role->first_warp <= r->last_warp && r->first_warp <= role->last_warp) return false;
    }
    return true;
}

static bool read_role(zl_parser *p)
{
    zl_role role = {.line = p->scan.line};
    int64_t first, last, each;
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
    role.begin = role.end = p->pipe->events_count;
    if (!warps_free(p, &role)) return bad(p, "a warp has two roles");
    if (!p->pipe->roles_count) p->pipe->setup = p->pipe->events_count;
    zl_role *entry = ZL_MORE(p, 4, roles);
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

static bool read_line(zl_parser *p)
{
    if (!p->pipe->name[0]) return zl_parse_needs(p, "pipe") && zl_parse_name(p, p->pipe->name);
    if (word(p, "end")) return read_end(p);
    if (p->role < 0 && word(p, "role")) return read_role(p);
    if (declaration(p) && word(p, "param")) return read_param(p);
    if (declaration(p) && word(p, "smem")) return read_smem(p);
    if (declaration(p) && word(p, "bar")) return read_bar(p);
    return zl_parse_event(p);
}

static void read_all(zl_parser *p, const char *text, size_t length)
{
    const char *end = text + length;
    while (!p->status && text < end) {
        text = zl_scan_line(&p->scan, text, end);
        if (zl_scan_done(&p->scan)) continue;
        if (read_line(p) && !zl_scan_done(&p->scan)) bad(p, "something stands behind the event");
    }
    if (p->status) return;
    if (p->role >= 0) bad(p, "a role has no end");
    else if (!p->pipe->roles_count) bad(p, "a pipe has no role");
}

zlay_status zlay_pipe_parse(zlay_ctx *ctx, zlay_pipe **out, const char *text, size_t length)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!text) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    if (length > zl_limits(ctx)->text)
        return zl_leave(ctx, zl_fail(ctx, ZLAY_ELIMIT, "limit text: %zu bytes", length));
    zl_parser p = {.ctx = ctx, .role = -1, .pipe = zl_alloc(ctx, 1, sizeof(zlay_pipe))};
    if (!p.pipe) return zl_leave(ctx, ZLAY_ENOMEM);
    p.pipe->alloc = zl_allocator(ctx);
    p.scan.begin = p.scan.end = text;
    read_all(&p, text, length);
    if (p.status) zlay_pipe_free(p.pipe);
    else *out = p.pipe;
    return zl_leave(ctx, p.status);
}

void zlay_pipe_free(zlay_pipe *pipe)
{
    if (!pipe) return;
    zlay_allocator alloc = pipe->alloc;
    zl_free(&alloc, pipe->params, pipe->room[0] * sizeof *pipe->params);
    zl_free(&alloc, pipe->smems, pipe->room[1] * sizeof *pipe->smems);
    zl_free(&alloc, pipe->bars, pipe->room[2] * sizeof *pipe->bars);
    zl_free(&alloc, pipe->accs, pipe->room[3] * sizeof *pipe->accs);
    zl_free(&alloc, pipe->roles, pipe->room[4] * sizeof *pipe->roles);
    zl_free(&alloc, pipe->events, pipe->room[5] * sizeof *pipe->events);
    zl_free(&alloc, pipe, sizeof *pipe);
}
