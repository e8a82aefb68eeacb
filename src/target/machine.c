/* SPDX-License-Identifier: Apache-2.0 */
/* Machines: the rows of machine.def that a target's architecture has, with the capacities that
 * stand in targets.def and limits.def, as one struct. */
#include "target/target.h"

#include <string.h>
#include <zlay/machine.h>

/* ---- rows ------------------------------------------------------------------------------ */

enum {
#define SOURCE(id, text) SOURCE_##id,
#include "target/machine.def"
    SOURCES
};

static const char *const sources[SOURCES] = {
#define SOURCE(id, text) [SOURCE_##id] = text,
#include "target/machine.def"
};

typedef struct count_row {
    uint32_t arch;
    int32_t which, basis;
    int32_t source;
    int64_t value;
} count_row;

static const count_row facts[] = {
#define FACT(arch, fact, value, basis, source)                                                     \
    {arch, ZLAY_MACHINE_##fact, ZLAY_BASIS_##basis, SOURCE_##source, value},
#include "target/machine.def"
};

static const count_row units[] = {
#define UNIT(arch, unit, count, basis, source)                                                     \
    {arch, ZLAY_UNIT_##unit, ZLAY_BASIS_##basis, SOURCE_##source, count},
#include "target/machine.def"
};

typedef struct form_row {
    uint32_t arch;
    int32_t op, type, m, n, k, unit, units;
    int64_t occupancy, latency;
    int32_t basis, source;
} form_row;

#define ANY_TYPE (-1)
enum {
#define TYPE(number, name, bits) TYPE_##number = ZLAY_TYPE_##number,
#include "target/types.def"
#undef TYPE
    TYPE_ANY = ANY_TYPE
};

static const form_row forms[] = {
#define FORM(arch, op, type, m, n, k, unit, units, occupancy, latency, basis, source)              \
    {arch,    ZLAY_OP_##op,       TYPE_##type,    m, n, k, ZLAY_UNIT_##unit, units, occupancy,     \
     latency, ZLAY_BASIS_##basis, SOURCE_##source},
#include "target/machine.def"
};

/* ---- names ----------------------------------------------------------------------------- */

static const char *const fact_names[ZLAY_MACHINE_FACTS] = {
    [ZLAY_MACHINE_PROCESSORS] = "processors",
    [ZLAY_MACHINE_CLOCK_KHZ] = "clock_khz",
    [ZLAY_MACHINE_CLOCK_MOST_KHZ] = "clock_most_khz",
    [ZLAY_MACHINE_DRAM_KILOCYCLE] = "dram_kilocycle",
    [ZLAY_MACHINE_L2_KILOCYCLE] = "l2_kilocycle",
    [ZLAY_MACHINE_L2_TOGETHER_KILOCYCLE] = "l2_together_kilocycle",
    [ZLAY_MACHINE_L2_PROCESSOR_KILOCYCLE] = "l2_processor_kilocycle",
    [ZLAY_MACHINE_L1_KILOCYCLE] = "l1_kilocycle",
    [ZLAY_MACHINE_SHARED_KILOCYCLE] = "shared_kilocycle",
    [ZLAY_MACHINE_COPY_KILOCYCLE] = "copy_kilocycle",
    [ZLAY_MACHINE_DRAM_CYCLES] = "dram_cycles",
    [ZLAY_MACHINE_L2_CYCLES] = "l2_cycles",
    [ZLAY_MACHINE_L1_CYCLES] = "l1_cycles",
    [ZLAY_MACHINE_SHARED_CYCLES] = "shared_cycles",
    [ZLAY_MACHINE_COPY_CYCLES] = "copy_cycles",
    [ZLAY_MACHINE_MBARRIER_CYCLES] = "mbarrier_cycles",
    [ZLAY_MACHINE_ARRIVE_CYCLES] = "arrive_cycles",
    [ZLAY_MACHINE_WAIT_CYCLES] = "wait_cycles",
    [ZLAY_MACHINE_BARRIER_CYCLES] = "barrier_cycles",
    [ZLAY_MACHINE_BLOCK_CYCLES] = "block_cycles",
    [ZLAY_MACHINE_LAUNCH_NS] = "launch_ns",
    [ZLAY_MACHINE_L2_BYTES] = "l2_bytes",
    [ZLAY_MACHINE_SHARED_BLOCK_BYTES] = "shared_block_bytes",
    [ZLAY_MACHINE_SHARED_BYTES] = "shared_bytes",
    [ZLAY_MACHINE_REGISTERS] = "registers",
    [ZLAY_MACHINE_TMEM_COLUMNS] = "tmem_columns",
    [ZLAY_MACHINE_BARRIERS] = "barriers",
    [ZLAY_MACHINE_BLOCKS] = "blocks",
    [ZLAY_MACHINE_WARPS] = "warps",
};

static const char *const unit_names[ZLAY_MACHINE_UNITS] = {
    [ZLAY_UNIT_ISSUE] = "issue",     [ZLAY_UNIT_FMA] = "fma",
    [ZLAY_UNIT_INTEGER] = "integer", [ZLAY_UNIT_SPECIAL] = "special",
    [ZLAY_UNIT_CONVERT] = "convert", [ZLAY_UNIT_SHUFFLE] = "shuffle",
    [ZLAY_UNIT_TENSOR] = "tensor",   [ZLAY_UNIT_SHARED] = "shared",
    [ZLAY_UNIT_COPY] = "copy",       [ZLAY_UNIT_GLOBAL] = "global",
};

static const char *const op_names[ZLAY_MACHINE_OPS] = {
    [ZLAY_OP_WGMMA] = "wgmma",
    [ZLAY_OP_WGMMA_REGISTERS] = "wgmma.registers",
    [ZLAY_OP_TCGEN05] = "tcgen05.mma",
    [ZLAY_OP_MMA_SYNC] = "mma.sync",
    [ZLAY_OP_MFMA] = "mfma",
    [ZLAY_OP_LD_SHARED] = "ld.shared",
    [ZLAY_OP_ST_SHARED] = "st.shared",
    [ZLAY_OP_LDMATRIX] = "ldmatrix",
    [ZLAY_OP_STMATRIX] = "stmatrix",
    [ZLAY_OP_LD_GLOBAL] = "ld.global",
    [ZLAY_OP_ST_GLOBAL] = "st.global",
    [ZLAY_OP_EX2] = "ex2",
    [ZLAY_OP_RCP] = "rcp",
    [ZLAY_OP_FMA] = "fma",
    [ZLAY_OP_INTEGER] = "integer",
    [ZLAY_OP_CVT] = "cvt",
    [ZLAY_OP_SHFL] = "shfl",
    [ZLAY_OP_CP_ASYNC] = "cp.async",
    [ZLAY_OP_BULK] = "bulk",
    [ZLAY_OP_TENSOR_COPY] = "tensor.copy",
    [ZLAY_OP_TMEM_LD] = "tcgen05.ld",
    [ZLAY_OP_TMEM_ST] = "tcgen05.st",
};

static const char *name_at(const char *const *names, int32_t count, int32_t at)
{
    return at >= 0 && at < count ? names[at] : NULL;
}

const char *zlay_machine_fact_name(int32_t fact)
{
    return name_at(fact_names, ZLAY_MACHINE_FACTS, fact);
}

const char *zlay_machine_unit_name(int32_t unit)
{
    return name_at(unit_names, ZLAY_MACHINE_UNITS, unit);
}

const char *zlay_machine_op_name(int32_t op)
{
    return name_at(op_names, ZLAY_MACHINE_OPS, op);
}

/* ---- a machine ------------------------------------------------------------------------- */

static bool put_counts(zlay_machine_value *out, const count_row *rows, size_t count, uint32_t arch)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const count_row *row = &rows[i];
        if (row->arch != arch) continue;
        out[row->which] = (zlay_machine_value){row->value, row->basis, sources[row->source]};
        any = true;
    }
    return any;
}

static void put_forms(zlay_machine *out, uint32_t arch)
{
    for (size_t i = 0; i < ZL_COUNT(forms); i++) {
        const form_row *row = &forms[i];
        if (row->arch != arch || out->forms_count == ZLAY_MACHINE_FORMS_MOST) continue;
        out->forms[out->forms_count++] = (zlay_machine_form){.op = row->op,
                                                             .type = row->type,
                                                             .m = row->m,
                                                             .n = row->n,
                                                             .k = row->k,
                                                             .unit = row->unit,
                                                             .units = row->units,
                                                             .basis = row->basis,
                                                             .occupancy_milli = row->occupancy,
                                                             .latency = row->latency,
                                                             .source = sources[row->source]};
    }
}

/* What other tables have. */
static void put_limits(zlay_machine *out)
{
    const zlay_target *t = out->target;
    out->facts[ZLAY_MACHINE_SHARED_BLOCK_BYTES] = (zlay_machine_value){
        (int64_t)t->smem, ZLAY_BASIS_DOCUMENTED, "targets.def, of dynamic shared memory"};
    out->facts[ZLAY_MACHINE_SHARED_BYTES] =
        (zlay_machine_value){(int64_t)zl_smem_window(t), ZLAY_BASIS_DOCUMENTED,
                             "targets.def, with what the system keeps of a block's"};
}

zlay_status zlay_machine_find(zlay_machine *out, const zlay_target *target)
{
    if (!out) return ZLAY_EINVAL;
    memset(out, 0, sizeof *out);
    if (!target) return ZLAY_EINVAL;
    out->target = target;
    put_limits(out);
    bool any = put_counts(out->facts, facts, ZL_COUNT(facts), target->arch);
    put_counts(out->units, units, ZL_COUNT(units), target->arch);
    put_forms(out, target->arch);
    return any ? ZLAY_OK : ZLAY_NONE;
}

static zlay_status value_at(int64_t *out, const zlay_machine_value *values, int32_t count,
                            int32_t at)
{
    *out = 0;
    if (at < 0 || at >= count) return ZLAY_EINVAL;
    if (!values[at].basis) return ZLAY_NONE;
    *out = values[at].value;
    return ZLAY_OK;
}

zlay_status zlay_machine_get(int64_t *out, const zlay_machine *machine, int32_t fact)
{
    if (!out || !machine) return ZLAY_EINVAL;
    return value_at(out, machine->facts, ZLAY_MACHINE_FACTS, fact);
}

zlay_status zlay_machine_unit_count(int64_t *out, const zlay_machine *machine, int32_t unit)
{
    if (!out || !machine) return ZLAY_EINVAL;
    return value_at(out, machine->units, ZLAY_MACHINE_UNITS, unit);
}

/* ---- instructions ---------------------------------------------------------------------- */

/* How well a row's type fits: 2 the type itself, 1 as many bits, 0 not. */
static int fits(int32_t row, int32_t type)
{
    if (row == ANY_TYPE || row == type) return 2;
    return type >= 0 && zlay_type_bits(row) == zlay_type_bits(type);
}

typedef struct nearest {
    const zlay_machine_form *below, *above; /* rows of the n next to the one asked for */
} nearest;

static nearest look(const zlay_machine *machine, const zlay_machine_form *ask, int fit)
{
    nearest found = {NULL, NULL};
    for (uint32_t i = 0; i < machine->forms_count && i < ZLAY_MACHINE_FORMS_MOST; i++) {
        const zlay_machine_form *row = &machine->forms[i];
        if (row->op != ask->op || row->m != ask->m || row->k != ask->k) continue;
        if (fits(row->type, ask->type) != fit) continue;
        if (row->n <= ask->n && (!found.below || row->n > found.below->n)) found.below = row;
        if (row->n >= ask->n && (!found.above || row->n < found.above->n)) found.above = row;
    }
    return found;
}

/* a + (b - a) over / of, rounded up; what is not known stays so. */
static int64_t between(int64_t a, int64_t b, int64_t over, int64_t of)
{
    if (!a || !b) return 0;
    zl_i128 rise = ((zl_i128)b - a) * over;
    return (int64_t)(a - zl_floor_div_128(-rise, of));
}

zlay_status zlay_machine_form_find(zlay_machine_form *out, const zlay_machine *machine, int32_t op,
                                   int32_t type, int32_t m, int32_t n, int32_t k)
{
    if (!out) return ZLAY_EINVAL;
    memset(out, 0, sizeof *out);
    if (!machine || op < 0 || op >= ZLAY_MACHINE_OPS) return ZLAY_EINVAL;
    const zlay_machine_form ask = {.op = op, .type = type, .m = m, .n = n, .k = k};
    nearest found = look(machine, &ask, 2);
    bool exact = found.below && found.above;
    if (!exact) found = look(machine, &ask, 1);
    if (!found.below || !found.above) return ZLAY_NONE;
    *out = *found.below;
    out->type = type;
    out->n = n;
    if (!exact) out->basis = ZLAY_BASIS_RECKONED;
    if (found.below->n == n) return ZLAY_OK;
    int64_t over = (int64_t)n - found.below->n, of = (int64_t)found.above->n - found.below->n;
    out->basis = ZLAY_BASIS_RECKONED;
    out->occupancy_milli =
        between(found.below->occupancy_milli, found.above->occupancy_milli, over, of);
    out->latency = between(found.below->latency, found.above->latency, over, of);
    return ZLAY_OK;
}
