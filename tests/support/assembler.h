/* SPDX-License-Identifier: Apache-2.0 */
/* PTX put to ptxas, CUDA C to nvcc. A file that includes it defines _POSIX_C_SOURCE first. */
#ifndef TEST_ASSEMBLER_H
#define TEST_ASSEMBLER_H

#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ASSEMBLER_PATH "PATH=\"$PATH:/usr/local/cuda/bin\" "

/* Skip the test where there is none. */
static inline void need_assembler(void)
{
    if (system(ASSEMBLER_PATH "command -v ptxas >/dev/null")) skip();
}

/* Under a sanitizer of addresses every text is as without one, and ptxas, which takes most of such a test's time, is not asked again. */
#ifdef __SANITIZE_ADDRESS__
enum { ASKS_PTXAS = 0 };
#else
enum { ASKS_PTXAS = 1 };
#endif

/* `tail` is what the shell does with what ptxas says. */
static inline bool asks_ptxas(const char *target, const char *text, const char *tail)
{
    if (!ASKS_PTXAS) return true;
    char name[] = "/tmp/zlay-text-XXXXXX", command[500];
    int file = mkstemp(name);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    snprintf(command, sizeof command, ASSEMBLER_PATH "ptxas -arch=%s -o /dev/null %s %s", target,
             name, tail);
    bool good = system(command) == 0;
    unlink(name);
    return good;
}

static inline bool assembles(const char *target, const char *text)
{
    return asks_ptxas(target, text, ">&2");
}

/* The same without a warning (C7511 and its like are `info` of potential losses), no register stands in memory for a while, and no products of wgmma wait for each other: one call of ptxas tells all. */
static inline bool assembles_fast(const char *target, const char *text)
{
    return asks_ptxas(target, text,
                      "-v 2>&1 | awk '/warning|Potential|[1-9][0-9]* bytes spill|error|fatal/ {print >\"/dev/stderr\"; bad = 1} "
                      "/Used [0-9]+ registers/ {done = 1} END {exit bad || !done}'");
}

static inline bool has_compiler(void) { return !system(ASSEMBLER_PATH "command -v nvcc >/dev/null"); }

static inline void need_compiler(void)
{
    if (!has_compiler()) skip();
}

/* Without a warning, for every target of a list with spaces between them. */
static inline bool compiles_for(const char *targets, const char *text)
{
    char name[] = "/tmp/zlay-cuda-XXXXXX", codes[400] = "", command[900];
    int descriptor = mkstemp(name);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    for (const char *at = targets; *at; at += strcspn(at, " "), at += *at == ' ') {
        int length = (int)strcspn(at, " ");
        size_t end = strlen(codes);
        snprintf(codes + end, sizeof codes - end, "-gencode=arch=compute_%.*s,code=%.*s ", length - 3, at + 3, length, at);
    }
    snprintf(command, sizeof command,
             ASSEMBLER_PATH "nvcc -Werror all-warnings -x cu -std=c++17 %s%s -o /dev/null %s >&2", codes,
             strchr(targets, ' ') ? "-fatbin" : "-cubin", name);
    bool good = system(command) == 0;
    unlink(name);
    return good;
}

static inline bool compiles(const char *target, const char *text) { return compiles_for(target, text); }

/* HIP put to clang-22, without headers and without a warning, for every target of a list. */
static inline bool has_hip_compiler(void) { return !system("command -v clang-22 >/dev/null"); }

static inline bool compiles_hip(const char *targets, const char *text)
{
    char name[] = "/tmp/zlay-hip-XXXXXX", command[500];
    int descriptor = mkstemp(name);
    bool good = true;
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fputs("#define __device__ __attribute__((device))\n#define __forceinline__ inline __attribute__((always_inline))\n", file);
    fputs(text, file);
    fclose(file);
    for (const char *at = targets; *at && good; at += strcspn(at, " "), at += *at == ' ') {
        snprintf(command, sizeof command,
                 "clang-22 -x hip --offload-arch=%.*s --offload-device-only -nogpulib -nogpuinc -O1 -Wall -Wextra -Werror -c -o /dev/null %s >&2",
                 (int)strcspn(at, " "), at, name);
        good = system(command) == 0;
    }
    unlink(name);
    return good;
}

#endif
