/* SPDX-License-Identifier: Apache-2.0 */
/* Issued copies: forms against what ptxas takes, every rule at its bounds, hostile numbers. */
#include "legality.h"

static zlay_issue found(const char *id)
{
    zlay_issue issue;
    if (zlay_issue_find(&issue, id, strlen(id)) != ZLAY_OK) fail_msg("no copy %s", id);
    return issue;
}

static zlay_verdict asked(const char *on, const zlay_issue *issue, const zlay_tensormap *map,
                          zlay_reason *reasons)
{
    zlay_verdict v;
    assert_int_equal(zlay_copy_check(&v, reasons, REASONS, target(on), issue, map), ZLAY_OK);
    assert_true(v.reasons <= REASONS);
    assert_int_equal(v.answer, v.broken ? ZLAY_NO : ZLAY_YES);
    return v;
}

static const zlay_reason *broken(const char *rule, const char *on, const zlay_issue *issue,
                                 const zlay_tensormap *map)
{
    static zlay_reason reasons[REASONS];
    zlay_verdict v = asked(on, issue, map, reasons);
    return reason_of(reasons, &v, rule_number(rule), -2);
}

/* ---- the example of zlay/copy.h ------------------------------------------------------ */

static void by_hand(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map();
    zlay_issue copy = found("tma.load.tile.2d");
    zlay_reason reasons[REASONS];
    uint64_t bytes;
    assert_int_equal(zlay_copy_bytes(&bytes, &copy, &map), ZLAY_OK);
    assert_int_equal(bytes, 64 * 64 * 2);
    copy.coordinate[0] = 4;
    zlay_verdict v = asked("sm_90a", &copy, &map, reasons);
    assert_true(v.answer == ZLAY_NO && v.broken == 1);
    assert_true(reasons[0].rule == 70 && reasons[0].value == 8 && reasons[0].lo == 16);
    assert_int_equal(reasons[0].by, ZLAY_BY_HARDWARE);
    copy.coordinate[0] = 8;
    copy.given = ZLAY_GIVEN_EXPECT;
    copy.expect = 4096;
    v = asked("sm_90a", &copy, &map, reasons);
    assert_true(v.broken == 1 && reasons[0].rule == 224 && reasons[0].fix_value == 8192);
    copy.expect = 8320;
    v = asked("sm_90a", &copy, &map, reasons);
    assert_true(v.broken == 1 && reasons[0].rule == 225 && reasons[0].fix_value == 8192);
    copy.expect = 8192;
    assert_int_equal(asked("sm_90a", &copy, &map, reasons).answer, ZLAY_YES);
}

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

/* .b32 and .b64 are the words of either sign; f16x2 and b16 are no types of zlay's copies. */
static uint32_t types_of(const char *names)
{
    uint32_t set = 0;
    while (*names) {
        size_t length = strcspn(names, " ");
        int32_t type;
        if (length == 3 && !memcmp(names, "b32", 3))
            set |= 1u << ZLAY_TYPE_U32 | 1u << ZLAY_TYPE_S32;
        else if (length == 3 && !memcmp(names, "b64", 3))
            set |= 1u << ZLAY_TYPE_U64 | 1u << ZLAY_TYPE_S64;
        else if (zlay_type_find(&type, names, length) == ZLAY_OK) set |= 1u << type;
        names += length + (names[length] == ' ');
    }
    return set;
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

/* ---- every rule at its bounds --------------------------------------------------------------- */

typedef struct edge {
    const char *rule, *on, *id;
    size_t at; /* of the field, an uint64_t unless `narrow` */
    bool narrow;
    uint32_t given;
    uint64_t holds[2], breaks[2];
} edge;

#define WIDE(field)   offsetof(zlay_issue, field), false
#define NARROW(field) offsetof(zlay_issue, field), true

static const edge edges[] = {
    {"COPY_INSTRUCTION", "sm_90a", "tma.load.2d", NARROW(kind), 0, {1, 15}, {0, 16}},
    {"COPY_INSTRUCTION",
     "sm_90a",
     "tma.load.2d",
     NARROW(kind),
     0,
     {2, 3},
     {0x80000000, 0x7fffffff}},
    {"COPY_HAS_MODE", "sm_100a", "tma.load.2d", NARROW(mode), 0, {0, 4}, {5, 7}},
    {"COPY_HAS_MODE", "sm_100a", "tma.store.2d", NARROW(mode), 0, {0, 6}, {1, 0xffffffff}},
    {"COPY_RANK", "sm_90a", "tma.load.2d", NARROW(rank), 0, {1, 5}, {0, 6}},
    {"COPY_RANK_IM2COL", "sm_90a", "tma.load.im2col.3d", NARROW(rank), 0, {3, 5}, {2, 6}},
    {"COPY_RANK_ROWS4", "sm_100a", "tma.gather4", NARROW(rank), 0, {2, 2}, {1, 3}},
    {"COPY_RANK_MAP", "sm_90a", "tma.load.2d", NARROW(rank), 0, {2, 2}, {1, 3}},
    {"COPY_SPACE", "sm_90a", "tma.load.2d", NARROW(space), 0, {0, 1}, {2, 0xffffffff}},
    {"COPY_GROUP", "sm_100a", "tma.load.2d", NARROW(cta_group), 0, {0, 2}, {3, 0xffffffff}},
    {"COPY_GROUP", "sm_90a", "tma.load.2d", NARROW(cta_group), 0, {0, 0}, {1, 2}},
    {"COPY_GROUP_LOAD", "sm_100a", "tma.store.2d", NARROW(cta_group), 0, {0, 0}, {1, 2}},
    {"COPY_MULTICAST_SPACE", "sm_90a", "tma.load.2d.multicast", NARROW(space), 0, {1, 1}, {0, 2}},
    {"COPY_MASK",
     "sm_90a",
     "tma.load.2d.multicast",
     WIDE(cta_mask),
     ZLAY_GIVEN_CTA_MASK,
     {1, 0xffff},
     {0, 0x10000}},
    {"COPY_MASK_CLUSTER",
     "sm_90a",
     "bulk.g2s.multicast",
     WIDE(cta_mask),
     ZLAY_GIVEN_CTA_MASK | ZLAY_GIVEN_CLUSTER,
     {1, 15},
     {16, UINT64_MAX}},
    {"COPY_CLUSTER", "sm_90a", "bulk.s2s", NARROW(cluster), ZLAY_GIVEN_CLUSTER, {1, 16}, {0, 17}},
    {"COPY_CTA",
     "sm_90a",
     "bulk.s2s",
     NARROW(cta),
     ZLAY_GIVEN_CLUSTER | ZLAY_GIVEN_CTA,
     {0, 3},
     {4, UINT32_MAX}},
    {"COPY_PEER",
     "sm_90a",
     "bulk.s2s",
     NARROW(peer),
     ZLAY_GIVEN_CLUSTER | ZLAY_GIVEN_PEER,
     {0, 3},
     {4, UINT32_MAX}},
    {"COPY_PEER_OTHER",
     "sm_90a",
     "red_async.add",
     NARROW(peer),
     ZLAY_GIVEN_CTA | ZLAY_GIVEN_PEER,
     {1, 2},
     {0, 0}},
    {"COPY_BARRIER_8", "sm_90a", "bulk.g2s", WIDE(barrier), ZLAY_GIVEN_BARRIER, {0, 8}, {4, 12}},
    {"COPY_BARRIER_END",
     "sm_90a",
     "bulk.g2s",
     WIDE(barrier),
     ZLAY_GIVEN_BARRIER,
     {0, 233464},
     {233472, UINT64_MAX}},
    {"COPY_SMEM_128", "sm_90a", "tma.load.2d", WIDE(smem), 0, {128, 1 << 20}, {64, 112}},
    {"COPY_SMEM_128", "sm_90a", "tma.reduce.add.2d", WIDE(smem), 0, {128, 256}, {16, 64}},
    {"COPY_SMEM_END",
     "sm_90a",
     "tma.load.2d",
     WIDE(smem),
     0,
     {0, 233472 - 8192},
     {233472 - 8064, UINT64_MAX - 127}},
    {"COPY_SMEM_END",
     "sm_120",
     "tma.load.2d",
     WIDE(smem),
     0,
     {0, 102400 - 8192},
     {102400 - 8064, UINT64_MAX}},
    {"COPY_BYTES", "sm_90a", "tma.load.2d", WIDE(bytes), 0, {0, 8192}, {8191, 8193}},
    {"COPY_BYTES", "sm_100a", "tma.gather4", WIDE(bytes), 0, {0, 32768}, {8192, 32767}},
    {"COPY_EXPECT_LEAST",
     "sm_90a",
     "tma.load.2d",
     WIDE(expect),
     ZLAY_GIVEN_EXPECT,
     {8192, 8193},
     {8191, 0}},
    {"COPY_EXPECT_MOST",
     "sm_90a",
     "tma.load.2d",
     WIDE(expect),
     ZLAY_GIVEN_EXPECT,
     {8192, 0},
     {8193, UINT64_MAX}},
    {"BULK_EXPECT_LEAST", "sm_90a", "bulk.g2s", WIDE(expect), ZLAY_GIVEN_EXPECT, {64, 65}, {63, 0}},
    {"BULK_EXPECT_MOST", "sm_90a", "bulk.g2s", WIDE(expect), ZLAY_GIVEN_EXPECT, {64, 0}, {65, 128}},
    {"BARRIER_BYTES",
     "sm_90a",
     "bulk.g2s",
     WIDE(expect),
     ZLAY_GIVEN_EXPECT,
     {0, (1 << 20) - 1},
     {1 << 20, UINT64_MAX}},
    {"BARRIER_COUNT",
     "sm_90a",
     "bulk.g2s",
     WIDE(count),
     ZLAY_GIVEN_COUNT,
     {1, (1 << 20) - 1},
     {0, 1 << 20}},
    {"BULK_SIZE_16", "sm_90a", "bulk.s2g", WIDE(bytes), 0, {0, 16}, {8, 17}},
    {"BULK_SIZE_MOST",
     "sm_90a",
     "bulk.s2g",
     WIDE(bytes),
     0,
     {0, (1 << 20) - 16},
     {1 << 20, UINT64_MAX}},
    {"BULK_SOURCE_16", "sm_90a", "bulk.g2s", WIDE(source), 0, {0, 16}, {8, UINT64_MAX}},
    {"BULK_SMEM_16", "sm_90a", "bulk.s2s", WIDE(smem), 0, {0, 16}, {8, 24}},
    {"BULK_SMEM_END",
     "sm_90a",
     "bulk.s2s",
     WIDE(smem),
     0,
     {0, 233472 - 64},
     {233472 - 48, UINT64_MAX}},
    {"COPY_OP", "sm_90a", "tma.reduce.add.2d", NARROW(op), 0, {1, 8}, {0, 9}},
    {"CPASYNC_WIDTH", "sm_80", "cp_async.16", NARROW(width), 0, {4, 16}, {0, 32}},
    {"CPASYNC_WIDTH", "sm_80", "cp_async.16", NARROW(width), 0, {8, 8}, {2, 12}},
    {"CPASYNC_TAKEN", "sm_80", "cp_async.16.zfill", WIDE(taken), 0, {0, 16}, {17, UINT64_MAX}},
    {"THREAD_WIDTH", "sm_90", "ld.g.128", NARROW(width), 0, {1, 16}, {0, 32}},
    {"THREAD_WIDTH", "sm_100", "ld.g.256", NARROW(width), 0, {16, 32}, {12, 64}},
    {"COPY_WIDTH_ADDRESS", "sm_100", "ld.g.256", WIDE(source), 0, {0, 32}, {16, 48}},
    {"COPY_WIDTH_SMEM", "sm_80", "cp_async.16", WIDE(smem), 0, {0, 16}, {8, 20}},
    {"ASYNC_WIDTH", "sm_90", "st_async.b32", NARROW(width), 0, {4, 16}, {0, 32}},
    {"ASYNC_SMEM", "sm_90", "st_async.v4.b32", WIDE(smem), 0, {0, 16}, {8, 4}},
    {"BULK_BYTE_MASK",
     "sm_100",
     "bulk.s2g.mask",
     WIDE(byte_mask),
     0,
     {0, 0xffff},
     {0x10000, UINT64_MAX}},
};

static void put(zlay_issue *issue, const edge *e, uint64_t value)
{
    uint32_t narrow = (uint32_t)value;
    if (e->narrow) memcpy((char *)issue + e->at, &narrow, sizeof narrow);
    else memcpy((char *)issue + e->at, &value, sizeof value);
}

static void one_edge(const edge *e, uint64_t value, bool breaks)
{
    zlay_tensormap map = legal_map();
    zlay_issue c = found(e->id);
    c.cluster = 4;
    c.bytes = e->rule[0] == 'B' ? 64 : 0;
    c.given |= e->given;
    put(&c, e, value);
    bool mapped = !strncmp(e->id, "tma", 3);
    const zlay_reason *r = broken(e->rule, e->on, &c, mapped ? &map : NULL);
    if (!r != !breaks)
        fail_msg("%s at %llu: %s", e->rule, (unsigned long long)value, r ? "broken" : "holds");
}

static void every_rule_at_its_bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        for (int k = 0; k < 2; k++) {
            one_edge(&edges[i], edges[i].holds[k], false);
            one_edge(&edges[i], edges[i].breaks[k], true);
        }
}

/* ---- what a map decides -----------------------------------------------------------------------
 */

static void maps_and_instructions_agree(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map();
    zlay_issue tile = found("tma.load.2d"), gather = found("tma.gather4"),
               pixels = found("tma.load.im2col.3d");
    assert_null(broken("COPY_MODE_MAP", "sm_90a", &tile, &map));
    assert_non_null(broken("COPY_MODE_MAP", "sm_90a", &pixels, &map));
    assert_non_null(broken("COPY_ROWS4_BOX", "sm_100a", &gather, &map));
    map.box[1] = 1;
    assert_null(broken("COPY_ROWS4_BOX", "sm_100a", &gather, &map));
    assert_null(broken("COPY_ROWS4_INTERLEAVE", "sm_100a", &gather, &map));
    map.interleave = 1;
    assert_non_null(broken("COPY_ROWS4_INTERLEAVE", "sm_100a", &gather, &map));
    map.mode = 1;
    assert_non_null(broken("COPY_MODE_MAP", "sm_90a", &tile, &map));
    assert_null(broken("COPY_MODE_MAP", "sm_90a", &pixels, &map));
}

/* PTX ISA 9.1, cp.reduce.async.bulk.tensor: its list, written out again; s64 and f64 as an H200 has
 * them, which faults at the bits of s64 and adds f64. */
static void tensor_reductions_take_types(void **state)
{
    (void)state;
    static const struct {
        const char *op, *types;
    } rows[] = {{"add", "u32 s32 u64 f16 bf16 f32 f64"},
                {"min", "u32 s32 u64 s64 f16 bf16"},
                {"max", "u32 s32 u64 s64 f16 bf16"},
                {"inc", "u32"},
                {"dec", "u32"},
                {"and", "b32 u64"},
                {"or", "b32 u64"},
                {"xor", "b32 u64"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int32_t type = 0; type < 20; type++) {
            char id[40];
            zlay_tensormap map = legal_map();
            map.type = type;
            snprintf(id, sizeof id, "tma.reduce.%s.2d", rows[i].op);
            zlay_issue c = found(id);
            bool takes = types_of(rows[i].types) >> type & 1;
            assert_int_equal(!broken("COPY_OP_TYPE", "sm_90a", &c, &map), takes);
            assert_int_equal(!broken("COPY_PACKED_REDUCE", "sm_100a", &c, &map), type <= 12);
        }
}

static void packed_types(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map();
    zlay_issue load = found("tma.load.2d.cta"), store = found("tma.store.2d"),
               shared = found("tma.load.2d.cluster");
    static const struct {
        int32_t type, x;
        bool groups, pairs;
    } rows[] = {{14, 128, false, false}, {14, 64, true, false}, {15, -128, false, false},
                {15, 64, true, false},   {13, 32, false, false}, {13, 16, false, true},
                {13, -32, false, false}, {13, 1, false, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        map.type = rows[i].type;
        load.coordinate[0] = rows[i].x;
        assert_int_equal(broken("COPY_X_128", "sm_100a", &load, &map) != NULL, rows[i].groups);
        assert_int_equal(broken("COPY_X_32", "sm_100a", &load, &map) != NULL, rows[i].pairs);
        assert_null(broken("COPY_COORDINATE_16", "sm_100a", &load, &map));
    }
    map.type = 15;
    store.coordinate[0] = 64;
    assert_null(broken("COPY_X_128", "sm_103a", &store, &map));
    assert_non_null(broken("COPY_X_128", "sm_100a", &store, &map));
    assert_null(broken("COPY_PACKED_STORE", "sm_100a", &store, &map));
    map.type = 14;
    assert_non_null(broken("COPY_PACKED_STORE", "sm_100a", &store, &map));
    assert_non_null(broken("COPY_PLAIN_SM120", "sm_120a", &shared, &map));
    assert_null(broken("COPY_PLAIN_SM120", "sm_120a", &load, &map));
    assert_null(broken("COPY_PLAIN_SM120", "sm_100a", &shared, &map));
    map.type = ZLAY_TYPE_BF16;
    assert_null(broken("COPY_PLAIN_SM120", "sm_120a", &shared, &map));
    map.swizzle = 4;
    assert_non_null(broken("COPY_PLAIN_SM120", "sm_120a", &shared, &map));
    for (map.swizzle = 3; map.swizzle <= 6; map.swizzle++) {
        assert_int_equal(broken("COPY_FLIP_LOAD", "sm_100a", &store, &map) != NULL, map.swizzle == 5);
        assert_null(broken("COPY_FLIP_LOAD", "sm_100a", &load, &map));
    }
}

/* PTX ISA 9.1: complete-tx counts what is copied, so of 128 values 64 and 96 bytes, without the gaps. */
static void packed_bytes(void **state)
{
    (void)state;
    static const uint64_t row[] = {64, 64, 96};
    zlay_issue load = found("tma.load.2d.cta");
    for (int32_t type = 13; type <= 15; type++) {
        uint64_t bytes;
        zlay_tensormap map = {.address = 1 << 20, .extent = {256, 8}, .stride = {256}, .box = {128, 8}, .step = {1, 1},
                              .rank = 2, .type = type};
        assert_int_equal(zlay_copy_bytes(&bytes, &load, &map), ZLAY_OK);
        assert_int_equal(bytes, 8 * row[type - 13]);
        load.bytes = bytes;
        assert_null(broken("COPY_BYTES", "sm_100a", &load, &map));
        load.bytes = bytes + 64;
        assert_non_null(broken("COPY_BYTES", "sm_100a", &load, &map));
        load.bytes = 0;
    }
}

static void offsets_of_im2col(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map3();
    static const int32_t most[] = {0xffff, 0xff, 0x1f};
    for (uint32_t rank = 3; rank <= 5; rank++)
        for (uint32_t i = 0; i < 3; i++) {
            zlay_issue c = found("tma.load.im2col");
            c.rank = rank;
            c.offset[i] = most[rank - 3];
            assert_null(broken("COPY_OFFSET", "sm_90a", &c, &map));
            c.offset[i]++;
            const zlay_reason *r = broken("COPY_OFFSET", "sm_90a", &c, &map);
            assert_int_equal(r != NULL, i < rank - 2); /* a rank has two offsets fewer */
            if (r) assert_int_equal(r->index, i);
            c.offset[i] = -1;
            assert_int_equal(broken("COPY_OFFSET", "sm_90a", &c, &map) != NULL, i < rank - 2);
        }
    static const struct { const char *id; int32_t halo, offset; } wide[] = {
        {"tma.load.im2col_w.3d", 511, 31}, {"tma.load.im2col_w128.3d", 31, 31}};
    for (size_t i = 0; i < 2; i++) {
        zlay_issue c = found(wide[i].id);
        c.offset[0] = wide[i].halo, c.offset[1] = wide[i].offset;
        assert_null(broken("COPY_HALO", "sm_100a", &c, &map));
        assert_null(broken("COPY_W_OFFSET", "sm_100a", &c, &map));
        c.offset[0]++, c.offset[1]++;
        assert_non_null(broken("COPY_HALO", "sm_100a", &c, &map));
        assert_non_null(broken("COPY_W_OFFSET", "sm_100a", &c, &map));
    }
}

/* On sm_90 the pattern is noted, and refuses nothing. */
static void patterns_are_noted(void **state)
{
    (void)state;
    zlay_reason reasons[REASONS];
    for (int32_t swizzle = 0; swizzle <= 3; swizzle++)
        for (uint32_t at = 0; at < 2048; at += 128) {
            zlay_tensormap map = legal_map();
            map.swizzle = swizzle;
            if (swizzle) map.box[0] = 8u << swizzle;
            zlay_issue c = found("tma.load.2d");
            c.smem = at;
            zlay_verdict v = asked("sm_90a", &c, &map, reasons);
            bool off = swizzle && at % (128u << swizzle) != 0;
            assert_true(v.answer == ZLAY_YES && v.noted == off);
        }
}

/* A copy through a map that no driver encodes is no copy, whatever its own operands are. */
static void the_map_counts(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map();
    zlay_issue c = found("tma.load.2d");
    assert_null(broken("COPY_MAP", "sm_90a", &c, &map));
    map.swizzle = 99;
    assert_non_null(broken("COPY_MAP", "sm_90a", &c, &map));
    map = legal_map();
    map.stride[0] += 8;
    assert_non_null(broken("COPY_MAP", "sm_90a", &c, &map));
    c = found("bulk.g2s");
    assert_null(broken("COPY_MAP", "sm_90a", &c, NULL));
}

/* ---- hostile numbers ---------------------------------------------------------------- */

/* A second reading of the rules of tile loads, from the tables of the header. */
static bool load_is_legal(const zlay_issue *c, const zlay_tensormap *m)
{
    uint64_t rows = m->box[1];
    bool legal = c->coordinate[0] % 8 == 0 && c->smem % 128 == 0 && c->barrier % 8 == 0;
    legal &= c->smem <= 233472 && c->smem + rows * 128 <= 233472 && c->barrier <= 233464;
    legal &= c->expect == rows * m->box[0] * 2 && c->count >= 1 && c->count < 1 << 20;
    legal &= c->rank == 2 && c->expect < 1 << 20;
    return legal;
}

static uint64_t near(uint64_t *s, uint64_t value, uint64_t unit)
{
    switch (test_range(s, 0, 9)) {
    case 0: return value + unit;
    case 1: return test_random(s);
    case 2: return value + 1;
    case 3: return 0;
    default: return value;
    }
}

static void random_loads(void **state)
{
    (void)state;
    uint64_t s = test_seed("t-copy loads"), legal = 0;
    uint64_t iterations = test_iterations(20000);
    for (uint64_t i = 0; i < iterations; i++) {
        zlay_tensormap map = legal_map();
        zlay_issue c = found("tma.load.2d");
        map.box[1] = (uint32_t)test_range(&s, 1, 256);
        c.given = ZLAY_GIVEN_BARRIER | ZLAY_GIVEN_EXPECT | ZLAY_GIVEN_COUNT;
        c.coordinate[0] = (int32_t)near(&s, (uint64_t)test_range(&s, -9, 9) * 8, 8);
        c.coordinate[1] = (int32_t)test_random(&s);
        c.smem = near(&s, 1024 * (uint64_t)test_range(&s, 1, 230), 128);
        c.barrier = near(&s, 8 * (uint64_t)test_range(&s, 1, 29184), 8);
        c.expect = near(&s, map.box[1] * 128, 128);
        c.count = near(&s, 1, (1 << 20) - 2);
        zlay_verdict v;
        assert_int_equal(zlay_copy_check(&v, NULL, 0, target("sm_90a"), &c, &map), ZLAY_OK);
        if ((v.answer == ZLAY_YES) != load_is_legal(&c, &map))
            fail_msg("load %llu of the seed: answer %d", (unsigned long long)i, v.answer);
        legal += v.answer == ZLAY_YES;
    }
    assert_true(legal > iterations / 100 && legal < iterations);
}

/* Any bytes have a verdict on any target, the same with and without room for reasons. */
static void any_bytes_have_a_verdict(void **state)
{
    (void)state;
    uint64_t s = test_seed("t-copy bytes");
    for (uint64_t i = 0; i < test_iterations(20000); i++) {
        union { zlay_issue issue; uint64_t words[sizeof(zlay_issue) / 8]; } c;
        zlay_tensormap map = legal_map();
        zlay_reason reasons[REASONS];
        zlay_verdict a, b;
        uint64_t bytes = 1;
        for (size_t w = 0; w < sizeof c.words / 8; w++)
            c.words[w] = test_range(&s, 0, 2) ? test_random(&s) : 0;
        memset(c.issue.reserved, 0, sizeof c.issue.reserved);
        c.issue.given &= 1023;
        if (test_range(&s, 0, 1)) c.issue.kind = (int32_t)test_range(&s, -1, 17);
        if (test_range(&s, 0, 1)) c.issue.mode = (int32_t)test_range(&s, -1, 8);
        map.rank = (uint32_t)test_random(&s);
        map.type = (int32_t)test_random(&s) % 20;
        map.swizzle = (int32_t)test_random(&s) % 8;
        const zlay_target *t = zlay_target_at((size_t)test_range(&s, 0, 22));
        assert_int_equal(zlay_copy_check(&a, reasons, REASONS, t, &c.issue, &map), ZLAY_OK);
        assert_int_equal(zlay_copy_check(&b, NULL, 0, t, &c.issue, &map), ZLAY_OK);
        assert_memory_equal(&a, &b, sizeof a);
        assert_true(zlay_copy_bytes(&bytes, &c.issue, &map) >= 0);
    }
}

static void refused(void **state)
{
    (void)state;
    zlay_verdict v, before;
    zlay_tensormap map = legal_map();
    zlay_issue c = found("tma.load.2d");
    uint64_t bytes = 5;
    memset(&v, 3, sizeof v);
    before = v;
    const zlay_target *t = target("sm_90a");
    assert_int_equal(zlay_copy_check(&v, NULL, 0, t, &c, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_copy_check(&v, NULL, 0, t, NULL, &map), ZLAY_EINVAL);
    assert_int_equal(zlay_copy_check(&v, NULL, 0, NULL, &c, &map), ZLAY_EINVAL);
    assert_int_equal(zlay_copy_check(NULL, NULL, 0, t, &c, &map), ZLAY_EINVAL);
    assert_int_equal(zlay_copy_check(&v, NULL, 1, t, &c, &map), ZLAY_EINVAL);
    c.reserved[25] = 1;
    assert_int_equal(zlay_copy_check(&v, NULL, 0, t, &c, &map), ZLAY_EINVAL);
    assert_int_equal(zlay_copy_bytes(&bytes, &c, &map), ZLAY_EINVAL);
    c.reserved[25] = 0;
    c.given = 1024;
    assert_int_equal(zlay_copy_check(&v, NULL, 0, t, &c, &map), ZLAY_EINVAL);
    c.given = 0;
    c.mode = ZLAY_COPY_IM2COL_W;
    assert_int_equal(zlay_copy_bytes(&bytes, &c, &map), ZLAY_NONE);
    assert_int_equal(zlay_copy_bytes(NULL, &c, &map), ZLAY_EINVAL);
    assert_int_equal(bytes, 5);
    assert_memory_equal(&v, &before, sizeof v);
    assert_int_equal(sizeof(zlay_issue), 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(ids_say_what_they_are),
        cmocka_unit_test(what_is_no_id),
        cmocka_unit_test(forms_are_those_of_ptxas),
        cmocka_unit_test(forms_are_those_of_the_instructions),
        cmocka_unit_test(reductions_are_those_of_ptxas),
        cmocka_unit_test(every_rule_at_its_bounds),
        cmocka_unit_test(maps_and_instructions_agree),
        cmocka_unit_test(tensor_reductions_take_types),
        cmocka_unit_test(packed_types),
        cmocka_unit_test(packed_bytes),
        cmocka_unit_test(offsets_of_im2col),
        cmocka_unit_test(patterns_are_noted),
        cmocka_unit_test(the_map_counts),
        cmocka_unit_test(random_loads),
        cmocka_unit_test(any_bytes_have_a_verdict),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
