/* SPDX-License-Identifier: Apache-2.0 */
/* Prints an AMD GEMM kernel (zlay_emit_assembly): the frame with its kernel descriptor around the
 * setup and the events, and s_nop where two instructions need wait states between them. How many
 * wait states follow from the target's hazard rows (zlay/hazard.h) and from how many instructions
 * already stand between the two. */
#include "emit/gcn/wave.h"
#include "emit/emit.h"
#include "isa/frame.h"

#include <string.h>
#include <zlay/hazard.h>

enum { ARGUMENT_BYTES = 24 };

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

/* ---- wait states ----------------------------------------------------------------------- */

/* Prints the wait states between two instructions; each instruction in between counts as one. */
void zl_wave_hold(zl_wave_text *t, uint32_t first, uint32_t then, uint32_t at)
{
    uint32_t states = 0, between = t->printed - at;
    bool product = first == ZLAY_FIRST_MATRIX;
    zlay_hazard hazard = {first, then, product ? t->product_form.passes : 0, 0};
    if (zlay_hazard_states(&states, t->plan->info.target, &hazard) || states <= between) return;
    uint32_t left = states - between;
    for (uint32_t most = 16, now; left; left -= now) {
        now = left < most ? left : most;
        zl_wave_form(t, ZL_WAVE_NOP, (const uint32_t[]){now - 1});
        t->printed += now - 1;
    }
}

/* ---- the frame ------------------------------------------------------------------------- */

/* Prints the value of a word of a frame text, as {smem} or {registers}. */
static void put_word(zl_wave_text *t, const char *word, size_t length)
{
    const zlay_wave_gemm *w = t->w;
    const struct {
        const char *word;
        uint32_t value;
    } words[] = {{"smem", t->plan->info.smem},
                 {"threads", t->plan->info.threads},
                 {"lanes", w->lanes},
                 {"registers", w->registers},
                 {"accumulators", w->accumulators},
                 {"both", w->registers + w->accumulators},
                 {"scalars", w->scalars},
                 {"arguments", ARGUMENT_BYTES}};
    if (length == 4 && !memcmp(word, "name", length)) zl_put(t->out, t->name, t->name_length);
    if (length == 6 && !memcmp(word, "target", length))
        zl_puts(t->out, zlay_target_name(t->plan->info.target));
    for (size_t i = 0; i < ZL_COUNT(words); i++)
        if (strlen(words[i].word) == length && !memcmp(word, words[i].word, length))
            zl_putf(t->out, "%u", words[i].value);
}

/* Prints a frame text; braces around anything but a known word are the text's own. */
static void put_frame(zl_wave_text *t, const char *text)
{
    while (*text) {
        size_t plain = strcspn(text, "{");
        zl_put(t->out, text, plain);
        text += plain;
        if (!*text) return;
        size_t length = strspn(text + 1, "abcdefghijklmnopqrstuvwxyz");
        bool word = length && text[1 + length] == '}';
        if (word)
            put_word(t, text + 1, length);
        else
            zl_put(t->out, text, 1);
        text += word ? length + 2 : 1;
    }
}

/* Prints a comment that says what the kernel computes and how it is launched. */
static void describe(zl_wave_text *t)
{
    const zlay_plan_summary *info = &t->plan->info;
    zl_putf(t->out,
            "; zlay %s: D[%llu,%llu] = A B, K = %llu, bf16; tile %ux%ux%u, %u stages; grid %llu x "
            "%llu blocks of %u threads\n",
            zlay_version(), (unsigned long long)info->m, (unsigned long long)info->n,
            (unsigned long long)info->k, info->tile_m, info->tile_n, info->tile_k, info->stages,
            (unsigned long long)info->tiles_n, (unsigned long long)info->tiles_m, info->threads);
}

static void wave_write(zl_text *out, const void *value)
{
    zl_wave_text t = *(const zl_wave_text *)value;
    zl_text_frame frame = zl_target_frame(t.plan->info.target);
    t.out = out;
    describe(&t);
    put_frame(&t, frame.head);
    zl_wave_setup(&t);
    zl_wave_events(&t);
    put_frame(&t, frame.tail);
}

/* Reads the target's resource words: byte buffers without stride, of 32-bit data, which
 * untyped loads ignore. */
static zlay_status target_read(zl_wave_text *t)
{
    const zlay_target *target = t->plan->info.target;
    zlay_buffer bytes = {.data_format = 4};
    zlay_buffer_words words = {{0}};
    zlay_status status = zlay_mma_info(&t->product_form, target, &t->plan->info.mma);
    if (!status) status = zlay_waitcnt_most(&t->most, target);
    if (!status) status = zlay_buffer_pack(&words, target, &bytes);
    t->raw = words.word[3];
    return status;
}

zlay_status zlay_emit_assembly(zlay_ctx *ctx, zlay_buf *out, const zlay_plan *plan,
                               const char *name, size_t length)
{
    if (!out || !plan || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_name_check(ctx, name, length);
    if (!status && !zl_by_waves(plan))
        status = zl_fail(ctx, ZLAY_ENOTSUP, "%s has PTX: zlay_emit_ptx prints it",
                         zlay_target_name(plan->info.target));
    zl_wave_text t = {.plan = plan,
                      .w = &plan->wave.shape,
                      .r = &plan->wave.registers,
                      .name = name,
                      .name_length = length};
    const char *refused = NULL;
    t.refused = &refused;
    if (!status) status = target_read(&t);
    zl_wave_bind(&t);
    zl_wave_phrases_read(&t);
    if (!status) status = zl_print(out, wave_write, &t);
    if (refused)
        status = zl_fail(ctx, ZLAY_EINTERNAL, "%s breaks a rule; please report this plan", refused);
    return zl_leave(ctx, status);
}
