/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute convert.synth on distributions of any size: registers 1 to 12, lanes, warps, strides with holes, copies and
 * negative steps, whose elements the test computes from the drawn numbers.  NONE is refuted where every wanted element is held, a level
 * by the nearest holder of each wanted slot, found by looking at all slots, and a plan by running it slot by slot: what it brings is not
 * what dst wants, an element is read from a thread that its level does not reach, or a place of shared memory holds two elements.  One case in
 * 512 without copies, and one in eight of the plans over bits, run on the machine of convert.h, which counts banks too.  10^4 cases, 10^6 with
 * ZLAY_EXHAUSTIVE=1. */
#include "plans/convert_worlds.h"

enum { CASES = 10000, SLOTS = 4096, DEEP = 512, LINEAR = 8, ROOM = 1 << 17 };

typedef struct side {
    int64_t extent[3], stride[3], offset; /* register, lane, warp */
    int64_t slots, value[SLOTS];
    char text[200];
} side;

typedef struct totals {
    uint64_t none, level[5], memory, machine, limits;
} totals;

/* ---- drawn ------------------------------------------------------------------------------------------------------- */

static int64_t draw_stride(uint64_t *seed, int64_t before)
{
    switch (test_range(seed, 0, 5)) {
    case 0: return test_range(seed, 0, 12);
    case 1: return 0;
    case 2: return -test_range(seed, 1, 40);
    case 3: return (int64_t)1 << test_range(seed, 0, 7);
    default: return before;
    }
}

static bool read_values(side *s)
{
    s->slots = s->extent[0] * s->extent[1] * s->extent[2];
    if (s->slots > SLOTS) return false;
    int64_t least = 0;
    for (int i = 0; i < 3; i++)
        if (s->stride[i] < 0) least += s->stride[i] * (s->extent[i] - 1);
    s->offset -= least;
    for (int64_t x = 0; x < s->slots; x++)
        s->value[x] = s->offset + x % s->extent[0] * s->stride[0] + x / s->extent[0] % s->extent[1] * s->stride[1] + x / s->extent[0] / s->extent[1] * s->stride[2];
    snprintf(s->text, sizeof s->text, "%lld o (%lld,%lld,%lld):(%lld,%lld,%lld)", (long long)s->offset, (long long)s->extent[0], (long long)s->extent[1], (long long)s->extent[2],
             (long long)s->stride[0], (long long)s->stride[1], (long long)s->stride[2]);
    return true;
}

static bool draw_side(uint64_t *seed, side *s)
{
    int order[] = {0, 1, 2};
    int64_t step = 1;
    s->extent[0] = test_range(seed, 0, 31) ? test_range(seed, 1, test_range(seed, 0, 3) ? 4 : 12) : test_range(seed, 13, 32);
    s->extent[1] = test_range(seed, 0, 3) ? test_range(seed, 1, 32) : 32;
    s->extent[2] = test_range(seed, 0, 2) ? 1 : test_range(seed, 1, 4);
    s->offset = test_range(seed, 0, 3) ? 0 : test_range(seed, 0, 9);
    test_shuffle(seed, order, 3);
    for (int i = 0; i < 3; i++) {
        s->stride[order[i]] = test_range(seed, 0, 5) ? step : draw_stride(seed, step);
        step *= s->extent[order[i]];
        if (!test_range(seed, 0, 7)) step += test_range(seed, 1, 5);
    }
    return read_values(s);
}

/* A relative: the same, two steps exchanged, a part of it, or another one. */
static bool draw_other(uint64_t *seed, side *d, const side *s)
{
    int i = (int)test_range(seed, 0, 2), j = (int)test_range(seed, 0, 2);
    *d = *s;
    switch (test_range(seed, 0, 5)) {
    case 0: d->extent[i] = test_range(seed, 1, d->extent[i]); break;
    case 1:
        if (d->extent[i] == d->extent[j]) d->stride[i] = s->stride[j], d->stride[j] = s->stride[i];
        break;
    case 2: d->stride[i] = -d->stride[i]; break;
    case 3: d->stride[i] = draw_stride(seed, d->stride[i]); break;
    default: return draw_side(seed, d);
    }
    d->offset = d->value[0];
    for (int k = 0; k < 3; k++)
        if (s->stride[k] < 0) d->offset = s->offset;
    return read_values(d);
}

/* ---- decided by looking at all slots ----------------------------------------------------------------------------- */

static int level_between(const side *s, int64_t x, const side *d, int64_t y)
{
    int64_t lane = x / s->extent[0] % s->extent[1], warp = x / s->extent[0] / s->extent[1], lane_y = y / d->extent[0] % d->extent[1], warp_y = y / d->extent[0] / d->extent[1];
    if (warp != warp_y) return ZLAY_CONVERT_WARP;
    if (lane != lane_y) return ZLAY_CONVERT_LANE;
    return x % s->extent[0] == y % d->extent[0] ? ZLAY_CONVERT_NOWHERE : ZLAY_CONVERT_REGISTER;
}

/* The least level; ZLAY_CONVERT_BLOCK: an element that nobody holds. Holders are chained by element. */
static int least_level(const side *s, const side *d)
{
    static int32_t head[ROOM], next[SLOTS];
    int most = ZLAY_CONVERT_NOWHERE;
    for (int64_t x = 0; x < s->slots; x++) head[s->value[x]] = -1;
    for (int64_t y = 0; y < d->slots; y++) head[d->value[y]] = -1;
    for (int64_t x = 0; x < s->slots; x++) next[x] = head[s->value[x]], head[s->value[x]] = (int32_t)x;
    for (int64_t y = 0; y < d->slots; y++) {
        int nearest = ZLAY_CONVERT_BLOCK;
        for (int32_t x = head[d->value[y]]; x >= 0 && nearest > most; x = next[x])
            if (level_between(s, x, d, y) < nearest) nearest = level_between(s, x, d, y);
        if (nearest > most) most = nearest;
    }
    return most;
}

/* Lanes that hold one element all store it, to one place: the machine takes no two that write one. */
static bool has_copies(const side *s)
{
    static char seen[ROOM];
    bool copies = false;
    for (int64_t x = 0; x < s->slots; x++) copies |= seen[s->value[x]], seen[s->value[x]] = 1;
    for (int64_t x = 0; x < s->slots; x++) seen[s->value[x]] = 0;
    return copies;
}

/* ---- plans run slot by slot ---------------------------------------------------------------------------------------- */

typedef struct run {
    const side *s, *d;
    int64_t memory[ROOM];
    int64_t got[SLOTS], room; /* elements of shared memory */
    int level;
} run;

static void refuted(const side *s, const side *d, uint32_t bits, const char *why, int64_t at)
{
    fail_msg("%u bits, %s to %s: %s (%lld)", bits, s->text, d->text, why, (long long)at);
}

static const char *store(run *r, const zlay_layout *forward)
{
    for (int64_t i = 0; i < r->room; i++) r->memory[i] = NOTHING;
    for (int64_t x = 0; x < r->s->slots; x++) {
        int64_t at;
        zlay_status status = zlay_layout_eval(&at, 1, forward, (uint64_t)x);
        if (status == ZLAY_NONE) continue;
        if (status || at < 0 || at >= r->room) return "a store has no place";
        if (r->memory[at] != NOTHING && r->memory[at] != r->s->value[x]) return "a place holds two elements";
        r->memory[at] = r->s->value[x];
    }
    return NULL;
}

static const char *take(run *r, const zlay_layout *back, bool memory)
{
    for (int64_t y = 0; y < r->d->slots; y++) {
        int64_t at;
        if (zlay_layout_eval(&at, 1, back, (uint64_t)y) || at < 0 || at >= (memory ? r->room : r->s->slots)) return "a slot of dst reads from nowhere";
        if (!memory && level_between(r->s, at, r->d, y) > r->level) return "a move is farther than its level";
        r->got[y] = memory ? r->memory[at] : r->s->value[at];
    }
    return NULL;
}

/* Of plans whose maps go from indices of src or dst. prmt before and behind a store or load moves nothing between slots. */
static const char *run_points(run *r, zlay_ctx *ctx, const zlay_convert *plan, const zlay_convert_summary *info)
{
    const char *wrong = NULL;
    for (uint32_t i = 0; i < info->steps && !wrong; i++) {
        zlay_convert_step step;
        zlay_layout *map = NULL;
        zlay_convert_step_nth(&step, plan, i);
        if (step.op == ZLAY_CONVERT_SYNC || (step.op == ZLAY_CONVERT_PRMT && info->smem)) continue;
        bool stored = step.op == ZLAY_CONVERT_STORE;
        if (zlay_convert_map(ctx, &map, plan, i, stored ? ZLAY_CONVERT_FORWARD : ZLAY_CONVERT_BACK)) return "a step has no map";
        wrong = stored ? store(r, map) : take(r, map, step.op == ZLAY_CONVERT_LOAD);
        zlay_layout_free(map);
    }
    for (int64_t y = 0; y < r->d->slots && !wrong; y++)
        if (r->got[y] != r->d->value[y]) wrong = "a slot of dst has another element";
    return wrong;
}

/* Maps of plans over bits go between levels. */
static bool over_bits(zlay_ctx *ctx, const zlay_convert *plan)
{
    zlay_layout *map = NULL;
    zlay_dim dim;
    if (zlay_convert_map(ctx, &map, plan, 0, ZLAY_CONVERT_BACK) && zlay_convert_map(ctx, &map, plan, 0, ZLAY_CONVERT_FORWARD)) return false;
    bool yes = zlay_f2_in_nth(&dim, map, 0) == ZLAY_OK && is_level_or_offset(dim.name);
    zlay_layout_free(map);
    return yes;
}

static void check_plan(zlay_ctx *ctx, const side *s, const side *d, const zlay_layout *a, const zlay_layout *b, uint32_t bits, const zlay_convert *plan, bool deep, totals *t)
{
    static run r;
    zlay_convert_summary info;
    assert_int_equal(zlay_convert_info(&info, plan), ZLAY_OK);
    int level = least_level(s, d);
    if (info.level != level) refuted(s, d, bits, "level", info.level);
    t->level[level + 1]++;
    t->memory += info.smem > 0;
    bool linear = over_bits(ctx, plan);
    r.s = s, r.d = d, r.level = level, r.room = (int64_t)info.smem * 8 / bits;
    assert_true(r.room <= ROOM);
    const char *wrong = linear ? NULL : run_points(&r, ctx, plan, &info);
    if (wrong) refuted(s, d, bits, wrong, info.level);
    if (linear ? t->level[level + 1] % LINEAR : !deep || has_copies(s)) return;
    machine m;
    machine_begin(&m, target_of("sm_90a"), bits);
    run_plan(&m, ctx, plan, a, b);
    machine_end(&m);
    t->machine++;
}

static void one_case(zlay_ctx *ctx, uint64_t *seed, bool deep, totals *t)
{
    static side s, d;
    while (!draw_side(seed, &s) || !draw_other(seed, &d, &s)) continue;
    uint32_t bits = 8u << test_range(seed, 0, 3);
    zlay_layout *a = read_layout(ctx, s.text), *b = read_layout(ctx, d.text);
    zlay_convert_request r = {.size = sizeof r, .elem_bits = bits, .src = a, .dst = b};
    zlay_convert *plan = NULL;
    zlay_status status = zlay_convert_synth(ctx, &plan, target_of("sm_90a"), &r);
    bool held = least_level(&s, &d) < ZLAY_CONVERT_BLOCK;
    if (status == ZLAY_NONE && held) refuted(&s, &d, bits, "none, and all is held", status);
    if (!status && !held) refuted(&s, &d, bits, "a plan for what nobody holds", status);
    if (status && status != ZLAY_NONE && status != ZLAY_ELIMIT) refuted(&s, &d, bits, zlay_ctx_message(ctx), status);
    t->none += status == ZLAY_NONE;
    t->limits += status == ZLAY_ELIMIT;
    if (!status) check_plan(ctx, &s, &d, a, b, bits, plan, deep, t);
    zlay_convert_free(plan);
    zlay_layout_free(a);
    zlay_layout_free(b);
}

static void any_sizes(void **state)
{
    uint64_t seed = test_seed("refute/convert"), count = test_cases(CASES);
    totals t = {0};
    for (uint64_t n = 0; n < count; n++) one_case(*state, &seed, n % DEEP == 0, &t);
    printf("%llu pairs: %llu none, %llu stay, %llu in a lane, %llu in a warp, %llu in a block; %llu through shared memory, %llu beyond it, %llu on the machine\n", (unsigned long long)count,
           (unsigned long long)t.none, (unsigned long long)t.level[0], (unsigned long long)t.level[1], (unsigned long long)t.level[2], (unsigned long long)t.level[3],
           (unsigned long long)t.memory, (unsigned long long)t.limits, (unsigned long long)t.machine);
    for (int l = 0; l < 4; l++) assert_true(t.level[l] * 200 > count);
    assert_true(t.none * 20 > count && t.memory * 20 > count && t.limits * 10 < count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_sizes)};
    return cmocka_run_group_tests(tests, begin, end);
}
