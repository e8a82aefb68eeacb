/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of copies: their text is executed on memory, block by block, and every byte of the
 * destination and of the margins around it is what the two layouts say. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */
#include "assembler.h"
#include "blocks/blocks.h"
#include "ctx.h"
#include "heap.h"
#include "tiles/transfers.h"

enum { ROOM = 1 << 18, BASE_FROM = 1 << 24, BASE_TO = 1 << 28 };

static char *text_of(zlay_ctx *ctx, const zlay_transfer *t)
{
    char *text = malloc(ROOM);
    zlay_buf buf = {text, ROOM, 0};
    assert_non_null(text);
    if (zlay_emit_transfer(ctx, &buf, t, "moved", 5)) fail_msg("%s", zlay_ctx_message(ctx));
    return text;
}

static void execute(const char *text, const zlay_transfer_summary *info, pm_memory source,
                    pm_memory dest, uint64_t from, uint64_t to)
{
    pm_machine *m = pm_new(text);
    m->memories = 2;
    m->memory[0] = source;
    m->memory[1] = dest;
    for (uint32_t block = 0; block < info->blocks; block++)
        pm_block(m, block, info->threads, from, to);
    pm_free(m);
}

/* Of the source, what may be read: the aligned 16 bytes that hold its first byte to those that hold
 * its last. */
static void granules(pm_memory *memory, const zlay_layout *a, uint64_t at, uint32_t elem)
{
    int64_t least = INT64_MAX, greatest = INT64_MIN, value;
    for (uint64_t i = 0; i < zlay_layout_size(a); i++) {
        value = drawn_at(a, i);
        if (value < least) least = value;
        if (value > greatest) greatest = value;
    }
    uint64_t from = (at + (uint64_t)(least * elem)) & ~(uint64_t)15;
    uint64_t to = (at + (uint64_t)((greatest + 1) * elem) + 15) & ~(uint64_t)15;
    memory->bytes += from - memory->at;
    memory->at = from;
    memory->size = to - from;
}

/* How many bytes come out wrong; pointers are aligned as the request says and no better. */
static uint64_t wrong_of(const zlay_transfer_request *r, const zlay_transfer *t, const char *text,
                         uint64_t seed)
{
    zlay_transfer_summary info;
    uint32_t elem = r->elem_bits / 8;
    uint64_t bad = 0, base_from = BASE_FROM + r->source_align, base_to = BASE_TO + r->dest_align;
    assert_int_equal(zlay_transfer_info(&info, t), ZLAY_OK);
    drawn_memory from = drawn_bytes(&seed, r->source, elem), to = drawn_bytes(&seed, r->dest, elem);
    uint8_t *want = drawn_expected(&from, &to, r->source, r->dest, elem);
    pm_memory memory_from = {base_from, from.size, from.bytes};
    pm_memory memory_to = {base_to, to.size, to.bytes};
    granules(&memory_from, r->source, base_from + from.first, elem);
    execute(text, &info, memory_from, memory_to, base_from + from.first, base_to + to.first);
    for (uint64_t i = 0; i < to.size; i++) bad += to.bytes[i] != want[i];
    free(want);
    free(from.bytes);
    free(to.bytes);
    return bad;
}

static uint64_t wrong_bytes(zlay_ctx *ctx, const drawn *d, const zlay_transfer *t, const char *text,
                            uint64_t seed)
{
    zlay_layout *source = drawn_layout(ctx, d, 0), *dest = drawn_layout(ctx, d, 1);
    zlay_transfer_request r = drawn_request(d, source, dest);
    uint64_t bad = wrong_of(&r, t, text, seed);
    zlay_layout_free(source);
    zlay_layout_free(dest);
    return bad;
}

static zlay_transfer *plan_of(zlay_ctx *ctx, const drawn *d, const char *target)
{
    zlay_transfer *t = NULL;
    zlay_layout *source = drawn_layout(ctx, d, 0), *dest = drawn_layout(ctx, d, 1);
    zlay_transfer_request r = drawn_request(d, source, dest);
    if (zlay_transfer_synth(ctx, &t, target_of(target), &r))
        fail_msg("%s: %s", drawn_text(d), zlay_ctx_message(ctx));
    zlay_layout_free(source);
    zlay_layout_free(dest);
    return t;
}

static void check_drawn(zlay_ctx *ctx, const drawn *d, uint64_t seed)
{
    zlay_transfer *t = plan_of(ctx, d, "sm_90a");
    char *text = text_of(ctx, t);
    uint64_t bad = wrong_bytes(ctx, d, t, text, seed);
    if (bad) fail_msg("%s: %llu bytes are wrong\n%s", drawn_text(d), (unsigned long long)bad, text);
    free(text);
    zlay_transfer_free(t);
}

static const int32_t paths[] = {ZLAY_PATH_THREADS, ZLAY_PATH_REALIGN, ZLAY_PATH_CP_ASYNC,
                                ZLAY_PATH_BULK, ZLAY_PATH_TRANSPOSE, ZLAY_PATH_MATRIX, 0};
enum { PATHS = sizeof paths / sizeof paths[0] };

static void test_copies(void **state)
{
    uint64_t seed = test_seed("random copies"), count = test_iterations(6);
    for (int p = 0; p < PATHS; p++)
        for (uint64_t i = 0; i < count; i++) {
            drawn d = drawn_make(&seed, paths[p] ? paths[p] : paths[i % (PATHS - 1)]);
            d.path = paths[p];
            if (!d.path) d.threads = 0;
            check_drawn(*state, &d, seed);
        }
}

/* The certificates decide again; a path that is chosen is one of the six. */
static void test_certificates(void **state)
{
    uint64_t seed = test_seed("certificates");
    for (uint64_t i = 0; i < test_iterations(60); i++) {
        drawn d = drawn_make(&seed, paths[i % (PATHS - 1)]);
        zlay_transfer *t = plan_of(*state, &d, "sm_90a");
        const zlay_layout *a, *b;
        zlay_answer answer;
        for (uint32_t c = 0; c < 2; c++) {
            assert_int_equal(zlay_transfer_certificate(&a, &b, t, c), ZLAY_OK);
            assert_int_equal(zlay_layout_equal(*state, &answer, NULL, a, b), ZLAY_OK);
            assert_int_equal(answer, ZLAY_YES);
        }
        assert_int_equal(zlay_transfer_certificate(&a, &b, t, 2), ZLAY_NONE);
        assert_int_equal(zlay_layout_is_bijective(*state, &answer, NULL, zlay_transfer_order(t)),
                         ZLAY_OK);
        assert_int_equal(answer, ZLAY_YES);
        zlay_transfer_free(t);
    }
}

/* The example of zlay/transfer.h: 3 rows of 21 bf16 from a pitch of 21 to one of 24. */
static const drawn example = {.elem = 2, .modes = 2, .extent = {21, 3}, .from = {1, 21},
                              .to = {1, 24}, .from_align = 16, .to_align = 16};

static void test_example(void **state)
{
    zlay_transfer_summary info;
    zlay_transfer *t = plan_of(*state, &example, "sm_90a");
    assert_int_equal(zlay_transfer_info(&info, t), ZLAY_OK);
    assert_int_equal(info.path, ZLAY_PATH_REALIGN);
    assert_int_equal(info.width, 16);
    assert_int_equal(info.items, 9);
    assert_int_equal(info.blocks, 1);
    assert_int_equal(info.bytes, 126);
    zlay_transfer_free(t);
    check_drawn(*state, &example, 1);
    drawn straight = example;
    straight.path = ZLAY_PATH_THREADS;
    t = plan_of(*state, &straight, "sm_90a");
    assert_int_equal(zlay_transfer_info(&info, t), ZLAY_OK);
    assert_int_equal(info.width, 2);
    zlay_transfer_free(t);
}

/* ---- tensors of many tiles ------------------------------------------------------------ */

enum { WIDE_ROWS = 4104, WIDE_COLUMNS = 8072, WIDE_TILE = 64, WIDE_ACROSS = 128 };

/* How many elements of the block's tile have come over, all of them right. */
static uint64_t tile_moved(const uint16_t *from, const uint16_t *to, uint32_t block)
{
    uint32_t high = (WIDE_ROWS + WIDE_TILE - 1) / WIDE_TILE;
    uint64_t row = (uint64_t)block % high * WIDE_TILE, column = (uint64_t)block / high * WIDE_ACROSS;
    uint64_t moved = 0;
    for (uint64_t i = row; i < row + WIDE_TILE && i < WIDE_ROWS; i++)
        for (uint64_t j = column; j < column + WIDE_ACROSS && j < WIDE_COLUMNS; j++, moved++)
            assert_int_equal(to[j * WIDE_ROWS + i], from[i * WIDE_COLUMNS + j]);
    return moved;
}

/* From 4096 tiles on the matrix path takes tiles of 64 x 128: the first block, those at the edges
 * and the last are executed, and nothing else is written. */
static void test_wide_tiles(void **state)
{
    static const drawn wide = {.path = ZLAY_PATH_MATRIX, .elem = 2, .modes = 2,
                               .extent = {WIDE_COLUMNS, WIDE_ROWS}, .from = {1, WIDE_COLUMNS},
                               .to = {WIDE_ROWS, 1}, .from_align = 16, .to_align = 16};
    zlay_transfer *t = plan_of(*state, &wide, "sm_90a");
    zlay_transfer_summary info;
    assert_int_equal(zlay_transfer_info(&info, t), ZLAY_OK);
    assert_int_equal(info.tile[0], WIDE_TILE);
    assert_int_equal(info.tile[1], WIDE_ACROSS);
    assert_int_equal(info.threads, 512);
    char *text = text_of(*state, t);
    size_t count = (size_t)WIDE_ROWS * WIDE_COLUMNS;
    uint16_t *from = malloc(count * 2), *to = calloc(count, 2);
    uint64_t seed = test_seed("wide tiles"), moved = 0, written = 0;
    assert_non_null(from);
    assert_non_null(to);
    for (size_t i = 0; i < count; i++) from[i] = (uint16_t)(test_random(&seed) | 1);
    pm_machine *m = pm_new(text);
    m->memories = 2;
    m->memory[0] = (pm_memory){BASE_FROM, count * 2, (uint8_t *)from};
    m->memory[1] = (pm_memory){BASE_TO, count * 2, (uint8_t *)to};
    uint32_t last = (uint32_t)info.blocks - 1, blocks[] = {0, 64, last - 64, last - 1, last};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        pm_block(m, blocks[i], info.threads, BASE_FROM, BASE_TO);
        moved += tile_moved(from, to, blocks[i]);
    }
    for (size_t i = 0; i < count; i++) written += to[i] != 0;
    assert_int_equal(written, moved);
    pm_free(m);
    free(from);
    free(to);
    free(text);
    zlay_transfer_free(t);
}

/* ---- what no test here could miss --------------------------------------------- */

typedef struct mutant {
    int32_t path;
    const char *from, *to; /* the first place of one text becomes the other */
} mutant;

static const mutant mutants[] = {
    {ZLAY_PATH_REALIGN, "shl.b32 z, shift, 3;", "shl.b32 z, shift, 2;"},
    {ZLAY_PATH_REALIGN, "setp.lt.and.s64 p, y,", "setp.le.and.s64 p, y,"},
    {ZLAY_PATH_REALIGN, "setp.le.and.s64 p, y,", "setp.gt.and.s64 p, y,"},
    {ZLAY_PATH_REALIGN, "selp.b32 w1, w2, w1, p;", "selp.b32 w1, w3, w1, p;"},
    {ZLAY_PATH_TRANSPOSE, "setp.lt.s64 p, d, left0;", "setp.le.s64 p, d, left0;"},
    {ZLAY_PATH_TRANSPOSE, "shr.u32 z, tid, 5;", "shr.u32 z, tid, 6;"},
    {ZLAY_PATH_MATRIX, ".x4.trans", ".x4"},
    {ZLAY_PATH_MATRIX, "shl.b32 r, r, 1;", "shl.b32 r, r, 0;"},
    {ZLAY_PATH_MATRIX, "xor.b32 z, z, r;", "and.b32 z, z, r;"},
};

static char *exchanged(const char *text, const mutant *m)
{
    const char *at = strstr(text, m->from);
    if (!at) fail_msg("no \"%s\" in\n%s", m->from, text);
    size_t before = (size_t)(at - text), length = strlen(text) + strlen(m->to) + 1;
    char *made = malloc(length);
    assert_non_null(made);
    snprintf(made, length, "%.*s%s%s", (int)before, text, m->to, at + strlen(m->from));
    return made;
}

static const drawn mutated[] = {
    {.path = ZLAY_PATH_REALIGN, .elem = 2, .modes = 2, .extent = {21, 9}, .from = {1, 21},
     .to = {1, 23}, .from_align = 2, .to_align = 2},
    {.path = ZLAY_PATH_TRANSPOSE, .elem = 4, .modes = 2, .extent = {70, 90}, .from = {1, 71},
     .to = {91, 1}, .from_align = 4, .to_align = 4},
    {.path = ZLAY_PATH_MATRIX, .elem = 2, .modes = 2, .extent = {72, 80}, .from = {1, 80},
     .to = {80, 1}, .from_align = 16, .to_align = 16},
};

static void test_mutants(void **state)
{
    for (size_t i = 0; i < sizeof mutants / sizeof mutants[0]; i++) {
        const drawn *d = mutated;
        while (d->path != mutants[i].path) d++;
        zlay_transfer *t = plan_of(*state, d, "sm_90a");
        char *text = text_of(*state, t), *wrong = exchanged(text, &mutants[i]);
        assert_int_equal(wrong_bytes(*state, d, t, text, 3), 0);
        if (!wrong_bytes(*state, d, t, wrong, 3)) fail_msg("\"%s\" goes unseen", mutants[i].to);
        free(text);
        free(wrong);
        zlay_transfer_free(t);
    }
}

/* ---- requests that are refused -------------------------------------------------- */

typedef struct bad {
    const char *source, *dest;
    int32_t path;
    uint32_t bits, from_align, to_align, threads;
    const char *target;
    zlay_status status;
    const char *word;
} bad;

static const bad bads[] = {
    {"8:1", "8:1", 0, 12, 0, 0, 0, "sm_90a", ZLAY_EINVAL, "elem_bits"},
    {"8:1", "8:1", 0, 16, 3, 0, 0, "sm_90a", ZLAY_EINVAL, "source"},
    {"8:1", "8:1", 0, 16, 0, 1, 0, "sm_90a", ZLAY_EINVAL, "dest"},
    {"8:1", "8:1", 0, 16, 0, 0, 33, "sm_90a", ZLAY_EINVAL, "threads"},
    {"8:1", "9:1", 0, 16, 0, 0, 0, "sm_90a", ZLAY_EINVAL, "elements"},
    {"8:1", "8:1", ZLAY_PATH_TENSOR, 16, 0, 0, 0, "sm_90a", ZLAY_EINVAL, "path"},
    {"8:1", "(4,2):(1,3)", 0, 16, 0, 0, 0, "sm_90a", ZLAY_NONE, "indices 3 and 4"},
    {"8:1", "8:0", 0, 16, 0, 0, 0, "sm_90a", ZLAY_NONE, "indices 0 and 1"},
    {"(4,6):(1,4)", "(6,4):(1,8)", ZLAY_PATH_REALIGN, 16, 0, 0, 0, "sm_90a", ZLAY_NONE, "share"},
    {"{ [i] -> [i] : 0 <= i < 8 and i != 3 }", "8:2", 0, 16, 0, 0, 0, "sm_90a", ZLAY_NONE,
     "source: index 3 has no element"},
    {"8:2", "{ [i] -> [i] : 0 <= i < 8 and i != 3 }", 0, 16, 0, 0, 0, "sm_90a", ZLAY_NONE,
     "dest: index 3 has no element"},
    {"(4,4):(1,ld)", "16:1", 0, 16, 0, 0, 0, "sm_90a", ZLAY_ENOTSUP, "ld"},
    {"{ [i] -> [i * 281474976710656] : 0 <= i < 8 }", "8:1", 0, 16, 0, 0, 0, "sm_90a", ZLAY_EOVERFLOW,
     "source"},
    {"{ [i] -> [(3*i) mod 16] : 0 <= i < 16 }", "16:1", ZLAY_PATH_REALIGN, 16, 0, 0, 0, "sm_90a",
     ZLAY_NONE, "share"},
    {"64:1", "64:1", ZLAY_PATH_BULK, 16, 2, 16, 0, "sm_90a", ZLAY_NONE, ""},
    {"64:1", "64:1", ZLAY_PATH_BULK, 16, 16, 16, 0, "sm_80", ZLAY_NONE, "INSTR_TARGET"},
    {"64:1", "64:1", ZLAY_PATH_BULK, 16, 16, 16, 64, "sm_90a", ZLAY_NONE, "32 threads"},
    {"64:1", "64:1", 0, 16, 16, 16, 0, "gfx942", ZLAY_NONE, "INSTR_TARGET"},
    {"64:1", "64:1", ZLAY_PATH_CP_ASYNC, 16, 2, 2, 0, "sm_90a", ZLAY_NONE, ""},
    {"64:1", "64:1", ZLAY_PATH_TRANSPOSE, 16, 0, 0, 0, "sm_90a", ZLAY_NONE, "two modes"},
    {"64:2", "64:1", ZLAY_PATH_REALIGN, 16, 0, 0, 0, "sm_90a", ZLAY_NONE, "realign"},
    {"(8,12):(1,8)", "(8,12):(12,1)", ZLAY_PATH_MATRIX, 16, 16, 16, 0, "sm_90a", ZLAY_NONE,
     "matrix"},
    {"64:1", "64:1", 0, 16, 16, 16, 2048, "sm_90a", ZLAY_NONE, "BLOCK_THREADS"},
    {"(2,1099511627776):(1,8)", "(2,1099511627776):(1,4)", 0, 8, 0, 0, 0, "sm_90a", ZLAY_ENOTSUP,
     "blocks"},
    {"(2,2):(1,4611686018427387904)", "4:1", 0, 8, 0, 0, 0, "sm_90a", ZLAY_EOVERFLOW, "source"},
};

/* Requests that are no rows of strided layouts: swizzles, F2, modes that do not meet. */
static const struct {
    const char *source, *dest;
    uint32_t elem, align, width;
} others[] = {
    {"Sw<3,3,3> o 0 o (64,16):(1,64)", "(64,16):(1,64)", 2, 16, 16},
    {"(64,16):(1,64)", "Sw<3,3,3> o 0 o (64,16):(1,64)", 2, 16, 16},
    {"Sw<2,1,3> o 5 o (32,8):(1,32)", "(32,8):(1,40)", 4, 4, 4},
    {"Sw<2,4,-3> o 0 o (128,8):(1,128)", "(128,8):(1,128)", 1, 16, 16},
    {"Sw<1,0,3> o 0 o (8,9):(9,1)", "(8,9):(1,8)", 8, 8, 8},
    {"(4,6):(1,4)", "(6,4):(1,8)", 2, 2, 2},
    {"(4,6):(6,1)", "3 o (3,8):(-1,5)", 4, 4, 4},
    {"((2,3),4,5):((20,40),5,1)", "(5,4,6):(7,1,40)", 1, 1, 1},
    {"f2{a: (1) (4) (2); b: (16) (9) -> x: 32}", "32:1", 2, 2, 2},
    {"32:3", "f2{a: (1,0) (0,1) (2,0); b: (0,2) (3,4) -> x: 4, y: 8}", 4, 4, 4},
    {"f2{a: (0) (1) (2); b: (0) (4) -> x: 8}", "f2{a: (1) (3) (7); b: (15) (31) -> x: 32}", 16, 16,
     16},
    {"(4,6):(1,4)", "Sw<1,1,2> o 0 o (6,4):(1,8)", 2, 2, 2},
    {"1:1", "1:7", 2, 2, 2},
    {"(1,17):(3,1)", "(17,1):(1,9)", 1, 1, 1},
    {"(5,64):(0,1)", "(5,64):(64,1)", 2, 16, 16},
    {"{ [i,j] -> [i + 6*j] : 0 <= i < 6 and 0 <= j < 4 }", "24:1", 2, 16, 16},
    {"{ [i] -> [i + 2*floor(i/5)] : 0 <= i < 23 }", "23:1", 4, 16, 4},
    {"16:1", "{ [i] -> [(3*i) mod 16] : 0 <= i < 16 }", 2, 16, 2},
    {"f2{a: (40) (70) (93) (31) -> o: 96}", "{ [i] -> [(7*i) mod 16] : 0 <= i < 16 }", 2, 16, 2},
};

/* Executed, or put to the assembler. */
static void check_other(zlay_ctx *ctx, size_t i, bool assembled)
{
    zlay_layout *source = read_layout(ctx, others[i].source);
    zlay_layout *dest = read_layout(ctx, others[i].dest);
    zlay_transfer_request r = {.size = sizeof r, .elem_bits = others[i].elem * 8, .source = source,
                               .dest = dest, .source_align = others[i].align,
                               .dest_align = others[i].align};
    zlay_transfer *t = NULL;
    zlay_transfer_summary info;
    if (zlay_transfer_synth(ctx, &t, target_of("sm_90a"), &r))
        fail_msg("%s to %s: %s", others[i].source, others[i].dest, zlay_ctx_message(ctx));
    assert_int_equal(zlay_transfer_info(&info, t), ZLAY_OK);
    char *text = text_of(ctx, t);
    bool right = assembled ? assembles("sm_90a", text) : !wrong_of(&r, t, text, i);
    if (info.width != others[i].width || !right)
        fail_msg("%s to %s: path %d, %u bytes\n%s", others[i].source, others[i].dest,
                 (int)info.path, info.width, text);
    free(text);
    zlay_transfer_free(t);
    zlay_layout_free(source);
    zlay_layout_free(dest);
}

enum { OTHERS = sizeof others / sizeof others[0] };

static void test_others(void **state)
{
    for (size_t i = 0; i < OTHERS; i++) check_other(*state, i, false);
}

static void test_refused(void **state)
{
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof bads / sizeof bads[0]; i++) {
        const bad *b = &bads[i];
        zlay_layout *source = read_layout(ctx, b->source), *dest = read_layout(ctx, b->dest);
        zlay_transfer_request r = {.size = sizeof r, .elem_bits = b->bits, .source = source,
                                   .dest = dest, .source_align = b->from_align,
                                   .dest_align = b->to_align, .path = b->path,
                                   .threads = b->threads};
        zlay_transfer *t = NULL;
        zlay_status status = zlay_transfer_synth(ctx, &t, target_of(b->target), &r);
        if (status != b->status || t || !strstr(zlay_ctx_message(ctx), b->word))
            fail_msg("row %zu answers %s: %s", i, zlay_status_name(status), zlay_ctx_message(ctx));
        zlay_layout_free(source);
        zlay_layout_free(dest);
    }
}

static void test_shapes_of_requests(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_layout *a = read_layout(ctx, "8:1");
    zlay_transfer *t = NULL;
    zlay_transfer_request r = {.size = sizeof r, .elem_bits = 8, .source = a, .dest = a};
    const zlay_target *target = target_of("sm_90a");
    assert_int_equal(zlay_transfer_synth(ctx, NULL, target, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_transfer_synth(ctx, &t, NULL, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_transfer_synth(ctx, &t, target, NULL), ZLAY_EINVAL);
    r.dest = NULL;
    assert_int_equal(zlay_transfer_synth(ctx, &t, target, &r), ZLAY_EINVAL);
    r.dest = a;
    r.size = sizeof r + 8;
    assert_int_equal(zlay_transfer_synth(ctx, &t, target, &r), ZLAY_EINVAL);
    r.size = offsetof(zlay_transfer_request, source_align);
    r.threads = 33;
    assert_int_equal(zlay_transfer_synth(ctx, &t, target, &r), ZLAY_OK);
    zlay_transfer_free(t);
    r = (zlay_transfer_request){.size = sizeof r, .elem_bits = 8, .source = a, .dest = a,
                                .reserved = {0, 1}};
    assert_int_equal(zlay_transfer_synth(ctx, &t, target, &r), ZLAY_EINVAL);
    zlay_layout_free(a);
    zlay_transfer_free(NULL);
    assert_null(zlay_transfer_order(NULL));
}

/* ---- memory ---------------------------------------------------------------------- */

static zlay_status transferred(zlay_ctx *ctx, void *request)
{
    zlay_transfer *t = NULL;
    zlay_status status = zlay_transfer_synth(ctx, &t, target_of("sm_90a"), request);
    assert_true((status == ZLAY_OK) == (t != NULL));
    zlay_transfer_free(t);
    return status;
}

/* A drawn plan, or one of two texts. */
static void each_fails(const drawn *d, const char *const texts[2])
{
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    zlay_layout *source = d ? drawn_layout(ctx, d, 0) : read_layout(ctx, texts[0]);
    zlay_layout *dest = d ? drawn_layout(ctx, d, 1) : read_layout(ctx, texts[1]);
    zlay_transfer_request r = {.size = sizeof r, .elem_bits = 16, .source = source, .dest = dest};
    if (d) r = drawn_request(d, source, dest);
    assert_int_equal(heap_fails_each(&h, ctx, transferred, &r), ZLAY_OK);
    zlay_layout_free(source);
    zlay_layout_free(dest);
    heap_close(&h, ctx);
}

static void test_allocation_failures(void **state)
{
    static const char *const listed[] = {"f2{a: (40) (70) (93) (31) -> o: 96}",
                                         "{ [i] -> [(7*i) mod 16] : 0 <= i < 16 }"};
    (void)state;
    uint64_t seed = 7;
    for (int p = 0; p < PATHS - 1; p++) {
        drawn d = drawn_make(&seed, paths[p]);
        each_fails(&d, NULL);
    }
    each_fails(NULL, listed);
}

/* ---- the assembler ----------------------------------------------------------------- */

static void test_assembles(void **state)
{
    static const char *const targets[] = {"sm_80", "sm_90a", "sm_100a"};
    uint64_t seed = test_seed("assembled copies");
    need_assembler();
    for (size_t a = 0; a < 3; a++)
        for (int p = 0; p < PATHS - 1; p++) {
            drawn d = drawn_make(&seed, paths[p]);
            bool late = paths[p] == ZLAY_PATH_BULK || paths[p] == ZLAY_PATH_MATRIX;
            if (a == 0 && late) continue;
            zlay_transfer *t = plan_of(*state, &d, targets[a]);
            char *text = text_of(*state, t);
            if (!assembles(targets[a], text)) fail_msg("%s\n%s", drawn_text(&d), text);
            free(text);
            zlay_transfer_free(t);
        }
}

static void test_others_assemble(void **state)
{
    need_assembler();
    for (size_t i = 0; i < OTHERS; i++) check_other(*state, i, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),       cmocka_unit_test(test_copies),
        cmocka_unit_test(test_certificates),  cmocka_unit_test(test_wide_tiles),
        cmocka_unit_test(test_mutants),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_shapes_of_requests),
        cmocka_unit_test(test_allocation_failures), cmocka_unit_test(test_assembles),
        cmocka_unit_test(test_others_assemble)};
    return cmocka_run_group_tests(tests, begin, end);
}
