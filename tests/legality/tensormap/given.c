/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps under facts, against the check of every map that the facts allow. */
#include "expression.h"
#include "legality.h"

enum { NAMES = 2, VALUES = 80, TEXTS = 4, GUARD = 4096 };
static const char *const names[NAMES] = {"K", "M"};

typedef struct world {
    zlay_tensormap map;
    zlay_given given[TEXTS];
    char text[TEXTS][96], fact[4][64];
    int64_t factor[TEXTS][NAMES], rest[TEXTS], lo[NAMES], hi[NAMES], mod, rem;
    uint32_t count, facts;
    bool single; /* each text has one name, and none is a box */
} world;

static int64_t pick(uint64_t *s, const int64_t *from, size_t count) { return from[test_random(s) % count]; }
#define PICK(s, ...)                                                                               \
    pick(s, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / 8)

static bool taken(const world *w, int32_t field, int32_t index)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (w->given[i].field == field && w->given[i].index == index) return true;
    return false;
}

static void text_add(uint64_t *s, world *w, int32_t field, int32_t index)
{
    uint32_t k = w->count;
    bool both = test_range(s, 0, 3) == 0;
    if (taken(w, field, index)) return;
    int64_t unit = field == ZLAY_FIELD_BOX ? 1 : PICK(s, 1, 2, 4, 8, 16, 256, 1 << 20);
    w->factor[k][0] = unit * PICK(s, 1, 1, 1, 2, 3);
    w->factor[k][1] = both ? unit * PICK(s, 1, 2, -1) : 0;
    w->rest[k] = PICK(s, 0, 0, 0, 8, 16, -1, 1 << 16);
    if (field == ZLAY_FIELD_ADDRESS) w->rest[k] = 1 << 28;
    snprintf(w->text[k], sizeof w->text[k], "%lld*K + %lld*M + %lld", (long long)w->factor[k][0],
             (long long)w->factor[k][1], (long long)w->rest[k]);
    w->given[k] = (zlay_given){field, index, w->text[k], strlen(w->text[k])};
    w->single &= !both && field != ZLAY_FIELD_BOX;
    w->count++;
}

static world draw(uint64_t *s)
{
    static const int32_t fields[] = {ZLAY_FIELD_ADDRESS, ZLAY_FIELD_EXTENT, ZLAY_FIELD_STRIDE,
                                     ZLAY_FIELD_BOX, ZLAY_FIELD_STRIDE};
    world w;
    memset(&w, 0, sizeof w);
    w.single = true;
    int64_t shape = test_range(s, 0, 5);
    w.map = shape < 2 ? legal_map() : shape < 4 ? legal_map3() : legal_columns(1, 4);
    w.map.swizzle = (int32_t)PICK(s, 0, 3);
    w.map.step[w.map.rank - 1] = (uint32_t)PICK(s, 1, 2, 3);
    for (int64_t k = test_range(s, 1, TEXTS); k > 0; k--) {
        int32_t field = fields[test_range(s, 0, w.map.mode ? 2 : 4)];
        uint32_t entries = w.map.rank - (field == ZLAY_FIELD_STRIDE);
        text_add(s, &w, field, field == ZLAY_FIELD_ADDRESS ? 0 : (int32_t)(test_random(s) % entries));
    }
    w.mod = PICK(s, 1, 1, 2, 4, 8, 16);
    w.rem = test_range(s, 0, w.mod - 1) * (test_range(s, 0, 2) == 0);
    w.lo[0] = PICK(s, 0, 1, 8, 16, 60, 128, 200, 2100);
    w.hi[0] = w.lo[0] + PICK(s, 16, 40, 60);
    w.lo[1] = 1;
    w.hi[1] = PICK(s, 1, 2, 4);
    snprintf(w.fact[0], 64, "K mod %lld = %lld", (long long)w.mod, (long long)w.rem);
    snprintf(w.fact[1], 64, "%lld <= K <= %lld", (long long)w.lo[0], (long long)w.hi[0]);
    snprintf(w.fact[2], 64, "1 <= M <= %lld", (long long)w.hi[1]);
    w.facts = 3;
    return w;
}

static zlay_tensormap map_at(const world *w, const int64_t *value)
{
    zlay_tensormap m = w->map;
    for (uint32_t k = 0; k < w->count; k++) {
        int64_t v = w->factor[k][0] * value[0] + w->factor[k][1] * value[1] + w->rest[k];
        uint64_t wide = v < 0 ? UINT64_MAX : (uint64_t)v;
        if (w->given[k].field == ZLAY_FIELD_BOX && wide > UINT32_MAX) wide = UINT32_MAX;
        map_set(&m, w->given[k].field, w->given[k].index, wide);
    }
    return m;
}

static zlay_verdict ask(zlay_ctx *ctx, const world *w, const char *target_name, char *guard)
{
    const char *text[4];
    size_t length[4];
    zlay_facts *facts;
    zlay_verdict v;
    zlay_reason r[REASONS];
    zlay_buf buf = {guard, GUARD, 0};
    zlay_given given[TEXTS];
    memcpy(given, w->given, sizeof given);
    for (uint32_t k = 0; k < w->count; k++) given[k].text = w->text[k];
    for (uint32_t i = 0; i < w->facts; i++) length[i] = strlen(text[i] = w->fact[i]);
    assert_int_equal(zlay_facts_parse(ctx, &facts, w->facts, text, length), ZLAY_OK);
    zlay_tensormap_question q = {sizeof q, w->count, target_of(target_name), &w->map, given, facts};
    assert_int_equal(zlay_tensormap_check_given(ctx, &v, r, REASONS, &buf, &q), ZLAY_OK);
    assert_int_equal(strlen(guard), buf.need);
    assert_true(v.reasons == v.broken + v.noted);
    zlay_facts_free(facts);
    return v;
}

typedef struct tally {
    uint64_t yes, no, depends, points, whole;
} tally;

static void compare(const world *w, const char *name, const zlay_verdict *v, const char *guard, tally *t)
{
    uint64_t legal = 0, points = 0;
    for (int64_t k = w->lo[0]; k <= w->hi[0]; k++)
        for (int64_t m = 1; m <= w->hi[1] && (k - w->rem) % w->mod == 0; m++) {
            int64_t value[NAMES] = {k, m};
            zlay_tensormap map = map_at(w, value);
            bool yes = answer_of(target_of(name), &map) == ZLAY_YES;
            points++;
            legal += yes;
            bool said = v->answer == ZLAY_YES ||
                        (v->answer == ZLAY_DEPENDS && expression_holds(guard, NAMES, names, value));
            if (said != yes)
                fail_msg("K %lld, M %lld: %d, said %d by '%s'; texts %s, %s", (long long)k,
                         (long long)m, yes, v->answer, guard, w->text[0], w->text[1]);
        }
    t->points += points;
    if (v->answer != ZLAY_DEPENDS || !points || !w->single) return;
    t->whole++;
    if (legal == points) fail_msg("all of %s are legal and it depends on '%s'", w->text[0], guard);
}

static void as_every_map_that_the_facts_allow(void **state)
{
    static const char *const targets[] = {"sm_90", "sm_100", "sm_120"};
    uint64_t s = test_seed("legality/tensormap/given");
    tally t = {0, 0, 0, 0, 0};
    zlay_ctx *ctx = *state;
    char guard[GUARD];
    for (uint64_t i = 0; i < test_iterations(6000); i++) {
        world w = draw(&s);
        zlay_verdict v = ask(ctx, &w, targets[i % 3], guard);
        t.yes += v.answer == ZLAY_YES;
        t.no += v.answer == ZLAY_NO;
        t.depends += v.answer == ZLAY_DEPENDS;
        compare(&w, targets[i % 3], &v, guard, &t);
    }
    printf("yes %llu, no %llu, depends %llu; %llu maps\n", (unsigned long long)t.yes,
           (unsigned long long)t.no, (unsigned long long)t.depends, (unsigned long long)t.points);
    assert_true(t.yes > 100 && t.no > 100 && t.depends > 100 && t.whole > 50);
}

/* The example of zlay/tensormap.h. */
static void by_hand(void **state)
{
    static const struct {
        const char *facts[2];
        zlay_answer answer;
        const char *guard;
    } rows[] = {{{"K mod 8 = 0", "8 <= K <= 65536"}, ZLAY_YES, ""},
                {{"K mod 8 = 4", "8 <= K <= 65536"}, ZLAY_NO, ""},
                {{"K mod 4 = 0", "8 <= K <= 65536"}, ZLAY_DEPENDS, "K % 8 == 0"}};
    zlay_ctx *ctx = *state;
    char guard[GUARD];
    for (size_t i = 0; i < 3; i++) {
        world w;
        memset(&w, 0, sizeof w);
        w.map = legal_map();
        w.map.extent[0] = 4;
        w.count = 1;
        w.facts = 2;
        snprintf(w.text[0], sizeof w.text[0], "2*K");
        w.given[0] = (zlay_given){ZLAY_FIELD_STRIDE, 0, w.text[0], 3};
        for (size_t k = 0; k < 2; k++) snprintf(w.fact[k], sizeof w.fact[k], "%s", rows[i].facts[k]);
        zlay_verdict v = ask(ctx, &w, "sm_90", guard);
        assert_int_equal(v.answer, rows[i].answer);
        assert_string_equal(guard, rows[i].guard);
    }
}

static void what_is_no_question(void **state)
{
    zlay_tensormap m = legal_map();
    zlay_given given[2] = {{ZLAY_FIELD_STRIDE, 0, "2*K", 3}, {ZLAY_FIELD_STRIDE, 0, "K", 1}};
    zlay_tensormap_question q = {sizeof q, 2, target_of("sm_90"), &m, given, NULL};
    zlay_verdict v;
    char text[8];
    zlay_buf small = {text, 2, 0};
    zlay_ctx *ctx = *state;
    memset(&v, 7, sizeof v);
    zlay_verdict before = v;
#define ASK(buf) zlay_tensormap_check_given(ctx, &v, NULL, 0, buf, &q)
    assert_int_equal(ASK(NULL), ZLAY_EINVAL); /* twice */
    q.count = 1;
    assert_int_equal(zlay_tensormap_check_given(ctx, NULL, NULL, 0, NULL, &q), ZLAY_EINVAL);
    assert_int_equal(zlay_tensormap_check_given(NULL, &v, NULL, 0, NULL, &q), ZLAY_EINVAL);
    assert_int_equal(zlay_tensormap_check_given(ctx, &v, NULL, 0, NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_tensormap_check_given(ctx, &v, NULL, 1, NULL, &q), ZLAY_EINVAL);
    given[0].index = 1;
    assert_int_equal(ASK(NULL), ZLAY_EINVAL); /* a map of two dimensions has one stride */
    given[0].index = -1;
    assert_int_equal(ASK(NULL), ZLAY_EINVAL);
    given[0] = (zlay_given){ZLAY_FIELD_STEP, 0, "K", 1};
    assert_int_equal(ASK(NULL), ZLAY_EINVAL);
    given[0] = (zlay_given){ZLAY_FIELD_STRIDE, 0, "K*K", 3};
    assert_int_equal(ASK(NULL), ZLAY_EINVAL);
    given[0] = (zlay_given){ZLAY_FIELD_STRIDE, 0, "K /", 3};
    assert_int_equal(ASK(NULL), ZLAY_EINVAL);
    q.count = 16;
    assert_int_equal(ASK(NULL), ZLAY_EINVAL);
    q.count = 1;
    given[0] = (zlay_given){ZLAY_FIELD_STRIDE, 0, "K", 1};
    q.size = sizeof q + 8;
    assert_int_equal(ASK(NULL), ZLAY_EINVAL);
    q.size = sizeof q;
    assert_int_equal(ASK(&small), ZLAY_EROOM);
    assert_true(small.need > 2);
    m.reserved[0] = 1;
    assert_int_equal(ASK(NULL), ZLAY_EINVAL);
    assert_memory_equal(&v, &before, sizeof v);
    m.reserved[0] = 0;
    assert_int_equal(ASK(NULL), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_DEPENDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_every_map_that_the_facts_allow),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(what_is_no_question),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
