/* SPDX-License-Identifier: Apache-2.0 */
/* What the CPU model makes of a use. */
#ifndef USE_MODEL_H
#define USE_MODEL_H

#include "use_run.h"

#include <zlay/sim.h>

/* Of an interleaved box one slice is copied whatever it asks for: the model is asked for that one. */
static inline zlay_tensormap use_one_slice(const zlay_tensormap *map)
{
    zlay_tensormap m = *map;
    if (m.interleave && m.mode)
        m.channels = 16 * (uint32_t)m.interleave / draw_bytes(m.type);
    else if (m.interleave) m.box[m.rank - 2] = 1;
    return m;
}

static inline void use_sources(uint8_t *global, uint8_t *shared, uint8_t *stored)
{
    use_fill(global, USE_GLOBAL, USE_SALT_GLOBAL);
    use_fill(shared, USE_SMEM, USE_SALT_SMEM);
    use_fill(stored, USE_SMEM, USE_SALT_STORED);
}

/* Of USE_SMEM bytes, FNV-1a: what is kept of a measured use. */
static inline uint64_t use_hash(const uint8_t *bytes)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < USE_SMEM; i++) h = (h ^ bytes[i]) * 0x100000001b3u;
    return h;
}

/* The model's bytes and fault of a use, at a shared address; 0: it refuses the map. */
static inline int use_model(use_result *out, const use_case *use, uint32_t base)
{
    static uint8_t global[USE_GLOBAL], shared[USE_SMEM], stored[USE_SMEM], smem[USE_SMEM];
    static int made;
    zlay_tensormap m = use_one_slice(&use->map);
    int32_t fault = 0;
    uint32_t bytes = 0;
    if (!made++) use_sources(global, shared, stored);
    memcpy(smem, shared, sizeof smem);
    int store = use->kind >= USE_STORE;
    zlay_sim_smem at = {store ? smem : out->bytes, USE_SMEM, base};
    memcpy(out->bytes, store ? stored : shared, USE_SMEM);
    zlay_sim_global tensor = {store ? out->bytes + m.address : global + m.address,
                              (store ? USE_SMEM : USE_GLOBAL) - m.address};
    zlay_status status =
        store ? zlay_sim_tensor_store(&fault, &bytes, &at, &tensor, &(zlay_sim_copy){.map = &m, .coordinate = use->coordinate, .address = base + use->at})
              : zlay_sim_tensor_load(&fault, &bytes, &at, &tensor, &(zlay_sim_copy){.map = &m, .coordinate = use->coordinate, .offset = use->offset, .address = base + use->at});
    out->fault = (uint32_t)fault;
    out->landed = store || fault || bytes == use_bytes(&use->map);
    return status == ZLAY_OK;
}

#endif
