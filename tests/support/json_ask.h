/* SPDX-License-Identifier: Apache-2.0 */
/* A request's answer, and what stands in it at a path. */
#ifndef TEST_JSON_ASK_H
#define TEST_JSON_ASK_H

#include "answer.h"
#include "json/json.h"

static inline json_t *ask(zlay_ctx *ctx, const char *line)
{
    json_t *answer = json_loads(json_answer(ctx, line), 0, NULL);
    assert_non_null(answer);
    return answer;
}

/* The value of a path of keys and numbers, as "ok.broken.0.rule". */
static inline json_t *at(json_t *value, const char *path)
{
    while (value && *path) {
        char key[64];
        size_t length = strcspn(path, ".");
        memcpy(key, path, length);
        key[length] = 0;
        value = json_is_array(value) ? json_array_get(value, strtoul(key, NULL, 10)) : json_object_get(value, key);
        path += length + (path[length] == '.');
    }
    return value;
}

/* The request's value at `path` is this JSON; NULL: there is none. */
static inline void says(zlay_ctx *ctx, const char *line, const char *path, const char *wanted)
{
    json_t *answer = ask(ctx, line), *got = at(answer, path);
    json_t *want = wanted ? json_loads(wanted, JSON_DECODE_ANY, NULL) : NULL;
    if (wanted) assert_non_null(want);
    if (got ? !json_equal(got, want) : want != NULL) {
        char *text = json_dumps(answer, 0);
        fail_msg("%s\n  answers %s\n  and not %s at %s", line, text, wanted ? wanted : "nothing", path);
    }
    json_decref(want);
    json_decref(answer);
}

/* The text at `path` has this word. */
static inline void mentions(zlay_ctx *ctx, const char *line, const char *path, const char *word)
{
    json_t *answer = ask(ctx, line);
    const char *text = json_string_value(at(answer, path));
    if (!text || !strstr(text, word)) fail_msg("%s\n  has '%s' at %s, without '%s'", line, text ? text : "nothing", path, word);
    json_decref(answer);
}

#endif
