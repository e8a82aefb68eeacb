/* SPDX-License-Identifier: Apache-2.0 */
/* A move replayed in the CPU model, tile after tile, and every byte of shared memory compared with what the
 * request says, which is evaluated without the library. */
#ifndef TEST_MOVE_MODEL_H
#define TEST_MOVE_MODEL_H

#include "test.h"
#include "tiles/tile_ask.h"

#include <zlay/sim.h>

enum { MODEL_GLOBAL = 1 << 18, MODEL_SMEM = 1 << 16, MODEL_UNTOUCHED = 0xee };
enum { MODEL_ORIGIN = 1024, MODEL_BASE = 1 << 16, MODEL_ADDRESS = 1 << 20 };

/* ---- the model ------------------------------------------------------------------------------ */

typedef struct model {
    uint8_t random[MODEL_GLOBAL], exact[MODEL_GLOBAL]; /* exact: a copy of tf32 changes none */
    uint8_t *global;                                   /* the one that is copied */
    uint8_t smem[MODEL_SMEM];
    bool wanted[MODEL_SMEM];
    const zlay_tensormap *maps; /* instead of the move's; NULL: those */
    char why[256];
} model;

static inline bool model_wrong(model *m, const char *what, int64_t cell, const int64_t *t)
{
    snprintf(m->why, sizeof m->why, "%s at cell %lld of tile %lld,%lld,%lld", what, (long long)cell,
             (long long)t[0], (long long)t[1], (long long)t[2]);
    return false;
}

static inline bool copy_replay(model *m, const zlay_move *move, uint32_t i, const int64_t *t,
                               uint64_t *bytes)
{
    zlay_copy c;
    zlay_tensormap map;
    int32_t at[5], fault = -1;
    uint32_t counted = 0;
    zlay_sim_smem smem = {m->smem, MODEL_SMEM, MODEL_ORIGIN};
    if (zlay_move_copy_nth(&c, move, i) || zlay_move_map_nth(&map, move, c.map))
        return model_wrong(m, "no copy", i, t);
    if (m->maps) map = m->maps[c.map];
    for (int d = 0; d < 5; d++) {
        at[d] = c.coordinate[d];
        for (int k = 0; k < ZLAY_TILE_AXES; k++) at[d] += (int32_t)(c.advance[d][k] * t[k]);
    }
    int64_t start = MODEL_BASE + (int64_t)map.address;
    if (start < 0 || start >= MODEL_GLOBAL) return model_wrong(m, "an address far away", i, t);
    zlay_sim_global tensor = {m->global + start, (uint64_t)(MODEL_GLOBAL - start)};
    map.address += MODEL_ADDRESS;
    uint16_t offset[3] = {(uint16_t)c.offset[0], (uint16_t)c.offset[1], (uint16_t)c.offset[2]};
    zlay_status status = zlay_sim_tensor_load(&fault, &counted, &smem, &tensor, &(zlay_sim_copy){.map = &map, .coordinate = at, .offset = offset, .address = MODEL_ORIGIN + c.smem});
    if (status || fault) return model_wrong(m, "the copy is refused or faults", i, t);
    *bytes += counted;
    return counted == c.bytes || model_wrong(m, "another count of bytes", i, t);
}

/* All bytes from there on are alike, and so is the first. */
static inline bool is_untouched(const model *m, uint64_t from)
{
    const uint8_t *at = m->smem + from;
    if (from >= MODEL_SMEM) return true;
    return *at == MODEL_UNTOUCHED && !memcmp(at, at + 1, MODEL_SMEM - from - 1);
}

static inline bool cells_compare(model *m, const tile_ask *a, const zlay_move *move,
                                 const int64_t *t)
{
    const zlay_layout *where = zlay_move_smem(move);
    zlay_move_summary info;
    uint8_t zero[8] = {0};
    zlay_move_info(&info, move);
    memset(m->wanted, 0, sizeof m->wanted);
    for (int64_t cell = 0; cell < ask_cells(a); cell++) {
        int64_t to, from;
        if (zlay_layout_eval(&to, 1, where, (uint64_t)cell)) return model_wrong(m, "no place", cell, t);
        if (!a->free_smem && to != tile_at(&a->smem, cell))
            return model_wrong(m, "another place", cell, t);
        to *= a->bytes;
        if (to < 0 || (uint64_t)to + (uint64_t)a->bytes > info.reserved_bytes)
            return model_wrong(m, "a place past what is reserved", cell, t);
        if (m->wanted[to]) return model_wrong(m, "a place taken twice", cell, t);
        for (int i = 0; i < a->bytes; i++) m->wanted[to + i] = true;
        bool inside = ask_global(&from, a, t, cell);
        if (!inside && info.edge == ZLAY_EDGE_WEAK) continue;
        const uint8_t *bytes = inside ? m->global + MODEL_BASE + from * a->bytes : zero;
        if (memcmp(m->smem + to, bytes, (size_t)a->bytes))
            return model_wrong(m, inside ? "other bytes" : "no fill", cell, t);
    }
    for (uint64_t i = 0; a->keep_holes && i < info.reserved_bytes; i++)
        if (!m->wanted[i] && m->smem[i] != MODEL_UNTOUCHED)
            return model_wrong(m, "bytes that are not the tile's", (int64_t)i, t);
    return is_untouched(m, info.reserved_bytes) ||
           model_wrong(m, "bytes behind what is reserved", 0, t);
}

static inline bool tile_replay(model *m, const tile_ask *a, const zlay_move *move, const int64_t *t)
{
    zlay_move_summary info;
    uint64_t bytes = 0;
    zlay_move_info(&info, move);
    memset(m->smem, MODEL_UNTOUCHED, sizeof m->smem);
    for (uint32_t i = 0; i < info.copies; i++)
        if (!copy_replay(m, move, i, t, &bytes)) return false;
    if (bytes != info.bytes) return model_wrong(m, "another sum of bytes", 0, t);
    return cells_compare(m, a, move, t);
}

/* All tiles; false: m->why says what is wrong. */
static inline bool move_replay(model *m, const tile_ask *a, const zlay_move *move)
{
    bool rounds = a->type == ZLAY_TYPE_TF32 || a->type == ZLAY_TYPE_TF32_FTZ;
    m->global = rounds ? m->exact : m->random;
    int64_t t[TILE_MODES] = {0};
    int modes = a->by_layout ? 1 : a->source.modes;
    for (;;) {
        if (!tile_replay(m, a, move, t)) return false;
        int i = 0;
        while (i < modes && ++t[i] == ask_tiles(a, i)) t[i++] = 0;
        if (i == modes) return true;
    }
}

static inline model *model_new(uint64_t seed)
{
    model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    for (size_t i = 0; i < MODEL_GLOBAL; i++) m->random[i] = (uint8_t)test_random(&seed);
    memcpy(m->exact, m->random, MODEL_GLOBAL);
    tile_exact(m->exact, MODEL_GLOBAL);
    return m;
}

#endif
