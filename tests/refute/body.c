/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute the model of bodies: random bodies are parsed, printed and parsed again, then evaluated by zlay_sim_body and by the evaluator of
 * body_machine.h, which reads the printed text.  A body without approximations must have exactly its values; of one with approximations each value
 * of the evaluator, which rounds them to the nearest, must lie in the model's interval.  10^4 cases, 10^5 with ZLAY_EXHAUSTIVE=1. */
#include "body_draw.h"
#include "body_machine.h"
#include "ctx.h"

#include <stdio.h>
#include <zlay/sim_body.h>

enum { CASES = 10000, OPERANDS = 32 };

/* ---- values of operands -------------------------------------------------------------------------------------------------------- */

static zlay_interval values[OPERANDS][ROWS * LANES];

static double random_of(uint64_t *seed, int32_t type)
{
    double x = (double)test_range(seed, -4000, 4000) * exp2((double)test_range(seed, -14, -6));
    if (!test_range(seed, 0, 19)) x = (const double[]){INFINITY, -INFINITY, NAN, -0.0, 1e-40, 3e38}[test_range(seed, 0, 5)];
    switch (type) {
    case ZLAY_TYPE_S32: return wrapped((uint32_t)test_random(seed) >> test_range(seed, 0, 31), type);
    case ZLAY_TYPE_U32: return wrapped((uint32_t)test_random(seed) >> test_range(seed, 0, 31), type);
    case ZLAY_TYPE_S8: return (double)test_range(seed, -128, 127);
    case ZLAY_TYPE_U8: return (double)test_range(seed, 0, 255);
    default: return typed(x, type, false);
    }
}

static size_t count_of(int sort)
{
    static const size_t counts[] = {0, ROWS * COLUMNS, ROWS, COLUMNS, ROWS * LANES, 1, 1, ARRAY};
    return counts[sort];
}

/* The value of an operand at a row, and at a column or a lane. */
static zlay_interval *place(int operand, int row, int i)
{
    switch (operands[operand].sort) {
    case ZLAY_BODY_MATRIX: return &values[operand][row * COLUMNS + i];
    case ZLAY_BODY_ROW: return &values[operand][row];
    case ZLAY_BODY_PART: return &values[operand][row * LANES + i];
    case ZLAY_BODY_COLUMN:
    case ZLAY_BODY_GLOBAL: return &values[operand][i];
    default: return &values[operand][0];
    }
}

static void draw_values(uint64_t *seed, machine *m)
{
    m->count = DECLARED;
    memset(m->names, 0, sizeof *m->names * DECLARED);
    for (int o = 0; o < DECLARED; o++) {
        variable *n = &m->names[o];
        for (size_t i = 0; i < count_of(operands[o].sort); i++) {
            double x = operands[o].sort == ZLAY_BODY_INDEX ? (double)test_range(seed, 0, 9) : random_of(seed, operands[o].type);
            values[o][i] = (zlay_interval){x, x};
        }
        strcpy(n->text, operands[o].text);
        n->type = operands[o].type, n->sort = operands[o].sort, n->part = n->sort == ZLAY_BODY_PART;
        for (int r = 0; r < ROWS; r++) {
            for (int c = 0; c < COLUMNS && n->sort != ZLAY_BODY_PART; c++) n->at[r][c] = (value){n->type, place(o, r, c)->low};
            for (int l = 0; l < LANES && n->sort == ZLAY_BODY_PART; l++) n->lane[r][l] = (value){n->type, place(o, r, l)->low};
        }
        for (int i = 0; i < ARRAY && n->sort == ZLAY_BODY_GLOBAL; i++) n->array[i] = (value){n->type, values[o][i].low};
    }
}

/* ---- compared --------------------------------------------------------------------------------------------------------------------- */

static bool has_value(zlay_interval a, double x, bool exact)
{
    bool nan = isnan(a.low) && isnan(a.high), unknown = isnan(a.low) && !isnan(a.high);
    if (exact && (unknown || (!nan && (a.low != a.high || signbit(a.low) != signbit(x) || signbit(a.high) != signbit(x))))) return false;
    if (unknown) return true;
    return nan ? isnan(x) : a.low <= x && x <= a.high;
}

static void compare(machine *m, const char *text, bool exact)
{
    for (int o = 0; o < WRITTEN; o++) {
        variable *n = &m->names[o];
        bool part = operands[o].sort == ZLAY_BODY_PART;
        for (int r = 0; r < ROWS; r++)
            for (int i = 0; i < (part ? LANES : COLUMNS); i++) {
                if (part && !holds_row(m->f, r, i)) continue;
                double x = part && n->part ? n->lane[r][i].x : n->at[r][part ? 0 : i].x;
                zlay_interval a = *place(o, r, i);
                if (!has_value(a, x, exact)) fail_msg("%s%s (%d, %d) of %s is %a, and the model's {%a, %a}", text, n->text, r, i, m->f->text, x, a.low, a.high);
            }
    }
}

static bool has_approximation(const char *text)
{
    static const char *const words[] = {"exp2(", "log2(", "rcp(", "sqrt(", "tanh("};
    bool has = false;
    for (int i = 0; i < 5; i++) has |= strstr(text, words[i]) != NULL;
    return has;
}

static void run_text(machine *m, const char *text)
{
    const char *line = text;
    for (; *line; line = strchr(line, '\n') + 1)
        if (strstr(line, " = ") && strstr(line, " = ") < strchr(line, '\n')) run_line(m, line + strspn(line, " "));
}

static zlay_body *parse(zlay_ctx *ctx, const char *text)
{
    zlay_body *body = NULL;
    if (zlay_body_parse(ctx, &body, text, strlen(text))) fail_msg("%s\n%s", text, zlay_ctx_message(ctx));
    return body;
}

static void agrees_with_its_text(void **state)
{
    static drawing d;
    static machine m;
    static char printed[TEXT], again[TEXT];
    zlay_layout *layouts[FRAGMENTS];
    uint64_t seed = test_seed("refute/body"), cases = test_cases(CASES), exact = 0, finite = 0;
    for (int i = 0; i < FRAGMENTS; i++) layouts[i] = read_layout(*state, fragments[i].text);
    for (uint64_t n = 0; n < cases; n++) {
        uint64_t one = test_case(seed, n);
        zlay_buf first = {printed, sizeof printed, 0}, second = {again, sizeof again, 0};
        int which = (int)test_range(&one, 0, FRAGMENTS - 1);
        draw_body(&d, &one);
        zlay_body *body = parse(*state, d.text), *read;
        assert_int_equal(zlay_body_print(&first, body), ZLAY_OK);
        read = parse(*state, printed);
        assert_int_equal(zlay_body_print(&second, read), ZLAY_OK);
        assert_string_equal(printed, again);
        m.f = &fragments[which];
        draw_values(&one, &m);
        zlay_sim_operand asked[OPERANDS];
        for (int o = 0; o < DECLARED; o++) asked[o] = (zlay_sim_operand){values[o], count_of(operands[o].sort)};
        zlay_sim_body_request request = {.size = sizeof request, .rows = ROWS, .columns = COLUMNS, .fragment = layouts[which]};
        if (zlay_sim_body(*state, asked, DECLARED, read, &request)) fail_msg("%s\n%s", printed, zlay_ctx_message(*state));
        run_text(&m, printed);
        compare(&m, printed, !has_approximation(printed));
        exact += !has_approximation(printed);
        for (int o = 0; o < WRITTEN; o++) finite += isfinite(values[o][0].low) && isfinite(values[o][0].high) && strstr(printed, "=") != NULL;
        zlay_body_free(body);
        zlay_body_free(read);
    }
    for (int i = 0; i < FRAGMENTS; i++) zlay_layout_free(layouts[i]);
    printf("%llu bodies: %llu without approximations, %llu with\n", (unsigned long long)cases, (unsigned long long)exact, (unsigned long long)(cases - exact));
    assert_true(exact * 4 > cases && exact * 20 < cases * 19);
    assert_true(finite > cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_its_text)};
    return cmocka_run_group_tests(tests, begin, end);
}
