/* SPDX-License-Identifier: Apache-2.0 */
/* Facts: what their texts say about each unknown, and whether that can be. */
#include "algebra/facts/facts.h"
#include "algebra/facts/form.h"

#include <stdio.h>
#include <string.h>

/* ---- facts ------------------------------------------------------------------------- */

typedef struct texts {
    size_t count;
    const char *const *text;
    const size_t *length;
} texts;

/* The failure of one text, with its number before the message. */
static zlay_status of_fact(zlay_ctx *ctx, zlay_status status, size_t fact)
{
    char message[1024];
    if (!status || status == ZLAY_ENOMEM) return status;
    snprintf(message, sizeof message, "%s", zlay_ctx_message(ctx));
    return zl_fail(ctx, status, "fact %zu: %s", fact, message);
}

static zlay_status read_fact(const texts *t, size_t i, zl_unknowns *u, zl_constraints *out)
{
    zl_cursor c;
    zlay_status status = zl_cursor_begin(&c, u->ctx, t->text[i], t->length[i]);
    if (!status) status = zl_unknowns_scan(u, t->text[i], t->length[i]);
    if (!status) status = zl_fact_parse(&c, u, out, i);
    return of_fact(u->ctx, status, i);
}

/* ---- contradictions ---------------------------------------------------------------- */

enum { SHOWN_MOST = 8 };

typedef struct conflict {
    const zl_constraints *all;
    size_t place, count, last; /* constraints before `last` do not contradict each other */
    size_t needed[SHOWN_MOST];
} conflict;

/* The constraint that, added to those that are needed and to all before it, contradicts them. */
static size_t transition(const conflict *w)
{
    zlay_range range = zl_range_all();
    for (size_t i = 0; i < w->count; i++)
        range = zl_range_meet(range, w->all->at[w->needed[i]].range);
    size_t i = 0;
    if (zl_range_is_empty(range)) return w->all->count;
    for (; i < w->last; i++) {
        if (w->all->at[i].place != w->place) continue;
        range = zl_range_meet(range, w->all->at[i].range);
        if (zl_range_is_empty(range)) return i;
    }
    return w->all->count;
}

static void conflict_text(zl_text *out, const conflict *w, const texts *t)
{
    for (size_t i = w->count; i-- > 0;) {
        char quoted[256];
        size_t fact = w->all->at[w->needed[i]].fact;
        zl_putf(out, "%s%zu ('%s')", i + 1 == w->count ? "" : i ? ", " : " and ", fact,
                zl_quote(quoted, t->text[fact], t->length[fact]));
    }
}

static zlay_status contradicts(zlay_ctx *ctx, conflict *w, const texts *t)
{
    char list[SHOWN_MOST * 300];
    zl_text text = {list, sizeof list - 1, 0};
    size_t next;
    w->needed[w->count++] = w->last;
    while (w->count < SHOWN_MOST && (next = transition(w)) < w->all->count)
        w->needed[w->count++] = next;
    conflict_text(&text, w, t);
    list[text.need < sizeof list ? text.need : sizeof list - 1] = 0;
    return zl_fail(ctx, ZLAY_EINVAL, "facts %s contradict each other", list);
}

static zlay_status meet_all(zl_unknowns *u, const zl_constraints *c, const texts *t)
{
    for (size_t i = 0; i < c->count; i++) {
        zlay_range *range = &u->at[c->at[i].place].range;
        *range = zl_range_meet(*range, c->at[i].range);
        conflict w = {.all = c, .place = c->at[i].place, .last = i};
        if (zl_range_is_empty(*range)) return contradicts(u->ctx, &w, t);
    }
    size_t fact;
    if (zl_relations_tighten(u->at, c->relation, c->relations, &fact)) return ZLAY_OK;
    char quoted[256];
    fact = c->relation[fact].fact;
    return zl_fail(u->ctx, ZLAY_EINVAL, "fact %zu ('%s') contradicts the others", fact,
                   zl_quote(quoted, t->text[fact], t->length[fact]));
}

/* ---- the object -------------------------------------------------------------------- */

static zlay_status make(zlay_ctx *ctx, zlay_facts **out, const zl_unknowns *u,
                        const zl_constraints *c)
{
    size_t more = c->relations * sizeof *c->relation, tail = u->count * sizeof(zl_unknown);
    size_t bytes = sizeof(zlay_facts) + more + tail;
    zlay_facts *facts = zl_alloc(ctx, 1, bytes);
    if (!facts) return ZLAY_ENOMEM;
    char *end = (char *)(facts + 1);
    if (more) memcpy(end, c->relation, more);
    if (tail) memcpy(end + more, u->at, tail);
    facts->alloc = zl_allocator(ctx);
    facts->bytes = bytes;
    facts->count = u->count;
    facts->relations = c->relations;
    facts->relation = (const zl_relation_fact *)(const void *)end;
    facts->at = (const zl_unknown *)(const void *)(end + more);
    *out = facts;
    return ZLAY_OK;
}

static zlay_status parse(zlay_ctx *ctx, zlay_facts **out, const texts *t)
{
    zl_constraints c = {.ctx = ctx};
    zl_unknowns u;
    zlay_status status = ZLAY_OK;
    zl_unknowns_begin(&u, ctx);
    for (size_t i = 0; i < t->count && !status; i++) status = read_fact(t, i, &u, &c);
    if (!status) status = meet_all(&u, &c, t);
    return status ? status : make(ctx, out, &u, &c);
}

zlay_status zl_facts_parse(zlay_ctx *ctx, zlay_facts **out, size_t count, const char *const *text,
                           const size_t *length)
{
    texts t = {count, text, length};
    zl_mark mark = zl_enter_part(ctx);
    zlay_status status = ZLAY_OK;
    if (count && (!text || !length)) status = zl_fail(ctx, ZLAY_EINVAL, "the facts are NULL");
    return zl_leave_part(ctx, mark, status ? status : parse(ctx, out, &t));
}

zlay_status zlay_facts_parse(zlay_ctx *ctx, zlay_facts **out, size_t count,
                             const char *const *text, const size_t *length)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, zl_facts_parse(ctx, out, count, text, length));
}

void zlay_facts_free(zlay_facts *facts)
{
    if (!facts) return;
    zlay_allocator alloc = facts->alloc;
    zl_free(&alloc, facts, facts->bytes);
}

size_t zlay_facts_count(const zlay_facts *facts)
{
    return facts ? facts->count : 0;
}

const char *zlay_facts_nth(zlay_range *out, const zlay_facts *facts, size_t i)
{
    if (!facts || i >= facts->count) return NULL;
    if (out) *out = facts->at[i].range;
    return facts->at[i].name.text;
}

/* ---- expressions ------------------------------------------------------------------- */

static zlay_status of_expression(zl_cursor *c, zlay_range *out, const zl_unknowns *u,
                                 const zlay_facts *facts)
{
    zl_linears f = {0};
    zlay_status status = zl_linears_begin(&f, u);
    if (status) return status;
    status = zl_linear_parse(c, &f, NULL);
    if (!status) status = zl_cursor_end(c);
    zlay_range range = status ? zl_range_all() : zl_linear_range(f.at, u->at, u->count);
    if (!status && !f.at->linear) range = zl_range_meet(range, zl_linear_exact(&f));
    if (!status && zl_range_is_empty(range))
        status = zl_fail(c->ctx, ZLAY_EINVAL, "the expression divides by 0 for all values");
    if (!status && facts && facts->relations)
        status = zl_relations_of(c->ctx, &range, facts, f.at, u);
    if (!status) *out = range;
    return status;
}

static zlay_status of_text(zlay_ctx *ctx, zlay_range *out, const zlay_facts *facts,
                           const char *text, size_t length)
{
    zl_unknowns u;
    zl_cursor c;
    zlay_status status = zl_cursor_begin(&c, ctx, text, length);
    if (status) return status;
    zl_unknowns_begin(&u, ctx);
    status = zl_unknowns_scan(&u, text, length);
    for (size_t i = 0; i < u.count; i++)
        u.at[i].range = zl_facts_range(facts, u.at[i].name.text);
    return status ? status : of_expression(&c, out, &u, facts);
}

zlay_status zl_facts_eval(zlay_ctx *ctx, zlay_range *out, const zlay_facts *facts,
                          const char *text, size_t length)
{
    zlay_range range;
    zl_mark mark = zl_enter_part(ctx);
    zlay_status status = of_text(ctx, &range, facts, text, length);
    if (!status) status = zl_charge(ctx, 0);
    if (!status) *out = range;
    return zl_leave_part(ctx, mark, status);
}

zlay_status zlay_facts_eval(zlay_ctx *ctx, zlay_range *out, const zlay_facts *facts,
                            const char *text, size_t length)
{
    if (!out) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, zl_facts_eval(ctx, out, facts, text, length));
}
