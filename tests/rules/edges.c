/* SPDX-License-Identifier: Apache-2.0 */
/* Rules at their bounds, as tests/data/rule_edges.def has them. */
#include "legality.h"

/* ---- subjects in words ---------------------------------------------------------------- */

typedef struct place {
    const char *name;
    size_t at;
} place;

#define AT(type, field) {#field, offsetof(type, field)}
static const place mma_places[] = {
    AT(zlay_mma, instruction), AT(zlay_mma, kind), AT(zlay_mma, m), AT(zlay_mma, n),
    AT(zlay_mma, k), AT(zlay_mma, a), AT(zlay_mma, b), AT(zlay_mma, d), AT(zlay_mma, a_source),
    AT(zlay_mma, a_major), AT(zlay_mma, b_major), AT(zlay_mma, cta_group), AT(zlay_mma, sparse),
    AT(zlay_mma, selector), AT(zlay_mma, ws), AT(zlay_mma, scale_vec), AT(zlay_mma, ashift),
    AT(zlay_mma, collector), AT(zlay_mma, negate_a), AT(zlay_mma, negate_b),
    AT(zlay_mma, saturate), AT(zlay_mma, bit_op), AT(zlay_mma, blocks), AT(zlay_mma, strict),
    AT(zlay_mma, ptx), {NULL, 0}};
static const place idesc_places[] = {
    AT(zlay_idesc, kind), AT(zlay_idesc, a), AT(zlay_idesc, b), AT(zlay_idesc, d),
    AT(zlay_idesc, m), AT(zlay_idesc, n), AT(zlay_idesc, k), AT(zlay_idesc, sparse),
    AT(zlay_idesc, sparse_id), AT(zlay_idesc, max_shift), AT(zlay_idesc, scale_type),
    AT(zlay_idesc, sf_a_id), AT(zlay_idesc, sf_b_id), {NULL, 0}};

static size_t place_of(const place *places, const char *name, size_t length)
{
    for (; places->name; places++)
        if (strlen(places->name) == length && !memcmp(places->name, name, length))
            return places->at;
    fail_msg("no field %s", name);
    return 0;
}

/* A number, or the number of a type's name. */
static int64_t number_of(const char *text)
{
    size_t length = strcspn(text, " ");
    int32_t type;
    if (zlay_type_find(&type, text, length) == ZLAY_OK) return type;
    char *end;
    int64_t value = strtoll(text, &end, 10);
    if (end != text + length || !length) fail_msg("no number: %s", text);
    return value;
}

static const char *next(const char *text)
{
    text += strcspn(text, " ");
    return text + strspn(text, " ");
}

static void put(void *subject, size_t at, int64_t value)
{
    uint32_t word = (uint32_t)value;
    memcpy((char *)subject + at, &word, sizeof word);
}

static void read_words(void *subject, const place *places, const char *text)
{
    for (; *text; text = next(text)) {
        size_t name = strcspn(text, "=");
        put(subject, place_of(places, text, name), number_of(text + name + 1));
    }
}

/* ---- one rule of one subject ------------------------------------------------------------ */

static void expect(const char *rule, const char *what, const char *value, const zlay_verdict *v,
                   const zlay_reason *reasons, bool held)
{
    const zlay_reason *r = reason_of(reasons, v, rule_number(rule), -2);
    if ((r == NULL) != held)
        fail_msg("%s %s at %s of %s", rule, held ? "is broken" : "holds", value, what);
}

static void mma_at(const char *rule, const char *on, const char *words, const char *field,
                   const char *values, bool held)
{
    for (; *values; values = next(values)) {
        zlay_mma mma = {0};
        zlay_verdict v;
        zlay_reason r[REASONS];
        read_words(&mma, mma_places, words);
        assert_int_equal(zlay_mma_check(&v, r, REASONS, target_of(on), &mma), ZLAY_OK);
        put(&mma, place_of(mma_places, field, strlen(field)), number_of(values));
        assert_int_equal(zlay_mma_check(&v, r, REASONS, target_of(on), &mma), ZLAY_OK);
        expect(rule, words, values, &v, r, held);
    }
}

static const struct {
    const char *rule, *on, *words, *field, *holds, *breaks;
} mma_edges[] = {
#define MMA_EDGE(rule, target, mma, field, holds, breaks) {rule, target, mma, field, holds, breaks},
#include "data/rule_edges.def"
};

static void products(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mma_edges / sizeof *mma_edges; i++) {
        mma_at(mma_edges[i].rule, mma_edges[i].on, mma_edges[i].words, mma_edges[i].field,
               mma_edges[i].holds, true);
        mma_at(mma_edges[i].rule, mma_edges[i].on, mma_edges[i].words, mma_edges[i].field,
               mma_edges[i].breaks, false);
    }
}

static const struct {
    const char *rule, *on, *words, *mma, *field, *holds, *breaks;
} idesc_edges[] = {
#define IDESC_EDGE(rule, target, idesc, mma, field, holds, breaks)                                 \
    {rule, target, idesc, mma, field, holds, breaks},
#include "data/rule_edges.def"
};

static void idesc_at(size_t i, const char *values, bool held)
{
    const char *field = idesc_edges[i].field;
    zlay_mma mma = {0};
    read_words(&mma, mma_places, idesc_edges[i].mma);
    for (; *values; values = next(values)) {
        zlay_idesc desc = {0};
        zlay_verdict v;
        zlay_reason r[REASONS];
        read_words(&desc, idesc_places, idesc_edges[i].words);
        put(&desc, place_of(idesc_places, field, strlen(field)), number_of(values));
        assert_int_equal(zlay_idesc_check(&v, r, REASONS, target_of(idesc_edges[i].on), &desc,
                                          *idesc_edges[i].mma ? &mma : NULL),
                         ZLAY_OK);
        expect(idesc_edges[i].rule, idesc_edges[i].words, values, &v, r, held);
    }
}

static void descriptors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof idesc_edges / sizeof *idesc_edges; i++) {
        idesc_at(i, idesc_edges[i].holds, true);
        idesc_at(i, idesc_edges[i].breaks, false);
    }
}

static int32_t field_number(const char *name)
{
    for (int32_t i = 0; zlay_field_name(i); i++)
        if (!strcmp(zlay_field_name(i), name)) return i;
    fail_msg("no field %s", name);
    return 0;
}

static const struct {
    const char *rule, *on, *form, *field, *holds, *breaks;
} instr_edges[] = {
#define INSTR_EDGE(rule, target, form, field, holds, breaks)                                       \
    {rule, target, form, field, holds, breaks},
#include "data/rule_edges.def"
};

static void instr_at(size_t i, const char *values, bool held)
{
    zlay_instruction in = {.count = 1};
    const char *form = instr_edges[i].form;
    if (zlay_instruction_find(&in.form, form, strlen(form)) != ZLAY_OK) fail_msg("no %s", form);
    for (; *values; values = next(values)) {
        zlay_verdict v;
        zlay_reason r[REASONS];
        in.constant[0] = (zlay_constant){.field = field_number(instr_edges[i].field),
                                         .value = number_of(values)};
        assert_int_equal(zlay_instruction_check(&v, r, REASONS, target_of(instr_edges[i].on), &in),
                         ZLAY_OK);
        expect(instr_edges[i].rule, form, values, &v, r, held);
    }
}

static void constants(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof instr_edges / sizeof *instr_edges; i++) {
        instr_at(i, instr_edges[i].holds, true);
        instr_at(i, instr_edges[i].breaks, false);
    }
}

static const struct {
    const char *rule, *copy, *holds, *breaks;
} copy_edges[] = {
#define COPY_EDGE(rule, copy, holds, breaks) {rule, copy, holds, breaks},
#include "data/rule_edges.def"
};

static void copy_on(size_t i, const char *targets, bool held)
{
    zlay_issue issue;
    const char *id = copy_edges[i].copy;
    zlay_tensormap map = legal_map();
    if (zlay_issue_find(&issue, id, strlen(id)) != ZLAY_OK) fail_msg("no copy %s", id);
    for (; *targets; targets = next(targets)) {
        char name[16] = {0};
        zlay_verdict v;
        zlay_reason r[REASONS];
        memcpy(name, targets, strcspn(targets, " "));
        assert_int_equal(zlay_copy_check(&v, r, REASONS, target_of(name), &issue, &map), ZLAY_OK);
        expect(copy_edges[i].rule, id, name, &v, r, held);
    }
}

static void copies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof copy_edges / sizeof *copy_edges; i++) {
        copy_on(i, copy_edges[i].holds, true);
        copy_on(i, copy_edges[i].breaks, false);
    }
}

/* ---- what is more than one field --------------------------------------------------------- */

static void copy_is(const char *rule, const char *id, const zlay_issue *set,
                    const zlay_tensormap *map, bool held)
{
    zlay_issue issue;
    zlay_verdict v;
    zlay_reason r[REASONS];
    assert_int_equal(zlay_issue_find(&issue, id, strlen(id)), ZLAY_OK);
    issue.smem = set->smem;
    issue.given |= set->given;
    assert_int_equal(zlay_copy_check(&v, r, REASONS, target_of("sm_90a"), &issue, map), ZLAY_OK);
    expect(rule, id, "its map", &v, r, held);
}

static void copies_of_maps(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map(), columns = legal_columns(1, 4);
    zlay_issue plain = {0}, multicast = {.given = ZLAY_GIVEN_MULTICAST};
    copy_is("COPY_MULTICAST_LOAD", "tma.load.tile.2d", &multicast, &map, true);
    copy_is("COPY_MULTICAST_LOAD", "tma.store.tile.2d", &multicast, &map, false);
    copy_is("COPY_MULTICAST_LOAD", "tma.store.tile.2d", &plain, &map, true);
    for (uint64_t smem = 0; smem <= 2048; smem += 128) {
        zlay_issue at = {.smem = smem};
        copy_is("COPY_SMEM_PATTERN", "tma.load.tile.2d", &at, &map, smem % 1024 == 0);
    }
    map.type = ZLAY_TYPE_F32;
    copy_is("COPY_ADD_F64", "tma.reduce.tile.2d.add", &plain, &map, true);
    map.type = ZLAY_TYPE_F64;
    copy_is("COPY_ADD_F64", "tma.reduce.tile.2d.add", &plain, &map, false);
    copy_is("COPY_STORE_CORNER", "tma.store.im2col_no_offs.4d", &plain, &columns, false);
    memset(columns.lower, 0, sizeof columns.lower);
    copy_is("COPY_STORE_CORNER", "tma.store.im2col_no_offs.4d", &plain, &columns, true);
    columns.upper[1] = 1;
    copy_is("COPY_STORE_CORNER", "tma.store.im2col_no_offs.4d", &plain, &columns, false);
}

static void replace_is(const char *rule, const char *on, int32_t field, uint64_t value, bool held)
{
    zlay_replace replace = {.field = field, .value = value};
    zlay_verdict v;
    zlay_reason r[REASONS];
    assert_int_equal(zlay_replace_check(&v, r, REASONS, target_of(on), &replace), ZLAY_OK);
    expect(rule, "tensormap.replace", on, &v, r, held);
}

/* PTX ISA 9.1, tensormap.replace, Table 33 and Target ISA Notes. */
static void words_of_replace(void **state)
{
    (void)state;
    static const struct { const char *on; int32_t field; uint64_t last; } words[] = {
        {"sm_90a", ZLAY_REPLACE_ELEMTYPE, 12},      {"sm_100a", ZLAY_REPLACE_ELEMTYPE, 15},
        {"sm_120f", ZLAY_REPLACE_ELEMTYPE, 15},     {"sm_90a", ZLAY_REPLACE_INTERLEAVE_LAYOUT, 2},
        {"sm_90a", ZLAY_REPLACE_SWIZZLE_MODE, 3},   {"sm_103a", ZLAY_REPLACE_SWIZZLE_MODE, 4},
        {"sm_103f", ZLAY_REPLACE_SWIZZLE_MODE, 3},  {"sm_100a", ZLAY_REPLACE_SWIZZLE_MODE, 3},
        {"sm_100a", ZLAY_REPLACE_SWIZZLE_ATOMICITY, 3}, {"sm_90a", ZLAY_REPLACE_FILL_MODE, 1}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (uint64_t value = 0; value < 20; value++)
            replace_is("REPLACE_WORD", words[i].on, words[i].field, value, value <= words[i].last);
    replace_is("REPLACE_TARGET", "sm_90a", ZLAY_REPLACE_RANK, 0, true);
    replace_is("REPLACE_TARGET", "sm_90", ZLAY_REPLACE_RANK, 0, false);
    replace_is("REPLACE_TARGET", "sm_120", ZLAY_REPLACE_RANK, 0, false);
    replace_is("REPLACE_TARGET", "sm_120f", ZLAY_REPLACE_RANK, 0, true);
    replace_is("REPLACE_TARGET", "sm_90a", ZLAY_REPLACE_SWIZZLE_ATOMICITY, 0, false);
    replace_is("REPLACE_TARGET", "sm_100a", ZLAY_REPLACE_SWIZZLE_ATOMICITY, 0, true);
}

static void blocks_of_targets(void **state)
{
    (void)state;
    static const char *const with[] = {"sm_90a", "sm_100a", "sm_100f", "sm_120f", "sm_121a"},
                             *const without[] = {"sm_80", "sm_90", "sm_100", "sm_120", "gfx942"};
    zlay_block block = {.threads = 128, .setmaxnreg = {32}, .warps = {4},
                        .flags = ZLAY_BLOCK_SETMAXNREG};
    for (size_t i = 0; i < 10; i++) {
        const char *on = i < 5 ? with[i] : without[i - 5];
        zlay_verdict v;
        zlay_reason r[REASONS];
        assert_int_equal(zlay_block_check(&v, r, REASONS, target_of(on), &block), ZLAY_OK);
        expect("SETMAXNREG_TARGET", "setmaxnreg", on, &v, r, i < 5);
    }
}

/* CUDA Programming Guide, Technical Specifications; CDNA ISA, LDS. */
static void shared_memory_of_targets(void **state)
{
    (void)state;
    static const struct { const char *on; uint64_t most; } blocks[] = {
        {"sm_80", 163 * 1024}, {"sm_89", 99 * 1024},  {"sm_90a", 227 * 1024},
        {"sm_100", 227 * 1024}, {"sm_120", 99 * 1024}, {"gfx942", 64 * 1024},
        {"gfx950", 160 * 1024}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (uint64_t more = 0; more < 3; more++) {
            zlay_verdict v;
            zlay_reason r[REASONS];
            assert_int_equal(zlay_smem_check(&v, r, REASONS, target_of(blocks[i].on),
                                             blocks[i].most - 1 + more),
                             ZLAY_OK);
            expect("SMEM_BLOCK", "a block", blocks[i].on, &v, r, more < 2);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(descriptors),
        cmocka_unit_test(constants),
        cmocka_unit_test(copies),
        cmocka_unit_test(copies_of_maps),
        cmocka_unit_test(words_of_replace),
        cmocka_unit_test(blocks_of_targets),
        cmocka_unit_test(shared_memory_of_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
