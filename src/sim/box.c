/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of a tensor as tile mode moves them. */
#include "sim/sim.h"

#include <string.h>

enum { CHUNK = 16, LINE_BITS = 7 };

uint32_t zl_sim_span(int32_t swizzle) { return (uint32_t)CHUNK << swizzle; }

/* PTX ISA, "Swizzling Modes": bits 4 and up are XORed with the number of the 128-byte line. */
uint64_t zl_sim_swizzle(uint64_t address, int32_t swizzle)
{
    uint64_t mask = ((uint64_t)1 << swizzle) - 1;
    return address ^ ((address >> LINE_BITS & mask) * CHUNK);
}

bool zl_sim_smem_valid(const zlay_sim_smem *smem)
{
    return smem && smem->bytes && smem->origin % CHUNK == 0;
}

bool zl_sim_in_smem(const zlay_sim_smem *smem, uint64_t address, uint64_t length)
{
    return address >= smem->origin && length <= smem->size &&
           address - smem->origin <= smem->size - length;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t r;
    return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}

static bool map_valid(const zlay_tensormap *map)
{
    if (map->rank < 1 || map->rank > 5 || map->mode || map->interleave) return false;
    if (map->swizzle < ZLAY_SWIZZLE_NONE || map->swizzle > ZLAY_SWIZZLE_128B) return false;
    for (uint32_t i = 0; i < map->rank; i++)
        if (!map->box[i] || !map->step[i]) return false;
    uint32_t bits = zlay_tensormap_type_bits(map->type);
    return bits && bits % 8 == 0;
}

/* A swizzled row takes the whole span also where the box is narrower (measured). */
bool zl_box_init(zl_box *box, const zlay_tensormap *map, const int32_t *coordinate,
                 uint32_t address)
{
    memset(box, 0, sizeof *box);
    if (!map_valid(map)) return false;
    box->map = map;
    box->coordinate = coordinate;
    box->address = address;
    box->element = zlay_tensormap_type_bits(map->type) / 8;
    box->row_bytes = (uint64_t)map->box[0] * box->element;
    box->pitch = map->swizzle ? zl_sim_span(map->swizzle) : box->row_bytes;
    box->granule = 1;
    box->rows = 1;
    for (uint32_t i = 1; i < map->rank; i++) {
        box->count[i] = ((uint64_t)map->box[i] + map->step[i] - 1) / map->step[i];
        box->rows = times(box->rows, box->count[i]);
    }
    return box->row_bytes <= box->pitch;
}

/* Which bytes of every row lie inside along the innermost dimension. */
static void row_clip(zl_row *row, const zl_box *box)
{
    int64_t first = box->coordinate[0];
    uint64_t skip = first < 0 ? (uint64_t)-first : 0, begin = first < 0 ? 0 : (uint64_t)first;
    uint64_t extent = box->map->extent[0], left = extent > begin ? extent - begin : 0;
    uint64_t width = box->map->box[0];
    uint64_t inside = skip >= width ? 0 : width - skip < left ? width - skip : left;
    row->from = inside ? skip * box->element : 0;
    row->to = row->from + (inside * box->element + box->granule - 1) / box->granule * box->granule;
    row->global = begin * box->element;
}

zl_row zl_box_row(const zl_box *box, uint64_t index)
{
    zl_row row = {.shared = box->address + index * box->pitch};
    row_clip(&row, box);
    for (uint32_t i = 1; i < box->map->rank; i++) {
        int64_t at = box->coordinate[i] + (int64_t)(index % box->count[i] * box->map->step[i]);
        index /= box->count[i];
        uint64_t offset;
        if (at < 0 || (uint64_t)at >= box->map->extent[i]) row.to = row.from;
        else if (__builtin_mul_overflow((uint64_t)at, box->map->stride[i - 1], &offset) ||
                 __builtin_add_overflow(row.global, offset, &row.global))
            row.wraps = true;
    }
    return row;
}

bool zl_row_run(zl_run *run, const zl_box *box, const zl_row *row)
{
    run->at += run->length;
    if (run->at >= box->row_bytes) return false;
    uint64_t address = row->shared + run->at, left = box->row_bytes - run->at;
    uint64_t chunk = CHUNK - address % CHUNK;
    run->length = !box->map->swizzle || left < chunk ? left : chunk;
    run->address = zl_sim_swizzle(address, box->map->swizzle);
    return true;
}

static bool row_fits(const zl_box *box, const zl_row *row, const zlay_sim_smem *smem,
                     const zlay_sim_global *global)
{
    uint64_t inside = row->to - row->from;
    if (inside && (row->wraps || inside > global->size || row->global > global->size - inside))
        return false;
    for (zl_run run = {0}; zl_row_run(&run, box, row);)
        if (!zl_sim_in_smem(smem, run.address, run.length)) return false;
    return true;
}

bool zl_box_fits(const zl_box *box, const zlay_sim_smem *smem, const zlay_sim_global *global)
{
    for (uint64_t i = 0; i < box->rows; i++) {
        zl_row row = zl_box_row(box, i);
        if (!row_fits(box, &row, smem, global)) return false;
    }
    return true;
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void run_load(uint8_t *to, const zl_run *run, const zl_row *row,
                     const zlay_sim_global *global, const uint8_t *fill, uint32_t element)
{
    uint64_t end = run->at + run->length;
    uint64_t from = clamp(row->from, run->at, end), till = clamp(row->to, from, end);
    for (uint64_t i = run->at; i < from; i++) to[i - run->at] = fill[i % element];
    if (till > from)
        memcpy(to + (from - run->at), global->bytes + row->global + (from - row->from),
               till - from);
    for (uint64_t i = till; i < end; i++) to[i - run->at] = fill[i % element];
}

void zl_box_load(const zl_box *box, const zlay_sim_smem *smem, const zlay_sim_global *global,
                 const uint8_t *fill)
{
    for (uint64_t i = 0; i < box->rows; i++) {
        zl_row row = zl_box_row(box, i);
        for (zl_run run = {0}; zl_row_run(&run, box, &row);)
            run_load(smem->bytes + (run.address - smem->origin), &run, &row, global, fill,
                     box->element);
    }
}

void zl_box_store(const zl_box *box, const zlay_sim_smem *smem, const zlay_sim_global *global)
{
    for (uint64_t i = 0; i < box->rows; i++) {
        zl_row row = zl_box_row(box, i);
        for (zl_run run = {0}; zl_row_run(&run, box, &row);) {
            uint64_t from = clamp(row.from, run.at, run.at + run.length);
            uint64_t till = clamp(row.to, from, run.at + run.length);
            const uint8_t *source = smem->bytes + (run.address - smem->origin) + (from - run.at);
            if (till > from)
                memcpy(global->bytes + row.global + (from - row.from), source, till - from);
        }
    }
}
