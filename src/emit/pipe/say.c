/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the lines of a pipe's kernel in PTX or in CUDA C: arithmetic by the rows of ops.def,
 * instructions by their forms in src/isa, branches and loops. A form is looked up once and checked
 * against the target's rules; its constants are checked at every use. In CUDA C an instruction
 * becomes inline asm, and a predicate crosses its border as an integer. */
#include "emit/pipe/pipe.h"
#include "isa/form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/instruction.h>
#include <zlay/rule.h>

enum { OPERANDS_MOST = 136, TEXT_MOST = 4096, TRIES = 1 << 26 };

static const struct {
    const char *ptx, *c;
} ops[] = {
#define OP(name, ptx, c) {ptx, c},
#include "emit/pipe/ops.def"
#undef OP
};

zlay_status zl_pt_fail(zl_pipe_text *k, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (k->status) return k->status;
    k->status = zl_fail(k->ctx, ZLAY_ENOTSUP, "line %u: %s", k->event ? k->event->line : 0, text);
    return k->status;
}

const char *zl_pt_rule(int32_t number)
{
    zlay_rule rule;
    return zlay_rule_info(&rule, number) ? "?" : rule.id;
}

static void begin(zl_pipe_text *k)
{
    for (uint32_t i = 0; i <= k->indent; i++) zl_puts(k->out, "    ");
}

void zl_pt_line(zl_pipe_text *k, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    begin(k);
    zl_vputf(k->out, format, args);
    zl_puts(k->out, "\n");
    va_end(args);
}

/* Prints text up to a mark or its end, and returns where that is. */
static const char *put_until(zl_pipe_text *k, const char *text, char mark)
{
    const char *end = text;
    while (*end && *end != mark) end++;
    zl_put(k->out, text, (size_t)(end - text));
    return end;
}

void zl_pt_op(zl_pipe_text *k, zl_op_id op, const char *const *operands)
{
    begin(k);
    const char *c = put_until(k, k->c ? ops[op].c : ops[op].ptx, '%');
    for (; *c; c = put_until(k, c + 1, '%')) {
        if (*++c == '%') zl_puts(k->out, "%");
        else zl_puts(k->out, operands[*c - '0']);
    }
    zl_puts(k->out, "\n");
}

char *zl_pt_digits(char *to, uint64_t number)
{
    char digits[24];
    size_t count = 0;
    do digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count) *to++ = digits[--count];
    *to = 0;
    return to;
}

const char *zl_pt_number(char room[24], uint64_t number)
{
    zl_pt_digits(room, number);
    return room;
}

/* ---- instructions ------------------------------------------------------------ */

typedef struct saying {
    uint32_t form, count, outs, ptx;
    const char *const *operands;
    const char *phrase; /* NULL: print the form */
    bool pure;          /* an asm that a compiler may move and remove */
    char cls[OPERANDS_MOST];
} saying;

static bool is_number(const char *text) { return strchr("-0123456789", *text) != NULL; }

/* Finds an instruction by its id, and the classes of its operands. */
static zlay_status form_read(zl_pipe_text *k, saying *s, const char *id)
{
    zlay_form form;
    zlay_operand operand;
    if (zlay_instruction_find(&s->form, id, strlen(id)) || zlay_instruction_info(&form, s->form) ||
        form.operands > OPERANDS_MOST)
        return zl_pt_fail(k, "there is no instruction %s", id);
    s->count = form.operands;
    s->ptx = form.ptx;
    s->pure = zl_form_pure(s->form);
    for (uint32_t i = 0; i < s->count; i++)
        s->cls[i] = zlay_instruction_operand_nth(&operand, s->form, i) ? 0 : (char)operand.cls;
    return ZLAY_OK;
}

/* The constants among the operands are asked about too. */
static void form_check(zl_pipe_text *k, const saying *s, const char *id)
{
    zlay_instruction asked = {.form = s->form};
    zlay_verdict verdict = {0};
    zlay_reason reason = {0};
    zlay_operand operand;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!is_number(s->operands[i]) || asked.count == ZLAY_CONSTANTS_MOST) continue;
        if (zlay_instruction_operand_nth(&operand, s->form, i) || !operand.field) continue;
        asked.constant[asked.count++] =
            (zlay_constant){.field = operand.field, .value = strtoll(s->operands[i], NULL, 10)};
    }
    zlay_instruction_check(&verdict, &reason, 1, k->ask->target, &asked);
    if (verdict.answer != ZLAY_YES)
        zl_pt_fail(k, "%s on %s: rule %s", id, zlay_target_name(k->ask->target),
                   zl_pt_rule(reason.rule));
}

bool zl_pt_exists(const zl_pipe_text *k, const char *id)
{
    zlay_instruction asked = {.form = 0};
    zlay_verdict verdict = {0};
    if (zlay_instruction_find(&asked.form, id, strlen(id))) return false;
    return !zlay_instruction_check(&verdict, NULL, 0, k->ask->target, &asked) && verdict.answer == ZLAY_YES;
}

static bool has_numbers(const saying *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (is_number(s->operands[i])) return true;
    return false;
}

/* Where a form's id is kept, or the first free place; NULL: neither. */
static zl_pt_saying *kept(zl_pipe_text *k, const char *id)
{
    for (uint32_t i = 0; i < ZL_PT_SAYINGS; i++)
        if (!k->sayings[i].id[0] || !strcmp(k->sayings[i].id, id)) return &k->sayings[i];
    return NULL;
}

static const char *const marks[ZL_PT_FEW] = {"\1a", "\1b", "\1c", "\1d", "\1e", "\1f",
                                             "\1g", "\1h", "\1i", "\1j", "\1k", "\1l"};

/* Keeps the text of a form that has been read, if it is short. */
static void keep(zl_pt_saying *to, const saying *s, const char *id)
{
    zlay_buf buf = {to->phrase, sizeof to->phrase, 0};
    if (s->count > ZL_PT_FEW || strlen(id) >= sizeof to->id) return;
    if (zlay_instruction_print(&buf, s->form, marks, s->count)) return;
    strcpy(to->id, id);
    memcpy(to->cls, s->cls, s->count);
    to->form = s->form;
    to->count = s->count;
    to->ptx = s->ptx;
    to->pure = s->pure;
}

/* Finds a form, checks it, and raises the PTX version to what it needs. */
static zlay_status find(zl_pipe_text *k, saying *s, const char *id, uint32_t outs)
{
    zl_pt_saying *known = kept(k, id);
    bool old = known && known->id[0];
    s->outs = outs;
    if (old) {
        s->form = known->form;
        s->count = known->count;
        s->ptx = known->ptx;
        s->pure = known->pure;
        memcpy(s->cls, known->cls, known->count);
    } else if (form_read(k, s, id)) {
        return k->status;
    }
    if (!old && known) keep(known, s, id);
    s->phrase = known && known->id[0] ? known->phrase : NULL;
    if (!old || has_numbers(s)) form_check(k, s, id);
    if (s->ptx > k->ptx) k->ptx = s->ptx;
    return ZLAY_OK;
}

/* The text with these operands. */
static void put_form(zl_pipe_text *k, const saying *s, const char *const *operands)
{
    char text[TEXT_MOST];
    zlay_buf buf = {text, sizeof text, 0};
    if (!s->phrase) {
        zlay_instruction_print(&buf, s->form, operands, s->count);
        zl_puts(k->out, text);
        return;
    }
    const char *c = put_until(k, s->phrase, '\1');
    for (; *c; c = put_until(k, c + 1, '\1')) zl_puts(k->out, operands[*++c - 'a']);
}

/* How operand i stands in an asm text: a number as it is, a predicate under a name of its own. */
static const char *placed(const saying *s, uint32_t i, char room[24], uint32_t *next)
{
    if (is_number(s->operands[i])) return s->operands[i];
    snprintf(room, 24, s->cls[i] == 'p' ? "zl_p" : "%%%u", *next);
    if (s->cls[i] == 'p') snprintf(room, 24, "zl_p");
    ++*next;
    return room;
}

static void put_constraints(zl_pipe_text *k, const saying *s, bool outs)
{
    const char *comma = "";
    for (uint32_t i = outs ? 0 : s->outs; i < (outs ? s->outs : s->count); i++) {
        char c = s->cls[i] == 'd' ? 'l' : s->cls[i] == 'p' || s->cls[i] == 'f' ? 'r' : s->cls[i];
        if (is_number(s->operands[i])) continue;
        zl_putf(k->out, outs ? "%s\"=%c\"(%s)" : "%s\"%c\"(%s)", comma, c, s->operands[i]);
        comma = ", ";
    }
}

/* Prints a form as inline asm; a predicate crosses the border of an asm as an integer. An asm that is
 * not volatile may move, but not before what makes its operands. */
static void say_c(zl_pipe_text *k, const char *guard, const saying *s)
{
    char rooms[OPERANDS_MOST][24];
    const char *places[OPERANDS_MOST] = {NULL};
    int64_t predicate = -1;
    uint32_t next = 0, number = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->cls[i] == 'p') predicate = i, number = next;
        places[i] = placed(s, i, rooms[i], &next);
    }
    begin(k);
    if (guard) zl_putf(k->out, "if (%s) ", guard);
    zl_puts(k->out, s->pure ? "asm(\"" : "asm volatile(\"");
    if (predicate >= 0) zl_puts(k->out, "{ .reg .pred zl_p; ");
    if (predicate >= (int64_t)s->outs) zl_putf(k->out, "setp.ne.u32 zl_p, %%%u, 0; ", number);
    put_form(k, s, places);
    if (predicate >= 0 && predicate < (int64_t)s->outs)
        zl_putf(k->out, " selp.u32 %%%u, 1, 0, zl_p;", number);
    zl_puts(k->out, predicate >= 0 ? " }\" : " : "\" : ");
    put_constraints(k, s, true);
    zl_puts(k->out, " : ");
    put_constraints(k, s, false);
    zl_puts(k->out, s->pure ? ");\n" : " : \"memory\");\n");
}

static void say_ptx(zl_pipe_text *k, const char *guard, const saying *s)
{
    begin(k);
    if (guard) zl_putf(k->out, "@%s ", guard);
    put_form(k, s, s->operands);
    zl_puts(k->out, "\n");
}

void zl_pt_say(zl_pipe_text *k, const char *guard, const char *id, uint32_t outs,
               const char *const *operands)
{
    saying s = {.operands = operands};
    if (find(k, &s, id, outs)) return;
    if (k->c) say_c(k, guard, &s);
    else say_ptx(k, guard, &s);
}

void zl_pt_keep(zl_pipe_text *k, const char *name)
{
    if (k->c) zl_pt_line(k, "asm volatile(\"\" : \"+r\"(%s));", name);
}

/* ---- branches ------------------------------------------------------------------ */

/* Begins a block with a new label. */
static uint32_t open_block(zl_pipe_text *k)
{
    uint32_t label = k->labels++;
    if (k->opened < ZL_PT_BLOCKS) k->open[k->opened++] = label;
    return label;
}

/* Ends the innermost block; its label is the result. */
static uint32_t close_block(zl_pipe_text *k)
{
    if (k->c) {
        k->indent--;
        zl_pt_line(k, "}");
    }
    return k->open[--k->opened];
}

void zl_pt_when(zl_pipe_text *k, const char *predicate)
{
    uint32_t label = open_block(k);
    zl_pt_line(k, k->c ? "if (%s) {" : "@!%s bra $over%u;", predicate, label);
    if (k->c) k->indent++;
}

void zl_pt_when_end(zl_pipe_text *k)
{
    uint32_t label = close_block(k);
    if (!k->c) zl_putf(k->out, "$over%u:\n", label);
}

/* The test of a range in CUDA C. */
static void put_below(zl_pipe_text *k, const char *before, const zl_pt_range *r, const char *after)
{
    const char *as = r->unsigned_ ? "" : "(int32_t)";
    zl_pt_line(k, "%s(%s%s < %s%s)%s", before, as, r->counter, as, r->last, after);
}

void zl_pt_while(zl_pipe_text *k, const zl_pt_range *r)
{
    uint32_t label = open_block(k);
    if (k->c && r->runs) zl_pt_line(k, "do {");
    if (k->c && !r->runs) put_below(k, "if ", r, " do {");
    if (k->c) {
        k->indent++;
        return;
    }
    if (!r->runs) {
        zl_pt_line(k, "setp.ge.%s more, %s, %s;", r->unsigned_ ? "u32" : "s32", r->counter, r->last);
        zl_pt_line(k, "@more bra $done%u;", label);
    }
    zl_putf(k->out, "$loop%u:\n", label);
}

void zl_pt_while_end(zl_pipe_text *k, const zl_pt_range *r)
{
    if (r->step) zl_op(k, ADD, r->counter, r->counter, r->step);
    if (k->c) {
        k->opened--;
        k->indent--;
        put_below(k, "} while ", r, ";");
        return;
    }
    uint32_t label = close_block(k);
    zl_pt_line(k, "setp.lt.%s more, %s, %s;", r->unsigned_ ? "u32" : "s32", r->counter, r->last);
    zl_pt_line(k, "@more bra $loop%u;", label);
    zl_putf(k->out, "$done%u:\n", label);
}

void zl_pt_try(zl_pipe_text *k)
{
    uint32_t label = open_block(k);
    zl_op(k, MOV, "tries", "0");
    if (!k->c) zl_putf(k->out, "$again%u:\n", label);
    if (k->c) zl_pt_line(k, "while (true) {");
    if (k->c) k->indent++;
}

void zl_pt_try_end(zl_pipe_text *k)
{
    char room[24];
    zl_pt_number(room, k->ask->tries ? k->ask->tries : TRIES);
    if (k->c) {
        zl_pt_line(k, "if (done) break;");
        zl_pt_line(k, "if (++tries >= %s) __trap();", room);
        close_block(k);
        return;
    }
    uint32_t label = close_block(k);
    zl_pt_line(k, "@done bra $passed%u;", label);
    zl_op(k, ADD, "tries", "tries", "1");
    zl_op(k, LT, "done", "tries", room);
    zl_pt_line(k, "@done bra $again%u;", label);
    zl_op(k, TRAP, "");
    zl_putf(k->out, "$passed%u:\n", label);
}
