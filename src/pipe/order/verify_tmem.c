/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a pipe uses tensor memory correctly (zlay_pipe_tmem_check). First it tries the
 * rules of tensor memory that no order between roles can mend, on each role alone (src/pipe/tmem);
 * each is reported once for a line. If none is broken, zlay_pipe_verify decides the rest. */
#include "pipe/order/verify.h"
#include "pipe/tmem/tmem.h"

enum { SEEN = 128 };

typedef struct kept {
    zlay_tmem_fault *faults;
    size_t room, count, seen;
    uint32_t row[SEEN], line[SEEN];
} kept;

static void fault_put(kept *k, const zlay_tmem_fault *fault)
{
    if (k->count < k->room) k->faults[k->count] = *fault;
    k->count++;
}

/* Keeps a fault of a row, unless the same row and line were reported already. */
static void keep(void *to, uint32_t row, uint32_t line, uint32_t other, int64_t found,
                 int64_t wanted)
{
    kept *k = to;
    zlay_tmem_row rule = {0};
    zlay_tmem_row_info(&rule, row);
    zlay_tmem_fault fault = {.row = row, .reason = {.rule = rule.rule, .line = line,
                                                    .other = other, .found = found,
                                                    .wanted = wanted}};
    for (size_t i = 0; i < k->seen; i++)
        if (k->row[i] == row && k->line[i] == line) return;
    if (k->seen == SEEN) return;
    k->row[k->seen] = row;
    k->line[k->seen++] = line;
    if (other) fault.reason.trace[fault.reason.steps++] = other;
    fault.reason.trace[fault.reason.steps++] = line;
    fault_put(k, &fault);
}

enum { REASONS = 32 };

/* Adds the faults that the verifier finds. */
static zlay_status verify(zlay_ctx *ctx, zlay_answer *answer, kept *k, const zlay_pipe *pipe)
{
    zlay_pipe_reason reasons[REASONS];
    size_t count = 0;
    zlay_status status =
        zl_verify_pipe(ctx, answer, reasons, REASONS, &count, NULL, pipe);
    for (size_t i = 0; !status && i < count && i < REASONS; i++)
        fault_put(k, &(zlay_tmem_fault){.reason = reasons[i]});
    if (count > REASONS) k->count = count;
    return status;
}

zlay_status zlay_pipe_tmem_check(zlay_ctx *ctx, zlay_answer *answer, zlay_tmem_fault *faults,
                                 size_t room, size_t *count, const zlay_pipe *pipe)
{
    kept k = {.faults = faults, .room = room};
    zlay_answer found = ZLAY_NO;
    int64_t params[ZL_PIPE_NAMES];
    if (!answer || !count || !pipe || (!faults && room)) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    const zl_tmem_ask ask = {pipe, keep, &k, params};
    if (pipe->tmems_count) zl_tmem_events(&ask);
    if (pipe->tmems_count) zl_tmem_walks(&ask);
    if (!k.count) status = verify(ctx, &found, &k, pipe);
    status = zl_verify_leave(ctx, status, &found, &k.count);
    if (status) return status;
    *answer = found;
    *count = k.count;
    return ZLAY_OK;
}
