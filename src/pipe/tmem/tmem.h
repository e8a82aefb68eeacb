/* SPDX-License-Identifier: Apache-2.0 */
/* What a pipe's use of tensor memory can break by itself: columns, lanes, and the counts of what is
 * allocated and freed. Order between roles is not asked here. */
#ifndef ZL_PIPE_TMEM_H
#define ZL_PIPE_TMEM_H

#include "pipe/language/pipe.h"
#include "pipe/tmem/rows.h"
#include <zlay/pipe_tmem.h>

/* One broken row; lines of the text, `other` 0: none. */
typedef void zl_tmem_report(void *to, uint32_t row, uint32_t line, uint32_t other, int64_t found,
                            int64_t wanted);

typedef struct zl_tmem_ask {
    const zlay_pipe *pipe;
    zl_tmem_report *report;
    void *to;
    int64_t *params; /* of the walks: the trip counts that one is at */
} zl_tmem_ask;

/* What the text alone breaks, and each role run alone for few trip counts: rows in any order; the
 * same row and line may come again. */
void zl_tmem_events(const zl_tmem_ask *ask);
void zl_tmem_walks(const zl_tmem_ask *ask);

static inline void zl_tmem_fault(const zl_tmem_ask *ask, uint32_t row, const zl_event *e,
                                 uint32_t other, int64_t found, int64_t wanted)
{
    ask->report(ask->to, row, e->line, other, found, wanted);
}

/* The role that an event stands in; NULL in the setup. */
const zl_role *zl_tmem_role(const zlay_pipe *pipe, const zl_event *e);

static inline int64_t zl_tmem_columns(const zl_tmem *t)
{
    return (int64_t)t->stages * t->columns;
}

#endif
