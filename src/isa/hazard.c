/* SPDX-License-Identifier: Apache-2.0 */
/* Wait states between two instructions: the most that a row of hazards.def asks for. */
#include "base/base.h"
#include "target/target.h"

#include <string.h>
#include <zlay/hazard.h>
#include <zlay/instruction.h>

enum { GFX90A = 1, GFX942 = 2, GFX950 = 4 };

enum {
    BY_MATRIX = ZLAY_FIRST_MATRIX,
    BY_F32 = ZLAY_FIRST_MATRIX_F32,
    BY_F64_4 = ZLAY_FIRST_MATRIX_F64_4,
    BY_F64_16 = ZLAY_FIRST_MATRIX_F64_16,
    BY_VALU = ZLAY_FIRST_VALU,
    BY_TRANS = ZLAY_FIRST_TRANS,
    BY_DOT = ZLAY_FIRST_DOT,
    BY_PART = ZLAY_FIRST_PART,
    BY_SGPR = ZLAY_FIRST_VALU_SGPR,
    BY_EXEC = ZLAY_FIRST_VALU_EXEC,
    BY_M0 = ZLAY_FIRST_SALU_M0,
    BY_STORE = ZLAY_FIRST_STORE_WIDE,
    FIRST_ALL = 2 * ZLAY_FIRST_STORE_WIDE - 1
};

enum {
    MEMORY = ZLAY_THEN_MEMORY,
    VALU_READS = ZLAY_THEN_VALU_READS,
    TRANS_READS = ZLAY_THEN_TRANS_READS,
    VALU_WRITES = ZLAY_THEN_VALU_WRITES,
    LOAD_WRITES = ZLAY_THEN_LOAD_WRITES,
    MATRIX_AB = ZLAY_THEN_MATRIX_AB,
    MATRIX_SAME = ZLAY_THEN_MATRIX_SAME,
    MATRIX_C = ZLAY_THEN_MATRIX_C,
    MATRIX_C_F32 = ZLAY_THEN_MATRIX_C_F32,
    MATRIX_C_F64 = ZLAY_THEN_MATRIX_C_F64,
    MATRIX_WRITES = ZLAY_THEN_MATRIX_WRITES,
    OVERWRITES_C = ZLAY_THEN_OVERWRITES_C,
    LANE_READS = ZLAY_THEN_LANE_READS,
    LANE_SELECT = ZLAY_THEN_LANE_SELECT,
    PERMLANE = ZLAY_THEN_PERMLANE,
    DPP = ZLAY_THEN_DPP,
    MEMORY_SGPR = ZLAY_THEN_MEMORY_SGPR,
    VALU_SGPR = ZLAY_THEN_VALU_SGPR,
    DIV_FMAS = ZLAY_THEN_DIV_FMAS,
    M0 = ZLAY_THEN_M0,
    VMEM = ZLAY_THEN_VMEM,
    MATRIX = ZLAY_THEN_MATRIX,
    MEMORY_F64 = ZLAY_THEN_MEMORY_F64,
    THEN_ALL = 2 * ZLAY_THEN_MEMORY_F64 - 1
};

enum { NEVER = 255, PASSES = 4 };

typedef struct row {
    uint32_t first, then, on;
    uint8_t states[PASSES]; /* by passes: 2, 4, 8, 16 */
} row;

#define ANY(n) n, n, n, n
static const row rows[] = {
#define HAZARD(first, then, on, ...) {first, then, on, {__VA_ARGS__}},
#include "isa/hazards.def"
};

static const struct {
    uint32_t arch, bit;
} targets[] = {{0x90a, GFX90A}, {0x942, GFX942}, {0x950, GFX950}};

static uint32_t bit_of(const zlay_target *target)
{
    for (size_t i = 0; i < ZL_COUNT(targets); i++)
        if (target->cls == ZL_CLASS_GFX && target->arch == targets[i].arch) return targets[i].bit;
    return 0;
}

/* Which of the four numbers of passes; PASSES: none. */
static uint32_t column_of(uint32_t passes)
{
    uint32_t column = 0;
    while (column < PASSES && passes != 2u << column) column++;
    return column;
}

/* Passes are said of the two kinds that have several numbers of them. */
static bool has_passes(const zlay_hazard *h, uint32_t on)
{
    if (!(h->first & (BY_MATRIX | BY_F32))) return h->passes == 0;
    uint32_t column = column_of(h->passes);
    if (column == PASSES) return false;
    for (const row *r = rows; r < rows + ZL_COUNT(rows); r++)
        if (r->first & h->first & (BY_MATRIX | BY_F32) && r->on & on && r->states[column] == NEVER)
            return false;
    return true;
}

zlay_status zlay_hazard_states(uint32_t *out, const zlay_target *target, const zlay_hazard *h)
{
    if (!out || !target || !h || h->reserved) return ZLAY_EINVAL;
    if (h->first & ~(uint32_t)FIRST_ALL || h->then & ~(uint32_t)THEN_ALL) return ZLAY_EINVAL;
    uint32_t on = bit_of(target), most = 0;
    if (!on) return ZLAY_ENOTSUP;
    if (!has_passes(h, on)) return ZLAY_EINVAL;
    uint32_t column = h->passes ? column_of(h->passes) : 0;
    for (const row *r = rows; r < rows + ZL_COUNT(rows); r++)
        if (r->first & h->first && r->then & h->then && r->on & on && r->states[column] > most)
            most = r->states[column];
    *out = most;
    return ZLAY_OK;
}

/* ---- instruction forms --------------------------------------------------------------------- */

enum { WIDE = ZLAY_FIRST_STORE_WIDE, ID_ROOM = 96, NARROW_BITS = 64 };

static const struct {
    const char *id;
    uint32_t first, then;
} forms[] = {
#define DOES(id, first, then) {id, first, then},
#include "isa/hazard_forms.def"
};

/* A store that is read late: more than 8 bytes, and no scalar register in the offset's place. */
static bool is_wide(uint32_t form, const char *id)
{
    zlay_operand o;
    bool wide = false;
    for (size_t i = 0; !zlay_instruction_operand_nth(&o, form, i); i++) {
        if (o.field == ZLAY_FIELD_SOFFSET && o.cls == 's') return false;
        wide |= o.field == ZLAY_FIELD_DATA && o.bits > NARROW_BITS;
    }
    return wide && !strstr(id, ".m0");
}

zlay_status zlay_hazard_form(zlay_hazard *out, uint32_t form)
{
    char id[ID_ROOM];
    zlay_buf buf = {id, sizeof id, 0};
    if (!out) return ZLAY_EINVAL;
    if (zlay_instruction_id(&buf, form)) return ZLAY_NONE;
    for (size_t i = 0; i < ZL_COUNT(forms); i++) {
        if (strncmp(id, forms[i].id, strlen(forms[i].id)) != 0) continue;
        uint32_t first = forms[i].first;
        if (first == WIDE && !is_wide(form, id)) first = 0;
        *out = (zlay_hazard){first, forms[i].then, 0, 0};
        return ZLAY_OK;
    }
    return ZLAY_NONE;
}

/* ---- text ------------------------------------------------------------------------------------ */

enum { NOP_STATES = 16, STATES_MOST = 255 };

static void write_nops(zl_text *out, const void *value)
{
    uint32_t left = *(const uint32_t *)value;
    while (left) {
        uint32_t states = left < NOP_STATES ? left : NOP_STATES;
        zl_putf(out, "s_nop %u\n", (unsigned)(states - 1));
        left -= states;
    }
}

zlay_status zlay_hazard_print(zlay_buf *out, uint32_t states)
{
    if (!out || states > STATES_MOST) return ZLAY_EINVAL;
    return zl_print(out, write_nops, &states);
}
