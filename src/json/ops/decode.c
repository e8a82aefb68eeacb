/* SPDX-License-Identifier: Apache-2.0 */
/* A descriptor in its bits: its fields, as the operation WHAT.unpack reads them, the verdict of
 * WHAT.check, and the constant or call that makes it, as emit prints it. */
#include "json/ops/response.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_WORDS = 16, NAME_MOST = 60, OP_MOST = NAME_MOST + 20 };

/* The bits of a tensor map, digits or words, and how many arguments they took; NULL: none. */
static json_t *map_words(int argc, char **argv, int *used)
{
    *used = argc < MAP_WORDS ? 1 : MAP_WORDS;
    if (argc < 1) return NULL;
    if (*used == 1 || strlen(argv[0]) > 2 * MAP_WORDS) return *used = 1, json_string(argv[0]);
    json_t *words = json_array();
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

static const zl_op *op_of(char name[OP_MOST], const char *what, const char *verb)
{
    snprintf(name, OP_MOST, "%.*s.%s", NAME_MOST, what, verb);
    return zl_op_find(name);
}

/* NULL: `*why` says what is wrong with the arguments, unless memory is. */
static json_t *request_of(const char **why, int argc, char **argv)
{
    char op[OP_MOST];
    bool map = !strcmp(argv[0], "tensormap");
    const zl_op *reads = op_of(op, argv[0], "unpack");
    if (!reads || (!map && !takes_bits(reads))) return NULL;
    int used = 1;
    json_t *bits = map ? map_words(argc - 2, argv + 2, &used) : json_string(argv[2]);
    *why = "what stands behind the bits is NAME=VALUE";
    json_t *request =
        json_pack("{ssssso}", "op", op, "target", argv[1], map ? "words" : "desc", bits);
    for (int i = 2 + used; request && i < argc; i++)
        if (!zl_request_put(request, argv[i])) return json_decref(request), NULL;
    return request;
}

/* ---- what follows ---------------------------------------------------------------------------- */

/* A decoded descriptor: what the operations answer. */
typedef struct decoded {
    const char *what;
    json_t *request, *unpacked, *checked, *printed; /* answers; NULL: not asked */
} decoded;

/* A request about the same descriptor: its bits, or its fields where the operation takes them. */
static json_t *request_about(const decoded *d, const char *op)
{
    json_t *ok = json_object_get(d->unpacked, "ok"), *map = json_object_get(ok, "map");
    json_t *request = json_pack("{ss}", "op", op);
    if (!request) return NULL;
    json_object_set(request, "target", json_object_get(d->request, "target"));
    if (map) json_object_set(request, "map", map);
    else if (takes_bits(zl_op_find(op)) || !strcmp(op, "emit"))
        json_object_update_missing(request, d->request);
    else json_object_update_missing(request, ok);
    return request;
}

static json_t *asked(zlay_ctx *ctx, json_t *request)
{
    json_t *response = request ? zl_response_to(ctx, request) : NULL;
    json_decref(request);
    return response;
}

/* What makes it: of a buffer resource its words; what is refused has no text. */
static json_t *emitted(zlay_ctx *ctx, const decoded *d)
{
    bool map = !strcmp(d->what, "tensormap"), words = !strcmp(d->what, "buffer");
    json_t *request = request_about(d, words ? "buffer.pack" : "emit");
    if (!request || words) return asked(ctx, request);
    json_object_set_new(request, "what", json_string(d->what));
    json_object_set_new(request, "name", json_string(map ? "map" : d->what));
    json_object_set_new(request, "language", json_string("cuda"));
    if (!strcmp(d->what, "smemdesc")) json_object_set_new(request, "step", json_pack("[i]", 0));
    return asked(ctx, request);
}

/* ---- text -------------------------------------------------------------------------- */

/* The names of a map's numbers. */
static const char *word_of(const char *name, const json_t *value)
{
    static const struct {
        const char *name;
        const zl_named *words;
    } known[] = {{"type", zl_types},          {"interleave", zl_map_interleaves},
                 {"swizzle", zl_map_swizzles}, {"l2", zl_map_promotions},
                 {"oob", zl_map_fills}};
    for (size_t i = 0; i < ZL_COUNT(known) && json_is_integer(value); i++)
        if (!strcmp(known[i].name, name))
            return zl_word_of(known[i].words, (int32_t)json_integer_value(value));
    return NULL;
}

/* Fields nest once: the map of a tensor map, and its copy. */
static void put_fields(zl_text *out, const json_t *object, bool nested)
{
    const char *name, *before = nested ? "  " : "";
    json_t *value;
    json_object_foreach((json_t *)object, name, value) {
        const char *word = nested ? word_of(name, value) : json_string_value(value);
        char *text = word || json_is_object(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);
        if (json_is_object(value)) zl_putf(out, "%s\n", name), put_fields(out, value, true);
        else zl_putf(out, "%s%-14s %s\n", before, name,
                     word ? word : json_is_string(value) ? json_string_value(value) : text);
        free(text);
    }
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

/* Which field breaks a rule, and its value. */
static void put_found(zl_text *out, const json_t *row)
{
    const json_t *index = json_object_get(row, "index"), *value = json_object_get(row, "value");
    if (!*text_of(row, "field")) return;
    zl_putf(out, "  %-12s %s", "field", text_of(row, "field"));
    if (json_is_integer(index)) zl_putf(out, "[%d]", (int)json_integer_value(index));
    if (json_is_string(value)) zl_putf(out, " is %s\n", json_string_value(value));
    else zl_putf(out, " is %" JSON_INTEGER_FORMAT "\n", json_integer_value(value));
}

/* Rules that do not hold: what each says, and the repair. */
static void put_rules(zl_text *out, const json_t *checked, const char *list, const char *before)
{
    const json_t *row, *rows = json_object_get(checked, list);
    size_t i;
    json_array_foreach(rows, i, row) {
        const json_t *fix = json_object_get(row, "fix");
        zl_putf(out, "%-14s %s: %s\n", before, text_of(row, "rule"), text_of(row, "text"));
        put_found(out, row);
        if (*text_of(fix, "text"))
            zl_putf(out, "  %-12s %s; keeps %s\n", "repair", text_of(fix, "text"),
                    text_of(fix, "keeps"));
    }
}

/* Four words of a buffer resource, of which the digits have the last one first. */
static void put_words(zl_text *out, const char *digits)
{
    enum { WORD_DIGITS = 8, WORDS = 4 };
    zl_puts(out, "\nconst unsigned buffer[4] = {");
    for (int i = WORDS - 1; i >= 0; i--)
        zl_putf(out, "0x%.*su%s", WORD_DIGITS, digits + 2 + WORD_DIGITS * i, i ? ", " : "};\n");
}

static void write_all(zl_text *out, const void *value)
{
    const decoded *d = value;
    const json_t *checked = json_object_get(d->checked, "ok"),
                 *printed = json_object_get(d->printed, "ok");
    put_fields(out, json_object_get(d->unpacked, "ok"), false);
    if (checked) zl_putf(out, "%-14s %s\n", "legal", text_of(checked, "answer"));
    put_rules(out, checked, "broken", "broken");
    put_rules(out, checked, "noted", "noted");
    put_rules(out, checked, "conflict", "conflict");
    if (json_is_string(printed)) put_words(out, json_string_value(printed));
    else if (printed) zl_putf(out, "\n%s", text_of(printed, "text"));
}

/* The verdict is that of WHAT.check, where there is one. */
static zlay_status answer_write(zlay_ctx *ctx, zlay_buf *out, decoded *d)
{
    char op[OP_MOST];
    zlay_status status = zl_response_status(ctx, d->unpacked);
    if (status) return status;
    if (op_of(op, d->what, "check")) {
        d->checked = asked(ctx, request_about(d, op));
        status = zl_response_status(ctx, d->checked);
    }
    if (status) return status;
    d->printed = emitted(ctx, d);
    return d->printed ? zl_print(out, write_all, d) : ZLAY_ENOMEM;
}

zlay_status zl_decode_bits(zlay_ctx *ctx, zlay_buf *out, int argc, char **argv)
{
    static const char *const all[] = {"tensormap", "smemdesc", "idesc", "buffer"};
    const char *why = "decode takes WHAT TARGET BITS [NAME=VALUE ...]; WHAT is tensormap, "
                      "smemdesc, idesc or buffer";
    zl_like like = zl_like_begin(argc ? argv[0] : "", argc ? strlen(argv[0]) : 0);
    for (size_t i = 0; i < ZL_COUNT(all); i++) zl_like_offer(&like, all[i]);
    decoded d = {.what = argv[0], .request = argc < 3 ? NULL : request_of(&why, argc, argv)};
    if (!d.request) return zl_fail(ctx, ZLAY_EINVAL, "%s%s", why, like.hint);
    d.unpacked = zl_response_to(ctx, d.request);
    zlay_status status = answer_write(ctx, out, &d);
    json_decref(d.printed);
    json_decref(d.checked);
    json_decref(d.unpacked);
    json_decref(d.request);
    return status;
}
