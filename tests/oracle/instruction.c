/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction forms against ptxas: each on each target, under each PTX version, and with constants
 * around every bound. ZLAY_EXHAUSTIVE=1 takes every form on each target, one in 14 pairs of target and
 * version, so that each target and each version has several, and one in 128 of the forms with constants;
 * 2 takes all pairs, and one form in 8. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "instruction.h"

static uint32_t forms[FORMS_MOST], count;

static int forms_read(void **unused)
{
    (void)unused;
    count = forms_all(forms);
    return 0;
}

static bool assembled(const zlay_target *on) { return !strncmp(zlay_target_name(on), "sm_", 3); }

static void every_form_on_every_target(void **unused)
{
    (void)unused;
    uint32_t wrong = 0, pairs = 0;
    size_t step = test_exhaustive() ? 1 : 16;
    const zlay_target *on;
    if (!ptxas_found()) skip();
    for (size_t i = 0; (on = zlay_target_nth(i)) != NULL; i += step)
        if (assembled(on)) wrong += forms_compare(forms, count, on, 90, false), pairs += count;
    printf("%u pairs of form and target\n", (unsigned)pairs);
    assert_int_equal(wrong, 0);
}

/* Text is read alone: what a version knows, code generation does not ask. */
static void every_form_under_every_version(void **unused)
{
    (void)unused;
    enum { FIRST = 69, LAST = 91 };
    uint32_t wrong = 0, files = 0, step = test_hours() ? 1 : test_exhaustive() ? 14 : 150;
    const zlay_target *on;
    if (!ptxas_found()) skip();
    for (size_t i = 0; (on = zlay_target_nth(i)) != NULL; i++)
        for (uint32_t version = FIRST; version < LAST && assembled(on); version++)
            if (files++ % step == 0) wrong += forms_compare(forms, count, on, version, true);
    printf("%u pairs of target and version\n", (unsigned)((files + step - 1) / step));
    assert_int_equal(wrong, 0);
}

static void constants_at_their_bounds(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        uint32_t version;
    } on[] = {{"sm_80", 90},   {"sm_90a", 83},  {"sm_90a", 90}, {"sm_100a", 86},
              {"sm_100f", 90}, {"sm_103a", 88}, {"sm_103a", 90}, {"sm_120a", 90}};
    int64_t every = test_hours() ? 8 : test_exhaustive() ? 128 : 400;
    uint64_t seed = test_seed("oracle/instruction");
    uint32_t wrong = 0;
    if (!ptxas_found()) skip();
    for (size_t i = 0; i < sizeof on / sizeof *on; i++)
        wrong += constants_compare(forms, count, target_of(on[i].name), on[i].version, every, &seed);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_at_their_bounds),
        cmocka_unit_test(every_form_on_every_target),
        cmocka_unit_test(every_form_under_every_version),
    };
    return cmocka_run_group_tests(tests, forms_read, NULL);
}
