/* SPDX-License-Identifier: Apache-2.0 */
/* What print.c and print_pos.c share: the output, and the loop counters in scope. */
#ifndef ZL_PIPE_PRINT_H
#define ZL_PIPE_PRINT_H

#include "pipe/language/pipe.h"

typedef struct zl_printer {
    zl_text *out;
    const zlay_pipe *pipe;
    const char *counters[ZL_PIPE_LOOPS];
    uint32_t depth;
    zl_event_token token; /* being printed */
} zl_printer;

/* A printer that has the counters around an event. */
zl_printer zl_printer_at(zl_text *out, const zlay_pipe *pipe, uint32_t event);

void zl_put_pos(zl_printer *p, const zl_pos *pos);
void zl_put_term(zl_printer *p, const zl_pos *pos);
/* The stage that a position names, behind a blank: ` name[pos % stages]`. */
void zl_put_slot(zl_printer *p, const char *name, const zl_pos *pos, uint32_t stages);
/* pos / stages, with the flip of a wait (pos / stages + 1). */
void zl_put_round(zl_printer *p, const zl_event *e, const zl_pos *pos);
/* Moves, and the number that is left; all as a number where it is none. */
void zl_put_sum_of(zl_printer *p, int64_t total, const zl_moved *moved);

#endif
