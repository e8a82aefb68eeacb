/* SPDX-License-Identifier: Apache-2.0 */
/* zlay emit prints a function or constant for another author's kernel, zlay show draws, zlay io
 * finds the tile and order that move the fewest bytes, and zlay pipe cycles reckons. The arguments
 * in a command's row are fields of an operation of zlay batch, which reads and refuses them. */
#include "cli/cli.h"
#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TEXT_MOST = 1 << 20, WIDTH_LEAST = 20 };

/* The arguments of a command of two words. */
static const char *usage_of(const char *command, const char *what)
{
    static const char *const rows[][2] = {
#define COMMAND(words, call, arguments, text) {words, arguments},
#include "cli/commands.def"
    };
    size_t first = strlen(command);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strncmp(rows[i][0], command, first) && rows[i][0][first] == ' ' &&
            !strcmp(rows[i][0] + first + 1, what))
            return rows[i][1];
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

/* Puts the text of a file in the place of its path, or of -, standard input; false, and said. */
static bool files_read(const char *usage, int argc, char **argv, char **read)
{
    for (int i = 0; i < argc && !*read; i++) {
        if (strcmp(argv[i], "-") && !is_file(usage, i)) continue;
        argv[i] = *read = text_read(argv[i]);
        if (!*read) return false;
    }
    return true;
}

static int printed(zlay_ctx *ctx, zlay_status status, const char *command, char *text, char *read)
{
    size_t length = text ? strlen(text) : 0;
    if (text) fputs(text, stdout);
    if (length && text[length - 1] != '\n') putchar('\n');
    free(text);
    free(read);
    return status ? zl_cli_say(ctx, status, command) : ZL_EXIT_YES;
}

/* argv[-1] is the command's last word. */
int zl_emit(zlay_ctx *ctx, int argc, char **argv)
{
    const char *what = argv[-1], *usage = usage_of("emit", what);
    char *read = NULL, *text = NULL;
    if (!files_read(usage, argc, argv, &read)) return ZL_EXIT_ERROR;
    zl_progress_begin(ctx, "planning");
    zlay_status status = zl_emit_asked(ctx, &text, what, usage, argc, argv);
    zl_progress_end();
    return printed(ctx, status, "emit", text, read);
}

int zl_io(zlay_ctx *ctx, int argc, char **argv)
{
    const char *what = argv[-1];
    char *text = NULL;
    zl_progress_begin(ctx, "searching");
    zlay_status status = zl_io_asked(ctx, &text, what, usage_of("io", what), argc, argv);
    zl_progress_end();
    return printed(ctx, status, "io", text, NULL);
}

int zl_pipe_cycles_of(zlay_ctx *ctx, int argc, char **argv)
{
    const char *usage = usage_of("pipe", "cycles");
    char *read = NULL, *text = NULL;
    if (!files_read(usage, argc, argv, &read)) return ZL_EXIT_ERROR;
    zl_progress_begin(ctx, "running the pipe");
    zlay_status status = zl_cycles_asked(ctx, &text, usage, argc, argv);
    zl_progress_end();
    return printed(ctx, status, "pipe cycles", text, read);
}

/* ---- pictures --------------------------------------------------------- */

/* The characters of the terminal's line; 0: it is none, or does not tell. */
static uint32_t width_of(void)
{
    struct winsize size;
    return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col >= WIDTH_LEAST ? size.ws_col : 0;
}

int zl_show(zlay_ctx *ctx, int argc, char **argv)
{
    char *read = NULL, *text = NULL;
    const char *plain = getenv("NO_COLOR");
    zl_show_line line = {argv[-1], usage_of("show", argv[-1]), width_of(),
                         isatty(STDOUT_FILENO) && !(plain && *plain)};
    if (!files_read(line.usage, argc, argv, &read)) return ZL_EXIT_ERROR;
    zl_progress_begin(ctx, "drawing");
    zlay_status status = zl_show_asked_of(ctx, &text, &line, argc, argv);
    zl_progress_end();
    return printed(ctx, status, "show", text, read);
}
