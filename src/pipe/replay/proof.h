/* SPDX-License-Identifier: Apache-2.0 */
/* A proof by runs while it is read, row by row; shared by proof.c and rows.c. A row is one line:
 * values of the params, the periods with which longer trips repeat, and how many events its runs
 * have. */
#ifndef ZL_REPLAY_PROOF_H
#define ZL_REPLAY_PROOF_H

#include "pipe/replay/same.h"
#include "base/scan.h"

/* Most values of a param, and the longest period, that rows may name. */
enum { ZL_RP_TRIPS = 512, ZL_RP_PERIOD = 64 };

/* One line: `run N 11 every 1 T 0..7 every 1 events 5321`. */
typedef struct zl_rp_row {
    int32_t param[ZL_RP_PARAMS];
    int64_t value[ZL_RP_PARAMS], period[ZL_RP_PARAMS]; /* period 0: none is claimed */
    uint32_t count, listed; /* params; those but one that is run up to `value` */
    int64_t events;
} zl_rp_row;

/* The values of one param so far, and how each repeats in all rows that it stands in. */
typedef struct zl_rp_level {
    int64_t first, value, period[ZL_RP_TRIPS];
} zl_rp_level;

typedef struct zl_rp_reader {
    zlay_ctx *ctx;
    const zlay_pipe *pipe;
    zl_replay *c;
    zl_cursor at;
    const char *next, *end, *fault;
    zl_rp_row row, before;
    zl_rp_level levels[ZL_RP_PARAMS];
    bool begun, broken;
} zl_rp_reader;

/* The first fault that is found stays. */
static inline bool zl_rp_refuse(zl_rp_reader *in, const char *fault)
{
    if (!in->fault) in->fault = fault;
    return false;
}

/* The least multiple of two periods; 0 where one of them is none. */
static inline int64_t zl_rp_common_period(int64_t a, int64_t b)
{
    return a && b ? a / (int64_t)zl_gcd((uint64_t)a, (uint64_t)b) * b : 0;
}

/* The run is over, breaks no rule, and longer trips follow as claimed. */
bool zl_rp_is_good(zl_rp_reader *in);
/* Run all that the row names. */
bool zl_rp_run_rows(zl_rp_reader *in);

#endif
