/* SPDX-License-Identifier: Apache-2.0 */
/* The fewest box heights of which every tail is a sum of few: the postage-stamp problem with given amounts. A
 * search by depth: the least tail that is no sum yet needs a new height that is not above it, so each such height
 * is tried, and then is left out of its brothers' pools. A pool of k heights and sums of at most h boxes has
 * C(k + h, h) - 1 sums, which bounds what more heights can add. */
#include "base/arith.h"
#include "base/base.h"
#include "base/request.h"
#include "synth/ragged/ragged.h"

#include <string.h>

enum { TAIL = ZLAY_POOL_TAIL, NEVER = 255, MOST_BOXES = 254, SHARE = 8 };

/* Least boxes of each sum of rows: of heights that are multiples of the unit, and with any one more behind them. */
typedef struct sums {
    uint8_t whole[TAIL + 1], least[TAIL + 1];
} sums;

typedef enum pool_answer { NO, YES, ENDED } pool_answer;

typedef struct pool_search {
    zlay_ctx *ctx;
    uint32_t unit, boxes, maps; /* the bounds of this search */
    uint32_t most, tails;       /* the greatest tail, and how many there are */
    bool asked[TAIL + 1];
    uint32_t left_out[TAIL + 1]; /* one more than the depth from which on a height is not tried; 0: it is */
    uint32_t height[TAIL];
    sums *at;                   /* of each depth: its heights before it */
    uint64_t steps;             /* that are left */
} pool_search;

/* ---- sums -------------------------------------------------------------------------------------- */

static void sums_begin(sums *s)
{
    memset(s, NEVER, sizeof *s);
    s->whole[0] = s->least[0] = 0;
}

static uint8_t one_more(uint8_t boxes) { return boxes < MOST_BOXES ? (uint8_t)(boxes + 1) : NEVER; }

static void put_behind(sums *s, uint32_t height, uint32_t most)
{
    for (uint32_t t = height; t <= most; t++) {
        uint8_t boxes = one_more(s->whole[t - height]);
        if (boxes < s->least[t]) s->least[t] = boxes;
    }
}

/* The sums with one height more; `pool` has the others. */
static void sums_add(sums *s, uint32_t height, uint32_t unit, uint32_t most, const uint32_t *pool, uint32_t maps)
{
    if (height % unit) {
        put_behind(s, height, most);
        return;
    }
    for (uint32_t t = height; t <= most; t++) {
        uint8_t boxes = one_more(s->whole[t - height]);
        if (boxes < s->whole[t]) s->whole[t] = boxes;
        if (s->whole[t] < s->least[t]) s->least[t] = s->whole[t];
    }
    for (uint32_t i = 0; i < maps && unit > 1; i++) put_behind(s, pool[i], most);
}

/* ---- the search -------------------------------------------------------------------------------- */

/* The least tail that takes too many boxes, 0: none; and how many such there are. */
static uint32_t least_open(const pool_search *s, const sums *now, uint32_t *count)
{
    uint32_t least = 0;
    *count = 0;
    for (uint32_t t = s->most; t; t--)
        if (s->asked[t] && now->least[t] > s->boxes) least = t, ++*count;
    return least;
}

/* C(maps + boxes, boxes), or 2^64 - 1. */
static uint64_t multisets(uint32_t maps, uint32_t boxes)
{
    uint64_t n = 1;
    uint32_t few = maps < boxes ? maps : boxes;
    for (uint64_t i = 1; i <= few; i++) {
        if (n > UINT64_MAX / (maps + boxes)) return UINT64_MAX;
        n = n * (maps + boxes - few + i) / i;
    }
    return n;
}

static bool too_few(const pool_search *s, uint32_t depth, uint32_t open)
{
    uint64_t all = multisets(s->maps, s->boxes), had = multisets(depth, s->boxes);
    return all < UINT64_MAX && all - had < open;
}

static pool_answer search(pool_search *s, uint32_t depth)
{
    uint32_t open, tail = least_open(s, &s->at[depth], &open), x = tail;
    pool_answer result = NO;
    if (!tail) return s->maps = depth, YES;
    if (depth == s->maps || too_few(s, depth, open)) return NO;
    if (s->steps < s->most * (uint64_t)tail) return ENDED;
    s->steps -= s->most * (uint64_t)tail;
    for (; x && result == NO; x--) {
        if (s->left_out[x]) continue;
        s->at[depth + 1] = s->at[depth];
        s->height[depth] = x;
        sums_add(&s->at[depth + 1], x, s->unit, s->most, s->height, depth);
        result = search(s, depth + 1);
        s->left_out[x] = depth + 1;
    }
    for (uint32_t y = tail; y; y--)
        if (s->left_out[y] == depth + 1) s->left_out[y] = 0;
    return result;
}

static pool_answer search_within(pool_search *s, uint32_t maps, uint32_t boxes)
{
    uint64_t share = zl_work_left(s->ctx) / SHARE;
    s->maps = maps;
    s->boxes = boxes;
    s->steps = share;
    sums_begin(s->at);
    pool_answer result = search(s, 0);
    if (zl_charge(s->ctx, share - s->steps)) return ENDED;
    return result;
}

/* The height that makes the most open tails sums, again and again: a pool, and most often not the least. */
static void greedy(pool_search *s, uint32_t boxes)
{
    uint32_t depth = 0, open;
    s->boxes = boxes;
    sums_begin(s->at);
    for (uint32_t tail; (tail = least_open(s, &s->at[0], &open)); depth++) {
        uint32_t best = tail, fewest = open;
        for (uint32_t x = 1; x <= tail; x++) {
            uint32_t left;
            s->at[1] = s->at[0];
            sums_add(&s->at[1], x, s->unit, s->most, s->height, depth);
            least_open(s, &s->at[1], &left);
            if (s->at[1].least[tail] <= boxes && left < fewest) fewest = left, best = x;
        }
        sums_add(&s->at[0], best, s->unit, s->most, s->height, depth);
        s->height[depth] = best;
    }
    s->maps = depth;
}

/* ---- the answer -------------------------------------------------------------------------------- */

static void take(zlay_pool *out, const pool_search *s)
{
    sums all;
    uint32_t boxes = 0;
    sums_begin(&all);
    for (uint32_t i = 0; i < s->maps; i++) sums_add(&all, s->height[i], s->unit, s->most, s->height, i);
    for (uint32_t t = 1; t <= s->most; t++)
        if (s->asked[t] && all.least[t] > boxes) boxes = all.least[t];
    out->maps = s->maps;
    out->boxes = boxes;
    out->unit = s->unit;
    out->optimal = 0;
    memset(out->height, 0, sizeof out->height);
    for (uint32_t i = 0; i < s->maps; i++) {
        uint32_t k = i;
        for (; k && out->height[k - 1] > s->height[i]; k--) out->height[k] = out->height[k - 1];
        out->height[k] = s->height[i];
    }
}

/* Fewest maps: every number of them below what the greedy pool has. */
static void fewest_maps(zlay_pool *out, pool_search *s, uint32_t boxes)
{
    uint32_t maps = 1;
    bool proved = true;
    greedy(s, boxes);
    take(out, s);
    for (uint32_t end = out->maps; maps < end; maps++) {
        pool_answer result = search_within(s, maps, boxes);
        if (result == ENDED && proved) out->lower_bound = maps;
        proved &= result != ENDED;
        if (result != YES) continue;
        uint32_t bound = out->lower_bound;
        take(out, s);
        out->lower_bound = bound;
        break;
    }
    if (proved) out->lower_bound = out->maps;
    out->optimal = proved;
}

/* Fewest boxes of the tail that takes the most: every number from one on. */
static zlay_status fewest_boxes(zlay_pool *out, pool_search *s, uint32_t maps)
{
    bool proved = true;
    uint32_t bound = 0;
    for (uint32_t boxes = 1; boxes <= s->most; boxes++) {
        pool_answer result = search_within(s, maps, boxes);
        if (result == ENDED && proved) bound = boxes;
        proved &= result != ENDED;
        if (result != YES) continue;
        take(out, s);
        out->lower_bound = proved ? boxes : bound;
        out->optimal = proved;
        return ZLAY_OK;
    }
    return zl_fail(s->ctx, ZLAY_NONE, proved ? "no pool of %u maps has every tail as a sum" :
                   "no pool of %u maps was found before limits.work ended the search", (unsigned)maps);
}

static zlay_status request_take(pool_search *s, zlay_pool_request *r, const zlay_pool_request *request)
{
    static const zl_request_form form = {"zlay_pool_request", sizeof(zlay_pool_request), sizeof request->size,
                                         {ZL_RESERVED(zlay_pool_request, reserved)}};
    zlay_status status = zl_request_read(s->ctx, r, request, &form);
    if (status) return status;
    if (!r->tails || !r->tail) return zl_fail(s->ctx, ZLAY_EINVAL, "tail: there is none");
    if (!r->boxes && !r->maps) return zl_fail(s->ctx, ZLAY_EINVAL, "boxes, maps: one of them is a bound");
    for (uint32_t i = 0; i < r->tails; i++) {
        if (!r->tail[i] || r->tail[i] > TAIL)
            return zl_fail(s->ctx, ZLAY_EINVAL, "tail[%u]: %u is not 1 to %d", (unsigned)i, (unsigned)r->tail[i], TAIL);
        s->tails += !s->asked[r->tail[i]];
        s->asked[r->tail[i]] = true;
        if (r->tail[i] > s->most) s->most = r->tail[i];
    }
    s->unit = r->unit ? r->unit : 1;
    s->at = zl_scratch(s->ctx, TAIL + 2, sizeof *s->at);
    return s->at ? ZLAY_OK : ZLAY_ENOMEM;
}

zlay_status zl_pool_make(zlay_ctx *ctx, zlay_pool *out, const zlay_pool_request *request)
{
    pool_search search_of = {.ctx = ctx}, *s = &search_of;
    zlay_pool_request r;
    zlay_status status = request_take(s, &r, request);
    if (status) return status;
    if (!r.boxes) return fewest_boxes(out, s, zl_min32(r.maps, TAIL));
    fewest_maps(out, s, zl_min32(r.boxes, MOST_BOXES));
    if (!r.maps || out->maps <= r.maps) return ZLAY_OK;
    return zl_fail(s->ctx, ZLAY_NONE, out->lower_bound > r.maps ? "maps: %u boxes a tail need at least %u maps" :
                   "maps: for %u boxes a tail no pool of less than %u maps was found", (unsigned)r.boxes,
                   out->lower_bound > r.maps ? (unsigned)out->lower_bound : (unsigned)out->maps);
}

zlay_status zlay_pool_find(zlay_ctx *ctx, zlay_pool *out, const zlay_pool_request *request)
{
    zlay_pool pool = {0};
    if (!out || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_leave(ctx, zl_pool_make(ctx, &pool, request));
    if (!status) *out = pool;
    return status;
}

/* ---- one tail ---------------------------------------------------------------------------------- */

static bool is_pool(const zlay_pool *pool)
{
    bool is = pool->maps <= TAIL && pool->unit;
    for (uint32_t i = 0; is && i < pool->maps; i++) is = pool->height[i] != 0;
    return is;
}

/* Boxes of multiples, the tallest first. */
static uint32_t cut_whole(uint32_t *height, const zlay_pool *p, const sums *s, uint32_t tail)
{
    uint32_t boxes = 0;
    for (uint32_t i = p->maps; i-- && tail;) {
        uint32_t h = p->height[i];
        while (h % p->unit == 0 && h <= tail && s->whole[tail - h] < s->whole[tail])
            height[boxes++] = h, tail -= h;
    }
    return boxes;
}

zlay_status zlay_pool_cut(uint32_t *height, uint32_t *boxes, const zlay_pool *pool, uint32_t tail)
{
    sums s;
    uint32_t last = 0;
    if (!height || !boxes || !pool || !is_pool(pool) || !tail || tail > TAIL) return ZLAY_EINVAL;
    sums_begin(&s);
    for (uint32_t i = 0; i < pool->maps; i++) sums_add(&s, pool->height[i], pool->unit, tail, pool->height, i);
    if (s.least[tail] == NEVER) return ZLAY_NONE;
    for (uint32_t i = 0; i < pool->maps && s.least[tail] < s.whole[tail]; i++)
        if (pool->height[i] <= tail && s.whole[tail - pool->height[i]] + 1 == s.least[tail]) last = pool->height[i];
    *boxes = cut_whole(height, pool, &s, tail - last);
    if (last) height[(*boxes)++] = last;
    return ZLAY_OK;
}
