/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the smallest number first, for that is mostly the answer; then numbers at doubling
 * distances, then halves what lies between, where the question is monotone; else each number. Each
 * question has a fourth of the pairs that are left, and what no question answered is asked last, with
 * what then is left. */
#include "pipe/schedule/least.h"

enum { QUESTIONS = 4 };

/* A part of the pairs that are left. */
static uint64_t quota_of(const zl_looped *l, uint32_t part)
{
    uint64_t most = zl_loop_limit(l);
    return l->pairs < most ? (most - l->pairs) / part : 0;
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
        zl_outcome found = q->ask(q, x, quota_of(q->l, x == most ? 1 : QUESTIONS));
        out->best = x;
        if (found == ZL_FOUND || found == ZL_NO_MEMORY) return found;
        note(out, q, x, found);
        *failed = x;
        if (x >= most) return out->bound > most ? ZL_DEAD : ZL_QUOTA;
        if (!q->monotone && !quota_of(q->l, QUESTIONS)) return ZL_QUOTA;
        x = most - x > step ? x + step : most;
        if (q->monotone && step < most / 2) step *= 2;
    }
}

/* The number below the best again, which no question has answered; where stages are asked next, with half of the pairs. */
static zl_outcome last_questions(zl_least *out, zl_probe *q)
{
    const uint32_t part = q->ii ? 1 : 2;
    zl_outcome found = ZL_FOUND;
    while (found == ZL_FOUND && out->bound < out->best && quota_of(q->l, part)) {
        int64_t x = out->best - 1;
        found = q->ask(q, x, quota_of(q->l, part));
        note(out, q, x, found);
        if (found == ZL_FOUND) out->best = x;
    }
    return found == ZL_NO_MEMORY ? found : ZL_FOUND;
}

zl_outcome zl_least_of(zl_least *out, zl_probe *q, int64_t low, int64_t most)
{
    int64_t failed = low - 1;
    out->bound = low;
    zl_outcome found = first_yes(out, q, &failed, zl_max(low, most));
    if (found != ZL_FOUND) return found;
    while (q->monotone && out->best - failed > 1) {
        int64_t middle = failed + (out->best - failed) / 2;
        found = q->ask(q, middle, quota_of(q->l, QUESTIONS));
        if (found == ZL_NO_MEMORY) return found;
        note(out, q, middle, found);
        if (found == ZL_FOUND) out->best = middle;
        else failed = middle;
    }
    return last_questions(out, q);
}
