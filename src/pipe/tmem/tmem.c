/* SPDX-License-Identifier: Apache-2.0 */
/* Checks each event on tensor memory by itself against the instruction rules of its target, and
 * each allocation against those before it. Broken rules are rows of tmem.def. */
#include "pipe/tmem/tmem.h"

#include <string.h>
#include <zlay/tmem.h>

/* ---- rows ------------------------------------------------------------------------------- */

static const zlay_tmem_row rows[] = {
    [ZL_TMEM_ROW_NONE] = {0},
#define TMEM_ROW(id, rule, text, source) [ZL_ROW_##id] = {#id, text, source, ZLAY_PIPE_##rule, 0},
#include "pipe/tmem/tmem.def"
};

uint32_t zlay_tmem_row_count(void)
{
    return (uint32_t)ZL_COUNT(rows) - 1;
}

zlay_status zlay_tmem_row_info(zlay_tmem_row *out, uint32_t row)
{
    zlay_rule rule;
    if (!out) return ZLAY_EINVAL;
    if (!row || row >= ZL_COUNT(rows)) return ZLAY_NONE;
    zlay_tmem_row found = rows[row];
    if (!found.text && !zlay_rule_find(&rule, found.id, strlen(found.id))) {
        found.text = rule.text;
        found.source = rule.source;
    }
    *out = found;
    return ZLAY_OK;
}

/* ---- rules of single instructions --------------------------------------------------------- */

/* A target with tensor memory: a pipe names none, and all that have it agree. */
static const zlay_target *tensor_target(void)
{
    const zlay_target *target = NULL;
    zlay_tmem_issue probe = {.op = ZLAY_TMEM_ALLOC, .columns = 32};
    zlay_verdict verdict = {.answer = ZLAY_NO};
    for (size_t i = 0; verdict.answer != ZLAY_YES && (target = zlay_target_nth(i)); i++)
        zlay_tmem_issue_check(&verdict, NULL, 0, target, &probe);
    return target;
}

/* The first row that an instruction breaks; 0: none. */
static uint32_t broken_row(const zlay_target *target, const zlay_tmem_issue *issue,
                           int64_t *found, int64_t *wanted)
{
    zlay_reason reasons[8];
    zlay_verdict verdict;
    zlay_rule rule;
    zlay_tmem_issue_check(&verdict, reasons, ZL_COUNT(reasons), target, issue);
    for (uint32_t i = 0; i < verdict.broken && i < ZL_COUNT(reasons); i++) {
        zlay_rule_info(&rule, reasons[i].rule);
        for (uint32_t row = 1; row < ZL_COUNT(rows); row++)
            if (!strcmp(rows[row].id, rule.id)) {
                *found = (int64_t)reasons[i].value;
                *wanted = (int64_t)reasons[i].lo;
                return row;
            }
    }
    return 0;
}

static void check_columns(const zl_tmem_ask *ask, const zlay_target *target, const zl_event *e)
{
    int64_t found, wanted, columns = zl_tmem_columns(&ask->pipe->tmems[e->tmem[0]]);
    zlay_tmem_issue issue = {.op = ZLAY_TMEM_ALLOC,
                             .columns = columns > UINT32_MAX ? UINT32_MAX : (uint32_t)columns};
    uint32_t row = broken_row(target, &issue, &found, &wanted);
    if (row) zl_tmem_fault(ask, row, e, 0, found, wanted);
}

/* Checks a quarter of the lanes, accessed by whichever warp of an instance reaches it. */
static uint32_t quarter_row(const zlay_target *target, uint32_t first_warp, uint32_t warps,
                            uint32_t lane)
{
    int64_t found, wanted;
    uint32_t row = 0;
    for (uint32_t w = first_warp; w < first_warp + warps; w++) {
        zlay_tmem_issue issue = {.op = ZLAY_TMEM_LD, .address = lane * ZLAY_TMEM_LANE, .num = 1,
                                 .shape = ZLAY_TMEM_32X32B, .warp = w,
                                 .given = ZLAY_TMEM_GIVEN_WARP};
        row = broken_row(target, &issue, &found, &wanted);
        if (!row) return 0;
    }
    return row;
}

/* Each instance reaches the lanes that its warps reach together. */
static void check_lanes(const zl_tmem_ask *ask, const zlay_target *target, const zl_event *e,
                        const zl_role *role)
{
    for (uint32_t w = role->first_warp; w <= role->last_warp; w += role->each)
        for (uint32_t lane = e->lanes[0] / 32 * 32; lane <= e->lanes[1]; lane += 32) {
            uint32_t row = quarter_row(target, w, role->each, lane);
            if (row) zl_tmem_fault(ask, row, e, role->line, lane, w % 4 * 32);
            if (row || lane >= ZLAY_TMEM_LANES) return;
        }
}

static void check_owned(const zl_tmem_ask *ask, const zl_event *e)
{
    const zl_tmem *t = &ask->pipe->tmems[e->tmem[0]];
    if (e->columns[1] >= t->columns)
        zl_tmem_fault(ask, ZL_ROW_TMEM_OWNED_LAST, e, 0, e->columns[1] + 1, t->columns);
}

/* ---- events -------------------------------------------------------------------------------- */

const zl_role *zl_tmem_role(const zlay_pipe *pipe, const zl_event *e)
{
    uint32_t at = (uint32_t)(e - pipe->events);
    for (uint32_t r = 0; r < pipe->roles_count; r++)
        if (at >= pipe->roles[r].begin && at < pipe->roles[r].end) return &pipe->roles[r];
    return NULL;
}

static void check_event(const zl_tmem_ask *ask, const zlay_target *target, const zl_event *e)
{
    const zl_role *role = zl_tmem_role(ask->pipe, e);
    bool lone = role && role->elect;
    switch (e->kind) {
    case ZL_EV_ALLOC: check_columns(ask, target, e); /* fall through */
    case ZL_EV_DEALLOC:
    case ZL_EV_RELINQUISH:
        if (lone || (role && role->each > 1))
            zl_tmem_fault(ask, ZL_ROW_TMEM_ALLOC_WARP, e, role->line, lone ? 1 : role->each * 32,
                          32);
        return;
    case ZL_EV_TLD:
    case ZL_EV_TST:
        check_owned(ask, e);
        if (role) check_lanes(ask, target, e, role); /* fall through */
    case ZL_EV_TWAIT:
        if (lone) zl_tmem_fault(ask, ZL_ROW_TMEM_WHOLE_WARPS, e, role->line, 1, 32);
        return;
    default: return;
    }
}

/* The first event of this kind that names a tmem; NULL: none. */
static const zl_event *first_of(const zlay_pipe *pipe, zl_event_kind kind, int32_t tmem)
{
    for (uint32_t i = 0; i < pipe->events_count; i++)
        if (pipe->events[i].kind == kind && pipe->events[i].tmem[0] == tmem)
            return &pipe->events[i];
    return NULL;
}

/* All allocations of a kernel are of pairs or none is; pairs are whole, and meet before they
 * allocate. */
static void check_pair(const zl_tmem_ask *ask, const zl_event *alloc, const zl_event *before)
{
    const zlay_pipe *pipe = ask->pipe;
    bool pair = pipe->tmems[alloc->tmem[0]].pair, met = false;
    uint32_t at = (uint32_t)(alloc - pipe->events);
    if (before && pipe->tmems[before->tmem[0]].pair != pair)
        zl_tmem_fault(ask, ZL_ROW_TMEM_GROUP_ALIKE, alloc, before->line, pair + 1, !pair + 1);
    if (!pair) return;
    if (pipe->blocks % 2)
        zl_tmem_fault(ask, ZL_ROW_TMEM_PAIR_BLOCKS, alloc, 0, pipe->blocks, pipe->blocks + 1);
    for (uint32_t i = 0; i < at && i < pipe->setup; i++)
        met = met || (pipe->events[i].kind == ZL_EV_SYNC && pipe->events[i].scope == ZL_SYNC_CLUSTER);
    if (at < pipe->setup && !met) zl_tmem_fault(ask, ZL_ROW_TMEM_PAIR_LAUNCHED, alloc, 0, 0, 1);
}

static void check_allocations(const zl_tmem_ask *ask)
{
    const zl_event *before = NULL;
    for (uint32_t t = 0; t < ask->pipe->tmems_count; t++) {
        const zl_event *alloc = first_of(ask->pipe, ZL_EV_ALLOC, (int32_t)t);
        if (!alloc) continue;
        check_pair(ask, alloc, before);
        before = alloc;
    }
}

void zl_tmem_events(const zl_tmem_ask *ask)
{
    const zlay_target *target = tensor_target();
    for (uint32_t i = 0; i < ask->pipe->events_count; i++)
        check_event(ask, target, &ask->pipe->events[i]);
    check_allocations(ask);
}
