/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of descriptors: the bits of each field are those whose change the unpacker sees in that field,
 * and what is marked is what the check refuses. */
#include "heap.h"
#include "json_ask.h"

#include <inttypes.h>

enum { LINE = 2048, WORDS = 16, NAMES = 64, NAME = 40 };

typedef struct form {
    const char *what, *target, *fixed; /* fields of its operations beside the bits */
    uint32_t bits;
} form;

static const form forms[] = {
    {"tensormap", "sm_90a", "", 1024},
    {"smemdesc", "sm_90a", "", 64},
    {"smemdesc", "sm_100a", "", 64},
    {"idesc", "sm_100a", ",\"kind\":\"f16\"", 32},
    {"idesc", "sm_100a", ",\"kind\":\"mxf8f6f4\"", 32},
    {"idesc", "sm_103a", ",\"kind\":\"mxf4nvf4\"", 32},
    {"buffer", "gfx942", "", 128},
    {"buffer", "gfx1250", "", 128},
};

/* ---- requests ------------------------------------------------------------------------------ */

static const char *line_of(const form *f, const char *before, const char *after,
                           const uint64_t words[WORDS])
{
    static char line[LINE];
    int at = snprintf(line, sizeof line, "{\"op\":\"%s%s%s\",\"target\":\"%s\"%s,", before, f->what, after,
                      f->target, f->fixed);
    if (f->bits == 1024) {
        for (int i = 0; i < WORDS; i++)
            at += snprintf(line + at, sizeof line - (size_t)at, "%s\"0x%016" PRIx64 "\"",
                           i ? "," : "\"words\":[", words[i]);
        snprintf(line + at, sizeof line - (size_t)at, "]}");
    } else if (f->bits == 128)
        snprintf(line + at, sizeof line - (size_t)at, "\"desc\":\"0x%016" PRIx64 "%016" PRIx64 "\"}",
                 words[1], words[0]);
    else snprintf(line + at, sizeof line - (size_t)at, "\"desc\":\"0x%" PRIx64 "\"}", words[0]);
    return line;
}

static json_t *answer(zlay_ctx *ctx, const form *f, const char *before, const char *after,
                      const uint64_t words[WORDS])
{
    json_t *value = ask(ctx, line_of(f, before, after, words));
    if (!json_object_get(value, "ok")) fail_msg("%s", line_of(f, before, after, words));
    return value;
}

/* ---- what a changed bit changes ------------------------------------------------------------- */

/* Names of fields, NAME[ENTRY] of a list's. */
typedef struct names {
    char name[NAMES][NAME];
    int count;
} names;

static void add(names *n, const char *name, int entry)
{
    assert_true(n->count < NAMES);
    if (entry < 0) snprintf(n->name[n->count++], NAME, "%.20s", name);
    else snprintf(n->name[n->count++], NAME, "%.20s[%d]", name, entry);
}

static bool has(const names *n, const char *name)
{
    for (int i = 0; i < n->count; i++)
        if (!strcmp(n->name[i], name)) return true;
    return false;
}

static bool is_rest(const char *name)
{
    return !strcmp(name, "unexplained") || !strcmp(name, "reserved") || !strcmp(name, "other");
}

static void differences(names *out, const json_t *a, const json_t *b)
{
    const char *name;
    json_t *one, *other;
    json_object_foreach((json_t *)a, name, one) {
        other = json_object_get(b, name);
        if (!strcmp(name, "copy") || json_equal(one, other)) continue;
        if (is_rest(name)) add(out, "reserved", -1);
        else if (json_is_object(one)) differences(out, one, other);
        else if (!json_is_array(one)) add(out, name, -1);
        for (size_t i = 0; !is_rest(name) && i < json_array_size(one); i++)
            if (!json_equal(json_array_get(one, i), json_array_get(other, i))) add(out, name, (int)i);
    }
    json_object_foreach((json_t *)b, name, other)
        if (!json_object_get(a, name)) add(out, name, -1);
}

static int64_t number(const json_t *box, const char *name, int64_t absent)
{
    const json_t *value = json_object_get(box, name);
    return value ? json_integer_value(value) : absent;
}

/* The box over a bit; NULL: there is none, and never are there two. */
static const json_t *box_at(json_t *picture, uint32_t columns, uint32_t bit)
{
    const json_t *box, *found = NULL, *boxes = at(picture, "ok.panels.0.boxes");
    size_t i;
    json_array_foreach(boxes, i, box) {
        int64_t low = number(box, "row", 0) * columns + number(box, "column", 0);
        if (bit < low || bit >= low + number(box, "width", 1)) continue;
        assert_null(found);
        found = box;
    }
    return found;
}

/* What the driver derives has no field of its own: another value there is not explained. */
static bool is_derived(const char *label)
{
    return !strcmp(label, "bytes") || !strcmp(label, "plain") || !strcmp(label, "swizzled");
}

static void bit_is_named(const form *f, const char *label, const names *changed, uint32_t bit)
{
    bool shifts = !strcmp(label, "mode") || !strcmp(label, "rank"); /* then other fields are there */
    /* of two numbers that are no type, only their bits differ */
    bool rest = is_derived(label) || (!strcmp(label, "type") && !has(changed, "type"));
    if (!has(changed, rest ? "reserved" : label))
        fail_msg("%s, bit %u: '%s' is not what changes", f->what, bit, label);
    for (int i = 0; i < changed->count && !shifts; i++)
        if (strcmp(changed->name[i], label) && strcmp(changed->name[i], "reserved"))
            fail_msg("%s, bit %u: '%s' changes too", f->what, bit, changed->name[i]);
}

static void draw(uint64_t words[WORDS], const form *f, uint64_t *seed)
{
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = 64 * i < f->bits ? test_random(seed) & test_random(seed) : 0;
    if (f->bits < 64) words[0] &= UINT32_MAX;
}

static void every_bit_has_its_field(void **state)
{
    uint64_t seed = test_seed("show.descriptor"), words[WORDS];
    for (uint64_t n = 0; n < test_cases(24); n++) {
        const form *f = &forms[n % (sizeof forms / sizeof *forms)];
        draw(words, f, &seed);
        json_t *picture = answer(*state, f, "show.", "", words),
               *before = answer(*state, f, "", ".unpack", words);
        for (uint32_t bit = 0; bit < f->bits; bit++) {
            words[bit / 64] ^= (uint64_t)1 << bit % 64;
            json_t *after = answer(*state, f, "", ".unpack", words);
            names changed = {.count = 0};
            differences(&changed, json_object_get(before, "ok"), json_object_get(after, "ok"));
            const json_t *box = box_at(picture, f->bits < 64 ? 32 : 64, bit);
            bit_is_named(f, box ? json_string_value(json_object_get(box, "label")) : "reserved",
                         &changed, bit);
            json_decref(after);
            words[bit / 64] ^= (uint64_t)1 << bit % 64;
        }
        json_decref(before);
        json_decref(picture);
    }
}

/* ---- what is marked -------------------------------------------------------------------------- */

static json_t *checked(zlay_ctx *ctx, const form *f, const uint64_t words[WORDS])
{
    char line[LINE];
    if (strcmp(f->what, "tensormap")) return answer(ctx, f, "", ".check", words);
    json_t *unpacked = answer(ctx, f, "", ".unpack", words);
    char *map = json_dumps(at(unpacked, "ok.map"), 0);
    snprintf(line, sizeof line, "{\"op\":\"tensormap.check\",\"target\":\"%s\",\"map\":%s}", f->target, map);
    free(map);
    json_decref(unpacked);
    return ask(ctx, line);
}

/* Whether a broken rule names the field of a label, NAME or NAME[ENTRY]. */
static bool is_refused(json_t *check, const char *label)
{
    const json_t *row;
    size_t i, length = strcspn(label, "[");
    json_array_foreach(at(check, "ok.broken"), i, row) {
        const char *field = json_string_value(json_object_get(row, "field"));
        int64_t index = number(row, "index", -1);
        if (!field || strlen(field) != length || strncmp(field, label, length)) continue;
        if (!label[length] || !json_is_integer(json_object_get(row, "index"))) return true;
        if (atoi(label + length + 1) == index) return true;
    }
    return false;
}

/* The field that is refused is marked where it has bits; every mark has its rule, or bits that stand
 * for nothing. */
static void marks_are_the_broken_rules(void **state)
{
    uint64_t seed = test_seed("show.descriptor marks"), words[WORDS], seen = 0;
    for (uint64_t n = 0; n < test_cases(600); n++) {
        const form *f = &forms[n % 6];
        draw(words, f, &seed);
        json_t *picture = answer(*state, f, "show.", "", words), *check = checked(*state, f, words);
        const json_t *box;
        size_t i;
        json_array_foreach(at(picture, "ok.panels.0.boxes"), i, box) {
            const char *label = json_string_value(json_object_get(box, "label")),
                       *tip = json_string_value(json_object_get(box, "tip"));
            bool marked = json_is_true(json_object_get(box, "marked"));
            if (is_refused(check, label) && strcmp(label, "reserved")) assert_true(marked);
            if (marked && !is_refused(check, label) && !is_derived(label) && strcmp(label, "reserved") &&
                strncmp(tip, "nothing", 7))
                fail_msg("%s is marked: %s", label, line_of(f, "show.", "", words));
            seen += marked;
        }
        const char *note = json_string_value(at(picture, "ok.notes.0"));
        bool yes = !strcmp(json_string_value(at(check, "ok.answer")), "yes");
        assert_true(note && yes == !strncmp(note, "yes", 3));
        json_decref(check);
        json_decref(picture);
    }
    assert_true(seen > 100);
}

/* ---- by hand ---------------------------------------------------------------------------------- */

/* PTX ISA 9.1, Instruction Descriptor, table of kind f16: bits of fields. */
static void the_table_of_the_isa(void **state)
{
    static const struct {
        const char *name, *value;
        int low, width;
    } rows[] = {{"sparse_id", "0", 0, 2}, {"sparse", "0", 2, 1},   {"saturate", "0", 3, 1},
                {"d", "f32", 4, 2},       {"a", "bf16", 7, 3},     {"b", "bf16", 10, 3},
                {"negate_a", "0", 13, 1}, {"negate_b", "0", 14, 1}, {"a_major", "K", 15, 1},
                {"b_major", "K", 16, 1},  {"n", "256", 17, 6},     {"m", "128", 24, 5},
                {"max_shift", "0", 30, 2}};
    const uint64_t words[WORDS] = {0x08400490};
    json_t *picture = answer(*state, &forms[3], "show.", "", words),
           *boxes = at(picture, "ok.panels.0.boxes");
    assert_int_equal(json_array_size(boxes), sizeof rows / sizeof *rows);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const json_t *box = json_array_get(boxes, i);
        const char *tip = json_string_value(json_object_get(box, "tip"));
        assert_string_equal(json_string_value(json_object_get(box, "label")), rows[i].name);
        assert_int_equal(number(box, "column", -1), rows[i].low);
        assert_int_equal(number(box, "width", 1), rows[i].width);
        assert_int_equal(strncmp(tip, rows[i].value, strlen(rows[i].value)), 0);
        assert_int_equal(tip[strlen(rows[i].value)], ' ');
    }
    json_decref(picture);
}

static void a_version_that_is_missing(void **state)
{
    const char *line = "{\"op\":\"show.smemdesc\",\"target\":\"sm_100a\",\"desc\":\"0x4000000000010040\"}";
    says(*state, line, "ok.panels.0.boxes.3.label", "\"reserved\"");
    says(*state, line, "ok.panels.0.boxes.3.marked", "true");
    mentions(*state, line, "ok.notes.0", "DESC_RESERVED");
}

/* ---- misuse ------------------------------------------------------------------------------------ */

static zlay_show_descriptor_request usual(const uint64_t *words, const char *name)
{
    zlay_show_descriptor_request r = {.size = sizeof r, .what = ZLAY_BITS_SMEMDESC, .words = words, .count = 1};
    assert_int_equal(zlay_target_find(&r.target, name, strlen(name)), ZLAY_OK);
    return r;
}

static void misuse(void **state)
{
    const uint64_t words[WORDS] = {0x4000004000010040};
    zlay_picture *picture = NULL;
    const zlay_show_descriptor_request good = usual(words, "sm_90a");
    zlay_show_descriptor_request r = good;
#define REFUSES(status)                                                                            \
    assert_int_equal(zlay_show_descriptor(*state, &picture, &r), status), assert_null(picture), r = good
    r.what = 0, REFUSES(ZLAY_EINVAL);
    r.what = ZLAY_BITS_BUFFER + 1, REFUSES(ZLAY_EINVAL);
    r.target = NULL, REFUSES(ZLAY_EINVAL);
    r.words = NULL, REFUSES(ZLAY_EINVAL);
    r.count = 2, REFUSES(ZLAY_EINVAL);
    r.size = 2, REFUSES(ZLAY_EINVAL);
    r.reserved32 = 1, REFUSES(ZLAY_EINVAL);
    r.reserved[3] = 1, REFUSES(ZLAY_EINVAL);
    r.what = ZLAY_BITS_BUFFER, r.count = 2, REFUSES(ZLAY_ENOTSUP);
    r.what = ZLAY_BITS_IDESC, r.kind = 0, REFUSES(ZLAY_EINVAL);
    r.what = ZLAY_BITS_IDESC, r.kind = 1, REFUSES(ZLAY_EINVAL); /* of 64 bits */
    r = usual(words, "gfx942"), REFUSES(ZLAY_ENOTSUP);
    r = usual(words, "sm_100a"), r.what = ZLAY_BITS_TENSORMAP, r.count = WORDS, REFUSES(ZLAY_ENOTSUP);
#undef REFUSES
    assert_int_equal(zlay_show_descriptor(NULL, &picture, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_show_descriptor(*state, NULL, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_show_descriptor(*state, &picture, NULL), ZLAY_EINVAL);
}

static void a_limit(void **state)
{
    const uint64_t words[1] = {0};
    const zlay_show_descriptor_request r = usual(words, "sm_90a");
    zlay_picture *picture = NULL;
    zlay_limits limits = {.size = sizeof limits, .points = 63};
    zlay_ctx *ctx = NULL;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, &limits), ZLAY_OK);
    assert_int_equal(zlay_show_descriptor(ctx, &picture, &r), ZLAY_ELIMIT);
    zlay_ctx_free(ctx);
}

static zlay_status one(zlay_ctx *ctx, void *given)
{
    zlay_picture *picture = NULL;
    zlay_status status = zlay_show_descriptor(ctx, &picture, given);
    zlay_picture_free(picture);
    return status;
}

static void memory_that_fails(void **state)
{
    const uint64_t words[1] = {0x0007004000010040};
    zlay_show_descriptor_request r = usual(words, "sm_90a");
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    (void)state;
    assert_int_equal(heap_fails_each(&h, ctx, one, &r), ZLAY_OK);
    assert_true(h.calls > 3);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_has_its_field), cmocka_unit_test(marks_are_the_broken_rules),
        cmocka_unit_test(the_table_of_the_isa),    cmocka_unit_test(a_version_that_is_missing),
        cmocka_unit_test(misuse),                  cmocka_unit_test(a_limit),
        cmocka_unit_test(memory_that_fails),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
