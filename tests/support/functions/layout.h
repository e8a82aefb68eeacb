/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts whose functions tests print, and points at which they are called. */
#ifndef TEST_FUNCTIONS_LAYOUT_H
#define TEST_FUNCTIONS_LAYOUT_H

#include "layouts/drawn.h"

#include <zlay/emit_function.h>

#include "algebra/layout/layout.h"

enum { LAYOUT_FUNCTIONS = 160, LAYOUT_ROOM = 1 << 20, LAYOUT_POINTS = 2048 };

/* Every form: strides, digits, quotients of odd sizes, swizzles both ways and of negative values, F2 dense and modular, pieces with
 * and without holes, several outputs, words of 64 bits, the ends of 32 bits. */
static const char *const layout_rows[] = {
    "8", "1", "7 o 1:3", "(64,64):(64,1)", "(64,64):(1,64)", "(37,53):(53,1)", "(4,8):(0,0)", "5 o (1,1):(3,4)",
    "Sw<3,3,3> o 0 o (64,64):(64,1)", "Sw<3,4,3> o 0 o (128,64):(64,1)", "Sw<2,4,3> o 0 o (64,32):(32,1)", "Sw<1,4,3> o 0 o (8,16):(16,1)",
    "Sw<3,3,-3> o 0 o (64,64):(64,1)", "Sw<2,1,-2> o 5 o (4,7):(7,1)", "Sw<2,0,3> o -40 o (8,8):(-3,5)", "Sw<2,0,-3> o -40 o (8,8):(-3,5)",
    "Sw<3,3,3> o 3 o (5,7):(64,9)", "((4,8),(2,2)):((32,1),(16,8))", "((4,8),(2,2),3):((32,1),(16,8),64)", "((3,5),7):((-7,2),100)",
    "((4,3),(5,2)):((1,40),(4,200))", "((2,2,2,2),4):((8,4,2,1),16)", "((2,2,2,2,2,2),4):((1,4,16,64,256,1024),2)", "(((2,3),5),(7,2)):(((1,50),2),(100,7))",
    "(4,(2,4)):(100000000000,(7,64))", "(4,(2,4)):(-100000000000,(7,64))", "(65536,65536):(65536,1)", "(65536,65537):(65537,1)",
    "(2,2):(2147483647,1)", "(2,2):(2147483648,1)", "(2,2):(-2147483648,1)", "(2,2):(-2147483648,-1)", "(3,3):(2147483647,1)",
    "4294967296:1", "4294967297:1", "(4294967297,3):(3,1)", "8589934592:4", "((1000,1000000),7):((1,100000),5)", "((3,3000000000),2):((1,2),1)",
    "Sw<3,31,3> o 0 o (64,64):(4294967296,268435456)", "9007199254740993 o (3,3):(1,5)",
    "f2{register: (0,1) (0,2); lane: (0,4) (1,0) (2,0) -> dim0: 4, dim1: 8}", "f2{x: (1) (2) (4) -> y: 6}", "f2{a: (5) (3); b: (6) (7) (1) -> y: 8}",
    "f2{a: (45) (51) (22) (63) (7); b: (1) (33) (18) (60) -> y: 64}", "f2{a: (1,2) (2,4) (0,1); b: (3,3) (4,0) -> x: 5, y: 6}",
    "f2{a: (1) (2) (4) (8); b: (17) (34) (68) (136) (256) -> y: 512}", "f2{a: (4294967296) (3); b: (2147483649) -> y: 8589934592}", "f2{a: ; b: -> y: 4}",
    "{ [i] -> [2i] : 0 <= i < 3; [i] -> [i mod 2] : 3 <= i < 5 }", "{ [i] -> [2i] : 0 <= i < 3; [i] -> [i mod 2] : 4 <= i < 7 }",
    "{ [i,j] -> [10i + j] : 0 <= i < 7 and 0 <= j < 9 and i <= j; [i,j] -> [1000 - 3i + floor((j - 20)/7)] : 0 <= i < 7 and 0 <= j < 9 and i > j }",
    "{ [i,j] -> [i, j] : 0 <= i < 4 and 0 <= j < 4 and (i + j) mod 2 = 0 }", "{ [i] -> [-i] : 0 <= i < 9; [i] -> [5000000000 i] : 9 <= i < 12 }",
    "{ [i] -> [floor((3 i - 17)/5)] : 0 <= i < 40 }", "{ [i,j] -> [i + 4*floor(j/2)] : 0 <= i < 4 and 0 <= j < 10 and 2 i + j >= 3 }",
    "{ [i] -> [i] : 0 <= i < 100 and i mod 3 = 1; [i] -> [1000 + i] : 0 <= i < 100 and i mod 3 = 0 }",
};
enum { LAYOUT_ROWS = sizeof layout_rows / sizeof *layout_rows };

/* The rows, then layouts that are drawn. */
static inline zlay_layout *layout_draw(zlay_ctx *ctx, int i, uint64_t *seed)
{
    drawn d;
    return i < (int)LAYOUT_ROWS ? read_layout(ctx, layout_rows[i]) : draw(ctx, seed, &d, 9);
}

static inline size_t layout_function(zlay_ctx *ctx, char *text, const zlay_layout *layout, int32_t language, int i)
{
    char name[16];
    int length = snprintf(name, sizeof name, "f%d", i);
    zlay_buf buf = {text, LAYOUT_ROOM, 0};
    zlay_status status = zlay_emit_layout(ctx, &buf, layout, language, name, (size_t)length);
    if (status) fail_msg("%d: %s, %s", i, zlay_status_name(status), zlay_ctx_message(ctx));
    return buf.need;
}

/* ---- values ------------------------------------------------------------------------------------- */

typedef struct point {
    uint64_t index, at[64];
    int64_t value;
    bool there;
} point;

/* Every point, or the first, the last and random ones between. */
static inline size_t points_of(const zlay_layout *a, point *out, uint64_t *seed)
{
    uint64_t extent[64], size = zlay_layout_size(a), n = size < LAYOUT_POINTS ? size : LAYOUT_POINTS;
    size_t dims = zlay_layout_box(extent, 64, a);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t index = n == size || i < 2 ? i : i < 4 ? size - i + 1 : (uint64_t)test_range(seed, 0, (int64_t)(size - 1));
        out[i].index = index;
        for (size_t d = 0; d < dims; d++) {
            out[i].at[d] = index % extent[d];
            index /= extent[d];
        }
        out[i].there = zl_value(a, out[i].index, &out[i].value);
    }
    return (size_t)n;
}

#endif
