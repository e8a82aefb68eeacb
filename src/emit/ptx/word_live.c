/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves out lines that are not needed. A line whose result no other line reads, such as the load of a
 * register whose value another one holds too: a compiler would warn of it. And a line equal to one
 * before it (value numbering), whose register stands for this one's from then on. A text is said to
 * nowhere while its lines are recorded; walked backwards, a line lives if it does more than to make a
 * value, or makes one that a living line reads. Every register is made once. */
#include "emit/ptx/word.h"

#include <string.h>

/* FNV-1a. */
static uint32_t hash(const char *text)
{
    uint32_t h = 2166136261u;
    for (; *text; text++) h = (h ^ (uint8_t)*text) * 16777619u;
    return h;
}

/* A register is that of an equal line, if there was one. Constants of a block of C may be those of
 * lines before it, and none behind it. */
static void share(zl_word_lines *lines, uint32_t made, const char *key)
{
    uint32_t place = hash(key) & (lines->keys - 1);
    if (made >= lines->registers || strlen(key) >= ZL_LINE_KEY) return;
    while (lines->key[place].text[0] && strcmp(lines->key[place].text, key))
        place = (place + 1) & (lines->keys - 1);
    zl_word_key *k = &lines->key[place];
    if (k->text[0]) lines->same[made] = k->made;
    else if (!lines->inner) strcpy(k->text, key), k->made = made;
}

void zl_word_record(zl_word_lines *lines, uint32_t made, bool pure, const char *key)
{
    if (lines->count < lines->room) {
        zl_word_made *m = &lines->at[lines->count];
        *m = (zl_word_made){.made = made, .pure = pure, .first = lines->reads};
        if (key) share(lines, made, key);
    }
    lines->count++;
    if (made != ZL_NO_REGISTER && made >= lines->registers) lines->registers = made + 1;
}

void zl_word_record_read(zl_word_lines *lines, uint32_t reg)
{
    if (lines->reads < lines->read_room) lines->read[lines->reads] = reg;
    lines->reads++;
    if (reg >= lines->registers) lines->registers = reg + 1;
}

/* Room for what was counted. */
static zlay_status make_room(zlay_ctx *ctx, zl_word_lines *lines)
{
    uint32_t count = lines->count, reads = lines->reads, registers = lines->registers;
    *lines = (zl_word_lines){.room = count, .read_room = reads, .registers = registers, .keys = 2};
    while (lines->keys <= count) lines->keys *= 2;
    lines->keys *= 2;
    lines->at = zl_scratch(ctx, count + 1, sizeof *lines->at);
    lines->read = zl_scratch(ctx, reads + 1, sizeof *lines->read);
    lines->same = zl_scratch(ctx, registers + 1, sizeof *lines->same);
    lines->key = zl_scratch(ctx, lines->keys, sizeof *lines->key);
    if (!lines->at || !lines->read || !lines->same || !lines->key) return ZLAY_ENOMEM;
    for (uint32_t i = 0; i < registers; i++) lines->same[i] = i;
    return ZLAY_OK;
}

static zlay_status find_living(zlay_ctx *ctx, zl_word_lines *lines)
{
    bool *read = zl_scratch(ctx, lines->registers + 1, sizeof *read);
    uint32_t end = lines->reads;
    if (!read) return ZLAY_ENOMEM;
    for (uint32_t i = lines->count; i-- > 0; end = lines->at[i].first) {
        zl_word_made *m = &lines->at[i];
        m->live = !m->pure || read[m->made];
        for (uint32_t k = m->first; m->live && k < end; k++) read[lines->read[k]] = true;
    }
    lines->known = true;
    return ZLAY_OK;
}

zlay_status zl_word_lines_find(zlay_ctx *ctx, zl_word_lines *lines, zl_writer *write,
                               const void *value)
{
    zl_text nowhere = {NULL, 0, 0};
    write(&nowhere, value);
    zlay_status status = make_room(ctx, lines);
    if (status) return status;
    nowhere = (zl_text){NULL, 0, 0};
    write(&nowhere, value);
    return find_living(ctx, lines);
}
