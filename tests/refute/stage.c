/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute stage.synth: for random requests of one to three tensors the test lists layouts and primitives by itself, from the
 * tables of docs/stages.md, reckons what each pair takes from the page's equations alone, and tries every combination of all tensors,
 * barriers and tiles.  Another least number of cycles, of bytes or of barriers refutes, and so does another choice, a layout whose values
 * are not those of the page, NONE where something fits, and another least capacity.  Wavefronts are counted by the plain counter of bank.h. */
#include "tiles/bank.h"

#include <zlay/stage.h>

enum { CASES = 600, TENSORS = 3, TILES = 2, PLACES = 22, WAYS = PLACES * 11, UNITS = 7, PIPES_EVERY = 8 };

/* ---- the world ----------------------------------------------------------------------------------------------- */

typedef struct reader {
    const char *name, *groups;
    char rule;
    uint32_t bytes;
} reader;
static const reader readers[] = {{"ld.shared.b32", "0-31", 'w', 4}, {"ld.shared.b64", "0-15 | 16-31", 'p', 8}, {"ld.shared.b128", "0-7 | 8-15 | 16-23 | 24-31", 'p', 16}, {"ldmatrix.x4", "0-7 | 8-15 | 16-23 | 24-31", 'w', 16}};
enum { READERS = 4 };

typedef struct lanes_access {
    int by;
    uint32_t q, step, instances, times; /* lane l: line l mod q + q instance, column (l / q) step */
} lanes_access;

typedef struct tensor {
    uint32_t elem, columns, lines, mode, pitch, align, shared, dram, allowed, wgmma, accesses;
    lanes_access access[2];
} tensor;

typedef struct tile {
    uint32_t count, work, cycles;
    tensor t[TENSORS];
} tile;

typedef struct world {
    uint32_t tiles, threads, registers, cluster, depth, barriers; /* barriers: 0, 1 or 2, any */
    bool tmem;                                                   /* products are those of tcgen05, on sm_100a */
    uint64_t smem;
    zlay_stage_rates rates;
    tile tile[TILES];
} world;

static uint32_t pick(uint64_t *seed, const uint32_t *from, uint32_t count) { return from[test_range(seed, 0, count - 1)]; }

/* The tensor is four tiles wide where its pitch allows that, else one. */
static uint32_t wide_of(const tensor *t) { return t->columns * 4 > t->pitch ? t->columns : t->columns * 4; }

static void draw_access(uint64_t *seed, const tensor *t, lanes_access *x)
{
    static const uint32_t qs[] = {1, 2, 4, 8, 16, 32};
    do {
        x->by = (int)test_range(seed, 0, READERS - 1);
        x->q = pick(seed, qs, 6);
        uint32_t vector = readers[x->by].bytes / t->elem;
        x->step = vector ? vector * (uint32_t)test_range(seed, 1, 2) : 1;
    } while (readers[x->by].bytes < t->elem || x->q > t->lines || (32 / x->q - 1) * x->step + readers[x->by].bytes / t->elem > t->columns);
    x->instances = (uint32_t)test_range(seed, 1, t->lines / x->q < 4 ? t->lines / x->q : 4);
    x->times = (uint32_t)test_range(seed, 1, 3);
}

static void draw_tensor(uint64_t *seed, tensor *t, bool wgmma, bool first, bool tmem)
{
    static const uint32_t bytes[] = {32, 40, 64, 96, 128, 136, 160, 192, 256, 512}, whole[] = {32, 64, 128, 256}, lines[] = {32, 40, 64, 100}, aligns[] = {1, 4, 8, 16, 32, 128}, elems[] = {1, 2, 4};
    *t = (tensor){.elem = wgmma ? 2 : pick(seed, elems, 3), .mode = !wgmma || test_range(seed, 0, 3) ? (uint32_t)test_range(seed, wgmma, 1) : 0, .wgmma = wgmma};
    t->columns = pick(seed, wgmma ? whole : bytes, wgmma ? 4 : 10) / t->elem;
    t->lines = wgmma ? 64 : pick(seed, lines, 4);
    if (wgmma && !t->mode) t->columns = 64;
    if (wgmma && tmem && first && test_range(seed, 0, 1)) *(t->mode ? &t->lines : &t->columns) = 128;
    if (wgmma && !first && t->mode) t->lines = (uint32_t)test_range(seed, 1, 4) * 16;
    t->pitch = t->columns * (uint32_t)test_range(seed, 1, 8) + (test_range(seed, 0, 3) ? 0 : (uint32_t)test_range(seed, 1, 32));
    t->align = pick(seed, aligns, 6);
    if (test_range(seed, 0, 1)) t->align = 128;
    t->shared = test_range(seed, 0, 2) == 0;
    t->dram = test_range(seed, 0, 3) == 0;
    t->allowed = test_range(seed, 0, 3) ? 0 : (uint32_t)test_range(seed, 1, 15);
    t->accesses = wgmma ? 0 : (uint32_t)test_range(seed, 1, 2);
    for (uint32_t i = 0; i < t->accesses; i++) draw_access(seed, t, &t->access[i]);
}

/* B has the K of A. */
static void same_depth(tensor *t, uint32_t k)
{
    if (!t->mode) t->lines = k;
    else t->columns = k;
    if (t->pitch < t->columns) t->pitch = t->columns;
}

static void draw(uint64_t *seed, world *w)
{
    static const uint32_t threads[] = {32, 64, 128, 256}, clusters[] = {1, 1, 2, 4};
    memset(w, 0, sizeof *w);
    w->tiles = (uint32_t)test_range(seed, 1, TILES);
    w->tmem = test_range(seed, 0, 3) == 0;
    w->threads = pick(seed, threads, 4);
    w->registers = (uint32_t)test_range(seed, 4, 80);
    w->cluster = pick(seed, clusters, 4);
    w->depth = test_range(seed, 0, 5) ? 0 : (uint32_t)test_range(seed, 2, 5);
    w->barriers = (uint32_t)test_range(seed, 0, 5) < 2 ? (uint32_t)test_range(seed, 0, 1) : 2;
    w->rates = (zlay_stage_rates){(uint32_t)test_range(seed, 30000, 128000), (uint32_t)test_range(seed, 20000, 90000), (uint32_t)test_range(seed, 20000, 90000), (uint32_t)test_range(seed, 8000, 40000),
                                  (uint32_t)test_range(seed, 1, 4), (uint32_t)test_range(seed, 1, 40), (uint32_t)test_range(seed, 50, 2000), (uint32_t)test_range(seed, 50, 1500), (uint32_t)test_range(seed, 1, 600)};
    for (uint32_t i = 0; i < w->tiles; i++) {
        tile *x = &w->tile[i];
        bool wgmma = test_range(seed, 0, 3) == 0 || (w->tmem && test_range(seed, 0, 1));
        x->count = wgmma ? 2 : (uint32_t)test_range(seed, 1, 2) + (test_range(seed, 0, 9) == 0);
        x->work = (uint32_t)test_range(seed, 1, 5);
        x->cycles = (uint32_t)test_range(seed, 0, 1) * (uint32_t)test_range(seed, 1, 900);
        for (uint32_t t = 0; t < x->count; t++) draw_tensor(seed, &x->t[t], wgmma, t == 0, w->tmem);
        if (wgmma) same_depth(&x->t[1], x->t[0].mode ? x->t[0].columns : x->t[0].lines);
    }
    w->smem = (uint64_t)test_range(seed, 1, 12) * (uint64_t)test_range(seed, 2000, 19000);
}

/* ---- layouts of the page --------------------------------------------------------------------------------------- */

typedef struct place {
    int family, swizzle; /* ZLAY_STAGE_* */
    uint32_t pad, bits, shift, pitch, span, cuts, size, align, grain;
} place;

static uint32_t up(uint64_t a, uint64_t unit) { return (uint32_t)((a + unit - 1) / unit * unit); }

static int places_of(place *out, const tensor *t)
{
    static const uint32_t pads[] = {0, 4, 8, 16, 32, 48, 64, 80, 96, 112};
    uint32_t bytes = t->columns * t->elem, row = up(bytes, 16);
    int count = 0;
    for (int s = 3; s >= 1; s--) {
        uint32_t span = 16u << s, cuts = up(bytes, span) / span;
        out[count++] = (place){.family = ZLAY_STAGE_SPANS, .swizzle = s, .span = span, .cuts = cuts, .size = span * cuts * t->lines, .align = 128u << s, .grain = 16};
    }
    for (int i = 0; i < 10; i++) out[count++] = (place){.family = ZLAY_STAGE_ROWS, .pad = pads[i], .pitch = row + pads[i], .size = (row + pads[i]) * t->lines, .align = 128, .grain = pads[i] == 4 ? 4 : pads[i] == 8 ? 8 : 16};
    for (uint32_t b = 1; b <= 3; b++)
        for (uint32_t s = b; s <= 4; s++) {
            uint32_t period = 16u << (b + s);
            out[count++] = (place){.family = ZLAY_STAGE_XOR, .bits = b, .shift = s, .pitch = row, .size = up((uint64_t)row * t->lines, 16u << b), .align = period > 128 ? period : 128, .grain = 16};
        }
    return count;
}

static uint32_t offset_of(const tensor *t, const place *p, uint32_t line, uint32_t byte)
{
    uint32_t o = line * p->pitch + byte;
    if (p->family == ZLAY_STAGE_SPANS) {
        o = byte / p->span * (p->span * t->lines) + line * p->span + byte % p->span;
        return o ^ (o / 128 % (1u << p->swizzle)) * 16;
    }
    if (p->family == ZLAY_STAGE_XOR) return o ^ (o / (16u << p->shift) % (1u << p->bits)) * 16;
    return o;
}

/* ---- what a pair takes ------------------------------------------------------------------------------------------- */

typedef struct way {
    place p;
    int kind;
    uint32_t width, blocks, expect, buffer, registers;
    uint64_t copies, reads, writes, engine_bytes, instructions, l2, dram;
    bool threads, far;
} way;

static bool reads_of(way *out, const tile *x, const tensor *t, const place *p)
{
    uint32_t bytes = t->columns * t->elem;
    out->reads = out->instructions = 0;
    if (t->wgmma) { /* A is read once, and so is B, by one warpgroup of 64 rows, or by tcgen05 */
        if (p->family != ZLAY_STAGE_SPANS || bytes % p->span || t->lines % 8) return false;
        out->reads = ((uint64_t)bytes * t->lines + 127) / 128;
        (void)x;
        return true;
    }
    for (uint32_t i = 0; i < t->accesses; i++) {
        const lanes_access *a = &t->access[i];
        const reader *by = &readers[a->by];
        served s = {"sm_90", by->name, by->groups, by->bytes, 32, by->rule};
        for (uint32_t n = 0; n < a->instances; n++) {
            uint32_t address[32];
            for (uint32_t l = 0; l < 32; l++) {
                uint32_t line = l % a->q + a->q * n, first = l / a->q * a->step * t->elem;
                address[l] = offset_of(t, p, line, first);
                if (address[l] % by->bytes) return false;
                for (uint32_t e = 0; e < by->bytes; e += t->elem)
                    if (offset_of(t, p, line, first + e) != address[l] + e) return false;
            }
            out->reads += counted(&s, address, 32) * (uint64_t)a->times;
            out->instructions += a->times;
        }
    }
    return true;
}

static bool divides(const tensor *t, uint32_t width)
{
    return t->columns * t->elem % width == 0 && (uint64_t)t->pitch * t->elem % width == 0 && t->align % width == 0;
}

static uint64_t sectors(const tensor *t, uint32_t bytes)
{
    uint32_t apart = 32;
    while (!divides(t, apart)) apart /= 2;
    return (uint64_t)up(bytes + 32 - apart, 32) * t->lines;
}

static uint32_t box_of(uint32_t lines)
{
    uint32_t box = 0;
    for (uint32_t i = 1; i <= 256 && i <= lines; i++)
        if (lines % i == 0) box = i;
    return box;
}

static bool by_tensor(way *y, const world *w, const tensor *t, uint32_t blocks)
{
    uint32_t bytes = t->columns * t->elem, spans = y->p.family == ZLAY_STAGE_SPANS;
    if (!spans && (y->p.family != ZLAY_STAGE_ROWS || y->p.pad)) return false;
    if (t->lines % blocks || t->align % 16 || (uint64_t)t->pitch * t->elem % 16) return false;
    if (bytes % 16 && wide_of(t) > t->columns) return false; /* the second tile begins where no copy may */
    uint32_t share = t->lines / blocks, box = box_of(share);
    if (!spans && (bytes % 16 || t->columns > 256)) return false;
    if (spans && (box != t->lines || y->p.cuts > 1) && box % 8) return false;
    if (!spans && box != t->lines && box * bytes % 128) return false;
    y->kind = ZLAY_COPY_TENSOR_LOAD;
    y->blocks = blocks;
    y->copies = (uint64_t)(spans ? y->p.cuts : 1) * (share / box);
    y->expect = y->p.size;
    y->engine_bytes = y->p.size;
    y->writes = up(y->p.size, 128) / 128;
    y->instructions += y->copies;
    y->l2 = sectors(t, spans ? y->p.span * y->p.cuts : bytes);
    (void)w;
    return true;
}

static bool by_bulk(way *y, const tensor *t)
{
    uint32_t bytes = t->columns * t->elem;
    if (y->p.family != ZLAY_STAGE_ROWS || y->p.pad % 16 || !divides(t, 16)) return false;
    y->kind = ZLAY_COPY_BULK_LOAD;
    y->copies = t->pitch == t->columns && y->p.pitch == bytes ? 1 : t->lines;
    y->expect = bytes * t->lines;
    y->engine_bytes = y->expect;
    y->writes = y->copies == 1 ? up(y->expect, 128) / 128 : (uint64_t)up(bytes, 128) / 128 * t->lines;
    y->instructions += y->copies;
    y->l2 = sectors(t, bytes);
    return true;
}

static bool by_threads(way *y, const world *w, const tensor *t, uint32_t width, bool async)
{
    static const char *const groups[] = {"0-31", "0-15 | 16-31", "0-7 | 8-15 | 16-23 | 24-31"};
    uint32_t bytes = t->columns * t->elem, each = bytes / width, count = each * t->lines;
    served s = {"sm_90", "", groups[width == 16 ? 2 : width == 8], width, 32, async ? 'l' : 'w'};
    if (!divides(t, width) || y->p.grain % width) return false;
    y->kind = async ? ZLAY_COPY_CP_ASYNC : ZLAY_COPY_THREAD_LOAD;
    y->threads = true;
    y->width = width;
    uint32_t accesses = 0; /* of a thread, each of whole registers */
    for (uint32_t done = 0; !async && done < bytes / width * t->lines; done += w->threads) accesses++;
    y->registers = accesses * (width > 4 ? width / 4 : 1);
    if (y->registers > w->registers) return false;
    y->copies = up(count, 32) / 32;
    y->instructions += y->copies * (async ? 1 : 2);
    for (uint32_t first = 0; first < count; first += 32) {
        uint32_t address[32];
        for (uint32_t l = 0; l < 32; l++) address[l] = first + l < count ? offset_of(t, &y->p, (first + l) / each, (first + l) % each * width) : UINT32_MAX;
        y->writes += counted(&s, address, 32);
    }
    y->l2 = sectors(t, bytes);
    return true;
}

static void keep(way *list, int *count, const world *w, const tensor *t, way *y)
{
    uint64_t bytes = y->l2, sharing = t->shared ? w->cluster : 1;
    y->l2 = (bytes + y->blocks - 1) / y->blocks;
    y->dram = t->dram ? (bytes + sharing - 1) / sharing : 0;
    y->buffer = up(y->p.size, y->p.align);
    y->far = t->dram;
    list[(*count)++] = *y;
}

static int ways_of(way *list, const world *w, const tile *x, const tensor *t)
{
    place p[PLACES];
    int count = 0, places = places_of(p, t);
    for (int i = 0; i < places; i++) {
        way from = {.p = p[i], .blocks = 1}, y;
        uint32_t may = t->allowed ? t->allowed : 15;
        if (!reads_of(&from, x, t, &p[i])) continue;
        for (uint32_t b = 1; b <= 4; b++) {
            if (b != 1 && (b != w->cluster || !t->shared)) continue;
            y = from;
            if (may & ZLAY_STAGE_BY_TENSOR && by_tensor(&y, w, t, b)) keep(list, &count, w, t, &y);
        }
        y = from;
        if (may & ZLAY_STAGE_BY_BULK && by_bulk(&y, t)) keep(list, &count, w, t, &y);
        for (int async = 1; async >= 0; async--)
            for (uint32_t width = 16; width; width /= 2) {
                if (width < (async ? 4 : t->elem) || width < t->elem) continue;
                y = from;
                if (may & (async ? ZLAY_STAGE_BY_CP_ASYNC : ZLAY_STAGE_BY_THREADS) && by_threads(&y, w, t, width, async)) keep(list, &count, w, t, &y);
            }
    }
    return count;
}

/* ---- every combination --------------------------------------------------------------------------------------------- */

typedef struct outcome {
    bool some;
    uint32_t tile, barriers, mbarriers, way[TENSORS], depth[TENSORS];
    uint64_t cycles, bytes, unit[UNITS];
} outcome;

static uint64_t over(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

static uint64_t latency_of(const world *w, const way *y) { return (y->threads ? w->rates.load_cycles : w->rates.copy_cycles) + (y->far ? w->rates.far_cycles : 0); }

/* Rings of the tensors; how many. */
static int rings_of(int *ring, const way *const *y, uint32_t count, uint32_t barriers)
{
    int rings = 0, threads = -1;
    for (uint32_t i = 0; i < count; i++) {
        if (!barriers) ring[i] = 0;
        else if (y[i]->threads && threads >= 0) ring[i] = threads;
        else ring[i] = rings++;
        if (y[i]->threads) threads = ring[i];
    }
    return barriers ? rings : 1;
}

static uint64_t bytes_at(outcome *o, const world *w, const way *const *y, uint32_t count, const int *ring, int rings, uint64_t cycles)
{
    uint64_t sum = 0;
    o->mbarriers = 0;
    for (int r = 0; r < rings; r++) {
        uint64_t bytes = 16, latency = 0;
        for (uint32_t i = 0; i < count; i++)
            if (ring[i] == r) {
                bytes += y[i]->buffer;
                if (latency_of(w, y[i]) > latency) latency = latency_of(w, y[i]);
            }
        uint64_t depth = 1 + over(latency, cycles);
        if (depth < 2) depth = 2;
        if (w->depth) depth = w->depth;
        for (uint32_t i = 0; i < count; i++)
            if (ring[i] == r) o->depth[i] = (uint32_t)depth;
        sum += bytes * depth;
        o->mbarriers += 2 * (uint32_t)depth;
    }
    return sum;
}

static bool reckon(outcome *o, const world *w, const tile *x, const way *const *y, uint64_t smem, uint64_t worse)
{
    int ring[TENSORS], rings = rings_of(ring, y, x->count, o->barriers);
    uint64_t engine = 0, instructions = 0, wavefronts = 0, l2 = 0, dram = 0, wait = 0, registers = 0, latency = 0, multicast = 0, threads = 0;
    if (o->barriers && rings == 1 && w->barriers == 2) return false;
    for (uint32_t i = 0; i < x->count; i++) {
        if (!y[i]->threads) engine += y[i]->copies * w->rates.copy_each * w->rates.copy + y[i]->engine_bytes * 1000;
        instructions += y[i]->instructions;
        wavefronts += y[i]->reads + y[i]->writes;
        l2 += y[i]->l2, dram += y[i]->dram, registers += y[i]->registers;
        multicast |= y[i]->blocks > 1, threads |= y[i]->threads;
        if (y[i]->kind == ZLAY_COPY_THREAD_LOAD && latency_of(w, y[i]) > wait) wait = latency_of(w, y[i]);
        if (latency_of(w, y[i]) > latency) latency = latency_of(w, y[i]);
    }
    if ((multicast && threads) || registers > w->registers) return false;
    for (int r = 0; r < rings; r++) {
        bool by_threads = false, copies = false;
        for (uint32_t i = 0; i < x->count; i++)
            if (ring[i] == r) by_threads |= y[i]->threads, copies |= !y[i]->threads;
        instructions += 2 * (w->tmem && x->t[0].wgmma ? 1u : 128u / 32) + (by_threads ? 2 * w->threads / 32 + copies : 3);
    }
    uint64_t unit[UNITS] = {over(engine, w->rates.copy), over(instructions, w->rates.issue), over(wavefronts * 128000, w->rates.shared), over(l2 * 1000, w->rates.l2), over(dram * 1000, w->rates.dram), x->cycles, wait};
    o->cycles = 1;
    for (int u = 0; u < UNITS; u++)
        if (unit[u] > o->cycles) o->cycles = unit[u];
    uint64_t ahead = (w->depth ? w->depth : 64) - 1;
    if (over(latency, ahead) > o->cycles) o->cycles = over(latency, ahead);
    memcpy(o->unit, unit, sizeof unit);
    if (smem == UINT64_MAX && o->cycles < latency) o->cycles = latency;
    while ((o->bytes = bytes_at(o, w, y, x->count, ring, rings, o->cycles)) > smem && o->cycles < latency && o->cycles <= worse) o->cycles++;
    o->some = o->bytes <= smem;
    return o->some;
}

static bool better(const world *w, const outcome *a, const outcome *b, bool least)
{
    uint64_t one = a->cycles * w->tile[b->tile].work, other = b->cycles * w->tile[a->tile].work;
    if (!b->some) return true;
    if (!least && one != other) return one < other;
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->mbarriers < b->mbarriers;
}

static way list[TILES][TENSORS][WAYS];
static int listed[TILES][TENSORS];

static void combine(outcome *best, const world *w, uint32_t i, uint32_t barriers, uint64_t smem)
{
    const tile *x = &w->tile[i];
    int total = 1;
    for (uint32_t t = 0; t < x->count; t++) total *= listed[i][t];
    for (int n = 0; n < total; n++) {
        const way *y[TENSORS];
        outcome o = {.tile = i, .barriers = barriers};
        int rest = n;
        for (uint32_t t = x->count; t--; rest /= listed[i][t]) {
            o.way[t] = (uint32_t)(rest % listed[i][t]);
            y[t] = &list[i][t][o.way[t]];
        }
        uint64_t worse = best->some ? best->cycles * x->work / w->tile[best->tile].work + 1 : UINT64_MAX;
        if (reckon(&o, w, x, y, smem, worse) && better(w, &o, best, smem == UINT64_MAX)) *best = o;
    }
}

static outcome brute(const world *w, uint64_t smem)
{
    outcome best = {0};
    for (uint32_t i = 0; i < w->tiles; i++)
        for (uint32_t b = 0; b < 2; b++)
            if (w->barriers == 2 || w->barriers == b) combine(&best, w, i, b, smem);
    return best;
}

/* ---- the library's answer ------------------------------------------------------------------------------------------- */

typedef struct asked {
    zlay_stage_request request;
    zlay_stage_tile tile[TILES];
    zlay_stage_tensor tensor[TILES][TENSORS];
    zlay_stage_access access[TILES][TENSORS][2];
    zlay_layout *made[64];
    int count;
} asked;

static const zlay_layout *strided(zlay_ctx *ctx, asked *a, size_t rank, const int64_t *shape, const int64_t *stride)
{
    assert_int_equal(zlay_layout_new_strided(ctx, &a->made[a->count], rank, shape, stride, 0), ZLAY_OK);
    return a->made[a->count++];
}

static void ask_tensor(zlay_ctx *ctx, asked *a, uint32_t i, uint32_t n, const tensor *t, bool tmem)
{
    static const char *const names[] = {"A", "B", "X"};
    static const int32_t types[] = {0, ZLAY_TYPE_U8, ZLAY_TYPE_BF16, 0, ZLAY_TYPE_F32};
    int64_t columns = t->columns, sl = t->mode ? 1 : columns, sc = t->mode ? (int64_t)t->lines : 1;
    int64_t wide = wide_of(t), high = (int64_t)t->lines * 4, pitch = t->pitch;
    int64_t shape[2] = {t->mode ? high : wide, t->mode ? wide : high}, stride[2] = {t->mode ? pitch : 1, t->mode ? 1 : pitch};
    a->tensor[i][n] = (zlay_stage_tensor){.name = names[n], .type = types[t->elem], .from_dram = t->dram, .source = strided(ctx, a, 2, shape, stride), .align = t->align, .shared = t->shared, .primitives = t->allowed,
                                          .shape = {t->mode ? t->lines : t->columns, t->mode ? t->columns : t->lines}, .count = t->wgmma ? 1 : t->accesses, .accesses = a->access[i][n]};
    a->access[i][n][0] = (zlay_stage_access){.access = tmem ? ZLAY_STAGE_TCGEN05 : ZLAY_STAGE_WGMMA};
    for (uint32_t k = 0; k < t->accesses; k++) {
        const lanes_access *x = &t->access[k];
        int64_t modes[] = {x->q, 32 / x->q, readers[x->by].bytes / t->elem, x->instances}, steps[] = {sl, x->step * sc, sc, x->q * sl};
        a->access[i][n][k] = (zlay_stage_access){number_of(readers[x->by].name), x->times, strided(ctx, a, 4, modes, steps)};
    }
}

static void ask(zlay_ctx *ctx, asked *a, const world *w)
{
    memset(a, 0, sizeof *a);
    a->request = (zlay_stage_request){.size = sizeof a->request, .count = w->tiles, .tiles = a->tile, .smem = w->smem, .threads = w->threads, .registers = w->registers, .cluster = w->cluster, .depth = w->depth,
                                      .barriers_fixed = w->barriers < 2, .barriers = w->barriers < 2 ? (int32_t)w->barriers : 0, .rates = w->rates};
    for (uint32_t i = 0; i < w->tiles; i++) {
        a->tile[i] = (zlay_stage_tile){w->tile[i].work, w->tile[i].cycles, w->tile[i].count, 0, a->tensor[i]};
        for (uint32_t n = 0; n < w->tile[i].count; n++) ask_tensor(ctx, a, i, n, &w->tile[i].t[n], w->tmem);
    }
}

static void same_layout(const tensor *t, const place *p, const zlay_layout *layout)
{
    uint64_t wide = t->mode ? t->lines : p->family == ZLAY_STAGE_SPANS ? p->span * p->cuts / t->elem : t->columns;
    for (uint32_t line = 0; line < t->lines; line++)
        for (uint32_t c = 0; c < t->columns; c++) {
            int64_t value;
            assert_int_equal(zlay_layout_eval(&value, 1, layout, t->mode ? line + wide * c : c + wide * line), ZLAY_OK);
            assert_int_equal(value * t->elem, offset_of(t, p, line, c * t->elem));
        }
}

static void show(const world *w, const outcome *o, const zlay_stage *s)
{
    zlay_stage_summary info;
    zlay_stage_info(&info, s);
    printf("tiles %u threads %u registers %u cluster %u depth %u smem %llu\n", w->tiles, w->threads, w->registers, w->cluster, w->depth, (unsigned long long)w->smem);
    printf("brute: tile %u barriers %u cycles %llu bytes %llu\nzlay: tile %u barriers %d cycles %llu bytes %llu\n", o->tile, o->barriers, (unsigned long long)o->cycles, (unsigned long long)o->bytes, info.tile, (int)info.barriers, (unsigned long long)info.cycles, (unsigned long long)info.bytes);
    for (uint32_t i = 0; i < w->tile[info.tile].count; i++) {
        const tensor *t = &w->tile[info.tile].t[i];
        zlay_stage_choice c;
        zlay_stage_choice_nth(&c, s, i);
        printf("zlay: elem %u columns %u lines %u mode %u pitch %u align %u shared %u dram %u wgmma %u: layout %d pad %u swizzle %d bits %u shift %u kind %d width %u blocks %u depth %u expect %u reads %llu writes %llu l2 %llu copies %u\n", t->elem, t->columns, t->lines, t->mode, t->pitch,
               t->align, t->shared, t->dram, t->wgmma, c.layout, c.pad, c.swizzle, c.bits, c.shift, c.kind, c.width, c.multicast, c.depth, c.expect, (unsigned long long)c.reads, (unsigned long long)c.writes, (unsigned long long)c.global, c.copies);
    }
    for (uint32_t i = 0; i < w->tile[o->tile].count; i++) {
        const way *y = &list[o->tile][i][o->way[i]];
        printf("brute: layout %d pad %u swizzle %d bits %u shift %u kind %d width %u blocks %u depth %u expect %u reads %llu writes %llu l2 %llu copies %llu\n", y->p.family, y->p.pad, y->p.swizzle, y->p.bits, y->p.shift, y->kind, y->width, y->blocks, o->depth[i], y->expect,
               (unsigned long long)y->reads, (unsigned long long)y->writes, (unsigned long long)y->l2, (unsigned long long)y->copies);
    }
}

static void same(zlay_ctx *ctx, const world *w, const outcome *o, const zlay_stage *s, bool pipe)
{
    zlay_stage_summary info;
    assert_int_equal(zlay_stage_info(&info, s), ZLAY_OK);
    if (info.cycles * w->tile[o->tile].work != o->cycles * w->tile[info.tile].work || info.bytes != o->bytes || info.mbarriers != o->mbarriers) show(w, o, s);
    assert_int_equal(info.cycles * w->tile[o->tile].work, o->cycles * w->tile[info.tile].work);
    assert_int_equal(info.bytes, o->bytes);
    assert_int_equal(info.mbarriers, o->mbarriers);
    assert_int_equal(info.tile, o->tile);
    assert_int_equal(info.barriers, o->barriers);
    assert_memory_equal(info.unit, o->unit, sizeof o->unit);
    assert_true(info.optimal && (!info.in_turn || info.cycles * info.in_turn_work <= info.in_turn * w->tile[info.tile].work));
    for (uint32_t i = 0; i < w->tile[o->tile].count; i++) {
        const way *y = &list[o->tile][i][o->way[i]];
        zlay_stage_choice c;
        assert_int_equal(zlay_stage_choice_nth(&c, s, i), ZLAY_OK);
        assert_int_equal(c.layout, y->p.family);
        assert_int_equal(c.kind, y->kind);
        assert_int_equal(c.width, y->width);
        assert_int_equal(c.multicast, y->blocks);
        assert_int_equal(c.expect, y->expect);
        assert_int_equal(c.buffer, y->buffer);
        assert_int_equal(c.depth, o->depth[i]);
        assert_int_equal(c.reads, y->reads);
        assert_int_equal(c.writes, y->writes);
        assert_int_equal(c.global, y->l2);
        same_layout(&w->tile[o->tile].t[i], &y->p, zlay_stage_layout(s, i));
    }
    if (!pipe) return;
    zlay_answer answer;
    size_t count;
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, NULL, zlay_stage_pipe(s)), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
}

/* NONE names the least capacity where every tile has a way for each tensor. */
static void none_is_so(zlay_ctx *ctx, const world *w)
{
    outcome least = brute(w, UINT64_MAX);
    char text[64];
    snprintf(text, sizeof text, "is %llu bytes", (unsigned long long)least.bytes);
    if (least.some && !strstr(zlay_ctx_message(ctx), text)) fail_msg("%s: not %s", zlay_ctx_message(ctx), text);
    if (!least.some && strstr(zlay_ctx_message(ctx), "least")) fail_msg("%s", zlay_ctx_message(ctx));
}

/* ---- the cases --------------------------------------------------------------------------------------------------------- */

static void check_random(void **state)
{
    uint64_t seed = test_seed("refute/stage"), cases = test_cases(CASES), fits = 0, none = 0, strict = 0, sums = 0;
    zlay_ctx *ctx;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (uint64_t n = 0; n < cases; n++) {
        uint64_t at = test_case(seed, n);
        static world w;
        static asked a;
        zlay_stage *s = NULL;
        draw(&at, &w);
        ask(ctx, &a, &w);
        zlay_status status = zlay_stage_synth(ctx, &s, target_of(w.tmem ? "sm_100a" : "sm_90a"), &a.request);
        for (uint32_t i = 0; i < w.tiles; i++)
            for (uint32_t t = 0; t < w.tile[i].count; t++) listed[i][t] = ways_of(list[i][t], &w, &w.tile[i], &w.tile[i].t[t]);
        outcome best = brute(&w, w.smem);
        if (status != (best.some ? ZLAY_OK : ZLAY_NONE)) fail_msg("case %llu: %s: %s", (unsigned long long)n, zlay_status_name(status), zlay_ctx_message(ctx));
        if (best.some) {
            zlay_stage_summary info;
            same(ctx, &w, &best, s, n % PIPES_EVERY == 0);
            zlay_stage_info(&info, s);
            strict += info.in_turn && info.cycles * info.in_turn_work < info.in_turn * w.tile[info.tile].work;
            sums += w.tmem && w.tile[info.tile].t[0].wgmma;
            fits++;
        } else {
            none_is_so(ctx, &w);
            none++;
        }
        zlay_stage_free(s);
        while (a.count) zlay_layout_free(a.made[--a.count]);
    }
    printf("%llu answers, %llu of them better than in turn, %llu of tcgen05, %llu none\n", (unsigned long long)fits, (unsigned long long)strict, (unsigned long long)sums, (unsigned long long)none);
    assert_true(fits && none && strict && sums);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(check_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
