/* SPDX-License-Identifier: Apache-2.0 */
/* Words of every kind have fields that pack to them; kinds share three tables. Of one kind of each table, all words under
 * ZLAY_EXHAUSTIVE=2; under 1 all whose bytes but three are 0, which hold any two fields with all their values, and every 61st. Of
 * the other kinds every seventh and every 997th; in `make test`, every 997th of all. */
#include "tiles/idesc.h"

static bool is_wrong(int32_t kind, uint32_t word)
{
    zlay_idesc f;
    uint32_t back = ~word;
    return zlay_idesc_unpack(&f, kind, word) != ZLAY_OK || zlay_idesc_pack(&back, &f) != ZLAY_OK || back != word;
}

static uint64_t wrong_words(int32_t kind, uint64_t step)
{
    uint64_t wrong = 0;
    for (uint64_t word = step > 1 ? (uint64_t)kind : 0; word <= UINT32_MAX; word += step) wrong += is_wrong(kind, (uint32_t)word);
    return wrong;
}

/* Those whose byte `zero` is 0. */
static uint64_t wrong_bytes(int32_t kind, int zero)
{
    uint64_t wrong = 0;
    uint32_t below = (1u << 8 * zero) - 1, step = test_exhaustive() ? 1 : 997;
    for (uint32_t rest = 0; rest < 1 << 24; rest += step) wrong += is_wrong(kind, (rest & below) | (rest & ~below) << 8);
    return wrong;
}

static bool is_first_of_table(int32_t kind)
{
    return kind == ZLAY_KIND_F16 || kind == ZLAY_KIND_MXF8F6F4 || kind == ZLAY_KIND_MXF4;
}

static void every_word_has_its_fields(void **state)
{
    (void)state;
    for (int32_t kind = ZLAY_KIND_F16; kind <= ZLAY_KIND_MXF4NVF4; kind++) {
        bool first = is_first_of_table(kind);
        uint64_t step = test_hours() ? (first ? 1 : 7) : first && test_exhaustive() ? 61 : 997;
        assert_int_equal(wrong_words(kind, step), 0);
    }
}

static void any_two_fields_meet(void **state)
{
    (void)state;
    for (int32_t kind = ZLAY_KIND_F16; kind <= ZLAY_KIND_MXF4NVF4; kind++)
        for (int zero = 0; zero < 4 && is_first_of_table(kind); zero++) assert_int_equal(wrong_bytes(kind, zero), 0);
}

/* The fields of a word are those that the tables' sums give back. */
static void fields_are_those_of_the_tables(void **state)
{
    (void)state;
    uint64_t step = test_hours() ? 211 : test_exhaustive() ? 4001 : 40009;
    for (int32_t kind = ZLAY_KIND_F16; kind <= ZLAY_KIND_MXF4NVF4; kind++)
        for (uint64_t word = 0; word <= UINT32_MAX; word += step) {
            zlay_idesc f;
            assert_int_equal(zlay_idesc_unpack(&f, kind, (uint32_t)word), ZLAY_OK);
            assert_int_equal(word_by_hand(&f), word);
            assert_int_equal(f.must_be_zero, word & ~bits_by_hand(kind));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_has_its_fields), cmocka_unit_test(any_two_fields_meet),
        cmocka_unit_test(fields_are_those_of_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
