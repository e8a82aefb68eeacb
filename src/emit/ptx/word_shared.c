/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a step of a word through shared memory: every register that the step moves is stored to
 * its destination's word, and loaded from there after a barrier. Register r of thread t is word r T
 * + t of a block of T threads, so a warp's accesses to one register are contiguous where the map
 * keeps lanes together. What goes to another block of the cluster is stored at its mapped address
 * (mapa). */
#include "emit/ptx/rank.h"
#include "emit/ptx/word.h"

#define PENDING UINT32_MAX

bool zl_leaves_block(const zl_word *word)
{
    return word->count && word->step[0].id == ZL_STEP_DSMEM;
}

void zl_say_meeting(zl_speaker *s)
{
    zl_word_say(s, ZL_SAY_ARRIVE, "");
    zl_word_say(s, ZL_SAY_WAIT, "");
}

/* The threads of a block. */
static uint32_t threads_of(const zl_speaker *s)
{
    return 1u << (s->back.bits - s->inner - s->word->slots.block);
}

static bool is_remote(const zl_speaker *s) { return s->step->id == ZL_STEP_DSMEM; }

/* The byte address of a slot, as XORs of its bits; with the rank of its block where that may
 * be another. */
static uint32_t address(const zl_speaker *s, uint64_t slot)
{
    uint64_t byte = slot & ((1u << s->bytes) - 1), reg = slot >> s->bytes & ((1u << s->regs) - 1);
    uint64_t thread = slot >> s->inner, threads = threads_of(s);
    uint64_t word = reg * threads + (thread & (threads - 1)), rank = thread / threads;
    uint64_t at = word * ZL_WORD_BYTES + byte * (ZL_WORD_BYTES >> s->bytes);
    return (uint32_t)(at | (is_remote(s) ? rank << ZL_RANK : 0));
}

uint32_t zl_say_peer(zl_speaker *s, const char *packed)
{
    uint32_t rank = zl_say_value(s), at = zl_say_value(s), own = zl_say_value(s), there = zl_say_value(s);
    zl_word_say(s, ZL_SAY_RANK, "zsu", rank, packed, ZL_RANK);
    zl_word_say(s, ZL_SAY_BELOW, "zsu", at, packed, ZL_RANK);
    zl_word_say(s, ZL_SAY_PLACE, "zz", own, at);
    zl_word_say(s, ZL_SAY_PEER, "zzz", there, own, rank);
    return there;
}

/* The address in the block's own shared memory. */
static uint32_t local(zl_speaker *s, const char *at)
{
    uint32_t to = zl_say_value(s);
    zl_word_say(s, ZL_SAY_PLACE, "zs", to, at);
    return to;
}

/* Whether a register keeps its thread and its bytes, so that it moves by a renaming alone; `source`
 * is the one that it comes from. */
static bool untouched(const zl_speaker *s, uint32_t reg, uint32_t *source)
{
    uint64_t first = zl_map_at(&s->back, zl_slot_of(s, 0, reg));
    for (unsigned k = 0; k < s->back.bits; k++) {
        bool is_reg = k >= s->bytes && k < s->inner;
        if (!is_reg && s->back.basis[k] != (uint64_t)1 << k) return false;
    }
    *source = (uint32_t)(first >> s->bytes) & ((1u << s->regs) - 1);
    return first == zl_slot_of(s, 0, *source);
}

/* Stores one register, or one byte group of it, at the address of its destination. */
static void store_part(zl_speaker *s, uint32_t reg, uint32_t byte, uint32_t parts)
{
    static const zl_word_line stores[] = {ZL_SAY_STORE32, ZL_SAY_STORE16, ZL_SAY_STORE8};
    uint32_t from = s->held[reg], bits = 32u >> s->bytes;
    char operand[16];
    zl_say_seeded(s, operand, address(s, zl_map_at(&s->step->map, zl_slot_of(s, byte, reg))));
    uint32_t at = is_remote(s) ? zl_say_peer(s, operand) : local(s, operand);
    if (byte) {
        uint32_t part = zl_say_value(s);
        zl_word_say(s, ZL_SAY_PART, "zzu", part, from, byte * bits);
        from = part;
    }
    zl_word_say(s, stores[parts > 1 ? s->bytes : 0], "zzs", at, from,
                is_remote(s) ? "::cluster" : "");
}

void zl_say_store(zl_speaker *s)
{
    uint32_t mask[ZL_SLOT_BITS] = {0}, regs = 1u << s->regs, source;
    uint32_t parts = zl_map_parts(&s->word->slots, &s->step->map);
    bool stays[ZL_REGISTERS] = {false};
    for (unsigned k = s->inner; k < s->back.bits; k++)
        mask[k - s->inner] = address(s, s->step->map.basis[k]);
    zl_say_mix(s, mask, s->back.bits - s->inner);
    for (uint32_t r = 0; r < regs; r++) {
        s->next[r] = PENDING;
        if (!untouched(s, r, &source)) continue;
        s->next[r] = s->held[source];
        stays[source] = true;
    }
    for (uint32_t r = 0; r < regs; r++)
        for (uint32_t byte = 0; byte < parts && !stays[r]; byte++) store_part(s, r, byte, parts);
}

void zl_say_load(zl_speaker *s)
{
    uint32_t at = zl_say_value(s), own = zl_say_value(s), four = zl_say_value(s);
    uint32_t bits = s->back.bits - s->inner - s->word->slots.block;
    zl_word_say(s, ZL_SAY_BITS, "zx", own, (1u << bits) - 1);
    zl_word_say(s, ZL_SAY_LEFT, "zzu", four, own, 2);
    zl_word_say(s, ZL_SAY_PLACE, "zz", at, four);
    for (uint32_t r = 0; r < 1u << s->regs; r++) {
        s->next[r] = s->held[r];
        if (s->held[r] != PENDING) continue;
        s->next[r] = zl_say_value(s);
        zl_word_say(s, ZL_SAY_LOAD, "zzu", s->next[r], at, r * threads_of(s) * ZL_WORD_BYTES);
    }
}
