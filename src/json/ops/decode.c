/* SPDX-License-Identifier: Apache-2.0 */
/* A descriptor given as bits, field by field, as the operation WHAT.unpack reads it. */
#include "json/json.h"
#include "json/ops/ops.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/json.h>

enum { MAP_WORDS = 16, MAP_DIGITS = 256, WORD_BYTES = 8 };

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = memchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c, sizeof digits - 1);
    return at ? (int)(at - digits) : -1;
}

/* Bytes in memory are little-endian words. NULL: a character that is no hex digit. */
static json_t *words_of_bytes(const char *text)
{
    json_t *words = json_array();
    for (size_t w = 0; w < MAP_WORDS; w++) {
        uint64_t word = 0;
        char hex[24];
        for (size_t b = WORD_BYTES; b--;) {
            const char *at = text + 2 * (w * WORD_BYTES + b);
            int high = digit(at[0]), low = digit(at[1]);
            if (high < 0 || low < 0) return json_decref(words), NULL;
            word = word << 8 | (unsigned)high << 4 | (unsigned)low;
        }
        snprintf(hex, sizeof hex, "0x%016" PRIx64, word);
        json_array_append_new(words, json_string(hex));
    }
    return words;
}

/* The bits of a tensor map as words, and how many arguments they took; NULL: they are none. */
static json_t *map_words(int argc, char **argv, int *used)
{
    *used = 1;
    if (argc > 0 && strlen(argv[0]) == MAP_DIGITS) return words_of_bytes(argv[0]);
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
    for (int i = 2 + used; request && i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (!equals) return json_decref(request), NULL;
        *equals = 0;
        json_object_set_new(request, argv[i], json_string(equals + 1));
    }
    return request;
}

static json_t *response_to(zlay_ctx *ctx, const json_t *request)
{
    char *line = json_dumps(request, 0);
    zlay_buf buf = {NULL, 0, 0};
    json_t *response = NULL;
    if (line && zlay_json_call(ctx, &buf, line, strlen(line)) == ZLAY_EROOM) {
        buf.room = buf.need + 1;
        buf.text = malloc(buf.room);
        if (buf.text && !zlay_json_call(ctx, &buf, line, strlen(line)))
            response = json_loads(buf.text, 0, NULL);
    }
    free(buf.text);
    free(line);
    return response;
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
    const json_t *ok = json_object_get(response, "ok");
    const json_t *message = json_object_get(response, "message");
    if (!response) return zl_fail(ctx, ZLAY_ENOMEM, "no memory for the answer");
    if (!ok)
        return zl_fail(ctx, ZLAY_EINVAL, "%s", message ? json_string_value(message) : "no answer");
    return zl_print(out, write_fields, ok);
}

zlay_status zl_decode_bits(zlay_ctx *ctx, zlay_buf *out, int argc, char **argv)
{
    const char *why = "decode takes WHAT TARGET BITS [NAME=VALUE ...]; WHAT is tensormap, "
                      "smemdesc, idesc or buffer";
    json_t *request = argc < 3 ? NULL : request_of(&why, argc, argv);
    if (!request) return zl_fail(ctx, ZLAY_EINVAL, "%s", why);
    json_t *response = response_to(ctx, request);
    zlay_status status = answer_write(ctx, out, response);
    json_decref(response);
    json_decref(request);
    return status;
}
