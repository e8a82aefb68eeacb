/* SPDX-License-Identifier: Apache-2.0 */
/* machine.info: the numbers of a machine, each with its basis and its source, and numbers that a
 * request gives in their place. */
#include "json/json.h"

#include <string.h>

/* ---- the answer ---------------------------------------------------------------- */

static void put_basis(zl_call *call, json_t *row, int32_t basis, const char *source)
{
    zl_put_value(call, row, "basis", json_string(zlay_basis_name(basis)));
    zl_put_value(call, row, "source", json_string(source));
}

typedef const char *namer(int32_t number);

/* Numbers that are known, under their names. */
static json_t *values_of(zl_call *call, const zlay_machine_value *values, int32_t count,
                         namer *name)
{
    json_t *list = json_object();
    for (int32_t k = 0; k < count; k++) {
        if (!values[k].basis) continue;
        json_t *row = json_object();
        zl_put_value(call, row, "value", zl_json_int(values[k].value));
        put_basis(call, row, values[k].basis, values[k].source);
        zl_put_value(call, list, name(k), row);
    }
    return list;
}

static json_t *form_value(zl_call *call, const zlay_machine_form *form)
{
    json_t *row = json_object();
    zl_put_value(call, row, "op", json_string(zlay_machine_op_name(form->op)));
    zl_put_value(call, row, "type",
                 form->type < 0 ? json_null() : json_string(zlay_type_name(form->type)));
    zl_put_value(call, row, "shape", zl_json_three(call, form->m, form->n, form->k));
    zl_put_value(call, row, "unit", json_string(zlay_machine_unit_name(form->unit)));
    zl_put_value(call, row, "units", json_integer(form->units));
    zl_put_value(call, row, "occupancy_milli", zl_json_int(form->occupancy_milli));
    zl_put_value(call, row, "latency", form->latency ? zl_json_int(form->latency) : json_null());
    put_basis(call, row, form->basis, form->source);
    return row;
}

/* ---- the request ----------------------------------------------------------------- */

typedef struct about {
    const zlay_target *target;
} about;

static const zl_field about_rows[] = {ZL_TARGET(about)};
const zl_fields zl_machine_fields = {ZL_ROWS(about_rows, about)};

zlay_status zl_op_machine_info(zl_call *call, const void *asked)
{
    const zlay_target *target = ((const about *)asked)->target;
    zlay_machine *machine = zl_scratch(call->ctx, 1, sizeof *machine);
    if (!machine) return ZLAY_ENOMEM;
    if (zlay_machine_find(machine, target))
        return zl_fail(call->ctx, ZLAY_NONE,
                       "%s: no document and no measurement says how fast it is",
                       zlay_target_name(target));
    json_t *forms = json_array();
    for (uint32_t k = 0; k < machine->forms_count; k++)
        zl_put_item(call, forms, form_value(call, &machine->forms[k]));
    call->value = json_object();
    zl_put_value(call, call->value, "target", json_string(zlay_target_name(target)));
    zl_put_value(call, call->value, "facts",
                 values_of(call, machine->facts, ZLAY_MACHINE_FACTS, zlay_machine_fact_name));
    zl_put_value(call, call->value, "units",
                 values_of(call, machine->units, ZLAY_MACHINE_UNITS, zlay_machine_unit_name));
    zl_put_value(call, call->value, "forms", forms);
    return ZLAY_OK;
}

/* ---- numbers of a request ---------------------------------------------------------- */

static int32_t number_of(namer *name, int32_t count, const char *key)
{
    for (int32_t k = 0; k < count; k++)
        if (!strcmp(name(k), key)) return k;
    return -1;
}

zlay_status zl_machine_change(zl_call *call, zlay_machine *machine, const json_t *facts)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)facts, key, value)
    {
        int32_t fact = number_of(zlay_machine_fact_name, ZLAY_MACHINE_FACTS, key);
        int64_t number;
        char quoted[256];
        if (fact < 0)
            return zl_fail(call->ctx, ZLAY_EINVAL, "field 'facts': a machine has no '%s'",
                           zl_quote(quoted, key, strlen(key)));
        if (!zl_json_i64(value, &number) || number < 0)
            return zl_fail(call->ctx, ZLAY_EINVAL, "field 'facts': '%s' is no integer from 0 on",
                           key);
        machine->facts[fact] = (zlay_machine_value){number, ZLAY_BASIS_RECKONED, "the request"};
    }
    return ZLAY_OK;
}

/* ---- what was used ------------------------------------------------------------------- */

static json_t *names_of(zl_call *call, uint64_t bits, int32_t count, namer *name)
{
    json_t *list = json_array();
    for (int32_t k = 0; k < count; k++)
        if (bits >> k & 1) zl_put_item(call, list, json_string(name(k)));
    return list;
}

json_t *zl_json_facts_used(zl_call *call, uint64_t bits)
{
    return names_of(call, bits, ZLAY_MACHINE_FACTS, zlay_machine_fact_name);
}

json_t *zl_json_ops_used(zl_call *call, uint64_t bits)
{
    return names_of(call, bits, ZLAY_MACHINE_OPS, zlay_machine_op_name);
}
