/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of a command as the request of an operation. Every value is a text, which the readers
 * of fields take for a number, a word or a layout; only lists are split here. */
#include "json/ops/response.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_MOST = 63 };

/* ---- values ------------------------------------------------------------------------------- */

/* Fields that are lists. */
static const char *const lists[] = {
    "slots", "step",  "extent",   "stride",      "box",     "lower",  "upper",
    "tile",  "facts", "unknowns", "coordinates", "offsets", "lengths"};

static bool is_list(const char *field)
{
    for (size_t i = 0; i < ZL_COUNT(lists); i++)
        if (!strcmp(lists[i], field)) return true;
    return false;
}

/* A number, [NAME, number], or a text, also of a number beyond 64 bits. */
static json_t *item_of(const char *text, size_t length)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (length && end == text + length && !errno) return json_integer(number);
    const char *colon = memchr(text, ':', length);
    if (!colon) return json_stringn(text, length);
    size_t before = (size_t)(colon - text);
    return json_pack("[s#o]", text, before, item_of(colon + 1, length - before - 1));
}

static json_t *list_of(const char *text)
{
    json_t *list = json_array();
    for (size_t length; list; text += length + 1) {
        length = strcspn(text, ",");
        if (json_array_append_new(list, item_of(text, length))) return json_decref(list), NULL;
        if (!text[length]) break;
    }
    return list;
}

/* JSON where it is an object or a list of JSON. */
static json_t *value_of(const char *field, const char *text)
{
    json_t *value = strchr("[{", *text) ? json_loads(text, 0, NULL) : NULL;
    if (value) return value;
    if (!strcmp(text, "true") || !strcmp(text, "false")) return json_boolean(*text == 't');
    return is_list(field) ? list_of(text) : json_string(text);
}

/* The object in which the field of a path lies, made where it is not there; `*field` its name. */
static json_t *object_at(json_t *object, char *path, const char **field)
{
    char *dot = strchr(path, '.');
    *field = path;
    if (!dot) return object;
    *dot = 0;
    json_t *inner = json_object_get(object, path);
    if (!inner && json_object_set_new(object, path, inner = json_object())) return NULL;
    return json_is_object(inner) ? object_at(inner, dot + 1, field) : NULL;
}

static bool put(json_t *request, const char *name, size_t length, const char *text)
{
    char path[PATH_MOST + 1];
    const char *field;
    if (!length || length > PATH_MOST) return false;
    for (size_t i = 0; i < length; i++) path[i] = (char)tolower((unsigned char)name[i]);
    path[length] = 0;
    json_t *object = object_at(request, path, &field);
    return object && !json_object_set_new(object, field, value_of(field, text));
}

bool zl_request_put(json_t *request, const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    return equals && put(request, assignment, (size_t)(equals - assignment), equals + 1);
}

/* ---- arguments ---------------------------------------------------------------------------- */

/* Puts into a request what a command's begins with; NULL: no memory, and the request is freed. */
static json_t *begun(json_t *request, const char *command, const char *what)
{
    static const struct {
        const char *command, *what, *text;
    } begins[] = {
        {"emit", "copy", "{\"what\":\"move\",\"src\":{\"space\":\"global\"},"
                         "\"dst\":{\"space\":\"shared\"}}"},
        {"emit", "smemdesc", "{\"step\":[0]}"},
        {"emit", "tensormap", "{\"name\":\"map\",\"map\":{\"address\":0}}"},
        {"show", "box", "{\"map\":{\"address\":0}}"},
    };
    for (size_t i = 0; request && i < ZL_COUNT(begins); i++) {
        if (strcmp(begins[i].what, what) || strcmp(begins[i].command, command)) continue;
        json_t *more = json_loads(begins[i].text, 0, NULL);
        bool failed = json_object_update(request, more);
        json_decref(more);
        if (failed) return json_decref(request), NULL;
    }
    return request;
}

/* The map that its bits say. */
static zlay_status map_unpack(zlay_ctx *ctx, json_t *request, const char *bits)
{
    json_t *ask = json_pack("{sssOss}", "op", "tensormap.unpack", "target",
                            json_object_get(request, "target"), "words", bits);
    json_t *response = zl_response_to(ctx, ask), *ok = json_object_get(response, "ok");
    zlay_status status = zl_response_status(ctx, response);
    json_t *left = json_object_get(ok, "unexplained"), *word;
    size_t i;
    json_array_foreach(left, i, word)
        if (!status && strspn(json_string_value(word), "0x") != json_string_length(word))
            status = zl_fail(ctx, ZLAY_EINVAL, "word %zu of BITS has bits of no field: %s", i,
                             json_string_value(word));
    if (!status) json_object_set(request, "map", json_object_get(ok, "map"));
    json_decref(response);
    json_decref(ask);
    return status;
}

typedef struct arguments {
    zlay_ctx *ctx;
    const char *command, *what, *usage;
    json_t *request;
} arguments;

static zlay_status refuse(const arguments *a, const char *which, size_t length, const char *why)
{
    char quoted[256];
    return zl_fail(a->ctx, ZLAY_EINVAL, "%s %s; %s %s takes %s",
                   zl_quote(quoted, which, length), why, a->command, a->what, a->usage);
}

static zlay_status refuse_argument(const arguments *a, const char *argument, const char *why)
{
    return refuse(a, argument, strlen(argument), why);
}

/* Whether an argument is the one that may be left out: NAME has no `=`, the others begin with a
 * digit or are longer than a name. */
static bool serves(const char *field, const char *argument)
{
    bool number = isdigit((unsigned char)*argument) || strlen(argument) > PATH_MOST;
    return strncmp(field, "NAME", 4) ? number : !strchr(argument, '=');
}

/* Whether a view has a field that it needs, or one that it may have, beside its map. */
static bool has_field(const arguments *a, const char *assignment, bool needs)
{
    char names[ZL_NAMES_MOST];
    const zl_op *op = zl_op_find(json_string_value(json_object_get(a->request, "op")));
    size_t length = strcspn(assignment, "=");
    zl_text out = {names, sizeof names - 1, 0};
    if (strcmp(a->command, "show") || !op) return false;
    zl_op_names(&out, op, needs);
    names[out.need] = 0;
    for (const char *at = names; *at; at += strspn(at, " ")) {
        size_t one = strcspn(at, " ");
        if (one == length && !strncmp(at, assignment, one)) return true;
        at += one;
    }
    return false;
}

/* A file of an operation that has no pipe: the object of its fields. */
static zlay_status take_object(const arguments *a, const char *text)
{
    json_error_t error;
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    zlay_status status = ZLAY_OK;
    if (!json_is_object(object))
        status = zl_fail(a->ctx, ZLAY_EINVAL, "no JSON object: %s, line %d",
                         object ? "another value" : error.text, object ? 1 : error.line);
    else if (json_object_update_missing(a->request, object))
        status = zl_fail(a->ctx, ZLAY_ENOMEM, "no memory for the request");
    json_decref(object);
    return status;
}

static zlay_status take(const arguments *a, const char *field, size_t length, const char *argument)
{
    if (!strncmp(field, "BITS", 4) && json_object_get(a->request, "map"))
        return map_unpack(a->ctx, a->request, argument);
    if (!strncmp(field, "FILE", 4)) {
        if (!strcmp(a->command, "show") && !has_field(a, "pipe", true))
            return take_object(a, argument);
        field = "pipe", length = 4;
    }
    if (put(a->request, field, length, argument)) return ZLAY_OK;
    return refuse_argument(a, argument, "is no value");
}

/* What stands behind the arguments; of a map its fields. */
static zlay_status take_rest(const arguments *a, int argc, char **argv)
{
    json_t *map = json_object_get(a->request, "map");
    json_t *object = json_is_object(map) ? map : a->request;
    bool more = strstr(a->usage, "FIELD=VALUE");
    for (int i = 0; i < argc; i++) {
        if (!more) return refuse_argument(a, argv[i], "is one argument too many");
        if (!zl_request_put(has_field(a, argv[i], false) ? a->request : object, argv[i]))
            return refuse_argument(a, argv[i], "is no FIELD=VALUE");
    }
    return ZLAY_OK;
}

/* From the first argument that is missing on, those that may not be left out. */
static zlay_status refuse_missing(const arguments *a, const char *first)
{
    char list[256] = "";
    zl_text out = {list, sizeof list - 1, 0};
    int count = 0;
    for (const char *at = first; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (*at == '[') break;
        zl_putf(&out, "%s%.*s", count++ ? ", " : "", (int)length, at);
        at += length;
    }
    return refuse(a, list, out.need, count > 1 ? "are missing" : "is missing");
}

static zlay_status take_all(const arguments *a, int argc, char **argv)
{
    int used = 0;
    for (const char *at = a->usage; *at; at += strspn(at, " ")) {
        bool may = *at == '[';
        const char *field = at + may;
        size_t length = strspn(field, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_.");
        at += strcspn(at, " ");
        if (!strncmp(field, "FIELD", 5)) break;
        if (may && (used == argc || !serves(field, argv[used]))) continue;
        if (used == argc) return refuse_missing(a, field);
        zlay_status status = take(a, field, length, argv[used++]);
        if (status) return status;
    }
    return take_rest(a, argc - used, argv + used);
}

/* The member `text` of an answer, or the answer itself as JSON; NULL: no memory. */
static char *text_of(const json_t *ok)
{
    const char *text = json_string_value(json_object_get(ok, "text"));
    char *copy = text ? malloc(strlen(text) + 1) : json_dumps(ok, JSON_COMPACT);
    return text && copy ? strcpy(copy, text) : copy;
}

/* The answer as JSON, a line a field. */
static char *lines_of(const json_t *ok) { return json_dumps(ok, JSON_INDENT(2)); }

typedef char *teller(const json_t *ok);

/* Gives back the request. */
static zlay_status answer_by(const arguments *a, teller *tell, char **out, int argc, char **argv)
{
    if (!a->request) return zl_fail(a->ctx, ZLAY_ENOMEM, "no memory for the request");
    zlay_status status = take_all(a, argc, argv);
    json_t *response = status ? NULL : zl_response_to(a->ctx, a->request);
    if (!status) status = zl_response_status(a->ctx, response);
    *out = status ? NULL : tell(json_object_get(response, "ok"));
    if (!status && !*out) status = zl_fail(a->ctx, ZLAY_ENOMEM, "no memory for the text");
    json_decref(response);
    json_decref(a->request);
    return status;
}

static zlay_status answer(const arguments *a, char **out, int argc, char **argv)
{
    return answer_by(a, text_of, out, argc, argv);
}

zlay_status zl_cycles_asked(zlay_ctx *ctx, char **out, const char *usage, int argc, char **argv)
{
    const arguments a = {ctx, "pipe", "cycles", usage, json_pack("{ss}", "op", "pipe.cycles")};
    return answer_by(&a, lines_of, out, argc, argv);
}

zlay_status zl_emit_asked(zlay_ctx *ctx, char **out, const char *what, const char *usage, int argc,
                          char **argv)
{
    json_t *request = json_pack("{ssssss}", "op", "emit", "what", what, "name", what);
    const arguments a = {ctx, "emit", what, usage, begun(request, "emit", what)};
    return answer(&a, out, argc, argv);
}

zlay_status zl_io_asked(zlay_ctx *ctx, char **out, const char *what, const char *usage, int argc,
                        char **argv)
{
    char op[PATH_MOST + 1] = "io.";
    strncat(op, what, sizeof op - sizeof "io.");
    const arguments a = {ctx, "io", what, usage, json_pack("{sssb}", "op", op, "text", 1)};
    return answer(&a, out, argc, argv);
}

zlay_status zl_show_asked_of(zlay_ctx *ctx, char **out, const zl_show_line *line, int argc,
                             char **argv)
{
    char op[PATH_MOST + 1] = "show.";
    strncat(op, line->what, sizeof op - sizeof "show.");
    json_t *request = json_pack("{sssssisb}", "op", op, "form", "text", "width", (int)line->width,
                                "colour", line->colour);
    const arguments a = {ctx, "show", line->what, line->usage, begun(request, "show", line->what)};
    return answer(&a, out, argc, argv);
}
