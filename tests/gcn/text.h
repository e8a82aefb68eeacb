/* SPDX-License-Identifier: Apache-2.0 */
/* What `llvm-objdump-22 -d` prints, read: a line an instruction, its address and its first word from
 * the comment behind it; a branch goes where its word says. What is not understood fails the test. */
#ifndef TEST_GCN_TEXT_H
#define TEST_GCN_TEXT_H

#include "table.h"

#include <ctype.h>

static inline bool gcn_starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static inline int gcn_named_scalar(const char *text, size_t length)
{
    static const struct {
        const char *name;
        int first, count;
    } named[] = {{"vcc", GCN_VCC, 2},         {"vcc_lo", GCN_VCC, 1}, {"vcc_hi", GCN_VCC + 1, 1},
                 {"m0", GCN_M0, 1},           {"exec", GCN_EXEC, 2},  {"exec_lo", GCN_EXEC, 1},
                 {"exec_hi", GCN_EXEC + 1, 1}};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (strlen(named[i].name) == length && !memcmp(named[i].name, text, length))
            return named[i].first * 4 + named[i].count;
    return -1;
}

/* s3, v[4:7], a0 */
static inline bool gcn_register(gcn_operand *o, const char *text)
{
    char *end;
    bool many = text[1] == '[';
    if (!strchr("sva", text[0]) || !isdigit((unsigned char)text[many ? 2 : 1])) return false;
    long first = strtol(text + (many ? 2 : 1), &end, 10), last = first;
    if (many && *end == ':') last = strtol(end + 1, &end, 10);
    o->place = text[0] == 's' ? GCN_SCALAR : GCN_VECTOR;
    o->first = (int)first + (text[0] == 'a' ? GCN_AGPR : 0);
    o->count = (int)(last - first) + 1;
    return true;
}

static inline bool gcn_constant(gcn_operand *o, const char *text)
{
    char *end;
    if (!isdigit((unsigned char)text[0]) && text[0] != '-') return false;
    o->place = GCN_NUMBER;
    o->number = text[0] == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    if (*end == '.') o->number = gcn_bits((float)atof(text));
    return true;
}

static inline bool gcn_operand_of(gcn_operand *o, const char *text)
{
    *o = (gcn_operand){0};
    if (!strcmp(text, "off")) return true;
    if (gcn_constant(o, text)) return true;
    if (*text == '-') o->negated = true, text++;
    if (*text == '|') o->absolute = true, text++;
    if (gcn_register(o, text)) return true;
    int named = gcn_named_scalar(text, strlen(text));
    if (named < 0) return false;
    o->place = GCN_SCALAR, o->first = named / 4, o->count = named % 4;
    return true;
}

/* -v1 begins as a number does. */
static inline bool gcn_any_operand(gcn_operand *o, const char *text)
{
    bool minus = *text == '-' && !isdigit((unsigned char)text[1]);
    if (!gcn_operand_of(o, text + minus)) return false;
    o->negated |= minus;
    return true;
}

static inline int gcn_counter(const char *text, int most)
{
    int value = atoi(strchr(text, '(') + 1);
    return value >= most ? GCN_QUEUE : value;
}

/* Words that stand behind the operands. */
static inline bool gcn_word(gcn_line *line, const char *text)
{
    static const char *const ignored[] = {"sc0", "sc1",       "nt",        "glc", "slc",
                                          "scc", "expcnt(7)", "expcnt(0)", NULL};
    for (int i = 0; ignored[i]; i++)
        if (!strcmp(text, ignored[i])) return true;
    if (!strcmp(text, "offen")) return line->offen = true;
    if (!strcmp(text, "idxen")) return line->idxen = true;
    if (!strcmp(text, "lds")) return line->lds = true;
    if (gcn_starts(text, "vmcnt(")) return line->vmcnt = gcn_counter(text, 63), true;
    if (gcn_starts(text, "lgkmcnt(")) return line->lgkmcnt = gcn_counter(text, 15), true;
    if (gcn_starts(text, "offset:") || gcn_starts(text, "offset0:"))
        return line->offset = (int32_t)strtol(strchr(text, ':') + 1, NULL, 0),
               line->has_offset = true;
    if (gcn_starts(text, "offset1:"))
        return line->offset1 = (int32_t)strtol(text + 8, NULL, 0), true;
    if (gcn_starts(text, "op_sel:[") && gcn_starts(line->name, "v_pk_mov_b32"))
        return line->table = (text[8] == '1') | (text[10] == '1') << 1, true;
    if (gcn_starts(text, "bitop3:")) return line->table = (int)strtol(text + 7, NULL, 0), true;
    return false;
}

/* The next word of a line, up to a comma or a blank that no bracket holds; 0: none. */
static inline size_t gcn_token(const char **at)
{
    *at += strspn(*at, ", \t");
    size_t length = 0;
    for (int depth = 0; (*at)[length]; length++) {
        char c = (*at)[length];
        depth += (c == '[') - (c == ']');
        if (!depth && strchr(", \t", c)) break;
    }
    return length;
}

static inline void gcn_read_words(gcn_line *line, const char *at)
{
    for (size_t length; (length = gcn_token(&at)); at += length) {
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (gcn_word(line, word)) continue;
        if (line->count == GCN_OPERANDS || !gcn_any_operand(&line->operand[line->count++], word))
            fail_msg("%s: not understood: %s", line->text, word);
    }
}

/* Branches print a number that is no operand. */
static inline void gcn_read_line(gcn_line *line, const char *at)
{
    *line = (gcn_line){.vmcnt = GCN_QUEUE, .lgkmcnt = GCN_QUEUE, .target = -1};
    at += strspn(at, " \t");
    size_t name = strcspn(at, " \t\n"), all = strcspn(at, "\n");
    const char *comment = strstr(at, "//");
    if (!comment || comment > at + all) fail_msg("no encoding: %.*s", (int)all, at);
    size_t shown = (size_t)(comment - at);
    while (shown && at[shown - 1] == ' ') shown--;
    assert_true(shown < sizeof line->text);
    snprintf(line->text, sizeof line->text, "%.*s", (int)shown, at);
    snprintf(line->name, sizeof line->name, "%.*s", (int)name, at);
    line->form = gcn_form_of(line->name);
    if (!line->form) fail_msg("no row for the instruction: %s", line->text);
    line->at = strtoull(comment + 2, NULL, 16);
    line->word = (uint32_t)strtoul(strchr(comment, ':') + 1, NULL, 16);
    if (line->form->run != gcn_run_branch) gcn_read_words(line, line->text + name);
    for (int i = 0; i < line->count; i++)
        if ((line->operand[i].negated || line->operand[i].absolute) &&
            !(line->form->flags & GCN_F_FLOAT))
            fail_msg("%s: a sign that means nothing", line->text);
}

static inline void gcn_find_targets(gcn_code *code)
{
    for (int i = 0; i < code->lines; i++) {
        gcn_line *line = &code->line[i];
        if (line->form->run != gcn_run_branch) continue;
        uint64_t to = line->at + 4 + (uint64_t)(int64_t)(int16_t)(line->word & 0xffff) * 4;
        for (int j = 0; j < code->lines; j++)
            if (code->line[j].at == to) line->target = j;
    }
}

#endif
