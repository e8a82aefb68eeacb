/* SPDX-License-Identifier: Apache-2.0 */
/* Wavefronts of shared-memory accesses: what an H200 took, and the definition counted another
 * way. */
#include "legality.h"

enum { LANES = 32, OFF = -1 };

static uint32_t count(uint32_t width, const uint32_t *a, uint32_t *ideal)
{
    uint32_t w;
    assert_int_equal(zlay_bank_count(&w, ideal, NULL, target("sm_90"), width, a), ZLAY_OK);
    return w;
}

/* The address of each lane, as a measurement describes it. */
typedef uint32_t pattern(uint32_t lane);
static uint32_t s0(uint32_t l) { return l * 0; }
static uint32_t s4(uint32_t l) { return l * 4; }
static uint32_t s8(uint32_t l) { return l * 8; }
static uint32_t s16(uint32_t l) { return l * 16; }
static uint32_t s32(uint32_t l) { return l * 32; }
static uint32_t s128(uint32_t l) { return l * 128; }
static uint32_t s144(uint32_t l) { return l * 144; }
static uint32_t sw128(uint32_t l) { return l * 128 + (l % 8 << 4); }
/* Two lanes on the same 8 or 16 bytes of banks, in different words: lanes i and i + 16, and so
 * on. */
static uint32_t pair16_of8(uint32_t l) { return l % 16 * 8 + l / 16 * 128; }
static uint32_t pair8_of8(uint32_t l) { return l % 8 * 8 + l / 16 * 64 + l / 8 % 2 * 128; }
static uint32_t pair1_of8(uint32_t l) { return l / 2 * 8 + l % 2 * 128; }
static uint32_t pair8_of16(uint32_t l) { return l % 8 * 16 + l / 8 * 128; }
static uint32_t pair4_of16(uint32_t l) { return l % 4 * 16 + l / 4 % 2 * 128 + l / 8 * 256; }
static uint32_t pair1_of16(uint32_t l) { return l / 2 % 4 * 16 + l % 2 * 128 + l / 8 * 256; }
static uint32_t ways2(uint32_t l) { return l % 4 * 16 + l / 4 * 128; }
static uint32_t ways4(uint32_t l) { return l % 2 * 16 + l / 2 * 128; }

typedef struct row {
    const char *measured;
    uint32_t width;
    pattern *address;
    uint32_t wavefronts;
} row;

/* Clocks of one warp on an H200, driver 580.159.04; 32 accesses, about 2 clocks a wavefront. */
static const row rows[] = {
    {"ld.b32, one word for all: 285 clocks, as without conflict", 4, s0, 1},
    {"ld.b32, stride 4: 285", 4, s4, 1},
    {"ld.b32, stride 32: 541", 4, s32, 8},
    {"ld.b32, stride 128: 2077", 4, s128, 32},
    {"st.b64, stride 8: 221", 8, s8, 2},
    {"st.b64, lanes i and i + 16: 223", 8, pair16_of8, 2},
    {"st.b64, lanes i and i + 8: 287", 8, pair8_of8, 4},
    {"st.b64, lanes 2i and 2i + 1: 287", 8, pair1_of8, 4},
    {"ld.v4.b32, stride 16: 282 to 289", 16, s16, 4},
    {"ld.v4.b32, lanes i and i + 8: 289", 16, pair8_of16, 4},
    {"ld.v4.b32, lanes i and i + 4: 544", 16, pair4_of16, 8},
    {"ld.v4.b32, lanes 2i and 2i + 1: 544", 16, pair1_of16, 8},
    {"ld.v4.b32, rows of 128: 2080", 16, s128, 32},
    {"ld.v4.b32, rows padded to 144: 289", 16, s144, 4},
    {"ld.v4.b32, rows of 128 swizzled: 289", 16, sw128, 4},
    {"ldmatrix.x4, 24 of them: 222", 16, sw128, 4},
    {"ldmatrix.x4, two-way: 413", 16, ways2, 8},
    {"ldmatrix.x4, four-way: 797", 16, ways4, 16},
    {"ldmatrix.x4, eight-way: 1565", 16, s128, 32},
};

static void as_measured(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t a[LANES], ideal;
        for (uint32_t l = 0; l < LANES; l++) a[l] = rows[i].address(l);
        uint32_t w = count(rows[i].width, a, &ideal);
        if (w != rows[i].wavefronts) fail_msg("%s: %u wavefronts", rows[i].measured, w);
        assert_int_equal(ideal, rows[i].width / 4);
    }
}

/* ldmatrix.x1 and .x2 give addresses in 8 and 16 lanes: one and two phases. */
static void fewer_rows_fewer_phases(void **state)
{
    (void)state;
    for (uint32_t lanes = 8; lanes <= 32; lanes += 8) {
        uint32_t a[LANES], ideal;
        for (uint32_t l = 0; l < LANES; l++) a[l] = l < lanes ? sw128(l) : (uint32_t)OFF;
        assert_int_equal(count(16, a, &ideal), lanes / 8);
        assert_int_equal(ideal, lanes / 8);
        for (uint32_t l = 0; l < lanes; l++) a[l] = s128(l);
        assert_int_equal(count(16, a, &ideal), lanes);
    }
}

/* The definition, counted another way: for each phase a table of words. */
static uint32_t counted(uint32_t width, const uint32_t *a, uint32_t *ideal)
{
    uint32_t lanes = 128 / width, sum = 0;
    *ideal = 0;
    for (uint32_t first = 0; first < LANES; first += lanes) {
        static uint8_t seen[1 << 12];
        uint32_t bank[32] = {0}, most = 0, active = 0;
        memset(seen, 0, sizeof seen);
        for (uint32_t i = first; i < first + lanes; i++) {
            if (a[i] == UINT32_MAX) continue;
            active = 1;
            for (uint32_t b = 0; b < width; b += 4) {
                uint32_t word = (a[i] + b) / 4;
                if (!seen[word]++ && ++bank[word % 32] > most) most = bank[word % 32];
            }
        }
        sum += most;
        *ideal += active;
    }
    return sum;
}

static void as_defined(void **state)
{
    (void)state;
    uint64_t s = test_seed("t-bank");
    for (uint64_t i = 0; i < test_iterations(20000); i++) {
        uint32_t a[LANES], width = 4u << test_range(&s, 0, 2), ideal, least;
        uint32_t range = (uint32_t)test_range(&s, 1, 512),
                 inactive = (uint32_t)test_range(&s, 0, 9);
        for (int l = 0; l < LANES; l++) {
            a[l] = (uint32_t)test_range(&s, 0, range) * width % 8192;
            if (test_range(&s, 0, 9) < inactive) a[l] = UINT32_MAX;
        }
        assert_int_equal(count(width, a, &ideal), counted(width, a, &least));
        assert_int_equal(ideal, least);
    }
}

/* `ideal` is reached: by one address for all, and no address of any lane gives less. */
static void ideal_is_reached(void **state)
{
    (void)state;
    uint64_t s = test_seed("t-bank ideal");
    for (uint64_t i = 0; i < test_iterations(2000); i++) {
        uint32_t a[LANES], same[LANES], width = 4u << test_range(&s, 0, 2), ideal, again;
        for (int l = 0; l < LANES; l++) {
            bool on = test_range(&s, 0, 3) > 0;
            a[l] = on ? (uint32_t)test_range(&s, 0, 100) * width : UINT32_MAX;
            same[l] = on ? 64 : UINT32_MAX;
        }
        assert_true(count(width, a, &ideal) >= ideal);
        assert_int_equal(count(width, same, &again), ideal);
        assert_int_equal(again, ideal);
    }
}

static void phases_are_consecutive_lanes(void **state)
{
    (void)state;
    for (uint32_t width = 4; width <= 16; width *= 2) {
        uint32_t a[LANES] = {0}, w, ideal;
        int32_t phase[LANES];
        a[5] = UINT32_MAX;
        assert_int_equal(zlay_bank_count(&w, &ideal, phase, target("sm_90a"), width, a), ZLAY_OK);
        for (uint32_t l = 0; l < LANES; l++)
            assert_int_equal(phase[l], l == 5 ? -1 : (int32_t)(l * width / 128));
    }
}

static void no_lane_takes_nothing(void **state)
{
    (void)state;
    uint32_t a[LANES], ideal;
    for (int i = 0; i < LANES; i++) a[i] = UINT32_MAX;
    assert_int_equal(count(4, a, &ideal), 0);
    assert_int_equal(ideal, 0);
}

static void refused(void **state)
{
    (void)state;
    uint32_t a[LANES] = {0}, w = 9, ideal = 9;
    const zlay_target *t = target("sm_90");
    a[3] = 2;
    assert_int_equal(zlay_bank_count(&w, &ideal, NULL, t, 4, a), ZLAY_EINVAL);
    a[3] = 8;
    assert_int_equal(zlay_bank_count(&w, &ideal, NULL, t, 16, a), ZLAY_EINVAL);
    a[3] = UINT32_MAX - 15; /* the last 16 bytes there are */
    assert_int_equal(zlay_bank_count(&w, &ideal, NULL, t, 16, a), ZLAY_OK);
    w = ideal = 9;
    a[3] = UINT32_MAX;
    assert_int_equal(zlay_bank_count(&w, &ideal, NULL, t, 2, a), ZLAY_NONE);
    assert_int_equal(zlay_bank_count(&w, &ideal, NULL, t, 12, a), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_count(&w, &ideal, NULL, t, 0, a), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_count(&w, &ideal, NULL, target("sm_120"), 4, a), ZLAY_NONE);
    assert_int_equal(zlay_bank_count(NULL, &ideal, NULL, t, 4, a), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_count(&w, NULL, NULL, t, 4, a), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_count(&w, &ideal, NULL, NULL, 4, a), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_count(&w, &ideal, NULL, t, 4, NULL), ZLAY_EINVAL);
    assert_true(w == 9 && ideal == 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_measured),
        cmocka_unit_test(fewer_rows_fewer_phases),
        cmocka_unit_test(as_defined),
        cmocka_unit_test(ideal_is_reached),
        cmocka_unit_test(phases_are_consecutive_lanes),
        cmocka_unit_test(no_lane_takes_nothing),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
