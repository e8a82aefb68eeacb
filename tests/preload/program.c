/* SPDX-License-Identifier: Apache-2.0 */
/* A program that encodes tensor maps: `program ROUTE CASE` finds the functions by a route and prints what the call gave.
 * With LINKED it is linked with the driver and the runtime; without it, it finds them by dlopen alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int tiled_function(void *, int, unsigned, void *, const uint64_t *, const uint64_t *, const uint32_t *, const uint32_t *, int, int, int, int);
typedef int im2col_function(void *, int, unsigned, void *, const uint64_t *, const uint64_t *, const int *, const int *, unsigned, unsigned,
                            const uint32_t *, int, int, int, int);
typedef int wide_function(void *, int, unsigned, void *, const uint64_t *, const uint64_t *, int, int, unsigned, unsigned, const uint32_t *, int,
                          int, int, int, int);
typedef int ask_function(const char *, void **, int, uint64_t);
typedef int ask_v2_function(const char *, void **, int, uint64_t, int *);
typedef int runtime_function(const char *, void **, unsigned long long, int *);
typedef int runtime_by_version_function(const char *, void **, unsigned, unsigned long long, int *);

#ifdef LINKED
int fake_probe(void);
tiled_function cuTensorMapEncodeTiled;
im2col_function cuTensorMapEncodeIm2col;
wide_function cuTensorMapEncodeIm2colWide;
ask_function cuGetProcAddress;
ask_v2_function cuGetProcAddress_v2;
runtime_function cudaGetDriverEntryPoint, cudaGetDriverEntryPoint_ptsz;
runtime_by_version_function cudaGetDriverEntryPointByVersion, cudaGetDriverEntryPointByVersion_ptsz;

static void *by_linking(const char *name)
{
    if (!strcmp(name, "cuTensorMapEncodeTiled")) return (void *)(uintptr_t)cuTensorMapEncodeTiled;
    if (!strcmp(name, "cuTensorMapEncodeIm2col")) return (void *)(uintptr_t)cuTensorMapEncodeIm2col;
    return (void *)(uintptr_t)cuTensorMapEncodeIm2colWide;
}

static void *asked(int result, void **found) { return result ? NULL : *found; }
static void *by_route(const char *route, const char *name)
{
    void *found = NULL;
    if (!strcmp(route, "linked")) return by_linking(name);
    if (!strcmp(route, "linked-ask")) return asked(cuGetProcAddress(name, &found, 12000, 0), &found);
    if (!strcmp(route, "linked-ask-v2")) return asked(cuGetProcAddress_v2(name, &found, 12000, 0, NULL), &found);
    if (!strcmp(route, "runtime")) return asked(cudaGetDriverEntryPoint(name, &found, 0, NULL), &found);
    if (!strcmp(route, "runtime-ptsz")) return asked(cudaGetDriverEntryPoint_ptsz(name, &found, 0, NULL), &found);
    if (!strcmp(route, "runtime-version")) return asked(cudaGetDriverEntryPointByVersion(name, &found, 12000, 0, NULL), &found);
    if (!strcmp(route, "runtime-version-ptsz")) return asked(cudaGetDriverEntryPointByVersion_ptsz(name, &found, 12000, 0, NULL), &found);
    return NULL;
}
#else
static void *driver(void) { return dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL); }
static void *by_ask(const char *form, int version, const char *name)
{
    void *found = NULL;
    void *ask = dlsym(driver(), form);
    if (!strcmp(form, "cuGetProcAddress")) return ((ask_function *)(uintptr_t)ask)(name, &found, version, 0) ? NULL : found;
    return ((ask_v2_function *)(uintptr_t)ask)(name, &found, version, 0, NULL) ? NULL : found;
}

/* cuGetProcAddress from cuGetProcAddress: by the version its first form or its second. */
static void *by_asking_twice(int version, const char *name)
{
    void *found = NULL, *ask = by_ask("cuGetProcAddress_v2", version, "cuGetProcAddress");
    if (version < 12000) return ((ask_function *)(uintptr_t)ask)(name, &found, version, 0) ? NULL : found;
    return ((ask_v2_function *)(uintptr_t)ask)(name, &found, version, 0, NULL) ? NULL : found;
}

static void *by_route(const char *route, const char *name)
{
    if (!strcmp(route, "dlsym")) return dlsym(driver(), name);
    if (!strcmp(route, "ask")) return by_ask("cuGetProcAddress", 12000, name);
    if (!strcmp(route, "ask-v2")) return by_ask("cuGetProcAddress_v2", 12000, name);
    if (!strcmp(route, "ask-twice")) return by_asking_twice(12000, name);
    if (!strcmp(route, "ask-twice-old")) return by_asking_twice(11080, name);
    return NULL;
}
#endif

static void *need(const char *route, const char *name)
{
    void *found = by_route(route, name);
    if (found) return found;
    printf("no %s by %s\n", name, route);
    exit(2);
}

/* The first byte that the driver wrote, its answer, and errno, which nothing may change. */
static int shown(int result, const unsigned char *bits)
{
    const int kept = errno == EXDEV;
    printf("%d %02x%s\n", result, bits[0], kept ? "" : " errno changed");
    return 0;
}

static int encode_tiled(const char *route, uint64_t pitch, uint32_t wide, uintptr_t address)
{
    const uint64_t extent[] = {4096, 4096}, stride[] = {pitch};
    const uint32_t box[] = {wide, 64}, step[] = {1, 1};
    unsigned char bits[128];
    tiled_function *call = (tiled_function *)(uintptr_t)need(route, "cuTensorMapEncodeTiled");
    errno = EXDEV;
    const int result = call(bits, 9, 2, (void *)address, extent, pitch ? stride : NULL, box, step, 0, 3, 2, 0);
    return shown(result, bits);
}

static int encode_im2col(const char *route, int wide)
{
    const uint64_t extent[] = {64, 16, 16, 8}, stride[] = {128, 2056, 32768};
    const uint32_t step[] = {1, 1, 1, 1};
    const int lower[] = {-1, -1}, upper[] = {-1, -1};
    unsigned char bits[128];
    errno = EXDEV;
    if (wide)
        return shown(((wide_function *)(uintptr_t)need(route, "cuTensorMapEncodeIm2colWide"))(bits, 9, 4, (void *)4096, extent, stride, -1, -1, 64, 32,
                                                                                              step, 0, 0, 3, 2, 0), bits);
    return shown(((im2col_function *)(uintptr_t)need(route, "cuTensorMapEncodeIm2col"))(bits, 9, 4, (void *)4096, extent, stride, lower, upper, 64, 32,
                                                                                        step, 0, 3, 2, 0), bits);
}

/* 500 other maps of 8 threads, each refused. */
static const char *thread_route;
static void *thread_body(void *number)
{
    tiled_function *call = (tiled_function *)(uintptr_t)need(thread_route, "cuTensorMapEncodeTiled");
    for (uint64_t i = 0; i < 500; i++) {
        const uint64_t extent[] = {4096, 4096}, stride[] = {8200 + 16 * (i + 500 * (uintptr_t)number)};
        const uint32_t box[] = {64, 64}, step[] = {1, 1};
        unsigned char bits[128];
        if (call(bits, 9, 2, NULL, extent, stride, box, step, 0, 3, 2, 0) != 1) printf("wrong answer\n");
    }
    return NULL;
}

static int encode_by_threads(const char *route)
{
    pthread_t threads[8];
    thread_route = route;
    for (uintptr_t i = 0; i < 8; i++) pthread_create(&threads[i], NULL, thread_body, (void *)i);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
    printf("joined\n");
    return 0;
}

/* dlsym itself: a name of libc, one that is nowhere, and what dlerror says then. */
static int look(void)
{
    dlerror();
    const int known = dlsym(RTLD_DEFAULT, "qsort") == (void *)(uintptr_t)qsort, none = !dlsym(RTLD_DEFAULT, "zlay_no_such"), said = dlerror() != NULL;
#ifdef LINKED
    printf("%d %d %d %d\n", known, none, said, fake_probe());
#else
    printf("%d %d %d\n", known, none, said);
#endif
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    const char *route = argv[1], *what = argv[2];
    if (!strcmp(what, "good")) return encode_tiled(route, 8192, 64, 4096);
    if (!strcmp(what, "documented")) return encode_tiled(route, 8192, 64, 4096 + 16);
    if (!strcmp(what, "refused")) return encode_tiled(route, 8200, 64, 4096);
    if (!strcmp(what, "twice")) return encode_tiled(route, 8200, 64, 4096) + encode_tiled(route, 8200, 64, 8192);
    if (!strcmp(what, "accepted")) return encode_tiled(route, 8192, 128, 4096);
    if (!strcmp(what, "advised")) return encode_tiled(route, 4096, 64, 4096);
    if (!strcmp(what, "unready")) return encode_tiled(route, 8192, 64, 1);
    if (!strcmp(what, "null")) return encode_tiled(route, 0, 64, 4096);
    if (!strcmp(what, "im2col")) return encode_im2col(route, 0);
    if (!strcmp(what, "wide")) return encode_im2col(route, 1);
    if (!strcmp(what, "threads")) return encode_by_threads(route);
    if (!strcmp(what, "look")) return look();
    return 2;
}
