/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the request of a schedule: numbers in range, names that differ, sums that fit.  It gives
 * each edge its latency and each use of a value its distance, and finds the components: sets of
 * operations that edges, and buffers that are filled again, bind to each other both ways.  They
 * move only together, the others can be delayed by whole intervals. */
#include "pipe/schedule/loop.h"

#include <stdio.h>
#include <string.h>

enum { SHORT = 256 };

static zlay_status wrong(zlay_ctx *ctx, const char *list, uint32_t i, const char *what)
{
    return zl_fail(ctx, ZLAY_EINVAL, "%s[%u].%s", list, i, what);
}

static const char *quoted(char *out, const char *name)
{
    return zl_quote(out, name, strlen(name));
}

/* Whether b is the name of a later copy of a: a.1, a.2, ... */
static bool names_copy(const char *a, const char *b, uint32_t copies)
{
    char number[16];
    size_t length = strlen(a);
    if (strncmp(a, b, length) || b[length] != '.') return false;
    for (uint32_t c = 1; c < copies; c++) {
        snprintf(number, sizeof number, "%u", c);
        if (!strcmp(b + length + 1, number)) return true;
    }
    return false;
}

static zlay_status check_names(zlay_ctx *ctx, const zlay_schedule_request *r, uint32_t copies)
{
    char a[SHORT], b[SHORT];
    for (uint32_t i = 0; i < r->ops; i++)
        for (uint32_t j = 0; j < r->ops; j++) {
            const char *one = r->op[i].name, *two = r->op[j].name;
            if (i < j && !strcmp(one, two))
                return zl_fail(ctx, ZLAY_EINVAL, "ops[%u].name: '%s' is the name of ops[%u] too", j,
                               quoted(a, two), i);
            if (i != j && names_copy(one, two, copies))
                return zl_fail(ctx, ZLAY_EINVAL, "ops[%u].name: '%s' is the name of a copy of '%s'",
                               j, quoted(a, two), quoted(b, one));
        }
    return ZLAY_OK;
}

static zlay_status check_lists(zlay_ctx *ctx, const zlay_schedule_request *r)
{
    for (uint32_t i = 0; i < r->units; i++)
        if (!r->unit[i].name) return wrong(ctx, "units", i, "name: it is NULL");
    for (uint32_t i = 0; i < r->spaces; i++)
        if (!r->space[i].name) return wrong(ctx, "capacity", i, "name: it is NULL");
    for (uint32_t i = 0; i < r->ops; i++) {
        if (!r->op[i].name) return wrong(ctx, "ops", i, "name: it is NULL");
        if (r->op[i].unit >= r->units) return wrong(ctx, "ops", i, "unit: no such unit");
        if (r->op[i].reserved) return wrong(ctx, "ops", i, "reserved: it is not 0");
    }
    for (uint32_t i = 0; i < r->edges; i++) {
        const zlay_schedule_edge *e = &r->edge[i];
        if (e->from >= r->ops) return wrong(ctx, "edges", i, "from: no such operation");
        if (e->to >= r->ops) return wrong(ctx, "edges", i, "to: no such operation");
        if (e->latency_of_op > 1 || e->reserved || (e->latency_of_op && e->latency))
            return wrong(ctx, "edges", i, "latency: of the edge or of the operation, not both");
    }
    for (uint32_t i = 0; i < r->values; i++) {
        const zlay_schedule_value *v = &r->value[i];
        if (v->def >= r->ops) return wrong(ctx, "values", i, "def: no such operation");
        if (v->space >= r->spaces) return wrong(ctx, "values", i, "space: it has no capacity");
        if (v->use_count > ZLAY_SCHEDULE_EDGES || (v->use_count && !v->uses))
            return wrong(ctx, "values", i, "uses: too many, or NULL");
        for (uint64_t u = 0; u < v->use_count; u++)
            if (v->uses[u] >= r->ops) return wrong(ctx, "values", i, "uses: no such operation");
    }
    return ZLAY_OK;
}

static zlay_status check_frame(zlay_ctx *ctx, const zlay_schedule_request *r)
{
    uint64_t copies = r->copies ? r->copies : 1;
    bool reserved = r->reserved32;
    for (size_t i = 0; i < ZL_COUNT(r->reserved); i++) reserved |= r->reserved[i] != 0;
    if (r->size != sizeof *r || reserved)
        return zl_fail(ctx, ZLAY_EINVAL, "request.size, request.reserved: not this version's");
    if ((r->ops && !r->op) || (r->edges && !r->edge) || (r->units && !r->unit) ||
        (r->values && !r->value) || (r->spaces && !r->space))
        return zl_fail(ctx, ZLAY_EINVAL, "request: a list is NULL");
    if (copies * r->ops > ZLAY_SCHEDULE_OPS)
        return zl_fail(ctx, ZLAY_ENOTSUP, "ops: %llu in all copies, at most %d are scheduled",
                       (unsigned long long)copies * r->ops, ZLAY_SCHEDULE_OPS);
    if (r->edges > ZLAY_SCHEDULE_EDGES || r->values > ZLAY_SCHEDULE_VALUES)
        return zl_fail(ctx, ZLAY_ENOTSUP, "edges, values: %u and %u, at most %d and %d", r->edges,
                       r->values, ZLAY_SCHEDULE_EDGES, ZLAY_SCHEDULE_VALUES);
    return ZLAY_OK;
}

/* ---- edges and uses ------------------------------------------------------------- */

static zlay_status read_edges(zl_looped *l, const zlay_schedule_request *r)
{
    zl_loop_edge *edge = zl_scratch(l->ctx, r->edges + 1, sizeof *edge);
    if (!edge) return ZLAY_ENOMEM;
    for (uint32_t i = 0; i < r->edges; i++) {
        const zlay_schedule_edge *e = &r->edge[i];
        if (e->distance > INT64_MAX)
            return zl_fail(l->ctx, ZLAY_EOVERFLOW, "edges[%u].distance: it passes 2^63", i);
        edge[i] = (zl_loop_edge){e->from, e->to, (int64_t)e->distance,
                                 e->latency_of_op ? r->op[e->from].latency : e->latency};
    }
    l->edge = edge;
    l->edges = r->edges;
    return ZLAY_OK;
}

static int64_t distance_of(const zl_looped *l, uint32_t def, uint32_t use)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < l->edges; i++)
        if (l->edge[i].from == def && l->edge[i].to == use)
            most = zl_max(most, l->edge[i].distance);
    return most;
}

static zlay_status read_uses(zl_looped *l, const zlay_schedule_request *r)
{
    uint64_t count = r->values;
    for (uint32_t i = 0; i < r->values; i++) count += r->value[i].use_count;
    zl_loop_use *use = zl_scratch(l->ctx, count + 1, sizeof *use);
    if (!use || zl_charge(l->ctx, count * l->edges)) return ZLAY_ENOMEM;
    for (uint32_t i = 0; i < r->values; i++) {
        const zlay_schedule_value *v = &r->value[i];
        use[l->uses++] = (zl_loop_use){i, v->def, 0};
        for (uint64_t u = 0; u < v->use_count; u++)
            use[l->uses++] = (zl_loop_use){i, v->uses[u], distance_of(l, v->def, v->uses[u])};
    }
    l->use = use;
    return ZLAY_OK;
}

/* ---- sums ------------------------------------------------------------------------ */

/* What follows an operation by itself: its cycles and the latencies of its edges. */
static uint64_t follows(const zl_looped *l, uint32_t op)
{
    uint64_t most = l->request->op[op].cycles;
    for (uint32_t i = 0; i < l->edges; i++)
        if (l->edge[i].from == op && l->edge[i].latency > 0)
            most = zl_umax(most, (uint64_t)l->edge[i].latency);
    return most;
}

/* A cycle modulo ii that lies in no operation's flight and in no latency can be left out, and ii
 * falls by one: so ii need not pass the sum of both.  docs/schedule.md has the proof. */
static zlay_status read_sums(zl_looped *l)
{
    const zl_u128 limit = (zl_u128)1 << 60;
    zl_u128 sum = 0, size = 1, rounds = l->ops + 2, distance = 0;
    l->monotone = true;
    for (uint32_t i = 0; i < l->ops; i++) sum += follows(l, i);
    for (uint32_t i = 0; i < l->edges; i++) {
        size += zl_magnitude(l->edge[i].latency);
        distance += (uint64_t)l->edge[i].distance;
        if (l->edge[i].latency < 0) l->monotone = false;
    }
    for (uint32_t i = 0; i < l->uses; i++) rounds += (uint64_t)l->use[i].distance;
    zl_u128 most = sum ? sum * l->copies : 1;
    zl_u128 turns = (distance + rounds + 4) * l->copies;
    bool fits = sum < limit && size < limit && turns < limit && most < limit;
    if (fits) fits = (most + 1) * turns < limit;
    if (fits) fits = (4 * (most + 1) * turns + size + sum) * (l->nodes + 2) < limit;
    if (!fits)
        return zl_fail(l->ctx, ZLAY_EOVERFLOW,
                       "ops, edges: sums of cycles, latencies and distances may pass 2^60");
    l->most = (int64_t)most;
    l->reach = (int64_t)sum;
    l->reach_rounds = (int64_t)rounds;
    return ZLAY_OK;
}

/* ---- components ------------------------------------------------------------------- */

static void reach_all(bool *reaches, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            if (reaches[i * n + k])
                for (uint32_t j = 0; j < n; j++) reaches[i * n + j] |= reaches[k * n + j];
}

static zlay_status read_components(zl_looped *l)
{
    uint32_t n = l->ops, *component = zl_scratch(l->ctx, n + 1, sizeof *component);
    bool *reaches = zl_scratch(l->ctx, (uint64_t)n * n + 1, sizeof *reaches);
    if (!component || !reaches || zl_charge(l->ctx, (uint64_t)n * n * n / 16)) return ZLAY_ENOMEM;
    for (uint32_t i = 0; i < l->edges; i++) reaches[l->edge[i].from * n + l->edge[i].to] = true;
    for (uint32_t i = 0; i < l->uses; i++)
        reaches[l->use[i].op * n + l->request->value[l->use[i].value].def] = true;
    reach_all(reaches, n);
    for (uint32_t i = 0; i < n; i++) {
        component[i] = i;
        for (uint32_t j = i; j-- > 0;)
            if (reaches[i * n + j] && reaches[j * n + i]) component[i] = j;
    }
    l->component = component;
    return ZLAY_OK;
}

static zlay_status read_capacity(zl_looped *l, const zlay_schedule_request *r)
{
    uint64_t *capacity = zl_scratch(l->ctx, r->spaces + 1, sizeof *capacity);
    if (!capacity) return ZLAY_ENOMEM;
    for (uint32_t i = 0; i < r->spaces; i++) capacity[i] = r->space[i].bytes;
    l->capacity = capacity;
    return ZLAY_OK;
}

zlay_status zl_loop_read(zl_looped *out, zlay_ctx *ctx, const zlay_schedule_request *request)
{
    const zlay_schedule_request *r = request;
    zlay_status status = check_frame(ctx, r);
    if (!status) status = check_lists(ctx, r);
    if (status) return status;
    uint32_t copies = r->copies && r->ops ? r->copies : 1;
    *out = (zl_looped){.ctx = ctx, .request = r, .ops = r->ops, .copies = copies};
    out->nodes = copies * r->ops;
    status = check_names(ctx, r, copies);
    if (!status) status = read_edges(out, r);
    if (!status) status = read_uses(out, r);
    if (!status) status = read_sums(out);
    if (!status) status = read_components(out);
    return status ? status : read_capacity(out, r);
}
