/* SPDX-License-Identifier: Apache-2.0 */
/* The rule table: numbers and ids that stay, texts, and a version that grows with every change. */
#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/rule.h>
#include <zlay/block.h>

/* Every row as it is written; a file's first entry is its name. */
typedef struct row {
    const char *file, *text;
    unsigned version;
    int constant; /* of constants.def: no rule, and part of the digest */
} row;
static const row rows[] = {
#define RULES(file, version) {#file, NULL, version, 0},
#define RULE(...) {NULL, #__VA_ARGS__, 0, 0},
#define CONSTANT(...) {NULL, #__VA_ARGS__, 0, 1},
#include "rules/rules.def"
#undef RULES
#undef RULE
};
enum { ROWS = sizeof rows / sizeof *rows };

static size_t rules_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++) count += rows[i].text && !rows[i].constant;
    return count;
}

static size_t files_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++) count += rows[i].file != NULL;
    return count;
}

static const row *file_row(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].file && !strcmp(rows[i].file, name)) return &rows[i];
    fail_msg("tests/rules.list names a file %s", name);
    return NULL;
}

/* FNV-1a of the rows of one file, spaces apart. */
static unsigned long long digest(const row *file)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (const row *r = file + 1; r < rows + ROWS && r->text; r++)
        for (const char *c = r->text; *c; c++)
            if (*c != ' ') hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    return hash;
}

/* tests/rules.list holds every number ever given with its id, and version and digest of each file: a
 * new row is added there, an old one is never taken out, and a changed row asks for a new version. */
static void the_list_has_every_rule(void **state)
{
    (void)state;
    FILE *list = fopen("tests/rules.list", "r");
    unsigned version, files = 0;
    size_t listed = 0;
    unsigned long long hash;
    char line[128], id[64];
    int number;
    zlay_rule r;
    assert_non_null(list);
    while (fgets(line, sizeof line, list)) {
        if (sscanf(line, "file %63s version %u digest %llx", id, &version, &hash) == 3) {
            const row *file = file_row(id);
            files++;
            if (version != file->version || hash != digest(file))
                fail_msg("rows of %s changed: a new version there, and in tests/rules.list\n"
                         "file %s version %u digest %llx",
                         id, id, file->version, digest(file));
            continue;
        }
        assert_int_equal(sscanf(line, "%d %63s", &number, id), 2);
        assert_int_equal(zlay_rule_info(&r, number), ZLAY_OK);
        assert_string_equal(r.id, id);
        listed++;
    }
    fclose(list);
    assert_int_equal(listed, rules_count());
    assert_int_equal(files, files_count());
}

static void list_print(void)
{
    zlay_rule r;
    for (size_t i = 0; zlay_rule_nth(&r, i) == ZLAY_OK; i++) printf("%d %s\n", r.number, r.id);
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].file)
            printf("file %s version %u digest %llx\n", rows[i].file, rows[i].version,
                   digest(&rows[i]));
}

static void every_rule_is_found_by_number_and_id(void **state)
{
    (void)state;
    zlay_rule r, same;
    size_t count = 0;
    for (; zlay_rule_nth(&r, count) == ZLAY_OK; count++) {
        assert_int_equal(zlay_rule_find(&same, r.id, strlen(r.id)), ZLAY_OK);
        assert_memory_equal(&same, &r, sizeof r);
        assert_int_equal(zlay_rule_info(&same, r.number), ZLAY_OK);
        assert_memory_equal(&same, &r, sizeof r);
    }
    assert_int_equal(count, rules_count());
}

static void no_number_and_no_id_twice(void **state)
{
    (void)state;
    zlay_rule a, b;
    for (size_t i = 0; zlay_rule_nth(&a, i) == ZLAY_OK; i++)
        for (size_t j = 0; j < i; j++) {
            zlay_rule_nth(&b, j);
            assert_int_not_equal(a.number, b.number);
            assert_string_not_equal(a.id, b.id);
        }
}

static void every_rule_has_its_texts(void **state)
{
    (void)state;
    zlay_rule r;
    for (size_t i = 0; zlay_rule_nth(&r, i) == ZLAY_OK; i++) {
        assert_true(strlen(r.text) > 6 && strlen(r.source) > 3);
        assert_null(strpbrk(r.text, "|\n\""));
        assert_null(strpbrk(r.source, "|\n\""));
        assert_in_range(r.by, ZLAY_BY_DRIVER, ZLAY_BY_ADVICE);
        assert_true(strlen(r.targets) > 2);
    }
}

static void what_is_no_rule_is_none(void **state)
{
    (void)state;
    zlay_rule r;
    memset(&r, 5, sizeof r);
    zlay_rule before = r;
    assert_int_equal(zlay_rule_find(&r, "TMAP", 4), ZLAY_NONE);
    assert_int_equal(zlay_rule_find(&r, "TMAP_BOX0", 8), ZLAY_OK); /* the length counts */
    r = before;
    assert_int_equal(zlay_rule_find(&r, "", 0), ZLAY_NONE);
    assert_int_equal(zlay_rule_find(&r, NULL, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_rule_find(NULL, "TMAP_BOX", 8), ZLAY_EINVAL);
    assert_int_equal(zlay_rule_info(&r, 0), ZLAY_NONE);
    assert_int_equal(zlay_rule_info(&r, INT32_MIN), ZLAY_NONE);
    assert_int_equal(zlay_rule_info(NULL, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_rule_nth(&r, rules_count()), ZLAY_NONE);
    assert_int_equal(zlay_rule_nth(NULL, 0), ZLAY_EINVAL);
    assert_memory_equal(&r, &before, sizeof r);
}

/* Each target has the row of its own architecture; KiB of a multiprocessor by the CUDA Programming
 * Guide, Technical Specifications, and of the LDS by the CDNA ISA, LDS. */
static void targets_have_their_own_limits(void **state)
{
    (void)state;
    zlay_target_summary info;
    const zlay_target *t;
    static const struct { uint32_t arch, kib; } shared[] = {
        {80, 164},  {86, 100},  {89, 100},  {90, 228},     {100, 228},    {103, 228},   {110, 228},
        {120, 100}, {121, 100}, {0x90a, 64}, {0x942, 64}, {0x950, 160}, {0x1250, 320}};
    for (size_t i = 0; (t = zlay_target_nth(i)) != NULL; i++) {
        const char *name = zlay_target_name(t);
        bool gfx = name[0] == 'g';
        assert_int_equal(zlay_target_info(&info, t), ZLAY_OK);
        assert_int_equal(info.architecture, strtoul(name + 3, NULL, gfx ? 16 : 10));
        size_t at = 0;
        while (shared[at].arch != info.architecture) at++;
        assert_int_equal(info.smem_multiprocessor, shared[at].kib * 1024);
        assert_true(info.cluster <= info.cluster_most && info.threads % info.lanes == 0);
    }
}

static void targets_have_names_and_capacities(void **state)
{
    (void)state;
    static const struct { const char *name; uint64_t smem; } known[] = {
        {"sm_80", 163 * 1024}, {"sm_86", 99 * 1024}, {"sm_89", 99 * 1024}, {"sm_90", 227 * 1024},
        {"sm_90a", 227 * 1024}, {"sm_100", 227 * 1024}, {"sm_100a", 227 * 1024},
        {"sm_103a", 227 * 1024}, {"sm_110", 227 * 1024}, {"sm_120", 99 * 1024},
        {"sm_120a", 99 * 1024}, {"sm_121a", 99 * 1024}};
    const zlay_target *t = (const zlay_target *)1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(zlay_target_find(&t, known[i].name, strlen(known[i].name)), ZLAY_OK);
        assert_string_equal(zlay_target_name(t), known[i].name);
        assert_int_equal(zlay_smem_capacity(t), known[i].smem);
    }
    assert_int_equal(zlay_target_find(&t, "sm_91", 5), ZLAY_NONE);
    assert_null(t);
    assert_int_equal(zlay_target_find(NULL, "sm_90", 5), ZLAY_EINVAL);
    assert_int_equal(zlay_target_find(&t, NULL, 5), ZLAY_EINVAL);
    assert_null(zlay_target_name(NULL));
    assert_int_equal(zlay_smem_capacity(NULL), 0);
}

static void fields_have_names(void **state)
{
    (void)state;
    int32_t fields = 0;
    while (zlay_field_name(fields)) fields++;
    assert_true(fields > ZLAY_FIELD_COUNT);
    assert_string_equal(zlay_field_name(ZLAY_FIELD_STRIDE), "stride");
    assert_null(zlay_field_name(-1));
    assert_null(zlay_field_name(fields));
}

static void a_block_has_so_much_shared_memory(void **state)
{
    (void)state;
    zlay_verdict v;
    zlay_reason r;
    const zlay_target *t;
    assert_int_equal(zlay_target_find(&t, "sm_90a", 6), ZLAY_OK);
    assert_int_equal(zlay_smem_check(&v, &r, 1, t, 0), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_YES);
    assert_int_equal(zlay_smem_check(&v, &r, 1, t, 232447), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_YES);
    assert_int_equal(zlay_smem_check(&v, &r, 1, t, 232448), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_YES);
    assert_int_equal(v.reasons, 0);
    assert_int_equal(zlay_smem_check(&v, &r, 1, t, 232449), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_NO);
    assert_int_equal(r.value, 232449);
    assert_int_equal(r.hi, 232448);
    assert_int_equal(r.field, ZLAY_FIELD_SMEM);
    assert_int_equal(zlay_smem_check(NULL, NULL, 0, t, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_smem_check(&v, NULL, 1, t, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_smem_check(&v, NULL, 0, NULL, 0), ZLAY_EINVAL);
}

/* `rules/rules list` prints tests/rules.list as the rows stand now. */
int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return list_print(), 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_has_every_rule),
        cmocka_unit_test(every_rule_is_found_by_number_and_id),
        cmocka_unit_test(no_number_and_no_id_twice),
        cmocka_unit_test(every_rule_has_its_texts),
        cmocka_unit_test(what_is_no_rule_is_none),
        cmocka_unit_test(targets_have_their_own_limits),
        cmocka_unit_test(targets_have_names_and_capacities),
        cmocka_unit_test(fields_have_names),
        cmocka_unit_test(a_block_has_so_much_shared_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
