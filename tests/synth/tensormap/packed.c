/* SPDX-License-Identifier: Apache-2.0 */
/* tensormap.synth of 4- and 6-bit types: an example by hand; random requests of which every tile is replayed in
 * the CPU model and compared value by value, bit by bit; and the search of least.h over those without edges. */
#include "ctx.h"
#include "heap_layouts.h"
#include "tiles/least.h"
#include "tiles/tile_draw.h"

#include <zlay/sim.h>

enum { GLOBAL_BYTES = 1 << 18, BASE = 1 << 17, SMEM_BYTES = 1 << 16, ORIGIN = 1024, ADDRESS = 1 << 20 };

/* Bits of a value; values that take 16 bytes of shared memory, and the bytes of these that they fill. */
typedef struct form {
    int32_t type;
    int bits, values, data;
} form;

static const form forms[] = {{ZLAY_TYPE_U4_ALIGN8, 4, 32, 16},
                             {ZLAY_TYPE_U4_ALIGN16, 4, 16, 8},
                             {ZLAY_TYPE_U6_ALIGN16, 6, 16, 12},
                             {ZLAY_TYPE_E2M1, 4, 32, 16}};

typedef struct world {
    zlay_ctx *ctx;
    const zlay_target *target;
    search *search;
    uint8_t global[GLOBAL_BYTES], smem[SMEM_BYTES];
    uint64_t found, none, open, compared, spread_maps, dense_maps;
} world;

static uint32_t bits_at(const uint8_t *bytes, int64_t bit, int count)
{
    uint32_t value = 0;
    for (int i = 0; i < count; i++) value |= (uint32_t)(bytes[(bit + i) / 8] >> (bit + i) % 8 & 1) << i;
    return value;
}

/* The bit of shared memory where a place begins. */
static int64_t bit_of(const form *f, int64_t place)
{
    return place / f->values * 128 + place % f->values * f->bits;
}

/* ---- the model ----------------------------------------------------------------------------- */

static void copies_run(world *w, const zlay_move *move, const int64_t *t)
{
    zlay_sim_smem smem = {w->smem, SMEM_BYTES, ORIGIN};
    uint64_t counted = 0;
    zlay_move_summary info;
    zlay_copy c;
    zlay_move_info(&info, move);
    memset(w->smem, 0xee, sizeof w->smem);
    for (uint32_t i = 0; zlay_move_copy_nth(&c, move, i) == ZLAY_OK; i++) {
        zlay_tensormap map;
        int32_t at[5], fault = -1;
        uint32_t bytes = 0;
        static const uint16_t none[3];
        assert_int_equal(zlay_move_map_nth(&map, move, c.map), ZLAY_OK);
        for (int d = 0; d < 5; d++) {
            at[d] = c.coordinate[d];
            for (int k = 0; k < TILE_MODES; k++) at[d] += (int32_t)(c.advance[d][k] * t[k]);
        }
        int64_t start = BASE + (int64_t)map.address;
        assert_true(start >= 0 && start < GLOBAL_BYTES);
        zlay_sim_global tensor = {w->global + start, (uint64_t)(GLOBAL_BYTES - start)};
        map.address += ADDRESS;
        assert_int_equal(zlay_sim_tensor_load(&fault, &bytes, &smem, &tensor, &(zlay_sim_copy){.map = &map, .coordinate = at, .offset = none, .address = ORIGIN + c.smem}), ZLAY_OK);
        if (fault) fail_msg("fault %d", fault);
        assert_int_equal(bytes, c.bytes);
        counted += bytes;
    }
    assert_int_equal(counted, info.bytes);
}

static void tile_compare(world *w, const form *f, const tile_ask *a, const zlay_move *move, const int64_t *t)
{
    zlay_move_summary info;
    zlay_move_info(&info, move);
    copies_run(w, move, t);
    for (int64_t cell = 0; cell < ask_cells(a); cell++) {
        int64_t from, to;
        bool inside = ask_global(&from, a, t, cell);
        assert_int_equal(zlay_layout_eval(&to, 1, zlay_move_smem(move), (uint64_t)cell), ZLAY_OK);
        if (!a->free_smem) assert_int_equal(to, tile_at(&a->smem, cell));
        if (!inside && info.edge == ZLAY_EDGE_WEAK) continue;
        assert_true(bit_of(f, to) + f->bits <= 8 * (int64_t)info.reserved_bytes);
        uint32_t want = inside ? bits_at(w->global, 8 * (int64_t)BASE + from * f->bits, f->bits) : 0;
        if (bits_at(w->smem, bit_of(f, to), f->bits) != want)
            fail_msg("%s: cell %lld of tile %lld,%lld", ask_text(a), (long long)cell, (long long)t[0], (long long)t[1]);
    }
}

static void all_compare(world *w, const form *f, const tile_ask *a, const zlay_move *move)
{
    int64_t t[TILE_MODES] = {0};
    for (int i = 0; i < a->source.modes;) {
        if (i == 0) tile_compare(w, f, a, move, t);
        if (++t[i] == ask_tiles(a, i)) t[i++] = 0;
        else i = 0;
    }
}

/* ---- the search ------------------------------------------------------------------------------ */

/* What each 16 bytes of shared memory want of a tile, in as many values; false: no such. */
static bool want_places(wanted *out, const form *f, const tile_ask *a, const int64_t *t)
{
    static int64_t value[32 * PLACES];
    out->places = 0;
    for (int i = 0; i < 32 * PLACES; i++) value[i] = NOWHERE;
    for (int64_t cell = 0; cell < ask_cells(a); cell++) {
        int64_t from, to = tile_at(&a->smem, cell);
        if (!ask_global(&from, a, t, cell) || to >= f->values * PLACES) return false;
        value[to] = from + (1 << 20);
        if (to / f->values >= out->places) out->places = (int)(to / f->values) + 1;
    }
    for (int p = 0; p < out->places; p++) {
        const int64_t *first = &value[p * f->values];
        for (int i = 1; i < f->values; i++)
            if (first[i] != (first[0] == NOWHERE ? NOWHERE : first[0] + i)) return false;
        if (first[0] != NOWHERE && first[0] % f->values) return false;
        out->from[p] = first[0] == NOWHERE ? NOWHERE : first[0] / f->values;
    }
    return true;
}

/* The least copies of tile 0; none where some next tile has none. */
static least searched(world *w, const form *f, const tile_ask *a)
{
    wanted want;
    least first = {.whole = true};
    int64_t t[TILE_MODES] = {0};
    w->search->type = f->values == 16 ? f->type : 0;
    for (int m = a->source.modes; m >= 0; m--) {
        if (m < a->source.modes && ask_tiles(a, m) == 1) continue;
        if (m < a->source.modes) t[m] = 1;
        if (!want_places(&want, f, a, t)) return (least){.whole = true};
        least l = least_of(w->search, w->target, &want);
        if (m == a->source.modes) first = l;
        if (!l.exists) return l;
        if (m < a->source.modes) t[m] = 0;
    }
    return first;
}

static bool is_searched(const form *f, const tile_ask *a)
{
    bool whole = !a->free_smem && ask_cells(a) <= f->values * 64 && tile_spread(&a->smem) <= f->values * PLACES;
    for (int i = 0; i < a->source.modes; i++) whole = whole && a->source.shape[i] % a->shape[i] == 0;
    return whole;
}

static void judge(world *w, const tile_ask *a, const zlay_move *move, const least *l)
{
    zlay_move_summary info;
    zlay_tensormap map;
    int rank = 0;
    bool tiles = false;
    zlay_move_info(&info, move);
    for (uint32_t i = 0; zlay_move_map_nth(&map, move, i) == ZLAY_OK; i++) {
        if ((int)map.rank > rank) rank = (int)map.rank;
        if (map.mode) return;
    }
    for (int i = 0; i < a->source.modes; i++) tiles |= ask_tiles(a, i) > 1;
    if (!l->whole) return;
    w->compared++;
    if (!l->exists || (int)info.copies != l->issues || (int)info.bytes != l->bytes ||
        (int)info.maps != l->maps || (rank != l->rank && !(tiles && rank == l->rank + 1)))
        fail_msg("%s: %u copies, %llu bytes, %u maps, rank %d; the search: %d, %d, %d, %d", ask_text(a), info.copies,
                 (unsigned long long)info.bytes, info.maps, rank, l->issues, l->bytes, l->maps, l->rank);
}

/* ---- requests ---------------------------------------------------------------------------- */

static void draw_rows(uint64_t *s, const form *f, tile_ask *a, int inner)
{
    tile_layout *l = &a->source;
    int64_t row = f->values == 16 ? 128 : 32, unit = f->bits == 6 ? 128 : f->values == 16 ? 64 : 32;
    l->shape[inner] = row * test_range(s, 1, 3);
    l->stride[inner] = 1;
    if (tile_rarely(s, 12)) l->shape[inner] += 16 * test_range(s, 1, 3);
    int64_t dense = (l->shape[inner] + unit - 1) / unit * unit;
    for (int m = 0; m < l->modes; m++) {
        if (m == inner) continue;
        l->shape[m] = test_range(s, 1, 5);
        l->stride[m] = dense + (tile_rarely(s, 3) ? unit * test_range(s, 0, 3) : 0);
        if (tile_rarely(s, 20)) l->stride[m] += unit / 2;
        dense = l->stride[m] * l->shape[m];
    }
    if (tile_rarely(s, 5)) l->offset = unit * test_range(s, 1, 5);
    for (int m = 0; m < l->modes; m++)
        a->shape[m] = m == inner ? row << test_range(s, 0, 1) : test_range(s, 1, l->shape[m]);
    if (tile_rarely(s, 10)) a->shape[inner] = row / 2;
}

static void draw_places(uint64_t *s, const form *f, tile_ask *a, int inner)
{
    int order[TILE_MODES] = {inner}, n = 1, swizzle = (int)test_range(s, 0, 4);
    static const int bits[] = {0, 1, 2, 3, 2}, base[] = {0, 4, 4, 4, 5}, shift[] = {0, 3, 3, 3, 2};
    for (int i = 0; i < a->source.modes; i++)
        if (i != inner) order[n++] = i;
    test_shuffle(s, order + 1, n - 1);
    tile_compact(&a->smem, a->shape, order, n);
    a->smem.bits = bits[swizzle];
    a->smem.base = base[swizzle] + (f->values == 32 && swizzle);
    a->smem.shift = shift[swizzle];
}

static tile_ask draw(uint64_t *s, const form *f)
{
    tile_ask a;
    memset(&a, 0, sizeof a);
    a.type = f->type;
    a.bytes = 1;
    a.source.modes = (int)test_range(s, 1, 4);
    int inner = (int)test_range(s, 0, a.source.modes - 1);
    draw_rows(s, f, &a, inner);
    a.free_smem = tile_rarely(s, 3);
    a.swizzle = tile_rarely(s, 2) ? 3 : -1;
    a.weak = tile_rarely(s, 8);
    a.keep_holes = true;
    if (!a.free_smem) draw_places(s, f, &a, inner);
    return a;
}

static void answer(world *w, const form *f, const tile_ask *a)
{
    zlay_move *move = NULL;
    least l = {.whole = false};
    if (is_searched(f, a)) l = searched(w, f, a);
    zlay_status status = ask_synth(w->ctx, &move, w->target, a);
    if (status == ZLAY_OK) {
        zlay_tensormap map;
        w->found++;
        zlay_move_map_nth(&map, move, 0);
        w->spread_maps += map.type > ZLAY_TYPE_U4_ALIGN8;
        w->dense_maps += map.type == ZLAY_TYPE_U4_ALIGN8;
        all_compare(w, f, a, move);
        if (is_searched(f, a)) judge(w, a, move, &l);
    } else {
        w->none += status == ZLAY_NONE;
        w->open += status == ZLAY_ELIMIT || status == ZLAY_ENOTSUP;
        if (status != ZLAY_NONE && status != ZLAY_ELIMIT && status != ZLAY_ENOTSUP)
            fail_msg("%s: status %d, %s", ask_text(a), status, zlay_ctx_message(w->ctx));
        if (l.exists) fail_msg("%s: %s; the search has %d copies", ask_text(a), zlay_ctx_message(w->ctx), l.issues);
    }
    zlay_move_free(move);
}

static void drawn(void **state)
{
    static world w;
    uint64_t seed = test_seed("drawn"), asked_for = test_iterations(3000);
    (void)state;
    w.target = target_of("sm_100a");
    w.search = calloc(1, sizeof *w.search);
    assert_non_null(w.search);
    w.search->align = 32;
    w.search->swizzles = 4;
    w.search->without = WITHOUT_COLUMNS;
    assert_int_equal(zlay_ctx_new(&w.ctx, NULL, NULL), ZLAY_OK);
    for (int i = 0; i < GLOBAL_BYTES; i++) w.global[i] = (uint8_t)test_random(&seed);
    for (uint64_t i = 0; i < asked_for; i++) {
        const form *f = &forms[i % 4];
        tile_ask a = draw(&seed, f);
        answer(&w, f, &a);
    }
    printf("%llu requests, %llu moves, %llu none, %llu open, %llu held to the search\n", (unsigned long long)asked_for,
           (unsigned long long)w.found, (unsigned long long)w.none, (unsigned long long)w.open,
           (unsigned long long)w.compared);
    assert_true(w.found > asked_for / 3 && w.compared > asked_for / 10);
    assert_true(w.spread_maps > asked_for / 10 && w.dense_maps > asked_for / 10);
    zlay_ctx_free(w.ctx);
    free(w.search);
}

/* ---- by hand ------------------------------------------------------------------------------- */

typedef struct hand {
    const char *target, *type, *source, *smem;
    uint64_t shape[2];
    zlay_status status;
    const char *word;
} hand;

static zlay_status hand_ask(zlay_ctx *ctx, zlay_move **out, const hand *h)
{
    zlay_layout *source = NULL, *smem = NULL;
    zlay_tensormap_request r = {.size = sizeof r, .axes = 2, .shape = {h->shape[0], h->shape[1]}};
    assert_int_equal(zlay_type_find(&r.type, h->type, strlen(h->type)), ZLAY_OK);
    assert_int_equal(zlay_layout_parse(ctx, &source, h->source, strlen(h->source)), ZLAY_OK);
    if (h->smem) assert_int_equal(zlay_layout_parse(ctx, &smem, h->smem, strlen(h->smem)), ZLAY_OK);
    r.source = source;
    r.smem = smem;
    zlay_status status = zlay_tensormap_synth(ctx, out, target_of(h->target), &r);
    zlay_layout_free(source);
    zlay_layout_free(smem);
    return status;
}

/* The example of zlay/tensormap_synth.h: 128 values are 64 bytes of a row, and 128 bytes in shared memory. */
static void by_hand(void **state)
{
    static const hand spread = {"sm_100a", "b4x16_p64", "(4096,4096):(4096,1)", "Sw<3,4,3> o 0 o (64,128):(128,1)", {64, 128}, 0, ""};
    static const hand dense = {"sm_100a", "e2m1", "(4096,4096):(4096,1)", "Sw<3,5,3> o 0 o (64,256):(256,1)", {64, 256}, 0, ""};
    zlay_ctx *ctx = *state;
    zlay_move *move;
    zlay_tensormap map;
    zlay_copy copy;
    assert_int_equal(hand_ask(ctx, &move, &spread), ZLAY_OK);
    assert_int_equal(zlay_move_map_nth(&map, move, 0), ZLAY_OK);
    assert_int_equal(zlay_move_copy_nth(&copy, move, 0), ZLAY_OK);
    assert_true(map.type == ZLAY_TYPE_U4_ALIGN16 && map.rank == 2 && map.swizzle == ZLAY_SWIZZLE_128B);
    assert_true(map.extent[0] == 4096 && map.stride[0] == 2048 && map.box[0] == 128 && map.box[1] == 64);
    assert_true(copy.bytes == 4096 && copy.advance[0][1] == 128 && copy.advance[1][0] == 64);
    zlay_move_free(move);
    assert_int_equal(hand_ask(ctx, &move, &dense), ZLAY_OK);
    assert_int_equal(zlay_move_map_nth(&map, move, 0), ZLAY_OK);
    assert_true(map.type == ZLAY_TYPE_U4_ALIGN8 && map.box[0] == 256 && map.stride[0] == 2048);
    zlay_move_free(move);
}

static void refused(void **state)
{
    static const hand rows[] = {
        {"sm_90a", "b4x16_p64", "(64,256):(256,1)", NULL, {64, 128}, ZLAY_NONE, "TMAP_TYPE_SM90"},
        {"sm_100a", "b4x16_p64", "(64,256):(256,1)", "(64,64):(64,1)", {64, 64}, ZLAY_NONE, "TMAP_BOX0_128"},
        {"sm_100a", "b4x16_p64", "(64,256):(256,1)", "Sw<2,4,3> o 0 o (64,128):(128,1)", {64, 128}, ZLAY_NONE, "TMAP_BOX0_128"},
        {"sm_100a", "b6x16_p32", "(64,256):(320,1)", "(64,128):(128,1)", {64, 128}, ZLAY_NONE, "TMAP_BOX0_128"},
        {"sm_100a", "b6x16_p32", "(64,256):(256,1)", "(64,128):(1,64)", {64, 128}, ZLAY_NONE, "TMAP_BOX0_16"},
        {"sm_100a", "b6x16_p32", "(M,256):(256,1)", "(64,128):(128,1)", {64, 128}, ZLAY_ENOTSUP, "unknown 'M'"},
        {"sm_100a", "b4x16", "(M,256):(256,1)", "(64,128):(128,1)", {64, 128}, ZLAY_ENOTSUP, "unknown 'M'"},
        {"sm_100a", "e2m1", "(64,255):(256,1)", "(64,128):(128,1)", {64, 128}, ZLAY_NONE, "TMAP_EXTENT_2"},
        {"sm_100a", "e2m1", "(64,256):(255,1)", "(64,128):(128,1)", {64, 128}, ZLAY_ENOTSUP, "pairs"},
        {"sm_100a", "e2m1", "(64,256):(256,1)", "(64,128):(1,64)", {64, 128}, ZLAY_ENOTSUP, "pairs"},
        {"sm_100a", "e2m1", "(64,256):(256,1)", "(64,127):(127,1)", {64, 127}, ZLAY_ENOTSUP, "pairs"},
        {"sm_100a", "e3m2", "(64,256):(256,1)", "(64,128):(128,1)", {64, 128}, ZLAY_ENOTSUP, "b6x16_p32"},
        {"sm_100a", "b1", "(64,256):(256,1)", "(64,128):(128,1)", {64, 128}, ZLAY_ENOTSUP, "u8"},
    };
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_move *move = NULL;
        zlay_status status = hand_ask(ctx, &move, &rows[i]);
        if (status != rows[i].status || !strstr(zlay_ctx_message(ctx), rows[i].word))
            fail_msg("%s of %s: status %d, %s", rows[i].type, rows[i].source, status, zlay_ctx_message(ctx));
        assert_null(move);
    }
}

/* A weak edge inside a byte: values of the tensor are right, the one behind is not claimed. */
static void weak_inside_a_byte(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_move *move;
    zlay_move_summary info;
    zlay_layout *source;
    static const char text[] = "(64,255):(256,1)";
    assert_int_equal(zlay_layout_parse(ctx, &source, text, strlen(text)), ZLAY_OK);
    const zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_S4, .source = source, .axes = 2,
                                      .shape = {64, 256}, .edge = ZLAY_EDGE_WEAK};
    assert_int_equal(zlay_tensormap_synth(ctx, &move, target_of("sm_100a"), &r), ZLAY_OK);
    assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
    assert_int_equal(info.edge, ZLAY_EDGE_WEAK);
    zlay_move_free(move);
    zlay_layout_free(source);
}

static const hand starved[] = {
    {"sm_100a", "b6x16_p32", "(64,256):(256,1)", NULL, {64, 256}, 0, ""},
    {"sm_100a", "b4x16_p64", "(64,256):(256,1)", "(8,(128,2)):(128,(1,1024))", {8, 256}, 0, ""},
    {"sm_100a", "f32", "(64,256):(256,1)", NULL, {8, 32}, 0, ""}, /* halves of 16 bytes swapped */
    {"sm_100a", "e2m1", "(64,256):(256,1)", NULL, {64, 256}, 0, ""},
    {"sm_100a", "e2m1", "(64,256):(256,1)", "(64,256):(256,1)", {64, 256}, 0, ""},
};

static zlay_status moved(zlay_ctx *ctx, void *given)
{
    const operands *of = given;
    const hand *h = &starved[of->row];
    zlay_tensormap_request r = {.size = sizeof r, .source = of->a, .smem = of->b, .axes = 2, .shape = {h->shape[0], h->shape[1]}};
    zlay_move *move = NULL;
    zlay_type_find(&r.type, h->type, strlen(h->type));
    r.swizzle_given = r.type == ZLAY_TYPE_F32;
    r.swizzle = r.swizzle_given ? 5 : 0;
    zlay_status status = zlay_tensormap_synth(ctx, &move, target_of(h->target), &r);
    if (status) assert_null(move);
    zlay_move_free(move);
    return status;
}

static void out_of_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof starved / sizeof *starved; i++) {
        heap h;
        zlay_status status = layouts_fail_each(&h, NULL, moved, i, starved[i].source, starved[i].smem);
        if (status != ZLAY_OK && status != ZLAY_NONE) fail_msg("row %zu: %s", i, zlay_status_name(status));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(drawn),
        cmocka_unit_test(refused),
        cmocka_unit_test(weak_inside_a_byte),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
