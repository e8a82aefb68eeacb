/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the lines of a word: rows of word_says.def in one of three languages, with registers and
 * numbers as that language writes them. */
#include "emit/ptx/word.h"

#include <string.h>

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

void zl_say_predicate(const zl_speaker *s, zl_text *out, uint32_t number)
{
    put_name(s, out, "q", number);
}

void zl_say_hex(const zl_speaker *s, zl_text *out, uint32_t number)
{
    zl_putf(out, "0x%x%s", (unsigned)number, s->language == ZLAY_TEXT_PTX ? "" : "u");
}

enum { OPERANDS = 7, OPERAND_ROOM = 24 };

static uint32_t register_in(const char *text);

/* A register as the lines number them, or the one that stands for it. */
static void put_register(const zl_speaker *s, zl_text *out, uint32_t reg)
{
    reg = zl_word_same(s->lines, reg);
    put_name(s, out, reg & 1 ? "q" : "z", reg / 2);
}

static void put_words(const zl_speaker *s, zl_text *out, const char *words)
{
    uint32_t reg = register_in(words);
    if (reg == ZL_NO_REGISTER) zl_puts(out, words);
    else put_register(s, out, reg);
}

/* The text of an operand of a kind. */
static void put_operand(const zl_speaker *s, zl_text *out, char kind, va_list *args)
{
    switch (kind) {
    case 'z': put_register(s, out, 2 * va_arg(*args, uint32_t)); break;
    case 'q': put_register(s, out, 2 * va_arg(*args, uint32_t) + 1); break;
    case 'x': zl_say_hex(s, out, va_arg(*args, uint32_t)); break;
    case 'u': zl_putf(out, "%u", (unsigned)va_arg(*args, uint32_t)); break;
    default: put_words(s, out, va_arg(*args, const char *));
    }
}

/* A line makes a value and does nothing else where its C declares one constant. */
static bool is_pure(zl_word_line line)
{
    const char *c = lines[line][ZLAY_TEXT_CUDA];
    bool constant = !strncmp(c, "const unsigned $0", 17) || !strncmp(c, "const bool $0", 13);
    return constant || !strncmp(c, "unsigned char *const $0", 23);
}

/* The register in the text of an operand: letters, z or q, a number. */
static uint32_t register_in(const char *text)
{
    bool named = *text == '%' ? strchr("zq", text[1]) != NULL : strchr("zq", *text) != NULL;
    const char *digits = text + strcspn(text, "zq") + 1;
    uint32_t number = 0;
    if (!*text || !named) return ZL_NO_REGISTER;
    for (; *digits >= '0' && *digits <= '9'; digits++)
        number = 10 * number + (uint32_t)(*digits - '0');
    return 2 * number + (text[*text == '%'] == 'q');
}

/* A line with what it reads: equal ones make equal values, but of loads. */
static void key_put(char key[], size_t room, zl_word_line line, char text[OPERANDS][OPERAND_ROOM])
{
    zl_text out = {key, room - 1, 0};
    zl_putf(&out, "%u", (unsigned)line);
    for (size_t i = 1; i < OPERANDS; i++) zl_putf(&out, ",%s", text[i]);
    key[out.need < room ? out.need : room - 1] = 0;
}

/* Records a line; false: it is known that nothing reads what it makes. */
static bool is_said(zl_speaker *s, zl_word_line line, char text[OPERANDS][OPERAND_ROOM])
{
    bool pure = is_pure(line);
    char key[OPERANDS * (OPERAND_ROOM + 1)];
    if (!s->lines) return true;
    if (s->lines->known) return s->lines->at[s->line++].live;
    if (line == ZL_SAY_UNLESS || line == ZL_SAY_WHERE || line == ZL_SAY_END)
        s->lines->inner = line != ZL_SAY_END;
    key_put(key, sizeof key, line, text);
    zl_word_record(s->lines, pure ? register_in(text[0]) : ZL_NO_REGISTER, pure,
                   pure && line != ZL_SAY_LOAD ? key : NULL);
    for (size_t i = pure; i < OPERANDS; i++)
        if (register_in(text[i]) != ZL_NO_REGISTER)
            zl_word_record_read(s->lines, register_in(text[i]));
    return true;
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
    if (!is_said(s, line, text)) return;
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
