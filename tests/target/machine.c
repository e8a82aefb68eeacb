/* SPDX-License-Identifier: Apache-2.0 */
/* Machines: every number has a basis and a source and lies in bounds that physics sets; what is not known is NONE; an
 * instruction between two rows lies between their costs. */
#include "ctx.h"

#include <limits.h>
#include <stdbool.h>
#include <zlay/hazard.h>

/* What no such device passes by far. */
static const struct {
    int32_t fact;
    int64_t least, most;
} bounds[] = {
    {ZLAY_MACHINE_PROCESSORS, 16, 1024},
    {ZLAY_MACHINE_CLOCK_KHZ, 500000, 3000000},
    {ZLAY_MACHINE_CLOCK_MOST_KHZ, 500000, 3000000},
    {ZLAY_MACHINE_DRAM_KILOCYCLE, 500000, 10000000},
    {ZLAY_MACHINE_L2_KILOCYCLE, 2000000, 40000000},
    {ZLAY_MACHINE_L2_PROCESSOR_KILOCYCLE, 16000, 256000},
    {ZLAY_MACHINE_L1_KILOCYCLE, 32000, 256000},
    {ZLAY_MACHINE_SHARED_KILOCYCLE, 60000, 256000},
    {ZLAY_MACHINE_COPY_KILOCYCLE, 16000, 256000},
    {ZLAY_MACHINE_DRAM_CYCLES, 300, 2000},
    {ZLAY_MACHINE_L2_CYCLES, 100, 800},
    {ZLAY_MACHINE_L1_CYCLES, 20, 200},
    {ZLAY_MACHINE_SHARED_CYCLES, 15, 100},
    {ZLAY_MACHINE_COPY_CYCLES, 200, 2000},
    {ZLAY_MACHINE_L2_BYTES, 1 << 20, 1 << 28},
    {ZLAY_MACHINE_REGISTERS, 32768, 262144},
};

static zlay_machine machine; /* large for a stack */

static void check_value(const char *what, const zlay_machine_value *v)
{
    if (!v->basis) {
        assert_null(v->source);
        assert_int_equal(v->value, 0);
        return;
    }
    if (!zlay_basis_name(v->basis) || !v->source || !*v->source || v->value < 1) fail_msg("%s: no basis, source or value", what);
}

static void check_form(const zlay_machine_form *f)
{
    assert_non_null(zlay_machine_op_name(f->op));
    assert_non_null(zlay_machine_unit_name(f->unit));
    assert_non_null(zlay_basis_name(f->basis));
    assert_non_null(f->source);
    assert_true(f->units >= 1 && machine.units[f->unit].basis && f->units <= machine.units[f->unit].value);
    if (f->occupancy_milli < 200 || f->occupancy_milli > 2000000 || f->latency < 0 || f->latency > 5000)
        fail_msg("%s %s %dx%dx%d: occupancy %lld, latency %lld", zlay_target_name(machine.target), zlay_machine_op_name(f->op), f->m, f->n,
                 f->k, (long long)f->occupancy_milli, (long long)f->latency);
}

/* Each row of each target; no two are of one instruction. */
static void rows(void **state)
{
    const zlay_target *target;
    int known = 0;
    (void)state;
    for (size_t i = 0; (target = zlay_target_nth(i)) != NULL; i++) {
        zlay_status status = zlay_machine_find(&machine, target);
        assert_true(status == ZLAY_OK || status == ZLAY_NONE);
        known += status == ZLAY_OK;
        for (int32_t k = 0; k < ZLAY_MACHINE_FACTS; k++) check_value(zlay_machine_fact_name(k), &machine.facts[k]);
        for (int32_t k = 0; k < ZLAY_MACHINE_UNITS; k++) check_value(zlay_machine_unit_name(k), &machine.units[k]);
        for (uint32_t k = 0; k < machine.forms_count; k++) {
            const zlay_machine_form *f = &machine.forms[k];
            check_form(f);
            for (uint32_t j = 0; j < k; j++) {
                const zlay_machine_form *g = &machine.forms[j];
                if (f->op == g->op && f->type == g->type && f->m == g->m && f->n == g->n && f->k == g->k)
                    fail_msg("%s: two rows of %s", zlay_target_name(target), zlay_machine_op_name(f->op));
            }
        }
        for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
            const zlay_machine_value *v = &machine.facts[bounds[k].fact];
            if (v->basis && (v->value < bounds[k].least || v->value > bounds[k].most))
                fail_msg("%s: %s is %lld", zlay_target_name(target), zlay_machine_fact_name(bounds[k].fact), (long long)v->value);
        }
    }
    assert_true(known >= 5);
}

/* A fact that stands elsewhere is that one. */
static void limits(void **state)
{
    zlay_target_summary info;
    int64_t value;
    (void)state;
    for (size_t i = 0; zlay_target_nth(i); i++) {
        zlay_machine_find(&machine, zlay_target_nth(i));
        assert_int_equal(zlay_target_info(&info, zlay_target_nth(i)), ZLAY_OK);
        assert_int_equal(zlay_machine_get(&value, &machine, ZLAY_MACHINE_SHARED_BLOCK_BYTES), ZLAY_OK);
        assert_int_equal(value, info.smem);
        assert_int_equal(zlay_machine_get(&value, &machine, ZLAY_MACHINE_SHARED_BYTES), ZLAY_OK);
        assert_int_equal(value, info.smem_multiprocessor);
        if (info.register_file && !zlay_machine_get(&value, &machine, ZLAY_MACHINE_REGISTERS)) assert_int_equal(value, info.register_file);
    }
}

static void unknown(void **state)
{
    zlay_machine_form form;
    int64_t value;
    (void)state;
    assert_int_equal(zlay_machine_find(&machine, target_of("sm_120")), ZLAY_NONE);
    assert_int_equal(zlay_machine_get(&value, &machine, ZLAY_MACHINE_CLOCK_KHZ), ZLAY_NONE);
    assert_int_equal(zlay_machine_unit_count(&value, &machine, ZLAY_UNIT_TENSOR), ZLAY_NONE);
    assert_int_equal(zlay_machine_form_find(&form, &machine, ZLAY_OP_FMA, -1, 0, 0, 0), ZLAY_NONE);
    assert_int_equal(zlay_machine_find(&machine, target_of("sm_80")), ZLAY_OK);
    assert_int_equal(zlay_machine_get(&value, &machine, ZLAY_MACHINE_COPY_CYCLES), ZLAY_NONE);
    assert_int_equal(zlay_machine_get(&value, &machine, ZLAY_MACHINE_TMEM_COLUMNS), ZLAY_NONE);
    assert_int_equal(zlay_machine_form_find(&form, &machine, ZLAY_OP_WGMMA, ZLAY_TYPE_BF16, 64, 128, 16), ZLAY_NONE);
    assert_int_equal(zlay_machine_get(&value, &machine, ZLAY_MACHINE_FACTS), ZLAY_EINVAL);
    assert_int_equal(zlay_machine_get(&value, &machine, -1), ZLAY_EINVAL);
    assert_int_equal(zlay_machine_unit_count(&value, &machine, ZLAY_MACHINE_UNITS), ZLAY_EINVAL);
    assert_int_equal(zlay_machine_form_find(&form, &machine, ZLAY_MACHINE_OPS, -1, 0, 0, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_machine_find(NULL, target_of("sm_80")), ZLAY_EINVAL);
    assert_int_equal(zlay_machine_find(&machine, NULL), ZLAY_EINVAL);
    assert_null(zlay_machine_fact_name(ZLAY_MACHINE_FACTS));
    assert_null(zlay_machine_unit_name(-1));
    assert_null(zlay_machine_op_name(ZLAY_MACHINE_OPS));
    assert_null(zlay_basis_name(0));
}

/* Every N of wgmma has a cost; it grows with N, and beside rows it is reckoned. */
static void between(void **state)
{
    zlay_machine_form form, last = {0};
    (void)state;
    assert_int_equal(zlay_machine_find(&machine, target_of("sm_90a")), ZLAY_OK);
    for (int32_t n = 64; n <= 256; n += 8) {
        assert_int_equal(zlay_machine_form_find(&form, &machine, ZLAY_OP_WGMMA, ZLAY_TYPE_BF16, 64, n, 16), ZLAY_OK);
        assert_int_equal(form.n, n);
        assert_true(form.occupancy_milli > last.occupancy_milli);
        assert_true(form.occupancy_milli >= n * 500); /* 64 n 16 products, 2048 of a cycle */
        last = form;
    }
    assert_int_equal(zlay_machine_form_find(&form, &machine, ZLAY_OP_WGMMA, ZLAY_TYPE_BF16, 64, 264, 16), ZLAY_NONE);
    assert_int_equal(zlay_machine_form_find(&form, &machine, ZLAY_OP_WGMMA, ZLAY_TYPE_BF16, 64, 72, 16), ZLAY_OK);
    assert_int_equal(form.basis, ZLAY_BASIS_RECKONED);
    assert_int_equal(zlay_machine_form_find(&form, &machine, ZLAY_OP_WGMMA, ZLAY_TYPE_E5M2, 64, 128, 32), ZLAY_OK);
    assert_int_equal(form.basis, ZLAY_BASIS_RECKONED); /* as e4m3, of as many bits */
}

/* ---- matrix instructions of gfx targets ---------------------------------------------------------- */

static int32_t sum_of(int32_t type) { return type == ZLAY_TYPE_F64 ? ZLAY_TYPE_F64 : type == ZLAY_TYPE_S8 ? ZLAY_TYPE_S32 : ZLAY_TYPE_F32; }

/* Slots of four cycles from the issue of a product to that of a vector instruction that reads its result: the wait states between
 * them, and its own. */
static int64_t slots_of(const zlay_target *target, int32_t type, uint32_t m, uint32_t passes)
{
    zlay_hazard hazard = {ZLAY_FIRST_MATRIX, ZLAY_THEN_VALU_READS, passes, 0};
    uint32_t states;
    if (type == ZLAY_TYPE_F32) hazard.first = ZLAY_FIRST_MATRIX_F32;
    if (type == ZLAY_TYPE_F64) hazard.first = m == 4 ? ZLAY_FIRST_MATRIX_F64_4 : ZLAY_FIRST_MATRIX_F64_16, hazard.passes = 0;
    assert_int_equal(zlay_hazard_states(&states, target, &hazard), ZLAY_OK);
    return states + 1;
}

/* The row of a form of one block has the cycles that its passes take, and the latency that its wait states ask for. */
static bool matrix_row(const zlay_target *target, int32_t type, uint32_t m, uint32_t k)
{
    zlay_mma mma = {.instruction = ZLAY_MMA_MFMA, .m = m, .n = m, .k = k, .a = type, .b = type, .d = sum_of(type), .a_source = ZLAY_SOURCE_REG};
    zlay_mma_form form;
    if (zlay_mma_info(&form, target, &mma) || form.blocks != 1) return false;
    for (uint32_t i = 0; i < machine.forms_count; i++) {
        const zlay_machine_form *f = &machine.forms[i];
        if (f->op != ZLAY_OP_MFMA || f->type != type || f->m != (int32_t)m || f->k != (int32_t)k) continue;
        assert_int_equal(f->n, m);
        assert_int_equal(f->occupancy_milli, form.cycles * 1000);
        assert_int_equal(f->latency, 4 * slots_of(target, type, m, form.passes));
        return true;
    }
    fail_msg("%s has no row of %s, type %d", zlay_target_name(target), form.name, type);
    return false;
}

static void matrix_rows(void **state)
{
    static const char *const names[] = {"gfx90a", "gfx942", "gfx950"};
    (void)state;
    for (size_t t = 0; t < sizeof names / sizeof *names; t++) {
        const zlay_target *target = target_of(names[t]);
        uint32_t found = 0, rows_of = 0;
        assert_int_equal(zlay_machine_find(&machine, target), ZLAY_OK);
        for (int32_t type = 0; type <= ZLAY_TYPE_E5M2_FNUZ; type++)
            for (uint32_t m = 4; m <= 32; m *= 2)
                for (uint32_t k = 1; k <= 256; k *= 2) found += matrix_row(target, type, m, k) ? 1 : 0;
        for (uint32_t i = 0; i < machine.forms_count; i++) rows_of += machine.forms[i].op == ZLAY_OP_MFMA;
        assert_int_equal(found, rows_of);
        assert_true(found >= 9);
    }
}

/* Extreme numbers of a caller are no overflow. */
static void extremes(void **state)
{
    zlay_machine_form form;
    (void)state;
    zlay_machine_find(&machine, target_of("sm_90a"));
    machine.forms_count = 2;
    machine.forms[0] = (zlay_machine_form){.op = ZLAY_OP_MFMA, .type = -1, .n = INT32_MIN, .occupancy_milli = INT64_MAX, .latency = 1};
    machine.forms[1] = (zlay_machine_form){.op = ZLAY_OP_MFMA, .type = -1, .n = INT32_MAX, .occupancy_milli = 1, .latency = INT64_MAX};
    assert_int_equal(zlay_machine_form_find(&form, &machine, ZLAY_OP_MFMA, -1, 0, 0, 0), ZLAY_OK);
    assert_true(form.occupancy_milli > INT64_MAX / 3 && form.latency > INT64_MAX / 3);
    machine.forms_count = UINT32_MAX;
    assert_int_equal(zlay_machine_form_find(&form, &machine, ZLAY_OP_STMATRIX, 99, 7, 7, 7), ZLAY_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows),    cmocka_unit_test(limits),  cmocka_unit_test(unknown),
                                       cmocka_unit_test(between), cmocka_unit_test(matrix_rows), cmocka_unit_test(extremes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
