/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that move a tile by threads: their text is executed on memory, thread by thread, and
 * every byte of the destination and around it is what the request says; ptxas takes the text. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */
#include "assembler.h"
#include "heap.h"
#include "tiles/move_trial.h"

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
    uint64_t seed = test_seed("functions"), sent = 0;
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
            sent += any && strstr(t.text, "st.async");
            drawn_end(&t, &d);
        }
        print_message("%s: %d functions\n", kinds[k].name, (int)checked);
        assert_true(checked >= kinds[k].least);
    }
    print_message("%d of them send words\n", (int)sent);
    assert_true(sent >= 10);
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
        bool late = d.w.r.path == ZLAY_PATH_BULK || d.w.r.source.space == ZLAY_MOVE_PEER ||
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
