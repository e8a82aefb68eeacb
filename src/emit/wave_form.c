/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions whose text and rules are a form's. */
#include "emit/wave.h"

#include <string.h>
#include <zlay/instruction.h>

enum { OPERANDS_MOST = 6, TEXT = 24, LINE = 128 };

static const char *const ids[] = {
#define WAVE_FORM(id, instruction) instruction,
#include "emit/wave_forms.def"
#undef WAVE_FORM
};

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

/* What stands in the form, and whether it may: the first that may not is kept. */
static bool is_legal(const zl_wave_text *t, const zlay_instruction *instruction)
{
    zlay_verdict verdict;
    return !zlay_instruction_check(&verdict, NULL, 0, t->plan->info.target, instruction) &&
           verdict.answer == ZLAY_YES;
}

void zl_wave_form(zl_wave_text *t, zl_wave_form_id id, const uint32_t *values)
{
    char text[OPERANDS_MOST][TEXT], line[LINE] = "";
    const char *texts[OPERANDS_MOST];
    zlay_instruction instruction = {0};
    zlay_operand operand;
    uint32_t count = 0;
    zlay_buf buf = {line, sizeof line, 0};
    zlay_instruction_find(&instruction.form, ids[id], strlen(ids[id]));
    for (; count < OPERANDS_MOST && !zlay_instruction_operand(&operand, instruction.form, count);
         count++) {
        put_operand(text[count], &operand, values[count]);
        texts[count] = text[count];
        if (operand.field)
            instruction.constant[instruction.count++] =
                (zlay_constant){operand.field, 0, values[count]};
    }
    if (!is_legal(t, &instruction) && !*t->refused) *t->refused = ids[id];
    zlay_instruction_print(&buf, instruction.form, texts, count);
    zl_wave_line(t, "%s", line);
}
