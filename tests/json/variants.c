/* SPDX-License-Identifier: Apache-2.0 */
/* variants.choose, variants.gemm and variants.tile as requests: what they answer, and which field is at fault. */
#include "answer.h"

#define CHOOSE "{\"op\":\"variants.choose\","
#define GEMM "{\"op\":\"variants.gemm\","
#define PRODUCT ",\"gemm\":{\"target\":\"sm_90a\",\"n\":4096,\"k\":7168"
#define SHAPES "\"unknowns\":[\"n\"],\"facts\":[\"1 <= n < 2^31\"],\"shapes\":[[64],[96],[100],[7]],\"weights\":[10,10,10,1]"
#define THREE ",\"variants\":[{\"name\":\"by 8\",\"guard\":[\"n % 8 == 0\"],\"cost\":\"n / 8\"},{\"guard\":[\"n % 4 == 0\"],\"costs\":[16,24,25,0]},{\"cost\":\"n\"}]"
#define TILE "{\"op\":\"variants.tile\",\"unknowns\":[\"M\",\"K\",\"ld\"],\"facts\":[\"M < 2^31\",\"K < 2^31\",\"8 <= ld < 2^30\"],\"shapes\":[[64,64,64],[300,64,66]]"
#define BF16 ",\"tile\":{\"target\":\"sm_90a\",\"type\":\"bf16\",\"source\":\"(M,K):(ld,1)\",\"tile\":[64,64]"
#define ANY ",\"variants\":[{\"cost\":\"n\"}]"

static const char *const rows[][2] = {
    {CHOOSE SHAPES THREE "}",
     "{\"ok\":{\"variants\":[{\"variant\":0,\"name\":\"by 8\",\"guard\":[\"n % 8 == 0\"],\"facts\":[\"n >= 1\",\"n <= 2147483647\",\"n % 8 == 0\"],\"shapes\":2,\"cost\":200},"
     "{\"variant\":1,\"guard\":[\"n % 4 == 0\"],\"facts\":[\"n >= 1\",\"n <= 2147483647\",\"n % 4 == 0\"],\"shapes\":1,\"cost\":250},"
     "{\"variant\":2,\"guard\":[],\"facts\":[\"n >= 1\",\"n <= 2147483647\"],\"shapes\":1,\"cost\":7}],"
     "\"taken\":[0,0,1,2],\"cost\":457,\"cheapest\":457,\"fewer\":657}}"},
    {CHOOSE SHAPES THREE ",\"bound\":700,\"name\":\"pick\"}", "\"taken\":[0,0,0,1],\"cost\":657,\"cheapest\":457,\"fewer\":2607,\"text\":\"#if defined __CUDACC__"},
    {CHOOSE SHAPES THREE ",\"percent\":500}", "\"taken\":[0,0,0,0],\"cost\":2607,\"cheapest\":457,\"fewer\":0}"},
    {CHOOSE SHAPES THREE ",\"most\":2}", "\"taken\":[0,0,0,1],\"cost\":657,"},
    {CHOOSE "\"unknowns\":[\"n\"],\"shapes\":[[3],[-4]],\"variants\":[{\"guard\":[\"n >= 0\"],\"cost\":\"n\"},{\"guard\":[\"n <= 0\"],\"cost\":\"-n\"}]}",
     "\"taken\":[0,1],\"cost\":7,\"cheapest\":7,\"fewer\":\"none\"}"},
    {CHOOSE SHAPES THREE ",\"bound\":400}", "{\"none\":\"8 variants cost at least 457, and the bound is 400\"}"},
    {CHOOSE SHAPES THREE ",\"bound\":400,\"percent\":3}", "field 'percent'"},
    {CHOOSE SHAPES THREE ",\"most\":9}", "most: 9"},
    {CHOOSE SHAPES THREE ",\"most\":0}", "field 'most'"},
    {CHOOSE SHAPES THREE ",\"name\":\"n\"}", "field 'name' is no identifier, or an unknown's"},
    {CHOOSE SHAPES THREE ",\"name\":\"a b\"}", "field 'name' is no identifier"},
    {CHOOSE SHAPES ",\"variants\":[{\"guard\":[\"n % 8 == 0\"],\"cost\":\"n\"}]}", "{\"none\":\"shapes[2]: no guard holds of n = 100\"}"},
    {CHOOSE SHAPES ",\"variants\":[{\"guard\":[\"k >= 0\"],\"cost\":\"n\"}]}", "variants[0].guard[0]: 'k' is none of the unknowns"},
    {CHOOSE SHAPES ",\"variants\":[{\"cost\":\"n\",\"costs\":[1,2,3,4]}]}", "variants[0]: one of 'cost' and 'costs' is needed"},
    {CHOOSE SHAPES ",\"variants\":[{}]}", "variants[0]: one of 'cost' and 'costs' is needed"},
    {CHOOSE SHAPES ",\"variants\":[{\"costs\":[1,2,3]}]}", "variants[0].costs: as many entries"},
    {CHOOSE SHAPES ",\"variants\":[{\"costs\":[1,2,3,-4]}]}", "field 'costs'"},
    {CHOOSE SHAPES ",\"variants\":[{\"cost\":\"n\",\"guard\":\"n >= 1\"}]}", "field 'guard'"},
    {CHOOSE SHAPES ",\"variants\":[{\"cost\":\"n\",\"guard\":[\"n >= 1\\u0000\"]}]}", "field 'guard'"},
    {CHOOSE SHAPES ",\"variants\":[]}", "field 'variants'"},
    {CHOOSE SHAPES ",\"variants\":[{\"cost\":\"n\",\"colour\":1}]}", "'colour'"},
    {CHOOSE "\"unknowns\":[\"n\"],\"shapes\":[]" ANY "}", "shapes: there is none"},
    {CHOOSE "\"unknowns\":[\"n\"],\"shapes\":[[1,2]]" ANY "}", "field 'shapes': entry 0 has not one value for each unknown"},
    {CHOOSE "\"unknowns\":[\"n\"],\"shapes\":[[\"a\"]]" ANY "}", "field 'shapes': entry 0 has a value that is no integer"},
    {CHOOSE "\"unknowns\":[\"n\"],\"shapes\":[7]" ANY "}", "field 'shapes': entry 0"},
    {CHOOSE "\"unknowns\":[],\"shapes\":[[]]" ANY "}", "unknowns: there is none"},
    {CHOOSE "\"unknowns\":[7],\"shapes\":[[1]]" ANY "}", "field 'unknowns'"},
    {CHOOSE "\"unknowns\":[\"n\"],\"facts\":7,\"shapes\":[[1]]" ANY "}", "field 'facts'"},
    {CHOOSE "\"unknowns\":[\"n\"],\"facts\":[\"n > 7\"],\"shapes\":[[1]]" ANY "}", "shapes[0]: the facts do not hold of n = 1"},
    {CHOOSE "\"unknowns\":[\"n\"],\"weights\":[0],\"shapes\":[[1]]" ANY "}", "shapes[0]: its weight is 0"},
    {CHOOSE "\"unknowns\":[\"n\"],\"weights\":[1,2],\"shapes\":[[1]]" ANY "}", "field 'weights'"},
    {CHOOSE "\"unknowns\":[\"n\"],\"weights\":[18446744073709551615],\"shapes\":[[3]]" ANY "}", "passes 2^62"},
    {GEMM "\"unknowns\":[\"m\"],\"shapes\":[[64],[4096]]" PRODUCT ",\"m\":\"m\"},\"percent\":0,\"name\":\"pick\"}",
     "{\"ok\":{\"variants\":[{\"tile\":[64,"},
    {GEMM "\"unknowns\":[\"m\"],\"shapes\":[[64],[4096]]" PRODUCT ",\"m\":\"m\"},\"percent\":0,\"name\":\"pick\"}",
     "\"taken\":[0,1],"},
    {GEMM "\"unknowns\":[\"m\"],\"shapes\":[[64]]" PRODUCT ",\"m\":\"rows\"}}", "field 'm' is not a number or one of 'unknowns'"},
    {GEMM "\"unknowns\":[\"m\"],\"shapes\":[[64]]" PRODUCT ",\"m\":\"m\",\"colour\":1}}", "'colour'"},
    {GEMM "\"unknowns\":[\"m\"],\"shapes\":[[64]]" PRODUCT "}}", "gemm: field 'm' is missing"},
    {GEMM "\"unknowns\":[\"m\"],\"shapes\":[[0]]" PRODUCT ",\"m\":\"m\"}}", "shapes[0]: the facts do not hold of it"},
    {GEMM "\"unknowns\":[\"m\"],\"shapes\":[[64]]" PRODUCT ",\"m\":\"m\",\"repack\":\"always\"}}", "repack: variants of GEMMs have none"},
    {GEMM "\"unknowns\":[\"m\"],\"shapes\":[[64]],\"gemm\":7}", "field 'gemm'"},
    {GEMM "\"unknowns\":[\"m\"],\"shapes\":[[64]]}", "field 'gemm' is missing"},
    {GEMM "\"unknowns\":[\"m\"],\"shapes\":[[64]],\"cost\":\"waste\",\"gemm\":{\"target\":\"sm_80\",\"n\":4096,\"k\":7168,\"m\":\"m\"}}",
     "{\"ok\":{\"variants\":[{\"tile\":[64,256,64],\"guard\":[],\"facts\":"},
    {GEMM "\"unknowns\":[\"m\"],\"shapes\":[[64]],\"cost\":\"waste\",\"gemm\":{\"target\":\"sm_80\",\"n\":4096,\"k\":7168,\"m\":\"m\"}}",
     "\"taken\":[0],\"unit\":\"madds\",\"cost\":0,\"cheapest\":0,\"fewer\":0}}"},
    {GEMM "\"unknowns\":[\"m\"],\"shapes\":[[64]],\"cost\":\"money\"" PRODUCT ",\"m\":\"m\"}}", "field 'cost'"},
    {GEMM "\"unknowns\":[\"m\"],\"shapes\":[[64]],\"gemm\":{\"target\":\"gfx942\",\"n\":64,\"k\":64,\"m\":\"m\"}}", "target: gfx942; times were measured"},
    {TILE BF16 ",\"edge\":\"weak\"},\"name\":\"pick\"}", "{\"ok\":{\"variants\":[{\"instructions\":1,\"move\":{\"path\":\"tensor\",\"edge\":\"strong\",\"maps\":[{"},
    {TILE BF16 ",\"edge\":\"weak\"},\"name\":\"pick\"}", "\"guard\":[\"ld % 8 == 0\"],\"facts\":[\"M >= 1\","},
    {TILE BF16 ",\"edge\":\"weak\"},\"threads\":32}", "{\"instructions\":256,\"move\":{\"path\":\"threads\","},
    {TILE BF16 ",\"edge\":\"weak\"},\"most\":1}", "\"taken\":[0,0],\"unit\":\"instructions\",\"cost\":1536,\"cheapest\":321,\"fewer\":0}}"},
    {TILE BF16 "}}", "{\"none\":\"shapes[1]: no guard holds of M = 300, K = 64, ld = 66\"}"},
    {TILE BF16 ",\"facts\":[\"M >= 7\"]}}", "tile: its facts stand beside the unknowns"},
    {TILE BF16 ",\"colour\":1}}", "'colour'"},
    {TILE BF16 ",\"direction\":\"store\"}}", "direction: a store"},
    {TILE ",\"tile\":7}", "field 'tile'"},
    {TILE ",\"tile\":{\"target\":\"sm_90a\"}}", "fields 'type', 'source', 'tile' are missing"},
    {TILE "}", "field 'tile' is missing"},
    {"{\"op\":\"emit\",\"what\":\"selector\",\"name\":\"pick\"," SHAPES THREE ",\"most\":2}",
     "{\"ok\":{\"text\":\"#if defined __CUDACC__ || defined __HIPCC__\\n__host__ __device__\\n#endif\\nstatic inline int pick(long long n)"},
    {"{\"op\":\"emit\",\"what\":\"selector\",\"name\":\"pick\"," SHAPES THREE ",\"colour\":2}", "'colour'"},
    {"{\"op\":\"emit\",\"what\":\"selector\",\"name\":\"n\"," SHAPES THREE "}", "field 'name' is no identifier"},
    {"{\"op\":\"emit\",\"what\":\"selector\",\"name\":\"pick\"," SHAPES "}", "field 'variants' is missing"},
    {CHOOSE "\"shapes\":[[3]]" ANY "}", "field 'unknowns' is missing"},
};

static void answers(void **state) { answers_have(*state, rows, sizeof rows / sizeof *rows); }

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers)};
    return cmocka_run_group_tests(tests, begin, end);
}
