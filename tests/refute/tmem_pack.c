/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute tmem.pack: up to five buffers of any columns (1 to 12, 96, 100, around powers of two, above 512), lives that touch or
 * not, also at the ends of 32 bits, alignments and fixed places, in one to four allocations.  The least columns are found by every
 * division of every size and every place of every buffer.  A packing in which two buffers meet, one is misaligned or leaves its
 * allocation, a greater or a smaller number of columns, and NONE where a packing is, refute.  10^4 cases, 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "tiles/tmem-packings.h"

#include <string.h>

enum { CASES = 10000, BUFFERS = 5, PLACES_MOST = 20000 };

static uint32_t gcd(uint32_t a, uint32_t b) { return b ? gcd(b, a % b) : a; }

static uint32_t draw_columns(uint64_t *seed)
{
    static const uint32_t odd[] = {96, 100, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1000};
    switch (test_range(seed, 0, 5)) {
    case 0: return (uint32_t)test_range(seed, 1, 12);
    case 1: return odd[test_range(seed, 0, 11)];
    default: return (uint32_t)test_range(seed, 1, 10) * 32 >> test_range(seed, 0, 2);
    }
}

static uint32_t draw_step(uint64_t *seed, uint32_t base) { return base + (uint32_t)test_range(seed, 0, 5); }

static zlay_tmem_buffer draw_buffer(uint64_t *seed, uint32_t base)
{
    uint32_t a = draw_step(seed, base), b = draw_step(seed, base);
    zlay_tmem_buffer x = {.columns = draw_columns(seed), .first = a < b ? a : b, .last = a < b ? b : a};
    if (!test_range(seed, 0, 3)) x.align = 1u << test_range(seed, 0, 5);
    if (test_range(seed, 0, 9)) return x;
    x.fixed = 1;
    x.offset = (uint32_t)test_range(seed, 0, 16) * 32;
    return x;
}

/* Buffers pushed down lie at multiples of what divides all columns, fixed places and 32. */
static uint32_t unit_of(const zlay_tmem_buffer *b, uint32_t count)
{
    uint32_t unit = 32;
    for (uint32_t i = 0; i < count; i++) unit = gcd(gcd(unit, b[i].columns), b[i].offset);
    return unit;
}

/* As many buffers as all places of them can be tried. */
static uint32_t draw(uint64_t *seed, zlay_tmem_buffer *b, uint32_t *unit)
{
    uint32_t base = test_range(seed, 0, 7) ? 0 : UINT32_MAX - 5, count = (uint32_t)test_range(seed, 1, BUFFERS);
    for (uint32_t i = 0; i < count; i++) b[i] = draw_buffer(seed, base);
    for (;; count--) {
        uint64_t places = 1;
        *unit = unit_of(b, count);
        for (uint32_t i = 0; i < count; i++) places *= 512 / *unit;
        if (count == 1 || places <= PLACES_MOST * 10) return count;
    }
}

static void refuted(const zlay_tmem_pack_request *r, const char *why, uint32_t got, uint32_t wanted)
{
    for (uint32_t i = 0; i < r->count; i++) {
        const zlay_tmem_buffer *b = &r->buffers[i];
        printf("%u columns, steps %u to %u, align %u, fixed %u at %u\n", b->columns, b->first, b->last, b->align, b->fixed, b->offset);
    }
    fail_msg("%u allocations: %s: %u, wanted %u", r->allocations, why, got, wanted);
}

static void check_places(const zlay_tmem_packing *p, const zlay_tmem_pack_request *r)
{
    world w = {.buffer = r->buffers, .count = r->count, .parts = p->allocations};
    uint32_t sum = 0;
    for (uint32_t i = 0; i < p->allocations; i++) {
        w.part[i] = p->allocation[i];
        sum += p->allocation[i];
        if (p->allocation[i] < 32 || (p->allocation[i] & (p->allocation[i] - 1))) refuted(r, "an allocation", p->allocation[i], 32);
    }
    if (sum != p->columns || p->allocations > r->allocations) refuted(r, "allocations", p->allocations, r->allocations);
    for (uint32_t i = 0; i < r->count; i++) {
        w.in[i] = p->in[i];
        w.base[i] = p->offset[i];
        if (p->in[i] >= p->allocations || !fits(&w, i)) refuted(r, "a buffer does not fit", i, 0);
    }
}

static void nothing_smaller(void **state)
{
    const zlay_target *target = target_of("sm_100a");
    uint64_t seed = test_seed("refute/tmem_pack"), count = test_cases(CASES), none = 0, optimal = 0, holes = 0;
    for (uint64_t n = 0; n < count; n++) {
        zlay_tmem_buffer b[BUFFERS];
        uint32_t unit, buffers = draw(&seed, b, &unit);
        zlay_tmem_pack_request r = {.size = sizeof r, .count = buffers, .buffers = b, .allocations = (uint32_t)test_range(&seed, 1, 4)};
        zlay_tmem_packing p;
        zlay_status status = zlay_tmem_pack(*state, &p, target, &r);
        uint32_t least = least_columns(b, buffers, unit, r.allocations);
        if (status && status != ZLAY_NONE) refuted(&r, zlay_ctx_message(*state), (uint32_t)status, 0);
        if (status == ZLAY_NONE && least) refuted(&r, "none", 0, least);
        none += status == ZLAY_NONE;
        if (status) continue;
        if (p.columns != least || !p.optimal || p.least != least) refuted(&r, "columns", p.columns, least);
        check_places(&p, &r);
        optimal++;
        holes += p.columns > (p.alive + 31) / 32 * 32;
    }
    printf("%llu requests: %llu packed in the least columns, %llu of them in more than are alive, %llu none\n", (unsigned long long)count, (unsigned long long)optimal,
           (unsigned long long)holes, (unsigned long long)none);
    assert_true(none * 20 > count && holes * 50 > count && optimal * 3 > count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_smaller)};
    return cmocka_run_group_tests(tests, begin, end);
}
