/* SPDX-License-Identifier: Apache-2.0 */
/* zlay machine: the numbers of a machine, a line each with its basis and its source. */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_value(const char *name, const zlay_machine_value *v)
{
    if (v->basis)
        printf("  %-24s %14" PRId64 "  %-10s  %s\n", name, v->value, zlay_basis_name(v->basis),
               v->source);
}

/* "m x n x k", as far as the form has them. */
static void print_shape(const zlay_machine_form *f)
{
    char text[64];
    int length = f->m ? snprintf(text, sizeof text, "%d", (int)f->m) : 0;
    if (f->n) length += snprintf(text + length, sizeof text - (size_t)length, "x%d", (int)f->n);
    if (f->k) length += snprintf(text + length, sizeof text - (size_t)length, "x%d", (int)f->k);
    printf(" %-12s", length ? text : "");
}

static void print_form(const zlay_machine_form *f)
{
    const char *type = f->type < 0 ? "" : zlay_type_name(f->type);
    printf("  %-16s %-8s", zlay_machine_op_name(f->op), type);
    print_shape(f);
    printf(" %-8s %d  %6" PRId64 ".%03" PRId64, zlay_machine_unit_name(f->unit), (int)f->units,
           f->occupancy_milli / 1000, f->occupancy_milli % 1000);
    if (f->latency) printf(" %7" PRId64, f->latency);
    else printf("       -");
    printf("  %-10s  %s\n", zlay_basis_name(f->basis), f->source);
}

static void print_machine(const zlay_machine *m)
{
    printf("%s: rates (kilocycle) are bytes per 1000 cycles\n", zlay_target_name(m->target));
    for (int32_t k = 0; k < ZLAY_MACHINE_FACTS; k++)
        print_value(zlay_machine_fact_name(k), &m->facts[k]);
    puts("units of a processor");
    for (int32_t k = 0; k < ZLAY_MACHINE_UNITS; k++)
        print_value(zlay_machine_unit_name(k), &m->units[k]);
    puts("instructions: op, type, shape, unit, how many together, cycles that they are taken, "
         "latency");
    for (uint32_t k = 0; k < m->forms_count; k++) print_form(&m->forms[k]);
}

static int print_targets(zlay_machine *m)
{
    const zlay_target *target;
    for (size_t i = 0; (target = zlay_target_nth(i)) != NULL; i++)
        if (!zlay_machine_find(m, target)) puts(zlay_target_name(target));
    return ZL_EXIT_YES;
}

static int print_target(zlay_machine *m, const char *name)
{
    const zlay_target *target;
    if (zlay_target_find(&target, name, strlen(name))) return zl_no_target(name);
    if (!zlay_machine_find(m, target)) {
        print_machine(m);
        return ZL_EXIT_YES;
    }
    fprintf(stderr, "zlay: machine: no document and no measurement says how fast %s is\n", name);
    return ZL_EXIT_NO;
}

int zl_machine(zlay_ctx *ctx, int argc, char **argv)
{
    (void)ctx;
    if (argc > 1) {
        fprintf(stderr, "zlay: machine takes at most one TARGET\n");
        return ZL_EXIT_ERROR;
    }
    zlay_machine *m = calloc(1, sizeof *m);
    if (!m) {
        fprintf(stderr, "zlay: machine: no memory\n");
        return ZL_EXIT_ERROR;
    }
    int exit = argc ? print_target(m, argv[0]) : print_targets(m);
    free(m);
    return exit;
}
