/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of a tensor map: its arguments, then each rule that it breaks, or that is noted,
 * with the value and a repair. A text is made on the stack and written by one call, so that
 * lines of several threads do not mix. A map is told once, by a hash of its arguments and of the
 * address modulo 256; of the first 100 maps of a program, and no others. */
#define _GNU_SOURCE
#include "preload/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAPS = 100, SLOTS = 256, REASONS = 32, TEXT = 8192, BAD_VALUE = 1 };

typedef struct line_text {
    char bytes[TEXT];
    size_t used;
} line_text;

/* Appends what fits. */
__attribute__((format(printf, 2, 3))) static void add(line_text *t, const char *format, ...)
{
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    const int length = vsnprintf(t->bytes + t->used, TEXT - t->used, format, arguments);
    __builtin_va_end(arguments);
    if (length <= 0) return;
    t->used += (size_t)length < TEXT - t->used ? (size_t)length : TEXT - t->used - 1;
}

static void add_entries(line_text *t, const char *name, const uint64_t *entry, size_t count)
{
    add(t, ", %s", name);
    for (size_t i = 0; i < count; i++)
        add(t, "%c%llu", i ? ' ' : '=', (unsigned long long)entry[i]);
}

static void add_narrow(line_text *t, const char *name, const uint32_t *entry, size_t count)
{
    uint64_t wide[5] = {0};
    for (size_t i = 0; i < count; i++) wide[i] = entry[i];
    add_entries(t, name, wide, count);
}

static void add_map(line_text *t, const zlay_tensormap *map)
{
    static const char *const modes[] = {"tiled", "im2col", "im2col wide"};
    const size_t rank = map->rank < 5 ? map->rank : 5;
    const char *type = zlay_type_name(map->type);
    add(t, "zlay:   %s map of type %d (%s), rank %u, address=0x%llx", modes[map->mode], map->type,
        type ? type : "none", map->rank, (unsigned long long)map->address);
    add_entries(t, "extent", map->extent, rank);
    add_entries(t, "stride", map->stride, rank ? rank - 1 : 0);
    if (!map->mode) add_narrow(t, "box", map->box, rank);
    else add(t, ", channels=%u, pixels=%u", map->channels, map->pixels);
    add_narrow(t, "step", map->step, rank);
    add(t, ", interleave=%d, swizzle=%d, l2=%d, oob=%d\n", map->interleave, map->swizzle, map->l2,
        map->oob);
}

/* A number of a reason: addresses and signed bounds as they are read. */
static void add_number(line_text *t, const zlay_reason *reason, uint64_t value)
{
    if (reason->relation == ZLAY_REL_SIGNED) add(t, "%lld", (long long)value);
    else if (reason->field == ZLAY_FIELD_ADDRESS) add(t, "0x%llx", (unsigned long long)value);
    else add(t, "%llu", (unsigned long long)value);
}

static void add_repair(line_text *t, const zlay_reason *reason)
{
    static const char *const keeps[] = {
        [ZLAY_KEEPS_ALL] = "the same bytes reach the same places",
        [ZLAY_KEEPS_BYTES] = "the same bytes, another shared layout",
        [ZLAY_KEEPS_VALUES] = "the tensor is laid out anew",
        [ZLAY_KEEPS_NOTHING] = "take another path than this copy",
    };
    if (reason->fix_keeps < ZLAY_KEEPS_ALL || reason->fix_keeps > ZLAY_KEEPS_NOTHING) {
        add(t, "; no change of it alone passes");
        return;
    }
    if (reason->fix_keeps != ZLAY_KEEPS_NOTHING) {
        add(t, "; ");
        add_number(t, reason, reason->fix_value);
        add(t, " passes");
        if (reason->fix_split > 1) add(t, " in %d copies", reason->fix_split);
    }
    add(t, "; %s", keeps[reason->fix_keeps]);
}

static void add_reason(line_text *t, const zlay_reason *reason)
{
    zlay_rule rule;
    if (zlay_rule_info(&rule, reason->rule)) return;
    const char *field = zlay_field_name(reason->field);
    add(t, "zlay:   %s%s: %s", reason->noted ? "noted: " : "", rule.id, field ? field : "the map");
    if (reason->index >= 0) add(t, "[%d]", reason->index);
    add(t, " gives ");
    add_number(t, reason, reason->value);
    add(t, "; %s", rule.text);
    add_repair(t, reason);
    add(t, " (%s)\n", rule.source);
}

/* Whether a map was not told before, and there is room for it; the last one is told that it is. */
static bool is_new(line_text *t, uint64_t hash)
{
    static _Atomic(uint64_t) told[SLOTS];
    static atomic_int count;
    for (size_t i = 0; i < SLOTS; i++) {
        uint64_t empty = 0;
        _Atomic(uint64_t) *slot = &told[(hash + i) % SLOTS];
        if (atomic_load(&count) >= MAPS) return false;
        if (atomic_compare_exchange_strong(slot, &empty, hash)) break;
        if (empty == hash) return false;
    }
    const int before = atomic_fetch_add(&count, 1);
    if (before == MAPS - 1) add(t, "zlay: this is the last map that is explained\n");
    return before < MAPS;
}

/* FNV-1a. */
static uint64_t hashed_bytes(uint64_t hash, const void *from, size_t count)
{
    const unsigned char *byte = from;
    for (size_t i = 0; i < count; i++) hash = (hash ^ byte[i]) * 1099511628211u;
    return hash;
}

/* Never 0, which is an empty slot. */
static uint64_t hashed(const char *call, zl_cu_result result, const zlay_tensormap *map)
{
    zlay_tensormap copy = {0};
    if (map) copy = *map;
    copy.address %= 256;
    copy.reserved[0] = result + 1;
    const uint64_t of_map = hashed_bytes(14695981039346656037u, &copy, sizeof copy);
    return hashed_bytes(of_map, call, strlen(call)) | 1;
}

/* A program that began without a stderr may have a file of its own there by now. */
static bool has_stderr;
__attribute__((constructor)) static void see_stderr(void) { has_stderr = fcntl(2, F_GETFD) >= 0; }

/* To the file that ZLAY_EXPLAIN names, else to stderr; what cannot be written is lost. */
static void written(const line_text *t)
{
    const char *path = getenv("ZLAY_EXPLAIN");
    const int file = path && *path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)
                     : has_stderr  ? 2
                                   : -1;
    if (file < 0) return;
    for (size_t at = 0; at < t->used;) {
        const ssize_t step = write(file, t->bytes + at, t->used - at);
        if (step < 0 && errno == EINTR) continue;
        if (step <= 0) break;
        at += (size_t)step;
    }
    if (file != 2) close(file);
}

/* The first line: what the driver answered, and what zlay holds of it. */
static void add_head(line_text *t, const char *call, zl_cu_result result,
                     const zlay_verdict *verdict)
{
    const char *target = zlay_target_name(zl_told_target());
    add(t, "zlay: %s ", call);
    if (!result && verdict->broken) add(t, "was accepted, and breaks a rule of %s:\n", target);
    else if (!result) add(t, "was accepted, and is surely not meant:\n");
    else if (result != BAD_VALUE) add(t, "gave %u, which is not about its arguments:\n", result);
    else if (verdict->broken) add(t, "was refused on %s:\n", target);
    else add(t, "was refused on %s, and breaks no rule that zlay knows:\n", target);
}

/* Without those of a document that a measurement refutes: maps that break them do what they say. */
static uint32_t kept_reasons(zlay_reason *reasons, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count && i < REASONS; i++)
        if (!reasons[i].noted || reasons[i].noted == ZLAY_NOTED_ADVICE)
            reasons[kept++] = reasons[i];
    return kept;
}

static void tell_map(const char *call, zl_cu_result result, const zlay_tensormap *map)
{
    line_text t;
    zlay_verdict verdict = {0};
    zlay_reason reasons[REASONS] = {{0}};
    t.used = 0;
    if (zlay_tensormap_check(&verdict, reasons, REASONS, zl_told_target(), map)) return;
    const uint32_t count = kept_reasons(reasons, verdict.reasons);
    if (!result && !count) return;
    if (!is_new(&t, hashed(call, result, map))) return;
    add_head(&t, call, result, &verdict);
    add_map(&t, map);
    for (uint32_t i = 0; i < count; i++) add_reason(&t, &reasons[i]);
    written(&t);
}

static void tell_null(const char *call, zl_cu_result result)
{
    line_text t;
    t.used = 0;
    if (!result || !is_new(&t, hashed(call, result, NULL))) return;
    add(&t, "zlay: %s gave %u: one of its arrays is NULL\n", call, result);
    written(&t);
}

void zl_tell(const char *call, zl_cu_result result, const zlay_tensormap *map)
{
    const int error = errno;
    if (map) tell_map(call, result, map);
    else tell_null(call, result);
    errno = error;
}
