/* SPDX-License-Identifier: Apache-2.0 */
/* tensormap.synth of a source with names whose tile is a layout, held against numbers: where the guard holds the
 * maps are legal and copy, in the CPU model, what the source and the tile with those numbers say; where only the
 * guard's part about the box holds they are not legal. */
#include "ctx.h"
#include "expression.h"
#include "heap.h"
#include "legality.h"
#include "tiles/move_model.h"
#include "tiles/products.h"
#include "tiles/tensormap_synth.h"

enum { NAMES = 3, GUARD = 4096, VALUES = 24 };
static const char *const names[NAMES] = {"M", "K", "ld"};

typedef struct row {
    const char *source, *tile, *smem, *facts;
    zlay_status status;
    const char *guard;                   /* "": the facts are enough; NULL: of no move */
    const char *extent[3], *stride[3];   /* of the source, as sums of products */
    const char *step[2];                 /* of the tile */
    int64_t count[2];
} row;

static const row rows[] = {
    {"(M,K):(ld,1)", "8:1", NULL, "1 <= ld <= 64;ld mod 8 = 0;M >= 8", ZLAY_OK, "", {"M", "K"}, {"ld", "1"}, {"1"}, {8}},
    {"(M,K):(ld,1)", "8:1", NULL, "1 <= ld <= 64;ld mod 8 = 0;M mod 8 = 0", ZLAY_OK, "", {"M", "K"}, {"ld", "1"}, {"1"}, {8}},
    {"(M,K):(ld,1)", "8:1", NULL, "1 <= ld <= 64", ZLAY_OK, "M >= 8 && ld % 8 == 0", {"M", "K"}, {"ld", "1"}, {"1"}, {8}},
    {"(M,K):(ld,1)", "4:3", "4:8", "1 <= ld <= 64", ZLAY_OK, "M >= 10 && ld % 8 == 0", {"M", "K"}, {"ld", "1"}, {"3"}, {4}},
    {"(M,K):(ld,1)", "8:1", "8:1", "1 <= ld <= 64", ZLAY_OK, "M >= 8 && ld == 1", {"M", "K"}, {"ld", "1"}, {"1"}, {8}},
    {"(M,K):(1,ld)", "64:1", NULL, "1 <= ld <= 64", ZLAY_OK, "M >= 64", {"M", "K"}, {"1", "ld"}, {"1"}, {64}},
    {"(16,K):(1,ld)", "(8,8):(1,16)", NULL, "1 <= ld <= 64", ZLAY_OK, "K >= 8 && ld % 8 == 0", {"16", "K"}, {"1", "ld"}, {"1", "16"}, {8, 8}},
    {"(16,K):(1,ld)", "(8,8):(1,16)", "(8,8):(1,8)", "1 <= ld <= 64;K >= 8;ld mod 8 = 0", ZLAY_OK, "", {"16", "K"}, {"1", "ld"}, {"1", "16"}, {8, 8}},
    {"(16,16):(1,ld)", "(16,4):(1,32)", NULL, "1 <= ld <= 64", ZLAY_OK, "ld % 4 == 0", {"16", "16"}, {"1", "ld"}, {"1", "32"}, {16, 4}},
    {"(M,K):(1,M)", "(16,4):(1,M)", NULL, "M mod 16 = 0;K >= 4;M <= 64", ZLAY_OK, "", {"M", "K"}, {"1", "M"}, {"1", "M"}, {16, 4}},
    {"(M,K):(ld,1)", "8:1", "8:1", "1 <= ld <= 64;M >= 8;ld >= 2", ZLAY_NONE, NULL, {NULL}, {NULL}, {NULL}, {0}},
    {"(16,16):(1,ld)", "(8,17):(1,16)", NULL, "", ZLAY_EINVAL, NULL, {NULL}, {NULL}, {NULL}, {0}},
    {"(M,K):(ld,1)", "8:1", NULL, "M <= 4", ZLAY_ELIMIT, NULL, {NULL}, {NULL}, {NULL}, {0}},
    {"(M,K):(1,M)", "(16,4):(1,M)", NULL, "M mod 16 = 0", ZLAY_ELIMIT, NULL, {NULL}, {NULL}, {NULL}, {0}},
};

static int64_t number(const char *text, size_t length, const int64_t *value)
{
    const product_names all = {NAMES, names, value};
    return product_sum(text, length, &all);
}

static tile_ask ask_of(const row *r, const int64_t *value)
{
    tile_ask a = {.type = ZLAY_TYPE_BF16, .bytes = 2, .by_layout = true, .free_smem = true, .swizzle = -1};
    for (int i = 0; i < 3 && r->extent[i]; i++, a.source.modes++) {
        a.source.shape[i] = number(r->extent[i], strlen(r->extent[i]), value);
        a.source.stride[i] = number(r->stride[i], strlen(r->stride[i]), value);
    }
    for (int i = 0; i < 2 && r->step[i]; i++, a.tile.modes++) {
        a.tile.shape[i] = r->count[i];
        a.tile.stride[i] = number(r->step[i], strlen(r->step[i]), value);
    }
    return a;
}

static bool maps_bound(zlay_tensormap *out, const zlay_move *move, uint32_t count, const int64_t *value)
{
    bool legal = true;
    for (uint32_t m = 0; m < count; m++) {
        zlay_given given;
        assert_int_equal(zlay_move_map_nth(&out[m], move, m), ZLAY_OK);
        for (uint32_t k = 0; zlay_move_given_nth(&given, move, m, k) == ZLAY_OK; k++)
            map_set(&out[m], given.field, given.index, (uint64_t)number(given.text, given.length, value));
        legal &= answer_of(target_of("sm_90a"), &out[m]) == ZLAY_YES;
    }
    return legal;
}

/* Numbers of the facts, which are written for that. */
static bool values_draw(uint64_t *s, const row *r, int64_t *value)
{
    bool eights = strstr(r->facts, "ld mod 8"), whole = strstr(r->facts, "M mod 8 ");
    value[0] = strstr(r->facts, "M mod 16") ? 16 * test_range(s, 1, 4) : whole ? 8 * test_range(s, 1, 4) : test_range(s, 1, 80);
    value[1] = test_range(s, 1, 20);
    value[2] = eights ? 8 * test_range(s, 1, 8) : test_range(s, 0, 1) ? 4 * test_range(s, 1, 16) : test_range(s, 1, 3);
    if (strstr(r->facts, "M >= 8") && value[0] < 8) return false;
    if (strstr(r->facts, "K >= 8") && value[1] < 8) return false;
    return !strstr(r->facts, "K >= 4") || value[1] >= 4;
}

static bool box_holds(const char *guard, const int64_t *value)
{
    char name[8];
    long long least;
    if (sscanf(guard, "%7[A-Z] >= %lld", name, &least) != 2) return true;
    return value[*name == 'K'] >= least;
}

static void numbers_compare(uint64_t *s, const row *r, const zlay_move *move, model *m, int *replayed)
{
    char guard[GUARD];
    zlay_move_summary info;
    zlay_tensormap maps[8];
    int64_t value[NAMES];
    zlay_buf buf = {guard, GUARD, 0};
    assert_int_equal(zlay_move_guard(&buf, move), ZLAY_OK);
    assert_string_equal(guard, r->guard);
    zlay_move_info(&info, move);
    for (int i = 0; i < VALUES; i++) {
        if (!values_draw(s, r, value) || !box_holds(guard, value)) continue;
        bool said = !*guard || expression_holds(guard, NAMES, names, value);
        tile_ask a = ask_of(r, value);
        if (maps_bound(maps, move, info.maps, value) != said && !strstr(guard, "=="))
            fail_msg("%s: guard %s", ask_text(&a), guard);
        m->maps = maps;
        if (said && !move_replay(m, &a, move)) fail_msg("%s: %s", ask_text(&a), m->why);
        m->maps = NULL;
        *replayed += said;
    }
}

static zlay_status row_synth(zlay_ctx *ctx, zlay_move **out, const row *r)
{
    zlay_layout *source = read_layout(ctx, r->source), *tile = read_layout(ctx, r->tile);
    zlay_layout *smem = r->smem ? read_layout(ctx, r->smem) : NULL;
    zlay_facts *facts = read_facts(ctx, r->facts);
    zlay_tensormap_request request = {.size = sizeof request, .type = ZLAY_TYPE_BF16, .source = source, .tile = tile,
                                      .smem = smem, .facts = facts};
    zlay_status status = zlay_tensormap_synth(ctx, out, target_of("sm_90a"), &request);
    zlay_layout_free(source);
    zlay_layout_free(tile);
    zlay_layout_free(smem);
    zlay_facts_free(facts);
    return status;
}

static void test_numbers(void **state)
{
    uint64_t s = test_seed("tiles by a layout, with names");
    model *m = model_new(3);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_move *move = NULL;
        int replayed = 0;
        zlay_status status = row_synth(*state, &move, &rows[i]);
        if (status != rows[i].status) fail_msg("%s, %s: %d %s", rows[i].source, rows[i].tile, status, zlay_ctx_message(*state));
        if (!status) numbers_compare(&s, &rows[i], move, m, &replayed);
        if (!status) assert_true(replayed > 0);
        zlay_move_free(move);
    }
    free(m);
}

static void test_memory(void **state)
{
    (void)state;
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    zlay_layout *source = read_layout(ctx, "(M,K):(ld,1)"), *tile = read_layout(ctx, "8:1");
    zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = source, .tile = tile};
    assert_int_equal(heap_fails_each(&h, ctx, synth_moved, &r), ZLAY_OK);
    zlay_layout_free(source);
    zlay_layout_free(tile);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, begin, end);
}
