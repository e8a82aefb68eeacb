/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a pipe from structs (zlay_pipe_builder). Each struct is written as a line of text,
 * which the parser reads, so a pipe that is built is checked, and refused, exactly as one that
 * is parsed. */
#include "base/request.h"
#include "pipe/language/build.h"

#include <stdio.h>
#include <string.h>

/* ---- the builder --------------------------------------------------------------------------- */

static zlay_status head(zlay_ctx *ctx, zlay_pipe_builder *b, const char *name, uint32_t blocks,
                        uint32_t registers)
{
    zl_build_begin(b, "pipe");
    zl_build_name(b, name, "name");
    zlay_status status = zl_build_read(ctx, b);
    zl_build_begin(b, "cluster");
    zl_putf(&b->text, " %u", blocks);
    if (!status && blocks) status = zl_build_read(ctx, b);
    zl_build_begin(b, "registers");
    zl_putf(&b->text, " %u", registers);
    return status || !registers ? status : zl_build_read(ctx, b);
}

zlay_status zlay_pipe_builder_new(zlay_ctx *ctx, zlay_pipe_builder **out, const char *name,
                                  uint32_t blocks, uint32_t registers)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_pipe_builder *b = zl_alloc(ctx, 1, sizeof *b);
    if (!b) return zl_leave(ctx, ZLAY_ENOMEM);
    b->alloc = zl_allocator(ctx);
    status = zl_parse_begin(ctx, &b->parser);
    if (!status) status = head(ctx, b, name, blocks, registers);
    status = zl_leave(ctx, zl_whole(ctx, status));
    if (status) zlay_pipe_builder_free(b);
    else *out = b;
    return status;
}

void zlay_pipe_builder_free(zlay_pipe_builder *builder)
{
    if (!builder) return;
    zlay_allocator alloc = builder->alloc;
    zlay_pipe_free(builder->parser.pipe);
    zlay_body_free(builder->parser.reading.body);
    zl_free(&alloc, builder, sizeof *builder);
}

zlay_status zlay_pipe_builder_end(zlay_ctx *ctx, zlay_pipe_builder *builder)
{
    if (!builder) return ZLAY_EINVAL;
    zl_build_begin(builder, "end");
    return zl_build_call(ctx, builder);
}

zlay_status zlay_pipe_builder_finish(zlay_ctx *ctx, zlay_pipe **out, zlay_pipe_builder *builder)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!builder) return ZLAY_EINVAL;
    zl_build_begin(builder, "");
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_build_read(ctx, builder);
    if (!status) zl_parse_end(&builder->parser);
    if (!status) status = builder->parser.status;
    if (!status) {
        *out = builder->parser.pipe;
        builder->parser.pipe = NULL;
    }
    return zl_leave(ctx, status);
}

/* ---- declarations ---------------------------------------------------------------------------- */

/* Reads a caller's struct; reserved words are among those that zl_build_rest refuses. */
static bool read_form(zlay_pipe_builder *b, void *to, const void *from, const zl_request_form *form)
{
    bool good = !zl_request_read(NULL, to, from, form);
    if (!good) zl_build_wrong(b, "size", "is none of this struct");
    return good;
}

typedef zlay_pipe_declaration declaration;

static void put_stages(zlay_pipe_builder *b, declaration *d)
{
    zl_putf(&b->text, "[%u]", d->stages);
    d->stages = 0;
}

static void put_amount(zlay_pipe_builder *b, declaration *d)
{
    zl_build_bytes(b, &d->bytes);
    d->bytes = (zlay_pipe_bytes){0};
}

static void put_flag(zlay_pipe_builder *b, uint32_t *flag, const char *word, const char *field)
{
    if (*flag > 1) zl_build_wrong(b, field, "is 0 or 1");
    if (*flag) zl_putf(&b->text, " %s", word);
    *flag = 0;
}

static void put_count(zlay_pipe_builder *b, declaration *d, const char *word)
{
    if (d->count < 0) zl_build_wrong(b, "count", "is below 0");
    zl_putf(&b->text, "%s %lld", word, (long long)d->count);
    d->count = 0;
}

static void put_param(zlay_pipe_builder *b, declaration *d)
{
    if (d->least < 0 || d->most < 0) zl_build_wrong(b, "least", "is below 0");
    zl_putf(&b->text, " %lld..", (long long)d->least);
    if (d->most) zl_putf(&b->text, "%lld", (long long)d->most);
    if (d->of) {
        zl_puts(&b->text, " of");
        zl_build_name(b, d->of, "of");
    }
    d->least = d->most = 0;
    d->of = NULL;
}

/* Writes a declaration, and clears each field that it uses. */
static void put_declared(zlay_pipe_builder *b, declaration *d)
{
    static const char *const words[] = {"param", "move", "smem", "tmem", "map", "global", "flag",
                                        "bar"};
    enum { PARAM, MOVE, SMEM, TMEM, GLOBAL = 5, FLAG, BAR, NONE };
    size_t word = 0;
    while (word < NONE && (!d->word || strcmp(words[word], d->word))) word++;
    if (word == NONE) {
        zl_build_wrong(b, "word", "is none of a declaration");
        return;
    }
    zl_build_begin(b, words[word]);
    zl_build_name(b, d->name, "name");
    if (word > MOVE) put_stages(b, d);
    if (word == PARAM) put_param(b, d);
    if (word == MOVE || word == SMEM) put_amount(b, d);
    if (word == SMEM || word == GLOBAL || word == FLAG) put_flag(b, &d->each, "each", "each");
    if (word == TMEM || word == BAR) put_count(b, d, word == BAR ? " count" : "");
    if (word == TMEM) put_flag(b, &d->pair, "pair", "pair");
}

#define FIELD(type, name) {#name, offsetof(type, name), sizeof((type){0}.name)}

zlay_status zl_build_declare(zlay_ctx *ctx, zlay_pipe_builder *b,
                             const zlay_pipe_declaration *from)
{
    static const zl_field fields[] = {
        FIELD(declaration, stages), FIELD(declaration, bytes), FIELD(declaration, least),
        FIELD(declaration, most),   FIELD(declaration, count), FIELD(declaration, each),
        FIELD(declaration, pair),   FIELD(declaration, of),
        FIELD(declaration, reserved)};
    static const zl_request_form form = {.size = sizeof(declaration),
                                         .least = offsetof(declaration, of)};
    declaration d;
    if (!b || !from) return ZLAY_EINVAL;
    zl_build_begin(b, "");
    if (read_form(b, &d, from, &form))
        put_declared(b, &d);
    zl_build_rest(b, &d, fields, ZL_COUNT(fields));
    return zl_build_read(ctx, b);
}

zlay_status zlay_pipe_builder_declare(zlay_ctx *ctx, zlay_pipe_builder *builder,
                                      const zlay_pipe_declaration *from)
{
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, zl_build_declare(ctx, builder, from));
}

zlay_status zlay_pipe_builder_role(zlay_ctx *ctx, zlay_pipe_builder *builder,
                                   const zlay_pipe_role *from)
{
    static const zl_field fields[] = {FIELD(zlay_pipe_role, cta), FIELD(zlay_pipe_role, reserved0),
                                      FIELD(zlay_pipe_role, reserved)};
    static const zl_request_form form = {.size = sizeof(zlay_pipe_role),
                                         .least = offsetof(zlay_pipe_role, reserved)};
    zlay_pipe_role r;
    if (!builder || !from) return ZLAY_EINVAL;
    zl_build_begin(builder, "role");
    if (read_form(builder, &r, from, &form)) {
        zl_build_name(builder, r.name, "name");
        zl_putf(&builder->text, " warps %u..%u", r.first_warp, r.last_warp);
        if (r.each) zl_putf(&builder->text, " each %u", r.each);
        put_flag(builder, &r.elect, "elect", "elect");
        if (r.pinned > 1) zl_build_wrong(builder, "pinned", "is 0 or 1");
        if (r.pinned) zl_putf(&builder->text, " cta %u", r.cta);
        if (r.pinned) r.cta = 0;
    }
    zl_build_rest(builder, &r, fields, ZL_COUNT(fields));
    return zl_build_call(ctx, builder);
}

static void write_body(zl_text *out, const void *body) { zl_body_put(out, body); }

zlay_status zlay_pipe_builder_body(zlay_ctx *ctx, zlay_pipe_builder *builder, const zlay_body *body)
{
    char *text = NULL;
    size_t length = 0;
    if (!builder || !body) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (!status) status = zl_leave(ctx, zl_print_alloc(ctx, &text, &length, write_body, body));
    for (size_t at = 0, line; !status && at < length; at += line + 1) {
        line = strcspn(text + at, "\n");
        zl_build_begin(builder, "");
        zl_put(&builder->text, text + at, line);
        status = zl_build_read(ctx, builder);
    }
    zl_free(&builder->alloc, text, length + 1);
    return status;
}

zlay_status zlay_pipe_builder_event(zlay_ctx *ctx, zlay_pipe_builder *builder,
                                    const zlay_pipe_event *from)
{
    static const zl_request_form form = {.size = sizeof(zlay_pipe_event),
                                         .least = offsetof(zlay_pipe_event, accs)};
    zlay_pipe_event e;
    if (!builder || !from) return ZLAY_EINVAL;
    zl_build_begin(builder, "");
    if (read_form(builder, &e, from, &form))
        zl_build_event(builder, &e);
    return zl_build_call(ctx, builder);
}
