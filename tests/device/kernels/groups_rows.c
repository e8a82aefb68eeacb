/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of groups of rows by the public runtime: its text is compiled by nvcc where that is in the path, and every byte of the target is
 * compared, also of rows that no group has. */
#define _DEFAULT_SOURCE /* mkdtemp, unistd.h */
#include "groups_world.h"

enum { ROWS_GROUPS = 5, SOURCE = 700, TARGET = 900, ROW = 200, PITCH = 256 };

static const uint64_t from[ROWS_GROUPS + 1] = {3, 3, 250, 251, 500, 690}, to[ROWS_GROUPS + 1] = {0, 100, 420, 500, 640, 900};

/* The cubin of the text; NULL: nvcc does not take it. */
static void *compiled(const char *text, size_t *length)
{
    char folder[] = "/tmp/zlay-rows-XXXXXX", command[300], path[64];
    void *image = NULL;
    if (!mkdtemp(folder)) return NULL;
    snprintf(path, sizeof path, "%s/rows.cu", folder);
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file, "extern \"C\" {\n%s}\n", text);
        fclose(file);
    }
    snprintf(command, sizeof command, "nvcc -O3 -gencode arch=compute_90a,code=sm_90a -cubin -o %s/rows.cubin %s/rows.cu", folder, folder);
    bool made = file && !system(command);
    snprintf(path, sizeof path, "%s/rows.cubin", folder);
    file = made ? fopen(path, "rb") : NULL;
    if (file) {
        image = taken((size_t)1 << 22);
        *length = fread(image, 1, (size_t)1 << 22, file);
        fclose(file);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) ? NULL : image;
}

/* What the target must hold: the lesser count of each group, at its first rows. */
static uint64_t wrong_bytes(const uint8_t *source, const uint8_t *target)
{
    static uint8_t want[TARGET * PITCH];
    uint64_t wrong = 0;
    memset(want, 0x5a, sizeof want);
    for (int g = 0; g < ROWS_GROUPS; g++)
        for (uint64_t i = 0; i < from[g + 1] - from[g] && i < to[g + 1] - to[g]; i++) memcpy(want + (to[g] + i) * PITCH, source + (from[g] + i) * ROW, ROW);
    for (uint64_t i = 0; i < sizeof want; i++) wrong += target[i] != want[i];
    return wrong;
}

static void copied(world *w, zlay_kernel *kernel)
{
    uint8_t *source = taken(SOURCE * ROW), *target = taken(TARGET * PITCH);
    char says[80] = "";
    for (uint64_t i = 0; i < SOURCE * ROW; i++) source[i] = (uint8_t)test_random(&w->seed);
    memset(target, 0x5a, TARGET * PITCH);
    uint64_t at[] = {placed(w, target, TARGET * PITCH), placed(w, source, SOURCE * ROW)};
    must(w, zlay_kernel_set(w->ctx, kernel, "target", &at[0], 8), "target");
    must(w, zlay_kernel_set(w->ctx, kernel, "source", &at[1], 8), "source");
    must(w, zlay_kernel_set_offsets(w->ctx, kernel, "target_offsets", to, ROWS_GROUPS + 1), "target_offsets");
    must(w, zlay_kernel_set_offsets(w->ctx, kernel, "source_offsets", from, ROWS_GROUPS + 1), "source_offsets");
    must(w, zlay_kernel_launch(w->ctx, kernel, NULL), "launch of rows");
    must(w, zlay_device_wait(w->ctx, w->device), "wait");
    must(w, zlay_device_download(w->ctx, target, w->device, at[0], TARGET * PITCH), "download");
    uint64_t wrong = wrong_bytes(source, target);
    if (wrong) snprintf(says, sizeof says, "%llu bytes wrong", (unsigned long long)wrong);
    tell(w, "copy of rows", "offsets of the host", says);
    zlay_device_free(w->device, at[0]);
    zlay_device_free(w->device, at[1]);
    free(source);
    free(target);
}

void rows_tried(world *w, bool dry)
{
    const zlay_rows_kernel rows = {.size = sizeof rows, .kind = ZLAY_ROWS_COPY, .language = ZLAY_TEXT_CUDA, .groups = ROWS_GROUPS, .source_rows = SOURCE,
                                   .target_rows = TARGET, .row_bytes = ROW, .target_pitch = PITCH, .name = "pack", .name_length = 4};
    zlay_rows_launch launch;
    zlay_buf text = {NULL, 0, 0};
    size_t length = 0;
    if (zlay_emit_rows(w->ctx, &text, &launch, &rows) != ZLAY_EROOM) die(w, "text of rows");
    text.room = text.need + 1;
    text.text = taken(text.room);
    must(w, zlay_emit_rows(w->ctx, &text, &launch, &rows), "text of rows");
    bool compiles = !system("command -v nvcc > /dev/null");
    void *image = compiles ? compiled(text.text, &length) : NULL;
    if (!compiles) printf("copy of rows                 not run: no nvcc in the path\n");
    if (compiles) tell(w, "copy of rows", "compiled by nvcc", image ? "" : "it is not");
    if (image && !dry) {
        const zlay_rows_image request = {.size = sizeof request, .rows = &rows, .launch = &launch, .image = image, .length = length};
        zlay_kernel *kernel;
        must(w, zlay_kernel_load_rows(w->ctx, &kernel, w->device, &request), "load of rows");
        copied(w, kernel);
        zlay_kernel_free(kernel);
    }
    free(image);
    free(text.text);
}
