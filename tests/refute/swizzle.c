/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute swizzle.synth: tiles of any size up to 12 x 12, lines of 96, 100, 127 to 129, 1000, accesses with holes, shared
 * elements and broken orders, whose elements the test computes from the drawn numbers.  Wavefronts are counted from the answer's
 * values by the plain counter of bank.h.  A layout that is not injective, tears a vector, or takes another number refutes; so does any
 * XOR, padding, skew or random order of units with fewer wavefronts than one that is said to be optimal, and vectors that do fit where
 * NONE was said.  Then worlds of nine units in eight places, every placement tried.  10^4 cases, 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "tiles/bank.h"

enum { CASES = 10000, TILE = 1100, ACCESSES = 3, INSTANCES = 3, VECTOR = 16, LANES = 64, RIVALS = 12, WORLD_EVERY = 200, UNITS = 9, ROOM = 1 << 18 };

static const served served_by[] = {
    {"sm_90", "ld.shared.b8", "0-31", 1, 32, 'w'},          {"sm_90", "ld.shared.b16", "0-31", 2, 32, 'w'},
    {"sm_90", "ld.shared.b32", "0-31", 4, 32, 'w'},         {"sm_90", "ld.shared.b64", "0-15 | 16-31", 8, 32, 'p'},
    {"sm_90", "ld.shared.b128", "0-7 | 8-15 | 16-23 | 24-31", 16, 32, 'p'}, {"sm_90", "st.shared.b64", "0-15 | 16-31", 8, 32, 'w'},
    {"sm_90", "st.shared.b32", "0-31", 4, 32, 'w'},         {"gfx942", "ds_read_b128", "0-3,20-23 | 4-7,16-19 | 8-11,28-31 | 12-15,24-27", 16, 32, 'w'},
};
enum { NVIDIA = 7, AMD = 1 };

/* index[instance][element][lane]; -1: none */
typedef struct access {
    const served *by;
    int lanes, elements, instances;
    int index[INSTANCES][VECTOR][LANES];
    char text[400]; /* "": q, weight and guard say it */
    int64_t q, weight[4], start;
    char guard[200];
} access;

typedef struct problem {
    uint64_t shape[3];
    int rank, size, bits, count;
    access at[ACCESSES];
} problem;

/* ---- drawn ---------------------------------------------------------------------------------------------------- */

static void draw_shape(uint64_t *seed, problem *p)
{
    static const uint64_t lines[] = {96, 100, 127, 128, 129, 1000};
    p->rank = (int)test_range(seed, 1, 3);
    p->size = 1;
    for (int i = 0; i < p->rank; i++) {
        uint64_t most = (uint64_t)TILE / (uint64_t)p->size;
        p->shape[i] = (uint64_t)test_range(seed, 1, 12);
        if (!test_range(seed, 0, 9)) p->shape[i] = lines[test_range(seed, 0, 5)];
        if (p->shape[i] > most) p->shape[i] = most;
        p->size *= (int)p->shape[i];
    }
}

/* Lane l, element e, instance n has a (l mod q) + b floor(l / q) + d e + c n + o, where the last of its elements is in the tile and
 * the lane is below `upto`. */
static bool draw_access(uint64_t *seed, problem *p, access *x, const served *by)
{
    int64_t q = 1 << test_range(seed, 0, 5), a = test_range(seed, 0, 12), b = test_range(seed, 0, 40), d = test_range(seed, 0, 9) ? 1 : test_range(seed, 1, 3);
    int64_t c = test_range(seed, 0, 50), o = test_range(seed, 0, 3), upto = test_range(seed, 0, 2) ? LANES : test_range(seed, 1, 40);
    int active = 0;
    x->by = by;
    x->text[0] = 0;
    x->lanes = by->target[0] == 'g' ? 64 : 32;
    x->elements = (int)by->bytes * 8 / p->bits;
    x->instances = (int)test_range(seed, 1, INSTANCES);
    if (!x->elements || x->elements > VECTOR) return false;
    if (test_range(seed, 0, 1)) a *= x->elements, b *= x->elements, c *= x->elements, o *= x->elements;
    for (int n = 0; n < x->instances; n++)
        for (int e = 0; e < x->elements; e++)
            for (int l = 0; l < x->lanes; l++) {
                int64_t first = a * (l % q) + b * (l / q) + c * n + o;
                bool in = first + d * (x->elements - 1) < p->size && l < upto;
                x->index[n][e][l] = in ? (int)(first + d * e) : -1;
                active += in;
            }
    x->q = q, x->start = o;
    x->weight[0] = a, x->weight[1] = b, x->weight[2] = d, x->weight[3] = c;
    snprintf(x->guard, sizeof x->guard, "x0 + %lld*x1 < %lld and %lld*x0 + %lld*x1 + %lld*x3 <= %lld", (long long)q, (long long)upto, (long long)a, (long long)b, (long long)c,
             (long long)(p->size - 1 - d * (x->elements - 1) - o));
    return active > 0;
}

static zlay_layout *layout_of(zlay_ctx *ctx, const access *x)
{
    const char *guard = x->guard;
    const zlay_piece piece = {x->weight, &x->start, &guard, 1};
    zlay_layout *layout = NULL;
    if (x->text[0]) return read_layout(ctx, x->text);
    const uint64_t box[] = {(uint64_t)x->q, (uint64_t)(x->lanes / x->q), (uint64_t)x->elements, (uint64_t)x->instances};
    if (zlay_layout_new_pieces(ctx, &layout, 4, box, 1, 1, &piece)) fail_msg("%s: %s", x->guard, zlay_ctx_message(ctx));
    return layout;
}

static bool draw(uint64_t *seed, problem *p)
{
    bool amd = !test_range(seed, 0, 7);
    draw_shape(seed, p);
    p->bits = 8 << test_range(seed, 0, 4);
    p->count = (int)test_range(seed, 1, ACCESSES);
    for (int i = 0; i < p->count; i++)
        if (!draw_access(seed, p, &p->at[i], amd ? &served_by[NVIDIA] : &served_by[test_range(seed, 0, NVIDIA - 1)])) return false;
    return true;
}

/* ---- counted -------------------------------------------------------------------------------------------------- */

/* Wavefronts of one access; -1: a vector is torn or not aligned. */
static int64_t taken(const problem *p, const access *x, const int64_t *offset)
{
    int64_t sum = 0, bytes = p->bits / 8;
    for (int n = 0; n < x->instances; n++) {
        uint32_t address[LANES];
        for (int l = 0; l < x->lanes; l++) {
            int first = x->index[n][0][l];
            address[l] = UINT32_MAX;
            if (first < 0) continue;
            address[l] = (uint32_t)(offset[first] * bytes);
            if (address[l] % x->by->bytes) return -1;
            for (int e = 1; e < x->elements; e++)
                if (offset[x->index[n][e][l]] != offset[first] + e) return -1;
        }
        sum += counted(x->by, address, (uint32_t)x->lanes);
    }
    return sum;
}

static int64_t taken_all(const problem *p, const int64_t *offset)
{
    int64_t sum = 0;
    for (int i = 0; i < p->count; i++) {
        int64_t one = taken(p, &p->at[i], offset);
        if (one < 0) return -1;
        sum += one;
    }
    return sum;
}

/* ---- whether any layout has the vectors ------------------------------------------------------------------------ */

/* Elements that vectors join have places relative to one of them; components are as far apart as one likes. */
typedef struct joined {
    int root[TILE];
    int64_t at[TILE];
    int size;
} joined;

static bool join(joined *j, int one, int other, int64_t by)
{
    int from = j->root[other], to = j->root[one];
    int64_t shift = j->at[one] + by - j->at[other];
    if (from == to) return !shift;
    for (int i = 0; i < j->size; i++)
        if (j->root[i] == from) j->root[i] = to, j->at[i] += shift;
    return true;
}

static bool joined_all(joined *j, const problem *p)
{
    j->size = p->size;
    for (int i = 0; i < p->size; i++) j->root[i] = i, j->at[i] = 0;
    for (int i = 0; i < p->count; i++)
        for (int n = 0; n < p->at[i].instances; n++)
            for (int l = 0; l < p->at[i].lanes; l++)
                for (int e = 1; e < p->at[i].elements && p->at[i].index[n][0][l] >= 0; e++)
                    if (!join(j, p->at[i].index[n][0][l], p->at[i].index[n][e][l], e)) return false;
    for (int a = 0; a < p->size; a++)
        for (int b = 0; b < a; b++)
            if (j->root[a] == j->root[b] && j->at[a] == j->at[b]) return false;
    return true;
}

/* Every place of each component modulo the widest access. */
static bool aligned(const joined *j, const problem *p)
{
    for (int root = 0; root < p->size; root++) {
        bool serves = false;
        for (int64_t shift = 0; shift < VECTOR && !serves; shift++) {
            serves = true;
            for (int i = 0; i < p->count; i++)
                for (int n = 0; n < p->at[i].instances; n++)
                    for (int l = 0; l < p->at[i].lanes; l++) {
                        int first = p->at[i].index[n][0][l];
                        if (first >= 0 && j->root[first] == root) serves = serves && (((j->at[first] + shift) % p->at[i].elements) + p->at[i].elements) % p->at[i].elements == 0;
                    }
        }
        if (!serves) return false;
    }
    return true;
}

static bool vectors_fit(const problem *p)
{
    static joined j;
    return joined_all(&j, p) && aligned(&j, p);
}

/* ---- rivals ---------------------------------------------------------------------------------------------------- */

/* Rows of one mode, padded, then chunks of a power of two skewed or XORed, or units shuffled: all injective. */
static void draw_rival(uint64_t *seed, const problem *p, int64_t *offset)
{
    int mode = (int)test_range(seed, 0, p->rank - 1), kind = (int)test_range(seed, 0, 3), place[TILE];
    int64_t length = (int64_t)p->shape[mode], below = 1, pitch = length + test_range(seed, 0, 40), grain = 1 << test_range(seed, 0, 4);
    int64_t shift = test_range(seed, 0, 3), mask = (1 << test_range(seed, 1, 5)) - 1, step = test_range(seed, 1, 9);
    if (kind == 2 && test_range(seed, 0, 1)) for (pitch = 1; pitch < length;) pitch *= 2;
    for (int i = 0; i < TILE; i++) place[i] = i;
    if (kind == 3) test_shuffle(seed, place, (int)((p->size + grain - 1) / grain));
    for (int i = 0; i < mode; i++) below *= (int64_t)p->shape[i];
    for (int64_t i = 0; i < p->size; i++) {
        int64_t column = i / below % length, row = i % below + i / below / length * below, at = row * pitch + column;
        if (kind == 1) at = row * pitch + (column + grain * step * row) % length;
        if (kind == 2) at = at ^ (((at / pitch) >> shift) & mask) * grain;
        if (kind == 3) at = place[i / grain] * grain + i % grain;
        offset[i] = at;
    }
}

static bool injective(const int64_t *offset, int size, int64_t room)
{
    static char seen[ROOM];
    bool yes = true;
    for (int i = 0; i < size && yes; i++) {
        yes = offset[i] >= 0 && offset[i] < room && !seen[offset[i]];
        if (yes) seen[offset[i]] = 1;
    }
    for (int i = 0; i < size; i++)
        if (offset[i] >= 0 && offset[i] < room) seen[offset[i]] = 0;
    return yes;
}

/* ---- one case -------------------------------------------------------------------------------------------------- */

static uint64_t answers, none, optimal, unsupported, rivals;

static void refuted(const problem *p, const char *why, int64_t got, int64_t said)
{
    printf("elem_bits %d, shape %llu %llu %llu (rank %d)\n", p->bits, (unsigned long long)p->shape[0], (unsigned long long)p->shape[1], (unsigned long long)p->shape[2], p->rank);
    for (int i = 0; i < p->count; i++) printf("%s %s %s lanes by %lld, weights %lld %lld %lld %lld, start %lld, %s\n", p->at[i].by->target, p->at[i].by->access, p->at[i].text, (long long)p->at[i].q,
        (long long)p->at[i].weight[0], (long long)p->at[i].weight[1], (long long)p->at[i].weight[2], (long long)p->at[i].weight[3], (long long)p->at[i].start, p->at[i].guard);
    fail_msg("%s: %lld, said %lld", why, (long long)got, (long long)said);
}

static void check_answer(uint64_t *seed, const problem *p, const zlay_swizzle *s)
{
    static int64_t offset[TILE], other[TILE];
    zlay_swizzle_summary info;
    assert_int_equal(zlay_swizzle_info(&info, s), ZLAY_OK);
    for (int i = 0; i < p->size; i++) assert_int_equal(zlay_layout_eval(&offset[i], 1, zlay_swizzle_layout(s), (uint64_t)i), ZLAY_OK);
    if (info.size > ROOM || !injective(offset, p->size, (int64_t)info.size)) refuted(p, "not injective in its size", 0, (int64_t)info.size);
    for (int i = 0; i < p->count; i++) {
        zlay_swizzle_cost cost;
        assert_int_equal(zlay_swizzle_cost_nth(&cost, s, (uint32_t)i), ZLAY_OK);
        int64_t count = taken(p, &p->at[i], offset);
        if (count != (int64_t)cost.wavefronts) refuted(p, "wavefronts", count, (int64_t)cost.wavefronts);
        if (cost.lower_bound > cost.wavefronts) refuted(p, "lower bound", (int64_t)cost.lower_bound, count);
    }
    assert_int_equal(info.optimal, info.least == ZLAY_SWIZZLE_LEAST_ANY);
    for (int i = 0; i < RIVALS; i++) {
        draw_rival(seed, p, other);
        int64_t count = taken_all(p, other);
        if (count < 0 || !injective(other, p->size, ROOM)) continue;
        rivals++;
        if (count < (int64_t)info.lower_bound) refuted(p, "below the lower bound", count, (int64_t)info.lower_bound);
        if (info.optimal && count < (int64_t)info.wavefronts) refuted(p, "better than optimal", count, (int64_t)info.wavefronts);
    }
    optimal += info.optimal;
}

static zlay_status ask(zlay_ctx *ctx, const problem *p, zlay_swizzle **out)
{
    zlay_swizzle_access list[ACCESSES];
    zlay_swizzle_request r = {.size = sizeof r, .elem_bits = (uint32_t)p->bits, .shape = p->shape, .rank = (uint64_t)p->rank, .accesses = list, .count = (uint64_t)p->count};
    for (int i = 0; i < p->count; i++) list[i] = (zlay_swizzle_access){number_of(p->at[i].by->access), 0, layout_of(ctx, &p->at[i])};
    zlay_status status = zlay_swizzle_synth(ctx, out, target_of(p->at[0].by->target), &r);
    for (int i = 0; i < p->count; i++) zlay_layout_free((zlay_layout *)(uintptr_t)list[i].layout);
    return status;
}

/* ---- worlds of nine units ---------------------------------------------------------------------------------------- */

static int64_t world_least;

/* Every way to share units out to the eight places of 16 bytes in a row of all banks: unit u in row u of its place's column. */
static void try_places(const problem *p, int *place, int unit, int used)
{
    if (unit == UNITS) {
        int64_t offset[UNITS * 4];
        for (int i = 0; i < UNITS * 4; i++) offset[i] = (i / 4 * 8 + place[i / 4]) * 4 + i % 4;
        int64_t count = taken_all(p, offset);
        if (count >= 0 && count < world_least) world_least = count;
        return;
    }
    for (place[unit] = 0; place[unit] <= used && place[unit] < 8; place[unit]++) try_places(p, place, unit + 1, place[unit] == used ? used + 1 : used);
}

/* Units of four words, all of them loaded whole by some access: places within a row matter alone, by which units share one. */
static void test_world(zlay_ctx *ctx, uint64_t *seed)
{
    static problem p;
    int place[UNITS] = {0};
    zlay_swizzle *s = NULL;
    zlay_swizzle_summary info;
    p = (problem){.shape = {UNITS * 4}, .rank = 1, .size = UNITS * 4, .bits = 32, .count = 2};
    access *wide = &p.at[0], *one = &p.at[1];
    *wide = (access){.by = &served_by[4], .lanes = 32, .elements = 4, .instances = 1};
    *one = (access){.by = &served_by[2], .lanes = 32, .elements = 1, .instances = 1};
    int64_t a = test_range(seed, 1, 8), b = test_range(seed, 0, 35), q = test_range(seed, 2, 32), c = test_range(seed, 1, 35);
    for (int l = 0; l < 32; l++) {
        for (int e = 0; e < 4; e++) wide->index[0][e][l] = (int)(a * l % UNITS) * 4 + e;
        one->index[0][0][l] = (int)((c * (l % q) + b) % (UNITS * 4));
    }
    snprintf(wide->text, sizeof wide->text, "{ [l,e] -> [4*((%lld*l) mod %d) + e] : 0 <= l < 32 and 0 <= e < 4 }", (long long)a, UNITS);
    snprintf(one->text, sizeof one->text, "{ [l,e] -> [(%lld*(l mod %lld) + %lld) mod %d] : 0 <= l < 32 and e = 0 }", (long long)c, (long long)q, (long long)b, UNITS * 4);
    if (a % 3 == 0) return; /* not all units are loaded */
    zlay_status status = ask(ctx, &p, &s);
    if (status) fail_msg("%s %s: %s", wide->text, one->text, zlay_ctx_message(ctx));
    assert_int_equal(zlay_swizzle_info(&info, s), ZLAY_OK);
    world_least = INT64_MAX;
    try_places(&p, place, 0, 0);
    if (world_least < (int64_t)info.lower_bound) refuted(&p, "below the lower bound", world_least, (int64_t)info.lower_bound);
    if (info.optimal && world_least != (int64_t)info.wavefronts) refuted(&p, "the least of all placements", world_least, (int64_t)info.wavefronts);
    zlay_swizzle_free(s);
}

static void nothing_better(void **state)
{
    static problem p;
    zlay_ctx *ctx = *state;
    uint64_t seed = test_seed("refute/swizzle"), count = test_cases(CASES), worlds = 0;
    for (uint64_t n = 0; n < count; n++) {
        zlay_swizzle *s = NULL;
        while (!draw(&seed, &p)) continue;
        zlay_status status = ask(ctx, &p, &s);
        if (status == ZLAY_OK) check_answer(&seed, &p, s);
        else if (status == ZLAY_NONE && vectors_fit(&p)) refuted(&p, "none, and the vectors fit", status, 0);
        else if (status != ZLAY_NONE && status != ZLAY_ENOTSUP) refuted(&p, zlay_ctx_message(ctx), status, 0);
        answers += status == ZLAY_OK;
        none += status == ZLAY_NONE;
        unsupported += status == ZLAY_ENOTSUP;
        zlay_swizzle_free(s);
        if (n % WORLD_EVERY == 0) test_world(ctx, &seed), worlds++;
    }
    printf("%llu requests: %llu layouts, %llu of them optimal against %llu rivals, %llu none, %llu of no family; %llu worlds\n", (unsigned long long)count, (unsigned long long)answers,
           (unsigned long long)optimal, (unsigned long long)rivals, (unsigned long long)none, (unsigned long long)unsupported, (unsigned long long)worlds);
    assert_true(optimal * 4 > count && none * 50 > count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_better)};
    return cmocka_run_group_tests(tests, begin, end);
}
