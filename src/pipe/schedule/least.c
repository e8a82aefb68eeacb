/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the smallest number first, for that is mostly the answer; then numbers at doubling
 * distances, then halves what lies between, where the question is monotone; else each number. */
#include "pipe/schedule/least.h"

/* A question may take a third of the points that are left. */
static uint64_t quota_of(const zl_looped *l)
{
    uint64_t most = zl_limits(l->ctx)->points;
    return l->points < most ? (most - l->points) / 3 : 0;
}

/* A no, or no answer, about x, where all numbers up to `failed` are such. */
static void note(zl_least *out, const zl_probe *q, int64_t x, zl_outcome found)
{
    if (found == ZL_DEAD && (q->monotone || out->bound == x)) out->bound = x + 1;
}

static zl_outcome first_yes(zl_least *out, zl_probe *q, int64_t *failed, int64_t most)
{
    int64_t x = *failed + 1, step = 1;
    for (;;) {
        zl_outcome found = q->ask(q, x, quota_of(q->l));
        out->best = x;
        if (found == ZL_FOUND || found == ZL_NO_MEMORY) return found;
        note(out, q, x, found);
        *failed = x;
        if (x >= most) return out->bound > most ? ZL_DEAD : ZL_QUOTA;
        if (!q->monotone && !quota_of(q->l)) return ZL_QUOTA;
        x = most - x > step ? x + step : most;
        if (q->monotone && step < most / 2) step *= 2;
    }
}

zl_outcome zl_least_of(zl_least *out, zl_probe *q, int64_t low, int64_t most)
{
    int64_t failed = low - 1;
    out->bound = low;
    zl_outcome found = first_yes(out, q, &failed, zl_max(low, most));
    if (found != ZL_FOUND) return found;
    while (q->monotone && out->best - failed > 1) {
        int64_t middle = failed + (out->best - failed) / 2;
        found = q->ask(q, middle, quota_of(q->l));
        if (found == ZL_NO_MEMORY) return found;
        note(out, q, middle, found);
        if (found == ZL_FOUND) out->best = middle;
        else failed = middle;
    }
    return ZL_FOUND;
}
