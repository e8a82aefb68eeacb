/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements as text: lines that are changed anywhere are refused and the others kept; merging is commutative, associative and
 * idempotent on random files; records are found by shape, then by class; a choice that is no candidate is not taken. */
#include "ctx.h"
#include "heap.h"

#include <math.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <zlay/tuning.h>

enum { TEXT = 1 << 16, FILES = 40, RECORDS = 12 };

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

static zlay_gemm gemm_of(uint64_t m, uint64_t n, uint64_t k)
{
    return (zlay_gemm){.size = sizeof(zlay_gemm), .m = m, .n = n, .k = k, .multicast = ZLAY_MULTICAST_AUTO};
}

static zlay_tuning_record record_of(zlay_ctx *ctx, uint64_t m, const zlay_tuning_device *device, uint64_t ns, uint32_t rounds)
{
    zlay_tuning_record r = {.ns = ns, .rounds = rounds, .others_count = 2, .others = {ns + 5, ns + 9}};
    zlay_gemm_candidate first;
    size_t count;
    zlay_gemm g = gemm_of(m, 1024, 512);
    assert_int_equal(zlay_gemm_candidates(ctx, &first, 1, &count, target_of("sm_90a"), &g), ZLAY_OK);
    assert_int_equal(zlay_tuning_key_gemm(ctx, r.key, target_of("sm_90a"), &g, device), ZLAY_OK);
    assert_int_equal(zlay_tuning_choice_gemm(r.choice, &first), ZLAY_OK);
    return r;
}

static void text_of(char *text, const zlay_tuning *t)
{
    zlay_buf buf = {text, TEXT, 0};
    assert_int_equal(zlay_tuning_print(&buf, t), ZLAY_OK);
}

static zlay_tuning *parsed(zlay_ctx *ctx, const char *text, size_t refused)
{
    zlay_tuning *t;
    size_t count;
    assert_int_equal(zlay_tuning_parse(ctx, &t, NULL, 0, &count, text, strlen(text)), ZLAY_OK);
    assert_int_equal(count, refused);
    return t;
}

/* Few keys, times and rounds, so that files often have the same. */
static zlay_tuning *drawn_file(zlay_ctx *ctx, uint64_t *seed)
{
    static const zlay_tuning_device devices[] = {{"NVIDIA H200", 132, 13000}, {"NVIDIA H200", 132, 12080}, {"another", 100, 13000}};
    zlay_tuning *t = parsed(ctx, "", 0);
    uint64_t count = draw(seed, RECORDS);
    for (uint64_t i = 0; i < count; i++) {
        zlay_tuning_record r = record_of(ctx, 1 + draw(seed, 3), &devices[draw(seed, 3)], 1000 + draw(seed, 3), 1 + (uint32_t)draw(seed, 3));
        r.others[1] += draw(seed, 2);
        assert_int_equal(zlay_tuning_add(ctx, t, &r), ZLAY_OK);
    }
    return t;
}

static zlay_tuning *merged(zlay_ctx *ctx, const zlay_tuning *a, const zlay_tuning *b)
{
    zlay_tuning *out;
    assert_int_equal(zlay_tuning_merge(ctx, &out, a, b), ZLAY_OK);
    return out;
}

static void assert_same(const zlay_tuning *a, const zlay_tuning *b)
{
    static char left[TEXT], right[TEXT];
    text_of(left, a);
    text_of(right, b);
    assert_string_equal(left, right);
}

static void merges_are_a_union(void **state)
{
    uint64_t seed = 3;
    for (int i = 0; i < FILES; i++) {
        zlay_tuning *a = drawn_file(*state, &seed), *b = drawn_file(*state, &seed), *c = drawn_file(*state, &seed);
        zlay_tuning *ab = merged(*state, a, b), *ba = merged(*state, b, a), *bc = merged(*state, b, c), *aa = merged(*state, a, a);
        zlay_tuning *left = merged(*state, ab, c), *right = merged(*state, a, bc);
        zlay_tuning_record r, other;
        assert_same(ab, ba);
        assert_same(aa, a);
        assert_same(left, right);
        for (size_t k = 0; zlay_tuning_nth(&r, a, k) == ZLAY_OK; k++) {
            assert_int_equal(zlay_tuning_find(&other, ab, r.key), ZLAY_OK);
            assert_string_equal(other.key, r.key);
            assert_true(other.rounds > r.rounds || (other.rounds == r.rounds && other.ns <= r.ns));
        }
        zlay_tuning *all[] = {a, b, c, ab, ba, bc, aa, left, right};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) zlay_tuning_free(all[k]);
    }
}

static void reads_what_it_prints(void **state)
{
    static char text[TEXT];
    uint64_t seed = 11;
    for (int i = 0; i < FILES; i++) {
        zlay_tuning *t = drawn_file(*state, &seed);
        text_of(text, t);
        zlay_tuning *again = parsed(*state, text, 0);
        assert_same(t, again);
        zlay_tuning_free(again);
        zlay_tuning_free(t);
    }
}

/* A line with any one byte changed, or cut anywhere, is refused with its number; the line before stays. */
static void refuses_changed_lines(void **state)
{
    static char text[TEXT], line[2048];
    const zlay_tuning_device device = {"NVIDIA H200", 132, 13000};
    zlay_tuning *t = parsed(*state, "", 0), *read;
    zlay_tuning_record r = record_of(*state, 16, &device, 1234, 25), other = record_of(*state, 64, &device, 99, 1);
    zlay_tuning_bad bad;
    size_t count;
    assert_int_equal(zlay_tuning_add(*state, t, &r), ZLAY_OK);
    text_of(line, t);
    size_t length = strlen(line) - 1;
    line[length] = 0;
    zlay_tuning_free(t);
    t = parsed(*state, "", 0);
    assert_int_equal(zlay_tuning_add(*state, t, &other), ZLAY_OK);
    text_of(text, t);
    size_t good = strlen(text);
    for (size_t i = 0; i < 2 * length; i++) {
        memcpy(text + good, line, length + 1);
        if (i < length) text[good + i] = (char)(text[good + i] ^ (int)(i % 7 + 1));
        else text[good + i - length] = 0;
        if (!text[good] || text[good] == '#' || strchr(text + good, '\n')) continue;
        assert_int_equal(zlay_tuning_parse(*state, &read, &bad, 1, &count, text, strlen(text)), ZLAY_OK);
        assert_int_equal(count, 1);
        assert_int_equal(bad.line, 2);
        assert_true(*bad.reason);
        assert_same(read, t);
        zlay_tuning_free(read);
    }
    zlay_tuning_free(t);
}

static void says_what_is_wrong(void **state)
{
    static const struct {
        const char *line, *says;
    } rows[] = {
        {"gemmx", "neither gemm nor attention"},
        {"gemm device=a", "a word of the key"},
        {"attention device=a arch=b processors=1 driver=1 rules=1 types=a options=- asks=- legal=- class=- shape=- : tile=1x1", "a word of the choice"},
        {"attention device=a arch=b processors=1 driver=1 rules=1 types=a options=- asks=- legal=- class=- shape=-", "no choice"},
        {"attention device=a arch=b processors=1 driver=1 rules=1 types=a options=- asks=- legal=- class=- shape=- : tile=1x1 stages=2 overlap=never : ns=0 rounds=1", "no time"},
        {"attention device=a arch=b processors=1 driver=1 rules=1 types=a options=- asks=- legal=- class=- shape=- : tile=1x1 stages=2 overlap=never : ns=5 rounds=0", "no rounds"},
        {"attention device=a arch=b processors=1 driver=1 rules=1 types=a options=- asks=- legal=- class=- shape=- : tile=1x1 stages=2 overlap=never : ns=5 rounds=1 others=7,6", "no others"},
        {"attention device=a arch=b processors=1 driver=1 rules=1 types=a options=- asks=- legal=- class=- shape=- : tile=1x1 stages=2 overlap=never : ns=5 rounds=1 others=4,6", "none below ns"},
        {"attention device=a arch=b processors=1 driver=1 rules=1 types=a options=- asks=- legal=- class=- shape=- : tile=1x1 stages=2 overlap=never : ns=5 rounds=1 others=- ~00000000", "checksum"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_tuning *t;
        zlay_tuning_bad bad;
        size_t count;
        assert_int_equal(zlay_tuning_parse(*state, &t, &bad, 1, &count, rows[i].line, strlen(rows[i].line)), ZLAY_OK);
        assert_int_equal(count, 1);
        assert_int_equal(bad.line, 1);
        if (!strstr(bad.reason, rows[i].says)) fail_msg("%s: %s", rows[i].line, bad.reason);
        zlay_tuning_free(t);
    }
}

static void shape_then_class(void **state)
{
    const zlay_tuning_device device = {"NVIDIA H200", 132, 13000}, elsewhere = {"NVIDIA H100", 132, 13000};
    zlay_tuning *t = parsed(*state, "", 0);
    zlay_tuning_record r = record_of(*state, 100, &device, 500, 9), found;
    char key[ZLAY_TUNING_KEY];
    assert_int_equal(zlay_tuning_add(*state, t, &r), ZLAY_OK);
    static const struct {
        uint64_t m;
        bool here;
    } rows[] = {{100, true}, {128, true}, {97, true}, {96, false}, {129, false}}; /* 97 to 128 are one class */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_gemm g = gemm_of(rows[i].m, 1024, 512);
        assert_int_equal(zlay_tuning_key_gemm(*state, key, target_of("sm_90a"), &g, &device), ZLAY_OK);
        assert_int_equal(zlay_tuning_find(&found, t, key), rows[i].here ? ZLAY_OK : ZLAY_NONE);
        assert_int_equal(zlay_tuning_key_gemm(*state, key, target_of("sm_90a"), &g, NULL), ZLAY_OK);
        assert_int_equal(zlay_tuning_find(&found, t, key), rows[i].here ? ZLAY_OK : ZLAY_NONE);
        assert_int_equal(zlay_tuning_key_gemm(*state, key, target_of("sm_90a"), &g, &elsewhere), ZLAY_OK);
        assert_int_equal(zlay_tuning_find(&found, t, key), ZLAY_NONE);
    }
    zlay_tuning_record better = record_of(*state, 120, &device, 400, 99);
    zlay_gemm own = gemm_of(100, 1024, 512), beside = gemm_of(110, 1024, 512), odd = gemm_of(100, 1024, 512);
    assert_int_equal(zlay_tuning_add(*state, t, &better), ZLAY_OK);
    assert_int_equal(zlay_tuning_key_gemm(*state, key, target_of("sm_90a"), &own, &device), ZLAY_OK);
    assert_int_equal(zlay_tuning_find(&found, t, key), ZLAY_OK);
    assert_int_equal(found.ns, 500);
    assert_int_equal(zlay_tuning_key_gemm(*state, key, target_of("sm_90a"), &beside, &device), ZLAY_OK);
    assert_int_equal(zlay_tuning_find(&found, t, key), ZLAY_OK);
    assert_int_equal(found.ns, 400);
    odd.lda = 516; /* rows at multiples of 8 bytes: other paths are legal */
    assert_int_equal(zlay_tuning_key_gemm(*state, key, target_of("sm_90a"), &odd, &device), ZLAY_OK);
    assert_int_equal(zlay_tuning_find(&found, t, key), ZLAY_NONE);
    zlay_tuning_free(t);
}

static void takes_candidates_alone(void **state)
{
    zlay_gemm g = gemm_of(256, 1024, 512), out;
    zlay_gemm_candidate list[8];
    char choice[ZLAY_TUNING_CHOICE];
    size_t count;
    assert_int_equal(zlay_gemm_candidates(*state, list, 8, &count, target_of("sm_90a"), &g), ZLAY_OK);
    for (size_t i = 0; i < 8 && i < count; i++) {
        assert_int_equal(zlay_tuning_choice_gemm(choice, &list[i]), ZLAY_OK);
        assert_int_equal(zlay_tuning_take_gemm(*state, &out, target_of("sm_90a"), &g, choice), ZLAY_OK);
        assert_memory_equal(&out, &list[i].gemm, sizeof out);
    }
    static const char *const wrong[] = {"tile=128x256x64 multicast=a swap=never stream_k=never split_k=1", "tile=64x64x64", "",
                                        "tile=999x64x64 multicast=none swap=never stream_k=never split_k=1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(zlay_tuning_take_gemm(*state, &out, target_of("sm_90a"), &g, wrong[i]), ZLAY_NONE);
    zlay_attention a = {.size = sizeof a, .head = 128, .queries = 512, .keys = 512}, with;
    zlay_attention_candidate first[2];
    char key[ZLAY_TUNING_KEY];
    assert_int_equal(zlay_attention_candidates(*state, first, 2, &count, target_of("sm_90a"), &a), ZLAY_OK);
    assert_int_equal(zlay_tuning_choice_attention(choice, &first[1]), ZLAY_OK);
    assert_int_equal(zlay_tuning_take_attention(*state, &with, target_of("sm_90a"), &a, choice), ZLAY_OK);
    assert_memory_equal(&with, &first[1].attention, sizeof with);
    assert_int_equal(zlay_tuning_take_attention(*state, &with, target_of("sm_90a"), &a, "tile=192x256 stages=2 overlap=never"), ZLAY_NONE);
    assert_int_equal(zlay_tuning_key_attention(*state, key, target_of("sm_90a"), &a, NULL), ZLAY_OK);
    assert_non_null(strstr(key, "attention device=* arch=sm_90a"));
}

static void refuses_misuse(void **state)
{
    const zlay_tuning_device device = {"a name", 1, 1};
    zlay_tuning *t = parsed(*state, "# nothing\n\n", 0), *out;
    zlay_tuning_record r = record_of(*state, 1, &device, 5, 1), no_end = r;
    char key[ZLAY_TUNING_KEY];
    size_t count;
    zlay_gemm bad = gemm_of(0, 1, 1);
    assert_int_equal(zlay_tuning_nth(&r, t, 0), ZLAY_NONE);
    assert_int_equal(zlay_tuning_merge(*state, &out, t, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_tuning_parse(*state, &out, NULL, 1, &count, "", 0), ZLAY_EINVAL);
    assert_int_equal(zlay_tuning_key_gemm(*state, key, target_of("sm_90a"), &bad, NULL), ZLAY_EINVAL);
    r.ns = 0;
    assert_int_equal(zlay_tuning_add(*state, t, &r), ZLAY_EINVAL);
    memset(no_end.choice, 'a', sizeof no_end.choice);
    assert_int_equal(zlay_tuning_add(*state, t, &no_end), ZLAY_EINVAL);
    zlay_gemm_candidate wrong = {.gemm = {.multicast = 4}};
    zlay_attention_candidate other = {.attention = {.overlap = -1}};
    assert_int_equal(zlay_tuning_choice_gemm(key, &wrong), ZLAY_EINVAL);
    wrong.gemm.multicast = 0, wrong.gemm.stream_k = INT32_MIN;
    assert_int_equal(zlay_tuning_choice_gemm(key, &wrong), ZLAY_EINVAL);
    assert_int_equal(zlay_tuning_choice_attention(key, &other), ZLAY_EINVAL);
    zlay_tuning_free(t);
    zlay_tuning_free(NULL);
}

/* A device without its numbers is every one of its name; a name of any length has a key. */
static void device_by_name(void **state)
{
    const zlay_tuning_device device = {"NVIDIA H200", 132, 13000}, named = {"NVIDIA H200", 0, 0}, counted = {NULL, 132, 0}, other = {"NVIDIA H200", 78, 0};
    char name[2000], key[ZLAY_TUNING_KEY];
    zlay_tuning *t = parsed(*state, "", 0);
    zlay_tuning_record r = record_of(*state, 100, &device, 500, 9), found;
    zlay_gemm g = gemm_of(100, 1024, 512);
    assert_int_equal(zlay_tuning_add(*state, t, &r), ZLAY_OK);
    const zlay_tuning_device *rows[] = {&named, &counted, &other};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(zlay_tuning_key_gemm(*state, key, target_of("sm_90a"), &g, rows[i]), ZLAY_OK);
        assert_int_equal(zlay_tuning_find(&found, t, key), i < 2 ? ZLAY_OK : ZLAY_NONE);
    }
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = 0;
    const zlay_tuning_device long_one = {name, 1, 1};
    r = record_of(*state, 7, &long_one, 1, 1);
    assert_int_equal(zlay_tuning_add(*state, t, &r), ZLAY_OK);
    assert_non_null(strstr(r.key, "xx arch=sm_90a processors=1 driver=1 "));
    zlay_tuning_free(t);
}

/* A band that is asked for is another request. */
static void band_is_asked(void **state)
{
    char key[ZLAY_TUNING_KEY], other[ZLAY_TUNING_KEY];
    zlay_gemm g = gemm_of(4096, 4096, 512);
    assert_int_equal(zlay_tuning_key_gemm(*state, key, target_of("sm_90a"), &g, NULL), ZLAY_OK);
    g.band = 4;
    assert_int_equal(zlay_tuning_key_gemm(*state, other, target_of("sm_90a"), &g, NULL), ZLAY_OK);
    assert_string_not_equal(key, other);
}

/* Lines that end in CR LF are the lines. */
static void other_line_ends(void **state)
{
    static char text[TEXT], crlf[TEXT];
    uint64_t seed = 13, at = 0;
    zlay_tuning *t = drawn_file(*state, &seed);
    text_of(text, t);
    at += (uint64_t)sprintf(crlf, "# a remark\r\n\r\n");
    for (const char *c = text; *c; c++) {
        if (*c == '\n') crlf[at++] = '\r';
        crlf[at++] = *c;
    }
    crlf[at] = 0;
    zlay_tuning *read = parsed(*state, crlf, 0);
    assert_same(t, read);
    zlay_tuning_free(read);
    zlay_tuning_free(t);
}

/* A text of `count` records of one length, in an order far from that of their keys, and a changed line behind each tenth. */
static char *long_text(zlay_ctx *ctx, size_t count, size_t *length)
{
    const zlay_tuning_device device = {"NVIDIA H200", 132, 13000};
    zlay_tuning_record r = record_of(ctx, 100, &device, 1000, 9);
    zlay_tuning *t = parsed(ctx, "", 0);
    char *shape = strstr(r.key, "shape=") + 6;
    for (size_t i = 0; i < count; i++) {
        snprintf(shape, 32, "%06zux1024x512", i);
        assert_int_equal(zlay_tuning_add(ctx, t, &r), ZLAY_OK);
    }
    zlay_buf buf = {NULL, 0, 0};
    assert_int_equal(zlay_tuning_print(&buf, t), ZLAY_EROOM);
    buf = (zlay_buf){malloc(buf.need + 1), buf.need + 1, 0};
    assert_int_equal(zlay_tuning_print(&buf, t), ZLAY_OK);
    zlay_tuning_free(t);
    size_t line = buf.need / count, at = 0;
    char *text = malloc(buf.need + buf.need / 10 + 1);
    for (size_t i = 0; i < count; i++) {
        memcpy(text + at, buf.text + i * 7919 % count * line, line);
        at += line;
        if (i % 10) continue;
        memcpy(text + at, text + at - line, line);
        text[at + 20] ^= 1;
        at += line;
    }
    text[at] = 0;
    free(buf.text);
    *length = at;
    return text;
}

static double seconds(zlay_ctx *ctx, const char *text, size_t length, size_t count)
{
    zlay_tuning *t, *both;
    size_t bad;
    zlay_tuning_record r;
    clock_t begin_at = clock();
    assert_int_equal(zlay_tuning_parse(ctx, &t, NULL, 0, &bad, text, length), ZLAY_OK);
    assert_int_equal(zlay_tuning_merge(ctx, &both, t, t), ZLAY_OK);
    double took = (double)(clock() - begin_at) / CLOCKS_PER_SEC;
    assert_int_equal(bad, (count + 9) / 10);
    assert_int_equal(zlay_tuning_nth(&r, both, count - 1), ZLAY_OK);
    assert_int_equal(zlay_tuning_nth(&r, both, count), ZLAY_NONE);
    zlay_tuning_free(t);
    zlay_tuning_free(both);
    return took;
}

/* Ten times as many lines take some ten times as long, and not a hundred. */
static void many_lines(void **state)
{
    size_t few, many;
    char *small = long_text(*state, 6000, &few), *large = long_text(*state, 60000, &many);
    double one = seconds(*state, small, few, 6000);
    for (int i = 0; i < 2; i++) one = fmax(one, seconds(*state, small, few, 6000));
    double ten = seconds(*state, large, many, 60000);
    for (int i = 0; i < 2; i++) ten = fmin(ten, seconds(*state, large, many, 60000));
    if (ten > 50 * one) fail_msg("6000 lines take %.3f s, 60000 %.3f s", one, ten);
    free(small);
    free(large);
}

static zlay_status work(zlay_ctx *ctx, void *given)
{
    zlay_tuning *t = NULL, *m = NULL;
    size_t count;
    zlay_status status = zlay_tuning_parse(ctx, &t, NULL, 0, &count, given, strlen(given));
    if (!status) status = zlay_tuning_merge(ctx, &m, t, t);
    zlay_tuning_free(t);
    zlay_tuning_free(m);
    return status;
}

static zlay_status take(zlay_ctx *ctx, void *given)
{
    zlay_gemm g = {.size = sizeof g, .m = 64, .n = 64, .k = 64, .tile_m = 64, .tile_n = 64, .tile_k = 64}, out;
    return zlay_tuning_take_gemm(ctx, &out, target_of("sm_90a"), &g, given);
}

static void memory_ends(void **state)
{
    static char text[TEXT];
    uint64_t seed = 5;
    zlay_tuning *t = drawn_file(*state, &seed);
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    text_of(text, t);
    zlay_tuning_free(t);
    assert_int_equal(heap_fails_each(&h, ctx, work, text), ZLAY_OK);
    assert_int_equal(heap_fails_each(&h, ctx, take, "tile=64x64x64 multicast=none swap=never stream_k=never split_k=1"), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_are_a_union), cmocka_unit_test(reads_what_it_prints), cmocka_unit_test(refuses_changed_lines),
        cmocka_unit_test(says_what_is_wrong), cmocka_unit_test(shape_then_class), cmocka_unit_test(takes_candidates_alone),
        cmocka_unit_test(refuses_misuse), cmocka_unit_test(device_by_name), cmocka_unit_test(band_is_asked), cmocka_unit_test(other_line_ends),
        cmocka_unit_test(many_lines), cmocka_unit_test(memory_ends),
    };
    return cmocka_run_group_tests_name("synth/tuning/tuning", tests, begin, end);
}
