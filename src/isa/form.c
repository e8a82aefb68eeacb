/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of forms/, their numbers, and how they are found. */
#include "isa/form.h"

#include <string.h>

/* ---- axes ----------------------------------------------------------------------- */

/* AXIS_dim is the number of an axis, CHOICES_dim how many choices it has. */
enum {
#define AXIS(name) AXIS_##name,
#define CHOICE(...)
#include "isa/forms/axes.def"
    AXES
};
enum {
    CHOICES_NONE
#define AXIS(name)  , CHOICES_##name = 0
#define CHOICE(...) +1
#include "isa/forms/axes.def"
};

/* The choices side by side: an axis's first one stands where its place begins. */
struct places {
#define AXIS(name) char of_##name[CHOICES_##name];
#define CHOICE(...)
#include "isa/forms/axes.def"
};

static const struct {
    const char *name;
    uint32_t length, first;
} axes[AXES + 1] = {
#define AXIS(name) {#name, sizeof #name - 1, offsetof(struct places, of_##name)},
#define CHOICE(...)
#include "isa/forms/axes.def"
    {"", 0, sizeof(struct places)}};

#define SAYS(cell) ((cell) | ZL_SAYS)
static const zl_choice choices[] = {
#define AXIS(name)
#define CHOICE(axis, word, ptx, on, text, text1, text2)                                            \
    {AXIS_##axis, ptx, on, word, {text, text1, text2}},
#include "isa/forms/axes.def"
};

static const zl_pattern patterns[] = {
#define FORM(id, ptx, on, text)   {id, text, ptx, on, false, false},
#define PURE(id, ptx, on, text)   {id, text, ptx, on, false, true},
#define UNSAID(id, ptx, on, text) {id, text, ptx, on, true, false},
#include "isa/forms.def"
};

static uint32_t choices_of(uint32_t axis) { return axes[axis + 1].first - axes[axis].first; }

static uint32_t axis_find(const char *name, size_t length)
{
    uint32_t axis = 0;
    while (axis < AXES &&
           (axes[axis].length != length || memcmp(axes[axis].name, name, length) != 0))
        axis++;
    return axis;
}

/* The axis of a reference and which of its pieces: <dst> is piece 0, <dst1> piece 1. */
static uint32_t axis_of(const char *name, size_t length, uint32_t *piece)
{
    uint32_t axis = axis_find(name, length);
    *piece = 0;
    if (axis < AXES || length < 2) return axis;
    *piece = (uint32_t)(name[length - 1] - '0');
    return axis_find(name, length - 1);
}

const char *zl_form_piece(const zl_isa_form *form, const char *name, size_t length)
{
    uint32_t piece, axis = axis_of(name, length, &piece);
    for (uint32_t i = 0; i < form->count; i++)
        if (form->choice[i]->axis == axis && piece < ZL_COUNT(form->choice[i]->text))
            return form->choice[i]->text[piece];
    return "";
}

/* The axes of an id in their order; how many there are. */
static uint32_t axes_of(const zl_pattern *pattern, uint32_t out[ZL_AXES_MOST])
{
    uint32_t count = 0, piece;
    const char *at = pattern->id;
    while (count < ZL_AXES_MOST && (at = strchr(at, '<')) != NULL) {
        size_t length = strcspn(++at, ">");
        out[count++] = axis_of(at, length, &piece);
    }
    return count;
}

static uint32_t variants_of(const zl_pattern *pattern)
{
    uint32_t list[ZL_AXES_MOST], count = axes_of(pattern, list), product = 1;
    for (uint32_t i = 0; i < count; i++) product *= choices_of(list[i]);
    return product;
}

/* ---- numbers -------------------------------------------------------------------- */

/* A number is the row, from 1, and the row's variant in the low half: the last axis is fastest. */
enum { VARIANT_BITS = 16 };

static uint32_t number_of(size_t row, uint32_t variant)
{
    return (uint32_t)(row + 1) << VARIANT_BITS | variant;
}

static void choose(zl_isa_form *out, const zl_pattern *pattern, uint32_t variant)
{
    uint32_t list[ZL_AXES_MOST];
    out->pattern = pattern;
    out->count = axes_of(pattern, list);
    for (uint32_t i = out->count; i-- > 0;) {
        uint32_t radix = choices_of(list[i]);
        out->choice[i] = &choices[axes[list[i]].first + variant % radix];
        variant /= radix;
    }
}

bool zl_form_of(zl_isa_form *out, uint32_t number)
{
    uint32_t row = number >> VARIANT_BITS, variant = number & ((1u << VARIANT_BITS) - 1);
    if (!row || row > ZL_COUNT(patterns) || variant >= variants_of(&patterns[row - 1]))
        return false;
    choose(out, &patterns[row - 1], variant);
    return true;
}

bool zl_form_pure(uint32_t number)
{
    zl_isa_form form;
    return zl_form_of(&form, number) && form.pattern->pure;
}

size_t zlay_instruction_count(void)
{
    size_t forms = 0;
    for (size_t row = 0; row < ZL_COUNT(patterns); row++) forms += variants_of(&patterns[row]);
    return forms;
}

zlay_status zlay_instruction_nth(uint32_t *out, size_t i)
{
    if (!out) return ZLAY_EINVAL;
    for (size_t row = 0; row < ZL_COUNT(patterns); row++) {
        uint32_t variants = variants_of(&patterns[row]);
        if (i < variants) {
            *out = number_of(row, (uint32_t)i);
            return ZLAY_OK;
        }
        i -= variants;
    }
    return ZLAY_NONE;
}

/* ---- by name -------------------------------------------------------------------- */

/* The length of the longest of a word's spellings that begins a text, -1 where none does. */
static int spelled(const char *word, const char *text, size_t length)
{
    int longest = -1;
    for (;; word++) {
        size_t n = strcspn(word, "|");
        if (n <= length && !memcmp(word, text, n) && (int)n > longest) longest = (int)n;
        word += n;
        if (!*word) return longest;
    }
}

typedef const char *spelling(const zl_choice *choice, uint32_t piece);

static const char *as_word(const zl_choice *choice, uint32_t piece)
{
    (void)piece;
    return choice->word;
}

static const char *as_text(const zl_choice *choice, uint32_t piece)
{
    return choice->text[piece < ZL_COUNT(choice->text) ? piece : 0];
}

/* What the axes of a pattern were found to be, and by which piece first; NULL: not yet. */
typedef struct match {
    uint32_t axis[ZL_AXES_MOST], piece[ZL_AXES_MOST], count;
    const zl_choice *chosen[ZL_AXES_MOST];
} match;

static uint32_t place_of(const match *m, uint32_t axis)
{
    uint32_t i = 0;
    while (i + 1 < m->count && m->axis[i] != axis) i++;
    return i;
}

/* Choose what covers most of the text, among those that spell what was read of the axis before; the
 * length of it, -1 where nothing begins the text. */
static int choose_longest(match *m, uint32_t axis, uint32_t piece, spelling *spell,
                          const char *text, size_t length)
{
    uint32_t at = place_of(m, axis);
    const zl_choice *before = m->chosen[at];
    int best = -1;
    if (!before) m->piece[at] = piece;
    for (uint32_t i = 0; i < choices_of(axis); i++) {
        const zl_choice *choice = &choices[axes[axis].first + i];
        if (before && strcmp(spell(before, m->piece[at]), spell(choice, m->piece[at])) != 0)
            continue;
        int n = spelled(spell(choice, piece), text, length);
        if (n <= best) continue;
        best = n;
        m->chosen[at] = choice;
    }
    return best;
}

/* Whether a pattern, up to an end that it shares with the text, spells the text. */
static bool spells(match *m, const char *pattern, size_t span, spelling *spell, const char *text,
                   size_t length)
{
    const char *end = pattern + span;
    while (pattern < end) {
        if (*pattern != '<') {
            if (!length || *pattern != *text) return false;
            pattern++, text++, length--;
            continue;
        }
        uint32_t piece, name = (uint32_t)strcspn(++pattern, ">");
        uint32_t axis = axis_of(pattern, name, &piece);
        int n = choose_longest(m, axis, piece, spell, text, length);
        if (n < 0) return false;
        pattern += name + 1, text += n, length -= (size_t)n;
    }
    return !length;
}

static uint32_t variant_of(const match *m)
{
    uint32_t variant = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        uint32_t axis = m->axis[i], first = axes[axis].first;
        uint32_t chosen = m->chosen[i] ? (uint32_t)(m->chosen[i] - choices) - first : 0;
        variant = variant * choices_of(axis) + chosen;
    }
    return variant;
}

static uint32_t find(const char *text, size_t length, spelling *spell)
{
    for (size_t row = 0; row < ZL_COUNT(patterns); row++) {
        const zl_pattern *p = &patterns[row];
        const char *written = spell == as_word ? p->id : p->text;
        size_t plain = strcspn(written, "< ;");
        if (plain > length || memcmp(written, text, plain) != 0) continue;
        match m = {.count = 0};
        m.count = axes_of(p, m.axis);
        size_t span = spell == as_word ? strlen(written) : strcspn(written, " ;");
        if (spells(&m, written, span, spell, text, length)) return number_of(row, variant_of(&m));
    }
    return 0;
}

enum { OPCODE_MOST = 160 };

/* Where `part` begins in an opcode, `length` where it does not. */
static size_t where_is(const char *name, size_t length, const char *part)
{
    size_t size = strlen(part);
    for (size_t i = 0; i + size <= length; i++)
        if (!memcmp(name + i, part, size)) return i;
    return length;
}

/* The mode of a tensor copy's opcode is .tile where none is written; it stands before what
 * completes the copy, or behind the .global of a prefetch. */
static uint32_t find_tiled(const char *name, size_t length)
{
    static const char tile[] = ".tile", global[] = ".L2.global";
    char text[OPCODE_MOST + sizeof tile];
    size_t at = where_is(name, length, ".mbarrier::");
    if (length > OPCODE_MOST) return 0;
    if (at == length) at = where_is(name, length, ".bulk_group");
    if (at == length) at = where_is(name, length, global) + strlen(global);
    if (at > length) return 0;
    memcpy(text, name, at);
    memcpy(text + at, tile, strlen(tile));
    memcpy(text + at + strlen(tile), name + at, length - at);
    return find(text, length + strlen(tile), as_text);
}

zlay_status zlay_instruction_find(uint32_t *out, const char *name, size_t length)
{
    if (!out || !name) return ZLAY_EINVAL;
    uint32_t number = find(name, length, as_word);
    if (!number) number = find(name, length, as_text);
    if (!number) number = find_tiled(name, length);
    if (!number) return ZLAY_NONE;
    *out = number;
    return ZLAY_OK;
}
