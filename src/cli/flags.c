/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the flags of the commands by the rows of flags.def: each names a field of zl_options
 * and the function that reads its value. */
#include "base/scan.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef bool reader(void *to, const char *text);

static bool read_digits(const char *text, const char **end, uint64_t *out)
{
    char *stop;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    unsigned long long value = strtoull(text, &stop, 10);
    *end = stop;
    *out = value;
    return !errno;
}

static bool read_count(void *to, const char *text)
{
    uint64_t value;
    const char *end;
    if (!read_digits(text, &end, &value) || *end) return false;
    memcpy(to, &value, sizeof value);
    return true;
}

static bool read_small(void *to, const char *text)
{
    uint64_t value;
    const char *end;
    if (!read_digits(text, &end, &value) || *end || !value || value > UINT32_MAX) return false;
    *(uint32_t *)to = (uint32_t)value;
    return true;
}

/* Reads `count` numbers, at most three, into consecutive 32-bit fields. */
static bool read_extents(void *to, const char *text, int count)
{
    uint32_t extents[3];
    for (int i = 0; i < count; i++) {
        uint64_t value;
        if (!read_digits(text, &text, &value) || !value || value > UINT32_MAX) return false;
        if (*text != (i < count - 1 ? 'x' : 0)) return false;
        extents[i] = (uint32_t)value;
        text++;
    }
    memcpy(to, extents, (size_t)count * sizeof *extents);
    return true;
}

static bool read_tile(void *to, const char *text)
{
    return read_extents(to, text, 3);
}
static bool read_pair(void *to, const char *text)
{
    return read_extents(to, text, 2);
}

static bool read_strides(void *to, const char *text)
{
    uint64_t each[3];
    for (int i = 0; i < 3; i++) {
        if (!read_digits(text, &text, &each[i]) || *text != (i < 2 ? ',' : 0)) return false;
        text++;
    }
    memcpy(to, each, sizeof each);
    return true;
}

static bool read_order(void *to, const char *text)
{
    int32_t order = !strcmp(text, "row")   ? ZLAY_ORDER_ROW
                    : !strcmp(text, "col") ? ZLAY_ORDER_COLUMN
                                           : ZLAY_ORDER_DEFAULT;
    memcpy(to, &order, sizeof order);
    return order != ZLAY_ORDER_DEFAULT;
}

/* u8 has the number that means the default. */
static bool read_type(void *to, const char *text)
{
    int32_t type;
    if (zlay_type_find(&type, text, strlen(text))) return false;
    if (type == ZLAY_TYPE_U8) type = ZLAY_GEMM_U8;
    memcpy(to, &type, sizeof type);
    return true;
}

/* A word of a list, by its place there. */
static bool read_word(void *to, const char *const *words, const char *text)
{
    for (int32_t i = 0; words[i]; i++)
        if (!strcmp(words[i], text)) {
            memcpy(to, &i, sizeof i);
            return true;
        }
    return false;
}

static bool read_choice(void *to, const char *text)
{
    static const char *const words[] = {"never", "auto", "always", NULL};
    return read_word(to, words, text);
}

static bool read_bit(void *to, const char *text)
{
    static const char *const words[] = {"no", "yes", NULL};
    return read_word(to, words, text);
}

static bool read_lengths(void *to, const char *text)
{
    static const char *const words[] = {"equal", "padded", "packed", NULL};
    return read_word(to, words, text);
}

/* In the order of ZLAY_OVERLAP_*. */
static bool read_choice_or(void *to, const char *text)
{
    static const char *const words[] = {"auto", "never", "always", NULL};
    return read_word(to, words, text);
}

/* "auto", or how many blocks. */
static bool read_split(void *to, const char *text)
{
    bool is_auto = !strcmp(text, "auto");
    if (!is_auto) return read_small(to, text) && *(uint32_t *)to != ZLAY_SPLIT_AUTO;
    *(uint32_t *)to = ZLAY_SPLIT_AUTO;
    return true;
}

/* In the order of ZLAY_SCALES_*. */
static bool read_scales(void *to, const char *text)
{
    static const char *const words[] = {"none", "1x128", "128x128", "1x32", "1x16", NULL};
    return read_word(to, words, text);
}

static bool read_multicast(void *to, const char *text)
{
    static const char *const words[] = {"none", "auto", "a", "b", NULL};
    return read_word(to, words, text);
}

static bool read_ragged(void *to, const char *text)
{
    static const char *const words[] = {"rows", "k", NULL};
    return read_word(to, words, text);
}

static bool read_text(void *to, const char *text)
{
    memcpy(to, &text, sizeof text);
    return *text;
}

/* A name that kernels and functions may have. */
static bool read_name(void *to, const char *text)
{
    memcpy(to, &text, sizeof text);
    return zl_is_name(text, strlen(text));
}

#define COUNT read_count
#define SMALL read_small
#define TILE read_tile
#define ORDER read_order
#define TYPE read_type
#define CHOICE read_choice
#define MULTICAST read_multicast
#define RAGGED read_ragged
#define SCALES read_scales
#define SPLIT read_split
#define PAIR read_pair
#define STRIDES read_strides
#define EITHER read_bit
#define LENGTHS read_lengths
#define CHOICE_OR read_choice_or
#define TEXT read_text
#define NAME read_name
static const struct {
    const char *name, *argument, *text;
    reader *read;
    size_t offset;
    int of;
} flags[] = {
#define FLAG(name, of, kind, member, argument, text)                                               \
    {name, argument, text, kind, offsetof(zl_options, member), ZL_OF_##of},
#include "cli/flags.def"
};

enum { FLAGS = sizeof flags / sizeof flags[0], TYPES = 64 };

static const char *const commands[] = {[ZL_OF_PLAN] = "plan gemm",
                                       [ZL_OF_RUN] = "run gemm",
                                       [ZL_OF_PLAN_ATTENTION] = "plan attention",
                                       [ZL_OF_TUNE] = "tune gemm",
                                       [ZL_OF_RUN_ATTENTION] = "run attention",
                                       [ZL_OF_TUNE_ATTENTION] = "tune attention"};

/* The flag of a command that `--NAME` or `--NAME=VALUE` names; FLAGS: none. */
static size_t flag_find(int command, const char *argument)
{
    size_t i = 0, length = strcspn(argument, "=");
    if (strncmp(argument, "--", 2) != 0) return FLAGS;
    while (i < FLAGS && (!(flags[i].of & command) || strlen(flags[i].name) + 2 != length ||
                         memcmp(flags[i].name, argument + 2, length - 2) != 0))
        i++;
    return i;
}

/* Refuses a size of zero; in the request struct zero means the default, on the command line it
 * is an error. */
static bool size_given(size_t flag, const char *value)
{
    bool size = flags[flag].read == read_count && flags[flag].offset < offsetof(zl_options, target);
    return !size || strspn(value, "0") != strlen(value);
}

/* The word of a flag, or the type, that a value is most like. */
static zl_like value_like(size_t flag, const char *value)
{
    zl_like like = zl_like_begin(value, strlen(value));
    for (int32_t i = 0; flags[flag].read == read_type && i < TYPES; i++)
        if (zlay_type_name(i)) zl_like_offer(&like, zlay_type_name(i));
    for (const char *at = flags[flag].argument; strchr(flags[flag].argument, '|') && *at;) {
        char word[16];
        size_t length = strcspn(at, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        zl_like_offer(&like, word);
        at += length + (at[length] == '|');
    }
    return like;
}

static bool flag_read(zl_options *out, size_t flag, const char *value)
{
    bool read =
        size_given(flag, value) && flags[flag].read((char *)out + flags[flag].offset, value);
    if (!read) {
        zl_like like = value_like(flag, value);
        fprintf(stderr, "zlay: --%s wants %s, not '%s'%s\n", flags[flag].name, flags[flag].argument,
                value, like.hint);
    }
    if (flags[flag].offset == offsetof(zl_options, model)) out->model_given = true;
    return read;
}

static void no_flag(int command, const char *argument)
{
    size_t length = strcspn(argument, "=");
    zl_like like = zl_like_begin(argument, length);
    uint32_t half = length > 2 ? (uint32_t)(length - 2) / 2 : 0; /* the dashes are not misspelt */
    if (like.far > 1 + half) like.far = 1 + half;
    for (size_t i = 0; i < FLAGS; i++) {
        char name[32];
        snprintf(name, sizeof name, "--%s", flags[i].name);
        if (flags[i].of & command) zl_like_offer(&like, name);
    }
    fprintf(stderr, "zlay: %s has no flag '%s'%s; zlay %s --help lists them\n", commands[command],
            argument, like.hint, commands[command]);
}

bool zl_options_read(zl_options *out, int command, int argc, char **argv)
{
    *out = (zl_options){
        .gemm = {.size = sizeof out->gemm, .m = 4096, .n = 4096, .k = 4096},
        .attention = {.size = sizeof out->attention, .head = 128, .queries = 4096, .heads = 16},
        .candidates = 8,
        .rounds = 25,
        .target = "sm_90a",
        .name = command & ZL_OF_ATTENTION ? "attention" : "gemm"};
    for (int i = 0; i < argc; i++) {
        const char *argument = argv[i], *equals = strchr(argument, '=');
        size_t flag = flag_find(command, argument);
        if (flag == FLAGS) {
            no_flag(command, argument);
            return false;
        }
        bool alone = flags[flag].read == read_bit && (i + 1 == argc || argv[i + 1][0] == '-');
        const char *value = equals ? equals + 1 : alone ? "yes" : i + 1 < argc ? argv[++i] : "";
        if (!flag_read(out, flag, value)) return false;
    }
    if (!out->attention.keys) out->attention.keys = out->attention.queries;
    return true;
}

void zl_options_help(int commands_of)
{
    for (size_t i = 0; i < FLAGS; i++)
        if (flags[i].of & commands_of)
            printf("  --%-8s %-10s %s\n", flags[i].name, flags[i].argument, flags[i].text);
}
