/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of tensor memory, which are found wrong only where every interleaving of them is. */
#include "pipes/tmem.h"

/* ---- random programs, in every interleaving ----------------------------------------------------- */

enum { TMEMS = 3, LENGTH = 6, ROLES = 2, ALLOC = 0, FREE, USE, RELINQUISH, SORTS };

typedef struct program {
    struct { int sort, name; } event[ROLES + 1][LENGTH]; /* the setup is the last one */
    uint32_t length[ROLES + 1], roles;
    uint32_t columns[TMEMS];
    bool quiet; /* uses are nothing: what they read was never written, which has a rule of its own */
} program;

/* Allocated, used, freed; then with a few events changed. */
static void role_draw(program *p, uint32_t r, uint64_t *seed)
{
    int first = (int)test_range(seed, 0, TMEMS - 1), second = (int)test_range(seed, 0, TMEMS - 1);
    const int whole[][2] = {{ALLOC, first},  {USE, first},   {FREE, first},
                            {ALLOC, second}, {FREE, second}, {RELINQUISH, 0}};
    p->length[r] = test_random(seed) % 2 ? 3 : LENGTH;
    for (uint32_t i = 0; i < p->length[r]; i++) {
        p->event[r][i].sort = whole[i][0];
        p->event[r][i].name = whole[i][1];
    }
    for (int64_t more = test_range(seed, -2, 2); more > 0; more--) {
        uint32_t i = (uint32_t)test_range(seed, 0, p->length[r] - 1);
        p->event[r][i].sort = (int)test_range(seed, 0, SORTS - 1);
        p->event[r][i].name = (int)test_range(seed, 0, TMEMS - 1);
    }
}

static void program_draw(program *p, uint64_t *seed)
{
    int64_t least = test_range(seed, 0, 4);
    p->quiet = test_random(seed) % 2;
    p->roles = (uint32_t)test_range(seed, 1, ROLES);
    for (int n = 0; n < TMEMS; n++) p->columns[n] = 32u << test_range(seed, least, 4);
    for (uint32_t r = 0; r < p->roles; r++) role_draw(p, r, seed);
    p->length[ROLES] = test_random(seed) % 3 == 0;
    p->event[ROLES][0].sort = test_random(seed) % 8 ? ALLOC : RELINQUISH;
    p->event[ROLES][0].name = (int)test_range(seed, 0, TMEMS - 1);
    if (p->length[ROLES] && test_random(seed) % 2)
        p->event[0][0].sort = USE, p->event[0][0].name = p->event[ROLES][0].name;
}

static void put_events(char *text, const program *p, uint32_t r)
{
    for (uint32_t i = 0; i < p->length[r]; i++) {
        int name = 'A' + p->event[r][i].name;
        text += strlen(text);
        switch (p->event[r][i].sort) {
        case ALLOC: sprintf(text, "alloc %c;", name); break;
        case FREE: sprintf(text, "dealloc %c;", name); break;
        case USE:
            if (!p->quiet) sprintf(text, "tld %c[0] lanes %u..%u -> R;twait ld;", name, 32 * r, 32 * r + 31);
            break;
        default: strcpy(text, "relinquish;");
        }
    }
}

static void program_put(char *text, const program *p)
{
    text += sprintf(text, "pipe p;");
    for (int n = 0; n < TMEMS; n++) text += sprintf(text, "tmem %c[1] %u;", 'A' + n, p->columns[n]);
    put_events(text, p, ROLES);
    for (uint32_t r = 0; r < p->roles; r++) {
        text += strlen(text);
        sprintf(text, "role r%u warps %u..%u;", r, r, r);
        put_events(text, p, r);
        strcat(text, "end;");
    }
}

typedef struct memory {
    bool owned[TMEMS], relinquished;
    uint32_t columns, smallest, at[ROLES + 1];
} memory;

/* One event as the ISA has it: -1 wrong, 0 it waits, 1 done. */
static int perform(const program *p, memory *m, uint32_t r)
{
    int name = p->event[r][m->at[r]].name;
    uint32_t columns = p->columns[name];
    switch (p->event[r][m->at[r]].sort) {
    case ALLOC:
        if (m->relinquished || m->owned[name] || columns > m->smallest) return -1;
        if (m->columns + columns > 512) return 0;
        m->columns += columns;
        m->smallest = columns;
        m->owned[name] = true;
        break;
    case FREE:
        if (!m->owned[name]) return -1;
        m->columns -= columns;
        m->owned[name] = false;
        break;
    case USE:
        if (!m->owned[name] && !p->quiet) return -1;
        break;
    default: m->relinquished = true;
    }
    m->at[r]++;
    return 1;
}

static bool ended(const program *p, const memory *m)
{
    for (uint32_t r = 0; r < p->roles; r++)
        if (m->at[r] < p->length[r]) return false;
    return !m->owned[0] && !m->owned[1] && !m->owned[2];
}

/* Whether some interleaving ends well. */
static bool may_end(const program *p, memory m)
{
    if (ended(p, &m)) return true;
    for (uint32_t r = 0; r < p->roles; r++) {
        memory next = m;
        if (m.at[r] < p->length[r] && perform(p, &next, r) > 0 && may_end(p, next)) return true;
    }
    return false;
}

/* Whether every interleaving ends well: nothing is wrong, and somebody can go on until all end. */
static bool must_end(const program *p, memory m)
{
    bool moved = false;
    if (ended(p, &m)) return true;
    for (uint32_t r = 0; r < p->roles; r++) {
        memory next = m;
        int did = m.at[r] < p->length[r] ? perform(p, &next, r) : 0;
        if (did < 0 || (did && !must_end(p, next))) return false;
        moved = moved || did;
    }
    return moved;
}

/* What is found is wrong in every order; of one role, which has one order, all that is wrong is
 * found; what is accepted ends well in every order. */
static void test_interleavings(void **state)
{
    uint64_t seed = test_seed("interleavings");
    uint32_t good = 0, wrong = 0, left = 0, yes = 0, missed = 0;
    for (uint64_t k = 0; k < test_iterations(20000); k++) {
        program p;
        memory m = {.smallest = 512};
        char text[TEXT];
        zlay_answer answer;
        size_t count = 0;
        bool ends = true, always;
        program_draw(&p, &seed);
        program_put(text, &p);
        while (ends && m.at[ROLES] < p.length[ROLES]) ends = perform(&p, &m, ROLES) > 0;
        always = ends && must_end(&p, m);
        ends = ends && may_end(&p, m);
        zlay_pipe *pipe = parse(*state, text);
        zlay_tmem_fault fault = {0};
        assert_int_equal(zlay_pipe_tmem_check(*state, &answer, &fault, 1, &count, pipe), ZLAY_OK);
        bool here = answer == ZLAY_NO && fault.row;
        if (here) check_verified(*state, pipe, &fault);
        zlay_pipe_free(pipe);
        if (here && ends) fail_msg("%s ends well, line %u, row %u", text, fault.reason.line, fault.row);
        if (!here && !ends && p.roles == 1) fail_msg("%s is wrong and nothing is found", text);
        if (answer == ZLAY_YES && !always) fail_msg("%s is accepted and may end badly", text);
        yes += answer == ZLAY_YES;
        if (always && p.quiet && answer == ZLAY_NO) fail_msg("%s is refused and ends well", text);
        missed += always && p.quiet && answer != ZLAY_YES;
        good += ends;
        wrong += here;
        left += !here && !ends;
    }
    printf("%u may end well, %u are found wrong, %u are left to the order of roles\n", good, wrong,
           left);
    printf("%u are accepted, %u that end well always are undecided\n", yes, missed);
    assert_true(good > 100 && wrong > 100 && yes > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_interleavings)};
    return cmocka_run_group_tests(tests, begin, end);
}
