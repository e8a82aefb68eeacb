/* SPDX-License-Identifier: Apache-2.0 */
/* What a test asks of the machine. The machine is compiled once (run.c), not into each program that runs a kernel. */
#ifndef TEST_GCN_RUN_H
#define TEST_GCN_RUN_H

#include "float.h"
#include "lds.h"

static inline void gcn_add_memory(gcn_machine *m, uint64_t at, void *bytes, uint64_t size,
                                  bool writable)
{
    assert_true(m->memories < GCN_MEMORIES);
    m->memory[m->memories++] = (gcn_memory){at, size, bytes, writable};
}

/* The lines of what `llvm-objdump-22 -d` printed. */
void gcn_read_code(gcn_code *code, const char *text);

/* The number of the first line with a text. */
static inline int gcn_find_line(const gcn_code *code, const char *text)
{
    for (int i = 0; i < code->lines; i++)
        if (strstr(code->line[i].text, text)) return i;
    fail_msg("no line has \"%s\"", text);
    return code->lines;
}

/* One workgroup; the memory that it writes is changed. */
void gcn_run_block(gcn_machine *m, uint32_t x, uint32_t y, uint32_t z);

static inline void gcn_run_group(gcn_machine *m, uint32_t x, uint32_t y) { gcn_run_block(m, x, y, 0); }

/* The ways in which waves run apart that tests try, one after the other: by turns, each wave ahead of the
 * others, draws; in each LDS is read late, then at the issue. */
bool gcn_schedule_of(gcn_schedule *schedule, int number, int waves, uint64_t seed);

/* Whether the run is right. */
typedef bool gcn_trial(const gcn_code *code, void *test);

/* Mistakes that no run can show, and how many of that name there are; the reason stands with the list. */
typedef struct gcn_excuse {
    const char *name;
    int count;
} gcn_excuse;

typedef struct gcn_toll {
    int tried, found, missed;
} gcn_toll;

/* Tries one in `step` of the mistakes in lines that `ran` names (NULL: in all), from `first` on. Missed are those that no run shows and
 * that the list does not name, and, where all are tried, those that it names and a run shows. */
gcn_toll gcn_try_mistakes(gcn_code *code, gcn_trial *right, void *test, int first,
                          int step, const uint8_t *ran, const gcn_excuse *excuses);

#endif
