/* SPDX-License-Identifier: Apache-2.0 */
/* F2 layouts: the header's example, what Triton's own tests expect, refusals. */
#include "layouts/f2.h"

/* ---- operations by name --------------------------------------------------------------- */

typedef zlay_status one(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);
typedef zlay_status two(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                        const zlay_layout *b);
typedef zlay_status by_names(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const char *const *names, size_t count);
typedef zlay_status by_dims(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                            const zlay_dim *dims, size_t count);

typedef struct row {
    const char *test; /* of unittest/Tools/LinearLayoutTest.cpp */
    one *one;
    two *two;
    by_names *named;
    by_dims *dims;
    const char *a, *b, *expected; /* b: a layout, names, or name:size lists; NULL: NONE */
} row;

/* "x y" or "x:2 y:8". */
static size_t split(char *text, const char **names, zlay_dim *dims)
{
    size_t count = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "), count++) {
        char *colon = strchr(word, ':');
        if (colon) *colon = 0;
        names[count] = word;
        dims[count] = (zlay_dim){.size = colon ? strtoull(colon + 1, NULL, 10) : 0};
        strcpy(dims[count].name, word);
    }
    return count;
}

static zlay_status run(zlay_ctx *ctx, zlay_layout **out, const row *r)
{
    char text[200];
    const char *names[8];
    zlay_dim dims[8];
    zlay_layout *a = read_layout(ctx, r->a), *b = r->two ? read_layout(ctx, r->b) : NULL;
    zlay_status status;
    strcpy(text, r->b && !r->two ? r->b : "");
    size_t count = split(text, names, dims);
    if (r->one) status = r->one(ctx, out, a);
    else if (r->two) status = r->two(ctx, out, a, b);
    else if (r->named) status = r->named(ctx, out, a, names, count);
    else status = r->dims(ctx, out, a, dims, count);
    zlay_layout_free(b);
    zlay_layout_free(a);
    return status;
}

/* Triton's method is called on the inner one. */
static zlay_status composition(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *inner, const zlay_layout *outer)
{
    return zlay_f2_composition(ctx, out, outer, inner);
}

static zlay_status inverse_composition(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *self, const zlay_layout *outer)
{
    return zlay_f2_inverse_composition(ctx, out, outer, self);
}

#define ONE(f) zlay_f2_##f, NULL, NULL, NULL
#define TWO(f) NULL, zlay_f2_##f, NULL, NULL
#define TURNED(f) NULL, f, NULL, NULL
#define NAMES(f) NULL, NULL, zlay_f2_##f, NULL
#define DIMS(f) NULL, NULL, NULL, zlay_f2_##f

/* Transcribed from triton-lang/triton, unittest/Tools/LinearLayoutTest.cpp at 0b47bc5; layouts whose
 * sizes are inferred there have them written out. */
static const row triton[] = {
    {"MultiplyIdentity", TWO(product), "f2{in: (1) (2) (4) (8) -> out: 16}",
     "f2{in: (1) (2) (4) (8) (16) -> out: 32}",
     "f2{in: (1) (2) (4) (8) (16) (32) (64) (128) (256) -> out: 512}"},
    {"MultiplyDisjoint", TWO(product), "f2{in1: (1) (2) (4) (8) (16) -> out1: 32}",
     "f2{in2: (1) (2) (4) (8) -> out2: 16}",
     "f2{in1: (1,0) (2,0) (4,0) (8,0) (16,0); in2: (0,1) (0,2) (0,4) (0,8) -> out1: 32, out2: 16}"},
    {"MultiplyByEmpty", TWO(product), "f2{->}", "f2{in: (1) (2) (4) (8) (16) -> out: 32}",
     "f2{in: (1) (2) (4) (8) (16) -> out: 32}"},
    {"MultiplyByZeros", TWO(product), "f2{in: (1) (2) (4) -> out: 8}",
     "f2{in: (0) (0) (0) (0) -> out: 1}", "f2{in: (1) (2) (4) (0) (0) (0) (0) -> out: 8}"},
    {"MultiplyZerosByDegenerate", TWO(product), "f2{in: (0) (0) (0) (0) -> out1: 1}",
     "f2{in: -> out2: 1}", "f2{in: (0,0) (0,0) (0,0) (0,0) -> out1: 1, out2: 1}"},
    {"MultiplyOverlapping", TWO(product), "f2{in: (1) (2) -> out1: 4}",
     "f2{in: (1) (2) (4) -> out2: 8}",
     "f2{in: (1,0) (2,0) (0,1) (0,2) (0,4) -> out1: 4, out2: 8}"},
    {"TransposeOuts", NAMES(transpose_outs),
     "f2{in1: (1,0) (2,0) (4,0) (8,0) (16,0); in2: (0,1) (0,2) (0,4) (0,8) -> out1: 32, out2: 16}",
     "out2 out1",
     "f2{in1: (0,1) (0,2) (0,4) (0,8) (0,16); in2: (1,0) (2,0) (4,0) (8,0) -> out2: 16, out1: 32}"},
    {"TransposeOutsDegenerate", NAMES(transpose_outs),
     "f2{in1: (1,0) (2,0) (4,0) (8,0) (16,0); in2: -> out1: 32, out2: 1}", "out2 out1",
     "f2{in1: (0,1) (0,2) (0,4) (0,8) (0,16); in2: -> out2: 1, out1: 32}"},
    {"TransposeIns", NAMES(transpose_ins),
     "f2{in1: (1,0) (2,0) (4,0) (8,0) (16,0); in2: (0,1) (0,2) (0,4) (0,8) -> out1: 32, out2: 16}",
     "in2 in1",
     "f2{in2: (0,1) (0,2) (0,4) (0,8); in1: (1,0) (2,0) (4,0) (8,0) (16,0) -> out1: 32, out2: 16}"},
    {"Compose", TURNED(composition), "f2{in1: (1,1) (0,1); in2: (1,0) (1,2) -> out1: 2, out2: 4}",
     "f2{out1: (2,2) (1,0); out2: (1,1) (2,1) -> out3: 4, out4: 4}",
     "f2{in1: (3,3) (1,1); in2: (2,2) (0,3) -> out3: 4, out4: 4}"},
    {"Compose4D", TURNED(composition),
     "f2{in0: (1,0,0,0) (2,0,0,0); in1: (4,0,0,0) (8,0,0,0) (16,0,0,0) (32,0,0,0); "
     "in2: (0,0,1,0) (0,0,0,1) (0,0,0,2); in3: -> out3: 64, out0: 1, out1: 2, out2: 4}",
     "f2{out3: (1,0,0,0) (2,0,0,0) (0,0,0,0) (0,0,0,0) (0,0,0,0) (0,0,0,0); out0: (0,1,0,0); "
     "out1: (0,0,1,0); out2: (0,0,0,1) (0,0,0,2) -> out3: 4, out2: 2, out1: 2, out0: 4}",
     "f2{in0: (1,0,0,0) (2,0,0,0); in1: (0,0,0,0) (0,0,0,0) (0,0,0,0) (0,0,0,0); "
     "in2: (0,0,1,0) (0,0,0,1) (0,0,0,2); in3: -> out3: 4, out2: 2, out1: 2, out0: 4}"},
    {"ReshapeIns", DIMS(reshape_ins), "f2{in1: (1) (4) (8); in2: (2) -> out: 16}", "in3:2 in4:8",
     "f2{in3: (1); in4: (4) (8) (2) -> out: 16}"},
    {"ReshapeInsDegenerateIn", DIMS(reshape_ins), "f2{in1: (1) (4) (2); in2: -> out: 8}",
     "in3:4 in4:2", "f2{in3: (1) (4); in4: (2) -> out: 8}"},
    {"ReshapeInsDegenerateOut", DIMS(reshape_ins), "f2{in1: (1) (4); in2: (2) -> out: 8}",
     "in3:8 in4:1", "f2{in3: (1) (4) (2); in4: -> out: 8}"},
    {"ReshapeInsDegenerateFirstOut", DIMS(reshape_ins), "f2{in1: (1) (4); in2: (2) -> out: 8}",
     "in3:1 in4:8", "f2{in3:; in4: (1) (4) (2) -> out: 8}"},
    {"FlattenIns", DIMS(reshape_ins), "f2{in1: (1) (4) (8); in2: (2) -> out: 16}", "in1:16",
     "f2{in1: (1) (4) (8) (2) -> out: 16}"},
    {"ReshapeOuts", DIMS(reshape_outs), "f2{in1: (1) (4) (8); in2: (3) -> out: 16}",
     "out2:2 out3:8", "f2{in1: (1,0) (0,2) (0,4); in2: (1,1) -> out2: 2, out3: 8}"},
    {"ReshapeOutsDegenerateIn", DIMS(reshape_outs), "f2{in1: (1) (4) (2); in2: -> out: 8}",
     "out1:4 out2:2", "f2{in1: (1,0) (0,1) (2,0); in2: -> out1: 4, out2: 2}"},
    {"ReshapeOutsDegenerateOut", DIMS(reshape_outs), "f2{in1: (1) (4); in2: (2) -> out: 8}",
     "out1:8 out2:1", "f2{in1: (1,0) (4,0); in2: (2,0) -> out1: 8, out2: 1}"},
    {"FlattenOuts", DIMS(reshape_outs),
     "f2{in1: (1,0) (4,1) (8,4); in2: (3,2) -> out1: 16, out2: 8}", "out1:128",
     "f2{in1: (1) (20) (72); in2: (35) -> out1: 128}"},
    {"InvertAndCompose_Simple", TURNED(inverse_composition), "f2{in1: (2) (1) (4) -> out: 8}",
     "f2{in2: (4) (1) (2) -> out: 8}", "f2{in1: (4) (2) (1) -> in2: 8}"},
    {"InvertAndCompose_NonInjective", TURNED(inverse_composition), "f2{in1: (2) (1) (4) -> out: 8}",
     "f2{in2: (0) (2) (1) (4) -> out: 8}", "f2{in1: (2) (4) (8) -> in2: 16}"},
    {"InvertAndCompose_BroadcastedInDim", TURNED(inverse_composition),
     "f2{in1: (2) (1) (4); in2: (0) -> out: 8}", "f2{in: (4) (1) (2) -> out: 8}",
     "f2{in1: (4) (2) (1); in2: (0) -> in: 8}"},
    {"InvertAndCompose_BroadcastAtBeginningOfSecond", TURNED(inverse_composition),
     "f2{in: (1) (2) (4) -> out: 8}", "f2{in: (0) (4) (1) (2) -> out: 8}",
     "f2{in: (4) (8) (2) -> in: 16}"},
    {"InvertAndCompose_BroadcastAtEndOfSecond", TURNED(inverse_composition),
     "f2{in1: (1) (2) (4) -> out: 8}", "f2{in2: (4) (1) (2) (0) -> out: 8}",
     "f2{in1: (2) (4) (1) -> in2: 16}"},
    {"InvertAndCompose_BroadcastBeginningAndEndOfSecond", TURNED(inverse_composition),
     "f2{in: (1) (2) (4) -> out: 8}", "f2{in: (0) (4) (1) (2) (0) -> out: 8}",
     "f2{in: (4) (8) (2) -> in: 32}"},
    {"InvertAndCompose_BroadcastedDims", TURNED(inverse_composition),
     "f2{in1: (1) (2) (4); in2: (0) -> out: 8}", "f2{in3: (1) (2) (4); in4: (0) -> out: 8}",
     "f2{in1: (1,0) (2,0) (4,0); in2: (0,0) -> in3: 8, in4: 2}"},
    {"InvertAndCompose_BroadcastedDims2", TURNED(inverse_composition),
     "f2{in1: (1) (2); in2: (0) -> out: 4}", "f2{in3: (2) (1); in4: (0) -> out: 4}",
     "f2{in1: (2,0) (1,0); in2: (0,0) -> in3: 4, in4: 2}"},
    {"QuotientOneDimension", NAMES(quotient), "f2{dim1: (1,0); dim2: (0,0) -> dim1: 2, dim2: 1}",
     "dim1", "f2{dim2: (0) -> dim2: 1}"},
    {"QuotientOneDimension", NAMES(quotient), "f2{dim2: (0) -> dim2: 1}", "dim2", NULL},
    {"QuotientSeveralDimensions", NAMES(quotient),
     "f2{dim1: (1,0) (2,0) (4,0); dim2: (0,1) (0,2) -> dim1: 8, dim2: 4}", "dim1 dim2", "f2{->}"},
    {"QuotientMultipleTrivialDimensions", NAMES(quotient),
     "f2{dim1: (1,0,2) (2,0,1); dim2: (0,1,0) (0,2,0) (0,4,0); dim3: (0,0,1) (0,0,2) "
     "-> dim1: 4, dim2: 8, dim3: 4}", "dim2",
     "f2{dim1: (1,2) (2,1); dim3: (0,1) (0,2) -> dim1: 4, dim3: 4}"},
    {"QuotientMultipleTrivialDimensions", NAMES(quotient),
     "f2{dim1: (1,0,2) (2,0,1); dim2: (0,1,0) (0,2,0) (0,4,0); dim3: (0,1,1) (0,0,2) "
     "-> dim1: 4, dim2: 8, dim3: 4}", "dim2", NULL},
    {"QuotientEmptyLayout", NAMES(quotient), "f2{->}", "dim1", NULL},
    {"DivideLeft_Basic", TWO(divide_left), "f2{in: (1) (2) (4) (0) (0) (0) (0) -> out: 8}",
     "f2{in: (1) (2) (4) -> out: 8}", "f2{in: (0) (0) (0) (0) -> out: 1}"},
    {"DivideLeft_Basic", TWO(divide_left), "f2{in: (0) (0) (0) (0) (1) (2) (4) -> out: 8}",
     "f2{in: (0) (0) (0) (0) -> out: 1}", "f2{in: (1) (2) (4) -> out: 8}"},
    {"DivideLeft_NonMatchingDims", TWO(divide_left), "f2{in: (1) (2) (4) (8) (16) -> out: 32}",
     "f2{in: (1) (2) (4) (8); extra: (0) -> out: 16}", NULL},
    {"DivideLeft_Simple", TWO(divide_left), "f2{in: (1) (2) (4) -> out: 8}",
     "f2{in: (1) (2) -> out: 4}", "f2{in: (1) -> out: 2}"},
    {"DivideLeft_Simple", TWO(divide_left), "f2{in: (1) (2) (4) -> out: 8}",
     "f2{in: (1) (2) (4) -> out: 8}", "f2{in: -> out: 1}"},
    {"DivideLeft_2D", TWO(divide_left),
     "f2{in1: (1,1) (2,2) (0,8) (0,4); in2: (0,2) (0,1) -> out1: 4, out2: 16}",
     "f2{in1: (1,1) (2,2); in2: (0,2) (0,1) -> out1: 4, out2: 4}",
     "f2{in1: (0,2) (0,1); in2: -> out1: 1, out2: 4}"},
    {"DivideLeft_EliminateInDim", TWO(divide_left),
     "f2{in2: (0,1) (1,0); in1: (2,0) (0,2) -> out1: 4, out2: 4}",
     "f2{in2: (0,1) (1,0) -> out1: 2, out2: 2}", "f2{in2:; in1: (1,0) (0,1) -> out1: 2, out2: 2}"},
    {"DivideLeft_EliminateInDim", TWO(divide_left), "f2{in1: (0,1) (0,2); in2: -> out1: 1, out2: 4}",
     "f2{in1: (0,1) (0,2) -> out1: 1, out2: 4}", "f2{in1:; in2: -> out1: 1, out2: 1}"},
    {"DivideLeft_EliminateInDim", TWO(divide_left),
     "f2{in1:; in2: (0,1); in3: -> out1: 1, out2: 2}", "f2{in2: (0,1) -> out1: 1, out2: 2}",
     "f2{in1:; in2:; in3: -> out1: 1, out2: 1}"},
    {"DivideLeft_EliminateOutDim", TWO(divide_left),
     "f2{in2: (1,0) (1,0); in1: (2,0) (0,1) -> out1: 4, out2: 2}",
     "f2{in2: (1,0) (1,0) -> out1: 2, out2: 1}", "f2{in2:; in1: (1,0) (0,1) -> out1: 2, out2: 2}"},
    {"DivideLeft_EliminateOutDim", TWO(divide_left), "f2{in1: (0,1) (0,2) -> out1: 1, out2: 4}",
     "f2{-> out1: 1}", "f2{in1: (0,1) (0,2) -> out1: 1, out2: 4}"},
    {"DivideRight_2D", TWO(divide_right), /* of an earlier version, where it was a method */
     "f2{in1: (1,1) (2,2) (0,8) (0,4); in2: (0,2) (0,1) -> out1: 4, out2: 16}",
     "f2{in1: (2) (1) -> out2: 4}", "f2{in1: (1,1) (2,2); in2: (0,2) (0,1) -> out1: 4, out2: 4}"},
};

static void as_triton_expects(void **state)
{
    for (size_t i = 0; i < sizeof triton / sizeof triton[0]; i++) {
        const row *r = &triton[i];
        zlay_layout *made = NULL;
        char text[1024];
        zlay_status status = run(*state, &made, r);
        if (status != (r->expected ? ZLAY_OK : ZLAY_NONE))
            fail_msg("%s: %s, %s", r->test, zlay_status_name(status), zlay_ctx_message(*state));
        if (made && strcmp(layout_text(text, made), r->expected))
            fail_msg("%s: %s, expected %s", r->test, text, r->expected);
        zlay_layout_free(made);
    }
}

/* InvertAndCompose_Multidim: outer(C(x)) = this(x) both ways, with outputs in two orders. */
static void both_ways(void **state)
{
    static const char *const text[] = {
        "f2{in1: (1,0) (0,1) (2,0) (3,2); in2: (2,2) -> out1: 4, out2: 4}",
        "f2{in3: (0,1) (1,0) (0,0) (0,2) (2,1) -> out2: 4, out1: 4}"};
    const char *const order[][2] = {{"out2", "out1"}, {"out1", "out2"}};
    for (int way = 0; way < 2; way++) {
        zlay_layout *a = read_layout(*state, text[way]), *b = read_layout(*state, text[!way]);
        zlay_layout *c, *composed, *turned;
        zlay_answer answer;
        assert_int_equal(zlay_f2_inverse_composition(*state, &c, b, a), ZLAY_OK);
        assert_int_equal(zlay_f2_composition(*state, &composed, b, c), ZLAY_OK);
        assert_int_equal(zlay_f2_transpose_outs(*state, &turned, a, order[way], 2), ZLAY_OK);
        assert_int_equal(zlay_layout_equal(*state, &answer, NULL, composed, turned), ZLAY_OK);
        assert_int_equal(answer, ZLAY_YES);
        zlay_layout_free(turned);
        zlay_layout_free(composed);
        zlay_layout_free(c);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
}

/* Both arguments may be one layout. */
static void with_itself(void **state)
{
    zlay_layout *a = read_layout(*state, "f2{p: (0,1) (0,2); q: (0,4) (1,0) -> x: 2, y: 8}"), *made;
    zlay_layout *wrap = read_layout(*state, "f2{p: (1) (2) (4) -> x: 6}"), *back;
    assert_int_equal(zlay_f2_product(*state, &made, a, a), ZLAY_OK);
    assert_text(made, "f2{p: (0,1) (0,2) (0,8) (0,16); q: (0,4) (1,0) (0,32) (2,0) -> x: 4, y: 64}");
    assert_int_equal(zlay_f2_divide_left(*state, &back, made, a), ZLAY_OK);
    assert_text(back, "f2{p: (0,1) (0,2); q: (0,4) (1,0) -> x: 2, y: 8}");
    zlay_layout_free(back);
    zlay_layout_free(made);
    assert_int_equal(zlay_f2_divide_right(*state, &made, a, a), ZLAY_OK);
    assert_text(made, "f2{p:; q: -> x: 1, y: 1}");
    zlay_layout_free(made);
    assert_int_equal(zlay_f2_inverse_composition(*state, &made, a, a), ZLAY_OK);
    assert_text(made, "f2{p: (1,0) (2,0); q: (0,1) (0,2) -> p: 4, q: 4}");
    zlay_layout_free(made);
    assert_int_equal(zlay_f2_product(*state, &made, wrap, wrap), ZLAY_NONE);
    assert_int_equal(zlay_f2_concat_ins(*state, &made, a, a), ZLAY_EINVAL);
    zlay_layout_free(wrap);
    zlay_layout_free(a);
}

/* Where Triton asserts and there is an answer: an input that goes to itself is needed for another,
 * only one side has a rest, and sizes that differ while the values fit. */
static void where_triton_asserts(void **state)
{
    static const row rows[] = {
        {"", TURNED(inverse_composition), "f2{a: (1); b: (1) -> x: 4}", "f2{a: (1); c: (2) -> x: 4}",
         "f2{a: (1,0); b: (1,0) -> a: 2, c: 2}"},
        {"", TURNED(inverse_composition), "f2{a: (1) -> x: 4}", "f2{a: (1); c: (2) -> x: 4}",
         "f2{a: (1,0) -> a: 2, c: 2}"},
        {"", TURNED(inverse_composition), "f2{a: (1); c: (0) -> x: 4}", "f2{a: (1) -> x: 4}",
         "f2{a: (1); c: (0) -> a: 2}"},
        {"", TURNED(inverse_composition), "f2{a: (2,1) -> x: 8, y: 2}", "f2{c: (1,2) (0,4) -> y: 2, x: 8}",
         "f2{a: (1) -> c: 4}"},
        {"", TURNED(inverse_composition), "f2{a: (2) -> x: 8}", "f2{c: (1) (2) -> x: 4}",
         "f2{a: (2) -> c: 4}"},
        {"", TURNED(composition), "f2{a: (1) -> x: 4}", "f2{x: (3) -> y: 4}", "f2{a: (3) -> y: 4}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zlay_layout *made;
        assert_int_equal(run(*state, &made, &rows[i]), ZLAY_OK);
        assert_text(made, rows[i].expected);
        zlay_layout_free(made);
    }
}

/* Sublayout and SublayoutIsZero, with empty lists. */
static void sublayouts(void **state)
{
    static const char *const names[] = {"in1", "in2", "out1", "out2", "in2", "in1"};
    static const struct { size_t in, ins, out, outs; const char *expected; } rows[] = {
        {0, 2, 2, 1, "f2{in1: (1) (0) (2); in2: (0) -> out1: 4}"},
        {4, 2, 2, 1, "f2{in1: (1) (0) (2); in2: (0) -> out1: 4}"},
        {4, 2, 2, 2, "f2{in1: (1,0) (0,1) (2,0); in2: (0,1) -> out1: 4, out2: 2}"},
        {0, 1, 2, 1, "f2{in1: (1) (0) (2) -> out1: 4}"},
        {0, 0, 2, 0, "f2{->}"},
        {0, 1, 2, 0, "f2{in1: () () () ->}"},
        {0, 0, 2, 1, "f2{-> out1: 4}"},
    };
    zlay_layout *a =
        read_layout(*state, "f2{in1: (1,0) (0,1) (2,0); in2: (0,1) -> out1: 4, out2: 2}");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zlay_layout *part;
        assert_int_equal(zlay_f2_sublayout(*state, &part, a, names + rows[i].in, rows[i].ins,
                                           names + rows[i].out, rows[i].outs),
                         ZLAY_OK);
        assert_text(part, rows[i].expected);
        zlay_layout_free(part);
    }
    zlay_layout_free(a);
}

static void masks_and_runs(void **state)
{
    static const struct { const char *text; uint64_t masks[2], run; uint32_t rank; } rows[] = {
        {"f2{in: (1) (2) -> out: 4}", {0}, 4, 2},
        {"f2{in: (0) (0) (0) (0) -> out: 1}", {15}, 1, 0},
        {"f2{in: (1) (0) (0) (2) (4) (0) -> out: 8}", {38}, 2, 3},
        {"f2{in1: (1,1) (2,2) (0,0); in2: (1,0) (0,1) (2,0) -> out1: 4, out2: 4}", {4, 2}, 1, 4},
        {"f2{in: -> out: 1}", {0}, 1, 0},
        {"f2{in1: (1) (2); in2: (4) (8) (16) -> out: 32}", {0, 0}, 4, 5},
        {"f2{in: (1,0) (2,0) (0,1) (0,2) (0,4) -> out1: 4, out2: 8}", {0}, 4, 5},
        {"f2{in: (0,0) (0,0) (0,1) (0,2) -> out1: 1, out2: 4}", {3}, 1, 2},
        {"f2{in: (1) (2) (4) (9) -> out: 16}", {0}, 1, 4},
        {"f2{in: (1) (2) (4) (10) -> out: 16}", {0}, 2, 4},
        {"f2{in: (1) (4) (2) -> out: 8}", {0}, 2, 3},
        {"f2{in: (1) (2) (4); in2: (8) (18) -> out: 32}", {0, 0}, 2, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zlay_layout *a = read_layout(*state, rows[i].text);
        uint64_t masks[2] = {0}, run = 0;
        uint32_t rank = 99;
        assert_int_equal(zlay_f2_free_variable_masks(masks, 2, a), ZLAY_OK);
        assert_memory_equal(masks, rows[i].masks, sizeof masks);
        assert_int_equal(zlay_f2_num_consecutive(&run, a), ZLAY_OK);
        if (run != rows[i].run) fail_msg("%s: %d", rows[i].text, (int)run);
        assert_int_equal(zlay_f2_rank(&rank, a), ZLAY_OK);
        assert_int_equal(rank, rows[i].rank);
        zlay_layout_free(a);
    }
}

/* ---- the header ---------------------------------------------------------------------------- */

static void worked_example(void **state)
{
    zlay_layout *a = read_layout(*state, "f2{register: (0,1); lane: (0,2) (1,0) -> dim0: 2, dim1: 4}");
    zlay_layout *inverse, *wrap;
    int64_t value[2];
    assert_int_equal(zlay_layout_eval(value, 2, a, 1 + 2 * 3), ZLAY_OK);
    assert_true(value[0] == 1 && value[1] == 3);
    assert_int_equal(zlay_f2_invert(*state, &inverse, a), ZLAY_OK);
    assert_text(inverse, "f2{dim0: (0,2); dim1: (1,0) (0,1) -> register: 2, lane: 4}");
    wrap = read_layout(*state, "f2{x: (1) (2) (4) -> y: 6}");
    for (uint64_t x = 0; x < 8; x++) assert_int_equal(layout_at(wrap, x), x % 6);
    assert_int_equal(zlay_layout_kind(wrap), ZLAY_LAYOUT_MODULAR);
    zlay_layout_free(wrap);
    zlay_layout_free(inverse);
    zlay_layout_free(a);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static const struct { row r; zlay_status status; const char *word; } refused[] = {
    {{"", ONE(invert), "f2{a: (1) (2) (3) -> x: 4}", NULL, NULL}, ZLAY_NONE, "0 and 7"},
    {{"", ONE(invert), "f2{a: (1) (4) -> x: 8}", NULL, NULL}, ZLAY_NONE, "value 2"},
    {{"", ONE(pseudoinvert), "f2{a: (1,1) (3,0) -> x: 4, y: 2}", NULL, NULL}, ZLAY_NONE,
     "(x 1, y 0), value 1"},
    {{"", ONE(invert), "f2{a: (1) (2) -> x: 3}", NULL, NULL}, ZLAY_EINVAL, "size 3 of x"},
    {{"", ONE(invert), "4:1", NULL, NULL}, ZLAY_EINVAL, "no F2 layout"},
    {{"", TURNED(composition), "f2{a: (1) (2) -> x: 4}", "f2{y: (1) (2) -> z: 4}", NULL}, ZLAY_EINVAL, "x"},
    {{"", TURNED(composition), "f2{a: (1) -> x: 2}", "f2{x: (1); y: (2) -> z: 4}", NULL}, ZLAY_EINVAL, "y"},
    {{"", TURNED(composition), "f2{a: (1) (2) -> x: 4}", "f2{x: (1) -> z: 4}", NULL}, ZLAY_NONE,
     "index 2 leaves outer: (x 2)"},
    {{"", TURNED(inverse_composition), "f2{a: (1) (2) -> x: 4}", "f2{b: (1) -> x: 4}", NULL}, ZLAY_NONE,
     "index 2 of this has what outer does not reach: (x 2)"},
    {{"", TURNED(inverse_composition), "f2{a: (1) (2) -> x: 4}", "f2{b: (1) -> x: 2}", NULL}, ZLAY_NONE,
     "(x 2)"},
    {{"", TWO(lstsq), "f2{b: (2) -> x: 4}", "f2{a: (3) -> x: 4}", NULL}, ZLAY_NONE, "(x 3)"},
    {{"", TWO(lstsq), "f2{b: (2) -> x: 4}", "f2{a: (3) -> y: 4}", NULL}, ZLAY_EINVAL, "y"},
    {{"", TWO(product), "f2{a: (1); b: (2) -> x: 4}", "f2{b: (1); a: (2) -> x: 4}", NULL},
     ZLAY_EINVAL, "order"},
    {{"", TWO(product), "f2{a: (1) -> x: 9223372036854775808}", "f2{a: (1) -> x: 4}", NULL},
     ZLAY_EOVERFLOW, "64 bits"},
    {{"", TWO(divide_left), "f2{a: (1) (3) -> x: 4}", "f2{a: (1) -> x: 2}", NULL}, ZLAY_NONE,
     "basis of a 2"},
    {{"", TWO(divide_right), "f2{a: (1) (1) -> x: 4}", "f2{a: (1) -> x: 2}", NULL}, ZLAY_NONE,
     "basis of a 2"},
    {{"", TWO(divide_right), "f2{a: (1) (2) -> x: 4}", "f2{a: (1) (2) (4) -> x: 8}", NULL},
     ZLAY_NONE, "more of the input a"},
    {{"", TWO(divide_right), "f2{a: (1); b: (2) -> x: 4}", "f2{b: ; a: -> x: 1}", NULL}, ZLAY_NONE,
     "another order"},
    {{"", NAMES(transpose_ins), "f2{a: (1); b: (2) -> x: 4}", "a a", NULL}, ZLAY_EINVAL, "called a"},
    {{"", NAMES(transpose_ins), "f2{a: (1); b: (2) -> x: 4}", "a", NULL}, ZLAY_EINVAL, "1 names"},
    {{"", NAMES(transpose_outs), "f2{a: (1) -> x: 4}", "y", NULL}, ZLAY_EINVAL, "'y'"},
    {{"", DIMS(reshape_ins), "f2{a: (1) (2) -> x: 4}", "a:2", NULL}, ZLAY_EINVAL, "2^1, not 2^2"},
    {{"", DIMS(reshape_ins), "f2{a: (1) (2) -> x: 4}", "a:2 a:2", NULL}, ZLAY_EINVAL, "called a"},
    {{"", DIMS(reshape_outs), "f2{a: (1) (2) -> x: 4}", "x:3", NULL}, ZLAY_EINVAL, "no power"},
    {{"", DIMS(reshape_outs), "f2{a: (1) (2) -> x: 4}", "9x:4", NULL}, ZLAY_EINVAL, "9x"},
    {{"", TWO(concat_ins), "f2{a: (1) -> x: 4}", "f2{a: (1) -> x: 4}", NULL}, ZLAY_EINVAL, "called a"},
    {{"", TWO(concat_ins), "f2{a: (1) -> x: 4}", "f2{b: (1) -> x: 2}", NULL}, ZLAY_EINVAL, "size"},
    {{"", TWO(concat_outs), "f2{a: (1) -> x: 4}", "f2{a: (1) -> x: 2}", NULL}, ZLAY_EINVAL,
     "called x"},
    {{"", TWO(concat_outs), "f2{a: (1) -> x: 4}", "f2{a: (1) (1) -> y: 2}", NULL}, ZLAY_EINVAL,
     "size"},
};

static void what_is_refused(void **state)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        zlay_layout *made = (zlay_layout *)state;
        zlay_status status = run(*state, &made, &refused[i].r);
        if (status != refused[i].status || !strstr(zlay_ctx_message(*state), refused[i].word))
            fail_msg("%s, %s: %s, %s", refused[i].r.a, refused[i].r.b ? refused[i].r.b : "",
                     zlay_status_name(status), zlay_ctx_message(*state));
        assert_null(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example), cmocka_unit_test(as_triton_expects),
        cmocka_unit_test(both_ways), cmocka_unit_test(with_itself),
        cmocka_unit_test(where_triton_asserts), cmocka_unit_test(sublayouts),
        cmocka_unit_test(masks_and_runs), cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
