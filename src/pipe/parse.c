/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of a pipe: one event a line, each keyword a row of a table. */
#include "pipe/scan.h"

#include <string.h>

typedef struct parser {
    zl_scan scan;
    zlay_ctx *ctx;
    zlay_pipe *pipe;
    int32_t role;                 /* being read; -1 outside */
    uint32_t loops[ZL_PIPE_LOOPS]; /* events of the open loops */
    uint32_t depth;
    zlay_status status;
} parser;

static bool fail(parser *p, zlay_status status, const char *what)
{
    char shown[256];
    size_t length = (size_t)(p->scan.end - p->scan.begin);
    if (!p->status)
        p->status = zl_fail(p->ctx, status, "line %u: %s in \"%s\"", p->scan.line, what,
                            zl_quote(shown, p->scan.begin, length));
    return false;
}

static bool bad(parser *p, const char *what) { return fail(p, ZLAY_EINVAL, what); }

/* One more entry of the i-th array, zeroed; arrays double. */
static void *more(parser *p, int i, void **array, uint32_t *count, size_t size)
{
    zlay_pipe *pipe = p->pipe;
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

#define MORE(p, i, field) more(p, i, (void **)&(p)->pipe->field, &(p)->pipe->field##_count, sizeof *(p)->pipe->field)

static bool name(parser *p, char *out)
{
    return zl_scan_name(&p->scan, out) || bad(p, "a name is missing");
}

static bool number(parser *p, int64_t *out, int64_t least, int64_t most)
{
    if (!zl_scan_number(&p->scan, out)) return bad(p, "a number is missing");
    return (*out >= least && *out <= most) || bad(p, "a number is out of range");
}

static bool symbol(parser *p, const char *text) { return zl_scan_symbol(&p->scan, text) || bad(p, "a symbol is missing"); }

static bool word(parser *p, const char *text) { return zl_scan_word(&p->scan, text); }

static bool needs(parser *p, const char *text) { return word(p, text) || bad(p, "a word is missing"); }

static int32_t find_param(const parser *p, const char *text)
{
    for (uint32_t i = 0; i < p->pipe->params_count; i++)
        if (!strcmp(p->pipe->params[i].name, text)) return (int32_t)i;
    return -1;
}

static int32_t find_smem(const parser *p, const char *text)
{
    for (uint32_t i = 0; i < p->pipe->smems_count; i++)
        if (!strcmp(p->pipe->smems[i].name, text)) return (int32_t)i;
    return -1;
}

static int32_t find_bar(const parser *p, const char *text)
{
    for (uint32_t i = 0; i < p->pipe->bars_count; i++)
        if (!strcmp(p->pipe->bars[i].name, text)) return (int32_t)i;
    return -1;
}

static int32_t find_loop(const parser *p, const char *text)
{
    for (uint32_t i = 0; i < p->depth; i++)
        if (!strcmp(p->pipe->events[p->loops[i]].name, text)) return (int32_t)i;
    return -1;
}

static bool find_role(const parser *p, const char *text)
{
    for (uint32_t i = 0; i < p->pipe->roles_count; i++)
        if (!strcmp(p->pipe->roles[i].name, text)) return true;
    return false;
}

static bool taken(const parser *p, const char *text)
{
    return find_param(p, text) >= 0 || find_smem(p, text) >= 0 || find_bar(p, text) >= 0 || find_loop(p, text) >= 0 ||
           find_role(p, text);
}

static bool new_name(parser *p, char *out)
{
    return name(p, out) && (!taken(p, out) || bad(p, "a name is used twice"));
}

/* ---- positions ---- */

static bool term_name(parser *p, zl_pos *pos, const char *text)
{
    char factor[65];
    int32_t loop = find_loop(p, text), param = find_param(p, text);
    if (loop >= 0) {
        if (pos->loop >= 0) return bad(p, "a position has two counters");
        pos->loop = loop;
        if (!zl_scan_symbol(&p->scan, "*")) return true;
        if (!name(p, factor)) return false;
        pos->times = find_param(p, factor);
        return pos->times >= 0 || bad(p, "a counter is multiplied by what is no param");
    }
    if (param < 0) return bad(p, "a name is neither a counter nor a param");
    if (pos->plus >= 0) return bad(p, "a position adds two params");
    pos->plus = param;
    return true;
}

static bool term(parser *p, zl_pos *pos, int sign)
{
    char text[65];
    int64_t value;
    if (zl_scan_number(&p->scan, &value)) {
        if (value > INT32_MAX) return bad(p, "a number is out of range");
        pos->add += sign * value;
        return true;
    }
    if (!name(p, text)) return false;
    return sign > 0 ? term_name(p, pos, text) : bad(p, "a name is subtracted");
}

/* What is added needs parentheses before % and /; `terms` says how many there were. */
static bool sum(parser *p, zl_pos *pos, int *terms)
{
    *pos = (zl_pos){-1, -1, -1, 0};
    *terms = 1;
    if (!term(p, pos, 1)) return false;
    for (;; ++*terms) {
        int sign = zl_scan_symbol(&p->scan, "+") ? 1 : zl_scan_symbol(&p->scan, "-") ? -1 : 0;
        if (!sign) return true;
        if (!term(p, pos, sign)) return false;
    }
}

static bool position(parser *p, zl_pos *pos)
{
    int terms;
    bool open = zl_scan_symbol(&p->scan, "(");
    if (!sum(p, pos, &terms)) return false;
    if (open) return symbol(p, ")");
    return terms == 1 || bad(p, "a sum needs parentheses");
}

static bool bare(parser *p, zl_pos *pos)
{
    int terms;
    return sum(p, pos, &terms);
}

/* [pos % stages], or [number], which is below the stages with or without its modulus. */
static bool slot(parser *p, zl_pos *pos, uint32_t stages)
{
    int64_t modulus;
    if (!symbol(p, "[") || !position(p, pos)) return false;
    bool constant = pos->loop < 0 && pos->plus < 0;
    if (zl_scan_symbol(&p->scan, "%")) {
        if (!number(p, &modulus, 1, UINT32_MAX)) return false;
        if (modulus != stages) return bad(p, "the modulus is not the number of stages");
    } else if (!constant) {
        return bad(p, "a position needs its modulus");
    }
    if (constant && (pos->add < 0 || pos->add >= stages)) return bad(p, "a slot is no stage");
    return symbol(p, "]");
}

static bool smem_slot(parser *p, zl_event *e, int i)
{
    char text[65];
    if (!name(p, text)) return false;
    e->smem[i] = find_smem(p, text);
    if (e->smem[i] < 0) return bad(p, "no such smem");
    return slot(p, &e->at[i], p->pipe->smems[e->smem[i]].stages);
}

static bool bar_slot(parser *p, zl_event *e)
{
    char text[65];
    if (!name(p, text)) return false;
    e->bar = find_bar(p, text);
    if (e->bar < 0) return bad(p, "no such bar");
    return slot(p, &e->bar_at, p->pipe->bars[e->bar].stages);
}

static bool part(parser *p, zl_event *e)
{
    int64_t value = 0;
    if (word(p, "part") && !number(p, &value, 0, 255)) return false;
    e->part = (int32_t)value;
    return true;
}

static bool acc_name(parser *p, zl_event *e)
{
    char text[65];
    if (!name(p, text)) return false;
    for (uint32_t i = 0; i < p->pipe->accs_count; i++)
        if (!strcmp(p->pipe->accs[i].name, text) && p->pipe->accs[i].role == p->role) e->acc = (int32_t)i;
    if (e->acc >= 0) return true;
    zl_acc *acc = MORE(p, 3, accs);
    if (!acc) return false;
    memcpy(acc->name, text, sizeof text);
    acc->role = p->role;
    e->acc = (int32_t)p->pipe->accs_count - 1;
    return true;
}

/* ---- events ---- */

static bool read_for(parser *p, zl_event *e)
{
    if (p->depth == ZL_PIPE_LOOPS) return fail(p, ZLAY_ELIMIT, "loops are nested deeper than 4");
    if (!new_name(p, e->name) || !needs(p, "in") || !bare(p, &e->at[0]) || !symbol(p, "..") || !bare(p, &e->bar_at))
        return false;
    p->loops[p->depth++] = (uint32_t)(e - p->pipe->events);
    return true;
}

static bool read_init(parser *p, zl_event *e)
{
    char text[65];
    if (!name(p, text)) return false;
    e->bar = find_bar(p, text);
    return e->bar >= 0 || bad(p, "no such bar");
}

static bool read_expect(parser *p, zl_event *e) { return bar_slot(p, e) && number(p, &e->count, 0, INT32_MAX); }

static bool read_arrive(parser *p, zl_event *e)
{
    if (!bar_slot(p, e)) return false;
    e->scope = word(p, "warps") ? ZL_BY_WARPS : word(p, "threads") ? ZL_BY_THREADS : ZL_BY_ONE;
    return true;
}

/* parity pos / stages % 2, or parity (pos / stages + 1) % 2 */
static bool read_parity(parser *p, zl_event *e)
{
    int64_t value;
    zl_scan before = p->scan;
    uint32_t stages = p->pipe->bars[e->bar].stages;
    bool flip = zl_scan_symbol(&p->scan, "(") && zl_scan_flipped(&p->scan);
    p->scan = before;
    if (flip && !symbol(p, "(")) return false;
    if (!position(p, &e->parity) || !symbol(p, "/") || !number(p, &value, 1, UINT32_MAX)) return false;
    if (value != stages) return bad(p, "the divisor is not the number of stages");
    if (flip && (!symbol(p, "+") || !number(p, &value, 1, 1) || !symbol(p, ")"))) return false;
    e->flip = flip;
    return symbol(p, "%") && number(p, &value, 2, 2);
}

static bool read_wait(parser *p, zl_event *e) { return bar_slot(p, e) && needs(p, "parity") && read_parity(p, e); }

static bool read_copy(parser *p, zl_event *e)
{
    return needs(p, "tensor") && number(p, &e->count, 1, INT32_MAX) && symbol(p, "->") && smem_slot(p, e, 0) &&
           part(p, e) && needs(p, "signal") && bar_slot(p, e);
}

static bool read_cpasync(parser *p, zl_event *e)
{
    return number(p, &e->count, 1, INT32_MAX) && symbol(p, "->") && smem_slot(p, e, 0) && part(p, e);
}

static bool read_store(parser *p, zl_event *e)
{
    return smem_slot(p, e, 0) && number(p, &e->count, 1, INT32_MAX) && part(p, e);
}

static bool group_name(parser *p, zl_event *e, bool waits)
{
    if (word(p, "wgmma")) e->scope = ZL_GROUP_WGMMA;
    else if (word(p, "cpasync")) e->scope = ZL_GROUP_CPASYNC;
    else if (waits && word(p, "bulk.read")) e->scope = ZL_GROUP_BULK_READ;
    else if (word(p, "bulk")) e->scope = ZL_GROUP_BULK;
    else return bad(p, "no such group");
    return true;
}

static bool read_commit(parser *p, zl_event *e) { return group_name(p, e, false); }
static bool read_waitgroup(parser *p, zl_event *e) { return group_name(p, e, true) && number(p, &e->count, 0, 63); }
static bool read_read(parser *p, zl_event *e) { return smem_slot(p, e, 0) && part(p, e); }

/* The bytes of a write matter in a ring, where they add up to the stage's. */
static bool read_write(parser *p, zl_event *e)
{
    if (!smem_slot(p, e, 0)) return false;
    zl_scan_number(&p->scan, &e->count);
    if (e->count > INT32_MAX) return bad(p, "a number is out of range");
    return (!word(p, "from") || acc_name(p, e)) && part(p, e);
}

static bool read_fence(parser *p, zl_event *e)
{
    if (word(p, "wgmma")) e->scope = ZL_FENCE_WGMMA;
    else if (word(p, "proxy.async")) e->scope = ZL_FENCE_PROXY;
    else if (word(p, "mbarrier_init")) e->scope = ZL_FENCE_MBARRIER;
    else return bad(p, "no such fence");
    return true;
}

static bool read_mma(parser *p, zl_event *e)
{
    if (!smem_slot(p, e, 0) || !symbol(p, ",") || !smem_slot(p, e, 1) || !symbol(p, "->") || !acc_name(p, e)) return false;
    e->fresh = word(p, "fresh");
    return true;
}

static bool read_sync(parser *p, zl_event *e)
{
    if (word(p, "role")) e->scope = ZL_SYNC_ROLE;
    else if (word(p, "cta")) e->scope = ZL_SYNC_CTA;
    else return bad(p, "no such sync");
    return p->role >= 0 || e->scope == ZL_SYNC_CTA || bad(p, "sync role stands outside a role");
}

enum { IN_SETUP = 1, IN_ROLE = 2 };

static const struct {
    const char *word;
    zl_event_kind kind;
    int where;
    bool (*read)(parser *p, zl_event *e);
} events[] = {
    {"for", ZL_EV_FOR, IN_ROLE, read_for},
    {"init", ZL_EV_INIT, IN_SETUP, read_init},
    {"expect", ZL_EV_EXPECT, IN_ROLE, read_expect},
    {"arrive", ZL_EV_ARRIVE, IN_ROLE, read_arrive},
    {"wait", ZL_EV_WAIT, IN_ROLE, read_wait},
    {"copy", ZL_EV_COPY, IN_ROLE, read_copy},
    {"cpasync", ZL_EV_CPASYNC, IN_ROLE, read_cpasync},
    {"store", ZL_EV_STORE, IN_ROLE, read_store},
    {"commit", ZL_EV_COMMIT, IN_ROLE, read_commit},
    {"waitgroup", ZL_EV_WAITGROUP, IN_ROLE, read_waitgroup},
    {"read", ZL_EV_READ, IN_ROLE, read_read},
    {"write", ZL_EV_WRITE, IN_ROLE, read_write},
    {"fence", ZL_EV_FENCE, IN_SETUP | IN_ROLE, read_fence},
    {"mma", ZL_EV_MMA, IN_ROLE, read_mma},
    {"sync", ZL_EV_SYNC, IN_SETUP | IN_ROLE, read_sync},
};

static zl_event *new_event(parser *p, zl_event_kind kind)
{
    zl_event *e = MORE(p, 5, events);
    if (!e) return NULL;
    *e = (zl_event){.kind = kind, .line = p->scan.line, .bar = -1, .smem = {-1, -1}, .acc = -1, .match = -1};
    for (int i = 0; i < 2; i++) e->at[i] = (zl_pos){-1, -1, -1, 0};
    e->bar_at = e->parity = (zl_pos){-1, -1, -1, 0};
    return e;
}

static bool read_event(parser *p)
{
    int here = p->role >= 0 ? IN_ROLE : IN_SETUP;
    for (size_t i = 0; i < ZL_COUNT(events); i++) {
        if (!word(p, events[i].word)) continue;
        if (!(events[i].where & here) || (here == IN_SETUP && p->pipe->roles_count))
            return bad(p, "the event does not belong here");
        zl_event *e = new_event(p, events[i].kind);
        return e && events[i].read(p, e);
    }
    return bad(p, "no such event");
}

/* ---- declarations ---- */

static bool read_param(parser *p)
{
    zl_param param = {0};
    if (!new_name(p, param.name) || !number(p, &param.least, 0, INT32_MAX) || !symbol(p, "..")) return false;
    zl_param *entry = MORE(p, 0, params);
    if (entry) *entry = param;
    return entry != NULL;
}

static bool stages(parser *p, uint32_t *out)
{
    int64_t value;
    if (!symbol(p, "[") || !number(p, &value, 1, 64) || !symbol(p, "]")) return false;
    *out = (uint32_t)value;
    return true;
}

static bool read_smem(parser *p)
{
    zl_smem smem = {0};
    if (!new_name(p, smem.name) || !stages(p, &smem.stages) || !number(p, &smem.bytes, 1, INT32_MAX)) return false;
    smem.each = word(p, "each");
    zl_smem *entry = MORE(p, 1, smems);
    if (entry) *entry = smem;
    return entry != NULL;
}

static bool read_bar(parser *p)
{
    zl_bar bar = {0};
    if (!new_name(p, bar.name) || !stages(p, &bar.stages) || !needs(p, "count") || !number(p, &bar.count, 0, INT32_MAX))
        return false;
    zl_bar *entry = MORE(p, 2, bars);
    if (entry) *entry = bar;
    return entry != NULL;
}

static bool warps_free(const parser *p, const zl_role *role)
{
    for (uint32_t i = 0; i < p->pipe->roles_count; i++) {
        const zl_role *r = &p->pipe->roles[i];
        if (role->first_warp <= r->last_warp && r->first_warp <= role->last_warp) return false;
    }
    return true;
}

static bool read_role(parser *p)
{
    zl_role role = {.line = p->scan.line};
    int64_t first, last, each;
    if (!new_name(p, role.name) || !needs(p, "warps") || !number(p, &first, 0, 31) || !symbol(p, "..") ||
        !number(p, &last, first, 31))
        return false;
    each = last - first + 1;
    if (word(p, "each") && !number(p, &each, 1, each)) return false;
    if ((last - first + 1) % each) return bad(p, "each does not divide the warps");
    role.first_warp = (uint32_t)first;
    role.last_warp = (uint32_t)last;
    role.each = (uint32_t)each;
    role.elect = word(p, "elect");
    role.begin = role.end = p->pipe->events_count;
    if (!warps_free(p, &role)) return bad(p, "a warp has two roles");
    if (!p->pipe->roles_count) p->pipe->setup = p->pipe->events_count;
    zl_role *entry = MORE(p, 4, roles);
    if (!entry) return false;
    *entry = role;
    p->role = (int32_t)p->pipe->roles_count - 1;
    return true;
}

static bool read_end(parser *p)
{
    if (p->role < 0) return bad(p, "end without a role");
    if (p->depth == 0) {
        p->pipe->roles[p->role].end = p->pipe->events_count;
        p->role = -1;
        return true;
    }
    zl_event *e = new_event(p, ZL_EV_END);
    if (!e) return false;
    e->match = (int32_t)p->loops[--p->depth];
    p->pipe->events[e->match].match = (int32_t)(e - p->pipe->events);
    return true;
}

static bool declaration(const parser *p) { return p->role < 0 && !p->pipe->roles_count; }

static bool read_line(parser *p)
{
    if (!p->pipe->name[0]) return needs(p, "pipe") && name(p, p->pipe->name);
    if (word(p, "end")) return read_end(p);
    if (p->role < 0 && word(p, "role")) return read_role(p);
    if (declaration(p) && word(p, "param")) return read_param(p);
    if (declaration(p) && word(p, "smem")) return read_smem(p);
    if (declaration(p) && word(p, "bar")) return read_bar(p);
    return read_event(p);
}

static void read_all(parser *p, const char *text, size_t length)
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
    parser p = {.ctx = ctx, .role = -1, .pipe = zl_alloc(ctx, 1, sizeof(zlay_pipe))};
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
