/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses a pipe that cannot be read, or that breaks a rule, in the words of its program. The author of a tile program has not seen
 * the pipe, so the message begins with the program's line that the pipe's line was written for. The writer finds it: it prints the
 * pipe once more and notes which line of the program it is at when it reaches the pipe's line. */
#include "synth/roles/put.h"

#include <stdio.h>
#include <string.h>

/* A line of the pipe's text, counted from 1, without the blanks before it. */
static zl_tp_span line_of(const char *text, size_t length, uint32_t line)
{
    const char *end = text + length, *stop;
    for (; line > 1 && memchr(text, '\n', (size_t)(end - text)); line--) text = (const char *)memchr(text, '\n', (size_t)(end - text)) + 1;
    while (text < end && *text == ' ') text++;
    stop = memchr(text, '\n', (size_t)(end - text));
    return (zl_tp_span){text, (size_t)((stop ? stop : end) - text)};
}

/* "line 7: ", of the program; nothing where the pipe's line was written for no single one. */
static const char *source_of(zl_tp *p, char room[24], const char *text, size_t length, uint32_t line)
{
    zl_tp_found found = {.at = (size_t)(line_of(text, length, line).text - text)};
    size_t again;
    p->found = &found;
    const char *printed = zl_print_scratch(p->ctx, &again, zl_tp_put, p);
    p->found = NULL;
    room[0] = 0;
    if (printed && found.line) snprintf(room, 24, "line %u: ", found.line);
    return room;
}

zlay_status zl_tp_refuse(zl_tp *p, const char *text, size_t length, const zlay_pipe_reason *reason)
{
    char quoted[2][256], source[24];
    zlay_pipe_rule rule = {"?", "?", "?"};
    const zl_tp_span at = line_of(text, length, reason->line), other = line_of(text, length, reason->other);
    zlay_pipe_rule_info(&rule, reason->rule);
    source_of(p, source, text, length, reason->line);
    return zl_fail(p->ctx, ZLAY_ENOTSUP, "%sthe pipe of these operations would break the rule %s at '%s'%s%s%s; that is when %s", source, rule.name,
                   zl_quote(quoted[0], at.text, at.length), reason->other ? " against '" : "", reason->other ? zl_quote(quoted[1], other.text, other.length) : "",
                   reason->other ? "'" : "", rule.text);
}

zlay_status zl_tp_unread(zl_tp *p, zlay_status status, const char *text, size_t length)
{
    char message[1024], source[24] = "";
    unsigned line = 0;
    int skip = 0;
    snprintf(message, sizeof message, "%s", zlay_ctx_message(p->ctx));
    if (sscanf(message, "line %u: %n", &line, &skip) == 1 && skip) source_of(p, source, text, length, line);
    return zl_fail(p->ctx, status, "%sin the pipe of the program: %s", source, message + skip);
}
