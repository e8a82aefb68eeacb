/* SPDX-License-Identifier: Apache-2.0 */
/* tensormap.synth of sources with unknowns, held against numbers that the facts allow: the maps with those
 * numbers are legal exactly where the guard holds, and then copy, in the CPU model, what the request with those
 * numbers says; where there is none, there is none with numbers either. */
#include "answer.h"
#include "ctx.h"
#include "expression.h"
#include "heap.h"
#include "legality.h"
#include "tiles/move_model.h"
#include "tiles/products.h"


enum { NAMES = 5, GUARD = 8192, FACTS = 16, VALUES = 16 };
static const char *const names[NAMES] = {"M", "K", "B", "ld", "sb"};

/* ---- by hand ------------------------------------------------------------------------------------ */

typedef struct hand {
    const char *type, *source, *smem, *facts;
    uint64_t shape[3];
    zlay_status status;
    uint32_t copies;
    const char *extent, *stride, *guard; /* of map 0; NULL: not compared */
} hand;

static const hand hands[] = {
    /* A pitch that is a multiple of 8 bf16 is one of 16 bytes. */
    {"bf16", "(M,K):(ld,1)", NULL, "ld = 0 mod 8;1 <= M < 2^31;1 <= K < 2^31;8 <= ld < 2^30", {128, 64},
     ZLAY_OK, 1, "K,M", "2*ld", ""},
    /* Of a pitch without that fact the guard is that it is. */
    {"bf16", "(M,K):(ld,1)", NULL, "1 <= M < 2^31;1 <= K < 2^31;8 <= ld < 2^30", {128, 64}, ZLAY_OK, 1,
     "K,M", "2*ld", "ld % 8 == 0"},
    /* Two halves of 64 columns are one copy where 64 divides K, else two. */
    {"bf16", "(M,K):(ld,1)", "Sw<3,3,3> o 0 o (128,(64,2)):(64,(1,8192))",
     "K = 0 mod 64;ld = 0 mod 8;1 <= M < 2^31;1 <= K < 2^31;8 <= ld < 2^30", {128, 128}, ZLAY_OK, 1,
     "64,M,K / 64", "2*ld,128", ""},
    {"bf16", "(M,K):(ld,1)", "Sw<3,3,3> o 0 o (128,(64,2)):(64,(1,8192))",
     "ld = 0 mod 8;1 <= M < 2^31;1 <= K < 2^31;8 <= ld < 2^30", {128, 128}, ZLAY_OK, 2, "K,M", "2*ld", ""},
    /* A product of names is asked as one. */
    {"f32", "(B,M,K):(M*K,K,1)", NULL, "K = 0 mod 4;K <= 65536;M <= 65536;B <= 65536", {1, 16, 32},
     ZLAY_OK, 1, "K,M,B", "4*K,4*K*M", ""},
    {"f32", "(B,M,K):(M*K,K,1)", NULL, "K = 0 mod 4;K <= 2^31;M <= 2^31;B <= 2^31", {1, 16, 32},
     ZLAY_OK, 1, "K,M,B", "4*K,4*K*M", "((__int128)K * M) <= 274877906943"},
    /* Of three names the first two are asked to fit 64 bits where facts do not say so. */
    {"f32", "(B,M,K):(M*K*sb,K,1)", NULL, "K = 0 mod 4;4 <= K <= 2^31;1 <= M <= 2^31;1 <= B <= 2^31;1 <= sb <= 2^40", {1, 16, 32},
     ZLAY_OK, 1, "K,M,B", "4*K,4*K*M*sb", "((__int128)K * M * sb) <= 274877906943"},
    {"f32", "(B,M,K):(M*K*sb,K,1)", NULL, "K = 0 mod 4;4 <= K <= 2^31;1 <= M <= 2^31;1 <= B <= 2^31;1 <= sb", {1, 16, 32},
     ZLAY_OK, 1, "K,M,B", "4*K,4*K*M*sb", "((__int128)K * M) <= 9223372036854775807 && ((__int128)(K * M) * sb) <= 274877906943"},
    /* No pitch that is 4 modulo 8 is legal, unless there is no second row. */
    {"bf16", "(M,K):(K,1)", "(128,64):(64,1)", "K mod 8 = 4;M >= 2", {128, 64}, ZLAY_NONE, 0, NULL, NULL, NULL},
    {"bf16", "(M,K):(K,1)", "(128,64):(64,1)", "K mod 8 = 4;1 <= K < 2^31", {128, 64}, ZLAY_OK, 1, "K,1", "0", "M == 1"},
    /* Where shared memory may have gaps, shifted rows may be brought with what lies around them. */
    {"bf16", "(M,K):(K,1)", NULL, "K mod 8 = 4;M >= 2", {128, 64}, ZLAY_ELIMIT, 0, NULL, NULL, NULL},
    /* Rows that lie shifted on both sides are brought as walks of pixels, where numbers are given. */
    {"bf16", "(M,K):(ld,1)", "(2,64):(68,1)", "ld mod 8 = 4;M >= 2", {2, 64}, ZLAY_ELIMIT, 0, NULL, NULL, NULL},
    {"bf16", "(2,4096):(4100,1)", "(2,64):(68,1)", "", {2, 64}, ZLAY_OK, 1, "4040,9,2", "16,8208", ""},
    /* Columns that are wanted as rows are none unless elements are adjacent both ways. */
    {"bf16", "(M,K):(1,ld)", "(128,64):(64,1)", "ld >= 8;K >= 2", {128, 64}, ZLAY_NONE, 0, NULL, NULL, NULL},
    {"bf16", "(M,K):(1,ld)", "(128,64):(64,1)", "ld >= 8", {128, 64}, ZLAY_OK, 1, "1,1", "0",
     "K == 1 && M == 1"},
    {"bf16", "(M,K):(ld,sk)", "(128,64):(64,1)", "ld = 0 mod 8;8 <= ld < 2^30;1 <= M < 2^31;1 <= K < 2^31", {128, 64},
     ZLAY_OK, 1, "K,M", "2*ld", "sk == 1"},
    {"bf16", "(M,K):(K,1)", NULL, "", {1024, 512}, ZLAY_NONE, 0, NULL, NULL, NULL},
    /* Tiles longer than most numbers that one would try. */
    {"u8", "(M,K):(ld,1)", NULL, "K = 0 mod 16;ld = 0 mod 16;16 <= ld < 2^30;1 <= M < 2^31;1 <= K < 2^31", {2, 8192}, ZLAY_OK, 4, "K / 8,M", "ld", ""},
    /* A row a tile has a dimension of its own, so that the next one is at the next index. */
    {"bf16", "(M,K):(K,1)", NULL, "K = 0 mod 8;8 <= K < 2^31;M < 2^31;M >= 1", {1, 8}, ZLAY_OK, 1, "K,M", "2*K", ""},
    /* Halves of 16 bytes are no tiles, unless there is only one along that side. */
    {"bf16", "(M,K):(ld,1)", NULL, "K >= 5;M >= 1;M < 2^31;ld = 0 mod 8;8 <= ld <= 2^30", {4, 4}, ZLAY_NONE, 0, NULL, NULL, NULL},
    {"bf16", "(M,K):(ld,1)", "(4,4):(8,1)", "1 <= K <= 64;M >= 1;M < 2^31;ld = 0 mod 8;8 <= ld <= 2^30", {4, 4}, ZLAY_OK, 1, "K,M", "2*ld", "K <= 4"},
};

static zlay_status unknown_synth_on(const char *on, zlay_ctx *ctx, zlay_move **out, int32_t type, const char *source,
                                    const char *smem, const char *facts, const uint64_t *shape)
{
    zlay_tensormap_request r;
    memset(&r, 0, sizeof r);
    r.size = sizeof r;
    r.type = type;
    zlay_layout *from = read_layout(ctx, source), *to = read_layout(ctx, smem);
    zlay_facts *known = read_facts(ctx, facts);
    r.source = from;
    r.smem = to;
    r.facts = known;
    for (; r.axes < 3 && shape[r.axes]; r.axes++) r.shape[r.axes] = shape[r.axes];
    zlay_status status = zlay_tensormap_synth(ctx, out, target_of(on), &r);
    zlay_layout_free(from);
    zlay_layout_free(to);
    zlay_facts_free(known);
    return status;
}

static zlay_status unknown_synth(zlay_ctx *ctx, zlay_move **out, int32_t type, const char *source,
                                 const char *smem, const char *facts, const uint64_t *shape)
{
    return unknown_synth_on("sm_90a", ctx, out, type, source, smem, facts, shape);
}

static void guard_of(char *out, const zlay_move *move)
{
    zlay_buf buf = {out, GUARD, 0};
    assert_int_equal(zlay_move_guard(&buf, move), ZLAY_OK);
}

/* The texts or numbers of a field of map 0, one after the other. */
static const char *entries_of(const zlay_move *move, int32_t field)
{
    static char text[512];
    zlay_tensormap m;
    char *at = text;
    assert_int_equal(zlay_move_map_nth(&m, move, 0), ZLAY_OK);
    *text = 0;
    for (uint32_t i = 0; i + (field == ZLAY_FIELD_STRIDE) < m.rank; i++) {
        zlay_given given = {0};
        uint32_t k = 0;
        bool found = false;
        while (!found && zlay_move_given_nth(&given, move, 0, k++) == ZLAY_OK)
            found = given.field == field && given.index == (int32_t)i;
        uint64_t number = field == ZLAY_FIELD_STRIDE ? m.stride[i] : m.extent[i];
        if (found) assert_int_equal(number, 1);
        at += found ? sprintf(at, "%s%.*s", i ? "," : "", (int)given.length, given.text)
                    : sprintf(at, "%s%llu", i ? "," : "", (unsigned long long)number);
    }
    return text;
}

static void counted_by_hand(void **state)
{
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof hands / sizeof *hands; i++) {
        const hand *h = &hands[i];
        int32_t type;
        zlay_move *move = NULL;
        zlay_move_summary info;
        char guard[GUARD];
        assert_int_equal(zlay_type_find(&type, h->type, strlen(h->type)), ZLAY_OK);
        zlay_status status = unknown_synth(ctx, &move, type, h->source, h->smem, h->facts, h->shape);
        if (status != h->status) fail_msg("%s: %d, %s", h->source, status, zlay_ctx_message(ctx));
        if (status) {
            assert_null(move);
            continue;
        }
        zlay_move_info(&info, move);
        assert_int_equal(info.copies, h->copies);
        assert_string_equal(entries_of(move, ZLAY_FIELD_EXTENT), h->extent);
        assert_string_equal(entries_of(move, ZLAY_FIELD_STRIDE), h->stride);
        guard_of(guard, move);
        assert_string_equal(guard, h->guard);
        zlay_move_free(move);
    }
}

/* What a line answers, in part. */
static const char *const lines[][2] = {
    {"{\"op\":\"tensormap.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"source\":\"(M,K):(ld,1)\",\"tile\":[128,64],"
     "\"facts\":[\"ld = 0 mod 8\",\"1 <= M < 2^31\",\"1 <= K < 2^31\",\"8 <= ld < 2^30\"]}",
     "\"extent\":[\"K\",\"M\"],\"stride\":[\"2*ld\"],\"box\":[64,128]"},
    {"{\"op\":\"tensormap.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"source\":\"(M,K):(ld,1)\",\"tile\":[128,64],"
     "\"facts\":[\"ld = 0 mod 8\",\"1 <= M < 2^31\",\"1 <= K < 2^31\",\"8 <= ld < 2^30\"]}",
     "\"guard\":null"},
    {"{\"op\":\"tensormap.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"source\":\"(M,K):(ld,1)\",\"tile\":[128,64],"
     "\"facts\":[\"1 <= M < 2^31\",\"1 <= K < 2^31\",\"8 <= ld < 2^30\"]}",
     "\"guard\":\"ld % 8 == 0\""},
    {"{\"op\":\"tensormap.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"source\":\"[M,q] -> { [i,j] -> [64i + j + 8q] : 0 <= i "
     "< M and 0 <= j < 64 }\",\"tile\":[128,64],\"facts\":[\"1 <= M < 2^31\",\"0 <= q < 2^31\"]}",
     "\"address\":\"16*q\",\"extent\":[64,\"M\"],\"stride\":[128]"},
    {"{\"op\":\"tensormap.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"source\":\"(M,K):(ld,1)\",\"tile\":[128,64],"
     "\"smem\":\"(128,64):(64,1)\",\"facts\":[\"ld = 4 mod 8\",\"M >= 2\"]}",
     "{\"none\":\"TMAP_STRIDE_16: byte 2 of the tile: "},
    {"{\"op\":\"tensormap.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"source\":\"((2,M),K):((1,ld),2)\",\"tile\":[128,64]}",
     "tile: has 2 entries, source 3 modes"},
    {"{\"op\":\"tensormap.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"source\":\"(64,K):(K,1)\",\"tile\":[64,64],"
     "\"facts\":[\"K = 512\"]}",
     "\"extent\":[512,64],\"stride\":[1024]"},
    {"{\"op\":\"tensormap.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"source\":\"(M,K):(ld,1)\",\"tile\":[128,64],"
     "\"facts\":[\"ld >= 8\",\"ld <= 7\"]}",
     "{\"error\":\"EINVAL\""},
};

static void as_json(void **state)
{
    answers_have(*state, lines, sizeof lines / sizeof *lines);
}

/* ---- with numbers --------------------------------------------------------------------------- */

typedef struct family {
    const char *source; /* %s of names */
    int modes;
    const char *extent[3], *stride[3], *offset; /* as expressions */
} family;

static const family families[] = {
    {"(M,K):(ld,1)", 2, {"M", "K"}, {"ld", "1"}, "0"},
    {"(K,M):(1,ld)", 2, {"K", "M"}, {"1", "ld"}, "0"},
    {"(M,K):(K,1)", 2, {"M", "K"}, {"K", "1"}, "0"},
    {"(M,K):(2*ld,1)", 2, {"M", "K"}, {"2*ld", "1"}, "0"},
    {"3*ld o (M,K):(ld,1)", 2, {"M", "K"}, {"ld", "1"}, "3*ld"},
    {"(7,K):(ld,1)", 2, {"7", "K"}, {"ld", "1"}, "0"},
    {"(M,48):(ld,1)", 2, {"M", "48"}, {"ld", "1"}, "0"},
    {"(B,M,K):(sb,ld,1)", 3, {"B", "M", "K"}, {"sb", "ld", "1"}, "0"},
    {"(B,M,K):(M*K,K,1)", 3, {"B", "M", "K"}, {"M*K", "K", "1"}, "0"},
    {"(M,B,K):(ld,sb,1)", 3, {"M", "B", "K"}, {"ld", "sb", "1"}, "0"},
    {"(K):(1)", 1, {"K"}, {"1"}, "0"},
    {"(B,M,K):(M*ld*B,ld,1)", 3, {"B", "M", "K"}, {"M*ld*B", "ld", "1"}, "0"},
    {"M*ld o (M,K):(ld,1)", 2, {"M", "K"}, {"ld", "1"}, "M*ld"},
    {"(M,K):(ld,2)", 2, {"M", "K"}, {"ld", "2"}, "0"},
    {"(B,M,K):(0,ld,1)", 3, {"B", "M", "K"}, {"0", "ld", "1"}, "0"},
};

typedef struct unknown {
    const family *family;
    tile_ask ask;
    char smem[TILE_TEXT], facts[512];
    int64_t lo[NAMES], hi[NAMES], mod[NAMES], rem[NAMES];
} unknown;

static const int64_t greatest[NAMES] = {20, 90, 3, 96, 700};

static void facts_draw(uint64_t *s, unknown *u)
{
    static const int64_t mods[] = {1, 1, 2, 4, 8, 8, 16, 16, 32, 64};
    char *at = u->facts;
    for (int i = 0; i < NAMES; i++) {
        u->mod[i] = i == 0 || i == 2 ? 1 : mods[test_range(s, 0, 9)];
        u->lo[i] = test_range(s, 0, 1) ? 1 : test_range(s, 1, greatest[i] / 3 + 1);
        u->hi[i] = greatest[i];
        u->rem[i] = test_range(s, 0, 3) ? 0 : test_range(s, u->lo[i], u->hi[i]) % u->mod[i];
        at += sprintf(at, "%s%s mod %lld = %lld;%lld <= %s <= %lld", i ? ";" : "", names[i],
                      (long long)u->mod[i], (long long)u->rem[i], (long long)u->lo[i], names[i],
                      (long long)u->hi[i]);
    }
}

static void unknown_draw(uint64_t *s, unknown *u)
{
    static const int32_t types[] = {ZLAY_TYPE_U8, ZLAY_TYPE_BF16, ZLAY_TYPE_F32};
    memset(u, 0, sizeof *u);
    u->family = &families[test_range(s, 0, (int64_t)(sizeof families / sizeof *families) - 1)];
    tile_ask *a = &u->ask;
    a->type = types[test_range(s, 0, 2)];
    a->bytes = a->type == ZLAY_TYPE_U8 ? 1 : a->type == ZLAY_TYPE_BF16 ? 2 : 4;
    a->source.modes = u->family->modes;
    a->swizzle = -1;
    int inner = 0, order[3] = {0}, n = 1;
    for (int i = 0; i < u->family->modes; i++) {
        bool contiguous = !strcmp(u->family->stride[i], "1");
        if (contiguous) inner = i;
        a->shape[i] = contiguous ? (16 / a->bytes) << test_range(s, 0, 2) : test_range(s, 1, 6);
    }
    a->free_smem = test_range(s, 0, 1);
    order[0] = inner;
    for (int i = 0; i < u->family->modes; i++)
        if (i != inner) order[n++] = i;
    if (n > 1 && test_range(s, 0, 4) == 0) {
        order[0] = order[n - 1];
        order[n - 1] = inner;
    }
    tile_compact(&a->smem, a->shape, order, n);
    if (!a->free_smem) tile_text(u->smem, &a->smem);
    facts_draw(s, u);
}

static int64_t number(const char *text, size_t length, const int64_t *value)
{
    const product_names all = {NAMES, names, value};
    return product_sum(text, length, &all);
}

static bool values_draw(uint64_t *s, const unknown *u, int64_t *value)
{
    for (int i = 0; i < NAMES; i++) {
        int64_t first = u->lo[i] + (u->rem[i] - u->lo[i] % u->mod[i] + u->mod[i]) % u->mod[i];
        if (first > u->hi[i]) return false;
        value[i] = first + u->mod[i] * test_range(s, 0, (u->hi[i] - first) / u->mod[i]);
    }
    return true;
}

static tile_ask ask_bound(const unknown *u, const int64_t *value)
{
    tile_ask a = u->ask;
    for (int i = 0; i < u->family->modes; i++) {
        a.source.shape[i] = number(u->family->extent[i], strlen(u->family->extent[i]), value);
        a.source.stride[i] = number(u->family->stride[i], strlen(u->family->stride[i]), value);
    }
    a.source.offset = number(u->family->offset, strlen(u->family->offset), value);
    return a;
}

/* The maps with numbers; whether all are legal. */
static bool maps_bound(zlay_tensormap *out, const zlay_move *move, uint32_t count, const int64_t *value)
{
    bool legal = true;
    for (uint32_t m = 0; m < count; m++) {
        zlay_given given;
        assert_int_equal(zlay_move_map_nth(&out[m], move, m), ZLAY_OK);
        for (uint32_t k = 0; zlay_move_given_nth(&given, move, m, k) == ZLAY_OK; k++)
            map_set(&out[m], given.field, given.index,
                    (uint64_t)number(given.text, given.length, value));
        legal &= answer_of(target_of("sm_90a"), &out[m]) == ZLAY_YES;
    }
    return legal;
}

typedef struct tally {
    uint64_t moves, open, none, guarded, points, legal, cases, beyond;
} tally;

/* What a guard begins with where the move is for some numbers only: `name == 1`, `name <= tile`, which no
 * rule of a map asks of so small numbers. */
static bool case_holds(const char *guard, const int64_t *value)
{
    for (const char *at = guard; *at;) {
        char name[8], relation[3];
        long long bound;
        if (sscanf(at, "%7[A-Za-z] %2[=<] %lld", name, relation, &bound) == 3 && bound <= 64)
            for (int i = 0; i < NAMES; i++)
                if (!strcmp(name, names[i]) && (*relation == '=' ? value[i] != bound : value[i] > bound)) return false;
        at = strstr(at, " && ");
        if (!at) return true;
        at += 4;
    }
    return true;
}

static void move_compare(zlay_ctx *ctx, uint64_t *s, const unknown *u, const zlay_move *move, model *m,
                         tally *t)
{
    char guard[GUARD];
    zlay_move_summary info;
    zlay_tensormap maps[16];
    int64_t value[NAMES];
    zlay_move_info(&info, move);
    assert_true(info.maps <= 16);
    guard_of(guard, move);
    t->guarded += *guard != 0;
    for (int i = 0; i < VALUES && values_draw(s, u, value); i++) {
        bool within = case_holds(guard, value), legal = within && maps_bound(maps, move, info.maps, value);
        bool said = !*guard || expression_holds(guard, NAMES, names, value);
        tile_ask a = ask_bound(u, value);
        if (legal != said) fail_msg("%s under %s: legal %d, guard %s", ask_text(&a), u->facts, legal, guard);
        t->cases += !within;
        m->maps = maps;
        if (legal && !move_replay(m, &a, move)) fail_msg("%s: %s", ask_text(&a), m->why);
        m->maps = NULL;
        zlay_move *other = NULL;
        t->beyond += !legal && ask_synth(ctx, &other, target_of("sm_90a"), &a) == ZLAY_OK;
        zlay_move_free(other);
        t->points++;
        t->legal += legal;
    }
}

static void none_compare(zlay_ctx *ctx, uint64_t *s, const unknown *u)
{
    int64_t value[NAMES];
    for (int i = 0; i < VALUES && values_draw(s, u, value); i++) {
        zlay_move *move = NULL;
        tile_ask a = ask_bound(u, value);
        zlay_status status = ask_synth(ctx, &move, target_of("sm_90a"), &a);
        if (status == ZLAY_OK) fail_msg("%s under %s: none, but there is one", ask_text(&a), u->facts);
        zlay_move_free(move);
    }
}

static void as_with_numbers(void **state)
{
    uint64_t s = test_seed("synth/tensormap/unknowns");
    model *m = model_new(3);
    tally t;
    zlay_ctx *ctx = *state;
    memset(&t, 0, sizeof t);
    for (uint64_t i = 0; i < test_iterations(300); i++) {
        unknown u;
        zlay_move *move = NULL;
        uint64_t shape[3] = {0};
        unknown_draw(&s, &u);
        for (int k = 0; k < u.family->modes; k++) shape[k] = (uint64_t)u.ask.shape[k];
        zlay_status status = unknown_synth(ctx, &move, u.ask.type, u.family->source,
                                           u.ask.free_smem ? NULL : u.smem, u.facts, shape);
        if (status == ZLAY_OK) move_compare(ctx, &s, &u, move, m, &t);
        else if (status == ZLAY_NONE) none_compare(ctx, &s, &u);
        else if (status != ZLAY_ELIMIT)
            fail_msg("%s under %s: %d, %s", ask_text(&u.ask), u.facts, status, zlay_ctx_message(ctx));
        t.moves += status == ZLAY_OK;
        t.none += status == ZLAY_NONE;
        t.open += status == ZLAY_ELIMIT;
        zlay_move_free(move);
    }
    printf("%llu moves, %llu with a guard, %llu none, %llu undecided; %llu points, %llu legal and replayed, %llu "
           "of the others have another move\n", (unsigned long long)t.moves, (unsigned long long)t.guarded,
           (unsigned long long)t.none, (unsigned long long)t.open, (unsigned long long)t.points,
           (unsigned long long)t.legal, (unsigned long long)t.beyond);
    assert_true(t.moves > 100 && t.legal > 500 && t.guarded > 20 && t.cases > 20);
    assert_true(t.open * 10 < t.open + t.moves + t.none);
    free(m);
}

/* ---- the last tile ------------------------------------------------------------------------------ */

/* Extents up to 2^33: a guard holds where the map is legal and the first and the last tile's copies are. */
static void last_tiles(void **state)
{
    static const char *const targets[] = {"sm_90a", "sm_100a"};
    static const int64_t around[] = {1, 1000, (int64_t)1 << 31, (int64_t)1 << 32, (int64_t)1 << 33};
    uint64_t s = test_seed("last tiles"), held = 0, points = 0;
    zlay_ctx *ctx = *state;
    for (uint64_t i = 0; i < test_iterations(40); i++) {
        const char *on = targets[i % 2];
        const uint64_t shape[3] = {(uint64_t)test_range(&s, 1, 256), (uint64_t)test_range(&s, 1, 4) * 16};
        zlay_move *move = NULL;
        char guard[GUARD];
        int64_t value[NAMES] = {1, 1, 1, 1024, 1};
        if (unknown_synth_on(on, ctx, &move, ZLAY_TYPE_BF16, "(M,K):(ld,1)", NULL, "ld = 1024;K < 2^34;M < 2^34", shape))
            fail_msg("%s", zlay_ctx_message(ctx));
        guard_of(guard, move);
        for (int k = 0; k < 60; k++, points++) {
            zlay_copy copy;
            zlay_tensormap map;
            for (int n = 0; n < 2; n++) {
                value[n] = around[test_range(&s, 0, 4)] + test_range(&s, -300, 300);
                if (value[n] < 1) value[n] = 1;
            }
            maps_bound(&map, move, 1, value);
            bool legal = answer_of(target_of(on), &map) == ZLAY_YES;
            assert_int_equal(zlay_move_copy_nth(&copy, move, 0), ZLAY_OK);
            for (int last = 0; last < 2; last++) {
                zlay_issue issue = {.kind = copy.kind, .rank = map.rank, .smem = copy.smem};
                zlay_verdict verdict;
                for (uint32_t d = 0; d < map.rank; d++) {
                    int64_t at = copy.coordinate[d];
                    for (int n = 0; n < 2 && last; n++)
                        at += copy.advance[d][n] * ((value[n] - 1) / (int64_t)shape[n]);
                    if (at > INT32_MAX) legal = false;
                    issue.coordinate[d] = (int32_t)at;
                }
                if (!legal) break;
                assert_int_equal(zlay_copy_check(&verdict, NULL, 0, target_of(on), &issue, &map), ZLAY_OK);
                legal = verdict.answer == ZLAY_YES;
            }
            if (legal != expression_holds(guard, NAMES, names, value))
                fail_msg("%s, tile %llu x %llu, M = %lld, K = %lld: legal %d, guard %s", on, (unsigned long long)shape[0],
                         (unsigned long long)shape[1], (long long)value[0], (long long)value[1], legal, guard);
            held += legal;
        }
        zlay_move_free(move);
    }
    printf("%llu extents, %llu legal\n", (unsigned long long)points, (unsigned long long)held);
    assert_true(held > 100 && held < points - 100);
}

/* ---- memory ------------------------------------------------------------------------------------- */

static const struct {
    const char *source, *smem, *facts;
    uint64_t shape[3];
} failing[] = {
    {"(M,K):(ld,1)", "Sw<3,3,3> o 0 o (128,(64,2)):(64,(1,8192))", "K = 0 mod 64", {128, 128}},
    /* One row, after all rows were tried. */
    {"(M,K):(ld,1)", "(4,8):(8,1)", "ld = 1 mod 2", {4, 8}},
};

static zlay_status moved(zlay_ctx *ctx, void *request)
{
    zlay_move *move = NULL;
    zlay_status status = zlay_tensormap_synth(ctx, &move, target_of("sm_90a"), request);
    assert_true((status == ZLAY_OK) == (move != NULL));
    zlay_move_free(move);
    return status;
}

static void out_of_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        heap h;
        zlay_ctx *ctx = heap_open(&h, NULL);
        zlay_layout *from = read_layout(ctx, failing[i].source), *to = read_layout(ctx, failing[i].smem);
        zlay_facts *known = read_facts(ctx, failing[i].facts);
        zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = from, .smem = to, .facts = known, .axes = 2};
        memcpy(r.shape, failing[i].shape, sizeof failing[i].shape);
        assert_int_equal(heap_fails_each(&h, ctx, moved, &r), ZLAY_OK);
        zlay_layout_free(from);
        zlay_layout_free(to);
        zlay_facts_free(known);
        heap_close(&h, ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counted_by_hand), cmocka_unit_test(as_json), cmocka_unit_test(as_with_numbers), cmocka_unit_test(last_tiles),
                                       cmocka_unit_test(out_of_memory)};
    return cmocka_run_group_tests(tests, begin, end);
}
