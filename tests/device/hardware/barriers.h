/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of barriers.def on a device. */
#ifndef BARRIERS_H
#define BARRIERS_H

#include "copies.h"

typedef enum about { ASK_BARRIER, ASK_BLOCK } about;

typedef struct state_case {
    const char *name;
    unsigned threads;
    const char *directives, *text;
    int outcome;
    uint32_t value;
    about about;
    union {
        zlay_barrier barrier;
        zlay_block block;
    } says;
} state_case;

typedef struct launch_case {
    const char *name;
    unsigned threads, smem, registers, grid[3], cluster[3];
    int non_portable, outcome;
} launch_case;

typedef struct state_seen {
    case_seen base;
    uint32_t value;
    zlay_answer answer;
} state_seen;

extern const state_case state_cases[];
extern const launch_case launch_cases[];
extern const size_t state_cases_count, launch_cases_count;

/* Write the kernel of every state to a folder, as stateN.ptx. */
int state_texts(const char *folder);
void state_run(copy_rig *r, const state_case *c, state_seen *seen);
void launch_run(copy_rig *r, const launch_case *c, state_seen *seen);

#endif
