/* SPDX-License-Identifier: Apache-2.0 */
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

/* Three 32-bit members in a row. */
static bool read_tile(void *to, const char *text)
{
    uint32_t extents[3];
    for (int i = 0; i < 3; i++) {
        uint64_t value;
        if (!read_digits(text, &text, &value) || !value || value > UINT32_MAX) return false;
        if (*text != (i < 2 ? 'x' : 0)) return false;
        extents[i] = (uint32_t)value;
        text++;
    }
    memcpy(to, extents, sizeof extents);
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

static bool read_text(void *to, const char *text)
{
    memcpy(to, &text, sizeof text);
    return *text;
}

#define COUNT read_count
#define SMALL read_small
#define TILE read_tile
#define ORDER read_order
#define TEXT read_text
static const struct {
    const char *name, *argument, *text;
    reader *read;
    size_t offset;
} flags[] = {
#define FLAG(name, kind, member, argument, text)                                                   \
    {name, argument, text, kind, offsetof(zl_options, member)},
#include "cli/flags.def"
};

enum { FLAGS = sizeof flags / sizeof flags[0] };

static size_t flag_find(const char *name)
{
    size_t i = 0;
    while (i < FLAGS && strcmp(flags[i].name, name)) i++;
    return i;
}

/* Zero elements are no default here, unlike in the struct. */
static bool size_given(const zl_options *options, size_t flag, const char *value)
{
    bool size = flags[flag].read == read_count && flags[flag].offset < sizeof options->gemm;
    return !size || strspn(value, "0") != strlen(value);
}

bool zl_options_read(zl_options *out, int argc, char **argv)
{
    *out = (zl_options){.gemm = {.size = sizeof out->gemm, .m = 4096, .n = 4096, .k = 4096},
                        .target = "sm_90a",
                        .name = "gemm"};
    for (int i = 0; i < argc; i += 2) {
        size_t flag = strncmp(argv[i], "--", 2) ? FLAGS : flag_find(argv[i] + 2);
        if (flag == FLAGS) {
            fprintf(stderr, "zlay: no flag is called '%s'\n", argv[i]);
            return false;
        }
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!size_given(out, flag, value) ||
            !flags[flag].read((char *)out + flags[flag].offset, value)) {
            fprintf(stderr, "zlay: --%s wants %s, not '%s'\n", flags[flag].name,
                    flags[flag].argument, value);
            return false;
        }
        if (flags[flag].offset == offsetof(zl_options, model)) out->model_given = true;
    }
    return true;
}

void zl_options_help(void)
{
    for (size_t i = 0; i < FLAGS; i++)
        printf("  --%-8s %-10s %s\n", flags[i].name, flags[i].argument, flags[i].text);
}
