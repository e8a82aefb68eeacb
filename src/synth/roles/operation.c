/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one operation of a tile program: an event of a pipe without positions, and behind a colon when it starts, how long it
 * takes its unit and when its result is there. Where each instance has operations of its own, the line is read once for each,
 * and names of the instance's values end with its number. */
#include "synth/roles/read.h"

#include <stdio.h>
#include <string.h>

/* ---- operands -------------------------------------------------------------------------------- */

static int32_t value_find(const zl_tp *p, const char *name)
{
    for (uint32_t i = 0; i < p->values; i++)
        if (!strcmp(p->value[i].name, name)) return (int32_t)i;
    return -1;
}

/* The value of a name in the instance; one that is not there is a new one in registers. */
static zlay_status named(zl_tp_reader *r, const char *name, bool registers, int32_t *out)
{
    zl_tp *p = r->p;
    char own[ZL_TP_NAME];
    *out = value_find(p, name);
    if (*out >= 0 && p->value[*out].space != ZL_TP_REGISTERS) return ZLAY_OK;
    snprintf(own, sizeof own, "%s", name);
    if (zl_tp_expands(p) && strlen(name) > ZL_TP_OWN) return zl_tp_own(r, name);
    if (zl_tp_expands(p)) snprintf(own, sizeof own, "%.60s_%u", name, r->instance);
    *out = value_find(p, own);
    r->instanced |= zl_tp_expands(p);
    if (*out >= 0) return ZLAY_OK;
    if (!registers) return zl_fail(p->ctx, ZLAY_EINVAL, "line %u: '%s' is no value in shared or tensor memory", r->at.line, name);
    if (p->values == ZL_TP_VALUES) return zl_fail(p->ctx, ZLAY_ELIMIT, "line %u: more than %d values", r->at.line, ZL_TP_VALUES);
    zl_tp_value *v = &p->value[p->values];
    *v = (zl_tp_value){.space = ZL_TP_REGISTERS, .line = r->at.line, .group = (int32_t)p->values};
    memcpy(v->name, own, sizeof own);
    *out = (int32_t)p->values++;
    return ZLAY_OK;
}

/* Which spaces an operand may be in, a bit each. */
enum { IN_REGISTERS = 1 << ZL_TP_REGISTERS, IN_SHARED = 1 << ZL_TP_SHARED, IN_TMEM = 1 << ZL_TP_TMEM };

static zlay_status operand(zl_tp_reader *r, zl_tp_op *op, uint32_t spaces, uint32_t access)
{
    static const char *const words[] = {"registers", "shared memory", "tensor memory"};
    char name[ZL_TP_NAME];
    int32_t value;
    if (!zl_cursor_name(&r->at, name)) return zl_tp_bad(r, "expected a value");
    zlay_status status = named(r, name, spaces & IN_REGISTERS, &value);
    if (status) return status;
    int32_t space = r->p->value[value].space;
    if (!(spaces >> space & 1)) return zl_fail(r->p->ctx, ZLAY_EINVAL, "line %u: '%s' is in %s, where this operation has no such operand", r->at.line, name, words[space]);
    if (op->operands == ZL_TP_OPERANDS) return zl_fail(r->p->ctx, ZLAY_ELIMIT, "line %u: more than %d operands", r->at.line, ZL_TP_OPERANDS);
    op->operand[op->operands++] = (zl_tp_operand){value, access};
    return ZLAY_OK;
}

static zlay_status symbol(zl_tp_reader *r, const char *text)
{
    char what[32];
    snprintf(what, sizeof what, "expected %s", text);
    return zl_cursor_symbol(&r->at, text) ? ZLAY_OK : zl_tp_bad(r, what);
}

/* ---- operations ---------------------------------------------------------------------------------- */

static zlay_status copy_read(zl_tp_reader *r, zl_tp_op *op)
{
    uint64_t bytes;
    bool tensor = zl_cursor_keyword(&r->at, "tensor");
    if (!tensor && !zl_cursor_keyword(&r->at, "bulk")) return zl_tp_bad(r, "expected tensor or bulk");
    op->word = tensor ? (zl_tp_span){"tensor", 6} : (zl_tp_span){"bulk", 4};
    zlay_status status = zl_tp_bytes(r, &op->tail, &bytes);
    if (!status) status = symbol(r, "->");
    if (!status) status = operand(r, op, IN_SHARED, ZL_TP_WRITES);
    if (status) return status;
    const zl_tp_value *v = &r->p->value[op->operand[0].value];
    if (v->bytes != bytes) return zl_tp_bad(r, "a copy fills its whole stage");
    if (!v->each || r->p->tmem || r->p->instances == 1) return ZLAY_OK;
    return zl_fail(r->p->ctx, ZLAY_ENOTSUP, "line %u: one thread copies for all instances, and each has its own '%s': copy into one that they share", r->at.line, v->name);
}

/* Pairs of factors, and their sum. */
static zlay_status mma_read(zl_tp_reader *r, zl_tp_op *op)
{
    bool tmem = r->p->tmem;
    zlay_status status;
    do {
        status = operand(r, op, IN_SHARED | (tmem ? IN_TMEM : IN_REGISTERS), ZL_TP_READS);
        if (!status) status = symbol(r, ",");
        if (!status) status = operand(r, op, IN_SHARED, ZL_TP_READS);
    } while (!status && zl_cursor_take(&r->at, '+'));
    if (!status) status = symbol(r, "->");
    if (!status) status = operand(r, op, tmem ? IN_TMEM : IN_REGISTERS, ZL_TP_WRITES);
    if (status) return status;
    op->fresh = zl_cursor_keyword(&r->at, "fresh");
    op->first = op->fresh && zl_cursor_keyword(&r->at, "first");
    if (op->first && op->section != ZL_TP_LOOP) return zl_tp_bad(r, "`first` is of a loop");
    if (!op->fresh || op->first) op->operand[op->operands - 1].access |= ZL_TP_READS;
    return ZLAY_OK;
}

static zlay_status registers_read(zl_tp_reader *r, zl_tp_op *op)
{
    zlay_status status;
    do status = operand(r, op, IN_REGISTERS, ZL_TP_READS | ZL_TP_WRITES);
    while (!status && zl_cursor_take(&r->at, ','));
    return status;
}

static zlay_status use_read(zl_tp_reader *r, zl_tp_op *op)
{
    zlay_status status = registers_read(r, op);
    char name[ZL_TP_NAME];
    if (status) return status;
    (void)zl_cursor_peek(&r->at);
    op->word.text = r->at.text + r->at.at;
    if (zl_cursor_keyword(&r->at, "body") || zl_cursor_keyword(&r->at, "by")) {
        if (!zl_cursor_name(&r->at, name)) return zl_tp_bad(r, "expected a body's name");
        op->word.length = (size_t)(r->at.text + r->at.at - op->word.text);
    }
    if (zl_cursor_keyword(&r->at, "reads"))
        do status = operand(r, op, IN_SHARED, ZL_TP_READS);
        while (!status && zl_cursor_take(&r->at, ','));
    if (!status) op->tail = zl_tp_rest(&r->at);
    if (!status && op->section != ZL_TP_LOOP && zl_tp_iteration(op->tail, 0) < op->tail.length) status = zl_tp_bad(r, "`i` is an iteration of the loop, and this is outside of it");
    return status;
}

/* `columns a..b` behind tensor memory. */
static zlay_status columns_read(zl_tp_reader *r, zl_tp_op *op)
{
    int64_t number;
    (void)zl_cursor_peek(&r->at);
    op->tail.text = r->at.text + r->at.at;
    if (!zl_cursor_keyword(&r->at, "columns")) return ZLAY_OK;
    if (!zl_cursor_number(&r->at, &number) || !zl_cursor_symbol(&r->at, "..") || !zl_cursor_number(&r->at, &number)) return zl_tp_bad(r, "expected columns FIRST..LAST");
    op->tail.length = (size_t)(r->at.text + r->at.at - op->tail.text);
    return ZLAY_OK;
}

static zlay_status tld_read(zl_tp_reader *r, zl_tp_op *op)
{
    zlay_status status = operand(r, op, IN_TMEM, ZL_TP_READS);
    if (!status) status = columns_read(r, op);
    if (!status) status = symbol(r, "->");
    return status ? status : operand(r, op, IN_REGISTERS, ZL_TP_WRITES);
}

/* Columns that are written alone leave the others as they are. */
static zlay_status tst_read(zl_tp_reader *r, zl_tp_op *op)
{
    zlay_status status = operand(r, op, IN_REGISTERS, ZL_TP_READS);
    if (!status) status = symbol(r, "->");
    if (!status) status = operand(r, op, IN_TMEM, ZL_TP_WRITES);
    return status ? status : columns_read(r, op);
}

static zlay_status write_read(zl_tp_reader *r, zl_tp_op *op)
{
    zlay_status status = operand(r, op, IN_SHARED, ZL_TP_WRITES);
    if (!status && !zl_cursor_keyword(&r->at, "from")) status = zl_tp_bad(r, "expected from");
    if (!status) status = operand(r, op, IN_REGISTERS, ZL_TP_READS);
    if (!status) op->tail = zl_tp_rest(&r->at);
    return status;
}

static zlay_status store_read(zl_tp_reader *r, zl_tp_op *op)
{
    zlay_status status = operand(r, op, IN_SHARED, ZL_TP_READS);
    if (!status) op->tail = zl_tp_rest(&r->at);
    return status;
}

static const struct form {
    const char *word;
    int32_t kind;
    zlay_status (*read)(zl_tp_reader *r, zl_tp_op *op);
} forms[] = {
    {"copy", ZL_TP_COPY, copy_read}, {"mma", ZL_TP_MMA, mma_read},       {"use", ZL_TP_USE, use_read},      {"tld", ZL_TP_TLD, tld_read},
    {"tst", ZL_TP_TST, tst_read},    {"write", ZL_TP_WRITE, write_read}, {"store", ZL_TP_STORE, store_read}};

/* ---- times ------------------------------------------------------------------------------------- */

static zlay_status times_read(zl_tp_reader *r, zl_tp_op *op)
{
    int64_t from = 0;
    while (!zl_cursor_done(&r->at)) {
        int64_t *to = NULL;
        if (zl_cursor_keyword(&r->at, "from")) to = &from;
        else if (zl_cursor_keyword(&r->at, "at")) to = &op->at, op->timed = true;
        else if (zl_cursor_keyword(&r->at, "cycles")) to = &op->cycles;
        else if (zl_cursor_keyword(&r->at, "latency")) to = &op->latency;
        if (!to) return zl_tp_bad(r, "expected from, at, cycles or latency");
        if (!zl_cursor_number(&r->at, to) || *to > INT32_MAX) return zl_tp_bad(r, "expected a number below 2^31");
    }
    if (op->section != ZL_TP_LOOP && (from || op->timed)) return zl_tp_bad(r, "`from` and `at` are of a loop");
    if (from >= ZL_TP_PEEL) return zl_tp_bad(r, "`from` is below 16");
    op->from = (uint32_t)from;
    if (op->cycles < 1) op->cycles = 1;
    if (op->latency < op->cycles) op->latency = op->cycles;
    return ZLAY_OK;
}

/* Reads the operation up to the colon, then its times. */
static zlay_status operation(zl_tp_reader *r, zl_tp_op *op)
{
    const char *colon = memchr(r->at.text + r->at.at, ':', r->at.length - r->at.at);
    size_t whole = r->at.length;
    const struct form *form = NULL;
    for (size_t i = 0; !form && i < ZL_COUNT(forms); i++)
        if (zl_cursor_keyword(&r->at, forms[i].word)) form = &forms[i];
    if (!form) return zl_tp_bad(r, "expected copy, mma, use, tld, tst, write or store");
    op->kind = form->kind;
    if (colon) r->at.length = (size_t)(colon - r->at.text);
    zlay_status status = form->read(r, op);
    if (!status) status = zl_cursor_end(&r->at);
    r->at.length = whole;
    if (colon) r->at.at = (size_t)(colon - r->at.text) + 1;
    return status ? status : times_read(r, op);
}

zlay_status zl_tp_operations(zl_tp_reader *r)
{
    zl_tp *p = r->p;
    const size_t at = r->at.at;
    for (r->instance = 0;; r->instance++) {
        if (p->ops == ZL_TP_OPS) return zl_fail(p->ctx, ZLAY_ELIMIT, "line %u: more than %d operations", r->at.line, ZL_TP_OPS);
        zl_tp_op *op = &p->op[p->ops];
        *op = (zl_tp_op){.section = r->section, .line = r->at.line, .role = -1};
        r->instanced = false;
        r->at.at = at;
        zlay_status status = operation(r, op);
        if (status) return status;
        p->ops++;
        if (!r->instanced || r->instance + 1 == p->instances) return ZLAY_OK;
    }
}
