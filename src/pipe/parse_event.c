/* SPDX-License-Identifier: Apache-2.0 */
/* Events of the text form: each keyword a row of a table. */
#include "pipe/parse.h"

#include <string.h>

static bool bad(zl_parser *p, const char *what) { return zl_parse_fail(p, ZLAY_EINVAL, what); }

static bool word(zl_parser *p, const char *text) { return zl_scan_word(&p->scan, text); }

/* ---- positions ---- */

static bool term_name(zl_parser *p, zl_pos *pos, const char *text)
{
    char factor[65];
    int32_t loop = zl_find_loop(p, text), param = zl_find_param(p->pipe, text);
    if (loop >= 0) {
        if (pos->loop >= 0) return bad(p, "a position has two counters");
        pos->loop = loop;
        if (!zl_scan_symbol(&p->scan, "*")) return true;
        if (!zl_parse_name(p, factor)) return false;
        pos->times = zl_find_param(p->pipe, factor);
        return pos->times >= 0 || bad(p, "a counter is multiplied by what is no param");
    }
    if (param < 0) return bad(p, "a name is neither a counter nor a param");
    if (pos->plus >= 0) return bad(p, "a position adds two params");
    pos->plus = param;
    return true;
}

static bool term(zl_parser *p, zl_pos *pos, int sign)
{
    char text[65];
    int64_t value;
    if (zl_scan_number(&p->scan, &value)) {
        if (value > INT32_MAX) return bad(p, "a number is out of range");
        pos->add += sign * value;
        if (pos->add > INT32_MAX || pos->add < -INT32_MAX) return bad(p, "a sum is out of range");
        return true;
    }
    if (!zl_parse_name(p, text)) return false;
    return sign > 0 ? term_name(p, pos, text) : bad(p, "a name is subtracted");
}

/* What is added needs parentheses before % and /; `terms` says how many there were. */
static bool sum(zl_parser *p, zl_pos *pos, int *terms)
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

static bool position(zl_parser *p, zl_pos *pos)
{
    int terms;
    bool open = zl_scan_symbol(&p->scan, "(");
    if (!sum(p, pos, &terms)) return false;
    if (open) return zl_parse_symbol(p, ")");
    return terms == 1 || bad(p, "a sum needs parentheses");
}

static bool bare(zl_parser *p, zl_pos *pos)
{
    int terms;
    return sum(p, pos, &terms);
}

/* [pos % stages], or [number], which is below the stages with or without its modulus. */
static bool slot(zl_parser *p, zl_pos *pos, uint32_t stages)
{
    int64_t modulus;
    if (!zl_parse_symbol(p, "[") || !position(p, pos)) return false;
    bool constant = pos->loop < 0 && pos->plus < 0;
    if (zl_scan_symbol(&p->scan, "%")) {
        if (!zl_parse_number(p, &modulus, 1, UINT32_MAX)) return false;
        if (modulus != stages) return bad(p, "the modulus is not the number of stages");
    } else if (!constant) {
        return bad(p, "a position needs its modulus");
    }
    if (constant && (pos->add < 0 || pos->add >= stages)) return bad(p, "a slot is no stage");
    return zl_parse_symbol(p, "]");
}

static bool smem_slot(zl_parser *p, zl_event *e, int i)
{
    char text[65];
    if (!zl_parse_name(p, text)) return false;
    e->smem[i] = zl_find_smem(p->pipe, text);
    if (e->smem[i] < 0) return bad(p, "no such smem");
    return slot(p, &e->at[i], p->pipe->smems[e->smem[i]].stages);
}

static bool bar_slot(zl_parser *p, zl_event *e)
{
    char text[65];
    if (!zl_parse_name(p, text)) return false;
    e->bar = zl_find_bar(p->pipe, text);
    if (e->bar < 0) return bad(p, "no such bar");
    return slot(p, &e->bar_at, p->pipe->bars[e->bar].stages);
}

static bool part(zl_parser *p, zl_event *e)
{
    int64_t value = 0;
    if (word(p, "part") && !zl_parse_number(p, &value, 0, 255)) return false;
    e->part = (int32_t)value;
    return true;
}

static bool acc_name(zl_parser *p, zl_event *e)
{
    char text[65];
    if (!zl_parse_name(p, text)) return false;
    for (uint32_t i = 0; i < p->pipe->accs_count; i++)
        if (!strcmp(p->pipe->accs[i].name, text) && p->pipe->accs[i].role == p->role)
            e->acc = (int32_t)i;
    if (e->acc >= 0) return true;
    zl_acc *acc = ZL_MORE(p, 3, accs);
    if (!acc) return false;
    memcpy(acc->name, text, sizeof text);
    acc->role = p->role;
    e->acc = (int32_t)p->pipe->accs_count - 1;
    return true;
}

/* ---- events ---- */

static bool read_for(zl_parser *p, zl_event *e)
{
    if (p->depth == ZL_PIPE_LOOPS)
        return zl_parse_fail(p, ZLAY_ELIMIT, "loops are nested deeper than 4");
    if (!zl_parse_new_name(p, e->name) || !zl_parse_needs(p, "in") || !bare(p, &e->at[0]) ||
        !zl_parse_symbol(p, "..") || !bare(p, &e->bar_at))
        return false;
    p->loops[p->depth++] = (uint32_t)(e - p->pipe->events);
    return true;
}

static bool read_init(zl_parser *p, zl_event *e)
{
    char text[65];
    if (!zl_parse_name(p, text)) return false;
    e->bar = zl_find_bar(p->pipe, text);
    return e->bar >= 0 || bad(p, "no such bar");
}

static bool read_expect(zl_parser *p, zl_event *e)
{
    return bar_slot(p, e) && zl_parse_number(p, &e->count, 0, INT32_MAX);
}

static bool read_arrive(zl_parser *p, zl_event *e)
{
    if (!bar_slot(p, e)) return false;
    e->scope = word(p, "warps") ? ZL_BY_WARPS : word(p, "threads") ? ZL_BY_THREADS : ZL_BY_ONE;
    return true;
}

/* parity pos / stages % 2, or parity (pos / stages + 1) % 2 */
static bool read_parity(zl_parser *p, zl_event *e)
{
    int64_t value;
    zl_scan before = p->scan;
    uint32_t stages = p->pipe->bars[e->bar].stages;
    bool flip = zl_scan_symbol(&p->scan, "(") && zl_scan_flipped(&p->scan);
    p->scan = before;
    if (flip && !zl_parse_symbol(p, "(")) return false;
    if (!position(p, &e->parity) || !zl_parse_symbol(p, "/") ||
        !zl_parse_number(p, &value, 1, UINT32_MAX))
        return false;
    if (value != stages) return bad(p, "the divisor is not the number of stages");
    if (flip &&
        (!zl_parse_symbol(p, "+") || !zl_parse_number(p, &value, 1, 1) || !zl_parse_symbol(p, ")")))
        return false;
    e->flip = flip;
    return zl_parse_symbol(p, "%") && zl_parse_number(p, &value, 2, 2);
}

static bool read_wait(zl_parser *p, zl_event *e)
{
    return bar_slot(p, e) && zl_parse_needs(p, "parity") && read_parity(p, e);
}

static bool read_copy(zl_parser *p, zl_event *e)
{
    return zl_parse_needs(p, "tensor") && zl_parse_number(p, &e->count, 1, INT32_MAX) &&
           zl_parse_symbol(p, "->") && smem_slot(p, e, 0) && part(p, e) &&
           zl_parse_needs(p, "signal") && bar_slot(p, e);
}

static bool read_cpasync(zl_parser *p, zl_event *e)
{
    return zl_parse_number(p, &e->count, 1, INT32_MAX) && zl_parse_symbol(p, "->") &&
           smem_slot(p, e, 0) && part(p, e);
}

static bool read_store(zl_parser *p, zl_event *e)
{
    return smem_slot(p, e, 0) && zl_parse_number(p, &e->count, 1, INT32_MAX) && part(p, e);
}

static bool group_name(zl_parser *p, zl_event *e, bool waits)
{
    if (word(p, "wgmma")) e->scope = ZL_GROUP_WGMMA;
    else if (word(p, "cpasync")) e->scope = ZL_GROUP_CPASYNC;
    else if (waits && word(p, "bulk.read")) e->scope = ZL_GROUP_BULK_READ;
    else if (word(p, "bulk")) e->scope = ZL_GROUP_BULK;
    else return bad(p, "no such group");
    return true;
}

static bool read_commit(zl_parser *p, zl_event *e) { return group_name(p, e, false); }
static bool read_waitgroup(zl_parser *p, zl_event *e)
{
    return group_name(p, e, true) && zl_parse_number(p, &e->count, 0, 63);
}
static bool read_read(zl_parser *p, zl_event *e) { return smem_slot(p, e, 0) && part(p, e); }

/* The bytes of a write matter in a ring, where they add up to the stage's. */
static bool read_write(zl_parser *p, zl_event *e)
{
    if (!smem_slot(p, e, 0)) return false;
    zl_scan_number(&p->scan, &e->count);
    if (e->count > INT32_MAX) return bad(p, "a number is out of range");
    return (!word(p, "from") || acc_name(p, e)) && part(p, e);
}

static bool read_fence(zl_parser *p, zl_event *e)
{
    if (word(p, "wgmma")) e->scope = ZL_FENCE_WGMMA;
    else if (word(p, "proxy.async")) e->scope = ZL_FENCE_PROXY;
    else if (word(p, "mbarrier_init")) e->scope = ZL_FENCE_MBARRIER;
    else return bad(p, "no such fence");
    return true;
}

static bool read_mma(zl_parser *p, zl_event *e)
{
    if (!smem_slot(p, e, 0) || !zl_parse_symbol(p, ",") || !smem_slot(p, e, 1) ||
        !zl_parse_symbol(p, "->") || !acc_name(p, e))
        return false;
    e->fresh = word(p, "fresh");
    return true;
}

static bool read_sync(zl_parser *p, zl_event *e)
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
    bool (*read)(zl_parser *p, zl_event *e);
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

zl_event *zl_parse_new_event(zl_parser *p, zl_event_kind kind)
{
    if (p->pipe->events_count == ZL_PIPE_EVENTS) {
        zl_parse_fail(p, ZLAY_ELIMIT, "more than 1024 events");
        return NULL;
    }
    zl_event *e = ZL_MORE(p, 5, events);
    if (!e) return NULL;
    *e = (zl_event){
        .kind = kind, .line = p->scan.line, .bar = -1, .smem = {-1, -1}, .acc = -1, .match = -1};
    for (int i = 0; i < 2; i++) e->at[i] = (zl_pos){-1, -1, -1, 0};
    e->bar_at = e->parity = (zl_pos){-1, -1, -1, 0};
    return e;
}

bool zl_parse_event(zl_parser *p)
{
    int here = p->role >= 0 ? IN_ROLE : IN_SETUP;
    for (size_t i = 0; i < ZL_COUNT(events); i++) {
        if (!word(p, events[i].word)) continue;
        if (!(events[i].where & here) || (here == IN_SETUP && p->pipe->roles_count))
            return bad(p, "the event does not belong here");
        zl_event *e = zl_parse_new_event(p, events[i].kind);
        return e && events[i].read(p, e);
    }
    return bad(p, "no such event");
}
