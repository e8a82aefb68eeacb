/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute layout.vector_width: random layouts of every kind whose values the test computes from the drawn
 * numbers (known.h), so that only the parser is shared.  Each width that is asked for is tried at every group of the
 * mode's coordinates, whatever the kind, from the widest on; a width that differs, NONE where one does, and an index in
 * the message of NONE whose group is in order refute.  A third of the cases each runs under limits.points of 2^22, 64
 * and 8: below them the closed forms must decide or say ELIMIT.  10^4 cases, 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "layouts/known.h"

#include <inttypes.h>

enum { CASES = 10000, CTXS = 3, PATH = 2 };

typedef struct mode {
    uint32_t path[PATH];
    uint64_t depth;
    int step, extent; /* of its coordinate in the index */
} mode;

static known a;
static uint64_t number, wide_of[5], one_of[5], none_of[5], limit_of[5];
static const char *const kinds[] = {"strided", "swizzled", "f2", "modular", "piecewise"};

static _Noreturn void refuted(const char *why, const zlay_vector_request *r)
{
    fail_msg("case %" PRIu64 ": %s: %s, depth %d, path %d %d, %u bytes an element, base %" PRIu64 ", widths %" PRIx64,
             number, why, a.text, (int)r->depth, (int)r->path[0], (int)r->path[1], r->elem_bytes, r->base_align,
             r->widths);
    abort();
}

/* ---- the question ------------------------------------------------------------------------------------------------- */

/* Where strides are drawn freely few modes hold a vector: one mode is made contiguous, the others multiples. */
static void make_wide(uint64_t *seed)
{
    known before = a;
    int at = (int)test_range(seed, 0, a.modes - 1);
    int64_t unit = (int64_t)1 << test_range(seed, 0, 4);
    if (!test_range(seed, 0, 3)) unit = test_range(seed, 2, 12);
    for (int i = 0; i < a.modes; i++)
        if (__builtin_mul_overflow(a.stride[i], unit, &a.stride[i])) a.stride[i] = before.stride[i];
    if (!__builtin_mul_overflow(a.offset, unit, &a.offset) && !test_range(seed, 0, 7)) a.offset += a.offset < INT64_MAX;
    a.stride[at] = 1;
    if (at + 1 < a.modes && test_range(seed, 0, 1)) a.stride[at + 1] = a.shape[at];
    if (!known_in_range(&a)) a = before;
    known_values_strided(&a);
}

/* Pieces that go on by one along a dimension, every other term a multiple; some begin or end inside a vector. */
static void make_wide_pieces(uint64_t *seed)
{
    known before = a;
    int64_t first = a.piece[0].low, unit = (int64_t)1 << test_range(seed, 1, 4);
    if (test_range(seed, 0, 1)) unit = test_range(seed, 2, 6);
    int along = a.modes == 2 && test_range(seed, 0, 1) ? 2 : 1;
    for (int n = 0; n < a.pieces; n++) {
        int64_t *c = a.piece[n].c;
        if (n && !test_range(seed, 0, 7)) continue;
        for (int t = 0; t < 4; t++) c[t] *= unit;
        c[along] = 1;
        if (along == 1) c[0] -= first;
        if (test_range(seed, 0, 3)) c[4] *= along != 1, c[5] *= along != 2;
        if (test_range(seed, 0, 3)) a.piece[n].m = 1, a.piece[n].r = 0;
    }
    if (!known_values_pieces(&a, first)) a = before;
    known_pieces_text(&a);
}

/* A top-level mode, a leaf inside one, or the whole layout. */
static mode draw_mode(uint64_t *seed)
{
    bool strided = a.kind == KNOWN_STRIDED || a.kind == KNOWN_SWIZZLED;
    int nest = strided ? (int)test_range(seed, 0, 3) : 0, first, last;
    bool inner = nest & 2 && a.modes > 2;
    mode m = {{0, 0}, 1, 1, 1};
    if (strided) known_strided_text(&a, nest);
    first = (int)test_range(seed, 0, a.modes - 1), last = first + 1;
    m.path[0] = (uint32_t)first;
    if (inner && first) {
        m.path[0] = 1, m.path[1] = (uint32_t)first - 1, m.depth = 2;
        if (test_range(seed, 0, 1)) first = 1, last = a.modes, m.depth = 1;
    }
    if (!test_range(seed, 0, 5)) first = 0, last = a.modes, m.depth = 0;
    for (int i = 0; i < first; i++) m.step *= (int)a.shape[i];
    for (int i = first; i < last; i++) m.extent *= (int)a.shape[i];
    return m;
}

static zlay_vector_request draw_request(uint64_t *seed, const mode *m)
{
    static const uint32_t elems[] = {1, 1, 1, 2, 2, 3, 4, 8, 12};
    static const uint64_t aligns[] = {1, 2, 4, 8, 12, 16, 48, 96, 128, 1000, 1u << 20, UINT64_MAX, (uint64_t)1 << 63};
    uint64_t widths = test_range(seed, 0, 2) ? 0 : test_random(seed) & ~(uint64_t)1;
    if (widths && test_range(seed, 0, 1)) widths &= test_random(seed) & test_random(seed);
    return (zlay_vector_request){sizeof(zlay_vector_request), elems[test_range(seed, 0, 8)],
                                 aligns[test_range(seed, 0, 12)], widths, m->path, m->depth};
}

/* ---- by brute force -------------------------------------------------------------------------------------------------- */

static bool group_fits(const mode *m, int from, int v)
{
    int there = 0;
    for (int j = 0; j < v; j++) there += a.there[from + j * m->step];
    if (!there) return true;
    for (int j = 0; j < v; j++) {
        int at = from + j * m->step;
        if (!a.there[at] || (known_wide)a.at[at] != (known_wide)a.at[from] + j) return false;
    }
    return a.at[from] % v == 0;
}

static bool fits(const mode *m, int v)
{
    if (m->extent % v) return false;
    for (int i = 0; i < a.size; i++)
        if (i / m->step % m->extent % v == 0 && !group_fits(m, i, v)) return false;
    return true;
}

/* The greatest width; 0: there is none, and *least is the smallest that could be asked for, in elements. */
static int widest(const mode *m, const zlay_vector_request *r, int *least)
{
    int best = 0;
    *least = 0;
    for (int w = 63; w > 0; w--) {
        bool usual = w == 1 || w == 2 || w == 4 || w == 8 || w == 16;
        if (!(r->widths ? (r->widths >> w & 1) != 0 : usual)) continue;
        if (w % (int)r->elem_bytes || r->base_align % (uint64_t)w) continue;
        *least = w / (int)r->elem_bytes;
        if (!best && fits(m, *least)) best = w;
    }
    return best;
}

/* The index that the message of NONE has. */
static void check_message(zlay_ctx *ctx, const mode *m, const zlay_vector_request *r, int least)
{
    const char *at = strstr(zlay_ctx_message(ctx), "at index ");
    if (!at) return;
    int index = atoi(at + strlen("at index "));
    bool begins = index >= 0 && index < a.size && least && m->extent % least == 0 &&
                  index / m->step % m->extent % least == 0;
    if (!begins || group_fits(m, index, least)) refuted("the index of NONE", r);
}

/* ---- the cases ------------------------------------------------------------------------------------------------------- */

static void check_case(zlay_ctx *ctx, uint64_t *seed, bool must)
{
    int least;
    known_draw(seed, &a, number % 8 ? 60 : KNOWN_MOST);
    bool strided = a.kind == KNOWN_STRIDED || a.kind == KNOWN_SWIZZLED;
    if (strided && test_range(seed, 0, 2)) make_wide(seed);
    if (a.kind == KNOWN_PIECEWISE && test_range(seed, 0, 2)) make_wide_pieces(seed);
    mode m = draw_mode(seed);
    zlay_layout *layout = read_layout(ctx, a.text);
    for (int ask = 0; ask < 3; ask++) {
        zlay_vector_request r = draw_request(seed, &m);
        uint64_t got = 0;
        int right = widest(&m, &r, &least);
        zlay_status status = zlay_layout_vector_width(ctx, &got, layout, &r, NULL);
        if (status == ZLAY_ELIMIT && !must) {
            limit_of[a.kind]++;
            continue;
        }
        if (status != (right ? ZLAY_OK : ZLAY_NONE)) refuted(right ? "not OK" : "not NONE", &r);
        if (got != (uint64_t)right) refuted("another width", &r);
        if (!right) check_message(ctx, &m, &r, least);
        if (!right) none_of[a.kind]++;
        else if (right > (int)r.elem_bytes) wide_of[a.kind]++;
        else one_of[a.kind]++;
    }
    zlay_layout_free(layout);
}

static void widths(void **state)
{
    static const zlay_limits limits[CTXS] = {{.size = sizeof(zlay_limits)},
                                             {.size = sizeof(zlay_limits), .points = 64},
                                             {.size = sizeof(zlay_limits), .points = 8}};
    uint64_t seed = test_seed("refute/vector"), count = test_cases(CASES);
    zlay_ctx *ctx[CTXS];
    (void)state;
    for (int c = 0; c < CTXS; c++) assert_int_equal(zlay_ctx_new(&ctx[c], NULL, &limits[c]), ZLAY_OK);
    for (number = 0; number < count; number++) check_case(ctx[number % CTXS], &seed, number % CTXS == 0);
    for (int c = 0; c < CTXS; c++) zlay_ctx_free(ctx[c]);
    for (int k = 0; k < 5; k++) {
        print_message("%s: %" PRIu64 " wider than an element, %" PRIu64 " an element, %" PRIu64 " none, %" PRIu64
                      " limits\n", kinds[k], wide_of[k], one_of[k], none_of[k], limit_of[k]);
        assert_true(wide_of[k] > count / 100 && none_of[k] > count / 50 && one_of[k] > count / 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(widths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
