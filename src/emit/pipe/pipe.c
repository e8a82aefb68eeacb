/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a pipe as a kernel (zlay_emit_pipe). It checks the request, proves the pipe by
 * zlay_pipe_verify unless the caller declines, gives every name its place, and prints the kernel.
 * The body of the kernel is printed first, which finds the PTX version, what the head declares, and
 * the first event that cannot be printed. */
#include "pipe/order/verify.h"
#include "base/request.h"
#include "emit/pipe/pipe.h"
#include "emit/emit.h"

#include <string.h>
#include <zlay/target.h>

enum { MATRIX_COLUMNS = 256, MATRIX_GRANULE = 8 };
enum { BODY = 1 << 16 /* bytes of a kernel's text, that are tried first */ };

/* A kernel whose body is printed. */
typedef struct printed {
    zl_pipe_text *text;
    zl_text body;
} printed;

/* Every bound move has a name of the pipe, brings the bytes that the text says, and is by tensor
 * copies; a planner's may be by threads. */
static zlay_status moves_check(zlay_ctx *ctx, const zlay_pipe_emit *ask, const zl_pt_plan *plan)
{
    zlay_move_summary info;
    if ((ask->moves_count && !ask->moves) || (ask->fragments_count && !ask->fragments))
        return ZLAY_EINVAL;
    for (uint32_t i = 0; i < ask->moves_count; i++) {
        const zlay_pipe_move *m = &ask->moves[i];
        bool found = false;
        if (!m->name || zlay_move_info(&info, m->move)) return ZLAY_EINVAL;
        for (uint32_t j = 0; j < ask->pipe->moves_count; j++)
            if (!strcmp(ask->pipe->moves[j].name, m->name)) {
                found = true;
                if ((uint64_t)ask->pipe->moves[j].bytes != info.bytes)
                    return zl_fail(ctx, ZLAY_EINVAL,
                                   "move %.64s: the text says %lld bytes, the plan brings %llu",
                                   m->name, (long long)ask->pipe->moves[j].bytes,
                                   (unsigned long long)info.bytes);
            }
        if (!found)
            return zl_fail(ctx, ZLAY_EINVAL, "move %.64s: the pipe has none of that name", m->name);
        if (info.path != ZLAY_PATH_TENSOR && !plan)
            return zl_fail(ctx, ZLAY_ENOTSUP, "move %.64s: it is not by tensor copies", m->name);
    }
    return ZLAY_OK;
}

/* Every fragment stands for the event of a line. */
static zlay_status fragments_check(zlay_ctx *ctx, const zlay_pipe_emit *ask)
{
    for (uint32_t i = 0; i < ask->fragments_count; i++) {
        const zlay_pipe_fragment *f = &ask->fragments[i];
        bool found = false;
        for (uint32_t j = 0; j < ask->pipe->events_count; j++) {
            const zl_event *e = &ask->pipe->events[j];
            found |= e->line == f->line && e->kind != ZL_EV_FOR && e->kind != ZL_EV_END;
        }
        if (!found || !f->text || f->reserved)
            return zl_fail(ctx, ZLAY_EINVAL, "fragment of line %u: no event stands there", f->line);
    }
    return ZLAY_OK;
}

/* Every bound operand has a shared buffer of the pipe, a layout, and a type that products or bodies read. */
static zlay_status operands_check(zlay_ctx *ctx, const zlay_pipe_emit *ask)
{
    if (ask->operands_count && !ask->operands) return ZLAY_EINVAL;
    for (uint32_t i = 0; i < ask->operands_count; i++) {
        const zlay_pipe_operand *o = &ask->operands[i];
        bool found = false;
        for (uint32_t j = 0; o->smem && j < ask->pipe->smems_count; j++)
            found |= !strcmp(ask->pipe->smems[j].name, o->smem);
        if (!o->layout || o->reserved)
            return zl_fail(ctx, ZLAY_EINVAL, "operand %u: no layout, or a reserved word", i);
        if (!found) return zl_fail(ctx, ZLAY_EINVAL, "operand %u: the pipe has no such smem", i);
        if (zlay_type_bits(o->type) < 4 || zlay_type_bits(o->type) > 32)
            return zl_fail(ctx, ZLAY_ENOTSUP, "operand %.64s: its type is none of 4, 8, 16 or 32 bits",
                           o->smem);
    }
    return ZLAY_OK;
}

static bool lengths_named(const zlay_pipe_emit *ask, const char *name)
{
    bool found = !name;
    for (uint32_t i = 0; i < ask->lengths_count; i++)
        found |= name && !strcmp(ask->lengths[i].name, name);
    return found;
}

/* Every matrix has registers of the pipe, and columns that a product has. */
static zlay_status matrices_check(zlay_ctx *ctx, const zlay_pipe_emit *ask)
{
    if (ask->matrices_count && !ask->matrices) return ZLAY_EINVAL;
    for (uint32_t i = 0; i < ask->matrices_count; i++) {
        const zlay_pipe_matrix *m = &ask->matrices[i];
        bool found = false;
        for (uint32_t j = 0; m->name && j < ask->pipe->accs_count; j++)
            found |= !strcmp(ask->pipe->accs[j].name, m->name);
        if (!found || m->reserved)
            return zl_fail(ctx, ZLAY_EINVAL, "matrix %u: no registers of that name, or a reserved word", i);
        if (!m->columns || m->columns > MATRIX_COLUMNS || m->columns % MATRIX_GRANULE)
            return zl_fail(ctx, ZLAY_ENOTSUP, "matrix %u: %u columns, and a product has 8 to 256 by 8", i,
                           m->columns);
    }
    return ZLAY_OK;
}

static zlay_status counts_check(zlay_ctx *ctx, const zlay_pipe_emit *ask)
{
    if (ask->counts_count && !ask->counts) return ZLAY_EINVAL;
    for (uint32_t i = 0; i < ask->counts_count; i++) {
        const zlay_pipe_count *c = &ask->counts[i];
        bool found = false, each = false;
        for (uint32_t j = 0; c->param && j < ask->pipe->params_count; j++) {
            bool same = !strcmp(ask->pipe->params[j].name, c->param);
            found |= same;
            each |= same && ask->pipe->params[j].of >= 0;
        }
        if (each && c->behind) return zl_fail(ctx, ZLAY_ENOTSUP, "count %u: `behind` of a count of each iteration", i);
        if (!found) return zl_fail(ctx, ZLAY_EINVAL, "count %u: the pipe has no such param", i);
        if (!c->divide || (!c->axis && (c->behind || c->plus || c->minus || c->part)))
            return zl_fail(ctx, ZLAY_EINVAL,
                           "count %u: a divisor of 0, or `behind`, lengths or parts without an axis", i);
        if (!c->part != !c->parts || c->reserved)
            return zl_fail(ctx, ZLAY_EINVAL, "count %u: %u parts, or a reserved word", i, c->parts);
        if (!lengths_named(ask, c->plus) || !lengths_named(ask, c->minus))
            return zl_fail(ctx, ZLAY_EINVAL, "count %u: no lengths of that name", i);
    }
    return ZLAY_OK;
}

static zlay_status lengths_check(zlay_ctx *ctx, const zlay_pipe_emit *ask)
{
    if (ask->lengths_count && !ask->lengths) return ZLAY_EINVAL;
    for (uint32_t i = 0; i < ask->lengths_count; i++) {
        const zlay_pipe_lengths *l = &ask->lengths[i];
        if (!l->name || !l->axis || (l->tiles && !l->height) || l->starts > 1 || l->reserved)
            return zl_fail(ctx, ZLAY_EINVAL,
                           "lengths %u: no name, axis or height, `starts` above 1, or a reserved word", i);
        if (!l->most || l->most > INT32_MAX)
            return zl_fail(ctx, ZLAY_EINVAL, "lengths %u: %u rows are not in 1..2^31-1", i, l->most);
        zlay_status status = zl_name_check(ctx, l->name, strlen(l->name));
        if (status) return status;
    }
    return ZLAY_OK;
}

/* Only a pipe that is proved is printed, unless the request says `unchecked`. */
static zlay_status proved(zlay_ctx *ctx, const zlay_pipe_emit *ask)
{
    return ask->unchecked ? ZLAY_OK : zl_verify_yes(ctx, ask->pipe);
}

static zlay_status ask_read(zlay_ctx *ctx, zlay_pipe_emit *ask, const zlay_pipe_emit *request,
                            const zl_pt_plan *plan)
{
    static const zl_request_form form = {
        "zlay_pipe_emit",
        sizeof(zlay_pipe_emit),
        sizeof request->size,
        {ZL_RESERVED(zlay_pipe_emit, reserved0), ZL_RESERVED(zlay_pipe_emit, reserved)}};
    zlay_status status = zl_request_read(ctx, ask, request, &form);
    if (status) return status;
    if (!ask->target || !ask->pipe || !ask->name) return ZLAY_EINVAL;
    if (ask->language != ZLAY_TEXT_PTX && ask->language != ZLAY_TEXT_CUDA)
        return zl_fail(ctx, ZLAY_EINVAL, "language: there is no %d", ask->language);
    bool c = ask->language == ZLAY_TEXT_CUDA;
    status = (c ? zl_c_name_check : zl_name_check)(ctx, ask->name, ask->name_length);
    if (!status) status = moves_check(ctx, ask, plan);
    if (!status) status = operands_check(ctx, ask);
    if (!status) status = matrices_check(ctx, ask);
    if (!status) status = lengths_check(ctx, ask);
    if (!status) status = counts_check(ctx, ask);
    if (!status && ask->descending && ask->pipe->blocks > 1)
        status = zl_fail(ctx, ZLAY_ENOTSUP, "descending: not in clusters");
    return status ? status : fragments_check(ctx, ask);
}

/* The head, and the body that is printed already. */
static void write_text(zl_text *out, const void *value)
{
    const printed *p = value;
    zl_pipe_text k = *p->text;
    k.out = out;
    zl_pt_kernel_head(&k);
    zl_put(out, p->body.text, p->body.need);
    if (k.plan && k.plan->behind) k.plan->behind(out, k.plan->behind_value);
}

/* Prints the body of the kernel, in as much memory as it needs. An event that cannot be printed fails here; the
 * message is that of the first. */
static zlay_status print_body(printed *p)
{
    zl_pipe_text *k = p->text;
    zl_text nothing = {NULL, 0, 0};
    zlay_target_summary info = {0};
    k->out = &nothing;
    zl_pt_kernel_head(k);
    do {
        p->body = (zl_text){NULL, p->body.need > BODY ? p->body.need : BODY, 0};
        p->body.text = zl_scratch(k->ctx, p->body.room, 1);
        if (!p->body.text) return ZLAY_ENOMEM;
        k->out = &p->body;
        zl_pt_kernel_body(k);
    } while (!k->status && p->body.need > p->body.room);
    zlay_target_info(&info, k->ask->target);
    if (k->ptx < info.ptx) k->ptx = info.ptx;
    return k->status;
}

static zlay_status print(zl_pipe_text *k, zlay_buf *out, zlay_pipe_launch *launch,
                         zlay_pipe_argument *arguments, size_t room)
{
    printed p = {.text = k};
    zlay_status status = zl_pt_place(k);
    if (!status) status = print_body(&p);
    if (!status) status = zl_print(out, write_text, &p);
    if (status) return status;
    uint32_t count = zl_pt_arguments(k, arguments, room);
    if (!launch) return ZLAY_OK;
    *launch = (zlay_pipe_launch){.threads = k->threads,
                                 .cluster = zl_pt_blocks(k),
                                 .smem = k->smem,
                                 .ptx = k->ptx,
                                 .arguments = count};
    return ZLAY_OK;
}

zlay_status zl_pt_print(zlay_ctx *ctx, zlay_buf *out, zlay_pipe_launch *launch,
                        zlay_pipe_argument *arguments, size_t room, const zlay_pipe_emit *request,
                        const zl_pt_plan *plan)
{
    zlay_pipe_emit ask;
    if (!out || (room && !arguments)) return ZLAY_EINVAL;
    zl_mark mark = zl_enter_part(ctx);
    zl_pt_saying sayings[ZL_PT_SAYINGS] = {{.form = 0}};
    zl_pipe_text k = {.ask = &ask, .plan = plan, .ctx = ctx, .sayings = sayings};
    zlay_status status = ask_read(ctx, &ask, request, plan);
    if (!status) status = proved(ctx, &ask);
    if (!status) {
        k.pipe = ask.pipe;
        k.c = ask.language == ZLAY_TEXT_CUDA;
        status = print(&k, out, launch, arguments, room);
    }
    return zl_leave_part(ctx, mark, zl_whole(ctx, status));
}

zlay_status zlay_emit_pipe(zlay_ctx *ctx, zlay_buf *out, zlay_pipe_launch *launch,
                           zlay_pipe_argument *arguments, size_t room,
                           const zlay_pipe_emit *request)
{
    if (!ctx || !out || !request || (room && !arguments)) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    return zl_leave(ctx, zl_pt_print(ctx, out, launch, arguments, room, request, NULL));
}
