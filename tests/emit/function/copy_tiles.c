/* SPDX-License-Identifier: Apache-2.0 */
/* Copies as functions, where tiles of a tensor are cut by its edges and where offsets leave 32 bits: compiled by the host's compiler and called
 * thread by thread. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "functions/copy.h"

#include <sys/mman.h>

/* ---- far offsets -------------------------------------------------------------------------------------- */

/* Strides whose offsets leave 32 bits, rising and falling, and one whose last offsets pass 2^31 alone: memory that is there where it is touched. */
enum { FAR_ROWS = 64, FAR_BYTES = 16 };

static void far_offsets(void **state)
{
    static const struct {
        const char *layout;
        long long base, first, step; /* elements of 16 bits: of the pointer, of row 0, from row to row */
    } rows[] = {{"(8,64):(1,67108864)", 0, 0, 67108864}, {"4227858432 o (8,64):(1,-67108864)", 0, 4227858432, -67108864}, {"(8,64):(1,17039360)", 0, 0, 17039360},
                {"(8,64):(1,-67108864)", 4227858432, 4227858432, -67108864}};
    enum { FARS = 2 * sizeof rows / sizeof *rows };
    const size_t room = (size_t)10 << 30;
    static uint8_t near[2][FAR_ROWS * FAR_BYTES] __attribute__((aligned(256)));
    uint8_t *far = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (far == MAP_FAILED) {
        print_message("no room of 10 GiB in the address space: offsets beyond 32 bits were run by nothing\n");
        skip();
    }
    FILE *file = source_begin();
    zlay_layout *b = read_layout(*state, "(8,64):(1,8)");
    for (int i = 0; i < FARS; i++) {
        static char text[1 << 16];
        bool out = i % 2;
        zlay_layout *a = read_layout(*state, rows[i / 2].layout);
        zlay_copy_request r = {.size = sizeof r, .elem_bits = 16, .threads = 64, .source = {out ? b : a, out ? ZLAY_MOVE_SHARED : ZLAY_MOVE_GLOBAL, 0, 16},
                               .dest = {out ? a : b, out ? ZLAY_MOVE_GLOBAL : ZLAY_MOVE_SHARED, 0, 16}};
        zlay_move *move = NULL;
        if (zlay_copy_synth(*state, &move, target_of("gfx942"), &r)) fail_msg("%s", zlay_ctx_message(*state));
        assert_true(print_one(*state, text, move, ZLAY_TEXT_HIP, i));
        fprintf(file, "%sextern \"C\" void run_%d(const void *source, void *dest, unsigned thread, long long, long long) { f%d(source, dest, thread); }\n", text, i, i);
        zlay_move_free(move);
        zlay_layout_free(a);
    }
    void *library = library_of(file);
    for (int i = 0; i < FARS; i++) {
        union { void *object; run_function *run; } found = {symbol_of(library, "run", i)};
        assert_non_null(found.object);
        for (size_t k = 0; k < sizeof near[0]; k++) near[0][k] = (uint8_t)((size_t)i + k * 37 + k / 256);
        memset(near[1], 0, sizeof near[1]);
        uint8_t *row = far + 2 * rows[i / 2].first, *base = far + 2 * rows[i / 2].base;
        long long step = 2 * rows[i / 2].step;
        for (int k = 0; i % 2 == 0 && k < FAR_ROWS; k++) memcpy(row + k * step, near[0] + k * FAR_BYTES, FAR_BYTES);
        for (unsigned t = 0; t < 64; t++) found.run(i % 2 ? near[0] : base, i % 2 ? base : near[1], t, 0, 0);
        for (int k = 0; i % 2 && k < FAR_ROWS; k++) memcpy(near[1] + k * FAR_BYTES, row + k * step, FAR_BYTES);
        if (memcmp(near[0], near[1], sizeof near[0])) fail_msg("far %d", i);
    }
    dlclose(library);
    munmap(far, room);
    zlay_layout_free(b);
}

/* ---- tiles of tensors -------------------------------------------------------------------------------- */

enum { TENSOR = 1 << 14 };

static const struct {
    int32_t language;
    const char *target, *from, *to, *facts[4];
    uint32_t bits;
    uint64_t tile[2];
    int64_t m, k, ld;
    int32_t path;
    bool out; /* from shared memory to the tensor */
} tensors[] = {
    {ZLAY_TEXT_HIP, "gfx942", "(M,K):(ld,1)", "(32,64):(64,1)", {"M >= 1", "K = 0 mod 8", "K >= 8", "ld = 0 mod 8"}, 16, {32, 64}, 75, 88, 96, 0, false},
    {ZLAY_TEXT_HIP, "gfx90a", "(M,K):(1,ld)", "(32,16):(1,32)", {"M >= 1", "K >= 1", "ld >= 1", "M >= 1"}, 8, {32, 16}, 67, 43, 71, 0, false},
    {ZLAY_TEXT_HIP, "gfx950", "(32,24):(24,1)", "(M,K):(ld,1)", {"M >= 1", "K <= 46", "K >= 1", "ld >= 46"}, 32, {32, 24}, 70, 45, 47, ZLAY_PATH_THREADS, true},
    {ZLAY_TEXT_CUDA, "sm_90a", "(M,K):(ld,1)", "Sw<3,3,3> o 0 o (64,64):(64,1)", {"M >= 1", "K = 0 mod 8", "K >= 8", "ld = 0 mod 8"}, 16, {64, 64}, 75, 88, 96, ZLAY_PATH_THREADS, false},
    {ZLAY_TEXT_CUDA, "sm_80", "(M,K):(ld,1)", "(16,32):(1,16)", {"M >= 1", "K >= 1", "ld >= 1", "K >= 1"}, 64, {16, 32}, 33, 40, 41, ZLAY_PATH_THREADS, false},
    {ZLAY_TEXT_CUDA, "sm_90a", "(75,88):(96,1)", "(64,64):(64,1)", {"M >= 1", "M >= 1", "M >= 1", "M >= 1"}, 16, {64, 64}, 75, 88, 96, ZLAY_PATH_THREADS, false},
    {ZLAY_TEXT_HIP, "gfx942", "(48,32):(32,1)", "(70,45):(47,1)", {"M >= 1", "M >= 1", "M >= 1", "M >= 1"}, 32, {48, 32}, 70, 45, 47, 0, true},
};
enum { TENSORS = sizeof tensors / sizeof *tensors };

typedef void run_tile(const void *source, void *dest, unsigned thread, const long long *v);

static zlay_move *tile_move(zlay_ctx *ctx, int i, zlay_layout *layouts[2])
{
    size_t length[4];
    zlay_facts *facts = NULL;
    zlay_move *move = NULL;
    bool out = tensors[i].out;
    for (int f = 0; f < 4; f++) length[f] = strlen(tensors[i].facts[f]);
    assert_int_equal(zlay_facts_parse(ctx, &facts, 4, tensors[i].facts, length), ZLAY_OK);
    layouts[0] = read_layout(ctx, tensors[i].from), layouts[1] = read_layout(ctx, tensors[i].to);
    zlay_copy_request r = {.size = sizeof r, .elem_bits = tensors[i].bits, .threads = 128, .path = tensors[i].path, .facts = facts, .axes = 2,
                           .source = {layouts[0], out ? ZLAY_MOVE_SHARED : ZLAY_MOVE_GLOBAL, 0, 16}, .dest = {layouts[1], out ? ZLAY_MOVE_GLOBAL : ZLAY_MOVE_SHARED, 0, 16}};
    memcpy(r.tile, tensors[i].tile, sizeof tensors[i].tile);
    if (zlay_copy_synth(ctx, &move, target_of(tensors[i].target), &r)) fail_msg("tensor %d: %s", i, zlay_ctx_message(ctx));
    zlay_facts_free(facts);
    return move;
}

/* The element of the tensor at which a cell of a tile lies; of the other side that of the tile. */
static int64_t tensor_at(int i, const uint64_t *cell, const uint64_t *first)
{
    const char *text = tensors[i].out ? tensors[i].to : tensors[i].from;
    int64_t x = (int64_t)(cell[0] + first[0]), y = (int64_t)(cell[1] + first[1]);
    return strstr(text, ":(1,") ? x + y * tensors[i].ld : x * tensors[i].ld + y;
}

static int64_t cell_at(const zlay_layout *a, int i, int s, const uint64_t *cell, const uint64_t *first)
{
    int64_t at = 0;
    if (tensors[i].out == (s == 1)) return tensor_at(i, cell, first);
    assert_int_equal(zlay_layout_eval(&at, 1, a, cell[0] + tensors[i].tile[0] * cell[1]), ZLAY_OK);
    return at;
}

static void tile_compare(int i, zlay_layout *const layouts[2], run_tile *run, uint32_t threads, const uint64_t first[2])
{
    static uint8_t from[8 * TENSOR] __attribute__((aligned(256))), to[8 * TENSOR] __attribute__((aligned(256))), want[8 * TENSOR];
    uint32_t bytes = tensors[i].bits / 8;
    static const uint64_t origin[2] = {0};
    const long long v[] = {tensors[i].ld, tensors[i].m, tensors[i].k, tensors[i].m - (int64_t)first[0], tensors[i].k - (int64_t)first[1]};
    for (size_t b = 0; b < sizeof from; b++) from[b] = (uint8_t)(b * 167 >> 3), to[b] = (uint8_t)(b * 13);
    memcpy(want, to, sizeof to);
    for (uint64_t c = 0; c < tensors[i].tile[0] * tensors[i].tile[1]; c++) {
        const uint64_t cell[2] = {c % tensors[i].tile[0], c / tensors[i].tile[0]};
        if ((int64_t)cell[0] >= v[3] || (int64_t)cell[1] >= v[4]) continue;
        memcpy(want + cell_at(layouts[1], i, 1, cell, first) * bytes, from + cell_at(layouts[0], i, 0, cell, first) * bytes, bytes);
    }
    int64_t start = tensor_at(i, origin, first);
    bool out = tensors[i].out;
    for (unsigned t = 0; t < threads + 5; t++) run(from + (out ? 0 : start) * bytes, to + (out ? start : 0) * bytes, t, v);
    for (size_t b = 0; b < sizeof to; b++)
        if (to[b] != want[b]) fail_msg("tensor %d, tile at (%d,%d): byte %d", i, (int)first[0], (int)first[1], (int)b);
}

static void edges_are_kept(void **state)
{
    static char text[TENSORS][1 << 16];
    zlay_move *move[TENSORS];
    zlay_layout *layouts[TENSORS][2];
    FILE *file = source_begin();
    for (int i = 0; i < TENSORS; i++) {
        move[i] = tile_move(*state, i, layouts[i]);
        assert_true(print_one(*state, text[i], move[i], tensors[i].language, i));
        fprintf(file, "%sextern \"C\" void run_%d(const void *source, void *dest, unsigned thread, const long long *v)\n{\n"
                      "    const long long name_ld = v[0], name_M = v[1], name_K = v[2], left_0 = v[3], left_1 = v[4];\n"
                      "    (void)name_ld, (void)name_M, (void)name_K, (void)left_0, (void)left_1;\n    ", text[i], i);
        put_call(file, text[i], i, "source", "dest");
        fprintf(file, "}\n");
    }
    void *library = library_of(file);
    for (int i = 0; i < TENSORS; i++) {
        union { void *object; run_tile *run; } found = {symbol_of(library, "run", i)};
        zlay_move_summary info;
        assert_non_null(found.object);
        zlay_move_info(&info, move[i]);
        for (uint64_t x = 0; x < (uint64_t)tensors[i].m; x += tensors[i].tile[0])
            for (uint64_t y = 0; y < (uint64_t)tensors[i].k; y += tensors[i].tile[1]) tile_compare(i, layouts[i], found.run, info.threads, (const uint64_t[]){x, y});
        zlay_move_free(move[i]);
        for (int s = 0; s < 2; s++) zlay_layout_free(layouts[i][s]);
    }
    dlclose(library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_offsets),
        cmocka_unit_test(edges_are_kept),
    };
    return cmocka_run_group_tests_name("emit/function/copy_tiles", tests, begin, end);
}
