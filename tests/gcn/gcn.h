/* SPDX-License-Identifier: Apache-2.0 */
/* A workgroup of waves of 64 lanes, as an instruction stream sees it: registers, shared memory (LDS),
 * global memory, and what is still on its way. Written from the words of the instruction set manuals
 * (CDNA2, CDNA3, CDNA4), LLVM 22's AMDGPUUsage and its hazard tables; it shares nothing with what
 * prints the text.
 *
 * What has no defined value is *bad*, and what is computed from it is bad: registers before a first
 * write, the destination of a load until a wait forces it, LDS bytes that somebody is writing, the
 * result of an instruction read before its wait states have passed. A branch, an address or EXEC
 * that is bad ends the run with a *fault*. */
#ifndef TEST_GCN_H
#define TEST_GCN_H

#include "test.h"

#include <stdbool.h>
#include <string.h>

enum {
    GCN_LANES = 64,
    GCN_WAVES = 8,
    GCN_OPERANDS = 6,
    GCN_MEMORIES = 12,
    GCN_QUEUE = 1024,
    GCN_VGPRS = 512,
    GCN_AGPR = 256,
    GCN_LDS = 163840,
    GCN_STEPS = 1 << 17,
    GCN_LONG_AGO = -1000,
    GCN_VCC = 106,
    GCN_M0 = 124,
    GCN_EXEC = 126,
    GCN_SGPRS = 128
};

typedef enum gcn_target { GCN_90A, GCN_942, GCN_950, GCN_TARGETS } gcn_target;
static const char *const gcn_target_name[GCN_TARGETS] = {"gfx90a", "gfx942", "gfx950"};

typedef enum gcn_place { GCN_NONE, GCN_SCALAR, GCN_VECTOR, GCN_NUMBER } gcn_place;

typedef struct gcn_operand {
    gcn_place place;
    int first, count; /* registers; an AGPR's number is GCN_AGPR higher */
    uint64_t number;  /* of a constant */
    bool negated, absolute;
} gcn_operand;

typedef struct gcn_wave gcn_wave;
typedef struct gcn_line gcn_line;
typedef uint64_t gcn_function(uint64_t a, uint64_t b, uint64_t c, uint32_t *scc);

/* A row of the table of instructions. */
typedef struct gcn_form {
    const char *name; /* without _e32 and _e64 */
    void (*run)(gcn_wave *w, const gcn_line *line);
    gcn_function *does; /* what it computes */
    const char *widths; /* registers of each operand, destination first */
    int bytes, flags;   /* of an access to memory; GCN_F_* */
} gcn_form;

enum {
    GCN_F_SCC = 1,   /* writes SCC */
    GCN_F_FLOAT = 2, /* operands are floats: -v and |v| mean something */
    GCN_F_TRANS = 4, /* a transcendental */
    GCN_F_STORE = 8,
    GCN_F_SIGNED = 16, /* a load extends the sign */
    GCN_F_LOW = 32,    /* a load writes the low half alone */
    GCN_F_HIGH = 64,   /* the high half, of the register */
    GCN_F_TWO = 128,   /* two addresses */
    GCN_F_TRANSPOSE = 256,
    GCN_F_DIRECT = 512, /* to LDS */
    GCN_F_WIDE = 1024   /* two addresses, their offsets in 64 elements */
};

struct gcn_line {
    char name[40], text[120];
    const gcn_form *form;
    uint64_t at;
    gcn_operand operand[GCN_OPERANDS];
    int count;
    uint32_t word; /* the first of its encoding */
    int32_t offset, offset1;
    bool has_offset, offen, idxen, lds, gone;
    int vmcnt, lgkmcnt, table; /* table: the immediate of v_bitop3, or op_sel */
    int target;                /* index of a branch's line */
};

typedef struct gcn_memory { /* global memory at an address */
    uint64_t at, size;
    uint8_t *bytes;
    bool writable;
} gcn_memory;

/* An access on its way. */
typedef struct gcn_access {
    const gcn_line *line;
    bool scalar, lds, store, direct, sampled;
    uint64_t lanes; /* that take part */
    int first;      /* register to fill; -1: none */
    int registers, serial, barriers; /* barriers: passed at the issue */
    uint32_t at[GCN_LANES];
    uint32_t data[GCN_LANES][4];
    uint8_t bad[GCN_LANES][4];
} gcn_access;

/* When something last happened to a vector register, in the wave's wait states. */
typedef struct gcn_history {
    int32_t product, product_first, product_count, product_passes; /* an MFMA wrote it */
    int32_t sum, sum_passes;                                       /* an MFMA read it as C */
    int32_t valu, trans, store;                                    /* store: of more than 8 bytes */
} gcn_history;

/* When waves were last done with a word of LDS, reading (0) and writing (1): barriers that they had passed
 * when a wait said so; -1: never. */
typedef struct gcn_past { int16_t end[2][GCN_WAVES][GCN_LDS / 4]; } gcn_past;

typedef struct gcn_machine gcn_machine;

struct gcn_wave {
    gcn_machine *m;
    int number, line, now; /* now: wait states since the start */
    int barriers;          /* passed */
    bool done, at_barrier;
    uint32_t s[GCN_SGPRS], scc;
    uint8_t s_bad[GCN_SGPRS], scc_bad, s_loading[GCN_SGPRS];
    int32_t s_valu[GCN_SGPRS], s_salu[GCN_SGPRS];
    uint32_t v[GCN_VGPRS][GCN_LANES];
    uint8_t v_bad[GCN_VGPRS][GCN_LANES], v_loading[GCN_VGPRS];
    gcn_history history[GCN_VGPRS];
    gcn_access *queue[2][GCN_QUEUE]; /* vmcnt's and lgkmcnt's, in order of issue */
    int queued[2];
};

typedef struct gcn_kernel { /* of its descriptor */
    uint32_t lds, kernarg, rsrc1, rsrc2, rsrc3, properties;
    int vgprs, agprs, entry; /* entry: index of a line */
} gcn_kernel;

typedef struct gcn_code {
    gcn_target target;
    gcn_line *line;
    int lines;
    gcn_kernel kernel;
} gcn_code;

typedef enum gcn_order { GCN_AHEAD, GCN_TURNS, GCN_DRAWN } gcn_order;

/* One of the ways in which waves may run apart. */
typedef struct gcn_schedule {
    gcn_order order;
    uint64_t seed; /* GCN_AHEAD: the wave that runs first whenever it can */
    bool early;    /* LDS is read at issue, and not at the wait */
} gcn_schedule;

struct gcn_machine {
    const gcn_code *code;
    gcn_memory memory[GCN_MEMORIES];
    int memories;
    uint32_t waves, threads[3], serial;
    gcn_wave *wave[GCN_WAVES];
    gcn_schedule schedule;
    uint8_t lds[GCN_LDS], lds_bad[GCN_LDS];
    uint8_t lds_writers[GCN_LDS], lds_owner[GCN_LDS], lds_clash[GCN_LDS];
    uint32_t lds_stamp[GCN_LDS];
    uint64_t kernarg;
    uint32_t group[3];
    long steps;
    gcn_past *past;  /* NULL: nobody asks whether barriers order what waves do in LDS */
    uint64_t stored; /* bytes, of all groups */
    uint8_t *ran; /* 1: the line was run; may be NULL */
    void (*see)(gcn_wave *w, const gcn_access *access); /* each access to LDS; may be NULL */
    void *test;
    bool failed;
    char fault[200];
};

/* The first fault stays. */
static inline void gcn_fault(gcn_wave *w, const gcn_line *line, const char *what)
{
    if (w->m->failed) return;
    w->m->failed = true;
    snprintf(w->m->fault, sizeof w->m->fault, "wave %d, %.80s: %s", w->number,
             line ? line->text : "", what);
}

static inline float gcn_float(uint64_t bits)
{
    float f;
    uint32_t low = (uint32_t)bits;
    memcpy(&f, &low, 4);
    return f;
}

static inline uint32_t gcn_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

static inline int32_t gcn_signed(uint64_t bits) { return (int32_t)(uint32_t)bits; }

/* Global memory, or NULL. */
static inline uint8_t *gcn_global(gcn_machine *m, uint64_t at, uint64_t bytes, bool write)
{
    for (int i = 0; i < m->memories; i++) {
        gcn_memory *g = &m->memory[i];
        if (at >= g->at && at - g->at <= g->size && bytes <= g->size - (at - g->at))
            return write && !g->writable ? NULL : g->bytes + (at - g->at);
    }
    return NULL;
}

#endif
