/* SPDX-License-Identifier: Apache-2.0 */
/* What devices counted: tests/data/banks.def on an H200, 256 patterns of each class of accesses; clocks of one warp there; and
 * counters that others published for an MI300X. */
#include "tiles/bank.h"
#include "tiles/bank_patterns.h"

enum {
#define BANK_CLASS(name, instruction, bytes, lanes, operation) name,
#include "device/hardware/banks.def"
#undef BANK_CLASS
    CLASSES
};

static const struct {
    const char *access;
    uint32_t bytes, lanes;
} classes[] = {
#define BANK_CLASS(name, instruction, bytes, lanes, operation) {instruction, bytes, lanes},
#include "device/hardware/banks.def"
#undef BANK_CLASS
};

static const char *const counts[CLASSES] = {
#define COUNTED(name, text) [name] = text,
#include "data/banks.def"
#undef COUNTED
};

static void pattern(uint32_t *at, uint32_t klass, uint32_t i)
{
    bank_pattern(at, klass, i, classes[klass].bytes, classes[klass].lanes, klass >= LDM_X1 && klass <= STM_X4_TRANS);
}

static uint32_t digit(char c) { return (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10); }

/* The patterns are those that were counted. */
static void patterns_are_the_same(void **state)
{
    (void)state;
    uint64_t digest = 0xcbf29ce484222325;
    for (uint32_t c = 0; c < CLASSES; c++)
        for (uint32_t i = 0; i < BANK_PATTERNS; i++) {
            uint32_t at[BANK_LANES];
            pattern(at, c, i);
            for (int l = 0; l < BANK_LANES; l++) digest = (digest ^ at[l]) * 0x100000001b3;
        }
    assert_true(digest == 0xf381b64defb73200);
}

/* cp.async.cg counts nothing there, and is not known here. ptxas 13.0 adds three LDS to a cp.async, each counted as one. */
static void as_counted(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < CLASSES; c++) {
        assert_non_null(counts[c]);
        assert_int_equal(strlen(counts[c]), BANK_PATTERNS);
        uint32_t beside = strncmp(classes[c].access, "cp.async", 8) ? 0 : 3;
        for (uint32_t i = 0; i < BANK_PATTERNS; i++) {
            uint32_t at[BANK_LANES], want = digit(counts[c][i]) - beside;
            pattern(at, c, i);
            zlay_bank b = count("sm_90", classes[c].access, at);
            assert_int_equal(b.answer, c == CP_CG_16 ? ZLAY_UNDECIDED : ZLAY_YES);
            if (b.wavefronts != want) fail_msg("%s, pattern %u: %u, counted %u", classes[c].access, i, b.wavefronts, want);
            assert_true(c == CP_CG_16 || b.basis == ZLAY_BASIS_MEASURED);
        }
    }
}

/* ---- clocks of one warp ----------------------------------------------------------------- */

typedef uint32_t address_of(uint32_t lane);
static uint32_t s0(uint32_t l) { return l * 0; }
static uint32_t s4(uint32_t l) { return l * 4; }
static uint32_t s8(uint32_t l) { return l * 8; }
static uint32_t s16(uint32_t l) { return l * 16; }
static uint32_t s32(uint32_t l) { return l * 32; }
static uint32_t s128(uint32_t l) { return l * 128; }
static uint32_t s144(uint32_t l) { return l * 144; }
static uint32_t sw128(uint32_t l) { return l * 128 + (l % 8 << 4); }
/* Two lanes on the same 8 or 16 bytes of banks, in different words: lanes i and i + 16, and so on. */
static uint32_t pair16_of8(uint32_t l) { return l % 16 * 8 + l / 16 * 128; }
static uint32_t pair8_of8(uint32_t l) { return l % 8 * 8 + l / 16 * 64 + l / 8 % 2 * 128; }
static uint32_t pair1_of8(uint32_t l) { return l / 2 * 8 + l % 2 * 128; }
static uint32_t pair8_of16(uint32_t l) { return l % 8 * 16 + l / 8 * 128; }
static uint32_t pair4_of16(uint32_t l) { return l % 4 * 16 + l / 4 % 2 * 128 + l / 8 * 256; }
static uint32_t pair1_of16(uint32_t l) { return l / 2 % 4 * 16 + l % 2 * 128 + l / 8 * 256; }
static uint32_t ways2(uint32_t l) { return l % 4 * 16 + l / 4 * 128; }
static uint32_t ways4(uint32_t l) { return l % 2 * 16 + l / 2 * 128; }

/* On an H200, driver 580.159.04; 32 accesses, about 2 clocks a wavefront. */
static const struct {
    const char *measured, *access;
    address_of *address;
    uint32_t wavefronts;
} clocks[] = {
    {"one word for all: 285 clocks, as without conflict", "ld.shared.b32", s0, 1},
    {"stride 4: 285", "ld.shared.b32", s4, 1},
    {"stride 32: 541", "ld.shared.b32", s32, 8},
    {"stride 128: 2077", "ld.shared.b32", s128, 32},
    {"stride 8: 221", "st.shared.b64", s8, 2},
    {"lanes i and i + 16: 223", "st.shared.b64", pair16_of8, 2},
    {"lanes i and i + 8: 287", "st.shared.b64", pair8_of8, 4},
    {"lanes 2i and 2i + 1: 287", "st.shared.b64", pair1_of8, 4},
    {"stride 16: 282 to 289", "ld.shared.v4.b32", s16, 4},
    {"lanes i and i + 8: 289", "ld.shared.v4.b32", pair8_of16, 4},
    {"lanes i and i + 4: 544", "ld.shared.v4.b32", pair4_of16, 8},
    {"lanes 2i and 2i + 1: 544", "ld.shared.v4.b32", pair1_of16, 8},
    {"rows of 128: 2080", "ld.shared.v4.b32", s128, 32},
    {"rows padded to 144: 289", "ld.shared.v4.b32", s144, 4},
    {"rows of 128 swizzled: 289", "ld.shared.v4.b32", sw128, 4},
    {"24 of them: 222", "ldmatrix.x4", sw128, 4},
    {"two-way: 413", "ldmatrix.x4", ways2, 8},
    {"four-way: 797", "ldmatrix.x4", ways4, 16},
    {"eight-way: 1565", "ldmatrix.x4", s128, 32},
};

static void as_clocked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        uint32_t a[32];
        for (uint32_t l = 0; l < 32; l++) a[l] = clocks[i].address(l);
        zlay_bank b = count("sm_90", clocks[i].access, a);
        if (b.wavefronts != clocks[i].wavefronts) fail_msg("%s: %u wavefronts", clocks[i].measured, b.wavefronts);
    }
}

/* ---- published ------------------------------------------------------------------------- */

/* SQ_LDS_BANK_CONFLICT of 64 reads at lane times stride, MI300X: AMD SHARK, docs/empirical-lds, cdna3info. Each wavefront of a phase
 * after its first is one conflict. */
static const struct {
    const char *access;
    uint32_t bytes, conflicts[8]; /* strides bytes, 2 bytes, .. 512 */
} published[] = {
    {"ds_read_b32", 4, {0, 128, 384, 896, 1920, 3968, 3968, 3968}},
    {"ds_read_b64", 8, {0, 256, 768, 1792, 3840, 3840, 3840}},
    {"ds_read_b128", 16, {0, 512, 1536, 3584, 3584, 3584}},
};

static void as_published(void **state)
{
    (void)state;
    uint32_t rows = 0;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        for (uint32_t n = 0, stride = published[i].bytes; stride <= 512; n++, stride *= 2, rows++) {
            uint32_t a[64];
            for (uint32_t l = 0; l < 64; l++) a[l] = l * stride;
            zlay_bank b = count("gfx942", published[i].access, a);
            assert_int_equal(64 * (b.wavefronts - b.phases), published[i].conflicts[n]);
        }
    assert_int_equal(rows, 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_the_same),
        cmocka_unit_test(as_counted),
        cmocka_unit_test(as_clocked),
        cmocka_unit_test(as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
