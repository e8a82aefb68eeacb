/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what stands around the instructions of an AMD kernel, whatever it computes: the frame of its
 * target (isa/frame.h) with the kernel's own numbers in the place of words, and the metadata of its
 * arguments; and reads from the target what every kernel needs of it. */
#include "emit/gcn/wave.h"
#include "emit/emit.h"
#include "isa/frame.h"

#include <stdio.h>
#include <string.h>

void zl_wave_argument_put(zl_wave_text *t, const zl_wave_argument *a)
{
    zl_putf(t->out, "      - {.name: %s, .offset: %u, .size: %u, .value_kind: ", a->name, a->at,
            a->bytes);
    if (a->scalar) zl_puts(t->out, "by_value}\n");
    else
        zl_putf(t->out, "global_buffer, .address_space: global, .actual_access: %s}\n",
                a->written ? "write_only" : "read_only");
}

/* Prints the value of a word of a frame text, as {smem} or {registers}. */
static void put_word(zl_wave_text *t, const char *word, size_t length, zl_wave_arguments *put_arguments)
{
    const zl_wave_kernel *k = &t->kernel;
    const struct {
        const char *word;
        uint32_t value;
    } words[] = {{"smem", k->smem},
                 {"threads", k->threads},
                 {"lanes", k->lanes},
                 {"registers", k->registers},
                 {"accumulators", k->accumulators},
                 {"both", k->registers + k->accumulators},
                 {"scalars", k->scalars},
                 {"third", k->third},
                 {"arguments", k->argument_bytes}};
    if (length == 4 && !memcmp(word, "name", length)) zl_put(t->out, k->name, k->name_length);
    if (length == 6 && !memcmp(word, "target", length))
        zl_puts(t->out, zlay_target_name(t->target));
    if (length == 4 && !memcmp(word, "args", length)) put_arguments(t);
    for (size_t i = 0; i < ZL_COUNT(words); i++)
        if (strlen(words[i].word) == length && !memcmp(word, words[i].word, length))
            zl_putf(t->out, "%u", words[i].value);
}

/* Braces around anything but a known word are the text's own. */
void zl_wave_frame_put(zl_wave_text *t, const char *text, zl_wave_arguments *arguments)
{
    while (*text) {
        size_t plain = strcspn(text, "{");
        zl_put(t->out, text, plain);
        text += plain;
        if (!*text) return;
        size_t length = strspn(text + 1, "abcdefghijklmnopqrstuvwxyz");
        bool word = length && text[1 + length] == '}';
        if (word) put_word(t, text + 1, length, arguments);
        else zl_put(t->out, text, 1);
        text += word ? length + 2 : 1;
    }
}

/* Resources are byte buffers without stride. */
zlay_status zl_wave_target_read(zl_wave_text *t, const zlay_target *target, const zlay_mma *mma)
{
    zlay_buffer bytes;
    zlay_buffer_words words = {{0}};
    t->target = target;
    zlay_status status = zlay_mma_info(&t->product_form, target, mma);
    if (!status) status = zlay_waitcnt_most(&t->most, target);
    if (!status) status = zlay_buffer_raw(&bytes, target);
    if (!status) status = zlay_buffer_pack(&words, target, &bytes);
    t->raw = words.word[3];
    return status;
}

zlay_status zl_wave_begin(zl_wave_text *t, const zlay_target *target, const zlay_mma *mma, const char *name, size_t length,
                          int32_t language)
{
    zlay_status status = zl_name_check(t->ctx, name, length);
    if (!status && language != ZLAY_TEXT_PTX)
        status = zl_fail(t->ctx, ZLAY_ENOTSUP, "language: %s has assembly alone", zlay_target_name(target));
    if (!status) status = zl_wave_target_read(t, target, mma);
    if (!status) zl_wave_phrases_read(t);
    return status;
}

zlay_status zl_wave_print(zlay_buf *out, zl_wave_text *t, void (*print)(zl_text *out, const void *value))
{
    const char *refused = NULL;
    zlay_status missing = ZLAY_OK;
    t->refused = &refused;
    t->status = &missing;
    zlay_status status = zl_print(out, print, t);
    if (missing) status = missing;
    return refused ? zl_fail(t->ctx, ZLAY_EINTERNAL, "%s breaks a rule; please report this plan", refused) : status;
}

void zl_wave_argument_give(zlay_pipe_argument *out, const zl_wave_argument *a)
{
    *out = (zlay_pipe_argument){.kind = a->scalar ? ZLAY_ARGUMENT_SCALAR : ZLAY_ARGUMENT_POINTER, .bytes = a->bytes, .type = a->type};
    snprintf(out->name, sizeof out->name, "%s", a->name);
}
