/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether some K has only 0 in common with the subspace of every access (K as in
 * swizzle.h), from the subspaces alone.
 *
 * Let E be the sum of the subspaces and I their intersection.  Only the quotient E / I matters:
 * vectors outside E may join K without any conflict, and K meets a subspace exactly when it does
 * so modulo I.  One or two subspaces whose sizes fit always leave room.  For more, the file walks
 * over the bases of K depth first, with the set of forbidden vectors as a bit set: a vector
 * outside the set may join K, and then the set is joined with its translate by that vector. */
#include "algebra/f2/f2.h"
#include "synth/swizzle/swizzle.h"

#include <string.h>

enum { MOST = 12, SET = 1 << (MOST - 6) };

typedef struct deciding {
    const zl_swizzle_problem *p;
    uint64_t steps;
    bool yes, unknown;
} deciding;

typedef struct quotient {
    uint32_t count, dims;
    uint32_t depth[ZL_ASKS_MOST], longest, sizes[ZL_ASKS_MOST];
    uint64_t at[ZL_ASKS_MOST][ZL_LANE_BITS]; /* coordinates */
} quotient;

/* The intersection of two spans (Zassenhaus). */
static uint32_t meet(uint64_t *out, const uint64_t *a, uint32_t a_count, const uint64_t *b,
                     uint32_t b_count)
{
    zl_echelon e;
    e.pivots = 0;
    uint32_t count = 0;
    uint64_t from, found[ZL_LANE_BITS];
    for (uint32_t i = 0; i < a_count; i++) zl_echelon_put(&e, a[i], i);
    for (uint32_t i = 0; i < b_count; i++) {
        if (zl_echelon_put(&e, b[i], 32 + i)) continue;
        zl_echelon_reduce(&e, b[i], &from);
        found[count] = 0;
        for (uint64_t left = from & UINT32_MAX; left; left &= left - 1)
            found[count] ^= a[__builtin_ctzll(left)];
        count++;
    }
    memcpy(out, found, count * sizeof *found);
    return count;
}

/* Reads the subspaces in coordinates of E / I: those of E, in a basis that begins with a basis of
 * I, without the first ones. */
static void quotient_read(quotient *q, const zl_avoid *avoid, uint32_t count)
{
    zl_echelon e;
    e.pivots = 0;
    uint64_t common[ZL_LANE_BITS];
    uint32_t shared = avoid[0].count, dims = 0;
    memcpy(common, avoid[0].vector, sizeof common);
    for (uint32_t a = 1; a < count; a++)
        shared = meet(common, common, shared, avoid[a].vector, avoid[a].count);
    for (uint32_t i = 0; i < shared; i++) zl_echelon_put(&e, common[i], dims++);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t i = 0; i < avoid[a].count; i++)
            if (zl_echelon_put(&e, avoid[a].vector[i], dims)) dims++;
    q->dims = dims - shared;
    for (uint32_t a = 0; a < count; a++) {
        q->sizes[a] = avoid[a].count;
        for (uint32_t i = 0; i < avoid[a].count; i++) {
            zl_echelon_reduce(&e, avoid[a].vector[i], &q->at[a][i]);
            q->at[a][i] >>= shared;
        }
    }
}

/* Joins a set with its translate by a vector. */
static void set_join(uint64_t *set, uint32_t dims, uint32_t vector)
{
    uint64_t moved[SET];
    uint32_t words = dims > 6 ? 1u << (dims - 6) : 1;
    for (uint32_t w = 0; w < words; w++)
        moved[w] = set[w] | zl_set_moved(set[w ^ vector >> 6], vector & 63);
    memcpy(set, moved, words * sizeof *moved);
}

/* The union of the vectors that accesses forbid beside K; only accesses count whose depth is above
 * that of the next vector. */
static void forbid(uint64_t *set, const quotient *q, uint32_t outside, uint32_t index,
                   const uint32_t *k, uint32_t length)
{
    uint64_t one[SET];
    memset(set, 0, SET * sizeof *set);
    for (uint32_t a = 0; a < q->count; a++) {
        if (q->depth[a] <= outside + index) continue;
        memset(one, 0, sizeof one);
        one[0] = 1;
        for (uint32_t i = 0; i < q->sizes[a]; i++) set_join(one, q->dims, (uint32_t)q->at[a][i]);
        for (uint32_t i = 0; i < length; i++) set_join(one, q->dims, k[i]);
        for (uint32_t w = 0; w < SET; w++) set[w] |= one[w];
    }
}

/* A level of the walk over the bases of K.  Only reduced bases are walked: the top bits of their
 * vectors grow, and no vector has the top bit of another. */
typedef struct step {
    uint64_t set[SET];
    uint32_t next, tops;
} step;

static uint32_t next_free(step *at, uint32_t end, uint64_t *steps)
{
    for (; at->next < end && *steps; at->next++, --*steps) {
        bool forbidden = at->set[at->next >> 6] >> (at->next & 63) & 1;
        if (!forbidden && !(at->next & at->tops)) return at->next++;
    }
    return 0;
}

/* Begins a level.  Where the depth of some access ends here, the top bits may begin anew. */
static void step_begin(step *to, const quotient *q, uint32_t outside, const uint32_t *k,
                       uint32_t length)
{
    uint32_t top = length ? 1u << (31 - (uint32_t)__builtin_clz(k[length - 1])) : 0;
    to->next = top ? 2 * top : 1;
    for (uint32_t a = 0; a < q->count; a++)
        if (q->depth[a] == outside + length) to->next = 1;
    to->tops = 0;
    for (uint32_t i = 0; i < length; i++) to->tops |= 1u << (31 - (uint32_t)__builtin_clz(k[i]));
    forbid(to->set, q, outside, length, k, length);
}

/* Whether `length` vectors of E / I can be chosen one after the other, none of them forbidden. */
static bool room_for(deciding *w, const quotient *q, uint32_t outside, uint32_t length)
{
    step at[MOST + 1];
    uint32_t k[MOST + 1] = {0}, i = 0;
    step_begin(&at[0], q, outside, k, 0);
    for (;;) {
        k[i] = next_free(&at[i], 1u << q->dims, &w->steps);
        if (k[i] && i + 1 == length) return true;
        if (k[i]) {
            i++;
            zl_steps_take(&w->steps, ZL_STEPS_TRY);
            step_begin(&at[i], q, outside, k, i);
        } else if (!w->steps || i-- == 0) {
            w->unknown = w->unknown || !w->steps;
            return false;
        }
    }
}

static uint32_t rank_with(const zl_avoid *a, const uint64_t *k, uint32_t length)
{
    zl_echelon e;
    uint32_t rank = 0;
    e.pivots = 0;
    for (uint32_t i = 0; i < a->count; i++) rank += zl_echelon_put(&e, a->vector[i], 0);
    for (uint32_t i = 0; i < length; i++) rank += zl_echelon_put(&e, k[i], 0);
    return rank;
}

/* For spaces too large to walk over: searches a K, and returns whether it meets no subspace.  If it
 * meets one, nothing is known. */
static bool witnessed(deciding *w, const zl_inner_frame *f, const zl_avoid *avoid, uint32_t longest)
{
    uint64_t k[ZL_TILE_BITS];
    bool yes = true;
    zl_complement_search(k, longest, f, avoid, w->p->count, &w->steps);
    for (uint32_t a = 0; a < w->p->count && yes; a++)
        yes = rank_with(&avoid[a], k, avoid[a].depth) == avoid[a].count + avoid[a].depth;
    w->unknown = w->unknown || !yes;
    return yes;
}

/* Decides for one frame; true ends the walk over frames. */
static bool in_frame(void *env, const zl_inner_frame *f)
{
    deciding *w = env;
    zl_avoid avoid[ZL_ASKS_MOST];
    zl_echelon e;
    e.pivots = 0;
    quotient q = {.count = w->p->count};
    uint32_t room = f->bits - f->inner, span = 0;
    zl_steps_take(&w->steps, ZL_STEPS_TRY);
    for (uint32_t a = 0; a < q.count; a++) {
        zl_avoid_read(&avoid[a], f, w->p, &w->p->ask[a]);
        q.depth[a] = avoid[a].depth;
        if (avoid[a].count > room - avoid[a].depth) return false;
        if (avoid[a].weight > zl_ask_bound(&w->p->ask[a])) return false;
        if (avoid[a].depth > q.longest) q.longest = avoid[a].depth;
        for (uint32_t i = 0; i < avoid[a].count; i++)
            span += zl_echelon_put(&e, avoid[a].vector[i], 0);
    }
    uint32_t outside = room - span;
    w->yes = q.count <= 2 || q.longest <= outside;
    if (w->yes) return true;
    quotient_read(&q, avoid, q.count);
    if (q.dims > MOST) w->yes = witnessed(w, f, avoid, q.longest);
    else w->yes = q.longest - outside <= q.dims && room_for(w, &q, outside, q.longest - outside);
    return w->yes || !w->steps;
}

zlay_answer zl_swizzle_decide(const zl_swizzle_problem *problem)
{
    deciding w = {.p = problem, .steps = problem->steps};
    zl_swizzle_found unused;
    bool all;
    if (zl_frames_visit(&all, &unused, problem, in_frame, &w)) return ZLAY_NO;
    if (w.yes) return ZLAY_YES;
    return all && !w.unknown ? ZLAY_NO : ZLAY_UNDECIDED;
}
