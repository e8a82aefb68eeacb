/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a pipe by its name: of pipes.h, or of tests/pipes. */
#ifndef TEST_PIPE_SOURCE_H
#define TEST_PIPE_SOURCE_H

#include "pipes/named.h"
#include "pipes/pipes.h"

static inline size_t ring_read(char text[NAMED_TEXT], const char *name, unsigned stages)
{
    pipe_text p;
    size_t i = 0;
    while (i < PIPES && strcmp(pipes[i].name, name)) i++;
    assert_true(i < PIPES);
    pipe_make(&p, i, stages);
    memcpy(text, p.text, p.length + 1);
    return p.length;
}

static inline size_t source_read(char text[NAMED_TEXT], const char *name, unsigned stages, bool ring)
{
    return ring ? ring_read(text, name, stages) : named_read(text, name, stages);
}

#endif
