/* SPDX-License-Identifier: Apache-2.0 */
/* A descriptor given as bits, field by field, as the operation WHAT.unpack reads it. */
#include "json/ops/response.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_WORDS = 16 };

/* The bits of a tensor map as words, and how many arguments they took; NULL: they are none. */
static json_t *map_words(int argc, char **argv, int *used)
{
    *used = 1;
    json_t *bytes = argc > 0 ? zl_map_words(argv[0]) : NULL;
    if (bytes) return bytes;
    *used = MAP_WORDS;
    json_t *words = argc >= MAP_WORDS ? json_array() : NULL;
    for (int i = 0; words && i < MAP_WORDS; i++)
        json_array_append_new(words, json_string(argv[i]));
    return words;
}

/* Whether the operation reads a descriptor of one text. */
static bool takes_bits(const zl_op *op)
{
    char names[ZL_NAMES_MOST];
    zl_text out = {names, sizeof names - 1, 0};
    zl_op_names(&out, op, true);
    names[out.need] = 0;
    return strstr(names, "desc");
}

/* NULL: `*why` says what is wrong with the arguments, unless memory is. */
static json_t *request_of(const char **why, int argc, char **argv)
{
    char op[80];
    bool map = !strcmp(argv[0], "tensormap");
    snprintf(op, sizeof op, "%.60s.unpack", argv[0]);
    const zl_op *reads = zl_op_find(op);
    if (!reads || (!map && !takes_bits(reads))) return NULL;
    int used = 1;
    json_t *bits = map ? map_words(argc - 2, argv + 2, &used) : json_string(argv[2]);
    *why = "a tensor map is 256 hex digits as they lie in memory, or 16 words";
    if (!bits) return NULL;
    *why = "what stands behind the bits is NAME=VALUE";
    json_t *request =
        json_pack("{ssssso}", "op", op, "target", argv[1], map ? "words" : "desc", bits);
    for (int i = 2 + used; request && i < argc; i++)
        if (!zl_request_put(request, argv[i])) return json_decref(request), NULL;
    return request;
}

/* Fields nest once: the map of a tensor map. */
static void put_fields(zl_text *out, const json_t *object, const char *before)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value) {
        char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);
        if (json_is_object(value)) put_fields(out, value, "  ");
        else zl_putf(out, "%s%-14s %s\n", before, name, text ? text : json_string_value(value));
        free(text);
    }
}

static void write_fields(zl_text *out, const void *value) { put_fields(out, value, ""); }

static zlay_status answer_write(zlay_ctx *ctx, zlay_buf *out, const json_t *response)
{
    zlay_status status = zl_response_status(ctx, response);
    return status ? status : zl_print(out, write_fields, json_object_get(response, "ok"));
}

zlay_status zl_decode_bits(zlay_ctx *ctx, zlay_buf *out, int argc, char **argv)
{
    static const char *const all[] = {"tensormap", "smemdesc", "idesc", "buffer"};
    const char *why = "decode takes WHAT TARGET BITS [NAME=VALUE ...]; WHAT is tensormap, "
                      "smemdesc, idesc or buffer";
    zl_like like = zl_like_begin(argc ? argv[0] : "", argc ? strlen(argv[0]) : 0);
    for (size_t i = 0; i < ZL_COUNT(all); i++) zl_like_offer(&like, all[i]);
    json_t *request = argc < 3 ? NULL : request_of(&why, argc, argv);
    if (!request) return zl_fail(ctx, ZLAY_EINVAL, "%s%s", why, like.hint);
    json_t *response = zl_response_to(ctx, request);
    zlay_status status = answer_write(ctx, out, response);
    json_decref(response);
    json_decref(request);
    return status;
}
