/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute places.find: one to four operations of every form on up to seven values of odd sizes, loops with values that are carried, rings, capacities
 * that are nearly too small, grids, costs drawn or all alike, on targets of each kind.  All forms, places, trees of moves and shapes are tried, lives are
 * played round by round and buffers laid at every offset (tests/support/places).  A lower or a higher cost, more moves, a larger cluster, NONE where
 * a choice is, a choice that does not fit, another fixed point than the one that its functions reach in a drawn order, masks that bring a row twice or never, and a capacity that is not the least refute. */
#include "places/brute.h"
#include "places/fixed.h"

enum { CASES = 600, LONG = 20, INPUTS = 3, OPERATIONS = 8, SHORT = 4 };

typedef struct drawn {
    zlay_places_value value[ZLAY_PLACES_VALUES];
    zlay_places_operation operation[OPERATIONS];
    zlay_places_request r;
    const zlay_target *target;
    uint32_t inputs, most; /* at most so many of each; operations */
} drawn;

static const char *const targets[] = {"sm_80", "sm_90a", "sm_90a", "sm_100a", "sm_100a", "sm_120", "gfx942", "gfx1250"};
static const char *const words[] = {"product", "product", "map", "map", "add", "gather", "mma.sync", "red", "scaled_product"};

static bool one_in(uint64_t *seed, int n) { return !test_range(seed, 0, n - 1); }

static zlay_places_value draw_value(uint64_t *seed)
{
    static const uint32_t bits[] = {4, 8, 16, 32};
    zlay_places_value v = {.bits = bits[test_range(seed, 0, 3)]};
    v.columns = (uint32_t)test_range(seed, 1, 2) * 256 / v.bits;
    v.rows = (uint32_t)(one_in(seed, 12) ? test_range(seed, 127, 130) : test_range(seed, 1, 11));
    v.times = (uint32_t)test_range(seed, 0, 3);
    if (one_in(seed, 4)) v.depth = (uint32_t)test_range(seed, 1, 3);
    return v;
}

/* Inputs, then the results of operations in order. */
static void draw_values(drawn *d, uint64_t *seed)
{
    bool large = d->most > SHORT;
    uint32_t inputs = (uint32_t)test_range(seed, large ? d->inputs : 1, d->inputs);
    d->r.operations = (uint32_t)test_range(seed, large ? d->most - 2 : 1, d->most);
    d->r.values = inputs + d->r.operations;
    for (uint32_t v = 0; v < d->r.values; v++) d->value[v] = draw_value(seed);
    for (uint32_t v = 0; v < inputs; v++) {
        d->value[v].from = one_in(seed, 6) ? 1u << test_range(seed, 0, 4) : ZLAY_PLACE_GLOBAL;
        if (d->value[v].from == ZLAY_PLACE_GLOBAL) d->value[v].same = (uint32_t)test_range(seed, 0, 3);
        if (one_in(seed, 8)) d->value[v].to = 1u << test_range(seed, 0, 4);
    }
    for (uint32_t v = inputs; v < d->r.values; v++)
        if (one_in(seed, 2)) d->value[v].to = (uint32_t)(one_in(seed, 3) ? test_range(seed, 1, 31) : ZLAY_PLACE_GLOBAL);
    if (one_in(seed, 2)) return;
    d->r.loop_first = (uint32_t)test_range(seed, 0, d->r.operations - 1);
    d->r.loop_count = (uint32_t)test_range(seed, 1, d->r.operations - d->r.loop_first);
}

static bool has_form(const zlay_target *target, const char *word)
{
    for (size_t f = 0; f < sizeof form_rows / sizeof *form_rows; f++)
        if ((!strcmp(form_rows[f].name, word) || !strcmp(form_rows[f].kind, word)) && target_has(target, form_rows[f].needs)) return true;
    return false;
}

static void draw_operations(drawn *d, uint64_t *seed)
{
    uint32_t inputs = d->r.values - d->r.operations;
    for (uint32_t o = 0; o < d->r.operations; o++) {
        zlay_places_operation *op = &d->operation[o];
        do op->form = words[test_range(seed, 0, d->most > SHORT ? 4 : sizeof words / sizeof *words - 1)];
        while (!one_in(seed, 20) && !has_form(d->target, op->form));
        bool product = strstr(op->form, "product") || !strcmp(op->form, "mma.sync");
        op->reads = (uint32_t)(*op->form == 's' ? test_range(seed, 4, 5) : product ? test_range(seed, 2, 3) : *op->form == 'm' ? test_range(seed, 1, 2) : 1);
        op->writes = 1;
        op->write[0] = inputs + o;
        bool loop = o >= d->r.loop_first && o < d->r.loop_first + d->r.loop_count;
        uint32_t known = one_in(seed, 3) && loop ? inputs + d->r.loop_first + d->r.loop_count : inputs + o;
        for (uint32_t i = 0; i < op->reads; i++) op->read[i] = (uint32_t)(one_in(seed, 2) ? test_range(seed, 0, known - 1) : known - 1 - (uint32_t)test_range(seed, 0, known > 1));
    }
}

static void draw(drawn *d, uint64_t *seed, uint32_t inputs, uint32_t most)
{
    *d = (drawn){.target = target_of(targets[test_range(seed, 0, 7)]), .inputs = inputs, .most = most};
    draw_values(d, seed);
    draw_operations(d, seed);
    zlay_target_summary info;
    zlay_target_info(&info, d->target);
    zlay_places_request *r = &d->r;
    r->size = sizeof *r;
    r->value = d->value;
    r->operation = d->operation;
    r->threads = (uint32_t)test_range(seed, 4, 16);
    r->registers = (uint32_t)(one_in(seed, 2) ? test_range(seed, 8, 40) : 200);
    r->smem = UNIT * (uint64_t)(one_in(seed, 2) ? test_range(seed, 1, 40) : 200);
    r->tmem = 32u << test_range(seed, 0, 2);
    r->cluster = info.cluster ? (uint32_t)test_range(seed, 1, 6) : 1;
    if (one_in(seed, 2))
        for (int i = 0; i < 3; i++) r->grid[i] = (uint64_t)(i < 2 || one_in(seed, 8) ? test_range(seed, 1, 6) : 1);
    r->has_cost = 1;
    bool alike = one_in(seed, 4);
    for (int p = 0; p < PLACES; p++) r->cost[p] = (uint32_t)(alike ? p != 0 : test_range(seed, 0, 20));
}

static void refuted(const drawn *d, uint64_t n, const char *why, uint64_t got, uint64_t wanted)
{
    const zlay_places_request *r = &d->r;
    printf("case %llu: %s, loop %u+%u, threads %u, registers %u, smem %llu, tmem %u, grid %llu %llu %llu, cluster %u, cost %u %u %u %u %u\n", (unsigned long long)n,
           zlay_target_name(d->target), r->loop_first, r->loop_count, r->threads, r->registers, (unsigned long long)r->smem, r->tmem, (unsigned long long)r->grid[0],
           (unsigned long long)r->grid[1], (unsigned long long)r->grid[2], r->cluster, r->cost[0], r->cost[1], r->cost[2], r->cost[3], r->cost[4]);
    for (uint32_t v = 0; v < r->values; v++)
        printf("value %u: %u x %u x %u, times %llu, depth %u, from %u, to %u, same %u\n", v, d->value[v].rows, d->value[v].columns, d->value[v].bits,
               (unsigned long long)d->value[v].times, d->value[v].depth, d->value[v].from, d->value[v].to, d->value[v].same);
    for (uint32_t o = 0; o < r->operations; o++) {
        printf("%s:", d->operation[o].form);
        for (uint32_t i = 0; i < d->operation[o].reads; i++) printf(" %u", d->operation[o].read[i]);
        printf(" -> %u\n", d->operation[o].write[0]);
    }
    fail_msg("%s: %llu, wanted %llu", why, (unsigned long long)got, (unsigned long long)wanted);
}

/* ---- the answer, read as a choice ---- */

static int place_of(uint32_t bit) { return bit ? __builtin_ctz(bit) : -1; }

static void choice_of(brute *b, const drawn *d, const zlay_places *p, uint64_t n)
{
    brute_begin(b, d->target, &d->r);
    memcpy(b->shape, p->cluster, sizeof b->shape);
    for (uint32_t o = 0; o < p->operations; o++) {
        b->form[o] = (int)p->operation[o].form;
        if (!stands_for(b, p->operation[o].form, &d->operation[o])) refuted(d, n, "a form that is none", o, 0);
        for (uint32_t i = 0; i < d->operation[o].reads; i++) {
            const form_row *row = &form_rows[b->form[o]];
            uint32_t set = i < 5 && row->operand[i] ? row->operand[i] : row->rest, v = d->operation[o].read[i];
            b->read[o][i] = place_of(p->operation[o].read[i]);
            if (!(set & p->operation[o].read[i]) || !(p->value[v].has & p->operation[o].read[i])) refuted(d, n, "an operand's place", o, i);
        }
        if (p->operation[o].write[0] != form_rows[b->form[o]].result || p->value[d->operation[o].write[0]].home != p->operation[o].write[0]) refuted(d, n, "a result's place", o, 0);
    }
}

/* The trees of the answer; returns its cost. */
static uint64_t trees_of(brute *b, const drawn *d, const zlay_places *p, uint32_t *moves, uint64_t n)
{
    uint64_t cost = use_cost(b);
    *moves = 0;
    for (uint32_t v = 0; v < p->values; v++) {
        tree *t = &b->tree[v];
        t->home = place_of(p->value[v].home);
        if (p->value[v].has & ~p->value[v].may) refuted(d, n, "a place outside the fixed point", p->value[v].has, p->value[v].may);
        if (d->value[v].from && d->value[v].from != p->value[v].home) refuted(d, n, "where a value begins", p->value[v].home, d->value[v].from);
        for (int q = 0; q < PLACES; q++) {
            t->source[q] = q == t->home ? q : place_of(p->value[v].source[q]);
            bool has = (p->value[v].has & 1u << q) != 0, comes = t->source[q] >= 0;
            if (has != comes) refuted(d, n, "a place without a source", v, (uint64_t)q);
            if (q == t->home || t->source[q] < 0) continue;
            if (b->move[t->source[q]][q] < 0) refuted(d, n, "a move that is none", (uint64_t)t->source[q], (uint64_t)q);
            cost += move_cost(b, v, t->source[q], q);
            *moves += move_rows[b->move[t->source[q]][q]].carried;
        }
        b->end[v] = place_of(p->value[v].end);
        if (d->value[v].to && !(d->value[v].to & p->value[v].has & p->value[v].end)) refuted(d, n, "what is wanted is not there", v, d->value[v].to);
    }
    return cost;
}

/* No two buffers of shared memory that live in one step meet. */
static void check_shared(const drawn *d, const zlay_places *p, usage *u, uint64_t n)
{
    for (uint32_t i = 0; i < u->buffers[0]; i++) {
        const zlay_places_home *home = &p->value[u->of[i]];
        uint32_t at = u->place[i] == AT_S ? home->smem : home->remote;
        u->shared[i].at = at / UNIT;
        if (at == UINT32_MAX || at % UNIT || at / UNIT + u->shared[i].size > p->smem / UNIT) refuted(d, n, "a buffer outside", at, p->smem);
        for (uint32_t j = 0; j < i; j++)
            if (u->shared[i].life & u->shared[j].life && u->shared[i].at < u->shared[j].at + u->shared[j].size && u->shared[j].at < u->shared[i].at + u->shared[i].size)
                refuted(d, n, "buffers meet", i, j);
    }
    if (p->smem > d->r.smem) refuted(d, n, "shared memory", p->smem, d->r.smem);
}

static void check_tensor(const drawn *d, const zlay_places *p, usage *u, uint64_t n)
{
    for (uint32_t v = 0; v < p->values; v++) {
        if (u->lies[v] < 0) continue;
        buffer *x = &u->tensor[u->lies[v]];
        x->at = p->value[v].column;
        if (p->value[v].column == UINT32_MAX || x->at + x->size > p->tmem) refuted(d, n, "columns outside", x->at, p->tmem);
        for (uint32_t w = 0; w < v; w++) {
            const buffer *y = u->lies[w] < 0 ? x : &u->tensor[u->lies[w]];
            if (x == y && u->lies[w] >= 0 && p->value[w].column != p->value[v].column) refuted(d, n, "a sum that moves", v, w);
            if (x != y && x->life & y->life && x->at < y->at + y->size && y->at < x->at + x->size) refuted(d, n, "columns meet", v, w);
        }
    }
}

/* Each block gets each row of a tile for several blocks once, of blocks that read the same. */
static void check_masks(const drawn *d, const zlay_places *p, uint64_t n)
{
    uint32_t blocks = p->cluster[0] * p->cluster[1] * p->cluster[2], mask, first, rows;
    for (uint32_t v = 0; v < p->values; v++) {
        if (p->value[v].blocks < 2) continue;
        for (uint32_t to = 0; to < blocks; to++) {
            uint32_t got[160] = {0};
            for (uint32_t by = 0; by < blocks; by++) {
                if (zlay_places_mask(&mask, &first, &rows, p, &d->r, v, by) || !(mask >> to & 1)) continue;
                if ((uint32_t)__builtin_popcount(mask) != p->value[v].blocks) refuted(d, n, "a mask", mask, p->value[v].blocks);
                for (uint32_t k = first; k < first + rows; k++) got[k]++;
                uint32_t x = p->cluster[0], y = p->cluster[1], same = d->value[v].same;
                if ((by % x != to % x && !(same & 1)) || (by / x % y != to / x % y && !(same & 2)) || (by / x / y != to / x / y && !(same & 4)))
                    refuted(d, n, "a mask of blocks that read another tile", by, to);
            }
            for (uint32_t k = 0; k < d->value[v].rows; k++)
                if (got[k] != 1) refuted(d, n, "a row comes so often", got[k], 1);
        }
    }
}

/* Returns how many moves there are, those of threads counted twice. */
static uint32_t check_answer(const drawn *d, const zlay_places *p, uint64_t n)
{
    static brute b;
    usage u;
    uint32_t moves;
    choice_of(&b, d, p, n);
    uint64_t cost = trees_of(&b, d, p, &moves, n);
    if (cost != p->cost) refuted(d, n, "the answer's own cost", p->cost, cost);
    if (!fits(&b, &u)) refuted(d, n, "the answer does not fit", 0, 1);
    if (u.registers != p->registers) refuted(d, n, "registers", p->registers, u.registers);
    if (u.tmem != p->tmem) refuted(d, n, "columns", p->tmem, u.tmem);
    check_shared(d, p, &u, n);
    check_tensor(d, p, &u, n);
    check_masks(d, p, n);
    return moves;
}

/* ---- the least capacity ---- */

/* 1: there is a choice; 0: there is none; -1: not all were tried, and none was found. */
static int exists(const drawn *d)
{
    static brute b;
    brute_find(&b, d->target, &d->r);
    return b.found ? 1 : b.over ? -1 : 0;
}

/* What the message says would do does, and a unit less does not; true: it was checked. */
static bool check_least(const drawn *d, const char *message, uint64_t n)
{
    static const struct {
        const char *unit;
        uint64_t step;
    } kinds[] = {{" bytes of shared memory, of", UNIT}, {" registers of a thread, of", 1}};
    bool checked = false;
    if (!strstr(message, "what would do: ") || strstr(message, "at least")) return false;
    for (int k = 0; k < 2; k++) {
        const char *at = strstr(message, kinds[k].unit);
        drawn more = *d;
        more.r.value = more.value;
        more.r.operation = more.operation;
        if (!at) continue;
        while (at > message && isdigit(at[-1])) at--;
        uint64_t least = strtoull(at, NULL, 10);
        for (int less = 0; less < 2; less++) {
            uint64_t try = least - (less ? kinds[k].step : 0);
            if (k) more.r.registers = (uint32_t)try;
            else more.r.smem = try;
            if (exists(&more) == less) refuted(&more, n, less ? "less than the least that would do does" : "the least that would do does not", least, try);
        }
        checked = true;
    }
    return checked;
}

/* The greatest fixed point, whatever the order; where a value has no place in it, nothing is found. */
static void check_fixed(const drawn *d, const zlay_places *p, bool found, uint64_t n)
{
    static brute b;
    static fixed x;
    uint64_t order = test_case(n, 1);
    brute_begin(&b, d->target, &d->r);
    bool all = fixed_find(&b, &x, &order);
    if (found && !all) refuted(d, n, "found outside the fixed point", 0, 1);
    for (uint32_t v = 0; found && v < d->r.values; v++)
        if (p->value[v].may != x.may[v]) refuted(d, n, "the fixed point", p->value[v].may, x.may[v]);
}

typedef struct tally {
    uint64_t none, least, refused, clusters, tight, values, over;
} tally;

static bool is_refused(zlay_ctx *ctx, zlay_status status)
{
    const char *message = zlay_ctx_message(ctx);
    return status == ZLAY_EINVAL || (status == ZLAY_NONE && strstr(message, "has no ") && !strstr(message, "place"));
}

static void try_case(zlay_ctx *ctx, drawn *d, uint64_t n, tally *t)
{
    static brute b;
    zlay_places p;
    d->r.value = d->value;
    d->r.operation = d->operation;
    zlay_status status = zlay_places_find(ctx, &p, d->target, &d->r);
    t->refused += is_refused(ctx, status);
    if (is_refused(ctx, status)) return;
    check_fixed(d, &p, !status, n);
    brute_find(&b, d->target, &d->r);
    t->over += b.over; /* what was not tried whole judges nothing */
    if (b.over) return;
    if (status && status != ZLAY_NONE) refuted(d, n, zlay_ctx_message(ctx), (uint64_t)status, 0);
    if (status == ZLAY_NONE && b.found) refuted(d, n, zlay_ctx_message(ctx), 0, b.best);
    t->none += status == ZLAY_NONE;
    if (status) {
        t->least += (uint64_t)check_least(d, zlay_ctx_message(ctx), n);
        return;
    }
    if (!b.found) refuted(d, n, "found where nothing fits", p.cost, 0);
    uint32_t moves = check_answer(d, &p, n), blocks = p.cluster[0] * p.cluster[1] * p.cluster[2];
    if (p.cost != b.best || !p.optimal || p.lower_bound != p.cost) refuted(d, n, "cost", p.cost, b.best);
    if (moves != b.best_moves) refuted(d, n, "moves", moves, b.best_moves);
    if (blocks != b.best_blocks) refuted(d, n, "blocks", blocks, b.best_blocks);
    t->clusters += blocks > 1;
    t->tight += b.tried > 1;
    if (p.values > t->values) t->values = p.values;
}

static void print_tally(const tally *t, uint64_t count)
{
    printf("%llu programs of up to %llu values: %llu refused, %llu without places, %llu of them with a least capacity; %llu clusters, %llu with several choices that were tried; %llu with too many\n",
           (unsigned long long)count, (unsigned long long)t->values, (unsigned long long)t->refused, (unsigned long long)t->none, (unsigned long long)t->least,
           (unsigned long long)t->clusters, (unsigned long long)t->tight, (unsigned long long)t->over);
}

static void no_choice_is_better(void **state)
{
    static drawn d;
    tally t = {0};
    uint64_t seed = test_seed("refute/places"), count = test_cases(CASES);
    for (uint64_t n = 0; n < count; n++) {
        uint64_t own = test_case(seed, n);
        draw(&d, &own, INPUTS, SHORT);
        try_case(*state, &d, n, &t);
    }
    print_tally(&t, count);
    assert_true(t.none * 30 > count && t.clusters * 50 > count && t.tight * 20 > count && t.least * 100 > count && t.refused * 2 < count && !t.over);
}

/* Up to twelve values, where memory is not short. */
static void of_twelve_values(void **state)
{
    static drawn d;
    tally t = {0};
    uint64_t seed = test_seed("refute/places, of twelve values"), count = test_cases(LONG);
    for (uint64_t n = 0; n < count; n++) {
        uint64_t own = test_case(seed, n);
        draw(&d, &own, INPUTS + 1, OPERATIONS);
        d.r.registers = 200;
        d.r.smem = 400 * UNIT;
        d.r.tmem = 512;
        d.r.cluster = d.r.cluster > 2 ? 2 : d.r.cluster;
        try_case(*state, &d, n, &t);
    }
    print_tally(&t, count);
    assert_true(t.refused * 2 < count && (count < LONG || t.values == 12) && t.over * 20 < count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_choice_is_better), cmocka_unit_test(of_twelve_values)};
    return cmocka_run_group_tests(tests, begin, end);
}
