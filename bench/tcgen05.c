/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction descriptors and matrix instructions of tcgen05: packed and unpacked against the shifts that
 * a kernel generator writes by hand and that check nothing, decided against a hand-written predicate. */
#include "bench.h"

#include <string.h>

enum { COUNT = 4096 };

typedef struct state {
    const zlay_target *target;
    zlay_idesc fields[COUNT];
    uint32_t word[COUNT];
    zlay_mma mma[COUNT];
    bool legal[COUNT];
} state;

static uint32_t by_hand(const zlay_idesc *f)
{
    uint32_t a = f->a == ZLAY_TYPE_BF16, b = f->b == ZLAY_TYPE_BF16, d = f->d == ZLAY_TYPE_F32;
    return f->sparse_id | f->sparse << 2 | d << 4 | a << 7 | b << 10 | f->negate_a << 13 |
           f->negate_b << 14 | (uint32_t)f->a_major << 15 | (uint32_t)f->b_major << 16 |
           f->n >> 3 << 17 | f->m >> 4 << 24;
}

static bool pack_work(void *value)
{
    state *s = value;
    uint32_t wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        uint32_t word = 0;
        wrong |= (uint32_t)zlay_idesc_pack(&word, &s->fields[i]) | (word ^ s->word[i]);
    }
    return !wrong;
}

static bool pack_by_hand(void *value)
{
    state *s = value;
    uint32_t wrong = 0;
    for (int i = 0; i < COUNT; i++) wrong |= by_hand(&s->fields[i]) ^ s->word[i];
    return !wrong;
}

static bool same(const zlay_idesc *f, const zlay_idesc *g)
{
    return f->m == g->m && f->n == g->n && f->a == g->a && f->b == g->b && f->sparse == g->sparse;
}

static bool unpack_work(void *value)
{
    state *s = value;
    bool right = true;
    for (int i = 0; i < COUNT; i++) {
        zlay_idesc f;
        right &= zlay_idesc_unpack(&f, ZLAY_KIND_F16, s->word[i]) == ZLAY_OK &&
                 same(&f, &s->fields[i]);
    }
    return right;
}

static bool unpack_by_hand(void *value)
{
    state *s = value;
    bool right = true;
    for (int i = 0; i < COUNT; i++) {
        uint32_t w = s->word[i];
        zlay_idesc f = {.kind = ZLAY_KIND_F16,
                        .a = w >> 7 & 7 ? ZLAY_TYPE_BF16 : ZLAY_TYPE_F16,
                        .b = w >> 10 & 7 ? ZLAY_TYPE_BF16 : ZLAY_TYPE_F16,
                        .d = w >> 4 & 3 ? ZLAY_TYPE_F32 : ZLAY_TYPE_F16,
                        .m = (w >> 24 & 31) << 4,
                        .n = (w >> 17 & 63) << 3,
                        .a_major = (int32_t)(w >> 15 & 1),
                        .b_major = (int32_t)(w >> 16 & 1),
                        .sparse = w >> 2 & 1,
                        .sparse_id = w & 3,
                        .negate_a = w >> 13 & 1,
                        .negate_b = w >> 14 & 1};
        right &= same(&f, &s->fields[i]);
    }
    return right;
}

static bool check_work(void *value)
{
    state *s = value;
    bool right = true;
    for (int i = 0; i < COUNT; i++) {
        zlay_verdict v;
        right &= zlay_mma_check(&v, NULL, 0, s->target, &s->mma[i]) == ZLAY_OK &&
                 (v.answer == ZLAY_YES) == s->legal[i];
    }
    return right;
}

static void draw(state *s)
{
    uint64_t seed = 78;
    memset(s, 0, sizeof *s);
    zlay_target_find(&s->target, "sm_100a", 7);
    for (int i = 0; i < COUNT; i++) {
        uint64_t bits = bench_drawn(&seed);
        s->fields[i] = (zlay_idesc){.kind = ZLAY_KIND_F16,
                                    .a = bits & 1 ? ZLAY_TYPE_BF16 : ZLAY_TYPE_F16,
                                    .b = bits & 2 ? ZLAY_TYPE_BF16 : ZLAY_TYPE_F16,
                                    .d = bits & 4 ? ZLAY_TYPE_F32 : ZLAY_TYPE_F16,
                                    .m = 16 * (uint32_t)(bits >> 3 & 31),
                                    .n = 8 * (uint32_t)(bits >> 8 & 63),
                                    .a_major = bits >> 14 & 1,
                                    .b_major = bits >> 15 & 1,
                                    .sparse = bits >> 16 & 1,
                                    .sparse_id = bits >> 17 & 3,
                                    .negate_a = bits >> 19 & 1,
                                    .negate_b = bits >> 20 & 1};
        s->word[i] = by_hand(&s->fields[i]);
        uint32_t n = 4 * (uint32_t)(bench_drawn(&seed) % 68);
        s->mma[i] = (zlay_mma){.instruction = ZLAY_MMA_TCGEN05,
                               .kind = ZLAY_KIND_F16,
                               .m = 128,
                               .n = n,
                               .k = 16,
                               .a = ZLAY_TYPE_BF16,
                               .b = ZLAY_TYPE_BF16,
                               .d = ZLAY_TYPE_F32};
        s->legal[i] = n % 8 == 0 && n >= 8 && n <= 256;
    }
}

bool bench_tcgen05(zlay_ctx *ctx, bool json)
{
    static state s;
    (void)ctx;
    draw(&s);
    bool right = bench_each("pack an instruction descriptor", "shifts that check nothing", pack_work,
                            pack_by_hand, 0, COUNT, &s, json);
    right = bench_each("unpack an instruction descriptor", "the same", unpack_work, unpack_by_hand, 0,
                       COUNT, &s, json) && right;
    return bench_each("check a tcgen05.mma", "a budget of 500 ns", check_work, NULL, 500, COUNT, &s, json) && right;
}
