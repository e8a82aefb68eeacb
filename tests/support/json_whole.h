/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that are answered, one an op, in the order of the table of operations: tests take fields away, put others in, and let memory end. */
#ifndef TEST_JSON_WHOLE_H
#define TEST_JSON_WHOLE_H

static const char *const whole[] = {
    "{\"op\":\"zlay\"}",
    "{\"op\":\"layout.parse\",\"layout\":\"8\"}",
    "{\"op\":\"layout.import\",\"text\":\"8\"}",
    "{\"op\":\"layout.eval\",\"layout\":\"8\",\"at\":[0]}",
    "{\"op\":\"layout.compose\",\"a\":\"8\",\"b\":\"4\"}",
    "{\"op\":\"layout.coalesce\",\"layout\":\"(2,4):(1,2)\"}",
    "{\"op\":\"layout.complement\",\"layout\":\"4:2\",\"cotarget\":24}",
    "{\"op\":\"layout.logical_divide\",\"a\":\"16:3\",\"b\":\"4:2\"}",
    "{\"op\":\"layout.zipped_divide\",\"a\":\"16:3\",\"b\":\"4:2\"}",
    "{\"op\":\"layout.tiled_divide\",\"a\":\"16:3\",\"b\":\"4:2\"}",
    "{\"op\":\"layout.flat_divide\",\"a\":\"16:3\",\"b\":\"<4>\"}",
    "{\"op\":\"layout.logical_product\",\"a\":\"8\",\"b\":\"2\"}",
    "{\"op\":\"layout.zipped_product\",\"a\":\"8\",\"b\":\"2\"}",
    "{\"op\":\"layout.tiled_product\",\"a\":\"8\",\"b\":\"2\"}",
    "{\"op\":\"layout.flat_product\",\"a\":\"8\",\"b\":\"<2>\"}",
    "{\"op\":\"layout.blocked_product\",\"a\":\"8\",\"b\":\"2\"}",
    "{\"op\":\"layout.raked_product\",\"a\":\"8\",\"b\":\"2\"}",
    "{\"op\":\"layout.right_inverse\",\"layout\":\"(4,2):(2,1)\"}",
    "{\"op\":\"layout.left_inverse\",\"layout\":\"(4,2):(2,1)\"}",
    "{\"op\":\"layout.upcast\",\"layout\":\"8\",\"n\":2}",
    "{\"op\":\"layout.downcast\",\"layout\":\"8\",\"n\":2}",
    "{\"op\":\"layout.max_common_layout\",\"a\":\"8\",\"b\":\"8\"}",
    "{\"op\":\"layout.max_common_vector\",\"a\":\"8\",\"b\":\"8\"}",
    "{\"op\":\"layout.flatten\",\"layout\":\"(4,(2,2))\"}",
    "{\"op\":\"layout.group\",\"layout\":\"(4,2,2)\",\"begin\":1,\"end\":3}",
    "{\"op\":\"layout.slice_at\",\"layout\":\"(4,2)\",\"at\":\"(_,1)\"}",
    "{\"op\":\"layout.dice\",\"layout\":\"(4,2)\",\"at\":\"(_,1)\"}",
    "{\"op\":\"layout.lift\",\"layout\":\"8\"}",
    "{\"op\":\"layout.flip\",\"layout\":\"8\",\"mode\":0}",
    "{\"op\":\"layout.slice\",\"layout\":\"8\",\"mode\":0,\"begin\":1,\"end\":7}",
    "{\"op\":\"layout.pad\",\"layout\":\"8\",\"mode\":0,\"before\":1,\"after\":2}",
    "{\"op\":\"layout.concat\",\"a\":\"8\",\"b\":\"8\",\"mode\":0}",
    "{\"op\":\"layout.restrict\",\"layout\":\"8\",\"guard\":\"x0 < 3\"}",
    "{\"op\":\"layout.union\",\"a\":\"8\",\"b\":\"8\"}",
    "{\"op\":\"layout.equal\",\"a\":\"8\",\"b\":\"8\"}",
    "{\"op\":\"layout.is_injective\",\"layout\":\"8\"}",
    "{\"op\":\"layout.is_surjective\",\"layout\":\"8\",\"onto\":8}",
    "{\"op\":\"layout.is_bijective\",\"layout\":\"8\"}",
    "{\"op\":\"layout.contained\",\"a\":\"8\",\"b\":\"8\"}",
    "{\"op\":\"layout.lower\",\"layout\":\"8:2\"}",
    "{\"op\":\"f2.compose\",\"inner\":\"f2{a: (1) (2) -> x: 4}\",\"outer\":\"f2{x: (1) (2) -> y: 4}\"}",
    "{\"op\":\"f2.invert\",\"layout\":\"f2{a: (1) (2) -> x: 4}\"}",
    "{\"op\":\"f2.pseudoinvert\",\"layout\":\"f2{a: (1) (2) -> x: 4}\"}",
    "{\"op\":\"f2.invert_and_compose\",\"this\":\"f2{a: (1) (2) -> x: 4}\",\"outer\":\"f2{a: (1) (2) -> x: 4}\"}",
    "{\"op\":\"f2.lstsq\",\"a\":\"f2{a: (1) (2) -> x: 4}\",\"b\":\"f2{a: (1) (2) -> x: 4}\"}",
    "{\"op\":\"f2.product\",\"factors\":[\"f2{a: (1) (2) -> x: 4}\"]}",
    "{\"op\":\"f2.divide_left\",\"a\":\"f2{a: (1) (2) -> x: 4}\",\"b\":\"f2{a: (1) (2) -> x: 4}\"}",
    "{\"op\":\"f2.divide_right\",\"a\":\"f2{a: (1) (2) -> x: 4}\",\"b\":\"f2{a: (1) (2) -> x: 4}\"}",
    "{\"op\":\"f2.quotient\",\"layout\":\"f2{a: (1) (2) -> x: 4}\",\"dims\":[]}",
    "{\"op\":\"f2.transpose_ins\",\"layout\":\"f2{a: (1) (2) -> x: 4}\",\"order\":[\"a\"]}",
    "{\"op\":\"f2.transpose_outs\",\"layout\":\"f2{a: (1) (2) -> x: 4}\",\"order\":[\"x\"]}",
    "{\"op\":\"f2.reshape_ins\",\"layout\":\"f2{a: (1) (2) -> x: 4}\",\"dims\":[[\"b\",4]]}",
    "{\"op\":\"f2.reshape_outs\",\"layout\":\"f2{a: (1) (2) -> x: 4}\",\"dims\":[[\"b\",4]]}",
    "{\"op\":\"f2.concat_ins\",\"a\":\"f2{a: (1) (2) -> x: 4}\",\"b\":\"f2{b: -> x: 4}\"}",
    "{\"op\":\"f2.concat_outs\",\"a\":\"f2{a: (1) (2) -> x: 4}\",\"b\":\"f2{a: (1) (2) -> y: 4}\"}",
    "{\"op\":\"f2.sublayout\",\"layout\":\"f2{a: (1) (2) -> x: 4}\",\"ins\":[],\"outs\":[]}",
    "{\"op\":\"f2.free_variable_masks\",\"layout\":\"f2{a: (1) (2) -> x: 4}\"}",
    "{\"op\":\"facts.of\",\"expression\":\"2*ld\"}",
    "{\"op\":\"radix.divmod\",\"shape\":\"(3,5)\"}",
    "{\"op\":\"layout.vector_width\",\"layout\":\"(8,4):(1,8)\",\"mode\":0,\"elem_bytes\":2,"
    "\"base_align\":16}",
    "{\"op\":\"hier.normal\",\"layout\":\"6\",\"levels\":[[\"register\",2],[\"lane\",3]]}",
    "{\"op\":\"hier.solve\",\"a\":\"6\",\"b\":\"6\",\"levels\":[[\"lane\",6]]}",
    "{\"op\":\"hier.level\",\"a\":\"6\",\"b\":\"6\",\"levels\":[[\"lane\",6]]}",
    "{\"op\":\"zmat.snf\",\"a\":[[2,4],[6,8]]}",
    "{\"op\":\"zmat.hnf\",\"a\":[[2,4],[6,8]]}",
    "{\"op\":\"zmat.solve\",\"a\":[[2]],\"b\":[2]}",
    "{\"op\":\"zmat.rank\",\"a\":[[2,4],[6,8]]}",
    "{\"op\":\"zmat.kernel\",\"a\":[[2,4]]}",
    "{\"op\":\"zmat.det\",\"a\":[[2,4],[6,8]]}",
    "{\"op\":\"zmat.inverse\",\"a\":[[1]]}",
    "{\"op\":\"layout.structure\",\"layout\":\"(4,6):(4,-2)\"}",
    "{\"op\":\"tensormap.check\",\"target\":\"sm_90a\",\"map\":{\"type\":9,"
    "\"address\":0,\"extent\":[64,64],\"stride\":[128],\"box\":[64,64]}}",
    "{\"op\":\"tensormap.repair\",\"target\":\"sm_90a\",\"map\":{\"type\":9,"
    "\"address\":0,\"extent\":[64,64],\"stride\":[128],\"box\":[64,64]}}",
    "{\"op\":\"tensormap.pack\",\"target\":\"sm_90a\",\"map\":{\"type\":9,"
    "\"address\":0,\"extent\":[64,64],\"stride\":[128],\"box\":[64,64]}}",
    "{\"op\":\"tensormap.unpack\",\"target\":\"sm_90a\",\"words\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}",
    "{\"op\":\"tensormap.fill\",\"target\":\"sm_90a\",\"map\":{\"type\":9,"
    "\"address\":\"at\",\"extent\":[64,64],\"stride\":[128],\"box\":[64,64]}}",
    "{\"op\":\"copy.check\",\"target\":\"sm_90a\",\"instruction\":\"bulk.g2s\"}",
    "{\"op\":\"barrier.check\",\"target\":\"sm_90a\",\"barrier\":\"init\"}",
    "{\"op\":\"block.check\",\"target\":\"sm_90a\",\"threads\":128}",
    "{\"op\":\"replace.check\",\"target\":\"sm_90a\",\"field\":\"rank\",\"value\":1}",
    "{\"op\":\"instruction.check\",\"target\":\"sm_90a\",\"instruction\":\"bulk.wait\"}",
    "{\"op\":\"buffer.pack\",\"target\":\"gfx942\",\"base\":4096,\"records\":64}",
    "{\"op\":\"buffer.unpack\",\"target\":\"gfx942\",\"desc\":\"0x00020000000000400000000000001000\"}",
    "{\"op\":\"buffer.check\",\"target\":\"gfx942\",\"base\":4096,\"records\":64}",
    "{\"op\":\"buffer.reach\",\"target\":\"gfx942\",\"base\":4096,\"records\":64,\"bytes\":4}",
    "{\"op\":\"tdm.pack\",\"target\":\"gfx1250\",\"address\":4096,\"lds\":0,\"tile\":[64],\"extent\":[64]}",
    "{\"op\":\"tdm.unpack\",\"target\":\"gfx1250\",\"groups\":[\"0x1\",\"0x0\"]}",
    "{\"op\":\"tdm.check\",\"target\":\"gfx1250\",\"address\":4096,\"lds\":0,\"tile\":[64],\"extent\":[64]}",
    "{\"op\":\"waitcnt.pack\",\"target\":\"gfx942\"}",
    "{\"op\":\"waitcnt.unpack\",\"target\":\"gfx942\",\"operand\":3952}",
    "{\"op\":\"smemdesc.pack\",\"target\":\"sm_90a\",\"start\":0,\"lbo\":16,\"sbo\":1024,"
    "\"swizzle\":3}",
    "{\"op\":\"smemdesc.unpack\",\"target\":\"sm_90a\",\"desc\":0}",
    "{\"op\":\"smemdesc.check\",\"target\":\"sm_90a\",\"desc\":0}",
    "{\"op\":\"smemdesc.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"major\":\"K\",\"layout\":"
    "\"Sw<3,3,3> o 0 o (64,64):(64,1)\",\"mma\":[64,16],\"address\":1024}",
    "{\"op\":\"smemdesc.layout\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"major\":\"K\",\"start\":1024,"
    "\"lbo\":16,\"sbo\":1024,\"swizzle\":\"128B\",\"mn\":64,\"k\":16}",
    "{\"op\":\"smemdesc.advance\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"major\":\"K\",\"start\":1024,"
    "\"lbo\":16,\"sbo\":1024,\"swizzle\":\"128B\",\"mn\":64,\"k\":16,\"at\":[0,16]}",
    "{\"op\":\"mma.check\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":8,\"k\":"
    "16}",
    "{\"op\":\"mma.explain\",\"target\":\"gfx942\",\"instruction\":\"mfma\",\"m\":32,\"n\":32,\"k\":8}",
    "{\"op\":\"mma.operands\",\"target\":\"gfx942\",\"instruction\":\"mfma\",\"m\":32,\"n\":32,\"k\":8,"
    "\"registers\":{\"d\":\"a[0:15]\",\"a\":\"v[16:17]\",\"b\":\"v[20:21]\",\"c\":\"0\"}}",
    "{\"op\":\"mma.lanes\",\"target\":\"gfx942\",\"instruction\":\"mfma\",\"m\":4,\"n\":4,\"k\":4,"
    "\"fragment\":\"A\"}",
    "{\"op\":\"mma.fragment\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":16,\"k\":"
    "16,\"fragment\":\"D\"}",
    "{\"op\":\"warp.fragment\",\"fragment\":\"A\",\"bits\":16,\"registers\":4}",
    "{\"op\":\"idesc.pack\",\"kind\":\"f16\",\"a\":\"bf16\",\"b\":\"bf16\",\"d\":\"f32\",\"m\":128,"
    "\"n\":256}",
    "{\"op\":\"idesc.unpack\",\"kind\":\"f16\",\"desc\":\"0x08400490\"}",
    "{\"op\":\"idesc.check\",\"target\":\"sm_100a\",\"kind\":\"f16\",\"desc\":\"0x08400490\"}",
    "{\"op\":\"tmem.issue\",\"target\":\"sm_100a\",\"instruction\":\"alloc\"}",
    "{\"op\":\"tmem.layout\",\"shape\":\"128x256b\"}",
    "{\"op\":\"bank.count\",\"target\":\"sm_90\",\"instruction\":\"ld.shared.b32\",\"addresses\":["
    "0,null,null,null,null,null,null,null,null,null,null,"
    "null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,"
    "null,null,null]}",
    "{\"op\":\"target.show\",\"target\":\"sm_90a\"}",
    "{\"op\":\"machine.info\",\"target\":\"sm_90a\"}",
    "{\"op\":\"rule.explain\",\"rule\":\"TMAP_STRIDE_16\"}",
    "{\"op\":\"tensormap.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"source\":"
    "\"(64,64):(64,1)\",\"tile\":[64,64]}",
    "{\"op\":\"copy.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"src\":{\"layout\":"
    "\"(64,8):(1,64)\",\"space\":\"global\"},\"dst\":{\"layout\":\"(64,8):(1,64)\",\"space\":"
    "\"shared\"}}",
    "{\"op\":\"swizzle.synth\",\"target\":\"sm_90a\",\"elem_bits\":32,\"shape\":[32,32],\"accesses\":"
    "[{\"instruction\":\"st.shared.b32\",\"layout\":\"32:32\"}]}",
    "{\"op\":\"stage.synth\",\"target\":\"sm_90a\",\"tiles\":[{\"tensors\":[{\"name\":\"A\",\"type\":"
    "\"f32\",\"source\":\"(64,64):(64,1)\",\"shape\":[32,16],\"accesses\":[{\"instruction\":"
    "\"ld.shared.b32\",\"layout\":\"(32,1,16):(1,0,32)\"}]}]}]}",
    "{\"op\":\"convert.synth\",\"target\":\"sm_90a\",\"elem_bits\":32,\"src\":\"(2,2):(1,2)\",\"dst\":"
    "\"(2,2):(2,1)\"}",
    "{\"op\":\"layout.factor\",\"target\":\"sm_90a\",\"layout\":\"Sw<3,3,3> o 0 o (64,8):(1,64)\"}",
    "{\"op\":\"word.synth\",\"slots\":[[\"register\",2],[\"lane\",2]],\"map\":\"(2,2):(2,1)\"}",
    "{\"op\":\"swizzle.normal\",\"layout\":\"Sw<3,3,3> o 0 o (64,8):(1,64)\"}",
    "{\"op\":\"cluster.multicast\",\"target\":\"sm_90a\",\"map\":{\"type\":\"bf16\",\"address\":0,"
    "\"extent\":[4096,4096],\"stride\":[8192],\"box\":[32,64]},\"coordinates\":[0,0],"
    "\"cluster\":4}",
    "{\"op\":\"cluster.exchange\",\"src\":\"f2{thread: (1); block: (2) -> tensor: 4}\",\"dst\":"
    "\"f2{thread: (2); block: (1) -> tensor: 4}\"}",
    "{\"op\":\"ragged.map\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"dim\":1,\"address\":1024,\"extent\":[64,512],\"stride\":[128],"
    "\"box\":[64,64]}",
    "{\"op\":\"ragged.pool\",\"tails\":8,\"boxes\":2}",
    "{\"op\":\"ragged.choose\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"dim\":1,\"address\":1024,\"extent\":[64,512],\"stride\":[128],"
    "\"box\":[64,64],\"groups\":1,\"count\":2}",
    "{\"op\":\"wave.synth\",\"target\":\"gfx950\",\"instruction\":\"mfma\",\"m\":32,\"n\":32,"
    "\"k\":16,\"fragment\":\"A\",\"rows\":128,\"depth\":64,\"threads\":256}",
    "{\"op\":\"fragment.synth\",\"layout\":\"((4,8),(2,2)):((32,1),(16,8))\"}",
    "{\"op\":\"tmem.synth\",\"layout\":\"(128,64):(65536,1)\"}",
    "{\"op\":\"tmem.pack\",\"target\":\"sm_100a\",\"buffers\":[{\"columns\":256,\"first\":0,"
    "\"last\":1},{\"columns\":128,\"first\":1,\"last\":2}]}",
    "{\"op\":\"io.gemm\",\"target\":\"sm_90a\",\"m\":64,\"n\":64,\"k\":64}",
    "{\"op\":\"io.attention\",\"target\":\"sm_90a\",\"head\":64,\"queries\":64,\"keys\":64}",
    "{\"op\":\"io.chain\",\"target\":\"sm_90a\",\"m\":64,\"k\":64,\"h\":64,\"n\":64}",
    "{\"op\":\"places.find\",\"target\":\"sm_90a\",\"values\":[{\"name\":\"x\",\"rows\":8,\"columns\":8,\"bits\":32,\"from\":\"global\"},"
    "{\"name\":\"y\",\"rows\":8,\"columns\":8,\"bits\":32,\"to\":\"global\"}],\"operations\":[{\"form\":\"map\",\"reads\":[\"x\"],\"writes\":[\"y\"]}]}",
    "{\"op\":\"region.cover\",\"rows\":{\"lengths\":[200,0,70]},\"tiles\":[{\"rows\":128},"
    "{\"rows\":16}]}",
    "{\"op\":\"region.check\",\"rows\":{\"lengths\":[70]},\"tiles\":[{\"rows\":16}],\"parts\":"
    "[{\"group\":0,\"tile\":0,\"row\":0,\"rows\":70}]}",
    "{\"op\":\"tiling.cover\",\"bands\":[{\"rows\":4,\"end\":1,\"end_step\":1}],\"tiles\":"
    "[{\"rows\":2,\"columns\":2},{\"rows\":1,\"columns\":1}]}",
    "{\"op\":\"tiling.check\",\"lengths\":[2,1],\"tiles\":[{\"rows\":2,\"columns\":2}],\"each\":"
    "[{\"tile\":0,\"row\":0,\"column\":0}]}",
    "{\"op\":\"variants.choose\",\"unknowns\":[\"n\"],\"shapes\":[[8],[3]],\"variants\":[{\"cost\":\"n\"},"
    "{\"guard\":[\"n % 8 == 0\"],\"cost\":\"n / 8\"}]}",
    "{\"op\":\"variants.gemm\",\"unknowns\":[\"m\"],\"shapes\":[[64]],\"gemm\":{\"target\":\"sm_90a\",\"m\":\"m\",\"n\":64,"
    "\"k\":64}}",
    "{\"op\":\"variants.tile\",\"unknowns\":[\"M\",\"K\",\"ld\"],\"shapes\":[[64,64,64]],"
    "\"tile\":{\"target\":\"sm_90a\",\"type\":\"bf16\",\"source\":\"(M,K):(ld,1)\",\"tile\":[64,64],\"edge\":\"weak\"}}",
    "{\"op\":\"body.check\",\"body\":\"body b\\nmatrix C f32\\nC = C + 1\\nend\"}",
    "{\"op\":\"pipe.verify\",\"pipe\":\"pipe p\\nparam N 1..\\nsmem A[2] 64\\nbar full[2] count "
    "1\\nbar empty[2] count 1\\ninit full\\ninit empty\\n"
    "fence mbarrier_init\\nsync cta\\nrole p warps 0..0 elect\\nfor i in 0..N\\nwait empty[i % 2] "
    "parity (i / 2 + 1) % 2\\n"
    "expect full[i % 2] 64\\narrive full[i % 2]\\ncopy tensor 64 -> A[i % 2] signal full[i % "
    "2]\\nend\\nend\\n"
    "role c warps 1..1\\nfor i in 0..N\\nwait full[i % 2] parity i / 2 % 2\\nread A[i % "
    "2]\\narrive empty[i % 2] warps\\nend\\nend\\n\"}",
    "{\"op\":\"pipe.roles\",\"target\":\"sm_90a\",\"program\":\""
    "tiles p\\nloop N 1..\\nshared A 8192\\nshared B 8192\\nshared D 8192\\nbody convert\\n"
    "  matrix C f32\\n  matrix R bf16\\n  R = bf16(C)\\nend\\nloop\\n"
    "  copy tensor 8192 -> A : cycles 100 latency 600\\n"
    "  copy tensor 8192 -> B : cycles 100 latency 600\\n"
    "  mma A, B -> C fresh first : cycles 128 latency 200\\nafter\\n"
    "  use C, R body convert\\n  write D from R\\n  store D 8192\\n\"}",
    "{\"op\":\"tmem.check\",\"pipe\":\"pipe p\\ntmem C[1] 48\\nalloc C\\nrole r warps 0..0\\ndealloc "
    "C\\nend\\n\"}",
    "{\"op\":\"pipe.fences\",\"pipe\":\"pipe p\\nparam N 1..\\nsmem A[2] 64\\nbar full[2] count "
    "1\\nbar empty[2] count 1\\ninit full\\ninit empty\\n"
    "sync cta\\nrole p warps 0..0 elect\\nfor i in 0..N\\nwait empty[i % 2] "
    "parity (i / 2 + 1) % 2\\n"
    "expect full[i % 2] 64\\narrive full[i % 2]\\ncopy tensor 64 -> A[i % 2] signal full[i % "
    "2]\\nend\\nend\\n"
    "role c warps 1..1\\nfor i in 0..N\\nwait full[i % 2] parity i / 2 % 2\\nread A[i % "
    "2]\\nsync role\\narrive empty[i % 2] warps\\nend\\nend\\n\"}",
    "{\"op\":\"pipe.cycles\",\"target\":\"sm_90a\",\"params\":{\"N\":3},\"pipe\":\"pipe r\\nparam N 0..\\nrole r warps 0..0\\nfor i in 0..N\\nsync role\\nend\\nend\\n\"}",
    "{\"op\":\"pipe.schedule\",\"ops\":[{\"name\":\"a\",\"unit\":\"u\",\"cycles\":1,\"latency\":2}],"
    "\"edges\":[{\"from\":\"a\",\"to\":\"a\",\"distance\":1}],\"units\":{\"u\":1}}",
    "{\"op\":\"plan.gemm\",\"target\":\"sm_90a\",\"m\":64,\"n\":64,\"k\":64}",
    "{\"op\":\"plan.attention\",\"target\":\"sm_90a\",\"head\":64,\"queries\":64,\"keys\":64}",
    "{\"op\":\"plan.candidates\",\"target\":\"sm_90a\",\"m\":64,\"n\":64,\"k\":64}",
    "{\"op\":\"attention.candidates\",\"target\":\"sm_90a\",\"head\":256,\"queries\":64,\"keys\":64}",
    "{\"op\":\"gemm.cycles\",\"target\":\"sm_90a\",\"m\":512,\"n\":512,\"k\":512}",
    "{\"op\":\"attention.cycles\",\"target\":\"sm_90a\",\"head\":64,\"queries\":512,\"keys\":512}",
    "{\"op\":\"plan.weights\",\"target\":\"sm_90a\",\"m\":16,\"n\":64,\"k\":256}",
    "{\"op\":\"tuning.check\",\"text\":\"\"}",
    "{\"op\":\"tuning.merge\",\"a\":\"\",\"b\":\"\"}",
    "{\"op\":\"tuning.find\",\"text\":\"\",\"target\":\"sm_90a\",\"m\":64,\"n\":64,\"k\":64}",
    "{\"op\":\"tuning.find_attention\",\"text\":\"\",\"target\":\"sm_90a\",\"head\":64,\"queries\":64,\"keys\":64}",
    "{\"op\":\"emit\",\"target\":\"sm_90a\",\"what\":\"header\",\"name\":\"g\",\"m\":64,\"n\":64,"
    "\"k\":64}",
    "{\"op\":\"show.layout\",\"layout\":\"(2,3):(3,1)\"}",
    "{\"op\":\"show.tensormap\",\"target\":\"sm_90a\",\"words\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}",
    "{\"op\":\"show.smemdesc\",\"target\":\"sm_90a\",\"desc\":0}",
    "{\"op\":\"show.idesc\",\"target\":\"sm_100a\",\"kind\":\"f16\",\"desc\":0}",
    "{\"op\":\"show.buffer\",\"target\":\"gfx942\",\"desc\":\"0x0\"}",
    "{\"op\":\"show.banks\",\"target\":\"sm_90a\",\"instruction\":\"ld.shared.b32\",\"addresses\":\"32:4\"}",
    "{\"op\":\"show.box\",\"coordinates\":[0,0],\"map\":{\"type\":\"bf16\",\"address\":0,"
    "\"extent\":[64,64],\"stride\":[128],\"box\":[64,8]}}",
    "{\"op\":\"show.swizzle\",\"elem_bits\":32,\"before\":\"(4,4):(4,1)\",\"after\":\"(4,4):(5,1)\"}",
    "{\"op\":\"show.pipe\",\"pipe\":\"pipe p\\nrole r warps 0..0\\nsync role\\nend\\n\"}",
    "{\"op\":\"show.fragment\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":8,"
    "\"k\":16,\"fragment\":\"D\"}",
    "{\"op\":\"show.warp\",\"fragment\":\"A\",\"bits\":16,\"registers\":4}",
    "{\"op\":\"show.registers\",\"shape\":\"16x64b\"}",
    "{\"op\":\"show.ragged\",\"rows\":{\"lengths\":[5]},\"tiles\":[{\"rows\":4}]}",
    "{\"op\":\"show.tmem\",\"pipe\":\"pipe p\\ntmem C[1] 48\\nalloc C\\nrole r warps 0..0\\ndealloc "
    "C\\nend\\n\"}",
    "{\"op\":\"show.schedule\",\"ops\":[{\"name\":\"a\",\"unit\":\"u\",\"cycles\":2,\"latency\":2}],"
    "\"edges\":[],\"units\":{\"u\":1}}",
    "{\"op\":\"show.places\",\"target\":\"sm_90a\",\"values\":[{\"name\":\"A\",\"rows\":64,\"columns\":64,\"bits\":16,"
    "\"from\":\"global\"},{\"name\":\"B\",\"rows\":64,\"columns\":64,\"bits\":16,\"to\":\"global\"}],"
    "\"operations\":[{\"form\":\"map\",\"reads\":[\"A\"],\"writes\":[\"B\"]}]}",
};

#endif
