/* SPDX-License-Identifier: Apache-2.0 */
/* What a run with a clock asks of a machine: its numbers, and its units, each a queue that serves
 * in the order of requests. */
#include "pipe/cost/cost.h"

#include <stdarg.h>
#include <stdio.h>

enum { MESSAGE = 200 };

void zl_cost_fail(zl_cost *c, zlay_status status, const char *format, ...)
{
    char text[MESSAGE];
    va_list args;
    if (c->status) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->status = zl_fail(c->ctx, status, "%s", text);
    c->again.run->stuck = true;
}

int64_t zl_cost_fact(zl_cost *c, int32_t fact)
{
    const zlay_machine *machine = c->ask->machine;
    int64_t value = 0;
    if (zlay_machine_get(&value, machine, fact) || value < 0) {
        zl_cost_fail(c, ZLAY_NONE, "%s: no document and no measurement says %s",
                     zlay_target_name(machine->target), zlay_machine_fact_name(fact));
        return 0;
    }
    if (machine->facts[fact].basis != ZLAY_BASIS_MEASURED) c->facts |= 1ull << fact;
    return value;
}

int64_t zl_cost_latency(zl_cost *c, int32_t fact)
{
    int64_t value = zl_cost_fact(c, fact);
    if (value <= ZL_COST_CYCLES) return value * ZL_COST_MILLI;
    zl_cost_fail(c, ZLAY_EOVERFLOW, "%s passes 2^40 cycles", zlay_machine_fact_name(fact));
    return 0;
}

bool zl_cost_form(zl_cost *c, zlay_machine_form *out, int32_t op, int32_t type, int32_t m,
                  int32_t n, int32_t k)
{
    const zlay_machine *machine = c->ask->machine;
    if (zlay_machine_form_find(out, machine, op, type, m, n, k) || out->occupancy_milli < 0 ||
        out->latency < 0 || out->unit < 0 || out->unit >= ZLAY_MACHINE_UNITS) {
        const char *name = zlay_machine_op_name(op);
        zl_cost_fail(c, ZLAY_NONE, "%s: no document and no measurement says what %s %dx%dx%d takes",
                     zlay_target_name(machine->target), name ? name : "this op", (int)m, (int)n,
                     (int)k);
        return false;
    }
    if (out->basis != ZLAY_BASIS_MEASURED) c->ops |= 1ull << op;
    if (out->latency <= ZL_COST_CYCLES) return true;
    zl_cost_fail(c, ZLAY_EOVERFLOW, "the latency of %s passes 2^40 cycles", zlay_machine_op_name(op));
    return false;
}

/* a * b / n rounded up; a run whose numbers pass 62 bits fails. */
static int64_t scaled(zl_cost *c, int64_t a, int64_t b, int64_t n)
{
    zl_i128 product = (zl_i128)a * b, value = n > 0 ? -zl_floor_div_128(-product, n) : 0;
    if (n > 0 && value < ZL_COST_TIME) return (int64_t)value;
    zl_cost_fail(c, n > 0 ? ZLAY_EOVERFLOW : ZLAY_NONE,
                 n > 0 ? "times pass 62 bits" : "a rate or a count of units is 0");
    return 0;
}

int64_t zl_cost_bytes(zl_cost *c, int64_t bytes, int64_t kilocycle)
{
    return scaled(c, bytes, (int64_t)ZL_COST_MILLI * ZL_COST_MILLI, kilocycle);
}

int64_t zl_cost_work(zl_cost *c, const zlay_machine_form *form, int64_t instructions)
{
    int64_t count = 0, taken = 0;
    if (zlay_machine_unit_count(&count, c->ask->machine, form->unit))
        zl_cost_fail(c, ZLAY_NONE,
                     "%s: no document and no measurement says how many units %s it has",
                     zlay_target_name(c->ask->machine->target), zlay_machine_unit_name(form->unit));
    if (c->status) return 0;
    if (!zl_mul(instructions, form->units, &taken)) taken = INT64_MAX;
    return scaled(c, taken, form->occupancy_milli, count);
}

int64_t zl_cost_serve(zl_cost *c, int32_t block, int32_t unit, int64_t from, int64_t work)
{
    zl_unit *u = &c->units[block * ZLAY_MACHINE_UNITS + unit];
    if (u->free < from) u->free = from;
    u->free += work;
    u->busy += work;
    if (u->free > ZL_COST_TIME) zl_cost_fail(c, ZLAY_EOVERFLOW, "times pass 62 bits");
    return u->free;
}
