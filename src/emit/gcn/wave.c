/* SPDX-License-Identifier: Apache-2.0 */
/* Prints an AMD GEMM kernel (zlay_emit_assembly): the frame with its kernel descriptor and the
 * metadata of its arguments, around the setup and the events. */
#include "emit/gcn/wave.h"
#include "emit/emit.h"
#include "isa/frame.h"

#include <string.h>

/* ---- the frame ------------------------------------------------------------------------- */

/* Prints the metadata of the arguments. */
static void put_arguments(zl_wave_text *t)
{
    zl_wave_argument a;
    for (uint32_t i = 0; !zl_wave_argument_nth(&a, t->plan, i); i++) {
        zl_putf(t->out, "      - {.name: %s, .offset: %u, .size: %u, .value_kind: ", a.name, a.at,
                a.bytes);
        if (!a.scalar)
            zl_putf(t->out, "global_buffer, .address_space: global, .actual_access: %s}\n",
                    i == ZLAY_OPERAND_D ? "write_only" : "read_only");
        else zl_puts(t->out, "by_value}\n");
    }
}

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
                 {"arguments", t->launch.argument_bytes}};
    if (length == 4 && !memcmp(word, "name", length)) zl_put(t->out, t->name, t->name_length);
    if (length == 6 && !memcmp(word, "target", length))
        zl_puts(t->out, zlay_target_name(t->plan->info.target));
    if (length == 4 && !memcmp(word, "args", length)) put_arguments(t);
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
    zl_putf(t->out, "; zlay %s: D[%llu,%llu] = A B, K = %llu, ", zlay_version(),
            (unsigned long long)info->m, (unsigned long long)info->n, (unsigned long long)info->k);
    zl_gemm_put_types(t->out, t->plan);
    zl_putf(t->out, "; tile %ux%ux%u, %u stages; grid %llu x %llu blocks of %u threads\n",
            info->tile_m, info->tile_n, info->tile_k, info->stages,
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
                      .ctx = ctx,
                      .name = name,
                      .name_length = length};
    const char *refused = NULL;
    zlay_status missing = ZLAY_OK;
    t.refused = &refused;
    t.status = &missing;
    if (!status) status = target_read(&t);
    zl_wave_bind(&t);
    zl_wave_phrases_read(&t);
    if (!status) status = zlay_plan_launch(&t.launch, plan);
    if (!status) status = zl_print(out, wave_write, &t);
    if (missing) status = missing;
    if (refused)
        status = zl_fail(ctx, ZLAY_EINTERNAL, "%s breaks a rule; please report this plan", refused);
    return zl_leave(ctx, status);
}
