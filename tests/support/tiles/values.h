/* SPDX-License-Identifier: Apache-2.0 */
/* What a pipe computes, and what a tile program does: each value is a number that says how it was made. A program is run line by line. A pipe's roles run
 * in a random order; copies, products and stores happen some time between their issue and what says that they are over. It reads
 * the texts itself and shares nothing with the library. */
#ifndef TEST_TILES_VALUES_H
#define TEST_TILES_VALUES_H

#include "random.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 512, LINES = 4096, ROLES = 16, PENDING = 4096, NESTED = 3, LOG = 64 };

typedef struct named {
    char name[96]; /* NAME, NAME[slot], role instance NAME */
    uint64_t value, copies;
} named;

typedef struct barrier {
    char name[96];
    int64_t count, left, bytes, phase;
} barrier;

typedef struct thread {
    int first, at, instance, role, threads, warps, depth, back[NESTED];
    bool over, met;
    int64_t counter[NESTED], last[NESTED];
    char name[NESTED][8];
    int64_t generation;
} thread;

/* Something under way: a line with the counters of when it was issued. */
typedef struct pending {
    int line;
    thread who;
    bool done;
    int group; /* of wgmma, of a store */
    uint64_t copies; /* of a copy: the how many-th into its value */
} pending;

typedef struct world {
    const char *line[LINES];
    int lines, roles, pendings, groups[ROLES], names, barriers, named_count[16];
    int64_t trips, named_generation[16];
    named list[NAMES], moves[32];
    int moves_count;
    barrier bar[NAMES];
    pending under_way[PENDING];
    thread role[ROLES];
    char log_name[LOG][96];
    uint64_t log[LOG];
    int logs;
    char each[64][64]; /* what each instance has its own of; of a program what instances share */
    int each_count;
    uint64_t *seed, copies; /* of the copy that ends */
    const char *suffix; /* of a program's names in an instance: "", "_0" */
    const char *wrong;
} world;

static inline uint64_t mixed(uint64_t a, uint64_t b)
{
    a = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
    return a ^ (a >> 32);
}

static inline uint64_t mixed_text(uint64_t a, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) a = mixed(a, (uint64_t)text[i]);
    return a;
}

/* ---- expressions ---------------------------------------------------------------------------------- */

static inline int64_t sum_of(world *w, const thread *t, const char **at);

static inline int64_t atom_of(world *w, const thread *t, const char **at)
{
    int64_t value = 0;
    while (**at == ' ') ++*at;
    if (**at == '(') {
        ++*at;
        value = sum_of(w, t, at);
        while (**at == ' ') ++*at;
        ++*at;
        return value;
    }
    if (isdigit((unsigned char)**at)) return strtoll(*at, (char **)at, 10);
    size_t length = strspn(*at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    if (length == 1 && **at == 'N') value = w->trips;
    for (int d = 0; d < t->depth; d++)
        if (!strncmp(t->name[d], *at, length) && strlen(t->name[d]) == length) value = t->counter[d];
    for (int m = 0; m < w->moves_count; m++)
        if (!strncmp(w->moves[m].name, *at, length) && strlen(w->moves[m].name) == length) value = (int64_t)w->moves[m].value;
    *at += length;
    return value;
}

static inline int64_t term_of(world *w, const thread *t, const char **at)
{
    int64_t value = atom_of(w, t, at);
    for (;;) {
        while (**at == ' ') ++*at;
        char c = **at;
        if (c != '*' && c != '/' && c != '%') return value;
        ++*at;
        int64_t by = atom_of(w, t, at);
        value = c == '*' ? value * by : by ? c == '/' ? value / by : value % by : 0;
    }
}

static inline int64_t sum_of(world *w, const thread *t, const char **at)
{
    int64_t value = term_of(w, t, at);
    for (;;) {
        while (**at == ' ') ++*at;
        if ((**at != '+' && **at != '-') || (*at)[1] == '>') return value;
        int64_t sign = *(*at)++ == '+' ? 1 : -1;
        value += sign * term_of(w, t, at);
    }
}

/* ---- names ------------------------------------------------------------------------------------------ */

static inline bool takes(const char **at, const char *word)
{
    const char *p = *at;
    while (*p == ' ') p++;
    size_t length = strlen(word);
    if (strncmp(p, word, length) || (isalnum((unsigned char)word[length - 1]) && (isalnum((unsigned char)p[length]) || p[length] == '_'))) return false;
    *at = p + length;
    return true;
}

static inline named *entry(world *w, const char *name)
{
    for (int i = 0; i < w->names; i++)
        if (!strcmp(w->list[i].name, name)) return &w->list[i];
    if (w->names == NAMES) abort();
    named *n = &w->list[w->names++];
    *n = (named){.value = 0};
    snprintf(n->name, sizeof n->name, "%s", name);
    return n;
}

static inline bool is_each(const world *w, const char *name)
{
    for (int i = 0; i < w->each_count; i++)
        if (!strcmp(w->each[i], name)) return true;
    return false;
}

/* The place of a value: `plain` receives its name. Registers are the thread's own. */
static inline named *place_of(world *w, const thread *t, const char **at, char plain[64])
{
    char name[96];
    while (**at == ' ') ++*at;
    size_t length = strspn(*at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    snprintf(plain, 64, "%.*s", (int)length, *at);
    *at += length;
    bool memory = **at == '[';
    int64_t slot = 0;
    if (memory) {
        ++*at;
        slot = sum_of(w, t, at);
        ++*at;
    }
    if (w->suffix) {
        if (!*w->suffix || is_each(w, plain)) snprintf(name, sizeof name, "%s", plain);
        else snprintf(name, sizeof name, "%s%s", plain, w->suffix), snprintf(plain, 64, "%.60s", name);
    } else if (!memory) snprintf(name, sizeof name, "%d.%d %s", t->role, t->instance, plain);
    else if (is_each(w, plain)) snprintf(name, sizeof name, "%s[%d] %d", plain, (int)slot, t->instance);
    else snprintf(name, sizeof name, "%s[%d]", plain, (int)slot);
    return entry(w, name);
}

/* ---- events ------------------------------------------------------------------------------------------ */

/* What stands behind the operands, with counters as numbers. */
static inline uint64_t tail_of(world *w, const thread *t, const char *at)
{
    uint64_t sum = 7;
    while (*at) {
        bool name = isalpha((unsigned char)*at) || *at == '_';
        size_t length = name ? strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") : 1;
        if (*at == ' ') at++;
        else if (isdigit((unsigned char)*at) || (name && length == 1 && (*at == 'i' || *at == 'N'))) sum = mixed(sum, (uint64_t)sum_of(w, t, &at));
        else sum = mixed_text(sum, at, length), at += length;
    }
    return sum;
}

static inline void do_mma(world *w, const thread *t, const char *at)
{
    named *pair[8];
    char plain[64];
    int n = 0;
    do {
        pair[n++] = place_of(w, t, &at, plain);
        takes(&at, ",");
        pair[n++] = place_of(w, t, &at, plain);
    } while (takes(&at, "+"));
    takes(&at, "->");
    named *sum = place_of(w, t, &at, plain);
    bool fresh = takes(&at, "fresh");
    if (fresh && takes(&at, "first")) fresh = t->counter[0] == 0;
    for (int i = 0; i < n; i += 2) sum->value = mixed(mixed(mixed(3, pair[i]->value), pair[i + 1]->value), fresh && !i ? 0 : sum->value);
}

static inline void do_use(world *w, const thread *t, const char *at)
{
    named *list[20];
    char plain[64];
    int n = 0, registers;
    uint64_t all = 5;
    do list[n++] = place_of(w, t, &at, plain);
    while (takes(&at, ","));
    registers = n;
    if (takes(&at, "body")) {
        size_t length = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz") + 1;
        all = mixed_text(all, at, length);
        at += length;
    }
    if (takes(&at, "reads"))
        do list[n++] = place_of(w, t, &at, plain);
        while (takes(&at, ","));
    all = mixed(all, tail_of(w, t, at));
    for (int i = 0; i < n; i++) all = mixed(all, list[i]->value);
    for (int i = 0; i < registers; i++) list[i]->value = mixed(all, (uint64_t)i);
}

static inline void do_copy(world *w, const thread *t, const char *at)
{
    char plain[64];
    at = strstr(at, "->") + 2;
    named *to = place_of(w, t, &at, plain);
    uint64_t copies = w->copies ? w->copies : ++entry(w, plain)->copies;
    to->value = mixed_text(mixed(11, copies), plain, strlen(plain));
}

static inline void do_store(world *w, const thread *t, const char *at)
{
    char plain[64], name[96];
    named *from = place_of(w, t, &at, plain);
    snprintf(name, sizeof name, "%s %d", plain, t->instance);
    int i = 0;
    while (i < w->logs && strcmp(w->log_name[i], name)) i++;
    if (i == w->logs) snprintf(w->log_name[w->logs++], 96, "%s", name);
    w->log[i] = mixed(w->log[i], from->value);
}

/* Does what a line of an operation says, at once; answers whether it is one. */
static inline bool operate(world *w, const thread *t, const char *line)
{
    const char *at = line;
    char plain[64];
    if (takes(&at, "copy")) do_copy(w, t, at);
    else if (takes(&at, "mma")) do_mma(w, t, at);
    else if (takes(&at, "use")) do_use(w, t, at);
    else if (takes(&at, "store")) do_store(w, t, at);
    else if (takes(&at, "write")) {
        named *to = place_of(w, t, &at, plain);
        takes(&at, "from");
        named *from = place_of(w, t, &at, plain);
        to->value = mixed(mixed(13, from->value), tail_of(w, t, at));
    } else if (takes(&at, "tld")) {
        named *from = place_of(w, t, &at, plain);
        const char *arrow = strstr(at, "->");
        uint64_t columns = mixed_text(17, at, (size_t)(arrow - at));
        at = arrow + 2;
        place_of(w, t, &at, plain)->value = mixed(columns, from->value);
    } else if (takes(&at, "tst")) {
        named *from = place_of(w, t, &at, plain);
        takes(&at, "->");
        named *to = place_of(w, t, &at, plain);
        bool part = strstr(at, "columns") != NULL;
        to->value = mixed(mixed(tail_of(w, t, at), from->value), part ? to->value : 0);
    } else return false;
    return true;
}

#endif
