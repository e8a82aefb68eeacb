/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors from layouts: known atoms with their numbers, and what the model reads through the
 * answer. */
#include "heap_layouts.h"
#include "tiles/smemdesc.h"

typedef struct known {
    const char *layout;
    int32_t major, swizzle;
    uint32_t mma_mn, lbo, sbo, step_mn, step_k; /* bytes */
    size_t count;
} known;

/* What CUTLASS's make_gmma_desc gives for its canonical atoms, in bytes. */
static void test_known_atoms(void **state)
{
    static const known rows[] = {
        {"(128,64):(64,1)", ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 64, 16, 1024, 8192, 32, 8},
        {"(256,64):(64,1)", ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 256, 16, 1024, 0, 32, 4},
        {"(128,32):(32,1)", ZLAY_MAJOR_K, ZLAY_SWIZZLE_64B, 64, 16, 512, 4096, 32, 4},
        {"(64,16):(16,1)", ZLAY_MAJOR_K, ZLAY_SWIZZLE_32B, 64, 16, 256, 0, 0, 1},
        {"(64,(64,2)):(64,(1,4096))", ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 64, 16, 1024, 0, 0, 8},
        {"((8,8),(8,2)):((8,64),(1,512))", ZLAY_MAJOR_K, ZLAY_SWIZZLE_NONE, 64, 1024, 128, 0, 0, 1},
        {"((64,2),64):((1,4096),64)", ZLAY_MAJOR_MN, ZLAY_SWIZZLE_128B, 64, 16, 1024, 8192, 2048,
         8},
        {"((64,4),64):((1,4096),64)", ZLAY_MAJOR_MN, ZLAY_SWIZZLE_128B, 256, 8192, 1024, 0, 2048,
         4},
        {"((32,4),16):((1,512),32)", ZLAY_MAJOR_MN, ZLAY_SWIZZLE_64B, 64, 1024, 512, 2048, 0, 2},
        {"((16,4),16):((1,256),16)", ZLAY_MAJOR_MN, ZLAY_SWIZZLE_32B, 64, 512, 256, 0, 0, 1},
        {"((8,8),(8,4)):((1,64),(8,512))", ZLAY_MAJOR_MN, ZLAY_SWIZZLE_NONE, 64, 1024, 128, 0, 2048,
         2},
        {"(8,16):(1,64)", ZLAY_MAJOR_MN, ZLAY_SWIZZLE_128B, 8, 16, 1024, 0, 0, 1},
    };
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const known *w = &rows[i];
        answer a = ask(ctx, request_of(w->major, w->swizzle, w->mma_mn, 2048), w->layout);
        assert_int_equal(a.status, ZLAY_OK);
        assert_int_equal(a.fields.lbo, w->lbo);
        assert_int_equal(a.fields.sbo, w->sbo);
        assert_int_equal(a.fields.swizzle, w->swizzle);
        assert_int_equal(a.fields.base_offset, 0);
        assert_int_equal(a.fields.start, 0);
        assert_int_equal(a.count, w->count);
        size_t steps_mn = w->step_mn ? 2 : 1;
        for (size_t s = 0; s < a.count && (w->step_k || s < steps_mn); s++)
            assert_int_equal(a.start[s],
                             2048 + s % steps_mn * w->step_mn + s / steps_mn * w->step_k);
    }
}

/* The same function as bit matrix gives the same descriptors. */
static void test_f2_layout(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_layout *strided = read_layout(ctx, "((64,2),64):((1,4096),64)"), *f2 = NULL;
    assert_int_equal(zlay_layout_lower(ctx, &f2, strided), ZLAY_OK);
    assert_int_equal(zlay_layout_kind(f2), ZLAY_LAYOUT_F2);
    zlay_smemdesc_request r = request_of(ZLAY_MAJOR_MN, ZLAY_SWIZZLE_128B, 64, 1024);
    answer a = {.count = 0}, b = {.count = 0};
    r.layout = strided;
    a.status = zlay_smemdesc_synth(ctx, &a.fields, a.start, STEPS, &a.count, sm_90a(), &r);
    r.layout = f2;
    b.status = zlay_smemdesc_synth(ctx, &b.fields, b.start, STEPS, &b.count, sm_90a(), &r);
    assert_int_equal(a.status, ZLAY_OK);
    assert_int_equal(a.count, 8);
    assert_memory_equal(&a, &b, sizeof a);
    zlay_layout_free(strided);
    zlay_layout_free(f2);
}

typedef struct refused {
    const char *layout;
    int32_t major, swizzle;
    uint32_t mma_mn;
    unsigned mn, k;
    const char *rule;
} refused;

/* The first coordinate that no field can reach, found by hand. */
static void test_refused_layouts(void **state)
{
    static const refused rows[] = {
        {"(64,16):(1,64)", ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 64, 1, 0, "DESC_CANONICAL"},
        {"(64,16):(32,1)", ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 64, 1, 0, "DESC_CANONICAL"},
        {"(64,16):(64,2)", ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 64, 0, 1, "DESC_CANONICAL"},
        {"((8,2,4),16):((64,512,2048),1)", ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 64, 16, 0,
         "DESC_CANONICAL"},
        {"((8,8),16):((64,-512),1)", ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 64, 8, 0, "DESC_SBO_MOST"},
        {"((8,8),16):((64,516),1)", ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 64, 8, 0, "DESC_SBO_16"},
        {"((8,8),(8,2)):((8,64),(1,131072))", ZLAY_MAJOR_K, ZLAY_SWIZZLE_NONE, 64, 0, 8,
         "DESC_LBO_MOST"},
        {"((8,8),(8,2)):((1,64),(8,516))", ZLAY_MAJOR_MN, ZLAY_SWIZZLE_NONE, 64, 0, 8,
         "DESC_LBO_16"},
        {"4 o (64,16):(64,1)", ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 64, 0, 0, "DESC_START_16"},
        {"-1024 o (64,16):(64,1)", ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 64, 0, 0, "DESC_START_MOST"},
        {"(64,32):(72,1)", ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 64, 1, 0, "DESC_CANONICAL"},
        {"((64,3),16):((1,1024),64)", ZLAY_MAJOR_MN, ZLAY_SWIZZLE_128B, 96, 128, 0, "DESC_CANONICAL"},
        {"(64,(16,2)):(64,(1,12))", ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 64, 0, 16, "DESC_START_16"},
        {"(64,16):(64,600000000000000000)", ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 64, 0, 1,
         "DESC_CANONICAL"},
    };
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char where[128];
        answer a = ask(ctx, request_of(rows[i].major, rows[i].swizzle, rows[i].mma_mn, 1024),
                       rows[i].layout);
        assert_int_equal(a.status, ZLAY_NONE);
        snprintf(where, sizeof where, "%s: coordinate (%u, %u)", rows[i].rule, rows[i].mn,
                 rows[i].k);
        if (strncmp(zlay_ctx_message(ctx), where, strlen(where)))
            fail_msg("%s: expected %s, got %s", rows[i].layout, where, zlay_ctx_message(ctx));
        assert_int_equal(a.count, 99);
    }
}

/* wgmma by one descriptor with B the identity gives the 64 x 16 elements that it reads. */
static void read_by_model(float *out, const world *w, const zlay_smemdesc *fields, int32_t major)
{
    static const zlay_smemdesc identity = {.start = ORIGIN, .lbo = 128, .sbo = 256};
    zlay_mma mma = {.m = 64,
                    .n = 16,
                    .k = 16,
                    .a = ZLAY_TYPE_BF16,
                    .b = ZLAY_TYPE_BF16,
                    .d = ZLAY_TYPE_F32,
                    .a_major = major};
    uint64_t a, b;
    int32_t fault = -1;
    assert_int_equal(zlay_smemdesc_pack(&a, sm_90a(), fields), ZLAY_OK);
    assert_int_equal(zlay_smemdesc_pack(&b, sm_90a(), &identity), ZLAY_OK);
    assert_int_equal(zlay_sim_wgmma(&fault, out, &w->shared, &mma, a, b, 0), ZLAY_OK);
    assert_int_equal(fault, 0);
}

static void put(world *w, uint64_t address, float value)
{
    uint16_t half = zlay_sim_bf16(value);
    memcpy(w->smem + (address - ORIGIN), &half, sizeof half);
}

static void identity_put(world *w)
{
    for (uint32_t c = 0; c < 16; c++)
        for (uint32_t k = 0; k < 16; k++)
            put(w, ORIGIN + c / 8 * 256 + c % 8 * 16 + k / 8 * 128 + k % 8 * 2, c == k);
}

/* A tile of 128 x 32 in a canonical layout with random gaps, as text. */
static void random_text(char *text, size_t room, int32_t major, int32_t swizzle, uint64_t *state)
{
    int e = 8 << swizzle, c = 1 << swizzle;
    long gap = 64 * (long)pattern_lines[swizzle],
         near = 8 * e + gap * (long)test_range(state, 0, 2);
    long far = (major == ZLAY_MAJOR_K ? 16 : 128 / e) * near + gap * (long)test_range(state, 0, 2);
    if (major == ZLAY_MAJOR_K && c < 2)
        snprintf(text, room, "((8,16),(8,4)):((8,%ld),(1,%ld))", near, far);
    else if (major == ZLAY_MAJOR_K)
        snprintf(text, room, "((8,16),(%d,%d)):((%d,%ld),(1,%ld))", c < 4 ? 16 : 32, c < 4 ? 2 : 1,
                 e, near, far);
    else snprintf(text, room, "((%d,%d),(8,4)):((1,%ld),(%d,%ld))", e, 128 / e, near, e, far);
}

static void read_back(const world *w, const float *values, const answer *a, int32_t major)
{
    static float got[64 * 16];
    for (size_t s = 0; s < a->count; s++) {
        zlay_smemdesc fields = a->fields;
        fields.start = a->start[s];
        read_by_model(got, w, &fields, major);
        for (size_t r = 0; r < 64; r++)
            for (size_t k = 0; k < 16; k++) {
                float expected = values[s % 2 * 64 + r + (s / 2 * 16 + k) * 128];
                assert_true(got[r * 16 + k] == expected);
            }
    }
}

/* Elements are written by the layout and the picture, with the pattern at address 0 or at the tile,
 * and read by the model through the descriptors. */
static void test_model_reads_them(void **state)
{
    static float values[128 * 32];
    uint64_t seed = test_seed("model reads descriptors");
    zlay_ctx *ctx = *state;
    for (uint64_t i = 0; i < test_iterations(200); i++) {
        char text[128];
        world *w = world_new(&seed);
        int32_t major = (int32_t)(i % 2), swizzle = (int32_t)(i / 2 % 4);
        uint32_t address = ORIGIN + 1024 + 128 * (uint32_t)test_range(&seed, 0, 15);
        zlay_smemdesc_request r = request_of(major, swizzle, 64, address);
        r.pattern_at_start = i / 8 % 2;
        uint64_t from = r.pattern_at_start ? address : 0;
        random_text(text, sizeof text, major, swizzle, &seed);
        zlay_layout *layout = read_layout(ctx, text);
        identity_put(w);
        for (uint64_t x = 0; x < 128 * 32; x++) {
            int64_t offset;
            assert_int_equal(zlay_layout_eval(&offset, 1, layout, x), ZLAY_OK);
            values[x] = (float)test_range(&seed, -128, 128);
            put(w, from + by_picture(address - from + 2 * (uint64_t)offset, swizzle), values[x]);
        }
        zlay_layout_free(layout);
        answer a = ask(ctx, r, text);
        if (a.status) fail_msg("%s: %s", text, zlay_ctx_message(ctx));
        assert_int_equal(a.count, 4);
        assert_int_equal(a.fields.base_offset,
                         r.pattern_at_start ? address / 128 % pattern_lines[swizzle] : 0);
        read_back(w, values, &a, major);
        free(w);
    }
}

static void refuse(zlay_ctx *ctx, zlay_smemdesc_request r, const char *text, zlay_status status,
                   const char *word)
{
    answer a = ask(ctx, r, text);
    assert_int_equal(a.status, status);
    if (!strstr(zlay_ctx_message(ctx), word)) fail_msg("no %s in: %s", word, zlay_ctx_message(ctx));
    assert_int_equal(a.count, 99);
}

static void test_arguments(void **unused)
{
    (void)unused;
    static const char good[] = "(64,64):(64,1)";
    zlay_ctx *ctx = ctx_new();
    const zlay_smemdesc_request base = request_of(ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 64, 0);
    zlay_smemdesc_request r = base;
    r.size = sizeof r + 8, refuse(ctx, r, good, ZLAY_EINVAL, "size");
    r.size = 0, refuse(ctx, r, good, ZLAY_EINVAL, "size");
    r = base, r.reserved[2] = 1, refuse(ctx, r, good, ZLAY_EINVAL, "reserved");
    r = base, r.type = ZLAY_TYPE_F32, refuse(ctx, r, good, ZLAY_NONE, "WGMMA_A");
    r = base, r.type = -1, refuse(ctx, r, good, ZLAY_NONE, "WGMMA_A");
    r = base, r.type = ZLAY_TYPE_TF32, r.mma_k = 8, r.major = 1, refuse(ctx, r, good, ZLAY_NONE, "WGMMA_A_K_MAJOR");
    r = base, r.type = ZLAY_TYPE_B1, r.mma_k = 512, refuse(ctx, r, good, ZLAY_EINVAL, "mma_k");
    r = base, r.major = 2, refuse(ctx, r, good, ZLAY_EINVAL, "major");
    r = base, r.swizzle = 4, refuse(ctx, r, good, ZLAY_NONE, "DESC_SWIZZLE");
    r = base, r.swizzle = 5, refuse(ctx, r, good, ZLAY_EINVAL, "swizzle");
    r = base, r.swizzle = -2, refuse(ctx, r, good, ZLAY_EINVAL, "swizzle");
    r = base, r.pattern_at_start = 2, refuse(ctx, r, good, ZLAY_EINVAL, "pattern_at_start");
    r = base, r.mma_mn = 0, refuse(ctx, r, good, ZLAY_EINVAL, "mma_mn");
    r = base, r.mma_mn = 12, refuse(ctx, r, good, ZLAY_EINVAL, "mma_mn");
    r = base, r.mma_k = 8, refuse(ctx, r, good, ZLAY_EINVAL, "mma_k");
    r = base, r.mma_mn = 128, refuse(ctx, r, good, ZLAY_EINVAL, "layout");
    r = base, r.pattern_at_start = 1, r.address = 64, refuse(ctx, r, good, ZLAY_NONE, "DESC_BASE_OFFSET");
    refuse(ctx, base, "(64,24):(64,1)", ZLAY_EINVAL, "layout");
    zlay_limits limits = {.size = sizeof limits, .points = 4095};
    assert_int_equal(zlay_ctx_set_limits(ctx, &limits), ZLAY_OK);
    refuse(ctx, base, good, ZLAY_ELIMIT, "points");
    zlay_ctx_free(ctx);
}

/* A room too small says how much is needed and writes nothing else. */
static void test_room(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_layout *layout = read_layout(ctx, "(128,64):(64,1)");
    zlay_smemdesc_request r = request_of(ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 64, 0);
    zlay_smemdesc fields = {.lbo = 77};
    uint32_t start[8] = {77};
    size_t count = 0;
    r.layout = layout;
    assert_int_equal(zlay_smemdesc_synth(ctx, &fields, NULL, 0, &count, sm_90a(), &r), ZLAY_EROOM);
    assert_int_equal(count, 8);
    assert_int_equal(zlay_smemdesc_synth(ctx, &fields, start, 7, &count, sm_90a(), &r), ZLAY_EROOM);
    assert_int_equal(fields.lbo, 77);
    assert_int_equal(start[0], 77);
    assert_int_equal(zlay_smemdesc_synth(ctx, &fields, start, 8, &count, sm_90a(), &r), ZLAY_OK);
    assert_int_equal(zlay_smemdesc_synth(NULL, &fields, start, 8, &count, sm_90a(), &r),
                     ZLAY_EINVAL);
    assert_int_equal(zlay_smemdesc_synth(ctx, &fields, start, 8, &count, NULL, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_smemdesc_synth(ctx, &fields, start, 8, &count, sm_90a(), NULL),
                     ZLAY_EINVAL);
    r.layout = NULL;
    assert_int_equal(zlay_smemdesc_synth(ctx, &fields, start, 8, &count, sm_90a(), &r),
                     ZLAY_EINVAL);
    zlay_layout_free(layout);
}

static zlay_status described(zlay_ctx *ctx, void *given)
{
    zlay_smemdesc_request r = request_of(ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 64, 0);
    zlay_smemdesc fields;
    uint32_t start[8];
    size_t count = 99;
    r.layout = ((operands *)given)->a;
    zlay_status status = zlay_smemdesc_synth(ctx, &fields, start, 8, &count, sm_90a(), &r);
    if (status) assert_int_equal(count, 99);
    return status;
}

static void test_no_memory(void **unused)
{
    (void)unused;
    heap h;
    assert_int_equal(layouts_fail_each(&h, NULL, described, 0, "(128,64):(64,1)", NULL), ZLAY_OK);
    assert_true(h.calls > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_atoms),     cmocka_unit_test(test_f2_layout),
        cmocka_unit_test(test_refused_layouts), cmocka_unit_test(test_model_reads_them),
        cmocka_unit_test(test_arguments),       cmocka_unit_test(test_room),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
