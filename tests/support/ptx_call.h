/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel in PTX that calls functions of the same module, for the model, which has no calls: in the place of each
 * `call (x), NAME, (a, b);` stands the body of `.func (.param .b32 value) NAME(..)`, whose words are moved in and out. */
#ifndef TEST_PTX_CALL_H
#define TEST_PTX_CALL_H

#include "test.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { CALL_ARGUMENTS = 8, CALL_NAME = 64 };

typedef struct ptx_call {
    char name[CALL_NAME], result[CALL_NAME], argument[CALL_ARGUMENTS][CALL_NAME];
    int arguments;
} ptx_call;

static inline const char *call_word(char *out, const char *at)
{
    size_t length = 0;
    while (*at == ' ' || *at == '(' || *at == ',') at++;
    while (isalnum((unsigned char)*at) || *at == '_' || *at == '%' || *at == '$' || *at == '.') out[length++] = *at++;
    assert_true(length < CALL_NAME);
    out[length] = 0;
    return at;
}

static inline bool call_read(ptx_call *call, const char *line)
{
    memset(call, 0, sizeof *call);
    if (strncmp(line, "    call", 8)) return false;
    line += strcspn(line + 4, " ") + 4;
    if (line[1] == '(') line = call_word(call->result, line) + 1;
    line = call_word(call->name, line);
    while (*line != ';' && *line != '\n') {
        line = call_word(call->argument[call->arguments], line);
        if (*call->argument[call->arguments]) call->arguments++;
        if (*line == ')') line++;
    }
    return true;
}

/* What a line of the body is where it moves a word in or out; else the line. */
static inline char *call_line(char *to, const ptx_call *call, char parameter[][CALL_NAME], const char *line, size_t length)
{
    char reg[CALL_NAME], name[CALL_NAME];
    unsigned bits;
    if (sscanf(line, " ld.param.%*1[bu]%u %63[^,], [%63[^]]];", &bits, reg, name) == 3) {
        int i = 0;
        while (i < call->arguments && strcmp(parameter[i], name)) i++;
        assert_true(i < call->arguments);
        return to + sprintf(to, "    mov.b%u %s, %s;\n", bits, reg, call->argument[i]);
    }
    if (sscanf(line, " st.param.b%u [value], %63[^;];", &bits, reg) == 2) return to + sprintf(to, "    mov.b%u %s, %s;\n", bits, call->result, reg);
    return strncmp(line, "    ret;", 8) ? to + sprintf(to, "%.*s\n", (int)length, line) : to;
}

/* Where a line that begins with .func has a text. */
static inline const char *call_find(const char *functions, const char *head)
{
    for (const char *at = functions, *found; at; at = strchr(at, '\n'), at += at != NULL) {
        found = strncmp(at, ".func ", 6) ? NULL : strstr(at, head);
        if (found && found < strchr(at, '\n')) return found;
    }
    return NULL;
}

static inline char *call_expand(char *to, const ptx_call *call, const char *functions)
{
    char parameter[CALL_ARGUMENTS][CALL_NAME], head[CALL_NAME + 4];
    snprintf(head, sizeof head, " %s(", call->name);
    const char *at = call_find(functions, head);
    if (!at) fail_msg("no function '%s'", call->name);
    const char *body = strstr(at, "{\n") + 2;
    int count = 0;
    for (at += strlen(head); (at = strstr(at, ".param .b")) && at < body; count++) at = call_word(parameter[count], at + strlen(".param .b32"));
    if (count != call->arguments) fail_msg("'%s' takes %d", call->name, count);
    to += sprintf(to, "    {\n");
    for (const char *line = body, *end; *line != '}'; line = end + 1) {
        end = strchr(line, '\n');
        to = call_line(to, call, parameter, line, (size_t)(end - line));
    }
    return to + sprintf(to, "    }\n");
}

static inline void expand_calls(char *out, const char *functions, const char *kernel)
{
    ptx_call call;
    for (const char *line = kernel, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        if (call_read(&call, line)) out = call_expand(out, &call, functions);
        else out += sprintf(out, "%.*s\n", (int)(end - line), line);
    }
}

#endif
