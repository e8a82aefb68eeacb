/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the runs of one row of a proof: each value that the row names is run, then again beside the
 * longer trips that it claims to stand for. The states of this checker can differ where those of
 * the verifier are equal. Therefore a row whose claim fails is retried with a longer period, or
 * with a few more values before it repeats. */
#include "pipe/replay/proof.h"

#include <string.h>

enum { WARMING = 24 };

bool zl_rp_is_good(zl_rp_reader *in)
{
    zl_replay *c = in->c;
    if (c->status) return false;
    if (c->unproved) return zl_rp_refuse(in, c->unproved);
    if (!c->rule) return true;
    in->broken = true;
    return zl_rp_refuse(in, "a run has a fault");
}

/* Runs, then twice more beside the longer trips: aligned with each repeated part as they pass
 * it for the last time, and for the first. */
static bool run_once(zl_rp_reader *in)
{
    zl_replay *c = in->c;
    c->unproved = NULL;
    c->repeats_count = 0;
    memset(c->seen_count, 0, sizeof c->seen_count);
    zl_rp_find_growth(c);
    for (c->turns = ZL_RP_ALONE; c->turns <= ZL_RP_FIRST; c->turns++) {
        c->compared = 0;
        zl_rp_run(c);
        if (!zl_rp_is_good(in)) return false;
        if (!c->claims_count) return true;
    }
    return true;
}

/* Adds a claim that loops of a param repeat with a period; period 0 claims nothing. */
static void claim(zl_replay *c, int32_t param, int64_t period)
{
    if (period) c->claims[c->claims_count++] = (zl_rp_claim){param, period, 0};
}

/* Makes one run of the row; `open`: with the claim that greater values of the last param
 * follow. */
static bool run_trip(zl_rp_reader *in, const zl_rp_row *r, bool open)
{
    zl_replay *c = in->c;
    c->claims_count = 0;
    for (uint32_t k = 0; k < (open ? r->count : r->listed); k++)
        claim(c, r->param[k], r->period[k]);
    return run_once(in);
}

/* A longer period for a claim that failed: turns of threads may recur later than what they do. */
static int64_t longer_period(const zl_replay *c)
{
    const zl_rp_claim *failed = &c->claims[c->unproved_claim];
    int64_t all = failed->recurs ? zl_rp_common_period(failed->period, failed->recurs) : 0;
    return all > 0 && all <= ZL_RP_PERIOD ? all : failed->period;
}

/* Runs beyond the named value as many trips as the period has, each of which must repeat; a
 * few before them may not. */
static bool run_longer(zl_rp_reader *in, zl_rp_row *r)
{
    zl_replay *c = in->c;
    int32_t param = r->param[r->listed];
    int64_t found = 0, until = r->value[r->listed], most = in->pipe->params[param].most;
    int64_t *period = &r->period[r->listed];
    for (int64_t trip = until + 1; found < *period && trip <= most; trip++) {
        c->values[param] = trip;
        found++;
        if (run_trip(in, r, true)) continue;
        if (!c->unproved || trip > until + WARMING) return false;
        if (c->claims[c->unproved_claim].param != param) return false;
        in->fault = NULL;
        int64_t longer = longer_period(c);
        bool again = longer > *period;
        found = again ? found - 1 : 0;
        trip -= again;
        *period = longer;
        if (!again && !run_trip(in, r, false)) return false;
    }
    return true;
}

/* Makes all runs of a row; a param without a fixed value takes each value up to the one that is
 * named, then longer trips. */
static bool run_row(zl_rp_reader *in, zl_rp_row *r)
{
    zl_replay *c = in->c;
    for (uint32_t k = 0; k < r->listed; k++) c->values[r->param[k]] = r->value[k];
    if (r->count == r->listed) return run_trip(in, r, false);
    int32_t param = r->param[r->listed];
    int64_t until = r->value[r->listed];
    if (until < in->pipe->params[param].most && !r->period[r->listed])
        return zl_rp_refuse(in, "greater values of a param do not follow");
    for (int64_t trip = in->pipe->params[param].least; trip <= until; trip++) {
        c->values[param] = trip;
        if (!run_trip(in, r, false)) return false;
    }
    return run_longer(in, r);
}

/* The listed param whose claim failed; `listed`: none. */
static uint32_t find_failed(const zl_rp_reader *in, const zl_rp_row *r)
{
    const zl_replay *c = in->c;
    uint32_t k = 0;
    while (c->unproved && k < r->listed && r->param[k] != c->claims[c->unproved_claim].param) k++;
    return c->unproved ? k : r->listed;
}

/* Replaces a row whose claim failed by rows with a longer period, or by this value without a
 * claim and the next; returns how many. */
static uint32_t split(const zl_rp_reader *in, const zl_rp_row *r, uint32_t k,
                      zl_rp_row out[ZL_RP_PERIOD])
{
    int64_t by = r->period[k], period = longer_period(in->c), least = r->value[k];
    uint32_t count = 0, rows = period > by ? (uint32_t)(period / by) : 2;
    for (uint32_t n = 0; n < rows; n++) {
        if (least + n * by > in->pipe->params[r->param[k]].most) continue;
        out[count] = *r;
        out[count].value[k] += n * by;
        out[count++].period[k] = period > by || n ? period : 0;
    }
    return count;
}

bool zl_rp_run_rows(zl_rp_reader *in)
{
    zl_rp_row todo[WARMING + 2 * ZL_RP_PERIOD] = {in->row};
    uint32_t count = 1;
    for (uint32_t tried = 0; count; tried++) {
        zl_rp_row r = todo[--count];
        if (run_row(in, &r)) continue;
        uint32_t k = find_failed(in, &r);
        if (k == r.listed || tried >= 2 * WARMING || count + ZL_RP_PERIOD > ZL_COUNT(todo))
            return false;
        in->fault = NULL;
        count += split(in, &r, k, todo + count);
    }
    return true;
}
