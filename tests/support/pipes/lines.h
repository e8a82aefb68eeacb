/* SPDX-License-Identifier: Apache-2.0 */
/* Plays the lines of a run, `ROLE line L COUNTER VALUE ..`, on barriers of the test's own, where every wait must pass. */
#ifndef TEST_PIPE_LINES_H
#define TEST_PIPE_LINES_H

#include "pipes/pipe-check.h"
#include "pipe/language/pipe.h"

enum { SLOTS = 64 };

typedef struct barrier {
    int64_t pending, tx, phase;
} barrier;

typedef struct replay {
    const zlay_pipe *pipe;
    barrier bar[ZL_OF_COUNT * 8][SLOTS];
    int64_t params[8];
    int waits, steps;
} replay;

static inline void complete(replay *p, int32_t bar, barrier *b)
{
    if (b->pending || b->tx) return;
    b->pending = p->pipe->bars[bar].count;
    b->phase++;
}

static inline const zl_event *event_of(const zlay_pipe *pipe, uint32_t line)
{
    for (uint32_t i = 0; i < pipe->events_count; i++)
        if (pipe->events[i].line == line) return &pipe->events[i];
    fail_msg("no event on line %u", line);
    return NULL;
}

static inline const zl_role *role_of(const zlay_pipe *pipe, const char *line)
{
    for (uint32_t i = 0; i < pipe->roles_count; i++) {
        size_t length = strlen(pipe->roles[i].name);
        if (!strncmp(line, pipe->roles[i].name, length) && (line[length] == ' ' || line[length] == '['))
            return &pipe->roles[i];
    }
    fail_msg("no role in %s", line);
    return NULL;
}

static inline int64_t value(const replay *p, const zl_pos *pos, const int64_t *counter)
{
    int64_t sum = pos->add;
    if (pos->loop >= 0) sum += counter[pos->loop] * (pos->times >= 0 ? p->params[pos->times] : pos->scale ? pos->scale : 1);
    return pos->plus >= 0 ? sum + p->params[pos->plus] : sum;
}

static inline int64_t arrivals(const zl_role *role, const zl_event *e)
{
    int64_t threads = role->elect || e->scope == ZL_BY_ONE ? 1 : role->each;
    return (threads > 1 || e->scope != ZL_BY_ONE) && e->scope == ZL_BY_THREADS ? threads * 32 : threads;
}

static inline bool passes(const barrier *b, int64_t parity)
{
    return (b->phase + 1) % 2 == parity;
}

static inline void step(replay *p, const zl_role *role, const zl_event *e, const int64_t *counter)
{
    p->steps++;
    if (e->bar < 0) return;
    uint32_t stages = p->pipe->bars[e->bar].stages;
    barrier *b = &p->bar[e->bar][value(p, &e->bar_at, counter) % stages];
    if (e->kind == ZL_EV_WAIT) {
        int64_t parity = (value(p, &e->parity, counter) / stages + e->flip) % 2;
        if (!passes(b, parity)) fail_msg("line %u does not pass", e->line);
        p->waits++;
    }
    if (e->kind == ZL_EV_EXPECT) b->tx += e->count;
    if (e->kind == ZL_EV_COPY) b->tx -= e->count;
    if (e->kind == ZL_EV_ARRIVE) b->pending -= arrivals(role, e);
    complete(p, e->bar, b);
}

typedef struct replayed {
    const zl_role *role;
    const zl_event *event;
    int64_t counter[ZL_PIPE_LOOPS];
} replayed;

/* `ROLE[N] line L NAME VALUE ..`: values outermost first. */
static inline replayed read_line(const zlay_pipe *pipe, const char *line)
{
    replayed l = {.role = role_of(pipe, line)};
    const char *at = strstr(line, " line ") + 6;
    l.event = event_of(pipe, (uint32_t)strtoul(at, (char **)&at, 10));
    for (int depth = 0; *at == ' '; depth++) {
        at = strchr(at + 1, ' ');
        l.counter[depth] = strtoll(at, (char **)&at, 10);
    }
    return l;
}

static inline void replay_line(replay *p, const char *line)
{
    replayed l = read_line(p->pipe, line);
    step(p, l.role, l.event, l.counter);
}

static inline void replay_begin(replay *p)
{
    for (uint32_t b = 0; b < p->pipe->bars_count; b++)
        for (int s = 0; s < SLOTS; s++) p->bar[b][s] = (barrier){p->pipe->bars[b].count, 0, 0};
}

static inline void replay_all(replay *p, char *text, char **last)
{
    int32_t param;
    replay_begin(p);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *equal = strstr(line, " = ");
        *last = line;
        if (equal) {
            *equal = 0;
            for (param = 0; strcmp(p->pipe->params[param].name, line); param++) {}
            p->params[param] = strtoll(equal + 3, NULL, 10);
        } else if (!strstr(line, " at line ")) {
            replay_line(p, line);
        }
    }
}

#endif
