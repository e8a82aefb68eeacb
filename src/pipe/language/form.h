/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a pipe's text that hold for every order of its roles; shared by every proof. */
#ifndef ZL_PIPE_FORM_H
#define ZL_PIPE_FORM_H

#include "pipe/language/pipe.h"

/* A broken rule of zlay/pipe.h and the index of its event. */
typedef void zl_form_report(void *to, int32_t rule, uint32_t event, int64_t found, int64_t wanted);

typedef struct zl_form_ask {
    const zlay_pipe *pipe;
    zl_form_report *report;
    void *to;
} zl_form_ask;

/* Barriers: initialised once, fenced, published, with a count that can be. */
void zl_form_bars(const zl_form_ask *ask);
/* An event of a role: who runs it, and what has no place there. */
void zl_form_event(const zl_form_ask *ask, const zl_role *role, uint32_t event);

#endif
