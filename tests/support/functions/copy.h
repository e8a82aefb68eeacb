/* SPDX-License-Identifier: Apache-2.0 */
/* Copies whose functions tests print: drawn, planned, printed; the call of a function, and the library that the host's compiler makes of a text. A file
 * that includes it defines _GNU_SOURCE first. */
#ifndef TEST_FUNCTIONS_COPY_H
#define TEST_FUNCTIONS_COPY_H

#include "assembler.h"
#include "tiles/move_trial.h"

#include <dlfcn.h>
#include <zlay/emit_function.h>

enum { FUNCTIONS = 600, NAME = 16 };

static trial *trials[FUNCTIONS];
static drawn requests[FUNCTIONS];
static char *texts[FUNCTIONS];
static int count, numbers[FUNCTIONS];

/* ---- what is printed -------------------------------------------------------------------------------- */

static inline bool print_one(zlay_ctx *ctx, char *text, const zlay_move *move, int32_t language, int number)
{
    char name[NAME];
    zlay_buf buf = {text, TEXT_ROOM, 0};
    int length = snprintf(name, sizeof name, "f%d", number);
    zlay_status status = zlay_emit_copy(ctx, &buf, move, language, name, (size_t)length);
    if (status && status != ZLAY_ENOTSUP) fail_msg("%s", zlay_ctx_message(ctx));
    return !status;
}

/* HIP's plans stay in their block and wave. */
static inline bool served(drawn *d, size_t kind, const char *target)
{
    bool late = d->w.r.path == ZLAY_PATH_BULK || d->w.r.signal || d->w.r.source.space == ZLAY_MOVE_PEER || d->w.r.dest.space == ZLAY_MOVE_PEER;
    if (*target == 'g' && (late || kinds[kind].path == ZLAY_PATH_CP_ASYNC)) return false;
    if (late && !strcmp(target, "sm_80")) return false;
    d->w.target = target;
    return true;
}

static inline void draw_all(zlay_ctx *ctx, int32_t language, const char *target, int each)
{
    static trial spare;
    uint64_t seed = test_seed("copies");
    count = 0;
    for (size_t k = 0; k < KINDS; k++)
        for (int i = 0, made = 0; i < 4 * each && made < each && count < FUNCTIONS; i++) {
            drawn *d = &requests[count];
            *d = draw_kind(ctx, k, &seed);
            const char *const real[] = {d->real[0], d->real[1]};
            char *text = malloc(TEXT_ROOM);
            assert_non_null(text);
            memcpy(spare.value, d->value, sizeof d->value);
            bool asked = served(d, k, target), any = asked && trial_plan(ctx, &spare, &d->w, &seed, d->real[0][0] ? real : NULL);
            if (any && print_one(ctx, text, spare.move, language, count)) {
                trials[count] = malloc(sizeof spare);
                assert_non_null(trials[count]);
                *trials[count] = spare;
                texts[count] = realloc(text, strlen(text) + 1);
                numbers[count] = (int)k;
                count++, made++;
                continue;
            }
            if (any) print_message("%s: %s\n", kinds[k].name, zlay_ctx_message(ctx));
            if (asked) trial_end(&spare);
            zlay_facts_free(d->facts);
            free(text);
        }
}

static inline void drop_all(void)
{
    for (int i = 0; i < count; i++) {
        trial_end(trials[i]);
        zlay_facts_free(requests[i].facts);
        free(trials[i]);
        free(texts[i]);
    }
}

/* The call, its arguments behind the thread called as the parameters are. */
static inline void put_call(FILE *file, const char *text, int i, const char *source, const char *dest)
{
    const char *at = strstr(strstr(text, "__device__ __forceinline__"), ", unsigned thread"), *end = strstr(at, ")\n{");
    fprintf(file, "f%d(%s, %s", i, source, dest);
    while (at < end) {
        const char *next = at + 2 + strcspn(at + 2, ",)"), *name = next;
        while (name[-1] != ' ') name--;
        fprintf(file, ", %.*s", (int)(next - name), name);
        at = next;
    }
    fprintf(file, ");\n");
}

static inline bool is_held(const trial *t, int s) { return (s ? t->to : t->from).space == ZLAY_MOVE_REGISTER; }

/* ---- the host's compiler ----------------------------------------------------------------------------- */

typedef void run_function(const void *source, void *dest, unsigned thread, long long ld, long long n);

/* A text for the host's compiler, and the library that it makes of it. */
static char folder[32];

static inline FILE *source_begin(void)
{
    char path[64];
    strcpy(folder, "/tmp/zlay-copy-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/c.cpp", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#include \"lanes.h\"\nextern \"C\" { void (*fault)(); void __ubsan_handle_type_mismatch_v1(void *, void *) { fault(); } }\n", file);
    return file;
}

static inline void *library_of(FILE *file)
{
    char path[64], command[400];
    fclose(file);
    snprintf(command, sizeof command,
             "cd %s && ${CXX:-c++} -std=c++17 -O1 -Wall -Wextra -Werror -Wno-unknown-pragmas -fsanitize=alignment -I$OLDPWD/tests/support -fPIC -c -o c.o c.cpp && ${CXX:-c++} -shared -Wl,-Bsymbolic -o c.so c.o", folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/c.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    return library;
}

static inline void *symbol_of(void *library, const char *what, int i)
{
    char name[2 * NAME];
    snprintf(name, sizeof name, "%s_%d", what, i);
    return dlsym(library, name);
}

#endif
