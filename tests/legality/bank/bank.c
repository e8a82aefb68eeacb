/* SPDX-License-Identifier: Apache-2.0 */
/* Wavefronts of shared-memory accesses: the definition counted another way with lane groups written down again, the least that
 * lanes can take, races, names, and what is refused. t-bank-counted.c has what devices counted. */
#include "tiles/bank.h"

#include "legality/bank/bank.h"

/* ---- the header's example -------------------------------------------------------------- */

static void by_hand(void **state)
{
    (void)state;
    uint32_t a[LANES_MOST];
    zlay_bank b;
    for (uint32_t l = 0; l < 32; l++) a[l] = 8 * l;
    b = count("sm_90", "ld.shared.b32", a);
    assert_true(b.wavefronts == 2 && b.ideal == 1 && b.distinct == 1 && b.phases == 1);
    for (uint32_t l = 0; l < 32; l++) a[l] = 16 * l;
    b = count("sm_90", "ld.shared.v4.b32", a);
    assert_true(b.wavefronts == 4 && b.ideal == 2 && b.distinct == 4 && b.phases == 4);
    for (uint32_t l = 0; l < 32; l++) a[l] = l / 2 * 16;
    b = count("sm_90", "ld.shared.v4.b32", a);
    assert_true(b.wavefronts == 2 && b.ideal == 2 && b.distinct == 4 && b.phases == 2);
}

/* ---- counted another way ----------------------------------------------------------------- */

#define ALL32 "0-31"
#define HALF "0-15 | 16-31"
#define QUART "0-7 | 8-15 | 16-23 | 24-31"
#define CROSS "0-3,20-23 | 4-7,16-19 | 8-11,28-31 | 12-15,24-27"
static const served table[] = {
    {"sm_90", "ld.shared.b8", ALL32, 1, 32, 'w'},       {"sm_90a", "ld.shared.u16", ALL32, 2, 32, 'w'},
    {"sm_90", "ld.shared.f32", ALL32, 4, 32, 'w'},      {"sm_90", "ld.shared.f64", HALF, 8, 32, 'p'},
    {"sm_90", "ld.shared.v4.b32", QUART, 16, 32, 'p'},  {"sm_90", "st.shared.b8", ALL32, 1, 32, 'w'},
    {"sm_90", "st.shared.v2.b16", ALL32, 4, 32, 'w'},   {"sm_90", "st.shared.b64", HALF, 8, 32, 'w'},
    {"sm_90", "st.shared.v2.u64", QUART, 16, 32, 'w'},  {"sm_90", "ldmatrix.x4", QUART, 16, 32, 'w'},
    {"sm_90", "stmatrix.x4.trans", QUART, 16, 32, 'w'}, {"sm_90", "cp.async.ca.4", ALL32, 4, 32, 'l'},
    {"sm_90", "cp.async.ca.16", QUART, 16, 32, 'l'},    {"sm_90", "cp.async.ca.8", HALF, 8, 32, 'l'},
    {"sm_90", "red.shared.add.u32", ALL32, 4, 32, 'l'},
    {"sm_80", "ld.shared.b32", ALL32, 4, 32, 'w'},      {"sm_120a", "st.shared.b16", ALL32, 2, 32, 'w'},
    {"gfx942", "ds_read_b32", ALL32, 4, 32, 'w'},       {"gfx942", "ds_read_b64", HALF, 8, 32, 'w'},
    {"gfx942", "ds_read_b128", CROSS, 16, 32, 'w'},     {"gfx942", "ds_write_b128", QUART, 16, 32, 'w'},
    {"gfx942", "ds_read2_b64", HALF, 8, 32, 'w'},       {"gfx950", "ds_read_b32", "0-63", 4, 64, 'w'},
    {"gfx950", "ds_read_b64", ALL32, 8, 64, 'w'},       {"gfx950", "ds_read_b96", CROSS, 12, 32, 'w'},
    {"gfx950", "ds_load_b128", "0-3,12-15,20-27 | 4-11,16-19,28-31", 16, 64, 'w'},
    {"gfx950", "ds_write_b64", HALF, 8, 32, 'w'},       {"gfx950", "ds_read_b64_tr_b16", ALL32, 8, 64, 'w'},
};

/* Addresses with some order in them, some lanes off; a matrix has all of its rows. */
static void draw(uint64_t *s, const zlay_bank_access *x, uint32_t *a)
{
    uint32_t range = 1u << test_range(s, 0, 10), pair = 1u << test_range(s, 0, 2), off = (uint32_t)test_range(s, 0, 12);
    uint32_t stride = (uint32_t)test_range(s, 0, 40), how = (uint32_t)test_range(s, 0, 2);
    for (uint32_t l = 0; l < x->lanes * x->parts; l++) {
        uint32_t lane = l % x->lanes, unit = (uint32_t)test_range(s, 0, range);
        a[l] = (how ? unit : lane / pair * stride + 1000 * (l / x->lanes)) * x->align;
        if (how == 2 && lane & pair) a[l] = a[l ^ pair];
        if (x->rows < x->lanes ? lane >= x->rows : x->bytes != 16 && test_range(s, 0, 12) < off) a[l] = UINT32_MAX;
        if (l >= x->lanes && (a[l] == UINT32_MAX) != (a[lane] == UINT32_MAX)) a[l] = a[lane] == UINT32_MAX ? UINT32_MAX : 64;
    }
}

static void as_defined(void **state)
{
    (void)state;
    uint64_t seed = test_seed("legality/bank/bank"), iterations = test_iterations(600);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (uint64_t n = 0; n < iterations; n++) {
            uint32_t a[2 * LANES_MOST], want = 0;
            zlay_bank_access x = explained(table[i].target, table[i].access);
            draw(&seed, &x, a);
            zlay_bank b = count(table[i].target, table[i].access, a);
            for (uint32_t p = 0; p < x.parts; p++) want += counted(&table[i], a + p * x.lanes, x.lanes);
            if (b.wavefronts != want) fail_msg("%s %s: %u, not %u", table[i].target, table[i].access, b.wavefronts, want);
            assert_int_equal(b.answer, ZLAY_YES);
        }
}

/* What is called without conflict takes so many wavefronts; addresses that are all moved by a multiple of a
 * key take as many as before. */
static void free_and_moved(void **state)
{
    (void)state;
    uint64_t seed = test_seed("free_and_moved"), iterations = test_iterations(600), without = 0, with = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (uint64_t n = 0; n < iterations; n++) {
            uint32_t a[2 * LANES_MOST], want = 0;
            zl_banked banked;
            zlay_bank_access x = explained(table[i].target, table[i].access);
            uint32_t by = (uint32_t)test_range(&seed, 0, 300) * (x.align < 4 ? 4 : x.align);
            draw(&seed, &x, a);
            for (uint32_t l = 0; n % 3 == 0 && l < x.lanes * x.parts; l++)
                if (a[l] != UINT32_MAX && test_range(&seed, 0, 40)) a[l] = (l * x.bytes + by) / x.align * x.align;
            for (uint32_t p = 0; p < x.parts; p++) want += counted(&table[i], a + p * x.lanes, x.lanes);
            assert_int_equal(zl_banked_of(&banked, target_of(table[i].target), x.number), ZLAY_OK);
            uint32_t found = zl_bank_without_conflict(&banked, a);
            if (found) assert_int_equal(found, want);
            without += found != 0;
            with += found == 0;
            for (uint32_t l = 0; l < x.lanes * x.parts; l++) a[l] += a[l] == UINT32_MAX ? 0 : by;
            assert_int_equal(count(table[i].target, table[i].access, a).wavefronts, want);
        }
    printf("free_and_moved: %llu without conflict, %llu not\n", (unsigned long long)without, (unsigned long long)with);
    assert_true(without > iterations && with > iterations);
}

/* Every access that is counted has a row above with the same groups, banks and rule. */
static void all_are_defined(void **state)
{
    (void)state;
    int32_t number;
    const zlay_target *t;
    zlay_bank_access x, y;
    for (size_t i = 0; (t = zlay_target_nth(i)); i++)
        for (size_t j = 0; zlay_bank_nth(&number, j) == ZLAY_OK; j++) {
            bool found = false;
            if (zlay_bank_info(&x, t, number) || !x.source) continue;
            for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
                y = explained(table[k].target, table[k].access);
                found |= y.source == x.source && y.stores == x.stores && (y.bytes == x.bytes || (y.bytes <= 4 && x.bytes <= 4));
            }
            if (!found) fail_msg("%s of %s is not in the table", x.name, zlay_target_name(t));
        }
}

/* Phases are the groups, without inactive lanes and without groups that have none. */
static void phases_are_groups(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        uint32_t a[2 * LANES_MOST];
        zlay_bank_access x = explained(table[i].target, table[i].access);
        grouping g = groups_of(table[i].groups, x.lanes);
        for (uint32_t l = 0; l < 2 * x.lanes; l++) a[l] = l % x.lanes * 48;
        if (x.rows == x.lanes && x.bytes != 16) a[5] = a[5 + x.lanes] = UINT32_MAX;
        zlay_bank b = count(table[i].target, table[i].access, a);
        assert_int_equal(b.phases, g.count * x.parts);
        for (uint32_t p = 0; p < b.phases; p++)
            assert_true(b.phase[p] == (g.lanes[p % g.count] & ~(a[5] == UINT32_MAX ? 32ull : 0)));
    }
}

/* ---- the least ------------------------------------------------------------------------ */

/* One after the other in each phase, phases a kilobyte apart. */
static void spread(uint32_t *out, const zlay_bank *b, const zlay_bank_access *x)
{
    memset(out, 0xff, 2 * LANES_MOST * sizeof *out);
    for (uint32_t p = 0; p < b->phases; p++)
        for (uint32_t l = 0, rank = 0; l < x->lanes; l++)
            if (b->phase[p] >> l & 1) out[p / (b->phases / x->parts) * x->lanes + l] = 1024 * p + rank++ * x->bytes;
}

/* One address for all takes `ideal`, unless lanes go apart; lanes in a row take `distinct`; nothing takes less. */
static void least_is_reached(void **state)
{
    (void)state;
    uint64_t seed = test_seed("legality/bank/bank least"), iterations = test_iterations(300);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (uint64_t n = 0; n < iterations; n++) {
            uint32_t a[2 * LANES_MOST], same[2 * LANES_MOST], apart[2 * LANES_MOST];
            const char *target_name = table[i].target, *name = table[i].access;
            zlay_bank_access x = explained(target_name, name);
            draw(&seed, &x, a);
            for (uint32_t l = 0; l < x.lanes * x.parts; l++) {
                same[l] = a[l] == UINT32_MAX ? UINT32_MAX : 96;
                apart[l] = a[l] == UINT32_MAX ? UINT32_MAX : l * 48;
            }
            zlay_bank b = count(target_name, name, a), d = count(target_name, name, apart);
            spread(apart, &d, &x);
            d = count(target_name, name, apart);
            assert_true(b.wavefronts >= b.ideal && b.distinct >= b.ideal);
            assert_int_equal(table[i].rule == 'l' ? d.wavefronts : count(target_name, name, same).wavefronts, b.ideal);
            assert_int_equal(d.wavefronts, b.distinct);
        }
}

/* Random addresses, no two alike, never take less than `distinct`. */
static void distinct_is_least(void **state)
{
    (void)state;
    uint64_t seed = test_seed("legality/bank/bank distinct"), iterations = test_iterations(300);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (uint64_t n = 0; n < iterations; n++) {
            uint32_t a[2 * LANES_MOST], mask = (uint32_t)test_range(&seed, 0, 63), shift = (uint32_t)test_range(&seed, 0, 2);
            zlay_bank_access x = explained(table[i].target, table[i].access);
            draw(&seed, &x, a);
            for (uint32_t l = 0; l < x.lanes * x.parts; l++)
                if (a[l] != UINT32_MAX) a[l] = ((l ^ mask) << shift) * (x.bytes == 12 ? 12 : x.align);
            zlay_bank b = count(table[i].target, table[i].access, a);
            assert_true(b.wavefronts >= b.distinct);
        }
}

static void no_lane_takes_nothing(void **state)
{
    (void)state;
    uint32_t a[2 * LANES_MOST];
    memset(a, 0xff, sizeof a);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strstr(table[i].access, "matrix")) continue;
        zlay_bank b = count(table[i].target, table[i].access, a);
        assert_true(!b.wavefronts && !b.ideal && !b.distinct && !b.phases && !b.race);
    }
}

/* ---- races ---------------------------------------------------------------------------- */

static bool overlap(const zlay_bank_access *x, const uint32_t *a)
{
    for (uint32_t i = 0; x->stores && i < x->lanes * x->parts; i++)
        for (uint32_t j = 0; j < i; j++) {
            uint32_t far = a[i] > a[j] ? a[i] - a[j] : a[j] - a[i];
            if (i % x->lanes != j % x->lanes && a[i] != UINT32_MAX && a[j] != UINT32_MAX && far < x->bytes) return true;
        }
    return false;
}

/* Every access of every target that exists, counted or not. */
static void races_are_overlaps(void **state)
{
    (void)state;
    uint64_t seed = test_seed("legality/bank/bank race"), both[2] = {0, 0}, iterations = test_iterations(200);
    static const char *const targets[] = {"sm_90", "gfx90a", "gfx1250"};
    int32_t number;
    for (size_t t = 0; t < 3; t++)
        for (size_t i = 0; zlay_bank_nth(&number, i) == ZLAY_OK; i++) {
            zlay_bank_access x;
            if (zlay_bank_info(&x, target_of(targets[t]), number) || !x.stores) continue;
            for (uint64_t n = 0; n < iterations; n++) {
                uint32_t a[2 * LANES_MOST];
                draw(&seed, &x, a);
                for (uint32_t l = 0; n % 2 && l < x.lanes * x.parts; l++)
                    if (a[l] != UINT32_MAX) a[l] = l * (x.bytes == 12 ? 12 : x.align);
                zlay_bank b = count(targets[t], x.name, a);
                assert_int_equal(b.race, overlap(&x, a));
                both[b.race]++;
            }
        }
    assert_true(both[0] > 100 && both[1] > 100);
}

/* ---- names, what is not known, what is refused ------------------------------------------ */

static void names(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"ld.shared.u32", "ld.shared.b32"},       {"ld.shared.v4.f32", "ld.shared.v4.b32"}, {"st.shared.s8", "st.shared.b8"},
        {"ds_load_b128", "ds_read_b128"},         {"ds_store_b32", "ds_write_b32"},         {"ld.shared.f64", "ld.shared.b64"},
        {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "ldmatrix.x4.trans"},
    };
    static const char *const none[] = {"", "l", "ld.shared", "ld.shared.", "ld.shared.x32", "ld.shared.v3.b32", "ld.shared.v4.b64", "ld.shared.u3",
                                       "ld.global.b32", "ldmatrix.x3", "ds_read_b48", "ld.shared.u32 ", "ld.shared.u99999999999999999999999999999999"};
    int32_t a, b, last = -1;
    zlay_bank_access x;
    for (size_t i = 0; zlay_bank_nth(&a, i) == ZLAY_OK; i++, last = a) {
        assert_true(a > last);
        x.name = NULL;
        for (size_t t = 0; zlay_target_nth(t) && !x.name; t++)
            if (zlay_bank_info(&x, zlay_target_nth(t), a)) x.name = NULL;
        assert_int_equal(zlay_bank_find(&b, x.name, strlen(x.name)), ZLAY_OK);
        assert_int_equal(a, b);
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_int_equal(zlay_bank_find(&a, pairs[i][0], strlen(pairs[i][0])), ZLAY_OK);
        assert_int_equal(zlay_bank_find(&b, pairs[i][1], strlen(pairs[i][1])), ZLAY_OK);
        assert_int_equal(a, b);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(zlay_bank_find(&a, none[i], strlen(none[i])), ZLAY_NONE);
}

/* An access exists and is counted, exists with a gap that is named, or does not exist; suffixes change nothing. */
static void known_or_named(void **state)
{
    (void)state;
    static const struct {
        const char *target, *access;
        char known; /* y counted, u not known, n none */
    } rows[] = {
        {"sm_100a", "ld.shared.b32", 'y'},      {"sm_100f", "ld.shared.b64", 'u'},        {"sm_90", "atom.shared.cas.b32", 'u'},
        {"sm_90a", "cp.async.cg.16", 'u'},      {"sm_80", "stmatrix.x4", 'n'},            {"sm_90", "ds_read_b32", 'n'},
        {"gfx942", "ldmatrix.x1", 'n'},         {"gfx90a", "ds_read_b128", 'u'},          {"gfx942", "ds_read_b96", 'u'},
        {"gfx950", "ds_read_b64_tr_b8", 'y'},   {"gfx942", "ds_read_b64_tr_b8", 'n'},     {"gfx1250", "ds_load_b128", 'u'},
        {"sm_90", "ldmatrix.m16n16.x1.trans.b8", 'n'}, {"sm_100a", "ldmatrix.m16n16.x1.trans.b8", 'u'}, {"gfx950", "ds_write_b128", 'u'},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t a[2 * LANES_MOST];
        zlay_bank_access x;
        zlay_bank b;
        int32_t number = number_of(rows[i].access);
        zlay_status status = zlay_bank_info(&x, target_of(rows[i].target), number);
        assert_int_equal(status, rows[i].known == 'n' ? ZLAY_NONE : ZLAY_OK);
        memset(a, 0xff, sizeof a);
        if (status) continue;
        for (uint32_t l = 0; x.rows < x.lanes && l < x.rows; l++) a[l] = 16 * l;
        assert_int_equal(zlay_bank_conflicts(&b, target_of(rows[i].target), number, a, x.lanes * x.parts), ZLAY_OK);
        assert_int_equal(b.answer, rows[i].known == 'y' ? ZLAY_YES : ZLAY_UNDECIDED);
        assert_true(rows[i].known == 'y' ? x.source && !x.gap && x.basis == b.basis : !x.source && x.gap && !b.basis);
    }
}

static void refused(void **state)
{
    (void)state;
    uint32_t a[2 * LANES_MOST] = {0};
    zlay_bank b, before;
    zlay_bank_access x;
    const zlay_target *t = target_of("sm_90");
    int32_t word = number_of("ld.shared.b32"), wide = number_of("ld.shared.b128"), two = number_of("ds_read2_b32"), rows = number_of("ldmatrix.x2");
    memset(&b, 7, sizeof b);
    before = b;
    a[3] = 2;
    assert_int_equal(zlay_bank_conflicts(&b, t, word, a, 32), ZLAY_EINVAL);
    a[3] = 8;
    assert_int_equal(zlay_bank_conflicts(&b, t, wide, a, 32), ZLAY_EINVAL);
    a[3] = 0;
    assert_int_equal(zlay_bank_conflicts(&b, t, word, a, 31), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_conflicts(&b, t, word, a, 64), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_conflicts(&b, t, word, a, SIZE_MAX), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_conflicts(&b, t, two, a, 64), ZLAY_NONE);
    assert_int_equal(zlay_bank_conflicts(&b, t, rows, a, 32), ZLAY_EINVAL);
    for (int32_t n = -2; n < 300; n++)
        if (zlay_bank_info(&x, t, n) == ZLAY_EINVAL) assert_int_equal(zlay_bank_conflicts(&b, t, n, a, 32), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_conflicts(&b, t, INT32_MIN, a, 32), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_conflicts(&b, t, INT32_MAX, a, 32), ZLAY_EINVAL);
    for (int l = 0; l < 32; l++) a[l] = l < 16 ? 0 : UINT32_MAX;
    a[9] = UINT32_MAX;
    assert_int_equal(zlay_bank_conflicts(&b, t, rows, a, 32), ZLAY_EINVAL);
    t = target_of("gfx90a");
    memset(a, 0, sizeof a);
    a[70] = UINT32_MAX;
    assert_int_equal(zlay_bank_conflicts(&b, t, two, a, 128), ZLAY_EINVAL);
    a[70] = UINT32_MAX - 3;
    assert_int_equal(zlay_bank_conflicts(NULL, t, two, a, 128), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_conflicts(&b, NULL, two, a, 128), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_conflicts(&b, t, two, NULL, 128), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_find(NULL, "", 0), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_find(&word, NULL, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_nth(NULL, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_nth(&word, SIZE_MAX), ZLAY_NONE);
    assert_int_equal(zlay_bank_info(NULL, t, two), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_info(&x, NULL, two), ZLAY_EINVAL);
    assert_memory_equal(&b, &before, sizeof b);
    assert_int_equal(zlay_bank_conflicts(&b, t, two, a, 128), ZLAY_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),           cmocka_unit_test(as_defined),           cmocka_unit_test(all_are_defined),
        cmocka_unit_test(phases_are_groups), cmocka_unit_test(least_is_reached),     cmocka_unit_test(distinct_is_least),
        cmocka_unit_test(names),             cmocka_unit_test(no_lane_takes_nothing), cmocka_unit_test(races_are_overlaps),
        cmocka_unit_test(known_or_named),    cmocka_unit_test(refused),           cmocka_unit_test(free_and_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
