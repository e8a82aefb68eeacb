/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates cp.async.bulk.tensor in tile and im2col mode: loads with the map's fill outside
 * the tensor, stores clipped to it. */
#include "sim/sim.h"

#include <string.h>

/* A store writes 16 bytes at a time, also where a row of the tensor ends inside them (measured). */
enum { SMEM_ALIGN = 128, COORDINATE_ALIGN = 16, STORE_GRANULE = ZL_STORE_GRANULE };
enum { PACKED_VALUES = 128, DATA_MOST = 16, FLIP_8 = 5 };

/* The model is of sm_90a, whose rules are the map's, and of sm_100a where that lacks the map. */
static zlay_status map_check(const zlay_tensormap *map)
{
    const char *name = zl_map_is_later(map) ? "sm_100a" : "sm_90a";
    const zlay_target *target;
    zlay_verdict verdict;
    zlay_status status = zlay_target_find(&target, name, strlen(name));
    if (!status) status = zlay_tensormap_check(&verdict, NULL, 0, target, map);
    return status || verdict.answer != ZLAY_YES ? ZLAY_EINVAL : ZLAY_OK;
}

/* PTX ISA 9.1: values with gaps go by 128. */
static bool first_legal(const zl_box *box)
{
    int64_t first = box->coordinate[0];
    if (box->map->interleave) return true;
    return box->data < DATA_MOST ? first % PACKED_VALUES == 0
                                 : first * (int64_t)box->bits % (8 * COORDINATE_ALIGN) == 0;
}

static bool coordinate_legal(const zl_box *box, bool store)
{
    const zlay_tensormap *map = box->map;
    if (!first_legal(box)) return false;
    for (uint32_t i = 0; store && i < map->rank; i++)
        if (box->coordinate[i] < 0) return false;
    for (uint32_t i = 0; store && zl_map_has_columns(map) && i + 2 < map->rank; i++)
        if (map->lower[i] < 0 || map->upper[i] > 0) return false;
    return true;
}

/* PTX ISA 9.1, tensor copy restrictions: what is for loads alone. */
zlay_status zl_store_check(const zlay_tensormap *map)
{
    bool load = map->swizzle == FLIP_8 || map->type == ZLAY_TYPE_U4_ALIGN16;
    return load ? ZLAY_EINVAL : ZLAY_OK;
}

int32_t zl_tensor_fault(const zl_box *box, const zlay_sim_smem *smem,
                        const zlay_sim_global *global, bool store)
{
    if (box->address % SMEM_ALIGN) return ZLAY_FAULT_SMEM_ALIGN;
    if (!coordinate_legal(box, store)) return ZLAY_FAULT_COORDINATE;
    return zl_box_fits(box, smem, global) ? ZLAY_FAULT_NONE : ZLAY_FAULT_ACCESS;
}

/* The NaN of every floating-point type is 0x7ff7 in each 16 bits (measured). */
void zl_fill_element(uint8_t *fill, const zlay_tensormap *map)
{
    uint64_t bits = map->oob ? 0x7ff77ff77ff77ff7 : 0;
    memcpy(fill, &bits, sizeof bits);
}

zlay_status zl_tensor_begin(zl_box *box, const zlay_sim_smem *smem, const zlay_sim_global *global,
                            const zlay_sim_copy *copy)
{
    if (!zl_sim_copy_valid(smem, global, copy)) return ZLAY_EINVAL;
    return zl_box_init(box, copy) ? map_check(copy->map) : ZLAY_EINVAL;
}

zlay_status zlay_sim_tensor_load(int32_t *fault, uint32_t *bytes, zlay_sim_smem *smem,
                                 const zlay_sim_global *global, const zlay_sim_copy *copy)
{
    zl_box box;
    uint8_t fill[sizeof(uint64_t)];
    if (!fault || !bytes) return ZLAY_EINVAL;
    zlay_status status = zl_tensor_begin(&box, smem, global, copy);
    if (status) return status;
    box.offset = copy->offset;
    box.rounds = copy->map->type == ZLAY_TYPE_TF32 || copy->map->type == ZLAY_TYPE_TF32_FTZ;
    *fault = zl_tensor_fault(&box, smem, global, false);
    if (*fault) return ZLAY_OK;
    zl_fill_element(fill, copy->map);
    zl_box_load(&box, smem, global, fill);
    *bytes = (uint32_t)(box.rows * zl_row_copied(&box));
    return ZLAY_OK;
}

zlay_status zlay_sim_tensor_store(int32_t *fault, uint32_t *bytes, const zlay_sim_smem *smem,
                                  zlay_sim_global *global, const zlay_sim_copy *copy)
{
    zl_box box;
    if (!fault || !bytes) return ZLAY_EINVAL;
    zlay_status status = zl_tensor_begin(&box, smem, global, copy);
    if (!status) status = zl_store_check(copy->map);
    if (status) return status;
    box.granule = STORE_GRANULE;
    *fault = zl_tensor_fault(&box, smem, global, true);
    if (*fault) return ZLAY_OK;
    zl_box_store(&box, smem, global);
    *bytes = (uint32_t)(box.rows * zl_row_copied(&box));
    return ZLAY_OK;
}
