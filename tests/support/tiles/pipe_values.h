/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the roles of a pipe's text in a random order, by values.h. */
#ifndef TEST_TILES_PIPE_VALUES_H
#define TEST_TILES_PIPE_VALUES_H

#include "tiles/values.h"

/* ---- the text ---------------------------------------------------------------------------------------- */

static inline void declared(world *w, const char *line)
{
    const char *at = line;
    char name[64];
    bool bar = takes(&at, "bar"), smem = !bar && (takes(&at, "smem") || takes(&at, "tmem")), move = !bar && !smem && takes(&at, "move");
    if (!bar && !smem && !move) return;
    while (*at == ' ') at++;
    size_t length = strcspn(at, "[ ");
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    at += length;
    if (move) {
        named *m = &w->moves[w->moves_count++];
        snprintf(m->name, sizeof m->name, "%s", name);
        m->value = strtoull(at, NULL, 10);
        return;
    }
    int stages = atoi(at + 1);
    if (smem && strstr(line, " each")) snprintf(w->each[w->each_count++], 64, "%s", name);
    for (int s = 0; bar && s < stages; s++) {
        barrier *b = &w->bar[w->barriers++];
        *b = (barrier){.count = atoi(strstr(at, "count ") + 6)};
        b->left = b->count;
        snprintf(b->name, sizeof b->name, "%s[%d]", name, s);
    }
}

static inline void role_begun(world *w, int line)
{
    const char *warps = strstr(w->line[line], "warps ") + 6, *to = strstr(warps, "..") + 2;
    int count = atoi(to) - atoi(warps) + 1, each = strstr(to, "each ") ? atoi(strstr(to, "each ") + 5) : count;
    for (int i = 0; i < count / each; i++) w->role[w->roles++] = (thread){.first = line + 1, .at = line + 1, .instance = i, .role = line, .threads = 32 * each, .warps = each};
}

/* Cuts the text into lines, which end with 0. */
static inline void pipe_read(world *w, char *text)
{
    bool body = false;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        while (*line == ' ') line++;
        w->line[w->lines++] = line;
        if (!strncmp(line, "body ", 5)) body = true;
        else if (body && !strcmp(line, "end")) body = false;
        else if (!body) declared(w, line);
        if (!body && !strncmp(line, "role ", 5)) role_begun(w, w->lines - 1);
    }
}

/* ---- barriers ----------------------------------------------------------------------------------------- */

static inline barrier *barrier_of(world *w, const thread *t, const char **at)
{
    char name[96], plain[64];
    while (**at == ' ') ++*at;
    size_t length = strcspn(*at, "[");
    snprintf(plain, sizeof plain, "%.*s", (int)length, *at);
    *at += length + 1;
    int64_t slot = sum_of(w, t, at);
    ++*at;
    snprintf(name, sizeof name, "%s[%d]", plain, (int)slot);
    for (int i = 0; i < w->barriers; i++)
        if (!strcmp(w->bar[i].name, name)) return &w->bar[i];
    w->wrong = "no such barrier";
    return &w->bar[0];
}

static inline void arrived(barrier *b, int64_t arrivals, int64_t bytes)
{
    b->left -= arrivals;
    b->bytes += bytes;
    if (b->left || b->bytes) return;
    b->phase++;
    b->left = b->count;
}

/* ---- what is under way ---------------------------------------------------------------------------------- */

static inline bool is_first(const world *w, int of)
{
    for (int i = 0; i < of; i++) {
        const pending *a = &w->under_way[i], *b = &w->under_way[of];
        if (!a->done && a->who.role == b->who.role && a->who.instance == b->who.instance && strncmp(w->line[a->line], "copy", 4)) return false;
    }
    return true;
}

/* Copies end in any order, what else a thread has issued in its order. */
static inline void pending_end(world *w, int i)
{
    pending *p = &w->under_way[i];
    const char *line = w->line[p->line], *at = line;
    p->done = true;
    if (takes(&at, "commit tcgen05 signal")) {
        arrived(barrier_of(w, &p->who, &at), 1, 0);
        return;
    }
    w->copies = p->copies;
    operate(w, &p->who, line);
    const char *signal = strstr(line, " signal ");
    if (!signal) return;
    at = line + 5 + strcspn(line + 5, " ");
    int64_t bytes = sum_of(w, &p->who, &at);
    signal += 8;
    arrived(barrier_of(w, &p->who, &signal), 0, -bytes);
}

static inline void end_some(world *w)
{
    for (int i = 0; i < w->pendings; i++) {
        bool free = !strncmp(w->line[w->under_way[i].line], "copy", 4);
        if (!w->under_way[i].done && test_random(w->seed) % 8 == 0 && (free || is_first(w, i))) pending_end(w, i);
    }
    while (w->pendings && w->under_way[w->pendings - 1].done) w->pendings--;
}

/* Ends the thread's groups of a kind but the last `open`. */
static inline void groups_end(world *w, const thread *t, const char *word, int open)
{
    for (int i = 0; i < w->pendings; i++) {
        pending *p = &w->under_way[i];
        if (p->done || p->who.role != t->role || p->who.instance != t->instance || strncmp(w->line[p->line], word, strlen(word))) continue;
        if (p->group < w->groups[t - w->role] - open) pending_end(w, i);
    }
}

/* ---- a thread's steps ----------------------------------------------------------------------------------- */

static inline void loop_begun(world *w, thread *t, const char *at)
{
    int d = t->depth;
    size_t length = strcspn(at + 1, " ");
    snprintf(t->name[d], sizeof t->name[d], "%.*s", (int)length, at + 1);
    at = strstr(at, " in ") + 4;
    t->counter[d] = sum_of(w, t, &at);
    at = strstr(at, "..") + 2;
    t->last[d] = sum_of(w, t, &at);
    t->back[d] = t->at;
    if (t->counter[d] < t->last[d]) {
        t->depth++;
        return;
    }
    while (strcmp(w->line[t->at], "end")) t->at++;
    t->at++;
}

static inline void ended(thread *t)
{
    if (!t->depth) {
        t->over = true;
        return;
    }
    int d = t->depth - 1;
    if (++t->counter[d] < t->last[d]) t->at = t->back[d];
    else t->depth--;
}

/* `sync named K + instance n` waits for its meeting; answers whether it goes on. */
static inline bool meets(world *w, thread *t, const char *at, bool waits)
{
    int number = atoi(at);
    const char *sign = strpbrk(at, "+-"), *count = strrchr(at, ' ') + 1;
    if (sign) number += *sign == '+' ? t->instance : -t->instance;
    if (waits && t->met) {
        if (w->named_generation[number] == t->generation) return false;
        t->met = false;
        return true;
    }
    t->generation = w->named_generation[number];
    w->named_count[number] += t->threads;
    if (w->named_count[number] == atoi(count)) w->named_count[number] = 0, w->named_generation[number]++;
    if (!waits) return true;
    t->met = true;
    return meets(w, t, at, true);
}

static inline bool waited(world *w, const thread *t, const char *at)
{
    barrier *b = barrier_of(w, t, &at);
    takes(&at, "parity");
    return (b->phase & 1) != (sum_of(w, t, &at) & 1);
}

static inline void issue(world *w, const thread *t, int line)
{
    if (w->pendings == PENDING) abort();
    pending *p = &w->under_way[w->pendings++];
    *p = (pending){.line = line, .who = *t, .group = w->groups[t - w->role]};
    const char *at = w->line[line];
    char plain[64];
    if (!takes(&at, "copy")) return;
    at = strstr(at, "->") + 2;
    place_of(w, t, &at, plain);
    p->copies = ++entry(w, plain)->copies;
}

static inline void arrives(world *w, const thread *t, const char *at)
{
    barrier *b = barrier_of(w, t, &at);
    arrived(b, takes(&at, "threads") ? t->threads : takes(&at, "warps") ? t->warps : 1, 0);
}

/* Runs a line; answers whether the thread goes on. */
static inline bool step(world *w, thread *t)
{
    int number = t->at;
    const char *line = w->line[number], *at = line;
    if (takes(&at, "wait") && !waited(w, t, at)) return false;
    at = line;
    if (takes(&at, "sync named")) {
        if (!meets(w, t, at, true)) return false;
    } else if (takes(&at, "join named")) meets(w, t, at, false);
    t->at++;
    at = line;
    if (takes(&at, "for")) loop_begun(w, t, at);
    else if (takes(&at, "end")) ended(t);
    else if (takes(&at, "expect")) {
        barrier *b = barrier_of(w, t, &at);
        b->bytes += sum_of(w, t, &at);
    } else if (takes(&at, "arrive")) arrives(w, t, at);
    else if (takes(&at, "copy") || takes(&at, "mma") || takes(&at, "store") || takes(&at, "commit tcgen05")) issue(w, t, number);
    else if (takes(&at, "commit")) w->groups[t - w->role]++;
    else if (takes(&at, "waitgroup wgmma")) groups_end(w, t, "mma", atoi(at));
    else if (takes(&at, "waitgroup")) groups_end(w, t, "store", 0);
    else operate(w, t, line);
    return true;
}

/* Runs all roles; NULL, or what went wrong. */
static inline const char *pipe_run(world *w)
{
    for (long idle = 0; idle < 20000;) {
        bool over = true;
        for (int r = 0; r < w->roles; r++) over &= w->role[r].over;
        if (over || w->wrong) return w->wrong;
        end_some(w);
        thread *t = &w->role[test_random(w->seed) % (unsigned)w->roles];
        idle++;
        for (unsigned run = (unsigned)(test_random(w->seed) % 12); run && !t->over && step(w, t); run--) idle = 0;
    }
    return "the roles are stuck";
}

#endif
