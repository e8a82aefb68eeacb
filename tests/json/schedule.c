/* SPDX-License-Identifier: Apache-2.0 */
/* pipe.schedule as a request: what it answers, which field is at fault, and the loops of examples/loops: FlashAttention-3
 * runs the softmax of one tile beside the products of the other, FlashAttention-4 both beside products. */
#include "json_ask.h"

#include <stdbool.h>
#include <stdio.h>

#define OPS \
    "{\"op\":\"pipe.schedule\",\"ops\":[{\"name\":\"load\",\"unit\":\"copy\",\"cycles\":4,\"latency\":10},{\"name\":\"mma\",\"unit\":\"tensor\",\"cycles\":6,\"latency\":8}],"
#define EDGES "\"edges\":[{\"from\":\"load\",\"to\":\"mma\",\"distance\":0}],"
#define UNITS "\"units\":{\"copy\":1,\"tensor\":1}"
#define VALUE(space) ",\"values\":[{\"def\":\"load\",\"uses\":[\"mma\"],\"bytes\":100,\"space\":\"" space "\"}]"

static const char *const rows[][2] = {
    {OPS EDGES UNITS "}", "{\"ok\":{\"ii\":6,\"start\":{\"load\":0,\"mma\":10},\"stages\":2,\"bound\":6,\"optimal\":true,\"unit_bound\":6,\"cycle_bound\":1,\"stages_bound\":2}}"},
    {OPS EDGES UNITS ",\"copies\":2}", "\"load.1\":4,\"mma.1\":"},
    {OPS EDGES UNITS VALUE("smem") ",\"capacity\":{\"smem\":200}}", "{\"ok\":{\"ii\":8,"},
    {OPS EDGES UNITS VALUE("smem") ",\"capacity\":{\"smem\":300}}", "\"depth\":[3]"},
    {OPS EDGES UNITS VALUE("smem") ",\"capacity\":{\"smem\":99}}", "\"witness\":{\"space\":\"smem\",\"least\":100}"},
    {OPS EDGES UNITS VALUE("smen") ",\"capacity\":{\"smem\":99}}", "no space of 'capacity' is called 'smen'; did you mean 'smem'?"},
    {OPS EDGES UNITS VALUE("smem") "}", "EINVAL"},
    {OPS EDGES "\"units\":{\"copy\":1,\"tensor\":0}}", "\"witness\":{\"unit\":\"tensor\"}"},
    {OPS EDGES "\"units\":{\"copy\":1,\"tensors\":1}}", "no unit is called 'tensor'; did you mean 'tensors'?"},
    {OPS EDGES "\"units\":{\"copy\":1,\"tensor\":-1}}", "field 'units': 'tensor' wants a count"},
    {OPS EDGES "\"units\":[1]}", "field 'units'"},
    {OPS EDGES UNITS ",\"copies\":0}", "field 'copies'"},
    {OPS EDGES UNITS ",\"copies\":4294967295}", "ENOTSUP"},
    {OPS EDGES UNITS ",\"colour\":1}", "'colour'"},
    {OPS UNITS "}", "field 'edges' is missing"},
    {OPS "\"edges\":[{\"from\":\"load\",\"to\":\"mmb\",\"distance\":0}]," UNITS "}", "no operation is called 'mmb'; did you mean 'mma'?"},
    {OPS "\"edges\":[{\"from\":\"load\",\"to\":\"mma\"}]," UNITS "}", "edges: an edge"},
    {OPS "\"edges\":[{\"from\":\"load\",\"to\":\"mma\",\"distance\":-1}]," UNITS "}", "field 'distance'"},
    {OPS "\"edges\":[{\"from\":\"load\",\"to\":\"mma\",\"distance\":0,\"latency\":-30}]," UNITS "}", "\"stages\":1,"},
    {OPS "\"edges\":[{\"from\":\"load\",\"to\":\"mma\",\"distance\":0},{\"from\":\"mma\",\"to\":\"load\",\"distance\":0,\"latency\":-9}]," UNITS "}",
     "\"witness\":{\"cycle\":[\"load\",\"mma\"],\"latency\":1}"},
    {OPS "\"edges\":[{\"from\":\"mma\",\"to\":\"load\",\"distance\":\"9223372036854775808\"}]," UNITS "}", "EOVERFLOW"},
    {"{\"op\":\"pipe.schedule\",\"ops\":[],\"edges\":[],\"units\":{}}", "{\"ok\":{\"ii\":1,\"start\":{},\"stages\":0,\"bound\":1,\"optimal\":true,"},
    {"{\"op\":\"pipe.schedule\",\"ops\":[{\"name\":\"a\",\"unit\":\"u\",\"cycles\":1,\"latency\":0},{\"name\":\"a.1\",\"unit\":\"u\",\"cycles\":1,\"latency\":0}],"
     "\"edges\":[],\"units\":{\"u\":1},\"copies\":2}", "'a.1' is the name of a copy of 'a'"},
};

static void answers(void **state) { answers_have(*state, rows, sizeof rows / sizeof *rows); }

/* ---- loops of kernels ------------------------------------------------------------------------------- */

enum { LOOP_TEXT = 1 << 16 };

typedef struct loop {
    json_t *request, *answer;
    int64_t ii;
} loop;

static loop loop_of(zlay_ctx *ctx, const char *name)
{
    static char text[LOOP_TEXT];
    char path[128];
    loop l = {NULL, NULL, 0};
    snprintf(path, sizeof path, "examples/loops/%s.json", name);
    l.request = json_load_file(path, 0, NULL);
    if (!l.request) fail_msg("no JSON in %s", path);
    json_object_set_new(l.request, "op", json_string("pipe.schedule"));
    assert_true(json_dumpb(l.request, text, sizeof text - 1, 0) < sizeof text);
    text[json_dumpb(l.request, text, sizeof text - 1, 0)] = 0;
    l.answer = ask(ctx, text);
    l.ii = json_integer_value(at(l.answer, "ok.ii"));
    return l;
}

static void loop_free(loop *l)
{
    json_decref(l->request);
    json_decref(l->answer);
}

/* Whether an operation is in flight at a cycle of the interval; `name` may be that of a copy. */
static bool runs(const loop *l, const char *name, int64_t cycle)
{
    char body[64];
    size_t i, length = strcspn(name, ".");
    json_t *op, *start = json_object_get(at(l->answer, "ok.start"), name);
    memcpy(body, name, length);
    body[length] = 0;
    assert_non_null(start);
    json_array_foreach(json_object_get(l->request, "ops"), i, op) {
        if (strcmp(json_string_value(json_object_get(op, "name")), body)) continue;
        int64_t since = (cycle - json_integer_value(start)) % l->ii;
        return (since < 0 ? since + l->ii : since) < json_integer_value(json_object_get(op, "cycles"));
    }
    fail_msg("no operation %s", name);
    return false;
}

/* Every loop has a schedule of least ii and stages; `ii` is known by hand. */
static void loops_are_optimal(void **state)
{
    static const struct {
        const char *name;
        int64_t ii;
    } known[] = {{"attention_sm90", 2048},      {"attention_sm100", 2048}, {"attention_gfx942", 2048}, {"attention_back_sm90", 1280},
                 {"attention_back_sm100", 2560}, {"gemm_sm90", 512},        {"gemm_sm100", 256},        {"gemm_w4_sm90", 512},
                 {"gated_mlp_sm90", 768},        {"convolution_sm90", 384}, {"scan", 20},               {"gemm_mx_sm100", 282}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        loop l = loop_of(*state, known[i].name);
        if (l.ii != known[i].ii || !json_is_true(at(l.answer, "ok.optimal"))) fail_msg("%s: ii %d", known[i].name, (int)l.ii);
        if (known[i].ii != 282) assert_int_equal(json_integer_value(at(l.answer, "ok.unit_bound")), l.ii);
        loop_free(&l);
    }
}

/* The softmax of each tile runs only while the tensor cores multiply for the other one; they never rest. */
static void attention_plays_ping_pong(void **state)
{
    loop l = loop_of(*state, "attention_sm90");
    for (int64_t cycle = 0; cycle < l.ii; cycle++) {
        bool first = runs(&l, "qk", cycle) || runs(&l, "pv", cycle), second = runs(&l, "qk.1", cycle) || runs(&l, "pv.1", cycle);
        assert_true(first != second);
        if (runs(&l, "exp", cycle)) assert_true(second);
        if (runs(&l, "exp.1", cycle)) assert_true(first);
    }
    loop_free(&l);
}

/* Both softmaxes run beside products: the tensor cores never rest. */
static void attention_hides_both(void **state)
{
    loop l = loop_of(*state, "attention_sm100");
    for (int64_t cycle = 0; cycle < l.ii; cycle++) {
        int products = runs(&l, "s_mma", cycle) + runs(&l, "o_mma", cycle) + runs(&l, "s_mma.1", cycle) + runs(&l, "o_mma.1", cycle);
        assert_int_equal(products, 1);
    }
    loop_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers), cmocka_unit_test(loops_are_optimal), cmocka_unit_test(attention_plays_ping_pong),
                                       cmocka_unit_test(attention_hides_both)};
    return cmocka_run_group_tests(tests, begin, end);
}
