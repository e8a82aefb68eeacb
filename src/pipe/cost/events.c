/* SPDX-License-Identifier: Apache-2.0 */
/* When an event is over, and when what it begins is there. An event begins at its instance's time;
 * asynchronous ones ask a unit and let the instance go on, waits move the instance to the time of
 * what they wait for. */
#include "pipe/cost/cost.h"

/* The event at hand. */
typedef struct step {
    zl_cost *c;
    zl_run *r;
    const zl_instance *i;
    const zl_event *e;
    uint32_t number; /* of the instance */
    int64_t *at;     /* its time */
} step;

static void later(int64_t *at, int64_t time)
{
    if (*at < time) *at = time;
}

static int64_t cycles(const step *s, int32_t fact)
{
    return zl_cost_latency(s->c, fact);
}

static uint32_t warps(const step *s)
{
    return s->r->pipe->roles[s->i->role].each;
}

/* ---- mbarriers -------------------------------------------------------------- */

static void come(const step *s, const zl_mbar *g, int64_t time)
{
    later(&s->c->slots[g - s->r->mbars].sum, time);
}

/* Phases that the event has completed get their time. */
static void close_phases(const step *s)
{
    for (uint32_t k = 0; k < s->r->mbars_count; k++) {
        zl_gathering *g = &s->c->slots[k];
        if (g->phase == s->r->mbars[k].phase) continue;
        g->phase = s->r->mbars[k].phase;
        g->done[g->phase & 1] = g->sum;
        g->sum = 0;
    }
}

static void arrive(const step *s)
{
    int64_t seen = *s->at + cycles(s, ZLAY_MACHINE_MBARRIER_CYCLES);
    for (uint32_t b = UINT32_MAX; zl_run_next_block(s->r, s->i, s->e, &b);)
        come(s, zl_run_mbar(s->r, s->i, s->e, b), seen);
    *s->at += cycles(s, ZLAY_MACHINE_ARRIVE_CYCLES);
}

/* A wait sees the last complete phase: correct pipes let no phase pass a waiter. */
static void wait_slot(const step *s)
{
    const zl_mbar *m = zl_run_mbar(s->r, s->i, s->e, (uint32_t)s->i->cta);
    const zl_gathering *g = &s->c->slots[m - s->r->mbars];
    *s->at += cycles(s, ZLAY_MACHINE_WAIT_CYCLES);
    later(s->at, g->done[g->phase & 1]);
}

/* ---- copies ----------------------------------------------------------------- */

/* Bytes per 1000 cycles between L2 and the block. */
static int64_t rate(const step *s, int32_t fact)
{
    int64_t own = zl_cost_fact(s->c, fact),
            share = (int64_t)zl_umin(s->c->ask->share_kilocycle, INT64_MAX);
    return share && share < own ? share : own;
}

/* When the engine has moved bytes. */
static int64_t engine(const step *s, int64_t bytes)
{
    int64_t work = zl_cost_bytes(s->c, bytes, rate(s, ZLAY_MACHINE_COPY_KILOCYCLE));
    return zl_cost_serve(s->c, s->i->cta, ZLAY_UNIT_COPY, *s->at, work);
}

static void land(const step *s, uint32_t block, int64_t time)
{
    come(s,
         zl_run_mbar(s->r, s->i, s->e,
                     s->e->bar_cta == ZL_CTA_OWN ? block : (uint32_t)s->e->bar_cta),
         time);
}

static void copy(const step *s)
{
    const zl_event *e = s->e;
    int64_t time = engine(s, e->count) + cycles(s, ZLAY_MACHINE_COPY_CYCLES);
    uint32_t b = UINT32_MAX;
    if (e->multicast)
        while (zl_run_next_of_mask(s->r, s->i, e->multicast, &b)) land(s, b, time);
    else
        while (zl_run_next_block(s->r, s->i, e, &b)) land(s, b, time);
}

/* Ordinary loads, and loads straight to shared memory: when the values are there. */
static int64_t global(const step *s, int64_t bytes)
{
    int64_t work = zl_cost_bytes(s->c, bytes, rate(s, ZLAY_MACHINE_L2_PROCESSOR_KILOCYCLE));
    return zl_cost_serve(s->c, s->i->cta, ZLAY_UNIT_GLOBAL, *s->at, work) +
           cycles(s, ZLAY_MACHINE_L2_CYCLES);
}

static int64_t shared(const step *s, int64_t bytes)
{
    int64_t work = zl_cost_bytes(s->c, bytes, zl_cost_fact(s->c, ZLAY_MACHINE_SHARED_KILOCYCLE));
    return zl_cost_serve(s->c, s->i->cta, ZLAY_UNIT_SHARED, *s->at, work);
}

static void store(const step *s)
{
    zl_under_way *u = &s->c->under[s->number];
    int64_t read = engine(s, s->e->count);
    later(&u->open[ZL_OF_BULK_READ], read);
    later(&u->open[ZL_OF_BULK], read + cycles(s, ZLAY_MACHINE_L2_CYCLES));
}

/* ---- groups ------------------------------------------------------------------ */

static int group_of(int32_t scope)
{
    static const int8_t groups[] = {
        [ZL_GROUP_WGMMA] = ZL_OF_WGMMA,         [ZL_GROUP_BULK] = ZL_OF_BULK,
        [ZL_GROUP_BULK_READ] = ZL_OF_BULK_READ, [ZL_GROUP_CPASYNC] = ZL_OF_CPASYNC,
        [ZL_GROUP_TCGEN05] = ZL_OF_TCGEN05,
    };
    return groups[scope];
}

static int64_t *over(zl_under_way *u, int group, int32_t number)
{
    return &u->over[group][(uint32_t)number % ZL_COST_GROUPS];
}

/* Groups of a kind are over in their order. */
static void close_group(const step *s, int group)
{
    zl_under_way *u = &s->c->under[s->number];
    int32_t number = s->i->issued[group];
    int64_t time = u->open[group];
    if (number > 0) later(&time, *over(u, group, number - 1));
    *over(u, group, number) = time;
    u->open[group] = 0;
}

static void commit(const step *s)
{
    int group = group_of(s->e->scope);
    if (group == ZL_OF_TCGEN05) {
        int64_t time = s->c->under[s->number].open[group] + cycles(s, ZLAY_MACHINE_MBARRIER_CYCLES);
        for (uint32_t b = UINT32_MAX; zl_run_next_of_mask(s->r, s->i, s->e->multicast, &b);)
            come(s, zl_run_mbar(s->r, s->i, s->e, b), time);
        return;
    }
    close_group(s, group);
    if (group == ZL_OF_BULK) close_group(s, ZL_OF_BULK_READ);
}

static void wait_group(const step *s)
{
    zl_under_way *u = &s->c->under[s->number];
    int group = group_of(s->e->scope);
    int64_t number = s->i->issued[group] - s->e->count;
    if (s->e->count >= ZL_COST_GROUPS)
        zl_cost_fail(s->c, ZLAY_ENOTSUP, "line %u: more than %d groups under way", s->e->line,
                     ZL_COST_GROUPS - 1);
    else if (number > 0) later(s->at, *over(u, group, (int32_t)number));
}

/* ---- products and bodies ------------------------------------------------------ */

static int64_t *ready(const step *s, int32_t acc)
{
    return &s->c->ready[s->number * s->r->pipe->accs_count + (uint32_t)acc];
}

static void multiply(const step *s)
{
    const zl_event *e = s->e;
    const zlay_pipe_product *p = zl_cost_product(s->c, e);
    zlay_machine_form form;
    if (!p || !zl_cost_form(s->c, &form, p->op, p->type, p->m, p->n, p->k)) return;
    int64_t from = *s->at;
    if (e->acc_a >= 0) later(&from, *ready(s, e->acc_a));
    if (e->acc_b >= 0) later(&from, *ready(s, e->acc_b));
    bool together = p->op == ZLAY_OP_MMA_SYNC || p->op == ZLAY_OP_MFMA;
    int64_t count = (int64_t)p->count * (together ? warps(s) : 1);
    int64_t end = zl_cost_serve(s->c, s->i->cta, form.unit, from, zl_cost_work(s->c, &form, count));
    int64_t rest = form.latency * ZL_COST_MILLI - form.occupancy_milli;
    int64_t there = end + (rest > 0 ? rest : 0);
    if (together) later(s->at, end);
    else
        later(&s->c->under[s->number].open[p->op == ZLAY_OP_TCGEN05 ? ZL_OF_TCGEN05 : ZL_OF_WGMMA],
              there);
    if (together && e->acc >= 0) later(ready(s, e->acc), there);
}

/* A body asks all units at once, and is over with the last, behind its longest latency. */
static void compute(const step *s)
{
    const zl_event *e = s->e;
    uint32_t index = zl_event_index(s->r, e);
    if (!s->c->counted[index]) zl_cost_body(s->c, &s->c->counts[index], e);
    s->c->counted[index] = true;
    const zl_body_count *count = &s->c->counts[index];
    int64_t from = *s->at, end = from, latency = 0, all = 0;
    for (uint32_t k = 0; k < e->uses; k++) later(&from, *ready(s, e[k].acc));
    for (int32_t op = 0; op < ZLAY_MACHINE_OPS && !s->c->status; op++) {
        zlay_machine_form form;
        if (!count->of[op] || !zl_cost_form(s->c, &form, op, -1, 0, 0, 0)) continue;
        all += count->of[op];
        int64_t work = zl_cost_work(s->c, &form, count->of[op] * warps(s));
        later(&end, zl_cost_serve(s->c, s->i->cta, form.unit, from, work));
        if (form.latency > latency) latency = form.latency;
    }
    const zlay_machine_form issue = {.unit = ZLAY_UNIT_ISSUE,
                                     .units = 1,
                                     .occupancy_milli = ZL_COST_MILLI};
    if (all)
        later(&end, zl_cost_serve(s->c, s->i->cta, ZLAY_UNIT_ISSUE, from,
                                  zl_cost_work(s->c, &issue, all * warps(s))));
    later(&end, from);
    *s->at = end + latency * ZL_COST_MILLI;
}

static void use(const step *s)
{
    const zl_event *e = s->e;
    if (e->joined) return;
    if (e->body < 0) {
        later(s->at, e->acc >= 0 ? *ready(s, e->acc) : 0);
        return;
    }
    if (e->when && zl_run_value(s->r, s->i, &e->bar_at) >= zl_run_value(s->r, s->i, &e->parity))
        return;
    compute(s);
}

/* ---- threads that meet ---------------------------------------------------------- */

/* The time of a meeting that has come to its end since it was looked at. */
static void close_meeting(const step *s, const zl_meeting *m, zl_gathering *g)
{
    if (g->phase == m->generation) return;
    g->phase = m->generation;
    g->done[g->phase & 1] = g->sum;
    g->sum = 0;
    (void)s;
}

static void meet(const step *s)
{
    const zl_event *e = s->e;
    int64_t takes = cycles(s, ZLAY_MACHINE_BARRIER_CYCLES);
    if (e->kind == ZL_EV_SYNC && (e->scope == ZL_SYNC_ROLE || e->scope == ZL_SYNC_WARP)) {
        *s->at += e->scope == ZL_SYNC_ROLE ? takes : ZL_COST_MILLI;
        return;
    }
    zl_under_way *u = &s->c->under[s->number];
    const zl_meeting *m = zl_run_meeting(s->r, s->i, e);
    zl_gathering *g = &s->c->meetings[m - s->r->meetings];
    int32_t generation = e->kind == ZL_EV_MEET ? u->joined : u->generation;
    if (generation < 0 || e->kind == ZL_EV_JOIN) {
        if (e->kind == ZL_EV_JOIN) u->joined = g->phase;
        later(&g->sum, *s->at);
        close_meeting(s, m, g);
        generation = g->phase - 1;
    }
    u->generation = -1;
    if (e->kind == ZL_EV_JOIN) return;
    close_meeting(s, m, g);
    later(s->at, g->done[(generation + 1) & 1] + takes);
}

void zl_cost_tried(zl_run *r, const zl_instance *i)
{
    zl_cost *c = r->teller;
    const zl_event *e = &r->pipe->events[i->pc];
    zl_under_way *u = &c->under[i - r->instances];
    if (e->kind != ZL_EV_SYNC || u->generation >= 0) return;
    zl_gathering *g = &c->meetings[zl_run_meeting(r, i, e) - r->meetings];
    u->generation = g->phase;
    later(&g->sum, c->timed.at[i - r->instances]);
}

/* ---- all of them ------------------------------------------------------------------ */

/* Bytes of ordinary accesses: those of the text, or of the whole stage. */
static int64_t bytes_of(const step *s)
{
    const zl_event *e = s->e;
    return e->count ? e->count : e->smem[0] >= 0 ? s->r->pipe->smems[e->smem[0]].bytes : 0;
}

static void move(const step *s)
{
    const zl_event *e = s->e;
    bool there = e->kind == ZL_EV_READ || e->kind == ZL_EV_LDMATRIX;
    if (e->joined) return;
    if (e->acc >= 0) later(s->at, *ready(s, e->acc));
    if (e->smem[0] >= 0)
        *s->at = shared(s, bytes_of(s)) + (there ? cycles(s, ZLAY_MACHINE_SHARED_CYCLES) : 0);
    else if (there) *s->at = global(s, bytes_of(s));
}

/* Columns of tensor memory and registers, by each warp. */
static void tensor(const step *s)
{
    const zl_event *e = s->e;
    zlay_machine_form form;
    int32_t columns = (int32_t)(e->columns[1] - e->columns[0] + 1);
    int32_t op = e->kind == ZL_EV_TLD ? ZLAY_OP_TMEM_LD : ZLAY_OP_TMEM_ST;
    if (!zl_cost_form(s->c, &form, op, -1, columns, 0, 0)) return;
    int64_t end =
        zl_cost_serve(s->c, s->i->cta, form.unit, *s->at, zl_cost_work(s->c, &form, warps(s)));
    later(&s->c->under[s->number].open[e->kind == ZL_EV_TLD ? ZL_OF_TLD : ZL_OF_TST],
          end + form.latency * ZL_COST_MILLI);
}

static void wait_tensor(const step *s)
{
    int64_t *open =
        &s->c->under[s->number].open[s->e->scope == ZL_TWAIT_LD ? ZL_OF_TLD : ZL_OF_TST];
    later(s->at, *open);
    *open = 0;
}

static void refuse(const step *s)
{
    zl_cost_fail(s->c, ZLAY_ENOTSUP, "line %u: %s has no time here", s->e->line,
                 zl_forms[s->e->kind].word);
}

static void run(const step *s)
{
    switch (s->e->kind) {
    case ZL_EV_ARRIVE: arrive(s); break;
    case ZL_EV_WAIT: wait_slot(s); break;
    case ZL_EV_COPY: copy(s); break;
    case ZL_EV_CPASYNC:
        later(&s->c->under[s->number].open[ZL_OF_CPASYNC], global(s, s->e->count));
        break;
    case ZL_EV_STORE:
    case ZL_EV_REDUCE: store(s); break;
    case ZL_EV_COMMIT: commit(s); break;
    case ZL_EV_WAITGROUP: wait_group(s); break;
    case ZL_EV_READ:
    case ZL_EV_WRITE:
    case ZL_EV_LDMATRIX:
    case ZL_EV_STMATRIX: move(s); break;
    case ZL_EV_USE: use(s); break;
    case ZL_EV_MMA: multiply(s); break;
    case ZL_EV_TLD:
    case ZL_EV_TST: tensor(s); break;
    case ZL_EV_TWAIT: wait_tensor(s); break;
    case ZL_EV_SYNC:
    case ZL_EV_JOIN:
    case ZL_EV_MEET: meet(s); break;
    case ZL_EV_TCP:
    case ZL_EV_LOAD:
    case ZL_EV_SEND:
    case ZL_EV_FETCH:
    case ZL_EV_PUT:
    case ZL_EV_WAITCOUNT:
    case ZL_EV_RAISE:
    case ZL_EV_AWAIT: refuse(s); break;
    default: break; /* no time of its own: fences, expectations, registers, allocations */
    }
}

void zl_cost_event(zl_cost *c, zl_run *r, const zl_instance *i)
{
    uint32_t number = (uint32_t)(i - r->instances);
    step s = {c, r, i, &r->pipe->events[i->pc], number, &c->timed.at[number]};
    if (c->status) return;
    run(&s);
    close_phases(&s);
    later(&c->last, *s.at);
    if (c->last > ZL_COST_TIME) zl_cost_fail(c, ZLAY_EOVERFLOW, "times pass 62 bits");
}
