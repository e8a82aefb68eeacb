/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerates the orderings that a pipe requires: each wait's parity, each arrival's phase, each
 * write after the reads before it, each read after its write. For each it checks the path that the
 * proof gives: every edge has its claimed weight, and the sum is within the bound. The orderings
 * are listed from the classes by their rules, not taken from the proof. */
#include "pipe/replay/recheck/order.h"
#include "pipe/replay/recheck/read.h"

#include <string.h>

bool zl_rc_line(zl_rc_reader *in)
{
    if (in->next >= in->end) return zl_rc_refuse(in->r, "the proof ends too early", 0);
    in->next = zl_cursor_line(&in->at, in->next, in->end);
    return true;
}

bool zl_rc_bad(zl_rc_reader *in, const char *what) { return zl_rc_refuse(in->r, what, 0); }

typedef struct duty {
    const char *rule;
    int64_t bound;
    uint32_t from, to; /* to: any arrival or copy of the barrier, for lost-phase */
    bool any;
} duty;

/* The class of this kind for the same object; ZL_RC_CLASSES if it is missing, which no path
 * reaches. */
static uint32_t beside(const zl_recheck *r, int32_t kind, int32_t role, int32_t object)
{
    for (uint32_t i = 0; i < r->classes_count; i++)
        if (r->classes[i].kind == kind && r->classes[i].object == object &&
            (role < 0 || r->classes[i].role == role))
            return i;
    return ZL_RC_CLASSES;
}

/* The ordering that class i requires by itself; false: none. */
static bool duty_of(const zl_recheck *r, uint32_t i, duty *out)
{
    const zl_rc_class *c = &r->classes[i];
    if (c->kind > ZL_RC_ISSUE || c->kind == ZL_RC_PHASE) return false;
    int64_t stages = r->pipe->bars[c->object].stages;
    uint32_t phase = beside(r, ZL_RC_PHASE, -1, c->object);
    if (c->kind == ZL_RC_WAIT)
        *out = (duty){"parity", c->variant ? 2 * stages : stages, phase, i, false};
    else if (c->kind == ZL_RC_PASSED)
        *out = (duty){"lost-phase", c->variant ? 0 : stages, i, i, true};
    else *out = (duty){"overrun", stages, phase, i, false};
    return true;
}

/* The ordering that a write and another class require; false: none. */
static bool duty_between(const zl_recheck *r, uint32_t i, uint32_t k, duty *out)
{
    const zl_rc_class *w = &r->classes[i], *c = &r->classes[k];
    if (w->kind != ZL_RC_WRITE || w->object != c->object) return false;
    *out = (duty){"overwrite", r->pipe->smems[w->object].stages, k, i, false};
    if (c->kind == ZL_RC_DONE) return true;
    if (c->kind != ZL_RC_READ) return false;
    uint32_t full = w->variant
                        ? beside(r, ZL_RC_PHASE, -1, zl_rc_signalled(r, w))
                        : beside(r, c->variant ? ZL_RC_FENCED : ZL_RC_WROTE, w->role, w->object);
    *out = (duty){"read-before-full", 0, full, k, false};
    return true;
}

/* Whether a path may end at this class. */
static bool ends_well(const zl_recheck *r, const duty *d, uint32_t last)
{
    const zl_rc_class *c = &r->classes[last];
    if (!d->any) return last == d->to;
    return (c->kind == ZL_RC_ARRIVE || c->kind == ZL_RC_ISSUE) && c->total &&
           c->object == r->classes[d->from].object;
}

static bool read_number(zl_rc_reader *in, int64_t *out)
{
    return zl_cursor_number(&in->at, out) && *out <= INT32_MAX;
}

typedef struct path {
    uint32_t at[ZL_RC_CLASSES + 2], count;
    int64_t sum;
} path;

/* Reads `FROM +W K +W K ...`; each weight must be the edge's own. */
static bool read_path(zl_rc_reader *in, const duty *d, path *p)
{
    const zl_recheck *r = in->r;
    int64_t next, weight;
    *p = (path){.count = 0};
    if (!read_number(in, &next) || next != d->from) return zl_rc_bad(in, "a path from another class");
    p->at[p->count++] = d->from;
    while (!zl_cursor_done(&in->at)) {
        if (!zl_cursor_symbol(&in->at, "+") || !read_number(in, &weight) ||
            !read_number(in, &next) || next >= r->classes_count || p->count > ZL_RC_CLASSES)
            return zl_rc_bad(in, "no step of a path");
        if (zl_rc_edge(r, p->at[p->count - 1], (uint32_t)next) != weight)
            return zl_rc_bad(in, "a weight that the pipe does not show");
        p->at[p->count++] = (uint32_t)next;
        p->sum += weight;
    }
    return p->count > 1 || zl_rc_bad(in, "a path without a step");
}

/* Each inner class has an instance at every index; and no smaller class number would do, so
 * that a proof has one form. */
static bool check_inside(zl_rc_reader *in, const path *p)
{
    const zl_recheck *r = in->r;
    for (uint32_t i = 1; i + 1 < p->count; i++) {
        int64_t to = zl_rc_edge(r, p->at[i - 1], p->at[i]),
                from = zl_rc_edge(r, p->at[i], p->at[i + 1]);
        if (!r->classes[p->at[i]].total) return zl_rc_bad(in, "a path through a class with gaps");
        for (uint32_t k = 0; k < p->at[i]; k++)
            if (r->classes[k].total && zl_rc_edge(r, p->at[i - 1], k) == to &&
                zl_rc_edge(r, k, p->at[i + 1]) == from)
                return zl_rc_bad(in, "a path through a class where a lesser one would do");
    }
    return true;
}

/* A path ends where its ordering says, and at the class of the smallest number that would do. */
static bool check_end(zl_rc_reader *in, const duty *d, const path *p)
{
    const zl_recheck *r = in->r;
    uint32_t last = p->at[p->count - 1], before = p->at[p->count - 2];
    if (!ends_well(r, d, last)) return zl_rc_bad(in, "a path to another class");
    for (uint32_t k = 0; k < last; k++)
        if (ends_well(r, d, k) && zl_rc_edge(r, before, k) == zl_rc_edge(r, before, last))
            return zl_rc_bad(in, "a path to a class where a lesser one would do");
    bool begins = strcmp(d->rule, "parity") || r->classes[before].kind != ZL_RC_PHASE;
    return begins || zl_rc_bad(in, "a wait that orders its own beginning");
}

/* Reads and checks one ordering. */
static bool read_order(zl_rc_reader *in, const duty *d)
{
    int64_t bound;
    path p;
    bool proxy = !strcmp(d->rule, "read-before-full");
    if (!zl_rc_line(in)) return false;
    if (!zl_cursor_keyword(&in->at, "order") ||
        !(zl_cursor_keyword(&in->at, d->rule) || (proxy && zl_cursor_keyword(&in->at, "proxy"))) ||
        !zl_cursor_keyword(&in->at, "within") || !read_number(in, &bound) || bound != d->bound ||
        !zl_cursor_symbol(&in->at, ":"))
        return zl_rc_bad(in, "no order that the pipe needs");
    if (!read_path(in, d, &p) || !check_inside(in, &p) || !check_end(in, d, &p)) return false;
    return p.sum <= bound || zl_rc_bad(in, "a path that is too long");
}

bool zl_rc_orders(zl_rc_reader *in)
{
    duty d;
    for (uint32_t i = 0; i < in->r->classes_count; i++) {
        if (duty_of(in->r, i, &d) && !read_order(in, &d)) return false;
        for (uint32_t k = 0; k < in->r->classes_count; k++)
            if (duty_between(in->r, i, k, &d) && !read_order(in, &d)) return false;
    }
    return true;
}
