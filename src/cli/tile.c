/* SPDX-License-Identifier: Apache-2.0 */
/* Executes one tile of a plan in the CPU model: its copies into shared memory, its wgmma
 * products stage by stage, and its epilogue. */
#include "cli/tile.h"

#include "sim/body.h"
#include "sim/sim.h"

#include <string.h>

enum { UNSET = 0xff }; /* shared memory before a tile; as a float a NaN */

static void fault_note(zl_model *m, int32_t fault, int32_t operand, const zl_tile *t)
{
    if (!fault) return;
    m->report.fault = fault;
    m->report.operand = operand;
    m->report.tile_m = t->m;
    m->report.tile_n = t->n;
    m->report.tile_k = t->k;
}

static void coordinate_of(int32_t *out, const zlay_copy *copy, const zl_tile *t)
{
    for (int i = 0; i < 5; i++)
        out[i] =
            (int32_t)(copy->coordinate[i] + copy->advance[i][0] * (int64_t)t->m +
                      copy->advance[i][1] * (int64_t)t->n + copy->advance[i][2] * (int64_t)t->k);
}

static uint32_t stage_address(const zl_model *m, int32_t operand, uint64_t k)
{
    const zlay_plan_summary *info = &m->info;
    uint32_t slot = (uint32_t)(k % info->stages);
    return ZL_MODEL_ORIGIN + (operand == ZLAY_OPERAND_A ? info->smem_a + slot * info->pitch_a
                                                        : info->smem_b + slot * info->pitch_b);
}

static zlay_status copy_load(zl_model *m, uint32_t *bytes, int32_t operand, const zlay_copy *copy,
                             const zl_tile *t)
{
    int32_t fault = 0, coordinate[5];
    uint32_t address = stage_address(m, operand, t->k) + copy->smem, moved = 0;
    const zlay_tensormap *map = &m->map[operand];
    zlay_status status;
    coordinate_of(coordinate, copy, t);
    if (copy->kind == ZLAY_COPY_TENSOR_LOAD)
        status = zlay_sim_tensor_load(
            &fault, &moved, &m->smem, &m->global[operand],
            &(zlay_sim_copy){.map = map, .coordinate = coordinate, .address = address});
    else
        status = zlay_sim_thread_load(
            &fault, &m->smem, &m->global[operand],
            &(zlay_sim_copy){.map = map, .coordinate = coordinate, .address = address},
            copy->width);
    *bytes += moved;
    fault_note(m, fault, operand, t);
    return status;
}

static zlay_status stage_load(zl_model *m, const zl_tile *t)
{
    uint32_t bytes = 0;
    zlay_copy copy;
    for (int32_t operand = ZLAY_OPERAND_A; operand <= ZLAY_OPERAND_B; operand++)
        for (uint32_t i = 0; !m->report.fault && !zlay_plan_copy_nth(&copy, m->plan, operand, i);
             i++) {
            zlay_status status = copy_load(m, &bytes, operand, &copy, t);
            if (status) return status;
        }
    if (m->report.fault) return ZLAY_OK;
    m->report.stages++;
    if (bytes != m->info.expect_bytes && !m->report.stages_off++) m->report.bytes = bytes;
    return ZLAY_OK;
}

static zlay_status descriptor(uint64_t *out, const zl_model *m, int32_t operand, uint32_t consumer,
                              uint32_t step, uint64_t k)
{
    zlay_smemdesc fields;
    zlay_status status = zlay_plan_desc(&fields, m->plan, operand, consumer, step);
    if (status) return status;
    fields.start += stage_address(m, operand, k);
    return zlay_smemdesc_pack(out, m->info.target, &fields);
}

static zlay_status stage_multiply(zl_model *m, const zl_tile *t)
{
    const zlay_plan_summary *info = &m->info;
    for (uint32_t c = 0; c < info->consumers; c++)
        for (uint32_t s = 0; s < info->k_steps && !m->report.fault; s++) {
            uint64_t a, b;
            int32_t fault = 0, add = t->k || s;
            zlay_status status = descriptor(&a, m, ZLAY_OPERAND_A, c, s, t->k);
            if (!status) status = descriptor(&b, m, ZLAY_OPERAND_B, c, s, t->k);
            if (!status)
                status = zlay_sim_wgmma(&fault, m->acc + (size_t)c * ZL_MODEL_ROWS * info->tile_n,
                                        &m->smem, &info->mma, a, b, add);
            if (status) return status;
            fault_note(m, fault, ZL_MODEL_WGMMA, t);
        }
    return ZLAY_OK;
}

static bool is_float(int32_t type)
{
    return type != ZLAY_TYPE_S32 && type != ZLAY_TYPE_S8 && type != ZLAY_TYPE_U8;
}

/* The bits of a sum, of type `from`, as D stores it. Whole numbers become floats by way of f32. */
static uint32_t converted(int32_t type, int32_t from, const float *sum)
{
    int32_t bits;
    memcpy(&bits, sum, sizeof bits);
    if (type == from) return (uint32_t)bits;
    if (from == ZLAY_TYPE_F32 && type == ZLAY_TYPE_BF16) return zlay_sim_bf16(*sum);
    double whole = is_float(type) ? (double)(float)bits : (double)bits;
    double value = is_float(from) ? (double)*sum : whole;
    int32_t of = is_float(type) ? ZLAY_TYPE_F32 : from;
    return zl_matrix_bits(type, zl_convert_number(value, of, type, ZL_ROUND_NEAREST));
}

static void element_put(uint8_t *to, uint32_t bytes, uint32_t bits)
{
    for (uint32_t i = 0; i < bytes; i++) to[i] = (uint8_t)(bits >> 8 * i);
}

/* The last pass ends with the tile. */
static uint32_t pass_column(const zlay_plan_summary *info, uint32_t pass)
{
    uint32_t first = pass * info->pass_n;
    return first + info->pass_n < info->tile_n ? first : info->tile_n - info->pass_n;
}

static void pass_write(zl_model *m, uint32_t consumer, uint32_t pass, uint32_t address)
{
    const zlay_plan_summary *info = &m->info;
    size_t first = (size_t)consumer * ZL_MODEL_ROWS * info->tile_n + pass_column(info, pass);
    for (uint32_t row = 0; row < ZL_MODEL_ROWS; row++)
        for (uint32_t column = 0; column < info->pass_n; column++) {
            const float *sum = &m->acc[first + row * info->tile_n + column];
            uint32_t value = converted(m->d.type, info->mma.d, sum);
            uint32_t at = m->staging[row + column * ZL_MODEL_ROWS];
            element_put(m->smem.bytes + (address - ZL_MODEL_ORIGIN) + at, m->d.element, value);
        }
}

static zlay_status copy_store(zl_model *m, const zlay_copy *copy, uint32_t address,
                              const int32_t *coordinate, const zl_tile *t)
{
    int32_t fault = 0;
    uint32_t bytes;
    zlay_status status;
    const zlay_tensormap *map = &m->map[ZLAY_OPERAND_D];
    zlay_sim_global *global = &m->global[ZLAY_OPERAND_D];
    if (copy->kind == ZLAY_COPY_TENSOR_STORE)
        status = zlay_sim_tensor_store(&fault, &bytes, &m->smem, global,
                                       &(zlay_sim_copy){.map = map,
                                                        .coordinate = coordinate,
                                                        .address = address + copy->smem});
    else
        status = zlay_sim_thread_store(
            &fault, &m->smem, global,
            &(zlay_sim_copy){.map = map, .coordinate = coordinate, .address = address + copy->smem},
            copy->width);
    fault_note(m, fault, ZLAY_OPERAND_D, t);
    return status;
}

/* Stores a pass of a consumer; both offset the coordinates of D's copies. */
static zlay_status pass_store(zl_model *m, uint32_t consumer, uint32_t pass, const zl_tile *t)
{
    uint32_t address = ZL_MODEL_ORIGIN + m->info.smem_d + consumer * m->info.pitch_d;
    zlay_copy copy;
    pass_write(m, consumer, pass, address);
    for (uint32_t i = 0; !m->report.fault && !zlay_plan_copy_nth(&copy, m->plan, ZLAY_OPERAND_D, i);
         i++) {
        int32_t coordinate[5];
        coordinate_of(coordinate, &copy, t);
        uint32_t rows = m->info.d_order == ZLAY_ORDER_COLUMN ? 0 : 1;
        coordinate[1 - rows] += (int32_t)pass_column(&m->info, pass);
        coordinate[rows] += (int32_t)(consumer * ZL_MODEL_ROWS);
        zlay_status status = copy_store(m, &copy, address, coordinate, t);
        if (status) return status;
    }
    return ZLAY_OK;
}

zlay_status zl_tile_run(zl_model *m, zl_tile t)
{
    zlay_status status = ZLAY_OK;
    memset(m->smem.bytes, UNSET, m->smem.size);
    for (t.k = 0; !status && !m->report.fault && t.k < m->info.tiles_k; t.k++) {
        status = stage_load(m, &t);
        if (!status && !m->report.fault) status = stage_multiply(m, &t);
    }
    for (uint32_t c = 0; c < m->info.consumers; c++)
        for (uint32_t p = 0; !status && !m->report.fault && p < m->info.passes; p++)
            status = pass_store(m, c, p, &t);
    return status;
}
