/* SPDX-License-Identifier: Apache-2.0 */
/* Makes of a body on matrices the one on their transposes: rows and columns of its nodes change places. What an index or a
 * scalar is stays, since a use gives it. */
#include "body/body.h"

/* A node that adds or compares elements of a row, stores its value, or finds its row elsewhere, has no such counterpart. */
static bool has_sides(const zl_body_node *n)
{
    zl_body_kind kind = zl_body_forms[n->op].kind;
    return kind == ZL_BODY_REDUCE || kind == ZL_BODY_LANES || n->op == ZL_BO_SHARED || n->op == ZL_BO_STORE;
}

bool zl_body_is_sided(const zlay_body *body)
{
    for (uint32_t i = 0; i < body->operands_count; i++) {
        int32_t sort = body->operands[i].sort;
        if (sort == ZLAY_BODY_ROW || sort == ZLAY_BODY_COLUMN || sort == ZLAY_BODY_PART) return true;
    }
    for (uint32_t i = 0; i < body->nodes_count; i++)
        if (has_sides(&body->nodes[i])) return true;
    return false;
}

bool zl_body_transpose(zlay_body *body)
{
    if (zl_body_is_sided(body)) return false;
    for (uint32_t i = 0; i < body->nodes_count; i++) {
        zl_body_node *n = &body->nodes[i];
        uint32_t both = n->shape & ZL_ON_BOTH;
        if (n->op == ZL_BO_ROW) n->op = ZL_BO_COLUMN;
        else if (n->op == ZL_BO_COLUMN) n->op = ZL_BO_ROW;
        if (both && both != ZL_ON_BOTH) n->shape ^= ZL_ON_BOTH;
    }
    return true;
}
