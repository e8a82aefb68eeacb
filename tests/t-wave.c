/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of operands through shared memory, played byte for byte by what a load, a store and a read are, with the numbers of zlay_wave_info
 * alone; what registers then hold is held against the maps that AMD's calculator prints. */
#include "heap.h"
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

static int32_t type_of(const char *target_name, const char *name)
{
    int32_t type = -1;
    assert_int_equal(zlay_type_find(&type, name, strlen(name)), ZLAY_OK);
    return zlay_target_type(target_of(target_name), type);
}

static zlay_wave_request request_of(const form *f)
{
    zlay_wave_request r = {.size = sizeof r, .threads = 256};
    r.mma = (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = f->m, .n = f->n, .k = f->k};
    r.mma.a = r.mma.b = type_of(f->target, f->type);
    r.mma.d = r.mma.a == ZLAY_TYPE_S8 ? ZLAY_TYPE_S32 : r.mma.a == ZLAY_TYPE_F64 ? ZLAY_TYPE_F64 : ZLAY_TYPE_F32;
    return r;
}

/* Row and k of an operand's element, by the bases of the calculator. */
static void element_of(const char *map, uint32_t lane, uint32_t value, uint32_t *row, uint32_t *k)
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
static void play_loads(played *p, const zlay_wave_info *i)
{
    uint32_t bytes = i->elem_bits / 8;
    memset(p->memory, 0xff, sizeof p->memory);
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

static uint32_t first_address(const zlay_wave *w, uint32_t lane)
{
    int64_t at = -1;
    assert_int_equal(zlay_layout_eval(&at, 1, zlay_wave_layout(w, ZLAY_WAVE_FROM), lane), ZLAY_OK);
    return (uint32_t)at;
}

/* A lane's reads of one part, in order; addresses by the rule of zlay_wave_info where there is one. */
static uint32_t play_reads(played *p, const zlay_wave *w, const zlay_wave_info *i, uint32_t lane, uint32_t part)
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

static uint32_t order_of(const zlay_wave *w, uint32_t k)
{
    int64_t at = -1;
    assert_int_equal(zlay_layout_eval(&at, 1, zlay_wave_layout(w, ZLAY_WAVE_ORDER), k), ZLAY_OK);
    return (uint32_t)at;
}

/* Registers are filled in order: instructions along K, then along the rows. */
static void check_held(const played *p, const zlay_wave *w, const zlay_wave_info *i, const form *f, const char *map, uint32_t lane, uint32_t part)
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

static void check_order(const zlay_wave *w, const zlay_wave_info *i, bool any)
{
    static uint8_t seen[1 << 16];
    memset(seen, 0, sizeof seen);
    for (uint32_t k = 0; k < i->depth; k++) {
        uint32_t to = order_of(w, k);
        assert_true(to < i->depth && !seen[to]++);
        if (!any) assert_int_equal(to, k);
    }
}

static void check_certificates(zlay_ctx *ctx, const zlay_wave *w)
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
static void check_counts(const zlay_wave *w, const zlay_wave_info *i)
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
        assert_int_equal(zlay_bank_count(&bank, i->target, i->read, address, 64), ZLAY_OK);
        sum += bank.wavefronts;
    }
    assert_int_equal(sum, i->read_wavefronts);
}

static void check_plan(zlay_ctx *ctx, played *p, const zlay_wave *w, const form *f, const zlay_wave_request *r)
{
    zlay_wave_info i;
    const char *map = r->fragment == ZLAY_FRAGMENT_A ? f->a : f->b;
    assert_int_equal(zlay_wave_get(&i, w), ZLAY_OK);
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

typedef struct tally {
    uint32_t plans, none, direct, free_of_conflict, counted;
} tally;

static zlay_wave_request draw(uint64_t *s, const form *f)
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

static void random_plans(void **state)
{
    static played p;
    tally t = {0};
    zlay_ctx *ctx = *state;
    uint64_t s = test_seed("t-wave");
    for (uint64_t n = 0; n < test_iterations(1200); n++) {
        const form *f = &forms[test_range(&s, 0, FORMS - 1)];
        if (!f->target) continue;
        zlay_wave_request r = draw(&s, f);
        zlay_wave_info i;
        zlay_wave *w = NULL;
        zlay_status status = zlay_wave_synth(ctx, &w, target_of(f->target), &r);
        if (status == ZLAY_NONE || status == ZLAY_ENOTSUP) {
            assert_null(w);
            assert_non_null(strstr(zlay_ctx_message(ctx), status == ZLAY_NONE ? "SMEM_BLOCK" : ": no "));
            t.none++;
            continue;
        }
        if (status) fail_msg("%d: %s", status, zlay_ctx_message(ctx));
        check_plan(ctx, &p, w, f, &r);
        zlay_wave_get(&i, w);
        t.plans++, t.direct += i.direct;
        t.counted += i.reads_counted == ZLAY_YES;
        t.free_of_conflict += i.reads_counted == ZLAY_YES && i.read_wavefronts == i.read_ideal;
        zlay_wave_free(w);
    }
    printf("%u plans, %u of them straight, %u of %u counted ones without conflict; %u none\n", t.plans, t.direct, t.free_of_conflict, t.counted, t.none);
    assert_true(t.plans > t.none && t.direct && t.counted);
}

static zlay_wave_request plain(void)
{
    zlay_wave_request r = {.size = sizeof r, .fragment = ZLAY_FRAGMENT_A, .rows = 128, .depth = 64, .threads = 256, .parts = 4};
    r.mma = (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = 32, .n = 32, .k = 16, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    return r;
}

static zlay_status waved(zlay_ctx *ctx, void *request)
{
    zlay_wave *w = (zlay_wave *)1;
    zlay_status status = zlay_wave_synth(ctx, &w, target_of("gfx950"), request);
    if (status) assert_null(w);
    zlay_wave_free(w);
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    zlay_wave_request r = plain();
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(heap_fails_each(&h, ctx, waved, &r), ZLAY_OK);
    assert_in_range(h.calls, 14, 999);
    heap_close(&h, ctx);
}

static void refuses(zlay_ctx *ctx, const char *on, zlay_wave_request r, zlay_status want, const char *word)
{
    zlay_wave *w = (zlay_wave *)1;
    assert_int_equal(zlay_wave_synth(ctx, &w, target_of(on), &r), want);
    assert_null(w);
    if (!strstr(zlay_ctx_message(ctx), word)) fail_msg("no %s: %s", word, zlay_ctx_message(ctx));
}

#define WITH(field, value) (r = plain(), r.field = (value), r)

static void what_is_none(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_wave_request r;
    refuses(ctx, "gfx942", plain(), ZLAY_NONE, "MFMA_K");
    refuses(ctx, "sm_90a", plain(), ZLAY_NONE, "MFMA_TARGET");
    refuses(ctx, "gfx950", WITH(rows, 4096), ZLAY_NONE, "SMEM_BLOCK");
    refuses(ctx, "gfx950", WITH(size, 3), ZLAY_EINVAL, "size");
    refuses(ctx, "gfx950", WITH(size, sizeof r + 1), ZLAY_EINVAL, "size");
    refuses(ctx, "gfx950", WITH(reserved[3], 1), ZLAY_EINVAL, "reserved");
    refuses(ctx, "gfx950", WITH(fragment, ZLAY_FRAGMENT_D), ZLAY_EINVAL, "fragment");
    refuses(ctx, "gfx950", WITH(path, 3), ZLAY_EINVAL, "path");
    refuses(ctx, "gfx950", WITH(any_order, 2), ZLAY_EINVAL, "any_order");
    refuses(ctx, "gfx950", WITH(align, 12), ZLAY_EINVAL, "align");
    refuses(ctx, "gfx950", WITH(rows, 0), ZLAY_EINVAL, "rows");
    refuses(ctx, "gfx950", WITH(rows, 96), ZLAY_EINVAL, "rows: a multiple of 128");
    refuses(ctx, "gfx950", WITH(depth, 48), ZLAY_EINVAL, "depth");
    refuses(ctx, "gfx950", WITH(depth, 8), ZLAY_EINVAL, "depth: a multiple of 16");
    refuses(ctx, "gfx950", WITH(threads, 32), ZLAY_EINVAL, "threads");
    refuses(ctx, "gfx950", WITH(threads, 2048), ZLAY_EINVAL, "threads");
    refuses(ctx, "gfx950", WITH(parts, 5), ZLAY_EINVAL, "parts");
    refuses(ctx, "gfx950", WITH(mma.reserved[0], 1), ZLAY_EINVAL, "");
    refuses(ctx, "gfx950", WITH(mma.k, 17), ZLAY_NONE, "MFMA_K");
    refuses(ctx, "gfx1250", (r = plain(), r.mma.m = r.mma.n = 16, r.mma.k = 32, r), ZLAY_ENOTSUP, "undecided");
    refuses(ctx, "gfx950", (r = plain(), r.mma.k = 4, r), ZLAY_ENOTSUP, "one block");
    r = plain();
    zlay_wave *w = (zlay_wave *)1;
    assert_int_equal(zlay_wave_synth(ctx, NULL, target_of("gfx950"), &r), ZLAY_EINVAL);
    assert_int_equal(zlay_wave_synth(ctx, &w, NULL, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_wave_synth(ctx, &w, target_of("gfx950"), NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_wave_synth(NULL, &w, target_of("gfx950"), &r), ZLAY_EINVAL);
    assert_null(w);
    zlay_wave_free(NULL);
    assert_null(zlay_wave_layout(NULL, 0));
}

/* Any value of any word of a request has an answer. */
static void hostile(void **state)
{
    zlay_ctx *ctx = *state;
    uint64_t s = test_seed("t-wave-hostile");
    for (uint64_t n = 0; n < test_iterations(20000); n++) {
        zlay_wave_request r = plain();
        zlay_wave *w = NULL;
        for (int64_t k = test_range(&s, 1, 3); k > 0; k--) {
            uint32_t *word = (uint32_t *)(void *)&r + test_range(&s, 0, (int64_t)(sizeof r / 4) - 1);
            *word = test_range(&s, 0, 1) ? (uint32_t)test_random(&s) : (uint32_t)1 << test_range(&s, 0, 31);
        }
        zlay_status status = zlay_wave_synth(ctx, &w, target_of(test_range(&s, 0, 1) ? "gfx950" : "gfx942"), &r);
        assert_true((status == ZLAY_OK) == (w != NULL) && status != ZLAY_EINTERNAL && status != ZLAY_ENOMEM);
        zlay_wave_free(w);
    }
}

/* The example of zlay/wave.h. */
static void by_hand(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_wave *w = NULL;
    zlay_wave_info i;
    zlay_wave_request r = {.size = sizeof r, .fragment = ZLAY_FRAGMENT_A, .rows = 128, .depth = 64, .threads = 256, .parts = 4};
    r.mma = (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = 32, .n = 32, .k = 16, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    assert_int_equal(zlay_wave_synth(ctx, &w, target_of("gfx950"), &r), ZLAY_OK);
    assert_int_equal(zlay_wave_get(&i, w), ZLAY_OK);
    assert_true(i.direct && i.load_bytes == 16 && i.loads == 4 && i.load_rows == 32 && i.load_steady);
    assert_true(i.swizzle_bits == 3 && i.swizzle_base == 3 && i.swizzle_shift == 4);
    assert_true(i.reads == 4 && i.read_bytes == 16 && i.steps == 4 && i.blocks == 1 && i.step_registers == 4 && i.registers == 16);
    assert_int_equal(i.read_wavefronts, i.read_ideal);
    for (uint32_t t = 0; t < 256; t++) {
        int64_t at;
        assert_int_equal(zlay_layout_eval(&at, 1, zlay_wave_layout(w, ZLAY_WAVE_LOAD), t), ZLAY_OK);
        assert_int_equal(at, t / 8 * 64 + (t % 8 ^ t / 16 % 8) * 8);
    }
    zlay_wave_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(random_plans), cmocka_unit_test(no_memory),
                                       cmocka_unit_test(what_is_none), cmocka_unit_test(hostile)};
    return cmocka_run_group_tests(tests, begin, end);
}
