/* SPDX-License-Identifier: Apache-2.0 */
/* One request in a process of its own, as a service runs a stranger's: its answer, the time of the processor that it
 * took and the most memory that it held.  Under a sanitizer time has a margin and memory is not looked at:
 * its shadow and its quarantine are not ours. */
#ifndef TEST_BOUNDED_H
#define TEST_BOUNDED_H

#include "test.h"

#include <jansson.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlay/json.h>
#include <zlay/zlay.h>

#if defined(__has_feature) /* clang; gcc's macros are below */
#if __has_feature(address_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define BOUNDED_SANITIZED 1
#endif
#endif

#if defined(BOUNDED_SANITIZED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { BOUNDED_SECONDS = 40, BOUNDED_MIB = 1 << 20 };
#else
enum { BOUNDED_SECONDS = 2, BOUNDED_MIB = 256 };
#endif

enum { BOUNDED_ROOM = 16 << 20 };

typedef struct bounded {
    double seconds;  /* of the processor, of the last request */
    double mib;      /* at most, resident */
    int32_t status;  /* of zlay_json_call, in shared memory */
    int32_t died;    /* the signal that ended it, or -1 for another exit */
    size_t length;
    char answer[BOUNDED_ROOM];
} bounded;

static inline bounded *bounded_new(void)
{
    void *room = mmap(NULL, sizeof(bounded), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(room != MAP_FAILED);
    return room;
}

static inline void bounded_child(bounded *b, const char *line, size_t size)
{
    struct rlimit cpu = {10 * BOUNDED_SECONDS, 10 * BOUNDED_SECONDS};
    zlay_buf out = {b->answer, sizeof b->answer, 0};
    zlay_ctx *ctx;
    setrlimit(RLIMIT_CPU, &cpu);
    if (zlay_ctx_new(&ctx, NULL, NULL)) _exit(1);
    b->status = zlay_json_call(ctx, &out, line, size);
    b->length = out.need;
    zlay_ctx_free(ctx);
    _exit(0);
}

static inline void bounded_ask(bounded *b, const char *line, size_t size)
{
    struct rusage usage;
    int status;
    b->status = 1;
    b->answer[0] = 0;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) bounded_child(b, line, size);
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    b->seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
    b->mib = (double)usage.ru_maxrss / 1024;
    b->died = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) ? -1 : 0;
}

/* What is wrong with what became of the request, or NULL. */
static inline const char *bounded_wrong(const bounded *b)
{
    if (b->died) return "it ended the process";
    if (b->seconds > (double)BOUNDED_SECONDS) return "it took too long";
    if (b->mib > (double)BOUNDED_MIB) return "it held too much memory";
    if (b->status == ZLAY_EROOM) return NULL;
    if (b->status) return "it has no answer";
    json_t *answer = json_loadb(b->answer, b->length, JSON_REJECT_DUPLICATES, NULL);
    int said = (json_object_get(answer, "ok") != NULL) + (json_object_get(answer, "none") != NULL) +
               (json_object_get(answer, "undecided") != NULL) + (json_object_get(answer, "error") != NULL);
    const char *error = json_string_value(json_object_get(answer, "error"));
    int internal = error && !strcmp(error, "EINTERNAL");
    json_decref(answer);
    return said != 1 ? "its answer has another form" : internal ? "it shows a defect" : NULL;
}

#endif
