/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that grow in working memory of the call while facts and expressions are read: the unknowns
 * by name, what each fact says of one of them, and the relations of several.  A name is found by
 * comparing it with every other, for a call has few. */
#include "algebra/facts/form.h"

#include <string.h>

enum { ROOM = 8 };

void zl_unknowns_begin(zl_unknowns *u, zlay_ctx *ctx) { *u = (zl_unknowns){ctx, NULL, 0, 0}; }

/* A longer copy of an array of `*room` items; NULL: no memory. */
static void *longer(zlay_ctx *ctx, const void *old, size_t *room, size_t size)
{
    size_t more = *room ? 2 * *room : ROOM;
    void *new = zl_scratch(ctx, more, size);
    if (new && old) memcpy(new, old, *room * size);
    if (new) *room = more;
    return new;
}

static size_t find(const zl_unknown *at, size_t count, const char *name, size_t length)
{
    size_t i = 0;
    while (i < count &&
           (strlen(at[i].name.text) != length || memcmp(at[i].name.text, name, length)))
        i++;
    return i;
}

zlay_status zl_unknowns_add(zl_unknowns *u, size_t *place, const char *name, size_t length)
{
    uint64_t limit = zl_limits(u->ctx)->dims;
    *place = find(u->at, u->count, name, length);
    if (*place < u->count) return ZLAY_OK;
    if (u->count == limit)
        return zl_fail(u->ctx, ZLAY_ELIMIT, "limits.dims is %llu and there are more unknowns",
                       (unsigned long long)limit);
    if (u->count == u->room) {
        zl_unknown *at = longer(u->ctx, u->at, &u->room, sizeof *at);
        if (!at) return ZLAY_ENOMEM;
        u->at = at;
    }
    zl_unknown *new = &u->at[u->count++];
    *new = (zl_unknown){.range = zl_range_all()};
    memcpy(new->name.text, name, length);
    return ZLAY_OK;
}

size_t zl_facts_place(const zlay_facts *facts, const char *name)
{
    return find(facts->at, facts->count, name, strlen(name));
}

zlay_range zl_facts_range(const zlay_facts *facts, const char *name)
{
    size_t count = facts ? facts->count : 0;
    size_t i = count ? find(facts->at, count, name, strlen(name)) : 0;
    return i < count ? facts->at[i].range : zl_range_all();
}

/* ---- what facts say -------------------------------------------------------------------- */

zlay_status zl_constraints_add(zl_constraints *c, zl_constraint what)
{
    if (c->count == c->room) {
        zl_constraint *at = longer(c->ctx, c->at, &c->room, sizeof *at);
        if (!at) return ZLAY_ENOMEM;
        c->at = at;
    }
    c->at[c->count++] = what;
    return ZLAY_OK;
}

zlay_status zl_relations_add(zl_constraints *c, const zl_relation_fact *what)
{
    if (c->relations == c->relation_room) {
        zl_relation_fact *at = longer(c->ctx, c->relation, &c->relation_room, sizeof *at);
        if (!at) return ZLAY_ENOMEM;
        c->relation = at;
    }
    c->relation[c->relations++] = *what;
    return ZLAY_OK;
}
