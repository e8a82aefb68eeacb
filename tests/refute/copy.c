/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute copy.synth: tiles of any shape up to 1,100 points between layouts of every kind (strided with holes, turned and
 * overlapping, swizzled, f2, guarded pieces), offsets up to the ends of 64 bits, elements of 1 to 128 bits, any alignment, number of
 * threads, path and target.  The test knows each point's two offsets from the drawn numbers, runs the plan access by access, and holds
 * counts, cost, `bound` and `optimal` against plans of its own: every width in four orders of the points.  NONE is refuted where the
 * points fall into aligned groups that accesses of that path hold, and an error where the request is sound.  Fragments, names and
 * tensors have tests of their own.  10^4 cases, 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "tiles/bank.h"
#include "tiles/copy_check.h"

enum { CASES = 10000, POINTS = 1100, RANK = 3, RIVALS = 4, G = ZLAY_MOVE_GLOBAL, S = ZLAY_MOVE_SHARED, P = ZLAY_MOVE_PEER };

typedef struct point {
    int64_t at[2];
    int index;
} point;

/* A request, and what the test knows of it. */
typedef struct problem {
    int size;
    int64_t shape[RANK], value[2][POINTS];
    bool there[2][POINTS];
    char text[2][600];
    const char *target;
    zlay_copy_request r;
    bool beyond; /* an offset does not fit 64 bits */
    int count; /* of points that both sides have */
    point points[POINTS];
} problem;

/* ---- drawn ----------------------------------------------------------------------------------------------------- */

static void draw_shape(uint64_t *s, problem *p)
{
    static const int64_t lines[] = {16, 31, 32, 33, 64, 96, 100, 127, 128, 129, 256, 1000};
    p->size = 1;
    for (int i = 0; i < RANK; i++) {
        int64_t most = POINTS / p->size;
        p->shape[i] = test_range(s, 0, 11) ? test_range(s, 1, 12) : lines[test_range(s, 0, 11)];
        if (i && !test_range(s, 0, 2)) p->shape[i] = 1;
        if (p->shape[i] > most) p->shape[i] = most;
        p->size *= (int)p->shape[i];
    }
}

static int64_t swizzle(int b, int m, int w, int64_t v)
{
    for (int i = 0; i < b; i++) {
        int from = m + i + (w > 0 ? w : 0), to = m + i - (w < 0 ? w : 0);
        if (v >> from & 1) v ^= (int64_t)1 << to;
    }
    return v;
}

/* Compact in some order with holes, or any steps; the modes of one side may stand in another order. */
static void draw_strided(uint64_t *s, problem *p, int side, bool any, bool turn, bool swizzled)
{
    int64_t shape[RANK], step[RANK], next = 1, start = test_range(s, 0, 2) ? 0 : test_range(s, 0, 40), far = 0;
    int order[RANK] = {0, 1, 2}, b = (int)test_range(s, 1, 3), m = (int)test_range(s, 0, 5), w = (int)test_range(s, b, 4);
    memcpy(shape, p->shape, sizeof shape);
    if (turn) shape[0] = p->shape[2], shape[2] = p->shape[0];
    test_shuffle(s, order, test_range(s, 0, 1) ? RANK : 1);
    for (int i = 0; i < RANK; i++) {
        int64_t grain = (int64_t)1 << test_range(s, 0, 5);
        step[order[i]] = any ? test_range(s, 0, 40) : next;
        next *= shape[order[i]];
        if (!test_range(s, 0, 2)) next = test_range(s, 0, 1) ? next + test_range(s, 0, 5) : (next + grain - 1) / grain * grain;
    }
    for (int i = 0; i < RANK && !swizzled; i++) {
        if (test_range(s, 0, 11)) continue;
        start += (shape[i] - 1) * step[i];
        step[i] = -step[i];
    }
    for (int i = 0; i < RANK; i++) far += (shape[i] - 1) * (step[i] < 0 ? -step[i] : step[i]);
    if (!swizzled && (side ? p->r.dest.space : p->r.source.space) == G && !test_range(s, 0, 15))
        start = test_range(s, 0, 1) ? INT64_MIN / p->r.elem_bits + test_range(s, 0, far + 200) : INT64_MAX / p->r.elem_bits - test_range(s, 0, far + 200);
    if (!test_range(s, 0, 1)) w = -w;
    if (!swizzled) b = 0;
    for (int i = 0; i < p->size; i++) {
        int64_t left = i, v = start;
        for (int k = 0; k < RANK; left /= shape[k++])
            if (__builtin_add_overflow(v, left % shape[k] * step[k], &v)) p->beyond = true;
        p->value[side][i] = swizzle(b, m, w, v);
    }
    char *at = p->text[side];
    if (b) at += sprintf(at, "Sw<%d,%d,%d> o ", b, m, w);
    sprintf(at, "%lld o (%lld,%lld,%lld):(%lld,%lld,%lld)", (long long)start, (long long)shape[0], (long long)shape[1], (long long)shape[2], (long long)step[0],
            (long long)step[1], (long long)step[2]);
}

/* Shears of a permutation of bits, or any bits, which may meet. */
static void draw_f2(uint64_t *s, problem *p, int side)
{
    int bits = 0, order[11];
    int64_t basis[11];
    bool any = !test_range(s, 0, 5);
    while (1 << bits < p->size) bits++;
    for (int i = 0; i < bits; i++) order[i] = i;
    test_shuffle(s, order + (bits > 3 ? 3 : 0), bits > 3 ? bits - 3 : 0);
    for (int i = 0; i < bits; i++) basis[i] = any ? test_range(s, 0, p->size - 1) : (int64_t)1 << order[i];
    for (int n = any || bits < 2 ? 0 : (int)test_range(s, 0, 8); n > 0; n--) {
        int i = (int)test_range(s, 0, bits - 1), j = (int)test_range(s, 0, bits - 1);
        if (i != j) basis[i] ^= basis[j];
    }
    char *at = p->text[side] + sprintf(p->text[side], "f2{i:");
    for (int i = 0; i < bits; i++) at += sprintf(at, " (%lld)", (long long)basis[i]);
    sprintf(at, " -> o: %d}", p->size);
    for (int i = 0; i < p->size; i++) {
        p->value[side][i] = 0;
        for (int b = 0; b < bits; b++) p->value[side][i] ^= i >> b & 1 ? basis[b] : 0;
    }
}

/* a i + b floor(i / q) + o where a guard holds; its hull is the whole box. */
static void draw_guarded(uint64_t *s, problem *p, int side)
{
    int64_t q = test_range(s, 1, 40), a = test_range(s, 0, 7) ? 1 : test_range(s, 0, 3), b = test_range(s, 0, 24), o = test_range(s, 0, 2) ? 0 : test_range(s, 0, 17);
    int64_t m = test_range(s, 3, 9), hole = test_range(s, 0, 2) ? 1 : 0, last = p->size - 1;
    for (int64_t i = 0; i < p->size; i++) {
        p->value[side][i] = a * i + b * (i / q) + o;
        p->there[side][i] = !hole || i % m != 1 || i == last;
    }
    char *at = p->text[side] + sprintf(p->text[side], "{ [i] -> [%lld*i + %lld*floor(i/%lld) + %lld] : 0 <= i < %d", (long long)a, (long long)b, (long long)q,
                                       (long long)o, p->size);
    if (hole) at += sprintf(at, " and (i mod %lld != 1 or i = %lld)", (long long)m, (long long)last);
    sprintf(at, " }");
}

static void draw_side(uint64_t *s, problem *p, int side)
{
    int kind = (int)test_range(s, 0, 9);
    for (int i = 0; i < p->size; i++) p->there[side][i] = true;
    if (kind == 9 && !(p->size & (p->size - 1))) draw_f2(s, p, side);
    else if (kind == 8) draw_guarded(s, p, side);
    else draw_strided(s, p, side, !test_range(s, 0, side ? 30 : 9), !test_range(s, 0, 7), kind > 5);
}

static void draw_problem(uint64_t *s, problem *p)
{
    static const char *const targets[] = {"sm_90a", "sm_90a", "sm_90a", "sm_80", "sm_100a", "gfx90a", "gfx942", "gfx950", "gfx1250"};
    static const int32_t spaces[][2] = {{G, S}, {S, G}, {G, G}, {S, S}, {S, P}};
    static const int32_t paths[] = {ZLAY_PATH_BULK, ZLAY_PATH_CP_ASYNC, ZLAY_PATH_THREADS, ZLAY_PATH_REALIGN, ZLAY_PATH_STORE_ASYNC};
    static const uint32_t threads[] = {0, 0, 1, 7, 20, 32, 33, 64, 96, 100, 128, 256, 1000};
    int spot = (int)test_range(s, 0, 4);
    p->target = targets[test_range(s, 0, spot == 4 ? 2 : 8)];
    p->r = (zlay_copy_request){.size = sizeof p->r, .elem_bits = test_range(s, 0, 2) ? 8u << test_range(s, 0, 3) : 1u << test_range(s, 0, 7)};
    p->r.threads = threads[test_range(s, 0, 12)];
    if (!test_range(s, 0, 2)) p->r.path = paths[test_range(s, 0, spot == 4 ? 4 : 3)];
    for (int side = 0; side < 2; side++) {
        zlay_copy_side *x = side ? &p->r.dest : &p->r.source;
        uint64_t least = p->r.elem_bits < 8 ? 1 : p->r.elem_bits / 8;
        x->space = spaces[spot][side];
        x->align = test_range(s, 0, 2) ? 128 : least << test_range(s, 0, 4);
    }
    if (spot == 4) p->r.signal = p->r.path == ZLAY_PATH_STORE_ASYNC || !test_range(s, 0, 2);
    p->beyond = false;
    draw_shape(s, p);
    draw_side(s, p, 0);
    draw_side(s, p, 1);
    p->count = 0;
    for (int i = 0; i < p->size; i++)
        if (p->there[0][i] && p->there[1][i]) p->points[p->count++] = (point){{p->value[0][i], p->value[1][i]}, i};
}

static void refuted(const problem *p, const char *what, uint64_t got, uint64_t said)
{
    fail_msg("%s: %s -> %s, %u bits, %s, spaces %d %d, align %llu %llu, threads %u, path %d, signal %u: %s is %llu, said %llu", p->target, p->text[0], p->text[1],
             p->r.elem_bits, p->target, p->r.source.space, p->r.dest.space, (unsigned long long)p->r.source.align, (unsigned long long)p->r.dest.align, p->r.threads,
             p->r.path, p->r.signal, what, (unsigned long long)got, (unsigned long long)said);
}

/* ---- the plan run ---------------------------------------------------------------------------------------------- */

static int side_sorted;

static int by_side(const void *a, const void *b)
{
    const point *x = a, *y = b;
    if (x->at[side_sorted] != y->at[side_sorted]) return x->at[side_sorted] < y->at[side_sorted] ? -1 : 1;
    return x->index - y->index;
}

static void sort(point *list, int count, int side)
{
    side_sorted = side;
    qsort(list, (size_t)count, sizeof *list, by_side);
}

/* The point whose destination is an offset; -1: none. */
static int point_at(const point *by_dest, int count, int64_t offset)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (by_dest[middle].at[1] < offset) low = middle + 1;
        else high = middle;
    }
    return low < count && by_dest[low].at[1] == offset ? low : -1;
}

/* Offsets of value v of access a of thread t; false: none. */
static bool element(const problem *p, const zlay_move *move, const seen_part *x, const zlay_move_swizzle s[2], uint64_t v, uint64_t t, uint64_t a, int64_t at[2])
{
    int64_t index;
    if (x->part.combine == 2) {
        zlay_status status = zlay_layout_eval(&index, 1, zlay_move_threads(move, x->number), v + x->values * (t + x->part.threads * a));
        for (int side = 0; side < 2 && !status; side++) at[side] = p->value[side][index];
        return !status;
    }
    if (!place_of(x, v, t, a, at)) return false;
    for (int side = 0; side < 2; side++) at[side] = swizzle_by(s[side], at[side]);
    return true;
}

/* One block of a thread: whole aligned accesses on both sides, every element to where it belongs, for the first time. */
static void run_block(const problem *p, const asked *q, const seen_part *x, int64_t at[2][BLOCK_MOST], const point *by_dest, bool *done)
{
    static vectors list;
    for (int side = 0; side < 2; side++) vectors_of(q, x, side, at[side], &list);
    for (uint64_t v = 0; v < x->values; v++) {
        int i = point_at(by_dest, p->count, at[1][v]);
        if (i < 0 || done[i]) refuted(p, "writes to a destination", i < 0 ? 0 : 2, 1);
        if (by_dest[i].at[0] != at[0][v]) refuted(p, "the source", (uint64_t)by_dest[i].at[0], (uint64_t)at[0][v]);
        done[i] = true;
    }
}

static void run_plan(uint64_t *seed, const problem *p, const zlay_move *move, const zlay_move_summary *info, const point *by_dest)
{
    static int64_t at[2][BLOCK_MOST];
    bool done[POINTS] = {false};
    zlay_move_swizzle s[2];
    asked q = {.target = target_of(p->target), .bits = p->r.elem_bits, .space = {p->r.source.space, p->r.dest.space}};
    for (int side = 0; side < 2; side++) {
        q.base[side] = (side ? p->r.dest : p->r.source).align * (2 * (uint64_t)test_range(seed, 0, 99) + 1);
        assert_int_equal(zlay_move_swizzle_info(&s[side], move, side), ZLAY_OK);
    }
    for (uint32_t i = 0; i < info->parts; i++) {
        seen_part x = part_of(move, i);
        if (p->r.threads && x.part.threads > p->r.threads) refuted(p, "threads", x.part.threads, p->r.threads);
        for (uint64_t a = 0; a < x.part.accesses; a++)
            for (uint64_t t = 0; t < x.part.threads; t++) {
                uint64_t there = 0;
                for (uint64_t v = 0; v < x.values; v++) {
                    int64_t two[2];
                    if (!element(p, move, &x, s, v, t, a, two)) continue;
                    at[0][v] = two[0], at[1][v] = two[1];
                    there++;
                }
                if (there && there < x.values) refuted(p, "values of an access", there, x.values);
                if (there) run_block(p, &q, &x, at, by_dest, done);
            }
    }
    for (int i = 0; i < p->count; i++)
        if (!done[i]) refuted(p, "an element", (uint64_t)by_dest[i].index, 0);
}

/* ---- rivals ---------------------------------------------------------------------------------------------------- */

static const served loads[] = {{"", "", "0-31", 1, 32, 'w'}, {"", "", "0-31", 2, 32, 'w'}, {"", "", "0-31", 4, 32, 'w'}, {"", "", "0-15 | 16-31", 8, 32, 'p'},
                               {"", "", "0-7 | 8-15 | 16-23 | 24-31", 16, 32, 'p'}};

/* What one access of up to 32 lanes takes; two of each lane's bytes are one word or none. */
static uint64_t access_cost(const problem *p, int side, bool async, const int64_t *at, int lanes, uint32_t bytes, uint32_t log)
{
    uint64_t cost = side && async ? 0 : 2, sector[32], seen = 0;
    uint32_t address[32];
    served row = loads[log];
    if ((side ? p->r.dest.space : p->r.source.space) == G) {
        for (int l = 0; l < lanes; l++) {
            uint64_t one = (uint64_t)at[l] * p->r.elem_bits / 8 / 32, i = 0;
            while (i < seen && sector[i] != one) i++;
            if (i == seen) sector[seen++] = one;
        }
        return cost + 3 * seen;
    }
    for (int l = 0; l < 32; l++) address[l] = l < lanes ? (uint32_t)((uint64_t)at[l] * p->r.elem_bits / 8) : UINT32_MAX;
    row.bytes = bytes;
    if (side) row.rule = async ? 'l' : 'w';
    return cost + 2 * counted(&row, address, 32);
}

/* Points in the order of a side as groups of v that lie behind each other there, aligned; of the other side in groups of u. */
static bool in_groups(const problem *p, const point *list, int side, int v, int u)
{
    if (p->count % v) return false;
    for (int i = 0; i < p->count; i++) {
        const point *first = &list[i / v * v], *part = &list[i / u * u];
        if (list[i].at[side] != first->at[side] + i % v || first->at[side] % v) return false;
        if (list[i].at[!side] != part->at[!side] + i % u || part->at[!side] % u) return false;
    }
    return true;
}

/* Blocks of `wide` elements in some order, as many lanes at once as there may be. */
static uint64_t order_cost(const problem *p, const point *list, const int *order, const uint32_t log[2], bool async, int lanes)
{
    uint64_t cost = 0;
    int v[2] = {(int)((8u << log[0]) / p->r.elem_bits), (int)((8u << log[1]) / p->r.elem_bits)}, wide = v[0] > v[1] ? v[0] : v[1], blocks = p->count / wide;
    for (int first = 0; first < blocks; first += lanes)
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < wide / v[side]; k++) {
                int64_t at[32];
                int count = blocks - first < lanes ? blocks - first : lanes;
                for (int l = 0; l < count; l++) at[l] = list[order[first + l] * wide + k * v[side]].at[side];
                cost += access_cost(p, side, async, at, count, 1u << log[side], log[side]);
            }
    return cost;
}

static uint64_t rivals;

/* The least of four orders of the blocks: as they lie on either side, by steps, and any. */
static uint64_t rival_cost(uint64_t *seed, const problem *p, const uint32_t log[2], bool async)
{
    static point list[POINTS], other[POINTS];
    int order[POINTS], v[2] = {(int)((8u << log[0]) / p->r.elem_bits), (int)((8u << log[1]) / p->r.elem_bits)}, side = v[1] >= v[0], wide = v[side];
    int lanes = !p->r.threads || p->r.threads > 32 ? 32 : (int)p->r.threads;
    uint64_t best = UINT64_MAX;
    memcpy(list, p->points, (size_t)p->count * sizeof *list);
    sort(list, p->count, side);
    if (!in_groups(p, list, side, wide, v[!side])) return best;
    for (int n = 0; n < RIVALS; n++) {
        int blocks = p->count / wide, step = (int)test_range(seed, 1, 8), next = 0;
        for (int i = 0; i < blocks; i++) order[i] = i;
        if (n == 1) test_shuffle(seed, order, blocks);
        for (int k = 0; n == 2 && k < step; k++)
            for (int i = k; i < blocks; i += step) order[next++] = i;
        if (n == 3) {
            for (int i = 0; i < blocks; i++) other[i] = list[i * wide], other[i].index = i;
            sort(other, blocks, !side);
            for (int i = 0; i < blocks; i++) order[i] = other[i].index;
        }
        uint64_t cost = order_cost(p, list, order, log, async, lanes);
        if (cost < best) best = cost;
        rivals++;
    }
    return best;
}

static void try_rivals(uint64_t *seed, const problem *p, const zlay_move_summary *info)
{
    int32_t path = p->r.path;
    for (uint32_t i = 0; i < 25; i++) {
        uint32_t log[2] = {i % 5, i / 5};
        bool fits = log[0] == log[1] || (log[0] > 1 && log[1] > 1);
        for (int side = 0; side < 2; side++) {
            uint64_t align = (side ? p->r.dest : p->r.source).align;
            fits = fits && 8u << log[side] >= p->r.elem_bits && align % (1u << log[side]) == 0;
        }
        for (int async = 0; async < 2 && fits; async++) {
            bool may = async ? p->r.source.space == G && p->r.dest.space == S && log[0] == log[1] && log[0] > 1 && path != ZLAY_PATH_THREADS
                             : path != ZLAY_PATH_CP_ASYNC;
            if (!may) continue;
            uint64_t cost = rival_cost(seed, p, log, async);
            if (cost < info->bound) refuted(p, "below the bound", cost, info->bound);
            if (info->optimal && cost < info->cost) refuted(p, "better than optimal", cost, info->cost);
        }
    }
}

/* ---- none, errors ---------------------------------------------------------------------------------------------- */

/* Every point is in a group of so many bytes, aligned on both sides. */
static bool held(const problem *p, const point *by_dest, uint32_t bytes)
{
    int v = (int)(bytes * 8 / p->r.elem_bits);
    if (p->r.source.align % bytes || p->r.dest.align % bytes) return false;
    return v < 2 || in_groups(p, by_dest, 1, v, v);
}

static bool a_plan_exists(const problem *p, const point *by_dest)
{
    bool sm_90 = !strcmp(p->target, "sm_90a") || !strcmp(p->target, "sm_100a"), sm = p->target[0] == 's';
    int32_t path = p->r.signal && !p->r.path ? ZLAY_PATH_STORE_ASYNC : p->r.path, from = p->r.source.space, to = p->r.dest.space;
    switch (path) {
    case 0:
    case ZLAY_PATH_THREADS: return held(p, by_dest, 1) && !p->r.signal;
    case ZLAY_PATH_CP_ASYNC: return sm && from == G && to == S && held(p, by_dest, 4);
    case ZLAY_PATH_BULK: return sm_90 && from + to != 2 * G && from + to != 2 * S && held(p, by_dest, 16);
    case ZLAY_PATH_STORE_ASYNC: return sm_90 && to == P && held(p, by_dest, 4);
    default: return false;
    }
}

static bool shared(int32_t space) { return space != G; }

/* EINVAL, EOVERFLOW or NONE of a request whatever the plan. */
static zlay_status must_be(const problem *p, const point *by_dest, bool all_distinct)
{
    if (!p->count || !all_distinct) return ZLAY_EINVAL;
    for (int side = 0; side < 2; side++) {
        static point list[POINTS];
        int64_t bits;
        int32_t space = side ? p->r.dest.space : p->r.source.space;
        memcpy(list, by_dest, (size_t)p->count * sizeof *list);
        sort(list, p->count, side);
        int64_t least = list[0].at[side], most = list[p->count - 1].at[side];
        if (__builtin_mul_overflow(least, (int64_t)p->r.elem_bits, &bits) || __builtin_mul_overflow(most, (int64_t)p->r.elem_bits, &bits)) return ZLAY_EOVERFLOW;
        if (shared(space) && least < 0) return ZLAY_EINVAL;
        if (shared(space) && ((uint64_t)(most + 1) * p->r.elem_bits + 7) / 8 > zlay_smem_capacity(target_of(p->target))) return ZLAY_NONE;
    }
    return ZLAY_OK;
}

static bool dest_distinct(const problem *p)
{
    static point list[POINTS];
    int count = 0;
    for (int i = 0; i < p->size; i++)
        if (p->there[1][i]) list[count++] = (point){{0, p->value[1][i]}, i};
    sort(list, count, 1);
    for (int i = 1; i < count; i++)
        if (list[i].at[1] == list[i - 1].at[1]) return false;
    return true;
}

/* ---- one case -------------------------------------------------------------------------------------------------- */

static uint64_t plans, none, optimal, errors;

static uint64_t price(const zlay_move *move, uint32_t parts)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < parts; i++) {
        seen_part x = part_of(move, i);
        bool bulk = is_bulk(&x);
        sum += (bulk ? 32 : 2) * x.part.instructions + 3 * x.part.sectors + (bulk ? 0 : 2) * (x.part.wavefronts_load + x.part.wavefronts_store) + x.part.permutes;
    }
    return sum;
}

static bool has_bulk(const zlay_move *move, uint32_t parts)
{
    bool bulk = false;
    for (uint32_t i = 0; i < parts; i++) {
        seen_part x = part_of(move, i);
        bulk |= is_bulk(&x);
    }
    return bulk;
}

static void check_plan(uint64_t *seed, const problem *p, const zlay_move *move, const point *by_dest)
{
    zlay_move_summary info;
    assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
    run_plan(seed, p, move, &info, by_dest);
    asked q = {.target = target_of(p->target), .bits = p->r.elem_bits, .space = {p->r.source.space, p->r.dest.space}, .layout = {p->r.source.layout, p->r.dest.layout}};
    check_counts(&q, move);
    if (price(move, info.parts) != info.cost) refuted(p, "the cost", price(move, info.parts), info.cost);
    if (info.path == ZLAY_PATH_BULK && !p->r.path && !has_bulk(move, info.parts)) refuted(p, "bulk copies of a bulk path", 0, 1);
    if (info.bound > info.cost || info.optimal != (info.bound == info.cost)) refuted(p, "the bound", info.bound, info.cost);
    if (!strcmp(p->target, "sm_90a") && !p->r.signal && p->r.path != ZLAY_PATH_BULK && p->r.path != ZLAY_PATH_REALIGN && p->r.dest.space != P)
        try_rivals(seed, p, &info);
    optimal += info.optimal;
}

static void one_case(zlay_ctx *ctx, uint64_t *seed, problem *p)
{
    static point by_dest[POINTS];
    zlay_move *move = NULL;
    do draw_problem(seed, p);
    while (p->beyond);
    memcpy(by_dest, p->points, (size_t)p->count * sizeof *by_dest);
    sort(by_dest, p->count, 1);
    zlay_layout *from = read_layout(ctx, p->text[0]), *to = read_layout(ctx, p->text[1]);
    p->r.source.layout = from;
    p->r.dest.layout = to;
    zlay_status status = zlay_copy_synth(ctx, &move, target_of(p->target), &p->r), must = must_be(p, by_dest, dest_distinct(p));
    if (must) {
        if (status != must) refuted(p, zlay_ctx_message(ctx), (uint64_t)must, (uint64_t)status);
        errors++;
    } else if (status == ZLAY_OK) check_plan(seed, p, move, by_dest), plans++;
    else if (status != ZLAY_NONE || a_plan_exists(p, by_dest)) refuted(p, zlay_ctx_message(ctx), ZLAY_OK, (uint64_t)status);
    else none++;
    zlay_move_free(move);
    zlay_layout_free(from);
    zlay_layout_free(to);
}

static void nothing_refutes(void **state)
{
    static problem p;
    uint64_t seed = test_seed("refute/copy"), cases = test_cases(CASES);
    for (uint64_t n = 0; n < cases; n++) one_case(*state, &seed, &p);
    printf("%llu requests: %llu plans, %llu of them optimal against %llu rivals, %llu none, %llu that overlap or do not fit\n", (unsigned long long)cases,
           (unsigned long long)plans, (unsigned long long)optimal, (unsigned long long)rivals, (unsigned long long)none, (unsigned long long)errors);
    assert_true(plans * 3 > cases && none * 20 > cases && optimal * 10 > cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_refutes)};
    return cmocka_run_group_tests(tests, begin, end);
}
