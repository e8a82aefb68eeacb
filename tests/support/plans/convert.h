/* SPDX-License-Identifier: Apache-2.0 */
/* A machine that runs plans of conversions: blocks of warps of lanes of registers, each with the
 * index of the element that it holds, and shared memory.  It knows what the instructions do, and
 * takes from a plan its maps alone. */
#ifndef TEST_CONVERT_H
#define TEST_CONVERT_H

#include "layouts/layout.h"
#include "plans/word.h"

#include <string.h>
#include <zlay/bank.h>
#include <zlay/convert.h>
#include <zlay/f2.h>

enum { LEVELS = 4, NOTHING = -1, WARP_LANES = 32 };
static const char *const level_names[LEVELS] = {"register", "lane", "warp", "block"};

typedef struct place {
    uint64_t at[LEVELS], offset;
} place;

/* ---- layouts whose inputs are levels, or an offset and a block --------------------------- */

typedef struct levels_map {
    const zlay_layout *layout;
    size_t dims;
    int level[8]; /* of each input or output; LEVELS: the offset */
    uint64_t extent[8];
    uint64_t size;
} levels_map;

static inline int level_of_name(const char *name)
{
    int level = 0;
    while (level < LEVELS && strcmp(name, level_names[level])) level++;
    return level;
}

static inline bool is_level_or_offset(const char *name)
{
    return level_of_name(name) < LEVELS || !strcmp(name, "offset");
}

static inline void read_dims(levels_map *m, const zlay_layout *layout, bool ins)
{
    zlay_dim dim;
    m->layout = layout;
    m->size = 1;
    m->dims = 0;
    bool bits = zlay_f2_in_nth(&dim, layout, 0) == ZLAY_OK && is_level_or_offset(dim.name);
    uint64_t box[8];
    size_t count = zlay_layout_box(box, 8, layout);
    for (size_t i = 0;; i++) {
        if (bits ? (ins ? zlay_f2_in_nth(&dim, layout, i) : zlay_f2_out_nth(&dim, layout, i)) : i >= count)
            break;
        m->level[i] = bits ? level_of_name(dim.name) : (int)i;
        m->extent[i] = bits ? dim.size : box[i];
        m->size *= m->extent[i];
        m->dims++;
    }
}

static inline place place_at(const levels_map *m, uint64_t index)
{
    place p = {{0}, 0};
    for (size_t i = 0; i < m->dims; index /= m->extent[i++])
        *(m->level[i] < LEVELS ? &p.at[m->level[i]] : &p.offset) = index % m->extent[i];
    return p;
}

static inline place place_of_values(const levels_map *m, const int64_t *value)
{
    place p = {{0}, 0};
    for (size_t i = 0; i < m->dims; i++)
        *(m->level[i] < LEVELS ? &p.at[m->level[i]] : &p.offset) = (uint64_t)value[i];
    return p;
}

static inline place place_through(const zlay_layout *map, const levels_map *to, uint64_t index)
{
    int64_t value[8];
    assert_int_equal(zlay_layout_eval(value, 8, map, index), ZLAY_OK);
    return place_of_values(to, value);
}

/* ---- the machine ------------------------------------------------------------------------- */

enum { REGISTERS = 128, WARPS = 8, BLOCKS = 4, THREADS = 64 * WARPS * BLOCKS };

typedef struct machine {
    uint32_t bits, lanes;
    const zlay_target *target;
    int64_t (*slot)[REGISTERS]; /* [thread][register]: tensor index */
    int64_t (*next)[REGISTERS];
    int64_t *shared[BLOCKS];
    uint64_t *writers[BLOCKS]; /* the warps that stored, of all blocks */
    const zlay_layout *src;
    uint64_t shared_size;
    int reach; /* stores are seen 0: in the warp, 1: in the block, 2: in the cluster */
    uint64_t cells, trip, trips; /* elements of a trip, 0: one takes all; which of how many */
} machine;

/* The cell of an offset; false: another trip's. */
static inline bool in_trip(const machine *m, int64_t *at)
{
    if (!m->cells) return true;
    if ((uint64_t)*at / m->cells != m->trip) return false;
    *at %= (int64_t)m->cells;
    return true;
}

static inline uint32_t thread_of(const place *p)
{
    return (uint32_t)((p->at[3] * WARPS + p->at[2]) * 64 + p->at[1]);
}

static inline void machine_begin(machine *m, const zlay_target *target, uint32_t bits)
{
    zlay_target_summary info;
    memset(m, 0, sizeof *m);
    assert_int_equal(zlay_target_info(&info, target), ZLAY_OK);
    m->target = target;
    m->bits = bits;
    m->lanes = info.lanes;
    m->slot = malloc(THREADS * sizeof *m->slot);
    m->next = malloc(THREADS * sizeof *m->next);
    m->shared_size = 1 << 16;
    for (int b = 0; b < BLOCKS; b++) {
        m->shared[b] = malloc(m->shared_size * sizeof **m->shared);
        m->writers[b] = malloc(m->shared_size * sizeof **m->writers);
    }
}

static inline void machine_end(machine *m)
{
    free(m->slot);
    free(m->next);
    for (int b = 0; b < BLOCKS; b++) {
        free(m->shared[b]);
        free(m->writers[b]);
    }
}

static inline bool flat_at(const zlay_layout *a, uint64_t index, int64_t *out)
{
    int64_t value[16];
    zlay_dim dim;
    if (zlay_layout_eval(value, 16, a, index)) return false;
    size_t outs = zlay_layout_out_count(a);
    *out = value[0];
    uint64_t scale = 1;
    for (size_t i = 1; i < outs; i++) {
        assert_int_equal(zlay_f2_out_nth(&dim, a, i - 1), ZLAY_OK);
        scale *= dim.size;
        *out += value[i] * (int64_t)scale;
    }
    return true;
}

/* Only slots that the step names hold something. */
static inline void machine_clear(int64_t (*slot)[REGISTERS])
{
    memset(slot, 0xff, THREADS * sizeof *slot);
}

static inline void machine_load(machine *m, const zlay_layout *src)
{
    levels_map in;
    read_dims(&in, src, true);
    machine_clear(m->slot);
    for (uint64_t i = 0; i < in.size; i++) {
        place p = place_at(&in, i);
        int64_t value;
        if (flat_at(src, i, &value)) m->slot[thread_of(&p)][p.at[0]] = value;
    }
    for (int b = 0; b < BLOCKS; b++) {
        memset(m->shared[b], 0xff, m->shared_size * sizeof **m->shared);
        memset(m->writers[b], 0, m->shared_size * sizeof **m->writers);
    }
    m->src = src;
}

/* Without names a shuffle's operands are named besides: each register is from one. */
static inline void sent_alike(int64_t *sent, const place *to, const place *from)
{
    if (sent[to->at[0]] == NOTHING) sent[to->at[0]] = (int64_t)from->at[0];
    assert_int_equal(sent[to->at[0]], from->at[0]);
}

static inline void run_moves(machine *m, const zlay_convert_step *step, const zlay_layout *back)
{
    levels_map in, out;
    bool named = zlay_layout_out_count(back) > 1;
    int64_t sent[REGISTERS];
    memset(sent, 0xff, sizeof sent);
    read_dims(&in, back, true);
    read_dims(&out, named ? back : step->op == ZLAY_CONVERT_PRMT ? back : m->src, !named);
    machine_clear(m->next);
    for (uint64_t i = 0; i < in.size; i++) {
        int64_t index;
        place to = place_at(&in, i), from;
        if (!named && !flat_at(back, i, &index)) continue;
        from = named ? place_through(back, &out, i) : place_at(&out, (uint64_t)index);
        assert_int_equal(to.at[3], from.at[3]);
        assert_int_equal(to.at[2], from.at[2]);
        bool whole = step->op == ZLAY_CONVERT_SHFL && step->generator < 0;
        if (step->op != ZLAY_CONVERT_SHFL) assert_int_equal(to.at[1], from.at[1]);
        else if (named && whole) assert_int_equal(to.at[0], from.at[0]);
        else if (!named) sent_alike(sent, &to, &from);
        m->next[thread_of(&to)][to.at[0]] = m->slot[thread_of(&from)][from.at[0]];
    }
    void *was = m->slot;
    m->slot = m->next;
    m->next = was;
}

/* Registers whose lanes read from the same lanes share words; the others take a shuffle each. */
static inline uint32_t shuffles_needed(const machine *m, const zlay_layout *back)
{
    levels_map in, out;
    static uint8_t seen[REGISTERS];
    uint32_t count = 0, pack = m->bits < 32 ? 32 / m->bits : 1;
    read_dims(&in, back, true);
    read_dims(&out, back, false);
    uint64_t registers = in.extent[0], threads = in.size / registers;
    assert_int_equal(in.level[0], 0);
    memset(seen, 0, sizeof seen);
    for (uint64_t r = 0; r < registers; r++) {
        uint32_t group = 0;
        bool moves = false;
        for (uint64_t t = 0; t < threads; t++) {
            place to = place_at(&in, t * registers + r);
            place from = place_through(back, &out, t * registers + r);
            moves |= to.at[1] != from.at[1];
        }
        for (uint64_t q = r; q < registers && !seen[r]; q++) {
            bool same = !seen[q];
            for (uint64_t t = 0; t < threads && same; t++) {
                place a = place_through(back, &out, t * registers + r);
                place b = place_through(back, &out, t * registers + q);
                same = a.at[1] == b.at[1];
            }
            if (same) group++;
            if (same && q > r) seen[q] = 1;
        }
        if (moves && !seen[r]) count += (group + pack - 1) / pack;
        seen[r] = 1;
    }
    return count * (m->bits == 64 ? 2 : 1);
}

/* ---- steps that are generators ----------------------------------------------------------- */

/* PTX ISA 9.1, movmatrix: lane 4 i + j has elements (i, 2 j) and (i, 2 j + 1) of 16 bits of what it
 * brings, and (2 j, i) and (2 j + 1, i) of what was. */
static inline bool is_transposed(const zlay_slots *s, uint64_t slot, uint64_t from)
{
    unsigned high = s->byte_bits + s->register_bits, half = s->byte_bits - 1;
    uint64_t lane = slot >> high & 31, other = lane % 4 * 2 + (slot >> half & 1);
    uint64_t was = (other * 4 + lane / 8) | (slot >> high & ~(uint64_t)31);
    uint64_t kept = slot & (((uint64_t)1 << high) - 1) & ~((uint64_t)1 << half);
    return from == (was << high | kept | (lane / 4 % 2) << half);
}

static inline zlay_slots slots_of_levels(const levels_map *m, uint32_t bits)
{
    uint64_t log[LEVELS] = {0}, word = bits == 8 ? 2 : bits == 16;
    for (size_t i = 0; i < m->dims; i++)
        log[m->level[i]] = (uint64_t)__builtin_ctzll(m->extent[i]);
    if (word > log[0]) word = log[0];
    return (zlay_slots){(uint32_t)word, (uint32_t)(log[0] - word), (uint32_t)log[1],
                        (uint32_t)log[2], (uint32_t)log[3], {0}};
}

static inline uint64_t slot_of_place(const levels_map *m, const place *p)
{
    uint64_t slot = 0;
    for (size_t i = m->dims; i-- > 0;) slot = slot * m->extent[i] + p->at[m->level[i]];
    return slot;
}

/* A step that says which generator it is takes the instructions that every register's words need,
 * seen from the table of where they come from. */
static inline void assert_generator(const machine *m, const zlay_convert_step *step,
                                    const zlay_layout *back)
{
    levels_map in, out;
    read_dims(&in, back, true);
    read_dims(&out, back, false);
    zlay_slots s = slots_of_levels(&in, m->bits);
    uint64_t *from = malloc(in.size * sizeof *from);
    bool transposed = step->generator == ZLAY_STEP_MATRIX && s.byte_bits;
    assert_non_null(from);
    for (uint64_t i = 0; i < in.size; i++) {
        place was = place_through(back, &out, i);
        from[i] = slot_of_place(&in, &was);
        transposed = transposed && is_transposed(&s, i, from[i]);
    }
    int kind = step->generator == ZLAY_STEP_EXCHANGE ? EXCHANGE
               : step->op == ZLAY_CONVERT_SHFL       ? SHUFFLE
                                                     : INSIDE;
    uint32_t wide = m->bits == 64 ? 2 : 1;
    if (step->generator == ZLAY_STEP_MATRIX) {
        assert_true(transposed && s.lane_bits == 5);
        assert_int_equal(step->instructions, 1u << s.register_bits);
    } else assert_int_equal(step->instructions, (uint32_t)word_cost(kind, &s, from) * wide);
    free(from);
}

/* ---- shared memory ----------------------------------------------------------------------- */

static inline bool is_idle(const zlay_convert_step *step, const place *p)
{
    for (int l = 0; l < LEVELS; l++)
        if (p->at[l] & step->idle[l]) return true;
    return false;
}

static inline void run_store(machine *m, const zlay_convert_step *step, const zlay_layout *forward)
{
    levels_map in, out;
    read_dims(&in, forward, true);
    read_dims(&out, forward, false);
    for (uint64_t i = 0; i < in.size; i++) {
        place from = place_at(&in, i);
        int64_t at, value = m->slot[thread_of(&from)][from.at[0]];
        if (is_idle(step, &from)) continue;
        if (zlay_layout_out_count(forward) == 1) {
            if (!flat_at(forward, i, &at)) continue;
        } else {
            place to = place_through(forward, &out, i);
            assert_int_equal(to.at[3], from.at[3]);
            at = (int64_t)to.offset;
        }
        if (!in_trip(m, &at)) continue;
        assert_true(at >= 0 && (uint64_t)at < m->shared_size);
        assert_true(value != NOTHING);
        int64_t *cell = &m->shared[from.at[3]][at];
        if (*cell != NOTHING) assert_int_equal(*cell, value);
        *cell = value;
        m->writers[from.at[3]][at] |= (uint64_t)1 << (from.at[3] * WARPS + from.at[2]);
    }
}

static inline void run_sync(machine *m, const zlay_convert_step *step)
{
    m->reach = strstr(step->name, "cluster") ? 2 : 1;
    if (!strcmp(step->name, "bar.warp.sync") || !strcmp(step->name, "s_waitcnt")) m->reach = 0;
}

static inline void run_load(machine *m, const zlay_convert_step *step, const zlay_layout *back)
{
    levels_map in, out;
    read_dims(&in, back, true);
    read_dims(&out, back, false);
    if (!m->cells || !m->trip) machine_clear(m->next);
    for (uint64_t i = 0; i < in.size; i++) {
        place to = place_at(&in, i), from = {{0}, 0};
        if (zlay_f2_in_count(back) && zlay_layout_out_count(back) > 1) from = place_through(back, &out, i);
        else {
            int64_t at;
            if (!flat_at(back, i, &at)) continue;
            from.offset = (uint64_t)at;
            from.at[3] = to.at[3];
        }
        int64_t cell = (int64_t)from.offset;
        if (!in_trip(m, &cell)) continue;
        from.offset = (uint64_t)cell;
        if (step->op != ZLAY_CONVERT_DSMEM) assert_int_equal(from.at[3], to.at[3]);
        assert_true(from.offset < m->shared_size);
        uint64_t writers = m->writers[from.at[3]][from.offset];
        uint64_t block = (((uint64_t)1 << WARPS) - 1) << (to.at[3] * WARPS);
        if (m->reach == 0) assert_true(writers >> (to.at[3] * WARPS + to.at[2]) & 1);
        if (m->reach == 1) assert_true(writers & block);
        assert_true(writers);
        m->next[thread_of(&to)][to.at[0]] = m->shared[from.at[3]][from.offset];
    }
    if (m->cells && m->trip + 1 < m->trips) return;
    void *was = m->slot;
    m->slot = m->next;
    m->next = was;
}

/* ---- addresses --------------------------------------------------------------------------- */

/* Offsets of a warp's slots; a register that has none is -1. */
typedef struct warp_offsets {
    int64_t at[64][REGISTERS];
    uint32_t registers;
} warp_offsets;

static inline void offsets_of_warp(const machine *m, warp_offsets *w, const zlay_convert_step *step,
                                   const zlay_layout *map, uint64_t warp, uint64_t block)
{
    levels_map in, out;
    read_dims(&in, map, true);
    read_dims(&out, map, false);
    memset(w->at, 0xff, sizeof w->at);
    w->registers = 0;
    for (uint64_t i = 0; i < in.size; i++) {
        place p = place_at(&in, i);
        int64_t at;
        if (p.at[0] >= w->registers) w->registers = (uint32_t)p.at[0] + 1;
        if (p.at[2] != warp || p.at[3] != block || is_idle(step, &p) || p.at[1] >= m->lanes)
            continue;
        if (zlay_layout_out_count(map) > 1) at = (int64_t)place_through(map, &out, i).offset;
        else if (!flat_at(map, i, &at)) at = NOTHING;
        w->at[p.at[1]][p.at[0]] = at;
    }
}

/* Each lane's bytes lie together, and where they have to be aligned. */
static inline uint32_t count_lane_access(const machine *m, const warp_offsets *w,
                                         const zlay_convert_step *step, uint32_t first)
{
    uint32_t address[64], each = step->width * 8 / m->bits;
    zlay_bank bank;
    for (uint32_t l = 0; l < m->lanes; l++) {
        int64_t at = w->at[l][first];
        address[l] = at < 0 ? ZLAY_BANK_INACTIVE : (uint32_t)at * (m->bits / 8);
        if (at < 0) continue;
        if (m->cells)
            assert_int_equal((uint64_t)at / m->cells, (uint64_t)w->at[0][first] / m->cells);
        assert_int_equal(address[l] % step->width, 0);
        for (uint32_t i = 0; i < each; i++) assert_int_equal(w->at[l][first + i], at + i);
    }
    assert_int_equal(zlay_bank_conflicts(&bank, m->target, step->access, address, m->lanes), ZLAY_OK);
    assert_int_equal(bank.race, 0);
    return bank.wavefronts;
}

/* PTX ISA 9.1, ldmatrix: lane 8 i + q gives the address of row q of matrix i, 16 bytes of eight
 * 16-bit elements; lane l has elements 2 (l mod 4) and the next of row l / 4, transposed of column
 * l / 4.  Rows are found from who has their elements. */
static inline uint32_t count_matrix_access(const machine *m, const warp_offsets *w,
                                           const zlay_convert_step *step, uint32_t first,
                                           bool trans)
{
    uint32_t address[32], word = 32 / m->bits, matrices = step->width / 4;
    zlay_bank bank;
    memset(address, 0xff, sizeof address);
    for (uint32_t i = 0; i < matrices; i++)
        for (uint32_t l = 0; l < 32; l++)
            for (uint32_t j = 0; j < word; j++) {
                uint32_t row = trans ? 2 * (l % 4) + j : l / 4;
                uint32_t column = trans ? l / 4 : l % 4 * word + j;
                uint32_t byte = (uint32_t)w->at[l][first + i * word + j] * (m->bits / 8);
                uint32_t start = byte - column * (m->bits / 8);
                if (address[8 * i + row] == ZLAY_BANK_INACTIVE) address[8 * i + row] = start;
                assert_int_equal(address[8 * i + row], start);
                assert_int_equal(start % 16, 0);
            }
    assert_int_equal(zlay_bank_conflicts(&bank, m->target, step->access, address, 32), ZLAY_OK);
    return bank.wavefronts;
}

/* The wavefronts of every access of every warp of a block. */
static inline uint64_t wavefronts_in(const machine *m, const zlay_convert_step *step,
                                     const zlay_layout *map, uint64_t block)
{
    static warp_offsets w;
    uint64_t sum = 0;
    bool matrix = step->op == ZLAY_CONVERT_LDMATRIX || step->op == ZLAY_CONVERT_STMATRIX;
    uint32_t each = matrix ? step->width * 8 / m->bits : step->width * 8 / m->bits;
    levels_map in;
    read_dims(&in, map, true);
    for (uint64_t warp = 0; warp < WARPS; warp++) {
        offsets_of_warp(m, &w, step, map, warp, block);
        bool any = false;
        for (uint32_t l = 0; l < m->lanes; l++)
            for (uint32_t r = 0; r < w.registers; r++) any |= w.at[l][r] >= 0;
        for (uint32_t r = 0; any && r < w.registers; r += each)
            sum += matrix ? count_matrix_access(m, &w, step, r, strstr(step->name, "trans"))
                          : count_lane_access(m, &w, step, r);
    }
    return sum;
}

/* Of the block that takes most. */
static inline uint64_t wavefronts_of(const machine *m, const zlay_convert_step *step,
                                     const zlay_layout *map)
{
    uint64_t most = 0;
    for (uint64_t block = 0; block < BLOCKS; block++) {
        uint64_t taken = wavefronts_in(m, step, map, block);
        most = taken > most ? taken : most;
    }
    return most;
}

/* ---- plans ------------------------------------------------------------------------------- */

static inline bool stores(int32_t op)
{
    return op == ZLAY_CONVERT_STORE || op == ZLAY_CONVERT_STMATRIX;
}

static inline bool loads(int32_t op)
{
    return op == ZLAY_CONVERT_LOAD || op == ZLAY_CONVERT_LDMATRIX || op == ZLAY_CONVERT_DSMEM;
}

static inline void run_step(machine *m, zlay_ctx *ctx, const zlay_convert *plan, uint32_t i)
{
    zlay_convert_step step;
    zlay_layout *map = NULL;
    assert_int_equal(zlay_convert_step_nth(&step, plan, i), ZLAY_OK);
    if (step.op == ZLAY_CONVERT_SYNC) {
        run_sync(m, &step);
        return;
    }
    int32_t way = stores(step.op) ? ZLAY_CONVERT_FORWARD : ZLAY_CONVERT_BACK;
    if (zlay_convert_map(ctx, &map, plan, i, way)) fail_msg("%s", zlay_ctx_message(ctx));
    if (stores(step.op)) run_store(m, &step, map);
    else if (loads(step.op)) run_load(m, &step, map);
    else run_moves(m, &step, map);
    if (step.generator >= 0) assert_generator(m, &step, map);
    else if (step.op == ZLAY_CONVERT_SHFL && zlay_layout_out_count(map) > 1)
        assert_int_equal(step.instructions, shuffles_needed(m, map));
    if (step.counted) assert_int_equal(step.wavefronts, wavefronts_of(m, &step, map));
    zlay_layout_free(map);
}

/* Store, sync, load, with no more cells than a trip has. */
static inline void run_trips(machine *m, zlay_ctx *ctx, const zlay_convert *plan, uint32_t i,
                             const zlay_convert_summary *info)
{
    m->cells = info->smem * 8 / m->bits;
    m->trips = info->trips;
    for (m->trip = 0; m->trip < m->trips; m->trip++) {
        for (int b = 0; b < BLOCKS; b++) {
            memset(m->shared[b], 0xff, m->shared_size * sizeof **m->shared);
            memset(m->writers[b], 0, m->shared_size * sizeof **m->writers);
        }
        for (uint32_t k = i; k < i + 3; k++) run_step(m, ctx, plan, k);
    }
    m->cells = 0;
}

/* Every slot of dst has what dst says. */
static inline void run_plan(machine *m, zlay_ctx *ctx, const zlay_convert *plan,
                            const zlay_layout *src, const zlay_layout *dst)
{
    zlay_convert_summary info;
    levels_map in;
    assert_int_equal(zlay_convert_info(&info, plan), ZLAY_OK);
    machine_load(m, src);
    for (uint32_t i = 0; i < info.steps; i++) {
        zlay_convert_step step;
        assert_int_equal(zlay_convert_step_nth(&step, plan, i), ZLAY_OK);
        bool trips = info.trips > 1 && stores(step.op);
        if (!trips) run_step(m, ctx, plan, i);
        else run_trips(m, ctx, plan, i, &info);
        if (trips) i += 2;
    }
    read_dims(&in, dst, true);
    for (uint64_t i = 0; i < in.size; i++) {
        place p = place_at(&in, i);
        int64_t value;
        if (flat_at(dst, i, &value)) assert_int_equal(m->slot[thread_of(&p)][p.at[0]], value);
    }
}

#endif
