/* SPDX-License-Identifier: Apache-2.0 */
/* A word through shared memory: register r of thread t is word r T + t of T threads, so that a
 * warp's accesses to one register are side by side where the map keeps lanes together. */
#include "emit/word.h"

enum { PENDING = UINT32_MAX };

static uint32_t threads_of(const zl_speaker *s) { return 1u << (s->back.bits - s->inner); }

/* Byte address of a slot, an embedding of its bits. */
static uint32_t address(const zl_speaker *s, uint64_t slot)
{
    uint64_t byte = slot & ((1u << s->bytes) - 1), reg = slot >> s->bytes & ((1u << s->regs) - 1);
    uint64_t word = reg * threads_of(s) + (slot >> s->inner);
    return (uint32_t)(word * ZL_WORD_BYTES + byte * (ZL_WORD_BYTES >> s->bytes));
}

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

static void store_part(zl_speaker *s, uint32_t reg, uint32_t byte, uint32_t parts)
{
    static const char *const types[] = {"b32", "b16", "b8"};
    uint32_t from = s->held[reg], bits = 32u >> s->bytes, at = zl_say_value(s);
    char operand[16];
    zl_say_seeded(s, operand, address(s, zl_map_at(&s->step->map, zl_slot_of(s, byte, reg))));
    zl_word_say(s, "add.u32 %%z%u, %%shared, %s;", at, operand);
    if (byte) {
        uint32_t part = zl_say_value(s);
        zl_word_say(s, "shr.u32 %%z%u, %%z%u, %u;", part, from, byte * bits);
        from = part;
    }
    zl_word_say(s, "st.shared.%s [%%z%u], %%z%u;", types[parts > 1 ? s->bytes : 0], at, from);
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
    uint32_t at = zl_say_value(s), own = zl_say_value(s);
    zl_word_say(s, "shl.b32 %%z%u, %%lin, 2;", own);
    zl_word_say(s, "add.u32 %%z%u, %%shared, %%z%u;", at, own);
    for (uint32_t r = 0; r < 1u << s->regs; r++) {
        s->next[r] = s->held[r];
        if (s->held[r] != PENDING) continue;
        s->next[r] = zl_say_value(s);
        zl_word_say(s, "ld.shared.b32 %%z%u, [%%z%u + %u];", s->next[r], at,
               r * threads_of(s) * ZL_WORD_BYTES);
    }
}
