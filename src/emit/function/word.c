/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_emit_word_function: a word of permutes, selects and shuffles on the caller's registers. The
 * steps are those of the word's kernel, said in the language of the request. */
#include "emit/function/word.h"

#include "emit/function/aligned.h"
#include "emit/function/function.h"

#include <zlay/emit_function.h>

enum { PTX_LANES = 5, HIP_LANES = 6, BLOCK_THREADS = 10, SHARED_WORDS = 13, REGISTER_BITS = 6 };

static bool goes_through(const zl_word *word)
{
    return word->count > 1 && word->step[1].id == ZL_STEP_SYNC;
}

uint32_t zl_word_shared(const zl_word *word)
{
    unsigned words = zl_slots_bits(&word->slots) - word->slots.byte;
    return goes_through(word) ? (uint32_t)ZL_WORD_BYTES << words : 0;
}

zlay_status zl_word_function_check(zlay_ctx *ctx, const zl_word *word, int32_t language)
{
    const zl_slots *s = &word->slots;
    uint32_t lanes = language == ZLAY_TEXT_HIP ? HIP_LANES : PTX_LANES;
    if (s->lane != lanes)
        return zl_fail(ctx, ZLAY_ENOTSUP, "slots: a warp of this language has 2^%u lanes, not 2^%u",
                       (unsigned)lanes, (unsigned)s->lane);
    if (s->block)
        return zl_fail(ctx, ZLAY_ENOTSUP, "slots: a function stays in its block");
    if (s->lane + s->warp > BLOCK_THREADS || s->reg > REGISTER_BITS)
        return zl_fail(ctx, ZLAY_ENOTSUP, "slots: a block has 2^%d threads, a function takes 2^%d "
                       "registers at most", BLOCK_THREADS, REGISTER_BITS);
    if (goes_through(word) && zl_slots_bits(s) - s->byte > SHARED_WORDS)
        return zl_fail(ctx, ZLAY_ENOTSUP, "word: it takes more than 32 KiB of shared memory");
    if (word->count && word->step[0].id == ZL_STEP_LOAD)
        return zl_fail(ctx, ZLAY_ENOTSUP, "word: it begins in shared memory");
    if (!zl_word_has_text(word, language))
        return zl_fail(ctx, ZLAY_ENOTSUP, "word: HIP has no movmatrix");
    return ZLAY_OK;
}

/* ---- text ----------------------------------------------------------------------------------- */

static void say_body(zl_speaker *s)
{
    uint32_t regs = 1u << s->regs;
    for (uint32_t r = 0; r < regs; r++) {
        s->held[r] = zl_say_value(s);
        zl_word_say(s, ZL_SAY_TAKE, "zuus", s->held[r], r * ZL_WORD_BYTES, r, "r");
    }
    for (uint32_t i = 0; i < s->word->count; i++) zl_say_step(s, &s->word->step[i]);
    for (uint32_t r = 0; r < regs; r++)
        zl_word_say(s, ZL_SAY_GIVE, "zuus", s->held[r], r * ZL_WORD_BYTES, r, "r");
}

static zl_speaker speaker(zl_text *out, const zl_word_text *t)
{
    const zl_slots *slots = &t->word->slots;
    return (zl_speaker){.out = out, .lines = t->lines, .language = t->language, .word = t->word,
                        .bytes = slots->byte, .regs = slots->reg,
                        .inner = slots->byte + slots->reg};
}

static void head_c(zl_text *out, const zl_word_text *t)
{
    bool shared = zl_word_shared(t->word);
    zl_puts(out, "static __device__ __forceinline__ __attribute__((unused)) void ");
    zl_put(out, t->name, t->length);
    zl_putf(out, "(unsigned (&r)[%u], unsigned thread%s)\n{\n", 1u << t->word->slots.reg,
            shared ? ", void *shared" : "");
    zl_puts(out, "    (void)thread;\n");
}

/* Registers are counted by printing the body to nowhere. */
static void head_ptx(zl_text *out, const zl_word_text *t)
{
    zl_text nowhere = {NULL, 0, 0};
    zl_speaker s = speaker(&nowhere, t);
    unsigned bytes = (unsigned)ZL_WORD_BYTES << t->word->slots.reg;
    bool shared = zl_word_shared(t->word);
    say_body(&s);
    zl_putf(out, ".func (.param .align 16 .b8 result[%u]) ", bytes);
    zl_put(out, t->name, t->length);
    zl_putf(out, "(.param .align 16 .b8 source[%u], .param .b32 thread%s)\n{\n", bytes,
            shared ? ", .param .b32 shared" : "");
    zl_putf(out, "    .reg .b32 %%z<%u>, %%lin, %%shared;\n    .reg .pred %%q<%u>;\n",
            (unsigned)s.values + 1, (unsigned)s.predicates + 1);
    zl_puts(out, "    ld.param.b32 %lin, [thread];\n");
    if (shared) zl_puts(out, "    ld.param.b32 %shared, [shared];\n");
}

void zl_word_function_put(zl_text *out, const zl_word_text *t)
{
    bool ptx = t->language == ZLAY_TEXT_PTX;
    (ptx ? head_ptx : head_c)(out, t);
    zl_speaker s = speaker(out, t);
    say_body(&s);
    zl_puts(out, ptx ? "    ret;\n}\n" : "}\n");
}

static void comment(zl_text *out, const zl_word_text *t)
{
    const zl_slots *slots = &t->word->slots;
    zl_putf(out, "/* zlay %s: a word of %u shuffles and %u instructions in all. 2^%u threads, 2^%u "
            "registers of 2^%u parts.\n   The value in slot s goes to slot", zlay_version(),
            (unsigned)t->word->shuffles, (unsigned)t->word->instructions,
            (unsigned)(slots->lane + slots->warp), (unsigned)slots->reg, (unsigned)slots->byte);
    zl_affine all;
    zl_map_same(&all, zl_slots_bits(slots));
    for (uint32_t i = 0; i < t->word->count; i++)
        zl_map_product(&all, &t->word->step[i].map, &all);
    for (unsigned k = 0; k < all.bits; k++)
        zl_putf(out, "%s %llu s%u", k ? " ^" : "", (unsigned long long)all.basis[k], k);
    if (all.constant) zl_putf(out, " ^ %llu", (unsigned long long)all.constant);
    zl_puts(out, ",\n   where s0, s1, .. are the bits of s: parts, registers, threads, the lowest first.");
    if (zl_word_shared(t->word))
        zl_putf(out, "\n   %u bytes of shared memory, a multiple of 4; all threads of the block call "
                "it.", (unsigned)zl_word_shared(t->word));
    zl_puts(out, " */\n");
}

static void word_write(zl_text *out, const void *value)
{
    const zl_word_text *t = value;
    const zl_aligned_pointer shared = {"shared", true, ZL_WORD_BYTES};
    comment(out, t);
    zl_word_function_put(out, t);
    zl_aligned_put(out, t->language, t->name, t->length, &shared, zl_word_shared(t->word) > 0);
}

/* What stands between head and end. */
static void body_write(zl_text *out, const void *value)
{
    const zl_word_text *t = value;
    zl_speaker s = speaker(out, t);
    say_body(&s);
}

zlay_status zlay_emit_word_function(zlay_ctx *ctx, zlay_buf *out, const zlay_word *word,
                                    int32_t language, const char *name, size_t length)
{
    if (!out || !word || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_function_check(ctx, language, name, length);
    if (!status) status = zl_word_function_check(ctx, &word->word, language);
    zl_word_lines lines = {0};
    const zl_word_text text = {&word->word, language, name, length, &lines};
    if (!status) status = zl_word_lines_find(ctx, &lines, body_write, &text);
    return zl_leave(ctx, status ? status : zl_print(out, word_write, &text));
}
