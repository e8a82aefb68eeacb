/* SPDX-License-Identifier: Apache-2.0 */
/* Parses events: each is a row of events.def, whose operands are read one by one by the
 * function that tokens.def names. */
#include "pipe/language/parse.h"

#include <stdio.h>
#include <string.h>

enum { BARRIER_LAST = 15 }; /* number of a named barrier */

static bool bad(zl_parser *p, const char *what) { return zl_parse_fail(p, ZLAY_EINVAL, what); }

static bool word(zl_parser *p, const char *text) { return zl_cursor_keyword(&p->at, text); }

static bool read_nothing(zl_parser *p, zl_event *e)
{
    (void)p, (void)e;
    return true;
}

/* ---- loops and barriers ---- */

/* Finds the param whose iterations, of a count each, a loop runs. A part that begins before the last ones needs these. */
static bool find_over(zl_parser *p, zl_event *e)
{
    for (uint32_t k = 0; k < p->pipe->params_count; k++) {
        int32_t of = p->pipe->params[k].of;
        if (of >= 0 && zl_loop_is_over(e, of)) e->over = of;
    }
    if (e->over < 0) return true;
    int64_t least = p->pipe->params[e->over].least;
    bool there = zl_from_last(&e->at[0], e->over) <= least && zl_from_last(&e->bar_at, e->over) <= least;
    return there || bad(p, "a part of a loop counts back more iterations than its param has at least");
}

static bool read_loop(zl_parser *p, zl_event *e)
{
    if (p->depth == ZL_PIPE_LOOPS)
        return zl_parse_fail(p, ZLAY_ELIMIT, "loops are nested deeper than 4");
    if (!zl_parse_new_name(p, e->name) || !zl_parse_needs(p, "in") ||
        !zl_parse_bare(p, &e->at[0]) || !zl_parse_symbol(p, "..") || !zl_parse_bare(p, &e->bar_at))
        return false;
    e->step = 1;
    if (word(p, "step") && !zl_parse_number(p, &e->step, 1, 1 << 20)) return false;
    if (!find_over(p, e)) return false;
    p->loops[p->depth++] = (uint32_t)(e - p->pipe->events);
    return true;
}

/* The index of the next name, which must be one of this sort. */
static bool known(zl_parser *p, int sort, int32_t *out, const char *what)
{
    char text[65];
    if (!zl_parse_name(p, text)) return false;
    *out = zl_find(p->pipe, sort, text);
    return *out >= 0 || bad(p, what);
}

static bool read_bar_name(zl_parser *p, zl_event *e)
{
    return known(p, ZL_OF_BAR, &e->bar, "no such bar");
}

static bool read_bar(zl_parser *p, zl_event *e)
{
    return read_bar_name(p, e) && zl_parse_slot(p, &e->bar_at, p->pipe->bars[e->bar].stages);
}

static bool read_parity(zl_parser *p, zl_event *e)
{
    return zl_parse_needs(p, "parity") && zl_parse_parity(p, e);
}

static bool read_signal(zl_parser *p, zl_event *e)
{
    (void)e;
    return zl_parse_needs(p, "signal");
}

static bool read_opt_signal(zl_parser *p, zl_event *e)
{
    if (e->scope != ZL_GROUP_TCGEN05) return true;
    return zl_parse_needs(p, "signal") && read_bar(p, e);
}

/* ---- numbers and words ---- */

/* A number of bytes; an expectation may be of none. */
static bool read_bytes(zl_parser *p, zl_event *e)
{
    int64_t least = e->kind == ZL_EV_COPY || e->kind == ZL_EV_CPASYNC || e->kind == ZL_EV_LOAD;
    return zl_parse_bytes(p, &e->count, &e->moved, least);
}

/* The bytes of a write, if given; in a ring they must add up to the stage. */
static bool read_opt_bytes(zl_parser *p, zl_event *e)
{
    zl_cursor before = p->at;
    char text[65];
    int64_t number;
    bool some = zl_cursor_number(&p->at, &number) ||
                (zl_cursor_name(&p->at, text) && zl_find(p->pipe, ZL_OF_MOVE, text) >= 0);
    p->at = before;
    return !some || read_bytes(p, e);
}

static bool read_number(zl_parser *p, zl_event *e)
{
    int64_t most = e->kind == ZL_EV_WAITGROUP ? 63 : e->kind == ZL_EV_SETMAXNREG ? 256 : INT32_MAX;
    return zl_parse_number(p, &e->count, 0, most);
}

static bool read_arrow(zl_parser *p, zl_event *e)
{
    (void)e;
    return zl_parse_symbol(p, "->");
}

static bool read_comma(zl_parser *p, zl_event *e)
{
    (void)e;
    return zl_parse_symbol(p, ",");
}

static bool read_way(zl_parser *p, zl_event *e)
{
    char what[32];
    const char *const *ways = zl_ways[p->token];
    for (int i = 0; i < ZL_WAYS; i++)
        if (ways[i] && word(p, ways[i])) {
            e->scope = i;
            return true;
        }
    snprintf(what, sizeof what, "no such %s", zl_forms[e->kind].word);
    return bad(p, what);
}

/* ---- memory ---- */

static bool smem_slot(zl_parser *p, zl_event *e, int i)
{
    return known(p, ZL_OF_SMEM, &e->smem[i], "no such smem") &&
           zl_parse_slot(p, &e->at[i], p->pipe->smems[e->smem[i]].stages);
}

static bool read_smem(zl_parser *p, zl_event *e) { return smem_slot(p, e, 0); }

static bool read_opt_from_smem(zl_parser *p, zl_event *e)
{
    return e->scope != ZL_COPY_SHARED || (zl_parse_needs(p, "from") && smem_slot(p, e, 1));
}

static bool other_slot(zl_parser *p, int32_t sort, int32_t *index, zl_pos *at, const char *what)
{
    int32_t found;
    if (!known(p, ZL_OF_OTHER, &found, what)) return false;
    if (p->pipe->others[found].sort != sort) return bad(p, what);
    *index = found;
    return zl_parse_slot(p, at, p->pipe->others[found].stages);
}

static bool global_slot(zl_parser *p, zl_event *e)
{
    return other_slot(p, ZL_OTHER_GLOBAL, &e->other, &e->other_at, "no such global");
}

/* Whether the next name is of this sort; reads nothing. */
static bool names(zl_parser *p, int sort)
{
    zl_cursor before = p->at;
    char text[65];
    bool found = zl_cursor_name(&p->at, text) && zl_find(p->pipe, sort, text) >= 0;
    p->at = before;
    return found;
}

static bool read_smem_or_global(zl_parser *p, zl_event *e)
{
    return names(p, ZL_OF_OTHER) ? global_slot(p, e) : smem_slot(p, e, 0);
}

static bool read_opt_to_global(zl_parser *p, zl_event *e)
{
    return !zl_cursor_symbol(&p->at, "->") || global_slot(p, e);
}

static bool read_flag(zl_parser *p, zl_event *e)
{
    return other_slot(p, ZL_OTHER_FLAG, &e->other, &e->other_at, "no such flag");
}

static bool read_map(zl_parser *p, zl_event *e)
{
    return other_slot(p, ZL_OTHER_MAP, &e->map, &e->map_at, "no such map");
}

static bool read_opt_by_map(zl_parser *p, zl_event *e) { return !word(p, "by") || read_map(p, e); }

static bool read_tmem_name(zl_parser *p, zl_event *e)
{
    return known(p, ZL_OF_TMEM, &e->tmem[0], "no such tmem");
}

static bool tmem_slot(zl_parser *p, zl_event *e, int i)
{
    return known(p, ZL_OF_TMEM, &e->tmem[i], "no such tmem") &&
           zl_parse_slot(p, &e->tmem_at[i], p->pipe->tmems[e->tmem[i]].stages);
}

static bool read_tmem(zl_parser *p, zl_event *e) { return tmem_slot(p, e, 0); }

static bool read_acc(zl_parser *p, zl_event *e) { return zl_parse_acc(p, &e->acc); }
static bool read_accs(zl_parser *p, zl_event *e) { return zl_parse_accs(p, e); }
static bool read_opt_body(zl_parser *p, zl_event *e) { return zl_parse_use(p, e); }

static bool read_opt_from_acc(zl_parser *p, zl_event *e) { return !word(p, "from") || read_acc(p, e); }

/* The use of the registers is an event of its own, behind this one. */
static bool read_opt_add(zl_parser *p, zl_event *e)
{
    if (!word(p, "add")) return true;
    if (e->smem[0] >= 0) return bad(p, "registers are added what is in global memory");
    e->uses = 1;
    p->list_count = 1;
    return zl_parse_acc(p, &p->list[0]);
}

static bool read_factor(zl_parser *p, zl_event *e)
{
    if (names(p, ZL_OF_TMEM)) return tmem_slot(p, e, 1);
    return names(p, ZL_OF_SMEM) ? smem_slot(p, e, 0) : zl_parse_acc(p, &e->acc_a);
}

static bool read_smem_or_acc(zl_parser *p, zl_event *e)
{
    return names(p, ZL_OF_SMEM) ? smem_slot(p, e, 0) : read_acc(p, e);
}

/* The second factor of a product; it is in registers only where the first is. */
static bool read_factor1(zl_parser *p, zl_event *e)
{
    return e->acc_a < 0 || names(p, ZL_OF_SMEM) ? smem_slot(p, e, 1) : zl_parse_acc(p, &e->acc_b);
}

static bool read_opt_scales(zl_parser *p, zl_event *e)
{
    if (!word(p, "scales")) return true;
    if (e->smem[0] < 0 || e->smem[1] < 0) return bad(p, "factors with scales are in shared memory");
    return tmem_slot(p, e, 1);
}

static bool read_sum(zl_parser *p, zl_event *e)
{
    if (e->smem[0] >= 0 && e->tmem[1] >= 0) return tmem_slot(p, e, 0);
    return e->acc_b < 0 && names(p, ZL_OF_TMEM) ? tmem_slot(p, e, 0) : read_acc(p, e);
}

/* ---- what may be missing ---- */

static bool read_opt_fresh(zl_parser *p, zl_event *e) { return e->fresh = word(p, "fresh"), true; }
static bool read_opt_clear(zl_parser *p, zl_event *e) { return e->clear = word(p, "clear"), true; }

static bool read_opt_part(zl_parser *p, zl_event *e)
{
    int64_t value = 0;
    if (word(p, "part") && !zl_parse_number(p, &value, 0, 255)) return false;
    e->part = (int32_t)value;
    return true;
}

static bool read_opt_scope(zl_parser *p, zl_event *e)
{
    e->scope = word(p, "warps") ? ZL_BY_WARPS : word(p, "threads") ? ZL_BY_THREADS : ZL_BY_ONE;
    return true;
}

static bool opt_number(zl_parser *p, const char *text, uint32_t *out, int64_t least, int64_t most)
{
    int64_t value = *out;
    if (word(p, text) && !zl_parse_number(p, &value, least, most)) return false;
    *out = (uint32_t)value;
    return true;
}

static bool read_opt_times(zl_parser *p, zl_event *e)
{
    return opt_number(p, "times", &e->times, 1, (1 << 20) - 1);
}

static bool read_opt_multicast(zl_parser *p, zl_event *e)
{
    return opt_number(p, "multicast", &e->multicast, 1, 65535);
}

static bool read_opt_cta(zl_parser *p, zl_event *e)
{
    int64_t rank;
    if (!word(p, "cta")) return true;
    if (word(p, "all")) {
        e->cta = ZL_CTA_ALL;
        return true;
    }
    e->relative = zl_cursor_symbol(&p->at, "+");
    if (!zl_parse_number(p, &rank, 0, p->pipe->blocks - 1)) return false;
    e->cta = (int32_t)rank;
    return true;
}

static bool read_opt_bar_cta(zl_parser *p, zl_event *e)
{
    int64_t rank;
    if (!word(p, "cta")) return true;
    if (!zl_parse_number(p, &rank, 0, p->pipe->blocks - 1)) return false;
    e->bar_cta = (int32_t)rank;
    return true;
}

static bool range(zl_parser *p, uint32_t *out, int64_t most)
{
    int64_t first, last;
    if (!zl_parse_number(p, &first, 0, most) || !zl_parse_symbol(p, "..") ||
        !zl_parse_number(p, &last, first, most))
        return false;
    out[0] = (uint32_t)first;
    out[1] = (uint32_t)last;
    return true;
}

static bool read_opt_lanes(zl_parser *p, zl_event *e)
{
    e->lanes[0] = 0;
    e->lanes[1] = 127;
    return !word(p, "lanes") || range(p, e->lanes, 65535);
}

static bool read_opt_columns(zl_parser *p, zl_event *e)
{
    e->columns[0] = 0;
    e->columns[1] = p->pipe->tmems[e->tmem[0]].columns - 1;
    return !word(p, "columns") || range(p, e->columns, 65535);
}

/* `+ instance` or `- instance` behind a barrier's number: each instance of the role has one of its own, all within 0 to 15. */
static bool read_instance(zl_parser *p, zl_event *e)
{
    uint32_t last = zl_role_instances(&p->pipe->roles[p->role]) - 1;
    bool adds = zl_cursor_take(&p->at, '+');
    if (!adds && !zl_cursor_take(&p->at, '-')) return true;
    if (!zl_parse_needs(p, "instance")) return false;
    e->named_step = adds ? 1 : -1;
    if (adds ? e->named + last <= BARRIER_LAST : e->named >= last) return true;
    return bad(p, adds ? "the last instance's barrier is above 15" : "the last instance's barrier is below 0");
}

static bool read_opt_named(zl_parser *p, zl_event *e)
{
    int64_t number;
    if (p->role < 0 && e->scope != ZL_SYNC_CTA && e->scope != ZL_SYNC_CLUSTER)
        return bad(p, "it belongs in a role");
    if (e->scope != ZL_SYNC_NAMED) return true;
    if (!zl_parse_number(p, &number, 0, BARRIER_LAST)) return false;
    e->named = (uint32_t)number;
    return read_instance(p, e) && zl_parse_number(p, &e->count, 1, 2048);
}

/* ---- a line ---- */

static bool (*const readers[ZL_T_COUNT])(zl_parser *p, zl_event *e) = {
#define TOKEN(name, function) [ZL_T_##name] = read_##function,
#include "pipe/language/tokens.def"
#undef TOKEN
};

static bool read_operands(zl_parser *p, zl_event_kind kind)
{
    uint32_t first = p->pipe->events_count;
    zl_event *e = zl_parse_new_event(p, kind);
    if (!e) return false;
    for (const uint8_t *token = zl_forms[kind].operands; *token; token++) {
        p->token = (zl_event_token)*token;
        if (!readers[*token](p, e)) return false;
    }
    return zl_parse_joined(p, first);
}

bool zl_parse_event(zl_parser *p)
{
    int here = p->role >= 0 ? ZL_IN_ROLE : ZL_IN_SETUP;
    char first = zl_cursor_peek(&p->at);
    for (zl_event_kind kind = ZL_EV_NONE + 1; kind < ZL_EV_END; kind++) {
        if (*zl_forms[kind].word != first || !word(p, zl_forms[kind].word)) continue;
        if (!(zl_forms[kind].where & here) || (here == ZL_IN_SETUP && p->pipe->roles_count))
            return bad(p, "the event does not belong here");
        return read_operands(p, kind);
    }
    return bad(p, "no such event");
}
