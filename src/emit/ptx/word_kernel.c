/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a word as a whole kernel of one block or cluster (zlay_emit_word): each thread loads its
 * registers, runs the word's steps, and stores them. Registers are counted by printing the body
 * once to nowhere. The kernel needs the warp, block and cluster sizes of PTX, which kernel_check
 * compares. */
#include "emit/emit.h"
#include "emit/ptx/word.h"

#include <zlay/emit.h>
#include <zlay/instruction.h>

#include <string.h>

enum { LANE_BITS = 5, OLDEST = 70, SHARED_BITS = 13, CHIP = 80 };
enum { CLUSTER_BITS = 3, CLUSTERS = 78, CLUSTER_CHIP = 90 };

typedef struct kernel {
    const zl_word *word;
    const char *name;
    size_t length;
    uint32_t ptx;
} kernel;

/* Prints loads, steps and stores. */
static void say_body(zl_speaker *s)
{
    uint32_t regs = 1u << s->regs;
    for (uint32_t r = 0; r < regs; r++) {
        s->held[r] = zl_say_value(s);
        zl_say_line(s, "ld.global.b32 %%z%u, [%%from + %u];", s->held[r], r * ZL_WORD_BYTES);
    }
    for (uint32_t i = 0; i < s->word->count; i++) zl_say_step(s, &s->word->step[i]);
    for (uint32_t r = 0; r < regs; r++)
        zl_say_line(s, "st.global.b32 [%%to + %u], %%z%u;", r * ZL_WORD_BYTES, s->held[r]);
}

static zl_speaker speaker(zl_text *out, const zl_word *word)
{
    const zl_slots *slots = &word->slots;
    return (zl_speaker){.out = out, .word = word, .bytes = slots->byte, .regs = slots->reg,
                        .inner = slots->byte + slots->reg};
}

/* Whether the word has a round trip through shared memory. */
static bool goes_through(const zl_word *word)
{
    return word->count > 1 && word->step[1].id == ZL_STEP_SYNC;
}

/* Bits that number the 32-bit words of a block. */
static unsigned block_words(const zl_word *word)
{
    return zl_slots_bits(&word->slots) - word->slots.byte - word->slots.block;
}

static void say_entry(zl_text *out, const kernel *k)
{
    const zl_slots *slots = &k->word->slots;
    zl_putf(out, ".version %u.%u\n.target sm_%u\n.address_size 64\n\n.visible .entry ", k->ptx / 10,
            k->ptx % 10, slots->block ? CLUSTER_CHIP : CHIP);
    zl_put(out, k->name, k->length);
    zl_puts(out, "(.param .u64 from_words, .param .u64 to_words)\n");
    if (slots->block)
        zl_putf(out, "    .reqntid %u, 1, 1\n    .reqnctapercluster %u, 1, 1\n",
                1u << (slots->lane + slots->warp), 1u << slots->block);
    zl_puts(out, "{\n");
}

/* %lin counts the threads of a cluster. */
static void say_thread(zl_speaker *s)
{
    const zl_slots *slots = &s->word->slots;
    zl_say_line(s, "mov.u32 %%lin, %%tid.x;");
    if (!slots->block) return;
    zl_say_line(s, "mov.u32 %%rank, %%cluster_ctarank;");
    zl_say_line(s, "mad.lo.u32 %%lin, %%rank, %u, %%lin;", 1u << (slots->lane + slots->warp));
}

/* Prints the addresses of the thread's registers in both arrays. */
static void say_parameters(zl_speaker *s)
{
    zl_say_line(s, "mul.wide.u32 %%at, %%lin, %u;", ZL_WORD_BYTES << s->regs);
    for (int side = 0; side < 2; side++) {
        const char *name = side ? "to" : "from";
        zl_say_line(s, "ld.param.u64 %%%s, [%s_words];", name, name);
        zl_say_line(s, "cvta.to.global.u64 %%%s, %%%s;", name, name);
        zl_say_line(s, "add.u64 %%%s, %%%s, %%at;", name, name);
    }
}

/* Prints the kernel. A block's shared memory is there for others only once it runs, so all
 * blocks meet before any stores. */
static void say_kernel(zl_text *out, const void *argument)
{
    const kernel *k = argument;
    zl_text nowhere = {NULL, 0, 0};
    zl_speaker s = speaker(&nowhere, k->word);
    say_body(&s);
    uint32_t values = s.values, predicates = s.predicates;
    s = speaker(out, k->word);
    say_entry(out, k);
    zl_say_line(&s, ".reg .b32 %%z<%u>, %%lin, %%shared, %%rank;", values + 1);
    zl_say_line(&s, ".reg .pred %%q<%u>;", predicates + 1);
    zl_say_line(&s, ".reg .b64 %%from, %%to, %%at;");
    say_thread(&s);
    if (goes_through(k->word)) {
        zl_say_line(&s, ".shared .align 4 .b8 words[%u];", 1u << (block_words(k->word) + 2));
        zl_say_line(&s, "mov.u32 %%shared, words;");
    }
    say_parameters(&s);
    if (zl_leaves_block(k->word)) zl_say_meeting(&s);
    say_body(&s);
    zl_say_line(&s, "ret;");
    zl_puts(out, "}\n");
}

static zlay_status kernel_check(zlay_ctx *ctx, const zl_word *word)
{
    if (word->slots.lane != LANE_BITS || word->slots.warp > LANE_BITS ||
        word->slots.block > CLUSTER_BITS)
        return zl_fail(ctx, ZLAY_ENOTSUP,
                       "slots: PTX has 2^5 lanes, 2^5 warps of a block and 2^3 blocks of any "
                       "cluster at most");
    for (uint32_t i = 0; i < word->count; i++)
        if (word->step[i].id == ZL_STEP_LOAD && !i)
            return zl_fail(ctx, ZLAY_ENOTSUP, "word: it begins in shared memory");
    if (block_words(word) > SHARED_BITS && goes_through(word))
        return zl_fail(ctx, ZLAY_ENOTSUP, "word: it takes more than 48 KiB of shared memory");
    return ZLAY_OK;
}

static uint32_t oldest(const zl_word *word)
{
    uint32_t ptx = word->slots.block ? CLUSTERS : OLDEST, number;
    zlay_form form;
    for (uint32_t i = 0; i < word->count; i++) {
        const char *name = zl_step_row_of(word->step[i].id)->instruction;
        if (zlay_instruction_find(&number, name, strlen(name))) continue;
        zlay_instruction_info(&form, number);
        if (form.ptx > ptx) ptx = form.ptx;
    }
    return ptx;
}

zlay_status zlay_emit_word(zlay_ctx *ctx, zlay_buf *out, const zlay_word *word, const char *name,
                           size_t length)
{
    if (!ctx || !out || !word || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_name_check(ctx, name, length);
    if (!status) status = kernel_check(ctx, &word->word);
    kernel k = {&word->word, name, length, 0};
    if (!status) {
        k.ptx = oldest(k.word);
        status = zl_print(out, say_kernel, &k);
    }
    return zl_leave(ctx, status);
}
