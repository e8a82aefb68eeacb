/* SPDX-License-Identifier: Apache-2.0 */
/* Issued copies under facts, against the check of every copy that the facts allow. */
#include "expression.h"
#include "heap.h"
#include "legality.h"

#define ZL_TEST_COUNT(list) (sizeof(list) / sizeof *(list))
enum { NAMES = 2, TEXTS = 6, GUARD = 8192 };
static const char *const names[NAMES] = {"K", "M"};

typedef struct world {
    zlay_issue issue;
    zlay_tensormap map;
    bool mapped, single; /* each text has one name */
    zlay_given given[TEXTS];
    char text[TEXTS][96], fact[3][64];
    int64_t factor[TEXTS][NAMES], rest[TEXTS], lo, hi, most, mod, rem;
    uint32_t count;
} world;

static int64_t pick(uint64_t *s, const int64_t *from, size_t count) { return from[test_random(s) % count]; }
#define PICK(s, ...)                                                                               \
    pick(s, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / 8)

static uint64_t *wide_of(zlay_issue *c, int32_t field)
{
    switch (field) {
    case ZLAY_FIELD_SMEM: return &c->smem;
    case ZLAY_FIELD_SOURCE: return &c->source;
    case ZLAY_FIELD_BARRIER: return &c->barrier;
    case ZLAY_FIELD_EXPECT: return &c->expect;
    case ZLAY_FIELD_BYTES: return &c->bytes;
    default: return &c->count;
    }
}

static const struct {
    int32_t field;
    uint32_t known;
} fields[] = {{ZLAY_FIELD_SMEM, 0},
              {ZLAY_FIELD_SOURCE, 0},
              {ZLAY_FIELD_BARRIER, ZLAY_GIVEN_BARRIER},
              {ZLAY_FIELD_EXPECT, ZLAY_GIVEN_EXPECT},
              {ZLAY_FIELD_BYTES, 0},
              {ZLAY_FIELD_COUNT, ZLAY_GIVEN_COUNT}};

/* Numbers that most rows take, some that they do not, and some that are far off. */
static void numbers_draw(uint64_t *s, world *w)
{
    zlay_issue *c = &w->issue;
    for (size_t i = 0; i < 5; i++) c->coordinate[i] = (int32_t)PICK(s, 0, 64, 128, -64, 4);
    for (size_t i = 0; i < 3; i++) c->offset[i] = (int32_t)PICK(s, 0, 1, 31, 32);
    c->smem = (uint64_t)PICK(s, 0, 1024, 1024, 2048, 128, 232448, -1);
    c->source = (uint64_t)PICK(s, 0, 4096, 4096, 8);
    c->barrier = (uint64_t)PICK(s, 8, 16, 64, 4, -8);
    c->expect = (uint64_t)PICK(s, 8192, 8192, 256, 1 << 20, -1);
    c->bytes = (uint64_t)PICK(s, 8192, 256, 256, 0, -16);
    c->count = (uint64_t)PICK(s, 1, 1, 128, 0);
    for (size_t i = 0; i < 6; i++)
        if (fields[i].known && test_range(s, 0, 1)) c->given |= fields[i].known;
}

static void text_add(uint64_t *s, world *w, int32_t field, int32_t index)
{
    uint32_t k = w->count;
    bool both = test_range(s, 0, 3) == 0, far = test_range(s, 0, 7) == 0;
    for (uint32_t i = 0; i < k; i++)
        if (w->given[i].field == field && w->given[i].index == index) return;
    int64_t unit = PICK(s, 1, 2, 4, 8, 16, 16, 64, 128, 256, far ? 1 << 26 : 128);
    w->factor[k][0] = unit * PICK(s, 1, 1, 1, 2, 3, -1);
    w->factor[k][1] = both ? unit * PICK(s, 1, 2, -1) : 0;
    w->rest[k] = PICK(s, 0, 0, 0, 8, 16, 128, -1, 8192, 1 << 16);
    snprintf(w->text[k], sizeof w->text[k], "%lld*K + %lld*M + %lld", (long long)w->factor[k][0],
             (long long)w->factor[k][1], (long long)w->rest[k]);
    w->given[k] = (zlay_given){field, index, w->text[k], strlen(w->text[k])};
    w->single &= !both;
    w->count++;
}

/* Of the map, boxes of tiled tensor copies alone. */
static void map_text_add(uint64_t *s, world *w)
{
    static const int32_t which[] = {ZLAY_FIELD_ADDRESS, ZLAY_FIELD_EXTENT, ZLAY_FIELD_STRIDE, ZLAY_FIELD_BOX};
    int32_t field = which[test_range(s, 0, w->issue.rank && !w->map.mode ? 3 : 2)];
    int32_t most = (int32_t)w->map.rank - (field == ZLAY_FIELD_STRIDE ? 2 : 1);
    uint32_t k = w->count;
    text_add(s, w, field, field == ZLAY_FIELD_ADDRESS ? 0 : (int32_t)test_range(s, 0, most));
    if (field != ZLAY_FIELD_BOX || w->count == k) return;
    w->factor[k][0] = PICK(s, 1, 1, 2, 4, 8, -1);
    w->factor[k][1] = w->factor[k][1] ? PICK(s, 1, 2) : 0;
    w->rest[k] = PICK(s, 0, 0, 1, 4, 32, 64);
    snprintf(w->text[k], sizeof w->text[k], "%lld*K + %lld*M + %lld", (long long)w->factor[k][0],
             (long long)w->factor[k][1], (long long)w->rest[k]);
    w->given[k].length = strlen(w->text[k]);
    w->single = false;
}

static void texts_draw(uint64_t *s, world *w)
{
    bool tensor = w->mapped && w->issue.rank;
    for (int64_t k = w->mapped ? test_range(s, 0, 2) : 0; k > 0; k--) map_text_add(s, w);
    for (int64_t k = test_range(s, 1, TEXTS - 3); k > 0; k--) {
        int64_t what = test_range(s, 0, tensor ? 8 : 5);
        bool rows4 = w->issue.mode == ZLAY_COPY_GATHER4;
        if (what < 6) text_add(s, w, fields[what].field, 0);
        else if (what < 8)
            text_add(s, w, ZLAY_FIELD_COORDINATE,
                     (int32_t)(test_random(s) % (rows4 ? 5 : w->issue.rank)));
        else text_add(s, w, ZLAY_FIELD_OFFSET, (int32_t)test_range(s, 0, 2));
    }
}

static world draw(uint64_t *s)
{
    static const struct {
        const char *id;
        int map; /* 0: none, 1: tiled, 2: of columns, 3: one row */
    } rows[] = {{"tma.load.tile.2d", 1},    {"tma.load.tile.2d", 1}, {"tma.store.tile.2d", 1},
                {"tma.load.im2col.4d", 2},  {"bulk.g2s", 0},         {"bulk.g2s", 0},
                {"bulk.s2g", 0},            {"bulk.s2s", 0},         {"cp_async.16", 1},
                {"cp_async.16", 0},         {"tma.gather4.cta", 3},  {"tma.load.im2col_w.4d", 2}};
    world w;
    memset(&w, 0, sizeof w);
    size_t at;
    do at = test_random(s) % ZL_TEST_COUNT(rows);
    while (zlay_issue_find(&w.issue, rows[at].id, strlen(rows[at].id)));
    w.single = true;
    w.mapped = rows[at].map != 0;
    w.map = rows[at].map == 2 ? legal_columns(1, 4) : legal_map();
    if (rows[at].map == 3) w.map.box[1] = 1;
    w.map.swizzle = (int32_t)PICK(s, 0, 3);
    if (rows[at].map == 1 && test_range(s, 0, 3) == 0) w.map.step[1] = (uint32_t)PICK(s, 2, 3);
    numbers_draw(s, &w);
    texts_draw(s, &w);
    w.mod = PICK(s, 1, 1, 2, 4, 8, 16);
    w.rem = test_range(s, 0, w.mod - 1) * (test_range(s, 0, 2) == 0);
    w.lo = PICK(s, -20, 0, 0, 1, 8, 60, 1000);
    w.hi = w.lo + PICK(s, 16, 40, 60);
    w.most = PICK(s, 1, 2, 4);
    snprintf(w.fact[0], 64, "K mod %lld = %lld", (long long)w.mod, (long long)w.rem);
    snprintf(w.fact[1], 64, "%lld <= K <= %lld", (long long)w.lo, (long long)w.hi);
    snprintf(w.fact[2], 64, "1 <= M <= %lld", (long long)w.most);
    return w;
}

static zlay_status ask(zlay_ctx *ctx, const world *w, const char *on, zlay_verdict *v, char *guard)
{
    const char *text[3];
    size_t length[3];
    zlay_facts *facts;
    zlay_reason r[REASONS];
    zlay_buf buf = {guard, GUARD, 0};
    zlay_given given[TEXTS];
    memcpy(given, w->given, sizeof given);
    for (uint32_t k = 0; k < w->count; k++) given[k].text = w->text[k];
    for (uint32_t i = 0; i < 3; i++) length[i] = strlen(text[i] = w->fact[i]);
    zlay_status status = zlay_facts_parse(ctx, &facts, 3, text, length);
    if (status) return status;
    zlay_issue_question q = {sizeof q, w->count, target_of(on), &w->issue, w->mapped ? &w->map : NULL,
                             given, facts};
    status = zlay_issue_check_given(ctx, v, r, REASONS, &buf, &q);
    zlay_facts_free(facts);
    if (!status) assert_true(v->reasons == v->broken + v->noted && strlen(guard) == buf.need);
    return status;
}

static bool map_put(zlay_tensormap *m, const zlay_given *g, int64_t n)
{
    switch (g->field) {
    case ZLAY_FIELD_ADDRESS: m->address = (uint64_t)n; return true;
    case ZLAY_FIELD_EXTENT: m->extent[g->index] = (uint64_t)n; return true;
    case ZLAY_FIELD_STRIDE: m->stride[g->index] = (uint64_t)n; return true;
    case ZLAY_FIELD_BOX: m->box[g->index] = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n; return true;
    default: return false;
    }
}

/* Whether the copy is legal where the names have these values; texts outside their types are not,
 * and bytes that a text states are stated where they are 0. */
static bool legal_at(const world *w, const char *on, const int64_t *value)
{
    zlay_issue c = w->issue;
    zlay_tensormap m = w->map;
    zlay_reason r[REASONS];
    zlay_verdict v;
    for (uint32_t k = 0; k < w->count; k++) {
        int64_t n = w->factor[k][0] * value[0] + w->factor[k][1] * value[1] + w->rest[k];
        int32_t field = w->given[k].field;
        bool narrow = field == ZLAY_FIELD_COORDINATE || field == ZLAY_FIELD_OFFSET;
        if (narrow ? n < INT32_MIN || n > INT32_MAX : n < 0) return false;
        if (map_put(&m, &w->given[k], n)) continue;
        if (field == ZLAY_FIELD_COORDINATE) c.coordinate[w->given[k].index] = (int32_t)n;
        else if (field == ZLAY_FIELD_OFFSET) c.offset[w->given[k].index] = (int32_t)n;
        else *wide_of(&c, field) = (uint64_t)n;
        for (size_t i = 0; i < 6; i++)
            if (fields[i].field == field) c.given |= fields[i].known;
        bool boxed = w->mapped && c.mode != ZLAY_COPY_IM2COL_W;
        if (field == ZLAY_FIELD_BYTES && !n && boxed) return false;
    }
    assert_int_equal(
        zlay_copy_check(&v, r, REASONS, target_of(on), &c, w->mapped ? &m : NULL), ZLAY_OK);
    return v.answer == ZLAY_YES;
}

typedef struct tally {
    uint64_t yes, no, depends, refused, points, whole;
} tally;

static void compare(const world *w, const char *on, zlay_answer answer, const char *guard, tally *t)
{
    uint64_t legal = 0, points = 0;
    for (int64_t k = w->lo; k <= w->hi; k++)
        for (int64_t m = 1; m <= w->most && (k - w->rem) % w->mod == 0; m++) {
            int64_t value[NAMES] = {k, m};
            bool yes = legal_at(w, on, value);
            bool said = answer == ZLAY_YES ||
                        (answer == ZLAY_DEPENDS && expression_holds(guard, NAMES, names, value));
            points++;
            legal += yes;
            if (said != yes)
                fail_msg("kind %d, %s, K %lld, M %lld: %d, said %d by '%s'; texts %s (%d), %s (%d), %s",
                         w->issue.kind, on, (long long)k, (long long)m, yes, answer, guard, w->text[0],
                         w->given[0].field, w->text[1], w->given[1].field, w->fact[0]);
        }
    t->points += points;
    if (answer != ZLAY_DEPENDS || !points || !w->single) return;
    t->whole++;
    if (legal == points) fail_msg("all of %s are legal and it depends on '%s'", w->text[0], guard);
}

static void as_every_copy_that_the_facts_allow(void **state)
{
    static const char *const targets[] = {"sm_90a", "sm_100a", "sm_120"};
    uint64_t s = test_seed("legality/copy/given");
    tally t = {0};
    zlay_ctx *ctx = *state;
    char guard[GUARD];
    for (uint64_t i = 0; i < test_iterations(20000); i++) {
        world w = draw(&s);
        zlay_verdict v = {0};
        zlay_status status = ask(ctx, &w, targets[i % 3], &v, guard);
        if (status) {
            assert_int_equal(status, ZLAY_EINVAL);
            assert_non_null(strstr(zlay_ctx_message(ctx), "field '"));
            t.refused++;
        }
        zlay_answer answer = status ? ZLAY_NO : (zlay_answer)v.answer;
        t.yes += answer == ZLAY_YES;
        t.no += answer == ZLAY_NO;
        t.depends += answer == ZLAY_DEPENDS;
        compare(&w, targets[i % 3], answer, guard, &t);
    }
    printf("yes %llu, no %llu (%llu outside a type), depends %llu; %llu copies\n",
           (unsigned long long)t.yes, (unsigned long long)t.no, (unsigned long long)t.refused,
           (unsigned long long)t.depends, (unsigned long long)t.points);
    assert_true(t.yes > 100 && t.no > 100 && t.depends > 100 && t.whole > 50);
}

static world load_at(const char *column, const char *fact)
{
    world w;
    memset(&w, 0, sizeof w);
    assert_int_equal(zlay_issue_find(&w.issue, "tma.load.tile.2d", 16), ZLAY_OK);
    w.map = legal_map();
    w.mapped = true;
    w.count = 1;
    snprintf(w.text[0], sizeof w.text[0], "%s", column);
    w.given[0] = (zlay_given){ZLAY_FIELD_COORDINATE, 0, w.text[0], strlen(column)};
    snprintf(w.fact[0], sizeof w.fact[0], "%s", fact);
    snprintf(w.fact[1], sizeof w.fact[1], "0 <= M");
    snprintf(w.fact[2], sizeof w.fact[2], "0 <= M");
    return w;
}

/* The example of zlay/copy.h. */
static void by_hand(void **state)
{
    static const struct {
        const char *column, *fact;
        zlay_answer answer;
        const char *guard;
    } rows[] = {
        {"64*j", "0 <= j <= 1000", ZLAY_YES, ""},
        {"4*j", "j mod 2 = 1", ZLAY_NO, ""},
        {"4*j", "0 <= j <= 1000", ZLAY_DEPENDS, "j % 2 == 0"},
        {"64*j", "0 <= j", ZLAY_DEPENDS, "j <= 33554431"},
        {"64*j", "0 <= M", ZLAY_DEPENDS, "j >= -33554432 && j <= 33554431"}};
    zlay_ctx *ctx = *state;
    char guard[GUARD];
    for (size_t i = 0; i < ZL_TEST_COUNT(rows); i++) {
        world w = load_at(rows[i].column, rows[i].fact);
        zlay_verdict v;
        assert_int_equal(ask(ctx, &w, "sm_90a", &v, guard), ZLAY_OK);
        assert_int_equal(v.answer, rows[i].answer);
        assert_string_equal(guard, rows[i].guard);
        assert_int_equal(v.driver, ZLAY_DRIVER_UNKNOWN);
    }
}

/* A reason has the least values of both texts that its row compares. */
static void two_texts_of_one_row(void **state)
{
    zlay_given given[2] = {{ZLAY_FIELD_EXPECT, 0, "16*K", 4}, {ZLAY_FIELD_BYTES, 0, "16*K + 16", 9}};
    const char *text = "2 <= K <= 100";
    size_t length = strlen(text);
    zlay_issue issue;
    zlay_facts *facts;
    zlay_reason r[REASONS];
    zlay_verdict v;
    zlay_ctx *ctx = *state;
    assert_int_equal(zlay_issue_find(&issue, "bulk.g2s", 8), ZLAY_OK);
    assert_int_equal(zlay_facts_parse(ctx, &facts, 1, &text, &length), ZLAY_OK);
    zlay_issue_question q = {sizeof q, 2, target_of("sm_90a"), &issue, NULL, given, facts};
    assert_int_equal(zlay_issue_check_given(ctx, &v, r, REASONS, NULL, &q), ZLAY_OK);
    assert_true(v.answer == ZLAY_NO && v.broken == 1 && r[0].rule == 235);
    assert_true(r[0].value == 32 && r[0].lo == 48 && !r[0].fix_keeps);
    given[0].text = "16*K + 32", given[0].length = 9;
    assert_int_equal(zlay_issue_check_given(ctx, &v, r, REASONS, NULL, &q), ZLAY_OK);
    assert_true(v.broken == 1 && r[0].rule == 236 && r[0].value == 64 && r[0].hi == 48);
    zlay_facts_free(facts);
}

static void what_is_no_question(void **state)
{
    zlay_tensormap m = legal_map();
    zlay_issue issue;
    zlay_given given[2] = {{ZLAY_FIELD_SMEM, 0, "128*K", 5}, {ZLAY_FIELD_SMEM, 3, "K", 1}};
    zlay_issue_question q = {sizeof q, 2, target_of("sm_90"), &issue, &m, given, NULL};
    zlay_verdict v;
    char text[8];
    zlay_buf small = {text, 2, 0};
    zlay_ctx *ctx = *state;
    assert_int_equal(zlay_issue_find(&issue, "tma.load.tile.2d", 16), ZLAY_OK);
    memset(&v, 7, sizeof v);
    zlay_verdict before = v;
#define ASK(buf) zlay_issue_check_given(ctx, &v, NULL, 0, buf, &q)
    assert_int_equal(ASK(NULL), ZLAY_EINVAL); /* twice */
    q.count = 1;
    assert_int_equal(zlay_issue_check_given(ctx, NULL, NULL, 0, NULL, &q), ZLAY_EINVAL);
    assert_int_equal(zlay_issue_check_given(NULL, &v, NULL, 0, NULL, &q), ZLAY_EINVAL);
    assert_int_equal(zlay_issue_check_given(ctx, &v, NULL, 0, NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_issue_check_given(ctx, &v, NULL, 1, NULL, &q), ZLAY_EINVAL);
    static const zlay_given wrong[] = {{ZLAY_FIELD_COORDINATE, 2, "K", 1}, /* of a matrix */
                                       {ZLAY_FIELD_COORDINATE, -1, "K", 1},
                                       {ZLAY_FIELD_OFFSET, 3, "K", 1},
                                       {ZLAY_FIELD_CTA_MASK, 0, "K", 1},
                                       {ZLAY_FIELD_EXTENT, 2, "K", 1},
                                       {ZLAY_FIELD_STRIDE, 1, "K", 1},
                                       {-1, 0, "K", 1},
                                       {ZLAY_FIELD_SMEM, 0, "K*K", 3},
                                       {ZLAY_FIELD_SMEM, 0, "K /", 3},
                                       {ZLAY_FIELD_SMEM, 0, "-16", 3},
                                       {ZLAY_FIELD_COORDINATE, 0, "2147483648", 10}};
    for (size_t i = 0; i < ZL_TEST_COUNT(wrong); i++) {
        given[0] = wrong[i];
        if (ASK(NULL) != ZLAY_EINVAL) fail_msg("row %zu is asked", i);
    }
    given[0] = (zlay_given){ZLAY_FIELD_SMEM, 0, "128*K", 5};
    q.count = 16;
    assert_int_equal(ASK(NULL), ZLAY_EINVAL);
    q.count = 1;
    q.size = sizeof q + 8;
    assert_int_equal(ASK(NULL), ZLAY_EINVAL);
    q.size = sizeof q;
    assert_int_equal(ASK(&small), ZLAY_EROOM);
    q.map = NULL;
    assert_int_equal(ASK(NULL), ZLAY_EINVAL);
    q.map = &m;
    issue.width = 33;
    assert_int_equal(ASK(NULL), ZLAY_EINVAL);
    issue.width = 0;
    issue.reserved[25] = 1;
    assert_int_equal(ASK(NULL), ZLAY_EINVAL);
    assert_memory_equal(&v, &before, sizeof v);
    issue.reserved[25] = 0;
    assert_int_equal(ASK(NULL), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_DEPENDS);
}

/* Whichever allocation fails, nothing is kept and nothing is written. */
static zlay_status checked(zlay_ctx *ctx, void *question)
{
    zlay_verdict v, before;
    memset(&before, 7, sizeof before);
    v = before;
    zlay_status status = zlay_issue_check_given(ctx, &v, NULL, 0, NULL, question);
    if (status) assert_memory_equal(&v, &before, sizeof v);
    else assert_int_equal(v.answer, ZLAY_DEPENDS);
    return status;
}

static void without_memory(void **state)
{
    (void)state;
    zlay_given given = {ZLAY_FIELD_COORDINATE, 0, "8*K + 16*M", 10};
    zlay_tensormap m = legal_map();
    zlay_issue issue;
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(zlay_issue_find(&issue, "tma.load.tile.2d", 16), ZLAY_OK);
    zlay_issue_question q = {sizeof q, 1, target_of("sm_90a"), &issue, &m, &given, NULL};
    assert_int_equal(heap_fails_each(&h, ctx, checked, &q), ZLAY_OK);
    assert_true(h.calls > 1);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_every_copy_that_the_facts_allow),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(two_texts_of_one_row),
        cmocka_unit_test(what_is_no_question),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
