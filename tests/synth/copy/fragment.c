/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between memory and fragments: what ldmatrix and stmatrix do with the rows that a move
 * names, written from the ISA's text, and loads and stores of threads, against the request. */
#include "tiles/copy_draw.h"
#include "tiles/copy_synth.h"

#include <stdio.h>

enum { WARP = 32, ROW = 16, SLOTS = 1 << 14, CELLS = 1 << 16 };

typedef struct fragments {
    const char *name, *memory, *slots; /* the two layouts of a tile */
    uint32_t bits, registers;
    int32_t path; /* the one that is expected */
    uint64_t instructions, wavefronts;
    uint32_t transposed;
} fragments;

/* A of m16n8k16, 16 x 16 bf16, and its like: slot = register + 8 lane. */
static const fragments rows[] = {
    {"A, rows of 128 bytes", "((8,2),(2,4,2)):((64,512),(1,2,8))",
     "((8,2),(2,4,2)):((32,2),(1,8,4))", 16, 8, ZLAY_PATH_MATRIX, 1, 32, 0},
    {"A, swizzled", "Sw<3,3,3> o 0 o ((8,2),(2,4,2)):((64,512),(1,2,8))",
     "((8,2),(2,4,2)):((32,2),(1,8,4))", 16, 8, ZLAY_PATH_MATRIX, 1, 4, 0},
    {"A, columns swizzled", "Sw<3,3,3> o 0 o ((8,2),(2,4,2)):((1,8),(64,128,512))",
     "((8,2),(2,4,2)):((32,2),(1,8,4))", 16, 8, ZLAY_PATH_MATRIX, 1, 4, 1},
    {"B, 16 x 8", "((2,4,2),8):((1,2,8),16)", "((2,4,2),8):((1,4,2),16)", 16, 4, ZLAY_PATH_MATRIX,
     1, 4, 0},
    {"three words", "((8,3),(2,4)):((24,8),(1,2))", "((8,3),(2,4)):((24,2),(1,6))", 16, 6,
     ZLAY_PATH_MATRIX, 2, 3, 0},
    {"bytes", "(8,(4,4,4)):(80,(1,4,16))", "(8,(4,4,4)):(64,(1,16,4))", 8, 16, ZLAY_PATH_MATRIX, 1,
     4, 0},
    {"four warps", "((8,4),(2,4,2)):((40,320),(1,2,8))", "((8,4),(2,4,2)):((16,128),(1,4,2))", 16,
     4, ZLAY_PATH_MATRIX, 4, 8, 0},
    {"one word: a load does as well", "(8,(2,4)):(8,(1,2))", "(8,(2,4)):(8,(1,2))", 16, 2,
     ZLAY_PATH_THREADS, 1, 1, 0},
    {"rows off 16 bytes", "((8,2),(2,4,2)):((20,160),(1,2,8))", "((8,2),(2,4,2)):((32,2),(1,8,4))",
     16, 8, ZLAY_PATH_THREADS, 4, 0, 0},
    {"a thread's own", "(8,64):(1,8)", "(8,64):(1,8)", 32, 8, ZLAY_PATH_THREADS, 4, 32, 0},
    {"sixteen threads", "(2,16):(16,1)", "(2,16):(1,2)", 32, 2, ZLAY_PATH_THREADS, 2, 2, 0},
};

enum { COUNT = sizeof rows / sizeof rows[0] };

/* Cells of memory and slots; a cell is an element. */
typedef struct state {
    uint16_t memory[CELLS], slot[SLOTS];
} state;

static uint64_t byte_of(const seen_part *p, const zlay_move *move, int side, uint32_t bits,
                        uint64_t value, uint64_t thread)
{
    int64_t at[2];
    zlay_move_swizzle s;
    assert_true(place_of(p, value, thread, 0, at));
    assert_int_equal(zlay_move_swizzle_info(&s, move, side), ZLAY_OK);
    return (uint64_t)swizzle_by(s, at[side]) * bits / 8;
}

static void move_cell(state *w, bool load, uint64_t slot, uint64_t cell)
{
    assert_true(slot < SLOTS && cell < CELLS);
    if (load) w->slot[slot] = w->memory[cell];
    else w->memory[cell] = w->slot[slot];
}

/* PTX ISA 9.1, ldmatrix: eight rows of 16 bytes; lane l has the elements of 4 bytes 4 (l mod 4) of
 * row l / 4, or with .trans element l / 4 of rows 2 (l mod 4) and 2 (l mod 4) + 1. */
static void matrix(state *w, const fragments *f, const seen_part *p, const zlay_move *move,
                   bool load, uint64_t warp, uint64_t word)
{
    uint64_t each = 32 / f->bits, bytes = f->bits / 8, row[8];
    int memory = load ? 0 : 1;
    for (uint64_t k = 0; k < 8; k++) {
        uint64_t value = p->part.transposed ? 2 * word + k % 2 : word * each;
        uint64_t lane = p->part.transposed ? k / 2 : 4 * k;
        row[k] = byte_of(p, move, memory, f->bits, value, warp * WARP + lane);
        assert_int_equal(row[k] % ROW, 0);
    }
    for (uint64_t lane = 0; lane < WARP; lane++)
        for (uint64_t j = 0; j < each; j++) {
            uint64_t byte = p->part.transposed ? row[2 * (lane % 4) + j] + lane / 4 * bytes
                                               : row[lane / 4] + 4 * (lane % 4) + j * bytes;
            uint64_t slot = word * each + j + f->registers * (warp * WARP + lane);
            move_cell(w, load, slot, byte / bytes);
        }
}

static uint64_t carry_out(state *w, const fragments *f, const zlay_move *move, bool load)
{
    seen_part p = part_of(move, 0);
    uint64_t words = f->registers * f->bits / 32, issued = 0;
    assert_int_equal(p.values, f->registers);
    assert_int_equal(p.part.accesses, 1);
    if (!p.part.matrices) {
        uint64_t width = load ? p.part.source_width : p.part.width, v = width * 8 / f->bits;
        for (uint64_t t = 0; t < p.part.threads; t++)
            for (uint64_t r = 0; r < f->registers; r++) {
                uint64_t at = byte_of(&p, move, !load, f->bits, r, t);
                uint64_t first = byte_of(&p, move, !load, f->bits, r / v * v, t);
                assert_int_equal(first % width, 0);
                assert_int_equal(at, first + r % v * f->bits / 8);
                move_cell(w, load, r + f->registers * t, at * 8 / f->bits);
            }
        return (p.part.threads + WARP - 1) / WARP * (f->registers / v);
    }
    for (uint64_t warp = 0; warp < p.part.threads / WARP; warp++) {
        for (uint64_t left = words; left; issued++) left -= left >= 4 ? 4 : left >= 2 ? 2 : 1;
        for (uint64_t word = 0; word < words; word++) matrix(w, f, &p, move, load, warp, word);
    }
    return issued;
}

/* The path that was taken. */
static int32_t check(zlay_ctx *ctx, const fragments *f, bool load)
{
    static state w;
    zlay_move *move = NULL;
    zlay_move_summary info;
    zlay_layout *memory = read_layout(ctx, f->memory), *slots = read_layout(ctx, f->slots);
    zlay_copy_request r = {.size = sizeof r, .elem_bits = f->bits, .registers = f->registers};
    *(load ? &r.source : &r.dest) = (zlay_copy_side){.layout = memory, .space = ZLAY_MOVE_SHARED};
    *(load ? &r.dest : &r.source) = (zlay_copy_side){.layout = slots, .space = ZLAY_MOVE_REGISTER};
    zlay_status status = zlay_copy_synth(ctx, &move, target_of("sm_90a"), &r);
    if (status) fail_msg("%s: %s", f->name, zlay_ctx_message(ctx));
    assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
    if (f->path) assert_int_equal(info.path, f->path);
    if (f->path) assert_int_equal(info.instructions, f->instructions);
    for (uint64_t i = 0; i < CELLS; i++) w.memory[i] = (uint16_t)(i * 40503u + 7);
    for (uint64_t i = 0; i < SLOTS; i++) w.slot[i] = (uint16_t)(i * 30011u + 3);
    assert_int_equal(carry_out(&w, f, move, load), info.instructions);
    for (uint64_t i = 0; i < zlay_layout_size(slots); i++)
        assert_int_equal(w.slot[layout_at(slots, i)], w.memory[layout_at(memory, i)]);
    if (f->wavefronts)
        assert_int_equal(load ? info.wavefronts_load : info.wavefronts_store, f->wavefronts);
    if (f->path) assert_int_equal(part_of(move, 0).part.transposed, f->transposed);
    zlay_move_free(move);
    zlay_layout_free(memory);
    zlay_layout_free(slots);
    return info.path;
}

static void test_loads(void **ctx)
{
    for (size_t i = 0; i < COUNT; i++) check(*ctx, &rows[i], true);
}

static void test_stores(void **ctx)
{
    for (size_t i = 0; i < COUNT; i++) check(*ctx, &rows[i], false);
}

/* stmatrix is there from sm_90 on, neither on a device of AMD. */
static void test_targets(void **ctx)
{
    static const struct {
        const char *target;
        bool load;
        zlay_status status;
    } asks[] = {{"sm_80", true, ZLAY_OK},
                {"sm_80", false, ZLAY_NONE},
                {"sm_90a", false, ZLAY_OK},
                {"gfx942", true, ZLAY_NONE},
                {"sm_100a", true, ZLAY_OK}};
    zlay_layout *memory = read_layout(*ctx, rows[1].memory),
                *slots = read_layout(*ctx, rows[1].slots);
    for (size_t i = 0; i < sizeof asks / sizeof asks[0]; i++) {
        zlay_move *move = NULL;
        zlay_copy_request r = {
            .size = sizeof r, .elem_bits = 16, .registers = 8, .path = ZLAY_PATH_MATRIX};
        *(asks[i].load ? &r.source : &r.dest) =
            (zlay_copy_side){.layout = memory, .space = ZLAY_MOVE_SHARED};
        *(asks[i].load ? &r.dest : &r.source) =
            (zlay_copy_side){.layout = slots, .space = ZLAY_MOVE_REGISTER};
        assert_int_equal(zlay_copy_synth(*ctx, &move, target_of(asks[i].target), &r),
                         asks[i].status);
        zlay_move_free(move);
    }
    zlay_layout_free(memory);
    zlay_layout_free(slots);
}

static void test_random_fragments(void **ctx)
{
    uint64_t seed = test_seed("random fragments"), matrices = 0;
    for (uint64_t n = 0; n < test_iterations(300); n++) {
        char text[2][256];
        int held = (int)test_range(&seed, 1, 3);
        draw_bits(&seed, text[0], text[1], held);
        fragments f = {"random", text[0], text[1], 16, 1u << held, 0, 0, 0, 0};
        matrices += check(*ctx, &f, test_range(&seed, 0, 1)) == ZLAY_PATH_MATRIX;
    }
    assert_true(matrices > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads), cmocka_unit_test(test_stores), cmocka_unit_test(test_targets),
        cmocka_unit_test(test_random_fragments),
    };
    return cmocka_run_group_tests_name("copy-fragment", tests, begin, end);
}
