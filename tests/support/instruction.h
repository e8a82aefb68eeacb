/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction forms as lines of PTX, and what ptxas says of each line of a file. */
#ifndef TEST_INSTRUCTION_H
#define TEST_INSTRUCTION_H

#include "legality.h"

#include <stdbool.h>
#include <string.h>
#include <zlay/instruction.h>

enum { FORMS_MOST = 32768, LINE_ROOM = 8192, NAMES_MOST = 160 };

/* ---- forms --------------------------------------------------------------------- */

static inline uint32_t forms_all(uint32_t *out)
{
    uint32_t count = 0;
    while (count < FORMS_MOST && zlay_instruction_nth(&out[count], count) == ZLAY_OK) count++;
    assert_in_range(count, 1, FORMS_MOST - 1);
    return count;
}

static inline const char *form_id(uint32_t form)
{
    static char text[4][256];
    static unsigned turn;
    zlay_buf buf = {text[turn++ % 4], 256, 0};
    assert_int_equal(zlay_instruction_id(&buf, form), ZLAY_OK);
    return buf.text;
}

/* A constant that every rule of its operand takes, known here by the names of the PTX ISA. */
static inline int64_t constant_of(const char *id, const char *name)
{
    static const struct {
        const char *part, *name;
        int64_t value;
    } known[] = {{"st_bulk", "value", 0},
                 {"", "value", 1},                 {"", "bytes", 128},    {"", "registers", 40},
                 {"", "groups", 1},                {"", "ord", 1},        {"", "scale", 3},
                 {"", "offset", 16},               {"", "columns", 64},   {"", "count", 1},
                 {"", "expect", 16},               {"", "parity", 1},     {"", "barrier", 1},
                 {"", "threads", 64},              {"", "cta_mask", 3},   {"", "taken", 4},
                 {"", "size", 64}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(id, known[i].part) && !strcmp(known[i].name, name)) return known[i].value;
    fail_msg("%s: no constant known for %s", id, name);
    return 0;
}

static const char *const register_types[] = {['r'] = ".b32", ['d'] = ".b64", ['h'] = ".b16",
                                             ['q'] = ".b128", ['f'] = ".f32", ['g'] = ".f64",
                                             ['p'] = ".pred"};

/* A form of gfx targets, which ptxas is not asked about. */
static inline bool of_gfx(uint32_t form)
{
    zlay_form about;
    assert_int_equal(zlay_instruction_info(&about, form), ZLAY_OK);
    return !about.ptx;
}

/* A register of gfx targets, or several in a row, from one on. */
static inline void gfx_operand(char *out, size_t room, const zlay_operand *o, int64_t first)
{
    if (o->cls == 'i') snprintf(out, room, "%lld", (long long)first);
    else if (o->bits == 32) snprintf(out, room, "%c%lld", (char)o->cls, (long long)first);
    else snprintf(out, room, "%c[%lld:%lld]", (char)o->cls, (long long)first, (long long)first + o->bits / 32 - 1);
}

/* Each operand with the first register or number that is given it. */
static inline void gfx_line(char *out, size_t room, uint32_t form, const int64_t *first)
{
    static char names[NAMES_MOST][32];
    const char *operands[NAMES_MOST];
    zlay_operand o;
    size_t count = 0;
    for (; !zlay_instruction_operand_nth(&o, form, count); count++) {
        gfx_operand(names[count], sizeof names[count], &o, first[count]);
        operands[count] = names[count];
    }
    zlay_buf buf = {out, room, 0};
    assert_int_equal(zlay_instruction_print(&buf, form, operands, count), ZLAY_OK);
}

/* A form as one line: its registers in a scope of their own, and `given` in the place of the
 * operand of a name, where one is. */
static inline void form_line(char *out, uint32_t form, const char *name, int64_t given)
{
    static char names[NAMES_MOST][32];
    const char *operands[NAMES_MOST];
    zlay_operand o;
    zlay_form about;
    char id[256];
    snprintf(id, sizeof id, "%s", form_id(form));
    assert_int_equal(zlay_instruction_info(&about, form), ZLAY_OK);
    assert_in_range(about.operands, 0, NAMES_MOST - 1);
    int at = snprintf(out, LINE_ROOM, "{");
    for (uint32_t i = 0; i < about.operands; i++) {
        assert_int_equal(zlay_instruction_operand_nth(&o, form, i), ZLAY_OK);
        operands[i] = names[i];
        bool this = name && !strcmp(name, o.name);
        if (about.ptx && (this || o.cls == 'i')) {
            long long value = (long long)(this ? given : constant_of(id, o.name));
            snprintf(names[i], sizeof names[i], "%lld", value);
            continue;
        }
        snprintf(names[i], sizeof names[i], "%%%s", o.name);
        if (!about.ptx) snprintf(names[i], sizeof names[i], "%c%u:%s", (char)o.cls, (unsigned)o.bits, o.name);
        if (!about.ptx) continue;
        at += snprintf(out + at, (size_t)(LINE_ROOM - at), " .reg %s %s;", register_types[o.cls],
                       names[i]);
    }
    zlay_buf buf = {out + at + 1, (size_t)(LINE_ROOM - at - 8), 0};
    out[at] = ' ';
    assert_int_equal(zlay_instruction_print(&buf, form, operands, about.operands), ZLAY_OK);
    strcat(out, " }\n");
}

/* ---- ptxas --------------------------------------------------------------------- */

static inline bool ptxas_found(void)
{
    return !system("command -v ptxas >/dev/null || test -x /usr/local/cuda/bin/ptxas");
}

typedef struct assembly {
    const char *target;
    uint32_t version;
    bool parse_only;        /* as the virtual architecture: nothing is generated */
    const char *const *line; /* each a whole line of text */
    uint32_t count;
    bool *taken;            /* out: what ptxas says of each */
} assembly;

/* Members of a pair and single blocks do not mix in a kernel; what a kernel costs grows faster than its lines. */
enum { KERNEL_LINES = 256 };
static inline bool of_pair(const char *line) { return strstr(line, "cta_group::2") != NULL; }

static inline void assembly_write(const assembly *a, const char *path, uint32_t *row_of)
{
    FILE *out = fopen(path, "w");
    uint32_t row = 3, kernels = 0;
    assert_non_null(out);
    fprintf(out, ".version %u.%u\n.target %s\n.address_size 64\n", a->version / 10, a->version % 10,
            a->target);
    for (int pair = 0; pair < 2; pair++) {
        uint32_t lines = 0;
        for (uint32_t i = 0; i < a->count; i++) {
            if (!a->taken[i] || of_pair(a->line[i]) != pair) continue;
            if (lines++ % KERNEL_LINES == 0) {
                row += kernels ? 2 : 1;
                fprintf(out, "%s.visible .entry k%u() .maxntid 128 {\n", kernels ? "ret; }\n" : "", (unsigned)kernels);
                kernels++;
            }
            row_of[++row] = i;
            fputs(a->line[i], out);
        }
    }
    fputs(kernels ? "ret; }\n" : "", out);
    assert_int_equal(fclose(out), 0);
}

/* Strike out the lines that ptxas complains of; how many there were, or -1 where it ended otherwise
 * without naming one. */
static inline int assembly_strike(const assembly *a, const char *command, const uint32_t *row_of,
                                  uint32_t rows)
{
    char said[4096], last[4096] = "";
    unsigned row;
    int struck = 0;
    FILE *in = popen(command, "r");
    assert_non_null(in);
    while (fgets(said, sizeof said, in)) {
        const char *at = strstr(said, ", line ");
        if (strstr(said, "rror") || strstr(said, "atal")) snprintf(last, sizeof last, "%s", said);
        if (!at || sscanf(at, ", line %u;", &row) != 1) continue;
        if (!strstr(at, "; error") && !strstr(at, "; fatal")) continue;
        if (row <= 2) continue;
        if (row >= rows || row_of[row] == UINT32_MAX) fail_msg("%s", said);
        struck += a->taken[row_of[row]];
        a->taken[row_of[row]] = false;
    }
    int status = pclose(in);

    if (status && !struck) print_error("%s %u: %s", a->target, (unsigned)a->version, last);
    return status && !struck ? -1 : struck;
}

/* ptxas says of every line that it refuses why; a file is put to it again without those until it
 * takes the rest, so that what it takes was assembled. False: it refuses the file itself. */
static inline bool assemble(const assembly *a)
{
    enum { ROUNDS = 400 };
    char path[64], command[256];
    const uint32_t rows = a->count + a->count / (KERNEL_LINES / 4) + 64;
    uint32_t *row_of = malloc(rows * sizeof *row_of);
    assert_non_null(row_of);
    snprintf(path, sizeof path, "/tmp/zlay-forms-XXXXXX");
    int file = mkstemp(path), struck = 1;
    assert_true(file >= 0);
    close(file);
    snprintf(command, sizeof command,
             "PATH=\"$PATH:/usr/local/cuda/bin\" ptxas -O0 -arch=%s%s -o /dev/null %s 2>&1",
             a->parse_only ? "compute" : "sm", a->target + 2, path);
    for (uint32_t i = 0; i < a->count; i++) a->taken[i] = true;
    for (int round = 0; round < ROUNDS && struck > 0; round++) {
        memset(row_of, 0xff, rows * sizeof *row_of);
        assembly_write(a, path, row_of);
        struck = assembly_strike(a, command, row_of, rows);
    }
    remove(path);
    free(row_of);
    if (struck > 0) fail_msg("%s: ptxas does not come to an end", a->target);
    return !struck;
}

/* ---- verdicts beside it ---------------------------------------------------------- */

/* Whether nothing that ptxas enforces is broken. */
static inline bool assembles(const zlay_target *on, const zlay_instruction *asked)
{
    zlay_verdict v;
    zlay_reason reasons[16];
    bool refused = false;
    assert_int_equal(zlay_instruction_check(&v, reasons, 16, on, asked), ZLAY_OK);
    assert_in_range(v.reasons, 0, 16);
    for (uint32_t i = 0; i < v.reasons; i++) refused |= reasons[i].by == ZLAY_BY_ASSEMBLER;
    return !refused;
}

/* Of the lines that zlay takes, or of those that it refuses, how many ptxas sees otherwise. A file of lines that are all
 * taken is read once, while one with refused lines is read again and again. */
static inline uint32_t lines_differ(const zlay_instruction *asked, char **lines, const uint32_t *which, uint32_t count,
                                    bool expected, assembly *a)
{
    enum { PRINTED = 12 };
    uint32_t wrong = 0;
    const char **line = calloc(count + 1, sizeof *line);
    bool *taken = calloc(count + 1, sizeof *taken);
    assert_true(line && taken);
    for (uint32_t i = 0; i < count; i++) line[i] = lines[which[i]];
    a->line = line, a->count = count, a->taken = taken;
    bool file = !count || assemble(a);
    for (uint32_t i = 0; i < count; i++) {
        bool took = file && taken[i];
        if (took == expected) continue;
        if (wrong++ < PRINTED)
            print_error("%s PTX %u: ptxas %s %s: %s", a->target, (unsigned)a->version, took ? "takes" : "refuses",
                        form_id(asked[which[i]].form), line[i]);
    }
    free(line);
    free(taken);
    return wrong;
}

/* What ptxas takes breaks no rule of its own, what it refuses breaks one: how many differ. */
static inline uint32_t lines_compare(const zlay_instruction *asked, char **lines, uint32_t count,
                                     const zlay_target *on, uint32_t version, bool parse_only)
{
    uint32_t wrong = 0, many[2] = {0, 0}, *which[2] = {calloc(count + 1, sizeof(uint32_t)), calloc(count + 1, sizeof(uint32_t))};
    assert_true(which[0] && which[1]);
    for (uint32_t i = 0; i < count; i++) {
        bool yes = assembles(on, &asked[i]);
        which[yes][many[yes]++] = i;
    }
    for (int yes = 0; yes < 2; yes++) {
        assembly a = {.target = zlay_target_name(on), .version = version, .parse_only = parse_only};
        wrong += lines_differ(asked, lines, which[yes], many[yes], yes, &a);
        free(which[yes]);
    }
    return wrong;
}

static inline void lines_free(char **lines, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) free(lines[i]);
    free(lines);
}

/* Every form with constants that are legal. */
static inline uint32_t forms_compare(const uint32_t *forms, uint32_t all, const zlay_target *on,
                                     uint32_t version, bool parse_only)
{
    static char *lines[FORMS_MOST], line[LINE_ROOM];
    static zlay_instruction asked[FORMS_MOST];
    uint32_t count = 0;
    for (uint32_t k = 0; k < all; k++) {
        if (of_gfx(forms[k])) continue;
        uint32_t i = count++;
        bool same = lines[i] && asked[i].form == forms[k];
        asked[i] = (zlay_instruction){.form = forms[k], .ptx = version};
        if (same) continue;
        free(lines[i]);
        form_line(line, forms[k], NULL, 0);
        assert_non_null(lines[i] = strdup(line));
    }
    return lines_compare(asked, lines, count, on, version, parse_only);
}

/* Around every bound that a constant might have. */
static const int64_t constant_values[] = {
    -1,      0,       1,       2,       3,       4,        5,        7,        8,
    9,       12,      13,      14,      15,      16,       17,       23,       24,
    25,      31,      32,      33,      40,      48,       63,       64,       96,
    127,     128,     129,     255,     256,     257,      264,      384,      511,
    512,     513,     1023,    1024,    1025,    1056,     65535,    65536,    1048559,
    1048560, 1048561, 1048575, 1048576, 1048577, 16777208, 16777216, 16777217, 16777224,
    INT32_MAX};
enum { VALUES = sizeof constant_values / sizeof *constant_values, BATCH = 6000 };

typedef struct constants {
    zlay_instruction asked[BATCH];
    char *lines[BATCH];
    uint32_t count, wrong, version;
    const zlay_target *on;
} constants;

static inline void constants_flush(constants *c)
{
    char **lines = calloc(c->count + 1, sizeof *lines);
    assert_non_null(lines);
    memcpy(lines, c->lines, c->count * sizeof *lines);
    c->wrong += lines_compare(c->asked, lines, c->count, c->on, c->version, false);
    lines_free(lines, c->count);
    c->count = 0;
}

static inline void constants_put(constants *c, uint32_t form, const zlay_operand *o)
{
    static char line[LINE_ROOM];
    for (size_t i = 0; i < VALUES; i++) {
        if (c->count == BATCH) constants_flush(c);
        form_line(line, form, o->name, constant_values[i]);
        assert_non_null(c->lines[c->count] = strdup(line));
        c->asked[c->count++] =
            (zlay_instruction){form, c->version, 1, 0, {{o->field, 0, constant_values[i]}}};
    }
}

/* One form of `every` at random that has constants, with each value in the place of each. */
static inline uint32_t constants_compare(const uint32_t *forms, uint32_t count,
                                         const zlay_target *on, uint32_t version,
                                         int64_t every, uint64_t *seed)
{
    static constants c;
    zlay_operand o;
    memset(&c, 0, sizeof c);
    c.on = on;
    c.version = version;
    for (uint32_t i = 0; i < count; i++) {
        zlay_instruction asked = {.form = forms[i], .ptx = version};
        if (!assembles(on, &asked) || test_range(seed, 1, every) != 1) continue;
        for (size_t k = 0; !zlay_instruction_operand_nth(&o, forms[i], k); k++)
            if (o.field) constants_put(&c, forms[i], &o);
    }
    constants_flush(&c);
    return c.wrong;
}

#endif
