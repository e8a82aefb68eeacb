/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute bank.count: every access of every target, at addresses of layouts of any sizes and steps (rows of q lanes, XORs,
 * additions modulo n, places in any order, lanes that share one), with lanes off and up to the end of 32 bits.  Lanes are counted one
 * by one in groups that are written down here from the sources, so that an access that is counted on a target where no source speaks,
 * or is not counted where one does, refutes too; so do other wavefronts, phases or races.  `ideal` and `distinct` are held against lanes
 * that share one address, lanes in a row, and the drawn ones.  Addresses that do not fit are refused and no others.  10^4 cases,
 * 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "tiles/bank.h"

enum { CASES = 10000, BOTH = 2 * LANES_MOST };

#define WARP "0-31"
#define HALF "0-15 | 16-31"
#define QUART "0-7 | 8-15 | 16-23 | 24-31"
#define CROSS "0-3,20-23 | 4-7,16-19 | 8-11,28-31 | 12-15,24-27"
#define SM90 "sm_90 sm_90a"
#define SM                                                                                                                                       \
    "sm_80 sm_86 sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103 sm_103a sm_103f sm_110 sm_110a sm_110f sm_120 sm_120a sm_120f sm_121 sm_121a " \
    "sm_121f"
#define MATRICES(kind) #kind ".x1 " #kind ".x2 " #kind ".x4 " #kind ".x1.trans " #kind ".x2.trans " #kind ".x4.trans"

/* Targets and accesses that a source speaks of: docs/legality.md's table of an H200 for sm_90, the programming guide for 4 bytes
 * elsewhere; AMD SHARK's guide, HipKittens and Triton for gfx. */
static const served known[] = {
    {SM, "ld.shared.b8 st.shared.b8", WARP, 1, 32, 'w'},
    {SM, "ld.shared.b16 ld.shared.v2.b8 st.shared.b16 st.shared.v2.b8", WARP, 2, 32, 'w'},
    {SM, "ld.shared.b32 ld.shared.v4.b8 ld.shared.v2.b16 st.shared.b32 st.shared.v4.b8 st.shared.v2.b16", WARP, 4, 32, 'w'},
    {SM90, "ld.shared.b64 ld.shared.v4.b16 ld.shared.v2.b32", HALF, 8, 32, 'p'},
    {SM90, "ld.shared.b128 ld.shared.v4.b32 ld.shared.v2.b64", QUART, 16, 32, 'p'},
    {SM90, "st.shared.b64 st.shared.v4.b16 st.shared.v2.b32", HALF, 8, 32, 'w'},
    {SM90, "st.shared.b128 st.shared.v4.b32 st.shared.v2.b64", QUART, 16, 32, 'w'},
    {SM90, MATRICES(ldmatrix) " " MATRICES(stmatrix), QUART, 16, 32, 'w'},
    {SM90, "cp.async.ca.4 red.shared.add.u32 atom.shared.exch.b32 atom.shared.add.u32", WARP, 4, 32, 'l'},
    {SM90, "cp.async.ca.8", HALF, 8, 32, 'l'},
    {SM90, "cp.async.ca.16", QUART, 16, 32, 'l'},
    {"gfx942", "ds_read_b32", WARP, 4, 32, 'w'},
    {"gfx942", "ds_read_b64 ds_read2_b64 ds_read2st64_b64", HALF, 8, 32, 'w'},
    {"gfx942", "ds_read_b128", CROSS, 16, 32, 'w'},
    {"gfx942", "ds_write_b128", QUART, 16, 32, 'w'},
    {"gfx950", "ds_read_b32", "0-63", 4, 64, 'w'},
    {"gfx950", "ds_read_b64 ds_read_b64_tr_b16 ds_read_b64_tr_b8 ds_read_b64_tr_b4", WARP, 8, 64, 'w'},
    {"gfx950", "ds_read_b96", CROSS, 12, 32, 'w'},
    {"gfx950", "ds_read_b128", "0-3,12-15,20-27 | 4-11,16-19,28-31", 16, 64, 'w'},
    {"gfx950", "ds_write_b64", HALF, 8, 32, 'w'},
};

static bool names(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at++)
        if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' ')) return true;
    return false;
}

static const served *row_of(const char *target, const char *access)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (names(known[i].target, target) && names(known[i].access, access)) return &known[i];
    return NULL;
}

/* ---- drawn ----------------------------------------------------------------------------------------------------- */

static int64_t draw_step(uint64_t *s)
{
    static const int64_t lines[] = {31, 32, 33, 63, 64, 65, 96, 100, 127, 128, 129, 1000, 1024};
    return test_range(s, 0, 2) ? test_range(s, 0, 12) : lines[test_range(s, 0, 12)];
}

/* Units of the access: rows of q lanes with two steps, XORed, wrapped, or any; some lanes with another one's. */
static void draw_units(uint64_t *s, int64_t *unit, uint32_t count)
{
    int64_t q = test_range(s, 0, 1) ? (int64_t)1 << test_range(s, 0, 6) : test_range(s, 1, 64), a = draw_step(s), b = draw_step(s);
    int64_t shift = test_range(s, 0, 3), mask = test_range(s, 0, 15), wrap = test_range(s, 1, 130), basis[7];
    int how = (int)test_range(s, 0, 5), shared = test_range(s, 0, 3) ? 0 : (int)test_range(s, 1, 12);
    uint32_t near = 1u << test_range(s, 0, 2);
    for (int i = 0; i < 7; i++) basis[i] = test_range(s, 0, 511);
    for (uint32_t l = 0; l < count; l++) {
        unit[l] = a * (l % q) + b * (l / q);
        if (how == 1) unit[l] ^= (l / q >> shift) & mask;
        if (how == 2) unit[l] %= wrap;
        if (how == 3) unit[l] = test_range(s, 0, wrap);
        for (int i = how == 4 ? 0 : 7; i < 7; i++) unit[l] = (i ? unit[l] : 0) ^ (l >> i & 1 ? basis[i] : 0);
    }
    for (uint32_t l = 0; how == 5 && l < count; l++)
        if (l & near) unit[l] = unit[l ^ near];
    while (shared--) unit[test_range(s, 0, count - 1)] = unit[test_range(s, 0, count - 1)];
}

static bool is_off(uint64_t *s, int how, int64_t bound, uint32_t lane)
{
    switch (how) {
    case 0: return lane >= bound;
    case 1: return test_range(s, 0, 63) >= bound;
    case 2: return lane % (bound % 7 + 2) == (uint32_t)bound % 2;
    case 3: return lane / (bound % 16 + 1) % 2;
    case 4: return lane % 4 > 1 || test_range(s, 0, 31) > bound;
    default: return false;
    }
}

/* Addresses of all lanes, then the second ones; now and then one that does not fit. */
static void draw(uint64_t *s, const zlay_bank_access *x, uint32_t *at)
{
    int64_t unit[BOTH], base = test_range(s, 0, 3) ? 0 : test_range(s, 0, 1) ? draw_step(s) : ((int64_t)1 << 32) / x->align - test_range(s, 1, 1100);
    int64_t grain = x->bytes == 12 && test_range(s, 0, 1) ? 3 : 1, apart = test_range(s, 0, 255) * x->unit, bound = test_range(s, 0, 64);
    int how = (int)test_range(s, 0, 9);
    bool offset = test_range(s, 0, 1);
    draw_units(s, unit, x->lanes * x->parts);
    for (uint32_t l = 0; l < x->lanes; l++) {
        bool off = x->rows < x->lanes ? l >= x->rows : x->rows == x->lanes && strstr(x->name, "matrix") ? false : is_off(s, how, bound, l);
        for (uint32_t p = 0; p < x->parts; p++) {
            int64_t v = (unit[offset ? l : l + p * x->lanes] * grain + base) * x->align + (offset ? p * apart : 0);
            at[l + p * x->lanes] = off ? ZLAY_BANK_INACTIVE : (uint32_t)v / x->align * x->align;
        }
    }
    if (test_range(s, 0, 19)) return;
    uint32_t spot = (uint32_t)test_range(s, 0, x->lanes * x->parts - 1);
    at[spot] = test_range(s, 0, 2) ? (uint32_t)test_range(s, 0, 40) : ZLAY_BANK_INACTIVE;
}

/* ---- counted --------------------------------------------------------------------------------------------------- */

static bool on(uint32_t address) { return address != ZLAY_BANK_INACTIVE; }

static bool fits(const zlay_bank_access *x, const uint32_t *a)
{
    for (uint32_t i = 0; i < x->lanes * x->parts; i++) {
        bool matrix = strstr(x->name, "matrix");
        if (on(a[i]) && (a[i] % x->align || (uint64_t)a[i] + x->bytes > (uint64_t)1 << 32)) return false;
        if (on(a[i]) != on(a[i % x->lanes]) || (matrix && on(a[i]) != (i < x->rows))) return false;
    }
    return true;
}

/* Two lanes have a byte in common. */
static bool meet(const zlay_bank_access *x, const uint32_t *a, bool same_part)
{
    for (uint32_t i = 0; i < x->lanes * x->parts; i++)
        for (uint32_t j = 0; j < i; j++) {
            uint32_t far = a[i] > a[j] ? a[i] - a[j] : a[j] - a[i];
            bool other = i % x->lanes != j % x->lanes && (!same_part || i / x->lanes == j / x->lanes);
            if (other && on(a[i]) && on(a[j]) && far < x->bytes) return true;
        }
    return false;
}

static uint32_t counted_all(const served *row, const zlay_bank_access *x, const uint32_t *a)
{
    uint32_t sum = 0;
    for (uint32_t p = 0; p < x->parts; p++) sum += counted(row, a + p * x->lanes, x->lanes);
    return sum;
}

/* The groups of lanes that are served together, less those that are off. */
static uint32_t served_together(const served *row, const zlay_bank_access *x, const uint32_t *a, uint64_t *phase)
{
    uint32_t count = 0;
    grouping g = groups_of(row->groups, x->lanes);
    for (uint32_t p = 0; p < x->parts; p++, a += x->lanes) {
        bool merge = row->rule == 'p' && (twins(a, x->lanes, 1) || twins(a, x->lanes, 2));
        for (uint32_t i = 0; i < g.count; i += merge ? 2 : 1) {
            uint64_t lanes = merge ? g.lanes[i] | g.lanes[i + 1] : g.lanes[i];
            for (uint32_t l = 0; l < x->lanes; l++)
                if (!on(a[l])) lanes &= ~(1ull << l);
            if (lanes) phase[count++] = lanes;
        }
    }
    return count;
}

/* The same lanes at one address, or one behind the other in the order of their groups. */
static void line_up(const served *row, const zlay_bank_access *x, const uint32_t *a, bool apart, uint32_t *out)
{
    grouping g = groups_of(row->groups, x->lanes);
    uint32_t rank = 0;
    memset(out, 0xff, BOTH * sizeof *out);
    for (uint32_t p = 0; p < x->parts; p++)
        for (uint32_t i = 0; i < g.count; i++)
            for (uint32_t l = 0; l < x->lanes; l++)
                if (g.lanes[i] >> l & 1 && on(a[l])) out[l + p * x->lanes] = apart ? rank++ * row->bytes : 96;
}

static void refuted(const char *target, const zlay_bank_access *x, const uint32_t *a, const char *what, uint64_t got, uint64_t said)
{
    for (uint32_t l = 0; l < x->lanes * x->parts; l++) printf("%lld ", on(a[l]) ? (long long)a[l] : -1ll);
    fail_msg("%s %s: %s are %llu, said %llu", target, x->name, what, (unsigned long long)got, (unsigned long long)said);
}

static void compare(const char *target, const zlay_bank_access *x, const served *row, const uint32_t *a, const zlay_bank *b)
{
    uint32_t same[BOTH], apart[BOTH], phases, one, many, got = counted_all(row, x, a);
    uint64_t phase[2 * 16];
    if (row->bytes != x->bytes) refuted(target, x, a, "bytes", row->bytes, x->bytes);
    if (b->wavefronts != got) refuted(target, x, a, "wavefronts", got, b->wavefronts);
    phases = served_together(row, x, a, phase);
    if (phases != b->phases || memcmp(phase, b->phase, phases * sizeof *phase)) refuted(target, x, a, "phases", phases, b->phases);
    line_up(row, x, a, false, same);
    line_up(row, x, a, true, apart);
    many = counted_all(row, x, apart);
    one = counted_all(row, x, same) < many ? counted_all(row, x, same) : many;
    if (one != b->ideal || got < b->ideal) refuted(target, x, a, "ideal", one < got ? one : got, b->ideal);
    if (many != b->distinct) refuted(target, x, a, "distinct", many, b->distinct);
    if (!meet(x, a, true) && got < b->distinct) refuted(target, x, a, "distinct", got, b->distinct);
}

static uint64_t counts, unknown, misfits, races;

static void one_case(uint64_t *seed, const zlay_target *target, const zlay_bank_access *x)
{
    uint32_t a[BOTH];
    zlay_bank b;
    const char *name = zlay_target_name(target);
    const served *row = row_of(name, x->name);
    draw(seed, x, a);
    zlay_status status = zlay_bank_conflicts(&b, target, x->number, a, x->lanes * x->parts);
    bool fit = fits(x, a);
    misfits += !fit;
    if (status != (fit ? ZLAY_OK : ZLAY_EINVAL)) refuted(name, x, a, "addresses that fit", fit, status == ZLAY_OK);
    if (!fit) return;
    counts += row != NULL;
    unknown += !row;
    if (b.answer != (row ? ZLAY_YES : ZLAY_UNDECIDED)) refuted(name, x, a, "sources", row != NULL, b.answer == ZLAY_YES);
    bool race = x->stores && meet(x, a, false);
    races += race;
    if (b.race != race) refuted(name, x, a, "races", race, b.race);
    if (row) compare(name, x, row, a, &b);
}

static void nothing_else(void **state)
{
    (void)state;
    uint64_t seed = test_seed("refute/bank"), cases = test_cases(CASES);
    int32_t accesses[200], targets = 0, count = 0;
    while (zlay_target_nth((size_t)targets)) targets++;
    while (count < 200 && !zlay_bank_nth(&accesses[count], (size_t)count)) count++;
    for (uint64_t n = 0; n < cases;) {
        zlay_bank_access x;
        const zlay_target *t = zlay_target_nth((size_t)test_range(&seed, 0, targets - 1));
        if (zlay_bank_info(&x, t, accesses[test_range(&seed, 0, count - 1)])) continue;
        if (!row_of(zlay_target_name(t), x.name) && test_range(&seed, 0, 3)) continue;
        one_case(&seed, t, &x);
        n++;
    }
    printf("%llu accesses: %llu counted, %llu of unknown groups, %llu that do not fit; %llu race\n", (unsigned long long)cases, (unsigned long long)counts,
           (unsigned long long)unknown, (unsigned long long)misfits, (unsigned long long)races);
    assert_true(counts * 3 > cases && races * 20 > cases && misfits * 100 > cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
