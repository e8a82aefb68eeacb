/* SPDX-License-Identifier: Apache-2.0 */
/* What each operation of layouts, matrices and numbers answers.  The answers are counted by hand, or stand in CuTe's documents, the
 * PTX ISA or the measurements that the rules cite; nothing here was copied from an output. */
#define _POSIX_C_SOURCE 200809L /* strdup */

#include "json_ask.h"

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

/* 2:A00..0*B00..0 is 2:3 where the product is 3, and so on: 40 conditions of 140 bytes. */
static void a_guard_has_any_length(void **state)
{
    enum { MODES = 40, NAMES = 16 };
    static char line[1 << 14];
    zl_text out = {line, sizeof line - 1, 0};
    zl_puts(&out, "{\"op\":\"layout.equal\",\"a\":\"(2");
    zl_put_times(&out, ",2", MODES - 1);
    for (int i = 0; i < MODES; i++)
        zl_putf(&out, "%s%c%060d*%c%060d", i ? "," : "):(", 'A' + i % NAMES, 0, 'A' + (5 * i + 1) % NAMES, 0);
    zl_puts(&out, ")\",\"b\":\"(2");
    zl_put_times(&out, ",2", MODES - 1);
    for (int i = 0; i < MODES; i++) zl_putf(&out, "%s%d", i ? "," : "):(", 3 + 2 * i);
    zl_puts(&out, ")\"}");
    says(*state, line, "ok.equal", "\"depends\"");
    mentions(*state, line, "ok.guard", "== (__int128)3 &&");
    mentions(*state, line, "ok.guard", "== (__int128)81");
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

/* Each field of each operation has one of these words; of some the word is known by hand. */
static void fields_have_types(void **state)
{
    static const char *const words[] = {"integer", "word", "switch", "boolean", "text", "texts", "list", "layout", "value",
                                        "integers", "matrix", "sizes", "object", "objects", "map", "pipe"};
    static const char line[] = "{\"op\":\"zlay\"}", *const rows[][3] = {
        {"layout.compose", "a", "layout"}, {"layout.compose", "partial", "boolean"}, {"layout.group", "begin", "integer"},
        {"tensormap.check", "target", "text"}, {"tensormap.check", "map", "map"}, {"facts.of", "facts", "texts"},
        {"emit", "m", "integer"}, {"zmat.det", "a", "matrix"}, {"pipe.verify", "pipe", "pipe"}, {"plan.gemm", "tile", "integers"},
        {"variants.choose", "facts", "texts"}, {"f2.reshape_ins", "dims", "sizes"}, {"copy.synth", "src", "object"}, {"tiling.cover", "tiles", "objects"},
        {"emit", "src", "value"} /* a layout, or a side of a copy */, {"plan.gemm", "a_order", "word"},
    };
    json_t *answer = ask(*state, line), *ops = at(answer, "ok.ops"), *op, *type;
    const char *name, *field;
    json_object_foreach(ops, name, op) {
        json_t *types = json_object_get(op, "types");
        assert_int_equal(json_object_size(types), json_array_size(json_object_get(op, "fields")) + json_array_size(json_object_get(op, "optional")));
        json_object_foreach(types, field, type) {
            size_t i = 0;
            while (i < ZL_COUNT(words) && strcmp(words[i], json_string_value(type))) i++;
            if (i == ZL_COUNT(words)) fail_msg("%s: %s is '%s'", name, field, json_string_value(type));
        }
    }
    for (size_t i = 0; i < ZL_COUNT(rows); i++)
        assert_string_equal(json_string_value(json_object_get(json_object_get(json_object_get(ops, rows[i][0]), "types"), rows[i][1])), rows[i][2]);
    json_decref(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols), cmocka_unit_test(a_guard_has_any_length),
        cmocka_unit_test(operations_that_make_pieces),
        cmocka_unit_test(hierarchies), cmocka_unit_test(layouts), cmocka_unit_test(matrices),
        cmocka_unit_test(numbers), cmocka_unit_test(fields_have_types),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
