/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a request: checks every field, finds who writes and who reads each value, and reckons what
 * a value takes of each place. */
#include "base/request.h"
#include "synth/places/place.h"

#include <string.h>
#include <zlay/tmem.h>

enum { THREADS = 128, BITS_MOST = 64, NAME_MOST = 64, COST_BITS = 20, WEIGHT_BITS = 36 };
enum { SUM_BITS = 43, LANES = 128, CELL = 32, DIMENSIONS = 3 };

static zlay_status refuse(const zl_place_program *p, uint32_t v, const char *why)
{
    char name[96];
    return zl_fail(p->ctx, ZLAY_EINVAL, "value %s, %s", zl_place_value_name(name, p, v), why);
}

static bool one_place(uint32_t set) { return set && !(set & (set - 1)) && set < ZL_PLACE_SETS; }

static zlay_status value_check(const zl_place_program *p, uint32_t v)
{
    const zlay_places_value *value = &p->r.value[v];
    if (value->name && strlen(value->name) > NAME_MOST)
        return zl_fail(p->ctx, ZLAY_EINVAL, "value %u, name: it is longer than 64 bytes", v);
    if (!value->rows || !value->columns) return refuse(p, v, "rows and columns are at least 1");
    if (!value->bits || value->bits > BITS_MOST) return refuse(p, v, "bits are 1 to 64");
    if (value->from && !one_place(value->from)) return refuse(p, v, "from is one place");
    if (value->to >= ZL_PLACE_SETS) return refuse(p, v, "to is a set of places");
    if (value->same >> DIMENSIONS) return refuse(p, v, "same is a set of dimensions 0 to 2");
    if (value->same && value->from != ZLAY_PLACE_GLOBAL)
        return refuse(p, v, "same is of values that begin in global memory");
    return value->reserved ? refuse(p, v, "reserved is 0") : ZLAY_OK;
}

/* ---- who writes, who reads ------------------------------------------------------------------ */

static zlay_status operation_check(zl_place_program *p, uint32_t o)
{
    const zlay_places_operation *op = &p->r.operation[o];
    bool known;
    if (!op->form) return zl_fail(p->ctx, ZLAY_EINVAL, "operation %u has no form", o);
    if (!op->reads || op->reads > ZLAY_PLACES_READS || !op->writes ||
        op->writes > ZLAY_PLACES_WRITES || op->reserved)
        return zl_fail(p->ctx, ZLAY_EINVAL, "operation %u reads 1 to %d values and writes 1 to %d",
                       o, ZLAY_PLACES_READS, ZLAY_PLACES_WRITES);
    p->rows[o] = zl_place_forms(p->target, op->form, &known);
    if (!known) {
        char quoted[256];
        zl_like like = zl_like_begin(op->form, strlen(op->form));
        for (uint32_t i = 0; zl_place_form_at(i); i++) {
            zl_like_offer(&like, zl_place_form_at(i)->name);
            zl_like_offer(&like, zl_place_form_at(i)->kind);
        }
        return zl_fail(p->ctx, ZLAY_EINVAL, "operation %u, form: none is called '%s'%s", o,
                       zl_quote(quoted, op->form, strlen(op->form)), like.hint);
    }
    if (!p->rows[o])
        return zl_fail(p->ctx, ZLAY_NONE, "operation %u: %s has no %s", o,
                       zlay_target_name(p->target), op->form);
    return ZLAY_OK;
}

/* Drops the forms that do not take as many operands. */
static zlay_status arity_check(zl_place_program *p, uint32_t o)
{
    const zlay_places_operation *op = &p->r.operation[o];
    for (uint32_t f = 0; zl_place_form_at(f); f++) {
        const zl_place_form *form = zl_place_form_at(f);
        bool takes = op->reads >= form->least;
        for (uint32_t i = 0; i < op->reads; i++) takes = takes && zl_place_operand(form, i);
        if (!takes) p->rows[o] &= ~(1u << f);
    }
    if (p->rows[o]) return ZLAY_OK;
    return zl_fail(p->ctx, ZLAY_EINVAL, "operation %u: %s does not take %u operands", o, op->form,
                   op->reads);
}

static zlay_status writers_find(zl_place_program *p, uint32_t o)
{
    const zlay_places_operation *op = &p->r.operation[o];
    for (uint32_t i = 0; i < op->writes; i++) {
        uint32_t v = op->write[i];
        if (v >= p->r.values)
            return zl_fail(p->ctx, ZLAY_EINVAL, "operation %u writes value %u, of %u", o, v,
                           p->r.values);
        if (p->value[v].writer != UINT32_MAX) return refuse(p, v, "it is written twice");
        if (p->r.value[v].from) return refuse(p, v, "it has `from`, and is written");
        p->value[v].writer = o;
    }
    return ZLAY_OK;
}

static bool in_loop(const zl_place_program *p, uint32_t o)
{
    return o >= p->r.loop_first && o - p->r.loop_first < p->r.loop_count;
}

/* Whether a result takes the place of an operand in every form that is left. */
static bool all_replace(const zl_place_program *p, uint32_t o, uint32_t i)
{
    for (uint32_t f = 0; zl_place_form_at(f); f++) {
        const zl_place_form *form = zl_place_form_at(f);
        if (p->rows[o] >> f & 1 && !form->in_place && form->sum != (int32_t)i) return false;
    }
    return true;
}

static zlay_status readers_find(zl_place_program *p, uint32_t o)
{
    const zlay_places_operation *op = &p->r.operation[o];
    for (uint32_t i = 0; i < op->reads; i++) {
        uint32_t v = op->read[i];
        if (v >= p->r.values)
            return zl_fail(p->ctx, ZLAY_EINVAL, "operation %u reads value %u, of %u", o, v,
                           p->r.values);
        zl_place_value *value = &p->value[v];
        bool carried = value->writer != UINT32_MAX && value->writer >= o;
        if (value->writer == o && !all_replace(p, o, i))
            return refuse(p, v, "an operation reads what it writes, and does not replace it");
        if (carried && !(in_loop(p, o) && in_loop(p, value->writer)))
            return refuse(p, v, "it is read before it is written, and not in the loop");
        value->reader[value->readers++] = (zl_place_reader){(uint8_t)o, (uint8_t)i};
    }
    return ZLAY_OK;
}

/* ---- sizes ---------------------------------------------------------------------------------- */

static uint32_t clamp32(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static zlay_status size_find(zl_place_program *p, uint32_t v)
{
    const zlay_places_value *in = &p->r.value[v];
    zl_place_value *out = &p->value[v];
    uint64_t bits, times = in->times ? in->times : 1, slots = 4ull * p->r.threads;
    if (__builtin_mul_overflow((uint64_t)in->rows * in->columns, in->bits, &bits) ||
        __builtin_mul_overflow((bits / 8) + (bits % 8 != 0), times, &out->weight) ||
        out->weight >> WEIGHT_BITS)
        return zl_fail(p->ctx, ZLAY_EOVERFLOW, "value %u: its bytes pass 2^36", v);
    out->bytes = out->weight / times;
    out->depth = in->depth ? in->depth : 1;
    uint64_t columns = ((uint64_t)in->columns * in->bits + CELL - 1) / CELL;
    columns *= ((uint64_t)in->rows + LANES - 1) / LANES;
    out->room[ZL_SHARED] = (uint32_t)((out->bytes + ZL_PLACE_UNIT - 1) / ZL_PLACE_UNIT);
    out->room[ZL_CLUSTER] = out->room[ZL_SHARED];
    out->room[ZL_REGISTER] = clamp32((out->bytes + slots - 1) / slots);
    out->room[ZL_TENSOR] = clamp32(columns);
    return ZLAY_OK;
}

/* An operation is done as often as there are tiles of the value of which it has most. */
static void runs_find(zl_place_program *p, uint32_t o)
{
    const zlay_places_operation *op = &p->r.operation[o];
    p->runs[o] = 1;
    for (uint32_t i = 0; i < op->reads + op->writes; i++) {
        uint32_t v = i < op->reads ? op->read[i] : op->write[i - op->reads];
        if (p->r.value[v].times > p->runs[o]) p->runs[o] = p->r.value[v].times;
    }
}

/* Costs of all that may be moved and read stay below 2^63. */
static zlay_status sums_check(const zl_place_program *p)
{
    uint64_t sum = 0, most = 1ull << SUM_BITS;
    for (uint32_t v = 0; v < p->r.values; v++) {
        const zl_place_value *value = &p->value[v];
        sum += value->weight * 3 * ZL_PLACES;
        for (uint32_t k = 0; k < value->readers; k++) {
            uint32_t op = value->reader[k].op;
            uint64_t runs = op < p->r.operations ? p->runs[op] : 0;
            if (runs > most / value->bytes || sum > most)
                return zl_fail(p->ctx, ZLAY_EOVERFLOW, "bytes that all operations read pass 2^43");
            sum += value->bytes * runs;
        }
    }
    if (sum <= most) return ZLAY_OK;
    return zl_fail(p->ctx, ZLAY_EOVERFLOW, "bytes that all operations read pass 2^43");
}

void zl_place_capacity(zl_place_program *p)
{
    p->capacity[ZL_SHARED] = clamp32(p->r.smem / ZL_PLACE_UNIT);
    p->capacity[ZL_REGISTER] = p->r.registers;
    p->capacity[ZL_TENSOR] = p->target->features & ZL_HAS_TCGEN05 ? p->r.tmem : 0;
    p->capacity[ZL_CLUSTER] = zl_place_clusters(p) ? p->capacity[ZL_SHARED] : 0;
    p->capacity[ZL_GLOBAL] = 0;
}

/* ---- the request ---------------------------------------------------------------------------- */

static zlay_status numbers_check(zl_place_program *p)
{
    zlay_places_request *r = &p->r;
    const zlay_target_summary *most = zl_target_limits(p->target);
    const char *wrong = NULL;
    bool clusters = p->target->features & ZL_HAS_CLUSTER;
    if (!r->threads) r->threads = THREADS;
    uint32_t limit = most->register_file / r->threads;
    if (!limit || limit > most->registers) limit = most->registers;
    if (!r->registers) r->registers = limit;
    if (!r->smem) r->smem = p->target->smem;
    if (!r->tmem) r->tmem = ZLAY_TMEM_COLUMNS;
    if (!r->cluster) r->cluster = clusters ? most->cluster : 1;
    for (int d = 0; d < DIMENSIONS && (r->grid[0] || r->grid[1] || r->grid[2]); d++)
        if (!r->grid[d]) r->grid[d] = 1;
    if (r->threads > most->threads) wrong = "threads: a block has fewer";
    else if (r->registers > limit) wrong = "registers: a thread has fewer";
    else if (r->smem > p->target->smem || r->smem < ZL_PLACE_UNIT)
        wrong = "smem: it is 128 bytes to what a block has";
    else if (r->tmem & (r->tmem - 1) || r->tmem < CELL || r->tmem > ZLAY_TMEM_COLUMNS)
        wrong = "tmem: it is a power of two from 32 to 512";
    else if (r->cluster > (clusters ? most->cluster_most : 1))
        wrong = clusters ? "cluster: there are fewer blocks in one" : "cluster: there are none";
    else if (r->loop_count > r->operations || r->loop_first > r->operations - r->loop_count)
        wrong = "loop: it ends behind the last operation";
    else if (r->has_cost > 1 || r->pad) wrong = "has_cost is 0 or 1, and pad 0";
    for (uint32_t i = 0; i < ZL_PLACES; i++)
        if (r->cost[i] >> COST_BITS) wrong = "cost: it is below 2^20";
    if (!wrong) return ZLAY_OK;
    return zl_fail(p->ctx, ZLAY_EINVAL, "%s (target %s)", wrong, zlay_target_name(p->target));
}

static zlay_status counts_check(const zl_place_program *p)
{
    const zlay_places_request *r = &p->r;
    if (!r->values || r->values > ZLAY_PLACES_VALUES)
        return zl_fail(p->ctx, ZLAY_EINVAL, "values: %u, of 1 to %d", r->values,
                       ZLAY_PLACES_VALUES);
    if (!r->operations || r->operations > ZLAY_PLACES_OPERATIONS)
        return zl_fail(p->ctx, ZLAY_EINVAL, "operations: %u, of 1 to %d", r->operations,
                       ZLAY_PLACES_OPERATIONS);
    if (!r->value || !r->operation)
        return zl_fail(p->ctx, ZLAY_EINVAL, "value and operation are not NULL");
    return ZLAY_OK;
}

static zlay_status program_read(zl_place_program *p)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t v = 0; !status && v < p->r.values; v++) {
        p->value[v].writer = UINT32_MAX;
        p->value[v].group = 1;
        status = value_check(p, v);
    }
    for (uint32_t o = 0; !status && o < p->r.operations; o++) {
        status = operation_check(p, o);
        if (!status) status = arity_check(p, o);
        if (!status) status = writers_find(p, o);
    }
    for (uint32_t o = 0; !status && o < p->r.operations; o++) {
        status = readers_find(p, o);
        if (!status) runs_find(p, o);
    }
    for (uint32_t v = 0; !status && v < p->r.values; v++) {
        zl_place_value *value = &p->value[v];
        if (value->writer == UINT32_MAX && !p->r.value[v].from)
            return refuse(p, v, "no operation writes it, and it has no `from`");
        if (p->r.value[v].to)
            value->reader[value->readers++] =
                (zl_place_reader){(uint8_t)p->r.operations, (uint8_t)v};
        status = size_find(p, v);
    }
    return status ? status : sums_check(p);
}

/* What each move and each byte costs on the target. */
static zlay_status costs_find(zl_place_program *p)
{
    zlay_machine *machine = zl_scratch(p->ctx, 1, sizeof *machine);
    if (!machine) return ZLAY_ENOMEM;
    zlay_status status = zlay_machine_find(machine, p->target);
    for (uint32_t from = 0; from < ZL_PLACES; from++) {
        p->cost[from] = p->r.has_cost ? p->r.cost[from] : zl_place_byte(machine, from);
        for (uint32_t to = 0; to < ZL_PLACES; to++) {
            p->move[from][to] = zl_place_move_of(p->target, from, to);
            if (p->move[from][to].by) p->moves[from] |= 1u << to;
        }
    }
    return status == ZLAY_NONE ? ZLAY_OK : status;
}

zlay_status zl_place_read(zl_place_program *p, const zlay_target *target,
                            const zlay_places_request *request)
{
    static const zl_request_form form = {"zlay_places_request",
                                         sizeof p->r,
                                         offsetof(zlay_places_request, reserved),
                                         {ZL_RESERVED(zlay_places_request, reserved)}};
    zlay_status status = zl_request_read(p->ctx, &p->r, request, &form);
    p->target = target;
    if (!status) status = counts_check(p);
    if (!status) status = numbers_check(p);
    if (!status) status = program_read(p);
    if (status) return status;
    zl_place_capacity(p);
    return costs_find(p);
}
