/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of operands through shared memory, played byte for byte by what a load, a store and a read are, with the numbers of zlay_wave_summary
 * alone; what registers then hold is held against the maps that AMD's calculator prints. */
#ifndef TEST_WAVE_PLAY_H
#define TEST_WAVE_PLAY_H

#include "legality.h"

#include <stdlib.h>
#include <zlay/wave.h>

enum { MOST = 1 << 18, REGISTERS = 1 << 16 };

typedef struct form {
    const char *target, *type;
    uint32_t m, n, k;
    const char *a, *b; /* bases of lane bits | value bits: i or j, k */
} form;

static const form forms[] = {
#define MAP(target, name, m, n, k, blocks, a, b, d, cycles, cbsz, blgp, map_a, map_b, map_d) {blocks == 1 ? target : NULL, a, m, n, k, map_a, map_b},
#include "data/mfma-maps.def"
#undef MAP
    {"gfx950", "e4m3", 16, 16, 128, "i1 i2 i4 i8 k16 k32 | k1 k2 k4 k8 k64", "j1 j2 j4 j8 k16 k32 | k1 k2 k4 k8 k64"},
    {"gfx950", "e5m2", 32, 32, 64, "i1 i2 i4 i8 i16 k16 | k1 k2 k4 k8 k32", "j1 j2 j4 j8 j16 k16 | k1 k2 k4 k8 k32"},
};
enum { FORMS = sizeof forms / sizeof *forms };

static inline int32_t type_of(const char *target_name, const char *name)
{
    int32_t type = -1;
    assert_int_equal(zlay_type_find(&type, name, strlen(name)), ZLAY_OK);
    return zlay_target_type(target_of(target_name), type);
}

static inline zlay_wave_request request_of(const form *f)
{
    zlay_wave_request r = {.size = sizeof r, .threads = 256};
    r.mma = (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = f->m, .n = f->n, .k = f->k};
    r.mma.a = r.mma.b = type_of(f->target, f->type);
    r.mma.d = r.mma.a == ZLAY_TYPE_S8 ? ZLAY_TYPE_S32 : r.mma.a == ZLAY_TYPE_F64 ? ZLAY_TYPE_F64 : ZLAY_TYPE_F32;
    return r;
}

/* A request of an instruction: of either operand, in any numbers of threads, parts and rows. */
static inline zlay_wave_request wave_draw(uint64_t *s, const form *f)
{
    zlay_wave_request r = request_of(f);
    uint32_t side, bytes = zlay_type_bits(r.mma.a) / 8;
    r.fragment = test_range(s, 0, 1) ? ZLAY_FRAGMENT_A : ZLAY_FRAGMENT_B;
    side = r.fragment == ZLAY_FRAGMENT_A ? f->m : f->n;
    r.threads = 64u << test_range(s, 0, 3);
    r.parts = (uint32_t)test_range(s, 1, r.threads / 64);
    r.rows = side * r.parts * (uint32_t)test_range(s, 1, 4);
    r.depth = f->k << test_range(s, 0, 3);
    while (r.depth * bytes < 16) r.depth *= 2;
    r.align = 16u >> (test_range(s, 0, 3) ? 0 : test_range(s, 0, 2));
    r.any_order = (uint32_t)test_range(s, 0, 1);
    r.path = (int32_t)test_range(s, 0, 2);
    return r;
}

/* Row and k of an operand's element, by the bases of the calculator. */
static inline void element_of(const char *map, uint32_t lane, uint32_t value, uint32_t *row, uint32_t *k)
{
    uint32_t bit = 0, index = lane;
    *row = *k = 0;
    for (const char *at = map; *at; at++) {
        if (*at == '|') bit = 0, index = value;
        if (*at != 'i' && *at != 'j' && *at != 'k') continue;
        uint32_t step = (uint32_t)atoi(at + 1);
        if (index >> bit++ & 1) *(*at == 'k' ? k : row) += step;
    }
}

typedef struct played {
    uint32_t memory[MOST];            /* element of the tile that each of shared memory is; UINT32_MAX: none */
    uint32_t held[REGISTERS];         /* of one lane: in the order of its reads */
} played;

/* Each thread loads `load_elements` that are beside each other in global memory, aligned, and they lie in shared memory in the order of
 * threads: that is all that a load straight to it can do. */
static inline void play_loads(played *p, const zlay_wave_summary *i)
{
    uint32_t bytes = i->elem_bits / 8;
    memset(p->memory, 0xff, i->smem / bytes * sizeof *p->memory);
    for (uint32_t load = 0; load < i->loads; load++)
        for (uint32_t thread = 0; thread < i->threads; thread++) {
            uint32_t to = (thread + i->threads * load) * i->load_elements;
            uint32_t from = to;
            uint32_t mask = ((1u << i->swizzle_bits) - 1) << i->swizzle_base;
            from ^= to >> i->swizzle_shift & mask;
            assert_int_equal(from % i->depth * bytes % i->load_bytes, 0);
            for (uint32_t e = 0; e < i->load_elements; e++) {
                assert_true(to + e < i->smem / bytes && p->memory[to + e] == UINT32_MAX);
                p->memory[to + e] = from + e;
            }
        }
    for (uint32_t e = 0; e < i->smem / bytes; e++) assert_true(p->memory[e] != UINT32_MAX);
}

static inline uint32_t first_address(const zlay_wave *w, uint32_t lane)
{
    int64_t at = -1;
    assert_int_equal(zlay_layout_eval(&at, 1, zlay_wave_layout(w, ZLAY_WAVE_FROM), lane), ZLAY_OK);
    return (uint32_t)at;
}

/* A lane's reads of one part, in order; addresses by the rule of zlay_wave_summary where there is one. */
static inline uint32_t play_reads(played *p, const zlay_wave *w, const zlay_wave_summary *i, uint32_t lane, uint32_t part)
{
    uint32_t bytes = i->elem_bits / 8, each = i->read_bytes / bytes, held = 0;
    const zlay_layout *from = zlay_wave_layout(w, ZLAY_WAVE_FROM);
    for (uint32_t block = 0; block < i->blocks; block++)
        for (uint32_t read = 0; read < i->reads; read++) {
            uint32_t at = first_address(w, lane) * bytes ^ read * i->read_xor;
            at += block * i->block_bytes + part * i->part_bytes;
            uint64_t instance = read + i->reads * (block + (uint64_t)i->blocks * part);
            int64_t said = -1;
            assert_int_equal(zlay_layout_eval(&said, 1, from, lane + 64 * each * instance), ZLAY_OK);
            if (i->reads > 1 && !i->read_xor) at = (uint32_t)said * bytes;
            assert_int_equal(at, (uint32_t)said * bytes);
            assert_int_equal(at % i->read_bytes, 0);
            for (uint32_t e = 0; e < each; e++) p->held[held++] = p->memory[at / bytes + e];
        }
    return held;
}

static inline uint32_t order_of(const zlay_wave *w, uint32_t k)
{
    int64_t at = -1;
    assert_int_equal(zlay_layout_eval(&at, 1, zlay_wave_layout(w, ZLAY_WAVE_ORDER), k), ZLAY_OK);
    return (uint32_t)at;
}

/* Registers are filled in order: instructions along K, then along the rows. */
static inline void check_held(const played *p, const zlay_wave *w, const zlay_wave_summary *i, const form *f, const char *map, uint32_t lane, uint32_t part)
{
    uint32_t side = map == f->a ? f->m : f->n, each = side * f->k / 64, at = 0;
    for (uint32_t block = 0; block < i->blocks; block++)
        for (uint32_t step = 0; step < i->steps; step++)
            for (uint32_t v = 0; v < each; v++, at++) {
                uint32_t row, k;
                element_of(map, lane, v, &row, &k);
                row += side * (block + i->blocks * part);
                uint32_t want = row * i->depth + order_of(w, k + f->k * step);
                if (p->held[at] != want) fail_msg("%s %ux%ux%u lane %u part %u value %u: %u, not %u", f->target, f->m, f->n, f->k, lane, part, at, p->held[at], want);
            }
}

static inline void check_order(const zlay_wave *w, const zlay_wave_summary *i, bool any)
{
    static uint8_t seen[1 << 16];
    memset(seen, 0, sizeof seen);
    for (uint32_t k = 0; k < i->depth; k++) {
        uint32_t to = order_of(w, k);
        assert_true(to < i->depth && !seen[to]++);
        if (!any) assert_int_equal(to, k);
    }
}

static inline void check_certificates(zlay_ctx *ctx, const zlay_wave *w)
{
    const zlay_layout *a, *b;
    uint32_t i = 0;
    for (; zlay_wave_certificate(&a, &b, w, i) == ZLAY_OK; i++) {
        zlay_answer same = ZLAY_NO;
        zlay_witness witness;
        assert_int_equal(zlay_layout_equal(ctx, &same, &witness, a, b), ZLAY_OK);
        assert_int_equal(same, ZLAY_YES);
    }
    assert_int_equal(i, 2);
}

/* Wavefronts counted once more, of the addresses that were played. */
static inline void check_counts(const zlay_wave *w, const zlay_wave_summary *i)
{
    uint64_t sum = 0;
    uint32_t each = i->read_bytes * 8 / i->elem_bits, address[64];
    const zlay_layout *from = zlay_wave_layout(w, ZLAY_WAVE_FROM);
    if (i->reads_counted != ZLAY_YES) {
        assert_true(!i->read_wavefronts && !i->read_ideal);
        return;
    }
    for (uint64_t n = 0; n < (uint64_t)i->reads * i->blocks * i->parts; n++) {
        zlay_bank bank;
        for (uint32_t lane = 0; lane < 64; lane++) {
            int64_t at;
            assert_int_equal(zlay_layout_eval(&at, 1, from, lane + 64 * each * n), ZLAY_OK);
            address[lane] = (uint32_t)at * (i->elem_bits / 8);
        }
        assert_int_equal(zlay_bank_conflicts(&bank, i->target, i->read, address, 64), ZLAY_OK);
        sum += bank.wavefronts;
    }
    assert_int_equal(sum, i->read_wavefronts);
}

static inline void check_plan(zlay_ctx *ctx, played *p, const zlay_wave *w, const form *f, const zlay_wave_request *r)
{
    zlay_wave_summary i;
    const char *map = r->fragment == ZLAY_FRAGMENT_A ? f->a : f->b;
    assert_int_equal(zlay_wave_info(&i, w), ZLAY_OK);
    check_certificates(ctx, w);
    check_order(w, &i, r->any_order);
    check_counts(w, &i);
    play_loads(p, &i);
    for (uint32_t part = 0; part < i.parts; part++)
        for (uint32_t lane = 0; lane < 64; lane++) {
            uint32_t held = play_reads(p, w, &i, lane, part);
            assert_int_equal(held * i.elem_bits, i.registers * 32);
            check_held(p, w, &i, f, map, lane, part);
        }
}

#endif
