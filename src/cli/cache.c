/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a cache of measurements, and takes what it has of a request in place of the model's choice;
 * says what was chosen by, or why the cache says nothing. */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BAD = 8 };

zlay_tuning *zl_cache_read(zlay_ctx *ctx, const char *path, bool may_lack)
{
    zlay_tuning *tuning = NULL;
    zlay_tuning_bad bad[BAD];
    size_t count, length = 0;
    bool lacks = may_lack && zl_file_lacks(path);
    char *text = lacks ? NULL : zl_file_read(path, ZL_CACHE_MOST, &length);
    if (!lacks && !text) return NULL;
    zlay_status status = zlay_tuning_parse(ctx, &tuning, bad, BAD, &count, text, length);
    free(text);
    for (size_t i = 0; !status && i < count && i < BAD; i++)
        fprintf(stderr, "zlay: %s: line %" PRIu64 " is refused: %s\n", path, bad[i].line,
                bad[i].reason);
    if (!status && count > BAD)
        fprintf(stderr, "zlay: %s: and %zu lines more\n", path, count - BAD);
    if (status) zl_cli_say(ctx, status, path);
    return tuning;
}

/* The word of a key, as device=. */
static void word_print(const char *key, const char *name)
{
    const char *at = strstr(key, name);
    if (at) printf("%.*s", (int)strcspn(at + strlen(name), " "), at + strlen(name));
}

static void found_print(const zlay_tuning_record *r, const char *key)
{
    const char *shape = strstr(key, " shape="), *own = strstr(r->key, " shape=");
    printf("chosen by: measured on ");
    word_print(r->key, "device=");
    printf(", %u candidate%s, %.2f us", r->others_count + 1, r->others_count ? "s" : "",
           (double)r->ns / 1000);
    if (r->others_count)
        printf(", %.1f %% before the next", 100 * ((double)r->others[0] / (double)r->ns - 1));
    if (shape && own && strcmp(shape, own) != 0) {
        printf("; of its class, shape ");
        word_print(r->key, " shape=");
    }
    printf("\n");
}

/* Says why the cache has nothing of a request: it is not there, its records are of other rules, or
 * there is none. */
static void nothing_print(const zlay_tuning *tuning, const char *path, const char *key)
{
    static const char rules[] = " rules=";
    char any[ZLAY_TUNING_KEY];
    zlay_tuning_record r;
    const char *at = strstr(key, rules), *rest = at ? at + sizeof rules - 1 : key;
    int before = (int)(rest - key);
    printf("chosen by: the model; ");
    if (zl_file_lacks(path)) {
        printf("there is no file %s\n", path);
        return;
    }
    snprintf(any, sizeof any, "%.*s*%s", before, key, rest + strspn(rest, "0123456789"));
    bool other = at && zlay_tuning_find(&r, tuning, any) == ZLAY_OK;
    printf("%s has nothing of this request", path);
    if (other) {
        printf(" by rules %u; what it has is by rules ", zlay_rules_version());
        word_print(r.key, rules);
    }
    printf("\n");
}

/* The record of a key; false: none, and said. */
static bool record_find(zlay_ctx *ctx, zlay_tuning_record *r, const char *path, const char *key,
                        bool *failed)
{
    zlay_tuning *tuning = zl_cache_read(ctx, path, true);
    *failed = !tuning;
    if (!tuning) return false;
    bool found = zlay_tuning_find(r, tuning, key) == ZLAY_OK;
    if (!found) nothing_print(tuning, path, key);
    zlay_tuning_free(tuning);
    return found;
}

/* A choice that is no candidate today is passed over. */
static bool taken(zlay_ctx *ctx, zlay_status status, const zlay_tuning_record *r, const char *key)
{
    if (!status) found_print(r, key);
    else if (status == ZLAY_NONE)
        printf("chosen by: the model; what the cache has, %s, is ignored: %s\n", r->choice,
               zlay_ctx_message(ctx));
    else zl_cli_say(ctx, status, "cache");
    return !status || status == ZLAY_NONE;
}

bool zl_choice_gemm(zlay_ctx *ctx, const zlay_target *target, zl_options *options)
{
    char key[ZLAY_TUNING_KEY];
    bool failed = false;
    zlay_tuning_record r;
    zlay_tuning_device device = {options->device, 0, 0};
    zlay_gemm gemm = options->gemm;
    if (zlay_tuning_key_gemm(ctx, key, target, &gemm, &device))
        return true; /* the planner says why */
    if (!record_find(ctx, &r, options->cache, key, &failed)) return !failed;
    return taken(ctx, zlay_tuning_take_gemm(ctx, &options->gemm, target, &gemm, r.choice), &r, key);
}

bool zl_choice_attention(zlay_ctx *ctx, const zlay_target *target, zl_options *options)
{
    char key[ZLAY_TUNING_KEY];
    bool failed = false;
    zlay_tuning_record r;
    zlay_tuning_device device = {options->device, 0, 0};
    zlay_attention attention = options->attention;
    if (zlay_tuning_key_attention(ctx, key, target, &attention, &device)) return true;
    if (!record_find(ctx, &r, options->cache, key, &failed)) return !failed;
    return taken(ctx,
                 zlay_tuning_take_attention(ctx, &options->attention, target, &attention, r.choice),
                 &r, key);
}
