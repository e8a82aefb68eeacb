/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of issued copies: their ids, and what ptxas takes of them. */
#include "copies.h"

/* ---- ids ------------------------------------------------------------------------------ */

static void ids_say_what_they_are(void **state)
{
    (void)state;
    enum { M = ZLAY_GIVEN_MULTICAST };
    static const struct {
        const char *id;
        int32_t kind, mode, space, group, op, type;
        uint32_t rank, width, given;
    } rows[] = {
        {"tma.load.tile.2d.cta", 1, 0, 0, 0, 0, 0, 2, 0, 0},
        {"tma.load.tile.5d.cluster.hint", 1, 0, 1, 0, 0, 0, 5, 0, 0},
        {"tma.load.tile.1d.multicast.hint", 1, 0, 1, 0, 0, 0, 1, 0, M},
        {"tma.load.tile.3d.cg2.multicast", 1, 0, 1, 2, 0, 0, 3, 0, M},
        {"tma.load.tile.3d.cg2", 1, 0, 1, 2, 0, 0, 3, 0, 0},
        {"tma.load.im2col.4d", 1, 1, 1, 0, 0, 0, 4, 0, 0},
        {"tma.load.im2col_w.3d", 1, 2, 1, 0, 0, 0, 3, 0, 0},
        {"tma.load.im2col_w128.5d", 1, 3, 1, 0, 0, 0, 5, 0, 0},
        {"tma.gather4.cta", 1, 4, 0, 0, 0, 0, 2, 0, 0},
        {"tma.gather4.multicast", 1, 4, 1, 0, 0, 0, 2, 0, M},
        {"tma.scatter4", 2, 5, 0, 0, 0, 0, 2, 0, 0},
        {"tma.store.tile.2d", 2, 0, 0, 0, 0, 0, 2, 0, 0},
        {"tma.store.im2col.3d", 2, 6, 0, 0, 0, 0, 3, 0, 0},
        {"tma.reduce.add.2d", 6, 0, 0, 0, 1, 0, 2, 0, 0},
        {"tma.reduce.xor.5d", 6, 0, 0, 0, 8, 0, 5, 0, 0},
        {"tma.prefetch.2d", 7, 0, 0, 0, 0, 0, 2, 0, 0},
        {"tma.prefetch.gather4", 7, 4, 0, 0, 0, 0, 2, 0, 0},
        {"bulk.g2s.cta", 8, 0, 0, 0, 0, 0, 0, 0, 0},
        {"bulk.g2s.multicast", 8, 0, 1, 0, 0, 0, 0, 0, M},
        {"bulk.s2g.mask", 9, 0, 0, 0, 0, 0, 0, 0, ZLAY_GIVEN_BYTE_MASK},
        {"bulk.s2s", 10, 0, 0, 0, 0, 0, 0, 0, 0},
        {"bulk.reduce.f32", 11, 0, 0, 0, 1, ZLAY_TYPE_F32, 0, 0, 0},
        {"bulk.reduce.dsmem", 12, 0, 0, 0, 1, ZLAY_TYPE_U32, 0, 0, 0},
        {"bulk.prefetch", 13, 0, 0, 0, 0, 0, 0, 0, 0},
        {"cp_async.16", 3, 0, 0, 0, 0, 0, 0, 16, 0},
        {"cp_async.ca.4", 3, 0, 0, 0, 0, 0, 0, 4, 0},
        {"cp_async.16.zfill", 3, 0, 0, 0, 0, 0, 0, 16, ZLAY_GIVEN_TAKEN},
        {"st_async.v4.b32", 14, 0, 0, 0, 0, 0, 0, 16, 0},
        {"st_async.v2.b32", 14, 0, 0, 0, 0, 0, 0, 8, 0},
        {"red_async.add", 15, 0, 0, 0, 1, ZLAY_TYPE_U32, 0, 4, 0},
        {"red_async.add.u64", 15, 0, 0, 0, 1, ZLAY_TYPE_U64, 0, 8, 0},
        {"ld.g.128", 4, 0, 0, 0, 0, 0, 0, 16, 0},
        {"st.g.256", 5, 0, 0, 0, 0, 0, 0, 32, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_issue c = found(rows[i].id);
        bool same = c.kind == rows[i].kind && c.mode == rows[i].mode && c.space == rows[i].space &&
                    c.cta_group == rows[i].group && c.op == rows[i].op && c.type == rows[i].type &&
                    c.rank == rows[i].rank && c.width == rows[i].width && c.given == rows[i].given;
        if (!same) fail_msg("%s reads as another copy", rows[i].id);
    }
}

static void what_is_no_id(void **state)
{
    (void)state;
    static const char *const none[] = {"", "tma", "tma.loa", "tma.load.", "tma.load..2d",
                                       "tma.load.2d.3d", "tma.load.2d.2d", "tma.loads.2d",
                                       "bulk.g2s.3d", "tma.store.2d.cta", "tma.prefetch_desc",
                                       "bulk.commit", "cp_async.commit", "cp_async.4.8", "tma.load.6d"};
    zlay_issue before, c;
    memset(&before, 7, sizeof before);
    c = before;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(zlay_issue_find(&c, none[i], strlen(none[i])), ZLAY_NONE);
    assert_int_equal(zlay_issue_find(&c, NULL, 0), ZLAY_EINVAL);
    assert_memory_equal(&c, &before, sizeof c);
    assert_int_equal(zlay_issue_find(NULL, "bulk.s2s", 8), ZLAY_EINVAL);
    assert_int_equal(zlay_issue_find(&c, "bulk.s2s.cta", 8), ZLAY_OK); /* the length counts */
}

/* ---- forms against ptxas ------------------------------------------------------------------ */

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
    for (size_t i = 0; zlay_instruction_at(&number, i) == ZLAY_OK; i++) {
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
        for (size_t n = 0; (t = zlay_target_at(n)) != NULL; n++) {
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
        cmocka_unit_test(ids_say_what_they_are),
        cmocka_unit_test(what_is_no_id),
        cmocka_unit_test(forms_are_those_of_ptxas),
        cmocka_unit_test(forms_are_those_of_the_instructions),
        cmocka_unit_test(reductions_are_those_of_ptxas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
