/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates gather and scatter of four rows (tile::gather4, tile::scatter4), and multicast
 * loads that several blocks receive. */
#include "sim/sim.h"

enum { ROWS = 4 };

/* Row i of the four is the box of its own coordinates, i rows further in shared memory. */
static bool row_box(zl_box *out, const zl_box *whole, const int32_t *coordinate, int32_t *at,
                    uint32_t i)
{
    at[0] = coordinate[0];
    at[1] = coordinate[1 + i];
    *out = *whole;
    out->coordinate = at;
    out->address = whole->address + i * (uint32_t)whole->pitch;
    return out->address >= whole->address;
}

/* Every row is asked before one moves; the address is that of the first. */
static int32_t rows_fault(const zl_box *whole, const int32_t *coordinate, const zlay_sim_smem *smem,
                          const zlay_sim_global *global, bool store)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        zl_box box;
        int32_t at[2];
        if (!row_box(&box, whole, coordinate, at, i)) return ZLAY_FAULT_ACCESS;
        zl_box first = box;
        first.address = whole->address;
        int32_t fault = zl_tensor_fault(&first, smem, global, store);
        if (fault) return fault;
        if (!zl_box_fits(&box, smem, global)) return ZLAY_FAULT_ACCESS;
    }
    return ZLAY_FAULT_NONE;
}

static zlay_status rows_begin(zl_box *box, int32_t *fault, const zlay_sim_smem *smem,
                              const zlay_sim_global *global, const zlay_sim_copy *copy, bool store)
{
    if (!copy || !copy->map || copy->map->rank != 2 || copy->map->box[1] != 1) return ZLAY_EINVAL;
    zlay_status status = zl_tensor_begin(box, smem, global, copy);
    if (!status && store) status = zl_store_check(copy->map);
    if (status) return status;
    if (store) box->granule = ZL_STORE_GRANULE;
    *fault = rows_fault(box, copy->coordinate, smem, global, store);
    return ZLAY_OK;
}

zlay_status zlay_sim_tensor_gather4(int32_t *fault, uint32_t *bytes, zlay_sim_smem *smem,
                                    const zlay_sim_global *global, const zlay_sim_copy *copy)
{
    zl_box whole, box;
    uint8_t fill[sizeof(uint64_t)];
    int32_t at[2];
    if (!fault || !bytes) return ZLAY_EINVAL;
    zlay_status status = rows_begin(&whole, fault, smem, global, copy, false);
    if (status || *fault) return status;
    zl_fill_element(fill, copy->map);
    for (uint32_t i = 0; i < ROWS && row_box(&box, &whole, copy->coordinate, at, i); i++)
        zl_box_load(&box, smem, global, fill);
    *bytes = ROWS * (uint32_t)zl_row_copied(&whole);
    return ZLAY_OK;
}

zlay_status zlay_sim_tensor_scatter4(int32_t *fault, uint32_t *bytes, const zlay_sim_smem *smem,
                                     zlay_sim_global *global, const zlay_sim_copy *copy)
{
    zl_box whole, box;
    int32_t at[2];
    if (!fault || !bytes) return ZLAY_EINVAL;
    zlay_status status = rows_begin(&whole, fault, smem, global, copy, true);
    if (status || *fault) return status;
    for (uint32_t i = 0; i < ROWS && row_box(&box, &whole, copy->coordinate, at, i); i++)
        zl_box_store(&box, smem, global);
    *bytes = ROWS * (uint32_t)zl_row_copied(&whole);
    return ZLAY_OK;
}

zlay_status zlay_sim_tensor_multicast(int32_t *fault, uint32_t *bytes, zlay_sim_smem *smem,
                                      uint32_t blocks, uint32_t mask, const zlay_sim_global *global,
                                      const zlay_sim_copy *copy)
{
    uint32_t counted = 0;
    int32_t found = ZLAY_FAULT_NONE;
    if (!fault || !bytes || !smem || !mask || blocks > 16 || mask >> blocks) return ZLAY_EINVAL;
    for (uint32_t rank = 0; rank < blocks && !found; rank++) {
        if (!(mask >> rank & 1)) continue;
        zlay_status status = zlay_sim_tensor_load(&found, &counted, &smem[rank], global, copy);
        if (status) return status;
    }
    *fault = found;
    if (!found) *bytes = counted;
    return ZLAY_OK;
}
