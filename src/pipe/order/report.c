/* SPDX-License-Identifier: Apache-2.0 */
/* What all checks of the order proof share: the reasons that they find, why they do not decide, and
 * the traces of the roles. */
#include "pipe/order/verify.h"

#include <string.h>

/* Keeps a reason; only the first of a rule and line. */
void zl_report(zl_verify *v, int32_t rule, uint32_t line, uint32_t other, int64_t found,
               int64_t wanted)
{
    size_t kept = v->count < v->room ? v->count : v->room;
    for (size_t i = 0; i < kept; i++)
        if (v->reasons[i].rule == rule && v->reasons[i].line == line) return;
    if (v->count < v->room) {
        zlay_pipe_reason *r = &v->reasons[v->count];
        memset(r, 0, sizeof *r);
        r->rule = rule;
        r->line = line;
        r->other = other;
        r->found = found;
        r->wanted = wanted;
        if (other) r->trace[r->steps++] = other;
        r->trace[r->steps++] = line;
    }
    v->count++;
}

void zl_undecided(zl_verify *v, uint32_t line, const char *because)
{
    if (v->undecided) return;
    v->undecided = line;
    v->because = because;
}

zlay_status zl_traces_make(zl_verify *v, int64_t outer, int64_t inner)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t r = 0; !status && r < v->pipe->roles_count; r++)
        status = zl_trace_make(v->ctx, &v->traces[r], v->pipe, &v->shape, &v->pipe->roles[r], outer,
                               inner);
    v->q_end = outer * inner;
    return status;
}
