/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what a use names as text: its registers, its body or function, the stages that the body loads from, the values
 * of its indices, and when it runs. */
#include "pipe/language/build.h"

typedef zlay_pipe_event event;
typedef zl_build_writer writer;

void zl_build_accs(writer *w)
{
    zl_build_name(w->b, w->e->acc, "acc");
    w->e->acc = NULL;
    if (w->e->accs_count && !w->e->accs) zl_build_wrong(w->b, "accs", "is NULL");
    for (uint32_t i = 0; w->e->accs && i < w->e->accs_count; i++) {
        zl_puts(&w->b->text, ",");
        zl_build_name(w->b, w->e->accs[i], "accs");
    }
    w->e->accs = NULL;
    w->e->accs_count = 0;
}

/* A position, or its remainder by a param. */
static void put_index(writer *w, const zlay_pipe_at *at, const char *modulo)
{
    if (modulo) zl_puts(&w->b->text, "(");
    zl_build_at(w->b, at);
    if (!modulo) return;
    zl_puts(&w->b->text, ") %");
    zl_build_name(w->b, modulo, "modulo");
}

static void put_indices(writer *w)
{
    event *e = w->e;
    if (e->indices > ZL_COUNT(e->index)) zl_build_wrong(w->b, "indices", "are at most 4");
    for (uint32_t i = 0; i < e->indices && i < ZL_COUNT(e->index); i++) {
        zl_puts(&w->b->text, i ? ", " : " at ");
        uint32_t block = e->blocks >> 2 * i & 3;
        const char *modulo = e->modulo ? e->modulo[i] : NULL;
        if (block && modulo) zl_build_wrong(w->b, "modulo", "is of a position");
        if (block) zl_puts(&w->b->text, zl_block_words[block - 1]);
        else put_index(w, &e->index[i], modulo);
        e->blocks &= ~(3u << 2 * i);
        e->index[i] = (zlay_pipe_at){0};
    }
    e->indices = 0;
    e->modulo = NULL;
}

/* The stages that a body loads from. */
static void put_reads(writer *w)
{
    event *e = w->e;
    if (e->reads_count && (!e->reads || !e->reads_at)) zl_build_wrong(w->b, "reads", "is NULL");
    for (uint32_t i = 0; e->reads && e->reads_at && i < e->reads_count; i++) {
        const char *name = e->reads[i];
        zlay_pipe_at at = e->reads_at[i];
        zl_puts(&w->b->text, i ? "," : " reads");
        zl_build_slot(w, ZL_OF_SMEM, &name, &at, "reads");
    }
    e->reads = NULL;
    e->reads_at = NULL;
    e->reads_count = 0;
}

void zl_build_use(writer *w)
{
    event *e = w->e;
    if (e->by) {
        zl_puts(&w->b->text, " by");
        zl_build_name(w->b, e->by, "by");
        e->by = NULL;
    }
    if (!e->body) return;
    zl_puts(&w->b->text, " body");
    zl_build_name(w->b, e->body, "body");
    e->body = NULL;
    put_reads(w);
    put_indices(w);
    if (e->when > 1) zl_build_wrong(w->b, "when", "is 0 or 1");
    if (!e->when) return;
    zl_puts(&w->b->text, " when");
    zl_build_at(w->b, &e->first);
    zl_puts(&w->b->text, " <");
    zl_build_at(w->b, &e->last);
    e->when = 0;
    e->first = e->last = (zlay_pipe_at){0};
}
