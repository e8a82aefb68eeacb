/* SPDX-License-Identifier: Apache-2.0 */
/* tensormap.synth of stores: random requests of which every tile is stored in the CPU model; memory holds the tile's
 * cells afterwards and is as it was everywhere else.  Those without edges are held to the search of least.h. */
#include "tiles/least.h"
#include "tiles/tile_draw.h"

#include <zlay/sim.h>

enum { GLOBAL_BYTES = 1 << 18, BASE = 1 << 16, SMEM_BYTES = 1 << 15, ORIGIN = 1024, ADDRESS = 1 << 20 };

typedef struct world {
    zlay_ctx *ctx;
    const zlay_target *target;
    search *search;
    uint8_t before[GLOBAL_BYTES], global[GLOBAL_BYTES], expected[GLOBAL_BYTES], smem[SMEM_BYTES];
    uint64_t found, none, open, twice, compared, several;
} world;

static void copies_run(world *w, const zlay_move *move, const int64_t *t)
{
    zlay_sim_smem smem = {w->smem, SMEM_BYTES, ORIGIN};
    zlay_copy c;
    for (uint32_t i = 0; zlay_move_copy_nth(&c, move, i) == ZLAY_OK; i++) {
        zlay_tensormap map;
        int32_t at[5], fault = -1;
        uint32_t bytes = 0;
        assert_int_equal(c.kind, ZLAY_COPY_TENSOR_STORE);
        assert_int_equal(zlay_move_map_nth(&map, move, c.map), ZLAY_OK);
        assert_int_equal(c.mode, map.mode ? ZLAY_COPY_IM2COL_NO_OFFS : ZLAY_COPY_TILE);
        for (int d = 0; d < 5; d++) {
            at[d] = c.coordinate[d];
            for (int k = 0; k < TILE_MODES; k++) at[d] += (int32_t)(c.advance[d][k] * t[k]);
        }
        int64_t start = BASE + (int64_t)map.address;
        assert_true(start >= 0 && start < GLOBAL_BYTES);
        zlay_sim_global tensor = {w->global + start, (uint64_t)(GLOBAL_BYTES - start)};
        map.address += ADDRESS;
        assert_int_equal(zlay_sim_tensor_store(&fault, &bytes, &smem, &tensor, &(zlay_sim_copy){.map = &map, .coordinate = at, .address = ORIGIN + c.smem}), ZLAY_OK);
        if (fault) fail_msg("fault %d", fault);
        assert_int_equal(bytes, c.bytes);
    }
}

static void tile_compare(world *w, const tile_ask *a, const zlay_move *move, const int64_t *t)
{
    memcpy(w->global, w->before, GLOBAL_BYTES);
    memcpy(w->expected, w->before, GLOBAL_BYTES);
    copies_run(w, move, t);
    for (int64_t cell = 0; cell < ask_cells(a); cell++) {
        int64_t to, from;
        assert_int_equal(zlay_layout_eval(&to, 1, zlay_move_smem(move), (uint64_t)cell), ZLAY_OK);
        if (!a->free_smem) assert_int_equal(to, tile_at(&a->smem, cell));
        if (ask_global(&from, a, t, cell))
            memcpy(w->expected + BASE + from * a->bytes, w->smem + to * a->bytes, (size_t)a->bytes);
    }
    for (int i = 0; i < GLOBAL_BYTES; i++)
        if (w->global[i] != w->expected[i])
            fail_msg("%s: byte %d of memory after tile %lld,%lld", ask_text(a), i - BASE, (long long)t[0], (long long)t[1]);
}

static void all_compare(world *w, const tile_ask *a, const zlay_move *move)
{
    int64_t t[TILE_MODES] = {0};
    int modes = a->by_layout ? 1 : a->source.modes, tiles = 0;
    for (int i = 0; i < modes;) {
        if (i == 0 && ++tiles <= 12) tile_compare(w, a, move, t);
        if (++t[i] == ask_tiles(a, i)) t[i++] = 0;
        else i = 0;
    }
}

/* ---- the search ------------------------------------------------------------------------------ */

/* What each 16 bytes of shared memory go to; false: they are no 16 of the tensor. */
static bool want_places(wanted *out, const tile_ask *a, const int64_t *t)
{
    static int64_t byte[16 * PLACES];
    out->places = 0;
    for (int i = 0; i < 16 * PLACES; i++) byte[i] = NOWHERE;
    for (int64_t cell = 0; cell < ask_cells(a); cell++) {
        int64_t from, to = tile_at(&a->smem, cell) * a->bytes;
        assert_true(ask_global(&from, a, t, cell));
        for (int i = 0; i < a->bytes; i++) byte[to + i] = (1 << 20) + from * a->bytes + i;
        if (to / 16 >= out->places) out->places = (int)(to / 16) + 1;
    }
    for (int p = 0; p < out->places; p++) {
        const int64_t *b = &byte[16 * p];
        for (int i = 1; i < 16; i++)
            if (b[i] != (b[0] == NOWHERE ? NOWHERE : b[0] + i)) return false;
        if (b[0] != NOWHERE && b[0] % 16) return false;
        out->from[p] = b[0] == NOWHERE ? NOWHERE : b[0] / 16;
    }
    return true;
}

static bool is_searched(const tile_ask *a)
{
    bool whole = !a->free_smem && ask_cells(a) * a->bytes <= 1024 && tile_spread(&a->smem) * a->bytes <= 16 * PLACES;
    for (int i = 0; i < a->source.modes && !a->by_layout; i++) whole = whole && a->source.shape[i] % a->shape[i] == 0;
    return whole;
}

static least searched(world *w, const tile_ask *a)
{
    wanted want;
    int64_t t[TILE_MODES] = {0};
    for (int m = 0; m < a->source.modes && !a->by_layout; m++) {
        t[m] = ask_tiles(a, m) > 1;
        if (!want_places(&want, a, t)) return (least){.whole = true};
        t[m] = 0;
    }
    if (!want_places(&want, a, t)) return (least){.whole = true};
    return least_of(w->search, w->target, &want);
}

static void judge(world *w, const tile_ask *a, const zlay_move *move, const least *l)
{
    zlay_move_summary info;
    zlay_tensormap map;
    zlay_move_info(&info, move);
    for (uint32_t i = 0; zlay_move_map_nth(&map, move, i) == ZLAY_OK; i++)
        if (map.mode) return;
    if (!l->whole) return;
    w->compared++;
    if (!l->exists || (int)info.copies != l->issues || (int)info.bytes != l->bytes)
        fail_msg("%s: %u copies, %llu bytes; the search: %d, %d", ask_text(a), info.copies,
                 (unsigned long long)info.bytes, l->issues, l->bytes);
}

/* ---- requests ---------------------------------------------------------------------------- */

static void answer(world *w, const tile_ask *a)
{
    zlay_move *move = NULL;
    zlay_move_summary info;
    least l = {.whole = false};
    if (is_searched(a)) l = searched(w, a);
    zlay_status status = ask_synth(w->ctx, &move, w->target, a);
    if (status == ZLAY_OK) {
        w->found++;
        zlay_move_info(&info, move);
        w->several += info.copies > 1;
        all_compare(w, a, move);
        if (is_searched(a)) judge(w, a, move, &l);
    } else if (status == ZLAY_EINVAL) {
        w->twice++;
        if (!strstr(zlay_ctx_message(w->ctx), "have one place")) fail_msg("%s: %s", ask_text(a), zlay_ctx_message(w->ctx));
    } else {
        w->none += status == ZLAY_NONE;
        bool open = status == ZLAY_ELIMIT || (status == ZLAY_ENOTSUP && a->free_smem);
        w->open += open;
        if (status != ZLAY_NONE && !open)
            fail_msg("%s: status %d, %s", ask_text(a), status, zlay_ctx_message(w->ctx));
        if (l.exists && (status == ZLAY_NONE || l.issues == 1))
            fail_msg("%s: %s; the search has %d copies", ask_text(a), zlay_ctx_message(w->ctx), l.issues);
    }
    zlay_move_free(move);
}

static void drawn(void **state)
{
    static world w;
    uint64_t seed = test_seed("drawn"), count = test_iterations(1500);
    (void)state;
    w.target = target_of("sm_90a");
    w.search = calloc(1, sizeof *w.search);
    assert_non_null(w.search);
    w.search->align = 16;
    w.search->store = true;
    w.search->without = WITHOUT_COLUMNS;
    assert_int_equal(zlay_ctx_new(&w.ctx, NULL, NULL), ZLAY_OK);
    for (int i = 0; i < GLOBAL_BYTES; i++) w.before[i] = (uint8_t)test_random(&seed);
    for (int i = 0; i < SMEM_BYTES; i++) w.smem[i] = (uint8_t)test_random(&seed);
    for (uint64_t i = 0; i < count; i++) {
        tile_ask a = tile_drawn(seed, i);
        a.store = true;
        answer(&w, &a);
    }
    printf("%llu requests, %llu moves, %llu of several copies, %llu none, %llu open, %llu would write twice, %llu held "
           "to the search\n", (unsigned long long)count, (unsigned long long)w.found, (unsigned long long)w.several,
           (unsigned long long)w.none, (unsigned long long)w.open, (unsigned long long)w.twice,
           (unsigned long long)w.compared);
    assert_true(w.found > count / 4 && w.compared > count / 20 && w.twice && w.several);
    zlay_ctx_free(w.ctx);
    free(w.search);
}

/* ---- by hand ------------------------------------------------------------------------------- */

static zlay_status hand_ask(zlay_ctx *ctx, zlay_move **out, const char *on, int32_t type, const char *from,
                            const char *to, uint64_t rows, uint64_t columns)
{
    zlay_layout *source = NULL, *smem = NULL;
    assert_int_equal(zlay_layout_parse(ctx, &source, from, strlen(from)), ZLAY_OK);
    if (to) assert_int_equal(zlay_layout_parse(ctx, &smem, to, strlen(to)), ZLAY_OK);
    const zlay_tensormap_request r = {.size = sizeof r, .type = type, .source = source, .smem = smem, .axes = 2,
                                      .shape = {rows, columns}, .direction = ZLAY_DIRECTION_STORE};
    zlay_status status = zlay_tensormap_synth(ctx, out, target_of(on), &r);
    zlay_layout_free(source);
    zlay_layout_free(smem);
    return status;
}

static void refused(void **state)
{
    static const struct {
        const char *on, *source, *smem;
        int32_t type;
        uint64_t rows, columns;
        zlay_status status;
        const char *word;
    } rows[] = {
        {"sm_90a", "(64,60):(64,1)", NULL, ZLAY_TYPE_BF16, 8, 60, ZLAY_ELIMIT, "smem"},
        {"sm_90a", "(64,60):(64,1)", "(8,60):(64,1)", ZLAY_TYPE_BF16, 8, 60, ZLAY_NONE, "COPY_STORE_16"},
        {"sm_90a", "(64,60):(64,1)", "(8,64):(64,1)", ZLAY_TYPE_BF16, 8, 64, ZLAY_NONE, "COPY_STORE_16"},
        {"sm_90a", "(64,64):(0,1)", NULL, ZLAY_TYPE_BF16, 8, 64, ZLAY_EINVAL, "source: cells 0 and 1 have one place"},
        {"sm_90a", "(64,64):(32,1)", NULL, ZLAY_TYPE_BF16, 8, 64, ZLAY_EINVAL, "have one place"},
        {"sm_90a", "(M,64):(64,1)", NULL, ZLAY_TYPE_BF16, 8, 64, ZLAY_ENOTSUP, "unknown 'M'"},
        {"sm_100a", "(64,128):(128,1)", NULL, ZLAY_TYPE_U4_ALIGN16, 8, 128, ZLAY_NONE, "COPY_PACKED_STORE"},
        {"sm_100a", "(64,128):(128,1)", NULL, ZLAY_TYPE_U6_ALIGN16, 8, 128, ZLAY_OK, ""},
    };
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_move *move = NULL;
        zlay_status status = hand_ask(ctx, &move, rows[i].on, rows[i].type, rows[i].source, rows[i].smem, rows[i].rows,
                                      rows[i].columns);
        if (status != rows[i].status || !strstr(zlay_ctx_message(ctx), rows[i].word))
            fail_msg("%s: status %d, %s", rows[i].source, status, zlay_ctx_message(ctx));
        zlay_move_free(move);
    }
}

/* Rows of 128 bytes, 144 apart in shared memory: a load may write the 16 bytes between, a store may not write what
 * they hold. */
static void holes_stay(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_move *move;
    zlay_move_summary info;
    assert_int_equal(hand_ask(ctx, &move, "sm_90a", ZLAY_TYPE_BF16, "(64,64):(64,1)", "(8,64):(72,1)", 8, 64), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(ctx), "COPY_SMEM_128"));
    assert_int_equal(hand_ask(ctx, &move, "sm_90a", ZLAY_TYPE_BF16, "(64,64):(64,1)", "(8,64):(128,1)", 8, 64), ZLAY_OK);
    assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
    assert_int_equal(info.copies, 8);
    zlay_move_free(move);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drawn), cmocka_unit_test(refused), cmocka_unit_test(holes_stay)};
    return cmocka_run_group_tests(tests, begin, end);
}
