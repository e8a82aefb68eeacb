/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that share no registers are packed into the fewest warpgroups that compute for no longer than the interval, and of these into
 * one in which the warpgroups together access the fewest values: random programs of up to six parts, beside every partition. */
#include "ctx.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

enum { TEXT = 1 << 16, PARTS = 6, PROGRAMS = 400, ALL = 1000 };

static char program[TEXT], text[TEXT];

typedef struct world {
    int parts, cycles[PARTS];
    unsigned values[PARTS]; /* bit 0: T; bit 1 + p: what part p writes */
    long interval;
    int of[PARTS], best, shared;
} world;

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...)
{
    va_list args;
    size_t length = strlen(program);
    va_start(args, format);
    vsnprintf(program + length, sizeof program - length, format, args);
    va_end(args);
}

/* Part p reads the scores and what one part before it wrote; the last one reads what is left. */
static void draw(world *w, uint64_t *seed)
{
    int reads[PARTS] = {0};
    memset(w, 0, sizeof *w);
    w->parts = 1 + (int)(test_random(seed) % PARTS);
    *program = 0;
    put("tiles x\nloop N 4..\nshared Q 8192\nshared K 8192\ntmem T 64\nbody f\n  matrix U f32\n  shared A f32\n  U = U * load(A, row)\nend\n");
    for (int p = 1; p < w->parts; p++) {
        reads[p] = test_random(seed) % 3 ? 1 + (int)(test_random(seed) % (unsigned)p) : 0; /* of part reads[p] - 1 */
        for (int q = 1; q < p; q++) reads[p] = reads[q] == reads[p] ? 0 : reads[p];
        if (reads[p]) put("shared A%d 512\n", reads[p] - 1);
    }
    put("before\ncopy tensor 8192 -> Q\nloop\ncopy tensor 8192 -> K : cycles 20 latency 50\nmma Q, K -> T fresh : cycles %d latency 200\n", 50 + (int)(test_random(seed) % 200));
    for (int p = 0; p < w->parts; p++) {
        int used = 1 + (int)(test_random(seed) % 120);
        bool written = false;
        put("tld T -> X%d : cycles 2\n", p);
        w->values[p] |= 1;
        if (reads[p]) put("use X%d body f reads A%d : cycles 3\n", p, reads[p] - 1), w->values[p] |= 2u << (reads[p] - 1);
        put("use X%d : cycles %d\n", p, used);
        for (int q = p + 1; q < w->parts; q++) written |= reads[q] == p + 1;
        if (written) put("write A%d from X%d : cycles 4\n", p, p), w->values[p] |= 2u << p;
        w->cycles[p] = 2 + used + (reads[p] ? 3 : 0) + (written ? 4 : 0);
    }
}

/* Every partition whose roles have no more cycles than the interval. */
static void try_all(world *w, int p, int roles)
{
    for (int r = 0; p < w->parts && r <= roles; r++) {
        w->of[p] = r;
        try_all(w, p + 1, roles + (r == roles));
    }
    if (p < w->parts) return;
    int shared = 0;
    for (int r = 0; r < roles; r++) {
        unsigned values = 0;
        long sum = 0;
        for (int q = 0; q < w->parts; q++)
            if (w->of[q] == r) values |= w->values[q], sum += w->cycles[q];
        if (sum > w->interval) return;
        shared += __builtin_popcount(values);
    }
    if (roles < w->best || (roles == w->best && shared < w->shared)) w->best = roles, w->shared = shared;
}

/* The values that a role's lines access. */
static int accessed(const char *role)
{
    unsigned values = 0;
    const char *end = strstr(role, "\nend");
    for (const char *at = role; at < end; at = strchr(at + 1, '\n')) {
        const char *line = at + strspn(at, "\n "), *read = strstr(line, "reads A"), *stop = strchr(line, '\n');
        if (!strncmp(line, "tld T", 5)) values |= 1;
        if (!strncmp(line, "write A", 7)) values |= 2u << (line[7] - '0');
        if (!strncmp(line, "use ", 4) && read && read < stop) values |= 2u << (read[7] - '0');
    }
    return __builtin_popcount(values);
}

static void packs_best(void **state)
{
    uint64_t seed = test_seed("packing");
    int many = 0;
    for (int i = 0; i < PROGRAMS; i++) {
        world w;
        zlay_roles *roles;
        zlay_roles_summary info;
        zlay_role role;
        zlay_buf out = {text, sizeof text, 0};
        int found = 0, shared = 0;
        draw(&w, &seed);
        if (zlay_roles_synth(*state, &roles, target_of("sm_100a"), program, strlen(program))) fail_msg("%s\n%s", zlay_ctx_message(*state), program);
        assert_int_equal(zlay_roles_info(&info, roles), ZLAY_OK);
        assert_int_equal(zlay_pipe_print(&out, zlay_roles_pipe(roles)), ZLAY_OK);
        for (uint32_t r = 0; !zlay_roles_nth(&role, roles, r); r++) found += role.kind == ZLAY_ROLE_COMPUTES;
        for (const char *at = text; (at = strstr(at, "role computes")); at++) shared += accessed(at);
        zlay_roles_free(roles);
        w.interval = (long)info.interval, w.best = w.shared = ALL;
        try_all(&w, 0, 0);
        if (found != w.best || shared != w.shared) fail_msg("%d roles with %d values, of %d with %d\n%s\n%s", found, shared, w.best, w.shared, program, text);
        many += found > 1 && found < w.parts;
    }
    if (many < PROGRAMS / 10) fail_msg("%d programs have a choice", many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(packs_best)};
    return cmocka_run_group_tests_name("synth/roles/fewest", tests, begin, end);
}
