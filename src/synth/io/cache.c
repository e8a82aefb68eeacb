/* SPDX-License-Identifier: Apache-2.0 */
/* L2 as the model has it: a list of slices in the order of their last use (LRU, Mattson et al., 1970), of which it holds as many as
 * fit. A slice that is written stays until it has to go, and is then written to global memory. */
#include "synth/io/io.h"

static void list_take(zl_io_slice *s, uint32_t i)
{
    s[s[i].newer].older = s[i].older;
    s[s[i].older].newer = s[i].newer;
}

static void list_put_first(zl_io_slice *s, uint32_t i)
{
    uint32_t first = s[0].older;
    s[i].newer = 0;
    s[i].older = first;
    s[first].newer = i;
    s[0].older = i;
}

static void evict(zl_io_cache *c, uint32_t i)
{
    zl_io_slice *s = &c->slice[i];
    list_take(c->slice, i);
    c->held -= s->bits;
    if (s->dirty) c->written[s->tensor] += s->bits, c->moved += s->bits;
    s->in = s->dirty = 0;
}

void zl_io_use(zl_io_cache *c, uint32_t slice, uint32_t tensor, uint64_t bits, bool write)
{
    zl_io_slice *s = &c->slice[slice];
    if (s->in) {
        list_take(c->slice, slice);
    } else {
        s->in = 1;
        s->bits = bits;
        s->tensor = (uint8_t)tensor;
        c->held += bits;
        if (!write) c->read[tensor] += bits, c->moved += bits;
    }
    s->dirty |= write;
    list_put_first(c->slice, slice);
    while (c->held > c->capacity) evict(c, c->slice[0].newer);
}

uint64_t zl_io_left(const zl_io_cache *c, uint32_t tensor)
{
    uint64_t left = 0;
    for (uint32_t i = c->slice[0].older; i; i = c->slice[i].older)
        if (c->slice[i].dirty && c->slice[i].tensor == tensor) left += c->slice[i].bits;
    return left;
}
