/* SPDX-License-Identifier: Apache-2.0 */
/* What a matrix descriptor reads, as a layout: against the canonical layouts of the PTX ISA written
 * as sums, and the pictures of its swizzles.  An H200 read 38.6 million elements of 86 forms where
 * these layouts say (tests/device/hardware/device_wgmma.c). */
#include "tiles/smemdesc.h"

/* Bits of an element there: of 4- and 6-bit ones that lie 16 in 16 bytes, 8. */
static const struct {
    int32_t type;
    uint32_t bits;
    const char *target;
} types[] = {
    {ZLAY_TYPE_F16, 16, "sm_90a"},         {ZLAY_TYPE_BF16, 16, "sm_90a"},
    {ZLAY_TYPE_TF32, 32, "sm_90a"},        {ZLAY_TYPE_E4M3, 8, "sm_90a"},
    {ZLAY_TYPE_E5M2, 8, "sm_90a"},         {ZLAY_TYPE_S8, 8, "sm_90a"},
    {ZLAY_TYPE_U8, 8, "sm_90a"},           {ZLAY_TYPE_B1, 1, "sm_90a"},
    {ZLAY_TYPE_E2M3, 8, "sm_100a"},        {ZLAY_TYPE_E3M2, 8, "sm_103a"},
    {ZLAY_TYPE_U4_ALIGN16, 8, "sm_100a"},  {ZLAY_TYPE_U6_ALIGN16, 8, "sm_110a"},
    {ZLAY_TYPE_U4_ALIGN8, 4, "sm_100a"},   {ZLAY_TYPE_E2M1, 4, "sm_100a"},
    {ZLAY_TYPE_F16, 16, "sm_100a"},        {ZLAY_TYPE_U8, 8, "sm_103a"},
};
enum { TYPES = sizeof types / sizeof *types };

static const zlay_target *target_of_type(size_t type)
{
    const zlay_target *found = NULL;
    zlay_target_find(&found, types[type].target, strlen(types[type].target));
    return found;
}

/* PTX ISA 9.1, Table "canonical layouts", units of elements: T = 128 / bits.  K-major without
 * swizzle
 * ((8,m),(T,2k)):((1T,SBO),(1,LBO)), with a span of S chunks ((8,m),(T,2k)):((ST,SBO),(1,T));
 * MN-major
 * ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO)) and ((T,S,m),(8,k)):((1,T,LBO),(ST,SBO)). Bytes, and past a
 * span of K by LBO, which an H200 does. */
static uint64_t canonical(const zlay_smemdesc_operand *o, uint32_t bits, uint32_t mn, uint32_t k)
{
    uint64_t t = 128 / bits, span = 1ull << o->desc.swizzle, lbo = o->desc.lbo, sbo = o->desc.sbo;
    if (o->major == ZLAY_MAJOR_K && span == 1)
        return mn % 8 * 16 + mn / 8 * sbo + k % t * bits / 8 + k / t * lbo;
    if (o->major == ZLAY_MAJOR_K)
        return mn % 8 * 16 * span + mn / 8 * sbo + k % (t * span) * bits / 8 + k / (t * span) * lbo;
    if (span == 1) return mn % 8 * 2 + mn / 8 * sbo + k % 8 * 16 + k / 8 * lbo;
    return mn % (8 * span) * 2 + mn / (8 * span) * lbo + k % 8 * 16 * span + k / 8 * sbo;
}

/* Row 0 of the picture is line `base` of memory. */
static uint64_t pictured(const zlay_smemdesc_operand *o, uint64_t address)
{
    uint64_t back = 128 * (8 - o->desc.base_offset);
    return by_picture(address + back, o->desc.swizzle) - back;
}

static zlay_smemdesc_operand operand_draw(uint64_t *s, size_t type, bool doubled)
{
    zlay_smemdesc_operand o = {.type = types[type].type};
    o.major = types[type].bits == 16 ? (int32_t)test_range(s, 0, 1) : ZLAY_MAJOR_K;
    o.mn = 8 * (uint32_t)test_range(s, 1, 32);
    o.k = (doubled ? 512 : 256) / types[type].bits;
    o.desc.swizzle = (int32_t)test_range(s, 0, 3);
    o.desc.start = 16 * (uint32_t)test_range(s, 0, 0x3fff);
    o.desc.lbo = 16 * (uint32_t)test_range(s, 0, 0x3fff);
    o.desc.sbo = 16 * (uint32_t)test_range(s, 0, 0x3fff);
    if (test_range(s, 0, 1)) o.desc.base_offset = (uint32_t)test_range(s, 0, 7);
    return o;
}

static void reads_what_the_tables_say(void **state)
{
    uint64_t s = test_seed("legality/descriptor/smemdesc_layout"), cut = 0;
    zlay_ctx *ctx = *state;
    for (uint64_t i = 0; i < test_iterations(400); i++) {
        size_t type = i % TYPES;
        zlay_smemdesc_operand o = operand_draw(&s, type, i % 3 == 0 && types[type].bits > 1);
        zlay_layout *layout = NULL;
        assert_int_equal(zlay_smemdesc_layout(ctx, &layout, target_of_type(type), &o), ZLAY_OK);
        assert_int_equal(zlay_layout_size(layout), (uint64_t)o.mn * o.k);
        cut += o.major == ZLAY_MAJOR_MN && o.mn % (8u << o.desc.swizzle);
        for (uint32_t j = 0; j < 256; j++) {
            uint32_t mn = (uint32_t)test_range(&s, 0, o.mn - 1),
                     k = (uint32_t)test_range(&s, 0, o.k - 1);
            int64_t at;
            assert_int_equal(zlay_layout_eval(&at, 1, layout, mn + (uint64_t)k * o.mn), ZLAY_OK);
            uint64_t want = pictured(&o, o.desc.start + canonical(&o, types[type].bits, mn, k));
            if ((uint64_t)at != want)
                fail_msg("type %d major %d swizzle %d (%u, %u): %lld, not %llu", o.type, o.major,
                         o.desc.swizzle, mn, k, (long long)at, (unsigned long long)want);
        }
        zlay_layout_free(layout);
    }
    assert_true(cut > 0);
}

static void as_printed_by_hand(void **state)
{
    static const struct {
        zlay_smemdesc_operand o;
        const char *text;
    } rows[] = {
        {{.desc = {.start = 1024, .lbo = 16, .sbo = 1024, .swizzle = ZLAY_SWIZZLE_128B},
          .type = ZLAY_TYPE_BF16,
          .mn = 64,
          .k = 16},
         "Sw<3,4,3> o 1024 o ((8,8),16):((128,1024),2)"},
        {{.desc = {.start = 2048, .lbo = 1024, .sbo = 128},
          .type = ZLAY_TYPE_TF32,
          .mn = 64,
          .k = 8},
         "2048 o ((8,8),(4,2)):((16,128),(4,1024))"},
        {{.desc = {.lbo = 4096, .sbo = 1024, .swizzle = ZLAY_SWIZZLE_128B},
          .type = ZLAY_TYPE_F16,
          .major = ZLAY_MAJOR_MN,
          .mn = 128,
          .k = 16},
         "Sw<3,4,3> o 0 o ((64,2),(8,2)):((2,4096),(128,1024))"},
        {{.desc = {.lbo = 16, .sbo = 256, .swizzle = ZLAY_SWIZZLE_32B},
          .type = ZLAY_TYPE_B1,
          .mn = 8,
          .k = 256},
         "Sw<1,4,3> o 0 o (8,(8,32)):(32,(0,1))"},
    };
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_layout *got = NULL, *want = read_layout(ctx, rows[i].text);
        zlay_answer same = ZLAY_NO;
        zlay_witness witness;
        assert_int_equal(zlay_smemdesc_layout(ctx, &got, sm_90a(), &rows[i].o), ZLAY_OK);
        assert_int_equal(zlay_layout_equal(ctx, &same, &witness, got, want), ZLAY_OK);
        assert_int_equal(same, ZLAY_YES);
        char printed[128];
        zlay_buf buf = {printed, sizeof printed, 0};
        assert_int_equal(zlay_layout_print(&buf, got), ZLAY_OK);
        assert_string_equal(printed, rows[i].text);
        zlay_layout_free(got);
        zlay_layout_free(want);
    }
}

/* A start moved by the advance reads the tile from (mn, k) on; where there is none, no 16 bytes of
 * a start do. */
static bool moved_reads(const zlay_smemdesc_operand *o, uint32_t bits, uint32_t mn, uint32_t k,
                        uint64_t by)
{
    for (uint32_t i = 0; i < o->mn; i++)
        for (uint32_t j = 0; j < o->k; j++)
            if (by + canonical(o, bits, i, j) != canonical(o, bits, mn + i, k + j)) return false;
    return true;
}

static void advances(void **state)
{
    (void)state;
    uint64_t s = test_seed("advance"), yes = 0, none = 0;
    for (uint64_t i = 0; i < test_iterations(3000); i++) {
        size_t type = i % TYPES;
        zlay_smemdesc_operand o = operand_draw(&s, type, false);
        uint32_t bits = types[type].bits, mn = 4 * (uint32_t)test_range(&s, 0, 64);
        uint32_t k =
            (uint32_t)test_range(&s, 0, 16) * (256 / bits) / (uint32_t)test_range(&s, 1, 2);
        uint64_t by = 77;
        o.mn = i % 2 ? 64 : o.mn;
        o.desc.sbo += 16, o.desc.lbo += 32;
        if (o.desc.sbo > 0x3fff0 || o.desc.lbo > 0x3fff0) continue;
        zlay_status status = zlay_smemdesc_advance(&by, target_of_type(type), &o, mn, k);
        if (status == ZLAY_OK) {
            yes++;
            assert_true(moved_reads(&o, bits, mn, k, by));
            continue;
        }
        none++;
        assert_int_equal(status, ZLAY_NONE);
        uint64_t only = canonical(&o, bits, mn, k);
        if (only % 16 == 0 && moved_reads(&o, bits, mn, k, only))
            fail_msg("type %d major %d swizzle %d (%u, %u): %llu leads there", o.type, o.major,
                     o.desc.swizzle, mn, k, (unsigned long long)only);
    }
    assert_true(yes > 100 && none > 100);
}

static void known_steps(void **state)
{
    (void)state;
    uint64_t by;
    zlay_smemdesc_operand o = {.desc = {.start = 1024, .lbo = 8192, .sbo = 1024, .swizzle = 3},
                               .type = ZLAY_TYPE_BF16,
                               .mn = 64,
                               .k = 16};
    assert_int_equal(zlay_smemdesc_advance(&by, sm_90a(), &o, 0, 16), ZLAY_OK);
    assert_int_equal(by, 32);
    assert_int_equal(zlay_smemdesc_advance(&by, sm_90a(), &o, 0, 48), ZLAY_OK);
    assert_int_equal(by, 96);
    assert_int_equal(zlay_smemdesc_advance(&by, sm_90a(), &o, 0, 56), ZLAY_NONE);
    assert_int_equal(zlay_smemdesc_advance(&by, sm_90a(), &o, 64, 0), ZLAY_OK);
    assert_int_equal(by, 8192);
    o.major = ZLAY_MAJOR_MN;
    assert_int_equal(zlay_smemdesc_advance(&by, sm_90a(), &o, 0, 16), ZLAY_OK);
    assert_int_equal(by, 2048);
    assert_int_equal(zlay_smemdesc_advance(&by, sm_90a(), &o, 32, 0), ZLAY_NONE);
}

/* The synthesiser finds descriptors of every type, and they read the layout that was given. */
static void synth_of_every_type(void **state)
{
    uint64_t s = test_seed("every type"), found = 0;
    zlay_ctx *ctx = *state;
    for (uint64_t i = 0; i < test_iterations(160); i++) {
        size_t type = i % TYPES;
        uint32_t bits = types[type].bits, t = 128 / bits, k = 256 / bits;
        int32_t swizzle = (int32_t)(i / TYPES % 4), rows = (int32_t)(t << swizzle);
        uint32_t depth = k > (uint32_t)rows ? k : (uint32_t)rows;
        char text[160];
        long near = 8l * rows + t * (long)test_range(&s, 0, 40),
             far = 16 * near + t * (long)test_range(&s, 0, 9);
        if (depth > (uint32_t)rows)
            snprintf(text, sizeof text, "((8,16),(%d,%u)):((%d,%ld),(1,%ld))", rows,
                     depth / (uint32_t)rows, rows, near, far);
        else snprintf(text, sizeof text, "((8,16),%u):((%d,%ld),1)", depth, rows, near);
        zlay_smemdesc_request r =
            request_of(ZLAY_MAJOR_K, swizzle, 64, 1024 * (uint32_t)test_range(&s, 0, 9));
        r.type = types[type].type;
        r.mma_k = k;
        answer a = ask_on(ctx, target_of_type(type), r, text);
        if (a.status) fail_msg("%s: %s", text, zlay_ctx_message(ctx));
        assert_int_equal(a.count, 2 * (depth / k));
        zlay_layout *given = read_layout(ctx, text);
        for (size_t step = 0; step < a.count; step++) {
            zlay_smemdesc_operand o = {.desc = a.fields, .type = r.type, .mn = 64, .k = k};
            zlay_layout *read = NULL;
            o.desc.start = a.start[step];
            assert_int_equal(zlay_smemdesc_layout(ctx, &read, target_of_type(type), &o), ZLAY_OK);
            for (uint32_t x = 0; x < 64 * k; x++) {
                int64_t at, offset;
                uint64_t mn = x % 64 + step % 2 * 64, kk = x / 64 + step / 2 * k;
                assert_int_equal(zlay_layout_eval(&at, 1, read, x), ZLAY_OK);
                assert_int_equal(zlay_layout_eval(&offset, 1, given, mn + kk * 128), ZLAY_OK);
                assert_int_equal(at, by_picture(r.address + (uint64_t)offset * bits / 8, swizzle));
            }
            zlay_layout_free(read);
            found++;
        }
        zlay_layout_free(given);
    }
    assert_true(found > 0);
}

/* sm_100 and later have the same forms, bytes MN-major too; T = 16 elements there. */
static void tcgen05_reads_the_same_forms(void **state)
{
    static const struct {
        zlay_smemdesc_operand o;
        const char *text;
    } rows[] = {
        {{.desc = {.start = 1024, .lbo = 4096, .sbo = 1024, .swizzle = ZLAY_SWIZZLE_128B},
          .type = ZLAY_TYPE_E4M3,
          .major = ZLAY_MAJOR_MN,
          .mn = 256,
          .k = 32},
         "Sw<3,4,3> o 1024 o ((128,2),(8,4)):((1,4096),(128,1024))"},
        {{.desc = {.lbo = 2048, .sbo = 128},
          .type = ZLAY_TYPE_S8,
          .major = ZLAY_MAJOR_MN,
          .mn = 64,
          .k = 32},
         "((16,4),(8,4)):((1,128),(16,2048))"},
        {{.desc = {.lbo = 16, .sbo = 512, .swizzle = ZLAY_SWIZZLE_64B},
          .type = ZLAY_TYPE_TF32,
          .mn = 128,
          .k = 8},
         "Sw<2,4,3> o 0 o ((8,16),8):((64,512),4)"},
        {{.desc = {.start = 512, .lbo = 4096, .sbo = 512, .swizzle = 4},
          .type = ZLAY_TYPE_TF32,
          .major = ZLAY_MAJOR_MN,
          .mn = 64,
          .k = 8},
         "Sw<2,5,2> o 512 o ((32,2),(4,2)):((4,4096),(128,512))"},
        {{.desc = {.start = 1024, .lbo = 16, .sbo = 1024, .swizzle = ZLAY_SWIZZLE_128B},
          .type = ZLAY_TYPE_E2M1,
          .mn = 128,
          .k = 64},
         "Sw<3,4,3> o 1024 o ((8,16),(2,32)):((128,1024),(0,1))"},
        {{.desc = {.start = 1024, .lbo = 16, .sbo = 1024, .swizzle = ZLAY_SWIZZLE_128B},
          .type = ZLAY_TYPE_E2M1,
          .mn = 128,
          .k = 32},
         "Sw<3,4,3> o 1024 o ((8,16),32):((128,1024),1)"},
        {{.desc = {.lbo = 4096, .sbo = 256, .swizzle = ZLAY_SWIZZLE_32B},
          .type = ZLAY_TYPE_E3M2,
          .mn = 64,
          .k = 64},
         "Sw<1,4,3> o 0 o ((8,8),(32,2)):((32,256),(1,4096))"},
    };
    zlay_ctx *ctx = *state;
    const zlay_target *sm_100a;
    assert_int_equal(zlay_target_find(&sm_100a, "sm_100a", 7), ZLAY_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_layout *got = NULL;
        char printed[128];
        zlay_buf buf = {printed, sizeof printed, 0};
        assert_int_equal(zlay_smemdesc_layout(ctx, &got, sm_100a, &rows[i].o), ZLAY_OK);
        assert_int_equal(zlay_layout_print(&buf, got), ZLAY_OK);
        assert_string_equal(printed, rows[i].text);
        zlay_layout_free(got);
    }
    zlay_smemdesc_operand o = rows[2].o;
    zlay_layout *none = NULL;
    o.major = ZLAY_MAJOR_MN;
    assert_int_equal(zlay_smemdesc_layout(ctx, &none, sm_100a, &o), ZLAY_NONE);
    o = rows[2].o, o.type = ZLAY_TYPE_UE8M0;
    assert_int_equal(zlay_smemdesc_layout(ctx, &none, sm_100a, &o), ZLAY_ENOTSUP);
    o = rows[4].o, o.major = ZLAY_MAJOR_MN;
    assert_int_equal(zlay_smemdesc_layout(ctx, &none, sm_100a, &o), ZLAY_NONE);
    assert_true(strstr(zlay_ctx_message(ctx), "T5_A_MAJOR_NARROW") != NULL);
    o = rows[4].o, o.k = 96;
    assert_int_equal(zlay_smemdesc_layout(ctx, &none, sm_100a, &o), ZLAY_ENOTSUP);
    o.type = ZLAY_TYPE_U4_ALIGN16;
    assert_int_equal(zlay_smemdesc_layout(ctx, &none, sm_100a, &o), ZLAY_EINVAL);
    o = rows[2].o, o.desc.swizzle = 4;
    assert_int_equal(zlay_smemdesc_layout(ctx, &none, sm_100a, &o), ZLAY_NONE);
    o = rows[0].o, o.desc.swizzle = 4;
    assert_int_equal(zlay_smemdesc_layout(ctx, &none, sm_100a, &o), ZLAY_NONE);
    o = rows[3].o, o.desc.base_offset = 1;
    assert_int_equal(zlay_smemdesc_layout(ctx, &none, sm_100a, &o), ZLAY_ENOTSUP);
}

static void refused(zlay_ctx *ctx, zlay_smemdesc_operand o, zlay_status status, const char *word)
{
    zlay_layout *layout = (zlay_layout *)1;
    uint64_t by = 77;
    assert_int_equal(zlay_smemdesc_layout(ctx, &layout, sm_90a(), &o), status);
    assert_null(layout);
    if (word && !strstr(zlay_ctx_message(ctx), word))
        fail_msg("no %s: %s", word, zlay_ctx_message(ctx));
    assert_int_equal(zlay_smemdesc_advance(&by, sm_90a(), &o, 0, 0), status);
    assert_int_equal(by, 77);
}

static void what_is_not_read(void **state)
{
    zlay_ctx *ctx = *state;
    const zlay_smemdesc_operand good = {
        .desc = {.lbo = 16, .sbo = 1024, .swizzle = 3}, .type = ZLAY_TYPE_TF32, .mn = 64, .k = 8};
    zlay_smemdesc_operand o = good;
    o.major = ZLAY_MAJOR_MN, refused(ctx, o, ZLAY_NONE, "WGMMA_A_K_MAJOR");
    o = good, o.major = 2, refused(ctx, o, ZLAY_NONE, "WGMMA_A_MAJOR");
    o = good, o.type = ZLAY_TYPE_F64, refused(ctx, o, ZLAY_NONE, "WGMMA_A");
    o = good, o.type = INT32_MIN, refused(ctx, o, ZLAY_NONE, "WGMMA_A");
    o = good, o.desc.sbo = 8, refused(ctx, o, ZLAY_NONE, "DESC_SBO_16");
    o = good, o.desc.swizzle = 4, refused(ctx, o, ZLAY_NONE, "DESC_SWIZZLE");
    o = good, o.desc.swizzle = -1, refused(ctx, o, ZLAY_NONE, "DESC_SWIZZLE");
    o = good, o.desc.other = 1ull << 14, refused(ctx, o, ZLAY_NONE, "DESC_RESERVED");
    o = good, o.mn = 12, refused(ctx, o, ZLAY_EINVAL, "mn");
    o = good, o.mn = 264, refused(ctx, o, ZLAY_EINVAL, "mn");
    o = good, o.mn = 0, refused(ctx, o, ZLAY_EINVAL, "mn");
    o = good, o.type = ZLAY_TYPE_B1, o.k = 512, refused(ctx, o, ZLAY_EINVAL, "k");
    o = good, o.k = 4, refused(ctx, o, ZLAY_EINVAL, "k");
    o = good, o.k = 1u << 29, refused(ctx, o, ZLAY_EINVAL, "k");
    o = good, o.reserved[1] = 1, refused(ctx, o, ZLAY_EINVAL, NULL);
    o = good, o.desc.reserved[1] = 1, refused(ctx, o, ZLAY_EINVAL, NULL);
    zlay_layout *layout = (zlay_layout *)1;
    const zlay_target *other;
    assert_int_equal(zlay_target_find(&other, "sm_90", 5), ZLAY_OK);
    assert_int_equal(zlay_smemdesc_layout(ctx, &layout, other, &good), ZLAY_ENOTSUP);
    assert_int_equal(zlay_smemdesc_layout(ctx, NULL, sm_90a(), &good), ZLAY_EINVAL);
    assert_int_equal(zlay_smemdesc_layout(NULL, &layout, sm_90a(), &good), ZLAY_EINVAL);
    assert_int_equal(zlay_smemdesc_layout(ctx, &layout, NULL, &good), ZLAY_EINVAL);
    assert_int_equal(zlay_smemdesc_layout(ctx, &layout, sm_90a(), NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_smemdesc_advance(NULL, sm_90a(), &good, 0, 0), ZLAY_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_the_tables_say),
        cmocka_unit_test(as_printed_by_hand),
        cmocka_unit_test(advances),
        cmocka_unit_test(known_steps),
        cmocka_unit_test(synth_of_every_type),
        cmocka_unit_test(tcgen05_reads_the_same_forms),
        cmocka_unit_test(what_is_not_read),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
