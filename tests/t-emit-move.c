/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that move a tile by threads: their text is executed on memory, thread by thread, and
 * every byte of the destination and around it is what the request says; ptxas takes the text. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */
#include "assembler.h"
#include "heap.h"
#include "move_trial.h"

/* ---- what is drawn ------------------------------------------------------------------ */

/* A request with what its names are; real[0] is empty where there are none. */
typedef struct drawn {
    wanted w;
    char real[2][256];
    int64_t value[VALUES];
    zlay_facts *facts;
} drawn;

typedef void drawing(zlay_ctx *ctx, drawn *d, uint64_t *seed);

static void draw_sides(zlay_ctx *ctx, drawn *d, uint64_t *seed)
{
    static const uint32_t bits[] = {4, 128, 2, 1};
    (void)ctx;
    if (!test_range(seed, 0, 9)) d->w.r.elem_bits = bits[test_range(seed, 0, 3)];
}

static void draw_peers(zlay_ctx *ctx, drawn *d, uint64_t *seed)
{
    static const int32_t spaces[][2] = {{ZLAY_MOVE_SHARED, ZLAY_MOVE_PEER},
                                        {ZLAY_MOVE_PEER, ZLAY_MOVE_SHARED},
                                        {ZLAY_MOVE_GLOBAL, ZLAY_MOVE_PEER},
                                        {ZLAY_MOVE_PEER, ZLAY_MOVE_GLOBAL},
                                        {ZLAY_MOVE_PEER, ZLAY_MOVE_PEER}};
    int64_t i = test_range(seed, 0, 4);
    (void)ctx;
    d->w.r.source.space = spaces[i][0];
    d->w.r.dest.space = spaces[i][1];
    d->w.r.path = test_range(seed, 0, 2) ? 0 : ZLAY_PATH_BULK;
    d->w.target = test_range(seed, 0, 1) ? "sm_90a" : "sm_100a";
}

static void draw_points(zlay_ctx *ctx, drawn *d, uint64_t *seed)
{
    (void)ctx;
    if (test_range(seed, 0, 1)) {
        draw_pieces(seed, &d->w);
        return;
    }
    int bits = (int)test_range(seed, 5, 9), same = (int)test_range(seed, 0, 4);
    for (int s = 0; s < 2; s++) draw_matrix(seed, d->w.text[s], bits, same);
}

static void draw_fragments(zlay_ctx *ctx, drawn *d, uint64_t *seed)
{
    static const int32_t spaces[] = {ZLAY_MOVE_SHARED, ZLAY_MOVE_SHARED, ZLAY_MOVE_GLOBAL,
                                     ZLAY_MOVE_PEER};
    int held = (int)test_range(seed, 0, 3);
    bool load = test_range(seed, 0, 1);
    zlay_copy_side memory = {NULL, spaces[test_range(seed, 0, 3)], 0, 128};
    zlay_copy_side slots = {NULL, ZLAY_MOVE_REGISTER, 0, 0};
    (void)ctx;
    draw_bits(seed, d->w.text[!load], d->w.text[load], held);
    d->w.r = (zlay_copy_request){.size = sizeof d->w.r,
                                 .elem_bits = 8u << test_range(seed, 0, 3),
                                 .threads = 256,
                                 .source = load ? memory : slots,
                                 .dest = load ? slots : memory,
                                 .registers = 1u << held};
    if (test_range(seed, 0, 1)) d->w.r.elem_bits = 16;
    if (memory.space == ZLAY_MOVE_PEER) d->w.target = "sm_90a";
}

static void draw_names(zlay_ctx *ctx, drawn *d, uint64_t *seed)
{
    pitched p = draw_pitched(seed);
    char facts[3][64];
    const char *at[] = {facts[0], facts[1], facts[2]};
    size_t length[3];
    long long columns = p.columns, rows = p.rows;
    sprintf(facts[0], "ld = %lld mod %lld", (long long)p.rem[0], (long long)p.mod[0]);
    sprintf(facts[1], "N = %lld mod %lld", (long long)p.rem[1], (long long)p.mod[1]);
    sprintf(facts[2], "N >= 64");
    for (int i = 0; i < 3; i++) length[i] = strlen(facts[i]);
    assert_int_equal(zlay_facts_parse(ctx, &d->facts, 3, at, length), ZLAY_OK);
    sprintf(d->w.text[0], "%d*ld - 2*ld*N + 3 o (%lld,%lld):(1,%s)", 2 * (int)p.value[1], columns,
            rows, p.times > 1 ? "2*ld" : "ld");
    sprintf(d->w.text[1], "(%lld,%lld):%s", columns, rows, p.turned ? "(N,1)" : "(1,N)");
    sprintf(d->real[0], "3 o (%lld,%lld):(1,%lld)", columns, rows,
            (long long)(p.times * p.value[0]));
    sprintf(d->real[1], "(%lld,%lld):(%lld,%lld)", columns, rows,
            p.turned ? (long long)p.value[1] : 1, p.turned ? 1 : (long long)p.value[1]);
    memcpy(d->value, p.value, sizeof d->value);
    d->w.r = p.r;
    d->w.r.facts = d->facts;
}

static const struct {
    const char *name;
    drawing *draw;
    int32_t path;
    uint64_t least, each; /* functions that are checked at least; draws of a hundred */
} kinds[] = {{"least cost", draw_sides, 0, 30, 100},
             {"threads", draw_sides, ZLAY_PATH_THREADS, 30, 100},
             {"cp.async", draw_sides, ZLAY_PATH_CP_ASYNC, 5, 100},
             {"bulk", draw_sides, ZLAY_PATH_BULK, 2, 60},
             {"realign", draw_sides, ZLAY_PATH_REALIGN, 5, 100},
             {"peers", draw_peers, 0, 10, 40},
             {"points", draw_points, 0, 15, 40},
             {"fragments", draw_fragments, 0, 30, 80},
             {"names", draw_names, 0, 15, 30}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static drawn draw_kind(zlay_ctx *ctx, size_t kind, uint64_t *seed)
{
    drawn d = {.w = draw(seed)};
    if (d.w.target[0] != 's') d.w.target = "sm_90a";
    d.w.r.path = kinds[kind].path;
    if (d.w.r.path == ZLAY_PATH_BULK || d.w.r.dest.space == ZLAY_MOVE_PEER) d.w.target = "sm_90a";
    kinds[kind].draw(ctx, &d, seed);
    return d;
}

static bool drawn_begin(zlay_ctx *ctx, trial *t, drawn *d, uint64_t *seed)
{
    const char *const real[] = {d->real[0], d->real[1]};
    memcpy(t->value, d->value, sizeof t->value);
    return trial_begin(ctx, t, &d->w, seed, d->real[0][0] ? real : NULL);
}

static void drawn_end(trial *t, drawn *d)
{
    trial_end(t);
    zlay_facts_free(d->facts);
}

static void test_drawn(void **state)
{
    uint64_t seed = test_seed("functions");
    for (size_t k = 0; k < KINDS; k++) {
        uint64_t checked = 0;
        for (uint64_t i = 0; i < test_iterations(2 * kinds[k].each); i++) {
            static trial t;
            drawn d = draw_kind(*state, k, &seed);
            bool any = drawn_begin(*state, &t, &d, &seed);
            uint64_t bad = any ? wrong_bytes(&t, t.text) : 0;
            if (bad)
                fail_msg("%s: %s -> %s, %u bits: %d bytes\n%s", kinds[k].name, d.w.text[0],
                         d.w.text[1], t.bits, (int)bad, t.text);
            checked += any;
            drawn_end(&t, &d);
        }
        print_message("%s: %d functions\n", kinds[k].name, (int)checked);
        assert_true(checked >= kinds[k].least);
    }
}

/* ---- the checks themselves ------------------------------------------------------------- */

/* The text without its n-th store or copy; NULL: it has no more. */
static char *without(const char *text, uint64_t n)
{
    char *cut = strdup(text);
    assert_non_null(cut);
    for (char *at = cut, *next; (next = strchr(at, '\n')); at = next + 1) {
        bool writes = !strncmp(at, "    st", 6) || !strncmp(at, "    cp.async", 12) ||
                      !strncmp(at, "    ldmatrix", 12);
        if (!writes || n--) continue;
        memmove(at, next + 1, strlen(next + 1) + 1);
        return cut;
    }
    free(cut);
    return NULL;
}

/* No store is there for nothing: a text that lacks one leaves bytes as they were. */
static void test_mutants(void **state)
{
    uint64_t seed = test_seed("mutants"), mutants = 0;
    for (uint64_t i = 0; i < test_iterations(90); i++) {
        static trial t;
        drawn d = draw_kind(*state, i % KINDS, &seed);
        bool any = drawn_begin(*state, &t, &d, &seed);
        char *cut;
        for (uint64_t n = 0; any && n < 4 && (cut = without(t.text, n)); n++, mutants++) {
            if (!wrong_bytes(&t, cut)) fail_msg("write %d is not missed:\n%s", (int)n, t.text);
            free(cut);
        }
        drawn_end(&t, &d);
    }
    assert_true(mutants > 40);
}

/* ---- assemblers ------------------------------------------------------------------------ */

static void test_assembles(void **state)
{
    static const char *const targets[] = {"sm_80", "sm_90a", "sm_100a"};
    uint64_t seed = test_seed("assembled functions"), taken = 0;
    need_assembler();
    for (uint64_t i = 0; i < test_iterations(60) && taken < 36; i++) {
        static trial t;
        drawn d = draw_kind(*state, i % KINDS, &seed);
        bool late = by_barrier(d.w.r.path) || d.w.r.source.space == ZLAY_MOVE_PEER ||
                    d.w.r.dest.space == ZLAY_MOVE_PEER;
        d.w.target = targets[late ? 1 + i / KINDS % 2 : i / KINDS % 3];
        bool any = drawn_begin(*state, &t, &d, &seed);
        if (any && !assembles(d.w.target, t.text)) fail_msg("%s: %s", d.w.target, t.text);
        taken += any;
        drawn_end(&t, &d);
    }
    assert_true(taken >= 20);
}

/* ---- refusals --------------------------------------------------------------------------- */

static void test_refused(void **state)
{
    zlay_layout *a = read_layout(*state, "(8,64):(1,8)");
    zlay_copy_request r = {.size = sizeof r, .elem_bits = 16, .source = {a, ZLAY_MOVE_GLOBAL, 0, 16},
                           .dest = {a, ZLAY_MOVE_SHARED, 0, 16}};
    zlay_move *move = NULL, *other = NULL;
    char text[8] = "before";
    zlay_buf buf = {text, sizeof text, 0};
    assert_int_equal(zlay_copy_synth(*state, &move, target_of("sm_90a"), &r), ZLAY_OK);
    assert_int_equal(zlay_copy_synth(*state, &other, target_of("gfx942"), &r), ZLAY_OK);
    assert_int_equal(zlay_emit_move(*state, &buf, move, "f", 1), ZLAY_EROOM);
    assert_true(buf.need > sizeof text);
    assert_int_equal(zlay_emit_move(*state, &buf, move, "add", 3), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_move(*state, &buf, other, "f", 1), ZLAY_ENOTSUP);
    assert_int_equal(zlay_emit_move(*state, NULL, move, "f", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_move(*state, &buf, NULL, "f", 1), ZLAY_EINVAL);
    assert_string_equal(text, "before");
    zlay_move_free(move);
    zlay_move_free(other);
    zlay_layout_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn),
        cmocka_unit_test(test_mutants),
        cmocka_unit_test(test_assembles),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
