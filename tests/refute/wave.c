/* SPDX-License-Identifier: Apache-2.0 */
/* Refuter of wave.synth: operands of any matrix instruction of AMD's calculator, with any rows, depth, threads, parts and alignment, legal or
 * not.  A plan's loads and reads are played byte for byte (wave_play.h): registers hold what the instructions take.  EINVAL and NONE are
 * answered where the header and the room of shared memory say so.  Of plans whose reads can be counted no other swizzle of chunks within
 * rows takes fewer wavefronts, none as many with fewer bits, and none fewer than the ideal. */
#include "ctx.h"
#include "tiles/wave_play.h"

enum { CASES = 10000, EACH = 4, PLAYED = 1 << 12 };

typedef struct tally { uint64_t plans, none, wrong, unsupported, counted, other; } tally;

static int below(uint64_t *seed, int count) { return (int)test_range(seed, 0, count - 1); }

static const form *draw_form(uint64_t *s)
{
    const form *f;
    do f = &forms[below(s, FORMS)];
    while (!f->target);
    return f;
}

static zlay_wave_request draw(uint64_t *s, const form *f)
{
    zlay_wave_request r = request_of(f);
    uint32_t bytes = zlay_type_bits(r.mma.a) / 8;
    r.fragment = below(s, 2) ? ZLAY_FRAGMENT_A : ZLAY_FRAGMENT_B;
    uint32_t side = r.fragment == ZLAY_FRAGMENT_A ? f->m : f->n;
    r.threads = 64u << below(s, below(s, 4) ? 3 : 5);
    r.parts = 1 + (uint32_t)below(s, (int)r.threads / 64 < 4 && below(s, 2) ? (int)r.threads / 64 : 1);
    r.rows = side * r.parts * (1 + (uint32_t)below(s, below(s, 4) ? 2 : 5));
    r.depth = f->k << below(s, below(s, 4) ? 2 : 4);
    while (r.depth * bytes < 16 && below(s, 8)) r.depth *= 2;
    r.align = 16u >> (below(s, 4) ? 0 : below(s, 5));
    r.any_order = (uint32_t)below(s, 2);
    r.path = below(s, 3);
    switch (below(s, 24)) {
    case 0: r.rows += (uint32_t)test_range(s, 1, 40); break;
    case 1: r.depth = (uint32_t)test_range(s, 1, 100); break;
    case 2: r.threads = (uint32_t)test_range(s, 1, 2000); break;
    case 3: r.parts = (uint32_t)test_range(s, 1, 20); break;
    case 4: r.align = (uint32_t)test_range(s, 1, 20); break;
    case 5: r.rows *= (uint32_t)test_range(s, 2, 200); break;
    default: break;
    }
    return r;
}

static bool is_power(uint32_t n) { return n && !(n & (n - 1)); }

/* What the header calls wrong. */
static bool is_wrong(const zlay_wave_request *r, const form *f)
{
    uint32_t side = r->fragment == ZLAY_FRAGMENT_A ? f->m : f->n;
    bool sizes = r->rows && r->rows <= 1 << 16 && is_power(r->depth) && is_power(r->align) && is_power(r->threads);
    if (!sizes || r->threads < 64 || r->threads > 1024 || r->parts > r->threads / 64) return true;
    return r->depth % f->k || r->rows % (side * r->parts);
}

static uint64_t room_of(const form *f) { return !strcmp(f->target, "gfx950") ? 163840 : 65536; }

/* ---- swizzles ------------------------------------------------------------------------------------------------------------------ */

typedef struct swizzle { uint32_t bits, base, shift; } swizzle;

static uint32_t swizzled(swizzle s, uint32_t e) { return e ^ (e >> s.shift & ((1u << s.bits) - 1) << s.base); }

/* Wavefronts of all reads of a plan, were its tile under another swizzle. */
static uint64_t wavefronts(const zlay_wave *w, const zlay_wave_summary *i, swizzle s)
{
    const swizzle own = {i->swizzle_bits, i->swizzle_base, i->swizzle_shift};
    const zlay_layout *from = zlay_wave_layout(w, ZLAY_WAVE_FROM);
    uint32_t each = i->read_bytes * 8 / i->elem_bits, address[64];
    uint64_t sum = 0;
    for (uint64_t n = 0; n < (uint64_t)i->reads * i->blocks * i->parts; n++) {
        zlay_bank bank;
        for (uint32_t lane = 0; lane < 64; lane++) {
            int64_t at;
            assert_int_equal(zlay_layout_eval(&at, 1, from, lane + 64 * each * n), ZLAY_OK);
            address[lane] = swizzled(s, swizzled(own, (uint32_t)at)) * (i->elem_bits / 8);
        }
        assert_int_equal(zlay_bank_conflicts(&bank, i->target, i->read, address, 64), ZLAY_OK);
        sum += bank.wavefronts;
    }
    return sum;
}

static uint32_t log2_of(uint32_t n) { return (uint32_t)__builtin_ctz(n); }

/* Chunks of the wider access stay whole and in their rows; the bits that turn them are of the row or, above them, of the column. */
static void no_other_is_better(const zlay_wave *w, const zlay_wave_summary *i, const form *f)
{
    uint32_t bytes = i->elem_bits / 8, wide = i->load_bytes > i->read_bytes ? i->load_bytes : i->read_bytes;
    uint32_t row = log2_of(i->depth), chunk = log2_of(wide / bytes), elements = i->smem / bytes;
    if (i->read_wavefronts < i->read_ideal) fail_msg("%u wavefronts, and the ideal is %u", i->read_wavefronts, i->read_ideal);
    for (uint32_t base = chunk; base < row; base++)
        for (uint32_t bits = 1; base + bits <= row; bits++)
            for (uint32_t shift = bits; shift < 16 && 1u << (base + shift) < elements; shift++) {
                uint64_t here = wavefronts(w, i, (swizzle){bits, base, shift});
                bool better = here < i->read_wavefronts || (here == i->read_wavefronts && bits < i->swizzle_bits && base == chunk && base + shift >= row);
                if (better)
                    fail_msg("%s %ux%ux%u, %u rows, depth %u, %u parts: Sw<%u,%u,%u> takes %u wavefronts, Sw<%u,%u,%u> %llu", f->target, f->m, f->n, f->k, i->rows,
                             i->depth, i->parts, i->swizzle_bits, i->swizzle_base, i->swizzle_shift, i->read_wavefronts, bits, base, shift, (unsigned long long)here);
            }
    uint64_t plain = wavefronts(w, i, (swizzle){0, 0, 0});
    if (plain < i->read_wavefronts || (plain == i->read_wavefronts && i->swizzle_bits)) fail_msg("no swizzle takes %llu wavefronts, of %u", (unsigned long long)plain, i->read_wavefronts);
}

/* ---- requests -------------------------------------------------------------------------------------------------------------------- */

static void check(zlay_ctx *ctx, uint64_t *s, uint64_t n, tally *t)
{
    static played p;
    const form *f = draw_form(s);
    zlay_wave_request r = draw(s, f);
    zlay_wave *w = NULL;
    zlay_wave_summary i;
    uint32_t bytes = zlay_type_bits(r.mma.a) / 8;
    bool wrong = is_wrong(&r, f), large = !wrong && (uint64_t)r.rows * r.depth * bytes > room_of(f);
    zlay_status status = zlay_wave_synth(ctx, &w, target_of(f->target), &r);
    bool fits = wrong ? status == ZLAY_EINVAL : large ? status == ZLAY_NONE : status == ZLAY_OK || status == ZLAY_ENOTSUP;
    if (!fits)
        fail_msg("%s %ux%ux%u: %u rows, depth %u, %u threads, %u parts, align %u, path %d: %d %s", f->target, f->m, f->n, f->k, r.rows, r.depth, r.threads, r.parts,
                 r.align, r.path, status, zlay_ctx_message(ctx));
    t->wrong += wrong;
    t->none += large;
    t->unsupported += status == ZLAY_ENOTSUP;
    if (status) return;
    assert_int_equal(zlay_wave_info(&i, w), ZLAY_OK);
    t->plans++;
    if (r.rows * r.depth <= PLAYED) check_plan(ctx, &p, w, f, &r);
    if (i.reads_counted == ZLAY_YES && n % EACH == 0 && (uint64_t)i.reads * i.blocks * i.parts <= 8) {
        no_other_is_better(w, &i, f);
        t->counted++;
        t->other += i.swizzle_bits > 0;
    }
    zlay_wave_free(w);
}

static void requests(void **state)
{
    uint64_t seed = test_seed("refute-wave"), count = test_cases(CASES);
    tally t = {0};
    for (uint64_t n = 0; n < count; n++) {
        uint64_t own = test_case(seed, n);
        check(*state, &own, n, &t);
    }
    printf("%llu requests: %llu plans, %llu none, %llu wrong, %llu not supported; %llu against every swizzle, %llu of them with one; none refuted\n",
           (unsigned long long)count, (unsigned long long)t.plans, (unsigned long long)t.none, (unsigned long long)t.wrong, (unsigned long long)t.unsupported,
           (unsigned long long)t.counted, (unsigned long long)t.other);
    assert_true(t.plans > count / 3 && t.none && t.wrong > count / 50 && t.counted > count / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(requests)};
    return cmocka_run_group_tests(tests, begin, end);
}
