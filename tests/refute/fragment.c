/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute fragment.synth: layouts (thread, value) drawn near operands of warps and warpgroups, with one or two steps or extents
 * changed, their modes split, their values permuted, or nothing changed.  The figures of the PTX ISA, as formulas of a lane and a value,
 * say at every point which operands a layout is; an operand that zlay misses or adds, and NONE where one is, refute.  Metadata and operands
 * of waves, which tests/legality/matrix/fragment.c and tests/legality/matrix/mfma_fragment.c have point by point, are left out.  10^4 cases, 10^6 with
 * ZLAY_EXHAUSTIVE=1. */
#include "ctx.h"

#include <stdbool.h>
#include <zlay/fragment.h>

enum { CASES = 10000, MODES = 6, POINTS = 4096, FOUND = 32, WARP_KINDS = 5, WIDTHS = 5, WARPGROUP = 128 };

static const uint32_t widths[WIDTHS] = {1, 4, 8, 16, 32};

/* ---- figures --------------------------------------------------------------------------------------------------------- */

/* PTX ISA 9.1: a quad of lanes has a row of A or D and a column of B; a register holds 32 bits along K; further registers of A are eight rows
 * down, then further along K.  A warpgroup's warps have sixteen rows each. */
static int64_t warp_at(int32_t which, uint32_t bits, int64_t l, int64_t i)
{
    int64_t each = 32 / bits, r = i / each, k = each * (l % 4) + i % each;
    switch (which) {
    case ZLAY_WARP_A: return l / 4 + 8 * (r % 2) + 16 * (k + r / 2 * 4 * each);
    case ZLAY_WARP_B: return l / 4 + 8 * (k + r * 4 * each);
    case ZLAY_WARP_D: return l / 4 + 8 * (i / 2) + 16 * (2 * (l % 4) + i % 2);
    case ZLAY_WARP_MATRICES: return l / 4 + 8 * (2 * (l % 4) + i % 2) + 64 * (i / 2);
    default: return 2 * (l % 4) + i % 2 + 8 * (l / 4) + 64 * (i / 2);
    }
}

static int64_t group_at(int32_t which, uint32_t bits, int64_t t, int64_t i)
{
    int64_t each = which == ZLAY_FRAGMENT_D ? 2 : 32 / bits, r = i / each, row = 16 * (t / 32) + t % 32 / 4 + 8 * (r % 2);
    return row + 64 * (each * (t % 4) + i % each + r / 2 * 4 * each);
}

static bool has(int32_t which, uint32_t bits, uint32_t registers)
{
    bool operand = which == ZLAY_WARP_A ? registers == 2 || registers == 4 : which == ZLAY_WARP_B && (registers == 1 || registers == 2);
    if (which <= ZLAY_WARP_B) return operand;
    if (which == ZLAY_WARP_D) return bits == 32 && registers == 4;
    return bits == 16 && (registers == 1 || registers == 2 || registers == 4);
}

/* ---- a layout -------------------------------------------------------------------------------------------------------- */

typedef struct drawn {
    int modes, threads; /* the first so many modes are the thread's */
    int64_t extent[MODES], stride[MODES], start;
    int64_t size, value[POINTS];
    char text[300];
} drawn;

static void drawn_of(drawn *d, int modes, int threads, const int64_t *extent, const int64_t *stride)
{
    d->modes = modes, d->threads = threads, d->start = 0;
    memcpy(d->extent, extent, (size_t)modes * sizeof *extent);
    memcpy(d->stride, stride, (size_t)modes * sizeof *stride);
}

static void near_figure(uint64_t *seed, drawn *d)
{
    int64_t each = 32 / widths[test_range(seed, 0, WIDTHS - 1)], n = test_range(seed, 1, 4), k = 1 << test_range(seed, 0, 1);
    switch (test_range(seed, 0, 6)) {
    case 0: drawn_of(d, 5, 2, (int64_t[]){4, 8, each, 2, k}, (int64_t[]){16 * each, 1, 16, 8, 64 * each}); break;
    case 1: drawn_of(d, 4, 2, (int64_t[]){4, 8, each, k}, (int64_t[]){8 * each, 1, 8, 32 * each}); break;
    case 2: drawn_of(d, 4, 2, (int64_t[]){4, 8, 2, 2}, (int64_t[]){32, 1, 16, 8}); break;
    case 3: drawn_of(d, 4, 2, (int64_t[]){4, 8, 2, n}, (int64_t[]){16, 1, 8, 64}); break;
    case 4: drawn_of(d, 4, 2, (int64_t[]){4, 8, 2, n}, (int64_t[]){2, 8, 1, 64}); break;
    case 5: drawn_of(d, 6, 3, (int64_t[]){4, 8, 4, 2, 2, n}, (int64_t[]){128, 1, 16, 64, 8, 512}); break;
    default: drawn_of(d, 6, 3, (int64_t[]){4, 8, 4, each > 16 ? 16 : each, 2, 2}, (int64_t[]){64 * each, 1, 16, 64, 8, 256 * each}); break;
    }
}

/* Another step, two that change places, another extent, an offset. */
static void change(uint64_t *seed, drawn *d)
{
    int i = (int)test_range(seed, 0, d->modes - 1), j = (int)test_range(seed, 0, d->modes - 1);
    int64_t was = d->stride[i];
    switch (test_range(seed, 0, 5)) {
    case 0: d->stride[i] = d->stride[j], d->stride[j] = was; break;
    case 1: d->stride[i] = (int64_t)1 << test_range(seed, 0, 9); break;
    case 2: d->stride[i] += test_range(seed, -1, 1); break;
    case 3: d->extent[i] = test_range(seed, 1, 8); break;
    case 4: d->start = test_range(seed, 0, 1); break;
    default:
        if ((i < d->threads) != (j < d->threads)) break;
        was = d->extent[i], d->extent[i] = d->extent[j], d->extent[j] = was;
        was = d->stride[i], d->stride[i] = d->stride[j], d->stride[j] = was;
    }
}

static bool read_values(drawn *d)
{
    d->size = 1;
    for (int i = 0; i < d->modes; i++) d->size *= d->extent[i];
    if (d->size > POINTS) return false;
    for (int64_t x = 0; x < d->size; x++) {
        int64_t left = x;
        d->value[x] = d->start;
        for (int i = 0; i < d->modes; left /= d->extent[i++]) d->value[x] += left % d->extent[i] * d->stride[i];
        if (d->value[x] < 0) return false;
    }
    int length = snprintf(d->text, sizeof d->text, "%lld o ((", (long long)d->start);
    for (int part = 0; part < 2; part++) {
        for (int i = 0; i < d->modes; i++)
            length += snprintf(d->text + length, sizeof d->text - (size_t)length, "%s%lld", i == d->threads ? "),(" : i ? "," : "", (long long)(part ? d->stride[i] : d->extent[i]));
        length += snprintf(d->text + length, sizeof d->text - (size_t)length, part ? "))" : ")):((");
    }
    return true;
}

static void draw(uint64_t *seed, drawn *d)
{
    do {
        near_figure(seed, d);
        for (int64_t n = test_range(seed, 0, 2); n > 0; n--) change(seed, d);
    } while (!read_values(d));
}

/* ---- compared -------------------------------------------------------------------------------------------------------- */

static bool is_warp(const drawn *d, int32_t which, uint32_t bits, uint32_t registers)
{
    if (d->size != 32 * registers * (32 / bits)) return false;
    for (int64_t x = 0; x < d->size; x++)
        if (d->value[x] != warp_at(which, bits, x % 32, x / 32)) return false;
    return true;
}

static bool is_group(const drawn *d, int32_t which, uint32_t bits)
{
    int64_t values = d->size / WARPGROUP;
    if (d->size % WARPGROUP || (which == ZLAY_FRAGMENT_D ? values % 4 || values > 128 : values != 4 * (32 / bits))) return false;
    for (int64_t x = 0; x < d->size; x++)
        if (d->value[x] != group_at(which, bits, x % WARPGROUP, x / WARPGROUP)) return false;
    return true;
}

static int found_as(const zlay_fragment *found, size_t count, uint32_t lanes, int32_t which, uint32_t bits, uint32_t registers)
{
    int times = 0;
    for (size_t i = 0; i < count; i++)
        times += found[i].lanes == lanes && found[i].fragment == which && found[i].bits == bits && (!registers || found[i].registers == registers);
    return times;
}

/* How many operands the layout is; each is found once, and nothing else is. */
static int compare(const drawn *d, const zlay_fragment *found, size_t count)
{
    static const int32_t group[] = {ZLAY_FRAGMENT_A, ZLAY_FRAGMENT_D};
    int all = 0, known = 0;
    for (int32_t which = 0; which < WARP_KINDS; which++)
        for (int w = 0; w < WIDTHS; w++)
            for (uint32_t registers = 1; registers <= 4; registers *= 2) {
                if (!has(which, widths[w], registers)) continue;
                bool is = is_warp(d, which, widths[w], registers);
                int times = found_as(found, count, 32, which, widths[w], registers);
                if (times != is) fail_msg("%s: fragment %d of a warp, %u bits, %u registers: found %d times, is %d", d->text, which, widths[w], registers, times, is);
                all += is;
            }
    for (int g = 0; g < 2; g++)
        for (int w = 0; w < WIDTHS; w++) {
            if (g ? widths[w] != 32 : widths[w] == 4) continue;
            bool is = is_group(d, group[g], widths[w]);
            int times = found_as(found, count, WARPGROUP, group[g], widths[w], 0);
            if (times != is) fail_msg("%s: fragment %d of a warpgroup, %u bits: found %d times, is %d", d->text, group[g], widths[w], times, is);
            all += is;
        }
    for (size_t i = 0; i < count; i++) known += found[i].lanes == 32 || (found[i].lanes == WARPGROUP && found[i].fragment != ZLAY_FRAGMENT_METADATA);
    if (known != all) fail_msg("%s: %d operands found, and it is %d", d->text, known, all);
    return all;
}

static void found_or_none(void **state)
{
    static drawn d;
    uint64_t seed = test_seed("refute/fragment"), cases = test_cases(CASES), none = 0, some = 0;
    for (uint64_t n = 0; n < cases; n++) {
        draw(&seed, &d);
        zlay_fragment found[FOUND];
        size_t count = 0;
        zlay_layout *layout = read_layout(*state, d.text);
        zlay_fragment_request r = {.size = sizeof r, .layout = layout};
        zlay_status status = zlay_fragment_synth(*state, found, FOUND, &count, &r);
        if (status && status != ZLAY_NONE) fail_msg("%s: %s", d.text, zlay_ctx_message(*state));
        some += compare(&d, found, status ? 0 : count) > 0;
        none += status == ZLAY_NONE;
        zlay_layout_free(layout);
    }
    printf("%llu layouts: %llu are operands of warps or warpgroups, %llu of none\n", (unsigned long long)cases, (unsigned long long)some, (unsigned long long)none);
    assert_true(some * 5 > cases && none * 5 > cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(found_or_none)};
    return cmocka_run_group_tests(tests, begin, end);
}
