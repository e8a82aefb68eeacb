/* SPDX-License-Identifier: Apache-2.0 */
/* stage.synth: the header's example, numbers of the answer against the text of its pipe, cases where choosing in turn takes more
 * cycles, sixty random requests whose pipes are proved and whose kernels assemble, bad requests, and memory.  refute/stage tries
 * every combination. */
#define _POSIX_C_SOURCE 200809L
#include "assembler.h"
#include "heap.h"
#include "legality.h"

#include <string.h>
#include <zlay/zlay.h>

enum { REQUESTS = 60, TEXT = 1 << 18, TENSORS = 2 };

/* A product's stage: A of m x k, B of n x k. */
typedef struct product {
    zlay_stage_request request;
    zlay_stage_tile tile;
    zlay_stage_tensor tensor[TENSORS];
    zlay_stage_access access[TENSORS];
    zlay_layout *made[4 * TENSORS];
    int count;
} product;

static zlay_layout *layout_of(zlay_ctx *ctx, product *p, const char *text)
{
    if (zlay_layout_parse(ctx, &p->made[p->count], text, strlen(text))) fail_msg("%s: %s", text, zlay_ctx_message(ctx));
    return p->made[p->count++];
}

static void drop(product *p)
{
    while (p->count) zlay_layout_free(p->made[--p->count]);
}

static int32_t bank_of(const char *name)
{
    int32_t number;
    assert_int_equal(zlay_bank_find(&number, name, strlen(name)), ZLAY_OK);
    return number;
}

/* bf16; `lanes`: read by ldmatrix, else by wgmma; a mode that is contiguous for each: k or mn. */
static void product_make(zlay_ctx *ctx, product *p, const uint32_t *mnk, bool lanes, const bool *mn_major)
{
    static const char *const names[] = {"A", "B"};
    *p = (product){.request = {.size = sizeof p->request, .count = 1}};
    for (uint32_t s = 0; s < TENSORS; s++) {
        char text[160];
        uint32_t rows = mnk[s], k = mnk[2];
        snprintf(text, sizeof text, mn_major[s] ? "(4096,4096):(1,4096)" : "(4096,4096):(4096,1)");
        p->tensor[s] = (zlay_stage_tensor){.name = names[s], .type = ZLAY_TYPE_BF16, .shape = {rows, k}, .align = 128, .count = 1, .accesses = &p->access[s], .source = layout_of(ctx, p, text)};
        p->access[s] = (zlay_stage_access){.access = ZLAY_STAGE_WGMMA};
        if (!lanes) continue;
        snprintf(text, sizeof text, "(16,2,8,%u,%u):(1,%u,%u,%u,16)", k / 16, rows / 16, 8 * rows, rows, 16 * rows);
        p->access[s] = (zlay_stage_access){.access = bank_of("ldmatrix.x4"), .layout = layout_of(ctx, p, text)};
    }
    p->tile = (zlay_stage_tile){.count = TENSORS, .tensors = p->tensor};
    p->request.tiles = &p->tile;
    p->request.rates = (zlay_stage_rates){128000, 64000, 64000, 20700, 4, 16, 800, 600, 400};
}

static zlay_stage *synth_on(zlay_ctx *ctx, product *p, const char *target)
{
    zlay_stage *s = NULL;
    p->request.tiles = &p->tile;
    p->tile.tensors = p->tensor;
    for (int i = 0; i < TENSORS; i++) p->tensor[i].accesses = &p->access[i];
    if (zlay_stage_synth(ctx, &s, target_of(target), &p->request)) fail_msg("%s", zlay_ctx_message(ctx));
    return s;
}

static zlay_stage *synth(zlay_ctx *ctx, product *p)
{
    return synth_on(ctx, p, "sm_90a");
}

/* ---- by hand --------------------------------------------------------------------------------- */

static const bool k_major[TENSORS] = {false, false};
static const uint32_t by_hand[] = {128, 128, 64};

static void check_by_hand(void **state)
{
    zlay_ctx *ctx;
    product p;
    zlay_stage_summary info;
    zlay_stage_choice c;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (int left = 0; left < 2; left++) {
        product_make(ctx, &p, by_hand, false, k_major);
        p.tensor[0].primitives = p.tensor[1].primitives = ZLAY_STAGE_BY_TENSOR;
        p.tile.cycles = 700;
        p.request.rates.copy_cycles = 1500;
        p.request.smem = left ? 100000 : 0;
        zlay_stage *s = synth(ctx, &p);
        zlay_stage_info(&info, s);
        assert_int_equal(info.unit[ZLAY_STAGE_SHARED], 128 + 128 + 128 + 2 * 128);
        assert_int_equal(info.unit[ZLAY_STAGE_ENGINE], 2 * (16 + 256));
        assert_int_equal(info.cycles, left ? 750 : 700);
        assert_int_equal(info.bytes, (left ? 3 : 4) * (2 * 16384 + 16));
        assert_int_equal(info.mbarriers, left ? 6 : 8);
        zlay_stage_choice_nth(&c, s, 1);
        assert_int_equal(c.expect, 16384);
        assert_int_equal(c.full, 1);
        assert_int_equal(c.empty, 8);
        zlay_stage_free(s);
        drop(&p);
    }
    zlay_ctx_free(ctx);
}

/* The same by tcgen05: B is read once too, one thread issues the products, and its commits leave a stage, in all
 * blocks that share it. */
static void check_tcgen05(void **state)
{
    zlay_ctx *ctx;
    product p;
    zlay_stage_summary info;
    zlay_stage_choice c;
    zlay_stage *s = NULL;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (int shared = 0; shared < 2; shared++) {
        product_make(ctx, &p, by_hand, false, k_major);
        p.request.cluster = 2;
        p.tensor[0].shared = (uint32_t)shared;
        p.tensor[0].primitives = p.tensor[1].primitives = ZLAY_STAGE_BY_TENSOR;
        p.access[0].access = p.access[1].access = ZLAY_STAGE_TCGEN05;
        p.request.rates.l2 = shared ? 50000 : 64000; /* so that sharing takes fewer cycles */
        s = synth_on(ctx, &p, "sm_100a");
        zlay_stage_info(&info, s);
        assert_int_equal(info.unit[ZLAY_STAGE_SHARED], 4 * 128);
        assert_int_equal(info.unit[ZLAY_STAGE_ISSUE], (2 + 2 + 3 + 3) / 4);
        assert_int_equal(info.consumers, 32);
        zlay_stage_choice_nth(&c, s, 0);
        assert_int_equal(c.multicast, 1 + shared);
        assert_int_equal(c.full, 1);
        assert_int_equal(c.empty, 1 + shared);
        zlay_stage_free(s);
        drop(&p);
    }
    product_make(ctx, &p, by_hand, false, k_major);
    p.access[0].access = p.access[1].access = ZLAY_STAGE_TCGEN05;
    assert_int_equal(zlay_stage_synth(ctx, &s, target_of("sm_90a"), &p.request), ZLAY_ENOTSUP);
    assert_non_null(strstr(zlay_ctx_message(ctx), "A: sm_90a has no tcgen05"));
    p.access[1] = (zlay_stage_access){.access = ZLAY_STAGE_WGMMA};
    assert_int_equal(zlay_stage_synth(ctx, &s, target_of("sm_100a"), &p.request), ZLAY_ENOTSUP);
    assert_non_null(strstr(zlay_ctx_message(ctx), "B: sm_100a has no wgmma"));
    p.access[1] = (zlay_stage_access){.access = bank_of("ldmatrix.x4"), .layout = layout_of(ctx, &p, "(16,2,8,4,8):(1,1024,128,2048,16)")};
    assert_int_equal(zlay_stage_synth(ctx, &s, target_of("sm_100a"), &p.request), ZLAY_ENOTSUP);
    assert_non_null(strstr(zlay_ctx_message(ctx), "tcgen05 reads two tensors"));
    drop(&p);
    zlay_ctx_free(ctx);
}

/* ---- the pipe has these numbers ----------------------------------------------------------------- */

static char text[TEXT];

static const char *pipe_text(const zlay_stage *s)
{
    zlay_buf buf = {text, sizeof text, 0};
    assert_int_equal(zlay_pipe_print(&buf, zlay_stage_pipe(s)), ZLAY_OK);
    return text;
}

static void has(const char *pipe, const char *format, const char *name, uint64_t a, uint64_t b)
{
    char line[96];
    snprintf(line, sizeof line, format, name, (unsigned long long)a, (unsigned long long)b);
    if (!strstr(pipe, line)) fail_msg("no %s in\n%s", line, pipe);
}

/* The bytes that rings of the text take with their barriers, rounded to the buffers of the answer, and the bytes of each expect. */
static void numbers_agree(const zlay_stage *s)
{
    static const char *const names[] = {"A", "B"}, *const fulls[] = {"full0", "full1"}, *const empties[] = {"empty0", "empty1"};
    const char *pipe = pipe_text(s);
    zlay_stage_summary info;
    zlay_stage_choice c[TENSORS];
    uint64_t bytes = 0, expect[TENSORS] = {0}, depth[TENSORS] = {0};
    zlay_stage_info(&info, s);
    for (uint32_t i = 0; i < info.tensors; i++) {
        zlay_stage_choice_nth(&c[i], s, i);
        assert_true(c[i].ring < info.rings);
        char line[64];
        unsigned long long stages = 0, each = 0;
        snprintf(line, sizeof line, "smem %s[", names[i]);
        assert_int_equal(sscanf(strstr(pipe, line) + strlen(line), "%llu] %llu", &stages, &each), 2);
        assert_int_equal(stages, c[i].depth);
        assert_true(each <= c[i].buffer && (!c[i].expect || each == c[i].expect));
        has(pipe, "bar %s[%llu] count %llu\n", fulls[c[i].ring], c[i].depth, c[i].full);
        has(pipe, "bar %s[%llu] count %llu\n", empties[c[i].ring], c[i].depth, c[i].empty);
        bytes += (uint64_t)c[i].depth * c[i].buffer;
        expect[c[i].ring] += c[i].expect;
        depth[c[i].ring] = c[i].depth;
    }
    for (uint32_t r = 0; r < info.rings; r++) {
        bytes += 16 * depth[r];
        char line[64];
        snprintf(line, sizeof line, "%s[i %% %llu] %llu\n", fulls[r], (unsigned long long)depth[r], (unsigned long long)expect[r]);
        if (expect[r] && !strstr(pipe, line)) fail_msg("no expect %s in\n%s", line, pipe);
    }
    assert_int_equal(bytes, info.bytes);
}

/* ---- random requests ------------------------------------------------------------------------------- */

static void proved(zlay_ctx *ctx, const zlay_stage *s)
{
    static char proof[TEXT];
    zlay_buf buf = {proof, sizeof proof, 0};
    zlay_answer answer = ZLAY_NO;
    size_t count;
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, &buf, zlay_stage_pipe(s)), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_pipe_recheck(ctx, &answer, zlay_stage_pipe(s), proof, buf.need), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
}

/* The layout without its swizzle, as the emitter's operands have it. */
static zlay_layout *unswizzled(zlay_ctx *ctx, const zlay_stage *s, uint32_t i)
{
    char words[256];
    zlay_buf buf = {words, sizeof words, 0};
    zlay_layout *out = NULL;
    assert_int_equal(zlay_layout_print(&buf, zlay_stage_layout(s, i)), ZLAY_OK);
    const char *plain = strstr(words, " o 0 o ");
    plain = plain ? plain + 7 : words;
    assert_int_equal(zlay_layout_parse(ctx, &out, plain, strlen(plain)), ZLAY_OK);
    return out;
}

static void kernel_assembles(zlay_ctx *ctx, const zlay_stage *s, const char *target, bool described, const bool *mn_major)
{
    static char kernel[1 << 20];
    static const char *const names[] = {"A", "B"};
    zlay_pipe_operand operands[TENSORS];
    zlay_layout *layout[TENSORS];
    zlay_buf buf = {kernel, sizeof kernel, 0};
    zlay_pipe_launch launch;
    zlay_stage_summary info;
    for (uint32_t i = 0; i < TENSORS; i++) {
        zlay_stage_choice c;
        zlay_stage_choice_nth(&c, s, i);
        layout[i] = unswizzled(ctx, s, i);
        operands[i] = (zlay_pipe_operand){.smem = names[i], .type = ZLAY_TYPE_BF16, .major = mn_major[i] ? ZLAY_MAJOR_MN : ZLAY_MAJOR_K, .swizzle = c.swizzle, .layout = layout[i]};
    }
    zlay_pipe_emit emit = {.size = sizeof emit, .language = ZLAY_TEXT_PTX, .target = target_of(target), .pipe = zlay_stage_pipe(s), .name = "stages", .name_length = 6, .operands = operands, .operands_count = described ? TENSORS : 0};
    if (zlay_emit_pipe(ctx, &buf, &launch, NULL, 0, &emit)) fail_msg("%s in\n%s", zlay_ctx_message(ctx), pipe_text(s));
    zlay_stage_info(&info, s);
    assert_true(launch.smem <= info.bytes + 1024 * TENSORS);
    if (!assembles(target, kernel)) fail_msg("%s", pipe_text(s));
    for (int i = 0; i < TENSORS; i++) zlay_layout_free(layout[i]);
}

static void draw(uint64_t *seed, zlay_ctx *ctx, product *p, bool *wgmma, bool *mn_major, bool tmem)
{
    uint32_t mnk[3] = {64 * (uint32_t)test_range(seed, 1, 2), 32 * (uint32_t)test_range(seed, 1, 4), 32 * (uint32_t)test_range(seed, 1, 3)};
    *wgmma = tmem || test_range(seed, 0, 1);
    for (int i = 0; i < TENSORS; i++) mn_major[i] = *wgmma && test_range(seed, 0, 2) == 0 && mnk[i] % 64 == 0;
    product_make(ctx, p, mnk, !*wgmma, mn_major);
    for (int i = 0; i < TENSORS; i++) {
        p->tensor[i].primitives = test_range(seed, 0, 1) ? 0 : 1u << test_range(seed, 0, *wgmma ? 0 : 3);
        if (*wgmma && test_range(seed, 0, 2) == 0) p->tensor[i].primitives = 1u << (2 * test_range(seed, 0, 1));
        p->tensor[i].shared = (uint32_t)test_range(seed, 0, 1);
        if (tmem) p->access[i].access = ZLAY_STAGE_TCGEN05;
    }
    p->request.cluster = 1u << test_range(seed, 0, 1);
    p->request.rates.l2 = test_range(seed, 0, 1) ? 16000 : 64000;
    p->request.rates.copy_cycles = (uint32_t)test_range(seed, 200, 1200);
}

static void each_random(bool assemble)
{
    uint64_t seed = test_seed("synth/stage/stage");
    zlay_ctx *ctx;
    int rings = 0, shared = 0, kinds[ZLAY_COPY_KINDS] = {0};
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (uint64_t n = 0; n < REQUESTS; n++) {
        uint64_t at = test_case(seed, n);
        static product p;
        bool wgmma, mn_major[TENSORS];
        zlay_stage_summary info;
        bool tmem = n % 3 == 2;
        const char *target = tmem ? "sm_100a" : "sm_90a";
        draw(&at, ctx, &p, &wgmma, mn_major, tmem);
        zlay_stage *s = synth_on(ctx, &p, target);
        zlay_stage_info(&info, s);
        rings += info.rings > 1;
        for (uint32_t i = 0; i < TENSORS; i++) {
            zlay_stage_choice c;
            zlay_stage_choice_nth(&c, s, i);
            kinds[c.kind]++;
            shared += c.multicast > 1;
        }
        proved(ctx, s);
        numbers_agree(s);
        if (assemble) kernel_assembles(ctx, s, target, wgmma, mn_major);
        zlay_stage_free(s);
        drop(&p);
    }
    printf("%d with rings of their own, %d tensors shared; %d tensor, %d bulk, %d cp.async, %d threads\n", rings, shared, kinds[ZLAY_COPY_TENSOR_LOAD], kinds[ZLAY_COPY_BULK_LOAD], kinds[ZLAY_COPY_CP_ASYNC], kinds[ZLAY_COPY_THREAD_LOAD]);
    assert_true(shared && kinds[ZLAY_COPY_TENSOR_LOAD] && kinds[ZLAY_COPY_BULK_LOAD] && kinds[ZLAY_COPY_CP_ASYNC] && kinds[ZLAY_COPY_THREAD_LOAD]);
    zlay_ctx_free(ctx);
}

static void check_random(void **state)
{
    (void)state;
    each_random(false);
}

static void check_assembles(void **state)
{
    (void)state;
    need_assembler();
    each_random(true);
}

/* ---- better than in turn ------------------------------------------------------------------------------ */

/* docs/stages.md shows these. */
static void check_in_turn(void **state)
{
    static const struct {
        uint32_t mnk[3];
        bool lanes;
        uint64_t smem, cycles, in_turn;
    } rows[] = {{{128, 128, 96}, true, 0, 768, 864}, {{128, 128, 64}, false, 70000, 640, 800}};
    zlay_ctx *ctx;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        product p;
        zlay_stage_summary info;
        product_make(ctx, &p, rows[i].mnk, rows[i].lanes, k_major);
        p.request.smem = rows[i].smem;
        zlay_stage *s = synth(ctx, &p);
        zlay_stage_info(&info, s);
        assert_int_equal(info.cycles, rows[i].cycles);
        assert_int_equal(info.in_turn, rows[i].in_turn);
        zlay_stage_free(s);
        drop(&p);
    }
    zlay_ctx_free(ctx);
}

/* ---- bad requests ------------------------------------------------------------------------------------- */

static void refused(zlay_ctx *ctx, product *p, zlay_status status, const char *message)
{
    zlay_stage *s = (zlay_stage *)p;
    p->request.tiles = &p->tile;
    zlay_status got = zlay_stage_synth(ctx, &s, target_of("sm_90a"), &p->request);
    if (got != status || !strstr(zlay_ctx_message(ctx), message)) fail_msg("%s: %s, not %s: %s", zlay_status_name(got), zlay_ctx_message(ctx), zlay_status_name(status), message);
    assert_null(s);
    drop(p);
}

#define REFUSED(change, status, message)                      \
    do {                                                      \
        product_make(ctx, &p, by_hand, false, k_major);       \
        change;                                               \
        refused(ctx, &p, status, message);                    \
    } while (0)

/* Names that the text of a pipe has beside those of tensors. */
static const char *const of_pipe[] = {"N", "C", "i", "p", "k", "j0", "full0", "empty3", "producer", "producer1", "consumer", "copier"};

static void check_bad(void **state)
{
    zlay_ctx *ctx;
    product p;
    zlay_stage *s;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    REFUSED(p.request.size = 8, ZLAY_EINVAL, "size");
    REFUSED(p.request.count = 0, ZLAY_EINVAL, "tiles");
    REFUSED(p.request.count = 9, ZLAY_EINVAL, "tiles");
    REFUSED(p.request.smem = 1 << 20, ZLAY_EINVAL, "smem");
    REFUSED(p.request.threads = 33, ZLAY_EINVAL, "threads");
    REFUSED(p.request.consumers = 128, ZLAY_EINVAL, "consumers");
    REFUSED(p.request.cluster = 3, ZLAY_EINVAL, "cluster");
    REFUSED(p.request.depth = 1, ZLAY_EINVAL, "depth");
    REFUSED(p.request.barriers = 2, ZLAY_EINVAL, "barriers");
    REFUSED(p.request.reserved0 = 1, ZLAY_EINVAL, "reserved");
    REFUSED(p.request.rates.copy = UINT32_MAX, ZLAY_EINVAL, "rates");
    REFUSED(p.tile.count = 5, ZLAY_EINVAL, "tensors");
    REFUSED(p.tile.count = 1, ZLAY_ENOTSUP, "wgmma reads two");
    REFUSED(p.tile.cycles = UINT32_MAX, ZLAY_EINVAL, "cycles");
    REFUSED(p.tensor[1].name = "A", ZLAY_EINVAL, "called A");
    REFUSED(p.tensor[1].name = "1", ZLAY_EINVAL, "name");
    REFUSED(p.tensor[0].type = ZLAY_TYPE_E2M1, ZLAY_ENOTSUP, "type");
    REFUSED(p.tensor[0].type = -5, ZLAY_ENOTSUP, "type");
    REFUSED(p.tensor[0].source = NULL, ZLAY_EINVAL, "source");
    REFUSED(p.tensor[0].shape[0] = 0, ZLAY_EINVAL, "shape");
    REFUSED(p.tensor[0].shape[0] = 8192, ZLAY_EINVAL, "shape");
    REFUSED(p.tensor[0].shape[0] = 96, ZLAY_ENOTSUP, "96 rows");
    REFUSED(p.tensor[0].swizzle = 4, ZLAY_EINVAL, "swizzle");
    REFUSED(p.tensor[0].align = 24, ZLAY_EINVAL, "align");
    REFUSED(p.tensor[0].primitives = 16, ZLAY_EINVAL, "primitives");
    REFUSED(p.tensor[0].count = 0, ZLAY_EINVAL, "accesses");
    REFUSED(p.access[0].access = 9999, ZLAY_EINVAL, "access");
    REFUSED(p.access[0].access = bank_of("ldmatrix.x4"), ZLAY_EINVAL, "layout");
    REFUSED(p.tensor[0].smem = layout_of(ctx, &p, "(128,64):(0,1)"), ZLAY_EINVAL, "one place");
    REFUSED(p.tensor[0].smem = layout_of(ctx, &p, "(128,32):(32,1)"), ZLAY_EINVAL, "elements");
    REFUSED(p.tensor[0].smem = layout_of(ctx, &p, "(128,64):(64,1)"), ZLAY_NONE, "A: tensor copies: no layout of its list can be read so");
    REFUSED(p.tensor[1].primitives = ZLAY_STAGE_BY_BULK, ZLAY_NONE, "B: tensor copies: not asked for; bulk: lines lie whole");
    REFUSED(p.request.smem = 60000, ZLAY_NONE, "65568 bytes, and 60000");
    REFUSED(p.tensor[1].shape[1] = 32, ZLAY_EINVAL, "shape: wgmma reads K of 64 and of 32");
    REFUSED(p.tensor[1].type = ZLAY_TYPE_F16, ZLAY_NONE, "WGMMA_B");
    REFUSED(p.tensor[1].type = ZLAY_TYPE_E4M3, ZLAY_NONE, "WGMMA_B");
    REFUSED((p.tensor[0].type = p.tensor[1].type = ZLAY_TYPE_F32), ZLAY_NONE, "WGMMA_A");
    REFUSED((p.tensor[0].type = p.tensor[1].type = ZLAY_TYPE_S8, p.tensor[1].shape[0] = 40), ZLAY_NONE, "WGMMA_N_16");
    REFUSED(p.tensor[1].shape[0] = 12, ZLAY_NONE, "WGMMA_N_8");
    REFUSED(p.tensor[1].shape[0] = 320, ZLAY_NONE, "WGMMA_N: ");
    for (size_t i = 0; i < sizeof of_pipe / sizeof *of_pipe; i++) REFUSED(p.tensor[1].name = of_pipe[i], ZLAY_EINVAL, "that the pipe of a stage has");
    REFUSED((p.tensor[0].swizzle_fixed = 1, p.tensor[0].swizzle = ZLAY_SWIZZLE_64B, p.tensor[0].smem = layout_of(ctx, &p, "(128,64):(72,1)")), ZLAY_EINVAL, "A: smem: not the layout of the request's swizzle");
    assert_int_equal(zlay_stage_synth(NULL, &s, target_of("sm_90a"), &p.request), ZLAY_EINVAL);
    assert_int_equal(zlay_stage_synth(ctx, &s, target_of("gfx942"), &(zlay_stage_request){.size = sizeof(zlay_stage_request), .count = 1, .tiles = &p.tile}), ZLAY_ENOTSUP);
    zlay_stage_free(NULL);
    assert_null(zlay_stage_pipe(NULL));
    assert_null(zlay_stage_layout(NULL, 0));
    assert_null(zlay_stage_kind_name(0));
    assert_null(zlay_stage_layout_name(-1));
    assert_null(zlay_stage_unit_name(ZLAY_STAGE_UNITS));
    assert_string_equal(zlay_stage_layout_name(ZLAY_STAGE_XOR), "xor");
    assert_string_equal(zlay_stage_kind_name(ZLAY_COPY_CP_ASYNC), "cp.async");
    assert_string_equal(zlay_stage_unit_name(ZLAY_STAGE_WAIT), "wait");
    zlay_ctx_free(ctx);
}

/* A block has 32 warps: 16 that copy, 16 that read, and one more where a ring has tensor copies alone. */
static void check_warps(void **state)
{
    zlay_ctx *ctx;
    product p;
    zlay_stage_summary info;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (int own = 0; own < 2; own++) {
        product_make(ctx, &p, by_hand, true, k_major);
        p.request.threads = p.request.consumers = 512;
        p.tensor[0].primitives = ZLAY_STAGE_BY_TENSOR;
        p.tensor[1].primitives = ZLAY_STAGE_BY_CP_ASYNC;
        p.request.barriers_fixed = (uint32_t)own;
        p.request.barriers = ZLAY_STAGE_RINGS;
        if (own) refused(ctx, &p, ZLAY_NONE, "threads: 512 that produce");
        if (own) break;
        zlay_stage *s = synth(ctx, &p);
        zlay_stage_info(&info, s);
        assert_int_equal(info.barriers, ZLAY_STAGE_ONE_RING);
        zlay_stage_free(s);
        drop(&p);
    }
    zlay_ctx_free(ctx);
}

/* Rows of 64 single bytes and a pitch that is odd: each load of a thread takes a register, and 32 of a thread
 * hold no 64. */
static void check_registers(void **state)
{
    zlay_ctx *ctx;
    product p;
    zlay_stage *s;
    zlay_stage_choice c;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    product_make(ctx, &p, by_hand, false, k_major);
    p.tile.count = 1;
    p.tensor[0].type = ZLAY_TYPE_U8;
    p.tensor[0].source = layout_of(ctx, &p, "(4096,4095):(4095,1)");
    p.access[0] = (zlay_stage_access){.access = bank_of("ld.shared.b32"), .layout = layout_of(ctx, &p, "(32,4,2):(1,128,512)")};
    s = synth(ctx, &p);
    zlay_stage_choice_nth(&c, s, 0);
    assert_int_equal(c.kind, ZLAY_COPY_THREAD_LOAD);
    assert_int_equal(c.width, 1);
    assert_int_equal(c.registers, 128 * 64 / 128);
    zlay_stage_free(s);
    p.request.registers = 63;
    refused(ctx, &p, ZLAY_NONE, "threads: registers hold too few");
    zlay_ctx_free(ctx);
}

/* Nothing fits 20,000 bytes, and 2 nodes do not say what would: no least is claimed, nor another reason. */
static void check_least_ended(void **state)
{
    const zlay_limits limits = {.size = sizeof limits, .points = 32};
    zlay_ctx *ctx;
    product p;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, &limits), ZLAY_OK);
    product_make(ctx, &p, by_hand, true, k_major);
    p.request.smem = 20000;
    refused(ctx, &p, ZLAY_ELIMIT, "points: the search ends at 2 nodes");
    zlay_ctx_free(ctx);
}

/* A layout of the request that is a member of the lists is that member; another one is written by threads. */
static void check_own(void **state)
{
    zlay_ctx *ctx;
    product p;
    zlay_stage_choice c;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    product_make(ctx, &p, by_hand, true, k_major);
    p.tensor[0].smem = layout_of(ctx, &p, "(128,64):(72,1)");
    zlay_stage *s = synth(ctx, &p);
    zlay_stage_choice_nth(&c, s, 0);
    assert_int_equal(c.layout, ZLAY_STAGE_ROWS);
    assert_int_equal(c.pad, 16);
    assert_int_equal(c.buffer, 128 * 144);
    zlay_stage_free(s);
    p.tensor[0].smem = layout_of(ctx, &p, "((64,2),64):((64,4104),1)");
    s = synth(ctx, &p);
    zlay_stage_choice_nth(&c, s, 0);
    assert_int_equal(c.layout, ZLAY_STAGE_OWN);
    assert_true(c.kind == ZLAY_COPY_CP_ASYNC || c.kind == ZLAY_COPY_THREAD_LOAD);
    zlay_stage_free(s);
    drop(&p);
    zlay_ctx_free(ctx);
}

/* Eight tiles of four tensors: a search that ends at limits.points answers with what it has, and says so. */
static void check_ended(void **state)
{
    static const int64_t pitch[] = {4100, 4096, 4104, 4096}, rows[] = {64, 64, 32, 64}, k[] = {96, 48, 96, 64};
    static const char *const names[] = {"A", "B", "C", "D"};
    zlay_stage_tensor tensor[4];
    zlay_stage_access access[4][2];
    zlay_stage_tile tile[ZLAY_STAGE_TILES];
    zlay_layout *made[12];
    uint64_t cycles = 0;
    zlay_ctx *own;
    (void)state;
    assert_int_equal(zlay_ctx_new(&own, NULL, NULL), ZLAY_OK);
    for (int i = 0; i < 4; i++) {
        const int64_t shape[] = {4096, 4096}, stride[] = {pitch[i], 1}, lanes[] = {16, 2, 8, k[i] / 16, rows[i] / 16}, column[] = {32, 2};
        const int64_t steps[] = {1, 8 * rows[i], rows[i], 16 * rows[i], 16}, down[] = {1, rows[i]};
        assert_int_equal(zlay_layout_new_strided(own, &made[3 * i], 2, shape, stride, 0), ZLAY_OK);
        assert_int_equal(zlay_layout_new_strided(own, &made[3 * i + 1], 5, lanes, steps, 0), ZLAY_OK);
        assert_int_equal(zlay_layout_new_strided(own, &made[3 * i + 2], 2, column, down, 0), ZLAY_OK);
        access[i][0] = (zlay_stage_access){.access = bank_of("ldmatrix.x4"), .layout = made[3 * i + 1]};
        access[i][1] = (zlay_stage_access){.access = bank_of("ld.shared.b32"), .layout = made[3 * i + 2]};
        tensor[i] = (zlay_stage_tensor){.name = names[i], .type = ZLAY_TYPE_BF16, .source = made[3 * i], .shape = {(uint64_t)rows[i], (uint64_t)k[i]}, .align = 128, .count = 2, .accesses = access[i]};
    }
    for (int i = 0; i < ZLAY_STAGE_TILES; i++) tile[i] = (zlay_stage_tile){.count = 4, .tensors = tensor};
    for (int few = 0; few < 2; few++) {
        zlay_limits limits = {.size = sizeof limits, .points = few ? 20000 : 0};
        const zlay_stage_request request = {.size = sizeof request, .count = ZLAY_STAGE_TILES, .tiles = tile, .smem = 120000, .rates = {128000, 62988, 40943, 20535, 4, 16, 528, 284, 373}};
        zlay_ctx *ctx;
        zlay_stage *s;
        zlay_stage_summary info;
        assert_int_equal(zlay_ctx_new(&ctx, NULL, &limits), ZLAY_OK);
        if (zlay_stage_synth(ctx, &s, target_of("sm_90a"), &request)) fail_msg("%s", zlay_ctx_message(ctx));
        zlay_stage_info(&info, s);
        assert_int_equal(info.optimal, !few);
        if (few) assert_true(info.cycles >= cycles && info.visited == 20000 / 16);
        cycles = info.cycles;
        zlay_stage_free(s);
        zlay_ctx_free(ctx);
    }
    for (int i = 0; i < 12; i++) zlay_layout_free(made[i]);
    zlay_ctx_free(own);
}

static zlay_status made(zlay_ctx *ctx, void *request)
{
    zlay_stage *s = NULL;
    zlay_status status = zlay_stage_synth(ctx, &s, target_of("sm_90a"), request);
    zlay_stage_free(s);
    return status;
}

static void check_memory(void **state)
{
    static const uint32_t small[] = {64, 32, 32};
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL), *own;
    product p;
    (void)state;
    assert_int_equal(zlay_ctx_new(&own, NULL, NULL), ZLAY_OK);
    product_make(own, &p, small, false, k_major);
    p.request.tiles = &p.tile;
    assert_int_equal(heap_fails_each(&h, ctx, made, &p.request), ZLAY_OK);
    drop(&p);
    heap_close(&h, ctx);
    zlay_ctx_free(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(check_by_hand), cmocka_unit_test(check_tcgen05), cmocka_unit_test(check_in_turn), cmocka_unit_test(check_bad), cmocka_unit_test(check_own), cmocka_unit_test(check_warps), cmocka_unit_test(check_registers), cmocka_unit_test(check_least_ended), cmocka_unit_test(check_ended), cmocka_unit_test(check_memory), cmocka_unit_test(check_random), cmocka_unit_test(check_assembles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
