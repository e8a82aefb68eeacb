/* SPDX-License-Identifier: Apache-2.0 */
/* Refuter of tmem.check, and of pipe.verify where tensor memory decides: random programs of allocations, uses, frees, relinquishes and
 * meetings of one to three roles, in loops or not, of any columns and stages, are run in every interleaving, at each of the least trip
 * counts, on a machine of the PTX ISA's sentences alone.  What is found wrong in a row of tensor memory ends well in no interleaving of
 * some trip count; of one role, which has one order, all that is wrong is found; what is accepted ends well in every interleaving; what
 * always does, and uses nothing that nobody wrote, is not refused. */
#include "ctx.h"

#include <stdbool.h>

enum { TMEMS = 3, BODY = 8, ROLES = 3, OPS = 1 + 6 * BODY, TEXT = 4096, TRIPS = 4, NOBODY = 999 };
enum { ALLOC, FREE, USE, RELINQUISH, MEET, SORTS };

/* Events [from, to) stand in a loop. */
typedef struct role {
    struct { int sort, name; } event[BODY];
    int count, from, to, trips; /* trips: of a loop of its own; -1: the param's */
} role;

typedef struct program {
    role roles[ROLES + 1]; /* the setup is the last one */
    int count, least, most;
    int columns[TMEMS], stages[TMEMS];
    bool quiet; /* uses are nothing: what they read was never written, which has a rule of its own */
} program;

static int below(uint64_t *seed, int count) { return (int)test_range(seed, 0, count - 1); }

/* ---- programs ---------------------------------------------------------------------------------------------------------------- */

static void push(role *r, int sort, int name)
{
    if (r->count < BODY) r->event[r->count].sort = sort, r->event[r->count++].name = name;
}

/* Allocated, used, freed, each by anybody; all meet between or not; then a few events are others. */
static void draw_role(uint64_t *seed, role *r, bool meet)
{
    int first = below(seed, TMEMS), second = below(seed, TMEMS);
    *r = (role){.trips = below(seed, 3) ? below(seed, 4) : -1};
    if (below(seed, 16)) push(r, ALLOC, first);
    if (meet) push(r, MEET, 0);
    if (below(seed, 2)) push(r, USE, first);
    if (meet && below(seed, 2)) push(r, MEET, 0);
    if (below(seed, 16)) push(r, FREE, first);
    if (below(seed, 2)) push(r, ALLOC, second), push(r, FREE, second);
    if (!below(seed, 5)) push(r, RELINQUISH, 0);
    for (int more = below(seed, 6) - 4; more > 0 && r->count; more--) {
        int i = below(seed, r->count);
        r->event[i].sort = below(seed, meet ? SORTS : MEET);
        r->event[i].name = below(seed, TMEMS);
    }
    if (below(seed, 2)) return;
    if (below(seed, 2)) {
        r->to = r->count;
        return;
    }
    r->from = below(seed, r->count + 1);
    r->to = r->from + below(seed, r->count - r->from + 1);
}

static void draw(uint64_t *seed, program *p)
{
    static const int odd[] = {1, 16, 31, 33, 48, 96, 100, 511, 513, 1000};
    int least = below(seed, 5);
    *p = (program){.quiet = below(seed, 2), .count = 1 + below(seed, ROLES), .least = below(seed, 3)};
    p->most = below(seed, 2) ? p->least + below(seed, 3) : NOBODY;
    for (int n = 0; n < TMEMS; n++) {
        p->stages[n] = below(seed, 32) ? 1 << below(seed, 2) : 3;
        p->columns[n] = (32 << (least + below(seed, 5 - least))) / (p->stages[n] == 2 ? 2 : 1);
        if (!below(seed, 64)) p->columns[n] = odd[below(seed, 10)];
    }
    bool meet = below(seed, 2);
    for (int r = 0; r < p->count; r++) draw_role(seed, &p->roles[r], meet);
    if (below(seed, 3)) return;
    int name = below(seed, TMEMS);
    push(&p->roles[ROLES], below(seed, 8) ? ALLOC : RELINQUISH, name);
    role *r = &p->roles[0];
    if (r->count && below(seed, 2)) r->event[0].sort = USE, r->event[0].name = name;
}

static char *put_event(char *to, const program *p, int r, int i)
{
    int name = 'A' + p->roles[r].event[i].name;
    switch (p->roles[r].event[i].sort) {
    case ALLOC: return to + sprintf(to, "alloc %c\n", name);
    case FREE: return to + sprintf(to, "dealloc %c\n", name);
    case MEET: return to + sprintf(to, "sync named 1 %d\n", 32 * p->count);
    case USE: return p->quiet ? to : to + sprintf(to, "tld %c[0] lanes %d..%d -> R\ntwait ld\n", name, 32 * r, 32 * r + 31);
    default: return to + sprintf(to, "relinquish\n");
    }
}

static void put(char *to, const program *p)
{
    to += sprintf(to, "pipe p\nparam N %d..", p->least);
    if (p->most != NOBODY) to += sprintf(to, "%d", p->most);
    *to++ = '\n';
    for (int n = 0; n < TMEMS; n++) to += sprintf(to, "tmem %c[%d] %d\n", 'A' + n, p->stages[n], p->columns[n]);
    for (int i = 0; i < p->roles[ROLES].count; i++) to = put_event(to, p, ROLES, i);
    to += sprintf(to, "sync cta\n");
    for (int r = 0; r < p->count; r++) {
        const role *own = &p->roles[r];
        to += sprintf(to, "role r%d warps %d..%d\n", r, r, r);
        for (int i = 0; i < own->count; i++) {
            if (i == own->from && own->from < own->to) to += own->trips < 0 ? sprintf(to, "for i in 0..N\n") : sprintf(to, "for i in 0..%d\n", own->trips);
            to = put_event(to, p, r, i);
            if (i + 1 == own->to && own->from < own->to) to += sprintf(to, "end\n");
        }
        to += sprintf(to, "end\n");
    }
}

/* ---- the machine --------------------------------------------------------------------------------------------------------------- */

typedef struct machine {
    const program *p;
    int sort[ROLES][OPS], name[ROLES][OPS], count[ROLES]; /* loops written out */
    uint8_t told[OPS * OPS * OPS];                        /* by where the roles stand, which says all of the memory: 1 + the answer */
} machine;

typedef struct memory { bool owned[TMEMS], relinquished; int columns, smallest, at[ROLES]; } memory;

static void write_out(machine *m, const program *p, int trips)
{
    m->p = p;
    memset(m->count, 0, sizeof m->count);
    for (int r = 0; r < p->count; r++) {
        const role *own = &p->roles[r];
        for (int i = 0, turn = 0; i < own->count; i++) {
            int turns = own->trips < 0 ? trips : own->trips;
            bool begins = i == own->from && own->from < own->to;
            if (begins && !turn && !turns) {
                i = own->to - 1;
                continue;
            }
            assert_true(m->count[r] < OPS);
            m->sort[r][m->count[r]] = own->event[i].sort;
            m->name[r][m->count[r]++] = own->event[i].name;
            if (own->from < own->to && i + 1 == own->to && ++turn < turns) i = own->from - 1;
        }
    }
}

static bool is_legal(int columns) { return columns >= 32 && columns <= 512 && !(columns & (columns - 1)); }

/* The text alone: no allocation has columns that none may have, whether it runs or not. */
static bool reads_well(const program *p)
{
    bool well = true;
    for (int r = 0; r <= ROLES; r++)
        for (int i = 0; i < p->roles[r].count; i++) {
            int name = p->roles[r].event[i].name;
            if (p->roles[r].event[i].sort == ALLOC) well = well && is_legal(p->columns[name] * p->stages[name]);
        }
    return well;
}

/* One event as the ISA has it: -1 wrong, 0 it waits, 1 done. */
static int perform(const program *p, memory *m, int sort, int name)
{
    int columns = p->columns[name] * p->stages[name];
    switch (sort) {
    case ALLOC:
        if (m->relinquished || m->owned[name] || columns > m->smallest) return -1;
        if (m->columns + columns > 512) return 0;
        m->columns += columns;
        m->smallest = columns;
        m->owned[name] = true;
        return 1;
    case FREE:
        if (!m->owned[name]) return -1;
        m->columns -= columns;
        m->owned[name] = false;
        return 1;
    case USE: return m->owned[name] || p->quiet ? 1 : -1;
    case RELINQUISH: m->relinquished = true; return 1;
    default: return 0;
    }
}

static bool all_meet(const machine *m, const memory *s)
{
    bool all = true;
    for (int r = 0; r < m->p->count; r++) all = all && s->at[r] < m->count[r] && m->sort[r][s->at[r]] == MEET;
    return all;
}

static bool ended(const machine *m, const memory *s)
{
    bool all = true;
    for (int r = 0; r < m->p->count; r++) all = all && s->at[r] == m->count[r];
    for (int n = 0; n < TMEMS; n++) all = all && !s->owned[n];
    return all;
}

/* `always`: whether every interleaving from here ends well; else whether some does. */
static bool ends(machine *m, memory s, bool always)
{
    uint8_t *told = &m->told[s.at[0] + (m->count[0] + 1) * (s.at[1] + (m->count[1] + 1) * s.at[2])];
    bool moved = false, good = always, met = all_meet(m, &s);
    if (*told) return *told == 2;
    if (ended(m, &s)) return *told = 2, true;
    for (int r = 0; r < m->p->count; r++) {
        memory next = s;
        int did = s.at[r] < m->count[r] && !met ? perform(m->p, &next, m->sort[r][s.at[r]], m->name[r][s.at[r]]) : 0;
        if (did < 0 && always) good = false;
        if (did <= 0) continue;
        moved = true;
        next.at[r]++;
        bool one = ends(m, next, always);
        good = always ? good && one : good || one;
    }
    if (met) {
        for (int r = 0; r < m->p->count; r++) s.at[r]++;
        moved = true;
        good = ends(m, s, always);
    }
    good = good && moved;
    *told = good ? 2 : 1;
    return good;
}

/* Of the setup, then of all roles. */
static bool runs_well(const program *p, int trips, bool always)
{
    static machine m;
    memory s = {.smallest = 512};
    const role *setup = &p->roles[ROLES];
    for (int i = 0; i < setup->count; i++)
        if (perform(p, &s, setup->event[i].sort, setup->event[i].name) <= 0) return false;
    write_out(&m, p, trips);
    memset(m.told, 0, (size_t)(m.count[0] + 1) * (size_t)(m.count[1] + 1) * (size_t)(m.count[2] + 1));
    return ends(&m, s, always);
}

/* ---- what is claimed ------------------------------------------------------------------------------------------------------------- */

typedef struct tally { uint64_t wrong, yes, good, missed, ordered; } tally;

static void check(zlay_ctx *ctx, const program *p, tally *t)
{
    static char text[TEXT];
    zlay_pipe *pipe = NULL;
    zlay_answer answer = ZLAY_DEPENDS, verified = ZLAY_DEPENDS;
    zlay_tmem_fault fault = {0};
    size_t count = 0;
    bool may = reads_well(p), always = may;
    int last = p->most < p->least + TRIPS - 1 ? p->most : p->least + TRIPS - 1;
    put(text, p);
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) fail_msg("%s\n%s", zlay_ctx_message(ctx), text);
    assert_int_equal(zlay_pipe_tmem_check(ctx, &answer, &fault, 1, &count, pipe), ZLAY_OK);
    assert_int_equal(zlay_pipe_verify(ctx, &verified, NULL, 0, &count, NULL, pipe), ZLAY_OK);
    zlay_pipe_free(pipe);
    for (int trips = p->least; trips <= last; trips++) {
        may = may && runs_well(p, trips, false);
        always = always && runs_well(p, trips, true);
    }
    bool found = answer == ZLAY_NO && fault.row;
    if (found && verified != ZLAY_NO) fail_msg("a row of tensor memory is broken at line %u, and pipe.verify says %d:\n%s", fault.reason.line, verified, text);
    if (found && may) fail_msg("row %u is broken at line %u, and it may end well:\n%s", fault.row, fault.reason.line, text);
    if (!found && !may && p->count == 1) fail_msg("it never ends well, and nothing is found:\n%s", text);
    if ((answer == ZLAY_YES || verified == ZLAY_YES) && !always) fail_msg("accepted (%d, %d), and it may end badly:\n%s", answer, verified, text);
    if (always && p->quiet && (answer == ZLAY_NO || verified == ZLAY_NO)) fail_msg("refused (%d, %d), and it always ends well:\n%s", answer, verified, text);
    t->wrong += found;
    t->yes += answer == ZLAY_YES;
    t->good += always;
    t->missed += always && p->quiet && answer != ZLAY_YES;
    t->ordered += !found && !always;
}

static void programs(void **state)
{
    uint64_t seed = test_seed("refute-tmem"), count = test_cases(10000);
    tally t = {0};
    for (uint64_t n = 0; n < count; n++) {
        program p;
        uint64_t own = test_case(seed, n);
        draw(&own, &p);
        check(*state, &p, &t);
    }
    printf("%llu programs: %llu break a row, %llu end badly in some order alone; %llu end well, %llu accepted, %llu of them undecided; none refuted\n",
           (unsigned long long)count, (unsigned long long)t.wrong, (unsigned long long)t.ordered, (unsigned long long)t.good, (unsigned long long)t.yes,
           (unsigned long long)t.missed);
    assert_true(t.wrong > count / 4 && t.yes > count / 50 && 20 * t.missed <= t.good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs)};
    return cmocka_run_group_tests(tests, begin, end);
}
