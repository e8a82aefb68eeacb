/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a whole file or standard input into memory, up to a limit. */
#define _POSIX_C_SOURCE 200809L /* access */

#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool zl_file_lacks(const char *path)
{
    return strcmp(path, "-") != 0 && access(path, F_OK) && errno == ENOENT;
}

/* Reads a stream of unknown length; the buffer doubles. */
static char *stream_read(FILE *file, size_t most, size_t *length)
{
    size_t room = 1 << 16;
    char *text = malloc(room + 1);
    *length = 0;
    while (text) {
        *length += fread(text + *length, 1, room - *length, file);
        if (*length < room || room > most) break;
        char *larger = realloc(text, 2 * room + 1);
        if (!larger) free(text);
        text = larger;
        room *= 2;
    }
    if (text) text[*length] = 0;
    return text;
}

void zl_file_failed(const char *verb, const char *path, const char *why)
{
    fprintf(stderr, "zlay: cannot %s '%s'%s%s\n", verb, path, *why ? ": " : "", why);
}

char *zl_file_read(const char *path, size_t most, size_t *length)
{
    bool input = !strcmp(path, "-");
    errno = 0;
    FILE *file = input ? stdin : fopen(path, "rb");
    char *text = file ? stream_read(file, most, length) : NULL;
    const char *why = !text             ? (errno ? strerror(errno) : "")
                      : *length > most  ? "it is too long"
                      : ferror(file)    ? strerror(errno)
                                        : NULL;
    if (why) {
        zl_file_failed("read", path, why);
        free(text);
        text = NULL;
    }
    if (file && !input) fclose(file);
    return text;
}
