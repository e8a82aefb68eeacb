/* SPDX-License-Identifier: Apache-2.0 */
/* Every input that fuzzing found worth keeping, once: the corpus of each target and what once broke it
 * (tests/fuzz/corpus, tests/fuzz/crashers), without a fuzzer. */
#define _POSIX_C_SOURCE 200809L /* opendir */

#include "test.h"

#include "fuzz/targets.c"

#include <dirent.h>

#define ctx_new texts_ctx_new
#undef STATE
#include "fuzz/texts.c"

enum { MOST = 1 << 20 };

/* A copy of the exact size, so that a sanitizer sees a read past its end. */
static void run_file(const fuzz_row *row, const char *path)
{
    static char bytes[MOST];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    int line = row->target(copy, size);
    free(copy);
    if (line) fail_msg("%s: the statement of line %d is broken", path, line);
}

static size_t run_folder(const fuzz_row *row, const char *root)
{
    char path[512];
    size_t count = 0;
    snprintf(path, sizeof path, "%s/%s", root, row->name);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s/%s", root, row->name, entry->d_name);
        run_file(row, path);
        count++;
    }
    if (folder) closedir(folder);
    return count;
}

static void corpus_holds(void **state)
{
    (void)state;
    for (const fuzz_row *row = fuzz_rows; row->name; row++) {
        size_t count = run_folder(row, "tests/fuzz/corpus");
        printf("%s: %zu inputs\n", row->name, count);
        assert_true(count > 0);
    }
}

static void crashers_hold(void **state)
{
    size_t count = 0;
    (void)state;
    for (const fuzz_row *row = fuzz_rows; row->name; row++)
        count += run_folder(row, "tests/fuzz/crashers");
    printf("%zu inputs that once broke a target\n", count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corpus_holds),
        cmocka_unit_test(crashers_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
