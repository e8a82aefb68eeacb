/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and prints the line of a record: `KEY : CHOICE : ns=.. rounds=.. others=..,.. ~CHECKSUM`. A key and a choice are words
 * NAME=VALUE in the order of a table, and each name stands there once; the checksum is FNV-1a (Fowler, Noll, Vo) of 32 bits over
 * what stands before it, so that a line that was cut short or changed by accident is refused. */
#include "synth/tuning/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 16, WORDS = 3 };

/* The names of a line's key and of its choice, by its first word. */
static const struct form {
    const char *what, *key[NAMES], *choice[NAMES];
} forms[] = {
    {"gemm",
     {"device", "arch", "processors", "driver", "rules", "types", "orders", "options", "asks", "legal", "class", "shape", NULL},
     {"tile", "multicast", "swap", "stream_k", "split_k", NULL}},
    {"attention",
     {"device", "arch", "processors", "driver", "rules", "types", "options", "asks", "legal", "class", "shape", NULL},
     {"tile", "stages", "overlap", NULL}},
};

static uint32_t checksum(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

void zl_tuning_line_put(char *line, const zlay_tuning_record *r)
{
    size_t at = (size_t)snprintf(line, ZL_TUNING_LINE, "%s : %s : ns=%llu rounds=%u others=", r->key, r->choice, (unsigned long long)r->ns, r->rounds);
    for (uint32_t i = 0; i < r->others_count; i++)
        at += (size_t)snprintf(line + at, ZL_TUNING_LINE - at, "%s%llu", i ? "," : "", (unsigned long long)r->others[i]);
    if (!r->others_count) at += (size_t)snprintf(line + at, ZL_TUNING_LINE - at, "-");
    snprintf(line + at, ZL_TUNING_LINE - at, " ~%08x", checksum(line, at));
}

/* Takes `words` from the beginning of what is left. */
static bool take(const char **at, const char *end, const char *words)
{
    size_t length = strlen(words);
    if ((size_t)(end - *at) < length || memcmp(*at, words, length) != 0) return false;
    *at += length;
    return true;
}

static bool is_value(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c && strchr("_.,-*()/+", c));
}

/* Takes the words NAME=VALUE of a list, a blank before each but the first. */
static bool take_words(const char **at, const char *end, const char *const *names, bool first)
{
    for (; *names; names++) {
        if (!first && !take(at, end, " ")) return false;
        first = false;
        if (!take(at, end, *names) || !take(at, end, "=")) return false;
        const char *begin = *at;
        while (*at < end && is_value(**at)) ++*at;
        if (*at == begin) return false;
    }
    return true;
}

/* A number without leading zeros. */
static bool take_number(const char **at, const char *end, uint64_t most, uint64_t *out)
{
    const char *begin = *at;
    *out = 0;
    while (*at < end && **at >= '0' && **at <= '9') {
        uint64_t digit = (uint64_t)(*(*at)++ - '0');
        if (*out > (most - digit) / 10) return false;
        *out = *out * 10 + digit;
    }
    return *at > begin && (*begin != '0' || *at == begin + 1);
}

/* None took less than the choice. */
static bool take_others(const char **at, const char *end, zlay_tuning_record *out)
{
    uint64_t before = out->ns;
    if (take(at, end, "-")) return true;
    do {
        uint64_t number;
        if (out->others_count == ZLAY_TUNING_OTHERS || !take_number(at, end, INT64_MAX, &number) || number < before) return false;
        out->others[out->others_count++] = before = number;
    } while (take(at, end, ","));
    return true;
}

static const char *take_measured(const char **at, const char *end, zlay_tuning_record *out)
{
    uint64_t rounds;
    if (!take(at, end, " : ns=") || !take_number(at, end, INT64_MAX, &out->ns) || !out->ns) return "no time: ns= and a number from 1 on";
    if (!take(at, end, " rounds=") || !take_number(at, end, UINT32_MAX, &rounds) || !rounds) return "no rounds: rounds= and a number from 1 on";
    out->rounds = (uint32_t)rounds;
    if (!take(at, end, " others=") || !take_others(at, end, out)) return "no others: others= and at most 15 ascending numbers, none below ns, or -";
    return NULL;
}

static bool copy(char *out, size_t room, const char *begin, const char *end)
{
    size_t length = (size_t)(end - begin);
    if (length >= room) return false;
    memcpy(out, begin, length);
    out[length] = 0;
    return true;
}

static const char *take_texts(const char **at, const char *end, zlay_tuning_record *out)
{
    const char *begin = *at;
    size_t i = 0;
    while (i < ZL_COUNT(forms) && !(take(at, end, forms[i].what) && take(at, end, " "))) *at = begin, i++;
    if (i == ZL_COUNT(forms)) return "it begins with neither gemm nor attention";
    if (!take_words(at, end, forms[i].key, true)) return "a word of the key is missing, or out of order";
    if (!copy(out->key, sizeof out->key, begin, *at)) return "a key of 512 bytes or more";
    if (!take(at, end, " : ")) return "no choice behind the key";
    begin = *at;
    if (!take_words(at, end, forms[i].choice, true)) return "a word of the choice is missing, or out of order";
    return copy(out->choice, sizeof out->choice, begin, *at) ? NULL : "a choice of 128 bytes or more";
}

const char *zl_tuning_line_read(zlay_tuning_record *out, const char *line, size_t length)
{
    const char *at = line, *end = line + length;
    char sum[16];
    *out = (zlay_tuning_record){0};
    const char *why = take_texts(&at, end, out);
    if (!why) why = take_measured(&at, end, out);
    if (why) return why;
    snprintf(sum, sizeof sum, " ~%08x", checksum(line, (size_t)(at - line)));
    return take(&at, end, sum) && at == end ? NULL : "its checksum is not that of the line";
}

bool zl_tuning_better(const zlay_tuning_record *a, const zlay_tuning_record *b)
{
    char left[ZL_TUNING_LINE], right[ZL_TUNING_LINE];
    if (a->rounds != b->rounds) return a->rounds > b->rounds;
    if (a->ns != b->ns) return a->ns < b->ns;
    zl_tuning_line_put(left, a);
    zl_tuning_line_put(right, b);
    return strcmp(left, right) < 0;
}

/* Whether two words NAME=VALUE agree: the request's may be *. */
static bool word_matches(const char *record, size_t length, const char *key, size_t key_length)
{
    const char *value = memchr(key, '=', key_length);
    if (value && key_length == (size_t)(value - key) + 2 && value[1] == '*')
        return length > (size_t)(value - key) && !memcmp(record, key, (size_t)(value - key) + 1);
    return length == key_length && !memcmp(record, key, length);
}

bool zl_tuning_matches(const char *record, const char *key, bool shape)
{
    while (*record && *key) {
        size_t length = strcspn(record, " "), key_length = strcspn(key, " ");
        bool passed = !shape && !strncmp(key, "shape=", 6) && !strncmp(record, "shape=", 6);
        if (!passed && !word_matches(record, length, key, key_length)) return false;
        record += length + (record[length] == ' ');
        key += key_length + (key[key_length] == ' ');
    }
    return !*record && !*key;
}
