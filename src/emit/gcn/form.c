/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the instructions of an AMD kernel: lines; instructions by their forms (forms.def), whose
 * operands are numbers of first registers, or constants; and s_nop where two instructions need wait
 * states between them, by the target's hazard rows (zlay/hazard.h) less the instructions that
 * already stand between the two. Each form is checked against the rules of its target, constants
 * included; the first that breaks a rule is kept for the message. */
#include "emit/gcn/wave.h"

#include <string.h>
#include <zlay/hazard.h>

enum { TEXT = 24, LINE = 128, STATES_MOST = 32 /* more than any two instructions owe */ };

static const char *const ids[] = {
#define WAVE_FORM(id, instruction) instruction,
#include "emit/gcn/forms.def"
#undef WAVE_FORM
};

void zl_wave_line(zl_wave_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    zl_puts(t->out, "    ");
    zl_vputf(t->out, format, args);
    zl_puts(t->out, "\n");
    va_end(args);
    t->printed++;
}

/* Prints an operand: a constant, one register as v7, or several as v[4:7]. */
static void put_operand(char *out, const zlay_operand *o, uint32_t value)
{
    zl_text text = {out, TEXT - 1, 0};
    uint32_t count = o->bits / 32;
    if (o->cls == 'i')
        zl_putf(&text, "%u", value);
    else if (count == 1)
        zl_putf(&text, "%c%u", (char)o->cls, value);
    else
        zl_putf(&text, "%c[%u:%u]", (char)o->cls, value, value + count - 1);
    out[text.need] = 0;
}

/* Checks an instruction while the text is measured, not when it is written; the first illegal
 * one is kept for the message. */
static bool is_legal(const zl_wave_text *t, const zlay_instruction *instruction)
{
    zlay_verdict verdict;
    return !zlay_instruction_check(&verdict, NULL, 0, t->target, instruction) &&
           verdict.answer == ZLAY_YES;
}

void zl_wave_phrases_read(zl_wave_text *t)
{
    for (size_t id = 0; id < ZL_WAVE_FORMS; id++) {
        zl_wave_phrase *p = &t->phrases[id];
        zlay_instruction_find(&p->form, ids[id], strlen(ids[id]));
        while (p->count < ZL_WAVE_OPERANDS &&
               !zlay_instruction_operand_nth(&p->operand[p->count], p->form, p->count))
            p->count++;
    }
}

void zl_wave_form(zl_wave_text *t, zl_wave_form_id id, const uint32_t *values)
{
    char text[ZL_WAVE_OPERANDS][TEXT], line[LINE] = "";
    const char *texts[ZL_WAVE_OPERANDS];
    const zl_wave_phrase *p = &t->phrases[id];
    zlay_instruction instruction = {.form = p->form};
    zlay_buf buf = {line, sizeof line, 0};
    for (uint32_t i = 0; i < p->count; i++) {
        put_operand(text[i], &p->operand[i], values[i]);
        texts[i] = text[i];
        if (p->operand[i].field)
            instruction.constant[instruction.count++] =
                (zlay_constant){p->operand[i].field, 0, values[i]};
    }
    if (!t->out->text && !is_legal(t, &instruction) && !*t->refused) *t->refused = ids[id];
    zlay_instruction_print(&buf, p->form, texts, p->count);
    zl_wave_line(t, "%s", line);
}

/* ---- wait states ----------------------------------------------------------------------- */

/* Prints the wait states between two instructions; each instruction in between counts as one. */
void zl_wave_hold(zl_wave_text *t, uint32_t first, uint32_t then, uint32_t at)
{
    uint32_t states = 0, between = t->printed - at;
    bool product = first == ZLAY_FIRST_MATRIX;
    zlay_hazard hazard = {first, then, product ? t->product_form.passes : 0, 0};
    if (between >= STATES_MOST) return;
    if (zlay_hazard_states(&states, t->target, &hazard) || states <= between) return;
    uint32_t left = states - between;
    for (uint32_t most = 16, now; left; left -= now) {
        now = left < most ? left : most;
        zl_wave_form(t, ZL_WAVE_NOP, (const uint32_t[]){now - 1});
        t->printed += now - 1;
    }
}
