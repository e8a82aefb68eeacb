/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of examples/activations.body, by the model, against the same functions of the C library in double: each interval lies
 * within the error that f32 and the hardware's approximations allow. */
#include "ctx.h"

#include <math.h>
#include <stdio.h>

enum { TEXT = 1 << 14, COUNT = 4096 };

static char text[TEXT];

static void read_file(void)
{
    FILE *file = fopen("examples/activations.body", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
}

/* The body of a name, from its first line to its `end`. */
static zlay_body *body_of(zlay_ctx *ctx, const char *name)
{
    char head[80];
    zlay_body *body;
    snprintf(head, sizeof head, "body %s\n", name);
    const char *from = strstr(text, head);
    assert_non_null(from);
    const char *end = strstr(from, "\nend\n");
    assert_non_null(end);
    if (zlay_body_parse(ctx, &body, from, (size_t)(end + 5 - from))) fail_msg("%s: %s", name, zlay_ctx_message(ctx));
    return body;
}

static double relu(double x) { return fmax(x, 0); }
static double silu(double x) { return x / (1 + exp(-x)); }
static double gelu_tanh(double x) { return x / 2 * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x))); }
static double gelu(double x) { return x / 2 * (1 + erf(x / sqrt(2))); }

static const struct {
    const char *name;
    double (*f)(double);
    double absolute, relative; /* tanh.approx.f32 errs by up to 2^-11 */
} rows[] = {{"relu", relu, 0, 0}, {"silu", silu, 1e-6, 1e-6}, {"gelu_tanh", gelu_tanh, 1e-6, 0.0006}, {"gelu", gelu, 2e-6, 1e-6}};

static void are_what_they_are_called(void **state)
{
    static zlay_interval c[COUNT], d[COUNT];
    zlay_layout *fragment = read_layout(*state, "(1,4096):(0,1)");
    read_file();
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        zlay_body *body = body_of(*state, rows[r].name);
        for (int i = 0; i < COUNT; i++) {
            double x = (float)((i - COUNT / 2) / 256.0 + 0.0013);
            c[i] = (zlay_interval){x, x};
        }
        zlay_sim_operand operands[] = {{c, COUNT}, {d, COUNT}};
        zlay_sim_body_request ask = {.size = sizeof ask, .rows = 1, .columns = COUNT, .fragment = fragment};
        if (zlay_sim_body(*state, operands, 2, body, &ask)) fail_msg("%s: %s", rows[r].name, zlay_ctx_message(*state));
        for (int i = 0; i < COUNT; i++) {
            double wanted = rows[r].f(c[i].low), room = rows[r].absolute + rows[r].relative * fabs(c[i].low);
            if (!(d[i].low >= wanted - room && d[i].high <= wanted + room))
                fail_msg("%s(%g) in [%.9g, %.9g], not %.9g", rows[r].name, c[i].low, d[i].low, d[i].high, wanted);
        }
        zlay_body_free(body);
    }
    zlay_layout_free(fragment);
}

static void every_body_is_read(void **state)
{
    unsigned bodies = 0;
    read_file();
    for (const char *at = text; (at = strstr(at, "\nbody ")) != NULL; at++, bodies++) {
        char name[65];
        assert_int_equal(sscanf(at, "\nbody %64s", name), 1);
        zlay_body_free(body_of(*state, name));
    }
    assert_int_equal(bodies, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(are_what_they_are_called), cmocka_unit_test(every_body_is_read)};
    return cmocka_run_group_tests_name("sim/activations", tests, begin, end);
}
