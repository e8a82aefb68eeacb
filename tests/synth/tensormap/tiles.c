/* SPDX-License-Identifier: Apache-2.0 */
/* tensormap.synth of one tile by its index, and of sources that are no sum of modes with shared memory chosen:
 * every tile of random requests is replayed in the CPU model, and no fewer 16 bytes can bring it. */
#include "ctx.h"
#include "heap_layouts.h"
#include "tiles/tensormap_synth.h"
#include "tiles/tile_draw.h"

/* Distinct 16 bytes of memory that a tile has, an element that it has n times n times. */
static uint64_t chunks_of(const zlay_tensormap_request *r, const uint64_t *tile, uint32_t element)
{
    enum { REACH = 1 << 13 };
    static uint8_t times[16 * REACH];
    uint64_t chunks = 0;
    memset(times, 0, sizeof times);
    for (uint64_t c = 0; c < synth_points(r); c++) {
        uint64_t index;
        int64_t from;
        if (!synth_cell(r, tile, c, &index) || zlay_layout_eval(&from, 1, r->source, index)) continue;
        times[from * (int64_t)element]++;
    }
    for (int k = 0; k < REACH; k++) {
        int most = 0;
        for (int i = 0; i < 16; i++) most = times[16 * k + i] > most ? times[16 * k + i] : most;
        chunks += (uint64_t)most;
    }
    return chunks;
}

/* Each tile by itself. */
static void one_by_one(synth_world *w, uint64_t *state, zlay_tensormap_request *r, const char *text, uint64_t *found)
{
    uint64_t box[64], tile[ZLAY_TILE_AXES] = {0};
    uint32_t element = zlay_type_bits(r->type) / 8;
    zlay_layout_box(box, 64, r->source);
    r->index_given = 1;
    synth_tensor(w, state, r);
    for (uint32_t k = 0; k < r->axes;) {
        zlay_move *move;
        zlay_move_summary info;
        memcpy(r->index, tile, sizeof tile);
        zlay_status status = zlay_tensormap_synth(w->ctx, &move, w->target, r);
        if (status && status != ZLAY_NONE && status != ZLAY_ELIMIT) fail_msg("%s: %s", text, zlay_ctx_message(w->ctx));
        if (!status) {
            ++*found;
            zlay_move_info(&info, move);
            synth_compare(w, move, r, tile);
            if (!r->smem && info.bytes < 16 * chunks_of(r, tile, element)) fail_msg("%s: too few bytes", text);
            if (!r->smem && info.optimal && info.copies > 1 && info.bytes > 16 * chunks_of(r, tile, element) &&
                info.edge == ZLAY_EDGE_WEAK)
                fail_msg("%s: %llu bytes", text, (unsigned long long)info.bytes);
        }
        zlay_move_free(move);
        for (k = 0; k < r->axes && ++tile[k] * r->shape[k] >= box[k]; k++) tile[k] = 0;
    }
    free(w->memory);
}

/* Swizzled sources of two modes, in tiles that the swizzle does not divide. */
static void swizzled_sources(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("swizzled sources"), found = 0, none = 0, all = 0, count = test_iterations(60);
    for (uint64_t i = 0; i < count; i++) {
        char text[128];
        int bits = (int)test_range(&state, 1, 3);
        int64_t columns = 8 << test_range(&state, 0, 3), rows = 1 << test_range(&state, 2, 5);
        bool across = test_range(&state, 0, 3) == 0;
        snprintf(text, sizeof text, across ? "Sw<%d,3,%d> o 0 o (%lld,%lld):(1,%lld)" : "Sw<%d,3,%d> o 0 o (%lld,%lld):(%lld,1)",
                 bits, (int)test_range(&state, bits, 4), (long long)(across ? columns : rows),
                 (long long)(across ? rows : columns), (long long)columns);
        zlay_layout *source = read_layout(w->ctx, text);
        zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = source, .axes = 2};
        r.shape[0] = (uint64_t)(across ? columns : rows >> test_range(&state, 0, 2));
        r.shape[1] = (uint64_t)(across ? rows >> test_range(&state, 0, 2) : columns >> test_range(&state, 0, 1));
        zlay_move *move;
        zlay_status status = zlay_tensormap_synth(w->ctx, &move, w->target, &r);
        if (!status) synth_check(w, &state, move, &r, 1), all++;
        else if (status == ZLAY_ENOTSUP && !strstr(zlay_ctx_message(w->ctx), "by its index")) fail_msg("%s: %s", text, zlay_ctx_message(w->ctx));
        zlay_move_free(move);
        uint64_t before = found;
        one_by_one(w, &state, &r, text, &found);
        none += found == before;
        zlay_layout_free(source);
    }
    printf("%llu sources, %llu have one move for all tiles, %llu tiles by themselves, %llu sources without any\n",
           (unsigned long long)count, (unsigned long long)all, (unsigned long long)found, (unsigned long long)none);
    assert_true(found > 2 * count && all && none * 4 < count);
    synth_world_free(w);
}

/* Strided sources with edges: the tiles of a request one by one, never more copies than the move of all has. */
static void strided_sources(void **unused)
{
    (void)unused;
    synth_world *w = synth_world_new("sm_90a");
    uint64_t state = test_seed("strided sources"), seed = state, found = 0, count = test_iterations(150), asked = 0;
    for (uint64_t i = 0; i < count; i++) {
        tile_ask a = tile_drawn(seed, i);
        char from[TILE_TEXT], to[TILE_TEXT];
        if (a.by_layout || a.source.modes > 3 || a.type >= ZLAY_TYPE_TF32) continue;
        tile_text(from, &a.source);
        tile_text(to, &a.smem);
        zlay_layout *source = read_layout(w->ctx, from), *smem = a.free_smem ? NULL : read_layout(w->ctx, to);
        zlay_tensormap_request r = {.size = sizeof r, .type = a.type, .source = source, .smem = smem,
                                    .axes = (uint32_t)a.source.modes, .edge = a.weak ? ZLAY_EDGE_WEAK : ZLAY_EDGE_STRONG};
        uint64_t index[TILE_MODES] = {0};
        for (int m = 0; m < a.source.modes; m++) {
            r.shape[m] = (uint64_t)a.shape[m];
            index[m] = (uint64_t)test_range(&state, 0, ask_tiles(&a, m) - 1);
        }
        asked++;
        zlay_move *all, *one;
        zlay_move_summary many = {0}, few;
        zlay_status status = zlay_tensormap_synth(w->ctx, &all, w->target, &r);
        if (!status) zlay_move_info(&many, all);
        r.index_given = 1;
        memcpy(r.index, index, sizeof index);
        zlay_status alone = zlay_tensormap_synth(w->ctx, &one, w->target, &r);
        if (!status && alone) fail_msg("%s: all tiles have a move, one has none: %s", ask_text(&a), zlay_ctx_message(w->ctx));
        if (!alone) {
            found++;
            zlay_move_info(&few, one);
            if (!status && few.copies > many.copies) fail_msg("%s: %u copies, %u", ask_text(&a), few.copies, many.copies);
            synth_tensor(w, &state, &r);
            synth_compare(w, one, &r, index);
            free(w->memory);
        }
        zlay_move_free(all);
        zlay_move_free(one);
        zlay_layout_free(source);
        zlay_layout_free(smem);
    }
    printf("%llu requests, %llu tiles\n", (unsigned long long)asked, (unsigned long long)found);
    assert_true(found > asked / 2);
    synth_world_free(w);
}

/* Elements that the tile has several times, cells without value, and what is refused. */
static void by_hand(void **unused)
{
    (void)unused;
    static const struct {
        const char *source;
        uint64_t shape[2], index[2], bytes;
        int32_t edge;
        zlay_status status;
    } rows[] = {
        {"Sw<1,3,3> o 0 o (8,64):(64,1)", {2, 64}, {1, 0}, 256, 0, ZLAY_OK},
        {"{ [i,j] -> [8*floor(i/2) + j] : 0 <= i < 4 and 0 <= j < 8 }", {4, 8}, {0, 0}, 64, 0, ZLAY_OK},
        {"{ [i,j] -> [8*i + j + 64*floor(i/3)] : 0 <= i < 7 and 0 <= j < 8 }", {4, 8}, {1, 0}, 48, ZLAY_EDGE_WEAK, ZLAY_OK},
        {"{ [i,j] -> [8*i + j + 64*floor(i/3)] : 0 <= i < 7 and 0 <= j < 8 }", {4, 8}, {1, 0}, 0, 0, ZLAY_ENOTSUP},
        {"{ [i,j] -> [8*i + j + 64*floor(i/3)] : 0 <= i < 7 and 0 <= j < 8 }", {4, 8}, {2, 0}, 0, 0, ZLAY_EINVAL},
        {"(64,64):(64,1)", {8, 64}, {8, 0}, 0, 0, ZLAY_EINVAL},
        {"(M,64):(64,1)", {8, 64}, {0, 0}, 0, 0, ZLAY_ENOTSUP},
    };
    uint64_t state = 5;
    synth_world *w = synth_world_new("sm_90a");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_layout *source = read_layout(w->ctx, rows[i].source);
        zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = source, .axes = 2, .edge = rows[i].edge,
                                    .index_given = 1, .shape = {rows[i].shape[0], rows[i].shape[1]},
                                    .index = {rows[i].index[0], rows[i].index[1]}};
        zlay_move *move;
        zlay_move_summary info;
        zlay_status status = zlay_tensormap_synth(w->ctx, &move, w->target, &r);
        if (status != rows[i].status) fail_msg("%s: status %d, %s", rows[i].source, status, zlay_ctx_message(w->ctx));
        if (!status) {
            zlay_move_info(&info, move);
            assert_int_equal(info.bytes, rows[i].bytes);
            synth_tensor(w, &state, &r);
            synth_compare(w, move, &r, r.index);
            free(w->memory);
        }
        zlay_move_free(move);
        zlay_layout_free(source);
    }
    synth_world_free(w);
}

static zlay_status moved(zlay_ctx *ctx, void *given)
{
    zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = ((operands *)given)->a,
                                .axes = 2, .shape = {2, 64}, .index_given = 1, .index = {1, 0}};
    return synth_moved(ctx, &r);
}

static void out_of_memory(void **unused)
{
    (void)unused;
    heap h;
    assert_int_equal(layouts_fail_each(&h, NULL, moved, 0, "Sw<1,3,3> o 0 o (8,64):(64,1)", NULL), ZLAY_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(swizzled_sources),
                                       cmocka_unit_test(strided_sources), cmocka_unit_test(out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
