/* SPDX-License-Identifier: Apache-2.0 */
/* zlay emit: prints a function or constant for another author's kernel. The arguments in the row of
 * a command are fields of the operation emit of zlay batch, which reads and refuses them. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 1 << 20 };

/* The arguments of the command `emit WHAT`. */
static const char *usage_of(const char *what)
{
    static const char *const rows[][2] = {
#define COMMAND(words, call, arguments, text) {words, arguments},
#include "cli/commands.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strncmp(rows[i][0], "emit ", 5) && !strcmp(rows[i][0] + 5, what)) return rows[i][1];
    return "";
}

/* Whether the i-th argument is the path of a file. */
static bool is_file(const char *usage, int i)
{
    while (i--) usage += strcspn(usage, " "), usage += strspn(usage, " ");
    return !strncmp(usage, "FILE", 4);
}

/* The text that an argument stands for, without the end of its last line; NULL, and said. */
static char *text_read(const char *path)
{
    size_t length;
    char *text = zl_file_read(path, TEXT_MOST, &length);
    bool whole = text && strlen(text) == length;
    if (text && !whole) zl_file_failed("read", path, "it has a byte that is 0");
    while (whole && length && text[length - 1] == '\n') text[--length] = 0;
    if (whole) return text;
    free(text);
    return NULL;
}

/* argv[-1] is the command's last word. An argument - stands for the text of standard input. */
int zl_emit(zlay_ctx *ctx, int argc, char **argv)
{
    const char *what = argv[-1], *usage = usage_of(what);
    char *read = NULL, *text = NULL;
    for (int i = 0; i < argc && !read; i++) {
        if (strcmp(argv[i], "-") && !is_file(usage, i)) continue;
        argv[i] = read = text_read(argv[i]);
        if (!read) return ZL_EXIT_ERROR;
    }
    zlay_status status = zl_emit_asked(ctx, &text, what, usage, argc, argv);
    if (text) fputs(text, stdout);
    free(text);
    free(read);
    return status ? zl_cli_say(ctx, status, "emit") : ZL_EXIT_YES;
}
