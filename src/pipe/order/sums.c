/* SPDX-License-Identifier: Apache-2.0 */
/* Checks sums at every index of every ring: arrivals equal the barrier's count, expected bytes
 * equal copied bytes, each stage is filled once and read once by each role that multiplies it. The
 * sums are counted on the unrolled traces of one pair of trip counts. The range of indices of an
 * event ends at c or N + c, so what holds for every N of the small model holds for every N. */
#include "pipe/order/verify.h"

#include <string.h>

enum { PARTS = 62 };
enum { ARRIVALS, EXPECTED, COPIED, OF_BAR };
enum { BYTES, PARTS_SEEN, OF_SMEM };

typedef struct tables {
    int64_t *bars;   /* [bar][q][OF_BAR] */
    int64_t *smems;  /* [smem][q][OF_SMEM] */
    int64_t *drains; /* [smem][q] of the role at hand */
    int64_t all;
} tables;

/* Makes zeroed counters for every index of every ring. */
static zlay_status tables_make(zl_verify *v, tables *t)
{
    uint64_t bars = v->pipe->bars_count * OF_BAR, smems = v->pipe->smems_count;
    uint64_t want = (bars + smems * (OF_SMEM + 1)) * (uint64_t)v->q_end + 1;
    t->bars = zl_scratch(v->ctx, want, sizeof *t->bars);
    if (!t->bars) return ZLAY_ENOMEM;
    t->smems = t->bars + bars * (uint64_t)v->q_end;
    t->drains = t->smems + smems * OF_SMEM * (uint64_t)v->q_end;
    t->all = v->q_end;
    return ZLAY_OK;
}

static bool in_range(const tables *t, int64_t q) { return q >= 0 && q < t->all; }

/* An index must lie among the positions, and a copy must fill the stage that it signals. */
static void check_range(zl_verify *v, const tables *t, const zl_trace_step *s)
{
    const zl_event *e = s->event;
    if (e->bar >= 0 && !in_range(t, s->bar_q))
        zl_report(v, e->kind == ZL_EV_WAIT ? ZLAY_PIPE_PARITY : ZLAY_PIPE_COUNT, e->line, 0,
                  s->bar_q, t->all);
    for (int j = 0; j < 2; j++)
        if (e->smem[j] >= 0 && !v->own[e->smem[j]] && !in_range(t, s->q[j]))
            zl_report(v, ZLAY_PIPE_STAGE, e->line, 0, s->q[j], t->all);
    if (e->kind == ZL_EV_COPY &&
        (s->q[0] != s->bar_q || v->pipe->smems[e->smem[0]].stages != v->pipe->bars[e->bar].stages))
        zl_report(v, ZLAY_PIPE_STAGE, e->line, 0, s->q[0], s->bar_q);
}

/* Adds an event to the sums of its mbarrier's phase. */
static void add_bar(tables *t, const zl_role *role, const zl_trace_step *s)
{
    const zl_event *e = s->event;
    int64_t *sum = t->bars + (e->bar * t->all + s->bar_q) * OF_BAR;
    if (e->kind == ZL_EV_ARRIVE) sum[ARRIVALS] += zl_weight(role, e->scope);
    if (e->kind == ZL_EV_EXPECT) sum[EXPECTED] += e->count * zl_weight(role, ZL_BY_ONE);
    if (e->kind == ZL_EV_COPY) sum[COPIED] += e->count * zl_weight(role, ZL_BY_ONE);
}

/* The bit of a part; parts from PARTS on share one. */
static int64_t part_bit(const zl_event *e)
{
    return (int64_t)1 << (e->part < PARTS ? e->part : PARTS);
}

/* Adds a fill; a part filled twice does not make up for one left out, and each instance fills
 * its own. */
static void add_fill(tables *t, const zl_role *role, const zl_trace_step *s)
{
    int64_t *sum = t->smems + (s->event->smem[0] * t->all + s->q[0]) * OF_SMEM;
    if (!(sum[PARTS_SEEN] & part_bit(s->event))) sum[BYTES] += s->event->count * zl_role_instances(role);
    sum[PARTS_SEEN] |= part_bit(s->event);
}

/* Adds a read of a stage to the role's counts, and reports a part that was not filled. */
static void add_drains(zl_verify *v, tables *t, const zl_trace_step *s)
{
    const zl_event *e = s->event;
    for (int j = 0; j < 2; j++) {
        if (e->smem[j] < 0 || v->own[e->smem[j]] || !in_range(t, s->q[j])) continue;
        int64_t at = e->smem[j] * t->all + s->q[j];
        t->drains[at]++;
        if (e->kind == ZL_EV_READ && !(t->smems[at * OF_SMEM + PARTS_SEEN] & part_bit(e)))
            zl_report(v, ZLAY_PIPE_STAGE, e->line, 0, e->part, 0);
    }
}

typedef struct reading { uint32_t line; bool products; } reading;

/* How a role reads a ring: the line of its last read, and whether by products. */
static reading reads(const zlay_pipe *pipe, const zl_role *role, int32_t smem)
{
    reading r = {0, false};
    for (uint32_t i = role->begin; i < role->end; i++) {
        const zl_event *e = &pipe->events[i];
        if (zl_is_write(e) || (e->smem[0] != smem && e->smem[1] != smem)) continue;
        r.line = e->line;
        r.products |= e->kind == ZL_EV_MMA;
    }
    return r;
}

/* Each role that reads a ring reads every index: products once, others at least once. */
static void check_drains(zl_verify *v, tables *t, const zl_role *role, const zl_trace *trace)
{
    memset(t->drains, 0, v->pipe->smems_count * (size_t)t->all * sizeof *t->drains);
    for (uint32_t i = 0; i < trace->count; i++)
        if (!zl_is_write(trace->steps[i].event)) add_drains(v, t, &trace->steps[i]);
    for (int32_t m = 0; m < (int32_t)v->pipe->smems_count; m++) {
        reading r = reads(v->pipe, role, m);
        for (int64_t q = 0; r.line && !v->own[m] && q < t->all; q++) {
            int64_t times = t->drains[m * t->all + q];
            if (times < 1 || (r.products && times > 1))
                zl_report(v, ZLAY_PIPE_STAGE, r.line, 0, times, 1);
        }
    }
}

/* The line of an event of this kind at a barrier, for the message. */
static uint32_t line_of(const zlay_pipe *pipe, zl_event_kind kind, int32_t bar)
{
    uint32_t line = 0;
    for (uint32_t i = 0; i < pipe->events_count; i++)
        if (pipe->events[i].kind == kind && pipe->events[i].bar == bar) line = pipe->events[i].line;
    return line;
}

static uint32_t first_of(uint32_t a, uint32_t b) { return a ? a : b ? b : 1; }

/* Each phase has as many arrivals as its barrier's count, and as many bytes expected as copied. */
static void check_bars(zl_verify *v, const tables *t)
{
    const zlay_pipe *pipe = v->pipe;
    for (int32_t b = 0; b < (int32_t)pipe->bars_count; b++) {
        uint32_t arrive = line_of(pipe, ZL_EV_ARRIVE, b), expect = line_of(pipe, ZL_EV_EXPECT, b);
        uint32_t copy = line_of(pipe, ZL_EV_COPY, b), init = line_of(pipe, ZL_EV_INIT, b);
        for (int64_t q = 0; q < t->all; q++) {
            const int64_t *s = t->bars + (b * t->all + q) * OF_BAR;
            if (s[ARRIVALS] != pipe->bars[b].count)
                zl_report(v, ZLAY_PIPE_COUNT, first_of(arrive, init), init, s[ARRIVALS],
                          pipe->bars[b].count);
            if (s[EXPECTED] != s[COPIED] || s[EXPECTED] >= 1 << 20)
                zl_report(v, ZLAY_PIPE_BYTES, first_of(expect, copy), copy, s[EXPECTED], s[COPIED]);
        }
    }
}

/* Every index is filled with the same parts, of all its bytes. */
static void check_fills(zl_verify *v, const tables *t)
{
    for (int32_t m = 0; m < (int32_t)v->pipe->smems_count; m++) {
        uint32_t line = 1;
        for (uint32_t i = 0; i < v->pipe->events_count; i++)
            if (v->pipe->events[i].smem[0] == m && zl_is_write(&v->pipe->events[i]))
                line = v->pipe->events[i].line;
        for (int64_t q = 0; !v->own[m] && q < t->all; q++) {
            const int64_t *sum = t->smems + (m * t->all + q) * OF_SMEM,
                          *other = t->smems + m * t->all * OF_SMEM;
            if (sum[BYTES] != v->pipe->smems[m].bytes || sum[PARTS_SEEN] != other[PARTS_SEEN])
                zl_report(v, ZLAY_PIPE_STAGE, line, 0, sum[BYTES], v->pipe->smems[m].bytes);
        }
    }
}

/* Reports a stage that is filled and that no role reads. */
void zl_check_taken(zl_verify *v)
{
    const zlay_pipe *pipe = v->pipe;
    for (int32_t m = 0; m < (int32_t)pipe->smems_count; m++) {
        bool taken = v->own[m] != 0;
        for (uint32_t r = 0; r < pipe->roles_count; r++)
            taken |= reads(pipe, &pipe->roles[r], m).line != 0;
        for (uint32_t i = 0; i < pipe->events_count && !taken; i++)
            if (zl_is_write(&pipe->events[i]) && pipe->events[i].smem[0] == m)
                zl_report(v, ZLAY_PIPE_EXIT, pipe->events[i].line, 0, 0, 1);
    }
}

/* Adds all steps of a role's trace. */
static void add_all(zl_verify *v, tables *t, const zl_role *role, const zl_trace *trace)
{
    for (uint32_t i = 0; i < trace->count; i++) {
        const zl_trace_step *s = &trace->steps[i];
        check_range(v, t, s);
        if (s->event->bar >= 0 && in_range(t, s->bar_q)) add_bar(t, role, s);
        if (zl_is_write(s->event) && !v->own[s->event->smem[0]] && in_range(t, s->q[0]))
            add_fill(t, role, s);
    }
}

zlay_status zl_check_sums(zl_verify *v)
{
    tables t;
    zlay_status status = tables_make(v, &t);
    if (status) return status;
    for (uint32_t r = 0; r < v->pipe->roles_count; r++)
        add_all(v, &t, &v->pipe->roles[r], &v->traces[r]);
    for (uint32_t r = 0; r < v->pipe->roles_count; r++)
        check_drains(v, &t, &v->pipe->roles[r], &v->traces[r]);
    check_bars(v, &t);
    check_fills(v, &t);
    return ZLAY_OK;
}
