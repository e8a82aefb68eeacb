/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction forms: ids, texts, verdicts; a part is put to ptxas, oracle/instruction puts the whole. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "instruction.h"

static uint32_t forms[FORMS_MOST], count;

static int forms_read(void **unused)
{
    (void)unused;
    count = forms_all(forms);
    return 0;
}

static const char *rule_name(int32_t number)
{
    zlay_rule rule;
    assert_int_equal(zlay_rule_info(&rule, number), ZLAY_OK);
    return rule.id;
}

static uint32_t form(const char *name)
{
    uint32_t number = 0;
    if (zlay_instruction_find(&number, name, strlen(name))) fail_msg("no form %s", name);
    return number;
}

/* ---- the example of the header -------------------------------------------------- */

static uint32_t setmaxnreg(const char *on, uint32_t ptx, int64_t registers, zlay_reason *reasons)
{
    zlay_verdict v;
    zlay_instruction asked = {form("setmaxnreg.inc"), ptx, 1, 0,
                              {{ZLAY_FIELD_REGISTERS, 0, registers}}};
    assert_int_equal(zlay_instruction_check(&v, reasons, 8, target_of(on), &asked), ZLAY_OK);
    assert_int_equal(v.answer, v.broken ? ZLAY_NO : ZLAY_YES);
    assert_int_equal(v.broken, v.reasons);
    return v.reasons;
}

static void the_header_says(void **state)
{
    (void)state;
    zlay_reason r[8];
    char text[128];
    zlay_buf buf = {text, sizeof text, 0};
    assert_int_equal(zlay_instruction_print(&buf, form("setmaxnreg.inc"), NULL, 0), ZLAY_OK);
    assert_string_equal(text, "setmaxnreg.inc.sync.aligned.u32 registers;");
    assert_int_equal(setmaxnreg("sm_90a", 0, 40, r), 0);
    assert_int_equal(setmaxnreg("sm_90a", 80, 40, r), 0);
    assert_int_equal(setmaxnreg("sm_90a", 0, 44, r), 1);
    assert_string_equal(rule_name(r[0].rule), "INSTR_REGISTERS_8");
    assert_int_equal(r[0].fix_value, 48);
    assert_int_equal(setmaxnreg("sm_90a", 0, 272, r), 1);
    assert_string_equal(rule_name(r[0].rule), "INSTR_REGISTERS");
    assert_int_equal(r[0].fix_value, 256);
    assert_int_equal(setmaxnreg("sm_90", 0, 40, r), 1);
    assert_string_equal(rule_name(r[0].rule), "INSTR_TARGET");
    assert_int_equal(setmaxnreg("sm_90a", 78, 40, r), 2);
    assert_string_equal(rule_name(r[0].rule), "INSTR_PTX");
    assert_string_equal(rule_name(r[1].rule), "INSTR_PTX_TARGET");
    assert_int_equal(r[0].fix_value, 80);
    assert_int_equal(r[0].fix_keeps, ZLAY_KEEPS_ALL);
}

/* cvt of e4m3x2 came to sm_90 with PTX 7.8, to sm_89 with 8.1. */
static void a_target_may_get_a_form_later(void **state)
{
    (void)state;
    static const struct {
        const char *on;
        uint32_t ptx;
        zlay_answer answer;
    } rows[] = {{"sm_80", 90, ZLAY_NO},  {"sm_89", 80, ZLAY_NO},  {"sm_89", 81, ZLAY_YES},
                {"sm_90", 78, ZLAY_YES}, {"sm_90a", 80, ZLAY_YES}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_verdict v;
        zlay_reason r[4];
        zlay_instruction asked = {.form = form("cvt.rn.satfinite.e4m3x2.f32"), .ptx = rows[i].ptx};
        assert_int_equal(zlay_instruction_check(&v, r, 4, target_of(rows[i].on), &asked), ZLAY_OK);
        assert_int_equal(v.answer, rows[i].answer);
        if (i == 1) assert_string_equal(rule_name(r[0].rule), "INSTR_PTX");
        if (i == 1) assert_int_equal(r[0].fix_value, 81);
    }
}

/* ---- the table ------------------------------------------------------------------ */

static void every_id_finds_its_form(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = 0;
        const char *id = form_id(forms[i]);
        assert_int_equal(zlay_instruction_find(&number, id, strlen(id)), ZLAY_OK);
        if (number != forms[i]) fail_msg("%s finds %s", id, form_id(number));
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* No instruction has two ids, but where a constant's range splits a form. */
static void every_text_is_of_one_form(void **state)
{
    (void)state;
    static char *lines[FORMS_MOST];
    static char line[LINE_ROOM];
    uint32_t same = 0;
    for (uint32_t i = 0; i < count; i++) {
        form_line(line, forms[i], NULL, 0);
        assert_non_null(lines[i] = strdup(line));
    }
    qsort(lines, count, sizeof *lines, by_text);
    for (uint32_t i = 1; i < count; i++)
        if (!strcmp(lines[i - 1], lines[i])) same++, print_error("twice: %s", lines[i]);
    for (uint32_t i = 0; i < count; i++) free(lines[i]);
    assert_int_equal(same, 0);
}

/* The opcode of a text, up to its first blank or its end, finds a form with the same opcode. */
static void every_opcode_finds_a_form(void **state)
{
    (void)state;
    static char text[LINE_ROOM], other[LINE_ROOM];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = 0;
        zlay_buf a = {text, sizeof text, 0}, b = {other, sizeof other, 0};
        assert_int_equal(zlay_instruction_print(&a, forms[i], NULL, 0), ZLAY_OK);
        size_t length = strcspn(text, " ;");
        if (zlay_instruction_find(&number, text, length)) fail_msg("no form is a %s", text);
        assert_int_equal(zlay_instruction_print(&b, number, NULL, 0), ZLAY_OK);
        if (strcspn(other, " ;") != length || memcmp(text, other, length) != 0)
            fail_msg("%s finds %s", text, other);
    }
}

/* Legal on some target, or refused there by nothing but the documents' silence. */
static bool somewhere(uint32_t number, uint32_t version)
{
    zlay_verdict v;
    zlay_reason r[4];
    zlay_instruction asked = {.form = number, .ptx = version};
    size_t targets = 0;
    bool last_first = of_gfx(number);
    while (zlay_target_nth(targets)) targets++;
    for (size_t i = 0; i < targets; i++) {
        const zlay_target *on = zlay_target_nth(last_first ? targets - 1 - i : i);
        assert_int_equal(zlay_instruction_check(&v, r, 4, on, &asked), ZLAY_OK);
        if (v.answer == ZLAY_YES) return true;
        if (v.reasons == 1 && !strcmp(rule_name(r[0].rule), "INSTR_TARGET_SAID")) return true;
    }
    return false;
}

static void every_form_is_somewhere_and_has_its_operands(void **state)
{
    (void)state;
    zlay_operand o;
    zlay_form about;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(zlay_instruction_info(&about, forms[i]), ZLAY_OK);
        if (!somewhere(forms[i], 0) || (about.ptx && !somewhere(forms[i], 90)))
            fail_msg("%s is on no target", form_id(forms[i]));
        assert_true(*about.targets != 0);
        for (uint32_t k = 0; k < about.operands; k++) {
            assert_int_equal(zlay_instruction_operand_nth(&o, forms[i], k), ZLAY_OK);
            assert_in_range(strlen(o.name), 1, 15);
            if (o.field) assert_string_equal(o.name, zlay_field_name(o.field));
            if (o.cls == 'i' && !o.field)
                fail_msg("%s: the immediate %s has no rule", form_id(forms[i]), o.name);
        }
        assert_int_equal(zlay_instruction_operand_nth(&o, forms[i], about.operands), ZLAY_NONE);
    }
}

/* ptxas takes a tensor copy without .tile for one in the tile mode, on the targets of the latter. */
static void tensor_copies_are_tiled_unless_said(void **state)
{
    (void)state;
    static char text[LINE_ROOM], other[LINE_ROOM];
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = 0;
        zlay_buf a = {text, sizeof text, 0}, b = {other, sizeof other, 0};
        assert_int_equal(zlay_instruction_print(&a, forms[i], NULL, 0), ZLAY_OK);
        size_t length = strcspn(text, " ;");
        char *tile = strstr(text, ".tile");
        if (strncmp(text, "cp.", 3) || !tile || (size_t)(tile - text) >= length || tile[5] == ':')
            continue;
        memcpy(other, text, length);
        memmove(other + (tile - text), tile + 5, length - (size_t)(tile - text) - 5);
        if (zlay_instruction_find(&number, other, length - 5)) fail_msg("none is a %s", text);
        assert_int_equal(zlay_instruction_print(&b, number, NULL, 0), ZLAY_OK);
        if (strncmp(text, other, length)) fail_msg("%s finds %s", text, other);
        found++;
    }
    assert_true(found >= 5 * 4);
    assert_int_equal(zlay_instruction_find(&found, "cp.async.bulk.shared::cluster.global.mbarrier::x", 48), ZLAY_NONE);
}

static void what_is_no_form_is_none(void **state)
{
    (void)state;
    static const char *const names[] = {"",       "tma.load.tile.6d", "tma.load.tile.2",
                                        "<dim>",  "tma.load.tile.2d.", "mbar",
                                        "setmaxnreg.inc.sync", "ldmatrix.x3", "|"};
    uint32_t number = 7;
    zlay_form about;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(zlay_instruction_find(&number, names[i], strlen(names[i])), ZLAY_NONE);
    assert_int_equal(number, 7);
    assert_int_equal(zlay_instruction_nth(&number, count), ZLAY_NONE);
    assert_int_equal(zlay_instruction_nth(&number, SIZE_MAX), ZLAY_NONE);
    assert_int_equal(zlay_instruction_info(&about, 0), ZLAY_NONE);
    assert_int_equal(zlay_instruction_info(&about, UINT32_MAX), ZLAY_NONE);
    assert_int_equal(zlay_instruction_find(NULL, "elect", 5), ZLAY_EINVAL);
    assert_int_equal(zlay_instruction_find(&number, NULL, 5), ZLAY_EINVAL);
}

static void other_spellings_and_defaults(void **state)
{
    (void)state;
    assert_int_equal(form("tma.load.tile.2d"), form("tma.load.tile.2d.cluster"));
    assert_int_equal(form("tma.load.tile.2d.multicast"),
                     form("tma.load.tile.2d.cluster.multicast"));
    assert_int_equal(form("ldmatrix.x4_trans"), form("ldmatrix.x4.trans"));
    assert_int_equal(form("ld.g.128"), form("ld.global.v4.b32"));
    assert_int_equal(form("cp.async.bulk.commit_group"), form("bulk.commit"));
    assert_int_equal(form("tma.load.tile.2d"),
                     form("cp.async.bulk.tensor.2d.shared::cluster.global"
                          ".mbarrier::complete_tx::bytes"));
    assert_int_equal(form("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group"),
                     form("tma.store.tile.3d"));
    assert_int_equal(form("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32"),
                     form("st_async.v4.f32"));
    assert_int_equal(form("ld.global.nc.b32"), form("ld.nc.b32"));
    assert_int_equal(form("ld.global.nc.v4.b32"), form("ld.nc.v4.b32"));
    assert_int_equal(form("ld.global.nc.u8"), form("ld.nc.u8"));
    assert_int_not_equal(form("mov.b32.pack"), form("mov.b32.unpack"));
}

/* ---- verdicts ------------------------------------------------------------------- */

static int64_t any_number(uint64_t *seed)
{
    int64_t number = (int64_t)test_random(seed);
    return number >> test_range(seed, 0, 63);
}

static void every_value_has_a_verdict(void **state)
{
    (void)state;
    uint64_t seed = test_seed("isa/instruction"), runs = test_iterations(40000);
    const zlay_target *on;
    for (uint64_t i = 0; i < runs; i++) {
        zlay_verdict v;
        zlay_operand o;
        zlay_instruction asked = {.form = forms[test_range(&seed, 0, count - 1)],
                                  .ptx = (uint32_t)test_random(&seed)};
        if (i % 2) asked.ptx %= 100;
        for (size_t k = 0; !zlay_instruction_operand_nth(&o, asked.form, k); k++)
            if (o.field && asked.count < ZLAY_CONSTANTS_MOST)
                asked.constant[asked.count++] = (zlay_constant){o.field, 0, any_number(&seed)};
        on = zlay_target_nth((size_t)test_range(&seed, 0, 15));
        assert_int_equal(zlay_instruction_check(&v, NULL, 0, on, &asked), ZLAY_OK);
        assert_int_equal(v.answer, v.broken ? ZLAY_NO : ZLAY_YES);
    }
}

/* A value that a repair names breaks no rule of its field. */
static void repairs_are_legal(void **state)
{
    (void)state;
    uint64_t seed = test_seed("isa/instruction"), runs = test_iterations(20000);
    for (uint64_t i = 0; i < runs; i++) {
        zlay_verdict v;
        zlay_operand o;
        zlay_reason r[16];
        zlay_instruction asked = {.form = forms[test_range(&seed, 0, count - 1)]};
        for (size_t k = 0; !zlay_instruction_operand_nth(&o, asked.form, k); k++)
            if (o.field && !asked.count)
                asked.constant[asked.count++] = (zlay_constant){o.field, 0, any_number(&seed)};
        const zlay_target *on = target_of("sm_100a");
        assert_int_equal(zlay_instruction_check(&v, r, 16, on, &asked), ZLAY_OK);
        for (uint32_t k = 0; k < v.reasons; k++)
            if (asked.count && r[k].field == asked.constant[0].field) {
                assert_int_not_equal(r[k].fix_keeps, ZLAY_KEEPS_NONE_GIVEN);
                asked.constant[0].value = (int64_t)r[k].fix_value;
                break;
            }
        assert_int_equal(zlay_instruction_check(&v, r, 16, on, &asked), ZLAY_OK);
        for (uint32_t k = 0; k < v.reasons; k++)
            if (r[k].field != ZLAY_FIELD_TARGET)
                fail_msg("%s: %lld breaks %s", form_id(asked.form),
                         (long long)asked.constant[0].value, rule_name(r[k].rule));
    }
}

static void wrong_requests_are_refused(void **state)
{
    (void)state;
    zlay_verdict v, was;
    const zlay_target *on = target_of("sm_90a");
    const zlay_instruction good = {form("bulk.wait"), 0, 1, 0, {{ZLAY_FIELD_GROUPS, 0, 1}}};
    zlay_instruction bad[6] = {good, good, good, good, good, good};
    bad[0].form = 0;
    bad[1].reserved = 1;
    bad[2].constant[0].field = ZLAY_FIELD_BYTES;
    bad[3].constant[0].reserved = 1;
    bad[4].count = ZLAY_CONSTANTS_MOST + 1;
    bad[5].count = 2;
    bad[5].constant[1] = good.constant[0];
    memset(&v, 0x5a, sizeof v);
    was = v;
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(zlay_instruction_check(&v, NULL, 0, on, &bad[i]), ZLAY_EINVAL);
    assert_int_equal(zlay_instruction_check(&v, NULL, 1, on, &good), ZLAY_EINVAL);
    assert_int_equal(zlay_instruction_check(&v, NULL, 0, NULL, &good), ZLAY_EINVAL);
    assert_int_equal(zlay_instruction_check(&v, NULL, 0, on, NULL), ZLAY_EINVAL);
    assert_memory_equal(&v, &was, sizeof v);
    assert_int_equal(zlay_instruction_check(&v, NULL, 0, on, &good), ZLAY_OK);
}

/* What the PTX ISA, the H200 and ptxas say of constants, as the sources of the rows have it. */
typedef struct constant_row {
    const char *form;
    int32_t field;
    int64_t value;
    const char *rule; /* NULL: legal */
} constant_row;

static const constant_row constant_rows[] = {
    {"mbar.init", ZLAY_FIELD_COUNT, 1, NULL},
    {"mbar.init", ZLAY_FIELD_COUNT, 1048575, NULL},
    {"mbar.init", ZLAY_FIELD_COUNT, 0, "INSTR_BAR_COUNT"},
    {"mbar.init", ZLAY_FIELD_COUNT, 1048576, "INSTR_BAR_COUNT"},
    {"mbar.arrive.count", ZLAY_FIELD_COUNT, 0, "INSTR_ARRIVALS_LEAST"},
    {"mbar.arrive.count", ZLAY_FIELD_COUNT, 1048576, "INSTR_ARRIVALS_MOST"},
    {"mbar.arrive.expect_tx", ZLAY_FIELD_EXPECT, 1048575, NULL},
    {"mbar.arrive.expect_tx", ZLAY_FIELD_EXPECT, 1048576, "INSTR_EXPECT"},
    {"mbar.try_wait.parity", ZLAY_FIELD_PARITY, 1, NULL},
    {"mbar.try_wait.parity", ZLAY_FIELD_PARITY, 2, "INSTR_PARITY"},
    {"bulk.g2s", ZLAY_FIELD_BYTES, 1048560, NULL},
    {"bulk.g2s", ZLAY_FIELD_BYTES, 24, "INSTR_BULK_16"},
    {"bulk.g2s", ZLAY_FIELD_BYTES, 1048576, "INSTR_BULK_BYTES"},
    {"bulk.wait", ZLAY_FIELD_GROUPS, 0, NULL},
    {"bulk.wait", ZLAY_FIELD_GROUPS, -1, "INSTR_GROUPS"},
    {"wgmma.wait", ZLAY_FIELD_GROUPS, -1, "INSTR_WGMMA_GROUPS"},
    {"cp_async.16.zfill", ZLAY_FIELD_TAKEN, 16, NULL},
    {"cp_async.16.zfill", ZLAY_FIELD_TAKEN, 17, "INSTR_TAKEN_16"},
    {"cp_async.ca.8.zfill", ZLAY_FIELD_TAKEN, 9, "INSTR_TAKEN_8"},
    {"cp_async.ca.4.zfill", ZLAY_FIELD_TAKEN, 5, "INSTR_TAKEN_4"},
    {"tma.load.tile.2d.multicast", ZLAY_FIELD_CTA_MASK, 65535, NULL},
    {"tma.load.tile.2d.multicast", ZLAY_FIELD_CTA_MASK, 65536, "INSTR_CTA_MASK"},
    {"bar.sync", ZLAY_FIELD_BARRIER, 15, NULL},
    {"bar.sync", ZLAY_FIELD_BARRIER, 16, "INSTR_BAR_NAME"},
    {"bar.sync", ZLAY_FIELD_THREADS, 1024, NULL},
    {"bar.sync", ZLAY_FIELD_THREADS, 1056, "INSTR_THREADS"},
    {"bar.sync", ZLAY_FIELD_THREADS, 100, "INSTR_THREADS_32"},
    {"bar.arrive", ZLAY_FIELD_THREADS, 100, "INSTR_ARRIVING_32"},
    {"bar.arrive", ZLAY_FIELD_THREADS, 1056, "INSTR_ARRIVING_MOST"},
    {"tmap.replace.box_dim", ZLAY_FIELD_ORD, 4, NULL},
    {"tmap.replace.box_dim", ZLAY_FIELD_ORD, 5, "INSTR_MAP_ORD"},
    {"tmap.replace.global_stride", ZLAY_FIELD_ORD, 3, NULL},
    {"tmap.replace.global_stride", ZLAY_FIELD_ORD, 4, "INSTR_MAP_STRIDE_ORD"},
    {"tmap.replace.elemtype", ZLAY_FIELD_VALUE, 12, NULL},
    {"tmap.replace.elemtype", ZLAY_FIELD_VALUE, 13, NULL},
    {"tmap.replace.interleave_layout", ZLAY_FIELD_VALUE, 3, "INSTR_MAP_INTERLEAVE"},
    {"tmap.replace.swizzle_mode", ZLAY_FIELD_VALUE, 3, NULL},
    {"tmap.replace.swizzle_mode", ZLAY_FIELD_VALUE, 4, "INSTR_MAP_SWIZZLE_96B"},
    {"tmap.replace.swizzle_atomicity", ZLAY_FIELD_VALUE, 4, "INSTR_MAP_ATOMICITY"},
    {"tmap.replace.fill_mode", ZLAY_FIELD_VALUE, 2, "INSTR_MAP_FILL"},
    {"fence.tensormap.acquire.gpu", ZLAY_FIELD_BYTES, 128, NULL},
    {"fence.tensormap.acquire.gpu", ZLAY_FIELD_BYTES, 64, "INSTR_MAP_BYTES"},
    {"discard", ZLAY_FIELD_BYTES, 256, "INSTR_LINE_BYTES"},
    {"st_bulk", ZLAY_FIELD_SIZE, 16777216, NULL},
    {"st_bulk", ZLAY_FIELD_SIZE, 60, "INSTR_STORE_8"},
    {"st_bulk", ZLAY_FIELD_SIZE, 16777224, "INSTR_STORE_BYTES"},
    {"st_bulk", ZLAY_FIELD_VALUE, 1, "INSTR_STORE_VALUE"},
    {"tcgen05.alloc.cg1", ZLAY_FIELD_COLUMNS, 512, NULL},
    {"tcgen05.alloc.cg1", ZLAY_FIELD_COLUMNS, 48, "INSTR_COLUMNS_POWER"},
    {"tcgen05.alloc.cg1", ZLAY_FIELD_COLUMNS, 1024, "INSTR_COLUMNS"},
    {"tcgen05.alloc.cg1", ZLAY_FIELD_COLUMNS, 16, "INSTR_COLUMNS"},
    {"tcgen05.dealloc.cg1", ZLAY_FIELD_COLUMNS, 96, "INSTR_FREED_POWER"},
    {"tcgen05.dealloc.cg1", ZLAY_FIELD_COLUMNS, 1024, "INSTR_FREED"},
    {"tcgen05.ld.16x32bx2.x4", ZLAY_FIELD_OFFSET, 511, NULL},
    {"tcgen05.ld.16x32bx2.x4", ZLAY_FIELD_OFFSET, -1, "INSTR_SPLIT"},
    {"tcgen05.mma.cg1.f16.ss.scale_d", ZLAY_FIELD_SCALE, 15, NULL},
    {"tcgen05.mma.cg1.f16.ss.scale_d", ZLAY_FIELD_SCALE, 16, "INSTR_SCALE_D"},
};

static void constant_breaks(const constant_row *row)
{
    zlay_verdict v;
    zlay_reason r[8];
    const zlay_target *on = target_of(strncmp(row->form, "wgmma", 5) ? "sm_100a" : "sm_90a");
    zlay_instruction asked = {form(row->form), 90, 1, 0, {{row->field, 0, row->value}}};
    assert_int_equal(zlay_instruction_check(&v, r, 8, on, &asked), ZLAY_OK);
    const char *broken = v.reasons == 1 ? rule_name(r[0].rule) : v.reasons ? "several" : "";
    if (strcmp(broken, row->rule ? row->rule : "") != 0)
        fail_msg("%s %s %lld breaks %s", row->form, zlay_field_name(row->field),
                 (long long)row->value, broken);
}

static void constants_and_their_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof constant_rows / sizeof *constant_rows; i++)
        constant_breaks(&constant_rows[i]);
}

static uint32_t replaced(const char *name, const char *on, uint32_t ptx, int64_t value)
{
    zlay_verdict v;
    zlay_instruction asked = {form(name), ptx, 1, 0, {{ZLAY_FIELD_VALUE, 0, value}}};
    assert_int_equal(zlay_instruction_check(&v, NULL, 0, target_of(on), &asked), ZLAY_OK);
    return v.broken;
}

/* PTX ISA 9.1, tensormap.replace: packed types from 8.7 on sm_100a, 96B from 8.8 on sm_103a. */
static void some_values_are_of_some_targets(void **state)
{
    (void)state;
    assert_int_equal(replaced("tmap.replace.elemtype", "sm_90a", 0, 12), 0);
    assert_int_equal(replaced("tmap.replace.elemtype", "sm_90a", 0, 13), 1);
    assert_int_equal(replaced("tmap.replace.elemtype", "sm_90a", 0, 16), 2);
    assert_int_equal(replaced("tmap.replace.elemtype", "sm_100a", 86, 13), 1);
    assert_int_equal(replaced("tmap.replace.elemtype", "sm_100a", 87, 15), 0);
    assert_int_equal(replaced("tmap.replace.swizzle_mode", "sm_103a", 88, 4), 0);
    assert_int_equal(replaced("tmap.replace.swizzle_mode", "sm_103f", 88, 4), 1);
    assert_int_equal(replaced("tmap.replace.swizzle_mode", "sm_100a", 88, 4), 1);
}

/* The forms that a document lacks or has later, whatever ptxas takes. */
static void documents_are_heard(void **state)
{
    (void)state;
    static const struct {
        const char *form, *on;
        uint32_t ptx;
        const char *rule;
    } rows[] = {{"fence.acquire.gpu", "sm_90", 86, NULL},
                {"fence.acquire.gpu", "sm_90", 80, "INSTR_PTX_SAID"},
                {"fence.acquire.gpu", "sm_80", 86, "INSTR_TARGET_SAID"},
                {"cp_async.16.cta", "sm_80", 78, NULL},
                {"cp_async.16.cta", "sm_80", 77, "INSTR_PTX_SAID"},
                {"red_async.add.u64", "sm_90", 81, NULL},
                {"red_async.add.s64", "sm_90", 81, "INSTR_TARGET_SAID"},
                {"tma.reduce.add.scatter4", "sm_100a", 86, "INSTR_TARGET_SAID"},
                {"tcgen05.ld.32x32b.x4.unaligned", "sm_100a", 86, "INSTR_TARGET_SAID"},
                {"elect", "sm_90", 85, NULL},
                {"elect", "sm_90", 89, "INSTR_PTX_VERSION"},
                {"elect", "sm_90", 92, "INSTR_PTX_VERSION"},
                {"elect", "gfx942", 0, "INSTR_TARGET"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_verdict v;
        zlay_reason r[8];
        zlay_instruction asked = {.form = form(rows[i].form), .ptx = rows[i].ptx};
        assert_int_equal(zlay_instruction_check(&v, r, 8, target_of(rows[i].on), &asked), ZLAY_OK);
        const char *broken = v.reasons == 1 ? rule_name(r[0].rule) : v.reasons ? "several" : "";
        if (strcmp(broken, rows[i].rule ? rows[i].rule : "") != 0)
            fail_msg("%s on %s breaks %s", rows[i].form, rows[i].on, broken);
    }
}

/* ---- copies --------------------------------------------------------------------- */

/* Whether a copy's rules, which are other rows, find its form on a target. */
static bool copy_is_on(const zlay_issue *issue, const zlay_target *on)
{
    zlay_verdict v;
    static zlay_reason r[REASONS];
    zlay_tensormap map = legal_map();
    bool found = true;
    map.rank = issue->rank;
    assert_int_equal(zlay_copy_check(&v, r, REASONS, on, issue, &map), ZLAY_OK);
    for (uint32_t i = 0; i < v.reasons && i < REASONS; i++)
        found &= r[i].by != ZLAY_BY_ASSEMBLER ||
                 (r[i].field != ZLAY_FIELD_TARGET && r[i].field != ZLAY_FIELD_MODE &&
                  r[i].field != ZLAY_FIELD_CTA_GROUP && r[i].field != ZLAY_FIELD_SPACE &&
                  r[i].field != ZLAY_FIELD_INSTRUCTION);
    return found;
}

static void copies_have_the_same_targets(void **state)
{
    (void)state;
    static const char *const families[] = {"tma.", "bulk.", "cp_async."};
    const zlay_target *on;
    zlay_issue issue;
    uint32_t shared = 0, step = test_exhaustive() ? 1 : 7;
    for (uint32_t i = 0; i < count; i += step) {
        const char *id = form_id(forms[i]);
        bool copy = false;
        for (size_t k = 0; k < sizeof families / sizeof *families; k++)
            copy |= !strncmp(id, families[k], strlen(families[k]));
        if (!copy || zlay_issue_find(&issue, id, strlen(id))) continue;
        shared++;
        for (size_t k = 0; (on = zlay_target_nth(k)) != NULL; k++) {
            zlay_instruction asked = {.form = forms[i]};
            bool form_is = assembles(on, &asked);
            if (form_is != copy_is_on(&issue, on))
                fail_msg("%s on %s: form %d, copy otherwise", id, zlay_target_name(on), form_is);
        }
    }
    assert_in_range(shared, 400 / step, FORMS_MOST);
}

/* ---- targets -------------------------------------------------------------------- */

/* What other checks answer at the bounds that a target is shown with. */
static void targets_are_what_the_rules_say(void **state)
{
    (void)state;
    const zlay_target *on;
    zlay_target_summary info;
    zlay_verdict v;
    for (size_t i = 0; (on = zlay_target_nth(i)) != NULL; i++) {
        assert_int_equal(zlay_target_info(&info, on), ZLAY_OK);
        assert_int_equal(info.smem, zlay_smem_capacity(on));
        assert_true(info.smem <= info.smem_multiprocessor);
        assert_true(info.lanes == 32 || info.lanes == 64);
        assert_true(*info.cls && info.banks && info.threads && info.registers);
        if (strncmp(zlay_target_name(on), "sm_", 3) != 0) continue;
        zlay_instruction asked = {.form = form("bar.sync.all"), .ptx = info.ptx};
        assert_int_equal(zlay_instruction_check(&v, NULL, 0, on, &asked), ZLAY_OK);
        assert_int_equal(v.answer, ZLAY_YES);
        asked.ptx--;
        assert_int_equal(zlay_instruction_check(&v, NULL, 0, on, &asked), ZLAY_OK);
        assert_int_equal(v.answer, ZLAY_NO);
    }
    assert_int_equal(zlay_target_info(&info, NULL), ZLAY_EINVAL);
    assert_null(zlay_target_feature_nth(NULL, 0));
    assert_string_equal(zlay_target_feature_nth(target_of("sm_90a"), 3), "wgmma");
    assert_null(zlay_target_feature_nth(target_of("sm_90a"), 4));
}

/* ---- ptxas ---------------------------------------------------------------------- */

static void ptxas_agrees_on_four_targets(void **state)
{
    (void)state;
    static const char *const on[] = {"sm_89", "sm_90a", "sm_100a", "sm_103f"};
    static uint32_t some[FORMS_MOST];
    uint64_t seed = test_seed("isa/instruction");
    uint32_t wrong = 0, few = 0;
    if (!ptxas_found()) skip();
    for (uint32_t i = 0; i < count; i++)
        if (test_range(&seed, 1, 5) == 1) some[few++] = forms[i];
    for (size_t i = 0; i < sizeof on / sizeof *on; i++)
        wrong += forms_compare(some, few, target_of(on[i]), i % 2 ? 90 : 86, i % 2 == 0);
    assert_int_equal(wrong, 0);
}

static void ptxas_agrees_on_some_constants(void **state)
{
    (void)state;
    if (!ptxas_found()) skip();
    uint64_t seed = test_seed("isa/instruction");
    assert_int_equal(constants_compare(forms, count, target_of("sm_100a"), 90, 120, &seed), 0);
    assert_int_equal(constants_compare(forms, count, target_of("sm_90a"), 83, 120, &seed), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_says),
        cmocka_unit_test(a_target_may_get_a_form_later),
        cmocka_unit_test(every_id_finds_its_form),
        cmocka_unit_test(every_text_is_of_one_form),
        cmocka_unit_test(every_opcode_finds_a_form),
        cmocka_unit_test(every_form_is_somewhere_and_has_its_operands),
        cmocka_unit_test(tensor_copies_are_tiled_unless_said),
        cmocka_unit_test(what_is_no_form_is_none),
        cmocka_unit_test(other_spellings_and_defaults),
        cmocka_unit_test(every_value_has_a_verdict),
        cmocka_unit_test(repairs_are_legal),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(constants_and_their_rules),
        cmocka_unit_test(some_values_are_of_some_targets),
        cmocka_unit_test(documents_are_heard),
        cmocka_unit_test(copies_have_the_same_targets),
        cmocka_unit_test(targets_are_what_the_rules_say),
        cmocka_unit_test(ptxas_agrees_on_four_targets),
        cmocka_unit_test(ptxas_agrees_on_some_constants),
    };
    return cmocka_run_group_tests(tests, forms_read, NULL);
}
