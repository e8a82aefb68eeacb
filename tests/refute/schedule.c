/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute pipe.schedule: loops of up to 8 operations, with cycles of 0 and of more than ii, latencies below 0,
 * edges to themselves and over several iterations, units of count 0 to 3, values in spaces, and copies. Every row
 * (start modulo ii) of every operation is tried for every ii, every number of buffers of every value, and whole intervals
 * by longest paths: the least ii, the least stages, and none where there is none, up to an ii past the one where the
 * library stops. The starts are decided here from the definition, and the least capacity by trying each.
 * 10^4 loops under ZLAY_EXHAUSTIVE=1, 10^6 under 2, else one in 16. */
#include "ctx.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 10000, SHARE = 16, NODES = 8, EDGES = 16, UNITS = 3, VALUES = 2, USES = 2, DEPTH = 12, LONG = 40 };

typedef struct drawn {
    zlay_schedule_request r;
    zlay_schedule_op op[NODES];
    zlay_schedule_edge edge[EDGES];
    zlay_schedule_unit unit[UNITS];
    zlay_schedule_value value[VALUES];
    zlay_schedule_space space[1];
    uint32_t use[VALUES][USES];
} drawn;

static const char *const names[NODES] = {"a", "b", "c", "d", "e", "f", "g", "h"};

/* ---- a loop --------------------------------------------------------------------------------------- */

static void draw_edges(drawn *d, uint64_t *seed)
{
    int back = (int)test_range(seed, 0, 3), low = test_range(seed, 0, 3) ? 0 : -3;
    d->r.edges = (uint32_t)test_range(seed, 0, d->r.ops + 3);
    for (uint32_t i = 0; i < d->r.edges; i++) {
        uint32_t a = (uint32_t)test_range(seed, 0, d->r.ops - 1), b = (uint32_t)test_range(seed, 0, d->r.ops - 1);
        bool forward = a < b || test_range(seed, 0, 15) == 0;
        if (!forward && !back) b = a, a = 0;
        d->edge[i] = (zlay_schedule_edge){.from = a, .to = b, .latency = test_range(seed, low, 5)};
        d->edge[i].distance = (uint64_t)test_range(seed, a < b || forward ? 0 : 1, 2);
        if (a < b && test_range(seed, 0, 2)) d->edge[i].distance = 0;
        if (test_range(seed, 0, 1)) d->edge[i].latency_of_op = 1, d->edge[i].latency = 0;
    }
}

/* Two operations at the same time. */
static void draw_rigid(drawn *d, uint64_t *seed)
{
    uint32_t a = (uint32_t)test_range(seed, 0, d->r.ops - 1), b = (uint32_t)test_range(seed, 0, d->r.ops - 1);
    d->edge[d->r.edges++] = (zlay_schedule_edge){.from = a, .to = b};
    d->edge[d->r.edges++] = (zlay_schedule_edge){.from = b, .to = a};
    if (d->op[a].cycles && d->op[b].cycles) d->op[b].unit = d->op[a].unit;
}

static void draw_values(drawn *d, uint64_t *seed)
{
    d->r.values = (uint32_t)test_range(seed, 1, VALUES);
    d->r.spaces = 1;
    d->space[0] = (zlay_schedule_space){"smem", (uint64_t)test_range(seed, 1, 12)};
    for (uint32_t i = 0; i < d->r.values; i++) {
        d->value[i] = (zlay_schedule_value){.def = (uint32_t)test_range(seed, 0, d->r.ops - 1), .uses = d->use[i]};
        d->value[i].use_count = (uint64_t)test_range(seed, 0, USES);
        d->value[i].bytes = (uint64_t)test_range(seed, 0, 3);
        for (uint32_t u = 0; u < USES; u++) d->use[i][u] = (uint32_t)test_range(seed, 0, d->r.ops - 1);
    }
}

static void draw(drawn *d, uint64_t *seed)
{
    memset(d, 0, sizeof *d);
    d->r = (zlay_schedule_request){.size = sizeof d->r, .op = d->op, .edge = d->edge, .unit = d->unit, .value = d->value, .space = d->space};
    int kind = (int)test_range(seed, 0, 9);
    bool values = kind < 3, copies = kind == 3 || kind == 0;
    int most = copies ? 2 : values ? 4 : 8, slow = copies || values ? 3 : 2;
    d->r.copies = copies ? 2 : (uint32_t)test_range(seed, 0, 1);
    d->r.ops = (uint32_t)test_range(seed, kind == 9 ? 0 : 1, most);
    d->r.units = (uint32_t)test_range(seed, 1, UNITS);
    for (uint32_t i = 0; i < d->r.units; i++)
        d->unit[i] = (zlay_schedule_unit){names[i], (uint64_t)test_range(seed, test_range(seed, 0, 39) ? 1 : 0, 3)};
    if (test_range(seed, 0, 1)) d->unit[0].count = 1;
    for (uint32_t i = 0; i < d->r.ops; i++) {
        d->op[i] = (zlay_schedule_op){.name = names[i], .unit = (uint32_t)test_range(seed, 0, d->r.units - 1)};
        d->op[i].cycles = (uint64_t)test_range(seed, 0, slow);
        if (d->r.ops < 5 && !test_range(seed, 0, 9)) d->op[i].cycles = (uint64_t)test_range(seed, 4, 6);
        d->op[i].latency = test_range(seed, test_range(seed, 0, 9) ? 0 : -2, 4);
    }
    if (d->r.ops) draw_edges(d, seed);
    if (d->r.ops && d->r.ops < 5 && kind != 9 && !test_range(seed, 0, 19)) draw_rigid(d, seed);
    if (d->r.ops && values) draw_values(d, seed);
}

/* ---- the definition ---------------------------------------------------------------------------------- */

static int64_t latency_of(const drawn *d, const zlay_schedule_edge *e)
{
    return e->latency_of_op ? d->op[e->from].latency : e->latency;
}

static uint32_t copies_of(const drawn *d) { return d->r.copies ? d->r.copies : 1; }

static const zlay_schedule_op *op_of(const drawn *d, uint32_t node) { return &d->op[node % d->r.ops]; }

static int64_t up(int64_t a, int64_t n) { return a >= 0 ? (a + n - 1) / n : -(-a / n); }

static int64_t distance(const drawn *d, uint32_t def, uint32_t use)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < d->r.edges; i++)
        if (d->edge[i].from == def && d->edge[i].to == use && (int64_t)d->edge[i].distance > most) most = (int64_t)d->edge[i].distance;
    return most;
}

/* Each cycle modulo ii, each unit: operations in flight, counted one cycle after the other. */
static bool units_fit(const drawn *d, int64_t ii, const int64_t *start, uint32_t nodes)
{
    uint64_t load[UNITS][LONG + 1] = {{0}};
    for (uint32_t i = 0; i < nodes; i++)
        for (uint64_t c = 0; c < op_of(d, i)->cycles; c++) {
            uint32_t u = op_of(d, i)->unit;
            if (++load[u][(start[i] + (int64_t)c) % ii] > d->unit[u].count) return false;
        }
    return true;
}

static int64_t buffers(const drawn *d, int64_t ii, const int64_t *at, const zlay_schedule_value *v)
{
    int64_t live = (int64_t)d->op[v->def].cycles;
    for (uint64_t u = 0; u < v->use_count; u++) {
        uint32_t use = v->uses[u];
        int64_t end = at[use] + distance(d, v->def, use) * ii + (int64_t)d->op[use].cycles - at[v->def];
        if (end > live) live = end;
    }
    return live > 0 ? up(live, ii) : 1;
}

static bool is_right(const drawn *d, int64_t ii, const int64_t *start)
{
    uint64_t bytes = 0;
    for (uint32_t c = 0; c < copies_of(d); c++) {
        const int64_t *at = start + c * d->r.ops;
        for (uint32_t i = 0; i < d->r.edges; i++) {
            const zlay_schedule_edge *e = &d->edge[i];
            if (at[e->to] + (int64_t)e->distance * ii < at[e->from] + latency_of(d, e)) return false;
        }
        for (uint32_t i = 0; i < d->r.values; i++) bytes += d->value[i].bytes * (uint64_t)buffers(d, ii, at, &d->value[i]);
    }
    return units_fit(d, ii, start, copies_of(d) * d->r.ops) && (!d->r.values || bytes <= d->space[0].bytes);
}

/* ---- every row ----------------------------------------------------------------------------------------- */

typedef struct tried {
    const drawn *d;
    int64_t ii, row[NODES], stages; /* the fewest found; 0: none */
    int64_t depth[NODES][VALUES];
    uint32_t nodes;
    int64_t least; /* stages that no rows go below */
} tried;

/* Whole intervals k by longest paths, over the first `nodes`: the fewest stages; 0: a cycle is positive. */
static int64_t intervals(tried *t, uint32_t nodes, bool values)
{
    const drawn *d = t->d;
    int64_t k[NODES] = {0}, most = 0, turns = 0;
    for (bool changed = true; changed; turns++) {
        changed = false;
        if (turns > NODES + 1) return 0;
        for (uint32_t c = 0; c < copies_of(d); c++) {
            uint32_t base = c * d->r.ops;
            for (uint32_t i = 0; i < d->r.edges; i++) {
                const zlay_schedule_edge *e = &d->edge[i];
                uint32_t a = base + e->from, b = base + e->to;
                if (a >= nodes || b >= nodes) continue;
                int64_t wanted = k[a] + up(latency_of(d, e) + t->row[a] - t->row[b], t->ii) - (int64_t)e->distance;
                if (wanted > k[b]) k[b] = wanted, changed = true;
            }
            for (uint32_t i = 0; i < d->r.values && values; i++)
                for (uint64_t u = 0; u < d->value[i].use_count; u++) {
                    uint32_t use = d->value[i].uses[u], a = base + use, b = base + d->value[i].def;
                    int64_t rest = t->row[a] - t->row[b] + (int64_t)d->op[use].cycles;
                    int64_t wanted = k[a] + up(rest, t->ii) + distance(d, d->value[i].def, use) - t->depth[c][i];
                    if (a == b && wanted > k[b]) return 0;
                    if (wanted > k[b]) k[b] = wanted, changed = true;
                }
        }
    }
    for (uint32_t i = 0; i < nodes; i++) most = k[i] > most ? k[i] : most;
    return most + 1;
}

static void note(tried *t, int64_t stages)
{
    if (stages && (!t->stages || stages < t->stages)) t->stages = stages;
}

/* Every number of buffers of the values from the i-th on, of the bytes that are left. */
static void try_depths(tried *t, uint32_t i, uint64_t left)
{
    const drawn *d = t->d;
    if (i == copies_of(d) * d->r.values) {
        note(t, intervals(t, t->nodes, true));
        return;
    }
    uint32_t c = i / d->r.values, v = i % d->r.values;
    int64_t own = up((int64_t)d->op[d->value[v].def].cycles, t->ii);
    for (int64_t n = own > 1 ? own : 1; n <= DEPTH && d->value[v].bytes * (uint64_t)n <= left; n++) {
        t->depth[c][v] = d->value[v].bytes ? n : LONG;
        try_depths(t, i + 1, left - d->value[v].bytes * (uint64_t)n);
        if (!d->value[v].bytes) break;
    }
}

static void try_rows(tried *t, uint32_t i)
{
    const drawn *d = t->d;
    if (i && !units_fit(d, t->ii, t->row, i)) return;
    int64_t stages = i ? intervals(t, i, false) : 1;
    if (!stages || (t->stages && stages >= t->stages)) return;
    if (i == t->nodes) {
        if (d->r.values) try_depths(t, 0, d->space[0].bytes);
        else note(t, stages);
        return;
    }
    for (t->row[i] = 0; t->row[i] < t->ii && t->stages != t->least; t->row[i]++) try_rows(t, i + 1);
}

/* The longest path without units has no stage too many; 0: edges alone have no starts at this ii. */
static int64_t stages_least(const drawn *d, int64_t ii)
{
    int64_t at[NODES] = {0}, most = 0;
    bool changed = true;
    for (uint32_t turn = 0; turn <= d->r.ops && changed; turn++) {
        changed = false;
        for (uint32_t i = 0; i < d->r.edges; i++) {
            int64_t to = at[d->edge[i].from] + latency_of(d, &d->edge[i]) - (int64_t)d->edge[i].distance * ii;
            if (to > at[d->edge[i].to]) at[d->edge[i].to] = to, changed = true;
        }
    }
    for (uint32_t i = 0; i < d->r.ops; i++) most = at[i] > most ? at[i] : most;
    return changed ? 0 : most / ii + 1;
}

/* The least ii and stages; ii 0: there is none up to `last`. */
static void search_all(const drawn *d, int64_t last, int64_t *ii, int64_t *stages)
{
    tried t = {.d = d, .nodes = copies_of(d) * d->r.ops};
    for (t.ii = 1; t.ii <= last; t.ii++) {
        t.least = stages_least(d, t.ii);
        if (t.least) try_rows(&t, 0);
        if (!t.stages) continue;
        *ii = t.ii;
        *stages = t.stages;
        return;
    }
    *ii = *stages = 0;
}

/* One past where the library stops: the sum of cycles and latencies. */
static int64_t last_of(const drawn *d)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < d->r.ops; i++) {
        int64_t most = (int64_t)d->op[i].cycles;
        for (uint32_t e = 0; e < d->r.edges; e++)
            if (d->edge[e].from == i && latency_of(d, &d->edge[e]) > most) most = latency_of(d, &d->edge[e]);
        sum += most;
    }
    return (sum ? sum : 1) * (int64_t)copies_of(d) + 1;
}

/* ---- compare --------------------------------------------------------------------------------------------- */

static void show(const drawn *d)
{
    for (uint32_t i = 0; i < d->r.ops; i++)
        printf("op %s unit %u cycles %d latency %d\n", d->op[i].name, d->op[i].unit, (int)d->op[i].cycles, (int)d->op[i].latency);
    for (uint32_t i = 0; i < d->r.edges; i++)
        printf("edge %s %s distance %d latency %d\n", names[d->edge[i].from], names[d->edge[i].to], (int)d->edge[i].distance,
               (int)latency_of(d, &d->edge[i]));
    for (uint32_t i = 0; i < d->r.units; i++) printf("unit %d\n", (int)d->unit[i].count);
    for (uint32_t i = 0; i < d->r.values; i++)
        printf("value %s uses %d: %u %u bytes %d of %d\n", names[d->value[i].def], (int)d->value[i].use_count, d->use[i][0], d->use[i][1],
               (int)d->value[i].bytes, (int)d->space[0].bytes);
    printf("copies %u\n", d->r.copies);
}

static void compare_found(zlay_ctx *ctx, const drawn *d, const zlay_schedule *s, int64_t ii, int64_t stages)
{
    zlay_schedule_summary info;
    int64_t start[NODES] = {0}, last = 0;
    uint32_t nodes = copies_of(d) * d->r.ops;
    assert_int_equal(zlay_schedule_info(&info, s), ZLAY_OK);
    if (!info.optimal || (int64_t)info.ii != ii || (int64_t)info.stages != stages || info.bound != info.ii) {
        show(d);
        fail_msg("ii %d stages %d bound %d optimal %u, wanted ii %d stages %d", (int)info.ii, (int)info.stages, (int)info.bound, info.optimal,
                 (int)ii, (int)stages);
    }
    for (uint32_t i = 0; i < nodes; i++) {
        assert_int_equal(zlay_schedule_start_nth(&start[i], s, i / d->r.ops, i % d->r.ops), ZLAY_OK);
        assert_true(start[i] >= 0);
        last = start[i] > last ? start[i] : last;
    }
    if (!is_right(d, ii, start) || (nodes ? last / ii + 1 : 0) != stages) {
        show(d);
        fail_msg("starts are not right");
    }
    for (uint32_t c = 0; c < copies_of(d); c++)
        for (uint32_t v = 0; v < d->r.values; v++) {
            uint64_t depth;
            assert_int_equal(zlay_schedule_depth_nth(&depth, s, c, v), ZLAY_OK);
            assert_int_equal(depth, buffers(d, ii, start + c * d->r.ops, &d->value[v]));
        }
    /* Changed starts are checked as here. */
    for (uint32_t i = 0; i < nodes; i++) {
        zlay_answer answer;
        int64_t keep = start[i];
        start[i] = keep + 1 - 2 * (keep > 0 && i % 2);
        assert_int_equal(zlay_schedule_check(ctx, &answer, NULL, &d->r, (uint64_t)ii, start), ZLAY_OK);
        assert_int_equal(answer, is_right(d, ii, start) ? ZLAY_YES : ZLAY_NO);
        start[i] = keep;
    }
}

static void compare_none(drawn *d, const zlay_schedule_reason *why)
{
    int64_t ii, stages, sum = 0;
    bool unit = false;
    switch (why->reason) {
    case ZLAY_SCHEDULE_CYCLE:
        assert_true(why->count);
        for (uint32_t i = 0; i < why->count; i++) {
            const zlay_schedule_edge *e = &d->edge[why->edge[i]], *next = &d->edge[why->edge[(i + 1) % why->count]];
            assert_true(!e->distance && e->to == next->from);
            sum += latency_of(d, e);
        }
        assert_true(sum > 0 && sum == why->latency);
        break;
    case ZLAY_SCHEDULE_UNIT:
        for (uint32_t i = 0; i < d->r.ops; i++) unit |= d->op[i].unit == why->unit && d->op[i].cycles;
        assert_true(unit && !d->unit[why->unit].count);
        break;
    case ZLAY_SCHEDULE_CAPACITY:
        if (why->least <= d->space[0].bytes) {
        show(d);
        fail_msg("least capacity %d", (int)why->least);
    }
        d->space[0].bytes = why->least - 1;
        search_all(d, last_of(d), &ii, &stages);
        if (ii) {
        show(d);
        fail_msg("ii %d", (int)ii);
    }
        d->space[0].bytes = why->least;
        search_all(d, last_of(d), &ii, &stages);
        if (!ii) {
        show(d);
        fail_msg("least capacity %d has no schedule", (int)why->least);
    }
        break;
    default:
        assert_int_equal(why->reason, ZLAY_SCHEDULE_RIGID);
        d->space[0].bytes = 1000;
        search_all(d, last_of(d), &ii, &stages);
        assert_true(!ii);
    }
}

static void test_loops(void **state)
{
    uint64_t seed = test_seed("refute/schedule"), cases = test_iterations(test_hours() ? 100 * CASES : test_exhaustive() ? CASES : CASES / SHARE), none[5] = {0}, found = 0, waits = 0;
    for (uint64_t n = 0; n < cases; n++) {
        uint64_t own = test_case(seed, n);
        drawn d;
        zlay_schedule *s;
        zlay_schedule_reason why;
        zlay_schedule_summary info = {0};
        int64_t ii, stages;
        draw(&d, &own);
        zlay_status status = zlay_schedule_synth(*state, &s, &why, &d.r);
        if (!d.r.ops) ii = 1, stages = 0;
        else search_all(&d, last_of(&d), &ii, &stages);
        if (status != (ii ? ZLAY_OK : ZLAY_NONE)) {
            show(&d);
            fail_msg("case %d: %s, %s; wanted ii %d", (int)n, zlay_status_name(status), zlay_ctx_message(*state), (int)ii);
        }
        if (ii) compare_found(*state, &d, s, ii, stages);
        else compare_none(&d, &why);
        if (ii) zlay_schedule_info(&info, s);
        waits += ii && info.ii > info.unit_bound && info.ii > info.cycle_bound;
        found += ii != 0;
        none[why.reason]++;
        zlay_schedule_free(s);
    }
    printf("%d schedules, %d of an ii above both simple bounds; none: %d by cycles, %d by units, %d by capacity, %d rigid\n", (int)found, (int)waits,
           (int)none[1], (int)none[2], (int)none[3], (int)none[4]);
    assert_true(found * 2 > cases);
    assert_true(cases < 600 || (waits * 500 > cases && none[1] && none[2] && none[3] && none[4])); /* of fewer each need not be drawn */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loops)};
    return cmocka_run_group_tests(tests, begin, end);
}
