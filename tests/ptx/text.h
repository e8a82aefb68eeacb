/* SPDX-License-Identifier: Apache-2.0 */
/* PTX as a list of lines: opcode, guard, operands flattened in their order, targets of branches.
 * Registers and labels belong to the braces that they are declared in. From PTX ISA 9.1, syntax. */
#ifndef TEST_PTX_TEXT_H
#define TEST_PTX_TEXT_H

#include "test.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PX_LINES = 16384, PX_NAMES = 4096, PX_OPERANDS = 144, PX_OP = 120, PX_PARAMS = 64 };

/* Registers that every thread has; PX_SINK is `_`. */
enum { PX_TID, PX_CTAID, PX_NCTAID, PX_RANK, PX_CTAID_Y, PX_CTAID_Z, PX_SINK, PX_SPECIAL };

typedef struct px_operand {
    int name;     /* of a register; -1: the number alone */
    int64_t more; /* the number, or what is added */
    bool inverted; /* a predicate with `!` before it */
} px_operand;

typedef struct px_line {
    char op[PX_OP];
    int guard; /* register; -1: none */
    bool negated;
    int target; /* of a branch: a line */
    int count, source; /* operands; the line of the text, from 0 */
    uint64_t address;  /* bit i: operand i stands in brackets */
    uint64_t vector;   /* bit i: operand i stands in braces */
    px_operand *operand;
} px_line;

typedef struct px_name {
    char text[48];
    size_t length;
    int id, depth; /* of a register, or the line of a label */
    bool label, gone;
} px_name;

typedef struct px_text {
    px_line line[PX_LINES];
    px_operand operands[PX_LINES * 8];
    px_name name[PX_NAMES];
    int lines, used, names, registers, depth;
    int param_at[PX_PARAMS], params; /* registers that hold addresses of parameters, in their order */
    int smem;                /* the register that holds the address of dynamic shared memory */
    struct { int line, depth; char label[48]; } branch[512];
    int branches;
} px_text;

static inline int px_declare(px_text *p, const char *text, size_t length, bool label, int id)
{
    assert_true(p->names < PX_NAMES && length < sizeof p->name[0].text);
    px_name *n = &p->name[p->names++];
    memcpy(n->text, text, length);
    n->text[length] = 0;
    n->length = length;
    n->label = label;
    n->depth = p->depth;
    n->gone = false;
    return n->id = label ? id : p->registers++;
}

static inline const px_name *px_find(const px_text *p, const char *text, size_t length, bool label)
{
    for (int i = p->names; i-- > 0;) {
        const px_name *n = &p->name[i];
        if (!n->gone && n->label == label && n->length == length && !memcmp(n->text, text, length)) return n;
    }
    return NULL;
}

static inline bool px_in_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.'; }

static inline size_t px_name_length(const char *text)
{
    size_t length = 0;
    while (px_in_name(text[length])) length++;
    return length;
}

static inline int px_register(const px_text *p, const char *text, size_t length)
{
    const px_name *n = px_find(p, text, length, false);
    if (!n) fail_msg("ptx: no register '%.*s'", (int)length, text);
    return n->id;
}

/* `0f3f800000`, `0d3ff0000000000000`: the bits of a floating-point number. */
static inline bool px_float_bits(const char **text, int64_t *bits)
{
    size_t digits = strchr("fF", (*text)[1]) ? 8 : 16;
    char word[17];
    if (**text != '0' || !(*text)[1] || !strchr("fFdD", (*text)[1])) return false;
    assert_true(strspn(*text + 2, "0123456789abcdefABCDEF") == digits);
    memcpy(word, *text + 2, digits);
    word[digits] = 0;
    *bits = (int64_t)strtoull(word, NULL, 16);
    *text += 2 + digits;
    return true;
}

static inline px_operand px_operand_at(const px_text *p, const char **text)
{
    px_operand o = {-1, 0, false};
    char *end;
    if (px_float_bits(text, &o.more)) return o;
    o.inverted = **text == '!';
    *text += o.inverted;
    if (isdigit((unsigned char)**text) || **text == '-') {
        o.more = **text == '-' ? strtoll(*text, &end, 0) : (int64_t)strtoull(*text, &end, 0);
        *text = end;
        return o;
    }
    size_t length = px_name_length(*text);
    if (!length) fail_msg("ptx: an operand begins with '%.20s'", *text);
    o.name = px_register(p, *text, length);
    *text += length;
    *text += strspn(*text, " ");
    if (**text == '+') {
        o.more = strtoll(*text + 1, &end, 0);
        *text = end;
    }
    return o;
}

/* `.reg .b32 a, b<4>;`; what follows it. */
static inline const char *px_registers(px_text *p, const char *text)
{
    text = strchr(text + 4, '.');
    text += strcspn(text, " ");
    while (*(text += strspn(text, " ,")) != ';') {
        size_t length = px_name_length(text);
        assert_true(length > 0);
        if (text[length] == '<') {
            long count = strtol(text + length + 1, NULL, 10);
            for (long i = 0; i < count; i++) {
                char name[48];
                int wrote = snprintf(name, sizeof name, "%.*s%ld", (int)length, text, i);
                px_declare(p, name, (size_t)wrote, false, 0);
            }
            text = strchr(text, '>') + 1;
        } else {
            px_declare(p, text, length, false, 0);
            text += length;
        }
    }
    return text + 1;
}

static inline void px_branch(px_text *p, const char *label)
{
    assert_true(p->branches < 512);
    size_t length = px_name_length(label);
    p->branch[p->branches].line = p->lines;
    p->branch[p->branches].depth = p->depth;
    memcpy(p->branch[p->branches].label, label, length);
    p->branch[p->branches++].label[length] = 0;
}

/* One instruction, from its guard to its semicolon; what follows it. */
static inline const char *px_instruction(px_text *p, const char *text, int source)
{
    assert_true(p->lines < PX_LINES);
    px_line *l = &p->line[p->lines];
    *l = (px_line){.guard = -1, .target = -1, .source = source, .operand = &p->operands[p->used]};
    if (*text == '@') {
        l->negated = text[1] == '!';
        text += 1 + l->negated;
        size_t length = px_name_length(text);
        l->guard = px_register(p, text, length);
        text += length + strspn(text + length, " ");
    }
    size_t length = strcspn(text, " ;");
    assert_true(length < PX_OP);
    memcpy(l->op, text, length);
    l->op[length] = 0;
    text += length;
    if (!strcmp(l->op, "bra")) {
        px_branch(p, text + strspn(text, " "));
        text = strchr(text, ';');
    } else {
        bool braces = false;
        for (size_t between; *(text += between = strspn(text, " ,[]{}|")) != ';';) {
            assert_true(l->count < PX_OPERANDS && p->used < PX_LINES * 8);
            if (between && text[-1] == '[' && l->count < 64) l->address |= 1ull << l->count;
            for (const char *c = text - between; c < text; c++)
                if (strchr("{}", *c)) braces = *c == '{';
            if (braces && l->count < 64) l->vector |= 1ull << l->count;
            l->operand[l->count++] = px_operand_at(p, &text);
            p->used++;
        }
    }
    p->lines++;
    return text + 1;
}

/* Branches out of these braces to labels in them, and what is declared there, end here. */
static inline void px_close(px_text *p)
{
    for (int i = 0; i < p->branches; i++) {
        if (p->branch[i].line < 0 || p->branch[i].depth < p->depth) continue;
        const px_name *n = px_find(p, p->branch[i].label, strlen(p->branch[i].label), true);
        if (!n || n->depth != p->depth) continue;
        p->line[p->branch[i].line].target = n->id;
        p->branch[i].line = -1;
    }
    for (int i = 0; i < p->names; i++)
        if (!p->name[i].gone && p->name[i].depth == p->depth) p->name[i].gone = true;
    while (p->names && p->name[p->names - 1].gone) p->names--;
    p->depth--;
}

/* `.param .align 128 .b8 tensor_a[128],` declares a name that holds its address. */
static inline void px_param(px_text *p, const char *text)
{
    const char *end = text + strcspn(text, ",)\n"), *at = end;
    if (memchr(text, '[', (size_t)(end - text))) at = memchr(text, '[', (size_t)(end - text));
    end = at;
    while (px_in_name(at[-1])) at--;
    assert_true(p->params < PX_PARAMS);
    p->param_at[p->params++] = px_declare(p, at, (size_t)(end - at), false, 0);
}

/* One statement of a line, or the directive that the line is; what follows it, NULL: nothing. */
static inline const char *px_statement(px_text *p, const char *text, int source)
{
    size_t word = px_name_length(text);
    if (!*text || strchr("\n/()", *text)) return NULL;
    if (!strncmp(text, ".reg ", 5)) return px_registers(p, text);
    if (!strncmp(text, ".param", 6)) px_param(p, text);
    if (!strncmp(text, ".extern", 7)) p->smem = px_declare(p, "$smem", 5, false, 0);
    if (*text == '.') return NULL;
    if (*text == '{') p->depth++;
    if (*text == '}') px_close(p);
    if (strchr("{}", *text)) return text + 1;
    if (!word || text[word] != ':' || text[word + 1] == ':') return px_instruction(p, text, source);
    px_declare(p, text, word, true, p->lines);
    return text + word + 1;
}

static inline void px_read(px_text *p, const char *text)
{
    static const char *const special[PX_SPECIAL] = {"%tid.x", "%ctaid.x", "%nctaid.x", "%cluster_ctarank", "%ctaid.y",
                                                     "%ctaid.z", "_"};
    memset(p, 0, sizeof *p);
    p->smem = -1;
    for (int i = 0; i < PX_SPECIAL; i++) px_declare(p, special[i], strlen(special[i]), false, 0);
    for (int source = 0; *text; source++) {
        for (const char *at = text; at; at = px_statement(p, at, source)) at += strspn(at, " \t");
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    for (int i = 0; i < p->branches; i++)
        if (p->branch[i].line >= 0) fail_msg("ptx: no label '%s'", p->branch[i].label);
}

#endif
