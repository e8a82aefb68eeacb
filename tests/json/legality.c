/* SPDX-License-Identifier: Apache-2.0 */
/* What each operation of legality answers.  The answers are counted by hand, or stand in CuTe's documents, the
 * PTX ISA or the measurements that the rules cite; nothing here was copied from an output. */
#define _POSIX_C_SOURCE 200809L /* strdup */

#include "json_ask.h"

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
        {UNDER("\"2*K\"", "[\"64 <= K <= 65536\"]"), "ok.guard", "\"K % 8 == 0\""},
        {UNDER("\"2*K\"", "[\"64 <= K <= 65536\"]"), "ok.driver", "\"unknown\""},
        {UNDER("128", "[]"), "ok.answer", "\"yes\""},
        {UNDER("\"K*K\"", "[]"), "error", "\"EINVAL\""},
        {UNDER("\"128\"", "[\"K\"]"), "error", "\"EINVAL\""},
        {BASE("\"K\"", "[\"0 <= K <= 4096\"]"), "ok.guard", "\"K % 16 == 0\""},
        {BASE("\"K\"", "[\"-64 <= K <= 4096\"]"), "ok.guard", "\"K >= 0 && K % 16 == 0\""},
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

static void buffers(void **state)
{
    static const char *const rows[][3] = {
        {"{\"op\":\"buffer.pack\",\"target\":\"gfx942\",\"base\":\"0x7f0012345600\",\"records\":4096,\"data_format\":4}", "ok", "\"0x000200000000100000007f0012345600\""},
        {"{\"op\":\"buffer.pack\",\"target\":\"gfx942\",\"base\":\"0x1000000000000\",\"records\":1}", "error", "\"EINVAL\""},
        {"{\"op\":\"buffer.pack\",\"target\":\"sm_90\",\"base\":0,\"records\":1}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"buffer.unpack\",\"target\":\"gfx942\",\"desc\":\"0x000200000000100000007F0012345600\"}", "ok.records", "4096"},
        {"{\"op\":\"buffer.unpack\",\"target\":\"gfx942\",\"desc\":\"0x000200000000100000007F0012345600\"}", "ok.data_format", "4"},
        {"{\"op\":\"buffer.unpack\",\"target\":\"gfx942\",\"desc\":\"0x000200000000100000007f00123456001\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"buffer.unpack\",\"target\":\"gfx942\",\"desc\":\"0x0g\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"buffer.check\",\"target\":\"gfx942\",\"base\":0,\"records\":1,\"stride\":16384}", "ok.answer", "\"no\""},
        {"{\"op\":\"buffer.reach\",\"target\":\"gfx942\",\"base\":4096,\"records\":64,\"offset\":48,\"bytes\":16}", "ok.address", "4144"},
        {"{\"op\":\"buffer.reach\",\"target\":\"gfx942\",\"base\":4096,\"records\":64,\"offset\":64,\"bytes\":16}", "ok.answer", "\"no\""},
        {"{\"op\":\"buffer.reach\",\"target\":\"gfx942\",\"base\":4096,\"records\":64,\"offset\":56,\"bytes\":16}", "ok.answer", "\"undecided\""},
        {"{\"op\":\"buffer.reach\",\"target\":\"gfx942\",\"base\":4096,\"records\":64,\"bytes\":17}", "error", "\"EINVAL\""},
        {"{\"op\":\"waitcnt.pack\",\"target\":\"gfx942\",\"lgkmcnt\":0}", "ok", "\"0xc07f\""},
        {"{\"op\":\"waitcnt.pack\",\"target\":\"gfx942\",\"lgkmcnt\":16}", "error", "\"EINVAL\""},
        {"{\"op\":\"waitcnt.pack\",\"target\":\"gfx1250\"}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"emit\",\"what\":\"snippets\",\"target\":\"gfx942\",\"name\":\"x\"}", "ok.language", "\"c\""},
        {"{\"op\":\"emit\",\"what\":\"snippets\",\"target\":\"sm_90\",\"name\":\"x\"}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"emit\",\"what\":\"snippets\",\"target\":\"gfx942\",\"name\":\"x\",\"m\":1}", "error", "\"EINVAL\""},
        {"{\"op\":\"emit\",\"what\":\"layout\",\"layout\":\"(4,8):(8,1)\",\"language\":\"hip\",\"name\":\"at\"}", "ok.language", "\"hip\""},
        {"{\"op\":\"emit\",\"what\":\"layout\",\"layout\":\"(4,8):(8,1)\",\"language\":\"ptx\",\"name\":\"at\"}", "ok.ptx", "null"},
        {"{\"op\":\"emit\",\"what\":\"layout\",\"layout\":\"(4,8):(8,1)\",\"language\":\"c\",\"name\":\"at\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"emit\",\"what\":\"layout\",\"layout\":\"(4,8):(8,1)\",\"language\":\"ptx\",\"name\":\"__global__\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"emit\",\"what\":\"layout\",\"layout\":\"(4,8):(ld,1)\",\"language\":\"ptx\",\"name\":\"at\"}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"emit\",\"what\":\"layout\",\"target\":\"sm_90\",\"layout\":\"(4,8):(8,1)\",\"language\":\"ptx\",\"name\":\"at\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"emit\",\"what\":\"layout\",\"language\":\"ptx\",\"name\":\"at\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"emit\",\"what\":\"word\",\"slots\":[[\"register\",2],[\"lane\",32]],\"map\":\"(2,2,16):(2,1,4)\",\"language\":\"cuda\",\"name\":\"turn\"}", "ok.language", "\"cuda\""},
        {"{\"op\":\"emit\",\"what\":\"word\",\"slots\":[[\"register\",2],[\"lane\",32]],\"map\":\"(2,2,16):(2,1,4)\",\"language\":\"hip\",\"name\":\"turn\"}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"emit\",\"what\":\"word\",\"slots\":[[\"register\",2],[\"lane\",32]],\"map\":\"(2,2,16):(2,1,4)\",\"language\":\"cuda\",\"name\":\"int\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"emit\",\"what\":\"convert\",\"target\":\"sm_90a\",\"elem_bits\":32,\"src\":\"f2{register: (1) (2); lane: (4) (8) (16) (32) (64) -> t: 128}\",\"dst\":\"f2{register: (64) (2); lane: (4) (8) (16) (32) (1) -> t: 128}\",\"language\":\"cuda\",\"name\":\"c\"}", "ok.language", "\"cuda\""},
        {"{\"op\":\"emit\",\"what\":\"convert\",\"target\":\"sm_90a\",\"elem_bits\":32,\"src\":\"f2{register: (1) (2); lane: (4) (8) (16) (32) (64) -> t: 128}\",\"dst\":\"f2{register: (64) (2); lane: (4) (8) (16) (32) (1) -> t: 128}\",\"language\":\"hip\",\"name\":\"c\"}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"emit\",\"what\":\"convert\",\"target\":\"sm_90a\",\"elem_bits\":32,\"src\":\"f2{register: (1) (2); lane: (4) (8) (16) (32) (64) -> t: 128}\",\"dst\":\"f2{register: (64) (2); lane: (4) (8) (16) (32) (1) -> t: 128}\",\"language\":\"rust\",\"name\":\"c\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"emit\",\"what\":\"tensormap\",\"target\":\"sm_90a\",\"map\":{\"mode\":0,\"type\":9,\"rank\":1,\"address\":0,\"extent\":[64],\"stride\":[],\"box\":[64],\"step\":[1],\"interleave\":0,\"swizzle\":0,\"l2\":0,\"oob\":0},\"language\":\"cuda\",\"name\":\"m\"}", "ok.language", "\"cuda\""},
        {"{\"op\":\"emit\",\"what\":\"tensormap\",\"target\":\"sm_100a\",\"map\":{\"mode\":0,\"type\":9,\"rank\":1,\"address\":0,\"extent\":[64],\"stride\":[],\"box\":[64],\"step\":[1],\"interleave\":0,\"swizzle\":0,\"l2\":0,\"oob\":0},\"language\":\"ptx\",\"name\":\"m\"}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"emit\",\"what\":\"tensormap\",\"target\":\"sm_90a\",\"map\":{\"mode\":0,\"type\":9,\"rank\":1,\"address\":0,\"extent\":[64],\"stride\":[],\"box\":[64],\"step\":[1],\"interleave\":0,\"swizzle\":0,\"l2\":0,\"oob\":0},\"language\":\"hip\",\"name\":\"m\"}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"emit\",\"what\":\"smemdesc\",\"target\":\"sm_90a\",\"desc\":\"0x4000004000010040\",\"step\":[0,32],\"language\":\"ptx\",\"name\":\"d\"}", "ok.language", "\"ptx\""},
        {"{\"op\":\"emit\",\"what\":\"smemdesc\",\"target\":\"sm_90a\",\"desc\":\"0x4000004000010040\",\"step\":[],\"language\":\"ptx\",\"name\":\"d\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"emit\",\"what\":\"smemdesc\",\"target\":\"sm_90a\",\"desc\":\"0x4000004000010040\",\"step\":[0,8],\"language\":\"ptx\",\"name\":\"d\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"emit\",\"what\":\"smemdesc\",\"target\":\"sm_90a\",\"desc\":\"0x4000004000010040\",\"step\":[0,-4096],\"language\":\"ptx\",\"name\":\"d\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"emit\",\"what\":\"smemdesc\",\"target\":\"sm_80\",\"desc\":\"0x4000004000010040\",\"step\":[0],\"language\":\"ptx\",\"name\":\"d\"}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"emit\",\"what\":\"idesc\",\"target\":\"sm_100a\",\"kind\":\"f16\",\"desc\":\"0x08400490\",\"language\":\"cuda\",\"name\":\"w\"}", "ok.language", "\"cuda\""},
        {"{\"op\":\"emit\",\"what\":\"idesc\",\"target\":\"sm_100a\",\"kind\":\"f16\",\"desc\":\"0x108400490\",\"language\":\"cuda\",\"name\":\"w\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"emit\",\"what\":\"idesc\",\"target\":\"sm_100a\",\"kind\":\"f16\",\"desc\":\"0\",\"language\":\"cuda\",\"name\":\"w\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"emit\",\"what\":\"ring\",\"target\":\"sm_90a\",\"pipe\":\"pipe ring\\nparam N 0..\\nsmem A[2] 16384\\nbar full[2] count 1\\nbar empty[2] count 128\\ninit full\\ninit empty\\nfence mbarrier_init\\nsync cta\\nrole producer warps 0..3 elect\\n  for i in 0..N\\n    wait empty[i % 2] parity (i / 2 + 1) % 2\\n    expect full[i % 2] 16384\\n    arrive full[i % 2]\\n    copy tensor 16384 -> A[i % 2] signal full[i % 2]\\n  end\\nend\\nrole consumer warps 4..7\\n  for i in 0..N\\n    wait full[i % 2] parity i / 2 % 2\\n    read A[i % 2]\\n    arrive empty[i % 2] threads\\n  end\\nend\\n\",\"language\":\"cuda\",\"name\":\"r\"}", "ok.language", "\"cuda\""},
        {"{\"op\":\"emit\",\"what\":\"ring\",\"target\":\"sm_90a\",\"pipe\":\"pipe ring\\nparam N 0..\\nsmem A[2] 16384\\nbar full[2] count 1\\nbar empty[2] count 128\\ninit full\\ninit empty\\nfence mbarrier_init\\nsync cta\\nrole producer warps 0..3 elect\\n  for i in 0..N\\n    wait empty[i % 2] parity (i / 2 + 1) % 2\\n    expect full[i % 2] 16384\\n    arrive full[i % 2]\\n    copy tensor 16384 -> A[i % 2] signal full[i % 2]\\n  end\\nend\\nrole consumer warps 4..7\\n  for i in 0..N\\n    wait full[i % 2] parity i / 2 % 2\\n    read A[i % 2]\\n    arrive empty[i % 2] threads\\n  end\\nend\\n\",\"language\":\"hip\",\"name\":\"r\"}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"emit\",\"what\":\"ring\",\"target\":\"sm_80\",\"pipe\":\"pipe ring\\nparam N 0..\\nsmem A[2] 16384\\nbar full[2] count 1\\nbar empty[2] count 128\\ninit full\\ninit empty\\nfence mbarrier_init\\nsync cta\\nrole producer warps 0..3 elect\\n  for i in 0..N\\n    wait empty[i % 2] parity (i / 2 + 1) % 2\\n    expect full[i % 2] 16384\\n    arrive full[i % 2]\\n    copy tensor 16384 -> A[i % 2] signal full[i % 2]\\n  end\\nend\\nrole consumer warps 4..7\\n  for i in 0..N\\n    wait full[i % 2] parity i / 2 % 2\\n    read A[i % 2]\\n    arrive empty[i % 2] threads\\n  end\\nend\\n\",\"language\":\"cuda\",\"name\":\"r\"}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"emit\",\"what\":\"ring\",\"target\":\"sm_90a\",\"pipe\":\"pipe ring\\nparam N 0..\\nsmem A[2] 16384\\nbar full[2] count 1\\nbar empty[2] count 128\\ninit full\\ninit empty\\nfence mbarrier_init\\nsync cta\\nrole producer warps 0..3 elect\\n  for i in 0..N\\n    expect full[i % 2] 16384\\n    arrive full[i % 2]\\n    copy tensor 16384 -> A[i % 2] signal full[i % 2]\\n  end\\nend\\nrole consumer warps 4..7\\n  for i in 0..N\\n    wait full[i % 2] parity i / 2 % 2\\n    read A[i % 2]\\n    arrive empty[i % 2] threads\\n  end\\nend\\n\",\"language\":\"cuda\",\"name\":\"r\"}", "none", "\"pipe ring: line 12 breaks rule overrun\""},
        {"{\"op\":\"emit\",\"what\":\"ragged\",\"name\":\"f\",\"kind\":\"copy\",\"language\":\"cuda\",\"groups\":8,\"source_rows\":64,\"target_rows\":64,\"row_bytes\":6}", "ok.threads", "256"},
        {"{\"op\":\"emit\",\"what\":\"ragged\",\"name\":\"f\",\"kind\":\"copy\",\"language\":\"cuda\",\"groups\":8,\"source_rows\":64,\"target_rows\":64,\"row_bytes\":6}", "ok.arguments.3.name", "\"source_offsets\""},
        {"{\"op\":\"emit\",\"what\":\"ragged\",\"name\":\"f\",\"kind\":\"transpose\",\"language\":\"hip\",\"source_rows\":64,\"target_rows\":64,\"element_bytes\":2}", "ok.language", "\"hip\""},
        {"{\"op\":\"emit\",\"what\":\"ragged\",\"name\":\"f\",\"kind\":\"copy\",\"language\":\"ptx\",\"groups\":8,\"source_rows\":64,\"target_rows\":64,\"row_bytes\":6}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"emit\",\"what\":\"ragged\",\"name\":\"f\",\"kind\":\"copy\",\"language\":\"cuda\",\"groups\":0,\"source_rows\":64,\"target_rows\":64,\"row_bytes\":6}", "message", "\"groups: there is none\""},
        {"{\"op\":\"emit\",\"what\":\"ragged\",\"name\":\"f\",\"kind\":\"join\",\"language\":\"cuda\",\"groups\":8,\"source_rows\":64,\"target_rows\":64,\"row_bytes\":6}", "error", "\"EINVAL\""},
        {"{\"op\":\"emit\",\"what\":\"ragged\",\"name\":\"f\",\"kind\":\"copy\",\"language\":\"cuda\",\"groups\":8,\"source_rows\":64,\"target_rows\":64,\"row_bytes\":6,\"rows\":3}", "error", "\"EINVAL\""},
        {"{\"op\":\"emit\",\"what\":\"wave\",\"target\":\"gfx942\",\"instruction\":\"mfma\",\"m\":32,\"n\":32,\"k\":8,\"fragment\":\"B\",\"rows\":64,\"depth\":64,\"threads\":256,\"language\":\"hip\",\"name\":\"b\"}", "ok.language", "\"hip\""},
        {"{\"op\":\"emit\",\"what\":\"wave\",\"target\":\"gfx942\",\"instruction\":\"mfma\",\"m\":32,\"n\":32,\"k\":8,\"fragment\":\"B\",\"rows\":64,\"depth\":64,\"threads\":256,\"language\":\"cuda\",\"name\":\"b\"}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"emit\",\"what\":\"wave\",\"target\":\"gfx942\",\"instruction\":\"mfma\",\"m\":32,\"n\":32,\"k\":8,\"fragment\":\"B\",\"rows\":64,\"depth\":48,\"threads\":256,\"language\":\"hip\",\"name\":\"b\"}", "error", "\"EINVAL\""},
        {"{\"op\":\"waitcnt.unpack\",\"target\":\"gfx90a\",\"operand\":\"0x0f70\"}", "ok.vmcnt", "0"},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
}

static void tensors(void **state)
{
    static const char *const rows[][3] = {
        {"{\"op\":\"tdm.pack\",\"target\":\"gfx1250\",\"address\":\"0x7f0012345600\",\"lds\":1024,\"tile\":[64,16],\"extent\":[4096,1024],\"stride\":[4096],\"element\":1,\"pad\":1,\"pad_interval\":4,\"pad_amount\":3}", "ok", "[\"0x80007f00123456000000040000000001\",\"0x0000000000000000000010000000001000400000040000001000000007110000\"]"},
        {"{\"op\":\"tdm.pack\",\"target\":\"gfx1250\",\"address\":0,\"lds\":0,\"tile\":[1,1,1,7],\"extent\":[64]}", "ok.2", "\"0x00070000000000000000000000000000\""},
        {"{\"op\":\"tdm.pack\",\"target\":\"gfx1250\",\"address\":\"0x7f0012345600\",\"lds\":1024,\"tile\":[64,16],\"extent\":[4096,1024],\"stride\":[4096],\"element\":1,\"pad\":1,\"pad_interval\":4,\"pad_amount\":3,\"th\":8}", "error", "\"EINVAL\""},
        {"{\"op\":\"tdm.pack\",\"target\":\"gfx950\",\"address\":0,\"lds\":0,\"tile\":[1],\"extent\":[64]}", "error", "\"ENOTSUP\""},
        {"{\"op\":\"tdm.pack\",\"target\":\"gfx1250\",\"address\":0,\"lds\":0,\"tile\":[1,1,1,1,1,1],\"extent\":[64]}", "error", "\"EINVAL\""},
        {"{\"op\":\"tdm.pack\",\"target\":\"gfx1250\",\"address\":0,\"lds\":0,\"tile\":[4294967296],\"extent\":[64]}", "error", "\"EINVAL\""},
        {"{\"op\":\"tdm.pack\",\"target\":\"gfx1250\",\"address\":0,\"lds\":0,\"tile\":[-1],\"extent\":[64]}", "error", "\"EINVAL\""},
        {"{\"op\":\"tdm.unpack\",\"target\":\"gfx1250\",\"groups\":[\"0x80007f00123456000000040000000001\",\"0x0000000000000000000010000000001000400000040000001000000007110000\"]}", "ok.tile", "[64,16,0,0,0]"},
        {"{\"op\":\"tdm.unpack\",\"target\":\"gfx1250\",\"groups\":[\"0x80007f00123456000000040000000001\",\"0x0000000000000000000010000000001000400000040000001000000007110000\"]}", "ok.address", "139638282147328"},
        {"{\"op\":\"tdm.unpack\",\"target\":\"gfx1250\",\"groups\":[\"0x1\"]}", "error", "\"EINVAL\""},
        {"{\"op\":\"tdm.unpack\",\"target\":\"gfx1250\",\"groups\":[\"0x1\",0]}", "error", "\"EINVAL\""},
        {"{\"op\":\"tdm.unpack\",\"target\":\"gfx1250\",\"groups\":[\"0x1\",\"0xg\"]}", "error", "\"EINVAL\""},
        {"{\"op\":\"tdm.unpack\",\"target\":\"gfx1250\",\"groups\":[\"0x1\",\"0x00000000000000000000000000000000000000000000000000000000000000000\"]}", "error", "\"EINVAL\""},
        {"{\"op\":\"tdm.unpack\",\"target\":\"gfx1250\",\"groups\":[\"0x000000000000000000000000000000000\",\"0x0\"]}", "error", "\"EINVAL\""},
        {"{\"op\":\"tdm.unpack\",\"target\":\"gfx1250\",\"groups\":[\"0x0\",\"0x0\",\"0x0\"]}", "error", "\"EINVAL\""},
        {"{\"op\":\"tdm.check\",\"target\":\"gfx1250\",\"address\":\"0x7f0012345600\",\"lds\":1024,\"tile\":[64,16],\"extent\":[4096,1024],\"stride\":[4096],\"element\":1,\"pad\":1,\"pad_interval\":4,\"pad_amount\":3}", "ok.answer", "\"yes\""},
        {"{\"op\":\"tdm.check\",\"target\":\"gfx1250\",\"address\":\"0x7f0012345600\",\"lds\":1024,\"tile\":[64,16],\"extent\":[4096,1024],\"stride\":[4096],\"element\":1,\"pad\":1,\"pad_interval\":4,\"pad_amount\":3,\"store\":1}", "ok.answer", "\"undecided\""},
        {"{\"op\":\"tdm.check\",\"target\":\"gfx1250\",\"address\":\"0x7f0012345600\",\"lds\":1024,\"tile\":[64,16],\"extent\":[4096,1024],\"stride\":[4096],\"element\":1,\"pad\":1,\"pad_interval\":4,\"pad_amount\":3,\"store\":1}", "ok.conflict.0.rule", "\"TDM_PAD_STORE\""},
        {"{\"op\":\"tdm.check\",\"target\":\"gfx1250\",\"address\":\"0x7f0012345600\",\"lds\":1024,\"tile\":[64,16],\"extent\":[4096,1024],\"stride\":[4096],\"element\":1,\"pad\":1,\"pad_interval\":4,\"pad_amount\":3,\"rank\":3}", "ok.broken.0.rule", "\"TDM_TILE\""},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) says(*state, rows[i][0], rows[i][1], rows[i][2]);
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
    says(*state, "{\"op\":\"mma.explain\",\"target\":\"gfx90a\",\"instruction\":\"mfma\",\"m\":32,\"n\":32,\"k\":8}", "ok.name", "\"v_mfma_f32_32x32x8bf16_1k\"");
    says(*state, "{\"op\":\"mma.explain\",\"target\":\"gfx942\",\"instruction\":\"mfma\",\"m\":32,\"n\":32,\"k\":8}", "ok.cycles", "32");
    says(*state, "{\"op\":\"mma.explain\",\"target\":\"gfx942\",\"instruction\":\"mfma\",\"m\":32,\"n\":32,\"k\":16}", "ok", NULL);
    says(*state, "{\"op\":\"mma.explain\",\"target\":\"sm_90a\",\"instruction\":\"wgmma\",\"m\":64,\"n\":8,\"k\":16}", "error", "\"EINVAL\"");
    says(*state, "{\"op\":\"mma.fragment\",\"target\":\"gfx950\",\"instruction\":\"mfma\",\"m\":16,\"n\":16,\"k\":32,\"fragment\":\"B\"}", "ok", "\"((16,1,4),8):((1,512,128),16)\"");
    says(*state, "{\"op\":\"mma.lanes\",\"target\":\"gfx942\",\"instruction\":\"mfma\",\"m\":4,\"n\":4,\"k\":4,\"fragment\":\"A\",\"cbsz\":1,\"abid\":1}", "ok", "\"4 o (4,2,8,1):(1,0,8,64)\"");
    says(*state, "{\"op\":\"mma.lanes\",\"target\":\"gfx942\",\"instruction\":\"mfma\",\"m\":4,\"n\":4,\"k\":4,\"fragment\":\"D\"}", "error", "\"EINVAL\"");
#define OPERANDS(registers) "{\"op\":\"mma.operands\",\"target\":\"gfx942\",\"instruction\":\"mfma\",\"m\":32,\"n\":32,\"k\":8,\"registers\":" registers "}"
    says(*state, OPERANDS("{\"d\":\"a[0:15]\",\"a\":\"v[16:17]\",\"b\":\"v[20:21]\",\"c\":\"1.0\"}"), "ok.answer", "\"yes\"");
    says(*state, OPERANDS("{\"d\":\"a[0:15]\",\"a\":\"v[17:18]\",\"b\":\"v[20:21]\",\"c\":\"0\"}"), "ok.broken.0.rule", "\"OPERANDS_A_EVEN\"");
    says(*state, OPERANDS("{\"d\":\"a[0:15\",\"a\":\"v[16:17]\",\"b\":\"v[20:21]\",\"c\":\"0\"}"), "error", "\"EINVAL\"");
    says(*state, OPERANDS("{\"a\":\"v[16:17]\",\"b\":\"v[20:21]\",\"c\":\"0\"}"), "error", "\"EINVAL\"");
    says(*state, OPERANDS("7"), "error", "\"EINVAL\"");
#undef OPERANDS
#define WAVE(more) "{\"op\":\"wave.synth\",\"target\":\"gfx942\",\"instruction\":\"mfma\",\"m\":32,\"n\":32,\"k\":8,\"fragment\":\"A\",\"rows\":128,\"depth\":64,\"threads\":256" more "}"
    says(*state, WAVE(",\"any_order\":true"), "ok.layouts.order", "\"(4,2,2,4):(1,8,4,16)\"");
    says(*state, WAVE(",\"path\":\"direct\""), "ok.load_bytes", "4");
    says(*state, WAVE(",\"any_order\":3"), "error", "\"EINVAL\"");
    says(*state, WAVE(",\"path\":\"none\""), "error", "\"EINVAL\"");
#undef WAVE
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
    for (size_t i = 0; zlay_rule_nth(&rule, i) == ZLAY_OK; i++) {
        snprintf(line, sizeof line, "{\"op\":\"rule.explain\",\"rule\":\"%s\"}", rule.id);
        mentions(*state, line, "ok.text", rule.text);
        mentions(*state, line, "ok.source", rule.source);
    }
    mentions(*state, "{\"op\":\"rule.explain\",\"rule\":\"NO\\nSUCH\"}", "none", "NO\\x0aSUCH");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensor_maps), cmocka_unit_test(columns), cmocka_unit_test(repairs),
        cmocka_unit_test(maps_under_facts), cmocka_unit_test(hostile_maps_are_no),
        cmocka_unit_test(buffers), cmocka_unit_test(tensors), cmocka_unit_test(descriptors),
        cmocka_unit_test(matrix_instructions), cmocka_unit_test(banks),
        cmocka_unit_test(banks_refused), cmocka_unit_test(banks_of_two_addresses),
        cmocka_unit_test(rules), cmocka_unit_test(tensor_maps_from_layouts),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
