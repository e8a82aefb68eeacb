/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates loads and stores of threads that move the box of a tensor map at a given width:
 * the alignment that each access needs is checked, then the box is moved as a tensor copy
 * would. */
#include "sim/sim.h"

static bool width_valid(uint32_t width)
{
    return width == 1 || width == 2 || width == 4 || width == 8 || width == 16;
}

/* The global address of the row's first byte modulo 2^64, also where it lies outside the tensor. */
static uint64_t row_address(const zl_box *box, const zl_sim_row *row)
{
    return box->map->address + row->global - row->from;
}

/* The last access of a load may be cut short, for cp.async fills the rest with zeros; a store's
 * may not. */
static bool row_aligned(const zl_box *box, const zl_sim_row *row, uint32_t width, bool store)
{
    if (row->from == row->to) return true;
    if (row_address(box, row) % width || row->from % width) return false;
    return !store || (row->to - row->from) % width == 0;
}

static int32_t thread_fault(const zl_box *box, const zlay_sim_smem *smem,
                            const zlay_sim_global *global, uint32_t width, bool store)
{
    if (box->address % width || box->row_bytes % width) return ZLAY_FAULT_WIDTH;
    if (!zl_box_fits(box, smem, global)) return ZLAY_FAULT_ACCESS;
    for (uint64_t i = 0; i < box->rows; i++) {
        zl_sim_row row = zl_box_row(box, i);
        if (!row_aligned(box, &row, width, store)) return ZLAY_FAULT_WIDTH;
    }
    return ZLAY_FAULT_NONE;
}

static zlay_status thread_begin(zl_box *box, const zlay_sim_smem *smem,
                                const zlay_sim_global *global, const zlay_sim_copy *copy)
{
    if (!zl_sim_copy_valid(smem, global, copy)) return ZLAY_EINVAL;
    bool tiled = !copy->map->mode && !copy->map->interleave && !zl_map_is_later(copy->map);
    return tiled && zl_box_init(box, copy) ? ZLAY_OK : ZLAY_EINVAL;
}

zlay_status zlay_sim_thread_load(int32_t *fault, zlay_sim_smem *smem, const zlay_sim_global *global,
                                 const zlay_sim_copy *copy, uint32_t width)
{
    static const uint8_t zero[sizeof(uint64_t)];
    zl_box box;
    if (!fault || !width_valid(width)) return ZLAY_EINVAL;
    zlay_status status = thread_begin(&box, smem, global, copy);
    if (status) return status;
    *fault = thread_fault(&box, smem, global, width, false);
    if (!*fault) zl_box_load(&box, smem, global, zero);
    return ZLAY_OK;
}

zlay_status zlay_sim_thread_store(int32_t *fault, const zlay_sim_smem *smem,
                                  zlay_sim_global *global, const zlay_sim_copy *copy,
                                  uint32_t width)
{
    zl_box box;
    if (!fault || !width_valid(width)) return ZLAY_EINVAL;
    zlay_status status = thread_begin(&box, smem, global, copy);
    if (status) return status;
    *fault = thread_fault(&box, smem, global, width, true);
    if (!*fault) zl_box_store(&box, smem, global);
    return ZLAY_OK;
}
