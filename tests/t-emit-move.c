/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that move a tile by threads: their text is executed on memory, thread by thread, and
 * every byte of the destination and around it is what the request says; ptxas takes the text. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */
#include "assembler.h"
#include "copy_draw.h"
#include "heap.h"
#include "layout.h"
#include "ptx-machine.h"

#include <zlay/emit.h>

enum {
    ROOM = 1 << 20,
    SPAN = 1 << 15,                 /* of a side, bytes */
    SHARED_FROM = 0x1000, SHARED_TO = 0x1000 + SPAN / 2,
    GLOBAL_FROM = 1 << 24, GLOBAL_TO = 1 << 28
};

static const zlay_target *target_of(const char *name)
{
    const zlay_target *target = NULL;
    assert_int_equal(zlay_target_find(&target, name, strlen(name)), ZLAY_OK);
    return target;
}

static char *text_of(zlay_ctx *ctx, const zlay_move *move)
{
    char *text = malloc(ROOM);
    zlay_buf buf = {text, ROOM, 0};
    assert_non_null(text);
    zlay_status status = zlay_emit_move(ctx, &buf, move, "moved", 5);
    if (status == ZLAY_OK) return text;
    if (status != ZLAY_ENOTSUP) fail_msg("%s", zlay_ctx_message(ctx));
    free(text);
    return NULL;
}

/* ---- memory ----------------------------------------------------------------------- */

/* A side: its bytes from offset 0 on, random, a margin behind the last. */
typedef struct side {
    uint8_t bytes[SPAN];
    uint64_t at, size;
    bool shared;
} side;

static void side_draw(side *s, uint64_t *seed, int32_t space, int which)
{
    s->shared = space == ZLAY_MOVE_SHARED;
    s->size = s->shared ? SPAN / 2 : SPAN;
    s->at = s->shared ? (which ? SHARED_TO : SHARED_FROM) : (uint64_t)(which ? GLOBAL_TO : GLOBAL_FROM);
    for (uint64_t i = 0; i < s->size; i++) s->bytes[i] = (uint8_t)test_random(seed);
}

static bool fits(const zlay_layout *a, uint32_t bits, const side *s)
{
    for (uint64_t i = 0; i < zlay_layout_size(a); i++) {
        int64_t v = layout_at(a, i);
        if (v < 0 || (uint64_t)(v + 1) * bits / 8 + 64 > s->size) return false;
    }
    return true;
}

static void move_bits(uint8_t *to, int64_t at, const uint8_t *from, int64_t of, uint32_t bits)
{
    for (uint32_t b = 0; b < bits; b++) {
        uint64_t i = (uint64_t)of * bits + b, o = (uint64_t)at * bits + b;
        uint8_t bit = from[i / 8] >> i % 8 & 1;
        to[o / 8] = (uint8_t)((to[o / 8] & ~(1u << o % 8)) | (unsigned)bit << o % 8);
    }
}

/* ---- execution ---------------------------------------------------------------------- */

static void execute(const char *text, uint32_t threads, side *from, side *to)
{
    pm_machine *m = pm_new(text);
    m->returns = true;
    for (int i = 0; i < 2; i++) {
        side *s = i ? to : from;
        if (!s->shared) m->memory[m->memories++] = (pm_memory){s->at, s->size, s->bytes};
    }
    pm_ready(m, 0, threads, from->at, to->at);
    if (from->shared) memcpy(m->shared[0] + from->at, from->bytes, from->size);
    if (to->shared) memcpy(m->shared[0] + to->at, to->bytes, to->size);
    pm_go(m);
    for (uint32_t i = 0; i < threads; i++) pm_land_all(m, &m->thread[i]);
    if (to->shared) memcpy(to->bytes, m->shared[0] + to->at, to->size);
    pm_free(m);
}

/* A drawn request with its move, its text, and memory before the move. */
typedef struct trial {
    zlay_layout *source, *dest;
    zlay_move *move;
    char *text;
    uint32_t bits, threads;
    side from, to;
} trial;

/* false: nothing to check, as it is too large, or no plan or no text is there. */
static bool trial_begin(zlay_ctx *ctx, trial *t, wanted *w, uint64_t *seed)
{
    zlay_move_info info = {0};
    t->source = read_layout(ctx, w->text[0]);
    t->dest = read_layout(ctx, w->text[1]);
    t->move = NULL;
    t->text = NULL;
    t->bits = w->r.elem_bits;
    w->r.source.layout = t->source;
    w->r.dest.layout = t->dest;
    side_draw(&t->from, seed, w->r.source.space, 0);
    side_draw(&t->to, seed, w->r.dest.space, 1);
    bool small = fits(t->source, t->bits, &t->from) && fits(t->dest, t->bits, &t->to);
    if (!small || zlay_copy_synth(ctx, &t->move, target_of(w->target), &w->r)) return false;
    zlay_move_get(&info, t->move);
    t->threads = (info.threads + 31) / 32 * 32;
    t->text = text_of(ctx, t->move);
    return t->text != NULL;
}

static void trial_end(trial *t)
{
    free(t->text);
    zlay_move_free(t->move);
    zlay_layout_free(t->source);
    zlay_layout_free(t->dest);
}

/* Bytes of the destination, and around it, that a text leaves wrong. */
static uint64_t wrong_bytes(const trial *t, const char *text)
{
    static side from, to, want;
    uint64_t bad = 0;
    from = t->from;
    to = want = t->to;
    for (uint64_t i = 0; i < zlay_layout_size(t->dest); i++)
        move_bits(want.bytes, layout_at(t->dest, i), from.bytes, layout_at(t->source, i), t->bits);
    execute(text, t->threads, &from, &to);
    for (uint64_t i = 0; i < to.size; i++) bad += to.bytes[i] != want.bytes[i];
    return bad;
}

static bool printed(const wanted *w)
{
    return w->target[0] == 's' && w->r.dest.space != ZLAY_MOVE_PEER;
}

static const int32_t paths[] = {0, ZLAY_PATH_THREADS, ZLAY_PATH_CP_ASYNC, ZLAY_PATH_BULK,
                                ZLAY_PATH_REALIGN};
enum { PATHS = sizeof paths / sizeof paths[0] };

static void test_drawn(void **state)
{
    uint64_t seed = test_seed("functions");
    for (size_t p = 0; p < PATHS; p++) {
        uint64_t checked = 0;
        for (uint64_t i = 0; i < test_iterations(300); i++) {
            static trial t;
            wanted w = draw(&seed);
            w.r.path = paths[p];
            if (paths[p] == ZLAY_PATH_BULK) w.target = "sm_90a";
            if (!printed(&w)) continue;
            bool any = trial_begin(*state, &t, &w, &seed);
            uint64_t bad = any ? wrong_bytes(&t, t.text) : 0;
            if (bad) fail_msg("%s -> %s: %d bytes\n%s", w.text[0], w.text[1], (int)bad, t.text);
            checked += any;
            trial_end(&t);
        }
        print_message("path %d: %d functions\n", (int)paths[p], (int)checked);
        assert_true(checked >= 5);
    }
}

/* ---- the checks themselves ------------------------------------------------------------- */

/* The text without its n-th store or copy; NULL: it has no more. */
static char *without(const char *text, uint64_t n)
{
    char *cut = strdup(text);
    assert_non_null(cut);
    for (char *at = cut, *next; (next = strchr(at, '\n')); at = next + 1) {
        bool writes = !strncmp(at, "    st.", 7) || !strncmp(at, "    cp.async", 12);
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
    for (uint64_t i = 0; i < test_iterations(60); i++) {
        static trial t;
        wanted w = draw(&seed);
        w.r.path = 0;
        if (!printed(&w)) continue;
        bool any = trial_begin(*state, &t, &w, &seed);
        char *cut;
        for (uint64_t n = 0; any && n < 4 && (cut = without(t.text, n)); n++, mutants++) {
            if (!wrong_bytes(&t, cut)) fail_msg("write %d is not missed:\n%s", (int)n, t.text);
            free(cut);
        }
        trial_end(&t);
    }
    assert_true(mutants > 20);
}

/* ---- assemblers ------------------------------------------------------------------------ */

static void test_assembles(void **state)
{
    static const char *const targets[] = {"sm_80", "sm_90a", "sm_100a"};
    uint64_t seed = test_seed("assembled functions"), taken = 0;
    need_assembler();
    for (uint64_t i = 0; i < test_iterations(40) && taken < 24; i++) {
        static trial t;
        wanted w = draw(&seed);
        w.r.path = paths[i % PATHS];
        w.target = targets[w.r.path == ZLAY_PATH_BULK ? 1 + i / PATHS % 2 : i / PATHS % 3];
        if (!printed(&w)) continue;
        bool any = trial_begin(*state, &t, &w, &seed);
        if (any && !assembles(w.target, t.text)) fail_msg("%s: %s", w.target, t.text);
        taken += any;
        trial_end(&t);
    }
    assert_true(taken >= 8);
}

/* ---- refusals --------------------------------------------------------------------------- */

static void test_refused(void **state)
{
    zlay_layout *a = read_layout(*state, "(8,64):(1,8)");
    zlay_copy_request r = {.size = sizeof r, .elem_bits = 16, .source = {a, ZLAY_MOVE_GLOBAL, 0, 16},
                           .dest = {a, ZLAY_MOVE_SHARED, 0, 16}};
    zlay_move *move = NULL, *peer = NULL;
    char text[8] = "before";
    zlay_buf buf = {text, sizeof text, 0};
    assert_int_equal(zlay_copy_synth(*state, &move, target_of("sm_90a"), &r), ZLAY_OK);
    r.source.space = ZLAY_MOVE_SHARED;
    r.dest.space = ZLAY_MOVE_PEER;
    assert_int_equal(zlay_copy_synth(*state, &peer, target_of("sm_90a"), &r), ZLAY_OK);
    assert_int_equal(zlay_emit_move(*state, &buf, move, "f", 1), ZLAY_EROOM);
    assert_true(buf.need > sizeof text);
    assert_int_equal(zlay_emit_move(*state, &buf, move, "add", 3), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_move(*state, &buf, peer, "f", 1), ZLAY_ENOTSUP);
    assert_int_equal(zlay_emit_move(*state, NULL, move, "f", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_move(*state, &buf, NULL, "f", 1), ZLAY_EINVAL);
    assert_string_equal(text, "before");
    zlay_move_free(move);
    zlay_move_free(peer);
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
