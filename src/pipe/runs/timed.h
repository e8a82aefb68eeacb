/* SPDX-License-Identifier: Apache-2.0 */
/* A run whose events have times: the instance that is earliest runs next, by one event. */
#ifndef ZL_RUN_TIMED_H
#define ZL_RUN_TIMED_H

#include "pipe/runs/run.h"

typedef struct zl_timed {
    int64_t *at; /* per instance: the time of its next event, which zl_run.told sets */
    bool *waits; /* per instance: nothing has happened since it could not run its event */
    void (*tried)(zl_run *r, const zl_instance *i); /* hears of an event that has to wait */
} zl_timed;

#endif
