/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the box of a tensor copy row by row, in tile mode and in im2col mode (PTX ISA,
 * "Tensors"): which bytes of a row lie inside the tensor, and where each row and chunk stands
 * in swizzled shared memory. Every tensor copy of the model is this walk with a load, a store
 * or a reduction at each run. */
#include "base/arith.h"
#include "sim/sim.h"

#include <string.h>

enum { CHUNK = 16, LINE_BITS = 7, DIMS = 5 };
enum { ATOM_32 = 4, FLIP_8 = 5, ATOM_64 = 6 };

uint32_t zl_sim_span(int32_t swizzle)
{
    return (uint32_t)CHUNK << (swizzle > ZLAY_SWIZZLE_128B ? ZLAY_SWIZZLE_128B : swizzle);
}

/* PTX ISA, "Swizzling Modes": bits 4 and up are XORed with the number of the 128-byte line; larger
 * atoms of 128 bytes take bits 5 and 6, or 6, and the flip swaps the halves of 16 bytes in every other
 * line. */
uint64_t zl_sim_swizzle(uint64_t address, int32_t swizzle)
{
    uint64_t line = address >> LINE_BITS;
    switch (swizzle) {
    case ATOM_32: return address ^ (line & 3) << 5;
    case FLIP_8: return address ^ ((line & 3) << 5 | (line & 1) << 3);
    case ATOM_64: return address ^ (line & 1) << 6;
    default: return address ^ (line & (((uint64_t)1 << swizzle) - 1)) * CHUNK;
    }
}

bool zl_sim_smem_valid(const zlay_sim_smem *smem)
{
    return smem && smem->bytes && smem->origin % CHUNK == 0;
}

bool zl_sim_copy_valid(const zlay_sim_smem *smem, const zlay_sim_global *global,
                       const zlay_sim_copy *copy)
{
    return zl_sim_smem_valid(smem) && global && global->bytes && copy && copy->map &&
           copy->coordinate && !copy->reserved;
}

bool zl_sim_in_smem(const zlay_sim_smem *smem, uint64_t address, uint64_t length)
{
    return address >= smem->origin && length <= smem->size &&
           address - smem->origin <= smem->size - length;
}

bool zl_map_has_columns(const zlay_tensormap *map) { return map->mode == 1; }

bool zl_map_is_later(const zlay_tensormap *map)
{
    return map->type >= ZLAY_TYPE_U4_ALIGN8 || map->swizzle > ZLAY_SWIZZLE_128B;
}

static bool map_valid(const zlay_tensormap *map)
{
    bool columns = zl_map_has_columns(map);
    uint32_t bits = zlay_tensormap_type_bits(map->type);
    if (map->rank < (columns || map->interleave ? 3u : 1u) || map->rank > DIMS) return false;
    if (map->mode < 0 || map->mode > 1 || map->interleave < 0 || map->interleave > 2) return false;
    if (map->swizzle < ZLAY_SWIZZLE_NONE || map->swizzle > ATOM_64) return false;
    for (uint32_t i = 0; i < map->rank; i++)
        if ((!map->box[i] && !columns) || !map->step[i]) return false;
    return bits && (!columns || (map->channels && map->pixels));
}

/* Packed types: sixteen values of b4x16_p64 and b6x16_p32 take 16 bytes, those of b4x16 take
 * 8. */
static void element_init(zl_box *box, int32_t type)
{
    box->bits = zlay_tensormap_type_bits(type);
    bool gaps = type == ZLAY_TYPE_U4_ALIGN16 || type == ZLAY_TYPE_U6_ALIGN16;
    box->element = box->bits < 8 ? 1 : box->bits / 8;
    box->data = gaps ? CHUNK * box->bits / 8 : CHUNK;
}

static uint64_t shared_bytes(const zl_box *box, uint64_t elements)
{
    return elements * (box->data < CHUNK ? 8 : box->bits) / 8;
}

static uint64_t copied(const zl_box *box, uint64_t bytes) { return bytes * box->data / CHUNK; }

uint64_t zl_row_copied(const zl_box *box) { return copied(box, box->row_bytes); }

/* Interleaved boxes are of slices, one a row here, and one in the last dimension but one
 * (measured); a step of dimension 0 counts for them alone. */
static void rows_init(zl_box *box)
{
    const zlay_tensormap *map = box->map;
    bool slices = map->interleave != 0;
    box->rows = zl_map_has_columns(map) ? map->pixels : 1;
    for (uint32_t i = !slices; i < map->rank && !zl_map_has_columns(map); i++) {
        box->count[i] = ((uint64_t)map->box[i] + map->step[i] - 1) / map->step[i];
        if (slices && i + 2 == map->rank) box->count[i] = 1;
        box->rows = zl_umul_sat(box->rows, box->count[i]);
    }
}

/* A swizzled row takes the whole span also where the box is narrower (measured). */
bool zl_box_init(zl_box *box, const zlay_sim_copy *copy)
{
    const zlay_tensormap *map = copy->map;
    memset(box, 0, sizeof *box);
    if (!map_valid(map)) return false;
    box->map = map;
    box->coordinate = copy->coordinate;
    box->address = copy->address;
    element_init(box, map->type);
    box->granule = 1;
    box->row_bytes = shared_bytes(box, map->mode ? map->channels : map->box[0]);
    if (map->interleave) box->data = CHUNK;
    if (map->interleave) box->row_bytes = (uint64_t)CHUNK * (uint32_t)map->interleave;
    bool spans = map->swizzle && !map->interleave;
    box->pitch = spans ? zl_sim_span(map->swizzle) : box->row_bytes;
    rows_init(box);
    return box->row_bytes <= box->pitch;
}

/* Which bytes of every row lie inside the tensor along the innermost dimension. */
static void row_clip(zl_sim_row *row, const zl_box *box)
{
    int64_t first = box->coordinate[0];
    uint64_t skip = first < 0 ? (uint64_t)-first : 0, begin = first < 0 ? 0 : (uint64_t)first;
    uint64_t extent = box->map->extent[0], left = extent > begin ? extent - begin : 0;
    uint64_t width = zl_map_has_columns(box->map) ? box->map->channels : box->map->box[0];
    uint64_t inside = skip >= width ? 0 : width - skip < left ? width - skip : left;
    row->from = inside ? shared_bytes(box, skip) : 0;
    row->to = row->from + zl_round_up(shared_bytes(box, inside), box->granule);
    row->global = begin * box->bits / 8;
}

/* Where a walk of `index` steps from `start` stands within [lo, hi], and how often it wrapped. */
static uint64_t walk(int64_t *at, int64_t start, int64_t lo, int64_t hi, uint32_t step,
                     uint64_t index)
{
    uint64_t first = start <= hi ? (uint64_t)(hi - start) / step + 1 : 1;
    uint64_t line = lo <= hi ? (uint64_t)(hi - lo) / step + 1 : 1;
    *at = index < first ? start + (int64_t)(index * step)
                        : lo + (int64_t)((index - first) % line * step);
    return index < first ? 0 : 1 + (index - first) / line;
}

/* PTX ISA, im2col mode: pixels go through the bounding box, W first, then through the images; the
 * steps of W, H, D and of the images count (measured), and the offsets are added to where they
 * are. */
static void pixel_at(int64_t *at, const zl_box *box, uint64_t index)
{
    const zlay_tensormap *map = box->map;
    uint32_t w = !map->interleave, last = map->rank - 1;
    for (uint32_t i = 0; i + 2 < map->rank; i++) {
        int64_t hi = (int64_t)map->extent[w + i] - 1 + map->upper[i];
        index =
            walk(&at[w + i], box->coordinate[w + i], map->lower[i], hi, map->step[w + i], index);
        if (box->offset) at[w + i] += box->offset[i];
    }
    at[last] = box->coordinate[last] + (int64_t)(index * map->step[last]);
    if (map->interleave) at[last - 1] = box->coordinate[last - 1];
}

void zl_box_row_at(int64_t *at, const zl_box *box, uint64_t index)
{
    const zlay_tensormap *map = box->map;
    if (zl_map_has_columns(map)) {
        pixel_at(at, box, index);
        return;
    }
    for (uint32_t i = !map->interleave; i < map->rank; i++) {
        at[i] = box->coordinate[i] + (int64_t)(index % box->count[i] * map->step[i]);
        index /= box->count[i];
    }
}

zl_sim_row zl_box_row(const zl_box *box, uint64_t index)
{
    const zlay_tensormap *map = box->map;
    zl_sim_row row = {.shared = box->address + index * box->pitch, .to = box->row_bytes};
    int64_t at[DIMS];
    zl_box_row_at(at, box, index);
    if (!map->interleave) row_clip(&row, box);
    for (uint32_t i = !map->interleave; i < map->rank; i++) {
        uint64_t pitch = i ? map->stride[i - 1] : box->row_bytes;
        if (at[i] < 0 || (uint64_t)at[i] >= map->extent[i]) row.to = row.from;
        else row.global += (uint64_t)at[i] * pitch;
    }
    return row;
}

bool zl_row_run(zl_sim_run *run, const zl_box *box, const zl_sim_row *row)
{
    run->at += run->length;
    if (run->at >= box->row_bytes) return false;
    uint64_t address = row->shared + run->at, left = box->row_bytes - run->at;
    uint64_t chunk = CHUNK - address % CHUNK;
    if (box->map->swizzle == FLIP_8) chunk = (chunk - 1) % (CHUNK / 2) + 1;
    bool whole = !box->map->swizzle && box->data == CHUNK;
    run->length = whole || left < chunk ? left : chunk;
    run->address = zl_sim_swizzle(address, box->map->swizzle);
    return true;
}

static bool row_fits(const zl_box *box, const zl_sim_row *row, const zlay_sim_smem *smem,
                     const zlay_sim_global *global)
{
    uint64_t inside = copied(box, row->to - row->from);
    if (inside && (inside > global->size || row->global > global->size - inside))
        return false;
    for (zl_sim_run run = {0}; zl_row_run(&run, box, row);)
        if (!zl_sim_in_smem(smem, run.address, run.length)) return false;
    return true;
}

bool zl_box_fits(const zl_box *box, const zlay_sim_smem *smem, const zlay_sim_global *global)
{
    for (uint64_t i = 0; i < box->rows; i++) {
        zl_sim_row row = zl_box_row(box, i);
        if (!row_fits(box, &row, smem, global)) return false;
    }
    return true;
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* A load rounds tf32 elements to the nearest, halves to even, and makes every NaN 0x7fffe000;
 * nothing is flushed (measured). */
static void tf32_round(uint8_t *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i += 4) {
        uint32_t word;
        memcpy(&word, bytes + i, 4);
        bool special = (word & 0x7f800000) == 0x7f800000;
        if (special && word & 0x7fffff) word = 0x7fffffff;
        word = (special ? word : word + 0xfff + (word >> 13 & 1)) & ~(uint32_t)0x1fff;
        memcpy(bytes + i, &word, 4);
    }
}

static void run_load(uint8_t *to, const zl_sim_run *run, const zl_sim_row *row, const zl_box *box,
                     const zlay_sim_global *global, const uint8_t *fill)
{
    uint64_t end = run->at + run->length;
    uint64_t from = clamp(row->from, run->at, end), till = clamp(row->to, from, end);
    for (uint64_t i = run->at; i < from; i++) to[i - run->at] = fill[i % box->element];
    if (till > from) {
        const uint8_t *source = global->bytes + row->global + copied(box, from - row->from);
        if (box->data < CHUNK) zl_group_load(to, source, box->data);
        else memcpy(to + (from - run->at), source, till - from);
        if (box->data >= CHUNK && box->rounds) tf32_round(to + (from - run->at), till - from);
    }
    for (uint64_t i = till; i < end; i++) to[i - run->at] = fill[i % box->element];
}

void zl_box_load(const zl_box *box, const zlay_sim_smem *smem, const zlay_sim_global *global,
                 const uint8_t *fill)
{
    for (uint64_t i = 0; i < box->rows; i++) {
        zl_sim_row row = zl_box_row(box, i);
        for (zl_sim_run run = {0}; zl_row_run(&run, box, &row);)
            run_load(smem->bytes + (run.address - smem->origin), &run, &row, box, global, fill);
    }
}

void zl_box_store(const zl_box *box, const zlay_sim_smem *smem, const zlay_sim_global *global)
{
    for (uint64_t i = 0; i < box->rows; i++) {
        zl_sim_row row = zl_box_row(box, i);
        for (zl_sim_run run = {0}; zl_row_run(&run, box, &row);) {
            uint64_t from = clamp(row.from, run.at, run.at + run.length);
            uint64_t till = clamp(row.to, from, run.at + run.length);
            if (till <= from) continue;
            const uint8_t *source = smem->bytes + (run.address - smem->origin) + (from - run.at);
            uint8_t *to = global->bytes + row.global + copied(box, from - row.from);
            if (box->data < CHUNK) zl_group_store(to, source);
            else memcpy(to, source, till - from);
        }
    }
}
