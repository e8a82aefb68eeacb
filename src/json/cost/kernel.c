/* SPDX-License-Identifier: Apache-2.0 */
/* gemm.cycles and attention.cycles: how long the kernels of plans run. */
#include "json/json.h"

/* ---- the requests ------------------------------------------------------------------ */

typedef struct of_gemm {
    zl_gemm_asked plan;
    const json_t *facts;
} of_gemm;

typedef struct of_attention {
    zl_attention_asked plan;
    const json_t *facts;
} of_attention;

extern const zl_fields zl_gemm_fields, zl_attention_fields;
static const zl_field gemm_rows[] = {
    ZL_PART(zl_gemm_fields, of_gemm, plan),
    {"facts", ZL_MAY, ZL_AT(zl_as_object, of_gemm, facts)},
};
static const zl_field attention_rows[] = {
    ZL_PART(zl_attention_fields, of_attention, plan),
    {"facts", ZL_MAY, ZL_AT(zl_as_object, of_attention, facts)},
};
const zl_fields zl_gemm_cost_fields = {ZL_ROWS(gemm_rows, of_gemm)};
const zl_fields zl_attention_cost_fields = {ZL_ROWS(attention_rows, of_attention)};

/* ---- the answers -------------------------------------------------------------------- */

static void put_cost(zl_call *call, const zlay_kernel_cost *cost)
{
    const struct {
        const char *key;
        int64_t value;
    } rows[] = {{"ns", cost->ns},
                {"cycles", cost->cycles},
                {"waves", cost->waves},
                {"tile_cycles", cost->tile_cycles},
                {"trip_cycles", cost->trip_cycles},
                {"dram_cycles", cost->dram_cycles}};
    call->value = json_object();
    for (size_t k = 0; k < ZL_COUNT(rows); k++)
        zl_put_value(call, call->value, rows[k].key, zl_json_int(rows[k].value));
    zl_put_value(call, call->value, "bound",
                 json_string(cost->bound < 0 ? "dram" : zlay_machine_unit_name(cost->bound)));
    zl_put_value(call, call->value, "not_measured", zl_json_facts_used(call, cost->facts));
    zl_put_value(call, call->value, "ops_not_measured", zl_json_ops_used(call, cost->ops));
}

/* Reckons with the machine of a target, changed as the request says. */
static zlay_status answer(zl_call *call, const zlay_target *target, const json_t *facts,
                          const zlay_plan *gemm, const zlay_attention_plan *attention)
{
    zlay_allocator alloc = zl_allocator(call->ctx);
    zlay_machine *machine = zl_alloc(call->ctx, 1, sizeof *machine);
    zlay_kernel_cost cost;
    if (!machine) return ZLAY_ENOMEM;
    zlay_machine_find(machine, target);
    zlay_status status = zl_machine_change(call, machine, facts);
    if (!status)
        status = gemm ? zlay_gemm_cycles(call->ctx, &cost, machine, gemm)
                      : zlay_attention_cycles(call->ctx, &cost, machine, attention);
    zl_free(&alloc, machine, sizeof *machine);
    if (!status) put_cost(call, &cost);
    return status;
}

zlay_status zl_op_gemm_cycles(zl_call *call, const void *value)
{
    const of_gemm *a = value;
    zlay_plan *plan = NULL;
    zlay_status status = zl_gemm_made(call, &plan, &a->plan);
    if (!status) status = answer(call, a->plan.target, a->facts, plan, NULL);
    zlay_plan_free(plan);
    return status;
}

zlay_status zl_op_attention_cycles(zl_call *call, const void *value)
{
    const of_attention *a = value;
    zlay_attention_plan *plan = NULL;
    zlay_status status = zl_attention_made(call, &plan, &a->plan);
    if (!status) status = answer(call, a->plan.target, a->facts, NULL, plan);
    zlay_attention_free(plan);
    return status;
}
