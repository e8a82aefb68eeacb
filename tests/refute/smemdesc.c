/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute smemdesc.synth of wgmma and tcgen05: tiles of one to three instructions each way, instructions of 8 to 208 rows (96, 40,
 * 104: no powers of two) and of dense or sparse K, whose places are those of some fields with holes between rows, groups and steps, or near
 * them: another step, an offset, another swizzle, a point that is missing, bits in any order.  The places are computed from the drawn
 * numbers.  Fields that are answered must read every one of them; NONE is refuted by any start, leading offset, stride, pattern and base
 * offset that does: a pattern keeps each 128 bytes together, so that of each field the eight values are tried whose line is that of the
 * element that the field alone moves.  10^4 cases, 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "tiles/smemdesc_reads.h"

enum { CASES = 10000, TILE = 8192, LINE = 128, FIELD_END = 1 << 18, LEVELS = 3, MOST_STEPS = 9 };

/* A request, its places and how its steps divide the tile. */
typedef struct problem {
    operand o;
    int mma_mn, mn, k, swizzle, at_start;
    uint32_t address;
    int64_t offset[TILE]; /* elements; INT64_MIN: none */
    char text[700];
} problem;

/* ---- drawn ----------------------------------------------------------------------------------------------------- */

/* Coordinate c of one dimension: c mod inner, the rest of an instruction, steps. */
typedef struct split {
    int64_t inner, instruction, size, step[LEVELS];
} split;

static int64_t part(const split *d, int64_t c, int level)
{
    return level == 0 ? c % d->inner : level == 1 ? c % d->instruction / d->inner : c / d->instruction;
}

static int64_t sum(const split *d, int64_t c)
{
    int64_t v = 0;
    for (int i = 0; i < LEVELS; i++) v += part(d, c, i) * d->step[i];
    return v;
}

static int64_t turned(const int s[3], int64_t v)
{
    for (int b = 0; b < s[0]; b++)
        if (v >> (s[1] + s[2] + b) & 1) v ^= (int64_t)1 << (s[1] + b);
    return v;
}

/* Steps as some fields have them, holes between groups and steps; then perhaps one changed. */
static void draw_steps(uint64_t *s, const problem *p, int kind, split d[2])
{
    int64_t chunk = 128 / p->o.bits, row = chunk * chunks[kind];
    d[0].inner = row, d[1].inner = rows[kind];
    d[0].step[0] = 1;
    d[1].step[0] = row;
    d[0].step[1] = chunk * test_range(s, 0, 100), d[1].step[1] = chunk * test_range(s, 0, 100);
    if (test_range(s, 0, 1)) d[1].step[1] = row * rows[kind];
    if (test_range(s, 0, 1)) d[0].step[1] = row * d[1].size;
    for (int i = 0; i < 2; i++) d[i].step[2] = chunk * test_range(s, 0, 300);
    if (!test_range(s, 0, 2)) d[test_range(s, 0, 1)].step[test_range(s, 0, 2)] = test_range(s, 0, 1) ? test_range(s, 0, 130) : (int64_t)1 << test_range(s, 0, 10);
    for (int i = 0; i < 2; i++)
        if (!test_range(s, 0, 15)) d[i].inner = test_range(s, 1, 12);
    if (!test_range(s, 0, 30)) d[test_range(s, 0, 1)].step[2] = FIELD_END * 8 / p->o.bits / 2 + chunk * test_range(s, -2, 2);
}

static void put_numbers(char **at, const split *d, bool steps)
{
    int64_t shape[LEVELS] = {d->inner, d->instruction / d->inner, d->size / d->instruction};
    *at += sprintf(*at, "(%lld,%lld,%lld)", (long long)(steps ? d->step[0] : shape[0]), (long long)(steps ? d->step[1] : shape[1]),
                   (long long)(steps ? d->step[2] : shape[2]));
}

/* As modes where the splits divide, else as quotients. */
static void put_text(problem *p, const split d[2], int64_t start, const int s[3], int missing)
{
    char *at = p->text;
    const split *mn = &d[p->o.major == ZLAY_MAJOR_K], *k = &d[p->o.major != ZLAY_MAJOR_K];
    if (missing < 0 && d[0].instruction % d[0].inner == 0 && d[1].instruction % d[1].inner == 0) {
        if (s[0]) at += sprintf(at, "Sw<%d,%d,%d> o ", s[0], s[1], s[2]);
        at += sprintf(at, "%lld o (", (long long)start);
        put_numbers(&at, mn, false), at += sprintf(at, ","), put_numbers(&at, k, false);
        at += sprintf(at, "):("), put_numbers(&at, mn, true), at += sprintf(at, ","), put_numbers(&at, k, true);
        sprintf(at, ")");
        return;
    }
    at += sprintf(at, "{ [m,k] -> [%lld", (long long)start);
    for (int i = 0; i < 2; i++) {
        const split *x = i ? k : mn;
        char c = i ? 'k' : 'm';
        at += sprintf(at, " + %lld*(%c mod %lld) + %lld*floor((%c mod %lld)/%lld) + %lld*floor(%c/%lld)", (long long)x->step[0], c, (long long)x->inner, (long long)x->step[1],
                      c, (long long)x->instruction, (long long)x->inner, (long long)x->step[2], c, (long long)x->instruction);
    }
    at += sprintf(at, "] : 0 <= m < %d and 0 <= k < %d", p->mn, p->k);
    if (missing >= 0) at += sprintf(at, " and (m != %d or k != %d)", missing % p->mn, missing / p->mn);
    sprintf(at, " }");
}

/* Shears of a permutation of the bits of a tile that has powers of two. */
static bool draw_bits(uint64_t *s, problem *p)
{
    int bits = 0, mn_bits = 0;
    int64_t basis[13];
    while (1 << bits < p->mn * p->k) bits++;
    while (1 << mn_bits < p->mn) mn_bits++;
    if (1 << bits != p->mn * p->k || 1 << mn_bits != p->mn) return false;
    for (int i = 0; i < bits; i++) basis[i] = (int64_t)1 << (p->o.major == ZLAY_MAJOR_K ? (i + bits - mn_bits) % bits : i);
    for (int64_t n = test_range(s, 0, 3); n > 0; n--) {
        int i = (int)test_range(s, 0, bits - 1), j = (int)test_range(s, 0, bits - 1);
        if (i != j) basis[i] ^= basis[j];
    }
    char *at = p->text + sprintf(p->text, "f2{mn:");
    for (int i = 0; i < bits; i++) at += sprintf(at, "%s (%lld)", i == mn_bits ? "; k:" : "", (long long)basis[i]);
    sprintf(at, " -> o: %d}", 1 << bits);
    for (int x = 0; x < p->mn * p->k; x++) {
        p->offset[x] = 0;
        for (int i = 0; i < bits; i++) p->offset[x] ^= x >> i & 1 ? basis[i] : 0;
    }
    return true;
}

static int pattern_of(uint64_t *s, const operand *o)
{
    int kind;
    do kind = (int)test_range(s, 0, PATTERNS - 1);
    while (!has(o, kind));
    return kind;
}

static void draw_layout(uint64_t *s, problem *p)
{
    static const int swizzles[PATTERNS][3] = {{0, 4, 3}, {1, 4, 3}, {2, 4, 3}, {3, 4, 3}, {2, 5, 2}};
    bool k_major = p->o.major == ZLAY_MAJOR_K;
    int kind = p->swizzle < 0 ? pattern_of(s, &p->o) : p->swizzle, missing = test_range(s, 0, 40) ? -1 : (int)test_range(s, 0, p->mn * p->k - 1), w[3];
    split d[2] = {{0}, {0}};
    if (!test_range(s, 0, 5) && draw_bits(s, p)) return;
    d[!k_major ? 0 : 1] = (split){.instruction = p->mma_mn, .size = p->mn};
    d[!k_major ? 1 : 0] = (split){.instruction = p->o.k, .size = p->k};
    draw_steps(s, p, kind, d);
    for (int i = 0; i < 2; i++)
        if (d[i].inner > d[i].instruction) d[i].inner = d[i].instruction;
    memcpy(w, swizzles[test_range(s, 0, 7) ? kind : pattern_of(s, &p->o)], sizeof w);
    w[1] -= __builtin_ctz((unsigned)p->o.bits) - 3;
    if (p->swizzle >= 0 || missing >= 0 || d[0].instruction % d[0].inner || d[1].instruction % d[1].inner) w[0] = 0;
    int64_t start = test_range(s, 0, 1) ? 0 : 128 / p->o.bits * test_range(s, 0, 80);
    if (!test_range(s, 0, 15)) start += test_range(s, 0, 3);
    if (!test_range(s, 0, 15)) start = 1024 / p->o.bits * test_range(s, 2000, 2100) - 128 / p->o.bits * test_range(s, 0, 3);
    put_text(p, d, start, w, missing);
    for (int x = 0; x < p->mn * p->k; x++) {
        int64_t mn = x % p->mn, k = x / p->mn;
        p->offset[x] = x == missing ? INT64_MIN : turned(w, start + sum(&d[0], k_major ? k : mn) + sum(&d[1], k_major ? mn : k));
    }
}

static void draw_problem(uint64_t *s, problem *p)
{
    static const int extents[] = {8, 16, 24, 32, 40, 64, 72, 96, 104, 128, 200, 208};
    do {
        p->o = draw_operand(s);
        p->mma_mn = extents[test_range(s, 0, 11)];
        if (!test_range(s, 0, 5) && p->o.bits > 4) p->o.k *= 2;
        p->mn = p->mma_mn * (int)test_range(s, 1, 3);
        p->k = p->o.k * (int)test_range(s, 1, 3);
    } while (p->mn * p->k > TILE || (p->mn * p->k > TILE / 4 && test_range(s, 0, 3)));
    p->swizzle = test_range(s, 0, 1) ? ZLAY_SWIZZLE_FIND : pattern_of(s, &p->o);
    p->at_start = test_range(s, 0, 1) ? 0 : p->swizzle < 0 ? (int)test_range(s, 1, 2) : p->swizzle < 4;
    p->address = (uint32_t)(test_range(s, 0, 2) ? 1024 * test_range(s, 0, 20) : test_range(s, 0, 1) ? 128 * test_range(s, 0, 100) : test_range(s, 0, 3) ? 16 * test_range(s, 0, 999) : test_range(s, 0, 999));
    draw_layout(s, p);
}

/* ---- every field ----------------------------------------------------------------------------------------------- */

/* Where a step's element lies, in bits; false: nowhere. */
static bool place(const problem *p, int step, int mn, int k, int64_t *out)
{
    int steps = p->mn / p->mma_mn;
    int64_t at = p->offset[step % steps * p->mma_mn + mn + (step / steps * p->o.k + k) * p->mn];
    if (at != INT64_MIN) *out = (int64_t)p->address * 8 + at * p->o.bits;
    return at != INT64_MIN;
}

/* Fields read the places before the swizzle where that is given. */
static int64_t read_at(const problem *p, const fields *f, int mn, int k)
{
    operand o = p->o;
    fields plain = *f;
    if (p->swizzle < 0) return reads(&o, &plain, mn, k);
    bool k_major = o.major == ZLAY_MAJOR_K, exchanged = !k_major && !f->pattern;
    int c = k_major ? k : mn, a = k_major ? mn : k, bit = c * o.bits, along = bit / 128, n = chunks[f->pattern], r = rows[f->pattern];
    int64_t group = exchanged ? f->lbo : f->sbo, next = exchanged ? f->sbo : f->lbo;
    return (f->start + a % r * 16 * n + a / r * group + along % n * 16 + along / n * next) * 8 + bit % 128;
}

static bool step_reads(const problem *p, const fields *f, int step)
{
    int64_t want = 0;
    for (int k = 0; k < p->o.k; k++)
        for (int mn = 0; mn < p->mma_mn; mn++)
            if (!place(p, step, mn, k, &want) || read_at(p, f, mn, k) != want) return false;
    return true;
}

/* START, or the offset that chunks or groups further have; these are lbo and sbo, MN-major without a swizzle sbo and lbo. */
enum { START, NEXT, GROUP };

static int64_t *field(const problem *p, fields *f, int which)
{
    bool exchanged = p->o.major == ZLAY_MAJOR_MN && !f->pattern;
    return which == START ? &f->start : (which == NEXT) != exchanged ? &f->lbo : &f->sbo;
}

/* Values of one field with which an element that it moves by itself is read where it is: all lie in one line's eight chunks. */
static int values(const problem *p, fields f, int which, int step, int mn, int k, int64_t out[8])
{
    int count = 0;
    int64_t want = 0, *value = field(p, &f, which);
    if (!place(p, step, mn, k, &want)) return 0;
    *value = 0;
    int64_t first = ((want >> 10) - (read_at(p, &f, mn, k) >> 10)) * LINE;
    for (*value = first - LINE; *value < first + 2 * LINE; *value += 16)
        if (*value >= 0 && *value < FIELD_END && read_at(p, &f, mn, k) == want && count < 8) out[count++] = *value;
    return count;
}

/* Whether lbo, sbo, pattern and base are those of every step, whatever its start. */
static bool all_steps(const problem *p, fields f, int steps)
{
    for (int step = 0; step < steps; step++) {
        int64_t start[8];
        bool some = false;
        int count = values(p, f, START, step, 0, 0, start);
        for (int i = 0; i < count && !some; i++) {
            f.start = start[i];
            some = step_reads(p, &f, step);
        }
        if (!some) return false;
    }
    return true;
}

/* Whether some start, lbo and sbo with the pattern and base of f read the tile; then f has them. */
static bool some_offsets(const problem *p, fields *f, int steps)
{
    bool k_major = p->o.major == ZLAY_MAJOR_K;
    int c = chunks[f->pattern] * (128 / p->o.bits), a = rows[f->pattern], along = k_major ? p->o.k : p->mma_mn, across = k_major ? p->mma_mn : p->o.k;
    int64_t start[8], next[8] = {0}, group[8] = {0};
    int starts = values(p, *f, START, 0, 0, 0, start);
    for (int i = 0; i < starts; i++) {
        int nexts = 1, groups = 1;
        f->start = start[i];
        if (along > c) nexts = values(p, *f, NEXT, 0, k_major ? 0 : c, k_major ? c : 0, next);
        if (across > a) groups = values(p, *f, GROUP, 0, k_major ? a : 0, k_major ? 0 : a, group);
        for (int n = 0; n < nexts * groups; n++) {
            *field(p, f, NEXT) = next[n % nexts], *field(p, f, GROUP) = group[n / nexts];
            if (all_steps(p, *f, steps)) return true;
        }
        f->lbo = f->sbo = 0;
    }
    return false;
}

static bool base_may(const problem *p, int kind, int base)
{
    if (p->swizzle >= 0) return base == 0;
    if (p->at_start == 2) return true;
    if (!p->at_start || !kind) return base == 0;
    return kind < 4 && p->address % LINE == 0 && base == (int)(p->address / LINE) % lines_of(kind);
}

/* Whether any fields read the tile, the first pattern of them. */
static bool some_read(const problem *p, fields *found, int steps)
{
    if (p->swizzle > 0 && p->at_start && p->address % LINE) return false;
    for (int kind = 0; kind < PATTERNS; kind++)
        for (int base = 0; base < lines_of(kind); base++) {
            fields f = {kind, base, 0, 0, 0};
            if (!has(&p->o, kind) || (p->swizzle >= 0 && kind != p->swizzle) || !base_may(p, kind, base)) continue;
            if (!some_offsets(p, &f, steps)) continue;
            *found = f;
            return true;
        }
    return false;
}

/* ---- one case -------------------------------------------------------------------------------------------------- */

static void refuted(const problem *p, const fields *f, const char *why)
{
    fail_msg("%s, type %d, major %d, swizzle %d, mma %d x %d, address %u, pattern at start %d, %s: %s (pattern %d, base %d, start %lld, lbo %lld, sbo %lld)", zlay_target_name(p->o.target),
             p->o.type, p->o.major, p->swizzle, p->mma_mn, p->o.k, p->address, p->at_start, p->text, why, f->pattern, f->base, (long long)f->start, (long long)f->lbo, (long long)f->sbo);
}

static uint64_t found, none;

static void one_case(zlay_ctx *ctx, uint64_t *seed, problem *p)
{
    uint32_t start[MOST_STEPS];
    size_t count = 0;
    zlay_smemdesc got;
    fields f = {0, 0, 0, 0, 0};
    draw_problem(seed, p);
    int steps = p->mn / p->mma_mn * (p->k / p->o.k);
    zlay_layout *layout = read_layout(ctx, p->text);
    zlay_smemdesc_request r = {.size = sizeof r, .type = p->o.type, .major = p->o.major, .swizzle = p->swizzle, .mma_mn = (uint32_t)p->mma_mn, .mma_k = (uint32_t)p->o.k,
                               .address = p->address, .pattern_at_start = (uint32_t)p->at_start, .layout = layout};
    zlay_status status = zlay_smemdesc_synth(ctx, &got, start, MOST_STEPS, &count, p->o.target, &r);
    bool some = some_read(p, &f, steps);
    if (status == ZLAY_OK) {
        fields said = {got.swizzle, (int)got.base_offset, 0, got.lbo, got.sbo};
        if ((int)count != steps || !has(&p->o, got.swizzle)) refuted(p, &said, "steps or pattern");
        if (p->swizzle < 0 && (!some || f.pattern != said.pattern)) refuted(p, &f, "an earlier pattern reads it");
        for (int step = 0; step < steps; step++) {
            said.start = start[step];
            if (!step_reads(p, &said, step)) refuted(p, &said, "the fields read another layout");
        }
        found++;
    } else if (status != ZLAY_NONE || some) refuted(p, &f, zlay_ctx_message(ctx));
    else none++;
    zlay_layout_free(layout);
}

static void every_field_is_tried(void **state)
{
    static problem p;
    uint64_t seed = test_seed("refute/smemdesc"), cases = test_cases(CASES);
    for (uint64_t n = 0; n < cases; n++) one_case(*state, &seed, &p);
    printf("%llu tiles: %llu descriptors, %llu none\n", (unsigned long long)cases, (unsigned long long)found, (unsigned long long)none);
    assert_true(found * 10 > cases && none * 5 > cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_field_is_tried)};
    return cmocka_run_group_tests(tests, begin, end);
}
