/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves out lines whose result no other line reads, such as the load of a register whose value
 * another one holds too: a compiler would warn of them. A text is said to nowhere while its lines are
 * recorded; walked backwards, a line lives if it does more than to make a value, or makes one that a
 * living line reads. Every register is made once. */
#include "emit/ptx/word.h"

void zl_word_record(zl_word_lines *lines, uint32_t made, bool pure)
{
    if (lines->count < lines->room) {
        zl_word_made *m = &lines->at[lines->count];
        *m = (zl_word_made){.made = made, .pure = pure, .first = lines->reads};
    }
    lines->count++;
}

void zl_word_record_read(zl_word_lines *lines, uint32_t reg)
{
    if (lines->reads < lines->read_room) lines->read[lines->reads] = reg;
    lines->reads++;
}

/* Room for what was counted. */
static zlay_status make_room(zlay_ctx *ctx, zl_word_lines *lines)
{
    uint32_t count = lines->count, reads = lines->reads;
    *lines = (zl_word_lines){.room = count, .read_room = reads};
    lines->at = zl_scratch(ctx, count + 1, sizeof *lines->at);
    lines->read = zl_scratch(ctx, reads + 1, sizeof *lines->read);
    return lines->at && lines->read ? ZLAY_OK : ZLAY_ENOMEM;
}

static uint32_t register_end(const zl_word_lines *lines)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < lines->count; i++)
        if (lines->at[i].made != ZL_NO_REGISTER && lines->at[i].made >= end)
            end = lines->at[i].made + 1;
    for (uint32_t i = 0; i < lines->reads; i++)
        if (lines->read[i] >= end) end = lines->read[i] + 1;
    return end;
}

static zlay_status find_living(zlay_ctx *ctx, zl_word_lines *lines)
{
    bool *read = zl_scratch(ctx, register_end(lines) + 1, sizeof *read);
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
