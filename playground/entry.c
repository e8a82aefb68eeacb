/* SPDX-License-Identifier: Apache-2.0 */
/* The two functions of the page's module: zl_page_room gives the bytes that a request is written to,
 * zl_page_answer answers it as zlay_json_call does.  One context, which the first request makes,
 * serves all requests. */
#include "json/ops/ops.h"

#include <stdlib.h>

/* Debian's division of 128-bit integers for wasm32 was compiled with guards of its stack. */
uintptr_t __stack_chk_guard = 0x5a1a9e37;
_Noreturn void __stack_chk_fail(void);
_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }

static zlay_ctx *ctx;
static char *request, *text;

/* Returns `size` bytes, valid until the next call, or NULL. */
__attribute__((export_name("room"))) char *zl_page_room(size_t size)
{
    free(request);
    return request = malloc(size ? size : 1);
}

static char *room_of(void *user, size_t need)
{
    (void)user;
    free(text);
    return text = malloc(need + 1);
}

/* Answers the first `size` bytes that zl_page_room gave. Returns a text that a 0 ends, valid until
 * the next call; NULL where there is no memory for it. */
__attribute__((export_name("answer"))) const char *zl_page_answer(size_t size)
{
    if (!request || (!ctx && zlay_ctx_new(&ctx, NULL, NULL))) return NULL;
    return zl_json_call(ctx, room_of, NULL, request, size) ? NULL : text;
}
