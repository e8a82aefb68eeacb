/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the data movement of an AMD target as a C header of inline asm, one macro for every row of
 * snippets.def whose instruction the target has. The compiler inserts neither waits (s_waitcnt and
 * its successors) nor wait states inside inline asm, so a macro contains them itself. How many wait
 * states follow from the target's hazard rows (zlay/hazard.h). */
#include "emit/emit.h"

#include <string.h>
#include <zlay/hazard.h>
#include <zlay/instruction.h>

typedef enum does { LOADS, WRITES, STORES, DIRECT, COUNTS, MEETS } does;
typedef enum waits { NOTHING, SHARED, MEMORY, STORED, ALL } waits;

static const struct snippet {
    const char *instruction;
    does does;
    waits waits;
} snippets[] = {
#define SNIPPET(instruction, does, waits) {instruction, does, waits},
#define WAIT(what, instruction)
#include "emit/snippets.def"
};

static const struct {
    waits what;
    const char *instruction;
} counters[] = {
#define SNIPPET(instruction, does, waits)
#define WAIT(what, instruction) {what, instruction},
#include "emit/snippets.def"
};

enum { OPERANDS_MOST = 8 };

typedef struct header {
    zl_text *out;
    const zlay_target *target;
    const char *name;
    size_t length;
} header;

/* One macro: its instruction, and where each operand of the text stands among those of the asm. */
typedef struct macro {
    const struct snippet *snippet;
    uint32_t form, count;
    zlay_operand operand[OPERANDS_MOST];
    uint32_t place[OPERANDS_MOST], saved, address; /* saved, address: of M0 */
} macro;

/* ---- what the target has -------------------------------------------------------------- */

/* Finds an instruction; false where the target lacks it or its rules refuse it. */
static bool form_on(uint32_t *form, const zlay_target *target, const char *instruction)
{
    zlay_verdict verdict;
    zlay_instruction asked = {.count = 0};
    if (zlay_instruction_find(form, instruction, strlen(instruction))) return false;
    asked.form = *form;
    return !zlay_instruction_check(&verdict, NULL, 0, target, &asked) &&
           verdict.answer == ZLAY_YES;
}

/* Whether operand i is the result of a load. */
static bool is_output(const macro *m, uint32_t i)
{
    return m->snippet->does == LOADS && !strcmp(m->operand[i].name, "data");
}

/* Reads a macro's operands: results first, then M0's old value, its new one, and what is read. */
static bool read_macro(macro *m, const header *h, const struct snippet *snippet)
{
    uint32_t next = 0;
    *m = (macro){.snippet = snippet};
    if (!form_on(&m->form, h->target, snippet->instruction)) return false;
    while (m->count < OPERANDS_MOST &&
           !zlay_instruction_operand_nth(&m->operand[m->count], m->form, m->count))
        m->count++;
    for (uint32_t i = 0; i < m->count; i++)
        if (is_output(m, i)) m->place[i] = next++;
    if (snippet->does == DIRECT) m->saved = next++, m->address = next++;
    for (uint32_t i = 0; i < m->count; i++)
        if (!is_output(m, i)) m->place[i] = next++;
    return true;
}

/* ---- wait states ------------------------------------------------------------------------ */

enum { OF_MATRIX = ZLAY_FIRST_MATRIX | ZLAY_FIRST_MATRIX_F32 | ZLAY_FIRST_MATRIX_F64_4 |
                   ZLAY_FIRST_MATRIX_F64_16, ALL_FIRST = 2 * ZLAY_FIRST_STORE_WIDE - 1 };
enum { PASSES_MOST = 16 };

/* The wait states that a target's hazard rows ask for between two instructions; without rows
 * none are known, and the header says so. */
static uint32_t states_of(const zlay_target *target, uint32_t first, uint32_t then)
{
    uint32_t states = 0;
    zlay_hazard hazard = {first, then, first & OF_MATRIX ? PASSES_MOST : 0, 0};
    zlay_hazard_states(&states, target, &hazard);
    return states;
}

/* How the asm may use registers that earlier instructions have written. */
enum { USES = ZLAY_THEN_MEMORY | ZLAY_THEN_MEMORY_SGPR | ZLAY_THEN_VMEM | ZLAY_THEN_LOAD_WRITES |
              ZLAY_THEN_OVERWRITES_C };

/* Prints so many wait states as s_nop, each of which gives at most 16. */
static void put_nops(zl_text *out, uint32_t states)
{
    for (uint32_t most = 16, now; states; states -= now) {
        now = states < most ? states : most;
        zl_putf(out, "s_nop %u\\n\\t", (unsigned)(now - 1));
    }
}

/* Prints zl_<name>_<what>, with every point of `what` as an underscore. */
static void put_name(const header *h, const char *what)
{
    zl_puts(h->out, "zl_");
    zl_put(h->out, h->name, h->length);
    zl_puts(h->out, "_");
    for (const char *c = what; *c; c++) zl_put(h->out, *c == '.' ? "_" : c, 1);
}

/* Prints the wait states that an access owes to matrix instructions issued before it, as a macro of
 * its own that the caller may define as empty. */
static void put_before(const header *h)
{
    uint32_t all = states_of(h->target, ALL_FIRST, USES);
    uint32_t plain = states_of(h->target, ALL_FIRST & ~(uint32_t)OF_MATRIX, USES);
    zl_putf(h->out,
            "/* Wait states that a matrix instruction may owe%s; define it as \"\" where none "
            "was issued\n   within %u instructions. */\n#ifndef ",
            all ? "" : ": nothing is known of this target, so that they are yours", (unsigned)all);
    put_name(h, "before\n#define ");
    put_name(h, "before \"");
    put_nops(h->out, all - plain);
    zl_puts(h->out, "\"\n#endif\n");
}

/* ---- the text --------------------------------------------------------------------------- */

/* Prints the instruction with each operand as the number of its place in the asm. */
static void put_form(zl_text *out, const macro *m)
{
    static const char *const places[OPERANDS_MOST + 2] = {"%0", "%1", "%2", "%3", "%4",
                                                          "%5", "%6", "%7", "%8", "%9"};
    char text[256];
    const char *operands[OPERANDS_MOST];
    zlay_buf buf = {text, sizeof text, 0};
    for (uint32_t i = 0; i < m->count; i++) operands[i] = places[m->place[i]];
    zlay_instruction_print(&buf, m->form, operands, m->count);
    zl_puts(out, text);
}

/* Prints an instruction whose one operand is the count 0. */
static void put_zero(zl_text *out, uint32_t form)
{
    static const char *const zero[] = {"0"};
    char text[64];
    zlay_buf buf = {text, sizeof text, 0};
    zlay_instruction_print(&buf, form, zero, ZL_COUNT(zero));
    zl_puts(out, text);
}

/* Prints a wait until nothing of a kind is outstanding, by the first counter of it that the
 * target has. */
static bool put_wait(const header *h, waits what, const char *before, const char *after)
{
    uint32_t form;
    for (size_t i = 0; i < ZL_COUNT(counters); i++) {
        if (counters[i].what != what || !form_on(&form, h->target, counters[i].instruction))
            continue;
        zl_puts(h->out, before);
        put_zero(h->out, form);
        zl_puts(h->out, after);
        return true;
    }
    return false;
}

static bool is_memory(const macro *m) { return m->snippet->does <= DIRECT; }

/* Sets M0, which is read one state later. */
static void put_m0(const header *h, const macro *m)
{
    zl_putf(h->out, "s_mov_b32 %%%u, m0\\n\\ts_mov_b32 m0, %%%u\\n\\t", (unsigned)m->saved,
            (unsigned)m->address);
    put_nops(h->out, states_of(h->target, ZLAY_FIRST_SALU_M0, ZLAY_THEN_M0));
}

/* Gives M0 back its old value behind the instruction, then the wait states that M0 asks for. */
static void put_old_m0(const header *h, const macro *m)
{
    uint32_t states = states_of(h->target, ZLAY_FIRST_SALU_M0, ZLAY_THEN_M0);
    zl_putf(h->out, "\\n\\ts_mov_b32 m0, %%%u", (unsigned)m->saved);
    if (states) zl_putf(h->out, "\\n\\ts_nop %u", (unsigned)(states - 1));
}

/* Holds registers that a wide store has yet to read, since the compiler may overwrite them at
 * once. */
static void put_after_store(const header *h, const macro *m)
{
    zlay_hazard form = {0};
    uint32_t then = ZLAY_THEN_VALU_WRITES | ZLAY_THEN_MATRIX_WRITES;
    if (zlay_hazard_form(&form, m->form)) return;
    uint32_t states = states_of(h->target, form.first, then);
    if (states) zl_putf(h->out, "\\n\\ts_nop %u", (unsigned)(states - 1));
}

/* Prints what stands before the instruction: waits before a meeting, wait states before an access,
 * and M0. */
static void put_head(const header *h, const macro *m)
{
    if (m->snippet->does == MEETS)
        for (waits what = SHARED; what <= STORED; what++) put_wait(h, what, "", "\\n\\t");
    if (is_memory(m))
        put_nops(h->out, states_of(h->target, ALL_FIRST & ~(uint32_t)OF_MATRIX, USES));
    if (m->snippet->does == DIRECT) put_m0(h, m);
}

/* Prints the wait of a barrier behind its signal. */
static void put_meeting(const header *h, const macro *m)
{
    uint32_t form;
    macro wait = *m;
    if (m->snippet->does != MEETS || !m->count) return;
    if (!form_on(&form, h->target, "s_barrier_wait")) return;
    wait.form = form;
    zl_puts(h->out, "\\n\\t");
    put_form(h->out, &wait);
}

/* Prints what stands behind the instruction, by what the row says that it does. */
static void put_tail(const header *h, const macro *m)
{
    switch (m->snippet->does) {
    case LOADS: put_wait(h, m->snippet->waits, "\\n\\t", ""); break;
    case STORES: put_after_store(h, m); break;
    case DIRECT: put_old_m0(h, m); break;
    default: put_meeting(h, m);
    }
}

/* ---- the operands ------------------------------------------------------------------------ */

static void put_parameters(const header *h, const macro *m)
{
    const char *comma = "";
    if (m->snippet->does == DIRECT) zl_puts(h->out, "m0"), comma = ", ";
    for (uint32_t i = 0; i < m->count; i++) {
        zl_putf(h->out, "%s%s", comma, m->operand[i].name);
        comma = ", ";
    }
}

static void put_inputs(const header *h, const macro *m)
{
    const char *comma = " ";
    if (m->snippet->does == DIRECT) zl_puts(h->out, " \"s\"(m0)"), comma = ", ";
    for (uint32_t i = 0; i < m->count; i++) {
        const zlay_operand *o = &m->operand[i];
        if (is_output(m, i)) continue;
        zl_putf(h->out, "%s\"%c\"(%s)", comma, o->cls == 'i' ? 'n' : (char)o->cls, o->name);
        comma = ", ";
    }
}

static void put_outputs(const header *h, const macro *m)
{
    if (m->snippet->does == LOADS) zl_puts(h->out, " \"=&v\"(data)");
    if (m->snippet->does == DIRECT) zl_puts(h->out, " \"=&s\"(zl_m0)");
}

/* Prints one macro: its parameters, the asm text, and the operands with their classes. */
static void put_macro(const header *h, const macro *m)
{
    bool direct = m->snippet->does == DIRECT;
    zl_puts(h->out, "#define ");
    put_name(h, m->snippet->instruction);
    zl_puts(h->out, "(");
    put_parameters(h, m);
    zl_puts(h->out, direct ? ") \\\n    do { unsigned zl_m0; __asm__ volatile(" :
                             ") \\\n    __asm__ volatile(");
    if (is_memory(m)) put_name(h, "before ");
    zl_puts(h->out, "\"");
    put_head(h, m);
    put_form(h->out, m);
    put_tail(h, m);
    zl_puts(h->out, "\" \\\n        :");
    put_outputs(h, m);
    zl_puts(h->out, " :");
    put_inputs(h, m);
    zl_puts(h->out, direct ? " : \"memory\"); } while (0)\n" : " : \"memory\")\n");
}

static void put_header(const header *h)
{
    macro m;
    zl_putf(h->out,
            "/* zlay %s: data movement of %s as inline asm, for C and C++ of that target.\n"
            "   data is as many 32-bit words as the instruction moves, an address 32 bits of "
            "shared or 64 of global\n   memory, resource four words; offsets and counts are "
            "constants. What loads returns when\n   its result is there; what stores, or loads to "
            "shared memory, is waited for by count. */\n",
            zlay_version(), zlay_target_name(h->target));
    zl_puts(h->out, "#ifndef ");
    put_name(h, "H\n#define ");
    put_name(h, "H\n");
    put_before(h);
    for (size_t i = 0; i < ZL_COUNT(snippets); i++)
        if (read_macro(&m, h, &snippets[i])) put_macro(h, &m);
    zl_puts(h->out, "#endif\n");
}

static void header_write(zl_text *out, const void *value)
{
    header h = *(const header *)value;
    h.out = out;
    put_header(&h);
}

static bool has_any(const zlay_target *target)
{
    uint32_t form;
    for (size_t i = 0; i < ZL_COUNT(snippets); i++)
        if (form_on(&form, target, snippets[i].instruction)) return true;
    return false;
}

zlay_status zlay_emit_snippets(zlay_ctx *ctx, zlay_buf *out, const zlay_target *target,
                               const char *name, size_t length)
{
    if (!out || !target || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_name_check(ctx, name, length);
    if (!status && !has_any(target))
        status = zl_fail(ctx, ZLAY_ENOTSUP, "%s has none of the instructions of snippets.def",
                         zlay_target_name(target));
    header h = {NULL, target, name, length};
    return zl_leave(ctx, status ? status : zl_print(out, header_write, &h));
}
