/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic layouts: the example of zlay/symbol.h, what facts decide, text, refusals, limits, memory. */
#include "heap.h"
#include "layouts/symbol_draw.h"

#include <zlay/cute.h>

/* ---- facts ------------------------------------------------------------------------------------- */

static void facts_decide(void **state)
{
    static const struct {
        const char *a, *b, *fact[3];
        zlay_answer answer;
        const char *guard;
    } rows[] = {
        {"(8,4):(1,ld)", "32", {NULL}, ZLAY_DEPENDS, "ld == 8"},
        {"(8,4):(1,ld)", "32", {"ld = 8"}, ZLAY_YES, ""},
        {"(8,4):(1,ld)", "32", {"ld mod 16 = 0"}, ZLAY_NO, ""},
        {"(8,1):(1,ld)", "8", {NULL}, ZLAY_YES, ""},
        {"(8,M):(1,8)", "8*M", {NULL}, ZLAY_YES, ""},
        {"(K,M):(1,ld)", "(K,M)", {NULL}, ZLAY_DEPENDS, "M == 1 || K == ld"},
        {"(K,M):(1,ld)", "(K,M)", {"M >= 2"}, ZLAY_DEPENDS, "K == ld"},
        {"(K,M):(1,ld)", "(K,M)", {"K <= 7", "ld >= 8"}, ZLAY_DEPENDS, "M == 1"},
        {"(K,M):(1,ld)", "(K,M)", {"K <= 7", "ld >= 8", "M >= 2"}, ZLAY_NO, ""},
        {"2:2*ld", "2:3*h", {NULL}, ZLAY_DEPENDS, "(__int128)3*h == (__int128)2*ld"},
        {"2:2*ld", "2:4*h", {"0 <= h < 1000", "0 <= ld < 1000"}, ZLAY_DEPENDS, "2*h == ld"},
        {"2:2*ld", "2:3", {NULL}, ZLAY_NO, ""},
        {"2:ld*ld*ld", "2:h", {NULL}, ZLAY_UNDECIDED, ""},
        {"ld o 2:h", "3 o 2:h", {NULL}, ZLAY_DEPENDS, "ld == 3"},
        {"M:ld", "K:ld", {NULL}, ZLAY_UNDECIDED, ""},
        {"(8,M):(ld,8*ld)", "8:ld", {NULL}, ZLAY_DEPENDS, "M == 1"},
        {"(8,M):(ld,8*ld)", "8:ld", {"M > 3"}, ZLAY_NO, ""},
        {"(M,K):(ld,1)", "(M,K):(K,1)", {"ld = K"}, ZLAY_YES, ""},
        {"(M,ld):(ld,1)", "(M,K):(K,1)", {"ld = K"}, ZLAY_YES, ""},
        {"(M,ld):(1,M)", "(2*M,K):(1,2*M)", {"ld = 2*K"}, ZLAY_YES, ""},
        {"(M,8):(ld,1)", "(M,8):(K,1)", {"ld = P", "K <= P", "P <= K"}, ZLAY_YES, ""},
        {"(M,4):(ld,1)", "(M,4):(K,1)", {"ld = K + 8"}, ZLAY_DEPENDS, "M == 1"},
        {"ld o (M,4):(1,1)", "8 + K o (M,4):(1,1)", {"ld = K + 8"}, ZLAY_YES, ""},
        {"(4,8):(ld,1)", "(4,8):(K,1)", {"3*ld = 3*K"}, ZLAY_YES, ""},
        {"(4,8):(ld,1)", "(4,8):(K,1)", {"ld < K"}, ZLAY_NO, ""},
        {"(4,8):(ld,1)", "(4,8):(K,1)", {"ld <= K"}, ZLAY_DEPENDS, "K == ld"},
        {"(2,3):(M,K)", "(3,2):(N,h)", {NULL}, ZLAY_DEPENDS,
         "M == N && (__int128)K == (__int128)2*M && (__int128)3*M == (__int128)h"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t count = 0;
        char guard[ROOM];
        zlay_buf buf = {guard, sizeof guard, 0};
        zlay_answer answer;
        while (count < 3 && rows[i].fact[count]) count++;
        zlay_facts *facts = facts_of(*state, count, rows[i].fact);
        zlay_layout *wild[2] = {read_layout(*state, rows[i].a), read_layout(*state, rows[i].b)}, *a, *b;
        assert_int_equal(zlay_layout_assume(*state, &a, wild[0], facts), ZLAY_OK);
        assert_int_equal(zlay_layout_assume(*state, &b, wild[1], facts), ZLAY_OK);
        assert_int_equal(zlay_layout_equal_guard(*state, &answer, &buf, a, b, facts), ZLAY_OK);
        zlay_answer given;
        assert_int_equal(zlay_layout_equal_for_all(*state, &given, NULL, wild[0], wild[1], facts), ZLAY_OK);
        assert_int_equal(given, answer);
        if (answer == ZLAY_DEPENDS) assert_non_null(strstr(zlay_ctx_message(*state), guard));
        if (answer != rows[i].answer || strcmp(guard, rows[i].guard))
            fail_msg("row %d, %s and %s: %d '%s'", (int)i, rows[i].a, rows[i].b, answer, guard);
        zlay_facts_free(facts);
        zlay_layout_free(wild[0]);
        zlay_layout_free(wild[1]);
        zlay_layout_free(a);
        zlay_layout_free(b);
    }
}

/* ---- text --------------------------------------------------------------------------------------------- */

static void texts(void **state)
{
    static const char *const rows[][2] = {
        {"(M,K):(ld,1)", "(M,K):(ld,1)"},
        {"( M , K )", "(M,K):(1,M)"},
        {"(8,(4,N)):(2*ld,(1,4*ld*h))", "(8,(4,N)):(2*ld,(1,4*h*ld))"},
        {"_8:ld*_2", "8:2*ld"},
        {"x*f2a:1", "f2a*x:1"},
        {"8:f2_", "8:f2_"},
        {"3 + ld*2 - ld o 4:-ld", "ld + 3 o 4:-ld"},
        {"ld - ld o 4:ld", "4:ld"},
        {"4:0*ld", "4:0"},
        {"(2,2):(ld*ld,-1*ld)", "(2,2):(ld*ld,-ld)"},
        {"o1 o 4:_x", "o1 o 4:_x"},
    };
    static const struct {
        const char *text, *word;
        zlay_status status;
    } wrong[] = {
        {"(M,K):(ld)", "byte", ZLAY_EINVAL},
        {"(M,K):(ld,", "byte 10", ZLAY_EINVAL},
        {"M:o", "byte 2", ZLAY_EINVAL},
        {"0*M:ld", "below 1", ZLAY_EINVAL},
        {"-M:ld", "below 1", ZLAY_EINVAL},
        {"M:ld/0", "byte 6", ZLAY_EINVAL},
        {"M:2ld", "byte 3", ZLAY_EINVAL},
        {"M:mod", "byte 2", ZLAY_EINVAL},
        {"Sw<1,0,3> o 0 o M:ld", "byte", ZLAY_EINVAL},
        {"M:9223372036854775807*2*ld", "byte", ZLAY_EOVERFLOW},
        {"(M,4294967296,4294967296):(1,ld,h)", "size", ZLAY_EOVERFLOW},
        {"17:a*b*c*d*e*f*g*h*i*j*k*l*m*n*p*q*r", "16 names", ZLAY_ELIMIT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zlay_layout *a = read_layout(*state, rows[i][0]), *again = read_layout(*state, rows[i][1]);
        assert_text(a, rows[i][1]);
        assert_text(again, rows[i][1]);
        zlay_layout_free(a);
        zlay_layout_free(again);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        zlay_layout *a;
        zlay_status status = zlay_layout_parse(*state, &a, wrong[i].text, strlen(wrong[i].text));
        if (status != wrong[i].status || !strstr(zlay_ctx_message(*state), wrong[i].word))
            fail_msg("%s: %s, %s", wrong[i].text, zlay_status_name(status), zlay_ctx_message(*state));
        assert_null(a);
    }
}

static void random_texts(void **state)
{
    uint64_t seed = test_seed("random_texts");
    for (uint64_t i = 0; i < test_iterations(3000); i++) {
        char text[ROOM], once[1024], twice[1024];
        random_text(&seed, text, false);
        zlay_layout *a = read_layout(*state, text), *b = read_layout(*state, layout_text(once, a));
        assert_string_equal(layout_text(twice, b), once);
        zlay_layout_free(a);
        zlay_layout_free(b);
    }
}

/* ---- the example of zlay/symbol.h ------------------------------------------------------------------------ */

static void example(void **state)
{
    zlay_layout *a = read_layout(*state, "(M,K):(ld,1)"), *b = read_layout(*state, "(8,M):(ld,1)");
    zlay_layout *c = read_layout(*state, "(K,M):(1,K)"), *four = read_layout(*state, "4:2"), *made;
    const char *const name[] = {"M", "K", "ld"};
    const int64_t value[] = {3, 2, 4};
    assert_int_equal(zlay_layout_bind(*state, &made, a, 3, name, value), ZLAY_OK);
    assert_text(made, "(3,2):(4,1)");
    zlay_layout_free(made);
    assert_int_equal(zlay_layout_coalesce(*state, &made, c), ZLAY_OK);
    assert_text(made, "K*M:1");
    zlay_layout_free(made);
    assert_int_equal(zlay_layout_compose(*state, &made, b, four), ZLAY_OK);
    assert_text(made, "4:2*ld");
    zlay_layout_free(made);
    assert_int_equal(zlay_layout_flip(*state, &made, b, 0), ZLAY_OK);
    assert_text(made, "7*ld o (8,M):(-ld,1)");
    zlay_layout_free(made);
    zlay_layout_free(a);
    zlay_layout_free(b);
    zlay_layout_free(c);
    zlay_layout_free(four);
}

/* ---- what is refused ---------------------------------------------------------------------------------------- */

static zlay_status refused_call(zlay_ctx *ctx, int call, zlay_layout **out, const zlay_layout *a, const zlay_layout *b)
{
    uint64_t number = 0;
    int64_t value;
    const zlay_pad pad = {0, 1, 1, 0, 0};
    *out = NULL;
    switch (call) {
    case 0: return zlay_layout_complement(ctx, out, a, 64);
    case 1: return zlay_layout_right_inverse(ctx, out, a);
    case 2: return zlay_layout_left_inverse(ctx, out, a);
    case 3: return zlay_layout_upcast(ctx, out, a, 2);
    case 4: return zlay_layout_downcast(ctx, out, a, 2);
    case 5: return zlay_layout_max_common_layout(ctx, out, a, b);
    case 6: return zlay_layout_max_common_vector(ctx, &number, b, a);
    case 7: return zlay_layout_lower(ctx, out, a);
    case 8: return zlay_layout_lift(ctx, out, a);
    case 9: return zlay_layout_pad(ctx, out, a, &pad);
    case 10: return zlay_layout_concat(ctx, out, a, a, 0);
    case 11: return zlay_layout_restrict(ctx, out, a, "x0 < 1", 6);
    case 12: return zlay_layout_union(ctx, out, a, a);
    case 13: return zlay_layout_divide(ctx, out, b, a, ZLAY_LOGICAL);
    case 14: return zlay_layout_cosize(ctx, &number, a) == ZLAY_EINVAL ? ZLAY_ENOTSUP : ZLAY_OK;
    case 15: return zlay_layout_eval(&value, 1, a, 0) == ZLAY_EINVAL ? ZLAY_ENOTSUP : ZLAY_OK;
    case 16: return zlay_layout_eval_many(&value, NULL, a, NULL, 0, 1) == ZLAY_EINVAL ? ZLAY_ENOTSUP : ZLAY_OK;
    case 17: return zlay_layout_new_swizzled(ctx, out, 1, 0, 3, a) ? ZLAY_ENOTSUP : ZLAY_OK;
    case 18: return zlay_layout_coalesce_profile(ctx, out, a, "(1,1)", 5);
    default: return ZLAY_EINTERNAL;
    }
}

static void refused(void **state)
{
    zlay_layout *a = read_layout(*state, "(8,4):(ld,1)"), *b = read_layout(*state, "8:1"), *made;
    zlay_layout *m = read_layout(*state, "(M,4):(1,M)");
    for (int call = 0; call < 19; call++)
        for (int k = 0; k < 2; k++) {
            zlay_status status = refused_call(*state, call, &made, k ? m : a, b);
            bool pieces = call >= 9 && call <= 12;
            if (status != (pieces ? ZLAY_ELIMIT : ZLAY_ENOTSUP)) fail_msg("call %d of %s: %s", call, k ? "m" : "a", zlay_status_name(status));
            assert_null(made);
        }
    zlay_layout_free(a);
    zlay_layout_free(b);
    zlay_layout_free(m);
}

static void limits(void **state)
{
    zlay_layout *a = read_layout(*state, "(M,K):(ld,1)"), *b = read_layout(*state, "4:1"), *out;
    const char *const at_least[] = {"M >= 4"}, *const none[] = {"M <= 0"};
    zlay_facts *facts = facts_of(*state, 1, at_least), *empty = facts_of(*state, 1, none);
    const char *name[] = {"M"};
    int64_t value = 0;
    assert_int_equal(zlay_layout_compose(*state, &out, a, b), ZLAY_ELIMIT);
    assert_non_null(strstr(zlay_ctx_message(*state), "symbolic-stride"));
    zlay_layout *under;
    assert_int_equal(zlay_layout_assume(*state, &under, a, facts), ZLAY_OK);
    assert_int_equal(zlay_layout_compose(*state, &out, under, b), ZLAY_OK);
    assert_text(out, "4:ld");
    zlay_layout_free(out);
    assert_int_equal(zlay_layout_assume(*state, &out, a, empty), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_bind(*state, &out, a, 1, name, &value), ZLAY_EINVAL);
    value = 3;
    assert_int_equal(zlay_layout_bind(*state, &out, under, 1, name, &value), ZLAY_EINVAL);
    name[0] = "none";
    assert_int_equal(zlay_layout_bind(*state, &out, a, 1, name, &value), ZLAY_EINVAL);
    zlay_facts_free(facts);
    zlay_facts_free(empty);
    zlay_layout_free(under);
    zlay_layout_free(a);
    zlay_layout_free(b);
}

/* ---- quotients and ragged edges: by hand ------------------------------------------------------------------- */

typedef struct tiled {
    const char *layout, *by, *facts[2], *text;
    zlay_arrangement arrangement;
} tiled;

#define EDGES " if i0 + 64*i2 < M and i1 + 32*i3 < K"
static const tiled tilings[] = {
    {"(M,K):(ld,1)", "<64;32>", {"M mod 64 = 0", "K mod 32 = 0"}, "((64,32),(M/64,K/32)):((ld,1),(64*ld,32))", ZLAY_ZIPPED},
    {"(M,K):(ld,1)", "<64;32>", {NULL}, "((64,32),(ceil(M/64),ceil(K/32))):((ld,1),(64*ld,32))" EDGES, ZLAY_ZIPPED},
    {"(M,K):(ld,1)", "<64;32>", {NULL}, "((64,32),ceil(M/64),ceil(K/32)):((ld,1),64*ld,32)" EDGES, ZLAY_TILED},
    {"(M,K):(ld,1)", "<64;32>", {"M mod 128 = 0"}, "(64,32,M/64,ceil(K/32)):(ld,1,64*ld,32) if i1 + 32*i3 < K", ZLAY_FLAT},
    {"(M,K):(ld,1)", "<64>", {"M mod 64 = 0"}, "((64,M/64),K):((ld,64*ld),1)", ZLAY_LOGICAL},
    {"(M,K):(ld,1)", "<64;32>", {"M <= 64", "K mod 48 = 0"}, "((64,32),(1,ceil(K/32))):((ld,1),(64*ld,32))" EDGES, ZLAY_ZIPPED},
    {"(2*M,6*K):(ld,1)", "<64;32>", {NULL}, "((64,32),(ceil(M/32),ceil(3*K/16))):((ld,1),(64*ld,32)) if i0 + 64*i2 < 2*M and i1 + 32*i3 < 6*K", ZLAY_ZIPPED},
    {"(ceil(M/64),M/4):(ld,1)", "<4;32>", {NULL}, "((4,32),(ceil(M/256),ceil(M/128))):((ld,1),(4*ld,32)) if i0 + 4*i2 < ceil(M/64) and i1 + 32*i3 < M/4", ZLAY_ZIPPED},
};

static zlay_status tile_row(zlay_ctx *ctx, zlay_layout **out, const tiled *t)
{
    zlay_layout *wild = NULL, *a = NULL;
    zlay_facts *facts = NULL;
    size_t length[2], count = 0;
    for (; count < 2 && t->facts[count]; count++) length[count] = strlen(t->facts[count]);
    zlay_status status = zlay_facts_parse(ctx, &facts, count, t->facts, length);
    if (!status) status = zlay_layout_parse(ctx, &wild, t->layout, strlen(t->layout));
    if (!status) status = zlay_layout_assume(ctx, &a, wild, facts);
    if (!status) status = zlay_layout_divide_tiler(ctx, out, a, t->by, strlen(t->by), t->arrangement);
    zlay_facts_free(facts);
    zlay_layout_free(wild);
    zlay_layout_free(a);
    return status;
}

static void tiles(void **state)
{
    for (size_t i = 0; i < sizeof tilings / sizeof tilings[0]; i++) {
        zlay_layout *made = NULL;
        if (tile_row(*state, &made, &tilings[i])) fail_msg("row %d: %s", (int)i, zlay_ctx_message(*state));
        zlay_layout *again = read_layout(*state, tilings[i].text);
        assert_text(made, tilings[i].text);
        assert_text(again, tilings[i].text);
        zlay_layout_free(again);
        zlay_layout_free(made);
    }
}

/* 100 rows of 70 in tiles of 64 x 32: the last tile of rows has 36, that of columns 6. */
static void edges(void **state)
{
    static const char *const name[] = {"K", "M", "ld"};
    static const int64_t number[] = {70, 100, 1000};
    static const struct {
        const char *at;
        int64_t value;
        zlay_status status;
    } points[] = {
        {"[[0,0],[0,0]]", 0, ZLAY_OK}, {"[[63,31],[0,1]]", 63063, ZLAY_OK}, {"[[35,5],[1,2]]", 99069, ZLAY_OK},
        {"[[36,5],[1,2]]", 0, ZLAY_NONE}, {"[[35,6],[1,2]]", 0, ZLAY_NONE}, {"(35,5,1,2)", 99069, ZLAY_OK},
    };
    zlay_layout *made = NULL, *bound;
    uint64_t index = 0;
    int64_t value = 0;
    assert_int_equal(tile_row(*state, &made, &tilings[1]), ZLAY_OK);
    assert_int_equal(zlay_layout_bind(*state, &bound, made, 3, name, number), ZLAY_OK);
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        assert_int_equal(zlay_layout_index(*state, &index, bound, points[i].at, strlen(points[i].at)), ZLAY_OK);
        assert_int_equal(zlay_layout_eval(&value, 1, bound, index), points[i].status);
        if (!points[i].status) assert_int_equal(value, points[i].value);
    }
    assert_int_equal(zlay_layout_index(*state, &index, bound, "[[0,0],[0,0]", 12), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_index(*state, &index, bound, "[[0,0),[0,0]]", 13), ZLAY_EINVAL);
    zlay_layout_free(bound);
    zlay_layout_free(made);
}

/* A quotient without a rest has no other values, and nothing else takes a layout with an edge. */
static void edges_refused(void **state)
{
    static const char *const name[] = {"M"};
    static const int64_t odd = 100;
    zlay_layout *m = read_layout(*state, "(M/64,8):(8,1)"), *edge = read_layout(*state, "(8,ceil(M/8)):(1,8) if i0 + 8*i1 < M");
    zlay_layout *other = read_layout(*state, "M:1"), *out;
    zlay_answer answer;
    assert_int_equal(zlay_layout_bind(*state, &out, m, 1, name, &odd), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_coalesce(*state, &out, edge), ZLAY_ELIMIT);
    assert_int_equal(zlay_layout_flip(*state, &out, edge, 0), ZLAY_ELIMIT);
    assert_int_equal(zlay_layout_compose(*state, &out, edge, other), ZLAY_ELIMIT);
    assert_int_equal(zlay_layout_divide_tiler(*state, &out, edge, "<2>", 3, ZLAY_ZIPPED), ZLAY_ELIMIT);
    assert_int_equal(zlay_layout_product(*state, &out, edge, other, ZLAY_LOGICAL), ZLAY_ELIMIT);
    assert_int_equal(zlay_layout_equal_guard(*state, &answer, NULL, edge, other, NULL), ZLAY_OK);
    assert_int_equal(answer, ZLAY_UNDECIDED);
    assert_int_equal(zlay_layout_equal_guard(*state, &answer, NULL, edge, edge, NULL), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    zlay_layout_free(m);
    zlay_layout_free(edge);
    zlay_layout_free(other);
}

/* ---- memory ---------------------------------------------------------------------------------------------- */

static zlay_status all_calls(zlay_ctx *ctx, void *unused)
{
    (void)unused;
    zlay_layout *made[14] = {NULL};
    static const char *const name[] = {"M", "ld"};
    static const int64_t number[] = {9, 3};
    zlay_answer answer = ZLAY_YES;
    const zlay_slice by = {0, 1, 3, 1};
    zlay_status status = zlay_layout_parse(ctx, &made[0], "ld o (8,M):(ld,1)", 17);
    if (!status) status = zlay_layout_coalesce(ctx, &made[1], made[0]);
    if (!status) status = zlay_layout_flip(ctx, &made[2], made[0], 0);
    if (!status) status = zlay_layout_slice(ctx, &made[3], made[0], &by);
    if (!status) status = zlay_layout_compose(ctx, &made[4], made[0], made[3] ? made[3] : made[0]) == ZLAY_ENOMEM
        ? ZLAY_ENOMEM : ZLAY_OK;
    if (!status) status = zlay_layout_assume(ctx, &made[5], made[0], NULL);
    if (!status) status = zlay_layout_equal_guard(ctx, &answer, NULL, made[0], made[2], NULL);
    if (!status) assert_int_equal(answer, ZLAY_DEPENDS);
    if (!status) status = zlay_layout_injective_guard(ctx, &answer, NULL, made[0]);
    if (!status) status = zlay_layout_bijective_guard(ctx, &answer, NULL, made[0]);
    if (!status) status = zlay_layout_surjective_guard(ctx, &answer, NULL, made[0], 4);
    if (!status) status = zlay_layout_contained_guard(ctx, &answer, NULL, made[0], made[2]);
    if (!status) status = zlay_layout_is_injective(ctx, &answer, NULL, made[0]);
    if (!status) status = zlay_layout_parse(ctx, &made[6], "(8,M):(ld,1)", 12);
    if (!status) status = zlay_layout_parse(ctx, &made[7], "4:1", 3);
    if (!status) status = zlay_layout_divide(ctx, &made[8], made[6], made[7], ZLAY_LOGICAL);
    if (!status) status = tile_row(ctx, &made[9], &tilings[3]);
    if (!status) status = zlay_layout_parse(ctx, &made[10], "(8,ceil(M/8)):(ld,8*ld) if i0 + 8*i1 < M", 40);
    if (!status) status = zlay_layout_bind(ctx, &made[11], made[10], 2, name, number);
    if (!status) status = zlay_layout_product(ctx, &made[12], made[7], made[6], ZLAY_FLAT);
    if (!status) status = zlay_layout_blocked_product(ctx, &made[13], made[7], made[6]);
    for (int i = 0; i < 14; i++) zlay_layout_free(made[i]);
    return status;
}

static void memory(void **state)
{
    (void)state;
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(heap_fails_each(&h, ctx, all_calls, NULL), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example), cmocka_unit_test(texts), cmocka_unit_test(random_texts),
        cmocka_unit_test(facts_decide), cmocka_unit_test(refused), cmocka_unit_test(limits),
        cmocka_unit_test(memory), cmocka_unit_test(tiles), cmocka_unit_test(edges), cmocka_unit_test(edges_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
