/* SPDX-License-Identifier: Apache-2.0 */
/* A move against its request, byte by byte: the CPU model runs every copy of a tile, and the
 * request is read through zlay_layout_eval alone. */
#ifndef TEST_TENSORMAP_SYNTH_H
#define TEST_TENSORMAP_SYNTH_H


#include "ctx.h"

#include <stdbool.h>
#include <string.h>
#include <zlay/zlay.h>

enum { SYNTH_SMEM = 232448, SYNTH_ORIGIN = 1024, SYNTH_UNTOUCHED = 0xee, SYNTH_MARGIN = 1 << 20 };

typedef struct synth_world {
    zlay_ctx *ctx;
    const zlay_target *target;
    uint8_t smem[SYNTH_SMEM];
    uint8_t *memory, *global; /* the tensor's memory, up to whole 16 bytes, and margins around it */
    uint64_t size;
    int64_t least; /* element offset of the first byte of `global` */
} synth_world;

static inline uint64_t synth_cosize(synth_world *w, const zlay_layout *source)
{
    int64_t low = 0, most = 0;
    for (uint64_t i = 0; i < zlay_layout_size(source); i++) {
        int64_t value;
        if (zlay_layout_eval(&value, 1, source, i)) continue;
        if (value < low) low = value;
        if (value > most) most = value;
    }
    w->least = low;
    return (uint64_t)(most - low) + 1;
}

static inline void synth_tensor(synth_world *w, uint64_t *state, const zlay_tensormap_request *r)
{
    uint32_t element = zlay_type_bits(r->type) / 8;
    uint64_t cells = synth_cosize(w, r->source);
    w->size = (cells * element + 15) / 16 * 16;
    w->memory = malloc(w->size + 2 * (uint64_t)SYNTH_MARGIN);
    assert_non_null(w->memory);
    w->global = w->memory + SYNTH_MARGIN;
    for (uint64_t i = 0; i < w->size; i++) w->global[i] = (uint8_t)(test_random(state) | 1);
}

/* All copies of the tile of this index; the bytes that they count. */
static inline uint64_t synth_run(synth_world *w, const zlay_move *move, const uint64_t *tile,
                                 int64_t element)
{
    zlay_sim_smem smem = {w->smem, SYNTH_SMEM, SYNTH_ORIGIN};
    uint64_t counted = 0;
    zlay_copy copy;
    memset(w->smem, SYNTH_UNTOUCHED, sizeof w->smem);
    for (uint32_t k = 0; zlay_move_copy_nth(&copy, move, k) == ZLAY_OK; k++) {
        zlay_tensormap map;
        int32_t at[5], fault = -1;
        uint16_t offset[3];
        uint32_t bytes = 0;
        assert_int_equal(zlay_move_map_nth(&map, move, copy.map), ZLAY_OK);
        for (uint32_t i = 0; i < 5; i++) {
            at[i] = copy.coordinate[i];
            for (uint32_t j = 0; j < ZLAY_TILE_AXES; j++)
                at[i] += copy.advance[i][j] * (int32_t)tile[j];
        }
        for (int i = 0; i < 3; i++) offset[i] = (uint16_t)copy.offset[i];
        int64_t first = (int64_t)map.address - w->least * element;
        bool columns = map.mode != 0; /* may be based before the first element that they read */
        if (columns) assert_true(first >= -SYNTH_MARGIN && first <= (int64_t)w->size);
        else assert_in_range(first, 0, w->size);
        zlay_sim_global global = {w->global + first, (uint64_t)((int64_t)w->size - first)};
        map.address = 1 << 20;
        assert_int_equal(zlay_sim_tensor_load(&fault, &bytes, &smem, &global, &(zlay_sim_copy){.map = &map, .coordinate = at, .offset = offset, .address = SYNTH_ORIGIN + copy.smem}),
                         ZLAY_OK);
        if (fault) fail_msg("copy %u: fault %d", k, fault);
        assert_int_equal(bytes, copy.bytes);
        counted += bytes;
    }
    return counted;
}

/* The index into the source of a cell of the tile; false: outside its box. */
static inline bool synth_cell(const zlay_tensormap_request *r, const uint64_t *tile, uint64_t cell,
                              uint64_t *index)
{
    uint64_t box[64], step = 1;
    size_t dims = zlay_layout_box(box, 64, r->source);
    *index = 0;
    if (r->tile) {
        int64_t value;
        if (zlay_layout_eval(&value, 1, r->tile, cell) || value < 0) return false;
        *index = (uint64_t)value;
        return *index < zlay_layout_size(r->source);
    }
    for (size_t i = 0; i < dims; i++) {
        uint64_t at = tile[i] * r->shape[i] + cell % r->shape[i];
        cell /= r->shape[i];
        if (at >= box[i]) return false;
        *index += at * step;
        step *= box[i];
    }
    return true;
}

static inline uint64_t synth_points(const zlay_tensormap_request *r)
{
    uint64_t points = 1;
    if (r->tile) return zlay_layout_size(r->tile);
    for (uint32_t i = 0; i < r->axes; i++) points *= r->shape[i];
    return points;
}

/* From a byte on. */
static inline bool synth_untouched(const synth_world *w, uint64_t from)
{
    const uint8_t *at = w->smem + from;
    if (from >= SYNTH_SMEM) return true;
    return *at == SYNTH_UNTOUCHED && !memcmp(at, at + 1, SYNTH_SMEM - from - 1);
}

/* Every cell of one tile. */
static inline void synth_compare(synth_world *w, const zlay_move *move,
                                 const zlay_tensormap_request *r, const uint64_t *tile)
{
    uint32_t element = zlay_type_bits(r->type) / 8;
    static const uint8_t fill[8];
    zlay_move_summary info;
    assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
    assert_int_equal(synth_run(w, move, tile, element), info.bytes);
    const zlay_layout *smem = zlay_move_smem(move);
    assert_int_equal(zlay_layout_size(smem), synth_points(r));
    for (uint64_t c = 0; c < synth_points(r); c++) {
        uint64_t index;
        int64_t at, from;
        assert_int_equal(zlay_layout_eval(&at, 1, smem, c), ZLAY_OK);
        bool inside = synth_cell(r, tile, c, &index) &&
                      zlay_layout_eval(&from, 1, r->source, index) == ZLAY_OK;
        assert_true((uint64_t)(at + 1) * element <= info.reserved_bytes);
        if (!inside && info.edge == ZLAY_EDGE_WEAK) continue;
        const uint8_t *asked =
            inside ? w->global + (from - w->least) * (int64_t)element : fill;
        if (memcmp(w->smem + at * (int64_t)element, asked, element))
            fail_msg("cell %llu of tile (%llu,%llu,%llu) at offset %lld %s", (unsigned long long)c,
                     (unsigned long long)tile[0], (unsigned long long)tile[1],
                     (unsigned long long)tile[2], (long long)at, inside ? "is wrong" : "is no fill");
    }
    if (!synth_untouched(w, info.reserved_bytes)) fail_msg("a byte behind what is reserved was written");
}

/* The first tile, the last one, and `count` random ones. */
static inline void synth_check(synth_world *w, uint64_t *state, const zlay_move *move,
                               const zlay_tensormap_request *r, int count)
{
    uint64_t box[64], tile[ZLAY_TILE_AXES] = {0};
    zlay_layout_box(box, 64, r->source);
    synth_tensor(w, state, r);
    for (int k = 0; k < (r->tile ? 1 : count + 2); k++) {
        for (uint32_t i = 0; i < r->axes; i++) {
            uint64_t last = (box[i] + r->shape[i] - 1) / r->shape[i] - 1;
            tile[i] = k == 0 ? 0 : k == 1 ? last : (uint64_t)test_range(state, 0, (int64_t)last);
        }
        synth_compare(w, move, r, tile);
    }
    free(w->memory);
}

static inline synth_world *synth_world_new(const char *target)
{
    synth_world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    assert_int_equal(zlay_ctx_new(&w->ctx, NULL, NULL), ZLAY_OK);
    assert_int_equal(zlay_target_find(&w->target, target, strlen(target)), ZLAY_OK);
    return w;
}

static inline void synth_world_free(synth_world *w)
{
    zlay_ctx_free(w->ctx);
    free(w);
}

/* A plan made and given back; a heap_work. */
static inline zlay_status synth_moved(zlay_ctx *ctx, void *request)
{
    zlay_move *move = NULL;
    zlay_status status = zlay_tensormap_synth(ctx, &move, target_of("sm_90a"), request);
    assert_true((status == ZLAY_OK) == (move != NULL));
    zlay_move_free(move);
    return status;
}

#endif
