/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute checks under facts: tensor maps of every rank and mode and issued copies of every family, up to five of whose entries are
 * linear texts over one to three names with any factors, under facts of any moduli (1 to 12, 96, 100, powers of two), ends small, beside
 * powers of two, at the ends of 64 bits, or none.  Numbers that the facts allow are put into the texts: the ends, those at which a text
 * meets a power of two, a multiple or a bound of a rule, and any.  The check of numbers then refutes YES where it is broken, NO where it
 * is not, and a guard that says otherwise or overflows as C.  10^4 questions, 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "expression.h"
#include "legality.h"

enum { CASES = 10000, NAMES = 3, TEXTS = 5, FACTS = 9, VALUES = 48, GUARD = 16384 };
typedef expression_wide wide;
static const char *const names[NAMES] = {"K", "M", "N"};

/* A question, its texts as numbers, and what the facts say of each name. */
typedef struct question {
    const char *target;
    zlay_issue issue;
    zlay_tensormap map;
    bool issued, mapped;
    zlay_given given[TEXTS];
    char text[TEXTS][160], fact[FACTS][80];
    int64_t factor[TEXTS][NAMES], rest[TEXTS];
    int64_t lo[NAMES], hi[NAMES], mod[NAMES], rem[NAMES];
    uint32_t count, facts;
} question;

/* ---- drawn ----------------------------------------------------------------------------------------------------- */

static int64_t near_power(uint64_t *s, int64_t most) { return ((int64_t)1 << test_range(s, 0, most)) + test_range(s, -1, 1); }

static void draw_fact(uint64_t *s, question *q, int n)
{
    static const int64_t mods[] = {1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 10, 16, 12, 16, 16, 32, 64, 96, 100, 128, 1000};
    int64_t ends = test_range(s, 0, 9);
    q->mod[n] = mods[test_range(s, 0, 22)];
    q->rem[n] = test_range(s, 0, 3) ? 0 : test_range(s, 0, q->mod[n] - 1);
    q->lo[n] = ends == 0 ? INT64_MIN : ends < 3 ? test_range(s, test_range(s, 0, 3) ? 0 : -40, 100) : ends < 7 ? test_range(s, 0, 2) : ends < 9 ? near_power(s, 40) : near_power(s, 61);
    q->hi[n] = ends < 2 ? INT64_MAX : ends < 7 ? q->lo[n] + near_power(s, 12) + q->mod[n] : ends < 9 ? q->lo[n] + near_power(s, 40) + q->mod[n] : INT64_MAX - test_range(s, 0, 9);
    if (q->mod[n] > 1) snprintf(q->fact[q->facts++], sizeof *q->fact, "%s mod %lld = %lld", names[n], (long long)q->mod[n], (long long)q->rem[n]);
    if (q->lo[n] > INT64_MIN) snprintf(q->fact[q->facts++], sizeof *q->fact, "%s >= %lld", names[n], (long long)q->lo[n]);
    if (q->hi[n] < INT64_MAX) snprintf(q->fact[q->facts++], sizeof *q->fact, "%s <= %lld", names[n], (long long)q->hi[n]);
}

static void draw_map(uint64_t *s, zlay_tensormap *m, uint32_t rank, int32_t mode)
{
    static const int32_t types[] = {ZLAY_TYPE_BF16, ZLAY_TYPE_BF16, ZLAY_TYPE_U8, ZLAY_TYPE_F32, ZLAY_TYPE_F16, ZLAY_TYPE_U64};
    static const uint32_t boxes[] = {16, 16, 32, 32, 64, 64, 16, 128, 256, 1, 8, 100};
    *m = mode ? legal_columns(mode, rank) : legal_map();
    m->rank = rank;
    m->type = types[test_range(s, 0, 5)];
    m->swizzle = test_range(s, 0, 2) ? 0 : (int32_t)test_range(s, 0, 3);
    for (uint32_t i = 0; i < rank; i++) {
        m->step[i] = test_range(s, 0, 5) ? 1 : (uint32_t)test_range(s, 1, 9);
        if (mode) continue;
        m->extent[i] = (uint64_t)(test_range(s, 0, 3) ? test_range(s, 1, 100) * 8 : near_power(s, 32));
        m->box[i] = i ? 1u << test_range(s, 0, rank > 3 ? 1 : 3) : boxes[test_range(s, 0, test_range(s, 0, 4) ? 1 : 11)];
        if (i) m->stride[i - 1] = (uint64_t)test_range(s, 1, 1 << 16) * 16;
    }
    if (!mode && !test_range(s, 0, 12)) m->interleave = (int32_t)test_range(s, 1, 2);
}

static void draw_issue(uint64_t *s, question *q)
{
    static const char *const ids[] = {
        "tma.load.tile.1d", "tma.load.tile.2d", "tma.load.tile.2d", "tma.load.tile.3d", "tma.load.tile.4d", "tma.load.tile.5d", "tma.store.tile.2d", "tma.store.tile.3d",
        "tma.reduce.add.2d", "tma.load.im2col.3d", "tma.load.im2col.4d", "tma.load.im2col.5d", "tma.load.im2col_w.4d", "tma.gather4.cta", "tma.scatter4", "bulk.g2s", "bulk.s2g",
        "bulk.s2s", "bulk.s2g.mask", "bulk.reduce.add.u32", "bulk.prefetch", "cp_async.16", "cp_async.ca.4", "cp_async.16.zfill", "st_async.b32", "st_async.v4.b32"};
    static const int64_t places[] = {0, 16, 128, 1024, 1024, 2048, 4096, 8, 4, 232448, 1 << 20}, bytes[] = {0, 16, 256, 8192, 8192, 16384, 1 << 20, 100};
    zlay_issue *c = &q->issue;
    const char *id;
    do id = ids[test_range(s, 0, 25)];
    while (zlay_issue_find(c, id, strlen(id)));
    q->mapped = c->rank > 0 || (c->kind == ZLAY_COPY_CP_ASYNC && test_range(s, 0, 1));
    if (q->mapped) draw_map(s, &q->map, c->rank ? c->rank : 2, c->mode == ZLAY_COPY_IM2COL ? 1 : c->mode == ZLAY_COPY_IM2COL_W ? 2 : 0);
    if (c->mode == ZLAY_COPY_GATHER4) q->map.box[1] = 1;
    for (int i = 0; i < 5; i++) c->coordinate[i] = (int32_t)(test_range(s, 0, 2) * 64);
    for (int i = 0; i < 3; i++) c->offset[i] = (int32_t)test_range(s, 0, 2);
    c->smem = c->source = 4096;
    c->barrier = 8;
    c->expect = 8192;
    c->bytes = q->mapped ? 0 : 8192;
    c->count = 1;
    if (test_range(s, 0, 2)) return;
    c->smem = (uint64_t)places[test_range(s, 0, 10)];
    c->source = (uint64_t)places[test_range(s, 0, 10)];
    c->barrier = (uint64_t)(test_range(s, 0, 8) * 8);
    c->expect = (uint64_t)bytes[test_range(s, 0, 7)];
    c->bytes = (uint64_t)bytes[test_range(s, 0, 7)];
}

static const struct {
    int32_t field;
    uint32_t known;
} fields[] = {{ZLAY_FIELD_SMEM, 0}, {ZLAY_FIELD_SOURCE, 0}, {ZLAY_FIELD_BARRIER, ZLAY_GIVEN_BARRIER}, {ZLAY_FIELD_EXPECT, ZLAY_GIVEN_EXPECT}, {ZLAY_FIELD_BYTES, 0}, {ZLAY_FIELD_COUNT, ZLAY_GIVEN_COUNT}};

static void add_text(uint64_t *s, question *q, int32_t field, int64_t index)
{
    static const int64_t units[] = {1, 1, 2, 2, 4, 8, 12, 16, 16, 16, 32, 64, 96, 100, 128, 256, 1024};
    uint32_t k = q->count;
    char *at = q->text[k];
    bool small = field == ZLAY_FIELD_BOX || field == ZLAY_FIELD_COUNT || field == ZLAY_FIELD_OFFSET;
    for (uint32_t i = 0; i < k; i++)
        if (q->given[i].field == field && q->given[i].index == index) return;
    int only = test_range(s, 0, 2) ? (int)test_range(s, 0, NAMES - 1) : -1;
    for (int n = 0; n < NAMES; n++) {
        q->factor[k][n] = only >= 0 && n != only ? 0 : test_range(s, 0, 40) ? units[test_range(s, 0, small ? 4 : 16)] : near_power(s, 40);
        if (!test_range(s, 0, 24)) q->factor[k][n] = -q->factor[k][n];
        if (only < 0 && !test_range(s, 0, 2)) q->factor[k][n] = 0;
    }
    q->rest[k] = test_range(s, 0, 2) ? 0 : test_range(s, 0, 3) ? test_range(s, 0, 12) ? test_range(s, 0, 17) * 16 : test_range(s, -9, 99) : near_power(s, 41);
    for (int n = 0; n < NAMES; n++)
        if (q->factor[k][n] || n == only) at += sprintf(at, "%lld*%s + ", (long long)q->factor[k][n], names[n]);
    sprintf(at, "%lld", (long long)q->rest[k]);
    q->given[k] = (zlay_given){field, (int32_t)index, q->text[k], strlen(q->text[k])};
    q->count++;
}

static void draw_map_text(uint64_t *s, question *q)
{
    static const int32_t which[] = {ZLAY_FIELD_ADDRESS, ZLAY_FIELD_EXTENT, ZLAY_FIELD_STRIDE, ZLAY_FIELD_STRIDE, ZLAY_FIELD_BOX};
    bool boxes = !q->map.mode && (!q->issued || q->issue.rank);
    int32_t field = which[test_range(s, 0, boxes ? 4 : 3)];
    int64_t most = (int64_t)q->map.rank - (field == ZLAY_FIELD_STRIDE ? 2 : 1);
    if (most >= 0) add_text(s, q, field, field == ZLAY_FIELD_ADDRESS ? 0 : test_range(s, 0, most));
}

static void draw_issue_text(uint64_t *s, question *q)
{
    int64_t what = test_range(s, 0, q->issue.rank ? 9 : 5);
    if (what < 6) add_text(s, q, fields[what].field, 0);
    else if (what < 9) add_text(s, q, ZLAY_FIELD_COORDINATE, test_range(s, 0, q->issue.mode == ZLAY_COPY_GATHER4 ? 4 : (int64_t)q->issue.rank - 1));
    else add_text(s, q, ZLAY_FIELD_OFFSET, test_range(s, 0, 2));
}

static void draw(uint64_t *s, question *q)
{
    static const char *const targets[] = {"sm_90a", "sm_90", "sm_100a", "sm_103a", "sm_120"};
    memset(q, 0, sizeof *q);
    q->target = targets[test_range(s, 0, 4)];
    q->issued = test_range(s, 0, 1);
    if (q->issued) draw_issue(s, q);
    else draw_map(s, &q->map, (uint32_t)test_range(s, 1, 5), 0), q->mapped = true;
    if (!q->issued && !test_range(s, 0, 4)) draw_map(s, &q->map, (uint32_t)test_range(s, 3, 5), (int32_t)test_range(s, 1, 2));
    for (int n = 0; n < NAMES; n++) draw_fact(s, q, n);
    for (int64_t i = test_range(s, 0, 2) ? test_range(s, 1, 2) : test_range(s, 1, TEXTS); i > 0; i--) {
        if (q->mapped && (!q->issued || !test_range(s, 0, 2))) draw_map_text(s, q);
        else if (q->issued) draw_issue_text(s, q);
    }
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

/* The number nearest below one, or above, that the facts of a name allow. */
static int64_t allowed(const question *q, int n, wide v)
{
    wide lo = q->lo[n], hi = q->hi[n], mod = q->mod[n], off;
    if (v > hi) v = hi;
    if (v < lo) v = lo;
    off = ((v - q->rem[n]) % mod + mod) % mod;
    v -= off;
    if (v < lo) v += mod;
    return (int64_t)v;
}

static wide text_at(const question *q, uint32_t k, const int64_t *value)
{
    wide v = q->rest[k];
    for (int n = 0; n < NAMES; n++) v += (wide)q->factor[k][n] * value[n];
    return v;
}

static int64_t any_value(uint64_t *s, const question *q, int n)
{
    wide v = 0;
    switch (test_range(s, 0, 5)) {
    case 0: v = q->lo[n]; break;
    case 1: v = q->hi[n]; break;
    case 2: v = (wide)q->lo[n] + test_range(s, 0, 300); break;
    case 3: v = near_power(s, 62); break;
    case 4: v = test_range(s, -40, 600); break;
    default: v = (int64_t)test_random(s);
    }
    return allowed(q, n, v);
}

/* Any numbers; then one name so that one text comes to a bound. */
static void draw_values(uint64_t *s, const question *q, int64_t *value)
{
    static const int64_t bounds[] = {0, 1, 16, 64, 128, 256, 1024, 8192, 65536, 232448, (1ll << 20) - 1, 1ll << 20, (1ll << 31) - 1, 1ll << 31, 1ll << 32, 1ll << 36, 1ll << 40, INT64_MAX};
    for (int n = 0; n < NAMES; n++) value[n] = any_value(s, q, n);
    if (!q->count || !test_range(s, 0, 3)) return;
    uint32_t k = (uint32_t)test_range(s, 0, q->count - 1);
    int n = (int)test_range(s, 0, NAMES - 1);
    for (int i = 0; i < NAMES && !q->factor[k][n]; i++) n = (n + 1) % NAMES;
    if (!q->factor[k][n]) return;
    wide rest = text_at(q, k, value) - (wide)q->factor[k][n] * value[n];
    value[n] = allowed(q, n, (bounds[test_range(s, 0, 17)] - rest) / q->factor[k][n] + test_range(s, -1, 1) * q->mod[n]);
}

/* A text that passes 64 bits is no number, and nothing is asked of it. */
static bool asked(const question *q, const int64_t *value)
{
    for (uint32_t k = 0; k < q->count; k++) {
        wide n = text_at(q, k, value);
        if (n > INT64_MAX || n < INT64_MIN) return false;
    }
    return true;
}

static bool put(question *at, const zlay_given *g, int64_t v)
{
    switch (g->field) {
    case ZLAY_FIELD_ADDRESS:
    case ZLAY_FIELD_EXTENT:
    case ZLAY_FIELD_STRIDE: map_set(&at->map, g->field, g->index, (uint64_t)v); return true;
    case ZLAY_FIELD_BOX: map_set(&at->map, g->field, g->index, v > UINT32_MAX ? UINT32_MAX : (uint64_t)v); return true;
    case ZLAY_FIELD_COORDINATE: at->issue.coordinate[g->index] = (int32_t)v; return v >= INT32_MIN && v <= INT32_MAX;
    case ZLAY_FIELD_OFFSET: at->issue.offset[g->index] = (int32_t)v; return v >= INT32_MIN && v <= INT32_MAX;
    case ZLAY_FIELD_SMEM: at->issue.smem = (uint64_t)v; return true;
    case ZLAY_FIELD_SOURCE: at->issue.source = (uint64_t)v; return true;
    case ZLAY_FIELD_BARRIER: at->issue.barrier = (uint64_t)v; return true;
    case ZLAY_FIELD_EXPECT: at->issue.expect = (uint64_t)v; return true;
    case ZLAY_FIELD_BYTES: at->issue.bytes = (uint64_t)v; return v || !at->mapped || at->issue.mode == ZLAY_COPY_IM2COL_W;
    default: at->issue.count = (uint64_t)v; return true;
    }
}

/* What the check of numbers says; a text outside its entry's type is not legal. */
static bool legal_at(const question *q, const int64_t *value)
{
    question at = *q;
    zlay_verdict v;
    zlay_reason r[REASONS];
    for (uint32_t k = 0; k < q->count; k++) {
        wide n = text_at(q, k, value);
        bool narrow = q->given[k].field == ZLAY_FIELD_COORDINATE || q->given[k].field == ZLAY_FIELD_OFFSET;
        if (n < (narrow ? INT32_MIN : 0) || !put(&at, &q->given[k], (int64_t)n)) return false;
        for (size_t i = 0; i < 6; i++)
            if (fields[i].field == q->given[k].field) at.issue.given |= fields[i].known;
    }
    if (!q->issued) return answer_of(target_of(q->target), &at.map) == ZLAY_YES;
    assert_int_equal(zlay_copy_check(&v, r, REASONS, target_of(q->target), &at.issue, q->mapped ? &at.map : NULL), ZLAY_OK);
    return v.answer == ZLAY_YES;
}

/* ---- one case -------------------------------------------------------------------------------------------------- */

static uint64_t yes, no, depends, errors, points, legal;

static zlay_status ask(zlay_ctx *ctx, const question *q, zlay_verdict *v, char *guard)
{
    const char *text[FACTS];
    size_t length[FACTS];
    zlay_facts *facts = NULL;
    zlay_buf buf = {guard, GUARD, 0};
    for (uint32_t i = 0; i < q->facts; i++) length[i] = strlen(text[i] = q->fact[i]);
    if (zlay_facts_parse(ctx, &facts, q->facts, text, length)) fail_msg("%s %s %s: %s", q->fact[0], q->fact[1], q->fact[2], zlay_ctx_message(ctx));
    zlay_issue_question copy = {sizeof copy, q->count, target_of(q->target), &q->issue, q->mapped ? &q->map : NULL, q->given, facts};
    zlay_tensormap_question map = {sizeof map, q->count, target_of(q->target), &q->map, q->given, facts};
    zlay_status status = q->issued ? zlay_issue_check_given(ctx, v, NULL, 0, &buf, &copy) : zlay_tensormap_check_given(ctx, v, NULL, 0, &buf, &map);
    zlay_facts_free(facts);
    return status;
}

static void refuted(const question *q, const int64_t *value, int is, zlay_answer said, const char *guard)
{
    for (uint32_t k = 0; k < q->count; k++) printf("field %s %d: %s\n", zlay_field_name(q->given[k].field), q->given[k].index, q->text[k]);
    for (uint32_t i = 0; i < q->facts; i++) printf("%s\n", q->fact[i]);
    printf("map %d: rank %u mode %d type %d swizzle %d interleave %d\n", q->mapped, q->map.rank, q->map.mode, q->map.type, q->map.swizzle, q->map.interleave);
    for (uint32_t i = 0; i < q->map.rank; i++)
        printf("extent %llu stride %llu box %u step %u\n", (unsigned long long)q->map.extent[i], i ? (unsigned long long)q->map.stride[i - 1] : 0, q->map.box[i], q->map.step[i]);
    printf("kind %d mode %d smem %llu source %llu barrier %llu expect %llu bytes %llu count %llu given %x\n", q->issue.kind, q->issue.mode, (unsigned long long)q->issue.smem,
           (unsigned long long)q->issue.source, (unsigned long long)q->issue.barrier, (unsigned long long)q->issue.expect, (unsigned long long)q->issue.bytes,
           (unsigned long long)q->issue.count, q->issue.given);
    fail_msg("%s %s, K %lld M %lld N %lld: %d, said %d by '%s'", q->target, q->issued ? "copy" : "map", (long long)value[0], (long long)value[1], (long long)value[2], is, said, guard);
}

static void one_case(zlay_ctx *ctx, uint64_t *seed)
{
    static question q;
    static char guard[GUARD];
    zlay_verdict v = {0};
    draw(seed, &q);
    zlay_status status = ask(ctx, &q, &v, guard);
    if (status == ZLAY_EOVERFLOW || status == ZLAY_ELIMIT) {
        errors++;
        return;
    }
    zlay_answer answer = status == ZLAY_EINVAL ? ZLAY_NO : (zlay_answer)v.answer; /* outside its type for all numbers */
    if (status && status != ZLAY_EINVAL) fail_msg("%s", zlay_ctx_message(ctx));
    if (status && !strstr(zlay_ctx_message(ctx), "field '")) fail_msg("%s", zlay_ctx_message(ctx));
    yes += answer == ZLAY_YES;
    no += answer == ZLAY_NO;
    depends += answer == ZLAY_DEPENDS;
    for (int i = 0; i < VALUES; i++) {
        int64_t value[NAMES];
        draw_values(seed, &q, value);
        bool said = answer == ZLAY_YES || (answer == ZLAY_DEPENDS && expression_holds(guard, NAMES, names, value));
        if (!asked(&q, value)) continue;
        bool is = legal_at(&q, value);
        if (is != said) refuted(&q, value, is, answer, guard);
        points++;
        legal += is;
    }
}

static void as_numbers_say(void **state)
{
    uint64_t seed = test_seed("refute/given"), cases = test_cases(CASES);
    for (uint64_t n = 0; n < cases; n++) one_case(*state, &seed);
    printf("%llu questions: %llu yes, %llu no, %llu depend, %llu of no 64 bits; %llu of %llu maps and copies legal\n", (unsigned long long)cases, (unsigned long long)yes,
           (unsigned long long)no, (unsigned long long)depends, (unsigned long long)errors, (unsigned long long)legal, (unsigned long long)points);
    assert_true(yes * 100 > cases && depends * 10 > cases && no * 10 > cases && legal * 50 > points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_numbers_say)};
    return cmocka_run_group_tests(tests, begin, end);
}
