/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of forms.def, moves.def and places.def, and which of them a target has. */
#include "synth/places/place.h"

#include <string.h>

enum { ANY = 0, LANES = 1 << 30, WAVES = 1 << 29, WAVES64 = 1 << 28, WAVES32 = 1 << 27, NONE = -1 };
enum { CP_ASYNC = ZL_HAS_CP_ASYNC, TMA = ZL_HAS_TMA, CLUSTER = ZL_HAS_CLUSTER };
enum { WGMMA = ZL_HAS_WGMMA, TCGEN05 = ZL_HAS_TCGEN05, DIRECT = ZL_HAS_DIRECT };
enum {
    NO = 0,
    R = ZLAY_PLACE_REGISTER,
    S = ZLAY_PLACE_SHARED,
    C = ZLAY_PLACE_CLUSTER,
    T = ZLAY_PLACE_TENSOR,
    G = ZLAY_PLACE_GLOBAL,
    RS = R | S,
    ST = S | T
};

#define OPERANDS(...) {__VA_ARGS__}
static const zl_place_form forms[] = {
#define FORM(name, kind, tier, needs, least, operands, rest, sum, result, in_place, source)       \
    {name, kind, tier, needs, least, OPERANDS operands, rest, sum, result, in_place},
#include "synth/places/forms.def"
};

static const struct {
    uint32_t from, to, needs, path, carried;
    const char *by;
} moves[] = {
#define MOVE(from, to, needs, path, carried, by) {ZL_##from, ZL_##to, needs, path, carried, by},
#include "synth/places/moves.def"
};

enum { MACHINE_NOTHING, MACHINE_SHARED, MACHINE_L2 };

static const struct {
    const char *name;
    int32_t machine;
    uint64_t rate;
} places[] = {
#define PLACE(place, name, machine, rate, why) {name, MACHINE_##machine, rate},
#include "synth/places/places.def"
};

static bool has(const zlay_target *target, uint32_t needs)
{
    bool waves = target->cls == ZL_CLASS_GFX;
    uint32_t lanes = zl_target_limits(target)->lanes;
    if (needs == LANES) return !waves;
    if (needs == WAVES) return waves;
    if (needs == WAVES64 || needs == WAVES32) return waves && lanes == (needs == WAVES64 ? 64 : 32);
    return (target->features & needs) == needs;
}

const zl_place_form *zl_place_form_at(uint32_t i) { return i < ZL_COUNT(forms) ? &forms[i] : NULL; }

uint32_t zl_place_forms(const zlay_target *target, const char *word, bool *known)
{
    uint32_t found = 0, tier = 0;
    *known = false;
    for (uint32_t i = 0; i < ZL_COUNT(forms); i++) {
        bool kind = !strcmp(forms[i].kind, word), named = !strcmp(forms[i].name, word);
        *known = *known || kind || named;
        if (!kind && !named) continue;
        if (!has(target, forms[i].needs) || (found && forms[i].tier < tier)) continue;
        if (forms[i].tier > tier) found = 0;
        tier = forms[i].tier;
        found |= 1u << i;
    }
    return found;
}

zl_place_move zl_place_move_of(const zlay_target *target, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < ZL_COUNT(moves); i++)
        if (moves[i].from == from && moves[i].to == to && has(target, moves[i].needs))
            return (zl_place_move){moves[i].by, moves[i].path, moves[i].carried};
    return (zl_place_move){NULL, 0, 0};
}

/* What the machine says of a place, in bytes per 1000 cycles of a processor; 0: nothing. */
static uint64_t machine_rate(const zlay_machine *machine, int32_t what)
{
    int64_t rate = 0, processors = 1;
    if (what == MACHINE_SHARED) zlay_machine_get(&rate, machine, ZLAY_MACHINE_SHARED_KILOCYCLE);
    if (what != MACHINE_L2 ||
        !zlay_machine_get(&rate, machine, ZLAY_MACHINE_L2_PROCESSOR_KILOCYCLE))
        return (uint64_t)rate;
    bool whole = !zlay_machine_get(&rate, machine, ZLAY_MACHINE_L2_KILOCYCLE) &&
                 !zlay_machine_get(&processors, machine, ZLAY_MACHINE_PROCESSORS);
    return whole && processors > 0 ? (uint64_t)(rate / processors) : 0;
}

uint64_t zl_place_byte(const zlay_machine *machine, uint32_t place)
{
    enum { MILLIONTHS = 1000 * 1000 * 1000 };
    uint64_t rate = machine_rate(machine, places[place].machine);
    if (!rate) rate = places[place].rate;
    return rate ? (MILLIONTHS + rate - 1) / rate : 0;
}

uint32_t zl_place_operand(const zl_place_form *form, uint32_t i)
{
    return i < ZL_OPERANDS && form->operand[i] ? form->operand[i] : form->rest;
}

/* ---- names --------------------------------------------------------------------------------- */

const char *zl_place_name_of(uint32_t place) { return places[place].name; }

const char *zlay_place_name(uint32_t place)
{
    for (uint32_t i = 0; i < ZL_PLACES; i++)
        if (place == 1u << i) return places[i].name;
    return NULL;
}

const char *zlay_places_form_name(uint32_t form)
{
    return form < ZL_COUNT(forms) ? forms[form].name : NULL;
}

const char *zlay_places_move_name(const zlay_target *target, uint32_t from, uint32_t to)
{
    if (!target || !zlay_place_name(from) || !zlay_place_name(to)) return NULL;
    return zl_place_move_of(target, (uint32_t)__builtin_ctz(from), (uint32_t)__builtin_ctz(to)).by;
}

const char *zl_place_value_name(char *out, const zl_place_program *p, uint32_t v)
{
    zl_text text = {out, 95, 0};
    const char *name = p->r.value[v].name;
    if (name) zl_putf(&text, "'%s'", name);
    else zl_putf(&text, "%u", v);
    out[text.need < 95 ? text.need : 95] = 0;
    return out;
}

const char *zl_place_set_name(char *out, uint32_t set)
{
    zl_text text = {out, 95, 0};
    for (uint32_t i = 0; i < ZL_PLACES; i++) {
        if (!(set >> i & 1)) continue;
        if (text.need) zl_puts(&text, set >> (i + 1) ? ", " : " or ");
        zl_puts(&text, places[i].name);
    }
    if (!set) zl_puts(&text, "no place");
    out[text.need < 95 ? text.need : 95] = 0;
    return out;
}
