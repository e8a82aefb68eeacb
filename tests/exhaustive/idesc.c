/* SPDX-License-Identifier: Apache-2.0 */
/* Every word of every kind has fields that pack to it: whole under `make exhaustive` for one kind of each table, every seventh word
 * of the others; every 997th in `make test`. */
#include "tiles/idesc.h"

static uint64_t wrong_words(int32_t kind, uint64_t step)
{
    uint64_t wrong = 0;
    for (uint64_t word = step > 1 ? (uint64_t)kind : 0; word <= UINT32_MAX; word += step) {
        zlay_idesc f;
        uint32_t back = ~(uint32_t)word;
        wrong += zlay_idesc_unpack(&f, kind, (uint32_t)word) != ZLAY_OK ||
                 zlay_idesc_pack(&back, &f) != ZLAY_OK || back != word;
    }
    return wrong;
}

static void every_word_has_its_fields(void **state)
{
    (void)state;
    for (int32_t kind = ZLAY_KIND_F16; kind <= ZLAY_KIND_MXF4NVF4; kind++) {
        bool first = kind == ZLAY_KIND_F16 || kind == ZLAY_KIND_MXF8F6F4 || kind == ZLAY_KIND_MXF4;
        uint64_t step = !test_exhaustive() ? 997 : first ? 1 : 7;
        assert_int_equal(wrong_words(kind, step), 0);
    }
}

/* The fields of a word are those that the tables' sums give back. */
static void fields_are_those_of_the_tables(void **state)
{
    (void)state;
    uint64_t step = test_exhaustive() ? 211 : 40009;
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
        cmocka_unit_test(every_word_has_its_fields),
        cmocka_unit_test(fields_are_those_of_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
