/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the files of --out and --header, whole or not at all, even if the machine stops: the
 * text goes into a fresh file beside the wanted one (O_EXCL), is synced, and is renamed; then
 * the folder is synced. Only a regular file is replaced, never a device, pipe, folder or
 * symbolic link. */
#define _POSIX_C_SOURCE 200809L /* openat, renameat, fsync, O_NOFOLLOW */

#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100, SUFFIX_MOST = 64 };

typedef struct output {
    int folder;
    const char *name;  /* in the folder */
    char *fresh;       /* the name beside it */
    mode_t mode;
    const char *why;   /* of a failure that errno does not tell */
} output;

static bool folder_open(output *o, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 1;
    char *folder = malloc(length + 2);
    if (!folder) return false;
    memcpy(folder, slash ? path : ".", length);
    strcpy(folder + length, slash ? "/" : "");
    o->name = slash ? slash + 1 : path;
    o->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    return o->folder >= 0;
}

/* Whether the place is free or a regular file, whose mode the new one takes. */
static bool place_free(output *o)
{
    struct stat there;
    if (!*o->name) return errno = EISDIR, false;
    if (fstatat(o->folder, o->name, &there, AT_SYMLINK_NOFOLLOW)) return errno == ENOENT;
    o->mode = there.st_mode & 0777;
    if (S_ISREG(there.st_mode)) return true;
    o->why = S_ISLNK(there.st_mode) ? "it is a symbolic link, and only a regular file is replaced"
                                    : "it is no regular file";
    return false;
}

/* Opens a file that is ours alone (O_EXCL). */
static int fresh_open(output *o)
{
    size_t room = strlen(o->name) + SUFFIX_MOST;
    int file = -1;
    o->fresh = malloc(room);
    if (!o->fresh) return -1;
    for (int n = 0; n < TRIES && file < 0; n++) {
        snprintf(o->fresh, room, "%s.%ld-%d.new", o->name, (long)getpid(), n);
        file = openat(o->folder, o->fresh,
                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST) break;
    }
    if (file < 0) free(o->fresh), o->fresh = NULL;
    return file;
}

static bool text_write(int file, const char *text, size_t length)
{
    while (length) {
        ssize_t put = write(file, text, length);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        text += put;
        length -= (size_t)put;
    }
    return !fsync(file);
}

/* Writes and syncs; a folder that cannot be synced (EINVAL) is left to its file system. */
static bool fresh_write(output *o, const char *text, size_t length)
{
    int file = fresh_open(o);
    if (file < 0) return false;
    bool done = text_write(file, text, length) && (!o->mode || !fchmod(file, o->mode));
    int error = errno;
    if (close(file) && done) done = false, error = errno;
    if (done && renameat(o->folder, o->fresh, o->folder, o->name)) done = false, error = errno;
    if (!done) unlinkat(o->folder, o->fresh, 0);
    errno = error;
    return done && (!fsync(o->folder) || errno == EINVAL);
}

bool zl_file_write(const char *path, const char *text, size_t length)
{
    output o = {.folder = -1};
    errno = 0;
    bool done = folder_open(&o, path) && place_free(&o) && fresh_write(&o, text, length);
    if (!done) zl_file_failed("write", path, o.why ? o.why : errno ? strerror(errno) : "");
    if (o.folder >= 0) close(o.folder);
    free(o.fresh);
    return done;
}
