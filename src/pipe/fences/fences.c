/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the fewest fences that make a pipe correct. A set of places that the verifier refuses
 * is grown as long as it is refused; the places left out form a clause, because every correct
 * choice has a fence in one of them. A minimum hitting set of all clauses so far is asked
 * next, and the first that the verifier accepts is a minimum (implicit hitting set algorithm). */
#include "pipe/order/verify.h"
#include "pipe/language/parse.h"
#include "pipe/fences/fences.h"

#include <string.h>

enum { QUESTIONS = 2048 };

typedef struct search {
    zlay_ctx *ctx;
    const zlay_pipe *pipe;
    zl_fence_place place[ZL_PLACES];
    uint32_t places, asked;
    zl_event *events;             /* of the pipe that is asked, with room for every fence */
    zl_role *roles;
    zl_hitting hitting;
    zlay_pipe_reason reason;      /* of the last NO */
} search;

/* ---- a pipe with fences -------------------------------------------------------------------- */

static zl_event fence_at(const zl_event *before, int32_t way)
{
    zl_event fence = zl_event_of(ZL_EV_FENCE, before->line);
    fence.scope = way;
    return fence;
}

/* Loops and ends of roles name events by number: each moves by the fences before it. */
static void renumber(const search *s, zlay_pipe *edited, const uint32_t *moved)
{
    for (uint32_t i = 0; i < edited->events_count; i++)
        if (edited->events[i].match >= 0)
            edited->events[i].match = (int32_t)moved[edited->events[i].match];
    for (uint32_t r = 0; r < edited->roles_count; r++) {
        zl_role *role = &edited->roles[r];
        uint32_t length = role->end - role->begin;
        role->begin = r ? edited->roles[r - 1].end : edited->setup;
        role->end = role->begin + (length ? moved[s->pipe->roles[r].end - 1] + 1 - role->begin : 0);
    }
}

/* The pipe with the fences of a set added. */
static void edit(const search *s, zlay_pipe *edited, const zl_fence_set *set)
{
    uint32_t moved[1024] = {0}, at = 0, to = 0;
    const zlay_pipe *pipe = s->pipe;
    *edited = *pipe;
    edited->events = s->events;
    edited->roles = s->roles;
    memcpy(s->roles, pipe->roles, pipe->roles_count * sizeof *s->roles);
    for (uint32_t i = 0; i < pipe->events_count; i++) {
        if (i == pipe->setup) edited->setup = to;
        for (; at < s->places && s->place[at].event == i; at++)
            if (zl_fence_has(set, at)) s->events[to++] = fence_at(&pipe->events[i], s->place[at].way);
        moved[i] = to;
        s->events[to++] = pipe->events[i];
    }
    if (pipe->setup == pipe->events_count) edited->setup = to;
    edited->events_count = to;
    renumber(s, edited, moved);
}

/* ---- questions --------------------------------------------------------------------------------- */

static zlay_status ask(search *s, zlay_answer *answer, const zl_fence_set *set)
{
    zlay_pipe edited;
    size_t count = 0;
    if (s->asked++ == QUESTIONS)
        return zl_fail(s->ctx, ZLAY_ELIMIT, "more than %d questions to the verifier", QUESTIONS);
    edit(s, &edited, set);
    return zl_verify_part(s->ctx, answer, &s->reason, 1, &count, NULL, &edited);
}

/* The set with all places of [from, to) added. */
static zl_fence_set with(const zl_fence_set *set, uint32_t from, uint32_t to)
{
    zl_fence_set more = *set;
    for (uint32_t i = from; i < to; i++) zl_fence_add(&more, i);
    return more;
}

/* Grows a refused set until any further fence has it accepted; the places left out are a
 * clause. Places are added in batches, which double while refused and halve when accepted. */
static zlay_status add_clause(search *s, zl_fence_set refused)
{
    zlay_answer answer;
    zl_fence_set *clause = &s->hitting.clause[s->hitting.clauses];
    if (s->hitting.clauses == ZL_CLAUSES)
        return zl_fail(s->ctx, ZLAY_ELIMIT, "more than %d clauses", ZL_CLAUSES);
    memset(clause, 0, sizeof *clause);
    for (uint32_t i = 0, step = s->places; i < s->places;) {
        if (step > s->places - i) step = s->places - i;
        zl_fence_set more = with(&refused, i, i + step);
        zlay_status status = ask(s, &answer, &more);
        if (status) return status;
        if (answer == ZLAY_YES && step > 1) {
            step /= 2;
            continue;
        }
        if (answer == ZLAY_YES && !zl_fence_has(&refused, i)) zl_fence_add(clause, i);
        if (answer != ZLAY_YES) refused = more;
        i += step;
        step *= 2;
    }
    s->hitting.clauses++;
    return ZLAY_OK;
}

/* Asks with a fence at every place: what is still wrong no fence mends. */
static zlay_status ask_all(search *s)
{
    zl_fence_set all = {{0}};
    zlay_answer answer;
    for (uint32_t i = 0; i < s->places; i++) zl_fence_add(&all, i);
    zlay_status status = ask(s, &answer, &all);
    if (status || answer == ZLAY_YES) return status;
    if (answer == ZLAY_UNDECIDED) return ZLAY_ELIMIT;
    return zl_fail(s->ctx, ZLAY_NONE, "%s: line %u, with a fence wherever one may help",
                   zlay_pipe_rule_name(s->reason.rule), s->reason.line);
}

static zlay_status find(search *s, zl_fence_set *set)
{
    zlay_answer answer = ZLAY_NO;
    zlay_status status = ask_all(s);
    while (!status) {
        if (!zl_hitting_find(set, &s->hitting, s->places))
            return zl_fail(s->ctx, ZLAY_ELIMIT, "the choice among %u clauses is too wide",
                           s->hitting.clauses);
        status = ask(s, &answer, set);
        if (status || answer == ZLAY_YES) return status;
        status = add_clause(s, *set);
    }
    return status;
}

/* ---- the answer ---------------------------------------------------------------------------------- */

/* Prints the result and parses it again, so that its lines are those of the new text. */
static zlay_status give(search *s, zlay_pipe **out, const zl_fence_set *set)
{
    zlay_pipe edited;
    zlay_buf buf = {NULL, 0, 0};
    edit(s, &edited, set);
    zlay_status status = zlay_pipe_print(&buf, &edited);
    if (status && status != ZLAY_EROOM) return status;
    size_t room = buf.need + 1;
    buf = (zlay_buf){zl_scratch(s->ctx, room, 1), room, 0};
    if (!buf.text) return ZLAY_ENOMEM;
    status = zlay_pipe_print(&buf, &edited);
    return status ? status : zl_pipe_parse(s->ctx, out, buf.text, buf.need);
}

static void put_fences(const search *s, const zlay_pipe *pipe, const zl_fence_set *set,
                       zlay_pipe_fence *fences, size_t room, size_t *count)
{
    uint32_t at = 0, to = 0;
    *count = 0;
    for (uint32_t i = 0; i < s->pipe->events_count; i++, to++)
        for (; at < s->places && s->place[at].event == i; at++) {
            if (!zl_fence_has(set, at)) continue;
            if (*count < room)
                fences[*count] = (zlay_pipe_fence){pipe->events[to].line, 0,
                                                   zl_ways[ZL_T_FENCE_WAY][s->place[at].way]};
            ++*count;
            to++;
        }
}

static zlay_status search_begin(search *s)
{
    const zlay_pipe *pipe = s->pipe;
    if (!zl_fence_places(pipe, s->place, &s->places))
        return zl_fail(s->ctx, ZLAY_ELIMIT, "more than %d places for fences", ZL_PLACES);
    s->events = zl_scratch(s->ctx, pipe->events_count + s->places + 1, sizeof *s->events);
    s->roles = zl_scratch(s->ctx, pipe->roles_count + 1, sizeof *s->roles);
    return s->events && s->roles ? ZLAY_OK : ZLAY_ENOMEM;
}

static zlay_status search_all(zlay_ctx *ctx, zlay_pipe **out, zlay_pipe_fence *fences, size_t room,
                              size_t *count, const zlay_pipe *pipe)
{
    zl_fence_set set = {{0}};
    search *s = zl_scratch(ctx, 1, sizeof *s);
    if (!s) return ZLAY_ENOMEM;
    s->ctx = ctx;
    s->pipe = pipe;
    zlay_status status = search_begin(s);
    if (!status) status = find(s, &set);
    if (!status) status = give(s, out, &set);
    if (!status) put_fences(s, *out, &set, fences, room, count);
    return status;
}

zlay_status zlay_pipe_fences(zlay_ctx *ctx, zlay_pipe **out, zlay_pipe_fence *fences, size_t room,
                             size_t *count, const zlay_pipe *pipe)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!count || !pipe || (!fences && room)) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_leave(ctx, zl_whole(ctx, search_all(ctx, out, fences, room, count, pipe)));
    if (!status) return ZLAY_OK;
    zlay_pipe_free(*out);
    *out = NULL;
    return status;
}
