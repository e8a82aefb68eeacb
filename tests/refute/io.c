/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute io.gemm, io.attention and io.chain: products of up to 600 x 600 x 600, attention of up to 400 queries, chains, on
 * machines of 1 to 12 processors whose L2 holds from less than a step to everything.  Every tile and band that the pages call legal is
 * simulated: processors step by step, each slice of L2 with the time of its last use, the oldest of all looked for when one has to
 * go.  A cheaper choice than the best, one of equal cost that moves less, a front that differs, and a choice below a lower bound
 * refute; so does a tile of any shape whose bytes from L2 are below the bound of sums.  3000 cases, three times as many with ZLAY_EXHAUSTIVE=1. */
#include "ctx.h"

#include <stdbool.h>
#include <stdio.h>

enum { CASES = 3000, PLACES = 1 << 13, PROCESSORS = 12, WAYS = 4096, TENSORS = 6 };
enum { GEMM, ATTENTION, FIRST, SECOND, FUSED };
enum { TA, TB, TD };          /* of a GEMM */
enum { TQ, TK, TV, TO };      /* of attention */
enum { CA, CB, CC, CG, CE };  /* of a chain */

/* ---- a cache ---------------------------------------------------------------------------------------------- */

typedef struct line {
    uint64_t key, bits, used;
    int tensor;
    bool here, dirty;
} line;

typedef struct cache {
    line at[PLACES];
    int order[PLACES], count; /* the places in use */
    uint64_t capacity, held, clock, read[TENSORS], written[TENSORS];
} cache;

static line *find(cache *c, uint64_t key)
{
    uint64_t i = key * 0x9e3779b97f4a7c15u >> 51;
    while (c->at[i].key && c->at[i].key != key) i = (i + 1) % PLACES;
    if (!c->at[i].key) {
        c->at[i].key = key;
        c->order[c->count++] = (int)i;
        assert_true(c->count < PLACES / 2);
    }
    return &c->at[i];
}

static void forget_oldest(cache *c)
{
    line *oldest = NULL;
    for (int i = 0; i < c->count; i++) {
        line *l = &c->at[c->order[i]];
        if (l->here && (!oldest || l->used < oldest->used)) oldest = l;
    }
    oldest->here = false;
    c->held -= oldest->bits;
    if (oldest->dirty) c->written[oldest->tensor] += oldest->bits;
    oldest->dirty = false;
}

static void use(cache *c, int tensor, uint64_t key, uint64_t bits, bool write)
{
    line *l = find(c, key);
    l->used = ++c->clock;
    if (!l->here) {
        l->here = true;
        l->tensor = tensor;
        l->bits = bits;
        c->held += bits;
        if (!write) c->read[tensor] += bits;
    }
    if (write) l->dirty = true;
    while (c->held > c->capacity) forget_oldest(c);
}

/* ---- kernels ---------------------------------------------------------------------------------------------- */

typedef struct world {
    int kind;
    uint64_t m, n, k, h;         /* rows and columns of the result, depth of the sums; of a chain as there */
    uint64_t tm, tn, tk, th, step; /* step: of the slices of depth */
    uint64_t band, share;
    bool causal, held;
    uint64_t skew, products, a_bits, b_bits, d_bits, head;
} world;

static uint64_t up(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
static uint64_t part(uint64_t all, uint64_t i, uint64_t tile) { return all - i * tile < tile ? all - i * tile : tile; }
static uint64_t columns_of(const world *w) { return w->kind == FIRST ? w->h : w->n; }
static uint64_t width_of(const world *w) { return w->kind == FIRST ? w->th : w->kind == ATTENTION ? 1 : w->tn; }
static uint64_t depth_of(const world *w) { return w->kind == SECOND || w->kind == FUSED ? w->h : w->k; }

static uint64_t steps_of(const world *w, uint64_t row)
{
    uint64_t last = (row + 1) * w->tm < w->m ? (row + 1) * w->tm : w->m;
    uint64_t seen = w->causal && last + w->skew < w->k ? last + w->skew : depth_of(w);
    return up(seen, w->step);
}

typedef struct want {
    int tensor;
    uint64_t row, column, slice, bits;
} want;

static uint64_t key_of(const want *w) { return 1 + (uint64_t)w->tensor + 8 * (w->row + 1024 * (w->column + 1024 * w->slice)); }

/* What operand o of a tile is in its step s; false: the step reads none. */
static bool reads(const world *w, int o, uint64_t row, uint64_t column, uint64_t s, want *out)
{
    uint64_t high = part(w->m, row, w->tm), wide = part(columns_of(w), column, width_of(w)), deep = part(depth_of(w), s, w->step);
    switch (w->kind) {
    case GEMM:
        if (o > 1) return false;
        *out = o ? (want){TB, 0, column, s, wide * deep * w->b_bits} : (want){TA, row, 0, s, high * deep * w->a_bits};
        return true;
    case FIRST:
        if (o > 1) return false;
        *out = o ? (want){CB, 0, column, s, wide * deep * w->products * w->a_bits} : (want){CA, row, 0, s, high * deep * w->a_bits};
        return true;
    case SECOND:
        if (o > 1) return false;
        *out = o ? (want){CC, 0, column, s, wide * deep * w->a_bits} : (want){CG, row, s, 0, high * deep * w->a_bits};
        return true;
    case FUSED:
        if (o > 2 || (o == 0 && w->held && s)) return false;
        *out = o == 0   ? (want){CA, row, 0, 0, high * w->k * w->a_bits}
               : o == 1 ? (want){CB, 0, 0, s, deep * w->k * w->products * w->a_bits}
                        : (want){CC, 0, column, s, wide * deep * w->a_bits};
        return true;
    default:
        if (o > 2 || (o == 0 && s)) return false;
        uint64_t tile = steps_of(w, row) - 1 - s;
        *out = o == 0 ? (want){TQ, row, column, 0, high * w->head * w->a_bits}
                      : (want){o == 1 ? TK : TV, 0, column / w->share, tile, part(w->k, tile, w->step) * w->head * w->a_bits};
        return true;
    }
}

static want result_of(const world *w, uint64_t row, uint64_t column)
{
    uint64_t cells = part(w->m, row, w->tm) * part(columns_of(w), column, width_of(w));
    if (w->kind == ATTENTION) return (want){TO, row, column, 0, cells * w->head * w->a_bits};
    return (want){w->kind == GEMM ? TD : w->kind == FIRST ? CG : CE, row, column, 0, cells * (w->kind == GEMM ? w->d_bits : w->a_bits)};
}

/* ---- processors ------------------------------------------------------------------------------------------- */

typedef struct job {
    bool busy, moves;
    uint64_t tile, row, column, step;
} job;

/* Whether a processor goes on in the t-th step of all, from 1 on: after t of them it has done floor((999 + t pace) / 1000). */
static bool goes_on(int p, uint64_t t, uint32_t spread)
{
    uint64_t pace = 1000 - spread * (uint64_t)(p * 40503 % 65536) / 65536;
    return (999 + t * pace) / 1000 > (999 + (t - 1) * pace) / 1000;
}

/* The tiles in their order: bands of rows, in each column by column, in each row by row. */
static uint64_t ordered(const world *w, uint64_t (*tiles)[2])
{
    uint64_t rows = up(w->m, w->tm), columns = up(columns_of(w), width_of(w)), count = 0;
    for (uint64_t band = 0; band < rows; band += w->band)
        for (uint64_t column = 0; column < columns; column++)
            for (uint64_t row = band; row < rows && row < band + w->band; row++, count++) {
                tiles[count][0] = w->causal ? rows - 1 - row : row;
                tiles[count][1] = column;
            }
    return count;
}

static void step_all(const world *w, cache *c, job *jobs, int processors, uint64_t *l2)
{
    for (int o = 0; o < 4; o++) {
        uint64_t seen[PROCESSORS];
        int count = 0;
        for (int p = 0; p < processors; p++) {
            want one;
            bool twice = false;
            if (!jobs[p].moves || !reads(w, o, jobs[p].row, jobs[p].column, jobs[p].step, &one)) continue;
            *l2 += one.bits;
            for (int i = 0; i < count; i++) twice |= seen[i] == key_of(&one);
            if (twice) continue;
            seen[count++] = key_of(&one);
            use(c, one.tensor, key_of(&one), one.bits, false);
        }
    }
}

static void simulate(const world *w, cache *c, int processors, uint32_t spread, uint64_t *l2)
{
    static uint64_t tiles[4096][2];
    uint64_t count = ordered(w, tiles), next = 0, done = 0;
    job jobs[PROCESSORS] = {{0}};
    assert_true(count <= 4096);
    if ((uint64_t)processors > count) processors = (int)count;
    for (uint64_t t = 1; done < count; t++) {
        for (int p = 0; p < processors; p++) {
            job *j = &jobs[p];
            uint64_t tile = w->kind == ATTENTION ? next : t == 1 ? (uint64_t)p : j->tile + (uint64_t)processors;
            if (!j->busy && tile < count) {
                *j = (job){true, false, tile, tiles[tile][0], tiles[tile][1], 0};
                next++;
            }
            j->moves = j->busy && goes_on(p, t, spread);
        }
        step_all(w, c, jobs, processors, l2);
        for (int p = 0; p < processors; p++) {
            job *j = &jobs[p];
            if (!j->moves || ++j->step < steps_of(w, j->row)) continue;
            want d = result_of(w, j->row, j->column);
            *l2 += d.bits;
            use(c, d.tensor, key_of(&d), d.bits, true);
            j->busy = false;
            done++;
        }
    }
}

/* ---- all ways --------------------------------------------------------------------------------------------- */

typedef struct outcome {
    uint64_t hbm, l2, cost, flops;
    world w;
} outcome;

typedef struct trial {
    zlay_io_machine machine;
    outcome way[WAYS];
    uint32_t count;
} trial;

/* What a kernel of so many tiles takes; numbers here are below 2^40. */
static uint64_t cycles(const trial *t, uint64_t much, uint64_t rate, uint64_t tiles)
{
    uint64_t all = t->machine.processors, busy = tiles < all ? tiles : all;
    return rate ? (much * 1000000 * all + rate * busy - 1) / (rate * busy) : 0;
}

static uint64_t tiles_of(const world *w) { return up(w->m, w->tm) * up(columns_of(w), width_of(w)); }

static void run(trial *t, const world *one, const world *two, const uint64_t *flops, uint64_t flop_rate)
{
    static cache c;
    outcome *out = &t->way[t->count++];
    uint64_t l2 = 0, more = 0, moved = 0;
    uint32_t spread = t->machine.spread ? t->machine.spread : 10;
    assert_true(t->count <= WAYS);
    memset(&c, 0, sizeof c);
    c.capacity = t->machine.l2 * 8;
    simulate(one, &c, (int)t->machine.processors, spread, &l2);
    if (two) simulate(two, &c, (int)t->machine.processors, spread, &more);
    for (int i = 0; i < c.count; i++)
        if (c.at[c.order[i]].dirty) c.written[c.at[c.order[i]].tensor] += c.at[c.order[i]].bits;
    for (int i = 0; i < TENSORS; i++) moved += c.read[i] + c.written[i];
    *out = (outcome){up(moved, 8), up(l2 + more, 8), 0, flops[0] + flops[1], two ? *two : *one};
    uint64_t a = cycles(t, out->hbm, t->machine.hbm_rate, UINT64_MAX);
    uint64_t b = cycles(t, up(l2, 8), t->machine.l2_rate, tiles_of(one)), f = cycles(t, flops[0], flop_rate, tiles_of(one));
    if (two) b += cycles(t, up(more, 8), t->machine.l2_rate, tiles_of(two)), f += cycles(t, flops[1], flop_rate, tiles_of(two));
    out->cost = a > b ? a : b;
    if (f > out->cost) out->cost = f;
}

static const uint64_t bands[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};

/* The i-th band that is tried; 0: no more. */
static uint64_t band(uint64_t rows, int i)
{
    if (i && bands[i - 1] >= rows) return 0;
    return bands[i] < rows ? bands[i] : rows;
}

static bool is_less(const outcome *a, const outcome *b)
{
    if (a->cost != b->cost) return a->cost < b->cost;
    return a->hbm != b->hbm ? a->hbm < b->hbm : a->l2 < b->l2;
}

static void refuted(const trial *t, const char *why, uint64_t got, uint64_t wanted)
{
    const world *w = &t->way[0].w;
    fail_msg("%s: %llu, wanted %llu; kind %d, m %llu n %llu k %llu h %llu, l2 %llu, %u processors, smem %u", why, (unsigned long long)got,
             (unsigned long long)wanted, w->kind, (unsigned long long)w->m, (unsigned long long)w->n, (unsigned long long)w->k,
             (unsigned long long)w->h, (unsigned long long)t->machine.l2, t->machine.processors, t->machine.smem);
}

/* The best of a kind, compared with a choice of the library. */
static const outcome *best_of(const trial *t, uint32_t from)
{
    const outcome *best = &t->way[from];
    for (uint32_t i = from; i < t->count; i++)
        if (is_less(&t->way[i], best)) best = &t->way[i];
    return best;
}

static void compare(const trial *t, const outcome *best, const zlay_io_choice *c)
{
    if (c->cost != best->cost) refuted(t, "cost", c->cost, best->cost);
    if (c->hbm != best->hbm) refuted(t, "hbm", c->hbm, best->hbm);
    if (c->l2 != best->l2) refuted(t, "l2", c->l2, best->l2);
    if (c->flops != best->flops) refuted(t, "flops", c->flops, best->flops);
}

/* Ways that no other equals or beats in both, each pair once. */
static void compare_front(const trial *t, const zlay_io_answer *a)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        bool beaten = false;
        for (uint32_t j = 0; j < t->count && !beaten; j++) {
            const outcome *x = &t->way[j], *y = &t->way[i];
            bool same = x->hbm == y->hbm && x->l2 == y->l2;
            beaten = x->hbm <= y->hbm && x->l2 <= y->l2 && (!same || j < i);
        }
        count += !beaten;
        bool listed = beaten || a->front_count > ZLAY_IO_FRONT;
        for (uint32_t j = 0; j < a->front_count && !listed; j++) listed = a->front[j].hbm == t->way[i].hbm && a->front[j].l2 == t->way[i].l2;
        if (!listed) refuted(t, "the front lacks hbm", t->way[i].hbm, t->way[i].l2);
    }
    if (count != a->front_count) refuted(t, "the front has", a->front_count, count);
}

static void compare_bounds(const trial *t, const zlay_io_answer *a, uint32_t from)
{
    for (uint32_t i = from; i < t->count; i++) {
        if (t->way[i].hbm < a->hbm_bound) refuted(t, "below the bound of hbm", t->way[i].hbm, a->hbm_bound);
        if (t->way[i].l2 < a->l2_bound) refuted(t, "below the bound of l2", t->way[i].l2, a->l2_bound);
    }
    uint64_t hbm = 0, l2 = 0;
    for (uint32_t i = 0; i < a->tensors_count; i++) {
        hbm += a->tensor[i].read + a->tensor[i].written;
        l2 += a->tensor[i].l2;
    }
    if (hbm < a->best.hbm || hbm > a->best.hbm + 16) refuted(t, "tensors' hbm", hbm, a->best.hbm);
    if (l2 < a->best.l2 || l2 > a->best.l2 + 16) refuted(t, "tensors' l2", l2, a->best.l2);
}

static zlay_io_machine draw_machine(uint64_t *seed, uint64_t bytes)
{
    static const uint32_t smem[] = {232448, 232448, 131072, 98304, 65536};
    uint64_t most = bytes * 3 / 2 + 1, least = 4096;
    return (zlay_io_machine){.l2 = (uint64_t)test_range(seed, 0, 1) ? (uint64_t)test_range(seed, (int64_t)least, (int64_t)(most > least ? most : least + 1))
                                                                     : (uint64_t)test_range(seed, 4096, (int64_t)(most / 4 + 8192)),
                             .hbm_rate = (uint64_t)test_range(seed, 1, 4) * 1000000, .l2_rate = (uint64_t)test_range(seed, 1, 12) * 1000000,
                             .flop_rate = (uint64_t)test_range(seed, 1, 60) * 10000000,
                             .processors = (uint32_t)test_range(seed, 1, PROCESSORS), .smem = smem[test_range(seed, 0, 4)],
                             .spread = test_range(seed, 0, 2) ? (uint32_t)test_range(seed, 0, 500) : 1};
}

/* ---- products ------------------------------------------------------------------------------------------------ */

static bool has_shape(const char *target, uint64_t m, uint64_t n)
{
    if (!strcmp(target, "sm_100a")) return m == 128 && n % 16 == 0;
    if (!strcmp(target, "sm_80")) return n % 64 == 0 && n != 192 && m * n <= 128 * 128;
    return n % 8 == 0;
}

/* A tile of any shape whose sums fit reads no less than the bound. */
static void any_shape(const trial *t, const zlay_io_answer *a, uint64_t *seed, const world *w)
{
    uint64_t sums = w->kind == GEMM && !w->skew ? 128 * 256 : 128 * 128;
    for (int i = 0; i < 50; i++) {
        uint64_t r = (uint64_t)test_range(seed, 1, (int64_t)(sums < w->m ? sums : w->m)), most = sums / r;
        uint64_t c = i % 2 ? (most < w->n ? most : w->n) : (uint64_t)test_range(seed, 1, (int64_t)(most < w->n ? most : w->n));
        uint64_t bits = w->m * w->k * w->a_bits * up(w->n, c) + w->n * w->k * w->b_bits * up(w->m, r) + w->m * w->n * w->d_bits;
        if (up(bits, 8) < a->l2_bound) refuted(t, "a tile of another shape", up(bits, 8), a->l2_bound);
    }
}

static uint32_t gemm(zlay_ctx *ctx, trial *t, uint64_t *seed)
{
    static const char *const names[] = {"sm_90a", "sm_100a", "sm_80"};
    static const int32_t types[] = {ZLAY_TYPE_BF16, ZLAY_TYPE_F32, ZLAY_TYPE_E4M3, ZLAY_TYPE_F16};
    static const uint64_t bits[] = {16, 32, 8, 16};
    const char *name = names[test_range(seed, 0, 5) % 3];
    int x = (int)test_range(seed, 0, 3), y = (int)test_range(seed, 0, 3), z = (int)test_range(seed, 0, 3);
    zlay_io_gemm r = {.size = sizeof r, .m = (uint64_t)test_range(seed, 1, 600), .n = (uint64_t)test_range(seed, 1, 600),
                      .k = (uint64_t)test_range(seed, 1, 600), .a_type = types[x], .b_type = types[y], .d_type = types[z],
                      .front = (uint32_t)test_range(seed, 0, 1), .stages = (uint32_t)test_range(seed, 0, 3)};
    r.machine = t->machine = draw_machine(seed, (r.m * r.k * bits[x] + r.n * r.k * bits[y] + r.m * r.n * bits[z]) / 8);
    uint64_t tk = 1024 / bits[x], stages = r.stages ? r.stages : 2;
    world w = {.kind = GEMM, .m = r.m, .n = r.n, .k = r.k, .a_bits = bits[x], .b_bits = bits[y], .d_bits = bits[z],
               .step = up(up(r.k, tk), 16) * tk};
    for (w.tm = 64; w.tm <= 128; w.tm += 64)
        for (w.tn = 64; w.tn <= 256; w.tn += 8) {
            uint64_t smem = stages * (w.tm * bits[x] + w.tn * bits[y]) * tk / 8 + w.tm * w.tn * bits[z] / 8 + 1024;
            if (!has_shape(name, w.tm, w.tn) || smem > r.machine.smem) continue;
            for (int i = 0; (w.band = band(up(w.m, w.tm), i)); i++) run(t, &w, NULL, (uint64_t[2]){2 * r.m * r.n * r.k}, 0);
        }
    static zlay_io_answer a;
    zlay_status status = zlay_io_gemm_plan(ctx, &a, target_of(name), &r);
    if (!t->count) return assert_int_equal(status, ZLAY_NONE), 1;
    if (status) fail_msg("%s", zlay_ctx_message(ctx));
    const outcome *best = best_of(t, 0);
    compare(t, best, &a.best);
    if (a.best.tile_m != best->w.tm || a.best.tile_n != best->w.tn || a.best.band != best->w.band) refuted(t, "not the first", a.best.tile_n, best->w.tn);
    if (a.grid != t->count) refuted(t, "grid", a.grid, t->count);
    compare_bounds(t, &a, 0);
    if (r.front) compare_front(t, &a);
    w.skew = !strcmp(name, "sm_80");
    any_shape(t, &a, seed, &w);
    return 0;
}

/* ---- attention ------------------------------------------------------------------------------------------------- */

static uint32_t attention(zlay_ctx *ctx, trial *t, uint64_t *seed)
{
    static const uint64_t registers[] = {0, 240, 240, 160};
    bool tmem = test_range(seed, 0, 3) == 0, bytes = test_range(seed, 0, 3) == 0;
    uint64_t share = (uint64_t)test_range(seed, 1, 3), element = bytes ? 1 : 2;
    zlay_io_attention r = {.size = sizeof r, .type = bytes ? ZLAY_TYPE_E4M3 : ZLAY_TYPE_BF16, .head = 8 * (uint32_t)test_range(seed, 1, 32),
                           .batch = (uint64_t)test_range(seed, 1, 2), .kv_heads = (uint64_t)test_range(seed, 1, 3),
                           .queries = (uint64_t)test_range(seed, 1, 400), .causal = (uint32_t)test_range(seed, 0, 1),
                           .front = (uint32_t)test_range(seed, 0, 1), .stages = (uint32_t)test_range(seed, 0, 3)};
    r.heads = r.kv_heads * share;
    r.keys = r.causal ? r.queries + (uint64_t)test_range(seed, 0, 100) : (uint64_t)test_range(seed, 1, 500);
    uint64_t row = r.head * element, rows = r.batch * (r.heads * r.queries * 2 + r.kv_heads * r.keys * 2), stages = r.stages ? r.stages : 2;
    r.machine = t->machine = draw_machine(seed, rows * row);
    world w = {.kind = ATTENTION, .m = r.queries, .n = r.batch * r.heads, .k = r.keys, .a_bits = 8 * element, .head = r.head, .share = share,
               .causal = r.causal, .skew = r.keys - r.queries};
    uint64_t pairs = 0;
    for (uint64_t q = 0; q < r.queries; q++) pairs += r.causal ? q + 1 + w.skew : r.keys;
    for (w.tm = 64; w.tm <= 192; w.tm += 64)
        for (w.step = 256; w.step; w.step -= 16) {
            bool sums = tmem ? w.tm == 128 && r.head + 2 * w.step <= 512 : r.head / 2 + w.step / 2 + 24 <= registers[w.tm / 64];
            if (!sums || w.tm * row + 2 * stages * w.step * row + w.tm * 128 + 1024 > r.machine.smem) continue;
            for (int i = 0; (w.band = band(up(w.m, w.tm), i)); i++) run(t, &w, NULL, (uint64_t[2]){4 * pairs * r.head * w.n}, 0);
            break;
        }
    static zlay_io_answer a;
    zlay_status status = zlay_io_attention_plan(ctx, &a, target_of(tmem ? "sm_100a" : "sm_90a"), &r);
    if (!t->count) return assert_int_equal(status, ZLAY_NONE), 1;
    if (status) fail_msg("%s", zlay_ctx_message(ctx));
    compare(t, best_of(t, 0), &a.best);
    compare_bounds(t, &a, 0);
    if (r.front) compare_front(t, &a);
    return 0;
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

static void chain_ways(trial *t, const zlay_io_chain *r, const char *name, uint64_t bits, bool fused)
{
    uint64_t tk = 1024 / bits, products = r->gated + 1, stages = r->stages ? r->stages : 2, e = bits / 8;
    bool sync = !strcmp(name, "sm_80");
    uint64_t most = sync ? 128 * 128 : !fused ? 128 * 256 : !strcmp(name, "sm_90a") ? 128 * 384 : 128 * 512;
    world w = {.kind = FUSED, .m = r->m, .n = r->n, .k = r->k, .h = r->h, .products = products, .a_bits = bits};
    for (w.tm = !strcmp(name, "sm_100a") ? 128 : 64; w.tm <= 128; w.tm += 64)
        for (w.th = 64; w.th <= 256; w.th += 64)
            for (w.tn = 64; w.tn <= 256; w.tn += 64)
                for (int held = 0; held < 1 + fused; held++) {
                    uint64_t g = w.tm * w.th, out = w.tm * w.tn, a = w.tm * 128, b = products * w.th * 128, c = w.tn * 128;
                    uint64_t one = stages * (a + b) + g * e, two = stages * (a + c) + out * e;
                    uint64_t all = (held ? up(w.k, tk) * a : stages * a) + stages * (b + c) + g * e;
                    uint64_t smem = 1024 + (fused ? (all > out * e ? all : out * e) : one > two ? one : two);
                    uint64_t sums = fused ? g * products + out : g * products > out ? g * products : out;
                    if (sums > most || smem > r->machine.smem || (sync && (w.th == 192 || w.tn == 192))) continue;
                    uint64_t again = fused ? up(w.n, w.tn) : 1, flops[] = {2 * w.m * w.k * w.h * products * again, 2 * w.m * w.h * w.n};
                    if (fused) flops[0] += flops[1], flops[1] = 0;
                    for (int i = 0; (w.band = band(up(w.m, w.tm), i)); i++) {
                        world first = w, second = w;
                        first.kind = FIRST, second.kind = SECOND;
                        first.step = up(up(w.k, tk), 16) * tk;
                        second.step = w.step = w.th;
                        w.held = held;
                        run(t, fused ? &w : &first, fused ? NULL : &second, flops, r->machine.flop_rate);
                    }
                }
}

static uint32_t chain(zlay_ctx *ctx, trial *t, uint64_t *seed)
{
    static const char *const names[] = {"sm_90a", "sm_100a", "sm_80"};
    const char *name = names[test_range(seed, 0, 5) % 3];
    bool bytes = test_range(seed, 0, 3) == 0;
    zlay_io_chain r = {.size = sizeof r, .type = bytes ? ZLAY_TYPE_E4M3 : 0, .m = (uint64_t)test_range(seed, 1, 500), .k = (uint64_t)test_range(seed, 1, 500),
                       .h = (uint64_t)test_range(seed, 1, 500), .n = (uint64_t)test_range(seed, 1, 400), .gated = (uint32_t)test_range(seed, 0, 1),
                       .fused = (uint32_t)test_range(seed, 0, 2), .stages = (uint32_t)test_range(seed, 0, 3), .front = 1};
    uint64_t bits = bytes ? 8 : 16, cells = r.m * (r.k + r.h + r.n) + r.h * (r.k * (r.gated + 1) + r.n);
    r.machine = t->machine = draw_machine(seed, cells * bits / 8);
    if (r.fused != ZLAY_IO_FUSED) chain_ways(t, &r, name, bits, false);
    uint32_t separate = t->count;
    if (r.fused != ZLAY_IO_SEPARATE) chain_ways(t, &r, name, bits, true);
    static zlay_io_answer a;
    zlay_status status = zlay_io_chain_plan(ctx, &a, target_of(name), &r);
    if (!t->count) return assert_int_equal(status, ZLAY_NONE), 1;
    if (status) fail_msg("%s", zlay_ctx_message(ctx));
    const outcome *best = best_of(t, 0);
    compare(t, best, &a.best);
    if (a.grid != t->count) refuted(t, "grid", a.grid, t->count);
    if ((a.best.fused == ZLAY_IO_FUSED) != (best->w.kind == FUSED)) refuted(t, "kernels", a.best.fused, (uint64_t)best->w.kind);
    if (separate && t->count > separate && best->w.kind != FUSED) compare(t, best_of(t, separate), &a.other);
    compare_bounds(t, &a, 0);
    if (r.fused) compare_front(t, &a);
    return 0;
}

/* ---- the cases ------------------------------------------------------------------------------------------------------ */

static void nothing_better(void **state)
{
    static trial t;
    uint64_t seed = test_seed("refute/io"), count = test_cases(CASES), ways = 0, none[3] = {0}, of[3] = {0};
    for (uint64_t i = 0; i < count; i++) {
        int kind = (int)(i % 3);
        t.count = 0;
        none[kind] += kind == 0 ? gemm(*state, &t, &seed) : kind == 1 ? attention(*state, &t, &seed) : chain(*state, &t, &seed);
        of[kind]++;
        ways += t.count;
    }
    printf("%llu products (%llu without a tile), %llu of attention (%llu), %llu chains (%llu); %llu orders simulated\n", (unsigned long long)of[0],
           (unsigned long long)none[0], (unsigned long long)of[1], (unsigned long long)none[1], (unsigned long long)of[2],
           (unsigned long long)none[2], (unsigned long long)ways);
    for (int i = 0; i < 3; i++) assert_true(none[i] * 3 < of[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_better)};
    return cmocka_run_group_tests(tests, begin, end);
}
