/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a plan whose certificate holds, does not hold, or is left undecided by a limit. */
#include "ctx.h"

#include "algebra/decide/certificate.h"

/* Of 2^20 points; `near` differs from `far`, which a limit may keep unseen. */
static const char far[] = "Sw<3,4,3> o 0 o (1021,1023):(1048573,1048583)";
static const char beside[] = "Sw<3,4,3> o 1 o (1021,1023):(1048573,1048583)";
static const char near[] = "Sw<3,4,-3> o 0 o (1023,1021):(1048573,1048583)";

static zlay_status asked(zlay_ctx *ctx, const char *a, const char *b)
{
    zlay_layout *one = read_layout(ctx, a), *other = read_layout(ctx, b);
    zlay_status status = zl_certificate_equal(ctx, one, other, 3);
    zlay_layout_free(one);
    zlay_layout_free(other);
    return status;
}

static void equal_and_unequal(void **state)
{
    zlay_ctx *ctx = *state;
    assert_int_equal(asked(ctx, "(4,8):(8,1)", "(4,(2,4)):(8,(1,2))"), ZLAY_OK);
    assert_int_equal(asked(ctx, far, far), ZLAY_OK);
    assert_int_equal(asked(ctx, "(4,8):(8,1)", "(4,8):(8,2)"), ZLAY_EINTERNAL);
    assert_non_null(strstr(zlay_ctx_message(ctx), "certificate 3 does not hold"));
    assert_int_equal(asked(ctx, far, beside), ZLAY_EINTERNAL);
}

/* Each limit that may leave the question open, by its name. */
static void undecided_names_its_limit(void **state)
{
    static const struct {
        zlay_limits limits;
        const char *name;
    } rows[] = {{{.points = 1, .isl_ops = 1}, "limits.points"},
                {{.work = 10}, "limits.work"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_limits limits = rows[i].limits;
        zlay_ctx *ctx = ctx_new();
        zlay_layout *a = read_layout(ctx, near), *b = read_layout(ctx, far);
        limits.size = sizeof limits;
        assert_int_equal(zlay_ctx_set_limits(ctx, &limits), ZLAY_OK);
        zlay_status status = zl_certificate_equal(ctx, a, b, 0);
        if (status != ZLAY_ELIMIT || !strstr(zlay_ctx_message(ctx), rows[i].name))
            fail_msg("%s: %s, %s", rows[i].name, zlay_status_name(status), zlay_ctx_message(ctx));
        zlay_layout_free(a);
        zlay_layout_free(b);
        zlay_ctx_free(ctx);
    }
}

static void claims_pass_their_status_on(void **state)
{
    zlay_ctx *ctx = *state;
    assert_int_equal(zl_certificate_claim(ctx, ZLAY_EINVAL, ZLAY_YES, 0), ZLAY_EINVAL);
    assert_int_equal(zl_certificate_claim(ctx, ZLAY_OK, ZLAY_YES, 0), ZLAY_OK);
    assert_int_equal(zl_certificate_claim(ctx, ZLAY_OK, ZLAY_NO, 0), ZLAY_EINTERNAL);
    assert_int_equal(zlay_ctx_set_limits(ctx, NULL), ZLAY_OK); /* and no message is left */
    assert_int_equal(zl_certificate_claim(ctx, ZLAY_OK, ZLAY_UNDECIDED, 7), ZLAY_ELIMIT);
    assert_string_equal(zlay_ctx_message(ctx), "certificate 7 is undecided");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_and_unequal),
                                       cmocka_unit_test(undecided_names_its_limit),
                                       cmocka_unit_test(claims_pass_their_status_on)};
    return cmocka_run_group_tests(tests, begin, end);
}
