/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of descriptors, banks, boxes and swizzles as requests: every form has every label. */
#include "json_ask.h"

#define PLAIN_MAP                                                                                  \
    "{\"mode\":\"tiled\",\"type\":\"bf16\",\"rank\":2,\"address\":0,\"extent\":[100,70],\"stride\":[208],\"box\":[64,8],"   \
    "\"step\":[1,1],\"interleave\":\"none\",\"swizzle\":\"128B\",\"l2\":\"none\",\"oob\":\"none\"}"

static const char *const requests[] = {
    "{\"op\":\"show.smemdesc\",\"target\":\"sm_90a\",\"desc\":\"0x4000004000010040\"",
    "{\"op\":\"show.smemdesc\",\"target\":\"sm_90a\",\"desc\":\"0xffffffffffffffff\"",
    "{\"op\":\"show.idesc\",\"target\":\"sm_100a\",\"kind\":\"f16\",\"desc\":\"0x08400490\"",
    "{\"op\":\"show.buffer\",\"target\":\"gfx942\",\"desc\":\"0x00020000000010000000123456780000\"",
    "{\"op\":\"show.banks\",\"target\":\"sm_90a\",\"instruction\":\"ld.shared.b32\",\"addresses\":\"32:8\"",
    "{\"op\":\"show.banks\",\"target\":\"gfx942\",\"instruction\":\"ds_read2_b64\",\"addresses\":\"64:16\",\"offset1\":3",
    "{\"op\":\"show.box\",\"coordinates\":[64,64],\"smem\":1024,\"map\":" PLAIN_MAP,
    "{\"op\":\"show.swizzle\",\"elem_bits\":16,\"before\":\"(8,64):(64,1)\",\"after\":\"Sw<3,3,3> o 0 o (8,64):(64,1)\"",
    "{\"op\":\"show.swizzle\",\"elem_bits\":32,\"before\":\"(8,32):(32,1)\",\"after\":\"(8,32):(33,1)\",\"values\":true",
};

static json_t *answer(zlay_ctx *ctx, const char *request, const char *form)
{
    char line[1024];
    snprintf(line, sizeof line, "%s,\"form\":\"%s\"}", request, form);
    json_t *value = ask(ctx, line);
    if (!json_object_get(value, "ok")) fail_msg("%s answers %s", line, json_answer(ctx, line));
    return value;
}

static void every_form_has_every_label(void **state)
{
    for (size_t i = 0; i < ZL_COUNT(requests); i++) {
        json_t *picture = answer(*state, requests[i], "json"), *text = answer(*state, requests[i], "text"),
               *svg = answer(*state, requests[i], "svg"), *html = answer(*state, requests[i], "html");
        const json_t *panel, *box;
        size_t p, b, seen = 0;
        json_array_foreach(at(picture, "ok.panels"), p, panel)
            json_array_foreach(json_object_get(panel, "boxes"), b, box) {
                const char *label = json_string_value(json_object_get(box, "label"));
                assert_non_null(strstr(json_string_value(at(text, "ok.text")), label));
                assert_non_null(strstr(json_string_value(at(svg, "ok.text")), label));
                assert_non_null(strstr(json_string_value(at(html, "ok.text")), label));
                seen++;
            }
        assert_true(seen > 4);
        json_decref(picture);
        json_decref(text);
        json_decref(svg);
        json_decref(html);
    }
}

/* A text of bytes is the words that they are; what is neither is refused. */
static void a_map_is_words_or_digits(void **state)
{
    char digits[257], words[512], line[1024];
    for (int b = 0; b < 128; b++) snprintf(digits + 2 * b, 3, "%02x", b == 9 ? 0x10 : b / 8 % 2 ? 0 : b % 8);
    int at_word = 0;
    for (int w = 0; w < 16; w++)
        at_word += snprintf(words + at_word, sizeof words - (size_t)at_word, "%s\"0x%016llx\"", w ? "," : "",
                            w == 1 ? 0x1000ull : w % 2 ? 0ull : 0x0706050403020100ull);
    snprintf(line, sizeof line, "{\"op\":\"show.tensormap\",\"target\":\"sm_90a\",\"words\":\"%s\"}", digits);
    json_t *one = ask(*state, line);
    snprintf(line, sizeof line, "{\"op\":\"show.tensormap\",\"target\":\"sm_90a\",\"words\":[%s]}", words);
    json_t *other = ask(*state, line);
    assert_non_null(json_object_get(one, "ok"));
    assert_true(json_equal(one, other));
    json_decref(one);
    json_decref(other);
    digits[255] = 'g';
    snprintf(line, sizeof line, "{\"op\":\"show.tensormap\",\"target\":\"sm_90a\",\"words\":\"%s\"}", digits);
    mentions(*state, line, "message", "256 hex digits");
    digits[255] = 0;
    snprintf(line, sizeof line, "{\"op\":\"show.tensormap\",\"target\":\"sm_90a\",\"words\":\"%s\"}", digits);
    mentions(*state, line, "message", "256 hex digits");
}

/* A layout from lanes to addresses is the list of its values. */
static void lanes_are_a_layout_or_a_list(void **state)
{
    char list[1024], line[1536];
    int length = 0;
    for (int l = 0; l < 32; l++)
        length += snprintf(list + length, sizeof list - (size_t)length, "%s%d", l ? "," : "", l % 4 * 128 + l / 4 * 4);
    snprintf(line, sizeof line, "{\"op\":\"bank.count\",\"target\":\"sm_90a\",\"instruction\":\"ld.shared.b32\",\"addresses\":[%s]}", list);
    json_t *one = ask(*state, line);
    json_t *other = ask(*state, "{\"op\":\"bank.count\",\"target\":\"sm_90a\",\"instruction\":\"ld.shared.b32\",\"addresses\":\"(4,8):(128,4)\"}");
    assert_int_equal(json_integer_value(at(one, "ok.wavefronts")), 4);
    assert_true(json_equal(one, other));
    json_decref(one);
    json_decref(other);
    mentions(*state, "{\"op\":\"bank.count\",\"target\":\"sm_90a\",\"instruction\":\"ld.shared.b32\",\"addresses\":\"16:4\"}", "message",
             "no layout of 32 lanes");
    mentions(*state, "{\"op\":\"bank.count\",\"target\":\"sm_90a\",\"instruction\":\"ld.shared.b32\",\"addresses\":\"32:2\"}", "message",
             "lane 1 is off 4 bytes");
}

/* What a copy of a map moves, and the verdict of a matrix descriptor's bits. */
static void what_decode_asks(void **state)
{
    says(*state, "{\"op\":\"smemdesc.check\",\"target\":\"sm_90a\",\"desc\":\"0x4000004000010040\"}", "ok.answer", "\"yes\"");
    says(*state, "{\"op\":\"smemdesc.check\",\"target\":\"sm_90a\",\"desc\":\"0x4001004000010040\"}", "ok.broken.0.rule", "\"DESC_RESERVED\"");
    says(*state, "{\"op\":\"smemdesc.check\",\"target\":\"gfx942\",\"desc\":0}", "error", "\"ENOTSUP\"");
    json_t *packed = ask(*state, "{\"op\":\"tensormap.pack\",\"target\":\"sm_90a\",\"map\":" PLAIN_MAP "}");
    char *words = json_dumps(at(packed, "ok.words"), 0), line[2048];
    snprintf(line, sizeof line, "{\"op\":\"tensormap.unpack\",\"target\":\"sm_90a\",\"words\":%s}", words);
    says(*state, line, "ok.copy", "{\"elements\":512,\"expect_tx\":1024}");
    free(words);
    json_decref(packed);
}

static void misuse(void **state)
{
    static const struct {
        const char *line, *message;
    } rows[] = {
        {"{\"op\":\"show.smemdesc\",\"target\":\"gfx942\",\"desc\":0}", "has no matrix descriptor"},
        {"{\"op\":\"show.idesc\",\"target\":\"sm_100a\",\"kind\":\"f16\",\"desc\":\"0x100000000\"}", "no instruction descriptor"},
        {"{\"op\":\"show.banks\",\"target\":\"sm_100a\",\"instruction\":\"ld.shared.v4.b32\",\"addresses\":\"32:16\"}", "not known"},
        {"{\"op\":\"show.box\",\"coordinates\":[64],\"map\":" PLAIN_MAP "}", "as many integers"},
        {"{\"op\":\"show.box\",\"coordinates\":[4,0],\"map\":" PLAIN_MAP "}", "faults (715)"},
        {"{\"op\":\"show.box\",\"coordinates\":[0,0],\"offsets\":[1,2,3,4],\"map\":" PLAIN_MAP "}", "at most 3"},
        {"{\"op\":\"show.swizzle\",\"elem_bits\":3,\"before\":\"8\",\"after\":\"8\"}", "power of two"},
        {"{\"op\":\"show.swizzle\",\"elem_bits\":8,\"before\":\"8\",\"after\":\"9\"}", "8 and 9 elements"},
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++) mentions(*state, rows[i].line, "message", rows[i].message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_has_every_label),   cmocka_unit_test(a_map_is_words_or_digits),
        cmocka_unit_test(lanes_are_a_layout_or_a_list), cmocka_unit_test(what_decode_asks),
        cmocka_unit_test(misuse),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
