/* SPDX-License-Identifier: Apache-2.0 */
/* What every operation of synthesis says of requests that cannot be met: a clear status and a message with
 * the field, the rule or the limit; and of hostile ones, whatever stands at any place of a whole request, one
 * answer of the documented forms. */
#include "test.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/json.h>
#include <zlay/zlay.h>

enum { ROOM = 1 << 22 };

static char *ask(zlay_ctx *ctx, const char *line)
{
    static char answer[ROOM];
    zlay_buf out = {answer, sizeof answer, 0};
    zlay_status status = zlay_json_call(ctx, &out, line, strlen(line));
    if (status) fail_msg("%s: %d, %zu bytes", line, status, out.need);
    return answer;
}

/* ---- what cannot be met ------------------------------------------------------------------------------ */

#define MAP(op, source, tile, more) \
    "{\"op\":\"" op "\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"source\":\"" source "\",\"tile\":" tile more "}"
#define TILE(source, tile, more) MAP("tensormap.synth", source, tile, more)
#define COPY(from, to, space, more) \
    "{\"op\":\"copy.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"src\":{\"layout\":\"" from \
    "\",\"space\":\"global\"},\"dst\":{\"layout\":\"" to "\",\"space\":\"" space "\"}" more "}"
#define SWIZZLE(shape, accesses) \
    "{\"op\":\"swizzle.synth\",\"target\":\"sm_90a\",\"elem_bits\":32,\"shape\":" shape ",\"accesses\":[" accesses "]}"
#define ACCESS(layout) "{\"instruction\":\"st.shared.b32\",\"layout\":\"" layout "\"}"
#define CONVERT(src, dst) \
    "{\"op\":\"convert.synth\",\"target\":\"sm_90a\",\"elem_bits\":32,\"src\":\"" src "\",\"dst\":\"" dst "\"}"
#define FACTOR(layout) "{\"op\":\"layout.factor\",\"target\":\"sm_90a\",\"layout\":\"" layout "\"}"
#define WORD(slots, map) "{\"op\":\"word.synth\",\"slots\":" slots ",\"map\":\"" map "\"}"
#define CAST(map, more) \
    "{\"op\":\"cluster.multicast\",\"target\":\"sm_90a\",\"map\":{\"mode\":\"tiled\",\"type\":\"bf16\",\"rank\":2," map \
    "\"step\":[1,1],\"interleave\":0,\"swizzle\":3,\"l2\":0,\"oob\":0}," more "}"
#define RIGHT "\"address\":0,\"extent\":[4096,4096],\"stride\":[8192],\"box\":[64,64],"
#define EXCHANGE(src, dst) "{\"op\":\"cluster.exchange\",\"src\":\"" src "\",\"dst\":\"" dst "\"}"
#define DESC(layout, mma, address) \
    "{\"op\":\"smemdesc.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"major\":\"K\",\"layout\":\"" layout \
    "\",\"mma\":" mma ",\"address\":" address "}"
#define FRAGMENT(layout) "{\"op\":\"fragment.synth\",\"layout\":\"" layout "\"}"
#define TMEM(layout) "{\"op\":\"tmem.synth\",\"layout\":\"" layout "\"}"
#define TRANSFER(src, dst, more) \
    "{\"op\":\"emit\",\"target\":\"sm_90a\",\"what\":\"copy\",\"name\":\"g\",\"src\":\"" src "\",\"dst\":\"" dst \
    "\",\"elem_bits\":16" more "}"

#define ERROR(status) "{\"error\":\"" status "\",\"message\":\""
#define NONE "{\"none\":\""

/* The answer begins with `begin` and has `part`. */
static const struct {
    const char *line, *begin, *part;
} rows[] = {
    /* Empty. */
    {TILE("(64,64):(64,1)", "[]", ""), ERROR("EINVAL"), "tile: "},
    {TILE("(64,64):(64,1)", "[64,0]", ""), ERROR("EINVAL"), "tile: entry 1 is 0"},
    {TILE("()", "[64,64]", ""), ERROR("EINVAL"), "field 'source': byte 1: "},
    {TILE("(0,64):(64,1)", "[64,64]", ""), ERROR("EINVAL"), "field 'source': byte 2: the extent 0"},
    {TILE("(64,64):(64,1)", "[64,64]", ",\"smem\":\"()\""), ERROR("EINVAL"), "field 'smem': byte 1: "},
    {COPY("(64,8):(8,1)", "()", "shared", ""), ERROR("EINVAL"), "field 'dst': byte 1: "},
    {COPY("", "(64,8):(8,1)", "shared", ""), ERROR("EINVAL"), "field 'src': byte 0: "},
    {COPY("(M,K):(ld,1)", "(64,8):(8,1)", "shared", ",\"tile\":[]"), ERROR("EINVAL"), "field 'tile' "},
    {SWIZZLE("[]", ACCESS("32:32")), ERROR("EINVAL"), "field 'shape' "},
    {SWIZZLE("[0,32]", ACCESS("32:32")), ERROR("EINVAL"), "shape: an extent is 0"},
    {SWIZZLE("[32,32]", ""), ERROR("EINVAL"), "field 'accesses' "},
    {SWIZZLE("[32,32]", ACCESS("")), ERROR("EINVAL"), "byte 0: "},
    {CONVERT("(2,2):(1,2)", "()"), ERROR("EINVAL"), "field 'dst': byte 1: "},
    {FACTOR("()"), ERROR("EINVAL"), "field 'layout': byte 1: "},
    {WORD("[]", "(2,2):(2,1)"), ERROR("EINVAL"), "slots"},
    {WORD("[[\"register\",0]]", "(2,2):(2,1)"), ERROR("EINVAL"), "field 'slots' "},
    {CAST(RIGHT, "\"coordinates\":[],\"cluster\":4"), ERROR("EINVAL"), "field 'coordinates' "},
    {CAST(RIGHT, "\"coordinates\":[0,0],\"cluster\":0"), ERROR("EINVAL"), "cluster"},
    {CAST(RIGHT, "\"coordinates\":[0,0],\"cluster\":4,\"cta_mask\":0"), ERROR("EINVAL"), "cta_mask"},
    {EXCHANGE("f2{thread: (1); block: (2) -> tensor: 4}", "f2{thread: ; block: -> tensor: 4}"), ERROR("EINVAL"), "blocks"},
    {DESC("()", "[64,16]", "1024"), ERROR("EINVAL"), "field 'layout': byte 1: "},
    {DESC("Sw<3,3,3> o 0 o (64,64):(64,1)", "[]", "1024"), ERROR("EINVAL"), "field 'mma' "},
    {DESC("Sw<3,3,3> o 0 o (64,64):(64,1)", "[0,16]", "1024"), ERROR("EINVAL"), "mma_mn: 0"},
    {FRAGMENT("()"), ERROR("EINVAL"), "field 'layout': byte 1: "},
    {TMEM("()"), ERROR("EINVAL"), "field 'layout': byte 1: "},
    {TRANSFER("(64,8):(8,1)", "()", ""), ERROR("EINVAL"), "field 'dst': byte 1: "},
    /* Destinations that overlap, with the two that do. */
    {TILE("(64,64):(64,1)", "[64,64]", ",\"smem\":\"(64,64):(0,1)\""), ERROR("EINVAL"), "smem: cells 0 and 1 "},
    {TILE("(64,64):(64,1)", "[64,64]", ",\"smem\":\"(64,64):(32,1)\""), ERROR("EINVAL"), "smem: cells 1 and 2048 "},
    {COPY("(64,8):(8,1)", "(64,8):(8,0)", "shared", ""), ERROR("EINVAL"), "dest.layout: points 0 and 64 "},
    {COPY("(64,8):(ld,1)", "(64,8):(lb,1)", "global", ""), ERROR("EINVAL"), "share an offset unless lb != 0 && (lb >= 8"},
    {COPY("(M,8):(ld,1)", "(M,8):(lb,1)", "global", ",\"tile\":[16,8]"), ERROR("EINVAL"), "share an offset unless "},
    {FACTOR("(64,8):(0,1)"), NONE, "no bijection of slots"},
    {WORD("[[\"register\",2],[\"lane\",2]]", "(2,2):(0,1)"), NONE, "map: is no bijection"},
    {DESC("(64,64):(0,1)", "[64,16]", "1024"), NONE, "DESC_CANONICAL: coordinate (1, 0)"},
    {TRANSFER("(64,8):(8,1)", "(64,8):(0,1)", ""), NONE, "dest: indices 0 and 1 "},
    /* Sizes that differ. */
    {TILE("(64,64):(64,1)", "[64,64]", ",\"smem\":\"(64,32):(32,1)\""), ERROR("EINVAL"), "smem: has 2048 points, the tile 4096"},
    {COPY("(64,8):(8,1)", "(64,4):(4,1)", "shared", ""), ERROR("EINVAL"), "dest.layout: has 256 points, the source 512"},
    {COPY("(M,8):(ld,1)", "(K,8):(8,1)", "global", ",\"tile\":[16,8]"), ERROR("EINVAL"), "dest.layout: mode 0 has K cells, the source's M"},
    {COPY("(M,8):(ld,1)", "(16,4):(4,1)", "shared", ",\"tile\":[16,8]"), ERROR("EINVAL"), "dest.layout: "},
    {CONVERT("(2,2):(1,2)", "(2,4):(1,2)"), NONE, "dst: no slot of src holds element 4"},
    {WORD("[[\"register\",2],[\"lane\",2]]", "(2,4):(4,1)"), ERROR("EINVAL"), "map: has 8 points, and there are 2^2 slots"},
    {WORD("[[\"register\",2,3]]", "2:1"), ERROR("EINVAL"), "field 'slots' "},
    {SWIZZLE("[32,32]", ACCESS("32:64")), ERROR("EINVAL"), "accesses: 0: index 1024 of point 16"},
    {EXCHANGE("f2{thread: (1); block: (2) -> tensor: 4}", "f2{thread: (2); block: (1) -> tensor: 8}"), ERROR("EINVAL"), "outputs"},
    {TRANSFER("(64,8):(8,1)", "(64,4):(4,1)", ""), ERROR("EINVAL"), "source has 512 elements and dest 256"},
    /* Larger than shared memory. */
    {TILE("(4096,4096):(4096,1)", "[1024,1024]", ""), NONE, "SMEM_BLOCK: byte 232448 of the tile"},
    {TILE("(4096,4096):(4096,1)", "[64,64]", ",\"smem\":\"(64,64):(4096,1)\""), NONE, "SMEM_BLOCK: "},
    {TILE("(M,K):(ld,1)", "[1024,1024]", ""), NONE, "SMEM_BLOCK: "},
    {COPY("(640,1000):(1000,1)", "(640,1000):(1000,1)", "shared", ""), NONE, "SMEM_BLOCK: dest.layout ends at byte 1280000"},
    {COPY("(M,K):(ld,1)", "(640,1000):(1000,1)", "shared", ",\"tile\":[640,1000]"), NONE, "SMEM_BLOCK: dest.layout"},
    {SWIZZLE("[1024,1024]", ACCESS("32:32")), NONE, "BLOCK_SMEM: a tile of 1048576 elements has"},
    {CONVERT("(64,32,32):(1,64,2048)", "(64,32,32):(1024,1,32)"), "{\"undecided\":\"", "smem: a round trip takes 262144 bytes"},
    {DESC("Sw<3,3,3> o 0 o (4096,64):(64,1)", "[64,16]", "1024"), NONE, "DESC_START_MOST: coordinate (2048, 0)"},
    {CAST("\"address\":0,\"extent\":[4096,4096],\"stride\":[8192],\"box\":[64,512],", "\"coordinates\":[0,0],\"cluster\":4"), NONE, "TMAP_BOX: "},
    {TMEM("(128,1024):(65536,1)"), NONE, "no layout of tensor memory has 131072 points"},
    /* Bases that are not aligned. */
    {TILE("(64,64):(64,1)", "[64,64]", ",\"address_align\":2"), NONE, "TMAP_ADDRESS_16: byte 0 of the tile"},
    {TILE("3 o (64,64):(64,1)", "[64,64]", ",\"smem\":\"(64,64):(64,1)\""), NONE, "COPY_COORDINATE_16: byte 0 of the tile"},
    {TILE("(64,64):(67,1)", "[64,64]", ",\"smem\":\"(64,64):(64,1)\""), NONE, "TMAP_STRIDE_16: "},
    {TILE("q o (M,64):(64,1)", "[64,64]", ",\"smem\":\"(64,64):(64,1)\",\"facts\":[\"q = 4 mod 8\"]"), NONE, "COPY_COORDINATE_16: byte 0 of the tile"},
    {"{\"op\":\"copy.synth\",\"target\":\"sm_90a\",\"type\":\"bf16\",\"src\":{\"layout\":\"8:1\",\"space\":\"global\",\"align\":1},"
     "\"dst\":{\"layout\":\"8:1\",\"space\":\"shared\"}}", ERROR("EINVAL"), "source.align: 1 is no multiple of an element's 2 bytes"},
    {DESC("Sw<3,3,3> o 0 o (64,64):(64,1)", "[64,16]", "1000"), NONE, "DESC_START_16: coordinate (0, 0)"},
    {CAST("\"address\":8,\"extent\":[4096,4096],\"stride\":[8192],\"box\":[64,64],", "\"coordinates\":[0,0],\"cluster\":4"), NONE, "TMAP_ADDRESS_16: "},
    {CAST(RIGHT, "\"coordinates\":[0,0],\"cluster\":4,\"smem\":8"), NONE, "COPY_SMEM_128: "},
    /* Sizes past 2^32 and 2^64. */
    {TILE("(9223372036854775807,64):(64,1)", "[64,64]", ""), ERROR("EOVERFLOW"), "does not fit 64 bits"},
    {TILE("(64,64):(64,1)", "[18446744073709551615,64]", ""), ERROR("EINVAL"), "tile: entry 0 is 18446744073709551615"},
    {TILE("(64,64):(64,1)", "[18446744073709551616,64]", ""), ERROR("EINVAL"), "field 'tile' "},
    {TILE("(64,64):(64,1)", "[1e400,64]", ""), ERROR("EINVAL"), "byte "},
    {COPY("(64,8):(4611686018427387904,1)", "(64,8):(8,1)", "shared", ""), ERROR("EOVERFLOW"), "does not fit 64 bits"},
    {SWIZZLE("[4294967296,4294967296]", ACCESS("32:32")), NONE, "18446744073709551615 elements or more"},
    {CONVERT("(4294967296,2):(1,4294967296)", "(4294967296,2):(2,1)"), ERROR("EINVAL"), "src: 4294967296 registers"},
    {FACTOR("(4294967296,8):(8,1)"), "{\"undecided\":\"", "2^35 points"},
    {WORD("[[\"register\",4294967296],[\"lane\",32]]", "(2,2):(2,1)"), ERROR("ELIMIT"), "slots: "},
    {CAST("\"address\":0,\"extent\":[8589934592,4096],\"stride\":[8192],\"box\":[64,64],", "\"coordinates\":[0,0],\"cluster\":4"), NONE, "TMAP_EXTENT: "},
    {CAST(RIGHT, "\"coordinates\":[0,0],\"cluster\":4294967300"), ERROR("EINVAL"), "field 'cluster' "},
    {DESC("Sw<3,3,3> o 0 o (64,64):(64,1)", "[64,16]", "4294967296"), ERROR("EINVAL"), "field 'address' "},
    {DESC("(64,64):(4294967296,1)", "[64,16]", "1024"), NONE, "DESC_CANONICAL: "},
    {FRAGMENT("(4294967296,4):(1,1)"), "{\"undecided\":\"", "points: the layout has 17179869184"},
    {TMEM("(4294967296,64):(65536,1)"), "{\"undecided\":\"", "points: the layout has 274877906944"},
    {TRANSFER("(1099511627776,1024):(1024,1)", "(1099511627776,1024):(1024,1)", ""), ERROR("EOVERFLOW"), "source: offsets of 2^48"},
    /* Names without the facts that legality needs: the guard says what has to hold. */
    {TILE("(M,K):(ld,1)", "[128,64]", ""), "{\"ok\":", "\"guard\":\"K >= 1 && K <= 2147483648 && M >= 1 && M <= 2147483648 && ld % 8 == 0"},
    {TILE("(M,K):(ld,1)", "[128,64]", ",\"facts\":[\"1 <= M < 2^31\",\"1 <= K < 2^31\",\"8 <= ld < 2^30\"]"), "{\"ok\":", "\"guard\":\"ld % 8 == 0\""},
    {COPY("(64,8):(ld,1)", "(64,8):(8,1)", "shared", ""), "{\"ok\":", "\"variant\":{\"width\":16,\"guard\":\"ld % 8 == 0\"}"},
    {COPY("(M,K):(ld,1)", "(64,64):(64,1)", "shared", ",\"tile\":[64,64]"), "{\"ok\":", "\"variant\":{\"width\":16,\"guard\":\"K % 8 == 0 && ld % 8 == 0\"}"},
    {TILE("(M,K):(ld,1)", "[128,64]", ",\"facts\":[\"ld >= 8\",\"ld <= 7\"]"), ERROR("EINVAL"), "ld"},
    /* Names where an operation takes none. */
    {COPY("(M,8):(8,1)", "(M,8):(8,1)", "global", ""), ERROR("ENOTSUP"), "give `tile`"},
    {SWIZZLE("[32,32]", ACCESS("32:ld")), ERROR("ENOTSUP"), "accesses: 0: layout: has the parameter ld"},
    {CONVERT("(2,M):(1,2)", "(2,M):(M,1)"), ERROR("ENOTSUP"), "src: has the parameter M"},
    {FACTOR("(64,8):(ld,1)"), ERROR("ENOTSUP"), "the layout has the parameter ld"},
    {WORD("[[\"register\",2],[\"lane\",2]]", "(2,M):(2,1)"), ERROR("ENOTSUP"), "the map has the parameter M"},
    {DESC("(64,64):(ld,1)", "[64,16]", "1024"), ERROR("ENOTSUP"), "layout: has the parameter ld"},
    {FRAGMENT("((4,8),(2,2)):((32,1),(16,M))"), ERROR("ENOTSUP"), "layout: has the parameter M"},
    {TMEM("(128,N):(65536,1)"), ERROR("ENOTSUP"), "layout: has the parameter N"},
    {TRANSFER("(M,8):(8,1)", "(M,8):(8,1)", ""), ERROR("ENOTSUP"), "source: has the parameter M"},
};

static void cannot_be_met(void **state)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *answer = ask(*state, rows[i].line);
        if (strncmp(answer, rows[i].begin, strlen(rows[i].begin)) || !strstr(answer, rows[i].part))
            fail_msg("%s\n  answers %s\n  not %s .. %s", rows[i].line, answer, rows[i].begin, rows[i].part);
    }
}

/* ---- hostile ----------------------------------------------------------------------------------------- */

/* A whole request of each operation. */
static const char *const whole[] = {
    TILE("(64,64):(64,1)", "[64,64]", ",\"smem\":\"(64,64):(64,1)\",\"address_align\":16,\"swizzle\":0,\"edge\":\"weak\",\"keep_holes\":true,"
         "\"residual\":true,\"facts\":[]"),
    TILE("(M,K):(ld,1)", "[64,64]", ",\"smem\":\"(64,64):(64,1)\",\"facts\":[\"ld = 0 mod 8\"]"),
    COPY("(64,8):(8,1)", "(64,8):(8,1)", "shared", ",\"threads\":128,\"path\":\"threads\",\"facts\":[]"),
    COPY("(M,8):(ld,1)", "(64,8):(8,1)", "shared", ",\"tile\":[64,8],\"facts\":[\"ld = 0 mod 8\"]"),
    SWIZZLE("[32,32]", ACCESS("32:32") "," ACCESS("32:1")),
    CONVERT("(2,2):(1,2)", "(2,2):(2,1)"),
    "{\"op\":\"layout.factor\",\"target\":\"sm_90a\",\"layout\":\"(8,8):(8,1)\",\"elem_bits\":16,\"desc\":\"tma.none\",\"name\":\"f\"}",
    "{\"op\":\"word.synth\",\"slots\":[[\"register\",2],[\"lane\",2]],\"map\":\"(2,2):(2,1)\",\"name\":\"f\"}",
    CAST(RIGHT, "\"coordinates\":[0,0],\"cluster\":4,\"cta_mask\":15,\"smem\":1024,\"barrier\":8"),
    EXCHANGE("f2{thread: (1); block: (2) -> tensor: 4}", "f2{thread: (2); block: (1) -> tensor: 4}"),
    DESC("Sw<3,3,3> o 0 o (64,64):(64,1)", "[64,16]", "1024"),
    "{\"op\":\"fragment.synth\",\"layout\":\"((4,8),(2,2)):((32,1),(16,8))\",\"bits\":16,\"order\":\"value\"}",
    TMEM("(128,64):(65536,1)"),
    TRANSFER("(64,8):(8,1)", "(64,8):(8,1)", ",\"threads\":128"),
};

/* What stands in the place of each value, one after the other. */
static const char *const hostile[] = {
    "null", "true", "-1", "0", "1", "3", "4294967295", "4294967296", "9223372036854775807", "-9223372036854775808",
    "18446744073709551615", "18446744073709551616", "1e308", "0.5", "\"\"", "\"x\"", "\"()\"", "\"(((\"", "\"1:1\"",
    "\"4294967296:1\"", "\"(9223372036854775807,9223372036854775807):(1,1)\"", "\"9223372036854775807:9223372036854775807\"",
    "\"(N,N):(N,N)\"", "\"Sw<63,63,63> o 0 o 8:1\"", "\"-5 o 8:-1\"", "\"{ [i] -> [i] : i mod 0 = 0 }\"",
    "\"{ [i] -> [i] }\"", "\"[N] -> { [i] -> [N - i] : 0 <= i < N }\"", "[]", "[[]]", "[[[[[[[[]]]]]]]]", "[null]", "[0]",
    "[1,1,1,1,1,1,1,1,1]", "[18446744073709551615,18446744073709551615]", "{}", "{\"layout\":{}}", "{\"\":[]}",
    "{\"in\":[],\"out\":[]}", "{\"A\":[],\"b\":[],\"box\":[]}", "{\"A\":[[1]],\"b\":[0],\"box\":[0]}",
    "{\"A\":[[9223372036854775807]],\"b\":[9223372036854775807],\"box\":[9223372036854775807]}",
};

typedef struct tally {
    uint64_t asked, ok, none, undecided, refused;
} tally;

/* One of the documented forms, with a reason that says something. */
static void answer_check(zlay_ctx *ctx, const json_t *request, tally *t)
{
    char *line = json_dumps(request, 0);
    json_t *answer = json_loads(ask(ctx, line), 0, NULL);
    if (!json_is_object(answer)) fail_msg("%s: no object", line);
    const char *error = json_string_value(json_object_get(answer, "error"));
    const char *why = json_string_value(json_object_get(answer, error ? "message" : "none"));
    if (!why) why = json_string_value(json_object_get(answer, "undecided"));
    bool right = json_object_get(answer, "ok") || (why && *why);
    if (!right || (error && !strcmp(error, "EINTERNAL"))) fail_msg("%s\n  answers %s", line, json_dumps(answer, 0));
    t->asked++;
    t->ok += json_object_get(answer, "ok") != NULL;
    t->none += json_object_get(answer, "none") != NULL;
    t->undecided += json_object_get(answer, "undecided") != NULL;
    t->refused += error != NULL;
    json_decref(answer);
    free(line);
}

/* All places of a value, that of the whole one first. */
enum { PLACES = 64 };

typedef struct place {
    json_t *in; /* an object or a list */
    const char *key;
    size_t index;
} place;

static size_t places_of(place *out, json_t *request)
{
    size_t count = 0, from = 0;
    json_t *value, *at = request;
    const char *key;
    for (;; at = out[from].key ? json_object_get(out[from].in, out[from].key)
                               : json_array_get(out[from].in, out[from].index), from++) {
        size_t i;
        json_object_foreach(at, key, value) if (count < PLACES && strcmp(key, "op")) out[count++] = (place){at, key, 0};
        if (json_is_array(at))
            json_array_foreach(at, i, value) if (count < PLACES) out[count++] = (place){at, NULL, i};
        if (from == count) return count;
    }
}

static void put(const place *p, json_t *value)
{
    if (p->key) json_object_set_new(p->in, p->key, value);
    else json_array_set_new(p->in, p->index, value);
}

static void whatever_stands_there(void **state)
{
    tally t = {0, 0, 0, 0, 0};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        json_t *request = json_loads(whole[i], 0, NULL);
        assert_non_null(request);
        size_t count;
        place at[PLACES];
        count = places_of(at, request);
        for (size_t k = 0; k < count; k++) {
            json_t *was = json_deep_copy(at[k].key ? json_object_get(at[k].in, at[k].key)
                                                   : json_array_get(at[k].in, at[k].index));
            for (size_t h = 0; h < sizeof hostile / sizeof *hostile; h++) {
                json_error_t error;
                json_t *value = json_loads(hostile[h], JSON_DECODE_ANY, &error);
                if (!value) continue; /* an integer that jansson has not */
                put(&at[k], value);
                answer_check(*state, request, &t);
            }
            put(&at[k], was);
            count = places_of(at, request); /* values below have moved */
        }
        json_decref(request);
    }
    printf("%llu requests: %llu answered, %llu none, %llu undecided, %llu refused\n", (unsigned long long)t.asked,
           (unsigned long long)t.ok, (unsigned long long)t.none, (unsigned long long)t.undecided, (unsigned long long)t.refused);
    assert_true(t.asked > 1000 && t.ok && t.none && t.undecided && t.refused > t.asked / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cannot_be_met), cmocka_unit_test(whatever_stands_there)};
    zlay_ctx *ctx;
    if (zlay_ctx_new(&ctx, NULL, NULL)) return 1;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) ((struct CMUnitTest *)tests)[i].initial_state = ctx;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    zlay_ctx_free(ctx);
    return failed;
}
