/* SPDX-License-Identifier: Apache-2.0 */
/* What products of groups and packed attention share on a device: memory, random data, canaries, and what is told. */
#ifndef GROUPS_WORLD_H
#define GROUPS_WORLD_H

#include "device/rig/bf16.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlay/runtime.h>
#include <zlay/zlay.h>

enum { BESIDE = 4096 /* elements on either side of a result */, CANARY = 0x7fc1 };

typedef struct world {
    zlay_ctx *ctx;
    zlay_device *device;
    const zlay_target *target;
    uint64_t seed;
    unsigned launches, passed, failed;
} world;

static inline _Noreturn void die(const world *w, const char *what)
{
    printf("%s: %s\n", what, zlay_ctx_message(w->ctx));
    fflush(stdout);
    _exit(1);
}

static inline void must(const world *w, zlay_status status, const char *what)
{
    if (status) die(w, what);
}

static inline void tell(world *w, const char *name, const char *what, const char *wrong)
{
    printf("%-28s %-34s %s%s\n", name, what, *wrong ? "FAILED: " : "ok", wrong);
    *(*wrong ? &w->failed : &w->passed) += 1;
}

static inline void *taken(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    if (memory) return memory;
    printf("no memory\n");
    exit(1);
}

static inline uint64_t placed(const world *w, const void *from, uint64_t bytes)
{
    uint64_t at = 0;
    must(w, zlay_device_allocate(w->ctx, &at, w->device, bytes), "memory");
    if (from) must(w, zlay_device_upload(w->ctx, w->device, at, from, bytes), "upload");
    return at;
}

static inline uint16_t *normals(world *w, uint64_t count)
{
    uint16_t *cells = taken(count * sizeof *cells);
    for (uint64_t i = 0; i < count; i++) cells[i] = bf16_of(bf16_normal(&w->seed));
    return cells;
}

/* Plan, print, load, launch and compare; `dry` ends behind the text. */
void attention_tried(world *w, bool dry);
void rows_tried(world *w, bool dry);

#endif
