/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor descriptors: bits against a table of letters written here from the encoders, words against formulas of two of them. */
#include "legality.h"

#include "random.h"

enum { WORDS = 20, BITS = 32 * WORDS };

static zlay_tdm_words pack(const zlay_tdm *d)
{
    zlay_tdm_words w = {{0}};
    assert_int_equal(zlay_tdm_pack(&w, target_of("gfx1250"), d), ZLAY_OK);
    return w;
}

static zlay_tdm unpack(const zlay_tdm_words *w)
{
    zlay_tdm d;
    assert_int_equal(zlay_tdm_unpack(&d, target_of("gfx1250"), w), ZLAY_OK);
    return d;
}

static zlay_verdict check(const zlay_tdm *d, zlay_reason *r)
{
    zlay_verdict v;
    assert_int_equal(zlay_tdm_check(&v, r, REASONS, target_of("gfx1250"), d), ZLAY_OK);
    return v;
}

/* The header's example. */
static zlay_tdm legal(void)
{
    return (zlay_tdm){.address = 0x7f0012345600, .lds = 0x400, .rank = 2, .extent = {4096, 1024}, .tile = {64, 16}, .stride = {4096},
                      .element = 1, .pad = 1, .pad_interval = 4, .pad_amount = 3, .count = 1, .type = 2};
}

static void the_header_says(void **state)
{
    (void)state;
    static const uint32_t words[WORDS] = {1, 0x400, 0x12345600, 0x80007f00, 0x07110000, 0x10000000, 0x04000000, 0x00400000, 16, 4096};
    zlay_tdm d = legal();
    zlay_tdm_words w = pack(&d);
    zlay_reason r[REASONS];
    assert_memory_equal(w.word, words, sizeof words);
    zlay_tdm again = unpack(&w);
    assert_memory_equal(&again, &d, sizeof d);
    assert_int_equal(check(&d, r).answer, ZLAY_YES);
    d.store = 1;
    assert_int_equal(check(&d, r).answer, ZLAY_UNDECIDED);
    assert_int_equal(sizeof d, 264);
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* A letter a bit from bit 0 of each word: Triton's comments in TDMUtility.cpp (043d3a7) and CK-Tile's TDM_GROUP0 to TDM_GROUP3. */
#define GROUP0 "ccRSnsstttoooooooooooooooooooowg" "llllllllllllllllllllllllllllllll" "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" "aaaaaaaaaaaaaaaaaaaaaaaaaOOOOOTT"
#define GROUP1 "mmmmmmmmmmmmmmmmeebipEIIIAAAAAAA" "BBBBBBBBBBBBBBBB0000000000000000" "00000000000000001111111111111111" "1111111111111111XXXXXXXXXXXXXXXX" \
               "YYYYYYYYYYYYYYYYZZZZZZZZZZZZZZZZ" "uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu" "uuuuuuuuuuuuuuuuvvvvvvvvvvvvvvvv" "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"
#define GROUP3 "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy" "yyyyyyyyyyyyyyyy4444444444444444" "4444444444444444WWWWWWWWWWWWWWWW" "++++++++++++++++++++++++++++++++"
#define DENSE2 "22222222222222222222222222222222" "33333333333333333333333333333333" "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" "xxxxxxxxxxxxxxxxVVVVVVVVVVVVVVVV"
#define MANY2  "22222222222222222222222222222222" "LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL" "GGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGG" "GGGGGGGGGGGGGGGGNNNNNNNNNNNNNNNN"

static uint64_t lettered(const zlay_tdm *d, char letter)
{
    switch (letter) {
    case 'c': return d->count;
    case 'R': return d->restore;
    case 'S': return d->store_bit;
    case 'n': return d->nv;
    case 's': return d->scope;
    case 't': return d->th;
    case 'o': return d->other[0];
    case 'O': return d->other[1];
    case '+': return d->other[2];
    case 'w': return d->index32;
    case 'g': return d->gather;
    case 'l': return d->lds;
    case 'a': return d->address;
    case 'T': return d->type;
    case 'm': return d->mask;
    case 'e': return d->element;
    case 'b': return d->barrier;
    case 'B': return d->barrier_at;
    case 'i': return d->iterate;
    case 'p': return d->pad;
    case 'E': return d->early;
    case 'I': return d->pad_interval;
    case 'A': return d->pad_amount;
    case '0': case '1': case '2': case '3': case '4': return d->extent[letter - '0'];
    case 'X': case 'Y': case 'Z': return d->tile[letter - 'X'];
    case 'V': case 'W': return d->tile[letter - 'V' + 3];
    case 'u': case 'v': return d->stride[letter - 'u'];
    case 'x': case 'y': return d->stride[letter - 'x' + 2];
    case 'L': return d->lds_step;
    case 'G': return d->global_step;
    default: return d->repeats;
    }
}

/* The sum of all fields' one bits, the rank aside: a bit alone is in one field. */
static uint32_t ones(const zlay_tdm *d)
{
    zlay_tdm copy = *d;
    uint32_t count = 0;
    const unsigned char *byte = (const unsigned char *)&copy;
    copy.rank = 0;
    for (size_t i = 0; i < sizeof copy; i++)
        for (uint32_t b = 0; b < 8; b++) count += byte[i] >> b & 1;
    return count;
}

enum { GATHER_BIT = 31, ITERATE_BIT = 147 };

static void walk(const char *all, uint32_t held)
{
    assert_int_equal(strlen(all), BITS);
    for (uint32_t bit = 0; bit < BITS; bit++) {
        if (bit == GATHER_BIT || bit == ITERATE_BIT) continue;
        zlay_tdm_words w = {{0}};
        if (held) w.word[held / 32] |= 1u << held % 32;
        w.word[bit / 32] |= 1u << bit % 32;
        zlay_tdm d = unpack(&w);
        uint32_t place = bit - (uint32_t)(strchr(all, all[bit]) - all);
        if (lettered(&d, all[bit]) != 1ull << place) fail_msg("bit %u is not bit %u of %c", bit, place, all[bit]);
        assert_int_equal(ones(&d), 1 + (held != 0));
        zlay_tdm_words again = pack(&d);
        assert_memory_equal(&again, &w, sizeof w);
    }
}

static void each_bit_has_its_field(void **state)
{
    (void)state;
    walk(GROUP0 GROUP1 DENSE2 GROUP3, 0);
    walk(GROUP0 GROUP1 MANY2 GROUP3, ITERATE_BIT);
    zlay_tdm_words gathers = {{1u << GATHER_BIT}}, iterates = {{0}};
    iterates.word[4] = 1u << 19;
    assert_true(unpack(&gathers).gather == 1 && unpack(&iterates).iterate == 1);
}

/* Row indices, as Triton packs them: two a word, or one; group 3 goes on where group 2 ends. */
static void rows_of_a_gather(void **state)
{
    (void)state;
    for (uint32_t wide = 0; wide < 2; wide++)
        for (uint32_t i = 0; i < (wide ? 8u : 16u); i++)
            for (uint32_t b = 0; b < (wide ? 32u : 16u); b++) {
                zlay_tdm_words w = {{1u << GATHER_BIT | wide << 30}};
                w.word[12 + (wide ? i : i / 2)] |= 1u << (wide ? b : b + 16 * (i % 2));
                zlay_tdm d = unpack(&w);
                assert_true(d.row[i] == 1u << b && d.gather && d.index32 == wide);
                assert_int_equal(ones(&d), 2 + wide);
                zlay_tdm_words again = pack(&d);
                assert_memory_equal(&again, &w, sizeof w);
            }
}

static void any_bits_come_back(void **state)
{
    (void)state;
    uint64_t seed = test_seed("legality/buffer/tdm");
    for (uint64_t n = 0; n < test_iterations(5000); n++) {
        zlay_tdm_words w;
        zlay_reason r[REASONS];
        for (int i = 0; i < WORDS; i++) w.word[i] = (uint32_t)test_random(&seed);
        zlay_tdm d = unpack(&w);
        zlay_tdm_words again = pack(&d);
        assert_memory_equal(&again, &w, sizeof w);
        zlay_verdict v = check(&d, r);
        if (d.type != 2 || d.other[0] || d.restore) assert_int_equal(v.answer, ZLAY_NO);
    }
}

/* ---- encoders -------------------------------------------------------------------------------- */

/* FlyDSL, tdm_ops.py (00457e1), make_tensor_descriptor_2d: group 1 of a load of rank 2; padding in elements. */
static void flydsl_2d(uint32_t w[8], uint32_t inner, uint32_t outer, uint32_t stride, uint32_t log_bytes, uint32_t interval, uint32_t amount)
{
    uint32_t bits = 8u << log_bytes, dwords = interval * bits / 32, log_dwords = 0;
    while (dwords >> (log_dwords + 1)) log_dwords++;
    w[0] = log_bytes << 16;
    if (interval) w[0] |= 1u << 20 | (log_dwords - 1) << 22 | (amount * bits / 32 - 1) << 25;
    w[1] = (inner & 0xffff) << 16;
    w[2] = (inner >> 16 & 0xffff) | (outer & 0xffff) << 16;
    w[3] = (outer >> 16 & 0xffff) | inner << 16;
    w[4] = outer & 0xffff;
    w[5] = stride;
    w[6] = w[7] = 0;
}

static void words_of_flydsl(void **state)
{
    (void)state;
    uint64_t seed = test_seed("legality/buffer/tdm");
    for (uint64_t n = 0; n < test_iterations(2000); n++) {
        uint32_t e = (uint32_t)test_range(&seed, 0, 3), code = (uint32_t)test_range(&seed, 0, 7), skips = (uint32_t)test_range(&seed, 1, 64) * 2;
        uint32_t inner = (uint32_t)test_range(&seed, 1, 4096), outer = (uint32_t)test_range(&seed, 1, 4096), stride = (uint32_t)test_random(&seed);
        uint32_t words[8];
        flydsl_2d(words, inner, outer, stride, e, (8u << code) >> e, (skips * 4) >> e);
        zlay_tdm d = {.rank = 2, .extent = {inner, outer}, .tile = {inner, outer}, .stride = {stride}, .element = e, .pad = 1,
                      .pad_interval = code, .pad_amount = skips - 1, .count = 1, .type = 2, .address = test_random(&seed) >> 7};
        zlay_tdm_words w = pack(&d);
        assert_memory_equal(w.word + 4, words, sizeof words);
        assert_true(w.word[0] == 1 && w.word[2] == (uint32_t)d.address && w.word[3] == (d.address >> 32 | 1u << 31));
    }
}

/* Triton, TDMUtility.cpp (043d3a7), createTDMDescriptor: rank 5, its dimensions outermost first, strides of 32 bits. */
static void triton_5d(uint32_t w[WORDS], const uint32_t shape[5], const uint32_t stride[5], const uint32_t block[5], uint64_t address, uint32_t log_bytes)
{
    memset(w, 0, WORDS * sizeof *w);
    w[2] = (uint32_t)address, w[3] = (uint32_t)(address >> 32) | 1u << 31;
    uint32_t *g1 = w + 4, *g2 = w + 12, *g3 = w + 16;
    g1[0] = log_bytes << 16;
    g1[1] = shape[4] << 16;
    g1[2] = shape[4] >> 16 | shape[3] << 16;
    g1[3] = shape[3] >> 16 | block[4] << 16;
    g1[4] = (block[3] & 0xffff) | block[2] << 16;
    g1[5] = stride[3];
    g1[6] = stride[2] << 16;
    g1[7] = stride[2] >> 16;
    g2[0] = shape[2], g2[1] = shape[1], g2[2] = stride[1], g2[3] = block[1] << 16;
    g3[0] = stride[0], g3[1] = shape[0] << 16, g3[2] = shape[0] >> 16 | block[0] << 16;
}

static void words_of_triton(void **state)
{
    (void)state;
    uint64_t seed = test_seed("legality/buffer/tdm");
    for (uint64_t n = 0; n < test_iterations(2000); n++) {
        uint32_t shape[5], stride[5], block[5], words[WORDS];
        zlay_tdm d = {.rank = 5, .type = 2, .element = (uint32_t)test_range(&seed, 0, 3), .address = test_random(&seed) >> 7};
        for (uint32_t i = 0; i < 5; i++) {
            shape[i] = d.extent[4 - i] = (uint32_t)test_random(&seed);
            block[i] = d.tile[4 - i] = (uint32_t)test_range(&seed, 1, 65535);
            stride[i] = (uint32_t)test_random(&seed);
            if (i < 4) d.stride[3 - i] = stride[i];
        }
        triton_5d(words, shape, stride, block, d.address, d.element);
        zlay_tdm_words w = pack(&d);
        assert_memory_equal(w.word, words, sizeof words);
    }
}

/* ---- rules ---------------------------------------------------------------------------------- */

typedef struct edge {
    const char *rule;
    zlay_tdm holds, breaks;
    zlay_answer answer; /* of what breaks it */
    bool packs;         /* it has bits all the same */
} edge;

#define PLAIN .rank = 1, .tile = {64}, .count = 1, .type = 2
#define GATHERS .rank = 2, .count = 1, .type = 2, .gather = 1, .index32 = 1
#define TIMES .rank = 1, .tile = {64}, .count = 1, .type = 2, .iterate = 1

static const edge edges[] = {
    {"TDM_RANK", {PLAIN}, {.count = 1, .type = 2}, ZLAY_NO, true},
    {"TDM_RANK", {.rank = 5, .tile = {1, 1, 1, 1, 1}, .count = 1, .type = 2}, {.rank = 6, .tile = {1, 1, 1, 1, 1}, .count = 1, .type = 2}, ZLAY_NO, true},
    {"TDM_RANK_GATHER", {GATHERS, .tile = {64, 8}}, {.rank = 1, .count = 1, .type = 2, .gather = 1, .index32 = 1, .tile = {64}}, ZLAY_NO, true},
    {"TDM_RANK_REPEATS", {.rank = 3, .tile = {2, 2, 2}, .count = 1, .type = 2, .iterate = 1}, {.rank = 4, .tile = {2, 2, 2}, .count = 1, .type = 2, .iterate = 1}, ZLAY_NO, true},
    {"TDM_COUNT", {.rank = 1, .tile = {64}, .count = 0, .type = 2}, {.rank = 1, .tile = {64}, .count = 2, .type = 2}, ZLAY_NO, true},
    {"TDM_TYPE", {PLAIN}, {.rank = 1, .tile = {64}, .count = 1, .type = 1}, ZLAY_NO, true},
    {"TDM_RESTORE", {PLAIN}, {PLAIN, .restore = 1}, ZLAY_NO, true},
    {"TDM_STORE_BIT", {PLAIN, .store = 1}, {PLAIN, .store_bit = 1}, ZLAY_NO, true},
    {"TDM_NV", {PLAIN, .nv = 1}, {PLAIN, .nv = 2}, ZLAY_NO, false},
    {"TDM_SCOPE", {PLAIN, .scope = 3}, {PLAIN, .scope = 4}, ZLAY_NO, false},
    {"TDM_TH", {PLAIN, .th = 7}, {PLAIN, .th = 8}, ZLAY_NO, false},
    {"TDM_OTHER", {PLAIN}, {PLAIN, .other = {0, 1}}, ZLAY_NO, true},
    {"TDM_OTHER", {PLAIN}, {PLAIN, .other = {1u << 20}}, ZLAY_NO, false},
    {"TDM_ADDRESS", {PLAIN, .address = (1ull << 57) - 1}, {PLAIN, .address = 1ull << 57}, ZLAY_NO, false},
    {"TDM_LDS_END", {PLAIN, .lds = 327680 - 64}, {PLAIN, .lds = 327680 - 63}, ZLAY_NO, true},
    {"TDM_LDS_END", {PLAIN, .lds = 327680 - 92, .pad = 1}, {PLAIN, .lds = 327680 - 91, .pad = 1}, ZLAY_NO, true},
    {"TDM_ELEMENT", {PLAIN, .element = 3}, {PLAIN, .element = 4}, ZLAY_NO, false},
    {"TDM_TILE", {.rank = 1, .tile = {65535}, .count = 1, .type = 2}, {.rank = 1, .tile = {65536}, .count = 1, .type = 2}, ZLAY_NO, false},
    {"TDM_TILE", {.rank = 1, .tile = {1}, .count = 1, .type = 2}, {.rank = 1, .tile = {0}, .count = 1, .type = 2}, ZLAY_NO, true},
    {"TDM_TILE", {PLAIN}, {.rank = 1, .tile = {64, 1}, .count = 1, .type = 2}, ZLAY_NO, true},
    {"TDM_EXTENT", {PLAIN, .extent = {1, 1, 1, UINT32_MAX}}, {TIMES, .extent = {1, 1, 1, 1}}, ZLAY_NO, false},
    {"TDM_STRIDE", {PLAIN, .stride = {0, 0, 0, (1ull << 48) - 1}}, {PLAIN, .stride = {0, 0, 0, 1ull << 48}}, ZLAY_NO, false},
    {"TDM_STRIDE", {TIMES, .stride = {1, 1}}, {TIMES, .stride = {1, 1, 1}}, ZLAY_NO, false},
    {"TDM_PAD", {PLAIN, .pad = 1}, {PLAIN, .pad = 2}, ZLAY_NO, false},
    {"TDM_PAD_INTERVAL", {PLAIN, .pad_interval = 7}, {PLAIN, .pad_interval = 8}, ZLAY_NO, false},
    {"TDM_PAD_AMOUNT", {PLAIN, .pad_amount = 127}, {PLAIN, .pad_amount = 128}, ZLAY_NO, false},
    {"TDM_PAD_ROW", {.rank = 1, .tile = {2}, .count = 1, .type = 2, .element = 1, .pad = 1}, {.rank = 1, .tile = {3}, .count = 1, .type = 2, .element = 1, .pad = 1}, ZLAY_NO, true},
    {"TDM_PAD_STORE", {PLAIN, .store = 1}, {PLAIN, .store = 1, .pad = 1}, ZLAY_UNDECIDED, true},
    {"TDM_MASK", {PLAIN, .mask = 0xffff}, {PLAIN, .mask = 0x10001}, ZLAY_NO, false},
    {"TDM_PEERS", {PLAIN, .mask = 5}, {PLAIN, .mask = 4}, ZLAY_NO, true},
    {"TDM_MASK_STORE", {PLAIN, .mask = 3}, {PLAIN, .mask = 3, .store = 1}, ZLAY_NO, true},
    {"TDM_EARLY", {PLAIN, .mask = 3, .early = 1}, {PLAIN, .mask = 3, .early = 2}, ZLAY_NO, false},
    {"TDM_EARLY_MASK", {PLAIN, .mask = 3, .early = 1}, {PLAIN, .early = 1}, ZLAY_NO, true},
    {"TDM_BARRIER", {PLAIN, .barrier = 1}, {PLAIN, .barrier = 2}, ZLAY_NO, false},
    {"TDM_BARRIER_AT", {PLAIN, .barrier_at = 65535}, {PLAIN, .barrier_at = 65536}, ZLAY_NO, false},
    {"TDM_ITERATE", {TIMES}, {.rank = 1, .tile = {64}, .count = 1, .type = 2, .iterate = 2}, ZLAY_NO, false},
    {"TDM_LDS_STEP", {TIMES, .lds_step = UINT32_MAX}, {PLAIN, .lds_step = 1}, ZLAY_NO, false},
    {"TDM_GLOBAL_STEP", {TIMES, .global_step = (1ull << 48) - 1}, {TIMES, .global_step = 1ull << 48}, ZLAY_NO, false},
    {"TDM_REPEATS", {TIMES, .repeats = 255}, {TIMES, .repeats = 256}, ZLAY_NO, true},
    {"TDM_REPEATS", {TIMES, .repeats = 1}, {PLAIN, .repeats = 1}, ZLAY_NO, false},
    {"TDM_GATHER", {GATHERS, .tile = {64, 8}}, {.rank = 2, .count = 1, .type = 2, .gather = 2, .index32 = 1, .tile = {64, 8}}, ZLAY_NO, false},
    {"TDM_INDEX32", {GATHERS, .tile = {64, 8}}, {.rank = 2, .count = 1, .type = 2, .gather = 1, .index32 = 2, .tile = {64, 8}}, ZLAY_NO, false},
    {"TDM_GATHER_BITS", {GATHERS, .tile = {64, 8}}, {.rank = 2, .count = 1, .type = 2, .gather = 1, .index32 = 0, .tile = {64, 16}}, ZLAY_UNDECIDED, true},
    {"TDM_GATHER_BITS", {PLAIN}, {PLAIN, .index32 = 1}, ZLAY_UNDECIDED, true},
    {"TDM_ROWS", {GATHERS, .tile = {64, 8}}, {GATHERS, .tile = {64, 9}}, ZLAY_NO, true},
    {"TDM_ROWS", {GATHERS, .tile = {64, 1}}, {.rank = 2, .count = 1, .type = 2, .gather = 1, .index32 = 0, .tile = {64, 17}}, ZLAY_NO, true},
    {"TDM_ROW", {GATHERS, .tile = {64, 8}, .row = {UINT32_MAX}}, {GATHERS, .tile = {64, 8}, .row = {[8] = 1}}, ZLAY_NO, false},
    {"TDM_ROW", {GATHERS, .tile = {64, 8}}, {.rank = 2, .count = 1, .type = 2, .gather = 1, .index32 = 0, .tile = {64, 8}, .row = {[15] = 65536}}, ZLAY_NO, false},
    {"TDM_GATHER_ROW", {GATHERS, .tile = {4, 8}}, {GATHERS, .tile = {6, 8}}, ZLAY_NO, true},
};

static void rules_at_their_bounds(void **state)
{
    (void)state;
    zlay_reason r[REASONS];
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        const edge *e = &edges[i];
        int32_t number = rule_number(e->rule);
        zlay_verdict v = check(&e->holds, r);
        if (v.answer != ZLAY_YES) fail_msg("row %zu, %s: broken, by rule %d", i, e->rule, r[0].rule);
        zlay_tdm_words held = pack(&e->holds);
        zlay_tdm again = unpack(&held);
        again.store = e->holds.store;
        assert_memory_equal(&again, &e->holds, sizeof again);
        v = check(&e->breaks, r);
        if (!reason_of(r, &v, number, -2)) fail_msg("row %zu, %s: holds", i, e->rule);
        assert_int_equal(v.answer, e->answer);
        zlay_tdm_words w;
        if (zlay_tdm_pack(&w, target_of("gfx1250"), &e->breaks) != (e->packs ? ZLAY_OK : ZLAY_EINVAL)) fail_msg("row %zu, %s: pack", i, e->rule);
    }
}

static void other_targets_and_nothing(void **state)
{
    (void)state;
    static const char *const others[] = {"gfx90a", "gfx942", "gfx950", "sm_90a", "sm_100a"};
    zlay_verdict v;
    zlay_reason r[REASONS];
    zlay_tdm d = legal(), held = d;
    zlay_tdm_words w = {{0}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(zlay_tdm_check(&v, r, REASONS, target_of(others[i]), &d), ZLAY_OK);
        assert_true(v.answer == ZLAY_NO && v.reasons == 1 && r[0].rule == rule_number("TDM_TARGET"));
        assert_int_equal(zlay_tdm_pack(&w, target_of(others[i]), &d), ZLAY_ENOTSUP);
        assert_int_equal(zlay_tdm_unpack(&d, target_of(others[i]), &w), ZLAY_ENOTSUP);
        assert_memory_equal(&d, &held, sizeof d);
    }
    d.reserved[1] = 1;
    assert_int_equal(zlay_tdm_check(&v, r, REASONS, target_of("gfx1250"), &d), ZLAY_EINVAL);
    assert_int_equal(zlay_tdm_pack(&w, target_of("gfx1250"), &d), ZLAY_EINVAL);
    assert_int_equal(zlay_tdm_pack(NULL, target_of("gfx1250"), &held), ZLAY_EINVAL);
    assert_int_equal(zlay_tdm_unpack(&d, target_of("gfx1250"), NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_tdm_check(&v, NULL, 1, target_of("gfx1250"), &held), ZLAY_EINVAL);
}

/* The conflicts name the sources on both sides. */
static void conflicts_name_both(void **state)
{
    (void)state;
    zlay_rule rule;
    assert_int_equal(zlay_rule_info(&rule, rule_number("TDM_PAD_STORE")), ZLAY_OK);
    assert_true(strstr(rule.source, "Triton") && strstr(rule.source, "GFX1250/CopyAtom.cpp"));
    assert_int_equal(zlay_rule_info(&rule, rule_number("TDM_GATHER_BITS")), ZLAY_OK);
    assert_true(strstr(rule.source, "CK-Tile") && strstr(rule.source, "MLIR"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_says),
        cmocka_unit_test(each_bit_has_its_field),
        cmocka_unit_test(rows_of_a_gather),
        cmocka_unit_test(any_bits_come_back),
        cmocka_unit_test(words_of_flydsl),
        cmocka_unit_test(words_of_triton),
        cmocka_unit_test(rules_at_their_bounds),
        cmocka_unit_test(other_targets_and_nothing),
        cmocka_unit_test(conflicts_name_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
