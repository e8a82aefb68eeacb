/* SPDX-License-Identifier: Apache-2.0 */
/* What each operation answers.  The answers are counted by hand, or stand in CuTe's documents, the
 * PTX ISA or the measurements that the rules cite; nothing here was copied from an output. */
#define _POSIX_C_SOURCE 200809L /* strdup */

#include "json/json.h"
#include "test.h"

#include <string.h>
#include <zlay/json.h>

enum { TEXT = 1 << 18 };

static json_t *ask(zlay_ctx *ctx, const char *line)
{
    static char text[TEXT];
    zlay_buf out = {text, sizeof text, 0};
    assert_int_equal(zlay_json_call(ctx, &out, line, strlen(line)), ZLAY_OK);
    json_t *answer = json_loads(text, 0, NULL);
    assert_non_null(answer);
    return answer;
}

/* The value of a path of keys and numbers, as "ok.broken.0.rule". */
static json_t *at(json_t *value, const char *path)
{
    while (value && *path) {
        char key[64];
        size_t length = strcspn(path, ".");
        memcpy(key, path, length);
        key[length] = 0;
        value = json_is_array(value) ? json_array_get(value, strtoul(key, NULL, 10)) : json_object_get(value, key);
        path += length + (path[length] == '.');
    }
    return value;
}

/* The request's value at `path` is this JSON; NULL: there is none. */
static void says(zlay_ctx *ctx, const char *line, const char *path, const char *wanted)
{
    json_t *answer = ask(ctx, line), *got = at(answer, path);
    json_t *want = wanted ? json_loads(wanted, JSON_DECODE_ANY, NULL) : NULL;
    if (wanted) assert_non_null(want);
    if (got ? !json_equal(got, want) : want != NULL) {
        char *text = json_dumps(answer, 0);
        fail_msg("%s\n  answers %s\n  and not %s at %s", line, text, wanted ? wanted : "nothing", path);
    }
    json_decref(want);
    json_decref(answer);
}

/* The text at `path` has this word. */
static void mentions(zlay_ctx *ctx, const char *line, const char *path, const char *word)
{
    json_t *answer = ask(ctx, line);
    const char *text = json_string_value(at(answer, path));
    if (!text || !strstr(text, word)) fail_msg("%s\n  has '%s' at %s, without '%s'", line, text ? text : "nothing", path, word);
    json_decref(answer);
}

static int setup(void **state) { return zlay_ctx_new((zlay_ctx **)state, NULL, NULL); }

static int teardown(void **state)
{
    zlay_ctx_free(*state);
    return 0;
}

static void tensor_maps_from_layouts(void **state)
{
#define TILE "{\"op\":\"tensormap.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"source\":\"(4096,4096):(4096,1)\",\"tile\":[128,64]"
    static const char *const rows[][3] = {
        {TILE "}", "ok.bytes", "16384"},
        {TILE "}", "ok.optimal", "true"},
        {TILE "}", "ok.copies.0.advance", "[[0,64],[128,0]]"},
        {TILE "}", "ok.maps.0.box", "[64,128]"},
        {TILE ",\"smem\":\"Sw<3,3,3> o 0 o (128,64):(64,1)\"}", "ok.maps.0.swizzle", "3"},
        {TILE ",\"smem\":\"(128,64):(72,1)\"}", "ok.reserved", "18432"},
        {TILE ",\"smem\":\"(128,64):(72,1)\",\"keep_holes\":true}", "ok", NULL},
        {TILE ",\"smem\":\"(128,64):(1,128)\"}", "rule", "\"TMAP_BOX0_16\""},
        {TILE ",\"smem\":\"(128,64):(1,128)\"}", "witness", "2"},
        {TILE ",\"address_align\":8}", "rule", "\"TMAP_ADDRESS_16\""},
        {TILE ",\"swizzle\":4}", "rule", "\"TMAP_SWIZZLE_SM90\""},
        {TILE ",\"swizzle\":\"128B_atom32B_flip8B\"}", "rule", "\"TMAP_SWIZZLE_SM90\""},
        {TILE ",\"direction\":\"store\"}", "ok.copies.0.kind", "\"tensor_store\""},
        {TILE ",\"direction\":\"away\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"tensormap.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"source\":\"(64,64):(64,1)\",\"tile\":\"(8,16):(2,64)\"}", "ok.maps.0.stride", "[256]"},
        {"{\"op\":\"tensormap.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"source\":\"(64,64):(64,1)\",\"tile\":[16,8],\"smem\":\"(16,8):(1,16)\",\"residual\":true}", "ok.smem", "\"(16,8):(8,1)\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
#undef TILE
}

#define F2 "{\"in\":[[\"register\",[[0,1],[0,2]]],[\"lane\",[[0,4],[1,0]]]],\"out\":[[\"dim0\",2],[\"dim1\",8]]}"

static void symbols(void **state)
{
    static const char *const rows[][3] = {
        {"{\"op\":\"layout.parse\",\"layout\":\"(M,K):(ld,1)\"}", "ok.kind", "\"symbolic\""},
        {"{\"op\":\"layout.eval\",\"layout\":\"(M,K):(ld,1)\",\"at\":[4,[2,1]],\"params\":{\"M\":3,\"K\":2,\"ld\":4}}", "ok", "[5,9]"},
        {"{\"op\":\"layout.equal\",\"a\":\"(8,4):(1,ld)\",\"b\":\"32\"}", "ok", "{\"equal\":\"depends\",\"guard\":\"ld == 8\"}"},
        {"{\"op\":\"layout.equal\",\"a\":\"(8,4):(1,ld)\",\"b\":\"32\",\"facts\":[\"ld = 8\"]}", "ok.equal", "true"},
        {"{\"op\":\"layout.equal\",\"a\":\"(8,4):(1,ld)\",\"b\":\"32\",\"facts\":[\"ld = 0 mod 16\"]}", "ok.equal", "false"},
        {"{\"op\":\"layout.compose\",\"a\":\"(M,K):(ld,1)\",\"b\":\"4\",\"facts\":[\"4 <= M\"]}", "ok", "\"4:ld\""},
        {"{\"op\":\"layout.logical_divide\",\"a\":\"(8,16):(ld,1)\",\"b\":\"<4;2:8>\"}", "ok", "\"((4,2),(2,8)):((ld,4*ld),(8,1))\""},
        {"{\"op\":\"layout.parse\",\"layout\":\"8\",\"facts\":[]}", "ok.size", "8"},
        {"{\"op\":\"layout.eval\",\"layout\":\"4:ld\",\"at\":[1]}", "error", "\"EINVAL\""},
        {"{\"op\":\"layout.is_injective\",\"layout\":\"4:ld\"}", "ok", "{\"answer\":\"depends\",\"guard\":\"ld != 0\"}"},
        {"{\"op\":\"layout.is_injective\",\"layout\":\"4:ld\",\"facts\":[\"ld >= 1\"]}", "ok", "{\"answer\":true}"},
        {"{\"op\":\"layout.is_injective\",\"layout\":\"(2,M):(0,ld)\"}", "ok", "{\"answer\":false,\"witness\":[0,1],\"params\":{\"M\":2,\"ld\":0}}"},
        {"{\"op\":\"layout.equal\",\"a\":\"[N,L] -> { [i] -> [i] : 0 <= i < N and i < L }\",\"b\":\"[N,L] -> { [i] -> [i] : 0 <= i < N }\",\"facts\":[\"N <= L\",\"L <= 100\"]}", "ok", "{\"equal\":true}"},
        {"{\"op\":\"layout.equal\",\"a\":\"[N,L] -> { [i] -> [i] : 0 <= i < N and i < L }\",\"b\":\"[N,L] -> { [i] -> [i] : 0 <= i < N }\",\"facts\":[\"N <= L + 1\",\"L <= 100\"]}", "ok.equal", "false"},
        {"{\"op\":\"layout.equal\",\"a\":\"[N] -> { [i] -> [i] : 0 <= i < 9 and N = 2*floor(N/2) }\",\"b\":\"[N] -> { [i] -> [i] : 0 <= i < 9 }\",\"facts\":[\"N = Q + 1\",\"Q + R = 1 mod 2\",\"R = 2*S\"]}", "ok", "{\"equal\":true}"},
        {"{\"op\":\"layout.is_bijective\",\"layout\":\"(K,M):(1,ld)\"}", "ok", "{\"answer\":\"depends\",\"guard\":\"M == 1 || K == ld\"}"},
        {"{\"op\":\"layout.is_surjective\",\"layout\":\"K:1\",\"onto\":8}", "ok", "{\"answer\":\"depends\",\"guard\":\"K >= 8\"}"},
        {"{\"op\":\"layout.contained\",\"a\":\"4:2\",\"b\":\"K:1\"}", "ok", "{\"answer\":\"depends\",\"guard\":\"K >= 7\"}"},
        {"{\"op\":\"zlay\",\"facts\":[]}", "error", "\"EINVAL\""},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    mentions(*state, "{\"op\":\"layout.compose\",\"a\":\"(M,K):(ld,1)\",\"b\":\"4\"}", "undecided", "symbolic-stride");
    mentions(*state, "{\"op\":\"layout.flip\",\"layout\":\"8\",\"mode\":0,\"facts\":[\"x\"]}", "message", "fact 0");
}

/* By hand: (6,3):(1,20) at 0, 4, 8, 12 is 0, 4, 22, 40. */
static void operations_that_make_pieces(void **state)
{
    static const char *const rows[][3] = {
        {"{\"op\":\"layout.compose\",\"a\":\"(6,3):(1,20)\",\"b\":\"4:4\"}", "ok", "\"{ [i0] -> [4i0 + 14*floor((2i0)/3)] : 0 <= i0 < 4 }\""},
        {"{\"op\":\"layout.compose\",\"a\":\"f2{i: (1) (2) -> o: 4}\",\"b\":\"3:2\",\"partial\":false}", "none", "\"index 2: b has 4, outside the 4 points of a\""},
        {"{\"op\":\"layout.compose\",\"a\":\"f2{i: (1) (2) -> o: 4}\",\"b\":\"3:2\",\"partial\":true}", "ok", "\"{ [i0] -> [2i0] : 0 <= i0 < 3 and -i0 + 1 >= 0 } # box 3\""},
        {"{\"op\":\"layout.flip\",\"layout\":\"8:1\",\"mode\":0}", "ok", "\"7 o 8:-1\""},
        {"{\"op\":\"layout.flip\",\"layout\":\"8:1\",\"mode\":1}", "error", "\"EINVAL\""},
        {"{\"op\":\"layout.slice\",\"layout\":\"8:3\",\"mode\":0,\"begin\":7,\"end\":-1,\"step\":-3}", "ok", "\"21 o 3:-9\""},
        {"{\"op\":\"layout.slice\",\"layout\":\"8:3\",\"mode\":0,\"begin\":1,\"end\":7}", "ok", "\"3 o 6:3\""},
        {"{\"op\":\"layout.slice\",\"layout\":\"8:3\",\"mode\":0,\"begin\":\"1\",\"end\":9}", "error", "\"EINVAL\""},
        {"{\"op\":\"layout.eval\",\"layout\":\"{ [i] -> [3i - 3] : 1 <= i < 4 } # box 5\",\"at\":[0,1,2,3,4]}", "ok", "[null,0,3,6,null]"},
        {"{\"op\":\"layout.pad\",\"layout\":\"3:3\",\"mode\":0,\"before\":1,\"after\":1}", "ok", "\"{ [i0] -> [3i0 - 3] : 0 <= i0 < 5 and i0 - 1 >= 0 and -i0 + 3 >= 0 } # box 5\""},
        {"{\"op\":\"layout.pad\",\"layout\":\"3:3\",\"mode\":0,\"before\":0,\"after\":3,\"fill\":\"repeat\"}", "ok", "\"((3,2)):((3,0))\""},
        {"{\"op\":\"layout.pad\",\"layout\":\"1:3\",\"mode\":0,\"before\":2,\"after\":1,\"fill\":\"zero\"}", "ok", "\"4:0\""},
        {"{\"op\":\"layout.pad\",\"layout\":\"3:3\",\"mode\":0,\"before\":0,\"after\":3,\"fill\":\"edge\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"layout.concat\",\"a\":\"(2,3):(1,2)\",\"b\":\"6 o (2,5):(1,2)\",\"mode\":1}", "ok", "\"(2,8):(1,2)\""},
        {"{\"op\":\"layout.restrict\",\"layout\":\"6:5\",\"guard\":\"x0 mod 2 = 0 or x0 mod 2 = 1\"}", "ok", "\"6:5\""},
        {"{\"op\":\"layout.restrict\",\"layout\":\"6:5\",\"guard\":\"y = 0\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"layout.union\",\"a\":\"{ [i] -> [i] : 0 <= i < 3 } # box 6\",\"b\":\"{ [i] -> [i] : 2 <= i < 6 } # box 6\"}", "ok", "\"6:1\""},
        {"{\"op\":\"layout.union\",\"a\":\"6:1\",\"b\":\"{ [i] -> [7] : 2 <= i < 3 } # box 6\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"layout.lift\",\"layout\":\"(4,(2,2)):(2,(1,8))\"}", "ok", "\"{ [i0, i1] -> [2i0 + i1 + 6*floor((i1)/2)] : 0 <= i0 < 4 and 0 <= i1 < 4 }\""},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
}

static void hierarchies(void **state)
{
#define TREE "\"levels\":[[\"register\",2],[\"lane\",3]]"
    static const char *const rows[][3] = {
        {"{\"op\":\"hier.normal\",\"layout\":\"5 o 6:-1\"," TREE "}", "ok",
         "{\"normal\":[{\"level\":\"register\",\"nodes\":[{\"map\":[1,0]}]},"
         "{\"level\":\"lane\",\"nodes\":[{\"map\":[2,1,0],\"below\":[0,0,0]}]}]}"},
        {"{\"op\":\"hier.normal\",\"layout\":\"(2,3):(3,1)\"," TREE "}", "ok",
         "{\"crosses\":\"register\",\"witness\":[0,1]}"},
        {"{\"op\":\"hier.level\",\"a\":\"6\",\"b\":\"5 o 6:-1\"," TREE "}", "ok",
         "{\"level\":\"lane\",\"witness\":[0,5]}"},
        {"{\"op\":\"hier.level\",\"a\":\"1 o (2,3):(-1,2)\",\"b\":\"6\"," TREE "}", "ok",
         "{\"level\":\"register\",\"witness\":[0,1]}"},
        {"{\"op\":\"hier.level\",\"a\":\"6\",\"b\":\"(2,3):(1,2)\"," TREE "}", "ok", "{\"level\":null}"},
        {"{\"op\":\"hier.solve\",\"a\":\"(2,3):(3,1)\",\"b\":\"3 o (2,3):(-3,1)\"," TREE "}",
         "ok.normal.0.nodes", "[{\"map\":[1,0]}]"},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    mentions(*state, "{\"op\":\"hier.solve\",\"a\":\"6\",\"b\":\"(2,3):(3,1)\"," TREE "}", "none", "'register'");
    mentions(*state, "{\"op\":\"hier.normal\",\"layout\":\"6:2\"," TREE "}", "none", "index 3");
    mentions(*state, "{\"op\":\"hier.normal\",\"layout\":\"8\"," TREE "}", "message", "6 slots");
    mentions(*state, "{\"op\":\"hier.normal\",\"layout\":\"8\",\"levels\":[[\"a\\u0000\",8]]}", "message", "levels");
    mentions(*state, "{\"op\":\"hier.normal\",\"layout\":\"8\",\"levels\":[8]}", "message", "[name, size]");
#undef TREE
}

static void layouts(void **state)
{
    static const char *const rows[][3] = {
        {"{\"op\":\"layout.parse\",\"layout\":\"(_4,(2,2)):(_2,(1,8))\"}", "ok", "{\"text\":\"(4,(2,2)):(2,(1,8))\",\"kind\":\"strided\",\"size\":16,\"box\":[4,4],\"cosize\":16}"},
        {"{\"op\":\"layout.parse\",\"layout\":\"Sw<1,0,3> o 0 o (4,(2,2)):(2,(1,8))\"}", "ok.kind", "\"swizzled\""},
        {"{\"op\":\"layout.parse\",\"layout\":" F2 "}", "ok.kind", "\"f2\""},
        {"{\"op\":\"layout.parse\",\"layout\":" F2 "}", "ok.cosize", "[2,8]"},
        {"{\"op\":\"layout.parse\",\"layout\":\"7 o 8:-1\"}", "ok.cosize", "8"},
        {"{\"op\":\"layout.parse\",\"layout\":\"2:9007199254740993\"}", "ok.cosize", "\"9007199254740994\""},
        {"{\"op\":\"layout.eval\",\"layout\":\"(4,(2,2)):(2,(1,8))\",\"at\":[0,4,8,15,\"6\"]}", "ok", "[0,1,8,15,5]"},
        {"{\"op\":\"layout.eval\",\"layout\":\"(4,(2,2)):(2,(1,8))\",\"at\":[[2,[1,0]],[2,1],[3,3]]}", "ok", "[5,5,15]"},
        {"{\"op\":\"layout.eval\",\"layout\":\"2:9007199254740993\",\"at\":[1]}", "ok", "[\"9007199254740993\"]"},
        {"{\"op\":\"layout.eval\",\"layout\":\"2:-9007199254740993\",\"at\":[1]}", "ok", "[\"-9007199254740993\"]"},
        {"{\"op\":\"layout.eval\",\"layout\":" F2 ",\"at\":[1,4,8,13,[3,1]]}", "ok", "[[0,1],[0,4],[1,0],[1,5],[0,7]]"},
        {"{\"op\":\"layout.eval\",\"layout\":\"4\",\"at\":[4]}", "error", "\"EINVAL\""},
        {"{\"op\":\"layout.eval\",\"layout\":\"4\",\"at\":[-1]}", "error", "\"EINVAL\""},
        /* CuTe's documents, "Layout algebra": composition, complement, divide. */
        {"{\"op\":\"layout.compose\",\"a\":\"(6,2):(8,2)\",\"b\":\"(4,3):(3,1)\"}", "ok", "\"((2,2),3):((24,2),8)\""},
        {"{\"op\":\"layout.compose\",\"a\":\"20:2\",\"b\":\"(5,4):(4,1)\"}", "ok", "\"(5,4):(8,2)\""},
        {"{\"op\":\"layout.compose\",\"a\":\"(10,2):(16,4)\",\"b\":\"(5,4):(1,5)\"}", "ok", "\"(5,(2,2)):(16,(80,4))\""},
        {"{\"op\":\"layout.compose\",\"a\":\"4:1\",\"b\":\"8:2\"}", "ok", "\"8:2\""},
        {"{\"op\":\"layout.complement\",\"layout\":\"4:1\",\"cotarget\":24}", "ok", "\"6:4\""},
        {"{\"op\":\"layout.complement\",\"layout\":\"6:4\",\"cotarget\":24}", "ok", "\"4:1\""},
        {"{\"op\":\"layout.complement\",\"layout\":\"4:2\",\"cotarget\":24}", "ok", "\"(2,3):(1,8)\""},
        {"{\"op\":\"layout.complement\",\"layout\":\"(2,2):(1,6)\",\"cotarget\":24}", "ok", "\"(3,2):(2,12)\""},
        {"{\"op\":\"layout.logical_divide\",\"a\":\"(4,2,3):(2,1,8)\",\"b\":\"4:2\"}", "ok", "\"((2,2),(2,3)):((4,1),(2,8))\""},
        {"{\"op\":\"layout.logical_divide\",\"a\":\"(9,(4,8)):(59,(13,1))\",\"b\":\"<3:3;(2,4):(1,8)>\"}", "ok", "\"((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))\""},
        {"{\"op\":\"layout.coalesce\",\"layout\":\"(2,(1,6)):(1,(6,2))\"}", "ok", "\"12:1\""},
        {"{\"op\":\"layout.equal\",\"a\":\"8:1\",\"b\":\"(2,4):(1,2)\"}", "ok", "{\"equal\":true}"},
        {"{\"op\":\"layout.equal\",\"a\":\"(2,4):(1,2)\",\"b\":\"(2,4):(1,3)\"}", "ok", "{\"equal\":false,\"at\":2,\"a\":2,\"b\":3}"},
        {"{\"op\":\"layout.is_injective\",\"layout\":\"(3,2):(2,3)\"}", "ok", "{\"answer\":true}"},
        {"{\"op\":\"layout.is_injective\",\"layout\":\"(3,2):(1,2)\"}", "ok", "{\"answer\":false,\"witness\":[2,3]}"},
        {"{\"op\":\"layout.is_surjective\",\"layout\":\"(3,2):(1,2)\",\"onto\":5}", "ok", "{\"answer\":true}"},
        {"{\"op\":\"layout.is_surjective\",\"layout\":\"(3,2):(1,2)\",\"onto\":[2,3]}", "ok", "{\"answer\":false,\"witness\":5}"},
        {"{\"op\":\"layout.is_surjective\",\"layout\":\"f2{a: (1,0) (0,1); b: (1,2) -> x: 2, y: 4}\",\"onto\":[3,3]}", "ok", "{\"answer\":false,\"witness\":[2,0]}"},
        {"{\"op\":\"layout.is_bijective\",\"layout\":\"f2{a: (1,0) (0,1); b: (1,2) -> x: 2, y: 4}\"}", "ok", "{\"answer\":true}"},
        {"{\"op\":\"layout.is_bijective\",\"layout\":\"(3,2):(2,3)\"}", "ok", "{\"answer\":false,\"witness\":{\"missed\":1}}"},
        {"{\"op\":\"layout.is_bijective\",\"layout\":\"f2{a: (1,0) -> x: 2, y: 2}\"}", "ok", "{\"answer\":false,\"witness\":{\"missed\":[0,1]}}"},
        {"{\"op\":\"layout.contained\",\"a\":\"(3,2):(2,3)\",\"b\":\"7\"}", "ok", "{\"answer\":false,\"at\":5,\"value\":7}"},
        {"{\"op\":\"layout.equal\",\"a\":\"{ [i] -> [i] : 0 <= i < 8 and i != 3 }\",\"b\":\"8\"}", "ok", "{\"equal\":false,\"at\":3,\"a\":null,\"b\":3}"},
        {"{\"op\":\"layout.equal\",\"a\":\"[N] -> { [i] -> [i mod 8] : 0 <= i < N }\",\"b\":\"[N] -> { [i] -> [i] : 0 <= i < N }\",\"facts\":[\"N <= 9\"]}", "ok", "{\"equal\":false,\"at\":8,\"params\":{\"N\":9},\"a\":0,\"b\":8}"},
        {"{\"op\":\"layout.equal\",\"a\":\"8\",\"b\":\"9\"}", "ok", "{\"equal\":false,\"at\":null,\"sizes\":[8,9]}"},
        {"{\"op\":\"layout.lower\",\"layout\":\"(4,(2,2)):(2,(1,8))\"}", "ok", "{\"in\":[[\"in0\",[[2],[4]]],[\"in1\",[[1],[8]]]],\"out\":[[\"out0\",16]]}"},
        {"{\"op\":\"layout.lower\",\"layout\":\"6:1\"}", "ok", NULL},
        {"{\"op\":\"layout.equal\",\"a\":\"(4,(2,2)):(2,(1,8))\",\"b\":{\"in\":[[\"in0\",[[2],[4]]],[\"in1\",[[1],[8]]]],\"out\":[[\"out0\",16]]}}", "ok", "{\"equal\":true}"},
        {"{\"op\":\"layout.parse\",\"layout\":{\"in\":[],\"out\":[[\"d\",6]]}}", "ok.kind", "\"modular\""},
        {"{\"op\":\"layout.parse\",\"layout\":{\"in\":[],\"out\":[[\"d\",6,\"xor\"]]}}", "error", "\"EINVAL\""},
        {"{\"op\":\"layout.parse\",\"layout\":{\"in\":[[\"a b\",[]]],\"out\":[[\"d\",4]]}}", "error", "\"EINVAL\""},
        {"{\"op\":\"layout.parse\",\"layout\":{\"in\":[[\"a\",[[1,2]]]],\"out\":[[\"d\",4]]}}", "error", "\"EINVAL\""},
        {"{\"op\":\"layout.parse\",\"layout\":{\"in\":[[\"a\",[[1]]]],\"out\":[[\"d\",4]],\"x\":1}}", "error", "\"EINVAL\""},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    mentions(*state, "{\"op\":\"layout.lower\",\"layout\":\"6:1\"}", "none", "6");
    mentions(*state, "{\"op\":\"layout.complement\",\"layout\":\"(4,4):(1,2)\",\"cotarget\":40}", "none", "2 and 4");
}

/* ---- integer matrices ---- */

static void matrices(void **state)
{
    static const char *const rows[][3] = {
        {"{\"op\":\"zmat.snf\",\"a\":[[2,4],[6,8]]}", "ok.s", "[2,4]"},
        {"{\"op\":\"zmat.snf\",\"a\":[],\"shape\":[0,3]}", "ok", "{\"s\":[],\"u\":[],\"v\":[[1,0,0],[0,1,0],[0,0,1]]}"},
        {"{\"op\":\"zmat.snf\",\"a\":[[],[]]}", "ok", "{\"s\":[],\"u\":[[1,0],[0,1]],\"v\":[]}"},
        {"{\"op\":\"zmat.snf\",\"a\":[[],[]],\"shape\":[2,1]}", "error", "\"EINVAL\""},
        {"{\"op\":\"zmat.snf\",\"a\":[[1,2],[3]]}", "error", "\"EINVAL\""},
        {"{\"op\":\"zmat.snf\",\"a\":[[1.5]]}", "error", "\"EINVAL\""},
        {"{\"op\":\"zmat.hnf\",\"a\":[[2,4],[6,8]]}", "ok.h", "[[2,0],[0,4]]"},
        {"{\"op\":\"zmat.det\",\"a\":[[\"99999999999999999999\",1],[1,1]]}", "ok", "\"99999999999999999998\""},
        {"{\"op\":\"zmat.det\",\"a\":[[1,2]]}", "error", "\"EINVAL\""},
        {"{\"op\":\"zmat.rank\",\"a\":[[1,2],[2,4]]}", "ok", "1"},
        {"{\"op\":\"zmat.kernel\",\"a\":[[1,2,3]]}", "ok", "[[1,1,-1],[0,3,-2]]"},
        {"{\"op\":\"zmat.inverse\",\"a\":[[2,1],[1,1]]}", "ok", "[[1,-1],[-1,2]]"},
        {"{\"op\":\"zmat.inverse\",\"a\":[[1,2],[3,4]]}", "ok", NULL},
        {"{\"op\":\"zmat.solve\",\"a\":[[2]],\"b\":[2],\"mod\":4}", "ok", "{\"x\":[1],\"kernel\":[[2]]}"},
        {"{\"op\":\"zmat.solve\",\"a\":[[6]],\"b\":[4],\"mod\":[8]}", "ok", "{\"x\":[2],\"kernel\":[[4]]}"},
        {"{\"op\":\"zmat.solve\",\"a\":[[4]],\"b\":[2],\"mod\":8}", "witness", "[\"1/4\"]"},
        {"{\"op\":\"zmat.solve\",\"a\":[[1,1],[1,1]],\"b\":[0,1]}", "witness", "[\"-1/2\",\"1/2\"]"},
        {"{\"op\":\"zmat.solve\",\"a\":[[4]],\"b\":[2],\"mod\":0}", "error", "\"EINVAL\""},
        {"{\"op\":\"zmat.solve\",\"a\":[[4]],\"b\":[2,3]}", "error", "\"EINVAL\""},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    mentions(*state, "{\"op\":\"zmat.inverse\",\"a\":[[1,2],[3,4]]}", "none", "-2");
}

/* ---- numbers ---- */

static void numbers(void **state)
{
    static const char *const rows[][3] = {
        {"{\"op\":\"facts.of\",\"expression\":\"2*ld + 1\",\"facts\":[\"ld = 4 mod 8\",\"100 <= ld < 130\"]}", "ok", "{\"lo\":201,\"hi\":249,\"mod\":16,\"rem\":9}"},
        {"{\"op\":\"facts.of\",\"expression\":\"x mod 8\"}", "ok", "{\"lo\":0,\"hi\":7,\"mod\":1,\"rem\":0}"},
        {"{\"op\":\"facts.of\",\"expression\":\"x\",\"facts\":[\"x >= 2^62\"]}", "ok", "{\"lo\":\"4611686018427387904\",\"hi\":null,\"mod\":1,\"rem\":0}"},
        {"{\"op\":\"facts.of\",\"expression\":\"3*4\"}", "ok", "{\"lo\":12,\"hi\":12,\"mod\":0,\"rem\":12}"},
        {"{\"op\":\"facts.of\",\"expression\":\"x\",\"facts\":\"x = 1\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"facts.of\",\"expression\":\"x\",\"facts\":[\"x = 1\",\"x = 2\"]}", "error", "\"EINVAL\""},
        {"{\"op\":\"radix.divmod\",\"shape\":[3,[5,7]]}", "ok.steps", "[{\"divisor\":3,\"way\":\"multiply\",\"multiplier\":43,\"shift\":7,\"product\":32},{\"divisor\":5,\"way\":\"multiply\",\"multiplier\":13,\"shift\":6,\"product\":32},{\"divisor\":7,\"way\":\"zero\",\"multiplier\":0,\"shift\":0,\"product\":32}]"},
        {"{\"op\":\"radix.divmod\",\"shape\":\"(8,3)\",\"range\":[0,\"18446744073709551615\"]}", "ok.steps.0.way", "\"shift\""},
        {"{\"op\":\"radix.divmod\",\"shape\":7,\"range\":[0,\"18446744073709551615\"]}", "ok.steps.0", "{\"divisor\":7,\"way\":\"multiply_add\",\"multiplier\":\"10540996613548315209\",\"shift\":66,\"product\":128}"},
        {"{\"op\":\"radix.divmod\",\"shape\":\"8:2\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"radix.divmod\",\"shape\":\"7\",\"range\":[5,4]}", "error", "\"EINVAL\""},
        {"{\"op\":\"radix.divmod\",\"shape\":\"7\",\"range\":[\"-9223372036854775809\",-1]}", "error", "\"EINVAL\""},
        {"{\"op\":\"radix.divmod\",\"shape\":\"7\",\"name\":\"int\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"layout.vector_width\",\"layout\":\"(8,4):(1,8)\",\"mode\":0,\"elem_bytes\":2,\"base_align\":16}", "ok", "16"},
        {"{\"op\":\"layout.vector_width\",\"layout\":\"(64,4):(1,64)\",\"mode\":0,\"elem_bytes\":4,\"base_align\":64}", "ok", "16"},
        {"{\"op\":\"layout.vector_width\",\"layout\":\"(64,4):(1,64)\",\"mode\":0,\"elem_bytes\":4,\"base_align\":64,\"target\":\"sm_100a\"}", "ok", "32"},
        {"{\"op\":\"layout.vector_width\",\"layout\":\"(64,4):(1,64)\",\"mode\":0,\"elem_bytes\":4,\"base_align\":64,\"target\":\"sm_90a\"}", "ok", "16"},
        {"{\"op\":\"layout.vector_width\",\"layout\":\"(64,4):(1,64)\",\"mode\":0,\"elem_bytes\":4,\"base_align\":64,\"target\":\"sm_100a\",\"space\":\"shared\"}", "ok", "16"},
        {"{\"op\":\"layout.vector_width\",\"layout\":\"(3,4):(1,3)\",\"mode\":[0],\"elem_bytes\":4,\"base_align\":48,\"target\":\"gfx942\"}", "ok", "12"},
        {"{\"op\":\"layout.vector_width\",\"layout\":\"(3,4):(1,3)\",\"mode\":[0],\"elem_bytes\":4,\"base_align\":48}", "ok", "4"},
        {"{\"op\":\"layout.vector_width\",\"layout\":\"((4,2),4):((1,16),4)\",\"mode\":[0,0],\"elem_bytes\":2,\"base_align\":16}", "ok", "8"},
        {"{\"op\":\"layout.vector_width\",\"layout\":\"8:1\",\"mode\":1,\"elem_bytes\":2,\"base_align\":16}", "error", "\"EINVAL\""},
        {"{\"op\":\"layout.vector_width\",\"layout\":\"8:1\",\"mode\":0,\"elem_bytes\":2,\"base_align\":16,\"target\":\"gfx9\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"layout.vector_width\",\"layout\":\"8:1\",\"mode\":0,\"elem_bytes\":4,\"base_align\":2}", "ok", NULL},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    mentions(*state, "{\"op\":\"facts.of\",\"expression\":\"x\",\"facts\":[\"x = 1\",\"y = 2\",\"x = 2\"]}", "message", "facts 0 ('x = 1') and 2 ('x = 2')");
    mentions(*state, "{\"op\":\"radix.divmod\",\"shape\":\"(3,5)\",\"name\":\"f\"}", "ok.text", "static inline uint32_t f(uint32_t x, uint32_t *c)");
    mentions(*state, "{\"op\":\"layout.vector_width\",\"layout\":\"8:1\",\"mode\":0,\"elem_bytes\":4,\"base_align\":2}", "none", "alignment of the base, 2");
}

/* ---- legality ------------------------------------------------------------------------ */

#define MAP(extent0, stride, box0, swizzle)                                                             \
    "{\"mode\":\"tiled\",\"type\":\"bf16\",\"rank\":2,\"address\":\"0x100000\",\"extent\":[" extent0 ",4096],\"stride\":[" stride "]," \
    "\"box\":[" box0 ",128],\"step\":[1,1],\"interleave\":\"none\",\"swizzle\":\"" swizzle "\",\"l2\":\"none\",\"oob\":\"none\"}"
#define CHECK(map) "{\"op\":\"tensormap.check\",\"target\":\"sm_90a\",\"map\":" map "}"

static void tensor_maps(void **state)
{
    static const char *const rows[][3] = {
        {CHECK(MAP("4096", "8192", "64", "128B")), "ok", "{\"answer\":\"yes\",\"basis\":\"measured\",\"broken\":[],\"noted\":[],\"driver\":\"accepts\",\"driver_version\":\"580.159.04\",\"repaired\":[]}"},
        {CHECK(MAP("4100", "8200", "64", "128B")), "ok.answer", "\"no\""},
        {CHECK(MAP("4100", "8200", "64", "128B")), "ok.driver", "\"refuses\""},
        {CHECK(MAP("4100", "8200", "64", "128B")), "ok.broken.0.rule", "\"TMAP_STRIDE_16\""},
        {CHECK(MAP("4100", "8200", "64", "128B")), "ok.broken.0.field", "\"stride\""},
        {CHECK(MAP("4100", "8200", "64", "128B")), "ok.broken.0.index", "0"},
        {CHECK(MAP("4100", "8200", "64", "128B")), "ok.broken.0.value", "8200"},
        {CHECK(MAP("4100", "8200", "64", "128B")), "ok.broken.0.bound", "16"},
        {CHECK(MAP("4100", "8200", "64", "128B")), "ok.broken.0.fix.set", "[{\"field\":\"stride\",\"index\":0,\"value\":8208}]"},
        {CHECK(MAP("4100", "8200", "64", "128B")), "ok.broken.0.fix.keeps", "\"values\""},
        {CHECK(MAP("4100", "8200", "64", "128B")), "ok.repaired.0.stride", "[8208]"},
        {CHECK(MAP("4096", "8192", "128", "128B")), "ok.answer", "\"no\""},
        {CHECK(MAP("4096", "8192", "99999999999", "none")), "ok.answer", "\"no\""},
        {CHECK(MAP("4096", "\\\"18446744073709551615\\\"", "64", "none")), "error", "\"EINVAL\""},
    };
    for (size_t i = 0; i + 1 < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    mentions(*state, CHECK("{\"mode\":1,\"type\":9,\"rank\":1,\"address\":0,\"extent\":[1],\"stride\":[],\"box\":[1],\"step\":[1],\"interleave\":0,\"swizzle\":0,\"l2\":0,\"oob\":0}"), "message", "lower");
    mentions(*state, CHECK("{\"mode\":0,\"type\":9,\"rank\":2,\"address\":0,\"extent\":[1],\"stride\":[],\"box\":[1],\"step\":[1],\"interleave\":0,\"swizzle\":0,\"l2\":0,\"oob\":0}"), "message", "'extent' has 1 entries, and rank asks for 2");
}

#define IMAGES(mode, lower, upper, channels)                                                       \
    "{\"mode\":" mode ",\"type\":\"bf16\",\"rank\":4,\"address\":4096,\"extent\":[64,16,16,8],"         \
    "\"stride\":[128,2048,32768],\"lower\":" lower ",\"upper\":" upper ",\"channels\":" channels      \
    ",\"pixels\":64,\"step\":[1,1,1,1],\"interleave\":0,\"swizzle\":3,\"l2\":0,\"oob\":0"

/* Corners are signed; a wide map has one of each. */
static void columns(void **state)
{
    static const char *const rows[][3] = {
        {CHECK(IMAGES("\"im2col\"", "[-1,-1]", "[-1,-1]", "64") "}"), "ok", "{\"answer\":\"yes\",\"basis\":\"measured\",\"broken\":[],\"noted\":[],\"driver\":\"accepts\",\"driver_version\":\"580.159.04\",\"repaired\":[]}"},
        {CHECK(IMAGES("1", "[-1,-129]", "[-1,-1]", "64") "}"), "ok.broken.0.value", "-129"},
        {CHECK("{\"mode\":0,\"type\":-1,\"rank\":1,\"address\":0,\"extent\":[64],\"stride\":[],\"box\":[64],\"step\":[1],\"interleave\":0,\"swizzle\":0,\"l2\":0,\"oob\":0}"), "ok.broken.0.value", "-1"},
        {CHECK(IMAGES("1", "[-1,-129]", "[-1,-1]", "64") "}"), "ok.broken.0.bound", "[-128,127]"},
        {CHECK(IMAGES("1", "[-1,-129]", "[-1,-1]", "64") "}"), "ok.broken.0.relation", "\"range\""},
        {CHECK(IMAGES("1", "[-1,-129]", "[-1,-1]", "64") "}"), "ok.broken.0.index", "1"},
        {CHECK(IMAGES("1", "[-1,-1]", "[-1,-1]", "128") "}"), "ok.repaired.0.channels", "64"},
        {CHECK(IMAGES("1", "[-1,-1]", "[-1,-1]", "128") "}"), "ok.repaired.0.lower", "[-1,-1]"},
        {CHECK(IMAGES("1", "[-1,-1]", "[-1,-1]", "128") "}"), "ok.keeps", "\"all\""},
        {CHECK(IMAGES("1", "[-1,-1]", "[-1,-1]", "128") "}"), "ok.split", "2"},
        {CHECK(IMAGES("2", "-1", "[-1]", "64") ",\"wide_mode\":\"w128\"}"), "ok.answer", "\"no\""},
        {CHECK(IMAGES("2", "-1", "-1", "64") ",\"wide_mode\":0}"), "ok.broken.0.rule", "\"TMAP_WIDE_TARGET\""},
        {CHECK(IMAGES("2", "-1", "-1", "64") ",\"wide_mode\":0}"), "ok.driver", "\"accepts\""},
        {CHECK(IMAGES("1", "-1", "[-1,-1]", "64") "}"), "error", "\"EINVAL\""},
        {CHECK(IMAGES("1", "[-1]", "[-1,-1]", "64") "}"), "error", "\"EINVAL\""},
        {CHECK(IMAGES("2", "[-1,-1]", "-1", "64") "}"), "error", "\"EINVAL\""},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
}

#define REPAIR(extent, stride, box, type)                                                          \
    "{\"op\":\"tensormap.repair\",\"target\":\"sm_90a\",\"map\":{\"mode\":\"tiled\",\"type\":" type           \
    ",\"rank\":2,\"address\":4096,\"extent\":[" extent ",64],\"stride\":[" stride "],\"box\":[" box        \
    ",8],\"step\":[1,1],\"interleave\":0,\"swizzle\":3,\"l2\":0,\"oob\":0}}"

/* 4100 bf16 a row are re-pitched by 8 bytes; 128 of them under a span of 128 bytes are two issues. */
static void repairs(void **state)
{
    static const char *const rows[][3] = {
        {REPAIR("4100", "8200", "64", "9"), "ok.kind", "\"relayout\""},
        {REPAIR("4100", "8200", "64", "9"), "ok.pitch", "8"},
        {REPAIR("4100", "8200", "64", "9"), "ok.map.stride", "[8208]"},
        {REPAIR("4096", "8192", "128", "9"), "ok.kind", "\"split\""},
        {REPAIR("4096", "8192", "128", "9"), "ok.split", "2"},
        {REPAIR("4096", "8192", "128", "9"), "ok.map.box", "[64,8]"},
        {REPAIR("4096", "8192", "64", "9"), "ok.kind", "\"same\""},
        {REPAIR("4096", "8192", "4", "9"), "ok.kind", "\"bytes\""},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    mentions(*state, REPAIR("4096", "8192", "64", "17"), "none", "TMAP_TYPE_SM90");
    mentions(*state, REPAIR("0", "8192", "64", "9"), "none", "TMAP_EXTENT");
    says(*state, REPAIR("0", "8192", "64", "9"), "rule", "\"TMAP_EXTENT\"");
    says(*state, REPAIR("0", "8192", "64", "9"), "witness", "null");
}

#define UNDER(stride, facts)                                                                       \
    "{\"op\":\"tensormap.check\",\"target\":\"sm_90a\",\"map\":{\"mode\":\"tiled\",\"type\":\"bf16\",\"rank\":2," \
    "\"address\":4096,\"extent\":[64,64],\"stride\":[" stride "],\"box\":[64,8],\"step\":[1,1],"     \
    "\"interleave\":0,\"swizzle\":3,\"l2\":0,\"oob\":0},\"facts\":" facts "}"

#define BASE(address, facts)                                                                       \
    "{\"op\":\"tensormap.check\",\"target\":\"sm_100a\",\"map\":{\"mode\":0,\"type\":9,\"rank\":1," \
    "\"address\":" address ",\"extent\":[64],\"stride\":[],\"box\":[64],\"step\":[1],\"interleave\":0," \
    "\"swizzle\":0,\"l2\":0,\"oob\":0},\"facts\":" facts "}"

/* A text where a number stands elsewhere, under facts. */
static void maps_under_facts(void **state)
{
    static const char *const rows[][3] = {
        {UNDER("\"2*K\"", "[\"K mod 8 = 0\",\"64 <= K <= 65536\"]"), "ok.answer", "\"yes\""},
        {UNDER("\"2*K\"", "[\"K mod 8 = 0\",\"64 <= K <= 65536\"]"), "ok.driver", "\"accepts\""},
        {UNDER("\"2*K\"", "[\"K mod 8 = 4\"]"), "ok.answer", "\"no\""},
        {UNDER("\"2*K\"", "[\"K mod 8 = 4\"]"), "ok.broken.0.rule", "\"TMAP_STRIDE_16\""},
        {UNDER("\"2*K\"", "[\"K mod 8 = 4\"]"), "ok.driver", "\"refuses\""},
        {UNDER("\"2*K\"", "[\"64 <= K <= 65536\"]"), "ok.answer", "\"depends\""},
        {UNDER("\"2*K\"", "[\"64 <= K <= 65536\"]"), "ok.guard", "\"(K % 16 * 2) % 16 == 0\""},
        {UNDER("\"2*K\"", "[\"64 <= K <= 65536\"]"), "ok.driver", "\"unknown\""},
        {UNDER("128", "[]"), "ok.answer", "\"yes\""},
        {UNDER("\"K*K\"", "[]"), "error", "\"EINVAL\""},
        {UNDER("\"128\"", "[\"K\"]"), "error", "\"EINVAL\""},
        {BASE("\"K\"", "[\"0 <= K <= 4096\"]"), "ok.guard", "\"(K % 16) % 16 == 0\""},
        {BASE("\"K\"", "[\"-64 <= K <= 4096\"]"), "ok.guard", "\"K >= 0 && (K % 16) % 16 == 0\""},
        {BASE("\"-16\"", "[]"), "error", "\"EINVAL\""},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    mentions(*state, UNDER("\"128B\"", "[]"), "message", "'stride', entry 0");
    mentions(*state, BASE("\"-16\"", "[]"), "message", "'address'");
}

/* Any rank and any enumerator has a verdict. */
static void hostile_maps_are_no(void **state)
{
    static const char *const maps[] = {
        "{\"mode\":0,\"type\":9,\"rank\":0,\"address\":0,\"extent\":[],\"stride\":[],\"box\":[],\"step\":[],\"interleave\":0,\"swizzle\":0,\"l2\":0,\"oob\":0}",
        "{\"mode\":0,\"type\":9,\"rank\":6,\"address\":0,\"extent\":[8,8,8,8,8,8],\"stride\":[16,16,16,16,16],\"box\":[8,8,8,8,8,8],\"step\":[1,1,1,1,1,1],\"interleave\":0,\"swizzle\":0,\"l2\":0,\"oob\":0}",
        "{\"mode\":0,\"type\":99999999999,\"rank\":1,\"address\":0,\"extent\":[8],\"stride\":[],\"box\":[8],\"step\":[1],\"interleave\":0,\"swizzle\":0,\"l2\":0,\"oob\":0}",
        "{\"mode\":0,\"type\":9,\"rank\":1,\"address\":0,\"extent\":[8],\"stride\":[],\"box\":[8],\"step\":[1],\"interleave\":-5,\"swizzle\":77,\"l2\":9,\"oob\":3}",
        "{\"mode\":0,\"type\":9,\"rank\":2,\"address\":18446744073709551615,\"extent\":[18446744073709551615,0],\"stride\":[\"0xffffffffffffffff\"],\"box\":[\"18446744073709551615\",0],\"step\":[0,4294967296],\"interleave\":0,\"swizzle\":0,\"l2\":0,\"oob\":0}",
    };
    for (size_t i = 0; i < ZL_COUNT(maps); i++) {
        char line[600];
        snprintf(line, sizeof line, CHECK("%s"), maps[i]);
        says(*state, line, "ok.answer", "\"no\"");
        mentions(*state, line, "ok.broken.0.source", "");
    }
}

static void descriptors(void **state)
{
    static const char *const rows[][3] = {
        /* PTX ISA, "Matrix descriptor format": 16-byte units in bits 0-13, 16-29, 32-45; 128B is 1 in bits 62-63. */
        {"{\"op\":\"smemdesc.pack\",\"target\":\"sm_90a\",\"start\":1024,\"lbo\":16,\"sbo\":1024,\"swizzle\":\"128B\"}", "ok", "\"0x4000004000010040\""},
        {"{\"op\":\"smemdesc.pack\",\"target\":\"sm_90a\",\"start\":0,\"lbo\":128,\"sbo\":256,\"swizzle\":\"none\"}", "ok", "\"0x0000001000080000\""},
        {"{\"op\":\"smemdesc.pack\",\"target\":\"sm_90a\",\"start\":0,\"lbo\":0,\"sbo\":0,\"swizzle\":\"64B\",\"base_offset\":5}", "ok", "\"0x800a000000000000\""},
        {"{\"op\":\"smemdesc.pack\",\"target\":\"sm_90a\",\"start\":8,\"lbo\":16,\"sbo\":1024,\"swizzle\":\"128B\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"smemdesc.pack\",\"target\":\"sm_100\",\"start\":0,\"lbo\":16,\"sbo\":1024,\"swizzle\":\"128B\"}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"smemdesc.unpack\",\"target\":\"sm_90a\",\"desc\":\"0x4000004000010040\"}", "ok",
         "{\"start\":1024,\"lbo\":16,\"sbo\":1024,\"base_offset\":0,\"swizzle\":\"128B\",\"reserved\":\"0x0000000000000000\"}"},
        {"{\"op\":\"smemdesc.unpack\",\"target\":\"sm_90a\",\"desc\":\"0xFFFFFFFFFFFFFFFF\"}", "ok.reserved", "\"0x3ff1c000c000c000\""},
        /* A 64 x 64 K-major tile in 128-byte rows: eight rows are 1024 bytes, a K step is 32 bytes. */
        {"{\"op\":\"smemdesc.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"major\":\"K\",\"layout\":\"(64,64):(64,1)\",\"swizzle\":\"128B\",\"mma\":[64,16],\"address\":1024}",
         "ok", "{\"lbo\":null,\"sbo\":64,\"base_offset\":0,\"swizzle\":\"128B\",\"swizzle_mode\":1,\"step\":[0,32,64,96],"
               "\"desc\":[\"0x4000004000010040\",\"0x4000004000010042\",\"0x4000004000010044\",\"0x4000004000010046\"]}"},
        {"{\"op\":\"smemdesc.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"major\":\"K\",\"layout\":\"Sw<3,3,3> o 0 o (64,64):(64,1)\",\"mma\":[64,16],\"address\":1024}",
         "ok.swizzle", "\"128B\""},
        {"{\"op\":\"smemdesc.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"major\":\"K\",\"layout\":\"Sw<3,3,3> o 0 o (64,64):(64,1)\",\"swizzle\":null,\"pattern\":\"any\",\"mma\":[64,16],\"address\":1152}",
         "ok.base_offset", "1"},
        {"{\"op\":\"smemdesc.synth\",\"target\":\"sm_100a\",\"type\":\"tf32\",\"major\":\"MN\",\"layout\":\"Sw<2,3,2> o 0 o (32,8):(1,32)\",\"mma\":[32,8],\"address\":0}",
         "ok.swizzle", "\"128B_base32B\""},
        {"{\"op\":\"fragment.synth\",\"layout\":\"((4,8),(2,2)):((32,1),(16,8))\",\"bits\":32}", "ok.fragments.0.fragment", "\"D\""},
        {"{\"op\":\"fragment.synth\",\"layout\":\"((4,8),(2,2)):((32,1),(16,4))\"}", "ok", NULL},
        {"{\"op\":\"tmem.synth\",\"layout\":\"256 o ((16,4),64):((65536,2097152),1)\"}", "ok.layouts.0.shape", "\"path_c\""},
        {"{\"op\":\"tmem.synth\",\"layout\":\"(128,64):(65537,1)\"}", "ok", NULL},
        {"{\"op\":\"smemdesc.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"major\":\"K\",\"layout\":\"(64,64):(65,1)\",\"swizzle\":\"128B\",\"mma\":[64,16],\"address\":1024}", "ok", NULL},
        {"{\"op\":\"smemdesc.pack\",\"target\":\"sm_100a\",\"start\":0,\"lbo\":16,\"sbo\":1024,\"swizzle\":\"128B\"}", "ok", "\"0x4000404000010000\""},
        {"{\"op\":\"smemdesc.unpack\",\"target\":\"sm_103a\",\"desc\":\"0x2010404000010040\"}", "ok",
         "{\"start\":1024,\"lbo\":16,\"sbo\":1024,\"base_offset\":0,\"swizzle\":\"128B_base32B\",\"lbo_mode\":\"absolute\",\"reserved\":\"0x0000000000000000\"}"},
        {"{\"op\":\"idesc.pack\",\"kind\":\"f16\",\"a\":\"bf16\",\"b\":\"bf16\",\"d\":\"f32\",\"m\":128,\"n\":256}", "ok", "\"0x08400490\""},
        {"{\"op\":\"idesc.pack\",\"kind\":\"f16\",\"a\":\"bf16\",\"b\":\"bf16\",\"d\":\"f32\",\"m\":128,\"n\":260}", "error", "\"EINVAL\""},
        {"{\"op\":\"idesc.pack\",\"kind\":\"f16\",\"a\":\"bf16\",\"b\":\"bf16\",\"d\":\"f32\",\"m\":null,\"n\":256}", "error", "\"EINVAL\""},
        {"{\"op\":\"idesc.pack\",\"kind\":\"f16\",\"a\":\"bf16\",\"b\":\"bf16\",\"d\":\"f32\",\"m\":128,\"n\":256,\"sf_a_id\":0}", "error", "\"EINVAL\""},
        {"{\"op\":\"idesc.unpack\",\"kind\":\"mxf4nvf4\",\"desc\":\"0x08300480\"}", "ok",
         "{\"kind\":\"mxf4nvf4\",\"a\":\"e2m1\",\"b\":\"e2m1\",\"d\":\"f32\",\"a_major\":\"K\",\"b_major\":\"K\",\"m\":128,\"n\":192,\"sparse\":0,\"negate_a\":0,\"negate_b\":0,\"sf_a_id\":0,\"sf_b_id\":0,\"scale_type\":\"ue4m3\",\"reserved\":\"0x00000000\"}"},
        {"{\"op\":\"tmem.layout\",\"shape\":\"path_f\",\"size\":64,\"address\":\"0x100\"}", "ok", "\"256 o ((16,4),64):((65536,2097152),1)\""},
        {"{\"op\":\"tmem.layout\",\"shape\":\"path_f\",\"size\":12}", "ok", NULL},
        {"{\"op\":\"tmem.layout\",\"shape\":\"path_h\",\"size\":16}", "error", "\"EINVAL\""},
        {"{\"op\":\"tmem.issue\",\"target\":\"sm_100a\",\"instruction\":\"ld\",\"shape\":\"32x32b\",\"num\":32,\"warp\":2,\"address\":\"0x00400000\"}", "ok.answer", "\"yes\""},
        {"{\"op\":\"tmem.issue\",\"target\":\"sm_100a\",\"instruction\":\"ld\",\"shape\":\"32x32b\",\"num\":32,\"warp\":1,\"address\":\"0x00400000\"}", "ok.answer", "\"no\""},
        {"{\"op\":\"tmem.issue\",\"target\":\"sm_100a\",\"instruction\":\"dealloc\",\"columns\":96}", "ok.answer", "\"no\""},
        {"{\"op\":\"idesc.check\",\"target\":\"sm_100a\",\"kind\":\"f16\",\"desc\":\"0x06200010\"}", "ok.answer", "\"no\""},
        /* 64 values in slots are two rows of 32 bytes, so lbo is read; packed, they are one. */
        {"{\"op\":\"smemdesc.synth\",\"target\":\"sm_100a\",\"type\":\"b4x16_p64\",\"major\":\"K\",\"layout\":\"((8,8),(32,2)):((32,256),(1,4096))\",\"swizzle\":\"32B\",\"mma\":[64,64],\"address\":0}", "ok.lbo", "256"},
        {"{\"op\":\"smemdesc.synth\",\"target\":\"sm_100a\",\"type\":\"e2m1\",\"major\":\"K\",\"layout\":\"((8,8),64):((64,512),1)\",\"swizzle\":\"32B\",\"mma\":[64,64],\"address\":0}", "ok.lbo", "null"},
        {"{\"op\":\"smemdesc.synth\",\"target\":\"sm_100a\",\"type\":\"e2m1\",\"major\":\"K\",\"layout\":\"Sw<3,5,3> o 0 o (64,256):(256,1)\",\"mma\":[64,64],\"address\":0}", "ok.swizzle", "\"128B\""},
        {"{\"op\":\"smemdesc.synth\",\"target\":\"sm_103a\",\"type\":\"e2m1\",\"major\":\"K\",\"layout\":\"((8,8),96):((64,512),1)\",\"swizzle\":\"32B\",\"mma\":[64,96],\"address\":0}", "error", "\"ENOTSUP\""},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    mentions(*state, rows[3][0], "message", "DESC_START_16");
    mentions(*state, rows[15][0], "none", "(");
    mentions(*state, "{\"op\":\"idesc.pack\",\"kind\":\"mxf4\",\"a\":\"e2m1\",\"b\":\"e2m1\",\"d\":\"f32\",\"m\":128,\"n\":48,\"k\":64}", "message", "'k'");
}

static void matrix_instructions(void **state)
{
    char line[200];
    for (int n = 0; n <= 272; n += 4) {
        bool legal = n >= 8 && n <= 256 && n % 8 == 0;
        snprintf(line, sizeof line, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":%d,\"k\":16}", n);
        says(*state, line, "ok.answer", legal ? "\"yes\"" : "\"no\"");
    }
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90\",\"instruction\":\"wgmma\",\"m\":64,\"n\":8,\"k\":16}", "ok.answer", "\"no\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":8,\"k\":16,\"a_major\":\"MN\",\"b_major\":\"K\"}", "ok.answer", "\"yes\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"mfma\",\"m\":64,\"n\":8,\"k\":16}", "ok.answer", "\"no\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"gfx942\",\"instruction\":\"mfma\",\"kind\":\"f16\",\"m\":32,\"n\":32,\"k\":8}", "ok.answer", "\"yes\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"gfx942\",\"instruction\":\"mfma\",\"a\":\"e4m3fnuz\",\"b\":\"e5m2fnuz\",\"m\":16,\"n\":16,\"k\":32}", "ok.answer", "\"yes\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"gfx942\",\"instruction\":\"mfma\",\"a\":\"e4m3\",\"m\":16,\"n\":16,\"k\":32}", "ok.answer", "\"yes\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"gfx942\",\"instruction\":\"mfma\",\"a\":\"e4m3\",\"b\":\"e5m2\",\"m\":16,\"n\":16,\"k\":32}", "ok.answer", "\"yes\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"gfx942\",\"instruction\":\"mfma\",\"a\":\"e4m3\",\"b\":\"e5m2\",\"m\":16,\"n\":16,\"k\":16}", "ok.answer", "\"no\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"gfx950\",\"instruction\":\"mfma\",\"a\":\"e4m3fnuz\",\"m\":16,\"n\":16,\"k\":32}", "ok.answer", "\"no\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"gfx90a\",\"instruction\":\"mfma\",\"a\":\"e4m3\",\"m\":16,\"n\":16,\"k\":32}", "ok.answer", "\"no\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"gfx950\",\"instruction\":\"mfma\",\"a\":\"e2m1\",\"b\":\"e3m2\",\"scale_vec\":\"block32\",\"m\":16,\"n\":16,\"k\":128}", "ok.answer", "\"yes\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"gfx90a\",\"instruction\":\"mfma\",\"kind\":\"s8\",\"m\":4,\"n\":4,\"k\":4,\"blocks\":16}", "ok.answer", "\"yes\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":8,\"k\":16,\"a\":\"f16\"}", "ok.answer", "\"yes\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":40,\"k\":32,\"a\":\"s8\",\"b\":\"u8\"}", "ok.broken.0.rule", "\"WGMMA_N_16\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":64,\"kind\":\"e4m3\",\"b\":\"e5m2\",\"sparse\":true,\"d\":\"f16\"}", "ok.answer", "\"yes\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":32,\"a\":\"s8\",\"saturate\":true}", "ok.answer", "\"yes\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":32,\"a\":\"e4m3\",\"saturate\":true}", "ok.broken.0.rule", "\"WGMMA_SATURATE_INT\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":256,\"a\":\"b1\",\"bit_op\":\"xor\"}", "ok.broken.0.field", "\"bit_op\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":16,\"a_source\":\"reg\",\"a_major\":\"MN\"}", "ok.broken.0.field", "\"a_major\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":16,\"a_source\":\"tmem\"}", "ok.broken.0.field", "\"a_source\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":16,\"scale_vec\":null,\"collector\":null,\"cta_group\":1,\"ws\":false,\"ashift\":0,\"blocks\":1,\"negate_a\":true,\"strict\":true}", "ok.answer", "\"yes\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":16,\"cta_group\":0}", "error", "\"EINVAL\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":true}", "error", "\"EINVAL\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":16,\"kind\":\"mxf4\",\"a\":\"bf16\"}", "ok.broken.0.rule", "\"WGMMA_KIND\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":32,\"sparse\":true,\"ptx\":\"8.1\"}", "ok.broken.0.value", "81");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":32,\"sparse\":true,\"ptx\":8.2}", "ok.answer", "\"yes\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":32,\"sparse\":true,\"ptx\":9}", "ok.answer", "\"yes\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":32,\"ptx\":0}", "error", "\"EINVAL\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":16,\"collector\":\"b2::use\"}", "ok.broken.0.value", "\"b2::use\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":8,\"a\":\"tf32\",\"b\":\"f16\"}", "ok.broken.0.bound", "\"tf32\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":8,\"a\":\"tf32\",\"a_major\":\"MN\"}", "ok.broken.0.fix", "{\"text\":\"set a_major to K\",\"keeps\":\"bytes\",\"set\":[{\"field\":\"a_major\",\"index\":null,\"value\":\"K\"}],\"split\":1}");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":128,\"n\":48,\"k\":16}", "ok.broken.0.fix.text", "\"set m to 64 and issue 2 instructions\"");
    says(*state, "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":48,\"k\":16,\"fast\":true}", "error", "\"EINVAL\"");
    says(*state, "{\"op\":\"mma.fragment\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":16,\"k\":16,\"fragment\":\"D\"}", "ok", "\"((4,8,4),(2,2,2)):((128,1,16),(64,8,512))\"");
    says(*state, "{\"op\":\"warp.fragment\",\"fragment\":\"A\",\"bits\":16,\"registers\":4}", "ok", "\"((4,8),(2,2,2)):((32,1),(16,8,128))\"");
    says(*state, "{\"op\":\"warp.fragment\",\"fragment\":\"C\",\"bits\":16,\"registers\":4}", "error", "\"EINVAL\"");
    says(*state, "{\"op\":\"smemdesc.layout\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"major\":\"K\",\"start\":1024,\"lbo\":16,\"sbo\":1024,\"swizzle\":\"128B\",\"mn\":64,\"k\":16}", "ok", "\"Sw<3,4,3> o 1024 o ((8,8),16):((128,1024),2)\"");
    says(*state, "{\"op\":\"smemdesc.advance\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"major\":\"K\",\"start\":1024,\"lbo\":16,\"sbo\":1024,\"swizzle\":\"128B\",\"mn\":64,\"k\":16,\"at\":[64,48]}", "ok", "8288");
    says(*state, "{\"op\":\"smemdesc.advance\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"major\":\"K\",\"start\":1024,\"lbo\":16,\"sbo\":1024,\"swizzle\":\"128B\",\"mn\":64,\"k\":16,\"at\":[64]}", "error", "\"EINVAL\"");
}

/* A lane's address is `step` times its number; `lanes` of 32 or 64 are active. */
static void bank_line(char *line, const char *target, const char *instruction, int step, int lanes)
{
    size_t length = (size_t)sprintf(line, "{\"op\":\"bank.count\",\"target\":\"%s\",\"instruction\":\"%s\",\"addresses\":[", target, instruction);
    for (int i = 0; i < (strncmp(target, "gfx9", 4) ? 32 : 64); i++)
        length += i < lanes ? (size_t)sprintf(line + length, "%s%lld", i ? "," : "", (long long)step * i)
                            : (size_t)sprintf(line + length, ",null");
    strcpy(line + length, "]}");
}

static void banks(void **state)
{
    static const struct { const char *target, *instruction; int step, lanes; const char *wavefronts, *ideal, *distinct; } rows[] = {
        {"sm_90", "ld.shared.b32", 4, 32, "1", "1", "1"},     {"sm_90", "ld.shared.f32", 8, 32, "2", "1", "1"},
        {"sm_90", "ld.shared.u32", 128, 32, "32", "1", "1"},  {"sm_90", "ld.shared.b32", 0, 32, "1", "1", "1"},
        {"sm_90", "ld.shared.b64", 8, 32, "2", "1", "2"},     {"sm_90", "ld.shared.v2.b32", 8, 32, "2", "1", "2"},
        {"sm_90a", "ld.shared.v4.b32", 16, 32, "4", "2", "4"}, {"sm_90", "ld.shared.v4.b32", 0, 32, "2", "2", "4"},
        {"sm_90", "ldmatrix.x4", 16, 32, "4", "4", "4"},      {"sm_90", "ldmatrix.x1", 128, 8, "8", "1", "1"},
        {"sm_90", "ldmatrix.x1", 16, 8, "1", "1", "1"},       {"sm_90", "st.shared.b128", 16, 32, "4", "4", "4"},
        {"sm_90", "ld.shared.b16", 2, 32, "1", "1", "1"},     {"sm_120f", "ld.shared.b8", 128, 32, "32", "1", "1"},
        {"gfx942", "ds_read_b128", 64, 64, "32", "8", "8"},   {"gfx950", "ds_load_b128", 16, 64, "4", "4", "4"},
        {"gfx942", "ds_read2_b64", 8, 64, "8", "8", "8"},
    };
    char line[900];
    for (size_t i = 0; i < ZL_COUNT(rows); i++) {
        bank_line(line, rows[i].target, rows[i].instruction, rows[i].step, rows[i].lanes);
        says(*state, line, "ok.wavefronts", rows[i].wavefronts);
        says(*state, line, "ok.ideal", rows[i].ideal);
        says(*state, line, "ok.distinct", rows[i].distinct);
        says(*state, line, "ok.race", NULL);
    }
    bank_line(line, "sm_90", "st.shared.b32", 0, 32);
    says(*state, line, "ok.race", "true");
    says(*state, line, "ok.basis", "\"measured\"");
    bank_line(line, "sm_90", "ld.shared.v4.b32", 16, 32);
    says(*state, line, "ok.phases", "[[0,1,2,3,4,5,6,7],[8,9,10,11,12,13,14,15],[16,17,18,19,20,21,22,23],[24,25,26,27,28,29,30,31]]");
}

static void banks_refused(void **state)
{
    static const struct { const char *target, *instruction; int step, lanes; const char *key, *has; } rows[] = {
        {"sm_90", "ld.shared.v4.b32", 8, 32, "message", "lane 1 is off 16 bytes"}, {"sm_90", "ldmatrix.x1", 16, 32, "message", "lanes 0 to 7"},
        {"sm_90", "ldmatrix.x2", 16, 12, "message", "lane 12"},                    {"sm_999", "ld.shared.b32", 4, 32, "error", "EINVAL"},
        {"sm_90", "ld.global.b32", 4, 32, "message", "instruction"},               {"sm_100", "ld.shared.b64", 8, 32, "undecided", "sm_100"},
        {"gfx90a", "ds_read_b32", 4, 64, "undecided", "gfx90a"},                   {"sm_80", "stmatrix.x1", 16, 8, "none", "sm_80 has no stmatrix.x1"},
        {"gfx942", "ld.shared.b32", 4, 64, "none", "gfx942"},                      {"sm_90", "ld.shared.b32", 1 << 28, 32, "message", "addresses"},
    };
    char line[900];
    for (size_t i = 0; i < ZL_COUNT(rows); i++) {
        bank_line(line, rows[i].target, rows[i].instruction, rows[i].step, rows[i].lanes);
        mentions(*state, line, rows[i].key, rows[i].has);
    }
    bank_line(line, "gfx1250", "ds_load_b32", 4, 33);
    mentions(*state, line, "undecided", "gfx1250");
    line[strlen(line) - 1] = 0;
    strcat(line, ",\"offset0\":1}");
    mentions(*state, line, "message", "offset0");
}

/* Both addresses count in elements from the lane's own: 16 lanes of 8 bytes are one wavefront, of one address another. */
static void banks_of_two_addresses(void **state)
{
    static const struct { const char *instruction, *offsets, *wavefronts, *race; } rows[] = {
        {"ds_read2_b64", ",\"offset1\":1", "8", NULL},
        {"ds_read2_b64", ",\"offset0\":3,\"offset1\":255", "8", NULL},
        {"ds_read2st64_b64", ",\"offset0\":0,\"offset1\":2", "8", NULL},
    };
    char line[900];
    for (size_t i = 0; i < ZL_COUNT(rows); i++) {
        bank_line(line, "gfx942", rows[i].instruction, 8, 64);
        line[strlen(line) - 1] = 0;
        strcat(strcat(line, rows[i].offsets), "}");
        says(*state, line, "ok.wavefronts", rows[i].wavefronts);
        says(*state, line, "ok.race", rows[i].race);
    }
    bank_line(line, "gfx942", "ds_read2_b64", 8, 64);
    line[strlen(line) - 1] = 0;
    strcat(line, ",\"offset1\":256}");
    mentions(*state, line, "message", "offset1");
}

static void rules(void **state)
{
    zlay_rule rule;
    char line[200];
    for (size_t i = 0; zlay_rule_at(&rule, i) == ZLAY_OK; i++) {
        snprintf(line, sizeof line, "{\"op\":\"rule.explain\",\"rule\":\"%s\"}", rule.id);
        mentions(*state, line, "ok.text", rule.text);
        mentions(*state, line, "ok.source", rule.source);
    }
    mentions(*state, "{\"op\":\"rule.explain\",\"rule\":\"NO\\nSUCH\"}", "none", "NO\\x0aSUCH");
}

/* ---- plans ----------------------------------------------------------------------------- */

#define PLAN "{\"op\":\"plan.gemm\",\"target\":\"sm_90a\",\"m\":4096,\"n\":4096,\"k\":4096"
static void plans(void **state)
{
    static const char *const rows[][3] = {
        {PLAN ",\"tile\":[128,256,64],\"stages\":4}", "ok.bytes", "49152"}, /* (128 + 256) * 64 * 2 */
        {PLAN ",\"tile\":[128,256,64],\"stages\":4}", "ok.tiles", "[32,16,64]"},
        {PLAN ",\"tile\":[128,256,64],\"stages\":4}", "ok.maps.0.box", "[64,128]"},
        {PLAN ",\"tile\":[128,256,64],\"stages\":4}", "ok.maps.1.box", "[64,256]"},
        {PLAN ",\"tile\":[128,256,64],\"stages\":4}", "ok.maps.0.stride", "[8192]"},
        {PLAN ",\"tile\":[128,256,64],\"stages\":4}", "ok.copies.0.kind", "\"tensor_load\""},
        {PLAN ",\"lda\":4100}", "ok.copies.0.kind", "\"cp_async\""},
        {PLAN ",\"lda\":4100}", "ok.copies.0.width", "8"},
        {PLAN ",\"lda\":4098}", "ok.copies.0.width", "4"},
        {PLAN ",\"lda\":4097}", "ok.copies.0.kind", "\"thread_load\""},
        {PLAN ",\"a_major\":\"MN\"}", "ok.maps.0.box.1", "64"},
        {PLAN ",\"a_major\":\"MN\",\"a_order\":\"row\"}", "error", "\"EINVAL\""},
        {PLAN ",\"lda\":4095}", "error", "\"EINVAL\""},
        {PLAN ",\"lda\":0}", "error", "\"EINVAL\""},
        {PLAN ",\"tile\":[128,256]}", "error", "\"EINVAL\""},
        {PLAN ",\"b_order\":\"diagonal\"}", "error", "\"EINVAL\""},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    mentions(*state, PLAN ",\"lda\":4100}", "ok.ladder", "TMAP_STRIDE_16");
    mentions(*state, PLAN "}", "ok.pipe", "pipe gemm");
}

/* Certificates and the pipe of a plan are decided again by the operations themselves. */
static void plans_prove_themselves(void **state)
{
    json_t *plan = ask(*state, PLAN "}"), *pairs = at(plan, "ok.certificates");
    assert_int_equal(json_array_size(pairs), 6);
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        json_t *request = json_deep_copy(json_array_get(pairs, i));
        json_object_set_new(request, "op", json_string("layout.equal"));
        char *line = json_dumps(request, 0);
        says(*state, line, "ok", "{\"equal\":true}");
        free(line);
        json_decref(request);
    }
    json_t *request = json_pack("{s:s, s:O, s:b}", "op", "pipe.verify", "pipe", at(plan, "ok.pipe"), "proof", 1);
    char *line = json_dumps(request, 0);
    says(*state, line, "ok.answer", "\"yes\"");
    mentions(*state, line, "ok.proof", "schedule");
    free(line);
    json_decref(request);
    json_decref(plan);
}

static void pipes_are_refuted(void **state)
{
    json_t *plan = ask(*state, PLAN "}");
    char *text = strdup(json_string_value(at(plan, "ok.pipe"))), *found = strstr(text, "expect full");
    assert_non_null(found);
    memcpy(strchr(found, ']') + 2, "1", 1); /* 49152 becomes 19152, or the like */
    json_t *request = json_pack("{s:s, s:s}", "op", "pipe.verify", "pipe", text);
    char *line = json_dumps(request, 0);
    says(*state, line, "ok.answer", "\"no\"");
    mentions(*state, line, "ok.broken.0.rule", "bytes");
    free(line);
    json_decref(request);
    json_decref(plan);
    free(text);
    says(*state, "{\"op\":\"pipe.verify\",\"pipe\":\"pipe\"}", "error", "\"EINVAL\"");
}

/* Rows of 42 bytes go to a pitch of 48: 9 chunks of 16 bytes. A matrix of 64 x 48 turned is 1 x 1 tiles of 64 x 64. */
static void copies(zlay_ctx *ctx)
{
#define COPY "{\"op\":\"emit\",\"target\":\"sm_90a\",\"name\":\"k1\",\"elem_bits\":16"
#define RAGGED COPY ",\"what\":\"copy\",\"src\":\"(21,3):(1,21)\",\"dst\":\"(21,3):(1,24)\",\"dst_align\":16"
#define TURNED COPY ",\"what\":\"transpose\",\"src_align\":16,\"dst_align\":16,\"src\":\"(64,48):(1,64)\",\"dst\":"
    static const char *const rows[][3] = {
        {RAGGED "}", "ok.path", "\"realign\""},
        {RAGGED "}", "ok.width", "16"},
        {RAGGED "}", "ok.blocks", "1"},
        {RAGGED "}", "ok.arguments", "[{\"name\":\"ptr_source\",\"type\":\"u64\",\"bytes\":8},{\"name\":\"ptr_dest\",\"type\":\"u64\",\"bytes\":8}]"},
        {RAGGED ",\"path\":\"threads\"}", "ok.width", "2"},
        {RAGGED ",\"path\":\"threads\",\"threads\":64}", "ok.threads", "64"},
        {RAGGED ",\"path\":\"tensor\"}", "error", "\"EINVAL\""},
        {RAGGED ",\"m\":3}", "error", "\"EINVAL\""},
        {RAGGED ",\"ptx\":\"1.0\"}", "error", "\"ENOTSUP\""},
        {COPY ",\"what\":\"copy\",\"src\":\"8:1\"}", "error", "\"EINVAL\""},
        {COPY ",\"what\":\"copy\",\"src\":\"8:1\",\"dst\":\"8:0\"}", "ok", NULL},
        {TURNED "\"(48,64):(1,48)\"}", "ok.path", "\"matrix\""},
        {TURNED "\"(48,64):(1,48)\"}", "ok.static_smem", "16384"},
        {TURNED "\"(48,64):(64,1)\"}", "ok.path", "\"threads\""},
        {TURNED "\"(64,48):(1,64)\"}", "error", "\"EINVAL\""},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(ctx, rows[i][0], rows[i][1], rows[i][2]);
    mentions(ctx, rows[10][0], "none", "indices 0 and 1");
    mentions(ctx, rows[0][0], "ok.text", ".visible .entry k1(");
}

static void texts(void **state)
{
#define KERNEL "{\"op\":\"emit\",\"target\":\"sm_90a\",\"what\":\"pipe\",\"name\":\"k1\",\"unchecked\":true,\"pipe\":"
#define FED KERNEL "\"pipe p\\nparam N 0..\\nmove tA 16384\\nsmem A[1] tA\\nbar f[1] count 1\\nrole r warps 0..0 elect\\n" \
    "for i in 0..N\\ncopy tensor tA -> A[0] signal f[0]\\nend\\nend\""
#define TILES "{\"type\":\"bf16\",\"source\":\"(1024,640):(640,1)\",\"tile\":[128,64],\"smem\":\"Sw<3,3,3> o 0 o (128,64):(64,1)\"}"
#define TIMES KERNEL "\"pipe p\\nsmem A[1] 16384\\nsmem B[1] 16384\\nrole r warps 0..3\\nmma A[0], B[0] -> C fresh\\nend\""
#define OPERAND(smem) "{\"smem\":\"" smem "\",\"type\":\"s8\",\"major\":\"K\",\"swizzle\":\"128B\",\"layout\":\"(128,128):(128,1)\"}"
#define PIPED "{\"op\":\"emit\",\"target\":\"sm_90a\",\"what\":\"pipe\",\"name\":\"k1\",\"unchecked\":true,\"pipe\":" \
    "\"pipe p\\nsmem A[1] 64\\nrole r warps 0..0\\nwrite A[0]\\nsync role\\nread A[0]\\nend\""
#define EMIT "{\"op\":\"emit\",\"target\":\"sm_90a\",\"name\":\"k1\",\"m\":512,\"n\":512,\"k\":512"
    static const char *const rows[][3] = {
        {EMIT ",\"what\":\"gemm\"}", "ok.language", "\"ptx\""},
        {EMIT ",\"what\":\"gemm\"}", "ok.arguments.0", "{\"name\":\"tensor_a\",\"type\":\"CUtensorMap\",\"bytes\":128}"},
        {EMIT ",\"what\":\"gemm\"}", "ok.cluster", "[1,1,1]"},
        {EMIT ",\"what\":\"header\"}", "ok.language", "\"cuda\""},
        {EMIT ",\"what\":\"header\"}", "ok.ptx", "null"},
        {EMIT ",\"what\":\"poem\"}", "error", "\"ENOTSUP\""},
        {PIPED "}", "ok.threads", "32"},
        {PIPED "}", "ok.smem", "128"},
        {PIPED "}", "ok.arguments.2", "{\"name\":\"out_A\",\"type\":\"u64\",\"bytes\":8}"},
        {PIPED ",\"language\":\"cuda\"}", "ok.ptx", "null"},
        {PIPED ",\"fragments\":[{\"line\":4,\"text\":\"\"},{\"line\":6,\"text\":\"\"}]}", "ok.arguments.0", NULL},
        {PIPED ",\"fragments\":[{\"line\":3,\"text\":\"\"}]}", "error", "\"EINVAL\""},
        {PIPED ",\"language\":\"c\"}", "error", "\"EINVAL\""},
        {FED ",\"moves\":[{\"name\":\"tA\",\"axis\":[\"block\",\"i\"],\"plan\":" TILES "}]}", "ok.arguments.0",
         "{\"name\":\"map_tA_0\",\"type\":\"CUtensorMap\",\"bytes\":128}"},
        {FED ",\"moves\":[{\"name\":\"tB\",\"axis\":[],\"plan\":" TILES "}]}", "error", "\"EINVAL\""},
        {FED ",\"moves\":[{\"name\":\"tA\",\"axis\":[\"k\"],\"plan\":" TILES "}]}", "error", "\"ENOTSUP\""},
        {FED ",\"moves\":[{\"name\":\"tA\",\"axis\":[],\"plan\":7}]}", "error", "\"EINVAL\""},
        {TIMES ",\"operands\":[" OPERAND("A") "," OPERAND("B") "]}", "ok.threads", "128"},
        {TIMES ",\"operands\":[" OPERAND("A") "]}", "error", "\"ENOTSUP\""},
        {TIMES ",\"operands\":[" OPERAND("C") "]}", "error", "\"EINVAL\""},
        {PIPED ",\"tile\":[1]}", "error", "\"EINVAL\""},
        {EMIT ",\"what\":\"gemm\",\"ptx\":\"1.0\"}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"emit\",\"target\":\"sm_90a\",\"name\":\"k 1\",\"what\":\"gemm\",\"m\":512,\"n\":512,\"k\":512}", "error", "\"EINVAL\""},
        {"{\"op\":\"emit\",\"target\":\"sm_90a\",\"name\":\"while\",\"what\":\"gemm\",\"m\":512,\"n\":512,\"k\":512}", "error", "\"EINVAL\""},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    copies(*state);
    mentions(*state, rows[0][0], "ok.text", ".visible .entry k1(");
    mentions(*state, rows[3][0], "ok.text", "zl_k1_");
    json_t *answer = ask(*state, rows[0][0]);
    char version[40];
    snprintf(version, sizeof version, ".version %s\n", json_string_value(at(answer, "ok.ptx")));
    assert_non_null(strstr(json_string_value(at(answer, "ok.text")), version));
    json_decref(answer);
}

/* The examples of zlay/cluster.h. */
static void clusters(void **state)
{
#define TILE "{\"op\":\"cluster.multicast\",\"target\":\"sm_90a\",\"map\":{\"mode\":\"tiled\",\"type\":\"bf16\",\"rank\":2,\"address\":0," \
    "\"extent\":[4096,4096],\"stride\":[8192],\"box\":[64,64],\"step\":[1,1],\"interleave\":0,\"swizzle\":3,\"l2\":0,\"oob\":0},\"cluster\":4"
#define TURN "{\"op\":\"cluster.exchange\",\"src\":\"f2{thread: (1); block: (2) -> tensor: 4}\",\"dst\":"
    static const char *const rows[][3] = {
        {TILE ",\"coordinates\":[64,128]}", "ok.bytes", "8192"},
        {TILE ",\"coordinates\":[64,128]}", "ok.map.box", "[64,16]"},
        {TILE ",\"coordinates\":[64,128]}", "ok.copies.3", "{\"cta\":3,\"coordinates\":[64,176],\"smem\":6144,\"bytes\":2048,\"cta_mask\":15}"},
        {TILE ",\"coordinates\":[64,128]}", "ok.copies.4", NULL},
        {TILE ",\"coordinates\":[64,128],\"cta_mask\":10}", "ok.copies.1", "{\"cta\":3,\"coordinates\":[64,160],\"smem\":4096,\"bytes\":4096,\"cta_mask\":10}"},
        {TILE ",\"coordinates\":[64]}", "error", "\"EINVAL\""},
        {TURN "\"f2{thread: (2); block: (1) -> tensor: 4}\"}", "ok.crossing", "2"},
        {TURN "\"f2{thread: (2); block: (1) -> tensor: 4}\"}", "ok.wanted", "4"},
        {TURN "\"f2{thread: (2); block: (1) -> tensor: 4}\"}", "ok.partners", "[1]"},
        {TURN "\"f2{thread: (1); block: (2) -> tensor: 4}\"}", "ok.crossing", "0"},
        {TURN "\"f2{thread: (1); block: (2) (1) -> tensor: 4}\"}", "error", "\"EINVAL\""},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    mentions(*state, TILE ",\"coordinates\":[4,0]}", "none", "COPY_COORDINATE_16");
}

static void what_there_is(void **state)
{
    json_t *answer = ask(*state, "{\"op\":\"zlay\"}");
    size_t count = 0;
    for (; zl_op_at(count); count++)
        assert_non_null(json_object_get(at(answer, "ok.ops"), zl_op_at(count)->name));
    assert_int_equal(json_object_size(at(answer, "ok.ops")), count);
    assert_string_equal(json_string_value(at(answer, "ok.version")), zlay_version());
    assert_int_equal(json_integer_value(at(answer, "ok.rules_version")), zlay_rules_version());
    assert_int_equal(json_integer_value(at(answer, "ok.limits.nesting")), 64);
    bool found = false;
    for (size_t i = 0; i < json_array_size(at(answer, "ok.targets")); i++)
        found |= !strcmp(json_string_value(json_array_get(at(answer, "ok.targets"), i)), "sm_90a");
    assert_true(found);
    json_decref(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(symbols, setup, teardown),
        cmocka_unit_test_setup_teardown(operations_that_make_pieces, setup, teardown),
        cmocka_unit_test_setup_teardown(hierarchies, setup, teardown),
        cmocka_unit_test_setup_teardown(layouts, setup, teardown),
        cmocka_unit_test_setup_teardown(matrices, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(tensor_maps, setup, teardown),
        cmocka_unit_test_setup_teardown(tensor_maps_from_layouts, setup, teardown),
        cmocka_unit_test_setup_teardown(columns, setup, teardown),
        cmocka_unit_test_setup_teardown(maps_under_facts, setup, teardown),
        cmocka_unit_test_setup_teardown(repairs, setup, teardown),
        cmocka_unit_test_setup_teardown(hostile_maps_are_no, setup, teardown),
        cmocka_unit_test_setup_teardown(descriptors, setup, teardown),
        cmocka_unit_test_setup_teardown(matrix_instructions, setup, teardown),
        cmocka_unit_test_setup_teardown(banks, setup, teardown),
        cmocka_unit_test_setup_teardown(banks_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(banks_of_two_addresses, setup, teardown),
        cmocka_unit_test_setup_teardown(rules, setup, teardown),
        cmocka_unit_test_setup_teardown(plans, setup, teardown),
        cmocka_unit_test_setup_teardown(plans_prove_themselves, setup, teardown),
        cmocka_unit_test_setup_teardown(pipes_are_refuted, setup, teardown),
        cmocka_unit_test_setup_teardown(texts, setup, teardown), cmocka_unit_test_setup_teardown(clusters, setup, teardown),
        cmocka_unit_test_setup_teardown(what_there_is, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
