/* SPDX-License-Identifier: Apache-2.0 */
/* Prepared tensor maps: at every value the bytes, the verdict and the reasons are those of the check and the packing of the map
 * that the test computes itself; what no value passes is refused before; and the example of the header. */
#include "fill_world.h"
#include "heap.h"

static void same_reasons(const zlay_reason *a, const zlay_reason *b, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < REASONS; i++) assert_memory_equal(&a[i], &b[i], sizeof *a);
}

static bool compare(const zlay_fill *fill, const fill_world *w, const int64_t *value)
{
    zlay_tensormap map, own;
    uint64_t words[FILL_WORDS], fast[FILL_WORDS], wanted[FILL_WORDS];
    zlay_verdict v, full;
    zlay_reason reasons[REASONS], full_reasons[REASONS];
    int64_t ordered[ZLAY_FILL_NAMES];
    fill_order(ordered, fill, value);
    memset(words, 0xa5, sizeof words);
    memset(fast, 0xa5, sizeof fast);
    memset(wanted, 0xa5, sizeof wanted);
    bool fits = fill_whole(&map, w, value);
    zlay_status status = zlay_fill_write(words, &v, reasons, REASONS, fill, ordered);
    assert_int_equal(zlay_fill_write(fast, NULL, NULL, 0, fill, ordered), status);
    assert_memory_equal(words, fast, sizeof words);
    assert_int_equal(zlay_fill_map(&own, fill, ordered), fits ? ZLAY_OK : ZLAY_EOVERFLOW);
    if (!fits) {
        assert_int_equal(status, ZLAY_EOVERFLOW);
        return false;
    }
    assert_memory_equal(&own, &map, sizeof map);
    full = verdict_of(target_of("sm_90a"), &map, full_reasons);
    if (status != (full.answer == ZLAY_YES ? ZLAY_OK : ZLAY_NONE))
        fail_msg("status %d, the check says %d; %s at ld %lld, M %lld, at %lld", status, full.answer, w->text[0], (long long)value[0],
                 (long long)value[1], (long long)value[2]);
    assert_memory_equal(&v, &full, sizeof v);
    same_reasons(reasons, full_reasons, full.reasons);
    if (!status) assert_int_equal(zlay_tensormap_pack(wanted, target_of("sm_90a"), &map), ZLAY_OK);
    assert_memory_equal(words, wanted, sizeof words);
    return !status;
}

/* What is refused when it is prepared is refused at every value of 63 bits. */
static bool refused_always(const fill_world *w, const int64_t *value)
{
    zlay_tensormap map;
    return !fill_whole(&map, w, value) || answer_of(target_of("sm_90a"), &map) == ZLAY_NO;
}

static void as_the_full_road(void **state)
{
    uint64_t s = test_seed("legality/tensormap/fill");
    uint64_t legal = 0, all = 0, refused = 0;
    for (uint64_t i = 0; i < test_iterations(1500); i++) {
        fill_world w;
        zlay_fill *fill;
        zlay_verdict v;
        fill_draw(&s, &w);
        zlay_status status = fill_prepared(*state, &fill, &w, &v);
        if (status && status != ZLAY_NONE) fail_msg("%s: %s", w.text[0], zlay_ctx_message(*state));
        assert_true((status == ZLAY_NONE) == (v.answer == ZLAY_NO));
        for (int k = 0; k < 200; k++, all++) {
            int64_t value[FILL_NAMES] = {fill_value(&s), fill_value(&s), fill_value(&s)};
            if (status) assert_true(refused_always(&w, value));
            else legal += compare(fill, &w, value);
        }
        refused += status == ZLAY_NONE;
        zlay_fill_free(fill);
    }
    printf("%llu of %llu fillings are legal; %llu maps refused\n", (unsigned long long)legal, (unsigned long long)all,
           (unsigned long long)refused);
    assert_true(legal > all / 100 && refused > 0);
}

static zlay_tensormap_question example(const zlay_tensormap *map, const zlay_given *given)
{
    return (zlay_tensormap_question){sizeof(zlay_tensormap_question), 3, target_of("sm_90a"), map, given, NULL};
}

static const zlay_given texts[] = {{ZLAY_FIELD_ADDRESS, 0, "at", 2}, {ZLAY_FIELD_EXTENT, 1, "M", 1}, {ZLAY_FIELD_STRIDE, 0, "2*ld", 4}};

/* The example of zlay/fill.h, and its key. */
static void by_hand(void **state)
{
    zlay_tensormap map = legal_map();
    zlay_tensormap_question q = example(&map, texts);
    zlay_fill *fill;
    zlay_verdict v;
    char guard[512];
    zlay_buf buf = {guard, sizeof guard, 0};
    uint64_t words[FILL_WORDS], wanted[FILL_WORDS];
    uint8_t key[ZLAY_FILL_KEY];
    assert_int_equal(zlay_fill_prepare(*state, &fill, &v, NULL, 0, &buf, &q), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_DEPENDS);
    assert_non_null(strstr(guard, "ld % 8 == 0"));
    assert_int_equal(zlay_fill_name_count(fill), 3);
    assert_string_equal(zlay_fill_name_nth(fill, 2), "ld");
    assert_null(zlay_fill_name_nth(fill, 3));
    assert_int_equal(zlay_fill_write(words, NULL, NULL, 0, fill, (int64_t[]){1 << 20, 512, 256}), ZLAY_OK);
    assert_int_equal(zlay_tensormap_pack(wanted, target_of("sm_90a"), &map), ZLAY_OK);
    assert_memory_equal(words, wanted, sizeof words);
    assert_int_equal(zlay_fill_write(words, NULL, NULL, 0, fill, (int64_t[]){1 << 20, 512, ((int64_t)1 << 60) + 8}), ZLAY_NONE);
    assert_int_equal(zlay_fill_write(words, NULL, NULL, 0, fill, (int64_t[]){1 << 20, 512, INT64_MAX}), ZLAY_NONE);
    assert_int_equal(zlay_fill_write(words, NULL, NULL, 0, fill, (int64_t[]){1 << 20, 512, INT64_MIN}), ZLAY_EOVERFLOW);
    assert_int_equal(zlay_fill_key(key, words), ZLAY_OK);
    for (int i = 0; i < 128; i++) assert_int_equal(key[i], words[i / 8] >> i % 8 * 8 & 0xff);
    for (int i = 0; i < 4; i++) assert_int_equal(key[128 + i], zlay_rules_version() >> 8 * i & 0xff);
    zlay_fill_free(fill);
}

static void prepare_refused(zlay_ctx *ctx, const zlay_tensormap_question *q, zlay_status status, const char *word)
{
    zlay_fill *fill = (zlay_fill *)(uintptr_t)1;
    zlay_verdict v;
    assert_int_equal(zlay_fill_prepare(ctx, &fill, &v, NULL, 0, NULL, q), status);
    assert_null(fill);
    if (!strstr(zlay_ctx_message(ctx), word)) fail_msg("'%s' has no '%s'", zlay_ctx_message(ctx), word);
}

static void refusals(void **state)
{
    zlay_tensormap map = legal_map();
    zlay_given given[3];
    memcpy(given, texts, sizeof given);
    zlay_tensormap_question q = example(&map, given);
    zlay_fill *fill;
    zlay_verdict v;
    uint64_t words[FILL_WORDS];
    given[1] = (zlay_given){ZLAY_FIELD_BOX, 1, "M", 1};
    prepare_refused(*state, &q, ZLAY_EINVAL, "box");
    given[1] = (zlay_given){ZLAY_FIELD_EXTENT, 1, "288230376151711744*M", 20};
    prepare_refused(*state, &q, ZLAY_EOVERFLOW, "extent");
    given[1] = (zlay_given){ZLAY_FIELD_EXTENT, 1, "M*M", 3};
    prepare_refused(*state, &q, ZLAY_EINVAL, "linear");
    given[1] = (zlay_given){ZLAY_FIELD_EXTENT, 2, "M", 1};
    prepare_refused(*state, &q, ZLAY_EINVAL, "entry");
    given[1] = (zlay_given){ZLAY_FIELD_EXTENT, 1, "a+b+c+d+e+f+g+h+i+j+k+l+m+n+p", 29};
    prepare_refused(*state, &q, ZLAY_ELIMIT, "17 names");
    given[1] = texts[1];
    q.target = target_of("sm_100a");
    prepare_refused(*state, &q, ZLAY_ENOTSUP, "sm_100a");
    q.target = target_of("sm_90a");
    map.box[1] = 300;
    prepare_refused(*state, &q, ZLAY_NONE, "TMAP_BOX");
    map.box[1] = 64;
    given[2] = (zlay_given){ZLAY_FIELD_STRIDE, 0, "16*ld+8", 7};
    prepare_refused(*state, &q, ZLAY_NONE, "TMAP_STRIDE_16");
    assert_int_equal(zlay_fill_prepare(*state, NULL, &v, NULL, 0, NULL, &q), ZLAY_EINVAL);
    assert_int_equal(zlay_fill_prepare(*state, &fill, &v, NULL, 0, NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_fill_write(words, NULL, NULL, 0, NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_fill_map(&map, NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_fill_key(NULL, words), ZLAY_EINVAL);
    zlay_fill_free(NULL);
}

/* A map without unknowns is prepared and written too. */
static void all_known(void **state)
{
    zlay_tensormap map = legal_map();
    zlay_tensormap_question q = {sizeof q, 0, target_of("sm_90a"), &map, NULL, NULL};
    zlay_fill *fill;
    zlay_verdict v;
    uint64_t words[FILL_WORDS], wanted[FILL_WORDS];
    assert_int_equal(zlay_fill_prepare(*state, &fill, &v, NULL, 0, NULL, &q), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_YES);
    assert_int_equal(zlay_fill_write(words, &v, NULL, 0, fill, NULL), ZLAY_OK);
    assert_int_equal(zlay_tensormap_pack(wanted, target_of("sm_90a"), &map), ZLAY_OK);
    assert_memory_equal(words, wanted, sizeof words);
    zlay_fill_free(fill);
}

static zlay_status prepare_and_free(zlay_ctx *ctx, void *given)
{
    zlay_fill *fill;
    zlay_verdict v;
    zlay_status status = zlay_fill_prepare(ctx, &fill, &v, NULL, 0, NULL, given);
    zlay_fill_free(fill);
    return status;
}

static void memory(void **state)
{
    zlay_tensormap map = legal_map();
    zlay_tensormap_question q = example(&map, texts);
    heap h;
    (void)state;
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(heap_fails_each(&h, ctx, prepare_and_free, &q), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_full_road), cmocka_unit_test(by_hand), cmocka_unit_test(refusals), cmocka_unit_test(all_known),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
