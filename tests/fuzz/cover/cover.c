/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer's side of the fuzz targets (`make fuzz-cov`): coverage chooses the bytes.  FUZZ_TARGET names one row of
 * fuzz_rows; a broken statement ends the process as a crash does, so that the bytes are kept. */
#include "../fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const fuzz_row *row;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("FUZZ_TARGET");
    (void)argc;
    (void)argv;
    for (row = fuzz_rows; row->name && (!name || strcmp(row->name, name)); row++) {}
    if (row->name) return 0;
    fprintf(stderr, "FUZZ_TARGET names no target; the targets:");
    for (row = fuzz_rows; row->name; row++) fprintf(stderr, " %s", row->name);
    fprintf(stderr, "\n");
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int line = row->target((const char *)bytes, size);
    if (line) fprintf(stderr, "%s: the statement of line %d is broken\n", row->name, line);
    if (line) abort();
    return 0;
}
