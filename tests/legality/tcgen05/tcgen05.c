/* SPDX-License-Identifier: Apache-2.0 */
/* tcgen05.mma: every shape and its neighbours, types, majors, modifiers, targets, repairs, practice, hostile numbers. */
#include "tiles/tcgen05.h"

/* ---- shapes ------------------------------------------------------------------------- */

static const uint32_t ms[] = {0,   1,   16,  24,  31,  32,  33,  48,  56,  63,  64,  65,  72,  96, 112,
                              120, 127, 128, 129, 136, 144, 160, 192, 240, 255, 256, 257, 272, 384, 512};
static const uint32_t ks[] = {0, 8, 15, 16, 17, 32, 48, 64, 80, 96, 112, 128, 192, 256};

static void one_shape(const product *p, uint32_t *legal)
{
    zlay_mma mma = mma_of(p);
    bool yes = product_is(p);
    *legal += yes;
    if (mma_answer(p->kind == ZLAY_KIND_I8 ? "sm_100a" : "sm_103a", &mma) != (yes ? ZLAY_YES : ZLAY_NO))
        fail_msg("%s ws %u group %u sparse %u m%un%uk%u is %s", kind_names[p->kind], p->ws, p->group,
                 p->sparse, p->m, p->n, p->k, yes ? "legal" : "illegal");
}

/* 1108 products, as the rows of Table 39 count. */
static void every_shape_and_its_neighbours(void **state)
{
    (void)state;
    uint32_t legal = 0;
    for (uint32_t form = 0; form < KINDS * 12; form++)
        for (size_t m = 0; m < sizeof ms / sizeof *ms; m++)
            for (size_t k = 0; k < sizeof ks / sizeof *ks; k++)
                for (uint32_t n = 0; n <= 272; n += n < 32 || n > 252 ? 4 : 8) {
                    product p = {(int32_t)(form / 12) + 1, form % 2, form / 2 % 3, form / 6 % 2,
                                 ms[m], n, ks[k]};
                    if (p.group) one_shape(&p, &legal);
                }
    assert_int_equal(legal, 1108);
}

/* A descriptor without its instruction is legal where some instruction of its kind is. */
static void shapes_of_descriptors(void **state)
{
    (void)state;
    for (int32_t kind = 1; kind <= KINDS; kind++)
        for (uint32_t m = 0; m <= 496; m += kind < ZLAY_KIND_MXF8F6F4 ? 16 : 128)
            for (uint32_t n = 0; n <= 504; n += 8)
                for (uint32_t sparse = 0; sparse < 2; sparse++) {
                    zlay_mma mma = legal_mma(kind);
                    zlay_idesc f;
                    zlay_verdict v;
                    bool some = false;
                    for (uint32_t form = 0; form < 4; form++) {
                        product p = {kind, form % 2, 1 + form / 2, sparse, m, n,
                                     dense_k(kind) * (1 + sparse)};
                        some |= product_is(&p);
                    }
                    assert_int_equal(zlay_idesc_from_mma(&f, &mma), ZLAY_OK);
                    f.m = m, f.n = n, f.sparse = sparse;
                    assert_int_equal(zlay_idesc_check(&v, NULL, 0, target_of("sm_100a"), &f, NULL),
                                     ZLAY_OK);
                    assert_int_equal(v.answer, some ? ZLAY_YES : ZLAY_NO);
                }
}

/* ---- types -------------------------------------------------------------------------- */

static bool holds(const int32_t *list, int32_t type)
{
    for (; *list >= 0; list++)
        if (*list == type) return true;
    return false;
}

static bool types_are(int32_t kind, int32_t a, int32_t b, int32_t d)
{
    static const int32_t halves[] = {ZLAY_TYPE_F16, ZLAY_TYPE_BF16, -1}, single[] = {ZLAY_TYPE_TF32, -1},
                         eights[] = {ZLAY_TYPE_E4M3, ZLAY_TYPE_E5M2, ZLAY_TYPE_E2M3, ZLAY_TYPE_E3M2,
                                     ZLAY_TYPE_E2M1, -1},
                         bytes[] = {ZLAY_TYPE_S8, ZLAY_TYPE_U8, -1}, fours[] = {ZLAY_TYPE_E2M1, -1};
    const int32_t *const lists[] = {NULL, halves, single, eights, bytes, eights, fours, fours};
    if (!holds(lists[kind], a) || !holds(lists[kind], b)) return false;
    if (kind == ZLAY_KIND_I8) return d == ZLAY_TYPE_S32;
    if (d == ZLAY_TYPE_F32) return true;
    if (d != ZLAY_TYPE_F16) return false;
    return kind == ZLAY_KIND_F8F6F4 ||
           (kind == ZLAY_KIND_F16 && a == ZLAY_TYPE_F16 && b == ZLAY_TYPE_F16);
}

static void every_triple_of_types(void **state)
{
    (void)state;
    for (int32_t kind = 1; kind <= KINDS; kind++)
        for (int32_t a = -1; a < 48; a++)
            for (int32_t b = -1; b < 48; b++)
                for (int32_t d = -1; d < 48; d++) {
                    zlay_mma mma = legal_mma(kind);
                    mma.a = a, mma.b = b, mma.d = d;
                    if (mma_answer("sm_100a", &mma) != (types_are(kind, a, b, d) ? ZLAY_YES : ZLAY_NO))
                        fail_msg("kind %s: types %d %d %d", kind_names[kind], a, b, d);
                    if (a >= 0 && !zlay_type_name(a)) break;
                }
}

static bool is_narrow(int32_t type)
{
    return type == ZLAY_TYPE_E2M3 || type == ZLAY_TYPE_E3M2 || type == ZLAY_TYPE_E2M1;
}

/* Only K-major: 4- and 6-bit types, the kinds of fours, A in tensor memory. An MN-major B of bytes
 * doubles the step of N. */
static void majors(void **state)
{
    (void)state;
    static const int32_t operands[] = {ZLAY_TYPE_E4M3, ZLAY_TYPE_E2M3, ZLAY_TYPE_E2M1};
    for (int32_t kind = 1; kind <= KINDS; kind++)
        for (uint32_t at = 0; at < 9 * 8 * 5; at++) {
            zlay_mma mma = legal_mma(kind);
            bool eights = kind == ZLAY_KIND_F8F6F4 || kind == ZLAY_KIND_MXF8F6F4;
            if (eights) mma.a = operands[at % 3], mma.b = operands[at / 3 % 3];
            mma.a_major = at / 9 % 2, mma.b_major = at / 18 % 2;
            mma.a_source = at / 36 % 2 ? ZLAY_SOURCE_TMEM : ZLAY_SOURCE_SMEM;
            mma.cta_group = 1 + at / 72 % 2;
            mma.n = (uint32_t[]){128, 16, 24, 48, 8}[at / 144 % 5];
            if (mma.cta_group == 2) mma.m = 256;
            product p = {kind, 0, mma.cta_group, 0, mma.m, mma.n, mma.k};
            bool a_fixed = is_narrow(mma.a) || mma.a_source == ZLAY_SOURCE_TMEM;
            bool bytes = (eights || kind == ZLAY_KIND_I8) && !is_narrow(mma.b);
            bool legal = product_is(&p) && !(mma.a_major && a_fixed) &&
                         !(mma.b_major && is_narrow(mma.b)) &&
                         !(mma.b_major && bytes && mma.n % (16 * mma.cta_group));
            assert_int_equal(mma_answer("sm_100a", &mma), legal ? ZLAY_YES : ZLAY_NO);
        }
}

/* ---- modifiers and targets ------------------------------------------------------------- */

typedef struct edge {
    const char *on;
    int32_t kind;
    size_t at;
    uint32_t value;
    const char *rule; /* NULL: legal */
} edge;

#define AT(name) offsetof(zlay_mma, name)
#define F16      ZLAY_KIND_F16
#define I8       ZLAY_KIND_I8
#define MX8      ZLAY_KIND_MXF8F6F4
#define MX4      ZLAY_KIND_MXF4
#define NV4      ZLAY_KIND_MXF4NVF4

static const edge edges[] = {
    {"sm_90a", F16, AT(strict), 0, "T5_TARGET"},
    {"sm_100", F16, AT(strict), 0, "T5_TARGET"},
    {"sm_120a", F16, AT(strict), 0, "T5_TARGET"},
    {"gfx942", F16, AT(strict), 0, "T5_TARGET"},
    {"sm_110f", F16, AT(strict), 1, NULL},
    {"sm_100a", F16, AT(kind), 0, "T5_KIND"},
    {"sm_100a", F16, AT(kind), 8, "T5_KIND"},
    {"sm_100a", F16, AT(kind), UINT32_MAX, "T5_KIND"},
    {"sm_100a", I8, AT(strict), 0, NULL},
    {"sm_110a", I8, AT(strict), 0, NULL},
    {"sm_103a", I8, AT(strict), 0, "T5_I8_TARGET"},
    {"sm_100f", I8, AT(strict), 0, "T5_I8_TARGET"},
    {"sm_100a", MX8, AT(scale_vec), ZLAY_SCALE_1X, NULL},
    {"sm_100f", MX8, AT(scale_vec), ZLAY_SCALE_1X, "T5_VECTOR_TARGET"},
    {"sm_103a", MX8, AT(scale_vec), ZLAY_SCALE_BLOCK32, NULL},
    {"sm_100a", MX8, AT(scale_vec), ZLAY_SCALE_2X, "T5_VECTOR"},
    {"sm_100a", MX8, AT(scale_vec), ZLAY_SCALE_BLOCK16, "T5_VECTOR"},
    {"sm_110a", MX4, AT(scale_vec), ZLAY_SCALE_2X, NULL},
    {"sm_110f", MX4, AT(scale_vec), ZLAY_SCALE_2X, "T5_VECTOR_TARGET"},
    {"sm_100a", MX4, AT(scale_vec), ZLAY_SCALE_4X, "T5_VECTOR"},
    {"sm_100a", NV4, AT(scale_vec), ZLAY_SCALE_NONE, "T5_VECTOR"},
    {"sm_100a", NV4, AT(scale_vec), ZLAY_SCALE_4X, NULL},
    {"sm_103f", NV4, AT(scale_vec), ZLAY_SCALE_4X, "T5_VECTOR_TARGET"},
    {"sm_103f", NV4, AT(scale_vec), ZLAY_SCALE_BLOCK32, NULL},
    {"sm_100a", F16, AT(scale_vec), ZLAY_SCALE_BLOCK32, "T5_VECTOR"},
    {"sm_100a", F16, AT(scale_vec), 77, "T5_VECTOR"},
    {"sm_100a", F16, AT(cta_group), 3, "T5_GROUP"},
    {"sm_100a", F16, AT(ws), 1, NULL},
    {"sm_100a", F16, AT(ws), 2, "T5_WS_FLAG"},
    {"sm_100a", MX8, AT(ws), 1, "T5_WS_KIND"},
    {"sm_100a", F16, AT(sparse), 2, "T5_SPARSE_FLAG"},
    {"sm_100a", F16, AT(a_source), ZLAY_SOURCE_TMEM, NULL},
    {"sm_100a", F16, AT(a_source), ZLAY_SOURCE_REG, "T5_A_SOURCE"},
    {"sm_100a", F16, AT(a_source), 9, "T5_A_SOURCE"},
    {"sm_100a", F16, AT(a_major), 2, "T5_A_MAJOR"},
    {"sm_100a", F16, AT(b_major), UINT32_MAX, "T5_B_MAJOR"},
    {"sm_100a", MX4, AT(a_major), 1, "T5_A_MAJOR_FOURS"},
    {"sm_100a", NV4, AT(b_major), 1, "T5_B_MAJOR_FOURS"},
    {"sm_100a", F16, AT(negate_a), 1, NULL},
    {"sm_100a", F16, AT(negate_a), 2, "T5_NEGATE_A"},
    {"sm_100a", MX4, AT(negate_b), 1, NULL},
    {"sm_100a", MX4, AT(negate_b), 3, "T5_NEGATE_B"},
    {"sm_100a", I8, AT(negate_a), 1, "T5_NEGATE_A_I8"},
    {"sm_100a", I8, AT(negate_b), 1, "T5_NEGATE_B_I8"},
    {"sm_100a", I8, AT(saturate), 1, NULL},
    {"sm_100a", I8, AT(saturate), 2, "T5_SATURATE"},
    {"sm_100a", F16, AT(saturate), 1, "T5_SATURATE_FLOAT"},
    {"sm_100a", MX8, AT(saturate), 1, "T5_SATURATE_SCALED"},
    {"sm_100a", F16, AT(ashift), 1, "T5_ASHIFT_SOURCE"},
    {"sm_100a", F16, AT(ashift), 2, "T5_ASHIFT"},
    {"sm_100a", MX8, AT(ashift), 1, "T5_ASHIFT_SCALED"},
    {"sm_100a", F16, AT(collector), ZLAY_COLLECTOR_A_LASTUSE, NULL},
    {"sm_100a", F16, AT(collector), ZLAY_COLLECTOR_B0_FILL, "T5_COLLECTOR"},
    {"sm_100a", F16, AT(collector), 21, "T5_COLLECTOR"},
    {"sm_100a", F16, AT(selector), 1, "T5_SELECTOR"},
    {"sm_100a", F16, AT(bit_op), 1, "T5_BIT_OP"},
    {"sm_100a", F16, AT(blocks), 2, "T5_BLOCKS"},
    {"sm_100a", F16, AT(ptx), 85, "T5_PTX_LEAST"},
    {"sm_100a", F16, AT(ptx), 86, NULL},
    {"sm_100f", F16, AT(ptx), 87, "T5_PTX_LEAST"},
    {"sm_103a", F16, AT(ptx), 88, NULL},
    {"sm_110a", F16, AT(ptx), 88, "T5_PTX_LEAST"},
    {"sm_110f", F16, AT(ptx), 90, NULL},
    {"sm_100a", NV4, AT(ptx), 87, "T5_PTX_LEAST"},
    {"sm_100a", NV4, AT(ptx), 88, NULL},
    {"sm_100a", MX4, AT(k), 96, "T5_K"},
};

static void every_modifier_at_its_bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        const edge *e = &edges[i];
        zlay_mma mma = legal_mma(e->kind);
        zlay_verdict v;
        zlay_reason r[REASONS];
        memcpy((char *)&mma + e->at, &e->value, sizeof e->value);
        assert_int_equal(zlay_mma_check(&v, r, REASONS, target_of(e->on), &mma), ZLAY_OK);
        zlay_verdict bare;
        assert_int_equal(zlay_mma_check(&bare, NULL, 0, target_of(e->on), &mma), ZLAY_OK);
        assert_memory_equal(&bare, &v, sizeof v);
        if (v.answer != (e->rule ? ZLAY_NO : ZLAY_YES))
            fail_msg("edge %zu: %s", i, e->rule ? e->rule : "legal");
        if (e->rule && !reason_of(r, &v, rule_number(e->rule), -1))
            fail_msg("edge %zu: %s is not broken", i, e->rule);
    }
}

static void k_of_96(void **state)
{
    (void)state;
    static const char *const targets[] = {"sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_110a"};
    for (size_t i = 0; i < 5; i++)
        for (int32_t kind = ZLAY_KIND_MXF4; kind <= ZLAY_KIND_MXF4NVF4; kind++) {
            product p = {kind, 0, 2, 0, 256, 48, 96};
            zlay_mma mma = mma_of(&p);
            assert_int_equal(mma_answer(targets[i], &mma), i == 2 ? ZLAY_YES : ZLAY_NO);
        }
}

static void sparse_fours_with_suffix_a_only(void **state)
{
    (void)state;
    static const char *const targets[] = {"sm_100a", "sm_103a", "sm_110a",
                                          "sm_100f", "sm_103f", "sm_110f"};
    for (size_t i = 0; i < 6; i++)
        for (int32_t kind = ZLAY_KIND_MXF8F6F4; kind <= ZLAY_KIND_MXF4NVF4; kind++) {
            product p = {kind, 0, 1, 1, 128, 128, 2 * dense_k(kind)};
            zlay_mma mma = mma_of(&p);
            bool yes = i < 3 || kind == ZLAY_KIND_MXF8F6F4;
            assert_int_equal(mma_answer(targets[i], &mma), yes ? ZLAY_YES : ZLAY_NO);
        }
}

static void shifted_a(void **state)
{
    (void)state;
    for (int32_t collector = 0; collector <= 20; collector++)
        for (uint32_t ws = 0; ws < 2; ws++)
            for (uint32_t m = 32; m <= 128; m *= 2) {
                zlay_mma mma = legal_mma(ZLAY_KIND_F16);
                mma.a_source = ZLAY_SOURCE_TMEM, mma.ashift = 1, mma.ws = ws, mma.m = m;
                mma.collector = collector;
                bool yes = !ws && m == 128 &&
                           (collector == 0 || collector == ZLAY_COLLECTOR_A_LASTUSE ||
                            collector == ZLAY_COLLECTOR_A_DISCARD);
                assert_int_equal(mma_answer("sm_100a", &mma), yes ? ZLAY_YES : ZLAY_NO);
            }
}

/* ---- practice ------------------------------------------------------------------------------ */

typedef struct narrower {
    int32_t kind;
    uint32_t group, sparse, m, n, source;
    const char *rule;
} narrower;

static const narrower practices[] = {
    {F16, 1, 0, 128, 24, ZLAY_SOURCE_SMEM, "T5_N_16_PRACTICE"},
    {F16, 1, 0, 128, 24, ZLAY_SOURCE_TMEM, "T5_N_16_TMEM"},
    {F16, 1, 0, 64, 24, ZLAY_SOURCE_TMEM, NULL},
    {F16, 1, 0, 128, 48, ZLAY_SOURCE_TMEM, NULL},
    {F16, 2, 0, 256, 48, ZLAY_SOURCE_SMEM, "T5_N_32_PAIR"},
    {F16, 2, 0, 128, 16, ZLAY_SOURCE_TMEM, "T5_N_32_TMEM"},
    {F16, 2, 0, 128, 64, ZLAY_SOURCE_TMEM, NULL},
    {ZLAY_KIND_F8F6F4, 1, 1, 128, 8, ZLAY_SOURCE_SMEM, "T5_N_16_SPARSE"},
    {ZLAY_KIND_F8F6F4, 2, 1, 256, 16, ZLAY_SOURCE_SMEM, "T5_N_32_SPARSE"},
    {I8, 1, 0, 128, 24, ZLAY_SOURCE_SMEM, "T5_N_24_I8"},
    {I8, 1, 0, 128, 8, ZLAY_SOURCE_SMEM, NULL},
    {MX8, 2, 0, 128, 64, ZLAY_SOURCE_SMEM, "T5_M_MXF8_PAIR"},
    {MX8, 2, 0, 256, 64, ZLAY_SOURCE_SMEM, NULL},
    {MX4, 2, 0, 128, 64, ZLAY_SOURCE_SMEM, NULL},
};

/* A narrower practice is carried and refuses only when strictness is asked for; its repair meets it. */
static void practice_is_carried(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof practices / sizeof *practices; i++) {
        const narrower *p = &practices[i];
        product q = {p->kind, 0, p->group, p->sparse, p->m, p->n, dense_k(p->kind) * (1 + p->sparse)};
        zlay_mma mma = mma_of(&q);
        zlay_verdict v;
        zlay_reason r[REASONS];
        mma.a_source = (int32_t)p->source;
        assert_int_equal(zlay_mma_check(&v, r, REASONS, target_of("sm_100a"), &mma), ZLAY_OK);
        assert_int_equal(v.answer, ZLAY_YES);
        assert_int_equal(v.broken, 0);
        assert_int_equal(v.conflicts != 0, p->rule != NULL);
        const zlay_reason *reason = p->rule ? reason_of(r, &v, rule_number(p->rule), -1) : NULL;
        if (p->rule) {
            assert_non_null(reason);
            assert_int_equal(reason->by, ZLAY_BY_PRACTICE);
            assert_int_equal(reason->noted, ZLAY_NOTED_CONFLICT);
        }
        mma.strict = 1;
        assert_int_equal(mma_answer("sm_100a", &mma), p->rule ? ZLAY_NO : ZLAY_YES);
        if (!p->rule) continue;
        *(reason->field == ZLAY_FIELD_M ? &mma.m : &mma.n) = (uint32_t)reason->fix_value;
        assert_int_equal(mma_answer("sm_100a", &mma), ZLAY_YES);
    }
}

/* ---- repairs and hostile numbers --------------------------------------------------------------- */

/* M, N and K as their repairs say are legal, and take as many instructions as say so. */
static void repairs_of_shapes_pass(void **state)
{
    (void)state;
    uint64_t s = test_seed("legality/tcgen05/tcgen05");
    for (uint64_t i = 0; i < test_iterations(3000); i++) {
        product p = {(int32_t)test_range(&s, 1, KINDS), 0, (uint32_t)test_range(&s, 1, 2),
                     (uint32_t)test_range(&s, 0, 1), (uint32_t)test_range(&s, 0, 700),
                     (uint32_t)test_range(&s, 0, 700), (uint32_t)test_range(&s, 0, 300)};
        if (!is_scaled(p.kind) && p.group == 1) p.ws = (uint32_t)test_range(&s, 0, 1);
        zlay_mma mma = mma_of(&p);
        zlay_verdict v;
        zlay_reason r[REASONS];
        assert_int_equal(zlay_mma_check(&v, r, REASONS, target_of("sm_100a"), &mma), ZLAY_OK);
        for (uint32_t j = 0; j < v.reasons; j++) {
            uint32_t *to = r[j].field == ZLAY_FIELD_M   ? &mma.m
                           : r[j].field == ZLAY_FIELD_N ? &mma.n
                           : r[j].field == ZLAY_FIELD_K ? &mma.k
                                                        : NULL;
            if (!to || r[j].noted || r[j].fix_keeps == ZLAY_KEEPS_NONE_GIVEN) continue;
            *to = (uint32_t)r[j].fix_value;
            uint64_t covered = r[j].fix_value * (uint64_t)(r[j].fix_split ? r[j].fix_split : 1);
            assert_true(covered >= r[j].value);
            if (r[j].fix_keeps == ZLAY_KEEPS_ALL) assert_int_equal(covered, r[j].value);
        }
        if (mma.k == 96) continue;
        assert_int_equal(mma_answer("sm_100a", &mma), ZLAY_YES);
    }
}

static void hostile_numbers_have_verdicts(void **state)
{
    (void)state;
    static const uint32_t values[] = {UINT32_MAX, 1u << 31, INT32_MAX, 1u << 30, 4096, 65536, 33};
    for (size_t at = offsetof(zlay_mma, kind); at < offsetof(zlay_mma, strict); at += 4)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            for (int32_t kind = 1; kind <= KINDS; kind++) {
                zlay_mma mma = legal_mma(kind);
                zlay_verdict v;
                zlay_reason r[REASONS];
                memcpy((char *)&mma + at, &values[i], sizeof values[i]);
                assert_int_equal(zlay_mma_check(&v, r, REASONS, target_of("sm_100a"), &mma), ZLAY_OK);
                assert_int_equal(v.answer, ZLAY_NO);
                assert_true(v.broken > 0);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_and_its_neighbours),
        cmocka_unit_test(shapes_of_descriptors),
        cmocka_unit_test(every_triple_of_types),
        cmocka_unit_test(majors),
        cmocka_unit_test(every_modifier_at_its_bounds),
        cmocka_unit_test(k_of_96),
        cmocka_unit_test(sparse_fours_with_suffix_a_only),
        cmocka_unit_test(shifted_a),
        cmocka_unit_test(practice_is_carried),
        cmocka_unit_test(repairs_of_shapes_pass),
        cmocka_unit_test(hostile_numbers_have_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
