/* SPDX-License-Identifier: Apache-2.0 */
/* What each operation of plans, pipes and text answers.  The answers are counted by hand, or stand in CuTe's documents, the
 * PTX ISA or the measurements that the rules cite; nothing here was copied from an output. */
#define _POSIX_C_SOURCE 200809L /* strdup */

#include "json/ops/ops.h"
#include "json_ask.h"

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
        {PLAN ",\"a_type\":\"e4m3\",\"b_type\":\"e5m2\"}", "ok.tile", "[128,256,128]"},
        {PLAN ",\"a_type\":\"e4m3\",\"b_type\":\"e5m2\"}", "ok.maps.0.type", "0"}, /* u8, bf16, s32 as the driver numbers them */
        {PLAN ",\"a_type\":\"e4m3\",\"b_type\":\"e5m2\"}", "ok.maps.2.type", "9"},
        {PLAN ",\"a_type\":\"u8\",\"b_type\":\"s8\"}", "ok.maps.2.type", "3"},
        {PLAN ",\"d_type\":\"f32\"}", "ok.maps.2.box", "[32,64]"},
        {PLAN ",\"d_type\":\"s32\"}", "ok.maps.2.type", "3"},
        {PLAN ",\"d_type\":\"tf32\"}", "error", "\"ENOTSUP\""},
        {PLAN ",\"a_type\":\"f17\"}", "error", "\"EINVAL\""},
        {PLAN ",\"a_type\":99}", "error", "\"EINVAL\""},
        {PLAN ",\"a_type\":-1}", "error", "\"EINVAL\""},
        {PLAN ",\"a_type\":0,\"b_type\":0}", "ok.maps.2.type", "3"}, /* 0 is u8, and no default */
        {PLAN ",\"b_order\":\"diagonal\"}", "error", "\"EINVAL\""},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    mentions(*state, PLAN ",\"lda\":4100}", "ok.rules", "TMAP_STRIDE_16");
    mentions(*state, PLAN ",\"a_type\":\"e4m3\"}", "none", "b_type e4m3");
    mentions(*state, PLAN ",\"a_type\":\"tf32\",\"b_type\":\"tf32\",\"b_major\":\"MN\"}", "none", "WGMMA_B_K_MAJOR");
    mentions(*state, PLAN "}", "ok.pipe", "pipe gemm");
}

/* All lines that are refused are listed. */
static void refused_lines(void **state)
{
    static const char *const paths[] = {"refused", "refused_a", "refused_b"};
    char line[1 << 12], text[1 << 10] = "";
    for (int i = 0; i < 70; i++) strcat(text, "gemm?\\n");
    const char *const forms[] = {"{\"op\":\"tuning.check\",\"text\":\"%s\"}", "{\"op\":\"tuning.merge\",\"a\":\"%s\",\"b\":\"\"}",
                                 "{\"op\":\"tuning.merge\",\"a\":\"\",\"b\":\"%s\"}"};
    for (int i = 0; i < 3; i++) {
        snprintf(line, sizeof line, forms[i], text);
        json_t *answer = ask(*state, line), *list = json_object_get(json_object_get(answer, "ok"), paths[i]);
        assert_int_equal(json_array_size(list), 70);
        assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 69), "line")), 70);
        json_decref(answer);
    }
}

/* Targets whose matrix instructions read registers. */
#define SIZES "\"m\":250,\"n\":300,\"k\":200"
#define WAVES "{\"op\":\"plan.gemm\",\"target\":\"gfx942\"," SIZES
#define WAVE_TEXT "{\"op\":\"emit\",\"name\":\"mine\",\"target\":\"gfx950\"," SIZES
static void waves(void **state)
{
    static const char *const rows[][3] = {
        {WAVES "}", "ok.tile", "[128,128,32]"},
        {WAVES "}", "ok.tiles", "[2,3,7]"}, /* 250 / 128, 300 / 128, 200 / 32, rounded up */
        {WAVES "}", "ok.wave.wavefronts", "8"},
        {WAVES "}", "ok.wave.direct", "false"},
        {WAVES "}", "ok.wave.store_bytes", "8"},
        {WAVES "}", "ok.smem_layouts.0", "\"Sw<2,3,3> o 0 o (128,32):(32,1)\""},
        {WAVES "}", "ok.maps", "[]"},
        {WAVES ",\"ldd\":301}", "ok.wave.store_bytes", "2"},
        {WAVES ",\"split_k\":1,\"multicast\":\"none\",\"swap\":\"never\",\"stream_k\":\"never\"}", "ok.tile", "[128,128,32]"}, /* what a candidate says */
        {WAVES ",\"split_k\":2}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"plan.candidates\",\"target\":\"gfx942\"," SIZES "}", "ok.candidates.0.blocks", "6"},
        {WAVES ",\"lda\":204}", "error", "\"ENOTSUP\""},
        {WAVES ",\"tile\":[128,96,32]}", "error", "\"EINVAL\""},
        {WAVE_TEXT ",\"what\":\"gemm\"}", "ok.language", "\"assembly\""},
        {WAVE_TEXT ",\"what\":\"gemm\"}", "ok.grid", "[3,2,1]"},
        {WAVE_TEXT ",\"what\":\"gemm\"}", "ok.threads", "256"},
        {WAVE_TEXT ",\"what\":\"gemm\"}", "ok.arguments.2.name", "\"ptr_d\""},
        {WAVE_TEXT ",\"what\":\"gemm\"}", "ok.ptx", "null"},
        {WAVE_TEXT ",\"what\":\"header\"}", "error", "\"ENOTSUP\""},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    mentions(*state, WAVES "}", "ok.pipe", "waitcount memory");
    mentions(*state, WAVES "}", "ok.rules", "MFMA_K");
    mentions(*state, WAVE_TEXT ",\"what\":\"gemm\"}", "ok.text", "amdhsa_kernel mine");
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
    mentions(*state, line, "ok.proof", "proof gemm");
    free(line);
    json_decref(request);
    json_decref(plan);
}

static void pipes_are_refuted(void **state)
{
    json_t *plan = ask(*state, PLAN "}");
    char *text = strdup(json_string_value(at(plan, "ok.pipe"))), *found = strstr(text, "expect full");
    assert_non_null(found);
    strstr(found, "tB")[1] = 'A'; /* the bytes of A twice */
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
#define SCALED                                                                                     \
    "\"epilogue\":\"body f\\n matrix S f32\\n matrix R bf16\\n scalar alpha f32\\n global bias f32\\n"        \
    " index i\\n index j\\n R = bf16(fma(S, alpha, load(bias, j + col, 64)))\\nend\\n\""
#define EMIT "{\"op\":\"emit\",\"target\":\"sm_90a\",\"name\":\"k1\",\"m\":512,\"n\":512,\"k\":512"
#define SCALES_OF \
    "{\"op\":\"plan.gemm\",\"target\":\"sm_90a\",\"m\":200,\"n\":1000,\"k\":300,\"a_type\":\"e4m3\",\"b_type\":\"e4m3\",\"a_scales\":\""
#define FP8 EMIT ",\"what\":\"gemm\",\"a_type\":\"e4m3\",\"b_type\":\"e4m3\",\"a_scales\":"
#define NVFP4 ",\"target\":\"sm_100a\",\"m\":300,\"n\":520,\"k\":608,\"a_type\":\"e2m1\",\"b_type\":\"e2m1\",\"a_scales\":\"1x16\",\"b_scales\":\"1x16\"}"
#define ODD "{\"op\":\"emit\",\"target\":\"sm_90a\",\"name\":\"k1\",\"what\":\"gemm\",\"m\":128,\"n\":4095,\"k\":4095"
#define FEW "{\"op\":\"plan.gemm\",\"target\":\"sm_90a\",\"m\":16,\"n\":512,\"k\":256"
    static const char *const rows[][3] = {
        {EMIT ",\"what\":\"gemm\"}", "ok.language", "\"ptx\""},
        {EMIT ",\"what\":\"gemm\"}", "ok.arguments.0", "{\"name\":\"tensor_a\",\"type\":\"CUtensorMap\",\"bytes\":128}"},
        {EMIT ",\"what\":\"gemm\"}", "ok.cluster", "[1,1,1]"},
        {EMIT ",\"what\":\"header\"}", "ok.language", "\"cuda\""},
        {EMIT ",\"what\":\"header\"}", "ok.ptx", "null"},
        {EMIT ",\"what\":\"poem\"}", "error", "\"ENOTSUP\""},
        {EMIT ",\"what\":\"gemm\"," SCALED "}", "ok.arguments.6", "{\"name\":\"x_alpha\",\"type\":\"f32\",\"bytes\":4}"},
        {EMIT ",\"what\":\"gemm\"," SCALED "}", "ok.arguments.7", "{\"name\":\"read_bias\",\"type\":\"u64\",\"bytes\":8}"},
        {EMIT ",\"what\":\"gemm\",\"epilogue\":\"body f\"}", "error", "\"EINVAL\""},
        {FP8 "\"1x128\",\"b_scales\":\"128x128\"}", "ok.arguments.6", "{\"name\":\"read_sa\",\"type\":\"u64\",\"bytes\":8}"},
        {FP8 "\"none\",\"b_scales\":\"1x128\"}", "ok.arguments.6", "{\"name\":\"read_sb\",\"type\":\"u64\",\"bytes\":8}"},
        {FP8 "\"none\"}", "ok.arguments.6", NULL},
        {SCALES_OF "1x128\",\"b_scales\":\"128x128\"}", "ok.scales",
         "[{\"argument\":\"read_sa\",\"type\":\"f32\",\"shape\":[3,200],\"block\":[1,128]},{\"argument\":\"read_sb\",\"type\":\"f32\",\"shape\":[8,3],\"block\":[128,128]}]"},
        {SCALES_OF "none\"}", "ok.scales", NULL},
        {SCALES_OF "none\",\"d_type\":\"e4m3\",\"d_scales\":\"1x128\"}", "ok.scales", "[{\"argument\":\"write_sd\",\"type\":\"f32\",\"shape\":[8,200],\"block\":[1,128]}]"},
        {FP8 "\"none\",\"d_type\":\"e5m2\",\"d_scales\":\"1x128\"}", "ok.arguments.6", "{\"name\":\"write_sd\",\"type\":\"u64\",\"bytes\":8}"},
        {FP8 "\"none\",\"d_scales\":\"1x128\"}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"emit\",\"what\":\"gemm\",\"name\":\"k1\"" NVFP4, "ok.arguments.6", "{\"name\":\"tensor_sa\",\"type\":\"CUtensorMap\",\"bytes\":128}"},
        {"{\"op\":\"plan.gemm\"" NVFP4, "ok.scales.1.argument", "\"tensor_sb\""},
        {"{\"op\":\"plan.gemm\"" NVFP4, "ok.scales.1.type", "\"ue4m3\""},
        {"{\"op\":\"plan.gemm\"" NVFP4, "ok.scales.1.shape", "[5,10]"},
        {"{\"op\":\"plan.gemm\"" NVFP4, "ok.scales.1.map.extent", "[640,5]"},
        {FP8 "\"1x32\",\"b_scales\":\"1x32\"}", "error", "\"ENOTSUP\""},
        {FP8 "\"128\"}", "error", "\"EINVAL\""},
        {EMIT ",\"what\":\"gemm\",\"b_scales\":\"128x128\"}", "error", "\"ENOTSUP\""},
        {ODD ",\"repack\":\"auto\"}", "ok.workspace", "34594816"},
        {ODD ",\"repack\":\"always\"}", "ok.repack.1",
         "{\"operand\":\"B\",\"kernel\":\"k1_b\",\"when\":\"before\",\"grid\":[16380,1,1],\"threads\":128,\"offset\":1048576,"
         "\"bytes\":33546240,\"pitch\":4096}"},
        {ODD ",\"repack\":\"always\"}", "ok.repack.2",
         "{\"operand\":\"D\",\"kernel\":\"k1_d\",\"when\":\"behind\",\"grid\":[513,1,1],\"threads\":128,\"offset\":34594816,"
         "\"bytes\":1048576,\"pitch\":4096}"},
        {ODD "}", "ok.workspace", NULL},
        {EMIT ",\"what\":\"gemm\",\"split_k\":2}", "ok.cluster", "[2,1,1]"},
        {EMIT ",\"what\":\"gemm\",\"split_k\":9}", "error", "\"EINVAL\""},
        {"{\"op\":\"plan.gemm\",\"target\":\"sm_90a\",\"m\":64,\"n\":64,\"k\":512,\"split_k\":2}", "ok.splits", "2"},
        {"{\"op\":\"plan.gemm\",\"target\":\"sm_90a\",\"m\":64,\"n\":64,\"k\":512}", "ok.splits", "1"},
        {ODD ",\"repack\":\"sometimes\"}", "error", "\"EINVAL\""},
        {FEW ",\"swap\":\"always\"}", "ok.d_order", "\"col\""},
        {FEW ",\"swap\":\"always\"}", "ok.size", "[512,16,256]"},
        {FEW "}", "ok.d_order", "\"row\""},
        {FEW ",\"swap\":\"sometimes\"}", "error", "\"EINVAL\""},
        {FEW "}", "ok.stream_blocks", "0"},
        {FEW ",\"stream_k\":\"always\",\"tile\":[64,64,64]}", "ok.stream_blocks", "8"},
        {FEW ",\"stream_k\":\"always\",\"tile\":[64,64,64]}", "ok.workspace", "132096"},
        {FEW ",\"stream_k\":\"auto\"}", "ok.stream_blocks", "0"},
        {FEW ",\"stream_k\":\"sometimes\"}", "error", "\"EINVAL\""},
        {FEW "}", "ok.groups", "0"},
        {FEW ",\"groups\":3}", "ok.groups", "3"},
        {FEW ",\"groups\":3,\"swap\":\"always\"}", "error", "\"ENOTSUP\""},
        {FEW ",\"groups\":\"many\"}", "error", "\"EINVAL\""},
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
        {PIPED ",\"moves\":[7]}", "error", "\"EINVAL\""},
        {PIPED ",\"moves\":[]}", "ok.threads", "32"},
        {PIPED ",\"moves\":[7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7]}", "error", "\"ELIMIT\""},
        {PIPED ",\"tries\":1,\"ptx\":7}", "error", "\"EINVAL\""},
        {EMIT ",\"what\":\"gemm\",\"src\":\"8:1\"}", "error", "\"EINVAL\""},
        {EMIT ",\"what\":\"copy\"}", "error", "\"EINVAL\""},
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

/* The example of zlay/ragged.h, and each field at fault. */
static void ragged_maps(void **state)
{
#define GROUPS "{\"op\":\"ragged.map\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"dim\":1,\"address\":1048576,\"extent\":[64,4096],\"stride\":[128]"
#define ROWS_64 GROUPS ",\"box\":[64,64]"
#define TILE_AT(row) "{\"copy\":\"load\",\"offset\":100,\"length\":70,\"at\":[0," row "]}"
    static const char *const rows[][3] = {
        {ROWS_64 "}", "ok.map.stride", "[128,128,274877906816]"},
        {ROWS_64 "}", "ok.proved", "true"},
        {ROWS_64 ",\"base\":\"shift\"}", "ok.map.address", "1040384"},
        {ROWS_64 ",\"tiles\":[" TILE_AT("64") "," TILE_AT("-3") "]}", "ok.tiles.0.coordinates", "[0,67108858,170,67108864]"},
        {ROWS_64 ",\"tiles\":[" TILE_AT("64") "," TILE_AT("-3") "]}", "ok.tiles.1.coordinates", "[0,-3,100,0]"},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    mentions(*state, GROUPS ",\"box\":[64]}", "message", "box");
    mentions(*state, GROUPS ",\"box\":[64,-1]}", "message", "box");
    mentions(*state, GROUPS ",\"box\":[1,1,1,1,1,1,1,1,1]}", "message", "box");
    mentions(*state, ROWS_64 ",\"copies\":\"none\"}", "message", "copies");
    mentions(*state, ROWS_64 ",\"name\":\"1\"}", "message", "name");
    mentions(*state, ROWS_64 ",\"tiles\":[{\"copy\":\"load\",\"offset\":0,\"length\":0,\"at\":[0]}]}", "message", "at");
    mentions(*state, ROWS_64 ",\"tiles\":[{\"copy\":\"load\",\"offset\":4000,\"length\":97,\"at\":[0,0]}]}", "message", "length");
}

static void pools(void **state)
{
    static const char *const rows[][3] = {
        {"{\"op\":\"ragged.pool\",\"tails\":8,\"boxes\":2}", "ok.heights", "[1,3,4]"},
        {"{\"op\":\"ragged.pool\",\"tails\":8,\"boxes\":2}", "ok.cuts.6.boxes", "[4,3]"},
        {"{\"op\":\"ragged.pool\",\"tails\":[3,5],\"boxes\":0,\"maps\":1}", "ok.boxes", "5"},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    mentions(*state, "{\"op\":\"ragged.pool\",\"tails\":[3,5],\"boxes\":1,\"maps\":1}", "none", "at least 2");
    mentions(*state, "{\"op\":\"ragged.pool\",\"tails\":8,\"boxes\":0}", "message", "boxes");
    mentions(*state, "{\"op\":\"ragged.pool\",\"tails\":1,\"boxes\":1}", "message", "tails");
    mentions(*state, "{\"op\":\"ragged.pool\",\"tails\":[0],\"boxes\":1}", "message", "tails");
    mentions(*state, "{\"op\":\"ragged.pool\",\"tails\":[256],\"boxes\":1}", "message", "tails");
    mentions(*state, "{\"op\":\"ragged.pool\",\"tails\":[],\"boxes\":1}", "message", "tails");
}

static void families(void **state)
{
#define CHOOSE(box, more) "{\"op\":\"ragged.choose\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"dim\":1,\"address\":1048576,\"extent\":[64,4096],\"stride\":[128],\"box\":" box "," more "}"
    says(*state, CHOOSE("[64,64]", "\"groups\":4,\"count\":8"), "ok.choice", "\"wrap\"");
    says(*state, CHOOSE("[64,64]", "\"groups\":4,\"count\":8"), "ok.times", "\"estimated\"");
    says(*state, CHOOSE("[64,64]", "\"groups\":4,\"count\":8"), "ok.families.2.family", "\"edit\"");
    says(*state, CHOOSE("[64,300]", "\"groups\":4,\"count\":8"), "ok.choice", "null");
    mentions(*state, CHOOSE("[64,300]", "\"groups\":4,\"count\":8"), "ok.families.1.why", "TMAP_BOX");
    mentions(*state, CHOOSE("[64,64]", "\"groups\":4,\"count\":3"), "message", "count");
    mentions(*state, CHOOSE("[64]", "\"groups\":4,\"count\":8"), "message", "box");
}

static void maps_filled_in(void **state)
{
#define FILLED(op, box) "{\"op\":" op ",\"target\":\"sm_90a\",\"map\":{\"mode\":\"tiled\",\"type\":\"bf16\",\"rank\":2,\"address\":\"at\",\"extent\":[4096,\"M\"],\"stride\":[\"2*ld\"],\"box\":[64," box "],\"step\":[1,1],\"interleave\":\"none\",\"swizzle\":\"128B\",\"l2\":\"none\",\"oob\":\"none\"}"
#define FILL_AT(values) FILLED("\"tensormap.fill\"", "64") ",\"values\":" values "}"
    static const char *const rows[][3] = {
        {FILL_AT("[]"), "ok.names", "[\"at\",\"M\",\"ld\"]"},
        {FILL_AT("[]"), "ok.filled", "[]"},
        {FILL_AT("[{\"at\":16,\"M\":1,\"ld\":8}]"), "ok.filled.0.words.0", "\"0x0000000000000010\""},
        {FILL_AT("[{\"at\":16,\"M\":1,\"ld\":8},{\"at\":8,\"M\":1,\"ld\":8}]"), "ok.filled.1.broken.0.rule", "\"TMAP_ADDRESS_16\""},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
    mentions(*state, FILL_AT("7"), "message", "values");
    mentions(*state, FILL_AT("[7]"), "message", "values");
    mentions(*state, FILL_AT("[{\"at\":16,\"M\":1}]"), "message", "'ld'");
    mentions(*state, FILL_AT("[{\"at\":16,\"M\":1,\"ld\":8,\"K\":1}]"), "message", "values");
    mentions(*state, FILL_AT("[{\"at\":16,\"M\":1,\"ld\":\"-9223372036854775808\"}]"), "message", "outside");
    mentions(*state, FILLED("\"tensormap.fill\"", "\"M\"") "}", "message", "box");
    mentions(*state, FILLED("\"emit\",\"what\":\"tensormap\",\"language\":\"cuda\",\"name\":\"rows\"", "64") "}", "ok.text", "in_ld");
    mentions(*state, FILLED("\"emit\",\"what\":\"tensormap\",\"language\":\"ptx\",\"name\":\"rows\"", "64") "}", "message", "CUDA C");
}

/* emit lists the fields of all that it prints, of which many have the same; none stands twice. */
static void names_stand_once(void **state)
{
    json_t *answer = ask(*state, "{\"op\":\"zlay\"}");
    const char *op;
    json_t *row;
    json_object_foreach((json_t *)(uintptr_t)at(answer, "ok.ops"), op, row)
    {
        json_t *names = json_object();
        const char *const lists[] = {"fields", "optional"};
        size_t count = 0;
        for (size_t k = 0; k < ZL_COUNT(lists); k++) {
            const json_t *list = json_object_get(row, lists[k]);
            for (size_t i = 0; i < json_array_size(list); i++, count++)
                json_object_set_new(names, json_string_value(json_array_get(list, i)), json_true());
        }
        if (json_object_size(names) != count) fail_msg("%s: a field is listed twice", op);
        json_decref(names);
    }
    assert_int_equal(json_array_size(at(answer, "ok.ops.emit.fields")), 2); /* what, name: a layout has no target */
    json_decref(answer);
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
        cmocka_unit_test(plans), cmocka_unit_test(refused_lines), cmocka_unit_test(waves), cmocka_unit_test(plans_prove_themselves),
        cmocka_unit_test(pipes_are_refuted), cmocka_unit_test(texts), cmocka_unit_test(clusters), cmocka_unit_test(ragged_maps), cmocka_unit_test(maps_filled_in), cmocka_unit_test(pools), cmocka_unit_test(families),
        cmocka_unit_test(names_stand_once), cmocka_unit_test(what_there_is),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
