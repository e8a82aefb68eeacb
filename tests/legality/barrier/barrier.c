/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers, blocks and tensormap.replace: forms against what ptxas takes, every rule at its bounds.
 */
#include "legality.h"

static const char *const targets[] = {"sm_80",   "sm_90",   "sm_90a",  "sm_100",
                                      "sm_100a", "sm_100f", "sm_103a", "sm_110a",
                                      "sm_120",  "sm_120a", "sm_120f"};
enum { TARGETS = sizeof targets / sizeof *targets };

typedef zlay_status check(zlay_verdict *, zlay_reason *, size_t, const zlay_target *, const void *);

static zlay_status barrier(zlay_verdict *v, zlay_reason *r, size_t room, const zlay_target *t,
                           const void *value)
{
    return zlay_barrier_check(v, r, room, t, value);
}
static zlay_status block(zlay_verdict *v, zlay_reason *r, size_t room, const zlay_target *t,
                         const void *value)
{
    return zlay_block_check(v, r, room, t, value);
}
static zlay_status replace(zlay_verdict *v, zlay_reason *r, size_t room, const zlay_target *t,
                           const void *value)
{
    return zlay_replace_check(v, r, room, t, value);
}

static const zlay_reason *broken(check *ask, const char *rule, const char *on, const void *value,
                                 int32_t index)
{
    static zlay_reason reasons[REASONS];
    zlay_verdict v;
    assert_int_equal(ask(&v, reasons, REASONS, target_of(on), value), ZLAY_OK);
    assert_int_equal(v.answer, v.broken ? ZLAY_NO : ZLAY_YES);
    assert_int_equal(v.reasons, v.broken + v.noted);
    return reason_of(reasons, &v, rule_number(rule), index);
}

static bool assembles(check *ask, const char *on, const void *value)
{
    zlay_reason reasons[REASONS];
    zlay_verdict v;
    assert_int_equal(ask(&v, reasons, REASONS, target_of(on), value), ZLAY_OK);
    for (uint32_t i = 0; i < v.reasons; i++)
        if (reasons[i].by == ZLAY_BY_ASSEMBLER) return false;
    return true;
}

static zlay_answer answer(check *ask, const char *on, const void *value)
{
    zlay_verdict v;
    assert_int_equal(ask(&v, NULL, 0, target_of(on), value), ZLAY_OK);
    return v.answer;
}

/* ---- the examples of the headers ------------------------------------------------------- */

static void a_barrier_by_hand(void **state)
{
    (void)state;
    zlay_barrier b = {.op = ZLAY_BARRIER_ARRIVE_EXPECT_TX,
                      .bytes = 1,
                      .tx = (1 << 20) - 1,
                      .given = ZLAY_BARRIER_GIVEN_TX};
    const zlay_reason *r = broken(barrier, "MBAR_TX", "sm_90a", &b, -2);
    assert_true(r && r->value == 1 << 20 && r->hi == (1 << 20) - 1);
    b.tx--;
    assert_int_equal(answer(barrier, "sm_90a", &b), ZLAY_YES);
    for (uint64_t waited = 0; waited < 6; waited++) {
        zlay_barrier wait = {.op = ZLAY_BARRIER_TRY_WAIT, .phase = 3, .waited = waited,
                             .parity = waited % 2,
                             .given = ZLAY_BARRIER_GIVEN_PARITY | ZLAY_BARRIER_GIVEN_PHASES};
        bool behind = waited == 2 || waited == 3;
        assert_int_equal(!broken(barrier, "MBAR_PHASE", "sm_90a", &wait, -2), behind);
    }
}

static void a_block_by_hand(void **state)
{
    (void)state;
    zlay_block b = {.threads = 384, .registers = 168, .flags = ZLAY_BLOCK_SETMAXNREG,
                    .setmaxnreg = {24, 240, 240}, .warps = {4, 4, 4}};
    assert_int_equal(answer(block, "sm_90a", &b), ZLAY_YES);
    b.setmaxnreg[2] = 248;
    const zlay_reason *r = broken(block, "SETMAXNREG_POOL", "sm_90a", &b, -2);
    assert_true(r && r->value == (24 + 240 + 248) * 128 && r->hi == 3 * 128 * 168);
    b.setmaxnreg[2] = 240;
    b.warps[1] = 1;
    r = broken(block, "SETMAXNREG_WARPS", "sm_90a", &b, 1);
    assert_true(r && r->value == 1 && r->by == ZLAY_BY_HARDWARE);
}

static void a_map_by_hand(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map();
    zlay_replace r;
    assert_int_equal(zlay_replace_from_tensormap(&r, &map, ZLAY_REPLACE_ELEMTYPE, 0), ZLAY_OK);
    assert_int_equal(r.value, 10);
    assert_int_equal(zlay_replace_from_tensormap(&r, &map, ZLAY_REPLACE_RANK, 0), ZLAY_OK);
    assert_int_equal(r.value, 1);
    assert_int_equal(zlay_replace_from_tensormap(&r, &map, ZLAY_REPLACE_BOX_DIM, 1), ZLAY_OK);
    assert_true(r.value == 64 && r.ord == 1);
    r.flags = ZLAY_REPLACE_FENCES | ZLAY_REPLACE_RELEASED;
    r.fence = 128;
    assert_non_null(broken(replace, "REPLACE_ACQUIRE", "sm_90a", &r, -2));
    r.flags |= ZLAY_REPLACE_ACQUIRED;
    assert_int_equal(answer(replace, "sm_90a", &r), ZLAY_YES);
}

/* ---- forms against ptxas ----------------------------------------------------------------- */

static void barriers_are_those_of_ptxas(void **state)
{
    (void)state;
    static const struct {
        int32_t op;
        uint32_t given;
        int32_t sem, scope;
        uint32_t taken[2];
    } rows[] = {
#define BARRIER_FORM(op, counted, state, parity, sem, scope, own, cluster)                         \
    {ZLAY_BARRIER_##op,                                                                            \
     (counted) * ZLAY_BARRIER_GIVEN_COUNT | (state) * ZLAY_BARRIER_GIVEN_STATE |                   \
         (parity) * ZLAY_BARRIER_GIVEN_PARITY,                                                     \
     ZLAY_SEM_##sem,                                                                               \
     ZLAY_SCOPE_##scope,                                                                           \
     {own, cluster}},
#include "data/barriers.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int t = 0; t < TARGETS; t++)
            for (int space = 0; space < 2; space++) {
                zlay_barrier b = {.op = rows[i].op, .space = space, .sem = rows[i].sem,
                                  .scope = rows[i].scope, .given = rows[i].given, .count = 1};
                bool takes = rows[i].taken[space] >> t & 1;
                if (assembles(barrier, targets[t], &b) != takes)
                    fail_msg("row %zu, space %d, %s: ptxas %s it", i, space, targets[t],
                             takes ? "takes" : "refuses");
            }
}

static void registers_are_those_of_ptxas(void **state)
{
    (void)state;
    static const struct {
        uint32_t registers, taken;
    } rows[] = {
#define SETMAXNREG_FORM(registers, taken) {registers, taken},
#include "data/barriers.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int t = 0; t < TARGETS && rows[i].registers; t++) {
            zlay_block b = {.threads = 128, .flags = ZLAY_BLOCK_SETMAXNREG,
                            .setmaxnreg = {rows[i].registers}, .warps = {4}};
            if (assembles(block, targets[t], &b) != (rows[i].taken >> t & 1))
                fail_msg("setmaxnreg %u on %s", rows[i].registers, targets[t]);
        }
}

/* What is in a register ptxas does not see: there 16 stands, which every such field may hold but a
 * rank and a step. */
#define REGISTER UINT64_MAX - 1
static void fields_are_those_of_ptxas(void **state)
{
    (void)state;
    static const struct {
        int32_t field, ord;
        uint64_t value;
        uint32_t taken;
    } rows[] = {
#define REPLACE_FORM(field, ord, value, taken) {ZLAY_REPLACE_##field, ord, value, taken},
#include "data/barriers.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int t = 0; t < TARGETS; t++) {
            bool own = rows[i].value == REGISTER;
            zlay_replace r = {.field = rows[i].field, .ord = (uint32_t)rows[i].ord,
                              .value = own ? 16 : rows[i].value};
            if (assembles(replace, targets[t], &r) != (rows[i].taken >> t & 1))
                fail_msg("field %d ord %d value %llu on %s", r.field, rows[i].ord,
                         (unsigned long long)r.value, targets[t]);
        }
}

/* ---- bounds --------------------------------------------------------------------------------- */

typedef struct edge {
    const char *rule, *on;
    size_t at;
    bool narrow;
    uint64_t holds[2], breaks[2];
} edge;

static void put(void *subject, const edge *e, uint64_t value)
{
    uint32_t word = (uint32_t)value;
    if (e->narrow) memcpy((char *)subject + e->at, &word, sizeof word);
    else memcpy((char *)subject + e->at, &value, sizeof value);
}

static void one_edge(check *ask, const edge *e, const void *from, size_t size)
{
    union { zlay_barrier barrier; zlay_block block; zlay_replace replace; } s;
    for (int k = 0; k < 4; k++) {
        uint64_t value = k < 2 ? e->holds[k] : e->breaks[k - 2];
        memcpy(&s, from, size);
        put(&s, e, value);
        if (!broken(ask, e->rule, e->on, &s, -2) != (k < 2))
            fail_msg("%s at %llu", e->rule, (unsigned long long)value);
    }
}

#define B(field) offsetof(zlay_barrier, field)
static void barriers_at_their_bounds(void **state)
{
    (void)state;
    static const struct {
        int32_t op;
        uint32_t given;
        edge edge;
    } rows[] = {
        {ZLAY_BARRIER_INIT, 0, {"MBAR_OP", "sm_90", B(op), true, {1, 15}, {0, 16}}},
        {ZLAY_BARRIER_INIT, 0, {"MBAR_OP", "sm_90", B(op), true, {1, 1}, {0x80000000, 0x7fffffff}}},
        {ZLAY_BARRIER_ARRIVE, 0, {"MBAR_SCOPE", "sm_90", B(scope), true, {0, 2}, {3, 0xffffffff}}},
        {ZLAY_BARRIER_ARRIVE, 0, {"MBAR_SPACE", "sm_90", B(space), true, {0, 1}, {2, 0xffffffff}}},
        {ZLAY_BARRIER_INIT, 0, {"MBAR_ADDRESS_8", "sm_80", B(address), false, {0, 8}, {4, 12}}},
        {ZLAY_BARRIER_INIT,
         0,
         {"MBAR_END", "sm_90", B(address), false, {0, 233464}, {233472, UINT64_MAX - 7}}},
        {ZLAY_BARRIER_INIT,
         0,
         {"MBAR_COUNT", "sm_80", B(count), false, {1, (1 << 20) - 1}, {0, 1 << 20}}},
        {ZLAY_BARRIER_ARRIVE,
         1,
         {"MBAR_ARRIVALS", "sm_90", B(count), false, {1, (1 << 20) - 1}, {0, 1 << 20}}},
        {ZLAY_BARRIER_ARRIVE,
         3,
         {"MBAR_PENDING", "sm_90", B(count), false, {1, 4}, {5, UINT64_MAX}}},
        {ZLAY_BARRIER_ARRIVE_NO_COMPLETE,
         3,
         {"MBAR_PART", "sm_80", B(count), false, {1, 3}, {4, 5}}},
        {ZLAY_BARRIER_EXPECT_TX,
         0,
         {"MBAR_BYTES", "sm_90", B(bytes), false, {0, (1 << 20) - 1}, {1 << 20, UINT64_MAX}}},
        {ZLAY_BARRIER_EXPECT_TX,
         4,
         {"MBAR_TX",
          "sm_90",
          B(bytes),
          false,
          {0, (1 << 20) - 101},
          {(1 << 20) - 100, UINT64_MAX}}},
        {ZLAY_BARRIER_TRY_WAIT,
         8,
         {"MBAR_PARITY", "sm_90", B(parity), false, {0, 1}, {2, UINT64_MAX}}},
        {ZLAY_BARRIER_TRY_WAIT, 64, {"MBAR_REMOTE_SCOPE", "sm_90", B(scope), true, {2, 2}, {0, 1}}},
        {ZLAY_BARRIER_WAIT_GROUP,
         0,
         {"GROUP_COUNT", "sm_80", B(count), false, {0, INT32_MAX}, {1ull << 31, UINT64_MAX}}},
        {ZLAY_BARRIER_SYNC, 0, {"SYNC_NAME", "sm_80", B(name), true, {0, 15}, {16, UINT32_MAX}}},
        {ZLAY_BARRIER_SYNC, 1, {"SYNC_WARPS", "sm_80", B(count), false, {32, 1024}, {33, 16}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_barrier b = {.op = rows[i].op, .given = rows[i].given, .pending = 4, .tx = 100};
        one_edge(barrier, &rows[i].edge, &b, sizeof b);
    }
}

#define K(field) offsetof(zlay_block, field)
static void blocks_at_their_bounds(void **state)
{
    (void)state;
    enum { C = ZLAY_BLOCK_CLUSTER, S = ZLAY_BLOCK_SETMAXNREG };
    static const struct { uint32_t flags; edge edge; } rows[] = {
        {0, {"BLOCK_THREADS", "sm_90", K(threads), true, {1, 1024}, {0, 1025}}},
        {0, {"BLOCK_REGISTERS", "sm_90", K(registers), true, {0, 255}, {256, UINT32_MAX}}},
        {0, {"BLOCK_FILE", "sm_90", K(threads), true, {128, 512}, {513, UINT32_MAX}}},
        {0, {"BLOCK_STATIC", "sm_90", K(smem_static), false, {0, 49152}, {49153, UINT64_MAX}}},
        {0, {"BLOCK_STATIC", "sm_90a", K(smem_static), false, {0, 232448}, {232449, UINT64_MAX}}},
        {0, {"BLOCK_STATIC", "sm_120a", K(smem_static), false, {0, 101376}, {101377, UINT64_MAX}}},
        {0, {"BLOCK_SMEM", "sm_90a", K(smem_dynamic), false, {0, 232448}, {232449, UINT64_MAX}}},
        {C, {"BLOCK_PORTABLE", "sm_90", K(cluster), true, {1, 4}, {0, 5}}},
        {C | 2, {"BLOCK_NON_PORTABLE", "sm_90", K(cluster), true, {1, 8}, {9, UINT32_MAX}}},
        {C | 2, {"BLOCK_NON_PORTABLE", "sm_100a", K(cluster), true, {1, 8}, {9, UINT32_MAX}}},
        {C | 2, {"BLOCK_NON_PORTABLE", "sm_110", K(cluster), true, {1, 4}, {0, 5}}},
        {C | 2, {"BLOCK_NON_PORTABLE", "sm_110a", K(cluster), true, {1, 4}, {0, 5}}},
        {C | 2, {"BLOCK_NON_PORTABLE", "sm_121", K(cluster), true, {1, 4}, {0, 5}}},
        {C | 2, {"BLOCK_NON_PORTABLE", "sm_120", K(cluster), true, {1, 8}, {9, UINT32_MAX}}},
        {C | 4, {"BLOCK_GRID", "sm_90", K(grid), true, {0, 6}, {1, 7}}},
        {S, {"SETMAXNREG_8", "sm_90a", K(setmaxnreg), true, {24, 256}, {25, 260}}},
        {S, {"SETMAXNREG_RANGE", "sm_90a", K(setmaxnreg), true, {24, 256}, {16, 264}}},
        {S, {"SETMAXNREG_RANGE", "sm_90a", K(setmaxnreg), true, {0, 24}, {8, UINT32_MAX}}},
        {S, {"SETMAXNREG_WARPS", "sm_90a", K(warps), true, {4, 4}, {1, 5}}},
        {S, {"SETMAXNREG_FIXED", "sm_90a", K(flags), true, {S, S}, {S | 16, S | 16}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_block b = {.threads = 128, .registers = 128, .cluster = {2, 2, 1}, .grid = {2, 2, 1},
                        .setmaxnreg = {32}, .warps = {4}, .flags = rows[i].flags};
        one_edge(block, &rows[i].edge, &b, sizeof b);
    }
}

#define F(field) offsetof(zlay_replace, field)
static void fields_at_their_bounds(void **state)
{
    (void)state;
    enum { FENCES = ZLAY_REPLACE_FENCES };
    static const struct {
        int32_t field;
        uint32_t flags;
        edge edge;
    } rows[] = {
        {1, 0, {"REPLACE_FIELD", "sm_90a", F(field), true, {1, 11}, {0, 12}}},
        {1, 0, {"REPLACE_MODE", "sm_90a", F(mode), true, {0, 0}, {1, 2}}},
        {ZLAY_REPLACE_BOX_DIM, 0, {"REPLACE_ORD", "sm_90a", F(ord), true, {0, 4}, {5, UINT32_MAX}}},
        {ZLAY_REPLACE_GLOBAL_STRIDE,
         0,
         {"REPLACE_ORD_STRIDE", "sm_90a", F(ord), true, {0, 3}, {4, 5}}},
        {ZLAY_REPLACE_RANK,
         0,
         {"REPLACE_NUMBER", "sm_90a", F(value), false, {0, 4}, {5, UINT64_MAX}}},
        {ZLAY_REPLACE_BOX_DIM,
         0,
         {"REPLACE_NUMBER", "sm_90a", F(value), false, {1, 256}, {0, 257}}},
        {ZLAY_REPLACE_GLOBAL_DIM,
         0,
         {"REPLACE_NUMBER", "sm_90a", F(value), false, {1, UINT32_MAX}, {0, 1ull << 32}}},
        {ZLAY_REPLACE_ELEMENT_STRIDE,
         0,
         {"REPLACE_NUMBER", "sm_90a", F(value), false, {1, 8}, {0, 9}}},
        {ZLAY_REPLACE_GLOBAL_STRIDE,
         0,
         {"REPLACE_NUMBER",
          "sm_90a",
          F(value),
          false,
          {0, (1ull << 40) - 1},
          {1ull << 40, UINT64_MAX}}},
        {ZLAY_REPLACE_GLOBAL_STRIDE,
         0,
         {"REPLACE_UNIT", "sm_90a", F(value), false, {16, 4096}, {8, 17}}},
        {ZLAY_REPLACE_GLOBAL_ADDRESS,
         0,
         {"REPLACE_UNIT", "sm_90a", F(value), false, {0, 16}, {8, 1}}},
        {1, FENCES, {"REPLACE_FENCE", "sm_90a", F(fence), false, {128, 128}, {64, 256}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_replace r = {.field = rows[i].field, .flags = rows[i].flags};
        one_edge(replace, &rows[i].edge, &r, sizeof r);
    }
}

static void targets_have_what_they_have(void **state)
{
    (void)state;
    zlay_block b = {.threads = 128, .cluster = {1, 1, 1}, .flags = ZLAY_BLOCK_CLUSTER};
    assert_non_null(broken(block, "BLOCK_CLUSTERS", "sm_80", &b, -2));
    assert_null(broken(block, "BLOCK_CLUSTERS", "sm_120", &b, -2));
    zlay_barrier init = {.op = ZLAY_BARRIER_INIT, .count = 1};
    assert_non_null(broken(barrier, "MBAR_TARGET", "gfx942", &init, -2));
    assert_int_equal(answer(barrier, "sm_80", &init), ZLAY_YES);
    zlay_block gfx = {.threads = 1024, .smem_static = 65536};
    assert_int_equal(answer(block, "gfx942", &gfx), ZLAY_YES);
    gfx.smem_static++;
    assert_int_equal(answer(block, "gfx942", &gfx), ZLAY_NO);
}

/* PTX ISA 9.1, Table 33, against cuda.h's enumeration, both written out by name. */
static void types_have_two_numbers(void **state)
{
    (void)state;
    static const char *const ptx[] = {"u8",  "u16",     "u32", "s32",  "u64",  "s64",      "f16",
                                      "f32", "f32_ftz", "f64", "bf16", "tf32", "tf32_ftz", "b4x16",
                                      "b4x16_p64", "b6x16_p32"};
    for (uint32_t number = 0; number < 16; number++) {
        zlay_tensormap map = legal_map();
        zlay_replace r;
        assert_int_equal(zlay_type_find(&map.type, ptx[number], strlen(ptx[number])), ZLAY_OK);
        assert_int_equal(zlay_replace_from_tensormap(&r, &map, ZLAY_REPLACE_ELEMTYPE, 0), ZLAY_OK);
        assert_int_equal(r.value, number);
    }
    static const uint8_t swizzles[7][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {3, 1}, {3, 2}, {3, 3}};
    for (int32_t s = 0; s < 7; s++) {
        zlay_tensormap map = legal_map();
        zlay_replace r;
        map.swizzle = s;
        assert_int_equal(zlay_replace_from_tensormap(&r, &map, ZLAY_REPLACE_SWIZZLE_MODE, 0), ZLAY_OK);
        assert_int_equal(r.value, swizzles[s][0]);
        assert_int_equal(zlay_replace_from_tensormap(&r, &map, ZLAY_REPLACE_SWIZZLE_ATOMICITY, 0), ZLAY_OK);
        assert_int_equal(r.value, swizzles[s][1]);
    }
}

/* Every field of a legal map is one that the check takes. */
static void a_legal_map_is_replaced_legally(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map3();
    uint32_t fields = 0;
    for (int32_t field = 1; field < ZLAY_REPLACE_FIELDS; field++)
        for (uint32_t ord = 0; ord < 6; ord++) {
            zlay_replace r = {.field = -5};
            if (zlay_replace_from_tensormap(&r, &map, field, ord) != ZLAY_OK) {
                assert_int_equal(r.field, -5);
                continue;
            }
            fields++;
            assert_int_equal(answer(replace, "sm_100a", &r), ZLAY_YES);
        }
    assert_int_equal(fields,
                     7 + 3 + 3 + 3 + 2); /* the seven without ord; boxes, extents, steps; strides */
}

static void refused(void **state)
{
    (void)state;
    const zlay_target *t = target_of("sm_90a");
    zlay_verdict v, before;
    zlay_barrier b = {.op = 1, .count = 1};
    zlay_block k = {.threads = 1};
    zlay_replace r = {.field = 1};
    zlay_tensormap map = legal_map();
    memset(&v, 9, sizeof v);
    before = v;
    assert_int_equal(zlay_barrier_check(&v, NULL, 0, t, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_barrier_check(NULL, NULL, 0, t, &b), ZLAY_EINVAL);
    assert_int_equal(zlay_barrier_check(&v, NULL, 1, t, &b), ZLAY_EINVAL);
    assert_int_equal(zlay_block_check(&v, NULL, 0, NULL, &k), ZLAY_EINVAL);
    assert_int_equal(zlay_replace_check(&v, NULL, 0, t, NULL), ZLAY_EINVAL);
    b.given = 128, k.flags = 32, r.flags = 8;
    assert_int_equal(zlay_barrier_check(&v, NULL, 0, t, &b), ZLAY_EINVAL);
    assert_int_equal(zlay_block_check(&v, NULL, 0, t, &k), ZLAY_EINVAL);
    assert_int_equal(zlay_replace_check(&v, NULL, 0, t, &r), ZLAY_EINVAL);
    b.given = 0, k.flags = 0, r.flags = 0;
    b.reserved[9] = k.reserved[10] = r.reserved[7] = 1;
    assert_int_equal(zlay_barrier_check(&v, NULL, 0, t, &b), ZLAY_EINVAL);
    assert_int_equal(zlay_block_check(&v, NULL, 0, t, &k), ZLAY_EINVAL);
    assert_int_equal(zlay_replace_check(&v, NULL, 0, t, &r), ZLAY_EINVAL);
    assert_memory_equal(&v, &before, sizeof v);
    assert_int_equal(zlay_replace_from_tensormap(NULL, &map, 1, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_replace_from_tensormap(&r, &map, 12, 0), ZLAY_EINVAL);
    map.rank = 0;
    assert_int_equal(zlay_replace_from_tensormap(&r, &map, 1, 0), ZLAY_NONE);
    map.rank = 2, map.type = 77;
    assert_int_equal(zlay_replace_from_tensormap(&r, &map, ZLAY_REPLACE_ELEMTYPE, 0), ZLAY_NONE);
    assert_true(sizeof b == 128 && sizeof k == 160 && sizeof r == 64);
}

/* Any bytes have a verdict. */
static void any_bytes_have_a_verdict(void **state)
{
    (void)state;
    uint64_t s = test_seed("legality/barrier/barrier bytes");
    for (uint64_t i = 0; i < test_iterations(20000); i++) {
        union {
            zlay_barrier barrier;
            zlay_block block;
            zlay_replace replace;
            uint64_t words[20];
        } u;
        const zlay_target *t = zlay_target_nth((size_t)test_range(&s, 0, 22));
        zlay_reason reasons[REASONS];
        zlay_verdict a, b;
        for (int w = 0; w < 20; w++) u.words[w] = test_range(&s, 0, 2) ? test_random(&s) : 0;
        int which = (int)test_range(&s, 0, 2);
        check *ask = which == 0 ? barrier : which == 1 ? block : replace;
        if (which == 0)
            memset(u.barrier.reserved, 0, sizeof u.barrier.reserved), u.barrier.given &= 127;
        if (which == 1) memset(u.block.reserved, 0, sizeof u.block.reserved), u.block.flags &= 31;
        if (which == 2)
            memset(u.replace.reserved, 0, sizeof u.replace.reserved), u.replace.flags &= 7;
        if (test_range(&s, 0, 1) && which != 1) u.barrier.op = (int32_t)test_range(&s, -1, 17);
        assert_int_equal(ask(&a, reasons, REASONS, t, &u), ZLAY_OK);
        assert_int_equal(ask(&b, NULL, 0, t, &u), ZLAY_OK);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_barrier_by_hand),
        cmocka_unit_test(a_block_by_hand),
        cmocka_unit_test(a_map_by_hand),
        cmocka_unit_test(barriers_are_those_of_ptxas),
        cmocka_unit_test(registers_are_those_of_ptxas),
        cmocka_unit_test(fields_are_those_of_ptxas),
        cmocka_unit_test(barriers_at_their_bounds),
        cmocka_unit_test(blocks_at_their_bounds),
        cmocka_unit_test(fields_at_their_bounds),
        cmocka_unit_test(targets_have_what_they_have),
        cmocka_unit_test(types_have_two_numbers),
        cmocka_unit_test(a_legal_map_is_replaced_legally),
        cmocka_unit_test(refused),
        cmocka_unit_test(any_bytes_have_a_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
