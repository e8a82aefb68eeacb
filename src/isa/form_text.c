/* SPDX-License-Identifier: Apache-2.0 */
/* The text of forms: read as tokens, printed, and asked for its operands. */
#include "base/scan.h"
#include "isa/form.h"

#include <string.h>

zl_form_reader zl_form_read(const zl_isa_form *form)
{
    return (zl_form_reader){.form = form, .at = form->pattern->text};
}

/* Go into the piece of <name>, which has no reference itself. */
static void enter(zl_form_reader *r)
{
    const char *name = r->at + 1;
    size_t length = strcspn(name, ">");
    r->back = name + length + 1;
    r->at = zl_form_piece(r->form, name, length);
}

/* VGPRs, AGPRs and SGPRs stand in a row, and are one operand. */
static bool is_gfx(char cls) { return cls == 'v' || cls == 'a' || cls == 's'; }

static void read_number(zl_form_reader *r)
{
    uint32_t number = 0;
    bool said = zl_is_digit(*r->at), in_a_row = is_gfx(r->operand.cls);
    while (zl_is_digit(*r->at)) number = number * 10 + (uint32_t)(*r->at++ - '0');
    r->operand.vector = said && !in_a_row;
    r->operand.registers = in_a_row ? said ? number : 1 : 0;
    r->lanes = r->operand.vector ? number : 1;
}

static bool in_kind(char c)
{
    return (c >= 'A' && c <= 'Z') || zl_is_digit(c) || c == '_';
}

/* %name:c, %name:c4, %name:c=KIND */
static void read_operand(zl_form_reader *r)
{
    const char *name = r->at + 1;
    size_t length = strcspn(name, ":");
    r->operand = (zl_isa_token){.text = name, .length = (uint32_t)length, .cls = name[length + 1]};
    r->at = name + length + 2;
    read_number(r);
    r->step = 0;
    if (*r->at != '=') return;
    r->operand.kind = ++r->at;
    while (in_kind(*r->at)) r->at++;
    r->operand.kind_length = (uint32_t)(r->at - r->operand.kind);
}

static bool run_token(zl_isa_token *out, const char *text, size_t length)
{
    *out = (zl_isa_token){.text = text, .length = (uint32_t)length};
    return true;
}

/* A scalar is one token; a vector is brace, register, comma, register, .. brace. */
static bool operand_token(zl_form_reader *r, zl_isa_token *out)
{
    uint32_t last = r->operand.vector ? 2 * r->lanes : 0, step = r->step++;
    if (step == last) {
        r->lanes = 0;
        if (r->operand.vector) return run_token(out, "}", 1);
    }
    if (r->operand.vector && step % 2 == 0) return run_token(out, step ? ", " : "{", step ? 2 : 1);
    *out = r->operand;
    out->index = step / 2;
    return true;
}

bool zl_token_next(zl_form_reader *r, zl_isa_token *out)
{
    while (!r->lanes) {
        size_t run = strcspn(r->at, r->back ? "%|" : "<%");
        if (run) {
            run_token(out, r->at, run);
            r->at += run;
            return true;
        }
        if (*r->at == '%') read_operand(r);
        else if (*r->at == '<') enter(r);
        else if (!r->back) return false;
        else {
            r->at = r->back;
            r->back = NULL;
        }
    }
    return operand_token(r, out);
}

/* ---- printing ------------------------------------------------------------------- */

typedef struct printed {
    zl_isa_form form;
    const char *const *operands;
    size_t count;
} printed;

static void put_name(zl_text *out, const zl_isa_token *t)
{
    zl_put(out, t->text, t->length);
    if (t->vector) zl_putf(out, "%u", (unsigned)t->index);
}

static void write_text(zl_text *out, const void *value)
{
    const printed *p = value;
    zl_form_reader reader = zl_form_read(&p->form);
    zl_isa_token token;
    size_t i = 0;
    while (zl_token_next(&reader, &token)) {
        if (!token.cls) zl_put(out, token.text, token.length);
        else if (i < p->count) zl_puts(out, p->operands[i++]);
        else put_name(out, &token);
    }
}

zlay_status zlay_instruction_print(zlay_buf *out, uint32_t number, const char *const *operands,
                                   size_t count)
{
    printed p = {.operands = operands, .count = count};
    if (!out || (count && !operands)) return ZLAY_EINVAL;
    for (size_t i = 0; i < count; i++)
        if (!operands[i]) return ZLAY_EINVAL;
    if (!zl_form_of(&p.form, number)) return ZLAY_NONE;
    return zl_print(out, write_text, &p);
}

/* An id: each <axis> is the first spelling of its choice. */
static void write_id(zl_text *out, const void *value)
{
    const zl_isa_form *form = value;
    uint32_t next = 0;
    for (const char *at = form->pattern->id; *at;) {
        size_t run = strcspn(at, "<");
        zl_put(out, at, run);
        at += run;
        if (!*at) return;
        const char *word = form->choice[next++]->word;
        zl_put(out, word, strcspn(word, "|"));
        at += strcspn(at, ">") + 1;
    }
}

zlay_status zlay_instruction_id(zlay_buf *out, uint32_t number)
{
    zl_isa_form form;
    if (!out) return ZLAY_EINVAL;
    if (!zl_form_of(&form, number)) return ZLAY_NONE;
    return zl_print(out, write_id, &form);
}

/* ---- operands ------------------------------------------------------------------- */

static const struct {
    char cls;
    uint32_t bits;
} classes[] = {{'p', 1},  {'h', 16}, {'r', 32},  {'f', 32},
               {'d', 64}, {'g', 64}, {'q', 128}, {'i', 0}};

static uint32_t bits_of(char cls)
{
    for (size_t i = 0; i < ZL_COUNT(classes); i++)
        if (classes[i].cls == cls) return classes[i].bits;
    return 0;
}

static void name_of(char out[16], const zl_isa_token *t)
{
    zl_text text = {out, 16, 0};
    put_name(&text, t);
}

static const struct {
    const char *name;
    zl_quantity quantity;
} kinds[] = {
#define QUANTITY(name, subject, field, entries) {#name, ZL_Q_##name},
#include "rules/quantities/gfx.def"
#include "rules/quantities/instruction.def"
#undef QUANTITY
};

/* The quantity of a constant operand; that of the form itself where it has no rules. */
zl_quantity zl_constant_kind(const zl_isa_token *token)
{
    for (size_t i = 0; token->kind && i < ZL_COUNT(kinds); i++)
        if (strlen(kinds[i].name) == token->kind_length &&
            !memcmp(kinds[i].name, token->kind, token->kind_length))
            return kinds[i].quantity;
    return ZL_Q_INSTR_ON;
}

int32_t zl_constant_field(const zl_isa_token *token)
{
    zl_quantity kind = zl_constant_kind(token);
    return kind == ZL_Q_INSTR_ON ? ZLAY_FIELD_NONE : zl_quantity_field(kind);
}

zlay_status zlay_instruction_operand_nth(zlay_operand *out, uint32_t number, size_t i)
{
    zl_isa_form form;
    zl_isa_token token;
    if (!out) return ZLAY_EINVAL;
    if (!zl_form_of(&form, number)) return ZLAY_NONE;
    zl_form_reader reader = zl_form_read(&form);
    while (zl_token_next(&reader, &token))
        if (token.cls && !i--) {
            memset(out, 0, sizeof *out);
            name_of(out->name, &token);
            out->bits = token.registers ? 32 * token.registers : bits_of(token.cls);
            out->cls = token.cls;
            out->field = token.kind ? zl_constant_field(&token) : ZLAY_FIELD_NONE;
            return ZLAY_OK;
        }
    return ZLAY_NONE;
}
