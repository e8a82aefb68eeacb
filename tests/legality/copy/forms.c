/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of issued copies and types of reductions against what ptxas takes. */
#include "tiles/issued.h"

static const char *const targets[] = {"sm_80",   "sm_90",   "sm_90a",  "sm_100",
                                      "sm_100a", "sm_100f", "sm_103a", "sm_110a",
                                      "sm_120",  "sm_120a", "sm_120f"};
enum { TARGETS = sizeof targets / sizeof *targets };

typedef struct form {
    int32_t kind, mode, space;
    int multicast;
    int32_t group, op;
    const char *ranks;
    uint32_t where;
} form;

static const form forms[] = {
#define TENSOR_FORM(kind, mode, space, multicast, group, op, ranks, where)                         \
    {ZLAY_COPY_##kind, ZLAY_COPY_##mode, ZLAY_SPACE_##space, multicast, group, op, ranks, where},
#define BULK_FORM(kind, op, taken, refused)
#include "data/copies.def"
#undef TENSOR_FORM
#undef BULK_FORM
};

static bool assembles(const char *on, const zlay_issue *issue, const zlay_tensormap *map)
{
    zlay_reason reasons[REASONS];
    zlay_verdict v = asked(on, issue, map, reasons);
    for (uint32_t i = 0; i < v.reasons; i++)
        if (reasons[i].by == ZLAY_BY_ASSEMBLER) return false;
    return true;
}

static void forms_are_those_of_ptxas(void **state)
{
    (void)state;
    uint32_t taken = 0, refused = 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (uint32_t rank = 1; rank <= 5; rank++)
            for (int t = 0; t < TARGETS; t++) {
                const form *f = &forms[i];
                zlay_tensormap map = legal_map3();
                zlay_issue c = {.kind = f->kind, .mode = f->mode, .space = f->space, .rank = rank,
                                .cta_group = f->group, .op = f->op,
                                .given = f->multicast ? ZLAY_GIVEN_MULTICAST : 0};
                bool takes = strchr(f->ranks, (char)('0' + rank)) && f->where >> t & 1;
                if (assembles(targets[t], &c, &map) != takes)
                    fail_msg("kind %d mode %d space %d multicast %d group %d op %d rank %u on %s: "
                             "ptxas %s it",
                             f->kind, f->mode, f->space, f->multicast, f->group, f->op, rank,
                             targets[t], takes ? "takes" : "refuses");
                taken += takes;
                refused += !takes;
            }
    assert_true(taken > 1000 && refused > 3000);
}

/* Two tables, made apart: what instruction.check says of a form's target, and what the copy's rows do. */
static void forms_are_those_of_the_instructions(void **state)
{
    (void)state;
    static const char *const begin[] = {"tma.", "bulk.", "cp_async.", "st_async.", "red_async.",
                                        "ld.g.", "st.g."};
    static const char *const others[] = {"tma.prefetch_desc", "bulk.commit", "bulk.wait",
                                         "cp_async.commit", "cp_async.wait", "st_async.release",
                                         "st_async.mmio", "red_async.release", "red_async.mmio"};
    uint32_t number, asked = 0;
    for (size_t i = 0; zlay_instruction_nth(&number, i) == ZLAY_OK; i++) {
        char id[128];
        zlay_buf buf = {id, sizeof id, 0};
        bool copy = false;
        assert_int_equal(zlay_instruction_id(&buf, number), ZLAY_OK);
        for (size_t k = 0; k < sizeof begin / sizeof *begin; k++)
            copy |= !strncmp(id, begin[k], strlen(begin[k]));
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            copy &= strncmp(id, others[k], strlen(others[k])) != 0;
        if (!copy) continue;
        zlay_issue c = found(id);
        zlay_tensormap map = legal_map3();
        asked++;
        const zlay_target *t;
        for (size_t n = 0; (t = zlay_target_nth(n)) != NULL; n++) {
            zlay_instruction asks = {.form = number};
            zlay_verdict v;
            zlay_reason reasons[REASONS];
            bool mapped = !strncmp(id, "tma.", 4), takes = true;
            if (strncmp(zlay_target_name(t), "sm_", 3)) continue;
            assert_int_equal(zlay_instruction_check(&v, reasons, REASONS, t, &asks), ZLAY_OK);
            for (uint32_t k = 0; k < v.reasons; k++)
                takes &= reasons[k].by != ZLAY_BY_ASSEMBLER;
            if (assembles(zlay_target_name(t), &c, mapped ? &map : NULL) != takes)
                fail_msg("%s on %s: instruction.check says %d", id, zlay_target_name(t), takes);
        }
    }
    assert_true(asked > 1500);
}

static void reductions_are_those_of_ptxas(void **state)
{
    (void)state;
    static const struct {
        int32_t kind, op;
        const char *taken, *refused;
    } rows[] = {
#define TENSOR_FORM(kind, mode, space, multicast, group, op, ranks, where)
#define BULK_FORM(kind, op, taken, refused) {ZLAY_COPY_##kind, ZLAY_REDUCE_##op, taken, refused},
#include "data/copies.def"
#undef TENSOR_FORM
#undef BULK_FORM
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t taken = types_of(rows[i].taken), refused = types_of(rows[i].refused) & ~taken;
        for (int32_t type = 0; type < 32; type++) {
            zlay_issue c = {.kind = rows[i].kind, .op = rows[i].op, .type = type, .width = 4};
            if (!((taken | refused) >> type & 1)) continue;
            if (assembles("sm_90a", &c, NULL) != (taken >> type & 1))
                fail_msg("kind %d op %d type %s: ptxas %s it", c.kind, c.op, zlay_type_name(type),
                         taken >> type & 1 ? "takes" : "refuses");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_those_of_ptxas),
        cmocka_unit_test(forms_are_those_of_the_instructions),
        cmocka_unit_test(reductions_are_those_of_ptxas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
