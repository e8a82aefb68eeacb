/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of every index of every ring: arrivals are the barrier's count, bytes expected are bytes copied, a stage is
 * filled once and drained once by each reader. The ends of what events cover are c or N + c, so sums that hold for
 * every N of the small model hold for every N. */
#include "pipe/verify.h"

#define PARTS 64

typedef struct sums {
    int64_t arrivals, expected, copied;
    uint32_t arrive_line, expect_line, copy_line;
} sums;

static void add_bar(zl_verify *v, sums *s, const zl_role *role, const zl_step *step)
{
    const zl_event *e = step->event;
    (void)v;
    if (e->kind == ZL_EV_ARRIVE) {
        s->arrivals += zl_weight(role, e->scope);
        s->arrive_line = e->line;
    } else if (e->kind == ZL_EV_EXPECT) {
        s->expected += e->count * zl_weight(role, ZL_BY_ONE);
        s->expect_line = e->line;
    } else if (e->kind == ZL_EV_COPY) {
        s->copied += e->count * zl_weight(role, ZL_BY_ONE);
        s->copy_line = e->line;
    }
}

static uint32_t first_of(uint32_t a, uint32_t b) { return a ? a : b ? b : 1; }

static void check_bar(zl_verify *v, int32_t bar, int64_t q)
{
    sums s = {0};
    for (uint32_t r = 0; r < v->pipe->roles_count; r++)
        for (uint32_t i = 0; i < v->traces[r].count; i++) {
            const zl_step *step = &v->traces[r].steps[i];
            if (step->event->bar == bar && step->bar_q == q) add_bar(v, &s, &v->pipe->roles[r], step);
        }
    int64_t count = v->pipe->bars[bar].count;
    if (s.arrivals != count)
        zl_report(v, ZLAY_PIPE_COUNT, first_of(s.arrive_line, s.copy_line), 0, s.arrivals, count);
    if (s.expected != s.copied || s.expected >= 1 << 20)
        zl_report(v, ZLAY_PIPE_BYTES, first_of(s.expect_line, s.copy_line), s.copy_line, s.expected, s.copied);
}

/* One writing role fills a stage: all its parts, whose bytes are the stage's. */
static void check_fill(zl_verify *v, int32_t smem, int64_t q)
{
    int64_t bytes = 0;
    uint64_t parts = 0;
    uint32_t line = 0;
    for (uint32_t r = 0; r < v->pipe->roles_count; r++)
        for (uint32_t i = 0; i < v->traces[r].count; i++) {
            const zl_step *s = &v->traces[r].steps[i];
            const zl_event *e = s->event;
            bool writes = e->kind == ZL_EV_COPY || e->kind == ZL_EV_CPASYNC || e->kind == ZL_EV_WRITE;
            if (!writes || e->smem[0] != smem || s->q[0] != q) continue;
            line = e->line;
            if (e->part < PARTS && !(parts >> e->part & 1)) bytes += e->count;
            if (e->part < PARTS) parts |= (uint64_t)1 << e->part;
        }
    if (bytes != v->pipe->smems[smem].bytes) zl_report(v, ZLAY_PIPE_STAGE, line ? line : 1, 0, bytes, v->pipe->smems[smem].bytes);
}

static void check_drain(zl_verify *v, int32_t smem, int32_t role, int64_t q)
{
    int64_t reads = 0;
    uint32_t line = 0, any = 0;
    const zl_trace *t = &v->traces[role];
    for (uint32_t i = 0; i < t->count; i++)
        for (int j = 0; j < 2; j++) {
            if (t->steps[i].event->kind != ZL_EV_MMA || t->steps[i].event->smem[j] != smem) continue;
            any = t->steps[i].event->line;
            if (t->steps[i].q[j] != q) continue;
            reads++;
            line = any;
        }
    if (any && reads != 1) zl_report(v, ZLAY_PIPE_STAGE, line ? line : any, 0, reads, 1);
}

static bool reads_ring(const zlay_pipe *pipe, const zl_role *role, int32_t smem)
{
    for (uint32_t i = role->begin; i < role->end; i++) {
        const zl_event *e = &pipe->events[i];
        if (e->kind == ZL_EV_MMA && (e->smem[0] == smem || e->smem[1] == smem)) return true;
    }
    return false;
}

/* An index before the first or behind the last position belongs to no phase. */
static void check_range(zl_verify *v, const zl_step *s)
{
    const zl_event *e = s->event;
    if (e->bar >= 0 && (s->bar_q < 0 || s->bar_q >= v->q_end))
        zl_report(v, e->kind == ZL_EV_WAIT ? ZLAY_PIPE_PARITY : ZLAY_PIPE_COUNT, e->line, 0, s->bar_q, v->q_end);
    for (int j = 0; j < 2; j++)
        if (e->smem[j] >= 0 && !zl_smem_is_private(v->pipe, e->smem[j]) && (s->q[j] < 0 || s->q[j] >= v->q_end))
            zl_report(v, ZLAY_PIPE_STAGE, e->line, 0, s->q[j], v->q_end);
    if (e->kind == ZL_EV_COPY && (s->q[0] != s->bar_q ||
                                  v->pipe->smems[e->smem[0]].stages != v->pipe->bars[e->bar].stages))
        zl_report(v, ZLAY_PIPE_STAGE, e->line, 0, s->bar_q, s->q[0]);
}

void zl_check_sums(zl_verify *v)
{
    const zlay_pipe *pipe = v->pipe;
    for (uint32_t r = 0; r < pipe->roles_count; r++)
        for (uint32_t i = 0; i < v->traces[r].count; i++) check_range(v, &v->traces[r].steps[i]);
    for (int64_t q = 0; q < v->q_end; q++) {
        for (uint32_t b = 0; b < pipe->bars_count; b++) check_bar(v, (int32_t)b, q);
        for (uint32_t m = 0; m < pipe->smems_count; m++) {
            if (zl_smem_is_private(pipe, (int32_t)m)) continue;
            check_fill(v, (int32_t)m, q);
            for (uint32_t r = 0; r < pipe->roles_count; r++)
                if (reads_ring(pipe, &pipe->roles[r], (int32_t)m)) check_drain(v, (int32_t)m, (int32_t)r, q);
        }
    }
}
