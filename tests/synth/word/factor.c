/* SPDX-License-Identifier: Apache-2.0 */
/* L = R o L_desc = L_desc o R': both on every point, L_desc against what the ISA says of it, the
 * word of R run as PTX, and no other member of the family with a shorter word. */
#include "ctx.h"
#include "heap_layouts.h"
#include "layouts/layout.h"
#include "plans/word.h"

enum { INDEX_BITS_MOST = 14 };

/* ---- L_desc, said again ---------------------------------------------------------------------- */

/* Where a landing puts the element of a rank-2 tile: panels of a span, rows of it one after
 * another, the swizzle over bytes. */
static int64_t landing_at(const char *name, uint64_t extent[2], uint32_t first, uint32_t bytes,
                          uint64_t index)
{
    static const struct {
        const char *name;
        uint64_t span, mask, low;
    } rows[] = {{"tma.none", 0, 0, 0},       {"tma.32B", 32, 1, 4}, {"tma.64B", 64, 3, 4},
                {"tma.128B", 128, 7, 4}};
    uint64_t c[2] = {index % extent[0], index / extent[0]}, span = 0, mask = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name)) span = rows[i].span / bytes, mask = rows[i].mask;
    if (!span) span = extent[first];
    uint64_t across = extent[1 - first], byte = c[first] % span;
    byte = (byte + span * c[1 - first] + span * across * (c[first] / span)) * bytes;
    return (int64_t)((byte ^ (byte >> 7 & mask) << 4) / bytes);
}

/* Core matrices of 8 rows of 16 bytes, PTX ISA 9.1, "Shared Memory Matrix Layout", no swizzle. */
static int64_t core_at(bool along, uint64_t extent[2], uint32_t first, uint32_t bytes,
                       uint64_t index)
{
    uint64_t c[2] = {index % extent[0], index / extent[0]}, chunk = 16 / bytes;
    uint64_t in = c[first], out = c[1 - first];
    uint64_t chunks = extent[first] / chunk, groups = extent[1 - first] / 8;
    uint64_t matrix = along ? in / chunk + chunks * (out / 8) : out / 8 + groups * (in / chunk);
    return (int64_t)(in % chunk + chunk * (out % 8) + 8 * chunk * matrix);
}

/* Row and column of the value in a register of a lane of a warp; PTX ISA 9.1, "Matrix Fragments".
 */
static bool fragment_at(const char *name, uint32_t bits, uint64_t value, uint64_t lane,
                        uint64_t warp, uint64_t at[2])
{
    uint64_t each = 32 / bits, group = lane / 4, quad = lane % 4, reg = value / each;
    if (!strcmp(name, "ldmatrix")) at[0] = group, at[1] = 2 * quad + value % 2;
    else if (!strcmp(name, "ldmatrix.trans")) at[1] = group, at[0] = 2 * quad + value % 2;
    else if (!strcmp(name, "mma.a"))
        at[0] = group + 8 * (reg % 2), at[1] = quad * each + value % each + 4 * each * (reg / 2);
    else if (!strcmp(name, "mma.b"))
        at[0] = group, at[1] = quad * each + value % each + 4 * each * reg;
    else if (!strcmp(name, "mma.d")) at[0] = group + 8 * (value / 2), at[1] = 2 * quad + value % 2;
    else if (!strcmp(name, "wgmma.d"))
        at[0] = 16 * warp + group + 8 * (value / 2 % 2), at[1] = 2 * quad + value % 2;
    else if (!strcmp(name, "wgmma.a"))
        at[0] = 16 * warp + group + 8 * (reg % 2),
        at[1] = quad * each + value % each + 4 * each * (reg / 2);
    else return false;
    return true;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

typedef struct job {
    uint32_t bits; /* of an element */
    bool threads;
    unsigned mode[2], slot[3]; /* bits of the tile's modes; of register, lane, warp */
    map_table map;
} job;

static zlay_layout *job_layout(zlay_ctx *ctx, const job *j)
{
    unsigned low[3] = {0, j->slot[0], j->slot[0] + j->slot[1]};
    zlay_dim in[2] = {{"m", (uint64_t)1 << j->mode[0]}, {"k", (uint64_t)1 << j->mode[1]}};
    zlay_dim out[3] = {{"register", (uint64_t)1 << j->slot[0]},
                       {"lane", (uint64_t)1 << j->slot[1]},
                       {"warp", (uint64_t)1 << j->slot[2]}};
    zlay_dim offset = {"offset", (uint64_t)1 << j->map.bits};
    uint64_t basis[3 * 32];
    zlay_layout *made = NULL;
    zlay_f2_bases b = {sizeof b, 0, 2, j->threads ? 3 : 1, in, j->threads ? out : &offset, basis};
    for (unsigned k = 0; k < j->map.bits; k++)
        for (size_t i = 0; i < b.outs; i++)
            basis[k * b.outs + i] = j->threads ? j->map.basis[k] >> low[i] & (out[i].size - 1)
                                               : j->map.basis[k];
    assert_int_equal(zlay_f2_new(ctx, &made, &b), ZLAY_OK);
    return made;
}

static job job_draw(uint64_t *seed, bool threads)
{
    job j = {.bits = 8u << test_range(seed, 0, 3), .threads = threads};
    j.mode[0] = (unsigned)test_range(seed, 3, 7);
    j.mode[1] = (unsigned)test_range(seed, 3, 6);
    unsigned bits = j.mode[0] + j.mode[1];
    if (threads) {
        unsigned part = j.bits < 32 ? (unsigned)__builtin_ctz(32 / j.bits) : 0;
        if (bits < 5 + part) bits = 5 + part, j.mode[0] = bits - j.mode[1];
        j.slot[1] = 5;
        j.slot[2] = (unsigned)test_range(seed, 0, bits - 5 - part > 2 ? 2 : bits - 5 - part);
        j.slot[0] = bits - 5 - j.slot[2];
    }
    map_draw(&j.map, seed, bits, bits, (int)test_range(seed, 0, 2));
    j.map.constant = 0;
    return j;
}

/* The slot, or offset, as one integer. */
static int64_t flat_at(const zlay_layout *a, uint64_t index)
{
    int64_t value[8];
    uint64_t flat = 0, size = 1;
    size_t outs = zlay_layout_out_count(a);
    zlay_dim dim;
    assert_int_equal(zlay_layout_eval(value, 8, a, index), ZLAY_OK);
    if (outs == 1) return value[0];
    for (size_t i = 0; i < outs; i++) {
        flat += size * (uint64_t)value[i];
        assert_int_equal(zlay_f2_out_nth(&dim, a, i), ZLAY_OK);
        size *= dim.size;
    }
    return (int64_t)flat;
}

static void assert_desc(const job *j, const zlay_factor_summary *info, const zlay_layout *desc)
{
    uint64_t extent[2] = {(uint64_t)1 << j->mode[0], (uint64_t)1 << j->mode[1]};
    uint32_t bytes = j->bits / 8;
    for (uint64_t i = 0; i < extent[0] * extent[1] && !j->threads; i++) {
        int64_t expected = !strncmp(info->desc, "tma", 3)
                               ? landing_at(info->desc, extent, info->first, bytes, i)
                               : core_at(!strcmp(info->desc, "wgmma.core.along"), extent,
                                         info->first, bytes, i);
        assert_int_equal(flat_at(desc, i), expected);
    }
    for (uint64_t i = 0; i < extent[0] * extent[1] && j->threads; i++) {
        int64_t slot[3];
        uint64_t at[2] = {0}, c[2] = {i % extent[0], i / extent[0]};
        assert_int_equal(zlay_layout_eval(slot, 3, desc, i), ZLAY_OK);
        uint64_t lane = (uint64_t)slot[1], value = (uint64_t)slot[0];
        assert_true(fragment_at(info->desc, j->bits, value, lane, (uint64_t)slot[2], at));
        uint64_t in = c[info->first], out = c[1 - info->first];
        uint64_t rows = !strncmp(info->desc, "wgmma", 5) ? 64
                        : !strcmp(info->desc, "mma.a") || !strcmp(info->desc, "mma.d") ? 16
                                                                                         : 8;
        bool one = in < rows && out < (!strcmp(info->desc, "wgmma.d") ? 8u : 256u / j->bits / 2);
        if (one) assert_int_equal(at[0], in);
        if (one) assert_int_equal(at[1], out);
    }
}

/* The residual's bits, carried out by the emitted text on every thread. */
static void assert_word_runs(zlay_ctx *ctx, const zlay_factor *x, const job *j)
{
    const zlay_word *word = zlay_factor_word(x);
    const zlay_layout *residual = zlay_factor_part(x, ZLAY_FACTOR_RESIDUAL);
    char *text = malloc(WORD_ROOM);
    assert_non_null(text);
    zlay_buf buf = {text, WORD_ROOM, 0};
    zlay_slots s;
    assert_int_equal(zlay_word_slots(&s, word), ZLAY_OK);
    zlay_status status = zlay_emit_word(ctx, &buf, word, "w", 1);
    unsigned twice = j->bits > 32, width = 32u >> s.byte_bits, bits = slot_bits(&s);
    uint64_t size = (uint64_t)1 << bits, words = size >> s.byte_bits;
    uint32_t *from = calloc(words, 4), *to = calloc(words, 4), *wanted = calloc(words, 4);
    assert_true(from && to && wanted && (!status || status == ZLAY_ENOTSUP));
    for (unsigned low = 0; !status && low < bits; low += width) {
        memset(from, 0, words * 4);
        memset(wanted, 0, words * 4);
        for (uint64_t i = 0; i < size; i++) {
            uint64_t mask = (1ull << width) - 1, each = 1u << s.byte_bits, value = i >> low & mask;
            uint64_t out = (uint64_t)flat_at(residual, i >> twice) << twice | (twice ? i & 1 : 0);
            from[i / each] |= (uint32_t)(value << (width * (i % each)));
            wanted[out / each] |= (uint32_t)(value << (width * (out % each)));
        }
        ptx_run(text, from, to, 1u << s.register_bits, 1u << s.warp_bits,
                1u << s.block_bits);
        assert_memory_equal(to, wanted, words * 4);
    }
    free(from);
    free(to);
    free(wanted);
    free(text);
}

static bool shorter(const zlay_factor *a, const zlay_factor *b)
{
    zlay_word_summary x, y;
    zlay_word_step step;
    assert_int_equal(zlay_word_info(&x, zlay_factor_word(a)), ZLAY_OK);
    assert_int_equal(zlay_word_info(&y, zlay_factor_word(b)), ZLAY_OK);
    bool shared_x = x.steps == 3 && !zlay_word_step_nth(&step, zlay_factor_word(a), 1) &&
                    step.generator == ZLAY_STEP_SYNC;
    bool shared_y = y.steps == 3 && !zlay_word_step_nth(&step, zlay_factor_word(b), 1) &&
                    step.generator == ZLAY_STEP_SYNC;
    if (shared_x != shared_y) return shared_y;
    return x.rounds != y.rounds ? x.rounds < y.rounds : x.instructions < y.instructions;
}

static int assert_least(zlay_ctx *ctx, const zlay_target *target, const zlay_factor *x,
                        zlay_factor_request request)
{
    int members = 0;
    for (size_t i = 0; (request.desc = zlay_factor_desc_nth(i)); i++) {
        zlay_factor *other;
        zlay_status status = zlay_factor_synth(ctx, &other, target, &request);
        assert_true(!status || status == ZLAY_NONE);
        if (!status) {
            zlay_factor_summary info;
            assert_int_equal(zlay_factor_info(&info, other), ZLAY_OK);
            assert_string_equal(info.desc, request.desc);
            assert_false(shorter(other, x));
            members++;
        }
        zlay_factor_free(other);
    }
    return members;
}

static bool run_job(zlay_ctx *ctx, const job *j)
{
    zlay_layout *layout = job_layout(ctx, j);
    zlay_factor_request request = {sizeof request, j->bits, layout, NULL, {0}};
    zlay_factor *x = NULL;
    zlay_factor_summary info;
    zlay_status status = zlay_factor_synth(ctx, &x, target_of("sm_90a"), &request);
    if (status && status != ZLAY_NONE) fail_msg("%d: %s", status, zlay_ctx_message(ctx));
    if (status) {
        assert_int_equal(assert_least(ctx, target_of("sm_90a"), x, request), 0);
        zlay_layout_free(layout);
        return false;
    }
    const zlay_layout *desc = zlay_factor_part(x, ZLAY_FACTOR_DESC);
    const zlay_layout *residual = zlay_factor_part(x, ZLAY_FACTOR_RESIDUAL);
    const zlay_layout *dual = zlay_factor_part(x, ZLAY_FACTOR_DUAL);
    for (uint64_t i = 0; i < (uint64_t)1 << j->map.bits; i++) {
        int64_t wanted = flat_at(layout, i);
        assert_int_equal(flat_at(residual, (uint64_t)flat_at(desc, i)), wanted);
        assert_int_equal(flat_at(desc, (uint64_t)flat_at(dual, i)), wanted);
    }
    assert_int_equal(zlay_factor_info(&info, x), ZLAY_OK);
    assert_desc(j, &info, desc);
    assert_word_runs(ctx, x, j);
    assert_true(assert_least(ctx, target_of("sm_90a"), x, request) > 0);
    zlay_factor_free(x);
    zlay_layout_free(layout);
    return true;
}

static void random_layouts(void **state)
{
    uint64_t seed = test_seed("factors"), count = test_iterations(60), split = 0;
    for (uint64_t i = 0; i < count; i++) {
        job j = job_draw(&seed, i % 2);
        split += run_job(*state, &j);
    }
    printf("factors: %llu of %llu layouts have a member of the family\n",
           (unsigned long long)split, (unsigned long long)count);
    assert_true(split > count / 2);
}

/* ---- constants by XOR ------------------------------------------------------------------------ */

/* Modes that run down under a swizzle, split by members with swizzles of their own: what is left adds
 * a constant by XOR, and is often neither strided nor one swizzle. */
static void flipped(void **state)
{
    static const char *const descs[] = {"tma.none", "tma.32B", "tma.64B", "tma.128B",
                                        "wgmma.core.along", "wgmma.core.across"};
    uint64_t seed = test_seed("flipped"), split = 0, pieces = 0;
    for (uint64_t n = 0; n < test_iterations(24); n++) {
        char text[128];
        int bits = (int)test_range(&seed, 1, 3), base = (int)test_range(&seed, 0, 3);
        int shift = (int)test_range(&seed, bits, 5);
        bool down[2] = {test_range(&seed, 0, 1), test_range(&seed, 0, 1)};
        bool turned = test_range(&seed, 0, 1);
        int step[2] = {turned ? 32 : 1, turned ? 1 : 32};
        int start = (down[0] ? 31 * step[0] : 0) + (down[1] ? 31 * step[1] : 0);
        snprintf(text, sizeof text, "Sw<%d,%d,%d> o %d o (32,32):(%d,%d)", bits, base,
                 test_range(&seed, 0, 1) ? shift : -shift, start, down[0] ? -step[0] : step[0],
                 down[1] ? -step[1] : step[1]);
        zlay_layout *layout = read_layout(*state, text);
        zlay_factor_request request = {sizeof request, 16, layout, NULL, {0}};
        request.desc = descs[test_range(&seed, 0, sizeof descs / sizeof *descs - 1)];
        zlay_factor *x = NULL;
        zlay_status status = zlay_factor_synth(*state, &x, target_of("sm_90a"), &request);
        if (status && status != ZLAY_NONE)
            fail_msg("%s, %s: %s", text, request.desc, zlay_ctx_message(*state));
        for (uint64_t i = 0; !status && i < 1024; i++) {
            uint64_t at = (uint64_t)flat_at(zlay_factor_part(x, ZLAY_FACTOR_DESC), i);
            uint64_t from = (uint64_t)flat_at(zlay_factor_part(x, ZLAY_FACTOR_DUAL), i);
            assert_int_equal(flat_at(zlay_factor_part(x, ZLAY_FACTOR_RESIDUAL), at),
                             flat_at(layout, i));
            assert_int_equal(flat_at(zlay_factor_part(x, ZLAY_FACTOR_DESC), from),
                             flat_at(layout, i));
        }
        split += !status;
        pieces += !status && zlay_layout_kind(zlay_factor_part(x, ZLAY_FACTOR_RESIDUAL)) ==
                                 ZLAY_LAYOUT_PIECES;
        zlay_factor_free(x);
        zlay_layout_free(layout);
    }
    printf("flipped: %llu split, %llu of them leave pieces\n", (unsigned long long)split,
           (unsigned long long)pieces);
    assert_true(pieces > 0);
}

/* ---- by hand -----------------------------------------------------------------------------------
 */

static void known(void **state)
{
    static const struct {
        const char *layout, *desc;
        uint32_t bits, rounds, instructions;
    } rows[] = {
        {"Sw<3,3,3> o 0 o (64,8):(1,64)", "tma.128B", 16, 0, 0},
        {"Sw<3,4,3> o 0 o (16,128):(128,1)", "tma.128B", 8, 0, 0},
        {"(8,8):(8,1)", "tma.none", 16, 0, 0},
        {"(8,(8,4)):(8,(1,64))", "wgmma.core.along", 16, 0, 0},
        /* ldmatrix, and its transposed register file: movmatrix */
        {"f2{m: (0,4) (0,8) (0,16); k: (1,0) (0,1) (0,2) -> register: 2, lane: 32}", "ldmatrix", 16,
         0, 0},
        {"f2{m: (1,0) (0,1) (0,2); k: (0,4) (0,8) (0,16) -> register: 2, lane: 32}", "ldmatrix", 16,
         0, 0},
        /* a row of 32 fp32 a register: from the accumulators of m16n8 */
        {"f2{m: (0,4) (0,8) (0,16) (2,0); n: (1,0) (0,1) (0,2) -> register: 4, lane: 32}", "mma.d",
         32, 0, 0},
        {"f2{m: (0,4) (0,8) (0,16) (0,2); n: (1,0) (0,1) (2,0) -> register: 4, lane: 32}", "mma.d",
         32, 1, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_layout *layout = read_layout(*state, rows[i].layout);
        zlay_factor_request request = {sizeof request, rows[i].bits, layout, NULL, {0}};
        zlay_factor *x;
        zlay_factor_summary info;
        zlay_word_summary word;
        zlay_status status = zlay_factor_synth(*state, &x, target_of("sm_90a"), &request);
        if (status) fail_msg("%s: %s", rows[i].layout, zlay_ctx_message(*state));
        assert_int_equal(zlay_factor_info(&info, x), ZLAY_OK);
        assert_int_equal(zlay_word_info(&word, zlay_factor_word(x)), ZLAY_OK);
        assert_string_equal(info.desc, rows[i].desc);
        assert_int_equal(word.rounds, rows[i].rounds);
        assert_int_equal(word.instructions, rows[i].instructions);
        assert_int_equal(word.optimal, 1);
        zlay_factor_free(x);
        zlay_layout_free(layout);
    }
}

static void refusals(void **state)
{
    static const struct {
        const char *layout, *desc, *target;
        uint32_t bits;
        zlay_status status;
    } rows[] = {
        {"(64,8):(2,128)", NULL, "sm_90a", 16, ZLAY_NONE},
        {"(64,8):(1,0)", NULL, "sm_90a", 16, ZLAY_NONE},
        {"(6,8):(1,6)", NULL, "sm_90a", 16, ZLAY_NONE},
        {"(64,8):(1,64)", NULL, "sm_90a", 12, ZLAY_EINVAL},
        {"(64,8):(1,64)", NULL, "sm_80", 16, ZLAY_NONE},
        {"(64,8):(1,64)", "tma.128B_ATOM_32B", "sm_90a", 16, ZLAY_NONE},
        {"(64,8):(1,64)", "tma.128B_ATOM_32B", "sm_100a", 16, ZLAY_OK},
        {"(64,8):(1,64)", "no such one", "sm_90a", 16, ZLAY_NONE},
        {"(ld,8):(1,64)", NULL, "sm_90a", 16, ZLAY_ENOTSUP},
        {"(4,4):(1,4)", NULL, "sm_90a", 8, ZLAY_NONE},
        {"f2{m: (0,1) -> lane: 2, register: 2}", NULL, "sm_90a", 32, ZLAY_EINVAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_layout *layout = NULL;
        if (zlay_layout_parse(*state, &layout, rows[i].layout, strlen(rows[i].layout))) continue;
        zlay_factor_request request = {sizeof request, rows[i].bits, layout, rows[i].desc, {0}};
        zlay_factor *x = (zlay_factor *)1;
        zlay_status status = zlay_factor_synth(*state, &x, target_of(rows[i].target), &request);
        if (status != rows[i].status)
            fail_msg("%s: %d %s", rows[i].layout, status, zlay_ctx_message(*state));
        if (status) assert_null(x);
        if (status) assert_true(*zlay_ctx_message(*state));
        zlay_factor_free(x);
        zlay_layout_free(layout);
    }
    zlay_factor_request empty = {.size = sizeof empty};
    zlay_factor *x;
    assert_int_equal(zlay_factor_synth(*state, &x, target_of("sm_90a"), &empty), ZLAY_EINVAL);
    empty.size = 3;
    assert_int_equal(zlay_factor_synth(*state, &x, target_of("sm_90a"), &empty), ZLAY_EINVAL);
    for (size_t i = 0; i < 4; i++) {
        zlay_layout *layout = read_layout(*state, "(64,64):(1,64)");
        zlay_factor_request request = {sizeof request, 16, layout, NULL, {0}};
        assert_int_equal(zlay_factor_synth(*state, &x, target_of("sm_90a"), &request), ZLAY_OK);
        zlay_factor_free(x);
        request.reserved[i] = (uint64_t)1 << 63;
        assert_int_equal(zlay_factor_synth(*state, &x, target_of("sm_90a"), &request), ZLAY_EINVAL);
        assert_string_equal(zlay_ctx_message(*state), "reserved: a word is not 0");
        zlay_layout_free(layout);
    }
    assert_int_equal(zlay_factor_synth(*state, NULL, target_of("sm_90a"), &empty), ZLAY_EINVAL);
    assert_null(zlay_factor_part(NULL, 0));
    assert_null(zlay_factor_word(NULL));
    zlay_factor_free(NULL);
}

static zlay_status factored(zlay_ctx *ctx, void *given)
{
    zlay_factor_request request = {sizeof request, 32, ((operands *)given)->a, NULL, {0}};
    zlay_factor *x = NULL;
    zlay_status status = zlay_factor_synth(ctx, &x, target_of("sm_90a"), &request);
    zlay_factor_free(x);
    return status;
}

static void memory(void **state)
{
    static const char text[] =
        "f2{m: (0,4) (0,8) (0,16) (0,2); n: (1,0) (0,1) (2,0) -> register: 4, lane: 32}";
    (void)state;
    heap h;
    assert_int_equal(layouts_fail_each(&h, NULL, factored, 0, text, NULL), ZLAY_OK);
    assert_true(h.calls > 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flipped), cmocka_unit_test(known), cmocka_unit_test(random_layouts),
        cmocka_unit_test(refusals), cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
