/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a row for each run of the search and prints the rows as a proof by runs: param values,
 * how each repeats, and the number of events. The checker (src/pipe/replay) reads these rows
 * and makes the runs again. */
#include "pipe/runs/state/search.h"

#include <string.h>

/* ---- what was run ---- */

/* Adds a row. For a param that repeats, as many further trip counts as its period are listed
 * too, so that the checker sees the repetition in each. */
bool zl_search_note(zl_pipe_search *s)
{
    zl_run *r = s->run;
    if (s->table_count == s->table_room) {
        uint32_t room = s->table_room ? 2 * s->table_room : 16;
        zl_shown *bigger = zl_scratch(r->ctx, room, sizeof *bigger);
        if (!bigger) return false;
        if (s->table) memcpy(bigger, s->table, s->table_count * sizeof *bigger);
        s->table = bigger;
        s->table_room = room;
    }
    zl_shown *row = &s->table[s->table_count++];
    *row = (zl_shown){.seen = r->seen};
    for (uint32_t k = 0; k < s->count; k++) {
        const zl_watch_param *w = &r->watch->params[s->param[k].param];
        row->value[k] = s->param[k].value;
        row->period[k] = s->param[k].repeats && s->param[k].shown && !w->failed ? w->period : 0;
    }
    if (s->endless < 0 || !r->repeats) return true;
    row->again = r->watch->params[s->endless].period;
    if (row->seen + row->again <= r->pipe->params[s->endless].most) row->seen += row->again;
    return true;
}

/* Of the runs of a row, and of the trips one period longer. */
static unsigned long long events_of(const zl_pipe_search *s, const zl_shown *row)
{
    const zlay_pipe *p = s->run->pipe;
    int64_t *values = s->run->params, none = 0,
            *trip = s->endless >= 0 ? &values[s->endless] : &none;
    unsigned long long sum = 0;
    *trip = s->endless >= 0 ? row->seen : 0;
    for (uint32_t k = 0; k < s->count; k++) values[s->param[k].param] = row->value[k];
    for (uint32_t k = 0; k < s->count; k++) {
        values[s->param[k].param] += row->period[k];
        if (row->period[k]) sum += zl_pipe_count_events(p, values, UINT64_MAX);
        values[s->param[k].param] = row->value[k];
    }
    *trip += row->again;
    if (row->again) sum += zl_pipe_count_events(p, values, UINT64_MAX);
    int64_t last = s->endless >= 0 ? row->seen : 0;
    for (*trip = s->endless >= 0 ? p->params[s->endless].least : 0; *trip <= last; ++*trip)
        sum += zl_pipe_count_events(p, values, UINT64_MAX);
    return sum;
}

void zl_search_write(zl_text *out, const void *value)
{
    const zl_pipe_search *s = value;
    const zlay_pipe *p = s->run->pipe;
    zl_putf(out, "proof %s by runs\n", p->name);
    for (uint32_t i = 0; i < s->table_count; i++) {
        const zl_shown *row = &s->table[i];
        zl_puts(out, "run");
        for (uint32_t k = 0; k < s->count; k++) {
            zl_putf(out, " %s %lld", p->params[s->param[k].param].name, (long long)row->value[k]);
            if (row->period[k]) zl_putf(out, " every %lld", (long long)row->period[k]);
        }
        if (s->endless >= 0)
            zl_putf(out, " %s %lld..%lld", p->params[s->endless].name,
                    (long long)p->params[s->endless].least, (long long)row->seen);
        if (row->again) zl_putf(out, " every %lld", (long long)row->again);
        zl_putf(out, " events %llu\n", events_of(s, row));
    }
    zl_puts(out, "end\n");
}
