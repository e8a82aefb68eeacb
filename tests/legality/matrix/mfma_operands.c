/* SPDX-License-Identifier: Apache-2.0 */
/* Registers and modifiers of matrix instructions, as texts that LLVM 22's assembler was asked about: what it takes breaks no rule of its own,
 * what it refuses breaks one. What zlay refuses beyond that is counted by its rule. */
#include "legality.h"

#include <stdlib.h>

enum { TARGETS = 4, TOKENS = 8 };
static const char *const targets[TARGETS] = {"gfx90a", "gfx942", "gfx950", "gfx1250"};

static const char *const listed[] = {
#define MFMA(text) text,
#include "data/mfma.def"
#undef MFMA
};
enum { LISTED = sizeof listed / sizeof *listed };

static const struct {
    unsigned on;
    const char *text;
} accepted[] = {
#define ACCEPT(on, text) {on, text},
#include "data/mfma-accept.def"
#undef ACCEPT
};
enum { ACCEPTED = sizeof accepted / sizeof *accepted };

/* ---- names ------------------------------------------------------------------------------------ */

typedef struct named {
    char target[16];
    zlay_mma mma;
    zlay_mma_form form;
} named;

static named all[LISTED];

static int32_t type_of(const char *name)
{
    int32_t type = -1;
    assert_int_equal(zlay_type_find(&type, name, strlen(name)), ZLAY_OK);
    return type;
}

static int names_read(void **state)
{
    (void)state;
    for (int i = 0; i < LISTED; i++) {
        char a[16], b[16], d[16], kind[16];
        unsigned m, n, k, blocks, scale = 0;
        assert_true(sscanf(listed[i], "%15s %ux%ux%u %u %15s %15s %15s %15s %u", all[i].target, &m, &n, &k, &blocks, a, b, d, kind, &scale) >= 9);
        all[i].mma = (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = m, .n = n, .k = k, .blocks = blocks, .a = type_of(a), .b = type_of(b), .d = type_of(d)};
        all[i].mma.sparse = !strcmp(kind, "sparse");
        all[i].mma.scale_vec = scale == 32 ? ZLAY_SCALE_BLOCK32 : scale == 16 ? ZLAY_SCALE_BLOCK16 : 0;
        assert_int_equal(zlay_mma_info(&all[i].form, target_of(all[i].target), &all[i].mma), ZLAY_OK);
    }
    return 0;
}

/* Formats 5 to 7 are none: the first that there is stands for them. */
static bool formats_fit(const zlay_mma_form *f, unsigned cbsz, unsigned blgp)
{
    return f->a_format < 0 || (f->a_format == (int32_t)(cbsz > 4 ? 0 : cbsz) && f->b_format == (int32_t)(blgp > 4 ? 0 : blgp));
}

static const named *by_name(const char *on, const char *name, unsigned cbsz, unsigned blgp)
{
    for (int i = 0; i < LISTED; i++)
        if (!strcmp(all[i].target, on) && !strcmp(all[i].form.name, name) && formats_fit(&all[i].form, cbsz, blgp)) return &all[i];
    return NULL;
}

/* gfx942 and gfx950 take the names of gfx90a for what they have too, gfx1250 a name of its own for f8f6f4 of two fp8. */
static bool mma_named(zlay_mma *out, const char *on, const char *name, unsigned cbsz, unsigned blgp)
{
    const named *found = by_name(on, name, cbsz, blgp);
    zlay_verdict v;
    if (!found && (!strcmp(on, "gfx942") || !strcmp(on, "gfx950"))) found = by_name("gfx90a", name, cbsz, blgp);
    if (!found && !strcmp(name, "v_wmma_f32_16x16x128_fp8_fp8")) found = by_name(on, "v_wmma_f32_16x16x128_f8f6f4", 0, 0);
    if (!found) return false;
    *out = found->mma;
    assert_int_equal(zlay_mma_check(&v, NULL, 0, target_of(on), out), ZLAY_OK);
    return v.answer == ZLAY_YES;
}

/* ---- texts -------------------------------------------------------------------------------------- */

static zlay_mma_tuple tuple_of(const char *token)
{
    unsigned first, last;
    int32_t file = *token == 'v' ? ZLAY_FILE_VGPR : *token == 'a' ? ZLAY_FILE_AGPR : ZLAY_FILE_OTHER;
    if (sscanf(token + 1, "[%u:%u]", &first, &last) == 2) return (zlay_mma_tuple){file, first, last - first + 1};
    if (file != ZLAY_FILE_OTHER || *token == 's') return (zlay_mma_tuple){file, (uint32_t)atoi(token + 1), 1};
    return (zlay_mma_tuple){ZLAY_FILE_CONSTANT, 0, 0};
}

static unsigned number_after(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    return at ? (unsigned)atoi(at + strlen(word)) : 0;
}

/* False: no instruction of the target has this name. */
static bool read_text(zlay_mma_operands *out, const char *on, const char *text)
{
    char name[64], token[TOKENS][24];
    int count = 0, used = 0;
    const char *at = text;
    *out = (zlay_mma_operands){.cbsz = number_after(text, "cbsz:"), .abid = number_after(text, "abid:"), .blgp = number_after(text, "blgp:")};
    assert_int_equal(sscanf(at, "%63s%n", name, &used), 1);
    for (at += used; count < TOKENS && sscanf(at, " %23[^, ]%n", token[count], &used) == 1; count++) {
        at += used;
        if (*at != ',') {
            count++;
            break;
        }
        at++;
    }
    if (!mma_named(&out->mma, on, name, out->cbsz, out->blgp)) return false;
    assert_true(count >= 4);
    out->d = tuple_of(token[0]), out->a = tuple_of(token[1]), out->b = tuple_of(token[2]), out->c = tuple_of(token[3]);
    if (count > 5) out->scale_a = tuple_of(token[4]), out->scale_b = tuple_of(token[5]);
    return true;
}

/* ---- verdicts ------------------------------------------------------------------------------------ */

typedef struct tally {
    size_t asked, taken, refused, stricter;
} tally;

static void compare(tally *t, const char *on, const char *text, bool taken)
{
    zlay_mma_operands o;
    zlay_verdict v = {0};
    zlay_reason reasons[REASONS];
    zlay_rule rule;
    bool mine = read_text(&o, on, text);
    if (mine) assert_int_equal(zlay_mma_operands_check(&v, reasons, REASONS, target_of(on), &o), ZLAY_OK);
    bool stricter = mine && v.answer != ZLAY_YES;
    for (uint32_t i = 0; i < v.reasons && mine; i++) {
        assert_int_equal(zlay_rule_info(&rule, reasons[i].rule), ZLAY_OK);
        if (rule.by == ZLAY_BY_ASSEMBLER) mine = false;
    }
    if (mine != taken) fail_msg("%s: %s: the assembler %s", on, text, taken ? "takes it" : "refuses it");
    t->asked++, t->taken += taken, t->refused += !taken, t->stricter += taken && stricter;
}

static void as_the_assembler(void **state)
{
    (void)state;
    tally t = {0};
    for (size_t i = 0; i < ACCEPTED; i++)
        for (unsigned on = 0; on < TARGETS; on++) compare(&t, targets[on], accepted[i].text, accepted[i].on >> on & 1);
    printf("%zu texts: %zu taken, %zu of them refused by the documents; %zu refused\n", t.asked, t.taken, t.stricter, t.refused);
    assert_true(t.taken > 500 && t.refused > 500 && t.stricter > 50);
}

/* ---- each rule ------------------------------------------------------------------------------------- */

static zlay_mma_operands plain(void)
{
    zlay_mma_operands o = {.d = {ZLAY_FILE_AGPR, 0, 16}, .a = {ZLAY_FILE_VGPR, 16, 2}, .b = {ZLAY_FILE_VGPR, 20, 2}, .c = {ZLAY_FILE_AGPR, 0, 16}};
    o.mma = (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = 32, .n = 32, .k = 8, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    return o;
}

static void breaks(const char *on, zlay_mma_operands o, const char *rule)
{
    zlay_verdict v;
    zlay_reason reasons[REASONS];
    assert_int_equal(zlay_mma_operands_check(&v, reasons, REASONS, target_of(on), &o), ZLAY_OK);
    if (!rule) assert_int_equal(v.answer, ZLAY_YES);
    else if (v.answer != ZLAY_NO || !reason_of(reasons, &v, rule_number(rule), -2)) fail_msg("%s is not broken", rule);
}

#define WITH(field, ...) (o = plain(), o.field = (__VA_ARGS__), o)
#define TUPLE(file, first, count) ((zlay_mma_tuple){ZLAY_FILE_##file, first, count})

static void each_rule(void **state)
{
    (void)state;
    zlay_mma_operands o;
    breaks("gfx942", plain(), NULL);
    breaks("gfx942", WITH(c, TUPLE(CONSTANT, 0, 0)), NULL);
    breaks("gfx942", WITH(c, TUPLE(AGPR, 16, 16)), NULL);
    breaks("gfx942", WITH(mma.k, 7), "OPERANDS_FORM");
    breaks("gfx942", WITH(a, TUPLE(VGPR, 16, 4)), "OPERANDS_A_COUNT");
    breaks("gfx942", WITH(b, TUPLE(VGPR, 16, 1)), "OPERANDS_B_COUNT");
    breaks("gfx942", WITH(c, TUPLE(AGPR, 32, 4)), "OPERANDS_C_COUNT");
    breaks("gfx942", WITH(d, TUPLE(AGPR, 0, 32)), "OPERANDS_D_COUNT");
    breaks("gfx942", WITH(a, TUPLE(VGPR, 17, 2)), "OPERANDS_A_EVEN");
    breaks("gfx942", WITH(b, TUPLE(AGPR, 17, 2)), "OPERANDS_B_EVEN");
    breaks("gfx942", WITH(c, TUPLE(AGPR, 33, 16)), "OPERANDS_C_EVEN");
    breaks("gfx942", WITH(d, TUPLE(AGPR, 33, 16)), "OPERANDS_D_EVEN");
    breaks("gfx942", WITH(a, TUPLE(VGPR, 256, 2)), "OPERANDS_A_LAST");
    breaks("gfx942", WITH(b, TUPLE(VGPR, UINT32_MAX - 1, 2)), "OPERANDS_B_LAST");
    breaks("gfx942", WITH(c, TUPLE(AGPR, 242, 16)), "OPERANDS_C_LAST");
    breaks("gfx942", WITH(d, TUPLE(AGPR, 242, 16)), "OPERANDS_D_LAST");
    breaks("gfx942", WITH(a, TUPLE(CONSTANT, 0, 0)), "OPERANDS_A_FILE");
    breaks("gfx942", WITH(b, TUPLE(OTHER, 16, 2)), "OPERANDS_B_FILE");
    breaks("gfx942", WITH(d, TUPLE(OTHER, 0, 16)), "OPERANDS_D_FILE");
    breaks("gfx942", WITH(c, TUPLE(VGPR, 0, 16)), "OPERANDS_C_FILE");
    breaks("gfx942", WITH(c, TUPLE(AGPR, 2, 16)), "OPERANDS_OVERLAP");
    breaks("gfx942", WITH(cbsz, 1), "OPERANDS_CBSZ");
    breaks("gfx942", WITH(cbsz, 8), "OPERANDS_CBSZ_3");
    breaks("gfx942", WITH(abid, 1), "OPERANDS_ABID");
    breaks("gfx942", WITH(abid, 16), "OPERANDS_ABID_4");
    breaks("gfx942", WITH(blgp, 1), "OPERANDS_BLGP");
    breaks("gfx90a", WITH(blgp, 7), NULL);
    breaks("gfx90a", WITH(blgp, 8), "OPERANDS_BLGP_3");
    o = plain(), o.mma.m = o.mma.n = 4, o.mma.k = 4, o.mma.blocks = 16, o.d = o.c = TUPLE(VGPR, 0, 4), o.cbsz = 2, o.abid = 3;
    breaks("gfx942", o, NULL);
    o.abid = 4, breaks("gfx942", o, "OPERANDS_ABID");
    o.abid = 0, o.c.first = 2, breaks("gfx942", o, "OPERANDS_OVERLAP_4");
}

/* Formats that it is told, their scale factors, and metadata. */
static void told_and_sparse(void **state)
{
    (void)state;
    zlay_mma_operands o = {.d = {ZLAY_FILE_AGPR, 0, 4}, .a = {ZLAY_FILE_VGPR, 8, 4}, .b = {ZLAY_FILE_AGPR, 8, 8}, .c = {ZLAY_FILE_AGPR, 0, 4}, .cbsz = 4, .blgp = 1};
    o.mma = (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = 16, .n = 16, .k = 128, .a = ZLAY_TYPE_E2M1, .b = ZLAY_TYPE_E5M2, .d = ZLAY_TYPE_F32};
    breaks("gfx950", o, NULL);
    o.cbsz = 5, breaks("gfx950", o, "OPERANDS_FORMAT_A");
    o.cbsz = 4, o.blgp = 0, breaks("gfx950", o, "OPERANDS_FORMAT_B");
    o.blgp = 1, o.mma.scale_vec = ZLAY_SCALE_BLOCK32, breaks("gfx950", o, "OPERANDS_SCALE_A");
    o.scale_a = o.scale_b = (zlay_mma_tuple){ZLAY_FILE_VGPR, 255, 1}, breaks("gfx950", o, NULL);
    o.scale_b.file = ZLAY_FILE_AGPR, breaks("gfx950", o, "OPERANDS_SCALE_B");
    zlay_mma_operands s = {.d = {ZLAY_FILE_AGPR, 0, 4}, .a = {ZLAY_FILE_VGPR, 8, 2}, .b = {ZLAY_FILE_VGPR, 12, 4}, .c = {ZLAY_FILE_VGPR, 17, 1}, .abid = 3};
    s.mma = (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = 16, .n = 16, .k = 32, .sparse = 1, .a = ZLAY_TYPE_F16, .b = ZLAY_TYPE_F16, .d = ZLAY_TYPE_F32};
    breaks("gfx942", s, NULL);
    s.abid = 4, breaks("gfx942", s, "OPERANDS_ABID");
    s.abid = 0, s.c.file = ZLAY_FILE_AGPR, breaks("gfx942", s, "OPERANDS_C_FILE");
}

/* ---- lanes ------------------------------------------------------------------------------------------- */

static int64_t lane_of(const zlay_layout *layout, uint64_t lane)
{
    int64_t at = -1;
    assert_int_equal(zlay_layout_eval(&at, 1, layout, lane), ZLAY_OK);
    return at;
}

/* AMD's lab notes: of 16 blocks under cbsz 2 and abid 1 block 1 goes to 0 to 3, block 5 to 4 to 7, and so on. */
static void blocks_of_a(zlay_ctx *ctx, const named *n)
{
    uint32_t m = n->mma.m;
    for (uint32_t cbsz = 0; cbsz <= n->form.cbsz_most; cbsz++)
        for (uint32_t abid = 0; abid < 1u << cbsz && abid <= n->form.abid_most; abid++) {
            zlay_mma_operands o = {.mma = n->mma, .cbsz = cbsz, .abid = abid};
            zlay_layout *layout = NULL;
            assert_int_equal(zlay_mma_lanes(ctx, &layout, target_of(n->target), &o, ZLAY_FRAGMENT_A), ZLAY_OK);
            assert_int_equal(zlay_layout_size(layout), 64);
            for (uint32_t l = 0; l < 64; l++) {
                uint32_t block = l / m % n->form.blocks, from = n->form.cbsz == ZLAY_MODIFIER_BROADCAST && cbsz ? (block >> cbsz << cbsz) + abid : block;
                assert_int_equal(lane_of(layout, l), l - block * m + from * m);
            }
            zlay_layout_free(layout);
        }
}

/* The same: 0 to 31 to all, 32 to 63 to all, all down by 16 (what lane 16 has goes to lane 0), each sixteen to all. */
static void patterns_of_b(zlay_ctx *ctx, const named *n)
{
    for (uint32_t blgp = 0; blgp < (n->form.blgp == ZLAY_MODIFIER_LANES ? 8 : 1); blgp++) {
        zlay_mma_operands o = {.mma = n->mma, .blgp = blgp};
        zlay_layout *layout = NULL;
        assert_int_equal(zlay_mma_lanes(ctx, &layout, target_of(n->target), &o, ZLAY_FRAGMENT_B), ZLAY_OK);
        assert_int_equal(zlay_layout_size(layout), 64);
        for (uint32_t l = 0; l < 64; l++) {
            const uint32_t want[8] = {l, l % 32, 32 + l % 32, (l + 16) % 64, l % 16, 16 + l % 16, 32 + l % 16, 48 + l % 16};
            assert_int_equal(lane_of(layout, l), want[blgp]);
        }
        zlay_layout_free(layout);
    }
}

static void whose_lanes(void **state)
{
    (void)state;
    zlay_ctx *ctx = NULL;
    zlay_layout *layout = (zlay_layout *)1;
    size_t broadcasts = 0;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (int i = 0; i < LISTED; i++) {
        if (all[i].form.lanes != 64 || all[i].form.cbsz == ZLAY_MODIFIER_FORMAT) continue;
        blocks_of_a(ctx, &all[i]);
        patterns_of_b(ctx, &all[i]);
        broadcasts += all[i].form.cbsz == ZLAY_MODIFIER_BROADCAST;
    }
    assert_true(broadcasts > 20);
    zlay_mma_operands o = plain();
    o.cbsz = 1;
    assert_int_equal(zlay_mma_lanes(ctx, &layout, target_of("gfx942"), &o, ZLAY_FRAGMENT_A), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(ctx), "OPERANDS_CBSZ"));
    assert_null(layout);
    o = plain();
    assert_int_equal(zlay_mma_lanes(ctx, &layout, target_of("gfx942"), &o, ZLAY_FRAGMENT_D), ZLAY_EINVAL);
    assert_int_equal(zlay_mma_lanes(ctx, &layout, target_of("gfx942"), NULL, ZLAY_FRAGMENT_A), ZLAY_EINVAL);
    o.mma.k = 7;
    assert_int_equal(zlay_mma_lanes(ctx, &layout, target_of("gfx942"), &o, ZLAY_FRAGMENT_A), ZLAY_NONE);
    o.mma.instruction = ZLAY_MMA_WGMMA;
    assert_int_equal(zlay_mma_lanes(ctx, &layout, target_of("sm_90a"), &o, ZLAY_FRAGMENT_A), ZLAY_ENOTSUP);
    zlay_ctx_free(ctx);
}

static void hostile(void **state)
{
    (void)state;
    uint64_t seed = test_seed("legality/matrix/mfma_operands");
    zlay_mma_operands o;
    zlay_verdict v;
    for (uint64_t n = 0; n < test_iterations(20000); n++) {
        o = plain();
        uint32_t *word = (uint32_t *)(void *)&o + test_range(&seed, 0, (int64_t)(sizeof o / 4) - 2);
        *word = (uint32_t)test_random(&seed);
        zlay_status status = zlay_mma_operands_check(&v, NULL, 0, target_of(targets[test_range(&seed, 0, 3)]), &o);
        assert_true(status == ZLAY_OK || status == ZLAY_EINVAL || status == ZLAY_ENOTSUP);
    }
    o = plain(), o.reserved = 1;
    assert_int_equal(zlay_mma_operands_check(&v, NULL, 0, target_of("gfx942"), &o), ZLAY_EINVAL);
    o = plain();
    assert_int_equal(zlay_mma_operands_check(NULL, NULL, 0, target_of("gfx942"), &o), ZLAY_EINVAL);
    assert_int_equal(zlay_mma_operands_check(&v, NULL, 1, target_of("gfx942"), &o), ZLAY_EINVAL);
    assert_int_equal(zlay_mma_operands_check(&v, NULL, 0, NULL, &o), ZLAY_EINVAL);
    assert_int_equal(zlay_mma_operands_check(&v, NULL, 0, target_of("gfx942"), NULL), ZLAY_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_assembler), cmocka_unit_test(each_rule), cmocka_unit_test(told_and_sparse),
        cmocka_unit_test(whose_lanes),      cmocka_unit_test(hostile),
    };
    return cmocka_run_group_tests(tests, names_read, NULL);
}
