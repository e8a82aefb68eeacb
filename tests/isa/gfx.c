/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
/* Instruction forms of gfx targets: 760 texts that two assemblers were asked about, and every form with operands at their edges put to
 * llvm-mc-22 in one process a target. What the assembler takes breaks no rule of its own, what it refuses breaks one. */
#include <unistd.h>

#include "instruction.h"

enum { TARGETS = 4 };
static const char *const targets[TARGETS] = {"gfx90a", "gfx942", "gfx950", "gfx1250"};
static uint32_t forms[FORMS_MOST], count;

static int forms_read(void **unused)
{
    (void)unused;
    uint32_t all = forms_all(forms);
    for (uint32_t i = 0; i < all; i++)
        if (of_gfx(forms[i])) forms[count++] = forms[i];
    assert_in_range(count, 5000, FORMS_MOST);
    return 0;
}

/* ---- the example of the header -------------------------------------------------------------- */

static zlay_answer check(const char *on, const char *id, int32_t field, int64_t value, const char *rule)
{
    zlay_verdict v;
    zlay_reason reasons[8];
    zlay_instruction asked = {.count = 1, .constant = {{field, 0, value}}};
    assert_int_equal(zlay_instruction_find(&asked.form, id, strlen(id)), ZLAY_OK);
    assert_int_equal(zlay_instruction_check(&v, reasons, 8, target_of(on), &asked), ZLAY_OK);
    if (rule && !reason_of(reasons, &v, rule_number(rule), -2)) fail_msg("%s: %s is not broken", id, rule);
    return v.answer;
}

static void the_header_says(void **state)
{
    (void)state;
    char text[96];
    uint32_t form = 0;
    zlay_buf buf = {text, sizeof text, 0};
    assert_int_equal(zlay_instruction_find(&form, "ds_read_b128", 12), ZLAY_OK);
    assert_int_equal(zlay_instruction_print(&buf, form, NULL, 0), ZLAY_OK);
    assert_string_equal(text, "ds_read_b128 data, address offset:offset");
    assert_int_equal(check("gfx942", "ds_read_b128", ZLAY_FIELD_DATA, 4, NULL), ZLAY_YES);
    assert_int_equal(check("gfx942", "ds_read_b128", ZLAY_FIELD_DATA, 5, "GFX_DATA_EVEN_4"), ZLAY_NO);
    assert_int_equal(check("gfx942", "ds_read_b128", ZLAY_FIELD_OFFSET, 65536, "GFX_OFFSET_16"), ZLAY_NO);
    assert_int_equal(check("gfx942", "ds_read_b128.agpr", ZLAY_FIELD_DATA, 4, NULL), ZLAY_YES);
    assert_int_equal(check("gfx1250", "ds_read_b128.agpr", ZLAY_FIELD_DATA, 4, "INSTR_TARGET"), ZLAY_NO);
}

/* Each rule at its bounds, beside the assembler's own word below. */
typedef struct edge {
    const char *on, *form;
    int32_t field;
    int64_t holds, breaks;
    const char *rule;
} edge;

static const edge edges[] = {
    {"gfx942", "ds_read_b32", ZLAY_FIELD_DATA, 255, 256, "GFX_DATA_1"},
    {"gfx942", "ds_read_b64", ZLAY_FIELD_DATA, 254, 255, "GFX_DATA_2"},
    {"gfx942", "ds_read_b96", ZLAY_FIELD_DATA, 252, 254, "GFX_DATA_3"},
    {"gfx942", "ds_read_b128", ZLAY_FIELD_DATA, 252, 254, "GFX_DATA_4"},
    {"gfx942", "ds_read_b64", ZLAY_FIELD_DATA, 2, 3, "GFX_DATA_EVEN_2"},
    {"gfx942", "ds_read_b96", ZLAY_FIELD_DATA, 2, 3, "GFX_DATA_EVEN_3"},
    {"gfx950", "ds_read_b96_tr_b6", ZLAY_FIELD_DATA, 253, 254, "GFX_DATA_ANY"},
    {"gfx1250", "buffer_load_dwordx4.tfe", ZLAY_FIELD_DATA, 254, 256, "GFX_DATA_5"},
    {"gfx1250", "buffer_load_dwordx4.tfe", ZLAY_FIELD_DATA, 4, 5, "GFX_DATA_EVEN_5"},
    {"gfx1250", "ds_read_b128", ZLAY_FIELD_DATA, 254, 256, "GFX_DATA_4"},
    {"gfx942", "ds_write2_b32", ZLAY_FIELD_DATA1, 255, 256, "GFX_DATA1_1"},
    {"gfx942", "ds_write2_b64", ZLAY_FIELD_DATA1, 254, 256, "GFX_DATA1_2"},
    {"gfx942", "ds_write2_b64", ZLAY_FIELD_DATA1, 2, 3, "GFX_DATA1_EVEN"},
    {"gfx942", "ds_read_b32", ZLAY_FIELD_ADDRESS, 255, 256, "GFX_ADDRESS"},
    {"gfx942", "global_load_dword", ZLAY_FIELD_ADDRESS, 254, 256, "GFX_ADDRESS_2"},
    {"gfx942", "global_load_dword", ZLAY_FIELD_ADDRESS, 8, 9, "GFX_ADDRESS_EVEN"},
    {"gfx942", "s_mov_b32.m0", ZLAY_FIELD_DATA, 101, 102, "GFX_SGPR"},
    {"gfx1250", "s_mov_b32.m0", ZLAY_FIELD_DATA, 105, 106, "GFX_SGPR"},
    {"gfx942", "buffer_load_dword", ZLAY_FIELD_RESOURCE, 96, 100, "GFX_RESOURCE"},
    {"gfx942", "buffer_load_dword", ZLAY_FIELD_RESOURCE, 8, 10, "GFX_RESOURCE_4"},
    {"gfx942", "buffer_load_dword", ZLAY_FIELD_SOFFSET, 101, 102, "GFX_SOFFSET"},
    {"gfx942", "buffer_load_dword.imm", ZLAY_FIELD_SOFFSET, -16, -17, "GFX_SOFFSET_INLINE"},
    {"gfx942", "buffer_load_dword.imm", ZLAY_FIELD_SOFFSET, 64, 65, "GFX_SOFFSET_INLINE"},
    {"gfx942", "global_load_dword.saddr", ZLAY_FIELD_SADDR, 100, 102, "GFX_SADDR"},
    {"gfx942", "global_load_dword.saddr", ZLAY_FIELD_SADDR, 2, 3, "GFX_SADDR_EVEN"},
    {"gfx1250", "tensor_load_to_lds", ZLAY_FIELD_GROUP0, 100, 104, "GFX_GROUP0"},
    {"gfx1250", "tensor_load_to_lds", ZLAY_FIELD_GROUP0, 4, 6, "GFX_GROUP0_4"},
    {"gfx1250", "tensor_load_to_lds", ZLAY_FIELD_GROUP1, 96, 100, "GFX_GROUP1"},
    {"gfx1250", "tensor_load_to_lds", ZLAY_FIELD_GROUP1, 4, 6, "GFX_GROUP1_4"},
    {"gfx1250", "tensor_load_to_lds.4", ZLAY_FIELD_GROUP2, 100, 104, "GFX_GROUP2"},
    {"gfx1250", "tensor_load_to_lds.4", ZLAY_FIELD_GROUP2, 4, 5, "GFX_GROUP2_4"},
    {"gfx1250", "tensor_load_to_lds.4", ZLAY_FIELD_GROUP3, 100, 104, "GFX_GROUP3"},
    {"gfx1250", "tensor_load_to_lds.4", ZLAY_FIELD_GROUP3, 4, 5, "GFX_GROUP3_4"},
    {"gfx942", "ds_read_b32", ZLAY_FIELD_OFFSET, 0, -1, "GFX_OFFSET_16"},
    {"gfx942", "ds_read2_b32", ZLAY_FIELD_OFFSET0, 255, 256, "GFX_OFFSET0"},
    {"gfx942", "ds_read2_b32", ZLAY_FIELD_OFFSET1, 255, 256, "GFX_OFFSET1"},
    {"gfx950", "buffer_load_dword", ZLAY_FIELD_OFFSET, 4095, 4096, "GFX_BUFFER"},
    {"gfx950", "buffer_load_lds_dwordx4.offen", ZLAY_FIELD_OFFSET, 4095, 4096, "GFX_BUFFER"},
    {"gfx950", "buffer_load_dword", ZLAY_FIELD_OFFSET, 0, 65536, "GFX_BUFFER_TAKEN"},
    {"gfx1250", "buffer_load_dword", ZLAY_FIELD_OFFSET, 8388607, 8388608, "GFX_BUFFER_TAKEN"},
    {"gfx90a", "global_load_dword", ZLAY_FIELD_OFFSET, -4096, -4097, "GFX_GLOBAL"},
    {"gfx1250", "global_load_dword", ZLAY_FIELD_OFFSET, 8388607, 8388608, "GFX_GLOBAL"},
    {"gfx90a", "s_waitcnt.vm", ZLAY_FIELD_VMCNT, 63, 64, "GFX_VMCNT"},
    {"gfx90a", "s_waitcnt.exp", ZLAY_FIELD_EXPCNT, 7, 8, "GFX_EXPCNT"},
    {"gfx90a", "s_waitcnt.lgkm", ZLAY_FIELD_LGKMCNT, 15, 16, "GFX_LGKMCNT"},
    {"gfx90a", "s_waitcnt.raw", ZLAY_FIELD_VALUE, 65535, 65536, "GFX_WAITCNT"},
    {"gfx1250", "s_wait_loadcnt", ZLAY_FIELD_COUNT, 63, 64, "GFX_COUNT_6"},
    {"gfx1250", "s_wait_kmcnt", ZLAY_FIELD_COUNT, 31, 32, "GFX_COUNT_5"},
    {"gfx1250", "s_wait_loadcnt", ZLAY_FIELD_COUNT, 0, 65536, "GFX_COUNT_6_16"},
    {"gfx1250", "s_wait_kmcnt", ZLAY_FIELD_COUNT, 0, 65536, "GFX_COUNT_5_16"},
    {"gfx1250", "s_wait_tensorcnt", ZLAY_FIELD_COUNT, 65535, 65536, "GFX_COUNT_ANY_16"},
    {"gfx1250", "s_wait_asynccnt", ZLAY_FIELD_COUNT, 0, -1, "GFX_COUNT_ANY"},
    {"gfx1250", "s_wait_loadcnt_dscnt", ZLAY_FIELD_VALUE, 0x3f3f, 0x3f40, "GFX_COUNTS"},
    {"gfx942", "s_nop", ZLAY_FIELD_VALUE, 15, 16, "GFX_NOP"},
    {"gfx942", "s_sleep", ZLAY_FIELD_VALUE, 127, 128, "GFX_SLEEP"},
    {"gfx942", "s_setprio", ZLAY_FIELD_VALUE, 3, 4, "GFX_PRIORITY"},
    {"gfx942", "s_add_u32.m0", ZLAY_FIELD_VALUE, UINT32_MAX, 4294967296, "GFX_LITERAL"},
    {"gfx1250", "s_barrier_signal", ZLAY_FIELD_BARRIER, -3, -4, "GFX_BARRIER_ID"},
    {"gfx1250", "s_barrier_signal", ZLAY_FIELD_BARRIER, 16, 65, "GFX_BARRIER_INLINE"},
    {"gfx1250", "s_barrier_wait", ZLAY_FIELD_BARRIER, 16, 17, "GFX_BARRIER_AWAITED"},
    {"gfx1250", "s_wait_storecnt_dscnt", ZLAY_FIELD_VALUE, 0, 65536, "GFX_COUNTS_16"},
};

static void rules_at_their_bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        const edge *e = &edges[i];
        if (check(e->on, e->form, e->field, e->holds, NULL) != ZLAY_YES) fail_msg("%s: %lld is refused", e->form, (long long)e->holds);
        assert_int_equal(check(e->on, e->form, e->field, e->breaks, e->rule), ZLAY_NO);
    }
    zlay_verdict v;
    zlay_reason reasons[8];
    zlay_instruction asked = {.form = forms[0], .ptx = 80};
    assert_int_equal(zlay_instruction_check(&v, reasons, 8, target_of("gfx942"), &asked), ZLAY_OK);
    assert_true(v.reasons == 1 && reasons[0].rule == rule_number("GFX_PTX"));
}

/* ---- texts ------------------------------------------------------------------------------------ */

enum { ITEMS = 16, ITEM_ROOM = 40 };

/* Words of a line behind its opcode: commas, blanks and & part them. */
typedef struct words {
    char word[ITEMS][ITEM_ROOM];
    size_t count;
} words;

static words words_of(const char *text)
{
    words w = {.count = 0};
    text += strcspn(text, " ");
    for (text += strspn(text, ", &"); *text; text += strspn(text, ", &")) {
        size_t length = strcspn(text, ", &");
        assert_true(w.count < ITEMS && length < ITEM_ROOM);
        snprintf(w.word[w.count++], ITEM_ROOM, "%.*s", (int)length, text);
        text += length;
    }
    return w;
}

/* The number that a word gives an operand: of the first register, or itself. */
static bool operand_read(int64_t *out, const zlay_operand *o, const char *word, size_t length)
{
    char text[ITEM_ROOM], *end;
    long long first, last;
    snprintf(text, sizeof text, "%.*s", (int)length, word);
    if (o->cls == 'i') {
        *out = strtoll(text, &end, 0);
        return length && !*end;
    }
    char cls = text[0], tail;
    if (cls != (char)o->cls) return false;
    if (o->bits == 32 && sscanf(text + 1, "%lld%c", &first, &tail) == 1) return *out = first, true;
    if (sscanf(text + 1, "[%lld:%lld]%c", &first, &last, &tail) != 3 || tail != ']') {
        if (sscanf(text + 1, "[%lld:%lld]", &first, &last) != 2) return false;
    }
    *out = first;
    return last - first + 1 == o->bits / 32;
}

/* One word of a form, "offset:@1" as "offset:65535": the operand's number is read. */
static bool word_fits(const char *pattern, const char *word, uint32_t form, int64_t *first, size_t *which)
{
    const char *at = strchr(pattern, '@');
    zlay_operand o;
    size_t before = at ? (size_t)(at - pattern) : 0, length = strlen(word);
    if (!at) return !strcmp(pattern, word);
    char *tail;
    *which = strtoul(at + 1, &tail, 10);
    size_t after = strlen(tail);
    if (length < before + after || memcmp(pattern, word, before) != 0 || strcmp(word + length - after, tail) != 0) return false;
    assert_int_equal(zlay_instruction_operand_nth(&o, form, *which), ZLAY_OK);
    return operand_read(&first[*which], &o, word + before, length - before - after);
}

/* Whether a line is a form's: registers in their places, other words in any order, offsets of 0 left out. */
static bool line_is(uint32_t form, const words *pattern, const words *line, int64_t *first)
{
    bool used[ITEMS] = {false};
    size_t left = line->count, which;
    for (size_t i = 0; i < pattern->count; i++) {
        const char *p = pattern->word[i];
        bool place = *p == '@', fits = false;
        for (size_t k = 0; k < line->count && !fits; k++) {
            if (used[k]) continue;
            fits = word_fits(p, line->word[k], form, first, &which);
            if (fits) used[k] = true, left--;
            else if (place) return false;
        }
        if (fits) continue;
        if (strncmp(p, "offset", 6) != 0) return false;
        first[strtoul(strchr(p, '@') + 1, NULL, 10)] = 0;
    }
    return !left;
}

static void give_all(zlay_instruction *asked, const int64_t *first)
{
    zlay_operand o;
    for (size_t i = 0; !zlay_instruction_operand_nth(&o, asked->form, i); i++)
        if (o.field) asked->constant[asked->count++] = (zlay_constant){o.field, 0, first[i]};
}

/* The text of a form with its operands as @0, @1. */
static void pattern_text(char *out, size_t room, uint32_t form)
{
    static const char *const at[] = {"@0", "@1", "@2", "@3", "@4", "@5", "@6", "@7"};
    zlay_buf buf = {out, room, 0};
    assert_int_equal(zlay_instruction_print(&buf, form, at, 8), ZLAY_OK);
}

static char patterns[FORMS_MOST][160];

static void patterns_write(void)
{
    for (uint32_t i = 0; i < count; i++) pattern_text(patterns[i], sizeof patterns[i], forms[i]);
}

/* Bit t: some form is the line, and nothing that assemblers enforce refuses it on target t. */
static uint32_t line_taken(const char *text)
{
    uint32_t taken = 0;
    size_t opcode = strcspn(text, " ");
    words line = words_of(text);
    for (uint32_t i = 0; i < count; i++) {
        int64_t first[8] = {0};
        if (strncmp(patterns[i], text, opcode) != 0 || (patterns[i][opcode] && patterns[i][opcode] != ' ')) continue;
        words pattern = words_of(patterns[i]);
        if (!line_is(forms[i], &pattern, &line, first)) continue;
        zlay_instruction asked = {.form = forms[i]};
        give_all(&asked, first);
        for (uint32_t t = 0; t < TARGETS; t++) taken |= (uint32_t)assembles(target_of(targets[t]), &asked) << t;
    }
    return taken;
}

static const struct {
    const char *now, *before, *text;
} accepted[] = {
#define ACCEPT(now, before, text) {now, before, text},
#define OTHER(word, why)
#include "data/gfx_accept.def"
};

static const char *const others[] = {
#define ACCEPT(now, before, text)
#define OTHER(word, why) word,
#include "data/gfx_accept.def"
};

static bool is_other(const char *text)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(text, others[i])) return true;
    return false;
}

static void texts_are_taken_as_llvm_takes_them(void **state)
{
    (void)state;
    uint32_t wrong = 0, compared = 0, yes = 0;
    patterns_write();
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        if (is_other(accepted[i].text)) continue;
        uint32_t taken = line_taken(accepted[i].text);
        compared++;
        for (uint32_t t = 0; t < TARGETS; t++) {
            bool ours = taken >> t & 1, theirs = accepted[i].now[t] == 'Y';
            yes += ours;
            if (ours != theirs) wrong++, print_error("%s: zlay %d, LLVM %d: %s\n", targets[t], ours, theirs, accepted[i].text);
        }
    }
    printf("%u texts on 4 targets, %u taken\n", (unsigned)compared, (unsigned)yes);
    assert_int_equal(wrong, 0);
    assert_in_range(compared, 600, 800);
}

/* ---- the assembler ------------------------------------------------------------------------------ */

/* Numbers at and beside every bound of each kind of operand. */
static const int64_t register_edges[] = {0, 1, 2, 3, 4, 9, 252, 253, 254, 255, 256};
static const int64_t scalar_edges[] = {0, 1, 2, 4, 6, 94, 96, 98, 100, 101, 102, 104, 105};
static const int64_t number_edges[] = {-8388609, -8388608, -4097, -4096, -33, -17, -16, -4, -3, -1, 0, 1, 3, 7, 8, 15, 16, 31, 32, 63, 64, 65,
                                       255, 256, 4095, 4096, 65535, 65536, 8388607, 8388608};

typedef struct world {
    FILE *file;
    const zlay_target *on;
    bool *ours;
    uint32_t lines, room;
} world;

static void world_put(world *w, uint32_t form, const int64_t *first)
{
    static char line[512];
    zlay_instruction asked = {.form = form};
    if (w->lines == w->room) {
        w->room = 2 * w->room + 4096;
        w->ours = realloc(w->ours, w->room * sizeof *w->ours);
        assert_non_null(w->ours);
    }
    give_all(&asked, first);
    gfx_line(line, sizeof line, form, first);
    w->ours[w->lines++] = assembles(w->on, &asked);
    fprintf(w->file, "%s\n", line);
}

/* Operands that are legal wherever the form is. */
static size_t legal_operands(int64_t *first, uint32_t form)
{
    zlay_operand o;
    size_t i = 0;
    for (; !zlay_instruction_operand_nth(&o, form, i); i++) first[i] = o.cls == 'i' ? 1 : 4 * (int64_t)i + 4;
    return i;
}

static void world_edges(world *w, uint32_t form, int64_t *first, size_t operand)
{
    zlay_operand o;
    int64_t legal = first[operand];
    assert_int_equal(zlay_instruction_operand_nth(&o, form, operand), ZLAY_OK);
    const int64_t *values = o.cls == 'i' ? number_edges : o.cls == 's' ? scalar_edges : register_edges;
    size_t many = o.cls == 'i' ? sizeof number_edges / sizeof *number_edges
                : o.cls == 's' ? sizeof scalar_edges / sizeof *scalar_edges : sizeof register_edges / sizeof *register_edges;
    for (size_t i = 0; i < many; i++) {
        first[operand] = values[i];
        world_put(w, form, first);
    }
    first[operand] = legal;
}

/* Marks the lines that the assembler refuses. */
static void world_ask(const char *path, const char *cpu, bool *refused, uint32_t lines)
{
    char command[256], said[512];
    unsigned row;
    snprintf(command, sizeof command, "llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=%s -filetype=null %s 2>&1", cpu, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(said, sizeof said, pipe)) {
        const char *at = strstr(said, path);
        if (at == said && strstr(said, ": error:") && sscanf(said + strlen(path), ":%u:", &row) == 1 && row && row <= lines) refused[row - 1] = true;
    }
    pclose(pipe);
}

static uint32_t world_differs(world *w, const char *path, const char *cpu)
{
    char line[512];
    uint32_t wrong = 0;
    bool *refused = calloc(w->lines + 1, sizeof *refused);
    assert_non_null(refused);
    world_ask(path, cpu, refused, w->lines);
    FILE *again = fopen(path, "r");
    assert_non_null(again);
    for (uint32_t i = 0; i < w->lines && fgets(line, sizeof line, again); i++)
        if (refused[i] == w->ours[i] && wrong++ < 20) print_error("%s: zlay %d: %s", cpu, w->ours[i], line);
    fclose(again);
    free(refused);
    return wrong;
}

/* Forms with legal operands, a quarter of them by default; one in `every` with an operand at its edges. */
static uint32_t world_compare(const char *cpu, int64_t every, uint64_t *seed)
{
    char path[] = "/tmp/zlay-gfx-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    world w = {.file = fdopen(fd, "w"), .on = target_of(cpu)};
    for (uint32_t i = 0; i < count; i++) {
        int64_t first[8];
        size_t operands = legal_operands(first, forms[i]);
        if (every == 1 || test_range(seed, 1, 4) == 1) world_put(&w, forms[i], first);
        if (operands && test_range(seed, 1, every) == 1) world_edges(&w, forms[i], first, (size_t)test_range(seed, 0, (int64_t)operands - 1));
    }
    fclose(w.file);
    uint32_t wrong = world_differs(&w, path, cpu);
    printf("%s: %u lines\n", cpu, (unsigned)w.lines);
    remove(path);
    free(w.ours);
    return wrong;
}

static void the_assembler_agrees(void **state)
{
    (void)state;
    uint64_t seed = test_seed("isa/gfx");
    uint32_t wrong = 0;
    if (system("command -v llvm-mc-22 >/dev/null 2>&1")) {
        printf("SKIPPED: no llvm-mc-22 on this machine: instruction forms of gfx targets were compared with nothing\n");
        skip();
    }
    for (size_t t = 0; t < TARGETS; t++) wrong += world_compare(targets[t], test_hours() ? 1 : test_exhaustive() ? 10 : 60, &seed);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_says),
        cmocka_unit_test(rules_at_their_bounds),
        cmocka_unit_test(texts_are_taken_as_llvm_takes_them),
        cmocka_unit_test(the_assembler_agrees),
    };
    return cmocka_run_group_tests(tests, forms_read, NULL);
}
