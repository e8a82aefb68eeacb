/* SPDX-License-Identifier: Apache-2.0 */
/* The pipe that is found from the operations of attention alone, with the moves and stages of a plan of attention: its kernel is
 * assembled, executed as PTX on the CPU, and every element of the result compared with softmax(Q K^T / sqrt(d)) V in double. */
#define _POSIX_C_SOURCE 200809L
#include "ptx/attention_model.h"

#include "assembler.h"

enum { TEXT = 1 << 15 };

static char program[TEXT], own[TEXT], changed[TEXT];

static void read_file(const char *name)
{
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    size_t length = fread(program, 1, sizeof program - 1, file);
    fclose(file);
    program[length] = 0;
}

/* Puts `with` in the place of the text from `from` up to `to`. */
static void replace(const char *from, const char *to, const char *with)
{
    char *at = strstr(program, from), *end = at ? strstr(at, to) : NULL;
    if (!end) fail_msg("no '%s' up to '%s'", from, to);
    assert_true(snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - program), program, with, end) < TEXT);
    memcpy(program, changed, sizeof program);
}

/* The bodies of a causal plan, in the place of the example's, and the mask with the number of the tile of queries. */
static void mask_causal(const run *r)
{
    zlay_buf out = {own, sizeof own, 0};
    assert_int_equal(zlay_pipe_print(&out, zlay_attention_pipe(r->plan)), ZLAY_OK);
    char *bodies = strstr(own, "body begin"), *end = strstr(own, "init "), *use = strstr(own, "at block, i, N"), mask[40];
    assert_true(bodies && end && use);
    *end = 0;
    snprintf(mask, sizeof mask, "%.*s", (int)strcspn(use, "\n"), use);
    replace("body begin", "before\n", bodies);
    replace("at i, N when i < 1", " :", mask);
}

/* The example has tiles of 128 keys. */
static void keys_put(uint32_t keys)
{
    static const struct { const char *name; uint32_t bytes; } sizes[] = {{"move tK0 ", 128}, {"move tK1 ", 128}, {"move tV ", 256}};
    char line[40];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(line, sizeof line, "%s%u", sizes[i].name, sizes[i].bytes * keys);
        replace(sizes[i].name, "\n", line);
    }
    snprintf(line, sizeof line, "* %u", keys);
    replace("* 128\n", "\n", line);
}

static zlay_roles *pipe_make(run *r, const shape *s)
{
    zlay_roles *roles;
    read_file("examples/attention.tiles");
    if (s->tile_n != 128) keys_put(s->tile_n);
    if (s->causal) mask_causal(r);
    if (zlay_roles_synth(r->ctx, &roles, target_of("sm_90a"), program, strlen(program))) fail_msg("%s", zlay_ctx_message(r->ctx));
    return roles;
}

static void kernel_make(run *r, const shape *s)
{
    zlay_buf out = {kernel, sizeof kernel, 0};
    plan_make(r, s);
    zlay_roles *roles = pipe_make(r, s);
    zlay_attention_emit ask = {.size = sizeof ask, .plan = r->plan, .name = "kernel", .name_length = 6, .pipe = zlay_roles_pipe(roles)};
    assert_int_equal(zlay_attention_info(&r->info, r->plan), ZLAY_OK);
    if (zlay_emit_attention(r->ctx, &out, &r->launch, r->argument, ARGUMENTS, &ask)) fail_msg("%s", zlay_ctx_message(r->ctx));
    assert_int_equal(r->launch.threads, r->info.threads);
    zlay_roles_free(roles);
}

static const shape shapes[] = {
    {128, 0, 0, 1, 1, 1, 100, 3, .type = ZLAY_TYPE_BF16, .tile_m = 128, .tile_n = 128},
    {128, 0, 0, 1, 2, 1, 129, 300, .type = ZLAY_TYPE_BF16, .tile_m = 128, .tile_n = 128},
    {128, 0, 0, 2, 1, 1, 128, 400, .type = ZLAY_TYPE_BF16, .tile_m = 128, .tile_n = 128},
    {128, 1, 0, 1, 1, 1, 130, 390, .type = ZLAY_TYPE_BF16, .tile_m = 128, .tile_n = 128},
    {128, 1, 0, 1, 2, 2, 260, 260, .type = ZLAY_TYPE_BF16, .tile_m = 128, .tile_n = 128},
    /* Values in two stages: their copies move an iteration later, and the first and the last one out of the loop. */
    {128, 0, 0, 1, 1, 1, 100, 170, .type = ZLAY_TYPE_BF16, .tile_m = 128, .tile_n = 176},
    {128, 0, 0, 1, 2, 1, 129, 600, .type = ZLAY_TYPE_BF16, .tile_m = 128, .tile_n = 176},
    {128, 1, 0, 1, 1, 1, 300, 540, .type = ZLAY_TYPE_BF16, .tile_m = 128, .tile_n = 176},
};

static void runs(void **state)
{
    uint64_t seed = test_seed("roles");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int when = 0; when < 3; when++) {
            run r = {.ctx = *state};
            kernel_make(&r, &shapes[i]);
            tensors_make(&r, &shapes[i], &seed);
            give_all(&r, &shapes[i], CAP);
            machine.when = (px_when)when;
            machine.random = test_random(&seed);
            machine.grid[0] = (uint32_t)r.info.grid[0], machine.grid[1] = (uint32_t)r.info.grid[1];
            px_run(&machine, kernel, (int)r.launch.threads, (uint32_t)(r.info.grid[0] * r.info.grid[1] * r.info.grid[2]), 1);
            if (*machine.fault) fail_msg("shape %zu: %s", i, machine.fault);
            compare(&r, &shapes[i], CAP);
            for (int t = 0; t < 4; t++) free(r.tensor[t]);
            for (int t = 0; t < 3; t++) free(r.number[t]);
            zlay_attention_free(r.plan);
        }
}

/* Without a spill, and without products that wait for each other. */
static void assembled(void **state)
{
    need_assembler();
    for (size_t i = 2; i < sizeof shapes / sizeof *shapes; i++) {
        run r = {.ctx = *state};
        kernel_make(&r, &shapes[i]);
        assert_true(assembles_fast("sm_90a", kernel));
        zlay_attention_free(r.plan);
    }
}

/* A plan for waves has its own pipe alone. */
static void refused(void **state)
{
    const shape s = shapes[0];
    run r = {.ctx = *state};
    plan_make(&r, &s);
    zlay_roles *roles = pipe_make(&r, &s);
    zlay_attention a = asked(&s);
    zlay_attention_plan *waves;
    zlay_buf out = {kernel, sizeof kernel, 0};
    a.tile_m = a.tile_n = 0;
    assert_int_equal(zlay_attention_synth(*state, &waves, target_of("gfx942"), &a), ZLAY_OK);
    zlay_attention_emit ask = {.size = sizeof ask, .plan = waves, .name = "kernel", .name_length = 6, .pipe = zlay_roles_pipe(roles)};
    assert_int_equal(zlay_emit_attention(*state, &out, NULL, NULL, 0, &ask), ZLAY_ENOTSUP);
    zlay_attention_free(waves);
    zlay_attention_free(r.plan);
    zlay_roles_free(roles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs), cmocka_unit_test(assembled), cmocka_unit_test(refused)};
    return cmocka_run_group_tests_name("emit/attention/roles_run", tests, begin, end);
}
