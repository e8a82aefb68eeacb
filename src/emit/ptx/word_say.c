/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the lines of a word: rows of word_says.def in one of three languages, with registers and
 * numbers as that language writes them. */
#include "emit/ptx/word.h"

void zl_say_line(zl_speaker *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    zl_puts(s->out, "    ");
    zl_vputf(s->out, format, args);
    zl_puts(s->out, "\n");
    va_end(args);
}

static const char *const lines[][3] = {
#define SAY(id, ptx, cuda, hip)                                                                    \
    {[ZLAY_TEXT_PTX] = ptx, [ZLAY_TEXT_CUDA] = cuda, [ZLAY_TEXT_HIP] = hip},
#include "emit/ptx/word_says.def"
};

static void put_name(const zl_speaker *s, zl_text *out, const char *letter, uint32_t number)
{
    zl_putf(out, "%s%s%u", s->language == ZLAY_TEXT_PTX ? "%" : "", letter, (unsigned)number);
}

void zl_say_register(const zl_speaker *s, zl_text *out, uint32_t number)
{
    put_name(s, out, "z", number);
}

void zl_say_hex(const zl_speaker *s, zl_text *out, uint32_t number)
{
    zl_putf(out, "0x%x%s", (unsigned)number, s->language == ZLAY_TEXT_PTX ? "" : "u");
}

enum { OPERANDS = 4, OPERAND_ROOM = 24 };

/* The text of an operand of a kind. */
static void put_operand(const zl_speaker *s, zl_text *out, char kind, va_list *args)
{
    switch (kind) {
    case 'z': put_name(s, out, "z", va_arg(*args, uint32_t)); break;
    case 'q': put_name(s, out, "q", va_arg(*args, uint32_t)); break;
    case 'x': zl_say_hex(s, out, va_arg(*args, uint32_t)); break;
    case 'u': zl_putf(out, "%u", (unsigned)va_arg(*args, uint32_t)); break;
    default: zl_puts(out, va_arg(*args, const char *));
    }
}

void zl_word_say(zl_speaker *s, zl_word_line line, const char *operands, ...)
{
    char text[OPERANDS][OPERAND_ROOM] = {{0}};
    va_list args;
    va_start(args, operands);
    for (size_t i = 0; operands[i]; i++) {
        zl_text out = {text[i], OPERAND_ROOM - 1, 0};
        put_operand(s, &out, operands[i], &args);
    }
    va_end(args);
    zl_puts(s->out, "    ");
    for (const char *c = lines[line][s->language]; *c; c++) {
        if (*c == '$') zl_puts(s->out, text[*++c - '0']);
        else zl_put(s->out, c, 1);
    }
    zl_puts(s->out, "\n");
}

bool zl_word_has_text(const zl_word *word, int32_t language)
{
    bool matrix = lines[ZL_SAY_MATRIX][language][0], cluster = lines[ZL_SAY_PEER][language][0];
    for (uint32_t i = 0; i < word->count; i++) {
        if (word->step[i].id == ZL_STEP_MATRIX && !matrix) return false;
        if (word->step[i].id == ZL_STEP_DSMEM && !cluster) return false;
    }
    return true;
}
