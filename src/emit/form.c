/* SPDX-License-Identifier: Apache-2.0 */
/* Prints instructions, lines and swizzles into a PTX text. An instruction form is a row of
 * forms.def; its text, operands and oldest PTX version are read once from the tables of src/isa and
 * kept. A swizzle Sw<bits,base,shift> of an offset is printed as a shift, a mask and an XOR. */
#include "emit/emit.h"

#include <string.h>
#include <zlay/instruction.h>

static const struct {
    const char *name, *instruction;
} forms[] = {
#define FORM(id, name, instruction) {name, instruction},
#include "emit/forms.def"
#undef FORM
};

/* Lists the operands of an instruction as a header's function takes them; an immediate is its
 * template parameter n. */
static uint32_t read_operands(char *out, uint32_t room, uint32_t number)
{
    zlay_operand operand;
    uint32_t count = 0;
    while (count < room && !zlay_instruction_operand_nth(&operand, number, count))
        out[count++] = operand.cls == 'i' ? 'n' : (char)operand.cls;
    out[count] = 0;
    return count;
}

/* Reads the text of a form with %0 to %8 in the places of its operands. */
static void read_phrase(zl_phrase *out, zl_form_id id)
{
    static const char *const places[] = {"%0", "%1", "%2", "%3", "%4", "%5", "%6", "%7", "%8"};
    const char *instruction = forms[id].instruction;
    zlay_buf text = {out->text, sizeof out->text, 0};
    zlay_form form = {0};
    uint32_t number = 0;
    zlay_instruction_find(&number, instruction, strlen(instruction));
    zlay_instruction_info(&form, number);
    uint32_t count = read_operands(out->operands, ZL_COUNT(places), number);
    zlay_instruction_print(&text, number, places, count);
    out->name = forms[id].name;
    out->ptx = form.ptx;
}

void zl_emit_swizzle(zl_emit *e, const char *offset, const char *scratch, zl_swizzle s)
{
    unsigned long long mask = (((unsigned long long)1 << s.bits) - 1) << s.base;
    if (!s.bits) return;
    if (s.shift >= 0) {
        zl_emit_line(e, "shr.u64 %s, %s, %d;", scratch, offset, (int)s.shift);
        zl_emit_line(e, "and.b64 %s, %s, %llu;", scratch, scratch, mask);
    } else {
        zl_emit_line(e, "and.b64 %s, %s, %llu;", scratch, offset, mask);
        zl_emit_line(e, "shl.b64 %s, %s, %d;", scratch, scratch, -(int)s.shift);
    }
    zl_emit_line(e, "xor.b64 %s, %s, %s;", offset, offset, scratch);
}

uint32_t zl_ptx_least(zl_counted *print, const void *value, const zlay_target *target)
{
    zl_text nothing = {NULL, 0, 0};
    zlay_target_summary info = {0};
    uint32_t ptx = print(&nothing, value);
    zlay_target_info(&info, target);
    return ptx < info.ptx ? info.ptx : ptx;
}

/* Names that C, C++, CUDA and HIP keep for themselves: two underscores, or one and a capital, and
 * those that their headers declare. */
static bool is_reserved(const char *name, size_t length)
{
    static const char *const reserved[] = {
#define NAME(text) text,
#include "emit/names.def"
    };
    if (length > 1 && name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z')))
        return true;
    for (size_t i = 0; i < ZL_COUNT(reserved); i++)
        if (strlen(reserved[i]) == length && !memcmp(reserved[i], name, length)) return true;
    return false;
}

zlay_status zl_name_check(zlay_ctx *ctx, const char *name, size_t length)
{
    char shown[256];
    if (zl_is_name(name, length)) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "name: \"%s\" is no name", zl_quote(shown, name, length));
}

zlay_status zl_c_name_check(zlay_ctx *ctx, const char *name, size_t length)
{
    char shown[256];
    zlay_status status = zl_name_check(ctx, name, length);
    if (status || !is_reserved(name, length)) return status;
    return zl_fail(ctx, ZLAY_EINVAL, "name: \"%s\" is kept by C++, CUDA or HIP",
                   zl_quote(shown, name, length));
}

const zl_phrase *zl_phrase_get(zl_emit *e, zl_form_id id)
{
    zl_phrase *phrase = &e->phrases[id];
    if (!phrase->name) read_phrase(phrase, id);
    return phrase;
}

void zl_emit_form(zl_emit *e, const char *guard, zl_form_id id, const char *const *operands)
{
    const zl_phrase *phrase = zl_phrase_get(e, id);
    if (phrase->ptx > e->ptx) e->ptx = phrase->ptx;
    e->used[id] = true;
    zl_puts(e->out, "    ");
    zl_puts(e->out, guard);
    for (const char *c = phrase->text; *c; c++) {
        if (*c == '%') zl_puts(e->out, operands[*++c - '0']);
        else zl_put(e->out, c, 1);
    }
    zl_puts(e->out, "\n");
}

void zl_emit_line(zl_emit *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    zl_puts(e->out, "    ");
    zl_vputf(e->out, format, args);
    zl_puts(e->out, "\n");
    va_end(args);
}
