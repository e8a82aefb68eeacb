/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is read of a file of unknown length, doubled as it grows. */
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

char *zl_file_read(const char *path, size_t most, size_t *length)
{
    bool input = !strcmp(path, "-");
    FILE *file = input ? stdin : fopen(path, "rb");
    char *text = file ? stream_read(file, most, length) : NULL;
    bool large = text && *length > most;
    if (text && (large || ferror(file))) {
        free(text);
        text = NULL;
    }
    if (!text) fprintf(stderr, "zlay: cannot read '%s'%s\n", path, large ? ": it is too long" : "");
    if (file && !input) fclose(file);
    return text;
}
